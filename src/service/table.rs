//! One table: pictures in, events out to every sink. The same for a live table and for a replay.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use crossbeam_channel::{Receiver, never, select, tick};

use crate::capture::{Captured, Frame};
use crate::feed::{Condition, Feed, FeedConfig, Health, OperatorInput, Particulars, Ruling};
use crate::game::{self, Event, EventKind, GameInfo, GameState, Interval, SinkReport, Text};
use crate::record::{JOURNAL_FILE, Journal, evidence_path};
use crate::referee::{Press, Referee, RefereeOptions};
use crate::rules::time::TimeNotice;
use crate::rules::{Outcome, Penalty, Sanction, other_verdict};
use crate::signal::{Button, ClockEffect, ClockObeyed, ClockPress, ConsoleInput};
use crate::vision::{Lattice, Models, Watcher, WatcherOptions};

use super::clock;
use super::pictures::Shown;
use super::sinks::{SignalSetup, SinkSetup, Sinks};

/// How often the health is told and a refusing disk is tried again.
const TICK: Duration = Duration::from_millis(500);
/// Pictures are this late before the page says so.
const SILENCE: Duration = Duration::from_secs(3);

/// What a table needs.
pub struct TableSetup {
    /// Folder of the game: journal, `game.sgf`, `evidence/`.
    pub folder: PathBuf,
    pub name: String,
    pub info: GameInfo,
    /// 9, 13 or 19; found when absent.
    pub size: Option<u8>,
    /// The outermost crossings by hand or from a calibration.
    pub corners: Option<[[f64; 2]; 4]>,
    /// Ruleset, grace time, and the position and history already reached.
    pub referee: RefereeOptions,
    pub signal: SignalSetup,
    pub feed: Option<FeedConfig>,
    /// Every frame counts, `events.jsonl` is written, an older journal in the folder is put aside.
    pub replay: bool,
    /// The pictures lie far apart, each a photo of its own.
    pub stills: bool,
}

/// A running table.
pub struct Table {
    watcher: Watcher,
    watcher_options: WatcherOptions,
    referee: Referee,
    referee_options: RefereeOptions,
    state: GameState,
    events: Vec<Event>,
    /// How many of `events` were in the journal already.
    resumed: usize,
    sinks: Sinks,
    /// Added to a source's times: a resumed table goes on after what the journal holds.
    offset_ms: u64,
    now_ms: u64,
    frames: u64,
    picture_size: [i32; 2],
    last_picture: Option<Instant>,
    picture_time: clock::PictureTime,
    /// A picture may be so much older than its time.
    picture_delay_ms: u64,
    /// Frames and the instant since which they are counted, for the health page.
    pace: (u64, Instant),
    frames_per_second: f64,
    source_lost: Option<String>,
    /// The `sink_degraded` event of every sink that is in trouble.
    degraded: BTreeMap<String, u64>,
    /// Clock presses of a replay, earliest last.
    presses: Vec<Press>,
    replay: bool,
}

/// What a table did.
#[derive(Clone, Debug)]
pub struct Summary {
    pub events: Vec<Event>,
    pub moves: usize,
    pub frames: u64,
    /// Table time of the last frame.
    pub until_ms: u64,
}

impl Table {
    /// Opens journal and sinks. A live table goes on with the game that its folder holds.
    ///
    /// # Errors
    /// The journal is in use or unreadable, a device is not usable, the page's address is taken; the message names it.
    pub fn open(setup: TableSetup) -> Result<Table> {
        let TableSetup { folder, name, info, size, corners, referee: referee_options, signal, feed, replay, stills } =
            setup;
        std::fs::create_dir_all(&folder).with_context(|| format!("{}: the folder cannot be made", folder.display()))?;
        let age = journal_age(&folder);
        let (journal, past) =
            if replay { (Journal::begin(&folder, &name)?, Vec::new()) } else { Journal::open_table(&folder, &name)? };
        let feed = match feed {
            Some(config) => Some(Feed::spawn(FeedConfig { record_dir: Some(folder.clone()), ..config })?),
            None => None,
        };
        let ruleset = Arc::clone(&referee_options.ruleset);
        let picture_delay_ms = signal.clock.picture_delay_ms.unwrap_or(0);
        let setup = SinkSetup { folder: &folder, table: &name, info, signal, ruleset, feed, replay };
        let mut sinks = Sinks::open(journal, setup)?;
        let mut state = referee_options
            .start
            .as_ref()
            .map_or_else(GameState::default, |h| GameState::starting(h.clone()))
            .under(referee_options.ruleset.clone());
        for event in &past {
            state.apply(event);
        }
        sinks.resume(&past, &state);
        let watcher_options = WatcherOptions { size, corners, models: Models::from_env(), stills };
        let referee = if past.is_empty() {
            Referee::new(referee_options.clone())
        } else {
            Referee::resume(referee_options.clone(), &past)
        };
        let offset_ms = past.iter().map(|e| e.reported_ms.max(e.at_ms.last)).max().map_or(0, |last| {
            // the time that nobody watched has passed too
            last + age.map_or(1000, |a| u64::try_from(a.as_millis()).unwrap_or(1000).max(1))
        });
        Ok(Table {
            watcher: Watcher::new(watcher_options.clone())?,
            watcher_options,
            referee,
            referee_options,
            state,
            resumed: past.len(),
            events: past,
            sinks,
            offset_ms,
            now_ms: offset_ms,
            frames: 0,
            picture_size: [0, 0],
            last_picture: None,
            picture_time: clock::PictureTime::default(),
            picture_delay_ms,
            pace: (0, Instant::now()),
            frames_per_second: 0.0,
            source_lost: None,
            degraded: BTreeMap::new(),
            presses: Vec::new(),
            replay,
        })
    }

    pub fn state(&self) -> &GameState {
        &self.state
    }

    /// Events so far, those before a restart included.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// How many of [`Table::events`] were in the journal already.
    pub fn resumed(&self) -> usize {
        self.resumed
    }

    /// Where the board is, while it is known.
    pub fn lattice(&self) -> Option<&Lattice> {
        self.watcher.lattice()
    }

    pub fn feed_address(&self) -> Option<std::net::SocketAddr> {
        self.sinks.feed().map(Feed::address)
    }

    /// Clock presses that a replay gives to the referee at their time.
    pub fn expect_presses(&mut self, mut presses: Vec<Press>) {
        presses.sort_by_key(|p| std::cmp::Reverse(p.ms));
        self.presses = presses;
    }

    /// Handles what came out of the capture thread. False at the end of the footage.
    pub fn captured(&mut self, captured: Captured) -> bool {
        match captured {
            Captured::Frame(frame) => self.frame(frame),
            Captured::Lost { time_ms, reason } => {
                tracing::warn!("the source is lost: {reason}");
                self.now_ms = self.now_ms.max(self.offset_ms + time_ms);
                let events = self.referee.source_lost(self.now_ms, &reason);
                self.source_lost = Some(reason);
                self.publish(events);
            }
            Captured::Back { time_ms } => {
                tracing::info!("the source is back");
                self.now_ms = self.now_ms.max(self.offset_ms + time_ms);
                self.source_lost = None;
                let events = self.referee.source_back(self.now_ms);
                self.publish(events);
            }
            Captured::End => return false,
        }
        true
    }

    fn frame(&mut self, frame: Frame) {
        let time_ms = self.offset_ms + frame.time_ms;
        self.now_ms = time_ms;
        self.frames += 1;
        let now = Instant::now();
        self.last_picture = Some(now);
        self.picture_time.handled(time_ms, now);
        self.picture_size = frame.size();
        self.hand_on_presses(time_ms);
        // A picture must never end the daemon. Whatever vision or referee trip over, the journal is whole: fold it again.
        let seen = catch_unwind(AssertUnwindSafe(|| {
            let mut sighting = self.watcher.see(&frame);
            sighting.time_ms = time_ms;
            let events = self.referee.sight(&sighting);
            (sighting, events)
        }));
        let Ok((sighting, events)) = seen else { return self.restart_recognition(frame.index) };
        let deciding = !events.is_empty();
        self.publish(events);
        let page = self.sinks.feed().is_some() && self.sinks.pictures.page_wants(time_ms);
        let moving = sighting.hand || sighting.motion;
        if page || self.sinks.pictures.wants(time_ms, deciding, moving) {
            let overlay = self.watcher.lattice().filter(|_| page && !sighting.points.is_empty()).cloned();
            let overlay = overlay.map(|lattice| (lattice, sighting.points));
            self.sinks.show(Shown { frame, time_ms, deciding, page, overlay });
        }
    }

    /// Builds watcher and referee anew after a fault of ours, and says so.
    fn restart_recognition(&mut self, frame: u64) {
        tracing::error!("vision or referee failed on frame {frame}; both start again from the journal");
        match Watcher::new(self.watcher_options.clone()) {
            Ok(watcher) => self.watcher = watcher,
            Err(e) => tracing::error!("the watcher cannot be made anew: {e}"),
        }
        self.referee = Referee::resume(self.referee_options.clone(), &self.events);
        let text = Text {
            en: format!(
                "An internal fault on picture {frame}: the recognition was started again; please check the board."
            ),
            zh: format!("第 {frame} 帧处理时发生内部故障,识别已重新启动,请核对盘面。"),
        };
        self.publish_reports(vec![SinkReport { sink: "recognition".into(), degraded: true, text }]);
    }

    fn publish(&mut self, events: Vec<Event>) {
        for event in events {
            self.publish_one(event);
        }
    }

    fn publish_one(&mut self, mut event: Event) {
        let worth_evidence =
            event.kind.is_infraction() || matches!(event.kind, EventKind::Unexplained | EventKind::Corrected);
        if worth_evidence && event.evidence.is_none() {
            event.evidence = Some(evidence_path(event.seq, event.kind));
        }
        if event.text.is_none() {
            event.text = Some(game::describe(&event, self.state.board().size()));
        }
        self.state.apply(&event);
        self.sinks.publish(&event, &self.state);
        self.events.push(event);
    }

    /// Makes events of what sinks say about themselves.
    fn publish_reports(&mut self, reports: Vec<SinkReport>) {
        for report in reports {
            let mut event = report.event(self.now_ms);
            if !report.degraded {
                event.of = self.degraded.remove(&report.sink);
            }
            let event = self.referee.admit(event);
            if report.degraded {
                self.degraded.insert(report.sink, event.seq);
            }
            self.publish_one(event);
        }
    }

    /// A press of the clock, from a device: at the instant it was pressed, in the table's time.
    fn pressed(&mut self, press: ClockPress) {
        let at = self.picture_time.of(press.at).unwrap_or(self.now_ms);
        let (ms, half_ms) = clock::among_pictures(at, u64::from(press.uncertainty_ms), self.picture_delay_ms);
        tracing::info!("{}: {:?} pressed the clock at {ms} ms (±{half_ms} ms)", press.device, press.side);
        self.presses.push(Press { ms, side: press.side, uncertainty_ms: half_ms });
        self.presses.sort_by_key(|p| std::cmp::Reverse(p.ms));
        // without pictures nothing else would hand it on
        if self.source_lost.is_some() {
            self.hand_on_presses(u64::MAX);
        }
    }

    /// What the software clock says: calls, and an overrun, which is an offence.
    fn clock_says(&mut self, said: &ClockEffect) {
        let text = said.effect.what.text();
        tracing::info!("clock: {}", text.en);
        self.sinks.tell_clock();
        let at = self.time_of(said.at);
        if let Some(call) = clock::call(&said.effect.what, at) {
            let call = self.referee.admit(call);
            return self.publish_one(call);
        }
        let TimeNotice::Overrun { side, .. } = said.effect.what else { return };
        let mut event = Event::new(EventKind::TimeOverrun, Interval { first: at, last: at }, self.now_ms.max(at), 1.0);
        event.color = Some(side);
        event.article = said.effect.article.clone();
        event.text = Some(text);
        event.verdict = self.referee_options.ruleset.infraction(EventKind::TimeOverrun).map(|r| r.verdict.clone());
        let event = self.referee.admit(event);
        self.publish_one(event);
    }

    /// A clock was stopped, set, or runs again.
    fn clock_obeyed(&mut self, obeyed: &ClockObeyed) {
        self.sinks.tell_clock();
        let event = self.referee.admit(clock::deed(&obeyed.deed, self.time_of(obeyed.at)));
        self.publish_one(event);
    }

    /// An instant in the table's time: between the last picture's arrival and now it goes on.
    fn time_of(&self, instant: Instant) -> u64 {
        match self.last_picture {
            Some(arrived) if instant >= arrived => self.now_ms.saturating_add(millis(instant - arrived)),
            Some(arrived) => self.now_ms.saturating_sub(millis(arrived - instant)),
            None => self.now_ms,
        }
    }

    /// Gives the referee the presses up to `time_ms`.
    fn hand_on_presses(&mut self, time_ms: u64) {
        while let Some(press) = self.presses.pop_if(|p| p.ms <= time_ms) {
            let events = self.referee.press(press);
            self.publish(events);
        }
    }

    fn console(&mut self, input: ConsoleInput) {
        tracing::info!("{}: {:?} {:?}", input.device, input.button, input.alarm);
        let Some(of) = input.alarm else { return };
        match input.button {
            Button::Accept => self.decision(of, Ruling::Accepted, Particulars::default(), None, &input.device),
            Button::Reject => self.decision(of, Ruling::Rejected, Particulars::default(), None, &input.device),
            // what the hub has done already
            Button::Acknowledge | Button::Call | Button::Stop | Button::Resume => {}
        }
    }

    fn operator(&mut self, input: OperatorInput) {
        match input {
            OperatorInput::Decision { of, ruling, note, from } => {
                self.decision(of, ruling, Particulars::default(), note, &from.to_string());
            }
            OperatorInput::Verdict { of, ruling, particulars, note, from } => {
                self.decision(of, ruling, particulars, note, &from.to_string());
            }
            OperatorInput::Word { word, from, reply } => {
                tracing::info!("said from {from}: {word:?}");
                let at = self.time_of(Instant::now());
                match self.referee.told(at, &word) {
                    Ok(events) => {
                        let seqs = events.iter().map(|e| e.seq).collect();
                        self.publish(events);
                        reply.say(Ok(seqs));
                    }
                    Err(why) => reply.say(Err(why)),
                }
            }
            OperatorInput::Clock { order, from } => {
                tracing::info!("the clock: {order:?} from {from}");
                if !self.sinks.order_clock(&order, from.to_string()) {
                    tracing::warn!("the clock cannot do that: {order:?}");
                }
                self.sinks.tell_clock();
            }
            OperatorInput::Acknowledge { of, from } => {
                tracing::info!("event {of} was acknowledged from {from}");
                self.sinks.acknowledge(of);
            }
            OperatorInput::Break { on, clock, from } => {
                let word = if on { "a break begins" } else { "play goes on" };
                let events = match on {
                    true => self.referee.break_begins(self.now_ms),
                    false => self.referee.play_goes_on(self.now_ms),
                };
                match events.is_empty() {
                    true => tracing::warn!(
                        "{from} says that {word}, which changes nothing: no game is on, or it is so already"
                    ),
                    false => tracing::info!("{from} says that {word}"),
                }
                for event in events {
                    match event.kind {
                        EventKind::BreakBegun | EventKind::PlayResumed => self.rest(event, clock),
                        _ => self.publish_one(event),
                    }
                }
            }
        }
    }

    /// A break begins or is over: so does the clock stand and run with it (000 10.2), and where it cannot, the event says so.
    fn rest(&mut self, mut event: Event, touch_clock: bool) {
        let says = if event.kind == EventKind::BreakBegun {
            let now = self.sinks.clock_in_break();
            self.sinks.break_begins(event.seq, touch_clock);
            clock::at_break(now, touch_clock)
        } else {
            clock::after_break(self.sinks.break_ends(event.seq, touch_clock))
        };
        if let Some(says) = says {
            let text = game::describe(&event, self.state.board().size());
            event.text = Some(Text { en: format!("{} {}", text.en, says.en), zh: format!("{}{}", text.zh, says.zh) });
        }
        self.publish_one(event);
        self.sinks.tell_clock();
    }

    /// Records what the referee made of an infraction.
    fn decision(&mut self, of: u64, ruling: Ruling, with: Particulars, note: Option<String>, from: &str) {
        let Some(subject) = self.events.iter().find(|e| e.seq == of && e.kind.is_infraction()) else {
            tracing::warn!("a decision about event {of}, which is no infraction, is ignored");
            return;
        };
        let (en, zh) = match ruling {
            Ruling::Accepted => ("the proposed verdict stands", "维持建议判罚"),
            Ruling::Rejected => ("no offence", "不构成违规"),
            Ruling::Other => ("another verdict", "另行判罚"),
            Ruling::Withdrawn => ("the decision is taken back", "撤回原裁定"),
        };
        let note = note.map(|n| format!(": {n}")).unwrap_or_default();
        let now = Interval { first: self.now_ms, last: self.now_ms };
        let mut event = Event::new(EventKind::Decision, now, self.now_ms, 1.0);
        event.of = Some(of);
        event.color = with.color.or_else(|| game::case(subject)?.by);
        event.ruling = Some(ruling);
        event.player = with.player.or_else(|| subject.player.clone());
        (event.penalty, event.outcome) = (with.penalty, with.outcome);
        event.circumstance = with.circumstance.or(subject.circumstance);
        event.verdict = self.verdict(subject, &event);
        event.text = Some(Text {
            en: format!("Referee on event {of} ({}): {en}{note}.", subject.kind.name()),
            zh: format!("裁判对第 {of} 号事件的裁定:{zh}{note}。"),
        });
        tracing::info!("decision about event {of} from {from}: {en}");
        let event = self.referee.admit(event);
        self.publish_one(event);
    }

    /// What a decision comes to, in words: the proposal after all that was decided before, or the referee's own.
    fn verdict(&self, subject: &Event, decision: &Event) -> Option<Text> {
        match decision.ruling? {
            Ruling::Accepted => {
                let mut case = game::case(subject)?;
                case.by = decision.color;
                case.player.clone_from(&decision.player);
                case.circumstance = decision.circumstance;
                let mut verdict = self.state.ledger().propose(&self.referee_options.ruleset, &case).verdict;
                if let Some(chosen) = decision.outcome.map(Outcome::name) {
                    verdict.en = format!("{}: {}", verdict.en, chosen.en);
                    verdict.zh = format!("{}：{}", verdict.zh, chosen.zh);
                }
                Some(verdict)
            }
            Ruling::Other if decision.penalty.is_some() || decision.outcome.is_some() => {
                let penalty = decision.penalty.unwrap_or(Penalty::of(Sanction::None));
                Some(other_verdict(penalty, decision.outcome))
            }
            Ruling::Other | Ruling::Rejected | Ruling::Withdrawn => None,
        }
    }

    /// What is not an event but must happen now and then: retries, health.
    pub fn tick(&mut self) {
        self.sinks.tick();
        let reports = self.sinks.take_reports();
        self.publish_reports(reports);
        let (frames, since) = self.pace;
        if since.elapsed() >= Duration::from_secs(2) {
            self.frames_per_second = (self.frames - frames) as f64 / since.elapsed().as_secs_f64();
            self.pace = (self.frames, Instant::now());
        }
        self.sinks.tell_health(self.scene_health());
        self.sinks.tell_clock();
    }

    fn scene_health(&self) -> Health {
        let silent = self.last_picture.is_none_or(|t| t.elapsed() > SILENCE);
        let [w, h] = self.picture_size;
        let (source, source_text) = match &self.source_lost {
            Some(reason) => {
                let en = format!("no pictures: {reason}; it is opened again and again");
                (Condition::Lost, Text { en, zh: format!("没有画面:{reason};正在反复重新连接") })
            }
            None if silent => {
                let en = "no picture for some seconds".into();
                (Condition::Lost, Text { en, zh: "已有数秒没有收到画面".into() })
            }
            None => {
                let fps = self.frames_per_second;
                let en = format!("{w}×{h}, {fps:.1} pictures a second");
                (Condition::Well, Text { en, zh: format!("{w}×{h},每秒 {fps:.1} 帧") })
            }
        };
        let (board, board_text) = match self.watcher.lattice() {
            Some(l) => {
                let en = format!("{0}×{0}, lattice to {1:.2} px", l.size, l.residual_px);
                (Condition::Well, Text { en, zh: format!("{0}×{0} 路,网格误差 {1:.2} 像素", l.size, l.residual_px) })
            }
            None => {
                let en = "the board is not found".into();
                (Condition::Lost, Text { en, zh: "未找到棋盘".into() })
            }
        };
        Health::default().with("source", source, Some(source_text)).with("board", board, Some(board_text))
    }

    /// Runs until the footage ends or `stop` is set. `on_event` sees every event after it was published.
    pub fn run(&mut self, captured: &Receiver<Captured>, stop: &AtomicBool, mut on_event: impl FnMut(&Event)) {
        let console = self.sinks.console().cloned().unwrap_or_else(never);
        let presses = self.sinks.presses().cloned().unwrap_or_else(never);
        let effects = self.sinks.clock_effects().cloned().unwrap_or_else(never);
        let deeds = self.sinks.clock_deeds().cloned().unwrap_or_else(never);
        let operator = self.sinks.feed().map_or_else(never, Feed::operator);
        let ticker = tick(TICK);
        let mut told = self.events.len();
        self.tick();
        while !stop.load(Ordering::Relaxed) {
            select! {
                recv(captured) -> c => match c {
                    Ok(c) => if !self.captured(c) { break },
                    Err(_) => break,
                },
                recv(console) -> input => if let Ok(input) = input { self.console(input) },
                recv(presses) -> press => if let Ok(press) = press { self.pressed(press) },
                recv(effects) -> effect => if let Ok(effect) = effect { self.clock_says(&effect) },
                recv(deeds) -> deed => if let Ok(deed) = deed { self.clock_obeyed(&deed) },
                recv(operator) -> input => if let Ok(input) = input { self.operator(input) },
                recv(ticker) -> _ => {
                    self.tick();
                    if !self.replay {
                        let _ = sd_notify::notify(&[sd_notify::NotifyState::Watchdog]);
                    }
                }
            }
            for event in &self.events[told..] {
                on_event(event);
            }
            told = self.events.len();
        }
        // a live table that is stopped goes on later: only footage has an end
        if self.replay {
            let events = self.referee.finish(self.now_ms);
            self.publish(events);
            for event in &self.events[told..] {
                on_event(event);
            }
        }
    }

    /// Ends the sinks after they have written everything.
    ///
    /// # Errors
    /// Something could not be written; the message says what.
    pub fn finish(self) -> Result<Summary> {
        let summary = Summary {
            moves: self.state.moves().len(),
            frames: self.frames,
            until_ms: self.now_ms,
            events: self.events,
        };
        self.sinks.finish()?;
        Ok(summary)
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// How long ago the journal was last written.
fn journal_age(folder: &Path) -> Option<Duration> {
    std::fs::metadata(folder.join(JOURNAL_FILE)).ok()?.modified().ok()?.elapsed().ok()
}

/// A flag that SIGINT, SIGTERM and SIGHUP set. A second one ends the program at once.
///
/// # Errors
/// The system refuses the handlers.
pub fn stop_on_signals() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
