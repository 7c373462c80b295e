//! Exact amounts of stones or points.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number of stones or points in quarters: every komi, half-shared point and penalty of the rule documents is one.
/// Written as people write it: `184 1/2`, `-3/4`, `7`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Amount {
    quarters: i64,
}

impl Amount {
    pub const ZERO: Amount = Amount { quarters: 0 };

    pub const fn whole(n: i64) -> Amount {
        Amount { quarters: 4 * n }
    }

    pub const fn quarters(n: i64) -> Amount {
        Amount { quarters: n }
    }

    /// `n` halves: what a number of things shared by two comes to.
    pub const fn halves(n: i64) -> Amount {
        Amount { quarters: 2 * n }
    }

    pub const fn in_quarters(self) -> i64 {
        self.quarters
    }

    pub const fn abs(self) -> Amount {
        Amount { quarters: self.quarters.abs() }
    }

    /// Twice as much: points for stones.
    pub const fn doubled(self) -> Amount {
        Amount { quarters: 2 * self.quarters }
    }

    /// Decimal text without loss (`3.75`), as SGF writes komi.
    pub fn decimal(self) -> String {
        let sign = if self.quarters < 0 { "-" } else { "" };
        let q = self.quarters.unsigned_abs();
        let fraction = ["", ".25", ".5", ".75"][(q % 4) as usize];
        format!("{sign}{}{fraction}", q / 4)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let q = self.quarters.unsigned_abs();
        let fraction = ["", "1/4", "1/2", "3/4"][(q % 4) as usize];
        let sign = if self.quarters < 0 { "-" } else { "" };
        match (q / 4, fraction) {
            (n, "") => write!(f, "{sign}{n}"),
            (0, fraction) => write!(f, "{sign}{fraction}"),
            (n, fraction) => write!(f, "{sign}{n} {fraction}"),
        }
    }
}

/// Why a text is not an [`Amount`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not an amount in quarters; write it as 7, 7.5, 3.75, 3 3/4 or 3¾")]
pub struct ParseAmountError(pub String);

impl FromStr for Amount {
    type Err = ParseAmountError;

    fn from_str(text: &str) -> Result<Amount, ParseAmountError> {
        parse(text.trim()).map(Amount::quarters).ok_or_else(|| ParseAmountError(text.to_owned()))
    }
}

/// The text's number of quarters.
fn parse(text: &str) -> Option<i64> {
    const LARGEST: i64 = 1_000_000;
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = |s: &str| {
        (!s.is_empty() && s.bytes().all(|b| b.is_ascii_digit()))
            .then(|| s.parse::<i64>().ok().filter(|&n| n <= LARGEST))
            .flatten()
    };
    let quarters = if let Some((before, top_bottom)) = split_fraction(text) {
        let whole = if before.is_empty() { 0 } else { digits(before)? };
        let (top, bottom) = top_bottom;
        let (top, bottom) = (digits(top)?, digits(bottom)?);
        if bottom == 0 || (4 * top) % bottom != 0 {
            return None;
        }
        4 * whole + 4 * top / bottom
    } else if let Some((whole, decimals)) = text.split_once('.') {
        let whole = if whole.is_empty() { 0 } else { digits(whole)? };
        let hundredths = match decimals.trim_end_matches('0') {
            "" if decimals.is_empty() => return None,
            "" => 0,
            "25" => 25,
            "5" => 50,
            "75" => 75,
            _ => return None,
        };
        4 * whole + hundredths / 25
    } else {
        4 * digits(text)?
    };
    Some(if negative { -quarters } else { quarters })
}

/// `"3 3/4"` and `"3¾"` to `("3", ("3", "4"))`.
fn split_fraction(text: &str) -> Option<(&str, (&str, &str))> {
    for (sign, fraction) in [('¼', ("1", "4")), ('½', ("1", "2")), ('¾', ("3", "4"))] {
        if let Some(whole) = text.strip_suffix(sign) {
            return Some((whole.trim_end(), fraction));
        }
    }
    let (left, bottom) = text.split_once('/')?;
    match left.rsplit_once(char::is_whitespace) {
        Some((whole, top)) => Some((whole.trim_end(), (top, bottom))),
        None => Some(("", (left, bottom))),
    }
}

impl Add for Amount {
    type Output = Amount;
    fn add(self, other: Amount) -> Amount {
        Amount { quarters: self.quarters + other.quarters }
    }
}

impl Sub for Amount {
    type Output = Amount;
    fn sub(self, other: Amount) -> Amount {
        Amount { quarters: self.quarters - other.quarters }
    }
}

impl Neg for Amount {
    type Output = Amount;
    fn neg(self) -> Amount {
        Amount { quarters: -self.quarters }
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Amount) {
        *self = *self + other;
    }
}

impl Sum for Amount {
    fn sum<I: Iterator<Item = Amount>>(amounts: I) -> Amount {
        amounts.fold(Amount::ZERO, Add::add)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

/// From text, or from a whole number or decimal that is a quarter exactly.
impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Amount, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Amount;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an amount such as \"3 3/4\"")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Amount, E> {
                text.parse().map_err(E::custom)
            }
            fn visit_i64<E: serde::de::Error>(self, n: i64) -> Result<Amount, E> {
                n.to_string().parse().map_err(E::custom)
            }
            fn visit_u64<E: serde::de::Error>(self, n: u64) -> Result<Amount, E> {
                n.to_string().parse().map_err(E::custom)
            }
            fn visit_f64<E: serde::de::Error>(self, x: f64) -> Result<Amount, E> {
                x.to_string().parse().map_err(E::custom)
            }
        }
        d.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_both_ways() {
        for (text, quarters, shown) in [
            ("3 3/4", 15, "3 3/4"),
            ("3¾", 15, "3 3/4"),
            ("3.75", 15, "3 3/4"),
            ("15/4", 15, "3 3/4"),
            ("7.50", 30, "7 1/2"),
            ("½", 2, "1/2"),
            (" -0.25", -1, "-1/4"),
            ("-3 1/2", -14, "-3 1/2"),
            ("+7", 28, "7"),
            ("0", 0, "0"),
            ("3.0", 12, "3"),
        ] {
            let amount: Amount = text.parse().unwrap();
            assert_eq!((amount.in_quarters(), amount.to_string().as_str()), (quarters, shown), "{text}");
            assert_eq!(amount.to_string().parse::<Amount>().unwrap(), amount);
            assert_eq!(amount.decimal().parse::<Amount>().unwrap(), amount);
        }
    }

    #[test]
    fn what_is_no_quarter_is_refused() {
        for text in ["", ".", "3.", "3.1", "1/3", "1/0", "x", "3 3", "1e3", "--1", "99999999999999999999", "3 /4", "½½"]
        {
            assert!(text.parse::<Amount>().is_err(), "{text}");
        }
    }
}
