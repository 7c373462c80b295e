//! What was found, drawn on the picture, for people to check.

use opencv::core::{Mat, Point, Scalar};
use opencv::imgproc;
use opencv::prelude::*;

use super::error::Result;
use super::lattice::Lattice;
use super::picture::check_picture;
use super::sighting::PointReading;

fn bgr(b: f64, g: f64, r: f64) -> Scalar {
    Scalar::new(b, g, r, 0.0)
}

/// Sixteenths of a pixel, as OpenCV draws with `shift` 4; far points are brought near enough for its integers.
fn fixed(p: [f64; 2]) -> Point {
    let f = |v: f64| (v.clamp(-20_000.0, 60_000.0) * 16.0).round() as i32;
    Point::new(f(p[0]), f(p[1]))
}

/// A copy of `image` with the grid (green: sure, yellow to red: doubtful), every stone read (a ring in its colour, an inner ring
/// in its contrast), `?` at hidden points, and the confidence. `readings` may be empty: only the grid is drawn then.
///
/// # Errors
/// If the picture is unusable.
pub fn draw_overlay(image: &Mat, lattice: &Lattice, readings: &[PointReading]) -> Result<Mat> {
    check_picture(image)?;
    let mut out = image.try_clone()?;
    let n = lattice.size;
    let pitch = lattice.mean_pitch_px();
    let thin = ((pitch / 24.0).round() as i32).clamp(1, 4);
    let sure = lattice.confidence.clamp(0.0, 1.0);
    let green = bgr(60.0, 80.0 + 140.0 * sure, 255.0 * (1.0 - sure));
    let last = f64::from(n - 1);
    for i in 0..n {
        let k = f64::from(i);
        // with a lens, lines are curves
        for s in 0..12 {
            let (a, b) = (last * f64::from(s) / 12.0, last * f64::from(s + 1) / 12.0);
            for (p, q) in [([k, a], [k, b]), ([a, k], [b, k])] {
                let (p, q) = (fixed(lattice.to_image(p)), fixed(lattice.to_image(q)));
                imgproc::line(&mut out, p, q, green, thin, imgproc::LINE_AA, 4)?;
            }
        }
    }
    for (i, reading) in readings.iter().enumerate().take(n as usize * n as usize) {
        let (row, col) = ((i / n as usize) as f64, (i % n as usize) as f64);
        let board = [row + f64::from(reading.offset[1]), col + f64::from(reading.offset[0])];
        let at = fixed(lattice.to_image(board));
        let [a, b] = lattice.pitch_px([row, col]);
        let radius = (a.min(b) * 0.42).clamp(2.0, 400.0);
        let r16 = |f: f64| (radius * f * 16.0) as i32;
        let (black, white, red) = (bgr(20.0, 20.0, 20.0), bgr(250.0, 250.0, 250.0), bgr(40.0, 40.0, 255.0));
        let mut ring = |r: i32, c: Scalar, w: i32| imgproc::circle(&mut out, at, r, c, w, imgproc::LINE_AA, 4);
        match reading.letter() {
            'B' => {
                ring(r16(1.0), white, thin + 1)?;
                ring(r16(0.45), black, -1)?;
                ring(r16(0.45), bgr(255.0, 160.0, 0.0), thin)?;
            }
            'W' => {
                ring(r16(1.0), black, thin + 1)?;
                ring(r16(0.45), white, -1)?;
                ring(r16(0.45), bgr(0.0, 120.0, 255.0), thin)?;
            }
            '?' => ring(r16(0.6), red, thin + 1)?,
            _ => {}
        }
        let top = reading.empty.max(reading.black).max(reading.white);
        if reading.letter() != '?' && top < 0.9 {
            ring(r16(0.75), red, thin)?;
        }
    }
    // where row 0 begins
    let start = fixed(lattice.to_image([0.0, 0.0]));
    imgproc::circle(
        &mut out,
        start,
        (pitch * 0.3 * 16.0).min(8000.0) as i32,
        bgr(255.0, 0.0, 255.0),
        thin + 1,
        imgproc::LINE_AA,
        4,
    )?;
    let text = format!("{n}x{n}  confidence {:.2}  residual {:.1} px", lattice.confidence, lattice.residual_px);
    let scale = (f64::from(out.cols()) / 1100.0).clamp(0.35, 4.0);
    let weight = (scale * 1.6).round().max(1.0) as i32;
    let origin = Point::new((12.0 * scale) as i32, (32.0 * scale) as i32);
    for (color, w) in [(bgr(0.0, 0.0, 0.0), weight + 2), (bgr(255.0, 255.0, 255.0), weight)] {
        imgproc::put_text(
            &mut out,
            &text,
            origin,
            imgproc::FONT_HERSHEY_SIMPLEX,
            scale,
            color,
            w,
            imgproc::LINE_AA,
            false,
        )?;
    }
    Ok(out)
}
