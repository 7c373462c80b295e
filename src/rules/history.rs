//! The game so far: positions, whose turn it is, and what a next stone would be.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{Board, Color, Placement, Point};

/// What a move is. A move may be several at once (an illegal ko in the wrong turn).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    Legal,
    Pass,
    Capture,
    Occupied,
    Suicide,
    /// Retakes a single-stone ko at once (000 art. 18.3).
    Ko,
    /// Repeats an earlier whole-board position (000 art. 6, 20) and is not a plain [`Class::Ko`].
    Superko,
    WrongTurn,
}

/// A move classified, not yet played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    pub classes: Vec<Class>,
    pub captured: Vec<Point>,
    /// Number of the move after which the same position lay there (0: the start position).
    pub repeats: Option<usize>,
    /// The board after the move is carried out, with captures (and suicide) taken off.
    pub after: Board,
}

impl Classification {
    pub fn is(&self, class: Class) -> bool {
        self.classes.contains(&class)
    }

    /// Nothing forbids the move, turn included.
    pub fn is_legal(&self) -> bool {
        self.is(Class::Legal)
    }

    /// Nothing but the turn forbids it.
    pub fn is_legal_but_turn(&self) -> bool {
        self.classes.iter().all(|c| matches!(c, Class::Legal | Class::Capture | Class::Pass | Class::WrongTurn))
    }
}

/// One move that stands in the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    pub color: Color,
    /// `None`: a pass.
    pub point: Option<Point>,
    pub captured: Vec<Point>,
}

/// A game as a sequence of positions. Cheap to clone relative to a frame; undo is a pop.
#[derive(Clone, Debug)]
pub struct History {
    start: Board,
    first: Color,
    moves: Vec<Played>,
    /// `positions[k]` lay on the board after move `k`; `positions[0]` is the start.
    positions: Vec<Board>,
    seen: HashMap<Board, Vec<usize>>,
    /// Set when an operator or the referee says whose turn it is, else the turn follows from the last move.
    turn: Option<Color>,
}

impl History {
    /// A game from `start` with `first` to move.
    pub fn new(start: Board, first: Color) -> History {
        let seen = HashMap::from([(start.clone(), vec![0])]);
        History { positions: vec![start.clone()], start, first, moves: Vec::new(), seen, turn: None }
    }

    pub fn start(&self) -> &Board {
        &self.start
    }

    pub fn board(&self) -> &Board {
        self.positions.last().expect("the start position is always there")
    }

    pub fn size(&self) -> u8 {
        self.start.size()
    }

    pub fn moves(&self) -> &[Played] {
        &self.moves
    }

    /// The position after move `n` (0: the start).
    pub fn position(&self, n: usize) -> Option<&Board> {
        self.positions.get(n)
    }

    pub fn turn(&self) -> Color {
        self.turn.unwrap_or_else(|| self.moves.last().map_or(self.first, |m| m.color.opponent()))
    }

    /// Says whose turn it is, against what the last move suggests; holds until the next move.
    pub fn set_turn(&mut self, color: Color) {
        self.turn = Some(color);
    }

    /// What `color` playing at `point` (`None`: pass) would be. Nothing is changed.
    pub fn classify(&self, color: Color, point: Option<Point>) -> Classification {
        let mut classes = Vec::new();
        if color != self.turn() {
            classes.push(Class::WrongTurn);
        }
        let Some(p) = point else {
            if classes.is_empty() {
                classes.push(Class::Legal);
            }
            classes.push(Class::Pass);
            return Classification { classes, captured: Vec::new(), repeats: None, after: self.board().clone() };
        };
        let mut after = self.board().clone();
        if after.get(p).is_some() {
            classes.push(Class::Occupied);
        }
        let Placement { captured, suicide } = after.place(p, color);
        if !suicide.is_empty() {
            classes.push(Class::Suicide);
        }
        let repeats = self.seen.get(&after).and_then(|v| v.last().copied());
        if let Some(n) = repeats {
            if n + 2 == self.positions.len() && captured.len() == 1 && suicide.is_empty() {
                classes.push(Class::Ko);
            } else if suicide.is_empty() {
                classes.push(Class::Superko);
            }
        }
        if classes.is_empty() {
            classes.push(Class::Legal);
        }
        if !captured.is_empty() {
            classes.push(Class::Capture);
        }
        Classification { classes, captured, repeats, after }
    }

    /// Classifies and carries the move out, legal or not.
    pub fn play(&mut self, color: Color, point: Option<Point>) -> Classification {
        let c = self.classify(color, point);
        self.push(Played { color, point, captured: c.captured.clone() }, c.after.clone());
        c
    }

    /// Appends a move whose outcome is known (also one that the rules would not give, such as after a ruling).
    pub fn push(&mut self, played: Played, after: Board) {
        self.seen.entry(after.clone()).or_default().push(self.positions.len());
        self.positions.push(after);
        self.moves.push(played);
        self.turn = None;
    }

    /// Takes the last move back; `None` at the start.
    pub fn undo(&mut self) -> Option<Played> {
        let played = self.moves.pop()?;
        let board = self.positions.pop().expect("one position a move");
        if let Some(v) = self.seen.get_mut(&board) {
            v.pop();
            if v.is_empty() {
                self.seen.remove(&board);
            }
        }
        self.turn = None;
        Some(played)
    }
}
