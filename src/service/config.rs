//! `goband.toml`: what one table needs to know.

use std::path::{Path, PathBuf};

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use crate::signal::{AlarmsConfig, ClockConfig, DeviceConfig};

/// The whole file. Every section but `[source]` may be left out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    #[serde(default)]
    pub table: TableConfig,
    pub source: SourceConfig,
    #[serde(default)]
    pub game: GameConfig,
    #[serde(default)]
    pub signal: Vec<DeviceConfig>,
    #[serde(default)]
    pub alarms: AlarmsConfig,
    #[serde(default)]
    pub clock: ClockConfig,
    #[serde(default)]
    pub feed: FeedSection,
}

/// `[table]`: the board, its rules, where its records lie.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TableConfig {
    /// Names the folder of the records, the page and the console's display.
    pub name: String,
    /// `cwa`, `cwa-classic`, `team-relay`, `japan-korea`, `ancient`, or the path of a ruleset file.
    pub ruleset: String,
    /// 9, 13 or 19; found from the picture when absent.
    pub size: Option<u8>,
    /// How far the record's usual way up is turned from the picture, clockwise: 0, 90, 180, 270.
    pub orientation: u16,
    /// Folder that holds a folder per table and game.
    pub records: PathBuf,
    /// How long captured stones may lie before `missed_capture` is reported.
    pub capture_grace_ms: u64,
    /// A stored calibration (`goband calibrate`).
    pub calibration: Option<PathBuf>,
    /// The outermost crossings in pixels, as the last resort: board[0][0], board[0][N-1], board[N-1][N-1], board[N-1][0].
    pub corners: Option<[[f64; 2]; 4]>,
}

impl Default for TableConfig {
    fn default() -> TableConfig {
        TableConfig {
            name: "table-1".into(),
            ruleset: "cwa".into(),
            size: None,
            orientation: 0,
            records: "records".into(),
            capture_grace_ms: 3000,
            calibration: None,
            corners: None,
        }
    }
}

/// `[source]`: the camera.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceConfig {
    /// A camera's number, path or name; an `rtsp://` or `http://` address; a file; a folder; `virtual` or `virtual:SCRIPT.toml`.
    pub from: String,
    pub width: Option<u32>,
    pub height: Option<u32>,
    pub fps: Option<f64>,
    /// Ask a camera for MJPEG: USB 2 has no room for raw pictures of a useful size.
    #[serde(default = "yes")]
    pub mjpeg: bool,
    #[serde(default)]
    pub lock_exposure: bool,
    #[serde(default)]
    pub lock_white_balance: bool,
}

fn yes() -> bool {
    true
}

/// `[game]`: who plays; goes into the record.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GameConfig {
    pub black: String,
    pub white: String,
    pub event: String,
    pub round: String,
    pub place: String,
    pub date: String,
    /// Handicap stones; 0: an even game, 1: the first move without komi (让先).
    #[serde(deserialize_with = "handicap")]
    pub handicap: u32,
    /// An SGF to go on from.
    pub start: Option<PathBuf>,
}

/// So many stones fit on the handicap points of a board of 19 and between them; what is more was mistyped.
const MOST_HANDICAP: u32 = 25;

/// Checked while it is read, so that the message shows the line.
fn handicap<'de, D: Deserializer<'de>>(d: D) -> Result<u32, D::Error> {
    struct Stones;
    impl Visitor<'_> for Stones {
        type Value = u32;

        fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
            write!(f, "game.handicap as a whole number from 0 (an even game) to {MOST_HANDICAP}")
        }

        fn visit_i64<E: Error>(self, n: i64) -> Result<u32, E> {
            let stones = u32::try_from(n).ok().filter(|&n| n <= MOST_HANDICAP);
            stones.ok_or_else(|| E::invalid_value(Unexpected::Signed(n), &self))
        }

        fn visit_u64<E: Error>(self, n: u64) -> Result<u32, E> {
            self.visit_i64(i64::try_from(n).unwrap_or(i64::MAX))
        }
    }
    d.deserialize_any(Stones)
}

/// `[feed]`: the pages.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FeedSection {
    /// Address and port; only this machine can reach the default.
    pub listen: String,
    /// Lets the operator's page send decisions.
    pub decisions: bool,
    /// Asked of whoever sends decisions from another machine.
    pub token: Option<String>,
}

impl Default for FeedSection {
    fn default() -> FeedSection {
        FeedSection { listen: "127.0.0.1:8737".into(), decisions: false, token: None }
    }
}

/// A configuration that cannot be used; the text names the file, the place and the mend.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

impl Config {
    /// Reads and checks a file. Relative paths in it are relative to its folder.
    ///
    /// # Errors
    /// Unreadable file, TOML errors with line and key, values out of range.
    pub fn load(path: &Path) -> Result<Config, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|e| {
            ConfigError(format!(
                "{}: cannot be read ({e}); write one as docs/configuration.md shows, or name another with --config",
                path.display()
            ))
        })?;
        let mut config = Config::parse(&text, &path.display().to_string())?;
        let folder = path.parent().unwrap_or(Path::new("."));
        for p in [&mut config.table.calibration, &mut config.game.start].into_iter().flatten() {
            *p = folder.join(&*p);
        }
        config.table.records = folder.join(&config.table.records);
        if let Some(log) = &mut config.alarms.wire_log {
            *log = folder.join(&*log);
        }
        if config.table.ruleset.ends_with(".toml") {
            config.table.ruleset = folder.join(&config.table.ruleset).display().to_string();
        }
        Ok(config)
    }

    /// Reads and checks a text; `name` stands in messages.
    pub fn parse(text: &str, name: &str) -> Result<Config, ConfigError> {
        let config: Config = toml::from_str(text).map_err(|e| ConfigError(format!("{name}: {e}")))?;
        config.check().map_err(|(key, problem)| ConfigError(format!("{name}: {key}: {problem}")))?;
        Ok(config)
    }

    fn check(&self) -> Result<(), (String, String)> {
        let t = &self.table;
        if t.name.is_empty()
            || !t.name.chars().all(|c| c.is_alphanumeric() || "-_ ".contains(c))
            || t.name.starts_with(' ')
        {
            return Err((
                "table.name".into(),
                format!("{:?} names a folder: use letters, digits, '-', '_' and inner spaces only", t.name),
            ));
        }
        if let Some(size) = t.size
            && ![9, 13, 19].contains(&size)
        {
            return Err((
                "table.size".into(),
                format!("{size} is not possible; 9, 13 or 19, or leave it out to have it found"),
            ));
        }
        if ![0, 90, 180, 270].contains(&t.orientation) {
            return Err(("table.orientation".into(), format!("{} is not possible; 0, 90, 180 or 270", t.orientation)));
        }
        if t.capture_grace_ms > 600_000 {
            return Err(("table.capture_grace_ms".into(), "at most 600000 (ten minutes)".into()));
        }
        if let Some(corners) = t.corners {
            if t.size.is_none() {
                return Err((
                    "table.corners".into(),
                    "corners alone do not tell how many lines there are: give table.size too".into(),
                ));
            }
            if !corners.iter().flatten().all(|x| x.is_finite()) {
                return Err(("table.corners".into(), "four pairs of finite numbers [[x, y], …] in pixels".into()));
            }
        }
        if self.source.from.trim().is_empty() {
            return Err((
                "source.from".into(),
                "name a camera (\"0\"), an address, a file, a folder or \"virtual\"".into(),
            ));
        }
        if let Some(fps) = self.source.fps
            && !(0.01..=240.0).contains(&fps)
        {
            return Err(("source.fps".into(), format!("{fps} is not possible; 0.01 to 240 pictures a second")));
        }
        for (n, device) in self.signal.iter().enumerate() {
            device
                .check()
                .map_err(|(key, problem)| (format!("signal {} ({}): {key}", n + 1, device.name()), problem))?;
        }
        self.alarms.check().map_err(|(key, problem)| (key.to_owned(), problem))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Config::parse(text, "goband.toml").unwrap_err().to_string()
    }

    #[test]
    fn a_source_is_enough() {
        let c = Config::parse("[source]\nfrom = \"0\"\n", "goband.toml").unwrap();
        assert_eq!((c.table.ruleset.as_str(), c.feed.listen.as_str()), ("cwa", "127.0.0.1:8737"));
    }

    #[test]
    fn errors_name_the_file_the_line_and_the_key() {
        let e = error("[source]\nfrom = \"0\"\nfsp = 10\n");
        assert!(e.contains("goband.toml") && e.contains("line 3") && e.contains("fsp"), "{e}");
        let e = error("[table]\norientation = 45\n[source]\nfrom = \"0\"\n");
        assert!(e.contains("table.orientation") && e.contains("270"), "{e}");
        let e = error("[table]\nname = \"../etc\"\n[source]\nfrom = \"0\"\n");
        assert!(e.contains("table.name"), "{e}");
        assert!(error("").contains("source"), "a missing section is named");
    }

    #[test]
    fn a_device_that_cannot_be_is_named() {
        let e = error(
            "[source]\nfrom = \"0\"\n[[signal]]\nkind = \"lamp\"\nport = \"/dev/ttyUSB0\"\nchannels = { red = 99 }\n",
        );
        assert!(e.contains("ttyUSB0") && e.contains("red"), "{e}");
    }

    #[test]
    fn a_handicap_that_cannot_be_names_line_key_and_what_can() {
        let read = |value: &str| {
            Config::parse(&format!("[source]\nfrom = \"0\"\n[game]\nhandicap = {value}\n"), "goband.toml")
        };
        for stones in [0, 1, 2, 9, 25] {
            assert_eq!(read(&stones.to_string()).unwrap().game.handicap, stones);
        }
        for wrong in ["26", "-1", "2.5", "\"four\"", "99999999999"] {
            let e = read(wrong).unwrap_err().to_string();
            for part in ["goband.toml", "line 4", "game.handicap", "0 (an even game) to 25"] {
                assert!(e.contains(part), "{part} in {e}");
            }
        }
        assert_eq!(Config::parse("[source]\nfrom = \"0\"\n", "goband.toml").unwrap().game.handicap, 0);
    }

    #[test]
    fn corners_without_a_size_are_refused() {
        let e = error("[table]\ncorners = [[0,0],[9,0],[9,9],[0,9]]\n[source]\nfrom = \"0\"\n");
        assert!(e.contains("table.size"), "{e}");
    }
}
