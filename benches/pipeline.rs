//! What a picture costs, from pixels to events, beside decoding the same picture: `./dev bench`.

use criterion::{Criterion, criterion_group, criterion_main};
use goband::capture::Frame;
use goband::referee::{Referee, RefereeOptions};
use goband::service;
use goband::vision::{self, LocateOptions, Models, PhotoReader, Watcher, WatcherOptions};
use opencv::core::Mat;
use opencv::prelude::*;

/// A frame of the virtual board as a picture in memory.
fn picture(board: &mut goband::virtualboard::VirtualBoard, index: u64) -> Mat {
    let (width, height) = board.size();
    let rgb = &board.frame(index).data;
    let mut jpeg = Vec::new();
    image::codecs::jpeg::JpegEncoder::new_with_quality(&mut jpeg, 90)
        .encode(rgb, width, height, image::ExtendedColorType::Rgb8)
        .expect("a frame is a picture");
    vision::decode_photo(&jpeg).expect("what was just encoded decodes")
}

fn pipeline(c: &mut Criterion) {
    let mut board = service::virtual_board(None).expect("the demo's board");
    let still: Vec<Mat> = (0..8).map(|i| picture(&mut board, i)).collect();
    let hand_from = board.truth().moves[6].frame_placed;
    let hand: Vec<Mat> = (0..8).map(|i| picture(&mut board, hand_from.saturating_sub(4) + i)).collect();
    let jpeg = vision::encode_jpeg(&still[0], 90, None).expect("encodes");

    let mut group = c.benchmark_group("a 1280×720 picture");
    group.sample_size(20);
    // the yardstick of the other rows
    group.bench_function("decode its JPEG", |b| b.iter(|| vision::decode_photo(&jpeg).expect("decodes")));

    let mut reader = PhotoReader::new(&Models::from_env()).expect("the networks load");
    group.bench_function("find and read the board from nothing", |b| {
        b.iter(|| reader.read(&still[0], &LocateOptions::default()).expect("a board"))
    });

    for (name, pictures) in [("follow a still board", &still), ("follow a board with a hand over it", &hand)] {
        let mut watcher = Watcher::new(WatcherOptions::default()).expect("the networks load");
        let mut referee = Referee::new(RefereeOptions::new(service::load_ruleset("cwa").expect("built in")));
        let mut index = 0u64;
        let mut next = |images: &[Mat]| {
            let image = images[index as usize % images.len()].try_clone().expect("memory");
            let frame = Frame { index, time_ms: index * 67, image };
            index += 1;
            referee.sight(&watcher.see(&frame))
        };
        // the board is found first
        for _ in 0..30 {
            next(&still);
        }
        group.bench_function(name, |b| b.iter(|| next(pictures)));
    }
    group.finish();
}

criterion_group!(benches, pipeline);
criterion_main!(benches);
