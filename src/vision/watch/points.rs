//! What is remembered of every point: its last reading, and whether that still holds.

use super::blocks::{Blocks, PER_PITCH, around, difference};
use crate::vision::PointReading;

/// Fresh readings of a point after it changed, before it counts as known.
const READINGS: u32 = 4;
/// Between two of these.
const READ_AGAIN_MS: u64 = 90;
/// A point that looks otherwise and reads as surely as this what it read before (a shadow came or went) counts as read so often.
const AS_BEFORE: f32 = 0.98;
const READINGS_AS_BEFORE: u32 = READINGS - 1;
/// With a hand in view readings suffer: so many are enough until it has left.
const READINGS_BESIDE_HAND: u32 = 2;
/// A known point is read again, if only because light creeps: as much later as it had lain unchanged, within these limits.
const REFRESH_MS: std::ops::RangeInclusive<u64> = 2000..=16_000;
/// Levels that a block of the point differs from the last reading's picture by, to want a new reading.
const STALE_LEVELS: f32 = 12.0;

#[derive(Clone, Copy, Debug)]
struct Memory {
    reading: PointReading,
    read_ms: Option<u64>,
    changed_ms: u64,
    /// Readings since the last change.
    readings: u32,
}

impl Memory {
    /// The last reading is too old.
    fn is_old(&self, time_ms: u64) -> bool {
        self.read_ms.is_none_or(|read| {
            let lain = read.saturating_sub(self.changed_ms);
            time_ms.saturating_sub(read) >= lain.clamp(*REFRESH_MS.start(), *REFRESH_MS.end())
        })
    }
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
        let blank = Memory { reading: PointReading::HIDDEN, read_ms: None, changed_ms: 0, readings: 0 };
        Points { size: size as usize, memory: vec![blank; size as usize * size as usize], seen: now.clone() }
    }

    /// The points that want a reading: `open` says which can be read in this frame. Sorted out by what their cell looks like.
    /// With a `hand` in view only what is new is wanted.
    pub(super) fn stale(&mut self, now: &Blocks, time_ms: u64, open: &[bool], hand: bool) -> Vec<usize> {
        let mut wanted = Vec::new();
        let enough = if hand { READINGS_BESIDE_HAND } else { READINGS };
        for (i, memory) in self.memory.iter_mut().enumerate() {
            if !open[i] {
                continue;
            }
            let cell = around(i / self.size, i % self.size, PER_PITCH / 2, now.side);
            let changed =
                cell.filter(|b| difference(now.bgr[*b], self.seen.bgr[*b], [1.0; 3]) > STALE_LEVELS).count() > 1;
            if changed {
                memory.readings = 0;
                memory.changed_ms = time_ms;
            }
            let again = memory.readings < enough
                && memory.read_ms.is_none_or(|read| time_ms.saturating_sub(read) >= READ_AGAIN_MS);
            if memory.readings == 0 || again || (!hand && memory.is_old(time_ms)) {
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
        if memory.read_ms.is_none() {
            memory.changed_ms = time_ms;
        }
        let as_before = memory.readings == 0
            && memory.read_ms.is_some()
            && reading.state(AS_BEFORE).is_some_and(|is| memory.reading.state(AS_BEFORE) == Some(is));
        memory.reading = reading;
        memory.read_ms = Some(time_ms);
        memory.readings += if as_before { READINGS_AS_BEFORE } else { 1 };
    }

    /// True if it was read as often as is needed since it changed.
    pub(super) fn is_known(&self, i: usize) -> bool {
        self.memory[i].readings >= READINGS
    }

    /// The last reading of a point; hidden if it has not been read since it changed.
    pub(super) fn reading(&self, i: usize) -> PointReading {
        let memory = &self.memory[i];
        if memory.readings == 0 { PointReading::HIDDEN } else { memory.reading }
    }

    /// What was read last, also if the point has changed since.
    pub(super) fn last_reading(&self, i: usize) -> PointReading {
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

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: PointReading =
        PointReading { empty: 0.995, black: 0.002, white: 0.002, hidden: 0.001, offset: [0.0; 2] };
    const BLACK: PointReading =
        PointReading { empty: 0.002, black: 0.995, white: 0.002, hidden: 0.001, offset: [0.0; 2] };

    /// How often the middle point is read after it looks otherwise, when it reads `is` then.
    fn readings_of(is: PointReading) -> usize {
        let side = (9 + 2) * PER_PITCH;
        let wood = Blocks { side, bgr: vec![[110, 170, 205]; side * side] };
        let (mut points, middle) = (Points::new(9, &wood), 4 * 9 + 4);
        let open = [true; 81];
        let mut time_ms = 0;
        let mut settle = |points: &mut Points, now: &Blocks, is: PointReading| {
            let mut count = 0;
            for _ in 0..10 {
                time_ms += 100;
                for i in points.stale(now, time_ms, &open, false) {
                    points.read(i, if i == middle { is } else { EMPTY }, now, time_ms);
                    count += usize::from(i == middle);
                }
            }
            count
        };
        assert_eq!(settle(&mut points, &wood, EMPTY), READINGS as usize);
        let mut changed = wood.clone();
        around(4, 4, PER_PITCH / 2, side).for_each(|b| changed.bgr[b] = [60, 90, 110]);
        settle(&mut points, &changed, is)
    }

    #[test]
    fn a_shadow_on_a_point_is_known_sooner_than_a_stone() {
        assert_eq!(readings_of(BLACK), READINGS as usize);
        assert_eq!(readings_of(EMPTY), 2);
        let unsure = PointReading { empty: 0.9, black: 0.08, ..EMPTY };
        assert_eq!(readings_of(unsure), READINGS as usize);
    }
}
