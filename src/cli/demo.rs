//! `goband demo`: the whole daemon on a rendered board, with emulated devices. No camera, no hardware.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::capture::{CaptureThread, Pace};
use crate::feed::{FeedConfig, OperatorAccess};
use crate::game::{Event, GameInfo, Player};
use crate::record::JOURNAL_FILE;
use crate::referee::RefereeOptions;
use crate::service::scorecard::{Scorecard, Truth};
use crate::service::{self, SignalSetup, Table, TableSetup};
use crate::signal::emulator::{Console, EmulatorOptions, Heard, Lamp};
use crate::signal::{DeviceConfig, DeviceKind};
use crate::virtualboard::{self, VirtualBoard};

use super::UsageError;

/// The demo's own port, when it is free.
const PAGE: &str = "127.0.0.1:8737";
/// What happens in the last moments of a demo that is cut short need not have been reported yet.
const MARGIN_MS: u64 = 5000;

/// Arguments of `goband demo`.
#[derive(Args)]
pub struct DemoArgs {
    /// Run as fast as it goes, ask nobody, compare what was detected with the script, and fail if they differ
    #[arg(long)]
    headless: bool,
    /// End after so many seconds of the game
    #[arg(long)]
    seconds: Option<f64>,
    /// Another script than the built-in one (docs/virtualboard.md)
    #[arg(long)]
    script: Option<PathBuf>,
    /// Folder for record, journal and evidence; a new temporary one when absent
    #[arg(long)]
    out: Option<PathBuf>,
    /// Only write the rendered pictures and their truth to a folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["headless", "out"])]
    record: Option<PathBuf>,
    /// Address of the live page
    #[arg(long, default_value = PAGE)]
    listen: String,
}

/// Runs the demo.
///
/// # Errors
/// A faulty script, a folder that cannot be written, an address that cannot be had; with `--headless` also a difference
/// between what was detected and the script's truth (exit code 1).
pub fn run(args: DemoArgs) -> Result<u8> {
    if args.seconds.is_some_and(|s| !(s.is_finite() && s > 0.0)) {
        return Err(UsageError("--seconds: a number above 0".into()).into());
    }
    let mut board = service::virtual_board(args.script.as_deref())?;
    if let Some(dir) = &args.record {
        return record(dir, &mut board);
    }
    let truth: Truth = serde_json::from_value(serde_json::to_value(board.truth())?).context("the script's truth")?;
    let length_s = board.duration().as_secs_f64();
    let seconds = args.seconds.unwrap_or(length_s).min(length_s);

    let folder =
        args.out.clone().unwrap_or_else(|| std::env::temp_dir().join(format!("goband-demo-{}", std::process::id())));
    std::fs::create_dir_all(&folder).with_context(|| format!("{}: the folder cannot be made", folder.display()))?;
    let stop = service::stop_on_signals()?;
    let devices = Devices::spawn(&folder)?;
    let ruleset = service::load_ruleset("cwa")?;
    let player = |name: &str| Player { name: name.into(), ..Player::default() };
    let mut table = Table::open(TableSetup {
        folder: folder.clone(),
        name: "demo".into(),
        info: GameInfo {
            black: player("Black"),
            white: player("White"),
            event: board.name().to_owned(),
            ..GameInfo::for_ruleset(&ruleset)
        },
        size: None,
        corners: None,
        referee: RefereeOptions::new(ruleset),
        signal: SignalSetup { devices: devices.configs(), ..SignalSetup::default() },
        feed: Some(FeedConfig {
            listen: page_address(&args.listen)?,
            table: "demo".into(),
            // whoever sits at this machine may try the referee's and the recorder's buttons
            operator: OperatorAccess { enabled: true, token: None },
            ..FeedConfig::default()
        }),
        replay: true,
        stills: false,
    })?;
    if let Some(address) = table.feed_address() {
        println!("live page  http://{address}/");
    }
    println!("record     {}", folder.join("game.sgf").display());
    println!("journal    {}", folder.join(JOURNAL_FILE).display());
    println!("evidence   {}\n", folder.join("evidence").display());

    let pace = if args.headless { Pace::AsFastAsItGoes } else { Pace::RealTime };
    let (capture, captured) = CaptureThread::spawn(service::virtual_source(board, pace, Some(seconds)));
    table.run(&captured, &stop, print_event);
    capture.stop();
    let until_ms = (seconds * 1000.0) as u64;
    let margin_ms = if seconds < length_s { MARGIN_MS } else { 0 };
    let card = Scorecard::compare(&truth, table.events(), until_ms, margin_ms);
    // the devices' last words come first
    std::thread::sleep(Duration::from_millis(300));

    println!("\ndetected against the script, {seconds:.0} s\n{card}");
    if !args.headless && !stop.load(Ordering::Relaxed) {
        if let Some(address) = table.feed_address() {
            println!("The game is over. http://{address}/ stays open until Ctrl-C.");
        }
        table.run(&crossbeam_channel::never(), &stop, |_| {});
    }
    table.finish()?;
    println!("written    {}", folder.display());
    if args.headless && !card.is_perfect() {
        eprintln!("goband: what was detected differs from the script");
        return Ok(1);
    }
    Ok(0)
}

fn print_event(event: &Event) {
    let text = event.text.as_ref().map_or("", |t| t.en.as_str());
    let mark = if event.kind.is_infraction() { '!' } else { ' ' };
    println!("{:>7.1} s {mark} {:<18} {text}", event.reported_ms as f64 / 1000.0, event.kind.name());
}

/// The wanted address; when the demo's usual port is taken (another demo runs), any free one.
fn page_address(listen: &str) -> Result<SocketAddr> {
    let wanted: SocketAddr = listen.parse().map_err(|e| UsageError(format!("--listen {listen}: {e}")))?;
    let taken = listen == PAGE && TcpListener::bind(wanted).is_err();
    Ok(if taken { SocketAddr::new(wanted.ip(), 0) } else { wanted })
}

/// The devices a venue would plug in, on pseudo-terminals; what they receive is printed as it comes.
struct Devices {
    console: Console,
    lamp: Lamp,
}

impl Devices {
    fn spawn(folder: &Path) -> Result<Devices> {
        let at = |name: &str| EmulatorOptions { link: Some(folder.join(name)), ..EmulatorOptions::default() };
        let devices = Devices {
            console: Console::spawn(at("console.port")).context("the emulated console")?,
            lamp: Lamp::spawn(at("lamp.port")).context("the emulated lamp")?,
        };
        for (name, heard) in [("console", devices.console.heard().clone()), ("lamp", devices.lamp.heard().clone())] {
            // ends with the device, whose sending side is dropped then
            std::thread::spawn(move || {
                for heard in heard.iter().filter(Heard::is_news) {
                    println!("            {name:<7} ◂ {}", heard.what);
                }
            });
        }
        Ok(devices)
    }

    fn configs(&self) -> Vec<DeviceConfig> {
        let config = |kind, path: &Path| DeviceConfig::new(kind, path.display().to_string());
        vec![config(DeviceKind::Console, self.console.path()), config(DeviceKind::Lamp, self.lamp.path())]
    }
}

/// `--record`: pictures and truth, for tests and training.
fn record(dir: &Path, board: &mut VirtualBoard) -> Result<u8> {
    let bar = ProgressBar::new(board.frames());
    bar.set_style(ProgressStyle::with_template("{bar:40} {pos}/{len} pictures, {eta} left")?);
    virtualboard::record(dir, board, |done, _| {
        bar.set_position(done);
        true
    })?;
    bar.finish_and_clear();
    println!("{} pictures and truth.json in {}", board.frames(), dir.display());
    Ok(0)
}
