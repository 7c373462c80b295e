//! The driver of a DGT3000 behind a gateway that speaks JSON lines. Pure.
//!
//! The gateway tells a lever at once, but not which side runs: that is seen from which time falls. In the mode that the
//! gateway uses the clock does not change sides by itself; the driver lets the other side run at each press, unless a
//! software clock gives the orders.

use std::sync::Arc;

use super::clock::Hms;
use super::gateway::{GatewayCommand, GatewayEvent, LineDecoder, Outcome, Run};
use crate::game::Text;
use crate::rules::Color;
use crate::signal::clock::{ClockOrder, ClockReading, PressSeen, SideTime, Times};
use crate::signal::driver::{Driver, FromDevice, Health};
use crate::signal::exchange::Counters;
use crate::signal::model::Outlook;

/// The lever is told at once; what remains is the gateway's own delay.
const UNCERTAINTY_MS: u32 = 100;
const GRAIN_MS: u64 = 300;
/// An answer takes no longer.
const ANSWER_MS: u64 = 800;
const SILENCE_MS: u64 = 3000;
/// The time is asked for when nothing was heard for so long.
const ASK_MS: u64 = 1000;
/// A running time falls every second.
const STANDS_MS: u64 = 1600;
const SHOWN_MS: u64 = 3000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Order(u64),
    Say(u64),
    /// The other side is to run after a press.
    Turn(Color),
    EndDisplay,
    Ask,
}

#[derive(Clone, Debug)]
struct Flight {
    command: GatewayCommand,
    id: String,
    purpose: Purpose,
    due_ms: u64,
}

/// The driver.
#[derive(Debug)]
pub struct GatewayDriver {
    left: Color,
    decoder: LineDecoder,
    out: Vec<u8>,
    outlook: Option<Arc<Outlook>>,
    flight: Option<Flight>,
    ids: u64,
    opened_ms: u64,
    heard_ms: Option<u64>,
    ask_due_ms: u64,
    times: Option<(Hms, Hms)>,
    running: Option<Color>,
    fell_ms: u64,
    /// The lever says left for right: it depends on how it lay when the clock was switched on.
    inverted: Option<bool>,
    turn_to: Option<Color>,
    obeyed: u64,
    said: u64,
    end_display_due_ms: Option<u64>,
    fault: Option<String>,
    unanswered: u32,
    is_connected: bool,
    counters: Counters,
}

impl GatewayDriver {
    /// A driver for a clock whose left side is `left`'s.
    pub fn new(left: Color) -> GatewayDriver {
        GatewayDriver {
            left,
            decoder: LineDecoder::default(),
            out: Vec::new(),
            outlook: None,
            flight: None,
            ids: 0,
            opened_ms: 0,
            heard_ms: None,
            ask_due_ms: 0,
            times: None,
            running: None,
            fell_ms: 0,
            inverted: None,
            turn_to: None,
            obeyed: 0,
            said: 0,
            end_display_due_ms: None,
            fault: None,
            unanswered: 0,
            is_connected: true,
            counters: Counters::default(),
        }
    }

    fn order(&self) -> Option<ClockOrder> {
        self.outlook.as_ref()?.clock.order.filter(|o| o.number > self.obeyed)
    }

    fn of(&self, color: Color, (left, right): (Hms, Hms)) -> Hms {
        if color == self.left { left } else { right }
    }

    fn reading(&self) -> Option<FromDevice> {
        let sides = self.times?;
        let side = |color| SideTime::untold(self.of(color, sides).seconds() * 1000);
        let times = Times { black: side(Color::Black), white: side(Color::White) };
        let reading = ClockReading { times, running: self.running, turn: self.running };
        Some(FromDevice::Clock { reading, grain_ms: GRAIN_MS })
    }

    fn take(&mut self, event: GatewayEvent, now_ms: u64) -> Vec<FromDevice> {
        self.counters.lines_received += 1;
        self.heard_ms = Some(now_ms);
        match event {
            GatewayEvent::Time { data, .. } => match data.sides() {
                Some(sides) => return self.times(sides, now_ms),
                None => self.counters.rejected += 1,
            },
            GatewayEvent::Button { data, .. } => return self.button(&data.button, now_ms),
            GatewayEvent::Response { id, status, result, data } => {
                let Some(flight) = self.flight.take_if(|f| f.id == id) else { return Vec::new() };
                self.unanswered = 0;
                if status != "success" {
                    self.counters.rejected += 1;
                    self.fault = data.map(|d| format!("{} ({})", d.error_message, d.error_code));
                    // again, but not at once
                    if matches!(flight.purpose, Purpose::Order(_)) {
                        self.flight = Some(Flight { due_ms: now_ms + ANSWER_MS, ..flight });
                    }
                    return Vec::new();
                }
                self.fault = None;
                let mut told = self.answered(&flight, now_ms);
                if let Some(Outcome::Times(times)) = result
                    && let Some(sides) = times.sides()
                {
                    told.extend(self.times(sides, now_ms));
                }
                return told;
            }
            GatewayEvent::Connection { data, .. } => self.is_connected = data.connected && data.configured,
            GatewayEvent::Error { data, .. } => {
                self.fault = Some(format!("{} ({})", data.error_message, data.error_code));
            }
        }
        Vec::new()
    }

    fn answered(&mut self, flight: &Flight, now_ms: u64) -> Vec<FromDevice> {
        match flight.purpose {
            Purpose::Order(number) => {
                self.obeyed = self.obeyed.max(number);
                self.running = match flight.command {
                    GatewayCommand::SetTime { left_run, right_run, .. } => self.runs(left_run, right_run),
                    GatewayCommand::Run { left, right } => self.runs(left, right),
                    _ => None,
                };
                self.fell_ms = now_ms;
                self.ask_due_ms = now_ms;
                let mut told = vec![FromDevice::Obeyed(number)];
                told.extend(self.reading());
                told
            }
            Purpose::Turn(color) => {
                self.running = Some(color);
                self.fell_ms = now_ms;
                self.reading().into_iter().collect()
            }
            Purpose::Say(number) => {
                self.said = self.said.max(number);
                self.end_display_due_ms = Some(now_ms + SHOWN_MS);
                Vec::new()
            }
            Purpose::EndDisplay | Purpose::Ask => Vec::new(),
        }
    }

    fn runs(&self, left: Run, right: Run) -> Option<Color> {
        match (left, right) {
            (Run::Stop, Run::Stop) => None,
            (_, Run::Stop) => Some(self.left),
            _ => Some(self.left.opponent()),
        }
    }

    fn times(&mut self, sides: (Hms, Hms), now_ms: u64) -> Vec<FromDevice> {
        if let Some(before) = self.times.replace(sides) {
            let fell = |color| {
                let (old, new) = (self.of(color, before).seconds(), self.of(color, sides).seconds());
                new < old && old - new <= 3
            };
            match (fell(Color::Black), fell(Color::White)) {
                (true, false) => (self.running, self.fell_ms) = (Some(Color::Black), now_ms),
                (false, true) => (self.running, self.fell_ms) = (Some(Color::White), now_ms),
                _ => {}
            }
        }
        if now_ms >= self.fell_ms + STANDS_MS {
            self.running = None;
        }
        self.reading().into_iter().collect()
    }

    fn button(&mut self, button: &str, now_ms: u64) -> Vec<FromDevice> {
        // the lever goes down on the side that was pressed
        let says = match button {
            "lever_left" => self.left,
            "lever_right" => self.left.opponent(),
            _ => return Vec::new(),
        };
        if let (None, Some(running)) = (self.inverted, self.running) {
            // only the side whose time runs can have pressed
            self.inverted = Some(says != running);
        }
        let side = if self.inverted == Some(true) { says.opponent() } else { says };
        if self.running.is_none() {
            return Vec::new();
        }
        if !self.outlook.as_ref().is_some_and(|o| o.clock.is_software) {
            self.turn_to = Some(side.opponent());
        }
        vec![FromDevice::Press(PressSeen { side, at_ms: now_ms, uncertainty_ms: UNCERTAINTY_MS })]
    }

    fn command(&self, order: &ClockOrder) -> GatewayCommand {
        let run = |color| if order.run == Some(color) { Run::Down } else { Run::Stop };
        let (left_run, right_run) = (run(self.left), run(self.left.opponent()));
        match order.times {
            Some(times) => {
                let hms = |color| Hms::from_seconds(times.of(color).ms.div_ceil(1000));
                let (left, right) = (hms(self.left), hms(self.left.opponent()));
                GatewayCommand::SetTime { left, left_run, right, right_run }
            }
            None if order.run.is_none() => GatewayCommand::Stop,
            None => GatewayCommand::Run { left: left_run, right: right_run },
        }
    }

    fn next(&mut self, now_ms: u64) -> Option<(GatewayCommand, Purpose)> {
        if let Some(order) = self.order() {
            let purpose = Purpose::Order(order.number);
            self.turn_to = None;
            let is_under_way = self.flight.as_ref().is_some_and(|f| f.purpose == purpose);
            return (!is_under_way).then(|| (self.command(&order), purpose));
        }
        if self.flight.is_some() {
            return None;
        }
        if let Some(color) = self.turn_to.take() {
            let run = |c| if c == color { Run::Down } else { Run::Stop };
            let command = GatewayCommand::Run { left: run(self.left), right: run(self.left.opponent()) };
            return Some((command, Purpose::Turn(color)));
        }
        if let Some(say) = self.outlook.as_ref().and_then(|o| o.clock.say.clone()).filter(|s| s.number > self.said) {
            let beep = (say.beep_ms * 10 / 625).min(48) as u8;
            return Some((GatewayCommand::DisplayText { text: say.short, beep }, Purpose::Say(say.number)));
        }
        if self.end_display_due_ms.is_some_and(|due| now_ms >= due) {
            self.end_display_due_ms = None;
            return Some((GatewayCommand::EndDisplay, Purpose::EndDisplay));
        }
        if now_ms >= self.ask_due_ms {
            self.ask_due_ms = now_ms + ASK_MS;
            return Some((GatewayCommand::GetTime, Purpose::Ask));
        }
        None
    }

    fn send(&mut self, command: GatewayCommand, purpose: Purpose, now_ms: u64) {
        self.ids += 1;
        let id = format!("goband-{}", self.ids);
        self.out.extend(command.encode(&id));
        self.counters.lines_sent += 1;
        self.flight = Some(Flight { command, id, purpose, due_ms: now_ms + ANSWER_MS });
    }
}

impl Driver for GatewayDriver {
    fn opened(&mut self, now_ms: u64) {
        self.decoder.reset();
        // ends half a line that an earlier program left
        self.out = vec![b'\n'];
        self.flight = None;
        self.opened_ms = now_ms;
        self.heard_ms = None;
        self.ask_due_ms = now_ms;
        self.fault = None;
        self.unanswered = 0;
        self.turn_to = None;
        self.is_connected = true;
    }

    fn show(&mut self, outlook: &Arc<Outlook>, _now_ms: u64) {
        self.outlook = Some(Arc::clone(outlook));
    }

    fn received(&mut self, bytes: &[u8], now_ms: u64) -> Vec<FromDevice> {
        let mut told = Vec::new();
        for &byte in bytes {
            let Some(line) = self.decoder.push(byte) else { continue };
            match GatewayEvent::decode(&line) {
                Some(event) => told.extend(self.take(event, now_ms)),
                None => self.counters.rejected += 1,
            }
        }
        told
    }

    fn poll(&mut self, now_ms: u64) -> Option<u64> {
        if let Some(flight) = self.flight.take_if(|f| now_ms >= f.due_ms) {
            self.counters.repeats += 1;
            self.unanswered += 1;
            match flight.purpose {
                // sent again with its present content
                Purpose::Order(_) | Purpose::Say(_) if self.unanswered < 4 => {}
                Purpose::Turn(color) if self.unanswered < 4 => self.turn_to = Some(color),
                Purpose::Say(number) => self.said = self.said.max(number),
                _ => {}
            }
        }
        if let Some((command, purpose)) = self.next(now_ms) {
            self.send(command, purpose, now_ms);
        }
        let flight = self.flight.as_ref().map(|f| f.due_ms);
        [flight, Some(self.ask_due_ms.max(now_ms + 5)), self.end_display_due_ms.map(|d| d.max(now_ms + 5))]
            .into_iter()
            .flatten()
            .min()
    }

    fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn health(&self, now_ms: u64) -> Health {
        let silent = |en: String, zh: String| Health::Silent(Text { en, zh });
        let is_heard = self.heard_ms.is_some_and(|heard| now_ms < heard + SILENCE_MS);
        if !is_heard && now_ms < self.opened_ms + SILENCE_MS {
            return Health::Starting;
        }
        if !is_heard {
            return silent(
                "the port is open, but no clock gateway answers; check its power and cable".into(),
                "串口已打开,但棋钟网关没有应答;请检查电源和线缆".into(),
            );
        }
        if !self.is_connected {
            return silent(
                "the gateway answers, but has no clock; switch the clock on and plug it in".into(),
                "网关有应答,但未连接棋钟;请打开棋钟并接好线缆".into(),
            );
        }
        match &self.fault {
            Some(fault) => silent(format!("the gateway reports: {fault}"), format!("网关报告:{fault}")),
            None => Health::Well,
        }
    }

    fn farewell(&mut self, _now_ms: u64) {}

    fn has_said_farewell(&self) -> bool {
        true
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn peer(&self) -> Option<String> {
        self.heard_ms.map(|_| "DGT3000 gateway".into())
    }
}
