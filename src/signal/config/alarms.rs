//! `[alarms]` and `[clock]` of the configuration.

use std::path::PathBuf;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::game::EventKind;
use crate::rules::time::{Millis, TimeSettings};
use crate::rules::{Ruleset, Sanction};
use crate::signal::clock::{InBreaks, StopFor};
use crate::signal::show::Cue;

/// `[alarms]`: how every device of the table signals.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AlarmsConfig {
    /// The states among which one is shown, the most urgent first.
    pub priority: Vec<Cue>,
    /// A lamp other than green stays lit at least so long.
    pub min_on_ms: u64,
    /// No sound while the other player has the move in byo-yomi.
    pub silent_in_byoyomi: bool,
    /// An infraction that nobody acknowledges sounds again so often; 0: never.
    pub remind_s: u64,
    /// Every byte sent and received goes to this file, with its time.
    pub wire_log: Option<PathBuf>,
}

impl Default for AlarmsConfig {
    fn default() -> AlarmsConfig {
        AlarmsConfig {
            priority: Cue::PRIORITY.to_vec(),
            min_on_ms: 500,
            silent_in_byoyomi: false,
            remind_s: 0,
            wire_log: None,
        }
    }
}

impl AlarmsConfig {
    /// Values that the types alone do not exclude.
    ///
    /// # Errors
    /// The key and what is wrong with its value.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let names = || Cue::PRIORITY.map(Cue::name).join(", ");
        if let Some(cue) = self.priority.iter().find(|c| !Cue::PRIORITY.contains(c)) {
            return Err(("alarms.priority", format!("{:?} has no place here; {}", cue.name(), names())));
        }
        for cue in Cue::PRIORITY {
            if self.priority.iter().filter(|c| **c == cue).count() != 1 {
                return Err(("alarms.priority", format!("name each once, the most urgent first: {}", names())));
            }
        }
        if self.min_on_ms > 60_000 {
            return Err(("alarms.min_on_ms", "at most 60000 (one minute)".into()));
        }
        if self.remind_s > 3600 {
            return Err(("alarms.remind_s", "0 (never) to 3600 seconds".into()));
        }
        Ok(())
    }
}

/// `[clock]`: what goband does with the game clock.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClockConfig {
    /// Which infractions stop it.
    pub stop: StopFor,
    /// When it is stopped in byo-yomi, it is put back to what it showed after the opponent's move; otherwise as the ruleset
    /// says.
    pub restore_period: Option<bool>,
    /// What a break of the operator does to it.
    pub breaks: InBreaks,
    /// goband keeps the time itself, from the presses of any device. It needs the competition's times: here, or in the
    /// ruleset's `[time]`.
    pub software: bool,
    /// Main time a side.
    pub main: Option<Millis>,
    /// Byo-yomi periods a side.
    pub periods: Option<u32>,
    /// The length of each.
    pub period: Option<Millis>,
    /// A picture shows what was so long before the time that it carries, at most; none: what is usual for the source.
    pub picture_delay_ms: Option<u64>,
}

impl ClockConfig {
    /// The times of a game under a ruleset, with what the configuration says.
    ///
    /// # Errors
    /// The key and what is missing or not possible.
    pub fn times(&self, ruleset: &Ruleset) -> Result<TimeSettings, (String, String)> {
        let mut ruleset = ruleset.clone();
        if let Some(time) = &mut ruleset.time {
            time.main = self.main.or(time.main);
            time.periods = self.periods.or(time.periods);
            time.period = self.period.or(time.period);
        }
        ruleset.time_settings().map_err(|e| (format!("clock.{}", e.key), e.message))
    }
}

impl<'de> Deserialize<'de> for StopFor {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<StopFor, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Text {
            Word(String),
            List(Vec<String>),
        }
        let possible = "\"ruleset\", \"never\", \"infractions\", or a list of weights (referee, caution, warning, yellow, red, \
                        stones, loss) and kinds of infractions";
        let text = Text::deserialize(d).map_err(|_| D::Error::custom(format!("expected {possible}")))?;
        let list = match text {
            Text::Word(word) => {
                return match word.as_str() {
                    "ruleset" => Ok(StopFor::Ruleset),
                    "never" => Ok(StopFor::Never),
                    "infractions" => Ok(StopFor::Infractions),
                    _ => Err(D::Error::custom(format!("{word:?} is not possible; {possible}"))),
                };
            }
            Text::List(list) => list,
        };
        let (mut sanctions, mut kinds) = (Vec::new(), Vec::new());
        for name in list {
            let sanction = match name.as_str() {
                "referee" => Some(Sanction::Referee),
                "caution" => Some(Sanction::Caution),
                "warning" => Some(Sanction::Warning),
                "yellow" => Some(Sanction::Yellow),
                "red" => Some(Sanction::Red),
                "stones" => Some(Sanction::Stones),
                "loss" => Some(Sanction::Loss),
                _ => None,
            };
            match (sanction, EventKind::from_name(&name).filter(|k| k.is_infraction())) {
                (Some(sanction), _) => sanctions.push(sanction),
                (None, Some(kind)) => kinds.push(kind),
                (None, None) => return Err(D::Error::custom(format!("{name:?} is not possible; {possible}"))),
            }
        }
        Ok(StopFor::Listed { sanctions, kinds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stops_the_clock() {
        let parse = |text: &str| toml::from_str::<ClockConfig>(text).map_err(|e| e.to_string());
        assert_eq!(parse("").unwrap().stop, StopFor::Ruleset);
        assert_eq!(parse("stop = \"never\"").unwrap().stop, StopFor::Never);
        assert_eq!(parse("breaks = \"run\"").unwrap().breaks, InBreaks::Run);
        assert!(parse("breaks = \"never\"").unwrap_err().contains("ruleset"));
        let listed = StopFor::Listed { sanctions: vec![Sanction::Red], kinds: vec![EventKind::DoubleMove] };
        assert_eq!(parse("stop = [\"red\", \"double_move\"]").unwrap().stop, listed);
        for text in ["stop = \"always\"", "stop = [\"move\"]", "stop = 3"] {
            let error = parse(text).unwrap_err();
            assert!(error.contains("infractions") && error.contains("yellow"), "{error}");
        }
    }

    #[test]
    fn alarms() {
        let parse = |text: &str| {
            let alarms: AlarmsConfig = toml::from_str(text).map_err(|e| e.to_string())?;
            alarms.check().map_err(|(key, problem)| format!("{key}: {problem}"))?;
            Ok::<_, String>(alarms)
        };
        assert_eq!(parse("").unwrap(), AlarmsConfig::default());
        let own = parse(
            "priority = [\"fault\", \"infraction\", \"clock_stop\", \"attention\", \"notice\", \"idle\"]\nremind_s = 20",
        );
        assert_eq!(own.unwrap().priority[0], Cue::Fault);
        for (text, part) in [
            ("priority = [\"idle\"]", "each once"),
            ("priority = [\"move\"]", "no place"),
            ("priority = [\"alarm\"]", "clock_stop"),
            ("min_on_ms = 70000", "60000"),
            ("remind_s = 4000", "3600"),
            ("silent = true", "silent_in_byoyomi"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
