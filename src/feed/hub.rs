//! The one place where what is to be shown lies: written by the table, read by every connection.
//!
//! The lock is held for the copying of a few pointers only, never while anything is sent: no client can hold up the table.
//! There are no queues for clients. Each connection remembers how far it has read and takes what is new; who falls behind
//! what is kept is dropped and comes back with its `Last-Event-ID`.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::FeedConfig;
use super::scene::Scene;
use super::view::{ClockView, Condition, Health, StateView};
use crate::game::{Event, EventKind, Text};

/// An event as it is sent.
#[derive(Clone, Debug)]
pub struct Logged {
    pub seq: u64,
    pub json: Arc<str>,
}

/// A camera picture.
#[derive(Clone, Debug)]
pub struct Picture {
    pub version: u64,
    pub jpeg: Arc<Vec<u8>>,
    pub taken: Instant,
}

/// How far a connection has read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    /// Last event sent.
    pub seq: u64,
    /// Revision of the state sent.
    pub state: u64,
    /// Revision of the health sent.
    pub health: u64,
    /// Revision of the clock sent.
    pub clock: u64,
    /// The game that `seq` counts in; 0 before the first message.
    pub game: u64,
}

/// What is new for a connection.
#[derive(Debug, Default)]
pub struct News {
    pub events: Vec<Logged>,
    /// Seq of the newest event and the whole state after it.
    pub state: Option<(u64, Arc<str>)>,
    pub health: Option<Arc<str>>,
    pub clock: Option<Arc<str>>,
    /// Events that this connection has not had are no longer kept.
    pub fell_behind: bool,
    /// Another game has begun: what was sent before is no longer shown.
    pub new_game: bool,
    pub ended: bool,
}

/// Events from the log, and what the log holds.
#[derive(Debug)]
pub struct Excerpt {
    /// The oldest and newest seq that are kept (0 if none).
    pub kept: (u64, u64),
    pub events: Vec<Logged>,
    pub more: bool,
}

#[derive(Default)]
struct Inner {
    /// Counts the games that this hub has shown.
    game: u64,
    record_dir: Option<PathBuf>,
    state: Arc<StateView>,
    scene: Scene,
    acknowledged: BTreeSet<u64>,
    decidable: BTreeSet<u64>,
    log: VecDeque<Logged>,
    last_seq: u64,
    revision: u64,
    state_json: Option<Arc<str>>,
    health: Option<(Health, Instant)>,
    health_revision: u64,
    health_json: Option<(bool, Arc<str>)>,
    clock: Option<(ClockView, Instant)>,
    clock_revision: u64,
    picture: Option<Picture>,
    ended: bool,
}

/// See the module.
pub struct Hub {
    inner: Mutex<Inner>,
    news: Condvar,
    table: String,
    orientation: u16,
    /// When this hub began, to tell it from the one before a restart.
    born: String,
    page_tag: String,
    log_limit: usize,
    silence_limit: Duration,
    spawned: Instant,
}

/// The last move with what it is called.
#[derive(Serialize)]
struct LastMove {
    #[serde(flatten)]
    played: super::view::MoveView,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<crate::rules::Term>,
}

/// `/api/state` and the `state` message of the stream.
#[derive(Serialize)]
struct StateMessage<'a> {
    version: &'static str,
    page: &'a str,
    life: &'a str,
    table: &'a str,
    record: &'a str,
    orientation: u16,
    seq: u64,
    #[serde(rename = "move")]
    move_number: u32,
    last_move: Option<LastMove>,
    #[serde(flatten)]
    state: &'a StateView,
    acknowledged: &'a BTreeSet<u64>,
    notices: &'a [Event],
    picture: bool,
}

/// `/health` and the `health` message of the stream.
#[derive(Serialize)]
struct HealthMessage<'a> {
    well: bool,
    version: &'static str,
    table: &'a str,
    /// Milliseconds since the table last reported; null before the first time.
    reported_ms_ago: Option<u64>,
    parts: &'a [super::view::Part],
}

impl Hub {
    pub fn new(config: &FeedConfig, page_tag: &str) -> Hub {
        let born = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis());
        Hub {
            inner: Mutex::new(Inner {
                game: 1,
                record_dir: config.record_dir.clone(),
                revision: 1,
                health_revision: 1,
                ..Inner::default()
            }),
            news: Condvar::new(),
            table: config.table.clone(),
            orientation: config.orientation,
            born: born.to_string(),
            page_tag: page_tag.to_string(),
            log_limit: config.max_events.max(1),
            silence_limit: config.silence_limit,
            spawned: Instant::now(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Every change below leaves the data whole, so a panic of another thread is no reason to stop showing it.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes events and the state after the last of them. Events that were already given are left out.
    pub fn events(&self, events: &[Event], state: StateView) {
        let logged: Vec<Logged> = events
            .iter()
            .filter_map(|e| Some(Logged { seq: e.seq, json: serde_json::to_string(e).ok()?.into() }))
            .collect();
        let state = Arc::new(state);
        let mut inner = self.lock();
        for (event, logged) in events.iter().zip(logged) {
            if event.seq <= inner.last_seq {
                continue;
            }
            inner.last_seq = event.seq;
            inner.scene.apply(event);
            if event.kind.is_infraction() || event.kind == EventKind::Unexplained {
                inner.decidable.insert(event.seq);
            }
            inner.log.push_back(logged);
            if inner.log.len() > self.log_limit {
                inner.log.pop_front();
            }
        }
        inner.state = state;
        inner.revision += 1;
        inner.state_json = None;
        drop(inner);
        self.news.notify_all();
    }

    pub fn picture(&self, jpeg: Vec<u8>) {
        let mut inner = self.lock();
        let version = inner.picture.as_ref().map_or(1, |p| p.version + 1);
        inner.picture = Some(Picture { version, jpeg: Arc::new(jpeg), taken: Instant::now() });
        if version == 1 {
            // the page learns from the state that there is a picture to ask for
            inner.revision += 1;
            inner.state_json = None;
        }
        drop(inner);
        self.news.notify_all();
    }

    pub fn health(&self, health: Health) {
        let mut inner = self.lock();
        let now = Instant::now();
        let changed = inner.health.as_ref().is_none_or(|(old, at)| *old != health || self.silent(*at, now));
        inner.health = Some((health, now));
        if changed {
            inner.health_revision += 1;
            inner.health_json = None;
            drop(inner);
            self.news.notify_all();
        }
    }

    pub fn clock(&self, clock: Option<ClockView>) {
        let mut inner = self.lock();
        let now = Instant::now();
        // the same reading, only older, is no news
        let face = |c: ClockView| ClockView { age_ms: 0, ..c };
        let changed = inner.clock.map(|(c, _)| face(c)) != clock.map(face);
        inner.clock = clock.map(|c| (c, now));
        if changed {
            inner.clock_revision += 1;
            drop(inner);
            self.news.notify_all();
        }
    }

    /// What the clock shows now; none if there is none that tells.
    pub fn clock_view(&self) -> Option<ClockView> {
        let (view, told) = self.lock().clock?;
        let since = u64::try_from(told.elapsed().as_millis()).unwrap_or(u64::MAX);
        Some(ClockView { age_ms: view.age_ms.saturating_add(since), ..view })
    }

    /// The same as JSON, `null` where there is none.
    pub fn clock_json(&self) -> String {
        serde_json::to_string(&self.clock_view()).unwrap_or_else(|_| "null".into())
    }

    /// The operator has seen that infraction.
    pub fn acknowledge(&self, of: u64) {
        let mut inner = self.lock();
        if inner.acknowledged.insert(of) {
            inner.revision += 1;
            inner.state_json = None;
            drop(inner);
            self.news.notify_all();
        }
    }

    /// Whether the event of that number is one that somebody can decide: an infraction, or a doubt.
    pub fn is_decidable(&self, seq: u64) -> bool {
        self.lock().decidable.contains(&seq)
    }

    /// Whether play stands still by the operator's word.
    pub fn is_on_break(&self) -> bool {
        self.lock().scene.notices().iter().any(|n| n.kind == EventKind::BreakBegun)
    }

    /// Forgets the game; events are counted from 1 again. Picture and health stay: the table is the same.
    pub fn new_game(&self, record_dir: Option<PathBuf>, state: StateView) {
        let mut inner = self.lock();
        let old = std::mem::take(&mut *inner);
        *inner = Inner {
            game: old.game + 1,
            record_dir,
            state: Arc::new(state),
            revision: old.revision + 1,
            health: old.health,
            health_revision: old.health_revision,
            health_json: old.health_json,
            clock: old.clock,
            clock_revision: old.clock_revision,
            picture: old.picture,
            ended: old.ended,
            ..Inner::default()
        };
        drop(inner);
        self.news.notify_all();
    }

    /// The folder of the record that is shown.
    pub fn record_dir(&self) -> Option<PathBuf> {
        self.lock().record_dir.clone()
    }

    /// Tells one game, and one life of the daemon, from the next.
    pub fn life(&self) -> String {
        self.life_of(&self.lock())
    }

    fn life_of(&self, inner: &Inner) -> String {
        format!("{}-{}", self.born, inner.game)
    }

    /// Ends every stream.
    pub fn end(&self) {
        self.lock().ended = true;
        self.news.notify_all();
    }

    /// The newest picture.
    pub fn newest_picture(&self) -> Option<Picture> {
        self.lock().picture.clone()
    }

    /// Waits for a picture newer than `after`; None after `patience` or at the end.
    pub fn next_picture(&self, after: u64, patience: Duration) -> Option<Picture> {
        let deadline = Instant::now() + patience;
        let mut inner = self.lock();
        loop {
            if inner.ended {
                return None;
            }
            if let Some(p) = &inner.picture
                && p.version > after
            {
                return Some(p.clone());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            inner = self.news.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub fn ended(&self) -> bool {
        self.lock().ended
    }

    /// Seq of the newest event and the state after it, as JSON.
    pub fn state_json(&self) -> (u64, Arc<str>) {
        let mut inner = self.lock();
        (inner.last_seq, self.state_json_of(&mut inner))
    }

    fn state_json_of(&self, inner: &mut Inner) -> Arc<str> {
        if let Some(json) = &inner.state_json {
            return json.clone();
        }
        let last_move = inner.state.moves.last().copied();
        let folder = inner.record_dir.as_ref().and_then(|d| d.file_name());
        let message = StateMessage {
            version: env!("CARGO_PKG_VERSION"),
            page: &self.page_tag,
            life: &self.life_of(inner),
            table: &self.table,
            record: &folder.map_or(String::new(), |f| f.to_string_lossy().into_owned()),
            orientation: self.orientation,
            seq: inner.last_seq,
            move_number: last_move.map_or(0, |m| m.n),
            last_move: last_move.map(|played| LastMove { played, name: inner.state.last_name }),
            state: &inner.state,
            acknowledged: &inner.acknowledged,
            notices: inner.scene.notices(),
            picture: inner.picture.is_some(),
        };
        let json: Arc<str> = serde_json::to_string(&message).unwrap_or_else(|_| "{}".into()).into();
        inner.state_json = Some(json.clone());
        json
    }

    fn silent(&self, reported: Instant, now: Instant) -> bool {
        now.saturating_duration_since(reported) > self.silence_limit
    }

    /// Whether all is well, and the health as JSON.
    pub fn health_json(&self) -> (bool, Arc<str>) {
        let inner = self.lock();
        let (well, json) = self.health_now(&inner);
        (well, json.into())
    }

    fn health_now(&self, inner: &Inner) -> (bool, String) {
        let now = Instant::now();
        let age = inner.health.as_ref().map(|(_, at)| now.saturating_duration_since(*at));
        let mut health = inner.health.as_ref().map(|(h, _)| h.clone()).unwrap_or_default();
        match age {
            // A table that hangs must not look like a table where nothing happens.
            Some(age) if age > self.silence_limit => {
                let s = age.as_secs();
                health = health.with(
                    "table",
                    Condition::Lost,
                    Some(Text {
                        en: format!(
                            "The table has not reported for {s} seconds: restart goband if it does not recover."
                        ),
                        zh: format!("对局台已有 {s} 秒没有报告：若不恢复，请重启 goband。"),
                    }),
                );
            }
            None => {
                let lost = self.silent(self.spawned, now);
                health = health.with(
                    "table",
                    if lost { Condition::Lost } else { Condition::Degraded },
                    Some(Text { en: "goband is starting.".into(), zh: "goband 正在启动。".into() }),
                );
            }
            _ => {}
        }
        let well = health.is_well();
        let message = HealthMessage {
            well,
            version: env!("CARGO_PKG_VERSION"),
            table: &self.table,
            reported_ms_ago: age.map(|a| u64::try_from(a.as_millis()).unwrap_or(u64::MAX)),
            parts: &health.parts,
        };
        (well, serde_json::to_string(&message).unwrap_or_else(|_| "{\"well\":false}".into()))
    }

    /// Up to `limit` events after that seq.
    pub fn excerpt(&self, after: u64, limit: usize) -> Excerpt {
        let inner = self.lock();
        let start = inner.log.partition_point(|l| l.seq <= after);
        let events: Vec<Logged> = inner.log.range(start..).take(limit).cloned().collect();
        let more = start + events.len() < inner.log.len();
        Excerpt { kept: (inner.log.front().map_or(0, |l| l.seq), inner.last_seq), events, more }
    }

    /// Waits until there is something after the cursor, at most `patience`, and moves the cursor on.
    pub fn wait(&self, cursor: &mut Cursor, patience: Duration) -> News {
        let deadline = Instant::now() + patience;
        let mut inner = self.lock();
        loop {
            self.refresh_health(&mut inner);
            let new = inner.ended
                || cursor.state != inner.revision
                || cursor.health != inner.health_revision
                || cursor.clock != inner.clock_revision;
            let left = deadline.saturating_duration_since(Instant::now());
            if new || left.is_zero() {
                break;
            }
            // Silence of the table makes no notification, so look at the time now and then.
            let nap = left.min(Duration::from_secs(1));
            inner = self.news.wait_timeout(inner, nap).unwrap_or_else(PoisonError::into_inner).0;
        }
        let new_game = cursor.game != 0 && cursor.game != inner.game;
        if new_game {
            cursor.seq = 0;
        }
        let mut news = News { ended: inner.ended, new_game, ..News::default() };
        let oldest = inner.log.front().map_or(inner.last_seq + 1, |l| l.seq);
        news.fell_behind = cursor.seq + 1 < oldest && cursor.seq < inner.last_seq;
        if cursor.seq < inner.last_seq {
            let start = inner.log.partition_point(|l| l.seq <= cursor.seq);
            news.events = inner.log.range(start..).cloned().collect();
        }
        if cursor.state != inner.revision {
            news.state = Some((inner.last_seq, self.state_json_of(&mut inner)));
        }
        if cursor.health != inner.health_revision {
            news.health = inner.health_json.as_ref().map(|(_, json)| json.clone());
        }
        let clock_changed = cursor.clock != inner.clock_revision;
        *cursor = Cursor {
            seq: inner.last_seq,
            state: inner.revision,
            health: inner.health_revision,
            clock: inner.clock_revision,
            game: inner.game,
        };
        drop(inner);
        if clock_changed {
            news.clock = Some(self.clock_json().into());
        }
        news
    }

    /// Makes the health text anew where it has changed: by a report, or by the lack of one.
    fn refresh_health(&self, inner: &mut Inner) {
        let (well, json) = self.health_now(inner);
        match &inner.health_json {
            Some((before, _)) if *before == well => {}
            Some(_) => {
                inner.health_revision += 1;
                inner.health_json = Some((well, json.into()));
            }
            None => inner.health_json = Some((well, json.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Interval;

    fn event(seq: u64, kind: EventKind) -> Event {
        let mut e = Event::new(kind, Interval::default(), seq * 1000, 0.9);
        e.seq = seq;
        e
    }

    fn hub(log_limit: usize) -> Hub {
        let config =
            FeedConfig { max_events: log_limit, silence_limit: Duration::from_millis(60), ..FeedConfig::default() };
        Hub::new(&config, "p")
    }

    #[test]
    fn the_log_is_bounded_and_says_what_it_holds() {
        let hub = hub(3);
        for seq in 1..=5 {
            hub.events(&[event(seq, EventKind::Move)], StateView::default());
        }
        hub.events(&[event(5, EventKind::Move)], StateView::default());
        let e = hub.excerpt(0, 2);
        assert_eq!((e.kept, e.more), ((3, 5), true));
        assert_eq!(e.events.iter().map(|l| l.seq).collect::<Vec<_>>(), [3, 4]);
        assert!(hub.excerpt(5, 9).events.is_empty());
    }

    #[test]
    fn a_cursor_gets_each_event_once_and_the_newest_state() {
        let hub = hub(3);
        let mut cursor = Cursor::default();
        let first = hub.wait(&mut cursor, Duration::ZERO);
        assert!(first.state.is_some() && first.health.is_some() && !first.fell_behind);
        let nothing = hub.wait(&mut cursor, Duration::ZERO);
        assert!(nothing.state.is_none() && nothing.events.is_empty());
        hub.events(&[event(1, EventKind::Move), event(2, EventKind::DoubleMove)], StateView::default());
        let news = hub.wait(&mut cursor, Duration::ZERO);
        assert_eq!(news.events.len(), 2);
        assert_eq!(news.state.unwrap().0, 2);
        assert!(hub.is_decidable(2) && !hub.is_decidable(1));
        let mut late = cursor;
        for seq in 3..=9 {
            hub.events(&[event(seq, EventKind::Move)], StateView::default());
        }
        assert!(hub.wait(&mut late, Duration::ZERO).fell_behind);
    }

    #[test]
    fn the_clock_is_told_when_its_face_changes_and_not_when_it_grows_old() {
        use crate::game::{ClockTimes, SideClock, TimePhase};
        let side = |ms| SideClock { phase: TimePhase::Main, ms, periods: None };
        let view = |ms, age_ms| ClockView {
            times: ClockTimes { black: side(ms), white: side(5000) },
            running: Some(crate::rules::Color::Black),
            turn: None,
            stopped: false,
            software: true,
            age_ms,
        };
        let hub = hub(3);
        let mut cursor = Cursor::default();
        assert!(hub.wait(&mut cursor, Duration::ZERO).clock.is_none(), "no clock");
        hub.clock(Some(view(9000, 0)));
        let told = hub.wait(&mut cursor, Duration::ZERO).clock.unwrap();
        assert!(
            told.starts_with(r#"{"B":{"phase":"main","ms":9000},"W""#) && told.contains(r#""running":"B""#),
            "{told}"
        );
        hub.clock(Some(view(9000, 500)));
        assert!(hub.wait(&mut cursor, Duration::ZERO).clock.is_none());
        hub.clock(Some(view(8000, 20)));
        assert!(hub.wait(&mut cursor, Duration::ZERO).clock.is_some());
        hub.clock(None);
        assert_eq!(hub.wait(&mut cursor, Duration::ZERO).clock.as_deref(), Some("null"));
    }

    #[test]
    fn silence_of_the_table_is_a_fault_and_is_told() {
        let hub = hub(3);
        assert!(!hub.health_json().0, "nothing reported yet");
        hub.health(Health::default().with("source", Condition::Well, None));
        assert!(hub.health_json().0);
        let mut cursor = Cursor::default();
        hub.wait(&mut cursor, Duration::ZERO);
        std::thread::sleep(Duration::from_millis(80));
        assert!(!hub.health_json().0);
        let news = hub.wait(&mut cursor, Duration::from_secs(1));
        assert!(news.health.unwrap().contains("\"well\":false"));
        hub.health(Health::default().with("source", Condition::Well, None));
        let news = hub.wait(&mut cursor, Duration::from_secs(1));
        assert!(news.health.unwrap().contains("\"well\":true"));
    }
}
