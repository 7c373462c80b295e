//! The rule core through its public face: known sequences, and what must hold for every game.

use goband::game::EventKind;
use goband::rules::{Board, Class, Color, History, Infraction, Point, Ruleset};
use proptest::prelude::*;

fn board(rows: &[&str]) -> Board {
    Board::from_rows(rows).unwrap()
}

fn p(row: u8, col: u8) -> Option<Point> {
    Some(Point::new(row, col))
}

use Color::{Black, White};

#[test]
fn ko_is_forbidden_at_once_and_allowed_after_a_threat() {
    let mut h = History::new(board(&[".BW..", "B.BW.", ".BW..", ".....", "....."]), White);
    let take = h.play(White, p(1, 1));
    assert!(take.is(Class::Legal) && take.is(Class::Capture));
    assert_eq!(take.captured, [Point::new(1, 2)]);
    let retake = h.classify(Black, p(1, 2));
    assert_eq!(retake.classes, [Class::Ko, Class::Capture]);
    assert_eq!((retake.repeats, retake.captured), (Some(0), vec![Point::new(1, 1)]));
    h.play(Black, p(4, 4));
    h.play(White, p(4, 0));
    assert!(h.classify(Black, p(1, 2)).is_legal());
}

#[test]
fn ko_after_a_pass_is_still_a_ko_at_once() {
    let mut h = History::new(board(&[".BW..", "B.BW.", ".BW..", ".....", "....."]), Black);
    h.play(Black, None);
    h.play(White, p(1, 1));
    let retake = h.classify(Black, p(1, 2));
    assert_eq!((retake.classes.as_slice(), retake.repeats), ([Class::Ko, Class::Capture].as_slice(), Some(0)));
}

#[test]
fn snapback_is_no_ko() {
    let mut h = History::new(board(&["..WB.", "WWWB.", "BBBB.", ".....", "....."]), Black);
    assert_eq!(h.play(Black, p(0, 1)).classes, [Class::Legal]);
    let taken = h.play(White, p(0, 0));
    assert_eq!((taken.classes.as_slice(), taken.captured.len()), ([Class::Legal, Class::Capture].as_slice(), 1));
    let snap = h.play(Black, p(0, 1));
    assert_eq!((snap.classes.as_slice(), snap.captured.len()), ([Class::Legal, Class::Capture].as_slice(), 5));
    assert_eq!((h.prisoners(Black), h.prisoners(White)), (5, 1));
}

#[test]
fn one_for_two_is_no_ko() {
    // Black takes two, White takes one of the takers back: another position
    let mut h = History::new(board(&[".WWB.", "BBBW.", "...W.", ".....", "....."]), Black);
    let two = h.play(Black, p(0, 0));
    assert_eq!(two.captured.len(), 2);
    let back = h.classify(White, p(0, 2));
    assert!(back.is_legal(), "{:?}", back.classes);
    assert_eq!(back.repeats, None);
}

#[test]
fn sending_two_returning_one_repeats_the_board() {
    let mut h = History::new(board(&[".B.B.", "WWBB.", "WWBB.", ".WBB.", ".WB.."]), Black);
    assert_eq!(h.play(Black, p(0, 0)).classes, [Class::Legal]);
    assert_eq!(h.play(White, p(0, 2)).captured, [Point::new(0, 0), Point::new(0, 1)]);
    let back = h.classify(Black, p(0, 1));
    assert_eq!(back.classes, [Class::Superko, Class::Capture], "not the immediate ko");
    assert_eq!((back.repeats, &back.after), (Some(0), h.start()));
}

#[test]
fn triple_ko_repeats_after_six_moves() {
    // three kos, in each of which the side to move can take
    let mut h = History::new(
        board(&[
            ".BW...BW.",
            "B.BW.BW.W",
            ".BW...BW.",
            ".........",
            ".........",
            ".........",
            ".BW......",
            "B.BW.....",
            ".BW......",
        ]),
        White,
    );
    // ko 1 and ko 3 are White's to take, ko 2 Black's
    let (k1, k1b) = (p(1, 1), p(1, 2));
    let (k2, k2w) = (p(1, 7), p(1, 6));
    let (k3, k3b) = (p(7, 1), p(7, 2));
    for (color, at) in [(White, k1), (Black, k2), (White, k3), (Black, k1b), (White, k2w)] {
        let c = h.play(color, at);
        assert_eq!(c.classes, [Class::Legal, Class::Capture], "{color} {at:?}");
        assert_eq!(c.captured.len(), 1);
    }
    let last = h.classify(Black, k3b);
    assert_eq!(last.classes, [Class::Superko, Class::Capture]);
    assert_eq!(last.repeats, Some(0));
    assert_eq!(&last.after, h.start());
}

#[test]
fn suicide_of_several_takes_the_whole_chain_off() {
    let mut h = History::new(board(&["BB.W.", "WWWW.", ".....", ".....", "....."]), Black);
    let c = h.classify(Black, p(0, 2));
    assert_eq!(c.classes, [Class::Suicide]);
    assert!(!c.is_legal_but_turn());
    h.play(Black, p(0, 2));
    assert_eq!(h.board().stones(Black), 0);
    assert_eq!((h.prisoners(White), h.prisoners(Black)), (3, 0));
    assert_eq!(h.turn(), White);
}

#[test]
fn taking_the_last_liberty_of_both_is_no_suicide() {
    let h = History::new(board(&[".WB..", "WB...", "B....", ".....", "....."]), Black);
    let c = h.classify(Black, p(0, 0));
    assert_eq!(c.classes, [Class::Legal, Class::Capture]);
    assert_eq!(c.captured.len(), 2);
}

#[test]
fn an_occupied_point_and_a_wrong_turn_are_said_and_done() {
    let mut h = History::new(Board::new(9), Black);
    h.play(Black, p(4, 4));
    assert_eq!(h.classify(Black, p(3, 3)).classes, [Class::WrongTurn]);
    let c = h.play(Black, p(4, 4));
    assert_eq!(c.classes, [Class::WrongTurn, Class::Occupied]);
    let c = h.play(White, p(4, 4));
    assert_eq!(c.classes, [Class::Occupied]);
    assert_eq!(h.board().get(Point::new(4, 4)), Some(White));
    assert_eq!(h.moves().len(), 3);
}

#[test]
fn a_pass_is_a_move_and_repeats_nothing() {
    let mut h = History::new(Board::new(9), Black);
    for color in [Black, White, Black, White] {
        let c = h.play(color, None);
        assert_eq!((c.classes.as_slice(), c.repeats), ([Class::Legal, Class::Pass].as_slice(), None));
    }
    assert!(h.classify(Black, p(0, 0)).is_legal());
}

#[test]
fn a_turn_that_was_set_comes_back_with_undo() {
    let mut h = History::new(Board::new(9), Black);
    h.play(Black, p(4, 4));
    h.set_turn(Black);
    h.play(Black, p(3, 3));
    assert_eq!(h.turn(), White);
    h.undo();
    assert_eq!(h.turn(), Black, "as it was said before the move");
    h.undo();
    assert_eq!(h.turn(), Black);
    assert_eq!(h.undo(), None);
}

#[test]
fn a_rearranged_board_counts_for_repetition_and_goes_with_its_move() {
    let mut h = History::new(Board::new(9), Black);
    h.play(Black, p(4, 4));
    let mut moved = h.board().clone();
    moved.set(Point::new(4, 4), None);
    moved.set(Point::new(4, 5), Some(Black));
    h.rearrange(moved.clone());
    assert_eq!((h.board(), h.turn(), h.moves().len()), (&moved, White, 1));
    assert_eq!(h.position(1), Some(&moved));
    h.play(White, p(0, 0));
    assert_eq!(h.position(1), Some(&moved));
    h.undo();
    assert_eq!(h.board(), &moved);
    h.undo();
    assert_eq!(h.board(), &Board::new(9));
    assert_eq!((h.position(0), h.position(1)), (Some(&Board::new(9)), None));
}

#[test]
fn the_infractions_of_rules_and_events_have_the_same_names() {
    let events: Vec<&str> = EventKind::ALL.into_iter().filter(|k| k.is_infraction()).map(EventKind::as_str).collect();
    let rules: Vec<&str> = Infraction::ALL.into_iter().map(Infraction::as_str).collect();
    assert_eq!(events, rules);
    let cwa = Ruleset::builtin("cwa").unwrap();
    assert!(cwa.infraction(EventKind::Scattered).is_some());
    assert!(cwa.infraction(EventKind::Pass).is_none());
    for kind in EventKind::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str(), "the JSON name");
        assert_eq!(EventKind::from_name(kind.as_str()), Some(kind));
    }
}

#[test]
fn the_rules_page_shows_the_data() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rules.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (begin, end) = ("<!-- generated from src/rules/rulesets -->\n", "<!-- end of generated -->");
    let (head, rest) = page.split_once(begin).expect("the begin of the tables");
    let (shown, tail) = rest.split_once(end).expect("the end of the tables");
    let rulesets: Vec<Ruleset> = Ruleset::builtin_ids().map(|id| Ruleset::builtin(id).unwrap()).collect();
    let tables = goband::rules::table::markdown(&rulesets);
    if std::env::var_os("GOBAND_REGENERATE").is_some() {
        std::fs::write(path, format!("{head}{begin}{tables}{end}{tail}")).unwrap();
    } else {
        assert!(shown == tables, "docs/rules.md is not current: GOBAND_REGENERATE=1 cargo test --test rules");
    }
}

/// Every legal position: from every position found, every stone on every empty point.
fn positions_from_empty(size: u8) -> std::collections::HashSet<Board> {
    let empty = Board::new(size);
    let mut found = std::collections::HashSet::from([empty.clone()]);
    let mut open = vec![empty];
    while let Some(board) = open.pop() {
        for color in [Black, White] {
            let h = History::new(board.clone(), color);
            for at in board.points().filter(|&at| board.get(at).is_none()) {
                let c = h.classify(color, Some(at));
                if c.is_legal() && found.insert(c.after.clone()) {
                    open.push(c.after);
                }
            }
        }
    }
    found
}

/// Every arrangement of stones that leaves none without a liberty.
fn legal_arrangements(size: u8) -> usize {
    let points: Vec<Point> = Board::new(size).points().collect();
    let mut legal = 0;
    for n in 0..3_usize.pow(points.len() as u32) {
        let mut board = Board::new(size);
        let mut rest = n;
        for &at in &points {
            board.set(at, [None, Some(Black), Some(White)][rest % 3]);
            rest /= 3;
        }
        legal += usize::from(board.without_liberties().is_empty());
    }
    legal
}

#[test]
fn as_many_legal_positions_as_are_known() {
    // Tromp and Farneback, Combinatorics of Go (2007): 57 on 2 x 2, 12675 on 3 x 3
    for (size, known) in [(2, 57), (3, 12_675)] {
        assert_eq!(legal_arrangements(size), known, "{size} x {size}");
        assert_eq!(positions_from_empty(size).len(), known, "{size} x {size}, by play");
    }
}

/// The rules of capture in the plainest words, to compare with.
fn plainly(board: &[Vec<char>], at: Point, stone: char) -> Vec<Vec<char>> {
    fn chain(board: &[Vec<char>], r: usize, c: usize) -> (Vec<(usize, usize)>, bool) {
        let (mut chain, mut free, mut i) = (vec![(r, c)], false, 0);
        while i < chain.len() {
            let (r, c) = chain[i];
            for (dr, dc) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
                let (Some(nr), Some(nc)) = (r.checked_add_signed(dr), c.checked_add_signed(dc)) else { continue };
                match board.get(nr).and_then(|row| row.get(nc)) {
                    Some('.') => free = true,
                    Some(s) if *s == board[r][c] && !chain.contains(&(nr, nc)) => chain.push((nr, nc)),
                    _ => {}
                }
            }
            i += 1;
        }
        (chain, free)
    }
    let mut after = board.to_vec();
    after[at.row as usize][at.col as usize] = stone;
    for own in [false, true] {
        let now = after.clone();
        for r in 0..now.len() {
            for c in 0..now.len() {
                if now[r][c] != '.' && (now[r][c] == stone) == own && !chain(&now, r, c).1 {
                    after[r][c] = '.';
                }
            }
        }
    }
    after
}

#[test]
fn boards_of_every_size_follow_the_rules_in_plain_words() {
    let mut state = 99_u64;
    let mut dice = move |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for size in 2..=25_u8 {
        let mut h = History::new(Board::new(size), Black);
        let mut plain = vec![vec!['.'; size.into()]; size.into()];
        let points = usize::from(size) * usize::from(size);
        for _ in 0..(2 * points).min(700) {
            let at = Point::new(dice(size.into()) as u8, dice(size.into()) as u8);
            let color = h.turn();
            if h.board().get(at).is_none() {
                plain = plainly(&plain, at, color.letter());
                h.play(color, Some(at));
                let rows: Vec<String> = plain.iter().map(|row| row.iter().collect()).collect();
                assert_eq!(h.board().rows(), rows, "{size}: {color} {at}");
            } else {
                h.play(color, None);
            }
        }
    }
}

/// The board's hash as it must be: from its stones alone.
fn hash_anew(board: &Board) -> u64 {
    let mut anew = Board::new(board.size());
    for at in board.points() {
        anew.set(at, board.get(at));
    }
    anew.zobrist()
}

/// What a referee does with a game: stones anywhere, passes, turns said, stones rearranged.
#[derive(Clone, Debug)]
enum Deed {
    Stone(u16, bool),
    Pass,
    Turn(bool),
    Rearrange(u16),
}

fn deeds() -> impl Strategy<Value = (u8, Vec<Deed>)> {
    let deed = prop_oneof![
        20 => (any::<u16>(), prop::bool::weighted(0.05)).prop_map(|(at, other)| Deed::Stone(at, other)),
        2 => Just(Deed::Pass),
        1 => any::<bool>().prop_map(Deed::Turn),
        1 => any::<u16>().prop_map(Deed::Rearrange),
    ];
    (prop_oneof![Just(2u8), Just(3), Just(4), Just(5), Just(7)], prop::collection::vec(deed, 0..80))
}

/// Everything that a game says of what is next: classes, captures and repetition at every point for both sides.
fn outlook(h: &History) -> Vec<goband::rules::Classification> {
    let points: Vec<Point> = h.board().points().collect();
    let all = points.into_iter().map(Some).chain([None]);
    all.flat_map(|at| [Black, White].map(|color| h.classify(color, at))).collect()
}

fn plays() -> impl Strategy<Value = (u8, Vec<(bool, u16, bool)>)> {
    (
        prop_oneof![Just(2u8), Just(3), Just(5), Just(9), Just(13)],
        prop::collection::vec((any::<bool>(), any::<u16>(), prop::bool::weighted(0.9)), 0..120),
    )
}

proptest! {
    #[test]
    fn whatever_is_played_the_position_stays_sound((size, plays) in plays()) {
        let mut h = History::new(Board::new(size), Black);
        for (black, at, proper) in plays {
            let n = size as u16 * size as u16;
            let at = Point::new((at % n / u16::from(size)) as u8, (at % n % u16::from(size)) as u8);
            let color = if proper { h.turn() } else if black { Black } else { White };
            let before = h.clone();
            let c = h.classify(color, Some(at));
            prop_assert_eq!(h.board(), before.board(), "classifying changes nothing");

            // every stone taken had no liberty once the stone was put
            let mut put = before.board().clone();
            put.set(at, Some(color));
            for &q in &c.captured {
                prop_assert!(!put.has_liberty(q));
                prop_assert_eq!(before.board().get(q), Some(color.opponent()));
            }
            prop_assert_eq!(c.is(Class::Capture), !c.captured.is_empty());
            prop_assert_eq!(c.is(Class::Occupied), before.board().get(at).is_some());
            // afterwards no stone is without liberties
            prop_assert!(c.after.without_liberties().is_empty());
            prop_assert_eq!(c.after.zobrist(), hash_anew(&c.after));
            // repetition against plain comparison with every earlier position
            let earlier: Vec<usize> = (0..=before.moves().len()).filter(|&n| before.position(n) == Some(&c.after)).collect();
            prop_assert_eq!(c.repeats.is_some(), !earlier.is_empty());
            if let Some(n) = c.repeats {
                prop_assert!(earlier.contains(&n));
            }

            h.play(color, Some(at));
            prop_assert_eq!(h.board(), &c.after);
            prop_assert_eq!(h.turn(), color.opponent());

            // undo is exact: board, turn, prisoners and what is known of repetition
            let mut undone = h.clone();
            undone.undo();
            prop_assert_eq!(undone.board(), before.board());
            prop_assert_eq!(undone.turn(), before.turn());
            prop_assert_eq!(undone.moves(), before.moves());
            prop_assert_eq!(undone.prisoners(Black), before.prisoners(Black));
            prop_assert_eq!(undone.classify(color, Some(at)), c);
        }
        // what was put lies there, was taken or was overwritten
        let overwritten = |n: usize| {
            let m = &h.moves()[n];
            usize::from(h.position(n).unwrap().get(m.point.unwrap()).is_some())
        };
        let stones = h.board().stones(Black) + h.board().stones(White);
        let gone = h.prisoners(Black) + h.prisoners(White) + (0..h.moves().len()).map(overwritten).sum::<usize>();
        prop_assert_eq!(h.moves().len(), stones + gone);
        while h.undo().is_some() {}
        prop_assert_eq!(h.board(), &Board::new(size));
        prop_assert!(h.classify(Black, Some(Point::new(0, 0))).is_legal());
    }

    #[test]
    fn undo_leads_back_through_the_same_games((size, deeds) in deeds()) {
        let mut h = History::new(Board::new(size), Black);
        let mut earlier = Vec::new();
        for deed in deeds {
            let point = |at: u16| {
                let at = at % (u16::from(size) * u16::from(size));
                Point::new((at / u16::from(size)) as u8, (at % u16::from(size)) as u8)
            };
            match deed {
                Deed::Stone(at, other) => {
                    earlier.push(h.clone());
                    let color = if other { h.turn().opponent() } else { h.turn() };
                    h.play(color, Some(point(at)));
                }
                Deed::Pass => {
                    earlier.push(h.clone());
                    h.play(h.turn(), None);
                }
                Deed::Turn(black) => h.set_turn(if black { Black } else { White }),
                Deed::Rearrange(at) => {
                    let mut board = h.board().clone();
                    let at = point(at);
                    board.set(at, if board.get(at).is_some() { None } else { Some(White) });
                    h.rearrange(board);
                }
            }
            // nothing is named but a repetition that is one
            for c in outlook(&h) {
                prop_assert!(c.repetition.is_none_or(|r| Some(r.since) == c.repeats && h.position(r.since).is_some()));
                prop_assert_eq!(c.repetition.is_some(), c.is(Class::Ko) || c.is(Class::Superko));
                prop_assert_eq!(c.repetition.is_some_and(|r| r.at_once), c.is(Class::Ko));
                prop_assert_eq!(c.after.zobrist(), hash_anew(&c.after));
            }
        }
        while let Some(before) = earlier.pop() {
            prop_assert!(h.undo().is_some());
            prop_assert_eq!(h.moves(), before.moves());
            prop_assert_eq!(h.turn(), before.turn());
            prop_assert_eq!((h.prisoners(Black), h.prisoners(White)), (before.prisoners(Black), before.prisoners(White)));
            for n in 0..=h.moves().len() {
                prop_assert_eq!(h.position(n), before.position(n));
            }
            prop_assert_eq!(outlook(&h), outlook(&before));
        }
        prop_assert!(h.undo().is_none());
    }

    #[test]
    fn any_text_is_a_ruleset_or_an_error(text in ".{0,200}") {
        let _ = Ruleset::from_toml(&text, "x.toml");
        let _ = Ruleset::from_toml(&format!("id = \"x\"\nextends = \"cwa\"\n{text}"), "x.toml");
    }

    #[test]
    fn board_text_both_ways(rows in prop::collection::vec("[.BW]{9}", 9)) {
        let board = Board::from_rows(&rows).unwrap();
        prop_assert_eq!(board.rows(), rows);
        let json = serde_json::to_string(&board).unwrap();
        prop_assert_eq!(serde_json::from_str::<Board>(&json).unwrap(), board);
    }
}
