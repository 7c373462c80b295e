//! The game so far: positions, whose turn it is, and what a next stone would be.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

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
    /// Repeats an earlier whole-board position, whoever had the turn then (000 art. 6, 20), and is not a plain
    /// [`Class::Ko`]. A pass never counts as repeating.
    Superko,
    WrongTurn,
}

impl Class {
    /// The name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Class::Legal => "legal",
            Class::Pass => "pass",
            Class::Capture => "capture",
            Class::Occupied => "occupied",
            Class::Suicide => "suicide",
            Class::Ko => "ko",
            Class::Superko => "superko",
            Class::WrongTurn => "wrong_turn",
        }
    }
}

/// A move classified, not yet played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    pub classes: Vec<Class>,
    pub captured: Vec<Point>,
    /// Number of the last move that led to the same position (0: the start position). Says what is so, also where
    /// the point was occupied or the move a suicide; never for a pass.
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

/// A position that lay on the board, and what led to it.
#[derive(Clone, Debug)]
struct Step {
    board: Board,
    /// Moves played when it lay there.
    moves: usize,
    by: By,
    /// The last step before this one with the same Zobrist hash.
    same_hash: Option<usize>,
    /// What [`History::set_turn`] had said before this step, so that undoing it is exact.
    turn_before: Option<Color>,
    /// Prisoners taken so far, `[by Black, by White]`.
    prisoners: [usize; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Stone,
    /// The position is the one before; it is not looked up.
    Pass,
    /// The stones were rearranged, or this is the start.
    Setup,
}

/// A game as a sequence of positions. Cheap to clone relative to a frame; undo is exact.
#[derive(Clone, Debug)]
pub struct History {
    first: Color,
    moves: Vec<Played>,
    /// The start, then one step a move or rearrangement.
    steps: Vec<Step>,
    /// Zobrist hash to the last step that has it; the earlier ones hang on [`Step::same_hash`].
    seen: HashMap<u64, usize, BuildHasherDefault<AlreadyHashed>>,
    /// Set when an operator or the referee says whose turn it is, else the turn follows from the last move.
    turn: Option<Color>,
}

/// Zobrist hashes are random already.
#[derive(Clone, Copy, Debug, Default)]
struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(b);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl History {
    /// A game from `start` with `first` to move.
    pub fn new(start: Board, first: Color) -> History {
        let mut history = History { first, moves: Vec::new(), steps: Vec::new(), seen: HashMap::default(), turn: None };
        history.step(start, By::Setup, [0, 0]);
        history
    }

    pub fn start(&self) -> &Board {
        &self.steps[0].board
    }

    pub fn board(&self) -> &Board {
        &self.last().board
    }

    fn last(&self) -> &Step {
        self.steps.last().expect("the start position is always there")
    }

    pub fn size(&self) -> u8 {
        self.start().size()
    }

    /// Who had the first move.
    pub fn first(&self) -> Color {
        self.first
    }

    pub fn moves(&self) -> &[Played] {
        &self.moves
    }

    /// The position after move `n` (0: the start), with what was rearranged before move `n + 1`.
    pub fn position(&self, n: usize) -> Option<&Board> {
        let end = self.steps.partition_point(|s| s.moves <= n);
        (n <= self.moves.len()).then(|| &self.steps[end - 1].board)
    }

    /// Stones that `color` has taken (or that the opponent lost by suicide).
    pub fn prisoners(&self, color: Color) -> usize {
        self.last().prisoners[color as usize]
    }

    pub fn turn(&self) -> Color {
        self.turn.unwrap_or_else(|| self.moves.last().map_or(self.first, |m| m.color.opponent()))
    }

    /// Says whose turn it is, against what the last move suggests; holds until the next move.
    pub fn set_turn(&mut self, color: Color) {
        self.turn = Some(color);
    }

    /// The stones now lie otherwise than the moves led to (a ruling, a repaired record): no move, no capture.
    /// Later repetition is judged against this position too. `board` must have the game's size.
    pub fn rearrange(&mut self, board: Board) {
        assert_eq!(board.size(), self.size(), "a game keeps its board");
        let prisoners = self.last().prisoners;
        self.step(board, By::Setup, prisoners);
    }

    /// The last step at which `board` lay there.
    fn find(&self, board: &Board) -> Option<usize> {
        let mut at = self.seen.get(&board.zobrist()).copied();
        while let Some(i) = at {
            if self.steps[i].board == *board {
                return Some(i);
            }
            at = self.steps[i].same_hash;
        }
        None
    }

    /// What `color` playing at `point` (`None`: pass) would be. Nothing is changed.
    /// A point beyond the board is a caller's error and panics.
    pub fn classify(&self, color: Color, point: Option<Point>) -> Classification {
        let mut classes = Vec::with_capacity(2);
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
        assert!(self.board().contains(p), "a point of the board");
        let mut after = self.board().clone();
        let occupied = after.get(p).is_some();
        if occupied {
            classes.push(Class::Occupied);
        }
        let Placement { captured, suicide } = after.place(p, color);
        if !suicide.is_empty() {
            classes.push(Class::Suicide);
        }
        let repeated = self.find(&after);
        if repeated.is_some() && suicide.is_empty() && !occupied {
            // Back to what lay there before the opponent's last stone is possible only by taking the one stone
            // that has just taken one.
            let at_once = self.last().by == By::Stone && self.steps[self.steps.len() - 2].board == after;
            classes.push(if at_once && captured.len() == 1 { Class::Ko } else { Class::Superko });
        }
        if classes.is_empty() {
            classes.push(Class::Legal);
        }
        if !captured.is_empty() {
            classes.push(Class::Capture);
        }
        Classification { classes, captured, repeats: repeated.map(|i| self.steps[i].moves), after }
    }

    /// Classifies and carries the move out, legal or not.
    pub fn play(&mut self, color: Color, point: Option<Point>) -> Classification {
        let c = self.classify(color, point);
        self.push(Played { color, point, captured: c.captured.clone() }, c.after.clone());
        c
    }

    /// Appends a move whose outcome is known (also one that the rules would not give, such as after a ruling).
    /// `after` must have the game's size.
    pub fn push(&mut self, played: Played, after: Board) {
        assert_eq!(after.size(), self.size(), "a game keeps its board");
        let color = played.color;
        let mut prisoners = self.last().prisoners;
        prisoners[color as usize] += played.captured.len();
        if let Some(p) = played.point.filter(|&p| after.contains(p))
            && after.get(p).is_none()
        {
            // suicide: the mover's own stones went to the opponent
            let placed = usize::from(self.board().get(p) != Some(color));
            let lost = (self.board().stones(color) + placed).saturating_sub(after.stones(color));
            prisoners[color.opponent() as usize] += lost;
        }
        let by = if played.point.is_some() { By::Stone } else { By::Pass };
        self.moves.push(played);
        self.step(after, by, prisoners);
    }

    fn step(&mut self, board: Board, by: By, prisoners: [usize; 2]) {
        let same_hash = if by == By::Pass { None } else { self.seen.insert(board.zobrist(), self.steps.len()) };
        let turn_before = self.turn;
        self.steps.push(Step { board, moves: self.moves.len(), by, same_hash, turn_before, prisoners });
        if by != By::Setup {
            self.turn = None;
        }
    }

    /// Takes the last move back, and every rearrangement since; `None` at the start.
    /// Afterwards everything, whose turn it was included, is as before that move.
    pub fn undo(&mut self) -> Option<Played> {
        let played = self.moves.pop()?;
        while let Some(step) = self.steps.pop() {
            match step.same_hash {
                _ if step.by == By::Pass => None,
                Some(earlier) => self.seen.insert(step.board.zobrist(), earlier),
                None => self.seen.remove(&step.board.zobrist()),
            };
            self.turn = step.turn_before;
            if step.by != By::Setup {
                break;
            }
        }
        Some(played)
    }
}
