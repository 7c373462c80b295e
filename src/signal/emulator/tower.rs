//! A one-byte USB tower lamp, emulated.

use super::What;
use super::runner::Device;
use crate::signal::show::Lamp;
use crate::signal::tower::{Action, LAMPS, TowerCommand};

/// The tower as a state machine.
#[derive(Debug)]
pub struct TowerDevice {
    lamps: [Action; LAMPS.len()],
    out: Vec<u8>,
}

impl Default for TowerDevice {
    fn default() -> TowerDevice {
        TowerDevice { lamps: [Action::Off; LAMPS.len()], out: Vec::new() }
    }
}

impl TowerDevice {
    /// What a lamp does.
    pub fn lamp(&self, lamp: Lamp) -> Action {
        LAMPS.iter().zip(self.lamps).find(|((l, _), _)| *l == lamp).map_or(Action::Off, |(_, action)| action)
    }
}

impl Device for TowerDevice {
    const HAS_LINES: bool = false;

    fn receive(&mut self, bytes: &[u8], _now_ms: u64) -> Vec<What> {
        let take = |&byte: &u8| {
            let Some(TowerCommand { lamp, action }) = TowerCommand::decode(byte) else { return What::Garbage };
            let place = LAMPS.iter().position(|(l, _)| *l == lamp).unwrap_or(0);
            let changed = std::mem::replace(&mut self.lamps[place], action) != action;
            What::Tower { lamp: lamp.name(), action, changed }
        };
        bytes.iter().map(take).collect()
    }

    fn poll(&mut self, _now_ms: u64) -> Vec<What> {
        Vec::new()
    }

    fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn power_cycle(&mut self, _now_ms: u64) {
        *self = TowerDevice::default();
    }
}
