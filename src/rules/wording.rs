//! Sentences for people.

use serde::{Deserialize, Serialize};

/// A sentence for people, in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Text {
    pub en: String,
    pub zh: String,
}

impl Text {
    pub fn new(en: impl Into<String>, zh: impl Into<String>) -> Text {
        Text { en: en.into(), zh: zh.into() }
    }
}

/// `1st`, `2nd`, `3rd`, `4th`, `11th`, `21st`.
pub(super) fn ordinal(n: u32) -> String {
    let suffix = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals() {
        let all = [1, 2, 3, 4, 11, 12, 13, 21, 102, 113].map(ordinal).join(" ");
        assert_eq!(all, "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 113th");
    }
}
