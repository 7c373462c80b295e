//! The game so far: positions, whose turn it is, and what a next stone would be.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use serde::{Deserialize, Serialize};

use super::chains::{Chains, Change};
use super::repetition::{self, MoveLaw, Repetition, RepetitionKind, Stone};
use super::{Board, Color, Placement, Point};

/// What a move is. A move may be several at once (an illegal ko in the wrong turn).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    Legal,
    Pass,
    Capture,
    Occupied,
    /// The own stones are left without a liberty and come off. Goes with [`Class::Legal`] where the law allows it.
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
    /// Which kind of repetition that is; also where the law allows it. `None` for a stone that was a suicide or put on
    /// an occupied point: those are no moves of a cycle.
    pub repetition: Option<Repetition>,
    /// The board after the move is carried out, with captures (and suicide) taken off.
    pub after: Board,
    /// Something other than the turn is against it.
    forbidden: bool,
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
        !self.forbidden
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
    moves: u32,
    /// Prisoners taken so far, `[by Black, by White]`.
    prisoners: [u32; 2],
    /// The last step before this one with the same Zobrist hash.
    same_hash: Option<u32>,
    by: By,
    /// What [`History::set_turn`] had said before this step, so that undoing it is exact.
    turn_before: Option<Color>,
}

#[derive(Clone, Debug)]
enum By {
    /// A stone on an empty point that took what the rules say.
    Stone(Change),
    /// A suicide, an occupied point, or a ruling about what was taken; with the chains before.
    OddStone(Chains),
    /// The position is the one before; it is not looked up.
    Pass,
    /// The stones were rearranged; with the chains before.
    Setup(Chains),
    Start,
}

/// A game as a sequence of positions. Cheap to clone relative to a frame; undo is exact.
#[derive(Clone, Debug)]
pub struct History {
    first: Color,
    law: MoveLaw,
    moves: Vec<Played>,
    /// The start, then one step a move or rearrangement.
    steps: Vec<Step>,
    /// The chains of the last step's board.
    chains: Chains,
    /// Zobrist hash to the last step that has it; the earlier ones hang on [`Step::same_hash`].
    seen: HashMap<u64, u32, BuildHasherDefault<AlreadyHashed>>,
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
    /// A game from `start` with `first` to move, without suicide or repetition; see [`History::under`].
    pub fn new(start: Board, first: Color) -> History {
        History::under(MoveLaw::default(), start, first)
    }

    /// A game from `start` with `first` to move, under a ruleset's law.
    pub fn under(law: MoveLaw, start: Board, first: Color) -> History {
        let chains = Chains::of(&start);
        let mut history =
            History { first, law, moves: Vec::new(), steps: Vec::new(), chains, seen: HashMap::default(), turn: None };
        history.step(start, By::Start, [0, 0]);
        history
    }

    /// What later moves are judged by.
    pub fn law(&self) -> MoveLaw {
        self.law
    }

    pub fn set_law(&mut self, law: MoveLaw) {
        self.law = law;
    }

    pub fn start(&self) -> &Board {
        &self.steps[0].board
    }

    #[inline]
    pub fn board(&self) -> &Board {
        &self.last().board
    }

    #[inline]
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
        let end = self.steps.partition_point(|s| s.moves as usize <= n);
        (n <= self.moves.len()).then(|| &self.steps[end - 1].board)
    }

    /// Stones that `color` has taken (or that the opponent lost by suicide).
    pub fn prisoners(&self, color: Color) -> usize {
        self.last().prisoners[color as usize] as usize
    }

    #[inline]
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
        let before = std::mem::replace(&mut self.chains, Chains::of(&board));
        let prisoners = self.last().prisoners;
        self.step(board, By::Setup(before), prisoners);
    }

    /// The last step at which `board` lay there.
    fn find(&self, board: &Board) -> Option<usize> {
        let mut at = self.seen.get(&board.zobrist()).copied();
        while let Some(i) = at {
            let step = &self.steps[i as usize];
            if step.board == *board {
                return Some(i as usize);
            }
            at = step.same_hash;
        }
        None
    }

    /// The kind of the repetition if `color` at `point`, taking `captured`, leads back to what lay there at step `since`.
    fn repetition(&self, since: usize, color: Color, point: Point, captured: &[Point]) -> Repetition {
        let cycle = &self.steps[since + 1..];
        let sound = cycle.iter().all(|s| matches!(s.by, By::Stone(_) | By::Pass));
        let moves = self.steps[since].moves as usize;
        // Back to what lay there before the opponent's last stone is possible only by taking the one stone that has
        // just taken one.
        let mut played = cycle.iter().skip_while(|s| matches!(s.by, By::Pass));
        let stone = matches!(played.next().map(|s| &s.by), Some(By::Stone(_) | By::OddStone(_)));
        let at_once = stone && played.next().is_none() && captured.len() == 1;
        let kind = if at_once {
            RepetitionKind::SingleKo
        } else if sound {
            let stones = self.moves[moves..]
                .iter()
                .filter_map(|m| m.point.map(|point| Stone { color: m.color, point, captured: &m.captured }));
            repetition::name(&stones.chain([Stone { color, point, captured }]).collect::<Vec<_>>())
        } else {
            RepetitionKind::Other
        };
        Repetition { kind, since: moves, at_once }
    }

    /// What `color` playing at `point` (`None`: pass) would be. Nothing is changed.
    /// A point beyond the board is a caller's error and panics.
    pub fn classify(&self, color: Color, point: Option<Point>) -> Classification {
        let mut classes = Vec::with_capacity(2);
        if color != self.turn() {
            classes.push(Class::WrongTurn);
        }
        let mut after = self.board().clone();
        let Some(p) = point else {
            if classes.is_empty() {
                classes.push(Class::Legal);
            }
            classes.push(Class::Pass);
            return Classification {
                classes,
                captured: Vec::new(),
                repeats: None,
                repetition: None,
                after,
                forbidden: false,
            };
        };
        let occupied = after.get(p).is_some();
        let (captured, suicide) = if occupied {
            let Placement { captured, suicide } = after.place(p, color);
            (captured, !suicide.is_empty())
        } else {
            let effect = self.chains.effect(p, color);
            if effect.suicide {
                after.place(p, color);
            } else {
                after.set(p, Some(color));
                effect.captured.iter().for_each(|&q| after.set(q, None));
            }
            (effect.captured, effect.suicide)
        };
        let repeated = self.find(&after);
        let repetition = match repeated {
            Some(since) if !occupied && !suicide => Some(self.repetition(since, color, p, &captured)),
            // a stone that takes itself off leaves what lay there: no cycle that has a name
            Some(since) if !occupied && self.law.allows_suicide() => Some(Repetition {
                kind: RepetitionKind::Other,
                since: self.steps[since].moves as usize,
                at_once: false,
            }),
            _ => None,
        };
        let repeats_against = repetition.filter(|r| !self.law.allows(r));
        let forbidden = occupied || (suicide && !self.law.allows_suicide()) || repeats_against.is_some();
        if occupied {
            classes.push(Class::Occupied);
        }
        if classes.is_empty() && !forbidden {
            classes.push(Class::Legal);
        }
        if suicide {
            classes.push(Class::Suicide);
        }
        if let Some(r) = repeats_against {
            classes.push(if r.at_once { Class::Ko } else { Class::Superko });
        }
        if !captured.is_empty() {
            classes.push(Class::Capture);
        }
        let repeats = repeated.map(|i| self.steps[i].moves as usize);
        Classification { classes, captured, repeats, repetition, after, forbidden }
    }

    /// Classifies and carries the move out, legal or not.
    pub fn play(&mut self, color: Color, point: Option<Point>) -> Classification {
        let c = self.classify(color, point);
        self.carry_out(color, point, &c);
        c
    }

    /// Carries out a move that [`History::classify`] has just judged.
    pub(crate) fn carry_out(&mut self, color: Color, point: Option<Point>, c: &Classification) {
        let played = Played { color, point, captured: c.captured.clone() };
        match point {
            Some(p) if !c.is(Class::Occupied) && !c.is(Class::Suicide) => {
                let by = By::Stone(self.chains.put(p, color));
                let mut prisoners = self.last().prisoners;
                prisoners[color as usize] += played.captured.len() as u32;
                self.moves.push(played);
                self.step(c.after.clone(), by, prisoners);
            }
            _ => self.push(played, c.after.clone()),
        }
    }

    /// Appends a move whose outcome is known (also one that the rules would not give, such as after a ruling).
    /// `after` must have the game's size; where it is not what a pass leaves, the stones were rearranged after it.
    pub fn push(&mut self, played: Played, after: Board) {
        assert_eq!(after.size(), self.size(), "a game keeps its board");
        let mut prisoners = self.last().prisoners;
        prisoners[played.color as usize] += played.captured.len() as u32;
        let Some(p) = played.point else {
            let board = self.board().clone();
            self.moves.push(played);
            self.step(board, By::Pass, prisoners);
            if after != *self.board() {
                self.rearrange(after);
            }
            return;
        };
        let by = self.put(p, &played, &after, &mut prisoners);
        self.moves.push(played);
        self.step(after, by, prisoners);
    }

    /// Keeps the chains, and counts what the mover lost by suicide.
    fn put(&mut self, p: Point, played: &Played, after: &Board, prisoners: &mut [u32; 2]) -> By {
        let before = self.board();
        let color = played.color;
        if after.contains(p) && before.get(p).is_none() && after.get(p) == Some(color) {
            let effect = self.chains.effect(p, color);
            if !effect.suicide && effect.captured == played.captured {
                let mut ruled = before.clone();
                ruled.set(p, Some(color));
                effect.captured.iter().for_each(|&q| ruled.set(q, None));
                if ruled == *after {
                    return By::Stone(self.chains.put(p, color));
                }
            }
        } else if after.contains(p) && after.get(p).is_none() {
            // suicide: the mover's own stones went to the opponent
            let placed = usize::from(before.get(p) != Some(color));
            let lost = (before.stones(color) + placed).saturating_sub(after.stones(color));
            prisoners[color.opponent() as usize] += lost as u32;
        }
        By::OddStone(std::mem::replace(&mut self.chains, Chains::of(after)))
    }

    fn step(&mut self, board: Board, by: By, prisoners: [u32; 2]) {
        let same_hash = match by {
            By::Pass => None,
            _ => self.seen.insert(board.zobrist(), self.steps.len() as u32),
        };
        let turn_before = self.turn;
        if !matches!(by, By::Setup(_) | By::Start) {
            self.turn = None;
        }
        self.steps.push(Step { board, moves: self.moves.len() as u32, by, same_hash, turn_before, prisoners });
    }

    /// Takes the last move back, and every rearrangement since; `None` at the start.
    /// Afterwards everything, whose turn it was included, is as before that move.
    pub fn undo(&mut self) -> Option<Played> {
        let played = self.moves.pop()?;
        while let Some(step) = self.steps.pop() {
            match step.same_hash {
                _ if matches!(step.by, By::Pass) => None,
                Some(earlier) => self.seen.insert(step.board.zobrist(), earlier),
                None => self.seen.remove(&step.board.zobrist()),
            };
            self.turn = step.turn_before;
            match step.by {
                By::Stone(change) => self.chains.take_back(&change),
                By::OddStone(before) => self.chains = before,
                By::Setup(before) => {
                    self.chains = before;
                    continue;
                }
                By::Pass | By::Start => {}
            }
            break;
        }
        Some(played)
    }
}
