//! The messages of goband's serial protocol. Pure; `docs/serial-protocol.md` specifies each field.

use std::fmt;
use std::str::FromStr;

use super::clock::{ClockReading, SideTime, Times};
use super::frame::Frame;
use super::model::{Closing, State, Weight};
use crate::game::Spot;
use crate::rules::{Color, Point};

/// The version of the protocol that this program speaks.
pub const PROTOCOL_VERSION: u32 = 1;

/// A button of the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// The referee has seen the alarm.
    Acknowledge,
    /// The proposed verdict stands.
    Accept,
    /// It does not.
    Reject,
    /// The referee (or a player) wants the operator.
    Call,
    /// The clock is to stand.
    Stop,
    /// The clock is to go on.
    Resume,
}

/// What an alarm says.
#[derive(Clone, Debug, PartialEq)]
pub struct AlarmMessage {
    /// `seq` of its event: stays the same however often it is sent.
    pub alarm: u64,
    pub weight: Weight,
    /// Name of the event kind.
    pub kind: String,
    pub color: Option<Color>,
    pub points: Vec<Spot>,
    pub article: String,
    pub text: String,
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Both ways: who is there. `session` is new at every start of the sender. From a device `table` says what it is
    /// (`console`, `clock`, or both), and `game` is empty.
    Hello {
        version: u32,
        name: String,
        session: String,
        table: String,
        game: String,
    },
    /// Both ways, every second; goband tells its state with it, a device its millisecond counter if it has one.
    Beat {
        state: Option<State>,
        tick: Option<u32>,
    },
    /// goband ends in good order.
    Bye,
    /// Both ways: line `seq` has arrived.
    Ack {
        seq: u16,
    },
    /// Both ways: line `seq` (0: unknown) cannot be taken: `crc`, `unknown`, `busy`.
    Nak {
        seq: u16,
        reason: String,
    },
    Alarm(AlarmMessage),
    /// The referee has acknowledged an alarm, here or elsewhere.
    Seen {
        alarm: u64,
    },
    /// An alarm is over.
    Clear {
        alarm: u64,
        how: Closing,
    },
    State {
        state: State,
        reason: String,
    },
    Move {
        number: u32,
        color: Color,
        point: Option<Point>,
        captured: u32,
    },
    /// From the console. `alarm` 0: the newest one.
    Button {
        button: Button,
        alarm: u64,
    },
    /// The clock is to stand. `because`: `seq` of the event, 0 for none. `times`: to be shown from then on.
    ClockStop {
        order: u64,
        because: u64,
        times: Option<Times>,
    },
    /// This side's time is to run.
    ClockRun {
        order: u64,
        side: Color,
        times: Option<Times>,
    },
    /// A call, to be spoken or shown.
    Say {
        number: u64,
        color: Option<Color>,
        kind: String,
        beep_ms: u32,
        /// For displays of few characters.
        short: String,
        text: String,
    },
    /// From a clock: this side was pressed, when the counter stood at `tick`.
    Press {
        side: Color,
        tick: Option<u32>,
    },
    /// From a clock: what it shows.
    Time {
        tick: Option<u32>,
        reading: ClockReading,
    },
    /// A type, or a field, that this version does not know.
    Unknown(Vec<String>),
}

/// Unit enums and their names on the line.
macro_rules! names {
    ($type:ty, $($variant:path => $name:literal),+) => {
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self { $($variant => $name),+ })
            }
        }
        impl FromStr for $type {
            type Err = ();
            fn from_str(s: &str) -> Result<Self, ()> {
                match s { $($name => Ok($variant),)+ _ => Err(()) }
            }
        }
    };
}

names!(
    Button,
    Button::Acknowledge => "ack",
    Button::Accept => "accept",
    Button::Reject => "reject",
    Button::Call => "call",
    Button::Stop => "stop",
    Button::Resume => "resume"
);
names!(State, State::Idle => "idle", State::Attention => "attention", State::Infraction => "infraction", State::Fault => "fault");
names!(Weight, Weight::Notice => "notice", Weight::Infraction => "infraction");
names!(Closing, Closing::Repaired => "repaired", Closing::Decided => "decided", Closing::Superseded => "superseded");

fn color_name(color: Option<Color>) -> &'static str {
    match color {
        Some(Color::Black) => "B",
        Some(Color::White) => "W",
        None => "-",
    }
}

fn parse_color(text: &str) -> Option<Option<Color>> {
    match text {
        "B" => Some(Some(Color::Black)),
        "W" => Some(Some(Color::White)),
        "-" => Some(None),
        _ => None,
    }
}

/// `row:col`, two decimals where it is no crossing.
fn spot_text(spot: Spot) -> String {
    match spot.point() {
        Some(p) => format!("{}:{}", p.row, p.col),
        None => format!("{:.2}:{:.2}", spot.row, spot.col),
    }
}

fn parse_spot(text: &str) -> Option<Spot> {
    let (row, col) = text.split_once(':')?;
    let number = |s: &str| s.parse::<f64>().ok().filter(|x| x.is_finite());
    Some(Spot { row: number(row)?, col: number(col)? })
}

/// An empty field is told from a missing one by a dash.
fn dash(text: &str) -> String {
    if text.is_empty() { "-".into() } else { text.into() }
}

fn undash(text: &str) -> String {
    if text == "-" { String::new() } else { text.into() }
}

fn number_or_dash(number: Option<u32>) -> String {
    number.map_or("-".into(), |n| n.to_string())
}

fn parse_number_or_dash(text: &str) -> Option<Option<u32>> {
    if text == "-" { Some(None) } else { text.parse().ok().map(Some) }
}

fn times_fields(times: Option<Times>) -> [String; 2] {
    times.map_or(["-".into(), "-".into()], |t| [t.black.to_string(), t.white.to_string()])
}

fn parse_times(black: Option<&str>, white: Option<&str>) -> Option<Option<Times>> {
    match (black.unwrap_or("-"), white.unwrap_or("-")) {
        ("-", "-") => Some(None),
        (black, white) => {
            Some(Some(Times { black: black.parse::<SideTime>().ok()?, white: white.parse::<SideTime>().ok()? }))
        }
    }
}

impl Message {
    /// The line with sequence number `seq`.
    pub fn frame(&self, seq: u16) -> Frame {
        let fields = match self {
            Message::Hello { version, name, session, table, game } => {
                vec!["HELLO".into(), version.to_string(), dash(name), dash(session), dash(table), dash(game)]
            }
            Message::Beat { state: None, tick: None } => vec!["BEAT".into()],
            Message::Beat { state: Some(state), .. } => vec!["BEAT".into(), state.to_string()],
            Message::Beat { state: None, tick: Some(tick) } => vec!["BEAT".into(), tick.to_string()],
            Message::Bye => vec!["BYE".into()],
            Message::Ack { seq } => vec!["ACK".into(), seq.to_string()],
            Message::Nak { seq, reason } => vec!["NAK".into(), seq.to_string(), reason.clone()],
            Message::Alarm(a) => vec![
                "ALARM".into(),
                a.alarm.to_string(),
                a.weight.to_string(),
                a.kind.clone(),
                color_name(a.color).into(),
                dash(&a.points.iter().take(8).map(|&s| spot_text(s)).collect::<Vec<_>>().join(" ")),
                dash(&a.article),
                dash(&a.text),
            ],
            Message::Seen { alarm } => vec!["SEEN".into(), alarm.to_string()],
            Message::Clear { alarm, how } => vec!["CLEAR".into(), alarm.to_string(), how.to_string()],
            Message::State { state, reason } => vec!["STATE".into(), state.to_string(), dash(reason)],
            Message::Move { number, color, point, captured } => vec![
                "MOVE".into(),
                number.to_string(),
                color_name(Some(*color)).into(),
                point.map_or("pass".into(), |p| spot_text(p.into())),
                captured.to_string(),
            ],
            Message::Button { button, alarm } => vec!["BUTTON".into(), button.to_string(), alarm.to_string()],
            Message::ClockStop { order, because, times } => {
                let [black, white] = times_fields(*times);
                vec!["CLOCKSTOP".into(), order.to_string(), because.to_string(), black, white]
            }
            Message::ClockRun { order, side, times } => {
                let [black, white] = times_fields(*times);
                vec!["CLOCKRUN".into(), order.to_string(), color_name(Some(*side)).into(), black, white]
            }
            Message::Say { number, color, kind, beep_ms, short, text } => vec![
                "SAY".into(),
                number.to_string(),
                color_name(*color).into(),
                dash(kind),
                beep_ms.to_string(),
                dash(short),
                dash(text),
            ],
            Message::Press { side, tick } => {
                vec!["PRESS".into(), color_name(Some(*side)).into(), number_or_dash(*tick)]
            }
            Message::Time { tick, reading } => {
                let [black, white] = times_fields(Some(reading.times));
                let (running, turn) = (color_name(reading.running).into(), color_name(reading.turn).into());
                vec!["TIME".into(), number_or_dash(*tick), black, white, running, turn]
            }
            Message::Unknown(fields) => fields.clone(),
        };
        Frame { seq, fields }
    }

    /// The message of a line; [`Message::Unknown`] where it is none of this version. Further fields are ignored, so that
    /// a later version may add some.
    pub fn of(frame: &Frame) -> Message {
        Message::parse(&frame.fields).unwrap_or_else(|| Message::Unknown(frame.fields.clone()))
    }

    fn parse(fields: &[String]) -> Option<Message> {
        let field = |n: usize| fields.get(n).map(String::as_str);
        Some(match field(0)? {
            "HELLO" => Message::Hello {
                version: field(1)?.parse().ok()?,
                name: undash(field(2)?),
                session: undash(field(3)?),
                table: undash(field(4).unwrap_or("-")),
                game: undash(field(5).unwrap_or("-")),
            },
            // a beat is a beat, whatever a later version adds to it
            "BEAT" => Message::Beat {
                state: field(1).and_then(|s| s.parse().ok()),
                tick: field(1).and_then(|s| s.parse().ok()),
            },
            "BYE" => Message::Bye,
            "ACK" => Message::Ack { seq: field(1)?.parse().ok()? },
            "NAK" => Message::Nak { seq: field(1)?.parse().ok()?, reason: field(2).unwrap_or("-").into() },
            "ALARM" => Message::Alarm(AlarmMessage {
                alarm: field(1)?.parse().ok()?,
                weight: field(2)?.parse().ok()?,
                kind: field(3)?.into(),
                color: parse_color(field(4)?)?,
                points: undash(field(5)?).split_whitespace().map(parse_spot).collect::<Option<_>>()?,
                article: undash(field(6)?),
                text: undash(field(7)?),
            }),
            "SEEN" => Message::Seen { alarm: field(1)?.parse().ok()? },
            "CLEAR" => Message::Clear { alarm: field(1)?.parse().ok()?, how: field(2)?.parse().ok()? },
            "STATE" => Message::State { state: field(1)?.parse().ok()?, reason: undash(field(2).unwrap_or("-")) },
            "MOVE" => Message::Move {
                number: field(1)?.parse().ok()?,
                color: parse_color(field(2)?)??,
                point: match field(3)? {
                    "pass" => None,
                    text => Some(parse_spot(text)?.point()?),
                },
                captured: field(4)?.parse().ok()?,
            },
            "BUTTON" => Message::Button { button: field(1)?.parse().ok()?, alarm: field(2)?.parse().ok()? },
            "CLOCKSTOP" => Message::ClockStop {
                order: field(1)?.parse().ok()?,
                because: field(2)?.parse().ok()?,
                times: parse_times(field(3), field(4))?,
            },
            "CLOCKRUN" => Message::ClockRun {
                order: field(1)?.parse().ok()?,
                side: parse_color(field(2)?)??,
                times: parse_times(field(3), field(4))?,
            },
            "SAY" => Message::Say {
                number: field(1)?.parse().ok()?,
                color: parse_color(field(2)?)?,
                kind: undash(field(3)?),
                beep_ms: field(4)?.parse().ok()?,
                short: undash(field(5)?),
                text: undash(field(6)?),
            },
            "PRESS" => {
                Message::Press { side: parse_color(field(1)?)??, tick: parse_number_or_dash(field(2).unwrap_or("-"))? }
            }
            "TIME" => Message::Time {
                tick: parse_number_or_dash(field(1)?)?,
                reading: ClockReading {
                    times: parse_times(field(2), field(3))??,
                    running: parse_color(field(4)?)?,
                    turn: parse_color(field(5).unwrap_or("-"))?,
                },
            },
            _ => return None,
        })
    }
}

impl fmt::Display for Message {
    /// For people: what an emulator prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Alarm(a) => {
                let points: Vec<String> = a.points.iter().map(|&s| spot_text(s)).collect();
                write!(
                    f,
                    "ALARM {} ({}): {} {} at {}",
                    a.alarm,
                    a.weight,
                    a.kind,
                    color_name(a.color),
                    points.join(" ")
                )?;
                if !a.article.is_empty() {
                    write!(f, ", article {}", a.article)?;
                }
                write!(f, ": {}", a.text)
            }
            Message::Clear { alarm, how } => write!(f, "CLEAR {alarm}: {how}"),
            Message::State { state, reason } => write!(f, "STATE {state} ({})", dash(reason)),
            Message::Move { number, color, point, captured } => {
                let point = point.map_or("pass".into(), |p| spot_text(p.into()));
                write!(f, "MOVE {number} {} {point}", color_name(Some(*color)))?;
                if *captured > 0 { write!(f, ", takes {captured}") } else { Ok(()) }
            }
            Message::Hello { version, name, table, game, .. } => {
                write!(f, "HELLO {name}, protocol {version}, table {}, game {}", dash(table), dash(game))
            }
            other => f.write_str(&other.frame(0).fields.join(" ")),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::signal::clock::Phase;

    fn any_color() -> impl Strategy<Value = Color> {
        prop_oneof![Just(Color::Black), Just(Color::White)]
    }

    fn any_state() -> impl Strategy<Value = State> {
        prop_oneof![Just(State::Idle), Just(State::Attention), Just(State::Infraction), Just(State::Fault)]
    }

    fn any_spot() -> impl Strategy<Value = Spot> {
        (-100i32..2000, -100i32..2000).prop_map(|(r, c)| Spot { row: f64::from(r) / 100.0, col: f64::from(c) / 100.0 })
    }

    fn any_times() -> impl Strategy<Value = Times> {
        let side = || {
            (0u64..86_400_000, 0usize..4, any::<u8>()).prop_map(|(ms, phase, periods)| match phase {
                0 => SideTime { phase: Phase::Untold, ms },
                1 => SideTime { phase: Phase::Main, ms },
                2 => SideTime { phase: Phase::Period(periods), ms },
                _ => SideTime { phase: Phase::Over, ms: 0 },
            })
        };
        (side(), side()).prop_map(|(black, white)| Times { black, white })
    }

    fn any_message() -> impl Strategy<Value = Message> {
        let text = "[^-\\pC][^\\pC]{0,10}";
        prop_oneof![
            (any::<u32>(), text, text, text, "").prop_map(|(version, name, session, table, game)| {
                Message::Hello { version, name, session, table, game }
            }),
            proptest::option::of(any_state()).prop_map(|state| Message::Beat { state, tick: None }),
            any::<u32>().prop_map(|tick| Message::Beat { state: None, tick: Some(tick) }),
            (any::<u64>(), any::<u64>(), proptest::option::of(any_times()))
                .prop_map(|(order, because, times)| Message::ClockStop { order, because, times }),
            (any::<u64>(), any_color(), proptest::option::of(any_times()))
                .prop_map(|(order, side, times)| Message::ClockRun { order, side, times }),
            (any::<u64>(), proptest::option::of(any_color()), "[a-z_]{1,12}", any::<u32>(), text, text).prop_map(
                |(number, color, kind, beep_ms, short, text)| Message::Say {
                    number,
                    color,
                    kind,
                    beep_ms,
                    short,
                    text
                }
            ),
            (any_color(), proptest::option::of(any::<u32>())).prop_map(|(side, tick)| Message::Press { side, tick }),
            (
                proptest::option::of(any::<u32>()),
                any_times(),
                proptest::option::of(any_color()),
                proptest::option::of(any_color())
            )
                .prop_map(|(tick, times, running, turn)| Message::Time {
                    tick,
                    reading: ClockReading { times, running, turn }
                }),
            Just(Message::Bye),
            any::<u16>().prop_map(|seq| Message::Ack { seq }),
            (any::<u16>(), "crc|unknown|busy").prop_map(|(seq, reason)| Message::Nak { seq, reason }),
            (
                any::<u64>(),
                prop_oneof![Just(Weight::Notice), Just(Weight::Infraction)],
                "[a-z_]{1,20}",
                proptest::option::of(any_color()),
                proptest::collection::vec(any_spot(), 0..8),
                "",
                text
            )
                .prop_map(|(alarm, weight, kind, color, points, article, text)| {
                    Message::Alarm(AlarmMessage { alarm, weight, kind, color, points, article, text })
                }),
            (any::<u64>(), prop_oneof![Just(Closing::Repaired), Just(Closing::Decided), Just(Closing::Superseded)])
                .prop_map(|(alarm, how)| Message::Clear { alarm, how }),
            any::<u64>().prop_map(|alarm| Message::Seen { alarm }),
            (any_state(), text).prop_map(|(state, reason)| Message::State { state, reason }),
            (any::<u32>(), any_color(), proptest::option::of((0u8..19, 0u8..19)), any::<u32>()).prop_map(
                |(number, color, point, captured)| Message::Move {
                    number,
                    color,
                    point: point.map(|(row, col)| Point { row, col }),
                    captured
                }
            ),
            (
                prop_oneof![
                    Just(Button::Acknowledge),
                    Just(Button::Accept),
                    Just(Button::Reject),
                    Just(Button::Call),
                    Just(Button::Stop),
                    Just(Button::Resume)
                ],
                any::<u64>()
            )
                .prop_map(|(button, alarm)| Message::Button { button, alarm }),
        ]
    }

    proptest! {
        #[test]
        fn round_trip(message in any_message(), seq in any::<u16>()) {
            prop_assert_eq!(Message::of(&message.frame(seq)), message);
        }

        #[test]
        fn further_fields_are_ignored(message in any_message()) {
            let mut frame = message.frame(0);
            // where a field may be missing, the first further one would be taken for it
            if !matches!(message, Message::Beat { state: None, tick: None }) {
                frame.fields.push("later".into());
                prop_assert_eq!(Message::of(&frame), message);
            }
        }

        #[test]
        fn any_fields_are_safe(kind in "HELLO|BEAT|ACK|NAK|ALARM|SEEN|CLEAR|STATE|MOVE|BUTTON|CLOCKSTOP|CLOCKRUN|SAY|PRESS|TIME|X", fields in proptest::collection::vec("\\PC{0,8}", 0..9)) {
            let frame = Frame { seq: 1, fields: std::iter::once(kind).chain(fields).collect() };
            let _ = Message::of(&frame).to_string();
        }
    }
}
