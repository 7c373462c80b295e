//! From configuration to the parts of a table: the game's folder, the ruleset, the source.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::capture::{self, OpenOptions, Pace, RgbPicture, RgbSource, Source, SourceKind, SourceSpec};
use crate::game::{EventKind, sgf};
use crate::record::JOURNAL_FILE;
use crate::rules::{History, Ruleset};
use crate::virtualboard::{Look, Script, VirtualBoard};

use super::ConfigError;

/// Pictures of the virtual board, and how many a second.
const WIDTH: u32 = 1280;
const HEIGHT: u32 = 720;
const FPS: f64 = 15.0;
/// Pictures this far apart are stills.
const STILLS_MS: u64 = 400;

/// The folder of the game to go on with: the newest of the table if it has not ended, otherwise a new one.
///
/// # Errors
/// The folder cannot be read.
pub fn game_folder(records: &Path, table: &str, new_game: bool) -> Result<PathBuf> {
    let folder = records.join(table);
    let mut newest = 0u32;
    if folder.exists() {
        let entries = std::fs::read_dir(&folder).with_context(|| format!("{}", folder.display()))?;
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(n) = name.strip_prefix("game-").and_then(|n| n.parse::<u32>().ok()) {
                newest = newest.max(n);
            }
        }
    }
    let of = |n: u32| folder.join(format!("game-{n:04}"));
    if newest == 0 {
        return Ok(of(1));
    }
    Ok(if new_game || has_ended(&of(newest)) { of(newest + 1) } else { of(newest) })
}

/// True when the journal in `folder` says that the game is over and the board was cleared, or that there is a result. An
/// agreed end alone does not count: the stones still lie there to be counted. A journal that cannot be read is for its
/// opener to report.
fn has_ended(folder: &Path) -> bool {
    let Ok(reading) = crate::record::verify(&folder.join(JOURNAL_FILE)) else { return false };
    let last = reading.events.iter().rev().find(|e| {
        matches!(e.kind, EventKind::Move | EventKind::PositionAdopted | EventKind::BoardCleared | EventKind::Result)
    });
    last.is_some_and(|e| matches!(e.kind, EventKind::BoardCleared | EventKind::Result))
}

/// A ruleset by its name or file.
///
/// # Errors
/// An unknown name (lists the known ones) or a faulty file (names line and key): the user's error.
pub fn load_ruleset(name: &str) -> Result<Arc<Ruleset>> {
    let ruleset = if name.ends_with(".toml") {
        let bytes = std::fs::read(name).map_err(|e| ConfigError(format!("{name}: cannot be read ({e})")))?;
        Ruleset::from_bytes(&bytes, name)
    } else {
        Ruleset::builtin(name)
    };
    Ok(Arc::new(ruleset.map_err(|e| ConfigError(e.to_string()))?))
}

/// Position and history of an SGF's main line.
///
/// # Errors
/// Unreadable file; SGF errors with line and column.
pub fn load_start(path: &Path) -> Result<History> {
    let bytes = std::fs::read(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let trees = sgf::read_bytes(&bytes).with_context(|| format!("{}", path.display()))?;
    let Some(tree) = trees.first() else { bail!("{}: holds no game", path.display()) };
    tree.history().with_context(|| format!("{}", path.display()))
}

/// Opens a source; the virtual board plays its demo or a script file. `later`: a live source that is not there yet is
/// waited for.
///
/// # Errors
/// Says what is missing and what there is instead.
pub fn open_source(spec: &SourceSpec, options: &OpenOptions, pace: Pace, later: bool) -> Result<Box<dyn Source>> {
    match spec.kind() {
        SourceKind::Virtual(script) => Ok(virtual_source(virtual_board(script.as_deref().map(Path::new))?, pace, None)),
        _ if later && spec.is_live() => Ok(capture::open(spec, options).unwrap_or_else(|e| {
            tracing::warn!("{e:#}; trying again until it is there");
            capture::open_later(spec, options)
        })),
        _ => capture::open(spec, options),
    }
}

/// True for pictures so far apart that each is a photo of its own: a folder of them, a film of one picture a second.
pub fn gives_stills(source: &dyn Source) -> bool {
    source.interval_ms().is_some_and(|ms| ms >= STILLS_MS)
}

/// The virtual board with its demo or the script of a file.
///
/// # Errors
/// A script that cannot be read or played; names file, line and key.
pub fn virtual_board(script: Option<&Path>) -> Result<VirtualBoard> {
    let board = match script {
        None => {
            let script = Script::demo();
            let look = Look::chosen(script.size, &script.look);
            let camera = script.demo_camera(WIDTH, HEIGHT);
            VirtualBoard::new(&script, look, camera, WIDTH, HEIGHT, FPS, 1)
        }
        Some(path) => Script::from_file(path).and_then(|s| VirtualBoard::from_script(&s, WIDTH, HEIGHT, FPS, 1)),
    };
    Ok(board.map_err(|e| ConfigError(e.to_string()))?)
}

/// The virtual board as a camera, for `seconds` of its script or to its end.
pub fn virtual_source(mut board: VirtualBoard, pace: Pace, seconds: Option<f64>) -> Box<dyn Source> {
    let name = format!("virtual board: {}", board.name());
    let fps = board.fps();
    let frames = seconds.map_or(board.frames(), |s| board.frames().min((s * fps).round() as u64));
    let mut next = 0u64;
    let mut started: Option<Instant> = None;
    Box::new(RgbSource::new(name, pace, move || {
        // Frames whose time is over are not drawn: a slow machine sees fewer pictures, not a slower game. The clock starts when
        // the first is drawn, as that of the source does: a clock ahead of it would make every frame wait for its time.
        if let Some(started) = started.filter(|_| pace == Pace::RealTime) {
            next = next.max((started.elapsed().as_secs_f64() * fps) as u64);
        }
        if next >= frames {
            return None;
        }
        let (width, height) = board.size();
        let time_ms = board.time_ms(next);
        let rgb = board.frame(next).data.clone();
        next += 1;
        started.get_or_insert_with(Instant::now);
        Some(RgbPicture { width, height, time_ms, rgb })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Event, Interval};
    use crate::record::{AppendOutcome, Journal};

    #[test]
    fn games_are_numbered_and_gone_on_with() {
        let records = tempfile::tempdir().unwrap();
        let first = game_folder(records.path(), "t", false).unwrap();
        assert!(first.ends_with("t/game-0001"));
        std::fs::create_dir_all(&first).unwrap();
        assert_eq!(game_folder(records.path(), "t", false).unwrap(), first, "an open game goes on");
        assert!(game_folder(records.path(), "t", true).unwrap().ends_with("game-0002"));
    }

    #[test]
    fn a_game_whose_board_was_cleared_is_not_gone_on_with() {
        let records = tempfile::tempdir().unwrap();
        let first = game_folder(records.path(), "t", false).unwrap();
        let mut journal = Journal::begin(&first, "t").unwrap();
        let mut append = |seq, kind| {
            let mut event = Event::new(kind, Interval { first: seq, last: seq }, seq, 1.0);
            event.seq = seq;
            assert_eq!(journal.append(&event), AppendOutcome::Written);
        };
        append(1, EventKind::Move);
        append(2, EventKind::EndAgreedSignal);
        assert_eq!(game_folder(records.path(), "t", false).unwrap(), first, "the stones are still to be counted");
        append(3, EventKind::BoardCleared);
        assert!(game_folder(records.path(), "t", false).unwrap().ends_with("game-0002"));
    }

    /// The first frame is the slowest to draw; the clock once ran ahead by that, and every further frame was late by it.
    #[test]
    fn the_virtual_board_keeps_its_pace_after_a_slow_first_frame() {
        let mut source = virtual_source(virtual_board(None).unwrap(), Pace::RealTime, None);
        let mut times = Vec::new();
        let mut next = || match source.grab() {
            capture::Grab::Frame(frame) => times.push(frame.time_ms),
            other => panic!("{other:?}"),
        };
        next();
        let started = Instant::now();
        while started.elapsed().as_secs_f64() < 1.5 {
            next();
        }
        let (last, wall_ms) = (times[times.len() - 1] as i64, started.elapsed().as_millis() as i64);
        assert!((last - wall_ms).abs() < 400, "frame time {last} ms after {wall_ms} ms");
        assert!(times.len() >= 6, "{} frames in 1.5 s", times.len());
    }

    #[test]
    fn an_unknown_ruleset_is_named_with_the_known_ones() {
        let e = load_ruleset("chess").unwrap_err().to_string();
        assert!(e.contains("chess") && e.contains("team-relay"), "{e}");
    }
}
