//! Records in and out: round trips, other programs' files, hostile text, and the record of a game with infractions.

use goband::game::sgf::{self, GameTree, SgfProblem};
use goband::game::{Event, EventKind, GameInfo, GameState, Interval, Orientation, Restore, RestoreTo, describe};
use goband::rules::{Board, Class, Color, Point, Ruleset};
use proptest::prelude::*;

use Color::{Black, White};

fn one(text: &str) -> GameTree {
    let mut games = sgf::read(text).unwrap();
    assert_eq!(games.len(), 1);
    games.remove(0)
}

fn p(row: u8, col: u8) -> Point {
    Point::new(row, col)
}

fn event(seq: u64, kind: EventKind) -> Event {
    Event { seq, ..Event::new(kind, Interval { first: seq * 1000, last: seq * 1000 + 40 }, seq * 1000 + 80, 0.99) }
}

fn stone(seq: u64, color: Color, at: Point) -> Event {
    Event { color: Some(color), point: Some(at), captured: Some(Vec::new()), ..event(seq, EventKind::Move) }
}

#[test]
fn a_name_that_is_a_digit_but_for_small_letters_is_written_so_that_it_reads() {
    let games = sgf::read("(;SZ[5]a2[x]b[cc]ab3C[y])").unwrap();
    assert_eq!(sgf::read(&sgf::write_trees(&games)).unwrap(), games);
}

#[test]
fn a_plain_game_reads_back() {
    let events = [
        stone(1, Black, p(3, 15)),
        stone(2, White, p(15, 3)),
        Event { color: Some(Black), ..event(3, EventKind::Pass) },
    ];
    let state = GameState::fold(&events);
    let mut info = GameInfo::for_ruleset(&Ruleset::builtin("cwa").unwrap());
    info.black.name = "吴清源".into();
    info.event = "Cup [final] \\ board 1".into();
    let text = sgf::write(&state, &info);
    let game = one(&text);
    for (ident, value) in
        [("FF", "4"), ("GM", "1"), ("CA", "UTF-8"), ("SZ", "19"), ("KM", "7.5"), ("RU", "Chinese"), ("PB", "吴清源")]
    {
        assert_eq!(game.info(ident), value);
    }
    assert!(game.info("AP").starts_with("goband:"));
    assert_eq!(game.info("EV"), "Cup [final] \\ board 1");
    let history = game.history().unwrap();
    assert_eq!(history.board(), state.board());
    assert_eq!(history.moves(), state.history().moves());
    assert!(text.contains(";B[pd]") && text.contains(";W[dp]") && text.contains(";B[]"), "{text}");
}

#[test]
fn orientation_turns_the_record_only() {
    let state = GameState::fold(&[stone(1, Black, p(0, 0))]);
    for (orientation, value) in [
        (Orientation::None, "aa"),
        (Orientation::Quarter, "sa"),
        (Orientation::Half, "ss"),
        (Orientation::ThreeQuarters, "as"),
    ] {
        let text = sgf::write(&state, &GameInfo { orientation, ..GameInfo::default() });
        assert!(text.contains(&format!(";B[{value}]")), "{text}");
    }
}

#[test]
fn an_adopted_position_is_set_up() {
    let mut adopted = event(1, EventKind::PositionAdopted);
    adopted.board = Some(vec![".........".into(); 9]);
    adopted.board.as_mut().unwrap()[2] = "..B.?.W..".into();
    adopted.turn = Some(White);
    let state = GameState::fold(&[adopted, stone(2, White, p(4, 4))]);
    assert_eq!((state.board().size(), state.turn()), (9, Black));
    let game = one(&sgf::write(&state, &GameInfo::default()));
    assert_eq!((game.info("AB"), game.info("AW"), game.info("PL")), ("cc".into(), "gc".into(), "W".into()));
    let replay = game.replay(Black).unwrap();
    assert_eq!(replay.history.board(), state.board());
    assert_eq!(replay.classes[0].classes, [Class::Legal]);
}

#[test]
fn infractions_are_comments_and_the_main_line_is_what_stood() {
    let mut double = event(3, EventKind::DoubleMove);
    double.color = Some(White);
    double.point = Some(p(10, 10));
    double.article = Some("000 17.2".into());
    double.restore = vec![Restore { at: p(10, 10), be: RestoreTo::Empty }];
    double.text = Some(describe(&double, 19));
    let mut displaced = event(5, EventKind::DisplacedStone);
    displaced.points = vec![p(3, 15).into(), p(3, 16).into()];
    displaced.color = Some(Black);
    displaced.restore =
        vec![Restore { at: p(3, 15), be: RestoreTo::Black }, Restore { at: p(3, 16), be: RestoreTo::Empty }];
    let events = [
        stone(1, Black, p(3, 15)),
        stone(2, White, p(15, 3)),
        double,
        stone(4, Black, p(2, 2)),
        displaced,
        Event { of: Some(3), ..event(6, EventKind::Repaired) },
    ];
    let state = GameState::fold(&events);
    assert_eq!(state.open_infractions().map(|e| e.seq).collect::<Vec<_>>(), [5]);
    let text = sgf::write(&state, &GameInfo::default());
    let game = one(&text);
    let history = game.history().unwrap();
    assert_eq!(history.board(), state.board());
    assert_eq!(history.moves().len(), 3);
    let nodes: Vec<_> = game.main_line().collect();
    let comment = nodes[2].get("C").unwrap().text();
    assert!(
        comment.contains("double_move") && comment.contains("000 17.2") && comment.contains("连下两着"),
        "{comment}"
    );
    assert_eq!(nodes[2].get("MA").unwrap().values, ["kk"]);
    // the displaced stone is a variation behind the last move
    let last = nodes[3];
    assert_eq!(last.children.len(), 2);
    let variation = game.node(last.children[1]);
    assert_eq!(variation.get("AE").unwrap().values, ["pd"]);
    assert_eq!(variation.get("AB").unwrap().values, ["qd"]);
}

#[test]
fn a_correction_rewrites_the_main_line_and_keeps_the_old_one() {
    let mut corrected = event(4, EventKind::Corrected);
    corrected.of = Some(2);
    corrected.point = Some(p(15, 4));
    let events = [
        stone(1, Black, p(3, 15)),
        stone(2, White, p(15, 3)),
        stone(3, Black, p(2, 2)),
        corrected,
        stone(5, White, p(9, 9)),
    ];
    let state = GameState::fold(&events);
    assert_eq!(state.moves()[1].point, Some(p(15, 4)));
    assert_eq!(state.moves()[1].seq, Some(4));
    assert_eq!(state.board().get(p(15, 3)), None);
    let game = one(&sgf::write(&state, &GameInfo::default()));
    assert_eq!(game.history().unwrap().board(), state.board());
    let first = game.node(game.root().children[0]);
    assert_eq!(first.children.len(), 2);
    let old = game.node(first.children[1]);
    assert_eq!(old.get("W").unwrap().values, ["dp"]);
    assert_eq!(game.node(old.children[0]).get("B").unwrap().values, ["cc"]);
}

#[test]
fn a_move_struck_out_leaves_the_main_line() {
    let corrected = Event { of: Some(2), ..event(3, EventKind::Corrected) };
    let state = GameState::fold(&[stone(1, Black, p(3, 15)), stone(2, White, p(15, 3)), corrected]);
    assert_eq!((state.moves().len(), state.turn()), (1, White));
    let game = one(&sgf::write(&state, &GameInfo::default()));
    assert_eq!(game.history().unwrap().board(), state.board());
}

#[test]
fn a_missed_capture_that_stands_is_set_up_again() {
    // the event says that nothing was taken, the rules would take one
    let mut adopted = event(1, EventKind::PositionAdopted);
    adopted.board = Some([".B...", "BW...", ".B...", ".....", "....."].map(String::from).to_vec());
    adopted.turn = Some(Black);
    let state = GameState::fold(&[adopted, stone(2, Black, p(1, 2))]);
    assert_eq!(state.board().get(p(1, 1)), Some(White));
    let game = one(&sgf::write(&state, &GameInfo::default()));
    assert_eq!(game.history().unwrap().board(), state.board());
}

#[test]
fn an_illegal_move_that_stands_is_forced() {
    let mut adopted = event(1, EventKind::PositionAdopted);
    adopted.board = Some([".BW..", "B.BW.", ".BW..", ".....", "....."].map(String::from).to_vec());
    adopted.turn = Some(White);
    let take = Event { captured: Some(vec![p(1, 2)]), ..stone(2, White, p(1, 1)) };
    let retake = Event { captured: Some(vec![p(1, 1)]), ..stone(3, Black, p(1, 2)) };
    let state = GameState::fold(&[adopted, take, retake]);
    assert!(state.moves()[1].classes.contains(&Class::Ko));
    let game = one(&sgf::write(&state, &GameInfo::default()));
    let last = game.main_line().last().unwrap();
    assert_eq!(last.get("KO").unwrap().values, [""]);
    assert_eq!(state.prisoners().black, 1);
}

#[test]
fn the_result_follows_the_events() {
    let resign = Event { color: Some(White), ..event(2, EventKind::ResignSignal) };
    let result = Event { color: Some(Black), ..event(3, EventKind::Result) };
    let mut state = GameState::fold(&[stone(1, Black, p(3, 15)), resign]);
    assert_eq!(state.ended().unwrap().winner, Some(Black));
    assert!(!sgf::write(&state, &GameInfo::default()).contains("RE["), "a signal is no result");
    state.apply(&result);
    assert!(sgf::write(&state, &GameInfo::default()).contains("RE[B+R]"));
    // a signal that was none is taken back by the next stone
    let state = GameState::fold(&[event(1, EventKind::TwoPasses), stone(2, Black, p(3, 15))]);
    assert!(state.ended().is_none());
    // agreement takes both sides
    let mut state = GameState::fold(&[Event { color: Some(White), ..event(1, EventKind::EndAgreedSignal) }]);
    assert!(state.ended().is_none());
    state.apply(&Event { color: Some(Black), ..event(2, EventKind::EndAgreedSignal) });
    assert_eq!(state.ended().unwrap().how, EventKind::EndAgreedSignal);
}

#[test]
fn files_of_other_programs() {
    // FF[3] names, a compressed list, tt, escapes, two games, noise around
    let games = sgf::read(
        "Saved by X\n(;GaMe[1]FileFormat[3]SiZe[9]AddBlack[aa:cb][ee]\n;White[tt]Comment[a\\]b\\\\c\\:d\\\nE]\n;Black[gg];White[])\n(;GM[1]SZ[13:13];B[mm](;W[aa])(;W[bb]))\nend",
    )
    .unwrap();
    assert_eq!(games.len(), 2);
    let history = games[0].history().unwrap();
    assert_eq!(history.start().stones(Black), 7);
    assert_eq!(history.moves().iter().map(|m| m.point).collect::<Vec<_>>(), [None, Some(p(6, 6)), None]);
    let node = games[0].main_line().nth(1).unwrap();
    assert_eq!(node.get("C").unwrap().text(), "a]b\\c:dE");
    let history = games[1].history().unwrap();
    assert_eq!((history.size(), history.board().get(p(0, 0))), (13, Some(White)));
    // 52 points would be needed for this letter
    let tt = one("(;SZ[21];B[tt])").history().unwrap();
    assert_eq!(tt.moves()[0].point, Some(p(19, 19)), "beyond 19 tt is a point");
    assert!(sgf::read_bytes(b"\xef\xbb\xbf(;C[\xff\xfe];B[aa])").is_ok());
}

#[test]
fn setups_amid_the_game_rearrange_it() {
    let game = one("(;SZ[9];B[aa];AE[aa]AW[bb]PL[B];B[cc];W[dd])");
    let replay = game.replay(Black).unwrap();
    let h = replay.history;
    assert_eq!((h.board().get(p(0, 0)), h.board().get(p(1, 1))), (None, Some(White)));
    assert_eq!(h.moves().len(), 3);
    assert_eq!(replay.classes[1].classes, [Class::Legal], "PL gave Black the turn");
    assert_eq!(one("(;SZ[9]HA[2]AB[cc][gg];W[ee])").history().unwrap().first(), White);
}

#[test]
fn errors_name_line_and_column() {
    for (text, line, column) in [
        ("", 1, 1),
        ("hello", 1, 1),
        ("(;B[aa]", 1, 1),
        ("(;B[aa]\n;W[bb", 2, 3),
        ("(;B[aa]\n;W)", 2, 2),
        ("(;B[aa](W[bb]))", 1, 9),
        ("(;B[aa]))", 0, 0),
        ("(;B[aa]%)", 1, 8),
    ] {
        match sgf::read(text) {
            Ok(_) => assert_eq!(line, 0, "{text}"),
            Err(e) => assert_eq!((e.line, e.column), (line, column), "{text}: {e}"),
        }
    }
    let replay = |text: &str| one(text).history().map(|_| ()).unwrap_err();
    let e = replay("(;SZ[9]\n ;B[aa]\n ;W[jj])");
    assert_eq!((e.line, e.column, e.what), (3, 3, SgfProblem::Point("jj".into(), 9)));
    assert_eq!(replay("(;SZ[19:13];B[aa])").what, SgfProblem::Size("19:13".into()));
    assert_eq!(replay("(;GM[2];B[aa])").what, SgfProblem::OtherGame("2".into()));
}

#[test]
fn deep_nesting_is_no_danger() {
    let deep = "(;".repeat(50_000) + &")".repeat(50_000);
    let games = sgf::read(&deep).unwrap();
    assert_eq!(sgf::read(&sgf::write_trees(&games)).unwrap(), games);
    assert!(matches!(sgf::read(&"(;".repeat(200_000)).unwrap_err().what, SgfProblem::TooDeep(_)));
}

/// A tree of random shape: each node's parent is an earlier one.
fn trees() -> impl Strategy<Value = GameTree> {
    let property = ("[A-Z]{1,2}", prop::collection::vec("[ -~\n中文äé]{0,12}", 1..3));
    let node = (any::<prop::sample::Index>(), prop::collection::vec(property, 0..4));
    prop::collection::vec(node, 1..30).prop_map(|nodes| {
        let mut tree = GameTree::default();
        for (i, (parent, properties)) in nodes.into_iter().enumerate() {
            let id = if i == 0 { GameTree::ROOT } else { tree.add_node(parent.index(i)) };
            for (ident, values) in properties {
                for value in values {
                    // through the escaping writer, one value a property
                    if tree.node(id).get(&ident).is_none() {
                        tree.node_mut(id).set_text(&ident, &value);
                    }
                }
            }
        }
        tree
    })
}

fn games() -> impl Strategy<Value = Vec<Event>> {
    let spot = (0u8..27, 0u8..27).prop_map(|(r, c)| p(r, c));
    let rows = prop_oneof![
        prop::collection::vec("[.BW?]{9}", 9),
        prop::collection::vec("[.BW]{19}", 19),
        prop::collection::vec("[.BWx]{0,6}", 0..6)
    ];
    let color = prop::option::of(prop_oneof![Just(Black), Just(White)]);
    let kind = prop_oneof![
        6 => Just(EventKind::Move),
        1 => Just(EventKind::Pass),
        1 => Just(EventKind::Corrected),
        1 => Just(EventKind::PositionAdopted),
        4 => prop::sample::select(EventKind::ALL.to_vec()),
    ];
    let extras = (
        prop::option::of(rows),
        prop::option::of(0u64..60),
        prop::option::of(prop::collection::vec(spot.clone(), 0..4)),
    );
    let steps = prop::collection::vec((spot.clone(), any::<bool>()), 0..4);
    let event = (kind, color.clone(), prop::option::weighted(0.9, spot), extras, color, steps).prop_map(
        |(kind, color, point, (board, of, captured), turn, steps)| {
            let mut e = event(0, kind);
            e.color = color;
            e.point = point;
            e.points = steps.iter().map(|&(at, _)| at.into()).collect();
            e.restore = steps
                .iter()
                .map(|&(at, b)| Restore { at, be: if b { RestoreTo::Black } else { RestoreTo::Empty } })
                .collect();
            e.captured = captured;
            e.of = of;
            e.turn = turn;
            e.board = board
                .filter(|_| matches!(kind, EventKind::PositionAdopted | EventKind::Corrected | EventKind::Unexplained));
            e
        },
    );
    prop::collection::vec(event, 0..60).prop_map(|mut events| {
        events.iter_mut().enumerate().for_each(|(i, e)| e.seq = i as u64 + 1);
        events
    })
}

proptest! {
    #[test]
    fn trees_read_back(trees in prop::collection::vec(trees(), 1..3)) {
        let text = sgf::write_trees(&trees);
        prop_assert_eq!(sgf::read(&text).unwrap(), trees);
    }

    #[test]
    fn any_text_is_a_collection_or_an_error(text in "[(;)\\[\\]BWACa-t:\\\\ \n%中]{0,80}") {
        if let Ok(games) = sgf::read(&text) {
            for game in &games {
                let _ = game.history();
            }
            prop_assert_eq!(sgf::read(&sgf::write_trees(&games)).unwrap(), games);
        }
    }

    #[test]
    fn any_events_fold_and_their_record_shows_the_same_board(events in games(), o in prop::sample::select(Orientation::ALL.to_vec())) {
        let mut state = GameState::default();
        for e in &events {
            state.apply(e);
            prop_assert_eq!(state.moves().len(), state.history().moves().len());
            prop_assert!(!describe(e, state.board().size()).en.is_empty());
        }
        let text = sgf::write(&state, &GameInfo { orientation: o, ..GameInfo::default() });
        let game = one(&text);
        let history = game.history().unwrap();
        let shown = history.board();
        let mut turned = Board::new(shown.size());
        for at in shown.points() {
            turned.set(o.to_picture(at, shown.size()), shown.get(at));
        }
        prop_assert_eq!(&turned, state.board(), "{}", text);
        let points = |h: &goband::rules::History| h.moves().iter().map(|m| m.point.is_some()).collect::<Vec<_>>();
        prop_assert_eq!(points(&history), points(state.history()));
    }

    /// Another parser reads what we write, and finds the same moves.
    #[test]
    fn an_independent_parser_agrees(events in games()) {
        let state = GameState::fold(&events);
        let text = sgf::write(&state, &GameInfo::default());
        let nodes = sgf_parse::go::parse(&text).unwrap();
        prop_assert_eq!(nodes.len(), 1);
        let moves: Vec<_> = nodes[0].main_variation().filter_map(|n| n.get_move().cloned()).collect();
        prop_assert_eq!(moves.len(), state.moves().len());
        for (theirs, ours) in moves.iter().zip(state.moves()) {
            use sgf_parse::go::{Move, Prop};
            let (color, at) = match theirs {
                Prop::B(at) => (Black, at),
                Prop::W(at) => (White, at),
                _ => continue,
            };
            let at = match at {
                Move::Pass => None,
                Move::Move(at) => Some(p(at.y, at.x)),
            };
            prop_assert_eq!((color, at), (ours.color, ours.point));
        }
        prop_assert!(nodes[0].validate().is_ok(), "{:?} {}", nodes[0].validate(), text);
    }
}
