//! The built binary, as a newcomer runs it: `goband demo --headless`.

use std::path::Path;
use std::process::{Command, Output};

use goband::game::{Event, EventKind, GameState, sgf};

fn demo(out: &Path, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_goband"))
        .args(["demo", "--headless", "--listen", "127.0.0.1:0", "--out"])
        .arg(out)
        .args(more)
        .output()
        .expect("the binary runs")
}

fn events(out: &Path) -> Vec<Event> {
    let text = std::fs::read_to_string(out.join("events.jsonl")).expect("events.jsonl is written");
    text.lines().map(|l| serde_json::from_str(l).expect("every line is an event")).collect()
}

/// The whole job: what was detected equals the script's truth, and every file that the page and the README promise is there.
#[test]
fn the_demo_detects_what_its_script_does() {
    let out = tempfile::tempdir().unwrap();
    let ran = demo(out.path(), &[]);
    let said = format!("{}\n{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(ran.status.code(), Some(0), "{said}");
    assert!(said.contains("console"), "the emulated console says what it received:\n{said}");
    assert!(said.contains("lamp"), "so does the lamp:\n{said}");

    let events = events(out.path());
    for kind in [EventKind::DoubleMove, EventKind::DisplacedStone, EventKind::MissedCapture] {
        let found = events.iter().find(|e| e.kind == kind).unwrap_or_else(|| panic!("{kind:?} is missing"));
        let folder = out.path().join(found.evidence.as_ref().expect("an infraction has evidence"));
        let pictures = std::fs::read_dir(&folder).expect("the evidence's folder").flatten();
        let jpegs = pictures.filter(|f| f.path().extension().is_some_and(|x| x == "jpg")).count();
        assert!(jpegs >= 3, "{}: {jpegs} pictures", folder.display());
    }

    // the record that programs open is the game that was played
    let text = std::fs::read_to_string(out.path().join("game.sgf")).expect("game.sgf");
    let record = sgf::read(&text).expect("valid SGF")[0].history().expect("a game");
    let state = GameState::fold(&events);
    let played: Vec<_> = state.moves().iter().map(|m| (m.color, m.point)).collect();
    let recorded: Vec<_> = record.moves().iter().map(|m| (m.color, m.point)).collect();
    assert_eq!(recorded, played);
    // and the journal holds the same events
    let journal = goband::record::verify(&out.path().join(goband::record::JOURNAL_FILE)).expect("the journal");
    assert_eq!(journal.events, events);
}

#[test]
fn a_demo_that_is_cut_short_still_ends_well() {
    let out = tempfile::tempdir().unwrap();
    let ran = demo(out.path(), &["--seconds", "12"]);
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stdout));
    assert!(events(out.path()).iter().any(|e| e.kind == EventKind::Move));
}

#[test]
fn bad_usage_is_exit_code_2_and_names_the_mend() {
    let out = tempfile::tempdir().unwrap();
    let ran = demo(out.path(), &["--script", "/nonexistent/script.toml"]);
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(2), "{said}");
    assert!(said.contains("/nonexistent/script.toml"), "{said}");
}
