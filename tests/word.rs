//! What is said about the game and taken at its word: passes, resignation, the end, the result, a wrong record.

mod table;

use std::sync::Arc;

use goband::game::EventKind::{self, *};
use goband::game::{Event, GameInfo, GameState, Settlement, Word, sgf};
use goband::referee::{Phase, Referee};
use goband::rules::{Color::*, Ruleset};
use table::{Table, options, p};

fn kinds(events: &[Event]) -> Vec<EventKind> {
    events.iter().map(|e| e.kind).collect()
}

/// Says it, and keeps what follows among the table's events.
fn say(t: &mut Table, word: Word) -> std::result::Result<Vec<Event>, String> {
    let events = t.referee.told(t.now(), &word).map_err(|why| why.en)?;
    t.events.extend(events.clone());
    Ok(events)
}

/// The record as a file, from the events alone.
fn record(t: &Table) -> (GameState, String) {
    let rules = Arc::new(Ruleset::builtin("cwa").unwrap());
    let mut state = GameState::default().under(Arc::clone(&rules));
    for e in &t.events {
        state.apply(e);
    }
    let text = sgf::write(&state, &GameInfo::for_ruleset(&rules));
    (state, text)
}

/// A finished 9×9 game by White's wall and Black's, a dead white stone in Black's half.
fn finished() -> Table {
    let mut t = Table::empty(9);
    for row in 0..9 {
        t.play(Black, p(row, 4));
        t.rest(800);
        t.play(White, p(row, 5));
        t.rest(800);
    }
    t.play(Black, p(2, 2));
    t.rest(800);
    t.play(White, p(6, 1));
    t.rest(800);
    t.play(Black, p(6, 2));
    t.rest(1500);
    assert!(t.events[1..].iter().all(|e| e.kind == Move), "{:?}", kinds(&t.events));
    t
}

#[test]
fn a_pass_that_is_said_is_a_pass_and_play_goes_on() {
    let mut t = Table::empty(9);
    t.play(Black, p(4, 4));
    t.rest(1500);
    assert_eq!(say(&mut t, Word::Pass { color: Black }).unwrap_err(), "it is the other side's turn");
    assert_eq!(kinds(&say(&mut t, Word::Pass { color: White }).unwrap()), [Pass]);
    t.play(Black, p(2, 2));
    t.rest(1500);
    assert_eq!(kinds(&t.events), [PositionAdopted, Move, Pass, Move], "no double move");
    assert_eq!(t.events[2].move_number, Some(2));
    assert!(record(&t).1.contains("W[]"), "{}", record(&t).1);
}

#[test]
fn two_passes_end_the_game_and_the_count_is_confirmed() {
    let mut t = finished();
    assert!(
        say(&mut t, Word::Result(Settlement::Counted { dead: None, contested: vec![] })).is_err(),
        "play is not over"
    );
    say(&mut t, Word::Pass { color: White }).unwrap();
    assert_eq!(kinds(&say(&mut t, Word::Pass { color: Black }).unwrap()), [Pass, TwoPasses]);
    assert_eq!(t.referee.phase(), Phase::Ended);
    // the dead stone comes off by itself and both tidy up: no infraction
    t.lift(p(6, 1));
    t.rest(3000);
    // Black has five columns, the dead stone's point included; 45 - 40.5 - 3.75 stones
    let dead = Settlement::Counted { dead: Some(vec![p(6, 1)]), contested: vec![] };
    let said = say(&mut t, Word::Result(dead)).unwrap();
    assert_eq!(kinds(&said), [EventKind::Result]);
    assert_eq!((said[0].color, said[0].margin_points.map(|m| m.decimal())), (Some(Black), Some("1.5".into())));
    let text = said[0].text.clone().unwrap();
    assert!(text.en.contains("B+3/4") && text.en.contains("1 dead stone"), "{text:?}");
    assert!(text.zh.contains("死子1颗"), "{text:?}");
    assert!(!t.events.iter().any(|e| e.kind.is_infraction()), "{:?}", kinds(&t.events));
    let (state, file) = record(&t);
    assert!(file.contains("RE[B+1.5]"), "{file}");
    assert!(state.moment().confirmed);
}

#[test]
fn a_dead_stone_that_is_none_is_refused_with_the_reason() {
    let mut t = finished();
    say(&mut t, Word::EndAgreed).unwrap();
    let nothing_there = Settlement::Counted { dead: Some(vec![p(0, 0)]), contested: vec![] };
    assert!(say(&mut t, Word::Result(nothing_there)).unwrap_err().contains("no stone lies at A9"));
    let off = Settlement::Counted { dead: Some(vec![p(20, 0)]), contested: vec![] };
    assert!(say(&mut t, Word::Result(off)).unwrap_err().contains("no point of this board"));
    let alive = Settlement::Counted { dead: Some(vec![]), contested: vec![] };
    assert_eq!(
        say(&mut t, Word::Result(alive)).unwrap()[0].color,
        Some(White),
        "with a living stone inside Black loses"
    );
}

#[test]
fn a_resignation_that_is_said_and_confirmed() {
    let mut t = Table::of_game(9, &[(Black, 2, 2), (White, 2, 6)]);
    assert!(say(&mut t, Word::Result(Settlement::Resigned)).is_err(), "nobody has");
    say(&mut t, Word::Resign { color: White }).unwrap();
    assert!(say(&mut t, Word::Pass { color: Black }).is_err(), "play is over");
    let said = say(&mut t, Word::Result(Settlement::Resigned)).unwrap();
    assert_eq!(said[0].color, Some(Black));
    assert!(record(&t).1.contains("RE[B+R]"));
}

#[test]
fn an_end_that_does_not_stand_is_taken_back() {
    let mut t = finished();
    say(&mut t, Word::EndAgreed).unwrap();
    let text = t.events.last().unwrap().text.clone().unwrap();
    assert!(text.en.contains("Both sides agree") && text.en.contains("To be confirmed"), "{text:?}");
    assert_eq!(t.referee.phase(), Phase::Ended);
    // a dispute: the side that holds stones to be dead moves first
    say(&mut t, Word::PlayOn { turn: Some(Black) }).unwrap();
    assert!(say(&mut t, Word::PlayOn { turn: None }).is_err(), "play goes on already");
    assert!(record(&t).0.ended().is_none());
    t.play(Black, p(6, 0));
    t.rest(1500);
    assert_eq!(t.events.last().unwrap().kind, Move, "{:?}", kinds(&t.events));
    // and after a restart in the middle of it
    let resumed = Referee::resume(options(), &t.events);
    assert_eq!(resumed.phase(), Phase::Playing);
    assert_eq!(resumed.history().unwrap().turn(), White);
}

#[test]
fn two_passes_that_did_not_end_the_game_do_not_end_it_again() {
    let mut t = finished();
    say(&mut t, Word::Pass { color: White }).unwrap();
    say(&mut t, Word::Pass { color: Black }).unwrap();
    say(&mut t, Word::PlayOn { turn: Some(White) }).unwrap();
    t.rest(3000);
    t.play(White, p(2, 7));
    t.rest(1500);
    let tail = kinds(&t.events[t.events.len() - 3..]);
    assert_eq!(tail, [TwoPasses, Corrected, Move]);
}

#[test]
fn a_wrong_record_is_put_right_by_word() {
    let mut t = Table::empty(9);
    for (color, at) in [(Black, p(4, 4)), (White, p(2, 2)), (Black, p(6, 6))] {
        t.play(color, at);
        t.rest(1500);
    }
    let wrong = |n, at| Word::Correct { number: n, point: at };
    assert!(say(&mut t, wrong(0, None)).is_err());
    assert_eq!(say(&mut t, wrong(4, None)).unwrap_err(), "there is no move 4: 3 were played");
    assert!(say(&mut t, wrong(2, Some(p(4, 4)))).unwrap_err().contains("a stone lay there"));
    assert!(say(&mut t, wrong(2, Some(p(2, 2)))).is_err());
    assert!(say(&mut t, wrong(2, Some(p(9, 2)))).is_err());
    say(&mut t, wrong(2, Some(p(2, 3)))).unwrap();
    assert_eq!(t.referee.history().unwrap().board().get(p(2, 3)), Some(White));
    assert_eq!(t.referee.history().unwrap().board().get(p(2, 2)), None);
    let (state, file) = record(&t);
    assert_eq!(state.moves()[1].point, Some(p(2, 3)));
    assert!(file.contains("W[dc]"), "{file}");
}

#[test]
fn a_ruling_ends_the_game_and_nothing_is_said_before_it_began() {
    let mut t = Table::with(options(), 9);
    assert_eq!(say(&mut t, Word::Pass { color: Black }).unwrap_err(), "no game has begun");
    let mut t = Table::of_game(9, &[(Black, 2, 2)]);
    say(&mut t, Word::Result(Settlement::Ruled { winner: Some(White) })).unwrap();
    assert!(record(&t).1.contains("RE[W+]"));
    say(&mut t, Word::PlayOn { turn: None }).unwrap();
    assert!(!record(&t).1.contains("RE["));
}

#[test]
fn a_board_that_nobody_can_explain_stands_by_the_referees_word() {
    let mut t = Table::of_game(9, &[(Black, 2, 2), (White, 2, 6), (Black, 6, 2), (White, 6, 6)]);
    t.set(p(2, 2), Some(White));
    t.set(p(6, 6), None);
    t.hide(&[p(0, 0)]);
    t.frames(3);
    let word = Word::Stands { turn: Some(Black) };
    assert!(say(&mut t, word.clone()).unwrap_err().contains("in view"));
    t.hide(&[]);
    t.rest(12_000);
    assert!(t.events.iter().any(|e| e.kind == Unexplained || e.kind.is_infraction()), "{:?}", kinds(&t.events));
    let said = say(&mut t, word).unwrap();
    assert_eq!(kinds(&said), [PositionAdopted]);
    assert_eq!(t.referee.history().unwrap().board(), t.board());
    assert_eq!(record(&t).0.open_infractions().count(), 0);
    let before = t.events.len();
    t.rest(5000);
    t.play(Black, p(4, 4));
    t.rest(1500);
    assert_eq!(kinds(&t.events[before..]), [Move], "and the game goes on from there");
}

#[test]
fn a_resignation_before_the_board_was_ruled_to_stand_cannot_be_confirmed_after_it() {
    let mut t = Table::of_game(9, &[(Black, 2, 2), (White, 2, 6)]);
    say(&mut t, Word::Resign { color: White }).unwrap();
    say(&mut t, Word::Stands { turn: Some(Black) }).unwrap();
    assert_eq!(t.referee.phase(), Phase::Playing);
    assert_eq!(say(&mut t, Word::Result(Settlement::Resigned)).unwrap_err(), "nobody has resigned");
    // nor is either side's sign of the end still remembered
    say(&mut t, Word::EndAgreed).unwrap();
    say(&mut t, Word::Stands { turn: None }).unwrap();
    assert!(say(&mut t, Word::PlayOn { turn: None }).is_err());
    assert!(record(&t).0.ended().is_none());
}
