//! A clock that speaks goband's line protocol, emulated.

use super::What;
use super::runner::Device;
use super::timepiece::{Allowance, Timepiece};
use crate::rules::Color;
use crate::signal::console::{BEAT_MS, SILENCE_MS};
use crate::signal::exchange::{Exchange, Incoming};
use crate::signal::message::{Button, Message, PROTOCOL_VERSION};
use crate::signal::model::State;

/// The clock as a state machine.
#[derive(Debug)]
pub struct ClockDevice {
    exchange: Exchange,
    works: Timepiece,
    starts: u32,
    /// Session of the goband that is there, and its newest order that was obeyed.
    goband: Option<String>,
    obeyed: (String, u64),
    state: Option<State>,
    /// Nothing was heard for too long.
    is_alone: bool,
    heard_ms: u64,
    beat_due_ms: u64,
    told: Option<String>,
    /// Presses and buttons that wait to be sent.
    waiting: Vec<Message>,
    now_ms: u64,
}

impl ClockDevice {
    /// A clock that stands.
    pub fn new(allowance: Allowance) -> ClockDevice {
        let mut clock = ClockDevice {
            exchange: Exchange::new(115_200, 0),
            works: Timepiece::new(allowance),
            starts: std::process::id(),
            goband: None,
            obeyed: (String::new(), 0),
            state: None,
            is_alone: false,
            heard_ms: 0,
            beat_due_ms: 0,
            told: None,
            waiting: Vec::new(),
            now_ms: 0,
        };
        clock.hello();
        clock
    }

    /// What the clock does.
    pub fn works(&self) -> &Timepiece {
        &self.works
    }

    /// The state that its lamp shows; none while goband is not heard.
    pub fn state(&self) -> Option<State> {
        self.state
    }

    fn hello(&mut self) {
        self.exchange.send_plain(&Message::Hello {
            version: PROTOCOL_VERSION,
            name: "emulated clock".into(),
            session: format!("C{}", self.starts),
            table: "clock".into(),
            game: String::new(),
        });
    }

    fn tick(&self) -> Option<u32> {
        // a microcontroller's counter
        Some(self.now_ms as u32)
    }

    fn tell_time(&mut self) {
        let reading = self.works.reading();
        let tick = self.tick();
        self.exchange.send_plain(&Message::Time { tick, reading });
        self.told = Some(self.works.words());
    }

    /// Takes a message; true if it shows something new.
    fn take(&mut self, message: &Message) -> bool {
        let mut order = |number: u64, run: Option<Color>, times| {
            let session = self.goband.clone().unwrap_or_default();
            if self.obeyed.0 == session && self.obeyed.1 >= number {
                return false;
            }
            self.obeyed = (session, number);
            self.works.set(run, times, self.now_ms);
            true
        };
        match message {
            Message::Hello { session, .. } => {
                let is_new = self.goband.as_ref() != Some(session);
                self.goband = Some(session.clone());
                self.hello();
                self.tell_time();
                is_new
            }
            Message::Bye => {
                self.goband = None;
                self.state = None;
                true
            }
            Message::ClockStop { order: number, times, .. } => {
                let is_new = order(*number, None, *times);
                self.tell_time();
                is_new
            }
            Message::ClockRun { order: number, side, times } => {
                let is_new = order(*number, Some(*side), *times);
                self.tell_time();
                is_new
            }
            Message::State { state, .. } | Message::Beat { state: Some(state), .. } => {
                self.state.replace(*state) != Some(*state)
            }
            Message::Say { .. } => true,
            _ => {
                if self.goband.is_none() {
                    self.hello();
                }
                false
            }
        }
    }
}

impl Device for ClockDevice {
    const LOOK_MS: u64 = 5;
    const HAS_LINES: bool = true;

    fn receive(&mut self, bytes: &[u8], now_ms: u64) -> Vec<What> {
        self.now_ms = now_ms;
        let (lines, rejected) = (self.exchange.counters.lines_received, self.exchange.counters.rejected);
        let incoming = self.exchange.receive(bytes, now_ms);
        if self.exchange.counters.lines_received != lines {
            self.heard_ms = now_ms;
            self.is_alone = false;
        }
        let mut what = Vec::new();
        if self.exchange.counters.rejected != rejected {
            what.push(What::Garbage);
        }
        for incoming in incoming {
            match incoming {
                Incoming::Message { message, repeated } => {
                    let is_new = !repeated && self.take(&message);
                    what.push(What::Message { message, repeated: !is_new });
                }
                Incoming::Acknowledged | Incoming::Refused => {
                    self.waiting.remove(0);
                }
            }
        }
        what
    }

    fn poll(&mut self, now_ms: u64) -> Vec<What> {
        self.now_ms = now_ms;
        self.works.advance(now_ms);
        if now_ms >= self.beat_due_ms {
            self.beat_due_ms = now_ms + BEAT_MS;
            let tick = self.tick();
            self.exchange.send_plain(&Message::Beat { state: None, tick });
        }
        if self.told.as_ref() != Some(&self.works.words()) {
            self.tell_time();
        }
        if self.exchange.is_free()
            && let Some(message) = self.waiting.first()
        {
            self.exchange.send(message, now_ms);
        }
        self.exchange.poll(now_ms);
        if self.goband.is_some() && !self.is_alone && now_ms >= self.heard_ms + SILENCE_MS {
            self.is_alone = true;
            self.state = None;
            return vec![What::NoGoband];
        }
        Vec::new()
    }

    fn output(&mut self) -> &mut Vec<u8> {
        self.exchange.output()
    }

    fn press(&mut self, button: Button, alarm: u64, _now_ms: u64) {
        self.waiting.push(Message::Button { button, alarm });
    }

    fn input(&mut self, words: &str, now_ms: u64) -> Result<Option<What>, String> {
        self.now_ms = now_ms;
        self.works.advance(now_ms);
        match words.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["press", side] => {
                let side = color(side)?;
                self.works.press(side, now_ms);
                self.waiting.push(Message::Press { side, tick: self.tick() });
            }
            ["run", side] => self.works.set(Some(color(side)?), None, now_ms),
            ["stand"] => self.works.set(None, None, now_ms),
            ["stop"] => self.press(Button::Stop, 0, now_ms),
            ["resume"] => self.press(Button::Resume, 0, now_ms),
            ["rate", per_mille] => {
                let per_mille = per_mille.parse().ok().filter(|n| (500..=2000).contains(n));
                self.works.set_rate(per_mille.ok_or("rate 500 to 2000; 1000 is right")?);
            }
            _ => return Err("press b, press w, run b, run w, stand, stop, resume, rate 1050".into()),
        }
        Ok(Some(What::Clock(self.works.words())))
    }

    fn be_busy(&mut self) {
        // goband is to hold back what is under way, and sends it again
        self.exchange.be_busy();
    }

    fn power_cycle(&mut self, now_ms: u64) {
        let starts = self.starts.wrapping_add(1);
        let works = self.works.clone();
        *self = ClockDevice { starts, heard_ms: now_ms, works, now_ms, ..ClockDevice::new(Allowance::default()) };
        self.output().clear();
        self.hello();
    }
}

/// `b` or `w`.
fn color(word: &str) -> Result<Color, String> {
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Color::Black),
        "w" | "white" => Ok(Color::White),
        _ => Err("b or w".into()),
    }
}
