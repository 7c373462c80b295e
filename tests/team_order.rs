//! Team matches: four seats that play clockwise, sections that end with a given move.

mod table;

use goband::game::{Event, EventKind};
use goband::referee::{Referee, RefereeOptions};
use goband::rules::{Board, Color, Color::*, History, Point, Ruleset};
use table::{Table, p};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Seat {
    Near,
    Left,
    Far,
    Right,
}
use Seat::*;

const CLOCKWISE: [Seat; 4] = [Near, Left, Far, Right];

fn team_options() -> RefereeOptions {
    RefereeOptions::new(std::sync::Arc::new(Ruleset::builtin("team-relay").unwrap()))
}

fn team_table(size: u8) -> Table {
    let mut t = Table::with(team_options(), size);
    t.rest(1200);
    t
}

/// What an arm from that seat to `at` hides.
fn arm(size: u8, seat: Seat, at: Point) -> Vec<Point> {
    let (row, col) = (i32::from(at.row), i32::from(at.col));
    Board::new(size)
        .points()
        .filter(|q| {
            let (dr, dc) = (i32::from(q.row) - row, i32::from(q.col) - col);
            let (behind, aside) = match seat {
                Near => (dr, dc),
                Far => (-dr, dc),
                Left => (-dc, dr),
                Right => (dc, dr),
            };
            behind >= -1 && aside.abs() <= 1
        })
        .collect()
}

/// A move by an arm that hides `hidden`.
fn play_behind(t: &mut Table, color: Color, at: Point, hidden: &[Point]) {
    t.hand(true);
    t.hide(hidden);
    t.frames(3);
    t.set(at, Some(color));
    t.frames(2);
    t.hide(&[]);
    t.hand(false);
    t.rest(800);
}

fn play(t: &mut Table, seat: Seat, color: Color, at: Point) {
    let hidden = arm(t.board().size(), seat, at);
    play_behind(t, color, at, &hidden);
}

/// Points in the middle of the board, none near another: no captures, and every arm is clearly over one edge.
fn places() -> impl Iterator<Item = Point> {
    (0..6u8).flat_map(|r| (0..6u8).map(move |c| p(4 + 2 * r, 4 + 2 * c)))
}

fn color(n: usize) -> Color {
    if n.is_multiple_of(2) { Black } else { White }
}

/// `n` moves in order, from the seat `first` on.
fn round(t: &mut Table, at: &mut impl Iterator<Item = Point>, from: usize, n: usize) {
    for k in from..from + n {
        play(t, CLOCKWISE[k % 4], color(k), at.next().unwrap());
    }
}

fn alarms(t: &Table) -> Vec<&Event> {
    t.events.iter().filter(|e| e.kind.is_infraction()).collect()
}

#[test]
fn four_seats_clockwise_are_in_order() {
    let (mut t, mut at) = (team_table(19), places());
    round(&mut t, &mut at, 0, 24);
    assert_eq!(t.of_kind(EventKind::Move).len(), 24);
    assert!(alarms(&t).is_empty(), "{:?}", alarms(&t));
}

#[test]
fn the_wrong_seat_is_told_once() {
    let (mut t, mut at) = (team_table(19), places());
    round(&mut t, &mut at, 0, 12);
    // Near was due; its partner opposite plays
    let wrong = at.next().unwrap();
    play(&mut t, Far, Black, wrong);
    let told = alarms(&t);
    assert_eq!(told.iter().map(|e| e.kind).collect::<Vec<_>>(), [EventKind::SeatOrder]);
    let e = told[0].clone();
    assert_eq!((e.color, e.point, e.move_number), (Some(Black), Some(wrong), Some(13)));
    assert_eq!((e.article.as_deref(), e.restore.len()), (Some("000 17.7"), 0), "the move stands");
    assert_eq!(e.points.iter().filter_map(|s| s.point()).collect::<Vec<_>>(), [wrong]);
    // they go on from there: Right, Near, Left, Far
    for k in 0..8 {
        play(&mut t, [Right, Near, Left, Far][k % 4], color(k + 1), at.next().unwrap());
    }
    assert_eq!(alarms(&t).len(), 1, "{:?}", alarms(&t));
    assert_eq!(t.of_kind(EventKind::Move).len(), 21);
}

/// The order goes on from the seat that was due; and a second offence is told as well.
#[test]
fn after_the_wrong_seat_the_old_order_may_go_on() {
    let (mut t, mut at) = (team_table(19), places());
    round(&mut t, &mut at, 0, 12);
    play(&mut t, Far, Black, at.next().unwrap());
    round(&mut t, &mut at, 13, 8);
    assert_eq!(alarms(&t).len(), 1);
    // White's Left moved last but one: Right is due
    let wrong = at.next().unwrap();
    round(&mut t, &mut at, 21, 2);
    play(&mut t, Left, White, wrong);
    let kinds: Vec<_> = alarms(&t).iter().map(|e| (e.kind, e.color)).collect();
    assert_eq!(kinds.last(), Some(&(EventKind::SeatOrder, Some(White))), "{kinds:?}");
    assert_eq!(kinds.len(), 2);
}

/// His sleeve lies over the neighbour's edge, more of it than over his own.
#[test]
fn a_player_who_leans_over_the_corner_is_no_other_seat() {
    let (mut t, mut at) = (team_table(19), places());
    round(&mut t, &mut at, 0, 12);
    for k in 12..24 {
        let (seat, point) = (CLOCKWISE[k % 4], at.next().unwrap());
        let hidden = match seat {
            Near => {
                let mut hidden = arm(19, Left, point);
                hidden.extend((0..4).flat_map(|r| [p(18 - r, 0), p(18 - r, 1)]));
                hidden
            }
            _ => arm(19, seat, point),
        };
        play_behind(&mut t, color(k), point, &hidden);
    }
    assert_eq!(t.of_kind(EventKind::Move).len(), 24);
    assert!(alarms(&t).is_empty(), "{:?}", alarms(&t));
}

/// The partner's arm is over the board as well, taking a captured stone or a prisoner.
#[test]
fn the_partner_who_helps_has_not_played() {
    let (mut t, mut at) = (team_table(19), places());
    round(&mut t, &mut at, 0, 12);
    for k in 12..20 {
        let (seat, point) = (CLOCKWISE[k % 4], at.next().unwrap());
        let partner = CLOCKWISE[(k + 2) % 4];
        let mut hidden = arm(19, seat, point);
        // the partner's hand reaches farther in, and is wider
        hidden.extend(arm(19, partner, p(9, 9)));
        hidden.extend(arm(19, partner, p(9, 12)));
        play_behind(&mut t, color(k), point, &hidden);
    }
    assert!(alarms(&t).is_empty(), "{:?}", alarms(&t));
}

/// Stones that come to light without an arm having been seen say nothing of seats.
#[test]
fn missing_arms_say_nothing() {
    let (mut t, mut at) = (team_table(19), places());
    round(&mut t, &mut at, 0, 12);
    for k in 12..28 {
        let point = at.next().unwrap();
        if k % 3 == 0 {
            // only the hand over the point itself, in the middle of the board
            play_behind(&mut t, color(k), point, &[point]);
        } else {
            play(&mut t, CLOCKWISE[k % 4], color(k), point);
        }
    }
    assert_eq!(t.of_kind(EventKind::Move).len(), 28);
    assert!(alarms(&t).is_empty(), "{:?}", alarms(&t));
}

/// Black's two players sit side by side at the near edge, White's at the far one: there is no order to be seen.
#[test]
fn two_seats_at_one_edge_are_not_judged() {
    let (mut t, mut at) = (team_table(19), places());
    for k in 0..24 {
        play(&mut t, if k % 2 == 0 { Near } else { Far }, color(k), at.next().unwrap());
    }
    assert_eq!(t.of_kind(EventKind::Move).len(), 24);
    assert!(alarms(&t).is_empty(), "{:?}", alarms(&t));
}

/// The stone that is put elsewhere is the same player's move, not the next one's.
#[test]
fn a_takeback_does_not_move_the_order_on() {
    let (mut t, mut at) = (team_table(19), places());
    round(&mut t, &mut at, 0, 12);
    let (first, second) = (at.next().unwrap(), at.next().unwrap());
    play(&mut t, Near, Black, first);
    t.rest(1500);
    let hidden = [arm(19, Near, first), arm(19, Near, second)].concat();
    t.hand(true);
    t.hide(&hidden);
    t.frames(3);
    t.set(first, None);
    t.frames(2);
    t.set(second, Some(Black));
    t.frames(2);
    t.hide(&[]);
    t.hand(false);
    t.rest(2000);
    round(&mut t, &mut at, 13, 8);
    let kinds: Vec<_> = alarms(&t).iter().map(|e| e.kind).collect();
    assert_eq!(kinds, [EventKind::Takeback]);
    assert_eq!(t.referee.history().unwrap().moves().len(), 21);
}

/// A stone that was misread for a move and withdrawn took nobody's turn.
#[test]
fn a_move_that_never_was_takes_no_turn() {
    let (mut t, mut at) = (team_table(19), places());
    round(&mut t, &mut at, 0, 12);
    // Near's hand leaves something that looks like a stone for half a second
    let shadow = at.next().unwrap();
    let hidden = arm(19, Near, shadow);
    t.hand(true);
    t.hide(&hidden);
    t.frames(3);
    t.misread(shadow, Some(Black));
    t.hide(&[]);
    t.hand(false);
    t.frames(4);
    t.no_misreads();
    t.rest(3000);
    round(&mut t, &mut at, 12, 9);
    assert!(alarms(&t).is_empty(), "{:?}", alarms(&t));
    assert_eq!(t.referee.history().unwrap().moves().len(), 21);
}

// ---- sections ------------------------------------------------------------------------------------------------------

/// Every other point of the board, so that nothing is captured; `n` moves already played.
fn started(n: usize) -> (Table, Vec<Point>) {
    let all: Vec<Point> = Board::new(19).points().filter(|q| (q.row + q.col) % 2 == 0).collect();
    let mut game = History::new(Board::new(19), Black);
    for (k, at) in all[..n].iter().enumerate() {
        game.play(color(k), Some(*at));
    }
    let board = game.board().clone();
    let mut t = Table::with(RefereeOptions { start: Some(game), ..team_options() }, 19);
    t.lay(&board);
    t.rest(1000);
    (t, all[n..].to_vec())
}

fn overruns(t: &Table) -> Vec<u32> {
    t.of_kind(EventKind::SectionOverrun).iter().filter_map(|e| e.move_number).collect()
}

#[test]
fn moves_beyond_72_and_143_are_told_until_there_is_a_break() {
    for (end, played) in [(72usize, 68usize), (143, 139)] {
        let (mut t, at) = started(played);
        for (k, at) in at[..6].iter().enumerate() {
            t.play(color(played + k), *at);
            t.rest(800);
        }
        let end = end as u32;
        assert_eq!(overruns(&t), [end + 1, end + 2], "after move {end}");
        let e = t.of_kind(EventKind::SectionOverrun)[0].clone();
        assert_eq!((e.color, e.point), (Some(color(end as usize)), Some(at[4])));
        assert_eq!(e.article.as_deref(), Some("000 17.8"));
        assert!(e.text.unwrap().zh.contains(&format!("至第{end}手")));
        // the operator's break, however short, is one
        let now = t.now();
        let mut events = t.referee.break_begins(now);
        t.rest(5000);
        let now = t.now();
        events.extend(t.referee.play_goes_on(now));
        t.events.extend(events);
        for (k, at) in at[6..9].iter().enumerate() {
            t.play(color(played + 6 + k), *at);
            t.rest(800);
        }
        assert_eq!(overruns(&t), [end + 1, end + 2], "after the break");
        assert_eq!(t.referee.history().unwrap().moves().len(), played + 9);
    }
}

#[test]
fn a_break_in_time_is_seen_without_a_word() {
    let (mut t, at) = started(70);
    for (k, at) in at[..2].iter().enumerate() {
        t.play(color(70 + k), *at);
        t.rest(800);
    }
    t.rest(70_000);
    for (k, at) in at[2..6].iter().enumerate() {
        t.play(color(72 + k), *at);
        t.rest(800);
    }
    assert!(overruns(&t).is_empty(), "{:?}", overruns(&t));
}

/// A pause in the middle of a section is no break between two.
#[test]
fn a_break_before_the_end_does_not_excuse_what_comes_after_it() {
    let (mut t, at) = started(66);
    for (k, at) in at[..8].iter().enumerate() {
        t.play(color(66 + k), *at);
        t.rest(800);
        if k == 2 {
            t.rest(80_000);
        }
    }
    assert_eq!(overruns(&t), [73, 74]);
}

/// After a restart the section goes on where it was.
#[test]
fn a_killed_referee_knows_where_the_section_began() {
    let (mut t, at) = started(70);
    for (k, at) in at[..3].iter().enumerate() {
        t.play(color(70 + k), *at);
        t.rest(800);
    }
    assert_eq!(overruns(&t), [73]);
    let start = {
        let (t, _) = started(70);
        t.referee.history().cloned()
    };
    let mut again = Table::with(RefereeOptions { start: start.clone(), ..team_options() }, 19);
    again.referee = Referee::resume(RefereeOptions { start, ..team_options() }, &t.events);
    again.begin_at(t.now() + 5000);
    again.lay(&t.board().clone());
    again.rest(1000);
    again.play(color(73), at[3]);
    again.rest(800);
    assert_eq!(overruns(&again), [74]);
}

#[test]
fn a_ruleset_without_sections_has_none() {
    let all: Vec<Point> = Board::new(19).points().filter(|q| (q.row + q.col) % 2 == 0).collect();
    let mut game = History::new(Board::new(19), Black);
    all[..71].iter().enumerate().for_each(|(k, at)| {
        game.play(color(k), Some(*at));
    });
    let board = game.board().clone();
    let mut t = Table::with(RefereeOptions { start: Some(game), ..table::options() }, 19);
    t.lay(&board);
    t.rest(1000);
    for (k, at) in all[71..75].iter().enumerate() {
        t.play(color(71 + k), *at);
        t.rest(800);
    }
    assert!(overruns(&t).is_empty(), "{:?}", overruns(&t));
    assert_eq!(t.of_kind(EventKind::Move).len(), 4);
}
