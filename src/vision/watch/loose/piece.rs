//! Connected blocks that may be a stone: where they lie, whether all of them is seen, and whose colour they have.

use super::Scenery;
use super::{OUTSIDE, STONE_REACH};
use crate::rules::Color;
use crate::vision::reader::READ_MARGIN;
use crate::vision::watch::blocks::{self, Belongs, PER_PITCH, Part, difference};

pub(super) fn centre(block: usize, side: usize) -> [f32; 2] {
    let at = |i: usize| (i as f32 + 0.5) / PER_PITCH as f32 - READ_MARGIN as f32;
    [at(block / side), at(block % side)]
}

pub(super) fn apart(a: [f32; 2], b: [f32; 2]) -> f32 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

pub(super) fn grey(bgr: [u8; 3]) -> f32 {
    0.114 * f32::from(bgr[0]) + 0.587 * f32::from(bgr[1]) + 0.299 * f32::from(bgr[2])
}

/// Middle of a part, weighted by how much each block differs from the settled board.
pub(super) fn middle(part: &Part, scene: &Scenery) -> [f32; 2] {
    let (mut sum, mut total) = ([0.0; 2], 0.0);
    for b in &part.blocks {
        let weight = difference(scene.now.bgr[*b], scene.settled.bgr[*b], [1.0; 3]).clamp(1.0, 60.0);
        let at = centre(*b, scene.now.side);
        sum = [sum[0] + weight * at[0], sum[1] + weight * at[1]];
        total += weight;
    }
    if total > 0.0 { [sum[0] / total, sum[1] / total] } else { [0.0; 2] }
}

/// A stone half over the board's edge can look like the shade of it along a strip: its pieces belong together.
pub(super) fn joined(parts: Vec<Part>, scene: &Scenery) -> Vec<Part> {
    let last = f32::from(scene.lattice.size) - 1.0;
    let mut joined: Vec<Part> = Vec::new();
    for part in parts {
        let fits = |other: &Part| {
            let both = Part { blocks: [&other.blocks[..], &part.blocks[..]].concat(), from_outside: false };
            let c = middle(&both, scene);
            let outside = c.iter().any(|x| *x < -OUTSIDE || *x > last + OUTSIDE);
            outside && both.blocks.iter().all(|b| apart(centre(*b, scene.now.side), c) < STONE_REACH)
        };
        match joined.iter_mut().find(|other| fits(other)) {
            Some(other) => {
                other.blocks.extend(&part.blocks);
                other.from_outside |= part.from_outside;
            }
            None => joined.push(part),
        }
    }
    joined
}

/// Nothing beside the part is hidden or moving.
pub(super) fn in_full_view(part: &Part, scene: &Scenery) -> bool {
    part.blocks.iter().flat_map(|b| neighbours(*b, scene.now.side)).all(|j| scene.open[j] || !scene.valid[j])
}

/// A block and those around it.
pub(super) fn neighbours(block: usize, side: usize) -> impl Iterator<Item = usize> {
    let (y, x) = (block / side, block % side);
    let rows = y.saturating_sub(1)..=(y + 1).min(side - 1);
    rows.flat_map(move |v| (x.saturating_sub(1)..=(x + 1).min(side - 1)).map(move |u| v * side + u))
}

/// True for a part about as round as a stone with nothing else that is new beside it.
pub(super) fn alone(part: &Part, middle: [f32; 2], scene: &Scenery) -> bool {
    let side = scene.now.side;
    if part.blocks.iter().any(|b| apart(centre(*b, side), middle) > 0.75) {
        return false;
    }
    let mut own = vec![false; side * side];
    part.blocks.iter().for_each(|b| own[*b] = true);
    part.blocks.iter().flat_map(|b| neighbours(*b, side)).all(|j| own[j] || (scene.open[j] && !scene.fresh[j]))
}

pub(super) fn median(colors: impl Iterator<Item = [u8; 3]>) -> Option<[u8; 3]> {
    let all: Vec<[u8; 3]> = colors.collect();
    let channel = |c: usize| {
        let mut levels: Vec<u8> = all.iter().map(|p| p[c]).collect();
        levels.sort_unstable();
        levels.get(levels.len() / 2).copied()
    };
    Some([channel(0)?, channel(1)?, channel(2)?])
}

/// The colour of the bare board, if some of it is seen.
pub(super) fn board_color(scene: &Scenery) -> Option<[u8; 3]> {
    let n = scene.lattice.size as usize;
    let empty = scene.readings.iter().enumerate().filter(|(_, r)| r.empty > 0.8);
    median(empty.flat_map(|(i, _)| blocks::around(i / n, i % n, 1, scene.now.side)).map(|b| scene.now.bgr[b]))
}

/// A black stone is darker than the board, a white one is not, and neither looks like the board in shade.
pub(super) fn looks_like(color: Color, part: &Part, scene: &Scenery, board: Option<[u8; 3]>) -> bool {
    let Some(is) = median(part.blocks.iter().map(|b| scene.now.bgr[*b])) else { return false };
    let Some(board) = board else { return true };
    let foreign = blocks::belongs(is, board, [1.0; 3]) == Belongs::Foreign;
    let level = grey(is) / grey(board).max(1.0);
    match color {
        Color::Black => level < 0.6 || (level < 0.8 && foreign),
        Color::White => level > 0.95 && foreign,
    }
}
