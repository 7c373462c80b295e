//! What stays: the journal, the game record (SGF), the evidence.
//!
//! Enters: events and the pictures around them. Leaves: files. It may never know how an event was decided.
//!
//! [`Journal`] is written first and synchronously: what was shown is on the disk. [`SgfFile`] and [`Evidence`] are views
//! with a thread each: a slow or full disk costs only them. `docs/journal.md` describes the journal for other programs.

mod disk;
mod events_file;
mod evidence;
mod journal;
pub mod line;
mod lock;
mod picture_ring;
mod reading;
mod sgf_file;

pub use disk::{disk_trouble, write_atomically};
pub use events_file::EventsFile;
pub use evidence::{Evidence, EvidenceOptions, evidence_path};
pub use journal::{AppendOutcome, JOURNAL_FILE, Journal, JournalError};
pub use lock::{FolderLock, LockError};
pub use picture_ring::{Picture, PictureRing, RingLimits};
pub use reading::{Damage, FORMAT_VERSION, Header, ReadError, Reading, read, verify};
pub use sgf_file::SgfFile;
