//! What a sink (journal, record, lamp, page) says about itself.

use super::{Event, EventKind, Interval, Text};

/// A sink got into trouble, or is well again. The service turns it into an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinkReport {
    /// Which: `journal`, `sgf`, `evidence`, or the name of a device.
    pub sink: String,
    pub degraded: bool,
    /// What is wrong and what to do, for people.
    pub text: Text,
}

impl SinkReport {
    /// The event of this report at `time_ms` of the source's time; `seq` is given by whoever owns the order.
    pub fn event(&self, time_ms: u64) -> Event {
        let kind = if self.degraded { EventKind::SinkDegraded } else { EventKind::SinkRestored };
        let mut event = Event::new(kind, Interval { first: time_ms, last: time_ms }, time_ms, 1.0);
        event.text = Some(self.text.clone());
        event
    }
}
