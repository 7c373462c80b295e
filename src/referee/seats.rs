//! Where the players sit, from where their arms reach in.

use crate::rules::{Color, Point};
use crate::vision::Sighting;

/// An edge of the board as the picture shows it: near is the last row, far is row 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Near,
    Far,
    Left,
    Right,
}

impl Side {
    pub const ALL: [Side; 4] = [Side::Near, Side::Far, Side::Left, Side::Right];

    pub fn opposite(self) -> Side {
        match self {
            Side::Near => Side::Far,
            Side::Far => Side::Near,
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

/// Counts which edge the hands come over before each colour's moves.
#[derive(Clone, Debug, Default)]
pub struct Seats {
    visit: [u32; 4],
    hand: bool,
    votes: [[u32; 4]; 2],
}

impl Seats {
    pub fn see(&mut self, s: &Sighting) {
        if s.hand && !self.hand {
            self.visit = [0; 4];
        }
        self.hand = s.hand;
        if !s.hand || s.size < 2 {
            return;
        }
        let last = s.size - 1;
        for k in 0..s.size {
            let edge = [Point::new(last, k), Point::new(0, k), Point::new(k, 0), Point::new(k, last)];
            for (count, p) in self.visit.iter_mut().zip(edge) {
                *count += u32::from(s.at(p).hidden > 0.5);
            }
        }
    }

    /// A move of `color` was made by the hand that is or was last over the board.
    pub fn moved(&mut self, color: Color) {
        let most = self.visit.iter().copied().max().unwrap_or(0);
        if most == 0 || self.visit.iter().filter(|&&v| v == most).count() > 1 {
            return;
        }
        if let Some(k) = self.visit.iter().position(|&v| v == most) {
            self.votes[color as usize][k] += 1;
        }
    }

    /// Where Black sits: what the arms say, else near.
    pub fn black(&self) -> Side {
        let score = |side: Side| {
            let k = |s: Side| Side::ALL.iter().position(|x| *x == s).unwrap_or(0);
            2 * (self.votes[0][k(side)] + self.votes[1][k(side.opposite())])
                + match side {
                    Side::Near => 2,
                    Side::Left => 1,
                    _ => 0,
                }
        };
        let mut best = Side::Near;
        for side in Side::ALL {
            if score(side) > score(best) {
                best = side;
            }
        }
        best
    }
}
