//! Runs an emulated device on a pseudo-terminal, in a thread.

use std::collections::VecDeque;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TryRecvError};

use super::faults::{BadLine, Chance};
use super::{EmulatorOptions, Heard, Pty, What};
use crate::signal::link::{wait, wake, wake_pair};
use crate::signal::message::Button;

/// What can be done to a running device.
#[derive(Clone, Debug)]
pub enum Command {
    Press(Button, u64),
    /// Something that a person does to the device, in words.
    Input(String),
    Unplug,
    Plug,
    Silent(bool),
    PowerCycle,
}

/// A device as a state machine.
pub trait Device: Send {
    /// Bytes from goband.
    fn receive(&mut self, bytes: &[u8], now_ms: u64) -> Vec<What>;

    /// Does what is due.
    fn poll(&mut self, now_ms: u64) -> Vec<What>;

    /// Bytes for goband.
    fn output(&mut self) -> &mut Vec<u8>;

    /// A button is pressed.
    fn press(&mut self, _button: Button, _alarm: u64, _now_ms: u64) {}

    /// Something that a person does to the device, in words. Gives what can be seen then.
    ///
    /// # Errors
    /// The words that it knows.
    fn input(&mut self, _words: &str, _now_ms: u64) -> Result<Option<What>, String> {
        Err("there is nothing to be done to this device".into())
    }

    /// The next answer is to be a wrong one, as such devices give them.
    fn be_busy(&mut self) {}

    /// Switched off and on.
    fn power_cycle(&mut self, now_ms: u64);

    /// Its lines end with a line feed.
    const HAS_LINES: bool;
    /// How often it looks what is due.
    const LOOK_MS: u64 = 50;
}

/// A device that runs. Dropping it ends the thread and removes the link.
#[derive(Debug)]
pub struct Running {
    path: PathBuf,
    commands: Option<Sender<Command>>,
    waker: UnixStream,
    heard: Receiver<Heard>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    pub fn spawn<D: Device + 'static>(device: D, options: EmulatorOptions) -> io::Result<Running> {
        let pty = Pty::open(options.link.as_deref())?;
        let path = pty.path().to_owned();
        let (send, commands) = crossbeam_channel::unbounded();
        let (heard_send, heard) = crossbeam_channel::unbounded();
        let (waker, wake) = wake_pair()?;
        let thread = std::thread::Builder::new().name("emulator".into()).spawn(move || {
            let lines = [BadLine::new(&options.faults, 0), BadLine::new(&options.faults, 1)];
            let delayed = VecDeque::new();
            let wrong = Chance::new(options.faults.seed.wrapping_add(77));
            let pty = Some(pty);
            Runner { device, pty, options, wake, commands, heard: heard_send, lines, delayed, wrong }.run();
        })?;
        Ok(Running { path, commands: Some(send), waker, heard, thread: Some(thread) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn heard(&self) -> &Receiver<Heard> {
        &self.heard
    }

    pub fn command(&self, command: Command) {
        if let Some(commands) = &self.commands {
            let _ = commands.send(command);
            wake(&self.waker);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.commands = None;
        wake(&self.waker);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Runner<D> {
    device: D,
    pty: Option<Pty>,
    options: EmulatorOptions,
    wake: UnixStream,
    commands: Receiver<Command>,
    heard: Sender<Heard>,
    lines: [BadLine; 2],
    wrong: Chance,
    /// Bytes that are not sent yet, and when they are due.
    delayed: VecDeque<(u64, Vec<u8>)>,
}

impl<D: Device> Runner<D> {
    fn run(mut self) {
        let start = Instant::now();
        let now = || u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        loop {
            loop {
                match self.commands.try_recv() {
                    Ok(command) => self.obey(command, now()),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return,
                }
            }
            let what = self.device.poll(now());
            self.tell(what);
            self.send(now());
            let tty = self.pty.as_ref().filter(|_| !self.options.faults.stuck).map(|p| p.tty.descriptor());
            // a clock's seconds want a finer look than a lamp
            let patience_ms =
                self.delayed.front().map_or(D::LOOK_MS, |(due, _)| due.saturating_sub(now()).clamp(1, D::LOOK_MS));
            let ready = wait(tty, false, Some(&self.wake), Duration::from_millis(patience_ms));
            if ready.port && !self.read(now()) {
                // goband is not there; the port says so again and again
                wait(None, false, Some(&self.wake), Duration::from_millis(10));
            }
        }
    }

    fn obey(&mut self, command: Command, now_ms: u64) {
        match command {
            Command::Press(button, alarm) => self.device.press(button, alarm, now_ms),
            Command::Input(words) => match self.device.input(&words, now_ms) {
                Ok(what) => self.tell(what.into_iter().collect()),
                Err(possible) => tracing::error!("{words:?} cannot be done to this device; {possible}"),
            },
            Command::Unplug => {
                self.pty = None;
                self.delayed.clear();
            }
            Command::Plug if self.pty.is_none() => match Pty::open(self.options.link.as_deref()) {
                Ok(pty) => self.pty = Some(pty),
                Err(error) => tracing::error!(%error, "emulator"),
            },
            Command::Plug => {}
            Command::Silent(silent) => self.options.faults.silent = silent,
            Command::PowerCycle => self.device.power_cycle(now_ms),
        }
    }

    fn tell(&self, what: Vec<What>) {
        let at = Instant::now();
        for what in what {
            let _ = self.heard.send(Heard { at, what });
        }
    }

    fn send(&mut self, now_ms: u64) {
        let bytes = std::mem::take(self.device.output());
        if !bytes.is_empty() && !self.options.faults.silent {
            let bytes = self.lines[0].pass(&bytes, !D::HAS_LINES);
            self.delayed.push_back((now_ms + self.options.faults.delay_ms, bytes));
        }
        let Some(pty) = &mut self.pty else { return };
        while let Some((due, bytes)) = self.delayed.front_mut() {
            if *due > now_ms {
                return;
            }
            match pty.tty.write(bytes) {
                Ok(count) if count < bytes.len() => {
                    bytes.drain(..count);
                    return;
                }
                // nobody there to hear it
                Ok(_) | Err(_) => self.delayed.pop_front(),
            };
        }
    }

    /// False when goband's end is not open.
    fn read(&mut self, now_ms: u64) -> bool {
        let Some(pty) = &mut self.pty else { return true };
        let mut buffer = [0; 4096];
        match pty.tty.read(&mut buffer) {
            Ok(count) => {
                let bytes = self.lines[1].pass(&buffer[..count], !D::HAS_LINES);
                if self.wrong.happens(self.options.faults.wrong) {
                    self.device.be_busy();
                }
                let what = self.device.receive(&bytes, now_ms);
                self.tell(what);
                true
            }
            Err(_) => false,
        }
    }
}
