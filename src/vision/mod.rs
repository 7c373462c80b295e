//! From pictures to sightings: find the board, follow it, read every point.
//!
//! Enters: frames (pixels). Leaves: [`Sighting`]s. It may never know of rules, games or whose turn it is.

mod sighting;

pub use sighting::{LooseStone, PointReading, Scene, Sighting};
