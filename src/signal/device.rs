//! One device's thread: opens the port, keeps it open, moves bytes between port and driver, says how the device does.

use std::io;
use std::os::fd::RawFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::driver::Health;
use super::exchange::Counters;
use super::hub::Hub;
use super::link::{Tty, hurry, wait};
use super::port::{Places, PortName, resolve};
use super::writer::Writer;
use crate::game::{SinkReport, Text};

/// Waits before a port that cannot be opened is tried again: doubling between these.
const BACKOFF_MS: std::ops::RangeInclusive<u64> = 100..=1000;
/// A port that stays open so long is a real one: the next loss starts with the shortest wait again. (A dead one opens, and
/// is lost at once.)
const SETTLED_MS: u64 = 300;
/// "Well again" is reported after so long without trouble, so that a loose plug does not fill the journal.
const CALM_MS: u64 = 1000;
/// A port that takes no byte for so long is stuck.
const STUCK_MS: u64 = 2000;
/// How often the path is looked at: does it still mean the device that is open?
const LOOK_MS: u64 = 1000;
/// The last words must be out within this time.
const FAREWELL: Duration = Duration::from_millis(600);

/// How a device does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceState {
    Starting,
    Up,
    /// The port is open, but the device does not answer or takes nothing.
    Silent,
    /// The port cannot be opened.
    Down,
}

/// A device on the health page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceStatus {
    pub name: String,
    pub port: String,
    pub state: DeviceState,
    /// What is wrong and what to do; none if all is well.
    pub trouble: Option<Text>,
    /// What the device calls itself.
    pub peer: Option<String>,
    pub lines_sent: u64,
    pub lines_received: u64,
    /// Lines (or states) that were sent again.
    pub repeats: u64,
    /// Damaged lines, or answers that said otherwise.
    pub rejected: u64,
    /// How often the port was opened.
    pub opened: u64,
}

impl DeviceStatus {
    pub(super) fn new(name: String, port: String) -> DeviceStatus {
        DeviceStatus {
            name,
            port,
            state: DeviceState::Starting,
            trouble: None,
            peer: None,
            lines_sent: 0,
            lines_received: 0,
            repeats: 0,
            rejected: 0,
            opened: 0,
        }
    }
}

/// All that the thread owns, and the writer that it shares with those who bring news.
pub struct DeviceThread {
    pub hub: Arc<Hub>,
    pub wake: UnixStream,
    pub status: Arc<Mutex<DeviceStatus>>,
    pub writer: Arc<Mutex<Writer>>,
    pub name: Arc<str>,
    pub port: PortName,
    pub places: Places,
    pub baud: u32,
}

/// The port's side of the thread.
struct Link {
    /// What the configured port means now.
    path: PathBuf,
    backoff_ms: u64,
    open_due_ms: u64,
    opened_ms: u64,
    look_due_ms: u64,
    trouble: Option<Text>,
    opened: u64,
}

impl DeviceThread {
    /// Runs until the hub closes.
    pub fn run(self) {
        hurry();
        let mut link = Link {
            path: PathBuf::new(),
            backoff_ms: *BACKOFF_MS.start(),
            open_due_ms: 0,
            opened_ms: 0,
            look_due_ms: 0,
            trouble: None,
            opened: 0,
        };
        let mut reporter = Reporter { name: self.name.to_string(), degraded: false, well_since_ms: None };
        let mut farewell_by = None;
        while let Some((next_ms, port, to_write)) = self.work(&mut link, &mut reporter, &mut farewell_by) {
            let timeout = Duration::from_millis(next_ms.saturating_sub(self.hub.now_ms()));
            // the port stays open meanwhile: only this thread closes it
            if wait(port, to_write, Some(&self.wake), timeout).port {
                let mut writer = self.writer();
                let now_ms = self.hub.now_ms();
                if let Err(error) = self.read(&mut writer, now_ms) {
                    self.lose(&mut writer, &mut link, &error, now_ms);
                }
            }
        }
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what is due. Gives when to come back at the latest, for which port to wait, and whether for room in it; none at
    /// the end.
    fn work(
        &self,
        link: &mut Link,
        reporter: &mut Reporter,
        farewell_by: &mut Option<Instant>,
    ) -> Option<(u64, Option<RawFd>, bool)> {
        let mut guard = self.writer();
        let writer = &mut *guard;
        // not before: whoever brought news meanwhile has gone on with the time
        let now_ms = self.hub.now_ms();
        let (outlook, generation) = self.hub.outlook_now();
        writer.show(&outlook, generation, now_ms);
        if self.hub.is_closing() {
            writer.driver.farewell(now_ms);
            let by = *farewell_by.get_or_insert_with(|| Instant::now() + FAREWELL);
            let is_out = writer.driver.has_said_farewell()
                && writer.driver.output().is_empty()
                && writer.tty.as_ref().is_none_or(|tty| tty.unsent() == 0);
            if is_out && writer.tty.is_some() {
                // an adapter holds the last bytes a little longer than the system knows
                std::thread::sleep(Duration::from_millis(20));
            }
            if is_out || writer.tty.is_none() || Instant::now() >= by {
                writer.tty = None;
                return None;
            }
        }
        self.keep_open(writer, link, now_ms);
        let mut next_ms = now_ms + 500;
        if writer.tty.is_some() {
            next_ms = next_ms.min(writer.poll(now_ms).unwrap_or(u64::MAX));
            if let Err(error) = writer.write(now_ms).and_then(|()| self.lines(writer, now_ms)) {
                self.lose(writer, link, &error, now_ms);
            }
        } else {
            next_ms = next_ms.min(link.open_due_ms);
        }
        self.tell_health(writer, link, reporter, now_ms);
        if self.hub.is_closing() {
            next_ms = next_ms.min(now_ms + 5);
        }
        let to_write = !writer.driver.output().is_empty();
        Some((next_ms, writer.tty.as_ref().map(Tty::descriptor), to_write))
    }

    fn keep_open(&self, writer: &mut Writer, link: &mut Link, now_ms: u64) {
        if writer.tty.is_some() {
            if now_ms >= link.look_due_ms {
                link.look_due_ms = now_ms + LOOK_MS;
                if writer.tty.as_ref().is_some_and(|tty| !tty.is_still(&link.path)) {
                    self.lose(writer, link, &io::ErrorKind::NotFound.into(), now_ms);
                }
            }
            if now_ms >= link.opened_ms + SETTLED_MS {
                link.backoff_ms = *BACKOFF_MS.start();
            }
            return;
        }
        if now_ms < link.open_due_ms || self.hub.is_closing() {
            return;
        }
        let opened = resolve(&self.port, &self.places).and_then(|path| {
            link.path = path;
            Tty::open(&link.path, self.baud)
        });
        match opened {
            Ok(tty) => {
                tracing::info!(device = %self.name, port = %link.path.display(), "port opened");
                writer.tty = Some(tty);
                writer.full_since_ms = None;
                link.opened_ms = now_ms;
                link.look_due_ms = now_ms + LOOK_MS;
                link.trouble = None;
                link.opened += 1;
                writer.driver.opened(now_ms);
            }
            Err(error) => self.lose(writer, link, &error, now_ms),
        }
    }

    fn lose(&self, writer: &mut Writer, link: &mut Link, error: &io::Error, now_ms: u64) {
        if writer.tty.take().is_some() {
            tracing::warn!(device = %self.name, port = %self.port, %error, "port lost");
        }
        writer.full_since_ms = None;
        link.trouble = Some(port_trouble(&self.port, error));
        link.open_due_ms = now_ms + link.backoff_ms;
        link.backoff_ms = (link.backoff_ms * 2).min(*BACKOFF_MS.end());
    }

    /// The lines beside the bytes.
    fn lines(&self, writer: &mut Writer, now_ms: u64) -> io::Result<()> {
        let Some(tty) = &mut writer.tty else { return Ok(()) };
        match writer.driver.lines(tty, now_ms) {
            Ok(told) => {
                told.into_iter().for_each(|t| self.hub.told(&self.name, t));
                Ok(())
            }
            // a port without such lines is there all the same; the driver's health says so
            Err(e) if matches!(e.raw_os_error(), Some(libc::ENOTTY | libc::EINVAL)) => Ok(()),
            Err(e) => Err(e),
        }
    }

    fn read(&self, writer: &mut Writer, now_ms: u64) -> io::Result<()> {
        let Some(tty) = &mut writer.tty else { return Ok(()) };
        // one bufferful a turn: a device that floods us must not keep us from telling it anything
        let mut buffer = [0; 4096];
        let count = tty.read(&mut buffer)?;
        let bytes = &buffer[..count];
        writer.note_received(bytes);
        for told in writer.driver.received(bytes, now_ms) {
            self.hub.told(&self.name, told);
        }
        Ok(())
    }

    fn tell_health(&self, writer: &Writer, link: &Link, reporter: &mut Reporter, now_ms: u64) {
        let is_stuck = writer.full_since_ms.is_some_and(|since| now_ms >= since + STUCK_MS);
        let (state, trouble) = match (&writer.tty, writer.driver.health(now_ms)) {
            (None, _) if link.trouble.is_none() => (DeviceState::Starting, None),
            (None, _) => (DeviceState::Down, link.trouble.clone()),
            (Some(_), _) if is_stuck => (
                DeviceState::Silent,
                Some(Text {
                    en: format!("{} takes no data; check the device and its cable", self.port),
                    zh: format!("{} 不接收数据,请检查设备和线缆", self.port),
                }),
            ),
            (Some(_), Health::Starting) => (DeviceState::Starting, None),
            (Some(_), Health::Well) => (DeviceState::Up, None),
            (Some(_), Health::Silent(text)) => (DeviceState::Silent, Some(text)),
        };
        let report = reporter.see(state, trouble.as_ref(), now_ms);
        let Counters { lines_sent, lines_received, repeats, rejected } = writer.driver.counters();
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        status.state = state;
        status.trouble = trouble;
        status.peer = writer.driver.peer();
        (status.lines_sent, status.lines_received) = (lines_sent, lines_received);
        (status.repeats, status.rejected, status.opened) = (repeats, rejected, link.opened);
        drop(status);
        // whoever hears the report must find the status that it is about
        if let Some(report) = report {
            self.hub.report(report);
        }
    }
}

/// Turns states into reports: trouble at once, its end when it lasts.
struct Reporter {
    name: String,
    degraded: bool,
    well_since_ms: Option<u64>,
}

impl Reporter {
    fn see(&mut self, state: DeviceState, trouble: Option<&Text>, now_ms: u64) -> Option<SinkReport> {
        match (state, trouble) {
            (DeviceState::Up, _) => {
                let since = *self.well_since_ms.get_or_insert(now_ms);
                if !self.degraded || now_ms < since + CALM_MS {
                    return None;
                }
                self.degraded = false;
                let text = Text {
                    en: format!("Signal device {:?} works again.", self.name),
                    zh: format!("信号设备“{}”恢复正常。", self.name),
                };
                Some(SinkReport { sink: self.name.clone(), degraded: false, text })
            }
            (_, Some(trouble)) => {
                self.well_since_ms = None;
                if std::mem::replace(&mut self.degraded, true) {
                    return None;
                }
                let text = Text {
                    en: format!("Signal device {:?} does not work: {}.", self.name, trouble.en),
                    zh: format!("信号设备“{}”失灵:{}。", self.name, trouble.zh),
                };
                Some(SinkReport { sink: self.name.clone(), degraded: true, text })
            }
            _ => {
                self.well_since_ms = None;
                None
            }
        }
    }
}

/// Why a port refuses, in words for the operator.
pub(super) fn port_trouble(port: &PortName, error: &io::Error) -> Text {
    use io::ErrorKind as K;
    let (en, zh): (String, String) = match error.kind() {
        K::NotFound => ("is not there; plug it in, or correct its path".into(), "不存在;请插入设备或更正路径".into()),
        K::PermissionDenied => (
            "may not be opened by this user; add the user to the group dialout".into(),
            "无权打开;请将用户加入 dialout 组".into(),
        ),
        K::ResourceBusy => ("is used by another program; stop that".into(), "被其他程序占用;请先关闭该程序".into()),
        K::InvalidInput => (format!("is not clear: {error}"), format!("指代不明:{error}")),
        K::BrokenPipe | K::UnexpectedEof => ("was unplugged; plug it in again".into(), "已断开;请重新插入".into()),
        _ => (format!("cannot be used ({error})"), format!("无法使用({error})")),
    };
    Text { en: format!("{port} {en}"), zh: format!("{port} {zh}") }
}
