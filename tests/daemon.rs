//! The daemon as a process: killed, unplugged, misconfigured. Its camera is an MJPEG stream that this test serves from the
//! virtual board, so the board goes on while the daemon is dead.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use goband::game::{EventKind, GameState};
use goband::service;
use image::codecs::jpeg::JpegEncoder;

const FPS: f64 = 6.0;

/// The virtual demo board as a network camera. Its time stands still on demand.
struct Camera {
    address: SocketAddr,
    /// The picture that is shown now.
    frame: Arc<AtomicU64>,
    serving: Arc<AtomicBool>,
    fps: f64,
}

impl Camera {
    fn start() -> Camera {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let frame = Arc::new(AtomicU64::new(0));
        let serving = Arc::new(AtomicBool::new(true));
        let board = service::virtual_board(None).unwrap();
        let fps = board.fps();
        let shared = Arc::new(std::sync::Mutex::new((u64::MAX, Vec::<u8>::new(), board)));
        let (f, s) = (Arc::clone(&frame), Arc::clone(&serving));
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (f, s, shared) = (Arc::clone(&f), Arc::clone(&s), Arc::clone(&shared));
                std::thread::spawn(move || {
                    let jpeg = |n: u64| {
                        let mut shown = shared.lock().unwrap();
                        let (last, bytes, board) = &mut *shown;
                        if *last != n {
                            let (w, h) = board.size();
                            bytes.clear();
                            let rgb = &board.frame(n).data;
                            JpegEncoder::new_with_quality(&mut *bytes, 88)
                                .encode(rgb, w, h, image::ExtendedColorType::Rgb8)
                                .unwrap();
                            *last = n;
                        }
                        bytes.clone()
                    };
                    let _ = serve(client, &f, &s, jpeg);
                });
            }
        });
        Camera { address, frame, serving, fps }
    }

    /// Shows the game from second `from` to second `to`, in real time.
    fn play(&self, from: f64, to: f64) {
        let started = Instant::now();
        while started.elapsed().as_secs_f64() < to - from {
            let now = from + started.elapsed().as_secs_f64();
            self.frame.store((now * self.fps) as u64, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(40));
        }
        self.frame.store((to * self.fps) as u64, Ordering::Relaxed);
    }
}

fn serve(
    mut client: TcpStream,
    frame: &AtomicU64,
    serving: &AtomicBool,
    jpeg: impl Fn(u64) -> Vec<u8>,
) -> std::io::Result<()> {
    if !serving.load(Ordering::Relaxed) {
        return Ok(());
    }
    let mut head = [0u8; 1024];
    let _ = client.read(&mut head)?;
    client.write_all(b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\n\r\n")?;
    while serving.load(Ordering::Relaxed) {
        let bytes = jpeg(frame.load(Ordering::Relaxed));
        write!(client, "--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {}\r\n\r\n", bytes.len())?;
        client.write_all(&bytes)?;
        client.write_all(b"\r\n")?;
        std::thread::sleep(Duration::from_secs_f64(1.0 / FPS));
    }
    Ok(())
}

fn configure(folder: &Path, source: &str) -> std::path::PathBuf {
    let path = folder.join("goband.toml");
    let text =
        format!("[table]\nname = \"t\"\nsize = 9\n[source]\nfrom = \"{source}\"\n[feed]\nlisten = \"127.0.0.1:0\"\n");
    std::fs::write(&path, text).unwrap();
    path
}

struct Daemon {
    child: Child,
    page: SocketAddr,
}

impl Daemon {
    fn start(config: &Path) -> Daemon {
        let mut child = Command::new(env!("CARGO_BIN_EXE_goband"))
            .args(["run", "--config"])
            .arg(config)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut page = None;
        let mut line = String::new();
        while page.is_none() && out.read_line(&mut line).unwrap() > 0 {
            page = line.trim().strip_prefix("live page  http://").map(|a| a.trim_end_matches('/').parse().unwrap());
            line.clear();
        }
        std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
        Daemon { child, page: page.expect("the daemon says where its page is") }
    }

    /// What the page's clients are shown.
    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.page).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.page).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").map(|(_, body)| body.to_string()).unwrap_or_default()
    }

    /// Waits until a client of the page is shown an event of that kind.
    fn wait_for(&self, kind: &str, at_most: Duration) {
        let started = Instant::now();
        while !self.get("/api/events?after=0").contains(&format!("\"{kind}\"")) {
            assert!(started.elapsed() < at_most, "no {kind} after {at_most:?}: {}", self.get("/api/events?after=0"));
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Kill -9 in the middle of the game; the same game goes on and nothing that was shown is lost.
#[test]
fn a_killed_daemon_goes_on_with_the_same_game() {
    let folder = tempfile::tempdir().unwrap();
    let camera = Camera::start();
    let config = configure(folder.path(), &format!("http://{}/video", camera.address));
    let mut daemon = Daemon::start(&config);
    daemon.wait_for("board_found", Duration::from_secs(60));
    camera.play(0.0, 9.0);
    daemon.wait_for("move", Duration::from_secs(20));
    let shown: Vec<serde_json::Value> = events(&daemon);
    daemon.child.kill().unwrap();
    daemon.child.wait().unwrap();

    // the players do not wait
    camera.play(9.0, 11.0);
    let daemon = Daemon::start(&config);
    let after: Vec<serde_json::Value> = events(&daemon);
    assert!(after.len() >= shown.len(), "{} events were shown, {} are there", shown.len(), after.len());
    for (a, b) in shown.iter().zip(&after) {
        assert_eq!(a["seq"], b["seq"]);
        assert_eq!((&a["kind"], &a["point"]), (&b["kind"], &b["point"]), "what was shown stays");
    }
    // the board is looked for again before the game goes on: what happens meanwhile has no order for anybody
    let count = |kind: &str| events(&daemon).iter().filter(|e| e["kind"] == kind).count();
    let wait_until = |what: &str, done: &dyn Fn() -> bool| {
        let started = Instant::now();
        while !done() {
            assert!(started.elapsed() < Duration::from_secs(40), "{what}: {:?}", events(&daemon));
            std::thread::sleep(Duration::from_millis(200));
        }
    };
    wait_until("the board is not found again", &|| count("board_found") >= 2);
    wait_until("the move played meanwhile is missing", &|| count("move") >= 4);
    camera.play(11.0, 21.0);
    wait_until("no further moves", &|| count("move") >= 5);
    let records = folder.path().join("records/t");
    assert_eq!(std::fs::read_dir(&records).unwrap().count(), 1, "it is one game");
    let journal = goband::record::verify(&records.join("game-0001").join(goband::record::JOURNAL_FILE)).unwrap();
    let state = GameState::fold(&journal.events);
    let board = service::virtual_board(None).unwrap();
    let expected: Vec<_> = board.truth().moves.iter().map(|m| Some(m.point)).collect();
    let played: Vec<_> = state.moves().iter().map(|m| m.point).collect();
    assert_eq!(played[..], expected[..played.len()], "the record is that of the game");
}

fn events(daemon: &Daemon) -> Vec<serde_json::Value> {
    let text = daemon.get("/api/events?after=0");
    let json: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    json.as_array().or_else(|| json["events"].as_array()).expect("a list of events").clone()
}

/// The stream ends and comes back: both are told, the daemon lives.
#[test]
fn a_lost_camera_is_told_and_taken_up_again() {
    let folder = tempfile::tempdir().unwrap();
    let camera = Camera::start();
    let daemon = Daemon::start(&configure(folder.path(), &format!("http://{}/video", camera.address)));
    daemon.wait_for("board_found", Duration::from_secs(60));
    camera.serving.store(false, Ordering::Relaxed);
    daemon.wait_for("source_lost", Duration::from_secs(20));
    camera.serving.store(true, Ordering::Relaxed);
    daemon.wait_for("source_back", Duration::from_secs(30));
    let health: serde_json::Value = serde_json::from_str(&daemon.get("/health")).unwrap();
    assert!(health.to_string().contains("source"), "{health}");
    assert!(EventKind::SourceBack.name() == "source_back");
}

#[test]
fn two_daemons_cannot_write_one_table() {
    let folder = tempfile::tempdir().unwrap();
    let camera = Camera::start();
    let config = configure(folder.path(), &format!("http://{}/video", camera.address));
    let _first = Daemon::start(&config);
    let second = Command::new(env!("CARGO_BIN_EXE_goband")).args(["run", "--config"]).arg(&config).output().unwrap();
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains("game-0001"), "the message names the folder: {said}");
}
