//! The works of an emulated clock: two times, main time and byo-yomi, one of them running. Times are given.

use std::str::FromStr;

use crate::rules::Color;
use crate::signal::clock::{ClockReading, Phase, SideTime, Times};

/// What both sides start with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub main_ms: u64,
    pub periods: u8,
    pub period_ms: u64,
}

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance { main_ms: 600_000, periods: 3, period_ms: 30_000 }
    }
}

impl FromStr for Allowance {
    type Err = String;

    /// `600+3x30`: seconds of main time, periods, seconds of each; `600` alone has none.
    fn from_str(text: &str) -> Result<Allowance, String> {
        let wrong = || format!("{text:?}: write seconds, such as 600, or with byo-yomi 600+3x30");
        let (main, rest) = text.split_once('+').map_or((text, None), |(main, rest)| (main, Some(rest)));
        let seconds = |s: &str| s.parse::<u64>().ok().filter(|s| *s <= 35_999).map(|s| s * 1000).ok_or_else(wrong);
        let (periods, period_ms) = match rest {
            None => (0, 0),
            Some(rest) => {
                let (count, each) = rest.split_once('x').ok_or_else(wrong)?;
                (count.parse().map_err(|_| wrong())?, seconds(each)?)
            }
        };
        Ok(Allowance { main_ms: seconds(main)?, periods, period_ms })
    }
}

/// The works.
#[derive(Clone, Debug)]
pub struct Timepiece {
    allowance: Allowance,
    times: Times,
    running: Option<Color>,
    turn: Color,
    now_ms: u64,
    /// How fast it goes: 1000 is right.
    per_mille: u64,
}

impl Timepiece {
    /// A clock that stands, Black to move.
    pub fn new(allowance: Allowance) -> Timepiece {
        let full = if allowance.main_ms > 0 {
            SideTime { phase: Phase::Main, ms: allowance.main_ms }
        } else {
            SideTime { phase: Phase::Period(allowance.periods), ms: allowance.period_ms }
        };
        let times = Times { black: full, white: full };
        Timepiece { allowance, times, running: None, turn: Color::Black, now_ms: 0, per_mille: 1000 }
    }

    /// Goes wrong: 1050 gains 5 %.
    pub fn set_rate(&mut self, per_mille: u64) {
        self.per_mille = per_mille;
    }

    /// Lets time pass.
    pub fn advance(&mut self, now_ms: u64) {
        let mut passed = now_ms.saturating_sub(self.now_ms) * self.per_mille / 1000;
        self.now_ms = self.now_ms.max(now_ms);
        let Some(side) = self.running else { return };
        let allowance = self.allowance;
        let time = self.times.of_mut(side);
        while passed >= time.ms {
            passed -= time.ms;
            time.phase = match time.phase {
                Phase::Main | Phase::Untold if allowance.periods > 0 => Phase::Period(allowance.periods),
                Phase::Period(left) if left > 1 => Phase::Period(left - 1),
                _ => Phase::Over,
            };
            time.ms = allowance.period_ms;
            if time.phase == Phase::Over {
                time.ms = 0;
                self.running = None;
                return;
            }
        }
        time.ms -= passed;
    }

    /// A side presses: the other's time runs. A press on a clock that stands, or by the wrong side, does nothing here.
    pub fn press(&mut self, side: Color, now_ms: u64) -> bool {
        self.advance(now_ms);
        if self.running != Some(side) {
            return false;
        }
        let time = self.times.of_mut(side);
        if let Phase::Period(_) = time.phase {
            time.ms = self.allowance.period_ms;
        }
        self.turn = side.opponent();
        self.running = Some(self.turn);
        true
    }

    /// Does as told: who runs, and maybe other times.
    pub fn set(&mut self, run: Option<Color>, times: Option<Times>, now_ms: u64) {
        self.advance(now_ms);
        if let Some(times) = times {
            self.times = times;
        }
        self.running = run;
        self.turn = run.unwrap_or(self.turn);
    }

    /// The lever, moved while it stands.
    pub fn set_turn(&mut self, turn: Color) {
        self.turn = turn;
    }

    /// What it shows.
    pub fn reading(&self) -> ClockReading {
        ClockReading { times: self.times, running: self.running, turn: Some(self.turn) }
    }

    /// What it shows, in words.
    pub fn words(&self) -> String {
        let side = |color: Color| {
            let time = self.times.of(color);
            let s = time.ms.div_ceil(1000);
            let periods = if let Phase::Period(n) = time.phase { format!(" ({n})") } else { String::new() };
            format!("{}:{:02}:{:02}{periods}", s / 3600, s / 60 % 60, s % 60)
        };
        let running = match self.running {
            None => "stands",
            Some(Color::Black) => "Black runs",
            Some(Color::White) => "White runs",
        };
        format!("Black {}, White {}, {running}", side(Color::Black), side(Color::White))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn main_time_and_periods() {
        let mut clock = Timepiece::new("10+2x5".parse().unwrap());
        clock.set(Some(Color::Black), None, 0);
        clock.advance(9000);
        assert_eq!(clock.reading().times.black, SideTime { phase: Phase::Main, ms: 1000 });
        clock.advance(11_000);
        assert_eq!(clock.reading().times.black, SideTime { phase: Phase::Period(2), ms: 4000 });
        assert!(!clock.press(Color::White, 11_500), "not his turn");
        assert!(clock.press(Color::Black, 12_000));
        assert_eq!(clock.reading().times.black.ms, 5000, "the period is whole again");
        clock.set(Some(Color::Black), None, 12_000);
        clock.advance(23_000);
        assert_eq!((clock.reading().times.black.phase, clock.reading().running), (Phase::Over, None));
        for wrong in ["", "x", "10+3", "10+3x", "10+300x5", "99999"] {
            assert!(wrong.parse::<Allowance>().is_err(), "{wrong}");
        }
    }
}
