//! A device's end of goband's line protocol, the same for every emulated device that speaks it: framing, numbers,
//! acknowledgements, introduction, heartbeat, silence, and "busy" on request. What a message does is the device's affair.

use std::collections::VecDeque;

use super::What;
use crate::signal::console::{BEAT_MS, SILENCE_MS};
use crate::signal::exchange::{Exchange, Incoming};
use crate::signal::message::{Message, PROTOCOL_VERSION};
use crate::signal::model::State;

/// What a device says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    pub name: &'static str,
    /// As in its `HELLO`; empty: as goband's configuration says.
    pub roles: &'static str,
    /// Its sessions begin with this.
    pub letter: char,
}

/// The goband that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goband {
    pub session: String,
    pub table: String,
    pub game: String,
}

/// What came over the line.
#[derive(Debug)]
pub enum FromGoband {
    /// Bytes that are no line.
    Garbage,
    /// A line that came before, with the same number: it was acted on then.
    Again(Message),
    /// A message, and whether it tells this end of the line anything new.
    Fresh { message: Message, is_news: bool },
}

/// The end of the line.
#[derive(Debug)]
pub struct LineEnd {
    identity: Identity,
    exchange: Exchange,
    /// How often the device was switched on: names its session.
    starts: u32,
    goband: Option<Goband>,
    state: Option<State>,
    /// Nothing was heard for too long.
    is_alone: bool,
    heard_ms: u64,
    beat_due_ms: u64,
    hello_due_ms: u64,
    /// What the device has to say, the oldest first; that is under way or next.
    waiting: VecDeque<Message>,
}

impl LineEnd {
    /// A device that was switched on just now; it says who it is.
    pub fn new(identity: Identity, baud: u32) -> LineEnd {
        LineEnd::started(identity, baud, std::process::id(), 0)
    }

    fn started(identity: Identity, baud: u32, starts: u32, now_ms: u64) -> LineEnd {
        let mut line = LineEnd {
            identity,
            exchange: Exchange::new(baud, 0),
            starts,
            goband: None,
            state: None,
            is_alone: false,
            heard_ms: now_ms,
            beat_due_ms: 0,
            hello_due_ms: 0,
            waiting: VecDeque::new(),
        };
        line.hello();
        line
    }

    /// Switched off and on: a new session that knows nothing.
    pub fn power_cycle(&mut self, now_ms: u64) {
        *self = LineEnd::started(self.identity, self.exchange.baud(), self.starts.wrapping_add(1), now_ms);
    }

    /// The goband that is there.
    pub fn goband(&self) -> Option<&Goband> {
        self.goband.as_ref()
    }

    /// The state on the display; none while goband is not heard.
    pub fn state(&self) -> Option<State> {
        self.state
    }

    #[cfg(test)]
    pub fn counters(&self) -> crate::signal::exchange::Counters {
        self.exchange.counters
    }

    /// Has a message brought to goband, after those that wait.
    pub fn tell(&mut self, message: Message) {
        self.waiting.push_back(message);
    }

    /// Sends a message that wants no acknowledgement.
    pub fn tell_plain(&mut self, message: &Message) {
        self.exchange.send_plain(message);
    }

    /// Answers the next numbered line with "busy", and does not take it.
    pub fn be_busy(&mut self) {
        self.exchange.be_busy();
    }

    pub fn output(&mut self) -> &mut Vec<u8> {
        self.exchange.output()
    }

    fn hello(&mut self) {
        let Identity { name, roles, letter } = self.identity;
        self.exchange.send_plain(&Message::Hello {
            version: PROTOCOL_VERSION,
            name: name.into(),
            session: format!("{letter}{}", self.starts),
            table: roles.into(),
            game: String::new(),
        });
    }

    /// Takes bytes; acknowledges, answers introductions, keeps the state.
    pub fn receive(&mut self, bytes: &[u8], now_ms: u64) -> Vec<FromGoband> {
        let before = self.exchange.counters;
        let incoming = self.exchange.receive(bytes, now_ms);
        let after = self.exchange.counters;
        if after.lines_received != before.lines_received {
            self.heard_ms = now_ms;
            self.is_alone = false;
        }
        let mut came = Vec::new();
        if after.rejected != before.rejected {
            came.push(FromGoband::Garbage);
        }
        for incoming in incoming {
            match incoming {
                Incoming::Message { message, repeated: true } => came.push(FromGoband::Again(message)),
                Incoming::Message { message, repeated: false } => {
                    let is_news = self.take(&message, now_ms);
                    came.push(FromGoband::Fresh { message, is_news });
                }
                Incoming::Acknowledged | Incoming::Refused => {
                    self.waiting.pop_front();
                }
            }
        }
        came
    }

    /// True if the message tells something new.
    fn take(&mut self, message: &Message, now_ms: u64) -> bool {
        if let Message::Hello { session, table, game, .. } = message {
            let goband = Goband { session: session.clone(), table: table.clone(), game: game.clone() };
            self.hello();
            return self.goband.replace(goband.clone()) != Some(goband);
        }
        if matches!(message, Message::Bye) {
            self.goband = None;
            self.state = None;
            return true;
        }
        if self.goband.is_none() && now_ms >= self.hello_due_ms {
            self.hello_due_ms = now_ms + BEAT_MS;
            self.hello();
        }
        match message {
            Message::State { state, .. } | Message::Beat { state: Some(state), .. } => {
                self.state.replace(*state) != Some(*state)
            }
            _ => true,
        }
    }

    /// Does what is due: the heartbeat (with the device's counter, if it has one), what waits, repetitions. Says when goband
    /// is held for gone.
    pub fn poll(&mut self, tick: Option<u32>, now_ms: u64) -> Option<What> {
        if now_ms >= self.beat_due_ms {
            self.beat_due_ms = now_ms + BEAT_MS;
            self.exchange.send_plain(&Message::Beat { state: None, tick });
        }
        if self.exchange.is_free()
            && let Some(message) = self.waiting.front()
        {
            self.exchange.send(message, now_ms);
        }
        self.exchange.poll(now_ms);
        if self.goband.is_some() && !self.is_alone && now_ms >= self.heard_ms + SILENCE_MS {
            self.is_alone = true;
            self.state = None;
            return Some(What::NoGoband);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTITY: Identity = Identity { name: "x", roles: "clock", letter: 'X' };

    fn sent(line: &mut LineEnd) -> Vec<String> {
        let bytes = std::mem::take(line.output());
        String::from_utf8(bytes).unwrap().lines().map(|l| l.split(['$', '*']).nth(1).unwrap().to_owned()).collect()
    }

    fn from_goband(seq: u16, message: &Message) -> Vec<u8> {
        message.frame(seq).encode()
    }

    #[test]
    fn a_line_before_the_introduction_is_answered_with_one_but_not_each_with_one() {
        let mut line = LineEnd::new(IDENTITY, 115_200);
        assert_eq!(sent(&mut line).len(), 1, "switched on");
        let beat = from_goband(0, &Message::Beat { state: Some(State::Idle), tick: None });
        line.receive(&beat, 10);
        assert!(sent(&mut line)[0].starts_with("0,HELLO,1,x,X"));
        line.receive(&beat, 900);
        assert!(sent(&mut line).is_empty());
        line.receive(&beat, 1010);
        assert_eq!(sent(&mut line).len(), 1);
    }

    #[test]
    fn silence_is_said_once_and_ends_with_any_line() {
        let mut line = LineEnd::new(IDENTITY, 115_200);
        let (session, table, game) = ("S".into(), "1".into(), "g".into());
        let hello = Message::Hello { version: 1, name: "goband".into(), session, table, game };
        line.receive(&from_goband(0, &hello), 0);
        line.receive(&from_goband(3, &Message::State { state: State::Idle, reason: "ok".into() }), 5);
        assert_eq!((line.poll(None, 3004), line.state()), (None, Some(State::Idle)));
        assert_eq!((line.poll(None, 3005), line.state()), (Some(What::NoGoband), None));
        assert_eq!(line.poll(None, 9000), None);
        line.receive(&from_goband(0, &Message::Beat { state: Some(State::Idle), tick: None }), 9001);
        assert_eq!((line.poll(None, 9002), line.state()), (None, Some(State::Idle)));
        assert_eq!(line.poll(None, 12_001), Some(What::NoGoband));
    }

    #[test]
    fn what_waits_goes_one_by_one_and_is_forgotten_when_switched_off() {
        let mut line = LineEnd::new(IDENTITY, 115_200);
        for alarm in [7, 8] {
            line.tell(Message::Seen { alarm });
        }
        sent(&mut line);
        line.poll(Some(5), 0);
        assert_eq!(sent(&mut line), ["0,BEAT,5", "1,SEEN,7"]);
        line.receive(&from_goband(0, &Message::Ack { seq: 1 }), 20);
        line.poll(Some(25), 20);
        assert_eq!(sent(&mut line), ["2,SEEN,8"]);
        line.power_cycle(30);
        line.poll(Some(0), 30);
        let said = sent(&mut line);
        assert!(said.len() == 2 && said[0].contains("HELLO") && said[1] == "0,BEAT,0", "{said:?}");
    }
}
