//! A movement of the board or camera that is going on.

use super::corner_shift;
use crate::vision::lattice::Lattice;
use crate::vision::sighting::Scene;
use crate::vision::track::Table;

/// Movement of a corner between two frames, pitches, that is one; and from which on the picture is too blurred to be read.
pub(super) const MOVING_PITCHES: f64 = 0.05;
pub(super) const BLURRED_PITCHES: f64 = 0.2;
/// Movement of a corner since the board last lay still, pitches, that is told.
const TOLD_PITCHES: f64 = 0.12;
/// The board lies still again after this long without movement.
pub(super) const MOVE_OVER_MS: u64 = 300;
/// A movement that goes on is told after this long.
pub(super) const MOVE_TELL_MS: u64 = 500;

pub(super) struct Movement {
    /// Where the board last lay still.
    rest: Lattice,
    pub begun_ms: Option<u64>,
    pub last_ms: u64,
    told: bool,
    table_still: u32,
    table_along: u32,
}

impl Movement {
    pub(super) fn none(rest: &Lattice) -> Movement {
        Movement { rest: rest.clone(), begun_ms: None, last_ms: 0, told: false, table_still: 0, table_along: 0 }
    }

    /// What the table did in a frame of the movement.
    pub(super) fn saw(&mut self, table: Table) {
        match table {
            Table::Still => self.table_still += 1,
            Table::MovedAlong => self.table_along += 1,
            Table::Unknown => {}
        }
    }

    /// The event for a board that now lies at `lattice`.
    pub(super) fn tell(&mut self, lattice: &Lattice) -> Option<Scene> {
        let shift_px = corner_shift(&self.rest, lattice);
        let shift = shift_px / lattice.mean_pitch_px();
        if self.told || shift < TOLD_PITCHES {
            return None;
        }
        self.told = true;
        Some(if self.table_still > self.table_along {
            Scene::BoardMoved { shift_pitches: shift as f32 }
        } else {
            Scene::CameraMoved { shift_px: shift_px as f32 }
        })
    }
}
