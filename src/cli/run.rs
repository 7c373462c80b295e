//! `goband run`: the daemon of one table.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::capture::{CaptureThread, OpenOptions, Pace, SourceKind, SourceSpec};
use crate::feed::{FeedConfig, OperatorAccess};
use crate::game::{GameInfo, Orientation, Player};
use crate::referee::RefereeOptions;
use crate::service::{self, Config, ConfigError, SignalSetup, Table, TableSetup};
use crate::signal::ClockConfig;
use crate::vision::Calibration;

use super::UsageError;
use super::memory::Trim;

/// Arguments of `goband run`.
#[derive(Args)]
pub struct RunArgs {
    /// The configuration
    #[arg(long, default_value = "goband.toml")]
    config: PathBuf,
    /// Begin a new game although the last one has not ended
    #[arg(long)]
    new_game: bool,
    /// Write every byte sent to and received from signal devices to this file, with its time
    #[arg(long, value_name = "FILE")]
    wire_log: Option<PathBuf>,
}

/// Runs the daemon until a signal or the end of the footage.
///
/// # Errors
/// A configuration that cannot be used; a journal, page or device that cannot be had.
pub fn run(args: RunArgs) -> Result<u8> {
    let mut config = Config::load(&args.config)?;
    config.alarms.wire_log = args.wire_log.or(config.alarms.wire_log);
    let spec = source_spec(&config)?;
    let folder = service::game_folder(&config.table.records, &config.table.name, args.new_game)?;
    let mut setup = setup(&config, folder.clone())?;
    let stop = service::stop_on_signals()?;

    let source = service::open_source(&spec, &open_options(&config), Pace::RealTime, true)?;
    setup.stills = service::gives_stills(&*source);
    let mut table = Table::open(setup)?;
    println!("table      {}", config.table.name);
    println!("source     {}", source.name());
    println!("records    {}", folder.display());
    if let Some(address) = table.feed_address() {
        println!("live page  http://{address}/");
    }
    if table.resumed() > 0 {
        println!("resumed    {} events, {} moves", table.resumed(), table.state().moves().len());
    }
    let (capture, captured) = CaptureThread::spawn(source);
    let _ = sd_notify::notify(&[sd_notify::NotifyState::Ready]);
    let mut trim = Trim::default();
    table.run(&captured, &stop, |event| {
        trim.now_and_then();
        if let Some(text) = &event.text {
            println!("{:>9.1} s  {}", event.reported_ms as f64 / 1000.0, text.en);
        }
    });
    capture.stop();
    let summary = table.finish()?;
    println!("ended: {} moves, {} events", summary.moves, summary.events.len());
    Ok(0)
}

/// The configuration's camera.
pub(super) fn source_spec(config: &Config) -> Result<SourceSpec> {
    Ok(config.source.from.parse().map_err(|e| UsageError(format!("source.from: {e:#}")))?)
}

/// How the configuration's camera is opened.
pub(super) fn open_options(config: &Config) -> OpenOptions {
    let s = &config.source;
    OpenOptions {
        size: s.width.zip(s.height),
        fps: s.fps,
        mjpeg: s.mjpeg,
        lock_exposure: s.lock_exposure,
        lock_white_balance: s.lock_white_balance,
        ..OpenOptions::default()
    }
}

/// The table that a configuration describes.
pub(super) fn setup(config: &Config, folder: PathBuf) -> Result<TableSetup> {
    let t = &config.table;
    let ruleset = service::load_ruleset(&t.ruleset)?;
    let calibration = match &t.calibration {
        Some(path) => Some(Calibration::load(path).map_err(|e| ConfigError(format!("table.calibration: {e}")))?),
        None => None,
    };
    let start = match &config.game.start {
        Some(path) => Some(service::load_start(path).map_err(|e| ConfigError(format!("game.start: {e:#}")))?),
        None => None,
    };
    let g = &config.game;
    let player = |name: &str| Player { name: name.to_owned(), ..Player::default() };
    let info = GameInfo {
        black: player(&g.black),
        white: player(&g.white),
        event: g.event.clone(),
        round: g.round.clone(),
        place: g.place.clone(),
        date: g.date.clone(),
        orientation: Orientation::from_degrees(t.orientation).context("table.orientation")?,
        ..GameInfo::for_handicap(&ruleset, g.handicap)
    };
    let listen = config.feed.listen.parse().map_err(|e| {
        ConfigError(format!(
            "feed.listen: {:?} is no address with a port, like 127.0.0.1:8737 ({e})",
            config.feed.listen
        ))
    })?;
    let usual_delay_ms = picture_delay_ms(source_spec(config)?.kind());
    let picture_delay_ms = Some(config.clock.picture_delay_ms.unwrap_or(usual_delay_ms));
    let clock = ClockConfig { picture_delay_ms, ..config.clock.clone() };
    Ok(TableSetup {
        folder,
        name: t.name.clone(),
        info,
        size: t.size.or(calibration.as_ref().map(|c| c.lattice.size)),
        corners: t.corners.or(calibration.as_ref().map(|c| c.lattice.corners())),
        referee: RefereeOptions {
            capture_grace_ms: t.capture_grace_ms,
            handicap: g.handicap,
            start,
            ..RefereeOptions::new(ruleset)
        },
        signal: SignalSetup { devices: config.signal.clone(), alarms: config.alarms.clone(), clock },
        feed: Some(FeedConfig {
            listen,
            table: t.name.clone(),
            orientation: t.orientation,
            operator: OperatorAccess { enabled: config.feed.decisions, token: config.feed.token.clone() },
            ..FeedConfig::default()
        }),
        replay: false,
        stills: false,
    })
}

/// How much older than its time a picture of such a source may be. A press that is compared with pictures must not be held for
/// early because they came late.
fn picture_delay_ms(source: &SourceKind) -> u64 {
    match source {
        // exposure, transfer and a buffer or two
        SourceKind::CameraNumber(_) | SourceKind::CameraPath(_) => 100,
        // encoded, sent and buffered: a second is usual
        SourceKind::Stream(_) => 1000,
        SourceKind::Named(_) | SourceKind::Virtual(_) => 0,
    }
}
