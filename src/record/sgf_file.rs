//! The game record on the disk, always whole: rewritten atomically at each change, on its own thread.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};

use super::disk::{disk_trouble, write_atomically};
use crate::game::{SinkReport, Text};

/// How long to wait before a disk that refused is tried again.
const RETRY: Duration = Duration::from_secs(2);

/// A file that always holds the newest text it was given; of texts that come faster than the disk only the newest is
/// written. After a failure the last good file stays and the newest text is tried again.
#[derive(Debug)]
pub struct SgfFile {
    shared: Arc<Shared>,
    reports: Receiver<SinkReport>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    newest: Option<String>,
    closing: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SgfFile {
    /// Starts the thread that writes `path`.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn spawn(path: PathBuf) -> std::io::Result<SgfFile> {
        let shared = Arc::new(Shared::default());
        let (send, reports) = crossbeam_channel::unbounded();
        let thread = std::thread::Builder::new().name("sgf".into()).spawn({
            let shared = Arc::clone(&shared);
            move || write_newest(&path, &shared, &send)
        })?;
        Ok(SgfFile { shared, reports, thread: Some(thread) })
    }

    /// Has `text` written; returns at once.
    pub fn set(&self, text: String) {
        self.shared.lock().newest = Some(text);
        self.shared.changed.notify_one();
    }

    /// Trouble and its end.
    pub fn reports(&self) -> &Receiver<SinkReport> {
        &self.reports
    }

    /// Writes what is left and ends the thread; a disk that refuses is tried once more. Dropping does the same.
    pub fn finish(self) {}
}

impl Drop for SgfFile {
    fn drop(&mut self) {
        self.shared.lock().closing = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn write_newest(path: &Path, shared: &Shared, reports: &Sender<SinkReport>) {
    let mut degraded = false;
    loop {
        let (text, closing) = {
            let mut state = shared.lock();
            while state.newest.is_none() && !state.closing {
                state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            (state.newest.take(), state.closing)
        };
        let Some(text) = text else { return };
        match write_atomically(path, text.as_bytes()) {
            Ok(()) => {
                if std::mem::take(&mut degraded) {
                    let text = Text {
                        en: "The game record is written again.".into(), zh: "棋谱文件恢复正常。".into()
                    };
                    let _ = reports.send(SinkReport { sink: "sgf".into(), degraded: false, text });
                }
            }
            Err(error) => {
                let reason = disk_trouble(path, &error);
                if !std::mem::replace(&mut degraded, true) {
                    tracing::warn!("{}", reason.en);
                    let text = Text {
                        en: format!("The game record is not up to date: {}.", reason.en),
                        zh: format!("棋谱文件未能更新:{}。", reason.zh),
                    };
                    let _ = reports.send(SinkReport { sink: "sgf".into(), degraded: true, text });
                }
                if closing {
                    return;
                }
                let mut state = shared.lock();
                state.newest.get_or_insert(text);
                let waited = shared.changed.wait_timeout_while(state, RETRY, |s| !s.closing);
                drop(waited);
            }
        }
    }
}
