//! All devices of a table.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossbeam_channel::Receiver;

use super::clock::{ClockDesk, ClockInBreak, OrderedBy, SoftwareClock, StopPolicy, Times};
use super::config::{AlarmsConfig, ClockConfig, DeviceConfig, DeviceKind};
use super::console::{ConsoleDriver, Introduction, Roles};
use super::device::{DeviceStatus, DeviceThread};
use super::dgt::{BoardClockDriver, GatewayDriver};
use super::driver::Driver;
use super::hub::{ClockEffect, ClockObeyed, ClockPress, ClockStatus, ConsoleInput, Hub, Outlets};
use super::lamp::{LampDriver, LampTimes};
use super::lights::LightRules;
use super::lines::LinesDriver;
use super::link::wake_pair;
use super::modbus_lamp::ModbusDriver;
use super::model::{Model, Outlook};
use super::port::Places;
use super::show::ShowMap;
use super::tower_lamp::TowerDriver;
use super::wire_log::WireLog;
use super::writer::{Post, Writer};
use crate::game::{Event, SinkReport, Text};
use crate::rules::time::Clock;
use crate::rules::{Color, Ruleset};

/// How exactly the software clock calls.
const CLOCK_TICK: Duration = Duration::from_millis(20);

/// What the devices of a table need to know.
#[derive(Clone, Debug, Default)]
pub struct SignalConfig {
    pub devices: Vec<DeviceConfig>,
    /// Shown by consoles.
    pub table: String,
    /// Names the game: a console forgets its alarms when it changes. The record's folder will do.
    pub game: String,
    pub alarms: AlarmsConfig,
    pub clock: ClockConfig,
    /// Weighs the infractions, and says whether a dispute stops the clock.
    pub ruleset: Option<Arc<Ruleset>>,
    /// Where the software clock is stored every second, so that it goes on after a restart.
    pub clock_file: Option<PathBuf>,
    /// Where ports are looked up.
    pub places: Places,
}

/// Why signals cannot start.
#[derive(Debug, thiserror::Error)]
pub enum SignalError {
    #[error("{key} of device {device:?}: {problem}")]
    Config { device: String, key: &'static str, problem: String },
    #[error("{first:?} and {second:?} are both on port {port}")]
    SharedPort { first: String, second: String, port: String },
    #[error("cannot start a device's thread: {0}")]
    Io(#[from] std::io::Error),
    #[error("{key}: {problem}")]
    Alarms { key: String, problem: String },
    #[error("alarms.wire_log: {} cannot be written: {error}", path.display())]
    WireLog { path: PathBuf, error: std::io::Error },
}

/// The devices, each with a thread and a port of its own. A port that is missing or lost is opened again when it comes back.
pub struct Signals {
    hub: Arc<Hub>,
    statuses: Vec<Arc<Mutex<DeviceStatus>>>,
    threads: Vec<JoinHandle<()>>,
    inputs: Receiver<ConsoleInput>,
    presses: Receiver<ClockPress>,
    effects: Receiver<ClockEffect>,
    deeds: Receiver<ClockObeyed>,
    reports: Receiver<SinkReport>,
}

impl fmt::Debug for Signals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signals").field("devices", &self.status()).finish_non_exhaustive()
    }
}

impl Signals {
    /// Starts the devices. A port that cannot be opened is no error here: it is reported, and tried again.
    ///
    /// # Errors
    /// A value of the configuration that is not possible.
    pub fn spawn(config: SignalConfig) -> Result<Signals, SignalError> {
        for (n, device) in config.devices.iter().enumerate() {
            device.check().map_err(|(key, problem)| SignalError::Config { device: device.name(), key, problem })?;
            if let Some(other) = config.devices[..n].iter().find(|d| d.port == device.port) {
                let (first, second, port) = (other.name(), device.name(), device.port.clone());
                return Err(SignalError::SharedPort { first, second, port });
            }
        }
        let SignalConfig { devices, table, game, alarms, clock, ruleset, clock_file, places } = config;
        alarms.check().map_err(|(key, problem)| SignalError::Alarms { key: key.into(), problem })?;
        let wire_log = match &alarms.wire_log {
            None => None,
            Some(path) => {
                Some(Arc::new(WireLog::open(path).map_err(|error| SignalError::WireLog { path: path.clone(), error })?))
            }
        };
        let can_acknowledge = devices.iter().any(can_acknowledge);
        let pairs = devices.iter().map(|_| wake_pair()).collect::<Result<Vec<_>, _>>()?;
        let (wakers, wakes): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let introduction = Introduction { session: new_session(), table, game };
        let writer = |device: &DeviceConfig| {
            let driver = driver(device, &introduction, &alarms);
            Arc::new(Mutex::new(Writer::new(driver, device.name().into(), device.log_bytes, wire_log.clone())))
        };
        let writers: Vec<_> = devices.iter().map(writer).collect();
        let posts = wakers.into_iter().zip(&writers).map(|(waker, writer)| Post { writer: Arc::clone(writer), waker });
        let posts = posts.collect();
        let (send_input, inputs) = crossbeam_channel::unbounded();
        let (send_press, presses) = crossbeam_channel::unbounded();
        let (send_effect, effects) = crossbeam_channel::unbounded();
        let (send_deed, deeds) = crossbeam_channel::unbounded();
        let (send_report, reports) = crossbeam_channel::unbounded();
        let (mut model, mut policy) = (Model::new(can_acknowledge), StopPolicy::default());
        if let Some(ruleset) = &ruleset {
            model = model.weighed(ruleset);
            policy = StopPolicy::new(&clock.stop, clock.breaks, ruleset);
        }
        policy.restore_period = clock.restore_period.unwrap_or(policy.restore_period);
        let outlets = Outlets {
            inputs: send_input,
            presses: send_press,
            effects: send_effect,
            deeds: send_deed,
            reports: send_report,
        };
        let times = match (&ruleset, clock.software) {
            (Some(ruleset), true) => {
                Some(clock.times(ruleset).map_err(|(key, problem)| SignalError::Alarms { key, problem })?)
            }
            _ => None,
        };
        let is_clock = |d: &DeviceConfig| matches!(d.kind, DeviceKind::Clock | DeviceKind::Dgt | DeviceKind::Dgt3000);
        let has_software = times.is_some();
        let times = times.map(|settings| {
            let works = clock_file.as_deref().and_then(stored_clock).filter(|c| *c.settings() == settings);
            let works = works.map(|c| SoftwareClock::restored(c, 0));
            (works.unwrap_or_else(|| SoftwareClock::new(settings, 0)), devices.iter().any(is_clock))
        });
        let hub = Arc::new(Hub::new(model, ClockDesk::new(policy), times, posts, outlets));
        let mut signals =
            Signals { hub, statuses: Vec::new(), threads: Vec::new(), inputs, presses, effects, deeds, reports };
        if has_software {
            let hub = Arc::clone(&signals.hub);
            let run = move || run_clock(&hub, clock_file.as_deref());
            signals.threads.push(std::thread::Builder::new().name("clock".into()).spawn(run)?);
        }
        for ((device, writer), wake) in devices.iter().zip(writers).zip(wakes) {
            let status = Arc::new(Mutex::new(DeviceStatus::new(device.name(), device.port.clone())));
            let thread = DeviceThread {
                hub: Arc::clone(&signals.hub),
                wake,
                status: Arc::clone(&status),
                writer,
                name: device.name().into(),
                port: device.port.parse().map_err(|problem| SignalError::Config {
                    device: device.name(),
                    key: "signal.port",
                    problem,
                })?,
                places: places.clone(),
                baud: device.baud(),
            };
            signals.statuses.push(status);
            signals.threads.push(std::thread::Builder::new().name(device.name()).spawn(move || thread.run())?);
        }
        Ok(signals)
    }

    /// Lets the devices know of an event; returns at once.
    pub fn tell(&self, event: &Event) {
        self.hub.tell(std::slice::from_ref(event), false);
    }

    /// Events of an earlier run, from the journal: what is still open is shown, but makes no new sound.
    pub fn restore(&self, events: &[Event]) {
        self.hub.tell(events, true);
    }

    /// The referee has seen an alarm by another way than a console (the page).
    pub fn acknowledge(&self, alarm: u64) {
        self.hub.acknowledge(alarm);
    }

    /// Lets the clock stand (`run`: none) or one side's time run, and shows `times` from then on.
    pub fn order_clock(&self, run: Option<Color>, times: Option<Times>, by: OrderedBy) {
        self.hub.order(run, times, by);
    }

    /// Lets the clock go on after a stop; false if nobody knows whose turn it was.
    pub fn resume_clock(&self, by: OrderedBy) -> bool {
        self.hub.resume(by)
    }

    /// What a break that begins now means for the clock.
    pub fn clock_in_break(&self) -> ClockInBreak {
        self.hub.in_break()
    }

    /// A break begins, says event `of`: the clock stands. `touch`: false leaves it as it is.
    pub fn break_begins(&self, of: u64, touch: bool) {
        self.hub.break_begins(of, touch);
    }

    /// Play goes on, says event `of`, and with it the clock that the break had stopped, if nobody has said otherwise since.
    /// False if the clock stands.
    pub fn break_ends(&self, of: u64, touch: bool) -> bool {
        self.hub.break_ends(of, touch)
    }

    /// Has something said and shown at the clock. `short`: at most eleven ASCII characters.
    pub fn announce(&self, color: Option<Color>, kind: &str, text: Text, short: &str, beep_ms: u32) {
        self.hub.say(color, kind, text, short, beep_ms);
    }

    /// What the clock shows and how it goes; none before its first reading.
    pub fn clock(&self) -> Option<ClockStatus> {
        self.hub.clock()
    }

    /// Presses of the clock, from any device.
    pub fn presses(&self) -> &Receiver<ClockPress> {
        &self.presses
    }

    /// What the software clock says: calls, periods, overruns.
    pub fn clock_effects(&self) -> &Receiver<ClockEffect> {
        &self.effects
    }

    /// Orders that a clock has obeyed.
    pub fn clock_deeds(&self) -> &Receiver<ClockObeyed> {
        &self.deeds
    }

    /// The instant at which the devices' own times start.
    pub fn epoch(&self) -> Instant {
        self.hub.epoch()
    }

    /// What the devices are to show.
    pub fn outlook(&self) -> Arc<Outlook> {
        self.hub.outlook()
    }

    /// How each device does.
    pub fn status(&self) -> Vec<DeviceStatus> {
        self.statuses.iter().map(|s| s.lock().unwrap_or_else(PoisonError::into_inner).clone()).collect()
    }

    /// Buttons of consoles.
    pub fn inputs(&self) -> &Receiver<ConsoleInput> {
        &self.inputs
    }

    /// Devices in trouble, and well again.
    pub fn reports(&self) -> &Receiver<SinkReport> {
        &self.reports
    }

    /// Ends in good order: lamps off, consoles told. Takes at most 0.6 s. Dropping does the same.
    pub fn shutdown(self) {}
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.hub.close();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Lets the software clock's time pass, and stores it every second.
fn run_clock(hub: &Hub, file: Option<&Path>) {
    let mut stored = None;
    let mut next = Instant::now();
    let mut failed = false;
    loop {
        let is_last = hub.is_closing();
        hub.tick_clock();
        if let Some(file) = file.filter(|_| is_last || Instant::now() >= next) {
            next = Instant::now() + Duration::from_secs(1);
            let clock = hub.clock_to_store();
            if clock != stored {
                let result = clock.as_ref().map_or(Ok(()), |clock| store_clock(file, clock));
                if let Err(error) = &result
                    && !failed
                {
                    tracing::error!(%error, "{}: the clock cannot be stored", file.display());
                }
                failed = result.is_err();
                stored = clock;
            }
        }
        if is_last {
            return;
        }
        std::thread::sleep(CLOCK_TICK);
    }
}

/// Renamed into place, so that a power cut leaves the old or the new one.
fn store_clock(file: &Path, clock: &Clock) -> std::io::Result<()> {
    let new = file.with_extension("new");
    std::fs::write(&new, serde_json::to_vec(clock)?)?;
    std::fs::rename(&new, file)
}

fn stored_clock(file: &Path) -> Option<Clock> {
    let bytes = std::fs::read(file).ok()?;
    serde_json::from_slice(&bytes)
        .inspect_err(|error| tracing::warn!(%error, "{}: the stored clock is not used", file.display()))
        .ok()
}

/// The device lets the referee say that he has seen an alarm.
fn can_acknowledge(device: &DeviceConfig) -> bool {
    match device.kind {
        DeviceKind::Console => true,
        DeviceKind::Lines => device.inputs.is_some_and(|i| i.can_acknowledge()),
        _ => false,
    }
}

fn driver(device: &DeviceConfig, introduction: &Introduction, alarms: &AlarmsConfig) -> Box<dyn Driver> {
    let channels = device.channels.unwrap_or_default();
    let reassert_ms = device.reassert_s.unwrap_or(5) * 1000;
    let times = LampTimes { reassert_ms, query_status: device.query_status };
    let usual = ShowMap::usual(device.buzzer_ms.unwrap_or(1000));
    let rules = || LightRules {
        show: device.show.as_ref().map_or(usual.clone(), |own| usual.clone().with(own)),
        priority: alarms.priority.clone(),
        min_on_ms: alarms.min_on_ms,
        silent_in_byoyomi: alarms.silent_in_byoyomi,
        remind_ms: alarms.remind_s * 1000,
    };
    let line = |roles| {
        let language = device.language.unwrap_or_default();
        Box::new(ConsoleDriver::new(device.baud(), language, introduction.clone(), roles))
    };
    let left = device.left.unwrap_or(Color::Black);
    match device.kind {
        DeviceKind::Console => line(Roles::CONSOLE),
        DeviceKind::Clock => line(Roles::CLOCK),
        DeviceKind::Lamp => Box::new(LampDriver::new(channels, rules(), times)),
        DeviceKind::Modbus => {
            Box::new(ModbusDriver::new(device.unit.unwrap_or(1), device.baud(), channels, rules(), times))
        }
        DeviceKind::Tower => Box::new(TowerDriver::new(rules(), reassert_ms)),
        DeviceKind::Lines => {
            let (outputs, inputs) = (device.outputs.unwrap_or_default(), device.inputs.unwrap_or_default());
            Box::new(LinesDriver::new(outputs, inputs, rules()))
        }
        DeviceKind::Dgt => Box::new(BoardClockDriver::new(left)),
        DeviceKind::Dgt3000 => Box::new(GatewayDriver::new(left)),
    }
}

/// Different at every start: the time and the process.
fn new_session() -> String {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    format!("{:08X}", crc32fast::hash(format!("{time} {}", std::process::id()).as_bytes()))
}
