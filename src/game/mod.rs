//! The game: the one list of all that can happen ([`Event`]), the state as a fold over events, SGF in and out.
//!
//! Enters: events. Leaves: the state of a game, its record, sentences for people. It may never know of pixels, ports or
//! clocks.

mod clock;
mod conduct;
mod describe;
pub mod diagram;
mod event;
mod final_count;
mod info;
pub mod sgf;
mod sink;
mod state;
mod word;

pub use crate::rules::Text;
pub use clock::{ClockCall, ClockTimes, SideClock, TimePhase};
pub use conduct::{case, decision};
pub use describe::describe;
pub use event::{Event, EventKind, Interval, MoveName, Restore, RestoreTo, Spot};
pub use final_count::FinalCount;
pub use info::{GameInfo, Orientation, Player};
pub use sink::SinkReport;
pub use state::{Ended, GameState, InfractionRecord, MoveRecord, Prisoners, SceneState};
pub use word::{Settlement, Word};
