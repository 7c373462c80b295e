//! A DGT-compatible board with a clock, emulated: delays, null times and refusals as real ones have them.

use std::collections::VecDeque;

use super::What;
use super::runner::Device;
use super::timepiece::{Allowance, Timepiece};
use crate::rules::Color;
use crate::signal::clock::{SideTime, Times};
use crate::signal::dgt::board::{BoardCommand, BoardFrame, id};
use crate::signal::dgt::clock::{
    Ack, BwTime, ClockButton, ClockCommand, ClockMessage, ClockSide, Hms, ToBoard, ToBoardDecoder, mode,
};

/// The clock is asked by its board only a few times a second.
const POLL_MS: u64 = 300;

/// Which messages the board sends unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Updates {
    None,
    /// A time at least every second.
    All,
    /// A time when it has changed.
    Nice,
    /// No times, and no acknowledgements of the clock.
    Board,
}

/// The board and its clock as a state machine. Black sits at the left.
#[derive(Debug)]
pub struct DgtDevice {
    decoder: ToBoardDecoder,
    works: Timepiece,
    updates: Updates,
    /// In the mode in which it obeys.
    is_in_pc_mode: bool,
    has_clock: bool,
    lever_toggles: bool,
    refuse_next: bool,
    /// Acknowledgements on their way.
    acks: VecDeque<(u64, Ack)>,
    told: Option<BoardFrame>,
    told_ms: u64,
    next_poll_ms: u64,
    shown: Option<String>,
    out: Vec<u8>,
}

impl DgtDevice {
    /// A clock that stands.
    pub fn new(allowance: Allowance) -> DgtDevice {
        DgtDevice {
            decoder: ToBoardDecoder::default(),
            works: Timepiece::new(allowance),
            updates: Updates::None,
            is_in_pc_mode: true,
            has_clock: true,
            lever_toggles: true,
            refuse_next: false,
            acks: VecDeque::new(),
            told: None,
            told_ms: 0,
            next_poll_ms: 0,
            shown: None,
            out: Vec::new(),
        }
    }

    /// What the clock does.
    pub fn works(&self) -> &Timepiece {
        &self.works
    }

    fn time(&self) -> BoardFrame {
        let reading = self.works.reading();
        let side = |time: SideTime| ClockSide {
            time: Hms::from_seconds(time.ms.div_ceil(1000)),
            flag_final: time.phase == crate::signal::clock::Phase::Over,
            ..ClockSide::default()
        };
        let right_to_move = reading.turn == Some(Color::White);
        let time = if self.has_clock {
            BwTime {
                left: side(reading.times.black),
                right: side(reading.times.white),
                running: reading.running.is_some(),
                right_high: right_to_move,
                left_to_move: !right_to_move,
                right_to_move,
                ..BwTime::default()
            }
        } else {
            BwTime { no_clock: true, ..BwTime::default() }
        };
        ClockMessage::Time(time).frame()
    }

    fn say(&mut self, id: u8, payload: &[u8]) {
        self.out.extend(BoardFrame { id, payload: payload.to_vec() }.encode());
    }

    fn command(&mut self, command: BoardCommand, now_ms: u64) {
        match command {
            BoardCommand::Reset => self.updates = Updates::None,
            BoardCommand::SendClock => {
                self.works.advance(now_ms);
                // just after a command the acknowledgement comes again
                let frame = match self.acks.back() {
                    Some((due, ack)) if *due <= now_ms => ClockMessage::Ack(*ack).frame(),
                    _ => self.time(),
                };
                self.out.extend(frame.encode());
            }
            BoardCommand::SendBoard => self.say(id::BOARD_DUMP, &[0; 64]),
            BoardCommand::Update => self.updates = Updates::All,
            BoardCommand::UpdateNice => self.updates = Updates::Nice,
            BoardCommand::UpdateBoard => self.updates = Updates::Board,
            BoardCommand::SerialNumber => self.say(id::SERIAL_NUMBER, b"00042"),
            BoardCommand::LongSerialNumber => self.say(id::LONG_SERIAL_NUMBER, b"0000000042"),
            BoardCommand::BusAddress => self.say(id::BUS_ADDRESS, &[0, 42]),
            BoardCommand::Trademark => self.say(id::TRADEMARK, b"goband emulated board"),
            BoardCommand::Version => self.say(id::VERSION, &[1, 8]),
            BoardCommand::Battery => self.say(id::BATTERY, &[100, 0, 0, 0, 0, 0]),
            BoardCommand::StoredMoves | BoardCommand::ToBusMode => {}
        }
    }

    fn clock(&mut self, command: ClockCommand, now_ms: u64) -> Option<What> {
        if !self.has_clock {
            return None;
        }
        let mut ack = Ack::good(command.id());
        let mut what = None;
        let refuse = std::mem::take(&mut self.refuse_next);
        match command {
            _ if refuse => ack = Ack::refused(command.id()),
            ClockCommand::VersionQuery => ack.ack2 = 0x22,
            ClockCommand::SetAndRun { left, right, mode: m } => {
                if self.is_in_pc_mode {
                    let side = |hms: Hms| {
                        let phase = self.works.reading().times.black.phase;
                        SideTime { phase, ms: hms.seconds() * 1000 }
                    };
                    let times = Times { black: side(left), white: side(right) };
                    let run = match m & (mode::LEFT_RUNS | mode::RIGHT_RUNS | mode::PAUSE) {
                        mode::LEFT_RUNS => Some(Color::Black),
                        mode::RIGHT_RUNS => Some(Color::White),
                        _ => None,
                    };
                    // the mode says nothing about byo-yomi: phases stay as they were
                    let before = self.works.reading().times;
                    let keep = |color: Color| SideTime { phase: before.of(color).phase, ms: times.of(color).ms };
                    let times = Times { black: keep(Color::Black), white: keep(Color::White) };
                    self.lever_toggles = m & mode::LEVER_TOGGLES != 0;
                    self.works.set(run, Some(times), now_ms);
                    what = Some(What::Clock(self.works.words()));
                } else {
                    ack = Ack::refused(command.id());
                }
            }
            ClockCommand::Ascii { text, .. } => {
                self.shown = Some(String::from_utf8_lossy(&text).trim_end().to_owned());
                what = self.shown.clone().map(|text| What::Clock(format!("shows {text:?}")));
            }
            ClockCommand::Segments { .. } | ClockCommand::LongAscii { .. } | ClockCommand::Icons { .. } => {
                what = Some(What::Clock("shows signs".into()));
            }
            ClockCommand::EndDisplay => {
                if self.shown.take().is_some() {
                    what = Some(What::Clock("shows its times again".into()));
                }
            }
            ClockCommand::Beep { units } => what = Some(What::Clock(format!("beeps for {} ms", u32::from(units) * 64))),
            ClockCommand::ButtonQuery => {}
        }
        if !matches!(self.updates, Updates::None | Updates::Board) {
            self.acks.push_back((now_ms + POLL_MS, ack));
        }
        what
    }
}

impl Device for DgtDevice {
    const LOOK_MS: u64 = 5;
    const HAS_LINES: bool = false;

    fn receive(&mut self, bytes: &[u8], now_ms: u64) -> Vec<What> {
        let mut what = Vec::new();
        for &byte in bytes {
            match self.decoder.push(byte) {
                Some(ToBoard::Command(command)) => self.command(command, now_ms),
                Some(ToBoard::Clock(command)) => what.extend(self.clock(command, now_ms)),
                None => {}
            }
        }
        what
    }

    fn poll(&mut self, now_ms: u64) -> Vec<What> {
        let was_running = self.works.reading().running;
        self.works.advance(now_ms);
        let mut what = Vec::new();
        if was_running.is_some() && self.works.reading().running.is_none() {
            what.push(What::Clock(self.works.words()));
        }
        if let Some((_, ack)) = self.acks.front().copied().filter(|(due, _)| *due <= now_ms) {
            self.out.extend(ClockMessage::Ack(ack).frame().encode());
            // some boards say that nothing is known, and mean nothing by it
            self.out.extend(ClockMessage::Time(BwTime::default()).frame().encode());
            self.acks.pop_front();
            return what;
        }
        let is_told = match self.updates {
            Updates::None | Updates::Board => true,
            Updates::Nice => self.told.as_ref() == Some(&self.time()),
            Updates::All => self.told.as_ref() == Some(&self.time()) && now_ms < self.told_ms + 1000,
        };
        if !is_told && now_ms >= self.next_poll_ms {
            let time = self.time();
            self.out.extend(time.encode());
            self.told = Some(time);
            self.told_ms = now_ms;
            self.next_poll_ms = now_ms + POLL_MS;
        }
        what
    }

    fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn input(&mut self, words: &str, now_ms: u64) -> Result<Option<What>, String> {
        self.works.advance(now_ms);
        match words.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["press", side @ ("left" | "right")] => {
                let side = if *side == "left" { Color::Black } else { Color::White };
                if !self.lever_toggles || !self.works.press(side, now_ms) {
                    self.works.set_turn(side.opponent());
                }
            }
            ["run", side @ ("left" | "right")] => {
                let side = if *side == "left" { Color::Black } else { Color::White };
                self.works.set(Some(side), None, now_ms);
            }
            ["stand"] => self.works.set(None, None, now_ms),
            ["button", name] => {
                let button = match *name {
                    "back" => ClockButton::Back,
                    "minus" => ClockButton::Minus,
                    "run-pause" => ClockButton::RunPause,
                    "plus" => ClockButton::Plus,
                    "ok" => ClockButton::Ok,
                    _ => return Err("button back, minus, run-pause, plus or ok".into()),
                };
                self.acks.push_back((now_ms, Ack::button_pressed(button)));
            }
            ["mode", how @ ("pc" | "other")] => self.is_in_pc_mode = *how == "pc",
            ["clock", how @ ("there" | "gone")] => self.has_clock = *how == "there",
            ["rate", per_mille] => {
                let per_mille = per_mille.parse().ok().filter(|n| (500..=2000).contains(n));
                self.works.set_rate(per_mille.ok_or("rate 500 to 2000; 1000 is right")?);
            }
            _ => {
                return Err(
                    "press left, press right, run left, run right, stand, button ok, mode pc, mode other, clock \
                            there, clock gone, rate 1050"
                        .into(),
                );
            }
        }
        Ok(Some(What::Clock(self.works.words())))
    }

    fn be_busy(&mut self) {
        self.refuse_next = true;
    }

    fn power_cycle(&mut self, _now_ms: u64) {
        self.updates = Updates::None;
        self.acks.clear();
        self.told = None;
    }
}
