//! Devices without hardware: each behaves like its device on a pseudo-terminal, faults on request. For `goband emulate`,
//! `goband demo` and the tests.
//!
//! Enters: bytes that goband sends. Leaves: what the device would show ([`Heard`]), and its answers.

mod console;
pub(super) mod faults;
mod lamp;
mod modbus;
mod pty;
pub(super) mod runner;

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

pub use console::{Console, ConsoleDevice};
pub use faults::Faults;
pub use lamp::{Lamp, LampDevice};
pub use modbus::{Modbus, ModbusDevice};
pub use pty::Pty;

use super::message::Message;

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
            What::Relay { changed, .. } => *changed,
            What::NoGoband | What::Garbage => true,
        }
    }
}
