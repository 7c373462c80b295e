//! One side of a conversation in goband's serial protocol: numbered lines are repeated until acknowledged, and taken once
//! however often they come. Pure: time is given, bytes go in and out. The console's emulator uses the same.

use super::frame::{Frame, FrameDecoder, Rejected};
use super::message::Message;

/// How long to wait for an acknowledgement of a line, on top of the time that the line takes on the wire.
const ACK_TIMEOUT_MS: u64 = 200;
/// From this many repeats on, a line is repeated only once a second.
const EAGER_REPEATS: u32 = 5;
const PATIENT_MS: u64 = 1000;
/// After `busy` the other side gets so much time.
const BUSY_MS: u64 = 500;
/// Answers to damaged lines are not sent more often than this: noise must not be answered with noise.
const NAK_EVERY_MS: u64 = 50;

/// What came in.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// A message. `repeated`: it was taken before.
    Message { message: Message, repeated: bool },
    /// The line in flight has arrived.
    Acknowledged,
    /// The other side does not know such a message; it is not repeated.
    Refused,
}

/// Counters for the health page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    pub lines_sent: u64,
    pub lines_received: u64,
    pub repeats: u64,
    pub rejected: u64,
}

#[derive(Clone, Debug)]
struct Flight {
    seq: u16,
    line: Vec<u8>,
    due_ms: u64,
    tries: u32,
}

/// The state of one side.
#[derive(Clone, Debug)]
pub struct Exchange {
    baud: u32,
    last_seq: u16,
    flight: Option<Flight>,
    last_taken: Option<u16>,
    /// The other side's session: when it starts anew, its numbers do too.
    peer_session: Option<String>,
    decoder: FrameDecoder,
    out: Vec<u8>,
    nak_at_ms: u64,
    /// The next numbered line is answered with "busy".
    busy: bool,
    pub counters: Counters,
}

impl Exchange {
    /// A side whose numbers start after `start`.
    pub fn new(baud: u32, start: u16) -> Exchange {
        Exchange {
            baud: baud.max(300),
            last_seq: start,
            flight: None,
            last_taken: None,
            peer_session: None,
            decoder: FrameDecoder::default(),
            out: Vec::new(),
            nak_at_ms: 0,
            busy: false,
            counters: Counters::default(),
        }
    }

    /// The speed that waiting times are reckoned with.
    pub fn baud(&self) -> u32 {
        self.baud
    }

    /// Answers the next numbered line with "busy", and does not take it.
    pub fn be_busy(&mut self) {
        self.busy = true;
    }

    /// The port was opened anew: half lines in both directions are gone. What is in flight is sent again at once.
    pub fn reopened(&mut self, now_ms: u64) {
        self.decoder.reset();
        self.out.clear();
        if let Some(flight) = &mut self.flight {
            flight.due_ms = now_ms;
            flight.tries = 0;
        }
    }

    /// No numbered line waits for its acknowledgement.
    pub fn is_free(&self) -> bool {
        self.flight.is_none()
    }

    /// Gives up the line in flight: something newer or more urgent takes its place.
    pub fn abandon(&mut self) {
        self.flight = None;
    }

    /// Sends a message that is to be acknowledged. It takes the place of one that is in flight.
    pub fn send(&mut self, message: &Message, now_ms: u64) {
        self.last_seq = self.last_seq % u16::MAX + 1;
        let line = message.frame(self.last_seq).encode();
        self.put(&line);
        let due_ms = now_ms + self.patience_ms(line.len(), 0);
        self.flight = Some(Flight { seq: self.last_seq, line, due_ms, tries: 1 });
    }

    /// Sends a message that wants no acknowledgement.
    pub fn send_plain(&mut self, message: &Message) {
        let line = message.frame(0).encode();
        self.put(&line);
    }

    /// Repeats what is due. Gives the time at which to call again at the latest.
    pub fn poll(&mut self, now_ms: u64) -> Option<u64> {
        let Some(flight) = &mut self.flight else { return None };
        if now_ms >= flight.due_ms {
            flight.tries += 1;
            let (line, tries) = (flight.line.clone(), flight.tries);
            self.counters.repeats += 1;
            self.put(&line);
            let due_ms = now_ms + self.patience_ms(line.len(), tries);
            if let Some(flight) = &mut self.flight {
                flight.due_ms = due_ms;
            }
        }
        self.flight.as_ref().map(|f| f.due_ms)
    }

    /// Takes bytes from the port.
    pub fn receive(&mut self, bytes: &[u8], now_ms: u64) -> Vec<Incoming> {
        let mut incoming = Vec::new();
        for &byte in bytes {
            match self.decoder.push(byte) {
                None => {}
                Some(Ok(frame)) => incoming.extend(self.take(&frame, now_ms)),
                Some(Err(rejected)) => {
                    self.counters.rejected += 1;
                    if rejected == Rejected::Crc && now_ms >= self.nak_at_ms {
                        self.nak_at_ms = now_ms + NAK_EVERY_MS;
                        self.send_plain(&Message::Nak { seq: 0, reason: "crc".into() });
                    }
                }
            }
        }
        incoming
    }

    /// The bytes to be written.
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn put(&mut self, line: &[u8]) {
        self.counters.lines_sent += 1;
        self.out.extend_from_slice(line);
    }

    fn patience_ms(&self, line_bytes: usize, tries: u32) -> u64 {
        // ten bits a byte, there and (a short line) back
        let wire_ms = (line_bytes as u64 + 20) * 10_000 / u64::from(self.baud);
        let wait = if tries > EAGER_REPEATS { PATIENT_MS } else { ACK_TIMEOUT_MS };
        wait + wire_ms
    }

    fn take(&mut self, frame: &Frame, now_ms: u64) -> Option<Incoming> {
        self.counters.lines_received += 1;
        let message = Message::of(frame);
        match &message {
            Message::Ack { seq } => {
                let is_ours = self.flight.as_ref().is_some_and(|f| f.seq == *seq);
                return is_ours.then(|| {
                    self.flight = None;
                    Incoming::Acknowledged
                });
            }
            Message::Nak { seq, reason } => {
                let flight = self.flight.as_mut()?;
                if reason == "unknown" && *seq == flight.seq {
                    self.flight = None;
                    return Some(Incoming::Refused);
                }
                if reason == "busy" && *seq == flight.seq {
                    flight.due_ms = now_ms + BUSY_MS;
                } else if *seq == 0 || *seq == flight.seq {
                    // at once, but a line of noise must not start a flood
                    flight.due_ms = flight.due_ms.min(now_ms + NAK_EVERY_MS);
                }
                return None;
            }
            Message::Hello { session, .. } if self.peer_session.as_ref() != Some(session) => {
                self.peer_session = Some(session.clone());
                self.last_taken = None;
            }
            Message::Unknown(_) if frame.seq != 0 => {
                self.send_plain(&Message::Nak { seq: frame.seq, reason: "unknown".into() });
                return None;
            }
            _ => {}
        }
        if frame.seq == 0 {
            return Some(Incoming::Message { message, repeated: false });
        }
        if std::mem::take(&mut self.busy) {
            self.send_plain(&Message::Nak { seq: frame.seq, reason: "busy".into() });
            return None;
        }
        self.send_plain(&Message::Ack { seq: frame.seq });
        let repeated = self.last_taken.replace(frame.seq) == Some(frame.seq);
        Some(Incoming::Message { message, repeated })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::emulator::Faults;
    use crate::signal::emulator::faults::BadLine;
    use crate::signal::message::{AlarmMessage, Button};
    use crate::signal::model::Weight;

    fn alarm(number: u64) -> Message {
        Message::Alarm(AlarmMessage {
            alarm: number,
            weight: Weight::Infraction,
            kind: "double_move".into(),
            color: None,
            points: Vec::new(),
            article: "000 17.2".into(),
            text: "Black played twice".into(),
        })
    }

    fn button(number: u64) -> Message {
        Message::Button { button: Button::Accept, alarm: number }
    }

    /// 50,000 alarms one way and 50,000 buttons the other, at the same time: each is taken once, in order, and none counts
    /// as delivered before it was. Time jumps to what is due next, so that the repetitions cost none.
    #[test]
    fn a_hundred_thousand_messages_survive_one_wrong_byte_in_a_hundred() {
        const EACH: u64 = 50_000;
        let faults = Faults { noise: 0.01, seed: 17, ..Faults::default() };
        let mut lines = [BadLine::new(&faults, 0), BadLine::new(&faults, 1)];
        let mut sides = [Exchange::new(115_200, 17), Exchange::new(115_200, 40_000)];
        let (mut sent, mut taken, mut delivered) = ([0; 2], [0; 2], [0; 2]);
        let (mut now_ms, mut wrong) = (0, 0u64);
        while delivered != [EACH; 2] {
            for from in 0..2 {
                if sides[from].is_free() && sent[from] < EACH {
                    sent[from] += 1;
                    let message = if from == 0 { alarm(sent[0]) } else { button(sent[1]) };
                    sides[from].send(&message, now_ms);
                }
            }
            let due: Vec<u64> = sides.iter_mut().filter_map(|s| s.poll(now_ms)).collect();
            for from in 0..2 {
                let bytes = std::mem::take(sides[from].output());
                let arrived = lines[from].pass(&bytes, false);
                wrong += bytes.iter().zip(&arrived).filter(|(a, b)| a != b).count() as u64;
                for incoming in sides[1 - from].receive(&arrived, now_ms) {
                    match incoming {
                        Incoming::Message { message, repeated: false } => {
                            taken[from] += 1;
                            let expected = if from == 0 { alarm(taken[0]) } else { button(taken[1]) };
                            assert_eq!(message, expected, "lost, doubled or another");
                        }
                        Incoming::Message { .. } => {}
                        Incoming::Acknowledged => {
                            delivered[1 - from] += 1;
                            assert!(taken[1 - from] >= delivered[1 - from], "acknowledged, but never taken");
                        }
                        Incoming::Refused => panic!("nothing is refused"),
                    }
                }
            }
            if sides.iter().all(|s| s.out.is_empty()) {
                now_ms = due.into_iter().min().unwrap_or(now_ms).max(now_ms + 1);
            }
        }
        assert_eq!((taken, delivered), ([EACH; 2], [EACH; 2]));
        let Counters { lines_sent, repeats, rejected, .. } = sides[0].counters;
        println!(
            "100,000 messages over {wrong} wrong bytes: of goband's {lines_sent} lines {repeats} repeated, {rejected} rejected"
        );
        assert!(wrong > 100_000 && repeats > 10_000 && rejected > 1000, "the line was bad");
    }
}
