//! Where the players sit, from where their arms reach in.

use std::collections::VecDeque;

use crate::rules::{Color, Point};
use crate::vision::Sighting;

/// An edge of the board as the picture shows it: near is the last row, far is row 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Near,
    Far,
    Left,
    Right,
}

impl Side {
    pub const ALL: [Side; 4] = [Side::Near, Side::Far, Side::Left, Side::Right];

    /// The next seat clockwise, as the picture shows the table.
    pub fn clockwise(self) -> Side {
        match self {
            Side::Near => Side::Left,
            Side::Left => Side::Far,
            Side::Far => Side::Right,
            Side::Right => Side::Near,
        }
    }

    pub fn opposite(self) -> Side {
        match self {
            Side::Near => Side::Far,
            Side::Far => Side::Near,
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

/// Where the arm that made a move came from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Whence {
    /// The edge that it was clearly over.
    pub edge: Option<Side>,
    /// Every edge that something was over, in the order of [`Side::ALL`].
    over: [bool; 4],
}

impl Whence {
    pub fn over(&self, side: Side) -> bool {
        self.over[side as usize]
    }
}

/// A player's arm over the board, from its first frame to its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reach {
    color: Color,
    first_ms: u64,
    last_ms: u64,
}

/// So long ago an arm is still of interest, milliseconds.
const REMEMBERED_MS: u64 = 15_000;
/// Frames with an arm that are farther apart than this are two visits.
const SAME_REACH_MS: u64 = 400;
/// So many moves must have been made over an edge before it is somebody's, ...
const LEAST_VOTES: u32 = 3;
/// ... and one in so many of all his moves.
const LEAST_SHARE: u32 = 6;

/// ... and so many times as many as the opponent's.
const MORE_VOTES: u32 = 2;

/// Before any move Black is thought to sit so, in the order of [`Side::ALL`], moves.
const ALREADY_THOUGHT: [f64; 4] = [1.0, 0.0, 0.5, 0.0];
/// Arms that come in over a corner speak for two sides: so much must speak for one, as a share of what does for the best.
const SIDE_AGAINST_BEST: f64 = 0.6;

/// Counts which edge the hands come over before each colour's moves.
#[derive(Clone, Debug, Default)]
pub struct Seats {
    /// Hidden points on each edge in the frames with a hand, of late.
    frames: VecDeque<(u64, [u32; 4])>,
    votes: [[u32; 4]; 2],
    /// The same in parts: an arm that comes in over a corner is over two edges.
    shares: [[f64; 4]; 2],
    reaches: Vec<Reach>,
    last_frame_ms: Option<u64>,
    /// When frames last came so far apart that an arm can have been missed.
    missed_ms: Option<u64>,
}

/// Frames farther apart than this miss arms.
const SPARSE_MS: u64 = 260;

impl Seats {
    pub fn see(&mut self, s: &Sighting) {
        if self.last_frame_ms.is_some_and(|l| s.time_ms > l + SPARSE_MS) {
            self.missed_ms = Some(s.time_ms);
        }
        self.last_frame_ms = Some(s.time_ms);
        if !s.hand || s.size < 2 {
            return;
        }
        let last = s.size - 1;
        let mut now = [0; 4];
        for k in 0..s.size {
            let edge = [Point::new(last, k), Point::new(0, k), Point::new(k, 0), Point::new(k, last)];
            for (count, p) in now.iter_mut().zip(edge) {
                *count += u32::from(s.at(p).hidden > 0.5);
            }
        }
        while self.frames.front().is_some_and(|(t, _)| t + REMEMBERED_MS < s.time_ms) || self.frames.len() >= 1000 {
            self.frames.pop_front();
        }
        self.frames.push_back((s.time_ms, now));
        // an arm along the border hides points of that edge too: only the edges where somebody sits are compared
        let most = |color| -> Option<u32> {
            let edges = self.edges_of(color);
            edges.iter().zip(now).filter(|(mine, _)| **mine).map(|(_, n)| n).max()
        };
        if let (Some(black), Some(white)) = (most(Color::Black), most(Color::White)) {
            for (color, reaches) in [(Color::Black, black >= white), (Color::White, white >= black)] {
                if reaches && black + white > 0 {
                    self.reached(color, s.time_ms);
                }
            }
        }
    }

    fn reached(&mut self, color: Color, now: u64) {
        self.reaches.retain(|r| now < r.last_ms + REMEMBERED_MS);
        match self.reaches.iter_mut().rev().find(|r| r.color == color && now <= r.last_ms + SAME_REACH_MS) {
            Some(r) => r.last_ms = r.last_ms.max(now),
            None => self.reaches.push(Reach { color, first_ms: now, last_ms: now }),
        }
    }

    /// The edges that belong to a colour by now; none before enough moves were seen, and none that both use.
    fn edges_of(&self, color: Color) -> [bool; 4] {
        let (mine, others) = (self.votes[color as usize], self.votes[color.opponent() as usize]);
        let all: u32 = mine.iter().sum();
        std::array::from_fn(|k| {
            mine[k] >= LEAST_VOTES && mine[k] * LEAST_SHARE >= all && mine[k] >= MORE_VOTES * others[k]
        })
    }

    /// Whether it is known who sits where, and no arm since `from_ms` can have been missed.
    fn knows(&self, from_ms: u64) -> bool {
        self.missed_ms.is_none_or(|m| m < from_ms)
            && [Color::Black, Color::White].iter().all(|c| self.edges_of(*c) != [false; 4])
    }

    /// Did an arm of `color` reach over the board between the two times? `None` where that is not known.
    pub fn reached_in(&self, color: Color, from_ms: u64, to_ms: u64) -> Option<bool> {
        let there = |r: &Reach| r.color == color && r.last_ms >= from_ms && r.first_ms <= to_ms;
        self.knows(from_ms).then(|| self.reaches.iter().any(there))
    }

    /// The first time from `from_ms` on at which an arm of `color` was over the board, `None` if there was none yet;
    /// the outer `None` where that is not known.
    pub fn next_reach(&self, color: Color, from_ms: u64) -> Option<Option<u64>> {
        let of = self.reaches.iter().filter(|r| r.color == color && r.last_ms >= from_ms);
        self.knows(from_ms).then(|| of.map(|r| r.first_ms.max(from_ms)).min())
    }

    /// A move of `color` was made between the two times: by the arm that was over the board then. Returns whence it came.
    pub fn moved(&mut self, color: Color, from_ms: u64, to_ms: u64) -> Whence {
        let mut sums = [0; 4];
        for (_, edges) in self.frames.iter().filter(|(t, _)| (from_ms..=to_ms).contains(t)) {
            for (sum, n) in sums.iter_mut().zip(edges) {
                *sum += n;
            }
        }
        let all: u32 = sums.iter().sum();
        if all > 0 {
            for (share, n) in self.shares[color as usize].iter_mut().zip(sums) {
                *share += f64::from(n) / f64::from(all);
            }
        }
        let widest = widest(sums);
        if let Some(k) = widest {
            self.votes[color as usize][k] += 1;
        }
        Whence { edge: widest.and_then(|k| Side::ALL.get(k).copied()), over: sums.map(|n| n > 0) }
    }

    /// Whose seat a side is: what the arms say, else Black sits near. `None` for a side where nobody sits.
    pub fn owner(&self, side: Side) -> Option<Color> {
        // Black at the side and White opposite
        let faced = |s: Side| {
            let (black, white) = (self.shares[0][s as usize], self.shares[1][s.opposite() as usize]);
            black + white + ALREADY_THOUGHT[s as usize]
        };
        let best = Side::ALL.into_iter().map(faced).fold(0.0, f64::max);
        let (black, white) = (faced(side), faced(side.opposite()));
        (black.max(white) >= SIDE_AGAINST_BEST * best).then_some(if black >= white {
            Color::Black
        } else {
            Color::White
        })
    }
}

/// The edge with clearly the most hidden points, if there is one.
fn widest(edges: [u32; 4]) -> Option<usize> {
    let most = edges.into_iter().max().filter(|&m| m > 0)?;
    let mut all = edges.into_iter().enumerate().filter(|(_, n)| 3 * n > 2 * most).map(|(k, _)| k);
    all.next().filter(|_| all.next().is_none())
}
