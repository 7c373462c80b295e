//! When something that went wrong is sure enough to be told, and how it is told.

use std::collections::BTreeMap;

use super::Referee;
use super::decide::{HAND_AWAY_MS, MOVE_EVIDENCE, MOVE_EVIDENCE_UNPROVOKED, SEEN_EVIDENCE};
use super::evidence::{Cell, Chance, Diff};
use super::explain::{Explanation, SCATTERED_FROM, Step};
use crate::game::{Event, EventKind, Interval, Spot};
use crate::rules::Point;

/// Faults wait longer than moves: a false alarm is worse than a short delay.
const FAULT_MS: u64 = 500;
/// Stones that are gone may only be lifted for a moment.
pub(super) const GONE_MS: u64 = 800;
/// A hand that stays does not hold a fault back for ever.
const HAND_STAYS_MS: u64 = 2500;
const FEW_HIDDEN: usize = 3;
/// In pictures far apart nothing is held back by hands and hidden points that was seen since so many of them.
const PATIENT_PICTURES: usize = 3;
/// Differences without a story are shown to the operator after this long.
const BAFFLED_MS: u64 = 6000;
pub(super) const FAULT_EVIDENCE: f64 = 14.0;
/// Two pictures that are as sure as a picture is let be, or nearly.
const FAULT_EVIDENCE_PICTURES: f64 = 13.0;

impl Referee {
    pub(super) fn faults_are_ready(&self, faults: &[&Step], diffs: &BTreeMap<Point, Diff>, gap: f64) -> bool {
        let Some(evidence) = &self.evidence else { return false };
        let mut youngest = u64::MAX;
        let mut since_ms = 0;
        let mut hidden = false;
        for step in faults {
            let (points, gone) = match step {
                Step::Void { point, taken, .. } => {
                    let mut points = vec![*point];
                    points.extend(taken);
                    (points, false)
                }
                Step::Displaced { from, to, .. } => {
                    let mut points = vec![*from];
                    points.extend(to);
                    (points, to.is_none())
                }
                Step::WrongRemoval { points, .. } => (points.clone(), true),
                Step::Scattered { points } => (points.clone(), true),
                // something else is still in the making
                Step::Unread { point } => {
                    let Some(d) = diffs.get(point) else { continue };
                    if d.evidence > MOVE_EVIDENCE && d.age_ms(self.now) < GONE_MS && !self.pictures.sparse {
                        return false;
                    }
                    continue;
                }
                Step::Move { .. } | Step::Pass { .. } => continue,
            };
            let scattered = matches!(step, Step::Scattered { .. });
            let mut doubted = 0;
            let all = points.len();
            for p in points {
                let Some(d) = diffs.get(&p) else { continue };
                let least = match d.chance {
                    _ if self.pictures.sparse => FAULT_EVIDENCE_PICTURES,
                    Chance::None => MOVE_EVIDENCE_UNPROVOKED,
                    _ => FAULT_EVIDENCE,
                };
                if self.pictures.sparse && d.is.is_none() && !evidence.was_shown(p) {
                    return false;
                }
                let sure = if scattered { d.evidence } else { d.credible };
                let age = d.age_ms(self.now);
                if sure < least || d.frames < 2 || (scattered && age < GONE_MS) {
                    // of many stones that were swept away some lie between the points and are read now so, now so
                    doubted += 1;
                    if !scattered || doubted * 3 > all || all - doubted < SCATTERED_FROM {
                        return false;
                    }
                    continue;
                }
                youngest = youngest.min(age);
                since_ms = since_ms.max(d.first_new_ms);
                let (wait, away) = if gone { (GONE_MS, 2 * HAND_AWAY_MS) } else { (FAULT_MS, HAND_AWAY_MS) };
                let calm = match self.pictures.sparse {
                    true => !evidence.hand_now(),
                    false => age >= wait && evidence.hand_away_ms(self.now) >= away,
                };
                let hand_stays = match self.pictures.sparse {
                    // something lies there in every one of them
                    true => evidence.pictures_since(d.first_new_ms) >= PATIENT_PICTURES,
                    false => evidence.hand_stays_ms(self.now) > HAND_STAYS_MS && age > HAND_STAYS_MS,
                };
                if !calm && !hand_stays {
                    return false;
                }
                hidden |= !scattered && evidence.hidden_within(p, 3);
            }
        }
        // a few points that stay unreadable without a hand over the board hold nothing back for long, nor do stones swept between them
        let swept = faults.iter().any(|s| matches!(s, Step::Scattered { .. }));
        let few = !evidence.hand_now() && (evidence.hidden_count() <= FEW_HIDDEN || swept);
        let patience = if few { GONE_MS } else { HAND_STAYS_MS };
        let hidden = hidden || evidence.hidden_count() > 0;
        if self.pictures.sparse {
            let pictures = evidence.pictures_since(since_ms);
            return (!hidden || few || pictures >= PATIENT_PICTURES) && (gap > 1.0 || pictures > PATIENT_PICTURES);
        }
        (!hidden || youngest > patience) && (gap > 1.0 || youngest > 1500)
    }

    pub(super) fn tell_faults(&mut self, faults: &[&Step], diffs: &BTreeMap<Point, Diff>, sure: f64) -> bool {
        let mut told = false;
        let mut from = Vec::new();
        let mut to = Vec::new();
        let mut colors = Vec::new();
        for step in faults {
            match step {
                Step::Void { kind, color, point, taken, repeats } => {
                    let mut wrong = vec![*point];
                    wrong.extend(taken);
                    let points = wrong.iter().map(|&p| p.into()).collect();
                    // out of turn and between the points: nobody played it
                    if *kind == EventKind::DoubleMove && taken.is_empty() && self.is_half_way(*point) {
                        let [right, down] = self.evidence.as_ref().map_or([0.0; 2], |e| e.offset(*point).mean);
                        let place = |x: u8, off: f64| ((f64::from(x) + off) * 100.0).round() / 100.0;
                        let spot = Spot { row: place(point.row, down), col: place(point.col, right) };
                        let at = interval(&wrong, diffs);
                        let e = self.fault(EventKind::DroppedStone, at, sure, Some(*color), vec![spot], &wrong);
                        let seq = self.tell_fault(e, &wrong, diffs);
                        self.half_way.insert(seq);
                        told = true;
                        continue;
                    }
                    let mut e = self.fault(*kind, interval(&wrong, diffs), sure, Some(*color), points, &wrong);
                    e.point = Some(*point);
                    e.move_number = Some(self.ledger.moves.len() as u32 + 1);
                    // the move whose position it repeats
                    e.repetition = *repeats;
                    e.of = repeats
                        .and_then(|r| self.ledger.moves.get(r.since.checked_sub(1)?))
                        .map(|m| m.seq)
                        .filter(|&s| s != 0);
                    self.tell_fault(e, &wrong, diffs);
                    told = true;
                }
                Step::WrongRemoval { color, points } => {
                    let spots = points.iter().map(|&p| p.into()).collect();
                    let at = interval(points, diffs);
                    let e = self.fault(EventKind::WrongRemoval, at, sure, Some(*color), spots, points);
                    self.tell_fault(e, points, diffs);
                    told = true;
                }
                Step::Scattered { points } => {
                    let spots = points.iter().map(|&p| p.into()).collect();
                    let at = interval(points, diffs);
                    let mut e = self.fault(EventKind::Scattered, at, sure, None, spots, points);
                    e.board = self.evidence.as_ref().map(|ev| ev.board(SEEN_EVIDENCE).rows());
                    let seq = self.tell_fault(e, points, diffs);
                    self.swept = Some((self.now, seq));
                    told = true;
                }
                Step::Displaced { color, from: f, to: t } => {
                    from.push(*f);
                    to.extend(*t);
                    colors.push(*color);
                }
                _ => {}
            }
        }
        if !from.is_empty() {
            let mut wrong: Vec<Point> = from.iter().chain(&to).copied().collect();
            let at = interval(&wrong, diffs);
            let mut spots: Vec<Spot> = wrong.iter().map(|&p| p.into()).collect();
            // what the same sleeve left between the points belongs to it
            let beside = self.shoved_beside(at);
            for (d, k) in &beside {
                let lies = &self.loose.stones[*k];
                spots.extend([d.point.into(), lies.spot()]);
                wrong.push(d.point);
                colors.push(lies.color);
            }
            colors.dedup();
            let color = if colors.len() == 1 { colors.first().copied() } else { None };
            let e = self.fault(EventKind::DisplacedStone, at, sure, color, spots, &wrong);
            let seq = self.tell_fault(e, &wrong, diffs);
            for (d, k) in beside {
                self.loose.stones[k].known = true;
                for open in self.ledger.open.iter_mut().filter(|o| o.seq == seq) {
                    open.wrong.insert(d.point, Some(None));
                }
            }
            told = true;
        }
        told
    }

    /// What changed before the board was told to be scattered, and is only sure now, belongs to that. True if there was any.
    pub(super) fn take_for_swept(&mut self, diffs: &BTreeMap<Point, Diff>) -> bool {
        let Some((told_ms, seq)) = self.swept else { return false };
        let Some(open) = self.ledger.open.iter_mut().find(|o| o.seq == seq) else { return false };
        let late = diffs.values().filter(|d| d.first_new_ms <= told_ms && d.current && d.evidence >= MOVE_EVIDENCE);
        let late: Vec<(Point, Cell)> = late.map(|d| (d.point, d.is)).collect();
        for &(p, is) in &late {
            open.wrong.insert(p, Some(is));
        }
        !late.is_empty()
    }

    /// Gives a fault out and keeps what lies there as known to be wrong.
    pub(super) fn tell_fault(&mut self, e: Event, wrong: &[Point], diffs: &BTreeMap<Point, Diff>) -> u64 {
        let seq = self.emit(e);
        let now_is: Vec<_> = wrong.iter().map(|p| (*p, diffs.get(p).map(|d| d.is))).collect();
        let table: Vec<_> = now_is.iter().map(|&(p, is)| (p, is.unwrap_or_else(|| self.seen_cell(p)))).collect();
        // a later fault at the same point takes it over
        for open in &mut self.ledger.open {
            if open.seq != seq {
                open.wrong.retain(|p, _| !wrong.contains(p));
            } else {
                open.wrong = table.iter().map(|&(p, is)| (p, Some(is))).collect();
            }
        }
        seq
    }

    fn seen_cell(&self, p: Point) -> Cell {
        self.evidence.as_ref().and_then(|e| e.latest(p)).unwrap_or_else(|| self.ledger.expected(p))
    }

    /// Differences that no story covers go to the operator, and stop being looked at.
    pub(super) fn tell_unexplained(&mut self, best: &Explanation, diffs: &BTreeMap<Point, Diff>) -> bool {
        let Some(evidence) = &self.evidence else { return false };
        let points: Vec<Point> = diffs
            .values()
            .filter(|d| d.credible >= MOVE_EVIDENCE_UNPROVOKED && d.age_ms(self.now) > BAFFLED_MS)
            .map(|d| d.point)
            .collect();
        if points.is_empty() || evidence.hand_away_ms(self.now) < 1500 {
            return false;
        }
        let since = *self.baffled_since.get_or_insert(self.now);
        let lifted = best.undone > 0 && best.steps.is_empty();
        if self.now < since + 1000 || lifted {
            return false;
        }
        self.baffled_since = None;
        let spots = points.iter().map(|&p| p.into()).collect();
        let mut e = self.fault(EventKind::Unexplained, interval(&points, diffs), 0.5, None, spots, &points);
        e.board = Some(evidence.board(SEEN_EVIDENCE).rows());
        self.tell_fault(e, &points, diffs);
        true
    }
}

/// The faults are the same (in any order), whatever else the stories say.
pub(super) fn same_faults(a: &Explanation, b: &Explanation) -> bool {
    let faults = |x: &Explanation| -> Vec<Step> {
        x.steps.iter().filter(|s| !s.is_play() && !matches!(s, Step::Unread { .. })).cloned().collect()
    };
    let (a, b) = (faults(a), faults(b));
    a.len() == b.len() && a.iter().all(|s| b.contains(s))
}

/// When the changes at `points` happened: after the last frame that shows none of them, before the first that shows all.
pub(super) fn interval(points: &[Point], diffs: &BTreeMap<Point, Diff>) -> Interval {
    let known: Vec<&Diff> = points.iter().filter_map(|p| diffs.get(p)).collect();
    Interval {
        first: known.iter().map(|d| d.last_old_ms).min().unwrap_or(0),
        last: known.iter().map(|d| d.first_new_ms).max().unwrap_or(0),
    }
}
