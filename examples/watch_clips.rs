//! Replays footage whose truth is known through the watcher and says how well it saw.
//!
//! `cargo run --release --example watch_clips -- CLIP_FOLDER… [--frames FROM..TO] [--dump FOLDER] [--every N] [--rough] [--verbose] [--corners "x,y x,y x,y x,y"]`
//!
//! A clip folder holds `clip.mp4` and `truth.json` (corners, positions, moves, occlusions by frame). `--rough` makes the camera
//! worse: it trembles, flickers and is noisy. Footage without truth is shown as what is read whenever that changes.

use std::path::{Path, PathBuf};
use std::time::Instant;

use goband::capture::{Grab, OpenOptions, open};
use goband::vision::{Scene, Sighting, Watcher, WatcherOptions};
use opencv::core::{self, Mat};
use opencv::imgproc;
use opencv::prelude::*;
use serde_json::Value;

struct Truth {
    size: usize,
    fps: f64,
    camera: Vec<(u64, u64, [[f64; 2]; 4])>,
    positions: Vec<(u64, Vec<Vec<u8>>)>,
    occluded: Vec<(u64, u64)>,
    /// point, placed, clear
    moves: Vec<(usize, usize, u8, u64, u64)>,
}

fn number(v: &Value) -> u64 {
    v.as_f64().unwrap_or(0.0) as u64
}

impl Truth {
    fn load(path: &Path) -> anyhow::Result<Truth> {
        let v: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
        let list = |key: &str| v[key].as_array().cloned().unwrap_or_default();
        Ok(Truth {
            size: number(&v["size"]) as usize,
            fps: v["fps"].as_f64().unwrap_or(10.0),
            camera: list("camera")
                .iter()
                .map(|c| {
                    let corner = |i: usize| [c[2][i][0].as_f64().unwrap_or(0.0), c[2][i][1].as_f64().unwrap_or(0.0)];
                    (number(&c[0]), number(&c[1]), [corner(0), corner(1), corner(2), corner(3)])
                })
                .collect(),
            positions: list("positions")
                .iter()
                .map(|p| {
                    let rows = p[1].as_array().cloned().unwrap_or_default();
                    (number(&p[0]), rows.iter().map(|r| r.as_str().unwrap_or("").bytes().collect()).collect())
                })
                .collect(),
            occluded: list("occluded").iter().map(|o| (number(&o[0]), number(&o[1]))).collect(),
            moves: list("moves")
                .iter()
                .filter(|m| m["point"].is_array())
                .map(|m| {
                    let color = m["color"].as_str().unwrap_or("B").as_bytes()[0];
                    (
                        number(&m["point"][0]) as usize,
                        number(&m["point"][1]) as usize,
                        color,
                        number(&m["frame_placed"]),
                        number(&m["frame_clear"]),
                    )
                })
                .collect(),
        })
    }

    fn corners(&self, frame: u64) -> Option<[[f64; 2]; 4]> {
        self.camera.iter().find(|c| (c.0..=c.1).contains(&frame)).map(|c| c.2)
    }

    fn position(&self, frame: u64) -> Option<&Vec<Vec<u8>>> {
        self.positions.iter().rev().find(|p| p.0 <= frame).map(|p| &p.1)
    }

    fn occluded(&self, frame: u64) -> bool {
        self.occluded.iter().any(|o| (o.0..=o.1).contains(&frame))
    }

    /// The position changed within `n` frames before `frame`.
    fn fresh(&self, frame: u64, n: u64) -> bool {
        self.positions.iter().any(|p| p.0 > 0 && p.0 <= frame && frame - p.0 < n)
    }
}

#[derive(Default)]
struct Figures {
    found_at: Option<u64>,
    residuals: Vec<f64>,
    sure: u64,
    sure_wrong: u64,
    unsure: u64,
    /// confident stones where none is, or of another colour: in frames with a hand over the grid, and without
    false_with_hand: u64,
    false_without: u64,
    false_empty_with_hand: u64,
    hand_missed: u64,
    hand_invented: u64,
    frames: u64,
    no_points: u64,
}

fn main() -> anyhow::Result<()> {
    let mut clips: Vec<PathBuf> = Vec::new();
    let (mut from, mut to) = (0, u64::MAX);
    let mut dump: Option<PathBuf> = None;
    let mut verbose = false;
    let mut rough = false;
    let mut every = 1;
    let mut corners: Option<[[f64; 2]; 4]> = None;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--frames" => {
                let range = args.next().unwrap_or_default();
                let (a, b) = range.split_once("..").unwrap_or(("0", ""));
                from = a.parse().unwrap_or(0);
                to = b.parse().unwrap_or(u64::MAX);
            }
            "--dump" => dump = args.next().map(PathBuf::from),
            "--verbose" => verbose = true,
            "--rough" => rough = true,
            "--every" => every = args.next().and_then(|n| n.parse().ok()).unwrap_or(1),
            "--corners" => {
                let text = args.next().unwrap_or_default();
                let v: Vec<f64> = text.split([',', ' ']).filter_map(|n| n.parse().ok()).collect();
                anyhow::ensure!(v.len() == 8, "--corners wants four x,y");
                corners = Some([[v[0], v[1]], [v[2], v[3]], [v[4], v[5]], [v[6], v[7]]]);
            }
            _ => clips.push(arg.into()),
        }
    }
    for clip in clips {
        if clip.join("truth.json").exists() {
            measure(&clip, from, to, dump.as_deref(), verbose, rough, every.max(1))?;
        } else {
            show(&clip, dump.as_deref(), corners)?;
        }
    }
    Ok(())
}

fn measure(
    clip: &Path,
    from: u64,
    to: u64,
    dump: Option<&Path>,
    verbose: bool,
    rough: bool,
    every: u64,
) -> anyhow::Result<()> {
    let truth = Truth::load(&clip.join("truth.json"))?;
    let video = clip.join("clip.mp4");
    let mut source = open(&video.to_string_lossy().parse()?, &OpenOptions::default())?;
    let mut watcher = Watcher::new(WatcherOptions::default())?;
    let mut f = Figures::default();
    let mut seen_after: Vec<Option<u64>> = vec![None; truth.moves.len()];
    let mut told_residual = 0.0;
    let mut told_wrong: Vec<String> = Vec::new();
    let mut told_loose: Vec<(f32, f32)> = Vec::new();
    let mut spent = 0.0;
    let mut slowest: f64 = 0.0;
    println!("{}", clip.display());
    while let Grab::Frame(mut frame) = source.grab() {
        if frame.index < from || frame.index % every != 0 {
            continue;
        }
        if frame.index > to {
            break;
        }
        if rough {
            frame.image = roughened(&frame.image, frame.index)?;
        }
        let clock = Instant::now();
        let s = watcher.see(&frame);
        let took = clock.elapsed().as_secs_f64();
        spent += took;
        slowest = slowest.max(took);
        f.frames += 1;
        for scene in &s.scene {
            println!("  frame {:5}  {scene:?}", frame.index);
            if let Scene::BoardFound { .. } = scene {
                f.found_at.get_or_insert(frame.index);
            }
        }
        for l in &s.loose {
            if verbose && !told_loose.contains(&(l.row, l.col)) {
                println!(
                    "  frame {:5}  loose {:.2} {:.2} {:?} {:.2}",
                    frame.index, l.row, l.col, l.color, l.confidence
                );
            }
        }
        told_loose = s.loose.iter().map(|l| (l.row, l.col)).collect();
        if let (Some(lattice), Some(corners)) = (watcher.lattice(), truth.corners(frame.index)) {
            let pitch = lattice.mean_pitch_px();
            let worst = lattice
                .corners()
                .iter()
                .zip(corners)
                .map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]))
                .fold(0.0, f64::max);
            f.residuals.push(worst / pitch);
            if verbose && (worst / pitch - told_residual).abs() > 0.03 {
                told_residual = worst / pitch;
                println!("  frame {:5}  corner off by {:.2} pitch ({worst:.1} px)", frame.index, worst / pitch);
            }
        }
        let wrong = judge(&s, &truth, frame.index, &mut f);
        let occluded = truth.occluded(frame.index);
        f.hand_missed += u64::from(occluded && !s.hand && !s.points.is_empty());
        f.hand_invented += u64::from(
            !occluded && s.hand && !truth.occluded(frame.index + 2) && !truth.occluded(frame.index.saturating_sub(3)),
        );
        for (k, m) in truth.moves.iter().enumerate() {
            if seen_after[k].is_none() && frame.index >= m.3 && !s.points.is_empty() {
                let state = s.points[m.0 * truth.size + m.1].state(0.8);
                if state.flatten().is_some_and(|c| c.letter() as u8 == m.2) {
                    seen_after[k] = Some(frame.index);
                }
            }
        }
        let news: Vec<&String> = wrong.iter().filter(|w| !told_wrong.contains(*w)).collect();
        if verbose && !news.is_empty() {
            let hand = if occluded { "hand" } else { "" };
            println!(
                "  frame {:5} {hand:4} said hand {} motion {}: {}",
                frame.index,
                s.hand,
                s.motion,
                news.iter().map(|w| w.as_str()).collect::<Vec<_>>().join("  ")
            );
        }
        told_wrong.clone_from(&wrong);
        if let (Some(dir), Some(lattice), false) = (dump, watcher.lattice(), wrong.is_empty()) {
            std::fs::create_dir_all(dir)?;
            let picture = goband::vision::draw_overlay(&frame.image, lattice, &s.points)?;
            std::fs::write(dir.join(format!("{}.jpg", frame.index)), goband::vision::encode_jpeg(&picture, 85, None)?)?;
        }
    }
    f.residuals.sort_by(f64::total_cmp);
    let at = |q: f64| f.residuals.get(((f.residuals.len() as f64 - 1.0) * q) as usize).copied().unwrap_or(f64::NAN);
    println!("  board found at frame {:?}; frames {} of which without points {}", f.found_at, f.frames, f.no_points);
    println!("  worst corner, pitches: median {:.3}, 95 % {:.3}, worst {:.3}", at(0.5), at(0.95), at(1.0));
    println!(
        "  readings above 0.9 with no hand: {} of which wrong {} ({:.4} %); below 0.9 or hidden: {} ({:.2} %)",
        f.sure,
        f.sure_wrong,
        100.0 * f.sure_wrong as f64 / f.sure.max(1) as f64,
        f.unsure,
        100.0 * f.unsure as f64 / (f.sure + f.unsure).max(1) as f64
    );
    println!(
        "  false stones (> 0.9): {} with a hand over the grid, {} without; stones called empty with a hand: {}",
        f.false_with_hand, f.false_without, f.false_empty_with_hand
    );
    println!("  hand: missed in {} frames, invented in {}", f.hand_missed, f.hand_invented);
    let mut delays: Vec<i64> = Vec::new();
    let mut unseen = Vec::new();
    for (k, m) in truth.moves.iter().enumerate() {
        if m.4 < from || m.3 < from || m.4 + 10 > to {
            continue;
        }
        match seen_after[k] {
            Some(t) if t <= m.4 + 50 => delays.push(t as i64 - m.4 as i64),
            _ => unseen.push(k + 1),
        }
    }
    delays.sort_unstable();
    if !delays.is_empty() {
        println!(
            "  stone seen after the hand cleared, frames: median {}, 95 % {}, worst {}; never within 50 frames: moves {unseen:?}",
            delays[delays.len() / 2],
            delays[(delays.len() - 1) * 95 / 100],
            delays[delays.len() - 1]
        );
    }
    println!(
        "  {:.1} × real time ({:.1} ms a frame, slowest {:.0} ms)",
        (f.frames * every) as f64 / truth.fps / spent,
        1000.0 * spent / f.frames as f64,
        1000.0 * slowest
    );
    Ok(())
}

/// Compares a sighting with the truth; returns what was surely wrong.
fn judge(s: &Sighting, truth: &Truth, frame: u64, f: &mut Figures) -> Vec<String> {
    let mut wrong = Vec::new();
    if s.points.len() != truth.size * truth.size {
        f.no_points += 1;
        return wrong;
    }
    let Some(position) = truth.position(frame) else { return wrong };
    let occluded = truth.occluded(frame);
    // what changed in this very moment may be seen a little late
    let fresh = truth.fresh(frame, 4);
    for (i, p) in s.points.iter().enumerate() {
        let (row, col) = (i / truth.size, i % truth.size);
        let is = position[row][col];
        let said = p.state(0.9);
        let Some(said) = said else {
            f.unsure += u64::from(!occluded && !fresh);
            continue;
        };
        let letter = said.map_or(b'.', |c| c.letter() as u8);
        let bad = letter != is;
        if !occluded && !fresh {
            f.sure += 1;
            f.sure_wrong += u64::from(bad);
        }
        if bad && !(fresh && letter == b'.') {
            if letter == b'.' {
                f.false_empty_with_hand += u64::from(occluded);
            } else if occluded {
                f.false_with_hand += 1;
            } else {
                f.false_without += 1;
            }
            wrong.push(format!("[{row},{col}] is {} said {} {:.2}", is as char, letter as char, p.of(said)));
        }
    }
    wrong
}

/// Half a pixel of trembling, two percent of flicker, and noise; the same for the same frame.
fn roughened(image: &Mat, index: u64) -> anyhow::Result<Mat> {
    let wave = |period: f64, phase: f64| (index as f64 * std::f64::consts::TAU / period + phase).sin();
    let (dx, dy) = (0.5 * wave(3.7, 0.3), 0.5 * wave(4.9, 1.1));
    let shift = Mat::from_slice_2d(&[[1.0, 0.0, dx], [0.0, 1.0, dy]])?;
    let (size, cubic) = (image.size()?, imgproc::INTER_CUBIC);
    let mut moved = Mat::default();
    imgproc::warp_affine(image, &mut moved, &shift, size, cubic, core::BORDER_REPLICATE, core::Scalar::default())?;
    let mut noise = Mat::new_size_with_default(size, core::CV_16SC3, core::Scalar::all(0.0))?;
    core::set_rng_seed(index as i32 + 1)?;
    core::randn(&mut noise, &core::Scalar::all(0.0), &core::Scalar::all(6.0))?;
    let (mut wide, mut sum, mut out) = (Mat::default(), Mat::default(), Mat::default());
    moved.convert_to(&mut wide, core::CV_16S, 1.0 + 0.02 * wave(6.3, 0.0), 0.0)?;
    core::add(&wide, &noise, &mut sum, &core::no_array(), -1)?;
    sum.convert_to(&mut out, core::CV_8U, 1.0, 0.0)?;
    Ok(out)
}

/// Prints what is read in footage without truth, whenever it changes.
fn show(path: &Path, dump: Option<&Path>, corners: Option<[[f64; 2]; 4]>) -> anyhow::Result<()> {
    println!("{}", path.display());
    let mut source = open(&path.to_string_lossy().parse()?, &OpenOptions::default())?;
    let mut watcher = Watcher::new(WatcherOptions { corners, ..WatcherOptions::default() })?;
    let mut before: Vec<String> = Vec::new();
    while let Grab::Frame(frame) = source.grab() {
        let s = watcher.see(&frame);
        for scene in &s.scene {
            println!("  frame {:5}  {scene:?}", frame.index);
        }
        let rows = s.rows();
        let stones = |r: &[String]| r.concat().bytes().map(|b| if b == b'?' { b'.' } else { b }).collect::<Vec<_>>();
        if !s.points.is_empty() && stones(&rows) != stones(&before) {
            println!(
                "  frame {:5} hand {} motion {} loose {}\n    {}",
                frame.index,
                s.hand,
                s.motion,
                s.loose.len(),
                rows.join("\n    ")
            );
            before = rows;
            if let (Some(dir), Some(lattice)) = (dump, watcher.lattice()) {
                std::fs::create_dir_all(dir)?;
                let picture = goband::vision::draw_overlay(&frame.image, lattice, &s.points)?;
                std::fs::write(
                    dir.join(format!("{}.jpg", frame.index)),
                    goband::vision::encode_jpeg(&picture, 85, None)?,
                )?;
            }
        }
    }
    Ok(())
}
