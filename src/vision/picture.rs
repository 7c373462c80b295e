//! Pictures in and out of memory: decoding with clear errors, JPEG encoding.

use std::path::Path;

use opencv::core::{Mat, Size, ToInputArray, Vector};
use opencv::prelude::*;
use opencv::{core, imgcodecs, imgproc};

use super::error::{Result, VisionError};

/// Smallest side of a picture that is looked at: below, a 9×9 board has no pixels for its lines.
const MIN_SIDE: i32 = 48;
/// Largest number of pixels of a picture: more is a mistake or an attack, not a photo.
const MAX_PIXELS: i64 = 200_000_000;

/// Reads a photo as 8-bit BGR, EXIF orientation applied.
///
/// # Errors
/// Says whether the file is missing, empty, no picture, or too small or large.
pub fn load_photo(path: &Path) -> Result<Mat> {
    let bytes = std::fs::read(path).map_err(|cause| VisionError::Io { path: path.to_owned(), cause })?;
    if bytes.is_empty() {
        return Err(VisionError::Picture(format!("{}: the file is empty", path.display())));
    }
    decode_photo(&bytes).map_err(|e| VisionError::Picture(format!("{}: {e}", path.display())))
}

/// Width and height, pixels.
pub fn picture_size(image: &Mat) -> [i32; 2] {
    [image.cols(), image.rows()]
}

/// Writes a picture; the ending of the name says how (`.png`, `.jpg`).
///
/// # Errors
/// Names the file when it cannot be written.
pub fn save_picture(path: &Path, image: &Mat) -> Result<()> {
    let failed = |why: String| VisionError::Picture(format!("{}: cannot be written: {why}", path.display()));
    match imgcodecs::imwrite(path, image, &Vector::new()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(failed("is the folder there, and is there room?".into())),
        Err(e) => Err(failed(format!("{}; name it .png or .jpg", e.message))),
    }
}

/// Decodes JPEG, PNG and whatever else OpenCV knows to 8-bit BGR, EXIF orientation applied.
///
/// # Errors
/// If the bytes are no picture, or it is too small or large.
pub fn decode_photo(bytes: &[u8]) -> Result<Mat> {
    let image = match imgcodecs::imdecode(&Mat::from_slice(bytes)?, imgcodecs::IMREAD_COLOR) {
        Ok(image) => image,
        Err(e) => return Err(VisionError::Picture(format!("not a picture that can be decoded ({})", e.message))),
    };
    if image.empty() {
        return Err(VisionError::Picture(
            "not a picture, or a damaged one (JPEG, PNG, BMP, TIFF and WebP are read)".into(),
        ));
    }
    check_picture(&image)?;
    Ok(image)
}

/// Checks that a picture is 8-bit BGR of a size that can be worked on.
pub(super) fn check_picture(image: &Mat) -> Result<()> {
    if image.empty() {
        return Err(VisionError::Picture("the picture is empty".into()));
    }
    if image.typ() != core::CV_8UC3 {
        return Err(VisionError::Picture("the picture is not 8-bit BGR".into()));
    }
    let (w, h) = (image.cols(), image.rows());
    if w < MIN_SIDE || h < MIN_SIDE {
        return Err(VisionError::Picture(format!(
            "the picture has {w}×{h} pixels; at least {MIN_SIDE}×{MIN_SIDE} are needed"
        )));
    }
    if i64::from(w) * i64::from(h) > MAX_PIXELS {
        return Err(VisionError::Picture(format!(
            "the picture has {w}×{h} pixels; at most {} million are read",
            MAX_PIXELS / 1_000_000
        )));
    }
    Ok(())
}

/// JPEG of a picture, first shrunk to `max_width` if it is wider. `quality` 1 to 100.
///
/// # Errors
/// If OpenCV cannot encode it (an empty picture).
pub fn encode_jpeg(image: &Mat, quality: i32, max_width: Option<i32>) -> Result<Vec<u8>> {
    let small;
    let image = match max_width {
        Some(max) if image.cols() > max.max(1) => {
            let max = max.max(1);
            let height = (f64::from(image.rows()) * f64::from(max) / f64::from(image.cols())).round().max(1.0) as i32;
            small = resized(image, Size::new(max, height))?;
            &small
        }
        _ => image,
    };
    let mut bytes = Vector::<u8>::new();
    let params = Vector::from_slice(&[imgcodecs::IMWRITE_JPEG_QUALITY, quality.clamp(1, 100)]);
    if !imgcodecs::imencode(".jpg", image, &mut bytes, &params)? {
        return Err(VisionError::Picture("the picture cannot be encoded as JPEG".into()));
    }
    Ok(bytes.to_vec())
}

/// Resized with pixel areas averaged when shrinking.
pub(super) fn resized(image: &(impl MatTraitConst + ToInputArray), size: Size) -> Result<Mat> {
    // to halve costs a fifth of any other reduction
    if let Some(half) = half_of(image, [size.width * 3, size.height * 3])? {
        return resized(&half, size);
    }
    let mut out = Mat::default();
    let shrinks = size.width < image.cols() || size.height < image.rows();
    let how = if shrinks { imgproc::INTER_AREA } else { imgproc::INTER_LINEAR };
    imgproc::resize(image, &mut out, size, 0.0, 0.0, how)?;
    Ok(out)
}

/// The picture at half its size, if it is larger than this and its sides are even.
fn half_of(image: &(impl MatTraitConst + ToInputArray), least: [i32; 2]) -> Result<Option<Mat>> {
    let (w, h) = (image.cols(), image.rows());
    if w <= least[0] || h <= least[1] || w % 2 != 0 || h % 2 != 0 {
        return Ok(None);
    }
    let mut half = Mat::default();
    imgproc::resize(image, &mut half, Size::new(w / 2, h / 2), 0.0, 0.0, imgproc::INTER_AREA)?;
    Ok(Some(half))
}

#[cfg(test)]
mod tests {
    use super::*;
    use opencv::core::Scalar;

    #[test]
    fn exif_orientation_is_applied() {
        let image = Mat::new_rows_cols_with_default(64, 96, core::CV_8UC3, Scalar::all(90.0)).unwrap();
        let jpeg = encode_jpeg(&image, 90, None).unwrap();
        // APP1: a TIFF block with one entry, orientation (0x0112) 6: turned a quarter
        let tiff: &[u8] = &[b'I', b'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0];
        let length = (2 + 6 + tiff.len()) as u16;
        let mut turned = jpeg[..2].to_vec();
        turned.extend([0xff, 0xe1]);
        turned.extend(length.to_be_bytes());
        turned.extend(b"Exif\0\0");
        turned.extend(tiff);
        turned.extend(&jpeg[2..]);
        let decoded = decode_photo(&turned).unwrap();
        assert_eq!((decoded.cols(), decoded.rows()), (64, 96));
        assert_eq!(decode_photo(&jpeg).unwrap().cols(), 96);
    }
}
