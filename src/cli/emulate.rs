//! `goband emulate console|lamp|modbus|clock|dgt|dgt3000|tower`: a device without hardware, on a pseudo-terminal, that prints what it receives.

use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, ValueEnum};
use crossbeam_channel::{Receiver, RecvTimeoutError};

use crate::signal::Button;
use crate::signal::emulator::{Allowance, Console, Emulated, EmulatorOptions, Faults, Heard, Lamp, Modbus};

/// Which device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Device {
    /// The referee's console (docs/serial-protocol.md)
    Console,
    /// An LCUS USB relay board with lamps
    Lamp,
    /// A Modbus RTU relay board with lamps, address 1
    Modbus,
    /// A clock that speaks goband's protocol (docs/serial-protocol.md)
    Clock,
    /// A DGT-compatible board with a clock, Black at the left
    Dgt,
    /// A DGT3000 behind a gateway that speaks JSON lines, Black at the left
    Dgt3000,
    /// A one-byte USB tower lamp
    Tower,
}

/// Emulate a serial device on a pseudo-terminal and print what it receives
#[derive(Args, Clone, Debug)]
pub struct EmulateArgs {
    /// The device
    pub device: Device,

    /// Symbolic link to the pseudo-terminal, for the configuration's `port`; removed at the end
    #[arg(long, value_name = "PATH")]
    pub link: PathBuf,

    /// Probability that a line is lost, each way
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = probability)]
    pub drop: f64,

    /// Probability that a byte is changed, each way
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = probability)]
    pub noise: f64,

    /// Answer so many milliseconds later
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub delay_ms: u64,

    /// Probability that what comes in is answered wrongly: refused, "busy", or another state than the true one
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = probability)]
    pub wrong: f64,

    /// Clocks: seconds of main time, and byo-yomi
    #[arg(long, value_name = "MAIN+NxS", default_value = "600+3x30")]
    pub time: Allowance,

    /// Lamp: a timer behind this relay cuts the lamps' supply when the relay has not moved for two seconds
    #[arg(long, value_name = "RELAY", value_parser = clap::value_parser!(u8).range(1..=8))]
    pub timer: Option<u8>,

    /// Take everything, answer nothing
    #[arg(long)]
    pub silent: bool,

    /// Do not even take what is sent
    #[arg(long)]
    pub stuck: bool,

    /// Seed of the chance in --drop and --noise
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Print heartbeats and repetitions too
    #[arg(long)]
    pub all: bool,
}

fn probability(text: &str) -> Result<f64, String> {
    let p: f64 = text.parse().map_err(|_| "a number from 0 to 1".to_owned())?;
    if (0.0..=1.0).contains(&p) { Ok(p) } else { Err("a number from 0 to 1".into()) }
}

/// Runs until SIGINT or SIGTERM. Buttons of the console are typed as `ack 12`, `accept 12`, `reject 12`, `call`.
///
/// # Errors
/// No pseudo-terminal, or something is in the link's place.
pub fn run(args: EmulateArgs) -> anyhow::Result<u8> {
    let faults = Faults {
        drop: args.drop,
        noise: args.noise,
        delay_ms: args.delay_ms,
        wrong: args.wrong,
        silent: args.silent,
        stuck: args.stuck,
        seed: args.seed,
    };
    let options = EmulatorOptions { link: Some(args.link.clone()), faults };
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).context("cannot catch signals")?;
    }
    let place = || format!("cannot emulate a device at {}", args.link.display());
    match args.device {
        Device::Console => {
            let console = Arc::new(Console::spawn(options).with_context(place)?);
            announce("console", &args);
            // the thread waits for lines for ever; it ends with the process
            std::thread::spawn({
                let console = Arc::clone(&console);
                move || read_buttons(&console)
            });
            let result = print(console.heard(), args.all, &stop);
            console.unplug();
            wait_until_gone(&args.link);
            result
        }
        Device::Lamp => {
            let lamp = match args.timer {
                Some(relay) => Lamp::spawn_timed(relay, options),
                None => Lamp::spawn(options),
            };
            let lamp = lamp.with_context(place)?;
            announce("lamp", &args);
            print(lamp.heard(), args.all, &stop)
        }
        Device::Modbus => {
            let board = Modbus::spawn(options).with_context(place)?;
            announce("modbus relay board", &args);
            print(board.heard(), args.all, &stop)
        }
        Device::Clock | Device::Dgt | Device::Dgt3000 | Device::Tower => {
            let device = match args.device {
                Device::Clock => Emulated::clock(args.time, options),
                Device::Dgt => Emulated::dgt(args.time, options),
                Device::Dgt3000 => Emulated::dgt3000(args.time, options),
                _ => Emulated::tower(options),
            };
            let device = Arc::new(device.with_context(place)?);
            let name = args.device.to_possible_value().map_or(String::new(), |v| v.get_name().to_owned());
            announce(&name, &args);
            if args.device != Device::Tower {
                std::thread::spawn({
                    let device = Arc::clone(&device);
                    move || std::io::stdin().lock().lines().map_while(Result::ok).for_each(|l| device.input(&l))
                });
            }
            let result = print(device.heard(), args.all, &stop);
            device.unplug();
            wait_until_gone(&args.link);
            result
        }
    }
}

/// Gives the emulator's thread the moment that removing the link takes.
fn wait_until_gone(link: &std::path::Path) {
    let deadline = Instant::now() + Duration::from_millis(500);
    while link.is_symlink() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn announce(kind: &str, args: &EmulateArgs) {
    println!("emulated {kind} at {}; Ctrl-C ends it", args.link.display());
    if !std::io::stdin().is_terminal() {
        return;
    }
    match kind {
        "console" => println!("buttons: ack N, accept N, reject N, call, stop, resume (without N: the newest alarm)"),
        "clock" => println!("press b, press w, run b, run w, stand, stop, resume, rate 1050"),
        "dgt" => {
            println!("press left, press right, run left, run right, stand, button ok, mode pc|other, clock there|gone")
        }
        "dgt3000" => println!("press left, press right, run left, run right, stand, invert, clock there|gone"),
        _ => {}
    }
}

fn print(heard: &Receiver<Heard>, all: bool, stop: &AtomicBool) -> anyhow::Result<u8> {
    let start = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        match heard.recv_timeout(Duration::from_millis(100)) {
            Ok(heard) if all || heard.is_news() => {
                let seconds = heard.at.saturating_duration_since(start).as_secs_f64();
                // whoever reads may have gone: that ends it, without a fuss
                let mut out = std::io::stdout().lock();
                if writeln!(out, "{seconds:9.3}  {}", heard.what).and_then(|()| out.flush()).is_err() {
                    break;
                }
            }
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => anyhow::bail!("the emulator ended by itself"),
        }
    }
    Ok(0)
}

fn read_buttons(console: &Console) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let mut words = line.split_whitespace();
        let Some(word) = words.next() else { continue };
        let alarm = words.next().map(str::parse).transpose();
        match (word.parse::<Button>(), alarm) {
            (Ok(button), Ok(alarm)) => console.press(button, alarm),
            _ => eprintln!("ack N, accept N, reject N, call, stop or resume, not {line:?}"),
        }
    }
}
