//! How well everything that a lattice predicts is seen.

use crate::vision::heat::Heat;
use crate::vision::lattice::Lattice;

/// How cells of a heat map and pixels of the photo belong together.
#[derive(Clone, Debug)]
pub(super) enum View {
    /// A part of the photo, resized: `input = (pixel - origin + ½) · factor - ½`.
    Photo { origin: [f64; 2], factor: [f64; 2] },
    /// The board rectified by an earlier lattice, from a photo of that size.
    Rectified { lattice: Box<Lattice>, pitch_px: f64, margin: f64, photo: [f64; 2] },
}

impl View {
    pub fn to_cell(&self, pixel: [f64; 2]) -> [f64; 2] {
        match self {
            View::Photo { origin, factor } => Heat::cell([
                (pixel[0] - origin[0] + 0.5) * factor[0] - 0.5,
                (pixel[1] - origin[1] + 0.5) * factor[1] - 0.5,
            ]),
            View::Rectified { lattice, pitch_px, margin, .. } => {
                let [row, col] = lattice.to_board(pixel);
                Heat::cell([pitch_px * (col + margin) - 0.5, pitch_px * (row + margin) - 0.5])
            }
        }
    }

    /// False for pixels beyond the photo's edge, of which a rectified board shows black.
    fn on_photo(&self, pixel: [f64; 2]) -> bool {
        match self {
            // the heat map ends where the photo does
            View::Photo { .. } => true,
            View::Rectified { photo, .. } => (0..2).all(|i| pixel[i] >= 1.0 && pixel[i] <= photo[i] - 2.0),
        }
    }

    pub fn to_pixel(&self, cell: [f64; 2]) -> [f64; 2] {
        let [x, y] = Heat::input(cell);
        match self {
            View::Photo { origin, factor } => {
                [(x + 0.5) / factor[0] - 0.5 + origin[0], (y + 0.5) / factor[1] - 0.5 + origin[1]]
            }
            View::Rectified { lattice, pitch_px, margin, .. } => {
                lattice.to_image([(y + 0.5) / pitch_px - margin, (x + 0.5) / pitch_px - margin])
            }
        }
    }
}

/// Where the grid of a board lies within a lattice of unknown origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    pub row: i32,
    pub col: i32,
    pub size: u8,
    /// Sum of the evidence for minus against it.
    pub score: f64,
}

/// What was seen at the crossings of a lattice and around them. `None`: out of the picture.
pub(super) struct Evidence {
    first_row: i32,
    first_col: i32,
    rows: i32,
    cols: i32,
    crossings: Vec<Option<f32>>,
    corners: Vec<f32>,
    /// At `(row - ½, col - ½)`.
    masks: Vec<Option<f32>>,
}

/// Numbers by which a lattice is trusted, each 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Support {
    /// Mean strength of the crossings that are in the picture.
    pub crossings: f64,
    /// Share of crossings that are in the picture and hardly seen at all.
    pub missing: f64,
    /// Mean strength of "crossings" one line outside.
    pub outside: f64,
    /// Step of the mask across the border.
    pub border: f64,
    /// Mean strength of the corners.
    pub corners: f64,
    /// Share of the crossings that are in the picture.
    pub in_view: f64,
    /// Share of the board that is known to end where the lattice does, side by side: what lies beyond a side is seen, or the corners at
    /// both its ends. A board that fills the picture shows hardly anything beyond.
    pub enclosed: f64,
    /// How much worse the second best window or size is, for each crossing.
    pub margin: f64,
}

/// Evidence in favour of a crossing (log odds); below about a quarter, heat speaks against one.
fn log_odds(heat: f32) -> f64 {
    f64::from((heat + 0.03) / 0.28).ln()
}

impl Evidence {
    /// Looks at every crossing of `lattice` from `first` to `last` `[row, col]`, both included.
    pub fn new(heat: &Heat, view: &View, lattice: &Lattice, first: [i32; 2], last: [i32; 2]) -> Evidence {
        let (rows, cols) = (last[0] - first[0] + 1, last[1] - first[1] + 1);
        let mut e = Evidence {
            first_row: first[0],
            first_col: first[1],
            rows,
            cols,
            crossings: Vec::new(),
            corners: Vec::new(),
            masks: Vec::new(),
        };
        let cell = |row: f64, col: f64| {
            let pixel = lattice.to_image([row, col]);
            (lattice.in_front([row, col]) && view.on_photo(pixel)).then(|| view.to_cell(pixel))
        };
        for row in first[0]..=last[0] {
            for col in first[1]..=last[1] {
                let (r, c) = (f64::from(row), f64::from(col));
                let mut seen = None;
                let mut corner = 0.0;
                let to = |row: f64, col: f64| view.to_cell(lattice.to_image([row, col]));
                if let Some(p) = cell(r, c).filter(|p| heat.inside(*p, 1.0)) {
                    let (q, s) = (to(r, c + 0.5), to(r + 0.5, c));
                    let half = (q[0] - p[0]).hypot(q[1] - p[1]).min((s[0] - p[0]).hypot(s[1] - p[1]));
                    seen = Some(heat.crossing(p, 2.0 * half));
                    corner = heat.corner(p, (0.5 * half).clamp(0.6, 3.0));
                }
                e.crossings.push(seen);
                e.corners.push(corner);
                e.masks.push(cell(r - 0.5, c - 0.5).filter(|p| heat.inside(*p, 0.0)).map(|p| heat.mask(p)));
            }
        }
        e
    }

    fn slot(&self, row: i32, col: i32) -> Option<usize> {
        let (r, c) = (row - self.first_row, col - self.first_col);
        (r >= 0 && c >= 0 && r < self.rows && c < self.cols).then(|| (r * self.cols + c) as usize)
    }

    fn crossing(&self, row: i32, col: i32) -> Option<f32> {
        self.slot(row, col).and_then(|i| self.crossings[i])
    }

    fn mask(&self, row: i32, col: i32) -> Option<f32> {
        self.slot(row, col).and_then(|i| self.masks[i])
    }

    fn corner(&self, row: i32, col: i32) -> f32 {
        self.slot(row, col).map_or(0.0, |i| self.corners[i])
    }

    /// Pairs of mask values (inside, outside) half a pitch from the border of the window.
    fn border(&self, row: i32, col: i32, n: i32) -> impl Iterator<Item = (Option<f32>, Option<f32>)> + '_ {
        (1..n).flat_map(move |k| {
            [
                (self.mask(row + 1, col + k), self.mask(row, col + k)),
                (self.mask(row + n - 1, col + k), self.mask(row + n, col + k)),
                (self.mask(row + k, col + 1), self.mask(row + k, col)),
                (self.mask(row + k, col + n - 1), self.mask(row + k, col + n)),
            ]
        })
    }

    fn ring(&self, row: i32, col: i32, n: i32) -> impl Iterator<Item = Option<f32>> + '_ {
        (0..n).flat_map(move |k| {
            [
                self.crossing(row - 1, col + k),
                self.crossing(row + n, col + k),
                self.crossing(row + k, col - 1),
                self.crossing(row + k, col + n),
            ]
        })
    }

    /// Mean strength of "crossings" one line beyond each side (top, bottom, left, right); `None` where most of them are out of the
    /// picture. A grid with one line more than the board has it strong on one side alone.
    pub fn beyond(&self, row: i32, col: i32, size: u8) -> [Option<f64>; 4] {
        let n = i32::from(size);
        let side = |at: &dyn Fn(i32) -> (i32, i32)| {
            let seen: Vec<f64> = (0..n).map(at).filter_map(|(r, c)| self.crossing(r, c)).map(f64::from).collect();
            (seen.len() as i32 * 2 > n).then(|| seen.iter().sum::<f64>() / seen.len() as f64)
        };
        [
            side(&|k| (row - 1, col + k)),
            side(&|k| (row + n, col + k)),
            side(&|k| (row + k, col - 1)),
            side(&|k| (row + k, col + n)),
        ]
    }

    /// See [`Support::enclosed`].
    fn enclosed(&self, row: i32, col: i32, n: i32) -> f64 {
        let last = n - 1;
        let proved = [(false, false), (false, true), (true, false), (true, true)].map(|(upright, far)| {
            // a place on a line parallel to the side, and the lines beyond it, just inside and just outside (of the mask), and its own
            let place = |k: i32, line: i32| if upright { (row + k, col + line) } else { (row + line, col + k) };
            let (beyond, inside, outside, own) = if far { (n, last, n, last) } else { (-1, 1, 0, 0) };
            let in_view = |k: &i32| {
                let (r, c) = place(*k, beyond);
                self.crossing(r, c).is_some()
            };
            let step = |k: i32| {
                let mask = |line: i32| {
                    let (r, c) = place(k, line);
                    self.mask(r, c)
                };
                Some(f64::from(mask(inside)? - mask(outside)?).clamp(0.0, 1.0))
            };
            let corner = |k: i32| {
                let (r, c) = place(k, own);
                f64::from(self.corner(r, c))
            };
            let ring = (0..n).filter(in_view).count() as f64 / f64::from(n);
            let border = (1..n).filter_map(step).sum::<f64>() / f64::from(last);
            ring.max(border).max(corner(0).min(corner(last)))
        });
        proved.iter().sum::<f64>() / 4.0
    }

    /// Score of one window; `None` if too little of it is in the picture.
    pub fn score(&self, row: i32, col: i32, size: u8) -> Option<f64> {
        let n = i32::from(size);
        let (mut score, mut seen) = (0.0, 0);
        for r in row..row + n {
            for c in col..col + n {
                if let Some(e) = self.crossing(r, c) {
                    seen += 1;
                    score += log_odds(e);
                }
            }
        }
        if seen * 10 < n * n * 6 {
            return None;
        }
        for e in self.ring(row, col, n).flatten() {
            score -= 1.5 * log_odds(e).max(0.0);
        }
        for (inside, outside) in self.border(row, col, n) {
            // where the picture ends, nothing is proved
            if let (Some(inside), Some(outside)) = (inside, outside) {
                score += 1.2 * f64::from(inside - outside);
            }
        }
        for (r, c) in [(row, col), (row, col + n - 1), (row + n - 1, col), (row + n - 1, col + n - 1)] {
            score += 4.0 * f64::from(self.corner(r, c) - 0.2);
        }
        Some(score)
    }

    /// All windows of the given sizes, best first.
    pub fn windows(&self, sizes: &[u8]) -> Vec<Window> {
        let mut all = Vec::new();
        for &size in sizes {
            let n = i32::from(size);
            for row in self.first_row..=self.first_row + self.rows - n {
                for col in self.first_col..=self.first_col + self.cols - n {
                    if let Some(score) = self.score(row, col, size) {
                        all.push(Window { row, col, size, score });
                    }
                }
            }
        }
        all.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.size.cmp(&a.size)));
        all
    }

    /// The numbers behind a window's score; `second`: score of the best other window.
    pub fn support(&self, window: Window, second: Option<f64>) -> Support {
        let n = i32::from(window.size);
        let (mut sum, mut seen, mut missing) = (0.0, 0.0, 0.0);
        for r in window.row..window.row + n {
            for c in window.col..window.col + n {
                if let Some(e) = self.crossing(r, c) {
                    seen += 1.0;
                    sum += f64::from(e);
                    missing += if e < 0.2 { 1.0 } else { 0.0 };
                }
            }
        }
        let mean = |values: Vec<f64>, default: f64| {
            if values.is_empty() { default } else { values.iter().sum::<f64>() / values.len() as f64 }
        };
        let points = f64::from(n * n);
        let corners = [(0, 0), (0, n - 1), (n - 1, n - 1), (n - 1, 0)]
            .map(|(r, c)| f64::from(self.corner(window.row + r, window.col + c)));
        Support {
            crossings: if seen > 0.0 { sum / seen } else { 0.0 },
            missing: if seen > 0.0 { missing / seen } else { 1.0 },
            outside: mean(self.ring(window.row, window.col, n).flatten().map(f64::from).collect(), 0.0),
            border: mean(
                self.border(window.row, window.col, n).filter_map(|(i, o)| Some(f64::from(i? - o?))).collect(),
                0.0,
            )
            .max(0.0),
            corners: corners.iter().sum::<f64>() / 4.0,
            in_view: seen / points,
            enclosed: self.enclosed(window.row, window.col, n),
            margin: second.map_or(1.0, |s| ((window.score - s) / points).clamp(0.0, 1.0)),
        }
    }
}
