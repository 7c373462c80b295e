//! What a ruleset says of each kind of repetition.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::{Repetition, RepetitionKind};
use crate::rules::{Source, Suicide, Text};

/// What follows from a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepetitionPolicy {
    /// The move is not allowed.
    Forbidden,
    /// Not allowed in principle; a competition may supplement the rule: no result, draw, another game (000 art. 20.3).
    Supplement,
    /// Where neither side yields, a draw or another game, as the referee decides (001 part 2, 11.3).
    DrawOrReplay,
    Draw,
    Replay,
    /// If both sides agree, the game ends without result.
    NoResult,
    /// The referee decides.
    Referee,
    /// Nothing forbids it.
    Allowed,
}

impl RepetitionPolicy {
    /// The name in JSON and in ruleset files.
    pub const fn as_str(self) -> &'static str {
        match self {
            RepetitionPolicy::Forbidden => "forbidden",
            RepetitionPolicy::Supplement => "supplement",
            RepetitionPolicy::DrawOrReplay => "draw_or_replay",
            RepetitionPolicy::Draw => "draw",
            RepetitionPolicy::Replay => "replay",
            RepetitionPolicy::NoResult => "no_result",
            RepetitionPolicy::Referee => "referee",
            RepetitionPolicy::Allowed => "allowed",
        }
    }

    pub fn text(self) -> Text {
        let (en, zh) = match self {
            RepetitionPolicy::Forbidden => ("forbidden", "禁止"),
            RepetitionPolicy::Supplement => {
                ("forbidden in principle; the competition's supplement decides", "原则上禁止；按比赛补充规定")
            }
            RepetitionPolicy::DrawOrReplay => {
                ("draw or another game if neither side yields", "互不相让时，可判和棋或重下")
            }
            RepetitionPolicy::Draw => ("draw", "和棋"),
            RepetitionPolicy::Replay => ("another game", "重下"),
            RepetitionPolicy::NoResult => ("no result if both sides agree", "双方同意则无胜负"),
            RepetitionPolicy::Referee => ("the referee decides", "由裁判员处理"),
            RepetitionPolicy::Allowed => ("allowed", "允许"),
        };
        Text { en: en.to_owned(), zh: zh.to_owned() }
    }
}

/// A ruleset's word on one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RepetitionRule {
    pub policy: RepetitionPolicy,
    /// Document and article, such as `000 20.3`; `None` where no document speaks of it.
    pub article: Option<String>,
    pub source: Source,
    /// A remark on the source, in English.
    pub note: Option<String>,
}

/// What each key of the table is about: a kind, and for a single ko whether it was retaken at once or later.
const CASES: [(&str, RepetitionKind, bool); 9] = [
    ("single_ko", RepetitionKind::SingleKo, true),
    ("single_ko_later", RepetitionKind::SingleKo, false),
    ("sending_two_returning_one", RepetitionKind::SendingTwoReturningOne, false),
    ("double_ko", RepetitionKind::DoubleKo, false),
    ("triple_ko", RepetitionKind::TripleKo, false),
    ("quadruple_ko", RepetitionKind::QuadrupleKo, false),
    ("eternal_life", RepetitionKind::EternalLife, false),
    ("double_capture_of_two", RepetitionKind::DoubleCaptureOfTwo, false),
    ("other", RepetitionKind::Other, false),
];

fn case(kind: RepetitionKind, at_once: bool) -> usize {
    let at_once = at_once && kind == RepetitionKind::SingleKo;
    CASES.iter().position(|c| (c.1, c.2) == (kind, at_once)).expect("every kind has its key")
}

/// A ruleset's `[repetition]` table, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepetitionRules {
    /// In the order of [`CASES`].
    rules: [RepetitionRule; CASES.len()],
}

impl RepetitionRules {
    /// What is said of a kind; `at_once` matters for a single ko alone.
    pub fn rule(&self, kind: RepetitionKind, at_once: bool) -> &RepetitionRule {
        &self.rules[case(kind, at_once)]
    }

    /// What is said of a repetition that has happened.
    pub fn of(&self, repetition: &Repetition) -> &RepetitionRule {
        self.rule(repetition.kind, repetition.at_once)
    }

    /// Every key of the table with its kind and rule.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, RepetitionKind, &RepetitionRule)> {
        CASES.iter().zip(&self.rules).map(|(case, rule)| (case.0, case.1, rule))
    }

    pub(super) fn allowed(&self) -> u16 {
        let bit = |(i, r): (usize, &RepetitionRule)| u16::from(r.policy == RepetitionPolicy::Allowed) << i;
        self.rules.iter().enumerate().map(bit).sum()
    }
}

impl Serialize for RepetitionRules {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.iter().map(|(key, _, rule)| (key, rule)))
    }
}

/// What of a ruleset decides whether a move is legal. Copied into each [`History`](crate::rules::History).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MoveLaw {
    suicide: Suicide,
    /// A bit for each of [`CASES`].
    allowed: u16,
}

impl Default for MoveLaw {
    /// No suicide, no repetition of the whole board (000 and 003 art. 5 and 6).
    fn default() -> MoveLaw {
        MoveLaw { suicide: Suicide::Forbidden, allowed: 0 }
    }
}

impl MoveLaw {
    pub fn new(suicide: Suicide, repetition: &RepetitionRules) -> MoveLaw {
        MoveLaw { suicide, allowed: repetition.allowed() }
    }

    pub fn allows_suicide(self) -> bool {
        self.suicide == Suicide::Allowed
    }

    pub fn allows(self, repetition: &Repetition) -> bool {
        self.allowed != 0 && self.allowed & 1 << case(repetition.kind, repetition.at_once) != 0
    }
}

/// `repetition` as a ruleset file gives it: a table of kinds, or one of two words for all of them.
#[derive(Clone, Debug)]
pub(in crate::rules) enum RepetitionFile {
    PositionalSuperko,
    KoOnly,
    Table(Box<Table>),
}

/// A kind's key with its policy, or with a table that says where it comes from.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::rules) struct Table {
    single_ko: Option<RuleFile>,
    single_ko_later: Option<RuleFile>,
    sending_two_returning_one: Option<RuleFile>,
    double_ko: Option<RuleFile>,
    triple_ko: Option<RuleFile>,
    quadruple_ko: Option<RuleFile>,
    eternal_life: Option<RuleFile>,
    double_capture_of_two: Option<RuleFile>,
    other: Option<RuleFile>,
}

impl RepetitionFile {
    /// The whole table; what is left out comes from `base`. Without a base, the key that is missing.
    pub fn over(self, base: Option<&RepetitionRules>) -> Result<RepetitionRules, &'static str> {
        let plain = |policy| RepetitionRule { policy, article: None, source: Source::Document, note: None };
        let table = match self {
            RepetitionFile::PositionalSuperko => {
                return Ok(RepetitionRules { rules: std::array::from_fn(|_| plain(RepetitionPolicy::Forbidden)) });
            }
            RepetitionFile::KoOnly => {
                let policy =
                    |i: usize| if CASES[i].2 { RepetitionPolicy::Forbidden } else { RepetitionPolicy::Allowed };
                return Ok(RepetitionRules { rules: std::array::from_fn(|i| plain(policy(i))) });
            }
            RepetitionFile::Table(table) => *table,
        };
        let mut given = [
            table.single_ko,
            table.single_ko_later,
            table.sending_two_returning_one,
            table.double_ko,
            table.triple_ko,
            table.quadruple_ko,
            table.eternal_life,
            table.double_capture_of_two,
            table.other,
        ];
        if let Some(i) = given.iter().position(Option::is_none).filter(|_| base.is_none()) {
            return Err(CASES[i].0);
        }
        let rule = |i: usize| match (given[i].take(), base) {
            (Some(RuleFile(rule)), _) => rule,
            (None, Some(base)) => base.rules[i].clone(),
            (None, None) => plain(RepetitionPolicy::Forbidden),
        };
        Ok(RepetitionRules { rules: std::array::from_fn(rule) })
    }
}

impl<'de> Deserialize<'de> for RepetitionFile {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<RepetitionFile, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = RepetitionFile;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("`positional_superko`, `ko_only` or a table of kinds")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<RepetitionFile, E> {
                match text {
                    "positional_superko" => Ok(RepetitionFile::PositionalSuperko),
                    "ko_only" => Ok(RepetitionFile::KoOnly),
                    other => Err(E::unknown_variant(other, &["positional_superko", "ko_only"])),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RepetitionFile, A::Error> {
                Ok(RepetitionFile::Table(Box::new(Table::deserialize(MapAccessDeserializer::new(map))?)))
            }
        }
        d.deserialize_any(Either)
    }
}

#[derive(Clone, Debug)]
struct RuleFile(RepetitionRule);

impl<'de> Deserialize<'de> for RuleFile {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<RuleFile, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Whole {
            policy: RepetitionPolicy,
            article: Option<String>,
            source: Option<Source>,
            note: Option<String>,
        }
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = RuleFile;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a policy, or a table with `policy`, `article`, `source` and `note`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<RuleFile, E> {
                let policy = RepetitionPolicy::deserialize(de::value::StrDeserializer::new(text))?;
                Ok(RuleFile(RepetitionRule { policy, article: None, source: Source::Document, note: None }))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RuleFile, A::Error> {
                let Whole { policy, article, source, note } = Whole::deserialize(MapAccessDeserializer::new(map))?;
                let source = source.unwrap_or(Source::Document);
                Ok(RuleFile(RepetitionRule { policy, article, source, note }))
            }
        }
        d.deserialize_any(Either)
    }
}
