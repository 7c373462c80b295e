//! Who plays Black: by lot or by guessing stones (猜先), and what can be done when the colours were taken wrongly.

use serde::{Deserialize, Serialize};

use crate::rules::{Color, Text, guessed_black};

/// The two sides before they have colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entrant {
    First,
    Second,
}

impl Entrant {
    pub fn other(self) -> Entrant {
        match self {
            Entrant::First => Entrant::Second,
            Entrant::Second => Entrant::First,
        }
    }
}

/// Why this side hides the stones (003 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HolderReason {
    HigherRank,
    /// Of equal rank, the elder.
    Elder,
    /// Agreed, or a team's leader (000 11).
    Agreed,
}

/// What the other side claims by showing stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Guess {
    /// One stone: "odd, and I play Black".
    Odd,
    /// Two stones: "even, and I play Black".
    Even,
}

/// Who hides the stones, by rank and age: the higher rank, of equal rank the elder; `None` where neither decides.
/// A higher number is a higher rank, or more years.
pub fn holder(rank: [u32; 2], age: [u32; 2]) -> Option<(Entrant, HolderReason)> {
    let by = |pair: [u32; 2], reason| match pair[0].cmp(&pair[1]) {
        std::cmp::Ordering::Greater => Some((Entrant::First, reason)),
        std::cmp::Ordering::Less => Some((Entrant::Second, reason)),
        std::cmp::Ordering::Equal => None,
    };
    by(rank, HolderReason::HigherRank).or_else(|| by(age, HolderReason::Elder))
}

/// How it was settled who plays Black, with all that went into it, for the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Draw {
    /// By lot or by the organiser's pairing.
    Lot {
        black: Entrant,
    },
    Nigiri(Nigiri),
}

/// A guess at hidden stones, as it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "NigiriInput")]
pub struct Nigiri {
    holder: Entrant,
    reason: HolderReason,
    /// White stones in the holder's hand.
    held: u32,
    guess: Guess,
}

#[derive(Deserialize)]
struct NigiriInput {
    holder: Entrant,
    reason: HolderReason,
    held: u32,
    guess: Guess,
}

impl TryFrom<NigiriInput> for Nigiri {
    type Error = DrawError;

    fn try_from(n: NigiriInput) -> Result<Nigiri, DrawError> {
        let shown = if n.guess == Guess::Odd { 1 } else { 2 };
        Nigiri::new(n.holder, n.reason, n.held, shown)
    }
}

/// Why a guess cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DrawError {
    #[error("{0} stones were shown; one says odd, two say even (003 10)")]
    Shown(u32),
    #[error("{0} stones cannot be held in a hand; 1 to 181")]
    Held(u32),
}

impl Nigiri {
    /// `held` white stones were in the holder's hand, the other side showed `shown` black ones.
    pub fn new(holder: Entrant, reason: HolderReason, held: u32, shown: u32) -> Result<Nigiri, DrawError> {
        if !(1..=181).contains(&held) {
            return Err(DrawError::Held(held));
        }
        let guess = match shown {
            1 => Guess::Odd,
            2 => Guess::Even,
            n => return Err(DrawError::Shown(n)),
        };
        Ok(Nigiri { holder, reason, held, guess })
    }

    /// Right: the guesser plays Black; wrong: White.
    pub fn black(&self) -> Entrant {
        if guessed_black(self.held, self.guess == Guess::Odd) { self.holder.other() } else { self.holder }
    }
}

impl Draw {
    pub fn black(&self) -> Entrant {
        match self {
            Draw::Lot { black } => *black,
            Draw::Nigiri(n) => n.black(),
        }
    }

    /// The sentence for the record; `names` are those of the first and the second side.
    pub fn text(&self, names: [&str; 2]) -> Text {
        let of = |e: Entrant| if e == Entrant::First { names[0] } else { names[1] };
        let black = of(self.black());
        match self {
            Draw::Lot { .. } => Text::new(format!("By lot: {black} plays Black."), format!("抽签：{black}执黑。")),
            Draw::Nigiri(n) => {
                let (guess_en, guess_zh) = match n.guess {
                    Guess::Odd => ("odd", "奇数"),
                    Guess::Even => ("even", "偶数"),
                };
                let (why_en, why_zh) = match n.reason {
                    HolderReason::HigherRank => ("the higher rank", "高段者"),
                    HolderReason::Elder => ("the elder", "年长者"),
                    HolderReason::Agreed => ("as agreed", "约定"),
                };
                let (holder, guesser, held) = (of(n.holder), of(n.holder.other()), n.held);
                Text::new(
                    format!(
                        "{holder} ({why_en}) held {held} white stones, {guesser} guessed {guess_en}: {black} plays Black."
                    ),
                    format!("{holder}（{why_zh}）握白子{held}枚，{guesser}猜{guess_zh}：{black}执黑。"),
                )
            }
        }
    }
}

/// Who acts as a team's leader, in the order of 000 10.1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Executive {
    Leader,
    Coach,
    Captain,
    Player(String),
}

/// The acting leader: the leader, else the coach, else the captain, else the players of the third, second and first
/// section by seat. `present` tells of leader, coach and captain; `sections` are the players there, by section and seat.
pub fn executive(present: [bool; 3], sections: &[Vec<String>]) -> Option<Executive> {
    match present {
        [true, ..] => Some(Executive::Leader),
        [_, true, _] => Some(Executive::Coach),
        [.., true] => Some(Executive::Captain),
        _ => sections.iter().rev().flatten().next().cloned().map(Executive::Player),
    }
}

/// A player's place: his colour and his number within the team. Colours alternate around the table and play goes
/// clockwise: Black 1, White 1, Black 2, White 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Seat {
    pub color: Color,
    /// From 1.
    pub number: u8,
}

impl Seat {
    pub const fn new(color: Color, number: u8) -> Seat {
        Seat { color, number }
    }

    /// The next seat clockwise with `players` on each side.
    pub fn next(self, players: u8) -> Seat {
        match self.color {
            Color::Black => Seat::new(Color::White, self.number),
            Color::White => Seat::new(Color::Black, if self.number >= players { 1 } else { self.number + 1 }),
        }
    }
}

impl std::fmt::Display for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.color, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 003 10, both guesses, both results.
    #[test]
    fn guessing_stones() {
        let black = |held, shown| Nigiri::new(Entrant::First, HolderReason::HigherRank, held, shown).map(|n| n.black());
        assert_eq!(black(7, 1), Ok(Entrant::Second));
        assert_eq!(black(8, 1), Ok(Entrant::First));
        assert_eq!(black(8, 2), Ok(Entrant::Second));
        assert_eq!(black(7, 2), Ok(Entrant::First));
        assert_eq!(black(7, 3), Err(DrawError::Shown(3)));
        assert_eq!(black(0, 1), Err(DrawError::Held(0)));
    }

    #[test]
    fn who_hides_the_stones() {
        assert_eq!(holder([9, 5], [20, 60]), Some((Entrant::First, HolderReason::HigherRank)));
        assert_eq!(holder([5, 5], [20, 60]), Some((Entrant::Second, HolderReason::Elder)));
        assert_eq!(holder([5, 5], [20, 20]), None);
    }

    #[test]
    fn the_acting_leader() {
        let s = |names: [&str; 2]| names.map(str::to_owned).to_vec();
        let sections = [s(["a", "b"]), s(["c", "d"]), s(["e", "f"])];
        assert_eq!(executive([false, true, true], &sections), Some(Executive::Coach));
        assert_eq!(executive([false; 3], &sections), Some(Executive::Player("e".into())));
        assert_eq!(executive([false; 3], &sections[..1]), Some(Executive::Player("a".into())));
        assert_eq!(executive([false; 3], &[]), None);
    }

    #[test]
    fn seats_go_clockwise() {
        let mut seat = Seat::new(Color::Black, 1);
        let mut round = vec![seat.to_string()];
        for _ in 0..4 {
            seat = seat.next(2);
            round.push(seat.to_string());
        }
        assert_eq!(round, ["B1", "W1", "B2", "W2", "B1"]);
    }
}
