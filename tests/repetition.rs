//! Repetitions by name: constructed positions of every kind, random games against a second definition that looks at the
//! positions instead of the moves, and what rulesets say of each kind.

use std::collections::BTreeMap;

use goband::rules::{Board, Class, Classification, Color, History, Point, RepetitionKind, RepetitionPolicy, Ruleset};

use Color::{Black, White};
use RepetitionKind::*;

/// splitmix64
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
        (self.next() % n as u64) as usize
    }
}

type Move = (Color, Option<Point>);

fn p(row: u8, col: u8) -> Option<Point> {
    Some(Point::new(row, col))
}

/// Plays all but the last legally; what the last is.
fn last_of(start: Board, moves: &[Move], name: &str) -> (Classification, usize) {
    let mut h = History::new(start, moves[0].0);
    let (last, before) = moves.split_last().unwrap();
    for (n, &(color, point)) in before.iter().enumerate() {
        let c = h.play(color, point);
        assert!(c.is_legal(), "{name}: move {} is {:?}\n{:?}", n + 1, c.classes, h.board());
        assert_eq!(c.repetition, None, "{name}: move {}", n + 1);
    }
    assert_eq!(h.turn(), last.0, "{name}: the last move has the turn");
    (h.classify(last.0, last.1), h.moves().len())
}

fn expect(start: Board, moves: &[Move], kind: RepetitionKind, name: &str) {
    let (c, _) = last_of(start, moves, name);
    assert!(c.is(Class::Superko) && !c.is_legal(), "{name}: {:?}\n{:?}", c.classes, c.after);
    let repetition = c.repetition.unwrap_or_else(|| panic!("{name} repeats"));
    assert_eq!(repetition.kind, kind, "{name}");
    assert_eq!(Some(repetition.since), c.repeats, "{name}");
}

// --- positions as a book would show them ---

#[test]
fn a_single_ko_is_a_ko_at_once_and_a_superko_after_passes() {
    for rows in [
        [".......", "..WB...", ".W.WB..", "..WB...", ".......", ".......", "......."],
        ["..W.WB.", "...WB..", ".......", ".......", ".......", ".......", "......."],
    ] {
        let ko = Board::from_rows(&rows).unwrap();
        let (take, from) = if rows[0].starts_with("...") { ((2, 2), (2, 3)) } else { ((0, 3), (0, 4)) };
        let (take, from) = (p(take.0, take.1), p(from.0, from.1));
        let mut h = History::new(ko.clone(), Black);
        h.play(Black, take);
        let at_once = h.classify(White, from);
        assert_eq!(at_once.classes, [Class::Ko, Class::Capture]);
        let named = at_once.repetition.unwrap();
        assert_eq!((named.kind, named.since, named.at_once), (SingleKo, 0, true));
        expect(ko, &[(Black, take), (White, None), (Black, None), (White, from)], SingleKo, "after passes");
    }
}

#[test]
fn two_kos_of_one_group_are_a_double_ko() {
    // Black lives falsely by taking whichever ko White has just opened
    let start =
        Board::from_rows(&[".WBBBW.", "W.WB.BW", ".WBBBW.", ".......", ".......", ".......", "......."]).unwrap();
    let moves = [(Black, p(1, 1)), (White, p(1, 4)), (Black, None), (White, p(1, 2)), (Black, p(1, 5))];
    expect(start.clone(), &moves, DoubleKo, "false life");
    // both pass once more before White begins again
    let moves = [
        (Black, p(1, 1)),
        (White, p(1, 4)),
        (Black, None),
        (White, None),
        (Black, None),
        (White, p(1, 2)),
        (Black, p(1, 5)),
    ];
    expect(start.clone(), &moves, DoubleKo, "false life with passes");
    // the second ko alone, retaken after passes, is no double ko
    let moves = [(Black, p(1, 1)), (White, p(1, 4)), (Black, None), (White, None), (Black, p(1, 5))];
    expect(start, &moves, SingleKo, "one of the two kos");
}

#[test]
fn eternal_life_as_in_a_corner() {
    // Black sends two, White takes them, Black takes two with a stone put back, White throws in
    let start =
        Board::from_rows(&[".B.W.B.", "WWBBBB.", "W......", ".......", ".......", ".......", "......."]).unwrap();
    let moves = [(Black, p(0, 0)), (White, p(0, 2)), (Black, p(0, 1)), (White, p(0, 3))];
    let mut rows = start.rows();
    rows[0] = ".B.WB..".to_owned();
    expect(Board::from_rows(&rows).unwrap(), &moves, EternalLife, "eternal life");
}

// --- every kind from corridors, in every place and colour ---

/// A straight row of points of which the first are walled in by one colour and the others by the other: with one and one
/// it is a ko, with two and one the place for sending two, with two and two for eternal life.
#[derive(Clone, Copy)]
struct Corridor {
    row: u8,
    col: u8,
    /// Points walled in by `wall`, then points walled in by its opponent.
    len: [u8; 2],
    wall: Color,
}

impl Corridor {
    fn new(row: u8, col: u8, len: [u8; 2], wall: Color) -> Corridor {
        Corridor { row, col, len, wall }
    }

    fn cell(&self, i: u8) -> Option<Point> {
        p(self.row, self.col + i)
    }

    fn cells(&self) -> u8 {
        self.len[0] + self.len[1]
    }

    fn set(&self, board: &mut Board, i: u8, color: Color) {
        board.set(self.cell(i).unwrap(), Some(color));
    }

    /// Builds the walls; the edge of the board is one too.
    fn build(&self, board: &mut Board) {
        for i in 0..self.cells() {
            let wall = if i < self.len[0] { self.wall } else { self.wall.opponent() };
            let here = self.cell(i).unwrap();
            for n in board.neighbors(here).collect::<Vec<_>>() {
                if n.row != self.row || n.col < self.col || n.col >= self.col + self.cells() {
                    assert!(board.get(n).is_none_or(|c| c == wall), "corridors are too near");
                    board.set(n, Some(wall));
                }
            }
        }
    }
}

/// A cycle on corridors: the start and the moves.
struct Cycle {
    start: Board,
    moves: Vec<Move>,
    kind: RepetitionKind,
    name: String,
}

const SIZE: u8 = 13;

/// Where corridors may lie on a board of 13 without touching: edge, corner and middle.
const PLACES: [(u8, u8); 6] = [(0, 0), (0, 7), (4, 1), (4, 7), (8, 3), (12, 6)];

/// `n` kos; those with an even number are White's to take at first.
fn kos(n: usize) -> (Board, Vec<Corridor>) {
    let mut board = Board::new(SIZE);
    let mut all = Vec::new();
    for (i, &(row, col)) in PLACES[..n].iter().enumerate() {
        let ko = Corridor::new(row, col, [1, 1], White);
        ko.build(&mut board);
        // Black takes on the first point, White on the second
        if i % 2 == 0 {
            ko.set(&mut board, 1, White)
        } else {
            ko.set(&mut board, 0, Black)
        }
        all.push(ko);
    }
    (board, all)
}

fn take(ko: &Corridor, color: Color) -> Move {
    (color, ko.cell(if color == Black { 0 } else { 1 }))
}

fn cycles() -> Vec<Cycle> {
    let mut all = Vec::new();
    let mut add = |start: Board, moves: Vec<Move>, kind, name: &str| {
        all.push(Cycle { start, moves, kind, name: name.to_owned() });
    };

    // kos: with an odd number each is taken and retaken in turn, with an even number in pairs
    let (board, k) = kos(1);
    add(board, vec![take(&k[0], Black), (White, None), (Black, None), take(&k[0], White)], SingleKo, "single ko");
    let (board, k) = kos(2);
    let double = vec![take(&k[0], Black), take(&k[1], White), (Black, None), take(&k[0], White), take(&k[1], Black)];
    add(board, double, DoubleKo, "double ko");
    for (n, kind) in [(3, TripleKo), (5, Other)] {
        let (board, k) = kos(n);
        let moves = (0..2 * n).map(|m| take(&k[m % n], if m % 2 == 0 { Black } else { White })).collect();
        add(board, moves, kind, &format!("{n} kos"));
    }
    for (n, kind) in [(4, QuadrupleKo), (6, Other)] {
        let (board, k) = kos(n);
        let first = (0..n).map(|i| take(&k[i], if i % 2 == 0 { Black } else { White }));
        let then = (0..n).map(|i| take(&k[i ^ 1], if i % 2 == 0 { Black } else { White }));
        add(board, first.chain(then).collect(), kind, &format!("{n} kos"));
    }

    // one side sends a chain of `own` + 1 ... the other takes it, and one is returned
    for &(row, col) in &PLACES[..5] {
        let two = Corridor::new(row, col, [2, 1], White);
        let mut board = Board::new(SIZE);
        two.build(&mut board);
        let (send, taken, back) = ((Black, two.cell(0)), (White, two.cell(2)), (Black, two.cell(1)));
        let mut start = board.clone();
        two.set(&mut start, 1, Black);
        add(start.clone(), vec![send, taken, back], SendingTwoReturningOne, "sending two");
        two.set(&mut start, 0, Black);
        add(start, vec![taken, back, (White, None), send], SendingTwoReturningOne, "sending two, from the capture");
        let mut start = board;
        two.set(&mut start, 2, White);
        add(start, vec![back, (White, None), send, taken], SendingTwoReturningOne, "sending two, from the return");

        let three = Corridor::new(row, col, [3, 1], White);
        let mut board = Board::new(SIZE);
        three.build(&mut board);
        three.set(&mut board, 2, Black);
        let moves = vec![
            (Black, three.cell(1)),
            (White, None),
            (Black, three.cell(0)),
            (White, three.cell(3)),
            (Black, three.cell(2)),
        ];
        add(board, moves, Other, "sending three");

        let four = Corridor::new(row, col, [2, 2], White);
        let mut board = Board::new(SIZE);
        four.build(&mut board);
        let moves = [(Black, four.cell(0)), (White, four.cell(2)), (Black, four.cell(1)), (White, four.cell(3))];
        let states = [
            [None, Some(Black), None, Some(White)],
            [Some(Black), Some(Black), None, Some(White)],
            [None, None, Some(White), Some(White)],
            [None, Some(Black), None, None],
        ];
        for (first, cells) in states.into_iter().enumerate() {
            let mut start = board.clone();
            for (i, cell) in cells.into_iter().enumerate() {
                start.set(four.cell(i as u8).unwrap(), cell);
            }
            let mut turned = moves.to_vec();
            turned.rotate_left(first);
            add(start, turned, EternalLife, "eternal life");
        }

        // three against two is not called eternal life
        let five = Corridor::new(row, col, [3, 2], White);
        let mut board = Board::new(SIZE);
        five.build(&mut board);
        [(1, Black), (2, Black), (4, White)].into_iter().for_each(|(i, c)| five.set(&mut board, i, c));
        let moves = vec![
            (Black, five.cell(0)),
            (White, five.cell(3)),
            (Black, five.cell(2)),
            (White, five.cell(4)),
            (Black, five.cell(1)),
        ];
        add(board, moves, Other, "sending three, returning two");
    }

    // both sides send two
    let (ours, theirs) = (Corridor::new(4, 1, [2, 1], White), Corridor::new(8, 3, [2, 1], Black));
    let mut board = Board::new(SIZE);
    ours.build(&mut board);
    theirs.build(&mut board);
    ours.set(&mut board, 1, Black);
    theirs.set(&mut board, 1, White);
    let o = [(Black, ours.cell(0)), (White, ours.cell(2)), (Black, ours.cell(1))];
    let t = [(White, theirs.cell(0)), (Black, theirs.cell(2)), (White, theirs.cell(1))];
    add(board.clone(), vec![o[0], t[0], t[1], o[1], o[2], t[2]], DoubleCaptureOfTwo, "both send two");
    let mut sent = board.clone();
    theirs.set(&mut sent, 0, White);
    add(sent, vec![o[0], o[1], t[1], t[2], o[2], t[0]], DoubleCaptureOfTwo, "both send two, another order");

    // one side sends two in two places: two kinds at once have no name of their own
    let other = Corridor::new(8, 3, [2, 1], White);
    let mut board = Board::new(SIZE);
    for c in [ours, other] {
        c.build(&mut board);
        c.set(&mut board, 1, Black);
    }
    let b = [(Black, other.cell(0)), (White, other.cell(2)), (Black, other.cell(1))];
    let moves = vec![o[0], (White, None), b[0], b[1], (Black, None), o[1], o[2], (White, None), b[2]];
    add(board, moves, Other, "one side sends two twice");

    // a ko taken in between and retaken
    let (mut board, k) = kos(1);
    ours.build(&mut board);
    ours.set(&mut board, 1, Black);
    let moves = vec![o[0], o[1], take(&k[0], Black), (White, None), o[2], take(&k[0], White)];
    add(board, moves, Other, "sending two within a ko");
    all
}

/// The cycle mirrored, turned and with colours exchanged.
fn seen_otherwise(cycle: &Cycle, how: u8) -> (Board, Vec<Move>) {
    let color = |c: Color| if how & 8 == 0 { c } else { c.opponent() };
    let point = |q: Point| {
        let (mut row, mut col) = (q.row, q.col);
        if how & 1 != 0 {
            row = SIZE - 1 - row;
        }
        if how & 2 != 0 {
            col = SIZE - 1 - col;
        }
        if how & 4 != 0 { Point::new(col, row) } else { Point::new(row, col) }
    };
    let mut board = Board::new(SIZE);
    for q in cycle.start.points() {
        board.set(point(q), cycle.start.get(q).map(color));
    }
    (board, cycle.moves.iter().map(|&(c, q)| (color(c), q.map(point))).collect())
}

#[test]
fn every_kind_is_named_right_in_every_place_and_colour() {
    let cycles = cycles();
    let mut named: BTreeMap<RepetitionKind, usize> = BTreeMap::new();
    for cycle in &cycles {
        for how in 0..16 {
            let (start, moves) = seen_otherwise(cycle, how);
            expect(start, &moves, cycle.kind, &cycle.name);
            *named.entry(cycle.kind).or_default() += 1;
        }
    }
    assert_eq!(named.len(), RepetitionKind::ALL.len(), "every kind has its positions: {named:?}");
}

#[test]
fn passes_and_moves_before_change_no_name() {
    let mut dice = Dice(3);
    for cycle in cycles() {
        for _ in 0..8 {
            let (board, mut moves) = seen_otherwise(&cycle, dice.below(16) as u8);
            // both pass somewhere within the cycle
            for _ in 0..dice.below(3) {
                let after = 1 + dice.below(moves.len() - 1);
                let color = moves[after].0;
                moves.splice(after..after, [(color, None), (color.opponent(), None)]);
            }
            // and the game did not begin with it: two stones each that lie elsewhere and stay
            let mut before = Board::new(SIZE);
            let lone: Vec<Point> = board
                .points()
                .filter(|&q| board.get(q).is_none() && board.neighbors(q).all(|n| board.get(n).is_none()))
                .filter(|q| {
                    !moves.iter().any(|m| m.1.is_some_and(|m| m.row.abs_diff(q.row) + m.col.abs_diff(q.col) < 3))
                })
                .collect();
            for q in board.points() {
                before.set(q, board.get(q));
            }
            let mut opening = Vec::new();
            let mut color = moves[0].0;
            let mut taken: Vec<Point> = Vec::new();
            while opening.len() < 4 {
                let q = lone[dice.below(lone.len())];
                if !taken.contains(&q) && !before.neighbors(q).any(|n| taken.contains(&n)) {
                    taken.push(q);
                    opening.push((color, Some(q)));
                    color = color.opponent();
                }
            }
            let line: Vec<Move> = opening.into_iter().chain(moves).collect();
            let (c, _) = last_of(before, &line, &cycle.name);
            let named = c.repetition.expect("a repetition");
            assert_eq!((named.kind, named.since), (cycle.kind, 4), "{}", cycle.name);
        }
    }
}

#[test]
fn a_cycle_in_which_stones_were_rearranged_has_no_name() {
    let cycle = cycles().into_iter().find(|c| c.kind == TripleKo).unwrap();
    let mut h = History::new(cycle.start.clone(), Black);
    let (last, before) = cycle.moves.split_last().unwrap();
    for (n, &(color, point)) in before.iter().enumerate() {
        h.play(color, point);
        if n == 2 {
            let right = h.board().clone();
            let mut moved = right.clone();
            moved.set(Point::new(10, 11), Some(Black));
            h.rearrange(moved);
            h.rearrange(right);
        }
    }
    let c = h.classify(last.0, last.1);
    assert!(c.is(Class::Superko));
    assert_eq!(c.repetition.unwrap().kind, Other);
}

// --- a second definition, from the positions alone ---

type Cells = Vec<Option<Color>>;

/// What the kind must be, from the positions between the two equal ones (the equal ones included).
fn kind_by_positions(positions: &[&Board]) -> RepetitionKind {
    let board = positions[0];
    let moving: Vec<Point> = board.points().filter(|&q| positions.iter().any(|b| b.get(q) != board.get(q))).collect();
    let mut states: Vec<Cells> =
        positions.iter().map(|b| moving.iter().map(|&q| b.get(q)).collect::<Cells>()).collect();
    states.dedup();
    states.pop(); // the last is the first
    let near = |a: usize, b: usize| board.neighbors(moving[a]).any(|n| n == moving[b]);
    let count = |s: &Cells| s.iter().flatten().count();

    // kos: pairs of neighbours of which exactly one is occupied, each point by one colour only
    let partner = |i: usize| {
        let fits = |j: &usize| {
            *j != i
                && near(i, *j)
                && states.iter().all(|s| s[i].is_some() != s[*j].is_some())
                && states.iter().all(|s| s[i].is_none_or(|c| states.iter().all(|t| t[*j].is_none_or(|d| c != d))))
        };
        let all: Vec<usize> = (0..moving.len()).filter(fits).collect();
        // of several equally good ones the one that changes with it
        let changes = |i: usize, j: usize| {
            let turned = |s: &Cells, t: &Cells, k: usize| s[k] != t[k];
            (0..states.len()).all(|n| {
                let (s, t) = (&states[n], &states[(n + 1) % states.len()]);
                turned(s, t, i) == turned(s, t, j)
            })
        };
        all.into_iter().find(|&j| changes(i, j))
    };
    let one_ko_a_move = |n: usize| {
        let (s, t) = (&states[n], &states[(n + 1) % states.len()]);
        (0..moving.len()).filter(|&k| s[k] != t[k]).count() == 2
    };
    if !moving.is_empty()
        && (0..moving.len()).all(|i| partner(i).is_some_and(|j| partner(j) == Some(i)))
        && (0..states.len()).all(one_ko_a_move)
    {
        return match moving.len() / 2 {
            1 => SingleKo,
            2 => DoubleKo,
            3 => TripleKo,
            4 => QuadrupleKo,
            _ => Other,
        };
    }

    // three points in a row: a lone stone at the middle, two, and the taker alone
    let sending = |points: [usize; 3], states: &[Cells]| {
        let mut kinds: Vec<Cells> = Vec::new();
        for s in states {
            let here: Cells = points.iter().map(|&i| s[i]).collect();
            if kinds.last() != Some(&here) {
                kinds.push(here);
            }
        }
        if kinds.len() > 1 && kinds.first() == kinds.last() {
            kinds.pop();
        }
        [Black, White].into_iter().find(|&x| {
            let wanted =
                [vec![None, Some(x), None], vec![Some(x), Some(x), None], vec![None, None, Some(x.opponent())]];
            kinds.len() == 3 && (0..3).any(|turn| (0..3).all(|i| kinds[(turn + i) % 3] == wanted[i]))
        })
    };
    let rows_of_three = || {
        let n = moving.len();
        (0..n)
            .flat_map(move |a| (0..n).flat_map(move |c| (0..n).map(move |b| [a, c, b])))
            .filter(|&[a, c, b]| a != b && near(a, c) && near(c, b))
    };
    if moving.len() == 3 && states.len() == 3 && rows_of_three().any(|row| sending(row, &states).is_some()) {
        return SendingTwoReturningOne;
    }
    if moving.len() == 4 && states.len() == 4 {
        let eternal = rows_of_three().any(|[a, c, b]| {
            let Some(d) = (0..4).find(|d| ![a, c, b].contains(d)) else { return false };
            near(b, d)
                && [Black, White].into_iter().any(|x| {
                    let y = x.opponent();
                    let wanted: [[Option<Color>; 4]; 4] = [
                        [None, Some(x), None, Some(y)],
                        [Some(x), Some(x), None, Some(y)],
                        [None, None, Some(y), Some(y)],
                        [None, Some(x), None, None],
                    ];
                    let here: Vec<[Option<Color>; 4]> = states.iter().map(|s| [s[a], s[c], s[b], s[d]]).collect();
                    (0..4).any(|turn| (0..4).all(|i| here[(turn + i) % 4] == wanted[i]))
                })
        });
        if eternal {
            return EternalLife;
        }
    }
    if moving.len() == 6 && states.len() == 6 && states.iter().all(|s| count(s) >= 2) {
        for one in rows_of_three() {
            let Some(sender) = sending(one, &states) else { continue };
            for two in rows_of_three().filter(|two| two.iter().all(|i| !one.contains(i))) {
                if sending(two, &states) == Some(sender.opponent()) {
                    return DoubleCaptureOfTwo;
                }
            }
        }
    }
    Other
}

/// Checks what is said of the move; counts it.
fn check(h: &History, c: &Classification, color: Color, tally: &mut BTreeMap<RepetitionKind, usize>) {
    let Some(named) = c.repetition else {
        let unnamed = c.repeats.is_none() || c.is(Class::Suicide) || c.is(Class::Occupied);
        assert!(unnamed, "{:?}", c.classes);
        assert!(!c.is(Class::Ko) && !c.is(Class::Superko));
        return;
    };
    assert!(c.is(Class::Ko) || c.is(Class::Superko));
    assert_eq!(named.at_once, c.is(Class::Ko));
    let now = h.moves().len();
    let between: Vec<&Board> = (named.since..=now).map(|n| h.position(n).unwrap()).chain([&c.after]).collect();
    assert_eq!(between[0], &c.after, "the position of move {}", named.since);
    assert!(!between[1..].iter().rev().skip(1).any(|b| *b == &c.after && *b != between[0]));
    let odd = |n: &usize| {
        let m = &h.moves()[*n];
        let before = h.position(*n).unwrap();
        // a suicide or an overwritten stone is no move of a named kind
        m.point.is_some_and(|q| before.get(q).is_some() || h.position(n + 1).unwrap().get(q) != Some(m.color))
    };
    let expected = if (named.since..now).any(|n| odd(&n)) { Other } else { kind_by_positions(&between) };
    assert_eq!(
        named.kind,
        expected,
        "{color} after {:?}\n{:?}",
        h.moves()[named.since..].iter().map(|m| (m.color, m.point)).collect::<Vec<_>>(),
        between
    );
    *tally.entry(named.kind).or_default() += 1;
}

/// A random game in which forbidden moves are played now and then; every move, and some that are not played, are checked.
fn random_game(dice: &mut Dice, start: Board, moves: usize, tally: &mut BTreeMap<RepetitionKind, usize>) {
    let size = usize::from(start.size());
    let mut h = History::new(start, if dice.below(2) == 0 { Black } else { White });
    for _ in 0..moves {
        let color = if dice.below(40) == 0 { h.turn().opponent() } else { h.turn() };
        let mut candidates: Vec<Point> = (0..4)
            .map(|_| Point::new(dice.below(size) as u8, dice.below(size) as u8))
            .filter(|&q| h.board().get(q).is_none())
            .collect();
        // where something was taken lately something may be taken back
        let lately = h.moves().iter().rev().take(3).flat_map(|m| m.captured.iter().copied());
        candidates.extend(lately.filter(|&q| h.board().get(q).is_none()));
        let mut chosen = None;
        for &q in &candidates {
            let c = h.classify(color, Some(q));
            check(&h, &c, color, tally);
            let willing = c.is_legal_but_turn() || (dice.below(8) == 0 && !c.is(Class::Suicide));
            if willing && (chosen.is_none() || dice.below(2) == 0) {
                chosen = Some(q);
            }
        }
        h.play(color, chosen);
    }
}

/// Walks among the corridors, where most moves are part of some cycle.
fn walk(dice: &mut Dice, moves: usize, tally: &mut BTreeMap<RepetitionKind, usize>) {
    let mut board = Board::new(SIZE);
    let mut cells = Vec::new();
    let mut places = PLACES;
    for i in 0..places.len() {
        let other = i + dice.below(places.len() - i);
        places.swap(i, other);
    }
    for &(row, col) in &places[..1 + dice.below(5)] {
        let len = [[1, 1], [1, 1], [1, 1], [2, 1], [2, 1], [1, 2], [2, 2]][dice.below(7)];
        let wall = if dice.below(2) == 0 { Black } else { White };
        let corridor = Corridor::new(row, col, len, wall);
        corridor.build(&mut board);
        // the inmates are of the colour that does not wall them in
        let inmate = |i: u8| if i < len[0] { wall.opponent() } else { wall };
        let walled = board.clone();
        while board == walled || !board.without_liberties().is_empty() {
            board = walled.clone();
            (0..corridor.cells()).filter(|_| dice.below(2) == 0).for_each(|i| corridor.set(&mut board, i, inmate(i)));
        }
        cells.extend((0..corridor.cells()).map(|i| (corridor.cell(i).unwrap(), inmate(i))));
    }
    let mut h = History::new(board, Black);
    for _ in 0..moves {
        let color = h.turn();
        let mut chosen = None;
        for &(q, _) in cells.iter().filter(|&&(q, inmate)| inmate == color && h.board().get(q).is_none()) {
            let c = h.classify(color, Some(q));
            check(&h, &c, color, tally);
            let willing = c.is_legal() || (dice.below(6) == 0 && !c.is(Class::Suicide));
            if willing && (chosen.is_none() || dice.below(2) == 0) {
                chosen = Some(q);
            }
        }
        h.play(color, chosen.filter(|_| dice.below(6) > 0));
    }
}

/// `GOBAND_RANDOM_GAMES`: how many; a few in the quick run.
#[test]
fn nothing_is_misnamed_in_random_games() {
    let games: usize = std::env::var("GOBAND_RANDOM_GAMES").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let (mut tally, mut walked) = (BTreeMap::new(), BTreeMap::new());
    let mut dice = Dice(20_261_130);
    for n in 0..games {
        let size = [2, 3, 4, 5, 5, 6, 7, 9, 13, 19][n % 10];
        let moves = usize::from(size) * usize::from(size) * 3 / 2 + 20;
        random_game(&mut dice, Board::new(size), moves, &mut tally);
        walk(&mut dice, 60, &mut walked);
    }
    println!("{games} random games: {tally:?}; as many walks among kos: {walked:?}");
    if games >= 200 {
        for kind in RepetitionKind::ALL {
            assert!(walked.contains_key(&kind), "the walks never showed {kind:?}: {walked:?}");
        }
        assert!(
            tally.contains_key(&SingleKo) && tally.contains_key(&SendingTwoReturningOne) && tally.contains_key(&Other)
        );
    }
}

// --- what rulesets say ---

fn judged(rules: &Ruleset, cycle: &Cycle) -> Classification {
    let mut h = History::under(rules.law(), cycle.start.clone(), cycle.moves[0].0);
    cycle.moves.iter().map(|&(color, point)| h.play(color, point)).last().unwrap()
}

fn club(text: &str) -> Ruleset {
    Ruleset::from_toml(&format!("id = \"club\"\nextends = \"cwa-classic\"\n{text}"), "club.toml").unwrap()
}

#[test]
fn each_builtin_ruleset_has_a_policy_and_an_article_for_each_kind() {
    let policy = |id: &str, kind| {
        let rule = Ruleset::builtin(id).unwrap().repetition.rule(kind, false).clone();
        (rule.policy, rule.article)
    };
    let article = |a: &str| Some(a.to_owned());
    assert_eq!(policy("team-relay", TripleKo), (RepetitionPolicy::Supplement, article("000 20.3")));
    assert_eq!(policy("team-relay", DoubleKo), (RepetitionPolicy::Forbidden, article("000 20.2")));
    assert_eq!(policy("cwa-classic", EternalLife), (RepetitionPolicy::DrawOrReplay, article("001 part 2, 11.3")));
    assert_eq!(policy("japan-korea", QuadrupleKo), (RepetitionPolicy::NoResult, None));
    for id in Ruleset::builtin_ids() {
        let rules = Ruleset::builtin(id).unwrap();
        assert_eq!(rules.repetition.rule(SingleKo, true).policy, RepetitionPolicy::Forbidden, "{id}");
        // whatever follows from it, the referee is to be told
        for cycle in cycles() {
            assert!(judged(&rules, &cycle).is(Class::Superko), "{id}: {}", cycle.name);
        }
        for (key, _, rule) in rules.repetition.iter() {
            assert_eq!(rule.article.is_none(), rule.source == goband::rules::Source::Silent, "{id} {key}");
        }
    }
}

#[test]
fn what_a_ruleset_allows_is_legal() {
    let rules =
        club("[repetition]\ntriple_ko = \"allowed\"\neternal_life = { policy = \"draw\", article = \"house 3\" }\n");
    assert_eq!(rules.repetition.rule(EternalLife, false).article.as_deref(), Some("house 3"));
    assert_eq!(rules.repetition.rule(DoubleKo, false).article.as_deref(), Some("001 part 2, 11.2"), "from the base");
    for cycle in cycles() {
        let c = judged(&rules, &cycle);
        assert_eq!(c.is_legal(), cycle.kind == TripleKo, "{}", cycle.name);
        assert_eq!(c.is(Class::Superko), cycle.kind != TripleKo, "{}", cycle.name);
        assert_eq!(c.repetition.unwrap().kind, cycle.kind, "named all the same");
        assert_eq!(c.is_legal_but_turn(), c.is_legal());
    }
}

#[test]
fn the_old_words_still_hold() {
    let all = club("repetition = \"positional_superko\"\n");
    let only = club("repetition = \"ko_only\"\n");
    for cycle in cycles() {
        assert!(judged(&all, &cycle).is(Class::Superko));
        assert!(judged(&only, &cycle).is_legal(), "{}", cycle.name);
    }
    let ko = Board::from_rows(&[".WB..", "W.WB.", ".WB..", ".....", "....."]).unwrap();
    for rules in [&all, &only] {
        let mut h = History::under(rules.law(), ko.clone(), Black);
        h.play(Black, p(1, 1));
        assert_eq!(h.classify(White, p(1, 2)).classes, [Class::Ko, Class::Capture]);
    }
}

#[test]
fn suicide_is_legal_where_it_is_allowed() {
    let rules = club("suicide = \"allowed\"\n");
    let two = Board::from_rows(&["B.W..", "WW...", ".....", ".....", "....."]).unwrap();
    let mut h = History::under(rules.law(), two.clone(), Black);
    let c = h.play(Black, p(0, 1));
    assert_eq!(c.classes, [Class::Legal, Class::Suicide]);
    assert_eq!((h.board().stones(Black), h.prisoners(White)), (0, 2));
    assert_eq!(History::new(two, Black).classify(Black, p(0, 1)).classes, [Class::Suicide]);
    let turned = h.classify(Black, p(4, 4));
    assert!(turned.is_legal_but_turn() && !turned.is_legal());
    // a single stone that takes itself off leaves what lay there
    let eye = Board::from_rows(&[".W...", "W....", ".....", ".....", "....."]).unwrap();
    let c = History::under(rules.law(), eye, Black).classify(Black, p(0, 0));
    assert_eq!((c.classes.as_slice(), c.repeats), ([Class::Suicide, Class::Superko].as_slice(), Some(0)));
}

#[test]
fn errors_in_the_table_name_key_and_values() {
    let error = |text: &str| {
        Ruleset::from_toml(&format!("id = \"x\"\nextends = \"cwa\"\n{text}"), "x.toml").unwrap_err().to_string()
    };
    let e = error("[repetition]\ntriple_ko = \"drawn\"\n");
    assert!(e.starts_with("x.toml:4:13: repetition.triple_ko: ") && e.contains("`draw_or_replay`"), "{e}");
    let e = error("[repetition]\ntriple = \"draw\"\n");
    assert!(e.starts_with("x.toml:4:1: repetition.triple: ") && e.contains("`quadruple_ko`"), "{e}");
    let e = error("repetition = \"superko\"\n");
    assert!(e.starts_with("x.toml:3:14: repetition: ") && e.contains("`ko_only`"), "{e}");
    let e = error("[repetition]\nother = { article = \"3\" }\n");
    assert!(e.starts_with("x.toml:4:") && e.contains("policy"), "{e}");
    let e = error("repetition = 3\n");
    assert!(e.starts_with("x.toml:3:14: repetition: ") && e.contains("table"), "{e}");
}
