//! Which chains look dead: a proposal for both sides to confirm.

use serde::Serialize;

use super::PassAlive;
use super::playouts::play_out;
use crate::rules::{Board, Color, Point, Text};

/// What a chain seems to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Life {
    Alive,
    Dead,
    Unsure,
}

/// Why it seems so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It has two eyes that cannot be taken from it (Benson).
    PassAlive,
    /// It lies in an area of stones that cannot be taken, without room for an eye.
    Enclosed,
    /// So it came out when the position was played on at random.
    PlayedOn,
}

/// A chain and what it seems to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChainLife {
    pub color: Color,
    /// In board order.
    pub stones: Vec<Point>,
    pub life: Life,
    /// How sure, in percent; 50 is not at all.
    pub sure_percent: u8,
    pub reason: Reason,
}

/// What seems alive and dead at the end of a game. Never more than a proposal (000 art. 8, 21.4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Proposal {
    /// By their first stone.
    pub chains: Vec<ChainLife>,
}

impl Proposal {
    /// Every stone that seems dead, in board order.
    pub fn dead(&self) -> Vec<Point> {
        self.stones_that_seem(Life::Dead)
    }

    /// Every stone of which it is unclear, in board order.
    pub fn unsure(&self) -> Vec<Point> {
        self.stones_that_seem(Life::Unsure)
    }

    fn stones_that_seem(&self, life: Life) -> Vec<Point> {
        let chains = self.chains.iter().filter(|c| c.life == life);
        let mut stones: Vec<Point> = chains.flat_map(|c| c.stones.iter().copied()).collect();
        stones.sort();
        stones
    }
}

impl Reason {
    pub fn text(self) -> Text {
        match self {
            Reason::PassAlive => Text::new("has two eyes that cannot be taken", "有两只不可破的真眼"),
            Reason::Enclosed => Text::new(
                "shut in by stones that cannot be taken, without room for an eye",
                "被不可提取的棋包围，无眼位",
            ),
            Reason::PlayedOn => Text::new("judged by playing on at random", "按随机续弈推断"),
        }
    }
}

/// Playouts of a position; one of 19 × 19 takes about a tenth of a second in a debug build.
const PLAYOUTS: u32 = 400;
/// A chain that keeps its place in no more of a hundred playouts is dead, with at least so many alive. On finished games
/// living chains keep theirs in 80 and more, nearly all in 95.
const DEAD_PERCENT: u64 = 20;
const ALIVE_PERCENT: u64 = 80;

/// Judges every chain of a position in which nobody wants to move any more. The same position gives the same proposal.
pub fn propose(board: &Board) -> Proposal {
    let certain = [Color::Black, Color::White].map(|c| PassAlive::of(board, c));
    let owned = play_out(board, PLAYOUTS);
    let mut known = vec![false; board.points().count()];
    let mut chains = Vec::new();
    for p in board.points() {
        let Some(color) = board.get(p) else { continue };
        if known[board.index(p)] {
            continue;
        }
        let (stones, _) = board.chain(p);
        for &q in &stones {
            known[board.index(q)] = true;
        }
        let (life, sure_percent, reason) = if certain[color as usize].is_alive(board, p) {
            (Life::Alive, 100, Reason::PassAlive)
        } else if certain[color.opponent() as usize].encloses(board, p) {
            (Life::Dead, 100, Reason::Enclosed)
        } else {
            let kept: u64 = stones.iter().map(|&q| u64::from(owned.times(board, q, color))).sum();
            let kept_percent = 100 * kept / (u64::from(owned.playouts) * stones.len() as u64);
            let life = match kept_percent {
                ..=DEAD_PERCENT => Life::Dead,
                ALIVE_PERCENT.. => Life::Alive,
                _ => Life::Unsure,
            };
            (life, kept_percent.max(100 - kept_percent) as u8, Reason::PlayedOn)
        };
        chains.push(ChainLife { color, stones, life, sure_percent, reason });
    }
    Proposal { chains }
}
