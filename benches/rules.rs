//! Moves a second through the rule core, against what copying a board alone costs: every move keeps a position, so that
//! a board's copy is the least a move can cost.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use goband::rules::{Board, Color, History, Point};

/// A random legal game on 19 × 19 (splitmix64, fixed seed): what a table sees, and then some.
fn random_game(seed: u64, moves: usize) -> Vec<(Color, Option<Point>)> {
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
    while game.len() < moves {
        let color = history.turn();
        let point = (0..200)
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

fn play(game: &[(Color, Option<Point>)]) -> History {
    let mut history = History::new(Board::new(19), Color::Black);
    for &(color, point) in game {
        black_box(history.play(color, point));
    }
    history
}

fn copies(game: &[(Color, Option<Point>)], board: &Board) -> Vec<Board> {
    game.iter().map(|_| black_box(board).clone()).collect()
}

fn seconds_each(mut f: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut rounds = 0;
    while start.elapsed() < Duration::from_millis(700) {
        f();
        rounds += 1;
    }
    start.elapsed().as_secs_f64() / f64::from(rounds)
}

fn rules(c: &mut Criterion) {
    let game = random_game(1, 300);
    let board = play(&game).board().clone();
    let moves = game.len() as f64;
    let (played, copied) = (
        seconds_each(|| {
            black_box(play(&game));
        }),
        seconds_each(|| {
            black_box(copies(&game, &board));
        }),
    );
    println!(
        "random game of 300 moves on 19x19: {:.2} million moves/s, {:.0} ns a move; a board copy {:.0} ns; ratio {:.1}",
        moves / played / 1e6,
        played / moves * 1e9,
        copied / moves * 1e9,
        played / copied
    );
    c.bench_function("game of 300 moves: classify and execute", |b| b.iter(|| play(&game)));
    c.bench_function("300 board copies", |b| b.iter(|| copies(&game, &board)));
    let history = play(&game);
    c.bench_function("clone a history of 300 moves", |b| b.iter(|| history.clone()));
}

criterion_group!(benches, rules);
criterion_main!(benches);
