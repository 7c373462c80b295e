//! Counting a final position, exactly.
//!
//! Enters: the board as it lies at the end, which stones are dead, what Black gives and what each side is fined.
//! Leaves: a [`Count`] by one of five [`Method`]s, each worked out as it is done on the board. Whether stones live is for
//! the players to say; what seems dead is proposed by [`super::life`].

mod equal;
mod filling;
mod regions;
mod seki;

use serde::{Serialize, Serializer};

use super::{Amount, Board, Color, Counting, HandicapReturn, Point, Ruleset, Unit};
use regions::Regions;

pub use equal::Equalized;
pub use filling::Filled;
pub use seki::Seki;

/// A way to count. The first four lead to the same margin from every position (000 art. 9.4: any method will do if the
/// count is right); territory differs by what `docs/rules.md` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// One side's stones and points against half of the board (归本数, 000 art. 9.4.1; 003 art. 9).
    Area,
    /// Filling with exactly 180 stones a side (填满计数, 000 art. 9.4.2).
    Fill,
    /// Equal numbers of stones on the board, then empty points (等子比空法一, 000 art. 9.4.3).
    Equal,
    /// Prisoners home, equal numbers of stones played, then empty points (等子比空法二, 000 art. 9.4.4).
    EqualMoves,
    /// Empty points and prisoners (数目法; 004, Japanese and Korean rules).
    Territory,
}

impl Method {
    pub const ALL: [Method; 5] = [Method::Area, Method::Fill, Method::Equal, Method::EqualMoves, Method::Territory];

    /// The name in JSON and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Method::Area => "area",
            Method::Fill => "fill",
            Method::Equal => "equal",
            Method::EqualMoves => "equal-moves",
            Method::Territory => "territory",
        }
    }
}

impl From<Counting> for Method {
    fn from(counting: Counting) -> Method {
        match counting {
            Counting::Area | Counting::AreaLessGroups => Method::Area,
            Counting::Fill => Method::Fill,
            Counting::Equal => Method::Equal,
            Counting::EqualMoves => Method::EqualMoves,
            Counting::Territory => Method::Territory,
        }
    }
}

/// What the position alone does not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountOptions {
    /// `None`: as the ruleset counts.
    pub method: Option<Method>,
    /// Points of dead stones; the whole chain of each comes off.
    pub dead: Vec<Point>,
    /// Empty points that could still be contested when both sides had confirmed the end: shared as in seki (000 art. 21.2).
    pub contested: Vec<Point>,
    /// Stones taken during the game, `[by Black, by White]`. Area and filling do without.
    pub prisoners: [usize; 2],
    /// Where territory is counted: whose eyes do not count.
    pub seki: Seki,
    /// What Black gives, in the ruleset's unit; `None`: the ruleset's komi, or none in a handicap game.
    pub komi: Option<Amount>,
    /// 0: an even game. 1: first move without komi (让先). 2 and more: so many handicap stones.
    pub handicap: u32,
    /// What each side gives as penalty, in the ruleset's unit: `[Black, White]`.
    pub penalty: [Amount; 2],
}

/// A counted game. Pairs are `[Black, White]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Count {
    pub method: Method,
    pub unit: Unit,
    /// What is compared, in points, before komi, handicap, penalties and groups:
    /// * area: stones and own empty points, and half of the shared points;
    /// * fill: own points left empty less stones left over, and half of the shared points;
    /// * equal, equal-moves: own empty points that are left;
    /// * territory: own empty points, and prisoners with the dead stones.
    pub black: Amount,
    pub white: Amount,
    /// What Black must exceed with area and fill, both sides being even: half of what both have together. `None` where the two sides
    /// are compared with one another.
    pub threshold: Option<Amount>,
    /// What Black gave, in `unit`.
    pub komi: Amount,
    /// What Black gave back for handicap stones, in `unit`.
    pub handicap_returned: Amount,
    /// What each side gave as penalty, in `unit`.
    pub penalty: [Amount; 2],
    /// Separate groups where they cost a stone each (还棋头).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<[usize; 2]>,
    /// Empty points that both sides share.
    pub shared: usize,
    /// Stones taken off as dead.
    pub dead: Vec<Point>,
    /// Stones of groups that live in seki, and their empty points, which territory leaves out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seki: Vec<Point>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncounted: Vec<Point>,
    /// How the stones were laid, for the methods that lay them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// By how much Black is ahead, in `unit`; negative: White.
    pub margin: Amount,
    result: String,
    /// `None`: a draw.
    #[serde(serialize_with = "winner_text")]
    pub winner: Option<Color>,
}

/// What was done on the board to count it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Work {
    Filled(Filled),
    Equalized(Equalized),
}

impl Count {
    /// `B+1/4`, `W+3`, `draw`; `W+0` where a drawn game is White's.
    pub fn result(&self) -> &str {
        &self.result
    }
}

fn result_text(margin: Amount, winner: Option<Color>) -> String {
    match winner {
        None => "draw".to_owned(),
        Some(color) => format!("{color}+{}", margin.abs()),
    }
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
    #[error("{what} {at}: the board has {size} rows and columns, counted from 0")]
    OffBoard { what: &'static str, at: Point, size: u8 },
    #[error("{what} {at}: the point is empty")]
    NoStone { what: &'static str, at: Point },
    #[error("{what} {at}: a stone lies there")]
    Occupied { what: &'static str, at: Point },
}

/// Counts a final position. Empty points that reach one colour only are that colour's; others are shared half and half
/// (000 art. 9.1, 003 art. 9), or nobody's in territory counting. Whether stones live is for the players to say (`dead`).
pub fn count(board: &Board, rules: &Ruleset, options: &CountOptions) -> Result<Count, CountError> {
    let on_board = |what, points: &[Point]| match points.iter().find(|&&at| !board.contains(at)) {
        Some(&at) => Err(CountError::OffBoard { what, at, size: board.size() }),
        None => Ok(()),
    };
    on_board("dead stone", &options.dead)?;
    on_board("contested point", &options.contested)?;
    let mut prisoners = options.prisoners;
    let (board, dead) = without_dead(board, &options.dead)?;
    for &(_, color) in &dead {
        prisoners[color.opponent() as usize] += 1;
    }
    if let Some(&at) = options.contested.iter().find(|&&at| board.get(at).is_some()) {
        return Err(CountError::Occupied { what: "contested point", at });
    }

    let regions = Regions::new(&board, &options.contested);
    let points = board.points().count();
    let stones = [board.stones(Color::Black), board.stones(Color::White)];
    let own = [Color::Black, Color::White].map(|c| regions.own_points(c).len());
    let shared = points - stones[0] - stones[1] - own[0] - own[1];
    let half_shared = Amount::halves(shared as i64);

    let method = options.method.unwrap_or(rules.counting.method.into());
    let seki = match method {
        Method::Territory => in_seki(&board, &regions, &options.seki)?,
        _ => InSeki::default(),
    };
    let lost = [prisoners[1], prisoners[0]];
    let mut work = None;
    let (black, white, threshold) = match method {
        Method::Area => {
            let of = |c: usize| Amount::whole((stones[c] + own[c]) as i64) + half_shared;
            (of(0), of(1), Some(Amount::halves(points as i64)))
        }
        Method::Fill => {
            let filled = filling::fill(&board, &regions);
            let of = |c: usize| Amount::whole(filled.unfilled[c] as i64 - filled.left_over[c] as i64) + half_shared;
            let sides = (of(0), of(1), Some(Amount::halves(points as i64 - 2 * filled.stones_each as i64)));
            work = Some(Work::Filled(filled));
            sides
        }
        Method::Equal | Method::EqualMoves => {
            let by = if method == Method::Equal { equal::equal_stones } else { equal::equal_moves };
            let equalized = by(&board, &regions, lost);
            let [black, white] = equalized.empty.map(Amount::whole);
            work = Some(Work::Equalized(equalized));
            (black, white, None)
        }
        Method::Territory => {
            let of = |c: usize| Amount::whole((own[c] + prisoners[c] - seki.eyes[c]) as i64);
            (of(0), of(1), None)
        }
    };

    // What Black gives in an even game (贴子), or for handicap stones (004: 让子要贴还让子数的一半), is in the ruleset's unit.
    let unit = rules.komi.unit;
    let komi = options.komi.unwrap_or(if options.handicap == 0 { rules.komi.amount } else { Amount::ZERO });
    let handicap_returned = match rules.handicap.returned {
        HandicapReturn::Half if options.handicap >= 2 && method != Method::Territory => match unit {
            Unit::Stones => Amount::halves(i64::from(options.handicap)),
            Unit::Points => Amount::whole(i64::from(options.handicap)),
        },
        _ => Amount::ZERO,
    };
    let groups = (method != Method::Territory && rules.counting.method == Counting::AreaLessGroups)
        .then(|| [Color::Black, Color::White].map(|c| regions.groups(&board, c).len()));

    // The difference of the counts is in points, and a stone is worth two (000 art. 9.4.1: 其值为黑白点之差的一半).
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
        0 => rules.counting.draw_goes_to.map(Color::from),
        1.. => Some(Color::Black),
        _ => Some(Color::White),
    };
    Ok(Count {
        method,
        unit,
        black,
        white,
        threshold,
        komi,
        handicap_returned,
        penalty: options.penalty,
        groups,
        shared,
        dead: dead.into_iter().map(|(p, _)| p).collect(),
        seki: seki.stones,
        uncounted: seki.uncounted,
        work,
        margin,
        result: result_text(margin, winner),
        winner,
    })
}

/// The board with the chains of these stones taken off, and the stones with their colours in board order.
fn without_dead(board: &Board, dead: &[Point]) -> Result<(Board, Vec<(Point, Color)>), CountError> {
    let mut left = board.clone();
    let mut off = Vec::new();
    for &at in dead {
        if board.get(at).is_none() {
            return Err(CountError::NoStone { what: "dead stone", at });
        }
        // the stones of one chain may all be named
        let Some(color) = left.get(at) else { continue };
        for p in left.chain(at).0 {
            left.set(p, None);
            off.push((p, color));
        }
    }
    off.sort();
    Ok((left, off))
}

/// What territory counting leaves out.
#[derive(Default)]
struct InSeki {
    stones: Vec<Point>,
    uncounted: Vec<Point>,
    /// How many of `uncounted` are `[Black's, White's]`.
    eyes: [usize; 2],
}

fn in_seki(board: &Board, regions: &Regions, seki: &Seki) -> Result<InSeki, CountError> {
    let groups = match seki {
        Seki::Nowhere => Vec::new(),
        Seki::Recognised => seki::find(board, regions),
        Seki::Of(points) => {
            let what = "seki";
            for &at in points {
                if !board.contains(at) {
                    return Err(CountError::OffBoard { what, at, size: board.size() });
                }
                if board.get(at).is_none() {
                    return Err(CountError::NoStone { what, at });
                }
            }
            let all = [Color::Black, Color::White].into_iter().flat_map(|c| regions.groups(board, c));
            all.filter(|g| points.iter().any(|p| g.stones.contains(p))).collect()
        }
    };
    let mut found = InSeki::default();
    for group in groups {
        for id in group.areas {
            found.uncounted.extend(&regions.all[id].points);
            found.eyes[group.color as usize] += regions.all[id].points.len();
        }
        found.stones.extend(group.stones);
    }
    found.stones.sort();
    found.uncounted.sort();
    Ok(found)
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
        count(board, &Ruleset::builtin(rules).unwrap(), options).unwrap().result().to_owned()
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
        assert_eq!((c.black, c.result()), (Amount::whole(35), "W+6 1/2"));
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
        assert_eq!(
            dead(Point::new(9, 0)),
            Err(CountError::OffBoard { what: "dead stone", at: Point::new(9, 0), size: 9 })
        );
        assert_eq!(dead(Point::new(0, 0)), Err(CountError::NoStone { what: "dead stone", at: Point::new(0, 0) }));
    }
}
