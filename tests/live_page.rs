//! A real browser opens the live page and sees a move arrive, an alarm come and go, and the connection break.
//!
//! Chromium is driven through chromedriver by plain WebDriver calls (W3C WebDriver), so no crate is needed for it.
//! Skips, saying so, where Debian's `chromium` and `chromium-driver` are not installed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use goband::feed::{ClockOrder, ClockView, Condition, Feed, FeedConfig, Health, OperatorAccess, OperatorInput, Ruling};
use goband::game::{
    ClockCall, ClockTimes, Event, EventKind, GameState, Interval, Restore, RestoreTo, Settlement, SideClock, Text,
    TimePhase, Word,
};
use goband::rules::{Color, Point, Ruleset, Sanction};
use serde_json::{Value, json};

/// The first of these that can be started.
fn program(names: &[&str]) -> Option<String> {
    let starts = |name: &&str| {
        Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|s| s.success())
    };
    names.iter().find(|n| starts(n)).map(|n| n.to_string())
}

/// A browser with one window.
struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// None where there is no browser to drive.
    fn open() -> Option<Browser> {
        let chromium = program(&["chromium", "chromium-browser", "google-chrome"])?;
        let driver = program(&["chromedriver", "chromium.chromedriver"])?;
        let profile = tempfile::tempdir().ok()?;
        let mut driver =
            Command::new(driver).arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        // "ChromeDriver was started successfully on port 12345."
        let mut lines = BufReader::new(driver.stdout.take()?).lines();
        let port = lines.by_ref().map_while(Result::ok).find_map(|line| {
            line.rsplit_once("on port ")?.1.trim().trim_end_matches('.').parse::<u16>().ok().filter(|p| *p > 0)
        });
        // keep its output flowing, or it stops
        std::thread::spawn(move || lines.for_each(drop));
        let mut browser = Browser { driver, port: port?, session: String::new(), _profile: profile };
        let mut arguments: Vec<String> = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
            --disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage \
            --window-size=1400,900"
            .split_whitespace()
            .map(String::from)
            .collect();
        arguments.push(format!("--user-data-dir={}", browser._profile.path().display()));
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"binary": which(&chromium), "args": arguments},
        }}});
        let answer = browser.post("/session", &wanted);
        browser.session = answer["sessionId"].as_str().unwrap_or_else(|| panic!("no session: {answer}")).to_string();
        Some(browser)
    }

    fn call(&self, method: &str, path: &str, body: &str) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let n = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {n}\r\n\
             Connection: close\r\n\r\n{body}",
            self.port
        )
        .unwrap();
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap() == 0 || line == "\r\n" {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let answer: Value = serde_json::from_slice(&body).unwrap();
        assert!(answer["value"]["error"].is_null(), "{method} {path}: {}", answer["value"]);
        answer["value"].clone()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.call("POST", path, &body.to_string())
    }

    fn go(&self, url: &str) {
        self.post(&format!("/session/{}/url", self.session), &json!({ "url": url }));
    }

    /// Runs a script in the page.
    fn run(&self, script: &str) -> Value {
        self.post(&format!("/session/{}/execute/sync", self.session), &json!({ "script": script, "args": [] }))
    }

    /// Waits until the script says true.
    fn wait(&self, what: &str, script: &str) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while self.run(script) != Value::Bool(true) {
            let page = "return document.body.dataset.status + ' | ' + document.body.innerText.slice(0, 400)";
            assert!(Instant::now() < deadline, "never: {what}; the page: {}", self.run(page));
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn text(&self, id: &str) -> String {
        self.run(&format!("return document.getElementById('{id}').textContent")).as_str().unwrap_or_default().into()
    }

    /// What the console of the page holds.
    fn console(&self) -> Vec<String> {
        let log = self.post(&format!("/session/{}/se/log", self.session), &json!({"type": "browser"}));
        log.as_array().unwrap().iter().map(|l| l["message"].to_string()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Also after a failed test: a driver that is killed leaves its browser running.
        if !self.session.is_empty()
            && let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port))
        {
            let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
            let _ = write!(
                stream,
                "DELETE /session/{} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
                self.session
            );
            let _ = stream.read(&mut [0; 512]);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The full path: chromedriver does not search for it.
fn which(name: &str) -> String {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths).map(|p| p.join(name)).find(|p| p.is_file());
    found.map_or_else(|| name.to_string(), |p| p.display().to_string())
}

/// A table: events applied to a game and shown.
struct Table {
    feed: Feed,
    game: GameState,
    seq: u64,
}

impl Table {
    fn happen(&mut self, kind: EventKind, particulars: impl FnOnce(&mut Event)) -> u64 {
        self.seq += 1;
        let ms = self.seq * 2000;
        let mut event = Event::new(kind, Interval { first: ms, last: ms + 100 }, ms + 300, 0.98);
        event.seq = self.seq;
        particulars(&mut event);
        self.game.apply(&event);
        self.feed.event(&event, &self.game);
        self.seq
    }

    fn play(&mut self, color: Color, row: u8, col: u8) {
        self.happen(EventKind::Move, |e| {
            (e.color, e.point, e.captured) = (Some(color), Some(Point::new(row, col)), Some(Vec::new()));
        });
    }
}

fn text(en: &str, zh: &str) -> Option<Text> {
    Some(Text { en: en.into(), zh: zh.into() })
}

#[test]
fn a_browser_sees_moves_arrive_and_alarms_come_and_go() {
    let Some(browser) = Browser::open() else {
        println!("skipped: needs `chromium` and `chromedriver` (Debian: apt-get install chromium chromium-driver)");
        return;
    };
    let config = FeedConfig {
        listen: "127.0.0.1:0".parse().unwrap(),
        table: "Board 7".into(),
        operator: OperatorAccess { enabled: true, token: None },
        ..FeedConfig::default()
    };
    let feed = Feed::spawn(config).unwrap();
    let health = || Health::default().with("source", Condition::Well, None);
    feed.health(health());
    let address = feed.address();
    let rules = std::sync::Arc::new(Ruleset::builtin("team-relay").unwrap());
    let mut table = Table { feed, game: GameState::default().under(rules), seq: 0 };
    table.happen(EventKind::BoardFound, |_| {});
    table.play(Color::Black, 3, 15);

    browser.go(&format!("http://{address}/?lang=en"));
    let stone = |at: &str| format!("return document.querySelector('.stones [data-at=\"{at}\"]') !== null");
    browser.wait("the stone that lay there before", &stone("3,15"));
    browser.wait("all in order", "return document.body.dataset.status === 'good'");
    assert_eq!(browser.text("table"), "Board 7");
    assert_eq!(browser.text("turn"), "White");
    assert_eq!(browser.run(&stone("15,3")), Value::Bool(false));

    // a move arrives after the page has been loaded
    table.play(Color::White, 15, 3);
    browser.wait("the new stone", &stone("15,3"));
    assert_eq!(browser.run("return document.querySelector('[data-at=\"15,3\"]').dataset.color"), "W");
    assert_eq!(browser.text("move-number"), "2");
    assert_eq!(browser.text("last-move"), "White D4");
    assert_eq!(browser.text("last-name"), "star point");
    browser.wait("its line in the list", "return document.querySelector('#events li').dataset.seq === '3'");
    // each of the three events once, newest first
    browser.wait("three lines", "return document.querySelectorAll('#events li').length === 3");

    // an alarm appears
    let of = table.happen(EventKind::DoubleMove, |e| {
        (e.color, e.point) = (Some(Color::White), Some(Point::new(9, 9)));
        e.text = text("White has played twice in a row.", "白方连下两着。");
        e.article = Some("17.2".into());
        e.verdict = text("second move void, yellow card", "第二着无效，黄牌一次");
        e.restore = vec![Restore { at: Point::new(9, 9), be: RestoreTo::Empty }];
    });
    browser.wait("the alarm", "return document.body.dataset.status === 'alarm'");
    assert_eq!(browser.text("headline"), "Double move");
    assert_eq!(browser.text("sentence"), "White has played twice in a row.");
    let particulars = browser.text("particulars");
    for part in ["17.2", "second move void, yellow card", "take K10 off"] {
        assert!(particulars.contains(part), "{particulars}");
    }
    browser.wait(
        "the stone that has to go",
        "return document.querySelector('.ghosts .wrong[data-at=\"9,9\"]') !== null && document.querySelectorAll('.must-go').length === 1",
    );
    assert_eq!(browser.run(&stone("9,9")), Value::Bool(false), "what is void does not stand in the record");

    // in the other language too
    browser.run("document.getElementById('language').click()");
    assert_eq!(browser.text("headline"), "连下两着");
    assert_eq!(browser.text("sentence"), "白方连下两着。");
    browser.run("document.getElementById('language').click()");

    // the referee decides on the page
    browser.wait("the referee's buttons", "return !document.getElementById('decide').hidden");
    browser.run("document.querySelector('[data-do=acknowledge]').click()");
    let input = table.feed.operator();
    let second = Duration::from_secs(10);
    assert!(matches!(input.recv_timeout(second), Ok(OperatorInput::Acknowledge { of: o, .. }) if o == of));
    browser.wait("that it was seen", "return document.body.dataset.seen === 'yes'");
    browser.run("document.querySelector('[data-do=accepted]').click()");
    assert!(matches!(
        input.recv_timeout(second),
        Ok(OperatorInput::Decision { of: o, ruling: Ruling::Accepted, .. }) if o == of
    ));

    // and the alarm goes when the board is right again
    table.happen(EventKind::Repaired, |e| e.of = Some(of));
    browser.wait("the end of the alarm", "return document.body.dataset.status === 'good'");
    assert_eq!(browser.run("return document.querySelectorAll('.must-go').length"), 0);
    assert_eq!(browser.text("headline"), "In order");
    let settled = format!("return document.querySelector('#events [data-seq=\"{of}\"]').classList.contains('settled')");
    assert_eq!(browser.run(&settled), Value::Bool(true));

    // another verdict carries what it costs, and the page then shows it against that side
    let of = table.happen(EventKind::WrongRemoval, |e| {
        (e.color, e.point) = (Some(Color::Black), Some(Point::new(3, 15)));
        e.text = text("Black took a stone that has liberties.", "黑方误提。");
    });
    browser.wait("the second alarm", "return document.body.dataset.status === 'alarm'");
    assert_eq!(browser.run("return document.getElementById('penalties-B').parentElement.hidden"), Value::Bool(true));
    browser.run("document.querySelector('[data-do=other]').click()");
    browser.run("document.getElementById('penalty').value = 'yellow'");
    browser.run("document.querySelector('[data-do=other]').click()");
    let Ok(OperatorInput::Verdict { of: o, ruling: Ruling::Other, particulars, .. }) = input.recv_timeout(second)
    else {
        panic!("no verdict")
    };
    assert_eq!((o, particulars.penalty.map(|p| p.sanction)), (of, Some(Sanction::Yellow)));
    table.happen(EventKind::Decision, |e| {
        (e.of, e.ruling, e.penalty) = (Some(of), Some(Ruling::Other), particulars.penalty);
    });
    browser.wait("the end of the second alarm", "return document.body.dataset.status === 'good'");
    assert_eq!(browser.text("penalties-B"), "1 yellow card, 1 stone off the count");

    // a break begins and ends with the operator's button, in words for everybody
    browser.wait("the break's button", "return !document.getElementById('break').hidden");
    assert_eq!(browser.text("break"), "Break begins");
    browser.run("document.getElementById('break').click()");
    assert!(matches!(input.recv_timeout(second), Ok(OperatorInput::Break { on: true, .. })));
    let began = table.happen(EventKind::BreakBegun, |_| {});
    browser.wait("the break", "return document.body.dataset.status === 'look'");
    assert_eq!((browser.text("headline"), browser.text("break")), ("Break".into(), "Play goes on".into()));
    browser.run("document.getElementById('break').click()");
    assert!(matches!(input.recv_timeout(second), Ok(OperatorInput::Break { on: false, .. })));
    table.happen(EventKind::PlayResumed, |e| e.of = Some(began));
    browser.wait("the end of the break", "return document.body.dataset.status === 'good'");

    // the recorder's buttons ask once more before they say anything
    browser.wait("the recorder's buttons", "return !document.getElementById('recorder').hidden");
    let pass = "document.querySelector('[data-say=pass][data-side=B]').click()";
    browser.run(pass);
    assert_eq!(browser.run("return document.querySelector('.asked').textContent"), "Really?");
    assert!(input.recv_timeout(Duration::from_millis(200)).is_err(), "nothing was said yet");
    browser.run(pass);
    let Ok(OperatorInput::Word { word, reply, .. }) = input.recv_timeout(second) else { panic!("no word") };
    assert_eq!(word, Word::Pass { color: Color::Black });
    reply.say(Ok(vec![9]));
    browser
        .wait("that it is recorded", "return document.getElementById('recorder-answer').textContent === 'Recorded.'");
    browser.run("document.getElementById('dead').value = 'Q16 d4, Z1'");
    browser.run("document.querySelector('[data-say=counted]').click()");
    assert_eq!(browser.text("recorder-answer"), "Z1 is no point of this board");
    browser.run("document.getElementById('dead').value = 'Q16 d4'");
    browser.run("document.querySelector('[data-say=counted]').click()");
    browser.run("document.querySelector('[data-say=counted]').click()");
    let Ok(OperatorInput::Word { word, reply, .. }) = input.recv_timeout(second) else { panic!("no word") };
    let dead = Some(vec![Point::new(3, 15), Point::new(15, 3)]);
    assert_eq!(word, Word::Result(Settlement::Counted { dead, contested: vec![] }));
    reply.say(Ok(vec![10]));

    // the clock: shown, called, and stopped only after a question
    let side = |ms, periods| SideClock {
        phase: if periods == 0 { TimePhase::Main } else { TimePhase::Period },
        ms,
        periods: (periods > 0).then_some(periods),
    };
    let view = |running| ClockView {
        times: ClockTimes { black: side(1_511_000, 0), white: side(29_500, 3) },
        running,
        turn: Some(Color::White),
        stopped: running.is_none(),
        software: false,
        age_ms: 0,
    };
    table.feed.clock(Some(view(Some(Color::White))));
    browser.wait("the clock", "return !document.getElementById('clock').hidden");
    assert_eq!((browser.text("time-B"), browser.text("periods-W")), ("0:25:11".into(), "3 periods".into()));
    browser.wait("White's time to run off", "return document.getElementById('time-W').textContent < '0:00:29'");
    table.happen(EventKind::ClockCall, |e| {
        (e.color, e.call) = (Some(Color::White), Some(ClockCall::Seconds { seconds: 30 }));
        e.text = text("30 seconds", "30秒");
    });
    browser.wait("the call", "return document.getElementById('clock-call').textContent.includes('30 seconds')");
    assert_eq!(browser.run("return document.querySelector('#events [data-kind=clock_call]')"), Value::Null);
    browser.run("document.querySelector('[data-order=stop]').click()");
    assert_eq!(browser.text("confirm-question"), "Stop the clock?");
    assert!(input.try_recv().is_err(), "not yet");
    browser.run("document.getElementById('confirm-no').click()");
    browser.run("document.querySelector('[data-order=stop]').click()");
    browser.run("document.getElementById('confirm-yes').click()");
    assert!(matches!(input.recv_timeout(second), Ok(OperatorInput::Clock { order: ClockOrder::Stop, .. })));
    table.feed.clock(Some(view(None)));
    browser.wait("that it stands", "return !document.querySelector('[data-order=set]').disabled");
    browser.run("document.querySelector('[data-order=set]').click()");
    browser.run("document.getElementById('set-time-B').value = 'soon'");
    browser.run("document.getElementById('confirm-yes').click()");
    assert!(browser.text("clock-answer").contains("0:25:30"), "how a time is written");
    browser.run("document.getElementById('set-time-B').value = '24:00'");
    browser.run("document.getElementById('set-time-W').value = '0:00:30'");
    browser.run("document.getElementById('confirm-yes').click()");
    let Ok(OperatorInput::Clock { order: ClockOrder::Set(times), .. }) = input.recv_timeout(second) else {
        panic!("no times")
    };
    assert_eq!(times, ClockTimes { black: side(1_440_000, 0), white: side(30_000, 3) });
    browser.run("document.querySelector('[data-order=resume]').click()");
    browser.run("document.getElementById('confirm-yes').click()");
    assert!(matches!(
        input.recv_timeout(second),
        Ok(OperatorInput::Clock { order: ClockOrder::Resume { side: Some(Color::White) }, .. })
    ));

    // trouble of another part is shown as well
    table.feed.health(health().with("record", Condition::Lost, text("The disk is full.", "磁盘已满。")));
    browser.wait("the full disk", "return document.getElementById('sentence').textContent === 'The disk is full.'");
    table.feed.health(health());
    browser.wait("all in order again", "return document.body.dataset.status === 'good'");

    let console = browser.console();
    assert!(console.is_empty(), "the console of the browser: {console:?}");

    // a dead goband must not look like a game in order
    let Table { feed, game, seq } = table;
    feed.shutdown();
    browser.wait("that goband is gone", "return document.body.dataset.status === 'gone'");

    // and when it comes back the page goes on by itself, with the same game
    let feed = Feed::spawn(FeedConfig { listen: address, table: "Board 7".into(), ..FeedConfig::default() }).unwrap();
    feed.health(health());
    let mut table = Table { feed, game, seq };
    table.play(Color::Black, 2, 2);
    browser.wait("the connection", "return document.body.dataset.status === 'good'");
    browser.wait("the move after the restart", &stone("2,2"));
}
