//! The board in blocks of a quarter pitch: what changed, what does not belong to the settled board, what reaches in from outside.
//!
//! Blocks are small enough to see a fingertip and large enough that noise and compression average out.

use std::sync::LazyLock;

/// Blocks per pitch.
pub(super) const PER_PITCH: usize = 4;
/// Levels (of 255) that a block may change between frames by noise and compression.
const QUIET_LEVELS: f32 = 9.0;
/// Levels that a block differs from the settled board by, to belong to something else.
const FOREIGN_LEVELS: f32 = 20.0;

/// Mean colours of blocks, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Blocks {
    pub side: usize,
    pub bgr: Vec<[u8; 3]>,
}

impl Blocks {
    /// How far apart dark and light are: levels between the tenth and the ninetieth of a hundred blocks.
    pub(super) fn contrast(&self, counts: impl Fn(usize) -> bool) -> u8 {
        let mut levels = [0u32; 256];
        let mut total = 0;
        for (_, [b, g, r]) in self.bgr.iter().enumerate().filter(|(i, _)| counts(*i)) {
            levels[(usize::from(*b) + 2 * usize::from(*g) + usize::from(*r)) / 4] += 1;
            total += 1;
        }
        let percentile = |percent: u32| {
            let mut sum = 0;
            levels.iter().position(|n| {
                sum += n;
                sum * 100 > total * percent
            })
        };
        match (percentile(10), percentile(90)) {
            (Some(dark), Some(light)) => (light - dark) as u8,
            _ => 0,
        }
    }

    /// Copies the block `i` from `other`.
    pub(super) fn take(&mut self, other: &Blocks, i: usize) {
        self.bgr[i] = other.bgr[i];
    }
}

/// Natural logarithms of the levels, of which every frame wants thousands.
static LOGARITHM: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|level| (level.max(1) as f32).ln()));

/// Factor for each colour that the light of `now` differs by from that of `before`, over the blocks that `counts` admits.
pub(super) fn gain(now: &Blocks, before: &Blocks, counts: impl Fn(usize) -> bool) -> [f32; 3] {
    let mut gains = [1.0; 3];
    // Ratios in histograms of logarithms: medians without sorting.
    let mut all_bins = [[0u32; 256]; 3];
    let mut totals = [0u32; 3];
    let logarithm = &*LOGARITHM;
    for (i, (now, before)) in now.bgr.iter().zip(&before.bgr).enumerate() {
        if !counts(i) {
            continue;
        }
        for channel in 0..3 {
            let (a, b) = (now[channel], before[channel]);
            if (12..250).contains(&a) && (12..250).contains(&b) {
                let bin = 128.5 + (logarithm[usize::from(a)] - logarithm[usize::from(b)]) * 80.0;
                all_bins[channel][(bin as i32).clamp(0, 255) as usize] += 1;
                totals[channel] += 1;
            }
        }
    }
    for (channel, gain) in gains.iter_mut().enumerate() {
        let (bins, total) = (&all_bins[channel], totals[channel]);
        if total < 40 {
            continue;
        }
        let mut sum = 0;
        for (bin, count) in bins.iter().enumerate() {
            if 2 * (sum + count) >= total {
                let within = (total as f32 / 2.0 - sum as f32) / (*count).max(1) as f32 - 0.5;
                *gain = ((bin as f32 + within - 128.0) / 80.0).exp();
                break;
            }
            sum += count;
        }
        // below a percent it is noise
        if (*gain - 1.0).abs() < 0.01 {
            *gain = 1.0;
        }
    }
    gains
}

/// Largest difference of a colour, levels, with `before` in the light of `now`.
pub(super) fn difference(now: [u8; 3], before: [u8; 3], gain: [f32; 3]) -> f32 {
    (0..3).map(|c| (f32::from(now[c]) - f32::from(before[c]) * gain[c]).abs()).fold(0.0, f32::max)
}

/// Differences of all blocks in multiples of what noise can do: above 1 something changed.
pub(super) fn changes(now: &Blocks, before: &Blocks, gain: [f32; 3], valid: &[bool]) -> Vec<f32> {
    let mut levels: Vec<f32> = now
        .bgr
        .iter()
        .zip(&before.bgr)
        .zip(valid)
        .map(|((a, b), ok)| if *ok { difference(*a, *b, gain) } else { 0.0 })
        .collect();
    let mut sorted: Vec<f32> = levels.iter().zip(valid).filter(|(_, ok)| **ok).map(|(l, _)| *l).collect();
    if sorted.is_empty() {
        return levels;
    }
    // The quieter half of the blocks says how noisy the camera is; a hand seldom covers more.
    let at = sorted.len() * 4 / 10;
    let (_, noise, _) = sorted.select_nth_unstable_by(at, f32::total_cmp);
    let quiet = QUIET_LEVELS.max(5.5 * *noise).min(30.0);
    levels.iter_mut().for_each(|l| *l /= quiet);
    levels
}

/// How a block relates to the settled board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Belongs {
    /// As it was.
    Board,
    /// As it was, darker or brighter.
    Shade,
    /// Something else: a stone, a hand, or a stone's place when it was lifted.
    Foreign,
}

pub(super) fn belongs(now: [u8; 3], settled: [u8; 3], gain: [f32; 3]) -> Belongs {
    if difference(now, settled, gain) < FOREIGN_LEVELS {
        return Belongs::Board;
    }
    // Shadow scales all colours alike, and never down to black.
    let ratio = [0, 1, 2].map(|c| (f32::from(now[c]) + 4.0) / (f32::from(settled[c]) * gain[c] + 4.0));
    let low = ratio.iter().copied().fold(f32::MAX, f32::min);
    let high = ratio.iter().copied().fold(f32::MIN, f32::max);
    if low > 0.42 && high < 1.5 && high - low < 0.12 * (low + high) / 2.0 + 0.02 {
        Belongs::Shade
    } else {
        Belongs::Foreign
    }
}

/// Connected foreign blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub blocks: Vec<usize>,
    /// It reaches the edge of what is seen around the board.
    pub from_outside: bool,
}

impl Part {
    /// Square pitches.
    pub(super) fn area(&self) -> f32 {
        self.blocks.len() as f32 / (PER_PITCH * PER_PITCH) as f32
    }
}

/// The connected parts (eight neighbours) of the blocks marked in `foreign`.
pub(super) fn parts(foreign: &[bool], valid: &[bool], side: usize) -> Vec<Part> {
    let mut seen = vec![false; foreign.len()];
    let mut found = Vec::new();
    for start in 0..foreign.len() {
        if !foreign[start] || seen[start] {
            continue;
        }
        let mut part = Part::default();
        let mut open = vec![start];
        seen[start] = true;
        while let Some(i) = open.pop() {
            part.blocks.push(i);
            let (y, x) = ((i / side) as i32, (i % side) as i32);
            for (dy, dx) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)] {
                let (v, u) = (y + dy, x + dx);
                if v < 0 || u < 0 || v >= side as i32 || u >= side as i32 {
                    part.from_outside = true;
                    continue;
                }
                let j = v as usize * side + u as usize;
                if !valid[j] {
                    part.from_outside = true;
                } else if foreign[j] && !seen[j] {
                    seen[j] = true;
                    open.push(j);
                }
            }
        }
        found.push(part);
    }
    found
}

/// Blocks around crossing `(row, col)` within about `reach` blocks of its centre, on a board with a margin of 1.5 pitches.
pub(super) fn around(row: usize, col: usize, reach: usize, side: usize) -> impl Iterator<Item = usize> {
    // the crossing lies between blocks 4 (row + 1) + 1 and + 2
    let (y, x) = (PER_PITCH * (row + 1) + 2, PER_PITCH * (col + 1) + 2);
    let rows = y.saturating_sub(reach)..(y + reach).min(side);
    rows.flat_map(move |v| (x.saturating_sub(reach)..(x + reach).min(side)).map(move |u| v * side + u))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(side: usize, bgr: [u8; 3]) -> Blocks {
        Blocks { side, bgr: vec![bgr; side * side] }
    }

    #[test]
    fn shade_is_not_a_thing() {
        let wood = [110, 170, 205];
        assert_eq!(belongs([112, 168, 206], wood, [1.0; 3]), Belongs::Board);
        assert_eq!(belongs([70, 108, 130], wood, [1.0; 3]), Belongs::Shade);
        assert_eq!(belongs([35, 35, 38], wood, [1.0; 3]), Belongs::Foreign, "a black stone");
        assert_eq!(belongs([235, 238, 240], wood, [1.0; 3]), Belongs::Foreign, "a white stone");
        assert_eq!(belongs([120, 140, 190], wood, [1.0; 3]), Belongs::Foreign, "skin");
        // the same wood after half the lamps went out
        assert_eq!(belongs([55, 85, 102], wood, [0.5; 3]), Belongs::Board);
    }

    #[test]
    fn the_light_is_measured_in_spite_of_a_hand() {
        let before = flat(20, [100, 150, 180]);
        let mut now = flat(20, [80, 120, 144]);
        now.bgr[..120].fill([200, 90, 220]);
        for g in gain(&now, &before, |_| true) {
            assert!((g - 0.8).abs() < 0.01, "{g}");
        }
        assert_eq!(gain(&before, &before, |_| true), [1.0; 3]);
    }

    #[test]
    fn what_reaches_in_is_told_from_what_lies_there() {
        let side = 12;
        let valid = vec![true; side * side];
        let mut foreign = vec![false; side * side];
        for y in 0..6 {
            foreign[y * side + 3] = true;
        }
        for i in [8 * side + 8, 8 * side + 9, 9 * side + 8] {
            foreign[i] = true;
        }
        let found = parts(&foreign, &valid, side);
        assert_eq!(found.len(), 2);
        assert!(found[0].from_outside && found[0].blocks.len() == 6);
        assert!(!found[1].from_outside && found[1].blocks.len() == 3);
        // the picture's edge counts as outside
        let mut cut = valid.clone();
        cut[10 * side + 9] = false;
        assert!(parts(&foreign, &cut, side)[1].from_outside);
    }

    #[test]
    fn blocks_around_a_crossing_are_centred_on_it() {
        let side = 44;
        let all: Vec<usize> = around(0, 3, 2, side).collect();
        assert_eq!(all.len(), 16);
        let mean = |f: fn(usize) -> usize| all.iter().map(|i| f(*i) as f64 + 0.5).sum::<f64>() / 16.0;
        // 1.5 pitches of 4 blocks
        assert_eq!((mean(|i| i / 44), mean(|i| i % 44)), (6.0, 18.0));
    }

    #[test]
    fn noise_is_no_change() {
        let before = flat(16, [100, 100, 100]);
        let mut now = before.clone();
        for (i, p) in now.bgr.iter_mut().enumerate() {
            p[1] += (i % 7) as u8;
        }
        now.bgr[40] = [160, 100, 100];
        let found = changes(&now, &before, [1.0; 3], &[true; 256]);
        let over: Vec<usize> = (0..256).filter(|i| found[*i] > 1.0).collect();
        assert_eq!(over, [40]);
    }
}
