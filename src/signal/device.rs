//! One device's thread: opens the port, keeps it open, moves bytes between port and driver, says how the device does.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::driver::{Driver, Health};
use super::exchange::Counters;
use super::hub::Hub;
use super::link::{Tty, wait};
use super::port::{Places, PortName, resolve};
use super::wire_log::{Hex, Way, WireLog};
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
/// With more than this unwritten the driver is not asked for more.
const MOST_UNWRITTEN: usize = 1024;

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

/// All that the thread owns.
pub struct DeviceThread {
    pub hub: Arc<Hub>,
    pub wake: UnixStream,
    pub status: Arc<Mutex<DeviceStatus>>,
    pub driver: Box<dyn Driver>,
    pub name: Arc<str>,
    pub port: PortName,
    pub places: Places,
    pub baud: u32,
    pub log_bytes: bool,
    pub wire_log: Option<Arc<WireLog>>,
}

/// The port's side of the thread.
struct Link {
    tty: Option<Tty>,
    /// What the configured port means now.
    path: PathBuf,
    backoff_ms: u64,
    open_due_ms: u64,
    opened_ms: u64,
    look_due_ms: u64,
    /// Since when the port takes nothing.
    full_since_ms: Option<u64>,
    trouble: Option<Text>,
    opened: u64,
}

impl DeviceThread {
    /// Runs until the hub closes.
    pub fn run(mut self) {
        let hub = Arc::clone(&self.hub);
        let now = || hub.now_ms();
        let mut link = Link {
            tty: None,
            path: PathBuf::new(),
            backoff_ms: *BACKOFF_MS.start(),
            open_due_ms: 0,
            opened_ms: 0,
            look_due_ms: 0,
            full_since_ms: None,
            trouble: None,
            opened: 0,
        };
        let mut reporter = Reporter { name: self.name.to_string(), degraded: false, well_since_ms: None };
        let mut seen = 0;
        let mut farewell_by = None;
        loop {
            let now_ms = now();
            if let Some(outlook) = self.hub.outlook_after(&mut seen) {
                self.driver.show(&outlook, now_ms);
            }
            if self.hub.is_closing() {
                self.driver.farewell(now_ms);
                let by = *farewell_by.get_or_insert_with(|| Instant::now() + FAREWELL);
                let is_out = self.driver.has_said_farewell()
                    && self.driver.output().is_empty()
                    && link.tty.as_ref().is_none_or(|tty| tty.unsent() == 0);
                if is_out && link.tty.is_some() {
                    // an adapter holds the last bytes a little longer than the system knows
                    std::thread::sleep(Duration::from_millis(20));
                }
                if is_out || link.tty.is_none() || Instant::now() >= by {
                    return;
                }
            }
            self.keep_open(&mut link, now_ms);
            let mut next_ms = now_ms + 500;
            if link.tty.is_some() {
                if self.driver.output().len() < MOST_UNWRITTEN {
                    next_ms = next_ms.min(self.driver.poll(now_ms).unwrap_or(u64::MAX));
                }
                if let Err(error) = self.write(&mut link, now_ms).and_then(|()| self.lines(&mut link, now_ms)) {
                    self.lose(&mut link, &error, now_ms);
                }
            } else {
                next_ms = next_ms.min(link.open_due_ms);
            }
            self.tell_health(&link, &mut reporter, now_ms);
            if self.hub.is_closing() {
                next_ms = next_ms.min(now_ms + 5);
            }
            let to_write = !self.driver.output().is_empty();
            let timeout = Duration::from_millis(next_ms.saturating_sub(now()));
            let ready = wait(link.tty.as_ref(), to_write, Some(&self.wake), timeout);
            if ready.port
                && let Err(error) = self.read(&mut link, now())
            {
                self.lose(&mut link, &error, now());
            }
        }
    }

    fn keep_open(&mut self, link: &mut Link, now_ms: u64) {
        if link.tty.is_some() {
            if now_ms >= link.look_due_ms {
                link.look_due_ms = now_ms + LOOK_MS;
                if link.tty.as_ref().is_some_and(|tty| !tty.is_still(&link.path)) {
                    self.lose(link, &io::ErrorKind::NotFound.into(), now_ms);
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
                link.tty = Some(tty);
                link.opened_ms = now_ms;
                link.look_due_ms = now_ms + LOOK_MS;
                link.full_since_ms = None;
                link.trouble = None;
                link.opened += 1;
                self.driver.opened(now_ms);
            }
            Err(error) => self.lose(link, &error, now_ms),
        }
    }

    fn lose(&mut self, link: &mut Link, error: &io::Error, now_ms: u64) {
        if link.tty.take().is_some() {
            tracing::warn!(device = %self.name, port = %self.port, %error, "port lost");
        }
        link.full_since_ms = None;
        link.trouble = Some(port_trouble(&self.port, error));
        link.open_due_ms = now_ms + link.backoff_ms;
        link.backoff_ms = (link.backoff_ms * 2).min(*BACKOFF_MS.end());
    }

    fn write(&mut self, link: &mut Link, now_ms: u64) -> io::Result<()> {
        let Some(tty) = &mut link.tty else { return Ok(()) };
        while !self.driver.output().is_empty() {
            let count = tty.write(self.driver.output())?;
            if count == 0 {
                link.full_since_ms.get_or_insert(now_ms);
                return Ok(());
            }
            link.full_since_ms = None;
            let sent: Vec<u8> = self.driver.output().drain(..count).collect();
            self.log(Way::Sent, &sent);
        }
        Ok(())
    }

    /// The lines beside the bytes.
    fn lines(&mut self, link: &mut Link, now_ms: u64) -> io::Result<()> {
        let Some(tty) = &mut link.tty else { return Ok(()) };
        match self.driver.lines(tty, now_ms) {
            Ok(told) => {
                told.into_iter().for_each(|t| self.hub.told(&self.name, t));
                Ok(())
            }
            // a port without such lines is there all the same; the driver's health says so
            Err(e) if matches!(e.raw_os_error(), Some(libc::ENOTTY | libc::EINVAL)) => Ok(()),
            Err(e) => Err(e),
        }
    }

    fn log(&self, way: Way, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if self.log_bytes {
            tracing::debug!(device = %self.name, ?way, bytes = %Hex(bytes));
        }
        if let Some(log) = &self.wire_log {
            log.note(&self.name, way, bytes);
        }
    }

    fn read(&mut self, link: &mut Link, now_ms: u64) -> io::Result<()> {
        let Some(tty) = &mut link.tty else { return Ok(()) };
        // one bufferful a turn: a device that floods us must not keep us from telling it anything
        let mut buffer = [0; 4096];
        let count = tty.read(&mut buffer)?;
        let bytes = &buffer[..count];
        self.log(Way::Received, bytes);
        for told in self.driver.received(bytes, now_ms) {
            self.hub.told(&self.name, told);
        }
        Ok(())
    }

    fn tell_health(&self, link: &Link, reporter: &mut Reporter, now_ms: u64) {
        let is_stuck = link.full_since_ms.is_some_and(|since| now_ms >= since + STUCK_MS);
        let (state, trouble) = match (&link.tty, self.driver.health(now_ms)) {
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
        let Counters { lines_sent, lines_received, repeats, rejected } = self.driver.counters();
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        status.state = state;
        status.trouble = trouble;
        status.peer = self.driver.peer();
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
