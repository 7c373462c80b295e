//! Pictures far apart: each shows the board after another move or more, and none shows how it came about.
//!
//! A picture is judged when the next one has come: what both show counts as two looks. What only one of them shows was a stone
//! that was captured at once, if legal moves lead to it and on from it; otherwise it was misread. So every picture is explained
//! as a whole before the next, and the moves stand in the order of the pictures.

use std::collections::BTreeMap;

use super::Referee;
use super::evidence::{Cell, Diff};
use crate::game::{EventKind, Interval};
use crate::rules::{Board, Color, History, Point};
use crate::vision::{PointReading, Sighting};

/// Frames this far apart are pictures of their own.
const SPARSE_MS: u64 = 400;
/// A state counts as seen from this probability on; in the very last picture, which no other confirms, from the second.
pub(super) const SEEN: f32 = 0.5;
pub(super) const SEEN_AT_THE_END: f32 = 0.95;
const CLEARLY_SEEN: f32 = 0.85;
/// Moves between two pictures that are tried out to tell a captured stone from a misread one.
const MOST_MOVES: usize = 8;
const MOST_TRIES: u32 = 600;
/// So many doubtful points are weighed one by one.
pub(super) const FEW_DOUBTS: usize = 4;
/// The rhythm of the frames, and the pictures that wait for others.
#[derive(Clone, Debug, Default)]
pub(super) struct Pictures {
    last_ms: Option<u64>,
    /// Time between the last two frames.
    pub(super) gap_ms: u64,
    frames: u64,
    /// The frames are pictures far apart.
    pub(super) sparse: bool,
    /// The picture that waits for the next.
    pub(super) held: Option<Sighting>,
    /// The pictures so far, until the position at the start is known.
    pub(super) first: Vec<Sighting>,
    /// That position, as the pictures tell it, and captured stones that still lie on it.
    pub(super) start: Option<(Board, BTreeMap<Point, Color>)>,
}

impl Pictures {
    fn beat(&mut self, now: u64) {
        let gap = self.last_ms.map(|l| now.saturating_sub(l));
        self.last_ms = Some(now);
        self.frames += 1;
        if let Some(gap) = gap {
            // a single pause in a film makes no pictures of its frames
            self.sparse = gap >= SPARSE_MS && (self.frames == 2 || self.sparse || self.gap_ms >= SPARSE_MS);
            self.gap_ms = gap;
        }
    }
}

impl Referee {
    /// Judges the picture that waited for this one. True if this one must wait in turn.
    pub(super) fn turn_over(&mut self, s: &Sighting) -> bool {
        let first = self.pictures.last_ms.is_none();
        self.pictures.beat(s.time_ms);
        let sparse = self.pictures.sparse;
        if !first && !sparse {
            // a film after all
            for held in std::mem::take(&mut self.pictures.first) {
                self.look(&held);
            }
            if let Some(held) = self.pictures.held.take() {
                self.look(&held);
            }
        }
        self.now = self.now.max(s.time_ms);
        let waits = sparse || first;
        if !waits || !is_readable(s) {
            return waits;
        }
        if self.ledger.game.is_none() {
            self.open_with(s);
            return true;
        }
        if let Some(held) = self.pictures.held.take() {
            self.judge_picture(&held, Some(s));
        }
        self.pictures.held = Some(s.clone());
        true
    }

    /// Two stones of a colour came together, and which of them is void was a guess: the other one is taken off. True if so.
    pub(super) fn the_other_was_void(&mut self, diffs: &BTreeMap<Point, Diff>) -> bool {
        let (Some(game), Some(evidence)) = (&self.ledger.game, &self.evidence) else { return false };
        let found = self.ledger.open.iter().filter(|o| o.kind == EventKind::DoubleMove).find_map(|o| {
            let (&stays, is) = o.wrong.iter().next().filter(|_| o.wrong.len() == 1)?;
            let color = o.color.filter(|c| *is == Some(Some(*c)) && evidence.latest(stays) == Some(Some(*c)))?;
            let at = self.ledger.moves.iter().rposition(|m| m.seq != 0 && m.seq < o.seq)?;
            let told = game.moves().get(at).filter(|m| m.color == color && m.captured.is_empty())?;
            let off = diffs.get(&told.point?).filter(|d| d.is.is_none() && self.change_is_ready(d))?;
            let mut before = game.clone();
            while before.moves().len() > at {
                before.undo()?;
            }
            let class = before.classify(color, Some(stays));
            (class.is_legal() && class.captured.is_empty()).then_some((
                o.seq,
                self.ledger.moves[at].seq,
                color,
                stays,
                *off,
            ))
        });
        let Some((fault, of, color, stays, off)) = found else { return false };
        let at = Interval { first: off.last_old_ms, last: off.first_new_ms };
        self.tell_corrected(of, at, 0.9, color, Some((stays, Vec::new())));
        self.tell_repaired(fault, at);
        true
    }

    /// The pictures are over: the last one is judged by itself.
    pub(super) fn judge_last_picture(&mut self) {
        if self.pictures.sparse || self.pictures.frames == 1 {
            self.open(true);
        }
        let Some(held) = self.pictures.held.take() else { return };
        if self.pictures.sparse || self.pictures.frames == 1 {
            self.judge_picture(&held, None)
        } else {
            self.look(&held)
        }
    }

    pub(super) fn judge_picture(&mut self, s: &Sighting, next: Option<&Sighting>) {
        self.looked_ms = s.time_ms;
        if !self.is_of_the_game(s) {
            return;
        }
        let next = next.filter(|n| n.size == s.size);
        let (vetted, agreed) = self.vetted(s, next);
        if let Some(e) = &mut self.evidence {
            e.see_picture(&vetted, &agreed, next.is_none());
        }
        self.seats.see(&vetted);
        let gone = self.loose.see(&vetted);
        if self.ledger.game.is_none()
            && let Some((start, lying)) = self.pictures.start.take()
        {
            self.adopt(start, s.time_ms);
            self.lie_since_before(lying);
        }
        if self.ledger.game.is_some() {
            self.step(gone);
        }
    }

    /// The picture without what is contradicted by the next one, and which points both agree on.
    fn vetted(&self, s: &Sighting, next: Option<&Sighting>) -> (Sighting, Vec<bool>) {
        let mut vetted = s.clone();
        let Some(next) = next else {
            // Surely; or, if nothing else is new, at least clearly otherwise than before: a move is more to be expected than none.
            let n = usize::from(s.size);
            let point = |i: usize| Point::new((i / n) as u8, (i % n) as u8);
            let sure = |r: &PointReading| r.state(SEEN_AT_THE_END).filter(|_| r.hidden <= 0.5);
            let other = |(i, r): (usize, &PointReading)| {
                sure(r)
                    .is_some_and(|c| c.is_some() && self.ledger.game.is_some() && c != self.ledger.expected(point(i)))
            };
            let nothing_else = !s.points.iter().enumerate().any(other);
            let told = |(i, r): (usize, &PointReading)| {
                let new = |c| nothing_else && self.evidence.as_ref().is_some_and(|e| e.is_new(point(i), r, c));
                !s.hand && (sure(r).is_some() || r.state(SEEN).flatten().is_some_and(new))
            };
            let agreed = s.points.iter().enumerate().map(told).collect();
            return (vetted, agreed);
        };
        let state = |r: &PointReading| if r.hidden > 0.5 { None } else { r.state(SEEN) };
        let agreed: Vec<bool> =
            s.points.iter().zip(&next.points).map(|(a, b)| state(a).is_some() && state(a) == state(b)).collect();
        let Some(game) = &self.ledger.game else { return (vetted, agreed) };
        let n = s.size as usize;
        let point = |i: usize| Point::new((i / n) as u8, (i % n) as u8);
        // what an earlier picture shows as well was there, whatever the next one shows
        let seen_before: Vec<Point> = match &self.evidence {
            Some(e) => e.diffs().iter().filter(|d| d.current && d.frames >= 2).map(|d| d.point).collect(),
            None => Vec::new(),
        };
        // seen now, neither as expected before nor as seen next
        let doubtful: Vec<usize> = (0..n * n)
            .filter(|&i| {
                let (now, then) = (state(&s.points[i]), state(&next.points[i]));
                then.is_some()
                    && now.is_some_and(|c| c != self.ledger.expected(point(i)))
                    && now != then
                    && !(seen_before.contains(&point(i))
                        && self.evidence.as_ref().and_then(|e| e.latest(point(i))) == now)
            })
            .collect();
        if doubtful.is_empty() {
            return (vetted, agreed);
        }
        let change = |seen: &Sighting, i: usize| -> Option<Cell> {
            state(&seen.points[i]).filter(|c| *c != self.ledger.expected(point(i)))
        };
        // What both show but hardly is a stone, or is not: both ways are tried. The doubtful ones are decided on here.
        let counts =
            |seen: &Sighting, i: usize, least: f32| doubtful.contains(&i) || seen.points[i].state(least).is_some();
        let changes = |misread: &[usize], least: f32| -> Vec<(Point, Cell)> {
            let seen = (0..n * n).filter(|i| !misread.contains(i) && counts(s, *i, least));
            seen.filter_map(|i| Some((point(i), change(s, i)?))).collect()
        };
        let changes_after = |misread: &[usize], least: f32| -> Vec<(Point, Cell)> {
            // a captured stone that this picture shows off and the next one lying was played again
            let again = |i: usize| if misread.contains(&i) { None } else { change(s, i).and(state(&next.points[i])) };
            let seen = (0..n * n).filter(|i| counts(next, *i, least));
            seen.filter_map(|i| Some((point(i), change(next, i).or(again(i))?))).collect()
        };
        let mut starts = vec![game.clone()];
        if self.ledger.turn_is_free && game.moves().is_empty() {
            let mut other = game.clone();
            other.set_turn(game.turn().opponent());
            starts.push(other);
        }
        let follows = |misread: &[usize]| {
            // what lies there against the record stays as it is, unless it is seen to have changed
            let target = |changes: &[(Point, Cell)]| {
                let mut board = game.board().clone();
                changes.iter().for_each(|&(p, c)| board.set(p, c));
                board
            };
            starts.iter().any(|game| {
                [SEEN, CLEARLY_SEEN].into_iter().any(|least| {
                    reach(game, &target(&changes(misread, least)))
                        .is_some_and(|game| reach(&game, &target(&changes_after(misread, least))).is_some())
                })
            })
        };
        let misread: Vec<usize> = if doubtful.len() <= FEW_DOUBTS {
            // the fewest that must be misread so that legal moves lead to this picture and to the next
            let mut choices: Vec<Vec<usize>> = (0..1u32 << doubtful.len())
                .map(|bits| doubtful.iter().enumerate().filter(|(k, _)| bits >> k & 1 == 1).map(|(_, &i)| i).collect())
                .collect();
            choices.sort_by_key(Vec::len);
            choices.into_iter().find(|misread| follows(misread)).unwrap_or(doubtful.clone())
        } else if follows(&[]) {
            Vec::new()
        } else {
            doubtful.clone()
        };
        let mut agreed = agreed;
        for (i, agrees) in agreed.iter_mut().enumerate() {
            let (now, then) = (state(&s.points[i]), state(&next.points[i]));
            if misread.contains(&i) {
                let as_expected = then == Some(self.ledger.expected(point(i)));
                vetted.points[i] = if as_expected { next.points[i] } else { PointReading::HIDDEN };
                *agrees = as_expected;
            } else if now.is_some() && now != then && then.is_some() && change(s, i).is_some() {
                // captured by the next picture: legal moves vouch for it
                *agrees = true;
            }
        }
        (vetted, agreed)
    }
}

fn is_readable(s: &Sighting) -> bool {
    (2..=25).contains(&s.size) && s.points.len() == s.size as usize * s.size as usize
}

/// The game after legal moves that lead from it to `target`, captured stones off or still lying.
pub(super) fn reach(game: &History, target: &Board) -> Option<History> {
    let mut game = game.clone();
    let mut tries = 0;
    grow(&mut game, target, &mut Vec::new(), MOST_MOVES, &mut tries).then_some(game)
}

/// At most so many legal moves lead from it to `target`.
pub(super) fn leads_to(game: &History, target: &Board, most_moves: usize) -> bool {
    grow(&mut game.clone(), target, &mut Vec::new(), most_moves, &mut 0)
}

fn grow(game: &mut History, target: &Board, captured: &mut Vec<(Point, Color)>, moves: usize, tries: &mut u32) -> bool {
    *tries += 1;
    let board = game.board();
    let open: Vec<Point> = board
        .points()
        .filter(|&p| board.get(p) != target.get(p))
        .filter(|&p| !(board.get(p).is_none() && target.get(p).is_some_and(|c| captured.contains(&(p, c)))))
        .collect();
    if open.is_empty() {
        return true;
    }
    if moves == 0 || *tries > MOST_TRIES {
        return false;
    }
    let turn = game.turn();
    let next: Vec<Point> = board.points().filter(|&p| board.get(p).is_none() && target.get(p) == Some(turn)).collect();
    for point in next {
        let class = game.classify(turn, Some(point));
        if !class.is_legal() {
            continue;
        }
        let before = captured.len();
        captured.extend(class.captured.iter().map(|&q| (q, turn.opponent())));
        game.play(turn, Some(point));
        if grow(game, target, captured, moves - 1, tries) {
            return true;
        }
        game.undo();
        if game.turn() != turn {
            game.set_turn(turn);
        }
        captured.truncate(before);
    }
    false
}
