//! What a ruleset says of one infraction, as it stands in the ruleset's file.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use super::{Amount, Circumstance, Text};

/// How heavy the proposed verdict is. A caution (劝告) costs nothing; a warning (警告) or card is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sanction {
    None,
    /// The text leaves it to the referee or to the players' agreement.
    Referee,
    Caution,
    Warning,
    Yellow,
    Red,
    /// Stones only, without a card.
    Stones,
    Loss,
}

impl Sanction {
    /// What referees call it.
    pub fn name(self) -> Text {
        let (en, zh) = match self {
            Sanction::None => ("none", "无"),
            Sanction::Referee => ("the referee decides", "由裁判员处理"),
            Sanction::Caution => ("caution", "劝告"),
            Sanction::Warning => ("warning", "警告"),
            Sanction::Yellow => ("yellow card", "黄牌"),
            Sanction::Red => ("red card", "红牌"),
            Sanction::Stones => ("stones", "罚子"),
            Sanction::Loss => ("loss", "判负"),
        };
        Text::new(en, zh)
    }
}

/// What the ruleset proposes, or what a referee decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Penalty {
    pub sanction: Sanction,
    /// Stones of this infraction itself; what a card costs is in [`Cards`](super::Cards).
    #[serde(default, deserialize_with = "not_negative", skip_serializing_if = "is_nothing")]
    pub stones: Amount,
    /// The stone is void and comes off.
    #[serde(default, skip_serializing_if = "is_false")]
    pub void: bool,
    /// The side passes instead.
    #[serde(default, skip_serializing_if = "is_false")]
    pub pass: bool,
    /// It counts as a deliberate foul (恶意犯规).
    #[serde(default, skip_serializing_if = "is_false")]
    pub foul: bool,
}

fn is_false(b: &bool) -> bool {
    !b
}

fn is_nothing(amount: &Amount) -> bool {
    *amount == Amount::ZERO
}

impl Penalty {
    /// No more than a sanction.
    pub const fn of(sanction: Sanction) -> Penalty {
        Penalty { sanction, stones: Amount::ZERO, void: false, pass: false, foul: false }
    }
}

/// Until when it may be raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appeal {
    AnyTime,
    /// Before any other move (000 16.3: at once, or it lapses).
    AtOnce,
    /// Before the opponent's next move (000 17.3, 17.7).
    BeforeNextMove,
    /// In the appellant's own time (001 part 2, ch. 2 §7.2).
    OwnTime,
    /// Up to and including this move.
    UntilMove(u16),
}

impl Appeal {
    pub fn name(self) -> Text {
        match self {
            Appeal::AnyTime => Text::new("any time", "随时"),
            Appeal::AtOnce => Text::new("at once, before the next move", "立即，下一着之前"),
            Appeal::BeforeNextMove => Text::new("before the opponent's next move", "对方下一手着手之前"),
            Appeal::OwnTime => Text::new("in the own turn, urgent matters at once", "在自己走棋的时间内，紧迫者立即"),
            Appeal::UntilMove(n) => Text::new(format!("up to and including move {n}"), format!("第{n}手之前（含）")),
        }
    }
}

impl fmt::Display for Appeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Appeal::AnyTime => f.write_str("any_time"),
            Appeal::AtOnce => f.write_str("at_once"),
            Appeal::BeforeNextMove => f.write_str("before_next_move"),
            Appeal::OwnTime => f.write_str("own_time"),
            Appeal::UntilMove(n) => write!(f, "until_move_{n}"),
        }
    }
}

impl Serialize for Appeal {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Appeal {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Appeal, D::Error> {
        let text = String::deserialize(d)?;
        Ok(match text.as_str() {
            "any_time" => Appeal::AnyTime,
            "at_once" => Appeal::AtOnce,
            "before_next_move" => Appeal::BeforeNextMove,
            "own_time" => Appeal::OwnTime,
            other => match other.strip_prefix("until_move_").and_then(|n| n.parse().ok()) {
                Some(n) => Appeal::UntilMove(n),
                None => {
                    return Err(serde::de::Error::custom(format!(
                        "unknown appeal window `{other}`, expected one of `any_time`, `at_once`, `before_next_move`, \
                         `own_time`, `until_move_N`"
                    )));
                }
            },
        })
    }
}

/// Who may raise it. The referee may always act on what was seen; this is about whom the text names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Appellant {
    /// The other side.
    #[default]
    Opponent,
    /// Either side.
    Either,
    /// Nobody has to raise it: the referee acts.
    Referee,
}

impl Appellant {
    pub fn name(self) -> Text {
        match self {
            Appellant::Opponent => Text::new("the opponent", "对方"),
            Appellant::Either => Text::new("either side", "任何一方"),
            Appellant::Referee => Text::new("the referee", "裁判员"),
        }
    }
}

/// Where a verdict's wording comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The ruleset's own documents.
    Document,
    /// A public reprint of the same rules.
    Reprint,
    /// Another document or article, because the ruleset's own have none for this.
    Borrowed,
    /// No document speaks of the consequence; the verdict is a proposal.
    Silent,
}

impl Source {
    pub fn name(self) -> Text {
        match self {
            Source::Document => Text::new("document", "原文"),
            Source::Reprint => Text::new("public reprint", "公开转载"),
            Source::Borrowed => Text::new("borrowed", "借用"),
            Source::Silent => Text::new("silent", "未作规定"),
        }
    }
}

fn own_document() -> Source {
    Source::Document
}

/// An infraction under a circumstance that the text singles out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecialCase {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    #[serde(deserialize_with = "both_languages")]
    pub verdict: Text,
    pub penalty: Sanction,
    #[serde(default = "own_document")]
    pub source: Source,
}

/// Whose repetitions are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Per {
    /// The side's; the step takes the place of the first verdict.
    Side,
    /// One player's; the step comes on top.
    Player,
}

/// What an infraction leads to when it is not the first of its kind in the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeated {
    /// From which time on: 2 is the second. A later step takes over from an earlier one.
    #[serde(deserialize_with = "from_two")]
    pub from: u32,
    pub per: Per,
    pub penalty: Sanction,
    #[serde(default, deserialize_with = "not_negative")]
    pub stones: Amount,
    /// It counts as a deliberate foul (恶意犯规).
    #[serde(default)]
    pub foul: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    #[serde(deserialize_with = "both_languages")]
    pub verdict: Text,
}

/// How a matter can go that the text leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The stone goes back to its place.
    BackInPlace,
    /// The stone goes to a reasonable point.
    ReasonablePoint,
    /// What lies on the board stands.
    Stands,
    /// A dropped stone may be played anywhere.
    PlayAnywhere,
    /// Rebuild the position and play on.
    Rebuild,
    Draw,
    /// Another game.
    Replay,
    BothLose,
    /// The game is annulled, neither won nor lost (无胜负).
    NoResult,
    Caution,
    Warning,
}

impl Outcome {
    /// What referees call it.
    pub fn name(self) -> Text {
        let (en, zh) = match self {
            Outcome::BackInPlace => ("back to its place", "挪回原处"),
            Outcome::ReasonablePoint => ("to a reasonable point", "挪至合理点"),
            Outcome::Stands => ("it stands", "有效"),
            Outcome::PlayAnywhere => ("may be played anywhere", "任选着点"),
            Outcome::Rebuild => ("rebuild and play on", "复盘续赛"),
            Outcome::Draw => ("draw", "和棋"),
            Outcome::Replay => ("replay", "重赛"),
            Outcome::BothLose => ("both lose", "双方均负"),
            Outcome::NoResult => ("no result", "无胜负"),
            Outcome::Caution => ("caution", "劝告"),
            Outcome::Warning => ("warning", "警告"),
        };
        Text::new(en, zh)
    }
}

/// One of the outcomes between which players or referee choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    pub outcome: Outcome,
    #[serde(deserialize_with = "both_languages")]
    pub text: Text,
}

/// What a ruleset says of one infraction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InfractionRule {
    /// Such as `000 17.2`: document and article of the verdict. `None` where no document speaks of it.
    pub article: Option<String>,
    /// The article of the rule that is broken, where that is another one.
    pub breaks: Option<String>,
    pub verdict: Text,
    pub penalty: Penalty,
    pub appeal: Appeal,
    /// Who may raise it.
    pub appellant: Appellant,
    /// Where the window comes from; `None`: a proposal.
    pub appeal_article: Option<String>,
    pub source: Source,
    /// It cannot happen under these rules (no seats, no clock).
    pub applies: bool,
    /// A remark on the source, or why the documents are silent.
    pub note: Option<Text>,
    /// What players or referee choose between.
    pub choices: Vec<Choice>,
    pub deliberate: Option<SpecialCase>,
    pub cannot_rebuild: Option<SpecialCase>,
    pub during_break: Option<SpecialCase>,
    /// Steps of repetition, in rising order.
    pub repeated: Vec<Repeated>,
}

impl InfractionRule {
    pub fn special(&self, circumstance: Circumstance) -> Option<&SpecialCase> {
        match circumstance {
            Circumstance::Deliberate => self.deliberate.as_ref(),
            Circumstance::CannotRebuild => self.cannot_rebuild.as_ref(),
            Circumstance::DuringBreak => self.during_break.as_ref(),
        }
    }

    /// The step that holds for the `times`-th time.
    pub fn step(&self, per: Per, times: u32) -> Option<&Repeated> {
        self.repeated.iter().filter(|r| r.per == per && r.from <= times).max_by_key(|r| r.from)
    }

    /// The article to cite: that of the verdict, else that of the rule that is broken.
    pub fn cited(&self) -> Option<&str> {
        self.article.as_deref().or(self.breaks.as_deref())
    }
}

/// As it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InfractionFile {
    article: Option<String>,
    breaks: Option<String>,
    #[serde(deserialize_with = "both_languages")]
    verdict: Text,
    penalty: Sanction,
    #[serde(default, deserialize_with = "not_negative")]
    stones: Amount,
    #[serde(default)]
    void: bool,
    #[serde(default)]
    pass: bool,
    #[serde(default)]
    foul: bool,
    appeal: Appeal,
    #[serde(default)]
    appellant: Appellant,
    appeal_article: Option<String>,
    #[serde(default = "own_document")]
    source: Source,
    #[serde(default = "yes")]
    applies: bool,
    #[serde(default, deserialize_with = "remark")]
    note: Option<Text>,
    #[serde(default)]
    choices: Vec<Choice>,
    deliberate: Option<SpecialCase>,
    cannot_rebuild: Option<SpecialCase>,
    during_break: Option<SpecialCase>,
    #[serde(default)]
    repeated: Vec<Repeated>,
}

fn yes() -> bool {
    true
}

impl From<InfractionFile> for InfractionRule {
    fn from(f: InfractionFile) -> InfractionRule {
        let mut repeated = f.repeated;
        repeated.sort_by_key(|r| (r.per, r.from));
        InfractionRule {
            article: f.article,
            breaks: f.breaks,
            verdict: f.verdict,
            penalty: Penalty { sanction: f.penalty, stones: f.stones, void: f.void, pass: f.pass, foul: f.foul },
            appeal: f.appeal,
            appellant: f.appellant,
            appeal_article: f.appeal_article,
            source: f.source,
            applies: f.applies,
            note: f.note,
            choices: f.choices,
            deliberate: f.deliberate,
            cannot_rebuild: f.cannot_rebuild,
            during_break: f.during_break,
            repeated,
        }
    }
}

/// Most stones that a penalty may cost: a board of 19.
const MOST_STONES: i64 = 361;

/// An amount from 0 to 361.
pub(super) fn not_negative<'de, D: Deserializer<'de>>(d: D) -> Result<Amount, D::Error> {
    let amount = Amount::deserialize(d)?;
    if amount < Amount::ZERO || amount > Amount::whole(MOST_STONES) {
        return Err(serde::de::Error::custom(format!("{amount} is out of range, expected 0 to {MOST_STONES}")));
    }
    Ok(amount)
}

/// A number of times from 1 to 255.
pub(super) fn from_one<'de, D: Deserializer<'de>>(d: D) -> Result<u8, D::Error> {
    let n = i64::deserialize(d)?;
    u8::try_from(n)
        .ok()
        .filter(|&n| n >= 1)
        .ok_or_else(|| serde::de::Error::custom(format!("{n} is out of range, expected 1 to 255")))
}

fn from_two<'de, D: Deserializer<'de>>(d: D) -> Result<u32, D::Error> {
    let n = i64::deserialize(d)?;
    u32::try_from(n)
        .ok()
        .filter(|n| (2..=1000).contains(n))
        .ok_or_else(|| serde::de::Error::custom(format!("{n} is out of range, expected 2 to 1000")))
}

/// A text that says something in both languages.
pub(super) fn both_languages<'de, D: Deserializer<'de>>(d: D) -> Result<Text, D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Both {
        en: String,
        zh: String,
    }
    let Both { en, zh } = Both::deserialize(d)?;
    let text = Text { en, zh };
    for (language, said) in [("en", &text.en), ("zh", &text.zh)] {
        if said.trim().is_empty() {
            return Err(serde::de::Error::custom(format!("`{language}` is empty, expected a sentence")));
        }
    }
    Ok(text)
}

/// A text in both languages, or one text for both.
pub(super) fn remark<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Text>, D::Error> {
    struct Remark;
    impl<'de> serde::de::Visitor<'de> for Remark {
        type Value = Text;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text or `{ en = \"…\", zh = \"…\" }`")
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Text, E> {
            Ok(Text::new(text, text))
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Text, A::Error> {
            Text::deserialize(serde::de::value::MapAccessDeserializer::new(map))
        }
    }
    d.deserialize_any(Remark).map(Some)
}
