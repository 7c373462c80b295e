//! Footage through the built binary: two games in a row on one board, and a handicap game by the configuration.

use std::path::Path;
use std::process::Command;

use goband::game::{Event, EventKind, sgf};
use goband::rules::Color;
use goband::virtualboard::{Script, VirtualBoard};
use image::codecs::jpeg::JpegEncoder;

const FPS: f64 = 10.0;

/// Appends a script's pictures to the folder, as a camera that was never switched off would have taken them.
fn film(folder: &Path, script: &Script) {
    let taken = std::fs::read_dir(folder).unwrap().count();
    let mut board = VirtualBoard::from_script(script, 1280, 720, FPS, 1).unwrap();
    for k in 0..board.frames() {
        let (width, height) = board.size();
        let path = folder.join(format!("{:06}.jpg", taken as u64 + k));
        let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
        let rgb = &board.frame(k).data;
        JpegEncoder::new_with_quality(&mut file, 90)
            .encode(rgb, width, height, image::ExtendedColorType::Rgb8)
            .unwrap();
    }
}

fn script(text: &str) -> Script {
    let usual = "size = 9\n[pace]\nseconds_per_move = 1.6\nlead_s = 2.5\ntail_s = 3.0\n[look]\nseed = 11\n";
    let (head, happenings) = text.split_once("[[").map_or((text, String::new()), |(a, b)| (a, format!("[[{b}")));
    Script::from_toml(&format!("{head}\n{usual}{happenings}"), Path::new(".")).unwrap()
}

fn replay(folder: &Path, out: &Path, more: &[&str]) -> Vec<Event> {
    let ran = Command::new(env!("CARGO_BIN_EXE_goband"))
        .arg("replay")
        .arg(folder)
        .args(["--fps", &FPS.to_string(), "--out"])
        .arg(out)
        .args(more)
        .output()
        .expect("the binary runs");
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
    let text = std::fs::read_to_string(out.join("events.jsonl")).unwrap();
    text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn record(path: &Path) -> sgf::GameTree {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    sgf::read(&text).expect("valid SGF").remove(0)
}

#[test]
fn two_games_in_a_row_are_two_complete_records() {
    let dir = tempfile::tempdir().unwrap();
    let (frames, out) = (dir.path().join("frames"), dir.path().join("out"));
    std::fs::create_dir(&frames).unwrap();
    let end = "[[happening]]\nkind = \"end_agreed\"\nat_move = 8\n[[happening]]\nkind = \"clear_board\"\nat_move = 8\n";
    // the second begins like the first, as games do
    let games =
        ["C7 G3 C3 G7 E5 E3 D4 F6", "C7 G3 G7 C3 E4 E6 F4 D6"].map(|m| script(&format!("moves = \"{m}\"\n{end}")));
    games.iter().for_each(|g| film(&frames, g));
    let events = replay(&frames, &out, &[]);
    let kinds: Vec<EventKind> = events
        .iter()
        .map(|e| e.kind)
        .filter(|k| !matches!(k, EventKind::BoardFound | EventKind::LightChanged | EventKind::Obstructed))
        .collect();
    use EventKind::{BoardCleared, EndAgreedSignal, Move, PositionAdopted};
    let game = [&[PositionAdopted][..], &[Move; 8], &[EndAgreedSignal, EndAgreedSignal, BoardCleared]].concat();
    assert_eq!(kinds, [game.clone(), game].concat());
    for (name, script) in ["game.sgf", "game-2.sgf"].into_iter().zip(&games) {
        let history = record(&out.join(name)).history().unwrap();
        let recorded: Vec<_> = history.moves().iter().map(|m| (m.color, m.point)).collect();
        let played: Vec<_> = script.moves.iter().map(|(c, p)| (*c, Some(*p))).collect();
        assert_eq!(recorded, played, "{name}");
    }
    assert!(!out.join("game-3.sgf").exists());
}

#[test]
fn a_handicap_of_the_configuration_reaches_referee_and_record() {
    let dir = tempfile::tempdir().unwrap();
    let (frames, out, config) = (dir.path().join("frames"), dir.path().join("out"), dir.path().join("goband.toml"));
    std::fs::create_dir(&frames).unwrap();
    let rows: Vec<String> = (0..9u8)
        .map(|r| {
            let stone = |c: u8| (r, c) == (2, 6) || (r, c) == (6, 2);
            format!("\"{}\"", (0..9u8).map(|c| if stone(c) { 'B' } else { '.' }).collect::<String>())
        })
        .collect();
    let text = format!("moves = \"C7 G3 E5 E3\"\nfirst = \"W\"\nstart = [{}]\n", rows.join(", "));
    film(&frames, &script(&text));
    std::fs::write(&config, "[source]\nfrom = \"0\"\n[game]\nhandicap = 2\nblack = \"B\"\nwhite = \"W\"\n").unwrap();
    let events = replay(&frames, &out, &["--config", config.to_str().unwrap()]);
    let start = events.iter().find(|e| e.kind == EventKind::PositionAdopted).unwrap();
    assert_eq!(start.turn, Some(Color::White));
    assert_eq!(events.iter().filter(|e| e.kind == EventKind::Move).count(), 4);
    assert!(!events.iter().any(|e| e.kind.is_infraction()));
    let tree = record(&out.join("game.sgf"));
    assert_eq!((tree.info("HA"), tree.info("KM"), tree.info("PL")), ("2".into(), "0".into(), "W".into()));
}
