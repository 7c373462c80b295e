//! What evidence says of one point: how it differs from what should lie there, and where its stone stands.

use crate::rules::{Color, Point};

/// What a point holds: `None` is empty.
pub type Cell = Option<Color>;

/// Evidence beyond this is not kept, so that a change of mind never takes long.
pub(super) const MOST_KEPT: f64 = 24.0;

/// How easily a change can have come about without being seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Chance {
    /// The point lay open, with no hand around.
    None,
    /// A hand was near.
    Near,
    /// The point was hidden, or no frame showed it for a while.
    Covered,
}

/// A point that looks different from what should lie there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Diff {
    pub point: Point,
    pub was: Cell,
    pub is: Cell,
    /// Natural logarithm of the odds gathered for `is` against `was`.
    pub evidence: f64,
    /// As much of it as a patch of the picture can say that is called the same doubtful thing in every frame.
    pub credible: f64,
    /// Last frame that still showed `was`.
    pub last_old_ms: u64,
    /// If only that one frame showed it after a while, it may have been misread: the last one before.
    pub doubted_old_ms: Option<u64>,
    /// First frame of the run that shows `is`.
    pub first_new_ms: u64,
    /// It was seen so for a moment before that, between two hands.
    pub glimpsed_ms: Option<u64>,
    pub frames: u32,
    pub chance: Chance,
    /// The latest frame in which the point could be seen agrees with `is`.
    pub current: bool,
    /// It cannot be seen right now.
    pub hidden: bool,
    /// One of the points around it is hidden right now: a hand may still hold the stone.
    pub hand_near: bool,
}

impl Diff {
    /// A stone that is known to have come by `ms`.
    pub fn settled(point: Point, color: Color, ms: u64) -> Diff {
        Diff {
            point,
            was: None,
            is: Some(color),
            evidence: MOST_KEPT,
            credible: MOST_KEPT,
            last_old_ms: ms,
            doubted_old_ms: None,
            first_new_ms: ms,
            glimpsed_ms: None,
            frames: 2,
            chance: Chance::Covered,
            current: true,
            hidden: false,
            hand_near: false,
        }
    }

    /// From when on it can have come about, if the last frame against it was misread.
    pub fn at_the_earliest_ms(&self) -> u64 {
        self.doubted_old_ms.unwrap_or(self.last_old_ms)
    }

    /// When it was first seen so, be it for a moment.
    pub fn seen_from_ms(&self) -> u64 {
        self.glimpsed_ms.unwrap_or(self.first_new_ms)
    }

    /// How long it has been seen so.
    pub fn age_ms(&self, now: u64) -> u64 {
        now.saturating_sub(self.first_new_ms)
    }
}

/// Where the stone on a point stands, averaged while it stays.
#[derive(Clone, Copy, Debug, Default)]
pub struct OffsetTrack {
    pub mean: [f64; 2],
    pub frames: u32,
    pub since_ms: u64,
}

impl OffsetTrack {
    pub(super) fn add(&mut self, sample: [f32; 2], now: u64) {
        let s = [f64::from(sample[0]), f64::from(sample[1])];
        if !(s[0].is_finite() && s[1].is_finite()) {
            return;
        }
        let jump = (s[0] - self.mean[0]).hypot(s[1] - self.mean[1]);
        if self.frames == 0 || jump > 0.2 {
            *self = OffsetTrack { mean: s, frames: 1, since_ms: now };
            return;
        }
        self.frames = (self.frames + 1).min(10_000);
        let k = 1.0 / f64::from(self.frames.min(8));
        for (mean, s) in self.mean.iter_mut().zip(s) {
            *mean += k * (s - *mean);
        }
    }

    /// Distance from the crossing, pitches.
    pub fn distance(&self) -> f64 {
        self.mean[0].hypot(self.mean[1])
    }
}
