//! `goband eval PHOTOS_DIR`: how well photos with truth are read. Folders with a `truth.json` are sets.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Deserialize;
use serde_json::json;

use crate::vision::{
    Lattice, LocateOptions, Models, PhotoReader, PhotoReading, VisionError, draw_overlay, load_photo, save_picture,
};

/// Arguments of `goband eval`.
#[derive(Clone, Debug, clap::Args)]
pub struct EvalArgs {
    /// A folder with truth.json, or one that holds such folders
    pub folder: PathBuf,
    /// Only every K-th picture of each set
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub every: usize,
    /// Give the true corners, so that only the reading is judged
    #[arg(long)]
    pub corners: bool,
    /// Write the overlay of each picture that is not perfect into this folder
    #[arg(long, value_name = "DIR")]
    pub overlays: Option<PathBuf>,
    /// Print one JSON object with all figures instead of the table
    #[arg(long)]
    pub json: bool,
    /// Folder with other networks (locate.onnx, read.onnx) than the built-in ones
    #[arg(long, value_name = "DIR")]
    pub models: Option<PathBuf>,
}

/// One picture of a `truth.json`. Without a board it is no test of reading; with `"size": 0` it must give "no board".
#[derive(Debug, Deserialize)]
struct Truth {
    image: String,
    size: Option<u8>,
    corners: Option<[[f64; 2]; 4]>,
    board: Option<Vec<String>>,
    /// `[row, col]` of points behind something: not scored.
    #[serde(default)]
    hidden: Vec<[usize; 2]>,
    #[serde(default)]
    has_hand: bool,
}

/// What became of one picture.
#[derive(Debug, Default)]
struct Outcome {
    image: String,
    found: bool,
    size_right: bool,
    grid_right: bool,
    scored: usize,
    wrong: usize,
    /// Mean distance of the corners from the truth, in pitches.
    corner_pitches: Option<f64>,
    confidence: f64,
    locate_ms: f64,
    read_ms: f64,
    note: String,
}

impl Outcome {
    fn perfect(&self) -> bool {
        self.found && self.size_right && self.grid_right && self.wrong == 0
    }
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// The truth's corners begin somewhere; which quarter turn of the reading fits them best, and the distances then, in pitches.
fn align(found: &Lattice, truth: &[[f64; 2]; 4]) -> (usize, [f64; 4]) {
    let corners = found.corners();
    let side = (0..4).map(|i| distance(truth[i], truth[(i + 1) % 4])).sum::<f64>() / 4.0;
    let pitch = side / f64::from(found.size - 1);
    let at = |q: usize| [0, 1, 2, 3].map(|i| distance(corners[(i + q) % 4], truth[i]) / pitch);
    let worst = |q: usize| at(q).iter().sum::<f64>();
    let q = (0..4).min_by(|&a, &b| worst(a).total_cmp(&worst(b))).unwrap_or(0);
    (q, at(q))
}

fn judge(truth: &Truth, result: Result<PhotoReading, VisionError>) -> (Outcome, Option<PhotoReading>) {
    let mut o = Outcome { image: truth.image.clone(), ..Outcome::default() };
    let (Some(size), Some(corners), Some(board)) = (truth.size, &truth.corners, &truth.board) else {
        // a picture without a board: finding none is right
        let none = matches!(result, Err(VisionError::NoBoard(_)));
        (o.found, o.size_right, o.grid_right) = (none, none, none);
        o.note = if none { String::new() } else { "found a board where there is none".into() };
        return (o, result.ok());
    };
    let n = size as usize;
    let hidden: HashSet<[usize; 2]> = truth.hidden.iter().copied().collect();
    let cell = |r: usize, c: usize| board.get(r).and_then(|row| row.chars().nth(c)).unwrap_or('?');
    let scored: Vec<[usize; 2]> = (0..n)
        .flat_map(|r| (0..n).map(move |c| [r, c]))
        .filter(|[r, c]| cell(*r, *c) != '?' && !hidden.contains(&[*r, *c]))
        .collect();
    o.scored = scored.len();
    o.wrong = o.scored;
    let reading = match result {
        Ok(reading) => reading,
        Err(e) => {
            o.note = e.to_string();
            return (o, None);
        }
    };
    o.found = true;
    o.confidence = reading.lattice.confidence;
    (o.locate_ms, o.read_ms) = (reading.locate_ms, reading.read_ms);
    o.size_right = reading.lattice.size == size;
    if !o.size_right {
        o.note = format!("size {}, not {size}", reading.lattice.size);
        return (o, Some(reading));
    }
    let (q, off) = align(&reading.lattice, corners);
    o.corner_pitches = Some(off.iter().sum::<f64>() / 4.0);
    o.grid_right = off.iter().all(|d| *d < 0.5);
    let rows = reading.rows();
    let read: Vec<Vec<char>> = rows.iter().map(|r| r.chars().collect()).collect();
    let mut wrong = Vec::new();
    for [r, c] in scored {
        // the truth's point in the reading's own orientation
        let (mut i, mut j) = (r, c);
        for _ in 0..q {
            (i, j) = (j, n - 1 - i);
        }
        let (seen, is) = (read[i][j], cell(r, c));
        if seen == is || (truth.has_hand && seen == '?') {
            continue;
        }
        wrong.push(format!("[{r},{c}] {is} read {seen}"));
    }
    o.wrong = wrong.len();
    if !o.grid_right {
        o.note = format!("grid off by up to {:.1} pitches", off.iter().copied().fold(0.0, f64::max));
    } else if !wrong.is_empty() {
        let more = if wrong.len() > 6 { ", …" } else { "" };
        wrong.truncate(6);
        o.note = format!("{}{more}", wrong.join(", "));
    }
    (o, Some(reading))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    if values.is_empty() { 0.0 } else { values[values.len() / 2] }
}

fn sets(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if folder.join("truth.json").is_file() {
        return Ok(vec![folder.to_owned()]);
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read the folder {}", folder.display()))?
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.join("truth.json").is_file())
        .collect();
    found.sort();
    anyhow::ensure!(!found.is_empty(), "{} holds no truth.json, nor does a folder in it", folder.display());
    Ok(found)
}

/// Runs `goband eval`. Returns the exit code.
///
/// # Errors
/// If the folder or its truth cannot be read.
pub fn run(args: EvalArgs) -> anyhow::Result<u8> {
    let models = args.models.clone().map_or_else(Models::from_env, Models::Folder);
    let mut reader = PhotoReader::new(&models)?;
    if let Some(dir) = &args.overlays {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot make the folder {}", dir.display()))?;
    }
    let mut report = Vec::new();
    let mut failures = Vec::new();
    if !args.json {
        println!(
            "{:<16} {:>6} {:>6} {:>6} {:>6} {:>8} {:>8} {:>14} {:>11} {:>8}",
            "set", "photos", "found", "size", "grid", "perfect", "points %", "corner pitches", "locate ms", "read ms"
        );
    }
    for set in sets(&args.folder)? {
        let name = set.file_name().map_or_else(|| set.display().to_string(), |n| n.to_string_lossy().into_owned());
        let path = set.join("truth.json");
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let truths: Vec<Truth> = serde_json::from_str(&text).with_context(|| format!("{}", path.display()))?;
        let mut outcomes = Vec::new();
        for truth in truths.iter().step_by(args.every.max(1)) {
            if truth.size != Some(0) && (truth.corners.is_none() || truth.board.is_none()) {
                continue;
            }
            let image = load_photo(&set.join(&truth.image))?;
            let result = match (&truth.corners, truth.size) {
                (Some(corners), Some(size)) if args.corners => {
                    let lattice = reader.locator().at_corners(&image, *corners, Some(size));
                    lattice.and_then(|l| reader.read_at(&image, l))
                }
                _ => reader.read(&image, &LocateOptions::default()),
            };
            let (outcome, reading) = judge(truth, result);
            tracing::debug!(image = truth.image, grid_right = outcome.size_right && outcome.grid_right, "judged");
            if !outcome.perfect() {
                if let Some(dir) = &args.overlays {
                    let path = dir.join(format!("{name}-{}", truth.image.replace(['/', '\\'], "-")));
                    match &reading {
                        Some(r) => save_picture(&path, &draw_overlay(&image, &r.lattice, &r.points)?)?,
                        None => save_picture(&path, &image)?,
                    }
                }
                failures.push(format!(
                    "{name}/{}: {} wrong of {}, confidence {:.2}: {}",
                    outcome.image, outcome.wrong, outcome.scored, outcome.confidence, outcome.note
                ));
            }
            outcomes.push(outcome);
        }
        let count = |f: fn(&Outcome) -> bool| outcomes.iter().filter(|o| f(o)).count();
        let (points, wrong): (usize, usize) = outcomes.iter().fold((0, 0), |(p, w), o| (p + o.scored, w + o.wrong));
        let right = 100.0 * (points - wrong) as f64 / points.max(1) as f64;
        let corner = median(outcomes.iter().filter(|o| o.grid_right).filter_map(|o| o.corner_pitches).collect());
        let locate = median(outcomes.iter().map(|o| o.locate_ms).collect());
        let read = median(outcomes.iter().map(|o| o.read_ms).collect());
        let figures = [
            outcomes.len(),
            count(|o| o.found),
            count(|o| o.size_right),
            count(|o| o.grid_right),
            count(Outcome::perfect),
        ];
        if args.json {
            report.push(json!({
                "set": name, "photos": figures[0], "found": figures[1], "size_right": figures[2],
                "grid_right": figures[3], "perfect": figures[4], "points_right": right / 100.0,
                "corner_pitches_median": corner, "locate_ms_median": locate, "read_ms_median": read,
            }));
        } else {
            let [photos, found, size, grid, perfect] = figures;
            println!(
                "{name:<16} {photos:>6} {found:>6} {size:>6} {grid:>6} {perfect:>8} {right:>8.2} {corner:>14.3} {locate:>11.0} {read:>8.0}"
            );
        }
    }
    if args.json {
        println!("{}", json!({"sets": report, "failures": failures}));
    } else if !failures.is_empty() {
        println!("\nnot perfect:");
        for f in &failures {
            println!("  {f}");
        }
    }
    Ok(0)
}
