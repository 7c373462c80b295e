//! `[[signal]]` of the configuration: one section a device.

use serde::Deserialize;

/// Which driver speaks on the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// The referee's console: `docs/serial-protocol.md`.
    Console,
    /// An LCUS (LC-Tech) USB relay board with lamps and a buzzer.
    Lamp,
    /// A Modbus RTU relay board with lamps and a buzzer: it confirms what it is told.
    Modbus,
}

impl DeviceKind {
    /// As in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            DeviceKind::Console => "console",
            DeviceKind::Lamp => "lamp",
            DeviceKind::Modbus => "modbus",
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

/// Which relay switches what, 1 to 8; what is left out does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LampChannels {
    pub green: Option<u8>,
    pub amber: Option<u8>,
    pub red: Option<u8>,
    pub buzzer: Option<u8>,
}

impl Default for LampChannels {
    fn default() -> LampChannels {
        LampChannels { green: Some(1), amber: Some(2), red: Some(3), buzzer: Some(4) }
    }
}

impl LampChannels {
    /// Every channel with the key that names it.
    pub fn named(&self) -> [(&'static str, Option<u8>); 4] {
        [("green", self.green), ("amber", self.amber), ("red", self.red), ("buzzer", self.buzzer)]
    }
}

/// One device.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceConfig {
    pub kind: DeviceKind,
    /// Path of the port; `/dev/serial/by-id/…` stays the same when other devices come and go.
    pub port: String,
    /// Stands in messages; otherwise the kind and the port do.
    pub name: Option<String>,
    /// Otherwise 115200 for a console, 9600 for relays.
    pub baud: Option<u32>,
    /// Console: language of the texts.
    pub language: Option<Language>,
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
            DeviceKind::Console => 115_200,
            DeviceKind::Lamp | DeviceKind::Modbus => 9600,
        })
    }

    /// Values that the types alone do not exclude.
    ///
    /// # Errors
    /// The key and what is wrong with its value.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if self.port.trim().is_empty() {
            return Err(("signal.port", "name the port, such as \"/dev/ttyUSB0\" or \"/dev/serial/by-id/…\"".into()));
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
        let relays = [DeviceKind::Lamp, DeviceKind::Modbus];
        only("signal.language", self.language.is_some(), &[DeviceKind::Console])?;
        only("signal.channels", self.channels.is_some(), &relays)?;
        only("signal.reassert_s", self.reassert_s.is_some(), &relays)?;
        only("signal.buzzer_ms", self.buzzer_ms.is_some(), &relays)?;
        only("signal.query_status", self.query_status, &[DeviceKind::Lamp])?;
        only("signal.unit", self.unit.is_some(), &[DeviceKind::Modbus])?;
        if self.unit.is_some_and(|unit| !(1..=247).contains(&unit)) {
            return Err(("signal.unit", "1 to 247".into()));
        }
        if let Some(channels) = self.channels {
            let used: Vec<(&str, u8)> =
                channels.named().into_iter().filter_map(|(name, channel)| Some((name, channel?))).collect();
            if let Some((name, channel)) = used.iter().find(|(_, channel)| !(1..=8).contains(channel)) {
                return Err(("signal.channels", format!("{name} = {channel} is not possible; 1 to 8")));
            }
            for (n, (name, channel)) in used.iter().enumerate() {
                if let Some((other, _)) = used[..n].iter().find(|(_, c)| c == channel) {
                    return Err(("signal.channels", format!("{other} and {name} are both on channel {channel}")));
                }
            }
            if channels.amber.is_none() && channels.red.is_none() {
                return Err(("signal.channels", "a lamp needs at least red or amber".into()));
            }
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
            ("kind = \"lamp\"\nport = \"x\"\nchannels = { blue = 1 }", ["blue", "green"]),
            ("kind = \"lamp\"\nport = \"x\"\nunit = 1", ["signal.unit", "modbus"]),
            ("kind = \"modbus\"\nport = \"x\"\nunit = 0", ["signal.unit", "247"]),
            ("kind = \"lamp\"\nport = \"x\"\nreassert_s = 0", ["signal.reassert_s", "3600"]),
        ] {
            let error = parse(text).unwrap_err();
            assert!(parts.iter().all(|p| error.contains(p)), "{text}: {error}");
        }
    }
}
