//! What really happened, frame by frame, in the format of footage's `truth.json` (`docs/virtualboard.md`).

use serde::{Deserialize, Serialize};

use crate::game::{EventKind, Spot};
use crate::rules::{Board, Color, Point};

/// The outermost crossings in pixels: `board[0][0]`, `board[0][N-1]`, `board[N-1][N-1]`, `board[N-1][0]`.
pub type Corners = [[f64; 2]; 4];

/// The truth of a whole piece of footage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    pub name: String,
    pub size: u8,
    /// For people.
    pub look: String,
    pub fps: f64,
    pub frames: u64,
    pub width: u32,
    pub height: u32,
    /// From frame, to frame (included), corners with lens distortion.
    pub camera: Vec<(u64, u64, Corners)>,
    pub start_position: Board,
    pub moves: Vec<TrueMove>,
    pub events: Vec<TrueEvent>,
    /// From frame, what lies on the board, also under a hand.
    pub positions: Vec<(u64, Board)>,
    /// From frame, the stones more than 0.35 pitch off their crossing, or beside the lines.
    pub off_point_stones: Vec<(u64, Vec<OffPointStone>)>,
    /// From frame, to frame (included): a hand or sleeve over the grid.
    pub occluded: Vec<(u64, u64)>,
}

/// Colour, row, column.
pub type OffPointStone = (Color, f64, f64);

/// A move of the finished record. Void stones are not moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrueMove {
    pub n: u32,
    pub color: Color,
    pub point: Point,
    /// First frame with the stone on the board, usually under the fingers.
    pub frame_placed: u64,
    pub captured: Vec<Point>,
    /// First frame in which every captured stone is off the board; `None` without captures.
    pub frame_captures_cleared: Option<u64>,
    /// First frame from then on without a hand over the grid.
    pub frame_clear: Option<u64>,
    /// First frame from then on in which the point is not hidden.
    pub frame_point_seen: Option<u64>,
}

/// Something besides the moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrueEvent {
    pub kind: EventKind,
    /// The hand that does it sets out.
    pub frame_start: u64,
    pub color: Option<Color>,
    pub points: Vec<Spot>,
    /// For people.
    pub description: String,
    /// First frame in which all is right again.
    pub repaired_frame: Option<u64>,
    /// First frame in which the wrong thing is there.
    pub frame_state: u64,
    /// First frame that a camera could know it from.
    pub frame_visible: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub frame_point_seen: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub repaired_visible: Option<u64>,
}

/// The truth of one frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameTruth {
    pub frame: u64,
    pub time_ms: u64,
    /// What lies on the points, also under a hand. A stone counts for the crossing it is nearest to.
    pub board: Board,
    /// Points that a hand, an arm or a held stone hides from the camera.
    pub hidden: Vec<Point>,
    /// A hand or sleeve is over the grid.
    pub occluded: bool,
    pub corners: Corners,
    pub off_point: Vec<OffPointStone>,
    /// The moves played so far.
    pub moves: usize,
}

impl Truth {
    /// What is true up to and including a frame.
    pub fn until(&self, frame: u64) -> Truth {
        let seen = |f: &Option<u64>| f.filter(|f| *f <= frame);
        let cut = |spans: &[(u64, u64)]| -> Vec<(u64, u64)> {
            spans.iter().filter(|s| s.0 <= frame).map(|s| (s.0, s.1.min(frame))).collect()
        };
        Truth {
            frames: self.frames.min(frame + 1),
            camera: self.camera.iter().filter(|c| c.0 <= frame).map(|c| (c.0, c.1.min(frame), c.2)).collect(),
            moves: self
                .moves
                .iter()
                .filter(|m| m.frame_placed <= frame)
                .map(|m| TrueMove {
                    frame_captures_cleared: seen(&m.frame_captures_cleared),
                    frame_clear: seen(&m.frame_clear),
                    frame_point_seen: seen(&m.frame_point_seen),
                    ..m.clone()
                })
                .collect(),
            events: self
                .events
                .iter()
                .filter(|e| e.frame_state <= frame)
                .map(|e| TrueEvent {
                    repaired_frame: seen(&e.repaired_frame),
                    frame_visible: seen(&e.frame_visible),
                    frame_point_seen: seen(&e.frame_point_seen),
                    repaired_visible: seen(&e.repaired_visible),
                    ..e.clone()
                })
                .collect(),
            positions: self.positions.iter().filter(|p| p.0 <= frame).cloned().collect(),
            off_point_stones: self.off_point_stones.iter().filter(|p| p.0 <= frame).cloned().collect(),
            occluded: cut(&self.occluded),
            ..self.clone()
        }
    }
}
