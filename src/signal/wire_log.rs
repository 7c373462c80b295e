//! Every byte on every port, with its time, in a file: for whoever builds a device or looks for a fault.
//!
//! A thread of its own writes; a slow disk costs lines of the log, and never a device's time.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};

use crossbeam_channel::{Receiver, Sender, TrySendError};

/// Entries that may wait for the disk.
const MOST_WAITING: usize = 8192;

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Sent,
    Received,
}

#[derive(Debug)]
struct Entry {
    at: SystemTime,
    device: Arc<str>,
    way: Way,
    bytes: Vec<u8>,
}

/// The log. Dropping the last handle writes what waits.
#[derive(Debug)]
pub struct WireLog {
    entries: Mutex<Option<Sender<Entry>>>,
    lost: Arc<AtomicU64>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl WireLog {
    /// Opens the file, to append.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn open(path: &Path) -> io::Result<WireLog> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let (send, entries) = crossbeam_channel::bounded(MOST_WAITING);
        let lost = Arc::new(AtomicU64::new(0));
        let thread = std::thread::Builder::new().name("wire log".into()).spawn({
            let lost = Arc::clone(&lost);
            move || {
                if let Err(error) = write_all(&entries, file, &lost) {
                    tracing::error!(%error, "the wire log cannot be written any more");
                }
            }
        })?;
        Ok(WireLog { entries: Mutex::new(Some(send)), lost, thread: Mutex::new(Some(thread)) })
    }

    /// Notes bytes; returns at once.
    pub fn note(&self, device: &Arc<str>, way: Way, bytes: &[u8]) {
        let entry = Entry { at: SystemTime::now(), device: Arc::clone(device), way, bytes: bytes.to_vec() };
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Err(TrySendError::Full(_))) = entries.as_ref().map(|e| e.try_send(entry)) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for WireLog {
    fn drop(&mut self) {
        *self.entries.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        if let Some(thread) = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = thread.join();
        }
    }
}

fn write_all(entries: &Receiver<Entry>, file: File, lost: &AtomicU64) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    while let Ok(entry) = entries.recv() {
        let missing = lost.swap(0, Ordering::Relaxed);
        if missing > 0 {
            writeln!(file, "{}  (the disk was too slow for {missing} entries)", Utc(entry.at))?;
        }
        let way = if entry.way == Way::Sent { '>' } else { '<' };
        writeln!(file, "{}  {way}  {}  {}", Utc(entry.at), Hex(&entry.bytes), entry.device)?;
        if entries.is_empty() {
            file.flush()?;
        }
    }
    file.flush()
}

/// Bytes as hexadecimal digits.
pub struct Hex<'a>(pub &'a [u8]);

impl std::fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().enumerate().try_for_each(|(n, b)| write!(f, "{}{b:02x}", if n == 0 { "" } else { " " }))
    }
}

/// `2026-11-30T02:40:08.123Z`.
struct Utc(SystemTime);

impl std::fmt::Display for Utc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let since = self.0.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (days, seconds) = ((since.as_secs() / 86_400) as i64, since.as_secs() % 86_400);
        // days since 1 March of the year 0; 146,097 days make 400 years
        let z = days + 719_468;
        let (era, day_of_era) = (z / 146_097, z % 146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let m = (5 * day_of_year + 2) / 153;
        let (day, month) = (day_of_year - (153 * m + 2) / 5 + 1, if m < 10 { m + 3 } else { m - 9 });
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", since.subsec_millis())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        let at = |s: u64, ms: u64| Utc(UNIX_EPOCH + Duration::from_millis(s * 1000 + ms)).to_string();
        assert_eq!(at(0, 0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_782_399, 7), "2000-02-28T23:59:59.007Z");
        assert_eq!(at(951_782_400, 0), "2000-02-29T00:00:00.000Z");
        assert_eq!(at(1_796_006_408, 123), "2026-11-30T02:40:08.123Z");
    }

    #[test]
    fn entries_are_written_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("wire.log");
        let log = WireLog::open(&path).unwrap();
        let device: Arc<str> = "lamp".into();
        log.note(&device, Way::Sent, &[0xa0, 1, 1, 0xa2]);
        log.note(&device, Way::Received, b"CH1");
        drop(log);
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().map(|l| &l[24..]).collect();
        assert_eq!(lines, ["  >  a0 01 01 a2  lamp", "  <  43 48 31  lamp"]);
    }
}
