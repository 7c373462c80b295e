//! A Modbus RTU relay board, emulated.

use std::io;
use std::path::Path;

use crossbeam_channel::Receiver;

use super::runner::{Command, Device, Running};
use super::{EmulatorOptions, Heard, What};
use crate::signal::modbus::{Answer, Request, RequestDecoder};

/// The board as a state machine.
#[derive(Debug)]
pub struct ModbusDevice {
    unit: u8,
    decoder: RequestDecoder,
    relays: Vec<bool>,
    /// The next request fails.
    fail_next: bool,
    out: Vec<u8>,
}

impl ModbusDevice {
    /// A board of eight relays with address `unit`.
    pub fn new(unit: u8) -> ModbusDevice {
        ModbusDevice::with_relays(unit, 8)
    }

    /// A board of `count` relays.
    pub fn with_relays(unit: u8, count: usize) -> ModbusDevice {
        ModbusDevice {
            unit,
            decoder: RequestDecoder::default(),
            relays: vec![false; count],
            fail_next: false,
            out: Vec::new(),
        }
    }

    /// The relays that are on, from 1.
    pub fn on(&self) -> Vec<usize> {
        (1..=self.relays.len()).filter(|&n| self.relays[n - 1]).collect()
    }

    fn switch(&mut self, coil: u16, on: bool, what: &mut Vec<What>) {
        let Some(relay) = self.relays.get_mut(usize::from(coil)) else { return };
        let changed = std::mem::replace(relay, on) != on;
        let channel = u8::try_from(coil + 1).unwrap_or(u8::MAX);
        what.push(What::Relay { channel, on, changed });
    }

    fn answer(&mut self, request: Request, what: &mut Vec<What>) -> Answer {
        match request {
            Request::Write { coil, on } => match self.relays.get(usize::from(coil)) {
                Some(_) => {
                    self.switch(coil, on, what);
                    Answer::Written { coil, on }
                }
                None => Answer::Exception { function: 5, code: 2 },
            },
            Request::Flip { coil } => match self.relays.get(usize::from(coil)).copied() {
                Some(on) => {
                    self.switch(coil, !on, what);
                    Answer::Flipped { coil }
                }
                None => Answer::Exception { function: 5, code: 2 },
            },
            Request::WriteAll { on } => {
                (0..self.relays.len() as u16).for_each(|coil| self.switch(coil, on, what));
                Answer::WrittenAll { on }
            }
            Request::WriteMany { first, count, states } => {
                if usize::from(first) + usize::from(count) > self.relays.len() {
                    return Answer::Exception { function: 15, code: 2 };
                }
                (0..count).for_each(|n| self.switch(first + n, states >> n & 1 == 1, what));
                Answer::WrittenMany { first, count }
            }
            Request::Read { first, count } => {
                let is_on = |n: u16| {
                    first.checked_add(n).and_then(|n| self.relays.get(usize::from(n))).copied().unwrap_or(false)
                };
                let byte = |n: u16| (0..8).filter(|b| n * 8 + b < count && is_on(n * 8 + b)).map(|b| 1u8 << b).sum();
                Answer::Coils((0..count.div_ceil(8)).map(byte).collect())
            }
        }
    }
}

impl Device for ModbusDevice {
    const HAS_LINES: bool = false;

    fn receive(&mut self, bytes: &[u8], _now_ms: u64) -> Vec<What> {
        let mut what = Vec::new();
        for &byte in bytes {
            // a board does not answer what is not for it, nor what is damaged
            if let Some((unit, request)) = self.decoder.push(byte)
                && unit == self.unit
            {
                let answer = if std::mem::take(&mut self.fail_next) {
                    // "device failure"
                    Answer::Exception { function: request.function(), code: 4 }
                } else {
                    self.answer(request, &mut what)
                };
                self.out.extend_from_slice(&answer.encode(unit));
            }
        }
        what
    }

    fn poll(&mut self, _now_ms: u64) -> Vec<What> {
        Vec::new()
    }

    fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn be_busy(&mut self) {
        self.fail_next = true;
    }

    fn power_cycle(&mut self, _now_ms: u64) {
        self.relays.fill(false);
    }
}

/// An emulated Modbus relay board on a pseudo-terminal, address 1.
#[derive(Debug)]
pub struct Modbus(Running);

impl Modbus {
    /// Starts it.
    ///
    /// # Errors
    /// No pseudo-terminal; something is in the link's place.
    pub fn spawn(options: EmulatorOptions) -> io::Result<Modbus> {
        Running::spawn(ModbusDevice::new(1), options).map(Modbus)
    }

    /// The path of its port, for goband to open.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// What it took in.
    pub fn heard(&self) -> &Receiver<Heard> {
        self.0.heard()
    }

    /// Answers nothing from now on, or answers again.
    pub fn set_silent(&self, silent: bool) {
        self.0.command(Command::Silent(silent));
    }
}
