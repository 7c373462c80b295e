//! Counting through its public face: every example of the rule documents, and what must hold of every position.

use goband::rules::{
    Amount, Board, Color, Count, CountError, CountOptions, Method, Point, Ruleset, Seki, Unit, Work, count,
};
use proptest::prelude::*;

use Color::{Black, White};

fn board(rows: &[&str]) -> Board {
    Board::from_rows(rows).unwrap()
}

fn rules(id: &str) -> Ruleset {
    Ruleset::builtin(id).unwrap()
}

fn by(board: &Board, rules: &Ruleset, method: Method, options: &CountOptions) -> Count {
    count(board, rules, &CountOptions { method: Some(method), ..options.clone() }).unwrap()
}

const LIKE_AREA: [Method; 4] = [Method::Area, Method::Fill, Method::Equal, Method::EqualMoves];

/// A 19 × 19 board that Black and White share along one seam: `black` points are Black's and `shared` empty points lie
/// between. Every third point inside is empty, so that there is something to fill.
fn divided(black: usize, shared: usize) -> Board {
    let mut board = Board::new(19);
    let points: Vec<Point> = board.points().collect();
    let inside = |i: usize, of: Color| match of {
        Black => i + 40 < black && i.is_multiple_of(3),
        White => i > black + shared + 40 && i.is_multiple_of(3),
    };
    for (i, &p) in points.iter().enumerate() {
        let color = if i < black {
            Black
        } else if i >= black + shared {
            White
        } else {
            continue;
        };
        board.set(p, (!inside(i, color)).then_some(color));
    }
    board
}

/// The result in each of the four ways that must agree.
fn results(board: &Board, id: &str, options: &CountOptions) -> Vec<String> {
    LIKE_AREA.iter().map(|&m| by(board, &rules(id), m, options).result().to_owned()).collect()
}

#[track_caller]
fn all_say(black: usize, shared: usize, id: &str, options: &CountOptions, expected: &str) {
    assert_eq!(results(&divided(black, shared), id, options), [expected; 4], "Black {black}, shared {shared}, {id}");
}

#[test]
fn the_examples_of_003_article_11() {
    let plain = CountOptions::default();
    for id in ["cwa", "cwa-classic"] {
        all_say(185, 0, id, &plain, "B+3/4");
        all_say(184, 0, id, &plain, "W+1/4");
        // 184.5: one point between is shared
        all_say(184, 1, id, &plain, "B+1/4");
    }
    let c = by(&divided(184, 1), &rules("cwa"), Method::Area, &plain);
    assert_eq!((c.black, c.white), (Amount::halves(369), Amount::halves(353)));
    assert_eq!((c.threshold, c.shared, c.unit), (Some(Amount::halves(361)), 1, Unit::Stones));
}

#[test]
fn the_examples_of_004() {
    let plain = CountOptions::default();
    // 通俗来说为白棋177子为胜，黑棋185子为胜
    all_say(361 - 177, 0, "cwa-classic", &plain, "W+1/4");
    all_say(185, 0, "cwa-classic", &plain, "B+3/4");
    // Japan and Korea, 6 1/2 points: 白棋178为胜黑棋185为胜
    all_say(361 - 178, 0, "japan-korea", &plain, "W+1 1/2");
    all_say(185, 0, "japan-korea", &plain, "B+2 1/2");
    // 古代: 黑棋181子就获胜; one group each
    all_say(181, 0, "ancient", &plain, "B+1/2");
    all_say(180, 0, "ancient", &plain, "W+1/2");
}

#[test]
fn team_relay_is_drawn_at_184() {
    // 000 art. 12: 黑贴3又1/2子，黑184子为和棋
    let plain = CountOptions::default();
    all_say(184, 0, "team-relay", &plain, "draw");
    all_say(185, 0, "team-relay", &plain, "B+1");
    all_say(183, 1, "team-relay", &plain, "W+1/2");
    assert_eq!(by(&divided(184, 0), &rules("team-relay"), Method::Area, &plain).winner, None);
}

#[test]
fn a_competition_may_give_a_drawn_game_to_white() {
    // 000 art. 12: 也可采取赛前规定“平目下和”直接判白胜
    let text = "id = \"cup\"\nextends = \"team-relay\"\n[counting]\nmethod = \"equal\"\ndraw_goes_to = \"white\"\n";
    let cup = Ruleset::from_toml(text, "cup.toml").unwrap();
    let c = count(&divided(184, 0), &cup, &CountOptions::default()).unwrap();
    assert_eq!((c.method, c.result(), c.winner), (Method::Equal, "W+0", Some(White)));
    let e = Ruleset::from_toml(&text.replace("\"white\"", "\"nobody\""), "cup.toml").unwrap_err().to_string();
    assert!(e.starts_with("cup.toml:5:") && e.contains("`black`") && e.contains("`white`"), "{e}");
}

#[test]
fn exactly_half_is_a_draw_without_komi() {
    // 003 art. 9: 等于此数为和
    let even = CountOptions { komi: Some(Amount::ZERO), ..CountOptions::default() };
    all_say(180, 1, "cwa", &even, "draw");
    all_say(181, 0, "cwa", &even, "B+1/2");
    all_say(180, 0, "cwa", &even, "W+1/2");
}

#[test]
fn penalties_are_stones_of_the_side_that_gives_them() {
    // 000 art. 24.3: a yellow card costs one stone, a red one two; art. 17.7: 1 + 2 + 3 + 4 for four faults of order
    let fined = |black, white| CountOptions {
        penalty: [Amount::whole(black), Amount::whole(white)],
        ..CountOptions::default()
    };
    all_say(184, 0, "team-relay", &fined(1, 0), "W+1");
    all_say(184, 0, "team-relay", &fined(0, 2), "B+2");
    all_say(184, 0, "team-relay", &fined(3, 3), "draw");
    all_say(194, 0, "team-relay", &fined(1 + 2 + 3 + 4, 0), "draw");
}

#[test]
fn handicap_gives_half_back_and_the_first_move_nothing() {
    // 004: 让先不贴目，让子要贴还让子数的一半
    let handicap = |n| CountOptions { handicap: n, ..CountOptions::default() };
    all_say(181, 0, "cwa", &handicap(1), "B+1/2");
    all_say(183, 0, "cwa", &handicap(4), "B+1/2");
    all_say(182, 0, "cwa", &handicap(4), "W+1/2");
    all_say(183, 0, "cwa", &handicap(5), "draw");
    all_say(185, 0, "cwa", &handicap(9), "draw");
    // in points a stone is worth two: nine handicap stones are nine points where the ruleset gives half back
    let text = "id = \"club\"\nextends = \"japan-korea\"\n[handicap]\nreturned = \"half\"\n";
    let club = Ruleset::from_toml(text, "club.toml").unwrap();
    assert_eq!(by(&divided(185, 0), &club, Method::Area, &handicap(9)).result(), "draw");
    // komi that was agreed on top
    let agreed = CountOptions { komi: Some(Amount::whole(1)), ..handicap(4) };
    all_say(183, 0, "cwa", &agreed, "W+1/2");
}

/// Worked through by hand: Black 26 stones and 17 points, White 20 and 17, once the white stone at [6, 1] is off; one shared.
fn worked() -> (Board, CountOptions) {
    let board = board(&[
        "...BW....",
        ".B.BW.W..",
        "...BW....",
        "BBBBWWWWW",
        "BBBBBWWWW",
        "...BBWW..",
        ".W.BBBW..",
        "...BBBWWW",
        "BBBBB.W..",
    ]);
    // 28 stones of either colour were played: Black took 7, White 2, and the dead stone makes 8
    let options = CountOptions {
        dead: vec![Point::new(6, 1)],
        prisoners: [7, 2],
        komi: Some(Amount::ZERO),
        ..CountOptions::default()
    };
    (board, options)
}

#[test]
fn one_position_by_hand_in_five_ways() {
    let (board, options) = worked();
    let get = |method| by(&board, &rules("cwa"), method, &options);
    let sides = |c: &Count| (c.black.to_string(), c.white.to_string(), c.threshold.map(|t| t.to_string()));
    let text =
        |black: &str, white: &str, level: Option<&str>| (black.to_owned(), white.to_owned(), level.map(str::to_owned));

    let area = get(Method::Area);
    assert_eq!(sides(&area), text("43 1/2", "37 1/2", Some("40 1/2")));
    assert_eq!((area.dead.as_slice(), area.shared, &area.work), ([Point::new(6, 1)].as_slice(), 1, &None));

    // 40 stones a side: Black's last 14 leave 3 of his 17 points empty, White has 20 for 17 points
    let fill = get(Method::Fill);
    assert_eq!(sides(&fill), text("3 1/2", "-2 1/2", Some("1/2")));
    let Some(Work::Filled(f)) = &fill.work else { panic!("{fill:?}") };
    assert_eq!((f.stones_each, f.filled, f.left_over, f.unfilled), (40, [14, 17], [0, 3], [3, 0]));

    // Black's 2 and White's 8 prisoners go home: 28 stones each, 15 points against 9
    for method in [Method::Equal, Method::EqualMoves] {
        let equal = get(method);
        assert_eq!(sides(&equal), text("15", "9", None));
        let Some(Work::Equalized(e)) = &equal.work else { panic!("{equal:?}") };
        assert_eq!((e.returned, e.added, e.taken_off, e.played), ([2, 8], [0, 0], [0, 0], [28, 28]));
    }

    // 17 points and 8 prisoners against 17 and 2
    assert_eq!(sides(&get(Method::Territory)), text("25", "19", None));
    for method in Method::ALL {
        assert_eq!((get(method).result(), get(method).winner), ("B+3", Some(Black)), "{method:?}");
    }
}

#[test]
fn the_side_that_played_less_adds_stones() {
    let (board, options) = worked();
    // Black took only 6: White played 27 stones
    let options = CountOptions { prisoners: [6, 2], ..options };
    for method in [Method::Equal, Method::EqualMoves] {
        let c = by(&board, &rules("cwa"), method, &options);
        let Some(Work::Equalized(e)) = &c.work else { panic!("{c:?}") };
        assert_eq!((e.returned, e.added, e.empty), ([2, 7], [0, 1], [15, 9]), "{method:?}");
        assert_eq!(c.result(), "B+3");
    }
    // what territory does not see: 24 against 19
    assert_eq!(by(&board, &rules("cwa"), Method::Territory, &options).result(), "B+2 1/2");
}

#[test]
fn a_full_board_and_more_stones_than_there_are() {
    // no room to add: Black's 25 stones against White's 0
    let full = board(&["BBBBB"; 5]);
    let options = CountOptions { komi: Some(Amount::ZERO), ..CountOptions::default() };
    assert_eq!(LIKE_AREA.map(|m| by(&full, &rules("cwa"), m, &options).result().to_owned()), ["B+12 1/2"; 4]);
    let c = by(&full, &rules("cwa"), Method::Fill, &options);
    let Some(Work::Filled(f)) = &c.work else { panic!("{c:?}") };
    assert_eq!((f.stones_each, f.given_back, f.unfilled, f.left_over), (12, [13, 0], [13, 0], [0, 12]));
    let c = by(&full, &rules("cwa"), Method::Equal, &options);
    let Some(Work::Equalized(e)) = &c.work else { panic!("{c:?}") };
    assert_eq!((e.taken_off, e.empty), ([25, 0], [25, 0]));
}

#[test]
fn what_could_still_be_contested_is_shared() {
    // 000 art. 21.2: 可争之点，其归属按双活方式处理
    let board = board(&["...BW", "BBBBW", "BBBBW", "BBBBW", "WWWWW"]);
    let plain = CountOptions { komi: Some(Amount::ZERO), ..CountOptions::default() };
    let options = CountOptions { contested: vec![Point::new(0, 0)], ..plain.clone() };
    for method in LIKE_AREA {
        assert_eq!(by(&board, &rules("cwa"), method, &plain).result(), "B+3 1/2");
        let c = by(&board, &rules("cwa"), method, &options);
        assert_eq!((c.result(), c.shared), ("B+3", 1), "{method:?}");
    }
    let c = by(&board, &rules("japan-korea"), Method::Territory, &options);
    assert_eq!(c.black, Amount::whole(2));
    let stone = CountOptions { contested: vec![Point::new(4, 0)], ..plain };
    let refused = count(&board, &rules("cwa"), &stone);
    assert!(matches!(refused, Err(CountError::Occupied { .. })), "{refused:?}");
}

/// Black's corner and the white stones beside it have one eye each and share one liberty: whoever plays there is taken.
fn seki() -> Board {
    board(&[
        ".B.W.WB..",
        "BBWWWWBBB",
        "WWBBBBB..",
        ".WWBBBBBB",
        "WWWWWWWWW",
        ".........",
        ".........",
        ".........",
        ".........",
    ])
}

#[test]
fn territory_gives_nothing_for_eyes_in_seki() {
    let japan = rules("japan-korea");
    let get = |seki: Seki| {
        let c = by(&self::seki(), &japan, Method::Territory, &CountOptions { seki, ..CountOptions::default() });
        (c.black.to_string(), c.white.to_string(), c.uncounted)
    };
    let text = |black: &str, white: &str, uncounted: &[Point]| (black.to_owned(), white.to_owned(), uncounted.to_vec());
    let (black, white) = (Point::new(0, 0), Point::new(0, 4));
    assert_eq!(get(Seki::Recognised), text("4", "37", &[black, white]));
    assert_eq!(get(Seki::Nowhere), text("5", "38", &[]));
    // as somebody says, whatever it looks like
    assert_eq!(get(Seki::Of(vec![Point::new(1, 1)])), text("4", "38", &[black]));
    assert_eq!(get(Seki::Of(vec![Point::new(1, 5), Point::new(0, 3)])), text("5", "37", &[white]));
    // by area the eyes count, and the liberty is shared
    let c = by(&self::seki(), &japan, Method::Area, &CountOptions::default());
    assert_eq!((c.shared, c.uncounted.len()), (1, 0));
    let nobody = CountOptions { seki: Seki::Of(vec![Point::new(0, 2)]), ..CountOptions::default() };
    let refused = count(&self::seki(), &japan, &nobody);
    assert_eq!(refused, Err(CountError::NoStone { what: "seki", at: Point::new(0, 2) }));
}

#[test]
fn points_that_nobody_bothered_to_fill_make_no_seki() {
    let (board, options) = worked();
    let c = by(&board, &rules("japan-korea"), Method::Territory, &options);
    assert_eq!((c.shared, c.seki.len()), (1, 0));
}

fn position() -> impl Strategy<Value = Board> {
    // sparse, crowded and nearly full boards
    let cells = prop::sample::select(vec![".BW", ".BBBWWW", "..........BW", "BBBBBBBB.W"]);
    (2usize..=19, cells).prop_flat_map(|(size, cells)| {
        let cell = prop::sample::select(cells.chars().collect::<Vec<_>>());
        let row = prop::collection::vec(cell, size).prop_map(String::from_iter);
        prop::collection::vec(row, size).prop_map(|rows| Board::from_rows(&rows).unwrap())
    })
}

fn situation() -> impl Strategy<Value = (Board, CountOptions, usize)> {
    let picks = || prop::collection::vec(any::<prop::sample::Index>(), 0..6);
    let amounts = (-40i64..120, 0i64..8, 0i64..8);
    (position(), picks(), picks(), [0usize..80, 0..80], amounts, 0u32..10, 0usize..5).prop_map(
        |(board, dead, contested, prisoners, (komi, black, white), handicap, ruleset)| {
            let pick = |from: Vec<Point>, which: Vec<prop::sample::Index>| -> Vec<Point> {
                if from.is_empty() { Vec::new() } else { which.iter().map(|i| *i.get(&from)).collect() }
            };
            let stones = board.points().filter(|&p| board.get(p).is_some()).collect();
            let empty = board.points().filter(|&p| board.get(p).is_none()).collect();
            let options = CountOptions {
                dead: pick(stones, dead),
                contested: pick(empty, contested),
                prisoners,
                komi: (handicap % 2 == 0).then_some(Amount::quarters(komi)),
                handicap,
                penalty: [Amount::quarters(black), Amount::quarters(white)],
                ..CountOptions::default()
            };
            (board, options, ruleset)
        },
    )
}

fn in_points(c: &Count) -> Amount {
    if c.unit == Unit::Stones { c.margin.doubled() } else { c.margin }
}

proptest! {
    #[test]
    fn four_methods_agree_on_every_position((board, options, which) in situation()) {
        let rules = rules(Ruleset::builtin_ids().nth(which).unwrap());
        let counts = LIKE_AREA.map(|m| by(&board, &rules, m, &options));
        let area = &counts[0];
        for c in &counts {
            prop_assert_eq!((c.margin, c.winner), (area.margin, area.winner), "{:?}", c.method);
            prop_assert_eq!((c.komi, c.handicap_returned, c.groups, c.shared), (area.komi, area.handicap_returned, area.groups, area.shared));
        }
        // every point is somebody's
        prop_assert_eq!(area.black + area.white, Amount::whole(board.points().count() as i64));
        prop_assert_eq!(area.threshold.unwrap().doubled(), area.black + area.white);

        // the stones really lie so
        let Some(Work::Filled(f)) = &counts[1].work else { panic!("no filling") };
        for color in [Black, White] {
            let side = color as usize;
            prop_assert_eq!(f.board.stones(color) + f.left_over[side], f.stones_each);
            prop_assert!(f.left_over[side] == 0 || f.unfilled[side] == 0);
        }
        prop_assert_eq!(counts[1].threshold.unwrap().doubled(), counts[1].black + counts[1].white);
        let Some(Work::Equalized(e)) = &counts[2].work else { panic!("not equalized") };
        prop_assert_eq!(e.board.stones(Black), e.board.stones(White));
        let Some(Work::Equalized(m)) = &counts[3].work else { panic!("not equalized") };
        prop_assert_eq!(m.played[0] + m.added[0], m.played[1] + m.added[1]);
    }

    /// Area is territory plus the difference of the stones played, where no eyes are left out: they agree when both sides
    /// played as many, and Black's last move makes one point.
    #[test]
    fn territory_differs_from_area_by_the_stones_played((board, options, _) in situation()) {
        let options = CountOptions { seki: Seki::Nowhere, handicap: 0, ..options };
        let rules = rules("japan-korea");
        let area = by(&board, &rules, Method::Area, &options);
        let territory = by(&board, &rules, Method::Territory, &options);
        let moves = by(&board, &rules, Method::EqualMoves, &options);
        let Some(Work::Equalized(e)) = &moves.work else { panic!("not equalized") };
        let more = Amount::whole(e.played[0] as i64 - e.played[1] as i64);
        prop_assert_eq!(in_points(&area), in_points(&territory) + more);
        if e.played[0] == e.played[1] {
            prop_assert_eq!(area.winner, territory.winner);
        }
        // what seki leaves out is only what is owned
        let seki = by(&board, &rules, Method::Territory, &CountOptions { seki: Seki::Recognised, ..options });
        prop_assert_eq!(seki.black + seki.white + Amount::whole(seki.uncounted.len() as i64), territory.black + territory.white);
    }

    #[test]
    fn a_penalty_or_komi_moves_the_result_by_itself((board, options, which) in situation(), more in 1i64..20) {
        let rules = rules(Ruleset::builtin_ids().nth(which).unwrap());
        let plain = count(&board, &rules, &options).unwrap();
        let more = Amount::quarters(more);
        let fined = CountOptions { penalty: [options.penalty[0] + more, options.penalty[1]], ..options.clone() };
        prop_assert_eq!(count(&board, &rules, &fined).unwrap().margin, plain.margin - more);
        let fined = CountOptions { penalty: [options.penalty[0], options.penalty[1] + more], ..options.clone() };
        prop_assert_eq!(count(&board, &rules, &fined).unwrap().margin, plain.margin + more);
        let komi = CountOptions { komi: Some(plain.komi + more), ..options };
        prop_assert_eq!(count(&board, &rules, &komi).unwrap().margin, plain.margin - more);
    }

    /// Colours exchanged, everything the other way round: no method favours a colour but by komi and handicap.
    #[test]
    fn no_method_prefers_a_colour((board, options, _) in situation()) {
        let mut other = board.clone();
        for p in board.points() {
            other.set(p, board.get(p).map(Color::opponent));
        }
        let options = CountOptions { komi: Some(Amount::ZERO), handicap: 0, ..options };
        let turned = CountOptions {
            prisoners: [options.prisoners[1], options.prisoners[0]],
            penalty: [options.penalty[1], options.penalty[0]],
            ..options.clone()
        };
        for method in Method::ALL {
            let (a, b) = (by(&board, &rules("ancient"), method, &options), by(&other, &rules("ancient"), method, &turned));
            prop_assert_eq!(a.margin, -b.margin, "{:?}", method);
        }
    }
}
