//! Whole random games on simulated sightings: arms, misreadings, late captures, fast pairs, incidents.
//!
//! `GOBAND_STRESS_GAMES=1000 cargo test --test referee_stress -- --nocapture` plays more games than the default and
//! prints the figures that `docs/referee.md` quotes; `GOBAND_STRESS_MISREAD=0.02` sets the share of wrong readings,
//! `GOBAND_STRESS_SEED=7` the first seed, `GOBAND_STRESS_HARD=1` makes the hall a bad one: patches misread for some frames,
//! the whole board out of view for seconds while the game goes on, stones straightened.

mod table;

use std::collections::BTreeSet;

use goband::game::{Event, EventKind};
use goband::rules::{Color, History, Point};
use goband::vision::{PointReading, Sighting};
use proptest::prelude::*;
use table::{MANY, Rng, Table, options};

/// What was done, to be compared with what was told.
#[derive(Default)]
struct Truth {
    moves: Vec<(Color, Point)>,
    incidents: Vec<(EventKind, Vec<Point>, u64)>,
}

struct Game {
    t: Table,
    rng: Rng,
    history: History,
    /// 0: a calm hall, 1: a bad one.
    hard: f64,
    truth: Truth,
    /// When the hand of each move left, for the delays.
    left: Vec<u64>,
}

#[derive(Default)]
struct Figures {
    games: usize,
    moves: usize,
    moves_right: usize,
    incidents: usize,
    incidents_right: usize,
    false_alarms: usize,
    corrections: usize,
    boards_wrong: usize,
    delays: Vec<u64>,
    incident_delays: Vec<u64>,
    frames: u64,
    took_us: Vec<u64>,
    torn_us: Vec<u64>,
    wrong_games: Vec<String>,
}

impl Game {
    fn new(seed: u64, size: u8, misread: f64, frame_ms: u64) -> Game {
        let mut t = Table::with(options(), size);
        t.frame_ms = frame_ms;
        t.noise(seed ^ 0xABCD, misread);
        t.rest(1500);
        Game {
            t,
            rng: Rng::new(seed),
            history: History::new(goband::rules::Board::new(size), Color::Black),
            hard: number("GOBAND_STRESS_HARD", 0.0),
            truth: Truth::default(),
            left: Vec::new(),
        }
    }

    fn size(&self) -> u8 {
        self.history.size()
    }

    /// A hand at `at` with an arm that comes from the side of `color`.
    fn cover(&mut self, color: Color, at: Point) {
        let near = color == Color::Black;
        let points: Vec<Point> = self
            .history
            .board()
            .points()
            .filter(|q| {
                let (dr, dc) = (i32::from(q.row) - i32::from(at.row), i32::from(q.col) - i32::from(at.col));
                let behind = if near { dr } else { -dr };
                (dr.abs() <= 1 && dc.abs() <= 1) || (behind > 0 && dc.abs() <= 1 + behind / 4)
            })
            .collect();
        self.t.hand(true);
        self.t.hide(&points);
    }

    fn uncover(&mut self) {
        self.t.hide(&[]);
        self.t.hand(false);
    }

    fn some_frames(&mut self, least: usize, most: usize) {
        let n = least + self.rng.below(most - least + 1);
        // the same times at any frame rate
        self.t.rest(100 * n as u64);
    }

    /// A legal point for `color`, near what was played last, that fills no own eye.
    fn choose(&mut self, color: Color) -> Option<Point> {
        let board = self.history.board().clone();
        let last = self.history.moves().last().and_then(|m| m.point);
        let mut best: Option<(usize, Point)> = None;
        for _ in 0..24 {
            let p = Point::new(self.rng.below(self.size() as usize) as u8, self.rng.below(self.size() as usize) as u8);
            if board.get(p).is_some() {
                continue;
            }
            let own_eye = board.neighbors(p).all(|n| board.get(n) == Some(color));
            let class = self.history.classify(color, Some(p));
            if own_eye || !class.is_legal_but_turn() {
                continue;
            }
            let far = last.map_or(0, |l| usize::from(l.row.abs_diff(p.row)) + usize::from(l.col.abs_diff(p.col)));
            // captures are likelier than in blind play, so that there is something to lift
            let score = (far + self.rng.below(6)).saturating_sub(6 * class.captured.len());
            if best.is_none_or(|(s, _)| score < s) {
                best = Some((score, p));
            }
        }
        best.map(|b| b.1)
    }

    fn empty_point(&mut self, ok: impl Fn(&History, Point) -> bool) -> Option<Point> {
        for _ in 0..40 {
            let p = Point::new(self.rng.below(self.size() as usize) as u8, self.rng.below(self.size() as usize) as u8);
            if self.t.get(p).is_none() && ok(&self.history, p) {
                return Some(p);
            }
        }
        None
    }

    fn incident(&mut self, kind: EventKind, points: Vec<Point>) {
        let now = self.t.now();
        self.truth.incidents.push((kind, points, now));
    }

    /// One move with whatever goes with it. False when there is none.
    fn turn(&mut self, incidents: f64) -> bool {
        let color = self.history.turn();
        let special = self.rng.chance(incidents);
        if special && self.forbidden(color) {
            return true;
        }
        let Some(at) = self.choose(color) else { return false };
        let class = self.history.classify(color, Some(at));
        if !class.is_legal() {
            return false;
        }
        let fast = self.rng.chance(0.15);
        if self.hard > 0.0 {
            self.hardship();
        }
        self.cover(color, at);
        self.some_frames(1, 3);
        self.t.set(at, Some(color));
        self.some_frames(1, 4);
        let mut later: Vec<Point> = class.captured.clone();
        let mut missed = false;
        if !later.is_empty() {
            match self.rng.below(10) {
                0..=5 => {
                    // lifted by the same hand
                    for q in std::mem::take(&mut later) {
                        self.cover(color, q);
                        self.t.set(q, None);
                        self.some_frames(1, 2);
                    }
                }
                6..=8 => {}
                _ => missed = true,
            }
        }
        let mut drag = None;
        if special && class.captured.is_empty() && self.rng.chance(0.4) {
            drag = self.drag(color, at);
        }
        self.history.play(color, Some(at));
        self.truth.moves.push((color, at));
        self.uncover();
        self.left.push(self.t.now());
        if let Some((from, to)) = drag {
            self.incident(EventKind::DisplacedStone, vec![from, to]);
            self.some_frames(15, 30);
            let stone = self.t.get(to);
            self.cover(color, from);
            self.some_frames(1, 3);
            self.t.set(to, None);
            self.t.set(from, stone);
            self.some_frames(1, 3);
            self.uncover();
            self.some_frames(8, 20);
            return true;
        }
        if missed {
            self.incident(EventKind::MissedCapture, later.clone());
            self.some_frames(40, 60);
        } else if !later.is_empty() {
            self.some_frames(3, 12);
        }
        for q in later {
            let by = if self.rng.chance(0.7) { color } else { color.opponent() };
            self.cover(by, q);
            self.some_frames(1, 2);
            self.t.set(q, None);
            self.some_frames(1, 2);
            self.uncover();
            self.some_frames(1, 8);
        }
        if special && drag.is_none() {
            self.some_frames(10, 25);
            self.after_move(color, at);
        } else if fast {
            // the opponent's arm is over the board at once
            self.t.frames(self.rng.below(2) as u64);
        } else {
            self.some_frames(4, 40);
        }
        if self.rng.chance(0.1) {
            self.hover();
        }
        true
    }

    /// A settled stone near the arm goes one point aside.
    fn drag(&mut self, color: Color, at: Point) -> Option<(Point, Point)> {
        let board = self.history.board().clone();
        for _ in 0..30 {
            let from =
                Point::new(self.rng.below(self.size() as usize) as u8, self.rng.below(self.size() as usize) as u8);
            if from == at || board.get(from).is_none() {
                continue;
            }
            let last = self.history.moves().last().and_then(|m| m.point);
            if Some(from) == last {
                continue;
            }
            let to: Vec<Point> = board.neighbors(from).filter(|&q| self.t.get(q).is_none() && q != at).collect();
            if to.is_empty() {
                continue;
            }
            let to = to[self.rng.below(to.len())];
            self.cover(color, from);
            self.t.frames(1);
            let stone = self.t.get(from);
            self.t.set(from, None);
            self.t.set(to, stone);
            self.t.frames(1);
            return Some((from, to));
        }
        None
    }

    /// Something forbidden instead of a move: a ko retaken, a suicide. False where there is nothing to do.
    fn forbidden(&mut self, color: Color) -> bool {
        let found = self.history.board().points().find_map(|p| {
            if self.history.board().get(p).is_some() {
                return None;
            }
            let class = self.history.classify(color, Some(p));
            let kind = if class.is(goband::rules::Class::Ko) {
                EventKind::KoViolation
            } else if class.is(goband::rules::Class::Suicide) {
                EventKind::Suicide
            } else {
                return None;
            };
            Some((p, kind, class.captured))
        });
        let Some((p, kind, captured)) = found else { return false };
        if self.rng.chance(0.5) {
            return false;
        }
        self.cover(color, p);
        self.some_frames(1, 3);
        self.t.set(p, Some(color));
        self.some_frames(1, 3);
        for &q in &captured {
            self.t.set(q, None);
        }
        self.some_frames(1, 2);
        self.uncover();
        let mut points = vec![p];
        points.extend(&captured);
        self.incident(kind, points);
        self.some_frames(15, 30);
        self.cover(color, p);
        self.some_frames(1, 3);
        self.t.set(p, None);
        for &q in &captured {
            self.t.set(q, Some(color.opponent()));
        }
        self.some_frames(1, 3);
        self.uncover();
        self.some_frames(8, 20);
        true
    }

    /// A double move, a takeback, or stones wrongly taken, after the move at `at`.
    fn after_move(&mut self, color: Color, at: Point) {
        match self.rng.below(3) {
            0 => {
                let Some(q) = self.empty_point(|h, q| {
                    let c = h.classify(color, Some(q));
                    c.captured.is_empty() && c.is_legal_but_turn()
                }) else {
                    return;
                };
                self.cover(color, q);
                self.some_frames(1, 3);
                self.t.set(q, Some(color));
                self.some_frames(1, 3);
                self.uncover();
                self.incident(EventKind::DoubleMove, vec![q]);
                self.some_frames(15, 40);
                self.cover(color, q);
                self.some_frames(1, 3);
                self.t.set(q, None);
                self.some_frames(1, 3);
                self.uncover();
            }
            1 => {
                let captured = !self.history.moves().last().is_none_or(|m| m.captured.is_empty());
                let mut before = self.history.clone();
                before.undo();
                let Some(q) = self.empty_point(|_, q| {
                    let c = before.classify(color, Some(q));
                    c.captured.is_empty() && c.is_legal() && q != at
                }) else {
                    return;
                };
                if captured {
                    return;
                }
                self.cover(color, at);
                self.some_frames(1, 3);
                self.t.set(at, None);
                self.some_frames(2, 8);
                self.cover(color, q);
                self.some_frames(1, 2);
                self.t.set(q, Some(color));
                self.some_frames(1, 3);
                self.uncover();
                self.incident(EventKind::Takeback, vec![at, q]);
                self.history = before;
                self.history.play(color, Some(q));
                if let Some(last) = self.truth.moves.last_mut() {
                    *last = (color, q);
                }
            }
            _ => {
                let board = self.history.board().clone();
                let Some(q) = board.points().find(|&q| board.get(q) == Some(color.opponent()) && self.rng.chance(0.2))
                else {
                    return;
                };
                self.cover(color, q);
                self.some_frames(1, 3);
                self.t.set(q, None);
                self.some_frames(1, 3);
                self.uncover();
                self.incident(EventKind::WrongRemoval, vec![q]);
                self.some_frames(20, 40);
                self.cover(color, q);
                self.some_frames(1, 3);
                self.t.set(q, Some(color.opponent()));
                self.some_frames(1, 3);
                self.uncover();
            }
        }
        self.some_frames(10, 25);
    }

    /// What a bad hall brings between two moves.
    fn hardship(&mut self) {
        let n = self.size();
        let anywhere = |rng: &mut Rng| Point::new(rng.below(n.into()) as u8, rng.below(n.into()) as u8);
        if self.rng.chance(0.06 * self.hard) {
            // a patch is misread for some frames, with nobody near
            let at = anywhere(&mut self.rng);
            let as_what = [None, Some(Color::Black), Some(Color::White)][self.rng.below(3)];
            for q in self.history.board().points() {
                if q.row.abs_diff(at.row) <= 1 && q.col.abs_diff(at.col) <= 1 {
                    self.t.misread(q, as_what);
                }
            }
            let frames = 1 + self.rng.below(3) as u64;
            self.t.rest(100 * frames);
            self.t.no_misreads();
            self.some_frames(1, 10);
        }
        if self.rng.chance(0.04 * self.hard) {
            // somebody bends over the board
            self.t.hand(true);
            self.t.hide_all();
            self.some_frames(5, 40);
            self.uncover();
            self.some_frames(0, 6);
        }
        if self.rng.chance(0.05 * self.hard) {
            // a stone is straightened: under the finger, up for a moment, down again
            let at = anywhere(&mut self.rng);
            let stone = self.t.get(at);
            let color = if self.rng.chance(0.5) { Color::Black } else { Color::White };
            if stone.is_some() && self.history.moves().last().is_none_or(|m| m.point != Some(at)) {
                self.cover(color, at);
                self.some_frames(2, 6);
                self.uncover();
                self.some_frames(3, 12);
            }
        }
    }

    /// A hand that does nothing.
    fn hover(&mut self) {
        let n = self.size() as usize;
        for _ in 0..1 + self.rng.below(4) {
            let at = Point::new(self.rng.below(n) as u8, self.rng.below(n) as u8);
            let color = if self.rng.chance(0.5) { Color::Black } else { Color::White };
            self.cover(color, at);
            self.some_frames(1, 4);
        }
        self.uncover();
        self.some_frames(2, 10);
    }
}

fn points_of(e: &Event) -> BTreeSet<Point> {
    e.points.iter().filter_map(|s| s.point()).collect()
}

fn play(seed: u64, size: u8, length: usize, incidents: f64, misread: f64, frame_ms: u64, figures: &mut Figures) {
    let mut game = Game::new(seed, size, misread, frame_ms);
    for _ in 0..length {
        if !game.turn(incidents) {
            break;
        }
    }
    game.t.rest(4000);
    game.t.finish();
    let events = &game.t.events;
    if std::env::var("GOBAND_STRESS_TRACE").is_ok() {
        for e in events {
            println!(
                "{} {} {} {:?} {:?} {:?} of {:?} at {:?}",
                e.reported_ms,
                e.seq,
                e.kind.name(),
                e.color,
                e.point,
                points_of(e),
                e.of,
                e.at_ms
            );
        }
        println!("truth {:?}", game.truth.incidents);
        for (n, ((color, at), left)) in game.truth.moves.iter().zip(&game.left).enumerate() {
            println!("{left} truth move {n} {color:?} {at:?}");
        }
    }
    let mut wrong = Vec::new();
    // the record is what the events fold to
    let state = goband::game::GameState::fold(events);
    let record: Vec<(Color, Point)> = state.moves().iter().filter_map(|m| Some((m.color, m.point?))).collect();
    let right = lcs(&record, &game.truth.moves);
    figures.moves_right += right;
    figures.moves += game.truth.moves.len();
    if right != game.truth.moves.len() || record.len() != right {
        let at = record.iter().zip(&game.truth.moves).position(|(a, b)| a != b);
        wrong.push(format!(
            "record differs from move {at:?} (0-based) on: {} against {}",
            record.len(),
            game.truth.moves.len()
        ));
        if let Some(k) = at {
            wrong.push(format!(
                "  {:?} against {:?}",
                &record[k..(k + 4).min(record.len())],
                &game.truth.moves[k..(k + 4).min(game.truth.moves.len())]
            ));
        }
    }
    let mut told: Vec<&Event> =
        events.iter().filter(|e| e.kind.is_infraction() || e.kind == EventKind::Unexplained).collect();
    for (kind, points, ms) in &game.truth.incidents {
        figures.incidents += 1;
        let points: BTreeSet<Point> = points.iter().copied().collect();
        let when = ms.saturating_sub(3000)..ms + 9000;
        match told.iter().position(|e| e.kind == *kind && points_of(e) == points && when.contains(&e.reported_ms)) {
            Some(k) => {
                figures.incidents_right += 1;
                figures.incident_delays.push(told[k].reported_ms.saturating_sub(*ms));
                told.remove(k);
            }
            None => wrong.push(format!("{ms}: {} {points:?} not told", kind.name())),
        }
    }
    figures.false_alarms += told.len();
    for e in told {
        wrong.push(format!("{}: false {} {:?}", e.reported_ms, e.kind.name(), points_of(e)));
    }
    figures.corrections += events.iter().filter(|e| e.kind == EventKind::Corrected).count();
    if game.t.referee.history().map(|h| h.board()) != Some(game.history.board()) {
        figures.boards_wrong += 1;
        wrong.push("the final board is wrong".into());
    }
    let mut n = 0;
    for e in events.iter().filter(|e| e.kind == EventKind::Move) {
        if let (Some(point), Some(color)) = (e.point, e.color)
            && let Some(k) = (n..game.truth.moves.len()).find(|&k| game.truth.moves[k] == (color, point))
        {
            figures.delays.push(e.reported_ms.saturating_sub(game.left[k]));
            n = k + 1;
        }
    }
    figures.games += 1;
    figures.frames += game.t.now() / frame_ms;
    figures.took_us.extend(game.t.took_us.iter().map(|&us| u64::from(us)));
    figures.torn_us.extend(game.t.torn_us.iter().map(|&us| u64::from(us)));
    if !wrong.is_empty() {
        figures.wrong_games.push(format!("seed {seed} size {size}:\n    {}", wrong.join("\n    ")));
    }
}

/// Length of the longest common subsequence: moves that are right and in order.
fn lcs(a: &[(Color, Point)], b: &[(Color, Point)]) -> usize {
    let mut row = vec![0usize; b.len() + 1];
    for x in a {
        let mut before = 0;
        for (k, y) in b.iter().enumerate() {
            let old = row[k + 1];
            row[k + 1] = if x == y { before + 1 } else { old.max(row[k]) };
            before = old;
        }
    }
    row[b.len()]
}

fn median(values: &mut [u64], share: f64) -> u64 {
    values.sort_unstable();
    values.get(((values.len() as f64 - 1.0) * share).max(0.0) as usize).copied().unwrap_or(0)
}

fn number(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

#[test]
fn random_games_with_incidents() {
    let games = number("GOBAND_STRESS_GAMES", 24.0) as u64;
    let misread = number("GOBAND_STRESS_MISREAD", 0.01);
    let first = number("GOBAND_STRESS_SEED", 1.0) as u64;
    let mut figures = Figures::default();
    for seed in first..first + games {
        let (size, length) = match seed % 4 {
            0 | 1 => (9, 50),
            2 => (13, 90),
            _ => (19, 120),
        };
        play(seed, size, length, 0.06, misread, if seed % 5 == 4 { 33 } else { 100 }, &mut figures);
    }
    println!(
        "{} games, {} frames, misread {misread}: moves {}/{} right, incidents {}/{} right, {} false alarms, {} corrections, {} wrong final boards",
        figures.games,
        figures.frames,
        figures.moves_right,
        figures.moves,
        figures.incidents_right,
        figures.incidents,
        figures.false_alarms,
        figures.corrections,
        figures.boards_wrong
    );
    println!(
        "delay of a move after the hand left: median {} ms, 95 % {} ms, longest {} ms; of an incident: median {} ms, 95 % {} ms",
        median(&mut figures.delays, 0.5),
        median(&mut figures.delays, 0.95),
        median(&mut figures.delays, 1.0),
        median(&mut figures.incident_delays, 0.5),
        median(&mut figures.incident_delays, 0.95)
    );
    println!(
        "a frame takes the referee: median {} µs, 99 % {} µs, longest {} µs",
        median(&mut figures.took_us, 0.5),
        median(&mut figures.took_us, 0.99),
        median(&mut figures.took_us, 1.0)
    );
    println!(
        "a frame with {MANY} explanations or more to be weighed ({} of them): median {} µs, 99 % {} µs, longest {} µs",
        figures.torn_us.len(),
        median(&mut figures.torn_us, 0.5),
        median(&mut figures.torn_us, 0.99),
        median(&mut figures.torn_us, 1.0)
    );
    assert!(!figures.torn_us.is_empty(), "no frame was ambiguous enough to cost anything");
    for w in &figures.wrong_games {
        println!("{w}");
    }
    let share = |right: usize, all: usize| right as f64 / all.max(1) as f64;
    if misread <= 0.01 {
        assert!(share(figures.moves_right, figures.moves) >= 0.999);
        assert!(share(figures.incidents_right, figures.incidents) >= 0.98);
        // less than one in 50 games; of few games one may be unlucky
        assert!(figures.false_alarms * 50 <= figures.games.max(50), "{} false alarms", figures.false_alarms);
        assert_eq!(figures.boards_wrong, 0, "wrong final boards");
    }
}

/// Resident memory of this process, KiB; `None` where the system does not say.
fn resident_kib() -> Option<u64> {
    let pages: u64 = std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4)
}

/// Eight hours of one game: moves now and then, hands, misreadings; no false alarm, no lost move, no growing memory.
#[test]
fn a_whole_day_at_one_board() {
    let mut game = Game::new(77, 9, 0.005, 100);
    let mut moves = 0;
    let mut early = None;
    while game.t.now() < 8 * 3600 * 1000 {
        if moves < 40 && game.t.now() > moves * 700_000 && game.turn(0.0) {
            moves += 1;
        }
        game.hover();
        game.t.rest(30_000);
        if early.is_none() && game.t.now() > 3600 * 1000 {
            early = resident_kib();
        }
        game.t.took_us.clear();
    }
    game.t.rest(3000);
    let told = game.t.events.iter().filter(|e| e.kind == EventKind::Move).count() as u64;
    assert_eq!(told, moves);
    let alarms: Vec<_> = game.t.events.iter().filter(|e| e.kind.is_infraction()).map(|e| e.kind).collect();
    // a capture that the simulated players leave lying is an alarm that is due
    let due = game.truth.incidents.iter().map(|i| i.0).collect::<Vec<_>>();
    assert_eq!(alarms, due);
    assert_eq!(game.t.referee.history().map(|h| h.board()), Some(game.history.board()));
    if let (Some(early), Some(late)) = (early, resident_kib()) {
        assert!(late < early + 8 * 1024, "{early} KiB after an hour, {late} KiB after eight");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is seen, the referee says something or nothing, but never panics, and its events fold.
    #[test]
    fn random_sightings_never_panic(seed in any::<u64>(), size in 2u8..=19, wild in any::<bool>()) {
        let mut rng = Rng::new(seed);
        let mut referee = goband::referee::Referee::new(options());
        let mut events = Vec::new();
        let mut time = 0u64;
        let mut now = vec![0usize; size as usize * size as usize];
        for frame in 0..120u64 {
            for cell in &mut now {
                if rng.chance(if wild { 0.3 } else { 0.01 }) {
                    *cell = rng.below(5);
                }
            }
            let points = now
                .iter()
                .map(|c| match c {
                    0 => PointReading::sure(None),
                    1 => PointReading::sure(Some(Color::Black)),
                    2 => PointReading::sure(Some(Color::White)),
                    3 => PointReading::HIDDEN,
                    _ => PointReading { empty: f32::NAN, black: 7.0, white: -1.0, hidden: 0.1, offset: [f32::INFINITY, 0.3] },
                })
                .collect();
            let points = if rng.chance(0.05) { Vec::new() } else { points };
            let s = Sighting {
                frame,
                time_ms: time,
                size: if rng.chance(0.02) { rng.below(26) as u8 } else { size },
                points,
                hand: rng.chance(0.2),
                motion: false,
                loose: Vec::new(),
                scene: Vec::new(),
            };
            events.extend(referee.sight(&s));
            time = if rng.chance(0.02) { time / 2 } else { time + 100 };
        }
        events.extend(referee.finish(time));
        let seqs: Vec<u64> = events.iter().map(|e| e.seq).collect();
        prop_assert_eq!(&seqs, &(1..=seqs.len() as u64).collect::<Vec<_>>());
        goband::game::GameState::fold(&events);
        goband::referee::Referee::resume(options(), &events);
    }
}
