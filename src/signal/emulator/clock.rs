//! A clock that speaks goband's line protocol, emulated.

use super::What;
use super::line::{FromGoband, Identity, LineEnd};
use super::runner::Device;
use super::timepiece::{Allowance, Timepiece};
use crate::rules::Color;
use crate::signal::clock::Times;
use crate::signal::message::{Button, Message};
use crate::signal::model::State;

const IDENTITY: Identity = Identity { name: "emulated clock", roles: "clock", letter: 'C' };

/// The clock as a state machine.
#[derive(Debug)]
pub struct ClockDevice {
    line: LineEnd,
    works: Timepiece,
    /// The newest order that was obeyed, and the session of the goband that gave it.
    obeyed: (String, u64),
    /// The face as it was told last.
    told: Option<String>,
    now_ms: u64,
}

impl ClockDevice {
    /// A clock that stands.
    pub fn new(allowance: Allowance) -> ClockDevice {
        let (line, works) = (LineEnd::new(IDENTITY, 115_200), Timepiece::new(allowance));
        ClockDevice { line, works, obeyed: (String::new(), 0), told: None, now_ms: 0 }
    }

    /// What the clock does.
    pub fn works(&self) -> &Timepiece {
        &self.works
    }

    /// The state that its lamp shows; none while goband is not heard.
    pub fn state(&self) -> Option<State> {
        self.line.state()
    }

    fn tick(&self) -> Option<u32> {
        // a microcontroller's counter
        Some(self.now_ms as u32)
    }

    fn tell_time(&mut self) {
        let reading = self.works.reading();
        let tick = self.tick();
        self.line.tell_plain(&Message::Time { tick, reading });
        self.told = Some(self.works.words());
    }

    /// Does what an order says, unless it was done before. True if it was not.
    fn obey(&mut self, number: u64, run: Option<Color>, times: Option<Times>) -> bool {
        let session = self.line.goband().map(|g| g.session.clone()).unwrap_or_default();
        let is_new = self.obeyed.0 != session || self.obeyed.1 < number;
        if is_new {
            self.obeyed = (session, number);
            self.works.set(run, times, self.now_ms);
        }
        self.tell_time();
        is_new
    }

    /// Takes a message; true if it shows something new. `is_news`: to the line it is.
    fn take(&mut self, message: &Message, is_news: bool) -> bool {
        match message {
            Message::Hello { .. } => {
                self.tell_time();
                is_news
            }
            Message::ClockStop { order, times, .. } => self.obey(*order, None, *times),
            Message::ClockRun { order, side, times } => self.obey(*order, Some(*side), *times),
            _ => is_news,
        }
    }
}

impl Device for ClockDevice {
    const LOOK_MS: u64 = 5;
    const HAS_LINES: bool = true;

    fn receive(&mut self, bytes: &[u8], now_ms: u64) -> Vec<What> {
        self.now_ms = now_ms;
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
        self.now_ms = now_ms;
        self.works.advance(now_ms);
        if self.told.as_ref() != Some(&self.works.words()) {
            self.tell_time();
        }
        self.line.poll(self.tick(), now_ms).into_iter().collect()
    }

    fn output(&mut self) -> &mut Vec<u8> {
        self.line.output()
    }

    fn press(&mut self, button: Button, alarm: u64, _now_ms: u64) {
        self.line.tell(Message::Button { button, alarm });
    }

    fn input(&mut self, words: &str, now_ms: u64) -> Result<Option<What>, String> {
        self.now_ms = now_ms;
        self.works.advance(now_ms);
        match words.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["press", side] => {
                let side = color(side)?;
                self.works.press(side, now_ms);
                self.line.tell(Message::Press { side, tick: self.tick() });
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
        self.line.be_busy();
    }

    fn power_cycle(&mut self, now_ms: u64) {
        // the works run on a battery of their own
        self.line.power_cycle(now_ms);
        (self.obeyed, self.told, self.now_ms) = ((String::new(), 0), None, now_ms);
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
