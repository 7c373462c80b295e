//! What a clock face shows, and the arithmetic on it.

use serde::{Deserialize, Serialize};

use super::TimeSettings;
use crate::rules::Color;

/// One side's clock face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reading {
    /// Main time left.
    pub main_ms: u64,
    /// Byo-yomi periods left, the present one included.
    pub periods: u32,
    /// Used of the present period in this move.
    pub period_used_ms: u64,
}

/// Both clock faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Readings {
    pub black: Reading,
    pub white: Reading,
}

impl Readings {
    pub fn of(&self, side: Color) -> Reading {
        match side {
            Color::Black => self.black,
            Color::White => self.white,
        }
    }

    pub(super) fn of_mut(&mut self, side: Color) -> &mut Reading {
        match side {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }
}

impl Reading {
    /// All time still there.
    pub fn full(settings: &TimeSettings) -> Reading {
        Reading { main_ms: settings.main_ms, periods: settings.periods, period_used_ms: 0 }
    }

    pub fn in_byoyomi(&self) -> bool {
        self.main_ms == 0 && self.periods > 0
    }

    pub fn is_empty(&self) -> bool {
        self.main_ms == 0 && self.periods == 0
    }

    /// Nothing on it that the settings cannot lead to, apart from more main time or periods than at the start, which a
    /// referee may give.
    pub fn is_possible(&self, settings: &TimeSettings) -> bool {
        const MOST_MS: u64 = super::Millis::MAX.ms();
        self.main_ms <= MOST_MS
            && self.periods <= super::rule::MAX_PERIODS
            && self.period_used_ms < settings.period_ms
            && (self.period_used_ms == 0 || self.in_byoyomi())
    }

    /// What is gone of the side's whole time: main time and full periods, and the present period as far as it is used.
    pub fn used_ms(&self, settings: &TimeSettings) -> u64 {
        settings.main_ms.saturating_sub(self.main_ms)
            + u64::from(settings.periods.saturating_sub(self.periods)) * settings.period_ms
            + self.period_used_ms
    }

    /// The face of a side that has used so much: first the main time, then full periods. `None` where nothing would be
    /// left: that is for the referee to say, not for arithmetic.
    pub fn from_used(used_ms: u64, settings: &TimeSettings) -> Option<Reading> {
        if used_ms < settings.main_ms {
            return Some(Reading { main_ms: settings.main_ms - used_ms, ..Reading::full(settings) });
        }
        let over_ms = used_ms - settings.main_ms;
        let gone = u32::try_from(over_ms / settings.period_ms).ok()?;
        let periods = settings.periods.checked_sub(gone).filter(|&n| n > 0)?;
        Some(Reading { main_ms: 0, periods, period_used_ms: over_ms % settings.period_ms })
    }
}

/// The true time, shared out in the proportion in which the faulty clock showed it used (000 22.3). The shares add up
/// to `true_ms` exactly; the odd millisecond goes to the side with the larger remainder. `None` if nothing was shown.
pub fn shared_pro_rata(shown_used_ms: [u64; 2], true_ms: u64) -> Option<[u64; 2]> {
    let total = u128::from(shown_used_ms[0]) + u128::from(shown_used_ms[1]);
    if total == 0 {
        return None;
    }
    let parts = shown_used_ms.map(|shown| u128::from(shown) * u128::from(true_ms));
    let mut black = parts[0] / total;
    if black + parts[1] / total < u128::from(true_ms) && parts[0] % total >= parts[1] % total {
        black += 1;
    }
    let black = u64::try_from(black).ok()?;
    Some([black, true_ms - black])
}

/// Whether a clock that showed `shown_ms` in `true_ms` errs by `per_hour_ms` an hour or more.
pub fn errs_too_much(shown_ms: u64, true_ms: u64, per_hour_ms: u64) -> bool {
    const HOUR_MS: u128 = 3_600_000;
    true_ms > 0 && u128::from(shown_ms.abs_diff(true_ms)) * HOUR_MS >= u128::from(per_hour_ms) * u128::from(true_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_measured_by_the_hour() {
        // 000 22.3: two minutes an hour, included
        assert!(errs_too_much(3_480_000, 3_600_000, 120_000));
        assert!(!errs_too_much(3_480_001, 3_600_000, 120_000));
        assert!(errs_too_much(1_860_000, 1_800_000, 120_000), "one minute in half an hour");
        assert!(!errs_too_much(5, 0, 120_000), "nothing has passed");
    }

    #[test]
    fn shares_are_exact() {
        assert_eq!(shared_pro_rata([1, 2], 100), Some([33, 67]));
        assert_eq!(shared_pro_rata([1, 1], 3), Some([2, 1]));
        assert_eq!(shared_pro_rata([0, 7], 10), Some([0, 10]));
        assert_eq!(shared_pro_rata([0, 0], 10), None);
        assert_eq!(shared_pro_rata([u64::MAX, u64::MAX], u64::MAX), Some([u64::MAX / 2 + 1, u64::MAX / 2]));
    }
}
