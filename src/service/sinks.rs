//! Who is told of an event, and in what order: first the journal, then everybody else.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use crossbeam_channel::Receiver;

use crate::feed::{ClockOrder, Condition, Feed, Health};
use crate::game::{Event, GameInfo, GameState, SinkReport, Text, sgf};
use crate::record::{AppendOutcome, EventsFile, Evidence, EvidenceOptions, Journal, SgfFile};
use crate::rules::Ruleset;
use crate::signal::clock::{ClockInBreak, OrderedBy};
use crate::signal::{
    AlarmsConfig, ClockConfig, ClockEffect, ClockObeyed, ClockPress, ConsoleInput, DeviceConfig, SignalConfig, Signals,
};

use super::clock;
use super::pictures::{Pictures, Shown};

/// The sinks of one table.
pub struct Sinks {
    journal: Journal,
    events_file: Option<EventsFile>,
    sgf: SgfFile,
    folder: PathBuf,
    /// Which game of the journal `sgf` holds.
    game_number: usize,
    evidence: Arc<Evidence>,
    pub pictures: Pictures,
    signals: Option<Signals>,
    feed: Option<Arc<Feed>>,
    info: GameInfo,
    /// Reports of the sinks that work on this thread.
    own_reports: Vec<SinkReport>,
    /// The last word of every sink that is in trouble.
    troubles: Vec<SinkReport>,
}

/// The signal devices of a table and how they are to behave.
#[derive(Clone, Debug, Default)]
pub struct SignalSetup {
    pub devices: Vec<DeviceConfig>,
    pub alarms: AlarmsConfig,
    pub clock: ClockConfig,
}

/// What the sinks need.
pub struct SinkSetup<'a> {
    pub folder: &'a Path,
    pub table: &'a str,
    pub info: GameInfo,
    pub signal: SignalSetup,
    /// Weighs infractions for the lamps, and says whether a dispute stops the clock.
    pub ruleset: Arc<Ruleset>,
    pub feed: Option<Feed>,
    /// A replay: nothing is dropped, `events.jsonl` is written.
    pub replay: bool,
}

impl Sinks {
    /// Starts everything that hangs on an open journal.
    ///
    /// # Errors
    /// A thread, file or device that cannot be had; the message names it.
    pub fn open(journal: Journal, setup: SinkSetup) -> Result<Sinks> {
        let options = EvidenceOptions { lossless: setup.replay, ..EvidenceOptions::default() };
        let evidence = Arc::new(Evidence::spawn(setup.folder, options).context("the evidence's threads")?);
        let feed = setup.feed.map(Arc::new);
        let events_file = if setup.replay {
            let path = setup.folder.join("events.jsonl");
            Some(EventsFile::create(&path).with_context(|| format!("{}", path.display()))?)
        } else {
            None
        };
        let SignalSetup { devices, alarms, clock } = setup.signal;
        let signals = if devices.is_empty() && !clock.software {
            None
        } else {
            let game = setup.folder.display().to_string();
            let config = SignalConfig {
                devices,
                table: setup.table.to_owned(),
                game,
                alarms,
                clock,
                ruleset: Some(setup.ruleset),
                clock_file: Some(setup.folder.join("clock.json")),
                ..SignalConfig::default()
            };
            Some(Signals::spawn(config)?)
        };
        Ok(Sinks {
            journal,
            events_file,
            sgf: SgfFile::spawn(setup.folder.join(sgf_name(1))).context("the record's thread")?,
            folder: setup.folder.to_path_buf(),
            game_number: 1,
            pictures: Pictures::spawn(Arc::clone(&evidence), feed.clone(), setup.replay)
                .context("the pictures' thread")?,
            evidence,
            signals,
            feed,
            info: setup.info,
            own_reports: Vec::new(),
            troubles: Vec::new(),
        })
    }

    /// The record of the game that is on; every further game of the journal has a file of its own.
    fn write_sgf(&mut self, state: &GameState) {
        let number = state.game_number();
        if number != self.game_number {
            match SgfFile::spawn(self.folder.join(sgf_name(number))) {
                // the one before is written to its end when it is dropped
                Ok(file) => (self.sgf, self.game_number) = (file, number),
                Err(e) => tracing::error!("the record of game {number} cannot be begun: {e}"),
            }
        }
        if number == self.game_number {
            self.sgf.set(sgf::write(state, &self.info));
        }
    }

    /// Shows what the journal held at the start.
    pub fn resume(&mut self, events: &[Event], state: &GameState) {
        self.write_sgf(state);
        if let Some(feed) = &self.feed {
            feed.resume(events, state);
        }
        if let Some(signals) = &self.signals {
            signals.restore(events);
        }
    }

    /// Tells everybody. The journal is written before anyone is shown anything; the devices are told while its disk is
    /// waited for.
    pub fn publish(&mut self, event: &Event, state: &GameState) {
        let signals = self.signals.as_ref();
        let outcome = self.journal.append_telling(event, || {
            if let Some(signals) = signals {
                signals.tell(event);
            }
        });
        self.note(&outcome);
        if let Some(file) = &mut self.events_file
            && let Err(e) = file.write(event)
        {
            let text = Text {
                en: format!("events.jsonl cannot be written: {e}"),
                zh: format!("无法写入 events.jsonl:{e}"),
            };
            self.own_reports.push(SinkReport { sink: "events.jsonl".into(), degraded: true, text });
        }
        self.write_sgf(state);
        self.evidence.event(event);
        if let Some(feed) = &self.feed {
            feed.event(event, state);
        }
    }

    fn note(&mut self, outcome: &AppendOutcome) {
        if let AppendOutcome::Duplicate { seq } = outcome {
            tracing::error!("event {seq} was decided twice; the journal keeps the first");
        }
        self.own_reports.extend(outcome.report());
    }

    /// Hands a frame to evidence and page.
    pub fn show(&mut self, shown: Shown) {
        self.pictures.show(shown);
    }

    /// Tries again what a disk refused; call now and then.
    pub fn tick(&mut self) {
        if self.journal.waiting() > 0 {
            let outcome = self.journal.retry();
            self.note(&outcome);
        }
        self.own_reports.extend(self.journal.take_notices());
    }

    /// What sinks say about themselves since the last call.
    pub fn take_reports(&mut self) -> Vec<SinkReport> {
        let mut reports = std::mem::take(&mut self.own_reports);
        reports.extend(self.sgf.reports().try_iter());
        reports.extend(self.evidence.reports().try_iter());
        if let Some(signals) = &self.signals {
            reports.extend(signals.reports().try_iter());
        }
        for r in &reports {
            self.troubles.retain(|t| t.sink != r.sink);
            if r.degraded {
                tracing::warn!("{}: {}", r.sink, r.text.en);
                self.troubles.push(r.clone());
            } else {
                tracing::info!("{}: {}", r.sink, r.text.en);
            }
        }
        reports
    }

    /// Buttons of the referee's console.
    pub fn console(&self) -> Option<&Receiver<ConsoleInput>> {
        self.signals.as_ref().map(Signals::inputs)
    }

    /// What the software clock says.
    pub fn clock_effects(&self) -> Option<&Receiver<ClockEffect>> {
        self.signals.as_ref().map(Signals::clock_effects)
    }

    /// Orders that a clock has obeyed.
    pub fn clock_deeds(&self) -> Option<&Receiver<ClockObeyed>> {
        self.signals.as_ref().map(Signals::clock_deeds)
    }

    /// Gives the clock an order of the operator. False if there is no clock, or nobody knows whose time is to run.
    pub fn order_clock(&self, order: &ClockOrder, from: String) -> bool {
        self.signals.as_ref().is_some_and(|s| clock::order(s, order, OrderedBy::Operator(from)))
    }

    /// What a break that begins now means for the clock; none: there is nothing that tells of one.
    pub fn clock_in_break(&self) -> Option<ClockInBreak> {
        self.signals.as_ref().map(Signals::clock_in_break)
    }

    /// A break begins (event `of`): the clock stands. `touch`: false leaves it as it is.
    pub fn break_begins(&self, of: u64, touch: bool) {
        if let Some(signals) = &self.signals {
            signals.break_begins(of, touch);
        }
    }

    /// Play goes on (event `of`), and so does the clock that the break had stopped. False if the clock stands.
    pub fn break_ends(&self, of: u64, touch: bool) -> bool {
        self.signals.as_ref().is_none_or(|s| s.break_ends(of, touch))
    }

    /// Shows the page what the clock shows.
    pub fn tell_clock(&self) {
        if let Some(feed) = &self.feed {
            feed.clock(self.signals.as_ref().and_then(Signals::clock).map(|status| clock::view(&status)));
        }
    }

    /// Presses of the clock.
    pub fn presses(&self) -> Option<&Receiver<ClockPress>> {
        self.signals.as_ref().map(Signals::presses)
    }

    /// The referee has seen the alarm: lamps go back to attention.
    pub fn acknowledge(&self, alarm: u64) {
        if let Some(signals) = &self.signals {
            signals.acknowledge(alarm);
        }
    }

    pub fn feed(&self) -> Option<&Feed> {
        self.feed.as_deref()
    }

    /// Tells the page how everything is. `scene`: the parts that are no sinks.
    pub fn tell_health(&self, scene: Health) {
        let Some(feed) = &self.feed else { return };
        let mut health = scene;
        let devices: Vec<_> = self.signals.iter().flat_map(Signals::status).collect();
        let is_device = |sink: &str| devices.iter().any(|d| d.name == sink);
        let mut record_is_well = true;
        for t in self.troubles.iter().filter(|t| !is_device(&t.sink)) {
            record_is_well = false;
            health = health.with(&t.sink, Condition::Degraded, Some(t.text.clone()));
        }
        if record_is_well {
            health = health.with("record", Condition::Well, None);
        }
        if let Some(clock) = self.signals.as_ref().and_then(Signals::clock) {
            health = health.with("clock", Condition::Well, Some(clock.text()));
        }
        for d in devices {
            let condition = if d.trouble.is_none() { Condition::Well } else { Condition::Degraded };
            health = health.with(&d.name, condition, d.trouble);
        }
        feed.health(health);
    }

    /// Writes what waits and ends the threads.
    ///
    /// # Errors
    /// `events.jsonl` of a replay could not be finished, or events are still not in the journal.
    pub fn finish(mut self) -> Result<()> {
        self.tick();
        let waiting = self.journal.waiting();
        drop(self.pictures);
        drop(self.evidence);
        self.sgf.finish();
        if let Some(signals) = self.signals {
            signals.shutdown();
        }
        if let Some(file) = self.events_file {
            file.finish().context("events.jsonl cannot be written")?;
        }
        anyhow::ensure!(waiting == 0, "{waiting} events could not be written to the journal; the disk refuses them");
        Ok(())
    }
}

/// File of the `number`-th game of a journal.
fn sgf_name(number: usize) -> String {
    if number <= 1 { "game.sgf".to_owned() } else { format!("game-{number}.sgf") }
}
