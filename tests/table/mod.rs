//! A simulated table: stones on a text board, hands that hide points, misreadings; every frame becomes a sighting.
#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};

use goband::game::{Event, EventKind};
use goband::referee::{Press, Referee, RefereeOptions};
use std::sync::Arc;

use goband::rules::{Board, Color, History, Point, Ruleset};
use goband::vision::{LooseStone, PointReading, Sighting};

pub fn p(row: u8, col: u8) -> Point {
    Point::new(row, col)
}

/// A small reproducible random generator (xorshift), so that a seed says everything.
#[derive(Clone)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 33) as usize) % n.max(1)
    }

    pub fn chance(&mut self, p: f64) -> bool {
        ((self.next() >> 11) as f64 / (1u64 << 53) as f64) < p
    }
}

/// The Chinese rules of today, with everything as usual.
pub fn options() -> RefereeOptions {
    RefereeOptions::new(Arc::new(Ruleset::builtin("cwa").expect("it is built in")))
}

pub struct Table {
    pub referee: Referee,
    pub events: Vec<Event>,
    pub frame_ms: u64,
    board: Board,
    time: u64,
    frame: u64,
    hidden: BTreeSet<Point>,
    hand: bool,
    offsets: BTreeMap<Point, [f32; 2]>,
    loose: Vec<LooseStone>,
    misreads: BTreeMap<Point, Option<Color>>,
    doubts: BTreeMap<Point, (Option<Color>, f32)>,
    noise: Option<(Rng, f64)>,
    /// What the referee took for each frame, microseconds of processor time.
    pub took_us: Vec<u32>,
    /// The same for frames with at least [`MANY`] explanations to be weighed.
    pub torn_us: Vec<u32>,
}

/// Processor time of this thread: other programs on the machine do not change it.
fn processor_us() -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live timespec, which the call fills.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut t) };
    assert_eq!(failed, 0, "this system counts processor time");
    t.tv_sec as u64 * 1_000_000 + t.tv_nsec as u64 / 1000
}

/// A full set of explanations.
pub const MANY: usize = 8;

impl Table {
    pub fn with(options: RefereeOptions, size: u8) -> Table {
        Table {
            referee: Referee::new(options),
            events: Vec::new(),
            frame_ms: 100,
            board: Board::new(size),
            time: 0,
            frame: 0,
            hidden: BTreeSet::new(),
            hand: false,
            offsets: BTreeMap::new(),
            loose: Vec::new(),
            misreads: BTreeMap::new(),
            doubts: BTreeMap::new(),
            noise: None,
            took_us: Vec::new(),
            torn_us: Vec::new(),
        }
    }

    /// An empty board that has been looked at.
    pub fn empty(size: u8) -> Table {
        let mut t = Table::with(options(), size);
        t.rest(1200);
        t
    }

    /// Stones that lie there, not yet looked at.
    pub fn of(rows: &[&str]) -> Table {
        let board = Board::from_rows(rows).expect("a board");
        let mut t = Table::with(options(), board.size());
        t.board = board;
        t
    }

    /// A game under way, given as a start.
    pub fn of_game(size: u8, moves: &[(Color, u8, u8)]) -> Table {
        let mut game = History::new(Board::new(size), Color::Black);
        for &(color, row, col) in moves {
            if game.turn() != color {
                game.set_turn(color);
            }
            game.play(color, Some(p(row, col)));
        }
        let board = game.board().clone();
        let mut t = Table::with(RefereeOptions { start: Some(game), ..options() }, size);
        t.board = board;
        t.rest(1000);
        t
    }

    /// A short game of which both players have said that it is over.
    pub fn over() -> Table {
        use Color::{Black, White};
        let mut t = Table::of_game(
            9,
            &[(Black, 2, 2), (White, 2, 6), (Black, 6, 2), (White, 6, 6), (Black, 4, 4), (White, 4, 2)],
        );
        t.loose(8.5, 7.5, White);
        t.rest(1500);
        t.loose(-0.6, 0.5, Black);
        t.rest(1500);
        t.no_loose();
        t
    }

    /// Time begins here, as it does for a referee that was started again.
    pub fn begin_at(&mut self, ms: u64) {
        self.time = ms;
    }

    pub fn now(&self) -> u64 {
        self.time
    }

    pub fn board(&self) -> &Board {
        &self.board
    }

    pub fn get(&self, at: Point) -> Option<Color> {
        self.board.get(at)
    }

    pub fn set(&mut self, at: Point, cell: Option<Color>) {
        self.board.set(at, cell);
    }

    pub fn lay(&mut self, board: &Board) {
        self.board = board.clone();
    }

    pub fn hand(&mut self, on: bool) {
        self.hand = on;
    }

    pub fn hide(&mut self, points: &[Point]) {
        self.hidden = points.iter().copied().collect();
    }

    pub fn hide_all(&mut self) {
        self.hidden = self.board.points().collect();
    }

    pub fn offset(&mut self, at: Point, offset: [f32; 2]) {
        self.offsets.insert(at, offset);
    }

    pub fn loose(&mut self, row: f32, col: f32, color: Color) {
        self.loose.push(LooseStone { row, col, color, confidence: 0.95 });
    }

    pub fn no_loose(&mut self) {
        self.loose.clear();
    }

    pub fn misread(&mut self, at: Point, cell: Option<Color>) {
        self.misreads.insert(at, cell);
    }

    /// What lies there is read with so much doubt, in favour of `instead`.
    pub fn doubt(&mut self, at: Point, instead: Option<Color>, share: f32) {
        self.doubts.insert(at, (instead, share));
    }

    pub fn no_misreads(&mut self) {
        self.misreads.clear();
    }

    /// Every reading is wrong with this probability.
    pub fn noise(&mut self, seed: u64, probability: f64) {
        self.noise = Some((Rng::new(seed), probability));
    }

    /// What the camera sees now.
    pub fn sighting(&mut self) -> Sighting {
        let size = self.board.size();
        let mut points = Vec::new();
        for at in self.board.points() {
            if self.hidden.contains(&at) {
                points.push(PointReading::HIDDEN);
                continue;
            }
            let mut cell = self.misreads.get(&at).copied().unwrap_or(self.board.get(at));
            if let Some((rng, probability)) = &mut self.noise
                && rng.chance(*probability)
            {
                let others = [None, Some(Color::Black), Some(Color::White)];
                let others: Vec<_> = others.into_iter().filter(|c| *c != cell).collect();
                cell = others[rng.below(2)];
            }
            let mut r = reading(cell);
            if let Some(&(instead, share)) = self.doubts.get(&at) {
                let other = reading(instead);
                let mix = |a: f32, b: f32| (1.0 - share) * a + share * b;
                r.empty = mix(r.empty, other.empty);
                r.black = mix(r.black, other.black);
                r.white = mix(r.white, other.white);
            }
            if cell.is_some() {
                r.offset = self.offsets.get(&at).copied().unwrap_or([0.0; 2]);
            }
            points.push(r);
        }
        Sighting {
            frame: self.frame,
            time_ms: self.time,
            size,
            points,
            hand: self.hand,
            motion: self.hand,
            loose: self.loose.clone(),
            scene: Vec::new(),
        }
    }

    /// Lets `n` frames pass.
    pub fn frames(&mut self, n: u64) {
        for _ in 0..n {
            let s = self.sighting();
            let begun_us = processor_us();
            self.events.extend(self.referee.sight(&s));
            let took_us = (processor_us() - begun_us).min(1 << 30) as u32;
            self.took_us.push(took_us);
            if self.referee.explanations() >= MANY {
                self.torn_us.push(took_us);
            }
            self.time += self.frame_ms;
            self.frame += 1;
        }
    }

    /// A frame in which the board is not found.
    pub fn no_board(&mut self) {
        let nothing = Sighting { size: 0, points: Vec::new(), ..self.sighting() };
        self.events.extend(self.referee.sight(&nothing));
        self.time += self.frame_ms;
        self.frame += 1;
    }

    /// Lets time pass with nothing happening.
    pub fn rest(&mut self, ms: u64) {
        self.frames(ms.div_ceil(self.frame_ms));
    }

    /// A hand comes over the board around `at`, does something, and goes.
    pub fn under_hand_at(&mut self, at: Point, act: impl FnOnce(&mut Table)) {
        let before = self.hidden.clone();
        self.hand = true;
        let near = |radius: i32, t: &Table| -> Vec<Point> {
            t.board
                .points()
                .filter(|q| {
                    let d = (i32::from(q.row) - i32::from(at.row), i32::from(q.col) - i32::from(at.col));
                    // a hand at the point and an arm that comes from the near side
                    (d.0.abs() <= radius && d.1.abs() <= radius) || (d.0 > 0 && d.1.abs() <= 1)
                })
                .collect()
        };
        let hidden = near(1, self);
        self.hide(&hidden);
        self.frames(2);
        act(self);
        self.frames(2);
        self.hidden = before;
        self.hand = false;
    }

    /// A hand and arm over the whole board, so that nothing is seen of what happens.
    pub fn under_hand(&mut self, act: impl FnOnce(&mut Table)) {
        self.hand = true;
        self.hide_all();
        self.frames(2);
        act(self);
        self.frames(2);
        self.hidden.clear();
        self.hand = false;
    }

    /// Puts a stone; the hand leaves with the last frame of this.
    pub fn play(&mut self, color: Color, at: Point) {
        self.under_hand_at(at, |t| t.set(at, Some(color)));
    }

    /// Takes a stone off.
    pub fn lift(&mut self, at: Point) {
        self.under_hand_at(at, |t| t.set(at, None));
    }

    /// Puts a stone and takes others off with the same hand.
    pub fn capture(&mut self, color: Color, at: Point, off: &[Point]) {
        self.under_hand(|t| {
            t.set(at, Some(color));
            t.frames(3);
            for &q in off {
                t.set(q, None);
                t.frames(1);
            }
        });
    }

    pub fn move_stone(&mut self, from: Point, to: Point) {
        self.under_hand(|t| {
            let c = t.get(from);
            t.set(from, None);
            t.frames(4);
            t.set(to, c);
        });
    }

    pub fn press(&mut self, press: Press) {
        self.events.extend(self.referee.press(press));
    }

    pub fn finish(&mut self) {
        self.events.extend(self.referee.finish(self.time));
    }

    pub fn of_kind(&self, kind: EventKind) -> Vec<&Event> {
        self.events.iter().filter(|e| e.kind == kind).collect()
    }
}

/// A good but not certain reading of `cell`.
fn reading(cell: Option<Color>) -> PointReading {
    let sure = PointReading::sure(cell);
    let soft = |x: f32| 0.01 + 0.97 * x;
    PointReading { empty: soft(sure.empty), black: soft(sure.black), white: soft(sure.white), ..sure }
}
