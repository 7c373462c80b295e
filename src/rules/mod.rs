//! The rule core: values in, values out.
//!
//! Enters: a [`Board`], a [`History`], a move. Leaves: what the move *is* ([`Classification`]) and the board after it.
//! It classifies and does not refuse: what lies on the real board is a fact, and a record must be able to hold illegal moves.
//! It may never know of files, clocks, cameras or floating point.

mod board;
mod history;

pub use board::{Board, Color, ParseBoardError, Placement, Point};
pub use history::{Class, Classification, History, Played};
