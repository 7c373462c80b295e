//! Clocks, towers and ports through the public API, over pseudo-terminals.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use goband::game::{Event, EventKind, Interval, Text};
use goband::rules::time::TimeNotice;
use goband::rules::{Color, Ruleset};
use goband::signal::clock::{ClockInBreak, OrderedBy, Phase};
use goband::signal::emulator::{Emulated, EmulatorOptions, Faults, Heard, What};
use goband::signal::message::Message;
use goband::signal::port::Places;
use goband::signal::{
    AlarmsConfig, Button, ClockConfig, ClockPress, DeviceConfig, DeviceKind, DeviceState, SignalConfig, Signals, probe,
};

const PATIENCE: Duration = Duration::from_secs(20);

fn event(seq: u64, kind: EventKind) -> Event {
    let mut e = Event::new(kind, Interval { first: seq, last: seq }, seq, 0.99);
    (e.seq, e.color) = (seq, Some(Color::Black));
    e.text = Some(Text { en: format!("{} {seq}", kind.name()), zh: format!("事件{seq}") });
    e
}

fn decided(seq: u64, of: u64) -> Event {
    Event { of: Some(of), ..event(seq, EventKind::Decision) }
}

fn device(kind: DeviceKind, name: &str, path: &Path) -> DeviceConfig {
    DeviceConfig { name: Some(name.into()), ..DeviceConfig::new(kind, path.to_string_lossy()) }
}

fn config(devices: Vec<DeviceConfig>) -> SignalConfig {
    SignalConfig {
        devices,
        table: "table-1".into(),
        game: "game-1".into(),
        alarms: AlarmsConfig { min_on_ms: 0, ..AlarmsConfig::default() },
        ruleset: Some(Arc::new(Ruleset::builtin("team-relay").unwrap())),
        ..SignalConfig::default()
    }
}

fn spawn(devices: Vec<DeviceConfig>) -> Signals {
    Signals::spawn(config(devices)).unwrap()
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn hear<T>(heard: &Receiver<Heard>, what: &str, wanted: impl Fn(&Heard) -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let heard = heard.recv_deadline(deadline).unwrap_or_else(|_| panic!("waited in vain for {what}"));
        if let Some(found) = wanted(&heard) {
            return found;
        }
    }
}

fn press(signals: &Signals) -> ClockPress {
    signals.presses().recv_timeout(PATIENCE).expect("no press came")
}

fn running(signals: &Signals) -> Option<Color> {
    signals.clock().and_then(|c| c.reading.running)
}

fn has_stopped(signals: &Signals) -> bool {
    signals.clock().is_some_and(|c| c.stopped && c.reading.running.is_none())
}

/// The clocks, each with what its players do, and how exactly a press is dated.
fn clocks() -> [(DeviceKind, Emulated, [&'static str; 4], u32); 3] {
    let options = EmulatorOptions::default;
    let line = ["run b", "press b", "press w", "stand"];
    let board = ["run left", "press left", "press right", "stand"];
    [
        (DeviceKind::Clock, Emulated::clock("600+3x30".parse().unwrap(), options()).unwrap(), line, 10),
        (DeviceKind::Dgt, Emulated::dgt("600".parse().unwrap(), options()).unwrap(), board, 1000),
        (DeviceKind::Dgt3000, Emulated::dgt3000("600".parse().unwrap(), options()).unwrap(), board, 100),
    ]
}

#[test]
fn presses_come_in_with_their_uncertainty_and_an_infraction_stops_the_clock() {
    for (kind, clock, [run, press_black, press_white, _], uncertainty_ms) in clocks() {
        let signals = spawn(vec![device(kind, "clock", clock.path())]);
        wait_for("the clock is read", || signals.clock().is_some());
        clock.input(run);
        wait_for("it runs", || running(&signals) == Some(Color::Black));
        for (words, side) in [(press_black, Color::Black), (press_white, Color::White)] {
            // a real clock is not pressed sooner
            std::thread::sleep(Duration::from_millis(1500));
            let before = Instant::now();
            clock.input(words);
            let press = press(&signals);
            assert_eq!((press.side, press.device.as_str()), (side, "clock"));
            let slack = Duration::from_millis(u64::from(press.uncertainty_ms) + 50);
            assert!(press.at + Duration::from_millis(5) >= before && press.at <= before + slack + slack, "{kind:?}");
            assert!(press.uncertainty_ms <= uncertainty_ms.max(40), "{kind:?}: {press:?}");
        }
        wait_for("Black runs again", || running(&signals) == Some(Color::Black));
        signals.tell(&event(7, EventKind::DoubleMove));
        wait_for("it stands", || has_stopped(&signals));
        assert!(signals.resume_clock(OrderedBy::Operator("test".into())));
        wait_for("it goes on", || running(&signals) == Some(Color::Black));
        signals.tell(&event(8, EventKind::StoneOffPoint));
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(running(&signals), Some(Color::Black), "a notice stops nothing");
        assert!(signals.clock().unwrap().text().en.contains("Black runs"));
    }
}

#[test]
fn a_stop_is_on_the_wire_within_milliseconds_whatever_the_others_do() {
    let clock = Emulated::clock("600".parse().unwrap(), EmulatorOptions::default()).unwrap();
    let tower = Emulated::tower(EmulatorOptions::default()).unwrap();
    // two that never answer, one that does not even take what is sent
    let mute = |faults| Emulated::dgt("600".parse().unwrap(), EmulatorOptions { link: None, faults }).unwrap();
    let silent = mute(Faults { silent: true, ..Faults::default() });
    let stuck = mute(Faults { stuck: true, ..Faults::default() });
    let signals = spawn(vec![
        device(DeviceKind::Dgt, "silent", silent.path()),
        device(DeviceKind::Console, "stuck", stuck.path()),
        device(DeviceKind::Clock, "clock", clock.path()),
        device(DeviceKind::Tower, "tower", tower.path()),
    ]);
    wait_for("the clock is read", || signals.clock().is_some());
    let (mut clock_ms, mut tower_ms) = (Vec::new(), Vec::new());
    for n in 1..=40 {
        clock.input("run b");
        wait_for("it runs", || running(&signals).is_some());
        std::thread::sleep(Duration::from_millis(60));
        let told = Instant::now();
        signals.tell(&event(10 * n, EventKind::DoubleMove));
        let stopped = hear(clock.heard(), "the stop", |h| match &h.what {
            What::Message { message: Message::ClockStop { because, .. }, repeated: false } => {
                assert_eq!(*because, 10 * n, "no stop comes twice");
                Some(h.at)
            }
            _ => None,
        });
        clock_ms.push(stopped.saturating_duration_since(told).as_secs_f64() * 1e3);
        let red = hear(tower.heard(), "red", |h| match h.what {
            What::Tower { lamp: "red", action: goband::signal::tower::Action::On, changed: true } => Some(h.at),
            _ => None,
        });
        tower_ms.push(red.saturating_duration_since(told).as_secs_f64() * 1e3);
        signals.tell(&decided(10 * n + 1, 10 * n));
    }
    for (name, times) in [("clock", &mut clock_ms), ("tower", &mut tower_ms)] {
        times.sort_by(f64::total_cmp);
        let (median, p99) = (times[times.len() / 2], times[times.len() * 99 / 100]);
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        println!(
            "event told -> taken in by the {name}: median {median:.2} ms, 99th percentile {p99:.2} ms; load {load}"
        );
        // the promise is 5 ms; a machine that is busy with other tests is given more
        assert!(median < 25.0, "{name}: median {median} ms");
    }
}

#[test]
fn pulled_plugs_lose_no_stop_and_double_none() {
    let dir = tempfile::tempdir().unwrap();
    let options = EmulatorOptions { link: Some(dir.path().join("clock")), ..EmulatorOptions::default() };
    let clock = Emulated::clock("3600".parse().unwrap(), options).unwrap();
    let signals = spawn(vec![device(DeviceKind::Clock, "clock", clock.path())]);
    wait_for("the clock is read", || signals.clock().is_some());
    // 100 by hand: GOBAND_ROUNDS=100
    let rounds = std::env::var("GOBAND_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(12u64);
    let mut stops = 0;
    clock.input("run b");
    wait_for("it runs", || running(&signals).is_some());
    for round in 1..=rounds {
        if round % 2 == 0 {
            clock.unplug();
            std::thread::sleep(Duration::from_millis(20));
        }
        signals.tell(&event(round, EventKind::DoubleMove));
        if round % 2 == 1 {
            clock.unplug();
        }
        std::thread::sleep(Duration::from_millis(round * 7 % 40));
        clock.plug();
        wait_for("it stands", || has_stopped(&signals));
        // by hand, and the plug once more: it is not stopped again
        clock.input("run b");
        wait_for("it runs again", || running(&signals).is_some());
        clock.unplug();
        std::thread::sleep(Duration::from_millis(20));
        clock.plug();
        let opened = signals.status()[0].opened;
        wait_for("it is there", || signals.status()[0].opened > opened || signals.status()[0].state == DeviceState::Up);
        signals.tell(&decided(1000 + round, round));
        for heard in clock.heard().try_iter() {
            if let What::Message { message: Message::ClockStop { because, .. }, repeated: false } = heard.what {
                stops += 1;
                assert_eq!(because, round, "a stop of before");
            }
        }
    }
    assert_eq!(stops, rounds, "each stop once");
    println!("{rounds} times unplugged: {stops} stops");
}

/// A system whose tables say that the USB device is called `name` now.
fn plug_usb(places: &Places, name: &str, port: &Path) {
    let usb = places.sys.join("devices/usb1/1-2");
    let _ = fs::remove_dir_all(&places.sys);
    let _ = fs::remove_dir_all(&places.dev);
    let tty = usb.join("1-2:1.0").join(name).join("tty").join(name);
    fs::create_dir_all(&tty).unwrap();
    fs::create_dir_all(places.sys.join("class/tty")).unwrap();
    fs::create_dir_all(&places.dev).unwrap();
    fs::write(usb.join("idVendor"), "2341\n").unwrap();
    fs::write(usb.join("idProduct"), "0043\n").unwrap();
    symlink(tty.parent().unwrap().parent().unwrap(), tty.join("device")).unwrap();
    symlink(&tty, places.sys.join("class/tty").join(name)).unwrap();
    symlink(port, places.dev.join(name)).unwrap();
}

#[test]
fn a_device_that_comes_back_under_another_name_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let places = Places { sys: dir.path().join("sys"), dev: dir.path().join("dev") };
    let options = EmulatorOptions { link: Some(dir.path().join("port")), ..EmulatorOptions::default() };
    let clock = Emulated::clock("600".parse().unwrap(), options).unwrap();
    plug_usb(&places, "ttyACM0", clock.path());
    let port = DeviceConfig { name: Some("clock".into()), ..DeviceConfig::new(DeviceKind::Clock, "usb:2341:0043") };
    let signals = Signals::spawn(SignalConfig { places: places.clone(), ..config(vec![port]) }).unwrap();
    wait_for("it is up", || signals.status()[0].state == DeviceState::Up);
    for name in ["ttyACM7", "ttyACM1"] {
        clock.unplug();
        wait_for("it is gone", || !dir.path().join("port").is_symlink());
        fs::remove_dir_all(&places.dev).unwrap();
        wait_for("that is noticed", || signals.status()[0].state == DeviceState::Down);
        let trouble = signals.status()[0].trouble.clone().unwrap();
        assert!(trouble.en.contains("usb:2341:0043") && trouble.en.contains("plug it in"), "{trouble:?}");
        clock.plug();
        wait_for("it is back", || dir.path().join("port").is_symlink());
        plug_usb(&places, name, clock.path());
        wait_for("it is up again", || signals.status()[0].state == DeviceState::Up);
    }
}

#[test]
fn every_byte_can_be_logged() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("wire.log");
    let board = Emulated::dgt("600".parse().unwrap(), EmulatorOptions::default()).unwrap();
    let alarms = AlarmsConfig { wire_log: Some(log.clone()), ..AlarmsConfig::default() };
    let devices = vec![device(DeviceKind::Dgt, "board 1", board.path())];
    let signals = Signals::spawn(SignalConfig { alarms, ..config(devices) }).unwrap();
    wait_for("the clock is read", || signals.clock().is_some());
    wait_for("the clock's version", || signals.status()[0].peer.as_deref().is_some_and(|p| p.contains("clock 2.2")));
    signals.shutdown();
    let text = fs::read_to_string(&log).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.iter().any(|l| l.ends_with("  >  2b 03 03 09 00  board 1")), "{text}");
    assert!(lines.iter().any(|l| l.contains("  <  ") && l.contains("8d 00 0a 0a 10 09 0a 22 00 00")), "{text}");
    assert!(lines.iter().all(|l| l.starts_with("20") && l.as_bytes()[23] == b'Z'), "{text}");
}

#[test]
fn the_software_clock_runs_by_presses_of_any_device() {
    let adapter = Emulated::clock("600".parse().unwrap(), EmulatorOptions::default()).unwrap();
    let clock: ClockConfig = toml::from_str("software = true\nmain = \"2s\"\nperiods = 2\nperiod = \"3s\"").unwrap();
    let devices = vec![device(DeviceKind::Clock, "clock", adapter.path())];
    let signals = Signals::spawn(SignalConfig { clock, ..config(devices) }).unwrap();
    wait_for("the adapter is there", || signals.status()[0].state == DeviceState::Up);
    let face = || signals.clock().unwrap().reading;
    wait_for("the clock is read", || signals.clock().is_some());
    assert_eq!((face().running, face().times.black.ms), (None, 2000));
    adapter.input("press w");
    assert_eq!(press(&signals).side, Color::White);
    wait_for("Black's time runs", || face().running == Some(Color::Black));
    let told = |wanted: fn(&TimeNotice) -> bool| {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let said = signals.clock_effects().recv_deadline(deadline).expect("nothing is said");
            if wanted(&said.effect.what) {
                return said.at;
            }
        }
    };
    let start = told(|w| matches!(w, TimeNotice::Started { turn: Color::Black }));
    let begins = told(|w| matches!(w, TimeNotice::ByoyomiBegins { .. }));
    assert_eq!(begins.duration_since(start), Duration::from_millis(2000));
    hear(adapter.heard(), "the call", |h| match &h.what {
        What::Message { message: Message::Say { kind, short, .. }, .. } => {
            (kind == "period" && short == "BYO 2").then_some(())
        }
        _ => None,
    });
    adapter.input("press b");
    press(&signals);
    wait_for("White's time runs", || face().running == Some(Color::White));
    assert_eq!(face().times.black.phase, Phase::Period(2));
    // the referee's button
    adapter.press(Button::Stop, None);
    wait_for("it stands", || face().running.is_none());
    adapter.press(Button::Resume, None);
    wait_for("it goes on", || face().running == Some(Color::White));
    // an infraction stops it, too
    signals.tell(&event(9, EventKind::DoubleMove));
    wait_for("it stands again", || has_stopped(&signals));
    assert!(signals.clock().unwrap().drift.is_none(), "goband has no drift against itself");
}

/// It ran on through breaks.
#[test]
fn the_software_clock_stands_for_a_break_and_goes_on_with_play() {
    let adapter = Emulated::clock("600".parse().unwrap(), EmulatorOptions::default()).unwrap();
    let clock: ClockConfig = toml::from_str("software = true\nmain = \"60s\"\nperiods = 2\nperiod = \"30s\"").unwrap();
    let devices = vec![device(DeviceKind::Clock, "clock", adapter.path())];
    let signals = Signals::spawn(SignalConfig { clock, ..config(devices) }).unwrap();
    wait_for("the adapter is there", || signals.status()[0].state == DeviceState::Up);
    let face = || signals.clock().unwrap().reading;
    adapter.input("press w");
    wait_for("Black's time runs", || face().running == Some(Color::Black));
    signals.break_begins(20, true);
    wait_for("both sides stand", || face().running.is_none());
    assert_eq!(signals.clock_deeds().recv_timeout(PATIENCE).unwrap().deed.by, OrderedBy::Break(20));
    let stands = face().times;
    hear(adapter.heard(), "the display is told", |h| match &h.what {
        What::Message { message: Message::ClockStop { because: 0, .. }, .. } => Some(()),
        _ => None,
    });
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(face().times, stands, "no time runs");
    assert!(signals.break_ends(21, true));
    wait_for("Black's time goes on", || face().running == Some(Color::Black));
    let deed = signals.clock_deeds().recv_timeout(PATIENCE).unwrap().deed;
    assert_eq!((deed.by, deed.order.run), (OrderedBy::Break(21), Some(Color::Black)));
    // the operator wants it to run through the next break
    signals.break_begins(22, false);
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(face().running, Some(Color::Black));
    assert!(signals.break_ends(23, true));
}

#[test]
fn a_break_stops_every_clock_that_can_be_told() {
    assert_eq!(spawn(vec![]).clock_in_break(), ClockInBreak::Unknown);
    for (kind, clock, [run, ..], _) in clocks() {
        let signals = spawn(vec![device(kind, "clock", clock.path())]);
        wait_for("the clock is read", || signals.clock().is_some());
        clock.input(run);
        wait_for("it runs", || running(&signals) == Some(Color::Black));
        // between sections the clock stands (team relay); other rulesets leave it to the players
        assert_eq!(signals.clock_in_break(), ClockInBreak::ToBeStopped);
        signals.break_begins(20, true);
        wait_for("it stands", || has_stopped(&signals));
        assert!(signals.break_ends(21, true));
        wait_for("it goes on", || running(&signals) == Some(Color::Black));
    }
    let [(kind, clock, [run, ..], _), ..] = clocks();
    let ruleset = Some(Arc::new(Ruleset::builtin("cwa").unwrap()));
    let devices = vec![device(kind, "clock", clock.path())];
    let signals = Signals::spawn(SignalConfig { ruleset, ..config(devices) }).unwrap();
    wait_for("the clock is read", || signals.clock().is_some());
    clock.input(run);
    wait_for("it runs", || running(&signals) == Some(Color::Black));
    assert_eq!(signals.clock_in_break(), ClockInBreak::LeftAlone);
}

#[test]
fn a_software_clock_needs_the_times_of_the_competition() {
    let clock: ClockConfig = toml::from_str("software = true").unwrap();
    let error = Signals::spawn(SignalConfig { clock, ..config(vec![]) }).unwrap_err().to_string();
    assert!(error.contains("clock.main") && error.contains("competition"), "{error}");
}

#[test]
fn probing_says_in_both_languages_what_is_there() {
    let says = |kind, path: &Path| probe(&device(kind, "x", path), &Places::default());
    for (kind, clock, ..) in clocks() {
        let found = says(kind, clock.path());
        assert!(found.is_well && found.text.en.contains("it shows Black 0:10:00"), "{found:?}");
        assert!(found.text.zh.contains("有应答"), "{found:?}");
    }
    let tower = Emulated::tower(EmulatorOptions::default()).unwrap();
    let found = says(DeviceKind::Tower, tower.path());
    assert!(found.is_well && found.text.en.contains("answers nothing"), "{found:?}");
    // a lamp where a console should be
    let found = says(DeviceKind::Console, tower.path());
    assert!(
        !found.is_well && found.text.en.contains("no console answers") && found.text.zh.contains("没有应答"),
        "{found:?}"
    );
    let found = says(DeviceKind::Modbus, tower.path());
    assert!(!found.is_well && found.text.en.contains("`unit`"), "{found:?}");
    let lines: DeviceConfig =
        toml::from_str(&format!("kind = \"lines\"\nport = {:?}\noutputs = {{ dtr = \"red\" }}", tower.path())).unwrap();
    let found = probe(&lines, &Places::default());
    assert!(!found.is_well && found.text.en.contains("no DTR"), "{found:?}");
    let found = says(DeviceKind::Lamp, Path::new("/dev/not-there"));
    assert!(!found.is_well && found.text.en.contains("plug it in") && found.text.zh.contains("不存在"), "{found:?}");
}
