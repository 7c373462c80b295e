//! Rulesets as data: who starts, komi, counting, and what each infraction leads to.
//!
//! The built-in ones are the TOML files in `rulesets/`; a user can supply more, alone or on top of one of these
//! (`extends = "cwa"`). `docs/rules.md` tabulates them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize};

use super::conduct::{SectionsFile, SectionsRule, TeamFile, TeamRule};
use super::place::{find_key, key_at, line_and_column, meant};
use super::repetition::RepetitionFile;
use super::time::{DataError, TimeFile, TimeRule, TimeSettings};
use super::verdict::{InfractionFile, both_languages};
use super::{
    Amount, Board, Cards, Color, Colours, Disputes, EndCondition, GameKind, Infraction, InfractionRule, Lateness,
    MoveLaw, Point, Provision, Ranks, RepetitionRules, Text, Warnings,
};

/// The built-in rulesets: id and TOML.
const BUILTIN: [(&str, &str); 5] = [
    ("cwa", include_str!("rulesets/cwa.toml")),
    ("cwa-classic", include_str!("rulesets/cwa-classic.toml")),
    ("team-relay", include_str!("rulesets/team-relay.toml")),
    ("japan-korea", include_str!("rulesets/japan-korea.toml")),
    ("ancient", include_str!("rulesets/ancient.toml")),
];

/// What komi, counts and results are expressed in. One stone (子) is two points (目).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    Stones,
    Points,
}

/// How the ruleset counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counting {
    /// One side's stones and points against half of the board (归本数).
    Area,
    /// The same, less one stone for every separate group (还棋头).
    AreaLessGroups,
    /// Filling with exactly 180 stones a side (填满计数).
    Fill,
    /// Equal stones on the board, then empty points (等子比空法一).
    Equal,
    /// Equal stones played, then empty points (等子比空法二).
    EqualMoves,
    /// Empty points and prisoners.
    Territory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Suicide {
    Forbidden,
    Allowed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Komi {
    /// What Black gives, in `unit`; negative: White gives.
    #[serde(deserialize_with = "komi")]
    pub amount: Amount,
    pub unit: Unit,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountingRule {
    pub method: Counting,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    /// The usual komi can lead to a draw.
    #[serde(default)]
    pub draw: bool,
    /// A competition may say beforehand who wins a drawn game (000 art. 12: 平目下和，直接判白胜).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw_goes_to: Option<Side>,
}

/// A side by its name; `black` and `white` in ruleset files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    Black,
    White,
}

impl From<Side> for Color {
    fn from(side: Side) -> Color {
        match side {
            Side::Black => Color::Black,
            Side::White => Color::White,
        }
    }
}

/// How a drawn game that needs a winner is played on (节棋, 000 art. 12).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayOff {
    /// The position after this move is set up again and the game goes on from there, with the time that is left.
    pub restore_after_move: u16,
    /// Who wins if it is drawn again.
    pub drawn_again: Side,
    /// Time to get ready once both captains have confirmed the position, seconds.
    pub preparation_s: u32,
    /// Substitutions and time-outs of each side in it.
    pub substitutions: u8,
    pub time_outs: u8,
    pub article: String,
}

/// What handicap stones give back when the game is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandicapReturn {
    None,
    /// Half of their number (004).
    Half,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handicap {
    pub returned: HandicapReturn,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
}

/// Stones that lie on the board before the first move (座子).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The board size that it holds for; other sizes start empty.
    pub size: u8,
    pub black: Vec<Point>,
    pub white: Vec<Point>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
}

impl Setup {
    /// The key that is wrong, and how.
    fn check(&self) -> Result<(), (&'static str, String)> {
        if !(2..=super::MAX_SIZE).contains(&self.size) {
            return Err(("setup.size", format!("is {}; board sizes from 2 to {}", self.size, super::MAX_SIZE)));
        }
        for (key, points) in [("setup.black", &self.black), ("setup.white", &self.white)] {
            if let Some(p) = points.iter().find(|p| p.row >= self.size || p.col >= self.size) {
                return Err((key, format!("{p} is not on a board of {}, rows and columns from 0", self.size)));
            }
        }
        match self.white.iter().find(|p| self.black.contains(p)) {
            Some(p) => Err(("setup.white", format!("{p} has a black stone already"))),
            None => Ok(()),
        }
    }
}

/// One ruleset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ruleset {
    pub id: String,
    pub name: Text,
    /// The rule documents it is taken from.
    pub documents: Vec<String>,
    pub first: Color,
    pub komi: Komi,
    pub counting: CountingRule,
    pub suicide: Suicide,
    pub repetition: RepetitionRules,
    pub handicap: Handicap,
    pub cards: Option<Cards>,
    pub warnings: Option<Warnings>,
    pub disputes: Option<Disputes>,
    pub setup: Option<Setup>,
    pub play_off: Option<PlayOff>,
    /// Players of one side who sit at the board at the same time: with one, side and player are the same.
    pub players: u8,
    /// How a game ends.
    pub end: BTreeMap<EndCondition, Provision>,
    pub colours: Colours,
    /// Games of equal and of unequal strength.
    pub games: Vec<GameKind>,
    pub ranks: Option<Ranks>,
    pub lateness: Option<Lateness>,
    /// `None`: played without a clock.
    pub time: Option<TimeRule>,
    /// `None`: the game has no sections.
    pub sections: Option<SectionsRule>,
    /// `None`: one player a side.
    pub team: Option<TeamRule>,
    infractions: BTreeMap<Infraction, InfractionRule>,
}

/// Why a ruleset cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesetError {
    #[error("there is no ruleset '{id}'; built in are {}", BUILTIN.map(|(id, _)| id).join(", "))]
    Unknown { id: String },
    #[error("{}:{line}:{column}: {}{message}", path.display(), key.as_ref().map(|k| format!("{k}: ")).unwrap_or_default())]
    Invalid {
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// Counted from 1, in characters.
        column: usize,
        /// Dotted, with its table: `infractions.double_move.penalty`.
        key: Option<String>,
        /// Names the allowed values where there are some.
        message: String,
    },
}

impl Ruleset {
    /// The ids of the built-in rulesets.
    pub fn builtin_ids() -> impl Iterator<Item = &'static str> {
        BUILTIN.into_iter().map(|(id, _)| id)
    }

    /// A built-in ruleset.
    pub fn builtin(id: &str) -> Result<Ruleset, RulesetError> {
        let (id, text) =
            BUILTIN.into_iter().find(|(known, _)| *known == id).ok_or(RulesetError::Unknown { id: id.to_owned() })?;
        Ruleset::from_toml(text, format!("rulesets/{id}.toml"))
    }

    /// Reads a file's bytes: TOML is UTF-8, and an error says where it is not. See [`Ruleset::from_toml`].
    pub fn from_bytes(bytes: &[u8], path: impl AsRef<Path>) -> Result<Ruleset, RulesetError> {
        let path = path.as_ref();
        // some editors begin a file with a byte order mark
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        match std::str::from_utf8(bytes) {
            Ok(text) => Ruleset::from_toml(text, path),
            Err(e) => {
                let good = String::from_utf8_lossy(&bytes[..e.valid_up_to()]);
                let (line, column) = line_and_column(&good, good.len());
                let message = "this is no UTF-8 text; save the file as UTF-8".to_owned();
                Err(RulesetError::Invalid { path: path.to_owned(), line, column, key: None, message })
            }
        }
    }

    /// Reads a ruleset; `path` is only named in errors. With `extends = "ID"` what the text leaves out is taken from
    /// that built-in ruleset.
    pub fn from_toml(text: &str, path: impl AsRef<Path>) -> Result<Ruleset, RulesetError> {
        let path = path.as_ref();
        let invalid = |at: usize, key: Option<String>, message: String| {
            let (line, column) = line_and_column(text, at);
            RulesetError::Invalid { path: path.to_owned(), line, column, key, message }
        };
        let file: File = toml::from_str(text).map_err(|e| {
            let at = e.span().map_or(0, |span| span.start);
            let message = plain(e.message(), text, at);
            let hint = meant(&message).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
            invalid(at, key_at(text, at), format!("{message}{hint}"))
        })?;
        let base = match &file.extends {
            None => None,
            Some(id) => {
                let at = find_key(text, "extends");
                let base = Ruleset::builtin(id).map_err(|e| invalid(at, Some("extends".to_owned()), e.to_string()))?;
                Some(base)
            }
        };
        let missing = |key: &str| {
            invalid(
                0,
                Some(key.to_owned()),
                "is missing; give it, or take a built-in ruleset with `extends`".to_owned(),
            )
        };
        macro_rules! given {
            ($field:ident) => {
                match file.$field {
                    Some(value) => value,
                    None => base.as_ref().map(|b| b.$field.clone()).ok_or_else(|| missing(stringify!($field)))?,
                }
            };
        }
        let mut infractions = base.as_ref().map(|b| b.infractions.clone()).unwrap_or_default();
        for (kind, rule) in file.infractions {
            infractions.insert(kind, rule.into());
        }
        let setup = file.setup.or_else(|| base.as_ref().and_then(|b| b.setup.clone()));
        if let Some(setup) = &setup {
            setup.check().map_err(|(key, message)| invalid(find_key(text, key), Some(key.to_owned()), message))?;
        }
        let unusable = |table: &str, e: DataError| {
            let key = format!("{table}.{}", e.key);
            invalid(find_key(text, &key), Some(key), e.message)
        };
        let time = match file.time {
            Some(t) => {
                let old = base.as_ref().and_then(|b| b.time.as_ref());
                Some(t.over(old).map_err(|e| unusable("time", e))?)
            }
            None => base.as_ref().and_then(|b| b.time.clone()),
        };
        let sections = match file.sections {
            Some(s) => {
                let old = base.as_ref().and_then(|b| b.sections.as_ref());
                Some(s.over(old).map_err(|e| unusable("sections", e))?)
            }
            None => base.as_ref().and_then(|b| b.sections.clone()),
        };
        let team = match file.team {
            Some(t) => {
                let old = base.as_ref().and_then(|b| b.team.as_ref());
                Some(t.over(old).map_err(|e| unusable("team", e))?)
            }
            None => base.as_ref().and_then(|b| b.team.clone()),
        };
        let rules = Ruleset {
            id: file.id,
            name: given!(name),
            documents: given!(documents),
            first: match file.first {
                Some(side) => side.into(),
                None => base.as_ref().map(|b| b.first).ok_or_else(|| missing("first"))?,
            },
            komi: given!(komi),
            counting: given!(counting),
            suicide: given!(suicide),
            repetition: match (file.repetition, &base) {
                (Some(given), base) => given
                    .over(base.as_ref().map(|b| &b.repetition))
                    .map_err(|key| missing(&format!("repetition.{key}")))?,
                (None, Some(base)) => base.repetition.clone(),
                (None, None) => return Err(missing("repetition")),
            },
            handicap: given!(handicap),
            cards: file.cards.or_else(|| base.as_ref().and_then(|b| b.cards.clone())),
            warnings: file.warnings.or_else(|| base.as_ref().and_then(|b| b.warnings.clone())),
            disputes: file.disputes.or_else(|| base.as_ref().and_then(|b| b.disputes.clone())),
            setup,
            play_off: file.play_off.or_else(|| base.as_ref().and_then(|b| b.play_off.clone())),
            players: file.players.or(base.as_ref().map(|b| b.players)).unwrap_or(1),
            end: given!(end),
            colours: given!(colours),
            games: given!(games),
            ranks: file.ranks.or_else(|| base.as_ref().and_then(|b| b.ranks.clone())),
            lateness: file.lateness.or_else(|| base.as_ref().and_then(|b| b.lateness.clone())),
            time,
            sections,
            team,
            infractions,
        };
        if let Some(kind) = Infraction::ALL.into_iter().find(|k| !rules.infractions.contains_key(k)) {
            return Err(missing(&format!("infractions.{}", kind.as_str())));
        }
        // numbers that the competition has given must go together; those that it has not are asked for when a game starts
        if rules.time.as_ref().is_some_and(TimeRule::is_whole) {
            rules.time_settings().map_err(|e| unusable("time", e))?;
        }
        Ok(rules)
    }

    /// What the ruleset says of an infraction, by its snake-case name (or an event kind); `None` if it is no infraction.
    pub fn infraction(&self, kind: impl AsRef<str>) -> Option<&InfractionRule> {
        self.infractions.get(&Infraction::from_name(kind.as_ref())?)
    }

    /// What the ruleset says of an infraction.
    pub fn rule(&self, kind: Infraction) -> &InfractionRule {
        // every ruleset is whole: reading one without an infraction is an error
        &self.infractions[&kind]
    }

    /// Every infraction with its rule, in the order of [`Infraction::ALL`].
    pub fn infractions(&self) -> impl Iterator<Item = (Infraction, &InfractionRule)> {
        self.infractions.iter().map(|(kind, rule)| (*kind, rule))
    }

    /// What of the ruleset decides whether a move is legal.
    pub fn law(&self) -> MoveLaw {
        MoveLaw::new(self.suicide, &self.repetition)
    }

    /// The times of a game under this ruleset; an error names the number that the competition has to give.
    pub fn time_settings(&self) -> Result<TimeSettings, DataError> {
        match &self.time {
            Some(time) => time.settings(self),
            None => {
                let message = "is not in this ruleset: it is played without a clock".to_owned();
                Err(DataError { key: "time", message })
            }
        }
    }

    /// The position before the first move: empty, but for the ruleset's own stones (座子).
    pub fn start(&self, size: u8) -> Board {
        let mut board = Board::new(size);
        if let Some(setup) = self.setup.as_ref().filter(|s| s.size == size) {
            for &p in &setup.black {
                board.set(p, Some(Color::Black));
            }
            for &p in &setup.white {
                board.set(p, Some(Color::White));
            }
        }
        board
    }
}

/// A file as it is written; what it leaves out comes from the ruleset it extends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(deserialize_with = "id")]
    id: String,
    extends: Option<String>,
    #[serde(default, deserialize_with = "name")]
    name: Option<Text>,
    documents: Option<Vec<String>>,
    first: Option<Side>,
    komi: Option<Komi>,
    counting: Option<CountingRule>,
    suicide: Option<Suicide>,
    repetition: Option<RepetitionFile>,
    handicap: Option<Handicap>,
    cards: Option<Cards>,
    warnings: Option<Warnings>,
    disputes: Option<Disputes>,
    setup: Option<Setup>,
    play_off: Option<PlayOff>,
    #[serde(default, deserialize_with = "players")]
    players: Option<u8>,
    end: Option<BTreeMap<EndCondition, Provision>>,
    colours: Option<Colours>,
    games: Option<Vec<GameKind>>,
    ranks: Option<Ranks>,
    lateness: Option<Lateness>,
    time: Option<TimeFile>,
    sections: Option<SectionsFile>,
    team: Option<TeamFile>,
    #[serde(default)]
    infractions: BTreeMap<Infraction, InfractionFile>,
}

/// What the reader says, in words for people who do not read Rust.
fn plain(message: &str, text: &str, at: usize) -> String {
    let mut said = message.trim().replace('\n', " ").replace("expected i64", "expected a whole number");
    if let Some((before, after)) = said.split_once("expected struct ") {
        let rest =
            after.split_once(|c: char| !c.is_alphanumeric()).map_or(String::new(), |(_, rest)| format!(" {rest}"));
        said = format!("{before}expected a table{rest}");
    }
    if said == "duplicate key" {
        let key: String = text.get(at..).unwrap_or("").chars().take_while(|c| !"=].\n \t".contains(*c)).collect();
        said = format!("duplicate key `{key}`: it is given twice");
    }
    said
}

/// Something short without spaces, as a command line and an event can carry.
fn id<'de, D: Deserializer<'de>>(d: D) -> Result<String, D::Error> {
    let id = String::deserialize(d)?;
    match id.chars().any(|c| c.is_whitespace() || c.is_control()) || id.is_empty() || id.chars().count() > 40 {
        true => Err(serde::de::Error::custom(format!("{id:?} is no id, expected 1 to 40 characters without spaces"))),
        false => Ok(id),
    }
}

fn name<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Text>, D::Error> {
    both_languages(d).map(Some)
}

fn players<'de, D: Deserializer<'de>>(d: D) -> Result<Option<u8>, D::Error> {
    let n = i64::deserialize(d)?;
    match n {
        1..=4 => Ok(Some(n as u8)),
        _ => Err(serde::de::Error::custom(format!("{n} is out of range, expected 1 to 4 players a side"))),
    }
}

/// What Black may give, in whichever unit: no more than there are points.
fn komi<'de, D: Deserializer<'de>>(d: D) -> Result<Amount, D::Error> {
    let amount = Amount::deserialize(d)?;
    match amount.abs() <= Amount::whole(361) {
        true => Ok(amount),
        false => Err(serde::de::Error::custom(format!("{amount} is out of range, expected -361 to 361"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Sanction, Source};

    fn error(text: &str) -> String {
        Ruleset::from_toml(text, "my.toml").unwrap_err().to_string()
    }

    #[test]
    fn every_builtin_ruleset_is_whole() {
        for id in Ruleset::builtin_ids() {
            let rules = Ruleset::builtin(id).unwrap();
            assert_eq!(rules.id, id);
            assert_eq!(rules.infractions().count(), Infraction::ALL.len());
            for (kind, rule) in rules.infractions() {
                assert!(!rule.verdict.en.is_empty() && !rule.verdict.zh.is_empty(), "{id} {kind:?}");
                // what is cited must be citable, and what no document says must say so
                assert_eq!(rule.article.is_none(), rule.source == Source::Silent, "{id} {kind:?}");
            }
        }
    }

    #[test]
    fn the_double_move_differs() {
        let verdict = |id: &str| Ruleset::builtin(id).unwrap().infraction("double_move").unwrap().penalty;
        assert_eq!((verdict("cwa").sanction, verdict("cwa").void), (Sanction::Warning, true));
        assert_eq!(verdict("cwa-classic").sanction, Sanction::Loss);
        assert_eq!(verdict("team-relay").sanction, Sanction::Yellow);
        assert!(Ruleset::builtin("cwa").unwrap().infraction("move").is_none());
    }

    #[test]
    fn an_extension_changes_only_what_it_names() {
        let rules = Ruleset::from_toml(
            "id = \"club\"\nextends = \"cwa\"\n[komi]\namount = 2.75\nunit = \"stones\"\n",
            "club.toml",
        )
        .unwrap();
        let cwa = Ruleset::builtin("cwa").unwrap();
        assert_eq!(rules.komi.amount, Amount::quarters(11));
        assert_eq!(rules.infractions, cwa.infractions);
        assert_eq!((rules.id.as_str(), rules.name), ("club", cwa.name));
    }

    #[test]
    fn errors_name_file_line_key_and_allowed_values() {
        let e = error("id = \"x\"\nextends = \"cwa\"\n\n[komi]\namount = \"3\"\nunit = \"dollars\"\n");
        assert!(e.starts_with("my.toml:6:8: komi.unit: "), "{e}");
        assert!(e.contains("`stones`") && e.contains("`points`"), "{e}");

        let e = error("id = \"x\"\nextends = \"cwa\"\nsuicde = \"allowed\"\n");
        assert!(e.starts_with("my.toml:3:1: suicde: ") && e.contains("`suicide`"), "{e}");

        let e = error("id = \"x\"\nextends = \"cwa\"\n[infractions.doublemove]\npenalty = \"loss\"\n");
        assert!(e.starts_with("my.toml:3:") && e.contains("`double_move`"), "{e}");

        let e = error("id = \"x\"\nextends = \"nowhere\"\n");
        assert!(e.starts_with("my.toml:2:1: extends: ") && e.contains("team-relay"), "{e}");

        let e = error("id = \"x\"\n");
        assert!(e.contains("name") && e.contains("missing"), "{e}");

        let e = error("id = \"x\"\nextends = \"cwa\"\n[komi]\namount = 3.1\nunit = \"stones\"\n");
        assert!(e.starts_with("my.toml:4:10: komi.amount: ") && e.contains("3 3/4"), "{e}");

        assert!(Ruleset::builtin("xyz").unwrap_err().to_string().contains("cwa-classic"));
    }
}
