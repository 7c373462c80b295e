//! What the referee makes of sightings, played on text boards: no pixels, no clock.

mod table;

use goband::game::EventKind::{self, *};
use goband::game::{Event, Interval};
use goband::referee::{Press, Referee, RefereeOptions};
use goband::rules::{Board, Color::*, History, Point};
use table::{Table, options, p};

fn kinds(t: &Table) -> Vec<EventKind> {
    t.events.iter().map(|e| e.kind).filter(|k| *k != PositionAdopted).collect()
}

const FOUR_STONES: [&str; 9] = [
    ".........",
    "..B...W..",
    ".........",
    ".........",
    ".........",
    ".........",
    ".........",
    "..W...B..",
    ".........",
];

#[test]
fn plain_play_is_recorded_and_quick() {
    let mut t = Table::empty(9);
    t.play(Black, p(4, 4));
    let left = t.now();
    t.rest(1000);
    t.play(White, p(2, 4));
    t.rest(1000);
    assert_eq!(kinds(&t), [Move, Move]);
    let m = t.of_kind(Move)[0];
    assert_eq!((m.color, m.point, m.move_number), (Some(Black), Some(p(4, 4)), Some(1)));
    assert!(m.reported_ms <= left + 400, "{} after {left}", m.reported_ms);
    assert!(m.at_ms.first < m.at_ms.last && m.at_ms.last <= left + 100, "{:?}", m.at_ms);
    assert!(m.confidence > 0.9);
}

#[test]
fn stones_at_the_start_are_adopted() {
    let mut t = Table::of(&FOUR_STONES);
    t.rest(1500);
    let e = t.of_kind(PositionAdopted)[0].clone();
    assert_eq!(e.board.unwrap()[1], "..B...W..");
    // whoever plays first may
    t.play(White, p(4, 4));
    t.rest(1000);
    t.play(Black, p(4, 5));
    t.rest(1000);
    assert_eq!(kinds(&t), [Move, Move]);
}

/// Stones in bad light, of a colour that was not certain, were left out of the position; nothing that came after could be explained.
#[test]
fn a_stone_of_doubtful_colour_is_part_of_the_position() {
    let mut t = Table::of(&FOUR_STONES);
    t.doubt(p(1, 2), Some(White), 0.3);
    t.doubt(p(7, 6), Some(White), 0.44);
    // something stands in the way all the time, and is taken for a hand
    t.hide(&[p(8, 8), p(8, 7)]);
    t.hand(true);
    t.rest(4600);
    t.hand(false);
    t.rest(1000);
    let e = t.of_kind(PositionAdopted)[0].clone();
    let board = e.board.unwrap();
    assert_eq!((board[1].as_str(), board[7].as_str()), ("..B...W..", "..W...B.."));
    t.play(Black, p(4, 4));
    t.rest(1000);
    t.play(White, p(4, 5));
    t.rest(1000);
    assert_eq!(kinds(&t), [Move, Move]);
}

/// Bare wood in glare, over which a hand had passed, was read as a white stone with 0.77 for half a minute: it became White's move, and
/// the move that he made then a double move.
#[test]
fn wood_in_glare_that_every_frame_doubts_is_no_move() {
    let begun = || {
        let mut t = Table::of(&FOUR_STONES);
        t.rest(1500);
        t.play(Black, p(4, 4));
        t.rest(1000);
        t
    };
    // one such point, and others that came before it one after the other: that is no board that was swept
    for others in [0, 5] {
        let mut t = begun();
        for col in 0..others {
            t.under_hand_at(p(8, col), |t| t.doubt(p(8, col), Some(White), 0.6));
            t.rest(4000);
        }
        t.under_hand_at(p(6, 4), |t| t.doubt(p(6, 4), Some(White), 0.77));
        t.rest(6000);
        t.play(White, p(2, 4));
        t.rest(1000);
        t.play(Black, p(2, 2));
        t.rest(1000);
        assert_eq!(kinds(&t), [Move, Move, Move], "{others} others");
        assert_eq!(t.of_kind(Move)[1].point, Some(p(2, 4)));
    }
    // a stone that is doubted like that is known by the answer to it
    let mut t = begun();
    t.under_hand_at(p(6, 4), |t| t.doubt(p(6, 4), Some(White), 0.77));
    t.rest(3000);
    t.play(Black, p(2, 2));
    t.rest(1500);
    assert_eq!(kinds(&t), [Move, Move, Move]);
    assert_eq!(t.of_kind(Move)[1].point, Some(p(6, 4)));
}

/// A board with a worn crossing was known only after five seconds, and its first move told late.
#[test]
fn a_few_points_that_are_never_seen_do_not_hold_the_start_up() {
    let mut t = Table::with(options(), 19);
    t.hide(&[p(4, 10), p(10, 16), p(10, 17)]);
    t.rest(1800);
    assert_eq!(t.of_kind(PositionAdopted).len(), 1);
    // nor where the first hand comes before
    let mut t = Table::with(options(), 19);
    t.hide(&[p(4, 10), p(10, 16)]);
    t.rest(1200);
    t.play(Black, p(3, 3));
    let left = t.now();
    t.rest(1000);
    assert_eq!(kinds(&t), [Move]);
    assert!(t.of_kind(Move)[0].reported_ms <= left + 400);
    // more of it may yet come into view
    let mut t = Table::with(options(), 19);
    t.hide(&[p(18, 14), p(18, 15), p(18, 16), p(18, 17), p(18, 18)]);
    t.rest(1800);
    assert!(t.of_kind(PositionAdopted).is_empty());
}

#[test]
fn captures_taken_off_at_once_belong_to_the_move() {
    let mut t = Table::of_game(9, &[(Black, 0, 1), (White, 0, 0)]);
    t.capture(Black, p(1, 0), &[p(0, 0)]);
    t.rest(1500);
    assert_eq!(kinds(&t), [Move]);
    assert_eq!(t.of_kind(Move)[0].captured.as_deref(), Some(&[p(0, 0)][..]));
}

#[test]
fn captures_lifted_later_are_told_when_they_are_off() {
    let mut t = Table::of_game(9, &[(Black, 0, 1), (White, 0, 0)]);
    t.play(Black, p(1, 0));
    t.rest(1000);
    assert_eq!(kinds(&t), [Move], "the move is told while the captured stone still lies");
    t.lift(p(0, 0));
    t.rest(1000);
    assert_eq!(kinds(&t), [Move, CapturesCleared]);
    let of = t.of_kind(CapturesCleared)[0].of;
    assert_eq!(of, Some(t.of_kind(Move)[0].seq));
}

#[test]
fn captures_left_lying_are_missed_after_the_grace_time() {
    let mut t = Table::of_game(9, &[(Black, 0, 1), (White, 0, 0)]);
    t.play(Black, p(1, 0));
    let left = t.now();
    t.rest(5000);
    assert_eq!(kinds(&t), [Move, MissedCapture]);
    let e = t.of_kind(MissedCapture)[0].clone();
    assert!((3000..4000).contains(&(e.reported_ms - left)), "{}", e.reported_ms - left);
    assert_eq!(e.points.iter().filter_map(|s| s.point()).collect::<Vec<_>>(), [p(0, 0)]);
    assert_eq!(e.restore.len(), 1);
    t.lift(p(0, 0));
    t.rest(1000);
    assert_eq!(kinds(&t), [Move, MissedCapture, CapturesCleared, Repaired]);
    assert_eq!(t.of_kind(Repaired)[0].of, Some(e.seq));
}

#[test]
fn the_next_stone_ends_the_grace_time() {
    let mut t = Table::of_game(9, &[(Black, 0, 1), (White, 0, 0)]);
    t.play(Black, p(1, 0));
    t.rest(800);
    t.play(White, p(5, 5));
    t.rest(1200);
    assert_eq!(kinds(&t), [Move, Move, MissedCapture]);
}

#[test]
fn a_press_ends_the_grace_time() {
    let mut t = Table::of_game(9, &[(Black, 0, 1), (White, 0, 0)]);
    t.play(Black, p(1, 0));
    t.rest(500);
    t.press(Press::exact(t.now(), Black));
    t.rest(2000);
    assert_eq!(kinds(&t), [Move, MissedCapture]);
}

#[test]
fn slow_removal_by_either_player_is_no_offence() {
    let mut t = Table::of_game(9, &[(Black, 0, 2), (White, 0, 0), (Black, 1, 1), (White, 0, 1)]);
    t.play(Black, p(1, 0));
    t.rest(2000);
    t.lift(p(0, 1));
    t.rest(2000);
    t.lift(p(0, 0));
    t.rest(1000);
    assert_eq!(kinds(&t), [Move, CapturesCleared]);
}

#[test]
fn the_second_stone_in_a_row_is_void() {
    let mut t = Table::empty(9);
    t.play(Black, p(4, 4));
    t.rest(1000);
    t.play(White, p(2, 2));
    t.rest(1000);
    t.play(White, p(2, 3));
    let left = t.now();
    t.rest(1500);
    assert_eq!(kinds(&t), [Move, Move, DoubleMove]);
    let e = t.of_kind(DoubleMove)[0].clone();
    assert!(e.reported_ms <= left + 1000, "{}", e.reported_ms - left);
    assert_eq!((e.color, e.point), (Some(White), Some(p(2, 3))));
    assert_eq!(serde_json::to_value(&e.restore).unwrap(), serde_json::json!([{"at": [2, 3], "be": "."}]));
    t.lift(p(2, 3));
    t.rest(1000);
    t.play(Black, p(6, 6));
    t.rest(1000);
    assert_eq!(kinds(&t), [Move, Move, DoubleMove, Repaired, Move]);
}

#[test]
fn a_void_stone_that_stays_makes_no_new_alarm() {
    let mut t = Table::empty(9);
    for (c, at) in
        [(Black, p(4, 4)), (White, p(2, 2)), (White, p(2, 3)), (Black, p(6, 6)), (White, p(6, 2)), (Black, p(5, 5))]
    {
        t.play(c, at);
        t.rest(1500);
    }
    assert_eq!(kinds(&t), [Move, Move, DoubleMove, Move, Move, Move]);
}

#[test]
fn two_stones_of_one_colour_at_once_are_a_move_and_a_double_move() {
    let mut t = Table::empty(9);
    t.under_hand(|t| {
        t.set(p(4, 4), Some(Black));
        t.frames(4);
        t.set(p(4, 6), Some(Black));
    });
    t.rest(1500);
    assert_eq!(kinds(&t), [Move, DoubleMove]);
}

#[test]
fn a_stone_lifted_and_put_elsewhere_is_a_takeback() {
    let mut t = Table::empty(9);
    t.play(Black, p(4, 4));
    t.rest(1500);
    t.under_hand(|t| {
        t.set(p(4, 4), None);
        t.frames(5);
        t.set(p(2, 4), Some(Black));
    });
    t.rest(1500);
    assert_eq!(kinds(&t), [Move, Takeback, Corrected]);
    let e = t.of_kind(Takeback)[0].clone();
    assert_eq!(e.points.iter().filter_map(|s| s.point()).collect::<Vec<_>>(), [p(4, 4), p(2, 4)]);
    let c = t.of_kind(Corrected)[0].clone();
    assert_eq!((c.of, c.point), (Some(t.of_kind(Move)[0].seq), Some(p(2, 4))));
    t.play(White, p(6, 6));
    t.rest(1000);
    assert_eq!(kinds(&t), [Move, Takeback, Corrected, Move, Repaired]);
    assert_eq!(t.referee.history().unwrap().moves()[0].point, Some(p(2, 4)));
}

#[test]
fn a_takeback_undone_is_repaired() {
    let mut t = Table::empty(9);
    t.play(Black, p(4, 4));
    t.rest(1500);
    t.move_stone(p(4, 4), p(2, 4));
    t.rest(1500);
    t.move_stone(p(2, 4), p(4, 4));
    t.rest(1500);
    assert_eq!(kinds(&t), [Move, Takeback, Corrected, Corrected, Repaired]);
    assert_eq!(t.referee.history().unwrap().moves()[0].point, Some(p(4, 4)));
}

#[test]
fn straightening_is_nothing() {
    let mut t = Table::empty(9);
    t.play(Black, p(4, 4));
    t.rest(1000);
    for _ in 0..3 {
        t.under_hand_at(p(4, 4), |t| t.frames(4));
        t.rest(800);
    }
    assert_eq!(kinds(&t), [Move]);
}

#[test]
fn a_stone_off_its_point_is_a_notice_until_it_is_straight() {
    let mut t = Table::empty(9);
    t.offset(p(4, 4), [0.3, 0.3]);
    t.play(Black, p(4, 4));
    t.rest(1500);
    assert_eq!(kinds(&t), [Move, StoneOffPoint]);
    t.offset(p(4, 4), [0.05, 0.0]);
    t.under_hand_at(p(4, 4), |t| t.frames(4));
    t.rest(1500);
    assert_eq!(kinds(&t), [Move, StoneOffPoint, Repaired]);
}

#[test]
fn a_shoved_stone_is_displaced_and_repaired() {
    let mut t = Table::of_game(9, &[(Black, 4, 4), (White, 2, 2), (Black, 6, 6)]);
    t.rest(12_000);
    t.under_hand(|t| {
        t.set(p(2, 2), None);
        t.set(p(3, 2), Some(White));
    });
    t.rest(1500);
    assert_eq!(kinds(&t), [DisplacedStone]);
    let e = t.of_kind(DisplacedStone)[0].clone();
    assert_eq!(e.points.iter().filter_map(|s| s.point()).collect::<Vec<_>>(), [p(2, 2), p(3, 2)]);
    t.move_stone(p(3, 2), p(2, 2));
    t.rest(1500);
    assert_eq!(kinds(&t), [DisplacedStone, Repaired]);
}

#[test]
fn a_move_and_a_stone_dragged_by_the_same_sleeve() {
    let mut t = Table::of_game(9, &[(Black, 4, 4), (White, 2, 2), (Black, 6, 6)]);
    t.under_hand(|t| {
        t.set(p(7, 3), Some(White));
        t.frames(3);
        t.set(p(2, 2), None);
        t.set(p(3, 2), Some(White));
    });
    t.rest(1500);
    assert_eq!(kinds(&t), [Move, DisplacedStone]);
    assert_eq!(t.of_kind(Move)[0].point, Some(p(7, 3)));
}

#[test]
fn a_dragged_stone_seen_before_the_move_does_not_fool() {
    let mut t = Table::of_game(9, &[(Black, 4, 4), (White, 2, 2), (Black, 6, 6)]);
    // the hand hides the rest, so the dragged stone looks like the move at first
    t.set(p(7, 3), Some(White));
    t.set(p(2, 2), None);
    t.set(p(3, 2), Some(White));
    t.hide(&[p(7, 3), p(2, 2), p(1, 2), p(1, 1)]);
    t.hand(true);
    t.frames(3);
    t.hide(&[]);
    t.hand(false);
    t.rest(1500);
    assert_eq!(kinds(&t), [Move, DisplacedStone]);
    assert_eq!(t.of_kind(Move)[0].point, Some(p(7, 3)));
}

#[test]
fn a_stone_gone_is_displaced() {
    let mut t = Table::of_game(9, &[(Black, 4, 4), (White, 2, 2), (Black, 6, 6), (White, 2, 6)]);
    t.rest(12_000);
    t.lift(p(4, 4));
    t.rest(2000);
    assert_eq!(kinds(&t), [DisplacedStone]);
}

#[test]
fn stones_with_liberties_taken_are_a_wrong_removal() {
    let mut t = Table::of_game(9, &[(Black, 4, 4), (White, 4, 5), (Black, 6, 6)]);
    t.under_hand(|t| {
        t.set(p(4, 3), Some(White));
        t.frames(3);
        t.set(p(4, 4), None);
    });
    t.rest(2000);
    assert_eq!(kinds(&t), [Move, WrongRemoval]);
    let e = t.of_kind(WrongRemoval)[0].clone();
    assert_eq!((e.color, e.points[0].point()), (Some(White), Some(p(4, 4))));
    t.under_hand(|t| t.set(p(4, 4), Some(Black)));
    t.rest(1500);
    assert_eq!(kinds(&t), [Move, WrongRemoval, Repaired]);
}

#[test]
fn one_stone_too_many_taken_with_a_capture() {
    let mut t = Table::of_game(9, &[(Black, 0, 1), (White, 0, 0), (Black, 5, 5), (White, 2, 0)]);
    t.capture(Black, p(1, 0), &[p(0, 0), p(2, 0)]);
    t.rest(2000);
    assert_eq!(kinds(&t), [Move, WrongRemoval]);
    assert_eq!(t.of_kind(WrongRemoval)[0].points[0].point(), Some(p(2, 0)));
}

/// Black to take a ko at (1, 2), White's stone at (1, 1).
fn ko_game() -> Table {
    Table::of_game(
        9,
        &[
            (Black, 0, 1),
            (White, 0, 2),
            (Black, 1, 0),
            (White, 1, 3),
            (Black, 2, 1),
            (White, 2, 2),
            (Black, 7, 7),
            (White, 1, 1),
        ],
    )
}

#[test]
fn a_ko_fight_with_threats_is_legal() {
    let mut t = ko_game();
    t.capture(Black, p(1, 2), &[p(1, 1)]);
    t.rest(1000);
    t.play(White, p(6, 6));
    t.rest(1000);
    t.play(Black, p(6, 7));
    t.rest(1000);
    t.capture(White, p(1, 1), &[p(1, 2)]);
    t.rest(1000);
    assert_eq!(kinds(&t), [Move, Move, Move, Move]);
}

#[test]
fn retaking_the_ko_at_once_is_void() {
    let mut t = ko_game();
    t.capture(Black, p(1, 2), &[p(1, 1)]);
    t.rest(1000);
    t.capture(White, p(1, 1), &[p(1, 2)]);
    t.rest(1500);
    assert_eq!(kinds(&t), [Move, KoViolation]);
    let e = t.of_kind(KoViolation)[0].clone();
    assert_eq!(e.points.iter().filter_map(|s| s.point()).collect::<Vec<_>>(), [p(1, 1), p(1, 2)]);
    assert_eq!(e.restore.len(), 2);
    t.lift(p(1, 1));
    t.rest(1700);
    t.under_hand(|t| t.set(p(1, 2), Some(Black)));
    t.rest(1000);
    assert_eq!(kinds(&t), [Move, KoViolation, Repaired]);
    t.play(White, p(5, 5));
    t.rest(1000);
    assert_eq!(kinds(&t), [Move, KoViolation, Repaired, Move]);
}

#[test]
fn after_a_forbidden_ko_the_opponent_may_play_on() {
    let mut t = ko_game();
    t.capture(Black, p(1, 2), &[p(1, 1)]);
    t.rest(1000);
    t.capture(White, p(1, 1), &[p(1, 2)]);
    t.rest(1500);
    t.under_hand(|t| {
        t.set(p(1, 1), None);
        t.set(p(1, 2), Some(Black));
    });
    t.rest(1000);
    t.play(Black, p(1, 1));
    t.rest(1000);
    assert_eq!(kinds(&t), [Move, KoViolation, Repaired, Pass, Move]);
}

#[test]
fn a_stone_without_liberties_is_suicide() {
    let mut t = Table::of_game(9, &[(Black, 0, 1), (White, 5, 5), (Black, 1, 0)]);
    t.play(White, p(0, 0));
    t.rest(1500);
    assert_eq!(kinds(&t), [Suicide]);
    t.lift(p(0, 0));
    t.rest(1000);
    t.play(White, p(3, 3));
    t.rest(1000);
    assert_eq!(kinds(&t), [Suicide, Repaired, Move]);
}

#[test]
fn the_wrong_colour_first() {
    let mut t = Table::empty(9);
    t.play(White, p(2, 6));
    t.rest(1500);
    assert_eq!(kinds(&t), [WrongFirstColour]);
    t.lift(p(2, 6));
    t.rest(1000);
    t.play(Black, p(3, 5));
    t.rest(1000);
    assert_eq!(kinds(&t), [WrongFirstColour, Repaired, Move]);
}

#[test]
fn a_dropped_stone_is_told_and_repaired_when_picked_up() {
    let mut t = Table::of_game(9, &[(Black, 2, 2), (White, 6, 6)]);
    t.loose(4.4, 3.45, Black);
    t.rest(2000);
    assert_eq!(kinds(&t), [DroppedStone]);
    t.under_hand(|t| {
        t.no_loose();
        t.frames(4);
        t.set(p(2, 5), Some(Black));
    });
    t.rest(1500);
    let mut k = kinds(&t);
    k[1..].sort();
    let mut want = [Repaired, Move];
    want.sort();
    assert_eq!(k[1..], want);
}

#[test]
fn a_stone_shoved_between_the_points_is_displaced() {
    let mut t = Table::of_game(9, &[(Black, 2, 2), (White, 6, 6)]);
    t.rest(1000);
    t.under_hand(|t| {
        t.set(p(2, 2), None);
        t.loose(2.5, 2.5, Black);
    });
    t.rest(2000);
    assert_eq!(kinds(&t), [DisplacedStone]);
    assert_eq!(t.of_kind(DisplacedStone)[0].points.len(), 2);
}

/// The last stone, which lay still, was counted among those swept away so that there were enough of them, and its move withdrawn.
#[test]
fn a_last_stone_that_lies_still_is_no_part_of_a_sweep() {
    let mut t = Table::of(&[
        ".........",
        "..B.W....",
        ".........",
        "..B.W....",
        ".........",
        "..B.W....",
        ".........",
        ".........",
        ".........",
    ]);
    t.rest(1500);
    t.play(Black, p(7, 7));
    t.rest(1500);
    t.under_hand(|t| {
        // 1-3 and 3-3 are shoved by a row, 5-3 flies off
        for (from, to) in [(p(1, 2), Some(p(2, 2))), (p(3, 2), Some(p(4, 2))), (p(5, 2), None)] {
            t.set(from, None);
            to.into_iter().for_each(|to| t.set(to, Some(Black)));
        }
    });
    t.rest(4000);
    assert_eq!(kinds(&t), [Move, Scattered]);
    assert_eq!(t.of_kind(Move)[0].point, Some(p(7, 7)));
}

/// Of two stones shoved by one sleeve the last one played was told to be taken back, and the other to be removed and dropped.
#[test]
fn the_last_stone_and_another_shoved_together_are_one_fault() {
    let mut t = Table::of_game(9, &[(Black, 2, 5), (White, 6, 2)]);
    t.play(Black, p(7, 7));
    t.rest(1500);
    t.play(White, p(3, 6));
    t.rest(1500);
    t.under_hand(|t| {
        t.set(p(3, 6), None);
        t.set(p(4, 7), Some(White));
        t.set(p(2, 5), None);
        t.loose(2.8, 5.5, Black);
    });
    t.rest(2500);
    assert_eq!(kinds(&t), [Move, Move, DisplacedStone]);
    let e = t.of_kind(DisplacedStone)[0].clone();
    let spots: Vec<(f64, f64)> = e.points.iter().map(|s| (s.row, s.col)).collect();
    assert_eq!(spots, [(3.0, 6.0), (4.0, 7.0), (2.0, 5.0), (2.8, 5.5)]);
    // put right, it is repaired
    t.under_hand(|t| {
        t.no_loose();
        t.set(p(4, 7), None);
        t.set(p(3, 6), Some(White));
        t.set(p(2, 5), Some(Black));
    });
    t.rest(2000);
    assert_eq!(kinds(&t), [Move, Move, DisplacedStone, Repaired]);
    assert_eq!(t.of_kind(Repaired)[0].of, Some(e.seq));
}

/// Stones of a swept board that all came to lie between the points were held for a board that is being cleared, then told one by one.
#[test]
fn many_stones_swept_between_the_points_are_a_scattered_board() {
    let moves = [(2, 2), (2, 6), (6, 2), (6, 6), (4, 4), (4, 2), (2, 4), (6, 4)];
    let of = |k: usize| if k.is_multiple_of(2) { Black } else { White };
    let played: Vec<_> = moves.iter().enumerate().map(|(k, &(r, c))| (of(k), r, c)).collect();
    let mut t = Table::of_game(9, &played);
    t.rest(12_000);
    t.under_hand(|t| {
        for (k, &(r, c)) in moves.iter().enumerate().take(6) {
            t.set(p(r, c), None);
            let by = 0.4 + 0.03 * k as f32;
            t.loose(f32::from(r) + 0.5, f32::from(c) + by, of(k));
        }
    });
    t.rest(4000);
    assert_eq!(kinds(&t), [Scattered]);
}

#[test]
fn a_scattered_board_is_one_event_with_all_to_restore() {
    let mut t = Table::of_game(
        9,
        &[
            (Black, 2, 2),
            (White, 2, 6),
            (Black, 6, 2),
            (White, 6, 6),
            (Black, 4, 4),
            (White, 4, 2),
            (Black, 2, 4),
            (White, 6, 4),
        ],
    );
    t.rest(12_000);
    t.under_hand(|t| {
        for (a, b) in
            [((2, 2), (3, 1)), ((2, 6), (1, 7)), ((6, 2), (7, 2)), ((6, 6), (7, 8)), ((4, 4), (5, 5)), ((4, 2), (5, 1))]
        {
            let c = t.get(p(a.0, a.1));
            t.set(p(a.0, a.1), None);
            t.set(p(b.0, b.1), c);
        }
    });
    t.rest(2500);
    assert_eq!(kinds(&t), [Scattered]);
    assert_eq!(t.of_kind(Scattered)[0].restore.len(), 12);
    t.under_hand(|t| {
        let board = t.referee.history().unwrap().board().clone();
        t.lay(&board);
    });
    t.rest(1500);
    assert_eq!(kinds(&t), [Scattered, Repaired]);
}

#[test]
fn both_sides_agree_and_clear_the_board() {
    let mut t =
        Table::of_game(9, &[(Black, 2, 2), (White, 2, 6), (Black, 6, 2), (White, 6, 6), (Black, 4, 4), (White, 4, 2)]);
    t.loose(8.5, 7.5, White);
    t.rest(1500);
    t.loose(-0.6, 0.5, Black);
    t.rest(1500);
    assert_eq!(kinds(&t), [EndAgreedSignal, EndAgreedSignal]);
    let by: Vec<_> = t.of_kind(EndAgreedSignal).iter().map(|e| e.color.unwrap()).collect();
    assert_eq!(by, [Black, White]);
    // the second one ends play and says what it would come to
    let said: Vec<_> = t.of_kind(EndAgreedSignal).iter().map(|e| e.text.clone().unwrap()).collect();
    assert!(!said[0].en.contains("To be confirmed"), "{said:?}");
    assert!(said[1].en.contains("To be confirmed") && said[1].zh.contains("待双方确认"), "{said:?}");
    t.under_hand(|t| {
        for at in [p(2, 2), p(2, 6), p(6, 2), p(6, 6)] {
            t.set(at, None);
        }
    });
    t.rest(1500);
    t.under_hand(|t| t.lay(&Board::new(9)));
    t.rest(3000);
    assert_eq!(kinds(&t), [EndAgreedSignal, EndAgreedSignal, BoardCleared]);
}

/// Its offset is understated, so that it seems to lie half on the outermost crossing.
#[test]
fn a_sign_of_the_end_that_is_read_at_the_last_line_is_no_dropped_stone() {
    let mut t =
        Table::of_game(9, &[(Black, 2, 2), (White, 2, 6), (Black, 6, 2), (White, 6, 6), (Black, 4, 4), (White, 4, 2)]);
    t.under_hand_at(p(0, 1), |t| {
        t.set(p(0, 1), Some(Black));
        t.offset(p(0, 1), [-0.27, -0.4]);
    });
    t.rest(2500);
    assert_eq!(kinds(&t), [EndAgreedSignal]);
    // within the lines it would have been dropped
    let mut t =
        Table::of_game(9, &[(Black, 2, 2), (White, 2, 6), (Black, 6, 2), (White, 6, 6), (Black, 4, 4), (White, 4, 2)]);
    t.under_hand_at(p(0, 1), |t| {
        t.set(p(0, 1), Some(White));
        t.offset(p(0, 1), [-0.38, 0.27]);
    });
    t.rest(2500);
    assert!(!kinds(&t).contains(&EndAgreedSignal), "{:?}", kinds(&t));
}

#[test]
fn two_own_stones_at_the_corner_resign() {
    let mut t = Table::of_game(9, &[(Black, 2, 2), (White, 2, 6)]);
    t.loose(8.6, 7.5, Black);
    t.rest(1500);
    assert_eq!(kinds(&t), []);
    t.loose(8.6, 6.4, Black);
    t.rest(1500);
    assert_eq!(kinds(&t), [ResignSignal]);
    assert_eq!(t.of_kind(ResignSignal)[0].color, Some(Black));
}

#[test]
fn clearing_without_a_signal_is_no_infraction() {
    let moves: Vec<_> =
        (0..24).map(|k| (if k % 2 == 0 { Black } else { White }, (k / 6) * 2, k % 6 + k / 6 % 2)).collect();
    let mut t = Table::of_game(9, &moves);
    t.rest(2000);
    let all: Vec<Point> = moves.iter().map(|m| p(m.1, m.2)).collect();
    for part in all.chunks(6) {
        t.under_hand(|t| part.iter().for_each(|&at| t.set(at, None)));
        t.rest(1200);
    }
    t.rest(3000);
    assert_eq!(kinds(&t), [BoardCleared]);
}

#[test]
fn three_moves_between_clear_views_are_put_in_order() {
    let mut t = Table::of_game(9, &[(Black, 0, 1), (White, 0, 0)]);
    // Black captures the corner stone, White and Black play on, all behind one long arm
    t.hide_all();
    t.hand(true);
    t.frames(8);
    t.set(p(1, 0), Some(Black));
    t.set(p(0, 0), None);
    t.set(p(5, 5), Some(White));
    t.set(p(5, 6), Some(Black));
    t.frames(5);
    t.hide(&[]);
    t.hand(false);
    t.rest(1500);
    assert_eq!(kinds(&t), [Move, Move, Move]);
    assert_eq!(t.of_kind(Move)[1].point, Some(p(5, 5)));
}

#[test]
fn hands_shadows_and_bumps_are_nothing() {
    let mut t = Table::of_game(9, &[(Black, 2, 2), (White, 2, 6), (Black, 6, 2)]);
    t.rest(1000);
    for k in 0..4 {
        t.hide(&[p(k, 2), p(k, 3), p(k + 1, 2), p(k + 2, 2)]);
        t.hand(true);
        t.frames(3);
    }
    t.hide(&[]);
    t.hand(false);
    t.rest(1000);
    // a shadow reads as a black stone for two frames, another as an empty point
    t.misread(p(5, 5), Some(Black));
    t.misread(p(2, 6), None);
    t.frames(2);
    t.no_misreads();
    t.rest(3000);
    assert_eq!(kinds(&t), []);
}

#[test]
fn a_persistent_riddle_is_put_to_the_operator() {
    let mut t = Table::of_game(9, &[(Black, 2, 2), (White, 2, 6), (Black, 6, 2), (White, 6, 6)]);
    t.rest(3000);
    t.set(p(2, 2), Some(White));
    t.rest(12_000);
    assert_eq!(kinds(&t), [Unexplained]);
    assert_eq!(t.of_kind(Unexplained)[0].points[0].point(), Some(p(2, 2)));
    // the game goes on
    t.play(Black, p(4, 4));
    t.rest(1500);
    assert_eq!(kinds(&t), [Unexplained, Move]);
}

#[test]
fn one_frame_a_second_is_enough() {
    let mut t = Table::empty(9);
    t.frame_ms = 1000;
    t.rest(3000);
    for (c, at) in [(Black, p(2, 2)), (White, p(6, 6)), (Black, p(2, 6)), (White, p(6, 2))] {
        t.set(at, Some(c));
        t.frames(1);
    }
    t.finish();
    assert_eq!(kinds(&t), [Move, Move, Move, Move]);
}

#[test]
fn a_press_without_a_stone_is_a_pass_when_the_opponent_plays() {
    let mut t = Table::of_game(9, &[(Black, 2, 2), (White, 2, 6)]);
    t.press(Press::exact(t.now(), Black));
    t.rest(3000);
    t.play(White, p(6, 6));
    t.rest(1000);
    assert_eq!(kinds(&t), [Pass, Move]);
}

#[test]
fn a_press_before_the_stone_is_told() {
    let mut t = Table::of_game(9, &[(Black, 2, 2), (White, 2, 6)]);
    t.press(Press::exact(t.now(), Black));
    t.rest(1500);
    t.play(Black, p(6, 6));
    t.rest(1000);
    assert_eq!(kinds(&t), [Move, PressBeforeMove]);
}

#[test]
fn a_killed_referee_goes_on_where_it_was() {
    let mut t = Table::empty(9);
    for (c, at) in [(Black, p(4, 4)), (White, p(2, 2)), (White, p(2, 3))] {
        t.play(c, at);
        t.rest(1500);
    }
    assert_eq!(kinds(&t), [Move, Move, DoubleMove]);
    t.referee = Referee::resume(options(), &t.events);
    // a move is made while nobody watches
    t.set(p(6, 6), Some(Black));
    t.rest(2000);
    t.lift(p(2, 3));
    t.rest(2000);
    assert_eq!(kinds(&t), [Move, Move, DoubleMove, Move, Repaired]);
    let seqs: Vec<u64> = t.events.iter().map(|e| e.seq).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
}

/// What the referee has decided is no news any more, neither live nor after a restart; the stone may still lie there.
#[test]
fn a_decision_closes_an_infraction_but_not_the_eyes() {
    for restarted in [false, true] {
        let mut t = Table::empty(9);
        for (c, at) in [(Black, p(4, 4)), (White, p(2, 2)), (White, p(2, 3))] {
            t.play(c, at);
            t.rest(1500);
        }
        let double = t.of_kind(DoubleMove)[0].seq;
        let now = t.now();
        let mut decision = Event::new(Decision, Interval { first: now, last: now }, now, 1.0);
        decision.of = Some(double);
        let decision = t.referee.admit(decision);
        t.events.push(decision);
        if restarted {
            t.referee = Referee::resume(options(), &t.events);
        }
        t.rest(5000);
        assert_eq!(kinds(&t), [Move, Move, DoubleMove, Decision], "the stone that was decided about is no new alarm");
        t.lift(p(2, 3));
        t.rest(2000);
        t.play(Black, p(6, 6));
        t.rest(1500);
        assert!(!kinds(&t)[4..].iter().any(|k| k.is_infraction() || *k == Unexplained), "{:?}", kinds(&t));
        assert_eq!(kinds(&t).last(), Some(&Move));
        let seqs: Vec<u64> = t.events.iter().map(|e| e.seq).collect();
        assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    }
}

#[test]
fn players_who_begin_before_the_whole_board_was_in_view_have_their_first_moves() {
    let mut t = Table::with(options(), 9);
    t.hide(&[p(8, 8)]);
    t.rest(700);
    for (color, at) in [(Black, p(2, 2)), (White, p(6, 6))] {
        t.set(at, Some(color));
        t.rest(700);
    }
    assert!(t.of_kind(PositionAdopted).is_empty(), "not all of it has been in view");
    t.hide(&[]);
    t.rest(2500);
    let moves: Vec<_> = t.of_kind(Move).iter().map(|e| (e.color, e.point)).collect();
    assert_eq!(moves, [(Some(Black), Some(p(2, 2))), (Some(White), Some(p(6, 6)))]);
    // what lay there from the first is a position
    let mut t = Table::with(options(), 9);
    t.hide(&[p(8, 8)]);
    t.set(p(2, 2), Some(Black));
    t.set(p(6, 6), Some(White));
    t.rest(1400);
    t.hide(&[]);
    t.rest(2500);
    assert!(t.of_kind(Move).is_empty());
    assert_eq!(t.of_kind(PositionAdopted).len(), 1);
}

#[test]
fn a_given_start_needs_no_adoption() {
    let mut game = History::new(Board::new(9), Black);
    game.play(Black, Some(p(4, 4)));
    let options = RefereeOptions { start: Some(game), ..options() };
    let mut t = Table::with(options, 9);
    t.set(p(4, 4), Some(Black));
    t.rest(1500);
    t.play(White, p(2, 2));
    t.rest(1000);
    assert_eq!(kinds(&t), [Move]);
    assert_eq!(t.of_kind(Move)[0].move_number, Some(2));
    assert!(t.of_kind(PositionAdopted).is_empty());
}

#[test]
fn the_same_sightings_give_the_same_events() {
    let run = || {
        let mut t = Table::empty(9);
        t.noise(7, 0.01);
        for (c, at) in [(Black, p(4, 4)), (White, p(2, 2)), (White, p(2, 3)), (Black, p(6, 6))] {
            t.play(c, at);
            t.rest(1500);
        }
        serde_json::to_string(&t.events).unwrap()
    };
    assert_eq!(run(), run());
}

#[test]
fn a_press_before_the_captures_are_off_is_told_when_they_are() {
    for (uncertainty_ms, told) in [(0, true), (300, true), (3000, false)] {
        let mut t = Table::of_game(9, &[(Black, 0, 1), (White, 0, 0)]);
        t.play(Black, p(1, 0));
        t.rest(500);
        t.press(Press { ms: t.now(), side: Black, uncertainty_ms });
        t.rest(700);
        t.lift(p(0, 0));
        t.rest(3000);
        let mut want = vec![Move, CapturesCleared];
        want.extend(told.then_some(PressBeforeCapturesCleared));
        assert_eq!(kinds(&t), want, "±{uncertainty_ms} ms");
        if told {
            let e = t.of_kind(PressBeforeCapturesCleared)[0];
            assert_eq!((e.color, e.of), (Some(Black), Some(t.of_kind(Move)[0].seq)));
            assert_eq!(e.points[0].point(), Some(p(0, 0)));
        }
    }
}

#[test]
fn a_press_early_within_its_uncertainty_is_none() {
    for (uncertainty_ms, told) in [(0, true), (200, true), (1500, false)] {
        let mut t = Table::of_game(9, &[(Black, 2, 2), (White, 2, 6)]);
        t.press(Press { ms: t.now(), side: Black, uncertainty_ms });
        t.rest(1000);
        t.play(Black, p(6, 6));
        t.rest(1000);
        let mut want = vec![Move];
        want.extend(told.then_some(PressBeforeMove));
        assert_eq!(kinds(&t), want, "±{uncertainty_ms} ms");
    }
}

/// A game of which every move is pressed, properly: nothing to tell.
#[test]
fn presses_after_the_moves_are_nothing() {
    let mut t = Table::empty(9);
    for (color, at) in [(Black, p(2, 2)), (White, p(6, 6)), (Black, p(2, 6)), (White, p(6, 2))] {
        t.play(color, at);
        t.rest(300);
        t.press(Press::exact(t.now(), color));
        t.rest(1500);
    }
    t.rest(5000);
    assert_eq!(kinds(&t), [Move, Move, Move, Move]);
}

#[test]
fn the_wrong_button() {
    let mut t = Table::empty(9);
    for (color, at) in [(Black, p(2, 2)), (White, p(6, 6)), (Black, p(2, 6))] {
        t.play(color, at);
        t.rest(300);
        t.press(Press::exact(t.now(), color));
        t.rest(1500);
    }
    t.play(White, p(6, 2));
    t.rest(300);
    // White's hand on Black's button
    t.press(Press::exact(t.now(), Black));
    t.rest(2000);
    assert_eq!(kinds(&t), [Move, Move, Move, Move, WrongClockPressed]);
    let e = t.of_kind(WrongClockPressed)[0];
    assert_eq!((e.color, e.move_number), (Some(White), Some(4)));
    // then the right one, and play goes on
    t.press(Press::exact(t.now(), White));
    t.rest(3000);
    t.play(Black, p(4, 4));
    t.rest(300);
    t.press(Press::exact(t.now(), Black));
    t.rest(3000);
    assert_eq!(kinds(&t), [Move, Move, Move, Move, WrongClockPressed, Move]);
}

#[test]
fn two_presses_without_a_stone_are_two_passes() {
    let mut t = Table::empty(9);
    for (color, at) in [(Black, p(2, 2)), (White, p(6, 6))] {
        t.play(color, at);
        t.rest(300);
        t.press(Press::exact(t.now(), color));
        t.rest(1500);
    }
    t.press(Press::exact(t.now(), Black));
    t.rest(4000);
    assert_eq!(kinds(&t), [Move, Move], "one press alone may still have its stone");
    t.press(Press::exact(t.now(), White));
    t.rest(6000);
    assert_eq!(kinds(&t), [Move, Move, Pass, Pass, TwoPasses]);
    let by: Vec<_> = t.of_kind(Pass).iter().map(|e| e.color).collect();
    assert_eq!(by, [Some(Black), Some(White)]);
    // what the board comes to as it lies, in both languages, for both sides to confirm
    let text = t.of_kind(TwoPasses)[0].text.clone().unwrap();
    let game = t.referee.history().unwrap();
    let count = goband::game::FinalCount::of(game, &options().ruleset, 0, Default::default()).text();
    assert_eq!(text.en, format!("Two passes in a row: the game is over. {}", count.en));
    assert_eq!(text.zh, format!("双方连续虚着，终局。{}", count.zh));
    assert!(text.en.contains("To be confirmed: ") && text.zh.contains("待双方确认："), "{text:?}");
}

/// A stone that fell between the points is no move that is taken back when it is picked up.
#[test]
fn a_stone_fallen_half_a_pitch_off_is_no_takeback() {
    let mut t = Table::of_game(9, &[(Black, 2, 2), (White, 6, 6)]);
    t.offset(p(4, 4), [0.46, 0.0]);
    t.play(Black, p(4, 4));
    t.rest(2500);
    t.lift(p(4, 4));
    t.rest(4000);
    assert!(!kinds(&t).contains(&Takeback), "{:?}", kinds(&t));
    assert_eq!(t.of_kind(StoneOffPoint).len(), 1);
    assert_eq!(t.referee.history().unwrap().moves().len(), 2, "it never was a move");
    // out of turn it can only have been dropped
    t.play(Black, p(4, 6));
    t.rest(1500);
    t.play(Black, p(4, 4));
    t.rest(2000);
    assert_eq!(t.of_kind(DroppedStone).len(), 1, "{:?}", kinds(&t));
    assert!(t.of_kind(DoubleMove).is_empty());
    t.lift(p(4, 4));
    t.rest(2000);
    assert_eq!(t.events.last().unwrap().kind, Repaired);
}

fn cleared_table() -> Table {
    let mut t = Table::over();
    let left = t.board().clone();
    t.under_hand(|t| t.lay(&Board::new(9)));
    t.rest(3000);
    assert_eq!(kinds(&t), [EndAgreedSignal, EndAgreedSignal, BoardCleared]);
    t.lay(&left);
    t
}

#[test]
fn the_next_game_begins_with_its_first_stone() {
    let mut t = cleared_table();
    t.lay(&Board::new(9));
    t.rest(20_000);
    for (color, at) in [(Black, p(2, 2)), (White, p(6, 6)), (Black, p(2, 6))] {
        t.play(color, at);
        t.rest(1500);
    }
    let k: Vec<_> = t.events.iter().map(|e| e.kind).collect();
    assert_eq!(k[k.len() - 4..], [PositionAdopted, Move, Move, Move]);
    assert_eq!(t.events.last().unwrap().move_number, Some(3));
    let state = goband::game::GameState::fold(&t.events);
    assert_eq!((state.game_number(), state.moves().len()), (2, 3));
    assert!(state.ended().is_none());
    assert_eq!(state.board(), t.referee.history().unwrap().board());
    // a restart finds itself in the second game
    let again = Referee::resume(options(), &t.events);
    assert_eq!(again.history().unwrap().moves().len(), 3);
}

#[test]
fn stones_that_lie_there_again_were_not_cleared() {
    let mut t = cleared_table();
    t.rest(4000);
    let e = t.events.last().unwrap().clone();
    assert_eq!((e.kind, e.of), (Corrected, Some(t.of_kind(BoardCleared)[0].seq)));
    let state = goband::game::GameState::fold(&t.events);
    assert_eq!(state.game_number(), 1);
}

#[test]
fn handicap_stones_are_a_position() {
    let mut t = Table::with(RefereeOptions { handicap: 3, ..options() }, 9);
    t.rest(1200);
    for at in [p(2, 2), p(6, 6), p(2, 6)] {
        t.play(Black, at);
        t.rest(1500);
    }
    t.play(White, p(4, 4));
    t.rest(1500);
    t.play(Black, p(6, 2));
    t.rest(1500);
    assert_eq!(kinds(&t), [Move, Move]);
    assert_eq!(t.of_kind(PositionAdopted).len(), 2);
    assert_eq!(t.of_kind(PositionAdopted)[1].turn, Some(White));
    assert_eq!(goband::game::GameState::fold(&t.events).moves().len(), 2);
}

/// They were there before the camera was: whose turn it is need not be guessed from the first move.
#[test]
fn handicap_stones_that_lie_there_already_leave_white_to_play() {
    let rows = ["..B......", ".........", "......B..", ".........", ".........", ".........", "..B......"];
    let rows = [&rows[..], &["........."; 2]].concat();
    for (handicap, turn) in [(3, Some(White)), (4, None), (0, None)] {
        let mut t = Table::with(RefereeOptions { handicap, ..options() }, 9);
        t.lay(&Board::from_rows(&rows).unwrap());
        t.rest(1500);
        assert_eq!(t.of_kind(PositionAdopted)[0].turn, turn, "{handicap} handicap stones");
        if handicap == 3 {
            t.play(Black, p(4, 4));
            t.rest(1500);
            assert_eq!(kinds(&t), [WrongFirstColour]);
            let state = goband::game::GameState::fold(&t.events);
            let info = goband::game::GameInfo::for_handicap(&options().ruleset, 3);
            let record = goband::game::sgf::write(&state, &info);
            for part in ["HA[3]", "KM[0]", "PL[W]", "AB["] {
                assert!(record.contains(part), "{part} in {record}");
            }
        }
    }
}

#[test]
fn the_first_move_without_komi_is_no_stone_on_the_board() {
    let mut t = Table::with(RefereeOptions { handicap: 1, ..options() }, 9);
    t.rest(1200);
    t.play(Black, p(4, 4));
    t.rest(1500);
    t.play(White, p(2, 4));
    t.rest(1500);
    assert_eq!(kinds(&t), [Move, Move]);
    let record = goband::game::sgf::write(
        &goband::game::GameState::fold(&t.events),
        &goband::game::GameInfo::for_handicap(&options().ruleset, 1),
    );
    assert!(record.contains("KM[0]") && !record.contains("HA["), "{record}");
}

/// The same event leaves the same game with the referee and in the state that pages and record show.
#[test]
fn a_position_in_mid_game_is_one_for_all() {
    let mut t = Table::empty(9);
    for (color, at) in [(Black, p(2, 2)), (White, p(6, 6)), (Black, p(2, 6))] {
        t.play(color, at);
        t.rest(1500);
    }
    let mut board = t.board().clone();
    board.set(p(2, 6), None);
    board.set(p(2, 5), Some(Black));
    let at = Interval { first: t.now(), last: t.now() };
    let mut e = Event::new(PositionAdopted, at, t.now(), 1.0);
    e.board = Some(board.rows());
    e.turn = Some(White);
    t.lay(&board);
    t.frames(3);
    let e = t.referee.admit(e);
    t.events.push(e);
    t.rest(1500);
    t.play(White, p(4, 4));
    t.rest(1500);
    assert_eq!(kinds(&t), [Move, Move, Move, Move]);
    assert_eq!(t.events.last().unwrap().move_number, Some(4));
    let state = goband::game::GameState::fold(&t.events);
    assert_eq!(state.board(), t.referee.history().unwrap().board());
    assert_eq!(state.moves().len(), t.referee.history().unwrap().moves().len());
}

/// Four moves behind one arm, two of each colour: told, but not as if the order were sure.
#[test]
fn an_order_that_nobody_saw_is_said_to_be_uncertain() {
    let mut t = Table::of_game(9, &[(Black, 2, 2), (White, 2, 6)]);
    t.under_hand(|t| {
        t.frames(10);
        for (color, at) in [(Black, p(6, 2)), (White, p(6, 6)), (Black, p(4, 4))] {
            t.set(at, Some(color));
            t.frames(6);
        }
    });
    t.rest(1500);
    assert_eq!(kinds(&t), [Move, Move, Move]);
    let first = t.of_kind(Move)[0];
    assert!(first.confidence < 0.75, "{}", first.confidence);
    assert!(first.text.as_ref().unwrap().en.contains("order is not certain"), "{:?}", first.text);
}

/// Stones laid beside the board are prisoners, not signs.
#[test]
fn prisoners_beside_the_board_are_no_signal() {
    let mut t = Table::of_game(9, &[(Black, 2, 2), (White, 2, 6)]);
    for (row, col, color) in
        [(4.0, 9.2, White), (8.7, 2.0, White), (11.2, 7.5, White), (-0.8, 6.5, Black), (11.0, 6.4, Black)]
    {
        t.loose(row, col, color);
        t.rest(1500);
    }
    assert_eq!(kinds(&t), []);
}

#[test]
fn a_point_glimpsed_once_and_then_out_of_view_for_good_holds_no_move_up() {
    let mut t = Table::of_game(9, &[(Black, 2, 2), (White, 6, 6)]);
    t.under_hand_at(p(8, 4), |t| {
        t.hide(&[p(8, 5)]);
        t.misread(p(8, 4), Some(White));
        t.frames(1);
    });
    // a bowl stands before it from now on
    t.no_misreads();
    t.hide(&[p(8, 4)]);
    t.rest(2500);
    for (color, at) in [(Black, p(2, 6)), (White, p(4, 2)), (Black, p(3, 4))] {
        t.play(color, at);
        t.hide(&[p(8, 4)]);
        t.rest(1500);
    }
    assert_eq!(kinds(&t), [Move, Move, Move]);
}
