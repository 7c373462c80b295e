//! Equal stones, then empty points (等子比空法; 000 art. 9.4.3 and 9.4.4).
//!
//! Dead stones and prisoners go back into their own side's points. The first way then makes the *stones on the board*
//! equal, the second the *stones played*; afterwards the empty points tell who won.

use serde::Serialize;

use super::regions::Regions;
use crate::rules::{Board, Color};

/// What was done on the board. Pairs are `[Black, White]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Equalized {
    /// Prisoners and dead stones of each side put back into its own points.
    pub returned: [usize; 2],
    /// Prisoners for which the own points did not suffice. By equal moves each costs an empty point all the same.
    pub no_room: [usize; 2],
    /// Stones added to make the numbers equal.
    pub added: [usize; 2],
    /// Stones taken off the board because the other side had no room to add one; their points stay their owner's.
    pub taken_off: [usize; 2],
    /// Stones each side played, with those set before the first move: what lies on the board and what became prisoner.
    pub played: [usize; 2],
    /// Empty points that are left, less prisoners and added stones without room.
    pub empty: [i64; 2],
    /// The board as it lies then.
    pub board: Board,
}

/// The side with fewer, and how many it lacks.
fn lacks([black, white]: [usize; 2]) -> (Color, usize) {
    if black < white { (Color::Black, white - black) } else { (Color::White, black - white) }
}

/// Puts up to `n` stones on own empty points; how many found room.
fn put(board: &mut Board, regions: &Regions, color: Color, n: usize) -> usize {
    let room: Vec<_> = regions.own_points(color).into_iter().filter(|&p| board.get(p).is_none()).take(n).collect();
    for &p in &room {
        board.set(p, Some(color));
    }
    room.len()
}

/// `lost`: stones of each side that are off the board, prisoners of play and dead ones.
fn give_home(board: &Board, regions: &Regions, lost: [usize; 2]) -> Equalized {
    let mut board = board.clone();
    let played = [Color::Black, Color::White].map(|c| board.stones(c) + lost[c as usize]);
    let returned = [Color::Black, Color::White].map(|c| put(&mut board, regions, c, lost[c as usize]));
    let no_room = [lost[0] - returned[0], lost[1] - returned[1]];
    Equalized { returned, no_room, added: [0; 2], taken_off: [0; 2], played, empty: [0; 2], board }
}

fn empty_points(board: &Board, regions: &Regions, color: Color) -> i64 {
    regions.own_points(color).into_iter().filter(|&p| board.get(p).is_none()).count() as i64
}

/// 等子比空法一 (000 art. 9.4.3, as in American, British and French rules): as many stones of either colour on the board.
pub(super) fn equal_stones(board: &Board, regions: &Regions, lost: [usize; 2]) -> Equalized {
    let mut e = give_home(board, regions, lost);
    let (fewer, lack) = lacks([e.board.stones(Color::Black), e.board.stones(Color::White)]);
    let added = put(&mut e.board, regions, fewer, lack);
    e.added[fewer as usize] = added;
    let more = fewer.opponent();
    let stones: Vec<_> = e.board.points().filter(|&p| e.board.get(p) == Some(more)).collect();
    for &p in stones.iter().rev().take(lack - added) {
        e.board.set(p, None);
    }
    e.taken_off[more as usize] = lack - added;
    for color in [Color::Black, Color::White] {
        // a stone taken off a point that was no territory leaves its own point behind
        let bared = board.points().filter(|&p| board.get(p) == Some(color) && e.board.get(p).is_none()).count();
        e.empty[color as usize] = empty_points(&e.board, regions, color) + bared as i64;
    }
    e
}

/// 等子比空法二 (000 art. 9.4.4, the improved Japanese rules): as many stones of either colour played. The article asks
/// for it once a side has given up a move; by art. 21.1 no game ends without that, the side to move giving up its move
/// when it proposes the end, so it is always done.
pub(super) fn equal_moves(board: &Board, regions: &Regions, lost: [usize; 2]) -> Equalized {
    let mut e = give_home(board, regions, lost);
    let (fewer, lack) = lacks(e.played);
    let added = put(&mut e.board, regions, fewer, lack);
    e.added[fewer as usize] = lack;
    for color in [Color::Black, Color::White] {
        e.empty[color as usize] = empty_points(&e.board, regions, color) - e.no_room[color as usize] as i64;
    }
    e.empty[fewer as usize] -= (lack - added) as i64;
    e
}
