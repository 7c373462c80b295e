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
/// A cell that has looked and read alike for so long is known.
const KNOWN_MS: u64 = 2000;
/// A reading must be so sure to say that a cell that looks as it did holds something else.
const SURE: f32 = 0.97;
/// The light over one cell may wander so far without its being another.
const WANDERS: std::ops::RangeInclusive<f32> = 0.85..=1.18;

#[derive(Clone, Copy, Debug)]
struct Memory {
    reading: PointReading,
    read_ms: Option<u64>,
    changed_ms: u64,
    /// Readings since the last change.
    readings: u32,
    /// The last reading while it was known.
    known: Option<PointReading>,
    /// Since when it has looked and read alike.
    alike_ms: u64,
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
    /// ... and when it was last known.
    known: Blocks,
}

impl Points {
    pub(super) fn new(size: u8, now: &Blocks) -> Points {
        let blank = Memory {
            reading: PointReading::HIDDEN,
            read_ms: None,
            changed_ms: 0,
            readings: 0,
            known: None,
            alike_ms: 0,
        };
        let memory = vec![blank; size as usize * size as usize];
        Points { size: size as usize, memory, seen: now.clone(), known: now.clone() }
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
        let cell: Vec<usize> = around(i / self.size, i % self.size, PER_PITCH / 2, now.side).collect();
        let as_seen = looks_alike(&cell, now, &self.seen);
        let as_known = looks_alike(&cell, now, &self.known);
        cell.iter().for_each(|b| self.seen.take(now, *b));
        let memory = &mut self.memory[i];
        if memory.read_ms.is_none() {
            memory.changed_ms = time_ms;
        }
        // What looks as it did is what it was: a doubtful reading says then that its surroundings are others.
        let reading = match memory.known.filter(|known| as_known && contradicts(reading, *known)) {
            Some(known) => known,
            None => reading,
        };
        if !as_seen || memory.read_ms.is_none() || reading.state(0.5) != memory.reading.state(0.5) {
            memory.alike_ms = time_ms;
        }
        let as_before = memory.readings == 0
            && memory.read_ms.is_some()
            && reading.state(AS_BEFORE).is_some_and(|is| memory.reading.state(AS_BEFORE) == Some(is));
        memory.reading = reading;
        memory.read_ms = Some(time_ms);
        memory.readings += if as_before { READINGS_AS_BEFORE } else { 1 };
        if time_ms.saturating_sub(memory.alike_ms) >= KNOWN_MS && reading.state(0.5).is_some() {
            memory.known = Some(reading);
            cell.iter().for_each(|b| self.known.take(now, *b));
        }
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
            memory.known = None;
        }
    }
}

/// The blocks of a cell are what they were, but for the light.
fn looks_alike(cell: &[usize], now: &Blocks, before: &Blocks) -> bool {
    let sum = |blocks: &Blocks| cell.iter().flat_map(|b| blocks.bgr[*b]).map(f32::from).sum::<f32>();
    let light = (sum(now) / sum(before).max(1.0)).clamp(*WANDERS.start(), *WANDERS.end());
    cell.iter().filter(|b| difference(now.bgr[**b], before.bgr[**b], [light; 3]) > STALE_LEVELS).count() <= 1
}

/// Something else than was known, and not for sure.
fn contradicts(reading: PointReading, known: PointReading) -> bool {
    let is = reading.state(0.5);
    is != known.state(0.5) && is.is_none_or(|cell| reading.of(cell) < SURE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(empty: f32, white: f32) -> PointReading {
        PointReading { empty, black: 0.0, white, hidden: 0.0, offset: [0.0; 2] }
    }

    fn flat(bgr: [u8; 3]) -> Blocks {
        let side = (3 + 2) * PER_PITCH;
        Blocks { side, bgr: vec![bgr; side * side] }
    }

    /// A point that has been read empty for long.
    fn empty_for_long(wood: &Blocks) -> Points {
        let mut points = Points::new(3, wood);
        (0..8).for_each(|k| points.read(4, of(0.8, 0.2), wood, k * 500));
        points
    }

    #[test]
    fn a_doubtful_reading_of_an_unchanged_cell_changes_nothing() {
        let wood = flat([110, 160, 190]);
        let mut points = empty_for_long(&wood);
        points.read(4, of(0.16, 0.84), &wood, 4500);
        assert!(points.reading(4).empty > 0.7);
        // nor when the light has changed a little
        points.read(4, of(0.16, 0.84), &flat([118, 171, 203]), 5000);
        assert!(points.reading(4).empty > 0.7);
        // a sure one does
        points.read(4, of(0.01, 0.99), &wood, 5500);
        assert!(points.reading(4).white > 0.9);
    }

    #[test]
    fn a_cell_that_looks_otherwise_is_what_is_read() {
        let mut points = empty_for_long(&flat([110, 160, 190]));
        points.read(4, of(0.3, 0.7), &flat([190, 200, 205]), 4500);
        assert!(points.reading(4).white > 0.6);
        // and again when the stone is gone, however dark its shadow was before
        points.read(4, of(0.4, 0.6), &flat([80, 120, 140]), 4600);
        points.read(4, of(0.3, 0.7), &flat([110, 160, 190]), 4700);
        assert!(points.reading(4).empty > 0.7, "it looks as it did");
    }

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
