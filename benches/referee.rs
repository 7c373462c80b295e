//! What a frame costs the referee when much could have happened: `./dev bench --bench referee`.
//!
//! Behind an arm over the whole board of a middle game on 19×19, two to five moves are made and often a stone is dragged, too; then every
//! reading of every frame is wrong with a probability of 2 %. Counted are all frames, and those in which at least eight explanations
//! had to be weighed against each other; in processor time, which other programs on the machine do not change.

#[path = "../tests/table/mod.rs"]
mod table;

use goband::rules::{Board, Color, History, Point};
use table::{MANY, Rng, Table};

const ROUNDS: u64 = 300;
const SIZE: u8 = 19;

/// A legal point that captures nothing, near the last move if there is one.
fn choose(rng: &mut Rng, game: &History) -> Option<Point> {
    let last = game.moves().last().and_then(|m| m.point);
    (0..200).find_map(|k| {
        let reach = 3 + k / 20;
        let near = |rng: &mut Rng, v: u8| (usize::from(v) + rng.below(2 * reach + 1)).checked_sub(reach);
        let at = match last.filter(|_| k < 150) {
            Some(p) => (near(rng, p.row)?, near(rng, p.col)?),
            None => (rng.below(SIZE.into()), rng.below(SIZE.into())),
        };
        let at = Point::new(at.0 as u8, at.1 as u8);
        let can = game.board().contains(at) && game.board().get(at).is_none();
        let class = can.then(|| game.classify(game.turn(), Some(at)))?;
        (class.is_legal() && class.captured.is_empty()).then_some(at)
    })
}

/// The times of all frames and of those with many explanations, microseconds.
fn round(seed: u64) -> (Vec<u32>, Vec<u32>) {
    let mut rng = Rng::new(seed);
    let mut game = History::new(Board::new(SIZE), Color::Black);
    let mut moves = Vec::new();
    while moves.len() < 120
        && let Some(at) = choose(&mut rng, &game)
    {
        moves.push((game.turn(), at.row, at.col));
        game.play(game.turn(), Some(at));
    }
    let mut t = Table::of_game(SIZE, &moves);
    t.noise(seed ^ 0x5151, 0.02);
    t.rest(2000);
    t.under_hand(|t| {
        for _ in 0..2 + rng.below(4) {
            let Some(at) = choose(&mut rng, &game) else { break };
            t.set(at, Some(game.turn()));
            game.play(game.turn(), Some(at));
            t.frames(3);
        }
        if rng.chance(0.6) {
            let stones: Vec<Point> = t.board().points().filter(|p| t.get(*p).is_some()).collect();
            let from = stones[rng.below(stones.len())];
            let free: Vec<Point> = t.board().neighbors(from).filter(|p| t.get(*p).is_none()).collect();
            if !free.is_empty() {
                let stone = t.get(from);
                t.set(from, None);
                t.set(free[rng.below(free.len())], stone);
            }
        }
    });
    t.took_us.clear();
    t.torn_us.clear();
    t.rest(4000);
    (t.took_us, t.torn_us)
}

fn print(what: &str, mut us: Vec<u32>) {
    us.sort_unstable();
    let at = |share: f64| us.get(((us.len() as f64 - 1.0) * share).max(0.0) as usize).copied().unwrap_or(0);
    let (median, high, most) = (at(0.5), at(0.99), at(1.0));
    println!("{what:<44} {:>6} frames: median {median} µs, 99 % {high} µs, longest {most} µs", us.len());
}

fn main() {
    let (mut all, mut torn) = (Vec::new(), Vec::new());
    for seed in 1..=ROUNDS {
        let (a, b) = round(seed);
        all.extend(a);
        torn.extend(b);
    }
    print("referee, after moves behind an arm", all);
    print(&format!("referee, {MANY} explanations or more to be weighed"), torn);
}
