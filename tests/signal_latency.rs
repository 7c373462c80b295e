//! How long an event takes from its decision to the first byte on the wire, over pseudo-terminals, beside a bare write of the
//! same bytes on the same machine in the same seconds. A measurement, to be run by hand; nothing is asserted about time:
//! `cargo test --release --test signal_latency -- --ignored --nocapture`

use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, unbounded};
use goband::game::{Event, EventKind, Interval, Text};
use goband::signal::frame::FrameDecoder;
use goband::signal::message::Message;
use goband::signal::{AlarmsConfig, DeviceConfig, DeviceKind, DeviceState, SignalConfig, Signals};
use serialport::{SerialPort, TTYPort};

/// A device's end of a pseudo-terminal: says when which bytes came, and talks back like a console.
struct Wire {
    path: PathBuf,
    came: Receiver<(Instant, Vec<u8>)>,
    stop: Arc<AtomicBool>,
}

impl Wire {
    fn open(is_console: bool) -> Wire {
        let (mut master, slave) = TTYPort::pair().unwrap();
        let path = PathBuf::from(slave.name().unwrap());
        master.set_timeout(Duration::from_millis(200)).unwrap();
        let (send, came) = unbounded();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        std::thread::spawn(move || {
            let (_slave, mut bytes, mut decoder) = (slave, [0; 4096], FrameDecoder::default());
            while !stopped.load(Ordering::Relaxed) {
                match master.read(&mut bytes) {
                    Ok(count) => {
                        let _ = send.send((Instant::now(), bytes[..count].to_vec()));
                        if is_console {
                            let frames = bytes[..count].iter().filter_map(|&b| decoder.push(b)).flatten();
                            let answers: Vec<u8> = frames.flat_map(|f| answer(f.seq, &Message::of(&f))).collect();
                            let _ = master.write_all(&answers);
                        }
                    }
                    Err(e) if e.kind() == ErrorKind::TimedOut => {}
                    Err(_) => std::thread::sleep(Duration::from_millis(1)),
                }
            }
        });
        Wire { path, came, stop }
    }

    /// When the bytes came that hold `part`.
    fn wait(&self, part: &[u8]) -> Instant {
        let mut all = Vec::new();
        loop {
            let (at, bytes) = self.came.recv_timeout(Duration::from_secs(20)).expect("nothing came");
            all.extend(bytes);
            if all.windows(part.len()).any(|w| w == part) {
                return at;
            }
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn answer(seq: u16, message: &Message) -> Vec<u8> {
    match message {
        Message::Hello { .. } => {
            let (name, session) = ("stopwatch".into(), "1".into());
            let hello = Message::Hello { version: 1, name, session, table: String::new(), game: String::new() };
            hello.frame(0).encode()
        }
        _ if seq != 0 => Message::Ack { seq }.frame(0).encode(),
        _ => Vec::new(),
    }
}

fn event(seq: u64, kind: EventKind, of: Option<u64>) -> Event {
    let text = Text { en: "Black has played twice in a row.".into(), zh: "黑方连下两着。".into() };
    let mut e = Event::new(kind, Interval::default(), seq, 1.0);
    (e.seq, e.of, e.text, e.article) = (seq, of, Some(text), Some("000 17.2".into()));
    e
}

fn line_of(name: &str, mut ms: Vec<f64>) -> (f64, f64) {
    ms.sort_by(f64::total_cmp);
    let at = |share: f64| ms[((ms.len() - 1) as f64 * share) as usize];
    let (median, p99) = (at(0.5), at(0.99));
    println!("{name:<34} median {median:8.3} ms   p99 {p99:8.3} ms   worst {:8.3} ms", ms[ms.len() - 1]);
    (median, p99)
}

#[test]
#[ignore = "a measurement, see the head of the file"]
fn from_the_decision_to_the_wire() {
    let rounds: u64 = std::env::var("GOBAND_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    let (console, lamp, bare) = (Wire::open(true), Wire::open(false), Wire::open(false));
    let mut direct = std::fs::OpenOptions::new().write(true).open(&bare.path).unwrap();
    let device = |kind, wire: &Wire| DeviceConfig::new(kind, wire.path.to_string_lossy());
    let devices = vec![device(DeviceKind::Console, &console), device(DeviceKind::Lamp, &lamp)];
    let alarms = AlarmsConfig { min_on_ms: 0, ..AlarmsConfig::default() };
    let signals = Signals::spawn(SignalConfig { devices, alarms, ..SignalConfig::default() }).unwrap();
    while signals.status().iter().any(|d| d.state != DeviceState::Up) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let (mut told, mut to_console, mut to_lamp, mut written) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let ms = |from: Instant, to: Instant| to.saturating_duration_since(from).as_secs_f64() * 1e3;
    for round in 1..=rounds {
        // the relays' pause between frames is no part of the way
        std::thread::sleep(Duration::from_millis(60 + round * 7 % 23));
        let (alarm, decision) = (10 * round, 10 * round + 1);
        let start = Instant::now();
        signals.tell(&event(alarm, EventKind::DoubleMove, None));
        let back = Instant::now();
        told.push(ms(start, back));
        to_console.push(ms(start, console.wait(format!(",ALARM,{alarm},").as_bytes())));
        to_lamp.push(ms(start, lamp.wait(&[0xa0, 3, 1, 0xa4])));
        std::thread::sleep(Duration::from_millis(20));
        let bytes =
            format!("$1,ALARM,{alarm},infraction,double_move,-,-,000 17.2,Black has played twice in a row.*0000\r\n");
        let start = Instant::now();
        direct.write_all(bytes.as_bytes()).unwrap();
        written.push(ms(start, bare.wait(format!(",ALARM,{alarm},").as_bytes())));
        signals.tell(&event(decision, EventKind::Decision, Some(alarm)));
        lamp.wait(&[0xa0, 3, 0, 0xa3]);
    }
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("{rounds} alarms, load {}", load.trim());
    line_of("telling, until it returns", told);
    let bare = line_of("bare write -> taken from the wire", written);
    for (name, times) in [("console", to_console), ("relay board", to_lamp)] {
        let (median, p99) = line_of(&format!("event told -> {name}"), times);
        println!("{:<34} {:.2} times the bare write, {:.2} at p99", "", median / bare.0, p99 / bare.1);
    }
}
