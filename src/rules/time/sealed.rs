//! The sealed move (封棋): written down, sealed, opened when the game goes on (001 ch. 2 §5 and part 2, 13; 004).

use serde::{Deserialize, Serialize};

use crate::rules::{Class, Color, History, Point};

/// An envelope with the referee. The point is not in here: what the software does not know, no page, journal or log can
/// give away. It is told when the envelope is opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedMove {
    /// Who sealed.
    pub side: Color,
    /// The number that the sealed move will have.
    pub number: u32,
    pub sealed_at_ms: u64,
    /// Once opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<Opened>,
}

/// What was in the envelope and what it comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    pub at_ms: u64,
    /// `None`: a pass was written, or nothing that can be read.
    pub written: Option<Point>,
    pub played: SealedOutcome,
}

/// The move that stands in the record. Either way the opponent has the turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SealedOutcome {
    Move {
        point: Point,
    },
    /// Nothing to play: `because` says what forbids the written point; empty for a written pass.
    Pass {
        because: Vec<Class>,
        /// A point outside the board was written.
        off_board: bool,
    },
}

/// Why an envelope cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealedError {
    #[error("the sealed move has already been opened")]
    AlreadyOpened,
    #[error("the time went back: sealed at {sealed_at_ms} ms, opened at {at_ms} ms")]
    Backwards { sealed_at_ms: u64, at_ms: u64 },
}

impl SealedMove {
    pub fn new(side: Color, game: &History, at_ms: u64) -> SealedMove {
        let number = u32::try_from(game.moves().len()).unwrap_or(u32::MAX).saturating_add(1);
        SealedMove { side, number, sealed_at_ms: at_ms, opened: None }
    }

    /// Opens the envelope on the resumed game. A point that is taken counts as a pass (001 part 2, 13), and so does
    /// one that is forbidden (part 2, 10 and 11).
    pub fn open(&self, written: Option<Point>, game: &History, at_ms: u64) -> Result<SealedMove, SealedError> {
        if self.opened.is_some() {
            return Err(SealedError::AlreadyOpened);
        }
        if at_ms < self.sealed_at_ms {
            return Err(SealedError::Backwards { sealed_at_ms: self.sealed_at_ms, at_ms });
        }
        let played = match written {
            None => SealedOutcome::Pass { because: Vec::new(), off_board: false },
            Some(p) if !game.board().contains(p) => SealedOutcome::Pass { because: Vec::new(), off_board: true },
            Some(point) => {
                let played = game.classify(self.side, Some(point));
                if played.is_legal_but_turn() {
                    SealedOutcome::Move { point }
                } else {
                    let mut because = played.classes;
                    because.retain(|c| !matches!(c, Class::Legal | Class::Capture | Class::WrongTurn));
                    SealedOutcome::Pass { because, off_board: false }
                }
            }
        };
        Ok(SealedMove { opened: Some(Opened { at_ms, written, played }), ..self.clone() })
    }
}
