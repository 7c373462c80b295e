//! Breaks by the operator's word: play stands still, no change of the board is a move, and what lies otherwise when play goes on
//! is told with what makes it right (000 10.2, 17.5).

use std::collections::BTreeMap;

use super::Referee;
use super::decide::HAND_AWAY_MS;
use super::evidence::Diff;
use super::explain::SCATTERED_FROM;
use super::faults::{FAULT_EVIDENCE, interval};
use super::ledger::Phase;
use crate::game::{Event, EventKind, Interval, Spot};
use crate::rules::{Circumstance, Point};

/// A stone whose hand had not left when the break was said to begin is still a move if it comes to light so soon, milliseconds.
const SETTLES_MS: u64 = 4000;
/// So long after the break what changed in it is looked for; later there may be a hand over the board again.
const LOOKS_MS: u64 = 3000;

/// A break that is over, while it is not yet known what changed in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Over {
    /// The event that began it.
    seq: u64,
    began_ms: u64,
    ended_ms: u64,
}

impl Referee {
    /// The operator says that a break begins. Nothing comes of it where no game is on, or a break already.
    pub fn break_begins(&mut self, ms: u64) -> Vec<Event> {
        self.now = self.now.max(ms);
        if self.ledger.phase == Phase::Playing && self.ledger.resting.is_none() {
            let mut e = self.event(EventKind::BreakBegun, Interval { first: ms, last: ms }, 1.0);
            e.move_number = Some(self.ledger.moves.len() as u32);
            e.board = self.table().map(|b| b.rows());
            self.over = None;
            self.emit(e);
        }
        self.drain()
    }

    /// The operator says that play goes on.
    pub fn play_goes_on(&mut self, ms: u64) -> Vec<Event> {
        self.now = self.now.max(ms);
        if let Some((seq, began_ms)) = self.ledger.resting {
            let mut e = self.event(EventKind::PlayResumed, Interval { first: ms, last: ms }, 1.0);
            e.of = Some(seq);
            e.move_number = Some(self.ledger.moves.len() as u32);
            self.emit(e);
            self.over = Some(Over { seq, began_ms, ended_ms: ms });
            // whoever begins the next section, and the clock, begin anew
            self.seat_order.forget();
            (self.press, self.clock) = (None, Default::default());
        }
        self.drain()
    }

    /// Play explains the difference: it does not belong to a break.
    pub(super) fn is_of_play(&self, d: &Diff) -> bool {
        let before = |began_ms: u64| d.last_old_ms < began_ms && d.first_new_ms <= began_ms + SETTLES_MS;
        match (self.ledger.resting, self.over) {
            (Some((_, began_ms)), _) => before(began_ms),
            // what was hidden when play went on may have been played since
            (None, Some(over)) => before(over.began_ms) || d.first_new_ms > over.ended_ms,
            (None, None) => true,
        }
    }

    /// What changed during the break, once that can be seen. True if something was told.
    pub(super) fn follow_break(&mut self) -> bool {
        let (Some(over), None, Some(evidence), Some(board)) =
            (self.over, self.ledger.resting, &self.evidence, self.ledger.board())
        else {
            return false;
        };
        // what leads back to the record is a repair, and a captured stone that is off was due
        let changed: BTreeMap<Point, Diff> = evidence
            .diffs()
            .into_iter()
            .filter(|d| !self.is_of_play(d) && board.get(d.point) != d.is)
            .map(|d| (d.point, d))
            .collect();
        let sure = |d: &Diff| d.current && !d.hidden && d.evidence >= FAULT_EVIDENCE && d.frames >= 2;
        let in_view = evidence.hidden_count() == 0 && evidence.hand_away_ms(self.now) >= HAND_AWAY_MS;
        let settled = self.now > over.ended_ms && in_view && changed.values().all(sure);
        if !(settled || self.flushing || self.now >= over.ended_ms + LOOKS_MS) {
            return false;
        }
        let points: Vec<Point> = changed.values().filter(|d| sure(d)).map(|d| d.point).collect();
        let (gone, added): (Vec<Point>, Vec<Point>) = points.iter().copied().partition(|&p| board.get(p).is_some());
        let lay = gone.iter().map(|&p| board.get(p));
        let mut colors: Vec<_> = lay.chain(added.iter().map(|p| changed[p].is)).collect();
        colors.dedup();
        self.over = None;
        if points.is_empty() {
            return false;
        }
        let kind = if points.len() >= SCATTERED_FROM { EventKind::Scattered } else { EventKind::DisplacedStone };
        let color = if let [one] = colors[..] { one } else { None };
        let spots: Vec<Spot> = gone.iter().chain(&added).map(|&p| p.into()).collect();
        let mut e = self.fault(kind, interval(&points, &changed), 0.95, color, spots, &points);
        e.circumstance = Some(Circumstance::DuringBreak);
        e.of = Some(over.seq);
        self.tell_fault(e, &points, &changed);
        true
    }
}
