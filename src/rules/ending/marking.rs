//! What each side holds to be dead, chain by chain.

use std::collections::BTreeSet;

use serde::Serialize;

use super::EndError;
use crate::rules::{Board, Color, Point};

/// What both sides marked after play stopped. Pairs are `[Black's, White's]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Marking {
    pub board: Board,
    /// Every stone of the chains that a side holds to be dead.
    pub dead: [BTreeSet<Point>; 2],
    /// Empty points that could still be contested.
    pub contested: BTreeSet<Point>,
    pub confirmed: [bool; 2],
}

/// A chain that one side holds to be dead and the other not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    pub chain: Vec<Point>,
    /// Who holds it to be dead.
    pub claimant: Color,
}

impl Marking {
    pub(super) fn new(board: &Board) -> Marking {
        Marking {
            board: board.clone(),
            dead: [BTreeSet::new(), BTreeSet::new()],
            contested: BTreeSet::new(),
            confirmed: [false; 2],
        }
    }

    fn chain(&self, at: Point) -> Result<Vec<Point>, EndError> {
        if !self.board.contains(at) {
            return Err(EndError::OffBoard { at });
        }
        let (chain, _) = self.board.chain(at);
        if chain.is_empty() { Err(EndError::NoStone { at }) } else { Ok(chain) }
    }

    /// A change takes the side's confirmation back.
    pub(super) fn mark(&mut self, by: Color, at: Point, dead: bool) -> Result<(), EndError> {
        let chain = self.chain(at)?;
        let view = &mut self.dead[by as usize];
        for p in chain {
            if dead {
                view.insert(p)
            } else {
                view.remove(&p)
            };
        }
        self.confirmed[by as usize] = false;
        Ok(())
    }

    pub(super) fn mark_all(&mut self, by: Color, dead: &[Point]) -> Result<(), EndError> {
        let chains: Result<Vec<_>, _> = dead.iter().map(|&at| self.chain(at)).collect();
        self.dead[by as usize] = chains?.into_iter().flatten().collect();
        self.confirmed[by as usize] = false;
        Ok(())
    }

    /// A change takes both confirmations back.
    pub(super) fn contest(&mut self, at: Point, contested: bool) -> Result<(), EndError> {
        if !self.board.contains(at) {
            return Err(EndError::OffBoard { at });
        }
        if self.board.get(at).is_some() {
            return Err(EndError::Occupied { at });
        }
        let changed = if contested { self.contested.insert(at) } else { self.contested.remove(&at) };
        if changed {
            self.confirmed = [false; 2];
        }
        Ok(())
    }

    /// Where the sides differ, chain by chain in board order.
    pub fn claims(&self) -> Vec<Claim> {
        let [black, white] = &self.dead;
        let mut left: BTreeSet<Point> = black.symmetric_difference(white).copied().collect();
        let mut claims = Vec::new();
        while let Some(&at) = left.first() {
            let (chain, _) = self.board.chain(at);
            for p in &chain {
                left.remove(p);
            }
            left.remove(&at);
            let claimant = if black.contains(&at) { Color::Black } else { Color::White };
            claims.push(Claim { chain, claimant });
        }
        claims
    }
}
