//! Names of moves: a picture for every term, near misses, and what must hold for every board.

use goband::rules::vocabulary::{Picture, Term, name_on_board, pictures};
use goband::rules::{Board, Color, Point};

/// One of the eight symmetries of the board.
fn turned(p: Point, size: u8, symmetry: u8) -> Point {
    let (mut row, mut col) = (p.row, p.col);
    if symmetry & 1 != 0 {
        row = size - 1 - row;
    }
    if symmetry & 2 != 0 {
        col = size - 1 - col;
    }
    if symmetry & 4 != 0 {
        (row, col) = (col, row);
    }
    Point::new(row, col)
}

fn turned_board(board: &Board, symmetry: u8, swap: bool) -> Board {
    let mut out = Board::new(board.size());
    for p in board.points() {
        let stone = board.get(p).map(|c| if swap { c.opponent() } else { c });
        out.set(turned(p, board.size(), symmetry), stone);
    }
    out
}

fn name_turned(
    board: &Board,
    last: Option<Point>,
    color: Color,
    point: Point,
    symmetry: u8,
    swap: bool,
) -> Option<Term> {
    let size = board.size();
    let color = if swap { color.opponent() } else { color };
    let last = last.map(|l| turned(l, size, symmetry));
    name_on_board(&turned_board(board, symmetry, swap), last, color, turned(point, size, symmetry))
}

fn shown(p: &Picture) -> String {
    p.rows.join("\n")
}

#[test]
fn every_picture_has_its_name_however_it_is_turned_and_in_both_colours() {
    let mut wrong = Vec::new();
    for p in pictures() {
        let found: Vec<Option<&str>> =
            (0..16).map(|s| name_turned(&p.board, p.last, p.color, p.point, s & 7, s & 8 != 0).map(|t| t.id)).collect();
        if found.iter().any(|f| *f != p.id.as_deref()) {
            wrong.push(format!("{:?}, not {:?}:\n{}\nfound {found:?}\n", p.id, p.not, shown(&p)));
        }
    }
    assert!(wrong.is_empty(), "{} pictures\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_term_has_a_picture_and_a_near_miss() {
    let pictures = pictures();
    for term in Term::all() {
        assert!(pictures.iter().any(|p| p.id.as_deref() == Some(term.id)), "{}: no picture", term.id);
        assert!(pictures.iter().any(|p| p.not.as_deref() == Some(term.id)), "{}: no near miss", term.id);
    }
    for p in &pictures {
        for id in p.id.iter().chain(&p.not) {
            assert!(Term::by_id(id).is_some(), "{id}: no such term");
        }
        assert_ne!(p.id, p.not);
    }
}
