//! Heat maps of the locating network and the peaks in them.

/// A local maximum of the crossing heat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Peak {
    /// `[x, y]`, in the coordinates that the caller asked for.
    pub at: [f64; 2],
    pub strength: f32,
}

/// Five planes of heat, one cell for two input pixels: empty crossings, black stones, white stones, the board's mask, its corners.
#[derive(Clone, Debug)]
pub(super) struct Heat {
    pub w: usize,
    pub h: usize,
    planes: Vec<f32>,
    /// Any of the three kinds of crossing.
    any: Vec<f32>,
}

impl Heat {
    pub const CHANNELS: usize = 5;
    pub const MASK: usize = 3;
    pub const CORNER: usize = 4;

    pub fn new(w: usize, h: usize, planes: Vec<f32>) -> Heat {
        let n = w * h;
        let any = (0..n).map(|i| (planes[i] + planes[n + i] + planes[2 * n + i]).clamp(0.0, 1.0)).collect();
        Heat { w, h, planes, any }
    }

    /// Cell coordinates of a pixel of the input picture.
    pub fn cell(input: [f64; 2]) -> [f64; 2] {
        [(input[0] - 0.5) / 2.0, (input[1] - 0.5) / 2.0]
    }

    /// Pixel of the input picture of cell coordinates.
    pub fn input(cell: [f64; 2]) -> [f64; 2] {
        [2.0 * cell[0] + 0.5, 2.0 * cell[1] + 0.5]
    }

    fn plane(&self, channel: usize) -> &[f32] {
        &self.planes[channel * self.w * self.h..][..self.w * self.h]
    }

    /// True if the cell is on the map, at least `border` cells from its edge.
    pub fn inside(&self, cell: [f64; 2], border: f64) -> bool {
        cell[0] >= border
            && cell[1] >= border
            && cell[0] <= self.w as f64 - 1.0 - border
            && cell[1] <= self.h as f64 - 1.0 - border
    }

    fn bilinear(&self, plane: &[f32], cell: [f64; 2]) -> f32 {
        let x = cell[0].clamp(0.0, self.w as f64 - 1.001);
        let y = cell[1].clamp(0.0, self.h as f64 - 1.001);
        let (x0, y0) = (x as usize, y as usize);
        let (fx, fy) = ((x - x0 as f64) as f32, (y - y0 as f64) as f32);
        let at = |dx: usize, dy: usize| plane[(y0 + dy).min(self.h - 1) * self.w + (x0 + dx).min(self.w - 1)];
        (at(0, 0) * (1.0 - fx) + at(1, 0) * fx) * (1.0 - fy) + (at(0, 1) * (1.0 - fx) + at(1, 1) * fx) * fy
    }

    /// Mask value; 0 outside the picture.
    pub fn mask(&self, cell: [f64; 2]) -> f32 {
        if self.inside(cell, 0.0) { self.bilinear(self.plane(Self::MASK), cell) } else { 0.0 }
    }

    fn strongest(&self, plane: &[f32], cell: [f64; 2], radius: f64) -> f32 {
        let lo = |v: f64| (v - radius).ceil().max(0.0) as usize;
        let hi = |v: f64, n: usize| ((v + radius).floor() as i64).min(n as i64 - 1);
        let mut best = self.bilinear(plane, cell);
        for y in lo(cell[1]) as i64..=hi(cell[1], self.h) {
            for x in lo(cell[0]) as i64..=hi(cell[0], self.w) {
                best = best.max(plane[y as usize * self.w + x as usize]);
            }
        }
        best
    }

    /// Crossing heat near `cell`, less with the distance: what is `pitch / 4` cells away counts only a third.
    pub fn crossing(&self, cell: [f64; 2], pitch: f64) -> f32 {
        let radius = (0.3 * pitch).clamp(1.0, 6.0);
        let fade = -0.5 / (0.17 * pitch).max(0.8).powi(2);
        let mut best = self.bilinear(&self.any, cell);
        let lo = |v: f64| (v - radius).ceil().max(0.0) as i64;
        let hi = |v: f64, n: usize| ((v + radius).floor() as i64).min(n as i64 - 1);
        for y in lo(cell[1])..=hi(cell[1], self.h) {
            for x in lo(cell[0])..=hi(cell[0], self.w) {
                let v = self.any[y as usize * self.w + x as usize];
                if v > best {
                    let d2 = (x as f64 - cell[0]).powi(2) + (y as f64 - cell[1]).powi(2);
                    best = best.max(v * (fade * d2).exp() as f32);
                }
            }
        }
        best
    }

    /// Strongest heat of each kind of crossing (empty, black, white) within `radius` cells.
    pub fn kinds(&self, cell: [f64; 2], radius: f64) -> [f32; 3] {
        [0, 1, 2].map(|kind| self.strongest(self.plane(kind), cell, radius))
    }

    /// Strongest corner heat within `radius` cells.
    pub fn corner(&self, cell: [f64; 2], radius: f64) -> f32 {
        self.strongest(self.plane(Self::CORNER), cell, radius)
    }

    /// Crossing peaks of at least `threshold`, strongest first, in cells.
    pub fn peaks(&self, threshold: f32) -> Vec<Peak> {
        self.peaks_of(&self.any, threshold)
    }

    /// Corner peaks of at least `threshold`, strongest first, in cells.
    pub fn corner_peaks(&self, threshold: f32) -> Vec<Peak> {
        self.peaks_of(self.plane(Self::CORNER), threshold)
    }

    fn peaks_of(&self, plane: &[f32], threshold: f32) -> Vec<Peak> {
        let (w, h) = (self.w, self.h);
        let mut found = Vec::new();
        if w < 3 || h < 3 {
            return found;
        }
        for y in 1..h - 1 {
            for x in 1..w - 1 {
                let v = plane[y * w + x];
                if v < threshold {
                    continue;
                }
                // a plateau counts once: strictly above what comes later, at least what came before
                let mut top = true;
                for (k, (dx, dy)) in
                    [(-1i32, -1i32), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)].into_iter().enumerate()
                {
                    let n = plane[(y as i32 + dy) as usize * w + (x as i32 + dx) as usize];
                    if n > v || (k < 4 && n == v) {
                        top = false;
                        break;
                    }
                }
                if top {
                    found.push(Peak { at: self.subcell(plane, x, y), strength: v });
                }
            }
        }
        found.sort_by(|a, b| b.strength.total_cmp(&a.strength));
        found
    }

    /// The top of a Gaussian: a parabola through the logarithms.
    fn subcell(&self, plane: &[f32], x: usize, y: usize) -> [f64; 2] {
        let l = |x: usize, y: usize| f64::from(plane[y * self.w + x].max(1e-4)).ln();
        let shift = |a: f64, b: f64, c: f64| {
            let bend = a - 2.0 * b + c;
            if bend < -1e-6 { ((a - c) / (2.0 * bend)).clamp(-0.6, 0.6) } else { 0.0 }
        };
        [x as f64 + shift(l(x - 1, y), l(x, y), l(x + 1, y)), y as f64 + shift(l(x, y - 1), l(x, y), l(x, y + 1))]
    }

    /// The peak of crossing heat nearest to `cell` within `radius` cells that is at least `threshold`.
    pub fn snap(&self, cell: [f64; 2], radius: f64, threshold: f32) -> Option<Peak> {
        let (w, h) = (self.w as i64, self.h as i64);
        let mut best: Option<(f64, Peak)> = None;
        let (x0, x1) = (((cell[0] - radius).ceil() as i64).max(1), ((cell[0] + radius).floor() as i64).min(w - 2));
        let (y0, y1) = (((cell[1] - radius).ceil() as i64).max(1), ((cell[1] + radius).floor() as i64).min(h - 2));
        for y in y0..=y1 {
            for x in x0..=x1 {
                let v = self.any[(y * w + x) as usize];
                if v < threshold {
                    continue;
                }
                let top = (-1..=1).all(|dy| (-1..=1).all(|dx| self.any[((y + dy) * w + x + dx) as usize] <= v));
                if !top {
                    continue;
                }
                let at = self.subcell(&self.any, x as usize, y as usize);
                let d = (at[0] - cell[0]).hypot(at[1] - cell[1]);
                // strong and near: a weak peak must be clearly nearer
                let cost = d / radius - f64::from(v);
                if d <= radius && best.as_ref().is_none_or(|(c, _)| cost < *c) {
                    best = Some((cost, Peak { at, strength: v }));
                }
            }
        }
        best.map(|(_, p)| p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bump(w: usize, h: usize, at: &[[f64; 2]], sigma: f64) -> Heat {
        let mut planes = vec![0f32; 5 * w * h];
        for y in 0..h {
            for x in 0..w {
                for p in at {
                    let d2 = (x as f64 - p[0]).powi(2) + (y as f64 - p[1]).powi(2);
                    let v = (-d2 / (2.0 * sigma * sigma)).exp() as f32;
                    planes[y * w + x] = planes[y * w + x].max(v);
                }
            }
        }
        Heat::new(w, h, planes)
    }

    #[test]
    fn peaks_are_found_between_cells() {
        let heat = bump(40, 30, &[[10.3, 12.8], [25.5, 7.25]], 1.2);
        let peaks = heat.peaks(0.3);
        assert_eq!(peaks.len(), 2);
        for truth in [[10.3, 12.8], [25.5, 7.25]] {
            let d = peaks.iter().map(|p| (p.at[0] - truth[0]).hypot(p.at[1] - truth[1])).fold(f64::MAX, f64::min);
            assert!(d < 0.03, "{d}");
        }
        assert!(heat.snap([11.0, 12.0], 2.0, 0.3).is_some());
        assert!(heat.snap([17.0, 12.0], 2.0, 0.3).is_none());
    }

    #[test]
    fn cells_and_pixels_convert() {
        assert_eq!(Heat::input([3.0, 0.0]), [6.5, 0.5]);
        assert_eq!(Heat::cell(Heat::input([3.25, 7.5])), [3.25, 7.5]);
    }
}
