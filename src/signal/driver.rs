//! What a device's driver is: a state machine without port or clock, so that it can be tried without either.

use std::io;
use std::sync::Arc;

use super::clock::{ClockReading, PressSeen};
use super::exchange::Counters;
use super::link::ModemLines;
use super::message::Button;
use super::model::Outlook;
use crate::game::Text;

/// A button that was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pressed {
    pub button: Button,
    /// None: the newest.
    pub alarm: Option<u64>,
}

/// What a device tells.
#[derive(Clone, Debug, PartialEq)]
pub enum FromDevice {
    Button(Pressed),
    /// The clock was pressed.
    Press(PressSeen),
    /// What the clock shows; readings may be so late, milliseconds.
    Clock {
        reading: ClockReading,
        grain_ms: u64,
    },
    /// The clock has done what the order of this number says.
    Obeyed(u64),
}

/// How a device whose port is open does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// Too early to say.
    Starting,
    Well,
    /// The text says what is wrong.
    Silent(Text),
}

/// A driver. Times are milliseconds of one clock.
pub trait Driver: Send {
    /// The port was opened (again): the device may know nothing.
    fn opened(&mut self, now_ms: u64);

    /// The newest outlook.
    fn show(&mut self, outlook: &Arc<Outlook>, now_ms: u64);

    /// Bytes from the device.
    fn received(&mut self, bytes: &[u8], now_ms: u64) -> Vec<FromDevice>;

    /// Does what is due: appends to [`Driver::output`]. Gives the time at which to call again at the latest.
    fn poll(&mut self, now_ms: u64) -> Option<u64>;

    /// Bytes to be written.
    fn output(&mut self) -> &mut Vec<u8>;

    /// Looks at the port's own lines, and sets them: for devices that have no bytes. An error is the port's loss.
    ///
    /// # Errors
    /// The port is gone, or has no such lines.
    fn lines(&mut self, _port: &mut dyn ModemLines, _now_ms: u64) -> io::Result<Vec<FromDevice>> {
        Ok(Vec::new())
    }

    /// How the device does.
    fn health(&self, now_ms: u64) -> Health;

    /// From now on only the last words.
    fn farewell(&mut self, now_ms: u64);

    /// The last words are all in [`Driver::output`].
    fn has_said_farewell(&self) -> bool;

    /// For the health page.
    fn counters(&self) -> Counters;

    /// What the device calls itself.
    fn peer(&self) -> Option<String> {
        None
    }
}
