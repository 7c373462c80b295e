//! The driver of a Modbus RTU relay board with lamps and a buzzer: the board confirms every relay, and is asked for its
//! state every few seconds. Pure.

use std::sync::Arc;

use super::config::LampChannels;
use super::driver::{Driver, FromDevice, Health};
use super::exchange::Counters;
use super::lamp::LampTimes;
use super::lights::{Lamp, LightRules, Lights, wired};
use super::modbus::{Answer, AnswerDecoder, Request};
use super::model::Outlook;
use crate::game::Text;

/// How long a board may take to answer, on top of the time on the wire.
const ANSWER_MS: u64 = 200;
/// Without an answer for so long it is held for silent.
const SILENCE_MS: u64 = 3000;
/// The bus rests between two frames: 3.5 characters by the standard, 4 ms at 9600 baud.
const REST_MS: u64 = 5;
/// A question that was not answered is asked again after so long.
const ASK_AGAIN_MS: u64 = 500;
/// A refused relay is tried again only so often.
const REFUSED_MS: u64 = 2000;

#[derive(Clone, Copy, Debug)]
struct Relay {
    lamp: Lamp,
    coil: u16,
    /// What the board has confirmed; None: not known.
    confirmed: Option<bool>,
    /// The exception that the board answered to the last write.
    refused: Option<u8>,
    not_before_ms: u64,
}

/// The driver.
#[derive(Debug)]
pub struct ModbusDriver {
    unit: u8,
    wire_ms: u64,
    relays: Vec<Relay>,
    times: LampTimes,
    lights: Lights,
    in_flight: Option<(Request, u64)>,
    rest_until_ms: u64,
    ask_due_ms: u64,
    opened_ms: u64,
    heard_ms: Option<u64>,
    decoder: AnswerDecoder,
    out: Vec<u8>,
    farewell: bool,
    counters: Counters,
}

impl ModbusDriver {
    /// A driver for the board with address `unit` on a line of `baud`; channel 1 is the first relay.
    pub fn new(unit: u8, baud: u32, channels: LampChannels, rules: LightRules, times: LampTimes) -> ModbusDriver {
        let relay = |(lamp, channel): (Lamp, u8)| Relay {
            lamp,
            coil: u16::from(channel.saturating_sub(1)),
            confirmed: None,
            refused: None,
            not_before_ms: 0,
        };
        ModbusDriver {
            unit,
            // eight bytes there, eight back
            wire_ms: 16 * 11_000 / u64::from(baud.max(300)),
            relays: wired(channels).into_iter().map(relay).collect(),
            times,
            lights: Lights::new(rules),
            in_flight: None,
            rest_until_ms: 0,
            ask_due_ms: 0,
            opened_ms: 0,
            heard_ms: None,
            decoder: AnswerDecoder::new(unit),
            out: Vec::new(),
            farewell: false,
            counters: Counters::default(),
        }
    }

    fn send(&mut self, request: Request, now_ms: u64) {
        self.decoder.reset();
        self.out.extend_from_slice(&request.encode(self.unit));
        self.in_flight = Some((request, now_ms + ANSWER_MS + self.wire_ms));
        self.counters.lines_sent += 1;
    }

    fn take(&mut self, answer: &Answer, now_ms: u64) {
        self.counters.lines_received += 1;
        self.heard_ms = Some(now_ms);
        let Some((request, _)) = self.in_flight else { return };
        match (request, answer) {
            (Request::Write { coil, on }, Answer::Written { coil: c, on: o }) if (coil, on) == (*c, *o) => {
                for relay in self.relays.iter_mut().filter(|r| r.coil == coil) {
                    relay.confirmed = Some(on);
                    relay.refused = None;
                }
            }
            (Request::Read { .. }, Answer::Coils(states)) => {
                for relay in &mut self.relays {
                    let bits = states.get(usize::from(relay.coil / 8)).copied().unwrap_or(0);
                    let is_on = bits >> (relay.coil % 8) & 1 == 1;
                    if relay.confirmed.is_some_and(|c| c != is_on) {
                        // it lost its power, or somebody else switched it
                        self.counters.rejected += 1;
                    }
                    relay.confirmed = Some(is_on);
                }
            }
            (Request::Write { coil, .. }, Answer::Exception { code, .. }) => {
                for relay in self.relays.iter_mut().filter(|r| r.coil == coil) {
                    relay.refused = Some(*code);
                    relay.not_before_ms = now_ms + REFUSED_MS;
                }
            }
            // some boards cannot be asked
            (Request::Read { .. }, Answer::Exception { .. }) => {}
            _ => return,
        }
        self.in_flight = None;
        self.rest_until_ms = now_ms + REST_MS;
    }

    /// The most urgent relay that is not confirmed to be as it should.
    fn next_write(&self, now_ms: u64) -> Option<Request> {
        self.relays.iter().filter(|r| now_ms >= r.not_before_ms).find_map(|r| {
            let on = self.lights.is_lit(r.lamp, now_ms);
            (r.confirmed != Some(on)).then_some(Request::Write { coil: r.coil, on })
        })
    }
}

impl Driver for ModbusDriver {
    fn opened(&mut self, now_ms: u64) {
        self.relays.iter_mut().for_each(|r| r.confirmed = None);
        self.out.clear();
        self.in_flight = None;
        self.rest_until_ms = now_ms;
        self.opened_ms = now_ms;
        self.heard_ms = None;
        self.ask_due_ms = now_ms + self.times.reassert_ms;
    }

    fn show(&mut self, outlook: &Arc<Outlook>, now_ms: u64) {
        self.lights.show(outlook, now_ms);
    }

    fn received(&mut self, bytes: &[u8], now_ms: u64) -> Vec<FromDevice> {
        for &byte in bytes {
            if let Some(answer) = self.decoder.push(byte) {
                self.take(&answer, now_ms);
            }
        }
        Vec::new()
    }

    fn poll(&mut self, now_ms: u64) -> Option<u64> {
        self.lights.tick(now_ms);
        if let Some((request, due_ms)) = self.in_flight
            && now_ms >= due_ms
        {
            self.in_flight = None;
            self.counters.repeats += 1;
            if matches!(request, Request::Read { .. }) {
                // lost on the way, or a board that cannot be asked
                self.ask_due_ms = now_ms + ASK_AGAIN_MS;
            }
        }
        if self.in_flight.is_none() && now_ms >= self.rest_until_ms {
            if let Some(write) = self.next_write(now_ms) {
                self.send(write, now_ms);
            } else if now_ms >= self.ask_due_ms {
                self.ask_due_ms = now_ms + self.times.reassert_ms;
                self.send(Request::Read { first: 0, count: 8 }, now_ms);
            }
        }
        let work = match self.in_flight {
            Some((_, due_ms)) => Some(due_ms),
            None if now_ms < self.rest_until_ms => Some(self.rest_until_ms),
            None => self.relays.iter().map(|r| r.not_before_ms).filter(|&ms| ms > now_ms).min(),
        };
        // while a request is under way a silent buzzer must still get its turn
        let ask = self.in_flight.is_none().then_some(self.ask_due_ms.max(now_ms + 1));
        [work, ask, self.lights.next_change_ms(now_ms)].into_iter().flatten().min()
    }

    fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn health(&self, now_ms: u64) -> Health {
        if let Some(code) = self.relays.iter().find_map(|r| r.refused) {
            return Health::Silent(Text {
                en: format!("the board refuses a relay (Modbus exception {code}); check the channels"),
                zh: format!("继电器板拒绝操作(Modbus 异常 {code}),请检查通道配置"),
            });
        }
        // it is asked every few seconds even when nothing changes
        let patience_ms = SILENCE_MS + self.times.reassert_ms;
        match self.heard_ms {
            Some(heard_ms) if now_ms < heard_ms + patience_ms => Health::Well,
            None if now_ms < self.opened_ms + SILENCE_MS => Health::Starting,
            _ => Health::Silent(Text {
                en: "the port is open, but no relay board answers; check its power, the cable, the baud rate and the \
                     address (unit)"
                    .into(),
                zh: "串口已打开,但继电器板没有应答;请检查电源、线缆、波特率和地址(unit)".into(),
            }),
        }
    }

    fn farewell(&mut self, _now_ms: u64) {
        self.farewell = true;
        self.lights.all_off();
    }

    fn has_said_farewell(&self) -> bool {
        self.farewell && self.relays.iter().all(|r| r.confirmed == Some(false))
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Event, EventKind, Interval};
    use crate::signal::emulator::faults::BadLine;
    use crate::signal::emulator::runner::Device;
    use crate::signal::emulator::{Faults, ModbusDevice};
    use crate::signal::model::Model;

    struct Table {
        driver: ModbusDriver,
        board: ModbusDevice,
        lines: [BadLine; 2],
        now_ms: u64,
    }

    impl Table {
        fn new(faults: Faults) -> Table {
            let times = LampTimes { reassert_ms: 2000, query_status: false };
            let mut driver = ModbusDriver::new(1, 9600, LampChannels::default(), LightRules::usual(1000), times);
            driver.opened(0);
            let lines = [BadLine::new(&faults, 0), BadLine::new(&faults, 1)];
            Table { driver, board: ModbusDevice::new(1), lines, now_ms: 0 }
        }

        fn run(&mut self, ms: u64) {
            for _ in 0..ms {
                self.driver.poll(self.now_ms);
                let down = self.lines[0].pass(&std::mem::take(self.driver.output()), true);
                self.board.receive(&down, self.now_ms);
                let up = self.lines[1].pass(&std::mem::take(self.board.output()), true);
                self.driver.received(&up, self.now_ms);
                self.now_ms += 1;
            }
        }

        fn show(&mut self, model: &Model) {
            self.driver.show(&Arc::new(model.outlook()), self.now_ms);
        }
    }

    fn infraction(seq: u64) -> Event {
        Event { seq, ..Event::new(EventKind::DoubleMove, Interval::default(), 0, 1.0) }
    }

    #[test]
    fn lamps_follow_the_state_on_a_bad_line_and_after_a_power_cut() {
        let mut table = Table::new(Faults { drop: 0.1, noise: 0.01, seed: 4, ..Faults::default() });
        let mut model = Model::new(false);
        table.show(&model);
        table.run(3000);
        assert_eq!(table.board.on(), [1]);
        for seq in 1..30 {
            model.apply(&infraction(seq), false);
            table.show(&model);
            table.run(4000);
            assert_eq!(table.board.on(), [3], "the buzzer is silent again");
            table.board.power_cycle(table.now_ms);
            table.run(6000);
            assert_eq!(table.board.on(), [3], "what the board forgot is told again");
            let mut decision = Event::new(EventKind::Decision, Interval::default(), 0, 1.0);
            decision.of = Some(seq);
            model.apply(&decision, false);
            table.show(&model);
            table.run(3000);
            assert_eq!(table.board.on(), [1]);
        }
        assert_eq!(table.driver.health(table.now_ms), Health::Well);
        table.driver.farewell(table.now_ms);
        table.run(3000);
        assert!(table.driver.has_said_farewell() && table.board.on().is_empty());
    }

    #[test]
    fn a_board_that_does_not_answer_is_silent_and_a_missing_relay_is_told() {
        let mut table = Table::new(Faults { drop: 1.0, ..Faults::default() });
        table.show(&Model::new(false));
        assert_eq!(table.driver.health(0), Health::Starting);
        table.run(4000);
        assert!(matches!(table.driver.health(table.now_ms), Health::Silent(text) if text.en.contains("unit")));
        let channels =
            LampChannels { green: Some(1), amber: None, red: Some(3), buzzer: None, blue: None, white: None };
        let mut table = Table::new(Faults::default());
        table.driver = ModbusDriver::new(1, 9600, channels, LightRules::usual(1000), table.driver.times);
        table.board = ModbusDevice::with_relays(1, 2);
        table.show(&Model::new(false));
        table.run(1000);
        assert_eq!(table.board.on(), [1], "the others work");
        assert!(matches!(table.driver.health(table.now_ms), Health::Silent(text) if text.en.contains("exception 2")));
    }
}
