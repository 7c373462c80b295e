//! The driver of an LCUS relay board with lamps and a buzzer. Pure.
//!
//! The board confirms nothing: the whole state is sent again every few seconds. Between frames there is a pause, because
//! small boards lose a frame that comes while they switch.

use std::sync::Arc;

use super::config::LampChannels;
use super::driver::{Driver, FromDevice, Health};
use super::exchange::Counters;
use super::lcus::{QUERY, StatusDecoder, Switch};
use super::lights::{Lamp, LightRules, Lights, wired};
use super::model::Outlook;

/// Pause between two frames; a frame takes 4 ms at 9600 baud.
const GAP_MS: u64 = 20;

#[derive(Clone, Copy, Debug)]
struct Relay {
    lamp: Lamp,
    channel: u8,
    /// What the board was last told; None: not known.
    told: Option<bool>,
}

/// Times of a lamp.
#[derive(Clone, Copy, Debug)]
pub struct LampTimes {
    pub reassert_ms: u64,
    pub query_status: bool,
}

/// The driver.
#[derive(Debug)]
pub struct LampDriver {
    relays: Vec<Relay>,
    times: LampTimes,
    lights: Lights,
    next_frame_ms: u64,
    reassert_due_ms: u64,
    query_due: bool,
    answers: StatusDecoder,
    out: Vec<u8>,
    farewell: bool,
    counters: Counters,
}

impl LampDriver {
    /// A driver for a board wired as `channels`.
    pub fn new(channels: LampChannels, rules: LightRules, times: LampTimes) -> LampDriver {
        let relays = wired(channels).into_iter().map(|(lamp, channel)| Relay { lamp, channel, told: None }).collect();
        LampDriver {
            relays,
            times,
            lights: Lights::new(rules),
            next_frame_ms: 0,
            reassert_due_ms: 0,
            query_due: false,
            answers: StatusDecoder::default(),
            out: Vec::new(),
            farewell: false,
            counters: Counters::default(),
        }
    }

    /// What the board says about a relay: where it says otherwise, it is told again.
    fn compare(&mut self, answer: Switch) {
        self.counters.lines_received += 1;
        for relay in self.relays.iter_mut().filter(|r| r.channel == answer.channel) {
            if relay.told == Some(!answer.on) {
                relay.told = None;
                self.counters.rejected += 1;
            }
        }
    }
}

impl Driver for LampDriver {
    fn opened(&mut self, now_ms: u64) {
        self.relays.iter_mut().for_each(|r| r.told = None);
        self.out.clear();
        self.next_frame_ms = now_ms;
        self.reassert_due_ms = now_ms + self.times.reassert_ms;
    }

    fn show(&mut self, outlook: &Arc<Outlook>, now_ms: u64) {
        self.lights.show(outlook, now_ms);
    }

    fn received(&mut self, bytes: &[u8], _now_ms: u64) -> Vec<FromDevice> {
        for &byte in bytes {
            if let Some(answer) = self.answers.push(byte) {
                self.compare(answer);
            }
        }
        Vec::new()
    }

    fn poll(&mut self, now_ms: u64) -> Option<u64> {
        self.lights.tick(now_ms);
        if now_ms >= self.reassert_due_ms {
            self.reassert_due_ms = now_ms + self.times.reassert_ms;
            self.relays.iter_mut().for_each(|r| r.told = None);
            self.query_due = self.times.query_status;
            self.counters.repeats += 1;
        }
        if now_ms >= self.next_frame_ms {
            // a change goes before a mere repetition
            let differs = |r: &Relay| r.told.is_some_and(|told| told != self.lights.is_lit(r.lamp, now_ms));
            let next =
                self.relays.iter().position(differs).or_else(|| self.relays.iter().position(|r| r.told.is_none()));
            if let Some(n) = next {
                let on = self.lights.is_lit(self.relays[n].lamp, now_ms);
                self.relays[n].told = Some(on);
                self.out.extend_from_slice(&Switch { channel: self.relays[n].channel, on }.encode());
                self.counters.lines_sent += 1;
                self.next_frame_ms = now_ms + GAP_MS;
            } else if std::mem::take(&mut self.query_due) {
                // what a board with a byte a relay answered to the last one
                for (channel, on) in (1..).zip(self.answers.take_states()) {
                    self.compare(Switch { channel, on });
                }
                self.out.push(QUERY);
                self.next_frame_ms = now_ms + GAP_MS;
            }
        }
        let is_due = |r: &Relay| r.told != Some(self.lights.is_lit(r.lamp, now_ms));
        let frame = (self.query_due || self.relays.iter().any(is_due)).then_some(self.next_frame_ms);
        [Some(self.reassert_due_ms), frame, self.lights.next_change_ms(now_ms)].into_iter().flatten().min()
    }

    fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn health(&self, _now_ms: u64) -> Health {
        Health::Well
    }

    fn farewell(&mut self, now_ms: u64) {
        self.farewell = true;
        self.lights.all_off();
        self.reassert_due_ms = now_ms + self.times.reassert_ms;
    }

    fn has_said_farewell(&self) -> bool {
        self.farewell && self.relays.iter().all(|r| r.told == Some(false))
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Event, EventKind, Interval};
    use crate::signal::lcus::{Request, RequestDecoder};
    use crate::signal::model::Model;

    /// Runs the driver's clock; gives the switches with their times.
    fn run(driver: &mut LampDriver, from_ms: u64, to_ms: u64) -> Vec<(u64, Switch)> {
        let mut board = RequestDecoder::default();
        let mut switches = Vec::new();
        for now_ms in from_ms..to_ms {
            driver.poll(now_ms);
            let bytes = std::mem::take(driver.output());
            for request in bytes.into_iter().filter_map(|b| board.push(b)) {
                if let Request::Switch(switch) = request {
                    switches.push((now_ms, switch));
                }
            }
        }
        switches
    }

    fn lit(switches: &[(u64, Switch)]) -> Vec<u8> {
        let state = |channel| switches.iter().rev().find(|(_, s)| s.channel == channel).is_some_and(|(_, s)| s.on);
        (1..=4).filter(|&c| state(c)).collect()
    }

    fn outlook(model: &Model) -> Arc<Outlook> {
        Arc::new(model.outlook())
    }

    #[test]
    fn red_comes_first_the_buzzer_stops_and_all_is_said_again() {
        let times = LampTimes { reassert_ms: 5000, query_status: false };
        let mut driver = LampDriver::new(LampChannels::default(), LightRules::usual(1000), times);
        let mut model = Model::new(false);
        driver.opened(0);
        driver.show(&outlook(&model), 0);
        assert_eq!(lit(&run(&mut driver, 0, 100)), [1], "green alone");
        let mut event = Event::new(EventKind::DoubleMove, Interval::default(), 0, 1.0);
        event.seq = 9;
        model.apply(&event, false);
        driver.show(&outlook(&model), 200);
        let switches = run(&mut driver, 200, 400);
        assert_eq!(switches[0], (200, Switch { channel: 3, on: true }), "red, at once");
        assert!(switches.windows(2).all(|w| w[1].0 - w[0].0 >= GAP_MS));
        assert_eq!(lit(&switches), [3, 4]);
        let later = run(&mut driver, 400, 4000);
        assert_eq!(later, [(1200, Switch { channel: 4, on: false })], "the buzzer stops, nothing else is said");
        assert_eq!(run(&mut driver, 4000, 6000).len(), 4, "all is said again");
        driver.farewell(6000);
        assert!(!driver.has_said_farewell());
        assert_eq!(lit(&run(&mut driver, 6000, 6200)), [0u8; 0]);
        assert!(driver.has_said_farewell());
    }

    #[test]
    fn a_new_alarm_sounds_once_even_if_the_board_was_away() {
        let times = LampTimes { reassert_ms: 5000, query_status: true };
        let mut driver = LampDriver::new(LampChannels::default(), LightRules::usual(300), times);
        let mut model = Model::new(false);
        let mut event = Event::new(EventKind::DoubleMove, Interval::default(), 0, 1.0);
        event.seq = 9;
        model.apply(&event, true);
        driver.opened(0);
        driver.show(&outlook(&model), 0);
        assert_eq!(lit(&run(&mut driver, 0, 200)), [3], "an old alarm is shown but does not sound");
        event.seq = 10;
        model.apply(&event, false);
        driver.show(&outlook(&model), 200);
        assert_eq!(lit(&run(&mut driver, 200, 300)), [4]);
        driver.show(&outlook(&model), 2000);
        assert!(run(&mut driver, 2000, 2400).iter().all(|(_, s)| !s.on), "no second sound");
    }

    #[test]
    fn a_board_that_says_otherwise_is_told_again() {
        let times = LampTimes { reassert_ms: 5000, query_status: true };
        let mut driver = LampDriver::new(LampChannels::default(), LightRules::usual(0), times);
        driver.opened(0);
        driver.show(&outlook(&Model::new(false)), 0);
        run(&mut driver, 0, 200);
        driver.received(b"CH1:ON\r\nCH3:ON\r\n", 200);
        assert_eq!(run(&mut driver, 200, 300), [(200, Switch { channel: 3, on: false })]);
    }
}
