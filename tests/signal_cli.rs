//! Devices through the program: emulators on the wire, `check`, `devices`, and what a device shows of a daemon that hangs.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use goband::signal::emulator::{Console, Emulated, EmulatorOptions, Heard, Lamp, What};
use goband::signal::message::Message;
use serialport::TTYPort;

const GOBAND: &str = env!("CARGO_BIN_EXE_goband");

/// An emulator in a process of its own.
struct Emulator {
    child: Child,
    words: ChildStdin,
}

impl Emulator {
    fn start(kind: &str, link: &Path, more: &[&str]) -> Emulator {
        let mut child = Command::new(GOBAND)
            .args(["emulate", kind, "--link"])
            .arg(link)
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut first).unwrap();
        assert!(first.contains("emulated"), "{first}");
        // nobody reads on: the pipe has room enough for a test
        std::mem::forget(out);
        let words = child.stdin.take().unwrap();
        Emulator { child, words }
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn open(link: &Path) -> TTYPort {
    let path = fs::canonicalize(link).unwrap();
    let builder = serialport::new(path.to_string_lossy(), 9600).timeout(Duration::from_millis(50)).exclusive(false);
    TTYPort::open(&builder).unwrap()
}

/// Reads until `bytes` came.
fn expect(port: &mut TTYPort, bytes: &[u8]) {
    let deadline = Instant::now() + Duration::from_secs(10);
    let mut all = Vec::new();
    while !all.windows(bytes.len()).any(|w| w == bytes) {
        assert!(Instant::now() < deadline, "{bytes:02x?} did not come: {all:02x?}");
        let mut buffer = [0; 256];
        let count = port.read(&mut buffer).unwrap_or(0);
        all.extend_from_slice(&buffer[..count]);
    }
}

#[test]
fn the_emulated_board_speaks_as_boards_do() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("dgt");
    let mut board = Emulator::start("dgt", &link, &["--time", "300"]);
    let mut port = open(&link);
    port.write_all(&[0x4d]).unwrap();
    expect(&mut port, &[0x93, 0x00, 0x05]);
    port.write_all(&[0x41]).unwrap();
    expect(&mut port, &[0x8d, 0x00, 0x0a, 0x00, 0x05, 0x00, 0x00, 0x05, 0x00, 0x08]);
    // acknowledgements come in the updating modes only
    port.write_all(&[0x4b]).unwrap();
    port.write_all(&[0x2b, 0x03, 0x03, 0x09, 0x00]).unwrap();
    expect(&mut port, &[0x8d, 0x00, 0x0a, 0x0a, 0x10, 0x09, 0x0a, 0x22, 0x00, 0x00]);
    // left runs, and the lever changes sides
    port.write_all(&[0x2b, 0x0a, 0x03, 0x0a, 0x00, 0x05, 0x00, 0x00, 0x05, 0x00, 0x09, 0x00]).unwrap();
    expect(&mut port, &[0x8d, 0x00, 0x0a, 0x0a, 0x10, 0x0a, 0x0a, 0x00, 0x00, 0x00]);
    expect(&mut port, &[0x8d, 0x00, 0x0a, 0x00, 0x05, 0x00, 0x00, 0x04, 0x59, 0x09]);
    board.words.write_all(b"press left\n").unwrap();
    expect(&mut port, &[0x13]);
    board.words.write_all(b"mode other\n").unwrap();
    std::thread::sleep(Duration::from_millis(200));
    port.write_all(&[0x2b, 0x0a, 0x03, 0x0a, 0x00, 0x05, 0x00, 0x00, 0x05, 0x00, 0x04, 0x00]).unwrap();
    expect(&mut port, &[0x8d, 0x00, 0x0a, 0x0a, 0x40, 0x0a, 0x0a, 0x00, 0x00, 0x00]);
    board.words.write_all(b"clock gone\n").unwrap();
    std::thread::sleep(Duration::from_millis(200));
    port.write_all(&[0x41]).unwrap();
    expect(&mut port, &[0x8d, 0x00, 0x0a, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20]);
}

fn check(config: &Path, more: &[&str]) -> Output {
    Command::new(GOBAND).arg("check").arg(config).args(more).output().unwrap()
}

#[test]
fn check_says_what_answers_and_what_does_not() {
    let dir = tempfile::tempdir().unwrap();
    let _clock = Emulator::start("clock", &dir.path().join("clock"), &[]);
    let _board = Emulator::start("modbus", &dir.path().join("modbus"), &[]);
    let _mute = Emulator::start("console", &dir.path().join("mute"), &["--silent"]);
    let config = dir.path().join("goband.toml");
    let signal = |kind: &str, port: &str| {
        let port = if port.contains(':') { port.to_owned() } else { dir.path().join(port).display().to_string() };
        format!("[[signal]]\nkind = \"{kind}\"\nport = \"{port}\"\n")
    };
    let head = "[source]\nfrom = \"virtual\"\n[feed]\nlisten = \"127.0.0.1:0\"\n";
    fs::write(&config, format!("{head}{}{}", signal("clock", "clock"), signal("modbus", "modbus"))).unwrap();
    let all = check(&config, &[]);
    let text = String::from_utf8_lossy(&all.stdout).into_owned();
    assert_eq!(all.status.code(), Some(0), "{text}");
    assert!(text.contains("a clock answers: emulated clock") && text.contains("棋钟有应答"), "{text}");
    assert!(text.contains("board 1 answers") && text.contains("继电器板有应答"), "{text}");
    let text = String::from_utf8_lossy(&check(&config, &["--language", "zh"]).stdout).into_owned();
    assert!(text.contains("有应答") && !text.contains("answers"), "{text}");
    let wrong = format!("{head}{}{}", signal("console", "mute"), signal("lamp", "usb:FFFF:FFFE"));
    fs::write(&config, wrong).unwrap();
    let bad = check(&config, &[]);
    let text = String::from_utf8_lossy(&bad.stdout).into_owned();
    assert_eq!(bad.status.code(), Some(1), "{text}");
    assert!(text.contains("no console answers") && text.contains("没有应答"), "{text}");
    assert!(text.contains("usb:FFFF:FFFE") && text.contains("plug it in"), "{text}");
    // the configuration itself
    for (line, parts) in [
        ("[alarms]\npriority = [\"idle\"]\n", ["alarms.priority", "each once"]),
        ("[clock]\nstop = \"always\"\n", ["line", "infractions"]),
        ("[[signal]]\nkind = \"dgt\"\nport = \"x\"\nleft = \"up\"\n", ["left", "white"]),
    ] {
        fs::write(&config, format!("{head}{line}")).unwrap();
        let refused = check(&config, &[]);
        let text = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{text}");
        assert!(parts.iter().all(|p| text.contains(p)), "{text}");
    }
    let list = Command::new(GOBAND).arg("devices").output().unwrap();
    assert!(list.status.success() && String::from_utf8_lossy(&list.stdout).contains("serial ports"));
}

#[test]
fn a_daemon_that_hangs_or_is_killed_is_shown_by_every_device_within_the_heartbeat_time() {
    let dir = tempfile::tempdir().unwrap();
    let console = Console::spawn(EmulatorOptions::default()).unwrap();
    let clock = Emulated::clock("600".parse().unwrap(), EmulatorOptions::default()).unwrap();
    // relays have no heartbeat of their own: a timer behind one of them has
    let lamp = Lamp::spawn_timed(5, EmulatorOptions::default()).unwrap();
    let config = dir.path().join("goband.toml");
    let wire = dir.path().join("wire.log");
    let mut text = String::from("[source]\nfrom = \"virtual\"\n[feed]\nlisten = \"127.0.0.1:0\"\n");
    for (kind, path) in [("console", console.path()), ("clock", clock.path()), ("lamp", lamp.path())] {
        text.push_str(&format!("[[signal]]\nkind = {kind:?}\nport = {path:?}\n"));
    }
    text.push_str("channels = { green = 1, amber = 2, red = 3, buzzer = 4, white = 5 }\n");
    text.push_str("show = { heartbeat = [\"white blink\"] }\n");
    fs::write(&config, text).unwrap();
    let mut daemon = Command::new(GOBAND)
        .args(["run", "--config"])
        .arg(&config)
        .arg("--wire-log")
        .arg(&wire)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pid = libc::pid_t::try_from(daemon.id()).unwrap();
    let signal = |number| {
        // SAFETY: a signal to a process that this test started and has not waited for.
        assert_eq!(unsafe { libc::kill(pid, number) }, 0);
    };
    let hear = |heard: &Receiver<Heard>, what: &str, wanted: &dyn Fn(&What) -> bool| {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let heard = heard.recv_deadline(deadline).unwrap_or_else(|_| panic!("waited in vain: {what}"));
            if wanted(&heard.what) {
                return heard.at;
            }
        }
    };
    let devices = [("console", console.heard()), ("clock", clock.heard()), ("lamp", lamp.heard())];
    let is_life = |w: &What| match w {
        What::Message { message: Message::Beat { state: Some(_), .. }, .. } | What::Supply { on: true } => true,
        // the board's timer may not have run out before goband came
        What::Relay { channel: 5, changed, .. } => *changed,
        _ => false,
    };
    let is_alarm = |w: &What| matches!(w, What::NoGoband | What::Supply { on: false });
    let alive = |what: &str| {
        for (name, heard) in &devices {
            hear(heard, &format!("{name} {what}"), &is_life);
        }
    };
    let shown_after = |since: Instant, what: &str| {
        for (name, heard) in &devices {
            let seconds = hear(heard, &format!("{name} shows it"), &is_alarm).duration_since(since).as_secs_f64();
            println!("{what}: the {name} shows it after {seconds:.2} s");
            assert!(seconds < 3.6, "{what}: the {name} shows it after {seconds:.2} s");
        }
    };
    alive("hears goband");
    signal(libc::SIGSTOP);
    let frozen = Instant::now();
    // what came before the stop is no sign of life
    for (_, heard) in &devices {
        heard.try_iter().for_each(drop);
    }
    shown_after(frozen, "frozen");
    signal(libc::SIGCONT);
    alive("hears goband again");
    signal(libc::SIGKILL);
    let killed = Instant::now();
    for (_, heard) in &devices {
        heard.try_iter().for_each(drop);
    }
    shown_after(killed, "killed");
    daemon.wait().unwrap();
    let log = fs::read_to_string(&wire).unwrap();
    assert!(log.lines().any(|l| l.contains("  >  24 30 2c 48 45 4c 4c 4f")), "the HELLO is in the log");
}

#[test]
fn the_configuration_page_is_a_configuration() {
    let page = include_str!("../docs/configuration.md");
    let toml: Vec<&str> = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap().lines().collect();
    let parse = |text: &str| goband::service::Config::parse(text, "the page").unwrap_or_else(|e| panic!("{e}"));
    let config = parse(&toml.join("\n"));
    assert_eq!(config.signal.len(), 4);
    // and with every key that is commented out
    let is_key = |l: &str| l.split(" = ").next().is_some_and(|k| k.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
    let all: Vec<&str> = toml.iter().map(|l| l.strip_prefix("# ").filter(|rest| is_key(rest)).unwrap_or(l)).collect();
    let lamp_only = ["unit = 1", "left = "];
    let all: Vec<&str> = all.into_iter().filter(|l| !lamp_only.iter().any(|key| l.starts_with(key))).collect();
    let config = parse(&all.join("\n"));
    assert!(config.clock.main.is_some() && config.alarms.wire_log.is_some() && config.signal[1].show.is_some());
}
