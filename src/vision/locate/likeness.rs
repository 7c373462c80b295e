//! Is it a Go board? Other boards, puzzles, tiles and tables have grids too, often with as many lines. What tells them apart is
//! measured on the rectified board: a line more beyond one side, things in the cells instead of on the crossings, lines that
//! differ from each other or stop, checks, star points. A logistic function of these numbers, fitted on pictures with and
//! without boards (`models/training/likeness.py`), gives the probability.

use opencv::core::Mat;
use opencv::prelude::*;
use opencv::{core, imgproc};

use crate::vision::error::Result;
use crate::vision::heat::Heat;

/// How many numbers are measured.
pub(super) const FEATURES: usize = 16;

/// Weights of the numbers that [`Plan::features`] gives, in its order; then of the logit of the geometric confidence (clamped to 6 and
/// divided by 4), and the constant.
const WEIGHTS: [f64; FEATURES + 2] = [
    -4.41, 0.36, 4.03, 2.30, 0.70, -1.12, -0.77, 0.50, -1.04, -2.96, -0.67, 0.50, 0.69, 3.28, -0.89, 3.78, 2.81, -8.03,
];
/// Photos that people show are of boards: odds of a board before anything is seen.
const PRIOR_ODDS: f64 = 2.0;

/// The probability that the grid is a Go board's, from its features and the confidence that the geometry has.
pub(super) fn probability(features: &[f64; FEATURES], confidence: f64) -> f64 {
    let p = confidence.clamp(1e-4, 1.0 - 1e-4);
    let logit = (p / (1.0 - p)).ln().clamp(-6.0, 6.0);
    let [.., weight, constant] = WEIGHTS;
    let sum: f64 = features.iter().zip(WEIGHTS).map(|(f, w)| f * w).sum();
    1.0 / (1.0 + (-(sum + weight * logit / 4.0 + constant + PRIOR_ODDS.ln())).exp())
}

/// The rectified board in grey, with what was seen at its crossings.
pub(super) struct Plan<'a> {
    pub heat: &'a Heat,
    pub grey: Vec<f32>,
    /// Pixels of a side.
    pub side: usize,
    pub size: usize,
    pub pitch_px: f64,
    /// Pitches from the edge to the outermost crossings.
    pub margin: f64,
}

impl<'a> Plan<'a> {
    /// `board`: the rectified board (8-bit BGR) that `heat` was made from.
    pub fn new(heat: &'a Heat, board: &Mat, size: u8, pitch_px: f64, margin: f64) -> Result<Plan<'a>> {
        let (mut grey, mut float) = (Mat::default(), Mat::default());
        imgproc::cvt_color_def(board, &mut grey, imgproc::COLOR_BGR2GRAY)?;
        grey.convert_to(&mut float, core::CV_32F, 1.0, 0.0)?;
        let grey = float.data_typed::<f32>()?.to_vec();
        Ok(Plan { heat, grey, side: board.cols() as usize, size: size as usize, pitch_px, margin })
    }

    fn pixel(&self, row: f64, col: f64) -> [f64; 2] {
        [self.pitch_px * (col + self.margin) - 0.5, self.pitch_px * (row + self.margin) - 0.5]
    }

    /// Mean and standard deviation of grey in a rectangle of half sizes `rx`, `ry` pitches.
    fn patch(&self, row: f64, col: f64, rx: f64, ry: f64) -> (f32, f32) {
        let [x, y] = self.pixel(row, col);
        let range = |v: f64, r: f64| {
            let r = r * self.pitch_px;
            let lo = ((v - r).round().max(0.0) as usize).min(self.side - 1);
            (lo, ((v + r).round().max(0.0) as usize).clamp(lo, self.side - 1))
        };
        let ((x0, x1), (y0, y1)) = (range(x, rx), range(y, ry));
        let (mut sum, mut squares, mut n) = (0.0f32, 0.0f32, 0.0f32);
        for y in y0..=y1 {
            for v in &self.grey[y * self.side + x0..=y * self.side + x1] {
                sum += v;
                squares += v * v;
                n += 1.0;
            }
        }
        let mean = sum / n;
        (mean, (squares / n - mean * mean).max(0.0).sqrt())
    }

    /// How much darker a line through the middle of an edge between two crossings is than the cells beside it. Lines may be drawn a
    /// little off: the darkest of five places across counts, and the brightest for light lines. `[dark, light]`.
    fn edge(&self, row: f64, col: f64, across: bool) -> [f32; 2] {
        let at = |off: f64| {
            let half = 0.6 / self.pitch_px;
            if across { self.patch(row + off, col, 0.18, half).0 } else { self.patch(row, col + off, half, 0.18).0 }
        };
        let beside = (at(-0.28) + at(0.28)) / 2.0;
        let near = [-0.1, -0.05, 0.0, 0.05, 0.1].map(at);
        let (lo, hi) = near.iter().fold((f32::MAX, f32::MIN), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
        [(beside - lo).max(0.0), (hi - beside).max(0.0)]
    }

    /// The numbers; `outside` are mean strengths of crossings one line beyond each side (`None`: out of the picture).
    pub fn features(&self, outside: [Option<f64>; 4]) -> [f64; FEATURES] {
        let n = self.size;
        let mut kinds = vec![0u8; n * n];
        let (mut black, mut white, mut clear, mut unclear) = (0.0, 0.0, 0.0, 0.0);
        for r in 0..n {
            for c in 0..n {
                let cell = Heat::cell(self.pixel(r as f64, c as f64));
                let [e, b, w] = self.heat.kinds(cell, 0.2 * self.pitch_px / 2.0);
                kinds[r * n + c] = if b.max(w) > e.max(0.35) {
                    if b > w {
                        black += 1.0;
                        1
                    } else {
                        white += 1.0;
                        2
                    }
                } else {
                    if e > 0.5 {
                        clear += 1.0;
                    } else if e < 0.2 {
                        unclear += 1.0;
                    }
                    0
                };
            }
        }
        let points = (n * n) as f64;
        let empty = |r: usize, c: usize| kinds[r * n + c] == 0;

        // stones where none can lie, and things in cells between empty crossings
        let (mut misplaced, mut cells) = (0.0, Vec::new());
        for r in 0..n - 1 {
            for c in 0..n - 1 {
                let (row, col) = (r as f64 + 0.5, c as f64 + 0.5);
                let [_, b, w] = self.heat.kinds(Heat::cell(self.pixel(row, col)), 0.15 * self.pitch_px / 2.0);
                if b.max(w) > 0.35 {
                    misplaced += 1.0;
                }
                if empty(r, c) && empty(r + 1, c) && empty(r, c + 1) && empty(r + 1, c + 1) {
                    let (mean, deviation) = self.patch(row, col, 0.26, 0.26);
                    cells.push((mean, deviation, (r + c) % 2 == 0));
                }
            }
        }
        let all_cells = ((n - 1) * (n - 1)) as f64;
        let usual = median(cells.iter().map(|c| c.1).collect()).max(1.0);
        let busy = cells.iter().filter(|c| c.1 > 3.0 * usual + 4.0).count() as f64;
        let count = (cells.len() as f64).max(1.0);
        let brightness = median(cells.iter().map(|c| c.0).collect());
        let parity = |even: bool| median(cells.iter().filter(|c| c.2 == even).map(|c| c.0).collect());
        let spread = median(cells.iter().map(|c| (c.0 - brightness).abs()).collect()).max(1.5);
        let checks = f64::from(((parity(true) - parity(false)).abs() / spread).min(2.0));
        let coarse = f64::from(usual / brightness.max(10.0));

        // lines: seen where both ends are empty, all alike
        let mut by_line: Vec<Vec<[f32; 2]>> = vec![Vec::new(); 2 * n];
        for r in 0..n {
            for c in 0..n - 1 {
                if empty(r, c) && empty(r, c + 1) {
                    by_line[r].push(self.edge(r as f64, c as f64 + 0.5, true));
                }
                if empty(c, r) && empty(c + 1, r) {
                    by_line[n + r].push(self.edge(c as f64 + 0.5, r as f64, false));
                }
            }
        }
        let sum = |i: usize| by_line.iter().flatten().map(|e| f64::from(e[i])).sum::<f64>();
        let sign = usize::from(sum(1) > 1.3 * sum(0));
        let edges: Vec<f32> = by_line.iter().flatten().map(|e| e[sign]).collect();
        let middle = median(edges.clone()).max(1.0);
        let gone = edges.iter().filter(|e| **e < 0.3 * middle).count() as f64 / (edges.len() as f64).max(1.0);
        let strengths: Vec<f32> = by_line
            .iter()
            .enumerate()
            .filter(|(i, line)| i % n != 0 && i % n != n - 1 && line.len() * 2 >= n - 1)
            .map(|(_, line)| median(line.iter().map(|e| e[sign]).collect()) / middle)
            .collect();
        let (thin, thick) = strengths.iter().fold((1.0f32, 1.0f32), |(lo, hi), v| (lo.min(*v), hi.max(*v)));

        let worst = outside.iter().flatten().copied().fold(0.0, f64::max);
        let seen_sides = outside.iter().flatten().count() as f64 / 4.0;
        [
            worst,
            seen_sides,
            (black + white) / points,
            (f64::min(black, white) / 6.0).min(1.0),
            ((black + white) / 12.0).min(1.0),
            misplaced / all_cells,
            busy / count,
            checks,
            coarse.min(0.5),
            gone,
            f64::from(1.0 - thin.clamp(0.0, 1.0)),
            f64::from((thick - 1.0).clamp(0.0, 2.0)),
            self.stars(&kinds, sign == 1),
            clear / (clear + unclear + 1.0),
            f64::from((middle / brightness.max(10.0)).min(1.0)),
            if n == 19 { 1.0 } else { 0.0 },
        ]
    }

    /// How much darker the empty star points are than other empty crossings, in deviations of those.
    fn stars(&self, kinds: &[u8], light: bool) -> f64 {
        let n = self.size;
        let lines: &[usize] = match n {
            19 => &[3, 9, 15],
            13 => &[3, 6, 9],
            9 => &[2, 4, 6],
            _ => return 0.0,
        };
        let (mut on, mut off) = (Vec::new(), Vec::new());
        for r in 1..n - 1 {
            for c in 1..n - 1 {
                if kinds[r * n + c] != 0 {
                    continue;
                }
                // a dot is darker than a bare crossing beside its lines
                let (row, col) = (r as f64, c as f64);
                let d = 0.09;
                let dot = [(d, d), (d, -d), (-d, d), (-d, -d)].map(|(a, b)| self.patch(row + a, col + b, 0.03, 0.03).0);
                let bare = [(0.3, 0.3), (0.3, -0.3), (-0.3, 0.3), (-0.3, -0.3)]
                    .map(|(a, b)| self.patch(row + a, col + b, 0.06, 0.06).0);
                let v = (bare.iter().sum::<f32>() - dot.iter().sum::<f32>()) / 4.0;
                let v = if light { -v } else { v };
                let star = lines.contains(&r) && lines.contains(&c);
                // 9 and 13 have five as a rule, seldom nine: the others count neither way
                if star && (n == 19 || (r == n / 2) == (c == n / 2)) {
                    on.push(v);
                } else if !star {
                    off.push(v);
                }
            }
        }
        if on.is_empty() || off.len() < 8 {
            return 0.0;
        }
        let base = median(off.clone());
        let deviation = median(off.iter().map(|v| (v - base).abs()).collect()).max(1.0);
        f64::from(((median(on) - base) / deviation / 4.0).clamp(-0.5, 2.0))
    }
}

fn median(mut values: Vec<f32>) -> f32 {
    if values.is_empty() {
        return 0.0;
    }
    values.sort_by(f32::total_cmp);
    values[values.len() / 2]
}
