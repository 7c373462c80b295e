//! The messages of a DGT3000 gateway: JSON objects, here one a line over a serial port. Pure.
//!
//! Names and values are those that the gateway's maker has published for its radio link; over a serial line goband puts a
//! line feed after each object.

use serde::{Deserialize, Serialize};

use super::clock::Hms;

/// The longest line; a longer one is noise.
pub const MAX_LINE: usize = 1024;

/// How a side runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    Stop = 0,
    Down = 1,
    Up = 2,
}

/// What the gateway is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GatewayCommand {
    SetTime {
        left: Hms,
        left_run: Run,
        right: Hms,
        right_run: Run,
    },
    /// At most eleven characters; beep in units of 62.5 ms, at most 48.
    DisplayText {
        text: String,
        beep: u8,
    },
    EndDisplay,
    Stop,
    Run {
        left: Run,
        right: Run,
    },
    GetTime,
}

#[derive(Serialize, Deserialize)]
struct CommandLine {
    command: String,
    id: String,
    #[serde(default, skip_serializing_if = "Params::is_empty")]
    params: Params,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Params {
    #[serde(skip_serializing_if = "Option::is_none")]
    left_mode: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_hours: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_minutes: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_seconds: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right_mode: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right_hours: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right_minutes: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right_seconds: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    beep: Option<u8>,
}

impl Params {
    fn is_empty(&self) -> bool {
        *self == Params::default()
    }
}

fn run_of(mode: u8) -> Option<Run> {
    [Run::Stop, Run::Down, Run::Up].into_iter().find(|r| *r as u8 == mode)
}

impl GatewayCommand {
    /// The line with its line feed. `id`: at most 31 characters, comes back in the answer.
    pub fn encode(&self, id: &str) -> Vec<u8> {
        let (command, params) = match self {
            GatewayCommand::SetTime { left, left_run, right, right_run } => (
                "setTime",
                Params {
                    left_mode: Some(*left_run as u8),
                    left_hours: Some(left.hours),
                    left_minutes: Some(left.minutes),
                    left_seconds: Some(left.seconds),
                    right_mode: Some(*right_run as u8),
                    right_hours: Some(right.hours),
                    right_minutes: Some(right.minutes),
                    right_seconds: Some(right.seconds),
                    ..Params::default()
                },
            ),
            GatewayCommand::DisplayText { text, beep } => (
                "displayText",
                Params {
                    text: Some(text.chars().take(11).collect()),
                    beep: Some((*beep).min(48)),
                    ..Params::default()
                },
            ),
            GatewayCommand::EndDisplay => ("endDisplay", Params::default()),
            GatewayCommand::Stop => ("stop", Params::default()),
            GatewayCommand::Run { left, right } => {
                ("run", Params { left_mode: Some(*left as u8), right_mode: Some(*right as u8), ..Params::default() })
            }
            GatewayCommand::GetTime => ("getTime", Params::default()),
        };
        let line = CommandLine { command: command.into(), id: id.chars().take(31).collect(), params };
        let mut bytes = serde_json::to_vec(&line).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// The command of a line, with its id.
    ///
    /// # Errors
    /// The gateway's error code and message.
    pub fn decode(line: &[u8]) -> Result<(String, GatewayCommand), (u16, &'static str)> {
        let CommandLine { command, id, params: p } =
            serde_json::from_slice(line).map_err(|_| (1100, "Invalid JSON"))?;
        let wrong = (1102, "Invalid JSON Parameters");
        let time = |h: Option<u8>, m: Option<u8>, s: Option<u8>| match (h, m, s) {
            (Some(hours @ 0..=9), Some(minutes @ 0..=59), Some(seconds @ 0..=59)) => {
                Ok(Hms { hours, minutes, seconds })
            }
            _ => Err(wrong),
        };
        let run = |mode: Option<u8>| mode.and_then(run_of).ok_or(wrong);
        let command = match command.as_str() {
            "setTime" => GatewayCommand::SetTime {
                left: time(p.left_hours, p.left_minutes, p.left_seconds)?,
                left_run: run(p.left_mode)?,
                right: time(p.right_hours, p.right_minutes, p.right_seconds)?,
                right_run: run(p.right_mode)?,
            },
            "displayText" => GatewayCommand::DisplayText {
                text: p.text.ok_or(wrong)?.chars().take(11).collect(),
                beep: p.beep.unwrap_or(0).min(48),
            },
            "endDisplay" => GatewayCommand::EndDisplay,
            "stop" => GatewayCommand::Stop,
            "run" => GatewayCommand::Run { left: run(p.left_mode)?, right: run(p.right_mode)? },
            "getTime" => GatewayCommand::GetTime,
            _ => return Err((1101, "Unknown command")),
        };
        Ok((id, command))
    }
}

/// Six numbers: both times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewayTimes {
    pub left_hours: u8,
    pub left_minutes: u8,
    pub left_seconds: u8,
    pub right_hours: u8,
    pub right_minutes: u8,
    pub right_seconds: u8,
}

impl GatewayTimes {
    /// Of both sides.
    pub fn new(left: Hms, right: Hms) -> GatewayTimes {
        GatewayTimes {
            left_hours: left.hours,
            left_minutes: left.minutes,
            left_seconds: left.seconds,
            right_hours: right.hours,
            right_minutes: right.minutes,
            right_seconds: right.seconds,
        }
    }

    /// Left and right; none if no clock can show that.
    pub fn sides(self) -> Option<(Hms, Hms)> {
        let hms = |hours: u8, minutes: u8, seconds: u8| {
            (hours <= 9 && minutes <= 59 && seconds <= 59).then_some(Hms { hours, minutes, seconds })
        };
        let left = hms(self.left_hours, self.left_minutes, self.left_seconds)?;
        Some((left, hms(self.right_hours, self.right_minutes, self.right_seconds)?))
    }
}

/// A refusal or a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewayFault {
    /// 1000 clock bus, 1001 not configured, 1002 checksum, 1003 not connected, 1100 to 1102 JSON, 1200 time-out.
    pub error_code: u16,
    #[serde(default)]
    pub error_message: String,
}

/// A button or the lever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewayButton {
    /// `back`, `minus`, `play_pause`, `plus`, `forward`, `on_off_press`, `on_off_release`, `lever_right`, `lever_left`.
    pub button: String,
    #[serde(default)]
    pub button_code: u8,
    #[serde(default)]
    pub is_repeat: bool,
}

/// The gateway's link to its clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatewayLink {
    pub connected: bool,
    pub configured: bool,
}

/// What an answer carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Outcome {
    Times(GatewayTimes),
    Words { status: String },
}

/// What the gateway says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum GatewayEvent {
    #[serde(rename = "command_response")]
    Response {
        id: String,
        /// `success` or `error`.
        status: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Outcome>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<GatewayFault>,
    },
    #[serde(rename = "buttonEvent")]
    Button { timestamp: u32, data: GatewayButton },
    #[serde(rename = "timeUpdate")]
    Time { timestamp: u32, data: GatewayTimes },
    #[serde(rename = "connectionStatus")]
    Connection { timestamp: u32, data: GatewayLink },
    #[serde(rename = "error")]
    Error { timestamp: u32, data: GatewayFault },
}

impl GatewayEvent {
    /// The line with its line feed.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// The event of a line; none if it is none.
    pub fn decode(line: &[u8]) -> Option<GatewayEvent> {
        serde_json::from_slice(line).ok()
    }
}

/// Finds lines in a stream of bytes.
#[derive(Clone, Debug, Default)]
pub struct LineDecoder {
    line: Vec<u8>,
    too_long: bool,
}

impl LineDecoder {
    /// Takes the next byte; gives a line that is not empty when it is its end.
    pub fn push(&mut self, byte: u8) -> Option<Vec<u8>> {
        if byte == b'\n' || byte == b'\r' {
            let line = std::mem::take(&mut self.line);
            return (!std::mem::take(&mut self.too_long) && !line.is_empty()).then_some(line);
        }
        if self.line.len() == MAX_LINE {
            self.too_long = true;
            self.line.clear();
        }
        self.line.push(byte);
        None
    }

    /// Forgets half a line.
    pub fn reset(&mut self) {
        *self = LineDecoder::default();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commands_are_those_that_were_published() {
        let five = Hms { hours: 0, minutes: 5, seconds: 0 };
        let set = GatewayCommand::SetTime { left: five, left_run: Run::Down, right: five, right_run: Run::Down };
        let text = String::from_utf8(set.encode("cmd-001")).unwrap();
        let expected: serde_json::Value = serde_json::from_str(
            r#"{"command": "setTime", "id": "cmd-001", "params": {
                "leftMode": 1, "leftHours": 0, "leftMinutes": 5, "leftSeconds": 0,
                "rightMode": 1, "rightHours": 0, "rightMinutes": 5, "rightSeconds": 0}}"#,
        )
        .unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), expected);
        assert_eq!(GatewayCommand::Stop.encode("cmd-005"), b"{\"command\":\"stop\",\"id\":\"cmd-005\"}\n");
        assert_eq!(
            GatewayCommand::decode(br#"{"command":"displayText","id":"cmd-003","params":{"text":"HELLO"}}"#),
            Ok(("cmd-003".into(), GatewayCommand::DisplayText { text: "HELLO".into(), beep: 0 }))
        );
        assert_eq!(GatewayCommand::decode(b"{\"command\":\"fly\",\"id\":\"1\"}").unwrap_err().0, 1101);
        assert_eq!(GatewayCommand::decode(b"{\"command\":\"run\",\"id\":\"1\"}").unwrap_err().0, 1102);
        assert_eq!(GatewayCommand::decode(b"{").unwrap_err().0, 1100);
    }

    #[test]
    fn events_are_those_that_were_published() {
        let lever = GatewayEvent::decode(
            br#"{"type":"buttonEvent","timestamp":123456,"data":{"button":"lever_right","buttonCode":64,"isRepeat":false,"repeatCount":0}}"#,
        );
        let button = GatewayButton { button: "lever_right".into(), button_code: 64, is_repeat: false };
        assert_eq!(lever, Some(GatewayEvent::Button { timestamp: 123_456, data: button }));
        let times =
            br#"{"leftHours":0,"leftMinutes":5,"leftSeconds":0,"rightHours":0,"rightMinutes":4,"rightSeconds":59}"#;
        let times: GatewayTimes = serde_json::from_slice(times).unwrap();
        assert_eq!(times.sides().map(|(l, r)| (l.seconds(), r.seconds())), Some((300, 299)));
        for line in [
            r#"{"type":"command_response","id":"cmd-001","status":"success","result":{"status":"Time set successfully"}}"#,
            r#"{"type":"command_response","id":"cmd-002","status":"error","data":{"errorCode":1102,"errorMessage":"Invalid JSON Parameters"}}"#,
            r#"{"type":"connectionStatus","timestamp":123456,"data":{"connected":true,"configured":true}}"#,
            r#"{"type":"error","timestamp":123456,"data":{"errorCode":101,"errorMessage":"I2C CRC Error"}}"#,
        ] {
            let event = GatewayEvent::decode(line.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(event.encode()).unwrap(), format!("{line}\n"));
        }
        let response = GatewayEvent::Response {
            id: "7".into(),
            status: "success".into(),
            result: Some(Outcome::Times(times)),
            data: None,
        };
        assert_eq!(GatewayEvent::decode(&response.encode()), Some(response));
    }

    fn any_hms() -> impl Strategy<Value = Hms> {
        (0u8..10, 0u8..60, 0u8..60).prop_map(|(hours, minutes, seconds)| Hms { hours, minutes, seconds })
    }

    fn any_run() -> impl Strategy<Value = Run> {
        prop_oneof![Just(Run::Stop), Just(Run::Down), Just(Run::Up)]
    }

    proptest! {
        #[test]
        fn commands_round_trip(left in any_hms(), right in any_hms(), runs in (any_run(), any_run()), text in "\\PC{0,11}", id in "[a-z0-9-]{1,31}") {
            for command in [
                GatewayCommand::SetTime { left, left_run: runs.0, right, right_run: runs.1 },
                GatewayCommand::Run { left: runs.0, right: runs.1 },
                GatewayCommand::DisplayText { text, beep: 7 },
                GatewayCommand::GetTime,
            ] {
                let mut decoder = LineDecoder::default();
                let lines: Vec<_> = command.encode(&id).into_iter().filter_map(|b| decoder.push(b)).collect();
                prop_assert_eq!(lines.len(), 1);
                prop_assert_eq!(GatewayCommand::decode(&lines[0]), Ok((id.clone(), command)));
            }
        }

        #[test]
        fn any_bytes_are_safe_and_the_next_line_is_found(noise in proptest::collection::vec(any::<u8>(), 0..3000)) {
            let mut decoder = LineDecoder::default();
            for &byte in &noise {
                if let Some(line) = decoder.push(byte) {
                    let _ = (GatewayEvent::decode(&line), GatewayCommand::decode(&line));
                }
                prop_assert!(decoder.line.len() <= MAX_LINE);
            }
            let _ = decoder.push(b'\n');
            let found: Vec<_> = GatewayCommand::Stop.encode("x").into_iter().filter_map(|b| decoder.push(b)).collect();
            prop_assert_eq!(GatewayCommand::decode(&found[0]), Ok(("x".into(), GatewayCommand::Stop)));
        }
    }
}
