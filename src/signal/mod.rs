//! What the referee and the players' table are told over serial lines: lamps, the console, the clock.
//!
//! Enters: events; presses and buttons of devices. Leaves: bytes on ports; presses with their uncertainty. It may never hold
//! up the referee.
//!
//! [`model`] folds events into an outlook (what is to be shown), [`clock`] what the clock is to do; a driver ([`console`],
//! [`lamp`], [`modbus_lamp`], [`tower_lamp`], [`lines`], [`dgt`]) is a state machine that brings one device to the newest
//! outlook; `device` runs it on a port, in a thread of its own, and `writer` lets whoever tells of an event write at once. [`frame`], [`message`], [`lcus`], [`modbus`], [`tower`] and
//! [`dgt`] are the bytes. [`emulator`] plays the devices' side. goband's own protocol: `docs/serial-protocol.md`.

pub mod clock;
mod config;
pub mod console;
pub mod crc;
mod device;
pub mod dgt;
pub mod driver;
pub mod emulator;
pub mod exchange;
pub mod frame;
mod hub;
pub mod lamp;
pub mod lcus;
pub mod lights;
pub mod lines;
mod link;
pub mod message;
pub mod modbus;
pub mod modbus_lamp;
pub mod model;
pub mod port;
mod probe;
pub mod show;
mod signals;
pub mod tower;
pub mod tower_lamp;
mod wire_log;
mod writer;

pub use config::{
    AlarmsConfig, ClockConfig, DeviceConfig, DeviceKind, InputMeaning, LampChannels, Language, LineInputs, LineOutputs,
};
pub use device::{DeviceState, DeviceStatus};
pub use hub::{ClockEffect, ClockObeyed, ClockPress, ClockStatus, ConsoleInput};
pub use message::Button;
pub use model::{Alarm, Closing, Outlook, State, Weight};
pub use probe::{Finding, probe};
pub use signals::{SignalConfig, SignalError, Signals};
