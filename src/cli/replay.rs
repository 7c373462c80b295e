//! `goband replay`: footage through the same pipeline as live, as fast as it goes.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::capture::{CaptureThread, OpenOptions, Pace, SourceSpec};
use crate::game::{Event, EventKind, GameInfo, GameState};
use crate::referee::{Press, RefereeOptions};
use crate::service::scorecard::{Scorecard, Truth};
use crate::service::{self, Config, SignalSetup, Summary, Table, TableSetup};

use super::memory::Trim;
use super::{Format, UsageError};

/// Arguments of `goband replay`.
#[derive(Args)]
pub struct ReplayArgs {
    /// A video file, a folder of pictures, or `virtual[:SCRIPT.toml]`
    footage: String,
    /// Folder for game.sgf, events.jsonl, the journal and evidence/; made if missing
    #[arg(long)]
    out: PathBuf,
    /// Lines of the board: 9, 13 or 19; found when absent
    #[arg(long, value_parser = super::read::parse_size)]
    size: Option<u8>,
    /// cwa, cwa-classic, team-relay, japan-korea, ancient, or a ruleset file
    #[arg(long)]
    ruleset: Option<String>,
    /// A configuration: its `[table]` and `[game]` sections are used
    #[arg(long)]
    config: Option<PathBuf>,
    /// Pictures a second of a folder (1), or instead of the rate a file states
    #[arg(long)]
    fps: Option<f64>,
    /// Position and history already reached (SGF)
    #[arg(long)]
    start: Option<PathBuf>,
    /// Clock presses, one {"ms":81200,"side":"B"} a line
    #[arg(long)]
    presses: Option<PathBuf>,
    /// What is known to have happened (truth.json): prints a comparison and fails if it differs
    #[arg(long)]
    truth: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Runs the footage.
///
/// # Errors
/// Footage that cannot be read, an output folder that cannot be written, a faulty option.
pub fn run(args: ReplayArgs) -> Result<u8> {
    let spec: SourceSpec = args.footage.parse().map_err(|e| UsageError(format!("{}: {e:#}", args.footage)))?;
    let presses = args.presses.as_deref().map(read_presses).transpose()?.unwrap_or_default();
    let truth = args.truth.as_deref().map(read_truth).transpose()?;
    let mut setup = setup(&args)?;
    let options = OpenOptions { fps: args.fps, ..OpenOptions::default() };
    let source = service::open_source(&spec, &options, Pace::AsFastAsItGoes, false)?;
    setup.stills = service::gives_stills(&*source);
    if source.is_live() {
        return Err(UsageError(format!("{} is live: use `goband run`", args.footage)).into());
    }

    let stop = service::stop_on_signals()?;
    let mut table = Table::open(setup)?;
    table.expect_presses(presses);
    let started = Instant::now();
    let (capture, captured) = CaptureThread::spawn(source);
    let bar = if args.format == Format::Text { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    bar.set_style(ProgressStyle::with_template("{spinner} {msg}").context("progress")?);
    let mut trim = Trim::default();
    table.run(&captured, &stop, |event| {
        trim.now_and_then();
        let footage_s = event.reported_ms as f64 / 1000.0;
        bar.set_message(format!("{footage_s:.0} s of footage in {:.0} s", started.elapsed().as_secs_f64()));
        bar.tick();
    });
    bar.finish_and_clear();
    capture.stop();
    let summary = table.finish()?;
    let took = Took { wall_s: started.elapsed().as_secs_f64(), processor_s: processor_s(), watching_s: thread_s() };

    let card = truth.map(|t| Scorecard::compare(&t, &summary.events, summary.until_ms, 0));
    match args.format {
        Format::Json => print_json(&args, &summary, &took, card.as_ref()),
        Format::Text => print_text(&args, &summary, &took, card.as_ref()),
    }
    if !summary.events.iter().any(|e| e.kind == EventKind::BoardFound) {
        eprintln!("goband: no board was found in {}", args.footage);
        return Ok(3);
    }
    Ok(if card.is_none_or(|c| c.is_perfect()) { 0 } else { 1 })
}

fn setup(args: &ReplayArgs) -> Result<TableSetup> {
    let mut setup = match &args.config {
        Some(path) => super::run::setup(&Config::load(path)?, args.out.clone())?,
        None => {
            let ruleset = service::load_ruleset("cwa")?;
            TableSetup {
                folder: args.out.clone(),
                name: String::new(),
                info: GameInfo::for_ruleset(&ruleset),
                size: None,
                corners: None,
                referee: RefereeOptions::new(ruleset),
                signal: SignalSetup::default(),
                feed: None,
                replay: true,
                stills: false,
            }
        }
    };
    setup.name = "replay".into();
    setup.signal.devices = Vec::new();
    setup.feed = None;
    setup.replay = true;
    setup.size = args.size.or(setup.size);
    if let Some(name) = &args.ruleset {
        let ruleset = service::load_ruleset(name)?;
        let by_rules = GameInfo::for_handicap(&ruleset, setup.info.handicap);
        setup.info = GameInfo { ruleset: by_rules.ruleset, komi: by_rules.komi, ..setup.info };
        setup.referee.ruleset = ruleset;
    }
    if let Some(path) = &args.start {
        let start = service::load_start(path).map_err(|e| UsageError(format!("--start: {e:#}")))?;
        setup.size = setup.size.or(Some(start.size()));
        setup.referee.start = Some(start);
    }
    Ok(setup)
}

fn infractions(summary: &Summary) -> Vec<&Event> {
    summary.events.iter().filter(|e| e.kind.is_infraction()).collect()
}

/// What it cost. On a busy machine the processor time says more than the clock.
struct Took {
    wall_s: f64,
    /// Of all threads: decoding, watching, pictures for the evidence.
    processor_s: Option<f64>,
    /// Of the thread that watches and decides, which is the longest: with a second processor free, the replay takes as long.
    watching_s: Option<f64>,
}

/// Processor time of this process, seconds; none where the system does not tell.
fn processor_s() -> Option<f64> {
    let mut sum = 0.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // after the name, which may hold spaces: user and system time are the 12th and 13th, in hundredths of a second
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    for _ in 0..2 {
        sum += fields.next()?.parse::<f64>().ok()? / 100.0;
    }
    Some(sum)
}

/// The same of this thread.
fn thread_s() -> Option<f64> {
    let nanoseconds = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(nanoseconds.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

/// How many times faster than the footage it went.
fn speed(summary: &Summary, seconds: f64) -> f64 {
    summary.until_ms as f64 / 1000.0 / seconds.max(1e-3)
}

fn print_json(args: &ReplayArgs, summary: &Summary, took: &Took, card: Option<&Scorecard>) {
    let json = serde_json::json!({
        "footage": args.footage,
        "out": args.out,
        "moves": summary.moves,
        "infractions": infractions(summary),
        "board": GameState::fold(&summary.events).board(),
        "frames": summary.frames,
        "footage_ms": summary.until_ms,
        "speed": (speed(summary, took.wall_s) * 100.0).round() / 100.0,
        "processor_s": took.processor_s,
        "watching_s": took.watching_s,
        "perfect": card.map(Scorecard::is_perfect),
    });
    println!("{json}");
}

fn print_text(args: &ReplayArgs, summary: &Summary, took: &Took, card: Option<&Scorecard>) {
    let infractions = infractions(summary);
    println!("moves        {}", summary.moves);
    println!("infractions  {}", infractions.len());
    for e in &infractions {
        let text = e.text.as_ref().map_or("", |t| t.en.as_str());
        println!("             {:>7.1} s  {:<18} {text}", e.reported_ms as f64 / 1000.0, e.kind.name());
    }
    println!(
        "speed        {:.1} × real time ({} frames in {:.1} s)",
        speed(summary, took.wall_s),
        summary.frames,
        took.wall_s
    );
    if let (Some(all), Some(watching)) = (took.processor_s, took.watching_s) {
        println!(
            "             {:.1} × in processor time of all threads ({all:.1} s), {:.1} × in that of the longest ({watching:.1} s)",
            speed(summary, all),
            speed(summary, watching)
        );
    }
    println!("written      {}", args.out.display());
    if let Some(card) = card {
        println!("\nagainst the truth\n{card}");
    }
}

fn read_presses(path: &Path) -> Result<Vec<Press>> {
    let text = std::fs::read_to_string(path).map_err(|e| UsageError(format!("{}: {e}", path.display())))?;
    Press::read_lines(&text).map_err(|(line, e)| {
        let wanted = r#"{"ms":81200,"side":"B"}"#;
        UsageError(format!("{}: line {line}: {e}; expected {wanted}", path.display())).into()
    })
}

fn read_truth(path: &Path) -> Result<Truth> {
    let text = std::fs::read_to_string(path).map_err(|e| UsageError(format!("{}: {e}", path.display())))?;
    Ok(serde_json::from_str(&text).map_err(|e| UsageError(format!("{}: {e}", path.display())))?)
}
