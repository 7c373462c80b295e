//! The empty areas of a position, whose they are, and the groups that they hold together.

use std::collections::HashSet;

use crate::rules::{Board, Color, Point};

/// One connected empty area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub points: Vec<Point>,
    /// Whether it touches stones of `[Black, White]`.
    pub touches: [bool; 2],
}

impl Region {
    /// The colour that alone it reaches (000 art. 9.1: 通过直线相连所达到的都是同一方棋子).
    pub fn owner(&self) -> Option<Color> {
        match self.touches {
            [true, false] => Some(Color::Black),
            [false, true] => Some(Color::White),
            _ => None,
        }
    }
}

/// Stones that touch one another or border one area of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub color: Color,
    pub stones: Vec<Point>,
    /// Its own areas, as indices of [`Regions::all`].
    pub areas: Vec<usize>,
}

/// Every empty area of a position, with some points shared whatever they reach.
#[derive(Clone, Debug)]
pub(super) struct Regions {
    pub all: Vec<Region>,
    /// Index of the area that a point belongs to; `None` for stones and contested points. By board index.
    of: Vec<Option<usize>>,
}

impl Regions {
    /// `contested`: empty points that belong to nobody (000 art. 21.2); they also part the areas beside them.
    pub fn new(board: &Board, contested: &[Point]) -> Regions {
        let contested: HashSet<Point> = contested.iter().copied().collect();
        let mut all = Vec::new();
        let mut of = vec![None; board.points().count()];
        for start in board.points() {
            if board.get(start).is_some() || contested.contains(&start) || of[board.index(start)].is_some() {
                continue;
            }
            let id = all.len();
            let mut region = Region { points: vec![start], touches: [false; 2] };
            of[board.index(start)] = Some(id);
            let mut next = 0;
            while let Some(&at) = region.points.get(next) {
                next += 1;
                for n in board.neighbors(at) {
                    match board.get(n) {
                        Some(color) => region.touches[color as usize] = true,
                        None if of[board.index(n)].is_none() && !contested.contains(&n) => {
                            of[board.index(n)] = Some(id);
                            region.points.push(n);
                        }
                        None => {}
                    }
                }
            }
            region.points.sort();
            all.push(region);
        }
        Regions { all, of }
    }

    pub fn area_of(&self, board: &Board, p: Point) -> Option<usize> {
        self.of[board.index(p)]
    }

    pub fn owner(&self, board: &Board, p: Point) -> Option<Color> {
        self.area_of(board, p).and_then(|id| self.all[id].owner())
    }

    /// Empty points that are `color`'s own, in board order.
    pub fn own_points(&self, color: Color) -> Vec<Point> {
        let mut points: Vec<Point> =
            self.all.iter().filter(|r| r.owner() == Some(color)).flat_map(|r| r.points.iter().copied()).collect();
        points.sort();
        points
    }

    /// The groups of one colour, by their first stone.
    pub fn groups(&self, board: &Board, color: Color) -> Vec<Group> {
        let own = |p: Point| board.get(p) == Some(color) || self.owner(board, p) == Some(color);
        let mut seen = vec![false; self.of.len()];
        let mut groups = Vec::new();
        for p in board.points() {
            if board.get(p) != Some(color) || seen[board.index(p)] {
                continue;
            }
            let mut group = Group { color, stones: Vec::new(), areas: Vec::new() };
            let mut left = vec![p];
            seen[board.index(p)] = true;
            while let Some(at) = left.pop() {
                match self.area_of(board, at) {
                    Some(id) if !group.areas.contains(&id) => group.areas.push(id),
                    Some(_) => {}
                    None => group.stones.push(at),
                }
                for n in board.neighbors(at) {
                    if own(n) && !seen[board.index(n)] {
                        seen[board.index(n)] = true;
                        left.push(n);
                    }
                }
            }
            group.stones.sort();
            group.areas.sort();
            groups.push(group);
        }
        groups
    }
}
