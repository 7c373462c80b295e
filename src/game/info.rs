//! What is known of a game beside its moves.

use serde::{Deserialize, Serialize};

use crate::rules::{Amount, Point, Ruleset, Unit};

/// One side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Player {
    pub name: String,
    pub team: String,
    pub rank: String,
}

/// What a record says at its head. Empty texts are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GameInfo {
    pub black: Player,
    pub white: Player,
    pub event: String,
    pub round: String,
    /// `2026-11-29`.
    pub date: String,
    pub place: String,
    /// As other programs know it (`Chinese`, `Japanese`), else the ruleset's id.
    pub ruleset: String,
    /// In points, as SGF has it.
    pub komi: Option<Amount>,
    /// Handicap stones; 0 for an even game.
    pub handicap: u32,
    /// As SGF writes it (`B+R`, `W+2.5`, `0`); `None`: what the events tell.
    pub result: Option<String>,
    /// Who recorded.
    pub recorder: String,
    pub orientation: Orientation,
}

impl GameInfo {
    /// The rules' name and komi; the rest is empty.
    pub fn for_ruleset(rules: &Ruleset) -> GameInfo {
        let ruleset = match rules.id.as_str() {
            "cwa" | "cwa-classic" => "Chinese",
            "japan-korea" => "Japanese",
            id => id,
        };
        let komi = match rules.komi.unit {
            Unit::Points => rules.komi.amount,
            Unit::Stones => rules.komi.amount.doubled(),
        };
        GameInfo { ruleset: ruleset.to_owned(), komi: Some(komi), ..GameInfo::default() }
    }

    /// The same for a game with handicap stones (1: with the first move): no komi is given in it, as it is counted.
    pub fn for_handicap(rules: &Ruleset, handicap: u32) -> GameInfo {
        let even = GameInfo::for_ruleset(rules);
        let komi = if handicap == 0 { even.komi } else { Some(Amount::ZERO) };
        GameInfo { handicap, komi, ..even }
    }
}

/// How far the picture is turned, clockwise, so that it shows the record's usual way up. A number of degrees in files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
pub enum Orientation {
    #[default]
    None,
    Quarter,
    Half,
    ThreeQuarters,
}

impl Orientation {
    pub const ALL: [Orientation; 4] =
        [Orientation::None, Orientation::Quarter, Orientation::Half, Orientation::ThreeQuarters];

    /// 0, 90, 180 or 270.
    pub fn from_degrees(degrees: u16) -> Option<Orientation> {
        Orientation::ALL.into_iter().find(|o| o.degrees() == degrees)
    }

    pub fn degrees(self) -> u16 {
        90 * self as u16
    }

    /// Where a point of the picture lies in the record.
    pub fn to_record(self, p: Point, size: u8) -> Point {
        let last = size.saturating_sub(1);
        match self {
            Orientation::None => p,
            Orientation::Quarter => Point::new(p.col, last.saturating_sub(p.row)),
            Orientation::Half => Point::new(last.saturating_sub(p.row), last.saturating_sub(p.col)),
            Orientation::ThreeQuarters => Point::new(last.saturating_sub(p.col), p.row),
        }
    }

    /// Where a point of the record lies in the picture.
    pub fn to_picture(self, p: Point, size: u8) -> Point {
        let back = match self {
            Orientation::Quarter => Orientation::ThreeQuarters,
            Orientation::ThreeQuarters => Orientation::Quarter,
            same => same,
        };
        back.to_record(p, size)
    }
}

impl TryFrom<u16> for Orientation {
    type Error = String;

    fn try_from(degrees: u16) -> Result<Orientation, String> {
        Orientation::from_degrees(degrees)
            .ok_or_else(|| format!("an orientation of {degrees} degrees; it is one of 0, 90, 180, 270"))
    }
}

impl From<Orientation> for u16 {
    fn from(o: Orientation) -> u16 {
        o.degrees()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_there_and_back() {
        for o in Orientation::ALL {
            for row in 0..9 {
                for col in 0..9 {
                    let p = Point::new(row, col);
                    assert_eq!(o.to_picture(o.to_record(p, 9), 9), p);
                }
            }
            assert_eq!(Orientation::from_degrees(o.degrees()), Some(o));
        }
        // the picture's top left comes to the top right when it is turned clockwise
        assert_eq!(Orientation::Quarter.to_record(Point::new(0, 0), 19), Point::new(0, 18));
        assert_eq!(
            Orientation::try_from(45).unwrap_err(),
            "an orientation of 45 degrees; it is one of 0, 90, 180, 270"
        );
    }
}
