//! Finds a board from nothing: heat maps, lattice hypotheses, and a score over everything that a hypothesis predicts.
//!
//! 1. The network marks crossings (empty or under a stone), the board's area and its corners, on the whole photo.
//! 2. Hypotheses: lattices grown from neighbouring crossings; quadrilaterals of corners; the outline of the area.
//! 3. Each is scored at every size and position by what it predicts: crossings inside, none one line outside, the area's
//!    border between, corners at the corners. A lattice that is off by one line loses a whole line.
//! 4. The best are seen from straight above and measured again there, with the lens, until nothing moves.

mod evidence;
mod grow;
mod outline;

use opencv::core::{Mat, Rect, Size};
use opencv::prelude::*;

pub use evidence::Support;
use evidence::{Evidence, View};

use super::error::{Result, VisionError};
use super::heat::Heat;
use super::lattice::{Lattice, Match};
use super::nets::{LocateNet, Models};
use super::picture::{check_picture, resized};
use super::rectify::Rectifier;

/// The sizes that a board can have.
pub const SIZES: [u8; 3] = [19, 13, 9];
/// Below this confidence there is no board.
pub const LEAST_CONFIDENCE: f64 = 0.5;
/// From this confidence on, nothing else is tried.
const ENOUGH: f64 = 0.93;
/// Pixels per pitch and pitches of margin of the closer look.
const CLOSE_PITCH_PX: f64 = 22.0;
const CLOSE_MARGIN: f64 = 2.0;

/// What is known beforehand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocateOptions {
    /// 9, 13 or 19; otherwise all are tried.
    pub size: Option<u8>,
}

/// Holds the network; one for each thread.
pub struct Locator {
    net: LocateNet,
}

struct Candidate {
    lattice: Lattice,
    score: f64,
}

/// One way to look at the photo.
struct Look {
    rect: Rect,
    long_side: f64,
}

impl Locator {
    /// # Errors
    /// If the network cannot be loaded.
    pub fn new(models: &Models) -> Result<Locator> {
        Ok(Locator { net: models.locate()? })
    }

    /// The board on a photo (8-bit BGR).
    ///
    /// # Errors
    /// [`VisionError::NoBoard`] if there is none to be trusted; others if the picture is unusable.
    pub fn locate(&mut self, image: &Mat, options: &LocateOptions) -> Result<Lattice> {
        check_picture(image)?;
        let sizes: Vec<u8> = match options.size {
            Some(size) if !(5..=19).contains(&size) => {
                return Err(VisionError::Picture(format!("boards of size {size} are not looked for")));
            }
            Some(size) => vec![size],
            None => SIZES.to_vec(),
        };
        let whole = Rect::new(0, 0, image.cols(), image.rows());
        let mut best: Option<Lattice> = None;
        let mut area: Option<Rect> = None;
        for attempt in 0..5 {
            let look = match attempt {
                0 => Look { rect: whole, long_side: 512.0 },
                1 => Look { rect: whole, long_side: 272.0 },
                // the board's area alone, when it is much smaller than the photo
                2 => match area {
                    Some(rect) if rect.width.max(rect.height) * 10 < whole.width.max(whole.height) * 8 => {
                        Look { rect, long_side: 512.0 }
                    }
                    _ => continue,
                },
                3 => Look { rect: whole, long_side: 800.0 },
                _ => Look { rect: whole, long_side: 400.0 },
            };
            // enlarging shows nothing new
            let full = f64::from(look.rect.width.max(look.rect.height));
            if attempt > 0 && look.long_side > 1.5 * full {
                continue;
            }
            let (heat, view) = self.look(image, &look)?;
            if attempt == 0 {
                area = outline::area(&heat, &view, whole);
            }
            let image_size = [image.cols(), image.rows()];
            for candidate in candidates(&heat, &view, image_size, &sizes) {
                let Some(lattice) = self.refine(image, &candidate.lattice)? else { continue };
                if best.as_ref().is_none_or(|b| lattice.confidence > b.confidence) {
                    let enough = lattice.confidence >= ENOUGH;
                    best = Some(lattice);
                    if enough {
                        break;
                    }
                }
            }
            if best.as_ref().is_some_and(|b| b.confidence >= ENOUGH) {
                break;
            }
        }
        match best {
            Some(lattice) if lattice.confidence >= LEAST_CONFIDENCE => Ok(lattice.upright()),
            Some(lattice) => Err(VisionError::NoBoard(format!(
                "the likeliest grid is not convincing (confidence {:.2}); see that the whole board is in the picture and lit, or give its corners",
                lattice.confidence
            ))),
            None => Err(VisionError::NoBoard(
                "no grid of crossings or stones was found; see that the whole board is in the picture and lit, or give its corners"
                    .into(),
            )),
        }
    }

    fn look(&mut self, image: &Mat, look: &Look) -> Result<(Heat, View)> {
        let (w, h) = (f64::from(look.rect.width), f64::from(look.rect.height));
        let scale = look.long_side / w.max(h);
        let sixteen = |v: f64| ((v * scale / 16.0).round().max(4.0) * 16.0) as i32;
        let size = Size::new(sixteen(w), sixteen(h));
        let part = Mat::roi(image, look.rect)?.try_clone()?;
        let small = resized(&part, size)?;
        let heat = self.net.heat(&small)?;
        let view = View::Photo {
            origin: [f64::from(look.rect.x), f64::from(look.rect.y)],
            factor: [f64::from(size.width) / w, f64::from(size.height) / h],
        };
        Ok((heat, view))
    }

    fn look_closer(&mut self, image: &Mat, lattice: &Lattice) -> Result<(Heat, View)> {
        let pitches = f64::from(lattice.size - 1) + 2.0 * CLOSE_MARGIN;
        let side = (CLOSE_PITCH_PX * pitches / 16.0).round() * 16.0;
        let pitch_px = side / pitches;
        let board = Rectifier::new(lattice, [image.cols(), image.rows()], pitch_px, CLOSE_MARGIN)?.apply(image)?;
        let heat = self.net.heat(&board)?;
        Ok((heat, View::Rectified { lattice: lattice.clone(), pitch_px, margin: CLOSE_MARGIN }))
    }

    /// Measures a lattice that is right to about half a pitch anew, with the lens, and says how sure it is. `None` when hardly
    /// any of its crossings are seen. Also shifts it by whole lines when that explains more. Which corner is first stays.
    ///
    /// # Errors
    /// If the picture is unusable.
    pub fn refine(&mut self, image: &Mat, lattice: &Lattice) -> Result<Option<Lattice>> {
        let mut lattice = lattice.clone();
        let n = i32::from(lattice.size);
        let mut result = None;
        for round in 0..4 {
            let (heat, view) = self.look_closer(image, &lattice)?;
            let evidence = Evidence::new(&heat, &view, &lattice, [-1, -1], [n, n]);
            let windows = evidence.windows(&[lattice.size]);
            let Some(&window) = windows.first() else { return Ok(None) };
            let second = windows.get(1).map(|w| w.score);
            if (window.row, window.col) != (0, 0) && round < 3 {
                match lattice.reindexed(f64::from(window.row), f64::from(window.col), lattice.size) {
                    Some(shifted) => lattice = shifted,
                    None => return Ok(None),
                }
                continue;
            }
            let support = evidence.support(window, second);
            let matches = matches(&heat, &view, &lattice, 0.42, 0.15);
            let enough = matches.len() as i32 >= (n * n / 5).max(16);
            let fitted = if enough { lattice.refit(&matches, true).ok() } else { None };
            let Some(mut fitted) = fitted else { return Ok(result) };
            fitted.confidence = confidence(&support, fitted.residual_px / fitted.mean_pitch_px());
            let moved = movement(&lattice, &fitted);
            lattice = fitted;
            result = Some(lattice.clone());
            if moved < 0.06 {
                break;
            }
        }
        Ok(result)
    }

    /// The lattice of corners given by hand. They are trusted: it is measured anew with the lens, but where that would move
    /// it by more than a third of a pitch, the corners stay as given. Without `size`, the one that explains the picture best.
    ///
    /// # Errors
    /// If the corners are no convex quadrilateral in clockwise order, or the picture is unusable.
    pub fn at_corners(&mut self, image: &Mat, corners: [[f64; 2]; 4], size: Option<u8>) -> Result<Lattice> {
        check_picture(image)?;
        let image_size = [image.cols(), image.rows()];
        let sizes = size.map_or(SIZES.to_vec(), |s| vec![s]);
        let mut best: Option<(f64, Lattice)> = None;
        for size in sizes {
            let given = Lattice::from_corners(size, corners, image_size)?;
            let n = i32::from(size);
            let (heat, view) = self.look_closer(image, &given)?;
            let evidence = Evidence::new(&heat, &view, &given, [-1, -1], [n, n]);
            let score = evidence.score(0, 0, size).map_or(f64::MIN, |s| s / f64::from(n * n));
            if best.as_ref().is_none_or(|(s, _)| score > *s) {
                best = Some((score, given));
            }
        }
        let Some((_, given)) = best else { return Err(VisionError::NoBoard("no size to try".into())) };
        Ok(match self.refine(image, &given)? {
            Some(refined) if movement(&given, &refined) < 0.33 && refined.confidence >= LEAST_CONFIDENCE => refined,
            _ => given,
        })
    }

    /// How well a lattice is supported by a photo, for diagnosis.
    ///
    /// # Errors
    /// If the picture is unusable.
    pub fn support(&mut self, image: &Mat, lattice: &Lattice) -> Result<Option<Support>> {
        let n = i32::from(lattice.size);
        let (heat, view) = self.look_closer(image, lattice)?;
        let windows = Evidence::new(&heat, &view, lattice, [-1, -1], [n, n]);
        let ranked = windows.windows(&[lattice.size]);
        let own = ranked.iter().find(|w| (w.row, w.col) == (0, 0));
        let other = ranked.iter().find(|w| (w.row, w.col) != (0, 0));
        Ok(own.map(|w| windows.support(*w, other.map(|o| o.score))))
    }
}

/// From the numbers to a probability that the lattice is exactly right.
fn confidence(s: &Support, residual_pitches: f64) -> f64 {
    let z = -7.0 + 9.0 * s.crossings - 6.0 * s.outside + 3.0 * s.border + 2.0 * s.corners + 10.0 * s.margin.min(0.2)
        - 3.0 * s.missing
        - 10.0 * (residual_pitches - 0.08).max(0.0)
        - 4.0 * (0.9 - s.in_view).max(0.0);
    1.0 / (1.0 + (-z).exp())
}

/// Largest movement of a corner, in pitches.
fn movement(a: &Lattice, b: &Lattice) -> f64 {
    let pitch = b.mean_pitch_px().max(1e-6);
    a.corners().iter().zip(b.corners()).map(|(p, q)| (p[0] - q[0]).hypot(p[1] - q[1]) / pitch).fold(0.0, f64::max)
}

/// Peaks at the crossings that a lattice predicts, within `reach` pitches.
fn matches(heat: &Heat, view: &View, lattice: &Lattice, reach: f64, threshold: f32) -> Vec<Match> {
    let mut found = Vec::new();
    for row in 0..lattice.size {
        for col in 0..lattice.size {
            let board = [f64::from(row), f64::from(col)];
            if !lattice.in_front(board) {
                continue;
            }
            let cell = view.to_cell(lattice.to_image(board));
            if !heat.inside(cell, 1.0) {
                continue;
            }
            let step = |b: [f64; 2]| {
                let p = view.to_cell(lattice.to_image(b));
                2.0 * (p[0] - cell[0]).hypot(p[1] - cell[1])
            };
            let pitch = step([board[0] + 0.5, board[1]]).min(step([board[0], board[1] + 0.5]));
            if let Some(peak) = heat.snap(cell, (reach * pitch).max(1.0), threshold) {
                found.push(Match { board, image: view.to_pixel(peak.at), weight: f64::from(peak.strength) });
            }
        }
    }
    found
}

/// Follows the peaks from a rough lattice.
fn settle(heat: &Heat, view: &View, lattice: Lattice, image_size: [i32; 2]) -> Lattice {
    let mut lattice = lattice;
    for reach in [0.45, 0.4, 0.35] {
        let matches = matches(heat, view, &lattice, reach, 0.15);
        if matches.len() < 16.max(lattice.size as usize * lattice.size as usize / 6) {
            break;
        }
        match Lattice::fit(lattice.size, image_size, &matches, false) {
            Ok(fitted) => lattice = fitted,
            Err(_) => break,
        }
    }
    lattice
}

/// A lattice of unknown origin and extent from a grown piece: as many peaks as lie on it, and the range of their indices.
fn consolidate(
    heat_peaks: &[super::heat::Peak],
    nodes: &[grow::Node],
    view: &View,
    image_size: [i32; 2],
) -> Option<(Lattice, [i32; 2], [i32; 2])> {
    let pixels: Vec<[f64; 2]> = heat_peaks.iter().map(|p| view.to_pixel(p.at)).collect();
    let (r0, c0) = (nodes.iter().map(|n| n.row).min()?, nodes.iter().map(|n| n.col).min()?);
    let mut matched: Vec<(i32, i32, usize)> = nodes.iter().map(|n| (n.row - r0, n.col - c0, n.peak)).collect();
    let mut lattice = None;
    for _ in 0..6 {
        let matches: Vec<Match> = matched
            .iter()
            .map(|&(r, c, i)| Match {
                board: [f64::from(r), f64::from(c)],
                image: pixels[i],
                weight: f64::from(heat_peaks[i].strength),
            })
            .collect();
        // the size only sets the scale of the numbers here
        let fitted = Lattice::fit(19, image_size, &matches, matches.len() > 100).ok()?;
        let range = |f: fn(&(i32, i32, usize)) -> i32| {
            let all = matched.iter().map(f);
            (all.clone().min().unwrap_or(0) - 2, all.max().unwrap_or(0) + 2)
        };
        let (rows, cols) = (range(|m| m.0), range(|m| m.1));
        let mut next: std::collections::BTreeMap<(i32, i32), (f64, usize)> = std::collections::BTreeMap::new();
        for (i, p) in pixels.iter().enumerate() {
            let [r, c] = fitted.to_board(*p);
            let (ri, ci) = (r.round(), c.round());
            let off = (r - ri).hypot(c - ci);
            let (ri, ci) = (ri as i32, ci as i32);
            if off > 0.22 || ri < rows.0 || ri > rows.1 || ci < cols.0 || ci > cols.1 {
                continue;
            }
            if !fitted.in_front([r, c]) {
                continue;
            }
            let slot = next.entry((ri, ci)).or_insert((off, i));
            if off < slot.0 {
                *slot = (off, i);
            }
        }
        let new: Vec<(i32, i32, usize)> = next.into_iter().map(|((r, c), (_, i))| (r, c, i)).collect();
        let same = new == matched;
        if new.len() < 10 {
            return None;
        }
        matched = new;
        lattice = Some(fitted);
        if same {
            break;
        }
    }
    let lattice = lattice?;
    // rows and columns with one accidental hit do not widen the range
    let bound = |f: fn(&(i32, i32, usize)) -> i32| {
        let mut counts = std::collections::BTreeMap::new();
        for m in &matched {
            *counts.entry(f(m)).or_insert(0) += 1;
        }
        let kept: Vec<i32> = counts.into_iter().filter(|(_, n)| *n >= 2).map(|(i, _)| i).collect();
        Some((*kept.first()?, *kept.last()?))
    };
    let (rows, cols) = (bound(|m| m.0)?, bound(|m| m.1)?);
    Some((lattice, [rows.0, cols.0], [rows.1, cols.1]))
}

/// Right-handed: clockwise corners as seen, never mirrored.
fn unmirrored(lattice: Lattice, first: [i32; 2], last: [i32; 2], image_size: [i32; 2]) -> Option<Lattice> {
    let [a, b, _, d] = lattice.corners();
    let cross = (b[0] - a[0]) * (d[1] - a[1]) - (b[1] - a[1]) * (d[0] - a[0]);
    if cross > 0.0 {
        return Some(lattice);
    }
    // swap the axes' sense: columns run the other way about the middle of the range
    let sum = f64::from(first[1] + last[1]);
    let mut matches = Vec::new();
    for r in first[0]..=last[0] {
        for c in first[1]..=last[1] {
            let (r, c) = (f64::from(r), f64::from(c));
            matches.push(Match { board: [r, sum - c], image: lattice.to_image([r, c]), weight: 1.0 });
        }
    }
    let mut turned = Lattice::fit(lattice.size, image_size, &matches, true).ok()?;
    turned.residual_px = lattice.residual_px;
    Some(turned)
}

/// The best few hypotheses of one look, best first.
fn candidates(heat: &Heat, view: &View, image_size: [i32; 2], sizes: &[u8]) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = Vec::new();
    let mut peaks = heat.peaks(0.2);
    peaks.truncate(900);
    for nodes in grow::grow(&peaks, 12, 4) {
        let Some((lattice, first, last)) = consolidate(&peaks, &nodes, view, image_size) else { continue };
        let Some(lattice) = unmirrored(lattice, first, last, image_size) else { continue };
        // room for the largest board to lie partly beyond what was matched
        let largest = sizes.iter().copied().max().map_or(19, i32::from);
        let room = |a: i32, b: i32| {
            let spare = (largest - (b - a + 1)).max(0) + 2;
            (a - spare, b + spare)
        };
        let ((r0, r1), (c0, c1)) = (room(first[0], last[0]), room(first[1], last[1]));
        let evidence = Evidence::new(heat, view, &lattice, [r0, c0], [r1, c1]);
        let windows = evidence.windows(sizes);
        let mut taken = 0;
        for window in windows {
            if taken == 2 {
                break;
            }
            if let Some(own) = lattice.reindexed(f64::from(window.row), f64::from(window.col), window.size) {
                all.push(Candidate { lattice: own, score: window.score });
                taken += 1;
            }
        }
    }
    for corners in outline::quadrilaterals(heat) {
        let pixels = corners.map(|c| view.to_pixel(c));
        for &size in sizes {
            let Ok(lattice) = Lattice::from_corners(size, pixels, image_size) else { continue };
            let n = i32::from(size);
            let rough = Evidence::new(heat, view, &lattice, [-1, -1], [n, n]).score(0, 0, size);
            // not worth following where hardly anything fits
            if rough.is_none_or(|s| s < -1.2 * f64::from(n * n)) {
                continue;
            }
            let lattice = settle(heat, view, lattice, image_size);
            let evidence = Evidence::new(heat, view, &lattice, [-1, -1], [n, n]);
            if let Some(score) = evidence.score(0, 0, size) {
                all.push(Candidate { lattice, score });
            }
        }
    }
    all.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut kept: Vec<Candidate> = Vec::new();
    for c in all {
        if kept.len() == 3 {
            break;
        }
        let lattice = c.lattice.upright();
        let known = kept.iter().any(|k| k.lattice.size == lattice.size && movement(&k.lattice, &lattice) < 0.4);
        if !known && c.score > 0.0 {
            kept.push(Candidate { lattice, score: c.score });
        }
    }
    kept
}
