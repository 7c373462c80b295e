//! `goband judge`: a record through the rule core.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::game::Prisoners;
use crate::game::sgf::{self, GameTree};
use crate::rules::{Class, Color, Point, Ruleset};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

/// Replay a record and say what every move is: legal, capture, ko, repetition, suicide, …
#[derive(Clone, Debug, Args)]
pub struct JudgeArgs {
    /// The record, SGF. Of a collection the first game.
    pub game: PathBuf,
    /// A built-in ruleset's id, or a ruleset file.
    #[arg(long, default_value = "cwa")]
    pub ruleset: String,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Serialize)]
struct Judged {
    size: u8,
    ruleset: String,
    moves: Vec<JudgedMove>,
    board: Vec<String>,
    prisoners: Prisoners,
    turn: Color,
}

#[derive(Serialize)]
struct JudgedMove {
    n: usize,
    color: Color,
    point: Option<Point>,
    class: Vec<Class>,
    captured: Vec<Point>,
    repeats: Option<usize>,
}

pub fn run(args: JudgeArgs) -> anyhow::Result<u8> {
    let rules = match ruleset(&args.ruleset) {
        Ok(rules) => rules,
        Err(e) => {
            eprintln!("goband judge: {e:#}");
            return Ok(2);
        }
    };
    let tree = read_game(&args.game)?;
    let replay = tree.replay(rules.first).with_context(|| args.game.display().to_string())?;
    let history = &replay.history;
    let moves = history.moves().iter().zip(replay.classes).enumerate().map(|(i, (played, c))| JudgedMove {
        n: i + 1,
        color: played.color,
        point: played.point,
        class: c.classes,
        captured: played.captured.clone(),
        repeats: c.repeats,
    });
    let judged = Judged {
        size: history.size(),
        ruleset: rules.id,
        moves: moves.collect(),
        board: history.board().rows(),
        prisoners: Prisoners { black: history.prisoners(Color::Black), white: history.prisoners(Color::White) },
        turn: history.turn(),
    };
    let mut out = std::io::stdout().lock();
    match args.format {
        Format::Json => writeln!(out, "{}", serde_json::to_string(&judged)?)?,
        Format::Text => out.write_all(text(&judged).as_bytes())?,
    }
    Ok(0)
}

fn text(judged: &Judged) -> String {
    let mut out = String::new();
    let mut illegal = 0;
    for m in &judged.moves {
        let point = m.point.map_or("pass".to_owned(), |p| p.name(judged.size));
        let classes: Vec<String> = m.class.iter().map(|c| c.as_str().replace('_', " ")).collect();
        out.push_str(&format!("{:>4}  {}  {point:<4}  {}", m.n, m.color, classes.join(", ")));
        if !m.captured.is_empty() {
            let names: Vec<String> = m.captured.iter().map(|p| p.name(judged.size)).collect();
            out.push_str(&format!("  takes {}", names.join(" ")));
        }
        if !m.class.contains(&Class::Legal) {
            illegal += 1;
            if let Some(n) = m.repeats {
                out.push_str(&format!("  repeats the position after move {n}"));
            }
        }
        out.push('\n');
    }
    out.push('\n');
    for row in &judged.board {
        out.push_str(row);
        out.push('\n');
    }
    let Prisoners { black, white } = judged.prisoners;
    out.push_str(&format!(
        "\n{} moves, {illegal} not legal ({}). Black took {black}, White took {white}. {} to play.\n",
        judged.moves.len(),
        judged.ruleset,
        if judged.turn == Color::Black { "Black" } else { "White" },
    ));
    out
}

/// A built-in ruleset by its id, else a file.
pub(super) fn ruleset(id_or_path: &str) -> anyhow::Result<Ruleset> {
    if Ruleset::builtin_ids().any(|id| id == id_or_path) {
        return Ok(Ruleset::builtin(id_or_path)?);
    }
    let path = Path::new(id_or_path);
    if !path.exists() {
        // names the ids that there are
        return Ok(Ruleset::builtin(id_or_path)?);
    }
    let text = std::fs::read_to_string(path).with_context(|| id_or_path.to_owned())?;
    Ok(Ruleset::from_toml(&text, path)?)
}

/// The first game of a file.
pub(super) fn read_game(path: &Path) -> anyhow::Result<GameTree> {
    let name = || path.display().to_string();
    let bytes = std::fs::read(path).with_context(name)?;
    let mut games = sgf::read_bytes(&bytes).with_context(name)?;
    if games.len() > 1 {
        eprintln!("{}: {} games, the first is taken", path.display(), games.len());
    }
    Ok(games.swap_remove(0))
}
