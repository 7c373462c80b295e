//! A picture with its time, and the trait of everything that gives pictures.

use opencv::core::Mat;
use opencv::prelude::*;

/// One picture.
#[derive(Clone, Debug)]
pub struct Frame {
    /// 0, 1, … in its source; gaps where live frames were dropped.
    pub index: u64,
    /// Milliseconds since the source started: footage time for a replay, monotonic time for a live source.
    pub time_ms: u64,
    /// BGR, 8 bits.
    pub image: Mat,
}

impl Frame {
    /// Width and height, pixels.
    pub fn size(&self) -> [i32; 2] {
        [self.image.cols(), self.image.rows()]
    }
}

/// What a source had to give.
#[derive(Debug)]
pub enum Grab {
    Frame(Frame),
    /// The footage is over. A live source never says this.
    End,
    /// A live source failed; the reason for people. Opening it again is the caller's task ([`Source::reopen`]).
    Lost(String),
}

/// Anything that gives pictures.
pub trait Source: Send {
    /// What it is, for messages: the device, address or path.
    fn name(&self) -> String;

    /// True when frames come in their own time and old ones are worthless.
    fn is_live(&self) -> bool;

    /// Time between two frames, where the source knows it beforehand.
    fn interval_ms(&self) -> Option<u64> {
        None
    }

    /// The next frame. Blocks at most a few seconds.
    fn grab(&mut self) -> Grab;

    /// Tries once to open a lost source again.
    ///
    /// # Errors
    /// Says what is missing (device, address) and what to try.
    fn reopen(&mut self) -> anyhow::Result<()>;
}
