//! Time control: main time and byo-yomi, pressed, stopped, put back, scaled, suspended, sealed.
//!
//! Enters: what a ruleset says of time ([`TimeRule`]) with the competition's numbers, and events with the caller's time
//! in milliseconds. Leaves: a new [`Clock`] and what follows, each at its nominal time ([`TimeEffect`]): calls, reminders,
//! periods used, overruns, refused presses. It may never read a clock, know who is at fault, or count a penalty: times
//! are the caller's, and an overrun is a fact with its proposed outcome.
//!
//! However time is cut into ticks, the same effects come in the same order, because what is due is found from what the
//! clock shows.
//!
//! | file | holds |
//! | --- | --- |
//! | `span` | lengths of time as people write them |
//! | `rule` | `[time]` of a ruleset, and the times of one game |
//! | `reading` | clock faces, and the arithmetic on them |
//! | `calls` | what a running clock comes to next |
//! | `event`, `clock`, `desk` | the machine: what runs, and what the referee's desk does to it |
//! | `sealed` | the sealed move |
//! | `wording` | the sentences |

mod calls;
mod clock;
mod desk;
mod event;
mod reading;
mod rule;
mod sealed;
mod span;
mod wording;

pub use calls::Call;
pub use clock::{Clock, Phase, SideTotals};
pub use event::{AtPress, Stop, TimeEffect, TimeError, TimeEvent, TimeNotice};
pub use reading::{Reading, Readings, errs_too_much, shared_pro_rata};
pub(crate) use rule::data_error;
pub use rule::{
    AfterOverrun, Calls, CaptureTime, DataError, Item, MAX_PERIODS, Outcome, TimeFile, TimeRule, TimeSettings,
};
pub use sealed::{Opened, SealedError, SealedMove, SealedOutcome};
pub use span::{Millis, ParseMillisError};
