//! Moves a second through the rule core, against what copying a board alone costs, and whether a move late in the game costs
//! more than an early one.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use goband::rules::{Board, Color, History, Point};

type Game = Vec<(Color, Option<Point>)>;

const MOVES: usize = 400;
const PART: usize = 100;
const GAMES: u64 = 50;

/// A random legal game on 19 × 19 (splitmix64, fixed seed): what a table sees, and then some.
fn random_game(seed: u64) -> Game {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let mut history = History::new(Board::new(19), Color::Black);
    let mut game = Vec::new();
    while game.len() < MOVES {
        let color = history.turn();
        let point = (0..400)
            .map(|_| {
                let n = next() % 361;
                Point::new((n / 19) as u8, (n % 19) as u8)
            })
            .find(|&p| history.board().get(p).is_none() && history.classify(color, Some(p)).is_legal());
        history.play(color, point);
        game.push((color, point));
    }
    game
}

/// Classifies and executes every move; the time each hundred of them took.
fn play(game: &Game) -> (History, [Duration; MOVES / PART]) {
    let mut history = History::new(Board::new(19), Color::Black);
    let mut took = [Duration::ZERO; MOVES / PART];
    for (part, time) in game.chunks(PART).zip(&mut took) {
        let start = Instant::now();
        for &(color, point) in part {
            black_box(history.play(color, point));
        }
        *time = start.elapsed();
    }
    (history, took)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Nanoseconds for one of `n` repetitions, the median of many rounds.
fn nanos_each<T>(n: usize, mut f: impl FnMut() -> T) -> f64 {
    let begin = Instant::now();
    let mut rounds = Vec::new();
    while begin.elapsed() < Duration::from_millis(300) {
        let start = Instant::now();
        for _ in 0..n {
            black_box(f());
        }
        rounds.push(start.elapsed().as_nanos() as f64 / n as f64);
    }
    median(rounds)
}

fn rules(c: &mut Criterion) {
    let games: Vec<Game> = (1..=GAMES).map(random_game).collect();
    let mut parts: [Vec<f64>; MOVES / PART] = Default::default();
    let mut whole = Vec::new();
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(2) {
        // game by game: most games are short enough not to be interrupted by whatever else the machine does
        for game in &games {
            let (_, took) = play(game);
            let nanos = took.map(|t| t.as_nanos() as f64);
            whole.push(nanos.iter().sum::<f64>() / MOVES as f64);
            parts.iter_mut().zip(nanos).for_each(|(part, nanos)| part.push(nanos / PART as f64));
        }
    }
    let usual = median(whole);
    let parts = parts.map(median);
    let array = [1_u8; 361];
    let array_copy = nanos_each(10_000, || *black_box(&array));
    let board = play(&games[0]).0.board().clone();
    let board_copy = nanos_each(10_000, || black_box(&board).clone());

    println!("random games of {MOVES} moves on 19x19, positional superko included, one core:");
    println!("  {:.2} million moves/s ({usual:.0} ns a move)", 1e3 / usual);
    println!(
        "  a plain array copy of the board (361 bytes) {array_copy:.1} ns: ratio {:.1}; a copy of a `Board` {board_copy:.1} ns: ratio {:.1}",
        usual / array_copy,
        usual / board_copy,
    );
    println!(
        "  moves 1-100, 101-200, 201-300, 301-400: {} ns; the last hundred takes {:.2} times the first",
        parts.map(|p| format!("{p:.0}")).join(", "),
        parts[MOVES / PART - 1] / parts[0],
    );

    let game = &games[0];
    c.bench_function("game of 400 moves: classify and execute", |b| b.iter(|| play(game).0));
    let history = play(game).0;
    c.bench_function("clone a history of 400 moves", |b| b.iter(|| history.clone()));
    c.bench_function("undo 400 moves", |b| {
        b.iter_batched(
            || history.clone(),
            |mut h| {
                while h.undo().is_some() {}
                h
            },
            criterion::BatchSize::SmallInput,
        )
    });
    c.bench_function("classify every point after 200 moves", |b| {
        let mut h = history.clone();
        while h.moves().len() > 200 {
            h.undo();
        }
        let color = h.turn();
        b.iter(|| h.board().points().filter(|&p| h.classify(color, Some(p)).is_legal()).count())
    });
}

criterion_group!(benches, rules);
criterion_main!(benches);
