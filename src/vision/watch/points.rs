//! What is remembered of every point: its last reading, and whether that still holds.

use super::blocks::{Blocks, PER_PITCH, around, difference};
use crate::vision::PointReading;

/// Fresh readings of a point after it changed, before it counts as known.
const READINGS: u32 = 4;
/// A known point is read again after this, if only because light creeps.
const REFRESH_MS: u64 = 2000;
/// Levels that a block of the point differs from the last reading's picture by, to want a new reading.
const STALE_LEVELS: f32 = 12.0;

#[derive(Clone, Copy, Debug)]
struct Memory {
    reading: PointReading,
    read_ms: Option<u64>,
    /// Readings since the last change.
    readings: u32,
}

/// The readings of all points of one board.
pub(super) struct Points {
    size: usize,
    memory: Vec<Memory>,
    /// What each point's own cell looked like when it was read.
    seen: Blocks,
}

impl Points {
    pub(super) fn new(size: u8, now: &Blocks) -> Points {
        let blank = Memory { reading: PointReading::HIDDEN, read_ms: None, readings: 0 };
        Points { size: size as usize, memory: vec![blank; size as usize * size as usize], seen: now.clone() }
    }

    /// The points that want a reading: `open` says which can be read in this frame. Sorted out by what their cell looks like.
    pub(super) fn stale(&mut self, now: &Blocks, gain: [f32; 3], time_ms: u64, open: &[bool]) -> Vec<usize> {
        let mut wanted = Vec::new();
        for (i, memory) in self.memory.iter_mut().enumerate() {
            if !open[i] {
                continue;
            }
            let cell = around(i / self.size, i % self.size, PER_PITCH / 2, now.side);
            let changed = cell.filter(|b| difference(now.bgr[*b], self.seen.bgr[*b], gain) > STALE_LEVELS).count() > 1;
            if changed {
                memory.readings = 0;
            }
            let old = memory.read_ms.is_none_or(|t| time_ms.saturating_sub(t) >= REFRESH_MS);
            if changed || old || memory.readings < READINGS {
                wanted.push(i);
            }
        }
        wanted
    }

    pub(super) fn read(&mut self, i: usize, reading: PointReading, now: &Blocks, time_ms: u64) {
        for b in around(i / self.size, i % self.size, PER_PITCH / 2, now.side) {
            self.seen.take(now, b);
        }
        let memory = &mut self.memory[i];
        *memory = Memory { reading, read_ms: Some(time_ms), readings: memory.readings + 1 };
    }

    /// The last reading of a point; hidden if it was never read.
    pub(super) fn reading(&self, i: usize) -> PointReading {
        self.memory[i].reading
    }

    /// The last readings no longer hold: the light is another, or the board was lifted.
    pub(super) fn forget(&mut self) {
        for memory in &mut self.memory {
            memory.readings = 0;
            memory.read_ms = None;
        }
    }
}
