//! What a frame of the virtual board costs: at rest, with a hand, and as a multiple of encoding the same picture as JPEG.

use criterion::{Criterion, criterion_group, criterion_main};
use goband::virtualboard::{Look, Script, VirtualBoard};
use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, ImageEncoder};

const WIDTH: u32 = 1280;
const HEIGHT: u32 = 720;

fn frames(c: &mut Criterion) {
    let script = Script::demo();
    let camera = script.demo_camera(WIDTH, HEIGHT);
    let look = Look::chosen(script.size, &script.look);
    let mut board = VirtualBoard::new(&script, look, camera, WIDTH, HEIGHT, 15.0, 1).expect("the demo can be played");
    let moved = board.truth().moves[10].clone();
    let still = moved.frame_clear.expect("the demo's hands leave");
    let mut group = c.benchmark_group("virtualboard 1280x720");
    group.sample_size(30);
    for threads in [1, 2] {
        board.set_threads(threads);
        group.bench_function(format!("still, {threads} thread(s)"), |b| b.iter(|| board.frame(still).data[0]));
        group.bench_function(format!("hand over the board, {threads} thread(s)"), |b| {
            b.iter(|| board.frame(moved.frame_placed).data[0]);
        });
        // two frames between which a stone comes and goes
        let mut there = false;
        group.bench_function(format!("hand, and a stone changes, {threads} thread(s)"), |b| {
            b.iter(|| {
                there = !there;
                board.frame(moved.frame_placed - u64::from(there)).data[0]
            });
        });
    }
    let frame = board.frame(moved.frame_placed).clone();
    group.bench_function("JPEG encoding of the same picture, for comparison", |b| {
        b.iter(|| {
            let mut bytes = Vec::with_capacity(400_000);
            JpegEncoder::new_with_quality(&mut bytes, 90)
                .write_image(&frame.data, frame.width, frame.height, ExtendedColorType::Rgb8)
                .expect("a whole picture");
            bytes.len()
        });
    });
    group.finish();
}

criterion_group!(benches, frames);
criterion_main!(benches);
