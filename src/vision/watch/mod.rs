//! From frame to frame: finds the board, follows it, reads what changed, and keeps hands apart from stones.
//!
//! Enters: frames in order. Leaves: one [`Sighting`] each. What is decided depends on the frames and their times alone, never on
//! a clock: the same footage gives the same sightings.
//!
//! A point is read only while its own patch of the picture is calm and nothing reaches over it from outside the board; a moving
//! finger, sleeve or shadow therefore hides points and cannot become stones. A point that does not change keeps its reading and
//! costs nothing.

mod blocks;
mod board;
mod loose;
mod movement;
mod points;
mod sampler;
mod scene;
mod stills;

use opencv::core::Mat;
use opencv::prelude::*;

use super::error::{Result, VisionError};
use super::lattice::Lattice;
use super::locate::{LocateOptions, Locator, SIZES};
use super::nets::Models;
use super::reader::Reader;
use super::sighting::{Scene, Sighting};
use crate::capture::Frame;
use board::Board;
use stills::Stills;

/// How a board is watched.
#[derive(Clone, Debug, Default)]
pub struct WatcherOptions {
    /// 9, 13 or 19; otherwise it is found out.
    pub size: Option<u8>,
    /// The outermost crossings in pixels, in the order board\[0\]\[0\], board\[0\]\[N-1\], board\[N-1\]\[N-1\], board\[N-1\]\[0\]; where the
    /// board is when watching starts. It is followed from there.
    pub corners: Option<[[f64; 2]; 4]>,
    pub models: Models,
    /// The frames are pictures far apart (a folder of photos): each is read by itself.
    pub stills: bool,
}

/// Attempts to find a board are this far apart in footage time.
const SEARCH_EVERY_MS: u64 = 300;
/// Two finds must agree to this, in pitches, before they count.
const SAME_PLACE_PITCHES: f64 = 0.2;
/// Whoever watches footage has a board in it: when none was recognised for this long, a grid is taken that is a board of Go if
/// anything. That is asked so often, for it costs a search a size, and so sure the grid must be.
const PROMISED_AFTER_MS: u64 = 1000;
const PROMISED_EVERY_MS: u64 = 3000;
const PROMISED_LEAST: f64 = 0.98;
/// A board that was lost comes back with its size; after this long it may be another board.
const SAME_BOARD_MS: u64 = 60_000;

/// Watches one board.
pub struct Watcher {
    options: WatcherOptions,
    eyes: Eyes,
    board: Option<Board>,
    stills: Stills,
    search: Search,
    complained: bool,
}

/// The networks.
struct Eyes {
    locator: Locator,
    reader: Reader,
}

impl Eyes {
    /// The lattice measured anew, and settled on the stones.
    fn refine(&mut self, frame: &Frame, lattice: &Lattice) -> Result<Option<Lattice>> {
        let measured = self.locator.refine(&frame.image, lattice)?;
        measured.map(|l| self.settled(frame, l)).transpose()
    }

    /// A lattice that was found or measured, settled on the stones.
    fn settled(&mut self, frame: &Frame, lattice: Lattice) -> Result<Lattice> {
        Ok(self.reader.read_settled(&frame.image, lattice)?.0)
    }
}

#[derive(Default)]
struct Search {
    next_ms: u64,
    /// Found once; a second find must agree.
    candidate: Option<Lattice>,
    /// The board that was lost: its size, corners and when.
    last: Option<(Lattice, u64)>,
    /// When the first frame without a board was seen, and when one was last looked for with its size promised.
    without_ms: Option<u64>,
    promised_ms: Option<u64>,
    /// The candidate was found so: the second find is asked for with its size, too.
    promised_size: Option<u8>,
}

impl Watcher {
    /// # Errors
    /// If a network cannot be loaded.
    pub fn new(options: WatcherOptions) -> Result<Watcher> {
        let eyes = Eyes { locator: Locator::new(&options.models)?, reader: Reader::new(&options.models)? };
        Ok(Watcher {
            options,
            eyes,
            board: None,
            stills: Stills::default(),
            search: Search::default(),
            complained: false,
        })
    }

    /// Where the board is, while it is known.
    pub fn lattice(&self) -> Option<&Lattice> {
        self.stills.lattice().or(self.board.as_ref().map(Board::lattice))
    }

    /// Looks at the next frame. Never fails: a frame that cannot be used shows nothing.
    pub fn see(&mut self, frame: &Frame) -> Sighting {
        match self.try_see(frame) {
            Ok(sighting) => {
                self.complained = false;
                sighting
            }
            Err(why) => {
                if !self.complained {
                    tracing::warn!(frame = frame.index, %why, "a frame could not be used");
                    self.complained = true;
                }
                self.nothing(frame)
            }
        }
    }

    fn nothing(&self, frame: &Frame) -> Sighting {
        Sighting {
            frame: frame.index,
            time_ms: frame.time_ms,
            size: self.lattice().map_or(0, |l| l.size),
            points: Vec::new(),
            hand: false,
            motion: false,
            loose: Vec::new(),
            scene: Vec::new(),
        }
    }

    fn try_see(&mut self, frame: &Frame) -> Result<Sighting> {
        super::picture::check_picture(&frame.image)?;
        let mut sighting = self.nothing(frame);
        if self.options.stills {
            self.stills.see(frame, &mut self.eyes, &self.options, &mut sighting)?;
            return Ok(sighting);
        }
        if let Some(board) = &mut self.board {
            if board.see(frame, &mut self.eyes, &mut sighting)? {
                return Ok(sighting);
            }
            // lost
            self.search.last = Some((board.lattice().clone(), frame.time_ms));
            self.search.candidate = None;
            self.search.next_ms = frame.time_ms + SEARCH_EVERY_MS;
            self.board = None;
            sighting.size = 0;
            sighting.scene.push(Scene::BoardLost);
            return Ok(sighting);
        }
        if let Some(lattice) = self.search(frame)? {
            let lattice = self.eyes.settled(frame, lattice)?;
            let confidence = lattice.confidence as f32;
            sighting.size = lattice.size;
            sighting.scene.push(Scene::BoardFound { confidence });
            let mut board = Board::new(frame, lattice)?;
            board.see(frame, &mut self.eyes, &mut sighting)?;
            self.board = Some(board);
        }
        Ok(sighting)
    }

    /// The board, once it was found twice at the same place.
    fn search(&mut self, frame: &Frame) -> Result<Option<Lattice>> {
        if let (Some(corners), None) = (self.options.corners, &self.search.last) {
            return Ok(Some(self.eyes.locator.at_corners(&frame.image, corners, self.options.size)?));
        }
        if frame.time_ms < self.search.next_ms {
            return Ok(None);
        }
        self.search.next_ms = frame.time_ms + SEARCH_EVERY_MS;
        let known = self.search.last.as_ref().filter(|(_, lost)| frame.time_ms.saturating_sub(*lost) < SAME_BOARD_MS);
        let size = self.options.size.or(known.map(|(l, _)| l.size));
        let size = size.or(self.search.promised_size.take());
        let found = match found(self.eyes.locator.locate(&frame.image, &LocateOptions { size }))? {
            Some(found) => found,
            None => {
                tracing::debug!(frame = frame.index, "no board yet");
                self.search.candidate = None;
                if let Some(found) = self.promised(frame, size)? {
                    self.search.promised_size = Some(found.size);
                    self.search.candidate = Some(found);
                    return Ok(None);
                }
                return self.by_hand(frame);
            }
        };
        let found = match known {
            Some((last, _)) if last.size == found.size => turned_like(&found, last),
            _ => found,
        };
        let agrees = self.search.candidate.as_ref().is_some_and(|c| {
            c.size == found.size && corner_shift(c, &found) < SAME_PLACE_PITCHES * found.mean_pitch_px()
        });
        if agrees {
            self.search.candidate = None;
            return Ok(Some(found));
        }
        self.search.candidate = Some(found);
        Ok(None)
    }
}

impl Watcher {
    /// An empty board in poor light is as little like a board of Go as like another grid, and a game begins with it: the surest
    /// grid of all sizes is looked at again.
    fn promised(&mut self, frame: &Frame, size: Option<u8>) -> Result<Option<Lattice>> {
        let now = frame.time_ms;
        let without = *self.search.without_ms.get_or_insert(now);
        let due = self.search.promised_ms.is_none_or(|t| now.saturating_sub(t) >= PROMISED_EVERY_MS);
        if size.is_some() || self.search.last.is_some() || now.saturating_sub(without) < PROMISED_AFTER_MS || !due {
            return Ok(None);
        }
        self.search.promised_ms = Some(now);
        Ok(surest(&mut self.eyes, frame)?.filter(|l| l.confidence >= PROMISED_LEAST))
    }

    /// A board that was given by its corners is perhaps one that cannot be found: it is taken to be where it was when its points
    /// can be read there again.
    fn by_hand(&mut self, frame: &Frame) -> Result<Option<Lattice>> {
        let (Some(_), Some((last, _))) = (self.options.corners, &self.search.last) else { return Ok(None) };
        let readings = self.eyes.reader.read(&frame.image, last)?;
        let clear = readings.iter().filter(|r| r.state(0.8).is_some()).count();
        Ok((clear * 10 >= readings.len() * 8).then(|| last.clone()))
    }
}

/// The board that is found with most confidence where its size is promised, whichever size that is.
fn surest(eyes: &mut Eyes, frame: &Frame) -> Result<Option<Lattice>> {
    let mut best: Option<Lattice> = None;
    for size in SIZES {
        let lattice = found(eyes.locator.locate(&frame.image, &LocateOptions { size: Some(size) }))?;
        best = lattice.into_iter().chain(best).max_by(|a, b| a.confidence.total_cmp(&b.confidence));
    }
    Ok(best)
}

fn found(result: Result<Lattice>) -> Result<Option<Lattice>> {
    match result {
        Ok(lattice) => Ok(Some(lattice)),
        Err(VisionError::NoBoard(_)) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Largest movement of a corner, pixels.
fn corner_shift(a: &Lattice, b: &Lattice) -> f64 {
    a.corners().iter().zip(b.corners()).map(|(p, q)| (p[0] - q[0]).hypot(p[1] - q[1])).fold(0.0, f64::max)
}

/// `found` with its corners numbered as those of `last`: a camera that was turned a little must not turn the board.
fn turned_like(found: &Lattice, last: &Lattice) -> Lattice {
    let mut best = found.clone();
    for quarters in 1..4 {
        let turned = found.turned(quarters);
        if corner_shift(&turned, last) < corner_shift(&best, last) {
            best = turned;
        }
    }
    best
}

fn image_size(image: &Mat) -> [i32; 2] {
    [image.cols(), image.rows()]
}
