//! What the operator says through the page: `POST /api/decision`, `POST /api/acknowledge` and `POST /api/break`.

use std::net::IpAddr;

use serde::Deserialize;

use super::http::{Refusal, refuse};
use super::word::Reply;
use crate::game::Word;
pub use crate::rules::Ruling;
use crate::rules::{Circumstance, Color, Outcome, Penalty};

/// What a decision says besides the ruling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Particulars {
    /// With another verdict: what counts instead of the proposal.
    pub penalty: Option<Penalty>,
    /// What was chosen where the article leaves a choice.
    pub outcome: Option<Outcome>,
    /// Done on purpose, cannot be rebuilt, during a break.
    pub circumstance: Option<Circumstance>,
    /// The side that did it, where the event does not know.
    pub color: Option<Color>,
    /// The player, where a team has several.
    pub player: Option<String>,
}

/// The operator's input, for the table to act upon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperatorInput {
    /// The referee has decided about the event of that number.
    Decision { of: u64, ruling: Ruling, note: Option<String>, from: IpAddr },
    /// The same, with particulars.
    Verdict { of: u64, ruling: Ruling, particulars: Particulars, note: Option<String>, from: IpAddr },
    /// The referee has seen the event; it stays open.
    Acknowledge { of: u64, from: IpAddr },
    /// What is said about the game; the answer is waited for.
    Word { word: Word, from: IpAddr, reply: Reply },
    /// A break begins, or (`on` is false) play goes on.
    Break { on: bool, from: IpAddr },
}

impl OperatorInput {
    /// The event that it is about.
    pub fn of(&self) -> Option<u64> {
        match self {
            OperatorInput::Decision { of, .. }
            | OperatorInput::Verdict { of, .. }
            | OperatorInput::Acknowledge { of, .. } => Some(*of),
            OperatorInput::Break { .. } | OperatorInput::Word { .. } => None,
        }
    }
}

#[derive(Deserialize)]
struct DecisionBody {
    of: u64,
    verdict: Ruling,
    #[serde(default)]
    note: Option<String>,
    #[serde(default)]
    penalty: Option<Penalty>,
    #[serde(default)]
    outcome: Option<Outcome>,
    #[serde(default)]
    circumstance: Option<Circumstance>,
    #[serde(default)]
    color: Option<Color>,
    #[serde(default)]
    player: Option<String>,
}

#[derive(Deserialize)]
struct AcknowledgeBody {
    of: u64,
}

#[derive(Deserialize)]
struct BreakBody {
    on: bool,
}

/// Longest note in characters.
const MAX_NOTE: usize = 500;
/// Longest name of a player in characters.
const MAX_NAME: usize = 60;

/// Control characters off, spaces at the ends off; nothing left is nothing said.
fn tidy(text: Option<String>, longest: usize) -> Option<String> {
    let text: String = text?.chars().filter(|c| !c.is_control()).take(longest).collect();
    Some(text.trim().to_owned()).filter(|t| !t.is_empty())
}

pub fn decision(body: &[u8], from: IpAddr) -> Result<OperatorInput, Refusal> {
    let Ok(body) = serde_json::from_slice(body) else {
        return refuse(
            400,
            "expected {\"of\": seq, \"verdict\": \"accepted\"|\"rejected\"|\"other\"|\"withdrawn\", \"note\": text, \
             \"penalty\": {\"sanction\": …, \"stones\": …}, \"outcome\": …, \"circumstance\": …, \"color\": …, \"player\": …}",
        );
    };
    let DecisionBody { of, verdict: ruling, note, penalty, outcome, circumstance, color, player } = body;
    let note = tidy(note, MAX_NOTE);
    let particulars = Particulars { penalty, outcome, circumstance, color, player: tidy(player, MAX_NAME) };
    if ruling == Ruling::Other && note.is_none() && penalty.is_none() && outcome.is_none() {
        return refuse(422, "another verdict needs a note, a penalty or an outcome that says which");
    }
    if ruling != Ruling::Other && penalty.is_some() {
        return refuse(422, "a penalty belongs to another verdict (\"verdict\": \"other\")");
    }
    Ok(match particulars == Particulars::default() {
        true => OperatorInput::Decision { of, ruling, note, from },
        false => OperatorInput::Verdict { of, ruling, particulars, note, from },
    })
}

pub fn acknowledge(body: &[u8], from: IpAddr) -> Result<OperatorInput, Refusal> {
    match serde_json::from_slice(body) {
        Ok(AcknowledgeBody { of }) => Ok(OperatorInput::Acknowledge { of, from }),
        Err(_) => refuse(400, "expected {\"of\": seq}"),
    }
}

pub fn pause(body: &[u8], from: IpAddr) -> Result<OperatorInput, Refusal> {
    match serde_json::from_slice(body) {
        Ok(BreakBody { on }) => Ok(OperatorInput::Break { on, from }),
        Err(_) => refuse(400, "expected {\"on\": true} where a break begins, {\"on\": false} where play goes on"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_decision() {
        let from: IpAddr = "127.0.0.1".parse().unwrap();
        assert_eq!(
            decision(br#"{"of":7,"verdict":"other","note":" a\u0007b "}"#, from),
            Ok(OperatorInput::Decision { of: 7, ruling: Ruling::Other, note: Some("ab".into()), from })
        );
        assert_eq!(decision(br#"{"of":7,"verdict":"other"}"#, from).unwrap_err().status, 422);
        assert_eq!(decision(br#"{"of":-7,"verdict":"accepted"}"#, from).unwrap_err().status, 400);
        assert_eq!(decision(br#"[[[["#, from).unwrap_err().status, 400);
        let with = br#"{"of":7,"verdict":"other","penalty":{"sanction":"yellow","stones":"1/2"},"player":" Li "}"#;
        let Ok(OperatorInput::Verdict { particulars, note: None, .. }) = decision(with, from) else { panic!() };
        assert_eq!(particulars.player.as_deref(), Some("Li"));
        assert_eq!(particulars.penalty.unwrap().stones, crate::rules::Amount::halves(1));
        for (body, status) in [
            (r#"{"of":7,"verdict":"other","penalty":{"sanction":"yellow","stones":"-1"}}"#, 400),
            (r#"{"of":7,"verdict":"other","penalty":{"sanction":"purple"}}"#, 400),
            (r#"{"of":7,"verdict":"accepted","penalty":{"sanction":"yellow"}}"#, 422),
        ] {
            assert_eq!(decision(body.as_bytes(), from).unwrap_err().status, status, "{body}");
        }
        assert_eq!(acknowledge(br#"{"of":3}"#, from), Ok(OperatorInput::Acknowledge { of: 3, from }));
        assert_eq!(pause(br#"{"on":true}"#, from), Ok(OperatorInput::Break { on: true, from }));
        assert_eq!(pause(br#"{"on":"yes"}"#, from).unwrap_err().status, 400);
    }
}
