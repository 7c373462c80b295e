//! Match conduct: who plays Black, and team matches with their sections, seats, substitutions and time-outs.
//!
//! Enters: what a ruleset says of team matches ([`ConductRule`]), and events with the caller's time in milliseconds: moves
//! of the record with the seat they came from, and what referee and operator say. Leaves: a new [`Relay`] and what follows
//! ([`ConductEffect`]): infractions with their counts, what the clock is to do, what a requester is told. It may never read
//! a clock, look at the board, or add penalties up: what a card or a stone comes to in the end is the ledger's.
//!
//! | file | holds |
//! | --- | --- |
//! | `draw` | lot, guessing stones, the acting leader, seats |
//! | `rule` | `[sections]` and `[team]` of a ruleset |
//! | `event` | what is told, what follows, what is refused |
//! | `relay` | the machine: stages, breaks, what comes due by time |
//! | `order` | moves: sections and seats |
//! | `requests` | substitutions, time-outs, red cards |
//! | `team` | one team: rosters, who may play, what is used up |
//! | `wording` | the sentences |

mod draw;
mod event;
mod order;
mod relay;
mod requests;
mod rule;
mod team;
mod wording;

pub use draw::{Draw, DrawError, Entrant, Executive, Guess, HolderReason, Nigiri, Seat, executive, holder};
pub use event::{
    ConductEffect, ConductError, ConductEvent, ConductNotice, Ineligible, Request, Standstill, StateOfPlay,
};
pub use relay::{Relay, Stage};
pub use rule::{Cited, ConductRule, Rotation, SeatOrderRule, SectionsFile, SectionsRule, TeamFile, TeamItem, TeamRule};
pub use team::Team;
