//! The rule core: values in, values out.
//!
//! Enters: a [`Board`], a [`History`], a move, a [`Ruleset`]'s text. Leaves: what the move *is* ([`Classification`]), the
//! board after it, what a ruleset says of an infraction, the count of a final position ([`count()`]).
//! It classifies and does not refuse: what lies on the real board is a fact, and a record must be able to hold illegal moves.
//! It may never know of files, clocks, cameras or floating point.

mod amount;
mod board;
mod chains;
mod count;
pub mod ending;
mod history;
pub mod life;
mod repetition;
mod ruleset;
pub mod table;
mod wording;

pub use amount::{Amount, ParseAmountError};
pub use board::{Board, Color, MAX_SIZE, ParseBoardError, Placement, Point};
pub use count::{Count, CountError, CountOptions, Equalized, Filled, Method, Seki, Work, count};
pub use history::{Class, Classification, History, Played};
pub use repetition::{MoveLaw, Repetition, RepetitionKind, RepetitionPolicy, RepetitionRule, RepetitionRules};
pub use ruleset::{
    Appeal, Cards, Counting, CountingRule, Deliberate, Handicap, HandicapReturn, Infraction, InfractionRule, Komi,
    Penalty, PlayOff, Ruleset, RulesetError, Sanction, Setup, Side, Source, Suicide, Unit, Warnings,
};
pub use wording::Text;
