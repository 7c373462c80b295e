//! Scripts as TOML files (`docs/virtualboard.md`).

use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::game::sgf;
use crate::rules::{Board, Color, Point};

use super::camera::CameraPose;
use super::furniture::Seat;
use super::look::LookChoice;
use super::point_named;
use super::script::{Happening, Pace, Script, ScriptError, What};

/// A place as scripts write it: `"E5"`, or [row, column] where it need not be a crossing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum SpotText {
    Name(String),
    RowCol([f64; 2]),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFile {
    #[serde(default = "unnamed")]
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u8>,
    /// Black's seat.
    #[serde(default)]
    black: Seat,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<Color>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<Board>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Spanned<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sgf: Option<Spanned<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sgf_file: Option<Spanned<String>>,
    /// Only so many moves of the SGF.
    #[serde(skip_serializing_if = "Option::is_none")]
    sgf_moves: Option<usize>,
    #[serde(default)]
    pace: PaceFile,
    #[serde(default)]
    look: LookChoice,
    #[serde(skip_serializing_if = "Option::is_none")]
    camera: Option<CameraPose>,
    #[serde(default, rename = "happening", skip_serializing_if = "Vec::is_empty")]
    happenings: Vec<HappeningFile>,
}

fn unnamed() -> String {
    "script".to_string()
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PaceFile {
    seconds_per_move: f64,
    hand_speed: f64,
    lead_s: f64,
    tail_s: f64,
}

impl Default for PaceFile {
    fn default() -> PaceFile {
        let p = Pace::default();
        PaceFile { seconds_per_move: p.seconds_per_move, hand_speed: p.hand_speed, lead_s: p.lead_s, tail_s: p.tail_s }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HappeningFile {
    kind: Spanned<String>,
    at_move: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    for_s: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    point: Option<SpotText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    points: Option<Vec<SpotText>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first: Option<SpotText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<SpotText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<SpotText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<SpotText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<[f64; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shift_mm: Option<[f64; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    roll_deg: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turn_deg: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    level: Option<f64>,
}

/// How long a wrong thing lasts where the script does not say.
const USUAL_S: f64 = 4.0;

impl Script {
    /// Reads a script and checks it. `folder` is where `sgf_file` is looked up.
    ///
    /// # Errors
    /// The first thing that is wrong, with its line and key.
    pub fn from_toml(text: &str, folder: &Path) -> Result<Script, ScriptError> {
        let file: ScriptFile = toml::from_str(text).map_err(|e| {
            let place = e.span().map_or_else(String::new, |s| format!("line {}: ", line_of(text, s.start)));
            ScriptError::Syntax(format!("{place}{}", e.message().trim_end()))
        })?;
        let lines: Vec<usize> = file.happenings.iter().map(|h| line_of(text, h.kind.span().start)).collect();
        let moves_line = [&file.moves, &file.sgf, &file.sgf_file]
            .into_iter()
            .flatten()
            .next()
            .map_or(1, |m| line_of(text, m.span().start));
        let placed = |e: ScriptError| match e {
            ScriptError::Value { key, problem } => {
                let line = if let Some(rest) = key.strip_prefix("happening[") {
                    let k: usize = rest.split(']').next().and_then(|n| n.parse().ok()).unwrap_or(1);
                    lines.get(k.wrapping_sub(1)).copied()
                } else if key.starts_with("moves") || key.starts_with("sgf") {
                    Some(moves_line)
                } else {
                    line_of_key(text, &key)
                };
                match line {
                    Some(line) => ScriptError::Line { line, key, problem },
                    None => ScriptError::Value { key, problem },
                }
            }
            other => other,
        };
        let script = file.into_script(folder).map_err(placed)?;
        script.check().map_err(placed)?;
        Ok(script)
    }

    /// Reads a script from a file.
    ///
    /// # Errors
    /// As [`Script::from_toml`], or that the file cannot be read; the message names the file.
    pub fn from_file(path: &Path) -> Result<Script, ScriptError> {
        let named = |problem: String| ScriptError::Syntax(format!("{}: {problem}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|e| named(e.to_string()))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        Script::from_toml(&text, folder).map_err(|e| named(e.to_string()))
    }

    /// The script as TOML that [`Script::from_toml`] reads again.
    pub fn to_toml(&self) -> String {
        let names: Vec<String> = self.moves.iter().map(|m| m.1.name(self.size)).collect();
        let alternating = self.moves.windows(2).all(|w| w[0].0 != w[1].0);
        let moves = if alternating {
            names.join(" ")
        } else {
            self.moves.iter().zip(&names).map(|(m, n)| format!("{}:{n}", m.0)).collect::<Vec<_>>().join(" ")
        };
        let empty = self.start.points().all(|p| self.start.get(p).is_none());
        let p = self.pace;
        let file = ScriptFile {
            name: self.name.clone(),
            size: Some(self.size),
            black: self.black_seat,
            first: (self.first() == Color::White).then_some(Color::White),
            start: (!empty).then(|| self.start.clone()),
            moves: Some(Spanned::new(0..0, moves)),
            sgf: None,
            sgf_file: None,
            sgf_moves: None,
            pace: PaceFile {
                seconds_per_move: p.seconds_per_move,
                hand_speed: p.hand_speed,
                lead_s: p.lead_s,
                tail_s: p.tail_s,
            },
            look: self.look.clone(),
            camera: self.camera,
            happenings: self.happenings.iter().map(|h| HappeningFile::of(h, self.size)).collect(),
        };
        toml::to_string(&file).expect("a script has only plain values")
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    text[..offset.min(text.len())].matches('\n').count() + 1
}

/// The line where a key such as `pace.hand_speed` is set, by its last part.
fn line_of_key(text: &str, key: &str) -> Option<usize> {
    let last = key.rsplit('.').next()?.split('[').next()?;
    text.lines()
        .position(|l| {
            let l = l.trim_start().trim_start_matches('[');
            l.strip_prefix(last).is_some_and(|rest| rest.trim_start().starts_with(['=', ']']))
        })
        .map(|i| i + 1)
}

impl ScriptFile {
    fn into_script(self, folder: &Path) -> Result<Script, ScriptError> {
        let bad = |key: &str, problem: String| ScriptError::value(key, problem);
        let sources =
            usize::from(self.moves.is_some()) + usize::from(self.sgf.is_some()) + usize::from(self.sgf_file.is_some());
        if sources > 1 {
            return Err(bad("moves", "name one of moves, sgf and sgf_file".into()));
        }
        let record = match (&self.sgf, &self.sgf_file) {
            (Some(text), _) => Some(text.get_ref().clone()),
            (_, Some(path)) => {
                let path = folder.join(path.get_ref());
                let text = std::fs::read_to_string(&path);
                Some(text.map_err(|e| bad("sgf_file", format!("cannot read {}: {e}", path.display())))?)
            }
            _ => None,
        };
        let (size, start, moves) = match record {
            Some(text) => {
                if self.start.is_some() || self.first.is_some() {
                    return Err(bad("start", "start and first come from the SGF".into()));
                }
                let (start, moves) = moves_of_sgf(&text, self.sgf_moves)?;
                if let Some(size) = self.size
                    && size != start.size()
                {
                    return Err(bad("size", format!("{size}, but the SGF has {}", start.size())));
                }
                (start.size(), start, moves)
            }
            None => {
                let size = match (self.size, &self.start) {
                    (Some(size), _) => size,
                    (None, Some(start)) => start.size(),
                    (None, None) => return Err(bad("size", "missing: 9, 13 or 19".into())),
                };
                if ![9, 13, 19].contains(&size) {
                    return Err(bad("size", format!("{size} is not a board's size here: 9, 13 or 19")));
                }
                let text = self.moves.as_ref().map_or("", |m| m.get_ref().as_str());
                let moves = moves_of_text(text, size, self.first.unwrap_or(Color::Black))?;
                (size, self.start.clone().unwrap_or_else(|| Board::new(size)), moves)
            }
        };
        let happenings = self
            .happenings
            .iter()
            .enumerate()
            .map(|(k, h)| Ok(Happening { at_move: h.at_move, what: h.what(k, size)? }))
            .collect::<Result<_, ScriptError>>()?;
        let p = self.pace;
        Ok(Script {
            name: self.name,
            size,
            black_seat: self.black,
            pace: Pace {
                seconds_per_move: p.seconds_per_move,
                hand_speed: p.hand_speed,
                lead_s: p.lead_s,
                tail_s: p.tail_s,
            },
            look: self.look,
            camera: self.camera,
            start,
            moves,
            happenings,
        })
    }
}

/// `E5 W:E6 …`: colours alternate unless one is named.
fn moves_of_text(text: &str, size: u8, first: Color) -> Result<Vec<(Color, Point)>, ScriptError> {
    let mut next = first;
    let mut moves = Vec::new();
    for (i, word) in text.split_whitespace().enumerate() {
        let (color, name) = match word.split_once(':') {
            Some(("B" | "b", name)) => (Color::Black, name),
            Some(("W" | "w", name)) => (Color::White, name),
            Some((other, _)) => {
                return Err(ScriptError::value(
                    format!("moves[{}]", i + 1),
                    format!("`{other}:` is neither B: nor W:"),
                ));
            }
            None => (next, word),
        };
        let point = point_named(name, size).ok_or_else(|| {
            ScriptError::value(
                format!("moves[{}]", i + 1),
                format!("`{word}` is not a point of a board of {size} (A1, E5, …)"),
            )
        })?;
        moves.push((color, point));
        next = color.opponent();
    }
    Ok(moves)
}

fn moves_of_sgf(text: &str, limit: Option<usize>) -> Result<(Board, Vec<(Color, Point)>), ScriptError> {
    let wrong = |problem: String| ScriptError::value("sgf", problem);
    let trees = sgf::read(text).map_err(|e| wrong(e.to_string()))?;
    let tree = trees.first().ok_or_else(|| wrong("holds no game".into()))?;
    let history = tree.history().map_err(|e| wrong(e.to_string()))?;
    let mut moves = Vec::new();
    let played: Vec<_> = history.moves().iter().take(limit.unwrap_or(usize::MAX)).collect();
    for (i, m) in played.iter().enumerate() {
        match m.point {
            Some(p) => moves.push((m.color, p)),
            // the passes at the end leave nothing on the board
            None if played[i..].iter().all(|m| m.point.is_none()) => break,
            None => return Err(wrong(format!("move {} is a pass, which no hand shows", i + 1))),
        }
    }
    Ok((history.start().clone(), moves))
}

impl HappeningFile {
    fn what(&self, k: usize, size: u8) -> Result<What, ScriptError> {
        let key = |name: &str| format!("happening[{}].{name}", k + 1);
        let kind = self.kind.get_ref().as_str();
        let mut used: Vec<&str> = Vec::new();
        let missing = |name: &str| ScriptError::value(key(name), format!("missing: {kind} needs it"));
        let point = |name: &str, spot: &Option<SpotText>| match spot.as_ref().ok_or_else(|| missing(name))? {
            SpotText::Name(n) => point_named(n, size)
                .ok_or_else(|| ScriptError::value(key(name), format!("`{n}` is not a point of a board of {size}"))),
            SpotText::RowCol([r, c]) => {
                let whole = |v: f64| (v.fract() == 0.0 && (0.0..f64::from(size)).contains(&v)).then_some(v as u8);
                match (whole(*r), whole(*c)) {
                    (Some(row), Some(col)) => Ok(Point::new(row, col)),
                    _ => Err(ScriptError::value(key(name), format!("[{r}, {c}] is not a point of a board of {size}"))),
                }
            }
        };
        let spot = |name: &str, spot: &Option<SpotText>| match spot.as_ref().ok_or_else(|| missing(name))? {
            SpotText::RowCol(at) => Ok(*at),
            SpotText::Name(_) => point(name, spot).map(|p| [f64::from(p.row), f64::from(p.col)]),
        };
        let for_s = self.for_s.unwrap_or(USUAL_S);
        let mut uses = |names: &[&'static str]| used.extend_from_slice(names);
        let what = match kind {
            "double_move" | "suicide" | "wrong_first_colour" | "ko_violation" => {
                uses(&["point", "for_s"]);
                let point = point("point", &self.point)?;
                match kind {
                    "double_move" => What::DoubleMove { point, for_s },
                    "suicide" => What::Suicide { point, for_s },
                    "ko_violation" => What::KoViolation { point, for_s },
                    _ => What::WrongFirstColour { point, for_s },
                }
            }
            "drag" => {
                uses(&["from", "to", "for_s"]);
                What::Drag { from: point("from", &self.from)?, to: point("to", &self.to)?, for_s }
            }
            "off_point" => {
                uses(&["by", "for_s"]);
                What::OffPoint { by: self.by.ok_or_else(|| missing("by"))?, for_s }
            }
            "missed_capture" => {
                uses(&["for_s"]);
                What::MissedCapture { for_s }
            }
            "takeback" => {
                uses(&["first", "for_s"]);
                What::Takeback { first: point("first", &self.first)?, for_s }
            }
            "wrong_removal" => {
                uses(&["points", "for_s"]);
                let points = self.points.as_ref().ok_or_else(|| missing("points"))?;
                let points = points.iter().map(|p| point("points", &Some(p.clone()))).collect::<Result<_, _>>()?;
                What::WrongRemoval { points, for_s }
            }
            "drop" => {
                uses(&["at", "for_s"]);
                What::Drop { at: spot("at", &self.at)?, for_s }
            }
            "scatter" => {
                uses(&["from", "to"]);
                What::Scatter { from: spot("from", &self.from)?, to: spot("to", &self.to)? }
            }
            "camera_bump" => {
                uses(&["shift_mm", "roll_deg"]);
                What::CameraBump {
                    shift_mm: self.shift_mm.unwrap_or([14.0, -9.0]),
                    roll_deg: self.roll_deg.unwrap_or(0.6),
                }
            }
            "board_nudge" => {
                uses(&["by", "turn_deg"]);
                What::BoardNudge { by: self.by.unwrap_or([-0.3, 0.25]), turn_deg: self.turn_deg.unwrap_or(0.6) }
            }
            "lights_off" => {
                uses(&["level", "for_s"]);
                What::LightsOff { level: self.level.unwrap_or(0.1), for_s }
            }
            "hand_rests" => {
                uses(&["at", "for_s"]);
                What::HandRests { at: spot("at", &self.at)?, for_s }
            }
            "pause" => {
                uses(&["for_s"]);
                What::Pause { for_s }
            }
            "camera_covered" => {
                uses(&["for_s"]);
                What::CameraCovered { for_s }
            }
            "end_agreed" => What::EndAgreed,
            "clear_board" => What::ClearBoard,
            _ => {
                let problem = format!(
                    "`{kind}` cannot happen; what can: double_move, drag, off_point, missed_capture, takeback, wrong_removal, \
                     drop, ko_violation, suicide, wrong_first_colour, scatter, camera_bump, board_nudge, lights_off, hand_rests, \
                     pause, camera_covered, end_agreed, clear_board"
                );
                return Err(ScriptError::value(key("kind"), problem));
            }
        };
        let given = [
            ("for_s", self.for_s.is_some()),
            ("point", self.point.is_some()),
            ("points", self.points.is_some()),
            ("first", self.first.is_some()),
            ("from", self.from.is_some()),
            ("to", self.to.is_some()),
            ("at", self.at.is_some()),
            ("by", self.by.is_some()),
            ("shift_mm", self.shift_mm.is_some()),
            ("roll_deg", self.roll_deg.is_some()),
            ("turn_deg", self.turn_deg.is_some()),
            ("level", self.level.is_some()),
        ];
        if let Some((name, _)) = given.iter().find(|(name, is)| *is && !used.contains(name)) {
            return Err(ScriptError::value(key(name), format!("{kind} knows no such key")));
        }
        Ok(what)
    }

    fn of(h: &Happening, size: u8) -> HappeningFile {
        let name = |p: &Point| Some(SpotText::Name(p.name(size)));
        let mut f = HappeningFile {
            kind: Spanned::new(0..0, h.what.name().to_string()),
            at_move: h.at_move,
            for_s: h.what.lasts(),
            point: None,
            points: None,
            first: None,
            from: None,
            to: None,
            at: None,
            by: None,
            shift_mm: None,
            roll_deg: None,
            turn_deg: None,
            level: None,
        };
        match &h.what {
            What::DoubleMove { point, .. }
            | What::KoViolation { point, .. }
            | What::Suicide { point, .. }
            | What::WrongFirstColour { point, .. } => f.point = name(point),
            What::Drag { from, to, .. } => (f.from, f.to) = (name(from), name(to)),
            What::OffPoint { by, .. } => f.by = Some(*by),
            What::Takeback { first, .. } => f.first = name(first),
            What::WrongRemoval { points, .. } => f.points = Some(points.iter().filter_map(name).collect()),
            What::Drop { at, .. } | What::HandRests { at, .. } => f.at = Some(SpotText::RowCol(*at)),
            What::Scatter { from, to } => {
                (f.from, f.to) = (Some(SpotText::RowCol(*from)), Some(SpotText::RowCol(*to)));
            }
            What::CameraBump { shift_mm, roll_deg } => (f.shift_mm, f.roll_deg) = (Some(*shift_mm), Some(*roll_deg)),
            What::BoardNudge { by, turn_deg } => (f.by, f.turn_deg) = (Some(*by), Some(*turn_deg)),
            What::LightsOff { level, .. } => f.level = Some(*level),
            What::MissedCapture { .. }
            | What::Pause { .. }
            | What::CameraCovered { .. }
            | What::EndAgreed
            | What::ClearBoard => {}
        }
        f
    }
}
