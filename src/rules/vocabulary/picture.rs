//! Pictures of terms, as text boards.

use super::super::{Board, Color, Point};

/// A board and a move on it.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The term it shows. `None`: a move that has no name.
    pub id: Option<String>,
    /// What it is easily taken for and is not.
    pub not: Option<String>,
    pub board: Board,
    /// The opponent's last stone, where the name depends on it.
    pub last: Option<Point>,
    pub color: Color,
    pub point: Point,
    /// The rows as written: `b` or `w` is the move, `l` the opponent's last stone; rows and columns left out are empty.
    pub rows: Vec<String>,
}

/// Every picture, in the order of the file.
///
/// A picture begins with `= TERM SIZE` or `= TERM not OTHER SIZE` (`-`: no name); its rows are the upper left part of the board.
pub fn pictures() -> Vec<Picture> {
    let mut found: Vec<(Vec<&str>, Vec<String>)> = Vec::new();
    for line in include_str!("pictures.txt").lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
        match (line.strip_prefix("= "), found.last_mut()) {
            (Some(head), _) => found.push((head.split(' ').collect(), Vec::new())),
            (None, Some((_, rows))) => rows.push(line.to_owned()),
            (None, None) => {}
        }
    }
    found.into_iter().filter_map(|(head, rows)| read(&head, rows)).collect()
}

fn read(head: &[&str], rows: Vec<String>) -> Option<Picture> {
    let (id, not, size) = match *head {
        [id, size] => (id, None, size),
        [id, "not", not, size] => (id, Some(not.to_owned()), size),
        _ => return None,
    };
    let size: u8 = size.parse().ok()?;
    let id = (id != "-").then(|| id.to_owned());
    let mut board = Board::new(size);
    let (mut play, mut last) = (None, None);
    for (row, text) in rows.iter().enumerate() {
        for (col, letter) in text.chars().enumerate() {
            let p = Point::new(row as u8, col as u8);
            match letter {
                'B' => board.set(p, Some(Color::Black)),
                'W' => board.set(p, Some(Color::White)),
                'b' => play = Some((Color::Black, p)),
                'w' => play = Some((Color::White, p)),
                'l' => last = Some(p),
                _ => {}
            }
        }
    }
    let (color, point) = play?;
    if let Some(p) = last {
        board.set(p, Some(color.opponent()));
    }
    Some(Picture { id, not, board, last, color, point, rows })
}
