//! Whole-board repetition by name.
//!
//! Enters: the moves between two equal positions. Leaves: which kind of repetition that is ([`RepetitionKind`]), and what a
//! ruleset says of it ([`RepetitionRules`]). It looks at the moves alone: what was put where and what was taken. It may never
//! guess at life and death, nor name what does not have a kind's structure.

mod cycle;
mod policy;

pub use policy::{MoveLaw, RepetitionPolicy, RepetitionRule, RepetitionRules};

pub(super) use cycle::{Stone, name};
pub(super) use policy::RepetitionFile;

use serde::{Deserialize, Serialize};

use super::Text;

/// The kinds that the rule documents name (000 art. 20; 001 part 2, 11), by what was played between the equal positions.
/// Passes may lie between the moves of any of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepetitionKind {
    /// One ko, taken and retaken (单劫, 000 art. 20.1). At once it is [`Class::Ko`](super::Class::Ko); later it is the
    /// retake after passes.
    SingleKo,
    /// A stone makes two that are taken by one, which is taken back (送二还一). No document names it; the whole-board rule
    /// (000 and 003 art. 6) forbids it.
    SendingTwoReturningOne,
    /// Two kos, each taken and retaken: how a false life (假生) goes on for ever (000 art. 20.2; 001 part 2, 11.2).
    DoubleKo,
    /// Three kos (三劫循环, 000 art. 20.3; 001 part 2, 11.3).
    TripleKo,
    /// Four kos (四劫循环, 000 art. 20.3; 001 part 2, 11.3).
    QuadrupleKo,
    /// A stone makes two that are taken by one, which with its neighbour is taken by the stone put back; a throw-in
    /// restores the rest (长生, 000 art. 20.3; 001 part 2, 11.3).
    EternalLife,
    /// Each side sends two, has them taken and takes one back (双提两子, 000 art. 20.3; 001 part 2, 11.3).
    DoubleCaptureOfTwo,
    /// None of these: five kos or more, several kinds at once, anything longer, or stones that were rearranged in between.
    Other,
}

impl RepetitionKind {
    pub const ALL: [RepetitionKind; 8] = [
        RepetitionKind::SingleKo,
        RepetitionKind::SendingTwoReturningOne,
        RepetitionKind::DoubleKo,
        RepetitionKind::TripleKo,
        RepetitionKind::QuadrupleKo,
        RepetitionKind::EternalLife,
        RepetitionKind::DoubleCaptureOfTwo,
        RepetitionKind::Other,
    ];

    /// The name in JSON and in ruleset files.
    pub const fn as_str(self) -> &'static str {
        match self {
            RepetitionKind::SingleKo => "single_ko",
            RepetitionKind::SendingTwoReturningOne => "sending_two_returning_one",
            RepetitionKind::DoubleKo => "double_ko",
            RepetitionKind::TripleKo => "triple_ko",
            RepetitionKind::QuadrupleKo => "quadruple_ko",
            RepetitionKind::EternalLife => "eternal_life",
            RepetitionKind::DoubleCaptureOfTwo => "double_capture_of_two",
            RepetitionKind::Other => "other",
        }
    }

    /// The name as players say it.
    pub fn text(self) -> Text {
        let (en, zh) = match self {
            RepetitionKind::SingleKo => ("single ko", "单劫"),
            RepetitionKind::SendingTwoReturningOne => ("sending two, returning one", "送二还一"),
            RepetitionKind::DoubleKo => ("double ko, as in a false life", "双劫循环（假生类）"),
            RepetitionKind::TripleKo => ("triple ko", "三劫循环"),
            RepetitionKind::QuadrupleKo => ("quadruple ko", "四劫循环"),
            RepetitionKind::EternalLife => ("eternal life", "长生"),
            RepetitionKind::DoubleCaptureOfTwo => ("double capture of two", "双提两子"),
            RepetitionKind::Other => ("whole-board repetition", "全局同形再现"),
        };
        Text { en: en.to_owned(), zh: zh.to_owned() }
    }
}

/// An earlier position lies on the board again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Repetition {
    pub kind: RepetitionKind,
    /// The number of the last move that had led to the same position (0: the start).
    pub since: usize,
    /// A single ko retaken by the very next stone.
    #[serde(skip)]
    pub at_once: bool,
}
