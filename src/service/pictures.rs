//! The pictures' thread: encodes frames for the evidence and for the page, so that the table's thread never waits for it.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};

use crate::capture::Frame;
use crate::feed::Feed;
use crate::record::Evidence;
use crate::vision::{self, Lattice, PointReading};

/// Between two pictures kept for evidence: while something moves, and while nothing does, when one is like the other. A deciding
/// frame is always kept.
const EVIDENCE_EVERY_MS: u64 = 180;
const STILL_EVIDENCE_EVERY_MS: u64 = 500;
/// Between two pictures of the page.
const PAGE_EVERY_MS: u64 = 500;
const EVIDENCE_QUALITY: i32 = 88;
/// Wider pictures are kept at this width: a stone is 30 pixels then, and a minute of pictures is a few tens of megabytes.
const EVIDENCE_WIDTH_PX: i32 = 1440;
/// Frames that wait for the thread, each of several megabytes: live, and in a replay, which waits itself.
const WAITING: usize = 3;
const WAITING_IN_REPLAY: usize = 0;
const PAGE_QUALITY: i32 = 80;
const PAGE_WIDTH_PX: i32 = 960;

/// A frame on its way to evidence and page.
pub struct Shown {
    pub frame: Frame,
    /// Table time of the frame.
    pub time_ms: u64,
    /// An event was decided on it: it must be in the evidence.
    pub deciding: bool,
    /// The page wants it.
    pub page: bool,
    /// What to draw over it for the page.
    pub overlay: Option<(Lattice, Vec<PointReading>)>,
}

/// The thread; dropping it ends it after what it has.
pub struct Pictures {
    input: Option<Sender<Shown>>,
    thread: Option<JoinHandle<()>>,
    lossless: bool,
    last_evidence_ms: Option<u64>,
    last_page_ms: Option<u64>,
}

impl Pictures {
    /// `lossless`: a replay waits for the thread, so that the evidence of two runs is the same.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn spawn(evidence: Arc<Evidence>, feed: Option<Arc<Feed>>, lossless: bool) -> std::io::Result<Pictures> {
        let (input, received) = bounded(if lossless { WAITING_IN_REPLAY } else { WAITING });
        let thread = std::thread::Builder::new()
            .name("pictures".into())
            .spawn(move || work(&received, &evidence, feed.as_deref()))?;
        Ok(Pictures { input: Some(input), thread: Some(thread), lossless, last_evidence_ms: None, last_page_ms: None })
    }

    /// True when a frame of that time should be handed over at all: most are not needed.
    pub fn wants(&self, time_ms: u64, deciding: bool, moving: bool) -> bool {
        let every_ms = if moving { EVIDENCE_EVERY_MS } else { STILL_EVIDENCE_EVERY_MS };
        deciding || self.last_evidence_ms.is_none_or(|t| time_ms >= t + every_ms)
    }

    /// True when the page needs a picture.
    pub fn page_wants(&self, time_ms: u64) -> bool {
        self.last_page_ms.is_none_or(|t| time_ms >= t + PAGE_EVERY_MS)
    }

    /// Hands a frame over. Live, it returns at once and drops the frame when the thread is busy.
    pub fn show(&mut self, shown: Shown) {
        let Some(input) = &self.input else { return };
        let (time_ms, page) = (shown.time_ms, shown.page);
        let taken = if self.lossless {
            input.send(shown).is_ok()
        } else {
            match input.try_send(shown) {
                Ok(()) => true,
                // the frame that decided an event is worth a short wait: it is the evidence
                Err(TrySendError::Full(shown)) if shown.deciding => {
                    input.send_timeout(shown, Duration::from_millis(200)).is_ok()
                }
                Err(_) => false,
            }
        };
        if taken {
            self.last_evidence_ms = Some(time_ms);
            if page {
                self.last_page_ms = Some(time_ms);
            }
        }
    }
}

impl Drop for Pictures {
    fn drop(&mut self) {
        self.input = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn work(received: &Receiver<Shown>, evidence: &Evidence, feed: Option<&Feed>) {
    for shown in received {
        match vision::encode_jpeg(&shown.frame.image, EVIDENCE_QUALITY, Some(EVIDENCE_WIDTH_PX)) {
            Ok(jpeg) => evidence.picture(shown.time_ms, jpeg),
            Err(e) => tracing::warn!("frame {} cannot be kept as evidence: {e}", shown.frame.index),
        }
        let Some(feed) = feed.filter(|_| shown.page) else { continue };
        let drawn = match &shown.overlay {
            Some((lattice, readings)) => vision::draw_overlay(&shown.frame.image, lattice, readings),
            None => Ok(shown.frame.image),
        };
        match drawn.and_then(|image| vision::encode_jpeg(&image, PAGE_QUALITY, Some(PAGE_WIDTH_PX))) {
            Ok(jpeg) => feed.picture(jpeg),
            Err(e) => tracing::warn!("the page's picture cannot be drawn: {e}"),
        }
    }
}
