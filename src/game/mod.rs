//! The game: the one list of all that can happen ([`Event`]), the state as a fold over events, SGF in and out.
//!
//! Enters: events. Leaves: the state of a game, its record. It may never know of pixels, ports or clocks.

pub mod diagram;
mod event;
mod sink;

pub use event::{Event, EventKind, Interval, Restore, RestoreTo, Spot, Text};
pub use sink::SinkReport;
