//! Breaks by the operator's word, and what lies on the board between two games.

mod table;

use goband::game::EventKind::{self, *};
use goband::game::{Event, GameState};
use goband::referee::{Referee, RefereeOptions};
use goband::rules::{Board, Circumstance, Color, Color::*, Point, Ruleset};
use table::{Table, options, p};

fn kinds(t: &Table) -> Vec<EventKind> {
    t.events.iter().map(|e| e.kind).filter(|k| *k != PositionAdopted).collect()
}

fn begin(t: &mut Table) {
    let now = t.now();
    let events = t.referee.break_begins(now);
    t.events.extend(events);
}

fn go_on(t: &mut Table) {
    let now = t.now();
    let events = t.referee.play_goes_on(now);
    t.events.extend(events);
}

fn points(e: &Event) -> Vec<Point> {
    e.points.iter().filter_map(|s| s.point()).collect()
}

/// Four moves, under the rules of team matches.
fn table() -> Table {
    let options = RefereeOptions::new(std::sync::Arc::new(Ruleset::builtin("team-relay").unwrap()));
    let mut t = Table::with(options, 9);
    t.rest(1200);
    for (color, at) in [(Black, p(2, 2)), (White, p(6, 6)), (Black, p(2, 6)), (White, p(6, 2))] {
        t.play(color, at);
        t.rest(800);
    }
    assert_eq!(kinds(&t), [Move; 4]);
    t.events.clear();
    t
}

#[test]
fn a_stone_put_down_during_a_break_is_no_move() {
    let mut t = table();
    begin(&mut t);
    t.rest(5000);
    t.play(Black, p(4, 4));
    t.rest(120_000);
    assert_eq!(kinds(&t), [BreakBegun], "nothing is told while play stands still");
    go_on(&mut t);
    t.rest(1000);
    assert_eq!(kinds(&t), [BreakBegun, PlayResumed, DisplacedStone]);
    let e = t.of_kind(DisplacedStone)[0].clone();
    assert_eq!((points(&e), e.circumstance), (vec![p(4, 4)], Some(Circumstance::DuringBreak)));
    assert_eq!(e.of, Some(t.of_kind(BreakBegun)[0].seq));
    assert_eq!(e.article.as_deref(), Some("000 17.5"));
    assert_eq!(serde_json::to_value(&e.restore).unwrap(), serde_json::json!([{"at": [4, 4], "be": "."}]));
    let text = e.text.unwrap();
    assert_eq!(text.en, "During the break: A stone lies at E5 that nobody played. To restore: take off E5. (000 17.5)");
    assert_eq!(text.zh, "休息期间：E5多出一子，并非着子。复原：取走E5。（000 17.5）");
    // it is Black's turn as before
    t.lift(p(4, 4));
    t.rest(1500);
    t.play(Black, p(4, 2));
    t.rest(1500);
    assert_eq!(kinds(&t)[3..], [Repaired, Move]);
    assert_eq!(t.events.last().unwrap().move_number, Some(5));
}

#[test]
fn stones_shoved_and_taken_during_a_break_are_put_back() {
    let mut t = table();
    begin(&mut t);
    t.rest(10_000);
    t.move_stone(p(2, 2), p(2, 3));
    t.rest(2000);
    t.lift(p(6, 6));
    t.rest(60_000);
    go_on(&mut t);
    t.rest(1000);
    assert_eq!(kinds(&t), [BreakBegun, PlayResumed, DisplacedStone]);
    let e = t.of_kind(DisplacedStone)[0].clone();
    assert_eq!(points(&e), [p(2, 2), p(6, 6), p(2, 3)], "from, then to");
    assert_eq!(
        serde_json::to_value(&e.restore).unwrap(),
        serde_json::json!([
            {"at": [2, 2], "be": "B"}, {"at": [2, 3], "be": "."}, {"at": [6, 6], "be": "W"}
        ])
    );
    t.under_hand(|t| {
        t.set(p(2, 2), Some(Black));
        t.set(p(2, 3), None);
    });
    t.rest(1500);
    assert_eq!(t.of_kind(Repaired).len(), 0, "one stone is still missing");
    t.play(White, p(6, 6));
    t.rest(1500);
    assert_eq!(kinds(&t)[3..], [Repaired]);
}

#[test]
fn a_board_rearranged_during_a_break_is_scattered() {
    let mut t = table();
    begin(&mut t);
    t.rest(10_000);
    let shifted = Board::from_rows(&[
        ".........",
        "...B...B.",
        ".........",
        ".........",
        ".........",
        "...W...W.",
        ".........",
        ".........",
        ".........",
    ]);
    t.under_hand(|t| t.lay(&shifted.unwrap()));
    t.rest(10_000);
    go_on(&mut t);
    t.rest(1000);
    assert_eq!(kinds(&t), [BreakBegun, PlayResumed, Scattered]);
    let e = t.of_kind(Scattered)[0];
    assert_eq!((e.restore.len(), e.circumstance), (8, Some(Circumstance::DuringBreak)));
}

/// What was changed and put back, and hands that did nothing, are nobody's concern.
#[test]
fn a_quiet_break_is_two_events() {
    let mut t = table();
    begin(&mut t);
    t.rest(2000);
    t.move_stone(p(2, 2), p(3, 2));
    t.rest(20_000);
    t.move_stone(p(3, 2), p(2, 2));
    t.under_hand(|t| t.frames(40));
    t.rest(30_000);
    go_on(&mut t);
    t.rest(5000);
    t.play(Black, p(4, 4));
    t.rest(1500);
    assert_eq!(kinds(&t), [BreakBegun, PlayResumed, Move]);
}

/// The hand of the last move before the break was still over the board when the operator pressed the button.
#[test]
fn the_move_that_was_just_made_counts() {
    let mut t = table();
    t.under_hand_at(p(4, 4), |t| {
        t.set(p(4, 4), Some(Black));
        begin(t);
        t.frames(5);
    });
    t.rest(60_000);
    go_on(&mut t);
    t.rest(1500);
    assert_eq!(kinds(&t), [BreakBegun, Move, PlayResumed]);
}

/// Black does not wait for the operator's button.
#[test]
fn a_move_made_while_the_button_is_pressed_is_a_move() {
    let mut t = table();
    begin(&mut t);
    t.rest(60_000);
    t.under_hand_at(p(4, 4), |t| {
        t.frames(3);
        go_on(t);
        t.set(p(4, 4), Some(Black));
        t.frames(3);
    });
    t.rest(1500);
    assert_eq!(kinds(&t), [BreakBegun, PlayResumed, Move]);
}

#[test]
fn captured_stones_and_presses_wait_for_play_to_go_on() {
    let mut t = Table::of_game(9, &[(Black, 0, 1), (White, 0, 0), (Black, 4, 4), (White, 4, 5)]);
    t.play(Black, p(1, 0));
    t.rest(1000);
    begin(&mut t);
    t.press(goband::referee::Press::exact(t.now(), White));
    t.rest(30_000);
    assert_eq!(kinds(&t), [Move, BreakBegun], "no grace time runs out");
    go_on(&mut t);
    t.rest(1500);
    t.lift(p(0, 0));
    t.rest(6000);
    assert_eq!(kinds(&t), [Move, BreakBegun, PlayResumed, CapturesCleared]);
}

#[test]
fn a_killed_referee_knows_of_the_break() {
    let mut whole = Table::with(options(), 9);
    whole.rest(1200);
    whole.play(Black, p(2, 2));
    whole.rest(800);
    begin(&mut whole);
    whole.rest(3000);
    assert_eq!(GameState::fold(&whole.events).on_break(), Some(whole.events.last().unwrap().seq));
    let mut again = Table::with(options(), 9);
    again.referee = Referee::resume(options(), &whole.events);
    again.begin_at(whole.now() + 5000);
    again.set(p(2, 2), Some(Black));
    again.rest(2000);
    again.play(White, p(6, 6));
    again.rest(10_000);
    assert_eq!(kinds(&again), [], "play still stands still");
    go_on(&mut again);
    again.rest(1000);
    assert_eq!(kinds(&again), [PlayResumed, DisplacedStone]);
    let mut events = whole.events.clone();
    events.extend(again.events.clone());
    assert_eq!(GameState::fold(&events).on_break(), None);
    assert_eq!(GameState::fold(&events).moves().len(), 1);
}

#[test]
fn a_break_is_begun_and_ended_once() {
    let mut t = table();
    go_on(&mut t);
    begin(&mut t);
    begin(&mut t);
    go_on(&mut t);
    go_on(&mut t);
    t.rest(1000);
    assert_eq!(kinds(&t), [BreakBegun, PlayResumed]);
    // before the first look at the board there is no game to stand still
    let mut t = Table::with(options(), 9);
    begin(&mut t);
    assert_eq!(kinds(&t), []);
}

// ---- between two games ---------------------------------------------------------------------------------------------

const GAME: [(Color, u8, u8); 14] = [
    (Black, 2, 2),
    (White, 2, 6),
    (Black, 6, 2),
    (White, 6, 6),
    (Black, 4, 4),
    (White, 4, 2),
    (Black, 1, 4),
    (White, 3, 3),
    (Black, 7, 4),
    (White, 5, 5),
    (Black, 3, 5),
    (White, 7, 7),
    (Black, 5, 1),
    (White, 0, 5),
];

/// `GAME` was played, agreed to be over and cleared away.
fn after_a_game() -> Table {
    let mut t = Table::with(options(), 9);
    t.rest(1200);
    for (color, row, col) in GAME {
        t.play(color, p(row, col));
        t.rest(800);
    }
    t.loose(8.5, 7.5, White);
    t.rest(1500);
    t.loose(-0.6, 0.5, Black);
    t.rest(1500);
    t.no_loose();
    t.under_hand(|t| t.lay(&Board::new(9)));
    t.rest(3000);
    assert_eq!(kinds(&t), [[Move; 14].as_slice(), &[EndAgreedSignal, EndAgreedSignal, BoardCleared]].concat());
    t
}

/// A next game after all, complete and in a record of its own.
fn play_another(t: &mut Table) {
    t.under_hand(|t| t.lay(&Board::new(9)));
    t.rest(3000);
    let before = t.events.len();
    for (color, at) in [(Black, p(6, 4)), (White, p(2, 4)), (Black, p(4, 6)), (White, p(4, 1))] {
        t.play(color, at);
        t.rest(1500);
    }
    let told: Vec<EventKind> = t.events[before..].iter().map(|e| e.kind).collect();
    assert_eq!(told, [PositionAdopted, Move, Move, Move, Move]);
    let state = GameState::fold(&t.events);
    assert_eq!((state.game_number(), state.moves().len()), (2, 4), "the look at the game was none");
    assert_eq!(state.board(), t.referee.history().unwrap().board());
    let again = Referee::resume(options(), &t.events);
    assert_eq!(again.history().unwrap().moves().len(), 4);
}

/// The first moves again, Black's stones first: two of a colour in a row by one hand, stones taken up again.
#[test]
fn a_finished_game_laid_out_again_makes_no_alarm() {
    let mut t = after_a_game();
    let mut order = GAME[..8].to_vec();
    order.sort_by_key(|m| m.0 == White);
    for (color, row, col) in order {
        t.play(color, p(row, col));
        t.rest(400);
    }
    t.rest(5000);
    t.lift(p(2, 2));
    t.rest(5000);
    // a variation that was never played
    t.play(White, p(8, 8));
    t.rest(5000);
    let alarms: Vec<_> = t.events.iter().filter(|e| e.kind.is_infraction() || e.kind == Unexplained).collect();
    assert!(alarms.is_empty(), "{alarms:?}");
    let said = t.events.last().unwrap();
    assert_eq!((said.kind, said.of), (BoardCleared, Some(t.of_kind(PositionAdopted)[1].seq)));
    assert!(said.text.as_ref().unwrap().zh.contains("复盘"));
    play_another(&mut t);
}

/// In the right order, but faster than anybody plays.
#[test]
fn a_finished_game_replayed_in_order_is_no_next_game() {
    let mut t = after_a_game();
    for (color, row, col) in &GAME[..13] {
        t.play(*color, p(*row, *col));
        t.rest(600);
    }
    t.rest(2000);
    t.under_hand(|t| {
        t.set(p(4, 4), None);
        t.set(p(8, 8), Some(White));
    });
    t.rest(8000);
    assert!(!t.events.iter().any(|e| e.kind.is_infraction() || e.kind == Unexplained), "{:?}", kinds(&t));
    assert_eq!(t.events.last().unwrap().kind, BoardCleared);
    play_another(&mut t);
}

/// All at once, as a position: nobody plays so fast.
#[test]
fn a_position_of_the_finished_game_is_not_adopted() {
    let mut t = after_a_game();
    t.under_hand(|t| GAME[..9].iter().for_each(|m| t.set(p(m.1, m.2), Some(m.0))));
    t.rest(5000);
    assert_eq!(t.events.last().unwrap().kind, BoardCleared);
    assert_eq!(t.of_kind(BoardCleared).len(), 1);
    play_another(&mut t);
}

/// Two games may well begin alike; an offence in the second is one, once it has gone its own way.
#[test]
fn a_next_game_that_begins_like_the_last_is_a_game() {
    let mut t = after_a_game();
    let before = t.events.len();
    for (color, row, col) in &GAME[..6] {
        t.play(*color, p(*row, *col));
        t.rest(6000);
    }
    t.play(Black, p(0, 0));
    t.rest(2000);
    t.play(Black, p(8, 0));
    t.rest(2000);
    let told: Vec<EventKind> = t.events[before..].iter().map(|e| e.kind).collect();
    assert_eq!(told, [[PositionAdopted].as_slice(), &[Move; 7], &[DoubleMove]].concat());
}

/// A stone beside its point, and the wrong button, say nothing of which game it is: the game was once lost by them.
#[test]
fn a_slip_in_a_next_game_that_begins_like_the_last_does_not_end_it() {
    let mut t = after_a_game();
    let before = t.events.len();
    for (color, row, col) in &GAME[..4] {
        t.offset(p(*row, *col), [0.4, 0.0]);
        t.play(*color, p(*row, *col));
        t.rest(6000);
    }
    t.play(Black, p(0, 0));
    t.rest(2000);
    let told: Vec<EventKind> = t.events[before..].iter().map(|e| e.kind).collect();
    assert!(told.contains(&StoneOffPoint) && !told.contains(&BoardCleared), "{told:?}");
    assert_eq!(told.iter().filter(|k| **k == Move).count(), 5);
}
