//! The driver of a one-byte USB tower lamp. The tower confirms nothing: its whole state is sent again every few seconds. Pure.

use std::sync::Arc;

use super::driver::{Driver, FromDevice, Health};
use super::exchange::Counters;
use super::lights::{Lamp, LightRules, Lights};
use super::model::Outlook;
use super::tower::{Action, LAMPS, TowerCommand};

/// Pause between two bytes.
const GAP_MS: u64 = 10;

/// The driver.
#[derive(Debug)]
pub struct TowerDriver {
    lights: Lights,
    /// What each lamp was last told; None: not known.
    told: [Option<Action>; LAMPS.len()],
    reassert_ms: u64,
    reassert_due_ms: u64,
    next_byte_ms: u64,
    out: Vec<u8>,
    farewell: bool,
    counters: Counters,
}

impl TowerDriver {
    /// A driver that sends everything again every `reassert_ms`.
    pub fn new(rules: LightRules, reassert_ms: u64) -> TowerDriver {
        TowerDriver {
            lights: Lights::new(rules),
            told: [None; LAMPS.len()],
            reassert_ms,
            reassert_due_ms: 0,
            next_byte_ms: 0,
            out: Vec::new(),
            farewell: false,
            counters: Counters::default(),
        }
    }

    /// The tower blinks by itself: it does not need us for that.
    fn wanted(&self, lamp: Lamp, now_ms: u64) -> Action {
        match (self.lights.is_blinking(lamp), self.lights.is_lit(lamp, now_ms)) {
            (true, _) => Action::Blink,
            (_, true) => Action::On,
            _ => Action::Off,
        }
    }
}

impl Driver for TowerDriver {
    fn opened(&mut self, now_ms: u64) {
        self.told = [None; LAMPS.len()];
        self.out.clear();
        self.next_byte_ms = now_ms;
        self.reassert_due_ms = now_ms + self.reassert_ms;
    }

    fn show(&mut self, outlook: &Arc<Outlook>, now_ms: u64) {
        self.lights.show(outlook, now_ms);
    }

    fn received(&mut self, _bytes: &[u8], _now_ms: u64) -> Vec<FromDevice> {
        Vec::new()
    }

    fn poll(&mut self, now_ms: u64) -> Option<u64> {
        self.lights.tick(now_ms);
        if now_ms >= self.reassert_due_ms {
            self.reassert_due_ms = now_ms + self.reassert_ms;
            // a blinking lamp would lose its beat
            self.told.iter_mut().filter(|t| **t != Some(Action::Blink)).for_each(|t| *t = None);
            self.counters.repeats += 1;
        }
        let wanted = LAMPS.map(|(lamp, _)| self.wanted(lamp, now_ms));
        let differs = |n: &usize| self.told[*n] != Some(wanted[*n]);
        // a change goes before a mere repetition
        let due = (0..LAMPS.len()).filter(differs);
        let next = due.clone().find(|n| self.told[*n].is_some()).or_else(|| due.clone().next());
        let is_due = next.is_some();
        if let Some(n) = next.filter(|_| now_ms >= self.next_byte_ms) {
            // some towers add "on" to "blink": off lies between
            let between = self.told[n] == Some(Action::Blink) && wanted[n] == Action::On;
            let action = if between { Action::Off } else { wanted[n] };
            self.out.extend(TowerCommand { lamp: LAMPS[n].0, action }.encode());
            self.told[n] = Some(action);
            self.counters.lines_sent += 1;
            self.next_byte_ms = now_ms + GAP_MS;
        }
        let byte = is_due.then_some(self.next_byte_ms.max(now_ms + 1));
        [Some(self.reassert_due_ms), byte, self.lights.next_change_ms(now_ms)].into_iter().flatten().min()
    }

    fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn health(&self, _now_ms: u64) -> Health {
        Health::Well
    }

    fn farewell(&mut self, _now_ms: u64) {
        if !std::mem::replace(&mut self.farewell, true) {
            self.lights.all_off();
        }
    }

    fn has_said_farewell(&self) -> bool {
        self.farewell && self.told.iter().all(|t| *t == Some(Action::Off))
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Event, EventKind, Interval};
    use crate::signal::model::Model;

    fn run(driver: &mut TowerDriver, from_ms: u64, to_ms: u64) -> Vec<(u64, u8)> {
        let mut bytes = Vec::new();
        for now_ms in from_ms..to_ms {
            driver.poll(now_ms);
            bytes.extend(driver.output().drain(..).map(|b| (now_ms, b)));
        }
        bytes
    }

    #[test]
    fn all_off_at_the_start_but_green_and_red_at_once() {
        let mut driver = TowerDriver::new(LightRules::usual(200), 5000);
        let mut model = Model::new(false);
        driver.opened(0);
        driver.show(&Arc::new(model.outlook()), 0);
        let start: Vec<u8> = run(&mut driver, 0, 100).into_iter().map(|(_, b)| b).collect();
        assert_eq!(start, [0x21, 0x22, 0x14, 0x28]);
        model.apply(&Event { seq: 1, ..Event::new(EventKind::DoubleMove, Interval::default(), 0, 1.0) }, false);
        driver.show(&Arc::new(model.outlook()), 100);
        let alarm = run(&mut driver, 100, 400);
        assert_eq!(alarm[0], (100, 0x11), "red first");
        assert_eq!(alarm.iter().map(|(_, b)| *b).collect::<Vec<_>>(), [0x11, 0x24, 0x18, 0x28]);
        assert_eq!(run(&mut driver, 400, 5100).len(), 4, "all is said again");
        driver.farewell(5100);
        assert_eq!(run(&mut driver, 5100, 5200), [(5100, 0x21)]);
        assert!(driver.has_said_farewell());
    }

    #[test]
    fn it_blinks_by_itself() {
        let mut rules = LightRules::usual(0);
        rules.show = rules.show.with(&toml::from_str("idle = [\"green blink\"]").unwrap());
        let mut driver = TowerDriver::new(rules, 2000);
        driver.opened(0);
        driver.show(&Arc::new(Model::new(false).outlook()), 0);
        let bytes: Vec<u8> = run(&mut driver, 0, 3000).into_iter().map(|(_, b)| b).collect();
        assert_eq!(bytes, [0x21, 0x22, 0x44, 0x28, 0x21, 0x22, 0x28]);
    }
}
