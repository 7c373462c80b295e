//! What the devices' threads share: the newest outlook, and the ways back to the service.

use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossbeam_channel::Sender;

use super::console::acknowledges;
use super::driver::Pressed;
use super::link::wake;
use super::message::Button;
use super::model::{Model, Outlook};
use crate::game::{Event, SinkReport};

/// A button of a console, for the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleInput {
    /// Name of the device.
    pub device: String,
    pub button: Button,
    /// `seq` of the event it is about; none for a call, or when nothing is open.
    pub alarm: Option<u64>,
}

/// The shared part.
#[derive(Debug)]
pub struct Hub {
    shared: Mutex<Shared>,
    wakers: Vec<UnixStream>,
    closing: AtomicBool,
    inputs: Sender<ConsoleInput>,
    reports: Sender<SinkReport>,
}

#[derive(Debug)]
struct Shared {
    model: Model,
    outlook: Arc<Outlook>,
    generation: u64,
}

impl Hub {
    pub fn new(
        model: Model,
        wakers: Vec<UnixStream>,
        inputs: Sender<ConsoleInput>,
        reports: Sender<SinkReport>,
    ) -> Hub {
        let outlook = Arc::new(model.outlook());
        let shared = Mutex::new(Shared { model, outlook, generation: 1 });
        Hub { shared, wakers, closing: AtomicBool::new(false), inputs, reports }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the model and lets all devices know.
    fn change(&self, change: impl FnOnce(&mut Model)) {
        {
            let mut shared = self.lock();
            change(&mut shared.model);
            let outlook = shared.model.outlook();
            if *shared.outlook == outlook {
                return;
            }
            shared.outlook = Arc::new(outlook);
            shared.generation += 1;
        }
        self.wake_all();
    }

    pub fn tell(&self, events: &[Event], old: bool) {
        self.change(|model| events.iter().for_each(|e| model.apply(e, old)));
    }

    pub fn acknowledge(&self, alarm: u64) {
        self.change(|model| {
            model.acknowledge(Some(alarm));
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

    /// A console's button. An acknowledgement takes effect at once; decisions are the service's.
    pub fn pressed(&self, device: &str, pressed: Pressed) {
        let alarm = match pressed.button {
            Button::Call => pressed.alarm,
            // "the newest": of those that the referee has not dealt with
            _ => pressed.alarm.or_else(|| {
                let outlook = self.outlook();
                let open = || outlook.alarms.iter().rev().filter(|a| !a.is_over());
                open().find(|a| !a.acknowledged).or_else(|| open().next()).map(|a| a.number)
            }),
        };
        if let (true, Some(number)) = (acknowledges(pressed.button), alarm) {
            self.acknowledge(number);
        }
        let _ = self.inputs.send(ConsoleInput { device: device.to_owned(), button: pressed.button, alarm });
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
