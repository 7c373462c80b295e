//! The mapping between picture and board: a plane seen through a lens.

use serde::{Deserialize, Serialize};

use super::linear;

/// A side is nearer to the camera where its cells look larger by at least this (natural logarithm of the area).
const NEARER: f64 = 0.04;
/// Focal lengths of cameras in halves of the picture's diagonal, and how many of them are tried.
const FOCAL_LEAST: f64 = 0.7;
const FOCAL_MOST: f64 = 4.0;
const FOCAL_STEPS: i32 = 36;

/// Radial distortion about the picture's centre: with `u = (ideal - center) / scale_px`, a pixel is
/// `center + scale_px · u · (1 + k1 |u|² + k2 |u|⁴)`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lens {
    /// Pixels `[x, y]`; whole numbers are pixel centres.
    pub center: [f64; 2],
    /// Half the picture's diagonal, pixels.
    pub scale_px: f64,
    pub k1: f64,
    pub k2: f64,
}

impl Lens {
    /// A lens without distortion for a picture of `width` × `height` pixels.
    pub fn ideal(width: i32, height: i32) -> Lens {
        let (w, h) = (f64::from(width.max(1)), f64::from(height.max(1)));
        Lens { center: [(w - 1.0) / 2.0, (h - 1.0) / 2.0], scale_px: (w.hypot(h) / 2.0).max(1.0), k1: 0.0, k2: 0.0 }
    }

    fn bend(&self, u: [f64; 2]) -> [f64; 2] {
        let r2 = u[0] * u[0] + u[1] * u[1];
        let g = 1.0 + self.k1 * r2 + self.k2 * r2 * r2;
        [u[0] * g, u[1] * g]
    }

    fn straighten(&self, d: [f64; 2]) -> [f64; 2] {
        if self.k1 == 0.0 && self.k2 == 0.0 {
            return d;
        }
        let rd = d[0].hypot(d[1]);
        if rd < 1e-12 {
            return d;
        }
        // Newton on r (1 + k1 r² + k2 r⁴) = rd; a slope that has turned over means that no such point exists: keep what we have
        let mut r = rd;
        for _ in 0..20 {
            let r2 = r * r;
            let f = r * (1.0 + self.k1 * r2 + self.k2 * r2 * r2) - rd;
            let slope = 1.0 + 3.0 * self.k1 * r2 + 5.0 * self.k2 * r2 * r2;
            if slope < 0.1 {
                break;
            }
            let step = f / slope;
            r -= step;
            if step.abs() < 1e-13 {
                break;
            }
        }
        [d[0] * r / rd, d[1] * r / rd]
    }
}

/// One correspondence for [`Lattice::fit`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// `[row, col]` in pitches.
    pub board: [f64; 2],
    /// `[x, y]` in pixels.
    pub image: [f64; 2],
    pub weight: f64,
}

/// Why there is no lattice.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LatticeError {
    #[error("board size {0} is not one of 2 to 25")]
    Size(u8),
    #[error("the corners must be four different points in clockwise order, no three on a line: {0}")]
    Corners(String),
    #[error("too few crossings to fit a board: {0}")]
    TooFew(usize),
}

/// Where the board's crossings are in a picture.
///
/// Board coordinates are `[row, col]` in pitches, whole numbers at crossings; image coordinates are `[x, y]` in pixels,
/// whole numbers at pixel centres. Row 0 is the side nearest the picture's top and the corners go round clockwise as seen,
/// so the board is never mirrored.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    pub size: u8,
    /// Root mean square distance between predicted and seen crossings, pixels; 0 for corners given by hand.
    pub residual_px: f64,
    /// 0 to 1: how sure it is that a board lies exactly there.
    pub confidence: f64,
    /// Homography from `[col, row, 1]` to the ideal (undistorted) picture in units of the lens, row by row.
    plane: [f64; 9],
    inverse: [f64; 9],
    lens: Lens,
}

fn project(h: &[f64; 9], x: f64, y: f64) -> [f64; 2] {
    let w = h[6] * x + h[7] * y + h[8];
    // behind the horizon: far away, in the right direction, never a NaN
    let w = if w.abs() < 1e-9 { 1e-9 } else { w };
    [(h[0] * x + h[1] * y + h[2]) / w, (h[3] * x + h[4] * y + h[5]) / w]
}

impl Lattice {
    fn new(size: u8, plane: [f64; 9], lens: Lens) -> Option<Lattice> {
        let middle = f64::from(size - 1) / 2.0;
        let w = plane[6] * middle + plane[7] * middle + plane[8];
        let norm = if w.abs() < 1e-12 { return None } else { w };
        let plane = plane.map(|v| v / norm);
        let inverse = linear::invert3(&plane)?;
        plane.iter().chain(&inverse).all(|v| v.is_finite()).then_some(Lattice {
            size,
            residual_px: 0.0,
            confidence: 0.0,
            plane,
            inverse,
            lens,
        })
    }

    /// From the four outermost crossings, in the order board[0][0], board[0][N-1], board[N-1][N-1], board[N-1][0].
    ///
    /// # Errors
    /// If the size is impossible or the corners are no convex quadrilateral in clockwise order.
    pub fn from_corners(size: u8, corners: [[f64; 2]; 4], image_size: [i32; 2]) -> Result<Lattice, LatticeError> {
        if !(2..=25).contains(&size) {
            return Err(LatticeError::Size(size));
        }
        let bad = || LatticeError::Corners(format!("{corners:?}"));
        if corners.iter().flatten().any(|v| !v.is_finite()) {
            return Err(bad());
        }
        for i in 0..4 {
            let [a, b, c] = [corners[i], corners[(i + 1) % 4], corners[(i + 2) % 4]];
            let cross = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
            if cross < 4.0 {
                return Err(bad());
            }
        }
        let n = f64::from(size - 1);
        let board = [[0.0, 0.0], [0.0, n], [n, n], [n, 0.0]];
        let matches: Vec<Match> =
            board.iter().zip(&corners).map(|(b, c)| Match { board: *b, image: *c, weight: 1.0 }).collect();
        let lens = Lens::ideal(image_size[0], image_size[1]);
        let mut lattice =
            linear::homography(&matches, size, &lens).and_then(|h| Lattice::new(size, h, lens)).ok_or_else(bad)?;
        lattice.confidence = 1.0;
        Ok(lattice)
    }

    /// Least squares with robust weights over correspondences; at least four. `lens` asks for the distortion as well
    /// (wants many well spread points; a weak prior pulls it to zero). `residual_px` is set, `confidence` is not.
    ///
    /// # Errors
    /// If the points are too few or lie on a line.
    pub fn fit(size: u8, image_size: [i32; 2], matches: &[Match], lens: bool) -> Result<Lattice, LatticeError> {
        if !(2..=25).contains(&size) {
            return Err(LatticeError::Size(size));
        }
        let few = || LatticeError::TooFew(matches.len());
        if matches.len() < 4 {
            return Err(few());
        }
        let ideal = Lens::ideal(image_size[0], image_size[1]);
        let start = linear::homography(matches, size, &ideal).ok_or_else(few)?;
        let (plane, lens, residual_px) = linear::refine(matches, size, start, ideal, lens).ok_or_else(few)?;
        let mut lattice = Lattice::new(size, plane, lens).ok_or_else(few)?;
        lattice.residual_px = residual_px;
        Ok(lattice)
    }

    /// Plain linear least squares without a lens: fast, for correspondences already known to be good.
    pub(super) fn fit_plane(size: u8, image_size: [i32; 2], matches: &[Match]) -> Option<Lattice> {
        if matches.len() < 4 {
            return None;
        }
        let lens = Lens::ideal(image_size[0], image_size[1]);
        Lattice::new(size, linear::homography(matches, size, &lens)?, lens)
    }

    /// Like [`Lattice::fit`], starting from this lattice and keeping its lens (`lens` false) or fitting it too.
    ///
    /// # Errors
    /// If the points are too few or lie on a line.
    pub fn refit(&self, matches: &[Match], lens: bool) -> Result<Lattice, LatticeError> {
        let few = || LatticeError::TooFew(matches.len());
        if matches.len() < 4 {
            return Err(few());
        }
        let (plane, lens, residual_px) =
            linear::refine(matches, self.size, self.plane, self.lens, lens).ok_or_else(few)?;
        let mut lattice = Lattice::new(self.size, plane, lens).ok_or_else(few)?;
        lattice.residual_px = residual_px;
        lattice.confidence = self.confidence;
        Ok(lattice)
    }

    /// The same board with another lens: the four corners stay where they are.
    ///
    /// # Errors
    /// If the corners cannot be mapped.
    pub fn with_lens(&self, lens: Lens) -> Result<Lattice, LatticeError> {
        let n = f64::from(self.size - 1);
        let matches: Vec<Match> = [[0.0, 0.0], [0.0, n], [n, n], [n, 0.0]]
            .iter()
            .map(|b| Match { board: *b, image: self.to_image(*b), weight: 1.0 })
            .collect();
        let bad = || LatticeError::Corners(format!("{:?}", self.corners()));
        let mut lattice = linear::homography(&matches, self.size, &lens)
            .and_then(|h| Lattice::new(self.size, h, lens))
            .ok_or_else(bad)?;
        lattice.residual_px = self.residual_px;
        lattice.confidence = self.confidence;
        Ok(lattice)
    }

    pub fn lens(&self) -> &Lens {
        &self.lens
    }

    /// `[row, col]` in pitches to `[x, y]` in pixels.
    pub fn to_image(&self, board: [f64; 2]) -> [f64; 2] {
        let u = self.lens.bend(project(&self.plane, board[1], board[0]));
        [self.lens.center[0] + self.lens.scale_px * u[0], self.lens.center[1] + self.lens.scale_px * u[1]]
    }

    /// `[x, y]` in pixels to `[row, col]` in pitches.
    pub fn to_board(&self, image: [f64; 2]) -> [f64; 2] {
        let s = self.lens.scale_px;
        let u = self.lens.straighten([(image[0] - self.lens.center[0]) / s, (image[1] - self.lens.center[1]) / s]);
        let p = project(&self.inverse, u[0], u[1]);
        [p[1], p[0]]
    }

    /// True for board coordinates on the camera's side of the plane's horizon.
    pub fn in_front(&self, board: [f64; 2]) -> bool {
        self.plane[6] * board[1] + self.plane[7] * board[0] + self.plane[8] > 0.02
    }

    /// Where the camera is, `[row, col, height]` in pitches: of all focal lengths the one that makes the board's axes most nearly square
    /// and equally long, and is most like a common camera's. On rendered boards the elevation is right to 2 degrees (median).
    pub(super) fn camera(&self) -> [f64; 3] {
        // a lens that was fitted to few crossings can pass for perspective: the corners alone are a better witness
        let straight = Lens { k1: 0.0, k2: 0.0, ..self.lens };
        let plane = self.with_lens(straight).map_or(self.plane, |l| l.plane);
        let step = (FOCAL_MOST / FOCAL_LEAST).powf(1.0 / (FOCAL_STEPS - 1) as f64);
        let tried = (0..FOCAL_STEPS).map(|k| camera_of(&plane, FOCAL_LEAST * step.powi(k)));
        let best = tried.min_by(|a, b| a.0.total_cmp(&b.0));
        best.map_or([0.0, 0.0, 1.0], |(_, camera)| camera)
    }

    /// Pixels of board[0][0], board[0][N-1], board[N-1][N-1], board[N-1][0].
    pub fn corners(&self) -> [[f64; 2]; 4] {
        let n = f64::from(self.size - 1);
        [[0.0, 0.0], [0.0, n], [n, n], [n, 0.0]].map(|b| self.to_image(b))
    }

    /// Length of one pitch `[across columns, across rows]` at `board`, pixels.
    pub fn pitch_px(&self, board: [f64; 2]) -> [f64; 2] {
        let d = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let [r, c] = board;
        [
            d(self.to_image([r, c - 0.5]), self.to_image([r, c + 0.5])),
            d(self.to_image([r - 0.5, c]), self.to_image([r + 0.5, c])),
        ]
    }

    /// Geometric mean of the pitch in the board's middle, pixels.
    pub fn mean_pitch_px(&self) -> f64 {
        let m = f64::from(self.size - 1) / 2.0;
        let [a, b] = self.pitch_px([m, m]);
        (a * b).sqrt()
    }

    /// The lattice in other board coordinates: this one's `[col, row]` are `[m0 c + m1 r + m2, m3 c + m4 r + m5]` of the new.
    pub(super) fn reframed(&self, m: [f64; 6], size: u8) -> Option<Lattice> {
        let mut plane = [0.0; 9];
        for i in 0..3 {
            let (a, b, c) = (self.plane[3 * i], self.plane[3 * i + 1], self.plane[3 * i + 2]);
            plane[3 * i] = a * m[0] + b * m[3];
            plane[3 * i + 1] = a * m[1] + b * m[4];
            plane[3 * i + 2] = a * m[2] + b * m[5] + c;
        }
        let mut lattice = Lattice::new(size, plane, self.lens)?;
        lattice.residual_px = self.residual_px;
        lattice.confidence = self.confidence;
        Some(lattice)
    }

    /// The lattice whose `[r, c]` is this one's `[r + row, c + col]`, with another size.
    pub fn reindexed(&self, row: f64, col: f64, size: u8) -> Option<Lattice> {
        self.reframed([1.0, 0.0, col, 0.0, 1.0, row], size)
    }

    /// The lattice turned by `quarters` quarter turns: its `[0, 0]` is this one's corner number `quarters` (as in [`Lattice::corners`]).
    pub fn turned(&self, quarters: u8) -> Lattice {
        let n = f64::from(self.size - 1);
        let m: [f64; 6] = match quarters % 4 {
            0 => [1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
            1 => [0.0, -1.0, n, 1.0, 0.0, 0.0],
            2 => [-1.0, 0.0, n, 0.0, -1.0, n],
            _ => [0.0, 1.0, 0.0, -1.0, 0.0, n],
        };
        self.reframed(m, self.size).unwrap_or_else(|| self.clone())
    }

    /// Turned so that row 0 is the side whose middle is nearest the picture's top.
    pub fn upright(&self) -> Lattice {
        let n = f64::from(self.size - 1);
        let m = n / 2.0;
        let sides = [[0.0, m], [m, n], [n, m], [m, 0.0]].map(|b| self.to_image(b)[1]);
        let mut best = 0;
        for i in 1..4 {
            if sides[i] < sides[best] {
                best = i;
            }
        }
        self.turned(best as u8)
    }

    /// Of the plane `height` pitches above the board: where its points lie in the picture above the board's `[row, col]`.
    pub(super) fn raised(&self, height: f64) -> Lattice {
        let [row, col, camera] = self.camera();
        let s = camera / (camera - height).max(1.0);
        let m = [s, 0.0, col * (1.0 - s), 0.0, s, row * (1.0 - s)];
        self.reframed(m, self.size).unwrap_or_else(|| self.clone())
    }

    /// Clockwise quarter turns of the board as seen from above after which the side that is nearest to the camera is the last row;
    /// 0 where none is clearly nearer.
    pub(super) fn near_turn(&self) -> u8 {
        let last = f64::from(self.size - 1);
        let m = f64::from(self.size / 2);
        // logarithm of the area of the cell before a crossing
        let area = |row: f64, col: f64| {
            let p = self.to_image([row, col]);
            let side = |q: [f64; 2]| (p[0] - q[0]).hypot(p[1] - q[1]);
            (side(self.to_image([row - 1.0, col])) * side(self.to_image([row, col - 1.0]))).ln()
        };
        let (down, across) = (area(last, m) - area(1.0, m), area(m, last) - area(m, 1.0));
        if !(down.is_finite() && across.is_finite()) || down.abs().max(across.abs()) < NEARER {
            0
        } else if down.abs() >= across.abs() {
            if down > 0.0 { 0 } else { 2 }
        } else if across > 0.0 {
            1
        } else {
            3
        }
    }

    /// The same lattice in a picture resized by `[fx, fy]` (as `cv::resize` does, pixel areas scaled).
    pub fn scaled(&self, factor: [f64; 2], image_size: [i32; 2]) -> Lattice {
        let n = f64::from(self.size - 1);
        let mut matches = Vec::new();
        for i in 0..=6 {
            for j in 0..=6 {
                let b = [n * f64::from(i) / 6.0, n * f64::from(j) / 6.0];
                let p = self.to_image(b);
                let q = [(p[0] + 0.5) * factor[0] - 0.5, (p[1] + 0.5) * factor[1] - 0.5];
                matches.push(Match { board: b, image: q, weight: 1.0 });
            }
        }
        let mut lens = Lens::ideal(image_size[0], image_size[1]);
        (lens.k1, lens.k2) = (self.lens.k1, self.lens.k2);
        let fitted = linear::homography(&matches, self.size, &lens)
            .and_then(|h| linear::refine(&matches, self.size, h, lens, false))
            .and_then(|(h, lens, _)| Lattice::new(self.size, h, lens));
        let mut lattice = fitted.unwrap_or_else(|| self.clone());
        lattice.residual_px = self.residual_px * (factor[0] * factor[1]).sqrt();
        lattice.confidence = self.confidence;
        lattice
    }

    /// Ideal-picture units for [`linear`].
    pub(super) fn straightened(lens: &Lens, image: [f64; 2]) -> [f64; 2] {
        lens.straighten([(image[0] - lens.center[0]) / lens.scale_px, (image[1] - lens.center[1]) / lens.scale_px])
    }
}

/// The camera if its focal length is that many halves of the picture's diagonal, and how unlikely that is.
fn camera_of(plane: &[f64; 9], focal: f64) -> (f64, [f64; 3]) {
    let h = plane;
    let column = |j: usize| [h[j] / focal, h[3 + j] / focal, h[6 + j]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (a, b, c) = (column(0), column(1), column(2));
    let (na, nb) = (dot(a, a).sqrt().max(1e-12), dot(b, b).sqrt().max(1e-12));
    let scale = (na * nb).sqrt();
    let (r1, r2, t) = (a.map(|v| v / na), b.map(|v| v / nb), c.map(|v| v / scale));
    let r3 = [r1[1] * r2[2] - r1[2] * r2[1], r1[2] * r2[0] - r1[0] * r2[2], r1[0] * r2[1] - r1[1] * r2[0]];
    let miss = ((na / nb).ln() / 0.06).powi(2) + (dot(r1, r2) / 0.04).powi(2) + ((focal / 1.25).ln() / 0.35).powi(2);
    (miss, [-dot(r2, t), -dot(r1, t), dot(r3, t).abs().max(1.0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: [f64; 2], b: [f64; 2], tolerance: f64) {
        assert!((a[0] - b[0]).abs() < tolerance && (a[1] - b[1]).abs() < tolerance, "{a:?} is not {b:?}");
    }

    const CORNERS: [[f64; 2]; 4] = [[412.3, 101.9], [1480.2, 99.4], [1611.0, 1002.8], [301.7, 1008.1]];

    #[test]
    fn corners_come_back() {
        let l = Lattice::from_corners(19, CORNERS, [1920, 1080]).unwrap();
        for (a, b) in l.corners().iter().zip(CORNERS) {
            near(*a, b, 1e-6);
        }
        near(l.to_board(l.to_image([3.25, 15.5])), [3.25, 15.5], 1e-9);
        assert_eq!(l.upright().corners()[0], l.corners()[0]);
    }

    #[test]
    fn bad_corners_are_refused() {
        let mirrored = [CORNERS[1], CORNERS[0], CORNERS[3], CORNERS[2]];
        let crossed = [CORNERS[0], CORNERS[2], CORNERS[1], CORNERS[3]];
        let line = [[0.0, 0.0], [100.0, 0.0], [200.0, 0.0], [0.0, 100.0]];
        for bad in [mirrored, crossed, line, [[f64::NAN; 2]; 4], [[5.0; 2]; 4]] {
            assert!(Lattice::from_corners(19, bad, [1920, 1080]).is_err(), "{bad:?}");
        }
        assert_eq!(Lattice::from_corners(1, CORNERS, [1920, 1080]), Err(LatticeError::Size(1)));
    }

    #[test]
    fn the_camera_is_on_the_near_side() {
        // the far side is the shorter one, so the camera stands beyond the last row, about in the middle
        let [row, col, height] = Lattice::from_corners(19, CORNERS, [1920, 1080]).unwrap().camera();
        assert!(row > 12.0 && (4.0..14.0).contains(&col) && height > 10.0, "{row} {col} {height}");
        // from straight above it is over the middle
        let square = [[460.0, 40.0], [1460.0, 40.0], [1460.0, 1040.0], [460.0, 1040.0]];
        let [row, col, height] = Lattice::from_corners(19, square, [1920, 1080]).unwrap().camera();
        assert!((row - 9.0).abs() < 0.5 && (col - 9.0).abs() < 0.5 && height > 15.0, "{row} {col} {height}");
    }

    /// Where a pinhole camera shows `[row, col, height]` (pitches): it stands over the given place, looks at the middle of a 19×19 board, and
    /// has a focal length of so many halves of the diagonal of 1920×1080.
    fn pinhole(camera: [f64; 3], focal: f64, [row, col, height]: [f64; 3]) -> [f64; 2] {
        // right, down on the board, up
        let v = |row: f64, col: f64, up: f64| [col, -row, up];
        let sub = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let unit = |a: [f64; 3]| a.map(|x| x / dot(a, a).sqrt());
        let eye = v(camera[0], camera[1], camera[2]);
        let ahead = unit(sub(v(9.0, 9.0, 0.0), eye));
        let right = unit(cross(ahead, [0.0, 0.0, 1.0]));
        let up = cross(right, ahead);
        let d = sub(v(row, col, height), eye);
        let scale = focal * 1920f64.hypot(1080.0) / 2.0 / dot(d, ahead);
        [959.5 + scale * dot(d, right), 539.5 - scale * dot(d, up)]
    }

    #[test]
    fn low_cameras_show_stones_over_their_own_points() {
        // from the side and over a corner, with wide and narrow lenses
        for (camera, focal) in [
            ([40.0, 12.0, 17.0], 0.9),
            ([31.0, 31.0, 16.0], 1.25),
            ([50.0, 60.0, 40.0], 2.2),
            ([45.0, 9.5, 45.0], 1.25),
        ] {
            let at = |row, col, height| pinhole(camera, focal, [row, col, height]);
            let corners = [at(0.0, 0.0, 0.0), at(0.0, 18.0, 0.0), at(18.0, 18.0, 0.0), at(18.0, 0.0, 0.0)];
            let lattice = Lattice::from_corners(19, corners, [1920, 1080]).unwrap();
            let raised = lattice.raised(0.3);
            for [row, col] in [[0.0, 0.0], [0.0, 18.0], [9.0, 9.0], [18.0, 4.0], [3.0, 15.0]] {
                let [r, c] = raised.to_board(at(row, col, 0.3));
                let off = (r - row).hypot(c - col);
                assert!(off < 0.06, "{camera:?} {focal}: [{row}, {col}] is seen {off:.2} pitches off");
            }
            // the side next to the camera comes last
            let turned = lattice.turned((4 - lattice.near_turn()) % 4);
            assert_eq!(turned.near_turn(), 0, "{camera:?}");
        }
    }

    #[test]
    fn turning_goes_round_the_corners() {
        let l = Lattice::from_corners(13, CORNERS, [1920, 1080]).unwrap();
        for q in 0..4u8 {
            let t = l.turned(q);
            for i in 0..4 {
                near(t.corners()[i], CORNERS[(i + q as usize) % 4], 1e-6);
            }
            near(t.upright().corners()[0], CORNERS[0], 1e-6);
        }
    }

    #[test]
    fn distortion_is_fitted_in_spite_of_outliers() {
        let mut truth = Lattice::from_corners(19, CORNERS, [1920, 1080]).unwrap();
        truth.lens.k1 = -0.12;
        truth.lens.k2 = 0.03;
        let mut matches = Vec::new();
        for r in 0..19 {
            for c in 0..19 {
                let b = [f64::from(r), f64::from(c)];
                let mut p = truth.to_image(b);
                if (r * 7 + c * 3) % 11 == 0 {
                    p[0] += 25.0;
                }
                matches.push(Match { board: b, image: p, weight: 1.0 });
            }
        }
        let l = Lattice::fit(19, [1920, 1080], &matches, true).unwrap();
        for (a, b) in l.corners().iter().zip(truth.corners()) {
            near(*a, b, 0.3);
        }
        assert!(l.residual_px < 0.3, "{}", l.residual_px);
        near(l.to_board(truth.to_image([9.0, 2.0])), [9.0, 2.0], 0.01);
    }

    #[test]
    fn scaling_and_reindexing_keep_the_place() {
        let mut l = Lattice::from_corners(19, CORNERS, [1920, 1080]).unwrap();
        l.lens.k1 = 0.08;
        let s = l.scaled([0.5, 0.5], [960, 540]);
        let (p, q) = (l.to_image([4.0, 17.0]), s.to_image([4.0, 17.0]));
        near([(p[0] + 0.5) / 2.0 - 0.5, (p[1] + 0.5) / 2.0 - 0.5], q, 0.05);
        let i = l.reindexed(3.0, 5.0, 9).unwrap();
        near(i.to_image([1.0, 2.0]), l.to_image([4.0, 7.0]), 1e-6);
    }
}
