//! The end of a game through its public face: each article as a story, and what holds whatever is said and done.

use goband::rules::ending::{
    Claim, EndEffect, EndError, EndEvent, EndTerms, Ending, Outcome, Phase, Ruling, Won, restored,
};
use goband::rules::{Amount, Board, Color, CountOptions, History, Point, Ruleset, count};
use proptest::prelude::*;

use Color::{Black, White};

/// Black and White with two stones each in the other's half.
fn board() -> Board {
    Board::from_rows(&["..BW..", ".WBW..", ".WBW.B", "..BW.B", "..BW..", ".BBWW."]).unwrap()
}

fn p(row: u8, col: u8) -> Point {
    Point::new(row, col)
}

fn game(id: &str, needs_winner: bool) -> Ending {
    Ending::new(EndTerms::new(&Ruleset::builtin(id).unwrap(), 0, needs_winner), Black)
}

/// Steps that must be possible; the effects of the last.
#[track_caller]
fn go(ending: &mut Ending, events: &[EndEvent]) -> Vec<EndEffect> {
    let mut last = Vec::new();
    for event in events {
        let (next, effects) = ending.step(event, &board()).unwrap_or_else(|e| panic!("{event:?} in {ending:?}: {e}"));
        *ending = next;
        last = effects;
    }
    last
}

#[track_caller]
fn refused(ending: &Ending, event: EndEvent) -> EndError {
    ending.step(&event, &board()).expect_err("must not be possible")
}

use EndEvent::*;

fn agreed() -> [EndEvent; 2] {
    [OfferEnd { by: Black }, AgreeEnd { by: White }]
}

fn confirmed() -> [EndEvent; 2] {
    [Confirm { by: Black }, Confirm { by: White }]
}

fn result_confirmed() -> [EndEvent; 2] {
    [ConfirmResult { by: White }, ConfirmResult { by: Black }]
}

fn counted(quarters: i64) -> EndEvent {
    Counted { margin: Amount::quarters(quarters), moves: 250 }
}

#[test]
fn both_agree_mark_count_and_confirm() {
    // 000 art. 7.1, 8, 16.4, 21.4
    let mut e = game("cwa", false);
    assert_eq!(go(&mut e, &agreed()), [EndEffect::MarkDead { two_passes: false }]);
    // one stone of a chain is enough
    go(&mut e, &[Mark { by: Black, at: p(1, 1), dead: true }, MarkAll { by: White, dead: vec![p(2, 1)] }]);
    assert!(matches!(&e.phase, Phase::Marking { marking } if marking.claims().is_empty()));
    let effects = go(&mut e, &confirmed());
    let dead = vec![p(1, 1), p(2, 1)];
    assert_eq!(effects, [EndEffect::Count { dead: dead.clone(), contested: vec![] }]);
    // what comes out can be counted as it is
    let options = CountOptions { dead, ..CountOptions::default() };
    let c = count(&board(), &Ruleset::builtin("cwa").unwrap(), &options).unwrap();
    go(&mut e, &[Counted { margin: c.margin, moves: 40 }]);
    assert_eq!(refused(&e, AgreeEnd { by: Black }), EndError::NoOffer);
    let effects = go(&mut e, &result_confirmed());
    let outcome = Outcome::Won { winner: c.winner.unwrap(), by: Won::Count(c.margin.abs()) };
    assert_eq!((effects, e.outcome()), (vec![EndEffect::Result { outcome }], Some(outcome)));
    assert_eq!(refused(&e, Resign { by: Black }), EndError::Over);
}

#[test]
fn two_passes_end_the_game_and_a_stone_between_does_not() {
    // 000 art. 7.3
    let mut e = game("cwa", false);
    go(&mut e, &[Pass { by: Black }, Stone { by: White }, Pass { by: Black }]);
    assert_eq!(refused(&e, Pass { by: Black }), EndError::NotTheirTurn { by: Black });
    assert_eq!(go(&mut e, &[Pass { by: White }]), [EndEffect::MarkDead { two_passes: true }]);
}

#[test]
fn a_declined_offer_gives_the_right_to_move_back() {
    // 000 art. 21.1: the opponent is allowed to play, and the side that gave up its move may play again
    let mut e = game("team-relay", false);
    let effects = go(&mut e, &[OfferEnd { by: Black }, DeclineEnd { by: White }]);
    assert_eq!(effects, [EndEffect::OfferDeclined { may_play: White, restored: Black }]);
    assert_eq!(e.phase, Phase::Playing { turn: White, passed: false });
    go(&mut e, &[Stone { by: White }]);
    assert_eq!(e.phase, Phase::Playing { turn: Black, passed: false });
    // playing on at once declines as well
    let effects = go(&mut e, &[OfferEnd { by: Black }, Stone { by: White }]);
    assert_eq!(effects, [EndEffect::OfferDeclined { may_play: White, restored: Black }]);
    assert_eq!(e.phase, Phase::Playing { turn: Black, passed: false });
    // the declined offer was no pass: one pass more does not end the game
    go(&mut e, &[OfferEnd { by: Black }, DeclineEnd { by: White }, Pass { by: White }]);
    assert_eq!(e.phase, Phase::Playing { turn: Black, passed: true });
}

#[test]
fn only_the_side_to_move_offers_and_only_the_other_answers() {
    let mut e = game("cwa", false);
    assert_eq!(refused(&e, OfferEnd { by: White }), EndError::NotTheirTurn { by: White });
    assert_eq!(refused(&e, AgreeEnd { by: White }), EndError::NoOffer);
    go(&mut e, &[OfferEnd { by: Black }]);
    for event in [AgreeEnd { by: Black }, DeclineEnd { by: Black }, Stone { by: Black }, OfferEnd { by: White }] {
        assert_eq!(refused(&e, event), EndError::AnswerAwaited { from: White });
    }
    assert_eq!(go(&mut e, &[Pass { by: White }]), [EndEffect::MarkDead { two_passes: true }]);
}

#[test]
fn a_dispute_is_played_out_and_the_claimant_of_dead_moves_first() {
    // 000 art. 21.4
    let mut e = game("cwa", false);
    go(&mut e, &agreed());
    go(&mut e, &[Mark { by: White, at: p(3, 5), dead: true }]);
    let effects = go(&mut e, &confirmed());
    let claims = vec![Claim { chain: vec![p(2, 5), p(3, 5)], claimant: White }];
    assert_eq!(effects, [EndEffect::Dispute { claims }]);
    assert_eq!(refused(&e, Stone { by: Black }), EndError::EndConfirmed);
    assert_eq!(refused(&e, Resume { first: Some(Black) }), EndError::ClaimantPlaysFirst { claimant: White });
    assert_eq!(go(&mut e.clone(), &[Resume { first: None }]), [EndEffect::Resumed { first: White }]);
    assert_eq!(go(&mut e, &[Resume { first: Some(White) }]), [EndEffect::Resumed { first: White }]);
    assert_eq!(e.phase, Phase::Playing { turn: White, passed: false });
    // the marking starts anew
    go(&mut e, &[OfferEnd { by: White }, AgreeEnd { by: Black }]);
    assert!(matches!(&e.phase, Phase::Marking { marking } if marking.dead.iter().all(|d| d.is_empty())));
}

#[test]
fn a_side_gives_in_instead() {
    let mut e = game("cwa", false);
    go(&mut e, &agreed());
    go(&mut e, &[Mark { by: White, at: p(3, 5), dead: true }]);
    go(&mut e, &confirmed());
    go(&mut e, &[Mark { by: Black, at: p(2, 5), dead: true }]);
    let effects = go(&mut e, &[Confirm { by: Black }]);
    assert_eq!(effects, [EndEffect::Count { dead: vec![p(2, 5), p(3, 5)], contested: vec![] }]);
}

#[test]
fn where_each_claims_the_others_stones_the_referee_says_who_is_first() {
    let mut e = game("cwa", false);
    go(&mut e, &agreed());
    go(&mut e, &[Mark { by: White, at: p(3, 5), dead: true }, Mark { by: Black, at: p(1, 1), dead: true }]);
    go(&mut e, &confirmed());
    assert_eq!(refused(&e, Resume { first: None }), EndError::WhoPlaysFirst);
    assert_eq!(go(&mut e, &[Resume { first: Some(Black) }]), [EndEffect::Resumed { first: Black }]);
}

#[test]
fn contested_points_are_shared_and_nothing_is_played_any_more() {
    // 000 art. 21.2 and 21.3
    let mut e = game("cwa", false);
    go(&mut e, &agreed());
    go(&mut e, &[Confirm { by: Black }, Contest { at: p(0, 0), contested: true }]);
    // a change asks both again
    go(&mut e, &[Confirm { by: Black }]);
    assert_eq!(refused(&e, Confirm { by: Black }), EndError::AlreadyConfirmed { by: Black });
    assert_eq!(refused(&e, Contest { at: p(0, 2), contested: true }), EndError::Occupied { at: p(0, 2) });
    assert_eq!(refused(&e, Contest { at: p(6, 0), contested: true }), EndError::OffBoard { at: p(6, 0) });
    assert_eq!(refused(&e, Mark { by: White, at: p(0, 0), dead: true }), EndError::NoStone { at: p(0, 0) });
    for event in [Stone { by: Black }, Pass { by: White }, OfferEnd { by: Black }] {
        assert_eq!(refused(&e, event), EndError::EndConfirmed);
    }
    let effects = go(&mut e, &[Confirm { by: White }]);
    assert_eq!(effects, [EndEffect::Count { dead: vec![], contested: vec![p(0, 0)] }]);
}

#[test]
fn a_result_can_be_counted_again_until_both_confirm() {
    // 000 art. 16.4: 在双方正式确认胜败结果之前，棋手有权提出复核
    let mut e = game("cwa", false);
    go(&mut e, &agreed());
    go(&mut e, &confirmed());
    go(&mut e, &[counted(-1), ConfirmResult { by: White }]);
    go(&mut e, &[Recount { by: Black }, counted(1)]);
    assert!(matches!(e.phase, Phase::Counted { confirmed: [false, false], .. }));
    go(&mut e, &result_confirmed());
    assert_eq!(e.outcome().unwrap().record_text(), "B+0.25");
}

#[test]
fn a_drawn_knock_out_goes_back_to_move_143_and_black_wins_a_second_draw() {
    // 000 art. 12, 节棋
    let mut e = game("team-relay", true);
    go(&mut e, &agreed());
    go(&mut e, &confirmed());
    go(&mut e, &[counted(0)]);
    assert_eq!(go(&mut e, &result_confirmed()), [EndEffect::RestorePosition { after_move: 143 }]);
    assert_eq!(refused(&e, Stone { by: White }), EndError::EndConfirmed);
    let effects = go(&mut e, &[ConfirmPosition { by: Black }, ConfirmPosition { by: White }]);
    // move 144 is White's
    let begins = EndEffect::PlayOff { first: White, preparation_s: 180, substitutions: 1, time_outs: 1 };
    assert_eq!((effects, e.playing_off), (vec![begins], true));
    assert_eq!(e.phase, Phase::Playing { turn: White, passed: false });
    go(&mut e, &[Pass { by: White }, Pass { by: Black }]);
    go(&mut e, &confirmed());
    let mut won = e.clone();
    go(&mut e, &[counted(0)]);
    let outcome = Outcome::Won { winner: Black, by: Won::DrawnAgain };
    assert_eq!(go(&mut e, &result_confirmed()), [EndEffect::Result { outcome }]);
    // and whoever wins it wins
    go(&mut won, &[counted(-2)]);
    go(&mut won, &result_confirmed());
    assert_eq!(won.outcome().unwrap().winner(), Some(White));
}

#[test]
fn a_draw_stands_where_no_winner_is_needed_or_no_play_off_known() {
    for (id, needs_winner) in [("team-relay", false), ("cwa", true), ("cwa", false)] {
        let mut e = game(id, needs_winner);
        go(&mut e, &agreed());
        go(&mut e, &confirmed());
        go(&mut e, &[counted(0)]);
        go(&mut e, &result_confirmed());
        assert_eq!(e.outcome(), Some(Outcome::Drawn), "{id}");
    }
    // a game that never came to move 143
    let mut e = game("team-relay", true);
    go(&mut e, &agreed());
    go(&mut e, &confirmed());
    go(&mut e, &[Counted { margin: Amount::ZERO, moves: 142 }]);
    let effects = go(&mut e, &result_confirmed());
    assert_eq!(e.outcome(), Some(Outcome::Drawn));
    assert!(effects.contains(&EndEffect::CannotRestore { after_move: 143, moves: 142 }), "{effects:?}");
    // 平目下和，直接判白胜
    let text = "id = \"cup\"\nextends = \"team-relay\"\n[counting]\nmethod = \"area\"\ndraw_goes_to = \"white\"\n";
    let cup = Ruleset::from_toml(text, "cup.toml").unwrap();
    let mut e = Ending::new(EndTerms::new(&cup, 0, true), Black);
    go(&mut e, &agreed());
    go(&mut e, &confirmed());
    go(&mut e, &[counted(0)]);
    go(&mut e, &result_confirmed());
    assert_eq!(e.outcome(), Some(Outcome::Won { winner: White, by: Won::Count(Amount::ZERO) }));
}

#[test]
fn resignation_and_rulings_end_it_at_once() {
    let mut e = game("cwa", false);
    go(&mut e, &agreed());
    assert_eq!(go(&mut e, &[Resign { by: White }]).len(), 1);
    assert_eq!(e.outcome().unwrap().record_text(), "B+R");
    let mut e = game("cwa", false);
    go(&mut e, &[Rule { ruling: Ruling::BothLose }]);
    assert_eq!((e.outcome(), e.outcome().unwrap().winner()), (Some(Outcome::BothLose), None));
}

#[test]
fn the_position_after_move_143_comes_back() {
    let mut history = History::new(Board::new(19), Black);
    for n in 0..170u16 {
        let color = if n % 2 == 0 { Black } else { White };
        history.play(color, Some(Point::new((n / 19) as u8, (n % 19) as u8)));
    }
    let back = restored(&history, 143).unwrap();
    assert_eq!((back.moves().len(), back.turn()), (143, White));
    assert_eq!(Some(back.board()), history.position(143));
    assert!(restored(&back, 144).is_none());
    assert_eq!(restored(&back, 143).unwrap().board(), back.board());
}

fn side() -> impl Strategy<Value = Color> {
    prop_oneof![Just(Black), Just(White)]
}

fn event() -> impl Strategy<Value = EndEvent> {
    let at = || (0u8..7, 0u8..6).prop_map(|(row, col)| Point::new(row, col));
    prop_oneof![
        4 => side().prop_map(|by| Stone { by }),
        4 => side().prop_map(|by| Pass { by }),
        6 => side().prop_map(|by| OfferEnd { by }),
        6 => side().prop_map(|by| AgreeEnd { by }),
        2 => side().prop_map(|by| DeclineEnd { by }),
        4 => (side(), at(), any::<bool>()).prop_map(|(by, at, dead)| Mark { by, at, dead }),
        2 => (side(), prop::collection::vec(at(), 0..3)).prop_map(|(by, dead)| MarkAll { by, dead }),
        2 => (at(), any::<bool>()).prop_map(|(at, contested)| Contest { at, contested }),
        8 => side().prop_map(|by| Confirm { by }),
        4 => prop::option::of(side()).prop_map(|first| Resume { first }),
        6 => (-2i64..3, prop_oneof![Just(100usize), Just(143), Just(250)])
            .prop_map(|(quarters, moves)| Counted { margin: Amount::quarters(quarters), moves }),
        1 => side().prop_map(|by| Recount { by }),
        8 => side().prop_map(|by| ConfirmResult { by }),
        6 => side().prop_map(|by| ConfirmPosition { by }),
        1 => side().prop_map(|by| Resign { by }),
    ]
}

/// What two reasonable sides do next; `None` when it is over.
fn reasonable(e: &Ending) -> Option<EndEvent> {
    let missing = |confirmed: &[bool; 2]| if confirmed[0] { White } else { Black };
    Some(match &e.phase {
        Phase::Playing { turn, .. } => OfferEnd { by: *turn },
        Phase::Offered { by } => AgreeEnd { by: by.opponent() },
        Phase::Marking { marking } if !marking.claims().is_empty() => {
            MarkAll { by: Black, dead: marking.dead[1].iter().copied().collect() }
        }
        Phase::Marking { marking } => Confirm { by: missing(&marking.confirmed) },
        Phase::Disputed { claims, .. } => Resume { first: Some(claims[0].claimant) },
        Phase::Counting { .. } => counted(0),
        Phase::Counted { confirmed, .. } => ConfirmResult { by: missing(confirmed) },
        Phase::Restoring { confirmed, .. } => ConfirmPosition { by: missing(confirmed) },
        Phase::Over { .. } => return None,
    })
}

proptest! {
    #[test]
    fn never_stuck_and_never_two_results(
        events in prop::collection::vec(event(), 0..120),
        id in prop::sample::select(vec!["cwa", "team-relay"]),
        needs_winner in any::<bool>(),
    ) {
        let mut e = game(id, needs_winner);
        let mut results = 0;
        for event in &events {
            let before = e.clone();
            match e.step(event, &board()) {
                Ok((next, effects)) => {
                    prop_assert!(before.outcome().is_none(), "nothing happens after the end");
                    results += effects.iter().filter(|f| matches!(f, EndEffect::Result { .. })).count();
                    prop_assert_eq!(results, usize::from(next.outcome().is_some()));
                    prop_assert!(next.playing_off >= before.playing_off, "one play-off, not taken back");
                    if let EndEvent::Resume { .. } = event {
                        let Phase::Disputed { claims, .. } = &before.phase else { panic!("resumed without a dispute") };
                        let Phase::Playing { turn, passed: false } = next.phase else { panic!("not resumed") };
                        prop_assert!(claims.iter().any(|c| c.claimant == turn));
                    }
                    for effect in &effects {
                        let text = effect.text(6);
                        prop_assert!(!text.en.is_empty() && !text.zh.is_empty());
                        if let EndEffect::Count { dead, contested } = effect {
                            let options = CountOptions { dead: dead.clone(), contested: contested.clone(), ..CountOptions::default() };
                            prop_assert!(count(&board(), &Ruleset::builtin(id).unwrap(), &options).is_ok());
                        }
                    }
                    // the same again
                    prop_assert_eq!(&before.step(event, &board()).unwrap().0, &next);
                    e = next;
                }
                Err(error) => {
                    prop_assert!(!error.text().zh.is_empty());
                    prop_assert_eq!(&e, &before);
                }
            }
        }
        // from wherever it stands, reasonable sides come to an end
        let mut steps = 0;
        while let Some(event) = reasonable(&e) {
            let stepped = e.step(&event, &board());
            prop_assert!(stepped.is_ok(), "{:?} in {:?}: {:?}", event, e.phase, stepped);
            e = stepped.unwrap().0;
            steps += 1;
            prop_assert!(steps < 40, "{:?}", e.phase);
        }
        prop_assert!(e.outcome().is_some());
    }

    #[test]
    fn events_are_read_as_they_are_written(event in event()) {
        let json = serde_json::to_string(&event).unwrap();
        prop_assert_eq!(serde_json::from_str::<EndEvent>(&json).unwrap(), event);
    }
}
