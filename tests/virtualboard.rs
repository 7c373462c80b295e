//! The virtual board through its public API: what is drawn is what the truth says.

use goband::game::EventKind;
use goband::rules::{Color, History, Point};
use goband::virtualboard::{Look, Script, VirtualBoard};

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
