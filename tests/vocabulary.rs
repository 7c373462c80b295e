//! Names of moves: a picture for every term, near misses, and what must hold for every board.

use goband::game::sgf;
use goband::rules::vocabulary::{Picture, Term, markdown, name_on_board, pictures};
use goband::rules::{Board, Color, History, Point, name_move};
use proptest::prelude::*;

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

/// A game of real masters, every move with its name.
fn names(record: &str) -> Vec<(String, Option<Term>)> {
    let path = format!("{}/tests/games/{record}", env!("CARGO_MANIFEST_DIR"));
    let tree = sgf::read(&std::fs::read_to_string(path).unwrap()).unwrap().remove(0);
    let played = tree.history().unwrap();
    let mut game = History::new(played.start().clone(), played.first());
    let mut names = Vec::new();
    for m in played.moves() {
        let p = m.point.unwrap();
        names.push((p.name(game.size()), name_move(&game, m.color, p)));
        game.play(m.color, m.point);
    }
    names
}

fn is_called(names: &[(String, Option<Term>)], n: usize, point: &str, zh: &str) {
    let (at, term) = &names[n - 1];
    assert_eq!((at.as_str(), term.map_or("", |t| t.zh)), (point, zh), "move {n}");
}

#[test]
fn the_ear_reddening_game_is_told_as_players_tell_it() {
    let names = names("1846-09-11-gennan-shusaku.sgf");
    for (n, point, zh) in [
        (1, "R16", "小目"),
        (4, "P17", "低挂"),
        (6, "C14", "大飞守角"),
        (7, "E4", "单关角"),
        (8, "R5", "低挂"),
        (9, "Q15", "尖"),
        (10, "O4", "一间高夹"),
        (11, "Q5", "靠"),
        (12, "Q4", "挖"),
        (13, "P4", "打吃"),
        (14, "R4", "粘"),
        (20, "P6", "压"),
        (28, "M3", "扳"),
        (29, "M2", "扳"),
        (30, "L2", "连扳"),
        (40, "R1", "提劫"),
        (58, "N7", "双关"),
        (67, "L17", "三间低夹"),
        (68, "J17", "反夹"),
        (69, "Q17", "尖顶"),
        (74, "Q18", "扳"),
        (119, "D18", "托"),
        // the move that reddened the ears has no name but its own
        (127, "K11", ""),
        (131, "D10", "肩冲"),
        (203, "E19", "渡"),
    ] {
        is_called(&names, n, point, zh);
    }
    let named = names.iter().filter(|(_, t)| t.is_some()).count();
    assert!(named * 10 >= names.len() * 9, "{named} of {}", names.len());
}

#[test]
fn lee_sedols_wedge_is_a_wedge() {
    let names = names("2016-03-13-alphago-lee-sedol.sgf");
    for (n, point, zh) in [
        (1, "Q16", "星"),
        (3, "C16", "小目"),
        (5, "P4", "高挂"),
        (6, "P3", "托"),
        (7, "O3", "扳"),
        (8, "Q3", "退"),
        (9, "C6", "低挂"),
        (11, "N4", "虎"),
        (13, "J3", "逼"),
        (14, "E17", "低挂"),
        (15, "H16", "二间高夹"),
        (16, "C13", "反夹"),
        (21, "O17", "小飞守角"),
        (22, "R11", ""),
        (23, "E4", "跨"),
        (25, "D9", "肩冲"),
        (29, "E10", "扳"),
        (31, "F11", "连扳"),
        (35, "F9", "双虎"),
        (40, "N17", "碰"),
        (47, "Q10", "肩冲"),
        (78, "L11", "挖"),
        (82, "K12", "断"),
        (87, "Q9", "挡"),
        (119, "E6", "夹"),
        (127, "G16", "双打吃"),
        (151, "B9", "冲"),
        (177, "O11", "扑"),
    ] {
        is_called(&names, n, point, zh);
    }
}

/// A board of any stones, with chains that have no liberty too.
fn any_board() -> impl Strategy<Value = (Board, u64)> {
    (prop::sample::select(vec![2u8, 3, 5, 9, 13, 19, 25]), 0..100u32, any::<u64>()).prop_map(|(size, full, seed)| {
        let mut state = seed;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        };
        let mut board = Board::new(size);
        for p in board.points() {
            if next() % 100 < full {
                board.set(p, Some(if next() % 2 == 0 { Color::Black } else { Color::White }));
            }
        }
        (board, seed)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// No board makes it stumble, and turning the board or swapping the colours changes no name.
    #[test]
    fn names_do_not_depend_on_the_side_from_which_one_looks((board, seed) in any_board()) {
        let size = board.size();
        let stones: Vec<Point> = board.points().filter(|&p| board.get(p).is_some()).collect();
        for i in 0..12u64 {
            let at = (seed >> (5 * i)) ^ (i * 7919);
            let p = Point::new((at % u64::from(size)) as u8, (at / 31 % u64::from(size)) as u8);
            let last = (!stones.is_empty() && i % 2 == 0).then(|| stones[at as usize % stones.len()]);
            for color in [Color::Black, Color::White] {
                let name = name_on_board(&board, last, color, p);
                prop_assert!(name.is_none() || board.get(p).is_none());
                let symmetry = (at % 8) as u8;
                let turned = name_turned(&board, last, color, p, symmetry, i % 3 == 0);
                prop_assert_eq!(name, turned, "{:?} {:?} {} {:?}", board, last, color, p);
            }
        }
    }

    /// The same for the positions of legal games, where every move is asked for.
    #[test]
    fn every_move_of_a_game_has_the_same_name_from_all_sides(seed in any::<u64>(), size in prop::sample::select(vec![9u8, 13, 19])) {
        let mut state = seed;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        let mut game = History::new(Board::new(size), Color::Black);
        for n in 0..usize::from(size) * usize::from(size) {
            let color = game.turn();
            let free: Vec<Point> = game.board().points().filter(|&p| game.board().get(p).is_none()).collect();
            let p = free[next() % free.len()];
            if !game.classify(color, Some(p)).is_legal() {
                game.play(color, None);
                continue;
            }
            let last = game.moves().last().and_then(|m| m.point);
            let name = name_move(&game, color, p);
            prop_assert_eq!(name, name_turned(game.board(), last, color, p, (n % 8) as u8, n % 2 == 0), "{:?} {} {:?}", game.board(), color, p);
            game.play(color, Some(p));
        }
    }
}

#[test]
fn what_is_not_on_the_board_has_no_name() {
    let mut board = Board::new(9);
    board.set(Point::new(4, 4), Some(Color::White));
    for (row, col) in [(4, 4), (9, 0), (0, 9), (255, 255)] {
        assert_eq!(name_on_board(&board, None, Color::Black, Point::new(row, col)), None);
    }
    // a last stone that is none does no harm
    for last in [Point::new(99, 99), Point::new(0, 0)] {
        assert_eq!(
            name_on_board(&board, Some(last), Color::Black, Point::new(2, 2)),
            name_on_board(&board, None, Color::Black, Point::new(2, 2))
        );
    }
}

#[test]
fn the_page_shows_the_vocabulary_as_it_is() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/vocabulary.md");
    let page = std::fs::read_to_string(path).unwrap();
    let mark = "<!-- generated from src/rules/vocabulary -->\n";
    let (head, shown) = page.split_once(mark).expect("the mark");
    let current = markdown();
    if std::env::var_os("GOBAND_REGENERATE").is_some() {
        std::fs::write(path, format!("{head}{mark}{current}")).unwrap();
    } else {
        assert!(
            shown == current,
            "docs/vocabulary.md is not current: GOBAND_REGENERATE=1 cargo test --test vocabulary"
        );
    }
}
