//! Stones that lie where no point is: beside the grid, between points, or so far off their point that the point reads empty.
//!
//! Something new on the settled board that is calm, as large as a stone and no hand is looked at once more through lattices that
//! are shifted by half a pitch, so that it comes to lie on a crossing; what the network then calls a stone is one. Its place is
//! the middle of what is new, less the parallax that ordinary stones of this board show.

mod piece;

use opencv::core::{Mat, Rect};
use piece::{alone, apart, board_color, centre, in_full_view, joined, looks_like, middle};

use super::blocks::{self, Blocks, Part, difference};
use crate::rules::Color;
use crate::vision::error::Result;
use crate::vision::lattice::Lattice;
use crate::vision::reader::{READ_HEIGHT, READ_MARGIN, READ_PITCH_PX, Reader};
use crate::vision::rectify::Rectifier;
use crate::vision::sighting::{LooseStone, PointReading};

/// Farther than this from the nearest crossing a stone is on no point.
const ON_POINT: f32 = 0.5;
/// Probability from which the network's "stone" counts.
const LEAST_STONE: f32 = 0.6;
const LEAST_STONE_BESIDE: f32 = 0.75;
/// Square pitches of a single stone, seen with its height.
const STONE_AREA: std::ops::RangeInclusive<f32> = 0.35..=1.7;
/// A part smaller than this is not the whole of a stone.
const WHOLE_AREA: f32 = 0.55;
const WHOLE_AREA_OUTSIDE: f32 = 0.8;
/// No part of a stone is seen farther from its middle, pitches.
const STONE_REACH: f32 = 0.65;
/// So far outside the last line a stone lies beside the lines, pitches.
const OUTSIDE: f32 = 0.2;
/// A new stone is looked at through the other lattices as well where it is not surer than this, ...
const SURE_STONE: f32 = 0.9;
/// ... or, on the last line and so far out, than this.
const SURE_AT_THE_EDGE: f32 = 0.97;
const OUTWARD: f32 = 0.1;
/// On the crossing of another lattice it is when it is read no farther off that.
const ON_OTHER: f32 = 0.3;
/// ... and its place is clearly better known there.
const CLEARLY: f32 = 0.15;
/// Two stones cannot lie nearer to each other than this, pitches; nearer still they are one.
const NO_ROOM: f32 = 0.75;
const ONE_STONE_SEEN_TWICE: f32 = 0.35;
/// What is seen through the lattices so far apart is one stone.
const ONE_STONE: f32 = 0.8;
/// Square pitches of a stone whose outline tells its place.
const OUTLINE_AREA: std::ops::RangeInclusive<f32> = 0.5..=1.3;
/// What remains of the network's doubt about a stone whose outline and colour are right.
const OUTLINE_DOUBT: f32 = 0.3;
/// Up to this distance from the crossing a stone is on its point, pitches.
const TRUSTED_OFFSET: f32 = 0.3;
/// So much of the way to where the other lattice sees it the own one must see too.
const SAME_SIDE: f32 = 0.2;
/// So much of the outline's offset the network must see too, far from a crossing as it is.
const LEAST_AGREED: f32 = 0.4;
/// Something refused is not looked at again for this long: a hand that withdraws may have spoilt the look.
const REFUSED_MS: u64 = 250;
/// With a hand in view nothing is looked at more often than this.
const LOOK_BESIDE_HAND_MS: u64 = 600;
/// Something found once is forgotten when it is not found again.
const PROPOSED_MS: u64 = 2000;
/// Height of the middle of a stone's outline over the board, pitches: at first, and of how many stones that counts as the mean.
const FIRST_HEIGHT: (f32, f32) = (0.18, 4.0);
/// New stones that the height is averaged over.
const HEIGHT_STONES: f32 = 24.0;
/// The shift of the lattice whose warp, with this margin, shows all lattices that are looked through.
const WIDE: f64 = -1.5;
const WIDE_MARGIN: f64 = READ_MARGIN + 0.5;
/// A new stray is found twice, this far apart, before it counts.
const CONFIRM_MS: u64 = 80;

/// So many new stones of one colour, all as far off their points to within so much, are none.
const ROWS_FROM: usize = 5;
const SAME_OFFSET_PITCHES: f32 = 0.06;

/// One stone off the lattice.
struct Stray {
    stone: LooseStone,
    /// The point that it belongs to, if it is near enough to one.
    point: Option<usize>,
    /// Blocks that it covers: which, with it, and without it.
    seen: Vec<(usize, [u8; 3], [u8; 3])>,
}

/// What lies on the board, as far as it is no stray.
pub(super) struct Scenery<'a> {
    pub image: &'a Mat,
    pub lattice: &'a Lattice,
    pub image_size: [i32; 2],
    pub now: &'a Blocks,
    pub settled: &'a Blocks,
    pub valid: &'a [bool],
    /// New, calm, and under no hand.
    pub fresh: &'a [bool],
    /// Blocks that can be judged in this frame.
    pub open: &'a [bool],
    /// Readings of the points that can be read; hidden otherwise.
    pub readings: &'a [PointReading],
    /// Points that held a stone when the board was settled.
    pub stone_before: &'a [bool],
    /// Points that can be read in this frame.
    pub readable: &'a [bool],
    /// A hand is in view.
    pub hand: bool,
    pub time_ms: u64,
}

/// The stones off the lattice of one board.
pub(super) struct Loose {
    strays: Vec<Stray>,
    refused: Vec<([f32; 2], u64)>,
    looked_ms: Option<u64>,
    /// The warp that shows all shifted lattices; made anew when the lattice moves.
    shifted: Option<Rectifier>,
    /// Found once, when.
    proposed: Vec<(LooseStone, u64)>,
    /// Height of the middle of a stone's outline, pitches, and of how many stones this is the mean.
    height: f32,
    height_of: f32,
    learned: Vec<(usize, u64)>,
    camera: [f32; 3],
    /// Points whose stone need not be looked at through the other lattices (any more).
    examined: Vec<bool>,
}

#[derive(Clone, Copy)]
struct Shift {
    row: f64,
    col: f64,
    size: u8,
}

impl Shift {
    /// Where it lies, with its margin, in the warp that shows all of them.
    fn window(self) -> Rect {
        let px = |pitches: f64| (pitches * READ_PITCH_PX).round() as i32;
        let at = |shift: f64| px(shift - READ_MARGIN - (WIDE - WIDE_MARGIN));
        let side = px(f64::from(self.size) - 1.0 + 2.0 * READ_MARGIN);
        Rect::new(at(self.col), at(self.row), side, side)
    }

    /// The point of the shifted lattice that is nearest to a place on the board.
    fn cell(self, row: f32, col: f32) -> usize {
        let last = f64::from(self.size) - 1.0;
        let index = |at: f32, shift: f64| (f64::from(at) - shift).round().clamp(0.0, last) as usize;
        index(row, self.row) * self.size as usize + index(col, self.col)
    }
}

/// A stone as the network sees it through one of the lattices.
#[derive(Clone, Copy)]
struct Hit {
    at: [f32; 2],
    color: Color,
    probability: f32,
    /// How far from a crossing of its lattice: the nearer, the better its place is known.
    off: f32,
    /// Seen through the board's own lattice.
    own: bool,
}

impl Hit {
    fn trust(&self) -> f32 {
        self.probability - self.off
    }
}

impl Loose {
    pub(super) fn new(lattice: &Lattice) -> Loose {
        Loose {
            strays: Vec::new(),
            refused: Vec::new(),
            looked_ms: None,
            shifted: None,
            proposed: Vec::new(),
            height: FIRST_HEIGHT.0,
            height_of: FIRST_HEIGHT.1,
            learned: Vec::new(),
            camera: lattice.camera().map(|v| v as f32),
            examined: Vec::new(),
        }
    }

    /// The lattice is another: the warps must be made anew.
    pub(super) fn moved(&mut self, lattice: &Lattice) {
        self.shifted = None;
        self.camera = lattice.camera().map(|v| v as f32);
    }

    /// How far from its foot at `[row, col]` the middle of something one pitch high is seen: away from the camera.
    fn lean(&self, at: [f32; 2]) -> [f32; 2] {
        let [row, col, height] = self.camera;
        [((at[0] - row) / height).clamp(-3.0, 3.0), ((at[1] - col) / height).clamp(-3.0, 3.0)]
    }

    /// Where a stone at `foot` is seen.
    fn seen(&self, foot: [f32; 2]) -> [f32; 2] {
        let lean = self.lean(foot);
        [foot[0] + self.height * lean[0], foot[1] + self.height * lean[1]]
    }

    /// Where a stone stands that is seen at `seen`.
    fn foot(&self, seen: [f32; 2]) -> [f32; 2] {
        let lean = self.lean(seen);
        [seen[0] - self.height * lean[0], seen[1] - self.height * lean[1]]
    }

    /// All strays on no point, in a fixed order.
    pub(super) fn stones(&self) -> Vec<LooseStone> {
        let mut stones: Vec<LooseStone> = self.strays.iter().filter(|s| s.point.is_none()).map(|s| s.stone).collect();
        stones.sort_by(|a, b| a.row.total_cmp(&b.row).then(a.col.total_cmp(&b.col)));
        stones
    }

    /// Corrects the readings of points that a stray lies on or beside.
    pub(super) fn correct(&self, readings: &mut [PointReading], size: usize) {
        for stray in &self.strays {
            let s = &stray.stone;
            if let Some(i) = stray.point {
                let reading = &mut readings[i];
                if reading.hidden > 0.5 {
                    continue;
                }
                let p = s.confidence.max(reading.of(Some(s.color)));
                let (black, white) = if s.color == Color::Black { (p, 0.0) } else { (0.0, p) };
                let offset = [s.col - (i % size) as f32, s.row - (i / size) as f32];
                *reading = PointReading { empty: 1.0 - p, black, white, hidden: 0.0, offset };
                continue;
            }
            for (i, reading) in readings.iter_mut().enumerate() {
                // A stone there would lie on top of this one: it is this one that was read.
                let d = apart([s.row, s.col], [(i / size) as f32, (i % size) as f32]);
                if d < 0.8 && reading.of(Some(s.color)) > 0.3 {
                    *reading = PointReading::HIDDEN;
                }
            }
        }
    }

    /// Looks for new strays and checks the known ones.
    pub(super) fn look(&mut self, scene: &Scenery, reader: &mut Reader) -> Result<()> {
        let age = |t: u64| scene.time_ms.saturating_sub(t);
        self.refused.retain(|(_, t)| age(*t) < REFUSED_MS);
        self.proposed.retain(|(_, t)| age(*t) < PROPOSED_MS);
        self.learned.retain(|(_, t)| age(*t) < PROPOSED_MS);
        self.second_look(scene, reader)?;
        // the usual case
        if self.strays.is_empty() && !scene.fresh.contains(&true) {
            return Ok(());
        }
        self.off_point(scene);
        self.strays.retain(|s| s.point.is_none() || !s.doubted(scene));
        let doubted: Vec<usize> = (0..self.strays.len()).filter(|k| self.strays[*k].doubted(scene)).collect();
        let unexplained = self.unexplained(scene, true);
        let parts: Vec<Part> = joined(blocks::parts(&unexplained, scene.valid, scene.now.side), scene)
            .into_iter()
            .filter(|p| p.area() >= *STONE_AREA.start())
            // a fingertip or half a stone that a hand uncovers is measured where it is not
            .filter(|p| !scene.hand || in_full_view(p, scene))
            // most often a stone on its point, beside which something still moves: once that can be read, there is nothing to look for
            .filter(|p| self.may_be_read(p, scene))
            .filter(|p| {
                let c = middle(p, scene);
                !self.refused.iter().any(|(r, _)| apart(*r, c) < 0.25)
            })
            .collect();
        if doubted.is_empty() && parts.is_empty() {
            return Ok(());
        }
        if scene.hand && self.looked_ms.is_some_and(|t| age(t) < LOOK_BESIDE_HAND_MS) {
            return Ok(());
        }
        self.looked_ms = Some(scene.time_ms);
        let suspects: Vec<usize> = parts
            .iter()
            .flat_map(|p| p.blocks.iter().copied())
            .chain(doubted.iter().flat_map(|k| self.strays[*k].seen.iter().map(|(b, ..)| *b)))
            .collect();
        let hits = self.hits(&suspects, scene, reader)?;
        for k in doubted.into_iter().rev() {
            let stray = &self.strays[k];
            let place = [stray.stone.row, stray.stone.col];
            let there = hits.iter().find(|h| h.color == stray.stone.color && apart(h.at, place) < 0.45);
            // between the lines bare wood can pass for a stone: what looks as it did without the stone is without it
            match there.filter(|_| !stray.gone(scene)) {
                Some(hit) => {
                    let stray = &mut self.strays[k];
                    stray.stone.confidence = hit.probability;
                    stray.seen.iter_mut().for_each(|(b, with, _)| *with = scene.now.bgr[*b]);
                }
                None => {
                    self.strays.remove(k);
                }
            }
        }
        let board = board_color(scene);
        let mut found: Vec<LooseStone> = Vec::new();
        for part in parts {
            let of_part = if STONE_AREA.contains(&part.area()) {
                self.single(&part, &hits, scene, board).into_iter().collect()
            } else {
                self.heap(&part, &hits, scene, board)
            };
            if of_part.is_empty() {
                self.refused.push((middle(&part, scene), scene.time_ms));
            }
            found.extend(of_part);
        }
        for k in 0..found.len() {
            if is_in_rows(&found, k) {
                self.refused.push(([found[k].row, found[k].col], scene.time_ms));
            } else {
                self.add(found[k], scene);
            }
        }
        Ok(())
    }

    /// The point nearest to where it stands, if there is one, can be read.
    fn may_be_read(&self, part: &Part, scene: &Scenery) -> bool {
        let n = scene.lattice.size as usize;
        let foot = self.foot(middle(part, scene)).map(f32::round);
        let on_grid = foot.iter().all(|at| (0.0..n as f32).contains(at));
        !on_grid || scene.readable[foot[0] as usize * n + foot[1] as usize]
    }

    /// Far from its point a new stone can be read uncertainly, and nearer to it than it is. On a crossing of a lattice that is
    /// shifted by half a pitch it is read well.
    fn second_look(&mut self, scene: &Scenery, reader: &mut Reader) -> Result<()> {
        let n = scene.lattice.size as usize;
        let stone = |r: &PointReading| r.black.max(r.white) >= LEAST_STONE;
        if self.examined.len() != n * n {
            // what lay there from the first is as it is
            self.examined = scene.readings.iter().map(stone).collect();
            return Ok(());
        }
        let last = n as f32 - 1.0;
        let mut doubtful = Vec::new();
        for (i, r) in scene.readings.iter().enumerate() {
            if r.empty > 0.6 {
                self.examined[i] = false;
            }
            if self.examined[i] || !stone(r) || scene.stone_before[i] {
                continue;
            }
            let [right, down] = r.offset;
            let (row, col) = ((i / n) as f32 + down, (i % n) as f32 + right);
            let outward = (-row).max(-col).max(row - last).max(col - last);
            let open = blocks::around(i / n, i % n, 4, scene.now.side).all(|b| scene.open[b] || !scene.valid[b]);
            let least = if outward > OUTWARD { SURE_AT_THE_EDGE } else { SURE_STONE };
            let ordinary = r.black.max(r.white) >= least;
            let known = |s: &Stray| apart([s.stone.row, s.stone.col], [row, col]) < ONE_STONE;
            if !ordinary && open && !self.strays.iter().any(known) {
                doubtful.push((i, [row, col]));
            }
        }
        let waits = scene.hand && self.looked_ms.is_some_and(|t| scene.time_ms.saturating_sub(t) < LOOK_BESIDE_HAND_MS);
        if doubtful.is_empty() || waits {
            return Ok(());
        }
        let near = |at: [f32; 2], b: usize| apart(centre(b, scene.now.side), at) < 0.6;
        let suspects: Vec<usize> = (0..scene.now.bgr.len())
            .filter(|b| scene.valid[*b] && doubtful.iter().any(|(_, at)| near(*at, *b)))
            .collect();
        let hits = self.hits(&suspects, scene, reader)?;
        for (i, at) in doubtful {
            let r = &scene.readings[i];
            let color = if r.black > r.white { Color::Black } else { Color::White };
            let best = hits
                .iter()
                .filter(|h| h.color == color && apart(h.at, at) < ONE_STONE)
                .max_by(|a, b| a.trust().total_cmp(&b.trust()));
            let own = hits.iter().filter(|h| h.own && h.color == color && apart(h.at, at) < ONE_STONE);
            let own = own.map(Hit::trust).fold(0.0, f32::max);
            // the board's own lattice draws it towards the point, but sees on which side it lies
            let [right, down] = r.offset;
            let (dy, dx) = best.map_or((0.0, 0.0), |h| (h.at[0] - (i / n) as f32, h.at[1] - (i % n) as f32));
            let seen_there = down * dy + right * dx > SAME_SIDE * (dy * dy + dx * dx);
            match best.filter(|h| !h.own && h.off < ON_OTHER && h.trust() > own + CLEARLY && seen_there) {
                Some(h) if apart(h.at, [(i / n) as f32, (i % n) as f32]) > TRUSTED_OFFSET => {
                    self.add(LooseStone { row: h.at[0], col: h.at[1], color, confidence: h.probability }, scene);
                }
                _ => self.examined[i] = true,
            }
        }
        Ok(())
    }

    /// New stones that stand alone are measured by their outline: the network knows that they are stones, but far from a
    /// crossing it draws their place towards it.
    fn off_point(&mut self, scene: &Scenery) {
        let n = scene.lattice.size as usize;
        let fresh = self.unexplained(scene, false);
        if !fresh.contains(&true) {
            return;
        }
        let board = board_color(scene);
        for part in blocks::parts(&fresh, scene.valid, scene.now.side) {
            let seen = middle(&part, scene);
            if !OUTLINE_AREA.contains(&part.area()) || !alone(&part, seen, scene) {
                continue;
            }
            let foot = self.foot(seen);
            let (row, col) = (foot[0].round(), foot[1].round());
            if !(0.0..n as f32).contains(&row) || !(0.0..n as f32).contains(&col) {
                continue;
            }
            let i = row as usize * n + col as usize;
            let reading = &scene.readings[i];
            let color = if reading.black > reading.white { Color::Black } else { Color::White };
            let p = reading.of(Some(color));
            let off = apart(foot, [row, col]);
            if p < LEAST_STONE || scene.stone_before[i] {
                continue;
            }
            if off > TRUSTED_OFFSET {
                // a shadow beside it moves the outline, not what the network sees
                let [down, right] = [(foot[0] - row) / off, (foot[1] - col) / off];
                let agreed = right * reading.offset[0] + down * reading.offset[1];
                if agreed > LEAST_AGREED * off && looks_like(color, &part, scene, board) {
                    // its outline and colour speak for a stone, beside what the network says
                    let confidence = 1.0 - OUTLINE_DOUBT * (1.0 - p);
                    self.add(LooseStone { row: foot[0], col: foot[1], color, confidence }, scene);
                }
            } else if p > 0.9 && !self.learned.iter().any(|(k, _)| *k == i) {
                self.learned.push((i, scene.time_ms));
                self.learn(seen, [row + reading.offset[1], col + reading.offset[0]]);
            }
        }
    }

    /// Fresh blocks that no stone on a point explains: none that was lifted and, with `put`, none that was put.
    fn unexplained(&self, scene: &Scenery, put: bool) -> Vec<bool> {
        let n = scene.lattice.size as usize;
        let mut left = scene.fresh.to_vec();
        for (i, reading) in scene.readings.iter().enumerate() {
            let stone = reading.black + reading.white > 0.6;
            let lifted = scene.stone_before[i] && reading.empty > 0.6;
            let explained = lifted || (stone && put);
            if !explained {
                continue;
            }
            let [right, down] = if stone { reading.offset } else { [0.0; 2] };
            let at = self.seen([(i / n) as f32 + down, (i % n) as f32 + right]);
            for b in blocks::around(i / n, i % n, 6, scene.now.side) {
                if left[b] && apart(centre(b, scene.now.side), at) < 0.8 {
                    left[b] = false;
                }
            }
        }
        for stray in &self.strays {
            stray.seen.iter().for_each(|(b, ..)| left[*b] = false);
        }
        left
    }

    /// An ordinary new stone teaches how far from its foot a stone is seen.
    fn learn(&mut self, seen: [f32; 2], foot: [f32; 2]) {
        let lean = self.lean(foot);
        let length2 = lean[0] * lean[0] + lean[1] * lean[1];
        // seen from above nothing leans, and nothing can be learned
        if length2 < 0.06 {
            return;
        }
        let along = (seen[0] - foot[0]) * lean[0] + (seen[1] - foot[1]) * lean[1];
        let height = (along / length2).clamp(0.0, 0.6);
        self.height_of = (self.height_of + 1.0).min(HEIGHT_STONES);
        self.height += (height - self.height) / self.height_of;
    }

    /// What looks like a stone through the lattices shifted by half a pitch: anywhere, or with a hand in view, which makes many
    /// such looks, only about the `suspects` (blocks).
    fn hits(&mut self, suspects: &[usize], scene: &Scenery, reader: &mut Reader) -> Result<Vec<Hit>> {
        let n = scene.lattice.size;
        let rectifier = match self.shifted.take() {
            Some(rectifier) => rectifier,
            None => {
                let Some(wide) = scene.lattice.reindexed(WIDE, WIDE, n + 3) else { return Ok(Vec::new()) };
                Rectifier::new(&wide.raised(READ_HEIGHT), scene.image_size, READ_PITCH_PX, WIDE_MARGIN)?
            }
        };
        let mut hits = Vec::new();
        let shifts = [(-1.0, -1.0, n + 2), (-1.5, -1.0, n + 3), (-1.0, -1.5, n + 3), (-1.5, -1.5, n + 3)];
        for shift in shifts.map(|(row, col, size)| Shift { row, col, size }) {
            let warp = rectifier.window(shift.window());
            let cells: Vec<usize> = if scene.hand {
                let at = suspects.iter().map(|b| centre(*b, scene.now.side));
                at.map(|[row, col]| shift.cell(row, col)).collect()
            } else {
                (0..shift.size as usize * shift.size as usize).collect()
            };
            for (i, r) in reader.read_points(scene.image, warp, shift.size, &cells)? {
                let probability = r.black.max(r.white);
                if probability < LEAST_STONE {
                    continue;
                }
                let size = shift.size as usize;
                let at = [
                    (i / size) as f32 + shift.row as f32 + r.offset[1],
                    (i % size) as f32 + shift.col as f32 + r.offset[0],
                ];
                let color = if r.black > r.white { Color::Black } else { Color::White };
                let off = r.offset[0].hypot(r.offset[1]);
                let own = (shift.row, shift.col) == (-1.0, -1.0);
                hits.push(Hit { at, color, probability, off, own });
            }
        }
        self.shifted = Some(rectifier);
        hits.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        Ok(hits)
    }

    fn single(&self, part: &Part, hits: &[Hit], scene: &Scenery, board: Option<[u8; 3]>) -> Option<LooseStone> {
        let seen = middle(part, scene);
        let at = self.foot(seen);
        let hit = hits
            .iter()
            .filter(|h| apart(h.at, at) < 0.5 && looks_like(h.color, part, scene, board))
            .max_by(|a, b| (a.trust() - apart(a.at, at)).total_cmp(&(b.trust() - apart(b.at, at))))?;
        // Beside the lines part of a stone can vanish against the table: then the network knows its place better.
        let last = f32::from(scene.lattice.size) - 1.0;
        let outside = |[y, x]: [f32; 2]| y < -OUTSIDE || x < -OUTSIDE || y > last + OUTSIDE || x > last + OUTSIDE;
        let whole = if outside(hit.at) { WHOLE_AREA_OUTSIDE } else { WHOLE_AREA };
        // An outline that takes in a shadow lies where the network sees nothing.
        let own =
            hits.iter().find(|h| h.own && h.color == hit.color && h.probability > SURE_STONE && apart(h.at, at) < 0.6);
        let shaded = own.filter(|h| {
            let on = h.at.map(f32::round);
            let off = apart(at, on);
            let agreed = (at[0] - on[0]) * (h.at[0] - on[0]) + (at[1] - on[1]) * (h.at[1] - on[1]);
            off > TRUSTED_OFFSET && agreed < LEAST_AGREED * off * off
        });
        let [row, col] = match shaded {
            Some(own) => own.at,
            None if part.area() < whole => hit.at,
            None => at,
        };
        let last = last + 0.5;
        // beside the board there are other dark and bright things
        let beside = row < -0.5 || col < -0.5 || row > last || col > last;
        if beside && hit.probability < LEAST_STONE_BESIDE {
            return None;
        }
        Some(LooseStone { row, col, color: hit.color, confidence: hit.probability })
    }

    /// Several stones that touch: their places are those that the network gives.
    fn heap(&self, part: &Part, hits: &[Hit], scene: &Scenery, board: Option<[u8; 3]>) -> Vec<LooseStone> {
        let mut found: Vec<LooseStone> = Vec::new();
        for hit in hits.iter().filter(|h| h.probability > 0.8) {
            let seen = self.seen(hit.at);
            let own: Vec<usize> =
                part.blocks.iter().copied().filter(|b| apart(centre(*b, scene.now.side), seen) < 0.4).collect();
            if own.len() < 5 || found.iter().any(|f| apart([f.row, f.col], hit.at) < 0.75) {
                continue;
            }
            let own = Part { blocks: own, from_outside: false };
            if looks_like(hit.color, &own, scene, board) {
                let [row, col] = hit.at;
                found.push(LooseStone { row, col, color: hit.color, confidence: hit.probability });
            }
        }
        found
    }

    fn add(&mut self, stone: LooseStone, scene: &Scenery) {
        let n = scene.lattice.size as f32;
        let (row, col) = (stone.row.round(), stone.col.round());
        let on_board = (0.0..n).contains(&row) && (0.0..n).contains(&col);
        let near = apart([row, col], [stone.row, stone.col]) <= ON_POINT;
        let point = (on_board && near).then_some((row * n + col) as usize);
        let known = |s: &LooseStone| s.color == stone.color && apart([s.row, s.col], [stone.row, stone.col]) < 0.2;
        // where a stone lies there is no room for another so near: it is that one, seen from the side
        let n = scene.lattice.size as usize;
        let in_the_way = scene.readings.iter().enumerate().any(|(i, r)| {
            let at = [(i / n) as f32 + r.offset[1], (i % n) as f32 + r.offset[0]];
            let d = apart(at, [stone.row, stone.col]);
            r.of(Some(stone.color)) >= SURE_STONE
                && scene.stone_before[i]
                && (ONE_STONE_SEEN_TWICE..NO_ROOM).contains(&d)
        });
        if in_the_way {
            return;
        }
        match self.proposed.iter().find(|(s, _)| known(s)) {
            Some((_, since)) if scene.time_ms.saturating_sub(*since) >= CONFIRM_MS => {
                self.proposed.retain(|(s, _)| !known(s));
                let seen = self.covered(scene, [stone.row, stone.col]);
                self.strays.push(Stray { stone, point, seen });
            }
            Some(_) => {}
            None => self.proposed.push((stone, scene.time_ms)),
        }
    }

    fn covered(&self, scene: &Scenery, at: [f32; 2]) -> Vec<(usize, [u8; 3], [u8; 3])> {
        let seen = self.seen(at);
        (0..scene.now.bgr.len())
            .filter(|b| scene.valid[*b] && apart(centre(*b, scene.now.side), seen) < 0.5)
            .map(|b| (b, scene.now.bgr[b], scene.settled.bgr[b]))
            .collect()
    }
}

/// Stones that were swept between the points do not lie in rows. Where many seem to, all as far off their points, it is the bare wood
/// between the lines in another light that passes for stones.
fn is_in_rows(found: &[LooseStone], k: usize) -> bool {
    let off = |s: &LooseStone| [s.row - s.row.floor(), s.col - s.col.floor()];
    let round = |d: f32| d.abs().min(1.0 - d.abs());
    let own = off(&found[k]);
    let alike = |s: &&LooseStone| {
        s.color == found[k].color && off(s).iter().zip(own).all(|(a, b)| round(a - b) < SAME_OFFSET_PITCHES)
    };
    found.iter().filter(alike).count() >= ROWS_FROM
}

impl Stray {
    /// Most of its blocks look more like the board before it came than like it.
    fn gone(&self, scene: &Scenery) -> bool {
        let off = |b: usize, like: [u8; 3]| difference(scene.now.bgr[b], like, [1.0; 3]);
        let bare = self.seen.iter().filter(|(b, with, without)| off(*b, *without) < off(*b, *with)).count();
        bare * 2 > self.seen.len()
    }

    /// It can be seen, and looks otherwise than before.
    fn doubted(&self, scene: &Scenery) -> bool {
        if self.seen.iter().any(|(b, ..)| !scene.open[*b]) {
            return false;
        }
        let other = self.seen.iter().filter(|(b, was, _)| difference(scene.now.bgr[*b], *was, [1.0; 3]) > 22.0).count();
        other * 3 > self.seen.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_wood_between_the_lines_in_another_light_is_no_heap_of_stones() {
        let at = |row: f32, col: f32| LooseStone { row, col, color: Color::White, confidence: 0.95 };
        let wood: Vec<LooseStone> =
            [(12.53, 8.53), (12.53, 6.52), (13.54, 9.51), (14.55, 11.52), (13.5, 7.54)].map(|(r, c)| at(r, c)).to_vec();
        assert!((0..wood.len()).all(|k| is_in_rows(&wood, k)));
        let mut swept: Vec<LooseStone> =
            [(12.53, 8.53), (12.4, 6.3), (13.6, 9.45), (14.75, 11.52), (13.5, 7.2)].map(|(r, c)| at(r, c)).to_vec();
        assert!((0..swept.len()).all(|k| !is_in_rows(&swept, k)));
        // one of them among the wood is kept
        swept.truncate(1);
        swept[0].row = 3.2;
        swept.extend(wood);
        assert!(!is_in_rows(&swept, 0) && is_in_rows(&swept, 1));
    }
}
