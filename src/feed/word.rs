//! What the recorder says about the game through the page: `POST /api/word`.

use std::net::IpAddr;
use std::time::Duration;

use crossbeam_channel::{Sender, bounded};
use serde::Deserialize;

use super::http::{Refusal, refuse};
use super::operator::OperatorInput;
use crate::game::{Settlement, Text, Word};
use crate::rules::{Color, Point};

/// How long the page waits for the table's answer: it may be in the middle of a picture.
const PATIENCE: Duration = Duration::from_secs(5);
/// Most points in one word: every point of the largest board.
const MAX_POINTS: usize = 625;

/// Where the table answers: the numbers of the events that follow, or why it cannot be true.
#[derive(Clone, Debug)]
pub struct Reply(Sender<Result<Vec<u64>, Text>>);

impl Reply {
    /// Nobody may be waiting any more; that is no fault.
    pub fn say(&self, answer: Result<Vec<u64>, Text>) {
        let _ = self.0.try_send(answer);
    }
}

/// Two inputs are alike if they say the same, wherever the answer goes.
impl PartialEq for Reply {
    fn eq(&self, _: &Reply) -> bool {
        true
    }
}

impl Eq for Reply {}

/// The other end of a [`Reply`].
#[derive(Debug)]
pub struct Answer(crossbeam_channel::Receiver<Result<Vec<u64>, Text>>);

impl Answer {
    /// Waits for the table; `None`: it did not answer in time.
    pub fn wait(&self) -> Option<Result<Vec<u64>, Text>> {
        self.0.recv_timeout(PATIENCE).ok()
    }
}

#[derive(Deserialize)]
#[serde(tag = "say", rename_all = "snake_case", deny_unknown_fields)]
enum Body {
    Pass {
        color: Color,
    },
    Resign {
        color: Color,
    },
    EndAgreed {},
    PlayOn {
        turn: Option<Color>,
    },
    Stands {
        turn: Option<Color>,
    },
    Counted {
        dead: Option<Vec<Point>>,
        #[serde(default)]
        contested: Vec<Point>,
    },
    Resigned {},
    Ruled {
        winner: Option<Color>,
    },
    Correct {
        #[serde(rename = "move")]
        number: u32,
        point: Option<Point>,
    },
}

/// Reads a word, and gives the end at which its answer arrives.
pub fn word(body: &[u8], from: IpAddr) -> Result<(OperatorInput, Answer), Refusal> {
    let Ok(body) = serde_json::from_slice(body) else {
        return refuse(
            400,
            "expected {\"say\": \"pass\"|\"resign\", \"color\": \"B\"|\"W\"}, {\"say\": \"end_agreed\"|\"resigned\"}, \
             {\"say\": \"play_on\"|\"stands\", \"turn\": colour or null}, {\"say\": \"counted\", \"dead\": [[row, col], …] or null, \"contested\": […]}, \
             {\"say\": \"ruled\", \"winner\": colour or null} or {\"say\": \"correct\", \"move\": number, \"point\": [row, col] or null}",
        );
    };
    let word = match body {
        Body::Pass { color } => Word::Pass { color },
        Body::Resign { color } => Word::Resign { color },
        Body::EndAgreed {} => Word::EndAgreed,
        Body::PlayOn { turn } => Word::PlayOn { turn },
        Body::Stands { turn } => Word::Stands { turn },
        Body::Counted { dead, contested } => {
            if dead.as_ref().map_or(0, Vec::len).max(contested.len()) > MAX_POINTS {
                return refuse(422, "more points than any board has");
            }
            Word::Result(Settlement::Counted { dead, contested })
        }
        Body::Resigned {} => Word::Result(Settlement::Resigned),
        Body::Ruled { winner } => Word::Result(Settlement::Ruled { winner }),
        Body::Correct { number, point } => Word::Correct { number, point },
    };
    let (sender, receiver) = bounded(1);
    Ok((OperatorInput::Word { word, from, reply: Reply(sender) }, Answer(receiver)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<Word, u16> {
        match word(body.as_bytes(), IpAddr::from([127, 0, 0, 1])) {
            Ok((OperatorInput::Word { word, .. }, _)) => Ok(word),
            Ok(other) => panic!("{other:?}"),
            Err(refusal) => Err(refusal.status),
        }
    }

    #[test]
    fn words_are_read_and_nonsense_is_refused() {
        assert_eq!(read(r#"{"say":"pass","color":"B"}"#), Ok(Word::Pass { color: Color::Black }));
        assert_eq!(read(r#"{"say":"end_agreed"}"#), Ok(Word::EndAgreed));
        assert_eq!(read(r#"{"say":"play_on"}"#), Ok(Word::PlayOn { turn: None }));
        let counted = Word::Result(Settlement::Counted { dead: Some(vec![Point::new(1, 2)]), contested: vec![] });
        assert_eq!(read(r#"{"say":"counted","dead":[[1,2]]}"#), Ok(counted));
        let corrected = Word::Correct { number: 47, point: Some(Point::new(3, 3)) };
        assert_eq!(read(r#"{"say":"correct","move":47,"point":[3,3]}"#), Ok(corrected));
        for body in [
            "",
            "[]",
            r#"{"say":"pass"}"#,
            r#"{"say":"pass","color":"green"}"#,
            r#"{"say":"jump"}"#,
            r#"{"say":"end_agreed","color":"B"}"#,
            r#"{"say":"correct","move":-1}"#,
            r#"{"say":"counted","dead":[[1,900]]}"#,
        ] {
            assert_eq!(read(body), Err(400), "{body}");
        }
        let many = format!(r#"{{"say":"counted","dead":[{}]}}"#, vec!["[1,1]"; 700].join(","));
        assert_eq!(read(&many), Err(422));
    }

    #[test]
    fn a_reply_that_nobody_waits_for_harms_nobody() {
        let (input, answer) = word(br#"{"say":"end_agreed"}"#, IpAddr::from([127, 0, 0, 1])).unwrap();
        let OperatorInput::Word { reply, .. } = input else { panic!() };
        drop(answer);
        reply.say(Ok(vec![1]));
    }
}
