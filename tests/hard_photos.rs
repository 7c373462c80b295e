//! Pictures on which reading boards usually fails: grids that are no Go boards, and boards in coloured light.

use goband::rules::Color;
use goband::virtualboard::{CameraPose, Look, Script, VirtualBoard};
use goband::vision::{LocateOptions, Models, PhotoReader, VisionError};
use opencv::core::{Mat, Point, Point2f, Rect, Scalar, Size, Vec3b, Vector};
use opencv::imgproc;
use opencv::prelude::*;

fn reader() -> PhotoReader {
    PhotoReader::new(&Models::from_env()).unwrap()
}

fn paper(side: i32, [b, g, r]: [f64; 3]) -> Mat {
    Mat::new_rows_cols_with_default(side, side, opencv::core::CV_8UC3, Scalar::new(b, g, r, 0.0)).unwrap()
}

const DARK: [f64; 3] = [35.0, 40.0, 45.0];

fn scalar([b, g, r]: [f64; 3]) -> Scalar {
    Scalar::new(b, g, r, 0.0)
}

fn line(image: &mut Mat, a: [i32; 2], b: [i32; 2], thick: i32) {
    let (a, b) = (Point::new(a[0], a[1]), Point::new(b[0], b[1]));
    imgproc::line(image, a, b, scalar(DARK), thick, imgproc::LINE_AA, 0).unwrap();
}

fn disc(image: &mut Mat, at: [i32; 2], radius: i32, color: [f64; 3]) {
    imgproc::circle(image, Point::new(at[0], at[1]), radius, scalar(color), -1, imgproc::LINE_AA, 0).unwrap();
}

fn letter(image: &mut Mat, text: &str, at: [i32; 2], scale: f64, color: [f64; 3]) {
    let at = Point::new(at[0], at[1]);
    let font = imgproc::FONT_HERSHEY_SIMPLEX;
    imgproc::put_text(image, text, at, font, scale, scalar(color), 2, imgproc::LINE_AA, false).unwrap();
}

/// `columns` × `rows` lines, 50 pixels apart, the first at (60, 60).
fn grid(image: &mut Mat, columns: i32, rows: i32) {
    for i in 0..columns {
        line(image, [60 + 50 * i, 60], [60 + 50 * i, 60 + 50 * (rows - 1)], 2);
    }
    for i in 0..rows {
        line(image, [60, 60 + 50 * i], [60 + 50 * (columns - 1), 60 + 50 * i], 2);
    }
}

/// The thing lying on a grey table, seen a little from the side.
fn on_a_table(thing: &Mat) -> Mat {
    let side = thing.cols() as f32;
    let corners = |p: [[f32; 2]; 4]| -> Vector<Point2f> { p.iter().map(|q| Point2f::new(q[0], q[1])).collect() };
    let flat = corners([[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]]);
    let seen = corners([[210.0, 60.0], [760.0, 80.0], [840.0, 640.0], [120.0, 620.0]]);
    let warp = imgproc::get_perspective_transform(&flat, &seen, 0).unwrap();
    let mut photo = Mat::default();
    imgproc::warp_perspective(
        thing,
        &mut photo,
        &warp,
        Size::new(960, 720),
        imgproc::INTER_LINEAR,
        opencv::core::BORDER_CONSTANT,
        Scalar::all(120.0),
    )
    .unwrap();
    photo
}

fn reversi() -> Mat {
    let mut b = paper(520, [60.0, 120.0, 30.0]);
    grid(&mut b, 9, 9);
    for (row, col, black) in [
        (3, 3, false),
        (3, 4, true),
        (4, 3, true),
        (4, 4, false),
        (2, 4, true),
        (5, 3, true),
        (2, 2, false),
        (3, 5, true),
        (4, 5, false),
    ] {
        let color = if black { [20.0; 3] } else { [235.0; 3] };
        disc(&mut b, [85 + 50 * col, 85 + 50 * row], 21, color);
    }
    b
}

fn sudoku() -> Mat {
    let mut b = paper(570, [235.0, 240.0, 240.0]);
    grid(&mut b, 10, 10);
    for i in [0, 3, 6, 9] {
        line(&mut b, [60 + 50 * i, 60], [60 + 50 * i, 510], 5);
        line(&mut b, [60, 60 + 50 * i], [510, 60 + 50 * i], 5);
    }
    for i in 0..81 {
        if i * 7 % 5 < 2 {
            letter(&mut b, &format!("{}", i * 11 % 9 + 1), [75 + 50 * (i % 9), 97 + 50 * (i / 9)], 1.0, DARK);
        }
    }
    b
}

fn shogi() -> Mat {
    let mut b = paper(570, [120.0, 185.0, 225.0]);
    grid(&mut b, 10, 10);
    for i in 0..9 {
        for row in [0, 2, 6, 8] {
            let (x, y) = (85 + 50 * i, 85 + 50 * row);
            let piece: Vector<Point> = [[-17, 20], [17, 20], [14, -12], [0, -21], [-14, -12]]
                .iter()
                .map(|p| Point::new(x + p[0], y + p[1]))
                .collect();
            imgproc::fill_convex_poly(&mut b, &piece, scalar([150.0, 205.0, 240.0]), imgproc::LINE_AA, 0).unwrap();
            letter(&mut b, "K", [x - 8, y + 12], 0.7, DARK);
        }
    }
    b
}

fn chess() -> Mat {
    let mut b = paper(520, [90.0, 130.0, 160.0]);
    for i in 0..64 {
        let (row, col) = (i / 8, i % 8);
        let color = if (row + col) % 2 == 0 { [200.0, 225.0, 240.0] } else { [60.0, 90.0, 120.0] };
        imgproc::rectangle(
            &mut b,
            Rect::new(60 + 50 * col, 60 + 50 * row, 50, 50),
            scalar(color),
            -1,
            imgproc::LINE_8,
            0,
        )
        .unwrap();
        if !(2..6).contains(&row) {
            disc(&mut b, [85 + 50 * col, 85 + 50 * row], 16, if row < 2 { [25.0; 3] } else { [225.0; 3] });
        }
    }
    b
}

#[test]
fn other_games_and_puzzles_are_no_boards() {
    let mut reader = reader();
    for (name, thing) in [("reversi", reversi()), ("sudoku", sudoku()), ("shogi", shogi()), ("chess", chess())] {
        match reader.read(&on_a_table(&thing), &LocateOptions::default()) {
            Err(VisionError::NoBoard(reason)) => assert!(!reason.is_empty()),
            Ok(r) => panic!("{name}: a board of {} with confidence {}", r.lattice.size, r.lattice.confidence),
            Err(e) => panic!("{name}: {e}"),
        }
    }
}

/// Gains in linear light for red, green and blue; what is too bright for the sensor is cut off.
fn relit(rgb: &[u8], width: i32, height: i32, gains: [f64; 3]) -> Mat {
    let mut image = Mat::new_rows_cols_with_default(height, width, opencv::core::CV_8UC3, Scalar::all(0.0)).unwrap();
    let curve = gains.map(|gain| {
        let level = |v: usize| 255.0 * (gain * (v as f64 / 255.0).powf(2.2)).min(1.0).powf(1.0 / 2.2);
        (0..256).map(|v| level(v) as u8).collect::<Vec<u8>>()
    });
    for y in 0..height {
        for (x, out) in image.at_row_mut::<Vec3b>(y).unwrap().iter_mut().enumerate() {
            let i = (y as usize * width as usize + x) * 3;
            *out = Vec3b::from([2, 1, 0].map(|c| curve[c][rgb[i + c] as usize]));
        }
    }
    image
}

#[test]
fn coloured_light_changes_nothing() {
    let script = Script::demo();
    let camera = script.demo_camera(960, 600);
    let look = Look::chosen(script.size, &script.look);
    let mut board = VirtualBoard::new(&script, look, camera, 960, 600, 10.0, 1).unwrap();
    let last = board.frames() - 1;
    let truth = board.truth_at(last).board;
    let frame = board.frame_without_hands(last).clone();
    let mut reader = reader();
    let mut first = None;
    for (name, gains) in [
        ("white", [1.0, 1.0, 1.0]),
        ("blue", [0.02, 0.12, 1.3]),
        ("green", [0.03, 1.2, 0.1]),
        ("orange", [1.4, 0.4, 0.03]),
        ("pink", [1.3, 0.12, 0.5]),
        ("violet", [0.4, 0.05, 1.3]),
    ] {
        let photo = relit(&frame.data, 960, 600, gains);
        let reading = reader.read(&photo, &LocateOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(reading.lattice.size, script.size, "{name}");
        let rows = reading.rows();
        let stones = rows.concat().chars().filter(|c| "BW".contains(*c)).count();
        assert_eq!(stones, truth.points().filter(|p| truth.get(*p).is_some()).count(), "{name}: {rows:?}");
        // the same as in white light, and there as the truth says, up to a turn
        let rows = first.get_or_insert_with(|| rows.clone()).clone();
        assert_eq!(reading.rows(), rows, "{name}");
    }
}

/// From 29 degrees over a corner the top of a stone lies half a pitch behind its point: far ones were read on the next.
#[test]
fn far_stones_seen_from_a_low_camera_over_a_corner_lie_on_their_own_points() {
    let text = "size = 13\nmoves = \"B:C11 W:F11 B:G11 W:K10 B:L10 W:H9 B:B8 W:C8 B:E7 W:C6 B:E5 W:K6\"\n";
    let script = Script::from_toml(text, std::path::Path::new(".")).unwrap();
    let look = Look::chosen(script.size, &script.look);
    let (width, height) = (800, 600);
    let low = CameraPose { elevation_deg: 29.0, azimuth_deg: 38.0, ..CameraPose::default() };
    let camera = low.fitted(&look.geometry, width, height, 0.9);
    let mut board = VirtualBoard::new(&script, look, camera, width, height, 5.0, 1).unwrap();
    let last = board.frames() - 1;
    let truth = board.truth_at(last).board;
    let frame = board.frame_without_hands(last).clone();
    let photo = relit(&frame.data, width as i32, height as i32, [1.0, 1.0, 1.0]);
    let reading = reader().read(&photo, &LocateOptions::default()).unwrap();
    let letter = |row, col| match truth.get(goband::rules::Point::new(row, col)) {
        Some(Color::Black) => 'B',
        Some(Color::White) => 'W',
        None => '.',
    };
    let is: Vec<String> = (0..13).map(|row| (0..13).map(|col| letter(row, col)).collect()).collect();
    let rows = reading.rows();
    let turned = |rows: &[String]| -> Vec<String> {
        (0..13).map(|r| (0..13).map(|c| char::from(rows[12 - c].as_bytes()[r])).collect()).collect()
    };
    let mut other = is.clone();
    let alike = (0..4).any(|_| {
        other = turned(&other);
        other == rows
    });
    assert!(alike, "{rows:#?} for {is:#?}");
}
