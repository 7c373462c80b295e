//! The floors of `docs/architecture.md` hold: imports go down, OpenCV stays in its two rooms.

use std::fs;
use std::path::{Path, PathBuf};

/// What each room may use of the others.
const MAY_USE: [(&str, &[&str]); 9] = [
    ("rules", &[]),
    ("game", &["rules"]),
    ("capture", &[]),
    ("vision", &["rules", "capture"]),
    ("referee", &["rules", "game", "vision"]),
    ("virtualboard", &["rules", "game"]),
    ("record", &["rules", "game"]),
    ("signal", &["rules", "game"]),
    ("feed", &["rules", "game"]),
];
const ROOMS: [&str; 11] =
    ["rules", "game", "capture", "vision", "referee", "virtualboard", "record", "signal", "feed", "service", "cli"];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|x| x == "rs") {
            found.push(path);
        }
    }
    found
}

/// The code of a file, comments left out.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|l| l.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

#[test]
fn imports_only_go_down() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (room, allowed) in MAY_USE {
        for path in sources(&src.join(room)) {
            let code = code(&path);
            for other in ROOMS.iter().filter(|o| **o != room && !allowed.contains(o)) {
                assert!(!code.contains(&format!("crate::{other}::")), "{}: {room} may not use {other}", path.display());
            }
        }
    }
}

#[test]
fn opencv_stays_in_capture_and_vision() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for room in ROOMS.iter().filter(|r| !["capture", "vision"].contains(r)) {
        for path in sources(&src.join(room)) {
            assert!(!code(&path).contains("opencv::"), "{}: OpenCV has no place here", path.display());
        }
    }
}

#[test]
fn the_rules_read_no_files_and_no_clock() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for room in ["rules", "referee"] {
        for path in sources(&src.join(room)) {
            let code = code(&path);
            for forbidden in ["std::fs", "std::net", "Instant::now", "SystemTime"] {
                assert!(!code.contains(forbidden), "{}: {forbidden}", path.display());
            }
        }
    }
}
