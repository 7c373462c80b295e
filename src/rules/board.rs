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

/// A position: `size` × `size` points, each empty, black or white. Stones without liberties may lie on it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Board {
    size: u8,
    cells: Vec<Option<Color>>,
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
        assert!((2..=25).contains(&size), "board sizes from 2 to 25");
        Board { size, cells: vec![None; size as usize * size as usize] }
    }

    /// Reads N rows of N characters `.`, `B`, `W`.
    pub fn from_rows<S: AsRef<str>>(rows: &[S]) -> Result<Board, ParseBoardError> {
        if !(2..=25).contains(&rows.len()) {
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

    pub fn contains(&self, p: Point) -> bool {
        p.row < self.size && p.col < self.size
    }

    /// Row-major index of `p`, fit for per-point arrays.
    pub fn index(&self, p: Point) -> usize {
        p.row as usize * self.size as usize + p.col as usize
    }

    /// Every point, row by row.
    pub fn points(&self) -> impl Iterator<Item = Point> + use<> {
        let size = self.size;
        (0..size).flat_map(move |row| (0..size).map(move |col| Point { row, col }))
    }

    pub fn get(&self, p: Point) -> Option<Color> {
        self.cells[self.index(p)]
    }

    /// Sets a point without capturing anything.
    pub fn set(&mut self, p: Point, cell: Option<Color>) {
        let i = self.index(p);
        self.cells[i] = cell;
    }

    pub fn stones(&self, color: Color) -> usize {
        self.cells.iter().filter(|c| **c == Some(color)).count()
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
        let mut seen = vec![false; self.cells.len()];
        let mut liberties = 0;
        let mut chain = vec![p];
        seen[self.index(p)] = true;
        let mut next = 0;
        while let Some(&at) = chain.get(next) {
            next += 1;
            for n in self.neighbors(at) {
                let i = self.index(n);
                if seen[i] {
                    continue;
                }
                match self.cells[i] {
                    None => {
                        seen[i] = true;
                        liberties += 1;
                    }
                    Some(c) if c == color => {
                        seen[i] = true;
                        chain.push(n);
                    }
                    Some(_) => {}
                }
            }
        }
        chain.sort();
        (chain, liberties)
    }

    pub fn has_liberty(&self, p: Point) -> bool {
        self.chain(p).1 > 0
    }

    /// Puts a stone, takes the opponent's chains without liberties off, then, if it has none itself, its own chain.
    /// An occupied point is overwritten, as SGF asks.
    pub fn place(&mut self, p: Point, color: Color) -> Placement {
        self.set(p, Some(color));
        let mut placement = Placement::default();
        for n in self.neighbors(p).collect::<Vec<_>>() {
            if self.get(n) == Some(color.opponent()) {
                let (chain, liberties) = self.chain(n);
                if liberties == 0 {
                    for &q in &chain {
                        self.set(q, None);
                    }
                    placement.captured.extend(chain);
                }
            }
        }
        placement.captured.sort();
        let (chain, liberties) = self.chain(p);
        if liberties == 0 {
            for &q in &chain {
                self.set(q, None);
            }
            placement.suicide = chain;
        }
        placement
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
