//! Signals through the public API, over pseudo-terminals: what is told arrives, whatever happens to the ports.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use goband::game::{Event, EventKind, Interval, Text};
use goband::rules::{Color, Point};
use goband::signal::emulator::{Console, EmulatorOptions, Faults, Heard, Lamp, Modbus, What};
use goband::signal::frame::{FrameDecoder, Rejected};
use goband::signal::message::Message;
use goband::signal::{
    AlarmsConfig, Button, Closing, DeviceConfig, DeviceKind, DeviceState, SignalConfig, Signals, State,
};
use serialport::{SerialPort, TTYPort};

fn event(seq: u64, kind: EventKind) -> Event {
    let mut e = Event::new(kind, Interval { first: seq, last: seq }, seq, 0.99);
    e.seq = seq;
    e.color = Some(Color::Black);
    e.text = Some(Text { en: format!("{} {seq}", kind.name()), zh: format!("事件{seq}") });
    if kind == EventKind::Move {
        e.move_number = Some(seq as u32);
        e.point = Some(Point { row: 3, col: 15 });
        e.captured = Some(vec![]);
    }
    e
}

fn about(seq: u64, kind: EventKind, of: u64) -> Event {
    Event { of: Some(of), ..event(seq, kind) }
}

fn spawn(devices: Vec<DeviceConfig>) -> Signals {
    // no shortest times: the order of what is heard is that of what is told
    let alarms = AlarmsConfig { min_on_ms: 0, ..AlarmsConfig::default() };
    let (table, game) = ("table-1".into(), "game-1".into());
    Signals::spawn(SignalConfig { devices, table, game, alarms, ..SignalConfig::default() }).unwrap()
}

fn console_at(path: &Path) -> DeviceConfig {
    DeviceConfig { name: Some("console".into()), ..DeviceConfig::new(DeviceKind::Console, path.to_string_lossy()) }
}

fn lamp_at(path: &Path) -> DeviceConfig {
    DeviceConfig { name: Some("lamp".into()), ..DeviceConfig::new(DeviceKind::Lamp, path.to_string_lossy()) }
}

fn linked(dir: &Path, name: &str, faults: Faults) -> EmulatorOptions {
    EmulatorOptions { link: Some(dir.join(name)), faults }
}

const PATIENCE: Duration = Duration::from_secs(15);

/// Waits for something that a device takes in.
fn hear<T>(heard: &crossbeam_channel::Receiver<Heard>, what: &str, wanted: impl Fn(&Heard) -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let heard = heard.recv_deadline(deadline).unwrap_or_else(|_| panic!("waited in vain for {what}"));
        if let Some(found) = wanted(&heard) {
            return found;
        }
    }
}

fn news(heard: &Heard) -> Option<&Message> {
    match &heard.what {
        What::Message { message, repeated: false } => Some(message),
        _ => None,
    }
}

fn hear_alarm(console: &Console, number: u64) -> Heard {
    hear(console.heard(), &format!("alarm {number}"), |h| match news(h) {
        Some(Message::Alarm(a)) => {
            assert_eq!(a.alarm, number, "another alarm than the one that is due");
            Some(h.clone())
        }
        _ => None,
    })
}

fn hear_state(console: &Console, state: State) {
    hear(console.heard(), &format!("{state:?}"), |h| match news(h) {
        Some(Message::State { state: s, .. } | Message::Beat { state: Some(s), .. }) if *s == state => Some(()),
        _ => None,
    });
}

fn hear_relay(lamp: &Lamp, relay: u8, is_on: bool) -> Instant {
    hear(lamp.heard(), &format!("relay {relay} {is_on}"), |h| match h.what {
        What::Relay { channel, on, changed: true } if (channel, on) == (relay, is_on) => Some(h.at),
        _ => None,
    })
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn state_of(signals: &Signals, name: &str) -> DeviceState {
    signals.status().into_iter().find(|d| d.name == name).unwrap().state
}

#[test]
fn an_infraction_lights_the_lamp_and_reaches_the_console_and_its_button_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let console = Console::spawn(linked(dir.path(), "console", Faults::default())).unwrap();
    let lamp = Lamp::spawn(linked(dir.path(), "lamp", Faults::default())).unwrap();
    let signals = spawn(vec![console_at(console.path()), lamp_at(lamp.path())]);
    hear_relay(&lamp, 1, true);
    hear_state(&console, State::Idle);

    signals.tell(&event(1, EventKind::Move));
    hear(console.heard(), "the move", |h| match news(h) {
        Some(Message::Move { number: 1, color: Color::Black, point: Some(Point { row: 3, col: 15 }), captured: 0 }) => {
            Some(())
        }
        _ => None,
    });
    let mut infraction = event(2, EventKind::DoubleMove);
    infraction.points = vec![Point { row: 1, col: 2 }.into(), Point { row: 3, col: 4 }.into()];
    infraction.article = Some("000 art. 23.4".into());
    signals.tell(&infraction);
    let heard = hear_alarm(&console, 2);
    let Some(Message::Alarm(alarm)) = news(&heard) else { panic!() };
    assert_eq!((alarm.kind.as_str(), alarm.color, alarm.points.len()), ("double_move", Some(Color::Black), 2));
    assert_eq!((alarm.article.as_str(), alarm.text.as_str()), ("000 art. 23.4", "double_move 2"));
    hear_relay(&lamp, 3, true);
    hear_relay(&lamp, 4, true);
    hear_relay(&lamp, 1, false);

    console.press(Button::Acknowledge, None);
    let input = signals.inputs().recv_timeout(PATIENCE).unwrap();
    assert_eq!((input.device.as_str(), input.button, input.alarm), ("console", Button::Acknowledge, Some(2)));
    hear_state(&console, State::Attention);
    hear_relay(&lamp, 3, false);
    hear_relay(&lamp, 2, true);

    signals.tell(&about(3, EventKind::Repaired, 2));
    hear(console.heard(), "the end of it", |h| match news(h) {
        Some(Message::Clear { alarm: 2, how: Closing::Repaired }) => Some(()),
        _ => None,
    });
    hear_state(&console, State::Idle);
    hear_relay(&lamp, 1, true);
    console.press(Button::Call, None);
    assert_eq!(signals.inputs().recv_timeout(PATIENCE).unwrap().alarm, None);
    let status = signals.status();
    assert_eq!(status[0].peer.as_deref(), Some("emulated console"));
    assert!(status.iter().all(|d| d.state == DeviceState::Up && d.trouble.is_none()), "{status:?}");
    assert!(serde_json::to_string(&status).unwrap().contains("\"state\":\"up\""));

    // the end in good order
    let asked = Instant::now();
    signals.shutdown();
    assert!(asked.elapsed() < Duration::from_millis(900), "{:?}", asked.elapsed());
    hear_relay(&lamp, 1, false);
    hear(console.heard(), "good-bye", |h| matches!(news(h), Some(Message::Bye)).then_some(()));
    assert!(signals_reports_nothing(&lamp), "nothing after the end");
}

fn signals_reports_nothing(lamp: &Lamp) -> bool {
    std::thread::sleep(Duration::from_millis(50));
    lamp.heard().try_iter().all(|h| !matches!(h.what, What::Relay { on: true, .. }))
}

#[test]
fn the_bytes_of_the_lamp_are_exact() {
    let (mut board, slave) = TTYPort::pair().unwrap();
    let path = PathBuf::from(slave.name().unwrap());
    let signals = spawn(vec![lamp_at(&path)]);
    let mut wire = Vec::new();
    read_until(&mut board, &mut wire, |wire| wire.len() >= 16);
    assert_eq!(wire, [0xa0, 3, 0, 0xa3, 0xa0, 4, 0, 0xa4, 0xa0, 2, 0, 0xa2, 0xa0, 1, 1, 0xa2], "all off, then green");
    wire.clear();
    signals.tell(&event(1, EventKind::SourceLost));
    read_until(&mut board, &mut wire, |wire| wire.len() >= 12);
    assert_eq!(wire, [0xa0, 3, 1, 0xa4, 0xa0, 2, 1, 0xa3, 0xa0, 1, 0, 0xa1], "a fault is red and amber");
    wire.clear();
    signals.shutdown();
    read_until(&mut board, &mut wire, |wire| wire.len() >= 8);
    assert_eq!(wire, [0xa0, 3, 0, 0xa3, 0xa0, 2, 0, 0xa2], "all off at the end");
}

fn read_until(port: &mut TTYPort, wire: &mut Vec<u8>, is_enough: impl Fn(&[u8]) -> bool) {
    port.set_timeout(Duration::from_millis(100)).unwrap();
    let deadline = Instant::now() + PATIENCE;
    while !is_enough(wire) {
        assert!(Instant::now() < deadline, "waited in vain; so far {wire:02x?}");
        let mut buffer = [0; 256];
        match port.read(&mut buffer) {
            Ok(count) => wire.extend(&buffer[..count]),
            Err(e) if matches!(e.kind(), ErrorKind::TimedOut | ErrorKind::BrokenPipe) => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(e) => panic!("{e}"),
        }
    }
}

#[test]
fn a_modbus_board_confirms_and_its_silence_is_told() {
    let board = Modbus::spawn(EmulatorOptions::default()).unwrap();
    let mut device = DeviceConfig::new(DeviceKind::Modbus, board.path().to_string_lossy());
    device.reassert_s = Some(1);
    let signals = spawn(vec![device]);
    let hear_relay = |relay, is_on| {
        hear(board.heard(), "a relay", |h| match h.what {
            What::Relay { channel, on, changed: true } if (channel, on) == (relay, is_on) => Some(()),
            _ => None,
        });
    };
    hear_relay(1, true);
    board.set_silent(true);
    let report = signals.reports().recv_timeout(PATIENCE).unwrap();
    assert!(report.degraded && report.text.en.contains("no relay board answers"), "{report:?}");
    board.set_silent(false);
    signals.tell(&event(1, EventKind::DoubleMove));
    hear_relay(3, true);
    assert!(!signals.reports().recv_timeout(PATIENCE).unwrap().degraded);
    signals.shutdown();
    hear_relay(3, false);
}

#[test]
fn events_are_on_the_wire_within_milliseconds() {
    let console = Console::spawn(EmulatorOptions::default()).unwrap();
    let lamp = Lamp::spawn(EmulatorOptions::default()).unwrap();
    let signals = spawn(vec![console_at(console.path()), lamp_at(lamp.path())]);
    hear_state(&console, State::Idle);
    hear_relay(&lamp, 1, true);
    let mut console_ms = Vec::new();
    let mut lamp_ms = Vec::new();
    for n in 1..=30 {
        // let the pause between frames of the lamp go by: it is no part of the way
        std::thread::sleep(Duration::from_millis(100));
        signals.tell(&event(10 * n, EventKind::Move));
        let told = Instant::now();
        signals.tell(&event(10 * n + 1, EventKind::DoubleMove));
        console_ms.push(hear_alarm(&console, 10 * n + 1).at.saturating_duration_since(told).as_secs_f64() * 1e3);
        lamp_ms.push(hear_relay(&lamp, 3, true).saturating_duration_since(told).as_secs_f64() * 1e3);
        signals.tell(&about(10 * n + 2, EventKind::Decision, 10 * n + 1));
        hear_relay(&lamp, 3, false);
    }
    for (name, times) in [("console", &mut console_ms), ("lamp", &mut lamp_ms)] {
        times.sort_by(f64::total_cmp);
        let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
        println!(
            "event told -> bytes taken in by the {name}: median {median:.2} ms, worst of {} {worst:.2} ms",
            times.len()
        );
        // the promise is 5 ms; a machine that is busy with other tests is given more
        assert!(median < 25.0, "{name}: median {median} ms");
    }
}

#[test]
fn lost_acknowledgements_and_lines_are_made_up_for() {
    let faults = Faults { drop: 0.2, noise: 0.005, delay_ms: 3, seed: 11, ..Faults::default() };
    let console = Console::spawn(EmulatorOptions { faults, ..EmulatorOptions::default() }).unwrap();
    let signals = spawn(vec![console_at(console.path())]);
    for n in 1..=6 {
        signals.tell(&event(n, EventKind::Takeback));
        hear_alarm(&console, n);
        console.press(Button::Accept, Some(n));
        let input = signals.inputs().recv_timeout(PATIENCE).unwrap();
        assert_eq!((input.button, input.alarm), (Button::Accept, Some(n)));
        signals.tell(&about(100 + n, EventKind::Decision, n));
    }
    assert!(signals.inputs().try_recv().is_err(), "no button twice");
    assert!(signals.status()[0].repeats > 0);
}

#[test]
fn a_silent_console_is_told_and_holds_up_nobody() {
    let console = Console::spawn(EmulatorOptions::default()).unwrap();
    let lamp = Lamp::spawn(EmulatorOptions::default()).unwrap();
    let signals = spawn(vec![console_at(console.path()), lamp_at(lamp.path())]);
    hear_state(&console, State::Idle);
    console.set_silent(true);
    let report = signals.reports().recv_timeout(PATIENCE).unwrap();
    assert!(report.degraded && report.sink == "console", "{report:?}");
    assert!(report.text.en.contains("answers") && report.text.zh.contains("没有应答"), "{report:?}");
    assert_eq!(state_of(&signals, "console"), DeviceState::Silent);
    let told = Instant::now();
    signals.tell(&event(1, EventKind::DoubleMove));
    let lit = hear_relay(&lamp, 3, true);
    assert!(lit - told < Duration::from_millis(200), "{:?}", lit - told);
    console.set_silent(false);
    hear_alarm(&console, 1);
    let report = signals.reports().recv_timeout(PATIENCE).unwrap();
    assert!(!report.degraded && report.sink == "console", "{report:?}");
    assert_eq!(state_of(&signals, "console"), DeviceState::Up);
}

/// How often plugs are pulled: 100 by hand with `GOBAND_UNPLUG=100`.
fn rounds() -> u64 {
    std::env::var("GOBAND_UNPLUG").ok().and_then(|n| n.parse().ok()).unwrap_or(4)
}

#[test]
fn pulled_plugs_lose_no_alarm_and_double_none() {
    let dir = tempfile::tempdir().unwrap();
    let console = Console::spawn(linked(dir.path(), "console", Faults::default())).unwrap();
    let lamp = Lamp::spawn(linked(dir.path(), "lamp", Faults::default())).unwrap();
    let signals = spawn(vec![console_at(console.path()), lamp_at(lamp.path())]);
    hear_state(&console, State::Idle);
    let mut expected = 0;
    for round in 0..rounds() {
        console.unplug();
        lamp.unplug();
        wait_for("the links are gone", || {
            !dir.path().join("console").is_symlink() && !dir.path().join("lamp").is_symlink()
        });
        if round % 3 == 0 {
            wait_for("the loss is noticed", || state_of(&signals, "console") != DeviceState::Up);
        }
        // while it is away
        expected += 1;
        signals.tell(&event(expected, EventKind::DoubleMove));
        console.plug();
        lamp.plug();
        hear_alarm(&console, expected);
        hear_relay(&lamp, 3, true);
        // and while it is there
        expected += 1;
        signals.tell(&event(expected, EventKind::Takeback));
        hear_alarm(&console, expected);
        for n in [expected - 1, expected] {
            signals.tell(&about(10_000 + n, EventKind::Decision, n));
        }
        hear_state(&console, State::Idle);
    }
    // `hear_alarm` fails on an alarm that is not due: none came twice
    let status = signals.status();
    assert!(status.iter().all(|d| d.opened > rounds()), "{status:?}");
    wait_for("all is well", || signals.status().iter().all(|d| d.state == DeviceState::Up));
}

#[test]
fn a_restarted_goband_does_not_alarm_again() {
    let console = Console::spawn(EmulatorOptions::default()).unwrap();
    let lamp = Lamp::spawn(EmulatorOptions::default()).unwrap();
    let devices = vec![console_at(console.path()), lamp_at(lamp.path())];
    let first = spawn(devices.clone());
    first.tell(&event(1, EventKind::DoubleMove));
    hear_alarm(&console, 1);
    hear_relay(&lamp, 3, true);
    hear_relay(&lamp, 4, true);
    drop(first);
    hear_relay(&lamp, 3, false);
    hear_relay(&lamp, 4, false);
    let second = spawn(devices);
    second.restore(&[event(1, EventKind::DoubleMove)]);
    hear(console.heard(), "the alarm, not as news", |h| match &h.what {
        What::Message { message: Message::Alarm(a), repeated } => {
            assert!(*repeated && a.alarm == 1);
            Some(())
        }
        _ => None,
    });
    hear_relay(&lamp, 3, true);
    second.tell(&event(2, EventKind::Takeback));
    hear_alarm(&console, 2);
    // the buzzer: silent for the old one, sounding for the new one
    hear_relay(&lamp, 4, true);
}

#[test]
fn wrong_ports_are_told_and_found_when_they_appear() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "precious").unwrap();
    let late = dir.path().join("late");
    let mut folder = console_at(dir.path());
    folder.name = Some("folder".into());
    let mut regular = lamp_at(&file);
    regular.name = Some("regular".into());
    let signals = spawn(vec![folder, regular, lamp_at(&late)]);
    let mut told: Vec<String> = (0..3).map(|_| signals.reports().recv_timeout(PATIENCE).unwrap().sink).collect();
    told.sort();
    assert_eq!(told, ["folder", "lamp", "regular"]);
    let status = signals.status();
    assert!(status.iter().all(|d| d.state == DeviceState::Down), "{status:?}");
    assert!(status[2].trouble.as_ref().unwrap().en.contains("not there"), "{status:?}");
    signals.tell(&event(1, EventKind::DoubleMove));
    std::thread::sleep(Duration::from_millis(300));
    assert!(signals.reports().try_recv().is_err(), "told once");
    let lamp = Lamp::spawn(linked(dir.path(), "late", Faults::default())).unwrap();
    hear_relay(&lamp, 3, true);
    let report = signals.reports().recv_timeout(PATIENCE).unwrap();
    assert!(!report.degraded && report.sink == "lamp", "{report:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
}

#[test]
fn a_stuck_device_delays_neither_the_others_nor_the_end() {
    let stuck =
        Lamp::spawn(EmulatorOptions { faults: Faults { stuck: true, ..Faults::default() }, link: None }).unwrap();
    let console = Console::spawn(EmulatorOptions::default()).unwrap();
    let mut chatty = lamp_at(stuck.path());
    (chatty.name, chatty.reassert_s) = (Some("stuck".into()), Some(1));
    let signals = spawn(vec![chatty, console_at(console.path())]);
    hear_state(&console, State::Idle);
    let mut worst = Duration::ZERO;
    for n in 1..=60 {
        let told = Instant::now();
        signals.tell(&event(n, EventKind::DoubleMove));
        assert!(told.elapsed() < Duration::from_millis(100), "telling never waits");
        worst = worst.max(hear_alarm(&console, n).at.saturating_duration_since(told));
        signals.tell(&about(1000 + n, EventKind::Decision, n));
    }
    assert!(worst < Duration::from_millis(200), "{worst:?}");
    let asked = Instant::now();
    signals.shutdown();
    assert!(asked.elapsed() < Duration::from_millis(1200), "{:?}", asked.elapsed());
}

#[test]
fn a_port_that_takes_nothing_is_told() {
    // nobody reads this end, and it is full before goband comes
    let (_board, mut slave) = TTYPort::pair().unwrap();
    slave.set_timeout(Duration::from_millis(50)).unwrap();
    let path = PathBuf::from(slave.name().unwrap());
    for _ in 0..4 {
        fill(&slave);
        // the system moves what was written on, and has room again
        std::thread::sleep(Duration::from_millis(50));
    }
    let mut lamp = lamp_at(&path);
    lamp.reassert_s = Some(1);
    let signals = spawn(vec![lamp]);
    let report = signals.reports().recv_timeout(PATIENCE).unwrap();
    assert!(report.degraded && report.text.en.contains("takes no data"), "{report:?}");
    assert_eq!(state_of(&signals, "lamp"), DeviceState::Silent);
}

/// Writes into a terminal until it takes no more.
fn fill(port: &TTYPort) {
    use std::os::fd::AsRawFd;
    let fd = port.as_raw_fd();
    // SAFETY: plain system calls on a descriptor that `port` keeps open, with a buffer of the given length.
    unsafe {
        let flags = libc::fcntl(fd, libc::F_GETFL);
        libc::fcntl(fd, libc::F_SETFL, flags | libc::O_NONBLOCK);
        while libc::write(fd, [0u8; 256].as_ptr().cast(), 256) > 0 {}
        while libc::write(fd, [0u8; 1].as_ptr().cast(), 1) > 0 {}
        libc::fcntl(fd, libc::F_SETFL, flags);
    }
}

#[test]
fn a_flood_of_garbage_does_not_keep_alarms_from_the_wire() {
    let (mut device, slave) = TTYPort::pair().unwrap();
    let path = PathBuf::from(slave.name().unwrap());
    let mut flooder = device.try_clone_native().unwrap();
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let flood = std::thread::spawn({
        let stop = stop.clone();
        move || {
            let garbage: Vec<u8> = (0..4096u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
            flooder.set_timeout(Duration::from_millis(20)).unwrap();
            // what a console would say, between the noise
            let hello = Message::Hello {
                version: 1,
                name: "noisy".into(),
                session: "1".into(),
                table: String::new(),
                game: String::new(),
            };
            let mut bytes = 0;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                for part in [&garbage[..], &hello.frame(0).encode()] {
                    let mut rest = part;
                    while !rest.is_empty() && !stop.load(std::sync::atomic::Ordering::Relaxed) {
                        let count = flooder.write(rest).unwrap_or(0);
                        rest = &rest[count..];
                        bytes += count;
                    }
                }
            }
            bytes
        }
    });
    let signals = spawn(vec![console_at(&path)]);
    wait_for("the console is heard through the noise", || state_of(&signals, "console") == DeviceState::Up);
    signals.tell(&event(5, EventKind::Suicide));
    let mut wire = Vec::new();
    let alarms = |wire: &[u8]| {
        let mut decoder = FrameDecoder::default();
        let frames: Vec<_> = wire.iter().filter_map(|&b| decoder.push(b)).flatten().collect();
        frames.iter().filter(|f| f.fields[0] == "ALARM" && f.fields[1] == "5").count()
    };
    // and again, because nobody acknowledges it
    read_until(&mut device, &mut wire, |wire| alarms(wire) >= 3);
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let bytes = flood.join().unwrap();
    assert!(signals.status()[0].rejected > 10, "{:?}", signals.status());
    println!("alarms got through {bytes} bytes of garbage");
}

#[test]
fn two_gobands_do_not_share_a_port() {
    let console = Console::spawn(EmulatorOptions::default()).unwrap();
    let first = spawn(vec![console_at(console.path())]);
    hear_state(&console, State::Idle);
    let second = spawn(vec![console_at(console.path())]);
    let report = second.reports().recv_timeout(PATIENCE).unwrap();
    assert!(report.degraded && report.text.en.contains("another program"), "{report:?}");
    drop(first);
    wait_for("the second takes over", || state_of(&second, "console") == DeviceState::Up);
}

#[test]
fn impossible_configurations_are_refused() {
    let twice = vec![DeviceConfig::new(DeviceKind::Lamp, "/dev/x"), DeviceConfig::new(DeviceKind::Console, "/dev/x")];
    let error = Signals::spawn(SignalConfig { devices: twice, ..SignalConfig::default() }).unwrap_err();
    assert!(error.to_string().contains("/dev/x"), "{error}");
    let empty = vec![DeviceConfig::new(DeviceKind::Lamp, "")];
    let error = Signals::spawn(SignalConfig { devices: empty, ..SignalConfig::default() }).unwrap_err();
    assert!(error.to_string().contains("signal.port"), "{error}");
    // no device at all is possible
    spawn(vec![]).tell(&event(1, EventKind::DoubleMove));
}

#[test]
fn emulators_overwrite_no_file_and_clean_up() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("console");
    fs::write(&link, "precious").unwrap();
    let refused = Console::spawn(linked(dir.path(), "console", Faults::default())).unwrap_err();
    assert!(refused.to_string().contains("not overwritten"), "{refused}");
    assert_eq!(fs::read_to_string(&link).unwrap(), "precious");
    fs::remove_file(&link).unwrap();
    symlink("/etc/hostname", &link).unwrap();
    assert!(Console::spawn(linked(dir.path(), "console", Faults::default())).is_err());
    fs::remove_file(&link).unwrap();
    // what a killed emulator leaves behind is taken over
    symlink("/dev/pts/999999", &link).unwrap();
    let console = Console::spawn(linked(dir.path(), "console", Faults::default())).unwrap();
    assert!(link.exists());
    drop(console);
    assert!(!link.is_symlink());
}

#[test]
fn what_was_sent_before_the_end_is_still_read() {
    let lamp = Lamp::spawn(EmulatorOptions::default()).unwrap();
    for round in 0..20 {
        let mut port = fs::OpenOptions::new().read(true).write(true).open(lamp.path()).unwrap();
        port.write_all(&[0xa0, 5, (round + 1) % 2, 0xa0 + 5 + (round + 1) % 2]).unwrap();
        drop(port);
        hear_relay(&lamp, 5, round % 2 == 0);
    }
}

/// Lines of the page's conversations: who says them, and the line.
fn examples() -> Vec<(&'static str, &'static str)> {
    include_str!("../docs/serial-protocol.md")
        .lines()
        .filter_map(|l| {
            let (who, line) = l.split_once(char::is_whitespace)?;
            matches!(who, "goband" | "console" | "clock")
                .then_some((who, line.trim()))
                .filter(|(_, line)| line.starts_with('$'))
        })
        .collect()
}

#[test]
fn every_example_of_the_page_is_exact() {
    let examples = examples();
    assert!(examples.len() > 50, "{}", examples.len());
    let mut types: Vec<String> = Vec::new();
    for (who, line) in examples {
        let bytes = format!("{line}\r\n").into_bytes();
        let mut decoder = FrameDecoder::default();
        let mut frames: Vec<_> = bytes.iter().filter_map(|&b| decoder.push(b)).collect();
        let Some(Ok(frame)) = frames.pop() else { panic!("{line}: {frames:?}") };
        let message = Message::of(&frame);
        assert!(!matches!(message, Message::Unknown(_)), "{line}: {message:?}");
        types.push(frame.fields[0].clone());
        // a device's HELLO has no game
        if who == "goband" || !matches!(&message, Message::Hello { .. }) {
            assert_eq!(String::from_utf8(message.frame(frame.seq).encode()).unwrap(), format!("{line}\r\n"));
        }
    }
    for needed in [
        "HELLO",
        "BEAT",
        "BYE",
        "ACK",
        "NAK",
        "ALARM",
        "SEEN",
        "CLEAR",
        "STATE",
        "MOVE",
        "BUTTON",
        "CLOCKSTOP",
        "CLOCKRUN",
        "SAY",
        "PRESS",
        "TIME",
    ] {
        assert!(types.iter().any(|t| t == needed), "{needed} has no example");
    }
    let page = include_str!("../docs/serial-protocol.md");
    // the line that must be rejected
    let wrong = page.lines().find_map(|l| l.strip_prefix("wrong")).unwrap().trim();
    let mut decoder = FrameDecoder::default();
    let found = format!("{wrong}\r\n").bytes().filter_map(|b| decoder.push(b)).last();
    assert_eq!(found, Some(Err(Rejected::Crc)));
    // the heartbeat, byte by byte
    let hex = page.lines().find(|l| l.starts_with("24 30 2C")).unwrap();
    let bytes: Vec<u8> = hex.split(' ').map(|h| u8::from_str_radix(h, 16).unwrap()).collect();
    assert_eq!(bytes, Message::Beat { state: Some(State::Idle), tick: None }.frame(0).encode());
}

#[test]
fn a_console_built_from_the_page_alone_works() {
    // answers with the very bytes of the page, whatever it is asked
    let page: Vec<_> = examples();
    let (mut device, slave) = TTYPort::pair().unwrap();
    let path = PathBuf::from(slave.name().unwrap());
    let hello = page.iter().find(|(who, line)| *who == "console" && line.contains("HELLO")).unwrap().1;
    let signals = spawn(vec![console_at(&path)]);
    let mut wire = Vec::new();
    read_until(&mut device, &mut wire, |w| String::from_utf8_lossy(w).contains(",HELLO,1,goband"));
    device.write_all(format!("{hello}\n").as_bytes()).unwrap();
    read_until(&mut device, &mut wire, |w| String::from_utf8_lossy(w).contains(",STATE,idle,ok*"));
    wait_for("it is up", || state_of(&signals, "console") == DeviceState::Up);
    assert_eq!(signals.status()[0].peer.as_deref(), Some("Example console 1.0"));
    let button = page.iter().find(|(_, line)| line.contains("BUTTON")).unwrap().1;
    for _ in 0..3 {
        device.write_all(format!("{button}\r\n").as_bytes()).unwrap();
    }
    let input = signals.inputs().recv_timeout(PATIENCE).unwrap();
    assert_eq!((input.button, input.alarm), (Button::Acknowledge, Some(57)));
    let ack = page.iter().find(|(_, line)| line.contains("ACK,12*")).unwrap().1;
    wire.clear();
    read_until(&mut device, &mut wire, |w| String::from_utf8_lossy(w).matches(ack).count() == 3);
    assert!(signals.inputs().try_recv().is_err(), "three times the same line is one press");
}
