//! What becomes of it: repairs, captured stones taken off, grace times, stones off their point, loose stones, presses.

use std::collections::{BTreeMap, BTreeSet};

use super::Referee;
use super::decide::SEEN_EVIDENCE;
use super::evidence::Diff;
use super::ledger::{Lying, Phase};
use super::loose::{Loose, corner_of, on_the_grid};
use crate::game::{EventKind, Interval, Spot};
use crate::rules::{Color, Point};

/// Putting a stone right is believed as soon as a move is.
const REPAIR_EVIDENCE: f64 = 6.5;
const REPAIR_MS: u64 = 200;
const HELD_MS: u64 = 1200;
/// After the next stone or a press, captured stones that are just being lifted get this long.
const OVERTAKEN_MS: u64 = 500;
/// A stone that lies so near to where one is gone was shoved from there ...
const BESIDE_PITCHES: f64 = 1.6;
/// ... if it has lain there since about when that went.
const BESIDE_MS: u64 = 500;
/// Stones that go within this time of each other went together.
const SAME_SHOVE_MS: u64 = 600;
/// Farther from its crossing than this a stone is off its point (pitches) ...
const OFF_POINT_PITCHES: f64 = 0.35;
/// ... and nearer than this it is on it again.
const ON_POINT_PITCHES: f64 = 0.28;
/// A new stone farther than this from the crossing may have been dropped (pitches).
const HALF_WAY_PITCHES: f64 = 0.42;
/// It must have stood so this long.
const OFF_POINT_MS: u64 = 400;
/// A loose stone must have lain so this long, and one outside the lines, where nobody plays.
const LOOSE_MS: u64 = 600;
const SIGN_MS: u64 = 350;
const HAND_AWAY_MS: u64 = 300;
/// So many points that changed so recently may be a board that is being scattered.
const UNREST: usize = 3;
const UNREST_MS: u64 = 4000;

impl Referee {
    pub(super) fn tell_repaired(&mut self, of: u64, at: Interval) {
        let mut e = self.event(EventKind::Repaired, at, 0.97);
        e.of = Some(of);
        self.emit(e);
    }

    /// Loose stones that have been picked up.
    pub(super) fn repaired(&mut self, gone: Vec<u64>) {
        for of in gone {
            if self.ledger.open.iter().any(|o| o.seq == of) {
                self.tell_repaired(of, Interval { first: self.now.saturating_sub(400), last: self.now });
            }
        }
    }

    pub(super) fn change_is_ready(&self, d: &Diff) -> bool {
        let age = d.age_ms(self.now);
        if self.pictures.sparse && !self.flushing {
            return d.current && !d.hidden && d.evidence >= REPAIR_EVIDENCE && d.frames >= 2;
        }
        d.current
            && !d.hidden
            && (self.flushing || (d.evidence >= REPAIR_EVIDENCE && age >= REPAIR_MS && d.frames >= 2))
            && (!d.hand_near || age >= HELD_MS)
    }

    /// Points that are as the record says again, and captured stones that are off. True if something was told or learnt.
    pub(super) fn follow_repairs(&mut self) -> bool {
        let Some(evidence) = &self.evidence else { return false };
        let Some(board) = self.ledger.board().cloned() else { return false };
        let diffs: BTreeMap<Point, Diff> = evidence.diffs().into_iter().map(|d| (d.point, d)).collect();
        self.learn_lying(&diffs);
        if self.pictures.sparse && self.the_other_was_void(&diffs) {
            return true;
        }
        let Some(evidence) = &self.evidence else { return false };
        let mut changed = false;
        // after a restart: what lies at the points of an open fault is learnt from the first good look
        let mut learnt = Vec::new();
        for (k, open) in self.ledger.open.iter().enumerate() {
            for (&p, is) in &open.wrong {
                if is.is_some() || evidence.is_hidden(p) {
                    continue;
                }
                match diffs.get(&p) {
                    Some(d) if self.change_is_ready(d) => learnt.push((k, p, Some(d.is))),
                    Some(_) => {}
                    None if evidence.latest(p) == Some(board.get(p)) => learnt.push((k, p, None)),
                    None => {}
                }
            }
        }
        for (k, p, is) in learnt {
            match is {
                Some(is) => self.ledger.open[k].wrong.insert(p, Some(is)),
                None => self.ledger.open[k].wrong.remove(&p),
            };
            changed = true;
        }
        let mut ready = Vec::new();
        for (k, open) in self.ledger.open.iter().enumerate() {
            for (&p, is) in &open.wrong {
                if let (Some(_), Some(d)) = (is, diffs.get(&p))
                    && d.is == board.get(p)
                    && self.change_is_ready(d)
                {
                    ready.push((k, p, *d));
                }
            }
        }
        let mut times: BTreeMap<u64, Interval> = BTreeMap::new();
        for (k, p, d) in ready {
            let open = &mut self.ledger.open[k];
            open.wrong.remove(&p);
            changed = true;
            times.insert(open.seq, Interval { first: d.last_old_ms, last: d.first_new_ms });
        }
        let done: Vec<u64> = self
            .ledger
            .open
            .iter()
            .filter(|o| {
                o.wrong.is_empty()
                    && (has_points(o.kind) || self.half_way.contains(&o.seq))
                    && !self.taken_back_from.contains_key(&o.seq)
            })
            .map(|o| o.seq)
            .collect();
        for seq in done {
            let at = times.get(&seq).copied().unwrap_or(Interval { first: self.now, last: self.now });
            self.tell_repaired(seq, at);
            changed = true;
        }
        changed | self.follow_lifted(&diffs)
    }

    /// After a restart: do the stones of the last capture lie, or not?
    fn learn_lying(&mut self, diffs: &BTreeMap<Point, Diff>) {
        let Some(evidence) = &self.evidence else { return };
        let mut lie = BTreeMap::new();
        let now = self.now;
        let ready = |d: &Diff| d.current && d.evidence >= REPAIR_EVIDENCE && d.age_ms(now) >= REPAIR_MS;
        self.ledger.maybe_lying.retain(|p, c| match diffs.get(p) {
            Some(d) if d.is == Some(*c) => {
                if ready(d) {
                    lie.insert(*p, *c);
                }
                !ready(d)
            }
            Some(_) => true,
            None => evidence.latest(*p) != Some(None),
        });
        if let (false, Some(m)) = (lie.is_empty(), self.ledger.moves.last()) {
            let (seq, number) = (m.seq, self.ledger.moves.len() as u32);
            let Some(color) = lie.values().next().map(|c| c.opponent()) else { return };
            self.ledger.lying.push(Lying {
                seq,
                number,
                capturer: color,
                doubtful: false,
                stones: lie,
                grace_from_ms: now,
                missed: None,
                overtaken_ms: None,
            });
        }
    }

    /// Captured stones that are taken off after their move was told.
    fn follow_lifted(&mut self, diffs: &BTreeMap<Point, Diff>) -> bool {
        let now = self.now;
        let mut off = Vec::new();
        for (k, l) in self.ledger.lying.iter().enumerate() {
            for &p in l.stones.keys() {
                if let Some(d) = diffs.get(&p).filter(|d| d.is.is_none())
                    && self.change_is_ready(d)
                {
                    off.push((k, p, *d));
                }
            }
        }
        if off.is_empty() {
            return false;
        }
        let mut last = Interval::default();
        for (k, p, d) in off {
            self.clock.lay(self.ledger.lying[k].seq, p, d.last_old_ms);
            self.ledger.lying[k].stones.remove(&p);
            // each stone taken off gives time for the next
            self.ledger.lying[k].grace_from_ms = now;
            last = Interval { first: last.first.max(d.last_old_ms), last: last.last.max(d.first_new_ms) };
        }
        let done: Vec<(u64, u32, Color, Option<u64>)> = self
            .ledger
            .lying
            .iter()
            .filter(|l| l.stones.is_empty())
            .map(|l| (l.seq, l.number, l.capturer, l.missed))
            .collect();
        if !done.is_empty() {
            self.cleared_ms = now;
        }
        for (seq, number, capturer, missed) in done {
            let mut e = self.event(EventKind::CapturesCleared, last, 0.97);
            e.of = Some(seq);
            e.color = Some(capturer);
            e.move_number = (number > 0).then_some(number);
            let captured = self
                .ledger
                .moves
                .iter()
                .position(|m| m.seq == seq)
                .and_then(|n| self.ledger.game.as_ref()?.moves().get(n))
                .map(|m| m.captured.clone());
            e.points = captured.clone().unwrap_or_default().into_iter().map(Spot::from).collect();
            e.captured = captured;
            self.emit(e);
            match missed {
                Some(of) => self.tell_repaired(of, last),
                None => self.captures_at_press(seq),
            }
        }
        true
    }

    /// Captured stones that lie too long.
    pub(super) fn follow_captures(&mut self) {
        let Some(evidence) = &self.evidence else { return };
        if self.ledger.phase != Phase::Playing {
            return;
        }
        let (now, sparse) = (self.now, self.pictures.sparse);
        let mut late = Vec::new();
        for (k, l) in self.ledger.lying.iter_mut().enumerate() {
            let hand =
                evidence.hand_now() && l.stones.keys().any(|&p| evidence.is_hidden(p) || evidence.hidden_within(p, 1));
            if hand {
                // somebody is at them
                l.grace_from_ms = now;
            }
            if l.missed.is_some() || hand {
                continue;
            }
            // in pictures far apart, one that shows the next stone and them shows it at once
            let overtaken_ms = if sparse { 0 } else { OVERTAKEN_MS };
            let overtaken = l.overtaken_ms.is_some_and(|t| now >= t + overtaken_ms);
            if overtaken || (!l.doubtful && now >= l.grace_from_ms + self.options.capture_grace_ms) {
                late.push(k);
            }
        }
        for k in late {
            let l = &self.ledger.lying[k];
            // some of them may just have been lifted
            let lies = evidence.board(REPAIR_EVIDENCE);
            let points: Vec<Point> =
                l.stones.iter().filter(|&(&p, &c)| lies.get(p) == Some(c)).map(|(&p, _)| p).collect();
            if points.is_empty() {
                continue;
            }
            let (seq, number, capturer) = (l.seq, l.number, l.capturer);
            let seen = self.ledger.moves.iter().find(|m| m.seq == seq).map_or(now, |m| m.seen_ms);
            let spots = points.iter().map(|&p| p.into()).collect();
            let at = Interval { first: seen, last: now };
            let mut e = self.fault(EventKind::MissedCapture, at, 0.97, Some(capturer), spots, &points);
            e.of = Some(seq);
            // 0: since before the game was watched
            e.move_number = (number > 0).then_some(number);
            let missed = self.emit(e);
            self.ledger.lying[k].missed = Some(missed);
            break;
        }
    }

    /// A stone stands so far from the crossing that it may have been dropped rather than placed.
    pub(super) fn is_half_way(&self, p: Point) -> bool {
        let off = |e: &super::evidence::Evidence| {
            e.latest(p).flatten().is_some() && e.offset(p).distance() > HALF_WAY_PITCHES
        };
        self.evidence.as_ref().is_some_and(off)
    }

    /// So much has just changed that it may be a board that is being scattered.
    fn is_in_unrest(&self, diffs: &BTreeMap<Point, Diff>) -> bool {
        let fresh = |d: &&Diff| d.current && d.evidence >= SEEN_EVIDENCE && d.age_ms(self.now) < UNREST_MS;
        diffs.values().filter(fresh).count() >= UNREST
    }

    /// Stones that stand well off their crossing.
    pub(super) fn follow_offsets(&mut self) {
        if self.ledger.phase != Phase::Playing {
            return;
        }
        let Some(evidence) = &self.evidence else { return };
        let now = self.now;
        let Some(board) = self.ledger.board() else { return };
        let unrest = self.is_in_unrest(&evidence.diffs().into_iter().map(|d| (d.point, d)).collect());
        let mut told = Vec::new();
        let mut right = Vec::new();
        for p in board.points() {
            let open = self
                .ledger
                .open
                .iter()
                .find(|o| o.kind == EventKind::StoneOffPoint && self.off_points.get(&o.seq) == Some(&p))
                .map(|o| o.seq);
            let Some(color) = board.get(p) else {
                right.extend(open);
                continue;
            };
            if self.ledger.expected(p) != Some(color) || evidence.is_hidden(p) {
                continue;
            }
            let track = evidence.offset(p);
            let steady = track.frames >= 4 && now >= track.since_ms + OFF_POINT_MS;
            if unrest && now < track.since_ms + UNREST_MS {
                continue;
            }
            if !steady || evidence.hand_away_ms(now) < HAND_AWAY_MS {
                continue;
            }
            if let Some(seq) = open {
                if track.distance() < ON_POINT_PITCHES {
                    self.half_way_points.remove(&p);
                    right.push(seq);
                    self.accepted_offset.insert(p, track.mean);
                }
                continue;
            }
            let moved =
                self.accepted_offset.get(&p).is_none_or(|a| (a[0] - track.mean[0]).hypot(a[1] - track.mean[1]) > 0.15);
            if !moved {
                continue;
            }
            self.accepted_offset.insert(p, track.mean);
            if track.distance() > HALF_WAY_PITCHES {
                self.half_way_points.insert(p);
            }
            if track.distance() > OFF_POINT_PITCHES {
                told.push((p, color, track));
            }
        }
        for of in right {
            self.off_points.remove(&of);
            self.tell_repaired(of, Interval { first: now.saturating_sub(OFF_POINT_MS), last: now });
        }
        // where the board is scattered, stones off their points are no news
        if self.ledger.open.iter().any(|o| o.kind == EventKind::Scattered) {
            return;
        }
        for (p, color, track) in told {
            let at = Interval { first: track.since_ms.saturating_sub(100), last: track.since_ms };
            let sure = (0.5 + 4.0 * (track.distance() - OFF_POINT_PITCHES)).min(0.97);
            let e = self.fault(EventKind::StoneOffPoint, at, sure, Some(color), vec![p.into()], &[]);
            let seq = self.emit(e);
            self.off_points.insert(seq, p);
        }
    }

    /// Stones that lie on no crossing.
    pub(super) fn follow_loose(&mut self) {
        let Some(evidence) = &self.evidence else { return };
        let Some(game) = &self.ledger.game else { return };
        let now = self.now;
        let size = game.size();
        if evidence.hand_away_ms(now) < HAND_AWAY_MS && evidence.hand_stays_ms(now) < 2500 {
            return;
        }
        let settled: Vec<usize> = self
            .loose
            .stones
            .iter()
            .enumerate()
            .filter(|(_, t)| {
                let least_ms = if on_the_grid(t.row, t.col, size) { LOOSE_MS } else { SIGN_MS };
                !t.known && t.frames >= 3 && now >= t.first_ms + least_ms && now < t.last_ms + 150
            })
            .map(|(k, _)| k)
            .collect();
        for k in settled {
            let t = self.loose.stones[k].clone();
            let at = Interval { first: t.first_ms.saturating_sub(100), last: t.first_ms };
            let spot = t.spot();
            if on_the_grid(t.row, t.col, size) {
                self.tell_loose(k, t.color, spot, at);
            } else if let Some(side) = corner_of(t.row, t.col, size) {
                self.tell_signal(k, t.color, side, spot, at);
            }
        }
    }

    /// The stone that is gone from there lies right beside it, on no point: which of the loose ones it is. It is told of when it has settled.
    pub(super) fn lies_beside(&self, d: &Diff) -> Option<usize> {
        let game = self.ledger.game.as_ref()?;
        if d.is.is_some() || self.flushing || self.ledger.phase != Phase::Playing {
            return None;
        }
        let fresh = |t: &Loose| !t.known && self.now < t.last_ms + 150 && t.first_ms + BESIDE_MS >= d.last_old_ms;
        let near = |t: &Loose| (f64::from(d.point.row) - t.row).hypot(f64::from(d.point.col) - t.col) < BESIDE_PITCHES;
        let is_it = |t: &Loose| Some(t.color) == d.was && fresh(t) && near(t) && on_the_grid(t.row, t.col, game.size());
        self.loose.stones.iter().position(is_it)
    }

    /// The stones that were shoved between the points at about that time, and which of the loose ones each is.
    pub(super) fn shoved_beside(&self, at: Interval) -> Vec<(Diff, usize)> {
        let Some(evidence) = &self.evidence else { return Vec::new() };
        let then = at.first.saturating_sub(SAME_SHOVE_MS)..=at.last + SAME_SHOVE_MS;
        let of_then = evidence.diffs().into_iter().filter(|d| then.contains(&d.first_new_ms));
        let mut shoved: Vec<(Diff, usize)> = of_then.filter_map(|d| Some((d, self.lies_beside(&d)?))).collect();
        // one stone lies there, not two
        let mut taken = BTreeSet::new();
        shoved.retain(|(_, k)| taken.insert(*k));
        shoved
    }

    fn tell_loose(&mut self, k: usize, color: Color, spot: Spot, at: Interval) {
        if self.ledger.phase != Phase::Playing || self.ledger.open.iter().any(|o| o.kind == EventKind::Scattered) {
            return;
        }
        let Some(evidence) = &self.evidence else { return };
        let Some(game) = &self.ledger.game else { return };
        let diffs: BTreeMap<Point, Diff> = evidence.diffs().into_iter().map(|d| (d.point, d)).collect();
        // where more has just changed it may be one of many that were swept away together
        if self.is_in_unrest(&diffs) && self.now < at.last + UNREST_MS {
            return;
        }
        // the stone of the nearest point, put so far off it that it is seen on it now and beside it now
        let (row, col) = (spot.row.round(), spot.col.round());
        let nearest = Point::new(row.max(0.0) as u8, col.max(0.0) as u8);
        let on_board = nearest.row < game.size() && nearest.col < game.size();
        if on_board
            && self.ledger.expected(nearest) == Some(color)
            && evidence.latest(nearest) == Some(Some(color))
            && !diffs.contains_key(&nearest)
        {
            self.loose.stones[k].known = true;
            return;
        }
        // a settled stone that is missing right beside it was shoved here
        let mut near: Vec<(f64, Point)> = game
            .board()
            .points()
            .filter(|&p| self.ledger.expected(p) == Some(color))
            .filter(|p| evidence.is_astray(*p) || diffs.get(p).is_some_and(|d| d.is.is_none() && d.evidence > 6.0))
            .map(|p| ((f64::from(p.row) - spot.row).hypot(f64::from(p.col) - spot.col), p))
            .filter(|(d, _)| *d < BESIDE_PITCHES)
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.loose.stones[k].known = true;
        if let Some(&(_, from)) = near.first() {
            let e = self.fault(EventKind::DisplacedStone, at, 0.9, Some(color), vec![from.into(), spot], &[from]);
            let seq = self.emit(e);
            for o in self.ledger.open.iter_mut().filter(|o| o.seq == seq) {
                o.wrong.insert(from, Some(None));
            }
        } else {
            let e = self.fault(EventKind::DroppedStone, at, 0.9, Some(color), vec![spot], &[]);
            let seq = self.emit(e);
            self.loose.stones[k].seq = Some(seq);
        }
    }

    /// A stone outside the line at somebody's lower right.
    fn tell_signal(&mut self, k: usize, color: Color, side: super::Side, spot: Spot, at: Interval) {
        let Some(player) = self.seats.owner(side) else { return };
        if self.ledger.moves.len() < 2 || self.ledger.phase == Phase::Cleared {
            return;
        }
        if color == player.opponent() {
            self.loose.stones[k].known = true;
            if self.ledger.agreed[usize::from(player == Color::White)] {
                return;
            }
            let mut e = self.event(EventKind::EndAgreedSignal, at, 0.93);
            e.color = Some(player);
            e.points = vec![spot];
            e.move_number = Some(self.ledger.moves.len() as u32);
            if self.ledger.agreed[usize::from(player == Color::Black)] {
                e.text = self.with_final_count(&e);
            }
            self.emit(e);
            return;
        }
        // two of one's own stones there: resignation
        let size = self.ledger.game.as_ref().map_or(19, |g| g.size());
        let own: Vec<usize> = self
            .loose
            .stones
            .iter()
            .enumerate()
            .filter(|(_, t)| t.color == player && t.frames >= 3 && corner_of(t.row, t.col, size) == Some(side))
            .map(|(k, _)| k)
            .collect();
        if own.len() < 2 {
            return;
        }
        let mut e = self.event(EventKind::ResignSignal, at, 0.9);
        e.color = Some(player);
        e.points = own.iter().map(|&k| Spot { row: self.loose.stones[k].row, col: self.loose.stones[k].col }).collect();
        e.move_number = Some(self.ledger.moves.len() as u32);
        for k in own {
            self.loose.stones[k].known = true;
        }
        self.emit(e);
    }
}

/// Faults that are right again when their points are.
fn has_points(kind: EventKind) -> bool {
    !matches!(
        kind,
        EventKind::MissedCapture
            | EventKind::StoneOffPoint
            | EventKind::DroppedStone
            | EventKind::SeatOrder
            | EventKind::SectionOverrun
            | EventKind::PressBeforeMove
            | EventKind::PressBeforeCapturesCleared
            | EventKind::WrongClockPressed
            | EventKind::TimeOverrun
    )
}
