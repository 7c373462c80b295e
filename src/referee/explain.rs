//! What can have happened? A search for the likeliest story that leads from the record to the board that is seen.
//!
//! A story is a few legal moves in turn, perhaps with captured stones that still lie, perhaps with one thing that went
//! wrong, perhaps after taking the last move of the record back. Each part costs what it is unlikely (natural
//! logarithm); leaving a difference unread costs what was seen of it. Pure: the same picture gives the same stories.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::evidence::{Cell, Chance, Diff};
use super::seats::Seats;
use crate::game::EventKind;
use crate::rules::{Board, Class, Classification, Color, History, Point, Repetition};

/// One part of a story.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The side passes (a void stone makes it pass by rule).
    Pass { color: Color },
    /// A legal move; `still` are captured stones that have not been seen gone.
    Move { color: Color, point: Point, captured: Vec<Point>, still: Vec<Point> },
    /// A stone that must not lie there; `taken` are stones that were lifted for it.
    Void { kind: EventKind, color: Color, point: Point, taken: Vec<Point>, repeats: Option<Repetition> },
    /// A stone is elsewhere (`None`: not on the board any more).
    Displaced { color: Color, from: Point, to: Option<Point> },
    /// Stones that have liberties (or were not attacked) were taken by `color`.
    WrongRemoval { color: Color, points: Vec<Point> },
    /// Many stones were moved.
    Scattered { points: Vec<Point> },
    /// Not enough is seen of it.
    Unread { point: Point },
}

impl Step {
    pub fn is_play(&self) -> bool {
        matches!(self, Step::Move { .. } | Step::Pass { .. })
    }
}

/// A story and what it costs (the lower the likelier).
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    pub cost: f64,
    /// How many moves of the record it takes back first.
    pub undone: usize,
    pub steps: Vec<Step>,
}

/// A move that may be taken back to explain the board better.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    /// Cost if its stone still lies there, so that the record would have been wrong.
    pub revise: f64,
    /// Cost if its stone is gone.
    pub lift: f64,
    /// Its stone was seen for so short a time that it may never have lain there: nobody took it up.
    pub never: bool,
}

/// All that the search looks at.
pub struct Picture<'a> {
    pub history: &'a History,
    /// The board as it is seen, known faults and lying stones included; unknown points as expected.
    pub seen: &'a Board,
    pub diffs: &'a BTreeMap<Point, Diff>,
    /// What is known to be wrong already.
    pub wrong: &'a BTreeMap<Point, Cell>,
    /// Captured stones that are known to lie still.
    pub lying: &'a BTreeMap<Point, Color>,
    pub turn_is_free: bool,
    pub may_be_passed: Option<Color>,
    /// The moves that may be taken back, the last one first.
    pub undo: &'a [Undo],
    /// Stones of either colour that may have been played and captured again without being seen for long, with what it
    /// costs to believe it.
    pub brief: &'a BTreeMap<(Point, Color), f64>,
    /// Captured stones that seem to lie still but may have been taken off and replaced by another of their colour behind
    /// an arm, with what it costs to believe it.
    pub replaced: &'a BTreeMap<Point, f64>,
    /// Stones that a photo does not show for certain: likelier than a move out of turn.
    pub thinkable: &'a BTreeMap<(Point, Color), f64>,
    /// The last move was made so recently that stones taken now belong to it.
    pub last_move_is_recent: bool,
    /// The last frame before the last move of the record could be seen.
    pub last_move_ms: u64,
    /// Whose arm was over the board, and when.
    pub seats: &'a Seats,
    /// The board is seen in pictures far apart: their times say in which order they were taken, and nothing more.
    pub pictures: bool,
}

pub const MOVE: f64 = 0.6;
/// Moves answer each other: a point is likelier the nearer it lies to the last move. Cost per row and column, from how many on it
/// makes no difference, and what is usual (so much is taken off).
const FAR_PER_LINE: f64 = 0.1;
const FAR_FROM: u8 = 6;
const FAR_USUAL: f64 = 0.3;
/// Two moves cannot follow each other faster, milliseconds.
const MOVE_TAKES_MS: u64 = 250;
/// A move that must have been seen earlier than it can have been made: cost per second, and at most.
const TOO_EARLY_PER_S: f64 = 20.0;
const TOO_EARLY_MOST: f64 = 6.0;
/// No arm of the player was seen that can have made the move.
const NO_ARM: f64 = 2.0;
/// One frame was misread.
const MISREAD: f64 = 3.5;
/// Of two orders that are both possible, the one that agrees with the order of the sightings.
const AGAINST_SIGHT: f64 = 0.3;
const DISPLACED: f64 = 6.0;
const DISPLACED_PER_PITCH: f64 = 1.2;
const REPLY_TO_TAKEBACK: f64 = 2.5;
/// A stone was taken up and none put down.
const NOTHING_INSTEAD: f64 = 1.0;
const GONE: f64 = 9.0;
const GONE_MORE: f64 = 1.5;
const WRONG_REMOVAL: f64 = 6.0;
const VOID: f64 = 5.5;
/// A second stone in a row while only that player's arm was over the board, or also the other's.
const VOID_ALONE: f64 = 4.5;
const VOID_BOTH: f64 = 9.0;
const SECOND_FAULT: f64 = 3.0;
const FORCED_PASS: f64 = 0.5;
const SCATTERED: f64 = 16.0;
/// Stories that are so much less likely than the best are of no interest.
const WORTH_COMPARING: f64 = 6.0;
const UNREADABLE: f64 = 14.0;
/// What a sweep over the board changes is seen within this time.
const TOGETHER_MS: u64 = 3000;
/// From so many differences on, a board can be scattered.
pub const SCATTERED_FROM: usize = 5;
const LONGEST: usize = 5;
const MOST_NODES: usize = 400;
/// Of so many new stones at most every way is tried in which each may be a fault.
const MOST_ADDED: usize = 5;
/// In pictures: the side that is not to play by the number of stones at the start begins.
const OTHER_BEGINS: f64 = 0.4;
/// What it costs that a stone was played and captured between two pictures and not taken off.
const LIES_AT_ONCE: f64 = 2.0;
/// Between two pictures more can have been played than between two frames.
const LONGEST_BETWEEN_PICTURES: usize = 12;
/// Of moves that came to light in one picture each is likelier to answer the one before if it lies near it: per pitch.
const FAR_FROM_THE_LAST: f64 = 0.01;

struct Mismatch {
    point: Point,
    record: Cell,
    seen: Cell,
    /// What it costs to leave it unread, and to take it as real.
    unread: f64,
    weak: f64,
}

/// A stone that is seen and not in the record, and what it would be as the next move; that is asked only where it matters.
struct Added {
    point: Point,
    color: Color,
    /// What it costs to leave it unread, and to take it as real.
    unread: f64,
    weak: f64,
    class: OnceCell<Classification>,
}

impl Added {
    /// The least that it costs where no move explains it: unread, shoved or void.
    fn costs_at_least(&self) -> f64 {
        self.unread.min(VOID_ALONE.min(DISPLACED) + self.weak)
    }
}

/// When the move before can have been made at the earliest, and the middle of its interval.
#[derive(Clone, Copy)]
struct Before {
    earliest_ms: u64,
    middle_ms: u64,
}

struct Search<'a> {
    picture: &'a Picture<'a>,
    /// The picture's brief stones, black and white.
    brief: [Vec<(Point, f64)>; 2],
    /// The picture's replaced stones of each colour.
    replaced: [Vec<(Point, f64)>; 2],
    /// The move of the record that was taken back last: to play it again is no other story.
    taken_back: Option<(Color, Point)>,
    /// The story that is being told.
    steps: Vec<Step>,
    found: Vec<Explanation>,
    /// The cost of the likeliest story so far; what is worse by more than `worth` is not followed up.
    best: f64,
    worth: f64,
    nodes: usize,
}

/// The stories that explain the picture, the likeliest first.
pub fn explain(picture: &Picture) -> Vec<Explanation> {
    search(picture, WORTH_COMPARING)
}

/// The first story of [`explain`] alone, at a part of the cost.
pub fn likeliest(picture: &Picture) -> Option<Explanation> {
    search(picture, 0.0).into_iter().next()
}

/// The stories that cost at most `worth` more than the likeliest, and some others.
fn search(picture: &Picture, worth: f64) -> Vec<Explanation> {
    let (mut brief, mut replaced) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    picture.brief.iter().for_each(|((p, color), cost)| brief[*color as usize].push((*p, *cost)));
    for (p, cost) in picture.replaced {
        if let Some(color) = picture.seen.get(*p) {
            replaced[color as usize].push((*p, *cost));
        }
    }
    let mut search = Search {
        picture,
        brief,
        replaced,
        taken_back: None,
        steps: Vec::new(),
        found: Vec::new(),
        worth,
        best: f64::INFINITY,
        nodes: 0,
    };
    let mut game = picture.history.clone();
    let mut cost = 0.0;
    let mut lifted = None;
    for undone in 0..=picture.undo.len() {
        if undone > 0 {
            let Some(last) = game.undo() else { break };
            let Some(p) = last.point else { break };
            let undo = picture.undo[undone - 1];
            search.taken_back = Some((last.color, p));
            if picture.seen.get(p).is_none() {
                cost += undo.lift;
            } else {
                cost += undo.revise;
            }
            if picture.seen.get(p).is_none() && !undo.never {
                // whoever takes a capture back rarely puts the captured stones back at once; a ko is retaken like that
                if last.captured.iter().any(|&q| picture.seen.get(q) == Some(last.color.opponent())) {
                    cost += 3.5;
                }
                lifted = lifted.or(Some(p));
            }
        }
        search.nodes = 0;
        let turn = game.turn();
        search.grow(&mut game, cost, undone, None, lifted);
        if picture.turn_is_free && game.moves().is_empty() {
            let mut other = game.clone();
            other.set_turn(turn.opponent());
            let unlikely = if picture.pictures { OTHER_BEGINS } else { 0.0 };
            search.grow(&mut other, cost + unlikely, undone, None, lifted);
        } else if picture.may_be_passed == Some(turn) && undone == 0 {
            let mut other = game.clone();
            other.play(turn, None);
            search.steps.push(Step::Pass { color: turn });
            search.grow(&mut other, cost + FORCED_PASS, undone, None, lifted);
            search.steps.clear();
        }
    }
    // a stable sort: of two equally likely stories the one found first stands, the same every time
    search.found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    search.found.truncate(12);
    search.found
}

impl Search<'_> {
    fn hopeless(&self, cost: f64) -> bool {
        cost > self.best + self.worth
    }

    /// The story as it is told so far is one that ends here.
    fn keep(&mut self, cost: f64, undone: usize) {
        if !self.hopeless(cost) {
            self.best = self.best.min(cost);
            self.found.push(Explanation { cost, undone, steps: self.steps.clone() });
        }
    }

    fn unread_cost(&self, p: Point) -> f64 {
        self.picture.diffs.get(&p).map_or(UNREADABLE, |d| {
            // a point that nobody touched is misread much more easily than changed
            let free = match d.chance {
                Chance::Covered => 3.5,
                Chance::Near => 5.0,
                Chance::None => 10.0,
            };
            // a patch may be doubted in every frame alike; much of the board at once is not
            let together = |o: &&Diff| o.first_new_ms.abs_diff(d.first_new_ms) <= TOGETHER_MS;
            let much = || self.picture.diffs.values().filter(together).nth(SCATTERED_FROM - 1).is_some();
            let whole = self.picture.pictures || much();
            let said = if whole { d.evidence } else { d.credible };
            0.3 + 0.7 * (said - free).max(0.0)
        })
    }

    /// Taking a difference as real costs what its evidence falls short of.
    fn weak_cost(&self, p: Point) -> f64 {
        self.picture.diffs.get(&p).map_or(0.0, |d| {
            let enough = match d.chance {
                Chance::Covered => 6.5,
                Chance::Near => 9.5,
                Chance::None => 17.0,
            };
            0.5 * (enough - d.evidence).max(0.0)
        })
    }

    fn mismatches(&self, game: &History) -> Vec<Mismatch> {
        let (pic, steps) = (self.picture, &self.steps);
        let board = game.board();
        let mut out = Vec::with_capacity(8);
        for (point, seen) in board.differences(pic.seen) {
            let record = board.get(point);
            if pic.wrong.get(&point) == Some(&seen) {
                continue;
            }
            let believed = |s: &Step| matches!(s, Step::Move { point: p, .. } if *p == point);
            if seen.is_none()
                && record.is_some_and(|c| pic.thinkable.contains_key(&(point, c)))
                && steps.iter().any(believed)
            {
                continue;
            }
            if record.is_none() {
                if pic.lying.get(&point).copied() == seen {
                    continue;
                }
                // captured stones may lie still, unless the point has been seen empty since
                let left = self.picture.diffs.get(&point).is_none_or(|d| d.was == seen)
                    // between two pictures it can have been played as well
                    || (pic.pictures && seen.is_some_and(|c| played(steps, c, point)));
                let still = steps.iter().any(|s| match s {
                    Step::Move { color, captured, .. } => seen == Some(color.opponent()) && captured.contains(&point),
                    _ => false,
                });
                if still && left {
                    continue;
                }
            }
            out.push(Mismatch { point, record, seen, unread: self.unread_cost(point), weak: self.weak_cost(point) });
        }
        out
    }

    fn grow(&mut self, game: &mut History, cost: f64, undone: usize, before: Option<Before>, lifted: Option<Point>) {
        self.nodes += 1;
        if self.nodes > MOST_NODES || self.hopeless(cost) {
            return;
        }
        let open = self.mismatches(game);
        if self.hopeless(cost + self.costs_at_least(&open)) {
            return;
        }
        self.close(game, cost, undone, lifted.is_some(), &open);
        let depth = self.steps.iter().filter(|s| matches!(s, Step::Move { .. })).count();
        if depth >= if self.picture.pictures { LONGEST_BETWEEN_PICTURES } else { LONGEST } {
            return;
        }
        let turn = game.turn();
        let mut next: Vec<(u64, Point, f64)> = open
            .iter()
            .filter(|m| m.record.is_none() && m.seen == Some(turn))
            .map(|m| (self.picture.diffs.get(&m.point).map_or(0, |d| d.first_new_ms), m.point, m.weak))
            .collect();
        // once the record is in doubt, a stone that was taken for a shoved one may be the move
        if lifted.is_some() {
            let shoved = |(p, is): &(&Point, &Cell)| {
                **is == Some(turn) && game.board().get(**p).is_none() && self.picture.seen.get(**p) == Some(turn)
            };
            next.extend(self.picture.wrong.iter().filter(shoved).map(|(p, _)| (0, *p, 0.3)));
        }
        next.sort_by_key(|n| (n.0, n.1));
        // a stone that the next one captures need not have been seen
        if open.iter().any(|m| m.seen == Some(turn.opponent())) {
            next.extend(
                self.brief[turn as usize]
                    .iter()
                    .filter(|(p, _)| taken_at_once(game.board(), *p, turn, &open))
                    .map(|(p, cost)| (u64::MAX, *p, *cost)),
            );
            let unsure = |((p, c), _): &(&(Point, Color), &f64)| {
                *c == turn && game.board().get(*p).is_none() && !open.iter().any(|m| m.point == *p)
            };
            next.extend(self.picture.thinkable.iter().filter(unsure).map(|((p, _), cost)| (u64::MAX, *p, *cost)));
            // nor need a captured stone lie still where another has been put since
            let again = self.replaced[turn as usize]
                .iter()
                .filter(|(p, _)| game.board().get(*p).is_none() && !open.iter().any(|m| m.point == *p));
            next.extend(again.map(|(p, cost)| (u64::MAX, *p, *cost)));
        }
        for (_, point, extra) in next {
            if self.nodes > MOST_NODES {
                return;
            }
            if self.steps.is_empty() && self.taken_back == Some((turn, point)) {
                continue;
            }
            let class = game.classify(turn, Some(point));
            if !class.is_legal() {
                continue;
            }
            let diff = self.picture.diffs.get(&point).copied();
            let mut price = MOVE + extra;
            // of stones that have just come to light; others are weighed by what they cost to believe
            let last = game.moves().last().and_then(|m| m.point);
            if self.picture.pictures {
                price += last.map_or(0.0, |last| FAR_FROM_THE_LAST * distance(last, point));
            } else if diff.is_some() {
                price += far(last, point);
            }
            let mut now = before;
            // that the point was still empty so late may have been one misread frame
            let mut doubted = None;
            if let Some(d) = diff {
                let (early, after) = self.in_turn(turn, before, d.last_old_ms, d.first_new_ms);
                if let Some(old_ms) = d.doubted_old_ms {
                    let (early_then, after_then) = self.in_turn(turn, before, old_ms, d.first_new_ms);
                    doubted = Some((price + MISREAD + early_then, Some(after_then)));
                }
                price += early;
                now = Some(after);
            } else if let Some(b) = before {
                now = Some(Before { earliest_ms: b.earliest_ms + self.move_takes_ms(), ..b });
            }
            // after a takeback the opponent's reply comes later: several stones at once were played, and one shoved
            let at_once = || {
                let last = last.and_then(|p| self.picture.diffs.get(&p));
                last.zip(diff).is_none_or(|(before, d)| before.seen_from_ms() > d.last_old_ms)
            };
            let reply = if depth >= 1 && lifted.is_some() && at_once() { REPLY_TO_TAKEBACK } else { 0.0 };
            let still: Vec<Point> =
                class.captured.iter().copied().filter(|&q| self.picture.seen.get(q) == Some(turn.opponent())).collect();
            if self.picture.pictures && still.iter().any(|q| played(&self.steps, turn.opponent(), *q)) {
                price += LIES_AT_ONCE;
            }
            let ways = doubted.into_iter().chain([(price, now)]).map(|(price, now)| (cost + price + reply, now));
            // most are not followed up: they only count
            if ways.clone().all(|(cost, _)| self.hopeless(cost)) {
                self.nodes += ways.count();
                continue;
            }
            game.carry_out(turn, Some(point), &class);
            self.steps.push(Step::Move { color: turn, point, captured: class.captured, still });
            for (cost, now) in ways {
                self.grow(game, cost, undone, now, lifted);
            }
            self.steps.pop();
            game.undo();
            // undo forgets a turn that was set by hand
            if game.turn() != turn {
                game.set_turn(turn);
            }
        }
    }

    /// The least that any story costs from here on in which these mismatches are still to be explained. Stones that are gone may have
    /// been captured, which costs nothing.
    fn costs_at_least(&self, open: &[Mismatch]) -> f64 {
        let least = open.iter().filter_map(|m| {
            let color = m.seen?;
            if m.record.is_some() && self.picture.lying.get(&m.point) == Some(&color) {
                return None;
            }
            let brief = self.picture.brief.get(&(m.point, color)).copied().unwrap_or(f64::INFINITY);
            Some(m.unread.min(MOVE - FAR_USUAL + m.weak.min(brief)))
        });
        least.sum::<f64>().min(SCATTERED)
    }

    fn move_takes_ms(&self) -> u64 {
        if self.picture.pictures { 0 } else { MOVE_TAKES_MS }
    }

    /// What it costs that a move seen from `first_new_ms` on, and not up to `old_ms`, followed the one before.
    fn in_turn(&self, color: Color, before: Option<Before>, old_ms: u64, first_new_ms: u64) -> (f64, Before) {
        let mut earliest_ms = before.map_or(0, |b| b.earliest_ms + self.move_takes_ms()).max(old_ms);
        let too_early = earliest_ms.saturating_sub(first_new_ms) as f64 / 1000.0;
        let mut price = (TOO_EARLY_PER_S * too_early).min(TOO_EARLY_MOST);
        // it was in a picture that does not show the move before it
        if self.picture.pictures && before.is_some() && earliest_ms >= first_new_ms {
            price = TOO_EARLY_MOST;
        }
        let middle_ms = old_ms / 2 + first_new_ms / 2;
        if before.is_some_and(|b| middle_ms < b.middle_ms) {
            price += AGAINST_SIGHT;
        }
        // after the arm of the one before, the arm of this player must have come
        match self.picture.seats.next_reach(color, earliest_ms) {
            Some(Some(ms)) if ms <= first_new_ms => earliest_ms = ms,
            Some(_) if before.is_some() => price = price.max(NO_ARM),
            _ => {}
        }
        (price, Before { earliest_ms, middle_ms })
    }

    /// How many of the open differences are stones that lie where they were played, though the story withdraws their moves: nothing swept them.
    fn withdrawn(&self, undone: usize, open: &[Mismatch]) -> usize {
        let moves = self.picture.history.moves();
        let withdrawn = &moves[moves.len() - undone.min(moves.len())..];
        let is_one = |m: &&Mismatch| withdrawn.iter().any(|w| w.point == Some(m.point) && m.seen == Some(w.color));
        open.iter().filter(is_one).count()
    }

    /// Ends the story here: whatever is still open must be faults or misreadings.
    fn close(&mut self, game: &History, cost: f64, undone: usize, lifted: bool, open: &[Mismatch]) {
        let told = self.steps.len();
        let mut base = cost;
        let plays = self.steps.iter().filter(|s| matches!(s, Step::Move { .. })).count();
        if lifted {
            base += NOTHING_INSTEAD * undone.saturating_sub(plays) as f64;
        }
        if open.len() >= SCATTERED_FROM
            && open.len() - self.withdrawn(undone, open) >= SCATTERED_FROM
            && !self.hopeless(cost + SCATTERED)
        {
            self.steps.push(Step::Scattered { points: open.iter().map(|m| m.point).collect() });
            // several moves may have been made between two pictures
            let more = if self.picture.pictures { MOVE * open.len() as f64 } else { 0.0 };
            self.keep(cost + SCATTERED + more, undone);
            self.steps.truncate(told);
        }
        let mut added = Vec::new();
        let mut vanished = Vec::new();
        for m in open {
            match (m.record, m.seen) {
                (None, Some(color)) => {
                    added.push(Added { point: m.point, color, unread: m.unread, weak: m.weak, class: OnceCell::new() })
                }
                (Some(color), None) => vanished.push((m.point, color)),
                _ => {
                    base += m.unread;
                    self.steps.push(Step::Unread { point: m.point });
                }
            }
        }
        if added.len() > MOST_ADDED {
            // too many to try all ways; what is doubted so much that it costs less than any fault is left unread
            let doubted: Vec<Added> = added.extract_if(.., |a| a.unread < VOID_ALONE).collect();
            base += doubted.iter().map(|a| a.unread).sum::<f64>();
            self.steps.extend(doubted.iter().map(|a| Step::Unread { point: a.point }));
        }
        if added.len() <= MOST_ADDED && vanished.len() <= 24 {
            self.cover(game, base, undone, &added, &vanished, 0);
        }
        self.steps.truncate(told);
    }

    /// Explains the stones `added` one after the other, then those that `vanished`.
    fn cover(
        &mut self,
        game: &History,
        cost: f64,
        undone: usize,
        added: &[Added],
        vanished: &[(Point, Color)],
        faults: usize,
    ) {
        if self.hopeless(cost + added.iter().map(Added::costs_at_least).sum::<f64>()) {
            return;
        }
        let more = if faults > 0 { SECOND_FAULT } else { 0.0 };
        let Some((first, rest)) = added.split_first() else {
            self.cover_vanished(game, cost, undone, vanished, faults);
            return;
        };
        let &Added { point, color, unread, weak, .. } = first;
        // not really there
        if unread < UNREADABLE {
            self.steps.push(Step::Unread { point });
            self.cover(game, cost + unread, undone, rest, vanished, faults);
            self.steps.pop();
        }
        // shoved here from elsewhere
        let mut from: Vec<(f64, Point)> =
            vanished.iter().filter(|v| v.1 == color).map(|v| (distance(v.0, point), v.0)).collect();
        from.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (d, v) in from.into_iter().take(4) {
            let price = DISPLACED + DISPLACED_PER_PITCH * (d - 1.0).max(0.0) + weak + self.weak_cost(v);
            // several stones shoved by one sleeve are one fault
            let more = if faults > 0 { 0.5 * SECOND_FAULT } else { 0.0 };
            let cost = cost + price + more;
            if self.hopeless(cost) {
                continue;
            }
            let left: Vec<(Point, Color)> = vanished.iter().copied().filter(|x| x.0 != v).collect();
            self.steps.push(Step::Displaced { color, from: v, to: Some(point) });
            self.cover(game, cost, undone, rest, &left, faults + 1);
            self.steps.pop();
        }
        // played, but void
        if self.hopeless(cost + VOID_ALONE + weak + more) {
            return;
        }
        let class = first.class.get_or_init(|| game.classify(color, Some(point)));
        let kind = if class.is(Class::Suicide) {
            EventKind::Suicide
        } else if class.is(Class::Ko) {
            EventKind::KoViolation
        } else if class.is(Class::WrongTurn) {
            if game.moves().is_empty() { EventKind::WrongFirstColour } else { EventKind::DoubleMove }
        } else if class.is(Class::Superko) {
            EventKind::Superko
        } else if self.lay_before_the_last_move(point, color) {
            // legal now, but it already lay there when the opponent played: it had been out of turn
            EventKind::DoubleMove
        } else {
            return; // legal: the longer story tells it
        };
        let taken: Vec<Point> = class.captured.iter().copied().filter(|q| vanished.iter().any(|v| v.0 == *q)).collect();
        let left: Vec<(Point, Color)> = vanished.iter().copied().filter(|x| !taken.contains(&x.0)).collect();
        let price = if kind == EventKind::DoubleMove { self.double_move(point, color) } else { VOID };
        self.steps.push(Step::Void { kind, color, point, taken, repeats: class.repetition });
        self.cover(game, cost + price + weak + more, undone, rest, &left, faults + 1);
        self.steps.pop();
    }

    /// A second stone in a row: likelier if nobody else's arm was there since the first.
    fn double_move(&self, point: Point, color: Color) -> f64 {
        let Some(d) = self.picture.diffs.get(&point) else { return VOID };
        let first = self.steps.iter().rev().find_map(|s| match s {
            Step::Move { color: c, point, .. } if *c == color => self.picture.diffs.get(point),
            _ => None,
        });
        let since = first.map_or(self.picture.last_move_ms, Diff::at_the_earliest_ms).min(d.at_the_earliest_ms());
        let price = match self.picture.seats.reached_in(color.opponent(), since, d.first_new_ms) {
            Some(false) => VOID_ALONE,
            Some(true) => VOID_BOTH,
            None => VOID,
        };
        // of two stones in a row the later one is void
        let first_ms = first.map_or(0, Diff::at_the_earliest_ms);
        let too_early = first_ms.saturating_sub(d.first_new_ms) as f64 / 1000.0;
        price + (TOO_EARLY_PER_S * too_early).min(TOO_EARLY_MOST)
    }

    fn lay_before_the_last_move(&self, point: Point, color: Color) -> bool {
        let reply = self.steps.iter().rev().find_map(|s| match s {
            Step::Move { color: c, point, .. } if *c != color => self.picture.diffs.get(point),
            _ => None,
        });
        match (self.picture.diffs.get(&point), reply) {
            (Some(a), Some(b)) => a.first_new_ms <= b.last_old_ms && a.first_new_ms < b.first_new_ms,
            _ => false,
        }
    }

    fn cover_vanished(&mut self, game: &History, cost: f64, undone: usize, vanished: &[(Point, Color)], faults: usize) {
        let told = self.steps.len();
        let mut total = cost;
        let mut faults = faults;
        let played = self.steps.iter().any(|s| matches!(s, Step::Move { .. }));
        let mover = game.moves().last().map(|m| m.color);
        let void_by = self.steps.iter().find_map(|s| match s {
            Step::Void { color, .. } => Some(*color),
            _ => None,
        });
        for color in [Color::Black, Color::White] {
            let mut real = Vec::new();
            let mut real_cost = 0.0;
            for &(p, _) in vanished.iter().filter(|v| v.1 == color) {
                let unread = self.unread_cost(p);
                if unread < 4.0 {
                    total += unread;
                    self.steps.push(Step::Unread { point: p });
                } else {
                    real.push(p);
                    real_cost += unread;
                }
            }
            if real.is_empty() {
                continue;
            }
            let more = if faults > 0 { SECOND_FAULT } else { 0.0 };
            let n = real.len() as f64;
            let taker = void_by.or(mover.filter(|_| played || self.picture.last_move_is_recent));
            let (fault, step) = if taker == Some(color.opponent()) {
                let step = Step::WrongRemoval { color: color.opponent(), points: real.clone() };
                (WRONG_REMOVAL + 0.3 * (n - 1.0) + more, vec![step])
            } else {
                let steps = real.iter().map(|&from| Step::Displaced { color, from, to: None }).collect();
                (GONE + GONE_MORE * (n - 1.0) + more, steps)
            };
            if fault < real_cost {
                total += fault;
                faults += 1;
                self.steps.extend(step);
            } else {
                total += real_cost;
                self.steps.extend(real.into_iter().map(|point| Step::Unread { point }));
            }
        }
        self.keep(total, undone);
        self.steps.truncate(told);
    }
}

/// The story has this move.
fn played(steps: &[Step], color: Color, at: Point) -> bool {
    steps.iter().any(|s| matches!(s, Step::Move { color: c, point, .. } if *c == color && *point == at))
}

/// A stone of `color` at `p` would have one liberty left, and there the opponent's new stone lies.
fn taken_at_once(board: &Board, p: Point, color: Color, open: &[Mismatch]) -> bool {
    if board.get(p).is_some() {
        return false;
    }
    let taker = |q: Point| open.iter().any(|m| m.point == q && m.seen == Some(color.opponent()));
    // most have two liberties of their own, or one that is free still
    let mut free = board.neighbors(p).filter(|n| board.get(*n).is_none());
    if free.next().is_some_and(|only| !taker(only)) || free.next().is_some() {
        return false;
    }
    let mut board = board.clone();
    board.set(p, Some(color));
    let (chain, liberties) = board.chain(p);
    liberties == 1
        && open.iter().any(|m| {
            m.seen == Some(color.opponent())
                && board.get(m.point).is_none()
                && board.neighbors(m.point).any(|n| chain.contains(&n))
        })
}

/// What it costs that a move is so far from the last one.
fn far(last: Option<Point>, point: Point) -> f64 {
    let lines = last.map_or(FAR_FROM / 2, |l| l.row.abs_diff(point.row) + l.col.abs_diff(point.col));
    FAR_PER_LINE * f64::from(lines.min(FAR_FROM)) - FAR_USUAL
}

/// Distance in pitches.
pub fn distance(a: Point, b: Point) -> f64 {
    (f64::from(a.row) - f64::from(b.row)).hypot(f64::from(a.col) - f64::from(b.col))
}
