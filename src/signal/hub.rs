//! What the devices' threads share: the newest outlook, the clock's desk, and the ways back to the service.

use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use serde::Serialize;

use super::clock::{ClockDesk, ClockNote, ClockReading, Drift, PressSeen, Times};
use super::console::acknowledges;
use super::driver::{FromDevice, Pressed};
use super::link::wake;
use super::message::Button;
use super::model::{Model, Outlook};
use crate::game::{Event, SinkReport, Text};
use crate::rules::Color;

/// A button of a console, for the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleInput {
    /// Name of the device.
    pub device: String,
    pub button: Button,
    /// `seq` of the event it is about; none for a call, or when nothing is open.
    pub alarm: Option<u64>,
}

/// A press of the clock, for the referee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockPress {
    /// Name of the device.
    pub device: String,
    /// Who pressed.
    pub side: Color,
    /// When, at the latest …
    pub at: Instant,
    /// … and at most so long before.
    pub uncertainty_ms: u32,
}

/// The clock on the health page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClockStatus {
    pub reading: ClockReading,
    /// How old the reading is.
    pub age_ms: u64,
    /// How much it gains or loses against ours.
    pub drift: Option<Drift>,
    /// goband has stopped it.
    pub stopped: bool,
}

/// The shared part.
#[derive(Debug)]
pub struct Hub {
    epoch: Instant,
    shared: Mutex<Shared>,
    wakers: Vec<UnixStream>,
    closing: AtomicBool,
    inputs: Sender<ConsoleInput>,
    presses: Sender<ClockPress>,
    reports: Sender<SinkReport>,
}

#[derive(Debug)]
struct Shared {
    model: Model,
    desk: ClockDesk,
    outlook: Arc<Outlook>,
    generation: u64,
    drift_told: bool,
}

impl Shared {
    /// True if the outlook is another now.
    fn renew(&mut self) -> bool {
        let mut outlook = self.model.outlook();
        outlook.clock = self.desk.outlook();
        if *self.outlook == outlook {
            return false;
        }
        self.outlook = Arc::new(outlook);
        self.generation += 1;
        true
    }
}

/// The ways back to the service.
pub struct Outlets {
    pub inputs: Sender<ConsoleInput>,
    pub presses: Sender<ClockPress>,
    pub reports: Sender<SinkReport>,
}

impl Hub {
    pub fn new(model: Model, desk: ClockDesk, wakers: Vec<UnixStream>, outlets: Outlets) -> Hub {
        let mut outlook = model.outlook();
        outlook.clock = desk.outlook();
        let shared = Shared { model, desk, outlook: Arc::new(outlook), generation: 1, drift_told: false };
        let Outlets { inputs, presses, reports } = outlets;
        Hub {
            epoch: Instant::now(),
            shared: Mutex::new(shared),
            wakers,
            closing: AtomicBool::new(false),
            inputs,
            presses,
            reports,
        }
    }

    /// The instant at which the devices' clock stood at zero.
    pub fn epoch(&self) -> Instant {
        self.epoch
    }

    /// The devices' clock, milliseconds.
    pub fn now_ms(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what devices show, and lets them know.
    fn change<T>(&self, change: impl FnOnce(&mut Shared) -> T) -> T {
        let (result, is_new) = {
            let mut shared = self.lock();
            let result = change(&mut shared);
            (result, shared.renew())
        };
        if is_new {
            self.wake_all();
        }
        result
    }

    pub fn tell(&self, events: &[Event], old: bool) {
        let now_ms = self.now_ms();
        self.change(|shared| {
            for event in events {
                shared.model.apply(event, old);
                if !old {
                    shared.desk.tell(event, now_ms);
                }
            }
            // a stop whose alarm is over is not sent any more
            if let Some(because) = shared.desk.outlook().order.and_then(|o| o.because)
                && shared.model.is_over(because)
            {
                shared.desk.void(because);
            }
        });
    }

    pub fn acknowledge(&self, alarm: u64) {
        self.change(|shared| {
            shared.model.acknowledge(Some(alarm));
        });
    }

    /// The outlook, if it is newer than `seen`.
    pub fn outlook_after(&self, seen: &mut u64) -> Option<Arc<Outlook>> {
        let shared = self.lock();
        (shared.generation != *seen).then(|| {
            *seen = shared.generation;
            Arc::clone(&shared.outlook)
        })
    }

    pub fn outlook(&self) -> Arc<Outlook> {
        Arc::clone(&self.lock().outlook)
    }

    /// What a device told.
    pub fn told(&self, device: &str, told: FromDevice) {
        match told {
            FromDevice::Button(pressed) => self.button(device, pressed),
            FromDevice::Press(press) => self.press(device, press),
            FromDevice::Clock { reading, grain_ms } => {
                let now_ms = self.now_ms();
                let (note, drift) = self.change(|shared| {
                    let note = shared.desk.read(reading, now_ms, grain_ms);
                    let drift = shared.desk.drift().filter(|d| d.is_too_much() && !shared.drift_told);
                    shared.drift_told |= drift.is_some();
                    (note, drift)
                });
                note_clock(device, note);
                if let Some(drift) = drift {
                    self.report(drift_report(device, drift));
                }
            }
            FromDevice::Obeyed(number) => {
                let note = self.change(|shared| shared.desk.obeyed(number));
                note_clock(device, note);
            }
        }
    }

    fn press(&self, device: &str, press: PressSeen) {
        if let Some(press) = self.change(|shared| shared.desk.pressed(press, device)) {
            let at = self.epoch + Duration::from_millis(press.at_ms);
            let (side, uncertainty_ms) = (press.side, press.uncertainty_ms);
            let _ = self.presses.send(ClockPress { device: device.to_owned(), side, at, uncertainty_ms });
        }
    }

    /// A console's button. An acknowledgement and the clock's buttons take effect at once; decisions are the service's.
    fn button(&self, device: &str, pressed: Pressed) {
        let alarm = match pressed.button {
            Button::Call | Button::Stop | Button::Resume => pressed.alarm,
            // "the newest": of those that the referee has not dealt with
            _ => pressed.alarm.or_else(|| {
                let outlook = self.outlook();
                let open = || outlook.alarms.iter().rev().filter(|a| !a.is_over());
                open().find(|a| !a.acknowledged).or_else(|| open().next()).map(|a| a.number)
            }),
        };
        match pressed.button {
            Button::Stop => {
                self.order(None, None);
            }
            Button::Resume => {
                self.resume();
            }
            button => {
                if let (true, Some(number)) = (acknowledges(button), alarm) {
                    self.acknowledge(number);
                }
            }
        }
        let _ = self.inputs.send(ConsoleInput { device: device.to_owned(), button: pressed.button, alarm });
    }

    /// Lets the clock stand or run.
    pub fn order(&self, run: Option<Color>, times: Option<Times>) -> u64 {
        self.change(|shared| shared.desk.order(run, times))
    }

    /// Lets the side go on whose turn it was; false if nobody knows which.
    pub fn resume(&self) -> bool {
        self.change(|shared| {
            let side = shared.desk.side_to_resume();
            if side.is_some() {
                shared.desk.order(side, None);
            }
            side.is_some()
        })
    }

    /// Says something at the clock.
    pub fn say(&self, color: Option<Color>, kind: &str, text: Text, short: &str, beep_ms: u32) {
        self.change(|shared| shared.desk.say(color, kind, text, short, beep_ms));
    }

    pub fn clock(&self) -> Option<ClockStatus> {
        let now_ms = self.now_ms();
        let shared = self.lock();
        let (reading, at_ms) = shared.desk.reading()?;
        let stopped = shared.outlook.clock.stopped;
        Some(ClockStatus { reading, age_ms: now_ms.saturating_sub(at_ms), drift: shared.desk.drift(), stopped })
    }

    pub fn report(&self, report: SinkReport) {
        let _ = self.reports.send(report);
    }

    pub fn close(&self) {
        self.closing.store(true, Ordering::Release);
        self.wake_all();
    }

    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    fn wake_all(&self) {
        self.wakers.iter().for_each(wake);
    }
}

fn note_clock(device: &str, note: ClockNote) {
    match note {
        ClockNote::None => {}
        ClockNote::Stopped => tracing::info!(device, "the clock stands"),
        ClockNote::Resumed => tracing::info!(device, "the clock runs again"),
    }
}

fn drift_report(device: &str, drift: Drift) -> SinkReport {
    let seconds = drift.ms_per_hour.abs() as f64 / 1000.0;
    let (en, zh) = if drift.ms_per_hour > 0 { ("gains", "快") } else { ("loses", "慢") };
    let text = Text {
        en: format!(
            "The clock at {device:?} {en} {seconds:.0} s an hour; replace it and correct the times in proportion."
        ),
        zh: format!("“{device}”的棋钟每小时{zh} {seconds:.0} 秒;请更换棋钟,并按比例校正用时。"),
    };
    SinkReport { sink: format!("{device} (time)"), degraded: true, text }
}
