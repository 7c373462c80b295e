//! Whole games as series of pictures, without pixels: pictures left out, arms in some of them, points misread in one picture or
//! doubtful in many, captured stones left lying, second stones in a row, stones taken back.
//!
//! `GOBAND_PICTURE_GAMES=400 cargo test --test picture_sequences -- --nocapture` plays more games than the default and prints the
//! figures that `docs/referee.md` quotes; `GOBAND_PICTURE_SEED=7` is the first seed, `GOBAND_PICTURE_SHOW=1` says what went wrong.

mod table;

use std::collections::BTreeSet;

use goband::game::{Event, EventKind, GameState};
use goband::referee::Referee;
use goband::rules::{Board, Color, History, Point};
use goband::vision::{PointReading, Sighting};
use table::{Rng, options};

/// Which pictures of a game are left out.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kept {
    All,
    Every(usize),
    Some,
}

/// How good the pictures are.
#[derive(Clone, Copy, Debug)]
struct Hall {
    /// Share of the points of a picture that are misread in it, and how many of these are in the next one too.
    misread: f64,
    twice: f64,
    /// Share of the points that are doubtful as long as they hold the same.
    doubtful: f64,
    /// Share of the pictures with an arm.
    arms: f64,
}

const CLEAR: Hall = Hall { misread: 0.0, twice: 0.0, doubtful: 0.0, arms: 0.0 };
const ARMS: Hall = Hall { arms: 0.25, ..CLEAR };
const DOUBTFUL: Hall = Hall { doubtful: 0.02, ..CLEAR };
const MISREAD: Hall = Hall { misread: 0.001, ..CLEAR };
const ALL_THAT: Hall = Hall { misread: 0.001, twice: 0.05, doubtful: 0.01, arms: 0.15 };

struct Picture {
    board: Board,
    /// The moves made by now.
    moves: usize,
    /// It is never left out.
    needed: bool,
}

struct Incident {
    kind: EventKind,
    /// Any of these sets of points names it.
    points: Vec<BTreeSet<Point>>,
    /// From the first picture that shows it to the last.
    shown: (usize, usize),
}

struct Script {
    start: Board,
    turn: Color,
    moves: Vec<(Color, Point)>,
    pictures: Vec<Picture>,
    incidents: Vec<Incident>,
    /// Two stones that came in one picture: either may be the move.
    either: Vec<(Point, Point)>,
}

#[derive(Default)]
struct Figures {
    games: usize,
    pictures: usize,
    moves: usize,
    right: usize,
    extra: usize,
    incidents: usize,
    incidents_right: usize,
    false_alarms: usize,
    boards_wrong: usize,
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

/// A legal point, near what was played last, that fills no own eye; captures are likelier than in blind play.
fn choose(game: &History, rng: &mut Rng) -> Option<Point> {
    let (board, color, n) = (game.board(), game.turn(), game.size() as usize);
    let last = game.moves().last().and_then(|m| m.point);
    let mut best: Option<(usize, Point)> = None;
    for _ in 0..24 {
        let p = Point::new(rng.below(n) as u8, rng.below(n) as u8);
        if board.get(p).is_some() || board.neighbors(p).all(|q| board.get(q) == Some(color)) {
            continue;
        }
        let class = game.classify(color, Some(p));
        if !class.is_legal() {
            continue;
        }
        let far = last.map_or(0, |l| usize::from(l.row.abs_diff(p.row)) + usize::from(l.col.abs_diff(p.col)));
        let score = (far + rng.below(6)).saturating_sub(6 * class.captured.len());
        if best.is_none_or(|(s, _)| score < s) {
            best = Some((score, p));
        }
    }
    best.map(|b| b.1)
}

/// A game of so many pictures' moves.
fn script(seed: u64, kept: Kept) -> Script {
    let mut rng = Rng::new(seed);
    let size = [9, 9, 13, 13, 19][rng.below(5)];
    let mut game = History::new(Board::new(size), Color::Black);
    let before = [0, 0, 12, 25, 40][rng.below(5)];
    for _ in 0..before {
        let Some(p) = choose(&game, &mut rng) else { break };
        let turn = game.turn();
        game.play(turn, Some(p));
    }
    let (start, turn) = (game.board().clone(), game.turn());
    let (first, n) = (game.moves().len(), 20 + rng.below(20));
    // what is played is known beforehand, so that what lies wrong is in nobody's way
    for _ in 0..n {
        let Some(p) = choose(&game, &mut rng) else { break };
        let turn = game.turn();
        game.play(turn, Some(p));
    }
    let played: Vec<_> =
        game.moves()[first..].iter().map(|m| (m.color, m.point.unwrap(), m.captured.clone())).collect();
    let mut history = History::new(start.clone(), turn);
    let mut s = Script {
        start: start.clone(),
        turn,
        moves: played.iter().map(|m| (m.0, m.1)).collect(),
        pictures: vec![Picture { board: start, moves: 0, needed: true }],
        incidents: Vec::new(),
        either: Vec::new(),
    };
    // captured stones that lie: until so many moves have been made
    let mut lying: Option<(usize, Vec<(Point, Color)>)> = None;
    for (k, (color, point, captured)) in played.iter().enumerate() {
        history.play(*color, Some(*point));
        let later = |from: usize, to: usize| played[from.min(played.len())..to.min(played.len())].iter().map(|m| m.1);
        if lying.as_ref().is_some_and(|l| k >= l.0) {
            lying = None;
        }
        let mut stay = 0;
        if !captured.is_empty() && lying.is_none() && rng.chance(0.3) {
            stay = 1 + rng.below(4);
            if k + stay + 1 < played.len() && !later(k + 1, k + stay + 2).any(|p| captured.contains(&p)) {
                lying = Some((k + stay, captured.iter().map(|&p| (p, color.opponent())).collect()));
            } else {
                stay = 0;
            }
        }
        let mut board = history.board().clone();
        for &(p, c) in lying.iter().flat_map(|l| &l.1) {
            board.set(p, Some(c));
        }
        let shown = s.pictures.len();
        if stay > 1 {
            let points = vec![captured.iter().copied().collect()];
            // known from the picture that shows the next stone beside them
            s.incidents.push(Incident { kind: EventKind::MissedCapture, points, shown: (shown + 1, shown + stay - 1) });
        }
        let quiet = lying.is_none() && captured.is_empty() && k + 1 < played.len() && kept == Kept::All;
        let free: Vec<Point> = board
            .points()
            .filter(|&p| board.get(p).is_none() && board.neighbors(p).all(|q| board.get(q).is_none()))
            .filter(|&p| !later(k + 1, played.len()).any(|q| q.row.abs_diff(p.row) + q.col.abs_diff(p.col) <= 1))
            .collect();
        let void = quiet.then(|| free.get(rng.below(free.len())).copied()).flatten();
        match (rng.below(60), void) {
            // a second stone in a row, in the same picture or in the next
            (which @ 0..=1, Some(void)) => {
                let mut both = board.clone();
                both.set(void, Some(*color));
                if which == 0 {
                    s.pictures.push(Picture { board, moves: k + 1, needed: true });
                } else {
                    s.either.push((*point, void));
                }
                let from = s.pictures.len();
                for _ in 0..2 + rng.below(2) {
                    s.pictures.push(Picture { board: both.clone(), moves: k + 1, needed: true });
                }
                let mut points = vec![BTreeSet::from([void])];
                if which == 1 {
                    points.push(BTreeSet::from([*point]));
                }
                let shown = (from, s.pictures.len() - 1);
                s.incidents.push(Incident { kind: EventKind::DoubleMove, points, shown });
            }
            // let go of, and put elsewhere
            (2, Some(other)) => {
                let mut first = board.clone();
                first.set(*point, None);
                first.set(other, Some(*color));
                for _ in 0..2 {
                    s.pictures.push(Picture { board: first.clone(), moves: k, needed: true });
                }
                let from = s.pictures.len();
                for _ in 0..2 {
                    s.pictures.push(Picture { board: board.clone(), moves: k + 1, needed: true });
                }
                let points = vec![BTreeSet::from([other, *point])];
                s.incidents.push(Incident { kind: EventKind::Takeback, points, shown: (from, from + 1) });
            }
            _ => s.pictures.push(Picture { board, moves: k + 1, needed: false }),
        }
    }
    let last = s.pictures.len() - 1;
    s.pictures[last].needed |= rng.chance(0.5);
    let all = std::mem::take(&mut s.pictures);
    let mut place = vec![0; all.len()];
    for (i, p) in all.into_iter().enumerate() {
        place[i] = s.pictures.len();
        let stays = match kept {
            Kept::All => true,
            Kept::Every(n) => i % n == 0,
            Kept::Some => rng.chance(0.55),
        };
        if stays || p.needed {
            s.pictures.push(p);
        }
    }
    // what no picture shows, or none shows beside the next stone, nobody can know
    place.push(s.pictures.len());
    for i in &mut s.incidents {
        i.shown = (place[i.shown.0], place[i.shown.1 + 1]);
    }
    s
}

/// Every picture of the script as it is seen.
fn sightings(s: &Script, hall: Hall, seed: u64) -> Vec<Sighting> {
    let mut rng = Rng::new(seed ^ 0x5EED_CAFE);
    let size = s.start.size();
    let n = size as usize * size as usize;
    let mut doubt: Vec<(Option<Color>, Option<f32>)> = vec![(None, None); n];
    let mut misread: Vec<Option<(PointReading, u32)>> = vec![None; n];
    let mut time_ms = 0;
    let mut out = Vec::new();
    for (k, picture) in s.pictures.iter().enumerate() {
        let mut points: Vec<PointReading> = Vec::new();
        for (i, p) in picture.board.points().enumerate() {
            let cell = picture.board.get(p);
            if k == 0 || doubt[i].0 != cell {
                doubt[i] = (cell, rng.chance(hall.doubtful).then(|| 0.6 + 0.3 * rng.below(100) as f32 / 100.0));
            }
            let sure = doubt[i].1.unwrap_or(0.98);
            if rng.chance(hall.misread) {
                let others: Vec<_> =
                    [None, Some(Color::Black), Some(Color::White)].into_iter().filter(|c| *c != cell).collect();
                let sure = if rng.chance(0.1) { 0.98 } else { 0.5 + 0.4 * rng.below(100) as f32 / 100.0 };
                let r = reading(others[rng.below(2)], cell, sure);
                misread[i] = Some((r, if rng.chance(hall.twice) { 2 } else { 1 }));
            }
            points.push(match &mut misread[i] {
                Some((r, left)) if *left > 0 => {
                    *left -= 1;
                    *r
                }
                _ => reading(cell, if cell.is_none() { Some(Color::White) } else { None }, sure),
            });
        }
        let hand = k > 0 && rng.chance(hall.arms);
        if hand {
            let col = rng.below(size as usize);
            let depth = 1 + rng.below(size as usize / 2);
            for row in size as usize - depth..size as usize {
                for c in col.saturating_sub(1)..(col + 1).min(size as usize) {
                    points[row * size as usize + c] = PointReading::HIDDEN;
                }
            }
        }
        out.push(Sighting {
            frame: k as u64,
            time_ms,
            size,
            points,
            hand,
            motion: hand,
            loose: Vec::new(),
            scene: Vec::new(),
        });
        time_ms += [1000, 1000, 1000, 4000, 20_000][rng.below(5)];
    }
    out
}

/// `sure` of `cell`, and the rest for `other`.
fn reading(cell: Option<Color>, other: Option<Color>, sure: f32) -> PointReading {
    let (yes, no) = (PointReading::sure(cell), PointReading::sure(other));
    let mix = |yes: f32, no: f32| 0.005 + 0.985 * (sure * yes + (1.0 - sure) * no);
    PointReading {
        empty: mix(yes.empty, no.empty),
        black: mix(yes.black, no.black),
        white: mix(yes.white, no.white),
        ..yes
    }
}

/// How many of the moves are told in the order of the pictures; within one picture any order is right.
fn in_order(told: &[(Color, Point)], groups: &[Vec<(Color, Point)>]) -> usize {
    let place = |m: &(Color, Point)| -> Vec<usize> {
        groups.iter().enumerate().filter(|(_, g)| g.contains(m)).map(|(i, _)| i).collect()
    };
    // longest run of places that never fall; a move of a picture counts once
    let mut best: Vec<Vec<(usize, usize)>> = Vec::new();
    for (i, m) in told.iter().enumerate() {
        let mut here = Vec::new();
        for g in place(m) {
            let before = best[..i]
                .iter()
                .zip(told)
                .flat_map(|(b, t)| b.iter().map(move |x| (x, t)))
                .filter(|((p, _), t)| *p < g || (*p == g && *t != m))
                .map(|((_, n), _)| *n)
                .max();
            here.push((g, before.unwrap_or(0) + 1));
        }
        best.push(here);
    }
    best.iter().flatten().map(|b| b.1).max().unwrap_or(0)
}

fn play(seed: u64, kept: Kept, hall: Hall, f: &mut Figures) {
    let s = script(seed, kept);
    let mut referee = Referee::new(options());
    let mut events: Vec<Event> = Vec::new();
    let seen = sightings(&s, hall, seed);
    for sighting in &seen {
        events.extend(referee.sight(sighting));
    }
    events.extend(referee.finish(seen.last().map_or(0, |l| l.time_ms + 1000)));
    let told: Vec<(Color, Point)> =
        GameState::fold(&events).moves().iter().filter_map(|m| Some((m.color, m.point?))).collect();
    let mut moves = s.moves.clone();
    for &(a, b) in &s.either {
        // the other stone of the two may stand in the record instead
        if !told.iter().any(|m| m.1 == a) && told.iter().any(|m| m.1 == b) {
            moves.iter_mut().filter(|m| m.1 == a).for_each(|m| m.1 = b);
        }
    }
    let mut at: Vec<usize> = s.pictures.iter().map(|p| p.moves).collect();
    // a lone stone is the first move
    if s.start.stones(Color::Black) + s.start.stones(Color::White) == 0 {
        at[0] = 0;
    }
    let groups: Vec<Vec<(Color, Point)>> = at.windows(2).map(|w| moves[w[0]..w[1].max(w[0])].to_vec()).collect();
    let shown = *at.last().unwrap();
    let right = in_order(&told, &groups);
    let mut alarms: Vec<&Event> = events
        .iter()
        .filter(|e| e.kind.is_infraction() || matches!(e.kind, EventKind::Unexplained | EventKind::BoardCleared))
        .collect();
    let mut missed = Vec::new();
    for i in &s.incidents {
        let found = alarms.iter().position(|e| {
            let points: BTreeSet<Point> = e.points.iter().filter_map(|s| s.point()).collect();
            e.kind == i.kind && i.points.contains(&points)
        });
        // twice, and once without an arm: it may hide what makes it a move
        let shown = i.shown.0..i.shown.1;
        let twice = i.kind == EventKind::MissedCapture || shown.len() >= 2;
        let could_be_seen = twice && seen[shown].iter().any(|s| !s.hand);
        f.incidents += usize::from(could_be_seen);
        match found {
            Some(k) => {
                alarms.remove(k);
                f.incidents_right += usize::from(could_be_seen);
            }
            None if could_be_seen => missed.push(i),
            None => {}
        }
    }
    let wrong_board = {
        let mut truth = History::new(s.start.clone(), s.turn);
        for m in &moves[..shown] {
            if truth.turn() != m.0 {
                truth.set_turn(m.0);
            }
            truth.play(m.0, Some(m.1));
        }
        referee.history().is_none_or(|h| h.board() != truth.board())
    };
    f.games += 1;
    f.pictures += seen.len();
    f.moves += shown;
    f.right += right;
    f.extra += told.len().saturating_sub(right);
    f.false_alarms += alarms.len();
    f.boards_wrong += usize::from(wrong_board);
    if number("GOBAND_PICTURE_SHOW", 0) > 0
        && (right < shown || !alarms.is_empty() || !missed.is_empty() || wrong_board)
    {
        println!(
            "seed {seed} {kept:?} {}x: {right}/{shown} moves, {} pictures, wrong board {wrong_board}; alarms {:?}; missed {:?}",
            s.start.size(),
            seen.len(),
            alarms.iter().map(|e| (e.kind.name(), e.points.clone(), e.reported_ms)).collect::<Vec<_>>(),
            missed.iter().map(|i| (i.kind.name(), &i.points, i.shown)).collect::<Vec<_>>(),
        );
        if number("GOBAND_PICTURE_SHOW", 0) > 1 {
            show(&s, &seen, &groups, &events);
        }
    }
}

fn show(s: &Script, seen: &[Sighting], groups: &[Vec<(Color, Point)>], events: &[Event]) {
    for (k, (p, v)) in s.pictures.iter().zip(seen).enumerate() {
        let before = k.checked_sub(1).map(|b| &seen[b].points);
        let odd: Vec<String> = p
            .board
            .points()
            .zip(&v.points)
            .enumerate()
            .filter(|(i, (_, r))| before.is_none_or(|b| b[*i] != **r))
            .map(|(_, x)| x)
            .filter(|(q, r)| r.hidden < 0.5 && r.of(p.board.get(*q)) < 0.9)
            .map(|(q, r)| {
                format!(
                    "{:?} is {:?}: . {:.2} B {:.2} W {:.2}",
                    (q.row, q.col),
                    p.board.get(q),
                    r.empty,
                    r.black,
                    r.white
                )
            })
            .collect();
        let moves = if k > 0 { groups[k - 1].clone() } else { Vec::new() };
        let moves: Vec<_> = moves.iter().map(|(c, p)| (*c, p.row, p.col)).collect();
        let hidden = v.points.iter().enumerate().filter(|(_, r)| r.hidden > 0.5);
        let hidden: Vec<_> = hidden.map(|(i, _)| (i / v.size as usize, i % v.size as usize)).collect();
        println!("   picture {k} at {} ms: {moves:?} hidden {hidden:?} {odd:?}", v.time_ms);
    }
    for e in events {
        let points: Vec<_> = e.points.iter().filter_map(|s| s.point()).map(|p| (p.row, p.col)).collect();
        println!(
            "   {} {} {:?} {:?} {points:?} captured {:?} of {:?}, {:?}",
            e.reported_ms,
            e.kind.name(),
            e.color,
            e.point.map(|p| (p.row, p.col)),
            e.captured,
            e.of,
            e.at_ms
        );
    }
}

/// Plays games and prints what came of them.
fn figures(what: &str, kept: Kept, hall: Hall) -> Figures {
    let (first, games) = (number("GOBAND_PICTURE_SEED", 1), number("GOBAND_PICTURE_GAMES", 24));
    let only = number("GOBAND_PICTURE_ONLY", 0);
    let mut f = Figures::default();
    for seed in (first..first + games).filter(|s| only == 0 || *s == only) {
        play(seed, kept, hall, &mut f);
    }
    println!(
        "{what}, {kept:?}: {} games, {} pictures; moves {}/{} ({:.2} %), {} extra; incidents {}/{}; false alarms {}; wrong boards {}",
        f.games,
        f.pictures,
        f.right,
        f.moves,
        100.0 * f.right as f64 / f.moves.max(1) as f64,
        f.extra,
        f.incidents_right,
        f.incidents,
        f.false_alarms,
        f.boards_wrong
    );
    f
}

/// At least this share of the moves and of the incidents, at most so many false alarms in a game.
fn at_least(f: &Figures, moves: f64, incidents: f64, alarms: f64) {
    let games = f.games as f64;
    assert!(f.right as f64 >= moves * f.moves as f64, "{} of {} moves", f.right, f.moves);
    assert!(f.extra as f64 <= (1.0 - moves) * f.moves as f64, "{} moves that were none", f.extra);
    assert!(f.incidents_right as f64 >= incidents * f.incidents as f64, "{} of {}", f.incidents_right, f.incidents);
    assert!(f.false_alarms as f64 <= alarms * games, "{} false alarms", f.false_alarms);
}

const LEFT_OUT: [Kept; 3] = [Kept::Every(2), Kept::Every(3), Kept::Some];

#[test]
fn clear_pictures() {
    at_least(&figures("clear", Kept::All, CLEAR), 1.0, 0.98, 0.01);
    LEFT_OUT.iter().for_each(|k| at_least(&figures("clear", *k, CLEAR), 0.98, 0.5, 0.25));
}

#[test]
fn arms_in_some_pictures() {
    at_least(&figures("arms", Kept::All, ARMS), 0.99, 0.9, 0.1);
    LEFT_OUT.iter().for_each(|k| at_least(&figures("arms", *k, ARMS), 0.97, 0.5, 0.25));
}

#[test]
fn doubtful_points() {
    at_least(&figures("doubtful", Kept::All, DOUBTFUL), 0.99, 0.9, 0.1);
    LEFT_OUT.iter().for_each(|k| at_least(&figures("doubtful", *k, DOUBTFUL), 0.96, 0.5, 0.25));
}

#[test]
fn points_misread_in_one_picture() {
    at_least(&figures("misread", Kept::All, MISREAD), 0.99, 0.9, 0.1);
    LEFT_OUT.iter().for_each(|k| at_least(&figures("misread", *k, MISREAD), 0.97, 0.5, 0.4));
}

#[test]
fn all_of_it_at_once() {
    at_least(&figures("all", Kept::All, ALL_THAT), 0.98, 0.75, 0.4);
    LEFT_OUT.iter().for_each(|k| at_least(&figures("all", *k, ALL_THAT), 0.96, 0.5, 0.5));
}
