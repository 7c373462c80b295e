//! Clips with exact truth through the watcher and the referee: every move, every incident, no false alarm, and how late.
//!
//! By default the first part of each clip is played, so that the test stays quick. `GOBAND_CLIPS=all` plays all of every
//! clip, `GOBAND_CLIPS=name,name` only those; `GOBAND_SIGHTINGS=DIR` keeps what the watcher saw there and takes it from
//! there the next time; `GOBAND_TRACE=1` prints the events.

mod data;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use goband::capture::{Grab, OpenOptions, SourceSpec, open};
use goband::game::{Event, EventKind, GameState};
use goband::referee::{Referee, RefereeOptions};
use goband::rules::{Color, Point, Ruleset};
use goband::vision::{Sighting, Watcher, WatcherOptions};
use serde_json::Value;

/// Footage is played so far by default, milliseconds.
const DEFAULT_PART_MS: u64 = 12_000;

fn data() -> Option<PathBuf> {
    Some(data::folder("clips")?.join("clips"))
}

struct Clip {
    truth: Value,
    frame_ms: f64,
    end_ms: u64,
}

impl Clip {
    fn ms(&self, frame: &Value) -> Option<u64> {
        Some((frame.as_f64()? * self.frame_ms).round() as u64)
    }

    fn list(&self, name: &str) -> Vec<Value> {
        self.truth[name].as_array().cloned().unwrap_or_default()
    }
}

fn color(v: &Value) -> Option<Color> {
    match v.as_str() {
        Some("B") => Some(Color::Black),
        Some("W") => Some(Color::White),
        _ => None,
    }
}

fn point(v: &Value) -> Option<Point> {
    Some(Point::new(u8::try_from(v[0].as_u64()?).ok()?, u8::try_from(v[1].as_u64()?).ok()?))
}

fn points(v: &Value) -> Vec<[f64; 2]> {
    v.as_array().into_iter().flatten().filter_map(|p| Some([p[0].as_f64()?, p[1].as_f64()?])).collect()
}

/// What the watcher saw, from the clip or from what was kept of an earlier look.
fn sightings(folder: &Path, until_ms: u64) -> Vec<Sighting> {
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let kept = std::env::var_os("GOBAND_SIGHTINGS").map(|d| PathBuf::from(d).join(format!("{name}.jsonl")));
    if let Some(file) = kept.as_ref().and_then(|p| std::fs::File::open(p).ok()) {
        return BufReader::new(file)
            .lines()
            .map(|l| serde_json::from_str(&l.unwrap()).unwrap())
            .filter(|s: &Sighting| s.time_ms < until_ms)
            .collect();
    }
    let spec: SourceSpec = folder.join("clip.mp4").to_string_lossy().parse().unwrap();
    let mut source = open(&spec, &OpenOptions::default()).unwrap();
    let mut watcher = Watcher::new(WatcherOptions::default()).unwrap();
    let mut out = Vec::new();
    let start = std::time::Instant::now();
    while let Grab::Frame(frame) = source.grab() {
        if frame.time_ms >= until_ms {
            break;
        }
        out.push(watcher.see(&frame));
    }
    println!("{name}: {:.1} ms a frame", start.elapsed().as_millis() as f64 / out.len().max(1) as f64);
    if let Some(path) = kept {
        let mut file = BufWriter::new(std::fs::File::create(path).unwrap());
        for s in &out {
            serde_json::to_writer(&mut file, s).unwrap();
            file.write_all(b"\n").unwrap();
        }
    }
    out
}

#[derive(Default)]
struct Report {
    lines: Vec<String>,
    problems: usize,
}

impl Report {
    fn problem(&mut self, text: String) {
        self.problems += 1;
        self.lines.push(text);
    }
}

fn compare(clip: &Clip, events: &[Event]) -> Report {
    let mut report = Report::default();
    let state = GameState::fold(events);
    let seen_by = |ms: Option<u64>| ms.is_some_and(|t| t + 1500 < clip.end_ms);
    // moves
    let truth: Vec<(Color, Point, u64, Vec<Point>)> = clip
        .list("moves")
        .iter()
        .filter(|m| seen_by(clip.ms(&m["frame_clear"])))
        .map(|m| {
            let captured = m["captured"].as_array().into_iter().flatten().filter_map(point).collect();
            (color(&m["color"]).unwrap(), point(&m["point"]).unwrap(), clip.ms(&m["frame_clear"]).unwrap(), captured)
        })
        .collect();
    let told: Vec<(Color, Point)> = state.moves().iter().filter_map(|m| Some((m.color, m.point?))).collect();
    let mut delays = Vec::new();
    for (k, (color, at, clear, captured)) in truth.iter().enumerate() {
        if told.get(k) != Some(&(*color, *at)) {
            report.problem(format!("move {} should be {color} {at}, is {:?}", k + 1, told.get(k)));
            break;
        }
        let e = events.iter().find(|e| {
            matches!(e.kind, EventKind::Move | EventKind::Corrected)
                && e.color == Some(*color)
                && e.point == Some(*at)
                && e.reported_ms + 2000 > *clear
        });
        let Some(e) = e else {
            report.problem(format!("move {} {color} {at}: no event", k + 1));
            continue;
        };
        delays.push(e.reported_ms as i64 - *clear as i64);
        // in the far corner the watcher takes points for hidden some frames longer
        if e.reported_ms > clear + 1000 {
            report.problem(format!(
                "move {} {color} {at} came {} ms after the hand left",
                k + 1,
                e.reported_ms - clear
            ));
        }
        let want: BTreeSet<Point> = captured.iter().copied().collect();
        let got: BTreeSet<Point> = e.captured.iter().flatten().copied().collect();
        if want != got {
            report.problem(format!("move {}: captured {got:?}, not {want:?}", k + 1));
        }
    }
    let late = told.len().saturating_sub(truth.len());
    if told.len() > truth.len() + 1 {
        report.problem(format!("{late} moves too many: {:?}", &told[truth.len()..]));
    }
    delays.sort();
    let pick = |share: f64| delays.get((delays.len() as f64 * share) as usize).copied().unwrap_or(0);
    report.lines.push(format!(
        "{}/{} moves; delay after the hand left: median {} ms, longest {} ms",
        delays.len(),
        truth.len(),
        pick(0.5),
        delays.last().copied().unwrap_or(0)
    ));
    // incidents
    let mut left: Vec<&Event> = events
        .iter()
        .filter(|e| {
            use EventKind::*;
            e.kind.is_infraction()
                || matches!(
                    e.kind,
                    Unexplained | CameraMoved | BoardMoved | BoardLost | EndAgreedSignal | ResignSignal | BoardCleared
                )
        })
        .collect();
    for t in clip.list("events") {
        let kind = EventKind::from_name(t["kind"].as_str().unwrap_or("")).expect("a kind of the contract");
        let visible = clip.ms(&t["frame_visible"]);
        if !seen_by(visible) {
            continue;
        }
        let visible = visible.unwrap();
        let want = points(&t["points"]);
        let fits = |e: &&Event| {
            let near = |a: &[f64; 2]| e.points.iter().any(|s| (s.row - a[0]).hypot(s.col - a[1]) < 0.4);
            let loose = matches!(kind, EventKind::Scattered);
            e.kind == kind
                && e.reported_ms + 500 >= visible
                && (loose || (want.iter().all(near) && want.len() == e.points.len()))
        };
        match left.iter().position(fits) {
            Some(k) => {
                let e = left.remove(k);
                let mut text =
                    format!("{} told {} ms after it could be seen", kind.name(), e.reported_ms as i64 - visible as i64);
                if let Some(again) = clip.ms(&t["repaired_visible"]).filter(|ms| seen_by(Some(*ms))) {
                    match events.iter().find(|r| r.kind == EventKind::Repaired && r.of == Some(e.seq)) {
                        Some(r) => text += &format!(", repaired {} ms after", r.reported_ms as i64 - again as i64),
                        None => report.problem(format!("{} not repaired", kind.name())),
                    }
                }
                report.lines.push(text);
            }
            None => report.problem(format!("{} {want:?} visible at {visible} ms not told", kind.name())),
        }
    }
    for e in left {
        report.problem(format!("false {} {:?} at {} ms", e.kind.name(), e.points, e.reported_ms));
    }
    if !state.unusable().is_empty() {
        report.problem(format!("events that do not fold: {:?}", state.unusable()));
    }
    report
}

#[test]
fn clips_give_their_games() {
    let Some(clips) = data() else { return };
    let which = std::env::var("GOBAND_CLIPS").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&clips)
        .unwrap()
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.join("truth.json").is_file() && p.join("clip.mp4").is_file())
        .collect();
    folders.sort();
    let mut problems = 0;
    for folder in folders {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        if !which.is_empty() && which != "all" && !which.split(',').any(|w| w == name) {
            continue;
        }
        let truth: Value = serde_json::from_slice(&std::fs::read(folder.join("truth.json")).unwrap()).unwrap();
        let frame_ms = 1000.0 / truth["fps"].as_f64().unwrap_or(10.0);
        let length_ms = (truth["frames"].as_f64().unwrap_or(0.0) * frame_ms) as u64;
        let until = if which.is_empty() { length_ms.min(DEFAULT_PART_MS) } else { length_ms };
        let seen = sightings(&folder, until);
        let mut referee = Referee::new(RefereeOptions::new(Arc::new(Ruleset::builtin("cwa").unwrap())));
        let mut events = Vec::new();
        let start = std::time::Instant::now();
        for s in &seen {
            events.extend(referee.sight(s));
        }
        let spent = start.elapsed();
        events.extend(referee.finish(seen.last().map_or(0, |s| s.time_ms)));
        if std::env::var_os("GOBAND_TRACE").is_some() {
            for e in &events {
                let at: Vec<String> = e.points.iter().map(|s| format!("{:.2},{:.2}", s.row, s.col)).collect();
                println!(
                    "  {:>6} {} {} {} {:?} of {:?} {}-{} ({})",
                    e.reported_ms,
                    e.kind.name(),
                    e.color.map_or(String::new(), |c| c.to_string()),
                    e.point.map_or(String::new(), |p| p.to_string()),
                    at,
                    e.of,
                    e.at_ms.first,
                    e.at_ms.last,
                    e.confidence
                );
            }
        }
        let clip = Clip { truth, frame_ms, end_ms: if until == length_ms { u64::MAX / 2 } else { until } };
        let report = compare(&clip, &events);
        println!(
            "{name}: {} problems, referee {:.3} ms a frame",
            report.problems,
            spent.as_secs_f64() * 1000.0 / seen.len().max(1) as f64
        );
        for line in &report.lines {
            println!("  {line}");
        }
        problems += report.problems;
    }
    assert_eq!(problems, 0, "see above");
}
