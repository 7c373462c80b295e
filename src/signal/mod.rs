//! What the referee and the players' table are told over serial lines: lamps, the console, later clocks.
//!
//! Enters: events. Leaves: bytes on ports. It may never hold up the referee.

mod config;

pub use config::{DeviceConfig, DeviceKind, LampChannels, Language};
