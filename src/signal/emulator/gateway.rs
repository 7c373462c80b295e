//! A DGT3000 behind a gateway that speaks JSON lines, emulated. Black sits at the left.

use super::What;
use super::runner::Device;
use super::timepiece::{Allowance, Timepiece};
use crate::rules::Color;
use crate::signal::clock::{Phase, SideTime, Times};
use crate::signal::dgt::clock::Hms;
use crate::signal::dgt::gateway::{
    GatewayButton, GatewayCommand, GatewayEvent, GatewayFault, GatewayLink, GatewayTimes, LineDecoder, Outcome, Run,
};

/// The gateway and its clock as a state machine.
#[derive(Debug)]
pub struct GatewayDevice {
    decoder: LineDecoder,
    works: Timepiece,
    told: Option<GatewayTimes>,
    fail_next: bool,
    inverted: bool,
    out: Vec<u8>,
    greeted: bool,
}

impl GatewayDevice {
    /// A clock that stands.
    pub fn new(allowance: Allowance) -> GatewayDevice {
        GatewayDevice {
            decoder: LineDecoder::default(),
            works: Timepiece::new(allowance),
            told: None,
            fail_next: false,
            inverted: false,
            out: Vec::new(),
            greeted: false,
        }
    }

    /// What the clock does.
    pub fn works(&self) -> &Timepiece {
        &self.works
    }

    fn times(&self) -> GatewayTimes {
        let times = self.works.reading().times;
        let hms = |time: SideTime| Hms::from_seconds(time.ms.div_ceil(1000));
        GatewayTimes::new(hms(times.black), hms(times.white))
    }

    fn say(&mut self, event: &GatewayEvent) {
        self.out.extend(event.encode());
    }

    fn obey(&mut self, command: &GatewayCommand, now_ms: u64) -> (Outcome, Option<What>) {
        let runs = |left: Run, right: Run| match (left, right) {
            (Run::Stop, Run::Stop) => None,
            (_, Run::Stop) => Some(Color::Black),
            _ => Some(Color::White),
        };
        let words = |text: &str| Outcome::Words { status: text.into() };
        match command {
            GatewayCommand::SetTime { left, left_run, right, right_run } => {
                let side = |hms: &Hms| SideTime { phase: Phase::Main, ms: hms.seconds() * 1000 };
                let times = Times { black: side(left), white: side(right) };
                self.works.set(runs(*left_run, *right_run), Some(times), now_ms);
                (words("Time set successfully"), Some(What::Clock(self.works.words())))
            }
            GatewayCommand::Stop => {
                self.works.set(None, None, now_ms);
                (words("Clock stopped"), Some(What::Clock(self.works.words())))
            }
            GatewayCommand::Run { left, right } => {
                self.works.set(runs(*left, *right), None, now_ms);
                (words("Clock running"), Some(What::Clock(self.works.words())))
            }
            GatewayCommand::DisplayText { text, .. } => {
                (words("Text displayed"), Some(What::Clock(format!("shows {text:?}"))))
            }
            GatewayCommand::EndDisplay => (words("Display ended"), Some(What::Clock("shows its times again".into()))),
            GatewayCommand::GetTime => (Outcome::Times(self.times()), None),
        }
    }
}

impl Device for GatewayDevice {
    const LOOK_MS: u64 = 5;
    const HAS_LINES: bool = true;

    fn receive(&mut self, bytes: &[u8], now_ms: u64) -> Vec<What> {
        let mut what = Vec::new();
        self.works.advance(now_ms);
        for &byte in bytes {
            let Some(line) = self.decoder.push(byte) else { continue };
            if !std::mem::replace(&mut self.greeted, true) {
                let data = GatewayLink { connected: true, configured: true };
                self.say(&GatewayEvent::Connection { timestamp: now_ms as u32, data });
            }
            let fault = |code: u16, message: &str| GatewayFault { error_code: code, error_message: message.into() };
            let failing = std::mem::take(&mut self.fail_next);
            match GatewayCommand::decode(&line) {
                Ok((id, _)) if failing => self.say(&GatewayEvent::Response {
                    id,
                    status: "error".into(),
                    result: None,
                    data: Some(fault(1000, "I2C Communication Error")),
                }),
                Ok((id, command)) => {
                    let (result, news) = self.obey(&command, now_ms);
                    what.extend(news);
                    let status = "success".into();
                    self.say(&GatewayEvent::Response { id, status, result: Some(result), data: None });
                }
                Err((code, message)) => {
                    what.push(What::Garbage);
                    self.say(&GatewayEvent::Error { timestamp: now_ms as u32, data: fault(code, message) });
                }
            }
        }
        what
    }

    fn poll(&mut self, now_ms: u64) -> Vec<What> {
        self.works.advance(now_ms);
        let times = self.times();
        if self.greeted && self.told.replace(times) != Some(times) {
            self.say(&GatewayEvent::Time { timestamp: now_ms as u32, data: times });
        }
        Vec::new()
    }

    fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn input(&mut self, words: &str, now_ms: u64) -> Result<Option<What>, String> {
        self.works.advance(now_ms);
        match words.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["press", side @ ("left" | "right")] => {
                // the clock does not change sides by itself: its master does
                let button = if (*side == "left") != self.inverted { "lever_left" } else { "lever_right" };
                let data = GatewayButton { button: button.into(), button_code: 64, is_repeat: false };
                self.say(&GatewayEvent::Button { timestamp: now_ms as u32, data });
            }
            ["run", side @ ("left" | "right")] => {
                let side = if *side == "left" { Color::Black } else { Color::White };
                self.works.set(Some(side), None, now_ms);
            }
            ["stand"] => self.works.set(None, None, now_ms),
            ["invert"] => self.inverted = !self.inverted,
            ["clock", how @ ("there" | "gone")] => {
                let is_there = *how == "there";
                let data = GatewayLink { connected: is_there, configured: is_there };
                self.say(&GatewayEvent::Connection { timestamp: now_ms as u32, data });
            }
            _ => {
                return Err(
                    "press left, press right, run left, run right, stand, invert, clock there, clock gone".into()
                );
            }
        }
        Ok(Some(What::Clock(self.works.words())))
    }

    fn be_busy(&mut self) {
        self.fail_next = true;
    }

    fn power_cycle(&mut self, _now_ms: u64) {
        self.told = None;
        self.greeted = false;
    }
}
