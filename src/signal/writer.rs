//! The driver of a device and its open port, for whoever has something to write: the device's own thread, and the one that
//! tells of an event.
//!
//! News are written by the thread that brings them, at once and without waiting for another to be woken: on a busy machine
//! that costs many milliseconds. It never waits for the device's thread nor for the port: where either is busy, the
//! device's thread, which is woken in any case, does it a moment later.

use std::io;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, TryLockError};

use super::driver::Driver;
use super::link::{Tty, wake};
use super::model::Outlook;
use super::wire_log::{Hex, Way, WireLog};

/// With more than this unwritten the driver is not asked for more.
const MOST_UNWRITTEN: usize = 1024;

/// Driver and port.
pub struct Writer {
    pub driver: Box<dyn Driver>,
    pub tty: Option<Tty>,
    /// Since when the port takes nothing.
    pub full_since_ms: Option<u64>,
    /// Which outlook the driver was shown.
    seen: u64,
    name: Arc<str>,
    log_bytes: bool,
    wire_log: Option<Arc<WireLog>>,
}

impl Writer {
    /// A driver whose port is not open yet.
    pub fn new(driver: Box<dyn Driver>, name: Arc<str>, log_bytes: bool, wire_log: Option<Arc<WireLog>>) -> Writer {
        Writer { driver, tty: None, full_since_ms: None, seen: 0, name, log_bytes, wire_log }
    }

    /// Shows the driver an outlook, unless it has seen this or a newer one.
    pub fn show(&mut self, outlook: &Arc<Outlook>, generation: u64, now_ms: u64) -> bool {
        let is_new = generation > self.seen;
        if is_new {
            self.seen = generation;
            self.driver.show(outlook, now_ms);
        }
        is_new
    }

    /// Lets the driver do what is due. Gives the time at which to call again at the latest.
    pub fn poll(&mut self, now_ms: u64) -> Option<u64> {
        if self.driver.output().len() < MOST_UNWRITTEN { self.driver.poll(now_ms) } else { None }
    }

    /// Writes what the port takes now.
    ///
    /// # Errors
    /// The port is gone.
    pub fn write(&mut self, now_ms: u64) -> io::Result<()> {
        let Some(tty) = &mut self.tty else { return Ok(()) };
        while !self.driver.output().is_empty() {
            let count = tty.write(self.driver.output())?;
            if count == 0 {
                self.full_since_ms.get_or_insert(now_ms);
                return Ok(());
            }
            self.full_since_ms = None;
            let sent: Vec<u8> = self.driver.output().drain(..count).collect();
            log(&self.name, self.log_bytes, self.wire_log.as_deref(), Way::Sent, &sent);
        }
        Ok(())
    }

    /// Notes bytes that came.
    pub fn note_received(&self, bytes: &[u8]) {
        log(&self.name, self.log_bytes, self.wire_log.as_deref(), Way::Received, bytes);
    }

    fn bring(&mut self, outlook: &Arc<Outlook>, generation: u64, now_ms: u64) {
        if self.show(outlook, generation, now_ms) && self.tty.is_some() {
            self.poll(now_ms);
            // a port that is gone is the device's thread's affair: it finds the same bytes, and the same error
            let _ = self.write(now_ms);
        }
    }
}

fn log(name: &Arc<str>, log_bytes: bool, wire_log: Option<&WireLog>, way: Way, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    if log_bytes {
        tracing::debug!(device = %name, ?way, bytes = %Hex(bytes));
    }
    if let Some(wire_log) = wire_log {
        wire_log.note(name, way, bytes);
    }
}

/// The way to a device.
pub struct Post {
    pub writer: Arc<Mutex<Writer>>,
    /// Ends the wait of its thread.
    pub waker: UnixStream,
}

impl Post {
    /// Brings news; returns at once.
    pub fn bring(&self, outlook: &Arc<Outlook>, generation: u64, now_ms: u64) {
        match self.writer.try_lock() {
            Ok(mut writer) => {
                // a driver that trips must not take the table with it; the lock stays poisoned, and nothing more is written here
                let brought = catch_unwind(AssertUnwindSafe(|| {
                    let writer = &mut *writer;
                    writer.bring(outlook, generation, now_ms);
                }));
                if brought.is_err() {
                    tracing::error!(device = %writer.name, "the driver failed");
                }
            }
            Err(TryLockError::WouldBlock | TryLockError::Poisoned(_)) => {}
        }
        self.wake();
    }

    /// Lets the device's thread look.
    pub fn wake(&self) {
        wake(&self.waker);
    }
}
