//! Counting by filling (填满计数; 000 art. 9.4.2, known as Ing's).
//!
//! Both sides own exactly the same number of stones, 180 on 19 × 19. Prisoners go home; each side fills its own points
//! with its own stones. Who is left with stones has too few points, who is left with empty points has that many more.

use serde::Serialize;

use super::regions::Regions;
use crate::rules::{Board, Color};

/// What was done on the board, and what was left. Pairs are `[Black, White]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Filled {
    /// Stones that each side owns: half of the board's points.
    pub stones_each: usize,
    /// Stones that lay on the board beyond that number (borrowed during the game) and went off again first.
    pub given_back: [usize; 2],
    /// Stones put on own empty points.
    pub filled: [usize; 2],
    /// Stones for which there was no point any more (盈).
    pub left_over: [usize; 2],
    /// Own points for which there was no stone any more (缺).
    pub unfilled: [usize; 2],
    /// The board as it lies then.
    pub board: Board,
}

pub(super) fn fill(board: &Board, regions: &Regions) -> Filled {
    let stones_each = board.points().count() / 2;
    let mut board = board.clone();
    let (mut given_back, mut filled, mut left_over, mut unfilled) = ([0; 2], [0; 2], [0; 2], [0; 2]);
    for color in [Color::Black, Color::White] {
        let side = color as usize;
        let on_board: Vec<_> = board.points().filter(|&p| board.get(p) == Some(color)).collect();
        for &p in on_board.iter().skip(stones_each) {
            board.set(p, None);
            given_back[side] += 1;
        }
        let mut bowl = stones_each.saturating_sub(on_board.len());
        let own = regions.own_points(color);
        for &p in &own {
            if bowl == 0 {
                break;
            }
            board.set(p, Some(color));
            bowl -= 1;
            filled[side] += 1;
        }
        left_over[side] = bowl;
        // a stone given back leaves its own point empty
        unfilled[side] = own.len() - filled[side] + given_back[side];
    }
    Filled { stones_each, given_back, filled, left_over, unfilled, board }
}
