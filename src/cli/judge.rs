//! `goband judge`: a record through the rule core.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;

use crate::game::Prisoners;
use crate::game::sgf::{self, GameTree, SgfError};
use crate::rules::vocabulary::name_on_board;
use crate::rules::{Class, Color, History, Point, RepetitionKind, RepetitionPolicy, Ruleset, Term};

use super::Format;

/// Replay a record and say what every move is: legal, capture, ko, repetition, suicide, …
#[derive(Clone, Debug, Args)]
pub struct JudgeArgs {
    /// The record, SGF. Of a collection the first game, unless `--all`.
    pub game: PathBuf,
    /// A built-in ruleset's id, or a ruleset file.
    #[arg(long, default_value = "cwa")]
    pub ruleset: String,
    /// Every game of a collection; as JSON one object a line.
    #[arg(long)]
    pub all: bool,
    /// With JSON, the board after every move too.
    #[arg(long)]
    pub boards: bool,
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
    /// What it is called; null where no name fits.
    name: Option<Term>,
    /// Which kind of repetition, and what the ruleset says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    repetition: Option<JudgedRepetition>,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<Vec<String>>,
}

#[derive(Serialize)]
struct JudgedRepetition {
    kind: RepetitionKind,
    since: usize,
    policy: RepetitionPolicy,
    article: Option<String>,
}

pub fn run(args: JudgeArgs) -> anyhow::Result<u8> {
    let rules = match ruleset(&args.ruleset) {
        Ok(rules) => rules,
        Err(e) => {
            eprintln!("goband judge: {e:#}");
            return Ok(2);
        }
    };
    let trees = if args.all { read_games(&args.game)? } else { vec![read_game(&args.game)?] };
    let mut out = std::io::stdout().lock();
    for (n, tree) in trees.iter().enumerate() {
        let name = || match trees.len() {
            1 => args.game.display().to_string(),
            _ => format!("{}, game {}", args.game.display(), n + 1),
        };
        let judged = judge(tree, &rules, args.boards).with_context(name)?;
        match args.format {
            Format::Json => writeln!(out, "{}", serde_json::to_string(&judged)?)?,
            Format::Text => {
                if trees.len() > 1 {
                    writeln!(out, "{}{}:", if n > 0 { "\n" } else { "" }, name())?;
                }
                out.write_all(text(&judged).as_bytes())?;
            }
        }
    }
    Ok(0)
}

/// The main line, move by move.
fn judge(tree: &GameTree, rules: &Ruleset, boards: bool) -> Result<Judged, SgfError> {
    let replay = tree.replay_under(rules.law(), rules.first)?;
    let history = &replay.history;
    let moves = history.moves().iter().zip(replay.classes).enumerate().map(|(i, (played, c))| JudgedMove {
        n: i + 1,
        color: played.color,
        point: played.point,
        class: c.classes,
        captured: played.captured.clone(),
        repeats: c.repeats,
        name: name_of(history, i),
        repetition: c.repetition.map(|r| {
            let rule = rules.repetition.of(&r);
            JudgedRepetition { kind: r.kind, since: r.since, policy: rule.policy, article: rule.article.clone() }
        }),
        board: boards.then(|| c.after.rows()),
    });
    Ok(Judged {
        size: history.size(),
        ruleset: rules.id.clone(),
        moves: moves.collect(),
        board: history.board().rows(),
        prisoners: Prisoners { black: history.prisoners(Color::Black), white: history.prisoners(Color::White) },
        turn: history.turn(),
    })
}

/// What the move after `n` others is called on the board that it was played on.
fn name_of(history: &History, n: usize) -> Option<Term> {
    let played = &history.moves()[n];
    let last = n.checked_sub(1).map(|l| &history.moves()[l]).filter(|l| l.color != played.color);
    name_on_board(history.position(n)?, last.and_then(|l| l.point), played.color, played.point?)
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
        let legal = m.class.contains(&Class::Legal);
        illegal += usize::from(!legal);
        if let Some(n) = m.repeats.filter(|_| !legal || m.repetition.is_some()) {
            out.push_str(&format!("  repeats the position after move {n}"));
        }
        if let Some(r) = &m.repetition {
            let (kind, policy) = (r.kind.text(), r.policy.text());
            let article = r.article.as_ref().map(|a| format!(", {a}")).unwrap_or_default();
            out.push_str(&format!(": {} {}: {} {}{article}", kind.en, kind.zh, policy.en, policy.zh));
        }
        if let Some(name) = m.name {
            out.push_str(&format!("  {} {}", name.zh, name.en));
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
        let unknown = Ruleset::builtin(id_or_path).err().map(|e| e.to_string()).unwrap_or_default();
        anyhow::bail!("{unknown}; and there is no file of that name");
    }
    let bytes = std::fs::read(path).with_context(|| id_or_path.to_owned())?;
    Ok(Ruleset::from_bytes(&bytes, path)?)
}

/// The first game of a file.
pub(super) fn read_game(path: &Path) -> anyhow::Result<GameTree> {
    let mut games = read_games(path)?;
    if games.len() > 1 {
        eprintln!("{}: {} games, the first is taken", path.display(), games.len());
    }
    Ok(games.swap_remove(0))
}

/// Every game of a file; at least one.
fn read_games(path: &Path) -> anyhow::Result<Vec<GameTree>> {
    let name = || path.display().to_string();
    let bytes = std::fs::read(path).with_context(name)?;
    sgf::read_bytes(&bytes).with_context(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str) -> Judged {
        judge(&sgf::read(text).unwrap()[0], &Ruleset::builtin("cwa").unwrap(), false).unwrap()
    }

    #[test]
    fn the_json_is_the_contract() {
        let judged = judged("(;SZ[5]AB[ba][ab][bc][cb]AW[ca][bb][cc][db];B[aa];W[bb];B[cb];B[])");
        let json = serde_json::to_value(&judged).unwrap();
        assert_eq!(json["size"], 5);
        assert_eq!(
            json["moves"][1],
            serde_json::json!({"n":2,"color":"W","point":[1,1],"class":["occupied","capture"],"captured":[[1,2]],"repeats":null,"name":null})
        );
        assert_eq!(json["moves"][2]["class"], serde_json::json!(["legal", "capture"]));
        assert_eq!(json["moves"][2]["captured"], serde_json::json!([[1, 1]]));
        assert_eq!(json["moves"][2]["name"], serde_json::json!({"en":"takes the ko","zh":"提劫","id":"ko_capture"}));
        assert_eq!(
            json["moves"][3],
            serde_json::json!({"n":4,"color":"B","point":null,"class":["wrong_turn","pass"],"captured":[],"repeats":null,"name":null})
        );
        assert_eq!(json["board"].as_array().unwrap().len(), 5);
        assert_eq!(json["prisoners"], serde_json::json!({"B":1,"W":1}));
    }

    #[test]
    fn the_text_names_points_and_what_is_wrong() {
        let text = text(&judged("(;SZ[5]AB[ba][ab][bc][cb]AW[ca][cc][db]PL[W];W[bb];B[cb])"));
        assert!(text.contains("W  B4    legal, capture  takes C4"), "{text}");
        assert!(text.contains("B  C4    ko, capture  takes B4  repeats the position after move 0"), "{text}");
        assert!(text.contains("takes C4  提劫 takes the ko"), "{text}");
        assert!(text.contains("2 moves, 1 not legal (cwa)"), "{text}");
    }

    #[test]
    fn a_repetition_is_named_with_what_the_ruleset_says_of_it() {
        // Black sends two at the edge, White takes them, Black takes one back
        let tree = &sgf::read("(;SZ[7]AB[ba][da][cb]AW[ab][bb]PL[B];B[aa];W[ca];B[ba])").unwrap()[0];
        let said = |ruleset: &Ruleset| {
            let judged = judge(tree, ruleset, true).unwrap();
            (serde_json::to_value(&judged).unwrap()["moves"][2].clone(), text(&judged))
        };
        let (json, shown) = said(&Ruleset::builtin("cwa").unwrap());
        assert_eq!((&json["class"], &json["repeats"]), (&serde_json::json!(["superko", "capture"]), &0.into()));
        let repetition =
            serde_json::json!({"kind":"sending_two_returning_one","since":0,"policy":"forbidden","article":"003 6"});
        assert_eq!(json["repetition"], repetition);
        assert_eq!(json["board"][0], ".B.B...");
        let wanted = "repeats the position after move 0: sending two, returning one 送二还一: forbidden 禁止, 003 6";
        assert!(shown.contains(wanted), "{shown}");

        let ko_only =
            Ruleset::from_toml("id = \"x\"\nextends = \"cwa\"\nrepetition = \"ko_only\"\n", "x.toml").unwrap();
        let (json, shown) = said(&ko_only);
        assert_eq!(json["class"], serde_json::json!(["legal", "capture"]));
        assert_eq!(json["repetition"]["policy"], "allowed");
        assert!(shown.contains("3 moves, 0 not legal") && shown.contains("送二还一"), "{shown}");
    }

    #[test]
    fn a_ruleset_is_an_id_or_a_file() {
        assert_eq!(ruleset("ancient").unwrap().id, "ancient");
        assert!(ruleset("no-such").unwrap_err().to_string().contains("team-relay"));
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("club.toml");
        std::fs::write(&path, "id = \"club\"\nextends = \"cwa\"\nfirst = \"red\"\n").unwrap();
        let e = ruleset(path.to_str().unwrap()).unwrap_err().to_string();
        assert!(e.contains("club.toml:3:9: first: ") && e.contains("`black`"), "{e}");
    }
}
