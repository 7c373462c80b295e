//! Points, colours and positions with chains, liberties and captures.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Black or White; `"B"` and `"W"` in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Color {
    #[serde(rename = "B")]
    Black,
    #[serde(rename = "W")]
    White,
}

impl Color {
    pub fn opponent(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// `'B'` or `'W'`.
    pub fn letter(self) -> char {
        match self {
            Color::Black => 'B',
            Color::White => 'W',
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

/// A crossing, zero-based; row 0 is the side nearest the top of the picture, column 0 its left. `[row, col]` in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    pub row: u8,
    pub col: u8,
}

impl Point {
    pub const fn new(row: u8, col: u8) -> Point {
        Point { row, col }
    }

    /// Spoken name as Go programs write it: column letter without I, rows from the bottom (`Q16`).
    pub fn name(self, size: u8) -> String {
        let letter = (b'A' + self.col + u8::from(self.col >= 8)) as char;
        format!("{letter}{}", size.saturating_sub(self.row))
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]", self.row, self.col)
    }
}

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        [self.row, self.col].serialize(s)
    }
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Point, D::Error> {
        let [row, col] = <[u8; 2]>::deserialize(d)?;
        Ok(Point { row, col })
    }
}

/// Largest board side; SGF and the column letters go no further.
pub const MAX_SIZE: u8 = 25;
const MAX_POINTS: usize = MAX_SIZE as usize * MAX_SIZE as usize;

/// One random-looking number per point and colour; a position's hash is the exclusive or of its stones' numbers
/// (Zobrist 1970). Fixed, so that a hash means the same in every process.
static KEYS: [[u64; 2]; MAX_POINTS] = zobrist_keys();

const fn zobrist_keys() -> [[u64; 2]; MAX_POINTS] {
    let mut keys = [[0; 2]; MAX_POINTS];
    let mut state: u64 = 0x676f_6261_6e64;
    let mut i = 0;
    while i < 2 * MAX_POINTS {
        // splitmix64
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        keys[i / 2][i % 2] = z ^ (z >> 31);
        i += 1;
    }
    keys
}

/// A set of points of one board, by index.
#[derive(Clone, PartialEq, Eq)]
struct PointSet([u64; MAX_POINTS.div_ceil(64)]);

impl PointSet {
    const fn new() -> PointSet {
        PointSet([0; MAX_POINTS.div_ceil(64)])
    }

    #[inline]
    fn has(&self, index: usize) -> bool {
        self.0[index / 64] >> (index % 64) & 1 != 0
    }

    fn flip(&mut self, index: usize) {
        self.0[index / 64] ^= 1 << (index % 64);
    }

    fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// `true` if it was not in yet.
    fn insert(&mut self, index: usize) -> bool {
        let bit = 1 << (index % 64);
        let new = self.0[index / 64] & bit == 0;
        self.0[index / 64] |= bit;
        new
    }
}

/// A position: `size` × `size` points, each empty, black or white. Stones without liberties may lie on it.
/// It holds no allocation, so that a copy costs no more than its 200 bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Board {
    /// Follows from the stones; first, so that different positions differ at once.
    hash: u64,
    /// A bit for every point, row by row: the black stones, then the white ones.
    stones: [PointSet; 2],
    size: u8,
}

impl std::hash::Hash for Board {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash ^ u64::from(self.size));
    }
}

/// Why a text is not a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseBoardError {
    #[error("a board has {rows} rows; sizes from 2 to 25 are possible")]
    Size { rows: usize },
    #[error("row {row} has {columns} characters, but the board has {rows} rows: a board is square")]
    NotSquare { row: usize, columns: usize, rows: usize },
    #[error("row {row}, column {col}: '{found}' is neither '.', 'B' nor 'W'")]
    Character { row: usize, col: usize, found: char },
}

/// What putting a stone on the board did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Opponent stones that lost their last liberty and were taken off, in board order.
    pub captured: Vec<Point>,
    /// Own stones taken off because the stone had no liberty and captured nothing (suicide), in board order.
    pub suicide: Vec<Point>,
}

impl Board {
    /// An empty board. `size` from 2 to 25.
    pub fn new(size: u8) -> Board {
        assert!((2..=MAX_SIZE).contains(&size), "board sizes from 2 to 25");
        Board { hash: 0, stones: [PointSet::new(), PointSet::new()], size }
    }

    /// Reads N rows of N characters `.`, `B`, `W`.
    pub fn from_rows<S: AsRef<str>>(rows: &[S]) -> Result<Board, ParseBoardError> {
        if !(2..=MAX_SIZE as usize).contains(&rows.len()) {
            return Err(ParseBoardError::Size { rows: rows.len() });
        }
        let mut board = Board::new(rows.len() as u8);
        for (row, text) in rows.iter().enumerate() {
            let columns = text.as_ref().chars().count();
            if columns != rows.len() {
                return Err(ParseBoardError::NotSquare { row, columns, rows: rows.len() });
            }
            for (col, found) in text.as_ref().chars().enumerate() {
                let cell = match found {
                    '.' => None,
                    'B' => Some(Color::Black),
                    'W' => Some(Color::White),
                    _ => return Err(ParseBoardError::Character { row, col, found }),
                };
                board.set(Point::new(row as u8, col as u8), cell);
            }
        }
        Ok(board)
    }

    /// N strings of N characters `.`, `B`, `W`.
    pub fn rows(&self) -> Vec<String> {
        (0..self.size)
            .map(|row| (0..self.size).map(|col| self.get(Point::new(row, col)).map_or('.', Color::letter)).collect())
            .collect()
    }

    pub fn size(&self) -> u8 {
        self.size
    }

    #[inline]
    pub fn contains(&self, p: Point) -> bool {
        p.row < self.size && p.col < self.size
    }

    /// Row-major index of `p`, fit for per-point arrays.
    #[inline]
    pub fn index(&self, p: Point) -> usize {
        p.row as usize * self.size as usize + p.col as usize
    }

    /// Every point, row by row.
    pub fn points(&self) -> impl Iterator<Item = Point> + use<> {
        let size = self.size;
        (0..size).flat_map(move |row| (0..size).map(move |col| Point { row, col }))
    }

    /// What lies on a point of the board; a point beyond it is a caller's error and panics.
    #[inline]
    pub fn get(&self, p: Point) -> Option<Color> {
        assert!(self.contains(p), "a point of the board");
        self.at(self.index(p))
    }

    #[inline]
    fn at(&self, index: usize) -> Option<Color> {
        if self.stones[0].has(index) {
            Some(Color::Black)
        } else if self.stones[1].has(index) {
            Some(Color::White)
        } else {
            None
        }
    }

    /// Sets a point without capturing anything.
    pub fn set(&mut self, p: Point, cell: Option<Color>) {
        assert!(self.contains(p), "a point of the board");
        let i = self.index(p);
        for color in self.at(i).into_iter().chain(cell) {
            self.hash ^= KEYS[i][color as usize];
            self.stones[color as usize].flip(i);
        }
    }

    /// 64-bit Zobrist hash of the stones. Equal positions have equal hashes; unequal ones may collide.
    pub fn zobrist(&self) -> u64 {
        self.hash
    }

    pub fn stones(&self, color: Color) -> usize {
        self.stones[color as usize].len()
    }

    /// The two to four points next to `p`.
    pub fn neighbors(&self, p: Point) -> impl Iterator<Item = Point> + use<> {
        let size = self.size;
        [
            (p.row > 0).then(|| Point::new(p.row - 1, p.col)),
            (p.col > 0).then(|| Point::new(p.row, p.col - 1)),
            (p.col + 1 < size).then(|| Point::new(p.row, p.col + 1)),
            (p.row + 1 < size).then(|| Point::new(p.row + 1, p.col)),
        ]
        .into_iter()
        .flatten()
    }

    /// The chain of `p` (empty if `p` is empty), in board order, and the number of its liberties.
    pub fn chain(&self, p: Point) -> (Vec<Point>, usize) {
        let Some(color) = self.get(p) else { return (Vec::new(), 0) };
        let mut seen = PointSet::new();
        let mut liberties = 0;
        let mut chain = vec![p];
        seen.insert(self.index(p));
        let mut next = 0;
        while let Some(&at) = chain.get(next) {
            next += 1;
            for n in self.neighbors(at) {
                let i = self.index(n);
                match self.at(i) {
                    None if seen.insert(i) => liberties += 1,
                    Some(c) if c == color && seen.insert(i) => chain.push(n),
                    _ => {}
                }
            }
        }
        chain.sort();
        (chain, liberties)
    }

    /// Whether the chain of `p` has a liberty; `true` for an empty point.
    pub fn has_liberty(&self, p: Point) -> bool {
        let Some(color) = self.get(p) else { return true };
        // most stones have a free point beside them
        if self.neighbors(p).any(|n| self.get(n).is_none()) {
            return true;
        }
        let mut seen = PointSet::new();
        let mut chain = vec![p];
        seen.insert(self.index(p));
        while let Some(at) = chain.pop() {
            for n in self.neighbors(at) {
                let i = self.index(n);
                match self.at(i) {
                    None => return true,
                    Some(c) if c == color && seen.insert(i) => chain.push(n),
                    _ => {}
                }
            }
        }
        false
    }

    /// Every stone whose chain has no liberty, in board order (none after a proper move).
    pub fn without_liberties(&self) -> Vec<Point> {
        let mut known = PointSet::new();
        let mut dead = Vec::new();
        for p in self.points() {
            if self.get(p).is_some() && known.insert(self.index(p)) {
                let (chain, liberties) = self.chain(p);
                for &q in &chain {
                    known.insert(self.index(q));
                }
                if liberties == 0 {
                    dead.extend(chain);
                }
            }
        }
        dead.sort();
        dead
    }

    /// Puts a stone, takes the opponent's chains without liberties off, then, if it has none itself, its own chain.
    /// An occupied point is overwritten, as SGF asks.
    pub fn place(&mut self, p: Point, color: Color) -> Placement {
        self.set(p, Some(color));
        let mut placement = Placement::default();
        for n in self.neighbors(p) {
            if self.get(n) == Some(color.opponent()) && !self.has_liberty(n) {
                let (chain, _) = self.chain(n);
                for &q in &chain {
                    self.set(q, None);
                }
                placement.captured.extend(chain);
            }
        }
        placement.captured.sort();
        if placement.captured.is_empty() && !self.has_liberty(p) {
            let (chain, _) = self.chain(p);
            for &q in &chain {
                self.set(q, None);
            }
            placement.suicide = chain;
        }
        placement
    }

    /// Every point at which `self` and `other` differ, row by row, with what `other` has there. Boards of one size.
    pub fn differences(&self, other: &Board) -> Vec<(Point, Option<Color>)> {
        if self.size != other.size {
            let both = self.points().filter(|&p| other.contains(p) && self.get(p) != other.get(p));
            return both.map(|p| (p, other.get(p))).collect();
        }
        let mut found = Vec::with_capacity(8);
        for word in 0..self.stones[0].0.len() {
            let [black, white] = [0, 1].map(|c| self.stones[c].0[word] ^ other.stones[c].0[word]);
            let mut differ = black | white;
            while differ != 0 {
                let index = word * 64 + differ.trailing_zeros() as usize;
                differ &= differ - 1;
                let size = usize::from(self.size);
                found.push((Point::new((index / size) as u8, (index % size) as u8), other.at(index)));
            }
        }
        found
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        for row in self.rows() {
            writeln!(f, "{row}")?;
        }
        Ok(())
    }
}

impl Serialize for Board {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.rows().serialize(s)
    }
}

impl<'de> Deserialize<'de> for Board {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Board, D::Error> {
        Board::from_rows(&Vec::<String>::deserialize(d)?).map_err(serde::de::Error::custom)
    }
}
