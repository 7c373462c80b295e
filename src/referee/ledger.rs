//! What the referee holds to be true: the game, what is wrong on the board at present, what is still to be done.
//!
//! It is a fold over the events that the referee has given out, so a killed referee finds itself again in its journal.

use std::collections::{BTreeMap, BTreeSet};

use super::evidence::Cell;
use crate::game::{Event, EventKind, case, decision};
use crate::rules::{Board, Color, History, Ledger as Conduct, MoveLaw, Played, Point};

/// A pause this long between two moves is a break between sections, milliseconds.
const BREAK_MS: u64 = 60_000;

/// So many first moves of a game tell it from others.
pub const OPENING: usize = 40;

/// A move of the record and the event that told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveRef {
    pub seq: u64,
    /// Last frame that did not show it.
    pub unseen_ms: u64,
    /// First frame that showed it.
    pub seen_ms: u64,
    pub reported_ms: u64,
}

/// An infraction that has not been put right.
#[derive(Clone, Debug)]
pub struct Open {
    pub seq: u64,
    pub kind: EventKind,
    pub color: Option<Color>,
    /// What lies on the board against the record; the outer `None`: not yet known (after a restart).
    pub wrong: BTreeMap<Point, Option<Cell>>,
}

/// Captured stones that still lie on the board.
#[derive(Clone, Debug)]
pub struct Lying {
    /// The event of the move that captured them.
    pub seq: u64,
    pub number: u32,
    pub capturer: Color,
    /// Perhaps they were taken off, and one of them is a new stone: no alarm before the next move shows it.
    pub doubtful: bool,
    pub stones: BTreeMap<Point, Color>,
    /// From when the grace time runs: the hand is off the board and nothing was taken off since.
    pub grace_from_ms: u64,
    /// The `missed_capture` event, once told.
    pub missed: Option<u64>,
    /// When the next stone was played, or the clock pressed.
    pub overtaken_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The start position is not known yet.
    Waiting,
    Playing,
    /// Both sides have agreed to the end, or one has resigned: counting and clearing are no infractions.
    Ended,
    /// The stones are off.
    Cleared,
}

#[derive(Clone, Debug)]
pub struct Ledger {
    pub phase: Phase,
    /// What the ruleset says of suicide and repetition.
    pub law: MoveLaw,
    pub game: Option<History>,
    /// One for every move of `game`, in order; the moves of a given start have none (`seq` 0).
    pub moves: Vec<MoveRef>,
    pub open: Vec<Open>,
    pub lying: Vec<Lying>,
    /// After a restart: stones of the last capture, which may or may not have been taken off.
    pub maybe_lying: BTreeMap<Point, Color>,
    /// After a void stone by this side (ko, suicide, repetition) the rule makes it pass; the opponent may play next.
    pub may_be_passed: Option<Color>,
    /// The start was found lying, so whoever plays first may.
    pub turn_is_free: bool,
    /// Black, White laid the stone that agrees to the end.
    pub agreed: [bool; 2],
    pub last_seq: u64,
    /// Infractions and what was decided about them: a second time may weigh more than the first.
    pub conduct: Conduct,
    /// The event that said that play is over.
    pub ended: Option<u64>,
    /// Who has resigned.
    pub resigned: Option<Color>,
    /// The event that began the break that is on, and when that was.
    pub resting: Option<(u64, u64)>,
    /// So many moves had been played at the last break: where the section began.
    pub section_from: usize,
    /// The event that began the game.
    pub began: u64,
    /// The first moves of the game before this one.
    pub finished: BTreeSet<(Point, Color)>,
    /// What has been laid since is that game looked at again, and no game.
    pub looked_at: bool,
    /// The event that said that the board was cleared, and the phase before it.
    pub cleared: Option<(u64, Phase)>,
    /// When it was cleared, milliseconds.
    pub cleared_ms: u64,
    /// After the clearing the board was seen empty: what is laid now belongs to the next game.
    pub emptied: bool,
}

impl Default for Ledger {
    fn default() -> Ledger {
        Ledger {
            phase: Phase::Waiting,
            law: MoveLaw::default(),
            game: None,
            moves: Vec::new(),
            open: Vec::new(),
            lying: Vec::new(),
            maybe_lying: BTreeMap::new(),
            may_be_passed: None,
            turn_is_free: false,
            agreed: [false; 2],
            last_seq: 0,
            conduct: Conduct::default(),
            ended: None,
            resigned: None,
            resting: None,
            section_from: 0,
            began: 0,
            finished: BTreeSet::new(),
            looked_at: false,
            cleared: None,
            cleared_ms: 0,
            emptied: false,
        }
    }
}

impl Ledger {
    /// A game that is already under way.
    pub fn begin(&mut self, mut game: History, turn_is_free: bool) {
        game.set_law(self.law);
        self.moves = vec![MoveRef { seq: 0, unseen_ms: 0, seen_ms: 0, reported_ms: 0 }; game.moves().len()];
        self.game = Some(game);
        self.turn_is_free = turn_is_free;
        self.phase = Phase::Playing;
        self.open.clear();
        self.lying.clear();
        self.may_be_passed = None;
        self.agreed = [false; 2];
        self.ended = None;
        self.resigned = None;
        self.resting = None;
        self.section_from = self.moves.len();
        self.looked_at = false;
        self.cleared = None;
        self.emptied = false;
    }

    /// What should lie on the table at `p`, known faults and captured stones that still lie included.
    pub fn expected(&self, p: Point) -> Cell {
        if self.emptied {
            return None;
        }
        let record = self.game.as_ref().and_then(|g| g.board().get(p));
        for open in self.open.iter().rev() {
            if let Some(is) = open.wrong.get(&p) {
                return is.unwrap_or(record);
            }
        }
        if record.is_none() {
            for lying in &self.lying {
                if let Some(&c) = lying.stones.get(&p) {
                    return Some(c);
                }
            }
        }
        record
    }

    /// The event of the last move; 0 if there is none.
    pub fn last_move_seq(&self) -> u64 {
        self.moves.last().map_or(0, |m| m.seq)
    }

    /// The record's board.
    pub fn board(&self) -> Option<&Board> {
        self.game.as_ref().map(History::board)
    }

    /// Takes an event in. What the event does not say (which captured stones still lie) the caller adds.
    pub fn apply(&mut self, e: &Event) {
        self.last_seq = self.last_seq.max(e.seq);
        if let Some(case) = case(e) {
            self.conduct.report(case);
        }
        if let Some(decision) = decision(e) {
            self.conduct.decide(decision);
        }
        match e.kind {
            EventKind::PositionAdopted => {
                let Some(board) = e.board.as_ref().and_then(|rows| Board::from_rows(rows).ok()) else { return };
                // in the middle of a game the stones lie otherwise from now on, and the game goes on
                if let Some(game) = &mut self.game
                    && self.cleared.is_none()
                    && !game.moves().is_empty()
                    && game.size() == board.size()
                {
                    game.rearrange(board);
                    if let Some(turn) = e.turn {
                        game.set_turn(turn);
                    }
                    // the moves before it are no longer to be told otherwise
                    self.moves.iter_mut().for_each(|m| m.seq = 0);
                    self.open.clear();
                    self.lying.clear();
                    self.maybe_lying.clear();
                    self.phase = Phase::Playing;
                    // what was said of the end is void with it
                    self.ended = None;
                    self.resigned = None;
                    self.agreed = [false; 2];
                    return;
                }
                if self.cleared.is_some() {
                    self.conduct = Conduct::default();
                    if let Some(game) = self.game.as_ref().filter(|_| !self.looked_at) {
                        self.finished =
                            game.moves().iter().take(OPENING).filter_map(|m| Some((m.point?, m.color))).collect();
                    }
                }
                let free = e.turn.is_none();
                // nobody knows who is to play; after a move of Black's there usually is a black stone more
                let more_black = board.stones(Color::Black) > board.stones(Color::White);
                let turn = e.turn.unwrap_or(if more_black { Color::White } else { Color::Black });
                self.begin(History::new(board, turn), free);
                self.began = e.seq;
            }
            EventKind::Move => {
                let (Some(game), Some(color), Some(point)) = (&mut self.game, e.color, e.point) else { return };
                if !game.board().contains(point) {
                    return;
                }
                if game.turn() != color {
                    game.set_turn(color);
                }
                if self.moves.last().is_some_and(|m| m.seq != 0 && e.at_ms.first >= m.seen_ms + BREAK_MS) {
                    self.section_from = self.moves.len();
                }
                game.play(color, Some(point));
                self.moves.push(MoveRef {
                    seq: e.seq,
                    unseen_ms: e.at_ms.first,
                    seen_ms: e.at_ms.last,
                    reported_ms: e.reported_ms,
                });
                self.turn_is_free = false;
                self.may_be_passed = None;
                self.settle_wrong();
                for lying in &mut self.lying {
                    lying.stones.remove(&point);
                }
                self.lying.retain(|l| !l.stones.is_empty());
                for lying in &mut self.lying {
                    lying.overtaken_ms.get_or_insert(e.reported_ms);
                }
            }
            EventKind::Pass => {
                let (Some(game), Some(color)) = (&mut self.game, e.color) else { return };
                if game.turn() != color {
                    game.set_turn(color);
                }
                game.play(color, None);
                self.moves.push(MoveRef {
                    seq: e.seq,
                    unseen_ms: e.at_ms.first,
                    seen_ms: e.at_ms.last,
                    reported_ms: e.reported_ms,
                });
                self.may_be_passed = None;
            }
            EventKind::Corrected => self.correct(e),
            EventKind::CapturesCleared => {
                self.lying.retain(|l| Some(l.seq) != e.of);
            }
            // a decision takes no stone off the board: what lies there is known until it is repaired
            EventKind::Repaired => {
                self.open.retain(|o| Some(o.seq) != e.of);
            }
            EventKind::MissedCapture => {
                let wrong = BTreeMap::new();
                self.open.push(Open { seq: e.seq, kind: e.kind, color: e.color, wrong });
            }
            EventKind::EndAgreedSignal => {
                match e.color {
                    Some(c) => self.agreed[usize::from(c == Color::White)] = true,
                    None => self.agreed = [true; 2],
                }
                if self.agreed == [true; 2] {
                    self.end(e.seq);
                }
            }
            EventKind::ResignSignal => {
                self.resigned = e.color;
                self.end(e.seq);
            }
            EventKind::Result | EventKind::TwoPasses => self.end(e.seq),
            EventKind::BreakBegun => self.resting = Some((e.seq, e.at_ms.last)),
            EventKind::PlayResumed => {
                self.resting = None;
                self.section_from = self.moves.len();
                // the time to take captured stones off does not run in a break
                self.lying.iter_mut().for_each(|l| l.grace_from_ms = e.reported_ms);
            }
            EventKind::BoardCleared => {
                self.cleared = Some((e.seq, self.phase));
                self.cleared_ms = e.at_ms.last;
                self.looked_at = e.of.is_some();
                self.resting = None;
                self.emptied = false;
                self.phase = Phase::Cleared;
                self.open.clear();
                self.lying.clear();
            }
            EventKind::Unexplained => self.open_with(e),
            kind if kind.is_infraction() => {
                self.open_with(e);
                if matches!(kind, EventKind::KoViolation | EventKind::Superko | EventKind::Suicide) {
                    self.may_be_passed = e.color;
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, seq: u64) {
        self.ended = Some(seq);
        self.resting = None;
        // a result can follow when the stones are off
        if self.phase != Phase::Cleared {
            self.phase = Phase::Ended;
        }
    }

    /// The end did not stand.
    fn play_on(&mut self, turn: Option<Color>) {
        self.phase = Phase::Playing;
        self.ended = None;
        self.resigned = None;
        self.agreed = [false; 2];
        // two passes that did not end the game do not end it again
        for (m, played) in self.moves.iter_mut().zip(self.game.iter().flat_map(|g| g.moves())) {
            if played.point.is_none() {
                m.seq = 0;
            }
        }
        if let (Some(game), Some(turn)) = (&mut self.game, turn) {
            game.set_turn(turn);
        }
    }

    fn open_with(&mut self, e: &Event) {
        let mut wrong = BTreeMap::new();
        for r in &e.restore {
            wrong.insert(r.at, None);
        }
        self.open.push(Open { seq: e.seq, kind: e.kind, color: e.color, wrong });
    }

    /// Faults that the record has caught up with are none.
    fn settle_wrong(&mut self) {
        let Some(game) = &self.game else { return };
        for open in &mut self.open {
            open.wrong.retain(|&p, is| is.is_none() || *is != Some(game.board().get(p)));
        }
    }

    /// A move was another one, or none at all: the game is played again with it changed.
    fn correct(&mut self, e: &Event) {
        if let Some((_, phase)) = self.cleared.filter(|(seq, _)| Some(*seq) == e.of) {
            self.cleared = None;
            self.looked_at = false;
            self.emptied = false;
            self.phase = phase;
            return;
        }
        if self.ended.is_some() && self.ended == e.of && self.phase == Phase::Ended {
            return self.play_on(e.turn);
        }
        let Some(game) = &mut self.game else { return };
        let Some(at) = self.moves.iter().position(|m| m.seq != 0 && Some(m.seq) == e.of) else { return };
        let mut later = Vec::new();
        while game.moves().len() > at + 1 {
            later.extend(game.undo());
        }
        let old = game.undo();
        let mut refs = self.moves.split_off(at);
        let first = refs.remove(0);
        if let Some(point) = e.point.filter(|&p| game.board().contains(p)) {
            let color = e.color.or(old.map(|m: Played| m.color)).unwrap_or(game.turn());
            if game.turn() != color {
                game.set_turn(color);
            }
            game.play(color, Some(point));
            self.moves.push(MoveRef {
                unseen_ms: e.at_ms.first,
                seen_ms: e.at_ms.last,
                reported_ms: e.reported_ms,
                ..first
            });
        }
        for (m, r) in later.into_iter().rev().zip(refs) {
            if game.turn() != m.color {
                game.set_turn(m.color);
            }
            game.play(m.color, m.point);
            self.moves.push(r);
        }
        // stones that the changed move no longer captures do not lie captured
        let Some(game) = &self.game else { return };
        for lying in &mut self.lying {
            lying.stones.retain(|&p, _| game.board().get(p).is_none());
        }
        self.lying.retain(|l| !l.stones.is_empty());
        self.settle_wrong();
    }
}
