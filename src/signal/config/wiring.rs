//! What is wired to a device: relays by channel, a port's own lines.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::rules::Color;
use crate::signal::message::Button;
use crate::signal::show::Lamp;

/// Which relay switches what, 1 to 8; what is left out does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LampChannels {
    pub green: Option<u8>,
    pub amber: Option<u8>,
    pub red: Option<u8>,
    pub buzzer: Option<u8>,
    pub blue: Option<u8>,
    pub white: Option<u8>,
}

impl Default for LampChannels {
    fn default() -> LampChannels {
        LampChannels { green: Some(1), amber: Some(2), red: Some(3), buzzer: Some(4), blue: None, white: None }
    }
}

impl LampChannels {
    /// Every channel with its lamp.
    pub fn all(&self) -> [(Lamp, Option<u8>); 6] {
        [
            (Lamp::Green, self.green),
            (Lamp::Amber, self.amber),
            (Lamp::Red, self.red),
            (Lamp::Buzzer, self.buzzer),
            (Lamp::Blue, self.blue),
            (Lamp::White, self.white),
        ]
    }

    /// Those that are wired.
    pub fn wired(&self) -> impl Iterator<Item = (Lamp, u8)> {
        self.all().into_iter().filter_map(|(lamp, channel)| Some((lamp, channel?)))
    }

    /// # Errors
    /// What is wrong with them.
    pub fn check(&self) -> Result<(), String> {
        let used: Vec<(Lamp, u8)> = self.wired().collect();
        if let Some((lamp, channel)) = used.iter().find(|(_, channel)| !(1..=8).contains(channel)) {
            return Err(format!("{} = {channel} is not possible; 1 to 8", lamp.name()));
        }
        for (n, (lamp, channel)) in used.iter().enumerate() {
            if let Some((other, _)) = used[..n].iter().find(|(_, c)| c == channel) {
                return Err(format!("{} and {} are both on channel {channel}", other.name(), lamp.name()));
            }
        }
        if self.amber.is_none() && self.red.is_none() {
            return Err("a lamp needs at least red or amber".into());
        }
        Ok(())
    }
}

/// What a port's output lines switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineOutputs {
    #[serde(default, deserialize_with = "lamp")]
    pub dtr: Option<Lamp>,
    #[serde(default, deserialize_with = "lamp")]
    pub rts: Option<Lamp>,
}

fn lamp<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Lamp>, D::Error> {
    String::deserialize(d)?.parse().map(Some).map_err(D::Error::custom)
}

/// What a port's input line means when it closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputMeaning {
    /// A press of the clock by this side.
    Press(Color),
    /// A button of the referee.
    Button(Button),
}

impl<'de> Deserialize<'de> for InputMeaning {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<InputMeaning, D::Error> {
        let text = String::deserialize(d)?;
        match text.as_str() {
            "press_black" => Ok(InputMeaning::Press(Color::Black)),
            "press_white" => Ok(InputMeaning::Press(Color::White)),
            other => other.parse().map(InputMeaning::Button).map_err(|()| {
                D::Error::custom(format!(
                    "{text:?} is no meaning of an input; press_black, press_white, ack, accept, reject, call, stop, resume"
                ))
            }),
        }
    }
}

/// What a port's input lines mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LineInputs {
    pub cts: Option<InputMeaning>,
    pub dsr: Option<InputMeaning>,
    pub ri: Option<InputMeaning>,
    pub cd: Option<InputMeaning>,
}

impl LineInputs {
    /// Some input says "I have seen it".
    pub fn can_acknowledge(&self) -> bool {
        let says = |i: Option<InputMeaning>| {
            matches!(i, Some(InputMeaning::Button(Button::Acknowledge | Button::Accept | Button::Reject)))
        };
        [self.cts, self.dsr, self.ri, self.cd].into_iter().any(says)
    }

    /// Some input means something.
    pub fn are_used(&self) -> bool {
        [self.cts, self.dsr, self.ri, self.cd].iter().any(Option::is_some)
    }
}
