//! Reading ahead: ladders, nets, connect-and-die. Bounded, and silent where the bound is reached.

use super::fight::ataris;
use super::scene::{At, Cell, Grid, Points, Scene};
use Cell::{Empty, Foe, Own};

/// Moves that may be tried along a ladder. What needs more has no answer.
const TRIES: u32 = 160;
/// Ataris that may follow inside a net.
const NET_DEPTH: u32 = 4;

/// Reads every line to its end, also where the answer is known already: so the number of tries, and with it whether they suffice,
/// is the same however the board is turned.
struct Reader {
    tries: u32,
}

/// Points at which own chains around the opponent's can be taken.
struct Counters {
    points: [At; 4],
    len: usize,
    /// There are more.
    more: bool,
}

impl Counters {
    fn of(grid: &Grid, target: At) -> Counters {
        let mut stones = [target; 361];
        let mut count = 0;
        grid.gather(target, &mut |(p, liberty)| {
            if !liberty && count < stones.len() {
                stones[count] = p;
                count += 1;
            }
        });
        let mut counters = Counters { points: [target; 4], len: 0, more: false };
        let mut seen = Points::new();
        for near in stones[..count].iter().flat_map(|&s| grid.neighbors(s)) {
            if grid.get(near) != Own || !seen.insert(near) {
                continue;
            }
            let (liberties, last) = grid.few_liberties(near);
            if liberties == 1 && !counters.iter().any(|p| p == last) {
                match counters.points.get_mut(counters.len) {
                    Some(slot) => {
                        *slot = last;
                        counters.len += 1;
                    }
                    None => counters.more = true,
                }
            }
        }
        counters
    }

    fn iter(&self) -> impl Iterator<Item = At> {
        self.points[..self.len].iter().copied()
    }
}

impl Reader {
    /// With the opponent to move and one liberty: how many more ataris until the chain is taken. `None`: it gets away.
    fn ladder(&mut self, grid: &Grid, target: At) -> Option<u32> {
        let chain = grid.chain(target);
        let counters = Counters::of(grid, target);
        let mut longest = (!counters.more).then_some(0);
        let run = chain.first[0];
        for answer in std::iter::once(run).chain(counters.iter().filter(|&c| c != run)) {
            let Some(next) = self.try_move(grid, answer, Foe) else { continue };
            let caught = self.chase(&next, target);
            longest = longest.zip(caught).map(|(a, b)| a.max(b));
        }
        longest
    }

    /// With the mover's turn: how many ataris until the chain is taken. `None`: it gets away.
    fn chase(&mut self, grid: &Grid, target: At) -> Option<u32> {
        let chain = grid.chain(target);
        match chain.liberties {
            0 | 1 => Some(0),
            2 => {
                let mut best: Option<u32> = None;
                for play in chain.first {
                    let Some(next) = self.try_move(grid, play, Own) else { continue };
                    if let Some(n) = self.ladder(&next, target) {
                        best = Some(best.map_or(n + 1, |b| b.min(n + 1)));
                    }
                }
                best
            }
            _ => None,
        }
    }

    /// `None` where the move is forbidden or no tries are left.
    fn try_move(&mut self, grid: &Grid, at: At, side: Cell) -> Option<Grid> {
        self.tries = self.tries.checked_sub(1)?;
        let mut next = grid.clone();
        next.play(at, side).map(|_| next)
    }
}

/// The chain put in atari runs and is caught, in two more ataris at least.
pub(super) fn ladder(scene: &Scene) -> bool {
    ataris(scene).any(|(at, chain)| {
        let mut reader = Reader { tries: TRIES };
        chain.stones <= 4 && reader.ladder(&scene.after, at).is_some_and(|more| more >= 2) && reader.tries > 0
    })
}

/// The chain put in atari can connect, and is taken all the same with what it connects to.
pub(super) fn connect_and_die(scene: &Scene) -> bool {
    ataris(scene).any(|(at, chain)| {
        let mut joined = scene.after.clone();
        if joined.play(chain.first[0], Foe) != Some(0) {
            return false;
        }
        let whole = joined.chain(at);
        let counters = Counters::of(&scene.after, at);
        counters.len == 0 && whole.liberties == 1 && whole.stones >= chain.stones + 2
    })
}

/// A chain with two liberties near the move, not touched by it, that could have run and cannot any more.
pub(super) fn net(scene: &Scene) -> bool {
    let mut seen = Points::new();
    for row in -2..=2i8 {
        for col in -2..=2i8 {
            let at = scene.p.plus(At::new(row, col));
            if row.abs() + col.abs() < 2 || scene.before.get(at) != Foe || !seen.insert(at) {
                continue;
            }
            let chain = scene.before.chain(at);
            if chain.liberties != 2 || chain.stones > 3 || scene.foe.iter().any(|(_, c)| c.id == chain.id) {
                continue;
            }
            if caught(&scene.after, at) && !caught(&scene.before, at) {
                return true;
            }
        }
    }
    false
}

/// Whether the opponent, to move, cannot save the chain of two liberties at `at` by anything near.
fn caught(grid: &Grid, at: At) -> bool {
    let chain = grid.chain(at);
    let counters = Counters::of(grid, at);
    let mut answers = [at; 10];
    let mut count = 0;
    let mut add = |p: At| {
        if count < answers.len() && !answers[..count].contains(&p) {
            answers[count] = p;
            count += 1;
        }
    };
    // two liberties, at most three points beside each, one counter: they fit
    for liberty in chain.first {
        add(liberty);
        grid.neighbors(liberty).filter(|&n| grid.get(n) == Empty).for_each(&mut add);
    }
    counters.iter().take(1).for_each(add);
    // of several counters one will do
    counters.len <= 1
        && answers[..count].iter().all(|&a| played(grid, a, Foe).is_none_or(|g| closes(&g, at, NET_DEPTH)))
}

fn played(grid: &Grid, at: At, side: Cell) -> Option<Grid> {
    let mut next = grid.clone();
    next.play(at, side).map(|_| next)
}

/// With the mover's turn: whether the chain is taken in so many ataris.
fn closes(grid: &Grid, at: At, ataris: u32) -> bool {
    let chain = grid.chain(at);
    if chain.liberties != 2 || ataris == 0 {
        return chain.liberties < 2;
    }
    chain.first.iter().any(|&play| {
        let Some(next) = played(grid, play, Own) else { return false };
        let counters = Counters::of(&next, at);
        let run = next.chain(at).first[0];
        counters.len <= 1
            && std::iter::once(run)
                .chain(counters.iter().filter(|&c| c != run))
                .all(|a| played(&next, a, Foe).is_none_or(|g| closes(&g, at, ataris - 1)))
    })
}
