//! Unconditional life: chains that cannot be taken even if their side always passes.
//!
//! D. B. Benson, "Life in the game of Go", Information Sciences 10 (1976): a set of chains lives unconditionally if each has
//! at least two *vital* regions, all of whose borders are in the set. A region is a connected set of points without the
//! colour's stones; it is vital to a chain if each of its empty points is a liberty of that chain.

use crate::rules::{Board, Color, Point};

/// What of one colour lives unconditionally. By board index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassAlive {
    color: Color,
    stones: Vec<bool>,
    territory: Vec<bool>,
}

struct Region {
    points: Vec<Point>,
    /// Chains beside it.
    borders: Vec<usize>,
    /// Chains to which it is vital.
    vital_to: Vec<usize>,
}

impl PassAlive {
    pub fn of(board: &Board, color: Color) -> PassAlive {
        let points = board.points().count();
        let mut chain_of = vec![None; points];
        let mut chains: Vec<Vec<Point>> = Vec::new();
        for p in board.points() {
            if board.get(p) == Some(color) && chain_of[board.index(p)].is_none() {
                let (chain, _) = board.chain(p);
                for &q in &chain {
                    chain_of[board.index(q)] = Some(chains.len());
                }
                chains.push(chain);
            }
        }
        let mut regions = regions(board, &chain_of);
        let mut alive = vec![true; chains.len()];
        loop {
            let mut eyes = vec![0; chains.len()];
            for region in &regions {
                for &c in &region.vital_to {
                    eyes[c] += 1;
                }
            }
            let before = alive.iter().filter(|&&a| a).count();
            for (a, &n) in alive.iter_mut().zip(&eyes) {
                *a &= n >= 2;
            }
            regions.retain(|r| r.borders.iter().all(|&c| alive[c]));
            if alive.iter().filter(|&&a| a).count() == before {
                break;
            }
        }
        let mut found = PassAlive { color, stones: vec![false; points], territory: vec![false; points] };
        for (chain, _) in chains.iter().zip(&alive).filter(|(_, a)| **a) {
            for &p in chain {
                found.stones[board.index(p)] = true;
            }
        }
        // What lies in a region without an empty point out of reach has no room for an eye.
        for region in &regions {
            let reached = |p: Point| board.neighbors(p).any(|n| found.stones[board.index(n)]);
            let closed =
                !region.borders.is_empty() && region.points.iter().all(|&p| board.get(p).is_some() || reached(p));
            if closed {
                for &p in &region.points {
                    found.territory[board.index(p)] = true;
                }
            }
        }
        found
    }

    pub fn color(&self) -> Color {
        self.color
    }

    /// Whether the stone at `p` lives unconditionally.
    pub fn is_alive(&self, board: &Board, p: Point) -> bool {
        self.stones[board.index(p)]
    }

    /// Whether `p` lies in an area of unconditionally living chains in which the opponent cannot live: opponent stones there are dead.
    pub fn encloses(&self, board: &Board, p: Point) -> bool {
        self.territory[board.index(p)]
    }
}

/// Connected sets of points that hold no stone of a known chain.
fn regions(board: &Board, chain_of: &[Option<usize>]) -> Vec<Region> {
    let mut seen = vec![false; chain_of.len()];
    let mut found = Vec::new();
    for start in board.points() {
        if chain_of[board.index(start)].is_some() || seen[board.index(start)] {
            continue;
        }
        let mut region = Region { points: vec![start], borders: Vec::new(), vital_to: Vec::new() };
        seen[board.index(start)] = true;
        let mut next = 0;
        while let Some(&at) = region.points.get(next) {
            next += 1;
            for n in board.neighbors(at) {
                match chain_of[board.index(n)] {
                    Some(c) => region.borders.push(c),
                    None if !seen[board.index(n)] => {
                        seen[board.index(n)] = true;
                        region.points.push(n);
                    }
                    None => {}
                }
            }
        }
        region.borders.sort();
        region.borders.dedup();
        let touches = |p: Point, c: usize| board.neighbors(p).any(|n| chain_of[board.index(n)] == Some(c));
        let vital = |c: &usize| region.points.iter().all(|&p| board.get(p).is_some() || touches(p, *c));
        region.vital_to = region.borders.iter().copied().filter(vital).collect();
        found.push(region);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alive(rows: &[&str]) -> (usize, usize) {
        let board = Board::from_rows(rows).unwrap();
        let found = PassAlive::of(&board, Color::Black);
        let count = |f: &dyn Fn(Point) -> bool| board.points().filter(|&p| f(p)).count();
        (count(&|p| found.is_alive(&board, p)), count(&|p| found.encloses(&board, p)))
    }

    #[test]
    fn two_eyes_live_and_one_does_not() {
        assert_eq!(alive(&[".B.B.", "BBBB.", ".....", ".....", "....."]), (6, 2));
        assert_eq!(alive(&[".B...", "BB...", ".....", ".....", "....."]), (0, 0));
        // one large eye is two only after another move
        assert_eq!(alive(&["...B.", "BBBB.", ".....", ".....", "....."]), (0, 0));
    }

    #[test]
    fn a_false_eye_is_none() {
        // the corner is shared by two chains, each with one eye of its own
        assert_eq!(alive(&[".BW..", "BWW..", "BBW..", ".BW..", "BBW.."]), (0, 0));
        // the same chains with a third eye in common live
        assert_eq!(alive(&[".B.B.", "B.BB.", "BBB..", ".....", "....."]).0, 8);
    }

    #[test]
    fn stones_shut_in_are_enclosed() {
        assert_eq!(alive(&[".BWB.", "BB.B.", "BBBB.", ".....", "....."]), (9, 3));
    }

    #[test]
    fn an_empty_or_full_area_is_nobodys() {
        assert_eq!(alive(&["...", "...", "..."]), (0, 0));
        assert_eq!(alive(&["BBB", "BBB", "BBB"]), (0, 0));
    }
}
