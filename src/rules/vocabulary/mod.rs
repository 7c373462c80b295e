//! Names of moves, in Chinese and English, from the position alone.
//!
//! Enters: the board before a move, the opponent's last stone, the move. Leaves: the one [`Term`] that fits best, the most specific
//! first, or none: a wrong name is worse than none. The definitions are those of 004, 常用术语, where it has the word, and common
//! usage elsewhere; each is a row of [`table`] with its pictures in `pictures.txt`. Names never depend on who is stronger, on what was
//! meant, or on what comes later; nothing is known of infractions. A name is the same for both colours and however the board is turned.

mod eyes;
mod fight;
mod opening;
mod page;
mod pattern;
mod picture;
mod reading;
mod scene;
mod shape;
mod table;

use serde::Serialize;

use super::{Board, Color, History, Point};
pub use page::markdown;
pub use picture::{Picture, pictures};

/// A name of moves. `{"en":…,"zh":…,"id":…}` in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Term {
    pub en: &'static str,
    pub zh: &'static str,
    /// For programs; never renamed.
    pub id: &'static str,
}

impl Term {
    /// Every term, in the order in which they are tried.
    pub fn all() -> impl Iterator<Item = Term> {
        table::ROWS.iter().map(|row| row.term)
    }

    pub fn by_id(id: &str) -> Option<Term> {
        Term::all().find(|t| t.id == id)
    }
}

/// The name of `color` playing at `point` next in this game. `None` where no name fits, where the point is occupied, forbidden or
/// beyond the board.
pub fn name_move(history: &History, color: Color, point: Point) -> Option<Term> {
    let last = history.moves().last().filter(|m| m.color != color).and_then(|m| m.point);
    name_on_board(history.board(), last, color, point)
}

/// The same on a board of which only the opponent's last stone is known, or not even that.
pub fn name_on_board(board: &Board, last: Option<Point>, color: Color, point: Point) -> Option<Term> {
    let scene = scene::Scene::new(board, last, color, point)?;
    table::first(&scene).map(|row| row.term)
}
