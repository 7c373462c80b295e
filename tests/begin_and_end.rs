//! How games begin and end on a table where nobody waits for the camera, played on text boards.

mod table;

use goband::game::EventKind::{self, *};
use goband::rules::{Board, Color::*, Point};
use table::{Table, options, p};

fn kinds(t: &Table) -> Vec<EventKind> {
    t.events.iter().map(|e| e.kind).collect()
}

fn moves(t: &Table) -> Vec<(goband::rules::Color, Point)> {
    t.of_kind(Move).iter().map(|e| (e.color.unwrap(), e.point.unwrap())).collect()
}

const UNDER_WAY: [&str; 9] = [
    ".........",
    "..B...W..",
    "...BW....",
    "...BW....",
    ".........",
    ".........",
    ".........",
    "..W...B..",
    ".........",
];

#[test]
fn a_game_that_goes_on_at_once_keeps_its_moves() {
    let mut t = Table::of(&UNDER_WAY);
    // not even half a second of calm, and some corner that cannot be read for a moment
    t.frames(3);
    t.hide(&[p(8, 8)]);
    t.frames(1);
    t.hide(&[]);
    for (color, at) in [(White, p(4, 4)), (Black, p(4, 3)), (White, p(5, 4))] {
        t.play(color, at);
        t.frames(2);
    }
    t.rest(2000);
    let adopted = t.of_kind(PositionAdopted);
    assert_eq!(adopted.len(), 1);
    assert_eq!(adopted[0].board.as_deref().unwrap(), UNDER_WAY);
    assert_eq!(moves(&t), [(White, p(4, 4)), (Black, p(4, 3)), (White, p(5, 4))]);
}

#[test]
fn moves_made_before_all_of_a_position_was_in_view_are_moves() {
    let mut t = Table::of(&UNDER_WAY);
    // a bowl's lid lies on a corner and is taken away later
    let lid = [p(8, 7), p(8, 8), p(7, 8)];
    t.hide(&lid);
    t.rest(500);
    for (color, at) in [(White, p(4, 4)), (Black, p(4, 3))] {
        t.play(color, at);
        t.hide(&lid);
        t.frames(3);
    }
    t.hide(&[]);
    t.rest(2500);
    assert_eq!(t.of_kind(PositionAdopted)[0].board.as_deref().unwrap(), UNDER_WAY);
    assert_eq!(moves(&t), [(White, p(4, 4)), (Black, p(4, 3))]);
}

#[test]
fn what_is_read_otherwise_later_with_no_hand_near_is_no_move() {
    let mut t = Table::of(&UNDER_WAY);
    t.hide(&[p(8, 8)]);
    t.misread(p(7, 2), None);
    t.rest(500);
    t.no_misreads();
    t.rest(500);
    t.hide(&[]);
    t.rest(2500);
    assert_eq!(kinds(&t), [PositionAdopted]);
    assert_eq!(t.of_kind(PositionAdopted)[0].board.as_deref().unwrap(), UNDER_WAY);
}

#[test]
fn a_stone_left_of_the_last_game_begins_no_new_one() {
    let mut t = Table::over();
    t.under_hand(|t| {
        t.lay(&Board::new(9));
        t.set(p(4, 2), Some(White));
    });
    t.rest(5000);
    assert_eq!(kinds(&t), [EndAgreedSignal, EndAgreedSignal, BoardCleared]);
    t.lift(p(4, 2));
    t.rest(1500);
    t.play(Black, p(2, 2));
    t.rest(1500);
    t.play(White, p(4, 2));
    t.rest(1500);
    assert_eq!(kinds(&t)[3..], [PositionAdopted, Move, Move]);
}

#[test]
fn a_board_that_is_empty_when_the_footage_ends_was_cleared() {
    let mut t = Table::of_game(9, &[(Black, 2, 2), (White, 2, 6), (Black, 6, 2), (White, 6, 6)]);
    t.under_hand(|t| t.lay(&Board::new(9)));
    t.rest(1500);
    assert!(t.events.is_empty(), "nobody has said that the game is over: {:?}", kinds(&t));
    t.finish();
    assert_eq!(kinds(&t), [BoardCleared]);
}

#[test]
fn a_sign_at_a_seat_whose_arm_comes_in_over_the_corner_is_seen() {
    let mut t = Table::empty(9);
    // Black sits at the right and White at the left, and each reaches in over a corner
    let arm = |color| -> Vec<Point> {
        match color {
            Black => (0..9).flat_map(|k| [p(0, k), p(k, 8)]).filter(|q| q.row < 5 && q.col > 3).collect(),
            White => (0..9).flat_map(|k| [p(8, k), p(k, 0)]).filter(|q| q.row > 3 && q.col < 5).collect(),
        }
    };
    let game = [(2, 4), (6, 4), (2, 2), (6, 6), (4, 4), (4, 6)];
    for (k, at) in game.into_iter().enumerate() {
        let color = if k % 2 == 0 { Black } else { White };
        t.hand(true);
        t.hide(&arm(color));
        t.frames(2);
        t.set(p(at.0, at.1), Some(color));
        t.hide(&[arm(color), vec![p(at.0, at.1)]].concat());
        t.frames(2);
        t.hide(&[]);
        t.hand(false);
        t.rest(1500);
    }
    t.loose(0.5, 8.55, White);
    t.rest(1200);
    t.loose(7.45, -0.55, Black);
    t.rest(1200);
    let signs: Vec<_> = t.of_kind(EndAgreedSignal).iter().map(|e| e.color).collect();
    assert_eq!(signs, [Some(Black), Some(White)], "{:?}", kinds(&t));
}

#[test]
fn one_stone_between_two_points_is_one_stone() {
    let mut t = Table::with(options(), 9);
    t.rest(1200);
    t.under_hand_at(p(4, 4), |t| {
        t.set(p(4, 4), Some(Black));
        t.offset(p(4, 4), [0.44, 0.06]);
        // the network sees it from the next point too
        t.misread(p(4, 5), Some(Black));
        t.offset(p(4, 5), [-0.48, 0.08]);
    });
    t.rest(2500);
    assert_eq!(moves(&t), [(Black, p(4, 4))]);
    assert!(!kinds(&t).iter().any(|k| matches!(k, DroppedStone | DoubleMove)), "{:?}", kinds(&t));
    assert_eq!(t.of_kind(StoneOffPoint).len(), 1);
}

#[test]
fn a_board_that_is_swept_tells_of_no_single_stone_before() {
    let mut t = Table::of_game(
        9,
        &[(Black, 2, 2), (White, 2, 6), (Black, 6, 2), (White, 6, 6), (Black, 4, 4), (White, 4, 2), (Black, 3, 3)],
    );
    t.under_hand(|t| {
        for (from, to) in [((2, 2), (1, 3)), ((2, 6), (1, 7)), ((4, 4), (5, 5)), ((4, 2), (5, 1))] {
            let c = t.get(p(from.0, from.1));
            t.set(p(from.0, from.1), None);
            t.set(p(to.0, to.1), c);
        }
        t.set(p(3, 3), None);
        t.loose(3.5, 4.5, Black);
        t.offset(p(6, 6), [0.44, 0.1]);
    });
    t.rest(6000);
    assert_eq!(kinds(&t), [Scattered]);
}
