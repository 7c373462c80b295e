//! `goband count`: a final position, exactly.

use std::io::Write as _;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::Format;
use super::judge::{read_game, ruleset};
use crate::game::sgf::PENALTY;
use crate::rules::life::{ChainLife, Life, Proposal, Reason, propose};
use crate::rules::{Amount, Board, Color, Count, CountOptions, Method, Point, Ruleset, Seki, Text, Unit, Work, count};

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

impl From<CountMethod> for Method {
    fn from(method: CountMethod) -> Method {
        match method {
            CountMethod::Area => Method::Area,
            CountMethod::Fill => Method::Fill,
            CountMethod::Equal => Method::Equal,
            CountMethod::EqualMoves => Method::EqualMoves,
            CountMethod::Territory => Method::Territory,
        }
    }
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
    /// Also say which chains look dead, how sure that is, and what the count would be without them. A proposal for both
    /// sides to confirm: only --dead takes stones off.
    #[arg(long)]
    pub propose: bool,
    /// Empty points that could still be contested at the end: shared as in seki.
    #[arg(long, value_name = "r,c r,c")]
    pub contested: Option<Points>,
    /// By territory: a stone of each group that lives in seki, so that its eyes do not count; "auto" (the default)
    /// as goband sees it, or "none".
    #[arg(long, value_name = "r,c r,c|auto|none", value_parser = seki)]
    pub seki: Option<Seki>,
    /// What Black gives, in the ruleset's unit: 3.75, "3 3/4", 7.5. Without it: the ruleset's, or none with a handicap.
    #[arg(long, allow_hyphen_values = true)]
    pub komi: Option<Amount>,
    /// Handicap stones; 1 is the first move without komi. Without it: the record's.
    #[arg(long)]
    pub handicap: Option<u32>,
    /// What each side gives, in the ruleset's unit: "B=1,W=0". Without it: what a record of goband's own says.
    #[arg(long)]
    pub penalty: Option<Sides>,
    /// With --board: stones taken during the game, "B=3,W=5" (B: taken by Black). A record tells them itself.
    #[arg(long, conflicts_with = "game")]
    pub prisoners: Option<Sides>,
    /// With --board, instead of --prisoners: stones that each side played, "B=120,W=119"; those that do not lie on the board any
    /// more were taken.
    #[arg(long, conflicts_with_all = ["game", "prisoners"])]
    pub moves: Option<Sides>,
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

fn seki(text: &str) -> Result<Seki, String> {
    match text.trim() {
        "auto" => Ok(Seki::Recognised),
        "none" => Ok(Seki::Nowhere),
        points => Ok(Seki::Of(points.parse::<Points>()?.0)),
    }
}

impl Sides {
    /// As numbers of stones.
    fn whole(self) -> Result<[usize; 2], String> {
        let [black, white] = self.0.map(|amount| {
            let quarters = amount.in_quarters();
            let whole = usize::try_from(quarters / 4).ok().filter(|_| quarters % 4 == 0);
            whole.ok_or_else(|| format!("{amount} is not a number of stones"))
        });
        Ok([black?, white?])
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
    let mut options = CountOptions {
        method: args.method.map(Method::from),
        dead: args.dead.map(|p| p.0).unwrap_or_default(),
        contested: args.contested.map(|p| p.0).unwrap_or_default(),
        seki: args.seki.unwrap_or_default(),
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
            if args.penalty.is_none() {
                options.penalty = recorded_penalty(&tree.info(PENALTY), rules.komi.unit);
            }
            history.board().clone()
        }
        (None, Some(path)) => {
            let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
            let board = read_board(&text).with_context(|| path.display().to_string())?;
            if let Some(taken) = args.prisoners {
                match taken.whole() {
                    Ok(taken) => options.prisoners = taken,
                    Err(e) => return usage(format!("--prisoners: {e}")),
                }
            }
            if let Some(played) = args.moves {
                match taken(&board, played, options.handicap) {
                    Ok(taken) => options.prisoners = taken,
                    Err(e) => return usage(format!("--moves: {e}")),
                }
            }
            board
        }
        (None, None) => return usage("give a record, or a board with --board".to_owned()),
    };
    let counted = match count(&board, &rules, &options) {
        Ok(counted) => counted,
        Err(e) => return usage(e.to_string()),
    };
    // people are told what was not taken off; programs ask for it
    let told = args.propose || args.format == Format::Text && options.dead.is_empty();
    let proposed = told.then(|| Proposed::of(&board, &rules, &options));
    let mut out = std::io::stdout().lock();
    match args.format {
        Format::Json => {
            writeln!(out, "{}", serde_json::to_string(&Shown { count: &counted, proposed: proposed.as_ref() })?)?
        }
        Format::Text => {
            out.write_all(text(&counted).as_bytes())?;
            if let Some(p) = &proposed {
                out.write_all(p.text(board.size()).as_bytes())?;
            }
        }
    }
    Ok(0)
}

/// What goband's own records say each side gives, in the ruleset's unit; nothing where they say nothing.
fn recorded_penalty(text: &str, unit: Unit) -> [Amount; 2] {
    let Sides(stones) = text.parse().unwrap_or_default();
    match unit {
        Unit::Stones => stones,
        Unit::Points => stones.map(Amount::doubled),
    }
}

#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    count: &'a Count,
    #[serde(flatten)]
    proposed: Option<&'a Proposed>,
}

/// What looks dead, and the count if both sides confirm it.
#[derive(Serialize)]
struct Proposed {
    proposed_dead: Vec<ProposedChain>,
    unsure: Vec<ProposedChain>,
    /// The count with the proposed stones taken off as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    if_confirmed: Option<IfConfirmed>,
}

#[derive(Serialize)]
struct ProposedChain {
    color: Color,
    stones: Vec<Point>,
    /// 0.5 (not at all) to 1.
    confidence: f64,
    reason: Reason,
    text: Text,
}

#[derive(Serialize)]
struct IfConfirmed {
    black: Amount,
    white: Amount,
    result: String,
}

impl ProposedChain {
    fn new(chain: &ChainLife) -> ProposedChain {
        ProposedChain {
            color: chain.color,
            stones: chain.stones.clone(),
            confidence: f64::from(chain.sure_percent) / 100.0,
            reason: chain.reason,
            text: chain.reason.text(),
        }
    }

    fn line(&self, size: u8) -> String {
        let names: Vec<String> = self.stones.iter().map(|p| p.name(size)).collect();
        format!(
            "  {} {}: {} ({:.0}%)  {}\n",
            self.color,
            names.join(" "),
            self.text.en,
            100.0 * self.confidence,
            self.text.zh
        )
    }
}

impl Proposed {
    /// Of the board as it is counted, without the stones that are dead already.
    fn of(board: &Board, rules: &Ruleset, options: &CountOptions) -> Proposed {
        let mut left = board.clone();
        for p in options.dead.iter().flat_map(|&p| board.chain(p).0) {
            left.set(p, None);
        }
        let proposal: Proposal = propose(&left);
        let of = |life| proposal.chains.iter().filter(|c| c.life == life).map(ProposedChain::new).collect();
        let dead = [options.dead.clone(), proposal.dead()].concat();
        // none if a stone said to live in seki looks dead
        let if_confirmed = count(board, rules, &CountOptions { dead, ..options.clone() }).ok().map(|c| IfConfirmed {
            black: c.black,
            white: c.white,
            result: c.result().to_owned(),
        });
        Proposed { proposed_dead: of(Life::Dead), unsure: of(Life::Unsure), if_confirmed }
    }

    fn dead(&self) -> Vec<Point> {
        self.proposed_dead.iter().flat_map(|c| c.stones.iter().copied()).collect()
    }

    fn text(&self, size: u8) -> String {
        let mut out = String::new();
        if !self.proposed_dead.is_empty() {
            out.push_str(&format!(
                "\nLook dead, NOT taken off, for both sides to agree on: {}.  似为死子，未提取，须双方确认：\n",
                stones(self.dead().len())
            ));
            for chain in &self.proposed_dead {
                out.push_str(&chain.line(size));
            }
            let firsts: Vec<String> =
                self.proposed_dead.iter().map(|c| format!("{},{}", c.stones[0].row, c.stones[0].col)).collect();
            if let Some(c) = &self.if_confirmed {
                let dead = firsts.join(" ");
                out.push_str(&format!("With --dead \"{dead}\": Black {}, White {}, {}\n", c.black, c.white, c.result));
            }
        }
        if !self.unsure.is_empty() {
            out.push_str("\nUnclear whether alive:  死活不明：\n");
            for chain in &self.unsure {
                out.push_str(&chain.line(size));
            }
        }
        out
    }
}

fn stones(n: usize) -> String {
    if n == 1 { "1 stone".to_owned() } else { format!("{n} stones") }
}

/// Stones taken, `[by Black, by White]`: those that were set or played and do not lie on the board.
fn taken(board: &Board, played: Sides, handicap: u32) -> Result<[usize; 2], String> {
    let [black, white] = played.whole()?;
    let set = if handicap >= 2 { handicap as usize } else { 0 };
    let lost = |color, placed: usize| {
        let there = board.stones(color);
        placed
            .checked_sub(there)
            .ok_or_else(|| format!("{color} has {there} stones on the board, but {placed} were placed"))
    };
    let (lost_black, lost_white) = (lost(Color::Black, black + set)?, lost(Color::White, white)?);
    Ok([lost_white, lost_black])
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
    let (unit, unit_zh) = match c.unit {
        Unit::Stones => ("stones", "子"),
        Unit::Points => ("points", "目"),
    };
    let (name, name_zh) = match c.method {
        Method::Area => ("area", "单方计数（归本数）"),
        Method::Fill => ("filling", "填满计数"),
        Method::Equal => ("equal stones", "等子比空法一"),
        Method::EqualMoves => ("equal moves", "等子比空法二"),
        Method::Territory => ("territory", "数目法"),
    };
    let mut out = String::new();
    let of = c.threshold.map(|t| format!(", level at {t}")).unwrap_or_default();
    out.push_str(&format!("By {name} ({name_zh}): Black {}, White {}{of}.\n", c.black, c.white));
    match &c.work {
        Some(Work::Filled(f)) => out.push_str(&format!(
            "{} stones a side; after filling Black has {} stones left over and {} points unfilled, White {} and {}.\n",
            f.stones_each, f.left_over[0], f.unfilled[0], f.left_over[1], f.unfilled[1]
        )),
        Some(Work::Equalized(e)) => out.push_str(&format!(
            "Prisoners put back: Black {}, White {}; added to be equal: Black {}, White {}.\n",
            e.returned[0], e.returned[1], e.added[0], e.added[1]
        )),
        None => {}
    }
    let mut gives = vec![format!("komi {} {unit}", c.komi)];
    if c.handicap_returned != Amount::ZERO {
        gives.push(format!("for handicap stones {}", c.handicap_returned));
    }
    if c.penalty != [Amount::ZERO; 2] {
        gives.push(format!("penalties Black {}, White {}", c.penalty[0], c.penalty[1]));
    }
    if let Some([black, white]) = c.groups {
        gives.push(format!("groups Black {black}, White {white}"));
    }
    out.push_str(&format!("Given (贴还与罚子): {}.\n", gives.join("; ")));
    if c.shared > 0 {
        let (points, are) = if c.shared == 1 { ("point", "is") } else { ("points", "are") };
        out.push_str(&format!("{} {points} {are} shared.  双方各半：{}点。\n", c.shared, c.shared));
    }
    if !c.uncounted.is_empty() {
        let n = c.uncounted.len();
        out.push_str(&format!("Empty points in seki that do not count: {n}.  双活中不计目：{n}点。\n"));
    }
    let zh = match c.winner {
        None => "和棋".to_owned(),
        Some(color) => format!("{}胜{}{unit_zh}", if color == Color::Black { "黑" } else { "白" }, c.margin.abs()),
    };
    out.push_str(&format!("{}  {zh}\n", c.result()));
    out
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
        assert_eq!(recorded_penalty("B=1,W=0.5", Unit::Points), [Amount::whole(2), Amount::whole(1)]);
        assert_eq!(recorded_penalty("", Unit::Stones), [Amount::ZERO; 2]);
        assert_eq!("W=2".parse::<Sides>().unwrap().0, [Amount::ZERO, Amount::whole(2)]);
        assert!("1,2".parse::<Sides>().is_err() && "X=1".parse::<Sides>().is_err());
    }

    #[test]
    fn what_was_played_and_does_not_lie_there_was_taken() {
        let board = Board::from_rows(&["BBB", "B.B", "WWW"]).unwrap();
        let sides = |text: &str| text.parse::<Sides>().unwrap();
        assert_eq!(taken(&board, sides("B=7,W=5"), 0), Ok([2, 2]));
        assert_eq!(taken(&board, sides("B=5,W=5"), 2), Ok([2, 2]), "handicap stones were set, not played");
        assert!(taken(&board, sides("B=4,W=5"), 0).unwrap_err().contains("5 stones on the board"));
        assert!(taken(&board, sides("B=5.5,W=5"), 0).unwrap_err().contains("5 1/2"));
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
