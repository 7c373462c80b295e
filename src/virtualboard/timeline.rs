//! A played script as times and places: what is where at any moment. Pure: the same moment always looks the same.

use crate::game::{EventKind, Spot};
use crate::rules::{Color, Point};

use super::camera::CameraPose;
use super::furniture::{Furniture, side};
use super::geometry::BoardPose;
use super::hand::HandPose;
use super::look::Look;
use super::sensor::Exposure;
use super::space::{V3, smoothstep, v3};
use super::stones::Stone;

/// A fixed point on the way of a hand.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub at_s: f64,
    /// World mm.
    pub tip: V3,
    pub grip: f32,
    /// How much the way to here is arched, mm.
    pub arch: f32,
}

/// A hand comes, does something, goes.
#[derive(Clone, Debug)]
pub struct Visit {
    pub color: Color,
    pub keys: Vec<Key>,
}

impl Visit {
    pub fn start_s(&self) -> f64 {
        self.keys.first().map_or(0.0, |k| k.at_s)
    }

    pub fn end_s(&self) -> f64 {
        self.keys.last().map_or(0.0, |k| k.at_s)
    }

    pub fn pose(&self, at_s: f64) -> HandPose {
        let i = self.keys.partition_point(|k| k.at_s <= at_s);
        if i == 0 || i == self.keys.len() {
            let k = if i == 0 { self.keys[0] } else { self.keys[i - 1] };
            return HandPose { tip: k.tip, grip: k.grip };
        }
        let (a, b) = (self.keys[i - 1], self.keys[i]);
        let u = ((at_s - a.at_s) / (b.at_s - a.at_s).max(1e-9)) as f32;
        let eased = u * u * u * (u * (u * 6.0 - 15.0) + 10.0);
        let mut tip = a.tip.mix(b.tip, eased);
        tip.z += b.arch * 4.0 * eased * (1.0 - eased);
        HandPose { tip, grip: a.grip + (b.grip - a.grip) * smoothstep(0.0, 1.0, u) }
    }
}

/// Where a stone is from a moment on.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// In a bowl, in a palm, out of sight.
    Away,
    /// On the board; coordinates of the board.
    OnBoard(V3),
    /// In a lid; world coordinates.
    OnTable(V3),
    /// Between the fingers of a visit.
    Held(usize),
    /// Pushed over the board from one place to another until a moment.
    Sliding { from: V3, to: V3, until_s: f64 },
    /// Falls to a place of the board.
    Falling { from: V3, to: V3, until_s: f64 },
}

#[derive(Clone, Debug)]
pub struct StoneLife {
    pub id: u32,
    pub color: Color,
    /// By time.
    pub stays: Vec<(f64, Place)>,
}

impl StoneLife {
    /// Since when, and where.
    pub fn at(&self, at_s: f64) -> (f64, Place) {
        let i = self.stays.partition_point(|s| s.0 <= at_s);
        if i == 0 { (0.0, Place::Away) } else { self.stays[i - 1] }
    }

    /// Its place on the board, also while it slides or is about to lie; `None` when it is not on the board.
    pub fn on_board(&self, at_s: f64) -> Option<V3> {
        let (since, place) = self.at(at_s);
        match place {
            Place::OnBoard(p) => Some(p),
            Place::Sliding { from, to, until_s } => {
                let u = ((at_s - since) / (until_s - since).max(1e-9)).clamp(0.0, 1.0) as f32;
                Some(from.mix(to, u * u * u * (u * (u * 6.0 - 15.0) + 10.0)))
            }
            _ => None,
        }
    }
}

/// A slow or sudden change of light or lens, between two moments.
#[derive(Clone, Copy, Debug)]
pub struct Dimming {
    pub from_s: f64,
    pub until_s: f64,
    /// Part of the light that is left.
    pub level: f32,
    /// The lens is covered instead.
    pub covers: bool,
}

/// A move of the record, in seconds.
#[derive(Clone, Debug)]
pub struct TimedMove {
    pub color: Color,
    pub point: Point,
    pub placed_s: f64,
    pub captured: Vec<Point>,
    pub cleared_s: Option<f64>,
}

/// An incident, in seconds.
#[derive(Clone, Debug)]
pub struct TimedEvent {
    pub kind: EventKind,
    pub color: Option<Color>,
    pub points: Vec<Spot>,
    pub description: String,
    pub start_s: f64,
    pub state_s: f64,
    pub repaired_s: Option<f64>,
    /// A change of the whole picture is seen at once, hand or not.
    pub seen_at_once: bool,
}

/// Everything that happens.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    pub visits: Vec<Visit>,
    pub stones: Vec<StoneLife>,
    /// From a moment on.
    pub cameras: Vec<(f64, CameraPose)>,
    pub boards: Vec<(f64, BoardPose)>,
    pub dimmings: Vec<Dimming>,
    pub moves: Vec<TimedMove>,
    pub events: Vec<TimedEvent>,
    pub end_s: f64,
}

impl Timeline {
    pub fn camera(&self, at_s: f64) -> CameraPose {
        let i = self.cameras.partition_point(|c| c.0 <= at_s);
        self.cameras[i.saturating_sub(1)].1
    }

    pub fn board(&self, at_s: f64) -> BoardPose {
        let i = self.boards.partition_point(|c| c.0 <= at_s);
        self.boards[i.saturating_sub(1)].1
    }

    /// Stones that lie still on board and table at a moment, world mm.
    pub fn lying(&self, at_s: f64) -> Vec<Stone> {
        let pose = self.board(at_s);
        self.stones
            .iter()
            .filter_map(|s| {
                let place = match s.at(at_s).1 {
                    Place::OnTable(p) => p,
                    _ => pose.to_world(s.on_board(at_s)?),
                };
                Some(Stone { id: s.id, color: s.color, place })
            })
            .collect()
    }

    /// Visits that go on at a moment.
    pub fn hands(&self, at_s: f64) -> impl Iterator<Item = (usize, &Visit)> {
        self.visits.iter().enumerate().filter(move |(_, v)| v.start_s() <= at_s && at_s < v.end_s())
    }

    /// Stones between the fingers of a visit, and those in the air, world mm.
    pub fn carried(&self, visit: usize, at_s: f64, look: &Look) -> Vec<Stone> {
        let pose = self.board(at_s);
        self.stones
            .iter()
            .filter_map(|s| match s.at(at_s) {
                (_, Place::Held(v)) if v == visit => {
                    let tip = self.visits[v].pose(at_s).tip;
                    Some(Stone { id: s.id, color: s.color, place: tip - v3(0.0, 0.0, look.stones.height_mm * 0.5) })
                }
                (since, Place::Falling { from, to, until_s }) if self.falls_from(visit, at_s) => {
                    let u = ((at_s - since) / (until_s - since)).clamp(0.0, 1.0) as f32;
                    let mut p = from.mix(to, u);
                    p.z = from.z + (to.z - from.z) * u * u;
                    Some(Stone { id: s.id, color: s.color, place: pose.to_world(p) })
                }
                _ => None,
            })
            .collect()
    }

    /// A falling stone is drawn with the one hand that is there.
    fn falls_from(&self, visit: usize, at_s: f64) -> bool {
        self.hands(at_s).next().is_some_and(|(v, _)| v == visit)
    }

    pub fn exposure(&self, look: &Look, at_s: f64) -> Exposure {
        let mut exposure = Exposure::ORDINARY;
        // light drifts slowly: mains, clouds, automatic exposure
        let phase = look.seed % 628;
        let t = at_s + phase as f64 * 0.01;
        let drift = (t * 0.31).sin() * 0.6 + (t * 0.113 + 1.0).sin() * 0.4;
        let warm = (t * 0.071 + 2.0).sin();
        let size = look.sensor.drift;
        let gain = 1.0 + size * drift as f32;
        exposure.gain = [gain * (1.0 + 0.25 * size * warm as f32), gain, gain * (1.0 - 0.25 * size * warm as f32)];
        for d in &self.dimmings {
            if at_s < d.from_s || at_s > d.until_s {
                continue;
            }
            let ramp = 0.12;
            let inside =
                (smoothstep(0.0, ramp, (at_s - d.from_s) as f32)).min(smoothstep(0.0, ramp, (d.until_s - at_s) as f32));
            if d.covers {
                exposure.covered = exposure.covered.max(inside);
            } else {
                let level = 1.0 + (d.level - 1.0) * inside;
                exposure.gain = exposure.gain.map(|g| g * level);
                // the camera turns its gain up: more noise
                exposure.noise *= 1.0 + (1.0 - level).max(0.0) * 0.8;
            }
        }
        exposure
    }

    /// How far the shoulder of a player is from the board's middle, along the seat's direction.
    pub fn reach(look: &Look, furniture: &Furniture, color: Color) -> f32 {
        let s = furniture.seats[side(color)].towards();
        (s.x * look.geometry.half_x_mm()).abs() + (s.y * look.geometry.half_y_mm()).abs()
    }
}
