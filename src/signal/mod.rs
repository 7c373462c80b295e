//! What the referee and the players' table are told over serial lines: lamps, the console, later clocks.
//!
//! Enters: events. Leaves: bytes on ports. It may never hold up the referee.
//!
//! [`model`] folds events into an outlook (what is to be shown); a driver ([`console`], [`lamp`], [`modbus_lamp`]) is a state machine that
//! brings one device to the newest outlook; `device` runs it on a port, in a thread of its own. [`frame`], [`message`],
//! [`lcus`] and [`modbus`] are the bytes. [`emulator`] plays the devices' side. The console's protocol: `docs/serial-protocol.md`.

mod config;
pub mod console;
pub mod crc;
mod device;
pub mod driver;
pub mod emulator;
pub mod exchange;
pub mod frame;
mod hub;
pub mod lamp;
pub mod lcus;
pub mod lights;
mod link;
pub mod message;
pub mod modbus;
pub mod modbus_lamp;
pub mod model;
mod signals;

pub use config::{DeviceConfig, DeviceKind, LampChannels, Language};
pub use device::{DeviceState, DeviceStatus};
pub use hub::ConsoleInput;
pub use message::Button;
pub use model::{Alarm, Closing, Outlook, State, Weight};
pub use signals::{SignalConfig, SignalError, Signals};
