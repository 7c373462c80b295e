//! What the table keeps of its clock: the newest reading, what it showed at the turn's beginning, the order that stands. Pure.

use super::{
    Announcement, ClockOrder, ClockOutlook, ClockReading, Drift, DriftMeter, Phase, PressSeen, SideTime, StopPolicy,
    Times,
};
use crate::game::{Event, EventKind, Text};
use crate::rules::Color;

/// The same side's press, seen by two devices, is one press if no more than this lies between.
const SAME_PRESS_MS: u64 = 2000;
/// A side whose time rises in its own turn from no more than this has used up what it had.
const USED_UP_MS: u64 = 1500;
/// A rise of less is a correction, not a period.
const PERIOD_RISE_MS: u64 = 2000;
/// A clock that has said nothing for so long may show anything.
const FRESH_MS: u64 = 5000;

/// What becomes of a press or a reading, for the log and the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockNote {
    /// Nothing new.
    None,
    /// The clock stands, as it was told.
    Stopped,
    /// It runs again after goband had stopped it.
    Resumed,
}

/// Who wanted the clock to stand or run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderedBy {
    /// The ruleset: an infraction.
    Infraction,
    /// A button of this device.
    Device(String),
    /// The operator, as the page knows him.
    Operator(String),
    /// A break that begins or is over: the event of that number.
    Break(u64),
    /// goband's own clock, for a device that shows it: no deed of its own.
    Display,
}

/// What a break means for the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockInBreak {
    /// No clock that could be stopped from here.
    Unknown,
    /// It stands, and nobody has to do anything.
    Stands,
    /// It is not to be touched.
    LeftAlone,
    /// It runs and is stopped.
    ToBeStopped,
}

/// An order that a clock has obeyed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockDeed {
    pub order: ClockOrder,
    pub by: OrderedBy,
    /// What the clock shows then, to about a second.
    pub times: Option<Times>,
}

/// What can be told of the periods of a clock that does not tell them.
#[derive(Clone, Copy, Debug, Default)]
struct Guess {
    in_period: bool,
}

/// The fold.
#[derive(Clone, Debug)]
pub struct ClockDesk {
    policy: StopPolicy,
    reading: Option<(ClockReading, u64)>,
    /// What the clock showed when the present turn began.
    at_turn: Option<(Color, Times)>,
    guesses: [Guess; 2],
    order: Option<ClockOrder>,
    ordered_by: OrderedBy,
    /// What was obeyed and not told yet.
    deed: Option<ClockDeed>,
    /// The highest order that a clock has obeyed.
    obeyed: u64,
    stopped: bool,
    say: Option<Announcement>,
    /// The break that is on, and whether the clock goes on with play, because the break has stopped it.
    resting: Option<(u64, bool)>,
    numbers: u64,
    presses: u64,
    last_press: Option<(PressSeen, String)>,
    meter: DriftMeter,
    grain_ms: u64,
    is_software: bool,
}

fn place(color: Color) -> usize {
    usize::from(color == Color::White)
}

impl ClockDesk {
    /// A clock of which nothing is known.
    pub fn new(policy: StopPolicy) -> ClockDesk {
        ClockDesk {
            policy,
            reading: None,
            at_turn: None,
            guesses: [Guess::default(); 2],
            order: None,
            ordered_by: OrderedBy::Infraction,
            deed: None,
            obeyed: 0,
            stopped: false,
            say: None,
            resting: None,
            numbers: 0,
            presses: 0,
            last_press: None,
            meter: DriftMeter::default(),
            grain_ms: 0,
            is_software: false,
        }
    }

    /// goband keeps the time itself: there is no drift to be measured.
    pub fn software(mut self) -> ClockDesk {
        self.is_software = true;
        self
    }

    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// The newest reading and when it came.
    pub fn reading(&self) -> Option<(ClockReading, u64)> {
        self.reading
    }

    /// How much the clock gains or loses against ours.
    pub fn drift(&self) -> Option<Drift> {
        self.meter.drift(self.grain_ms)
    }

    /// A reading came. `grain_ms`: how late such readings may be.
    pub fn read(&mut self, reading: ClockReading, now_ms: u64, grain_ms: u64) -> ClockNote {
        self.grain_ms = grain_ms;
        if !self.is_software {
            self.meter.see(&reading, now_ms, grain_ms);
        }
        let before = self.reading.replace((reading, now_ms)).map(|(r, _)| r);
        if let Some(before) = before {
            self.guess(&before, &reading);
        }
        let turn = reading.running.or(reading.turn);
        match turn {
            Some(color) if self.at_turn.is_none_or(|(c, _)| c != color) => {
                self.at_turn = Some((color, reading.times));
            }
            _ => {}
        }
        match (self.stopped, reading.running) {
            (false, None) if self.order.is_some_and(|o| o.run.is_none() && o.number <= self.obeyed) => {
                // only the first time: a clock that was started again and stopped by hand is not ours
                if before.is_some_and(|b| b.running.is_some()) {
                    self.stopped = true;
                    return ClockNote::Stopped;
                }
                ClockNote::None
            }
            (true, Some(_)) => {
                self.stopped = false;
                // what was obeyed is over
                self.order = self.order.filter(|o| o.number > self.obeyed);
                ClockNote::Resumed
            }
            _ => ClockNote::None,
        }
    }

    /// Byo-yomi shows itself: a side's time rises in its own turn after it was used up.
    fn guess(&mut self, before: &ClockReading, now: &ClockReading) {
        let (Some(was), Some(is)) = (before.running, now.running) else { return };
        if was != is {
            return;
        }
        let (old, new) = (before.times.of(is).ms, now.times.of(is).ms);
        if old <= USED_UP_MS && new >= old + PERIOD_RISE_MS {
            self.guesses[place(is)].in_period = true;
        }
    }

    /// The side is in byo-yomi, as far as can be told.
    fn is_in_period(&self, color: Color, time: SideTime) -> bool {
        match time.phase {
            Phase::Period(_) => true,
            Phase::Main | Phase::Over => false,
            Phase::Untold => self.guesses[place(color)].in_period,
        }
    }

    /// A press. None if another device has told of it already.
    pub fn pressed(&mut self, press: PressSeen, device: &str) -> Option<PressSeen> {
        if let Some((last, by)) = &self.last_press
            && last.side == press.side
            && by != device
            && press.at_ms.abs_diff(last.at_ms) <= SAME_PRESS_MS
        {
            return None;
        }
        self.last_press = Some((press, device.to_owned()));
        self.presses += 1;
        Some(press)
    }

    /// Something happened at the table: the clock is stopped where the policy says so. An old event stops nothing.
    pub fn tell(&mut self, event: &Event, now_ms: u64) {
        if self.policy.stops(event.kind) {
            self.dispute(event.seq, now_ms);
        }
    }

    fn dispute(&mut self, seq: u64, now_ms: u64) {
        let fresh = self.reading.filter(|(_, at)| now_ms.saturating_sub(*at) <= FRESH_MS).map(|(r, _)| r);
        if fresh.is_some_and(|r| r.running.is_none()) {
            // it stands already
            return;
        }
        if self.order.is_some_and(|o| o.run.is_none() && o.number > self.obeyed) {
            // told, but not obeyed yet
            return;
        }
        let times = fresh.filter(|_| self.policy.restore_period).and_then(|reading| {
            let side = reading.running?;
            let mut times = reading.times;
            let (color, at_turn) = self.at_turn?;
            if color != side || !self.is_in_period(side, reading.times.of(side)) {
                return None;
            }
            *times.of_mut(side) = at_turn.of(side);
            Some(times)
        });
        let number = self.number();
        self.order = Some(ClockOrder { number, run: None, times, because: Some(seq) });
        self.ordered_by = OrderedBy::Infraction;
    }

    /// The event is void or decided: a stop that no clock has obeyed yet is not sent any more.
    pub fn void(&mut self, seq: u64) {
        self.order = self.order.filter(|o| o.because != Some(seq) || o.number <= self.obeyed);
    }

    /// Somebody lets the clock stand or run. `times`: to be shown from then on.
    pub fn order(&mut self, run: Option<Color>, times: Option<Times>, by: OrderedBy) -> u64 {
        // who stops or starts it in a break has it so; times that are set in one are those with which play goes on
        if let (Some((_, goes_on)), OrderedBy::Device(_) | OrderedBy::Operator(_)) = (&mut self.resting, &by)
            && (run.is_some() || times.is_none())
        {
            *goes_on = false;
        }
        let number = self.number();
        self.order = Some(ClockOrder { number, run, times, because: None });
        self.ordered_by = by;
        number
    }

    /// What a break that begins now means for the clock.
    pub fn in_break(&self, now_ms: u64) -> ClockInBreak {
        match self.reading.filter(|(_, at)| self.is_software || now_ms.saturating_sub(*at) <= FRESH_MS) {
            None => ClockInBreak::Unknown,
            Some((reading, _)) if reading.running.is_none() => ClockInBreak::Stands,
            Some(_) if self.policy.stops_in_breaks(self.is_software) => ClockInBreak::ToBeStopped,
            Some(_) => ClockInBreak::LeftAlone,
        }
    }

    /// The break `of` begins: a clock that runs stands until it is over. `touch`: false leaves it alone whatever the policy says.
    pub fn break_begins(&mut self, of: u64, touch: bool, now_ms: u64) {
        let stop = touch && self.in_break(now_ms) == ClockInBreak::ToBeStopped;
        if stop {
            self.order(None, None, OrderedBy::Break(of));
        }
        self.resting = Some((of, stop));
    }

    /// The break is over, says event `of`: so is the stop that it made, if nobody has said otherwise meanwhile. False if the clock stands.
    pub fn break_ends(&mut self, of: u64, touch: bool, now_ms: u64) -> bool {
        let goes_on = self.resting.take().is_some_and(|(_, goes_on)| goes_on) && touch;
        // a stop for the break that was never obeyed is not sent any more
        if matches!(self.ordered_by, OrderedBy::Break(_)) && self.order.is_some_and(|o| o.number > self.obeyed) {
            self.order = None;
            return true;
        }
        let now = self.in_break(now_ms);
        match self.side_to_resume().filter(|_| goes_on) {
            Some(side) if matches!(now, ClockInBreak::Stands | ClockInBreak::Unknown) => {
                self.order(Some(side), None, OrderedBy::Break(of));
                true
            }
            _ => now != ClockInBreak::Stands,
        }
    }

    /// Events of an earlier run: a break that is on, and whether it had stopped the clock.
    pub fn recall(&mut self, event: &Event) {
        match (event.kind, &mut self.resting) {
            (EventKind::BreakBegun, resting) => *resting = Some((event.seq, false)),
            (EventKind::PlayResumed | EventKind::BoardCleared | EventKind::Result, resting) => *resting = None,
            (EventKind::ClockStopped, Some((of, goes_on))) => *goes_on = event.of == Some(*of),
            (EventKind::ClockResumed, Some((_, goes_on))) => *goes_on = false,
            _ => {}
        }
    }

    /// The side whose time ran when goband stopped it, for "go on".
    pub fn side_to_resume(&self) -> Option<Color> {
        self.at_turn.map(|(color, _)| color).or_else(|| self.reading.and_then(|(r, _)| r.turn))
    }

    /// A clock has done what order `number` says.
    pub fn obeyed(&mut self, number: u64, now_ms: u64) -> ClockNote {
        if number <= self.obeyed {
            return ClockNote::None;
        }
        self.obeyed = number;
        if let Some(order) = self.order.filter(|o| o.number == number && self.ordered_by != OrderedBy::Display) {
            let times = order.times.or_else(|| self.times_at(now_ms));
            self.deed = Some(ClockDeed { order, by: self.ordered_by.clone(), times });
        }
        let is_stop = self.order.is_some_and(|o| o.number == number && o.run.is_none());
        let stands = self.reading.is_none_or(|(r, _)| r.running.is_none());
        if is_stop && stands {
            self.stopped = true;
            return ClockNote::Stopped;
        }
        ClockNote::None
    }

    /// What was obeyed since the last call.
    pub fn take_deed(&mut self) -> Option<ClockDeed> {
        self.deed.take()
    }

    /// What the clock shows by now: the newest reading, and what has run off since.
    fn times_at(&self, now_ms: u64) -> Option<Times> {
        let (reading, at_ms) = self.reading?;
        let mut times = reading.times;
        if let Some(side) = reading.running {
            let time = times.of_mut(side);
            time.ms = time.ms.saturating_sub(now_ms.saturating_sub(at_ms));
        }
        Some(times)
    }

    /// Something is to be said at the clock.
    pub fn say(&mut self, color: Option<Color>, kind: &str, text: Text, short: &str, beep_ms: u32) {
        let number = self.number();
        let short = short.chars().filter(char::is_ascii).take(11).collect();
        self.say = Some(Announcement { number, color, kind: kind.to_owned(), text, short, beep_ms });
    }

    /// What devices need to know.
    pub fn outlook(&self) -> ClockOutlook {
        let in_byoyomi = self.reading.and_then(|(reading, _)| {
            let side = reading.running.or(reading.turn)?;
            self.is_in_period(side, reading.times.of(side)).then_some(side)
        });
        ClockOutlook {
            order: self.order,
            say: self.say.clone(),
            stopped: self.stopped,
            in_byoyomi,
            presses: self.presses,
            is_software: self.is_software,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Interval;
    use crate::rules::Ruleset;
    use crate::signal::clock::{InBreaks, StopFor};

    fn desk() -> ClockDesk {
        let ruleset = Ruleset::builtin("team-relay").unwrap();
        ClockDesk::new(StopPolicy::new(&StopFor::Ruleset, InBreaks::Ruleset, &ruleset))
    }

    fn event(seq: u64, kind: EventKind) -> Event {
        Event { seq, ..Event::new(kind, Interval::default(), 0, 1.0) }
    }

    fn reading(black: &str, white: &str, running: Option<Color>) -> ClockReading {
        let times = Times { black: black.parse().unwrap(), white: white.parse().unwrap() };
        ClockReading { times, running, turn: running }
    }

    #[test]
    fn a_dispute_stops_a_running_clock_once() {
        let mut desk = desk();
        desk.read(reading("main:600000", "main:600000", Some(Color::Black)), 0, 10);
        desk.tell(&event(4, EventKind::PressBeforeMove), 100);
        assert_eq!(desk.outlook().order, None, "a caution does not");
        desk.tell(&event(5, EventKind::DoubleMove), 200);
        let order = desk.outlook().order.unwrap();
        assert_eq!((order.run, order.times, order.because), (None, None, Some(5)));
        desk.tell(&event(6, EventKind::Takeback), 300);
        assert_eq!(desk.outlook().order, Some(order), "one stop is enough");
        desk.obeyed(order.number, 1100);
        assert_eq!(desk.read(reading("main:599000", "main:600000", None), 1200, 10), ClockNote::Stopped);
        assert!(desk.outlook().stopped);
        desk.tell(&event(7, EventKind::Takeback), 1300);
        assert_eq!(desk.outlook().order, Some(order), "it stands");
        let go_on = desk.order(desk.side_to_resume(), None, OrderedBy::Device("console".into()));
        assert_eq!(desk.outlook().order.map(|o| (o.number, o.run)), Some((go_on, Some(Color::Black))));
        desk.obeyed(go_on, 8900);
        assert_eq!(desk.read(reading("main:599000", "main:600000", Some(Color::Black)), 9000, 10), ClockNote::Resumed);
        assert!(!desk.outlook().stopped);
        let deed = desk.take_deed().unwrap();
        assert_eq!((deed.order.number, deed.by), (go_on, OrderedBy::Device("console".into())));
        assert_eq!(desk.take_deed(), None, "told once");
        assert_eq!(desk.obeyed(go_on, 9000), ClockNote::None);
        assert_eq!(desk.take_deed(), None);
    }

    #[test]
    fn a_deed_says_what_the_clock_shows_by_then() {
        let mut desk = desk();
        desk.read(reading("main:600000", "main:500000", Some(Color::Black)), 1000, 10);
        desk.tell(&event(5, EventKind::DoubleMove), 1300);
        desk.obeyed(1, 1350);
        let deed = desk.take_deed().unwrap();
        assert_eq!((deed.order.because, deed.by), (Some(5), OrderedBy::Infraction));
        assert_eq!(deed.times.map(|t| (t.black.ms, t.white.ms)), Some((599_650, 500_000)));
        // a display that is brought to goband's own clock is none
        let shown = desk.order(None, None, OrderedBy::Display);
        desk.obeyed(shown, 1400);
        assert_eq!(desk.take_deed(), None);
    }

    #[test]
    fn in_byoyomi_it_goes_back_to_what_it_showed_after_the_opponents_move() {
        let mut desk = desk();
        desk.read(reading("period:12000:3", "period:30000:2", Some(Color::Black)), 0, 10);
        desk.read(reading("period:30000:3", "period:30000:2", Some(Color::White)), 1000, 10);
        desk.read(reading("period:30000:3", "period:21000:2", Some(Color::White)), 10_000, 10);
        desk.tell(&event(5, EventKind::DoubleMove), 10_100);
        let times = desk.outlook().order.unwrap().times.unwrap();
        assert_eq!(
            (times.black.to_string(), times.white.to_string()),
            ("period:30000:3".into(), "period:30000:2".into())
        );
    }

    #[test]
    fn byoyomi_is_seen_on_a_clock_that_does_not_tell() {
        let mut desk = desk();
        desk.read(reading("time:2000", "time:60000", Some(Color::Black)), 0, 1000);
        desk.read(reading("time:1000", "time:60000", Some(Color::Black)), 1000, 1000);
        assert_eq!(desk.outlook().in_byoyomi, None);
        desk.read(reading("time:30000", "time:60000", Some(Color::Black)), 2000, 1000);
        assert_eq!(desk.outlook().in_byoyomi, Some(Color::Black), "a rise in his own turn");
        // a Fischer increment comes with the press: no byo-yomi
        desk.read(reading("time:30000", "time:60000", Some(Color::White)), 3000, 1000);
        desk.read(reading("time:30000", "time:70000", Some(Color::Black)), 4000, 1000);
        assert_eq!(desk.outlook().in_byoyomi, Some(Color::Black));
        desk.read(reading("time:30000", "time:70000", Some(Color::White)), 5000, 1000);
        assert_eq!(desk.outlook().in_byoyomi, None);
    }

    #[test]
    fn a_press_that_two_devices_saw_is_one() {
        let mut desk = desk();
        let press = |side, at_ms| PressSeen { side, at_ms, uncertainty_ms: 5 };
        assert!(desk.pressed(press(Color::Black, 1000), "button").is_some());
        assert!(desk.pressed(press(Color::Black, 1600), "clock").is_none());
        assert!(desk.pressed(press(Color::White, 1700), "clock").is_some());
        assert!(desk.pressed(press(Color::White, 1800), "clock").is_some(), "the same device means it");
        assert_eq!(desk.outlook().presses, 3);
    }

    /// A desk whose clock shows a minute and ten; Black's time runs (`running`) or stands.
    fn read(desk: &mut ClockDesk, running: Option<Color>, now_ms: u64) {
        let mut reading = reading("main:60000", "main:10000", running);
        reading.turn = Some(Color::Black);
        desk.read(reading, now_ms, 10);
    }

    #[test]
    fn a_break_stops_the_clock_and_play_lets_it_go_on() {
        let mut desk = desk();
        assert_eq!(desk.in_break(0), ClockInBreak::Unknown);
        read(&mut desk, Some(Color::Black), 0);
        desk.break_begins(7, true, 100);
        let order = desk.outlook().order.unwrap();
        assert_eq!((order.run, order.times, order.because), (None, None, None), "byo-yomi is not put back");
        desk.obeyed(order.number, 200);
        assert_eq!(desk.take_deed().unwrap().by, OrderedBy::Break(7));
        read(&mut desk, None, 300);
        assert_eq!(desk.in_break(400), ClockInBreak::Stands);
        assert!(desk.break_ends(8, true, 500));
        let order = desk.outlook().order.unwrap();
        assert_eq!((order.run, order.because), (Some(Color::Black), None));
        desk.obeyed(order.number, 600);
        assert_eq!(desk.take_deed().unwrap().by, OrderedBy::Break(8));
    }

    #[test]
    fn a_clock_that_somebody_else_stopped_stands_on_after_the_break() {
        // stopped before the break
        let mut desk = desk();
        read(&mut desk, Some(Color::Black), 0);
        desk.tell(&event(5, EventKind::DoubleMove), 100);
        desk.obeyed(1, 150);
        read(&mut desk, None, 200);
        desk.break_begins(7, true, 300);
        assert!(!desk.break_ends(8, true, 400));
        assert_eq!(desk.outlook().order.unwrap().run, None);
        // stopped again in the break, by the operator; times that are set do not keep it from going on
        for (times, goes_on) in [(None, false), (Some(reading("main:1", "main:2", None).times), true)] {
            let mut desk = self::desk();
            read(&mut desk, Some(Color::Black), 0);
            desk.break_begins(7, true, 100);
            desk.obeyed(1, 150);
            read(&mut desk, None, 200);
            desk.order(None, times, OrderedBy::Operator("here".into()));
            desk.obeyed(2, 250);
            assert_eq!(desk.break_ends(8, true, 400), goes_on);
            assert_eq!(desk.outlook().order.unwrap().run, goes_on.then_some(Color::Black));
        }
        // the operator wants it so
        let mut desk = self::desk();
        read(&mut desk, Some(Color::Black), 0);
        desk.break_begins(7, false, 100);
        assert_eq!(desk.outlook().order, None);
        assert!(desk.break_ends(8, true, 400), "it runs");
    }

    #[test]
    fn a_stop_for_a_break_that_is_over_before_it_was_obeyed_is_not_sent() {
        let mut desk = desk();
        read(&mut desk, Some(Color::Black), 0);
        desk.break_begins(7, true, 100);
        read(&mut desk, Some(Color::Black), 1000);
        assert!(desk.break_ends(8, true, 1100), "it never stood");
        assert_eq!(desk.outlook().order, None);
    }

    #[test]
    fn a_break_is_remembered_after_a_restart() {
        let mut desk = desk().software();
        let stopped = |of| Event { of: Some(of), ..event(8, EventKind::ClockStopped) };
        desk.recall(&event(7, EventKind::BreakBegun));
        desk.recall(&stopped(7));
        read(&mut desk, None, 0);
        assert!(desk.break_ends(9, true, 100));
        // stopped by an infraction: that is not over with a break
        let mut desk = self::desk().software();
        read(&mut desk, None, 0);
        desk.recall(&event(10, EventKind::BreakBegun));
        desk.recall(&stopped(4));
        assert!(!desk.break_ends(12, true, 100));
    }

    #[test]
    fn a_stop_that_is_void_before_it_was_obeyed_is_not_sent() {
        let mut desk = desk();
        desk.tell(&event(5, EventKind::DoubleMove), 200);
        assert!(desk.outlook().order.is_some(), "a clock that was not heard may run");
        desk.void(4);
        assert!(desk.outlook().order.is_some());
        desk.void(5);
        assert_eq!(desk.outlook().order, None);
    }
}
