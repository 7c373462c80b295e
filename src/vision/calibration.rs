//! A stored calibration: where a fixed camera sees the board, its lens, and the board's make. A TOML file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::lattice::{Lattice, LatticeError, Lens};
use super::locate::SIZES;

static BOARDS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/calibration/boards.toml"));

/// Why a calibration cannot be used; each message names the file and, where there is one, the line and key.
#[derive(Debug, thiserror::Error)]
pub enum CalibrationError {
    #[error("cannot {verb} {path}: {cause}", path = path.display())]
    Io { verb: &'static str, path: PathBuf, cause: std::io::Error },
    #[error("{path}: {message}", path = path.display())]
    Syntax { path: PathBuf, message: String },
    #[error("{path}: line {line}: `{key}`: {message}", path = path.display())]
    Value { path: PathBuf, line: usize, key: String, message: String },
    #[error(transparent)]
    Lattice(#[from] LatticeError),
}

/// Names in both languages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardName {
    pub en: String,
    pub zh: String,
}

/// The make of a board: how far its lines are apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardGeometry {
    pub id: String,
    pub name: BoardName,
    /// Between neighbouring rows, as seen from a player's side.
    pub along_mm: f64,
    /// Between neighbouring columns.
    pub across_mm: f64,
    pub stone_mm: f64,
    pub source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoardsFile {
    board: Vec<BoardGeometry>,
}

impl BoardGeometry {
    /// The makes that come with the program (`calibration/boards.toml`).
    pub fn presets() -> Vec<BoardGeometry> {
        // the file is built in, and a test reads it
        toml::from_str::<BoardsFile>(BOARDS).map(|f| f.board).unwrap_or_default()
    }

    /// The preset with that id.
    pub fn preset(id: &str) -> Option<BoardGeometry> {
        Self::presets().into_iter().find(|b| b.id == id)
    }
}

/// What `goband calibrate` stores and `goband run` starts from.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// When it was made, as text for people (`2026-11-29 14:05`); the caller knows the time.
    pub date: String,
    /// The camera, as text for people.
    pub camera: String,
    /// Width and height of its pictures, pixels.
    pub picture: [i32; 2],
    /// Id of a preset, or of one of the user's own.
    pub board: String,
    pub lattice: Lattice,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CalibrationFile {
    date: String,
    #[serde(default)]
    camera: String,
    picture: [i32; 2],
    size: u8,
    #[serde(default = "default_board")]
    board: String,
    /// board[0][0], board[0][N-1], board[N-1][N-1], board[N-1][0]
    corners: [[f64; 2]; 4],
    residual_px: f64,
    confidence: f64,
    #[serde(default)]
    lens: LensFile,
}

fn default_board() -> String {
    "cwa".into()
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LensFile {
    k1: f64,
    k2: f64,
}

impl Calibration {
    /// The TOML text.
    pub fn to_toml(&self) -> String {
        let round = |v: f64, f: f64| (v * f).round() / f;
        let l = &self.lattice;
        let file = CalibrationFile {
            date: self.date.clone(),
            camera: self.camera.clone(),
            picture: self.picture,
            size: l.size,
            board: self.board.clone(),
            corners: l.corners().map(|c| c.map(|v| round(v, 1e3))),
            residual_px: round(l.residual_px, 1e3),
            confidence: round(l.confidence, 1e4),
            lens: LensFile { k1: round(l.lens().k1, 1e6), k2: round(l.lens().k2, 1e6) },
        };
        let head = "# goband calibration: where the camera sees the outermost crossings, in pixels, in the order\n\
                    # board[0][0], board[0][N-1], board[N-1][N-1], board[N-1][0]; the lens about the picture's centre.\n";
        // numbers and strings always serialise
        format!("{head}{}", toml::to_string(&file).unwrap_or_default())
    }

    /// Writes the file whole or not at all.
    ///
    /// # Errors
    /// If the folder is missing or not writable.
    pub fn save(&self, path: &Path) -> Result<(), CalibrationError> {
        let io = |cause| CalibrationError::Io { verb: "write", path: path.to_owned(), cause };
        let temporary = path.with_extension("toml.tmp");
        std::fs::write(&temporary, self.to_toml()).map_err(io)?;
        std::fs::rename(&temporary, path).map_err(io)
    }

    /// Reads a stored calibration.
    ///
    /// # Errors
    /// Names the file, the line and the key that is wrong.
    pub fn load(path: &Path) -> Result<Calibration, CalibrationError> {
        let text = std::fs::read_to_string(path).map_err(|cause| CalibrationError::Io {
            verb: "read",
            path: path.to_owned(),
            cause,
        })?;
        Self::from_toml(&text, path)
    }

    /// As [`Calibration::load`]; `path` is for the messages.
    ///
    /// # Errors
    /// Names the file, the line and the key that is wrong.
    pub fn from_toml(text: &str, path: &Path) -> Result<Calibration, CalibrationError> {
        let file: CalibrationFile = toml::from_str(text).map_err(|e| CalibrationError::Syntax {
            path: path.to_owned(),
            // toml's own message shows the line and the key
            message: e.to_string().trim_end().to_owned(),
        })?;
        let wrong = |key: &str, message: String| {
            let starts =
                |line: &str| line.trim_start().strip_prefix(key).is_some_and(|r| r.trim_start().starts_with('='));
            let line = text.lines().position(starts).map_or(1, |i| i + 1);
            CalibrationError::Value { path: path.to_owned(), line, key: key.into(), message }
        };
        if !SIZES.contains(&file.size) {
            return Err(wrong("size", format!("{} is not 9, 13 or 19", file.size)));
        }
        if file.picture.iter().any(|v| !(16..=100_000).contains(v)) {
            return Err(wrong("picture", format!("{:?} is not a width and height in pixels", file.picture)));
        }
        for (key, value) in [("k1", file.lens.k1), ("k2", file.lens.k2)] {
            if !value.is_finite() || value.abs() > 1.0 {
                return Err(wrong(key, format!("{value} is not a distortion between -1 and 1")));
            }
        }
        for (key, value, top) in [("residual_px", file.residual_px, 1e4), ("confidence", file.confidence, 1.0)] {
            if !(0.0..=top).contains(&value) {
                return Err(wrong(key, format!("{value} is not between 0 and {top}")));
            }
        }
        let corners = |e: LatticeError| wrong("corners", e.to_string());
        let lattice = Lattice::from_corners(file.size, file.corners, file.picture).map_err(corners)?;
        let lens = Lens { k1: file.lens.k1, k2: file.lens.k2, ..*lattice.lens() };
        let mut lattice = lattice.with_lens(lens).map_err(|e| wrong("corners", e.to_string()))?;
        (lattice.residual_px, lattice.confidence) = (file.residual_px, file.confidence);
        Ok(Calibration { date: file.date, camera: file.camera, picture: file.picture, board: file.board, lattice })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
date = "2026-11-29 14:05"
picture = [1920, 1080]
size = 19
corners = [[412.3, 101.9], [1480.2, 99.4], [1611.0, 1002.8], [301.7, 1008.1]]
residual_px = 0.8
confidence = 0.997
[lens]
k1 = -0.08
"#;

    #[test]
    fn presets_are_whole() {
        let boards = BoardGeometry::presets();
        assert!(boards.len() >= 4);
        for b in &boards {
            assert!(b.across_mm > 10.0 && b.along_mm >= b.across_mm && b.stone_mm < b.along_mm, "{}", b.id);
        }
        let cwa = BoardGeometry::preset("cwa").unwrap();
        assert_eq!((cwa.along_mm, cwa.across_mm), (24.0, 23.0));
    }

    #[test]
    fn a_calibration_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("table.toml");
        let c = Calibration::from_toml(GOOD, &path).unwrap();
        c.save(&path).unwrap();
        let again = Calibration::load(&path).unwrap();
        assert_eq!(again.lattice.lens().k1, -0.08);
        for (a, b) in c.lattice.corners().iter().zip(again.lattice.corners()) {
            assert!((a[0] - b[0]).hypot(a[1] - b[1]) < 2e-3);
        }
        let (p, q) = (c.lattice.to_image([9.0, 9.0]), again.lattice.to_image([9.0, 9.0]));
        assert!((p[0] - q[0]).hypot(p[1] - q[1]) < 0.01);
        assert_eq!((again.board.as_str(), again.picture), ("cwa", [1920, 1080]));
    }

    #[test]
    fn errors_name_file_line_and_key() {
        let path = Path::new("hall/table-3.toml");
        let error = |text: &str| Calibration::from_toml(text, path).unwrap_err().to_string();
        let size = error(&GOOD.replace("size = 19", "size = 18"));
        assert!(size.contains("table-3.toml") && size.contains("line 4") && size.contains("`size`"), "{size}");
        let corners = error(&GOOD.replace("[412.3, 101.9]", "[1412.3, 1101.9]"));
        assert!(corners.contains("line 5") && corners.contains("clockwise"), "{corners}");
        let kind = error(&GOOD.replace("picture = [1920, 1080]", "picture = \"big\""));
        assert!(kind.contains("table-3.toml") && kind.contains("line 3") && kind.contains("picture"), "{kind}");
        let unknown = error(&format!("{GOOD}k9 = 1\n"));
        assert!(unknown.contains("k9"), "{unknown}");
        let missing = error(&GOOD.replace("size = 19\n", ""));
        assert!(missing.contains("size"), "{missing}");
        let k = error(&GOOD.replace("k1 = -0.08", "k1 = 7.5"));
        assert!(k.contains("line 9") && k.contains("k1"), "{k}");
        assert!(Calibration::load(Path::new("/nowhere/x.toml")).unwrap_err().to_string().contains("/nowhere/x.toml"));
    }
}
