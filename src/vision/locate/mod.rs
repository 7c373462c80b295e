//! Finds a board from nothing: heat maps, lattice hypotheses, and a score over everything that a hypothesis predicts.
//!
//! 1. The network marks crossings (empty or under a stone), the board's area and its corners, on the whole photo.
//! 2. Hypotheses: lattices grown from neighbouring crossings; quadrilaterals of corners; the outline of the area.
//! 3. Each is scored at every size and position by what it predicts: crossings inside, none one line outside, the area's
//!    border between, corners at the corners. A lattice that is off by one line loses a whole line.
//! 4. The best are seen from straight above and measured again there, with the lens, until nothing moves.

mod evidence;
mod grow;
mod hypotheses;
mod likeness;
mod outline;

use opencv::core::{Mat, Rect, Size};
use opencv::prelude::*;

pub use evidence::Support;
use evidence::{Evidence, View};
use hypotheses::{Candidate, hypotheses};
use likeness::Plan;

use super::error::{Result, VisionError};
use super::heat::Heat;
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
/// A clear board is measured as well at half the pixels.
const GLANCE_PITCH_PX: f64 = 16.0;
/// A likeness from this on needs no closer look.
const SURELY_LIKE: f64 = 0.9;
/// The same for a plane whose board is still to be found.
const PLANE_PITCH_PX: f64 = 20.0;
const PLANE_MARGIN: f64 = 3.0;
/// Long side of the look at a part of a photo, pixels.
const PART_LONG_SIDE: f64 = 576.0;
/// How often the network looks at one photo at most; a clear board takes two.
const MOST_LOOKS: usize = 36;

/// What is known beforehand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocateOptions {
    /// 9, 13 or 19; otherwise all are tried.
    pub size: Option<u8>,
}

/// Holds the network; one for each thread.
pub struct Locator {
    net: LocateNet,
    /// How often the network has looked at the present photo.
    looks: usize,
}

/// A lattice with the probability that the grid on it is a Go board's.
struct Measured {
    /// Its confidence is that of the geometry alone.
    lattice: Lattice,
    likeness: f64,
}

impl Measured {
    fn worth(&self) -> f64 {
        self.lattice.confidence * self.likeness
    }
}

/// What has been found so far.
struct Search {
    sizes: Vec<u8>,
    image_size: [i32; 2],
    best: Option<Measured>,
    /// Lattices that were measured: what leads to one of them again is not worth a second look.
    tried: Vec<Lattice>,
}

impl Search {
    fn found(&self) -> bool {
        self.best.as_ref().is_some_and(|b| b.lattice.confidence >= ENOUGH && b.likeness >= LEAST_CONFIDENCE)
    }

    fn knows(&self, lattice: &Lattice) -> bool {
        self.tried.iter().any(|t| t.size == lattice.size && movement(t, lattice) < 0.25)
    }
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
        Ok(Locator { net: models.locate()?, looks: 0 })
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
        let mut search = Search { sizes, image_size: [image.cols(), image.rows()], best: None, tried: Vec::new() };
        self.looks = 0;
        self.search(image, &mut search)?;
        tracing::debug!(looks = self.looks, found = search.found(), "looked");
        let best = search.best.map(|mut b| {
            b.lattice.confidence = b.lattice.confidence.min(b.likeness);
            b.lattice
        });
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

    /// Looks ever harder until something is sure enough.
    fn search(&mut self, image: &Mat, search: &mut Search) -> Result<()> {
        let whole = Rect::new(0, 0, image.cols(), image.rows());
        let long = f64::from(whole.width.max(whole.height));
        let (heat, view) = self.look(image, &Look { rect: whole, long_side: 512.0 })?;
        let first = hypotheses(&heat, &view, search.image_size, &search.sizes);
        // the likeliest at a glance: when it is clear, nothing else is looked at
        if let Some(likeliest) = first.candidates.first()
            && let Some(measured) = self.measure(image, &likeliest.lattice, GLANCE_PITCH_PX)?
            && measured.lattice.confidence >= ENOUGH
            && measured.likeness >= SURELY_LIKE
        {
            search.best = Some(measured);
            tracing::debug!(looks = self.looks, "at a glance");
            return Ok(());
        }
        if self.follow(image, first.candidates, search)? {
            return Ok(());
        }
        // a slanted board has crossings too close on its far side: seen from straight above they are as far apart as on the near one
        if self.follow_planes(image, first.planes, search)? {
            return Ok(());
        }
        let mut looks = vec![Look { rect: whole, long_side: 272.0 }];
        // the board's area alone, when it is much smaller than the photo
        if let Some(rect) = outline::area(&heat, &view, whole)
            && f64::from(rect.width.max(rect.height)) < 0.8 * long
        {
            looks.push(Look { rect, long_side: 512.0 });
        }
        looks.extend([Look { rect: whole, long_side: 800.0 }, Look { rect: whole, long_side: 400.0 }]);
        let mut parts = Vec::new();
        for look in looks {
            // enlarging shows nothing new
            if look.long_side > 1.5 * f64::from(look.rect.width.max(look.rect.height)) {
                continue;
            }
            if self.looks >= MOST_LOOKS {
                break;
            }
            let (heat, view) = self.look(image, &look)?;
            let next = hypotheses(&heat, &view, search.image_size, &search.sizes);
            if self.follow(image, next.candidates, search)? {
                return Ok(());
            }
            if look.long_side > 500.0 && self.follow_planes(image, next.planes, search)? {
                return Ok(());
            }
            if look.long_side > 700.0 {
                parts = outline::promising_parts(&heat, &view, whole);
            }
        }
        // a board that is small in a large photo: the places where there is most of one, seen from near
        for rect in parts {
            if self.looks >= MOST_LOOKS {
                break;
            }
            let (heat, view) = self.look(image, &Look { rect, long_side: PART_LONG_SIDE })?;
            let next = hypotheses(&heat, &view, search.image_size, &search.sizes);
            if self.follow(image, next.candidates, search)? || self.follow_planes(image, next.planes, search)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Measures candidates; true as soon as one is sure enough.
    fn follow(&mut self, image: &Mat, candidates: Vec<Candidate>, search: &mut Search) -> Result<bool> {
        for candidate in candidates {
            if search.knows(&candidate.lattice) || self.looks >= MOST_LOOKS {
                continue;
            }
            let Some(mut measured) = self.measure(image, &candidate.lattice, CLOSE_PITCH_PX)? else { continue };
            search.tried.push(measured.lattice.upright());
            // a size that was asked for is a promise that there is a board
            if search.sizes.len() == 1 {
                measured.likeness = 1.0;
            }
            if search.best.as_ref().is_none_or(|b| measured.worth() > b.worth()) {
                search.best = Some(measured);
            }
            if search.found() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Looks at planes from straight above and follows what is seen there.
    fn follow_planes(&mut self, image: &Mat, planes: Vec<Lattice>, search: &mut Search) -> Result<bool> {
        for plane in planes {
            if self.looks >= MOST_LOOKS {
                break;
            }
            let pitch_px = if plane.size < 19 { CLOSE_PITCH_PX } else { PLANE_PITCH_PX };
            let (heat, view, _) = self.look_from_above(image, &plane, pitch_px, PLANE_MARGIN)?;
            let next = hypotheses(&heat, &view, search.image_size, &search.sizes);
            if self.follow(image, next.candidates, search)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn look(&mut self, image: &Mat, look: &Look) -> Result<(Heat, View)> {
        let (w, h) = (f64::from(look.rect.width), f64::from(look.rect.height));
        let scale = look.long_side / w.max(h);
        let sixteen = |v: f64| ((v * scale / 16.0).round().max(4.0) * 16.0) as i32;
        let size = Size::new(sixteen(w), sixteen(h));
        let small = resized(&Mat::roi(image, look.rect)?, size)?;
        self.looks += 1;
        let heat = self.net.heat(&small)?;
        let view = View::Photo {
            origin: [f64::from(look.rect.x), f64::from(look.rect.y)],
            factor: [f64::from(size.width) / w, f64::from(size.height) / h],
        };
        Ok((heat, view))
    }

    fn look_closer(&mut self, image: &Mat, lattice: &Lattice) -> Result<(Heat, View, Mat)> {
        self.look_from_above(image, lattice, CLOSE_PITCH_PX, CLOSE_MARGIN)
    }

    fn look_from_above(
        &mut self,
        image: &Mat,
        lattice: &Lattice,
        pitch_px: f64,
        margin: f64,
    ) -> Result<(Heat, View, Mat)> {
        let pitches = f64::from(lattice.size - 1) + 2.0 * margin;
        let side = (pitch_px * pitches / 16.0).round() * 16.0;
        let pitch_px = side / pitches;
        let board = Rectifier::new(lattice, [image.cols(), image.rows()], pitch_px, margin)?.apply(image)?;
        self.looks += 1;
        let heat = self.net.heat(&board)?;
        let photo = [f64::from(image.cols()), f64::from(image.rows())];
        let view = View::Rectified { lattice: Box::new(lattice.clone()), pitch_px, margin, photo };
        Ok((heat, view, board))
    }

    /// Measures a lattice that is right to about half a pitch anew, with the lens, and says how sure it is. `None` when hardly
    /// any of its crossings are seen. Also shifts it by whole lines when that explains more. Which corner is first stays.
    ///
    /// # Errors
    /// If the picture is unusable.
    pub fn refine(&mut self, image: &Mat, lattice: &Lattice) -> Result<Option<Lattice>> {
        Ok(self.measure(image, lattice, CLOSE_PITCH_PX)?.map(|m| m.lattice))
    }

    fn measure(&mut self, image: &Mat, lattice: &Lattice, pitch_px: f64) -> Result<Option<Measured>> {
        let mut lattice = lattice.clone();
        let n = i32::from(lattice.size);
        let mut result = None;
        for round in 0..4 {
            let (heat, view, board) = self.look_from_above(image, &lattice, pitch_px, CLOSE_MARGIN)?;
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
            if moved < 0.2 || round == 3 {
                let View::Rectified { pitch_px, margin, .. } = view else { return Ok(None) };
                let plan = Plan::new(&heat, &board, lattice.size, pitch_px, margin)?;
                let features = plan.features(evidence.beyond(window.row, window.col, lattice.size));
                tracing::debug!(size = lattice.size, confidence = lattice.confidence, corners = ?lattice.corners(), ?support, residual_pitches, ?features, "measured");
                let likeness = likeness::probability(&features, lattice.confidence);
                return Ok(Some(Measured { lattice, likeness }));
            }
            result = Some(Measured { lattice: lattice.clone(), likeness: 0.0 });
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
            let (heat, view, _) = self.look_closer(image, &given)?;
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
        let (heat, view, _) = self.look_closer(image, lattice)?;
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
