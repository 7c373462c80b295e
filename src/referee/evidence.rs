//! What the readings of many frames say about each point, against what should lie there.
//!
//! Every point keeps, for each state it could be in instead of the expected one, a sum of log-likelihood ratios that never
//! falls below zero (a CUSUM test). One misread frame is forgotten within the next; a stone that stays is believed within
//! two or three frames. How much evidence is asked depends on whether anything could have happened there: a point that
//! was behind a hand may well have changed, one that lay in full view all the time hardly can have.

use std::collections::BTreeSet;

use super::diff::MOST_KEPT;
pub use super::diff::{Cell, Chance, Diff, OffsetTrack};
use super::loose::off_the_grid;
use crate::rules::{Board, Color, Point};
use crate::vision::{PointReading, Sighting};

/// One frame counts at most this much (natural logarithm): no frame is trusted beyond 97 %.
const MOST_PER_FRAME: f64 = 3.5;
/// Pictures that all doubt alike add up to so many times what one says.
const MOST_FROM_DOUBTS: f64 = 4.0;
/// Frames of one film that say alike add up to so many times what one says ...
const MOST_FROM_FRAMES: f64 = 8.0;
/// ... and to less where one says less than this (natural logarithm): what makes all of them doubt, a glare or a stain, is one cause.
const CLEARLY: f64 = 2.0;
/// Weight of the latest frame in what the frames say on average.
const LATEST: f64 = 0.25;
/// A state is thinkable where a picture calls what is expected this much likelier at most (natural logarithm), and not surer than that.
const THINKABLE: f64 = 3.0;
const SURE: f32 = 0.95;
/// ... and an earlier picture called it so much likelier than that.
const NEWLY: f64 = 1.5;
/// A doubt that is new says so much more than one that was there before: whatever makes a photo look odd was there as well.
const NEW: f64 = 1.0;
/// ... once so many pictures in a row have it.
const NEW_PICTURES: u8 = 3;
/// A picture that says this much is clear.
const CLEAR: f32 = 0.9;
/// So many of the last pictures are counted.
const PICTURES_KEPT: usize = 8;
/// From here on a difference outlasts a hand that hides it.
const BELIEVED: f64 = 6.5;
/// What is believed less is forgotten when the point has been out of view for so long.
const HALF_BELIEVED_MS: u64 = 1500;
/// A stone that was seen with so much evidence is remembered for a while if it goes.
const GHOST_EVIDENCE: f64 = 3.0;
const GHOST_MS: u64 = 4000;
/// A stone that so many frames in a row show lies there, whatever its colour.
const LYING_FRAMES: u32 = 3;
/// A difference is looked at from here on.
const EMERGING: f64 = 2.0;
/// Frames this far apart count as independent.
const INDEPENDENT_MS: f64 = 100.0;
/// After this long without a view anything can have happened at a point.
const UNSEEN_MS: u64 = 350;
/// A stretch out of view is remembered from this length on.
const STRETCH_MS: u64 = 250;
/// A stone read so far off its point may be that of the next, if they are read no farther from each other than this (pitches).
const BETWEEN_PITCHES: f32 = 0.25;
const ONE_STONE_PITCHES: f32 = 0.45;
/// There is no room for a new one read so far off towards a stone that lies there, so near to it, and not for sure.
const LEANS_PITCHES: f32 = 0.15;
const NO_ROOM_PITCHES: f32 = 0.82;
const SURE_BESIDE: f32 = 0.97;
/// A hand this recently near a point can have changed it.
const HAND_NEAR_MS: u64 = 900;

#[derive(Clone, Debug)]
struct Track {
    stat: [f64; 3],
    /// The most that `stat` has been since it last was zero.
    peak: [f64; 3],
    /// The last times that it was out of view for a while, from and to, the latest first.
    unseen: [(u64, u64); 4],
    /// What a frame says for each state on average since `stat` was zero.
    level: [f64; 3],
    first: [u64; 3],
    /// The last frame before `first` that showed what was expected.
    before: [u64; 3],
    frames: [u32; 3],
    last_old_ms: u64,
    /// Frames in a row that showed what was expected, and the last such frame before them.
    old_frames: u32,
    older_ms: u64,
    /// For the runs in `first`: what `doubted_old_ms` of the difference is.
    doubted: [Option<u64>; 3],
    last_seen_ms: Option<u64>,
    last_hidden_ms: Option<u64>,
    latest: Option<Cell>,
    reading: PointReading,
    /// In pictures, while the point should be empty: the most that one spoke against a stone of either colour.
    spoke_against: [f64; 2],
    /// A frame has shown what is expected now.
    shown: bool,
    /// In pictures: so many in a row have shown it to be less clearly empty than it was.
    new_for: [u8; 2],
    /// In pictures: as much of `stat` as one of them says without what came before it.
    plain: [f64; 3],
    run: Run,
    hidden: bool,
    /// A stone is seen there, but well off the crossing.
    astray: bool,
    offset: OffsetTrack,
}

impl Track {
    fn forget_half_believed(&mut self) {
        for k in 0..3 {
            if self.stat[k] < BELIEVED {
                self.stat[k] = 0.0;
                self.frames[k] = 0;
            }
        }
    }

    /// The point was clearly empty in an earlier picture, and is much less so now.
    fn is_new(&self, r: &PointReading, color: Color) -> bool {
        let before = self.spoke_against[if color == Color::Black { 0 } else { 1 }];
        before >= THINKABLE && before > against(r, color) + NEWLY
    }
}

/// The frames since the point last showed anything else than it shows now.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    frames: u32,
    /// Log-likelihood ratio of what it shows against the next likeliest state.
    evidence: f64,
    first_ms: u64,
    /// The last frame that showed something else.
    before_ms: u64,
    /// Frames since the point was last out of view.
    in_view: u32,
}

/// A stone that was seen for a moment on a point that is empty again: perhaps it was captured at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ghost {
    pub point: Point,
    pub color: Color,
    pub evidence: f64,
    pub first_ms: u64,
    pub last_ms: u64,
}

/// Index of a state in per-state arrays.
fn slot(c: Cell) -> usize {
    match c {
        None => 0,
        Some(Color::Black) => 1,
        Some(Color::White) => 2,
    }
}

const STATES: [Cell; 3] = [None, Some(Color::Black), Some(Color::White)];

/// Evidence about every point of one board.
#[derive(Clone, Debug)]
pub struct Evidence {
    size: u8,
    expected: Vec<Cell>,
    tracks: Vec<Track>,
    last_frame_ms: Option<u64>,
    ghosts: Vec<Ghost>,
    hand_ms: Option<u64>,
    hand_since_ms: Option<u64>,
    last_hand_left_ms: u64,
    /// The frames are pictures far apart.
    pictures: bool,
    /// When the last of them were taken, the latest first.
    taken: [Option<u64>; PICTURES_KEPT],
}

impl Evidence {
    pub fn new(size: u8, now: u64) -> Evidence {
        let n = size as usize * size as usize;
        let track = Track {
            stat: [0.0; 3],
            peak: [0.0; 3],
            unseen: [(now, now); 4],
            level: [0.0; 3],
            first: [now; 3],
            before: [now; 3],
            frames: [0; 3],
            last_old_ms: now,
            old_frames: 0,
            older_ms: now,
            doubted: [None; 3],
            last_seen_ms: None,
            last_hidden_ms: Some(now),
            latest: None,
            reading: PointReading::HIDDEN,
            spoke_against: [0.0; 2],
            shown: false,
            new_for: [0; 2],
            plain: [0.0; 3],
            run: Run::default(),
            hidden: true,
            astray: false,
            offset: OffsetTrack::default(),
        };
        Evidence {
            size,
            expected: vec![None; n],
            tracks: vec![track; n],
            last_frame_ms: None,
            ghosts: Vec::new(),
            hand_ms: None,
            hand_since_ms: None,
            last_hand_left_ms: now,
            pictures: false,
            taken: [None; PICTURES_KEPT],
        }
    }

    pub fn size(&self) -> u8 {
        self.size
    }

    fn index(&self, p: Point) -> usize {
        p.row as usize * self.size as usize + p.col as usize
    }

    fn points(&self) -> impl Iterator<Item = Point> + use<> {
        let n = self.size;
        (0..n).flat_map(move |r| (0..n).map(move |c| Point::new(r, c)))
    }

    /// Tells what should lie at every point; where that changed, the evidence starts afresh.
    pub fn expect(&mut self, cell: impl Fn(Point) -> Cell, now: u64) {
        for p in self.points() {
            let i = self.index(p);
            let want = cell(p);
            if self.expected[i] == want {
                continue;
            }
            self.expected[i] = want;
            let t = &mut self.tracks[i];
            t.stat = [0.0; 3];
            t.peak = [0.0; 3];
            t.frames = [0; 3];
            t.spoke_against = [0.0; 2];
            t.shown = t.latest == Some(want);
            t.last_old_ms = now;
            // what it has been showing all the while speaks against the new expectation at once
            if let Some(shown) = t.latest.filter(|&shown| shown != want) {
                let k = slot(shown);
                t.stat[k] = t.run.evidence.min(MOST_KEPT);
                if self.pictures {
                    let step = f64::from(t.reading.of(shown).max(1e-3) / t.reading.of(want).max(1e-3)).ln();
                    t.stat[k] = t.stat[k].min(MOST_FROM_DOUBTS * step.clamp(0.0, MOST_PER_FRAME));
                }
                t.peak[k] = t.stat[k];
                t.level[k] = f64::from(t.reading.of(shown).max(1e-3) / t.reading.of(want).max(1e-3))
                    .ln()
                    .clamp(0.0, MOST_PER_FRAME);
                t.frames[k] = t.run.frames;
                t.first[k] = t.run.first_ms;
                t.before[k] = t.run.before_ms;
                t.last_old_ms = t.run.before_ms;
                t.doubted[k] = None;
            }
            if want.is_none() {
                t.offset = OffsetTrack::default();
            }
        }
    }

    /// Nothing is known any more (source lost, camera bumped): evidence is kept, but everything may have changed.
    pub fn blind(&mut self, now: u64) {
        for t in &mut self.tracks {
            t.last_hidden_ms = Some(now);
            t.hidden = true;
        }
        self.last_frame_ms = Some(now);
    }

    /// Takes one frame in.
    pub fn see(&mut self, s: &Sighting) {
        self.take_in(s, None, false);
    }

    /// Takes in one of a series of pictures that lie far apart. What the next picture shows as well (`agreed`) counts as
    /// two looks; after the `last` none comes that could.
    pub fn see_picture(&mut self, s: &Sighting, agreed: &[bool], last: bool) {
        self.take_in(s, Some(agreed), last);
    }

    fn take_in(&mut self, s: &Sighting, agreed: Option<&[bool]>, last: bool) {
        let now = s.time_ms;
        self.pictures = agreed.is_some();
        if self.pictures {
            self.taken.rotate_right(1);
            self.taken[0] = Some(now);
        }
        let any_hand = s.hand;
        if any_hand {
            self.hand_since_ms.get_or_insert(now);
            self.hand_ms = Some(now);
            self.last_hand_left_ms = now;
        } else {
            self.hand_since_ms = None;
        }
        let frame_gap_ms = self.last_frame_ms.map_or(INDEPENDENT_MS, |l| now.saturating_sub(l) as f64);
        self.ghosts.retain(|g| now < g.last_ms + GHOST_MS);
        let size = self.size;
        let twice = self.seen_twice(s);
        for p in self.points() {
            let i = self.index(p);
            let r = if twice.contains(&p) { PointReading::HIDDEN } else { clean(s.at(p)) };
            let want = self.expected[i];
            let t = &mut self.tracks[i];
            // a stone well off the crossing says nothing about the crossing itself
            let stray = r.black + r.white > 0.5 && off_the_grid(p, r.offset, size);
            t.astray = stray;
            if r.hidden > 0.5 || stray {
                t.hidden = true;
                t.run.in_view = 0;
                t.old_frames = 0;
                if !stray {
                    t.last_hidden_ms = Some(now);
                }
                // nor does it hold anything up for as long as something stays in the way
                if t.last_seen_ms.is_some_and(|l| now > l + HALF_BELIEVED_MS) {
                    t.forget_half_believed();
                }
                continue;
            }
            let unseen_ms = t.last_seen_ms.map_or(0, |l| now.saturating_sub(l));
            if unseen_ms >= STRETCH_MS {
                t.unseen.rotate_right(1);
                t.unseen[0] = (now - unseen_ms, now);
            }
            if t.hidden {
                // what was half believed before the hand came is not carried over: anything may have happened since
                t.forget_half_believed();
            }
            t.hidden = false;
            t.reading = r;
            if agreed.is_some() && want.is_none() {
                for (most, color) in t.spoke_against.iter_mut().zip([Color::Black, Color::White]) {
                    *most = most.max(against(&r, color));
                }
            }
            let looks: u32 = if agreed.is_some_and(|a| a.get(i) == Some(&true)) { 2 } else { 1 };
            let apart = if agreed.is_some() { 2.0 } else { (frame_gap_ms / INDEPENDENT_MS).clamp(0.1, 2.0) };
            let weight = apart * f64::from(looks) * f64::from(1.0 - r.hidden);
            let latest = r.state(0.5);
            t.shown |= latest == Some(want);
            let p_old = f64::from(r.of(want)).max(1e-3);
            for state in STATES {
                let k = slot(state);
                if state == want {
                    t.stat[k] = 0.0;
                    continue;
                }
                let mut step = (f64::from(r.of(state)).max(1e-3) / p_old).ln();
                if agreed.is_some()
                    && let Some(color) = state
                {
                    let is_new = t.is_new(&r, color);
                    let count = &mut t.new_for[k - 1];
                    *count = if is_new { count.saturating_add(1) } else { 0 };
                    // a doubt that stays may be a move, but accuses nobody
                    let clear = is_new && r.of(state) >= CLEAR;
                    let enough = *count >= NEW_PICTURES || (is_new && last && looks == 2);
                    t.plain[k] = MOST_FROM_DOUBTS * (step + if clear { NEW } else { 0.0 });
                    step += if clear || enough { NEW } else { 0.0 };
                }
                let counts = step.clamp(-MOST_PER_FRAME, MOST_PER_FRAME);
                let mut next = t.stat[k] + weight * counts;
                t.level[k] = if t.stat[k] <= 0.0 { counts } else { t.level[k] + LATEST * (counts - t.level[k]) };
                if agreed.is_some() {
                    // what looks odd in one photo looks as odd in the next: a doubt does not become certain by itself
                    next = next.min((MOST_FROM_DOUBTS * step).max(t.stat[k]));
                }
                if next <= 0.0 {
                    if want.is_none()
                        && let Some(color) = state
                        && t.peak[k] >= GHOST_EVIDENCE
                        // in plain view, with no hand about, a stone seen for a moment was misread
                        && (t.first[k].saturating_sub(t.before[k]) >= UNSEEN_MS
                            || t.last_hidden_ms.is_some_and(|h| h + 150 >= t.before[k]))
                    {
                        self.ghosts.push(Ghost {
                            point: p,
                            color,
                            evidence: t.peak[k],
                            first_ms: t.first[k],
                            last_ms: now,
                        });
                    }
                    t.peak[k] = 0.0;
                    t.stat[k] = 0.0;
                    t.frames[k] = 0;
                } else {
                    if t.stat[k] <= 0.0 || t.frames[k] == 0 {
                        t.first[k] = now;
                        t.before[k] = t.last_old_ms.min(now);
                        t.doubted[k] = (t.old_frames == 1).then_some(t.older_ms);
                        t.frames[k] = 0;
                    }
                    t.stat[k] = next.min(MOST_KEPT);
                    t.peak[k] = t.peak[k].max(t.stat[k]);
                    if latest == Some(state) {
                        t.frames[k] += looks;
                    }
                }
            }
            if latest == Some(want) {
                if t.old_frames == 0 {
                    t.older_ms = t.last_old_ms;
                }
                t.old_frames = t.old_frames.saturating_add(looks);
                t.last_old_ms = now;
            } else if t.stat[slot(want)] <= 0.0 && STATES.iter().any(|s| t.frames[slot(*s)] >= 2) {
                t.old_frames = 0;
            }
            if let Some(shown) = latest {
                if t.latest != latest {
                    t.run = Run { first_ms: now, before_ms: t.last_seen_ms.unwrap_or(now), ..Run::default() };
                }
                let other = STATES.iter().filter(|s| **s != shown).map(|s| r.of(*s)).fold(1e-3, f32::max);
                let step = f64::from(r.of(shown) / other).ln().clamp(0.0, MOST_PER_FRAME);
                t.run.evidence = (t.run.evidence + weight * step).min(MOST_KEPT);
                t.run.frames = t.run.frames.saturating_add(looks);
                t.run.in_view = t.run.in_view.saturating_add(1);
                t.latest = latest;
            }
            if let Some(Some(_)) = latest {
                t.offset.add(r.offset, now);
            } else {
                t.offset = OffsetTrack::default();
            }
            t.last_seen_ms = Some(now);
        }
        self.last_frame_ms = Some(now);
    }

    /// Points where the stone of a point beside them is read: put between two points, one stone is seen by both. It is on the
    /// one that holds it by the record, else on the nearer one.
    fn seen_twice(&self, s: &Sighting) -> BTreeSet<Point> {
        let stone = |p: Point| {
            let r = clean(s.at(p));
            let off = r.offset[0].hypot(r.offset[1]);
            let color = r.state(0.5).flatten().filter(|_| r.hidden <= 0.5)?;
            let at = [f32::from(p.row) + r.offset[1], f32::from(p.col) + r.offset[0]];
            Some((color, r.of(Some(color)), off, at))
        };
        let held = |x: Point, color: Color| self.expected[self.index(x)] == Some(color);
        let mut twice = BTreeSet::new();
        for p in self.points() {
            let Some((color, sure, off, at)) = stone(p).filter(|(.., off, _)| *off > LEANS_PITCHES) else { continue };
            for q in self.around(p, 1) {
                let Some((_, _, other_off, there)) = stone(q).filter(|(c, ..)| *c == color) else { continue };
                let apart = (at[0] - there[0]).hypot(at[1] - there[1]);
                let between = off.min(other_off) > BETWEEN_PITCHES && apart < ONE_STONE_PITCHES;
                // seen from the side a stone can cover the point behind it
                let behind = apart < NO_ROOM_PITCHES && sure < SURE_BESIDE && held(q, color) && !held(p, color);
                let here = if held(p, color) == held(q, color) { off <= other_off } else { held(p, color) };
                if (between && !here) || behind {
                    twice.insert(p);
                }
            }
        }
        twice
    }

    /// Points that look different from what should lie there, in board order.
    pub fn diffs(&self) -> Vec<Diff> {
        self.points()
            .filter_map(|p| {
                let i = self.index(p);
                let t = &self.tracks[i];
                let k = (0..3).max_by(|&a, &b| t.stat[a].total_cmp(&t.stat[b]))?;
                if t.stat[k] < EMERGING {
                    return None;
                }
                Some(Diff {
                    point: p,
                    was: self.expected[i],
                    is: STATES[k],
                    evidence: t.stat[k],
                    credible: match self.pictures {
                        true if STATES[k].is_some() => t.stat[k].min(t.plain[k].max(0.0)),
                        true => t.stat[k],
                        false => {
                            let level = t.level[k].max(0.0);
                            t.stat[k].min(MOST_FROM_FRAMES * level * (level / CLEARLY).min(1.0))
                        }
                    },
                    last_old_ms: t.before[k],
                    doubted_old_ms: t.doubted[k],
                    first_new_ms: t.first[k],
                    glimpsed_ms: Some(t.run.first_ms)
                        .filter(|ms| t.latest == Some(STATES[k]) && *ms < t.first[k] && *ms > t.before[k]),
                    frames: t.frames[k],
                    chance: self.chance(p, t, t.before[k], t.first[k]),
                    current: t.latest == Some(STATES[k]),
                    hidden: t.hidden,
                    hand_near: self.around(p, 1).any(|q| self.tracks[self.index(q)].hidden && self.hand_now()),
                })
            })
            .collect()
    }

    /// In pictures: one has shown what is expected there now. A stone that was only inferred cannot be taken away.
    pub fn was_shown(&self, p: Point) -> bool {
        self.tracks[self.index(p)].shown
    }

    /// How many of the last pictures were taken at `since_ms` or later.
    pub fn pictures_since(&self, since_ms: u64) -> usize {
        self.taken.iter().flatten().filter(|t| **t >= since_ms).count()
    }

    /// An earlier picture said clearly what the point was, and the last one clearly says less of that than of what it shows now.
    pub fn is_new(&self, p: Point, r: &PointReading, color: Color) -> bool {
        self.expected[self.index(p)].is_none() && self.tracks[self.index(p)].is_new(r, color)
    }

    /// Stones that were seen for a moment of late.
    pub fn ghosts(&self) -> &[Ghost] {
        &self.ghosts
    }

    /// Stones that the last picture does not show for certain but cannot rule out, on points that should be empty, with what it
    /// costs to believe in them.
    pub fn thinkable(&self) -> Vec<(Point, Color, f64)> {
        let mut out = Vec::new();
        for p in self.points() {
            let i = self.index(p);
            let t = &self.tracks[i];
            if self.expected[i].is_some() || t.hidden || t.reading.empty >= SURE {
                continue;
            }
            for (k, color) in [Color::Black, Color::White].into_iter().enumerate() {
                let cost = against(&t.reading, color);
                // a point that looked the same before the stone can have come is as empty as it was
                if cost < THINKABLE && t.spoke_against[k] > cost + NEWLY {
                    out.push((p, color, 1.0 + cost.max(0.0)));
                }
            }
        }
        out
    }

    /// The longest of the last stretches out of view that ended at `since_ms` or later.
    pub fn unseen(&self, p: Point, since_ms: u64) -> Option<(u64, u64)> {
        let all = self.tracks[self.index(p)].unseen;
        all.into_iter().filter(|(from, to)| *to >= since_ms && to > from).max_by_key(|(from, to)| to - from)
    }

    fn chance(&self, p: Point, t: &Track, before: u64, first: u64) -> Chance {
        let covered = first.saturating_sub(before) >= UNSEEN_MS
            || t.last_hidden_ms.is_some_and(|h| h >= before.saturating_sub(150));
        if covered {
            return Chance::Covered;
        }
        let near = self
            .around(p, 2)
            .any(|q| self.tracks[self.index(q)].last_hidden_ms.is_some_and(|h| h + HAND_NEAR_MS >= first));
        if near || self.hand_ms.is_some_and(|h| h + HAND_NEAR_MS >= first) { Chance::Near } else { Chance::None }
    }

    /// Points within `radius` rows and columns of `p`, without `p`.
    fn around(&self, p: Point, radius: u8) -> impl Iterator<Item = Point> + use<> {
        let n = self.size;
        let rows = p.row.saturating_sub(radius)..=(p.row + radius).min(n - 1);
        rows.flat_map(move |r| {
            (p.col.saturating_sub(radius)..=(p.col + radius).min(n - 1)).map(move |c| Point::new(r, c))
        })
        .filter(move |&q| q != p)
    }

    /// A hidden point lies within `radius` of `p`.
    pub fn hidden_within(&self, p: Point, radius: u8) -> bool {
        self.around(p, radius).any(|q| self.tracks[self.index(q)].hidden)
    }

    pub fn is_hidden(&self, p: Point) -> bool {
        self.tracks[self.index(p)].hidden
    }

    /// A stone is seen there, but so far off the crossing that it does not lie on it.
    pub fn is_astray(&self, p: Point) -> bool {
        self.tracks[self.index(p)].astray
    }

    pub fn hidden_count(&self) -> usize {
        self.tracks.iter().filter(|t| t.hidden).count()
    }

    /// A hand is over the board in the latest frame.
    pub fn hand_now(&self) -> bool {
        self.hand_since_ms.is_some()
    }

    /// Time since a hand was last over the board.
    pub fn hand_away_ms(&self, now: u64) -> u64 {
        self.hand_ms.map_or(u64::MAX, |h| now.saturating_sub(h))
    }

    /// How long the hand over the board has been there; 0 without one.
    pub fn hand_stays_ms(&self, now: u64) -> u64 {
        self.hand_since_ms.map_or(0, |h| now.saturating_sub(h))
    }

    /// The state the point showed in the latest frame in which it could be seen.
    pub fn latest(&self, p: Point) -> Option<Cell> {
        self.tracks[self.index(p)].latest
    }

    pub fn offset(&self, p: Point) -> OffsetTrack {
        self.tracks[self.index(p)].offset
    }

    /// The board as it lay when nothing was known of it: [`Evidence::board`], and every stone that several frames in a row show, however
    /// doubtful its colour is.
    pub fn first_board(&self, least: f64) -> Board {
        let mut board = self.board(least);
        for p in self.points() {
            let t = &self.tracks[self.index(p)];
            let lies = !t.hidden && !t.astray && t.run.frames >= LYING_FRAMES;
            if board.get(p).is_none() && lies {
                board.set(p, t.latest.flatten());
            }
        }
        board
    }

    /// The board as it is believed to lie now: what is expected, with every difference that has `least` evidence.
    pub fn board(&self, least: f64) -> Board {
        let mut board = Board::new(self.size);
        for p in self.points() {
            board.set(p, self.expected[self.index(p)]);
        }
        for d in self.diffs() {
            if d.evidence >= least && d.current {
                board.set(d.point, d.is);
            }
        }
        board
    }
}

/// How much likelier the point is empty than that it holds a stone of `color` (natural logarithm).
fn against(r: &PointReading, color: Color) -> f64 {
    f64::from(r.empty.max(1e-3) / r.of(Some(color)).max(1e-3)).ln()
}

/// A reading that is safe to calculate with, whatever was handed in.
fn clean(r: PointReading) -> PointReading {
    let ok = |x: f32| if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.0 };
    let (empty, black, white, hidden) = (ok(r.empty), ok(r.black), ok(r.white), ok(r.hidden));
    let sum = empty + black + white + hidden;
    if sum < 1e-3 {
        return PointReading::HIDDEN;
    }
    let offset = if r.offset.iter().all(|x| x.is_finite()) { r.offset } else { [0.0; 2] };
    PointReading { empty: empty / sum, black: black / sum, white: white / sum, hidden: hidden / sum, offset }
}
