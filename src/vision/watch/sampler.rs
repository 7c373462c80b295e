//! Where the colours of the blocks are taken from: a grid of pixels in each block, straight from the picture.
//!
//! Every frame is looked at in this way and only a few are rectified: it touches a fraction of the pixels.

use opencv::core::Mat;
use opencv::prelude::*;

use super::blocks::{Blocks, PER_PITCH};
use crate::vision::error::Result;
use crate::vision::lattice::Lattice;
use crate::vision::reader::READ_MARGIN;

/// Pixels between two that are taken: a grid line is not missed, and a board that trembles by a pixel changes no block.
const STEP_PX: f64 = 2.0;
/// Pixels that are taken along a block's side.
const ALONG: std::ops::RangeInclusive<f64> = 2.0..=8.0;

/// Prepared for one lattice and pictures of one size.
pub(super) struct Sampler {
    side: usize,
    image_size: [i32; 2],
    /// Pixels that are taken of each block.
    each: usize,
    /// First bytes of the pixels, block by block.
    at: Vec<u32>,
    /// Blocks whose middle lies in the picture.
    valid: Vec<bool>,
}

impl Sampler {
    pub(super) fn new(lattice: &Lattice, image_size: [i32; 2]) -> Sampler {
        let margins = 2.0 * READ_MARGIN - 1.0;
        let side = (f64::from(lattice.size) + margins) as usize * PER_PITCH;
        let along = (lattice.mean_pitch_px() / PER_PITCH as f64 / STEP_PX).round().clamp(*ALONG.start(), *ALONG.end());
        let steps = along as usize;
        let fine = 1.0 / (PER_PITCH as f64 * along);
        let place = |i: usize, step: usize| ((i * steps + step) as f64 + 0.5) * fine - READ_MARGIN;
        let [width, height] = image_size;
        let mut at = Vec::with_capacity(side * side * steps * steps);
        let mut valid = Vec::with_capacity(side * side);
        for (row, col) in (0..side * side).map(|b| (b / side, b % side)) {
            let middle = [row, col].map(|i| (i as f64 + 0.5) / PER_PITCH as f64 - READ_MARGIN);
            let seen = lattice.in_front(middle) && inside(lattice.to_image(middle), image_size);
            valid.push(seen);
            for (down, right) in (0..steps * steps).map(|k| (k / steps, k % steps)) {
                // a block that is not seen counts for nothing
                let [x, y] = if seen { lattice.to_image([place(row, down), place(col, right)]) } else { [0.0; 2] };
                let x = (x.round() as i32).clamp(0, width - 1);
                let y = (y.round() as i32).clamp(0, height - 1);
                at.push((y * width + x) as u32 * 3);
            }
        }
        Sampler { side, image_size, each: steps * steps, at, valid }
    }

    pub(super) fn valid(&self) -> &[bool] {
        &self.valid
    }

    /// The blocks of a picture (8-bit BGR) of the size that this was made for.
    pub(super) fn blocks(&self, image: &Mat) -> Result<Blocks> {
        debug_assert_eq!([image.cols(), image.rows()], self.image_size);
        let whole;
        let image = if image.is_continuous() {
            image
        } else {
            whole = image.try_clone()?;
            &whole
        };
        let bytes = image.data_bytes()?;
        // a mean is a sum times this, less sixteen bits
        let share = (1u32 << 16) / self.each as u32;
        let bgr = self
            .at
            .chunks_exact(self.each)
            .map(|pixels| {
                let mut sum = [0u32; 3];
                for at in pixels {
                    if let Some(pixel) = bytes.get(*at as usize..*at as usize + 3) {
                        (0..3).for_each(|c| sum[c] += u32::from(pixel[c]));
                    }
                }
                sum.map(|s| ((s * share + (1 << 15)) >> 16) as u8)
            })
            .collect();
        Ok(Blocks { side: self.side, bgr })
    }
}

/// True for a place in the picture.
pub(super) fn inside(p: [f64; 2], image_size: [i32; 2]) -> bool {
    p[0] >= 0.0 && p[1] >= 0.0 && p[0] <= f64::from(image_size[0] - 1) && p[1] <= f64::from(image_size[1] - 1)
}

#[cfg(test)]
mod tests {
    use opencv::core::{CV_8UC3, Point, Scalar};
    use opencv::imgproc;

    use super::*;

    /// A drawn board of 9×9 with lines of 2 pixels.
    fn drawn(shift: f64, corners: [[f64; 2]; 4]) -> (Mat, Lattice) {
        let lattice = Lattice::from_corners(9, corners, [800, 600]).unwrap();
        let wood = Scalar::new(110.0, 170.0, 205.0, 0.0);
        let mut image = Mat::new_rows_cols_with_default(600, 800, CV_8UC3, wood).unwrap();
        let at = |row: f64, col: f64| {
            let [x, y] = lattice.to_image([row, col]);
            Point::new(((x + shift) * 16.0).round() as i32, (y * 16.0).round() as i32)
        };
        for i in (0..9).map(f64::from) {
            for (a, b) in [(at(i, 0.0), at(i, 8.0)), (at(0.0, i), at(8.0, i))] {
                imgproc::line(&mut image, a, b, Scalar::all(40.0), 2, imgproc::LINE_AA, 4).unwrap();
            }
        }
        (image, lattice)
    }

    /// With all of its margin in the picture.
    const PLACE: [[f64; 2]; 4] = [[230.0, 130.0], [590.0, 135.0], [620.0, 470.0], [205.0, 465.0]];

    #[test]
    fn blocks_are_the_means_of_the_rectified_board() {
        let (image, lattice) = drawn(0.0, PLACE);
        let sampler = Sampler::new(&lattice, [800, 600]);
        let blocks = sampler.blocks(&image).unwrap();
        let rectified = lattice.rectify(&image, 16.0, READ_MARGIN).unwrap();
        assert_eq!(blocks.side * 4, rectified.cols() as usize);
        let mut worst = 0.0f32;
        // half a pitch around the grid: there all is in the picture
        let near = |i: usize| (PER_PITCH..blocks.side - PER_PITCH).contains(&i);
        for (b, is) in blocks.bgr.iter().enumerate().filter(|(b, _)| near(b / blocks.side) && near(b % blocks.side)) {
            let (row, col) = (b / blocks.side * 4, b % blocks.side * 4);
            let mut sum = 0.0;
            for (y, x) in (0..16).map(|k| (row + k / 4, col + k % 4)) {
                sum += f32::from(rectified.at_2d::<opencv::core::Vec3b>(y as i32, x as i32).unwrap()[1]);
            }
            worst = worst.max((sum / 16.0 - f32::from(is[1])).abs());
        }
        // a line less or more among the pixels of a block
        assert!(worst < 40.0, "{worst}");
    }

    #[test]
    fn a_tremble_of_half_a_pixel_changes_no_block() {
        let (image, lattice) = drawn(0.0, PLACE);
        let sampler = Sampler::new(&lattice, [800, 600]);
        let before = sampler.blocks(&image).unwrap();
        for shift in [0.25, 0.5] {
            let after = sampler.blocks(&drawn(shift, PLACE).0).unwrap();
            let off = before.bgr.iter().zip(&after.bgr).map(|(a, b)| a[1].abs_diff(b[1])).max().unwrap();
            println!("{shift}: {off}");
            assert!(off < 30, "{off} levels at {shift}");
        }
    }

    #[test]
    fn what_lies_out_of_the_picture_is_not_valid() {
        let corners = PLACE.map(|[x, y]| [x - 220.0, y]);
        let (image, lattice) = drawn(0.0, corners);
        let sampler = Sampler::new(&lattice, [800, 600]);
        let out = sampler.valid().iter().filter(|v| !**v).count();
        assert!(out > 50 && out < sampler.valid().len() / 3, "{out}");
        assert_eq!(sampler.blocks(&image).unwrap().bgr.len(), sampler.valid().len());
    }
}
