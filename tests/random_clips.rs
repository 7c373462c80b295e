//! Footage drawn by lot, which nothing was fitted to, through watcher and referee: other boards, rooms, cameras, hands, games and
//! incidents for every seed.
//!
//! Half a minute to a minute a clip, so only when asked: `GOBAND_RANDOM_CLIPS=FROM..TO cargo test --test random_clips -- --ignored
//! --nocapture` plays those seeds and prints what was right and wrong of each. `GOBAND_SIGHTINGS=DIR` keeps there what the watcher
//! saw and the truth, and takes it from there the next time; `GOBAND_FOOTAGE=DIR` keeps the clips as H.264 videos (needs ffmpeg).
//! Games are those of `GOBAND_GAMES` (a folder of files `g9_1.json`: `[["B", [row, column]], …]`), else made up. `GOBAND_TRACE=1`
//! prints the events.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use goband::capture::{Frame, Grab, OpenOptions, open};
use goband::game::{Event, EventKind};
use goband::referee::{Referee, RefereeOptions};
use goband::rules::{Board, Color, History, Point, Ruleset};
use goband::service::scorecard::{Scorecard, Truth};
use goband::virtualboard::{CameraPose, Look, LookChoice, Script, Seat, VirtualBoard};
use goband::vision::{Sighting, Watcher, WatcherOptions};
use opencv::core::{Mat, Scalar, Size, Vector};
use opencv::prelude::*;
use opencv::{core, imgcodecs, imgproc};

/// Seeds that are played where none are named.
const USUAL: std::ops::Range<u64> = 1..7;

/// A lot's throws.
struct Lot(u64);

impl Lot {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
    /// Evenly by ratio.
    fn times(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[(self.next() % from.len() as u64) as usize]
    }
    fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }
}

/// What a cheap camera does to a picture after the virtual sensor.
#[derive(Clone, Copy, Debug, Default)]
struct Wear {
    /// Amplitude and period of the exposure's slow wandering, and of the lamps' flicker.
    wander: (f64, f64),
    flicker: f64,
    /// Factors of blue, green and red.
    cast: [f64; 3],
    /// Deviation of a blur, pixels.
    defocus: f64,
    /// Share of the picture before that noise reduction leaves in this one.
    ghost: f64,
    /// Constant rate factor of an H.264 video, if it is one.
    crf: Option<u32>,
}

struct Clip {
    script: Script,
    camera: CameraPose,
    size: (u32, u32),
    fps: f64,
    wear: Wear,
}

/// Moves of a real-looking game from somewhere on, and what lay there before.
fn game(lot: &mut Lot, size: u8, count: usize) -> Option<(Board, Vec<(Color, Point)>)> {
    let folder = PathBuf::from(std::env::var_os("GOBAND_GAMES")?);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with(&format!("g{size}_"))));
    files.sort();
    let file = &files[(lot.next() % files.len().max(1) as u64) as usize];
    let moves: Vec<(Color, [u8; 2])> = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    let from = if lot.chance(0.4) { 0 } else { (lot.unit() * (moves.len() as f64 - count as f64).max(0.0)) as usize };
    let mut history = History::new(Board::new(size), Color::Black);
    let mut played = Vec::new();
    let mut start = history.board().clone();
    for (i, (color, [row, col])) in moves.iter().enumerate().take(from + count) {
        if i == from {
            start = history.board().clone();
        }
        let at = Point::new(*row, *col);
        if !history.classify(*color, Some(at)).is_legal() {
            break;
        }
        history.play(*color, Some(at));
        if i >= from {
            played.push((*color, at));
        }
    }
    // a single stone is the first move and no position
    if from == 1 {
        start = Board::new(size);
        played.insert(0, (moves[0].0, Point::new(moves[0].1[0], moves[0].1[1])));
    }
    (!played.is_empty()).then_some((start, played))
}

fn draw(seed: u64) -> Clip {
    let mut lot = Lot(seed ^ 0x60ba_4d00);
    let size = lot.pick(&[9, 9, 13, 13, 19]);
    let pace = lot.times(0.9, 5.0);
    let count = ((20.0 / pace) as usize).clamp(6, 18);
    let mut script = match game(&mut lot, size, count) {
        Some((start, moves)) => {
            let mut script = Script::new(format!("lot-{seed}"), size, moves);
            script.start = start;
            script.with_incidents(lot.next(), 2)
        }
        None => {
            let mut script = Script::random(lot.next(), size);
            script.moves.truncate(count);
            script.happenings.clear();
            script.with_incidents(seed, 2)
        }
    };
    script.black_seat = lot.pick(&[Seat::Near, Seat::Near, Seat::Far, Seat::Left, Seat::Right]);
    script.pace.seconds_per_move = pace;
    script.pace.hand_speed = lot.times(0.6, 2.6);
    script.pace.lead_s = lot.between(1.5, 3.0);
    script.pace.tail_s = 3.5;
    script.look = LookChoice {
        seed: lot.next() >> 1,
        noise: Some(lot.between(0.5, 2.5) as f32),
        jpeg_quality: lot.chance(0.7).then(|| lot.between(35.0, 92.0) as u8),
        ..LookChoice::default()
    };
    let picture = if size == 19 {
        lot.pick(&[(960, 540), (1280, 720)])
    } else {
        lot.pick(&[(640, 480), (640, 480), (800, 600), (960, 540), (1280, 720)])
    };
    let steep = if size == 19 { 36.0 } else { 29.0 };
    let camera = CameraPose {
        elevation_deg: lot.between(steep, 88.0),
        azimuth_deg: lot.between(-35.0, 35.0),
        focal_widths: lot.between(0.75, 1.6),
        roll_deg: lot.between(-4.0, 4.0),
        distortion: [lot.between(-0.16, 0.03), lot.between(-0.01, 0.02)],
        ..CameraPose::default()
    };
    let look = Look::chosen(size, &script.look);
    let mut camera = camera.fitted(&look.geometry, picture.0, picture.1, lot.between(0.72, 0.92));
    camera.distance_mm = camera.distance_mm.max(250.0);
    let mut wear = Wear { cast: [1.0; 3], ..Wear::default() };
    if lot.chance(0.6) {
        wear.wander = (lot.between(0.0, 0.08), lot.between(4.0, 20.0));
        wear.flicker = lot.between(0.0, 0.015);
        wear.cast = [lot.between(0.75, 1.15), lot.between(0.9, 1.05), lot.between(0.8, 1.15)];
        wear.defocus = lot.between(0.0, 1.1);
        wear.ghost = lot.pick(&[0.0, 0.0, 0.2, 0.35]);
        wear.crf = lot.chance(0.6).then(|| lot.between(24.0, 36.0) as u32);
    }
    let fps = lot.pick(&[5.0, 8.0, 10.0, 10.0, 12.0, 15.0, 25.0]);
    Clip { script, camera, size: picture, fps, wear }
}

struct Worn {
    wear: Wear,
    before: Option<Mat>,
}

impl Worn {
    fn picture(&mut self, rgb: &[u8], height: u32, t: f64, lot: &mut Lot) -> Mat {
        let flat = Mat::from_slice(rgb).unwrap();
        let mut image = Mat::default();
        imgproc::cvt_color_def(&flat.reshape(3, height as i32).unwrap(), &mut image, imgproc::COLOR_RGB2BGR).unwrap();
        let w = self.wear;
        let gain = 1.0
            + w.wander.0 * (t * std::f64::consts::TAU / w.wander.1.max(1.0)).sin()
            + w.flicker * (lot.unit() - 0.5) * 2.0;
        if gain != 1.0 || w.cast != [1.0; 3] {
            let factors = Scalar::new(w.cast[0] * gain, w.cast[1] * gain, w.cast[2] * gain, 0.0);
            let mut out = Mat::default();
            core::multiply(&image, &factors, &mut out, 1.0, core::CV_8UC3).unwrap();
            image = out;
        }
        if w.defocus > 0.2 {
            let mut out = Mat::default();
            imgproc::gaussian_blur_def(&image, &mut out, Size::new(0, 0), w.defocus).unwrap();
            image = out;
        }
        if let Some(before) = self.before.as_ref().filter(|_| w.ghost > 0.0) {
            let mut out = Mat::default();
            core::add_weighted_def(&image, 1.0 - w.ghost, before, w.ghost, 0.0, &mut out).unwrap();
            image = out;
        }
        if w.ghost > 0.0 {
            self.before = Some(image.clone());
        }
        image
    }
}

fn has_ffmpeg() -> bool {
    let ran = Command::new("ffmpeg").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    ran.is_ok_and(|s| s.success())
}

fn board_of(clip: &Clip, seed: u64) -> VirtualBoard {
    let look = Look::chosen(clip.script.size, &clip.script.look);
    VirtualBoard::new(&clip.script, look, clip.camera, clip.size.0, clip.size.1, clip.fps, seed).unwrap()
}

/// The clip's pictures, kept in `footage` if there is such a folder, given to `each`.
fn play(clip: &Clip, board: &mut VirtualBoard, video: Option<&Path>, mut each: impl FnMut(Frame)) {
    let frames = board.frames();
    let mut worn = Worn { wear: clip.wear, before: None };
    let mut lot = Lot(7);
    let (width, height) = board.size();
    let mut draw = |k: u64| {
        let t = k as f64 / clip.fps;
        let rgb = board.frame(k).data.clone();
        worn.picture(&rgb, height, t, &mut lot)
    };
    match (video, clip.wear.crf) {
        (Some(video), crf) => {
            if !video.is_file() {
                let part = video.with_extension("part.mp4");
                let crf = crf.unwrap_or(16).to_string();
                let rate = clip.fps.to_string();
                let side = format!("{width}x{height}");
                let mut encoder = Command::new("ffmpeg")
                    .args([
                        "-y",
                        "-loglevel",
                        "error",
                        "-f",
                        "rawvideo",
                        "-pix_fmt",
                        "bgr24",
                        "-s",
                        &side,
                        "-r",
                        &rate,
                        "-i",
                        "-",
                    ])
                    .args([
                        "-c:v", "libx264", "-preset", "veryfast", "-crf", &crf, "-pix_fmt", "yuv420p", "-threads", "1",
                    ])
                    .arg(&part)
                    .stdin(Stdio::piped())
                    .spawn()
                    .unwrap();
                let mut pipe = encoder.stdin.take().unwrap();
                for k in 0..frames {
                    let image = draw(k);
                    pipe.write_all(image.data_bytes().unwrap()).unwrap();
                }
                drop(pipe);
                assert!(encoder.wait().unwrap().success());
                std::fs::rename(&part, video).unwrap();
            }
            let mut source = open(&video.to_string_lossy().parse().unwrap(), &OpenOptions::default()).unwrap();
            while let Grab::Frame(frame) = source.grab() {
                each(frame);
            }
        }
        (None, _) => {
            for k in 0..frames {
                let image = draw(k);
                // what cannot be made a video of here is at least compressed
                let image = match clip.wear.crf {
                    Some(_) => {
                        let mut bytes = Vector::<u8>::new();
                        let quality = Vector::from_slice(&[imgcodecs::IMWRITE_JPEG_QUALITY, 40]);
                        imgcodecs::imencode(".jpg", &image, &mut bytes, &quality).unwrap();
                        imgcodecs::imdecode(&bytes, imgcodecs::IMREAD_COLOR).unwrap()
                    }
                    None => image,
                };
                each(Frame { index: k, time_ms: (k as f64 * 1000.0 / clip.fps).round() as u64, image });
            }
        }
    }
}

/// What the watcher saw of a clip, and the clip's truth.
fn look(seed: u64) -> (Clip, Truth, Vec<Sighting>) {
    let clip = draw(seed);
    let kept = std::env::var_os("GOBAND_SIGHTINGS").map(PathBuf::from);
    let path = kept.as_ref().map(|d| d.join(format!("{seed:04}.jsonl")));
    let mut board = board_of(&clip, seed);
    let text = serde_json::to_string(board.truth()).unwrap();
    let truth: Truth = serde_json::from_str(&text).unwrap();
    if let Some(file) = path.as_ref().and_then(|p| std::fs::File::open(p).ok()) {
        let seen = BufReader::new(file).lines().map(|l| serde_json::from_str(&l.unwrap()).unwrap()).collect();
        return (clip, truth, seen);
    }
    let video = std::env::var_os("GOBAND_FOOTAGE").map(PathBuf::from).filter(|_| has_ffmpeg());
    let video = video.map(|d| d.join(format!("{seed:04}.mp4")));
    let mut watcher = Watcher::new(WatcherOptions::default()).unwrap();
    let mut seen = Vec::new();
    play(&clip, &mut board, video.as_deref(), |frame| seen.push(watcher.see(&frame)));
    if let Some(path) = path {
        let part = path.with_extension("part");
        let mut file = BufWriter::new(std::fs::File::create(&part).unwrap());
        for s in &seen {
            serde_json::to_writer(&mut file, s).unwrap();
            file.write_all(b"\n").unwrap();
        }
        file.flush().unwrap();
        std::fs::rename(&part, &path).unwrap();
        std::fs::write(path.with_extension("truth.json"), text).unwrap();
    }
    (clip, truth, seen)
}

fn judge(seen: &[Sighting]) -> Vec<Event> {
    let mut referee = Referee::new(RefereeOptions::new(Arc::new(Ruleset::builtin("cwa").unwrap())));
    let mut events: Vec<Event> = seen.iter().flat_map(|s| referee.sight(s)).collect();
    events.extend(referee.finish(seen.last().map_or(0, |s| s.time_ms)));
    events
}

fn describe(clip: &Clip) -> String {
    let (s, c) = (&clip.script, &clip.camera);
    format!(
        "{}x{} {} moves of {:.1} s, hand {:.1}; {}x{} at {} fps, elevation {:.0}, azimuth {:.0}, k1 {:.2}; noise {:.1} jpeg {:?}; blur {:.1} ghost {:.1} wander {:.2} cast {:.2?} crf {:?}",
        s.size,
        s.size,
        s.moves.len(),
        s.pace.seconds_per_move,
        s.pace.hand_speed,
        clip.size.0,
        clip.size.1,
        clip.fps,
        c.elevation_deg,
        c.azimuth_deg,
        c.distortion[0],
        s.look.noise.unwrap_or(1.0),
        s.look.jpeg_quality.unwrap_or(100),
        clip.wear.defocus,
        clip.wear.ghost,
        clip.wear.wander.0,
        clip.wear.cast,
        clip.wear.crf
    )
}

#[test]
#[ignore = "minutes; GOBAND_RANDOM_CLIPS=FROM..TO"]
fn footage_drawn_by_lot_gives_its_games() {
    if let Ok(filter) = tracing_subscriber::EnvFilter::try_from_env("GOBAND_LOG") {
        let _ =
            tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false).try_init();
    }
    let asked = std::env::var("GOBAND_RANDOM_CLIPS").ok();
    let seeds: Vec<u64> = match asked.as_ref().and_then(|a| a.split_once("..")) {
        Some((from, to)) => (from.parse().unwrap()..to.parse().unwrap()).collect(),
        None => match &asked {
            Some(list) => list.split(',').map(|s| s.parse().unwrap()).collect(),
            None => USUAL.collect(),
        },
    };
    let (mut moves, mut wanted, mut found, mut asked_for, mut false_alarms, mut perfect) = (0, 0, 0, 0, 0, 0);
    let mut delays = Vec::new();
    for seed in &seeds {
        let (clip, truth, seen) = look(*seed);
        let events = judge(&seen);
        let until = seen.last().map_or(0, |s| s.time_ms);
        let card = Scorecard::compare(&truth, &events, until, 0);
        let unexplained =
            events.iter().filter(|e| matches!(e.kind, EventKind::Unexplained | EventKind::BoardLost)).count();
        moves += card.moves_right;
        wanted += card.moves_expected;
        found += card.found.len();
        asked_for += card.found.len() + card.missed.len();
        false_alarms += card.false_alarms.len() + unexplained;
        perfect += usize::from(card.is_perfect() && unexplained == 0);
        delays.extend(&card.move_delays_ms);
        let mut own = card.move_delays_ms.clone();
        own.sort();
        println!(
            "{seed:4} {}/{} moves, {}/{} incidents, {} false, {unexplained} unexplained; delay {} max {} | {}",
            card.moves_right,
            card.moves_expected,
            card.found.len(),
            card.found.len() + card.missed.len(),
            card.false_alarms.len(),
            own.get(own.len() / 2).unwrap_or(&-1),
            own.last().unwrap_or(&-1),
            describe(&clip)
        );
        if let Some(d) = &card.first_difference {
            println!("       {d}");
        }
        card.missed.iter().for_each(|m| println!("       MISSED {m}"));
        card.false_alarms.iter().for_each(|m| println!("       FALSE {m}"));
        if std::env::var_os("GOBAND_TRACE").is_some() {
            for e in &events {
                let at: Vec<String> = e.points.iter().map(|s| format!("{:.2},{:.2}", s.row, s.col)).collect();
                println!(
                    "  {:>6} {} {} {} {at:?} of {:?} {}-{} ({})",
                    e.reported_ms,
                    e.kind.name(),
                    e.color.map_or(String::new(), |c| c.to_string()),
                    e.point.map_or(String::new(), |p| p.name(clip.script.size)),
                    e.of,
                    e.at_ms.first,
                    e.at_ms.last,
                    e.confidence
                );
            }
        }
    }
    delays.sort();
    let pick = |share: f64| delays.get((delays.len() as f64 * share) as usize).copied().unwrap_or(0);
    println!(
        "{} clips, {perfect} perfect: {moves}/{wanted} moves, {found}/{asked_for} incidents, {false_alarms} false alarms; delay median {} ms, 95 % {} ms",
        seeds.len(),
        pick(0.5),
        pick(0.95)
    );
    assert!(moves * 100 >= wanted * 95 && false_alarms * 4 <= seeds.len(), "see above");
}
