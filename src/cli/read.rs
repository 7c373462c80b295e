//! `goband read PHOTO`: one photo, what lies on the board.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use serde_json::{Value, json};

use crate::game::diagram::Diagram;
use crate::vision::{
    Lattice, LocateOptions, Models, PhotoReader, PhotoReading, PointReading, VisionError, draw_overlay, load_photo,
    picture_size, save_picture,
};

/// How the position is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ReadFormat {
    Text,
    Json,
    Sgf,
    Svg,
}

/// Four corners as text: `"x,y x,y x,y x,y"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corners(pub [[f64; 2]; 4]);

impl std::str::FromStr for Corners {
    type Err = String;

    fn from_str(text: &str) -> Result<Corners, String> {
        let wanted = "four corners as \"x,y x,y x,y x,y\", in the order board[0][0], board[0][N-1], board[N-1][N-1], board[N-1][0]";
        let mut corners = Vec::new();
        for pair in text.split_whitespace() {
            let number = |t: &str| t.parse::<f64>().ok().filter(|v| v.is_finite());
            let corner = pair.split_once(',').and_then(|(x, y)| Some([number(x)?, number(y)?]));
            corners.push(corner.ok_or_else(|| format!("'{pair}' is not x,y; wanted: {wanted}"))?);
        }
        let count = corners.len();
        corners.try_into().map(Corners).map_err(|_| format!("{count} corners; wanted: {wanted}"))
    }
}

/// Arguments of `goband read`.
#[derive(Clone, Debug, clap::Args)]
pub struct ReadArgs {
    /// A JPEG, PNG or other picture; its EXIF orientation is applied
    pub photo: PathBuf,
    /// Board size; found from the picture when absent
    #[arg(long, value_parser = parse_size)]
    pub size: Option<u8>,
    /// The outermost crossings in pixels, "x,y x,y x,y x,y", clockwise from board[0][0]; found from the picture when absent
    #[arg(long, allow_hyphen_values = true)]
    pub corners: Option<Corners>,
    #[arg(long, value_enum, default_value = "text")]
    pub format: ReadFormat,
    /// Write a copy of the photo with the grid and the stones drawn on it
    #[arg(long, value_name = "OUT.png")]
    pub overlay: Option<PathBuf>,
    /// Folder with other networks (locate.onnx, read.onnx) than the built-in ones
    #[arg(long, value_name = "DIR")]
    pub models: Option<PathBuf>,
}

/// 9, 13 or 19.
pub(super) fn parse_size(text: &str) -> Result<u8, String> {
    match text {
        "9" => Ok(9),
        "13" => Ok(13),
        "19" => Ok(19),
        _ => Err("9, 13 or 19".into()),
    }
}

fn round(value: f64, digits: i32) -> f64 {
    let f = 10f64.powi(digits);
    (value * f).round() / f
}

fn point_json(i: usize, n: usize, p: &PointReading) -> Value {
    let r3 = |v: f32| round(f64::from(v), 3);
    json!({
        "at": [i / n, i % n],
        "black": r3(p.black), "white": r3(p.white), "empty": r3(p.empty), "hidden": r3(p.hidden),
        "offset": [round(f64::from(p.offset[0]), 2), round(f64::from(p.offset[1]), 2)],
    })
}

/// The JSON of a reading, as `docs/reading.md` describes it.
fn found_json(args: &ReadArgs, [width, height]: [i32; 2], reading: &PhotoReading, decode_ms: f64) -> Value {
    let lattice = &reading.lattice;
    let n = lattice.size as usize;
    let points: Vec<Value> = reading
        .points
        .iter()
        .enumerate()
        .filter(|(_, p)| p.letter() != '.' || p.empty < 0.9)
        .map(|(i, p)| point_json(i, n, p))
        .collect();
    json!({
        "file": args.photo.display().to_string(),
        "width": width, "height": height,
        "size": n,
        "corners": lattice.corners().map(|c| c.map(|v| round(v, 2))),
        "residual_px": round(lattice.residual_px, 2),
        "confidence": round(lattice.confidence, 3),
        "lens": {"k1": round(lattice.lens().k1, 5), "k2": round(lattice.lens().k2, 5)},
        "board": reading.rows(),
        "points": points,
        "elapsed_ms": {
            "decode": round(decode_ms, 1), "locate": round(reading.locate_ms, 1), "read": round(reading.read_ms, 1),
        },
    })
}

/// The position as an SGF setup.
fn position_sgf(rows: &[String]) -> String {
    let mut sgf = format!("(;GM[1]FF[4]CA[UTF-8]AP[goband:{}]SZ[{}]", env!("CARGO_PKG_VERSION"), rows.len());
    for (property, letter) in [("AB", 'B'), ("AW", 'W')] {
        let mut first = true;
        for (row, text) in rows.iter().enumerate() {
            for (col, found) in text.chars().enumerate() {
                if found == letter {
                    if first {
                        sgf.push_str(property);
                        first = false;
                    }
                    let coordinate = |i: usize| (b'a' + i as u8) as char;
                    sgf.extend(['[', coordinate(col), coordinate(row), ']']);
                }
            }
        }
    }
    sgf.push_str(")\n");
    sgf
}

fn text(reading: &PhotoReading) -> String {
    let rows = reading.rows();
    let n = rows.len();
    let letters: Vec<String> = (0..n).map(|i| ((b'A' + i as u8 + u8::from(i >= 8)) as char).to_string()).collect();
    let header = format!("   {}\n", letters.join(" "));
    let mut out = header.clone();
    for (i, row) in rows.iter().enumerate() {
        let cells: Vec<&str> = row
            .chars()
            .map(|c| match c {
                'B' => "X",
                'W' => "O",
                '?' => "?",
                _ => ".",
            })
            .collect();
        out.push_str(&format!("{:2} {} {}\n", n - i, cells.join(" "), n - i));
    }
    out.push_str(&header);
    let count = |c: char| rows.iter().map(|r| r.matches(c).count()).sum::<usize>();
    out.push_str(&format!(
        "{n}x{n}  X black {}  O white {}  ? unsure {}  confidence {:.3}  residual {:.2} px\n",
        count('B'),
        count('W'),
        count('?'),
        reading.lattice.confidence,
        reading.lattice.residual_px
    ));
    out
}

/// Writes to stdout; a reader that has gone away is no failure.
fn print(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}

/// Runs `goband read`. Returns the exit code: 0 found, 2 bad usage, 3 no board.
///
/// # Errors
/// If the photo cannot be read or the overlay not written.
pub fn run(args: ReadArgs) -> anyhow::Result<u8> {
    let models = args.models.clone().map_or_else(Models::from_env, Models::Folder);
    let start = Instant::now();
    let image = load_photo(&args.photo)?;
    let decode_ms = start.elapsed().as_secs_f64() * 1000.0;
    let mut reader = PhotoReader::new(&models)?;
    let start = Instant::now();
    let result = match args.corners {
        None => reader.read(&image, &LocateOptions { size: args.size }),
        Some(Corners(corners)) => {
            if let Err(e) = Lattice::from_corners(args.size.unwrap_or(19), corners, picture_size(&image)) {
                eprintln!("goband read: --corners: {e}");
                return Ok(2);
            }
            reader.locator().at_corners(&image, corners, args.size).and_then(|lattice| {
                let locate_ms = start.elapsed().as_secs_f64() * 1000.0;
                let mut reading = reader.read_at(&image, lattice)?;
                reading.locate_ms = locate_ms;
                Ok(reading)
            })
        }
    };
    let size = picture_size(&image);
    let reading = match result {
        Ok(reading) => reading,
        Err(VisionError::NoBoard(reason)) => {
            eprintln!("goband read: {}: no board: {reason}", args.photo.display());
            if args.format == ReadFormat::Json {
                let locate_ms = start.elapsed().as_secs_f64() * 1000.0;
                let answer = json!({
                    "file": args.photo.display().to_string(),
                    "width": size[0], "height": size[1],
                    "board": Value::Null,
                    "reason": reason,
                    "elapsed_ms": {"decode": round(decode_ms, 1), "locate": round(locate_ms, 1)},
                });
                print(&format!("{answer}\n"))?;
            }
            return Ok(3);
        }
        Err(e) => return Err(e.into()),
    };
    if let Some(path) = &args.overlay {
        let drawn = draw_overlay(&image, &reading.lattice, &reading.points)?;
        save_picture(path, &drawn)?;
    }
    print(&match args.format {
        ReadFormat::Text => text(&reading),
        ReadFormat::Json => format!("{}\n", found_json(&args, size, &reading, decode_ms)),
        ReadFormat::Sgf => position_sgf(&reading.rows()),
        ReadFormat::Svg => Diagram::new(&reading.rows()).svg(),
    })?;
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_parsed_or_explained() {
        let c: Corners = "412.3,101.9 1480.2,99.4 1611,1002.8 -3,1008.1".parse().unwrap();
        assert_eq!(c.0[3], [-3.0, 1008.1]);
        for bad in ["", "1,2 3,4 5,6", "1,2 3,4 5,6 7;8", "1,2 3,4 5,6 7,NaN", "1,2 3,4 5,6 7,8 9,10"] {
            assert!(bad.parse::<Corners>().unwrap_err().contains("x,y"), "{bad}");
        }
    }

    #[test]
    fn a_position_becomes_setup_stones() {
        let rows = vec!["B..".to_owned(), ".W?".to_owned(), "..B".to_owned()];
        let sgf = position_sgf(&rows);
        assert!(sgf.ends_with("SZ[3]AB[aa][cc]AW[bb])\n"), "{sgf}");
        let empty = position_sgf(&vec![".........".to_owned(); 9]);
        assert!(!empty.contains("AB") && !empty.contains("AW"));
    }
}
