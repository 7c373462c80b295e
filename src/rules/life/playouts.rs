//! What becomes of a position if both sides play on at random without filling their eyes.

use super::field::Field;
use crate::rules::{Board, Color, Point};

/// Random numbers that are the same in every process: splitmix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (((self.next() >> 32) * n as u64) >> 32) as usize
    }

    fn three_of_four(&mut self) -> bool {
        self.next() & 3 != 0
    }
}

/// Whose each point was at the end of how many playouts. By board index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owned {
    pub playouts: u32,
    /// `[Black, White]`; what neither owned is in neither.
    times: Vec<[u32; 2]>,
}

impl Owned {
    pub fn times(&self, board: &Board, p: Point, color: Color) -> u32 {
        self.times[board.index(p)][color as usize]
    }
}

/// Plays `playouts` games to their end, either side beginning in turn. The same position gives the same.
pub(super) fn play_out(board: &Board, playouts: u32) -> Owned {
    let start = Field::new(board);
    let points: Vec<Point> = board.points().collect();
    let mut dice = Dice(board.zobrist());
    let mut times = vec![[0; 2]; points.len()];
    for n in 0..playouts {
        let mut field = start.clone();
        let first = if n % 2 == 0 { Color::Black } else { Color::White };
        play_one(&mut field, first, 3 * points.len(), &mut dice);
        for (p, times) in points.iter().zip(&mut times) {
            if let Some(color) = field.owner(field.cell(*p)) {
                times[color as usize] += 1;
            }
        }
    }
    Owned { playouts, times }
}

fn play_one(field: &mut Field, first: Color, most: usize, dice: &mut Dice) {
    let (mut color, mut passes, mut last) = (first, 0, None);
    for _ in 0..most {
        let chosen = last.and_then(|last| answer(field, last, color, dice)).or_else(|| anywhere(field, color, dice));
        match chosen {
            Some(at) => {
                field.play(at, color);
                passes = 0;
            }
            None => {
                field.pass();
                passes += 1;
                if passes == 2 {
                    return;
                }
            }
        }
        last = chosen;
        color = color.opponent();
    }
}

/// Takes what the opponent's last stone left in atari, or runs with what it put in atari; not always.
fn answer(field: &Field, last: u16, color: Color, dice: &mut Dice) -> Option<u16> {
    if let Some(at) = field.last_liberty(last).filter(|&at| field.is_legal(at, color))
        && dice.three_of_four()
    {
        return Some(at);
    }
    for n in field.around(last) {
        if field.what(n) == super::field::stone(color)
            && let Some(at) = field.last_liberty(n)
            && field.is_legal(at, color)
            && !field.is_vain(at, color)
            && dice.three_of_four()
        {
            return Some(at);
        }
    }
    beside(field, last, color, dice)
}

/// Something good beside the opponent's last stone; not always.
fn beside(field: &Field, last: u16, color: Color, dice: &mut Dice) -> Option<u16> {
    let around = field.eight_around(last);
    let start = dice.below(around.len());
    let (before, after) = around.split_at(start);
    after.iter().chain(before).find(|at| is_good(field, **at, color)).copied().filter(|_| dice.three_of_four())
}

fn anywhere(field: &Field, color: Color, dice: &mut Dice) -> Option<u16> {
    let empty = field.empty();
    if empty.is_empty() {
        return None;
    }
    let start = dice.below(empty.len());
    let (before, after) = empty.split_at(start);
    after.iter().chain(before).find(|at| is_good(field, **at, color)).copied()
}

/// Legal, no eye of one's own, and not simply given away.
fn is_good(field: &Field, at: u16, color: Color) -> bool {
    field.is_legal(at, color) && !field.is_eye(at, color) && !field.is_vain(at, color)
}
