//! What the operator says through the page: `POST /api/decision` and `POST /api/acknowledge`.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use super::http::{Refusal, refuse};

/// What the referee made of an infraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    /// The proposed verdict stands.
    Accepted,
    /// There was no offence.
    Rejected,
    /// Another verdict, see the note.
    Other,
}

/// The operator's input, for the table to act upon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperatorInput {
    /// The referee has decided about the event of that number.
    Decision { of: u64, ruling: Ruling, note: Option<String>, from: IpAddr },
    /// The referee has seen the event; it stays open.
    Acknowledge { of: u64, from: IpAddr },
}

#[derive(Deserialize)]
struct DecisionBody {
    of: u64,
    verdict: Ruling,
    #[serde(default)]
    note: Option<String>,
}

#[derive(Deserialize)]
struct AcknowledgeBody {
    of: u64,
}

/// Longest note in characters.
const MAX_NOTE: usize = 500;

pub fn decision(body: &[u8], from: IpAddr) -> Result<OperatorInput, Refusal> {
    let Ok(DecisionBody { of, verdict, note }) = serde_json::from_slice(body) else {
        return refuse(400, "expected {\"of\": seq, \"verdict\": \"accepted\"|\"rejected\"|\"other\", \"note\": text}");
    };
    let note = note.map(|n| n.chars().filter(|c| !c.is_control()).take(MAX_NOTE).collect::<String>());
    let note = note.map(|n| n.trim().to_string()).filter(|n| !n.is_empty());
    if verdict == Ruling::Other && note.is_none() {
        return refuse(422, "another verdict needs a note that says which");
    }
    Ok(OperatorInput::Decision { of, ruling: verdict, note, from })
}

pub fn acknowledge(body: &[u8], from: IpAddr) -> Result<OperatorInput, Refusal> {
    match serde_json::from_slice(body) {
        Ok(AcknowledgeBody { of }) => Ok(OperatorInput::Acknowledge { of, from }),
        Err(_) => refuse(400, "expected {\"of\": seq}"),
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
        assert_eq!(acknowledge(br#"{"of":3}"#, from), Ok(OperatorInput::Acknowledge { of: 3, from }));
    }
}
