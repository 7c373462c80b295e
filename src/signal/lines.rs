//! The driver of a port whose own lines are lamps and buttons: DTR and RTS out, CTS, DSR, RI and CD in. Pure but for the port.
//!
//! No bytes: an output switches a lamp through a transistor, an input is a button to RTS, DTR or +V. Inputs are looked at every
//! few milliseconds.

use std::io;
use std::sync::Arc;

use super::clock::PressSeen;
use super::config::{InputMeaning, LineInputs, LineOutputs};
use super::driver::{Driver, FromDevice, Health, Pressed};
use super::exchange::Counters;
use super::lights::{LightRules, Lights};
use super::link::{InputLines, ModemLines};
use super::model::Outlook;
use crate::game::Text;

/// How often the inputs are looked at.
const LOOK_MS: u64 = 2;
/// A contact bounces for a few milliseconds: a change counts at once, the next one only after so long.
const BOUNCE_MS: u64 = 30;
/// How late a change may be seen: a look, and what a USB adapter takes.
const UNCERTAINTY_MS: u32 = 5;

/// One input.
#[derive(Clone, Copy, Debug, Default)]
struct Contact {
    is_closed: bool,
    deaf_until_ms: u64,
}

/// The driver.
#[derive(Debug)]
pub struct LinesDriver {
    outputs: LineOutputs,
    inputs: LineInputs,
    lights: Lights,
    /// What the outputs were last told; None: not known.
    told: Option<(bool, bool)>,
    reassert_due_ms: u64,
    contacts: Option<[Contact; 4]>,
    failed: bool,
    farewell: bool,
    out: Vec<u8>,
    counters: Counters,
}

const REASSERT_MS: u64 = 5000;

impl LinesDriver {
    /// A driver for lines that are wired so.
    pub fn new(outputs: LineOutputs, inputs: LineInputs, rules: LightRules) -> LinesDriver {
        LinesDriver {
            outputs,
            inputs,
            lights: Lights::new(rules),
            told: None,
            reassert_due_ms: 0,
            contacts: None,
            failed: false,
            farewell: false,
            out: Vec::new(),
            counters: Counters::default(),
        }
    }

    fn wanted(&self, now_ms: u64) -> (bool, bool) {
        let lit = |lamp: Option<super::show::Lamp>| lamp.is_some_and(|l| self.lights.is_lit(l, now_ms));
        (lit(self.outputs.dtr), lit(self.outputs.rts))
    }

    fn look(&mut self, lines: InputLines, now_ms: u64) -> Vec<FromDevice> {
        let states = [lines.cts, lines.dsr, lines.ri, lines.cd];
        let meanings = [self.inputs.cts, self.inputs.dsr, self.inputs.ri, self.inputs.cd];
        // what is closed at the start was not pressed now
        let contacts =
            self.contacts.get_or_insert_with(|| states.map(|is_closed| Contact { is_closed, deaf_until_ms: now_ms }));
        let mut told = Vec::new();
        for ((contact, is_closed), meaning) in contacts.iter_mut().zip(states).zip(meanings) {
            if contact.is_closed == is_closed || now_ms < contact.deaf_until_ms {
                continue;
            }
            *contact = Contact { is_closed, deaf_until_ms: now_ms + BOUNCE_MS };
            self.counters.lines_received += 1;
            match meaning {
                Some(InputMeaning::Press(side)) if is_closed => {
                    told.push(FromDevice::Press(PressSeen { side, at_ms: now_ms, uncertainty_ms: UNCERTAINTY_MS }));
                }
                Some(InputMeaning::Button(button)) if is_closed => {
                    told.push(FromDevice::Button(Pressed { button, alarm: None }));
                }
                _ => {}
            }
        }
        told
    }
}

impl Driver for LinesDriver {
    fn opened(&mut self, now_ms: u64) {
        self.told = None;
        self.contacts = None;
        self.failed = false;
        self.reassert_due_ms = now_ms + REASSERT_MS;
    }

    fn show(&mut self, outlook: &Arc<Outlook>, now_ms: u64) {
        self.lights.show(outlook, now_ms);
    }

    fn received(&mut self, _bytes: &[u8], _now_ms: u64) -> Vec<FromDevice> {
        Vec::new()
    }

    fn poll(&mut self, now_ms: u64) -> Option<u64> {
        self.lights.tick(now_ms);
        let change = self.lights.next_change_ms(now_ms);
        let look = self.inputs.are_used().then_some(now_ms + LOOK_MS);
        [Some(self.reassert_due_ms.max(now_ms + 1)), change, look].into_iter().flatten().min()
    }

    fn lines(&mut self, port: &mut dyn ModemLines, now_ms: u64) -> io::Result<Vec<FromDevice>> {
        let wanted = self.wanted(now_ms);
        let is_repetition = now_ms >= self.reassert_due_ms;
        if self.told != Some(wanted) || is_repetition {
            if is_repetition {
                self.reassert_due_ms = now_ms + REASSERT_MS;
            }
            port.set_outputs(wanted.0, wanted.1).inspect_err(|_| self.failed = true)?;
            self.told = Some(wanted);
            self.counters.lines_sent += 1;
        }
        if !self.inputs.are_used() || self.farewell {
            return Ok(Vec::new());
        }
        let lines = port.inputs().inspect_err(|_| self.failed = true)?;
        Ok(self.look(lines, now_ms))
    }

    fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn health(&self, _now_ms: u64) -> Health {
        if self.failed {
            return Health::Silent(Text {
                en: "the port has no DTR, RTS, CTS or DSR lines that can be used".into(),
                zh: "该串口没有可用的 DTR、RTS、CTS、DSR 信号线".into(),
            });
        }
        Health::Well
    }

    fn farewell(&mut self, _now_ms: u64) {
        self.farewell = true;
        self.lights.all_off();
    }

    fn has_said_farewell(&self) -> bool {
        self.farewell && (self.told == Some((false, false)) || self.failed)
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Event, EventKind, Interval};
    use crate::rules::Color;
    use crate::signal::message::Button;
    use crate::signal::model::Model;
    use crate::signal::show::Lamp;

    /// A port's lines without a port.
    #[derive(Default)]
    struct Wires {
        outputs: Vec<(bool, bool)>,
        inputs: InputLines,
    }

    impl ModemLines for Wires {
        fn set_outputs(&mut self, dtr: bool, rts: bool) -> io::Result<()> {
            self.outputs.push((dtr, rts));
            Ok(())
        }

        fn inputs(&mut self) -> io::Result<InputLines> {
            Ok(self.inputs)
        }
    }

    fn driver() -> LinesDriver {
        let outputs = LineOutputs { dtr: Some(Lamp::Red), rts: Some(Lamp::Green) };
        let inputs = LineInputs {
            cts: Some(InputMeaning::Press(Color::Black)),
            dsr: Some(InputMeaning::Press(Color::White)),
            ri: Some(InputMeaning::Button(Button::Acknowledge)),
            cd: None,
        };
        let mut driver = LinesDriver::new(outputs, inputs, LightRules::usual(0));
        driver.opened(0);
        driver.show(&Arc::new(Model::new(true).outlook()), 0);
        driver
    }

    #[test]
    fn lamps_are_set_once_and_no_more_than_needed() {
        let (mut driver, mut wires) = (driver(), Wires::default());
        driver.lines(&mut wires, 0).unwrap();
        assert_eq!(wires.outputs, [(false, true)], "red was never raised");
        let mut model = Model::new(true);
        model.apply(&Event { seq: 1, ..Event::new(EventKind::DoubleMove, Interval::default(), 0, 1.0) }, false);
        driver.show(&Arc::new(model.outlook()), 10);
        driver.lines(&mut wires, 10).unwrap();
        driver.lines(&mut wires, 20).unwrap();
        driver.farewell(30);
        driver.lines(&mut wires, 30).unwrap();
        assert_eq!(wires.outputs, [(false, true), (true, false), (false, false)]);
        assert!(driver.has_said_farewell());
    }

    #[test]
    fn presses_are_seen_at_once_and_bounces_are_not() {
        let (mut driver, mut wires) = (driver(), Wires::default());
        wires.inputs.dsr = true;
        let mut told = Vec::new();
        for now_ms in 0..300 {
            wires.inputs.cts = match now_ms {
                100..=104 | 107..=160 => true,
                // bounces when it opens
                164 => true,
                _ => false,
            };
            wires.inputs.ri = now_ms >= 250;
            told.extend(driver.lines(&mut wires, now_ms).unwrap());
        }
        let press = PressSeen { side: Color::Black, at_ms: 100, uncertainty_ms: UNCERTAINTY_MS };
        let button = Pressed { button: Button::Acknowledge, alarm: None };
        assert_eq!(told, [FromDevice::Press(press), FromDevice::Button(button)]);
    }
}
