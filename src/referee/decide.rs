//! When a move is sure enough to be told.

use std::collections::BTreeMap;

use super::Referee;
use super::evidence::{Chance, Diff};
use super::explain::{Explanation, SCATTERED_FROM, Step};
use super::faults::{FAULT_EVIDENCE, same_faults};
use super::ledger::{Lying, Phase};
use super::picture::{PLAYED_AGAIN_MS, UNSEEN_MOVE_AGO_MS};
use crate::game::{EventKind, Interval, Text};
use crate::rules::{Color, Point, name_move};

/// A stone must have been in view this long.
pub(super) const SETTLED_MS: u64 = 200;
/// ... and this long while a hand is still over some part of the board.
const SETTLED_UNDER_HAND_MS: u64 = 450;
/// ... and this long if the hand is right beside it: it may still be held or straightened.
pub(super) const HELD_MS: u64 = 1500;
/// ... and this long if it came out of nowhere, with no hand near.
const UNPROVOKED_MS: u64 = 600;
/// What has been seen for longer than this and is still doubted does not begin to show.
const BEGINS_MS: u64 = 2000;
pub(super) const HAND_AWAY_MS: u64 = 300;
/// Points that change within this time of each other may be one patch that is misread.
const PATCH_MS: u64 = 120;

/// Of two orders of moves whose costs are nearer than this, the one told says that it is not certain.
const AMBIGUOUS: f64 = 1.0;
pub(super) const MOVE_EVIDENCE: f64 = 6.5;
pub(super) const MOVE_EVIDENCE_NEAR: f64 = 9.5;
pub(super) const MOVE_EVIDENCE_UNPROVOKED: f64 = 17.0;
/// An arm that answers a move comes so long after the hand of the move came, at the earliest.
const ANSWER_MS: u64 = 200;
/// In pictures far apart, an order of moves against that of the pictures waits for so many more.
const RIDDLE_PICTURES: usize = 4;
/// ... unless so many are waiting behind it: they would soon be too many to be put in order.
const MOST_RIDDLES: usize = 6;
/// A difference with less is only emerging.
pub(super) const SEEN_EVIDENCE: f64 = 3.0;

impl Referee {
    /// Looks for the story behind the differences and tells as much of it as is sure. True if something was told.
    pub(super) fn explain_and_tell(&mut self) -> bool {
        if self.ledger.phase == Phase::Cleared {
            return false;
        }
        let Some(evidence) = &self.evidence else { return false };
        let mut diffs: BTreeMap<Point, Diff> = evidence
            .diffs()
            .into_iter()
            .filter(|d| (d.current || d.evidence >= SEEN_EVIDENCE) && !is_noise(d) && self.is_of_play(d))
            .map(|d| (d.point, d))
            .collect();
        // few stones that were shoved between the points are told when they lie still there; of many it is the board that was swept
        if diffs.len() < SCATTERED_FROM {
            diffs.retain(|_, d| self.lies_beside(d).is_none());
        }
        if diffs.is_empty() {
            self.baffled_since = None;
            self.clearing_since = None;
            return false;
        }
        let settled = |d: &Diff| d.evidence >= MOVE_EVIDENCE && d.age_ms(self.now) >= SETTLED_MS;
        if !self.flushing && !diffs.values().any(settled) {
            return false;
        }
        if self.take_for_swept(&diffs) {
            return true;
        }
        if let Some(done) = self.set_up(&diffs).or_else(|| self.clearing(&diffs)) {
            return done;
        }
        if self.ledger.phase == Phase::Ended {
            return false;
        }
        let stories = self.stories(&diffs);
        self.weighed = self.weighed.max(stories.len());
        let Some(best) = stories.first() else { return false };
        let best = best.clone();
        tracing::trace!(now = self.now, differences = diffs.len(), ?best, second = ?stories.get(1), "the likeliest story");
        let told = if best.undone == 0 {
            self.tell_forward(&best, &diffs, &stories)
        } else {
            self.tell_back(&best, &self.with_remembered(&diffs), &stories)
        };
        if told {
            self.baffled_since = None;
            return true;
        }
        self.tell_unexplained(&best, &diffs)
    }

    /// The stone would still be a move if everything that only begins to show were real.
    fn stays_a_move(&self, step: &Step, diffs: &BTreeMap<Point, Diff>) -> bool {
        // a picture is judged as a whole: what looks a little odd in it may do so in all
        if diffs.len() == 1 || self.pictures.sparse {
            return true;
        }
        let mut all = diffs.clone();
        let begins = |d: &&mut Diff| d.chance == Chance::Covered && d.age_ms(self.now) < BEGINS_MS;
        for d in all.values_mut().filter(begins) {
            d.evidence = d.evidence.max(FAULT_EVIDENCE);
            d.credible = d.credible.max(FAULT_EVIDENCE);
        }
        self.likeliest_story(&all).is_some_and(|s| s.undone == 0 && s.steps.contains(step))
    }

    /// The plays of the story in order, then its faults.
    fn tell_forward(&mut self, best: &Explanation, diffs: &BTreeMap<Point, Diff>, stories: &[Explanation]) -> bool {
        let mut passed = None;
        for step in &best.steps {
            match step {
                Step::Pass { color } => passed = Some(*color),
                Step::Move { color, point, captured, still } => {
                    let brief;
                    let d = match diffs.get(point) {
                        Some(d) => d,
                        None => match self.brief_diff(*point, *color, best, diffs) {
                            Some(d) => {
                                brief = d;
                                &brief
                            }
                            None => return false,
                        },
                    };
                    let ready = self.move_is_ready(d, captured) && !self.is_mere_doubt(step, d, best, diffs)
                        || self.is_vouched_for(step, d, best, diffs);
                    let ready = ready && !self.is_in_a_patch(d, best);
                    if !ready || !self.stays_a_move(step, diffs) {
                        return false;
                    }
                    // a picture shows a later stone in turn, and not this one: something was not seen, and may yet be
                    let seen_before = |s: &Step| match s {
                        Step::Move { point, .. } => diffs.get(point).is_some_and(|o| o.first_new_ms <= d.last_old_ms),
                        _ => false,
                    };
                    let plays = best.steps.iter().filter(|s| s.is_play()).count();
                    if self.pictures.sparse
                        && !self.flushing
                        && plays <= MOST_RIDDLES
                        && self.evidence.as_ref().is_some_and(|e| e.pictures_since(d.first_new_ms) < RIDDLE_PICTURES)
                        && best.steps.iter().skip_while(|s| *s != step).any(seen_before)
                    {
                        return false;
                    }
                    let sure = confidence(margin(stories, |s| s.steps.contains(step)));
                    // a story nearly as likely begins with another of these stones
                    let other = stories.iter().find_map(|s| match s.steps.first() {
                        Some(Step::Move { color: c, point: p, .. })
                            if (c, p) != (color, point) && s.undone == 0 && s.steps.contains(step) =>
                        {
                            Some((*p, s.cost - best.cost))
                        }
                        _ => None,
                    });
                    let other = other.filter(|(_, gap)| passed.is_none() && *gap < AMBIGUOUS);
                    let sure = other.map_or(sure, |(_, gap)| sure.min(confidence(gap)));
                    if let Some(color) = passed {
                        let at = Interval { first: d.last_old_ms, last: d.first_new_ms };
                        let mut e = self.event(EventKind::Pass, at, 0.8);
                        e.color = Some(color);
                        e.move_number = Some(self.ledger.moves.len() as u32 + 1);
                        self.emit(e);
                        self.press = None;
                    }
                    self.tell_move(*color, *point, captured, still, d, sure, other.map(|o| o.0));
                    let seq = self.ledger.last_move_seq();
                    for q in captured.iter().filter(|q| !still.contains(q)) {
                        if let Some(d) = diffs.get(q) {
                            self.clock.lay(seq, *q, d.last_old_ms);
                        }
                    }
                    return true;
                }
                _ => break,
            }
        }
        let faults: Vec<&Step> = best.steps.iter().filter(|s| !s.is_play()).collect();
        if faults.is_empty() || faults.iter().all(|s| matches!(s, Step::Unread { .. })) {
            return false;
        }
        if best.steps.iter().any(Step::is_play) {
            return false;
        }
        let gap = margin(stories, |s| same_faults(s, best));
        if !self.faults_are_ready(&faults, diffs, gap) {
            return false;
        }
        if self.pictures.sparse && self.other_side_began(diffs) {
            return true;
        }
        self.tell_faults(&faults, diffs, confidence(gap))
    }

    /// In a film: every frame doubts the stone alike, as they do bare wood in glare, and the opponent has not answered it.
    fn is_mere_doubt(&self, step: &Step, d: &Diff, best: &Explanation, diffs: &BTreeMap<Point, Diff>) -> bool {
        !self.pictures.sparse && !self.flushing && d.credible < MOVE_EVIDENCE && !self.is_answered(step, best, diffs)
    }

    /// In pictures: a stone that every one of them shows but doubts is a move once the opponent has answered it. Without it the answer
    /// would be out of turn, and the story weighs that; to wait for better pictures would hold up all that follows.
    fn is_vouched_for(&self, step: &Step, d: &Diff, best: &Explanation, diffs: &BTreeMap<Point, Diff>) -> bool {
        self.pictures.sparse && d.current && !d.hidden && d.frames >= 2 && self.is_answered(step, best, diffs)
    }

    /// A later move of the opponent in this story is ready.
    fn is_answered(&self, step: &Step, best: &Explanation, diffs: &BTreeMap<Point, Diff>) -> bool {
        let Step::Move { color, .. } = step else { return false };
        best.steps.iter().skip_while(|s| *s != step).any(|s| match s {
            Step::Move { color: c, point, captured, .. } if c != color => {
                diffs.get(point).is_some_and(|d| self.move_is_ready(d, captured))
            }
            _ => false,
        })
    }

    /// Points around it changed in the same moment, and nothing explains them: a patch of the picture may be misread.
    fn is_in_a_patch(&self, d: &Diff, best: &Explanation) -> bool {
        if self.flushing || self.pictures.sparse || d.age_ms(self.now) >= UNPROVOKED_MS {
            return false;
        }
        let explained = |p: Point| {
            best.steps.iter().any(|s| match s {
                Step::Move { point, captured, .. } => *point == p || captured.contains(&p),
                Step::Void { point, taken, .. } => *point == p || taken.contains(&p),
                Step::Displaced { from, to, .. } => *from == p || *to == Some(p),
                Step::WrongRemoval { points, .. } | Step::Scattered { points } => points.contains(&p),
                Step::Pass { .. } | Step::Unread { .. } => false,
            })
        };
        let beside = |p: Point| p != d.point && p.row.abs_diff(d.point.row) <= 2 && p.col.abs_diff(d.point.col) <= 2;
        let as_one = |o: &Diff| o.current && o.first_new_ms.abs_diff(d.first_new_ms) <= PATCH_MS;
        self.evidence
            .as_ref()
            .is_some_and(|e| e.diffs().iter().any(|o| beside(o.point) && as_one(o) && !explained(o.point)))
    }

    /// What is known of a move that was captured before it was seen for long; only once its captor is sure.
    pub(super) fn brief_diff(
        &self,
        point: Point,
        color: Color,
        best: &Explanation,
        diffs: &BTreeMap<Point, Diff>,
    ) -> Option<Diff> {
        let captor = best.steps.iter().find_map(|s| match s {
            Step::Move { point: p, captured, .. } if captured.contains(&point) => diffs.get(p),
            _ => None,
        });
        // a stone put where a captured one lay is sure when the answer to it is
        let captor = captor.or_else(|| {
            let mut after = best.steps.iter().skip_while(|s| !matches!(s, Step::Move { point: p, .. } if *p == point));
            after.nth(1).and_then(|s| match s {
                Step::Move { point: p, .. } => diffs.get(p),
                _ => None,
            })
        })?;
        if !self.move_is_ready(captor, &[]) {
            return None;
        }
        let evidence = self.evidence.as_ref()?;
        let ghost = evidence.ghosts().iter().rev().find(|g| g.point == point && g.color == color);
        let unseen = || evidence.unseen(point, self.now.saturating_sub(UNSEEN_MOVE_AGO_MS)).unwrap_or((0, self.now));
        let (from, to) = ghost.map_or_else(unseen, |g| (g.first_ms, g.first_ms));
        Some(Diff {
            point,
            is: Some(color),
            last_old_ms: from.min(captor.first_new_ms),
            first_new_ms: to.min(captor.first_new_ms),
            ..*captor
        })
    }

    pub(super) fn move_is_ready(&self, d: &Diff, captured: &[Point]) -> bool {
        let Some(evidence) = &self.evidence else { return false };
        if self.flushing {
            // a single frame is believed only where frames are far between or a hand was at work
            return d.current && d.evidence >= SEEN_EVIDENCE && (d.chance == Chance::Covered || d.frames >= 3);
        }
        if self.pictures.sparse {
            // two pictures agree, or legal moves vouch for it
            return d.current && !d.hidden && d.frames >= 2 && d.evidence >= MOVE_EVIDENCE;
        }
        let (least, settled) = match d.chance {
            Chance::Covered => (MOVE_EVIDENCE, SETTLED_MS),
            Chance::Near => (MOVE_EVIDENCE_NEAR, SETTLED_MS),
            Chance::None => (MOVE_EVIDENCE_UNPROVOKED, UNPROVOKED_MS),
        };
        let age = d.age_ms(self.now);
        // once the hand has been gone for a while, nobody holds the stone any more
        let settled =
            if evidence.hand_away_ms(self.now) >= 2 * SETTLED_MS { settled.min(SETTLED_MS / 2) } else { settled };
        let settled = if d.chance == Chance::None { UNPROVOKED_MS } else { settled };
        if d.hidden || !d.current || d.frames < 2 || d.evidence < least || age < settled {
            return false;
        }
        if evidence.hand_now() {
            if d.hand_near && age < HELD_MS {
                return false;
            }
            if age < SETTLED_UNDER_HAND_MS {
                return false;
            }
            // a neighbour that cannot be seen may be where the stone was shoved from; a captured one may be in the fingers
            let covered = evidence.hidden_within(d.point, 2) || captured.iter().any(|&q| evidence.is_hidden(q));
            if covered && age < 2 * SETTLED_UNDER_HAND_MS {
                return false;
            }
        }
        true
    }

    #[allow(clippy::too_many_arguments)]
    fn tell_move(
        &mut self,
        color: Color,
        point: Point,
        captured: &[Point],
        still: &[Point],
        d: &Diff,
        sure: f64,
        perhaps_first: Option<Point>,
    ) {
        let at = Interval { first: d.last_old_ms, last: d.first_new_ms };
        let mut e = self.event(EventKind::Move, at, sure);
        e.color = Some(color);
        e.point = Some(point);
        e.captured = Some(captured.to_vec());
        let number = self.ledger.moves.len() as u32 + 1;
        e.move_number = Some(number);
        e.name = self.ledger.game.as_ref().and_then(|g| name_move(g, color, point)).map(Into::into);
        if let (Some(other), Some(game)) = (perhaps_first, &self.ledger.game) {
            let said = crate::game::describe(&e, game.size());
            let name = other.name(game.size());
            e.text = Some(Text {
                en: format!("{} The order is not certain: {name} may have been played first.", said.en),
                zh: format!("{}先后次序不能确定：也可能先着{name}。", said.zh),
            });
        }
        let pressed = self.press.take();
        self.ledger.maybe_lying.clear();
        let replied: Vec<u64> = self
            .ledger
            .open
            .iter()
            .filter(|o| o.kind == EventKind::Takeback && o.wrong.is_empty() && o.color != Some(color))
            .map(|o| o.seq)
            .collect();
        let seq = self.emit(e);
        let whence = self.seats.moved(color, d.last_old_ms, d.first_new_ms);
        self.follow_team_order(color, point, number, whence, at);
        if !still.is_empty() {
            let doubtful = self.may_be_replaced(color, still, d);
            self.ledger.lying.push(Lying {
                doubtful,
                seq,
                number,
                capturer: color,
                stones: still.iter().map(|&p| (p, color.opponent())).collect(),
                grace_from_ms: self.now,
                missed: None,
                overtaken_ms: None,
            });
        }
        self.accepted_offset.remove(&point);
        self.half_way_points.remove(&point);
        let now = self.now;
        self.remembered.retain(|_, m| now < m.first_new_ms + 15_000);
        self.remembered
            .insert(seq, Diff { evidence: 24.0, credible: 24.0, current: true, hidden: false, hand_near: false, ..*d });
        // the opponent played on: what was taken back stands as it is now
        for of in replied {
            self.tell_repaired(of, at);
        }
        if let Some((press, _)) = pressed {
            self.press_and_stone(press, color, point, d.last_old_ms);
        }
        self.looks_at_last_game(None);
    }

    /// Of the stones captured by `color` one seems to lie still, but the opponent's arm was over the board before that could
    /// be seen: the captured one may be off, and this one his answer.
    fn may_be_replaced(&self, color: Color, still: &[Point], d: &Diff) -> bool {
        let (&[q], Some(evidence), Some(game)) = (still, &self.evidence, &self.ledger.game) else { return false };
        let answered = self.seats.reached_in(color.opponent(), d.at_the_earliest_ms() + ANSWER_MS, self.now);
        answered == Some(true)
            && game.turn() == color.opponent()
            && game.classify(color.opponent(), Some(q)).is_legal()
            && evidence
                .unseen(q, d.first_new_ms)
                .is_some_and(|(from, to)| from <= d.first_new_ms && to - from >= PLAYED_AGAIN_MS)
    }

    /// The footage ends with such a stone on the board: the board is what it is, and its stones are the record's.
    pub(super) fn take_replaced_for_moves(&mut self) {
        let Some(game) = &self.ledger.game else { return };
        let Some(l) = self.ledger.lying.iter().find(|l| l.doubtful && l.missed.is_none()) else { return };
        let Some((&point, &color)) = l.stones.iter().next() else { return };
        let class = game.classify(color, Some(point));
        if game.turn() != color || !class.is_legal() {
            return;
        }
        let captured = class.captured.clone();
        let at = Interval { first: l.grace_from_ms, last: l.grace_from_ms };
        let d = Diff::settled(point, color, at.first);
        self.tell_move(color, point, &captured, &captured, &d, 0.6, None);
    }
}

/// One odd frame on a point that nothing touched.
fn is_noise(d: &Diff) -> bool {
    match d.chance {
        Chance::Covered => false,
        Chance::Near => d.evidence < 5.0,
        Chance::None => d.evidence < 8.0,
    }
}

/// How much likelier the first story is than the best one that tells it otherwise.
pub(super) fn margin(stories: &[Explanation], same: impl Fn(&Explanation) -> bool) -> f64 {
    let best = stories.first().map_or(0.0, |s| s.cost);
    stories.iter().find(|s| !same(s)).map_or(6.0, |s| s.cost - best)
}

/// From how much likelier the story is than the next one.
pub(super) fn confidence(margin: f64) -> f64 {
    (1.0 / (1.0 + (-margin.max(0.0)).exp())).clamp(0.5, 0.999)
}
