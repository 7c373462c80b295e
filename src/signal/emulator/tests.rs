//! Each clock's driver against its emulated clock, joined by a line that may be bad, in simulated time.

use std::sync::Arc;

use super::faults::BadLine;
use super::runner::Device;
use super::*;
use crate::game::{Event, EventKind, Interval, Text};
use crate::rules::{Color, Ruleset};
use crate::signal::clock::{ClockDesk, InBreaks, OrderedBy, PressSeen, StopFor, StopPolicy};
use crate::signal::config::Language;
use crate::signal::console::{ConsoleDriver, Introduction, Roles};
use crate::signal::dgt::{BoardClockDriver, GatewayDriver};
use crate::signal::driver::{Driver, FromDevice, Health};
use crate::signal::model::Model;

fn by() -> OrderedBy {
    OrderedBy::Device("console".into())
}

struct Table<C> {
    driver: Box<dyn Driver>,
    clock: C,
    lines: [BadLine; 2],
    desk: ClockDesk,
    model: Model,
    now_ms: u64,
    presses: Vec<PressSeen>,
    obeyed: Vec<u64>,
    seen: Vec<What>,
    bytes_down: Vec<u8>,
    whole: bool,
    plugged: bool,
}

impl<C: Device> Table<C> {
    fn new(driver: Box<dyn Driver>, clock: C, faults: Faults) -> Table<C> {
        let ruleset = Ruleset::builtin("team-relay").unwrap();
        let mut table = Table {
            driver,
            clock,
            lines: [BadLine::new(&faults, 0), BadLine::new(&faults, 1)],
            desk: ClockDesk::new(StopPolicy::new(&StopFor::Ruleset, InBreaks::Ruleset, &ruleset)),
            model: Model::new(true),
            now_ms: 0,
            presses: Vec::new(),
            obeyed: Vec::new(),
            seen: Vec::new(),
            bytes_down: Vec::new(),
            whole: !C::HAS_LINES,
            plugged: true,
        };
        table.driver.opened(0);
        table.show();
        table
    }

    fn show(&mut self) {
        let mut outlook = self.model.outlook();
        outlook.clock = self.desk.outlook();
        self.driver.show(&Arc::new(outlook), self.now_ms);
    }

    fn infraction(&mut self, seq: u64) {
        let event = Event { seq, ..Event::new(EventKind::DoubleMove, Interval::default(), 0, 1.0) };
        self.model.apply(&event, false);
        self.desk.tell(&event, self.now_ms);
        self.show();
    }

    fn step(&mut self) {
        if !self.plugged {
            self.seen.extend(self.clock.poll(self.now_ms));
            self.clock.output().clear();
            self.now_ms += 1;
            return;
        }
        self.driver.poll(self.now_ms);
        let sent = std::mem::take(self.driver.output());
        self.bytes_down.extend_from_slice(&sent);
        let down = self.lines[0].pass(&sent, self.whole);
        self.seen.extend(self.clock.receive(&down, self.now_ms));
        self.seen.extend(self.clock.poll(self.now_ms));
        let up = self.lines[1].pass(&std::mem::take(self.clock.output()), self.whole);
        for told in self.driver.received(&up, self.now_ms) {
            match told {
                FromDevice::Press(press) => {
                    self.presses.extend(self.desk.pressed(press, "clock"));
                }
                FromDevice::Clock { reading, grain_ms } => {
                    self.desk.read(reading, self.now_ms, grain_ms);
                }
                FromDevice::Obeyed(number) => {
                    self.desk.obeyed(number, self.now_ms);
                    self.obeyed.push(number);
                }
                FromDevice::Button(_) => {}
            }
            self.show();
        }
        self.now_ms += 1;
    }

    fn run(&mut self, ms: u64) {
        (0..ms).for_each(|_| self.step());
    }

    fn run_until(&mut self, what: &str, limit_ms: u64, is_so: impl Fn(&Table<C>) -> bool) -> u64 {
        let start = self.now_ms;
        while !is_so(self) {
            assert!(self.now_ms < start + limit_ms, "{what}: not within {limit_ms} ms; {:?}", self.desk.reading());
            self.step();
        }
        self.now_ms - start
    }

    fn does(&mut self, words: &str) {
        self.clock.input(words, self.now_ms).unwrap();
    }

    fn running(&self) -> Option<Color> {
        self.desk.reading().and_then(|(r, _)| r.running)
    }

    fn say(&mut self, short: &str) {
        let text = Text { en: short.into(), zh: short.into() };
        self.desk.say(None, "text", text, short, 200);
        self.show();
    }

    fn press_to_and_fro(&mut self, sides: [&str; 2], times: usize) {
        for n in 0..times {
            self.run(2500);
            self.does(&format!("press {}", sides[n % 2]));
        }
        self.run(2500);
    }
}

fn line(faults: Faults) -> Table<ClockDevice> {
    let introduction = Introduction { session: "S1".into(), table: "1".into(), game: "g".into() };
    let driver = ConsoleDriver::new(115_200, Language::En, introduction, Roles::CLOCK);
    Table::new(Box::new(driver), ClockDevice::new(Allowance::default()), faults)
}

fn board(faults: Faults) -> Table<DgtDevice> {
    Table::new(Box::new(BoardClockDriver::new(Color::Black)), DgtDevice::new(Allowance::default()), faults)
}

fn gateway(faults: Faults) -> Table<GatewayDevice> {
    Table::new(Box::new(GatewayDriver::new(Color::Black)), GatewayDevice::new(Allowance::default()), faults)
}

/// A game of presses, a dispute that stops the clock, and "go on".
fn presses_stop_and_go_on<C: Device>(mut table: Table<C>, sides: [&str; 2], uncertainty_ms: u32, stop_ms: u64) {
    table.run(2500);
    table.does(&format!("run {}", sides[0]));
    table.run_until("it runs", 4000, |t| t.running() == Some(Color::Black));
    let first_ms = table.now_ms + 2500;
    table.press_to_and_fro(sides, 6);
    let seen: Vec<Color> = table.presses.iter().map(|p| p.side).collect();
    use Color::{Black, White};
    assert_eq!(seen, [Black, White, Black, White, Black, White]);
    for (n, press) in table.presses.iter().enumerate() {
        // each was pressed 2500 ms after the one before
        let truth = first_ms + 2500 * n as u64;
        assert!(press.uncertainty_ms <= uncertainty_ms, "{press:?}");
        let earliest = press.at_ms.saturating_sub(u64::from(press.uncertainty_ms));
        assert!((earliest..=press.at_ms + 1).contains(&truth), "pressed at {truth}: {press:?}");
    }
    table.infraction(9);
    let ms = table.run_until("it stands", 8000, |t| t.running().is_none() && t.obeyed.len() == 1);
    assert!(ms <= stop_ms, "{ms} ms");
    assert!(table.desk.outlook().stopped);
    table.run(4000);
    assert_eq!(table.obeyed.len(), 1);
    let side = table.desk.side_to_resume();
    assert_eq!(side, Some(Black));
    table.desk.order(side, None, by());
    table.show();
    table.run_until("it goes on", 8000, |t| t.running() == Some(Black));
    assert!(!table.desk.outlook().stopped);
    // stopped by hand later: that is not ours
    table.does("stand");
    table.run_until("it stands again", 8000, |t| t.running().is_none());
    assert!(!table.desk.outlook().stopped);
}

#[test]
fn the_clock_of_the_line_protocol() {
    presses_stop_and_go_on(line(Faults::default()), ["b", "w"], 10, 100);
}

#[test]
fn the_board_clock() {
    presses_stop_and_go_on(board(Faults::default()), ["left", "right"], 1000, 1500);
}

#[test]
fn the_gateway() {
    presses_stop_and_go_on(gateway(Faults::default()), ["left", "right"], 100, 1000);
}

#[test]
fn an_inverted_lever_is_found_out_with_the_first_press() {
    let mut table = gateway(Faults::default());
    table.does("invert");
    presses_stop_and_go_on(table, ["left", "right"], 100, 1000);
}

#[test]
fn a_bad_line_loses_no_press_and_no_order_of_the_line_protocol() {
    let mut table = line(Faults { noise: 0.01, drop: 0.02, seed: 11, ..Faults::default() });
    table.run(5000);
    table.does("run b");
    for n in 0..300 {
        table.run(400);
        table.does(if n % 2 == 0 { "press b" } else { "press w" });
    }
    table.run(10_000);
    assert_eq!(table.presses.len(), 300, "each press once");
    for order in 1..100u64 {
        let run = (order % 2 == 0).then_some(Color::Black);
        let number = table.desk.order(run, None, by());
        table.show();
        table.run_until("obeyed", 30_000, |t| t.obeyed.last() == Some(&number));
    }
    assert!(table.obeyed.windows(2).all(|w| w[0] < w[1]), "each order once");
}

/// Stops and goes on over a line that has no checksum: nobody is told of a press that was none, and the clock is left with
/// its own times.
fn noise_on_a_board(noise: f64, seed: u64) {
    let mut table = board(Faults { noise, seed, ..Faults::default() });
    table.run(3000);
    table.does("run left");
    table.run(300_000);
    assert!(table.presses.is_empty(), "{:?}", table.presses);
    let mut mended = 0;
    for seq in 1..20 {
        table.infraction(seq);
        table.run_until("it stands", 30_000, |t| t.running().is_none());
        // a message that noise made another one of is noticed by what the clock shows, and mended
        table.run(3000);
        let is_right = |t: &Table<DgtDevice>| {
            let shown = t.clock.works().reading().times;
            shown.white.ms == 600_000 && (100_000..=330_000).contains(&shown.black.ms)
        };
        mended += table.run_until("it has its own times", 10_000, is_right);
        let side = table.desk.side_to_resume();
        table.desk.order(side, None, by());
        table.show();
        table.run_until("it goes on", 30_000, |t| t.running().is_some());
        table.model = Model::new(true);
    }
    println!("noise {noise}, seed {seed}: wrong times stood {mended} ms longer than 3 s in all");
}

#[test]
fn noise_on_a_board_without_checksums_makes_no_press_and_no_wrong_times() {
    noise_on_a_board(0.003, 7);
}

#[test]
fn a_refused_order_is_said_and_goes_on_when_the_mode_is_right() {
    let mut table = board(Faults::default());
    table.run(2500);
    table.does("run right");
    table.does("mode other");
    table.run_until("it runs", 4000, |t| t.running() == Some(Color::White));
    table.infraction(1);
    table.run(4000);
    assert!(table.obeyed.is_empty());
    let Health::Silent(text) = table.driver.health(table.now_ms) else { panic!("nothing is said") };
    assert!(text.en.contains("refuses") && text.zh.contains("拒绝"), "{text:?}");
    table.does("mode pc");
    table.run_until("it stands", 7000, |t| t.running().is_none());
    table.run(500);
    assert_eq!(table.driver.health(table.now_ms), Health::Well);
}

#[test]
fn what_is_wrong_with_a_board_is_said() {
    let mut table = board(Faults::default());
    table.does("clock gone");
    table.run(4000);
    let Health::Silent(text) = table.driver.health(table.now_ms) else { panic!("nothing is said") };
    assert!(text.en.contains("no clock is connected"), "{text:?}");
    table.does("clock there");
    table.run(2000);
    assert_eq!(table.driver.health(table.now_ms), Health::Well);
    assert_eq!(table.driver.peer().as_deref(), Some("DGT-compatible, board 1.8, clock 2.2"));
    table.plugged = false;
    table.run(4000);
    let Health::Silent(text) = table.driver.health(table.now_ms) else { panic!("nothing is said") };
    assert!(text.en.contains("no DGT-compatible board answers"), "{text:?}");
}

#[test]
fn an_order_waits_for_no_text_and_texts_are_shown_and_taken_away() {
    let mut table = board(Faults::default());
    table.run(2500);
    table.does("run left");
    table.run(2000);
    table.say("10 SEC");
    table.run(2);
    table.infraction(1);
    let before = table.bytes_down.len();
    table.run(100);
    let sent = &table.bytes_down[before..];
    assert!(sent.windows(4).any(|w| w == [0x2b, 0x0a, 0x03, 0x0a]), "the stop is on the wire: {sent:x?}");
    table.run(15_000);
    let words: Vec<String> = table.seen.iter().map(What::to_string).collect();
    assert!(words.iter().any(|w| w.contains("shows \"10 SEC\"")), "{words:?}");
    assert!(words.last().is_some_and(|w| w.contains("times again")), "{words:?}");
    assert!(table.running().is_none());
}

#[test]
fn byoyomi_goes_back_to_what_it_showed_after_the_opponents_move() {
    let mut table = line(Faults::default());
    table.clock = ClockDevice::new("5+3x30".parse().unwrap());
    table.run(2500);
    table.does("run b");
    table.run(15_500);
    assert_eq!(table.desk.outlook().in_byoyomi, Some(Color::Black));
    table.does("press b");
    table.run(3000);
    table.does("press w");
    table.run(12_000);
    table.infraction(1);
    table.run(200);
    let shown = table.clock.works().reading();
    assert_eq!((shown.running, shown.times.black.to_string()), (None, "period:30000:3".into()));
}

/// Unplugged and plugged in at any moment: a stop is neither lost nor done twice.
#[test]
fn pulled_plugs_neither_lose_nor_double_a_stop() {
    fn check<C: Device>(mut table: Table<C>, side: &str) {
        table.run(2500);
        table.does(&format!("run {side}"));
        table.run(2500);
        for round in 0..100u64 {
            table.infraction(round + 1);
            // the plug goes sooner or later after the stop was decided
            table.run(round * 37 % 900);
            table.plugged = false;
            table.run(300 + round * 13 % 700);
            table.plugged = true;
            table.driver.opened(table.now_ms);
            table.run_until("it stands", 15_000, |t| t.running().is_none() && t.desk.outlook().stopped);
            let obeyed = table.obeyed.len();
            // the referee goes on by hand; no stop of before may stop it again
            table.does(&format!("run {side}"));
            table.run_until("it runs", 5000, |t| t.running().is_some());
            table.plugged = false;
            table.run(200);
            table.plugged = true;
            table.driver.opened(table.now_ms);
            table.run(4500);
            assert!(table.running().is_some(), "round {round}: stopped twice");
            assert_eq!(table.obeyed.len(), obeyed);
            table.model = Model::new(true);
        }
    }
    check(line(Faults::default()), "b");
    check(board(Faults::default()), "left");
    check(gateway(Faults::default()), "left");
}

#[test]
fn wrong_answers_are_made_up_for() {
    let mut table = line(Faults::default());
    table.run(2500);
    table.does("run b");
    table.run(1000);
    table.clock.be_busy();
    table.infraction(1);
    table.run_until("it stands", 2000, |t| t.running().is_none());
    let mut table = gateway(Faults::default());
    table.run(2500);
    table.does("run left");
    table.run(2000);
    table.clock.be_busy();
    table.infraction(1);
    table.run_until("it stands", 4000, |t| t.running().is_none());
}
