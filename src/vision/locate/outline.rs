//! The board's area and its corners as hypotheses of their own.

use opencv::core::{Mat, Point, Rect, Vector};
use opencv::prelude::*;
use opencv::{core, imgproc};

use super::evidence::View;
use crate::vision::heat::Heat;

/// Cells of the mask as a picture of 0 and 255.
fn mask_picture(heat: &Heat, threshold: f32) -> opencv::Result<Mat> {
    let mut picture =
        Mat::new_rows_cols_with_default(heat.h as i32, heat.w as i32, core::CV_8UC1, core::Scalar::all(0.0))?;
    for y in 0..heat.h {
        let row = picture.at_row_mut::<u8>(y as i32)?;
        for (x, out) in row.iter_mut().enumerate() {
            if heat.mask([x as f64, y as f64]) > threshold {
                *out = 255;
            }
        }
    }
    Ok(picture)
}

/// The largest connected part of the mask.
fn largest_contour(heat: &Heat) -> opencv::Result<Option<Vector<Point>>> {
    let picture = mask_picture(heat, 0.5)?;
    let mut contours: Vector<Vector<Point>> = Vector::new();
    imgproc::find_contours(
        &picture,
        &mut contours,
        imgproc::RETR_EXTERNAL,
        imgproc::CHAIN_APPROX_SIMPLE,
        Point::new(0, 0),
    )?;
    let mut best: Option<(f64, Vector<Point>)> = None;
    for contour in contours {
        let area = imgproc::contour_area(&contour, false)?;
        if best.as_ref().is_none_or(|(a, _)| area > *a) {
            best = Some((area, contour));
        }
    }
    Ok(best.filter(|(area, _)| *area >= 60.0).map(|(_, c)| c))
}

/// Part of the photo with the board's area and a margin around, in pixels.
pub(super) fn area(heat: &Heat, view: &View, whole: Rect) -> Option<Rect> {
    let contour = largest_contour(heat).ok()??;
    let (mut lo, mut hi) = ([f64::MAX; 2], [f64::MIN; 2]);
    for p in contour {
        let q = view.to_pixel([f64::from(p.x), f64::from(p.y)]);
        for i in 0..2 {
            lo[i] = lo[i].min(q[i]);
            hi[i] = hi[i].max(q[i]);
        }
    }
    let spare = 0.2 * (hi[0] - lo[0]).max(hi[1] - lo[1]);
    let x0 = ((lo[0] - spare) as i32).clamp(0, whole.width - 1);
    let y0 = ((lo[1] - spare) as i32).clamp(0, whole.height - 1);
    let x1 = ((hi[0] + spare) as i32).clamp(x0 + 1, whole.width);
    let y1 = ((hi[1] + spare) as i32).clamp(y0 + 1, whole.height);
    let rect = Rect::new(x0, y0, x1 - x0, y1 - y0);
    (rect.width >= 32 && rect.height >= 32).then_some(rect)
}

/// A part is this share of the photo's long side, and at least so many pixels, wide and high.
const PART: f64 = 0.36;
const LEAST_PART_PX: f64 = 320.0;

/// Up to two parts of a large photo in which a board could lie that is too small to be seen in the whole: where crossings and
/// area are warmest together.
pub(super) fn promising_parts(heat: &Heat, view: &View, whole: Rect) -> Vec<Rect> {
    let long = f64::from(whole.width.max(whole.height));
    let side = (PART * long).max(LEAST_PART_PX);
    if side > 0.6 * long {
        return Vec::new();
    }
    let side = side as i32;
    let (width, height) = (side.min(whole.width), side.min(whole.height));
    // a grid of samples and their sums
    let step = (f64::from(side) / 24.0).max(1.0);
    let (cols, rows) =
        ((f64::from(whole.width) / step).ceil() as usize, (f64::from(whole.height) / step).ceil() as usize);
    let mut sums = vec![0f64; (cols + 1) * (rows + 1)];
    for y in 0..rows {
        for x in 0..cols {
            let at = view.to_cell([(x as f64 + 0.5) * step, (y as f64 + 0.5) * step]);
            let warmth = f64::from(heat.mask(at) + heat.crossing(at, 3.0));
            sums[(y + 1) * (cols + 1) + x + 1] =
                warmth + sums[y * (cols + 1) + x + 1] + sums[(y + 1) * (cols + 1) + x] - sums[y * (cols + 1) + x];
        }
    }
    let warmth_in = |r: &Rect| {
        let cell = |v: i32, most: usize| ((f64::from(v) / step).round() as usize).min(most);
        let (x0, x1) = (cell(r.x, cols), cell(r.x + r.width, cols));
        let (y0, y1) = (cell(r.y, rows), cell(r.y + r.height, rows));
        let at = |x: usize, y: usize| sums[y * (cols + 1) + x];
        at(x1, y1) - at(x0, y1) - at(x1, y0) + at(x0, y0)
    };
    let along = |length: i32, part: i32| {
        (0..).map(move |k| k * part / 6).take_while(move |o| *o < length - part).chain([length - part])
    };
    let mut parts: Vec<(f64, Rect)> = along(whole.height, height)
        .flat_map(|y| along(whole.width, width).map(move |x| Rect::new(x, y, width, height)))
        .map(|r| (warmth_in(&r), r))
        .filter(|(warmth, _)| *warmth > 1.0)
        .collect();
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut chosen: Vec<Rect> = Vec::new();
    for (_, part) in parts {
        let apart = |c: &Rect| (part.x - c.x).abs() > width / 2 || (part.y - c.y).abs() > height / 2;
        if chosen.len() < 2 && chosen.iter().all(apart) {
            chosen.push(part);
        }
    }
    chosen
}

fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
}

/// Clockwise as seen (y down), or `None` if the four are no convex quadrilateral of some size.
fn clockwise(points: [[f64; 2]; 4]) -> Option<[[f64; 2]; 4]> {
    let middle = [points.iter().map(|p| p[0]).sum::<f64>() / 4.0, points.iter().map(|p| p[1]).sum::<f64>() / 4.0];
    let mut sorted = points;
    let angle = |p: &[f64; 2]| (p[1] - middle[1]).atan2(p[0] - middle[0]);
    sorted.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    let side = |i: usize| (sorted[i][0] - sorted[(i + 1) % 4][0]).hypot(sorted[i][1] - sorted[(i + 1) % 4][1]);
    let convex = (0..4).all(|i| side(i) > 12.0)
        && (0..4).all(|i| cross(sorted[i], sorted[(i + 1) % 4], sorted[(i + 2) % 4]) > 20.0);
    convex.then_some(sorted)
}

fn polygon_area(q: &[[f64; 2]; 4]) -> f64 {
    (0..4).map(|i| q[i][0] * q[(i + 1) % 4][1] - q[(i + 1) % 4][0] * q[i][1]).sum::<f64>().abs() / 2.0
}

/// Quadrilaterals worth trying, in cells, clockwise: the mask's outline and those of strong corners. Largest support first, few.
pub(super) fn quadrilaterals(heat: &Heat) -> Vec<[[f64; 2]; 4]> {
    let mut found: Vec<(f64, [[f64; 2]; 4])> = Vec::new();
    let mut corners = heat.corner_peaks(0.2);
    corners.truncate(7);
    let n = corners.len();
    for a in 0..n {
        for b in a + 1..n {
            for c in b + 1..n {
                for d in c + 1..n {
                    let quad = clockwise([corners[a].at, corners[b].at, corners[c].at, corners[d].at]);
                    let Some(quad) = quad.filter(|q| polygon_area(q) > 150.0) else { continue };
                    let strength: f32 = [a, b, c, d].iter().map(|&i| corners[i].strength).sum();
                    found.push((f64::from(strength), quad));
                }
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(5);
    let mut quads: Vec<[[f64; 2]; 4]> = found.into_iter().map(|(_, q)| q).collect();
    quads.extend(outline(heat).ok().flatten());
    quads
}

/// The mask's outline simplified to four corners.
fn outline(heat: &Heat) -> opencv::Result<Option<[[f64; 2]; 4]>> {
    let Some(contour) = largest_contour(heat)? else { return Ok(None) };
    let mut hull: Vector<Point> = Vector::new();
    imgproc::convex_hull(&contour, &mut hull, true, true)?;
    let around = imgproc::arc_length(&hull, true)?;
    for k in 1..=12 {
        let mut simple: Vector<Point> = Vector::new();
        imgproc::approx_poly_dp(&hull, &mut simple, 0.01 * f64::from(k) * around, true)?;
        if simple.len() == 4 {
            let mut quad = [[0.0; 2]; 4];
            for (q, p) in quad.iter_mut().zip(simple.iter()) {
                *q = [f64::from(p.x), f64::from(p.y)];
            }
            return Ok(clockwise(quad).filter(|q| polygon_area(q) > 150.0));
        }
        if simple.len() < 4 {
            break;
        }
    }
    Ok(None)
}
