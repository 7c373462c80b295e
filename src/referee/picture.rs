//! What the search for explanations looks at: the board as it is seen, the moves that may be taken back, the stones that may
//! have come and gone unseen, and what each of these costs to believe.

use std::collections::BTreeMap;

use super::Referee;
use super::decide::{MOVE_EVIDENCE, SEEN_EVIDENCE};
use super::evidence::Diff;
use super::explain::{self, Explanation, Picture, Undo};
use super::ledger::MoveRef;
use crate::rules::{Color, Point};

/// A stone that lay for less than this was never let go of.
pub(super) const RELEASED_MS: u64 = 500;
/// Stones taken within this time of a move belong to it.
const RECENT_MS: u64 = 10_000;
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
pub(super) const UNSEEN_MOVE_AGO_MS: u64 = 6000;
/// A captured stone can be taken off and another put there within this time.
pub(super) const PLAYED_AGAIN_MS: u64 = 500;
/// What it costs to believe it, and if the opponent's arm was there at the right time.
const PLAYED_AGAIN: f64 = 3.0;
const PLAYED_AGAIN_DOUBTFUL: f64 = 1.5;

impl Referee {
    /// The stories that explain the differences, the likeliest first.
    pub(super) fn stories(&self, diffs: &BTreeMap<Point, Diff>) -> Vec<Explanation> {
        self.on_picture(diffs, explain::explain).unwrap_or_default()
    }

    /// The first of [`Referee::stories`].
    pub(super) fn likeliest_story(&self, diffs: &BTreeMap<Point, Diff>) -> Option<Explanation> {
        self.on_picture(diffs, explain::likeliest).flatten()
    }

    fn on_picture<T>(&self, diffs: &BTreeMap<Point, Diff>, search: impl Fn(&Picture) -> T) -> Option<T> {
        let (Some(game), Some(evidence)) = (&self.ledger.game, &self.evidence) else { return None };
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
            let age_s = match self.pictures.sparse {
                // a picture counts for a second, however long it was waited for
                true => evidence.pictures_since(m.seen_ms) as f64,
                false => self.now.saturating_sub(m.reported_ms) as f64 / 1000.0,
            };
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
            // one picture far from the others says nothing of how long a stone lay
            let never = !self.pictures.sparse && self.lay_ms(m, diffs).is_some_and(|ms| ms < RELEASED_MS);
            undo.push(Undo { revise, lift: if k == 0 || never { LIFT } else { 2.0 * LIFT }, never });
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
        Some(search(&Picture {
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
        }))
    }

    /// How long the stone of the move lay before it was gone.
    pub(super) fn lay_ms(&self, m: &MoveRef, diffs: &BTreeMap<Point, Diff>) -> Option<u64> {
        let k = self.ledger.moves.iter().rposition(|x| x.seq == m.seq)?;
        let point = self.ledger.game.as_ref()?.moves().get(k)?.point?;
        let gone = diffs.get(&point).filter(|d| d.is.is_none())?;
        Some(gone.last_old_ms.saturating_sub(m.seen_ms))
    }

    /// With what was seen of the last moves when they were told, for stories that tell them otherwise.
    pub(super) fn with_remembered(&self, diffs: &BTreeMap<Point, Diff>) -> BTreeMap<Point, Diff> {
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
            let mut beside: Vec<Point> = seen.neighbors(d.point).chain([d.point]).collect();
            if self.pictures.sparse {
                // ... or beside a stone that it captured with it
                beside.extend(all.values().filter(|d| d.is.is_none()).flat_map(|d| seen.neighbors(d.point)));
                beside.sort_unstable();
                beside.dedup();
            }
            for q in beside.into_iter().filter(|&q| seen.get(q).is_none()) {
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
}
