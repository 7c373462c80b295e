//! What a clock is told, what it tells, and what it will not take.

use serde::{Deserialize, Serialize};

use super::{Call, Outcome, Readings};
use crate::rules::{Color, Infraction};

/// How the board stood when the clock was pressed, as the caller saw it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtPress {
    /// The move was complete, or nothing is known against it.
    #[default]
    Complete,
    /// No stone was played before, or only together with, the press (000 17.4).
    NoStone,
    /// Captured stones still lay on the board (000 22.2).
    CapturesLying,
}

/// Why a clock stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// A question on the board: stopped before the referee acts (000 23.11).
    Dispute,
    /// A time-out or substitution was asked for (000 10.5).
    Request,
    /// Between sections (000 10.2), or a break of the venue.
    Break,
    /// The clock is faulty (000 22.3).
    Fault,
    /// An overrun that waits for the referee.
    Overrun,
    /// Both sides overran in a row: nobody plays.
    BothOverran,
    /// The game is over, or being counted.
    End,
    Other,
}

/// What happened, as the caller tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TimeEvent {
    /// Time has passed.
    Tick,
    /// The players came late by so much (001 part 2, 14.1-3); before the start.
    Late {
        black_ms: u64,
        white_ms: u64,
    },
    /// The game begins; this side's time runs.
    Start {
        turn: Color,
    },
    /// A stone was played and so many captured stones lie on the board.
    Placed {
        side: Color,
        lying: u16,
    },
    /// They are all off.
    CapturesCleared,
    /// A side pressed its clock.
    Press {
        side: Color,
        #[serde(default)]
        board: AtPress,
    },
    /// A side was seen to press a clock that was not its to press (000 22.5).
    WrongClock {
        side: Color,
    },
    /// A player asks to leave the seat (001 part 2, 14.6).
    Leave {
        side: Color,
    },
    Stop {
        reason: Stop,
    },
    /// A dispute on the board: the clock stops, and in byo-yomi it is put back to what it showed after the opponent's
    /// move (000 23.11).
    Dispute,
    /// The clock runs again, for this side if given, else for the one whose turn it was.
    Resume {
        #[serde(default)]
        turn: Option<Color>,
    },
    /// The game is suspended; both times are stored (000 22.4).
    Suspend,
    /// A side confirms the stored times.
    Confirm {
        side: Color,
    },
    /// No written record of the stored times: what was used is shared evenly (000 22.4).
    ShareEvenly {
        used_ms: u64,
    },
    /// Both clock faces are set. A change for one side only needs the chief referee's consent (000 22.3).
    Set {
        readings: Readings,
        #[serde(default)]
        chief_referee: bool,
    },
    /// The clock is replaced: it had shown so much used by each side while `true_ms` had passed (000 22.3).
    Replace {
        black_shown_ms: u64,
        white_shown_ms: u64,
        true_ms: u64,
    },
    /// The hour for sealing has come: the side that has moved leaves, the other thinks and seals (001 ch. 2 §5).
    SealingHour,
    /// The sealed move was handed over.
    Sealed {
        side: Color,
    },
    /// The game is over.
    End,
}

/// What follows from it. Every effect carries the nominal time at which it is due, whatever the tick that found it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeEffect {
    pub at_ms: u64,
    /// Document and article, where one speaks of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    pub what: TimeNotice,
}

/// What a [`TimeEffect`] says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeNotice {
    Started {
        turn: Color,
    },
    /// So much of the main time is left.
    Reminder {
        side: Color,
        left_ms: u64,
    },
    ByoyomiBegins {
        side: Color,
        periods: u32,
        period_ms: u64,
    },
    Call {
        side: Color,
        call: Call,
    },
    /// A period is used up; so many are left, 1: the last one runs.
    PeriodUsed {
        side: Color,
        left: u32,
        period_ms: u64,
    },
    /// All time is used up, for the side's `nth` time.
    Overrun {
        side: Color,
        nth: u32,
        outcome: Outcome,
    },
    /// `by` has moved, in so much time of its own; `side` has the turn.
    Turn {
        by: Color,
        side: Color,
        used_ms: u64,
    },
    /// The press did not count, and the clock goes on as it was: an infraction, the side's `nth` of its kind.
    PressRefused {
        side: Color,
        infraction: Infraction,
        nth: u32,
    },
    /// A press of a side whose clock was not running; no offence by itself.
    IdlePress {
        side: Color,
    },
    /// The side's `nth` wrong clock pressed; from the second it is repeated (000 22.5).
    WrongClock {
        side: Color,
        nth: u32,
    },
    Stopped {
        reason: Stop,
        readings: Readings,
    },
    /// A dispute in byo-yomi: the clock shows what it showed after the opponent's move.
    PutBack {
        side: Color,
        from: Readings,
        to: Readings,
    },
    Resumed {
        turn: Color,
    },
    /// Both times, to be written down and confirmed by both sides.
    Suspended {
        readings: Readings,
        turn: Color,
    },
    Confirmed {
        side: Color,
        all: bool,
    },
    /// It goes on although not both sides have confirmed the stored times.
    ResumedUnconfirmed {
        black: bool,
        white: bool,
    },
    Set {
        from: Readings,
        to: Readings,
    },
    /// What was used is shared evenly; the arbiter is to be admonished (000 22.4).
    SharedEvenly {
        from: Readings,
        to: Readings,
    },
    /// The clock is replaced; `to` differs from `from` only if it erred by the limit or more.
    Replaced {
        scaled: bool,
        shown_ms: u64,
        true_ms: u64,
        from: Readings,
        to: Readings,
    },
    /// Lateness within the limit, taken off.
    LateTakenOff {
        side: Color,
        late_ms: u64,
        reading: super::Reading,
    },
    /// Past the limit: loses by default; both may.
    Default {
        black: bool,
        white: bool,
    },
    /// The player who has moved leaves the room; `turn` thinks and seals.
    SealingHour {
        turn: Color,
    },
    /// The envelope is with the referee.
    Sealed {
        side: Color,
    },
    LeaveGranted {
        side: Color,
        nth: u32,
    },
    /// Not in the opponent's time, or too often.
    LeaveRefused {
        side: Color,
        in_own_time: bool,
        already: u32,
    },
    Ended {
        readings: Readings,
    },
}

/// Why an event cannot be; the clock stays as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeError {
    #[error("the time went back: it was {now_ms} ms, the event says {at_ms} ms")]
    Backwards { now_ms: u64, at_ms: u64 },
    #[error("the game has already started")]
    Started,
    #[error("the game has not started")]
    NotStarted,
    #[error("the clock is not running")]
    NotRunning,
    #[error("the clock is already running")]
    Running,
    #[error("the game is over")]
    Over,
    #[error("the game is not suspended")]
    NotSuspended,
    #[error("it is not {side}'s turn")]
    NotTurn { side: Color },
    #[error("only one side's time would change: this needs the chief referee's consent (000 22.3)")]
    NeedsChiefReferee,
    #[error("{side} would have no time left; the referee has to say what follows")]
    NoTimeLeft { side: Color },
    #[error("{what} is impossible")]
    Impossible { what: &'static str },
}
