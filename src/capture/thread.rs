//! A source on threads of its own: nothing downstream can hold it up, and it holds up nothing.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Select, Sender, bounded, never};

use super::{Frame, Grab, Source};

/// What comes out of the thread.
#[derive(Debug)]
pub enum Captured {
    Frame(Frame),
    /// A live source failed; it is being opened again.
    Lost {
        time_ms: u64,
        reason: String,
    },
    /// It gives pictures again.
    Back {
        time_ms: u64,
    },
    /// The footage is over; nothing follows.
    End,
}

/// The times of the thread; the defaults suit a venue.
#[derive(Clone, Copy, Debug)]
pub struct ThreadOptions {
    /// Wait before the first attempt to open a lost source again; doubles with every attempt.
    pub first_wait: Duration,
    pub longest_wait: Duration,
    /// A read or an attempt to open that takes longer than this counts as a loss, though the thread cannot be freed from it.
    pub watchdog: Duration,
}

impl Default for ThreadOptions {
    fn default() -> ThreadOptions {
        ThreadOptions {
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(10),
            // above the longest time-out of a stream or of V4L2 (10 s)
            watchdog: Duration::from_secs(12),
        }
    }
}

/// A running source. Dropping it stops it.
///
/// Live: the newest frame waits to be taken, older ones are dropped (their numbers are missing); losses are told and never dropped.
/// Replay: every frame, the reader sets the pace.
pub struct CaptureThread {
    stop: Arc<AtomicBool>,
    /// Dropped on stop: wakes a thread that waits.
    wake: Option<Sender<()>>,
    threads: Vec<JoinHandle<()>>,
    name: String,
}

/// A replay's frames, each of several megabytes, that wait for the reader beside the one that the thread has ready: decoding goes on
/// all the same.
const AHEAD: usize = 0;
/// How long stopping waits for a blocked read before it leaves the thread behind.
const STOP_WAIT: Duration = Duration::from_secs(6);
/// Untold losses and returns that are kept for a reader who does not come.
const NOTICES: usize = 32;

impl CaptureThread {
    pub fn spawn(source: Box<dyn Source>) -> (CaptureThread, Receiver<Captured>) {
        CaptureThread::spawn_with(source, ThreadOptions::default())
    }

    pub fn spawn_with(source: Box<dyn Source>, options: ThreadOptions) -> (CaptureThread, Receiver<Captured>) {
        let stop = Arc::new(AtomicBool::new(false));
        let (wake, woken) = bounded::<()>(0);
        let name = source.name();
        let mut threads = Vec::new();
        let receiver = if source.is_live() {
            let (grabbed_tx, grabbed_rx) = bounded(0);
            // No room in this channel: what waits lies with the hand-over thread, which can still replace it.
            let (out_tx, out_rx) = bounded(0);
            let grabber = Grabber { source, options, stop: stop.clone(), woken: woken.clone(), out: grabbed_tx };
            threads.push(std::thread::spawn(move || grabber.run()));
            threads.push(std::thread::spawn(move || hand_over(&grabbed_rx, &out_tx, &woken, options)));
            out_rx
        } else {
            let (out_tx, out_rx) = bounded(AHEAD);
            let grabber = Grabber { source, options, stop: stop.clone(), woken, out: out_tx };
            threads.push(std::thread::spawn(move || grabber.run()));
            out_rx
        };
        (CaptureThread { stop, wake: Some(wake), threads, name }, receiver)
    }

    /// Stops and waits for the end of the running read.
    pub fn stop(mut self) {
        self.halt();
    }

    fn halt(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wake = None;
        let deadline = Instant::now() + STOP_WAIT;
        for thread in self.threads.drain(..) {
            while !thread.is_finished() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(2));
            }
            if !thread.is_finished() {
                tracing::warn!(source = self.name, "a read is still blocking; its thread is left behind");
            } else if thread.join().is_err() {
                tracing::error!(source = self.name, "the capture thread panicked");
            }
        }
    }
}

impl Drop for CaptureThread {
    fn drop(&mut self) {
        self.halt();
    }
}

struct Grabber {
    source: Box<dyn Source>,
    options: ThreadOptions,
    stop: Arc<AtomicBool>,
    woken: Receiver<()>,
    out: Sender<Captured>,
}

impl Grabber {
    fn run(mut self) {
        let mut clock = SourceClock::new();
        while !self.stop.load(Ordering::Relaxed) {
            match self.source.grab() {
                Grab::Frame(frame) => {
                    clock.saw(&frame);
                    if !self.send(Captured::Frame(frame)) {
                        return;
                    }
                }
                Grab::End => {
                    self.send(Captured::End);
                    return;
                }
                Grab::Lost(reason) => {
                    tracing::warn!(source = self.source.name(), reason, "source lost");
                    if !self.send(Captured::Lost { time_ms: clock.now_ms(), reason }) || !self.bring_back(&mut clock) {
                        return;
                    }
                }
            }
        }
    }

    /// Opens the source again, for as long as it takes; it is back with its first frame. False: stop.
    fn bring_back(&mut self, clock: &mut SourceClock) -> bool {
        let mut wait = self.options.first_wait;
        let mut last_reason = String::new();
        loop {
            match self.woken.recv_timeout(wait) {
                Err(RecvTimeoutError::Timeout) => {}
                _ => return false,
            }
            wait = (wait * 2).min(self.options.longest_wait);
            let reason = match self.source.reopen() {
                Err(why) => format!("{why:#}"),
                Ok(()) => match self.source.grab() {
                    Grab::Frame(frame) => {
                        tracing::info!(source = self.source.name(), "source back");
                        clock.saw(&frame);
                        return self.send(Captured::Back { time_ms: frame.time_ms })
                            && self.send(Captured::Frame(frame));
                    }
                    Grab::Lost(reason) => reason,
                    Grab::End => "it has ended".to_string(),
                },
            };
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
            // the same reason every ten seconds all night long would hide everything else in the log
            if reason != last_reason {
                tracing::warn!(source = self.source.name(), reason, "source not back yet");
                last_reason = reason;
            }
        }
    }

    /// False when nobody listens any more or when it is time to stop.
    fn send(&self, captured: Captured) -> bool {
        crossbeam_channel::select! {
            send(self.out, captured) -> sent => sent.is_ok(),
            recv(self.woken) -> _ => false,
        }
    }
}

/// The source's time, also between and after its frames.
struct SourceClock {
    base_ms: u64,
    at: Instant,
}

impl SourceClock {
    fn new() -> SourceClock {
        SourceClock { base_ms: 0, at: Instant::now() }
    }

    fn saw(&mut self, frame: &Frame) {
        *self = SourceClock { base_ms: frame.time_ms, at: Instant::now() };
    }

    fn now_ms(&self) -> u64 {
        self.base_ms + self.at.elapsed().as_millis() as u64
    }
}

/// Keeps the newest frame and all notices for the reader, and watches that the grabber lives.
fn hand_over(grabbed: &Receiver<Captured>, out: &Sender<Captured>, woken: &Receiver<()>, options: ThreadOptions) {
    let mut waiting: VecDeque<Captured> = VecDeque::new();
    let mut clock = SourceClock::new();
    let mut lost = false;
    let mut blocked = false;
    let mut heard = Instant::now();
    let closed = never();
    let mut source_open = true;
    loop {
        if !source_open && waiting.is_empty() {
            return;
        }
        let input = if source_open { grabbed } else { &closed };
        let mut select = Select::new();
        let i_woken = select.recv(woken);
        let i_grabbed = select.recv(input);
        let i_out = if waiting.is_empty() { usize::MAX } else { select.send(out) };
        // While lost, the grabber is silent for as long as it takes.
        let timeout = if lost || blocked || !source_open {
            Duration::from_secs(3600)
        } else {
            options.watchdog.saturating_sub(heard.elapsed())
        };
        match select.select_timeout(timeout) {
            Err(_) if !lost && !blocked && source_open && heard.elapsed() >= options.watchdog => {
                blocked = true;
                let reason = format!("no answer from the driver for {} s", options.watchdog.as_secs());
                tracing::warn!(reason, "source lost");
                push(&mut waiting, Captured::Lost { time_ms: clock.now_ms(), reason });
            }
            Err(_) => {}
            Ok(op) if op.index() == i_woken => {
                let _ = op.recv(woken);
                return;
            }
            Ok(op) if op.index() == i_grabbed => match op.recv(input) {
                Err(_) => source_open = false,
                Ok(captured) => {
                    heard = Instant::now();
                    match &captured {
                        Captured::Frame(frame) => {
                            clock.saw(frame);
                            if blocked {
                                push(&mut waiting, Captured::Back { time_ms: frame.time_ms });
                            }
                            blocked = false;
                        }
                        Captured::Lost { .. } => {
                            lost = true;
                            if blocked {
                                // told already, when it began to block
                                blocked = false;
                                continue;
                            }
                        }
                        Captured::Back { .. } => lost = false,
                        Captured::End => {}
                    }
                    push(&mut waiting, captured);
                }
            },
            Ok(op) if op.index() == i_out => {
                if let Some(captured) = waiting.pop_front() {
                    if op.send(out, captured).is_err() {
                        return;
                    }
                } else {
                    return;
                }
            }
            Ok(_) => return,
        }
    }
}

/// A frame replaces the frame that waits last; notices stay, in order.
fn push(waiting: &mut VecDeque<Captured>, captured: Captured) {
    if let (Captured::Frame(_), Some(Captured::Frame(_))) = (&captured, waiting.back()) {
        waiting.pop_back();
    }
    waiting.push_back(captured);
    if waiting.len() > NOTICES {
        // Nobody has listened for a long time: of a loss and return in the past nothing is left to do. The last state stays.
        waiting.drain(..2);
    }
}

#[cfg(test)]
mod tests {
    use opencv::core::Mat;

    use super::*;

    fn frame(index: u64) -> Captured {
        Captured::Frame(Frame { index, time_ms: index, image: Mat::default() })
    }

    #[test]
    fn a_frame_replaces_only_a_frame() {
        let mut waiting = VecDeque::new();
        push(&mut waiting, frame(1));
        push(&mut waiting, frame(2));
        push(&mut waiting, Captured::Lost { time_ms: 3, reason: String::new() });
        push(&mut waiting, Captured::Back { time_ms: 4 });
        push(&mut waiting, frame(5));
        push(&mut waiting, frame(6));
        let kinds: Vec<String> = waiting
            .iter()
            .map(|c| match c {
                Captured::Frame(f) => f.index.to_string(),
                Captured::Lost { .. } => "lost".into(),
                Captured::Back { .. } => "back".into(),
                Captured::End => "end".into(),
            })
            .collect();
        assert_eq!(kinds, ["2", "lost", "back", "6"]);
    }
}
