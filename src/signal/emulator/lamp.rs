//! An LCUS relay board, emulated.

use std::io;
use std::path::Path;

use crossbeam_channel::Receiver;

use super::runner::{Command, Device, Running};
use super::{EmulatorOptions, Heard, What};
use crate::signal::lcus::{Request, RequestDecoder};

/// A relay that has not moved for so long lets the timer behind it cut the lamps' supply.
pub const TIMER_MS: u64 = 2000;

/// A retriggerable timer, wired to one relay: the watchdog that such boards do not have themselves.
#[derive(Clone, Copy, Debug)]
struct Timer {
    channel: u8,
    moved_ms: u64,
    is_cut: bool,
}

/// The board as a state machine.
#[derive(Debug, Default)]
pub struct LampDevice {
    decoder: RequestDecoder,
    relays: [bool; 8],
    timer: Option<Timer>,
    lie_next: bool,
    out: Vec<u8>,
}

impl LampDevice {
    /// A board behind whose relay `channel` a timer waits for goband's heartbeat.
    pub fn with_timer(channel: u8) -> LampDevice {
        LampDevice { timer: Some(Timer { channel, moved_ms: 0, is_cut: false }), ..LampDevice::default() }
    }

    /// The relays that are on, 1 to 8.
    pub fn on(&self) -> Vec<u8> {
        (1..=8).filter(|&c| self.relays[usize::from(c) - 1]).collect()
    }
}

impl Device for LampDevice {
    const HAS_LINES: bool = false;

    fn receive(&mut self, bytes: &[u8], now_ms: u64) -> Vec<What> {
        let mut what = Vec::new();
        for &byte in bytes {
            match self.decoder.push(byte) {
                Some(Request::Switch(switch)) => {
                    let relay = &mut self.relays[usize::from(switch.channel) - 1];
                    let changed = std::mem::replace(relay, switch.on) != switch.on;
                    what.push(What::Relay { channel: switch.channel, on: switch.on, changed });
                    if let Some(timer) = self.timer.as_mut().filter(|t| changed && t.channel == switch.channel) {
                        timer.moved_ms = now_ms;
                        if std::mem::take(&mut timer.is_cut) {
                            what.push(What::Supply { on: true });
                        }
                    }
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

    fn poll(&mut self, now_ms: u64) -> Vec<What> {
        match &mut self.timer {
            Some(timer) if !timer.is_cut && now_ms >= timer.moved_ms + TIMER_MS => {
                timer.is_cut = true;
                vec![What::Supply { on: false }]
            }
            _ => Vec::new(),
        }
    }

    fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn be_busy(&mut self) {
        self.lie_next = true;
    }

    fn power_cycle(&mut self, now_ms: u64) {
        let timer = self.timer.map(|t| Timer { moved_ms: now_ms, is_cut: false, ..t });
        *self = LampDevice { timer, ..LampDevice::default() };
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

    /// Starts one behind whose relay `channel` a timer waits for goband's heartbeat.
    ///
    /// # Errors
    /// As [`Lamp::spawn`].
    pub fn spawn_timed(channel: u8, options: EmulatorOptions) -> io::Result<Lamp> {
        Running::spawn(LampDevice::with_timer(channel), options).map(Lamp)
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
