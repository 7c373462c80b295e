//! The driver of a clock behind a DGT-compatible board: reads its times and its lever, brings it to the newest order. Pure.
//!
//! One clock message is under way at a time and is acknowledged by the clock; what the clock shows is believed before an
//! acknowledgement. Values may rise at any time (byo-yomi, Fischer).

use std::sync::Arc;

use super::board::{BoardCommand, BoardDecoder, BoardFrame, id};
use super::clock::{BwTime, ClockButton, ClockCommand, ClockMessage, Hms, LeverSide, mode};
use crate::game::Text;
use crate::rules::Color;
use crate::signal::clock::{Announcement, ClockOrder, ClockReading, PressSeen, SideTime, Times};
use crate::signal::driver::{Driver, FromDevice, Health, Pressed};
use crate::signal::exchange::Counters;
use crate::signal::message::Button;
use crate::signal::model::Outlook;

/// The board asks its clock two or three times a second, and tells a change within a second.
const UNCERTAINTY_MS: u32 = 1000;
/// Without a valid frame for so long the board is held for silent.
const SILENCE_MS: u64 = 3000;
/// The board has room for ten bytes: it gets so long after a command, and after a clock message.
const GAP_MS: u64 = 20;
const CLOCK_GAP_MS: u64 = 60;
/// A clock message is acknowledged within one or two seconds.
const ACK_MS: u64 = 2000;
/// What was refused is tried again after so long, and later only so often.
const REFUSED_MS: u64 = 500;
const REFUSED_OFTEN_MS: u64 = 5000;
const WATCHDOG_MS: u64 = 1000;
/// A time that is needed is asked for so often.
const ASK_AGAIN_MS: u64 = 100;
/// So long after an order the clock's times are compared with it.
const CHECK_MS: u64 = 10_000;
/// How long a text is shown.
const SHOWN_MS: u64 = 3000;

/// What a clock message under way is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Version,
    Order(u64),
    Say(u64),
    EndDisplay,
    /// The clock has taken other times than it was told: the line has no checksum.
    Mend,
}

#[derive(Clone, Debug)]
struct Flight {
    command: ClockCommand,
    purpose: Purpose,
    due_ms: u64,
    tries: u32,
}

/// The driver.
#[derive(Debug)]
pub struct BoardClockDriver {
    /// Who sits at the clock's left side.
    left: Color,
    decoder: BoardDecoder,
    out: Vec<u8>,
    outlook: Option<Arc<Outlook>>,
    /// Board commands that wait for their turn, the next first.
    commands: Vec<BoardCommand>,
    free_at_ms: u64,
    ask_again_ms: u64,
    flight: Option<Flight>,
    version_due_ms: Option<u64>,
    clock_version: Option<(u8, u8)>,
    board: Option<String>,
    opened_ms: u64,
    heard_ms: Option<u64>,
    watchdog_due_ms: u64,
    /// The newest time, and whether the one before it agrees.
    last: Option<BwTime>,
    last_is_sure: bool,
    no_clock: bool,
    battery_low: bool,
    /// A turn of the lever that the next message has to confirm.
    turning: Option<(LeverSide, u64)>,
    turn: Option<LeverSide>,
    /// What the clock was last set to, and when, until it is seen to show that.
    intended: Option<(Hms, Hms, u8, u64)>,
    obeyed: u64,
    said: u64,
    refused: Option<u64>,
    unanswered: u32,
    end_display_due_ms: Option<u64>,
    counters: Counters,
}

impl BoardClockDriver {
    /// A driver for a clock whose left side is `left`'s.
    pub fn new(left: Color) -> BoardClockDriver {
        BoardClockDriver {
            left,
            decoder: BoardDecoder::default(),
            out: Vec::new(),
            outlook: None,
            commands: Vec::new(),
            free_at_ms: 0,
            ask_again_ms: 0,
            flight: None,
            version_due_ms: None,
            clock_version: None,
            board: None,
            opened_ms: 0,
            heard_ms: None,
            watchdog_due_ms: 0,
            last: None,
            last_is_sure: false,
            no_clock: false,
            battery_low: false,
            turning: None,
            turn: None,
            intended: None,
            obeyed: 0,
            said: 0,
            refused: None,
            unanswered: 0,
            end_display_due_ms: None,
            counters: Counters::default(),
        }
    }

    fn color(&self, side: LeverSide) -> Color {
        match side {
            LeverSide::Left => self.left,
            LeverSide::Right => self.left.opponent(),
        }
    }

    fn reading(&self, time: &BwTime) -> ClockReading {
        let side = |color: Color| {
            let side = if color == self.left { time.left } else { time.right };
            SideTime::untold(side.time.seconds() * 1000)
        };
        let turn = time.turn().map(|t| self.color(t));
        let times = Times { black: side(Color::Black), white: side(Color::White) };
        ClockReading { times, running: turn.filter(|_| time.running), turn }
    }

    fn take(&mut self, frame: &BoardFrame, now_ms: u64) -> Vec<FromDevice> {
        self.counters.lines_received += 1;
        self.heard_ms = Some(now_ms);
        match frame.id {
            id::VERSION => self.board = frame.version().map(|(main, sub)| format!("board {main}.{sub}")),
            id::TIME => match ClockMessage::of(frame) {
                Some(ClockMessage::Time(time)) => return self.time(time, now_ms),
                Some(ClockMessage::Ack(ack)) => return self.ack(ack, now_ms),
                None => self.counters.rejected += 1,
            },
            _ => {}
        }
        Vec::new()
    }

    fn time(&mut self, time: BwTime, now_ms: u64) -> Vec<FromDevice> {
        // comes after a command, and means nothing
        if time.is_null() {
            return Vec::new();
        }
        if self.no_clock && !time.no_clock {
            self.version_due_ms = Some(now_ms);
        }
        self.no_clock = time.no_clock;
        self.battery_low = time.battery_low;
        if time.no_clock {
            return Vec::new();
        }
        let Some(turn) = time.turn() else {
            self.counters.rejected += 1;
            return Vec::new();
        };
        let mut told = Vec::new();
        match (self.turn, self.turning) {
            // the first, or as before
            (None, _) => self.turn = Some(turn),
            (Some(known), _) if known == turn => self.turning = None,
            (Some(known), Some((side, since_ms))) if side == turn => {
                self.turn = Some(turn);
                self.turning = None;
                // a lever that is moved while the clock stands is no press
                if time.running {
                    let press = PressSeen { side: self.color(known), at_ms: since_ms, uncertainty_ms: UNCERTAINTY_MS };
                    told.push(FromDevice::Press(press));
                }
            }
            // there is no checksum: ask again before anybody is told of a press
            (Some(_), _) => {
                self.turning = Some((turn, now_ms));
                self.ask(BoardCommand::SendClock);
                return Vec::new();
            }
        }
        let near = |a: Hms, b: Hms| a.seconds().abs_diff(b.seconds()) <= 2;
        self.last_is_sure =
            self.last.is_some_and(|l| near(l.left.time, time.left.time) && near(l.right.time, time.right.time));
        self.last = Some(time);
        told.push(FromDevice::Clock { reading: self.reading(&time), grain_ms: u64::from(UNCERTAINTY_MS) });
        told.extend(self.see_obeyed());
        self.verify(now_ms);
        told
    }

    /// Compares what the clock shows with what it was set to; sets it again where they differ.
    fn verify(&mut self, now_ms: u64) {
        let (Some((left, right, m, set_ms)), Some(time), true) = (self.intended, self.last, self.last_is_sure) else {
            return;
        };
        let runs = match m & (mode::LEFT_RUNS | mode::RIGHT_RUNS) {
            mode::LEFT_RUNS => Some(LeverSide::Left),
            mode::RIGHT_RUNS => Some(LeverSide::Right),
            _ => None,
        };
        if time.turn().filter(|_| time.running) != runs {
            // somebody has pressed, started or stopped it since: its times are its own again
            self.intended = None;
            return;
        }
        let passed = (now_ms - set_ms) / 1000 + 2;
        let shows = |wanted: Hms, shown: Hms, runs: bool| {
            let (wanted, shown) = (wanted.seconds(), shown.seconds());
            // a clock that has run since; or has begun a new period
            shown == wanted || time.running && runs && (shown + passed >= wanted && shown <= wanted || passed > wanted)
        };
        let is_right = shows(left, time.left.time, runs == Some(LeverSide::Left))
            && shows(right, time.right.time, runs == Some(LeverSide::Right));
        if is_right {
            self.intended = None;
        } else if self.flight.is_none() {
            self.counters.rejected += 1;
            let command = ClockCommand::SetAndRun { left, right, mode: m };
            self.flight = Some(Flight { command, purpose: Purpose::Mend, due_ms: now_ms, tries: 0 });
        }
    }

    /// What the clock shows says whether it does what it was told, acknowledged or not.
    fn see_obeyed(&mut self) -> Option<FromDevice> {
        let order = self.order()?;
        let reading = self.reading(&self.last?);
        let near =
            |wanted: SideTime, shown: SideTime| wanted.ms / 1000 <= shown.ms / 1000 + 2 && shown.ms <= wanted.ms + 999;
        let shows =
            order.times.is_none_or(|t| near(t.black, reading.times.black) && near(t.white, reading.times.white));
        (reading.running == order.run && shows).then(|| self.done(order.number))
    }

    fn done(&mut self, number: u64) -> FromDevice {
        self.obeyed = self.obeyed.max(number);
        self.refused = None;
        self.unanswered = 0;
        if let Some(flight) = self.flight.take_if(|f| f.purpose == Purpose::Order(number)) {
            self.intend(&flight);
        }
        FromDevice::Obeyed(number)
    }

    /// What an order has set is compared with what the clock shows from then on.
    fn intend(&mut self, flight: &Flight) {
        if let ClockCommand::SetAndRun { left, right, mode } = flight.command {
            self.intended = Some((left, right, mode, flight.due_ms.saturating_sub(ACK_MS)));
            self.last_is_sure = false;
        }
    }

    fn ack(&mut self, ack: super::clock::Ack, now_ms: u64) -> Vec<FromDevice> {
        if let Some(button) = ack.button() {
            return match button {
                ClockButton::RunPause | ClockButton::Back | ClockButton::Minus | ClockButton::Plus => Vec::new(),
                // the middle of the clock has no other use in a game
                ClockButton::Ok => vec![FromDevice::Button(Pressed { button: Button::Call, alarm: None })],
            };
        }
        let Some(flight) = self.flight.take_if(|f| ack.command() == Some(f.command.id())) else { return Vec::new() };
        if !ack.is_good() {
            self.counters.rejected += 1;
            let again_ms = if flight.tries == 1 { REFUSED_MS } else { REFUSED_OFTEN_MS };
            if let Purpose::Order(number) = flight.purpose {
                self.refused = (flight.tries > 1).then_some(number);
            }
            if flight.tries == 1 || matches!(flight.purpose, Purpose::Order(_)) {
                self.flight = Some(Flight { due_ms: now_ms + again_ms, ..flight });
            }
            return Vec::new();
        }
        self.unanswered = 0;
        match flight.purpose {
            Purpose::Version => self.clock_version = ack.version(),
            Purpose::Order(number) => {
                self.intend(&flight);
                // some clocks go on showing something else until they are told to end that
                self.end_display_due_ms = Some(now_ms);
                self.ask(BoardCommand::SendClock);
                return vec![self.done(number)];
            }
            Purpose::Say(number) => {
                self.said = self.said.max(number);
                self.end_display_due_ms = Some(now_ms + SHOWN_MS);
            }
            Purpose::Mend => self.last_is_sure = false,
            Purpose::EndDisplay => {}
        }
        Vec::new()
    }

    fn ask(&mut self, command: BoardCommand) {
        if !self.commands.contains(&command) {
            self.commands.push(command);
        }
    }

    fn order(&self) -> Option<ClockOrder> {
        self.outlook.as_ref()?.clock.order.filter(|o| o.number > self.obeyed)
    }

    fn say(&self) -> Option<Announcement> {
        self.outlook.as_ref()?.clock.say.clone().filter(|s| s.number > self.said)
    }

    /// The message for an order: the clock knows "these times, and this side runs" only.
    fn set_and_run(&self, order: &ClockOrder) -> Option<ClockCommand> {
        let times = match order.times {
            Some(times) => times,
            None => self.reading(&self.last.filter(|_| self.last_is_sure)?).times,
        };
        let hms = |color| Hms::from_seconds(times.of(color).ms.div_ceil(1000));
        let mode = match order.run {
            None => mode::PAUSE,
            Some(color) if color == self.left => mode::LEFT_RUNS | mode::LEVER_TOGGLES,
            Some(_) => mode::RIGHT_RUNS | mode::LEVER_TOGGLES,
        };
        Some(ClockCommand::SetAndRun { left: hms(self.left), right: hms(self.left.opponent()), mode })
    }

    fn show_text(&self, say: &Announcement) -> ClockCommand {
        let beep = (say.beep_ms / 64).min(15) as u8;
        // the first generation has seven segments only
        if self.clock_version.is_some_and(|(main, _)| main < 2) {
            ClockCommand::seven_segments(&say.short, beep > 0)
        } else {
            ClockCommand::ascii(&say.short, beep)
        }
    }

    /// The next clock message, if one is due.
    fn next_message(&mut self, now_ms: u64) -> Option<(ClockCommand, Purpose)> {
        if let Some(order) = self.order() {
            let purpose = Purpose::Order(order.number);
            if self.flight.as_ref().is_some_and(|f| f.purpose == purpose) {
                return None;
            }
            let Some(command) = self.set_and_run(&order) else {
                // which times? the board is asked; its answer comes through here again
                if now_ms >= self.ask_again_ms {
                    self.ask_again_ms = now_ms + ASK_AGAIN_MS;
                    self.ask(BoardCommand::SendClock);
                }
                return None;
            };
            return Some((command, purpose));
        }
        if self.flight.is_some() {
            return None;
        }
        if self.intended.is_some_and(|(.., set_ms)| now_ms > set_ms + CHECK_MS) {
            // it runs on, or was set by hand meanwhile
            self.intended = None;
        }
        if self.intended.is_some() && now_ms >= self.ask_again_ms {
            self.ask_again_ms = now_ms + ASK_AGAIN_MS;
            self.ask(BoardCommand::SendClock);
        }
        if self.end_display_due_ms.is_some_and(|due| now_ms >= due) {
            self.end_display_due_ms = None;
            return Some((ClockCommand::EndDisplay, Purpose::EndDisplay));
        }
        if let Some(say) = self.say() {
            return Some((self.show_text(&say), Purpose::Say(say.number)));
        }
        if self.version_due_ms.is_some_and(|due| now_ms >= due) {
            self.version_due_ms = None;
            return Some((ClockCommand::VersionQuery, Purpose::Version));
        }
        None
    }

    fn send(&mut self, bytes: &[u8], gap_ms: u64, now_ms: u64) {
        self.out.extend_from_slice(bytes);
        self.counters.lines_sent += 1;
        // ten bits a byte at 9600 baud
        self.free_at_ms = now_ms + gap_ms + bytes.len() as u64 * 10_000 / 9600;
    }

    fn expire(&mut self, now_ms: u64) {
        let Some(flight) = self.flight.as_mut().filter(|f| now_ms >= f.due_ms) else { return };
        self.counters.repeats += 1;
        self.unanswered += 1;
        let is_order = matches!(flight.purpose, Purpose::Order(_));
        if flight.tries >= 2 && !is_order && flight.purpose != Purpose::Mend {
            // told twice, as far as can be known
            let flight = self.flight.take();
            if let Some(Flight { purpose: Purpose::Say(number), .. }) = flight {
                self.said = self.said.max(number);
            }
            return;
        }
        if now_ms >= self.free_at_ms {
            flight.tries += 1;
            flight.due_ms = now_ms + ACK_MS;
            let mut command = flight.command.clone();
            // the times may be others by now
            if let (Purpose::Order(_), Some(order)) = (flight.purpose, self.order())
                && let Some(fresh) = self.set_and_run(&order)
            {
                command = fresh;
            }
            self.send(&command.encode(), CLOCK_GAP_MS, now_ms);
        }
    }
}

impl Driver for BoardClockDriver {
    fn opened(&mut self, now_ms: u64) {
        self.decoder.reset();
        self.out.clear();
        self.flight = None;
        self.opened_ms = now_ms;
        self.heard_ms = None;
        self.last = None;
        self.last_is_sure = false;
        self.turning = None;
        self.turn = None;
        self.intended = None;
        self.no_clock = false;
        self.refused = None;
        self.unanswered = 0;
        self.free_at_ms = now_ms;
        self.watchdog_due_ms = now_ms + WATCHDOG_MS;
        self.version_due_ms = Some(now_ms + 200);
        self.commands = vec![BoardCommand::UpdateNice, BoardCommand::Version, BoardCommand::SendClock];
    }

    fn show(&mut self, outlook: &Arc<Outlook>, _now_ms: u64) {
        self.outlook = Some(Arc::clone(outlook));
        // an order that was taken back
        if let Some(Flight { purpose: Purpose::Order(number), .. }) = self.flight
            && outlook.clock.order.is_none_or(|o| o.number != number)
        {
            self.flight = None;
        }
    }

    fn received(&mut self, bytes: &[u8], now_ms: u64) -> Vec<FromDevice> {
        let mut told = Vec::new();
        for &byte in bytes {
            if let Some(frame) = self.decoder.push(byte) {
                told.extend(self.take(&frame, now_ms));
            }
        }
        told
    }

    fn poll(&mut self, now_ms: u64) -> Option<u64> {
        self.expire(now_ms);
        if now_ms >= self.watchdog_due_ms {
            self.watchdog_due_ms = now_ms + WATCHDOG_MS;
            self.ask(BoardCommand::SerialNumber);
        }
        if now_ms >= self.free_at_ms {
            match self.next_message(now_ms) {
                Some((command, purpose)) => {
                    self.send(&command.encode(), CLOCK_GAP_MS, now_ms);
                    self.flight = Some(Flight { command, purpose, due_ms: now_ms + ACK_MS, tries: 1 });
                }
                None if !self.commands.is_empty() => {
                    let command = self.commands.remove(0);
                    self.send(&[command.byte()], GAP_MS, now_ms);
                }
                None => {}
            }
        }
        let flight = self.flight.as_ref().map(|f| f.due_ms.max(self.free_at_ms));
        let waiting = (!self.commands.is_empty() || self.say().is_some() && self.flight.is_none())
            .then_some(self.free_at_ms.max(now_ms + 1));
        let check = self.intended.map(|_| self.ask_again_ms.max(now_ms + 1));
        let urgent = self.order().filter(|_| self.flight.is_none()).map(|_| self.free_at_ms.max(now_ms + 10));
        [
            Some(self.watchdog_due_ms),
            flight,
            waiting,
            urgent,
            self.end_display_due_ms.map(|d| d.max(now_ms + 1)),
            self.version_due_ms.map(|d| d.max(now_ms + 1)),
            check,
        ]
        .into_iter()
        .flatten()
        .min()
    }

    fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn health(&self, now_ms: u64) -> Health {
        let silent = |en: &str, zh: &str| Health::Silent(Text { en: en.into(), zh: zh.into() });
        let is_heard = self.heard_ms.is_some_and(|heard| now_ms < heard + SILENCE_MS);
        if !is_heard && now_ms < self.opened_ms + SILENCE_MS {
            return Health::Starting;
        }
        if !is_heard {
            return silent(
                "the port is open, but no DGT-compatible board answers; check its cable and power",
                "串口已打开,但没有 DGT 兼容棋盘应答;请检查线缆和电源",
            );
        }
        if self.no_clock {
            return silent(
                "the board answers, but no clock is connected to it; plug the clock in",
                "棋盘有应答,但未连接棋钟;请接上棋钟",
            );
        }
        if self.refused.is_some() {
            return silent(
                "the clock refuses to be stopped or set; switch it to its PC mode (option 23 of most clocks), and stop it by hand \
                 until then",
                "棋钟拒绝被停止或设置;请将棋钟切换到电脑模式(多数棋钟为选项 23),在此之前请手动停钟",
            );
        }
        if self.unanswered >= 2 && self.order().is_some() {
            return silent(
                "the clock does not answer an order; stop it by hand, and check the cable between board and clock",
                "棋钟对指令没有应答;请手动停钟,并检查棋盘与棋钟之间的连线",
            );
        }
        if self.battery_low {
            return silent("the clock's battery is low; change it", "棋钟电量不足,请更换电池");
        }
        if self.last.is_some() { Health::Well } else { Health::Starting }
    }

    fn farewell(&mut self, _now_ms: u64) {}

    fn has_said_farewell(&self) -> bool {
        true
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn peer(&self) -> Option<String> {
        let clock = self.clock_version.map(|(main, sub)| format!("clock {main}.{sub}"));
        let parts: Vec<String> = [self.board.clone(), clock].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("DGT-compatible, {}", parts.join(", ")))
    }
}
