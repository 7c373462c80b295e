//! What the referee makes of pictures far apart, each of which shows the board after another move or more.

mod table;

use goband::game::EventKind::{self, *};
use goband::rules::{Color, Color::*, Point};
use table::{Table, options, p};

/// From a picture every five seconds to two a second.
const GAPS_MS: [u64; 4] = [500, 1000, 2000, 5000];

fn kinds(t: &Table) -> Vec<EventKind> {
    t.events.iter().map(|e| e.kind).collect()
}

fn moves(t: &Table) -> Vec<(Color, Point)> {
    t.referee.history().unwrap().moves().iter().filter_map(|m| Some((m.color, m.point?))).collect()
}

fn points_of(t: &Table, kind: EventKind) -> Vec<Vec<Point>> {
    t.of_kind(kind).iter().map(|e| e.points.iter().filter_map(|s| s.point()).collect()).collect()
}

/// A table on which a first picture shows these stones.
fn first_picture(gap_ms: u64, stones: &[(Color, u8, u8)]) -> Table {
    let mut t = Table::with(options(), 9);
    t.frame_ms = gap_ms;
    next_picture(&mut t, stones, &[]);
    t
}

/// The next picture, with `stones` added and others `gone`.
fn next_picture(t: &mut Table, stones: &[(Color, u8, u8)], gone: &[(u8, u8)]) {
    stones.iter().for_each(|&(c, row, col)| t.set(p(row, col), Some(c)));
    gone.iter().for_each(|&(row, col)| t.set(p(row, col), None));
    t.frames(1);
}

const GAME: [(Color, u8, u8); 7] =
    [(Black, 2, 2), (White, 6, 6), (Black, 2, 6), (White, 6, 2), (Black, 4, 4), (White, 4, 6), (Black, 7, 3)];

#[test]
fn a_move_in_each_picture() {
    for gap_ms in GAPS_MS {
        let mut t = first_picture(gap_ms, &[]);
        GAME.iter().for_each(|&m| next_picture(&mut t, &[m], &[]));
        assert_eq!(moves(&t).len(), 6, "the last picture waits for the next one");
        t.finish();
        assert_eq!(kinds(&t), [&[PositionAdopted][..], &[Move; 7]].concat(), "{gap_ms} ms");
        assert_eq!(moves(&t), GAME.map(|(c, row, col)| (c, p(row, col))));
        let told: Vec<_> = t.of_kind(Move).iter().map(|e| (e.at_ms.first, e.at_ms.last)).collect();
        let between: Vec<_> = (0..7).map(|k| (k * gap_ms, (k + 1) * gap_ms)).collect();
        assert_eq!(told, between, "a move was made between two pictures");
        assert!(t.of_kind(Move).iter().all(|e| e.confidence > 0.9));
    }
}

#[test]
fn the_first_picture_is_the_start_and_the_second_shows_a_move() {
    for gap_ms in GAPS_MS {
        let mut t = first_picture(gap_ms, &GAME[..4]);
        next_picture(&mut t, &GAME[4..5], &[]);
        next_picture(&mut t, &GAME[5..6], &[]);
        t.finish();
        assert_eq!(kinds(&t), [PositionAdopted, Move, Move], "{gap_ms} ms");
        assert_eq!(t.of_kind(PositionAdopted)[0].board.as_ref().unwrap()[2], "..B...B..");
    }
}

#[test]
fn a_lone_stone_in_the_first_picture_is_the_first_move() {
    let mut t = first_picture(1000, &GAME[..1]);
    next_picture(&mut t, &GAME[1..2], &[]);
    t.finish();
    assert_eq!(kinds(&t), [PositionAdopted, Move, Move]);
}

#[test]
fn two_pictures_are_enough_for_a_move_and_a_single_one_for_a_position() {
    let mut t = first_picture(1000, &GAME[..4]);
    t.finish();
    assert_eq!(kinds(&t), [PositionAdopted]);
    let mut t = first_picture(1000, &GAME[..4]);
    next_picture(&mut t, &GAME[4..5], &[]);
    t.finish();
    assert_eq!(kinds(&t), [PositionAdopted, Move]);
}

#[test]
fn after_a_black_stone_more_white_is_to_play() {
    let mut t = first_picture(1000, &GAME[..3]);
    // two moves at once: who was first?
    next_picture(&mut t, &GAME[3..5], &[]);
    next_picture(&mut t, &GAME[5..6], &[]);
    t.finish();
    assert_eq!(moves(&t), [(White, p(6, 2)), (Black, p(4, 4)), (White, p(4, 6))]);
}

#[test]
fn pictures_left_out_give_several_moves_at_once() {
    for gap_ms in GAPS_MS {
        for step in 2..=7 {
            let mut t = first_picture(gap_ms, &[]);
            GAME.chunks(step).for_each(|ms| next_picture(&mut t, ms, &[]));
            next_picture(&mut t, &[], &[]);
            t.finish();
            assert_eq!(kinds(&t), [&[PositionAdopted][..], &[Move; 7]].concat(), "{gap_ms} ms, {step} at once");
            // the colours take turns; which of two stones of a colour came first within a picture, nobody knows
            for (told, played) in moves(&t).chunks(step).zip(GAME.chunks(step)) {
                let sorted = |mut v: Vec<(u8, Point)>| {
                    v.sort();
                    v
                };
                let told = sorted(told.iter().map(|m| (m.0 as u8, m.1)).collect());
                assert_eq!(told, sorted(played.iter().map(|m| (m.0 as u8, p(m.1, m.2))).collect()));
            }
            if step >= 3 {
                assert!(t.events.iter().any(|e| e.text.as_ref().is_some_and(|x| x.en.contains("not certain"))));
            }
        }
    }
}

#[test]
fn of_moves_in_one_picture_each_answers_the_one_before_nearby() {
    let mut t = first_picture(1000, &GAME[..4]);
    next_picture(&mut t, &[(Black, 5, 6)], &[]);
    next_picture(&mut t, &[(White, 5, 5), (Black, 6, 5), (White, 1, 1)], &[]);
    next_picture(&mut t, &[], &[]);
    assert_eq!(moves(&t)[1..], [(White, p(5, 5)), (Black, p(6, 5)), (White, p(1, 1))]);
}

#[test]
fn two_stones_of_one_colour_in_one_picture_are_a_double_move() {
    for gap_ms in GAPS_MS {
        let mut t = first_picture(gap_ms, &GAME[..2]);
        next_picture(&mut t, &[(Black, 4, 4), (Black, 7, 7)], &[]);
        // the game goes on as if the second were not there
        next_picture(&mut t, &[(White, 3, 3)], &[]);
        next_picture(&mut t, &[(Black, 1, 5)], &[]);
        t.finish();
        assert_eq!(kinds(&t), [PositionAdopted, Move, DoubleMove, Move, Move], "{gap_ms} ms");
        assert_eq!(moves(&t)[1..], [(White, p(3, 3)), (Black, p(1, 5))]);
        let void = points_of(&t, DoubleMove)[0][0];
        assert!(void == p(4, 4) || void == p(7, 7));
        assert_ne!(moves(&t)[0].1, void);
    }
}

#[test]
fn of_two_stones_in_one_picture_the_one_that_stays_was_the_move() {
    for gap_ms in GAPS_MS {
        for off in [(4, 4), (7, 7)] {
            let mut t = first_picture(gap_ms, &GAME[..2]);
            next_picture(&mut t, &[(Black, 4, 4), (Black, 7, 7)], &[]);
            next_picture(&mut t, &[], &[]);
            next_picture(&mut t, &[(White, 3, 3)], &[off]);
            next_picture(&mut t, &[(Black, 1, 5)], &[]);
            t.finish();
            let stays = if off == (4, 4) { p(7, 7) } else { p(4, 4) };
            assert_eq!(moves(&t), [(Black, stays), (White, p(3, 3)), (Black, p(1, 5))], "{gap_ms} ms: {:?}", kinds(&t));
            let told = t.events.iter().filter(|e| e.kind.is_infraction()).count();
            assert_eq!((told, t.of_kind(Repaired).len()), (1, 1), "{gap_ms} ms: {:?}", kinds(&t));
        }
    }
}

#[test]
fn a_second_stone_in_the_next_picture_is_void() {
    for gap_ms in GAPS_MS {
        let mut t = first_picture(gap_ms, &GAME[..2]);
        next_picture(&mut t, &[(Black, 4, 4)], &[]);
        next_picture(&mut t, &[(Black, 7, 7)], &[]);
        next_picture(&mut t, &[], &[(7, 7)]);
        next_picture(&mut t, &[(White, 3, 3)], &[]);
        t.finish();
        let said = format!("a stone that only one picture shows proves nothing, {gap_ms} ms");
        assert_eq!(kinds(&t), [PositionAdopted, Move, Move], "{said}");

        let mut t = first_picture(gap_ms, &GAME[..2]);
        next_picture(&mut t, &[(Black, 4, 4)], &[]);
        next_picture(&mut t, &[(Black, 7, 7)], &[]);
        next_picture(&mut t, &[], &[]);
        next_picture(&mut t, &[], &[(7, 7)]);
        next_picture(&mut t, &[(White, 3, 3)], &[]);
        next_picture(&mut t, &[], &[]);
        assert_eq!(kinds(&t), [PositionAdopted, Move, DoubleMove, Repaired, Move], "{gap_ms} ms");
        assert_eq!(points_of(&t, DoubleMove), [[p(7, 7)]]);
    }
}

#[test]
fn a_double_move_in_the_last_picture_is_told() {
    let mut t = first_picture(1000, &GAME[..2]);
    next_picture(&mut t, &[(Black, 4, 4), (Black, 7, 7)], &[]);
    t.finish();
    assert_eq!(kinds(&t), [PositionAdopted, Move, DoubleMove]);
}

/// White's stone in the corner can be captured at (1, 0).
const CORNER: [(Color, u8, u8); 4] = [(Black, 0, 1), (White, 0, 0), (Black, 6, 6), (White, 6, 2)];

#[test]
fn a_capture_in_one_picture() {
    for gap_ms in GAPS_MS {
        let mut t = first_picture(gap_ms, &CORNER);
        next_picture(&mut t, &[(Black, 1, 0)], &[(0, 0)]);
        next_picture(&mut t, &[(White, 4, 4)], &[]);
        t.finish();
        assert_eq!(kinds(&t), [PositionAdopted, Move, Move], "{gap_ms} ms");
        assert_eq!(t.of_kind(Move)[0].captured.as_deref(), Some(&[p(0, 0)][..]));
    }
}

#[test]
fn a_captured_stone_off_in_the_next_picture_is_no_offence() {
    for gap_ms in [500, 1000, 2000] {
        let mut t = first_picture(gap_ms, &CORNER);
        next_picture(&mut t, &[(Black, 1, 0)], &[]);
        next_picture(&mut t, &[(White, 4, 4)], &[(0, 0)]);
        next_picture(&mut t, &[(Black, 4, 5)], &[]);
        t.finish();
        assert_eq!(kinds(&t), [PositionAdopted, Move, CapturesCleared, Move, Move], "{gap_ms} ms");
    }
}

#[test]
fn a_captured_stone_that_lies_beside_the_next_one_was_missed() {
    for gap_ms in GAPS_MS {
        for more in 0..4 {
            let mut t = first_picture(gap_ms, &CORNER);
            next_picture(&mut t, &[(Black, 1, 0)], &[]);
            next_picture(&mut t, &[(White, 4, 4)], &[]);
            let next = [(Black, 4, 5), (White, 4, 6), (Black, 3, 3), (White, 7, 7), (Black, 7, 5)];
            next[..more].iter().for_each(|m| next_picture(&mut t, &[*m], &[]));
            next_picture(&mut t, &[next[more]], &[(0, 0)]);
            t.finish();
            let told = |k: EventKind| t.of_kind(k).len();
            assert_eq!(
                (told(Move), told(MissedCapture), told(CapturesCleared), told(Repaired)),
                (3 + more, 1, 1, 1),
                "{gap_ms} ms, {more} more: {:?}",
                kinds(&t)
            );
            assert_eq!(t.events.len(), 7 + more);
            assert_eq!(points_of(&t, MissedCapture), [[p(0, 0)]]);
            assert_eq!(t.of_kind(Repaired)[0].of, Some(t.of_kind(MissedCapture)[0].seq));
        }
    }
}

#[test]
fn a_capture_and_the_next_stone_in_one_picture_with_the_captured_one_lying() {
    let mut t = first_picture(1000, &CORNER);
    next_picture(&mut t, &[(Black, 1, 0), (White, 4, 4)], &[]);
    next_picture(&mut t, &[(Black, 4, 5)], &[]);
    t.finish();
    assert_eq!(kinds(&t), [PositionAdopted, Move, Move, MissedCapture, Move]);
}

#[test]
fn a_stone_captured_in_the_next_picture_was_a_move() {
    for gap_ms in GAPS_MS {
        // White at (0, 0) has one liberty, (1, 0)
        let mut t = first_picture(gap_ms, &[(Black, 0, 1), (Black, 5, 5), (White, 6, 2)]);
        next_picture(&mut t, &[(White, 0, 0)], &[]);
        next_picture(&mut t, &[(Black, 1, 0)], &[(0, 0)]);
        next_picture(&mut t, &[(White, 4, 4)], &[]);
        t.finish();
        assert_eq!(kinds(&t), [PositionAdopted, Move, Move, Move], "{gap_ms} ms");
        assert_eq!(t.of_kind(Move)[1].captured.as_deref(), Some(&[p(0, 0)][..]));
    }
}

#[test]
fn a_snapback_in_three_pictures() {
    for gap_ms in GAPS_MS {
        // Black throws in at (0, 1), White takes it at (0, 0), Black takes five back at (0, 1)
        let stones = [
            (White, 0, 2),
            (White, 1, 0),
            (White, 1, 1),
            (White, 1, 2),
            (Black, 0, 3),
            (Black, 1, 3),
            (Black, 2, 0),
            (Black, 2, 1),
            (Black, 2, 2),
        ];
        let mut t = first_picture(gap_ms, &stones);
        next_picture(&mut t, &[(Black, 0, 1)], &[]);
        next_picture(&mut t, &[(White, 0, 0)], &[(0, 1)]);
        next_picture(&mut t, &[(Black, 0, 1)], &[(0, 0), (0, 2), (1, 0), (1, 1), (1, 2)]);
        next_picture(&mut t, &[(White, 7, 7)], &[]);
        t.finish();
        let told = moves(&t);
        assert_eq!(told, [(Black, p(0, 1)), (White, p(0, 0)), (Black, p(0, 1)), (White, p(7, 7))], "{gap_ms} ms");
        assert_eq!(kinds(&t), [PositionAdopted, Move, Move, Move, Move]);
    }
}

#[test]
fn a_point_misread_in_one_picture_is_nothing() {
    for gap_ms in GAPS_MS {
        for (at, as_what) in [(p(4, 3), Some(White)), (p(4, 3), Some(Black)), (p(2, 2), None), (p(2, 2), Some(White))] {
            for when in 1..6 {
                let mut t = first_picture(gap_ms, &GAME[..2]);
                for (k, &m) in GAME[2..].iter().enumerate() {
                    if k + 1 == when {
                        t.misread(at, as_what);
                    }
                    next_picture(&mut t, &[m], &[]);
                    t.no_misreads();
                }
                next_picture(&mut t, &[], &[]);
                t.finish();
                let said = format!("{gap_ms} ms, {as_what:?} at {at:?} in picture {when}");
                assert_eq!(kinds(&t), [&[PositionAdopted][..], &[Move; 5]].concat(), "{said}");
                assert_eq!(moves(&t), GAME[2..].iter().map(|m| (m.0, p(m.1, m.2))).collect::<Vec<_>>(), "{said}");
            }
        }
    }
}

#[test]
fn a_stone_that_every_picture_doubts_halts_no_game() {
    for gap_ms in GAPS_MS {
        for (doubted, (_, row, col)) in GAME.into_iter().enumerate() {
            let mut t = first_picture(gap_ms, &[]);
            for (k, &m) in GAME.iter().enumerate() {
                if k == doubted {
                    t.doubt(p(row, col), None, 0.32);
                }
                next_picture(&mut t, &[m], &[]);
            }
            t.finish();
            assert_eq!(kinds(&t), [&[PositionAdopted][..], &[Move; 7]].concat(), "{gap_ms} ms, {doubted}");
            assert_eq!(moves(&t), GAME.map(|(c, row, col)| (c, p(row, col))));
        }
    }
}

#[test]
fn an_empty_point_that_every_picture_doubts_is_no_answer_to_the_first_of_two_stones() {
    for gap_ms in GAPS_MS {
        let mut t = Table::with(options(), 9);
        t.frame_ms = gap_ms;
        t.doubt(p(5, 3), Some(White), 0.25);
        next_picture(&mut t, &GAME[..2], &[]);
        next_picture(&mut t, &[(Black, 4, 4)], &[]);
        next_picture(&mut t, &[(Black, 7, 7)], &[]);
        next_picture(&mut t, &[], &[]);
        next_picture(&mut t, &[], &[(7, 7)]);
        next_picture(&mut t, &[(White, 3, 3)], &[]);
        next_picture(&mut t, &[], &[]);
        assert_eq!(kinds(&t), [PositionAdopted, Move, DoubleMove, Repaired, Move], "{gap_ms} ms");
    }
}

#[test]
fn a_second_stone_in_two_pictures_of_which_the_first_has_an_arm_is_told() {
    for gap_ms in GAPS_MS {
        let mut t = first_picture(gap_ms, &GAME[..2]);
        next_picture(&mut t, &[(Black, 4, 4)], &[]);
        t.hand(true);
        t.hide(&[p(8, 0), p(8, 1), p(7, 0), p(7, 1)]);
        next_picture(&mut t, &[(Black, 7, 7)], &[]);
        t.hand(false);
        t.hide(&[]);
        next_picture(&mut t, &[], &[]);
        next_picture(&mut t, &[(White, 3, 3)], &[(7, 7)]);
        next_picture(&mut t, &[], &[]);
        assert_eq!(kinds(&t), [PositionAdopted, Move, DoubleMove, Repaired, Move], "{gap_ms} ms");
    }
}

#[test]
fn a_point_misread_in_the_first_picture_is_no_infraction() {
    for gap_ms in GAPS_MS {
        for (at, as_what) in [(p(4, 3), Some(White)), (p(4, 3), Some(Black)), (p(2, 2), Some(White))] {
            let mut t = Table::with(options(), 9);
            t.frame_ms = gap_ms;
            t.misread(at, as_what);
            next_picture(&mut t, &GAME[..4], &[]);
            t.no_misreads();
            GAME[4..].iter().for_each(|&m| next_picture(&mut t, &[m], &[]));
            t.finish();
            let said = format!("{gap_ms} ms, {as_what:?} at {at:?}");
            assert_eq!(kinds(&t), [PositionAdopted, Move, Move, Move], "{said}");
            assert_eq!(moves(&t), GAME[4..].iter().map(|m| (m.0, p(m.1, m.2))).collect::<Vec<_>>(), "{said}");
        }
    }
}

#[test]
fn a_stone_that_the_second_picture_misses_is_of_the_position() {
    for gap_ms in GAPS_MS {
        let mut t = first_picture(gap_ms, &GAME[..4]);
        t.misread(p(2, 2), None);
        next_picture(&mut t, &GAME[4..5], &[]);
        t.no_misreads();
        GAME[5..].iter().for_each(|&m| next_picture(&mut t, &[m], &[]));
        t.finish();
        assert_eq!(kinds(&t), [PositionAdopted, Move, Move, Move], "{gap_ms} ms");
    }
}

#[test]
fn a_captured_stone_that_the_first_picture_still_shows_is_no_wrong_removal() {
    for gap_ms in GAPS_MS {
        let mut t = first_picture(gap_ms, &[CORNER[0], CORNER[1], CORNER[2], CORNER[3], (Black, 1, 0)]);
        next_picture(&mut t, &[(White, 4, 4)], &[(0, 0)]);
        next_picture(&mut t, &[(Black, 4, 5)], &[]);
        t.finish();
        assert_eq!(kinds(&t), [PositionAdopted, CapturesCleared, Move, Move], "{gap_ms} ms");
    }
}

#[test]
fn a_stone_played_again_where_a_captured_one_has_been_taken_off_is_no_missed_capture() {
    // Black takes the corner stone at (1, 0), a ko; White takes it back after a move elsewhere
    let stones = [(Black, 0, 1), (White, 0, 0), (White, 2, 0), (White, 1, 1), (Black, 6, 6), (Black, 7, 2)];
    for gap_ms in GAPS_MS {
        let mut t = first_picture(gap_ms, &stones);
        next_picture(&mut t, &[(Black, 1, 0)], &[]);
        next_picture(&mut t, &[(White, 5, 2)], &[(0, 0)]);
        next_picture(&mut t, &[(Black, 4, 6), (White, 0, 0)], &[(1, 0)]);
        next_picture(&mut t, &[(Black, 5, 6)], &[]);
        t.finish();
        assert_eq!(kinds(&t), [PositionAdopted, Move, CapturesCleared, Move, Move, Move, Move], "{gap_ms} ms");
    }
}

#[test]
fn a_stone_played_and_captured_between_two_pictures_that_still_lies_is_no_suicide() {
    for gap_ms in GAPS_MS {
        let mut t = first_picture(gap_ms, &[(Black, 0, 1), (Black, 5, 5), (White, 6, 2)]);
        next_picture(&mut t, &[(White, 0, 0), (Black, 1, 0), (White, 4, 4)], &[]);
        next_picture(&mut t, &[(Black, 3, 4)], &[]);
        t.finish();
        assert_eq!(kinds(&t), [PositionAdopted, Move, Move, Move, MissedCapture, Move], "{gap_ms} ms");
    }
}

#[test]
fn two_moves_in_every_picture_and_the_other_side_began() {
    // after the stones of both sides nobody knows whose turn it is: White's, as the first picture with one stone more shows
    for gap_ms in GAPS_MS {
        let mut t = first_picture(gap_ms, &GAME[..4]);
        next_picture(&mut t, &[(White, 4, 4), (Black, 4, 5)], &[]);
        next_picture(&mut t, &[(White, 5, 5), (Black, 5, 4)], &[]);
        next_picture(&mut t, &[(White, 7, 5)], &[]);
        next_picture(&mut t, &[(Black, 1, 4)], &[]);
        t.finish();
        let others = kinds(&t).into_iter().filter(|k| !matches!(k, PositionAdopted | Move | Corrected)).count();
        assert_eq!(others, 0, "{gap_ms} ms: {:?}", kinds(&t));
        let told: Vec<Color> = moves(&t).iter().map(|m| m.0).collect();
        assert_eq!(told, [White, Black, White, Black, White, Black], "{gap_ms} ms");
    }
}

#[test]
fn an_arm_in_a_picture_hides_a_move_until_the_next() {
    for gap_ms in GAPS_MS {
        let mut t = first_picture(gap_ms, &GAME[..2]);
        for (k, &m) in GAME[2..].iter().enumerate() {
            let arm: Vec<Point> = (0..9).flat_map(|row| [p(row, 5), p(row, 6), p(row, 7)]).collect();
            if k % 2 == 0 {
                t.hand(true);
                t.hide(&arm);
            } else {
                t.hand(false);
                t.hide(&[]);
            }
            next_picture(&mut t, &[m], &[]);
        }
        t.hand(false);
        t.hide(&[]);
        next_picture(&mut t, &[], &[]);
        t.finish();
        assert_eq!(kinds(&t), [&[PositionAdopted][..], &[Move; 5]].concat(), "{gap_ms} ms");
        let told: Vec<Color> = moves(&t).iter().map(|m| m.0).collect();
        assert_eq!(told, [Black, White, Black, White, Black]);
    }
}

#[test]
fn an_arm_in_the_first_picture_does_not_make_moves_of_what_it_hides() {
    let mut t = Table::with(options(), 9);
    t.frame_ms = 1000;
    t.hand(true);
    t.hide(&[p(2, 2), p(3, 2), p(4, 2)]);
    next_picture(&mut t, &GAME[..4], &[]);
    t.hand(false);
    t.hide(&[]);
    next_picture(&mut t, &GAME[4..5], &[]);
    next_picture(&mut t, &GAME[5..6], &[]);
    t.finish();
    assert_eq!(kinds(&t), [PositionAdopted, Move, Move]);
}

#[test]
fn a_picture_without_a_board_is_passed_over() {
    let mut t = first_picture(1000, &[]);
    for &m in &GAME {
        next_picture(&mut t, &[m], &[]);
        t.no_board();
    }
    t.finish();
    assert_eq!(kinds(&t), [&[PositionAdopted][..], &[Move; 7]].concat());
}

#[test]
fn a_stone_that_two_pictures_show_and_the_next_elsewhere_is_a_takeback() {
    let mut t = first_picture(1000, &GAME[..2]);
    next_picture(&mut t, &[(Black, 4, 4)], &[]);
    next_picture(&mut t, &[], &[]);
    next_picture(&mut t, &[(Black, 5, 5)], &[(4, 4)]);
    next_picture(&mut t, &[], &[]);
    t.finish();
    assert_eq!(kinds(&t), [PositionAdopted, Move, Takeback, Corrected]);
}

#[test]
fn a_pause_in_a_film_is_no_picture_show() {
    let mut t = Table::empty(9);
    t.play(Black, p(4, 4));
    t.frame_ms = 3000;
    t.frames(1);
    t.frame_ms = 100;
    t.rest(500);
    assert_eq!(kinds(&t), [PositionAdopted, Move], "without waiting for another frame");
}

#[test]
fn the_same_pictures_give_the_same_events() {
    let run = || {
        let mut t = first_picture(1000, &CORNER);
        t.noise(7, 0.002);
        next_picture(&mut t, &[(Black, 1, 0)], &[]);
        GAME[4..].iter().for_each(|m| next_picture(&mut t, &[*m], &[]));
        t.finish();
        serde_json::to_string(&t.events).unwrap()
    };
    assert_eq!(run(), run());
}
