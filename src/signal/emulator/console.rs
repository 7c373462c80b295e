//! The referee's console, emulated: the reference for its side of the protocol.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crossbeam_channel::Receiver;

use super::line::{FromGoband, Identity, LineEnd};
use super::runner::{Command, Device, Running};
use super::{EmulatorOptions, Heard, What};
use crate::signal::message::{AlarmMessage, Button, Message};
use crate::signal::model::{Closing, State};

/// An alarm on the console's display.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownAlarm {
    pub alarm: AlarmMessage,
    pub seen: bool,
    pub closed: Option<Closing>,
}

const IDENTITY: Identity = Identity { name: "emulated console", roles: "", letter: 'E' };

/// The console as a state machine.
#[derive(Debug)]
pub struct ConsoleDevice {
    line: LineEnd,
    /// Table and game that the alarms belong to.
    game: Option<[String; 2]>,
    alarms: BTreeMap<u64, ShownAlarm>,
}

impl ConsoleDevice {
    /// A console that was switched on just now.
    pub fn new(baud: u32) -> ConsoleDevice {
        ConsoleDevice { line: LineEnd::new(IDENTITY, baud), game: None, alarms: BTreeMap::new() }
    }

    /// The alarms on the display, by number.
    pub fn alarms(&self) -> &BTreeMap<u64, ShownAlarm> {
        &self.alarms
    }

    /// The state on the display; none while goband is not heard.
    pub fn state(&self) -> Option<State> {
        self.line.state()
    }

    /// Takes a message; true if it shows something new. `is_news`: to the line it is.
    fn take(&mut self, message: &Message, is_news: bool) -> bool {
        match message {
            Message::Hello { table, game, .. } => {
                let of = [table.clone(), game.clone()];
                if self.game.as_ref() != Some(&of) {
                    self.alarms.clear();
                    self.game = Some(of);
                }
                is_news
            }
            Message::Alarm(alarm) => {
                let shown = ShownAlarm { alarm: alarm.clone(), seen: false, closed: None };
                match self.alarms.get_mut(&alarm.alarm) {
                    Some(known) => {
                        known.alarm = alarm.clone();
                        false
                    }
                    None => self.alarms.insert(alarm.alarm, shown).is_none(),
                }
            }
            Message::Seen { alarm } => {
                self.alarms.get_mut(alarm).is_some_and(|a| !std::mem::replace(&mut a.seen, true))
            }
            Message::Clear { alarm, how } => {
                self.alarms.get_mut(alarm).is_some_and(|a| a.closed.replace(*how) != Some(*how))
            }
            _ => is_news,
        }
    }
}

impl Device for ConsoleDevice {
    const HAS_LINES: bool = true;

    fn receive(&mut self, bytes: &[u8], now_ms: u64) -> Vec<What> {
        let came = self.line.receive(bytes, now_ms);
        came.into_iter()
            .map(|came| match came {
                FromGoband::Garbage => What::Garbage,
                FromGoband::Again(message) => What::Message { message, repeated: true },
                FromGoband::Fresh { message, is_news } => {
                    let repeated = !self.take(&message, is_news);
                    What::Message { message, repeated }
                }
            })
            .collect()
    }

    fn poll(&mut self, now_ms: u64) -> Vec<What> {
        self.line.poll(None, now_ms).into_iter().collect()
    }

    fn output(&mut self) -> &mut Vec<u8> {
        self.line.output()
    }

    fn be_busy(&mut self) {
        self.line.be_busy();
    }

    fn press(&mut self, button: Button, alarm: u64, _now_ms: u64) {
        self.line.tell(Message::Button { button, alarm });
    }

    fn power_cycle(&mut self, now_ms: u64) {
        self.line.power_cycle(now_ms);
        self.game = None;
        self.alarms.clear();
    }
}

/// An emulated console on a pseudo-terminal.
#[derive(Debug)]
pub struct Console(Running);

impl Console {
    /// Starts it.
    ///
    /// # Errors
    /// No pseudo-terminal; something is in the link's place.
    pub fn spawn(options: EmulatorOptions) -> io::Result<Console> {
        Running::spawn(ConsoleDevice::new(115_200), options).map(Console)
    }

    /// The path of its port, for goband to open.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// What it took in.
    pub fn heard(&self) -> &Receiver<Heard> {
        self.0.heard()
    }

    /// Presses a button; `alarm` none: the newest.
    pub fn press(&self, button: Button, alarm: Option<u64>) {
        self.0.command(Command::Press(button, alarm.unwrap_or(0)));
    }

    /// Pulls the plug; the console itself stays switched on.
    pub fn unplug(&self) {
        self.0.command(Command::Unplug);
    }

    /// Plugs it in again: another pseudo-terminal under the same link.
    pub fn plug(&self) {
        self.0.command(Command::Plug);
    }

    /// Answers nothing from now on, or answers again.
    pub fn set_silent(&self, silent: bool) {
        self.0.command(Command::Silent(silent));
    }

    /// Switches it off and on: it forgets everything.
    pub fn power_cycle(&self) {
        self.0.command(Command::PowerCycle);
    }
}
#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::game::{Event, EventKind, Interval};
    use crate::signal::config::Language;
    use crate::signal::console::{ConsoleDriver, Introduction, Roles, SILENCE_MS};
    use crate::signal::driver::{Driver, FromDevice, Pressed};
    use crate::signal::emulator::Faults;
    use crate::signal::emulator::faults::BadLine;
    use crate::signal::model::Model;

    /// goband's driver and a console, joined by a bad line, in simulated time.
    struct Table {
        driver: ConsoleDriver,
        console: ConsoleDevice,
        lines: [BadLine; 2],
        model: Model,
        now_ms: u64,
        alarms_heard: Vec<u64>,
        moves_heard: Vec<u32>,
        pressed: Vec<Pressed>,
    }

    impl Table {
        fn new(faults: Faults) -> Table {
            let introduction = Introduction { session: "S1".into(), table: "1".into(), game: "g".into() };
            let mut table = Table {
                driver: ConsoleDriver::new(115_200, Language::En, introduction, Roles::CONSOLE),
                console: ConsoleDevice::new(115_200),
                lines: [BadLine::new(&faults, 0), BadLine::new(&faults, 1)],
                model: Model::new(true),
                now_ms: 0,
                alarms_heard: Vec::new(),
                moves_heard: Vec::new(),
                pressed: Vec::new(),
            };
            table.driver.opened(0);
            table.show();
            table
        }

        fn show(&mut self) {
            self.driver.show(&Arc::new(self.model.outlook()), self.now_ms);
        }

        fn tell(&mut self, seq: u64, kind: EventKind, of: Option<u64>) {
            let mut event = Event::new(kind, Interval::default(), 0, 1.0);
            (event.seq, event.of) = (seq, of);
            if kind == EventKind::Move {
                event.move_number = Some(seq as u32);
                event.color = Some(crate::rules::Color::Black);
            }
            self.model.apply(&event, false);
            self.show();
        }

        fn step(&mut self) {
            self.driver.poll(self.now_ms);
            let down = self.lines[0].pass(&std::mem::take(self.driver.output()), false);
            for what in self.console.receive(&down, self.now_ms) {
                match what {
                    What::Message { message: Message::Alarm(a), repeated: false } => self.alarms_heard.push(a.alarm),
                    What::Message { message: Message::Move { number, .. }, repeated: false } => {
                        self.moves_heard.push(number)
                    }
                    _ => {}
                }
            }
            self.console.poll(self.now_ms);
            let up = self.lines[1].pass(&std::mem::take(self.console.output()), false);
            let told = self.driver.received(&up, self.now_ms);
            self.pressed.extend(told.into_iter().filter_map(|t| match t {
                FromDevice::Button(pressed) => Some(pressed),
                _ => None,
            }));
            self.now_ms += 1;
        }

        fn run_until(&mut self, what: &str, is_so: impl Fn(&Table) -> bool) {
            let limit = self.now_ms + 120_000;
            while !is_so(self) {
                assert!(self.now_ms < limit, "{what}: not within two minutes");
                self.step();
            }
        }
    }

    #[test]
    fn a_noisy_line_loses_and_doubles_nothing() {
        let mut table = Table::new(Faults { noise: 0.01, drop: 0.02, seed: 5, ..Faults::default() });
        // 100,000 messages by hand: GOBAND_ALARMS=25000, in a release build
        let count = std::env::var("GOBAND_ALARMS").ok().and_then(|n| n.parse().ok()).unwrap_or(1000);
        for n in 1..=count {
            table.tell(2 * n, EventKind::DoubleMove, None);
            table.run_until("alarm", |t| t.alarms_heard.last() == Some(&(2 * n)));
            table.console.press(Button::Acknowledge, 2 * n, table.now_ms);
            table.run_until("button", |t| t.pressed.len() as u64 == n);
            table.model.acknowledge(Some(2 * n));
            table.tell(2 * n + 1, EventKind::Repaired, Some(2 * n));
            table.run_until("idle", |t| t.console.state() == Some(State::Idle));
        }
        assert_eq!(table.alarms_heard, (1..=count).map(|n| 2 * n).collect::<Vec<_>>());
        assert!(table.pressed.iter().zip(1..).all(|(p, n)| p.alarm == Some(2 * n) && p.button == Button::Acknowledge));
        let c = table.driver.counters();
        assert!(c.repeats > 100 && c.rejected > 100, "the line was bad: {c:?}");
    }

    #[test]
    fn an_alarm_does_not_wait_for_a_move() {
        let mut table = Table::new(Faults::default());
        table.run_until("link", |t| t.console.state() == Some(State::Idle));
        // its acknowledgement never comes
        table.tell(1, EventKind::Move, None);
        table.driver.poll(table.now_ms);
        table.driver.output().clear();
        let told_ms = table.now_ms;
        table.tell(2, EventKind::DoubleMove, None);
        table.run_until("alarm", |t| t.alarms_heard == [2]);
        assert!(table.now_ms <= told_ms + 2, "{} ms", table.now_ms - told_ms);
        table.run_until("move", |t| t.moves_heard == [1]);
    }

    #[test]
    fn a_console_that_was_away_gets_the_newest_move_and_every_open_alarm() {
        let mut table = Table::new(Faults::default());
        table.tell(1, EventKind::Takeback, None);
        table.tell(2, EventKind::Decision, Some(1));
        table.tell(3, EventKind::DoubleMove, None);
        table.tell(4, EventKind::Repaired, Some(3));
        for n in 5..50 {
            table.tell(n, EventKind::Move, None);
        }
        table.run_until("move", |t| t.moves_heard.last() == Some(&49));
        assert_eq!(table.alarms_heard, [3], "what is decided is over, what is unseen is not");
        assert_eq!(table.moves_heard, [49]);
        assert_eq!(table.console.alarms()[&3].closed, Some(Closing::Repaired));
        assert_eq!(table.console.state(), Some(State::Attention));
    }

    #[test]
    fn nothing_comes_twice_after_a_lost_link_but_all_after_a_restart() {
        let mut table = Table::new(Faults::default());
        table.tell(1, EventKind::DoubleMove, None);
        table.run_until("alarm", |t| t.alarms_heard == [1]);
        for _ in 0..20 {
            table.step();
        }
        let sent = |t: &Table| t.console.line.counters().lines_received;
        table.driver.opened(table.now_ms);
        let before = sent(&table);
        for _ in 0..500 {
            table.step();
        }
        assert!(sent(&table) - before <= 4, "two introductions and a beat, not the alarm again");
        table.console.power_cycle(table.now_ms);
        table.run_until("alarm again", |t| t.alarms_heard == [1, 1]);
        table.run_until("state", |t| t.console.state() == Some(State::Infraction));
    }

    #[test]
    fn a_dead_goband_is_noticed_within_the_heartbeat_time() {
        let mut table = Table::new(Faults::default());
        table.run_until("link", |t| t.console.state().is_some());
        let died_ms = table.now_ms;
        let mut noticed_ms = None;
        while noticed_ms.is_none() && table.now_ms < died_ms + 5000 {
            noticed_ms = table.console.poll(table.now_ms).contains(&What::NoGoband).then_some(table.now_ms);
            table.now_ms += 1;
        }
        assert!(noticed_ms.is_some_and(|ms| ms <= died_ms + SILENCE_MS), "{noticed_ms:?}");
        assert_eq!(table.console.state(), None);
    }

    #[test]
    fn a_flood_of_garbage_is_survived_and_not_answered_in_kind() {
        let mut table = Table::new(Faults::default());
        let mut chance = crate::signal::emulator::faults::Chance::new(9);
        let mut answered = 0;
        for n in 0..200_000u64 {
            let bytes: Vec<u8> = (0..16).map(|_| chance.byte()).collect();
            let _ = table.driver.received(&bytes, n / 100);
            let _ = table.driver.received(b"$1,ALARM*0000\r\n", n / 100);
            answered += table.driver.output().len();
            table.driver.output().clear();
        }
        assert!(answered < 2000, "{answered} bytes of complaints in two seconds");
        table.now_ms = 2000;
        table.tell(1, EventKind::DoubleMove, None);
        table.run_until("alarm", |t| t.alarms_heard == [1]);
    }
}
