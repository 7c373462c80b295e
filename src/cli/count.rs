//! `goband count`: a final position, exactly.

use std::io::Write as _;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};

use super::Format;
use super::judge::{read_game, ruleset};
use crate::rules::{Amount, Board, Color, Count, CountOptions, Method, Point, Unit, count};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CountMethod {
    /// One side's stones and points against half of the board
    Area,
    /// Filling with exactly 180 stones a side
    Fill,
    /// Equal numbers of stones, then empty points
    Equal,
    /// The same with equal numbers of moves
    EqualMoves,
    /// Empty points and prisoners
    Territory,
}

/// Count a final position: from a record, or from a board of '.', 'B', 'W'.
#[derive(Clone, Debug, Args)]
pub struct CountArgs {
    /// The record, SGF.
    #[arg(required_unless_present = "board", conflicts_with = "board")]
    pub game: Option<PathBuf>,
    /// N lines of N characters '.', 'B', 'W', or the JSON of `goband read`.
    #[arg(long)]
    pub board: Option<PathBuf>,
    /// A built-in ruleset's id, or a ruleset file.
    #[arg(long)]
    pub ruleset: String,
    /// Without it: as the ruleset counts.
    #[arg(long, value_enum)]
    pub method: Option<CountMethod>,
    /// Dead stones, "row,col row,col", counted from 0; one of each chain is enough.
    #[arg(long, value_name = "r,c r,c")]
    pub dead: Option<Points>,
    /// What Black gives, in the ruleset's unit: 3.75, "3 3/4", 7.5. Without it: the ruleset's, or none with a handicap.
    #[arg(long, allow_hyphen_values = true)]
    pub komi: Option<Amount>,
    /// Handicap stones; 1 is the first move without komi. Without it: the record's.
    #[arg(long)]
    pub handicap: Option<u32>,
    /// What each side gives, in the ruleset's unit: "B=1,W=0".
    #[arg(long)]
    pub penalty: Option<Sides>,
    /// Stones taken during the game where a board is counted by territory: "B=3,W=5" (B: taken by Black).
    #[arg(long, conflicts_with = "game")]
    pub prisoners: Option<Sides>,
    #[arg(long, value_enum, default_value = "json")]
    pub format: Format,
}

/// `"3,4 5,6"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Points(Vec<Point>);

impl FromStr for Points {
    type Err = String;

    fn from_str(text: &str) -> Result<Points, String> {
        let point = |word: &str| {
            let (row, col) = word.split_once(',')?;
            Some(Point::new(row.trim().parse().ok()?, col.trim().parse().ok()?))
        };
        text.split_whitespace()
            .map(|word| point(word).ok_or_else(|| format!("'{word}' is not a point; write row,col, such as 3,15")))
            .collect::<Result<_, _>>()
            .map(Points)
    }
}

/// `"B=1,W=0"`; a side left out is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides([Amount; 2]);

impl FromStr for Sides {
    type Err = String;

    fn from_str(text: &str) -> Result<Sides, String> {
        let mut sides = [Amount::ZERO; 2];
        for part in text.split(',').filter(|p| !p.trim().is_empty()) {
            let bad = || format!("'{part}' is not understood; write B=1,W=0");
            let (side, amount) = part.split_once('=').ok_or_else(bad)?;
            let color = match side.trim() {
                "B" | "b" => Color::Black,
                "W" | "w" => Color::White,
                _ => return Err(bad()),
            };
            sides[color as usize] = amount.parse().map_err(|e| format!("{part}: {e}"))?;
        }
        Ok(Sides(sides))
    }
}

pub fn run(args: CountArgs) -> anyhow::Result<u8> {
    let usage = |message: String| {
        eprintln!("goband count: {message}");
        Ok(2)
    };
    let rules = match ruleset(&args.ruleset) {
        Ok(rules) => rules,
        Err(e) => return usage(format!("{e:#}")),
    };
    let method = match args.method {
        None => None,
        Some(CountMethod::Area) => Some(Method::Area),
        Some(CountMethod::Territory) => Some(Method::Territory),
        Some(other) => {
            let name = other.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default();
            return usage(format!("--method {name} is not there yet; area and territory are"));
        }
    };
    let mut options = CountOptions {
        method,
        dead: args.dead.map(|p| p.0).unwrap_or_default(),
        komi: args.komi,
        handicap: args.handicap.unwrap_or(0),
        penalty: args.penalty.unwrap_or_default().0,
        ..CountOptions::default()
    };
    let board = match (&args.game, &args.board) {
        (Some(path), _) => {
            let tree = read_game(path)?;
            let history = tree.replay(rules.first).with_context(|| path.display().to_string())?.history;
            options.prisoners = [Color::Black, Color::White].map(|c| history.prisoners(c));
            if args.handicap.is_none() {
                options.handicap = tree.info("HA").parse().unwrap_or(0);
            }
            history.board().clone()
        }
        (None, Some(path)) => {
            let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
            if let Some(Sides(taken)) = args.prisoners {
                for (n, amount) in options.prisoners.iter_mut().zip(taken) {
                    let quarters = amount.in_quarters();
                    match usize::try_from(quarters / 4) {
                        Ok(whole) if quarters % 4 == 0 => *n = whole,
                        _ => return usage(format!("--prisoners: {amount} is not a number of stones")),
                    }
                }
            }
            read_board(&text).with_context(|| path.display().to_string())?
        }
        (None, None) => return usage("give a record, or a board with --board".to_owned()),
    };
    let counted = match count(&board, &rules, &options) {
        Ok(counted) => counted,
        Err(e) => return usage(format!("--dead: {e}")),
    };
    let mut out = std::io::stdout().lock();
    match args.format {
        Format::Json => writeln!(out, "{}", serde_json::to_string(&counted)?)?,
        Format::Text => out.write_all(text(&counted).as_bytes())?,
    }
    Ok(0)
}

/// Lines of a board, or an object with `board`.
fn read_board(text: &str) -> anyhow::Result<Board> {
    let rows: Vec<String> = if text.trim_start().starts_with('{') {
        let value: serde_json::Value = serde_json::from_str(text)?;
        match value.get("board").cloned().map(serde_json::from_value) {
            Some(Ok(rows)) => rows,
            _ => bail!("no \"board\" with rows in this JSON"),
        }
    } else {
        text.lines().map(str::trim).filter(|l| !l.is_empty()).map(str::to_owned).collect()
    };
    Ok(Board::from_rows(&rows)?)
}

fn text(c: &Count) -> String {
    let unit = match c.unit {
        Unit::Stones => "stones",
        Unit::Points => "points",
    };
    let of = match c.threshold {
        Some(threshold) => format!(" (half of the board: {threshold})"),
        None => String::new(),
    };
    format!(
        "Black {}, White {}{of}; komi {} {unit}, handicap returns {}, penalties Black {}, White {}.\n{}\n",
        c.black,
        c.white,
        c.komi,
        c.handicap_returned,
        c.penalty[0],
        c.penalty[1],
        c.result()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_read_as_people_write_them() {
        assert_eq!("3,4 15,0".parse::<Points>().unwrap().0, [Point::new(3, 4), Point::new(15, 0)]);
        assert!(
            "3,4,5".parse::<Points>().is_err() && "Q16".parse::<Points>().is_err() && "-1,2".parse::<Points>().is_err()
        );
        assert_eq!("B=1,W=1/2".parse::<Sides>().unwrap().0, [Amount::whole(1), Amount::halves(1)]);
        assert_eq!("W=2".parse::<Sides>().unwrap().0, [Amount::ZERO, Amount::whole(2)]);
        assert!("1,2".parse::<Sides>().is_err() && "X=1".parse::<Sides>().is_err());
    }

    #[test]
    fn boards_come_as_lines_or_as_what_was_read() {
        let lines = read_board(" BW\n\n..\n").unwrap();
        assert_eq!(lines, read_board(r#"{"board":["BW",".."],"size":2}"#).unwrap());
        assert!(read_board(r#"{"board":null,"reason":"none"}"#).is_err());
        assert!(read_board("B?\n..").unwrap_err().to_string().contains("'?'"));
    }

    #[test]
    fn the_json_is_the_contract() {
        let rules = crate::rules::Ruleset::builtin("cwa").unwrap();
        let board = Board::from_rows(&["BBB", "B.B", "WWW"]).unwrap();
        let json = serde_json::to_value(count(&board, &rules, &CountOptions::default()).unwrap()).unwrap();
        for (key, value) in [
            ("method", "area"),
            ("black", "5 1/2"),
            ("white", "3 1/2"),
            ("threshold", "4 1/2"),
            ("result", "W+2 3/4"),
            ("winner", "W"),
        ] {
            assert_eq!(json[key], value, "{key}");
        }
    }
}
