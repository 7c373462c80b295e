//! The clock itself: a state, an event with its time, a new state and what follows.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::calls::{self, Mark};
use super::{
    AfterOverrun, AtPress, CaptureTime, Item, Outcome, Reading, Readings, Stop, TimeEffect, TimeError, TimeEvent,
    TimeNotice, TimeSettings,
};
use crate::rules::{Color, Infraction};

/// What the clock does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    NotStarted,
    Running,
    Stopped {
        reason: Stop,
    },
    /// Both times are stored; who has confirmed them.
    Suspended {
        black: bool,
        white: bool,
    },
    /// A side lost on time or by default (both may, by default), or the game ended otherwise (neither).
    Over {
        black_lost: bool,
        white_lost: bool,
    },
}

/// What is kept of one side besides its face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SideTotals {
    /// Time that ran on this side's clock in the whole game, whatever was put back or set.
    pub spent_ms: u64,
    pub overruns: u32,
    /// Presses before or with the move.
    pub early_presses: u32,
    /// Presses before captured stones were off.
    pub unclear_presses: u32,
    pub wrong_clocks: u32,
    pub leaves: u32,
}

/// Both sides' time in one game. Serialise it to go on later; every event gives a new one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Clock {
    pub(super) settings: TimeSettings,
    pub(super) phase: Phase,
    now_ms: u64,
    pub(super) turn: Color,
    pub(super) readings: Readings,
    /// What both faces showed when this turn began.
    pub(super) turn_start: Readings,
    /// Time of this turn that ran.
    turn_used_ms: u64,
    /// Captured stones of this turn's move that lie on the board.
    lying: u16,
    black: SideTotals,
    white: SideTotals,
    /// Time in which no side's clock ran.
    idle_ms: u64,
    /// Time of taking captured stones off that was not counted.
    untimed_ms: u64,
    since_ms: u64,
    pub(super) overruns_in_a_row: u8,
    sealing: bool,
}

impl Clock {
    /// A clock that has not started; `at_ms` is the caller's present time, from which all later ones are counted.
    pub fn new(settings: TimeSettings, at_ms: u64) -> Clock {
        let full = Reading::full(&settings);
        let readings = Readings { black: full, white: full };
        Clock {
            settings,
            phase: Phase::NotStarted,
            now_ms: at_ms,
            turn: Color::Black,
            readings,
            turn_start: readings,
            turn_used_ms: 0,
            lying: 0,
            black: SideTotals::default(),
            white: SideTotals::default(),
            idle_ms: 0,
            untimed_ms: 0,
            since_ms: at_ms,
            overruns_in_a_row: 0,
            sealing: false,
        }
    }

    pub fn settings(&self) -> &TimeSettings {
        &self.settings
    }

    pub fn phase(&self) -> Phase {
        self.phase
    }

    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// Whose time runs, or will run.
    pub fn turn(&self) -> Color {
        self.turn
    }

    pub fn readings(&self) -> Readings {
        self.readings
    }

    pub fn totals(&self, side: Color) -> SideTotals {
        match side {
            Color::Black => self.black,
            Color::White => self.white,
        }
    }

    /// The hour for sealing has come, and the move has not been sealed.
    pub fn is_sealing(&self) -> bool {
        self.sealing
    }

    /// Time in which no side's clock ran, and time of taking stones off that was not counted. With both sides'
    /// [`SideTotals::spent_ms`] this is all time since the clock was made.
    pub fn not_counted_ms(&self) -> u64 {
        self.idle_ms + self.untimed_ms
    }

    /// All time since the clock was made.
    pub fn elapsed_ms(&self) -> u64 {
        self.now_ms - self.since_ms
    }

    /// The clock after `event` at `at_ms`, and what follows, in order of time. An error leaves this clock valid.
    pub fn apply(&self, event: &TimeEvent, at_ms: u64) -> Result<(Clock, Vec<TimeEffect>), TimeError> {
        if at_ms < self.now_ms {
            return Err(TimeError::Backwards { now_ms: self.now_ms, at_ms });
        }
        let mut step = Step { clock: self.clone(), effects: Vec::new() };
        step.advance(at_ms);
        step.take(event)?;
        Ok((step.clock, step.effects))
    }

    /// What holds for every clock that events have led to.
    fn sound(&self) -> Result<(), &'static str> {
        let Readings { black, white } = self.readings;
        let faces = [black, white, self.turn_start.black, self.turn_start.white];
        if !faces.iter().all(|f| f.is_possible(&self.settings)) {
            return Err("the stored clock shows an impossible time");
        }
        if self.phase == Phase::Running && self.readings.of(self.turn).is_empty() {
            return Err("the stored clock runs without any time left");
        }
        let parts = [self.black.spent_ms, self.white.spent_ms, self.idle_ms, self.untimed_ms];
        let total_ms = parts.iter().try_fold(0u64, |sum, part| sum.checked_add(*part));
        if total_ms.is_none() || total_ms != self.now_ms.checked_sub(self.since_ms) {
            return Err("the stored clock's times do not add up");
        }
        if self.turn_used_ms > self.totals(self.turn).spent_ms {
            return Err("the stored clock's turn is longer than all of the side's time");
        }
        Ok(())
    }

    pub(super) fn totals_mut(&mut self, side: Color) -> &mut SideTotals {
        match side {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }

    /// Whether stones are being taken off in time that is not counted.
    fn untimed(&self) -> bool {
        self.lying > 0
            && self.settings.rule.captures == CaptureTime::UntimedInByoyomi
            && self.readings.of(self.turn).in_byoyomi()
    }

    pub(super) fn begin_turn(&mut self, side: Color) {
        self.turn = side;
        self.turn_start = self.readings;
        self.turn_used_ms = 0;
        self.lying = 0;
    }

    /// The turn goes to the opponent; an unfinished period is given back whole.
    fn end_turn(&mut self) {
        self.readings.of_mut(self.turn).period_used_ms = 0;
        self.begin_turn(self.turn.opponent());
    }
}

impl Serialize for Clock {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        Clock::serialize(self, s)
    }
}

/// A stored clock is checked: one that no game could have led to is refused, and not found out while it runs.
impl<'de> Deserialize<'de> for Clock {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Clock, D::Error> {
        let clock = Clock::deserialize(d)?;
        clock.settings.consistent().map_err(D::Error::custom)?;
        clock.sound().map_err(D::Error::custom)?;
        Ok(clock)
    }
}

/// One event on its way through the clock.
pub(super) struct Step {
    pub(super) clock: Clock,
    effects: Vec<TimeEffect>,
}

impl Step {
    pub(super) fn tell_with(&mut self, article: Option<String>, what: TimeNotice) {
        self.effects.push(TimeEffect { at_ms: self.clock.now_ms, article, what });
    }

    pub(super) fn tell(&mut self, item: Option<Item>, what: TimeNotice) {
        let article = item.and_then(|i| self.clock.settings.article(i)).map(str::to_owned);
        self.tell_with(article, what);
    }

    fn tell_of(&mut self, kind: Infraction, what: TimeNotice) {
        let article = self.clock.settings.infractions.get(&kind).cloned();
        self.tell_with(article, what);
    }

    /// Lets time pass, from mark to mark, so that what is due is told at its own time. It comes to an end however far
    /// it goes: two overruns in a row stop the clock.
    fn advance(&mut self, to_ms: u64) {
        while self.clock.now_ms < to_ms {
            let c = &mut self.clock;
            let gap_ms = to_ms - c.now_ms;
            if c.phase != Phase::Running {
                c.idle_ms += gap_ms;
                c.now_ms = to_ms;
            } else if c.untimed() {
                c.untimed_ms += gap_ms;
                c.now_ms = to_ms;
            } else {
                let turn = c.turn;
                let (due_ms, mark) = calls::next(&c.readings.of(turn), &c.settings);
                let step_ms = due_ms.min(gap_ms);
                c.now_ms += step_ms;
                c.turn_used_ms += step_ms;
                c.totals_mut(turn).spent_ms += step_ms;
                let reading = c.readings.of_mut(turn);
                if reading.main_ms > 0 {
                    reading.main_ms -= step_ms;
                } else {
                    reading.period_used_ms += step_ms;
                }
                if step_ms == due_ms {
                    self.reach(turn, mark);
                }
            }
        }
    }

    fn reach(&mut self, side: Color, mark: Mark) {
        let period_ms = self.clock.settings.period_ms;
        let reading = self.clock.readings.of_mut(side);
        match mark {
            Mark::Reminder { left_ms } => self.tell(Some(Item::Limit), TimeNotice::Reminder { side, left_ms }),
            Mark::Call(call) => self.tell(Some(Item::Byoyomi), TimeNotice::Call { side, call }),
            Mark::MainUsed if reading.periods > 0 => {
                let periods = reading.periods;
                self.tell(Some(Item::Byoyomi), TimeNotice::ByoyomiBegins { side, periods, period_ms });
            }
            Mark::PeriodUsed if reading.periods > 1 => {
                reading.periods -= 1;
                reading.period_used_ms = 0;
                let left = reading.periods;
                self.tell(Some(Item::Byoyomi), TimeNotice::PeriodUsed { side, left, period_ms });
            }
            Mark::MainUsed | Mark::PeriodUsed => self.overrun(side),
        }
    }

    fn overrun(&mut self, side: Color) {
        let c = &mut self.clock;
        let outcome = c.settings.outcome;
        let totals = c.totals_mut(side);
        totals.overruns = totals.overruns.saturating_add(1);
        let nth = totals.overruns;
        self.tell_of(Infraction::TimeOverrun, TimeNotice::Overrun { side, nth, outcome });
        let c = &mut self.clock;
        match outcome {
            Outcome::Loses => {
                c.readings.of_mut(side).periods = 0;
                c.readings.of_mut(side).period_used_ms = 0;
                c.phase = Phase::Over { black_lost: side == Color::Black, white_lost: side == Color::White };
            }
            Outcome::Referee => {
                c.readings.of_mut(side).periods = 0;
                c.readings.of_mut(side).period_used_ms = 0;
                self.stop(Stop::Overrun, None);
            }
            Outcome::Pass { .. } => {
                let used_ms = c.turn_used_ms;
                c.end_turn();
                c.overruns_in_a_row = c.overruns_in_a_row.saturating_add(1);
                let in_a_row = c.overruns_in_a_row;
                self.tell_of(Infraction::TimeOverrun, TimeNotice::Turn { by: side, side: side.opponent(), used_ms });
                if in_a_row >= 2 {
                    self.stop(Stop::BothOverran, None);
                } else if self.clock.settings.rule.after_overrun == AfterOverrun::ClockStops {
                    self.stop(Stop::Overrun, None);
                }
            }
        }
    }

    pub(super) fn stop(&mut self, reason: Stop, item: Option<Item>) {
        self.clock.phase = Phase::Stopped { reason };
        let readings = self.clock.readings;
        self.tell(item, TimeNotice::Stopped { reason, readings });
    }

    fn take(&mut self, event: &TimeEvent) -> Result<(), TimeError> {
        let c = &mut self.clock;
        let phase = c.phase;
        match *event {
            TimeEvent::Tick => {}
            TimeEvent::Late { black_ms, white_ms } => self.late(black_ms, white_ms)?,
            TimeEvent::Start { turn } => {
                match phase {
                    Phase::NotStarted => {}
                    Phase::Over { .. } => return Err(TimeError::Over),
                    _ => return Err(TimeError::Started),
                }
                c.phase = Phase::Running;
                c.begin_turn(turn);
                self.tell(Some(Item::Limit), TimeNotice::Started { turn });
            }
            TimeEvent::Placed { side, lying } => {
                self.needs_running()?;
                if side != self.clock.turn {
                    return Err(TimeError::NotTurn { side });
                }
                self.clock.lying = lying;
            }
            TimeEvent::CapturesCleared => {
                self.needs_running()?;
                self.clock.lying = 0;
            }
            TimeEvent::Press { side, board } => self.press(side, board),
            TimeEvent::WrongClock { side } => {
                let totals = c.totals_mut(side);
                totals.wrong_clocks = totals.wrong_clocks.saturating_add(1);
                let nth = totals.wrong_clocks;
                self.tell_of(Infraction::WrongClockPressed, TimeNotice::WrongClock { side, nth });
            }
            TimeEvent::Leave { side } => self.leave(side)?,
            TimeEvent::Stop { reason } => {
                self.needs_running()?;
                self.stop(reason, None);
            }
            TimeEvent::Dispute => self.dispute()?,
            TimeEvent::Resume { turn } => self.resume(turn)?,
            TimeEvent::Suspend => {
                match phase {
                    Phase::Running | Phase::Stopped { .. } => {}
                    Phase::Over { .. } => return Err(TimeError::Over),
                    Phase::NotStarted => return Err(TimeError::NotStarted),
                    Phase::Suspended { .. } => return Err(TimeError::NotRunning),
                }
                self.suspend();
            }
            TimeEvent::Confirm { side } => {
                let Phase::Suspended { mut black, mut white } = phase else { return Err(TimeError::NotSuspended) };
                match side {
                    Color::Black => black = true,
                    Color::White => white = true,
                }
                c.phase = Phase::Suspended { black, white };
                self.tell(Some(Item::Suspension), TimeNotice::Confirmed { side, all: black && white });
            }
            TimeEvent::ShareEvenly { used_ms } => {
                let Phase::Suspended { .. } = phase else { return Err(TimeError::NotSuspended) };
                // the odd millisecond goes to the side that has the turn
                let mut used = [used_ms / 2; 2];
                used[usize::from(c.turn == Color::White)] += used_ms % 2;
                let (from, to) = self.faces_from_used(used)?;
                self.clock.phase = Phase::Suspended { black: false, white: false };
                self.tell(Some(Item::Suspension), TimeNotice::SharedEvenly { from, to });
            }
            TimeEvent::Set { readings, chief_referee } => self.set(readings, chief_referee)?,
            TimeEvent::Replace { black_shown_ms, white_shown_ms, true_ms } => {
                self.replace([black_shown_ms, white_shown_ms], true_ms)?;
            }
            TimeEvent::SealingHour => {
                self.needs_running()?;
                self.clock.sealing = true;
                let turn = self.clock.turn;
                self.tell(Some(Item::Sealed), TimeNotice::SealingHour { turn });
            }
            TimeEvent::Sealed { side } => {
                self.needs_running()?;
                if side != self.clock.turn {
                    return Err(TimeError::NotTurn { side });
                }
                self.hand_over(side);
                self.clock.sealing = false;
                self.tell(Some(Item::Sealed), TimeNotice::Sealed { side });
                self.suspend();
            }
            TimeEvent::End => {
                if let Phase::Over { .. } = phase {
                    return Err(TimeError::Over);
                }
                c.phase = Phase::Over { black_lost: false, white_lost: false };
                let readings = c.readings;
                self.tell(None, TimeNotice::Ended { readings });
            }
        }
        Ok(())
    }

    pub(super) fn needs_running(&self) -> Result<(), TimeError> {
        match self.clock.phase {
            Phase::Running => Ok(()),
            Phase::NotStarted => Err(TimeError::NotStarted),
            Phase::Over { .. } => Err(TimeError::Over),
            Phase::Stopped { .. } | Phase::Suspended { .. } => Err(TimeError::NotRunning),
        }
    }

    /// A clock that is pressed is a fact, never an error.
    fn press(&mut self, side: Color, board: AtPress) {
        let c = &mut self.clock;
        if c.phase != Phase::Running || side != c.turn {
            return self.tell(None, TimeNotice::IdlePress { side });
        }
        let refused = match board {
            AtPress::Complete if c.lying > 0 => Some(Infraction::PressBeforeCapturesCleared),
            board => board.infraction(),
        };
        let Some(infraction) = refused else { return self.hand_over(side) };
        let totals = c.totals_mut(side);
        let count = match infraction {
            Infraction::PressBeforeMove => &mut totals.early_presses,
            _ => &mut totals.unclear_presses,
        };
        *count = count.saturating_add(1);
        let nth = *count;
        self.tell_of(infraction, TimeNotice::PressRefused { side, infraction, nth });
    }

    /// The side has moved: the opponent's time runs.
    fn hand_over(&mut self, side: Color) {
        let used_ms = self.clock.turn_used_ms;
        self.clock.end_turn();
        self.clock.overruns_in_a_row = 0;
        let next = side.opponent();
        self.tell(None, TimeNotice::Turn { by: side, side: next, used_ms });
        // its time may be used up, and play gone on by the referee's leave
        if self.clock.readings.of(next).is_empty() {
            self.overrun(next);
        }
    }
}
