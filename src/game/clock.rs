//! What the clock's events say: what it shows, and what is called. The same words as on the line to a clock.

use serde::{Deserialize, Serialize};

use crate::rules::Color;

/// In which part of its time a side is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimePhase {
    Main,
    /// Byo-yomi.
    Period,
    /// The last time is used up.
    Over,
    /// The clock does not tell.
    Untold,
}

/// What a clock shows for one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideClock {
    pub phase: TimePhase,
    /// What is left of the phase (in byo-yomi: of the present period), milliseconds.
    pub ms: u64,
    /// In byo-yomi: how many periods are left, the present one included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub periods: Option<u8>,
}

impl SideClock {
    /// `0:25:11`, and in byo-yomi the periods: `0:00:21 (3)`.
    pub fn face(self) -> String {
        let s = self.ms.div_ceil(1000);
        let periods = self.periods.map(|n| format!(" ({n})")).unwrap_or_default();
        format!("{}:{:02}:{:02}{periods}", s / 3600, s / 60 % 60, s % 60)
    }
}

/// What a clock shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockTimes {
    #[serde(rename = "B")]
    pub black: SideClock,
    #[serde(rename = "W")]
    pub white: SideClock,
}

impl ClockTimes {
    /// One side's.
    pub fn of(&self, color: Color) -> SideClock {
        match color {
            Color::Black => self.black,
            Color::White => self.white,
        }
    }
}

/// What is called at the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ClockCall {
    /// So many seconds of the byo-yomi period are used (30, 40, 50, 55, 58, 59, as the regulations have it).
    Seconds { seconds: u64 },
    /// The last ten seconds of the last period are counted: 1, 2, 3 …
    Count { count: u64 },
    /// So many periods are left, the one that begins included.
    Period { periods: u32 },
    /// The last period begins.
    LastPeriod,
    /// So many minutes of main time are left.
    Minutes { minutes: u64 },
}
