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
use super::heat::{Heat, Peak};
use super::lattice::{Lattice, Match};
use super::nets::{LocateNet, Models};
use super::picture::{check_picture, resized};
use super::rectify::Rectifier;

/// The sizes that a board can have.
pub const SIZES: [u8; 3] = [19, 13, 9];
/// Below this confidence there is no board.
pub const LEAST_CONFIDENCE: f64 = 0.65;
/// From this confidence on, nothing else is tried.
const ENOUGH: f64 = 0.98;
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
        let photo = [f64::from(image.cols()), f64::from(image.rows())];
        Ok((heat, View::Rectified { lattice: Box::new(lattice.clone()), pitch_px, margin: CLOSE_MARGIN, photo }))
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
            if support.crossings < 0.25 {
                return Ok(result);
            }
            let matches = matches(&heat, &view, &lattice, 0.42, 0.15);
            let enough = matches.len() as i32 >= (n * n / 5).max(16);
            let fitted = if enough { lattice.refit(&matches, true).ok() } else { None };
            let Some(mut fitted) = fitted else { return Ok(result) };
            let residual_pitches = fitted.residual_px / fitted.mean_pitch_px();
            fitted.confidence = confidence(&support, residual_pitches);
            tracing::debug!(size = lattice.size, round, confidence = fitted.confidence, residual_pitches, ?support);
            let moved = movement(&lattice, &fitted);
            lattice = fitted;
            result = Some(lattice.clone());
            if moved < 0.2 {
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

/// From the numbers to a probability that the lattice is exactly right. On photos whose board was found, crossings are seen
/// with 0.77 or more, hardly anything (0.1) one line outside, and peaks lie within 0.05 pitches of the fit; round things in
/// rows or other people's grids miss one of these.
fn confidence(s: &Support, residual_pitches: f64) -> f64 {
    let z = 4.2 + 8.0 * (s.crossings - 0.75) - 11.0 * (s.outside - 0.12).max(0.0) - 7.5 * (0.68 - s.border).max(0.0)
        + 3.0 * (s.corners.min(0.7) - 0.45)
        - 8.0 * s.missing
        - 30.0 * (residual_pitches - 0.06).max(0.0)
        - 20.0 * (0.15 - s.margin).max(0.0)
        - 12.0 * (0.55 - s.enclosed).max(0.0)
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

/// A lattice of unknown origin and the crossings `(row, col, peak)` that were seen of it.
struct Piece {
    lattice: Lattice,
    seen: Vec<(i32, i32, usize)>,
    /// Sum of the strengths of the peaks on it.
    weight: f64,
}

impl Piece {
    /// The first and last `[row, col]` seen.
    fn range(&self) -> ([i32; 2], [i32; 2]) {
        let (mut first, mut last) = ([i32::MAX; 2], [i32::MIN; 2]);
        for &(r, c, _) in &self.seen {
            first = [first[0].min(r), first[1].min(c)];
            last = [last[0].max(r), last[1].max(c)];
        }
        (first, last)
    }

    /// The same crossings with other axes: `[row, col]` become `[a row + b col, d row + e col]`; `m` has determinant 1 or -1.
    fn with_axes(&self, m: [i32; 4]) -> Option<Piece> {
        let [a, b, d, e] = m;
        let det = f64::from(a * e - b * d);
        // the inverse, for coordinates in the order [col, row]
        let f = |v: i32| f64::from(v) / det;
        let frame = [f(a), f(-d), 0.0, f(-b), f(e), 0.0];
        Some(Piece {
            lattice: self.lattice.reframed(frame, self.lattice.size)?,
            seen: self.seen.iter().map(|&(r, c, i)| (a * r + b * c, d * r + e * c, i)).collect(),
            weight: self.weight,
        })
    }

    /// The likeliest choices of axes: a slanted look makes diagonals as short as the lines, but only the lines' own axes
    /// give a square. Clockwise as seen, never mirrored.
    fn axes(&self) -> Vec<Piece> {
        let mut all = Vec::new();
        for m in [[1, 0, 0, 1], [1, 1, 0, 1], [1, -1, 0, 1], [1, 0, 1, 1], [1, 0, -1, 1]] {
            let Some(mut piece) = self.with_axes(m) else { continue };
            let (first, last) = piece.range();
            let middle = [0, 1].map(|i| f64::from(first[i] + last[i]) / 2.0);
            let p = |dr: f64, dc: f64| piece.lattice.to_image([middle[0] + dr, middle[1] + dc]);
            let (o, c, r) = (p(0.0, 0.0), p(0.0, 0.5), p(0.5, 0.0));
            if (c[0] - o[0]) * (r[1] - o[1]) - (c[1] - o[1]) * (r[0] - o[0]) < 0.0 {
                match piece.with_axes([1, 0, 0, -1]) {
                    Some(turned) => piece = turned,
                    None => continue,
                }
            }
            let longest = (last[0] - first[0]).max(last[1] - first[1]);
            all.push((longest, piece));
        }
        all.sort_by_key(|(longest, _)| *longest);
        all.truncate(2);
        all.into_iter().map(|(_, p)| p).collect()
    }
}

/// Extends a patch with a model of the whole plane, one ring of crossings at a time: each ring must fit what was there before.
fn extend(peaks: &[Peak], pixels: &[[f64; 2]], nodes: &[grow::Node], image_size: [i32; 2]) -> Option<Piece> {
    let (r0, c0) = (nodes.iter().map(|n| n.row).min()?, nodes.iter().map(|n| n.col).min()?);
    // the size only sets the scale of the numbers here: near 9 at first, so that a patch is well conditioned
    const SCALE: u8 = 13;
    let mut matched: Vec<(i32, i32, usize)> = nodes.iter().map(|n| (n.row - r0, n.col - c0, n.peak)).collect();
    let mut lattice = None;
    for round in 0..24 {
        let matches: Vec<Match> = matched
            .iter()
            .map(|&(r, c, i)| Match {
                board: [f64::from(r), f64::from(c)],
                image: pixels[i],
                weight: f64::from(peaks[i].strength),
            })
            .collect();
        let fitted = if matches.len() > 120 && round % 3 == 2 {
            Lattice::fit(SCALE, image_size, &matches, true).ok()?
        } else {
            Lattice::fit_plane(SCALE, image_size, &matches)?
        };
        let range = |f: fn(&(i32, i32, usize)) -> i32| {
            let all = matched.iter().map(f);
            (all.clone().min().unwrap_or(0) - 1, all.max().unwrap_or(0) + 1)
        };
        let (rows, cols) = (range(|m| m.0), range(|m| m.1));
        let mut next: std::collections::BTreeMap<(i32, i32), (f64, usize)> = std::collections::BTreeMap::new();
        for (i, p) in pixels.iter().enumerate() {
            let [r, c] = fitted.to_board(*p);
            let (ri, ci) = (r.round(), c.round());
            let off = (r - ri).hypot(c - ci);
            let (ri, ci) = (ri as i32, ci as i32);
            if off > 0.25 || ri < rows.0 || ri > rows.1 || ci < cols.0 || ci > cols.1 || !fitted.in_front([r, c]) {
                continue;
            }
            let slot = next.entry((ri, ci)).or_insert((off, i));
            if off < slot.0 {
                *slot = (off, i);
            }
        }
        // a row or column that only a few stray peaks hit is none
        let mut counts = [std::collections::BTreeMap::new(), std::collections::BTreeMap::new()];
        for (r, c) in next.keys() {
            *counts[0].entry(*r).or_insert(0) += 1;
            *counts[1].entry(*c).or_insert(0) += 1;
        }
        let span = |counts: &std::collections::BTreeMap<i32, i32>| {
            let full = counts.values().copied().max().unwrap_or(0);
            let kept: Vec<i32> = counts.iter().filter(|(_, n)| **n * 4 >= full).map(|(i, _)| *i).collect();
            Some((*kept.first()?, *kept.last()?))
        };
        let (rows, cols) = (span(&counts[0])?, span(&counts[1])?);
        let new: Vec<(i32, i32, usize)> = next
            .into_iter()
            .filter(|((r, c), _)| (rows.0..=rows.1).contains(r) && (cols.0..=cols.1).contains(c))
            .map(|((r, c), (_, i))| (r, c, i))
            .collect();
        if new.len() < 12 || rows.1 - rows.0 > 40 || cols.1 - cols.0 > 40 {
            return None;
        }
        let same = new == matched;
        matched = new;
        lattice = Some(fitted);
        if same {
            break;
        }
    }
    let weight = matched.iter().map(|m| f64::from(peaks[m.2].strength)).sum();
    Some(Piece { lattice: lattice?, seen: matched, weight })
}

/// The largest different pieces of lattice in the heat.
fn pieces(heat: &Heat, view: &View, image_size: [i32; 2]) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    // strong peaks alone first: weak ones are clutter where the board is clear
    for threshold in [0.4, 0.2] {
        let mut peaks = heat.peaks(threshold);
        peaks.truncate(800);
        let pixels: Vec<[f64; 2]> = peaks.iter().map(|p| view.to_pixel(p.at)).collect();
        let strength: f64 = peaks.iter().map(|p| f64::from(p.strength)).sum();
        let mut covered = vec![false; peaks.len()];
        for nodes in grow::patches(&peaks, 12, 10) {
            if nodes.iter().filter(|n| covered[n.peak]).count() * 2 > nodes.len() {
                continue;
            }
            let Some(piece) = extend(&peaks, &pixels, &nodes, image_size) else { continue };
            for s in &piece.seen {
                covered[s.2] = true;
            }
            let complete = piece.weight > 0.8 * strength;
            found.push(piece);
            if complete {
                break;
            }
        }
        found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        if found.first().is_some_and(|p| p.weight > 0.6 * strength) {
            break;
        }
    }
    found.truncate(4);
    found
}

/// The best few hypotheses of one look, best first.
fn candidates(heat: &Heat, view: &View, image_size: [i32; 2], sizes: &[u8]) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = Vec::new();
    for piece in pieces(heat, view, image_size).iter().flat_map(Piece::axes) {
        let (first, last) = piece.range();
        let lattice = &piece.lattice;
        // room for the largest board to lie partly beyond what was matched
        let largest = sizes.iter().copied().max().map_or(19, i32::from);
        let room = |a: i32, b: i32| {
            let spare = (largest - (b - a + 1)).max(0) + 2;
            (a - spare, b + spare)
        };
        let ((r0, r1), (c0, c1)) = (room(first[0], last[0]), room(first[1], last[1]));
        let evidence = Evidence::new(heat, view, lattice, [r0, c0], [r1, c1]);
        let windows = evidence.windows(sizes);
        tracing::debug!(?first, ?last, weight = piece.weight, best = ?windows.first(), "piece");
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
    let mut rough: Vec<(f64, Lattice)> = Vec::new();
    for corners in outline::quadrilaterals(heat) {
        let pixels = corners.map(|c| view.to_pixel(c));
        for &size in sizes {
            let Ok(lattice) = Lattice::from_corners(size, pixels, image_size) else { continue };
            let n = i32::from(size);
            let seen = Evidence::new(heat, view, &lattice, [0, 0], [n - 1, n - 1]).score(0, 0, size);
            rough.extend(seen.map(|s| (s / f64::from(n * n), lattice)));
        }
    }
    // not worth following where hardly anything fits
    rough.retain(|(s, _)| *s > -1.2);
    rough.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, lattice) in rough.into_iter().take(4) {
        let lattice = settle(heat, view, lattice, image_size);
        let n = i32::from(lattice.size);
        let evidence = Evidence::new(heat, view, &lattice, [-1, -1], [n, n]);
        if let Some(score) = evidence.score(0, 0, lattice.size) {
            tracing::debug!(size = lattice.size, score, "quadrilateral");
            all.push(Candidate { lattice, score });
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
        // a right lattice has 0.5 and more for each point already here
        let points = f64::from(lattice.size) * f64::from(lattice.size);
        if !known && c.score > 0.15 * points {
            kept.push(Candidate { lattice, score: c.score });
        }
    }
    kept
}
