//! Photos move by move: each picture is read by itself, the board may lie elsewhere in every one.

use goband::capture::Frame;
use goband::game::{Event, EventKind};
use goband::referee::{Referee, RefereeOptions};
use goband::rules::{Color, Point, Ruleset};
use goband::virtualboard::{Script, VirtualBoard};
use goband::vision::{Watcher, WatcherOptions};
use opencv::core::{self, Mat, Scalar, Size};
use opencv::imgproc;
use opencv::prelude::*;
use std::sync::Arc;

const WIDTH: u32 = 960;
const HEIGHT: u32 = 540;

/// A drawn game of 9 × 9, a picture of each position without hands, and its moves.
fn game() -> (Vec<Mat>, Vec<(Color, Point)>) {
    // a stone in the corner is captured
    let moves = "B:C7 W:G3 B:B9 W:A9 B:A8 W:G7 B:E5 W:E4 B:D4 W:F5";
    let script = Script::from_toml(&format!("size = 9\nmoves = \"{moves}\"\n"), std::path::Path::new(".")).unwrap();
    let mut board = VirtualBoard::from_script(&script, WIDTH, HEIGHT, 5.0, 3).unwrap();
    let truth = board.truth().clone();
    let mut frames = vec![0];
    frames.extend(truth.moves.iter().map(|m| m.frame_clear.or(m.frame_captures_cleared).unwrap_or(m.frame_placed) + 1));
    let pictures = frames.into_iter().map(|k| picture(board.frame_without_hands(k).data.as_slice())).collect();
    (pictures, truth.moves.iter().map(|m| (m.color, m.point)).collect())
}

fn picture(rgb: &[u8]) -> Mat {
    let flat = Mat::from_slice(rgb).unwrap().try_clone().unwrap();
    let rgb = flat.reshape(3, HEIGHT as i32).unwrap().try_clone().unwrap();
    let mut bgr = Mat::default();
    imgproc::cvt_color_def(&rgb, &mut bgr, imgproc::COLOR_RGB2BGR).unwrap();
    bgr
}

/// As from a camera that was turned by `degrees` and moved by so many pixels.
fn shifted(image: &Mat, degrees: f64, by: [f64; 2]) -> Mat {
    let centre = core::Point2f::new(WIDTH as f32 / 2.0, HEIGHT as f32 / 2.0);
    let mut m = imgproc::get_rotation_matrix_2d(centre, degrees, 0.85).unwrap();
    for (k, by) in by.iter().enumerate() {
        *m.at_2d_mut::<f64>(k as i32, 2).unwrap() += by;
    }
    let mut out = Mat::default();
    let size = Size::new(WIDTH as i32, HEIGHT as i32);
    imgproc::warp_affine(image, &mut out, &m, size, imgproc::INTER_LINEAR, core::BORDER_REPLICATE, Scalar::all(0.0))
        .unwrap();
    out
}

fn turned_by_hand(image: &Mat) -> Mat {
    let mut out = Mat::default();
    core::rotate(image, &mut out, core::ROTATE_90_CLOCKWISE).unwrap();
    out
}

fn replay(pictures: &[Mat]) -> (Vec<(Color, Point)>, Vec<Event>) {
    let mut watcher = Watcher::new(WatcherOptions { stills: true, ..WatcherOptions::default() }).unwrap();
    let mut referee = Referee::new(RefereeOptions::new(Arc::new(Ruleset::builtin("cwa").unwrap())));
    let mut events = Vec::new();
    for (k, image) in pictures.iter().enumerate() {
        let frame = Frame { index: k as u64, time_ms: 1000 * k as u64, image: image.clone() };
        events.extend(referee.sight(&watcher.see(&frame)));
    }
    events.extend(referee.finish(1000 * pictures.len() as u64));
    let moves = referee.history().map(|h| h.moves().iter().filter_map(|m| Some((m.color, m.point?))).collect());
    (moves.unwrap_or_default(), events)
}

fn count(events: &[Event], kind: EventKind) -> usize {
    events.iter().filter(|e| e.kind == kind).count()
}

#[test]
fn photos_of_a_game_give_its_record() {
    let (pictures, moves) = game();
    let (told, events) = replay(&pictures);
    assert_eq!(told, moves);
    let others: Vec<_> = events.iter().filter(|e| e.kind != EventKind::Move).map(|e| e.kind).collect();
    assert_eq!(others, [EventKind::BoardFound, EventKind::PositionAdopted]);
    let again = replay(&pictures).1;
    assert_eq!(serde_json::to_string(&events).unwrap(), serde_json::to_string(&again).unwrap());
}

#[test]
fn a_camera_in_the_hand_loses_no_move_and_makes_no_storm() {
    let (pictures, moves) = game();
    let places = [(0.0, [0.0, 0.0]), (4.0, [22.0, -9.0]), (-6.0, [-40.0, 12.0]), (2.0, [5.0, 3.0]), (9.0, [60.0, 0.0])];
    let pictures: Vec<Mat> =
        pictures.iter().enumerate().map(|(k, p)| shifted(p, places[k % 5].0, places[k % 5].1)).collect();
    let (told, events) = replay(&pictures);
    assert_eq!(told, moves);
    assert!(events.iter().all(|e| !e.kind.is_infraction()), "{events:?}");
    assert_eq!((count(&events, EventKind::BoardFound), count(&events, EventKind::BoardLost)), (1, 0));
    assert!(count(&events, EventKind::CameraMoved) + count(&events, EventKind::BoardMoved) <= 2);
}

#[test]
fn a_board_turned_by_hand_is_the_same_board() {
    let (pictures, moves) = game();
    let pictures: Vec<Mat> =
        pictures.iter().enumerate().map(|(k, p)| if k < 7 { p.clone() } else { turned_by_hand(p) }).collect();
    let (told, events) = replay(&pictures);
    assert_eq!(told, moves);
    assert!(events.iter().all(|e| !e.kind.is_infraction()));
}
