//! The game clock: what it shows, what it is told, and what the table keeps of it. Pure, but for the types' names.
//!
//! Enters: readings and presses from devices, the referee's orders, infractions that stop the clock. Leaves: one order at a
//! time for the clock (with a number, so that nothing is obeyed twice), calls, and presses with their uncertainty. It may
//! never know which device the clock is.

mod desk;
mod drift;
mod policy;
mod software;
mod ticks;

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

pub use desk::{ClockDeed, ClockDesk, ClockInBreak, ClockNote, OrderedBy};
pub use drift::{Drift, DriftMeter};
pub use policy::{InBreaks, StopFor, StopPolicy};
pub use software::SoftwareClock;
pub use ticks::TickClock;

use crate::game::{ClockTimes, SideClock, Text, TimePhase};
use crate::rules::Color;

/// In which part of its time a side is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The clock does not tell.
    Untold,
    Main,
    /// Byo-yomi, with so many periods left, the present one included.
    Period(u8),
    /// The last time is used up.
    Over,
}

/// What the clock shows for one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SideTime {
    pub phase: Phase,
    /// What is left of the phase, in milliseconds.
    pub ms: u64,
}

impl SideTime {
    /// A time whose phase the clock does not tell.
    pub fn untold(ms: u64) -> SideTime {
        SideTime { phase: Phase::Untold, ms }
    }
}

impl fmt::Display for SideTime {
    /// As in the line protocol: `main:1800000`, `period:30000:3`, `time:1800000`, `over`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.phase {
            Phase::Untold => write!(f, "time:{}", self.ms),
            Phase::Main => write!(f, "main:{}", self.ms),
            Phase::Period(left) => write!(f, "period:{}:{left}", self.ms),
            Phase::Over => f.write_str("over"),
        }
    }
}

impl FromStr for SideTime {
    type Err = ();

    fn from_str(text: &str) -> Result<SideTime, ()> {
        let mut parts = text.split(':');
        let word = parts.next().unwrap_or_default();
        let mut number = |most: u64| parts.next().and_then(|p| p.parse::<u64>().ok()).filter(|n| *n <= most).ok_or(());
        // a day is longer than any game
        let time = match word {
            "time" => SideTime::untold(number(DAY_MS)?),
            "main" => SideTime { phase: Phase::Main, ms: number(DAY_MS)? },
            "period" => {
                let ms = number(DAY_MS)?;
                SideTime { phase: Phase::Period(number(255)? as u8), ms }
            }
            "over" => SideTime { phase: Phase::Over, ms: 0 },
            _ => return Err(()),
        };
        if parts.next().is_some() { Err(()) } else { Ok(time) }
    }
}

impl From<SideTime> for SideClock {
    fn from(time: SideTime) -> SideClock {
        let (phase, periods) = match time.phase {
            Phase::Untold => (TimePhase::Untold, None),
            Phase::Main => (TimePhase::Main, None),
            Phase::Period(left) => (TimePhase::Period, Some(left)),
            Phase::Over => (TimePhase::Over, None),
        };
        SideClock { phase, ms: time.ms, periods }
    }
}

impl From<SideClock> for SideTime {
    fn from(time: SideClock) -> SideTime {
        let ms = time.ms.min(DAY_MS);
        match time.phase {
            TimePhase::Untold => SideTime::untold(ms),
            TimePhase::Main => SideTime { phase: Phase::Main, ms },
            TimePhase::Period => SideTime { phase: Phase::Period(time.periods.unwrap_or(1)), ms },
            TimePhase::Over => SideTime { phase: Phase::Over, ms: 0 },
        }
    }
}

impl From<Times> for ClockTimes {
    fn from(times: Times) -> ClockTimes {
        ClockTimes { black: times.black.into(), white: times.white.into() }
    }
}

impl From<ClockTimes> for Times {
    fn from(times: ClockTimes) -> Times {
        Times { black: times.black.into(), white: times.white.into() }
    }
}

const DAY_MS: u64 = 24 * 3600 * 1000;

/// Both sides' times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Times {
    pub black: SideTime,
    pub white: SideTime,
}

impl Times {
    /// One side's.
    pub fn of(&self, color: Color) -> SideTime {
        match color {
            Color::Black => self.black,
            Color::White => self.white,
        }
    }

    /// One side's, to be changed.
    pub fn of_mut(&mut self, color: Color) -> &mut SideTime {
        match color {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }
}

/// What a clock shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ClockReading {
    pub times: Times,
    /// Whose time runs.
    pub running: Option<Color>,
    /// Whose turn it is, where the clock tells (a stopped clock with a lever does).
    pub turn: Option<Color>,
}

/// What the clock is to do. A number that was obeyed is not obeyed again, however often it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ClockOrder {
    pub number: u64,
    /// Whose time is to run; none: both stand.
    pub run: Option<Color>,
    /// Times to be shown from then on; none: as they are.
    pub times: Option<Times>,
    /// `seq` of the event that stopped it; none: somebody gave the order.
    pub because: Option<u64>,
}

/// Something that is said or shown at the clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Announcement {
    pub number: u64,
    /// Whose time it is about.
    pub color: Option<Color>,
    /// What kind of call, in one word (`seconds`, `period`, `last_period`, `minutes`, `text`, …).
    pub kind: String,
    pub text: Text,
    /// A short form for displays of few characters, ASCII.
    pub short: String,
    /// How long it beeps.
    pub beep_ms: u32,
}

/// A press of the clock, as a device saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PressSeen {
    /// Who pressed.
    pub side: Color,
    /// When, by the signals' clock ([`super::Signals::epoch`]): at this time at the latest …
    pub at_ms: u64,
    /// … and at most so long before it.
    pub uncertainty_ms: u32,
}

/// What the devices need to know about the clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClockOutlook {
    /// The newest order.
    pub order: Option<ClockOrder>,
    /// The newest call.
    pub say: Option<Announcement>,
    /// goband has stopped the clock and it has not run since.
    pub stopped: bool,
    /// Who has the move and is in byo-yomi.
    pub in_byoyomi: Option<Color>,
    /// How many presses there were.
    pub presses: u64,
    /// goband keeps the time itself: a clock with a lever shows what it is told, and does not change sides alone.
    pub is_software: bool,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn side_times_round_trip(ms in 0..=DAY_MS, periods in any::<u8>(), which in 0..4) {
            let phase = [Phase::Untold, Phase::Main, Phase::Period(periods), Phase::Over][which as usize];
            let time = SideTime { phase, ms: if phase == Phase::Over { 0 } else { ms } };
            prop_assert_eq!(time.to_string().parse(), Ok(time));
            prop_assert_eq!(SideTime::from(SideClock::from(time)), time);
        }

        #[test]
        fn any_text_is_safe(text in "(time|main|period|over|x)?[:0-9a-z.-]{0,24}") {
            if let Ok(time) = text.parse::<SideTime>() {
                prop_assert!(time.ms <= DAY_MS);
            }
        }
    }
}
