//! `goband calibrate`: finds the board in a live source, shows it, stores where it is.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::capture::{Frame, Grab, OpenOptions, Pace, Source, SourceSpec};
use crate::service;
use crate::vision::{self, BoardGeometry, Calibration, LocateOptions, Models, PhotoReader, PhotoReading};

use super::UsageError;
use super::read::{Corners, parse_size};

/// Arguments of `goband calibrate`.
#[derive(Args)]
pub struct CalibrateArgs {
    /// A camera's number, path or name; an address; a file; a folder; `virtual`
    source: String,
    /// Lines of the board: 9, 13 or 19; found when absent
    #[arg(long, value_parser = parse_size)]
    size: Option<u8>,
    /// The outermost crossings by hand, "x,y x,y x,y x,y", clockwise from board[0][0]; needs --size
    #[arg(long, requires = "size", allow_hyphen_values = true)]
    corners: Option<Corners>,
    /// The make of the board: an id of calibration/boards.toml
    #[arg(long, default_value = "cwa")]
    board: String,
    /// Where to store it; calibration/SOURCE.toml when absent
    #[arg(long)]
    out: Option<PathBuf>,
    /// Draw what was found on a picture
    #[arg(long, value_name = "OUT.png")]
    overlay: Option<PathBuf>,
    /// How long to look for the board
    #[arg(long, default_value_t = 15.0)]
    seconds: f64,
}

/// Looks until the board is found twice at the same place.
///
/// # Errors
/// The source cannot be opened, the file cannot be written.
pub fn run(args: CalibrateArgs) -> Result<u8> {
    if BoardGeometry::preset(&args.board).is_none() {
        let known: Vec<String> = BoardGeometry::presets().into_iter().map(|b| b.id).collect();
        return Err(UsageError(format!("--board {}: unknown; there are {}", args.board, known.join(", "))).into());
    }
    let spec: SourceSpec = args.source.parse().map_err(|e| UsageError(format!("{}: {e:#}", args.source)))?;
    let mut source = service::open_source(&spec, &OpenOptions::default(), Pace::AsFastAsItGoes, false)?;
    let (frame, found) = match look(&args, source.as_mut())? {
        Ok(found) => found,
        Err(reason) => {
            println!("no board: {reason}. Give the corners by hand: --size N --corners \"x,y x,y x,y x,y\"");
            return Ok(3);
        }
    };

    let lattice = &found.lattice;
    println!("board        {0}×{0}", lattice.size);
    for (name, [x, y]) in ["top left", "top right", "bottom right", "bottom left"].iter().zip(lattice.corners()) {
        println!("{name:<12} {x:8.1} {y:8.1}");
    }
    println!("residual     {:.2} px, confidence {:.3}", lattice.residual_px, lattice.confidence);
    for row in found.rows() {
        println!("  {row}");
    }
    if let Some(path) = &args.overlay {
        vision::save_picture(path, &vision::draw_overlay(&frame.image, lattice, &found.points)?)?;
        println!("overlay      {}", path.display());
    }
    let out = args.out.unwrap_or_else(|| {
        let name: String = args.source.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        PathBuf::from("calibration").join(format!("{}.toml", name.trim_matches('-')))
    });
    if let Some(folder) = out.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
    }
    let calibration = Calibration {
        date: utc_now(),
        camera: source.name(),
        picture: frame.size(),
        board: args.board,
        lattice: lattice.clone(),
    };
    calibration.save(&out)?;
    println!("stored       {}", out.display());
    Ok(0)
}

/// The board and the picture it was found on, or why there is none. A board is taken when it was found twice within a
/// tenth of a pitch: one lucky look is not a calibration.
fn look(args: &CalibrateArgs, source: &mut dyn Source) -> Result<std::result::Result<(Frame, PhotoReading), String>> {
    let mut reader = PhotoReader::new(&Models::from_env())?;
    let until = Instant::now() + Duration::from_secs_f64(args.seconds.clamp(0.5, 600.0));
    let mut before: Option<PhotoReading> = None;
    let mut reason = String::from("no picture came");
    while Instant::now() < until {
        let frame = match source.grab() {
            Grab::Frame(frame) => frame,
            Grab::Lost(why) => {
                reason = why;
                std::thread::sleep(Duration::from_millis(200));
                let _ = source.reopen();
                continue;
            }
            Grab::End if before.is_some() => bail!("{}: ended before the board was seen twice", source.name()),
            Grab::End => break,
        };
        if let Some(Corners(corners)) = args.corners {
            let lattice = reader.locator().at_corners(&frame.image, corners, args.size)?;
            let found = reader.read_at(&frame.image, lattice)?;
            return Ok(Ok((frame, found)));
        }
        match reader.read(&frame.image, &LocateOptions { size: args.size }) {
            Ok(found) if before.as_ref().is_some_and(|b| same_place(b, &found)) => return Ok(Ok((frame, found))),
            Ok(found) => before = Some(found),
            Err(e) => reason = e.to_string(),
        }
    }
    Ok(Err(reason))
}

/// True when two findings agree to a tenth of a pitch at every corner.
fn same_place(a: &PhotoReading, b: &PhotoReading) -> bool {
    let limit_px = a.lattice.mean_pitch_px() * 0.1;
    let near = |(p, q): (&[f64; 2], [f64; 2])| (p[0] - q[0]).hypot(p[1] - q[1]) <= limit_px;
    a.lattice.size == b.lattice.size && a.lattice.corners().iter().zip(b.lattice.corners()).all(near)
}

/// `2026-11-29 14:05 UTC`.
fn utc_now() -> String {
    let s = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (year, month, day) = civil_date((s / 86_400) as i64);
    let minutes = s % 86_400 / 60;
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

/// Year, month, day of a number of days since 1970-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn civil_date(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let (era, day_of_era) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::civil_date;

    #[test]
    fn dates_are_right_around_leap_days() {
        assert_eq!(civil_date(0), (1970, 1, 1));
        assert_eq!(civil_date(11_016), (2000, 2, 29));
        assert_eq!(civil_date(19_782), (2024, 2, 29));
        assert_eq!(civil_date(19_783), (2024, 3, 1));
        assert_eq!(civil_date(20_786), (2026, 11, 29));
    }
}
