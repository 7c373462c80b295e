//! Infractions as cases, what makes the board right, until when they can be raised, and what the decisions add up to.

use std::sync::Arc;

use goband::game::sgf;
use goband::game::{Event, EventKind, GameInfo, GameState, Interval, Restore, RestoreTo};
use goband::rules::{
    Amount, Board, Case, Circumstance, Color, CountOptions, Decision, Facts, Infraction, Ledger, Moment, Outcome,
    Penalty, Point, Ruleset, Ruling, Sanction, Standing, Tips, Unit, Window, count,
};
use proptest::prelude::*;

use Color::{Black, White};

fn rules(id: &str) -> Ruleset {
    Ruleset::builtin(id).unwrap()
}

fn p(row: u8, col: u8) -> Point {
    Point::new(row, col)
}

/// A plain case of every kind.
fn facts(kind: Infraction) -> Facts {
    let at = p(3, 3);
    match kind {
        Infraction::DoubleMove => Facts::DoubleMove { first: None, second: at },
        Infraction::Takeback => Facts::Takeback { from: at, to: Some(p(4, 4)) },
        Infraction::DroppedStone => Facts::DroppedStone { near: vec![at] },
        Infraction::DisplacedStone => Facts::DisplacedStone { from: vec![at], to: vec![p(4, 4)] },
        Infraction::StoneOffPoint => Facts::StoneOffPoint { at: vec![at] },
        Infraction::MissedCapture => Facts::MissedCapture { stones: vec![at] },
        Infraction::WrongRemoval => Facts::WrongRemoval { stones: Vec::new() },
        Infraction::KoViolation => Facts::KoViolation { at, taken: vec![p(3, 4)] },
        Infraction::Superko => Facts::Superko { at, taken: Vec::new(), repeats: Some(2) },
        Infraction::Suicide => Facts::Suicide { at, own: Vec::new() },
        Infraction::WrongFirstColour => Facts::WrongFirstColour { at: Some(at) },
        Infraction::Scattered => Facts::Scattered { points: vec![at, p(9, 9)] },
        Infraction::SeatOrder => Facts::SeatOrder { at: Some(at), seat: Some(3), expected: Some(1) },
        Infraction::SectionOverrun => Facts::SectionOverrun { at: Some(at), over: 1 },
        Infraction::PressBeforeMove => Facts::PressBeforeMove,
        Infraction::PressBeforeCapturesCleared => Facts::PressBeforeCapturesCleared { stones: vec![at] },
        Infraction::WrongClockPressed => Facts::WrongClockPressed,
        Infraction::TimeOverrun => Facts::TimeOverrun,
    }
}

fn case(id: u64, kind: Infraction, by: Color) -> Case {
    Case::new(id, facts(kind), Some(by), id as u32)
}

fn of(player: &str, case: Case) -> Case {
    Case { player: Some(player.to_owned()), ..case }
}

/// Every case reported and accepted.
fn accepted(cases: &[Case]) -> Ledger {
    let mut ledger = Ledger::default();
    for case in cases {
        ledger.report(case.clone());
        ledger.decide(Decision::new(1000 + case.id, case.id, Ruling::Accepted));
    }
    ledger
}

fn stones(n: i64) -> Amount {
    Amount::whole(n)
}

#[test]
fn every_pair_yields_a_verdict_in_both_languages() {
    for id in Ruleset::builtin_ids() {
        let rules = rules(id);
        for kind in Infraction::ALL {
            let case = case(1, kind, Black);
            assert_eq!(case.kind(), kind);
            let proposal = Ledger::default().propose(&rules, &case);
            assert_eq!(proposal.verdict, rules.rule(kind).verdict, "{id} {kind:?}: the first time, as it is written");
            assert!(!proposal.verdict.en.is_empty() && !proposal.verdict.zh.is_empty());
            assert_eq!(proposal.times, 1);
            assert!(proposal.article.is_some() || rules.rule(kind).note.is_some(), "{id} {kind:?}");
        }
    }
}

#[test]
fn two_warnings_lose() {
    for id in ["cwa", "cwa-classic"] {
        let rules = rules(id);
        let first = accepted(&[case(1, Infraction::Takeback, White)]);
        let standing = first.standing(&rules);
        assert_eq!((standing.white.warnings, standing.white.lost.is_none()), (1, true));
        // what would a second one lead to?
        let second = case(5, Infraction::WrongRemoval, White);
        let proposal = first.propose(&rules, &second);
        assert_eq!(proposal.tips, [Tips::WarningsLose]);
        assert!(proposal.verdict.en.contains("Second warning in one game: loses"), "{}", proposal.verdict.en);
        assert!(proposal.verdict.zh.contains("满二次者，判该局为负"));
        let both = accepted(&[case(1, Infraction::Takeback, White), second]);
        let lost = both.standing(&rules).white.lost.unwrap();
        assert_eq!((lost.of, lost.article.as_deref()), (5, Some("001 part 2, 16.2")));
        // one for each side loses nobody the game
        let each = accepted(&[case(1, Infraction::Takeback, White), case(2, Infraction::Takeback, Black)]);
        let standing = each.standing(&rules);
        assert!(standing.white.lost.is_none() && standing.black.lost.is_none());
    }
}

#[test]
fn cards_cost_stones_and_two_yellows_of_one_player_make_a_red() {
    let relay = rules("team-relay");
    let yellow = |id, player: &str| of(player, case(id, Infraction::WrongRemoval, Black));
    let one = accepted(&[yellow(1, "甲")]).standing(&relay);
    assert_eq!((one.black.yellow, one.black.red, one.black.stones), (1, 0, stones(1)));
    let two_players = accepted(&[yellow(1, "甲"), yellow(2, "乙")]).standing(&relay);
    assert_eq!((two_players.black.yellow, two_players.black.red, two_players.black.stones), (2, 0, stones(2)));
    let one_player = accepted(&[yellow(1, "甲"), yellow(2, "甲")]);
    let standing = one_player.standing(&relay);
    // 000 24.3: each yellow one stone, the red two
    assert_eq!((standing.black.yellow, standing.black.red, standing.black.stones), (2, 1, stones(4)));
    assert!(standing.black.players["甲"].sent_off);
    assert_eq!(standing.items[1].tips, [Tips::YellowsMakeRed]);
    assert!(standing.items[1].verdict.zh.contains("累积2次黄牌"));
    assert_eq!(standing.penalty(Unit::Stones), [stones(4), Amount::ZERO]);
    assert_eq!(standing.penalty(Unit::Points), [stones(8), Amount::ZERO]);
    // a camera does not know which of two players it was: two cards then make no red of themselves
    let unknown = accepted(&[case(1, Infraction::WrongRemoval, Black), case(2, Infraction::WrongRemoval, Black)]);
    let standing = unknown.standing(&relay);
    assert_eq!((standing.black.yellow, standing.black.red, standing.black.stones), (2, 0, stones(2)));
}

#[test]
fn where_a_side_is_one_player_no_name_is_needed() {
    let club = Ruleset::from_toml(
        "id = \"club\"\nextends = \"cwa\"\n[cards]\nyellow = 1\nred = 2\nyellows_for_red = 2\narticle = \"house 1\"\n\
         [infractions.double_move]\nverdict = { en = \"yellow\", zh = \"黄牌\" }\npenalty = \"yellow\"\nappeal = \"at_once\"\n",
        "club.toml",
    )
    .unwrap();
    let two = accepted(&[case(1, Infraction::DoubleMove, Black), case(2, Infraction::DoubleMove, Black)]);
    assert_eq!(two.standing(&club).black.red, 1);
}

#[test]
fn seat_order_costs_one_to_four_stones_then_the_game() {
    let relay = rules("team-relay");
    let wrong = |id, player: &str| of(player, case(id, Infraction::SeatOrder, White));
    let mut cases = Vec::new();
    for (n, total) in [(1, 1), (2, 3), (3, 6), (4, 10)] {
        // alternating players: nobody reaches a third time
        cases.push(wrong(n, if n % 2 == 0 { "a" } else { "b" }));
        let standing = accepted(&cases).standing(&relay);
        assert_eq!((standing.white.stones, standing.white.red), (stones(total), 0), "time {n}");
        assert!(standing.white.lost.is_none());
    }
    let fifth = wrong(5, "c");
    let proposal = accepted(&cases).propose(&relay, &fifth);
    assert_eq!((proposal.times, proposal.penalty.sanction), (5, Sanction::Loss));
    cases.push(fifth);
    let standing = accepted(&cases).standing(&relay);
    assert_eq!(standing.white.lost.unwrap().article.as_deref(), Some("000 17.7"));
    // the second costs two stones, as the referee is told before deciding
    let proposal = accepted(&[wrong(1, "a")]).propose(&relay, &wrong(2, "b"));
    assert_eq!((proposal.times, proposal.stones), (2, stones(2)));
    assert!(proposal.verdict.zh.contains("第2次罚2子"));
    // one player's third: three stones and a red card
    let third = accepted(&[wrong(1, "a"), wrong(2, "a"), wrong(3, "a")]).standing(&relay);
    assert_eq!((third.white.red, third.white.stones), (1, stones(1 + 2 + 3 + 2)));
    assert!(third.white.players["a"].sent_off);
    assert_eq!(third.items[2].tips, [Tips::PlayerRepeated]);
    // the other side's mistakes are its own
    let mixed = accepted(&[wrong(1, "a"), of("x", case(2, Infraction::SeatOrder, Black))]).standing(&relay);
    assert_eq!((mixed.white.stones, mixed.black.stones), (stones(1), stones(1)));
}

#[test]
fn what_else_adds_up_in_team_relay() {
    let relay = rules("team-relay");
    let pressed = |id| case(id, Infraction::WrongClockPressed, Black);
    let once = accepted(&[pressed(1)]).standing(&relay);
    assert_eq!((once.black.cautions, once.black.fouls, once.black.stones), (1, 0, Amount::ZERO));
    let twice = accepted(&[pressed(1), pressed(2)]).standing(&relay);
    assert_eq!((twice.black.cautions, twice.black.fouls, twice.black.yellow, twice.black.stones), (1, 1, 1, stones(1)));
    // three moves over the section's limit, told at once: three stones (000 17.8)
    let over = Case::new(1, Facts::SectionOverrun { at: None, over: 3 }, Some(White), 75);
    assert_eq!(accepted(&[over]).standing(&relay).white.stones, stones(3));
    // a byo-yomi overrun costs a stone and the turn (000 22.1); under the classic law the game (001 14.5)
    let overrun = accepted(&[case(1, Infraction::TimeOverrun, White)]);
    let standing = overrun.standing(&relay);
    assert_eq!((standing.white.stones, standing.white.passes), (stones(1), 1));
    assert!(overrun.standing(&rules("cwa-classic")).white.lost.is_some());
    // a retaken ko: pass and yellow
    let ko = accepted(&[case(1, Infraction::KoViolation, Black)]).standing(&relay);
    assert_eq!((ko.black.yellow, ko.black.passes, ko.black.stones), (1, 1, stones(1)));
}

#[test]
fn on_purpose_it_loses_and_by_accident_it_may_not() {
    for id in ["team-relay", "cwa", "cwa-classic"] {
        let rules = rules(id);
        let moved = case(1, Infraction::DisplacedStone, Black);
        assert!(accepted(std::slice::from_ref(&moved)).standing(&rules).black.lost.is_none());
        let deliberate = Case { circumstance: Some(Circumstance::Deliberate), ..moved.clone() };
        assert!(accepted(&[deliberate]).standing(&rules).black.lost.is_some(), "{id}");
        // the referee finds out
        let mut ledger = Ledger::default();
        ledger.report(moved);
        let found = Decision { circumstance: Some(Circumstance::Deliberate), ..Decision::new(2, 1, Ruling::Accepted) };
        ledger.decide(found);
        assert!(ledger.standing(&rules).black.lost.is_some(), "{id}");
        // scattered without intent, and it cannot be rebuilt
        let scattered =
            Case { circumstance: Some(Circumstance::CannotRebuild), ..case(1, Infraction::Scattered, White) };
        assert!(accepted(&[scattered]).standing(&rules).white.lost.is_some(), "{id}");
        // during a break: rebuild, nobody loses for that alone
        let during =
            Case { circumstance: Some(Circumstance::DuringBreak), ..case(1, Infraction::DisplacedStone, White) };
        let proposal = Ledger::default().propose(&rules, &during);
        assert!(proposal.verdict.en.contains("rebuild"), "{id}: {}", proposal.verdict.en);
        assert!(accepted(&[during]).standing(&rules).white.lost.is_none());
    }
}

#[test]
fn a_verdict_of_the_referees_own_counts_instead() {
    let relay = rules("team-relay");
    let mut ledger = accepted(&[case(1, Infraction::DoubleMove, Black)]);
    assert_eq!(ledger.standing(&relay).black.stones, stones(1));
    let penalty = Penalty { stones: stones(3), ..Penalty::of(Sanction::Stones) };
    ledger.decide(Decision { penalty: Some(penalty), ..Decision::new(2000, 1, Ruling::Other) });
    let standing = ledger.standing(&relay);
    assert_eq!((standing.black.stones, standing.black.yellow), (stones(3), 0));
    // words alone count nothing
    ledger.decide(Decision::new(2001, 1, Ruling::Other));
    assert!(ledger.standing(&relay).is_clean());
    // a choice that the article leaves
    ledger.report(case(9, Infraction::DisplacedStone, White));
    ledger.decide(Decision { outcome: Some(Outcome::Draw), ..Decision::new(2002, 9, Ruling::Accepted) });
    assert_eq!(ledger.standing(&relay).outcome(), Some(Outcome::Draw));
    // "caution or warning": the warning counts
    let classic = rules("cwa-classic");
    let mut ledger = Ledger::default();
    ledger.report(case(1, Infraction::MissedCapture, Black));
    ledger.decide(Decision::new(2, 1, Ruling::Accepted));
    assert_eq!(ledger.standing(&classic).black.cautions, 1);
    ledger.decide(Decision { outcome: Some(Outcome::Warning), ..Decision::new(3, 1, Ruling::Accepted) });
    assert_eq!((ledger.standing(&classic).black.cautions, ledger.standing(&classic).black.warnings), (0, 1));
}

#[test]
fn a_side_nobody_knows_is_not_charged_until_the_referee_names_it() {
    let relay = rules("team-relay");
    let mut ledger = Ledger::default();
    ledger.report(Case::new(1, facts(Infraction::WrongRemoval), None, 10));
    ledger.decide(Decision::new(2, 1, Ruling::Accepted));
    let standing = ledger.standing(&relay);
    assert_eq!(standing.penalty(Unit::Stones), [Amount::ZERO; 2]);
    assert_eq!(standing.items.len(), 1);
    ledger.decide(Decision { by: Some(White), player: Some("c".into()), ..Decision::new(3, 1, Ruling::Accepted) });
    let standing = ledger.standing(&relay);
    assert_eq!((standing.white.yellow, standing.white.players["c"].yellow), (1, 1));
}

#[test]
fn the_board_is_made_right_by_what_the_record_holds() {
    let record = Board::from_rows(&[".....", ".B...", "..W..", ".....", "....."]).unwrap();
    let restore = |facts: Facts| Case::new(1, facts, Some(Black), 2).restore(&record);
    assert_eq!(restore(Facts::DoubleMove { first: None, second: p(4, 4) }), [(p(4, 4), None)]);
    assert_eq!(
        restore(Facts::Takeback { from: p(1, 1), to: Some(p(0, 1)) }),
        [(p(0, 1), None), (p(1, 1), Some(Black))]
    );
    assert_eq!(
        restore(Facts::DisplacedStone { from: vec![p(2, 2)], to: vec![p(2, 3)] }),
        [(p(2, 2), Some(White)), (p(2, 3), None)]
    );
    assert_eq!(restore(Facts::MissedCapture { stones: vec![p(3, 3)] }), [(p(3, 3), None)]);
    assert_eq!(restore(Facts::wrong_removal(&record, &[p(2, 2), p(0, 0)])), [(p(2, 2), Some(White))]);
    assert_eq!(
        restore(Facts::KoViolation { at: p(0, 4), taken: vec![p(2, 2)] }),
        [(p(0, 4), None), (p(2, 2), Some(White))]
    );
    assert_eq!(restore(Facts::Scattered { points: vec![p(1, 1), p(3, 0)] }), [(p(1, 1), Some(Black)), (p(3, 0), None)]);
    // what stands needs no repair, what is off the board none either
    for kind in
        [Infraction::SeatOrder, Infraction::SectionOverrun, Infraction::TimeOverrun, Infraction::PressBeforeMove]
    {
        assert_eq!(restore(facts(kind)), [], "{kind:?}");
    }
    assert_eq!(restore(Facts::MissedCapture { stones: vec![p(9, 9)] }), []);
    let Facts::WrongRemoval { stones } = Facts::wrong_removal(&record, &[p(1, 1)]) else { panic!() };
    assert_eq!((stones[0].color, stones[0].liberties), (Black, Some(4)));
}

#[test]
fn an_appeal_is_in_time_or_lapsed() {
    let relay = rules("team-relay");
    let at = |moves, turn| Moment { moves, turn, confirmed: false };
    let window = |rules: &Ruleset, kind, moves, turn| {
        // Black's, after move 20
        let case = Case::new(1, facts(kind), Some(Black), 20);
        case.window(rules.rule(kind), &at(moves, turn))
    };
    use Window::*;
    // 000 17.7, 17.3: until the opponent has played
    for kind in [Infraction::SeatOrder, Infraction::Takeback] {
        assert_eq!(window(&relay, kind, 20, White), Open, "{kind:?}");
        assert_eq!(window(&relay, kind, 21, Black), Lapsed, "{kind:?}");
        assert_eq!(window(&relay, kind, 22, White), Lapsed, "{kind:?}");
        // the offender went on out of turn: the opponent has not yet played
        assert_eq!(window(&relay, kind, 21, White), Open, "{kind:?}");
    }
    assert_eq!(window(&relay, Infraction::DoubleMove, 20, White), Open);
    assert_eq!(window(&relay, Infraction::DoubleMove, 21, Black), Lapsed);
    // 000 17.5: whenever it is found
    assert_eq!(window(&relay, Infraction::DisplacedStone, 200, White), Open);
    // 000 17.1: up to and including move 10
    let colours = Case::new(1, facts(Infraction::WrongFirstColour), None, 1);
    let rule = relay.rule(Infraction::WrongFirstColour);
    assert_eq!([10, 11].map(|n| colours.window(rule, &at(n, White))), [Open, Lapsed]);
    // 001 ch. 2 §7.2: in the own time
    let classic = rules("cwa-classic");
    assert_eq!(window(&classic, Infraction::WrongRemoval, 20, White), Open);
    assert_eq!(window(&classic, Infraction::WrongRemoval, 21, Black), Later);
    assert_eq!(window(&classic, Infraction::WrongRemoval, 22, White), Open);
    // 000 16.4: a confirmed result is final
    let over = Moment { confirmed: true, ..at(200, White) };
    let displaced = case(1, Infraction::DisplacedStone, Black);
    assert_eq!(displaced.window(relay.rule(Infraction::DisplacedStone), &over), Lapsed);
    // who may raise it
    assert_eq!(displaced.appellant(relay.rule(Infraction::DisplacedStone)), None, "either");
    let seat = case(1, Infraction::SeatOrder, Black);
    assert_eq!(seat.appellant(relay.rule(Infraction::SeatOrder)), Some(White));
}

fn event(seq: u64, kind: EventKind, color: Color, point: Point) -> Event {
    let mut e = Event::new(kind, Interval { first: seq, last: seq }, seq, 1.0);
    (e.seq, e.color, e.point) = (seq, Some(color), Some(point));
    e
}

fn ruled(seq: u64, of: u64, ruling: Ruling) -> Event {
    let mut e = Event::new(EventKind::Decision, Interval { first: seq, last: seq }, seq, 1.0);
    (e.seq, e.of, e.ruling) = (seq, Some(of), Some(ruling));
    e
}

#[test]
fn the_game_folds_decisions_into_penalties_that_enter_the_count() {
    let relay = Arc::new(rules("team-relay"));
    let mut game = GameState::default().under(relay.clone());
    game.apply(&event(1, EventKind::Move, Black, p(3, 3)));
    let mut double = event(2, EventKind::DoubleMove, Black, p(9, 9));
    double.move_number = Some(1);
    double.restore = vec![Restore { at: p(9, 9), be: RestoreTo::Empty }];
    game.apply(&double);
    assert_eq!((game.standing().unwrap().black.undecided, game.window(2)), (1, Some(Window::Open)));
    assert_eq!(game.open_infractions().count(), 1);

    game.apply(&ruled(3, 2, Ruling::Accepted));
    let standing = game.standing().unwrap();
    assert_eq!((standing.black.yellow, standing.black.stones, standing.black.undecided), (1, stones(1), 0));
    assert_eq!(game.open_infractions().count(), 0);

    // rejected, taken back, taken back: the first decision, then none
    game.apply(&ruled(4, 2, Ruling::Rejected));
    assert!(game.standing().unwrap().is_clean());
    game.apply(&ruled(5, 2, Ruling::Withdrawn));
    assert_eq!(game.standing().unwrap().black.stones, stones(1));
    assert_eq!(game.infractions()[0].decision, Some(3));
    game.apply(&ruled(6, 2, Ruling::Withdrawn));
    assert_eq!((game.standing().unwrap().black.undecided, game.infractions()[0].decision), (1, None));
    assert_eq!(game.open_infractions().count(), 1, "open again");
    game.apply(&ruled(7, 2, Ruling::Accepted));

    game.apply(&event(8, EventKind::Move, White, p(15, 15)));
    assert_eq!(game.window(2), Some(Window::Lapsed));
    let penalty = game.standing().unwrap().penalty(relay.komi.unit);
    let with = |penalty| {
        let options = CountOptions { penalty, ..CountOptions::default() };
        count(game.board(), &relay, &options).unwrap().margin
    };
    assert_eq!(with([Amount::ZERO; 2]) - with(penalty), stones(1));

    // the record tells people, and `goband count`
    let sgf = sgf::write(&game, &GameInfo::default());
    assert!(sgf.contains("GBPE[B=1,W=0]"), "{sgf}");
    assert!(sgf.contains("Against Black: 1 yellow card, 1 stone off the count."), "{sgf}");
    assert!(sgf.contains("黑方处罚：黄牌1次，共罚1子。"), "{sgf}");

    // without a ruleset nobody knows what a decision costs
    assert_eq!(GameState::fold(&[double, ruled(3, 2, Ruling::Accepted)]).standing(), None);
}

#[test]
fn a_decision_keeps_its_particulars_in_json() {
    let mut e = ruled(3, 2, Ruling::Other);
    e.penalty = Some(Penalty { stones: Amount::halves(3), pass: true, ..Penalty::of(Sanction::Stones) });
    e.outcome = Some(Outcome::Stands);
    e.player = Some("李".into());
    e.circumstance = Some(Circumstance::Deliberate);
    let json = serde_json::to_value(&e).unwrap();
    assert_eq!(json["ruling"], "other");
    assert_eq!(json["penalty"], serde_json::json!({"sanction": "stones", "stones": "1 1/2", "pass": true}));
    assert_eq!((json["outcome"].as_str(), json["circumstance"].as_str()), (Some("stands"), Some("deliberate")));
    assert_eq!(serde_json::from_value::<Event>(json).unwrap(), e);
    let negative = r#"{"sanction":"stones","stones":-1}"#;
    assert!(serde_json::from_str::<Penalty>(negative).is_err());
}

#[derive(Clone, Debug)]
struct Happening {
    kind: usize,
    black: bool,
    player: Option<u8>,
    ruling: u8,
    stones: i64,
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let one = (0..Infraction::ALL.len(), any::<bool>(), prop::option::of(0u8..3), 0u8..5, 0i64..20)
        .prop_map(|(kind, black, player, ruling, stones)| Happening { kind, black, player, ruling, stones });
    prop::collection::vec(one, 0..25)
}

fn cases_and_decisions(all: &[Happening]) -> (Vec<Case>, Vec<Decision>) {
    let cases = all.iter().enumerate().map(|(i, h)| {
        let by = if h.black { Black } else { White };
        let mut case = case(i as u64 + 1, Infraction::ALL[h.kind], by);
        case.player = h.player.map(|p| format!("p{p}"));
        case
    });
    let decisions = all.iter().enumerate().filter(|(_, h)| h.ruling < 4).map(|(i, h)| {
        let ruling = [Ruling::Accepted, Ruling::Accepted, Ruling::Rejected, Ruling::Other][usize::from(h.ruling)];
        let penalty = (h.ruling == 3).then(|| Penalty {
            stones: Amount::quarters(h.stones),
            ..Penalty::of([Sanction::Stones, Sanction::Yellow, Sanction::Red, Sanction::Warning][h.stones as usize % 4])
        });
        Decision { penalty, ..Decision::new(i as u64 + 1000, i as u64 + 1, ruling) }
    });
    (cases.collect(), decisions.collect())
}

fn ledger(cases: &[Case], decisions: &[Decision]) -> Ledger {
    let mut ledger = Ledger::default();
    cases.iter().for_each(|c| ledger.report(c.clone()));
    decisions.iter().for_each(|d| ledger.decide(d.clone()));
    ledger
}

fn totals(s: &Standing) -> [(u32, u32, u32, u32, Amount); 2] {
    [&s.black, &s.white].map(|s| (s.cautions, s.warnings, s.yellow, s.red, s.stones))
}

proptest! {
    #[test]
    fn nothing_is_ever_negative_and_nothing_comes_from_nothing(all in happenings(), which in 0usize..5) {
        let rules = rules(Ruleset::builtin_ids().nth(which).unwrap());
        let (cases, decisions) = cases_and_decisions(&all);
        let standing = ledger(&cases, &decisions).standing(&rules);
        for side in [&standing.black, &standing.white] {
            prop_assert!(side.stones >= Amount::ZERO);
            let of_players: u32 = side.players.values().map(|p| p.yellow).sum();
            prop_assert!(of_players <= side.yellow);
        }
        // the items add up to the totals
        for (color, side) in [(Black, &standing.black), (White, &standing.white)] {
            let mut sum = Amount::ZERO;
            for item in standing.items.iter().filter(|i| i.color == Some(color)) {
                prop_assert!(item.stones >= Amount::ZERO && item.times >= 1);
                prop_assert!(!item.verdict.en.is_empty() && !item.verdict.zh.is_empty());
                sum += item.stones;
            }
            prop_assert_eq!(sum, side.stones);
        }
        let undecided = cases.len() - decisions.len();
        prop_assert_eq!((standing.black.undecided + standing.white.undecided) as usize, undecided);
        prop_assert!(ledger(&cases, &[]).standing(&rules).items.is_empty());
    }

    #[test]
    fn the_order_of_decisions_does_not_matter(all in happenings(), which in 0usize..5, turn in any::<prop::sample::Index>()) {
        let rules = rules(Ruleset::builtin_ids().nth(which).unwrap());
        let (mut cases, mut decisions) = cases_and_decisions(&all);
        let expected = ledger(&cases, &decisions).standing(&rules);
        // told in another order, and decided in another order: other numbers for the decisions
        if !decisions.is_empty() {
            let by = turn.index(decisions.len());
            decisions.rotate_left(by);
            for (i, d) in decisions.iter_mut().enumerate() {
                d.id = 5000 + i as u64;
            }
        }
        cases.reverse();
        prop_assert_eq!(ledger(&cases, &decisions).standing(&rules), expected);
    }

    #[test]
    fn accepting_then_rejecting_restores(all in happenings(), which in 0usize..5, kind in 0..Infraction::ALL.len()) {
        let rules = rules(Ruleset::builtin_ids().nth(which).unwrap());
        let (cases, decisions) = cases_and_decisions(&all);
        let mut ledger = ledger(&cases, &decisions);
        let before = totals(&ledger.standing(&rules));
        ledger.report(case(500, Infraction::ALL[kind], Black));
        prop_assert_eq!(totals(&ledger.standing(&rules)), before, "a report costs nothing");
        ledger.decide(Decision::new(9000, 500, Ruling::Accepted));
        let accepted = ledger.standing(&rules);
        ledger.decide(Decision::new(9001, 500, Ruling::Rejected));
        prop_assert_eq!(totals(&ledger.standing(&rules)), before);
        // the rejection taken back by an event, or as if it had never been
        ledger.decide(Decision::new(9002, 500, Ruling::Withdrawn));
        prop_assert_eq!(&ledger.standing(&rules), &accepted);
        ledger.undo(9002);
        ledger.undo(9001);
        prop_assert_eq!(&ledger.standing(&rules), &accepted);
        ledger.undo(9000);
        prop_assert_eq!(totals(&ledger.standing(&rules)), before);
    }

    #[test]
    fn what_is_proposed_is_what_accepting_leads_to(all in happenings(), which in 0usize..5, kind in 0..Infraction::ALL.len()) {
        let rules = rules(Ruleset::builtin_ids().nth(which).unwrap());
        let (cases, decisions) = cases_and_decisions(&all);
        let mut ledger = ledger(&cases, &decisions);
        let new = case(500, Infraction::ALL[kind], White);
        let proposal = ledger.propose(&rules, &new);
        let before = ledger.standing(&rules).white.stones;
        ledger.report(new);
        ledger.decide(Decision::new(9000, 500, Ruling::Accepted));
        let standing = ledger.standing(&rules);
        prop_assert_eq!(standing.white.stones - before, proposal.stones);
        let item = standing.items.last().unwrap();
        prop_assert_eq!((&item.verdict, item.penalty, &item.tips), (&proposal.verdict, proposal.penalty, &proposal.tips));
    }
}

#[test]
fn the_colour_of_a_moved_stone_charges_nobody() {
    let relay = Arc::new(rules("team-relay"));
    let mut game = GameState::default().under(relay);
    let mut moved = event(1, EventKind::DisplacedStone, White, p(3, 3));
    moved.restore = vec![Restore { at: p(3, 3), be: RestoreTo::White }, Restore { at: p(3, 4), be: RestoreTo::Empty }];
    game.apply(&moved);
    let case = game.ledger().case(1).unwrap();
    assert_eq!(case.by, None);
    assert_eq!(case.facts, Facts::DisplacedStone { from: vec![p(3, 3)], to: vec![p(3, 4)] });
    // the referee finds that Black did it on purpose
    let mut ruling = ruled(2, 1, Ruling::Accepted);
    (ruling.color, ruling.circumstance) = (Some(Black), Some(Circumstance::Deliberate));
    game.apply(&ruling);
    let standing = game.standing().unwrap();
    assert!(standing.black.lost.is_some() && standing.white.lost.is_none());
}
