//! The feed through its socket: routes, streams, limits, and clients that do not behave.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use goband::feed::{
    ClockOrder, ClockView, Condition, Feed, FeedConfig, Health, MoveView, OperatorAccess, OperatorInput, Patience,
    Ruling, StateView,
};
use goband::game::{ClockTimes, Event, EventKind, Interval, SideClock, Text, TimePhase, Word};
use goband::rules::{Color, Point};

fn config() -> FeedConfig {
    FeedConfig { listen: "127.0.0.1:0".parse().unwrap(), ..FeedConfig::default() }
}

fn event(seq: u64, kind: EventKind) -> Event {
    let mut e = Event::new(kind, Interval { first: seq * 1000, last: seq * 1000 + 80 }, seq * 1000 + 200, 0.97);
    e.seq = seq;
    e
}

/// A state in which one Black stone stands, as move `n`.
fn state(n: u32) -> StateView {
    let mut state = StateView::empty(9);
    state.board[2] = "..B......".into();
    state.moves.push(MoveView { n, color: Color::Black, point: Some(Point::new(2, 2)) });
    state.turn = Some(Color::White);
    state
}

struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    fn field(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|l| {
            let (n, v) = l.split_once(": ")?;
            n.eq_ignore_ascii_case(name).then_some(v)
        })
    }
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream
}

/// Reads one answer; `bodyless` after HEAD.
fn read_answer(reader: &mut impl BufRead, bodyless: bool) -> Answer {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        assert!(reader.read_line(&mut line).unwrap() > 0, "the connection ended in the head: {head:?}");
        if line == "\r\n" {
            break;
        }
        head.push_str(&line);
    }
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut answer = Answer { status, head, body: Vec::new() };
    if let Some(n) = answer.field("content-length")
        && !bodyless
    {
        let mut body = vec![0; n.parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        answer.body = body;
    }
    answer
}

/// Sends bytes on a new connection and reads one answer.
fn ask(address: SocketAddr, request: &str) -> Answer {
    let mut stream = connect(address);
    stream.write_all(request.as_bytes()).unwrap();
    read_answer(&mut BufReader::new(stream), request.starts_with("HEAD"))
}

fn get(address: SocketAddr, path: &str) -> Answer {
    ask(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"))
}

fn post(address: SocketAddr, path: &str, fields: &str, body: &str) -> Answer {
    let n = body.len();
    ask(
        address,
        &format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {n}\r\n{fields}\r\n{body}"
        ),
    )
}

/// A stream of server-sent events.
struct Stream(BufReader<TcpStream>);

#[derive(Debug, Default)]
struct Message {
    id: Option<String>,
    event: String,
    data: String,
}

impl Stream {
    fn open(address: SocketAddr, fields: &str) -> Stream {
        let mut stream = connect(address);
        write!(stream, "GET /api/stream HTTP/1.1\r\nHost: {address}\r\n{fields}\r\n").unwrap();
        let mut reader = BufReader::new(stream);
        let answer = read_answer(&mut reader, true);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.field("content-type"), Some("text/event-stream; charset=utf-8"));
        assert_eq!(answer.field("content-length"), None);
        Stream(reader)
    }

    /// The next message; None at the end of the stream.
    fn next(&mut self) -> Option<Message> {
        let mut message = Message::default();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("id", v)) => message.id = Some(v.into()),
                Some(("event", v)) => message.event = v.into(),
                Some(("data", v)) => message.data = v.into(),
                None if line == "\n" && !message.event.is_empty() => return Some(message),
                _ => {}
            }
        }
    }

    fn next_of(&mut self, event: &str) -> Message {
        loop {
            let m = self.next().expect("the stream goes on");
            if m.event == event {
                return m;
            }
        }
    }
}

#[test]
fn state_and_events_as_json() {
    let feed = Feed::spawn(FeedConfig { table: "Board 3".into(), ..config() }).unwrap();
    let at = feed.address();
    let empty = get(at, "/api/state");
    assert_eq!((empty.status, empty.field("cache-control")), (200, Some("no-store")));
    assert_eq!(empty.json()["seq"], 0);
    assert_eq!(empty.json()["board"].as_array().unwrap().len(), 19);

    for seq in 1..=3 {
        feed.event(&event(seq, EventKind::Move), state(seq as u32));
    }
    let json = get(at, "/api/state").json();
    assert_eq!(json["seq"], 3);
    assert_eq!(json["move"], 3);
    assert_eq!(json["size"], 9);
    assert_eq!(json["board"][2], "..B......");
    assert_eq!(json["last_move"], serde_json::json!({"n": 3, "color": "B", "point": [2, 2]}));
    assert_eq!(json["turn"], "W");
    assert_eq!(json["prisoners"], serde_json::json!({"B": 0, "W": 0}));
    assert_eq!(json["table"], "Board 3");
    assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));

    let json = get(at, "/api/events?after=1&limit=1").json();
    assert_eq!((&json["first"], &json["last"], &json["more"]), (&1.into(), &3.into(), &true.into()));
    assert_eq!(json["events"].as_array().unwrap().len(), 1);
    let back: Event = serde_json::from_value(json["events"][0].clone()).unwrap();
    assert_eq!(back, event(2, EventKind::Move), "the format of events.jsonl");
    assert_eq!(get(at, "/api/events?after=x").status, 400);
}

#[test]
fn the_page_speaks_the_language_that_is_asked_for() {
    let feed = Feed::spawn(config()).unwrap();
    let at = feed.address();
    let page = get(at, "/?lang=zh");
    assert_eq!(page.status, 200);
    assert_eq!(page.field("content-language"), Some("zh"));
    assert!(page.text().contains("<html lang=\"zh\""));
    assert!(page.field("content-security-policy").unwrap().contains("default-src 'none'"));
    let asked = format!("GET / HTTP/1.1\r\nHost: {at}\r\nAccept-Language: zh-CN,zh;q=0.9,en;q=0.8\r\n\r\n");
    assert_eq!(ask(at, &asked).field("content-language"), Some("zh"));
    assert_eq!(get(at, "/").field("content-language"), Some("en"));
    // nothing is loaded from elsewhere
    for part in ["/", "/page.css", "/page.js", "/board.js", "/texts.js", "/icon.svg"] {
        let answer = get(at, part);
        assert_eq!(answer.status, 200, "{part}");
        let text = answer.text().replace("http://www.w3.org/2000/svg", "");
        assert!(!text.contains("http://") && !text.contains("https://"), "{part} names another place");
    }
    let asset = get(at, "/page.js");
    let tag = asset.field("etag").unwrap();
    let again = ask(at, &format!("GET /page.js HTTP/1.1\r\nHost: {at}\r\nIf-None-Match: {tag}\r\n\r\n"));
    assert_eq!((again.status, again.body.len()), (304, 0));
}

#[test]
fn a_stream_starts_with_the_state_and_resumes_where_it_stopped() {
    let feed = Feed::spawn(config()).unwrap();
    let at = feed.address();
    feed.event(&event(1, EventKind::Move), state(1));
    let mut stream = Stream::open(at, "");
    let first = stream.next().unwrap();
    assert_eq!((first.event.as_str(), first.id.as_deref()), ("state", Some("1")));
    assert!(first.data.contains("\"seq\":1"));

    feed.event(&event(2, EventKind::DoubleMove), state(1));
    let second = stream.next_of("event");
    assert_eq!(second.id.as_deref(), Some("2"));
    assert!(second.data.contains("\"kind\":\"double_move\""));
    assert!(stream.next_of("state").data.contains("\"seq\":2"));
    drop(stream);

    feed.event(&event(3, EventKind::Repaired), state(1));
    feed.event(&event(4, EventKind::Move), state(2));
    let mut stream = Stream::open(at, "Last-Event-ID: 2\r\n");
    let ids: Vec<_> = (0..3).map(|_| stream.next().unwrap()).map(|m| (m.event, m.id.unwrap())).collect();
    assert_eq!(ids, [("event".into(), "3".into()), ("event".into(), "4".into()), ("state".into(), "4".to_string())]);

    // a number of another game
    let mut stream = Stream::open(at, "Last-Event-ID: 99\r\n");
    assert_eq!(stream.next().unwrap().event, "reset");
    assert_eq!(stream.next().unwrap().event, "state");
}

#[test]
fn a_quiet_stream_shows_that_it_lives() {
    let feed = Feed::spawn(config()).unwrap();
    let mut stream = Stream::open(feed.address(), "");
    assert_eq!(stream.next().unwrap().event, "state");
    let start = Instant::now();
    stream.next_of("alive");
    assert!(start.elapsed() < Duration::from_secs(7));
}

#[test]
fn a_client_that_does_not_read_is_dropped_and_holds_nobody_up() {
    let patience = Patience { answer: Duration::from_millis(300), ..Patience::default() };
    let feed = Feed::spawn(FeedConfig { patience, ..config() }).unwrap();
    let at = feed.address();
    let _slow = Stream::open(at, "");
    let good = std::thread::spawn(move || {
        let mut stream = Stream::open(at, "");
        loop {
            let m = stream.next_of("event");
            if m.id.as_deref() == Some("400") {
                return;
            }
        }
    });
    while feed.clients() < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut slowest = Duration::ZERO;
    for seq in 1..=400 {
        let mut e = event(seq, EventKind::Unexplained);
        e.text = Some(Text { en: "x".repeat(64 * 1024), zh: String::new() });
        let start = Instant::now();
        feed.event(&e, StateView::empty(9));
        slowest = slowest.max(start.elapsed());
        std::thread::sleep(Duration::from_millis(1));
    }
    good.join().unwrap();
    assert!(slowest < Duration::from_millis(250), "an event took {slowest:?}");
    let deadline = Instant::now() + Duration::from_secs(5);
    while feed.clients() > 0 {
        assert!(Instant::now() < deadline, "the client that does not read is still there");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(get(at, "/api/state").status, 200);
}

#[test]
fn wrong_requests_get_the_right_answer() {
    let feed = Feed::spawn(config()).unwrap();
    let at = feed.address();
    let host = format!("Host: {at}\r\n");
    for (request, status) in [
        (format!("GET /nothing HTTP/1.1\r\n{host}\r\n"), 404),
        (format!("GET /api/nothing HTTP/1.1\r\n{host}\r\n"), 404),
        (format!("GET /game.sgf HTTP/1.1\r\n{host}\r\n"), 404),
        (format!("GET /picture.jpg HTTP/1.1\r\n{host}\r\n"), 404),
        (format!("DELETE / HTTP/1.1\r\n{host}\r\n"), 405),
        (format!("GET /api/decision HTTP/1.1\r\n{host}\r\n"), 405),
        (format!("POST / HTTP/1.1\r\n{host}Content-Length: 0\r\n\r\n"), 405),
        (format!("POST /api/decision HTTP/1.1\r\n{host}\r\n"), 411),
        (format!("POST /api/decision HTTP/1.1\r\n{host}Content-Length: 999999\r\n\r\n"), 413),
        (format!("GET / HTTP/1.1\r\n{host}X: {}\r\n\r\n", "x".repeat(20_000)), 431),
        (format!("GET /{} HTTP/1.1\r\n{host}\r\n", "x".repeat(9000)), 414),
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".into(), 421),
        ("GET /api/stream HTTP/1.1\r\nHost: evil.example:80\r\n\r\n".into(), 421),
        ("\u{1}\u{2}\u{3}\r\n\r\n".into(), 400),
    ] {
        let answer = ask(at, &request);
        assert_eq!(answer.status, status, "{}", &request[..request.len().min(60)]);
        if !request.starts_with("HEAD") {
            assert!(answer.json()["error"].is_string());
        }
    }
    assert_eq!(ask(at, &format!("DELETE / HTTP/1.1\r\n{host}\r\n")).field("allow"), Some("GET, HEAD"));
    assert_eq!(ask(at, &format!("PUT /api/decision HTTP/1.1\r\n{host}\r\n")).field("allow"), Some("POST"));
}

#[test]
fn a_connection_serves_many_requests_and_pipelined_ones() {
    let feed = Feed::spawn(config()).unwrap();
    let at = feed.address();
    let mut stream = connect(at);
    let one = format!("GET /api/state HTTP/1.1\r\nHost: {at}\r\n\r\n");
    let head = format!("HEAD /api/state HTTP/1.1\r\nHost: {at}\r\n\r\n");
    write!(stream, "{one}{head}{one}").unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let get = read_answer(&mut reader, false);
    let headed = read_answer(&mut reader, true);
    assert_eq!((get.status, headed.status), (200, 200));
    assert_eq!(get.field("content-length"), headed.field("content-length"));
    assert_eq!(get.field("connection"), Some("keep-alive"));
    assert_eq!(read_answer(&mut reader, false).status, 200);
    // in pieces, over a while
    for byte in one.as_bytes() {
        stream.write_all(&[*byte]).unwrap();
    }
    assert_eq!(read_answer(&mut reader, false).status, 200);
    write!(stream, "GET /icon.svg HTTP/1.0\r\n\r\n").unwrap();
    let last = read_answer(&mut reader, false);
    assert_eq!((last.status, last.field("connection")), (200, Some("close")));
    assert_eq!(reader.read(&mut [0; 8]).unwrap(), 0, "closed after HTTP/1.0");
}

#[test]
fn slow_requests_run_out_of_time_and_block_nobody() {
    let patience =
        Patience { request: Duration::from_millis(200), idle: Duration::from_millis(200), ..Patience::default() };
    let feed = Feed::spawn(FeedConfig { patience, ..config() }).unwrap();
    let at = feed.address();
    let mut slow = connect(at);
    write!(slow, "GET / HT").unwrap();
    let silent = connect(at);
    let mut half = connect(at);
    write!(half, "POST /api/decision HTTP/1.1\r\nHost: {at}\r\nContent-Length: 10\r\n\r\n123").unwrap();
    assert_eq!(get(at, "/api/state").status, 200, "others are served meanwhile");
    assert_eq!(read_answer(&mut BufReader::new(slow), false).status, 408);
    assert_eq!(read_answer(&mut BufReader::new(half), false).status, 408);
    let mut rest = Vec::new();
    BufReader::new(silent).read_to_end(&mut rest).unwrap();
    assert!(rest.is_empty(), "an idle connection is closed without a word");
}

#[test]
fn a_full_house_says_so() {
    let feed = Feed::spawn(FeedConfig { max_connections: 3, ..config() }).unwrap();
    let at = feed.address();
    let mut streams: Vec<_> = (0..3).map(|_| Stream::open(at, "")).collect();
    let answer = read_answer(&mut BufReader::new(connect(at)), false);
    assert_eq!((answer.status, answer.field("retry-after")), (503, Some("2")));
    // those inside are not disturbed, and a place that is free again can be taken
    feed.event(&event(1, EventKind::Move), state(1));
    assert_eq!(streams[0].next_of("event").id.as_deref(), Some("1"));
    streams.pop();
    let deadline = Instant::now() + Duration::from_secs(10);
    let mut seq = 1;
    while get(at, "/api/state").status != 200 {
        // a connection that has gone is noticed by writing to it
        seq += 1;
        feed.event(&event(seq, EventKind::Move), state(1));
        assert!(Instant::now() < deadline, "the place of a client that left is never free again");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn garbage_does_no_harm() {
    let patience = Patience { request: Duration::from_millis(60), ..Patience::default() };
    let feed = Feed::spawn(FeedConfig { patience, ..config() }).unwrap();
    let at = feed.address();
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let starts: [&[u8]; 6] = [
        b"",
        b"GET ",
        b"GET / HTTP/1.1\r\n",
        b"POST /api/decision HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n",
        b"GET /evidence/",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ];
    for round in 0..120 {
        let mut stream = connect(at);
        let mut bytes = starts[round % starts.len()].to_vec();
        bytes.extend((0..random() % 3000).map(|_| random() as u8));
        if round % 2 == 0 {
            bytes.extend_from_slice(b"\r\n\r\n");
        }
        // the server may hang up in the middle
        let _ = stream.write_all(&bytes);
        if round % 3 == 0 {
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 "), "round {round}");
        }
    }
    assert_eq!(get(at, "/api/state").status, 200);
}

#[test]
fn evidence_and_record_come_from_the_folder_and_nothing_else_does() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("evidence/000007-double_move");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("1-before.jpg"), b"\xff\xd8jpeg").unwrap();
    std::fs::write(folder.join("2-after.jpg"), b"\xff\xd8").unwrap();
    std::fs::write(dir.path().join("game.sgf"), "(;GM[1]FF[4])").unwrap();
    std::fs::write(dir.path().join("journal"), "secret").unwrap();
    let feed = Feed::spawn(FeedConfig { record_dir: Some(dir.path().into()), ..config() }).unwrap();
    let at = feed.address();
    let list = get(at, "/evidence/000007-double_move/");
    assert_eq!(list.json()["files"], serde_json::json!(["1-before.jpg", "2-after.jpg"]));
    let picture = get(at, "/evidence/000007-double_move/1-before.jpg");
    assert_eq!((picture.field("content-type"), picture.body.as_slice()), (Some("image/jpeg"), &b"\xff\xd8jpeg"[..]));
    let sgf = get(at, "/game.sgf");
    assert_eq!(sgf.text(), "(;GM[1]FF[4])");
    let tag = sgf.field("etag").unwrap();
    let again = ask(at, &format!("GET /game.sgf HTTP/1.1\r\nHost: {at}\r\nIf-None-Match: {tag}\r\n\r\n"));
    assert_eq!(again.status, 304);
    for path in [
        "/evidence/../journal",
        "/evidence/..%2fjournal",
        "/evidence/%2e%2e/journal",
        "/evidence/%2e%2e%5cjournal",
        "/evidence//etc/passwd",
        "/evidence/000007-double_move/../../journal",
        "/../journal",
        "/journal",
        "//etc/passwd",
    ] {
        assert_eq!(get(at, path).status, 404, "{path}");
    }
}

#[test]
fn the_camera_picture_and_its_age() {
    let feed = Feed::spawn(config()).unwrap();
    let at = feed.address();
    assert_eq!(get(at, "/api/state").json()["picture"], false);
    feed.picture(b"\xff\xd8one".to_vec());
    assert_eq!(get(at, "/api/state").json()["picture"], true);
    let one = get(at, "/picture.jpg");
    assert_eq!(one.body, b"\xff\xd8one");
    let tag = one.field("etag").unwrap();
    let conditional = format!("GET /picture.jpg HTTP/1.1\r\nHost: {at}\r\nIf-None-Match: {tag}\r\n\r\n");
    let again = ask(at, &conditional);
    assert_eq!(again.status, 304);
    assert!(again.field("x-picture-age-ms").unwrap().parse::<u64>().unwrap() < 5000);
    feed.picture(b"\xff\xd8two".to_vec());
    assert_eq!(ask(at, &conditional).body, b"\xff\xd8two");

    let mut stream = connect(at);
    write!(stream, "GET /picture.mjpeg HTTP/1.1\r\nHost: {at}\r\n\r\n").unwrap();
    let mut reader = BufReader::new(stream);
    assert_eq!(read_answer(&mut reader, true).status, 200);
    let mut part = String::new();
    (0..3).for_each(|_| drop(reader.read_line(&mut part)));
    assert_eq!(part, "--goband-picture\r\nContent-Type: image/jpeg\r\nContent-Length: 5\r\n");
}

#[test]
fn health_is_503_until_all_is_well() {
    let feed = Feed::spawn(FeedConfig { silence_limit: Duration::from_millis(150), ..config() }).unwrap();
    let at = feed.address();
    assert_eq!(get(at, "/health").status, 503, "nothing reported");
    feed.health(Health::default().with("source", Condition::Well, None).with("record", Condition::Well, None));
    let well = get(at, "/health");
    assert_eq!((well.status, &well.json()["well"]), (200, &true.into()));
    let text = Text { en: "The disk is full.".into(), zh: "磁盘已满。".into() };
    feed.health(Health::default().with("record", Condition::Degraded, Some(text)));
    let ill = get(at, "/health");
    assert_eq!(ill.status, 503);
    assert_eq!(ill.json()["parts"][0]["text"]["zh"], "磁盘已满。");
    feed.health(Health::default());
    assert_eq!(get(at, "/health").status, 200);
    std::thread::sleep(Duration::from_millis(200));
    let silent = get(at, "/health");
    assert_eq!(silent.status, 503);
    assert_eq!(silent.json()["parts"][0]["condition"], "lost");
}

#[test]
fn the_operator_decides_where_that_is_allowed() {
    let off = Feed::spawn(config()).unwrap();
    assert_eq!(post(off.address(), "/api/decision", "", r#"{"of":1,"verdict":"accepted"}"#).status, 403);

    let operator = OperatorAccess { enabled: true, token: Some("secret".into()) };
    let feed = Feed::spawn(FeedConfig { operator, ..config() }).unwrap();
    let at = feed.address();
    feed.event(&event(1, EventKind::Move), state(1));
    feed.event(&event(2, EventKind::DoubleMove), state(1));
    assert_eq!(get(at, "/api/operator").json(), serde_json::json!({"enabled": true, "allowed": true}));
    let decision = r#"{"of":2,"verdict":"rejected"}"#;
    assert_eq!(post(at, "/api/decision", "", decision).status, 202);
    let from = "127.0.0.1".parse().unwrap();
    assert_eq!(
        feed.operator().try_recv(),
        Ok(OperatorInput::Decision { of: 2, ruling: Ruling::Rejected, note: None, from })
    );
    assert_eq!(post(at, "/api/acknowledge", "", r#"{"of":2}"#).status, 202);
    assert_eq!(feed.operator().try_recv(), Ok(OperatorInput::Acknowledge { of: 2, from }));
    assert_eq!(get(at, "/api/state").json()["acknowledged"], serde_json::json!([2]));

    // a break begins once, and ends once
    assert_eq!(post(at, "/api/break", "", r#"{"on":false}"#).status, 422, "none is on");
    assert_eq!(post(at, "/api/break", "", r#"{"on":true}"#).status, 202);
    assert_eq!(feed.operator().try_recv(), Ok(OperatorInput::Break { on: true, clock: true, from }));
    feed.event(&event(3, EventKind::BreakBegun), state(1));
    assert_eq!(get(at, "/api/state").json()["notices"][0]["kind"], "break_begun");
    assert_eq!(post(at, "/api/break", "", r#"{"on":true}"#).status, 422, "it is on");
    assert_eq!(post(at, "/api/break", "", r#"{"on":false}"#).status, 202);
    assert_eq!(feed.operator().try_recv(), Ok(OperatorInput::Break { on: false, clock: true, from }));
    feed.event(&event(4, EventKind::PlayResumed), state(1));
    assert_eq!(get(at, "/api/state").json()["notices"], serde_json::json!([]));
    assert_eq!(post(at, "/api/break", "Origin: http://evil.example\r\n", r#"{"on":true}"#).status, 403);

    assert_eq!(post(at, "/api/decision", "", r#"{"of":1,"verdict":"accepted"}"#).status, 422, "a move");
    assert_eq!(post(at, "/api/decision", "", r#"{"of":9,"verdict":"accepted"}"#).status, 422, "not there");
    assert_eq!(post(at, "/api/decision", "", "{").status, 400);
    assert_eq!(post(at, "/api/decision", "Origin: http://evil.example\r\n", decision).status, 403);
    assert_eq!(post(at, "/api/decision", "Authorization: Bearer wrong\r\n", decision).status, 403);
    assert_eq!(post(at, "/api/decision", "Authorization: Bearer secret\r\n", decision).status, 202);
    let n = decision.len();
    let form = format!(
        "POST /api/decision HTTP/1.1\r\nHost: {at}\r\nContent-Type: text/plain\r\nContent-Length: {n}\r\n\r\n{decision}"
    );
    assert_eq!(ask(at, &form).status, 415);
    // a table that takes no input makes no client wait
    let statuses: Vec<u16> = (0..40).map(|_| post(at, "/api/decision", "", decision).status).collect();
    assert_eq!(statuses.last(), Some(&503));
}

#[test]
fn a_word_of_the_recorder_is_answered_by_the_table() {
    let off = Feed::spawn(config()).unwrap();
    assert_eq!(post(off.address(), "/api/word", "", r#"{"say":"end_agreed"}"#).status, 403);

    let operator = OperatorAccess { enabled: true, token: Some("secret".into()) };
    let feed = Feed::spawn(FeedConfig { operator, ..config() }).unwrap();
    let at = feed.address();
    let inputs = feed.operator();
    let table = std::thread::spawn(move || {
        let mut said = Vec::new();
        for _ in 0..2 {
            let Ok(OperatorInput::Word { word, reply, .. }) = inputs.recv_timeout(Duration::from_secs(20)) else {
                break;
            };
            reply.say(match word {
                Word::Pass { .. } => Ok(vec![7, 8]),
                _ => Err(Text::new("play is over", "对局已终止")),
            });
            said.push(word);
        }
        said
    });
    let passed = post(at, "/api/word", "", r#"{"say":"pass","color":"B"}"#);
    assert_eq!((passed.status, passed.json()), (200, serde_json::json!({ "events": [7, 8] })));
    let refused = post(at, "/api/word", "", r#"{"say":"resign","color":"W"}"#);
    assert_eq!(refused.status, 409);
    assert_eq!(refused.json()["text"]["zh"], "对局已终止");
    assert_eq!(table.join().unwrap(), [Word::Pass { color: Color::Black }, Word::Resign { color: Color::White }]);

    assert_eq!(post(at, "/api/word", "", r#"{"say":"dance"}"#).status, 400);
    assert_eq!(post(at, "/api/word", "Origin: http://evil.example\r\n", r#"{"say":"end_agreed"}"#).status, 403);
    assert_eq!(get(at, "/api/word").status, 405);
}

#[test]
fn the_operator_stops_sets_and_resumes_the_clock_where_that_is_allowed() {
    let side = |phase, ms, periods| SideClock { phase, ms, periods };
    let times =
        ClockTimes { black: side(TimePhase::Main, 1_511_000, None), white: side(TimePhase::Period, 21_000, Some(3)) };
    let view = ClockView { times, running: None, turn: None, stopped: true, software: false, age_ms: 40 };
    let stop = r#"{"do":"stop"}"#;
    let off = Feed::spawn(config()).unwrap();
    off.clock(Some(view));
    assert_eq!(post(off.address(), "/api/clock", "", stop).status, 403);
    assert_eq!(get(off.address(), "/api/clock").json()["W"]["periods"], 3, "who may look, may see it");

    let operator = OperatorAccess { enabled: true, token: Some("secret".into()) };
    let feed = Feed::spawn(FeedConfig { operator, ..config() }).unwrap();
    let at = feed.address();
    assert_eq!(get(at, "/api/clock").json(), serde_json::Value::Null);
    let refused = post(at, "/api/clock", "", stop);
    assert_eq!(refused.status, 422, "there is no clock");
    assert_eq!(refused.json()["text"], serde_json::json!({"en": "no clock is connected", "zh": "没有连接棋钟"}));
    feed.clock(Some(view));
    let from = "127.0.0.1".parse().unwrap();
    let set = r#"{"do":"set","B":{"phase":"main","ms":1511000},"W":{"phase":"period","ms":21000,"periods":3}}"#;
    for (body, order) in [
        (stop, ClockOrder::Stop),
        (r#"{"do":"resume","side":"B"}"#, ClockOrder::Resume { side: Some(Color::Black) }),
        (set, ClockOrder::Set(times)),
    ] {
        assert_eq!(post(at, "/api/clock", "", body).status, 202, "{body}");
        assert_eq!(feed.operator().try_recv(), Ok(OperatorInput::Clock { order, from }));
    }
    let refused = post(at, "/api/clock", "", r#"{"do":"resume"}"#);
    assert_eq!(refused.status, 422, "nobody knows whose time is to run");
    assert!(refused.json()["text"]["zh"].as_str().unwrap().contains("走时"));
    assert_eq!(post(at, "/api/clock", "", "{}").status, 400);
    // the same gate as for decisions
    for fields in
        ["Origin: http://evil.example\r\n", "Authorization: Bearer wrong\r\n", "X-Forwarded-For: 192.0.2.1\r\n"]
    {
        let refused = post(at, "/api/clock", fields, stop);
        assert_eq!(refused.status, 403, "{fields}");
        assert!(refused.json()["text"]["zh"].is_string());
    }
    assert_eq!(post(at, "/api/clock", "Authorization: Bearer secret\r\n", stop).status, 202);
    let form = format!(
        "POST /api/clock HTTP/1.1\r\nHost: {at}\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\n{stop}"
    );
    assert_eq!(ask(at, &form).status, 415);
}

#[test]
fn a_taken_port_is_told_with_its_mend() {
    let feed = Feed::spawn(config()).unwrap();
    let error = Feed::spawn(FeedConfig { listen: feed.address(), ..config() }).err().expect("taken").to_string();
    assert!(error.contains(&feed.address().to_string()) && error.contains("`listen` under `[feed]`"), "{error}");
    let foreign = FeedConfig { listen: "203.0.113.7:8780".parse().unwrap(), ..config() };
    assert!(Feed::spawn(foreign).err().expect("not ours").to_string().contains("0.0.0.0"));
}

#[test]
fn shutdown_says_goodbye_and_frees_the_port() {
    let feed = Feed::spawn(config()).unwrap();
    let at = feed.address();
    let mut stream = Stream::open(at, "");
    let _idle = connect(at);
    let start = Instant::now();
    feed.shutdown();
    assert!(start.elapsed() < Duration::from_secs(2));
    stream.next_of("bye");
    assert!(stream.next().is_none());
    let again = Feed::spawn(FeedConfig { listen: at, ..config() });
    assert!(again.is_ok(), "{:?}", again.err());
}

#[test]
fn a_game_taken_up_again_shows_all_of_it() {
    let feed = Feed::spawn(config()).unwrap();
    let events: Vec<Event> = (1..=5).map(|seq| event(seq, EventKind::Move)).collect();
    feed.resume(&events, state(5));
    // what was shown before is not shown twice
    feed.event(&events[4], state(5));
    assert_eq!(get(feed.address(), "/api/events").json()["events"].as_array().unwrap().len(), 5);
}

#[test]
fn forty_spectators_hear_every_event() {
    let feed = Feed::spawn(config()).unwrap();
    let at = feed.address();
    let spectators: Vec<_> = (0..40)
        .map(|_| {
            let mut stream = Stream::open(at, "");
            std::thread::spawn(move || (1..=50).all(|seq| stream.next_of("event").id == Some(format!("{seq}"))))
        })
        .collect();
    for seq in 1..=50 {
        let start = Instant::now();
        feed.event(&event(seq, EventKind::Move), state(seq as u32));
        assert!(start.elapsed() < Duration::from_millis(500), "the table was held up");
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(spectators.into_iter().all(|s| s.join().unwrap()), "in order, none left out");
}

#[test]
fn another_game_begins_at_the_same_table() {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    dirs.iter().zip(["one", "two"]).for_each(|(d, game)| std::fs::write(d.path().join("game.sgf"), game).unwrap());
    let feed = Feed::spawn(FeedConfig { record_dir: Some(dirs[0].path().into()), ..config() }).unwrap();
    let at = feed.address();
    (1..=4).for_each(|seq| feed.event(&event(seq, EventKind::Move), state(seq as u32)));
    let mut stream = Stream::open(at, "");
    let before = stream.next_of("state");
    feed.new_game(Some(dirs[1].path().into()), StateView::empty(13));
    assert_eq!(stream.next_of("reset").event, "reset");
    let after = stream.next_of("state");
    let life = |m: &Message| serde_json::from_str::<serde_json::Value>(&m.data).unwrap()["life"].clone();
    assert_ne!(life(&before), life(&after));
    feed.event(&event(1, EventKind::Move), StateView::empty(13));
    assert_eq!(stream.next_of("event").id.as_deref(), Some("1"));
    assert_eq!(get(at, "/api/events").json()["events"].as_array().unwrap().len(), 1);
    assert_eq!(get(at, "/game.sgf").text(), "two");
}

#[test]
fn many_threads_may_feed_at_once() {
    let feed = Arc::new(Feed::spawn(config()).unwrap());
    let mut stream = Stream::open(feed.address(), "");
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let feed = feed.clone();
            std::thread::spawn(move || {
                (0..50).for_each(|i| {
                    feed.picture(vec![0xff, 0xd8, i]);
                    feed.health(Health::default().with("source", Condition::Well, None));
                })
            })
        })
        .collect();
    feed.event(&event(1, EventKind::Move), state(1));
    threads.into_iter().for_each(|t| t.join().unwrap());
    assert_eq!(stream.next_of("event").id.as_deref(), Some("1"));
}
