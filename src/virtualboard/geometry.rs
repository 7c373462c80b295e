//! The board as a thing: measures in millimetres, where its points are, where it lies.

use serde::{Deserialize, Serialize};

use super::space::{V3, v3};

/// Measures of a board. Columns lie along x, rows along y.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoardGeometry {
    pub size: u8,
    /// Between neighbouring columns and between neighbouring rows.
    pub pitch_mm: [f32; 2],
    /// From the outermost line to the board's edge.
    pub margin_mm: f32,
    pub thickness_mm: f32,
    pub line_mm: f32,
    pub star_mm: f32,
}

impl BoardGeometry {
    pub fn half_x_mm(&self) -> f32 {
        self.pitch_mm[0] * f32::from(self.size - 1) / 2.0 + self.margin_mm
    }

    pub fn half_y_mm(&self) -> f32 {
        self.pitch_mm[1] * f32::from(self.size - 1) / 2.0 + self.margin_mm
    }

    /// Place of a point from the board's centre; rows and columns may be fractions.
    pub fn place(&self, row: f32, col: f32) -> V3 {
        let middle = f32::from(self.size - 1) / 2.0;
        v3((col - middle) * self.pitch_mm[0], (row - middle) * self.pitch_mm[1], 0.0)
    }

    /// The way back: [row, column] of a place on the board.
    pub fn row_col(&self, place: V3) -> [f32; 2] {
        let middle = f32::from(self.size - 1) / 2.0;
        [place.y / self.pitch_mm[1] + middle, place.x / self.pitch_mm[0] + middle]
    }

    /// Star points as the boards of this size have them.
    pub fn stars(&self) -> &'static [(u8, u8)] {
        match self.size {
            19 => &[(3, 3), (3, 9), (3, 15), (9, 3), (9, 9), (9, 15), (15, 3), (15, 9), (15, 15)],
            13 => &[(3, 3), (3, 9), (6, 6), (9, 3), (9, 9)],
            9 => &[(2, 2), (2, 6), (4, 4), (6, 2), (6, 6)],
            _ => &[],
        }
    }
}

/// Where the board lies: its centre from where it lay at first, and its turn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoardPose {
    pub shift_mm: [f32; 2],
    pub turn_rad: f32,
}

impl BoardPose {
    pub fn to_world(self, p: V3) -> V3 {
        let (s, c) = self.turn_rad.sin_cos();
        v3(p.x * c - p.y * s + self.shift_mm[0], p.x * s + p.y * c + self.shift_mm[1], p.z)
    }

    pub fn to_board(self, p: V3) -> V3 {
        let (x, y) = (p.x - self.shift_mm[0], p.y - self.shift_mm[1]);
        let (s, c) = self.turn_rad.sin_cos();
        v3(x * c + y * s, y * c - x * s, p.z)
    }

    /// A direction, turned only.
    pub fn direction_to_board(self, d: V3) -> V3 {
        let (s, c) = self.turn_rad.sin_cos();
        v3(d.x * c + d.y * s, d.y * c - d.x * s, d.z)
    }
}
