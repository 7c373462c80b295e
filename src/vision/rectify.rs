//! The board as seen from straight above.

use opencv::core::{Mat, Scalar, Size, Vec2f};
use opencv::prelude::*;
use opencv::{core, imgproc};

use super::error::Result;
use super::lattice::Lattice;
use super::picture::resized;

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
    /// The picture is resized to this before the warp, if it is much finer than needed.
    shrink_to: Option<Size>,
    side: Size,
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
        if ratio > 3.2 && ratio.is_finite() {
            let f = 2.0 / ratio;
            let to = Size::new(
                (f64::from(image_size[0]) * f).round().max(16.0) as i32,
                (f64::from(image_size[1]) * f).round().max(16.0) as i32,
            );
            let factor =
                [f64::from(to.width) / f64::from(image_size[0]), f64::from(to.height) / f64::from(image_size[1])];
            shrunk = Some(lattice.scaled(factor, [to.width, to.height]));
            shrink_to = Some(to);
            ratio = 2.0;
        }
        let lattice = shrunk.as_ref().unwrap_or(lattice);
        let oversampling = (ratio.round() as i32).clamp(1, 3);
        let (map, fraction) = Self::maps(lattice, side, pitch_px, margin, oversampling)?;
        Ok(Rectifier { map, fraction, oversampling, shrink_to, side: Size::new(side, side) })
    }

    fn maps(lattice: &Lattice, side: i32, pitch_px: f64, margin: f64, times: i32) -> Result<(Mat, Mat)> {
        let n = side * times;
        let mut map = Mat::new_rows_cols_with_default(n, n, core::CV_32FC2, Scalar::all(0.0))?;
        let step = 1.0 / (pitch_px * f64::from(times));
        for y in 0..n {
            let row = (f64::from(y) + 0.5) * step - margin;
            for (x, out) in map.at_row_mut::<Vec2f>(y)?.iter_mut().enumerate() {
                let board = [row, (x as f64 + 0.5) * step - margin];
                let p = if lattice.in_front(board) { lattice.to_image(board) } else { [-1e4, -1e4] };
                *out = Vec2f::from([p[0].clamp(-1e4, 1e5) as f32, p[1].clamp(-1e4, 1e5) as f32]);
            }
        }
        let (mut fixed, mut fraction) = (Mat::default(), Mat::default());
        imgproc::convert_maps(&map, &core::no_array(), &mut fixed, &mut fraction, core::CV_16SC2, false)?;
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
            &self.map,
            &self.fraction,
            imgproc::INTER_LINEAR,
            core::BORDER_CONSTANT,
            Scalar::default(),
        )?;
        if self.oversampling > 1 { resized(&out, self.side) } else { Ok(out) }
    }
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
