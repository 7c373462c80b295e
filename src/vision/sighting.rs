//! What was seen in one frame. No OpenCV here: the referee uses these types.

use serde::{Deserialize, Serialize};

use crate::rules::{Color, Point};

/// What one point looks like: probabilities that sum to 1, and where its stone stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointReading {
    pub empty: f32,
    pub black: f32,
    pub white: f32,
    /// Behind a hand, arm or thing: nothing is known.
    pub hidden: f32,
    /// The stone's centre from its crossing in pitches `[right, down]`, parallax corrected; zero without a stone.
    pub offset: [f32; 2],
}

impl PointReading {
    pub const HIDDEN: PointReading = PointReading { empty: 0.0, black: 0.0, white: 0.0, hidden: 1.0, offset: [0.0; 2] };

    /// A reading that is sure of `cell`.
    pub fn sure(cell: Option<Color>) -> PointReading {
        let one = |b: bool| if b { 1.0 } else { 0.0 };
        PointReading {
            empty: one(cell.is_none()),
            black: one(cell == Some(Color::Black)),
            white: one(cell == Some(Color::White)),
            hidden: 0.0,
            offset: [0.0; 2],
        }
    }

    /// Probability of `cell` (`None`: empty).
    pub fn of(&self, cell: Option<Color>) -> f32 {
        match cell {
            None => self.empty,
            Some(Color::Black) => self.black,
            Some(Color::White) => self.white,
        }
    }

    /// The likeliest state and its probability; `None` while it is hidden or nothing reaches `threshold`.
    pub fn state(&self, threshold: f32) -> Option<Option<Color>> {
        let (p, cell) = [(self.empty, None), (self.black, Some(Color::Black)), (self.white, Some(Color::White))]
            .into_iter()
            .max_by(|a, b| a.0.total_cmp(&b.0))?;
        (p >= threshold).then_some(cell)
    }

    /// `.`, `B`, `W`, or `?` when nothing reaches one half.
    pub fn letter(&self) -> char {
        match self.state(0.5) {
            None => '?',
            Some(None) => '.',
            Some(Some(c)) => c.letter(),
        }
    }
}

/// A stone that lies on the board but on no point of it (beside the grid, or between points).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LooseStone {
    /// Board coordinates in pitches; may be negative or beyond the last line.
    pub row: f32,
    pub col: f32,
    pub color: Color,
    pub confidence: f32,
}

/// A change of the scene as a whole, found by the tracker in this frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scene {
    BoardFound {
        confidence: f32,
    },
    BoardLost,
    /// Everything moved.
    CameraMoved {
        shift_px: f32,
    },
    /// The board moved on the table.
    BoardMoved {
        shift_pitches: f32,
    },
    LightChanged,
    Obstructed,
}

/// One frame, understood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sighting {
    /// Number of the frame in its source.
    pub frame: u64,
    /// Time of the frame, milliseconds since the source started.
    pub time_ms: u64,
    /// 9, 13 or 19; 0 while no board is known.
    pub size: u8,
    /// `size`² readings, row by row; empty while no board is known or the lattice is not trusted in this frame
    /// (just bumped, board covered): then nothing on the board is known.
    pub points: Vec<PointReading>,
    /// A hand, arm or other passing thing is over the grid (some points hidden, or motion over the board).
    pub hand: bool,
    /// Motion on or right beside the board in this frame (a stone may be in the air).
    pub motion: bool,
    pub loose: Vec<LooseStone>,
    pub scene: Vec<Scene>,
}

impl Sighting {
    /// The reading at `p`; hidden where nothing is known.
    pub fn at(&self, p: Point) -> PointReading {
        let i = p.row as usize * self.size as usize + p.col as usize;
        if p.row < self.size && p.col < self.size {
            self.points.get(i).copied().unwrap_or(PointReading::HIDDEN)
        } else {
            PointReading::HIDDEN
        }
    }

    /// N strings of `.`, `B`, `W`, `?`.
    pub fn rows(&self) -> Vec<String> {
        (0..self.size).map(|r| (0..self.size).map(|c| self.at(Point::new(r, c)).letter()).collect()).collect()
    }
}
