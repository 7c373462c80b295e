//! SGF FF[4]: reading (FF[3] too), writing, and a record's game as a [`History`](crate::rules::History).
//!
//! Enters: text or a [`GameState`](super::GameState). Leaves: [`GameTree`]s or text. The parser is iterative, so that no nesting can overflow the
//! stack, and whatever it is given it answers with a tree or an error that names line and column.
//! Specification: <https://www.red-bean.com/sgf/>.

mod play;
mod read;
mod tree;
mod write;

pub use play::Replay;
pub use read::{read, read_bytes};
pub use tree::{GameTree, Node, NodeId, Property};
pub use write::{PENALTY, write, write_trees};

/// Why a text is no SGF, or no game of Go that can be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct SgfError {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    pub what: SgfProblem,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SgfProblem {
    #[error("no game here: SGF begins with '(;'")]
    NoGame,
    #[error("'{0}' is not expected here")]
    Unexpected(char),
    #[error("a game must begin with a node, ';'")]
    NoNode,
    #[error("the game that begins here is not closed with ')'")]
    Unclosed,
    #[error("property {0} has no value in '[]'")]
    NoValue(String),
    #[error("the value that begins here is not closed with ']'")]
    UnclosedValue,
    #[error("variations are nested more than {0} deep")]
    TooDeep(usize),
    #[error("'{0}' is not a point of a board of {1}")]
    Point(String, u8),
    #[error("board size '{0}'; square boards from 2 to 25 are possible")]
    Size(String),
    #[error("GM[{0}] is another game than Go")]
    OtherGame(String),
}
