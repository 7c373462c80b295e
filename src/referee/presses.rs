//! The clock: what a press says about the stone before it, and what it breaks.
//!
//! The times of presses and of frames come from two clocks. A press says by how much it may be wrong, a stone between which
//! two frames it came; an offence is told only where no times within these bounds make it none.

use std::collections::{BTreeMap, VecDeque};

use super::ledger::Phase;
use super::{Press, Referee};
use crate::game::{EventKind, Interval, Spot};
use crate::rules::{Color, Point};

/// What belongs to a press is on the board and told so long after it, at the latest.
const SETTLES_MS: u64 = 700;
const SETTLES_AT_MOST_MS: u64 = 2500;
/// Captured stones that lie at a press get so long, on top of what the next stone would leave them.
const AFTER_PRESS_MS: u64 = 1000;
/// A second press of the same button so soon is the same press.
const BOUNCE_MS: u64 = 1500;
/// After a pass by press the answer in kind is believed when nothing has happened for this long.
const QUIET_MS: u64 = 4000;
const HAND_AWAY_MS: u64 = 1000;
/// A press nearer to the move before it than this, by a side that had no reason to, was meant for the other button.
const WRONG_BUTTON_MS: u64 = 2000;
const MOST_QUEUED: usize = 64;
const MOST_LIFTED: usize = 64;

/// Presses that have not been judged yet, and what they are judged by.
#[derive(Clone, Debug, Default)]
pub(super) struct ClockWatch {
    queue: VecDeque<Press>,
    /// The last press that moved the lever.
    last: Option<Press>,
    /// For the move with this event: when each of its captured stones was last seen lying.
    lay: BTreeMap<u64, BTreeMap<Point, u64>>,
    /// For the move with this event: the press after it.
    pressed_for: BTreeMap<u64, Press>,
}

impl ClockWatch {
    /// The stone at `point`, captured by the move of event `seq`, lay there until `ms` at least.
    pub fn lay(&mut self, seq: u64, point: Point, ms: u64) {
        let at = self.lay.entry(seq).or_default().entry(point).or_insert(ms);
        *at = (*at).max(ms);
        while self.lay.len() > MOST_LIFTED {
            self.lay.pop_first();
        }
    }
}

fn at(press: Press) -> Interval {
    Interval {
        first: press.ms.saturating_sub(press.uncertainty_ms),
        last: press.ms.saturating_add(press.uncertainty_ms),
    }
}

impl Referee {
    /// The clock was pressed.
    pub(super) fn pressed(&mut self, press: Press) {
        let rests = self.ledger.phase != Phase::Playing || self.ledger.resting.is_some();
        if rests || self.clock.queue.len() >= MOST_QUEUED {
            return;
        }
        let until = at(press).last;
        for l in self.ledger.lying.iter_mut().filter(|l| l.capturer == press.side) {
            l.overtaken_ms.get_or_insert(until + AFTER_PRESS_MS);
        }
        if let Some(game) = &self.ledger.game
            && game.turn() == press.side
        {
            // the stone may not have been seen yet; else it was a pass, or came too early
            self.press = Some((press, game.moves().len()));
        }
        self.clock.queue.push_back(press);
    }

    /// Judges presses once what belongs to them has been seen.
    pub(super) fn follow_presses(&mut self) {
        while let Some(&press) = self.clock.queue.front() {
            let since = self.now.saturating_sub(at(press).last);
            let calm = self.evidence.as_ref().is_some_and(|e| e.diffs().is_empty() && !e.hand_now());
            let ready = self.flushing || since >= SETTLES_AT_MOST_MS || (since >= SETTLES_MS && calm);
            if !ready || self.ledger.phase != Phase::Playing {
                break;
            }
            self.clock.queue.pop_front();
            self.judge(press);
        }
        self.believe_quiet_pass();
    }

    fn judge(&mut self, press: Press) {
        let last = self.clock.last;
        if last.is_some_and(|l| l.side == press.side && press.ms < l.ms + BOUNCE_MS) {
            return;
        }
        // the other side had pressed without a stone, and so has this one: the first was a pass
        if let Some((first, n)) = self.press
            && first.side != press.side
            && first.ms < press.ms
            && self.ledger.game.as_ref().is_some_and(|g| g.moves().len() == n && g.turn() == first.side)
        {
            self.tell_pass(first, 0.85);
            self.press = Some((press, self.ledger.moves.len()));
            self.clock.last = Some(press);
            return;
        }
        let Some(game) = &self.ledger.game else { return };
        // the last move that can have been on the board at the press
        let k = self.ledger.moves.iter().rposition(|m| m.unseen_ms <= at(press).last && m.seq != 0);
        let by = k.and_then(|k| game.moves().get(k)).map(|m| m.color);
        let Some((k, by)) = k.zip(by) else {
            self.clock.last = Some(press);
            return;
        };
        let m = self.ledger.moves[k];
        if by == press.side {
            let stopped = last.is_some_and(|l| l.side == press.side);
            self.clock.last = Some(press);
            // a lever that is down already cannot be pressed, so this says nothing
            if !stopped {
                self.clock.pressed_for.insert(m.seq, press);
                while self.clock.pressed_for.len() > MOST_LIFTED {
                    self.clock.pressed_for.pop_first();
                }
                self.captures_at_press(m.seq);
            }
            return;
        }
        // the side to move pressed: with a stopped clock of its own that was the hand of the other, who has just moved
        let stopped = last.is_some_and(|l| l.side == press.side) || (last.is_none() && k == 0);
        if stopped && m.seen_ms <= at(press).first {
            self.press = self.press.filter(|(p, _)| *p != press);
            self.tell_wrong_clock(press, by, k as u32 + 1);
            return;
        }
        self.clock.last = Some(press);
    }

    fn tell_wrong_clock(&mut self, press: Press, by: Color, number: u32) {
        let mut e = self.fault(EventKind::WrongClockPressed, at(press), 0.85, Some(by), Vec::new(), &[]);
        e.move_number = Some(number);
        self.tell_without_points(e);
    }

    /// An offence that leaves nothing on the board to put right.
    pub(super) fn tell_without_points(&mut self, e: crate::game::Event) {
        let seq = self.emit(e);
        self.ledger.open.retain(|o| o.seq != seq);
    }

    /// Did captured stones of the move still lie when its player pressed? Told once they are off; stones that stay are missed
    /// captures.
    pub(super) fn captures_at_press(&mut self, seq: u64) {
        if self.ledger.lying.iter().any(|l| l.seq == seq) {
            return;
        }
        let Some(press) = self.clock.pressed_for.get(&seq).copied() else { return };
        let after = at(press).last;
        let lay = self.clock.lay.get(&seq).into_iter().flatten().filter(|(_, ms)| **ms > after);
        let spots: Vec<Spot> = lay.map(|(p, _)| Spot::from(*p)).collect();
        if spots.is_empty() {
            return;
        }
        self.clock.pressed_for.remove(&seq);
        let kind = EventKind::PressBeforeCapturesCleared;
        let mut e = self.fault(kind, at(press), 0.9, Some(press.side), spots, &[]);
        e.of = Some(seq);
        e.move_number = self.ledger.moves.iter().position(|m| m.seq == seq).map(|k| k as u32 + 1);
        self.tell_without_points(e);
    }

    /// A move of `color` was told while `press` was waiting for its stone; the stone was not there yet at `unseen_ms`.
    pub(super) fn press_and_stone(&mut self, press: Press, color: Color, point: Point, unseen_ms: u64) {
        if press.side != color || unseen_ms <= at(press).last {
            return;
        }
        let before = self.ledger.moves.len().checked_sub(2).map(|k| self.ledger.moves[k]);
        // nobody had pressed for the move before, and the press came right after it: it was that player's hand
        let meant_for_other = before.filter(|m| {
            let pressed = self.clock.last.is_some_and(|l| l.side != press.side && at(l).last >= m.unseen_ms);
            let since = press.ms.saturating_sub(m.seen_ms);
            m.seq != 0
                && !pressed
                && at(press).first >= m.seen_ms
                && since < WRONG_BUTTON_MS
                && unseen_ms > press.ms + 2 * since
        });
        self.clock.queue.retain(|p| *p != press);
        if meant_for_other.is_some() {
            let number = self.ledger.moves.len() as u32 - 1;
            self.tell_wrong_clock(press, color.opponent(), number);
            return;
        }
        self.clock.last = Some(press);
        let sure = if unseen_ms > at(press).last + press.uncertainty_ms { 0.9 } else { 0.75 };
        let e = self.fault(EventKind::PressBeforeMove, at(press), sure, Some(color), vec![point.into()], &[]);
        self.tell_without_points(e);
    }

    fn tell_pass(&mut self, press: Press, sure: f64) {
        let mut e = self.event(EventKind::Pass, at(press), sure);
        e.color = Some(press.side);
        e.move_number = Some(self.ledger.moves.len() as u32 + 1);
        self.press = None;
        self.emit(e);
    }

    /// The answer to a pass is a press without a stone, too: no stone comes any more.
    fn believe_quiet_pass(&mut self) {
        let (Some((press, n)), Some(game), Some(evidence)) = (self.press, &self.ledger.game, &self.evidence) else {
            return;
        };
        let answers = game.moves().last().is_some_and(|m| m.point.is_none());
        let quiet =
            self.flushing || (self.now >= at(press).last + QUIET_MS && evidence.hand_away_ms(self.now) >= HAND_AWAY_MS);
        if answers && quiet && game.moves().len() == n && game.turn() == press.side && evidence.diffs().is_empty() {
            self.tell_pass(press, 0.8);
        }
    }

    /// Two passes in a row end the game.
    pub(super) fn follow_passes(&mut self) {
        if self.ledger.phase != Phase::Playing {
            return;
        }
        let Some(game) = &self.ledger.game else { return };
        let last = |n: usize| {
            let k = game.moves().len().checked_sub(n)?;
            (game.moves()[k].point.is_none() && self.ledger.moves.get(k)?.seq != 0).then_some(self.ledger.moves[k])
        };
        if let (Some(first), Some(second)) = (last(2), last(1)) {
            let when = Interval { first: first.seen_ms, last: second.seen_ms };
            let mut e = self.event(EventKind::TwoPasses, when, 0.9);
            e.move_number = Some(self.ledger.moves.len() as u32);
            e.text = self.with_final_count(&e);
            self.emit(e);
        }
    }
}
