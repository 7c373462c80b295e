//! Match conduct through the public API: 000 art. 10 to 12, 17.1, 17.7, 17.8, 24.3 and 24.4 as worked examples, and what
//! must hold whatever is told in whatever order.

use goband::rules::conduct::{
    ConductEffect, ConductError, ConductEvent, ConductNotice, ConductRule, Draw, Entrant, HolderReason, Ineligible,
    Nigiri, Relay, Request, Seat, Stage, Standstill,
};
use goband::rules::time::Stop;
use goband::rules::{Amount, Color, Ruleset};
use proptest::prelude::*;

use Color::{Black, White};

const MINUTE: u64 = 60_000;

fn rule(more: &str) -> ConductRule {
    let text = format!("id = \"test\"\nextends = \"team-relay\"\n{more}");
    ConductRule::of(&Ruleset::from_toml(&text, "test.toml").unwrap()).unwrap()
}

/// A match fed with events, with all that followed.
struct Desk {
    relay: Relay,
    now_ms: u64,
    effects: Vec<ConductEffect>,
}

impl Desk {
    fn new(more: &str) -> Desk {
        Desk { relay: Relay::new(rule(more), Black, 0), now_ms: 0, effects: Vec::new() }
    }

    /// A match in its first section, both rosters in.
    fn playing() -> Desk {
        let mut desk = Desk::new("");
        desk.roster(Black, 1, ["Chen", "Li"]);
        desk.roster(White, 1, ["Wu", "Xu"]);
        desk.tell(ConductEvent::BeginSection);
        desk
    }

    fn after(&mut self, ms: u64) -> &mut Desk {
        self.now_ms += ms;
        self
    }

    fn tell(&mut self, event: ConductEvent) -> Vec<ConductNotice> {
        let (relay, effects) = self.relay.apply(&event, self.now_ms).unwrap_or_else(|e| panic!("{event:?}: {e}"));
        self.relay = relay;
        self.effects.extend(effects.iter().cloned());
        effects.into_iter().map(|e| e.what).collect()
    }

    fn error(&self, event: ConductEvent) -> ConductError {
        self.relay.apply(&event, self.now_ms).unwrap_err()
    }

    fn roster(&mut self, team: Color, section: u8, players: [&str; 2]) -> Vec<ConductNotice> {
        self.tell(ConductEvent::Roster { team, section, players: players.map(str::to_owned).to_vec() })
    }

    /// The next move, from a seat of the side to move.
    fn play(&mut self, seat: u8) -> Vec<ConductNotice> {
        let state = self.relay.state_of_play();
        let (number, color) = (state.number + 1, state.turn);
        self.tell(ConductEvent::Move { number, color, seat: Some(Seat::new(color, seat)) })
    }

    /// Moves in order up to and including this one.
    fn play_to(&mut self, number: u32) {
        while self.relay.state_of_play().number < number {
            let seat = self.relay.seats()[0].number;
            self.play(seat);
        }
    }

    fn last_article(&self) -> Option<&str> {
        self.effects.last().unwrap().article.as_deref()
    }
}

fn substitution(seat: u8, player: &str) -> Request {
    Request::Substitution { seat, player: player.to_owned() }
}

/// 000 10.2 and 17.8.
#[test]
fn sections_end_at_72_and_143_and_every_move_over_costs_a_stone() {
    let mut desk = Desk::playing();
    let began = &desk.effects[desk.effects.len() - 2];
    let seats = vec![Seat::new(Black, 1), Seat::new(Black, 2)];
    assert_eq!(began.what, ConductNotice::SectionBegan { section: 1, first: 1, last: Some(72), seats });
    desk.play_to(71);
    let told = desk.play(2);
    assert_eq!(told, [ConductNotice::SectionComplete { section: 1 }, ConductNotice::StopClock { reason: Stop::Break }]);
    // Black plays on, and White answers
    for (number, team, player) in [(73, Black, "Chen"), (74, White, "Wu")] {
        let told = desk.play(1);
        let overrun = ConductNotice::SectionOverrun {
            section: 1,
            number,
            team,
            player: Some(player.to_owned()),
            stones: Amount::whole(1),
            nth: 1,
        };
        assert_eq!(told, [overrun]);
        assert_eq!(desk.last_article(), Some("000 17.8"));
    }
    let until_ms = 5 * MINUTE;
    let told = desk.tell(ConductEvent::BreakBegins);
    assert_eq!(told[0], ConductNotice::BreakBegan { next: 2, until_ms });
    assert_eq!(told[1], ConductNotice::RosterDue { section: 2, black: true, white: true }, "five minutes before");
    // 10.2: nothing may change on the board
    assert_eq!(
        desk.after(MINUTE).tell(ConductEvent::BoardChanged),
        [ConductNotice::BoardTouched { during: Standstill::Break }]
    );
    let stone = ConductEvent::Move { number: 75, color: Black, seat: None };
    assert_eq!(desk.tell(stone), [ConductNotice::BoardTouched { during: Standstill::Break }]);
    assert_eq!(desk.relay.state_of_play().number, 74, "it is no move");
    assert_eq!(
        desk.roster(Black, 2, ["Ma", "Shi"]),
        [ConductNotice::RosterIn { team: Black, section: 2, late_ms: MINUTE }]
    );
    assert_eq!(
        desk.error(ConductEvent::Roster { team: White, section: 2, players: vec!["Wu".into(), "Yu".into()] }),
        ConductError::NotEligible { player: "Wu".into(), why: Ineligible::HasPlayed },
        "000 10.4"
    );
    assert_eq!(desk.after(9 * MINUTE).tell(ConductEvent::Tick), [ConductNotice::BreakOver { next: 2 }]);
    assert_eq!(desk.effects.last().unwrap().at_ms, until_ms, "told late, due then");
    let told = desk.tell(ConductEvent::BeginSection);
    assert_eq!(told[0], ConductNotice::RosterMissing { team: White, section: 2 });
    let seats = vec![Seat::new(Black, 2)];
    assert_eq!(told[1], ConductNotice::SectionBegan { section: 2, first: 73, last: Some(143), seats });
    assert_eq!(told[2], ConductNotice::StartClock { turn: Black });
    desk.play_to(143);
    assert_eq!(desk.relay.stage(), Stage::Full);
    desk.tell(ConductEvent::BreakBegins);
    desk.tell(ConductEvent::BeginSection);
    desk.play_to(400);
    assert_eq!(desk.relay.team(Black).section_overruns(), 1);
}

/// 000 17.7, from the first stone to the fifth time.
#[test]
fn wrong_seats_cost_one_to_four_stones_and_then_the_game() {
    let mut desk = Desk::playing();
    desk.play_to(4);
    let mut stones = Vec::new();
    for nth in 1..=5u32 {
        let due = desk.relay.seats();
        assert_eq!(due.len(), 1);
        let wrong = 3 - due[0].number;
        let number = desk.relay.state_of_play().number + 1;
        let told = desk.play(wrong);
        let ConductNotice::SeatOrder { seat, expected, .. } = &told[0] else { panic!("{told:?}") };
        assert_eq!((*seat, expected.as_slice()), (Seat::new(Black, wrong), due.as_slice()));
        assert_eq!(desk.error(ConductEvent::RuleSeatOrder { accepted: true }), ConductError::NotRaised);
        assert_eq!(desk.error(ConductEvent::RaiseSeatOrder { by: Black }), ConductError::NotOpponent);
        let told = desk.tell(ConductEvent::RaiseSeatOrder { by: White });
        assert_eq!(told[1], ConductNotice::StopClock { reason: Stop::Dispute }, "000 23.11");
        let told = desk.tell(ConductEvent::RuleSeatOrder { accepted: true });
        let ConductNotice::SeatOrderPenalty { nth_team, stones: s, number: of, .. } = &told[0] else {
            panic!("{told:?}")
        };
        assert_eq!((*nth_team, *of), (nth, number));
        stones.push(*s);
        if nth == 5 {
            assert_eq!(told.last(), Some(&ConductNotice::TeamLoses { team: Black }));
            break;
        }
        // the next player clockwise chooses which of his side goes on
        let chooser = Seat::new(White, wrong);
        assert_eq!(told[1], ConductNotice::ChooseSeat { team: White, chooser });
        assert_eq!(desk.relay.seats(), [Seat::new(White, 1), Seat::new(White, 2)]);
        // the one of whom the player who erred is next in order: so they err by turns, and nobody for the third time
        assert_eq!(desk.play(3 - wrong), []);
    }
    assert_eq!(stones, [1, 2, 3, 4, 0].map(Amount::whole));
    assert_eq!(desk.last_article(), Some("000 17.7"));
    assert_eq!(desk.relay.team(Black).seat_errors(), 5);
    assert_eq!(desk.relay.team(White).seat_errors(), 0);
}

#[test]
fn a_wrong_seat_lapses_with_the_next_stone() {
    let mut desk = Desk::playing();
    desk.play_to(4);
    desk.play(2);
    let told = desk.play(2);
    assert_eq!(told, [ConductNotice::SeatOrderLapsed { number: 5 }], "White 2 follows Black 2");
    assert_eq!(desk.error(ConductEvent::RaiseSeatOrder { by: White }), ConductError::NothingToRaise);
    assert_eq!(desk.relay.team(Black).seat_errors(), 0);
    // raised in time it waits, and the referee may reject it
    desk.play(2);
    desk.tell(ConductEvent::RaiseSeatOrder { by: White });
    assert_eq!(desk.tell(ConductEvent::BoardChanged), [ConductNotice::BoardTouched { during: Standstill::Dispute }]);
    let told = desk.tell(ConductEvent::RuleSeatOrder { accepted: false });
    assert_eq!(told, [ConductNotice::SeatOrderRejected { number: 7 }, ConductNotice::StartClock { turn: White }]);
    assert_eq!(desk.relay.seats(), [Seat::new(White, 2)], "clockwise from where the stone came");
}

#[test]
fn a_players_third_wrong_seat_is_a_red_card() {
    let mut desk = Desk::playing();
    desk.play_to(4);
    for nth in 1..=3 {
        // always Black 2, whenever Black 1 is due
        while desk.relay.seats() != [Seat::new(Black, 1)] {
            let seat = desk.relay.seats()[0].number;
            desk.play(seat);
        }
        desk.play(2);
        desk.tell(ConductEvent::RaiseSeatOrder { by: White });
        let told = desk.tell(ConductEvent::RuleSeatOrder { accepted: true });
        let due = ConductNotice::RedCardDue { team: Black, seat: Seat::new(Black, 2), player: "Li".into() };
        assert_eq!(told.contains(&due), nth == 3, "{told:?}");
        // the clock waits for whoever comes in
        assert_eq!(told.contains(&ConductNotice::StartClock { turn: White }), nth < 3);
        if nth < 3 {
            desk.play(1);
            desk.play_to(desk.relay.state_of_play().number + 1);
        }
    }
    let told = desk.tell(ConductEvent::RedCard { team: Black, seat: 2, replacement: Some("Ma".into()) });
    assert!(matches!(told[1], ConductNotice::SubstitutionBegan { by_red_card: true, left: 2, .. }), "24.3: {told:?}");
    assert_eq!(
        desk.error(ConductEvent::Ask { team: Black, request: substitution(1, "Li") }),
        ConductError::Busy,
        "the new player has not sat down"
    );
    desk.after(20_000).tell(ConductEvent::Seated);
    assert_eq!(
        desk.error(ConductEvent::Ask { team: Black, request: substitution(1, "Li") }),
        ConductError::NotEligible { player: "Li".into(), why: Ineligible::RedCarded }
    );
}

#[test]
fn an_unseen_hand_is_never_a_wrong_seat() {
    let mut desk = Desk::playing();
    for number in 1..=10 {
        let color = if number % 2 == 1 { Black } else { White };
        assert_eq!(desk.tell(ConductEvent::Move { number, color, seat: None }), []);
    }
    assert_eq!(desk.relay.seats().len(), 2, "nobody was seen, so nobody is due");
    assert_eq!(desk.play(1), []);
    let color = White;
    let told = desk.tell(ConductEvent::Move { number: 12, color, seat: Some(Seat::new(Black, 1)) });
    assert!(matches!(told[0], ConductNotice::SeatUnclear { .. }), "{told:?}");
    let next = ConductEvent::Move { number: 15, color: Black, seat: None };
    assert_eq!(desk.error(next), ConductError::NotNext { number: 15, expected: 13 });
    // the operator corrects the record
    desk.tell(ConductEvent::Corrected { number: 14, turn: Black, last_seat: Some(Seat::new(White, 1)) });
    assert_eq!(desk.relay.seats(), [Seat::new(Black, 2)]);
}

/// 000 10.5.
#[test]
fn a_substitution_is_asked_for_told_confirmed_and_seated() {
    let mut desk = Desk::playing();
    desk.play_to(10);
    let told = desk.tell(ConductEvent::Ask { team: White, request: substitution(2, "Yu") });
    assert_eq!(told[0], ConductNotice::StopClock { reason: Stop::Request });
    let ConductNotice::StateOfPlay { to, state, .. } = &told[1] else { panic!("{told:?}") };
    assert_eq!((*to, state.number, state.turn), (White, 10, Black));
    assert_eq!(state.seats, [Seat::new(Black, 2)]);
    assert!(told[1].text(0).zh.contains("已下10手，轮黑方，黑方2号位着子"), "{}", told[1].text(0).zh);
    assert_eq!(desk.error(ConductEvent::Ask { team: Black, request: Request::TimeOut }), ConductError::Busy);
    // cancelled: nothing is used
    assert_eq!(
        desk.tell(ConductEvent::Cancel),
        [ConductNotice::Cancelled { team: White }, ConductNotice::StartClock { turn: Black }]
    );
    assert_eq!(desk.relay.team(White).substitutions_left(), 3);
    // confirmed, and seated in time
    desk.tell(ConductEvent::Ask { team: White, request: substitution(2, "Yu") });
    let told = desk.tell(ConductEvent::Confirm);
    assert!(matches!(&told[0], ConductNotice::SubstitutionBegan { out, left: 2, until_ms: 60_000, .. } if out == "Xu"));
    let told = desk.after(59_999).tell(ConductEvent::Seated);
    assert_eq!(told[1], ConductNotice::StartClock { turn: Black });
    assert_eq!(desk.relay.team(White).on_board(), ["Wu", "Yu"]);
    // who was taken off does not come back
    assert_eq!(
        desk.error(ConductEvent::Ask { team: White, request: substitution(1, "Xu") }),
        ConductError::NotEligible { player: "Xu".into(), why: Ineligible::HasPlayed }
    );
    // too slow: the clock starts at 60 s, and the referee takes it back; the chance is used
    desk.tell(ConductEvent::Ask { team: White, request: substitution(1, "He") });
    desk.tell(ConductEvent::Confirm);
    let told = desk.after(90_000).tell(ConductEvent::Tick);
    assert_eq!(
        told,
        [ConductNotice::SeatingOverdue { team: White, player: "He".into() }, ConductNotice::StartClock { turn: Black }]
    );
    assert_eq!(desk.effects.last().unwrap().at_ms, 59_999 + 60_000);
    let told = desk.tell(ConductEvent::VoidSubstitution);
    assert!(matches!(&told[..], [ConductNotice::SubstitutionVoid { stays, left: 1, .. }] if stays == "Wu"), "{told:?}");
    assert_eq!(desk.relay.team(White).on_board(), ["Wu", "Yu"]);
    // three in a game
    desk.tell(ConductEvent::Ask { team: White, request: substitution(1, "He") });
    desk.tell(ConductEvent::Confirm);
    desk.tell(ConductEvent::Seated);
    assert_eq!(
        desk.error(ConductEvent::Ask { team: White, request: substitution(1, "Lü") }),
        ConductError::NoSubstitutionLeft { team: White }
    );
}

#[test]
fn two_time_outs() {
    let mut desk = Desk::playing();
    for left in [1, 0] {
        desk.tell(ConductEvent::Ask { team: Black, request: Request::TimeOut });
        assert_eq!(
            desk.tell(ConductEvent::Confirm),
            [ConductNotice::TimeOutBegan { team: Black, left, until_ms: None }]
        );
        let told = desk.after(5 * MINUTE).tell(ConductEvent::BoardChanged);
        assert_eq!(told, [ConductNotice::BoardTouched { during: Standstill::TimeOut }]);
        assert_eq!(desk.tell(ConductEvent::Seated)[0], ConductNotice::TimeOutOver { team: Black });
    }
    let ask = ConductEvent::Ask { team: Black, request: Request::TimeOut };
    assert_eq!(desk.error(ask), ConductError::NoTimeOutLeft { team: Black });
    // a competition's own length
    let mut desk = Desk::new("[team]\ntime_outs = 1\ntime_out_length = \"2m\"\n");
    desk.tell(ConductEvent::BeginSection);
    desk.tell(ConductEvent::Ask { team: White, request: Request::TimeOut });
    desk.tell(ConductEvent::Confirm);
    let told = desk.after(3 * MINUTE).tell(ConductEvent::Seated);
    assert_eq!(
        told,
        [
            ConductNotice::TimeOutOverdue { team: White },
            ConductNotice::StartClock { turn: Black },
            ConductNotice::TimeOutOver { team: White }
        ]
    );
}

/// 000 24.4.
#[test]
fn a_red_card_without_a_substitution_left() {
    let mut desk = Desk::new("[team]\nsubstitutions = 0\n");
    desk.roster(Black, 1, ["Chen", "Li"]);
    desk.roster(White, 1, ["Wu", "Xu"]);
    desk.tell(ConductEvent::BeginSection);
    let told = desk.tell(ConductEvent::RedCard { team: Black, seat: 1, replacement: Some("Ma".into()) });
    assert_eq!(told[1], ConductNotice::OpponentGains { team: White, left: 1 });
    assert_eq!(desk.effects[desk.effects.len() - 2].article.as_deref(), Some("000 24.4"));
    desk.tell(ConductEvent::Seated);
    assert_eq!(desk.relay.team(Black).on_board(), ["Ma", "Li"]);
    // the gained one is for anybody, also one who has played; here one who was on before
    desk.tell(ConductEvent::Ask { team: White, request: substitution(1, "Yu") });
    desk.tell(ConductEvent::Confirm);
    desk.tell(ConductEvent::Seated);
    assert_eq!(desk.relay.team(White).substitutions_left(), 0);
    desk.tell(ConductEvent::RedCard { team: Black, seat: 2, replacement: Some("Shi".into()) });
    desk.tell(ConductEvent::Seated);
    desk.tell(ConductEvent::Ask { team: White, request: substitution(1, "Wu") });
    desk.tell(ConductEvent::Confirm);
    desk.tell(ConductEvent::Seated);
    assert_eq!(desk.relay.team(White).on_board(), ["Wu", "Xu"]);

    // nobody left: the player stays and the team passes once
    let squad = |players: &[&str]| ConductEvent::Squad {
        team: Black,
        players: players.iter().map(|p| (*p).to_owned()).collect(),
    };
    desk.tell(squad(&["Chen", "Li", "Ma", "Shi", "Zhu"]));
    let nobody = ConductEvent::RedCard { team: Black, seat: 1, replacement: None };
    assert_eq!(desk.error(nobody.clone()), ConductError::ReplacementExpected { team: Black, player: "Zhu".into() });
    desk.tell(squad(&["Chen", "Li", "Ma", "Shi"]));
    let told = desk.tell(nobody);
    let stays = ConductNotice::PlayerStays { team: Black, seat: Seat::new(Black, 1), player: "Ma".into() };
    assert_eq!(told[1], stays);
    assert_eq!(desk.relay.team(Black).on_board(), ["Ma", "Shi"]);
}

/// 000 10.1.
#[test]
fn rosters_are_due_five_minutes_before_a_section() {
    let mut desk = Desk::new("");
    desk.tell(ConductEvent::Plan { start_ms: 20 * MINUTE });
    assert_eq!(
        desk.roster(Black, 1, ["Chen", "Li"])[0],
        ConductNotice::RosterIn { team: Black, section: 1, late_ms: 0 }
    );
    let told = desk.after(18 * MINUTE).roster(White, 1, ["Wu", "Xu"]);
    assert_eq!(
        told,
        [
            ConductNotice::RosterDue { section: 1, black: false, white: true },
            ConductNotice::RosterIn { team: White, section: 1, late_ms: 3 * MINUTE }
        ]
    );
    assert_eq!(desk.effects[1].at_ms, 15 * MINUTE);
    assert_eq!(desk.effects[1].article.as_deref(), Some("000 10.1"));
    let wrong = |players: &[&str]| ConductEvent::Roster {
        team: Black,
        section: 2,
        players: players.iter().map(|p| (*p).to_owned()).collect(),
    };
    assert_eq!(desk.error(wrong(&["Ma"])), ConductError::RosterSize { given: 1, expected: 2 });
    assert_eq!(desk.error(wrong(&["Ma", "Ma"])), ConductError::Name("Ma".into()));
    assert_eq!(desk.error(wrong(&["Ma", " "])), ConductError::Name(" ".into()));
}

/// 000 17.1.
#[test]
fn wrong_colours_may_be_put_right_up_to_move_10() {
    let mut desk = Desk::playing();
    desk.play_to(10);
    let told = desk.tell(ConductEvent::WrongColours);
    assert_eq!(told, [ConductNotice::ColoursMayBeCorrected { until_move: 10 }]);
    assert_eq!(desk.last_article(), Some("000 17.1"));
    desk.tell(ConductEvent::CorrectColours);
    assert_eq!(desk.relay.team(Black).on_board(), ["Wu", "Xu"]);
    desk.play_to(11);
    assert_eq!(desk.tell(ConductEvent::WrongColours), [ConductNotice::ColoursStand { number: 11 }]);
    assert_eq!(desk.error(ConductEvent::CorrectColours), ConductError::ColoursStand { until_move: 10 });
}

/// 003 10 and 000 11.
#[test]
fn the_draw_is_kept_with_its_reasons() {
    let draw = Draw::Nigiri(Nigiri::new(Entrant::First, HolderReason::HigherRank, 13, 2).unwrap());
    assert_eq!(draw.black(), Entrant::First, "thirteen are not even");
    let text = draw.text(["甲", "乙"]);
    assert_eq!(text.zh, "甲（高段者）握白子13枚，乙猜偶数：甲执黑。");
    let json = serde_json::to_string(&draw).unwrap();
    assert_eq!(serde_json::from_str::<Draw>(&json).unwrap(), draw);
    assert!(serde_json::from_str::<Draw>(&json.replace("13", "0")).is_err());
}

/// 000 12: 节棋.
#[test]
fn a_drawn_game_is_played_on_from_move_144_once() {
    let mut desk = Desk::playing();
    desk.play_to(72);
    desk.tell(ConductEvent::BreakBegins);
    desk.tell(ConductEvent::BeginSection);
    assert_eq!(desk.error(ConductEvent::PlayOff { turn: White }), ConductError::NotOver);
    desk.tell(ConductEvent::End);
    assert_eq!(desk.error(ConductEvent::BreakBegins), ConductError::Over);
    let told = desk.tell(ConductEvent::PlayOff { turn: White });
    assert_eq!(told, [ConductNotice::PlayOffBegan { from_move: 144, turn: White, until_ms: 3 * MINUTE }]);
    assert_eq!(desk.last_article(), Some("000 12"));
    // any two of the whole list
    desk.roster(Black, 3, ["Chen", "Ma"]);
    assert_eq!(desk.after(4 * MINUTE).tell(ConductEvent::Tick), [ConductNotice::ReadyOver]);
    desk.tell(ConductEvent::BeginSection);
    assert_eq!(desk.relay.state_of_play().substitutions_left, [1, 1]);
    assert_eq!(desk.relay.state_of_play().time_outs_left, [1, 1]);
    assert_eq!(desk.play(2), []);
    desk.tell(ConductEvent::End);
    assert_eq!(desk.error(ConductEvent::PlayOff { turn: White }), ConductError::PlayedOn);
}

#[test]
fn the_numbers_are_the_rulesets() {
    let error = |more: &str| {
        let text = format!("id = \"x\"\nextends = \"team-relay\"\n{more}");
        Ruleset::from_toml(&text, "my.toml").unwrap_err().to_string()
    };
    let is = |text: String, parts: &[&str]| {
        for part in parts {
            assert!(text.contains(part), "{text}: {part}");
        }
    };
    is(error("[sections]\nends = [100, 90]\n"), &["my.toml:4:1: sections.ends:", "90 after 100"]);
    is(error("[sections]\nbreak = 5\n"), &["my.toml:4:9: sections.break"]);
    is(error("[team]\ntime_outs = 1000\n"), &["my.toml:4:1: team.time_outs:", "at most 100"]);
    is(error("[team]\nsubs = 4\n"), &["my.toml:4:1: ", "`substitutions`"]);
    let text = "id = \"x\"\nextends = \"cwa\"\n[sections]\nends = [50]\n";
    is(Ruleset::from_toml(text, "my.toml").unwrap_err().to_string(), &["sections.break: is missing"]);
    assert!(ConductRule::of(&Ruleset::builtin("cwa").unwrap()).is_none());

    let rule = rule("[sections]\nends = [10]\nrotation = \"free\"\n");
    assert_eq!((rule.sections.moves(0), rule.sections.moves(1)), ((1, Some(10)), (11, None)));
    let stones: Vec<_> = (1..=6).map(|n| rule.seat_order.stones(n)).collect();
    assert_eq!(stones, [1, 2, 3, 4, 0, 0].map(Amount::whole));
    assert_eq!((rule.seat_order.player_red_at, rule.seat_order.team_loses_at), (Some(3), Some(5)));
    let mut desk = Desk { relay: Relay::new(rule, Black, 0), now_ms: 0, effects: Vec::new() };
    desk.tell(ConductEvent::BeginSection);
    desk.play_to(10);
    desk.tell(ConductEvent::BeginSection);
    assert_eq!(desk.relay.seats(), [Seat::new(Black, 1), Seat::new(Black, 2)], "either begins");
}

/// The example of the documentation, as it stands there.
#[test]
fn the_documented_ruleset_is_one() {
    let document = include_str!("../docs/match.md");
    let toml = document.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let rules = Ruleset::from_toml(toml, "match.md").unwrap();
    let settings = rules.time_settings().unwrap();
    assert_eq!((settings.main_ms, settings.periods, settings.period_ms), (90 * MINUTE, 3, MINUTE));
    assert!(ConductRule::of(&rules).unwrap().team.time_out_length.is_some());
}

#[test]
fn a_stored_match_that_cannot_be_is_refused() {
    let mut desk = Desk::playing();
    desk.play_to(3);
    let json = serde_json::to_value(&desk.relay).unwrap();
    assert!(serde_json::from_value::<Relay>(json.clone()).is_ok());
    for (path, value) in [
        ("/section", serde_json::json!(9)),
        ("/rule/players", serde_json::json!(0)),
        ("/black/on_board", serde_json::json!(["one"])),
        ("/black/rosters", serde_json::json!([])),
        ("/rule/sections/ends", serde_json::json!([5, 4])),
    ] {
        let mut bad = json.clone();
        *bad.pointer_mut(path).unwrap() = value;
        assert!(serde_json::from_value::<Relay>(bad).is_err(), "{path}");
    }
}

/// Anything at all, sensible or not.
fn any_event() -> impl Strategy<Value = Told> {
    let side = || prop_oneof![Just(Black), Just(White)];
    let name = || (0..9u8).prop_map(|n| format!("p{n}"));
    let seat = || (side(), 0..4u8).prop_map(|(color, number)| Seat::new(color, number));
    prop_oneof![
        30 => prop::option::weighted(0.8, 1..3u8).prop_map(Told::Play),
        2 => (side(), prop::option::of(seat())).prop_map(|(color, seat)| Told::Stone(color, seat)),
        4 => side().prop_map(|by| Told::Event(ConductEvent::RaiseSeatOrder { by })),
        4 => any::<bool>().prop_map(|accepted| Told::Event(ConductEvent::RuleSeatOrder { accepted })),
        3 => Just(Told::Event(ConductEvent::BreakBegins)),
        3 => Just(Told::Event(ConductEvent::BeginSection)),
        1 => Just(Told::Event(ConductEvent::BoardChanged)),
        1 => (0..900_000u64).prop_map(|start_ms| Told::Event(ConductEvent::Plan { start_ms })),
        2 => (side(), 0..5u8, prop::collection::vec(name(), 1..4))
            .prop_map(|(team, section, players)| Told::Event(ConductEvent::Roster { team, section, players })),
        1 => (side(), prop::collection::vec(name(), 0..9))
            .prop_map(|(team, players)| Told::Event(ConductEvent::Squad { team, players })),
        3 => (side(), 0..4u8, name()).prop_map(|(team, seat, player)| {
            Told::Event(ConductEvent::Ask { team, request: Request::Substitution { seat, player } })
        }),
        2 => side().prop_map(|team| Told::Event(ConductEvent::Ask { team, request: Request::TimeOut })),
        4 => Just(Told::Event(ConductEvent::Confirm)),
        1 => Just(Told::Event(ConductEvent::Cancel)),
        4 => Just(Told::Event(ConductEvent::Seated)),
        1 => Just(Told::Event(ConductEvent::VoidSubstitution)),
        2 => (side(), 0..4u8, prop::option::of(name()))
            .prop_map(|(team, seat, replacement)| Told::Event(ConductEvent::RedCard { team, seat, replacement })),
        1 => Just(Told::Event(ConductEvent::WrongColours)),
        1 => Just(Told::Event(ConductEvent::CorrectColours)),
        1 => (any::<u32>(), side(), prop::option::of(seat()))
            .prop_map(|(number, turn, last_seat)| Told::Event(ConductEvent::Corrected { number, turn, last_seat })),
        1 => Just(Told::Event(ConductEvent::End)),
        2 => side().prop_map(|turn| Told::Event(ConductEvent::PlayOff { turn })),
    ]
}

#[derive(Clone, Debug)]
enum Told {
    /// The next move by number, from this seat of the side to move.
    Play(Option<u8>),
    /// A stone of this colour from that seat, whosever turn it is.
    Stone(Color, Option<Seat>),
    Event(ConductEvent),
}

impl Told {
    fn event(&self, relay: &Relay) -> ConductEvent {
        let state = relay.state_of_play();
        let number = state.number.saturating_add(1);
        match self {
            Told::Play(seat) => {
                ConductEvent::Move { number, color: state.turn, seat: seat.map(|s| Seat::new(state.turn, s)) }
            }
            Told::Stone(color, seat) => ConductEvent::Move { number, color: *color, seat: *seat },
            Told::Event(event) => event.clone(),
        }
    }
}

fn run(told: &[(u64, Told)], ticks: &[u64]) -> (Relay, Vec<ConductEffect>) {
    let mut relay = Relay::new(rule("[sections]\nends = [8, 15]\n[team]\ntime_out_length = \"1m\"\n"), Black, 0);
    let (mut at_ms, mut all) = (0, Vec::new());
    let mut ticks = ticks.iter().cycle();
    for (gap_ms, t) in told {
        let mut left_ms = *gap_ms;
        for tick in ticks.by_ref().take(3) {
            let step_ms = left_ms.min(*tick);
            (at_ms, left_ms) = (at_ms + step_ms, left_ms - step_ms);
            let (next, effects) = relay.apply(&ConductEvent::Tick, at_ms).unwrap();
            relay = next;
            all.extend(effects);
        }
        at_ms += left_ms;
        let event = t.event(&relay);
        let (next, effects) = relay.apply(&event, at_ms).or_else(|_| relay.apply(&ConductEvent::Tick, at_ms)).unwrap();
        relay = next;
        all.extend(effects);
    }
    (relay, all)
}

proptest! {
    #[test]
    fn nothing_is_counted_without_being_told(
        told in prop::collection::vec((prop_oneof![0..2_000u64, 0..400_000u64], any_event()), 1..120),
        ticks in prop::collection::vec(0..200_000u64, 1..10),
    ) {
        let (relay, effects) = run(&told, &[]);
        prop_assert!(effects.is_sorted_by_key(|e| e.at_ms));
        // ticks change nothing
        let (ticked, ticked_effects) = run(&told, &ticks);
        prop_assert_eq!(&relay, &ticked);
        prop_assert_eq!(&effects, &ticked_effects);

        let count = |f: &dyn Fn(&ConductNotice) -> bool| effects.iter().filter(|e| f(&e.what)).count() as u32;
        let teams = [relay.team(Black), relay.team(White)];
        // colours may have changed over, so both together
        let told_overruns = count(&|n| matches!(n, ConductNotice::SectionOverrun { .. }));
        prop_assert_eq!(teams.iter().map(|t| t.section_overruns()).sum::<u32>(), told_overruns);
        let told_seats = count(&|n| matches!(n, ConductNotice::SeatOrderPenalty { .. }));
        prop_assert_eq!(teams.iter().map(|t| t.seat_errors()).sum::<u32>(), told_seats);
        // past a limit, always with the consequence
        for e in &effects {
            if let ConductNotice::SeatOrderPenalty { team, nth_team, nth_player, number, .. } = &e.what {
                let has = |f: &dyn Fn(&ConductNotice) -> bool| {
                    effects.iter().any(|o| o.at_ms == e.at_ms && f(&o.what))
                };
                if *nth_team >= 5 {
                    prop_assert!(has(&|n| matches!(n, ConductNotice::TeamLoses { team: t } if t == team)), "{}", number);
                }
                if *nth_player >= 3 {
                    prop_assert!(has(&|n| matches!(n, ConductNotice::RedCardDue { team: t, .. } if t == team)), "{}", number);
                }
            }
        }
        let gained = count(&|n| matches!(n, ConductNotice::OpponentGains { .. }));
        let began = count(&|n| matches!(n, ConductNotice::SubstitutionBegan { .. }));
        // every substitution beyond the three of each side (and one each in a play-off) was gained, or gave one
        prop_assert!(began <= 6 + 2 + 2 * gained, "{began} substitutions, {gained} gained");
        let outs = count(&|n| matches!(n, ConductNotice::TimeOutBegan { .. }));
        prop_assert!(outs <= 4 + 2);

        let stored: Relay = serde_json::from_str(&serde_json::to_string(&relay).unwrap()).unwrap();
        prop_assert_eq!(&stored, &relay);
        for effect in &effects {
            let text = effect.text();
            prop_assert!(!text.en.is_empty() && !text.zh.is_empty(), "{effect:?}");
            let json = serde_json::to_string(effect).unwrap();
            prop_assert_eq!(&serde_json::from_str::<ConductEffect>(&json).unwrap(), effect);
        }
        // who may play is always somebody of the side to move
        let seats = relay.seats();
        prop_assert!(!seats.is_empty() && seats.iter().all(|s| s.color == relay.state_of_play().turn));
    }
}
