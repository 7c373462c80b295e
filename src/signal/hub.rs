//! What the devices' threads share: the newest outlook, the clock's desk, and the ways back to the service.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use serde::Serialize;

use super::clock::{
    ClockDeed, ClockDesk, ClockInBreak, ClockNote, ClockReading, Drift, OrderedBy, Phase, PressSeen, SoftwareClock,
    Times,
};
use super::console::acknowledges;
use super::driver::{FromDevice, Pressed};
use super::message::Button;
use super::model::{Model, Outlook};
use super::writer::Post;
use crate::game::{Event, SinkReport, Text};
use crate::rules::Color;
use crate::rules::time::{Call, Clock, TimeEffect, TimeNotice};

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

/// What the software clock says: a call, a period used, an overrun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockEffect {
    /// When it was due.
    pub at: Instant,
    pub effect: TimeEffect,
}

/// A clock has obeyed an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockObeyed {
    pub at: Instant,
    pub deed: ClockDeed,
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
    /// goband keeps the time itself.
    pub is_software: bool,
}

impl ClockStatus {
    /// One line for the health page.
    pub fn text(&self) -> Text {
        let face = |color: Color| {
            let time = self.reading.times.of(color);
            let s = time.ms.div_ceil(1000);
            let periods = if let Phase::Period(n) = time.phase { format!(" ({n})") } else { String::new() };
            format!("{}:{:02}:{:02}{periods}", s / 3600, s / 60 % 60, s % 60)
        };
        let (black, white) = (face(Color::Black), face(Color::White));
        let (en, zh) = match (self.reading.running, self.stopped) {
            (Some(Color::Black), _) => ("Black runs", "黑方走时"),
            (Some(Color::White), _) => ("White runs", "白方走时"),
            (None, true) => ("stopped by goband", "已由系统停钟"),
            (None, false) => ("stands", "停"),
        };
        let (mut drift_en, mut drift_zh) = (String::new(), String::new());
        if let Some(drift) = self.drift.filter(|d| d.measured_ms >= 60_000) {
            let (error, about) = (drift.ms_per_hour as f64 / 1000.0, drift.uncertainty_ms_per_hour as f64 / 1000.0);
            drift_en = format!("; {error:+.0} ± {about:.0} s an hour against ours");
            drift_zh = format!(";与本机相差每小时 {error:+.0} ± {about:.0} 秒");
        }
        Text {
            en: format!("Black {black}, White {white}, {en}{drift_en}"),
            zh: format!("黑 {black},白 {white},{zh}{drift_zh}"),
        }
    }
}

/// The shared part.
pub struct Hub {
    epoch: Instant,
    shared: Mutex<Shared>,
    posts: Vec<Post>,
    closing: AtomicBool,
    inputs: Sender<ConsoleInput>,
    presses: Sender<ClockPress>,
    effects: Sender<ClockEffect>,
    deeds: Sender<ClockObeyed>,
    reports: Sender<SinkReport>,
}

#[derive(Debug)]
struct Shared {
    model: Model,
    desk: ClockDesk,
    software: Option<Software>,
    outlook: Arc<Outlook>,
    generation: u64,
    drift_told: bool,
}

/// The software clock and what it has done.
#[derive(Debug)]
struct Software {
    clock: SoftwareClock,
    obeyed: u64,
    /// Some device shows times: it is set after each press.
    has_display: bool,
}

impl Shared {
    /// Lets the software clock do what was ordered; gives what follows.
    fn obey(&mut self, now_ms: u64) -> Vec<TimeEffect> {
        let Some(software) = &mut self.software else { return Vec::new() };
        let mut effects = Vec::new();
        if let Some(order) = self.desk.outlook().order.filter(|o| o.number > software.obeyed) {
            software.obeyed = order.number;
            effects = software.clock.obey(&order, now_ms);
            self.desk.obeyed(order.number, now_ms);
        }
        effects
    }

    /// The software clock's face is read, and what it says is called.
    fn read_software(&mut self, effects: &[TimeEffect], now_ms: u64) {
        let Some(software) = &mut self.software else { return };
        let reading = software.clock.reading(now_ms);
        self.desk.read(reading, now_ms, 0);
        for effect in effects {
            if let Some((color, kind, short, beep_ms)) = call_of(&effect.what) {
                self.desk.say(Some(color), kind, effect.what.text(), &short, beep_ms);
            }
        }
        let has_turned = effects.iter().any(|e| matches!(e.what, TimeNotice::Turn { .. } | TimeNotice::Started { .. }));
        if has_turned && software.has_display {
            software.obeyed = self.desk.order(reading.running, Some(reading.times), OrderedBy::Display);
        }
    }

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
    pub effects: Sender<ClockEffect>,
    pub deeds: Sender<ClockObeyed>,
    pub reports: Sender<SinkReport>,
}

impl Hub {
    /// `times`: goband keeps the time itself; and whether some device shows it.
    pub fn new(
        model: Model,
        desk: ClockDesk,
        times: Option<(SoftwareClock, bool)>,
        posts: Vec<Post>,
        outlets: Outlets,
    ) -> Hub {
        let software = times.map(|(clock, has_display)| Software { clock, obeyed: 0, has_display });
        let desk = if software.is_some() { desk.software() } else { desk };
        let mut outlook = model.outlook();
        outlook.clock = desk.outlook();
        let shared = Shared { model, desk, software, outlook: Arc::new(outlook), generation: 1, drift_told: false };
        let Outlets { inputs, presses, effects, deeds, reports } = outlets;
        Hub {
            epoch: Instant::now(),
            shared: Mutex::new(shared),
            posts,
            closing: AtomicBool::new(false),
            inputs,
            presses,
            effects,
            deeds,
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
        let (result, news) = {
            let mut shared = self.lock();
            let result = change(&mut shared);
            let news = shared.renew().then(|| (Arc::clone(&shared.outlook), shared.generation));
            (result, news)
        };
        if let Some((outlook, generation)) = news {
            let now_ms = self.now_ms();
            self.posts.iter().for_each(|p| p.bring(&outlook, generation, now_ms));
        }
        result
    }

    pub fn tell(&self, events: &[Event], old: bool) {
        let now_ms = self.now_ms();
        self.change(|shared| {
            for event in events {
                shared.model.apply(event, old);
                if old {
                    shared.desk.recall(event);
                } else {
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
        self.let_software_obey();
    }

    /// What was ordered, done by the software clock.
    fn let_software_obey(&self) {
        let now_ms = self.now_ms();
        let (effects, deed) = self.change(|shared| {
            let effects = shared.obey(now_ms);
            let deed = shared.desk.take_deed();
            if !effects.is_empty() {
                shared.read_software(&effects, now_ms);
            }
            (effects, deed)
        });
        self.send_effects(effects);
        self.send_deed(deed);
    }

    fn send_deed(&self, deed: Option<ClockDeed>) {
        if let Some(deed) = deed {
            let _ = self.deeds.send(ClockObeyed { at: Instant::now(), deed });
        }
    }

    fn send_effects(&self, effects: Vec<TimeEffect>) {
        for effect in effects {
            let at = self.epoch + Duration::from_millis(effect.at_ms);
            let _ = self.effects.send(ClockEffect { at, effect });
        }
    }

    /// Lets the software clock's time pass; call some fifty times a second.
    pub fn tick_clock(&self) {
        let now_ms = self.now_ms();
        let effects = self.change(|shared| {
            let effects = shared.software.as_mut().map(|s| s.clock.tick(now_ms)).unwrap_or_default();
            shared.read_software(&effects, now_ms);
            effects
        });
        self.send_effects(effects);
    }

    pub fn acknowledge(&self, alarm: u64) {
        self.change(|shared| {
            shared.model.acknowledge(Some(alarm));
        });
    }

    /// The outlook and its generation, which grows with each new one.
    pub fn outlook_now(&self) -> (Arc<Outlook>, u64) {
        let shared = self.lock();
        (Arc::clone(&shared.outlook), shared.generation)
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
                    if shared.software.is_some() {
                        // a display of ours
                        return (ClockNote::None, None);
                    }
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
                let now_ms = self.now_ms();
                let (note, deed) = self.change(|shared| (shared.desk.obeyed(number, now_ms), shared.desk.take_deed()));
                note_clock(device, note);
                self.send_deed(deed);
            }
        }
    }

    /// The software clock, to be stored.
    pub fn clock_to_store(&self) -> Option<Clock> {
        let now_ms = self.now_ms();
        self.lock().software.as_ref().map(|s| s.clock.to_store(now_ms))
    }

    fn press(&self, device: &str, press: PressSeen) {
        let now_ms = self.now_ms();
        let (press, effects) = self.change(|shared| {
            let press = shared.desk.pressed(press, device);
            let effects = match (press, &mut shared.software) {
                (Some(press), Some(software)) => software.clock.press(press.side, press.at_ms),
                _ => Vec::new(),
            };
            if !effects.is_empty() {
                shared.read_software(&effects, now_ms);
            }
            (press, effects)
        });
        self.send_effects(effects);
        if let Some(press) = press {
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
                self.order(None, None, OrderedBy::Device(device.to_owned()));
            }
            Button::Resume => {
                self.resume(OrderedBy::Device(device.to_owned()));
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
    pub fn order(&self, run: Option<Color>, times: Option<Times>, by: OrderedBy) -> u64 {
        let number = self.change(|shared| shared.desk.order(run, times, by));
        self.let_software_obey();
        number
    }

    /// Lets the side go on whose turn it was; false if nobody knows which.
    pub fn resume(&self, by: OrderedBy) -> bool {
        let is_known = self.change(|shared| {
            let side = shared.desk.side_to_resume();
            if side.is_some() {
                shared.desk.order(side, None, by);
            }
            side.is_some()
        });
        self.let_software_obey();
        is_known
    }

    /// What a break that begins now means for the clock.
    pub fn in_break(&self) -> ClockInBreak {
        let now_ms = self.now_ms();
        self.lock().desk.in_break(now_ms)
    }

    /// A break begins (event `of`): the clock stands, unless it is to be left alone.
    pub fn break_begins(&self, of: u64, touch: bool) {
        let now_ms = self.now_ms();
        self.change(|shared| shared.desk.break_begins(of, touch, now_ms));
        self.let_software_obey();
    }

    /// Play goes on (event `of`), and with it the clock that the break had stopped. False if the clock stands.
    pub fn break_ends(&self, of: u64, touch: bool) -> bool {
        let now_ms = self.now_ms();
        let runs = self.change(|shared| shared.desk.break_ends(of, touch, now_ms));
        self.let_software_obey();
        runs
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
        let (age_ms, drift) = (now_ms.saturating_sub(at_ms), shared.desk.drift());
        Some(ClockStatus { reading, age_ms, drift, stopped, is_software: shared.software.is_some() })
    }

    pub fn report(&self, report: SinkReport) {
        let _ = self.reports.send(report);
    }

    pub fn close(&self) {
        self.closing.store(true, Ordering::Release);
        self.posts.iter().for_each(Post::wake);
    }

    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }
}

/// What of the clock's effects is said aloud: whose time, kind, short form, beep.
fn call_of(what: &TimeNotice) -> Option<(Color, &'static str, String, u32)> {
    Some(match *what {
        TimeNotice::Reminder { side, left_ms } => (side, "minutes", format!("{} MIN", left_ms / 60_000), 200),
        TimeNotice::ByoyomiBegins { side, periods, .. } => (side, "period", format!("BYO {periods}"), 500),
        TimeNotice::Call { side, call: Call::Seconds(s) } => (side, "seconds", format!("{s} SEC"), 100),
        TimeNotice::Call { side, call: Call::Count(s) } => (side, "seconds", s.to_string(), 60),
        TimeNotice::PeriodUsed { side, left: 1, .. } => (side, "last_period", "LAST".into(), 500),
        TimeNotice::PeriodUsed { side, left, .. } => (side, "period", format!("BYO {left}"), 500),
        TimeNotice::Overrun { side, .. } => (side, "overrun", "TIME".into(), 1000),
        _ => return None,
    })
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
