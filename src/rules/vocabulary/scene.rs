//! The board as the mover sees it, without colours: own stones, the opponent's, empty points and what lies beyond the edge.

use super::super::{Board, Color, MAX_SIZE, Point};

const SIDE: usize = MAX_SIZE as usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Cell {
    Empty,
    Own,
    Foe,
    /// Beyond the board.
    Edge,
}

use Cell::{Edge, Empty, Foe, Own};

impl Cell {
    pub fn is_stone(self) -> bool {
        matches!(self, Own | Foe)
    }

    fn opposite(self) -> Cell {
        match self {
            Own => Foe,
            Foe => Own,
            other => other,
        }
    }
}

/// A point or a step, also beyond the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At {
    pub row: i8,
    pub col: i8,
}

impl At {
    pub const fn new(row: i8, col: i8) -> At {
        At { row, col }
    }

    pub const fn plus(self, step: At) -> At {
        At { row: self.row + step.row, col: self.col + step.col }
    }

    pub const fn times(self, n: i8) -> At {
        At { row: self.row * n, col: self.col * n }
    }

    /// King's moves to `other`.
    pub fn distance(self, other: At) -> i8 {
        (self.row - other.row).abs().max((self.col - other.col).abs())
    }
}

pub(super) const SIDES: [At; 4] = [At::new(-1, 0), At::new(0, -1), At::new(0, 1), At::new(1, 0)];
pub(super) const CORNERS: [At; 4] = [At::new(-1, -1), At::new(-1, 1), At::new(1, -1), At::new(1, 1)];

/// One of the eight ways to look at the board: `right` and `up` are steps along its lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub right: At,
    pub up: At,
}

const fn frame(right: (i8, i8), up: (i8, i8)) -> Frame {
    Frame { right: At::new(right.0, right.1), up: At::new(up.0, up.1) }
}

pub(super) const FRAMES: [Frame; 8] = [
    frame((0, 1), (-1, 0)),
    frame((0, -1), (-1, 0)),
    frame((0, 1), (1, 0)),
    frame((0, -1), (1, 0)),
    frame((1, 0), (0, 1)),
    frame((-1, 0), (0, 1)),
    frame((1, 0), (0, -1)),
    frame((-1, 0), (0, -1)),
];

impl Frame {
    /// `x` steps right and `y` steps up.
    pub const fn step(&self, x: i8, y: i8) -> At {
        self.right.times(x).plus(self.up.times(y))
    }
}

/// A set of points, as bits.
#[derive(Clone, Copy)]
pub(super) struct Points([u64; (SIDE * SIDE).div_ceil(64)]);

impl Points {
    pub fn new() -> Points {
        Points([0; (SIDE * SIDE).div_ceil(64)])
    }

    pub fn has(&self, at: At) -> bool {
        let i = index(at);
        self.0[i / 64] & (1 << (i % 64)) != 0
    }

    /// `true` if it was not in yet.
    pub fn insert(&mut self, at: At) -> bool {
        let i = index(at);
        let new = self.0[i / 64] & (1 << (i % 64)) == 0;
        self.0[i / 64] |= 1 << (i % 64);
        new
    }
}

fn index(at: At) -> usize {
    at.row as usize * SIDE + at.col as usize
}

/// A chain of stones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    /// The same for every stone of the chain, different for every chain.
    pub id: usize,
    pub stones: usize,
    pub liberties: usize,
    /// The first liberties found.
    pub first: [At; 2],
}

/// Stones on a board.
#[derive(Clone)]
pub(super) struct Grid {
    pub size: i8,
    cells: [Cell; SIDE * SIDE],
}

impl Grid {
    /// The board with `own` as the mover's stones.
    pub fn of(board: &Board, own: Color) -> Grid {
        let mut grid = Grid { size: board.size() as i8, cells: [Empty; SIDE * SIDE] };
        for p in board.points() {
            if let Some(color) = board.get(p) {
                grid.set(At::new(p.row as i8, p.col as i8), if color == own { Own } else { Foe });
            }
        }
        grid
    }

    pub fn on_board(&self, at: At) -> bool {
        (0..self.size).contains(&at.row) && (0..self.size).contains(&at.col)
    }

    pub fn get(&self, at: At) -> Cell {
        if self.on_board(at) { self.cells[index(at)] } else { Edge }
    }

    pub fn set(&mut self, at: At, cell: Cell) {
        self.cells[index(at)] = cell;
    }

    pub fn points(&self) -> impl Iterator<Item = At> + use<> {
        let size = self.size;
        (0..size).flat_map(move |row| (0..size).map(move |col| At::new(row, col)))
    }

    pub fn neighbors(&self, at: At) -> impl Iterator<Item = At> + '_ {
        SIDES.into_iter().map(move |s| at.plus(s)).filter(|&n| self.on_board(n))
    }

    /// The chain at `at`, which has to be a stone.
    pub fn chain(&self, at: At) -> Chain {
        self.gather(at, &mut |_| {})
    }

    /// The same, telling every stone and every liberty (`true`) once.
    pub fn gather(&self, at: At, tell: &mut dyn FnMut((At, bool))) -> Chain {
        let color = self.get(at);
        let mut seen = Points::new();
        let mut stack = [At::new(0, 0); SIDE * SIDE];
        stack[0] = at;
        let mut waiting = 1;
        seen.insert(at);
        let mut chain = Chain { id: usize::MAX, stones: 0, liberties: 0, first: [at; 2] };
        while waiting > 0 {
            waiting -= 1;
            let stone = stack[waiting];
            chain.stones += 1;
            chain.id = chain.id.min(index(stone));
            tell((stone, false));
            for n in self.neighbors(stone) {
                let cell = self.cells[index(n)];
                if cell == color {
                    if seen.insert(n) {
                        stack[waiting] = n;
                        waiting += 1;
                    }
                } else if cell == Empty && seen.insert(n) {
                    if chain.liberties < 2 {
                        chain.first[chain.liberties] = n;
                    }
                    chain.liberties += 1;
                    tell((n, true));
                }
            }
        }
        chain
    }

    /// The liberties of the chain at `at` as far as the second: 0, 1 or 2 of them, and the first.
    pub fn few_liberties(&self, at: At) -> (u8, At) {
        let color = self.get(at);
        let mut seen = Points::new();
        let mut stack = [at; SIDE * SIDE];
        let mut waiting = 1;
        seen.insert(at);
        let mut first = None;
        while waiting > 0 {
            waiting -= 1;
            let stone = stack[waiting];
            for n in self.neighbors(stone) {
                let cell = self.cells[index(n)];
                if cell == color {
                    if seen.insert(n) {
                        stack[waiting] = n;
                        waiting += 1;
                    }
                } else if cell == Empty {
                    match first {
                        None => first = Some(n),
                        Some(f) if f != n => return (2, f),
                        Some(_) => {}
                    }
                }
            }
        }
        first.map_or((0, at), |f| (1, f))
    }

    fn lift(&mut self, at: At) -> usize {
        let mut stones = [at; SIDE * SIDE];
        let mut n = 0;
        self.gather(at, &mut |(p, liberty)| {
            if !liberty {
                stones[n] = p;
                n += 1;
            }
        });
        for &p in &stones[..n] {
            self.set(p, Empty);
        }
        n
    }

    /// Puts a stone of `side` on an empty point and takes off what it captures: how many. `None`, and nothing changes,
    /// where it would have no liberty.
    pub fn play(&mut self, at: At, side: Cell) -> Option<usize> {
        debug_assert!(side.is_stone());
        self.set(at, side);
        let mut captured = 0;
        for s in SIDES {
            let n = at.plus(s);
            if self.get(n) == side.opposite() && self.few_liberties(n).0 == 0 {
                captured += self.lift(n);
            }
        }
        if captured == 0 && self.few_liberties(at).0 == 0 {
            self.set(at, Empty);
            return None;
        }
        Some(captured)
    }
}

/// Different chains beside a point, at most four.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beside {
    chains: [(At, Chain); 4],
    len: usize,
    /// Stones beside the point; a chain may touch it with several.
    pub stones: usize,
}

impl Beside {
    fn new(grid: &Grid, at: At, side: Cell) -> Beside {
        let none = (at, Chain { id: 0, stones: 0, liberties: 0, first: [at; 2] });
        let mut beside = Beside { chains: [none; 4], len: 0, stones: 0 };
        for s in SIDES {
            let n = at.plus(s);
            if grid.get(n) == side {
                beside.stones += 1;
                let chain = grid.chain(n);
                if beside.iter().all(|(_, c)| c.id != chain.id) {
                    beside.chains[beside.len] = (n, chain);
                    beside.len += 1;
                }
            }
        }
        beside
    }

    pub fn iter(&self) -> impl Iterator<Item = &(At, Chain)> {
        self.chains[..self.len].iter()
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// A move and the board around it, before and after.
pub(super) struct Scene {
    pub before: Grid,
    pub after: Grid,
    pub p: At,
    /// The opponent's last stone, where it still lies.
    pub last: Option<At>,
    pub captured: usize,
    /// Own chains beside the point, before.
    pub own: Beside,
    /// The opponent's chains beside the point, before.
    pub foe: Beside,
    /// The corner it is in, if it is in one.
    pub corner: Option<Corner>,
}

/// A corner and what lay in it. Places are `(x, y)`: lines from its two edges, from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    /// The move.
    pub x: i8,
    pub y: i8,
    /// The first stones found; there may be more.
    pub stones: [((i8, i8), Cell); 4],
    pub own: usize,
    pub foe: usize,
}

impl Corner {
    /// A corner is a square of seven lines on 19 × 19, on smaller boards less than half of the board.
    fn of(grid: &Grid, p: At) -> Option<Corner> {
        let reach = 7.min((grid.size - 1) / 2);
        let lines = |x: i8| (x + 1).min(grid.size - x);
        let (x, y) = (lines(p.col), lines(p.row));
        if x > reach || y > reach {
            return None;
        }
        let mut corner = Corner { x, y, stones: [((0, 0), Empty); 4], own: 0, foe: 0 };
        let place = |line: i8, like: i8| if like < grid.size - like { line - 1 } else { grid.size - line };
        for b in 1..=reach {
            for a in 1..=reach {
                let cell = grid.get(At::new(place(b, p.row), place(a, p.col)));
                if cell.is_stone() {
                    if let Some(slot) = corner.stones.get_mut(corner.own + corner.foe) {
                        *slot = ((a, b), cell);
                    }
                    if cell == Own { corner.own += 1 } else { corner.foe += 1 }
                }
            }
        }
        Some(corner)
    }
}

impl Scene {
    /// `None` where the point is occupied, beyond the board or forbidden.
    pub fn new(board: &Board, last: Option<Point>, color: Color, point: Point) -> Option<Scene> {
        if !board.contains(point) || board.get(point).is_some() {
            return None;
        }
        let before = Grid::of(board, color);
        let p = At::new(point.row as i8, point.col as i8);
        let mut after = before.clone();
        let captured = after.play(p, Own)?;
        let last = last
            .filter(|&l| board.contains(l) && board.get(l) == Some(color.opponent()))
            .map(|l| At::new(l.row as i8, l.col as i8));
        let (own, foe) = (Beside::new(&before, p, Own), Beside::new(&before, p, Foe));
        let corner = Corner::of(&before, p);
        Some(Scene { before, after, p, last, captured, own, foe, corner })
    }

    /// What lay `x` to the right of the move and `y` above it.
    pub fn at(&self, frame: &Frame, x: i8, y: i8) -> Cell {
        self.before.get(self.spot(frame, x, y))
    }

    pub fn spot(&self, frame: &Frame, x: i8, y: i8) -> At {
        self.p.plus(frame.step(x, y))
    }

    pub fn size(&self) -> i8 {
        self.before.size
    }

    /// Line of the move counted from the edge below in this frame; 1 is the edge itself.
    pub fn line(&self, frame: &Frame) -> i8 {
        self.line_of(frame, self.p)
    }

    pub fn line_of(&self, frame: &Frame, at: At) -> i8 {
        let down = frame.up.times(-1);
        let along = |x: i8, step: i8| match step {
            1 => self.size() - x,
            -1 => x + 1,
            _ => i8::MAX,
        };
        along(at.row, down.row).min(along(at.col, down.col))
    }

    /// Line counted from the nearest edge.
    pub fn lowest_line(&self, at: At) -> i8 {
        let side = |x: i8| (x + 1).min(self.size() - x);
        side(at.row).min(side(at.col))
    }

    /// Line counted from the nearest edge that runs the other way than the edge below in this frame.
    pub fn side_line(&self, frame: &Frame, at: At) -> i8 {
        let side = |x: i8| (x + 1).min(self.size() - x);
        if frame.up.row != 0 { side(at.col) } else { side(at.row) }
    }

    /// Whether a stone of this side lies within so many king's moves of `at` (itself not counted).
    pub fn near(&self, at: At, reach: i8, side: Cell) -> bool {
        let n = self.before.size;
        let rows = (at.row - reach).max(0)..=(at.row + reach).min(n - 1);
        rows.into_iter().any(|row| {
            ((at.col - reach).max(0)..=(at.col + reach).min(n - 1)).any(|col| {
                let q = At::new(row, col);
                q != at && self.before.get(q) == side
            })
        })
    }

    /// No stone beside the point.
    pub fn is_alone(&self) -> bool {
        self.own.is_empty() && self.foe.is_empty()
    }

    /// Whether two points hold stones of different chains.
    pub fn different(&self, a: At, b: At) -> bool {
        self.before.chain(a).id != self.before.chain(b).id
    }

    /// Whether no stone lies in the rectangle; what is beyond the edge counts as clear.
    pub fn is_clear(&self, frame: &Frame, x: std::ops::RangeInclusive<i8>, y: std::ops::RangeInclusive<i8>) -> bool {
        x.into_iter().all(|i| y.clone().all(|j| matches!(self.at(frame, i, j), Empty | Edge)))
    }
}
