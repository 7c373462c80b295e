//! All devices of a table.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};

use crossbeam_channel::Receiver;

use super::config::{DeviceConfig, DeviceKind};
use super::console::{ConsoleDriver, Introduction};
use super::device::{DeviceStatus, DeviceThread};
use super::driver::Driver;
use super::hub::{ConsoleInput, Hub};
use super::lamp::{LampDriver, LampTimes};
use super::link::wake_pair;
use super::modbus_lamp::ModbusDriver;
use super::model::{Model, Outlook};
use crate::game::{Event, SinkReport};

/// What the devices of a table need to know.
#[derive(Clone, Debug, Default)]
pub struct SignalConfig {
    pub devices: Vec<DeviceConfig>,
    /// Shown by consoles.
    pub table: String,
    /// Names the game: a console forgets its alarms when it changes. The record's folder will do.
    pub game: String,
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
}

/// The devices, each with a thread and a port of its own. A port that is missing or lost is opened again when it comes back.
#[derive(Debug)]
pub struct Signals {
    hub: Arc<Hub>,
    statuses: Vec<Arc<Mutex<DeviceStatus>>>,
    threads: Vec<JoinHandle<()>>,
    inputs: Receiver<ConsoleInput>,
    reports: Receiver<SinkReport>,
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
        let can_acknowledge = config.devices.iter().any(|d| d.kind == DeviceKind::Console);
        let pairs = config.devices.iter().map(|_| wake_pair()).collect::<Result<Vec<_>, _>>()?;
        let (wakers, wakes): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let (send_input, inputs) = crossbeam_channel::unbounded();
        let (send_report, reports) = crossbeam_channel::unbounded();
        let hub = Arc::new(Hub::new(Model::new(can_acknowledge), wakers, send_input, send_report));
        let introduction = Introduction { session: new_session(), table: config.table, game: config.game };
        let mut signals = Signals { hub, statuses: Vec::new(), threads: Vec::new(), inputs, reports };
        for (device, wake) in config.devices.iter().zip(wakes) {
            let status = Arc::new(Mutex::new(DeviceStatus::new(device.name(), device.port.clone())));
            let thread = DeviceThread {
                hub: Arc::clone(&signals.hub),
                wake,
                status: Arc::clone(&status),
                driver: driver(device, &introduction),
                name: device.name(),
                path: device.port.clone(),
                baud: device.baud(),
                log_bytes: device.log_bytes,
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

fn driver(device: &DeviceConfig, introduction: &Introduction) -> Box<dyn Driver> {
    let channels = device.channels.unwrap_or_default();
    let times = LampTimes {
        reassert_ms: device.reassert_s.unwrap_or(5) * 1000,
        buzzer_ms: device.buzzer_ms.unwrap_or(1000),
        query_status: device.query_status,
    };
    match device.kind {
        DeviceKind::Console => {
            let language = device.language.unwrap_or_default();
            Box::new(ConsoleDriver::new(device.baud(), language, introduction.clone()))
        }
        DeviceKind::Lamp => Box::new(LampDriver::new(channels, times)),
        DeviceKind::Modbus => Box::new(ModbusDriver::new(device.unit.unwrap_or(1), device.baud(), channels, times)),
    }
}

/// Different at every start: the time and the process.
fn new_session() -> String {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    format!("{:08X}", crc32fast::hash(format!("{time} {}", std::process::id()).as_bytes()))
}
