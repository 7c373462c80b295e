//! What a ruleset's documents say of team matches: `[sections]` and `[team]` of its TOML.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::rules::time::{DataError, Millis, data_error};
use crate::rules::{Amount, Appeal, Cards, Infraction, InfractionRule, Per, PlayOff, Ruleset, Sanction};

/// How the order of seats goes on in a new section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rotation {
    /// Clockwise from the last seat of the section before.
    Continues,
    /// Either player of the side to move begins.
    Free,
}

/// The parts of a game, by move number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SectionsRule {
    /// Last move of every section but the last, which goes on to the end of the game.
    pub ends: Vec<u32>,
    /// Rest between two sections; the clock stands.
    #[serde(rename = "break")]
    pub break_length: Millis,
    /// Rosters are handed in so long before a section.
    pub roster_before: Millis,
    pub rotation: Rotation,
    pub article: String,
}

/// What an article is cited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TeamItem {
    Roster,
    /// Clockwise order, and who presses the clock.
    Seats,
    /// Who may be sent in.
    Eligible,
    /// What is asked for, and what the requester is told.
    Request,
    Substitution,
    TimeOut,
    RedCard,
    /// A red card without a substitution left.
    NoneLeft,
}

/// Teams of several players at one board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamRule {
    pub substitutions: u32,
    /// From the confirmation of a substitution until the new player sits.
    pub seating: Millis,
    pub time_outs: u32,
    /// `None`: the documents give no length; a time-out ends when the players are back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_out_length: Option<Millis>,
    pub articles: BTreeMap<TeamItem, String>,
}

/// `[sections]` as it is written; what it leaves out comes from the ruleset it extends.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SectionsFile {
    ends: Option<Vec<u32>>,
    #[serde(rename = "break")]
    break_length: Option<Millis>,
    roster_before: Option<Millis>,
    rotation: Option<Rotation>,
    article: Option<String>,
}

/// `[team]` as it is written; what it leaves out comes from the ruleset it extends.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamFile {
    substitutions: Option<u32>,
    seating: Option<Millis>,
    time_outs: Option<u32>,
    time_out_length: Option<Millis>,
    #[serde(default)]
    articles: BTreeMap<TeamItem, String>,
}

/// Either the value written, or that of the base; missing in both is an error that says so.
fn given<T>(key: &'static str, written: Option<T>, base: Option<T>) -> Result<T, DataError> {
    match written.or(base) {
        Some(value) => Ok(value),
        None => data_error(key, "is missing; give it, or take a built-in ruleset that has it with `extends`"),
    }
}

const MOST_SECTIONS: usize = 20;
const MOST_MOVES: u32 = 10_000;
const MOST_COUNTED: u32 = 100;

impl SectionsFile {
    pub fn over(self, base: Option<&SectionsRule>) -> Result<SectionsRule, DataError> {
        let rule = SectionsRule {
            ends: given("ends", self.ends, base.map(|b| b.ends.clone()))?,
            break_length: given("break", self.break_length, base.map(|b| b.break_length))?,
            roster_before: given("roster_before", self.roster_before, base.map(|b| b.roster_before))?,
            rotation: self.rotation.or(base.map(|b| b.rotation)).unwrap_or(Rotation::Continues),
            article: given("article", self.article, base.map(|b| b.article.clone()))?,
        };
        rule.check()?;
        Ok(rule)
    }
}

impl SectionsRule {
    pub(super) fn check(&self) -> Result<(), DataError> {
        if self.ends.len() >= MOST_SECTIONS {
            return data_error("ends", format!("has {} entries; at most {}", self.ends.len(), MOST_SECTIONS - 1));
        }
        let mut before = 0;
        for &end in &self.ends {
            if end <= before || end > MOST_MOVES {
                let message = format!("has {end} after {before}; move numbers that grow, at most {MOST_MOVES}");
                return data_error("ends", message);
            }
            before = end;
        }
        Ok(())
    }

    /// How many sections there are.
    pub fn count(&self) -> usize {
        self.ends.len() + 1
    }

    /// First and last move of a section, counted from 0; no last move: to the end of the game.
    pub fn moves(&self, section: usize) -> (u32, Option<u32>) {
        let first = section.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(1, |end| end + 1);
        (first, self.ends.get(section).copied())
    }

    /// The section, counted from 0, that a move belongs to.
    pub fn of_move(&self, number: u32) -> usize {
        self.ends.iter().take_while(|&&end| end < number).count()
    }
}

impl TeamFile {
    pub fn over(self, base: Option<&TeamRule>) -> Result<TeamRule, DataError> {
        let mut articles = base.map(|b| b.articles.clone()).unwrap_or_default();
        articles.extend(self.articles);
        let rule = TeamRule {
            substitutions: given("substitutions", self.substitutions, base.map(|b| b.substitutions))?,
            seating: given("seating", self.seating, base.map(|b| b.seating))?,
            time_outs: given("time_outs", self.time_outs, base.map(|b| b.time_outs))?,
            time_out_length: self.time_out_length.or(base.and_then(|b| b.time_out_length)),
            articles,
        };
        rule.check()?;
        Ok(rule)
    }
}

impl TeamRule {
    pub(super) fn check(&self) -> Result<(), DataError> {
        for (key, n) in [("substitutions", self.substitutions), ("time_outs", self.time_outs)] {
            if n > MOST_COUNTED {
                return data_error(key, format!("is {n}; at most {MOST_COUNTED}"));
            }
        }
        Ok(())
    }

    pub fn article(&self, item: TeamItem) -> Option<&str> {
        self.articles.get(&item).map(String::as_str)
    }
}

/// What one infraction costs here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cited {
    pub article: Option<String>,
    pub stones: Amount,
}

/// What wrong order of play costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatOrderRule {
    pub article: Option<String>,
    /// Stones for a team's first, second … time; the last holds for all later ones.
    pub stones: Vec<Amount>,
    /// A player's so many-th time is a red card.
    pub player_red_at: Option<u32>,
    /// A team's so many-th time loses.
    pub team_loses_at: Option<u32>,
}

impl SeatOrderRule {
    /// From the steps of repetition that the ruleset gives the infraction.
    fn of(rule: &InfractionRule) -> SeatOrderRule {
        let first =
            |per, penalty| rule.repeated.iter().filter(|r| r.per == per && r.penalty == penalty).map(|r| r.from).min();
        let team_loses_at = first(Per::Side, Sanction::Loss);
        let steps = rule.repeated.iter().filter(|r| r.per == Per::Side).map(|r| r.from).max().unwrap_or(1);
        let last = team_loses_at.map_or(steps, |n| n - 1).min(MOST_COUNTED);
        let stones = (1..=last).map(|n| rule.step(Per::Side, n).map_or(rule.penalty.stones, |r| r.stones));
        SeatOrderRule {
            article: rule.article.clone(),
            stones: stones.collect(),
            player_red_at: first(Per::Player, Sanction::Red),
            team_loses_at,
        }
    }

    /// Stones for a team's `nth` time; none from the one that loses.
    pub fn stones(&self, nth: u32) -> Amount {
        if self.team_loses_at.is_some_and(|n| nth >= n) {
            return Amount::ZERO;
        }
        let at = usize::try_from(nth).unwrap_or(usize::MAX).saturating_sub(1);
        self.stones.get(at).or(self.stones.last()).copied().unwrap_or_default()
    }
}

/// All that a team match is held by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConductRule {
    pub sections: SectionsRule,
    pub team: TeamRule,
    /// Of each side at the board; their seats alternate.
    pub players: u8,
    pub seat_order: SeatOrderRule,
    pub section_overrun: Cited,
    pub colours: Cited,
    /// Wrong colours may be put right up to and including this move.
    pub colours_until: u32,
    /// What a red card means besides its stones. `None`: there are no cards.
    pub cards: Option<Cards>,
    /// How a drawn game is played on. `None`: it is not.
    pub play_off: Option<PlayOff>,
}

impl ConductRule {
    /// The conduct of a match under `ruleset`; `None` where it knows no teams or no sections.
    pub fn of(ruleset: &Ruleset) -> Option<ConductRule> {
        let (sections, team) = (ruleset.sections.clone()?, ruleset.team.clone()?);
        let cited = |kind: Infraction| {
            let rule = ruleset.rule(kind);
            Cited { article: rule.article.clone(), stones: rule.penalty.stones }
        };
        let colours_until = match ruleset.rule(Infraction::WrongFirstColour).appeal {
            Appeal::UntilMove(n) => u32::from(n),
            _ => 0,
        };
        Some(ConductRule {
            sections,
            team,
            players: ruleset.players,
            seat_order: SeatOrderRule::of(ruleset.rule(Infraction::SeatOrder)),
            section_overrun: cited(Infraction::SectionOverrun),
            colours: cited(Infraction::WrongFirstColour),
            colours_until,
            cards: ruleset.cards.clone(),
            play_off: ruleset.play_off.clone(),
        })
    }

    /// That the numbers go together; holds for every value from [`ConductRule::of`].
    pub fn check(&self) -> Result<(), DataError> {
        self.sections.check()?;
        self.team.check()?;
        match self.players {
            1..=4 => Ok(()),
            n => data_error("players", format!("is {n}; 1 to 4")),
        }
    }
}
