//! What the operator says through the page: `POST /api/decision`, `POST /api/acknowledge`, `POST /api/break` and `POST /api/clock`.

use std::net::IpAddr;

use serde::Deserialize;

use super::http::{Refusal, refuse, refuse_operator};
use super::word::Reply;
use crate::game::{ClockTimes, SideClock, TimePhase, Word};
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

/// What the operator wants of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockOrder {
    /// Both sides stand.
    Stop,
    /// The time of `side` runs; none: of the side whose turn it was.
    Resume { side: Option<Color> },
    /// Both sides stand and show these times.
    Set(ClockTimes),
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
    /// The clock is to be stopped, set, or to go on.
    Clock { order: ClockOrder, from: IpAddr },
    /// A break begins, or (`on` is false) play goes on. `clock`: the clock stands and runs with it.
    Break { on: bool, clock: bool, from: IpAddr },
}

impl OperatorInput {
    /// The event that it is about.
    pub fn of(&self) -> Option<u64> {
        match self {
            OperatorInput::Decision { of, .. }
            | OperatorInput::Verdict { of, .. }
            | OperatorInput::Acknowledge { of, .. } => Some(*of),
            OperatorInput::Break { .. } | OperatorInput::Clock { .. } | OperatorInput::Word { .. } => None,
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
    #[serde(default = "yes")]
    clock: bool,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum ClockBody {
    Stop {},
    Resume {
        #[serde(default)]
        side: Option<Color>,
    },
    Set {
        #[serde(rename = "B")]
        black: SideClock,
        #[serde(rename = "W")]
        white: SideClock,
    },
}

/// No side is given more than a day, nor more periods than a clock can show.
const MAX_MS: u64 = 24 * 3600 * 1000;
const MAX_PERIODS: u8 = 99;

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
        return refuse_operator(
            422,
            "another verdict needs a note, a penalty or an outcome that says which",
            "另判须写明说明、处罚或处理方式",
        );
    }
    if ruling != Ruling::Other && penalty.is_some() {
        return refuse_operator(
            422,
            "a penalty belongs to another verdict (\"verdict\": \"other\")",
            "只有另判(\"verdict\": \"other\")可以附处罚",
        );
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
        Ok(BreakBody { on, clock }) => Ok(OperatorInput::Break { on, clock, from }),
        Err(_) => refuse(
            400,
            "expected {\"on\": true} where a break begins, {\"on\": false} where play goes on; with \"clock\": false the clock is left \
             as it is",
        ),
    }
}

pub fn clock(body: &[u8], from: IpAddr) -> Result<OperatorInput, Refusal> {
    let Ok(body) = serde_json::from_slice(body) else {
        return refuse(
            400,
            "expected {\"do\": \"stop\"}, {\"do\": \"resume\", \"side\": \"B\"|\"W\"} or {\"do\": \"set\", \"B\": {\"phase\": \"main\", \
             \"ms\": …}, \"W\": {\"phase\": \"period\", \"ms\": …, \"periods\": …}}",
        );
    };
    let order = match body {
        ClockBody::Stop {} => ClockOrder::Stop,
        ClockBody::Resume { side } => ClockOrder::Resume { side },
        ClockBody::Set { black, white } => {
            if ![black, white].iter().all(is_possible) {
                return refuse_operator(
                    422,
                    "a side's time is at most a day, and in byo-yomi it has 1 to 99 periods",
                    "每方用时不得超过一天,读秒须为 1 至 99 次",
                );
            }
            ClockOrder::Set(ClockTimes { black, white })
        }
    };
    Ok(OperatorInput::Clock { order, from })
}

fn is_possible(time: &SideClock) -> bool {
    let periods_fit = match time.phase {
        TimePhase::Period => time.periods.is_some_and(|n| (1..=MAX_PERIODS).contains(&n)),
        TimePhase::Main | TimePhase::Over | TimePhase::Untold => time.periods.is_none(),
    };
    time.ms <= MAX_MS && periods_fit
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
        assert_eq!(pause(br#"{"on":true}"#, from), Ok(OperatorInput::Break { on: true, clock: true, from }));
        let left = OperatorInput::Break { on: false, clock: false, from };
        assert_eq!(pause(br#"{"on":false,"clock":false}"#, from), Ok(left));
        assert_eq!(pause(br#"{"on":"yes"}"#, from).unwrap_err().status, 400);
    }

    #[test]
    fn reads_what_the_clock_is_to_do() {
        let from: IpAddr = "127.0.0.1".parse().unwrap();
        let order = |body: &str| match clock(body.as_bytes(), from) {
            Ok(OperatorInput::Clock { order, .. }) => Ok(order),
            Ok(other) => panic!("{other:?}"),
            Err(refusal) => Err(refusal.status),
        };
        assert_eq!(order(r#"{"do":"stop"}"#), Ok(ClockOrder::Stop));
        assert_eq!(order(r#"{"do":"resume"}"#), Ok(ClockOrder::Resume { side: None }));
        assert_eq!(order(r#"{"do":"resume","side":"W"}"#), Ok(ClockOrder::Resume { side: Some(Color::White) }));
        let set = r#"{"do":"set","B":{"phase":"main","ms":600000},"W":{"phase":"period","ms":30000,"periods":3}}"#;
        let Ok(ClockOrder::Set(times)) = order(set) else { panic!() };
        assert_eq!((times.black.ms, times.white.periods), (600_000, Some(3)));
        for (body, status) in [
            (r#"{"do":"explode"}"#, 400),
            (r#"{"do":"stop","side":"B"}"#, 400),
            (r#"{"do":"resume","side":"green"}"#, 400),
            (r#"{"do":"set","B":{"phase":"main","ms":600000}}"#, 400),
            (&set.replace("600000", "-1"), 400),
            (&set.replace("600000", "86400001"), 422),
            (&set.replace("\"periods\":3", "\"periods\":0"), 422),
            (&set.replace(",\"periods\":3", ""), 422),
            (&set.replace("600000", "600000,\"periods\":2"), 422),
            ("", 400),
        ] {
            assert_eq!(order(body), Err(status), "{body}");
        }
    }
}
