//! The driver of the referee's console: brings the console to the newest outlook, line by acknowledged line. Pure.
//!
//! What the clock is to do goes first; then alarms, the oldest first; then what became of them; then the state; then calls;
//! then the last move. A device is a console, a clock adapter, or both: it says so in its `HELLO`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::clock::{ClockReading, PressSeen, TickClock};
use super::config::Language;
use super::driver::{Driver, FromDevice, Health, Pressed};
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

/// What the device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roles {
    /// It shows alarms, the state and the last move.
    pub console: bool,
    /// It is a clock, or sits at one.
    pub clock: bool,
}

impl Roles {
    pub const CONSOLE: Roles = Roles { console: true, clock: false };
    pub const CLOCK: Roles = Roles { console: false, clock: true };

    /// What a `HELLO` says; none if it says nothing.
    fn of(features: &str) -> Option<Roles> {
        let has = |word: &str| features.split_whitespace().any(|w| w == word);
        let roles = Roles { console: has("console"), clock: has("clock") };
        (roles.console || roles.clock).then_some(roles)
    }
}

/// A press of a device without a counter may lie so long before its line: a repetition or two.
const WITHOUT_COUNTER_MS: u32 = 500;
/// A time of a device with a counter is no later than this.
const GRAIN_MS: u64 = 20;

/// What a numbered line in flight stands for.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    Order(u64),
    Say(u64),
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
    /// As configured, and as the device says.
    usual_roles: Roles,
    roles: Roles,
    /// The newest order and call that were delivered. They outlive the device's session: nothing is done twice.
    obeyed: u64,
    said: u64,
    ticks: TickClock,
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
    pub fn new(baud: u32, language: Language, introduction: Introduction, roles: Roles) -> ConsoleDriver {
        // lines of an earlier program may still be in the console's memory: start elsewhere
        let start = super::crc::crc16_ccitt(introduction.session.as_bytes());
        ConsoleDriver {
            exchange: Exchange::new(baud, start),
            language,
            introduction,
            usual_roles: roles,
            roles,
            obeyed: 0,
            said: 0,
            ticks: TickClock::default(),
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
    fn met(&mut self, version: u32, name: String, session: String, features: &str, now_ms: u64) {
        if version == 0 {
            tracing::warn!(%name, "a console with protocol version 0 is not answered");
            return;
        }
        self.roles = Roles::of(features).unwrap_or(self.usual_roles);
        let is_up = self.peer.as_ref().is_some_and(|(known, _)| *known == session);
        if self.delivered_to.as_ref() != Some(&session) {
            // it was switched on anew and shows nothing
            self.alarms.clear();
            self.state = None;
            self.last_move = None;
            self.in_flight = None;
            self.exchange.abandon();
            self.ticks = TickClock::default();
            self.delivered_to = Some(session.clone());
        }
        self.peer = Some((session, name));
        if !is_up {
            self.hello(now_ms);
            self.beat_due_ms = now_ms;
        }
    }

    /// Takes a message of the device.
    fn take(&mut self, message: Message, repeated: bool, now_ms: u64) -> Option<FromDevice> {
        match message {
            Message::Hello { version, name, session, table, .. } => self.met(version, name, session, &table, now_ms),
            Message::Button { button, alarm } if !repeated => {
                return Some(FromDevice::Button(Pressed { button, alarm: (alarm != 0).then_some(alarm) }));
            }
            Message::Beat { tick: Some(tick), .. } => self.ticks.heard(tick, now_ms),
            Message::Press { side, tick } if !repeated => {
                let counted = tick.and_then(|tick| self.ticks.at(tick, now_ms));
                let (at_ms, uncertainty_ms) = counted.unwrap_or((now_ms, WITHOUT_COUNTER_MS));
                return Some(FromDevice::Press(PressSeen { side, at_ms, uncertainty_ms }));
            }
            Message::Time { tick, reading } => {
                if let Some(tick) = tick {
                    self.ticks.heard(tick, now_ms);
                }
                return Some(self.told(reading));
            }
            _ => {}
        }
        None
    }

    fn told(&self, reading: ClockReading) -> FromDevice {
        FromDevice::Clock { reading, grain_ms: GRAIN_MS }
    }

    fn delivered(&mut self) -> Option<FromDevice> {
        match self.in_flight.take() {
            Some(Item::Order(number)) => {
                self.obeyed = self.obeyed.max(number);
                return Some(FromDevice::Obeyed(number));
            }
            Some(Item::Say(number)) => self.said = self.said.max(number),
            Some(Item::Alarm(n)) => {
                self.alarms.insert(n, Delivered::default());
            }
            Some(Item::Seen(n)) => self.alarms.entry(n).or_default().seen = true,
            Some(Item::Clear(n, how)) => self.alarms.entry(n).or_default().closed = Some(how),
            Some(Item::State(state, reason)) => self.state = Some((state, reason)),
            Some(Item::Move(m)) => self.last_move = Some(m),
            None => {}
        }
        None
    }

    /// The most urgent thing that the console does not know.
    fn next_item(&self) -> Option<Item> {
        let outlook = self.outlook.as_ref()?;
        if self.roles.clock
            && let Some(order) = outlook.clock.order.filter(|o| o.number > self.obeyed)
        {
            return Some(Item::Order(order.number));
        }
        let say = || {
            let say = outlook.clock.say.as_ref().filter(|s| self.roles.clock && s.number > self.said)?;
            Some(Item::Say(say.number))
        };
        if !self.roles.console {
            return say();
        }
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
            .or_else(say)
            .or_else(|| outlook.last_move.filter(|m| self.last_move != Some(*m)).map(Item::Move))
    }

    fn message(&self, item: &Item) -> Option<Message> {
        Some(match item {
            Item::Order(number) => {
                let order = self.outlook.as_ref()?.clock.order.filter(|o| o.number == *number)?;
                let (order, run, times, because) = (order.number, order.run, order.times, order.because);
                match run {
                    Some(side) => Message::ClockRun { order, side, times },
                    None => Message::ClockStop { order, because: because.unwrap_or(0), times },
                }
            }
            Item::Say(number) => {
                let say = self.outlook.as_ref()?.clock.say.clone().filter(|s| s.number == *number)?;
                let text = if self.language == Language::Zh { say.text.zh } else { say.text.en };
                let (number, color, kind, beep_ms, short) = (say.number, say.color, say.kind, say.beep_ms, say.short);
                Message::Say { number, color, kind, beep_ms, short, text }
            }
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
            // the clock waits for nothing but what it is doing
            Some(item @ Item::Order(_)) => matches!(&next, Some(next @ Item::Order(_)) if next != item),
            Some(_) if matches!(next, Some(Item::Order(_))) => true,
            // may be shown already though its acknowledgement was lost: see it through
            Some(Item::Alarm(_) | Item::Clear(..) | Item::Seen(_)) => false,
            Some(item @ (Item::State(..) | Item::Move(_) | Item::Say(_))) => next.as_ref() != Some(item),
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

    fn received(&mut self, bytes: &[u8], now_ms: u64) -> Vec<FromDevice> {
        let before = self.exchange.counters.lines_received;
        let incoming = self.exchange.receive(bytes, now_ms);
        if self.exchange.counters.lines_received != before {
            self.heard_ms = now_ms;
        }
        let mut told = Vec::new();
        for incoming in incoming {
            match incoming {
                Incoming::Acknowledged => told.extend(self.delivered()),
                Incoming::Refused => {
                    tracing::warn!(item = ?self.in_flight, "the console does not know this message");
                    // it cannot stop a clock: whoever waits for that is not told that it has
                    if let Some(Item::Order(number)) = self.in_flight {
                        self.in_flight = None;
                        self.obeyed = self.obeyed.max(number);
                        self.roles.clock = false;
                    }
                    self.delivered();
                }
                Incoming::Message { message, repeated } => {
                    told.extend(self.take(message, repeated, now_ms));
                }
            }
        }
        told
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
            self.exchange.send_plain(&Message::Beat { state: self.outlook.as_ref().map(|o| o.state), tick: None });
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
            None => {
                let (en, zh) = if self.usual_roles.console { ("console", "裁判终端") } else { ("clock", "棋钟") };
                Health::Silent(Text {
                    en: format!("the port is open, but no {en} answers; check its power, the cable and the baud rate"),
                    zh: format!("串口已打开,但{zh}没有应答;请检查电源、线缆和波特率"),
                })
            }
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
