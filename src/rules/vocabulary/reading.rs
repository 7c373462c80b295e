//! Reading ahead: ladders, nets, connect-and-die. Bounded, and silent where the bound is reached.

use super::fight::ataris;
use super::scene::{At, Cell, Grid, Points, Scene};
use Cell::{Empty, Foe, Own};

/// Moves that may be tried for one answer.
const TRIES: u32 = 400;

struct Reader {
    tries: u32,
}

impl Reader {
    /// Own chains in atari around the opponent's chain at `target`: their last liberties, at most four.
    fn counters(&self, grid: &Grid, target: At) -> ([At; 4], usize) {
        let mut found = [target; 4];
        let mut n = 0;
        let mut stones = [target; 64];
        let mut count = 0;
        grid.gather(target, &mut |(p, liberty)| {
            if !liberty && count < stones.len() {
                stones[count] = p;
                count += 1;
            }
        });
        let mut seen = Points::new();
        for &stone in &stones[..count] {
            for near in grid.neighbors(stone) {
                if grid.get(near) == Own && seen.insert(near) {
                    let chain = grid.chain(near);
                    if chain.liberties == 1 && n < found.len() && !found[..n].contains(&chain.first[0]) {
                        found[n] = chain.first[0];
                        n += 1;
                    }
                }
            }
        }
        (found, n)
    }

    /// With the opponent to move and one liberty: how many more ataris until the chain is taken. `None`: it gets away,
    /// or it is not known.
    fn ladder(&mut self, grid: &Grid, target: At) -> Option<u32> {
        let chain = grid.chain(target);
        let (counters, n) = self.counters(grid, target);
        let mut longest = 0;
        let answers =
            std::iter::once(chain.first[0]).chain(counters[..n].iter().copied().filter(|&c| c != chain.first[0]));
        for answer in answers {
            self.tries = self.tries.checked_sub(1)?;
            let mut next = grid.clone();
            if next.play(answer, Foe).is_none() {
                continue;
            }
            longest = longest.max(self.chase(&next, target)?);
        }
        Some(longest)
    }

    /// With the mover's turn: how many ataris until the chain is taken.
    fn chase(&mut self, grid: &Grid, target: At) -> Option<u32> {
        let chain = grid.chain(target);
        match chain.liberties {
            0 | 1 => Some(0),
            2 => {
                let mut best = None;
                for play in chain.first {
                    self.tries = self.tries.checked_sub(1)?;
                    let mut next = grid.clone();
                    if next.play(play, Own).is_none() || next.chain(play).liberties == 0 {
                        continue;
                    }
                    if let Some(n) = self.ladder(&next, target) {
                        best = Some(best.map_or(n + 1, |b: u32| b.min(n + 1)));
                    }
                }
                best
            }
            _ => None,
        }
    }
}

/// The chain put in atari runs and is caught, in two more ataris at least.
pub(super) fn ladder(scene: &Scene) -> bool {
    ataris(scene).any(|(at, chain)| {
        chain.stones <= 4 && Reader { tries: TRIES }.ladder(&scene.after, at).is_some_and(|more| more >= 2)
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
        let (_, counters) = Reader { tries: 1 }.counters(&scene.after, at);
        counters == 0 && whole.liberties == 1 && whole.stones >= chain.stones + 2
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
    let mut reader = Reader { tries: TRIES };
    let chain = grid.chain(at);
    let (counters, n) = reader.counters(grid, at);
    let mut answers = [at; 16];
    let mut count = 0;
    let mut add = |p: At| {
        if count < answers.len() && !answers[..count].contains(&p) {
            answers[count] = p;
            count += 1;
        }
    };
    for liberty in chain.first {
        add(liberty);
        for near in grid.neighbors(liberty) {
            if grid.get(near) == Empty {
                add(near);
            }
        }
    }
    counters[..n].iter().for_each(|&c| add(c));
    answers[..count].iter().all(|&answer| {
        let mut next = grid.clone();
        next.play(answer, Foe).is_none() || reader.chase(&next, at).is_some_and(|n| n <= 4)
    })
}
