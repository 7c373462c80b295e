//! Reading photos through the public API: boards with truth are found and read, everything else is refused without a panic.

mod data;

use std::path::Path;

use goband::vision::{
    Lattice, LocateOptions, Models, PhotoReader, PointReading, VisionError, decode_photo, draw_overlay, encode_jpeg,
    load_photo,
};
use opencv::core::{Mat, Point, Scalar, Size, Vec3b};
use opencv::imgproc;
use opencv::prelude::*;
use serde_json::Value;

fn reader() -> PhotoReader {
    PhotoReader::new(&Models::from_env()).unwrap()
}

fn blank(w: i32, h: i32, color: [f64; 3]) -> Mat {
    let scalar = Scalar::new(color[0], color[1], color[2], 0.0);
    Mat::new_rows_cols_with_default(h, w, opencv::core::CV_8UC3, scalar).unwrap()
}

/// A drawn board on wood: `rows` of `.`, `B`, `W`; the grid fills `area` `[x, y, side]`.
fn drawn_board(w: i32, h: i32, area: [f64; 3], rows: &[&str]) -> Mat {
    let mut image = blank(w, h, [70.0, 80.0, 75.0]);
    let n = rows.len();
    let pitch = area[2] / (n - 1) as f64;
    let at = |row: f64, col: f64| {
        Point::new(((area[0] + col * pitch) * 16.0) as i32, ((area[1] + row * pitch) * 16.0) as i32)
    };
    let last = (n - 1) as f64;
    let whole = |p: Point| Point::new(p.x / 16, p.y / 16);
    let (a, b) = (whole(at(-1.2, -1.2)), whole(at(last + 1.2, last + 1.2)));
    let wood = opencv::core::Rect::new(a.x, a.y, b.x - a.x, b.y - a.y);
    imgproc::rectangle(&mut image, wood, Scalar::new(105.0, 175.0, 220.0, 0.0), -1, imgproc::LINE_8, 0).unwrap();
    let ink = Scalar::new(30.0, 45.0, 60.0, 0.0);
    for i in 0..n {
        let k = i as f64;
        for (p, q) in [(at(k, 0.0), at(k, last)), (at(0.0, k), at(last, k))] {
            imgproc::line(&mut image, p, q, ink, 1, imgproc::LINE_AA, 4).unwrap();
        }
    }
    for (r, row) in rows.iter().enumerate() {
        for (c, what) in row.chars().enumerate() {
            let radius = (pitch * 0.47 * 16.0) as i32;
            let color = match what {
                'B' => Scalar::new(35.0, 32.0, 30.0, 0.0),
                'W' => Scalar::new(225.0, 228.0, 230.0, 0.0),
                _ => continue,
            };
            imgproc::circle(&mut image, at(r as f64, c as f64), radius, color, -1, imgproc::LINE_AA, 4).unwrap();
        }
    }
    image
}

const NINE: [&str; 9] = [
    ".........",
    "..W..B...",
    ".BW..B.W.",
    "..BW..W..",
    "...BW....",
    "..B.BW...",
    ".W.......",
    "..B..WB..",
    ".........",
];

#[test]
fn a_drawn_board_is_found_and_read() {
    let image = drawn_board(640, 480, [150.0, 70.0, 330.0], &NINE);
    let reading = reader().read(&image, &LocateOptions::default()).unwrap();
    assert_eq!(reading.lattice.size, 9);
    assert_eq!(reading.rows(), NINE);
    let [a, _, c, _] = reading.lattice.corners();
    assert!((a[0] - 150.0).hypot(a[1] - 70.0) < 3.0 && (c[0] - 480.0).hypot(c[1] - 400.0) < 3.0, "{a:?} {c:?}");
}

#[test]
fn the_same_photo_gives_the_same_reading() {
    let image = drawn_board(640, 480, [150.0, 70.0, 330.0], &NINE);
    let first = reader().read(&image, &LocateOptions::default()).unwrap();
    let mut again = reader();
    for _ in 0..2 {
        let second = again.read(&image, &LocateOptions::default()).unwrap();
        assert_eq!(first.lattice, second.lattice);
        assert_eq!(first.points, second.points);
    }
}

#[test]
fn pictures_without_a_board_have_no_board() {
    let mut reader = reader();
    let mut noise = blank(400, 300, [0.0; 3]);
    let mut seed = 12345u32;
    for y in 0..300 {
        for x in 0..400 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *noise.at_2d_mut::<Vec3b>(y, x).unwrap() =
                Vec3b::from([(seed >> 8) as u8, (seed >> 16) as u8, (seed >> 24) as u8]);
        }
    }
    let mut chess = blank(480, 480, [60.0, 90.0, 120.0]);
    for i in 0..8 {
        for j in 0..8 {
            if (i + j) % 2 == 0 {
                let square = opencv::core::Rect::new(40 + 50 * j, 40 + 50 * i, 50, 50);
                imgproc::rectangle(&mut chess, square, Scalar::all(235.0), -1, imgproc::LINE_8, 0).unwrap();
            }
        }
    }
    let mut keys = blank(640, 360, [40.0; 3]);
    for i in 0..5 {
        for j in 0..14 {
            let key = opencv::core::Rect::new(20 + 43 * j + 8 * i, 60 + 45 * i, 37, 38);
            imgproc::rectangle(&mut keys, key, Scalar::all(200.0), -1, imgproc::LINE_8, 0).unwrap();
        }
    }
    let mut tiles = blank(640, 480, [200.0, 205.0, 210.0]);
    for i in 0..12 {
        let ink = Scalar::all(120.0);
        let (a, b) = (Point::new(i * 60, 0), Point::new(i * 60, 479));
        imgproc::line(&mut tiles, a, b, ink, 3, imgproc::LINE_AA, 0).unwrap();
        let (a, b) = (Point::new(0, i * 60), Point::new(639, i * 60));
        imgproc::line(&mut tiles, a, b, ink, 3, imgproc::LINE_AA, 0).unwrap();
    }
    for (name, image) in
        [("grey", blank(320, 240, [128.0; 3])), ("noise", noise), ("chess", chess), ("keys", keys), ("tiles", tiles)]
    {
        match reader.read(&image, &LocateOptions::default()) {
            Err(VisionError::NoBoard(reason)) => assert!(!reason.is_empty()),
            Ok(r) => panic!("{name}: a board of size {}, confidence {}", r.lattice.size, r.lattice.confidence),
            Err(e) => panic!("{name}: {e}"),
        }
    }
}

#[test]
fn unusable_pictures_are_explained() {
    for (bytes, says) in
        [(&b""[..], "picture"), (b"not a jpeg", "picture"), (&[0xff, 0xd8, 0xff, 0xe0, 0, 16][..], "picture")]
    {
        let e = decode_photo(bytes).unwrap_err().to_string();
        assert!(e.contains(says), "{e}");
    }
    let jpeg = encode_jpeg(&drawn_board(640, 480, [150.0, 70.0, 330.0], &NINE), 90, Some(320)).unwrap();
    let small = decode_photo(&jpeg).unwrap();
    assert_eq!((small.cols(), small.rows()), (320, 240));
    // a torn file decodes in part or is refused; it never panics
    let _ = decode_photo(&jpeg[..jpeg.len() / 2]);
    let tiny = encode_jpeg(&blank(8, 8, [0.0; 3]), 90, None).unwrap();
    assert!(decode_photo(&tiny).unwrap_err().to_string().contains("8×8"));
    assert!(matches!(load_photo(Path::new("/no/such/photo.jpg")), Err(VisionError::Io { .. })));
    assert!(load_photo(Path::new("/")).is_err());
    assert!(reader().read(&Mat::default(), &LocateOptions::default()).is_err());
    let mut grey = Mat::default();
    imgproc::cvt_color_def(&small, &mut grey, imgproc::COLOR_BGR2GRAY).unwrap();
    assert!(matches!(reader().read(&grey, &LocateOptions::default()), Err(VisionError::Picture(_))));
    let long = blank(4000, 60, [90.0; 3]);
    assert!(matches!(reader().read(&long, &LocateOptions::default()), Err(VisionError::NoBoard(_))));
}

#[test]
fn corners_by_hand_are_kept_even_where_nothing_is_seen() {
    let image = blank(640, 480, [128.0; 3]);
    let corners = [[150.0, 70.0], [480.0, 70.0], [480.0, 400.0], [150.0, 400.0]];
    let mut reader = reader();
    let lattice = reader.locator().at_corners(&image, corners, Some(13)).unwrap();
    assert_eq!(lattice.size, 13);
    for (a, b) in lattice.corners().iter().zip(corners) {
        assert!((a[0] - b[0]).hypot(a[1] - b[1]) < 1e-6);
    }
    assert_eq!(reader.read_at(&image, lattice).unwrap().points.len(), 169);
    let board = drawn_board(640, 480, [150.0, 70.0, 330.0], &NINE);
    let rough = [[153.0, 68.0], [477.0, 72.0], [481.0, 403.0], [148.0, 398.0]];
    let lattice = reader.locator().at_corners(&board, rough, None).unwrap();
    assert_eq!(lattice.size, 9);
    assert_eq!(reader.read_at(&board, lattice).unwrap().rows(), NINE);
}

#[test]
fn a_corner_out_of_the_picture_is_hidden_not_empty() {
    let image = blank(640, 480, [128.0; 3]);
    let corners = [[-150.0, 70.0], [480.0, 70.0], [480.0, 400.0], [-150.0, 400.0]];
    let lattice = Lattice::from_corners(9, corners, [640, 480]).unwrap();
    let reading = reader().read_at(&image, lattice).unwrap();
    assert_eq!(reading.points[0], PointReading::HIDDEN);
    assert!(reading.rows()[0].starts_with("??"));
    draw_overlay(&image, &reading.lattice, &reading.points).unwrap();
}

#[test]
fn a_board_cut_along_its_outermost_line_is_read_to_the_edge() {
    let whole = drawn_board(640, 480, [150.0, 70.0, 330.0], &NINE);
    // the left column's crossings lie a pixel and a half beyond the picture
    let cut = Mat::roi(&whole, opencv::core::Rect::new(152, 0, 488, 480)).unwrap().try_clone().unwrap();
    let reading = reader().read(&cut, &LocateOptions::default()).unwrap();
    assert_eq!(reading.rows(), NINE);
}

/// Most photos of real boards that people had cut to the board were taken for parts of a larger grid.
#[test]
fn a_board_that_fills_the_picture_is_found() {
    let whole = drawn_board(640, 480, [150.0, 70.0, 330.0], &NINE);
    // a third of a pitch beyond the outermost lines on all sides
    let beyond = 330 / 8 / 3;
    let side = 330 + 2 * beyond;
    let rect = opencv::core::Rect::new(150 - beyond, 70 - beyond, side, side);
    let cut = Mat::roi(&whole, rect).unwrap().try_clone().unwrap();
    let reading = reader().read(&cut, &LocateOptions::default()).unwrap();
    assert_eq!(reading.rows(), NINE);
    // a part of a board is none, even if it shows as many lines as a smaller one
    let lines = 50;
    let mut grid = blank(640, 640, [90.0, 160.0, 200.0]);
    for i in 0..14 {
        let at = lines * i;
        let dark = Scalar::new(30.0, 40.0, 50.0, 0.0);
        for (a, b) in [([at, 0], [at, 640]), ([0, at], [640, at])] {
            let (a, b) = (opencv::core::Point::new(a[0], a[1]), opencv::core::Point::new(b[0], b[1]));
            imgproc::line(&mut grid, a, b, dark, 2, imgproc::LINE_AA, 0).unwrap();
        }
    }
    assert!(matches!(reader().read(&grid, &LocateOptions::default()), Err(VisionError::NoBoard(_))));
}

#[test]
fn a_board_that_is_small_in_a_large_photo_is_found() {
    let near = drawn_board(420, 420, [60.0, 60.0, 300.0], &NINE);
    let mut board = Mat::default();
    imgproc::resize(&near, &mut board, Size::new(154, 154), 0.0, 0.0, imgproc::INTER_AREA).unwrap();
    let mut photo = blank(2000, 1500, [70.0, 80.0, 75.0]);
    let place = opencv::core::Rect::new(1440, 195, 154, 154);
    board.copy_to(&mut Mat::roi_mut(&mut photo, place).unwrap()).unwrap();
    let reading = reader().read(&photo, &LocateOptions::default()).unwrap();
    assert_eq!(reading.rows(), NINE);
    let [a, ..] = reading.lattice.corners();
    assert!((a[0] - 1461.5).hypot(a[1] - 216.5) < 2.0, "{a:?}");
}

/// Reads one picture with truth; the number of wrong points, `None` if no board of that size was found.
fn wrong_points(reader: &mut PhotoReader, dir: &Path, truth: &Value) -> Option<usize> {
    let image = load_photo(&dir.join(truth["image"].as_str().unwrap())).unwrap();
    let reading = reader.read(&image, &LocateOptions::default()).ok()?;
    let n = truth["size"].as_u64()? as usize;
    if reading.lattice.size as usize != n {
        return None;
    }
    let rows: Vec<Vec<char>> = reading.rows().iter().map(|r| r.chars().collect()).collect();
    let hidden: Vec<[usize; 2]> = serde_json::from_value(truth["hidden"].clone()).unwrap_or_default();
    let board: Vec<Vec<char>> =
        truth["board"].as_array()?.iter().map(|r| r.as_str().unwrap_or("").chars().collect()).collect();
    let mut wrong = 0;
    for r in 0..n {
        for c in 0..n {
            let is = board[r][c];
            if is != '?' && !hidden.contains(&[r, c]) && rows[r][c] != is {
                wrong += 1;
            }
        }
    }
    Some(wrong)
}

#[test]
fn photos_with_truth_are_read() {
    let Some(dir) = data::folder("photos") else { return };
    let mut reader = reader();
    let mut read = |set: &str, pick: &[usize]| {
        let dir = dir.join(set);
        let truth: Vec<Value> =
            serde_json::from_str(&std::fs::read_to_string(dir.join("truth.json")).unwrap()).unwrap();
        pick.iter().filter_map(|&i| truth.get(i)).map(|t| wrong_points(&mut reader, &dir, t)).collect::<Vec<_>>()
    };
    let mut all = read("photos/go-corners", &[0, 20, 40, 60]);
    all.extend(read("photos/pic2sgf", &[2, 6, 9, 12]));
    let found = all.iter().flatten().count();
    let perfect = all.iter().filter(|w| **w == Some(0)).count();
    assert!(found == all.len(), "{all:?}");
    assert!(perfect * 4 >= all.len() * 3, "{all:?}");
}

/// Nearly full boards: where lines can hardly be seen, stones must carry the lattice.
#[test]
fn full_boards_are_found() {
    let Some(dir) = data::folder("photos") else { return };
    let dir = dir.join("stills");
    let text = std::fs::read_to_string(dir.join("truth.json")).unwrap();
    let truth: Vec<Value> = serde_json::from_str(&text).unwrap();
    let tagged = |t: &&Value, tag: &str| t["tags"].as_array().unwrap().iter().any(|x| x == tag);
    let full: Vec<&Value> = truth
        .iter()
        .filter(|t| tagged(t, "fill:nearly-full") && !tagged(t, "hand") && !tagged(t, "edge-cut"))
        .take(5)
        .collect();
    let mut reader = reader();
    let results: Vec<Option<usize>> = full.iter().map(|t| wrong_points(&mut reader, &dir, t)).collect();
    let good = results.iter().flatten().filter(|w| **w <= 4).count();
    assert!(good * 5 >= results.len() * 4, "{results:?}");
}

/// The reading must not depend on how the camera is turned.
#[test]
fn turned_photos_are_read_alike() {
    let upright = drawn_board(720, 560, [190.0, 110.0, 340.0], &NINE);
    let mut reader = reader();
    let truth = reader.read(&upright, &LocateOptions::default()).unwrap().rows();
    let mut quarter = Mat::default();
    opencv::core::rotate(&upright, &mut quarter, opencv::core::ROTATE_90_CLOCKWISE).unwrap();
    let rows = reader.read(&quarter, &LocateOptions::default()).unwrap().rows();
    let n = truth.len();
    for (r, row) in truth.iter().enumerate() {
        for (c, is) in row.bytes().enumerate() {
            assert_eq!(rows[c].as_bytes()[n - 1 - r], is, "[{r}, {c}]");
        }
    }
    // 30 degrees: the nearest side to the top is the one that was the top
    let turn = imgproc::get_rotation_matrix_2d(opencv::core::Point2f::new(360.0, 280.0), 30.0, 0.8).unwrap();
    let mut slanted = Mat::default();
    let fill = Scalar::new(70.0, 80.0, 75.0, 0.0);
    imgproc::warp_affine(
        &upright,
        &mut slanted,
        &turn,
        Size::new(720, 560),
        imgproc::INTER_LINEAR,
        opencv::core::BORDER_CONSTANT,
        fill,
    )
    .unwrap();
    assert_eq!(reader.read(&slanted, &LocateOptions::default()).unwrap().rows(), truth);
}

/// Which corner of the board is the first changes the names of the points and nothing else.
#[test]
fn a_board_is_read_alike_from_each_of_its_corners() {
    let flat = drawn_board(720, 560, [190.0, 110.0, 340.0], &NINE);
    // seen from below the picture's lower edge
    let quad =
        |p: [[f32; 2]; 4]| opencv::core::Vector::<opencv::core::Point2f>::from_iter(p.map(|[x, y]| (x, y).into()));
    let (from, to) = (
        quad([[0.0, 0.0], [720.0, 0.0], [720.0, 560.0], [0.0, 560.0]]),
        quad([[120.0, 130.0], [600.0, 110.0], [720.0, 540.0], [0.0, 560.0]]),
    );
    let m = imgproc::get_perspective_transform(&from, &to, opencv::core::DECOMP_LU).unwrap();
    let mut image = Mat::default();
    let size = Size::new(720, 560);
    imgproc::warp_perspective(
        &flat,
        &mut image,
        &m,
        size,
        imgproc::INTER_AREA,
        opencv::core::BORDER_REPLICATE,
        Scalar::all(0.0),
    )
    .unwrap();
    let mut reader = reader();
    let lattice = reader.read(&image, &LocateOptions::default()).unwrap().lattice;
    let whole = reader.reader().read(&image, &lattice).unwrap();
    assert!(whole.iter().any(|p| p.black > 0.9 && p.offset != [0.0, 0.0]));
    let n = usize::from(lattice.size);
    for quarter in 1..4 {
        let turned = reader.reader().read(&image, &lattice.turned(quarter)).unwrap();
        for (i, seen) in turned.iter().enumerate() {
            let (mut row, mut col, mut offset) = (i / n, i % n, seen.offset);
            for _ in 0..quarter {
                (row, col) = (col, n - 1 - row);
                offset = [-offset[1], offset[0]];
            }
            let is = &whole[row * n + col];
            let pairs = [(seen.empty, is.empty), (seen.black, is.black), (seen.white, is.white)];
            let near = |(a, b): &(f32, f32)| (a - b).abs() < 0.02;
            assert!(pairs.iter().all(near), "{quarter} [{row}, {col}]: {seen:?}, not {is:?}");
            let apart = (offset[0] - is.offset[0]).hypot(offset[1] - is.offset[1]);
            assert!(apart < 0.03, "{quarter} [{row}, {col}]: {seen:?} shows {offset:?}, not {is:?}");
        }
    }
}

/// `goband read` with these arguments: exit code, stdout, stderr.
fn goband_read(args: &[&str]) -> (i32, String, String) {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_goband")).arg("read").args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_command_keeps_its_contract() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let write = |name: &str, bytes: &[u8]| std::fs::write(dir.path().join(name), bytes).unwrap();
    write("board.jpg", &encode_jpeg(&drawn_board(640, 480, [150.0, 70.0, 330.0], &NINE), 92, None).unwrap());
    write("grey.jpg", &encode_jpeg(&blank(640, 480, [128.0; 3]), 92, None).unwrap());
    write("empty.jpg", b"");
    write("text.jpg", b"not a picture");
    let (board, overlay) = (path("board.jpg"), path("overlay.png"));

    let (code, out, err) = goband_read(&[&board, "--format", "json", "--overlay", &overlay]);
    assert_eq!(code, 0, "{err}");
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["file"], board.as_str());
    assert_eq!((&json["width"], &json["height"], &json["size"]), (&640.into(), &480.into(), &9.into()));
    assert_eq!(json["board"], serde_json::json!(NINE));
    assert_eq!(json["corners"].as_array().unwrap().len(), 4);
    assert!(json["residual_px"].as_f64().unwrap() < 3.0 && json["confidence"].as_f64().unwrap() > 0.65);
    let stones = NINE.concat().chars().filter(|c| *c != '.').count();
    let points = json["points"].as_array().unwrap();
    assert!(points.len() >= stones);
    for key in ["at", "black", "white", "empty", "hidden", "offset"] {
        assert!(!points[0][key].is_null(), "{key}");
    }
    for key in ["decode", "locate", "read"] {
        assert!(json["elapsed_ms"][key].as_f64().is_some(), "{key}");
    }
    let drawn = load_photo(Path::new(&overlay)).unwrap();
    assert_eq!((drawn.cols(), drawn.rows()), (640, 480));

    let (code, out, _) = goband_read(&[&path("grey.jpg"), "--format", "json"]);
    let json: Value = serde_json::from_str(&out).unwrap();
    assert!(code == 3 && json["board"].is_null() && json["reason"].as_str().is_some_and(|r| !r.is_empty()), "{out}");

    for file in ["empty.jpg", "text.jpg", "missing.jpg"] {
        let (code, out, err) = goband_read(&[&path(file)]);
        assert!(code == 1 && out.is_empty() && err.contains(file), "{file}: {code} {err}");
    }
    for bad in
        [vec!["--size", "7"], vec!["--corners", "1,2 3,4"], vec!["--corners", "1,1 1,9 9,9 9,1"], vec!["--format", "x"]]
    {
        let (code, out, err) = goband_read(&[&[board.as_str()], bad.as_slice()].concat());
        assert!(code == 2 && out.is_empty() && !err.is_empty(), "{bad:?}: {code} {err}");
    }
    let (code, out, _) =
        goband_read(&[&board, "--format", "sgf", "--size", "9", "--corners", "150,70 480,70 480,400 150,400"]);
    assert!(
        code == 0 && out.starts_with("(;") && out.contains("SZ[9]") && out.contains("AB[") && out.contains("AW["),
        "{out}"
    );
    assert!(goband_read(&[&board, "--format", "svg"]).1.starts_with("<svg"));
    assert!(goband_read(&[&board]).1.contains("9x9"));
}
