//! `[[signal]]` of the configuration: one section a device; `[alarms]` and `[clock]`.

mod alarms;
mod wiring;

use serde::Deserialize;

pub use alarms::{AlarmsConfig, ClockConfig};
pub use wiring::{InputMeaning, LampChannels, LineInputs, LineOutputs};

use super::port::PortName;
use super::show::{Lamp, ShowMap};
use crate::rules::Color;

/// Which driver speaks on the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// The referee's console: `docs/serial-protocol.md`.
    Console,
    /// A clock, or an adapter at one, that speaks the same protocol.
    Clock,
    /// An LCUS (LC-Tech) USB relay board with lamps and a buzzer.
    Lamp,
    /// A Modbus RTU relay board with lamps and a buzzer: it confirms what it is told.
    Modbus,
    /// A one-byte USB tower lamp.
    Tower,
    /// A port whose own lines are lamps and buttons.
    Lines,
    /// A clock behind a DGT-compatible board.
    Dgt,
    /// A DGT3000 behind a gateway that speaks JSON lines.
    Dgt3000,
}

impl DeviceKind {
    /// Every kind.
    pub const ALL: [DeviceKind; 8] = [
        DeviceKind::Console,
        DeviceKind::Clock,
        DeviceKind::Lamp,
        DeviceKind::Modbus,
        DeviceKind::Tower,
        DeviceKind::Lines,
        DeviceKind::Dgt,
        DeviceKind::Dgt3000,
    ];

    /// Lamps that the device can have.
    fn lamps(self) -> &'static [Lamp] {
        match self {
            DeviceKind::Lamp | DeviceKind::Modbus | DeviceKind::Lines => &Lamp::ALL,
            DeviceKind::Tower => &[Lamp::Red, Lamp::Buzzer, Lamp::Amber, Lamp::Green],
            _ => &[],
        }
    }

    /// As in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            DeviceKind::Console => "console",
            DeviceKind::Lamp => "lamp",
            DeviceKind::Modbus => "modbus",
            DeviceKind::Clock => "clock",
            DeviceKind::Tower => "tower",
            DeviceKind::Lines => "lines",
            DeviceKind::Dgt => "dgt",
            DeviceKind::Dgt3000 => "dgt3000",
        }
    }
}

/// In which language the console shows texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    #[default]
    En,
    Zh,
}

/// One device.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceConfig {
    pub kind: DeviceKind,
    /// Path of the port, `/dev/serial/by-id/…`, or `usb:VENDOR:PRODUCT[:SERIAL]`; the latter two stay the same when other
    /// devices come and go.
    pub port: String,
    /// Stands in messages; otherwise the kind and the port do.
    pub name: Option<String>,
    /// Otherwise 115200 for consoles, clocks and gateways, 9600 for the others.
    pub baud: Option<u32>,
    /// Console, clock: language of the texts.
    pub language: Option<Language>,
    /// Clocks: who sits at the left side (black).
    #[serde(default, deserialize_with = "side")]
    pub left: Option<Color>,
    /// Lamps: what is lit when, in place of the usual entries.
    pub show: Option<ShowMap>,
    /// Lines: what the outputs switch.
    pub outputs: Option<LineOutputs>,
    /// Lines: what the inputs mean.
    pub inputs: Option<LineInputs>,
    /// Lamp, modbus: which relay switches what.
    pub channels: Option<LampChannels>,
    /// Lamp: relays do not confirm, so the state is sent again every so many seconds (5). Modbus: it is asked so often.
    pub reassert_s: Option<u64>,
    /// Lamp, modbus: how long the buzzer sounds for a new infraction, milliseconds (1000).
    pub buzzer_ms: Option<u64>,
    /// Lamp: ask the board for its state after each re-assertion. Many boards never answer; that is no fault.
    #[serde(default)]
    pub query_status: bool,
    /// Modbus: the board's address, 1 to 247 (1).
    pub unit: Option<u8>,
    /// Log every byte sent and received, as hexadecimal digits with the time (level `debug`).
    #[serde(default)]
    pub log_bytes: bool,
}

impl DeviceConfig {
    /// A device with the usual settings.
    pub fn new(kind: DeviceKind, port: impl Into<String>) -> DeviceConfig {
        DeviceConfig {
            kind,
            port: port.into(),
            name: None,
            baud: None,
            language: None,
            left: None,
            show: None,
            outputs: None,
            inputs: None,
            channels: None,
            reassert_s: None,
            buzzer_ms: None,
            query_status: false,
            unit: None,
            log_bytes: false,
        }
    }

    /// The name for messages.
    pub fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("{} {}", self.kind.name(), self.port))
    }

    /// The baud rate.
    pub fn baud(&self) -> u32 {
        self.baud.unwrap_or(match self.kind {
            DeviceKind::Console | DeviceKind::Clock | DeviceKind::Dgt3000 => 115_200,
            DeviceKind::Lamp | DeviceKind::Modbus | DeviceKind::Tower | DeviceKind::Lines | DeviceKind::Dgt => 9600,
        })
    }

    /// The device has this lamp.
    pub fn has(&self, lamp: Lamp) -> bool {
        match self.kind {
            DeviceKind::Lines => self.outputs.is_some_and(|o| o.dtr == Some(lamp) || o.rts == Some(lamp)),
            DeviceKind::Lamp | DeviceKind::Modbus => {
                self.channels.unwrap_or_default().wired().any(|(wired, _)| wired == lamp)
            }
            kind => kind.lamps().contains(&lamp),
        }
    }

    /// Values that the types alone do not exclude.
    ///
    /// # Errors
    /// The key and what is wrong with its value.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if let Err(problem) = self.port.parse::<PortName>() {
            return Err(("signal.port", problem));
        }
        if let Some(baud) = self.baud
            && !(300..=4_000_000).contains(&baud)
        {
            return Err(("signal.baud", format!("{baud} is not possible; 300 to 4000000, usually 9600 or 115200")));
        }
        let only = |key, is_set: bool, kinds: &[DeviceKind]| {
            if !is_set || kinds.contains(&self.kind) {
                return Ok(());
            }
            let kinds: Vec<&str> = kinds.iter().map(|k| k.name()).collect();
            Err((key, format!("a {} has no such key; it belongs to {}", self.kind.name(), kinds.join(" and "))))
        };
        use DeviceKind as K;
        let relays = [K::Lamp, K::Modbus];
        only("signal.language", self.language.is_some(), &[K::Console, K::Clock])?;
        only("signal.left", self.left.is_some(), &[K::Dgt, K::Dgt3000])?;
        only("signal.show", self.show.is_some(), &[K::Lamp, K::Modbus, K::Tower, K::Lines])?;
        only("signal.outputs", self.outputs.is_some(), &[K::Lines])?;
        only("signal.inputs", self.inputs.is_some(), &[K::Lines])?;
        only("signal.channels", self.channels.is_some(), &relays)?;
        only("signal.reassert_s", self.reassert_s.is_some(), &[K::Lamp, K::Modbus, K::Tower])?;
        only("signal.buzzer_ms", self.buzzer_ms.is_some(), &[K::Lamp, K::Modbus, K::Tower, K::Lines])?;
        only("signal.query_status", self.query_status, &[K::Lamp])?;
        only("signal.unit", self.unit.is_some(), &[K::Modbus])?;
        if self.unit.is_some_and(|unit| !(1..=247).contains(&unit)) {
            return Err(("signal.unit", "1 to 247".into()));
        }
        if let Some(channels) = self.channels {
            channels.check().map_err(|problem| ("signal.channels", problem))?;
        }
        if let Some(lamp) = self.show.iter().flat_map(ShowMap::lamps).find(|l| !self.has(*l)) {
            let there: Vec<&str> = Lamp::ALL.into_iter().filter(|l| self.has(*l)).map(Lamp::name).collect();
            return Err(("signal.show", format!("{:?} is not wired; there are {}", lamp.name(), there.join(", "))));
        }
        if self.kind == DeviceKind::Lines && self.outputs.is_none() && self.inputs.is_none() {
            return Err((
                "signal.outputs",
                "say what is wired, such as outputs = { dtr = \"red\" } or inputs = { cts = \"press_black\" }".into(),
            ));
        }
        if self.reassert_s.is_some_and(|s| !(1..=3600).contains(&s)) {
            return Err(("signal.reassert_s", "1 to 3600 seconds".into()));
        }
        if self.buzzer_ms.is_some_and(|ms| ms > 60_000) {
            return Err(("signal.buzzer_ms", "at most 60000 (one minute)".into()));
        }
        Ok(())
    }
}

fn side<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Color>, D::Error> {
    use serde::de::Error as _;
    match String::deserialize(d)?.as_str() {
        "black" => Ok(Some(Color::Black)),
        "white" => Ok(Some(Color::White)),
        other => Err(D::Error::custom(format!("{other:?} is no side; \"black\" or \"white\""))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<DeviceConfig, String> {
        let device: DeviceConfig = toml::from_str(text).map_err(|e| e.to_string())?;
        device.check().map_err(|(key, problem)| format!("{key}: {problem}"))?;
        Ok(device)
    }

    #[test]
    fn kind_and_port_are_enough() {
        let console = parse("kind = \"console\"\nport = \"/dev/ttyACM0\"").unwrap();
        assert_eq!((console.baud(), console.name().as_str()), (115_200, "console /dev/ttyACM0"));
        assert_eq!(parse("kind = \"lamp\"\nport = \"/dev/ttyUSB0\"").unwrap().baud(), 9600);
    }

    #[test]
    fn errors_name_the_key_and_what_is_possible() {
        for (text, parts) in [
            ("kind = \"lamp\"", ["port", "missing"]),
            ("kind = \"horn\"\nport = \"x\"", ["horn", "console"]),
            ("kind = \"lamp\"\nport = \"x\"\nprt = 1", ["prt", "unknown"]),
            ("kind = \"lamp\"\nport = \" \"", ["signal.port", "/dev/"]),
            ("kind = \"lamp\"\nport = \"x\"\nbaud = 12", ["signal.baud", "9600"]),
            ("kind = \"console\"\nport = \"x\"\nchannels = {}", ["signal.channels", "lamp"]),
            ("kind = \"lamp\"\nport = \"x\"\nchannels = { red = 9 }", ["signal.channels", "1 to 8"]),
            ("kind = \"lamp\"\nport = \"x\"\nchannels = { red = 2, amber = 2 }", ["signal.channels", "both"]),
            ("kind = \"lamp\"\nport = \"x\"\nchannels = { green = 1 }", ["signal.channels", "red or amber"]),
            ("kind = \"lamp\"\nport = \"x\"\nchannels = { pink = 1 }", ["pink", "green"]),
            ("kind = \"lamp\"\nport = \"x\"\nunit = 1", ["signal.unit", "modbus"]),
            ("kind = \"modbus\"\nport = \"x\"\nunit = 0", ["signal.unit", "247"]),
            ("kind = \"lamp\"\nport = \"usb:1\"", ["signal.port", "usb:1A86:7523"]),
            ("kind = \"tower\"\nport = \"x\"\nshow = { idle = [\"blue\"] }", ["signal.show", "amber"]),
            ("kind = \"dgt\"\nport = \"x\"\nleft = \"south\"", ["south", "white"]),
            ("kind = \"lamp\"\nport = \"x\"\nleft = \"white\"", ["signal.left", "dgt3000"]),
            ("kind = \"lines\"\nport = \"x\"", ["signal.outputs", "cts"]),
            ("kind = \"lines\"\nport = \"x\"\ninputs = { cts = \"horn\" }", ["horn", "press_white"]),
            ("kind = \"lines\"\nport = \"x\"\noutputs = { dtr = \"pink\" }", ["pink", "buzzer"]),
            ("kind = \"lamp\"\nport = \"x\"\nreassert_s = 0", ["signal.reassert_s", "3600"]),
        ] {
            let error = parse(text).unwrap_err();
            assert!(parts.iter().all(|p| error.contains(p)), "{text}: {error}");
        }
    }
}
