//! What the bytes of a journal hold: the valid beginning, and what is wrong after it. Changes nothing on disk.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::line::{self, Chain, GENESIS};
use crate::game::Event;

/// The version of the format that this program writes.
pub const FORMAT_VERSION: u32 = 1;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    #[serde(rename = "goband_journal")]
    pub version: u32,
    pub table: String,
    /// Wall-clock time of the first line, milliseconds since 1970-01-01 UTC.
    #[serde(default)]
    pub started_unix_ms: u64,
}

/// What is wrong after the valid beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// Only the end is unusable: the writer was killed or lost power within a line. Nothing that was acknowledged is in it.
    TornTail { line: usize, bytes: usize },
    /// A line is unusable though valid ones come after it: the disk or somebody changed the file.
    Middle { line: usize, reason: String, bytes: usize, valid_lines_after: usize },
}

/// A journal as read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// None: an empty file.
    pub header: Option<Header>,
    /// The events of the valid beginning, in order, without duplicates.
    pub events: Vec<Event>,
    pub damage: Option<Damage>,
    /// Lines that repeated a `seq`: `(line, seq, same content)`. The first one stands.
    pub duplicates: Vec<(usize, u64, bool)>,
    /// Length of the valid beginning in bytes, its last line feed included.
    pub valid_bytes: usize,
    /// The last link of the chain.
    pub chain: Chain,
    /// The last valid line is whole but for its line feed.
    pub feed_missing: bool,
}

/// A journal that must not be touched.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("journal of version {0}; this goband writes version {FORMAT_VERSION}: use a newer goband")]
    Version(u32),
    #[error("line {line} is whole but this goband does not understand it ({detail}): use a newer goband")]
    Unknown { line: usize, detail: String },
    #[error("this is not a journal of goband: no line of it is valid")]
    NotAJournal,
}

/// Reads the bytes of a journal.
///
/// # Errors
/// [`ReadError`] when the file is whole but not ours to understand; damage is not an error.
pub fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
    let mut reading = Reading {
        header: None,
        events: Vec::new(),
        damage: None,
        duplicates: Vec::new(),
        valid_bytes: 0,
        chain: GENESIS,
        feed_missing: false,
    };
    let mut number = 0;
    while reading.valid_bytes < bytes.len() {
        number += 1;
        let rest = &bytes[reading.valid_bytes..];
        let end = rest.iter().position(|&b| b == b'\n');
        let text = &rest[..end.unwrap_or(rest.len())];
        let problem = match line::decode(text) {
            Err(e) => e.to_string(),
            Ok((chain, json)) if reading.chain.next(json.as_bytes()) != chain => {
                "it does not follow from the lines before it (changed, removed or inserted lines)".to_owned()
            }
            Ok((chain, json)) => {
                reading.take_line(number, json)?;
                reading.chain = chain;
                reading.feed_missing = end.is_none();
                reading.valid_bytes += text.len() + usize::from(end.is_some());
                continue;
            }
        };
        let valid_lines_after = match end {
            Some(end) => rest[end + 1..].split(|&b| b == b'\n').filter(|l| line::decode(l).is_ok()).count(),
            None => 0,
        };
        if reading.header.is_none() && valid_lines_after == 0 && end.is_some() {
            return Err(ReadError::NotAJournal);
        }
        // a whole line that breaks the chain is never the work of a power cut
        let middle = valid_lines_after > 0 || line::decode(text).is_ok();
        reading.damage = Some(if middle {
            Damage::Middle { line: number, reason: problem, bytes: rest.len(), valid_lines_after }
        } else {
            Damage::TornTail { line: number, bytes: rest.len() }
        });
        break;
    }
    Ok(reading)
}

impl Reading {
    fn take_line(&mut self, number: usize, json: &str) -> Result<(), ReadError> {
        let unknown = |e: serde_json::Error| ReadError::Unknown { line: number, detail: e.to_string() };
        if self.header.is_none() {
            let header: Header = serde_json::from_str(json).map_err(unknown)?;
            if header.version != FORMAT_VERSION {
                return Err(ReadError::Version(header.version));
            }
            self.header = Some(header);
            return Ok(());
        }
        let event: Event = serde_json::from_str(json).map_err(unknown)?;
        if self.events.last().is_some_and(|last| event.seq <= last.seq) {
            let same = self.events.contains(&event);
            self.duplicates.push((number, event.seq, same));
        } else {
            self.events.push(event);
        }
        Ok(())
    }
}

/// Reads a journal file without touching it, for `verify`-like tools and pages.
///
/// # Errors
/// The file cannot be read, or [`ReadError`] (as `InvalidData`).
pub fn verify(path: &Path) -> io::Result<Reading> {
    read(&std::fs::read(path)?)
        .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {e}", path.display())))
}
