//! Devices without hardware: each behaves like its device on a pseudo-terminal, faults on request. For `goband emulate`,
//! `goband demo` and the tests.
//!
//! Enters: bytes that goband sends. Leaves: what the device would show ([`Heard`]), and its answers.

mod clock;
mod console;
mod dgt;
pub(super) mod faults;
mod gateway;
mod lamp;
mod line;
mod modbus;
mod pty;
pub(super) mod runner;
#[cfg(test)]
mod tests;
mod timepiece;
mod tower;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crossbeam_channel::Receiver;

pub use clock::ClockDevice;
pub use console::{Console, ConsoleDevice};
pub use dgt::DgtDevice;
pub use faults::Faults;
pub use gateway::GatewayDevice;
pub use lamp::{Lamp, LampDevice};
pub use modbus::{Modbus, ModbusDevice};
pub use pty::Pty;
pub use timepiece::{Allowance, Timepiece};
pub use tower::TowerDevice;

use super::message::{Button, Message};
use super::tower::Action;
use runner::{Command, Device, Running};

/// How an emulated device is to behave.
#[derive(Clone, Debug, Default)]
pub struct EmulatorOptions {
    /// A symbolic link to the pseudo-terminal, made at the start and removed at the end.
    pub link: Option<PathBuf>,
    pub faults: Faults,
}

/// What a device took in.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    pub at: Instant,
    pub what: What,
}

/// Content of a [`Heard`].
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// Console: a message; `repeated` if it came before and shows nothing new.
    Message { message: Message, repeated: bool },
    /// Console: nothing was heard from goband for 3 s.
    NoGoband,
    /// Relay board: a relay was told to be on or off; `changed` if it was not so before.
    Relay { channel: u8, on: bool, changed: bool },
    /// Relay board with a timer: it cuts the lamps' supply, or gives it back.
    Supply { on: bool },
    /// Tower: a lamp was told what to do; `changed` if it did something else before.
    Tower { lamp: &'static str, action: Action, changed: bool },
    /// A clock: what it shows or does now, in words.
    Clock(String),
    /// Bytes that mean nothing.
    Garbage,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Message { message, repeated: false } => message.fmt(f),
            What::Message { message, repeated: true } => write!(f, "{message} (again)"),
            What::NoGoband => f.write_str("NO GOBAND: nothing heard for 3 s"),
            What::Relay { channel, on, .. } => write!(f, "relay {channel} {}", if *on { "ON" } else { "off" }),
            What::Supply { on: false } => f.write_str("DARK: no heartbeat, the timer cuts the lamps' supply"),
            What::Supply { on: true } => f.write_str("the lamps have their supply again"),
            What::Tower { lamp, action, .. } => {
                let action = match action {
                    Action::On => "ON",
                    Action::Off => "off",
                    Action::Blink => "BLINKS",
                };
                write!(f, "{lamp} {action}")
            }
            What::Clock(words) => write!(f, "clock: {words}"),
            What::Garbage => f.write_str("garbled bytes"),
        }
    }
}

impl Heard {
    /// Something that a person who watches the device would notice.
    pub fn is_news(&self) -> bool {
        match &self.what {
            What::Message { message, repeated } => {
                !repeated && !matches!(message, Message::Beat { .. } | Message::Hello { .. })
            }
            What::Relay { changed, .. } | What::Tower { changed, .. } => *changed,
            What::NoGoband | What::Supply { .. } | What::Clock(_) | What::Garbage => true,
        }
    }
}

/// An emulated device on a pseudo-terminal.
#[derive(Debug)]
pub struct Emulated(Running);

impl Emulated {
    fn spawn<D: Device + 'static>(device: D, options: EmulatorOptions) -> io::Result<Emulated> {
        Running::spawn(device, options).map(Emulated)
    }

    /// A clock that speaks goband's line protocol.
    ///
    /// # Errors
    /// No pseudo-terminal; something is in the link's place.
    pub fn clock(allowance: Allowance, options: EmulatorOptions) -> io::Result<Emulated> {
        Emulated::spawn(ClockDevice::new(allowance), options)
    }

    /// A DGT-compatible board with a clock; Black sits at the left.
    ///
    /// # Errors
    /// As [`Emulated::clock`].
    pub fn dgt(allowance: Allowance, options: EmulatorOptions) -> io::Result<Emulated> {
        Emulated::spawn(DgtDevice::new(allowance), options)
    }

    /// A DGT3000 behind a gateway that speaks JSON lines; Black sits at the left.
    ///
    /// # Errors
    /// As [`Emulated::clock`].
    pub fn dgt3000(allowance: Allowance, options: EmulatorOptions) -> io::Result<Emulated> {
        Emulated::spawn(GatewayDevice::new(allowance), options)
    }

    /// A one-byte tower lamp.
    ///
    /// # Errors
    /// As [`Emulated::clock`].
    pub fn tower(options: EmulatorOptions) -> io::Result<Emulated> {
        Emulated::spawn(TowerDevice::default(), options)
    }

    /// The path of its port, for goband to open.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// What it took in.
    pub fn heard(&self) -> &Receiver<Heard> {
        self.0.heard()
    }

    /// Does something to the device, in the words that `goband emulate` takes: `press b`, `press left`, `stand` …
    pub fn input(&self, words: &str) {
        self.0.command(Command::Input(words.to_owned()));
    }

    /// Presses a button; `alarm` none: the newest.
    pub fn press(&self, button: Button, alarm: Option<u64>) {
        self.0.command(Command::Press(button, alarm.unwrap_or(0)));
    }

    /// Pulls the plug; the device itself stays switched on.
    pub fn unplug(&self) {
        self.0.command(Command::Unplug);
    }

    /// Plugs it in again: another pseudo-terminal under the same link.
    pub fn plug(&self) {
        self.0.command(Command::Plug);
    }

    /// Answers nothing from now on, or answers again.
    pub fn set_silent(&self, silent: bool) {
        self.0.command(Command::Silent(silent));
    }

    /// Switches it off and on.
    pub fn power_cycle(&self) {
        self.0.command(Command::PowerCycle);
    }
}
