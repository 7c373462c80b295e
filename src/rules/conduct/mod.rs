//! Match conduct: who plays Black, and team matches with their sections, seats, substitutions and time-outs.

mod rule;

pub use rule::{Cited, ConductRule, Rotation, SeatOrderRule, SectionsFile, SectionsRule, TeamFile, TeamItem, TeamRule};
