//! The driver of the referee's console: brings the console to the newest outlook, line by acknowledged line. Pure.
//!
//! Alarms go before everything else, the oldest first; then what became of them; then the state; then the last move.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::config::Language;
use super::driver::{Driver, Health, Pressed};
use super::exchange::{Counters, Exchange, Incoming};
use super::message::{AlarmMessage, Button, Message, PROTOCOL_VERSION};
use super::model::{Alarm, Closing, MoveNote, Outlook, State, Weight};
use crate::game::Text;

/// Each side sends a sign of life this often…
pub const BEAT_MS: u64 = 1000;
/// …and holds the other for gone after so long without one.
pub const SILENCE_MS: u64 = 3000;

/// How goband introduces itself.
#[derive(Clone, Debug, Default)]
pub struct Introduction {
    /// New at every start of the program.
    pub session: String,
    pub table: String,
    pub game: String,
}

/// What a numbered line in flight stands for.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    Alarm(u64),
    Seen(u64),
    Clear(u64, Closing),
    State(State, &'static str),
    Move(MoveNote),
}

#[derive(Clone, Copy, Debug, Default)]
struct Delivered {
    seen: bool,
    closed: Option<Closing>,
}

/// The driver.
#[derive(Debug)]
pub struct ConsoleDriver {
    exchange: Exchange,
    language: Language,
    introduction: Introduction,
    outlook: Option<Arc<Outlook>>,
    /// The console's session and name while the link is up.
    peer: Option<(String, String)>,
    /// The session that `alarms`, `state` and `last_move` were delivered to.
    delivered_to: Option<String>,
    alarms: BTreeMap<u64, Delivered>,
    state: Option<(State, &'static str)>,
    last_move: Option<MoveNote>,
    in_flight: Option<Item>,
    opened_ms: u64,
    heard_ms: u64,
    hello_due_ms: u64,
    beat_due_ms: u64,
    farewell: bool,
}

impl ConsoleDriver {
    /// A driver for a line of `baud`.
    pub fn new(baud: u32, language: Language, introduction: Introduction) -> ConsoleDriver {
        // lines of an earlier program may still be in the console's memory: start elsewhere
        let start = super::crc::crc16_ccitt(introduction.session.as_bytes());
        ConsoleDriver {
            exchange: Exchange::new(baud, start),
            language,
            introduction,
            outlook: None,
            peer: None,
            delivered_to: None,
            alarms: BTreeMap::new(),
            state: None,
            last_move: None,
            in_flight: None,
            opened_ms: 0,
            heard_ms: 0,
            hello_due_ms: 0,
            beat_due_ms: 0,
            farewell: false,
        }
    }

    fn hello(&mut self, now_ms: u64) {
        let Introduction { session, table, game } = self.introduction.clone();
        let name = concat!("goband ", env!("CARGO_PKG_VERSION")).to_owned();
        self.exchange.send_plain(&Message::Hello { version: PROTOCOL_VERSION, name, session, table, game });
        self.hello_due_ms = now_ms + BEAT_MS;
    }

    /// The console said who it is.
    fn met(&mut self, version: u32, name: String, session: String, now_ms: u64) {
        if version == 0 {
            tracing::warn!(%name, "a console with protocol version 0 is not answered");
            return;
        }
        let is_up = self.peer.as_ref().is_some_and(|(known, _)| *known == session);
        if self.delivered_to.as_ref() != Some(&session) {
            // it was switched on anew and shows nothing
            self.alarms.clear();
            self.state = None;
            self.last_move = None;
            self.in_flight = None;
            self.exchange.abandon();
            self.delivered_to = Some(session.clone());
        }
        self.peer = Some((session, name));
        if !is_up {
            self.hello(now_ms);
            self.beat_due_ms = now_ms;
        }
    }

    fn delivered(&mut self) {
        match self.in_flight.take() {
            Some(Item::Alarm(n)) => {
                self.alarms.insert(n, Delivered::default());
            }
            Some(Item::Seen(n)) => self.alarms.entry(n).or_default().seen = true,
            Some(Item::Clear(n, how)) => self.alarms.entry(n).or_default().closed = Some(how),
            Some(Item::State(state, reason)) => self.state = Some((state, reason)),
            Some(Item::Move(m)) => self.last_move = Some(m),
            None => {}
        }
    }

    /// The most urgent thing that the console does not know.
    fn next_item(&self) -> Option<Item> {
        let outlook = self.outlook.as_ref()?;
        let unknown = |a: &&Alarm| !a.is_over() && !self.alarms.contains_key(&a.number);
        let serious = |a: &&Alarm| a.weight == Weight::Infraction;
        let alarms = || outlook.alarms.iter();
        let news = |a: &Alarm| {
            let known = self.alarms.get(&a.number)?;
            match a.closed {
                Some(how) if known.closed != Some(how) => Some(Item::Clear(a.number, how)),
                _ if a.acknowledged && !known.seen => Some(Item::Seen(a.number)),
                _ => None,
            }
        };
        alarms()
            .filter(unknown)
            .find(serious)
            .or_else(|| alarms().find(unknown))
            .map(|a| Item::Alarm(a.number))
            .or_else(|| alarms().find_map(news))
            .or_else(|| {
                let now = (outlook.state, outlook.reason);
                (self.state != Some(now)).then_some(Item::State(now.0, now.1))
            })
            .or_else(|| outlook.last_move.filter(|m| self.last_move != Some(*m)).map(Item::Move))
    }

    fn message(&self, item: &Item) -> Option<Message> {
        Some(match item {
            Item::Alarm(number) => {
                let alarm = self.outlook.as_ref()?.alarms.iter().find(|a| a.number == *number)?;
                let kind = alarm.kind.name();
                let text = match (&alarm.text, self.language) {
                    (Some(text), Language::En) => text.en.clone(),
                    (Some(text), Language::Zh) => text.zh.clone(),
                    (None, _) => kind.replace('_', " "),
                };
                Message::Alarm(AlarmMessage {
                    alarm: *number,
                    weight: alarm.weight,
                    kind,
                    color: alarm.color,
                    points: alarm.points.clone(),
                    article: alarm.article.clone().unwrap_or_default(),
                    text,
                })
            }
            Item::Seen(alarm) => Message::Seen { alarm: *alarm },
            Item::Clear(alarm, how) => Message::Clear { alarm: *alarm, how: *how },
            Item::State(state, reason) => Message::State { state: *state, reason: (*reason).into() },
            Item::Move(m) => Message::Move { number: m.number, color: m.color, point: m.point, captured: m.captured },
        })
    }

    /// True when what is in flight is worth less than what should be.
    fn is_outdated(&self) -> bool {
        let next = self.next_item();
        match &self.in_flight {
            None => true,
            // may be shown already though its acknowledgement was lost: see it through
            Some(Item::Alarm(_) | Item::Clear(..) | Item::Seen(_)) => false,
            Some(item @ (Item::State(..) | Item::Move(_))) => next.as_ref() != Some(item),
        }
    }
}

impl Driver for ConsoleDriver {
    fn opened(&mut self, now_ms: u64) {
        self.peer = None;
        self.exchange.reopened(now_ms);
        self.opened_ms = now_ms;
        self.hello_due_ms = now_ms;
    }

    fn show(&mut self, outlook: &Arc<Outlook>, _now_ms: u64) {
        self.alarms.retain(|number, _| outlook.alarms.iter().any(|a| a.number == *number));
        self.outlook = Some(Arc::clone(outlook));
    }

    fn received(&mut self, bytes: &[u8], now_ms: u64) -> Vec<Pressed> {
        let before = self.exchange.counters.lines_received;
        let incoming = self.exchange.receive(bytes, now_ms);
        if self.exchange.counters.lines_received != before {
            self.heard_ms = now_ms;
        }
        let mut pressed = Vec::new();
        for incoming in incoming {
            match incoming {
                Incoming::Acknowledged => self.delivered(),
                Incoming::Refused => {
                    tracing::warn!(item = ?self.in_flight, "the console does not know this message");
                    self.delivered();
                }
                Incoming::Message { message: Message::Hello { version, name, session, .. }, .. } => {
                    self.met(version, name, session, now_ms);
                }
                Incoming::Message { message: Message::Button { button, alarm }, repeated: false } => {
                    pressed.push(Pressed { button, alarm: (alarm != 0).then_some(alarm) });
                }
                Incoming::Message { .. } => {}
            }
        }
        pressed
    }

    fn poll(&mut self, now_ms: u64) -> Option<u64> {
        if self.farewell {
            return None;
        }
        if self.peer.is_some() && now_ms >= self.heard_ms + SILENCE_MS {
            self.peer = None;
            self.hello_due_ms = now_ms;
        }
        if self.peer.is_none() {
            if now_ms >= self.hello_due_ms {
                self.hello(now_ms);
            }
            return Some(self.hello_due_ms);
        }
        if self.is_outdated()
            && let Some(item) = self.next_item()
            && let Some(message) = self.message(&item)
        {
            if matches!(self.in_flight, Some(Item::State(..))) {
                // nobody knows now which one the console shows
                self.state = None;
            }
            self.exchange.send(&message, now_ms);
            self.in_flight = Some(item);
        }
        let repeat = self.exchange.poll(now_ms);
        if now_ms >= self.beat_due_ms {
            self.exchange.send_plain(&Message::Beat { state: self.outlook.as_ref().map(|o| o.state) });
            self.beat_due_ms = now_ms + BEAT_MS;
        }
        let silence = self.heard_ms + SILENCE_MS;
        [Some(self.beat_due_ms), Some(silence), repeat].into_iter().flatten().min()
    }

    fn output(&mut self) -> &mut Vec<u8> {
        self.exchange.output()
    }

    fn health(&self, now_ms: u64) -> Health {
        match &self.peer {
            Some(_) => Health::Well,
            None if now_ms < self.opened_ms + SILENCE_MS => Health::Starting,
            None => Health::Silent(Text {
                en: "the port is open, but no console answers; check its power, the cable and the baud rate".into(),
                zh: "串口已打开,但裁判终端没有应答;请检查电源、线缆和波特率".into(),
            }),
        }
    }

    fn farewell(&mut self, _now_ms: u64) {
        if !std::mem::replace(&mut self.farewell, true) {
            self.exchange.send_plain(&Message::Bye);
        }
    }

    fn has_said_farewell(&self) -> bool {
        self.farewell
    }

    fn counters(&self) -> Counters {
        self.exchange.counters
    }

    fn peer(&self) -> Option<String> {
        self.peer.as_ref().map(|(_, name)| name.clone())
    }
}

/// True for buttons that say "I have seen it".
pub fn acknowledges(button: Button) -> bool {
    matches!(button, Button::Acknowledge | Button::Accept | Button::Reject)
}
