//! Pictures far apart, each a photo of its own: what moved between two of them nobody saw.
//!
//! Every picture is read as a single photo is. Where the board is, the one before tells: mostly it lies where it lay, or nearly;
//! else it is searched for anew, and the stones that were seen before say which way round it lies. No motion tells a hand from a
//! stone here, only what the network calls hidden.

use super::sampler::inside;
use super::{Eyes, WatcherOptions, corner_shift, found, image_size, surest, turned_like};
use crate::capture::Frame;
use crate::vision::error::Result;
use crate::vision::lattice::Lattice;
use crate::vision::locate::LocateOptions;
use crate::vision::photo::settle_lone_doubts;
use crate::vision::sighting::{PointReading, Scene, Sighting};
use crate::vision::track::{Table, Tracker, work_picture};

/// A measurement that is as sure as this is believed.
const SURE: f64 = 0.6;
/// Where a board is only found once its size is promised, it must be found as surely as this.
const LEAST_AT_FIRST: f64 = 0.9;
/// Two measurements nearer than this, in pitches, are the same place.
const SAME_PITCHES: f64 = 0.1;
/// Movement of a corner since it was last told, pitches, that is told.
const TOLD_PITCHES: f64 = 0.2;
/// Farther than this from where it was looked for, in pitches, a grid may be off by a line.
const NEAR_PITCHES: f64 = 0.3;
/// The board counts as lost after so many pictures in a row without it.
const LOST_PICTURES: u32 = 3;
/// Hidden points side by side that reach the edge of the board, to be a hand or an arm.
const HAND_POINTS: usize = 4;
/// Agreement of the stones (two for each) by which another way round must be better.
const CLEARLY_BETTER: i32 = 6;

/// What the last picture with a board showed.
struct Known {
    lattice: Lattice,
    image_size: [i32; 2],
    tracker: Tracker,
    readings: Vec<PointReading>,
    /// Where the board lay when it was last told to have moved.
    rest: Lattice,
}

/// The pictures so far.
#[derive(Default)]
pub(super) struct Stills {
    known: Option<Known>,
    missed: u32,
    lost: bool,
}

impl Stills {
    pub(super) fn lattice(&self) -> Option<&Lattice> {
        self.known.as_ref().map(|k| &k.lattice)
    }

    /// Fills in what the picture shows.
    pub(super) fn see(
        &mut self,
        frame: &Frame,
        eyes: &mut Eyes,
        options: &WatcherOptions,
        sighting: &mut Sighting,
    ) -> Result<()> {
        let place = match &self.known {
            None => first_place(frame, eyes, options)?.map(|l| (l, Table::Unknown)),
            Some(known) => known.place(frame, eyes)?,
        };
        let Some((lattice, table)) = place else {
            self.missed += 1;
            if self.missed == LOST_PICTURES && self.known.is_some() {
                self.lost = true;
                sighting.scene.push(Scene::BoardLost);
            }
            // nothing is known of the points in this picture
            return Ok(());
        };
        self.missed = 0;
        let (lattice, mut points) = eyes.reader.read_settled(&frame.image, lattice)?;
        settle_lone_doubts(&mut points, lattice.size);
        let mut readings = points.clone();
        if let Some(known) = &self.known {
            // what an arm hides looked like this before
            let hidden = readings.iter_mut().zip(&known.readings).filter(|(r, _)| r.hidden > 0.5);
            hidden.for_each(|(r, before)| *r = *before);
        }
        let mut rest = lattice.clone();
        match &self.known {
            Some(known) if !self.lost => {
                let shift_px = corner_shift(&known.rest, &lattice);
                let shift = shift_px / lattice.mean_pitch_px();
                if shift < TOLD_PITCHES {
                    rest = known.rest.clone();
                } else if table == Table::Still {
                    sighting.scene.push(Scene::BoardMoved { shift_pitches: shift as f32 });
                } else {
                    sighting.scene.push(Scene::CameraMoved { shift_px: shift_px as f32 });
                }
            }
            _ => sighting.scene.push(Scene::BoardFound { confidence: lattice.confidence as f32 }),
        }
        self.lost = false;
        let (work, scale) = work_picture(&frame.image)?;
        let tracker = Tracker::new(&work, scale, &lattice)?;
        sighting.size = lattice.size;
        let image_size = image_size(&frame.image);
        sighting.hand = has_hand(&points, &lattice, image_size);
        sighting.motion = sighting.hand;
        sighting.points = points;
        self.known = Some(Known { lattice, image_size, tracker, readings, rest });
        Ok(())
    }
}

fn first_place(frame: &Frame, eyes: &mut Eyes, options: &WatcherOptions) -> Result<Option<Lattice>> {
    if let Some(corners) = options.corners {
        return Ok(Some(eyes.locator.at_corners(&frame.image, corners, options.size)?));
    }
    if let Some(lattice) = found(eyes.locator.locate(&frame.image, &LocateOptions { size: options.size }))? {
        return Ok(Some(lattice));
    }
    // photos of a game have a board: then the question is only which
    if options.size.is_some() {
        return Ok(None);
    }
    Ok(surest(eyes, frame)?.filter(|l| l.confidence >= LEAST_AT_FIRST))
}

impl Known {
    /// Where the board is in this picture, and what the table did.
    fn place(&self, frame: &Frame, eyes: &mut Eyes) -> Result<Option<(Lattice, Table)>> {
        let size = image_size(&frame.image);
        let last = if size == self.image_size { self.lattice.clone() } else { self.rescaled(size) };
        let (work, _) = work_picture(&frame.image)?;
        let followed = self.tracker.follow(&work, &last)?;
        let table = followed.table;
        let near = |a: &Lattice, b: &Lattice| corner_shift(a, b) / b.mean_pitch_px();
        let guess = followed.lattice.as_ref().unwrap_or(&last);
        let measured = eyes.refine(frame, guess)?.filter(|l| l.confidence >= SURE);
        match (&followed.lattice, measured) {
            // to the bit where it lay, while the measurement only trembles
            (Some(f), Some(m)) if near(&m, f) < SAME_PITCHES => return Ok(Some((f.clone(), table))),
            (_, Some(m)) if near(&m, guess) < NEAR_PITCHES => return Ok(Some((m, table))),
            // an arm covers too much to measure it, but features all over the board say that it lies there
            (Some(f), None) => return Ok(Some((f.clone(), table))),
            _ => {}
        }
        let searched = found(eyes.locator.locate(&frame.image, &LocateOptions { size: Some(last.size) }))?;
        let Some(searched) = searched else { return Ok(None) };
        let lattice = self.aligned(turned_like(&searched, &last), frame, eyes)?;
        let table = self.tracker.table_beside(&work, &lattice)?;
        Ok(Some((lattice, table)))
    }

    fn rescaled(&self, size: [i32; 2]) -> Lattice {
        let was = self.image_size;
        self.lattice.scaled([0, 1].map(|k| f64::from(size[k]) / f64::from(was[k])), size)
    }

    /// A grid that is found anew can be off by a line where the board is crowded, and a board that was turned by hand looks as
    /// before but for its stones: they tell.
    fn aligned(&self, found: Lattice, frame: &Frame, eyes: &mut Eyes) -> Result<Lattice> {
        let n = self.lattice.size as usize;
        let mut best: Option<(i32, Lattice)> = None;
        for quarters in 0..4 {
            let turned = found.turned(quarters);
            let Some(wider) = turned.reindexed(-1.0, -1.0, found.size + 2) else { continue };
            let seen = eyes.reader.read(&frame.image, &wider)?;
            for k in 0..9 {
                let (down, right) = (k / 3, k % 3);
                let agreement: i32 = (0..n * n)
                    .map(|i| agreement(&self.readings[i], &seen[(i / n + down) * (n + 2) + i % n + right]))
                    .sum();
                // straight on, as it is found, unless the stones say clearly otherwise
                let handicap = if quarters == 0 && k == 4 { 0 } else { CLEARLY_BETTER };
                let shifted = turned.reindexed(down as f64 - 1.0, right as f64 - 1.0, found.size);
                if best.as_ref().is_none_or(|(most, _)| agreement - handicap > *most)
                    && let Some(shifted) = shifted
                {
                    best = Some((agreement - handicap, shifted));
                }
            }
        }
        Ok(best.map_or(found, |(_, lattice)| lattice))
    }
}

fn agreement(was: &PointReading, is: &PointReading) -> i32 {
    match (was.state(0.7), is.state(0.7)) {
        (Some(Some(a)), Some(Some(b))) if a == b => 2,
        (Some(Some(_)), Some(Some(_))) => -2,
        (Some(Some(_)), Some(None)) | (Some(None), Some(Some(_))) => -1,
        _ => 0,
    }
}

/// Points side by side are hidden, from the edge of the board inwards: an arm.
fn has_hand(readings: &[PointReading], lattice: &Lattice, image_size: [i32; 2]) -> bool {
    let n = lattice.size as usize;
    let hidden: Vec<bool> = readings
        .iter()
        .enumerate()
        .map(|(i, r)| {
            let p = lattice.to_image([(i / n) as f64, (i % n) as f64]);
            r.hidden > 0.5 && inside(p, image_size)
        })
        .collect();
    let mut seen = vec![false; n * n];
    for start in (0..n * n).filter(|i| i / n == 0 || i % n == 0 || i / n == n - 1 || i % n == n - 1) {
        let (mut open, mut count) = (vec![start], 0);
        while let Some(i) = open.pop() {
            if seen[i] || !hidden[i] {
                continue;
            }
            seen[i] = true;
            count += 1;
            let (row, col) = (i / n, i % n);
            let near = |v: usize| v.saturating_sub(1)..=(v + 1).min(n - 1);
            open.extend(near(row).flat_map(|r| near(col).map(move |c| r * n + c)));
        }
        if count >= HAND_POINTS {
            return true;
        }
    }
    false
}
