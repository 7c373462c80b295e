//! The end of one game and the beginning of the next: a board that is cleared, stones that lie there again, the first stones
//! of another game.

use std::collections::BTreeMap;

use super::Referee;
use super::decide::{MOVE_EVIDENCE, MOVE_EVIDENCE_NEAR, SETTLED_MS};
use super::evidence::Diff;
use super::faults::interval;
use super::ledger::{OPENING, Phase};
use super::start::{BELIEVED, CALM_MS, MOST_HIDDEN};
use crate::game::{Event, EventKind, Interval, Text};
use crate::rules::{Board, Color, History, Point};

/// A board that is cleared without a sign of the end must stay so this long, milliseconds.
const UNANNOUNCED_CLEARING_MS: u64 = 4000;
/// Stones of a cleared board that lie there again for so long were never cleared.
const UNCLEARED_MS: u64 = 2000;

/// A look at the game before is known by so many moves like its first ones, at most so long each, ...
const LEAST_LOOKED_AT: u64 = 12;
const LOOKED_AT_MS: u64 = 4000;
/// ... or by a stone out of turn after so many. With fewer it may be a game that begins alike, and that must not be lost.
const LEAST_BEFORE_WRONG: usize = 3;

impl Referee {
    /// Stones coming off in masses are the end of a game and no infraction. `Some`: nothing else is to be told now.
    pub(super) fn clearing(&mut self, diffs: &BTreeMap<Point, Diff>) -> Option<bool> {
        let board = self.ledger.board()?;
        let evidence = self.evidence.as_ref()?;
        let seen: Vec<&Diff> = diffs.values().filter(|d| d.evidence >= MOVE_EVIDENCE).collect();
        let off: Vec<&&Diff> = seen.iter().filter(|d| d.is.is_none()).collect();
        let stones = board.stones(Color::Black) + board.stones(Color::White);
        let both = [Color::Black, Color::White].iter().all(|c| off.iter().any(|d| d.was == Some(*c)));
        let agreed = self.ledger.phase == Phase::Ended || self.ledger.agreed != [false; 2];
        // where stones turn up as well, on points or between them, they were shoved and not cleared
        let laid = |d: &Diff| d.is.is_some() && d.current && d.evidence >= MOVE_EVIDENCE_NEAR;
        let turned_up = |d: &Diff| laid(d) || self.lies_beside(d).is_some();
        let added = seen.iter().filter(|d| turned_up(d)).count();
        let masses = if agreed {
            off.len() >= 4.min(stones.max(1))
        } else {
            (off.len() >= 5 && both && added == 0) || (off.len() == stones && stones >= 2 && added == 0)
        };
        if !masses {
            self.clearing_since = None;
            return (self.ledger.phase == Phase::Ended).then_some(false);
        }
        let since = *self.clearing_since.get_or_insert(self.now);
        let remaining = stones - off.len();
        let sure = if agreed {
            off.iter().filter(|d| d.age_ms(self.now) >= SETTLED_MS).count() >= 4.min(stones)
        } else {
            // Nobody announced it, and it ends the game: nothing that passes (a covered lens, the light) may look like it.
            let gone = remaining == 0 || (remaining * 2 <= stones && off.len() >= 8);
            // Where the footage ends with an empty board there is nothing more to wait for.
            let least_ms = if self.flushing && remaining == 0 { CALM_MS } else { UNANNOUNCED_CLEARING_MS };
            gone && self.now >= since + least_ms
        };
        if sure {
            let points: Vec<Point> = off.iter().map(|d| d.point).collect();
            let mut e = self.event(EventKind::BoardCleared, interval(&points, diffs), if agreed { 0.97 } else { 0.85 });
            e.move_number = Some(self.ledger.moves.len() as u32);
            self.emit(e);
            return Some(true);
        }
        // it goes on for some seconds, else it was no clearing
        let waits = self.now < since + 8000 || evidence.hand_away_ms(self.now) < 3000;
        waits.then_some(false)
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
        let again = !self.ledger.looked_at
            && few_hidden
            && lie >= 4
            && lie * 20 >= stones(record) * 19
            && stones(&seen) * 19 <= lie * 20;
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
        // a stone of the last game that has not been taken up yet begins none
        let is_new = |d: &Diff| d.first_new_ms > self.ledger.cleared_ms;
        let laid: Vec<Diff> = evidence.diffs().into_iter().filter(|d| d.is.is_some() && is_new(d)).collect();
        let sure = |d: &Diff| d.current && d.evidence >= MOVE_EVIDENCE_NEAR && d.age_ms(now) >= CALM_MS;
        if !laid.iter().any(sure) || !few_hidden || evidence.hand_now() {
            return;
        }
        let since = laid.iter().map(|d| d.last_old_ms).min().unwrap_or(now);
        // more than can have been played between two looks is a position, or a look at the game before
        if laid.len() > 4 && laid.iter().all(|d| d.is.is_some_and(|c| self.was_played(game, d.point, c))) {
            return;
        }
        let board = if laid.len() > 4 { seen } else { Board::new(size) };
        self.forget_game();
        let mut e = self.event(EventKind::PositionAdopted, Interval { first: since, last: now }, 0.95);
        e.turn = self.options.first(&board);
        e.board = Some(board.rows());
        self.emit(e);
        self.sync();
    }

    /// A stone of that colour was played there in the game before.
    fn was_played(&self, last: &History, point: Point, color: Color) -> bool {
        if self.ledger.phase == Phase::Cleared && !self.ledger.looked_at {
            return last.moves().iter().take(OPENING).any(|m| (m.point, m.color) == (Some(point), color));
        }
        self.ledger.finished.contains(&(point, color))
    }

    /// All that lies on the board, and all that was played since it was cleared, was played in the game before, too.
    fn repeats_last_game(&self) -> bool {
        let (Some(game), false) = (&self.ledger.game, self.ledger.finished.is_empty()) else { return false };
        let start = game.start();
        let was = |p: Point, c: Color| self.ledger.finished.contains(&(p, c));
        self.ledger.phase == Phase::Playing
            && game.moves().len() <= OPENING
            && game.moves().iter().all(|m| m.point.is_some_and(|p| was(p, m.color)))
            && start.points().all(|p| start.get(p).is_none_or(|c| was(p, c)))
    }

    /// Stones are laid out again to look at the game that is over: by either hand, in any order, and nothing of it is an
    /// offence. Asked before one is told (`wrong`: of these stones), and after each move. True if that was it.
    pub(super) fn looks_at_last_game(&mut self, wrong: Option<&Event>) -> bool {
        if !self.repeats_last_game() {
            return false;
        }
        let Some(game) = &self.ledger.game else { return false };
        let fits = match wrong {
            Some(e) => {
                use EventKind::{DisplacedStone, DoubleMove, Scattered, Takeback, Unexplained, WrongRemoval};
                // the clock, seats and stones off their points say nothing of which game it is
                let of_stones =
                    matches!(e.kind, DisplacedStone | DoubleMove | Scattered | Takeback | Unexplained | WrongRemoval);
                let laid = |p: Point| match self.evidence.as_ref().and_then(|ev| ev.latest(p)).flatten() {
                    Some(c) => self.ledger.finished.contains(&(p, c)),
                    None => true,
                };
                of_stones
                    && game.moves().len() >= LEAST_BEFORE_WRONG
                    && e.points.iter().filter_map(|s| s.point()).all(laid)
            }
            None => {
                let n = game.moves().len() as u64;
                let first = self.ledger.moves.first().map_or(self.now, |m| m.seen_ms);
                n >= LEAST_LOOKED_AT && self.now.saturating_sub(first) <= n * LOOKED_AT_MS
            }
        };
        if !fits {
            return false;
        }
        let mut e = self.event(EventKind::BoardCleared, Interval { first: self.now, last: self.now }, 0.8);
        e.of = Some(self.ledger.began);
        e.text = Some(Text {
            en: "The stones are those of the last game, laid out again: it is looked at, and no new game is recorded."
                .into(),
            zh: "所摆棋子与上一局相同，应为复盘，不记为新的对局。".into(),
        });
        self.emit(e);
        true
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
        self.over = None;
        // the players may have changed colours or seats
        self.seats = Default::default();
        self.seat_order = Default::default();
    }
}
