//! The bytes of Modbus RTU relay boards: CRC-16/Modbus, low byte first. Pure.
//!
//! Writing one relay (function 05) is answered by the same bytes: an acknowledgement. Relays (coils) count from 0.

use super::crc::crc16_modbus;

const READ_COILS: u8 = 0x01;
const WRITE_COIL: u8 = 0x05;
const WRITE_COILS: u8 = 0x0f;
const EXCEPTION: u8 = 0x80;
/// The makers' own: this value flips a relay, and this address means all relays.
const FLIP: u16 = 0x5500;
const ALL: u16 = 0x00ff;
/// Most relays in one request of [`WRITE_COILS`] that is understood here.
const MOST_COILS: u16 = 64;

/// What is asked of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Relay on or off.
    Write { coil: u16, on: bool },
    /// The other way round (an addition of the makers).
    Flip { coil: u16 },
    /// All relays (an addition of the makers).
    WriteAll { on: bool },
    /// The states of `count` (1 to 64) relays from `first`, the first in the lowest bit.
    WriteMany { first: u16, count: u16, states: u64 },
    /// The states of `count` relays.
    Read { first: u16, count: u16 },
}

/// What a board answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Written {
        coil: u16,
        on: bool,
    },
    Flipped {
        coil: u16,
    },
    WrittenAll {
        on: bool,
    },
    WrittenMany {
        first: u16,
        count: u16,
    },
    /// The states, eight a byte, the first in the lowest bit.
    Coils(Vec<u8>),
    /// Refused: 2 means that there is no such relay.
    Exception {
        function: u8,
        code: u8,
    },
}

fn with_crc(mut bytes: Vec<u8>) -> Vec<u8> {
    let crc = crc16_modbus(&bytes);
    bytes.extend_from_slice(&crc.to_le_bytes());
    bytes
}

fn is_whole(bytes: &[u8]) -> bool {
    bytes.split_last_chunk::<2>().is_some_and(|(body, crc)| crc16_modbus(body) == u16::from_le_bytes(*crc))
}

impl Request {
    /// The bytes for the board with address `unit`.
    pub fn encode(self, unit: u8) -> Vec<u8> {
        let (function, address, value) = match self {
            Request::Write { coil, on } => (WRITE_COIL, coil, if on { 0xff00 } else { 0 }),
            Request::Flip { coil } => (WRITE_COIL, coil, FLIP),
            Request::WriteAll { on } => (WRITE_COIL, ALL, if on { 0xffff } else { 0 }),
            Request::WriteMany { first, count, .. } => (WRITE_COILS, first, count.clamp(1, MOST_COILS)),
            Request::Read { first, count } => (READ_COILS, first, count),
        };
        let mut bytes = vec![unit, function];
        bytes.extend_from_slice(&address.to_be_bytes());
        bytes.extend_from_slice(&value.to_be_bytes());
        if let Request::WriteMany { states, .. } = self {
            let states = states & u64::MAX >> (MOST_COILS - value);
            let states = &states.to_le_bytes()[..usize::from(value.div_ceil(8))];
            bytes.push(states.len() as u8);
            bytes.extend_from_slice(states);
        }
        with_crc(bytes)
    }

    /// The function that it asks for.
    pub fn function(self) -> u8 {
        match self {
            Request::Write { .. } | Request::Flip { .. } | Request::WriteAll { .. } => WRITE_COIL,
            Request::WriteMany { .. } => WRITE_COILS,
            Request::Read { .. } => READ_COILS,
        }
    }

    /// The request of exactly these bytes, with the board's address.
    pub fn decode(bytes: &[u8]) -> Option<(u8, Request)> {
        let [unit, function, a, b, c, d, ref rest @ .., _, _] = *bytes else { return None };
        if !is_whole(bytes) {
            return None;
        }
        let (address, value) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        let request = match (function, value, rest) {
            (READ_COILS, 1..=2000, []) => Request::Read { first: address, count: value },
            // "all off" and "relay 255 off" are the same bytes
            (WRITE_COIL, 0xffff | 0, []) if address == ALL => Request::WriteAll { on: value != 0 },
            (WRITE_COIL, 0xff00 | 0, []) => Request::Write { coil: address, on: value != 0 },
            (WRITE_COIL, FLIP, []) => Request::Flip { coil: address },
            (WRITE_COILS, 1..=MOST_COILS, [length, states @ ..])
                if states.len() == usize::from(*length) && states.len() == usize::from(value.div_ceil(8)) =>
            {
                let mut bytes = [0; 8];
                bytes[..states.len()].copy_from_slice(states);
                let states = u64::from_le_bytes(bytes) & u64::MAX >> (MOST_COILS - value);
                Request::WriteMany { first: address, count: value, states }
            }
            _ => return None,
        };
        Some((unit, request))
    }
}

impl Answer {
    /// The bytes of the board with address `unit`.
    pub fn encode(&self, unit: u8) -> Vec<u8> {
        match self {
            Answer::Written { coil, on } => Request::Write { coil: *coil, on: *on }.encode(unit),
            Answer::Flipped { coil } => Request::Flip { coil: *coil }.encode(unit),
            Answer::WrittenAll { on } => Request::WriteAll { on: *on }.encode(unit),
            Answer::WrittenMany { first, count } => {
                let mut bytes = vec![unit, WRITE_COILS];
                bytes.extend_from_slice(&first.to_be_bytes());
                bytes.extend_from_slice(&count.to_be_bytes());
                with_crc(bytes)
            }
            Answer::Coils(states) => {
                let states = &states[..states.len().min(250)];
                let mut bytes = vec![unit, READ_COILS, states.len() as u8];
                bytes.extend_from_slice(states);
                with_crc(bytes)
            }
            Answer::Exception { function, code } => with_crc(vec![unit, function | EXCEPTION, *code]),
        }
    }
}

/// Finds the answers of one board in a stream of bytes that may hold noise.
#[derive(Clone, Debug)]
pub struct AnswerDecoder {
    unit: u8,
    bytes: Vec<u8>,
}

impl AnswerDecoder {
    /// For the board with address `unit`.
    pub fn new(unit: u8) -> AnswerDecoder {
        AnswerDecoder { unit, bytes: Vec::new() }
    }

    /// Forgets half an answer: a new request was sent.
    pub fn reset(&mut self) {
        self.bytes.clear();
    }

    /// Takes the next byte; gives an answer when it is the last of one.
    pub fn push(&mut self, byte: u8) -> Option<Answer> {
        self.bytes.push(byte);
        // an answer may begin at any byte; what cannot be the beginning of one is skipped
        while !self.bytes.is_empty() {
            match self.length() {
                Some(length) if self.bytes.len() < length => return None,
                Some(length) if is_whole(&self.bytes[..length]) => {
                    let answer = self.answer();
                    self.bytes.drain(..length);
                    return answer;
                }
                _ => {
                    self.bytes.remove(0);
                }
            }
        }
        None
    }

    /// How long the answer at the front is, as far as can be told; none if there is none.
    fn length(&self) -> Option<usize> {
        match *self.bytes.as_slice() {
            [unit, ..] if unit != self.unit => None,
            [_] => Some(2),
            [_, WRITE_COIL | WRITE_COILS, ..] => Some(8),
            [_, READ_COILS] => Some(3),
            [_, READ_COILS, count, ..] if (1..=250).contains(&count) => Some(5 + usize::from(count)),
            [_, function, ..] if function & EXCEPTION != 0 => Some(5),
            _ => None,
        }
    }

    fn answer(&self) -> Option<Answer> {
        match *self.bytes.as_slice() {
            [_, WRITE_COIL, ..] => match Request::decode(self.bytes.get(..8)?)? {
                (_, Request::Write { coil, on }) => Some(Answer::Written { coil, on }),
                (_, Request::Flip { coil }) => Some(Answer::Flipped { coil }),
                (_, Request::WriteAll { on }) => Some(Answer::WrittenAll { on }),
                _ => None,
            },
            [_, WRITE_COILS, a, b, c, d, ..] => {
                Some(Answer::WrittenMany { first: u16::from_be_bytes([a, b]), count: u16::from_be_bytes([c, d]) })
            }
            [_, READ_COILS, count, ..] => Some(Answer::Coils(self.bytes.get(3..3 + usize::from(count))?.to_vec())),
            [_, function, code, ..] => Some(Answer::Exception { function: function & !EXCEPTION, code }),
            _ => None,
        }
    }
}

/// The longest request: eight bytes, and the states of 64 relays with their length.
const LONGEST_REQUEST: usize = 17;

/// The board's side: finds requests in a stream of bytes that may hold noise.
#[derive(Clone, Debug, Default)]
pub struct RequestDecoder {
    bytes: Vec<u8>,
}

impl RequestDecoder {
    /// Takes the next byte; gives the address and the request when it is the last of one.
    pub fn push(&mut self, byte: u8) -> Option<(u8, Request)> {
        self.bytes.push(byte);
        if self.bytes.len() > LONGEST_REQUEST {
            self.bytes.remove(0);
        }
        // a request ends here if the last bytes are one: eight, or a longer one
        let found = (8..=self.bytes.len()).rev().find_map(|n| Request::decode(&self.bytes[self.bytes.len() - n..]))?;
        self.bytes.clear();
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn frames_are_those_of_the_boards() {
        let write = |coil, on| Request::Write { coil, on }.encode(1);
        assert_eq!(write(0, true), [0x01, 0x05, 0x00, 0x00, 0xff, 0x00, 0x8c, 0x3a]);
        assert_eq!(write(0, false), [0x01, 0x05, 0x00, 0x00, 0x00, 0x00, 0xcd, 0xca]);
        assert_eq!(write(1, true), [0x01, 0x05, 0x00, 0x01, 0xff, 0x00, 0xdd, 0xfa]);
        assert_eq!(write(1, false), [0x01, 0x05, 0x00, 0x01, 0x00, 0x00, 0x9c, 0x0a]);
        assert_eq!(write(2, true), [0x01, 0x05, 0x00, 0x02, 0xff, 0x00, 0x2d, 0xfa]);
        assert_eq!(write(3, false), [0x01, 0x05, 0x00, 0x03, 0x00, 0x00, 0x3d, 0xca]);
        assert_eq!(Request::Read { first: 0, count: 8 }.encode(1), [0x01, 0x01, 0x00, 0x00, 0x00, 0x08, 0x3d, 0xcc]);
        for (request, bytes) in [
            (Request::Write { coil: 2, on: false }, "01 05 00 02 00 00 6c 0a"),
            (Request::Write { coil: 3, on: true }, "01 05 00 03 ff 00 7c 3a"),
            (Request::Flip { coil: 0 }, "01 05 00 00 55 00 f2 9a"),
            (Request::WriteAll { on: true }, "01 05 00 ff ff ff fc 4a"),
            (Request::WriteMany { first: 0, count: 8, states: 0xff }, "01 0f 00 00 00 08 01 ff be d5"),
        ] {
            let bytes: Vec<u8> = bytes.split(' ').map(|b| u8::from_str_radix(b, 16).unwrap()).collect();
            assert_eq!(request.encode(1), bytes);
            assert_eq!(Request::decode(&bytes), Some((1, request)));
        }
        let many = Answer::WrittenMany { first: 0, count: 8 };
        assert_eq!(many.encode(1), [0x01, 0x0f, 0x00, 0x00, 0x00, 0x08, 0x54, 0x0d]);
        assert_eq!(Answer::Coils(vec![0x41]).encode(1), [0x01, 0x01, 0x01, 0x41, 0x91, 0xb8]);
        assert_eq!(Answer::Exception { function: 5, code: 2 }.encode(1), [0x01, 0x85, 0x02, 0xc3, 0x51]);
    }

    fn any_answer() -> impl Strategy<Value = Answer> {
        prop_oneof![
            (0u16..255, any::<bool>()).prop_map(|(coil, on)| Answer::Written { coil, on }),
            any::<u16>().prop_map(|coil| Answer::Flipped { coil }),
            any::<bool>().prop_map(|on| Answer::WrittenAll { on }),
            (any::<u16>(), any::<u16>()).prop_map(|(first, count)| Answer::WrittenMany { first, count }),
            proptest::collection::vec(any::<u8>(), 1..4).prop_map(Answer::Coils),
            (0u8..0x80, any::<u8>()).prop_map(|(function, code)| Answer::Exception { function, code }),
        ]
    }

    fn any_request() -> impl Strategy<Value = Request> {
        prop_oneof![
            (0u16..255, any::<bool>()).prop_map(|(coil, on)| Request::Write { coil, on }),
            any::<u16>().prop_map(|coil| Request::Flip { coil }),
            any::<bool>().prop_map(|on| Request::WriteAll { on }),
            (any::<u16>(), 1u16..=64, any::<u64>()).prop_map(|(first, count, states)| Request::WriteMany {
                first,
                count,
                states: states & u64::MAX >> (64 - count),
            }),
            (any::<u16>(), 1u16..=2000).prop_map(|(first, count)| Request::Read { first, count }),
        ]
    }

    proptest! {
        #[test]
        fn requests_round_trip_after_noise(noise in proptest::collection::vec(any::<u8>(), 0..60), unit in 1u8..248, request in any_request()) {
            let mut decoder = RequestDecoder::default();
            for byte in noise {
                let _ = decoder.push(byte);
            }
            let found: Vec<_> = request.encode(unit).into_iter().filter_map(|b| decoder.push(b)).collect();
            prop_assert_eq!(found, vec![(unit, request)]);
        }

        #[test]
        fn answers_round_trip(unit in 1u8..248, answers in proptest::collection::vec(any_answer(), 1..5)) {
            let mut decoder = AnswerDecoder::new(unit);
            let found: Vec<_> = answers.iter().flat_map(|a| a.encode(unit)).filter_map(|b| decoder.push(b)).collect();
            prop_assert_eq!(found, answers);
        }

        #[test]
        fn any_bytes_are_safe_and_stay_few(bytes in proptest::collection::vec(any::<u8>(), 0..3000)) {
            let mut decoder = AnswerDecoder::new(1);
            for byte in bytes {
                let _ = decoder.push(byte);
            }
            prop_assert!(decoder.bytes.len() < 256);
        }
    }
}
