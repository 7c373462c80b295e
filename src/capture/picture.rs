//! Every picture leaves as BGR with 8 bits a channel.

use opencv::core::{self, CV_8U, Mat};
use opencv::imgproc;
use opencv::prelude::*;

/// Converts what a decoder gave (grey, with alpha, 16 bits) to BGR, 8 bits.
///
/// # Errors
/// An empty picture or a layout that is no picture.
pub(super) fn to_bgr8(image: Mat) -> anyhow::Result<Mat> {
    if image.empty() {
        anyhow::bail!("an empty picture");
    }
    let image = if image.depth() == CV_8U {
        image
    } else {
        let scale = match image.depth() {
            core::CV_16U => 1.0 / 256.0,
            core::CV_32F | core::CV_64F => 255.0,
            depth => anyhow::bail!("pictures with sample type {depth} are not known"),
        };
        let mut out = Mat::default();
        image.convert_to(&mut out, CV_8U, scale, 0.0)?;
        out
    };
    let code = match image.channels() {
        3 => return Ok(image),
        1 => imgproc::COLOR_GRAY2BGR,
        4 => imgproc::COLOR_BGRA2BGR,
        n => anyhow::bail!("pictures with {n} channels are not known"),
    };
    let mut out = Mat::default();
    imgproc::cvt_color_def(&image, &mut out, code)?;
    Ok(out)
}

/// Time of frame `index` at `fps`, rounded to the millisecond.
pub(super) fn footage_time_ms(index: u64, fps: f64) -> u64 {
    (index as f64 * 1000.0 / fps).round() as u64
}

#[cfg(test)]
mod tests {
    use opencv::core::{CV_8UC1, CV_8UC4, CV_16UC3, Scalar, Vec3b};

    use super::*;

    #[test]
    fn other_layouts_become_bgr8() {
        for (kind, value) in [(CV_8UC1, 200.0), (CV_8UC4, 200.0), (CV_16UC3, 200.0 * 256.0)] {
            let mat = Mat::new_rows_cols_with_default(2, 3, kind, Scalar::all(value)).unwrap();
            let out = to_bgr8(mat).unwrap();
            assert_eq!((out.typ(), out.rows(), out.cols()), (core::CV_8UC3, 2, 3));
            assert_eq!(*out.at_2d::<Vec3b>(1, 2).unwrap(), Vec3b::from([200, 200, 200]));
        }
        assert!(to_bgr8(Mat::default()).is_err());
    }

    #[test]
    fn footage_time_does_not_drift() {
        assert_eq!(footage_time_ms(1, 30.0), 33);
        assert_eq!(footage_time_ms(2, 30.0), 67);
        assert_eq!(footage_time_ms(30_000_000, 30.0), 1_000_000_000);
        assert_eq!(footage_time_ms(30_000, 30000.0 / 1001.0), 1_001_000);
    }
}
