//! The append-only journal: written and on the disk before anything is shown, so that a killed daemon goes on with the
//! same game.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::disk::{disk_trouble, sync_folder};
use super::line::{self, Chain};
use super::lock::{FolderLock, LockError};
use super::reading::{self, Damage, FORMAT_VERSION, Header, ReadError, Reading};
use crate::game::{Event, SinkReport, Text};

/// Name of the journal in the record's folder.
pub const JOURNAL_FILE: &str = "journal.log";
const LOCK_FILE: &str = "journal.lock";

/// Why a journal cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: ReadError },
    #[error("{} belongs to table {found:?}, not to {wanted:?}; use another folder", path.display())]
    OtherTable { path: PathBuf, found: String, wanted: String },
}

/// What became of an event that was appended. In no case is it lost while the process lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppendOutcome {
    /// It is on the disk.
    Written,
    /// The disk refuses, since just now: the event waits in memory, in order.
    Degraded { reason: Text, waiting: usize },
    /// The disk still refuses; `waiting` events wait in memory.
    Waiting { waiting: usize },
    /// The disk is well again: this event and the `caught_up` that waited are on it.
    Restored { caught_up: usize },
    /// An event of this or a later `seq` is there already; nothing was written.
    Duplicate { seq: u64 },
}

impl AppendOutcome {
    /// What to tell the operator, where the outcome changes something.
    pub fn report(&self) -> Option<SinkReport> {
        let (degraded, text) = match self {
            AppendOutcome::Degraded { reason, .. } => (
                true,
                Text {
                    en: format!("The journal is not safe: {}. Events are kept in memory meanwhile.", reason.en),
                    zh: format!("对局日志未能存盘:{}。事件暂存于内存。", reason.zh),
                },
            ),
            AppendOutcome::Restored { caught_up } => (
                false,
                Text {
                    en: format!("The journal is safe again; {caught_up} waiting events were written."),
                    zh: format!("对局日志恢复正常,已补写 {caught_up} 条事件。"),
                },
            ),
            _ => return None,
        };
        Some(SinkReport { sink: "journal".into(), degraded, text })
    }
}

/// The journal of one game. One writer a folder; drop it to free the folder.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    path: PathBuf,
    file: File,
    lock: FolderLock,
    /// Bytes of the file that are valid and on the disk.
    good_bytes: u64,
    /// The last link, waiting lines included.
    chain: Chain,
    last_seq: u64,
    /// Whole lines that are not on the disk yet.
    waiting: Vec<u8>,
    waiting_events: usize,
    /// Unusable bytes that must be put aside before anything is written over them.
    aside: Option<(&'static str, Vec<u8>)>,
    degraded: bool,
    notices: Vec<SinkReport>,
}

impl Journal {
    /// Opens the journal in `folder`, or begins one; gives the events it holds. The table's name is the folder's.
    ///
    /// # Errors
    /// Another process writes it; it cannot be read or made; it is of another version.
    pub fn open(folder: &Path) -> Result<(Journal, Vec<Event>), JournalError> {
        Journal::open_inner(folder, None)
    }

    /// As [`Journal::open`]; refuses a journal of another table.
    ///
    /// # Errors
    /// As [`Journal::open`], and [`JournalError::OtherTable`].
    pub fn open_table(folder: &Path, table: &str) -> Result<(Journal, Vec<Event>), JournalError> {
        Journal::open_inner(folder, Some(table))
    }

    /// Begins a journal anew, for a replay into a folder that was used before; an older one is kept as `journal.previous.log`.
    ///
    /// # Errors
    /// As [`Journal::open`].
    pub fn begin(folder: &Path, table: &str) -> Result<Journal, JournalError> {
        let lock = FolderLock::take(folder, LOCK_FILE)?;
        let path = folder.join(JOURNAL_FILE);
        match fs::rename(&path, folder.join("journal.previous.log")) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => return Err(JournalError::Io { path, source }),
            _ => {}
        }
        Ok(Journal::open_locked(folder, Some(table), lock)?.0)
    }

    fn open_inner(folder: &Path, table: Option<&str>) -> Result<(Journal, Vec<Event>), JournalError> {
        let lock = FolderLock::take(folder, LOCK_FILE)?;
        Journal::open_locked(folder, table, lock)
    }

    fn open_locked(
        folder: &Path,
        table: Option<&str>,
        lock: FolderLock,
    ) -> Result<(Journal, Vec<Event>), JournalError> {
        let path = folder.join(JOURNAL_FILE);
        let io_error = |source| JournalError::Io { path: path.clone(), source };
        let mut file = open_file(&path).map_err(io_error)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io_error)?;
        let reading = reading::read(&bytes).map_err(|source| JournalError::Read { path: path.clone(), source })?;
        if let (Some(wanted), Some(header)) = (table, &reading.header)
            && header.table != wanted
        {
            return Err(JournalError::OtherTable { path, found: header.table.clone(), wanted: wanted.to_owned() });
        }

        let notices = notices(&path, &reading);
        let Reading { header, events, damage, valid_bytes, chain, feed_missing, .. } = reading;
        let aside = damage.map(|damage| {
            let name = if matches!(damage, Damage::TornTail { .. }) { "torn" } else { "damaged" };
            (name, bytes[valid_bytes..].to_vec())
        });
        let mut journal = Journal {
            folder: folder.to_owned(),
            path: path.clone(),
            file,
            lock,
            good_bytes: valid_bytes as u64,
            chain,
            last_seq: events.last().map_or(0, |e| e.seq),
            waiting: Vec::new(),
            waiting_events: 0,
            aside,
            degraded: false,
            notices,
        };
        if header.is_none() {
            let table = match table {
                Some(table) => table.to_owned(),
                None => folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned(),
            };
            let started_unix_ms =
                SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(0));
            journal.push_line(&Header { version: FORMAT_VERSION, table, started_unix_ms });
        } else if feed_missing {
            journal.waiting.push(b'\n');
        }
        if let Some(report) = journal.flush(0, &mut || {}).report() {
            // a disk that is full at the start must not keep the table from being watched
            journal.notices.push(report);
        }
        Ok((journal, events))
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `seq` of the last event, 0 before the first.
    pub fn last_seq(&self) -> u64 {
        self.last_seq
    }

    /// Events that are not on the disk yet.
    pub fn waiting(&self) -> usize {
        self.waiting_events
    }

    /// What was found and mended while opening, once.
    pub fn take_notices(&mut self) -> Vec<SinkReport> {
        std::mem::take(&mut self.notices)
    }

    /// Appends an event and waits until the disk has it. Blocks as long as the disk takes (milliseconds, or for ever on a
    /// network disk that hangs: keep records on a local one).
    pub fn append(&mut self, event: &Event) -> AppendOutcome {
        self.append_telling(event, || {})
    }

    /// The same, and does something meanwhile that must not wait for the disk: once the line is written, so that no end of
    /// this program can lose it, and before the disk has it, which only a power cut could make a difference to. It is done
    /// whatever becomes of the line.
    pub fn append_telling(&mut self, event: &Event, tell: impl FnOnce()) -> AppendOutcome {
        let mut tell = Some(tell);
        let outcome = self.append_then(event, &mut || {
            if let Some(tell) = tell.take() {
                tell();
            }
        });
        if let Some(tell) = tell {
            tell();
        }
        outcome
    }

    fn append_then(&mut self, event: &Event, written: &mut dyn FnMut()) -> AppendOutcome {
        if event.seq <= self.last_seq {
            return AppendOutcome::Duplicate { seq: event.seq };
        }
        let earlier = self.waiting_events;
        self.last_seq = event.seq;
        self.push_line(event);
        self.waiting_events += 1;
        self.flush(earlier, written)
    }

    /// Tries the disk again, if events wait. Call it every few seconds while degraded.
    pub fn retry(&mut self) -> AppendOutcome {
        if !self.degraded {
            return AppendOutcome::Written;
        }
        self.flush(self.waiting_events, &mut || {})
    }

    fn push_line<T: serde::Serialize>(&mut self, value: &T) {
        // our own types always serialise: strings as keys, finite numbers
        let json =
            serde_json::to_string(value).unwrap_or_else(|e| format!("{{\"unserialisable\":{:?}}}", e.to_string()));
        let (line, chain) = line::encode(self.chain, &json);
        self.waiting.extend_from_slice(&line);
        self.chain = chain;
    }

    fn flush(&mut self, earlier: usize, written: &mut dyn FnMut()) -> AppendOutcome {
        match self.try_flush(written) {
            Ok(()) => {
                self.waiting_events = 0;
                if std::mem::take(&mut self.degraded) {
                    return AppendOutcome::Restored { caught_up: earlier };
                }
                AppendOutcome::Written
            }
            Err(error) => {
                // give a full disk its space back; what is left of the half line is cut here or at the next try
                if self.aside.is_none() {
                    let _ = self.file.set_len(self.good_bytes);
                }
                let waiting = self.waiting_events;
                if std::mem::replace(&mut self.degraded, true) {
                    return AppendOutcome::Waiting { waiting };
                }
                let reason = disk_trouble(&self.path, &error);
                tracing::warn!(waiting, "{}", reason.en);
                AppendOutcome::Degraded { reason, waiting }
            }
        }
    }

    fn try_flush(&mut self, written: &mut dyn FnMut()) -> io::Result<()> {
        self.ensure_in_place()?;
        if let Some((name, bytes)) = &self.aside {
            put_aside(&self.folder, name, bytes)?;
            self.file.set_len(self.good_bytes)?;
            self.aside = None;
        }
        if self.waiting.is_empty() {
            return self.file.sync_data();
        }
        // at a known place, not "at the end": a retry overwrites the half line that a full disk left
        self.file.write_all_at(&self.waiting, self.good_bytes)?;
        written();
        self.file.sync_data()?;
        if self.good_bytes == 0 {
            sync_folder(&self.folder)?;
        }
        self.good_bytes += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }

    /// A folder that was removed or replaced leaves us a file without a name: what is written into it is lost to
    /// everybody. The file is then made again, with all that it held.
    fn ensure_in_place(&mut self) -> io::Result<()> {
        let ours = self.file.metadata()?;
        if let Ok(there) = fs::metadata(&self.path)
            && (there.dev(), there.ino()) == (ours.dev(), ours.ino())
        {
            return Ok(());
        }
        let mut bytes = vec![0; usize::try_from(self.good_bytes).unwrap_or(0)];
        self.file.read_exact_at(&mut bytes, 0)?;
        // made only one level deep: a missing parent means an unmounted disk, and its mount point must stay empty
        match fs::create_dir(&self.folder) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
            _ => {}
        }
        if !self.lock.is_in_place() {
            self.lock = FolderLock::take(&self.folder, LOCK_FILE)
                .map_err(|e| io::Error::new(io::ErrorKind::ResourceBusy, e.to_string()))?;
        }
        let file = open_file(&self.path)?;
        if file.metadata()?.len() > 0 {
            return Err(io::Error::other("another journal took this one's place; move it away"));
        }
        file.write_all_at(&bytes, 0)?;
        file.sync_data()?;
        sync_folder(&self.folder)?;
        self.file = file;
        Ok(())
    }
}

fn open_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Writes bytes to the first free `journal.NAME-N`, safely.
fn put_aside(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    for n in 1.. {
        let path = folder.join(format!("journal.{name}-{n}"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(e) => return Err(e),
            Ok(file) => {
                let written =
                    file.write_all_at(bytes, 0).and_then(|()| file.sync_all()).and_then(|()| sync_folder(folder));
                if written.is_err() {
                    let _ = fs::remove_file(&path);
                }
                return written;
            }
        }
    }
    Ok(())
}

/// What the operator should know about the journal that was found.
fn notices(path: &Path, reading: &Reading) -> Vec<SinkReport> {
    let path = path.display();
    let events = reading.events.len();
    let mut texts = Vec::new();
    match &reading.damage {
        None => {}
        Some(Damage::TornTail { line, bytes }) => texts.push(Text {
            en: format!(
                "{path}: line {line} was cut short when the program ended; its {bytes} bytes are kept aside as journal.torn-N. \
                 All {events} complete events are there."
            ),
            zh: format!("{path}:程序中止时第 {line} 行未写完,残余 {bytes} 字节另存为 journal.torn-N。{events} 条完整事件均在。"),
        }),
        Some(Damage::Middle { line, reason, bytes, valid_lines_after }) => texts.push(Text {
            en: format!(
                "{path}: line {line} is damaged: {reason}. The game goes on from the {events} events before it; the rest ({bytes} \
                 bytes, {valid_lines_after} readable lines) is kept aside as journal.damaged-N. Check the disk, and compare the board with the record."
            ),
            zh: format!(
                "{path}:第 {line} 行损坏。将从之前的 {events} 条事件继续;其余 {bytes} 字节({valid_lines_after} 行可读)另存为 \
                 journal.damaged-N。请检查磁盘,并核对棋盘与记录。"
            ),
        }),
    }
    if let Some((line, seq, _)) = reading.duplicates.iter().find(|(_, _, same)| !same) {
        texts.push(Text {
            en: format!("{path}: line {line} gives event {seq} a second time, otherwise; the first one stands."),
            zh: format!("{path}:第 {line} 行重复记录事件 {seq} 且内容不同,以先记录者为准。"),
        });
    }
    texts.into_iter().map(|text| SinkReport { sink: "journal".into(), degraded: true, text }).collect()
}

impl Drop for Journal {
    fn drop(&mut self) {
        if self.degraded && self.try_flush(&mut || {}).is_err() {
            tracing::error!(waiting = self.waiting_events, path = %self.path.display(), "events of the journal were never written");
        }
    }
}
