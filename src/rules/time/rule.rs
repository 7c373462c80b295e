//! What a ruleset's documents say of time: `[time]` of its TOML.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Millis;
use crate::rules::{Amount, Infraction, Lateness, Ruleset, Sanction, Source};

/// What an article is cited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// Main time.
    Limit,
    /// Periods, calls, "X minutes left".
    Byoyomi,
    ClockError,
    Suspension,
    Sealed,
    Dispute,
    /// Leaving the seat.
    Leave,
    /// Asking how much time is left.
    Ask,
}

/// Whether taking captured stones off is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaptureTime {
    /// The move ends when all are off, and the count goes on (000 22.2).
    Timed,
    /// In byo-yomi it is not timed (001 part 2, 14.4).
    UntimedInByoyomi,
}

/// What the clock does after an overrun that costs a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterOverrun {
    /// The pass is made: the opponent's time runs from the moment of the overrun.
    OpponentRuns,
    /// It waits for the referee.
    ClockStops,
}

/// What is said aloud in a byo-yomi period. Given as time left, so that it holds for periods of any length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    /// In every period but the last; what is said is the time used: 30 s left of 60 is "30 seconds".
    pub left: Vec<Millis>,
    /// In the last one.
    pub last_left: Vec<Millis>,
    /// The last seconds of the last one are counted aloud from 1, each second: `10s` says 1 to 9.
    pub count: Millis,
}

/// What the documents say of time, and what a competition adds to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeRule {
    /// Main time a side (时限). `None`: the documents leave it to the competition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main: Option<Millis>,
    /// Byo-yomi periods a side; 0: main time only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub periods: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Millis>,
    /// The periods are the last part of `main` (001: 在时限内保留几分钟) and not on top of it (000 13).
    pub within_main: bool,
    /// Main time without byo-yomi may be used (000 13 forbids it).
    pub main_only: bool,
    /// "X left" of the main time; the documents ask for none.
    pub reminders: Vec<Millis>,
    pub calls: Calls,
    pub captures: CaptureTime,
    pub after_overrun: AfterOverrun,
    /// From this error an hour, included, a faulty clock's times are scaled (000 22.3).
    pub clock_error_per_hour: Millis,
    /// Later than this loses. `None`: set by the venue, and lateness is only taken off until it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_limit: Option<Millis>,
    /// How often a player may leave the seat in byo-yomi. `None`: the documents do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaves: Option<u32>,
    pub source: Source,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Document and article of each matter.
    pub articles: BTreeMap<Item, String>,
}

/// `[time]` as it is written; what it leaves out comes from the ruleset it extends.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeFile {
    main: Option<Millis>,
    periods: Option<u32>,
    period: Option<Millis>,
    within_main: Option<bool>,
    main_only: Option<bool>,
    reminders: Option<Vec<Millis>>,
    calls: Option<CallsFile>,
    captures: Option<CaptureTime>,
    after_overrun: Option<AfterOverrun>,
    clock_error_per_hour: Option<Millis>,
    late_limit: Option<Millis>,
    leaves: Option<u32>,
    source: Option<Source>,
    note: Option<String>,
    #[serde(default)]
    articles: BTreeMap<Item, String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallsFile {
    left: Option<Vec<Millis>>,
    last_left: Option<Vec<Millis>>,
    count: Option<Millis>,
}

/// A value that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {message}")]
pub struct DataError {
    /// Within its table: `calls.count`.
    pub key: &'static str,
    /// What is wrong, and what is possible.
    pub message: String,
}

pub(crate) fn data_error<T>(key: &'static str, message: impl Into<String>) -> Result<T, DataError> {
    Err(DataError { key, message: message.into() })
}

/// More than any competition uses; it bounds what one event can bring about.
pub const MAX_PERIODS: u32 = 200;

impl TimeFile {
    /// The whole rule: what is written, over `base`, over the calls that 001 and 004 give.
    pub fn over(self, base: Option<&TimeRule>) -> Result<TimeRule, DataError> {
        let mut rule = base.cloned().unwrap_or_else(TimeRule::plain);
        rule.main = self.main.or(rule.main);
        rule.periods = self.periods.or(rule.periods);
        rule.period = self.period.or(rule.period);
        rule.within_main = self.within_main.unwrap_or(rule.within_main);
        rule.main_only = self.main_only.unwrap_or(rule.main_only);
        if let Some(reminders) = self.reminders {
            rule.reminders = reminders;
        }
        if let Some(calls) = self.calls {
            rule.calls.left = calls.left.unwrap_or(rule.calls.left);
            rule.calls.last_left = calls.last_left.unwrap_or(rule.calls.last_left);
            rule.calls.count = calls.count.unwrap_or(rule.calls.count);
        }
        rule.captures = self.captures.unwrap_or(rule.captures);
        rule.after_overrun = self.after_overrun.unwrap_or(rule.after_overrun);
        rule.clock_error_per_hour = self.clock_error_per_hour.unwrap_or(rule.clock_error_per_hour);
        rule.late_limit = self.late_limit.or(rule.late_limit);
        rule.leaves = self.leaves.or(rule.leaves);
        rule.source = self.source.unwrap_or(rule.source);
        rule.note = self.note.or(rule.note);
        rule.articles.extend(self.articles);
        rule.check()?;
        Ok(rule)
    }
}

impl TimeRule {
    /// The calls of 001 and 004 without a competition's numbers.
    fn plain() -> TimeRule {
        TimeRule {
            main: None,
            periods: None,
            period: None,
            within_main: false,
            main_only: true,
            reminders: Vec::new(),
            calls: Calls {
                left: [30, 20, 10, 5, 2].map(Millis::seconds).to_vec(),
                last_left: [30, 20, 10].map(Millis::seconds).to_vec(),
                count: Millis::seconds(10),
            },
            captures: CaptureTime::Timed,
            after_overrun: AfterOverrun::OpponentRuns,
            clock_error_per_hour: Millis::minutes(2),
            late_limit: None,
            leaves: None,
            source: Source::Document,
            note: None,
            articles: BTreeMap::new(),
        }
    }

    /// What can be said without the competition's numbers.
    fn check(&self) -> Result<(), DataError> {
        let whole = |key, t: Millis| match t.ms() % 1000 {
            0 => Ok(()),
            _ => data_error(key, format!("is {t}; calls are made at whole seconds")),
        };
        if let Some(period) = self.period {
            whole("period", period)?;
            if period.ms() == 0 {
                return data_error("period", "is 0s; a period has at least 1s");
            }
        }
        if let Some(periods) = self.periods {
            if periods > MAX_PERIODS {
                return data_error("periods", format!("is {periods}; 0 to {MAX_PERIODS}"));
            }
            if periods == 0 && !self.main_only {
                return data_error("periods", "is 0; this ruleset has no main time without byo-yomi, at least 1");
            }
        }
        for (key, list) in [("calls.left", &self.calls.left), ("calls.last_left", &self.calls.last_left)] {
            if list.len() > 60 {
                return data_error(key, format!("has {} entries; at most 60", list.len()));
            }
            list.iter().try_for_each(|&t| whole(key, t))?;
            if list.iter().any(|t| t.ms() == 0) {
                return data_error(key, "has 0s; the end of a period is told without a call");
            }
        }
        whole("calls.count", self.calls.count)?;
        if self.calls.count > Millis::seconds(60) {
            return data_error("calls.count", format!("is {}; at most 60s", self.calls.count));
        }
        if let Some(t) = self.calls.last_left.iter().find(|t| **t < self.calls.count) {
            let count = self.calls.count;
            return data_error(
                "calls.last_left",
                format!("has {t}, where {count} are already counted second by second"),
            );
        }
        if self.reminders.len() > 60 {
            return data_error("reminders", format!("has {} entries; at most 60", self.reminders.len()));
        }
        if self.reminders.iter().any(|t| t.ms() == 0) {
            return data_error("reminders", "has 0s; the end of the main time is told without a reminder");
        }
        if self.clock_error_per_hour.ms() == 0 || self.clock_error_per_hour > Millis::minutes(60) {
            let is = self.clock_error_per_hour;
            return data_error("clock_error_per_hour", format!("is {is}; more than 0s, at most 1h"));
        }
        Ok(())
    }

    pub fn article(&self, item: Item) -> Option<&str> {
        self.articles.get(&item).map(String::as_str)
    }

    /// All numbers of a game are given.
    pub fn is_whole(&self) -> bool {
        self.main.is_some() && self.periods.is_some_and(|n| n == 0 || self.period.is_some())
    }

    /// The times of a game under `ruleset`, whose `time_overrun` says what using them up leads to. An error where the
    /// competition has not given a number.
    pub fn settings(&self, ruleset: &Ruleset) -> Result<TimeSettings, DataError> {
        const BY_COMPETITION: &str = "is missing: the documents leave it to the competition; give it under [time]";
        let Some(main) = self.main else { return data_error("main", BY_COMPETITION) };
        let Some(periods) = self.periods else { return data_error("periods", BY_COMPETITION) };
        let period = match self.period {
            Some(period) => period,
            None if periods == 0 => Millis::seconds(60),
            None => return data_error("period", BY_COMPETITION),
        };
        let overrun = ruleset.rule(Infraction::TimeOverrun);
        let outcome = match overrun.penalty.sanction {
            Sanction::Loss => Outcome::Loses,
            _ if overrun.penalty.pass => Outcome::Pass { stones: overrun.penalty.stones },
            _ => Outcome::Referee,
        };
        let cited = [
            Infraction::TimeOverrun,
            Infraction::PressBeforeMove,
            Infraction::PressBeforeCapturesCleared,
            Infraction::WrongClockPressed,
        ];
        let mut rule = self.clone();
        if let Some(disputes) = &ruleset.disputes {
            rule.articles.insert(Item::Dispute, disputes.article.clone());
        }
        let cited = cited.into_iter().filter_map(|kind| Some((kind, ruleset.rule(kind).article.clone()?)));
        let settings = TimeSettings {
            main_ms: main.ms(),
            periods,
            period_ms: period.ms(),
            outcome,
            rule,
            put_back: ruleset.disputes.as_ref().is_none_or(|d| d.restore_period),
            lateness: ruleset.lateness.clone(),
            infractions: cited.collect(),
        };
        settings.checked()
    }
}

/// What using up the last period (or the main time, without byo-yomi) leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// 001 part 2, 14.5.
    Loses,
    /// A pass and this many stones; the last period is given again (000 22.1).
    Pass { stones: Amount },
    /// No document says: the clock stops and the referee decides.
    Referee,
}

/// The times of one game, all numbers given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeSettings {
    /// Main time a side before byo-yomi, in milliseconds.
    pub main_ms: u64,
    pub periods: u32,
    pub period_ms: u64,
    pub outcome: Outcome,
    pub rule: TimeRule,
    /// On a dispute in byo-yomi the clock is put back to what it showed after the opponent's move.
    pub put_back: bool,
    /// What the ruleset says of those who come late.
    pub lateness: Option<Lateness>,
    /// The articles of infractions at the clock.
    pub infractions: BTreeMap<Infraction, String>,
}

impl TimeSettings {
    /// Takes the periods out of the main time where the rule has them inside it, and checks the numbers together.
    fn checked(mut self) -> Result<TimeSettings, DataError> {
        self.bounds()?;
        if self.rule.within_main {
            let byoyomi_ms = u64::from(self.periods) * self.period_ms;
            let Some(before_ms) = self.main_ms.checked_sub(byoyomi_ms) else {
                let (main, byoyomi) = (Millis::new(self.main_ms), Millis::new(byoyomi_ms));
                let message = format!(
                    "is {}, less than the byo-yomi of {} that is kept within it (within_main)",
                    main.unwrap_or_default(),
                    byoyomi.unwrap_or_default()
                );
                return data_error("main", message);
            };
            self.main_ms = before_ms;
        }
        self.consistent()?;
        Ok(self)
    }

    fn bounds(&self) -> Result<(), DataError> {
        if self.main_ms > Millis::MAX.ms() {
            return data_error("main", format!("is more than {}", Millis::MAX));
        }
        if self.periods > MAX_PERIODS {
            return data_error("periods", format!("is {}; 0 to {MAX_PERIODS}", self.periods));
        }
        if self.period_ms == 0 || !self.period_ms.is_multiple_of(1000) || self.period_ms > Millis::MAX.ms() {
            return data_error("period", format!("is {} ms; whole seconds from 1s to {}", self.period_ms, Millis::MAX));
        }
        if u64::from(self.periods) * self.period_ms > Millis::MAX.ms() {
            return data_error("periods", format!("times period is more than {}", Millis::MAX));
        }
        Ok(())
    }

    /// That a clock can run on these numbers; holds for every value made by [`TimeRule::settings`].
    pub(super) fn consistent(&self) -> Result<(), DataError> {
        self.rule.check()?;
        self.bounds()?;
        let total_ms = self.main_ms + u64::from(self.periods) * self.period_ms;
        if total_ms == 0 {
            return data_error("main", "is 0s and there is no byo-yomi: nobody would have any time");
        }
        if self.periods == 0 && matches!(self.outcome, Outcome::Pass { .. }) {
            return data_error(
                "periods",
                "is 0, but an overrun costs a pass and gives the last period again; at least 1",
            );
        }
        if self.rule.late_limit.is_some() && self.lateness.is_none() {
            return data_error("late_limit", "needs [lateness], which says what being later leads to");
        }
        if let Some(limit) = self.rule.late_limit
            && limit.ms() >= total_ms
        {
            return data_error("late_limit", format!("is {limit}, as long as all of a side's time or longer"));
        }
        Ok(())
    }

    pub fn article(&self, item: Item) -> Option<&str> {
        self.rule.article(item)
    }
}
