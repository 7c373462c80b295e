//! A device's own millisecond counter as our time. Pure.

use std::collections::VecDeque;

/// So many of the last lines are looked at; at one a second, drift within them is below a millisecond or two.
const WINDOW: usize = 16;
/// What remains: the counter's grain, and the serial adapter's.
const FLOOR_MS: u64 = 3;
/// A counter that jumps by more than this was started anew.
const JUMP_MS: u64 = 5000;

/// Learns from lines that carry the counter's value how it lies in our time: the least delayed line tells best.
#[derive(Clone, Debug, Default)]
pub struct TickClock {
    /// Arrival minus counter, in our milliseconds, of the last lines.
    offsets: VecDeque<u64>,
    /// Last value of the counter, and it as a growing 64-bit number.
    last: Option<(u32, u64)>,
}

impl TickClock {
    /// A line with counter value `tick` arrived at `now_ms`.
    pub fn heard(&mut self, tick: u32, now_ms: u64) {
        let wide = self.widen(tick);
        // so that it cannot be negative
        let offset = now_ms.wrapping_sub(wide);
        let far = self.offsets.front().is_some_and(|o| offset.wrapping_sub(*o).min(o.wrapping_sub(offset)) > JUMP_MS);
        if far {
            self.offsets.clear();
        }
        self.offsets.push_back(offset);
        if self.offsets.len() > WINDOW {
            self.offsets.pop_front();
        }
        self.last = Some((tick, wide));
    }

    /// When the counter stood at `tick`, and how far before that the truth may lie; none if nothing is known yet.
    pub fn at(&self, tick: u32, now_ms: u64) -> Option<(u64, u32)> {
        let wide = self.widen(tick);
        let first = *self.offsets.front()?;
        let relative = |o: u64| o.wrapping_sub(first) as i64;
        let least = self.offsets.iter().copied().min_by_key(|o| relative(*o))?;
        let at = wide.wrapping_add(least);
        // the future, or long ago: the counter was started anew
        let age = now_ms.wrapping_sub(at);
        let age = if age > u64::MAX / 2 { 0 } else { age };
        if age > 60_000 {
            return None;
        }
        let at = now_ms - age.min(now_ms);
        Some((at, (FLOOR_MS + self.wire_ms()) as u32))
    }

    /// The delay of the least delayed line is not known; it is no more than what lines differ by, as a rule.
    fn wire_ms(&self) -> u64 {
        let Some(&first) = self.offsets.front() else { return 0 };
        let relative = self.offsets.iter().map(|o| o.wrapping_sub(first) as i64);
        let (least, middle) = (relative.clone().min(), {
            let mut all: Vec<i64> = relative.collect();
            all.sort_unstable();
            all.get(all.len() / 2).copied()
        });
        middle.zip(least).map_or(0, |(m, l)| (m - l).max(0) as u64)
    }

    fn widen(&self, tick: u32) -> u64 {
        match self.last {
            None => u64::from(tick),
            // the counter overflows after 49 days
            Some((last, wide)) => wide.wrapping_add_signed(i64::from(tick.wrapping_sub(last) as i32)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_delayed_line_tells() {
        let mut ticks = TickClock::default();
        assert_eq!(ticks.at(5, 100), None);
        for (n, delay) in [9u64, 2, 30, 4, 2, 7].into_iter().enumerate() {
            let tick = 1000 * n as u64;
            ticks.heard(tick as u32, 50_000 + tick + delay);
        }
        // pressed at counter 4500, told (after lost acknowledgements) two seconds later
        let (at, uncertainty) = ticks.at(4500, 56_600).unwrap();
        assert_eq!(at, 50_000 + 4500 + 2);
        assert!((3..10).contains(&uncertainty), "{uncertainty}");
    }

    #[test]
    fn the_counter_may_overflow_and_start_anew() {
        let mut ticks = TickClock::default();
        ticks.heard(u32::MAX - 10, 1000);
        ticks.heard(989, 2000);
        assert_eq!(ticks.at(489, 2100).unwrap().0, 1500);
        ticks.heard(3, 9000);
        assert_eq!(ticks.at(3, 9001).unwrap().0, 9000, "a device that was switched on anew");
        assert!(ticks.at(500, 9001).unwrap().0 <= 9001, "nothing happens in the future");
    }
}
