//! The first position: an empty board, what lies there, handicap stones and set stones.

use std::collections::BTreeMap;

use super::Referee;
use super::decide::{MOVE_EVIDENCE_NEAR, SETTLED_MS};
use super::evidence::{Cell, Diff};
use super::pictures::leads_to;
use crate::game::{EventKind, Interval};
use crate::rules::{Board, Color, History, Point};

/// A calm look at the whole board this long is enough.
pub(super) const CALM_MS: u64 = 500;
/// After this long a board that is never wholly in view is adopted as far as it can be seen.
const PATIENCE_MS: u64 = 4000;
/// ... if at most this share of it is hidden.
pub(super) const MOST_HIDDEN: f64 = 0.15;
/// Worn or mirroring crossings may never be seen: so few points are not waited for so long.
const FEW_HIDDEN: f64 = 0.01;
const FEW_HIDDEN_PATIENCE_MS: u64 = 1000;
/// What a point shows in so many frames in a row lay there.
const SURE_FRAMES: u32 = 3;
/// So many first moves can be told from what lies on the board when at last it is in view.
const MOST_FIRST_MOVES: usize = 4;

pub(super) const BELIEVED: f64 = 5.0;
const BELIEVED_AT_THE_END: f64 = 2.0;

#[derive(Clone, Debug, Default)]
pub(super) struct StartWatch {
    first_ms: Option<u64>,
    calm_since_ms: Option<u64>,
    frames: u32,
    /// From when on all of it had been seen, with no hand over it before.
    untouched_ms: Option<u64>,
    /// What lay at each point when it was first seen for sure.
    first_seen: BTreeMap<Point, FirstSight>,
}

#[derive(Clone, Copy, Debug, Default)]
struct FirstSight {
    cell: Cell,
    frames: u32,
    /// A hand has been over it since.
    touched: bool,
}

impl FirstSight {
    fn is_sure(&self) -> bool {
        self.frames >= SURE_FRAMES
    }
}

impl Referee {
    pub(super) fn watch_start(&mut self) {
        let Some(evidence) = &self.evidence else { return };
        let now = self.now;
        let size = evidence.size();
        let hidden = evidence.hidden_count();
        let all = size as usize * size as usize;
        let watch = &mut self.start;
        for p in Board::new(size).points() {
            let first = watch.first_seen.entry(p).or_default();
            if evidence.is_hidden(p) {
                first.touched |= first.is_sure() && evidence.hand_now();
                continue;
            }
            match evidence.latest(p) {
                _ if first.is_sure() => {}
                Some(cell) if cell == first.cell => first.frames += 1,
                Some(cell) => *first = FirstSight { cell, frames: 1, touched: false },
                None => {}
            }
        }
        // a point that cannot be read for the moment lies as it lay
        let unknown = watch.first_seen.values().filter(|f| !f.is_sure()).count();
        let first = *watch.first_ms.get_or_insert(now);
        let waited = now.saturating_sub(first);
        let most_hidden = |n: usize| (n as f64) < MOST_HIDDEN * all as f64;
        let few = unknown as f64 <= FEW_HIDDEN * all as f64 && waited >= FEW_HIDDEN_PATIENCE_MS;
        let known = unknown == 0 || few;
        if !evidence.hand_now() && known && !watch.first_seen.values().any(|f| f.touched) {
            watch.untouched_ms.get_or_insert(now);
        }
        let enough = (known || (waited >= PATIENCE_MS && most_hidden(unknown))) && most_hidden(hidden);
        if enough && (!evidence.hand_now() || waited >= PATIENCE_MS) {
            watch.frames += 1;
            watch.calm_since_ms.get_or_insert(now);
        } else {
            watch.frames = 0;
            watch.calm_since_ms = None;
        }
        let since = watch.calm_since_ms.unwrap_or(now);
        let calm = watch.frames >= 2 && now >= since + CALM_MS;
        // all of it has been seen, and now somebody begins
        if known && evidence.hand_now() && watch.untouched_ms.is_some() {
            let mut board = Board::new(size);
            watch.first_seen.iter().for_each(|(p, first)| board.set(*p, first.cell));
            let since = watch.untouched_ms.unwrap_or(now);
            self.adopt(board, since);
        } else if calm {
            // two frames or more agree on every stone: single misreadings are out
            let board = evidence.first_board(BELIEVED);
            let before = self.before_first_moves(&board).unwrap_or(board);
            self.adopt(before, since);
        } else if self.flushing && hidden < all / 2 {
            let board = evidence.first_board(BELIEVED_AT_THE_END);
            self.adopt(board, since);
        }
    }

    /// Players who begin or go on at once: the position before the moves that came while the board was not yet known.
    fn before_first_moves(&self, now: &Board) -> Option<Board> {
        let mut before = now.clone();
        let began_empty = self.start.first_seen.values().all(|f| f.cell.is_none());
        for (p, first) in &self.start.first_seen {
            if first.cell == now.get(*p) || !first.is_sure() {
                continue;
            }
            // what changed with no hand over it was misread, then or now; stones on an empty board are none the less moves
            if !first.touched && !began_empty {
                return None;
            }
            before.set(*p, first.cell);
        }
        if before == *now {
            return None;
        }
        let turns = match self.options.first(&before) {
            Some(first) => vec![first],
            None => vec![Color::Black, Color::White],
        };
        turns
            .into_iter()
            .any(|turn| leads_to(&History::new(before.clone(), turn), now, MOST_FIRST_MOVES))
            .then_some(before)
    }

    pub(super) fn adopt(&mut self, board: Board, since: u64) {
        let stones = board.stones(Color::Black) + board.stones(Color::White);
        // a single stone is the first move (or the wrong first colour), not a position
        let board = if stones <= 1 { Board::new(board.size()) } else { board };
        let mut e = self.event(EventKind::PositionAdopted, Interval { first: since, last: self.now }, 0.98);
        e.board = Some(board.rows());
        e.turn = self.options.first(&board);
        self.emit(e);
        for p in board.points() {
            if board.get(p).is_some()
                && let Some(ev) = &self.evidence
            {
                self.accepted_offset.insert(p, ev.offset(p).mean);
            }
        }
        self.sync();
    }

    /// Handicap stones and set stones that are laid before the first move are no moves. `Some`: nothing else is to be told
    /// now (`true`: something was told).
    pub(super) fn set_up(&mut self, diffs: &BTreeMap<Point, Diff>) -> Option<bool> {
        let (Some(game), Some(evidence)) = (&self.ledger.game, &self.evidence) else { return None };
        if !game.moves().is_empty() || diffs.is_empty() {
            return None;
        }
        let mut board = game.board().clone();
        let set = self.options.ruleset.start(game.size());
        let missing = |board: &Board| {
            let by_rule = set.points().filter(|&p| set.get(p).is_some() && board.get(p) != set.get(p)).count();
            let laid = board.stones(Color::Black);
            let handicap = self.options.handicap as usize;
            if handicap >= 2 { handicap.saturating_sub(laid) } else { by_rule }
        };
        let handicap = self.options.handicap >= 2;
        if missing(&board) == 0 {
            return None;
        }
        let belongs =
            |d: &Diff| if handicap { d.is == Some(Color::Black) } else { d.is.is_some() && d.is == set.get(d.point) };
        if !diffs.values().all(|d| belongs(d) || d.evidence < MOVE_EVIDENCE_NEAR) {
            return None;
        }
        let sure =
            |d: &&Diff| belongs(d) && d.current && d.evidence >= MOVE_EVIDENCE_NEAR && d.age_ms(self.now) >= SETTLED_MS;
        let laid: Vec<Diff> = diffs.values().filter(sure).copied().collect();
        laid.iter().for_each(|d| board.set(d.point, d.is));
        if missing(&board) > 0 || evidence.hand_now() {
            return Some(false);
        }
        let first = laid.iter().map(|d| d.last_old_ms).min().unwrap_or(self.now);
        let mut e = self.event(EventKind::PositionAdopted, Interval { first, last: self.now }, 0.97);
        e.board = Some(board.rows());
        e.turn = Some(if handicap { Color::White } else { self.options.ruleset.first });
        self.emit(e);
        self.sync();
        Some(true)
    }
}
