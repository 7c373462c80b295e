//! The virtual board through its public API: what is drawn is what the truth says.

use std::path::Path;

use goband::game::EventKind;
use goband::rules::{Color, History, Point};
use goband::virtualboard::{Camera, CameraPose, Look, Script, VirtualBoard, record};
use proptest::prelude::*;

/// Small pictures: what is checked does not depend on the size.
const WIDTH: u32 = 640;
const HEIGHT: u32 = 400;

fn demo(fps: f64) -> VirtualBoard {
    let script = Script::demo();
    let camera = script.demo_camera(WIDTH, HEIGHT);
    let look = Look::chosen(script.size, &script.look);
    VirtualBoard::new(&script, look, camera, WIDTH, HEIGHT, fps, 1).unwrap()
}

fn luminance(board: &mut VirtualBoard, frame: u64, at: [f64; 2]) -> f64 {
    let f = board.frame_without_hands(frame);
    let mut sum = 0.0;
    for dy in -1..=1 {
        for dx in -1..=1 {
            let (x, y) = ((at[0].round() as i64 + dx) as usize, (at[1].round() as i64 + dy) as usize);
            let i = (y * f.width as usize + x) * 3;
            sum += f.data[i..i + 3].iter().map(|c| f64::from(*c)).sum::<f64>() / 27.0;
        }
    }
    sum
}

#[test]
fn the_demo_is_legal_and_holds_what_it_promises() {
    let script = Script::demo();
    script.check().unwrap();
    let mut history = History::new(script.start.clone(), script.first());
    let mut captures = 0;
    for &(color, point) in &script.moves {
        let c = history.play(color, Some(point));
        assert!(c.is_legal(), "{color} {}: {:?}", point.name(script.size), c.classes);
        captures += usize::from(!c.captured.is_empty());
    }
    assert!(captures >= 2);
    let board = demo(15.0);
    let seconds = board.duration().as_secs_f64();
    assert!((55.0..80.0).contains(&seconds), "{seconds} s");
    let kinds: Vec<EventKind> = board.truth().events.iter().map(|e| e.kind).collect();
    assert_eq!(kinds, [EventKind::DoubleMove, EventKind::DisplacedStone, EventKind::MissedCapture]);
    for e in &board.truth().events {
        let (state, repaired) = (e.frame_visible.unwrap(), e.repaired_visible.unwrap());
        assert!(repaired - state > 40, "{:?} is seen for {} frames", e.kind, repaired - state);
    }
    assert_eq!(board.truth().moves.len(), script.moves.len());
}

#[test]
fn stones_have_their_colours_where_the_truth_says() {
    let mut board = demo(10.0);
    let last = board.frames() - 1;
    let truth = board.truth_at(last);
    assert!(truth.hidden.is_empty() && !truth.occluded);
    let mut seen = [0, 0];
    for p in truth.board.points().collect::<Vec<_>>() {
        let Some(color) = truth.board.get(p) else { continue };
        let at = board.pixel_of(last, f64::from(p.row), f64::from(p.col), 6.0).unwrap();
        let l = luminance(&mut board, last, at);
        match color {
            Color::Black => assert!(l < 95.0, "{} is {l}", p.name(9)),
            Color::White => assert!(l > 150.0, "{} is {l}", p.name(9)),
        }
        seen[usize::from(color == Color::White)] += 1;
    }
    assert!(seen[0] > 8 && seen[1] > 8);
}

#[test]
fn lines_are_dark_where_the_corners_say() {
    let mut board = demo(10.0);
    for edge in 0..4 {
        let truth = board.truth_at(0);
        assert_eq!(truth.corners, board.truth_at(1).corners);
        let n = 8.0;
        // a place on the edge between two crossings, against places beside it
        for k in 0..8 {
            let along = f64::from(k) + 0.5;
            let place = |off: f64| match edge {
                0 => (off, along),
                1 => (along, n - off),
                2 => (n - off, along),
                _ => (along, off),
            };
            let at = |off: f64, board: &VirtualBoard| {
                let (row, col) = place(off);
                board.pixel_of(0, row, col, 0.0).unwrap()
            };
            let line = at(0.0, &board);
            let (inside, outside) = (at(0.3, &board), at(-0.3, &board));
            let darkest = (-1..=1)
                .map(|d| {
                    let f = board.frame_without_hands(0);
                    let (x, y) = if edge % 2 == 0 { (0, d) } else { (d, 0) };
                    let i =
                        ((line[1].round() as i64 + y) * i64::from(f.width) + line[0].round() as i64 + x) as usize * 3;
                    f64::from(f.data[i + 1])
                })
                .fold(f64::MAX, f64::min);
            let beside = luminance(&mut board, 0, inside).min(luminance(&mut board, 0, outside));
            assert!(darkest < beside - 25.0, "edge {edge}, {k}: {darkest} against {beside}");
        }
    }
    let corners = board.truth_at(0).corners;
    let own = board.pixel_of(0, 8.0, 0.0, 0.0).unwrap();
    assert!((own[0] - corners[3][0]).abs() < 1e-6 && (own[1] - corners[3][1]).abs() < 1e-6);
}

#[test]
fn the_same_script_gives_the_same_bytes_in_any_order_and_with_any_threads() {
    let (mut a, mut b) = (demo(10.0), demo(10.0));
    b.set_threads(1);
    let m = a.truth().moves[8].clone();
    let frames: Vec<u64> = (m.frame_placed - 3..m.frame_placed + 6).collect();
    let forward: Vec<Vec<u8>> = frames.iter().map(|f| a.frame(*f).data.clone()).collect();
    for (f, want) in frames.iter().zip(&forward).rev() {
        assert!(b.frame(*f).data == *want, "frame {f}");
    }
}

#[test]
fn what_is_hidden_differs_and_what_is_not_does_not() {
    let mut board = demo(10.0);
    let m = board.truth().moves[10].clone();
    let frame = m.frame_placed;
    let truth = board.truth_at(frame);
    assert!(truth.occluded && truth.hidden.len() > 5, "{} hidden", truth.hidden.len());
    let bare = board.frame_without_hands(frame).data.clone();
    let with = board.frame(frame).data.clone();
    let step = |p: Point, board: &VirtualBoard| {
        let stone = truth.board.get(p).is_some();
        let at = board.pixel_of(frame, f64::from(p.row), f64::from(p.col), if stone { 4.5 } else { 0.0 }).unwrap();
        let i = (at[1].round() as usize * WIDTH as usize + at[0].round() as usize) * 3;
        (0..3).map(|k| i32::from(bare[i + k]).abs_diff(i32::from(with[i + k]))).max().unwrap()
    };
    let hidden_changed = truth.hidden.iter().filter(|p| step(**p, &board) > 20).count();
    assert!(hidden_changed * 10 >= truth.hidden.len() * 8, "{hidden_changed} of {}", truth.hidden.len());
}

#[test]
fn the_truth_so_far_knows_no_future() {
    let mut board = demo(10.0);
    let m = board.truth().moves[4].clone();
    board.frame(m.frame_placed);
    let so_far = board.truth_so_far();
    assert_eq!(so_far.moves.len(), 5);
    assert_eq!(so_far.frames, m.frame_placed + 1);
    assert!(so_far.moves[4].frame_clear.is_none());
    assert_eq!(so_far.events.len(), 1);
    // after each move the truth's board is the board by the rules
    let script = Script::demo();
    let mut history = History::new(script.start.clone(), script.first());
    for (i, &(color, point)) in script.moves.iter().enumerate() {
        history.play(color, Some(point));
        let m = &board.truth().moves[i];
        let settled = m.frame_captures_cleared.or(m.frame_clear).unwrap();
        assert_eq!(board.truth_at(settled).board, *history.board(), "after move {}", i + 1);
    }
}

#[test]
fn every_script_of_chance_runs_through() {
    let mut kinds = std::collections::BTreeSet::new();
    for seed in 0..14 {
        let size = [9, 13, 19][seed as usize % 3];
        let script = Script::random(seed, size);
        script.check().unwrap();
        assert_eq!(script, Script::random(seed, size));
        assert_eq!(Script::from_toml(&script.to_toml(), Path::new(".")).unwrap(), script, "seed {seed}");
        let mut board = VirtualBoard::from_script(&script, 240, 150, 4.0, seed).unwrap();
        kinds.extend(board.truth().events.iter().map(|e| e.kind));
        let frames = board.frames();
        for k in 0..6 {
            board.frame(frames * k / 6);
        }
        let truth = board.truth().clone();
        assert_eq!(truth.moves.len(), script.moves.len());
        for e in &truth.events {
            assert!(e.frame_start <= e.frame_state, "{e:?}");
            assert!(e.frame_visible.is_some_and(|f| f >= e.frame_state), "{e:?}");
            assert!(e.repaired_frame.is_none_or(|f| f > e.frame_state), "{e:?}");
        }
        for pair in truth.moves.windows(2) {
            assert!(pair[0].frame_clear.unwrap() < pair[1].frame_placed, "the grid is clear between moves");
        }
        let json = serde_json::to_string(&truth).unwrap();
        let back: goband::virtualboard::Truth = serde_json::from_str(&json).unwrap();
        assert_eq!(back.moves, truth.moves);
        assert_eq!(back.events.len(), truth.events.len());
    }
    assert!(kinds.len() >= 9, "{kinds:?}");
}

/// Every happening once, on one board, in one game.
const EVERYTHING: &str = r#"
name = "everything"
size = 9
black = "left"
# D5 takes C5, a ko: White may not retake at once
moves = "D6 C6 D4 C4 E5 B5 C5 D5 G7 G3 C5 H4 F3 G2"
[pace]
seconds_per_move = 1.5
hand_speed = 1.6
[look]
seed = 5
noise = 0.5
[[happening]]
kind = "wrong_first_colour"
at_move = 0
point = "G5"
for_s = 1.5
[[happening]]
kind = "off_point"
at_move = 2
by = [0.3, 0.3]
for_s = 1.5
[[happening]]
kind = "drop"
at_move = 3
at = [2.4, 6.3]
for_s = 1.5
[[happening]]
kind = "double_move"
at_move = 3
point = "H8"
[[happening]]
kind = "takeback"
at_move = 4
first = "G6"
for_s = 1.5
[[happening]]
kind = "drag"
at_move = 5
from = "D6"
to = "D7"
[[happening]]
kind = "wrong_removal"
at_move = 5
points = ["C6", [5, 2]]
[[happening]]
kind = "ko_violation"
at_move = 8
point = "C5"
for_s = 2
[[happening]]
kind = "lights_off"
at_move = 9
for_s = 1
[[happening]]
kind = "hand_rests"
at_move = 9
at = [4, 4]
for_s = 1
[[happening]]
kind = "pause"
at_move = 9
for_s = 1
[[happening]]
kind = "camera_covered"
at_move = 9
for_s = 1
[[happening]]
kind = "camera_bump"
at_move = 10
[[happening]]
kind = "board_nudge"
at_move = 10
[[happening]]
kind = "missed_capture"
at_move = 11
for_s = 2
[[happening]]
kind = "end_agreed"
at_move = 14
[[happening]]
kind = "scatter"
at_move = 14
from = [2, 2]
to = [6, 6]
[[happening]]
kind = "clear_board"
at_move = 14
"#;

#[test]
fn everything_that_can_happen_is_in_the_truth() {
    let script = Script::from_toml(EVERYTHING, Path::new(".")).unwrap();
    let mut board = VirtualBoard::from_script(&script, 320, 200, 10.0, 3).unwrap();
    let truth = board.truth().clone();
    let mut kinds: Vec<EventKind> = truth.events.iter().map(|e| e.kind).collect();
    use EventKind::*;
    for kind in [
        WrongFirstColour,
        StoneOffPoint,
        DroppedStone,
        DoubleMove,
        Takeback,
        DisplacedStone,
        WrongRemoval,
        KoViolation,
        LightChanged,
        Obstructed,
        CameraMoved,
        BoardMoved,
        MissedCapture,
        EndAgreedSignal,
        EndAgreedSignal,
        Scattered,
        BoardCleared,
    ] {
        let i = kinds.iter().position(|k| *k == kind).unwrap_or_else(|| panic!("{kind:?} is not in the truth"));
        kinds.remove(i);
    }
    assert!(kinds.is_empty(), "{kinds:?}");
    let event = |kind| truth.events.iter().find(|e| e.kind == kind).unwrap();
    let board_at = |board: &VirtualBoard, f: u64| board.truth_at(f).board;
    // the double move lies there while it is wrong, and only then
    let (e, p) = (event(DoubleMove), Point::new(1, 7));
    assert_eq!(board_at(&board, e.frame_state - 1).get(p), None);
    assert_eq!(board_at(&board, e.frame_state).get(p), Some(Color::Black));
    assert_eq!(board_at(&board, e.repaired_frame.unwrap()).get(p), None);
    // wrongly taken stones are gone, and come back
    let e = event(WrongRemoval);
    let (c6, c4) = (Point::new(3, 2), Point::new(5, 2));
    let gone = board_at(&board, e.frame_visible.unwrap());
    assert!(gone.get(c6).is_none() && gone.get(c4).is_none());
    let back = board_at(&board, e.repaired_frame.unwrap());
    assert!(back.get(c6) == Some(Color::White) && back.get(c4) == Some(Color::White));
    // the forbidden ko changes the board and leaves it as it was
    let e = event(KoViolation);
    assert_ne!(board_at(&board, e.frame_start), board_at(&board, e.frame_visible.unwrap()));
    assert_eq!(board_at(&board, e.frame_start), board_at(&board, e.repaired_visible.unwrap()));
    // the captured stones lie until they are lifted
    let m = truth.moves[10].clone();
    assert_eq!(m.captured.len(), 1);
    assert!(m.frame_captures_cleared.unwrap() > m.frame_clear.unwrap() + 15);
    // bump and nudge are in the corners
    assert!(truth.camera.len() >= 5, "{:?}", truth.camera);
    assert_ne!(truth.camera[0].2, truth.camera.last().unwrap().2);
    // a stone off its point is known as such until it is straight
    let e = event(StoneOffPoint);
    assert_eq!(board.truth_at(e.frame_visible.unwrap()).off_point.len(), 1);
    assert!(board.truth_at(e.repaired_frame.unwrap()).off_point.is_empty());
    // the board is empty at the end
    let last = board.frames() - 1;
    assert!(board_at(&board, last).rows().iter().all(|r| r == "........."));
    // dark when the light is off, darker when the lens is covered
    let mean = |b: &mut VirtualBoard, f: u64| {
        let d = &b.frame(f).data;
        d.iter().map(|v| f64::from(*v)).sum::<f64>() / d.len() as f64
    };
    let (dark, covered) = (event(LightChanged).frame_state + 3, event(Obstructed).frame_state + 3);
    let (bright, dark, covered) = (mean(&mut board, 0), mean(&mut board, dark), mean(&mut board, covered));
    assert!(bright > 2.0 * dark && dark > 1.5 * covered, "{bright} {dark} {covered}");
}

#[test]
fn a_wrong_script_is_refused_with_line_and_key() {
    let refused = |from: &str, to: &str| {
        assert!(EVERYTHING.contains(from), "{from}");
        Script::from_toml(&EVERYTHING.replacen(from, to, 1), Path::new(".")).unwrap_err().to_string()
    };
    let says = |text: String, parts: &[&str]| {
        for p in parts {
            assert!(text.contains(p), "`{p}` is not in: {text}");
        }
    };
    says(refused("at_move = 3\nat =", "at_mvoe = 3\nat ="), &["line 25", "at_mvoe"]);
    says(refused("kind = \"double_move\"", "kind = \"tripel\""), &["line 29: happening[4].kind", "`tripel`"]);
    says(refused("point = \"H8\"", "point = \"D6\""), &["line 29: happening[4].point", "lies at D6 already"]);
    says(refused("point = \"H8\"", "point = \"K8\""), &["happening[4].point", "`K8`"]);
    says(refused("point = \"H8\"", "level = 0.5"), &["happening[4].point", "missing"]);
    says(refused("point = \"H8\"", "point = \"H8\"\nlevel = 0.5"), &["happening[4].level", "no such key"]);
    says(refused("at_move = 11", "at_move = 10"), &["happening[15]", "captures nothing"]);
    says(refused("at_move = 8", "at_move = 9"), &["happening[8].point", "retakes no ko"]);
    says(refused("D6 C6", "D6 D6"), &["line 6: moves[2]", "occupied"]);
    says(refused("D6 C6", "D6 Z6"), &["line 6: moves[2]", "`Z6`"]);
    says(refused("hand_speed = 1.6", "hand_speed = 16"), &["line 9: pace.hand_speed", "0.25 to 4"]);
    says(refused("size = 9", "size = 10"), &["size", "10"]);
    says(
        refused("kind = \"end_agreed\"\nat_move = 14", "kind = \"end_agreed\"\nat_move = 3"),
        &["happening[16].at_move", "moves follow"],
    );
    says(refused("black = \"left\"", "black = \"top\""), &["line 4", "top"]);
    says(refused("moves = ", "mooves = "), &["line 6", "mooves"]);
    assert!(Script::from_file(Path::new("/nowhere/x.toml")).unwrap_err().to_string().contains("/nowhere/x.toml"));
}

#[test]
fn a_game_record_can_be_the_script() {
    let text = r#"
name = "record"
sgf = "(;GM[1]FF[4]SZ[9]AB[cc]AW[gg];W[ee];B[dd];W[ce];B[];W[])"
look.seed = 3
"#;
    let script = Script::from_toml(text, Path::new(".")).unwrap();
    assert_eq!(script.size, 9);
    assert_eq!(script.start.get(Point::new(2, 2)), Some(Color::Black));
    assert_eq!(script.moves[0], (Color::White, Point::new(4, 4)));
    assert_eq!(script.moves.len(), 3);
    let board = VirtualBoard::from_script(&script, 240, 160, 5.0, 1).unwrap();
    assert_eq!(board.truth().start_position, script.start);
    let broken = Script::from_toml(&text.replace("(;GM", "(GM"), Path::new(".")).unwrap_err().to_string();
    assert!(broken.contains("line 3: sgf"), "{broken}");
}

#[test]
fn footage_is_written_with_its_truth() {
    let dir = tempfile::tempdir().unwrap();
    let script =
        Script::from_toml("size = 9\nmoves = \"E5\"\npace.tail_s = 0.3\npace.lead_s = 0.2", Path::new(".")).unwrap();
    let mut board = VirtualBoard::from_script(&script, 240, 160, 5.0, 1).unwrap();
    let mut told = 0;
    record(dir.path(), &mut board, |done, _| {
        told = done;
        true
    })
    .unwrap();
    assert_eq!(told, board.frames());
    let truth: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(dir.path().join("truth.json")).unwrap()).unwrap();
    assert_eq!(truth["moves"][0]["point"], serde_json::json!([4, 4]));
    assert_eq!(truth["frames"], board.frames());
    let last = image::open(dir.path().join(format!("frames/{:06}.jpg", board.frames() - 1))).unwrap().into_rgb8();
    assert_eq!(last.dimensions(), (240, 160));
    let shown = board.frame(board.frames() - 1).data.clone();
    let off: u64 = last.as_raw().iter().zip(&shown).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    assert!(off / (shown.len() as u64) < 8);
    let stopped = record(dir.path(), &mut board, |done, _| done < 2).unwrap_err().to_string();
    assert!(stopped.contains("2 frames"), "{stopped}");
    let nowhere = record(Path::new("/proc/nowhere"), &mut board, |_, _| true).unwrap_err().to_string();
    assert!(nowhere.contains("/proc/nowhere"), "{nowhere}");
}

proptest! {
    #[test]
    fn projection_comes_back(
        elevation_deg in 25.0..90.0f64, azimuth_deg in -45.0..45.0f64, roll_deg in -30.0..30.0f64,
        distance_mm in 500.0..2000.0f64, focal_widths in 0.7..2.0f64, k1 in -0.12..0.12f64,
        x in -150.0..150.0f64, y in -150.0..150.0f64, z in -30.0..30.0f64,
    ) {
        let pose = CameraPose {
            elevation_deg, azimuth_deg, roll_deg, distance_mm, focal_widths, target_mm: [10.0, -5.0], distortion: [k1, 0.01],
        };
        pose.check().unwrap();
        let camera = Camera::new(&pose, 1280, 720);
        let seen = camera.project([x, y, z]).unwrap();
        let back = camera.unproject(seen, z).unwrap();
        prop_assert!((back[0] - x).hypot(back[1] - y) < 1e-4, "{back:?} for {x}, {y}");
    }

    #[test]
    fn a_fitted_camera_has_the_board_in_the_picture(
        elevation_deg in 25.0..90.0f64, azimuth_deg in -45.0..45.0f64, seed in 0u64..40,
    ) {
        let look = Look::seeded([9, 13, 19][seed as usize % 3], seed);
        let pose = CameraPose { elevation_deg, azimuth_deg, ..CameraPose::default() }.fitted(&look.geometry, 1280, 720, 0.85);
        let camera = Camera::new(&pose, 1280, 720);
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let corner = [x * f64::from(look.geometry.half_x_mm()), y * f64::from(look.geometry.half_y_mm()), 0.0];
            let at = camera.project(corner).unwrap();
            prop_assert!((0.0..1280.0).contains(&at[0]) && (0.0..720.0).contains(&at[1]), "{at:?}");
        }
    }
}
