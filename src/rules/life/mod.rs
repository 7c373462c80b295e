//! Which stones live at the end of a game: what is certain, and what seems so.
//!
//! Enters: a position in which nobody wants to move any more. Leaves: [`PassAlive`], what cannot be taken whatever happens,
//! and a [`Proposal`], chain by chain. What is dead is for both sides to agree on (000 art. 8, 21.4); nothing here decides it.

mod benson;
mod field;
mod playouts;
mod proposal;

pub use benson::PassAlive;
pub use proposal::{ChainLife, Life, Proposal, Reason, propose};
