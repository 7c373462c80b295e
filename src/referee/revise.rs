//! Telling the last moves otherwise: takebacks, and a record that later frames show to be wrong.

use std::collections::BTreeMap;

use super::Referee;
use super::decide::{HAND_AWAY_MS, HELD_MS, MOVE_EVIDENCE_NEAR, SETTLED_MS, confidence, margin};
use super::evidence::Diff;
use super::explain::{Explanation, Step, distance};
use super::faults::{FAULT_EVIDENCE, GONE_MS, same_faults};
use super::ledger::Lying;
use super::picture::RELEASED_MS;
use crate::game::{EventKind, Interval};
use crate::rules::{Color, Point};

/// A sleeve takes a stone no farther along, as a rule, pitches.
const SHOVED_PITCHES: f64 = 3.0;
/// The last stone may be in the air this long before it counts as taken back for good.
const LIFTED_MS: u64 = 3000;

impl Referee {
    /// The story takes the last move back first: a stone taken back, or a record that was wrong.
    pub(super) fn tell_back(
        &mut self,
        best: &Explanation,
        diffs: &BTreeMap<Point, Diff>,
        stories: &[Explanation],
    ) -> bool {
        let Some(evidence) = &self.evidence else { return false };
        let now = self.now;
        let at = self.ledger.moves.len() - best.undone.min(self.ledger.moves.len());
        let (Some(first), Some(old)) =
            (self.ledger.moves.get(at).copied(), self.ledger.game.as_ref().and_then(|g| g.moves().get(at)).cloned())
        else {
            return false;
        };
        let Some(old_point) = old.point else { return false };
        let gone = diffs.get(&old_point).filter(|d| d.is.is_none()).copied();
        let first_play = best.steps.iter().find_map(|s| match s {
            Step::Move { color, point, captured, still } => Some((*color, *point, captured.clone(), still.clone())),
            _ => None,
        });
        let lay_ms = gone.map_or(u64::MAX, |g| g.last_old_ms.saturating_sub(first.seen_ms));
        let sure = confidence(margin(stories, |s| s == best));
        match (gone, first_play) {
            (Some(gone), Some((color, point, captured, still))) if best.undone == 1 && color == old.color => {
                let Some(d) = diffs.get(&point) else {
                    return self.tell_the_other_was_shoved(first.seq, (color, point, captured), &gone, sure);
                };
                let ready = self.flushing
                    || (self.move_is_ready(d, &captured)
                        && gone.evidence >= MOVE_EVIDENCE_NEAR
                        && gone.age_ms(now) >= SETTLED_MS
                        && (evidence.hand_away_ms(now) >= SETTLED_MS || evidence.hand_stays_ms(now) > HELD_MS));
                if !ready {
                    return false;
                }
                // what takes other stones along is no hand that takes its own back
                let shoved = Step::Displaced { color, from: old_point, to: Some(point) };
                let then = Interval { first: gone.first_new_ms, last: gone.first_new_ms };
                let others = self.shoved_beside(then).iter().any(|(d, _)| d.point != old_point);
                if distance(old_point, point) < SHOVED_PITCHES && captured.is_empty() && others {
                    return self.tell_faults(&[&shoved], diffs, sure);
                }
                self.tell_other_place(first.seq, old_point, (color, point, captured, still), &gone, d, lay_ms, sure);
                true
            }
            (Some(gone), None) if best.undone == 1 && best.steps.iter().all(|s| matches!(s, Step::Unread { .. })) => {
                // the last stone is in the air
                let age = gone.age_ms(now);
                if gone.evidence < FAULT_EVIDENCE || evidence.hand_away_ms(now) < 2 * HAND_AWAY_MS {
                    return false;
                }
                let at = Interval { first: gone.last_old_ms, last: gone.first_new_ms };
                let dropped = self.half_way_points.contains(&old_point);
                if (lay_ms < RELEASED_MS || dropped) && age >= GONE_MS {
                    self.tell_corrected(first.seq, at, sure, old.color, None);
                    return true;
                }
                if lay_ms >= RELEASED_MS && age >= LIFTED_MS {
                    let e = self.fault(
                        EventKind::Takeback,
                        at,
                        sure,
                        Some(old.color),
                        vec![old_point.into()],
                        &[old_point],
                    );
                    self.tell_fault(e, &[old_point], diffs);
                    return true;
                }
                false
            }
            // also without another play: what was taken for a move was a stone shoved from elsewhere
            (None, _) => self.tell_revision(at, best, diffs, stories, sure),
            // ... or something that was misread for a moment, with moves after it
            (Some(gone), Some(_))
                if !self.pictures.sparse && lay_ms < RELEASED_MS && gone.evidence >= MOVE_EVIDENCE_NEAR =>
            {
                self.tell_revision(at, best, diffs, stories, sure)
            }
            _ => false,
        }
    }

    /// Of a move and a shoved stone each was taken for the other; putting the shoved one back shows it.
    fn tell_the_other_was_shoved(
        &mut self,
        of: u64,
        (color, point, captured): (Color, Point, Vec<Point>),
        gone: &Diff,
        sure: f64,
    ) -> bool {
        let shoved = |o: &super::ledger::Open| {
            o.kind == EventKind::DisplacedStone && o.wrong.get(&point) == Some(&Some(Some(color)))
        };
        if !self.ledger.open.iter().any(shoved)
            || gone.evidence < MOVE_EVIDENCE_NEAR
            || !gone.current
            || gone.age_ms(self.now) < SETTLED_MS
            || self.evidence.as_ref().is_none_or(|e| e.hand_now())
        {
            return false;
        }
        let at = Interval { first: gone.last_old_ms, last: gone.first_new_ms };
        self.tell_corrected(of, at, sure, color, Some((point, captured)));
        true
    }

    /// The record was wrong from move index `at` on: other stones, or the same in another order, were the moves.
    fn tell_revision(
        &mut self,
        at: usize,
        best: &Explanation,
        diffs: &BTreeMap<Point, Diff>,
        stories: &[Explanation],
        sure: f64,
    ) -> bool {
        let mut plays = Vec::new();
        for step in &best.steps {
            let Step::Move { color, point, captured, .. } = step else { continue };
            let d = diffs.get(point).copied().or_else(|| self.brief_diff(*point, *color, best, diffs));
            let Some(d) = d.filter(|d| self.move_is_ready(d, captured)) else { return false };
            plays.push((*color, *point, captured.clone(), d));
        }
        let faults: Vec<&Step> = best.steps.iter().filter(|s| !s.is_play()).collect();
        let gap = margin(stories, |s| s.undone == best.undone && same_faults(s, best));
        if !self.faults_are_ready(&faults, diffs, gap) || margin(stories, |s| s.undone > 0) < 0.5 {
            return false;
        }
        let old: Vec<(u64, Color, Option<Point>)> = self
            .ledger
            .moves
            .iter()
            .zip(self.ledger.game.as_ref().map_or(&[][..], |g| g.moves()))
            .skip(at)
            .map(|(r, m)| (r.seq, m.color, m.point))
            .collect();
        if old.iter().zip(&plays).all(|(o, p)| (o.1, o.2) == (p.0, Some(p.1))) && old.len() <= plays.len() {
            return false;
        }
        // from the last to the first, so that what is withdrawn goes before others take its place
        for (k, &(seq, color, point)) in old.iter().enumerate().rev() {
            match plays.get(k) {
                Some((c, p, captured, d)) => {
                    if (*c, Some(*p)) != (color, point) {
                        let when = Interval { first: d.last_old_ms, last: d.first_new_ms };
                        self.tell_corrected(seq, when, sure, *c, Some((*p, captured.clone())));
                        self.remembered
                            .insert(seq, Diff { evidence: 24.0, credible: 24.0, current: true, hidden: false, ..*d });
                    }
                }
                None => {
                    let when = Interval { first: self.now, last: self.now };
                    self.tell_corrected(seq, when, sure, color, None);
                }
            }
        }
        // while what was seen of the withdrawn moves is at hand; with more moves to come the faults are told after them
        if plays.len() <= old.len() {
            self.tell_faults(&faults, diffs, sure);
        }
        true
    }

    /// The last stone lies elsewhere now.
    #[allow(clippy::too_many_arguments)]
    fn tell_other_place(
        &mut self,
        of: u64,
        old_point: Point,
        (color, point, captured, still): (Color, Point, Vec<Point>, Vec<Point>),
        gone: &Diff,
        d: &Diff,
        lay_ms: u64,
        sure: f64,
    ) {
        let at = Interval { first: gone.last_old_ms.min(d.last_old_ms), last: d.first_new_ms.max(gone.first_new_ms) };
        // back to where it first lay: that repairs it
        let back = self
            .ledger
            .open
            .iter()
            .find(|o| {
                o.kind == EventKind::Takeback
                    && o.color == Some(color)
                    && self.taken_back_from.get(&o.seq) == Some(&point)
            })
            .map(|o| o.seq);
        if back.is_none() && lay_ms >= RELEASED_MS && !self.half_way_points.contains(&old_point) {
            let mut e =
                self.fault(EventKind::Takeback, at, sure, Some(color), vec![old_point.into(), point.into()], &[]);
            e.point = Some(old_point);
            e.restore = vec![
                crate::game::Restore { at: old_point, be: Some(color).into() },
                crate::game::Restore { at: point, be: None.into() },
            ];
            let seq = self.emit(e);
            // the record follows the stone, so nothing on the board is against it
            for o in self.ledger.open.iter_mut().filter(|o| o.seq == seq) {
                o.wrong.clear();
            }
            self.taken_back_from.insert(seq, old_point);
        }
        self.tell_corrected(of, at, sure, color, Some((point, captured)));
        self.remembered
            .insert(of, Diff { evidence: 24.0, credible: 24.0, current: true, hidden: false, hand_near: false, ..*d });
        if !still.is_empty() {
            self.ledger.lying.push(Lying {
                seq: of,
                number: self.ledger.moves.len() as u32,
                capturer: color,
                doubtful: false,
                stones: still.iter().map(|&p| (p, color.opponent())).collect(),
                grace_from_ms: self.now,
                missed: None,
                overtaken_ms: None,
            });
        }
        if let Some(of) = back {
            self.tell_repaired(of, at);
        }
    }

    /// Move `of` was another one, or (`None`) none.
    pub(super) fn tell_corrected(
        &mut self,
        of: u64,
        at: Interval,
        sure: f64,
        color: Color,
        now: Option<(Point, Vec<Point>)>,
    ) {
        self.remembered.remove(&of);
        let mut e = self.event(EventKind::Corrected, at, sure);
        e.of = Some(of);
        e.color = Some(color);
        e.move_number = self.ledger.moves.iter().position(|m| m.seq == of).map(|n| n as u32 + 1);
        if let Some((point, captured)) = now {
            e.point = Some(point);
            e.captured = Some(captured);
        }
        let mut after = self.ledger.clone();
        after.apply(&e);
        e.board = after.board().map(|b| b.rows());
        self.emit(e);
    }
}
