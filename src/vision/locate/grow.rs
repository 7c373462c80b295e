//! From loose peaks to small patches of lattice: seeds of two neighbour vectors, grown crossing by crossing. Only a few steps
//! far, since steps go astray where there is clutter; the rest is the work of a model of the whole plane.

use crate::vision::heat::Peak;

/// A peak with its place in a lattice of unknown origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Node {
    pub row: i32,
    pub col: i32,
    pub peak: usize,
}

/// Finds peaks near a place without looking at all of them.
struct Buckets<'a> {
    peaks: &'a [Peak],
    side: f64,
    columns: usize,
    rows: usize,
    cells: Vec<Vec<usize>>,
}

impl<'a> Buckets<'a> {
    fn new(peaks: &'a [Peak], side: f64) -> Buckets<'a> {
        let columns = peaks.iter().map(|p| (p.at[0].max(0.0) / side) as usize).max().unwrap_or(0) + 1;
        let rows = peaks.iter().map(|p| (p.at[1].max(0.0) / side) as usize).max().unwrap_or(0) + 1;
        let mut cells = vec![Vec::new(); columns * rows];
        for (i, p) in peaks.iter().enumerate() {
            let (x, y) = ((p.at[0].max(0.0) / side) as usize, (p.at[1].max(0.0) / side) as usize);
            cells[y * columns + x].push(i);
        }
        Buckets { peaks, side, columns, rows, cells }
    }

    /// Indices of the peaks within `radius` of `at` and their distances, nearest first.
    fn near(&self, at: [f64; 2], radius: f64) -> Vec<(f64, usize)> {
        let lo = |v: f64| ((v - radius).max(0.0) / self.side) as usize;
        let hi = |v: f64, n: usize| (((v + radius).max(0.0) / self.side) as usize).min(n - 1);
        let mut found = Vec::new();
        for y in lo(at[1])..=hi(at[1], self.rows) {
            for x in lo(at[0])..=hi(at[0], self.columns) {
                for &i in &self.cells[y * self.columns + x] {
                    let p = self.peaks[i].at;
                    let d = (p[0] - at[0]).hypot(p[1] - at[1]);
                    if d <= radius {
                        found.push((d, i));
                    }
                }
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found
    }
}

fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn length(a: [f64; 2]) -> f64 {
    a[0].hypot(a[1])
}

/// Two vectors from one crossing to its neighbours.
type Basis = [[f64; 2]; 2];

/// The best basis at a peak: its neighbours' neighbours must be there too. Returns how many of six were.
fn basis_at(buckets: &Buckets<'_>, seed: usize, reach: f64) -> Option<(usize, Basis)> {
    let at = buckets.peaks[seed].at;
    let near: Vec<usize> =
        buckets.near(at, reach).into_iter().map(|(_, i)| i).filter(|&i| i != seed).take(10).collect();
    let mut all: Vec<(usize, f64, Basis)> = Vec::new();
    for (k, &i) in near.iter().enumerate() {
        let a = minus(buckets.peaks[i].at, at);
        for &j in &near[k + 1..] {
            let b = minus(buckets.peaks[j].at, at);
            let (la, lb) = (length(a), length(b));
            let sine = (a[0] * b[1] - a[1] * b[0]) / (la * lb);
            if sine.abs() < 0.5 || la.max(lb) > 2.6 * la.min(lb) {
                continue;
            }
            let tolerance = 0.25 * la.min(lb);
            let hits = [(-1.0, 0.0), (0.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0)]
                .into_iter()
                .filter(|(s, t)| {
                    let p = [at[0] + s * a[0] + t * b[0], at[1] + s * a[1] + t * b[1]];
                    !buckets.near(p, tolerance).is_empty()
                })
                .count();
            if hits >= 3 {
                all.push((hits, la * la + lb * lb, [a, b]));
            }
        }
    }
    // a basis of diagonals is longer and reaches only every other crossing
    let shortest = all.iter().map(|(_, length, _)| *length).fold(f64::MAX, f64::min);
    let worth = |(hits, length, _): &(usize, f64, Basis)| *hits as f64 / 6.0 - 0.5 * length / shortest;
    all.into_iter().max_by(|a, b| worth(a).total_cmp(&worth(b))).map(|(hits, _, basis)| (hits, basis))
}

/// Grows one lattice from one seed.
fn grow_from(buckets: &Buckets<'_>, seed: usize, basis: Basis) -> Vec<Node> {
    const REACH: i32 = 3;
    let width = (2 * REACH + 1) as usize;
    let slot = |row: i32, col: i32| ((row + REACH) as usize) * width + (col + REACH) as usize;
    let mut at: Vec<Option<usize>> = vec![None; width * width];
    let mut taken = vec![false; buckets.peaks.len()];
    let mut nodes = vec![Node { row: 0, col: 0, peak: seed }];
    let mut bases = vec![basis];
    at[slot(0, 0)] = Some(0);
    taken[seed] = true;
    let mut next = 0;
    while next < nodes.len() {
        let node = nodes[next];
        let here = buckets.peaks[node.peak].at;
        // what the neighbours found so far say about the step here
        let mut local = bases[next];
        for (axis, (dr, dc)) in [(0, 1), (1, 0)].into_iter().enumerate() {
            let (mut sum, mut n) = ([0.0; 2], 0.0);
            for sign in [-1, 1] {
                let (r, c) = (node.row + sign * dr, node.col + sign * dc);
                if r.abs() > REACH || c.abs() > REACH {
                    continue;
                }
                if let Some(i) = at[slot(r, c)] {
                    let d = minus(buckets.peaks[nodes[i].peak].at, here);
                    sum = [sum[0] + f64::from(sign) * d[0], sum[1] + f64::from(sign) * d[1]];
                    n += 1.0;
                }
            }
            if n > 0.0 {
                local[axis] = [0.3 * local[axis][0] + 0.7 * sum[0] / n, 0.3 * local[axis][1] + 0.7 * sum[1] / n];
            }
        }
        bases[next] = local;
        let shortest = length(local[0]).min(length(local[1]));
        for (dr, dc) in [(0, 1), (0, -1), (1, 0), (-1, 0)] {
            let (row, col) = (node.row + dr, node.col + dc);
            if row.abs() > REACH || col.abs() > REACH || at[slot(row, col)].is_some() {
                continue;
            }
            let (s, t) = (f64::from(dc), f64::from(dr));
            let guess = [here[0] + s * local[0][0] + t * local[1][0], here[1] + s * local[0][1] + t * local[1][1]];
            let hit = buckets.near(guess, 0.28 * shortest).into_iter().find(|(_, i)| !taken[*i]);
            if let Some((_, peak)) = hit {
                taken[peak] = true;
                at[slot(row, col)] = Some(nodes.len());
                nodes.push(Node { row, col, peak });
                bases.push(local);
            }
        }
        next += 1;
    }
    nodes
}

/// Patches of at least `least` crossings, the fullest first, at most `most`; peaks come strongest first.
pub(super) fn patches(peaks: &[Peak], least: usize, most: usize) -> Vec<Vec<Node>> {
    if peaks.len() < least {
        return Vec::new();
    }
    // the usual distance between neighbours sets how far a seed looks
    let rough = Buckets::new(peaks, 8.0);
    let mut nearest: Vec<f64> = (0..peaks.len())
        .map(|i| {
            let mut radius = 6.0;
            loop {
                if let Some((d, _)) = rough.near(peaks[i].at, radius).get(1) {
                    return *d;
                }
                radius *= 2.0;
                if radius > 400.0 {
                    return 400.0;
                }
            }
        })
        .collect();
    let own = nearest.clone();
    nearest.sort_by(f64::total_cmp);
    let typical = nearest[nearest.len() / 2];
    let buckets = Buckets::new(peaks, typical.max(2.0));
    let mut seeds: Vec<(usize, usize, Basis)> = Vec::new();
    // strong peaks first, spread by taking every k-th of the stronger half
    let strong = peaks.len().div_ceil(2).max(least.min(peaks.len()));
    let stride = (strong / 60).max(1);
    for i in (0..strong).step_by(stride) {
        if let Some((hits, basis)) = basis_at(&buckets, i, own[i].max(typical) * 3.0) {
            seeds.push((hits, i, basis));
        }
    }
    seeds.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut covered = vec![false; peaks.len()];
    let mut pieces: Vec<Vec<Node>> = Vec::new();
    for (_, seed, basis) in seeds {
        if covered[seed] {
            continue;
        }
        let nodes = grow_from(&buckets, seed, basis);
        if nodes.len() >= least {
            for n in &nodes {
                covered[n.peak] = true;
            }
            pieces.push(nodes);
        }
    }
    pieces.sort_by_key(|p| std::cmp::Reverse(p.len()));
    pieces.truncate(most);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slanted_lattice_with_gaps_gives_true_patches() {
        let mut peaks = Vec::new();
        let mut truth: Vec<(i32, i32)> = Vec::new();
        for r in 0..19 {
            for c in 0..19 {
                if (r * 5 + c * 3) % 7 == 0 {
                    continue;
                }
                let (x, y) = (f64::from(c) + 0.3 * f64::from(r), f64::from(r) - 0.2 * f64::from(c));
                let w = 1.0 + 0.02 * y;
                peaks.push(Peak { at: [40.0 + 7.0 * x / w, 60.0 + 7.0 * y / w], strength: 0.9 });
                truth.push((r, c));
            }
        }
        // clutter off the lattice
        for k in 0..20 {
            peaks.push(Peak { at: [300.0 + f64::from(k * 13 % 29), 20.0 + f64::from(k * 7)], strength: 0.5 });
            truth.push((-1, -1));
        }
        let pieces = patches(&peaks, 12, 4);
        assert!(!pieces.is_empty());
        for piece in pieces {
            // steps between nodes are steps between crossings, never diagonal
            let at = |n: &Node| truth[n.peak];
            let first = piece[0];
            let find = |r: i32, c: i32| piece.iter().find(|n| (n.row, n.col) == (r, c)).map(at);
            let mut checked = 0;
            for n in &piece {
                for (dr, dc) in [(0, 1), (1, 0)] {
                    if let Some(b) = find(n.row + dr, n.col + dc) {
                        let a = at(n);
                        assert_eq!((a.0 - b.0).abs() + (a.1 - b.1).abs(), 1, "{first:?}: {a:?} to {b:?}");
                        checked += 1;
                    }
                }
            }
            assert!(checked >= 12);
        }
    }

    #[test]
    fn no_lattice_in_nothing() {
        assert!(patches(&[], 12, 4).is_empty());
        let line: Vec<Peak> = (0..30).map(|i| Peak { at: [f64::from(i) * 5.0, 10.0], strength: 1.0 }).collect();
        assert!(patches(&line, 12, 4).is_empty());
    }
}
