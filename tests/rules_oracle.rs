//! An independent program replays games and must agree with `goband judge`: sgfmill (Python, PyPI), in a virtual environment
//! that this test makes for itself. `tests/rules_oracle/oracle.py` compares every board, capture, class and prisoner;
//! `tests/rules_oracle/area.py` compares counts of final positions with `goband count`.
//!
//! `GOBAND_ORACLE_GAMES`: how many random games (a few hundred by default). Without Python or a package index the test says so
//! and does nothing; with `GOBAND_ORACLE=required` it fails.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rules_oracle");

fn run(command: &mut Command) -> Result<Output, String> {
    let out = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if out.status.success() {
        return Ok(out);
    }
    let said = [out.stdout, out.stderr].concat();
    Err(format!("{command:?}: {}\n{}", out.status, String::from_utf8_lossy(&said)))
}

/// Python with the pinned packages, in a virtual environment beside the build; made once.
fn python() -> Result<PathBuf, String> {
    let requirements = Path::new(FOLDER).join("requirements.txt");
    let wanted = std::fs::read_to_string(&requirements).map_err(|e| e.to_string())?;
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rules_oracle");
    let python = venv.join("bin/python");
    let made = venv.join("made");
    if std::fs::read_to_string(&made).is_ok_and(|have| have == wanted) {
        return Ok(python);
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
    let pip =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "--only-binary=:all:"];
    run(Command::new(&python).args(pip).arg("-r").arg(&requirements))?;
    std::fs::write(&made, wanted).map_err(|e| e.to_string())?;
    Ok(python)
}

/// The same for every test of this file: made once, and what keeps it from being had is told.
fn oracle() -> Option<&'static Path> {
    static PYTHON: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match PYTHON.get_or_init(python) {
        Ok(python) => Some(python),
        Err(why) => {
            assert!(std::env::var("GOBAND_ORACLE").as_deref() != Ok("required"), "the oracle cannot be had: {why}");
            println!("skipped, the oracle cannot be had: {why}");
            None
        }
    }
}

#[test]
fn an_independent_program_agrees_on_every_count() {
    let Some(python) = oracle() else { return };
    let positions = std::env::var("GOBAND_ORACLE_POSITIONS").unwrap_or_else(|_| "60".to_owned());
    let mut oracle = Command::new(python);
    oracle.arg(Path::new(FOLDER).join("area.py")).arg(env!("CARGO_BIN_EXE_goband")).args(["--positions", &positions]);
    let out = run(&mut oracle).unwrap_or_else(|differences| panic!("{differences}"));
    let said = String::from_utf8_lossy(&out.stdout);
    println!("{said}");
    let totals: serde_json::Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!(totals["positions"].to_string(), positions);
    assert_eq!(totals["differences"], 0);
    assert!(
        totals["shared"].as_u64() > Some(0) && totals["dead"].as_u64() > Some(0),
        "nothing shared or dead: {totals}"
    );
}

#[test]
fn an_independent_program_agrees_on_every_move() {
    let Some(python) = oracle() else { return };
    let games = std::env::var("GOBAND_ORACLE_GAMES").unwrap_or_else(|_| "200".to_owned());
    let mut oracle = Command::new(python);
    oracle.arg(Path::new(FOLDER).join("oracle.py")).arg(env!("CARGO_BIN_EXE_goband")).args(["--games", &games]);
    let data = std::env::var_os("GOBAND_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    if data.is_dir() {
        oracle.arg("--records").arg(data);
    }
    let out = run(&mut oracle).unwrap_or_else(|differences| panic!("{differences}"));
    let said = String::from_utf8_lossy(&out.stdout);
    println!("{said}");
    let totals: serde_json::Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!(totals["games"].to_string(), games);
    assert_eq!(totals["differences"], 0);
    for class in ["legal", "capture", "pass", "ko", "superko", "suicide", "occupied", "wrong_turn"] {
        assert!(totals["classes"].get(class).is_some(), "the games never showed `{class}`: {totals}");
    }
}
