//! What happens next on a running clock, found from what it shows: no list of calls already made has to be kept.

use serde::{Deserialize, Serialize};

use super::{Reading, TimeSettings};

/// What is said aloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// So many seconds of the period are used.
    Seconds(u64),
    /// The last seconds of the last period: 1, 2, 3 … 9.
    Count(u64),
}

/// What a running clock comes to next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Reminder { left_ms: u64 },
    MainUsed,
    Call(Call),
    PeriodUsed,
}

/// The next mark, and in how many milliseconds: 1 or more on a clock that has time left, 0 on an empty one.
pub(super) fn next(reading: &Reading, settings: &TimeSettings) -> (u64, Mark) {
    if reading.main_ms > 0 {
        let reminders = settings.rule.reminders.iter().map(|t| t.ms());
        return match reminders.filter(|&t| t < reading.main_ms).max() {
            Some(left_ms) => (reading.main_ms - left_ms, Mark::Reminder { left_ms }),
            None => (reading.main_ms, Mark::MainUsed),
        };
    }
    if reading.periods == 0 {
        return (0, Mark::MainUsed);
    }
    let left_ms = settings.period_ms.saturating_sub(reading.period_used_ms);
    let calls = &settings.rule.calls;
    let last = reading.periods == 1;
    let listed = if last { &calls.last_left } else { &calls.left };
    let next_listed = listed.iter().map(|t| t.ms()).filter(|&t| t < left_ms).max();
    // counted at every whole second below `count`, down to 1 s left
    let counted_from_ms = left_ms.min(calls.count.ms()).saturating_sub(1) / 1000 * 1000;
    let next_counted = (last && counted_from_ms > 0).then_some(counted_from_ms);
    match next_listed.max(next_counted) {
        None => (left_ms, Mark::PeriodUsed),
        Some(at_left_ms) => {
            let call = if next_counted == Some(at_left_ms) {
                Call::Count((calls.count.ms().min(settings.period_ms) - at_left_ms) / 1000)
            } else {
                Call::Seconds((settings.period_ms - at_left_ms) / 1000)
            };
            (left_ms - at_left_ms, Mark::Call(call))
        }
    }
}
