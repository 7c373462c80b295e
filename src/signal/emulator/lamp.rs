//! An LCUS relay board, emulated.

use std::io;
use std::path::Path;

use crossbeam_channel::Receiver;

use super::runner::{Command, Device, Running};
use super::{EmulatorOptions, Heard, What};
use crate::signal::lcus::{Request, RequestDecoder};

/// The board as a state machine.
#[derive(Debug, Default)]
pub struct LampDevice {
    decoder: RequestDecoder,
    relays: [bool; 8],
    lie_next: bool,
    out: Vec<u8>,
}

impl LampDevice {
    /// The relays that are on, 1 to 8.
    pub fn on(&self) -> Vec<u8> {
        (1..=8).filter(|&c| self.relays[usize::from(c) - 1]).collect()
    }
}

impl Device for LampDevice {
    const HAS_LINES: bool = false;

    fn receive(&mut self, bytes: &[u8], _now_ms: u64) -> Vec<What> {
        let mut what = Vec::new();
        for &byte in bytes {
            match self.decoder.push(byte) {
                Some(Request::Switch(switch)) => {
                    let relay = &mut self.relays[usize::from(switch.channel) - 1];
                    let changed = std::mem::replace(relay, switch.on) != switch.on;
                    what.push(What::Relay { channel: switch.channel, on: switch.on, changed });
                }
                Some(Request::Query) => {
                    let lie = std::mem::take(&mut self.lie_next);
                    for (n, on) in self.relays.iter().enumerate() {
                        let state = if *on != lie { "ON" } else { "OFF" };
                        self.out.extend_from_slice(format!("CH{}:{state}\r\n", n + 1).as_bytes());
                    }
                }
                None => {}
            }
        }
        what
    }

    fn poll(&mut self, _now_ms: u64) -> Vec<What> {
        Vec::new()
    }

    fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn be_busy(&mut self) {
        self.lie_next = true;
    }

    fn power_cycle(&mut self, _now_ms: u64) {
        *self = LampDevice::default();
    }
}

/// An emulated relay board on a pseudo-terminal.
#[derive(Debug)]
pub struct Lamp(Running);

impl Lamp {
    /// Starts it.
    ///
    /// # Errors
    /// No pseudo-terminal; something is in the link's place.
    pub fn spawn(options: EmulatorOptions) -> io::Result<Lamp> {
        Running::spawn(LampDevice::default(), options).map(Lamp)
    }

    /// The path of its port, for goband to open.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// What it took in.
    pub fn heard(&self) -> &Receiver<Heard> {
        self.0.heard()
    }

    /// Pulls the plug; the board has its power from it.
    pub fn unplug(&self) {
        self.0.command(Command::Unplug);
        self.0.command(Command::PowerCycle);
    }

    /// Plugs it in again: another pseudo-terminal under the same link, all relays off.
    pub fn plug(&self) {
        self.0.command(Command::Plug);
    }
}
