//! From the heat of one look to hypotheses: lattices grown from neighbouring crossings, quadrilaterals of corners, the outline of
//! the board's area; each at the sizes and places that explain most.

use super::evidence::{Evidence, View};
use super::{grow, matches, movement, outline};
use crate::vision::heat::{Heat, Peak};
use crate::vision::lattice::{Lattice, Match};

/// A lattice with its place and size.
pub(super) struct Candidate {
    pub lattice: Lattice,
    pub score: f64,
}

/// Follows the peaks from a rough lattice.
fn settle(heat: &Heat, view: &View, lattice: Lattice, image_size: [i32; 2]) -> Lattice {
    let mut lattice = lattice;
    for reach in [0.45, 0.4, 0.35] {
        let matches = matches(heat, view, &lattice, reach, 0.15);
        if matches.len() < 16.max(lattice.size as usize * lattice.size as usize / 6) {
            break;
        }
        match Lattice::fit(lattice.size, image_size, &matches, false) {
            Ok(fitted) => lattice = fitted,
            Err(_) => break,
        }
    }
    lattice
}

/// Lines of a plane that a piece spans: a whole board with room for a piece at its edge.
const PLANE_LINES: u8 = 21;

/// A lattice of unknown origin and the crossings `(row, col, peak)` that were seen of it.
struct Piece {
    lattice: Lattice,
    seen: Vec<(i32, i32, usize)>,
    /// Sum of the strengths of the peaks on it.
    weight: f64,
}

impl Piece {
    /// The first and last `[row, col]` seen.
    fn range(&self) -> ([i32; 2], [i32; 2]) {
        let (mut first, mut last) = ([i32::MAX; 2], [i32::MIN; 2]);
        for &(r, c, _) in &self.seen {
            first = [first[0].min(r), first[1].min(c)];
            last = [last[0].max(r), last[1].max(c)];
        }
        (first, last)
    }

    /// The same crossings with other axes: `[row, col]` become `[a row + b col, d row + e col]`; `m` has determinant 1 or -1.
    fn with_axes(&self, m: [i32; 4]) -> Option<Piece> {
        let [a, b, d, e] = m;
        let det = f64::from(a * e - b * d);
        // the inverse, for coordinates in the order [col, row]
        let f = |v: i32| f64::from(v) / det;
        let frame = [f(a), f(-d), 0.0, f(-b), f(e), 0.0];
        Some(Piece {
            lattice: self.lattice.reframed(frame, self.lattice.size)?,
            seen: self.seen.iter().map(|&(r, c, i)| (a * r + b * c, d * r + e * c, i)).collect(),
            weight: self.weight,
        })
    }

    /// The likeliest choices of axes: a slanted look makes diagonals as short as the lines, but only the lines' own axes
    /// give a square. Clockwise as seen, never mirrored.
    fn axes(&self) -> Vec<Piece> {
        let mut all = Vec::new();
        for m in [[1, 0, 0, 1], [1, 1, 0, 1], [1, -1, 0, 1], [1, 0, 1, 1], [1, 0, -1, 1]] {
            let Some(mut piece) = self.with_axes(m) else { continue };
            let (first, last) = piece.range();
            let middle = [0, 1].map(|i| f64::from(first[i] + last[i]) / 2.0);
            let p = |dr: f64, dc: f64| piece.lattice.to_image([middle[0] + dr, middle[1] + dc]);
            let (o, c, r) = (p(0.0, 0.0), p(0.0, 0.5), p(0.5, 0.0));
            if (c[0] - o[0]) * (r[1] - o[1]) - (c[1] - o[1]) * (r[0] - o[0]) < 0.0 {
                match piece.with_axes([1, 0, 0, -1]) {
                    Some(turned) => piece = turned,
                    None => continue,
                }
            }
            let longest = (last[0] - first[0]).max(last[1] - first[1]);
            all.push((longest, piece));
        }
        all.sort_by_key(|(longest, _)| *longest);
        all.truncate(2);
        all.into_iter().map(|(_, p)| p).collect()
    }
}

/// Extends a patch with a model of the whole plane, one ring of crossings at a time: each ring must fit what was there before.
fn extend(peaks: &[Peak], pixels: &[[f64; 2]], nodes: &[grow::Node], image_size: [i32; 2]) -> Option<Piece> {
    let (r0, c0) = (nodes.iter().map(|n| n.row).min()?, nodes.iter().map(|n| n.col).min()?);
    // the size only sets the scale of the numbers here: near 9 at first, so that a patch is well conditioned
    const SCALE: u8 = 13;
    let mut matched: Vec<(i32, i32, usize)> = nodes.iter().map(|n| (n.row - r0, n.col - c0, n.peak)).collect();
    let mut lattice = None;
    for round in 0..24 {
        let matches: Vec<Match> = matched
            .iter()
            .map(|&(r, c, i)| Match {
                board: [f64::from(r), f64::from(c)],
                image: pixels[i],
                weight: f64::from(peaks[i].strength),
            })
            .collect();
        let fitted = if matches.len() > 120 && round % 3 == 2 {
            Lattice::fit(SCALE, image_size, &matches, true).ok()?
        } else {
            Lattice::fit_plane(SCALE, image_size, &matches)?
        };
        let range = |f: fn(&(i32, i32, usize)) -> i32| {
            let all = matched.iter().map(f);
            (all.clone().min().unwrap_or(0) - 1, all.max().unwrap_or(0) + 1)
        };
        let (rows, cols) = (range(|m| m.0), range(|m| m.1));
        let mut next: std::collections::BTreeMap<(i32, i32), (f64, usize)> = std::collections::BTreeMap::new();
        for (i, p) in pixels.iter().enumerate() {
            let [r, c] = fitted.to_board(*p);
            let (ri, ci) = (r.round(), c.round());
            let off = (r - ri).hypot(c - ci);
            let (ri, ci) = (ri as i32, ci as i32);
            if off > 0.25 || ri < rows.0 || ri > rows.1 || ci < cols.0 || ci > cols.1 || !fitted.in_front([r, c]) {
                continue;
            }
            let slot = next.entry((ri, ci)).or_insert((off, i));
            if off < slot.0 {
                *slot = (off, i);
            }
        }
        // a row or column that only a few stray peaks hit is none
        let mut counts = [std::collections::BTreeMap::new(), std::collections::BTreeMap::new()];
        for (r, c) in next.keys() {
            *counts[0].entry(*r).or_insert(0) += 1;
            *counts[1].entry(*c).or_insert(0) += 1;
        }
        let span = |counts: &std::collections::BTreeMap<i32, i32>| {
            let full = counts.values().copied().max().unwrap_or(0);
            let kept: Vec<i32> = counts.iter().filter(|(_, n)| **n * 4 >= full).map(|(i, _)| *i).collect();
            Some((*kept.first()?, *kept.last()?))
        };
        let (rows, cols) = (span(&counts[0])?, span(&counts[1])?);
        let new: Vec<(i32, i32, usize)> = next
            .into_iter()
            .filter(|((r, c), _)| (rows.0..=rows.1).contains(r) && (cols.0..=cols.1).contains(c))
            .map(|((r, c), (_, i))| (r, c, i))
            .collect();
        if new.len() < 12 || rows.1 - rows.0 > 40 || cols.1 - cols.0 > 40 {
            return None;
        }
        let same = new == matched;
        matched = new;
        lattice = Some(fitted);
        if same {
            break;
        }
    }
    let weight = matched.iter().map(|m| f64::from(peaks[m.2].strength)).sum();
    Some(Piece { lattice: lattice?, seen: matched, weight })
}

/// The largest different pieces of lattice in the heat.
fn pieces(heat: &Heat, view: &View, image_size: [i32; 2]) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    // strong peaks alone first: weak ones are clutter where the board is clear
    for threshold in [0.4, 0.2] {
        let mut peaks = heat.peaks(threshold);
        peaks.truncate(800);
        let pixels: Vec<[f64; 2]> = peaks.iter().map(|p| view.to_pixel(p.at)).collect();
        let strength: f64 = peaks.iter().map(|p| f64::from(p.strength)).sum();
        let mut covered = vec![false; peaks.len()];
        for nodes in grow::patches(&peaks, 12, 10) {
            if nodes.iter().filter(|n| covered[n.peak]).count() * 2 > nodes.len() {
                continue;
            }
            let Some(piece) = extend(&peaks, &pixels, &nodes, image_size) else { continue };
            for s in &piece.seen {
                covered[s.2] = true;
            }
            let complete = piece.weight > 0.8 * strength;
            found.push(piece);
            if complete {
                break;
            }
        }
        found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        if found.first().is_some_and(|p| p.weight > 0.6 * strength) {
            break;
        }
    }
    found.truncate(4);
    found
}

/// What one look suggests.
pub(super) struct Hypotheses {
    /// The best few, best first.
    pub candidates: Vec<Candidate>,
    /// Planes on which the board may lie, to be looked at from straight above: see [`plane`].
    pub planes: Vec<Lattice>,
}

/// Everything that one look suggests.
pub(super) fn hypotheses(heat: &Heat, view: &View, image_size: [i32; 2], sizes: &[u8]) -> Hypotheses {
    let mut all: Vec<Candidate> = Vec::new();
    let pieces = pieces(heat, view, image_size);
    let mut planes: Vec<Lattice> = pieces.iter().take(2).filter_map(|p| p.axes().first().and_then(plane)).collect();
    for piece in pieces.iter().flat_map(Piece::axes) {
        let (first, last) = piece.range();
        let lattice = &piece.lattice;
        // room for the largest board to lie partly beyond what was matched
        let largest = sizes.iter().copied().max().map_or(19, i32::from);
        let room = |a: i32, b: i32| {
            let spare = (largest - (b - a + 1)).max(0) + 2;
            (a - spare, b + spare)
        };
        let ((r0, r1), (c0, c1)) = (room(first[0], last[0]), room(first[1], last[1]));
        let evidence = Evidence::new(heat, view, lattice, [r0, c0], [r1, c1]);
        let windows = evidence.windows(sizes);
        tracing::debug!(?first, ?last, weight = piece.weight, best = ?windows.first(), "piece");
        let mut taken = 0;
        for window in windows {
            if taken == 2 {
                break;
            }
            if let Some(own) = lattice.reindexed(f64::from(window.row), f64::from(window.col), window.size) {
                all.push(Candidate { lattice: own, score: window.score });
                taken += 1;
            }
        }
    }
    let mut rough: Vec<(f64, Lattice)> = Vec::new();
    let quadrilaterals = outline::quadrilaterals(heat);
    // the last one is the area's outline
    if let Some(pixels) = quadrilaterals.last().map(|q| q.map(|c| view.to_pixel(c))) {
        planes.extend(sizes.iter().filter_map(|&size| Lattice::from_corners(size, pixels, image_size).ok()));
    }
    for corners in quadrilaterals {
        let pixels = corners.map(|c| view.to_pixel(c));
        for &size in sizes {
            let Ok(lattice) = Lattice::from_corners(size, pixels, image_size) else { continue };
            let n = i32::from(size);
            let seen = Evidence::new(heat, view, &lattice, [0, 0], [n - 1, n - 1]).score(0, 0, size);
            rough.extend(seen.map(|s| (s / f64::from(n * n), lattice)));
        }
    }
    // not worth following where hardly anything fits
    rough.retain(|(s, _)| *s > -1.2);
    rough.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, lattice) in rough.into_iter().take(4) {
        let lattice = settle(heat, view, lattice, image_size);
        let n = i32::from(lattice.size);
        let evidence = Evidence::new(heat, view, &lattice, [-1, -1], [n, n]);
        if let Some(score) = evidence.score(0, 0, lattice.size) {
            tracing::debug!(size = lattice.size, score, "quadrilateral");
            all.push(Candidate { lattice, score });
        }
    }
    all.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut kept: Vec<Candidate> = Vec::new();
    for c in all {
        if kept.len() == 3 {
            break;
        }
        let lattice = c.lattice.upright();
        let known = kept.iter().any(|k| k.lattice.size == lattice.size && movement(&k.lattice, &lattice) < 0.4);
        // a right lattice has 0.5 and more for each point already here
        let points = f64::from(lattice.size) * f64::from(lattice.size);
        if !known && c.score > 0.15 * points {
            kept.push(Candidate { lattice, score: c.score });
        }
    }
    Hypotheses { candidates: kept, planes }
}

/// A lattice of [`PLANE_LINES`] lines each way round the middle of a piece.
fn plane(piece: &Piece) -> Option<Lattice> {
    let (first, last) = piece.range();
    let start = |i: usize| f64::from((first[i] + last[i] - i32::from(PLANE_LINES) + 1).div_euclid(2));
    piece.lattice.reindexed(start(0), start(1), PLANE_LINES)
}
