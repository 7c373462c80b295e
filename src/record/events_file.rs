//! `events.jsonl` of a replay: one event a line, in the order they were decided, the same bytes for the same footage.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::game::Event;

/// The file, begun anew.
#[derive(Debug)]
pub struct EventsFile {
    out: BufWriter<File>,
}

impl EventsFile {
    /// Begins the file, over an older one; makes its folder.
    ///
    /// # Errors
    /// The disk's.
    pub fn create(path: &Path) -> io::Result<EventsFile> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(EventsFile { out: BufWriter::new(File::create(path)?) })
    }

    /// Adds an event; readers see it at once.
    ///
    /// # Errors
    /// The disk's.
    pub fn write(&mut self, event: &Event) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, event)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }

    /// Waits until the disk has it.
    ///
    /// # Errors
    /// The disk's.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        self.out.get_ref().sync_all()
    }
}
