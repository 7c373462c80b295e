//! Time control through the public API: the documents' own examples, and what must hold however time is cut.

use goband::rules::time::{
    AtPress, Call, Clock, Outcome, Phase, Reading, Readings, SealedMove, SealedOutcome, Stop, TimeEffect, TimeError,
    TimeEvent, TimeNotice, TimeSettings,
};
use goband::rules::{Amount, Board, Class, Color, History, Infraction, Point, Ruleset};
use proptest::prelude::*;

use Color::{Black, White};

const MINUTE: u64 = 60_000;

fn settings(base: &str, time: &str) -> TimeSettings {
    let text = format!("id = \"test\"\nextends = \"{base}\"\n[time]\n{time}");
    Ruleset::from_toml(&text, "test.toml").unwrap().time_settings().unwrap()
}

/// A clock fed with events, with all that followed.
struct Desk {
    clock: Clock,
    effects: Vec<TimeEffect>,
}

impl Desk {
    fn new(base: &str, time: &str) -> Desk {
        Desk { clock: Clock::new(settings(base, time), 0), effects: Vec::new() }
    }

    /// A game in which Black's time runs from 0.
    fn started(base: &str, time: &str) -> Desk {
        let mut desk = Desk::new(base, time);
        desk.at(0, TimeEvent::Start { turn: Black });
        desk
    }

    fn at(&mut self, at_ms: u64, event: TimeEvent) -> Vec<TimeNotice> {
        let (clock, effects) = self.clock.apply(&event, at_ms).unwrap_or_else(|e| panic!("{event:?}: {e}"));
        self.clock = clock;
        self.effects.extend(effects.iter().cloned());
        effects.into_iter().map(|e| e.what).collect()
    }

    fn press(&mut self, at_ms: u64, side: Color) -> Vec<TimeNotice> {
        self.at(at_ms, TimeEvent::Press { side, board: AtPress::Complete })
    }

    fn error(&self, at_ms: u64, event: TimeEvent) -> TimeError {
        self.clock.apply(&event, at_ms).unwrap_err()
    }

    fn face(&self, side: Color) -> Reading {
        self.clock.readings().of(side)
    }

    /// What was said aloud, with its time in seconds.
    fn said(&self) -> Vec<(u64, String)> {
        let said = self.effects.iter().filter(|e| {
            matches!(
                e.what,
                TimeNotice::Call { .. }
                    | TimeNotice::PeriodUsed { .. }
                    | TimeNotice::ByoyomiBegins { .. }
                    | TimeNotice::Overrun { .. }
                    | TimeNotice::Reminder { .. }
            )
        });
        said.map(|e| (e.at_ms / 1000, e.what.text().zh)).collect()
    }
}

fn face(main_ms: u64, periods: u32, period_used_ms: u64) -> Reading {
    Reading { main_ms, periods, period_used_ms }
}

/// 001 ch. 2 §3.2, word for word: two kept minutes, the first and the last.
#[test]
fn the_calls_are_those_of_the_document() {
    let mut desk = Desk::started("cwa-classic", "main = \"3m\"\nperiods = 2\n");
    desk.at(10 * MINUTE, TimeEvent::Tick);
    let s = |at: u64, text: &str| (at, text.to_owned());
    let mut expected = vec![
        s(60, "黑方开始读秒，还剩2分钟。"),
        s(90, "30秒"),
        s(100, "40秒"),
        s(110, "50秒"),
        s(115, "55秒"),
        s(118, "58秒"),
        s(120, "1分钟，黑方还剩1分钟，最后一次读秒。"),
        s(150, "30秒"),
        s(160, "40秒"),
        s(170, "50秒"),
    ];
    expected.extend((1..=9).map(|n| s(170 + n, &n.to_string())));
    expected.push(s(180, "黑方超时，判负。"));
    assert_eq!(desk.said(), expected);
    assert_eq!(desk.clock.phase(), Phase::Over { black_lost: true, white_lost: false });
    let last = desk.effects.last().unwrap();
    assert_eq!(last.article.as_deref(), Some("001 part 2, 14.5"));
}

#[test]
fn calls_in_periods_of_another_length() {
    let mut desk = Desk::started("cwa-classic", "main = \"0s\"\nperiods = 2\nperiod = \"30s\"\nwithin_main = false\n");
    desk.at(10 * MINUTE, TimeEvent::Tick);
    let calls: Vec<_> = desk
        .effects
        .iter()
        .filter_map(|e| match e.what {
            TimeNotice::Call { call, .. } => Some((e.at_ms / 1000, call)),
            _ => None,
        })
        .collect();
    let mut expected: Vec<_> = [10, 20, 25, 28].map(|s| (s, Call::Seconds(s))).to_vec();
    expected.extend([10, 20].map(|s| (30 + s, Call::Seconds(s))));
    expected.extend((1..=9).map(|n| (50 + n, Call::Count(n))));
    assert_eq!(calls, expected);

    // as short as the count itself
    let mut desk = Desk::started("cwa-classic", "main = \"0s\"\nperiods = 1\nperiod = \"5s\"\nwithin_main = false\n");
    desk.at(MINUTE, TimeEvent::Tick);
    let calls: Vec<_> = desk.said().into_iter().map(|(at, text)| format!("{at} {text}")).collect();
    assert_eq!(calls, ["1 1", "2 2", "3 3", "4 4", "5 黑方超时，判负。"]);
}

/// 001 ch. 2 §3.2: a move of less than a minute costs nothing, each full minute one of those kept.
#[test]
fn periods_are_used_by_full_minutes_only() {
    let mut desk = Desk::started("cwa-classic", "main = \"10m\"\n");
    assert_eq!(desk.clock.settings().main_ms, 5 * MINUTE, "five of the ten minutes are kept for byo-yomi");
    desk.press(5 * MINUTE + 59_999, Black);
    assert_eq!(desk.face(Black), face(0, 5, 0));
    desk.press(6 * MINUTE, White);
    desk.press(7 * MINUTE, Black);
    assert_eq!(desk.face(Black), face(0, 4, 0), "a full minute to the millisecond is a minute");
    assert_eq!(desk.face(White), face(5 * MINUTE - 1, 5, 0));
}

/// 000 22.1.
#[test]
fn in_team_relay_an_overrun_costs_a_pass_and_a_stone_and_the_same_byoyomi_goes_on() {
    let mut desk = Desk::started("team-relay", "main = \"1m\"\nperiods = 1\nperiod = \"60s\"\n");
    let told = desk.at(2 * MINUTE, TimeEvent::Tick);
    let outcome = Outcome::Pass { stones: Amount::whole(1) };
    assert_eq!(
        told[told.len() - 2..],
        [
            TimeNotice::Overrun { side: Black, nth: 1, outcome },
            TimeNotice::Turn { by: Black, side: White, used_ms: 2 * MINUTE }
        ]
    );
    assert_eq!(desk.effects[desk.effects.len() - 2].article.as_deref(), Some("000 22.1"));
    assert_eq!((desk.clock.turn(), desk.clock.phase()), (White, Phase::Running));
    desk.press(2 * MINUTE + 5_000, White);
    assert_eq!(desk.face(Black), face(0, 1, 0));
    // the second time, and White after it: nobody plays, the clock stands
    let told = desk.at(100 * MINUTE, TimeEvent::Tick);
    let overruns: Vec<_> = told
        .iter()
        .filter_map(|n| match n {
            TimeNotice::Overrun { side, nth, .. } => Some((*side, *nth)),
            _ => None,
        })
        .collect();
    assert_eq!(overruns, [(Black, 2), (White, 1)]);
    assert_eq!(desk.clock.phase(), Phase::Stopped { reason: Stop::BothOverran });
}

/// 000 22.2: the move ends when all is off, and the count goes on.
#[test]
fn a_press_before_the_captures_are_off_changes_nothing() {
    let mut desk = Desk::started("team-relay", "main = \"1m\"\nperiods = 1\nperiod = \"60s\"\n");
    desk.at(MINUTE + 20_000, TimeEvent::Placed { side: Black, lying: 2 });
    let told = desk.press(MINUTE + 25_000, Black);
    let refused = TimeNotice::PressRefused { side: Black, infraction: Infraction::PressBeforeCapturesCleared, nth: 1 };
    assert_eq!(told, [refused]);
    assert_eq!(desk.effects.last().unwrap().article.as_deref(), Some("000 22.2"));
    assert_eq!(desk.face(Black), face(0, 1, 25_000), "the clock is unchanged and runs on");
    desk.at(MINUTE + 31_000, TimeEvent::CapturesCleared);
    let told = desk.press(MINUTE + 32_000, Black);
    assert_eq!(told.last(), Some(&TimeNotice::Turn { by: Black, side: White, used_ms: MINUTE + 32_000 }));
    assert!(desk.said().contains(&(90, "30秒".to_owned())), "called while the stones were taken off");

    // 000 17.4, told by the caller
    let told = desk.at(MINUTE + 33_000, TimeEvent::Press { side: White, board: AtPress::NoStone });
    assert_eq!(told, [TimeNotice::PressRefused { side: White, infraction: Infraction::PressBeforeMove, nth: 1 }]);
    assert_eq!(desk.clock.turn(), White);
}

/// 001 part 2, 14.4: in byo-yomi taking stones off is not timed.
#[test]
fn in_the_older_law_taking_off_is_not_timed_in_byoyomi() {
    let mut desk = Desk::started("cwa-classic", "main = \"2m\"\nperiods = 1\n");
    desk.at(30_000, TimeEvent::Placed { side: Black, lying: 3 });
    desk.at(40_000, TimeEvent::CapturesCleared);
    assert_eq!(desk.face(Black).main_ms, 20_000, "in main time it is");
    desk.at(60_000 + 55_000, TimeEvent::Placed { side: Black, lying: 9 });
    desk.at(60_000 + 75_000, TimeEvent::CapturesCleared);
    assert_eq!(desk.face(Black), face(0, 1, 55_000));
    desk.press(60_000 + 79_999, Black);
    assert_eq!(desk.clock.not_counted_ms(), 20_000);
    assert_eq!(desk.clock.turn(), White);
}

/// 000 23.11.
#[test]
fn a_dispute_stops_the_clock_and_puts_byoyomi_back() {
    let mut desk = Desk::started("team-relay", "main = \"1m\"\nperiods = 3\nperiod = \"30s\"\n");
    desk.press(40_000, Black);
    desk.press(50_000, White);
    // Black: 20 s of main time left, then into the second period
    desk.at(50_000 + 20_000 + 30_000 + 11_000, TimeEvent::Tick);
    assert_eq!(desk.face(Black), face(0, 2, 11_000));
    let told = desk.at(112_000, TimeEvent::Dispute);
    assert!(matches!(told[0], TimeNotice::Stopped { reason: Stop::Dispute, .. }), "stopped first: {told:?}");
    assert!(matches!(told[1], TimeNotice::PutBack { side: Black, .. }), "{told:?}");
    assert_eq!(desk.face(Black), face(20_000, 3, 0), "as after White's move");
    desk.at(400_000, TimeEvent::Resume { turn: None });
    desk.at(401_000, TimeEvent::Tick);
    assert_eq!(desk.face(Black), face(19_000, 3, 0));

    // in main time the clock is only stopped
    let mut desk = Desk::started("team-relay", "main = \"1m\"\nperiods = 3\nperiod = \"30s\"\n");
    desk.at(7_000, TimeEvent::Dispute);
    assert_eq!(desk.face(Black), face(53_000, 3, 0));
    // a loss on time is itself put back if the referee finds that it was none
    let mut desk = Desk::started("cwa-classic", "main = \"2m\"\nperiods = 1\n");
    desk.press(10_000, Black);
    desk.press(20_000, White);
    desk.at(500_000, TimeEvent::Tick);
    assert_eq!(desk.clock.phase(), Phase::Over { black_lost: true, white_lost: false });
    desk.at(500_000, TimeEvent::Dispute);
    assert_eq!(desk.face(Black), face(50_000, 1, 0));
    desk.at(500_000, TimeEvent::Resume { turn: None });
    assert_eq!(desk.clock.phase(), Phase::Running);
}

/// 000 22.3: an hour in which the clock showed 62 minutes; Black 40, White 22.
#[test]
fn a_faulty_clock_is_replaced_and_the_times_are_scaled() {
    let mut desk = Desk::started("team-relay", "main = \"2h\"\nperiods = 5\nperiod = \"60s\"\n");
    let replace = |black_min: u64, white_min: u64| TimeEvent::Replace {
        black_shown_ms: black_min * MINUTE,
        white_shown_ms: white_min * MINUTE,
        true_ms: 60 * MINUTE,
    };
    let told = desk.at(60 * MINUTE, replace(40, 22));
    assert!(matches!(told.last(), Some(TimeNotice::Replaced { scaled: true, .. })), "{told:?}");
    // 40/62 of an hour, to the millisecond; together exactly an hour
    assert_eq!(120 * MINUTE - desk.face(Black).main_ms, 2_322_581);
    assert_eq!(120 * MINUTE - desk.face(White).main_ms, 3_600_000 - 2_322_581);
    let before = desk.clock.readings();
    let told = desk.at(60 * MINUTE, replace(40, 21));
    assert!(matches!(told.last(), Some(TimeNotice::Replaced { scaled: false, .. })), "{told:?}");
    assert_eq!(desk.clock.readings(), before, "an error of a minute an hour changes no times");
    // 22.3: a change for one side only needs the chief referee
    let mut to = before;
    to.white.main_ms -= MINUTE;
    let set = |chief_referee| TimeEvent::Set { readings: to, chief_referee };
    assert_eq!(desk.error(60 * MINUTE, set(false)), TimeError::NeedsChiefReferee);
    desk.at(60 * MINUTE, set(true));
    assert_eq!(desk.clock.readings(), to);
}

/// 000 22.4.
#[test]
fn a_suspended_game_stores_both_times() {
    let mut desk = Desk::started("team-relay", "main = \"1h\"\nperiods = 5\nperiod = \"60s\"\n");
    desk.press(10 * MINUTE, Black);
    desk.at(14 * MINUTE, TimeEvent::Suspend);
    let stored = desk.clock.readings();
    desk.at(14 * MINUTE, TimeEvent::Confirm { side: Black });
    let json = serde_json::to_string(&desk.clock).unwrap();
    desk.clock = serde_json::from_str(&json).unwrap();
    // the next day
    let told = desk.at(1_500 * MINUTE, TimeEvent::Resume { turn: None });
    assert_eq!(told[0], TimeNotice::ResumedUnconfirmed { black: true, white: false });
    assert_eq!(desk.clock.readings(), stored);
    assert_eq!(desk.clock.turn(), White);

    // without a written record: shared evenly
    desk.at(1_501 * MINUTE, TimeEvent::Suspend);
    desk.at(1_501 * MINUTE, TimeEvent::ShareEvenly { used_ms: 15 * MINUTE + 1 });
    assert_eq!(desk.face(Black), face(60 * MINUTE - 450_000, 5, 0));
    assert_eq!(desk.face(White), face(60 * MINUTE - 450_001, 5, 0), "the odd millisecond: White is to move");
    desk.at(1_501 * MINUTE, TimeEvent::Confirm { side: Black });
    let told = desk.at(1_501 * MINUTE, TimeEvent::Confirm { side: White });
    assert_eq!(told, [TimeNotice::Confirmed { side: White, all: true }]);
    assert_eq!(desk.at(1_502 * MINUTE, TimeEvent::Resume { turn: None }), [TimeNotice::Resumed { turn: White }]);
}

/// 001 part 2, 14.1-3.
#[test]
fn lateness() {
    let late =
        |black_min: u64, white_min: u64| TimeEvent::Late { black_ms: black_min * MINUTE, white_ms: white_min * MINUTE };
    let desk = || Desk::new("cwa-classic", "main = \"1h\"\nlate_limit = \"15m\"\n");
    let mut both_within = desk();
    both_within.at(0, late(15, 3));
    assert_eq!(both_within.face(Black).main_ms, 40 * MINUTE, "the limit itself is not past it");
    assert_eq!(both_within.face(White).main_ms, 52 * MINUTE);
    let mut one = desk();
    assert_eq!(one.at(0, late(0, 16)), [TimeNotice::Default { black: false, white: true }]);
    assert_eq!(one.effects[0].article.as_deref(), Some("001 part 2, 14.1"));
    let mut both = desk();
    both.at(0, late(16, 20));
    assert_eq!(both.clock.phase(), Phase::Over { black_lost: true, white_lost: true });
    assert_eq!(both.error(1, TimeEvent::Start { turn: Black }), TimeError::Over);
    // no limit given: only taken off, and never more than there is
    let open = Desk::new("cwa-classic", "main = \"10m\"\n");
    assert_eq!(open.error(0, late(10, 0)), TimeError::NoTimeLeft { side: Black });
}

/// 001 ch. 2 §5 and part 2, 13.
#[test]
fn a_sealed_move() {
    let mut desk = Desk::started("cwa-classic", "main = \"1h\"\n");
    let mut game = History::new(Board::new(9), Black);
    game.play(Black, Some(Point::new(2, 2)));
    desk.press(10_000, Black);
    assert_eq!(desk.at(20_000, TimeEvent::SealingHour), [TimeNotice::SealingHour { turn: White }]);
    assert_eq!(desk.error(30_000, TimeEvent::Sealed { side: Black }), TimeError::NotTurn { side: Black });
    let told = desk.at(30_000, TimeEvent::Sealed { side: White });
    assert!(told.contains(&TimeNotice::Sealed { side: White }), "{told:?}");
    assert_eq!(desk.clock.phase(), Phase::Suspended { black: false, white: false });
    assert_eq!(desk.clock.turn(), Black, "whatever was sealed, Black is next");
    assert_eq!(desk.face(White).main_ms, 55 * MINUTE - 20_000, "the thinking was timed");

    let envelope = SealedMove::new(White, &game, 30_000);
    assert_eq!(envelope.number, 2);
    let json = serde_json::to_string(&envelope).unwrap();
    assert!(!json.contains("point"), "nothing in it to give away: {json}");
    let opened = |p| envelope.open(p, &game, 90_000).unwrap().opened.unwrap().played;
    assert_eq!(opened(Some(Point::new(6, 6))), SealedOutcome::Move { point: Point::new(6, 6) });
    let taken = SealedOutcome::Pass { because: vec![Class::Occupied], off_board: false };
    assert_eq!(opened(Some(Point::new(2, 2))), taken);
    assert_eq!(opened(Some(Point::new(9, 0))), SealedOutcome::Pass { because: vec![], off_board: true });
    let again = envelope.open(None, &game, 90_000).unwrap();
    assert!(again.open(None, &game, 91_000).is_err(), "opened once");

    // a forbidden point
    let board = Board::from_rows(&[".B...", "B....", ".....", ".....", "....."]).unwrap();
    let game = History::new(board, White);
    let opened = SealedMove::new(White, &game, 0).open(Some(Point::new(0, 0)), &game, 1).unwrap().opened.unwrap();
    assert_eq!(opened.played, SealedOutcome::Pass { because: vec![Class::Suicide], off_board: false });
}

/// 001 part 2, 14.6; 000 22.5.
#[test]
fn leaving_the_seat_and_wrong_clocks_are_counted() {
    let mut desk = Desk::started("cwa-classic", "main = \"1h\"\n");
    let refused = |in_own_time, already| TimeNotice::LeaveRefused { side: Black, in_own_time, already };
    assert_eq!(desk.at(1_000, TimeEvent::Leave { side: Black }), [refused(true, 0)]);
    desk.press(2_000, Black);
    assert_eq!(desk.at(3_000, TimeEvent::Leave { side: Black }), [TimeNotice::LeaveGranted { side: Black, nth: 1 }]);
    assert_eq!(desk.at(4_000, TimeEvent::Leave { side: Black }), [refused(false, 1)]);
    for nth in 1..=3 {
        let told = desk.at(5_000, TimeEvent::WrongClock { side: White });
        assert_eq!(told, [TimeNotice::WrongClock { side: White, nth }]);
    }
    assert_eq!(desk.press(6_000, Black), [TimeNotice::IdlePress { side: Black }], "no offence by itself");
}

#[test]
fn reminders_and_what_a_player_is_told() {
    let mut desk = Desk::started(
        "team-relay",
        "main = \"11m\"\nperiods = 3\nperiod = \"30s\"\nreminders = [\"10m\", \"5m\", \"1m\"]\n",
    );
    desk.at(11 * MINUTE, TimeEvent::Tick);
    let said: Vec<_> = desk.said().into_iter().map(|(at, text)| format!("{at} {text}")).collect();
    assert_eq!(
        said,
        [
            "60 黑方还剩10分钟。",
            "360 黑方还剩5分钟。",
            "600 黑方还剩1分钟。",
            "660 黑方开始读秒，还剩3次读秒，每次30秒。"
        ]
    );
    desk.at(11 * MINUTE + 42_000, TimeEvent::Tick);
    let text = desk.face(Black).text(desk.clock.settings());
    assert_eq!(text.en, "2 periods of 30 seconds left, 0:12 of the present one used");
}

/// 000 12: 节棋 goes on with the time that was left, byo-yomi included.
#[test]
fn a_drawn_game_goes_on_with_the_time_that_was_left() {
    let mut desk = Desk::started("team-relay", "main = \"1m\"\nperiods = 3\nperiod = \"30s\"\n");
    desk.press(95_000, Black);
    desk.at(100_000, TimeEvent::End);
    let left = desk.clock.readings();
    assert_eq!((left.black, left.white), (face(0, 2, 0), face(55_000, 3, 0)));
    assert_eq!(desk.error(100_000, TimeEvent::End), TimeError::Over);
    desk.at(900_000, TimeEvent::Resume { turn: Some(White) });
    assert_eq!(desk.clock.readings(), left);
    assert_eq!((desk.clock.phase(), desk.clock.turn()), (Phase::Running, White));
}

#[test]
fn errors_are_typed_and_leave_the_clock_as_it_was() {
    let desk = Desk::new("cwa-classic", "main = \"1h\"\n");
    assert_eq!(desk.error(0, TimeEvent::Dispute), TimeError::NotStarted);
    assert_eq!(desk.error(0, TimeEvent::Confirm { side: Black }), TimeError::NotSuspended);
    let desk = Desk::started("cwa-classic", "main = \"1h\"\n");
    assert_eq!(desk.error(5, TimeEvent::Start { turn: White }), TimeError::Started);
    assert_eq!(desk.error(5, TimeEvent::Resume { turn: None }), TimeError::Running);
    assert_eq!(desk.error(5, TimeEvent::Placed { side: White, lying: 1 }), TimeError::NotTurn { side: White });
    let empty = Readings { black: face(0, 0, 0), white: face(MINUTE, 1, 0) };
    let set = TimeEvent::Set { readings: empty, chief_referee: true };
    assert_eq!(desk.error(5, set), TimeError::NoTimeLeft { side: Black });
    let mut desk = desk;
    desk.at(100, TimeEvent::Tick);
    assert_eq!(desk.error(99, TimeEvent::Tick), TimeError::Backwards { now_ms: 100, at_ms: 99 });
}

#[test]
fn a_ruleset_says_where_its_times_are_wrong() {
    let error = |base: &str, time: &str| {
        let text = format!("id = \"x\"\nextends = \"{base}\"\n{time}");
        match Ruleset::from_toml(&text, "my.toml") {
            Err(e) => e.to_string(),
            Ok(rules) => rules.time_settings().unwrap_err().to_string(),
        }
    };
    let is = |text: String, parts: &[&str]| {
        for part in parts {
            assert!(text.contains(part), "{text}: {part}");
        }
    };
    is(error("cwa", ""), &["main", "competition"]);
    is(error("ancient", ""), &["without a clock"]);
    is(error("cwa", "[time]\nmain = \"1x\"\n"), &["my.toml:4:8: time.main:", "1h55m"]);
    is(error("cwa", "[time]\nmain = \"4m\"\n"), &["my.toml:4:1: time.main: is 4m", "byo-yomi of 5m"]);
    is(error("team-relay", "[time]\nmain = \"1h\"\nperiods = 0\n"), &["my.toml:5:1: time.periods:", "at least 1"]);
    is(error("cwa", "[time]\nperiod = \"1500ms\"\n"), &["my.toml:4:1: time.period:", "whole seconds"]);
    is(
        error("cwa", "[time]\nmain = \"1h\"\n[time.calls]\nlast_left = [\"5s\"]\n"),
        &["my.toml:6:1: time.calls.last_left:", "second by second"],
    );
    is(error("cwa", "[time]\ncaptures = \"free\"\n"), &["time.captures", "`untimed_in_byoyomi`"]);
    is(error("cwa", "[time]\nbyoyomi = 3\n"), &["my.toml:4:1", "`periods`"]);
    is(
        error("japan-korea", "[time]\nmain = \"1h\"\nlate_limit = \"5m\"\n"),
        &["my.toml:5:1: time.late_limit:", "[lateness]"],
    );
    // a ruleset without a clock can be given one
    let text = "id = \"x\"\nextends = \"ancient\"\n[time]\nmain = \"1h\"\nperiods = 1\nperiod = \"30s\"\n";
    let settings = Ruleset::from_toml(text, "x.toml").unwrap().time_settings().unwrap();
    assert_eq!((settings.main_ms, settings.outcome), (60 * MINUTE, Outcome::Referee));
}

#[test]
fn a_stored_clock_that_cannot_be_is_refused() {
    let desk = Desk::started("cwa-classic", "main = \"10m\"\n");
    let json = serde_json::to_value(&desk.clock).unwrap();
    assert!(serde_json::from_value::<Clock>(json.clone()).is_ok());
    for (path, value) in [
        ("/settings/period_ms", 0u64),
        ("/settings/main_ms", u64::MAX),
        ("/readings/black/period_used_ms", 60_000),
        ("/black/spent_ms", u64::MAX),
        ("/now_ms", 5),
        ("/turn_used_ms", 1),
    ] {
        let mut bad = json.clone();
        *bad.pointer_mut(path).unwrap() = value.into();
        assert!(serde_json::from_value::<Clock>(bad).is_err(), "{path}");
    }
}

/// Any event at all, sensible or not.
fn any_event() -> impl Strategy<Value = TimeEvent> {
    let side = || prop_oneof![Just(Black), Just(White)];
    let board =
        prop_oneof![4 => Just(AtPress::Complete), 1 => Just(AtPress::NoStone), 1 => Just(AtPress::CapturesLying)];
    let reading = || {
        (prop_oneof![Just(0u64), 0..400_000u64, any::<u64>()], 0..7u32, prop_oneof![Just(0u64), 0..70_000u64])
            .prop_map(|(main_ms, periods, period_used_ms)| face(main_ms, periods, period_used_ms))
    };
    let wide = || prop_oneof![8 => 0..400_000u64, 1 => any::<u64>()];
    prop_oneof![
        12 => (side(), board).prop_map(|(side, board)| TimeEvent::Press { side, board }),
        3 => Just(TimeEvent::Tick),
        3 => side().prop_map(|turn| TimeEvent::Start { turn }),
        3 => (side(), 0..3u16).prop_map(|(side, lying)| TimeEvent::Placed { side, lying }),
        2 => Just(TimeEvent::CapturesCleared),
        1 => side().prop_map(|side| TimeEvent::WrongClock { side }),
        1 => side().prop_map(|side| TimeEvent::Leave { side }),
        1 => Just(TimeEvent::Stop { reason: Stop::Request }),
        1 => Just(TimeEvent::Dispute),
        5 => prop::option::of(side()).prop_map(|turn| TimeEvent::Resume { turn }),
        1 => Just(TimeEvent::Suspend),
        1 => side().prop_map(|side| TimeEvent::Confirm { side }),
        1 => wide().prop_map(|used_ms| TimeEvent::ShareEvenly { used_ms }),
        1 => (reading(), reading(), any::<bool>()).prop_map(|(black, white, chief_referee)| TimeEvent::Set {
            readings: Readings { black, white },
            chief_referee
        }),
        1 => (wide(), wide(), wide()).prop_map(|(black_shown_ms, white_shown_ms, true_ms)| TimeEvent::Replace {
            black_shown_ms,
            white_shown_ms,
            true_ms
        }),
        1 => (wide(), wide()).prop_map(|(black_ms, white_ms)| TimeEvent::Late { black_ms, white_ms }),
        1 => Just(TimeEvent::SealingHour),
        1 => side().prop_map(|side| TimeEvent::Sealed { side }),
    ]
}

fn any_settings() -> impl Strategy<Value = TimeSettings> {
    let times =
        prop_oneof![Just("main = \"2m\"\nperiods = 3\n"), Just("main = \"0s\"\nperiods = 4\nperiod = \"20s\"\n")];
    let more = prop_oneof![Just(""), Just("reminders = [\"90s\", \"1m\", \"7s\"]\n"), Just("late_limit = \"30s\"\n")];
    let stops = prop_oneof![Just("opponent_runs"), Just("clock_stops")];
    (prop_oneof![Just("cwa-classic"), Just("team-relay"), Just("ancient")], times, more, stops).prop_map(
        |(base, times, more, stops)| {
            let period = if times.contains("period =") { "" } else { "period = \"60s\"\n" };
            let more = if base == "ancient" && more.contains("late") { "" } else { more };
            settings(base, &format!("within_main = false\n{times}{period}{more}after_overrun = \"{stops}\"\n"))
        },
    )
}

/// Runs the events; those that are refused are left out, as a caller would.
fn run(settings: &TimeSettings, events: &[(u64, TimeEvent)]) -> (Clock, Vec<TimeEffect>) {
    let mut clock = Clock::new(settings.clone(), 1_000);
    let mut all = Vec::new();
    let mut at_ms = 1_000u64;
    for (gap_ms, event) in events {
        at_ms += gap_ms;
        match clock.apply(event, at_ms) {
            Ok((next, effects)) => {
                clock = next;
                all.extend(effects);
            }
            Err(_) => {
                // the time has passed all the same
                let (next, effects) = clock.apply(&TimeEvent::Tick, at_ms).unwrap();
                clock = next;
                all.extend(effects);
            }
        }
    }
    (clock, all)
}

proptest! {
    /// However time is cut, the same follows, at the same nominal times; and no time is lost or made.
    #[test]
    fn ticks_change_nothing(
        settings in any_settings(),
        events in prop::collection::vec((prop_oneof![0..30_000u64, 0..200_000u64], any_event()), 1..40),
        cuts in prop::collection::vec(0..200_000u64, 0..60),
    ) {
        let (plain, effects) = run(&settings, &events);
        // the same events, with ticks between them
        let mut cut = Vec::new();
        let mut cuts = cuts.into_iter().cycle();
        for (gap, event) in &events {
            let mut left = *gap;
            for _ in 0..4 {
                let Some(c) = cuts.next() else { break };
                let step = c.min(left);
                cut.push((step, TimeEvent::Tick));
                left -= step;
            }
            cut.push((left, event.clone()));
        }
        let (ticked, ticked_effects) = run(&settings, &cut);
        prop_assert_eq!(&plain, &ticked);
        prop_assert_eq!(&effects, &ticked_effects);
        prop_assert!(effects.is_sorted_by_key(|e| e.at_ms));

        let spent = plain.totals(Black).spent_ms + plain.totals(White).spent_ms;
        prop_assert_eq!(spent + plain.not_counted_ms(), plain.elapsed_ms());

        // as often as it was told, so often it is counted
        for side in [Black, White] {
            let told = effects.iter().filter(|e| matches!(e.what, TimeNotice::Overrun { side: s, .. } if s == side));
            prop_assert_eq!(told.count(), plain.totals(side).overruns as usize);
            let leaves = effects.iter().filter(|e| matches!(e.what, TimeNotice::LeaveGranted { side: s, .. } if s == side));
            prop_assert_eq!(leaves.count(), plain.totals(side).leaves as usize);
        }

        // stored at any moment, it goes on the same
        let stored: Clock = serde_json::from_str(&serde_json::to_string(&plain).unwrap()).unwrap();
        prop_assert_eq!(&stored, &plain);
        for effect in &effects {
            prop_assert!(!effect.text().en.is_empty() && !effect.text().zh.is_empty());
            let json = serde_json::to_string(effect).unwrap();
            prop_assert_eq!(&serde_json::from_str::<TimeEffect>(&json).unwrap(), effect);
        }
    }

    /// Undisturbed, a side's face and its spent time are two views of one thing.
    #[test]
    fn what_is_spent_is_gone_from_the_face(
        gaps in prop::collection::vec(0..40_000u64, 1..60),
    ) {
        let mut clock = Clock::new(settings("cwa-classic", "main = \"30m\"\nperiods = 0\n"), 0);
        clock = clock.apply(&TimeEvent::Start { turn: Black }, 0).unwrap().0;
        let (mut at_ms, mut side) = (0, Black);
        for gap in gaps {
            at_ms += gap;
            clock = clock.apply(&TimeEvent::Press { side, board: AtPress::Complete }, at_ms).unwrap().0;
            side = side.opponent();
        }
        for side in [Black, White] {
            prop_assert_eq!(clock.readings().of(side).main_ms + clock.totals(side).spent_ms, 30 * MINUTE);
        }
    }

    /// The last millisecond that a `u64` can hold is a time like any other.
    #[test]
    fn far_jumps_come_to_an_end(settings in any_settings(), event in any_event()) {
        let clock = Clock::new(settings, 0).apply(&TimeEvent::Start { turn: White }, 0).unwrap().0;
        let (clock, effects) = clock.apply(&TimeEvent::Tick, u64::MAX).unwrap();
        prop_assert!(effects.len() < 1000);
        prop_assert_ne!(clock.phase(), Phase::Running);
        let _ = clock.apply(&event, u64::MAX);
    }

    /// 000 22.3: the shares of the true time add up to it, each within a millisecond of its proportion.
    #[test]
    fn scaling_loses_no_millisecond(black in 0..u64::MAX / 2, white in 0..u64::MAX / 2, true_ms in any::<u64>()) {
        if let Some([b, w]) = goband::rules::time::shared_pro_rata([black, white], true_ms) {
            prop_assert_eq!(u128::from(b) + u128::from(w), u128::from(true_ms));
            let total = u128::from(black) + u128::from(white);
            let exact = u128::from(black) * u128::from(true_ms);
            prop_assert!((u128::from(b) * total).abs_diff(exact) < total);
        }
    }
}
