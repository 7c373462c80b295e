//! Which lamp shows which state, by configuration: `show` of a device. Pure.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::rules::Sanction;

/// An output of a device that shows states. The most urgent first: what is dark while it should be lit is worst for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lamp {
    Red,
    Buzzer,
    Amber,
    Blue,
    White,
    Green,
}

impl Lamp {
    pub const ALL: [Lamp; 6] = [Lamp::Red, Lamp::Buzzer, Lamp::Amber, Lamp::Blue, Lamp::White, Lamp::Green];

    /// As in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Lamp::Red => "red",
            Lamp::Buzzer => "buzzer",
            Lamp::Amber => "amber",
            Lamp::Blue => "blue",
            Lamp::White => "white",
            Lamp::Green => "green",
        }
    }
}

impl FromStr for Lamp {
    type Err = String;

    fn from_str(name: &str) -> Result<Lamp, String> {
        Lamp::ALL.into_iter().find(|l| l.name() == name).ok_or_else(|| {
            let all: Vec<&str> = Lamp::ALL.iter().map(|l| l.name()).collect();
            format!("{name:?} is no lamp; {}", all.join(", "))
        })
    }
}

/// A state that lasts, or a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cue {
    /// An infraction that nobody has acknowledged; by the heaviest verdict that the rules propose, where `show` has that.
    Infraction,
    Weighed(Sanction),
    /// No pictures.
    Fault,
    /// goband has stopped the clock.
    ClockStop,
    Attention,
    /// Something is to be looked at that is no offence.
    Notice,
    Idle,
    /// goband lives: always.
    Heartbeat,
    /// A moment: a move was recorded.
    Move,
    /// A moment: the clock was pressed.
    Press,
    /// A moment: something was called at the clock.
    Call,
}

impl Cue {
    /// Every cue that can be configured.
    pub const ALL: [Cue; 17] = [
        Cue::Infraction,
        Cue::Weighed(Sanction::Referee),
        Cue::Weighed(Sanction::Caution),
        Cue::Weighed(Sanction::Warning),
        Cue::Weighed(Sanction::Yellow),
        Cue::Weighed(Sanction::Red),
        Cue::Weighed(Sanction::Stones),
        Cue::Weighed(Sanction::Loss),
        Cue::Fault,
        Cue::ClockStop,
        Cue::Attention,
        Cue::Notice,
        Cue::Idle,
        Cue::Heartbeat,
        Cue::Move,
        Cue::Press,
        Cue::Call,
    ];

    /// As in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Cue::Infraction => "infraction",
            Cue::Weighed(Sanction::None) => "none",
            Cue::Weighed(Sanction::Referee) => "infraction_referee",
            Cue::Weighed(Sanction::Caution) => "infraction_caution",
            Cue::Weighed(Sanction::Warning) => "infraction_warning",
            Cue::Weighed(Sanction::Yellow) => "infraction_yellow",
            Cue::Weighed(Sanction::Red) => "infraction_red",
            Cue::Weighed(Sanction::Stones) => "infraction_stones",
            Cue::Weighed(Sanction::Loss) => "infraction_loss",
            Cue::Fault => "fault",
            Cue::ClockStop => "clock_stop",
            Cue::Attention => "attention",
            Cue::Notice => "notice",
            Cue::Idle => "idle",
            Cue::Heartbeat => "heartbeat",
            Cue::Move => "move",
            Cue::Press => "press",
            Cue::Call => "call",
        }
    }

    /// A moment passes: it cannot light a lamp for good.
    pub fn is_moment(self) -> bool {
        matches!(self, Cue::Move | Cue::Press | Cue::Call)
    }

    /// The states among which one is shown, the most urgent first.
    pub const PRIORITY: [Cue; 6] =
        [Cue::Infraction, Cue::Fault, Cue::ClockStop, Cue::Attention, Cue::Notice, Cue::Idle];
}

impl FromStr for Cue {
    type Err = String;

    fn from_str(name: &str) -> Result<Cue, String> {
        Cue::ALL.into_iter().find(|c| c.name() == name).ok_or_else(|| {
            let all: Vec<&str> = Cue::ALL.iter().map(|c| c.name()).collect();
            format!("{name:?} is no state or moment; {}", all.join(", "))
        })
    }
}

impl<'de> Deserialize<'de> for Cue {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Cue, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}

/// What a lamp does for a cue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Lit while the state lasts.
    Steady,
    /// Half a second on, half a second off.
    Blink,
    /// For so many milliseconds from the beginning.
    Pulse(u64),
}

/// One lamp of an entry: `red`, `red blink`, `buzzer 1000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Light {
    pub lamp: Lamp,
    pub how: How,
}

/// Longest pulse.
const MOST_PULSE_MS: u64 = 60_000;

impl FromStr for Light {
    type Err = String;

    fn from_str(text: &str) -> Result<Light, String> {
        let mut words = text.split_whitespace();
        let lamp = words.next().ok_or("a lamp is missing")?.parse()?;
        let how = match words.next() {
            None => How::Steady,
            Some("blink") => How::Blink,
            Some(number) => match number.parse::<u64>() {
                Ok(ms) if (1..=MOST_PULSE_MS).contains(&ms) => How::Pulse(ms),
                _ => {
                    return Err(format!(
                        "{text:?}: after the lamp comes nothing, \"blink\", or 1 to {MOST_PULSE_MS} (ms)"
                    ));
                }
            },
        };
        match words.next() {
            None => Ok(Light { lamp, how }),
            Some(_) => Err(format!("{text:?}: one lamp an entry, such as \"red\", \"red blink\" or \"buzzer 1000\"")),
        }
    }
}

impl fmt::Display for Light {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.how {
            How::Steady => f.write_str(self.lamp.name()),
            How::Blink => write!(f, "{} blink", self.lamp.name()),
            How::Pulse(ms) => write!(f, "{} {ms}", self.lamp.name()),
        }
    }
}

/// Lamps of a device for each state and moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShowMap(BTreeMap<Cue, Vec<Light>>);

impl ShowMap {
    /// Green, amber, red; red and amber together for a fault, unlike everything else; the buzzer for `buzzer_ms`.
    pub fn usual(buzzer_ms: u64) -> ShowMap {
        let steady = |lamp| Light { lamp, how: How::Steady };
        let mut infraction = vec![steady(Lamp::Red)];
        if buzzer_ms > 0 {
            infraction.push(Light { lamp: Lamp::Buzzer, how: How::Pulse(buzzer_ms) });
        }
        ShowMap(BTreeMap::from([
            (Cue::Idle, vec![steady(Lamp::Green)]),
            (Cue::Attention, vec![steady(Lamp::Amber)]),
            (Cue::Infraction, infraction),
            (Cue::Fault, vec![steady(Lamp::Red), steady(Lamp::Amber)]),
        ]))
    }

    /// The usual one, with the entries of a configuration in place of its own.
    pub fn with(mut self, other: &ShowMap) -> ShowMap {
        self.0.extend(other.0.iter().map(|(cue, lights)| (*cue, lights.clone())));
        self
    }

    /// The lamps of a cue; none if it has no entry.
    pub fn get(&self, cue: Cue) -> Option<&[Light]> {
        self.0.get(&cue).map(Vec::as_slice)
    }

    /// Every lamp that is used.
    pub fn lamps(&self) -> impl Iterator<Item = Lamp> {
        self.0.values().flatten().map(|l| l.lamp)
    }
}

impl<'de> Deserialize<'de> for ShowMap {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<ShowMap, D::Error> {
        let texts = BTreeMap::<String, Vec<String>>::deserialize(d)?;
        let mut map = BTreeMap::new();
        for (name, lights) in texts {
            let cue: Cue = name.parse().map_err(D::Error::custom)?;
            let lights: Vec<Light> =
                lights.iter().map(|l| l.parse()).collect::<Result<_, String>>().map_err(D::Error::custom)?;
            if let Some(light) = lights.iter().find(|l| cue.is_moment() && !matches!(l.how, How::Pulse(_))) {
                let lamp = light.lamp.name();
                return Err(D::Error::custom(format!(
                    "{name} is a moment: give {light:?} a time, such as \"{lamp} 200\""
                )));
            }
            map.insert(cue, lights);
        }
        Ok(ShowMap(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ShowMap, String> {
        toml::from_str(text).map_err(|e| e.to_string())
    }

    #[test]
    fn entries_take_the_place_of_the_usual_ones() {
        let own = parse("infraction = [\"red blink\"]\nmove = [\"green 150\"]\nfault = []").unwrap();
        let map = ShowMap::usual(1000).with(&own);
        assert_eq!(map.get(Cue::Infraction).unwrap(), [Light { lamp: Lamp::Red, how: How::Blink }]);
        assert_eq!(map.get(Cue::Move).unwrap(), [Light { lamp: Lamp::Green, how: How::Pulse(150) }]);
        assert!(map.get(Cue::Fault).unwrap().is_empty());
        assert_eq!(map.get(Cue::Idle).unwrap()[0].to_string(), "green");
        assert_eq!(map.get(Cue::Heartbeat), None);
    }

    #[test]
    fn errors_say_what_is_possible() {
        for (text, part) in [
            ("alarm = [\"red\"]", "clock_stop"),
            ("idle = [\"pink\"]", "amber"),
            ("idle = [\"red flash\"]", "blink"),
            ("idle = [\"red 0\"]", "60000"),
            ("idle = [\"red 5 5\"]", "one lamp"),
            ("move = [\"green\"]", "a time"),
            ("idle = [\"\"]", "missing"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
