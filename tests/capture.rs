//! Sources as the daemon meets them: files, folders, cameras that fail and come back.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use goband::capture::{
    CaptureThread, Captured, Frame, Grab, OpenOptions, Pace, RgbPicture, RgbSource, Source, SourceSpec, ThreadOptions,
    open, open_later,
};
use opencv::core::{Mat, Scalar, Size, Vec3b, Vector};
use opencv::prelude::*;
use opencv::{imgcodecs, videoio};

const WAIT: Duration = Duration::from_secs(10);

fn grey(value: f64) -> Mat {
    Mat::new_rows_cols_with_default(48, 64, opencv::core::CV_8UC3, Scalar::all(value)).unwrap()
}

fn jpeg(value: f64) -> Vec<u8> {
    let mut out = Vector::<u8>::new();
    imgcodecs::imencode(".jpg", &grey(value), &mut out, &Vector::new()).unwrap();
    out.to_vec()
}

/// Frame k is grey with value 2 k + 10.
fn write_video(path: &Path, frames: u32, fps: f64) {
    let fourcc = videoio::VideoWriter::fourcc('M', 'J', 'P', 'G').unwrap();
    let mut writer = videoio::VideoWriter::new(path.to_str().unwrap(), fourcc, fps, Size::new(64, 48), true).unwrap();
    for k in 0..frames {
        writer.write(&grey(f64::from(2 * k + 10))).unwrap();
    }
    writer.release().unwrap();
}

fn spec(text: impl AsRef<str>) -> SourceSpec {
    text.as_ref().parse().unwrap()
}

fn open_path(path: &Path, options: &OpenOptions) -> anyhow::Result<Box<dyn Source>> {
    open(&spec(path.to_str().unwrap()), options)
}

fn value(frame: &Frame) -> u8 {
    frame.image.at_2d::<Vec3b>(20, 20).unwrap()[0]
}

fn all(source: &mut dyn Source) -> Vec<Frame> {
    let mut frames = Vec::new();
    while let Grab::Frame(frame) = source.grab() {
        frames.push(frame);
    }
    frames
}

fn bytes(frame: &Frame) -> &[u8] {
    frame.image.data_bytes().unwrap()
}

#[test]
fn a_file_gives_every_frame_at_its_footage_time_the_same_each_time() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a clip.avi");
    write_video(&path, 25, 12.5);
    let mut source = open_path(&path, &OpenOptions::default()).unwrap();
    assert!(!source.is_live());
    let first = all(&mut *source);
    assert_eq!(first.len(), 25);
    for (k, frame) in first.iter().enumerate() {
        assert_eq!((frame.index, frame.time_ms), (k as u64, k as u64 * 80));
        assert!(value(frame).abs_diff(2 * k as u8 + 10) <= 2, "frame {k}: {}", value(frame));
    }
    assert!(matches!(source.grab(), Grab::End));
    assert!(matches!(source.grab(), Grab::End), "the end stays the end");
    assert!(source.reopen().is_err());

    // through the thread, with a slow reader: still every frame, in order, the same bytes
    let (thread, frames) = CaptureThread::spawn(open_path(&path, &OpenOptions::default()).unwrap());
    let mut second = Vec::new();
    loop {
        match frames.recv_timeout(WAIT).unwrap() {
            Captured::Frame(frame) => second.push(frame),
            Captured::End => break,
            other => panic!("{other:?}"),
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    assert!(frames.recv_timeout(WAIT).is_err(), "nothing follows the end");
    thread.stop();
    assert_eq!(second.len(), first.len());
    for (a, b) in first.iter().zip(&second) {
        assert_eq!((a.index, a.time_ms), (b.index, b.time_ms));
        assert_eq!(bytes(a), bytes(b));
    }
}

#[test]
fn the_rate_of_a_file_can_be_set() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("clip.avi");
    write_video(&path, 3, 25.0);
    let options = OpenOptions { fps: Some(2.0), ..OpenOptions::default() };
    let times: Vec<u64> = all(&mut *open_path(&path, &options).unwrap()).iter().map(|f| f.time_ms).collect();
    assert_eq!(times, [0, 500, 1000]);
}

#[test]
fn garbage_and_cut_files_are_survived() {
    let dir = tempfile::tempdir().unwrap();
    let garbage = dir.path().join("game.mp4");
    std::fs::write(&garbage, vec![0x5a; 20_000]).unwrap();
    let error = open_path(&garbage, &OpenOptions::default()).err().unwrap();
    assert!(error.to_string().contains("not a video"), "{error:#}");
    std::fs::write(&garbage, []).unwrap();
    assert!(open_path(&garbage, &OpenOptions::default()).is_err());

    let whole = dir.path().join("whole.avi");
    write_video(&whole, 60, 25.0);
    let data = std::fs::read(&whole).unwrap();
    let cut = dir.path().join("cut.avi");
    std::fs::write(&cut, &data[..data.len() * 2 / 3]).unwrap();
    let got = all(&mut *open_path(&cut, &OpenOptions::default()).unwrap());
    assert!((20..60).contains(&got.len()), "{} frames of a file cut to two thirds", got.len());
}

#[test]
fn a_folder_is_a_slide_show() {
    let dir = tempfile::tempdir().unwrap();
    for (name, v) in [("shot10.jpg", 100.0), ("shot9.jpg", 90.0), ("shot2.PNG", 20.0)] {
        let ext = if name.ends_with("PNG") { ".png" } else { ".jpg" };
        let mut out = Vector::<u8>::new();
        imgcodecs::imencode(ext, &grey(v), &mut out, &Vector::new()).unwrap();
        std::fs::write(dir.path().join(name), out.as_slice()).unwrap();
    }
    std::fs::write(dir.path().join("shot5.jpg"), b"this is no picture").unwrap();
    std::fs::write(dir.path().join("notes.txt"), b"no picture either").unwrap();
    std::fs::write(dir.path().join(".hidden.jpg"), jpeg(1.0)).unwrap();
    let frames = all(&mut *open_path(dir.path(), &OpenOptions::default()).unwrap());
    let got: Vec<(u64, u64, u8)> = frames.iter().map(|f| (f.index, f.time_ms, value(f))).collect();
    // the damaged one keeps its second
    assert_eq!(got, [(0, 0, 20), (2, 2000, 90), (3, 3000, 100)]);
    let options = OpenOptions { fps: Some(4.0), ..OpenOptions::default() };
    assert_eq!(all(&mut *open_path(dir.path(), &options).unwrap())[2].time_ms, 750);

    let empty = tempfile::tempdir().unwrap();
    let error = open_path(empty.path(), &OpenOptions::default()).err().unwrap().to_string();
    assert!(error.contains("holds no pictures") && error.contains(".jpg"), "{error}");
}

#[test]
fn a_missing_camera_says_what_there_is() {
    let error = open(&spec("97"), &OpenOptions::default()).err().unwrap().to_string();
    assert!(error.contains("camera 97: no such device; cameras here: "), "{error}");
    let error = format!("{:#}", open(&spec("Some Webcam 9000"), &OpenOptions::default()).err().unwrap());
    assert!(error.contains("cameras here: "), "{error}");
}

/// An HTTP camera: answers every connection with `per_connection` pictures, then hangs up, freezes, or goes on.
struct HttpCamera {
    address: String,
    up: Arc<AtomicBool>,
    connections: Arc<AtomicUsize>,
}

#[derive(Clone, Copy, PartialEq)]
enum Then {
    HangUp,
    Freeze,
}

impl HttpCamera {
    fn start(pictures: usize, then: Then) -> HttpCamera {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/video.mjpg", listener.local_addr().unwrap());
        let up = Arc::new(AtomicBool::new(true));
        let connections = Arc::new(AtomicUsize::new(0));
        let (up2, connections2) = (up.clone(), connections.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if up2.load(Ordering::SeqCst) {
                    let n = connections2.fetch_add(1, Ordering::SeqCst);
                    std::thread::spawn(move || serve(stream, n, pictures, then));
                }
            }
        });
        HttpCamera { address, up, connections }
    }
}

fn serve(mut stream: TcpStream, connection: usize, pictures: usize, then: Then) {
    let mut request = [0; 2048];
    let _ = stream.read(&mut request);
    let head = "HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\n\r\n";
    if stream.write_all(head.as_bytes()).is_err() {
        return;
    }
    let body = jpeg(if connection == 0 { 50.0 } else { 150.0 });
    for _ in 0..pictures {
        let part = format!("--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {}\r\n\r\n", body.len());
        if [part.as_bytes(), &body[..], b"\r\n"].iter().any(|b| stream.write_all(b).is_err()) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    if then == Then::Freeze {
        std::thread::sleep(Duration::from_secs(30));
    }
}

fn quick() -> (OpenOptions, ThreadOptions) {
    (
        OpenOptions { open_timeout_ms: 1500, read_timeout_ms: 800, ..OpenOptions::default() },
        ThreadOptions { first_wait: Duration::from_millis(100), ..ThreadOptions::default() },
    )
}

fn next_notice(frames: &Receiver<Captured>) -> Captured {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        match frames.recv_deadline(deadline).expect("a notice") {
            Captured::Frame(_) => {}
            notice => return notice,
        }
    }
}

#[test]
fn a_stream_that_breaks_off_comes_back() {
    let camera = HttpCamera::start(30, Then::HangUp);
    let (open_options, thread_options) = quick();
    let source = open(&spec(&camera.address), &open_options).unwrap();
    assert!(source.is_live());
    let (thread, frames) = CaptureThread::spawn_with(source, thread_options);
    let Captured::Frame(first) = frames.recv_timeout(WAIT).unwrap() else { panic!() };
    assert!(value(&first).abs_diff(50) <= 2);
    let Captured::Lost { time_ms: lost_ms, reason } = next_notice(&frames) else { panic!() };
    assert!(reason.contains("cut"), "{reason}");
    let Captured::Back { time_ms: back_ms } = next_notice(&frames) else { panic!() };
    assert!(lost_ms <= back_ms && first.time_ms <= lost_ms, "{} {lost_ms} {back_ms}", first.time_ms);
    let Captured::Frame(again) = frames.recv_timeout(WAIT).unwrap() else { panic!() };
    assert!(value(&again).abs_diff(150) <= 2, "the picture is of the second connection");
    assert!(again.index > first.index && again.time_ms >= back_ms, "index and time go on");
    assert!(camera.connections.load(Ordering::SeqCst) >= 2);
    thread.stop();
}

#[test]
fn a_stream_that_freezes_is_lost_and_a_closed_port_is_tried_again_until_it_opens() {
    let camera = HttpCamera::start(20, Then::Freeze);
    let (open_options, thread_options) = quick();
    let (thread, frames) =
        CaptureThread::spawn_with(open(&spec(&camera.address), &open_options).unwrap(), thread_options);
    let Captured::Frame(_) = frames.recv_timeout(WAIT).unwrap() else { panic!() };
    // further connections are accepted and closed at once
    camera.up.store(false, Ordering::SeqCst);
    let asked = Instant::now();
    let Captured::Lost { reason, .. } = next_notice(&frames) else { panic!() };
    assert!(reason.contains("no picture for 800 ms"), "{reason}");
    assert!(asked.elapsed() < Duration::from_secs(4), "{:?}", asked.elapsed());
    std::thread::sleep(Duration::from_millis(500));
    assert!(frames.try_recv().is_err(), "one loss is told once");
    camera.up.store(true, Ordering::SeqCst);
    assert!(matches!(next_notice(&frames), Captured::Back { .. }));
    thread.stop();
}

#[test]
fn a_server_that_says_nothing_is_given_up_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://user:secret@{}/", listener.local_addr().unwrap());
    let (open_options, _) = quick();
    let asked = Instant::now();
    let error = open(&spec(&address), &open_options).err().unwrap().to_string();
    assert!(error.contains("no answer for 1500 ms"), "{error}");
    assert!(!error.contains("secret"), "{error}");
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
}

#[test]
fn the_daemon_may_start_before_its_camera() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    let (open_options, thread_options) = quick();
    let source = open_later(&spec(format!("http://{address}/")), &open_options);
    let (thread, frames) = CaptureThread::spawn_with(source, thread_options);
    assert!(matches!(frames.recv_timeout(WAIT).unwrap(), Captured::Lost { .. }));
    let listener = TcpListener::bind(address).unwrap();
    std::thread::spawn(move || serve(listener.accept().unwrap().0, 0, 500, Then::HangUp));
    assert!(matches!(next_notice(&frames), Captured::Back { .. }));
    thread.stop();
}

#[test]
fn of_a_live_source_the_newest_frame_waits() {
    let mut n = 0;
    let source = RgbSource::new("drawn", Pace::RealTime, move || {
        n += 1;
        (n <= 30).then(|| RgbPicture { width: 2, height: 2, time_ms: 10 * n, rgb: vec![n as u8; 12] })
    });
    let (_thread, frames) = CaptureThread::spawn(Box::new(source));
    let Captured::Frame(first) = frames.recv_timeout(WAIT).unwrap() else { panic!() };
    assert_eq!(first.index, 0);
    // the reader is busy until all has been drawn
    std::thread::sleep(Duration::from_millis(600));
    let Captured::Frame(newest) = frames.recv_timeout(WAIT).unwrap() else { panic!() };
    assert_eq!((newest.index, newest.time_ms), (29, 300));
    assert!(matches!(frames.recv_timeout(WAIT).unwrap(), Captured::End));
    assert!(frames.recv_timeout(WAIT).is_err());
}

/// Blocks in a read for a while, as a driver may.
struct Sluggish {
    reads: u64,
}

impl Source for Sluggish {
    fn name(&self) -> String {
        "sluggish".into()
    }
    fn is_live(&self) -> bool {
        true
    }
    fn grab(&mut self) -> Grab {
        self.reads += 1;
        std::thread::sleep(Duration::from_millis(if self.reads == 3 { 900 } else { 5 }));
        Grab::Frame(Frame { index: self.reads, time_ms: self.reads, image: grey(1.0) })
    }
    fn reopen(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}

#[test]
fn a_read_that_blocks_is_told_while_it_blocks() {
    let options = ThreadOptions { watchdog: Duration::from_millis(250), ..ThreadOptions::default() };
    let started = Instant::now();
    let (thread, frames) = CaptureThread::spawn_with(Box::new(Sluggish { reads: 0 }), options);
    assert!(matches!(next_notice(&frames), Captured::Lost { .. }));
    assert!(started.elapsed() < Duration::from_millis(850), "{:?}", started.elapsed());
    assert!(matches!(next_notice(&frames), Captured::Back { .. }));
    thread.stop();
}

#[test]
fn stopping_is_prompt_even_with_nobody_reading() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("clip.avi");
    write_video(&path, 40, 25.0);
    let (thread, frames) = CaptureThread::spawn(open_path(&path, &OpenOptions::default()).unwrap());
    std::thread::sleep(Duration::from_millis(50));
    let asked = Instant::now();
    thread.stop();
    assert!(asked.elapsed() < Duration::from_secs(2));
    drop(frames);

    // and while it waits to open a lost source again
    let options = ThreadOptions { first_wait: Duration::from_secs(60), ..ThreadOptions::default() };
    let (thread, frames) = CaptureThread::spawn_with(open_later(&spec("96"), &OpenOptions::default()), options);
    assert!(matches!(frames.recv_timeout(WAIT).unwrap(), Captured::Lost { .. }));
    let asked = Instant::now();
    thread.stop();
    assert!(asked.elapsed() < Duration::from_secs(2));
}
