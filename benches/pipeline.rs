//! What it costs to follow a board, beside decoding the same pictures as a camera sends them: `./dev bench --bench pipeline`.
//!
//! The pictures are those of the virtual board with the noise of an ordinary webcam, as JPEG, which is what a camera set to MJPEG
//! sends. Each is decoded by the decoder that a camera's pictures go through, then goes through watcher and referee. Both are
//! counted in processor time of this thread, in one run, picture by picture: other programs on the machine do not change the ratio.
//! All that is done now and then (measuring the lattice, reading again) is in the average.

use std::time::Duration;

use goband::capture::Frame;
use goband::referee::{Referee, RefereeOptions};
use goband::rules::{Board, Color, Point};
use goband::service;
use goband::virtualboard::{CameraPose, Look, LookChoice, Pace, Script, VirtualBoard};
use goband::vision::{self, LocateOptions, Models, PhotoReader, Watcher, WatcherOptions};
use opencv::core::Mat;
use opencv::prelude::*;

const FPS: f64 = 15.0;
/// The still board is watched for so many frames: over this, everything that is done now and then is done several times.
const STILL_FRAMES: usize = 600;
/// Different pictures of the still board; they differ by noise and the drift of the light.
const STILL_PICTURES: usize = 40;
/// A hand counts as in the picture for so long after it left: what it left is read then.
const AFTER_HAND_FRAMES: u64 = 8;
const PASSES: usize = 3;
const QUALITY: i32 = 90;
const PHOTO_TIMES: usize = 8;

struct Shot {
    jpeg: Vec<u8>,
    time_ms: u64,
    hand: bool,
}

/// A middle game on 19×19: eight moves on a board of 120 stones, a camera at 55 degrees.
fn board(width: u32, height: u32) -> VirtualBoard {
    let mut start = Board::new(19);
    // groups in rows that leave liberties
    for k in 0..180u8 {
        let (row, col) = (k / 19 * 2, k % 19);
        if col % 3 < 2 && row < 19 {
            let color = if (row / 2 + col / 3) % 2 == 0 { Color::Black } else { Color::White };
            start.place(Point::new(row, col), color);
        }
    }
    let empty: Vec<Point> = start.points().filter(|p| start.get(*p).is_none()).collect();
    let colors = [Color::Black, Color::White];
    let moves = (0..8).map(|k| (colors[k % 2], empty[(k * 37 + 11) % empty.len()])).collect();
    let mut script = Script::new("bench", 19, moves);
    script.start = start;
    script.pace = Pace { seconds_per_move: 3.0, hand_speed: 1.0, lead_s: 6.0, tail_s: 2.0 };
    script.look = LookChoice { seed: 12, noise: Some(1.0), ..LookChoice::default() };
    let look = Look::chosen(19, &script.look);
    let camera =
        CameraPose { elevation_deg: 55.0, ..CameraPose::default() }.fitted(&look.geometry, width, height, 0.84);
    VirtualBoard::new(&script, look, camera, width, height, FPS, 1).expect("the script can be played")
}

fn footage(board: &mut VirtualBoard) -> Vec<Shot> {
    let over = board.truth().occluded.clone();
    (0..board.frames())
        .map(|i| Shot {
            jpeg: jpeg(board, i),
            time_ms: board.time_ms(i),
            hand: over.iter().any(|(from, to)| (*from..=*to + AFTER_HAND_FRAMES).contains(&i)),
        })
        .collect()
}

/// As a camera would send it: a JPEG with halved colours.
fn jpeg(board: &mut VirtualBoard, index: u64) -> Vec<u8> {
    let (width, height) = board.size();
    let rgb = &board.frame(index).data;
    let mut bgr = Mat::new_rows_cols_with_default(
        height as i32,
        width as i32,
        opencv::core::CV_8UC3,
        opencv::core::Scalar::default(),
    )
    .expect("memory");
    for (to, from) in bgr.data_bytes_mut().expect("whole").chunks_exact_mut(3).zip(rgb.chunks_exact(3)) {
        to.copy_from_slice(&[from[2], from[1], from[0]]);
    }
    vision::encode_jpeg(&bgr, QUALITY, None).expect("a picture")
}

/// Processor time of this thread.
fn cpu() -> Duration {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live timespec, which the call fills.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut t) };
    assert_eq!(failed, 0, "this system counts processor time");
    Duration::new(t.tv_sec as u64, t.tv_nsec as u32)
}

#[derive(Clone, Copy, Default)]
struct Cost {
    decode: Duration,
    follow: Duration,
    frames: u32,
}

impl Cost {
    fn ratio(&self) -> f64 {
        self.follow.as_secs_f64() / self.decode.as_secs_f64().max(1e-12)
    }

    fn row(&self, name: &str, most: Option<f64>) {
        let ms = |d: Duration| d.as_secs_f64() * 1000.0 / f64::from(self.frames.max(1));
        let most = most.map_or(String::new(), |m| format!("{m:.1}"));
        println!(
            "| {name} | {} | {:.2} | {:.2} | {:.2} | {most} |",
            self.frames,
            ms(self.decode),
            ms(self.follow),
            self.ratio()
        );
    }
}

struct Desk {
    watcher: Watcher,
    referee: Referee,
    index: u64,
}

impl Desk {
    fn new() -> Desk {
        Desk {
            watcher: Watcher::new(WatcherOptions::default()).expect("the networks load"),
            referee: Referee::new(RefereeOptions::new(service::load_ruleset("cwa").expect("built in"))),
            index: 0,
        }
    }

    fn take(&mut self, jpeg: &[u8], time_ms: u64, cost: &mut Cost) {
        let start = cpu();
        let image = vision::decode_photo(jpeg).expect("decodes");
        let decoded = cpu();
        let frame = Frame { index: self.index, time_ms, image };
        self.index += 1;
        std::hint::black_box(self.referee.sight(&self.watcher.see(&frame)));
        cost.decode += decoded - start;
        cost.follow += cpu() - decoded;
        cost.frames += 1;
    }
}

/// The pass whose ratio is the middle one.
fn middle(mut costs: Vec<Cost>) -> Cost {
    costs.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    costs[costs.len() / 2]
}

fn follow(width: u32, height: u32) {
    let shots = footage(&mut board(width, height));
    let still = &shots[..STILL_PICTURES];
    let (mut rest, mut hand, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..PASSES {
        let mut desk = Desk::new();
        let (mut start, mut cost) = (Cost::default(), Cost::default());
        for i in 0..STILL_FRAMES + 30 {
            // the board is found first
            let into = if i < 30 { &mut start } else { &mut cost };
            desk.take(&still[i % still.len()].jpeg, (i as f64 * 1000.0 / FPS) as u64, into);
        }
        assert!(desk.watcher.lattice().is_some(), "the board is found");
        rest.push(cost);
        let mut desk = Desk::new();
        let (mut covered, mut open) = (Cost::default(), Cost::default());
        for (i, shot) in shots.iter().enumerate() {
            let into = match shot.hand {
                _ if i < 30 => &mut start,
                true => &mut covered,
                false => &mut open,
            };
            desk.take(&shot.jpeg, shot.time_ms, into);
        }
        hand.push(covered);
        all.push(Cost {
            decode: covered.decode + open.decode,
            follow: covered.follow + open.follow,
            frames: covered.frames + open.frames,
        });
    }
    middle(rest).row(&format!("{width}×{height}, still board"), Some(0.5));
    middle(hand).row(&format!("{width}×{height}, a hand over it"), Some(1.5));
    middle(all).row(&format!("{width}×{height}, a game, a move every 3 s"), None);
}

/// The least of some times: what it costs when nothing comes between.
fn photo() {
    let bytes = jpeg(&mut board(1632, 1224), 0);
    let mut reader = PhotoReader::new(&Models::from_env()).expect("the networks load");
    let (mut decode, mut whole) = (Duration::MAX, Duration::MAX);
    for _ in 0..PHOTO_TIMES {
        let start = cpu();
        let image = vision::decode_photo(&bytes).expect("decodes");
        decode = decode.min(cpu() - start);
        std::hint::black_box(reader.read(&image, &LocateOptions::default()).expect("a board"));
        whole = whole.min(cpu() - start);
    }
    let ms = |d: Duration| d.as_secs_f64() * 1000.0;
    println!(
        "a photo of 2 megapixels, one core: decoded in {:.1} ms, found and read in {:.0} ms with that",
        ms(decode),
        ms(whole)
    );
}

fn main() {
    // `cargo test` only asks whether it starts
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    // one core, for decoding as for following
    opencv::core::set_num_threads(1).expect("OpenCV is there");
    println!("| | frames | decode, ms | follow, ms | ratio | at most |\n| --- | --- | --- | --- | --- | --- |");
    follow(1920, 1080);
    follow(1280, 720);
    println!();
    photo();
}
