//! What a ruleset lays down besides moves, counting and single infractions: cards and warnings, how a game ends, who takes
//! which colour, games of unequal strength, lateness.

use serde::{Deserialize, Deserializer, Serialize};

use super::verdict::{both_languages, from_one, not_negative};
use super::{Amount, Color, Side, Source, Text};

/// Stones that a card costs, and when cards add up (000 24).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cards {
    #[serde(deserialize_with = "not_negative")]
    pub yellow: Amount,
    #[serde(deserialize_with = "not_negative")]
    pub red: Amount,
    /// Yellow cards of one player in a game that make a red one.
    #[serde(deserialize_with = "from_one")]
    pub yellows_for_red: u8,
    pub article: String,
    /// What is said when yellow cards make a red one.
    #[serde(default = "two_yellows", deserialize_with = "both_languages")]
    pub two_yellows: Text,
    /// What a red card means besides the stones (000 24.3).
    #[serde(default = "sent_off", deserialize_with = "both_languages")]
    pub sent_off: Text,
    /// No substitution is left (000 24.4).
    #[serde(default = "no_substitution", deserialize_with = "both_languages")]
    pub no_substitution: Text,
    /// Nobody is left to send in (000 24.4).
    #[serde(default = "nobody_left", deserialize_with = "both_languages")]
    pub nobody_left: Text,
}

/// What a team has left when one of its players is shown a red card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bench {
    /// Substitutions not yet used.
    pub substitutions: u8,
    /// Players who may still come on.
    pub players: u8,
}

/// What a red card leads to besides its stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SentOff {
    /// The player leaves; it counts as one substitution.
    Substituted,
    /// The player leaves, and the other team gains one substitution, also of players who have played.
    OpponentGains,
    /// The player stays, and the side passes once.
    StaysAndPasses,
}

impl Cards {
    /// What a red card leads to (000 24.3 and 24.4).
    pub fn sent_off(&self, bench: Bench) -> (SentOff, &Text) {
        match (bench.players, bench.substitutions) {
            (0, _) => (SentOff::StaysAndPasses, &self.nobody_left),
            (_, 0) => (SentOff::OpponentGains, &self.no_substitution),
            _ => (SentOff::Substituted, &self.sent_off),
        }
    }
}

fn two_yellows() -> Text {
    Text::new("Yellow cards of one player add up to a red card", "相同人员黄牌累积，出示红牌")
}

fn sent_off() -> Text {
    Text::new("The player leaves; it counts as one substitution", "被罚下，视同换人1次")
}

fn no_substitution() -> Text {
    Text::new("No substitution is left: the opponents gain one", "换人机会已用尽，对手增加一次换人机会")
}

fn nobody_left() -> Text {
    Text::new(
        "Nobody is left to send in: a pass besides, and the player stays",
        "无可上场队员，加罚虚着一次，不下场继续比赛",
    )
}

fn too_many_warnings() -> Text {
    Text::new("The warnings of the game add up: loses", "警告累计已满，判该局为负")
}

/// When warnings add up (001 part 2, 16.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Warnings {
    /// So many warnings in a game lose it.
    #[serde(deserialize_with = "from_one")]
    pub lose_at: u8,
    pub article: String,
    #[serde(default = "too_many_warnings", deserialize_with = "both_languages")]
    pub verdict: Text,
}

/// A way in which a game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndCondition {
    /// Both sides confirm that all is played.
    Agreement,
    Resignation,
    TwoPasses,
    /// The acting team leader tells the referee that the team resigns (000 14).
    LeaderResigns,
    /// A side forfeits, or the referee rules a loss or a draw (001 part 2, ch. 2 §4.1).
    Ruled,
}

impl EndCondition {
    pub const ALL: [EndCondition; 5] = [
        EndCondition::Agreement,
        EndCondition::Resignation,
        EndCondition::TwoPasses,
        EndCondition::LeaderResigns,
        EndCondition::Ruled,
    ];

    pub fn name(self) -> Text {
        let (en, zh) = match self {
            EndCondition::Agreement => ("agreement", "双方确认"),
            EndCondition::Resignation => ("resignation", "认输"),
            EndCondition::TwoPasses => ("two passes", "连续虚着"),
            EndCondition::LeaderResigns => ("the acting leader resigns", "执行领队确认认输"),
            EndCondition::Ruled => ("forfeit or ruling", "弃权或裁判员判定"),
        };
        Text::new(en, zh)
    }
}

/// An article and what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provision {
    /// `None`: no document says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    #[serde(deserialize_with = "both_languages")]
    pub text: Text,
}

/// How it is settled who plays Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColourChoice {
    /// Drawn by the organiser (抽签).
    Lot,
    /// One hides stones, the other guesses odd or even (猜先).
    Guess,
    /// By rank or strength (位尊者执白).
    Standing,
}

impl ColourChoice {
    pub fn name(self) -> Text {
        match self {
            ColourChoice::Lot => Text::new("by lot", "抽签"),
            ColourChoice::Guess => Text::new("by guessing odd or even", "猜先"),
            ColourChoice::Standing => Text::new("by standing", "按位尊、水平"),
        }
    }
}

/// Who plays Black, and how that is settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Colours {
    pub by: Vec<ColourChoice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    #[serde(deserialize_with = "both_languages")]
    pub text: Text,
}

/// The colours after odd or even was guessed (猜先, 003 10): the guesser plays Black when the guess was right.
pub fn guessed_black(hidden_stones: u32, guess_is_odd: bool) -> bool {
    (hidden_stones % 2 == 1) == guess_is_odd
}

/// A kind of game by the strength of the players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameKind {
    /// Such as `first_move`.
    pub id: String,
    #[serde(deserialize_with = "both_languages")]
    pub name: Text,
    pub first: Side,
    /// Black gives the ruleset's komi.
    pub komi: bool,
    /// Handicap stones: fewest and most. `None`: none.
    #[serde(default, deserialize_with = "stones", skip_serializing_if = "Option::is_none")]
    pub stones: Option<[u8; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    #[serde(deserialize_with = "both_languages")]
    pub text: Text,
}

/// Names of ranks, the highest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ranks {
    #[serde(deserialize_with = "both_languages")]
    pub name: Text,
    pub names: Vec<Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
}

/// What happens to those who come late (001 part 2, 14.1 to 14.3). How late is too late, the competition says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lateness {
    /// One side is later than the limit.
    pub over: Provision,
    /// Both sides are.
    pub both: Provision,
    /// Late, but within the limit.
    pub within: Provision,
    pub source: Source,
}

/// What lateness comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Late {
    /// Nobody is later than the limit: so many milliseconds come off each side's time, `[Black, White]`.
    Deducted {
        off_ms: [u64; 2],
    },
    /// This side loses by default.
    Loses {
        color: Color,
    },
    BothLose,
}

impl Lateness {
    /// What follows from `late_ms` `[Black, White]`; exactly the limit is not past it.
    pub fn rule(&self, late_ms: [u64; 2], limit_ms: u64) -> (Late, &Provision) {
        match late_ms.map(|late| late > limit_ms) {
            [true, true] => (Late::BothLose, &self.both),
            [true, false] => (Late::Loses { color: Color::Black }, &self.over),
            [false, true] => (Late::Loses { color: Color::White }, &self.over),
            [false, false] => (Late::Deducted { off_ms: late_ms }, &self.within),
        }
    }
}

fn stones<'de, D: Deserializer<'de>>(d: D) -> Result<Option<[u8; 2]>, D::Error> {
    let [fewest, most] = <[i64; 2]>::deserialize(d)?;
    if !(1..=most).contains(&fewest) || most > 180 {
        return Err(serde::de::Error::custom(format!(
            "[{fewest}, {most}] is out of range, expected the fewest and the most stones, from 1 to 180"
        )));
    }
    Ok(Some([fewest as u8, most as u8]))
}

#[cfg(test)]
mod tests {
    use super::super::Ruleset;
    use super::*;

    #[test]
    fn lateness_is_deducted_or_loses() {
        let rules = Ruleset::builtin("cwa-classic").unwrap();
        let late = rules.lateness.unwrap();
        let rule = |black, white| late.rule([black, white], 900_000);
        assert_eq!(rule(0, 60_000).0, Late::Deducted { off_ms: [0, 60_000] });
        assert_eq!(rule(900_000, 0).0, Late::Deducted { off_ms: [900_000, 0] });
        assert_eq!(rule(900_001, 0).0, Late::Loses { color: Color::Black });
        assert_eq!(rule(0, 900_001).0, Late::Loses { color: Color::White });
        let (both, provision) = rule(900_001, 900_001);
        assert_eq!((both, provision.article.as_deref()), (Late::BothLose, Some("001 part 2, 14.2")));
    }

    #[test]
    fn a_red_card_depends_on_the_bench() {
        let cards = Ruleset::builtin("team-relay").unwrap().cards.unwrap();
        let of = |substitutions, players| cards.sent_off(Bench { substitutions, players }).0;
        assert_eq!(of(3, 2), SentOff::Substituted);
        assert_eq!(of(0, 2), SentOff::OpponentGains);
        assert_eq!(of(0, 0), SentOff::StaysAndPasses);
        assert_eq!(of(3, 0), SentOff::StaysAndPasses);
        assert!(cards.sent_off(Bench { substitutions: 0, players: 1 }).1.zh.contains("对手增加一次"));
    }

    #[test]
    fn who_guesses_right_plays_black() {
        assert!(guessed_black(7, true) && guessed_black(8, false));
        assert!(!guessed_black(7, false) && !guessed_black(0, true));
    }
}
