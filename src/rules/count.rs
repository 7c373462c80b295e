//! Counting a final position, exactly.

use serde::{Serialize, Serializer};

use super::{Amount, Board, Color, Counting, HandicapReturn, Point, Ruleset, Unit};

/// A way to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// One side's stones and points against half of the board (归本数, 000 9.4.1).
    Area,
    /// Empty points and prisoners (004, Japanese and Korean rules).
    Territory,
}

/// What the position alone does not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountOptions {
    /// `None`: as the ruleset counts.
    pub method: Option<Method>,
    /// Points of dead stones; the whole chain of each comes off.
    pub dead: Vec<Point>,
    /// Stones taken during the game, `[by Black, by White]`; only territory counting asks.
    pub prisoners: [usize; 2],
    /// What Black gives, in the ruleset's unit; `None`: the ruleset's komi, or none in a handicap game.
    pub komi: Option<Amount>,
    /// 0: an even game. 1: first move without komi (让先). 2 and more: so many handicap stones.
    pub handicap: u32,
    /// What each side gives as penalty, in the ruleset's unit: `[Black, White]`.
    pub penalty: [Amount; 2],
}

/// A counted game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Count {
    pub method: Method,
    pub unit: Unit,
    /// Area: Black's stones and points, before komi. Territory: Black's empty points and prisoners, before komi.
    pub black: Amount,
    pub white: Amount,
    /// Half of the board; `None` when territory is compared.
    pub threshold: Option<Amount>,
    /// What Black gave, in `unit`.
    pub komi: Amount,
    /// What Black gave back for handicap stones, in `unit`.
    pub handicap_returned: Amount,
    /// What each side gave as penalty, in `unit`: `[Black, White]`.
    pub penalty: [Amount; 2],
    /// Separate groups, `[Black, White]`, where they cost a stone each (还棋头).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<[usize; 2]>,
    /// Empty points that both sides share.
    pub shared: usize,
    /// By how much Black is ahead, in `unit`; negative: White.
    #[serde(rename = "result", serialize_with = "margin_text")]
    pub margin: Amount,
    /// `None`: a draw.
    #[serde(serialize_with = "winner_text")]
    pub winner: Option<Color>,
}

impl Count {
    /// `B+1/4`, `W+3`, `draw`.
    pub fn result(&self) -> String {
        result_text(self.margin)
    }
}

fn result_text(margin: Amount) -> String {
    match margin.in_quarters() {
        0 => "draw".to_owned(),
        1.. => format!("B+{margin}"),
        _ => format!("W+{}", margin.abs()),
    }
}

fn margin_text<S: Serializer>(margin: &Amount, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(&result_text(*margin))
}

fn winner_text<S: Serializer>(winner: &Option<Color>, s: S) -> Result<S::Ok, S::Error> {
    match winner {
        Some(color) => color.serialize(s),
        None => s.serialize_str("draw"),
    }
}

/// Why a position cannot be counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    #[error("dead stone {at}: the board has {size} rows and columns, counted from 0")]
    OffBoard { at: Point, size: u8 },
    #[error("dead stone {at}: the point is empty")]
    NoStone { at: Point },
}

/// Counts a final position. Empty points that reach one colour only are that colour's; others are shared half and half
/// in area counting and nobody's in territory counting. Whether stones live is for the players to say (`dead`).
pub fn count(board: &Board, rules: &Ruleset, options: &CountOptions) -> Result<Count, CountError> {
    let mut board = board.clone();
    let mut prisoners = options.prisoners;
    for &at in &options.dead {
        if !board.contains(at) {
            return Err(CountError::OffBoard { at, size: board.size() });
        }
        if board.get(at).is_none() {
            return Err(CountError::NoStone { at });
        }
    }
    for &at in &options.dead {
        // the stones of one chain may all be named
        let Some(color) = board.get(at) else { continue };
        for p in board.chain(at).0 {
            board.set(p, None);
            prisoners[color.opponent() as usize] += 1;
        }
    }

    let owners = owners(&board);
    let territory = |color| owners.iter().filter(|o| **o == Some(color)).count();
    let points = board.size() as usize * board.size() as usize;
    let stones = [board.stones(Color::Black), board.stones(Color::White)];
    let own = [territory(Color::Black), territory(Color::White)];
    let shared = points - stones[0] - stones[1] - own[0] - own[1];

    let unit = rules.komi.unit;
    let komi = options.komi.unwrap_or(if options.handicap == 0 { rules.komi.amount } else { Amount::ZERO });
    let method = options.method.unwrap_or(match rules.counting.method {
        Counting::Area | Counting::AreaLessGroups => Method::Area,
        Counting::Territory => Method::Territory,
    });
    let handicap_returned = match rules.handicap.returned {
        HandicapReturn::Half if options.handicap >= 2 && method == Method::Area => match unit {
            Unit::Stones => Amount::halves(i64::from(options.handicap)),
            Unit::Points => Amount::whole(i64::from(options.handicap)),
        },
        _ => Amount::ZERO,
    };
    let groups = (method == Method::Area && rules.counting.method == Counting::AreaLessGroups)
        .then(|| [groups(&board, &owners, Color::Black), groups(&board, &owners, Color::White)]);

    let (black, white, threshold) = match method {
        Method::Area => {
            let of = |c: usize| Amount::whole((stones[c] + own[c]) as i64) + Amount::halves(shared as i64);
            (of(0), of(1), Some(Amount::halves(points as i64)))
        }
        Method::Territory => {
            let of = |c: usize| Amount::whole((own[c] + prisoners[c]) as i64);
            (of(0), of(1), None)
        }
    };
    // The difference of the counts is in points, and a stone is worth two.
    let ahead = match unit {
        Unit::Points => black - white,
        Unit::Stones => Amount::quarters((black - white).in_quarters() / 2),
    };
    let mut margin = ahead - komi - handicap_returned - options.penalty[0] + options.penalty[1];
    if let Some([black, white]) = groups {
        let stones = Amount::whole(white as i64 - black as i64);
        margin += if unit == Unit::Stones { stones } else { stones.doubled() };
    }
    let winner = match margin.in_quarters() {
        0 => None,
        1.. => Some(Color::Black),
        _ => Some(Color::White),
    };
    let penalty = options.penalty;
    Ok(Count {
        method,
        unit,
        black,
        white,
        threshold,
        komi,
        handicap_returned,
        penalty,
        groups,
        shared,
        margin,
        winner,
    })
}

/// Whose each empty point is, by index: the colour that alone it reaches. `None` for stones, shared points and an empty board.
fn owners(board: &Board) -> Vec<Option<Color>> {
    let mut owners = vec![None; board.points().count()];
    let mut seen = vec![false; owners.len()];
    for p in board.points() {
        if board.get(p).is_some() || seen[board.index(p)] {
            continue;
        }
        let mut region = vec![p];
        let mut reached = [false; 2];
        seen[board.index(p)] = true;
        let mut next = 0;
        while let Some(&at) = region.get(next) {
            next += 1;
            for n in board.neighbors(at) {
                match board.get(n) {
                    Some(color) => reached[color as usize] = true,
                    None if !seen[board.index(n)] => {
                        seen[board.index(n)] = true;
                        region.push(n);
                    }
                    None => {}
                }
            }
        }
        let owner = match reached {
            [true, false] => Some(Color::Black),
            [false, true] => Some(Color::White),
            _ => None,
        };
        for q in region {
            owners[board.index(q)] = owner;
        }
    }
    owners
}

/// Separate groups of `color`: stones that neither touch nor border one area of their own.
fn groups(board: &Board, owners: &[Option<Color>], color: Color) -> usize {
    let own = |p: Point| board.get(p) == Some(color) || owners[board.index(p)] == Some(color);
    let mut seen = vec![false; owners.len()];
    let mut groups = 0;
    for p in board.points() {
        if board.get(p) != Some(color) || seen[board.index(p)] {
            continue;
        }
        groups += 1;
        let mut left = vec![p];
        seen[board.index(p)] = true;
        while let Some(at) = left.pop() {
            for n in board.neighbors(at) {
                if own(n) && !seen[board.index(n)] {
                    seen[board.index(n)] = true;
                    left.push(n);
                }
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 19×19 board on which Black has `whole` + `shared`/2: filled row by row, no liberties needed for counting.
    fn black_with(whole: usize, shared: usize) -> Board {
        let mut board = Board::new(19);
        let points: Vec<Point> = board.points().collect();
        // a shared point touches both colours: leave it empty at the seam of the two areas
        for (i, &p) in points.iter().enumerate() {
            if i < whole {
                board.set(p, Some(Color::Black));
            } else if i >= whole + shared {
                board.set(p, Some(Color::White));
            }
        }
        board
    }

    fn result(board: &Board, rules: &str, options: &CountOptions) -> String {
        count(board, &Ruleset::builtin(rules).unwrap(), options).unwrap().result()
    }

    #[test]
    fn the_known_answers_of_the_documents() {
        let plain = CountOptions::default();
        assert_eq!(result(&black_with(185, 0), "cwa", &plain), "B+3/4");
        assert_eq!(result(&black_with(184, 1), "cwa", &plain), "B+1/4");
        assert_eq!(result(&black_with(184, 0), "cwa", &plain), "W+1/4");
        assert_eq!(result(&black_with(184, 0), "team-relay", &plain), "draw");
        // White 177 wins, Black 185 wins (004)
        assert_eq!(result(&black_with(361 - 177, 0), "cwa-classic", &plain), "W+1/4");
    }

    #[test]
    fn handicap_gives_half_back_and_penalties_count_as_stones() {
        let options = CountOptions { handicap: 4, ..CountOptions::default() };
        assert_eq!(result(&black_with(183, 0), "cwa", &options), "B+1/2");
        let first_move = CountOptions { handicap: 1, ..CountOptions::default() };
        assert_eq!(result(&black_with(181, 0), "cwa", &first_move), "B+1/2");
        let penalty = CountOptions { penalty: [Amount::whole(1), Amount::ZERO], ..CountOptions::default() };
        assert_eq!(result(&black_with(184, 0), "team-relay", &penalty), "W+1");
        let penalty = CountOptions { penalty: [Amount::ZERO, Amount::whole(2)], ..CountOptions::default() };
        assert_eq!(result(&black_with(184, 0), "team-relay", &penalty), "B+2");
    }

    #[test]
    fn territory_counts_points_prisoners_and_dead_stones() {
        let board = Board::from_rows(&[
            "...BW....",
            "...BW....",
            "...BW..B.",
            "...BW....",
            "...BW....",
            "...BW....",
            "...BW....",
            "...BW....",
            "...BW....",
        ])
        .unwrap();
        let options = CountOptions {
            dead: vec![Point::new(2, 7)],
            prisoners: [2, 0],
            komi: Some(Amount::ZERO),
            ..CountOptions::default()
        };
        let c = count(&board, &Ruleset::builtin("japan-korea").unwrap(), &options).unwrap();
        // White: 36 points and a prisoner
        assert_eq!((c.black, c.white, c.threshold), (Amount::whole(29), Amount::whole(37), None));
        assert_eq!(c.result(), "W+8");
        // the same by area: 36 against 45
        let area = CountOptions { method: Some(Method::Area), ..options };
        assert_eq!(result(&board, "japan-korea", &area), "W+9");
        assert_eq!(result(&board, "cwa", &area), "W+4 1/2");
    }

    #[test]
    fn ancient_rules_take_a_stone_for_every_group() {
        let board = Board::from_rows(&[
            ".B.BWWWWW",
            "BBBBW...W",
            "WWWWW...W",
            "W.......W",
            "W.......W",
            "WWWWWWWWW",
            "BBBBBBBBB",
            "B.B.B.B.B",
            "BBBBBBBBB",
        ])
        .unwrap();
        let c = count(&board, &Ruleset::builtin("ancient").unwrap(), &CountOptions::default()).unwrap();
        assert_eq!(c.groups, Some([2, 1]));
        // 35 against 46 is 5 1/2 stones, and one group more
        assert_eq!((c.black, c.result().as_str()), (Amount::whole(35), "W+6 1/2"));
    }

    #[test]
    fn an_empty_board_is_shared() {
        let c = count(&Board::new(9), &Ruleset::builtin("cwa").unwrap(), &CountOptions::default()).unwrap();
        assert_eq!((c.black, c.white, c.shared), (Amount::quarters(162), Amount::quarters(162), 81));
    }

    #[test]
    fn a_dead_stone_must_be_one() {
        let rules = Ruleset::builtin("cwa").unwrap();
        let dead = |at| count(&Board::new(9), &rules, &CountOptions { dead: vec![at], ..CountOptions::default() });
        assert_eq!(dead(Point::new(9, 0)), Err(CountError::OffBoard { at: Point::new(9, 0), size: 9 }));
        assert_eq!(dead(Point::new(0, 0)), Err(CountError::NoStone { at: Point::new(0, 0) }));
    }
}
