//! Proposals of dead stones: constructed positions with one answer each, and certain life against brute force.

use goband::rules::life::{Life, PassAlive, Proposal, Reason, propose};
use goband::rules::{Board, Color, Point};
use proptest::prelude::*;

use Color::{Black, White};

fn board(rows: &[&str]) -> Board {
    Board::from_rows(rows).unwrap()
}

#[track_caller]
fn life_at(proposal: &Proposal, row: u8, col: u8) -> (Life, Reason) {
    let at = Point::new(row, col);
    let chain = proposal.chains.iter().find(|c| c.stones.contains(&at)).expect("a stone");
    (chain.life, chain.reason)
}

/// Every point of the list has this life and reason.
#[track_caller]
fn all(rows: &[&str], expected: &[(u8, u8, Life, Reason)]) {
    let board = board(rows);
    let proposal = propose(&board);
    for &(row, col, life, reason) in expected {
        assert_eq!(life_at(&proposal, row, col), (life, reason), "[{row}, {col}] in {board:?}{proposal:?}");
    }
    assert_eq!(proposal, propose(&board), "the same again");
}

use Life::{Alive, Dead, Unsure};
use Reason::{Enclosed, PassAlive as TwoEyes, PlayedOn};

#[test]
fn two_eyes_live_and_what_they_shut_in_is_dead() {
    all(
        &[
            ".WBW.BW..",
            "BBBBBBWWW",
            "WWWWWWW..",
            "...W.....",
            "...W.....",
            "...W.....",
            "...W.....",
            "...W.....",
            "...W.....",
        ],
        &[(0, 2, Alive, TwoEyes), (0, 1, Dead, Enclosed), (0, 3, Dead, Enclosed), (0, 6, Alive, PlayedOn)],
    );
}

#[test]
fn a_seki_is_left_alone() {
    all(
        &[
            ".B.W.WB..",
            "BBWWWWBBB",
            "WWBBBBB..",
            ".WWBBBBBB",
            "WWWWWWWWW",
            "...W.....",
            "...W.....",
            "...W.....",
            "...W.....",
        ],
        &[(0, 1, Alive, PlayedOn), (0, 3, Alive, PlayedOn), (0, 6, Alive, TwoEyes), (2, 0, Alive, PlayedOn)],
    );
}

#[test]
fn a_false_eye_does_not_help() {
    all(
        &[
            ".BWB.B...",
            "BWWWBBB..",
            "BBWBBWBBB",
            ".BWWBWWWW",
            "BBW.WBW..",
            ".BBWWBWW.",
            ".BBBBBBWW",
            "..B..BBW.",
            "..B..BWW.",
        ],
        &[(0, 2, Dead, PlayedOn), (4, 4, Dead, PlayedOn), (1, 0, Alive, TwoEyes), (2, 5, Alive, TwoEyes)],
    );
}

#[test]
fn one_eye_with_the_attacker_in_its_middle_is_dead() {
    let rest = ["....WB...", "....WB...", "....WB...", "....WBBBB", "WWWWWWWWW", "........."];
    let three = [&[".W.BW....", "BBBBW....", "WWWWWBBBB"][..], &rest].concat();
    all(&three, &[(0, 3, Dead, PlayedOn), (0, 1, Alive, PlayedOn), (2, 5, Alive, PlayedOn)]);
    // four in a square, to be taken, leave one eye
    all(
        &[
            "WW.BW....",
            "WWBBWBBBB",
            "BBBWWBB..",
            "WWWW.WBBB",
            "...W.WWWW",
            "...WWW...",
            "......WWW",
            "......W..",
            "......W..",
        ],
        &[(0, 3, Dead, PlayedOn), (0, 0, Alive, PlayedOn), (1, 5, Alive, PlayedOn)],
    );
}

#[test]
fn four_in_a_row_live_and_a_snapback_kills() {
    let rest = ["...W.....", "...W.....", "...W....."];
    let four = ["....BW...", "BBBBBWWWW", "WWWWWW...", "...W.....", "...WWWWWW", "........."];
    all(&[&four[..], &rest].concat(), &[(0, 4, Alive, PlayedOn), (0, 5, Alive, TwoEyes)]);
    all(
        &[
            "..WB.....",
            "WWWB.BBBB",
            "BBBBBB...",
            "BBWWBBBBB",
            "WW.W.WWWW",
            "...WWW...",
            "......W..",
            "......W..",
            "......W..",
        ],
        &[(0, 2, Dead, PlayedOn), (0, 3, Alive, TwoEyes), (3, 2, Alive, PlayedOn)],
    );
}

#[test]
fn a_ko_that_is_left_is_unclear_and_what_surrounds_it_is_not() {
    all(
        &[
            ".BW......",
            "B.BWWWWWW",
            ".BBW.....",
            "BBBWWWWWW",
            ".B.BW....",
            "BBBBBWWWW",
            "....BW...",
            "....BWWWW",
            "....BW...",
        ],
        &[(0, 2, Unsure, PlayedOn), (0, 1, Alive, TwoEyes), (1, 3, Alive, TwoEyes)],
    );
}

#[test]
fn bent_four_in_the_corner_is_not_said_to_be_dead_or_alive() {
    // who wins it depends on ko threats; by Japanese practice Black is dead
    let rows = [
        ".W.BW....",
        "WBBBWWWWW",
        "WBWWW....",
        "BBW......",
        "WWWWWWWWW",
        ".........",
        "...W.....",
        "...W.....",
        "...W.....",
    ];
    let proposal = propose(&board(&rows));
    for (row, col) in [(0, 1), (1, 0)] {
        assert_eq!(life_at(&proposal, row, col).0, Unsure);
    }
    assert!(proposal.dead().is_empty() && !proposal.unsure().is_empty());
}

/// `life_positions/play_games.py` made the file: games that GNU Go played against itself to the end, with what it holds to be dead.
#[test]
fn on_finished_games_no_verdict_contradicts_another_program() {
    let (mut games, mut chains, mut unsure) = (0, 0, 0);
    for line in include_str!("life_positions/finished_games.jsonl").lines() {
        let game: serde_json::Value = serde_json::from_str(line).unwrap();
        let board: Board = serde_json::from_value(game["board"].clone()).unwrap();
        let dead: Vec<Point> = serde_json::from_value(game["dead"].clone()).unwrap();
        let proposal = propose(&board);
        for chain in &proposal.chains {
            let is_dead = dead.contains(&chain.stones[0]);
            match chain.life {
                Unsure => unsure += 1,
                life => assert_eq!(life == Dead, is_dead, "{board:?}{chain:?}, GNU Go says dead: {is_dead}"),
            }
        }
        chains += proposal.chains.len();
        games += 1;
    }
    println!("{games} games, {chains} chains, {unsure} unclear, the others as GNU Go has them");
    assert!(games >= 70 && chains > 1000);
    assert!(unsure * 20 < chains, "{unsure} of {chains} unclear: a proposal must say something");
}

fn position() -> impl Strategy<Value = Board> {
    let cells = prop::sample::select(vec![".BW", ".BBBWWW", "..........BW", "..BBBBBB.W"]);
    (2usize..=9, cells).prop_flat_map(|(size, cells)| {
        let cell = prop::sample::select(cells.chars().collect::<Vec<_>>());
        let row = prop::collection::vec(cell, size).prop_map(String::from_iter);
        prop::collection::vec(row, size).prop_map(|rows| Board::from_rows(&rows).unwrap())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Black always passes, White plays whatever it likes.
    #[test]
    fn what_lives_unconditionally_cannot_be_taken(
        position in position(),
        plays in prop::collection::vec(any::<prop::sample::Index>(), 0..200),
    ) {
        let mut board = position;
        for p in board.without_liberties() {
            board.set(p, None);
        }
        let certain = PassAlive::of(&board, Black);
        let alive: Vec<Point> = board.points().filter(|&p| certain.is_alive(&board, p)).collect();
        let enclosed: Vec<Point> = board.points().filter(|&p| certain.encloses(&board, p)).collect();
        prop_assert!(alive.iter().all(|&p| board.get(p) == Some(Black)));
        let points: Vec<Point> = board.points().collect();
        for at in plays {
            let p = *at.get(&points);
            let mut after = board.clone();
            if board.get(p).is_none() && after.place(p, White).suicide.is_empty() {
                board = after;
            }
        }
        prop_assert!(alive.iter().all(|&p| board.get(p) == Some(Black)));
        let white = PassAlive::of(&board, White);
        prop_assert!(enclosed.iter().all(|&p| !white.is_alive(&board, p)), "nothing lives where there is no room");
    }

    #[test]
    fn any_position_can_be_judged(position in position()) {
        let proposal = propose(&position);
        let mut stones: Vec<Point> = proposal.chains.iter().flat_map(|c| c.stones.clone()).collect();
        stones.sort();
        let all: Vec<Point> = position.points().filter(|&p| position.get(p).is_some()).collect();
        prop_assert_eq!(stones, all, "every stone once");
        for chain in &proposal.chains {
            prop_assert!((50..=100).contains(&chain.sure_percent));
            prop_assert!(chain.stones.iter().all(|&p| position.get(p) == Some(chain.color)));
        }
        // Benson's verdicts stand
        for color in [Black, White] {
            let certain = PassAlive::of(&position, color);
            for chain in &proposal.chains {
                if certain.is_alive(&position, chain.stones[0]) {
                    prop_assert_eq!((chain.life, chain.reason), (Alive, TwoEyes));
                }
            }
        }
    }
}
