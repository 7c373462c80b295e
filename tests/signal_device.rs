//! The reference device of `docs/device` (portable C), compiled here and joined to goband over a line that may be bad.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, unbounded};
use goband::game::{Event, EventKind, Interval, Text};
use goband::rules::{Color, Ruleset};
use goband::signal::clock::OrderedBy;
use goband::signal::{DeviceConfig, DeviceKind, DeviceState, SignalConfig, Signals};
use serialport::{SerialPort, TTYPort};

/// The compiled device; it must compile without a warning.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = PROGRAM.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/device");
        let out = tempfile::tempdir().unwrap();
        let path = out.path().join("device");
        let run = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()))
            .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2", "-o"])
            .arg(&path)
            .args([folder.join("host.c"), folder.join("goband_line.c")])
            .output()
            .expect("a C compiler is needed: apt-get install build-essential");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        (out, path)
    });
    path
}

/// Chance, the same in every run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Changes about `per_mille` of a thousand bytes.
    fn spoil(&mut self, bytes: &mut [u8], per_mille: u64) {
        for byte in bytes {
            if self.next() % 1000 < per_mille {
                *byte = self.next() as u8;
            }
        }
    }
}

/// The device behind a pseudo-terminal.
struct Device {
    port: PathBuf,
    child: Child,
    shows: Receiver<String>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Device {
    fn start(press_every_ms: u64, noise_per_mille: u64) -> Device {
        let mut command = Command::new(program());
        if press_every_ms > 0 {
            command.arg(press_every_ms.to_string());
        }
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let (mut down, slave) = TTYPort::pair().unwrap();
        let port = PathBuf::from(slave.name().unwrap());
        drop(slave);
        down.set_timeout(Duration::from_millis(5)).unwrap();
        let mut up = down.try_clone_native().unwrap();
        let (mut to_device, mut from_device) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (send, shows) = unbounded();
        let errors = BufReader::new(child.stderr.take().unwrap());
        let stop = Arc::new(AtomicBool::new(false));
        let (stop_down, stop_up) = (Arc::clone(&stop), Arc::clone(&stop));
        let threads = vec![
            std::thread::spawn(move || {
                let (mut chance, mut bytes) = (Chance(12345), [0; 512]);
                while !stop_down.load(Ordering::Relaxed) {
                    match down.read(&mut bytes) {
                        Ok(count) => {
                            chance.spoil(&mut bytes[..count], noise_per_mille);
                            if to_device.write_all(&bytes[..count]).is_err() {
                                return;
                            }
                        }
                        Err(e) if e.kind() == ErrorKind::TimedOut => {}
                        // goband has closed its end
                        Err(_) => std::thread::sleep(Duration::from_millis(5)),
                    }
                }
            }),
            std::thread::spawn(move || {
                let (mut chance, mut bytes) = (Chance(54321), [0; 512]);
                while let Ok(count @ 1..) = from_device.read(&mut bytes) {
                    chance.spoil(&mut bytes[..count], noise_per_mille);
                    let mut rest = &bytes[..count];
                    while !rest.is_empty() && !stop_up.load(Ordering::Relaxed) {
                        rest = &rest[up.write(rest).unwrap_or(0)..];
                    }
                }
            }),
            std::thread::spawn(move || errors.lines().map_while(Result::ok).for_each(|l| drop(send.send(l)))),
        ];
        Device { port, child, shows, stop, threads }
    }

    fn wait(&self, what: &str, is_it: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let line = self.shows.recv_deadline(deadline).unwrap_or_else(|_| panic!("waited in vain: {what}"));
            if is_it(&line) {
                return line;
            }
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.threads.drain(..).for_each(|t| drop(t.join()));
    }
}

fn signals(device: &Device) -> Signals {
    let config = DeviceConfig {
        name: Some("device".into()),
        ..DeviceConfig::new(DeviceKind::Console, device.port.to_string_lossy())
    };
    Signals::spawn(SignalConfig {
        devices: vec![config],
        table: "table-1".into(),
        game: "game-1".into(),
        ruleset: Some(Arc::new(Ruleset::builtin("team-relay").unwrap())),
        ..SignalConfig::default()
    })
    .unwrap()
}

fn event(seq: u64, kind: EventKind) -> Event {
    let mut e = Event::new(kind, Interval { first: seq, last: seq }, seq, 0.99);
    (e.seq, e.color) = (seq, Some(Color::Black));
    e.text = Some(Text { en: format!("number {seq}: 100 %, yes*"), zh: format!("事件{seq}") });
    e
}

#[test]
fn the_device_in_c_shows_and_stops_what_goband_says() {
    let device = Device::start(0, 0);
    let signals = signals(&device);
    device.wait("HELLO", |l| l.starts_with("HELLO | 1 | goband") && l.ends_with("table-1 | game-1"));
    device.wait("idle", |l| l == "STATE | idle | ok");
    let status = &signals.status()[0];
    assert_eq!((status.state, status.peer.as_deref()), (DeviceState::Up, Some("C device")));
    let deadline = Instant::now() + Duration::from_secs(5);
    while signals.clock().is_none() {
        assert!(Instant::now() < deadline, "the clock is not read");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(signals.clock().unwrap().reading.running, Some(Color::Black));
    let decided = Instant::now();
    signals.tell(&event(57, EventKind::DoubleMove));
    // the clock first
    device.wait("the stop", |l| l.starts_with("CLOCKSTOP | 1 | 57"));
    assert!(decided.elapsed() < Duration::from_millis(500));
    device.wait("the alarm", |l| {
        l.starts_with("ALARM | 57 | infraction | double_move | B") && l.ends_with("number 57: 100 %, yes*")
    });
    device.wait("red", |l| l == "STATE | infraction | alarm");
    while !signals.clock().unwrap().stopped {
        assert!(Instant::now() < deadline, "the clock runs");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(signals.resume_clock(OrderedBy::Operator("test".into())));
    device.wait("go on", |l| l == "CLOCKRUN | 2 | B | - | -");
    signals.announce(
        Some(Color::Black),
        "seconds",
        Text { en: "ten seconds".into(), zh: "十秒".into() },
        "10 SEC",
        200,
    );
    device.wait("the call", |l| l == "SAY | 3 | B | seconds | 200 | 10 SEC | ten seconds");
    signals.shutdown();
    device.wait("BYE", |l| l == "BYE");
}

#[test]
fn noise_loses_no_alarm_and_no_press_of_the_device_in_c() {
    let device = Device::start(120, 10);
    let signals = signals(&device);
    device.wait("HELLO", |l| l.starts_with("HELLO"));
    // stoneoffpoint: a notice, which does not stop the clock whose presses are counted here
    let count = 60;
    for seq in 1..=count {
        signals.tell(&event(seq, EventKind::StoneOffPoint));
        std::thread::sleep(Duration::from_millis(60));
    }
    let mut alarms: BTreeMap<String, u32> = BTreeMap::new();
    let (mut pressed, mut moves) = (0, 0);
    // a machine under load may take long; nothing but a lost line makes it fail
    let deadline = Instant::now() + Duration::from_secs(120);
    while alarms.len() < count as usize {
        let line = device.shows.recv_deadline(deadline).unwrap_or_else(|_| panic!("{} of {count}", alarms.len()));
        if let Some(rest) = line.strip_prefix("ALARM | ") {
            *alarms.entry(rest.split(" | ").next().unwrap().to_owned()).or_default() += 1;
        }
        pressed += u32::from(line.starts_with("pressed"));
        moves += 1;
    }
    assert!(moves > 0);
    std::thread::sleep(Duration::from_secs(2));
    pressed += device.shows.try_iter().filter(|l| l.starts_with("pressed")).count() as u32;
    let presses: Vec<_> = signals.presses().try_iter().collect();
    // the last ones may still be under way
    let arrived = presses.len() as u32;
    assert!(arrived + 8 >= pressed && arrived <= pressed, "{arrived} of {pressed} presses arrived");
    assert!(presses.windows(2).all(|w| w[0].side != w[1].side), "in order, each once");
    let status = &signals.status()[0];
    assert!(status.rejected > 10 && status.repeats > 10, "the line was bad: {status:?}");
    println!("{count} alarms and {arrived} presses; {status:?}");
}

#[test]
fn a_frozen_goband_is_shown_by_the_device_in_c() {
    let device = Device::start(0, 0);
    let signals = signals(&device);
    device.wait("idle", |l| l == "STATE | idle | ok");
    // nothing is read any more: to the device that is what a killed or frozen program looks like
    signals.shutdown();
    device.wait("BYE", |l| l == "BYE");
    let mut port = TTYPort::open(&serialport::new(device.port.to_string_lossy(), 115_200)).unwrap();
    port.write_all(b"$0,HELLO,1,goband 0.1.0,5F3A09C2,table-1,game-0007*8597\r\n").unwrap();
    device.wait("HELLO", |l| l.starts_with("HELLO"));
    let start = Instant::now();
    device.wait("silence", |l| l == "SILENT");
    let seconds = start.elapsed().as_secs_f64();
    assert!((2.5..4.0).contains(&seconds), "{seconds} s");
}
