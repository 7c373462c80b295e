//! Hours of one game's footage through the whole daemon (capture thread, vision, referee, journal, evidence, record, page): no false
//! alarm, no lost move, no drift of the lattice, no growing memory.
//!
//! By hand, since it takes its time:
//! `GOBAND_SOAK_HOURS=8 cargo test --release --test soak -- --ignored --nocapture --test-threads=1`
//!
//! `GOBAND_SOAK_HOURS` (1) is how much footage each test plays. A line is printed every ten minutes of footage: resident memory,
//! threads, open files, bytes on disk. `GOBAND_SOAK_CLIP=name` takes another clip of the shared data.

mod data;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crossbeam_channel::{select, tick};
use goband::capture::{CaptureThread, Frame, Grab, OpenOptions, Source, SourceSpec};
use goband::feed::FeedConfig;
use goband::game::{Event, EventKind, GameInfo, GameState};
use goband::referee::RefereeOptions;
use goband::rules::{Color, Point};
use goband::service::{self, SignalSetup, Table, TableSetup};
use goband::virtualboard::{Script, VirtualBoard};
use opencv::core::{Mat, Vector};
use opencv::imgcodecs;
use opencv::prelude::*;
use serde_json::Value;

const MINUTE_MS: u64 = 60_000;
/// Memory is settled after so many minutes of footage: every picture ring is full, every network set up.
const SETTLED_MIN: usize = 10;
/// What the allocator may keep more later on, KiB.
const SLACK_KIB: u64 = 16 * 1024;

fn number(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

fn hours_ms() -> u64 {
    (number("GOBAND_SOAK_HOURS", 1.0) * 3_600_000.0) as u64
}

fn data() -> Option<PathBuf> {
    Some(data::folder("clips")?.join("clips"))
}

/// A clip of the shared data, with what happens in it.
struct Clip {
    folder: PathBuf,
    truth: Value,
}

impl Clip {
    fn named(name: &str) -> Option<Clip> {
        let folder = data()?.join(std::env::var("GOBAND_SOAK_CLIP").unwrap_or_else(|_| name.to_owned()));
        let truth = std::fs::read_to_string(folder.join("truth.json")).expect("the clip has its truth");
        Some(Clip { truth: serde_json::from_str(&truth).expect("the truth is JSON"), folder })
    }

    fn open(&self) -> Box<dyn Source> {
        let spec: SourceSpec = self.folder.join("clip.mp4").to_string_lossy().parse().unwrap();
        goband::capture::open(&spec, &OpenOptions::default()).expect("the clip opens")
    }

    fn moves(&self) -> Vec<(Color, Point)> {
        let all = self.truth["moves"].as_array().into_iter().flatten();
        all.map(|m| {
            let at = |k: usize| m["point"][k].as_u64().unwrap() as u8;
            (if m["color"] == "B" { Color::Black } else { Color::White }, Point::new(at(0), at(1)))
        })
        .collect()
    }

    /// How many infractions of each kind there are.
    fn infractions(&self) -> BTreeMap<String, usize> {
        let kinds = self.truth["events"].as_array().into_iter().flatten().filter_map(|e| e["kind"].as_str());
        count(kinds.filter_map(EventKind::from_name))
    }

    /// The longest stretch without a hand after `from`, frames.
    fn stillness(&self, from: u64) -> (u64, u64) {
        let hands: Vec<(u64, u64)> = self.truth["occluded"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|o| (o[0].as_u64().unwrap(), o[1].as_u64().unwrap()))
            .collect();
        // while everything is as it should be
        let trouble: Vec<(u64, u64)> = self.truth["events"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|e| {
                let begins = e["frame_start"].as_u64()?;
                Some((begins, e["repaired_frame"].as_u64().unwrap_or(begins) + 30))
            })
            .collect();
        let gaps = hands
            .windows(2)
            .map(|w| (w[0].1 + 3, w[1].0 - 5))
            .filter(|g| g.0 >= from && g.1 > g.0 && !trouble.iter().any(|t| g.0 <= t.1 && g.1 >= t.0));
        gaps.max_by_key(|g| g.1 - g.0).expect("nobody's hand is always over the board")
    }
}

fn count(kinds: impl Iterator<Item = EventKind>) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    kinds.filter(|k| k.is_infraction() || *k == EventKind::Unexplained).for_each(|k| {
        *counted.entry(k.name()).or_default() += 1;
    });
    counted
}

/// Pictures of a source that is given by a closure, numbered and dated by it.
struct Reel<F> {
    next: F,
}

impl<F: FnMut() -> Option<Frame> + Send> Source for Reel<F> {
    fn name(&self) -> String {
        "reel".into()
    }

    fn is_live(&self) -> bool {
        false
    }

    fn grab(&mut self) -> Grab {
        (self.next)().map_or(Grab::End, Grab::Frame)
    }

    fn reopen(&mut self) -> anyhow::Result<()> {
        anyhow::bail!("a reel has ended")
    }
}

/// What the process holds.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    resident_kib: u64,
    peak_kib: u64,
    threads: u64,
    files: u64,
}

fn held(process: &str) -> Held {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find(|l| l.starts_with(name));
        line.and_then(|l| l.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
    };
    let files = std::fs::read_dir(format!("/proc/{process}/fd")).map_or(0, |d| d.count() as u64);
    Held { resident_kib: field("VmRSS:"), peak_kib: field("VmHWM:"), threads: field("Threads:"), files }
}

fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|e| match e.metadata() {
            Ok(m) if m.is_dir() => bytes_in(&e.path()),
            Ok(m) => m.len(),
            Err(_) => 0,
        })
        .sum()
}

/// The outermost crossings, pixels.
type Corners = [[f64; 2]; 4];

/// What was seen of a run.
struct Soaked {
    events: Vec<Event>,
    /// At the end of every minute of footage.
    minutes: Vec<Held>,
    /// Corners of the lattice, when it was found and at the end.
    corners: Option<(Corners, Corners)>,
    pitch_px: f64,
    folder: tempfile::TempDir,
}

/// Plays a source through a table with everything on.
fn soak(source: Box<dyn Source>) -> Soaked {
    let folder = tempfile::tempdir().unwrap();
    let ruleset = service::load_ruleset("cwa").unwrap();
    let setup = TableSetup {
        folder: folder.path().to_path_buf(),
        name: "soak".into(),
        info: GameInfo::for_ruleset(&ruleset),
        size: None,
        corners: None,
        referee: RefereeOptions::new(ruleset),
        signal: SignalSetup::default(),
        feed: Some(FeedConfig { listen: "127.0.0.1:0".parse().unwrap(), ..FeedConfig::default() }),
        replay: true,
        stills: false,
    };
    let mut table = Table::open(setup).unwrap();
    let (capture, captured) = CaptureThread::spawn(source);
    let ticker = tick(Duration::from_millis(500));
    let begun = Instant::now();
    let (mut minutes, mut found, mut last, mut pitch_px) = (Vec::new(), None, None, 1.0);
    loop {
        select! {
            recv(ticker) -> _ => table.tick(),
            recv(captured) -> c => {
                let Ok(c) = c else { break };
                let time_ms = if let goband::capture::Captured::Frame(f) = &c { Some(f.time_ms) } else { None };
                if !table.captured(c) {
                    break;
                }
                if let Some(lattice) = table.lattice() {
                    found = found.or(Some(lattice.corners()));
                    (last, pitch_px) = (Some(lattice.corners()), lattice.mean_pitch_px());
                }
                while time_ms.is_some_and(|t| t >= (minutes.len() as u64 + 1) * MINUTE_MS) {
                    let held = held("self");
                    minutes.push(held);
                    if minutes.len() % 10 == 0 {
                        println!(
                            "{:>4} min  {:>7} KiB resident (peak {})  {} threads  {} files  {} events  {} KiB on disk  {:.1} × real time",
                            minutes.len(), held.resident_kib, held.peak_kib, held.threads, held.files, table.events().len(),
                            bytes_in(folder.path()) / 1024, minutes.len() as f64 * 60.0 / begun.elapsed().as_secs_f64()
                        );
                    }
                }
            }
        }
    }
    capture.stop();
    // the channel is closed: what is pending is decided, as at the end of any footage
    let stop = std::sync::atomic::AtomicBool::new(false);
    table.run(&captured, &stop, |_| {});
    let summary = table.finish().unwrap();
    let wall_s = begun.elapsed().as_secs_f64();
    println!(
        "{} frames, {} min of footage in {:.0} s ({:.1} × real time), {} moves, {} events, peak {} KiB",
        summary.frames,
        summary.until_ms / MINUTE_MS,
        wall_s,
        summary.until_ms as f64 / 1000.0 / wall_s,
        summary.moves,
        summary.events.len(),
        held("self").peak_kib
    );
    Soaked { events: summary.events, minutes, corners: found.zip(last), pitch_px, folder }
}

impl Soaked {
    /// Nothing grows once everything has been used.
    fn assert_flat(&self) {
        let (Some(settled), Some(last)) = (self.minutes.get(SETTLED_MIN - 1), self.minutes.last()) else { return };
        let most = self.minutes[SETTLED_MIN - 1..].iter().map(|m| m.resident_kib).max().unwrap_or(0);
        assert!(
            most <= settled.resident_kib + SLACK_KIB,
            "{} KiB after ten minutes, {most} KiB later",
            settled.resident_kib
        );
        assert!(last.threads <= settled.threads && last.files <= settled.files + 1, "{settled:?}, then {last:?}");
    }

    /// The lattice is where it was, to this many pitches.
    fn assert_in_place(&self, pitches: f64) {
        let (first, last) = self.corners.expect("a board was found");
        let moved = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]) / self.pitch_px;
        let most = first.iter().zip(&last).map(|(a, b)| moved(a, b)).fold(0.0, f64::max);
        println!("the lattice's corners moved by {most:.3} pitches at most");
        assert!(most <= pitches, "{most} pitches from {first:?} to {last:?}");
    }

    fn recorded(events: &[Event]) -> Vec<(Color, Point)> {
        GameState::fold(events).moves().iter().filter_map(|m| Some((m.color, m.point?))).collect()
    }
}

/// A picture as a camera would send it.
fn jpeg(image: &Mat) -> Vector<u8> {
    let mut bytes = Vector::new();
    imgcodecs::imencode(".jpg", image, &mut bytes, &Vector::new()).unwrap();
    bytes
}

/// One game with a stretch of hours in its middle in which nobody does anything, while the light goes slowly up and down.
#[test]
#[ignore = "takes its time; see the head of the file"]
fn a_game_goes_on_after_hours_without_a_move() {
    let Some(clip) = Clip::named("dev-19x19-incidents") else { return };
    let (from, to) = clip.stillness(200);
    let idle_ms = hours_ms();
    let fps = clip.truth["fps"].as_f64().unwrap();
    let frame_ms = 1000.0 / fps;
    let idle_frames = (idle_ms as f64 / frame_ms) as u64;
    println!("frames {from} to {to} are shown to and fro for {} min", idle_ms / MINUTE_MS);
    let mut film = clip.open();
    let (mut still, mut shown, mut index) = (Vec::<Vector<u8>>::new(), 0u64, 0u64);
    let source = Reel {
        next: move || {
            let image = if still.len() as u64 == to - from && shown < idle_frames {
                // there and back: no seam
                let k = shown % (2 * still.len() as u64 - 1);
                let k = if k < still.len() as u64 { k } else { 2 * still.len() as u64 - 1 - k };
                let image = imgcodecs::imdecode(&still[k as usize], imgcodecs::IMREAD_COLOR).ok()?;
                let hours = shown as f64 * frame_ms / 3_600_000.0;
                shown += 1;
                let mut lit = Mat::default();
                image.convert_to(&mut lit, -1, 1.0 - 0.12 * (std::f64::consts::PI * hours).sin().powi(2), 0.0).ok()?;
                lit
            } else {
                let Grab::Frame(frame) = film.grab() else { return None };
                if (from..to).contains(&frame.index) {
                    still.push(jpeg(&frame.image));
                }
                frame.image
            };
            index += 1;
            Some(Frame { index: index - 1, time_ms: ((index - 1) as f64 * frame_ms) as u64, image })
        },
    };
    let run = soak(Box::new(source));
    let (begin_ms, end_ms) = ((to as f64 * frame_ms) as u64, (to as f64 * frame_ms) as u64 + idle_ms);
    let idle: Vec<_> = run.events.iter().filter(|e| (begin_ms + 4000..end_ms).contains(&e.reported_ms)).collect();
    let quiet = idle.iter().all(|e| e.kind == EventKind::LightChanged);
    assert!(quiet, "something was told while nothing happened: {idle:?}");
    assert_eq!(Soaked::recorded(&run.events), clip.moves());
    assert_eq!(count(run.events.iter().map(|e| e.kind)), clip.infractions());
    run.assert_flat();
}

/// The same game again and again, with a hard cut from its last picture to the first: the board was cleared, and the next game begins.
#[test]
#[ignore = "takes its time; see the head of the file"]
fn one_game_after_another_on_the_same_board() {
    let Some(clip) = Clip::named("dev-9x9-clean") else { return };
    let fps = clip.truth["fps"].as_f64().unwrap();
    let frames = clip.truth["frames"].as_u64().unwrap();
    let rounds = (hours_ms() as f64 * fps / 1000.0 / frames as f64).round().max(2.0) as usize;
    let open = {
        let folder = clip.folder.clone();
        let truth = clip.truth.clone();
        move || Clip { folder: folder.clone(), truth: truth.clone() }.open()
    };
    let (mut film, mut round, mut index) = (clip.open(), 1, 0u64);
    let source = Reel {
        next: move || loop {
            match film.grab() {
                Grab::Frame(frame) => {
                    index += 1;
                    let time_ms = ((index - 1) as f64 * 1000.0 / fps) as u64;
                    return Some(Frame { index: index - 1, time_ms, image: frame.image });
                }
                _ if round < rounds => {
                    round += 1;
                    film = open();
                }
                _ => return None,
            }
        },
    };
    let run = soak(Box::new(source));
    assert_eq!(count(run.events.iter().map(|e| e.kind)), BTreeMap::new(), "an alarm in a game without one");
    let moves = clip.moves();
    let mut wrong = Vec::new();
    for round in 1..=rounds {
        let name = if round == 1 { "game.sgf".into() } else { format!("game-{round}.sgf") };
        let text = std::fs::read_to_string(run.folder.path().join(&name)).unwrap_or_default();
        let history = goband::game::sgf::read(&text).ok().and_then(|t| t.first()?.history().ok());
        let recorded: Vec<_> =
            history.iter().flat_map(|h| h.moves().iter().filter_map(|m| Some((m.color, m.point?)))).collect();
        if recorded != moves {
            wrong.push(format!("{name}: {} moves", recorded.len()));
        }
    }
    println!("{} of {rounds} records right", rounds - wrong.len());
    assert!(wrong.is_empty(), "{wrong:?}");
    run.assert_flat();
    run.assert_in_place(0.1);
}

/// A game of a long afternoon on the virtual board: moves minutes apart, hands that rest, the lamp dimmed, the lens covered; the
/// sensor's noise and drifting light in every picture. Where nothing moves, every third picture is drawn.
#[test]
#[ignore = "takes its time; see the head of the file"]
fn a_slow_game_of_hours() {
    let points = "E5 C7 G3 C3 G7 E3 E7 C5 G5 D4 F6 D6 F4 B4 H6 B6 H4 D2 F8 D8 F2";
    let moves = points.split(' ').count() as u64;
    // an ordinary move takes some seconds; then nobody does anything
    let pause_s = (hours_ms() as f64 / 1000.0 / (moves as f64 + 1.0) - 8.0).clamp(2.0, 3600.0);
    let mut text = format!(
        "size = 9\nmoves = \"{points}\"\n[pace]\nseconds_per_move = 6.0\nlead_s = 8.0\ntail_s = 60.0\n[look]\nseed = 5\nnoise = 1.0\n"
    );
    for at in 1..=moves {
        text += &format!("[[happening]]\nat_move = {at}\nkind = \"pause\"\nfor_s = {pause_s:.1}\n");
    }
    for (at, what) in [
        (2, "hand_rests\"\nat = \"D5\"\nfor_s = 25.0"),
        (5, "lights_off\"\nlevel = 0.55\nfor_s = 90.0"),
        (8, "camera_covered\"\nfor_s = 6.0"),
        (11, "hand_rests\"\nat = \"F5\"\nfor_s = 60.0"),
        (14, "lights_off\"\nlevel = 0.3\nfor_s = 20.0"),
        (17, "hand_rests\"\nat = \"E8\"\nfor_s = 15.0"),
        (19, "camera_covered\"\nfor_s = 4.0"),
    ] {
        text += &format!("[[happening]]\nat_move = {at}\nkind = \"{what}\n");
    }
    let script = Script::from_toml(&text, Path::new(".")).unwrap_or_else(|e| panic!("{e}"));
    let played: Vec<_> = script.moves.clone();
    let mut board = VirtualBoard::from_script(&script, 1280, 720, 10.0, 3).unwrap();
    board.set_threads(1);
    let truth = board.truth().clone();
    println!("{} min, {pause_s:.0} s between two moves", board.frames() / 600);
    let busy: Vec<(u64, u64)> = truth
        .occluded
        .iter()
        .map(|&(a, b)| (a.saturating_sub(30), b + 40))
        .chain(truth.events.iter().map(|e| (e.frame_start.saturating_sub(30), e.frame_start + 100)))
        .collect();
    let mut index = 0u64;
    let source = Reel {
        next: move || {
            if index >= board.frames() {
                return None;
            }
            let (width, height) = board.size();
            let (here, time_ms) = (index, board.time_ms(index));
            let flat =
                Mat::from_slice(&board.frame(here).data).ok()?.reshape(3, height as i32).ok()?.try_clone().ok()?;
            let mut image = Mat::default();
            opencv::imgproc::cvt_color_def(&flat, &mut image, opencv::imgproc::COLOR_RGB2BGR).ok()?;
            debug_assert_eq!(image.cols(), width as i32);
            let moves = busy.iter().any(|(a, b)| (*a..=*b).contains(&here)) || here < 100;
            index += if moves { 1 } else { 3 };
            Some(Frame { index: here, time_ms, image })
        },
    };
    let run = soak(Box::new(source));
    assert_eq!(count(run.events.iter().map(|e| e.kind)), BTreeMap::new(), "an alarm, and nothing went wrong");
    assert_eq!(Soaked::recorded(&run.events), played);
    run.assert_flat();
    run.assert_in_place(0.1);
}

/// `goband run` in real time, with the page being looked at: `GOBAND_SOAK_RUN_MINUTES` (3) of it.
#[test]
#[ignore = "takes its time; see the head of the file"]
fn the_daemon_itself_keeps_its_memory() {
    let minutes = number("GOBAND_SOAK_RUN_MINUTES", 3.0);
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("goband.toml");
    let source = std::env::var("GOBAND_SOAK_SOURCE").unwrap_or_else(|_| "virtual".into());
    let records = dir.path().join("records");
    std::fs::write(
        &config,
        format!("[source]\nfrom = {source:?}\n[table]\nrecords = {records:?}\n[feed]\nlisten = \"127.0.0.1:0\"\n"),
    )
    .unwrap();
    let mut daemon = Command::new(env!("CARGO_BIN_EXE_goband"))
        .args(["run", "--config"])
        .arg(&config)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let process = daemon.id().to_string();
    let mut said = BufReader::new(daemon.stdout.take().unwrap()).lines();
    let page = said.by_ref().map_while(Result::ok).find_map(|l| l.strip_prefix("live page  ").map(str::to_owned));
    println!("{}", page.as_deref().unwrap_or("no page"));
    let begun = Instant::now();
    // it must not be held up by a full pipe
    std::thread::spawn(move || said.for_each(drop));
    let (mut early, mut late, mut peak, mut looks) = (None, 0, 0, 0);
    while begun.elapsed().as_secs_f64() < minutes * 60.0 && daemon.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_secs(5));
        let now = held(&process);
        if now.resident_kib == 0 {
            break;
        }
        looks += 1;
        (late, peak) = (now.resident_kib, now.peak_kib);
        if begun.elapsed() >= Duration::from_secs(75) {
            early.get_or_insert(now.resident_kib);
        }
        if looks % 6 == 0 {
            println!("{:>5.0} s  {now:?}  {} KiB on disk", begun.elapsed().as_secs_f64(), bytes_in(dir.path()) / 1024);
        }
    }
    let _ = daemon.kill();
    let _ = daemon.wait();
    println!("peak {peak} KiB");
    assert!(peak > 0, "nothing was measured");
    if let Some(early) = early {
        assert!(late <= early + SLACK_KIB, "{early} KiB after 75 s, {late} KiB at the end");
    }
}
