//! What people say about a game through the recorder or the referee.

use crate::rules::{Color, Point};

/// A word about the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// The side to move passes (虚着).
    Pass { color: Color },
    /// The side resigns.
    Resign { color: Color },
    /// Both sides say that play is over.
    EndAgreed,
    /// The end, a resignation or a result does not stand: play goes on, with `turn` to move (`None`: as it was).
    PlayOn { turn: Option<Color> },
    /// The board stands as it lies now, with `turn` to move (`None`: as it was).
    Stands { turn: Option<Color> },
    /// The result is final.
    Result(Settlement),
    /// The move of that number was played at `point`; without one it never was.
    Correct { number: u32, point: Option<Point> },
}

/// How the result came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// Counted as the ruleset does, with what both sides hold to be dead: one stone of each chain is enough. `None`: what was
    /// proposed. `contested`: empty points that could still be played (000 art. 21.2).
    Counted { dead: Option<Vec<Point>>, contested: Vec<Point> },
    /// The resignation stands.
    Resigned,
    /// The referee has ruled so; `None`: nobody wins.
    Ruled { winner: Option<Color> },
}
