//! Chains of the position that lies on the board, kept from move to move.
//!
//! Every stone knows its chain's head; the head knows how often its stones touch an empty point (a point that touches two
//! of them counts twice). A chain without such contacts has no liberty, so that a capture is seen without searching.
//! Every change is recorded and can be taken back exactly, in reverse order.

use super::{Board, Color, Point};

const EMPTY: u8 = 0;
const EDGE: u8 = 3;

const fn stone(color: Color) -> u8 {
    color as u8 + 1
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    what: u8,
    /// The chain that the stone belongs to, by the cell of its head.
    head: u16,
    /// The next stone of the chain, in a circle.
    next: u16,
    /// At a head: stones of the chain.
    size: u16,
    /// At a head: contacts with empty points.
    free: u16,
}

const NOTHING: Cell = Cell { what: EMPTY, head: 0, next: 0, size: 0, free: 0 };

/// What a stone would do.
pub(super) struct Effect {
    /// Opponent's stones without a liberty, in board order.
    pub captured: Vec<Point>,
    /// The stone would have no liberty and captures nothing.
    pub suicide: bool,
}

/// Up to four different chains beside a point, with the number of contacts.
#[derive(Clone, Copy, Default)]
struct Beside {
    heads: [u16; 4],
    contacts: [u16; 4],
    len: u8,
}

impl Beside {
    fn add(&mut self, head: u16) {
        let len = self.len as usize;
        match self.heads[..len].iter().position(|&h| h == head) {
            Some(i) => self.contacts[i] += 1,
            None => {
                self.heads[len] = head;
                self.contacts[len] = 1;
                self.len += 1;
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = (u16, u16)> + use<'_> {
        let len = self.len as usize;
        self.heads[..len].iter().copied().zip(self.contacts[..len].iter().copied())
    }
}

/// What [`Chains::put`] changed, to be taken back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    at: u16,
    before: Cell,
    /// The chain that grew and the one that went into it, in that order of events.
    merged: [(u16, u16); 4],
    merges: u8,
    captured: [u16; 4],
    captures: u8,
}

#[derive(Clone, Debug)]
pub(super) struct Chains {
    /// Cells a row: the board's side and one for the edge, which the next row shares.
    stride: u16,
    cells: Box<[Cell]>,
}

impl Chains {
    pub fn of(board: &Board) -> Chains {
        let stride = u16::from(board.size()) + 1;
        let mut cells = vec![Cell { what: EDGE, ..NOTHING }; (stride * (stride + 1) + 1) as usize].into_boxed_slice();
        for p in board.points() {
            cells[(p.row as usize + 1) * stride as usize + p.col as usize + 1] = NOTHING;
        }
        let mut chains = Chains { stride, cells };
        // stones without liberties may lie there: nothing is taken
        for p in board.points() {
            if let Some(color) = board.get(p) {
                chains.add(chains.cell(p), color);
            }
        }
        chains
    }

    fn cell(&self, p: Point) -> u16 {
        (u16::from(p.row) + 1) * self.stride + u16::from(p.col) + 1
    }

    fn point(&self, at: u16) -> Point {
        Point::new((at / self.stride - 1) as u8, (at % self.stride - 1) as u8)
    }

    fn around(&self, at: u16) -> [u16; 4] {
        [at - self.stride, at - 1, at + 1, at + self.stride]
    }

    fn stones(&self, head: u16) -> impl Iterator<Item = u16> + use<'_> {
        let mut at = Some(head);
        std::iter::from_fn(move || {
            let this = at?;
            let next = self.cells[this as usize].next;
            at = (next != head).then_some(next);
            Some(this)
        })
    }

    /// Empty points, own chains and the opponent's beside a point.
    fn look(&self, at: u16, color: Color) -> (u16, Beside, Beside) {
        let (mut free, mut own, mut other) = (0, Beside::default(), Beside::default());
        for n in self.around(at) {
            let cell = &self.cells[n as usize];
            match cell.what {
                EMPTY => free += 1,
                EDGE => {}
                what if what == stone(color) => own.add(cell.head),
                _ => other.add(cell.head),
            }
        }
        (free, own, other)
    }

    /// What a stone on the empty point `p` would do.
    pub fn effect(&self, p: Point, color: Color) -> Effect {
        let (free, own, other) = self.look(self.cell(p), color);
        let mut captured = Vec::new();
        for (head, contacts) in other.iter() {
            let chain = &self.cells[head as usize];
            if chain.free == contacts {
                captured.reserve(chain.size as usize);
                captured.extend(self.stones(head).map(|at| self.point(at)));
            }
        }
        captured.sort_unstable();
        let breathes = |(head, contacts): (u16, u16)| self.cells[head as usize].free > contacts;
        let suicide = captured.is_empty() && free == 0 && !own.iter().any(breathes);
        Effect { captured, suicide }
    }

    /// Puts a stone on the empty point `p` and takes the opponent's chains without liberties off.
    /// The stone must not be a suicide.
    pub fn put(&mut self, p: Point, color: Color) -> Change {
        let at = self.cell(p);
        let mut change = self.add(at, color);
        for n in self.around(at) {
            let cell = self.cells[n as usize];
            if cell.what == stone(color.opponent()) && self.cells[cell.head as usize].free == 0 {
                self.clear(cell.head);
                change.captured[change.captures as usize] = cell.head;
                change.captures += 1;
            }
        }
        change
    }

    /// Takes [`Chains::put`] back, if nothing else has been put since.
    pub fn take_back(&mut self, change: &Change) {
        let color = self.cells[change.at as usize].what;
        let opponent = if color == stone(Color::Black) { Color::White } else { Color::Black };
        for &head in change.captured[..change.captures as usize].iter().rev() {
            let mut at = head;
            loop {
                self.cells[at as usize].what = stone(opponent);
                at = self.cells[at as usize].next;
                if at == head {
                    break;
                }
            }
            self.breathe(head, |free| free - 1);
        }
        for &(grown, gone) in change.merged[..change.merges as usize].iter().rev() {
            self.cells[grown as usize].size -= self.cells[gone as usize].size;
            self.cells[grown as usize].free -= self.cells[gone as usize].free;
            self.splice(grown, gone);
            self.relabel(gone, gone);
        }
        self.cells[change.at as usize] = change.before;
        for n in self.around(change.at) {
            let cell = self.cells[n as usize];
            if cell.what != EMPTY && cell.what != EDGE {
                self.cells[cell.head as usize].free += 1;
            }
        }
    }

    /// A stone, and its chain; nothing is taken.
    fn add(&mut self, at: u16, color: Color) -> Change {
        let (free, own, _) = self.look(at, color);
        let before = self.cells[at as usize];
        let mut change = Change { at, before, merged: [(0, 0); 4], merges: 0, captured: [0; 4], captures: 0 };
        for n in self.around(at) {
            let cell = self.cells[n as usize];
            if cell.what != EMPTY && cell.what != EDGE {
                self.cells[cell.head as usize].free -= 1;
            }
        }
        self.cells[at as usize] = Cell { what: stone(color), head: at, next: at, size: 1, free };
        let mut head = at;
        for (other, _) in own.iter() {
            let (grown, gone) = if self.cells[other as usize].size >= self.cells[head as usize].size {
                (other, head)
            } else {
                (head, other)
            };
            self.relabel(gone, grown);
            self.splice(grown, gone);
            self.cells[grown as usize].size += self.cells[gone as usize].size;
            self.cells[grown as usize].free += self.cells[gone as usize].free;
            change.merged[change.merges as usize] = (grown, gone);
            change.merges += 1;
            head = grown;
        }
        change
    }

    /// Makes one circle of two, or two of one.
    fn splice(&mut self, a: u16, b: u16) {
        let next = self.cells[a as usize].next;
        self.cells[a as usize].next = self.cells[b as usize].next;
        self.cells[b as usize].next = next;
    }

    fn relabel(&mut self, first: u16, head: u16) {
        let mut at = first;
        loop {
            let cell = &mut self.cells[at as usize];
            cell.head = head;
            at = cell.next;
            if at == first {
                break;
            }
        }
    }

    /// Takes a chain off. Its cells keep what they said of it, for [`Chains::take_back`].
    fn clear(&mut self, head: u16) {
        let mut at = head;
        loop {
            self.cells[at as usize].what = EMPTY;
            at = self.cells[at as usize].next;
            if at == head {
                break;
            }
        }
        self.breathe(head, |free| free + 1);
    }

    /// Changes the contacts of every stone of another colour beside the chain.
    fn breathe(&mut self, head: u16, change: impl Fn(u16) -> u16) {
        let own = self.cells[head as usize].what;
        let mut at = head;
        loop {
            for n in self.around(at) {
                let cell = self.cells[n as usize];
                if cell.what != EMPTY && cell.what != EDGE && cell.what != own {
                    let free = &mut self.cells[cell.head as usize].free;
                    *free = change(*free);
                }
            }
            at = self.cells[at as usize].next;
            if at == head {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that a chain's stones say: for every stone its chain in board order and the contacts.
    fn described(chains: &Chains, board: &Board) -> Vec<Option<(Vec<Point>, u16)>> {
        let of = |p| {
            let cell = chains.cells[chains.cell(p) as usize];
            (cell.what != EMPTY).then(|| {
                let mut stones: Vec<Point> = chains.stones(cell.head).map(|at| chains.point(at)).collect();
                stones.sort();
                assert_eq!(stones.len(), chains.cells[cell.head as usize].size as usize);
                (stones, chains.cells[cell.head as usize].free)
            })
        };
        board.points().map(of).collect()
    }

    #[test]
    fn chains_follow_the_board_and_every_change_can_be_taken_back() {
        let mut state = 7_u64;
        let mut dice = move |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for size in [2, 3, 5, 9] {
            let mut board = Board::new(size);
            let mut chains = Chains::of(&board);
            let mut before = Vec::new();
            for n in 0..500 {
                let p = Point::new(dice(u64::from(size)) as u8, dice(u64::from(size)) as u8);
                let color = if n % 2 == 0 { Color::Black } else { Color::White };
                if board.get(p).is_some() {
                    continue;
                }
                let effect = chains.effect(p, color);
                let mut after = board.clone();
                let placed = after.place(p, color);
                assert_eq!(effect.captured, placed.captured);
                assert_eq!(effect.suicide, !placed.suicide.is_empty());
                if effect.suicide {
                    continue;
                }
                before.push((board.clone(), chains.put(p, color)));
                board = after;
                assert_eq!(described(&chains, &board), described(&Chains::of(&board), &board));
            }
            while let Some((board, change)) = before.pop() {
                chains.take_back(&change);
                assert_eq!(described(&chains, &board), described(&Chains::of(&board), &board));
            }
        }
    }
}
