//! The first position: an empty board, or what lies there.

use std::collections::BTreeMap;

use super::Referee;
use super::decide::{MOVE_EVIDENCE_NEAR, SETTLED_MS};
use super::evidence::Diff;
use crate::game::{EventKind, Interval, Text};
use crate::rules::{Board, Color, Point};

/// A calm look at the whole board this long is enough.
const CALM_MS: u64 = 500;
/// After this long a board that is never wholly in view is adopted as far as it can be seen.
const PATIENCE_MS: u64 = 4000;
/// ... if at most this share of it is hidden.
const MOST_HIDDEN: f64 = 0.1;

/// Stones of a cleared board that lie there again for so long were never cleared.
const UNCLEARED_MS: u64 = 2000;

const BELIEVED: f64 = 5.0;
const BELIEVED_AT_THE_END: f64 = 2.0;

#[derive(Clone, Debug, Default)]
pub(super) struct StartWatch {
    first_ms: Option<u64>,
    calm_since_ms: Option<u64>,
    frames: u32,
}

impl Referee {
    pub(super) fn watch_start(&mut self) {
        let Some(evidence) = &self.evidence else { return };
        let now = self.now;
        let size = evidence.size();
        let unknown = evidence.hidden_count();
        let all = size as usize * size as usize;
        let watch = &mut self.start;
        let first = *watch.first_ms.get_or_insert(now);
        let waited = now.saturating_sub(first);
        let enough = unknown == 0 || (waited >= PATIENCE_MS && (unknown as f64) < MOST_HIDDEN * all as f64);
        if enough && (!evidence.hand_now() || waited >= PATIENCE_MS) {
            watch.frames += 1;
            watch.calm_since_ms.get_or_insert(now);
        } else {
            watch.frames = 0;
            watch.calm_since_ms = None;
        }
        let since = watch.calm_since_ms.unwrap_or(now);
        let calm = watch.frames >= 2 && now >= since + CALM_MS;
        if calm {
            // two frames or more agree on every stone: single misreadings are out
            let board = evidence.board(BELIEVED);
            self.adopt(board, since);
        } else if self.flushing && unknown < all / 2 {
            let board = evidence.board(BELIEVED_AT_THE_END);
            self.adopt(board, since);
        }
    }

    pub(super) fn adopt(&mut self, board: Board, since: u64) {
        let stones = board.stones(Color::Black) + board.stones(Color::White);
        // a single stone is the first move (or the wrong first colour), not a position
        let board = if stones <= 1 { Board::new(board.size()) } else { board };
        let mut e = self.event(EventKind::PositionAdopted, Interval { first: since, last: self.now }, 0.98);
        e.board = Some(board.rows());
        if stones <= 1 {
            e.turn = Some(self.options.ruleset.first);
        }
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

    /// The board was cleared: either the stones lie there again, or a new game begins.
    pub(super) fn watch_next_game(&mut self) {
        let (Some(evidence), Some(game)) = (&self.evidence, &self.ledger.game) else { return };
        let now = self.now;
        let size = game.size();
        let all = usize::from(size) * usize::from(size);
        let few_hidden = evidence.hidden_count() as f64 <= MOST_HIDDEN * all as f64;
        let seen = evidence.board(BELIEVED);
        let stones = |b: &Board| b.stones(Color::Black) + b.stones(Color::White);
        let record = game.board();
        let lie = record.points().filter(|&p| record.get(p).is_some() && seen.get(p) == record.get(p)).count();
        let again = few_hidden && lie >= 4 && lie * 20 >= stones(record) * 19 && stones(&seen) * 19 <= lie * 20;
        if again {
            let since = *self.uncleared_since.get_or_insert(now);
            if now >= since + UNCLEARED_MS && !evidence.hand_now() {
                self.tell_uncleared(since);
            }
            return;
        }
        self.uncleared_since = None;
        if !self.ledger.emptied {
            if few_hidden && stones(&seen) <= 1 && evidence.hand_away_ms(now) >= CALM_MS {
                self.ledger.emptied = true;
                self.sync();
            }
            return;
        }
        let laid: Vec<Diff> = evidence.diffs().into_iter().filter(|d| d.is.is_some()).collect();
        let sure = |d: &Diff| d.current && d.evidence >= MOVE_EVIDENCE_NEAR && d.age_ms(now) >= CALM_MS;
        if !laid.iter().any(sure) || !few_hidden || evidence.hand_now() {
            return;
        }
        let since = laid.iter().map(|d| d.last_old_ms).min().unwrap_or(now);
        // more than can have been played between two looks is a position
        let board = if laid.len() > 4 { seen } else { Board::new(size) };
        self.forget_game();
        let mut e = self.event(EventKind::PositionAdopted, Interval { first: since, last: now }, 0.95);
        if stones(&board) == 0 {
            e.turn = Some(self.options.ruleset.first);
        }
        e.board = Some(board.rows());
        self.emit(e);
        self.sync();
    }

    fn tell_uncleared(&mut self, since: u64) {
        let Some((seq, _)) = self.ledger.cleared else { return };
        self.uncleared_since = None;
        let mut e = self.event(EventKind::Corrected, Interval { first: since, last: self.now }, 0.95);
        e.of = Some(seq);
        e.board = self.ledger.board().map(|b| b.rows());
        e.text = Some(Text {
            en: "The board was not cleared: the stones lie as in the record, and the game goes on.".into(),
            zh: "棋盘并未清空：棋子与记录一致，对局继续。".into(),
        });
        self.emit(e);
    }

    /// What was remembered of the last game's stones says nothing about the next.
    fn forget_game(&mut self) {
        self.accepted_offset.clear();
        self.remembered.clear();
        self.off_points.clear();
        self.half_way.clear();
        self.half_way_points.clear();
        self.taken_back_from.clear();
        self.press = None;
        self.clock = Default::default();
        self.baffled_since = None;
        self.clearing_since = None;
        self.loose = Default::default();
    }
}
