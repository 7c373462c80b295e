//! The clock between its three neighbours: signals (which has it), the journal (which keeps what it did) and the page
//! (which shows it and gives the operator's orders). Pure translation.

use std::time::{Duration, Instant};

use crate::feed::{ClockOrder, ClockView};
use crate::game::{ClockCall, ClockTimes, Event, EventKind, Interval, Text};
use crate::rules::Color;
use crate::rules::time::{Call, TimeNotice};
use crate::signal::clock::{ClockDeed, ClockInBreak, OrderedBy, Times};
use crate::signal::{ClockStatus, Signals};

/// How the times that pictures carry lie in our own time, so that a press can be set among them.
///
/// A picture waits before it is handled: for the one before it, for a processor. The one that waited least tells where zero
/// is; so a slow picture does not make the next press look early.
#[derive(Clone, Copy, Debug, Default)]
pub struct PictureTime {
    zero: Option<Instant>,
}

impl PictureTime {
    /// A picture of that time is handled now.
    pub fn handled(&mut self, time_ms: u64, now: Instant) {
        let Some(zero) = now.checked_sub(Duration::from_millis(time_ms)) else { return };
        self.zero = Some(match self.zero {
            // follows slowly: footage that is played to our time need not keep exactly to it
            Some(least) if zero > least => least + (zero - least) / 256,
            _ => zero,
        });
    }

    /// When it is, in the pictures' time. None before the first picture.
    pub fn of(&self, instant: Instant) -> Option<u64> {
        let since = instant.saturating_duration_since(self.zero?);
        Some(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

/// A press at `at_ms` at the latest and at most `uncertainty_ms` before, among pictures that are up to `delay_ms` older than
/// their time: the middle of where it may lie, and how far it may be from there.
pub fn among_pictures(at_ms: u64, uncertainty_ms: u64, delay_ms: u64) -> (u64, u64) {
    let half_ms = (uncertainty_ms + delay_ms).div_ceil(2);
    ((at_ms + delay_ms).saturating_sub(half_ms), half_ms)
}

/// What the page shows of a clock.
pub fn view(status: &ClockStatus) -> ClockView {
    ClockView {
        times: status.reading.times.into(),
        running: status.reading.running,
        turn: status.reading.turn,
        stopped: status.stopped,
        software: status.is_software,
        age_ms: status.age_ms,
    }
}

/// Hands an operator's order on. False if nobody knows whose time is to run.
pub fn order(signals: &Signals, order: &ClockOrder, by: OrderedBy) -> bool {
    match order {
        ClockOrder::Stop => signals.order_clock(None, None, by),
        ClockOrder::Resume { side: Some(side) } => signals.order_clock(Some(*side), None, by),
        ClockOrder::Resume { side: None } => return signals.resume_clock(by),
        // both sides stand: nobody's time is to run while it is not sure that it is the right one
        ClockOrder::Set(times) => signals.order_clock(None, Some(Times::from(*times)), by),
    }
    true
}

/// What the event of a break that begins says of the clock, if there is anything to be done by hand. `now`: none where no clock is known.
pub fn at_break(now: Option<ClockInBreak>, touch: bool) -> Option<Text> {
    let (en, zh) = match (now?, touch) {
        (ClockInBreak::ToBeStopped | ClockInBreak::LeftAlone, false) => {
            ("The clock runs on, as was said.", "按操作员指示，棋钟继续走时。")
        }
        (ClockInBreak::LeftAlone, true) => (
            "The clock runs on: it is not stopped from here; stop it by hand.",
            "棋钟仍在走时：系统不停此钟，请手动停钟。",
        ),
        (ClockInBreak::Unknown, true) => (
            "No clock answers that could be stopped from here: stop it by hand.",
            "没有可由系统停走的棋钟，请手动停钟。",
        ),
        (ClockInBreak::ToBeStopped | ClockInBreak::Stands | ClockInBreak::Unknown, _) => return None,
    };
    Some(Text { en: en.into(), zh: zh.into() })
}

/// What the event of play that goes on says of a clock that stands.
pub fn after_break(runs: bool) -> Option<Text> {
    let text = || Text {
        en: "The clock stands, and not because of the break: let it go on when it is time.".into(),
        zh: "棋钟仍停，且并非因休息而停，请适时恢复走时。".into(),
    };
    (!runs).then(text)
}

/// The event of something that is called, without its number; none for what is no call.
pub fn call(what: &TimeNotice, at_ms: u64) -> Option<Event> {
    let (side, call) = match *what {
        TimeNotice::Reminder { side, left_ms } => (side, ClockCall::Minutes { minutes: left_ms / 60_000 }),
        TimeNotice::ByoyomiBegins { side, periods: 1, .. } | TimeNotice::PeriodUsed { side, left: 1, .. } => {
            (side, ClockCall::LastPeriod)
        }
        TimeNotice::ByoyomiBegins { side, periods, .. } => (side, ClockCall::Period { periods }),
        TimeNotice::PeriodUsed { side, left, .. } => (side, ClockCall::Period { periods: left }),
        TimeNotice::Call { side, call: Call::Seconds(seconds) } => (side, ClockCall::Seconds { seconds }),
        TimeNotice::Call { side, call: Call::Count(count) } => (side, ClockCall::Count { count }),
        _ => return None,
    };
    let mut event = at(EventKind::ClockCall, at_ms);
    (event.color, event.call, event.text) = (Some(side), Some(call), Some(what.text()));
    Some(event)
}

/// The event of an order that a clock has obeyed, without its number.
pub fn deed(deed: &ClockDeed, at_ms: u64) -> Event {
    let order = &deed.order;
    let (en, zh) = match &deed.by {
        OrderedBy::Device(device) => (format!(" ({device})"), format!("（{device}）")),
        OrderedBy::Operator(from) => (format!(" by the operator ({from})"), format!("（操作员 {from}）")),
        OrderedBy::Break(_) if order.run.is_none() => (" for the break".into(), "（休息）".into()),
        OrderedBy::Break(_) => (": the break is over".into(), "（休息结束）".into()),
        OrderedBy::Infraction | OrderedBy::Display => Default::default(),
    };
    let of = match deed.by {
        OrderedBy::Break(of) => Some(of),
        _ => order.because,
    };
    let times = deed.times.map(ClockTimes::from);
    let (kind, text) = match (order.run, order.because, times) {
        (Some(side), ..) => {
            let (name, name_zh) = if side == Color::Black { ("Black", "黑方") } else { ("White", "白方") };
            let text =
                Text { en: format!("{name}'s time runs again{en}."), zh: format!("{name_zh}恢复走时{zh}。") };
            (EventKind::ClockResumed, text)
        }
        (None, Some(of), _) => {
            let text = Text {
                en: format!("The clock stands because of event {of}."),
                zh: format!("因第 {of} 号事件停钟。"),
            };
            (EventKind::ClockStopped, text)
        }
        (None, None, Some(times)) if order.times.is_some() => {
            let (black, white) = (times.black.face(), times.white.face());
            let text = Text {
                en: format!("The clock was set to Black {black}, White {white}{en}."),
                zh: format!("棋钟设为黑 {black}，白 {white}{zh}。"),
            };
            (EventKind::ClockSet, text)
        }
        (None, None, _) => {
            (EventKind::ClockStopped, Text { en: format!("The clock was stopped{en}."), zh: format!("已停钟{zh}。") })
        }
    };
    let mut event = at(kind, at_ms);
    (event.color, event.of, event.times, event.text) = (order.run, of, times, Some(text));
    event
}

fn at(kind: EventKind, at_ms: u64) -> Event {
    Event::new(kind, Interval { first: at_ms, last: at_ms }, at_ms, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::clock;

    fn obeyed(run: Option<Color>, times: Option<&str>, because: Option<u64>, by: OrderedBy) -> Event {
        let times = times.map(|t| Times { black: t.parse().unwrap(), white: "main:1511000".parse().unwrap() });
        let order = clock::ClockOrder { number: 4, run, times, because };
        let shows = Times { black: "period:29400:3".parse().unwrap(), white: "main:1511000".parse().unwrap() };
        deed(&ClockDeed { order, by, times: times.or(Some(shows)) }, 81_240)
    }

    #[test]
    fn every_deed_has_its_event_and_says_who() {
        let operator = || OrderedBy::Operator("127.0.0.1".into());
        let event = obeyed(None, None, Some(57), OrderedBy::Infraction);
        assert_eq!((event.kind, event.of, event.at_ms.first), (EventKind::ClockStopped, Some(57), 81_240));
        // a stop that puts byo-yomi back is a stop
        assert_eq!(obeyed(None, Some("period:30000:3"), Some(57), OrderedBy::Infraction).kind, EventKind::ClockStopped);
        let event = obeyed(None, None, None, OrderedBy::Device("console".into()));
        assert_eq!(
            (event.kind, event.text.unwrap().en.as_str()),
            (EventKind::ClockStopped, "The clock was stopped (console).")
        );
        let event = obeyed(None, None, None, OrderedBy::Break(90));
        assert_eq!((event.kind, event.of), (EventKind::ClockStopped, Some(90)));
        assert_eq!(event.text.unwrap().en, "The clock was stopped for the break.");
        let event = obeyed(Some(Color::Black), None, None, OrderedBy::Break(91));
        assert_eq!((event.kind, event.of), (EventKind::ClockResumed, Some(91)));
        assert_eq!(event.text.unwrap().en, "Black's time runs again: the break is over.");
        let event = obeyed(Some(Color::Black), None, None, operator());
        assert_eq!((event.kind, event.color), (EventKind::ClockResumed, Some(Color::Black)));
        let event = obeyed(None, Some("period:30000:3"), None, operator());
        assert_eq!(event.kind, EventKind::ClockSet);
        let text = event.text.unwrap();
        assert_eq!(text.en, "The clock was set to Black 0:00:30 (3), White 0:25:11 by the operator (127.0.0.1).");
        assert_eq!(text.zh, "棋钟设为黑 0:00:30 (3)，白 0:25:11（操作员 127.0.0.1）。");
    }

    #[test]
    fn a_break_says_what_is_to_be_done_by_hand() {
        let says = |now, touch| at_break(now, touch).map(|t| (t.en.contains("by hand"), t.zh.contains("手动")));
        assert_eq!(says(None, true), None, "nobody speaks of a clock");
        assert_eq!(says(Some(ClockInBreak::ToBeStopped), true), None);
        assert_eq!(says(Some(ClockInBreak::Stands), true), None);
        assert_eq!(says(Some(ClockInBreak::Unknown), true), Some((true, true)));
        assert_eq!(says(Some(ClockInBreak::LeftAlone), true), Some((true, true)));
        assert_eq!(says(Some(ClockInBreak::ToBeStopped), false), Some((false, false)), "it was wanted so");
        assert!(after_break(true).is_none() && after_break(false).unwrap().en.contains("stands"));
    }

    #[test]
    fn a_picture_that_waited_long_does_not_make_a_press_early() {
        let start = Instant::now() + Duration::from_secs(3600);
        let at = |ms| start + Duration::from_millis(ms);
        let mut time = PictureTime::default();
        assert_eq!(time.of(at(0)), None);
        for n in 0..100u64 {
            // taken every 40 ms from 500 on, handled 3 ms later, every tenth 300 ms later
            let wait = if n % 10 == 9 { 300 } else { 3 };
            time.handled(n * 40, at(500 + n * 40 + wait));
        }
        let press = time.of(at(500 + 3990)).unwrap();
        assert!((3970..=3990).contains(&press), "{press}");
        // a restarted source counts from zero, and is believed at once
        let mut time = PictureTime::default();
        time.handled(0, at(0));
        time.handled(5000, at(2000));
        assert_eq!(time.of(at(2000)), Some(5000));
    }

    #[test]
    fn a_press_may_lie_anywhere_where_clock_and_camera_allow_it() {
        assert_eq!(among_pictures(10_000, 0, 0), (10_000, 0));
        assert_eq!(among_pictures(10_000, 5, 0), (9997, 3));
        let (middle, half) = among_pictures(10_000, 5, 100);
        assert!(middle - half <= 9995 && middle + half >= 10_100, "{middle} {half}");
        assert_eq!(among_pictures(3, 1000, 0), (0, 500));
    }

    #[test]
    fn calls_of_byoyomi_are_events_and_turns_are_none() {
        let side = Color::White;
        let called = |what: TimeNotice| call(&what, 5000).and_then(|e| e.call);
        assert_eq!(
            called(TimeNotice::Call { side, call: Call::Seconds(30) }),
            Some(ClockCall::Seconds { seconds: 30 })
        );
        assert_eq!(called(TimeNotice::Call { side, call: Call::Count(3) }), Some(ClockCall::Count { count: 3 }));
        assert_eq!(called(TimeNotice::PeriodUsed { side, left: 1, period_ms: 30_000 }), Some(ClockCall::LastPeriod));
        assert_eq!(called(TimeNotice::Turn { by: side, side, used_ms: 1 }), None);
        let event = call(&TimeNotice::Call { side, call: Call::Seconds(30) }, 5000).unwrap();
        assert_eq!((event.kind, event.color), (EventKind::ClockCall, Some(Color::White)));
        assert!(event.text.unwrap().zh.contains("30"));
    }
}
