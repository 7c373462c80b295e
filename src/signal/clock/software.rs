//! A clock without hardware: goband keeps the time, from the presses of any device. Pure: times are given.
//!
//! A press may be told late (its line had to be repeated) but carries its time. So the state is kept as it was at the last
//! event, and what it shows now is computed from that: a press of two seconds ago is still counted at its own time.

use super::{ClockOrder, ClockReading, Phase, SideTime, Times};
use crate::rules::Color;
use crate::rules::time::{self, AtPress, Clock, Reading, Readings, Stop, TimeEffect, TimeEvent, TimeSettings};

/// The clock.
#[derive(Clone, Debug)]
pub struct SoftwareClock {
    /// As of the last event.
    base: Clock,
    /// How many of the effects since then were told.
    told: usize,
    /// The works' time minus ours: a stored clock goes on with its own.
    offset_ms: u64,
}

impl SoftwareClock {
    /// A clock that has not started.
    pub fn new(settings: TimeSettings, now_ms: u64) -> SoftwareClock {
        SoftwareClock { base: Clock::new(settings, now_ms), told: 0, offset_ms: 0 }
    }

    /// A clock that was stored by a program that has ended since. Nobody knows what happened meanwhile: if it ran, it stands
    /// now, at the time that was stored, until the referee lets it go on.
    pub fn restored(stored: Clock, now_ms: u64) -> SoftwareClock {
        let offset_ms = stored.now_ms().saturating_sub(now_ms);
        let mut clock = SoftwareClock { base: stored, told: 0, offset_ms };
        if clock.base.phase() == time::Phase::Running {
            clock.take(&TimeEvent::Stop { reason: Stop::Fault }, now_ms);
        }
        clock
    }

    /// The clock as it is now, to be stored.
    pub fn to_store(&self, now_ms: u64) -> Clock {
        self.at(now_ms)
    }

    fn at(&self, now_ms: u64) -> Clock {
        let at_ms = (now_ms + self.offset_ms).max(self.base.now_ms());
        self.base.apply(&TimeEvent::Tick, at_ms).map_or_else(|_| self.base.clone(), |(clock, _)| clock)
    }

    fn in_our_time(&self, mut effects: Vec<TimeEffect>) -> Vec<TimeEffect> {
        effects.iter_mut().for_each(|e| e.at_ms = e.at_ms.saturating_sub(self.offset_ms));
        effects
    }

    /// What time has brought: calls, periods, an overrun.
    pub fn tick(&mut self, now_ms: u64) -> Vec<TimeEffect> {
        let at_ms = (now_ms + self.offset_ms).max(self.base.now_ms());
        let Ok((_, mut effects)) = self.base.apply(&TimeEvent::Tick, at_ms) else { return Vec::new() };
        let new = effects.split_off(self.told.min(effects.len()));
        self.told += new.len();
        self.in_our_time(new)
    }

    /// What it shows.
    pub fn reading(&self, now_ms: u64) -> ClockReading {
        let clock = self.at(now_ms);
        let period_ms = clock.settings().period_ms;
        let side = |reading: Reading| {
            if reading.main_ms > 0 {
                SideTime { phase: Phase::Main, ms: reading.main_ms }
            } else if reading.periods > 0 {
                let periods = u8::try_from(reading.periods).unwrap_or(u8::MAX);
                SideTime { phase: Phase::Period(periods), ms: period_ms.saturating_sub(reading.period_used_ms) }
            } else {
                SideTime { phase: Phase::Over, ms: 0 }
            }
        };
        let Readings { black, white } = clock.readings();
        let turn = clock.turn();
        let running = (clock.phase() == time::Phase::Running).then_some(turn);
        ClockReading { times: Times { black: side(black), white: side(white) }, running, turn: Some(turn) }
    }

    /// A side has pressed. The first press starts the other side's time.
    pub fn press(&mut self, side: Color, at_ms: u64) -> Vec<TimeEffect> {
        let event = match self.base.phase() {
            time::Phase::NotStarted => TimeEvent::Start { turn: side.opponent() },
            _ => TimeEvent::Press { side, board: AtPress::Complete },
        };
        self.take(&event, at_ms)
    }

    /// Does what an order says.
    pub fn obey(&mut self, order: &ClockOrder, now_ms: u64) -> Vec<TimeEffect> {
        let mut effects = Vec::new();
        match (order.run, order.because) {
            // puts byo-yomi back by itself
            (None, Some(_)) => effects.extend(self.take(&TimeEvent::Dispute, now_ms)),
            (None, None) => effects.extend(self.take(&TimeEvent::Stop { reason: Stop::Other }, now_ms)),
            (Some(_), _) => {}
        }
        if let (Some(times), None) = (order.times, order.because) {
            let period_ms = self.base.settings().period_ms;
            let before = self.reading(now_ms);
            let face = |color: Color, old: Reading| {
                let time = times.of(color);
                match time.phase {
                    Phase::Main => Reading { main_ms: time.ms, ..old },
                    // a clock that does not tell stays in its phase
                    Phase::Untold if matches!(before.times.of(color).phase, Phase::Main) => {
                        Reading { main_ms: time.ms, ..old }
                    }
                    Phase::Untold => Reading { period_used_ms: period_ms.saturating_sub(time.ms), ..old },
                    Phase::Period(periods) => Reading {
                        main_ms: 0,
                        periods: u32::from(periods),
                        period_used_ms: period_ms.saturating_sub(time.ms),
                    },
                    Phase::Over => Reading { main_ms: 0, periods: 0, period_used_ms: 0 },
                }
            };
            let old = self.base.readings();
            let readings = Readings { black: face(Color::Black, old.black), white: face(Color::White, old.white) };
            effects.extend(self.take(&TimeEvent::Set { readings, chief_referee: true }, now_ms));
        }
        if let Some(side) = order.run {
            let event = match self.base.phase() {
                time::Phase::NotStarted => TimeEvent::Start { turn: side },
                _ => TimeEvent::Resume { turn: Some(side) },
            };
            effects.extend(self.take(&event, now_ms));
        }
        effects
    }

    /// The clock's settings.
    pub fn settings(&self) -> &TimeSettings {
        self.base.settings()
    }

    fn take(&mut self, event: &TimeEvent, at_ms: u64) -> Vec<TimeEffect> {
        let at_ms = (at_ms + self.offset_ms).max(self.base.now_ms());
        match self.base.apply(event, at_ms) {
            Ok((clock, mut effects)) => {
                // what was due before the event may have been told already
                let due = self.base.apply(&TimeEvent::Tick, at_ms).map_or(0, |(_, effects)| effects.len());
                let new = effects.split_off(due.min(self.told).min(effects.len()));
                self.base = clock;
                self.told = 0;
                self.in_our_time(new)
            }
            Err(error) => {
                tracing::info!(?event, %error, "the clock does not take this");
                Vec::new()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;
    use crate::rules::time::{Call, Millis, TimeNotice};

    fn clock() -> SoftwareClock {
        let mut ruleset = Ruleset::builtin("team-relay").unwrap();
        let time = ruleset.time.as_mut().unwrap();
        time.main = Some(Millis::seconds(60));
        time.periods = Some(3);
        time.period = Some(Millis::seconds(60));
        SoftwareClock::new(ruleset.time_settings().unwrap(), 0)
    }

    fn calls(effects: &[TimeEffect]) -> Vec<u64> {
        let call = |e: &TimeEffect| match e.what {
            TimeNotice::Call { call: Call::Seconds(s), .. } => Some(s),
            _ => None,
        };
        effects.iter().filter_map(call).collect()
    }

    fn shown(clock: &SoftwareClock, now_ms: u64) -> (String, String, Option<Color>) {
        let r = clock.reading(now_ms);
        (r.times.black.to_string(), r.times.white.to_string(), r.running)
    }

    #[test]
    fn it_runs_by_presses_and_calls() {
        let mut clock = clock();
        assert_eq!(shown(&clock, 500).2, None);
        // White presses: Black's time begins
        clock.press(Color::White, 1000);
        assert_eq!(shown(&clock, 2000), ("main:59000".into(), "main:60000".into(), Some(Color::Black)));
        let effects = clock.tick(101_500);
        assert!(effects.iter().any(|e| matches!(e.what, TimeNotice::ByoyomiBegins { .. })));
        assert_eq!(calls(&effects), [30, 40]);
        assert!(clock.tick(101_600).is_empty(), "each is said once");
        assert_eq!(shown(&clock, 101_000).0, "period:20000:3");
        clock.press(Color::Black, 102_000);
        assert_eq!(shown(&clock, 103_000), ("period:60000:3".into(), "main:59000".into(), Some(Color::White)));
    }

    #[test]
    fn a_press_that_is_told_late_counts_at_its_time() {
        let mut clock = clock();
        clock.press(Color::White, 0);
        clock.tick(60_500);
        // at 119.9 s the period was still there; the line came at 121 s, when it was used up
        let effects = clock.tick(121_000);
        assert!(effects.iter().any(|e| matches!(e.what, TimeNotice::PeriodUsed { left: 2, .. })), "{effects:?}");
        let effects = clock.press(Color::Black, 119_900);
        assert!(effects.iter().any(|e| matches!(e.what, TimeNotice::Turn { used_ms: 119_900, .. })), "{effects:?}");
        assert_eq!(shown(&clock, 121_000), ("period:60000:3".into(), "main:58900".into(), Some(Color::White)));
    }

    #[test]
    fn a_stored_clock_stands_until_the_referee_lets_it_go_on() {
        let mut clock = clock();
        clock.press(Color::White, 500_000);
        let stored = serde_json::to_string(&clock.to_store(520_000)).unwrap();
        // another program, whose time starts anew
        let mut clock = SoftwareClock::restored(serde_json::from_str(&stored).unwrap(), 10);
        assert_eq!(shown(&clock, 90_000), ("main:40000".into(), "main:60000".into(), None));
        let order = ClockOrder { number: 1, run: Some(Color::Black), times: None, because: None };
        let effects = clock.obey(&order, 100_000);
        assert_eq!(effects[0].at_ms, 100_000);
        assert_eq!(shown(&clock, 101_000), ("main:39000".into(), "main:60000".into(), Some(Color::Black)));
    }

    #[test]
    fn orders_stop_put_back_set_and_resume() {
        let mut clock = clock();
        clock.press(Color::White, 0);
        let order = |run, times, because| ClockOrder { number: 1, run, times, because };
        clock.obey(&order(None, None, Some(7)), 75_000);
        assert_eq!(shown(&clock, 90_000).2, None);
        assert_eq!(shown(&clock, 90_000).0, "main:60000", "as it was when his turn began");
        let times = Times { black: "period:30000:2".parse().unwrap(), white: "main:12000".parse().unwrap() };
        clock.obey(&order(Some(Color::Black), Some(times), None), 100_000);
        assert_eq!(shown(&clock, 101_000), ("period:29000:2".into(), "main:12000".into(), Some(Color::Black)));
        clock.obey(&order(None, None, None), 102_000);
        clock.obey(&order(Some(Color::White), None, None), 110_000);
        assert_eq!(shown(&clock, 111_000).2, Some(Color::White));
    }
}
