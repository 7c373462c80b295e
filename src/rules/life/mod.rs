//! Which stones live at the end of a game: what is certain, and what seems so.
//!
//! Enters: a position in which nobody wants to move any more. Leaves: [`PassAlive`], what cannot be taken whatever happens.
//! What is dead is for both sides to agree on (000 art. 8, 21.4); nothing here decides it.

mod benson;

pub use benson::PassAlive;
