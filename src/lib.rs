//! goband watches a real Go (weiqi, baduk) board through a camera.
//!
//! A camera picture goes in; moves, infractions, a game record, a signal on a serial line and a live page come out.
//! Data goes one way, imports only go down:
//!
//! | floor | module | holds |
//! | --- | --- | --- |
//! | 0 | [`rules`] | points, positions, capture, history and repetition, rulesets as data; pure |
//! | 1 | [`game`] | [`game::Event`], the one list of all that can happen; the state of a game as a fold over events; SGF |
//! | 1 | [`vision`] | pictures to [`vision::Sighting`]s: locate, track, read |
//! | 1 | [`capture`] | where pictures come from, each stamped with its time |
//! | 2 | [`referee`] | sightings to events; never reads a clock |
//! | 2 | [`virtualboard`] | a rendered board that plays a script: the embedded camera |
//! | 3 | [`record`], [`signal`], [`feed`] | sinks of events, each on its own thread |
//! | 4 | [`service`] | one table: its threads, channels, supervision, configuration |
//! | 5 | [`cli`] | the subcommands |
//!
//! `docs/architecture.md` shows the picture.

pub mod capture;
pub mod cli;
pub mod feed;
pub mod game;
pub mod record;
pub mod referee;
pub mod rules;
pub mod service;
pub mod signal;
pub mod virtualboard;
pub mod vision;
