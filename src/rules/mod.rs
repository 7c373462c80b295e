//! The rule core: values in, values out.
//!
//! Enters: a [`Board`], a [`History`], a move, a [`Ruleset`]'s text. Leaves: what the move *is* ([`Classification`]), the
//! board after it, what a ruleset says of an infraction, the count of a final position ([`count()`]).
//! [`time`] is the clock and [`conduct`] the team match: machines that are told what happened, and when.
//! It classifies and does not refuse: what lies on the real board is a fact, and a record must be able to hold illegal moves.
//! It may never know of files, clocks, cameras or floating point.

mod amount;
mod board;
mod chains;
pub mod conduct;
mod count;
mod dispute;
pub mod ending;
mod history;
mod infraction;
mod ledger;
pub mod life;
mod place;
mod provisions;
mod repetition;
mod ruleset;
pub mod table;
pub mod time;
mod verdict;
pub mod vocabulary;
mod wording;

pub use amount::{Amount, ParseAmountError};
pub use board::{Board, Color, MAX_SIZE, ParseBoardError, Placement, Point};
pub use count::{Count, CountError, CountOptions, Equalized, Filled, Method, Seki, Work, count};
pub use dispute::Disputes;
pub use history::{Class, Classification, History, Played};
pub use infraction::{Case, Circumstance, Facts, Infraction, Moment, Removed, Window};
pub use ledger::{
    Decision, Item, Ledger, Lost, PlayerStanding, Proposal, Ruling, SideStanding, Standing, Tips, other_verdict,
};
pub use provisions::{
    Bench, Cards, ColourChoice, Colours, EndCondition, GameKind, Late, Lateness, Provision, Ranks, SentOff, Warnings,
    guessed_black,
};
pub use repetition::{MoveLaw, Repetition, RepetitionKind, RepetitionPolicy, RepetitionRule, RepetitionRules};
pub use ruleset::{
    Counting, CountingRule, Handicap, HandicapReturn, Komi, PlayOff, Ruleset, RulesetError, Setup, Side, Suicide, Unit,
};
pub use verdict::{
    Appeal, Appellant, Choice, InfractionRule, Outcome, Penalty, Per, Repeated, Sanction, Source, SpecialCase,
};
pub use vocabulary::{Term, name_move};
pub use wording::Text;
