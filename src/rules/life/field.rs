//! A board for fast random play: chains that know whether one liberty is left to them.

use crate::rules::{Board, Color, Point};

pub(super) const EMPTY: u8 = 0;
const EDGE: u8 = 3;
/// No cell.
const NONE: u16 = 0;

pub(super) const fn stone(color: Color) -> u8 {
    color as u8 + 1
}

/// What the stones of a chain say together. Contacts with empty points are counted as often as a stone has them; if the
/// square of their sum is their number times the sum of their squares, they are all at one point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Contacts {
    n: u32,
    sum: u32,
    squares: u32,
}

impl Contacts {
    fn add(&mut self, at: u16) {
        let at = u32::from(at);
        self.n += 1;
        self.sum += at;
        self.squares += at * at;
    }

    fn remove(&mut self, at: u16) {
        let at = u32::from(at);
        self.n -= 1;
        self.sum -= at;
        self.squares -= at * at;
    }

    /// The one liberty, if there is exactly one.
    fn only(self) -> Option<u16> {
        let (n, sum) = (u64::from(self.n), u64::from(self.sum));
        (n > 0 && n * u64::from(self.squares) == sum * sum).then(|| (sum / n) as u16)
    }
}

/// A position in which stones are played at random. Cells are numbered with an edge around the board.
#[derive(Clone, Debug)]
pub(super) struct Field {
    stride: u16,
    what: Vec<u8>,
    /// The chain of a stone, by the cell of its head.
    head: Vec<u16>,
    /// The next stone of the chain, in a circle.
    next: Vec<u16>,
    /// At heads: stones, and contacts with empty points.
    size: Vec<u16>,
    contacts: Vec<Contacts>,
    /// Empty cells in no order, and where in the list a cell stands.
    empty: Vec<u16>,
    slot: Vec<u16>,
    /// Where a single stone may not be retaken at once.
    ko: u16,
}

impl Field {
    pub fn new(board: &Board) -> Field {
        let stride = u16::from(board.size()) + 2;
        let cells = usize::from(stride) * usize::from(stride);
        let mut field = Field {
            stride,
            what: vec![EDGE; cells],
            head: vec![NONE; cells],
            next: vec![NONE; cells],
            size: vec![0; cells],
            contacts: vec![Contacts::default(); cells],
            empty: Vec::with_capacity(cells),
            slot: vec![0; cells],
            ko: NONE,
        };
        for p in board.points() {
            let at = field.cell(p);
            field.what[at as usize] = EMPTY;
            field.slot[at as usize] = field.empty.len() as u16;
            field.empty.push(at);
        }
        for p in board.points() {
            if let Some(color) = board.get(p) {
                field.put(field.cell(p), color);
            }
        }
        field
    }

    pub fn cell(&self, p: Point) -> u16 {
        (u16::from(p.row) + 1) * self.stride + u16::from(p.col) + 1
    }

    pub fn what(&self, at: u16) -> u8 {
        self.what[at as usize]
    }

    pub fn empty(&self) -> &[u16] {
        &self.empty
    }

    pub fn around(&self, at: u16) -> [u16; 4] {
        [at - self.stride, at - 1, at + 1, at + self.stride]
    }

    pub fn eight_around(&self, at: u16) -> [u16; 8] {
        let s = self.stride;
        [at - s - 1, at - s, at - s + 1, at - 1, at + 1, at + s - 1, at + s, at + s + 1]
    }

    /// The last liberty of the chain at `at`, if it is in atari.
    pub fn last_liberty(&self, at: u16) -> Option<u16> {
        self.contacts[self.head[at as usize] as usize].only()
    }

    fn contacts_with(&self, at: u16, head: u16) -> u32 {
        let beside = |n: &u16| self.what(*n) != EMPTY && self.what(*n) != EDGE && self.head[*n as usize] == head;
        self.around(at).iter().filter(|n| beside(n)).count() as u32
    }

    fn captures(&self, at: u16, color: Color) -> bool {
        self.around(at).iter().any(|&n| self.what(n) == stone(color.opponent()) && self.last_liberty(n) == Some(at))
    }

    /// Neither occupied, suicide nor a ko retaken at once.
    pub fn is_legal(&self, at: u16, color: Color) -> bool {
        if self.what(at) != EMPTY || at == self.ko {
            return false;
        }
        self.around(at).iter().any(|&n| {
            let what = self.what(n);
            what == EMPTY
                || what == stone(color) && self.last_liberty(n) != Some(at)
                || what == stone(color.opponent()) && self.last_liberty(n) == Some(at)
        })
    }

    /// Own stones on all sides, and no more than one of the opponent's at the corners (none at the edge).
    pub fn is_eye(&self, at: u16, color: Color) -> bool {
        if self.around(at).iter().any(|&n| self.what(n) != stone(color) && self.what(n) != EDGE) {
            return false;
        }
        let s = self.stride;
        let corners = [at - s - 1, at - s + 1, at + s - 1, at + s + 1];
        let count = |what| corners.iter().filter(|&&c| self.what(c) == what).count();
        count(stone(color.opponent())) + usize::from(count(EDGE) > 0) < 2
    }

    /// A stone that leaves its chain in atari without capturing, unless what the opponent then takes is a shape that
    /// leaves him one eye.
    pub fn is_vain(&self, at: u16, color: Color) -> bool {
        let mut liberty = None;
        let mut another = |l: u16| liberty.replace(l).is_some_and(|before| before != l);
        let mut own = [NONE; 4];
        for (i, &n) in self.around(at).iter().enumerate() {
            let what = self.what(n);
            if what == EMPTY {
                if another(n) {
                    return false;
                }
            } else if what == stone(color) {
                let head = self.head[n as usize];
                if own.contains(&head) {
                    continue;
                }
                own[i] = head;
                let mut rest = self.contacts[head as usize];
                for _ in 0..self.contacts_with(at, head) {
                    rest.remove(at);
                }
                match rest.only() {
                    Some(l) if another(l) => return false,
                    None if rest.n > 0 => return false,
                    _ => {}
                }
            }
        }
        if self.captures(at, color) {
            return false;
        }
        let stones: u16 = own.iter().filter(|&&h| h != NONE).map(|&h| self.size[h as usize]).sum();
        if stones >= LARGEST_NAKADE {
            return true;
        }
        let mut shape = vec![at];
        for &head in own.iter().filter(|&&h| h != NONE) {
            let mut cell = head;
            loop {
                shape.push(cell);
                cell = self.next[cell as usize];
                if cell == head {
                    break;
                }
            }
        }
        !self.is_nakade(&shape)
    }

    /// Whether an area of this shape is one eye if the attacker plays first (点眼): up to three points; of four the square and
    /// the pyramid, of five the cross and the bulky five, of six the rabbity six.
    fn is_nakade(&self, shape: &[u16]) -> bool {
        let degree = |at: u16| self.around(at).iter().filter(|n| shape.contains(n)).count();
        let links: usize = shape.iter().map(|&at| degree(at)).sum();
        let most = shape.iter().map(|&at| degree(at)).max().unwrap_or(0);
        match shape.len() {
            ..=3 => true,
            4 => most == 3 || links == 8,
            5 => most == 4 || links == 10,
            6 => most == 4 && links == 12,
            _ => false,
        }
    }

    /// Puts a stone and takes the opponent's chains without liberties off.
    pub fn play(&mut self, at: u16, color: Color) {
        let alone = self.around(at).iter().all(|&n| self.what(n) == EDGE || self.what(n) == stone(color.opponent()));
        self.put(at, color);
        let (mut taken, mut where_taken) = (0, NONE);
        for n in self.around(at) {
            if self.what(n) == stone(color.opponent()) {
                let head = self.head[n as usize];
                if self.contacts[head as usize].n == 0 {
                    taken += self.size[head as usize];
                    where_taken = head;
                    self.clear(head);
                }
            }
        }
        self.ko = if alone && taken == 1 { where_taken } else { NONE };
    }

    pub fn pass(&mut self) {
        self.ko = NONE;
    }

    fn put(&mut self, at: u16, color: Color) {
        let here = at as usize;
        let slot = self.slot[here] as usize;
        let last = self.empty.pop().expect("the cell is empty");
        if last != at {
            self.empty[slot] = last;
            self.slot[last as usize] = slot as u16;
        }
        self.what[here] = stone(color);
        self.head[here] = at;
        self.next[here] = at;
        self.size[here] = 1;
        self.contacts[here] = Contacts::default();
        for n in self.around(at) {
            match self.what(n) {
                EMPTY => self.contacts[here].add(n),
                EDGE => {}
                _ => self.contacts[self.head[n as usize] as usize].remove(at),
            }
        }
        for n in self.around(at) {
            if self.what(n) == stone(color) && self.head[n as usize] != self.head[here] {
                self.join(self.head[here], self.head[n as usize]);
            }
        }
    }

    fn join(&mut self, a: u16, b: u16) {
        let (grown, gone) = if self.size[a as usize] >= self.size[b as usize] { (a, b) } else { (b, a) };
        let mut at = gone;
        loop {
            self.head[at as usize] = grown;
            at = self.next[at as usize];
            if at == gone {
                break;
            }
        }
        self.next.swap(grown as usize, gone as usize);
        self.size[grown as usize] += self.size[gone as usize];
        let more = self.contacts[gone as usize];
        let contacts = &mut self.contacts[grown as usize];
        contacts.n += more.n;
        contacts.sum += more.sum;
        contacts.squares += more.squares;
    }

    fn clear(&mut self, head: u16) {
        let mut at = head;
        loop {
            self.what[at as usize] = EMPTY;
            self.slot[at as usize] = self.empty.len() as u16;
            self.empty.push(at);
            for n in self.around(at) {
                if self.what(n) != EMPTY && self.what(n) != EDGE && self.head[n as usize] != head {
                    self.contacts[self.head[n as usize] as usize].add(at);
                }
            }
            at = self.next[at as usize];
            if at == head {
                break;
            }
        }
    }

    /// Whose a cell is when nobody moves any more: a stone's, or that of the stones around an eye.
    pub fn owner(&self, at: u16) -> Option<Color> {
        let color = |what| match what {
            1 => Some(Color::Black),
            2 => Some(Color::White),
            _ => None,
        };
        color(self.what(at)).or_else(|| {
            let mut owners = self.around(at).into_iter().filter_map(|n| color(self.what(n)));
            let first = owners.next()?;
            owners.all(|o| o == first).then_some(first)
        })
    }
}

const LARGEST_NAKADE: u16 = 6;

#[cfg(test)]
mod tests {
    use super::*;

    /// What the chains say, counted anew.
    fn check(field: &Field, board: &Board) {
        for p in board.points() {
            let at = field.cell(p);
            assert_eq!(field.what(at), board.get(p).map_or(EMPTY, stone), "{p}");
            match board.get(p) {
                None => assert_eq!(field.empty[field.slot[at as usize] as usize], at),
                Some(_) => {
                    let (chain, liberties) = board.chain(p);
                    assert_eq!(field.size[field.head[at as usize] as usize] as usize, chain.len());
                    assert_eq!(field.last_liberty(at).is_some(), liberties == 1, "{p}");
                }
            }
        }
        assert_eq!(field.empty.len(), board.points().filter(|&p| board.get(p).is_none()).count());
    }

    #[test]
    fn the_field_follows_the_board() {
        let mut state = 11_u64;
        let mut dice = move |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for size in [2_u8, 5, 9, 19] {
            let mut board = Board::new(size);
            let mut field = Field::new(&board);
            for n in 0..600 {
                let p = Point::new(dice(u64::from(size)) as u8, dice(u64::from(size)) as u8);
                let color = if n % 2 == 0 { Color::Black } else { Color::White };
                let at = field.cell(p);
                let mut after = board.clone();
                let placed = after.place(p, color);
                if board.get(p).is_some() || !placed.suicide.is_empty() {
                    assert!(!field.is_legal(at, color));
                    continue;
                }
                assert!(field.is_legal(at, color) || field.ko == at);
                // vain: one liberty, nothing taken
                if field.is_vain(at, color) {
                    assert!(placed.captured.is_empty() && after.chain(p).1 == 1);
                } else if placed.captured.is_empty() && after.chain(p).1 == 1 {
                    assert!(after.chain(p).0.len() <= LARGEST_NAKADE as usize);
                }
                field.play(at, color);
                board = after;
                check(&field, &board);
                check(&Field::new(&board), &board);
            }
        }
    }

    #[test]
    fn a_ko_is_not_retaken_at_once() {
        let board = Board::from_rows(&[".BW..", "B.BW.", ".BW..", ".....", "....."]).unwrap();
        let mut field = Field::new(&board);
        field.play(field.cell(Point::new(1, 1)), Color::White);
        let back = field.cell(Point::new(1, 2));
        assert!(!field.is_legal(back, Color::Black));
        field.pass();
        assert!(field.is_legal(back, Color::Black));
    }

    #[test]
    fn shapes_that_are_one_eye() {
        let nakade = |rows: &[&str]| {
            let board = Board::from_rows(rows).unwrap();
            let field = Field::new(&board);
            let shape: Vec<u16> = board.points().filter(|&p| board.get(p).is_some()).map(|p| field.cell(p)).collect();
            field.is_nakade(&shape)
        };
        assert!(nakade(&["BBB.", "....", "....", "...."]) && nakade(&["BB..", "B...", "....", "...."]));
        assert!(nakade(&["BB..", "BB..", "....", "...."]) && nakade(&["BBB.", ".B..", "....", "...."]));
        assert!(!nakade(&["BBBB", "....", "....", "...."]) && !nakade(&["BBB.", "B...", "....", "...."]));
        assert!(!nakade(&["BB..", ".BB.", "....", "...."]));
        assert!(nakade(&["BBB.", "BB..", "....", "...."]) && nakade(&[".B..", "BBB.", ".B..", "...."]));
        assert!(!nakade(&["BBBB", "B...", "....", "...."]) && !nakade(&["BBBB", ".B..", "....", "...."]));
        assert!(nakade(&[".B..", "BBB.", ".BB.", "...."]), "rabbity six");
        assert!(!nakade(&["BBB.", "BBB.", "....", "...."]) && !nakade(&["BBB.", "BB..", "BB..", "...."]));
    }
}
