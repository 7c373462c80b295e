//! Lengths of time as people write them: `1h55m`, `60s`, `1500ms`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A length of time in whole milliseconds, at most [`Millis::MAX`]. Text in TOML and JSON: `"1h30m"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Millis(u64);

const UNITS: [(&str, u64); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

impl Millis {
    /// 1000 hours: no game is longer, and sums of a few cannot overflow.
    pub const MAX: Millis = Millis(1000 * 3_600_000);

    /// `None` above [`Millis::MAX`].
    pub const fn new(ms: u64) -> Option<Millis> {
        if ms <= Millis::MAX.0 { Some(Millis(ms)) } else { None }
    }

    /// At most [`Millis::MAX`].
    pub const fn seconds(s: u32) -> Millis {
        let ms = s as u64 * 1000;
        if ms <= Millis::MAX.0 { Millis(ms) } else { Millis::MAX }
    }

    /// At most [`Millis::MAX`].
    pub const fn minutes(m: u32) -> Millis {
        let ms = m as u64 * 60_000;
        if ms <= Millis::MAX.0 { Millis(ms) } else { Millis::MAX }
    }

    pub const fn ms(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("0s");
        }
        let mut rest = self.0;
        for (unit, ms) in UNITS {
            if rest >= ms {
                write!(f, "{}{unit}", rest / ms)?;
                rest %= ms;
            }
        }
        Ok(())
    }
}

/// Why a text is not a length of time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a length of time; write it as 1h55m, 5m, 60s or 1500ms, at most 1000h")]
pub struct ParseMillisError(pub String);

impl FromStr for Millis {
    type Err = ParseMillisError;

    fn from_str(text: &str) -> Result<Millis, ParseMillisError> {
        parse(text.trim()).ok_or_else(|| ParseMillisError(text.to_owned()))
    }
}

/// Each unit at most once, the longer before the shorter.
fn parse(text: &str) -> Option<Millis> {
    let mut rest = text;
    let mut total: u64 = 0;
    let mut units = UNITS.iter();
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = rest[..digits].parse().ok()?;
        rest = rest[digits..].trim_start();
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (_, ms) = units.find(|(unit, _)| *unit == &rest[..letters])?;
        total = total.checked_add(number.checked_mul(*ms)?)?;
        rest = rest[letters..].trim_start();
    }
    (!text.is_empty()).then_some(total).and_then(Millis::new)
}

impl Serialize for Millis {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Millis, D::Error> {
        String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_as_people_write_it() {
        for (text, ms) in
            [("1h55m", 6_900_000), ("60s", 60_000), ("1500ms", 1500), ("2h", 7_200_000), ("1m 30s", 90_000)]
        {
            assert_eq!(text.parse::<Millis>().unwrap().ms(), ms, "{text}");
        }
        assert_eq!(Millis::seconds(60).to_string(), "1m");
        assert_eq!(Millis(0).to_string(), "0s");
        for bad in ["", "5", "m", "5x", "1m1h", "1m1m", "-1s", "1001h", "99999999999999999999s", "1.5h", "5分"] {
            assert!(bad.parse::<Millis>().is_err(), "{bad}");
        }
    }
}
