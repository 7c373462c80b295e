//! What a team match is told, what it tells, and what it will not take.

use serde::{Deserialize, Serialize};

use super::Seat;
use crate::rules::time::Stop;
use crate::rules::{Amount, Color};

/// What a team asks for (000 10.5).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// `player` for whoever sits on the team's seat of this number.
    Substitution {
        seat: u8,
        player: String,
    },
    TimeOut,
}

/// What happened, as the operator or the referee software tells it. Teams are named by the colour they play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ConductEvent {
    /// Time has passed.
    Tick,
    /// When the first section is to begin; its rosters are due some minutes earlier.
    Plan {
        start_ms: u64,
    },
    /// The whole team (大名单); once given, nobody else can be sent in.
    Squad {
        team: Color,
        players: Vec<String>,
    },
    /// Who plays in a section, by seat number (000 10.1). Sections count from 1.
    Roster {
        team: Color,
        section: u8,
        players: Vec<String>,
    },
    /// The next section begins.
    BeginSection,
    /// A move of the record, passes included. `seat`: where the hand came from, if it was seen.
    Move {
        number: u32,
        color: Color,
        #[serde(default)]
        seat: Option<Seat>,
    },
    /// The record was corrected: its last move, who is next, and the seat of the last move if known.
    Corrected {
        number: u32,
        turn: Color,
        #[serde(default)]
        last_seat: Option<Seat>,
    },
    /// A side complains of the last move's seat (000 17.7).
    RaiseSeatOrder {
        by: Color,
    },
    /// The referee confirms or rejects it.
    RuleSeatOrder {
        accepted: bool,
    },
    /// The referee calls the break after a section.
    BreakBegins,
    /// Something on the board changed, whoever did it.
    BoardChanged,
    Ask {
        team: Color,
        request: Request,
    },
    /// The requester, told the state of play, stands by it.
    Confirm,
    /// The requester takes it back.
    Cancel,
    /// The new player sits, or the players are back from the time-out.
    Seated,
    /// The referee takes the present substitution back (000 10.5): the old player stays, the chance is used.
    VoidSubstitution,
    /// A red card for the player on this seat; who comes in, `None` if the team has nobody (000 24.3-4).
    RedCard {
        team: Color,
        seat: u8,
        #[serde(default)]
        replacement: Option<String>,
    },
    /// It is found that the colours were taken wrongly (000 17.1).
    WrongColours,
    /// They are put right.
    CorrectColours,
    /// After a draw both leaders have confirmed the restored position (节棋, 000 12); `turn` moves first.
    PlayOff {
        turn: Color,
    },
    End,
}

/// Where things stand, as a requester is told (000 10.5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateOfPlay {
    /// From 1.
    pub section: u8,
    /// Moves played.
    pub number: u32,
    pub turn: Color,
    /// Who may play next: one seat, or both of a side where either may.
    pub seats: Vec<Seat>,
    /// Black's, White's.
    pub substitutions_left: [u32; 2],
    pub time_outs_left: [u32; 2],
}

/// Why somebody cannot be sent in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ineligible {
    /// Nobody plays again who has played (000 10.4).
    HasPlayed,
    RedCarded,
    NotInSquad,
    OnTheBoard,
}

/// When nobody may touch the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standstill {
    /// Between two sections.
    Break,
    /// A request waits to be confirmed, or a new player to sit.
    Request,
    TimeOut,
    /// A wrong seat was raised and the referee has not ruled.
    Dispute,
}

/// What follows, at its nominal time, whatever the tick that found it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConductEffect {
    pub at_ms: u64,
    /// Document and article, where one speaks of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    pub what: ConductNotice,
}

/// What a [`ConductEffect`] says. Counts are those of the game so far, this one included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConductNotice {
    /// For the clock: [`crate::rules::time::TimeEvent::Stop`].
    StopClock {
        reason: Stop,
    },
    /// For the clock: it runs again for this side.
    StartClock {
        turn: Color,
    },
    /// A roster came, so much after it was due; 0: in time.
    RosterIn {
        team: Color,
        section: u8,
        late_ms: u64,
    },
    /// Rosters are due now and missing.
    RosterDue {
        section: u8,
        black: bool,
        white: bool,
    },
    /// The section begins without a team's roster: its players have no names.
    RosterMissing {
        team: Color,
        section: u8,
    },
    /// Somebody is sent in who may not be.
    NotEligible {
        team: Color,
        player: String,
        why: Ineligible,
    },
    /// First and last move; `seats`: who may begin.
    SectionBegan {
        section: u8,
        first: u32,
        last: Option<u32>,
        seats: Vec<Seat>,
    },
    /// The section's last move was played; time for the break.
    SectionComplete {
        section: u8,
    },
    /// `section_overrun`: the move stands, the team's `nth` of this kind.
    SectionOverrun {
        section: u8,
        number: u32,
        team: Color,
        player: Option<String>,
        stones: Amount,
        nth: u32,
    },
    BreakBegan {
        next: u8,
        until_ms: u64,
    },
    BreakOver {
        next: u8,
    },
    /// The board was touched when nobody may.
    BoardTouched {
        during: Standstill,
    },
    /// The hand and the stone do not belong together: the seat is not known.
    SeatUnclear {
        number: u32,
        color: Color,
        seat: Seat,
    },
    /// `seat_order`: seen; it counts only if the opponent raises it before the next stone.
    SeatOrder {
        number: u32,
        seat: Seat,
        player: String,
        expected: Vec<Seat>,
    },
    SeatOrderRaised {
        by: Color,
        number: u32,
    },
    /// The next stone was played: nothing follows.
    SeatOrderLapsed {
        number: u32,
    },
    /// The referee did not confirm it.
    SeatOrderRejected {
        number: u32,
    },
    /// Confirmed: the team's `nth_team`, the player's `nth_player`.
    SeatOrderPenalty {
        number: u32,
        team: Color,
        seat: Seat,
        player: String,
        nth_team: u32,
        nth_player: u32,
        stones: Amount,
    },
    /// The player on `chooser` says which of its team goes on.
    ChooseSeat {
        team: Color,
        chooser: Seat,
    },
    /// The rules ask for a red card; tell who comes in.
    RedCardDue {
        team: Color,
        seat: Seat,
        player: String,
    },
    /// The rules say that the team has lost.
    TeamLoses {
        team: Color,
    },
    /// Told to the requester, who then confirms or cancels.
    StateOfPlay {
        to: Color,
        request: Request,
        state: StateOfPlay,
    },
    Cancelled {
        team: Color,
    },
    /// `by_red_card`: not asked for. `left`: substitutions that the team still has.
    SubstitutionBegan {
        team: Color,
        seat: u8,
        out: String,
        player: String,
        by_red_card: bool,
        left: u32,
        until_ms: u64,
    },
    /// The time to sit down is over: the clock starts.
    SeatingOverdue {
        team: Color,
        player: String,
    },
    Seated {
        team: Color,
        player: String,
    },
    SubstitutionVoid {
        team: Color,
        seat: u8,
        player: String,
        stays: String,
        left: u32,
    },
    TimeOutBegan {
        team: Color,
        left: u32,
        until_ms: Option<u64>,
    },
    TimeOutOverdue {
        team: Color,
    },
    TimeOutOver {
        team: Color,
    },
    /// A red card with no substitution left: the other team gains one, for anybody, also one who has played.
    OpponentGains {
        team: Color,
        left: u32,
    },
    /// Nobody to send in: the player stays; a pass besides the card's own stones.
    PlayerStays {
        team: Color,
        seat: Seat,
        player: String,
    },
    /// They may still be put right.
    ColoursMayBeCorrected {
        until_move: u32,
    },
    /// Too late: they stay.
    ColoursStand {
        number: u32,
    },
    ColoursCorrected {
        number: u32,
    },
    PlayOffBegan {
        from_move: u32,
        turn: Color,
        until_ms: u64,
    },
    /// The time to get ready is over.
    ReadyOver,
    Ended,
}

/// Why an event cannot be; the match stays as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConductError {
    #[error("the time went back: it was {now_ms} ms, the event says {at_ms} ms")]
    Backwards { now_ms: u64, at_ms: u64 },
    #[error("no section is being played")]
    NotPlaying,
    #[error("a section is being played")]
    Playing,
    #[error("the game is not over")]
    NotOver,
    #[error("the match is over")]
    Over,
    #[error("move {number} is not the next; {expected} is")]
    NotNext { number: u32, expected: u32 },
    #[error("there is no section {section}; 1 to {count}")]
    NoSection { section: u8, count: u8 },
    #[error("section {section} has already begun")]
    SectionBegun { section: u8 },
    #[error("a roster has {expected} players, not {given}")]
    RosterSize { given: usize, expected: u8 },
    #[error("a name is empty or given twice: '{0}'")]
    Name(String),
    #[error("{player} cannot be sent in: {why}")]
    NotEligible { player: String, why: Ineligible },
    #[error("there is no seat {seat}; 1 to {count}")]
    NoSeat { seat: u8, count: u8 },
    #[error("the last move came from the right seat, or the next stone has been played")]
    NothingToRaise,
    #[error("only the opponent can raise it")]
    NotOpponent,
    #[error("it has not been raised by the opponent (000 17.7)")]
    NotRaised,
    #[error("it has already been raised")]
    AlreadyRaised,
    #[error("{team} has no substitution left")]
    NoSubstitutionLeft { team: Color },
    #[error("{team} has no time-out left")]
    NoTimeOutLeft { team: Color },
    #[error("another request, substitution or time-out is under way")]
    Busy,
    #[error("nothing was asked for")]
    NothingAsked,
    #[error("nobody is awaited")]
    NobodyAwaited,
    #[error("no substitution is under way")]
    NoSubstitution,
    #[error("{team} still has somebody to send in: {player}")]
    ReplacementExpected { team: Color, player: String },
    #[error("after move {until_move} wrong colours stand")]
    ColoursStand { until_move: u32 },
    #[error("this ruleset does not play on after a draw")]
    NoPlayOff,
    #[error("the game has already been played on after a draw; a second draw is decided by the rules")]
    PlayedOn,
}

impl std::fmt::Display for Ineligible {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Ineligible::HasPlayed => "has already played",
            Ineligible::RedCarded => "has a red card",
            Ineligible::NotInSquad => "is not in the team",
            Ineligible::OnTheBoard => "is already playing",
        })
    }
}
