//! Pictures around an infraction, for the referee: before, during, after, and a short clip.
//!
//! A folder an event, `evidence/0012-double_move/`: `before.jpg`, `during.jpg`, `after.jpg`, `clip/01.jpg` …, and
//! `index.json`, written last, which says what each shows. The folder's name follows from the event alone, so the event
//! can carry it before anything is written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, SendTimeoutError, Sender, TrySendError};
use serde::Serialize;

use super::disk::{disk_trouble, write_atomically};
use super::picture_ring::{Picture, PictureRing, RingLimits};
use crate::game::{Event, EventKind, Interval, SinkReport, Text};

/// How long to wait before a disk that refused is tried again.
const RETRY: Duration = Duration::from_secs(2);
/// Sets of pictures that wait for a disk; more would eat the memory.
const MOST_WAITING: usize = 16;

/// Path of an event's evidence, relative to the record's folder. Depends on nothing else.
pub fn evidence_path(seq: u64, kind: EventKind) -> String {
    format!("evidence/{seq:04}-{}", kind.name())
}

/// What is kept and written.
#[derive(Clone, Copy, Debug)]
pub struct EvidenceOptions {
    pub ring: RingLimits,
    /// Pictures this long after the report still belong to the evidence.
    pub post_ms: u64,
    /// The clip: so long before and after the end of the happening.
    pub clip_before_ms: u64,
    pub clip_after_ms: u64,
    /// Pictures of the clip.
    pub clip_pictures: usize,
    /// For replays: [`Evidence::picture`] waits for the thread instead of dropping pictures, so that runs are the same.
    pub lossless: bool,
}

impl Default for EvidenceOptions {
    fn default() -> EvidenceOptions {
        EvidenceOptions {
            ring: RingLimits::default(),
            post_ms: 1000,
            clip_before_ms: 1500,
            clip_after_ms: 700,
            clip_pictures: 20,
            lossless: false,
        }
    }
}

enum Input {
    Picture(Picture),
    Event(Box<Wanted>),
}

/// Two threads: one keeps the ring and chooses, one writes. So a disk that hangs costs no picture of the next infraction.
#[derive(Debug)]
pub struct Evidence {
    input: Option<Sender<Input>>,
    reports: Receiver<SinkReport>,
    lossless: bool,
    dropped: Arc<AtomicU64>,
    closing: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Evidence {
    /// Starts the threads; `folder` is the record's folder.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn spawn(folder: &Path, options: EvidenceOptions) -> io::Result<Evidence> {
        let (input, received) = crossbeam_channel::bounded(64);
        let (chosen, to_write) = crossbeam_channel::bounded(MOST_WAITING);
        let (send, reports) = crossbeam_channel::unbounded();
        let closing = Arc::new(AtomicBool::new(false));
        let writer = Writer { reports: send.clone(), degraded: false, closing: Arc::clone(&closing) };
        let writer = std::thread::Builder::new().name("evidence-disk".into()).spawn(move || writer.run(&to_write))?;
        let ring = PictureRing::new(options.ring);
        let chooser = Chooser { folder: folder.to_owned(), options, ring, waiting: Vec::new(), chosen, reports: send };
        let chooser = std::thread::Builder::new().name("evidence".into()).spawn(move || chooser.run(&received))?;
        Ok(Evidence {
            input: Some(input),
            reports,
            lossless: options.lossless,
            dropped: Arc::default(),
            closing,
            threads: vec![chooser, writer],
        })
    }

    /// Hands over a picture of the table. Live, it returns at once: a picture that the thread has no room for is dropped.
    pub fn picture(&self, time_ms: u64, jpeg: impl Into<Arc<[u8]>>) {
        let Some(input) = &self.input else { return };
        let picture = Input::Picture(Picture { time_ms, jpeg: jpeg.into() });
        if self.lossless {
            let _ = input.send(picture);
        } else if let Err(TrySendError::Full(_)) = input.try_send(picture) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Pictures that were dropped because the machine was too busy.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Has the evidence of an event written, if the event carries an `evidence` path.
    pub fn event(&self, event: &Event) {
        let (Some(input), Some(path)) = (&self.input, &event.evidence) else { return };
        let wanted = Wanted {
            path: path.clone(),
            seq: event.seq,
            kind: event.kind,
            at_ms: event.at_ms,
            reported_ms: event.reported_ms,
            since: Instant::now(),
        };
        // an event is not dropped; its receiver touches no disk, so there is room within microseconds
        let _ = input.send(Input::Event(Box::new(wanted)));
    }

    /// Trouble and its end.
    pub fn reports(&self) -> &Receiver<SinkReport> {
        &self.reports
    }

    /// Writes what waits, without further post-roll, and ends the threads; a disk that refuses is tried once more.
    /// Dropping does the same.
    pub fn finish(self) {}
}

impl Drop for Evidence {
    fn drop(&mut self) {
        self.input = None;
        self.closing.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

struct Wanted {
    path: String,
    seq: u64,
    kind: EventKind,
    at_ms: Interval,
    reported_ms: u64,
    since: Instant,
}

/// Chosen pictures, to be written.
struct Chosen {
    folder: PathBuf,
    index: Index,
    pictures: Vec<Picture>,
}

#[derive(Serialize)]
struct Index {
    seq: u64,
    kind: EventKind,
    at_ms: Interval,
    reported_ms: u64,
    pictures: Vec<IndexEntry>,
}

#[derive(Serialize)]
struct IndexEntry {
    role: &'static str,
    file: String,
    time_ms: u64,
}

/// Keeps the ring; touches no disk.
struct Chooser {
    folder: PathBuf,
    options: EvidenceOptions,
    ring: PictureRing,
    /// Events whose post-roll is not over.
    waiting: Vec<Wanted>,
    chosen: Sender<Chosen>,
    reports: Sender<SinkReport>,
}

impl Chooser {
    fn run(mut self, input: &Receiver<Input>) {
        loop {
            // without events only the channel wakes us
            let patience_ms = if self.waiting.is_empty() { 3_600_000 } else { 100 };
            match input.recv_timeout(Duration::from_millis(patience_ms)) {
                Ok(Input::Picture(picture)) => {
                    let now_ms = picture.time_ms;
                    self.ring.push(picture);
                    self.choose(|w, post_ms| now_ms >= w.reported_ms.saturating_add(post_ms));
                }
                Ok(Input::Event(wanted)) => self.waiting.push(*wanted),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.choose(|_, _| true);
                    return;
                }
            }
            if !self.options.lossless {
                // the camera may have gone: the evidence must not wait for pictures that never come
                self.choose(|w, post_ms| w.since.elapsed() > Duration::from_millis(post_ms.saturating_add(1500)));
            }
        }
    }

    /// Picks the pictures of the events whose post-roll is over.
    fn choose(&mut self, is_over: impl Fn(&Wanted, u64) -> bool) {
        let (over, waiting): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.waiting).into_iter().partition(|w| is_over(w, self.options.post_ms));
        self.waiting = waiting;
        for wanted in over {
            let chosen = self.pictures_of(&wanted);
            // a replay waits for the disk; live, the next infraction matters more
            let wait = Duration::from_secs(if self.options.lossless { 10 } else { 0 });
            if let Err(SendTimeoutError::Timeout(lost)) = self.chosen.send_timeout(chosen, wait) {
                let (seq, place) = (lost.index.seq, lost.folder.display());
                report(
                    &self.reports,
                    true,
                    format!("The evidence of event {seq} is lost: the disk refused {place} for too long."),
                    format!("事件 {seq} 的证据图片丢失:磁盘长时间无法写入 {place}。"),
                );
            }
        }
    }

    fn pictures_of(&self, wanted: &Wanted) -> Chosen {
        let roles = [("before", wanted.at_ms.first), ("during", wanted.at_ms.last), ("after", wanted.reported_ms)];
        let stills = roles
            .into_iter()
            .filter_map(|(role, time_ms)| Some((role, format!("{role}.jpg"), self.ring.nearest(time_ms)?.clone())));
        let (from, to) = (
            wanted.at_ms.last.saturating_sub(self.options.clip_before_ms),
            wanted.at_ms.last.saturating_add(self.options.clip_after_ms),
        );
        let clip = self.ring.between(from, to, self.options.clip_pictures);
        let clip = clip.into_iter().enumerate().map(|(n, p)| ("clip", format!("clip/{:02}.jpg", n + 1), p.clone()));
        let (entries, pictures): (Vec<_>, Vec<_>) = stills
            .chain(clip)
            .map(|(role, file, picture)| (IndexEntry { role, file, time_ms: picture.time_ms }, picture))
            .unzip();
        let index = Index {
            seq: wanted.seq,
            kind: wanted.kind,
            at_ms: wanted.at_ms,
            reported_ms: wanted.reported_ms,
            pictures: entries,
        };
        Chosen { folder: self.folder.join(&wanted.path), index, pictures }
    }
}

/// Writes; may be held up by the disk as long as it likes.
struct Writer {
    reports: Sender<SinkReport>,
    degraded: bool,
    closing: Arc<AtomicBool>,
}

impl Writer {
    fn run(mut self, to_write: &Receiver<Chosen>) {
        while let Ok(chosen) = to_write.recv() {
            let mut last_try = false;
            while !self.write(&chosen) && !last_try {
                let refused = Instant::now();
                while refused.elapsed() < RETRY && !self.closing.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(50));
                }
                // at the end everything that waits gets one more try
                last_try = self.closing.load(Ordering::Relaxed);
            }
        }
    }

    /// True when it is on the disk.
    fn write(&mut self, chosen: &Chosen) -> bool {
        match chosen.write() {
            Ok(()) => {
                if std::mem::take(&mut self.degraded) {
                    report(&self.reports, false, "Evidence is written again.".into(), "证据图片恢复正常。".into());
                }
                true
            }
            Err(error) => {
                if !std::mem::replace(&mut self.degraded, true) {
                    let reason = disk_trouble(&chosen.folder, &error);
                    tracing::warn!("{}", reason.en);
                    report(
                        &self.reports,
                        true,
                        format!("Evidence pictures are not written: {}.", reason.en),
                        format!("证据图片未能存盘:{}。", reason.zh),
                    );
                }
                false
            }
        }
    }
}

fn report(reports: &Sender<SinkReport>, degraded: bool, en: String, zh: String) {
    let _ = reports.send(SinkReport { sink: "evidence".into(), degraded, text: Text { en, zh } });
}

impl Chosen {
    fn write(&self) -> io::Result<()> {
        fs::create_dir_all(self.folder.join("clip"))?;
        for (entry, picture) in self.index.pictures.iter().zip(&self.pictures) {
            let mut file = File::create(self.folder.join(&entry.file))?;
            file.write_all(&picture.jpeg)?;
            // the clip may get lost in a power cut, the stills not; a sync takes up to 200 ms on a memory card
            if entry.role != "clip" {
                file.sync_all()?;
            }
        }
        let mut index = serde_json::to_vec_pretty(&self.index)?;
        index.push(b'\n');
        write_atomically(&self.folder.join("index.json"), &index)
    }
}
