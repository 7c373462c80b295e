//! The board as seen from straight above.

use opencv::core::{Mat, Rect, Scalar, Size, Vec2f};
use opencv::prelude::*;
use opencv::{core, imgproc};

use super::error::Result;
use super::lattice::Lattice;
use super::picture::resized;

/// Between places of the warp that are worked out, pixels; what lies between is interpolated, to a hundredth of a pixel.
const COARSE: usize = 8;
/// Rows of the warp that are worked out at once.
const STRIP: i32 = 64;

/// Of a picture with more pixels a pitch than this many times what is wanted, a smaller copy is warped.
const MOST_OVERSAMPLING: f64 = 2.5;

/// A prepared warp from pictures of one size to the rectified board. Making it costs more than using it: keep it while the
/// lattice stays.
///
/// In the result, crossing `(row, col)` lies at the pixel-centre coordinates `pitch · (col + margin) - 0.5`,
/// `pitch · (row + margin) - 0.5`.
pub struct Rectifier {
    map: Mat,
    fraction: Mat,
    /// The warp is made this many times larger and averaged down, so that fine lines do not alias.
    oversampling: i32,
    /// The picture is reduced to this before the warp, if it is much finer than needed.
    shrink_to: Option<Size>,
    side: Size,
    /// See [`Lattice::near_turn`].
    near_turn: u8,
}

impl Rectifier {
    /// `pitch_px` per pitch, `margin` pitches from the outermost crossings to the result's edge. `lattice` belongs to
    /// pictures of `image_size` `[width, height]`.
    ///
    /// # Errors
    /// If OpenCV has no memory for it.
    pub fn new(lattice: &Lattice, image_size: [i32; 2], pitch_px: f64, margin: f64) -> Result<Rectifier> {
        let pitches = f64::from(lattice.size - 1) + 2.0 * margin;
        let side = (pitches * pitch_px).round().max(1.0) as i32;
        let n = f64::from(lattice.size - 1);
        let mut finest: f64 = 0.0;
        for b in [[0.0, 0.0], [0.0, n], [n, n], [n, 0.0], [n / 2.0, n / 2.0]] {
            let [a, b] = lattice.pitch_px(b);
            finest = finest.max((a * b).sqrt());
        }
        let mut ratio = finest / pitch_px;
        let mut shrunk = None;
        let mut shrink_to = None;
        if ratio > MOST_OVERSAMPLING && ratio.is_finite() {
            // by a power of two, which costs the least
            let times = (ratio / MOST_OVERSAMPLING).log2().ceil().exp2();
            let to = image_size.map(|side| ((f64::from(side) / times).round() as i32).max(16));
            let to = Size::new(to[0], to[1]);
            let factor =
                [f64::from(to.width) / f64::from(image_size[0]), f64::from(to.height) / f64::from(image_size[1])];
            shrunk = Some(lattice.scaled(factor, [to.width, to.height]));
            shrink_to = Some(to);
            ratio /= times;
        }
        let near_turn = lattice.near_turn();
        let lattice = shrunk.as_ref().unwrap_or(lattice);
        // beyond the horizon a pitch can be endless
        let oversampling = (ratio.round() as i32).clamp(1, MOST_OVERSAMPLING.ceil() as i32);
        let (map, fraction) = Self::maps(lattice, side, pitch_px, margin, oversampling)?;
        Ok(Rectifier { map, fraction, oversampling, shrink_to, side: Size::new(side, side), near_turn })
    }

    fn maps(lattice: &Lattice, side: i32, pitch_px: f64, margin: f64, times: i32) -> Result<(Mat, Mat)> {
        let n = side * times;
        // by strips, since the exact places take more room than what is kept
        let mut strip = Mat::new_rows_cols_with_default(STRIP.min(n), n, core::CV_32FC2, Scalar::all(0.0))?;
        let mut fixed = Mat::new_rows_cols_with_default(n, n, core::CV_16SC2, Scalar::all(0.0))?;
        let mut fraction = Mat::new_rows_cols_with_default(n, n, core::CV_16UC1, Scalar::all(0.0))?;
        let step = 1.0 / (pitch_px * f64::from(times));
        let board = |y: usize, x: usize| [y, x].map(|i| (i as f64 + 0.5) * step - margin);
        let exact = |y: usize, x: usize| {
            let board = board(y, x);
            let p = if lattice.in_front(board) { lattice.to_image(board) } else { [-1e4, -1e4] };
            [p[0].clamp(-1e4, 1e5), p[1].clamp(-1e4, 1e5)]
        };
        let ends = (n as usize - 1) / COARSE + 2;
        let row = |k: usize| -> Vec<[f64; 2]> { (0..ends).map(|j| exact(k * COARSE, j * COARSE)).collect() };
        let (mut above, mut below) = (Vec::new(), row(0));
        for y in 0..n as usize {
            let down = (y % COARSE) as f64 / COARSE as f64;
            if y % COARSE == 0 {
                above = std::mem::replace(&mut below, row(y / COARSE + 1));
            }
            let ends: Vec<[f64; 2]> = above.iter().zip(&below).map(|(a, b)| between(*a, *b, down)).collect();
            // beyond the horizon nothing can be interpolated
            let whole: Vec<bool> = (0..ends.len()).map(|j| above[j][0] > -1e4 && below[j][0] > -1e4).collect();
            let within = y as i32 % STRIP;
            for (x, out) in strip.at_row_mut::<Vec2f>(within)?.iter_mut().enumerate() {
                let j = x / COARSE;
                let p = if whole[j] && whole[j + 1] {
                    between(ends[j], ends[j + 1], (x % COARSE) as f64 / COARSE as f64)
                } else {
                    exact(y, x)
                };
                *out = Vec2f::from([p[0] as f32, p[1] as f32]);
            }
            if within + 1 == STRIP || y as i32 + 1 == n {
                let exact = Mat::roi(&strip, Rect::new(0, 0, n, within + 1))?;
                let place = Rect::new(0, y as i32 - within, n, within + 1);
                let (mut fixed, mut fraction) = (Mat::roi_mut(&mut fixed, place)?, Mat::roi_mut(&mut fraction, place)?);
                imgproc::convert_maps(&exact, &core::no_array(), &mut fixed, &mut fraction, core::CV_16SC2, false)?;
            }
        }
        Ok((fixed, fraction))
    }

    /// Width and height of the result, pixels.
    pub fn side_px(&self) -> i32 {
        self.side.width
    }

    /// The rectified board; black where the picture has no pixels.
    ///
    /// # Errors
    /// If the picture is empty.
    pub fn apply(&self, image: &Mat) -> Result<Mat> {
        self.whole().apply(image)
    }

    /// All of the result.
    pub(super) fn whole(&self) -> Warp<'_> {
        self.window(Rect::from_point_size(core::Point::new(0, 0), self.side))
    }

    /// A part of the result, to be warped like a board of its own: boards shifted against each other share one warp.
    pub(super) fn window(&self, window: Rect) -> Warp<'_> {
        Warp { rectifier: self, window }
    }

    /// A part of what [`Rectifier::apply`] gives.
    ///
    /// # Errors
    /// If the picture is empty or the part is not within the result.
    pub fn apply_part(&self, image: &Mat, part: Rect) -> Result<Mat> {
        let times = self.oversampling;
        let fine = Rect::new(part.x * times, part.y * times, part.width * times, part.height * times);
        let small;
        let source = match self.shrink_to {
            Some(size) => {
                small = resized(image, size)?;
                &small
            }
            None => image,
        };
        let mut out = Mat::default();
        imgproc::remap(
            source,
            &mut out,
            &Mat::roi(&self.map, fine)?,
            &Mat::roi(&self.fraction, fine)?,
            imgproc::INTER_LINEAR,
            core::BORDER_CONSTANT,
            Scalar::default(),
        )?;
        if times > 1 { resized(&out, part.size()) } else { Ok(out) }
    }
}

/// A window of what a [`Rectifier`] gives.
#[derive(Clone, Copy)]
pub(super) struct Warp<'a> {
    rectifier: &'a Rectifier,
    window: Rect,
}

impl Warp<'_> {
    /// How the board lies before the camera; see [`Lattice::near_turn`].
    pub(super) fn near_turn(&self) -> u8 {
        self.rectifier.near_turn
    }

    pub(super) fn apply(&self, image: &Mat) -> Result<Mat> {
        self.rectifier.apply_part(image, self.window)
    }

    /// A part of what [`Warp::apply`] gives.
    pub(super) fn apply_part(&self, image: &Mat, part: Rect) -> Result<Mat> {
        self.rectifier.apply_part(image, part + self.window.tl())
    }
}

fn between(a: [f64; 2], b: [f64; 2], share: f64) -> [f64; 2] {
    [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share]
}

impl Lattice {
    /// The board seen from straight above; see [`Rectifier`].
    ///
    /// # Errors
    /// If the picture is empty.
    pub fn rectify(&self, image: &Mat, pitch_px: f64, margin: f64) -> Result<Mat> {
        Rectifier::new(self, [image.cols(), image.rows()], pitch_px, margin)?.apply(image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEEP: [[f64; 2]; 4] = [[700.0, 300.0], [1200.0, 310.0], [1700.0, 900.0], [180.0, 860.0]];

    /// A picture whose colours are its coordinates, less multiples of 256.
    fn coordinates() -> Mat {
        let mut image = Mat::new_rows_cols_with_default(1080, 1920, core::CV_8UC3, Scalar::all(0.0)).unwrap();
        for y in 0..1080 {
            for (x, p) in image.at_row_mut::<core::Vec3b>(y).unwrap().iter_mut().enumerate() {
                *p = core::Vec3b::from([x as u8, y as u8, 0]);
            }
        }
        image
    }

    #[test]
    fn every_pixel_comes_from_where_the_lattice_says() {
        let lattice = Lattice::from_corners(19, STEEP, [1920, 1080]).unwrap();
        let board = lattice.rectify(&coordinates(), 16.0, 1.5).unwrap();
        for (y, x) in (0..336).step_by(5).flat_map(|y| (0..336).step_by(7).map(move |x| (y, x))) {
            let p = lattice.to_image([(f64::from(y) + 0.5) / 16.0 - 1.5, (f64::from(x) + 0.5) / 16.0 - 1.5]);
            // at the picture's edge a pixel of the board is partly beyond it
            if p[0] < 8.0 || p[1] < 8.0 || p[0] > 1911.0 || p[1] > 1071.0 {
                continue;
            }
            let is = board.at_2d::<core::Vec3b>(y, x).unwrap();
            for (p, is) in [(p[0], is[0]), (p[1], is[1])] {
                let within = p.rem_euclid(256.0);
                // where the colours begin anew they say nothing
                let tells = (12.0..244.0).contains(&within);
                // a value here is a pixel, and each time the picture is halved half a value is rounded up
                assert!(!tells || (within - f64::from(is)).abs() < 2.0, "{y} {x}: {p} {is}");
            }
        }
    }

    #[test]
    fn a_part_is_cut_from_the_whole() {
        let lattice = Lattice::from_corners(19, STEEP, [1920, 1080]).unwrap();
        let image = coordinates();
        let rectifier = Rectifier::new(&lattice, [1920, 1080], 16.0, 1.5).unwrap();
        let rect = Rect::new(32, 64, 176, 240);
        let (part, whole) = (rectifier.apply_part(&image, rect).unwrap(), rectifier.apply(&image).unwrap());
        let mut off = Mat::default();
        core::absdiff(&part, &Mat::roi(&whole, rect).unwrap(), &mut off).unwrap();
        assert_eq!(core::norm_def(&off).unwrap(), 0.0);
        assert!(rectifier.apply_part(&image, Rect::new(300, 300, 176, 176)).is_err());
    }
}
