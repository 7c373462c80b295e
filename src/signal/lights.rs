//! Which lamp is lit in which state, and when the buzzer sounds: the same for every board of relays. Pure.

use super::config::LampChannels;
use super::model::{Outlook, State, Weight};

/// The lamps by urgency: what is dark while it should be lit is worst for the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lamp {
    Red,
    Buzzer,
    Amber,
    Green,
}

/// The lamps that are wired, the most urgent first, with their channels.
pub fn wired(channels: LampChannels) -> Vec<(Lamp, u8)> {
    let all = [
        (Lamp::Red, channels.red),
        (Lamp::Buzzer, channels.buzzer),
        (Lamp::Amber, channels.amber),
        (Lamp::Green, channels.green),
    ];
    all.into_iter().filter_map(|(lamp, channel)| Some((lamp, channel?))).collect()
}

/// What is to be lit.
#[derive(Clone, Debug)]
pub struct Lights {
    state: Option<State>,
    buzzer_ms: u64,
    /// Alarms up to this one have sounded.
    sounded: u64,
    buzzer_until_ms: u64,
    all_off: bool,
}

impl Lights {
    /// All dark; the buzzer will sound `buzzer_ms` for each new infraction.
    pub fn new(buzzer_ms: u64) -> Lights {
        Lights { state: None, buzzer_ms, sounded: 0, buzzer_until_ms: 0, all_off: false }
    }

    /// Takes the newest outlook.
    pub fn show(&mut self, outlook: &Outlook, now_ms: u64) {
        let is_new = |number: u64| number > self.sounded;
        let fresh = outlook.alarms.iter().any(|a| {
            is_new(a.number) && a.weight == Weight::Infraction && !a.old && !a.acknowledged && a.closed.is_none()
        });
        if fresh {
            self.buzzer_until_ms = now_ms + self.buzzer_ms;
        } else if outlook.state != State::Infraction {
            self.buzzer_until_ms = 0;
        }
        self.sounded = outlook.alarms.iter().map(|a| a.number).max().unwrap_or(0).max(self.sounded);
        self.state = Some(outlook.state);
    }

    /// Everything dark from now on.
    pub fn all_off(&mut self) {
        self.all_off = true;
    }

    /// A fault lights red and amber together, unlike everything else.
    pub fn is_lit(&self, lamp: Lamp, now_ms: u64) -> bool {
        let Some(state) = self.state.filter(|_| !self.all_off) else { return false };
        match lamp {
            Lamp::Green => state == State::Idle,
            Lamp::Amber => matches!(state, State::Attention | State::Fault),
            Lamp::Red => matches!(state, State::Infraction | State::Fault),
            Lamp::Buzzer => now_ms < self.buzzer_until_ms,
        }
    }

    /// When the buzzer falls silent, if it sounds.
    pub fn next_change_ms(&self, now_ms: u64) -> Option<u64> {
        (now_ms < self.buzzer_until_ms).then_some(self.buzzer_until_ms)
    }
}
