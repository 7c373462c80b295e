//! Stones that lie on no crossing, followed over time: dropped stones, and those that say that the game is over.

use super::seats::Side;
use crate::game::Spot;
use crate::rules::{Color, Point};
use crate::vision::{LooseStone, Sighting};

/// Beyond this distance a stone does not lie on the crossing that it is nearest to (pitches).
const OFF_GRID_PITCHES: f32 = 0.5;
/// Two sightings this close are one stone (pitches).
const SAME_PITCHES: f64 = 0.35;
/// So far outside the last line begins the margin (pitches).
const OUTSIDE_PITCHES: f64 = 0.3;
/// A stone out there that is read this far off an outermost crossing does not lie on it (pitches).
const OUTSIDE_OFF_PITCHES: f32 = 0.42;
/// Stones farther out are prisoners or bowls (pitches).
const FARTHEST_PITCHES: f64 = 2.0;
/// "At the lower right" reaches so far along the edge (pitches).
const CORNER_PITCHES: f64 = 2.6;

#[derive(Clone, Debug)]
pub struct Loose {
    pub row: f64,
    pub col: f64,
    pub color: Color,
    pub first_ms: u64,
    pub last_ms: u64,
    pub frames: u32,
    /// It lay there before the game began, or has been told of.
    pub known: bool,
    /// The event that told of it, if it must be taken away.
    pub seq: Option<u64>,
}

impl Loose {
    /// Where it lies, to a hundredth of a pitch.
    pub fn spot(&self) -> Spot {
        Spot { row: (self.row * 100.0).round() / 100.0, col: (self.col * 100.0).round() / 100.0 }
    }
}

#[derive(Clone, Debug, Default)]
pub struct LooseStones {
    pub stones: Vec<Loose>,
    seen_any: bool,
}

impl LooseStones {
    /// Takes a frame in; returns the events whose stones have been taken away since.
    pub fn see(&mut self, s: &Sighting) -> Vec<u64> {
        let now = s.time_ms;
        let mut seen: Vec<LooseStone> =
            s.loose.iter().copied().filter(|l| l.confidence > 0.5 && l.row.is_finite() && l.col.is_finite()).collect();
        for p in (0..s.size).flat_map(|r| (0..s.size).map(move |c| Point::new(r, c))) {
            let r = s.at(p);
            let [right, down] = r.offset;
            let color = match r.state(0.5) {
                Some(Some(c)) if off_the_grid(p, r.offset, s.size) && right.hypot(down) < 1.5 => c,
                _ => continue,
            };
            let (row, col) = (f32::from(p.row) + down, f32::from(p.col) + right);
            if !seen.iter().any(|l| (l.row - row).hypot(l.col - col) < 0.4) {
                seen.push(LooseStone { row, col, color, confidence: r.of(Some(color)) });
            }
        }
        let first_frame = !self.seen_any;
        self.seen_any = true;
        for l in seen {
            let (row, col) = (f64::from(l.row), f64::from(l.col));
            let same =
                self.stones.iter().position(|t| t.color == l.color && (t.row - row).hypot(t.col - col) < SAME_PITCHES);
            match same {
                Some(k) => {
                    let t = &mut self.stones[k];
                    t.row += 0.3 * (row - t.row);
                    t.col += 0.3 * (col - t.col);
                    t.last_ms = now;
                    t.frames = t.frames.saturating_add(1);
                }
                None if self.stones.len() < 64 => self.stones.push(Loose {
                    row,
                    col,
                    color: l.color,
                    first_ms: now,
                    last_ms: now,
                    frames: 1,
                    known: first_frame,
                    seq: None,
                }),
                None => {}
            }
        }
        let hidden_near = |t: &Loose| {
            let cell = |x: f64| x.round().clamp(0.0, f64::from(s.size.max(1) - 1)) as u8;
            s.hand && s.at(Point::new(cell(t.row), cell(t.col))).hidden > 0.5
        };
        let mut gone = Vec::new();
        self.stones.retain_mut(|t| {
            if t.last_ms < now && hidden_near(t) {
                // behind a hand nothing is known
                t.last_ms = t.last_ms.max(now.saturating_sub(200));
                return true;
            }
            let keep = now.saturating_sub(t.last_ms) < if t.frames > 3 { 400 } else { 250 };
            if !keep && let Some(seq) = t.seq {
                gone.push(seq);
            }
            keep
        });
        gone
    }
}

/// Whose lower right, outside the last line, the place is: the edge of the player that sits there.
pub fn corner_of(row: f64, col: f64, size: u8) -> Option<Side> {
    let last = f64::from(size) - 1.0;
    let out = |x: f64| (OUTSIDE_PITCHES..=FARTHEST_PITCHES).contains(&x);
    let near = |x: f64| (-FARTHEST_PITCHES..=CORNER_PITCHES).contains(&x);
    if out(row - last) && near(last - col) {
        Some(Side::Near)
    } else if out(-row) && near(col) {
        Some(Side::Far)
    } else if out(-col) && near(last - row) {
        Some(Side::Left)
    } else if out(col - last) && near(row) {
        Some(Side::Right)
    } else {
        None
    }
}

/// True for a stone that is read at `p` but lies on no crossing: well off it (`offset` right and down, pitches), or outside the
/// last line, where offsets are understated and nobody plays.
pub(super) fn off_the_grid(p: Point, offset: [f32; 2], size: u8) -> bool {
    let [right, down] = offset;
    let off = right.hypot(down);
    let outside = || !on_the_grid(f64::from(p.row) + f64::from(down), f64::from(p.col) + f64::from(right), size);
    off > OFF_GRID_PITCHES || (off > OUTSIDE_OFF_PITCHES && outside())
}

/// Inside the lines, or nearer to them than the margin.
pub fn on_the_grid(row: f64, col: f64, size: u8) -> bool {
    let last = f64::from(size) - 1.0;
    let inside = |x: f64| x > -OUTSIDE_PITCHES && x < last + OUTSIDE_PITCHES;
    inside(row) && inside(col)
}
