//! The end of a game, step by step: (state, what happened) → (state, what follows from it).
//!
//! Enters: what the sides and the referee say and do ([`EndEvent`]), and the board when play is over. Leaves: the next
//! [`Ending`] and its [`EndEffect`]s, or why it is not possible now ([`EndError`]). It knows no clock and decides nothing
//! that is the players' or the referee's to say: dead stones are what both sides confirm.
//!
//! ```text
//!            offer                agree                both confirm alike       counted        both confirm
//!  Playing ─────────► Offered ─────────────► Marking ─────────────────► Counting ───► Counted ────────────► Over
//!    ▲  ▲ two passes ──────────────────────►   ▲  │ differently                          │ drawn, needs a winner
//!    │  └──── declined ──┘                     │  ▼                                      ▼
//!    └──────────────────────── resumed ──── Disputed              Playing ◄───────── Restoring (节棋)
//! ```
//! A side may resign, and the referee may rule, at any time before it is over.

mod marking;
mod step;
mod text;

use serde::{Deserialize, Serialize};

use super::{Amount, Color, History, PlayOff, Point, Ruleset};
pub use marking::{Claim, Marking};

/// What is agreed before the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EndTerms {
    /// Who has the first move of the game.
    pub first: Color,
    /// The game must have a winner (a knock-out), so that a draw is played off where the ruleset has a play-off.
    pub needs_winner: bool,
    pub play_off: Option<PlayOff>,
    /// Who wins a drawn game, where that was said beforehand (000 art. 12).
    pub draw_goes_to: Option<Color>,
}

impl EndTerms {
    /// As the ruleset has it; in a handicap game White begins.
    pub fn new(rules: &Ruleset, handicap: u32, needs_winner: bool) -> EndTerms {
        EndTerms {
            first: if handicap >= 2 { Color::White } else { rules.first },
            needs_winner,
            play_off: rules.play_off.clone(),
            draw_goes_to: rules.counting.draw_goes_to.map(Color::from),
        }
    }
}

/// Something that a side or the referee says or does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EndEvent {
    /// A move that stands in the record.
    Stone {
        by: Color,
    },
    /// A pass (虚着).
    Pass {
        by: Color,
    },
    /// The side to move proposes the end and gives up its move (000 art. 21.1; 001 part 2, ch. 2 §4).
    OfferEnd {
        by: Color,
    },
    AgreeEnd {
        by: Color,
    },
    DeclineEnd {
        by: Color,
    },
    /// In team relay the acting captain tells the referee (000 art. 14).
    Resign {
        by: Color,
    },
    /// What `by` holds the chain of the stone at `at` to be.
    Mark {
        by: Color,
        at: Point,
        dead: bool,
    },
    /// All that `by` holds to be dead, such as a proposal it accepts; replaces what it marked before.
    MarkAll {
        by: Color,
        dead: Vec<Point>,
    },
    /// An empty point that could still be contested, or could not after all (000 art. 21.2).
    Contest {
        at: Point,
        contested: bool,
    },
    /// `by` stands by its marking.
    Confirm {
        by: Color,
    },
    /// Play goes on after a dispute. `first` is needed only where each side claims something to be dead.
    Resume {
        first: Option<Color>,
    },
    /// The count: by how much Black is ahead, and how many moves were played.
    Counted {
        margin: Amount,
        moves: usize,
    },
    /// A side asks for another count (000 art. 16.4, 001 part 2, ch. 2 §7.3).
    Recount {
        by: Color,
    },
    ConfirmResult {
        by: Color,
    },
    /// A captain confirms the position set up again for the play-off (000 art. 12).
    ConfirmPosition {
        by: Color,
    },
    /// The referee ends the game (001 part 2, ch. 2 §4.1; 000 art. 17, 23).
    Rule {
        ruling: Ruling,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    BlackWins,
    WhiteWins,
    Draw,
    BothLose,
    /// The game is played anew (重赛).
    Replay,
}

/// What follows from an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum EndEffect {
    /// `of` is asked whether the game is over.
    AskToEnd { of: Color },
    /// The offer was declined: `may_play` may play now, and `restored` has its right to move back afterwards (000 art. 21.1).
    OfferDeclined { may_play: Color, restored: Color },
    /// No more stones are played; dead stones are to be marked (a proposal can be shown).
    MarkDead { two_passes: bool },
    /// The sides disagree on these chains.
    Dispute { claims: Vec<Claim> },
    /// Play goes on with `first` (000 art. 21.4: 由认为是死的一方先下).
    Resumed { first: Color },
    /// To be counted: these stones are dead, these points shared.
    Count { dead: Vec<Point>, contested: Vec<Point> },
    /// The position after this move is to be set up (节棋).
    RestorePosition { after_move: u16 },
    /// The game needs a winner, but it is not long enough to be restored to `after_move`; the documents say no more.
    CannotRestore { after_move: u16, moves: usize },
    /// Both sides get ready, send in anybody of their list, and `first` plays the next move.
    PlayOff { first: Color, preparation_s: u32, substitutions: u8, time_outs: u8 },
    /// The game's only result.
    Result { outcome: Outcome },
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    Won {
        winner: Color,
        by: Won,
    },
    Drawn,
    BothLose,
    /// No result: the game is played anew.
    Replay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Won {
    /// In the ruleset's unit; 0 where a drawn game was given to the winner beforehand.
    Count(Amount),
    Resignation,
    Ruling,
    /// Drawn, and drawn again in the play-off (000 art. 12: 若弈至最后再和，判黑方获胜).
    DrawnAgain,
}

impl Outcome {
    pub fn winner(self) -> Option<Color> {
        match self {
            Outcome::Won { winner, .. } => Some(winner),
            _ => None,
        }
    }
}

/// Where a game stands on its way to the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// `turn` has the move; `passed`: the move before was a pass.
    Playing {
        turn: Color,
        passed: bool,
    },
    /// `by` gave up its move and proposed the end; the other side has to answer.
    Offered {
        by: Color,
    },
    Marking {
        marking: Marking,
    },
    /// Both sides confirmed, but not the same.
    Disputed {
        marking: Marking,
        claims: Vec<Claim>,
    },
    /// What is dead is agreed and to be counted.
    Counting {
        dead: Vec<Point>,
        contested: Vec<Point>,
    },
    /// Counted; both sides have to confirm the result or ask for another count.
    Counted {
        dead: Vec<Point>,
        contested: Vec<Point>,
        margin: Amount,
        moves: usize,
        confirmed: [bool; 2],
    },
    /// A drawn game is set up again; both captains have to confirm the position.
    Restoring {
        after_move: u16,
        confirmed: [bool; 2],
    },
    Over {
        outcome: Outcome,
    },
}

/// The end of a game as far as it has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ending {
    pub terms: EndTerms,
    /// The game was drawn before and is being played off.
    pub playing_off: bool,
    pub phase: Phase,
}

impl Ending {
    /// A game in which `turn` has the move and nobody spoke of the end.
    pub fn new(terms: EndTerms, turn: Color) -> Ending {
        Ending { terms, playing_off: false, phase: Phase::Playing { turn, passed: false } }
    }

    /// The result, once there is one.
    pub fn outcome(&self) -> Option<Outcome> {
        match self.phase {
            Phase::Over { outcome } => Some(outcome),
            _ => None,
        }
    }
}

/// The game as it was after move `after_move`, with everything later forgotten; `None` if it is not that long.
pub fn restored(history: &History, after_move: usize) -> Option<History> {
    let mut history = history.clone();
    (history.moves().len() >= after_move).then(|| {
        while history.moves().len() > after_move {
            history.undo();
        }
        history
    })
}

/// Why an event is not possible now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndError {
    #[error("it is not {by}'s turn")]
    NotTheirTurn { by: Color },
    #[error("nobody has proposed the end")]
    NoOffer,
    #[error("the end is proposed; {from} has to answer")]
    AnswerAwaited { from: Color },
    #[error("the game is still being played")]
    StillPlaying,
    #[error("both sides have confirmed the end: no stone is played any more")]
    EndConfirmed,
    #[error("dead stones cannot be marked now")]
    NotMarking,
    #[error("{by} has confirmed already")]
    AlreadyConfirmed { by: Color },
    #[error("{at} is not on the board")]
    OffBoard { at: Point },
    #[error("{at} is empty")]
    NoStone { at: Point },
    #[error("a stone lies at {at}")]
    Occupied { at: Point },
    #[error("nothing is in dispute")]
    NoDispute,
    #[error("{claimant} holds the stones to be dead and plays first")]
    ClaimantPlaysFirst { claimant: Color },
    #[error("each side holds stones of the other to be dead: say who plays first")]
    WhoPlaysFirst,
    #[error("there is nothing to count yet")]
    NothingToCount,
    #[error("there is no result to confirm yet")]
    NothingToConfirm,
    #[error("no position is being set up")]
    NotRestoring,
    #[error("the game is over")]
    Over,
}
