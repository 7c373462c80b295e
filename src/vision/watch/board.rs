//! One board that was found: where it is, what lies on it, what moves over it.

use super::blocks::{self, Belongs, Blocks, PER_PITCH, Part};
use super::loose::{Loose, Scenery};
use super::movement::{BLURRED_PITCHES, MOVE_OVER_MS, MOVE_TELL_MS, MOVING_PITCHES, Movement};
use super::points::Points;
use super::sampler::{Sampler, inside};
use super::scene::{Light, Obstruction};
use super::{Eyes, corner_shift, image_size, turned_like};
use crate::capture::Frame;
use crate::vision::error::{Result, VisionError};
use crate::vision::lattice::Lattice;
use crate::vision::locate::LocateOptions;
use crate::vision::reader::Reader;
use crate::vision::rectify::Rectifier;
use crate::vision::sighting::{LooseStone, PointReading, Sighting};
use crate::vision::track::{Tracker, work_picture};

/// Less contrast than this, in levels of 255, and than this share of what the board had: nothing is to be seen.
const BLIND_LEVELS: u8 = 8;
const BLIND_SHARE: f32 = 0.3;

/// A patch is calm when nothing changed in it for this long.
const CALM_MS: i64 = 150;
/// Frames further apart than this say nothing about motion: each is a picture of its own.
const SPARSE_MS: u64 = 400;
/// What has not changed for this long belongs to the settled board.
const SETTLE_MS: i64 = 700;
/// Something that reaches in but has lain still for this long is a hand only if the network sees one: a scattered heap is none.
const STILL_HAND_MS: i64 = 1500;
/// What has not moved at all for so long is no hand.
const STILL_THING_MS: i64 = 5000;
/// ... nor is a spot of a few points that has looked the same since the board was found, after this long.
const STILL_SPOT_MS: i64 = 500;
/// Hidden points that touch, to be more than such a spot: a hand over the board covers more.
const SPOT_POINTS: usize = 4;
/// A stone that lies on no point hides the points so near to it.
const BY_STONE_PITCHES: f32 = 0.8;
/// While something that reaches in rests, the network looks at it this often; resting is to have lain still for as long.
const LOOK_AT_HAND_MS: u64 = 600;
/// While a hand moves over the board, points that it uncovers are read no more often than this.
const READ_BESIDE_HAND_MS: u64 = 200;
/// While a hand moves over the board and nothing is to be read, it is asked no more often than this whether the board lies where it
/// lay, unless so large a share of the blocks changed that the board may have moved.
const TRACK_BESIDE_HAND_MS: u64 = 100;
const MUCH_CHANGED: f64 = 0.4;
/// A move or a small capture changes no more points than these.
const FEW_POINTS: usize = 12;
/// Blocks on the grid that changed of late, to be more than a stone or trembling lines.
const RESTLESS_BLOCKS: usize = 24;
/// Square pitches of a thing that reaches in, to be a hand.
const HAND_AREA: f32 = 1.2;

/// The board is lost when it was not recognised for this long.
const LOST_MS: u64 = 2000;
/// While it is not recognised, it is looked for this often.
const RELOCATE_EVERY_MS: u64 = 300;
/// How often the lattice is measured anew on a calm board: at first, and once it has been found right again and again.
const CHECK_EVERY_MS: std::ops::RangeInclusive<u64> = 15_000..=60_000;
/// A measurement that differs by this from the lattice that was followed casts doubt on it.
const DOUBT_PITCHES: f64 = 0.2;
/// With fewer of the tracker's features recognised on a calm board, new ones are taken.
const FEW_FEATURES: f64 = 0.6;

pub(super) struct Board {
    lattice: Lattice,
    image_size: [i32; 2],
    sampler: Sampler,
    /// Made when the network is to look, for where the board lies now.
    rectifier: Option<Rectifier>,
    tracker: Tracker,
    previous: Blocks,
    previous_ms: u64,
    found_ms: u64,
    /// When each block last changed; just before the board was found if it has not.
    changed_ms: Vec<i64>,
    /// When each block was last under a hand.
    covered_ms: Vec<i64>,
    /// What each block looks like when nothing is in the way.
    settled: Blocks,
    settled_known: Vec<bool>,
    points: Points,
    /// Points behind something that stands before the board: a bowl, which is no hand.
    behind_thing: Vec<bool>,
    /// How hidden each point was, by the network alone, when it last looked.
    looked_hidden: Vec<f32>,
    /// When it last looked at all points, and at any.
    looked_ms: u64,
    read_ms: Option<u64>,
    /// When something was last in the way or moved on the board, and whether that was a hand, when it last looked.
    unquiet_ms: u64,
    hand: bool,
    /// Points that held a stone when they were settled.
    stone_before: Vec<bool>,
    loose: Loose,
    movement: Movement,
    /// Since when the board has not been recognised.
    unseen_since: Option<u64>,
    next_relocate_ms: u64,
    next_check_ms: u64,
    check_every_ms: u64,
    /// A measurement that disagreed with the lattice; a second must confirm it.
    doubt: Option<Lattice>,
    light: Light,
    obstruction: Obstruction,
    tracked_ms: u64,
    /// The last frame that was too blurred by movement to be read.
    blurred_ms: Option<u64>,
    /// Share of the tracker's features that were recognised last.
    recognised: f64,
    /// Empty crossings when the lattice was measured.
    measured_empty: usize,
}

/// The hidden points that touch hidden point `i` of an `n`×`n` board, and those that touch them, are few.
fn is_spot(is_hidden: &[bool], n: usize, i: usize) -> bool {
    let (mut patch, mut next) = (vec![i], 0);
    while let Some(&at) = patch.get(next) {
        next += 1;
        let near = |v: usize| v.saturating_sub(1)..=(v + 1).min(n - 1);
        for q in near(at / n).flat_map(|r| near(at % n).map(move |c| r * n + c)) {
            if is_hidden[q] && !patch.contains(&q) {
                patch.push(q);
            }
        }
        if patch.len() >= SPOT_POINTS {
            return false;
        }
    }
    true
}

/// A stone that lies on no point lies so near to point `i` of an `n`×`n` board that it hides it.
fn is_by_stone(loose: &[LooseStone], n: usize, i: usize) -> bool {
    loose.iter().any(|l| (l.row - (i / n) as f32).hypot(l.col - (i % n) as f32) < BY_STONE_PITCHES)
}

impl Board {
    /// A board at `lattice` in `frame`.
    pub(super) fn new(frame: &Frame, lattice: Lattice) -> Result<Board> {
        let size = image_size(&frame.image);
        let sampler = Sampler::new(&lattice, size);
        let now = sampler.blocks(&frame.image)?;
        let (work, scale) = work_picture(&frame.image)?;
        let tracker = Tracker::new(&work, scale, &lattice)?;
        let blocks = now.bgr.len();
        Ok(Board {
            image_size: size,
            sampler,
            rectifier: None,
            tracker,
            points: Points::new(lattice.size, &now),
            behind_thing: vec![false; lattice.size as usize * lattice.size as usize],
            looked_hidden: vec![0.0; lattice.size as usize * lattice.size as usize],
            looked_ms: frame.time_ms,
            read_ms: None,
            unquiet_ms: frame.time_ms,
            hand: false,
            stone_before: vec![false; lattice.size as usize * lattice.size as usize],
            loose: Loose::new(&lattice),
            settled: now.clone(),
            settled_known: vec![false; blocks],
            found_ms: frame.time_ms,
            changed_ms: vec![frame.time_ms as i64 - CALM_MS; blocks],
            covered_ms: vec![i64::MIN; blocks],
            previous: now,
            previous_ms: frame.time_ms,
            movement: Movement::none(&lattice),
            unseen_since: None,
            next_relocate_ms: 0,
            next_check_ms: frame.time_ms + 3000,
            check_every_ms: *CHECK_EVERY_MS.start(),
            doubt: None,
            light: Light::default(),
            obstruction: Obstruction::default(),
            tracked_ms: frame.time_ms,
            blurred_ms: None,
            recognised: 1.0,
            measured_empty: 0,
            lattice,
        })
    }

    pub(super) fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// Fills in what the frame shows. False: the board is lost.
    pub(super) fn see(&mut self, frame: &Frame, eyes: &mut Eyes, sighting: &mut Sighting) -> Result<bool> {
        let time = frame.time_ms;
        let step_ms = time.saturating_sub(self.previous_ms);
        self.fit_image_size(frame)?;
        let mut now = self.sampler.blocks(&frame.image)?;
        let mut changes = self.changes(&now);
        let mut changed = changes.iter().filter(|c| **c > 1.0).count();

        // Where is the board? Asked when something changed, and now and then.
        let moving = self.movement.begun_ms.is_some();
        // A covered lens changes every block alike, which else would pass for a change of the light: asked always.
        let blinded = self.blinded(&now);
        if blinded {
            self.unseen_since.get_or_insert(time);
        }
        let since_tracked = time.saturating_sub(self.tracked_ms);
        let ask = (changed > 3 && !(since_tracked < TRACK_BESIDE_HAND_MS && self.only_a_hand(changed, time)))
            || moving
            || self.unseen_since.is_some()
            || since_tracked >= 1000;
        if ask && !blinded {
            self.tracked_ms = time;
            if self.follow(frame, eyes, sighting)? {
                now = self.sampler.blocks(&frame.image)?;
                changes = self.changes(&now);
                changed = changes.iter().filter(|c| **c > 1.0).count();
            }
        }
        if let Some(since) = self.unseen_since {
            sighting.motion = changed > 0;
            sighting.hand = true;
            self.remember(now, &changes, time);
            return Ok(time.saturating_sub(since) < LOST_MS);
        }
        // (pictures far apart are no frames of one movement)
        let moved_now = step_ms < SPARSE_MS && self.blurred_ms == Some(time);
        self.remember(now, &changes, time);
        let now = self.previous.clone();

        // What is in the way?
        let lighting = blocks::gain(&now, &self.settled, |i| self.sampler.valid()[i] && self.settled_known[i]);
        let belongs: Vec<Belongs> = (0..now.bgr.len())
            .map(|i| match self.sampler.valid()[i] && self.settled_known[i] {
                true => blocks::belongs(now.bgr[i], self.settled.bgr[i], lighting),
                false => Belongs::Board,
            })
            .collect();
        let foreign: Vec<bool> = belongs.iter().map(|b| *b == Belongs::Foreign).collect();
        let reaching: Vec<Part> = blocks::parts(&foreign, self.sampler.valid(), now.side)
            .into_iter()
            .filter(|p| p.from_outside && p.area() >= HAND_AREA)
            .collect();
        let rests = reaching.iter().any(|p| !self.restless(p, time, LOOK_AT_HAND_MS as i64));
        let hands: Vec<Part> = reaching
            .into_iter()
            .filter(|p| self.restless(p, time, STILL_HAND_MS) || self.seen_as_hand(p, now.side))
            .collect();
        let mut under_hand = vec![false; now.bgr.len()];
        hands.iter().flat_map(|p| &p.blocks).for_each(|b| under_hand[*b] = true);

        // Which points can be read?
        let n = self.lattice.size as usize;
        let calm_ms = if step_ms >= SPARSE_MS { 0 } else { CALM_MS };
        let mut open = vec![true; n * n];
        let mut uncalm = 0;
        for (i, open) in open.iter_mut().enumerate() {
            let mut covered = 0;
            let mut restless = false;
            let mut outside = false;
            for b in blocks::around(i / n, i % n, 3, now.side) {
                covered += usize::from(under_hand[b]);
                restless |= (time as i64 - self.changed_ms[b]) < calm_ms;
                outside |= !self.sampler.valid()[b];
            }
            uncalm += usize::from(restless);
            *open = covered < 3 && !restless && (!outside || self.in_picture(i));
        }
        sighting.motion = changed >= 6;

        // Read what is new.
        let wanted = self.points.stale(&now, time, &open, !hands.is_empty());
        let quiet = uncalm == 0 && hands.is_empty();
        if !quiet {
            self.unquiet_ms = time;
        }
        self.hand = !hands.is_empty();
        let look_at_hand = rests && time.saturating_sub(self.looked_ms) >= LOOK_AT_HAND_MS;
        let may_read = hands.is_empty() || self.may_read_beside_hand(time);
        if ((!wanted.is_empty() && may_read) || look_at_hand) && !moved_now {
            let all: Vec<usize> = (0..n * n).collect();
            let rectifier = match self.rectifier.take() {
                Some(rectifier) => rectifier,
                None => Reader::rectifier(&self.lattice, self.image_size)?,
            };
            // Once the hand has left, with all that the network can see; then again what is new, where that is little: a board that
            // was scattered is seen as a whole each time, and what is known is read again all at once.
            let known = wanted.iter().any(|i| self.points.is_known(*i));
            let anew = quiet && (self.looked_ms <= self.unquiet_ms || known || wanted.len() > FEW_POINTS);
            let look_at = if look_at_hand || anew { &all } else { &wanted };
            let read = eyes.reader.read_points(&frame.image, rectifier.whole(), self.lattice.size, look_at)?;
            self.rectifier = Some(rectifier);
            self.read_ms = Some(time);
            if read.len() == n * n {
                self.looked_ms = time;
            }
            let mut is_wanted = vec![quiet && read.len() == n * n; n * n];
            wanted.iter().for_each(|i| is_wanted[*i] = true);
            for (i, reading) in read {
                self.looked_hidden[i] = reading.hidden;
                // With a hand in view its neighbours' readings suffer: only what is new is taken.
                if open[i] && is_wanted[i] {
                    self.points.read(i, reading, &now, time);
                }
            }
        }
        let mut readings: Vec<PointReading> =
            (0..n * n).map(|i| if open[i] { self.points.reading(i) } else { PointReading::HIDDEN }).collect();

        // Stones off the lattice.
        let calm = |b: usize| time as i64 - self.changed_ms[b] >= calm_ms;
        let open_blocks: Vec<bool> =
            (0..now.bgr.len()).map(|b| self.sampler.valid()[b] && !under_hand[b] && calm(b)).collect();
        let fresh: Vec<bool> = foreign.iter().zip(&open_blocks).map(|(f, open)| *f && *open).collect();
        if !moved_now {
            let scenery = Scenery {
                image: &frame.image,
                lattice: &self.lattice,
                image_size: self.image_size,
                now: &now,
                settled: &self.settled,
                valid: self.sampler.valid(),
                fresh: &fresh,
                open: &open_blocks,
                readings: &readings,
                stone_before: &self.stone_before,
                readable: &open,
                hand: !hands.is_empty(),
                time_ms: time,
            };
            self.loose.look(&scenery, &mut eyes.reader)?;
        }
        self.loose.correct(&mut readings, n);
        sighting.loose = self.loose.stones();

        let over_grid = under_hand.iter().enumerate().filter(|(b, u)| **u && on_grid(*b, now.side)).count();
        let is_hidden: Vec<bool> = (0..n * n).map(|i| open[i] && readings[i].hidden > 0.5).collect();
        let hidden = is_hidden.iter().filter(|hidden| **hidden).count();
        let mut hidden_by_hand = 0;
        for i in (0..n * n).filter(|i| open[*i]) {
            let changed_ms = blocks::around(i / n, i % n, 3, now.side).map(|b| self.changed_ms[b]).max();
            let lain_ms = changed_ms.map_or(i64::MAX, |t| time as i64 - t);
            // worn crossings and glare are there from the first, and cover next to nothing
            let from_the_first = changed_ms.is_none_or(|t| t < self.found_ms as i64) && lain_ms >= STILL_SPOT_MS;
            let is_thing = |i| lain_ms >= STILL_THING_MS || (from_the_first && is_spot(&is_hidden, n, i));
            self.behind_thing[i] = is_hidden[i] && (self.behind_thing[i] || is_thing(i));
            // a stone between points hides them, and is no hand
            let by_hand = is_hidden[i] && !self.behind_thing[i] && !is_by_stone(&sighting.loose, n, i);
            hidden_by_hand += usize::from(by_hand);
        }
        let restless =
            (0..now.bgr.len()).filter(|b| on_grid(*b, now.side) && self.sampler.valid()[*b] && !calm(*b)).count();
        sighting.hand = over_grid >= 6 || hidden_by_hand >= 2 || restless >= RESTLESS_BLOCKS;

        let known = (0..belongs.len()).filter(|b| self.settled_known[*b] && self.sampler.valid()[*b]);
        if self.light.changed(known.map(|b| belongs[b]), lighting, quiet, time, &mut sighting.scene) {
            self.settled = now.clone();
            self.points.forget();
        }
        // in another light nothing is settled until the change has been told
        if !self.light.is_doubtful() {
            self.settle(&now, &readings, &under_hand, time);
        }
        self.obstruction.watch(&readings, time, &mut sighting.scene);
        if quiet && hidden == 0 && !moving {
            if self.recognised < FEW_FEATURES {
                // stones have come and gone
                self.anchor(frame)?;
            }
            self.check(frame, eyes, &readings, sighting)?;
        }
        if !moved_now {
            sighting.points = readings;
        }
        Ok(true)
    }

    /// What changed is but a hand that was there before, and nothing is to be read in this frame.
    fn only_a_hand(&self, changed: usize, time: u64) -> bool {
        let much = (changed as f64) > MUCH_CHANGED * self.sampler.valid().iter().filter(|v| **v).count() as f64;
        self.hand && !much && !self.may_read_beside_hand(time)
    }

    fn may_read_beside_hand(&self, time: u64) -> bool {
        self.read_ms.is_none_or(|read| time.saturating_sub(read) >= READ_BESIDE_HAND_MS)
    }

    /// The lens is covered or the room is dark: where the board had lines and stones, everything is of one level. Readings of
    /// such a picture mean nothing.
    fn blinded(&self, now: &Blocks) -> bool {
        let contrast = now.contrast(|i| self.sampler.valid()[i]);
        contrast < BLIND_LEVELS
            && f32::from(contrast) < BLIND_SHARE * f32::from(self.settled.contrast(|i| self.sampler.valid()[i]))
    }

    fn changes(&self, now: &Blocks) -> Vec<f32> {
        let gain = blocks::gain(now, &self.previous, |i| self.sampler.valid()[i]);
        blocks::changes(now, &self.previous, gain, self.sampler.valid())
    }

    fn remember(&mut self, now: Blocks, changes: &[f32], time: u64) {
        let side = now.side;
        for (i, change) in changes.iter().enumerate() {
            // a lone block just above the noise is noise
            let neighbour = || {
                let (y, x) = (i / side, i % side);
                [
                    (y > 0).then(|| i - side),
                    (y + 1 < side).then(|| i + side),
                    (x > 0).then(|| i - 1),
                    (x + 1 < side).then(|| i + 1),
                ]
                .into_iter()
                .flatten()
                .any(|j| changes[j] > 1.0)
            };
            if *change > 2.0 || (*change > 1.0 && neighbour()) {
                self.changed_ms[i] = time as i64;
            }
        }
        self.previous = now;
        self.previous_ms = time;
    }

    /// Pictures of a folder may change their size.
    fn fit_image_size(&mut self, frame: &Frame) -> Result<()> {
        let size = image_size(&frame.image);
        if size == self.image_size {
            return Ok(());
        }
        let factor =
            [f64::from(size[0]) / f64::from(self.image_size[0]), f64::from(size[1]) / f64::from(self.image_size[1])];
        let lattice = self.lattice.scaled(factor, size);
        self.image_size = size;
        self.movement = Movement::none(&lattice);
        self.place(lattice);
        self.anchor(frame)
    }

    fn place(&mut self, lattice: Lattice) {
        self.sampler = Sampler::new(&lattice, self.image_size);
        self.rectifier = None;
        self.check_every_ms = *CHECK_EVERY_MS.start();
        self.loose.moved(&lattice);
        self.lattice = lattice;
    }

    fn anchor(&mut self, frame: &Frame) -> Result<()> {
        let (work, scale) = work_picture(&frame.image)?;
        self.tracker = Tracker::new(&work, scale, &self.lattice)?;
        self.recognised = 1.0;
        Ok(())
    }

    /// Follows the board into this frame. True: the lattice is another than before.
    fn follow(&mut self, frame: &Frame, eyes: &mut Eyes, sighting: &mut Sighting) -> Result<bool> {
        let time = frame.time_ms;
        // while nothing has moved a glance is enough
        if self.movement.begun_ms.is_none()
            && self.unseen_since.is_none()
            && let Some(seen) = self.tracker.holds(&self.tracker.board_picture(&frame.image)?, &self.lattice)?
        {
            self.recognised = seen;
            return Ok(false);
        }
        let (work, _) = work_picture(&frame.image)?;
        let followed = self.tracker.follow(&work, &self.lattice)?;
        let Some(mut lattice) = followed.lattice else {
            return self.relocate(frame, eyes, sighting);
        };
        self.unseen_since = None;
        self.recognised = followed.seen;
        let shift = corner_shift(&self.lattice, &lattice);
        let pitch = lattice.mean_pitch_px();
        if shift > MOVING_PITCHES * pitch {
            if self.movement.begun_ms.is_none() {
                self.movement.begun_ms = Some(time);
            }
            self.movement.last_ms = time;
        }
        if shift > BLURRED_PITCHES * pitch {
            self.blurred_ms = Some(time);
        }
        if self.movement.begun_ms.is_some() {
            self.movement.saw(followed.table);
        }
        let mut moved = shift > 0.0;
        if let Some(begun) = self.movement.begun_ms {
            let over = time.saturating_sub(self.movement.last_ms) >= MOVE_OVER_MS;
            if over {
                // At rest again: is it the board that was followed? Measured anew it may be a little off where stones are
                // dense; features know better.
                let sure = |l: &Lattice| l.confidence >= 0.5 && corner_shift(l, &lattice) < 0.45 * pitch;
                match eyes.refine(frame, &lattice)?.filter(sure) {
                    Some(measured) if corner_shift(&measured, &lattice) > DOUBT_PITCHES * pitch => {
                        lattice = measured;
                        moved = true;
                    }
                    Some(_) => {}
                    None => return self.relocate(frame, eyes, sighting),
                }
                sighting.scene.extend(self.movement.tell(&lattice));
                self.movement = Movement::none(&lattice);
                self.place(lattice);
                self.anchor(frame)?;
                return Ok(moved);
            }
            if time.saturating_sub(begun) >= MOVE_TELL_MS {
                sighting.scene.extend(self.movement.tell(&lattice));
            }
        }
        if moved {
            self.place(lattice);
        }
        Ok(moved)
    }

    /// The features are gone: a cover, a hard jump, another light.
    fn relocate(&mut self, frame: &Frame, eyes: &mut Eyes, sighting: &mut Sighting) -> Result<bool> {
        let time = frame.time_ms;
        self.unseen_since.get_or_insert(time);
        if time < self.next_relocate_ms {
            return Ok(false);
        }
        self.next_relocate_ms = time + RELOCATE_EVERY_MS;
        // Most often it lies where it lay: that is seen at a glance.
        let same =
            |l: &Lattice| corner_shift(l, &self.lattice) < DOUBT_PITCHES * l.mean_pitch_px() && l.confidence >= 0.6;
        if eyes.refine(frame, &self.lattice)?.is_some_and(|l| same(&l)) {
            self.unseen_since = None;
            self.movement = Movement::none(&self.lattice);
            self.anchor(frame)?;
            return Ok(false);
        }
        let options = LocateOptions { size: Some(self.lattice.size) };
        let found = match eyes.locator.locate(&frame.image, &options) {
            Ok(found) => {
                let aligned = self.aligned(turned_like(&found, &self.lattice), frame, eyes)?;
                eyes.settled(frame, aligned)?
            }
            Err(VisionError::NoBoard(_)) => return Ok(false),
            Err(e) => return Err(e),
        };
        self.unseen_since = None;
        sighting.scene.extend(self.movement.tell(&found));
        self.movement = Movement::none(&found);
        self.place(found);
        self.anchor(frame)?;
        self.points.forget();
        Ok(true)
    }

    /// On a crowded board a grid that is found anew can be off by a line; the stones that lay there tell.
    fn aligned(&self, found: Lattice, frame: &Frame, eyes: &mut Eyes) -> Result<Lattice> {
        let n = self.lattice.size as usize;
        let Some(wider) = found.reindexed(-1.0, -1.0, found.size + 2) else { return Ok(found) };
        let seen = eyes.reader.read(&frame.image, &wider)?;
        let agreement = |down: usize, right: usize| -> i32 {
            (0..n * n)
                .map(|i| {
                    let (was, is) = (self.points.last_reading(i), &seen[(i / n + down) * (n + 2) + i % n + right]);
                    match (was.state(0.7), is.state(0.7)) {
                        (Some(Some(a)), Some(Some(b))) if a == b => 2,
                        (Some(Some(_)), Some(_)) | (Some(None), Some(Some(_))) => -1,
                        _ => 0,
                    }
                })
                .sum()
        };
        let straight = agreement(1, 1);
        let best = (0..9).max_by_key(|k| (agreement(k / 3, k % 3), *k == 4)).unwrap_or(4);
        // six points more: three stones that fit and did not
        if agreement(best / 3, best % 3) < straight + 6 {
            return Ok(found);
        }
        let (down, right) = ((best / 3) as f64 - 1.0, (best % 3) as f64 - 1.0);
        Ok(found.reindexed(down, right, found.size).unwrap_or(found))
    }

    /// True if the network called most points under this part hidden when it last looked.
    fn seen_as_hand(&self, part: &Part, side: usize) -> bool {
        let n = self.lattice.size as usize;
        let mut under = vec![0; n * n];
        for b in &part.blocks {
            let (y, x) = (b / side / PER_PITCH, b % side / PER_PITCH);
            if (1..=n).contains(&y) && (1..=n).contains(&x) {
                under[(y - 1) * n + x - 1] += 1;
            }
        }
        let (mut sum, mut count) = (0.0, 0);
        for (hidden, blocks) in self.looked_hidden.iter().zip(under) {
            if blocks >= 3 {
                sum += hidden;
                count += 1;
            }
        }
        count > 0 && sum > 0.35 * count as f32
    }

    /// True if something in this part changed within this time.
    fn restless(&self, part: &Part, time: u64, within_ms: i64) -> bool {
        part.blocks.iter().any(|b| time as i64 - self.changed_ms[*b] < within_ms)
    }

    fn in_picture(&self, point: usize) -> bool {
        let n = self.lattice.size as usize;
        let p = self.lattice.to_image([(point / n) as f64, (point % n) as f64]);
        inside(p, self.image_size)
    }

    /// Takes what has been calm and uncovered into the settled board.
    fn settle(&mut self, now: &Blocks, readings: &[PointReading], under_hand: &[bool], time: u64) {
        let n = self.lattice.size as usize;
        let mut taken = vec![0; n * n];
        for (b, covered) in under_hand.iter().enumerate() {
            if *covered {
                self.covered_ms[b] = time as i64;
            }
            let since = self.changed_ms[b].max(self.covered_ms[b]);
            if *covered || !self.sampler.valid()[b] || time as i64 - since < SETTLE_MS {
                continue;
            }
            let (y, x) = (b / now.side / PER_PITCH, b % now.side / PER_PITCH);
            let point = ((1..=n).contains(&y) && (1..=n).contains(&x)).then(|| (y - 1) * n + x - 1);
            if point.is_some_and(|i| readings[i].hidden > 0.3) {
                continue;
            }
            self.settled.take(now, b);
            self.settled_known[b] = true;
            if let Some(i) = point {
                taken[i] += 1;
            }
        }
        for (i, reading) in readings.iter().enumerate() {
            // of a stone far off its point a part of the cell has not changed at all
            if taken[i] == PER_PITCH * PER_PITCH {
                self.stone_before[i] = reading.black + reading.white > 0.5;
            }
        }
    }

    /// On a calm board: is the lattice still the one that is measured?
    fn check(
        &mut self,
        frame: &Frame,
        eyes: &mut Eyes,
        readings: &[PointReading],
        sighting: &mut Sighting,
    ) -> Result<()> {
        let time = frame.time_ms;
        if time < self.next_check_ms {
            return Ok(());
        }
        self.next_check_ms = time + self.check_every_ms;
        let Some(measured) = eyes.refine(frame, &self.lattice)?.filter(|l| l.confidence >= 0.6) else {
            self.doubt = None;
            return Ok(());
        };
        let pitch = self.lattice.mean_pitch_px();
        let off = corner_shift(&measured, &self.lattice) / pitch;
        // Crossings are measured well where they are empty: a first measurement among many stones gives way to one among few.
        let empty = readings.iter().filter(|r| r.empty > 0.9).count();
        let better = empty * 4 > self.measured_empty * 5 + 40;
        if better && off < DOUBT_PITCHES {
            self.measured_empty = empty;
            if off > 0.03 {
                self.movement = Movement::none(&measured);
                self.place(measured);
                self.anchor(frame)?;
            }
            return Ok(());
        }
        if off < DOUBT_PITCHES {
            self.doubt = None;
            self.check_every_ms = (self.check_every_ms * 2).min(*CHECK_EVERY_MS.end());
            return Ok(());
        }
        match self.doubt.take() {
            Some(before) if corner_shift(&before, &measured) < 0.1 * pitch => {
                sighting.scene.extend(self.movement.tell(&measured));
                self.movement = Movement::none(&measured);
                self.measured_empty = empty;
                self.place(measured);
                self.anchor(frame)?;
                self.points.forget();
            }
            _ => {
                self.doubt = Some(measured);
                self.next_check_ms = time + 1000;
            }
        }
        Ok(())
    }
}

/// True for blocks within a third of a pitch of the grid.
fn on_grid(block: usize, side: usize) -> bool {
    let edge = PER_PITCH + 1;
    (edge..side - edge).contains(&(block / side)) && (edge..side - edge).contains(&(block % side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worn_crossings_and_loose_stones_are_told_from_what_a_hand_covers() {
        let n = 9;
        let hidden = |points: &[usize]| -> Vec<bool> { (0..n * n).map(|i| points.contains(&i)).collect() };
        // two that touch by a corner, and one far away
        let worn = hidden(&[10, 20, 70]);
        assert!([10, 20, 70].into_iter().all(|i| is_spot(&worn, n, i)));
        let fingers = hidden(&[10, 20, 30, 31, 70]);
        assert!(!is_spot(&fingers, n, 10) && !is_spot(&fingers, n, 31) && is_spot(&fingers, n, 70));
        // a stone between the points 10, 11, 19 and 20 hides those, and no hand does
        let loose = [LooseStone { row: 1.46, col: 1.45, color: crate::rules::Color::White, confidence: 1.0 }];
        let hides: Vec<usize> = (0..n * n).filter(|i| is_by_stone(&loose, n, *i)).collect();
        assert_eq!(hides, [10, 11, 19, 20]);
        // the ends of two rows do not touch
        let apart = hidden(&[7, 8, 9, 10]);
        assert!(is_spot(&apart, n, 8) && is_spot(&apart, n, 9));
    }
}
