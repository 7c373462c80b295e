//! When a story is sure enough to be told.

use std::collections::BTreeMap;

use super::Referee;
use super::evidence::{Chance, Diff};
use super::explain::{self, Explanation, Picture, Step, Undo};
use super::ledger::{Lying, Phase};
use crate::game::{Event, EventKind, Interval, Spot, Text};
use crate::rules::{Color, Point, name_move};

/// A board that is cleared without a sign of the end must stay so this long, milliseconds.
const UNANNOUNCED_CLEARING_MS: u64 = 4000;

/// A stone must have been in view this long.
pub(super) const SETTLED_MS: u64 = 200;
/// ... and this long while a hand is still over some part of the board.
const SETTLED_UNDER_HAND_MS: u64 = 450;
/// ... and this long if the hand is right beside it: it may still be held or straightened.
pub(super) const HELD_MS: u64 = 1500;
/// ... and this long if it came out of nowhere, with no hand near.
const UNPROVOKED_MS: u64 = 600;
/// Faults wait longer than moves: a false alarm is worse than a short delay.
const FAULT_MS: u64 = 500;
/// Stones that are gone may only be lifted for a moment.
pub(super) const GONE_MS: u64 = 800;
pub(super) const HAND_AWAY_MS: u64 = 300;
/// A hand that stays does not hold a fault back for ever.
const HAND_STAYS_MS: u64 = 2500;
const FEW_HIDDEN: usize = 3;
/// Differences without a story are shown to the operator after this long.
const BAFFLED_MS: u64 = 6000;
/// Stones taken within this time of a move belong to it.
const RECENT_MS: u64 = 10_000;

/// Of two orders of moves whose costs are nearer than this, the one told says that it is not certain.
const AMBIGUOUS: f64 = 1.0;
const MOVE_EVIDENCE: f64 = 6.5;
pub(super) const MOVE_EVIDENCE_NEAR: f64 = 9.5;
const MOVE_EVIDENCE_UNPROVOKED: f64 = 17.0;
pub(super) const FAULT_EVIDENCE: f64 = 14.0;
/// So many of the last moves can be told otherwise, while they are younger than this.
const REVISABLE: usize = 4;
const REVISABLE_S: f64 = 5.0;
/// What it costs to change what was told: once, and per second that a move is old.
const REVISION: f64 = 1.5;
const REVISION_PER_S: f64 = 0.2;
/// What it costs that the last stone was taken up again.
const LIFT: f64 = 4.5;
/// Costs of moves that were hardly seen before they were captured, and how long an arm must have hidden the point.
const GHOST: f64 = 1.0;
const FAINT_GHOST: f64 = 2.5;
const UNSEEN_MOVE: f64 = 4.0;
const UNSEEN_MOVE_MS: u64 = 800;
/// ... if no arm of that player was seen meanwhile.
const NO_ARM: f64 = 2.5;
/// ... if an arm of that player was there, but for less.
const FAST_UNSEEN_MOVE: f64 = 4.6;
/// ... and how long ago at most.
const UNSEEN_MOVE_AGO_MS: u64 = 6000;
/// A captured stone can be taken off and another put there within this time.
/// An arm that answers a move comes so long after the hand of the move came, at the earliest.
const ANSWER_MS: u64 = 200;
const PLAYED_AGAIN_MS: u64 = 500;
/// What it costs to believe it, and if the opponent's arm was there at the right time.
const PLAYED_AGAIN: f64 = 3.0;
const PLAYED_AGAIN_DOUBTFUL: f64 = 1.5;
/// In pictures far apart, an order of moves against that of the pictures waits for so many more.
const RIDDLE_PICTURES: u64 = 4;
/// A difference with less is only emerging.
const SEEN_EVIDENCE: f64 = 3.0;

impl Referee {
    /// Looks for the story behind the differences and tells as much of it as is sure. True if something was told.
    pub(super) fn explain_and_tell(&mut self) -> bool {
        if self.ledger.phase == Phase::Cleared {
            return false;
        }
        let Some(evidence) = &self.evidence else { return false };
        let diffs: BTreeMap<Point, Diff> = evidence
            .diffs()
            .into_iter()
            .filter(|d| (d.current || d.evidence >= SEEN_EVIDENCE) && !is_noise(d))
            .map(|d| (d.point, d))
            .collect();
        if diffs.is_empty() {
            self.baffled_since = None;
            self.clearing_since = None;
            return false;
        }
        let settled = |d: &Diff| d.evidence >= MOVE_EVIDENCE && d.age_ms(self.now) >= SETTLED_MS;
        if !self.flushing && !diffs.values().any(settled) {
            return false;
        }
        if let Some(done) = self.set_up(&diffs).or_else(|| self.clearing(&diffs)) {
            return done;
        }
        if self.ledger.phase == Phase::Ended {
            return false;
        }
        let stories = self.stories(&diffs);
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
        for d in all.values_mut().filter(|d| d.chance == Chance::Covered) {
            d.evidence = d.evidence.max(FAULT_EVIDENCE);
        }
        self.stories(&all).first().is_some_and(|s| s.undone == 0 && s.steps.contains(step))
    }

    fn stories(&self, diffs: &BTreeMap<Point, Diff>) -> Vec<Explanation> {
        let (Some(game), Some(evidence)) = (&self.ledger.game, &self.evidence) else { return Vec::new() };
        let mut seen = evidence.board(f64::INFINITY);
        for d in diffs.values().filter(|d| d.evidence >= SEEN_EVIDENCE) {
            seen.set(d.point, d.is);
        }
        let mut wrong = BTreeMap::new();
        for open in &self.ledger.open {
            for (&p, is) in &open.wrong {
                if let Some(is) = is {
                    wrong.insert(p, *is);
                }
            }
        }
        let mut lying = BTreeMap::new();
        lying.extend(self.ledger.maybe_lying.iter().map(|(p, c)| (*p, *c)));
        for l in &self.ledger.lying {
            lying.extend(l.stones.iter().map(|(p, c)| (*p, *c)));
        }
        let mut undo = Vec::new();
        for (k, m) in self.ledger.moves.iter().rev().take(REVISABLE).enumerate() {
            if m.seq == 0 {
                break;
            }
            let age_s = self.now.saturating_sub(m.reported_ms) as f64 / 1000.0;
            let remembered = self.remembered.contains_key(&m.seq);
            if k > 0 && !(remembered && age_s < REVISABLE_S) {
                break;
            }
            // what the move cost when it was told is paid again by the other story
            let revise = if remembered && age_s < REVISABLE_S {
                (if k == 0 { REVISION } else { 0.0 }) + REVISION_PER_S * age_s - explain::MOVE
            } else {
                4.0 + age_s
            };
            undo.push(Undo { revise, lift: if k == 0 { LIFT } else { 2.0 * LIFT } });
        }
        let brief = self.brief(diffs, &seen);
        let mut replaced = BTreeMap::new();
        let since = self.now.saturating_sub(4000);
        for p in seen.points().filter(|&p| seen.get(p).is_some()) {
            if evidence.unseen(p, since).is_some_and(|(from, to)| to - from >= PLAYED_AGAIN_MS) {
                replaced.insert(p, PLAYED_AGAIN);
            }
        }
        for l in self.ledger.lying.iter().filter(|l| l.doubtful) {
            replaced.extend(l.stones.keys().map(|&p| (p, PLAYED_AGAIN_DOUBTFUL)));
        }
        let mut thinkable = BTreeMap::new();
        if self.pictures.sparse {
            thinkable.extend(evidence.thinkable().into_iter().map(|(p, c, cost)| ((p, c), cost)));
        }
        let recent = self.ledger.moves.last().is_some_and(|m| {
            // in pictures far apart: seen in this one or the one before
            let recent_ms = if self.pictures.sparse { RECENT_MS.max(3 * self.pictures.gap_ms) } else { RECENT_MS };
            self.now.saturating_sub(m.seen_ms.max(self.cleared_ms)) < recent_ms
        });
        let pressed =
            self.press.filter(|(p, n)| *n == game.moves().len() && p.side == game.turn()).map(|(p, _)| p.side);
        explain::explain(&Picture {
            history: game,
            seen: &seen,
            diffs: &self.with_remembered(diffs),
            wrong: &wrong,
            lying: &lying,
            turn_is_free: self.ledger.turn_is_free,
            may_be_passed: self.ledger.may_be_passed.or(pressed),
            undo: &undo,
            brief: &brief,
            replaced: &replaced,
            thinkable: &thinkable,
            last_move_is_recent: recent,
            last_move_ms: self.before_move(0),
            seats: &self.seats,
            pictures: self.pictures.sparse,
        })
    }

    /// With what was seen of the last moves when they were told, for stories that tell them otherwise.
    fn with_remembered(&self, diffs: &BTreeMap<Point, Diff>) -> BTreeMap<Point, Diff> {
        let mut diffs = diffs.clone();
        for m in self.ledger.moves.iter().rev().take(REVISABLE) {
            if let Some(d) = self.remembered.get(&m.seq).filter(|d| self.ledger.expected(d.point) == d.is) {
                diffs.entry(d.point).or_insert(Diff { was: d.is, ..*d });
            }
        }
        diffs
    }

    /// The last frame in which the move could not be seen yet, counted from the last one (0).
    fn before_move(&self, back: usize) -> u64 {
        self.ledger.moves.iter().rev().nth(back).map_or(0, |m| match self.remembered.get(&m.seq) {
            Some(d) => d.at_the_earliest_ms(),
            None => m.seen_ms,
        })
    }

    /// Stones that may have been played and captured again, without being seen for long or at all.
    fn brief(&self, diffs: &BTreeMap<Point, Diff>, seen: &crate::rules::Board) -> BTreeMap<(Point, Color), f64> {
        let mut brief = BTreeMap::new();
        let Some(evidence) = &self.evidence else { return brief };
        // by the last moves as well: one that was told may have been the captor
        let all = self.with_remembered(diffs);
        let told = all.keys().filter(|p| !diffs.contains_key(p)).count();
        let first = all.values().map(|d| d.last_old_ms).min().unwrap_or(0);
        // since the move before these, behind an arm for long enough to be played and taken
        let since = self.before_move(told).min(first).max(self.now.saturating_sub(UNSEEN_MOVE_AGO_MS));
        for d in all.values().filter(|d| d.current && d.is.is_some()) {
            for q in seen.neighbors(d.point).chain([d.point]).filter(|&q| seen.get(q).is_none()) {
                // between two pictures far apart every point is out of view
                let between = self.pictures.sparse.then_some((d.at_the_earliest_ms(), d.first_new_ms));
                let Some((from, to)) = between.or_else(|| evidence.unseen(q, since)) else { continue };
                // between the two moves it would have been seen
                if from > d.first_new_ms || to < d.at_the_earliest_ms() {
                    continue;
                }
                let long = to - from >= UNSEEN_MOVE_MS;
                for color in [Color::Black, Color::White] {
                    // whose arm was over the board says more than how long one was
                    let cost = match self.seats.reached_in(color, since, d.first_new_ms) {
                        Some(true) if long => UNSEEN_MOVE,
                        Some(true) => FAST_UNSEEN_MOVE,
                        Some(false) => UNSEEN_MOVE + NO_ARM,
                        None if long => UNSEEN_MOVE,
                        None => continue,
                    };
                    brief.insert((q, color), cost);
                }
            }
        }
        for g in evidence.ghosts().iter().filter(|g| seen.get(g.point).is_none() && g.last_ms >= first) {
            let cost = if g.evidence >= MOVE_EVIDENCE { GHOST } else { FAINT_GHOST };
            let known = brief.get(&(g.point, g.color)).copied().unwrap_or(f64::INFINITY);
            brief.insert((g.point, g.color), cost.min(known));
        }
        brief
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
                    if !self.move_is_ready(d, captured) || !self.stays_a_move(step, diffs) {
                        return false;
                    }
                    // a stone before this one in time but after it in turn: something was not seen, and may yet be
                    let seen_before = |s: &Step| match s {
                        Step::Move { point, .. } => diffs.get(point).is_some_and(|o| o.first_new_ms < d.first_new_ms),
                        _ => false,
                    };
                    if self.pictures.sparse
                        && !self.flushing
                        && d.age_ms(self.now) < RIDDLE_PICTURES * self.pictures.gap_ms
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
        self.tell_faults(&faults, diffs, confidence(gap))
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
        let edge = self.seats.moved(color, d.last_old_ms, d.first_new_ms);
        self.follow_team_order(color, point, number, edge, at);
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
        self.remembered.insert(seq, Diff { evidence: 24.0, current: true, hidden: false, hand_near: false, ..*d });
        // the opponent played on: what was taken back stands as it is now
        for of in replied {
            self.tell_repaired(of, at);
        }
        if let Some((press, _)) = pressed {
            self.press_and_stone(press, color, point, d.last_old_ms);
        }
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

    pub(super) fn faults_are_ready(&self, faults: &[&Step], diffs: &BTreeMap<Point, Diff>, gap: f64) -> bool {
        let Some(evidence) = &self.evidence else { return false };
        let mut youngest = u64::MAX;
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
            for p in points {
                let Some(d) = diffs.get(&p) else { continue };
                let least = if d.chance == Chance::None { MOVE_EVIDENCE_UNPROVOKED } else { FAULT_EVIDENCE };
                if d.evidence < least || d.frames < 2 {
                    return false;
                }
                let age = d.age_ms(self.now);
                youngest = youngest.min(age);
                let (wait, away) = if gone { (GONE_MS, 2 * HAND_AWAY_MS) } else { (FAULT_MS, HAND_AWAY_MS) };
                let calm = match self.pictures.sparse {
                    true => !evidence.hand_now(),
                    false => age >= wait && evidence.hand_away_ms(self.now) >= away,
                };
                let hand_stays = evidence.hand_stays_ms(self.now) > HAND_STAYS_MS && age > HAND_STAYS_MS;
                if !calm && !hand_stays {
                    return false;
                }
                hidden |= evidence.hidden_within(p, 3);
            }
        }
        // a few points that stay unreadable without a hand over the board hold nothing back for long
        let few = !evidence.hand_now() && evidence.hidden_count() <= FEW_HIDDEN;
        let patience = if few { GONE_MS } else { HAND_STAYS_MS };
        let hidden = hidden || evidence.hidden_count() > 0;
        let seen = if self.pictures.sparse { !hidden || few } else { !hidden };
        (seen || youngest > patience) && (gap > 1.0 || youngest > 1500)
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
                    self.tell_fault(e, points, diffs);
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
            let wrong: Vec<Point> = from.iter().chain(&to).copied().collect();
            let spots: Vec<Spot> = wrong.iter().map(|&p| p.into()).collect();
            colors.dedup();
            let color = if colors.len() == 1 { colors.first().copied() } else { None };
            let e = self.fault(EventKind::DisplacedStone, interval(&wrong, diffs), sure, color, spots, &wrong);
            self.tell_fault(e, &wrong, diffs);
            told = true;
        }
        told
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

    fn seen_cell(&self, p: Point) -> super::evidence::Cell {
        self.evidence.as_ref().and_then(|e| e.latest(p)).unwrap_or_else(|| self.ledger.expected(p))
    }

    /// Differences that no story covers go to the operator, and stop being looked at.
    fn tell_unexplained(&mut self, best: &Explanation, diffs: &BTreeMap<Point, Diff>) -> bool {
        let Some(evidence) = &self.evidence else { return false };
        let points: Vec<Point> = diffs
            .values()
            .filter(|d| d.evidence >= MOVE_EVIDENCE_UNPROVOKED && d.age_ms(self.now) > BAFFLED_MS)
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

    /// Stones coming off in masses are the end of a game and no infraction. `Some`: nothing else is to be told now.
    fn clearing(&mut self, diffs: &BTreeMap<Point, Diff>) -> Option<bool> {
        let board = self.ledger.board()?;
        let evidence = self.evidence.as_ref()?;
        let seen: Vec<&Diff> = diffs.values().filter(|d| d.evidence >= MOVE_EVIDENCE).collect();
        let off: Vec<&&Diff> = seen.iter().filter(|d| d.is.is_none()).collect();
        let stones = board.stones(Color::Black) + board.stones(Color::White);
        let both = [Color::Black, Color::White].iter().all(|c| off.iter().any(|d| d.was == Some(*c)));
        let agreed = self.ledger.phase == Phase::Ended || self.ledger.agreed != [false; 2];
        // where stones turn up as well, they were shoved and not cleared
        let added = seen.iter().filter(|d| d.is.is_some() && d.evidence >= MOVE_EVIDENCE_NEAR).count();
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
            gone && self.now >= since + UNANNOUNCED_CLEARING_MS
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

/// From how much likelier the story is than the next one.
pub(super) fn confidence(margin: f64) -> f64 {
    (1.0 / (1.0 + (-margin.max(0.0)).exp())).clamp(0.5, 0.999)
}
