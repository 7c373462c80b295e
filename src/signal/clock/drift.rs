//! How much a clock gains or loses against ours. Pure.
//!
//! A clock that errs by two minutes an hour or more is to be replaced, and the times are corrected in proportion
//! (000 art. 22.3).

use serde::Serialize;

use super::ClockReading;
use crate::rules::Color;

/// From this on a clock is to be replaced: milliseconds an hour.
pub const REPLACE_MS_PER_HOUR: i64 = 120_000;
/// Measured for so long, a drift is worth telling.
pub const WORTH_MS: u64 = 10 * 60 * 1000;
/// Stretches shorter than this are all jitter.
const SHORTEST_MS: u64 = 5000;

/// A drift, and over how long it was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Drift {
    /// How much more than an hour passes on the clock in an hour of ours, milliseconds; negative: it is slow.
    pub ms_per_hour: i64,
    /// Half the width of the interval in which the truth lies, as the readings' grain allows.
    pub uncertainty_ms_per_hour: i64,
    /// Of our time.
    pub measured_ms: u64,
}

impl Drift {
    /// It is certainly so far off that the clock is to be replaced.
    pub fn is_too_much(self) -> bool {
        self.measured_ms >= WORTH_MS && self.ms_per_hour.abs() - self.uncertainty_ms_per_hour >= REPLACE_MS_PER_HOUR
    }
}

/// Adds up stretches in which one side's time fell.
#[derive(Clone, Debug, Default)]
pub struct DriftMeter {
    /// Side, its time and ours where the stretch began.
    begin: Option<(Color, u64, u64)>,
    /// The newest reading of the stretch.
    last: Option<(u64, u64)>,
    clock_ms: u64,
    our_ms: u64,
    /// How far the two ends of all stretches may be off, added up as squares.
    squares_ms2: u64,
}

impl DriftMeter {
    /// A reading arrived at `now_ms`. `grain_ms`: how late it may have come.
    pub fn see(&mut self, reading: &ClockReading, now_ms: u64, grain_ms: u64) {
        let running = reading.running.map(|color| (color, reading.times.of(color).ms));
        match (self.begin, self.last, running) {
            (Some((side, _, _)), Some((last_clock, last_ours)), Some((color, ms))) if side == color => {
                if ms > last_clock || now_ms.saturating_sub(last_ours) > 5000 {
                    // byo-yomi, Fischer, the referee, or silence: a new stretch
                    self.finish(grain_ms);
                    self.begin = Some((color, ms, now_ms));
                    self.last = Some((ms, now_ms));
                } else if ms < last_clock {
                    // only a changed value says when it changed
                    self.last = Some((ms, now_ms));
                }
            }
            (_, _, Some((color, ms))) => {
                self.finish(grain_ms);
                self.begin = Some((color, ms, now_ms));
                self.last = Some((ms, now_ms));
            }
            (_, _, None) => self.finish(grain_ms),
        }
    }

    fn finish(&mut self, grain_ms: u64) {
        if let (Some((_, clock, ours)), Some((last_clock, last_ours))) = (self.begin.take(), self.last.take())
            && last_ours.saturating_sub(ours) >= SHORTEST_MS
            && clock > last_clock
        {
            self.clock_ms += clock - last_clock;
            self.our_ms += last_ours - ours;
            self.squares_ms2 += 2 * grain_ms * grain_ms;
        }
    }

    /// What was measured so far, the present stretch included.
    pub fn drift(&self, grain_ms: u64) -> Option<Drift> {
        let mut all = self.clone();
        all.finish(grain_ms);
        (all.our_ms >= SHORTEST_MS).then(|| {
            let per_hour = |ms: f64| (ms * 3_600_000.0 / all.our_ms as f64).round() as i64;
            Drift {
                ms_per_hour: per_hour(all.clock_ms as f64 - all.our_ms as f64),
                uncertainty_ms_per_hour: per_hour((all.squares_ms2 as f64).sqrt()),
                measured_ms: all.our_ms,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SideTime, Times};
    use super::*;

    /// A clock whose second lasts `second_ms`, read at each of its seconds with a delay of 0 to 200 ms; turns of 40 s.
    fn measure(second_ms: f64, minutes: u64) -> Drift {
        let mut meter = DriftMeter::default();
        let mut left = [36_000u64, 36_000];
        let seconds = (minutes as f64 * 60_000.0 / second_ms) as u64;
        for n in 0..seconds {
            let color = if n / 40 % 2 == 0 { Color::Black } else { Color::White };
            let side = usize::from(color == Color::White);
            left[side] -= 1;
            let times = Times { black: SideTime::untold(left[0] * 1000), white: SideTime::untold(left[1] * 1000) };
            let reading = ClockReading { times, running: Some(color), turn: Some(color) };
            let delay = n * 7919 % 200;
            meter.see(&reading, (n as f64 * second_ms) as u64 + delay, 200);
        }
        meter.drift(200).unwrap()
    }

    #[test]
    fn a_slow_clock_is_found_and_a_good_one_is_not() {
        let good = measure(1000.0, 30);
        assert!(good.ms_per_hour.abs() <= good.uncertainty_ms_per_hour && !good.is_too_much(), "{good:?}");
        let slow = measure(1050.0, 30);
        assert!((-180_000..-160_000).contains(&slow.ms_per_hour) && slow.is_too_much(), "{slow:?}");
        let fast = measure(960.0, 30);
        assert!((140_000..160_000).contains(&fast.ms_per_hour) && fast.is_too_much(), "{fast:?}");
        assert!(!measure(1050.0, 2).is_too_much(), "two minutes say little");
    }
}
