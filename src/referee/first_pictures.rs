//! The first of a series of pictures: the position at the start.
//!
//! The first picture is the start, and the second shows a move already. No picture comes before the first to check it, so the ones
//! after it must: where legal moves lead from the first to the second, both are believed; else the third is waited for, and what the
//! first alone shows was misread. A missing stone is a different matter: two stones in a row are played, and so is one that is not seen
//! in the first picture, unless that picture doubts the empty point.

use std::collections::BTreeMap;

use super::Referee;
use super::decide::SEEN_EVIDENCE;
use super::evidence::Diff;
use super::ledger::Lying;
use super::pictures::{FEW_DOUBTS, SEEN, SEEN_AT_THE_END, reach};
use super::start::MOST_HIDDEN;
use crate::game::Interval;
use crate::rules::{Board, Color, History, Point};
use crate::vision::{PointReading, Sighting};

/// Until the whole board has been in view, so many pictures are waited for; then at most the share of it that a film allows may be
/// hidden.
const PATIENCE: usize = 4;
/// So many pictures settle what the first two do not.
const ENOUGH: usize = 3;
/// A point that the first picture calls empty, but less surely than this, may hold a stone that others show there.
const SURELY_EMPTY: f32 = 0.9;
/// So many of the last moves may be other ones if the other side began.
const MOST_IN_DOUBT: usize = 4;

impl Referee {
    /// Keeps the picture until the position at the start is known, then judges all that were kept.
    pub(super) fn open_with(&mut self, s: &Sighting) {
        let kept = &mut self.pictures.first;
        kept.retain(|k| k.size == s.size);
        kept.push(s.clone());
        if self.pictures.sparse {
            self.open(false);
        }
    }

    /// Adopts the position at the start if the pictures so far tell it; `over`: no more will come.
    pub(super) fn open(&mut self, over: bool) {
        let mut kept = std::mem::take(&mut self.pictures.first);
        let Some((mut board, misread)) = self.first_position(&kept, over) else {
            if kept.len() >= PATIENCE {
                kept.remove(0);
            }
            self.pictures.first = kept;
            return;
        };
        for p in misread {
            let i = p.row as usize * board.size() as usize + p.col as usize;
            kept[0].points[i] = kept[1].points[i];
        }
        // stones without a liberty were captured before
        let dead = |p: &Point| board.get(*p).is_some() && board.chain(*p).1 == 0;
        let captured: Vec<Point> = board.points().filter(dead).collect();
        let lying = captured.iter().filter_map(|&p| Some((p, board.get(p)?))).collect();
        captured.iter().for_each(|&p| board.set(p, None));
        self.pictures.start = Some((board, lying));
        self.pictures.held = kept.pop();
        let last = self.pictures.held.clone();
        for (k, s) in kept.iter().enumerate() {
            self.judge_picture(s, kept.get(k + 1).or(last.as_ref()));
        }
    }

    /// The position that the first of these pictures shows, and the points at which it was misread.
    fn first_position(&self, kept: &[Sighting], over: bool) -> Option<(Board, Vec<Point>)> {
        let first = kept.first()?;
        if kept.len() < 2 && !over {
            return None;
        }
        let known = |s: &Sighting, p: Point| {
            let r = s.at(p);
            if r.hidden > 0.5 { None } else { r.state(SEEN) }
        };
        let mut board = Board::new(first.size);
        let mut unknown = 0;
        for p in board.points() {
            match kept.iter().find_map(|s| known(s, p)) {
                Some(cell) => board.set(p, cell),
                None => unknown += 1,
            }
        }
        let all = f64::from(first.size) * f64::from(first.size);
        if (unknown > 0 && kept.len() < PATIENCE && !over) || f64::from(unknown) > MOST_HIDDEN * all {
            return None;
        }
        let Some(second) = kept.get(1) else { return Some((board, Vec::new())) };
        let mut misread = Vec::new();
        // a stone that is gone in the next picture may have been captured; one that was hardly seen was none
        for p in board.points() {
            let here: PointReading = first.at(p);
            if here.hidden <= 0.5
                && board.get(p).is_some()
                && here.of(board.get(p)) < SEEN_AT_THE_END
                && known(second, p) == Some(None)
            {
                board.set(p, None);
                misread.push(p);
            }
        }
        let mut then = board.clone();
        for p in board.points() {
            if let Some(cell) = known(second, p) {
                then.set(p, cell);
            }
        }
        if self.leads(&board, &then) {
            return Some((board, misread));
        }
        let Some(third) = kept.get(2).filter(|_| kept.len() >= ENOUGH) else {
            return over.then_some((board, misread));
        };
        // each of these points was misread in one of the first two pictures, or something happened there
        let odd: Vec<Point> = board.points().filter(|&p| board.get(p) != then.get(p)).collect();
        let may_be_misread = |p: &Point| {
            let denied = known(third, *p) != Some(board.get(*p));
            denied && (board.get(*p).is_some() || first.at(*p).empty < SURELY_EMPTY)
        };
        let in_second = |p: &Point| known(third, *p) == Some(board.get(*p));
        let (first_wrong, rest): (Vec<Point>, Vec<Point>) = odd.into_iter().partition(may_be_misread);
        rest.iter().filter(|p| in_second(p)).for_each(|&p| then.set(p, board.get(p)));
        if first_wrong.len() > FEW_DOUBTS {
            return Some((board, misread));
        }
        // the fewest
        let mut choices: Vec<Vec<Point>> = (0..1u32 << first_wrong.len())
            .map(|bits| first_wrong.iter().enumerate().filter(|(k, _)| bits >> k & 1 == 1).map(|(_, &p)| p).collect())
            .collect();
        choices.sort_by_key(Vec::len);
        let with = |choice: &[Point]| {
            let mut board = board.clone();
            choice.iter().for_each(|&p| board.set(p, then.get(p)));
            board
        };
        // where no choice makes moves of the rest, stones that two pictures miss were none
        let gone = || first_wrong.iter().copied().filter(|&p| board.get(p).is_some()).collect();
        let choice = choices.into_iter().find(|c| self.leads(&with(c), &then)).unwrap_or_else(gone);
        let board = with(&choice);
        misread.extend(choice);
        Some((board, misread))
    }

    /// Captured stones that the position at the start still shows.
    pub(super) fn lie_since_before(&mut self, lying: BTreeMap<Point, Color>) {
        for color in [Color::Black, Color::White] {
            let stones: BTreeMap<Point, Color> =
                lying.iter().filter(|l| *l.1 == color).map(|(p, c)| (*p, *c)).collect();
            if !stones.is_empty() {
                self.ledger.lying.push(Lying {
                    seq: self.ledger.began,
                    number: 0,
                    capturer: color.opponent(),
                    doubtful: false,
                    stones,
                    grace_from_ms: self.now,
                    missed: None,
                    overtaken_ms: None,
                });
            }
        }
        self.sync();
    }

    /// Legal moves lead from the position to the next, in which captured stones may be off or lie still.
    fn leads(&self, from: &Board, to: &Board) -> bool {
        let mut from = from.clone();
        let dead: Vec<Point> = from.points().filter(|&p| from.get(p).is_some() && from.chain(p).1 == 0).collect();
        dead.iter().for_each(|&p| from.set(p, None));
        let mut to = to.clone();
        dead.iter().for_each(|&p| to.set(p, None));
        let stones = from.stones(Color::Black) + from.stones(Color::White);
        // a single stone is the first move
        let start = if stones <= 1 { Board::new(from.size()) } else { from.clone() };
        [Color::Black, Color::White].into_iter().any(|turn| {
            let mut game = History::new(start.clone(), turn);
            game.set_law(self.ledger.law);
            reach(&game, &to).is_some()
        })
    }

    /// The game began with a position of which nobody knows whose turn it was, and the pictures have shown as many stones of the one
    /// colour as of the other ever since: what looks like an offence now may only say that the other side began. True if it does, and
    /// the record has been corrected.
    pub(super) fn other_side_began(&mut self, diffs: &BTreeMap<Point, Diff>) -> bool {
        let Some(game) = self.ledger.game.clone() else { return false };
        let mut start = game.clone();
        while start.undo().is_some() {}
        let moves = game.moves();
        let refs = &self.ledger.moves;
        let free = self.options.first(start.board()).is_none() && self.options.start.is_none();
        if !free || moves.len() < 2 || refs.len() != moves.len() || moves.iter().any(|m| m.point.is_none()) {
            return false;
        }
        let mut other = start.clone();
        other.set_turn(moves[0].color.opponent());
        start.set_turn(moves[0].color);
        let mut seen = game.board().clone();
        diffs.values().filter(|d| d.evidence >= SEEN_EVIDENCE).for_each(|d| seen.set(d.point, d.is));
        // moves that came to light together, each time in the other order; what is wrong may have begun with the last of them
        let mut found = None;
        let mut from = 0;
        while from < moves.len() {
            let when = |k: usize| (refs[k].unseen_ms, refs[k].seen_ms);
            let to = (from..moves.len()).find(|&k| when(k) != when(from)).unwrap_or(moves.len());
            if from > 0 && moves.len() - from <= MOST_IN_DOUBT {
                found = found.or_else(|| reach(&other, &seen));
            }
            for m in &moves[from..to] {
                if start.turn() != m.color {
                    return false;
                }
                start.play(m.color, m.point);
            }
            match reach(&other, start.board()) {
                Some(game) if (to - from) % 2 == 0 && game.moves().len() == to => other = game,
                _ => break,
            }
            from = to;
        }
        if from == moves.len() {
            found = reach(&other, &seen);
        }
        let Some(found) = found else { return false };
        let refs = refs.clone();
        for (k, was) in moves.iter().enumerate().rev() {
            let at = Interval { first: refs[k].unseen_ms, last: refs[k].seen_ms };
            match found.moves().get(k) {
                Some(now) if (now.color, now.point) == (was.color, was.point) => {}
                Some(now) => {
                    let there = now.point.map(|p| (p, now.captured.clone()));
                    self.tell_corrected(refs[k].seq, at, 0.7, now.color, there);
                }
                None => self.tell_corrected(refs[k].seq, at, 0.7, was.color, None),
            }
        }
        true
    }
}
