//! The bytes of LCUS (LC-Tech) USB relay boards, 9600 8N1. Pure.
//!
//! On or off: `A0`, channel (1 to 8), `01` on or `00` off, sum of the three modulo 256. The board confirms nothing. The
//! query `FF` is answered by some models with a line a channel, `CH1:ON`, by some with a byte a channel (00 or 01), by others
//! not at all.

/// The query for the state of all relays.
pub const QUERY: u8 = 0xff;
const START: u8 = 0xa0;

/// One relay is to be on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    pub channel: u8,
    pub on: bool,
}

impl Switch {
    /// The four bytes.
    pub fn encode(self) -> [u8; 4] {
        let on = u8::from(self.on);
        [START, self.channel, on, START.wrapping_add(self.channel).wrapping_add(on)]
    }

    /// The switch of four bytes, if they are one.
    pub fn decode(bytes: [u8; 4]) -> Option<Switch> {
        let switch = Switch { channel: bytes[1], on: bytes[2] == 1 };
        ((1..=8).contains(&switch.channel) && switch.encode() == bytes).then_some(switch)
    }
}

/// What a board can receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    Switch(Switch),
    Query,
}

/// The board's side: finds requests in a stream of bytes.
#[derive(Clone, Debug, Default)]
pub struct RequestDecoder {
    window: Vec<u8>,
}

impl RequestDecoder {
    /// Takes the next byte; gives a request when it is the last of one.
    pub fn push(&mut self, byte: u8) -> Option<Request> {
        if self.window.is_empty() && byte == QUERY {
            return Some(Request::Query);
        }
        self.window.push(byte);
        // after noise the next start may hide in what was taken for a frame
        while self.window.first().is_some_and(|&b| b != START) {
            self.window.remove(0);
        }
        let bytes: [u8; 4] = self.window.as_slice().try_into().ok()?;
        match Switch::decode(bytes) {
            Some(switch) => {
                self.window.clear();
                Some(Request::Switch(switch))
            }
            None => {
                self.window.remove(0);
                while self.window.first().is_some_and(|&b| b != START) {
                    self.window.remove(0);
                }
                None
            }
        }
    }
}

/// The computer's side: finds `CHn:ON` and `CHn:OFF` lines in what a board answers.
#[derive(Clone, Debug, Default)]
pub struct StatusDecoder {
    line: Vec<u8>,
    /// Bytes 00 and 01 of a board that answers so.
    states: Vec<bool>,
}

impl StatusDecoder {
    /// The states that a board told with a byte a relay since the last call, relay 1 first. The query asks for them, and
    /// nothing marks their beginning: call it before a query too.
    pub fn take_states(&mut self) -> Vec<bool> {
        std::mem::take(&mut self.states)
    }

    /// Takes the next byte; gives a relay's state when it ends such a line.
    pub fn push(&mut self, byte: u8) -> Option<Switch> {
        if byte <= 1 {
            self.line.clear();
            if self.states.len() < 8 {
                self.states.push(byte == 1);
            }
            return None;
        }
        if byte != b'\n' && byte != b'\r' {
            // no answer is longer; noise must not grow
            if self.line.len() == 16 {
                self.line.clear();
            }
            self.line.push(byte);
            return None;
        }
        let line = std::mem::take(&mut self.line);
        let text = std::str::from_utf8(&line).ok()?.trim();
        let (channel, state) = text.strip_prefix("CH")?.split_once(':')?;
        let channel = channel.trim().parse().ok().filter(|c| (1..=8).contains(c))?;
        match state.trim() {
            "ON" => Some(Switch { channel, on: true }),
            "OFF" => Some(Switch { channel, on: false }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn frames_are_those_of_the_boards() {
        let frames: Vec<[u8; 4]> =
            (1..=4).flat_map(|channel| [true, false].map(|on| Switch { channel, on }.encode())).collect();
        assert_eq!(
            frames,
            [
                [0xa0, 1, 1, 0xa2],
                [0xa0, 1, 0, 0xa1],
                [0xa0, 2, 1, 0xa3],
                [0xa0, 2, 0, 0xa2],
                [0xa0, 3, 1, 0xa4],
                [0xa0, 3, 0, 0xa3],
                [0xa0, 4, 1, 0xa5],
                [0xa0, 4, 0, 0xa4],
            ]
        );
    }

    #[test]
    fn answers_of_a_talking_board() {
        let mut decoder = StatusDecoder::default();
        let found: Vec<Switch> = b"\xff\x00noise noise noise noise\r\nCH1:OFF\r\nCH2: ON\r\nCH9:ON\r\n"
            .iter()
            .filter_map(|&b| decoder.push(b))
            .collect();
        assert_eq!(found, [Switch { channel: 1, on: false }, Switch { channel: 2, on: true }]);
    }

    #[test]
    fn answers_of_a_board_with_a_byte_a_relay() {
        let mut decoder = StatusDecoder::default();
        assert!([0, 1, 0, 0].iter().all(|&b| decoder.push(b).is_none()));
        assert_eq!(decoder.take_states(), [false, true, false, false]);
        assert!(decoder.take_states().is_empty());
    }

    #[test]
    fn line_ends_after_frames_are_skipped() {
        // some programs send them
        let mut decoder = RequestDecoder::default();
        let found: Vec<Request> =
            b"\xa0\x01\x01\xa2\r\n\xa0\x01\x00\xa1\r\n\xff".iter().filter_map(|&b| decoder.push(b)).collect();
        let switch = |on| Request::Switch(Switch { channel: 1, on });
        assert_eq!(found, [switch(true), switch(false), Request::Query]);
    }

    proptest! {
        #[test]
        fn round_trip_after_any_noise(noise in proptest::collection::vec(any::<u8>(), 0..100), channel in 1u8..=8, on in any::<bool>()) {
            let mut decoder = RequestDecoder::default();
            for byte in noise {
                let _ = decoder.push(byte);
            }
            // noise may have begun a frame that swallows the first; each repeat shortens what can be swallowed
            let switch = Switch { channel, on };
            let mut last = None;
            for byte in switch.encode().into_iter().chain(switch.encode()) {
                last = decoder.push(byte);
            }
            prop_assert_eq!(last, Some(Request::Switch(switch)));
        }

        #[test]
        fn any_status_bytes_are_safe(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut decoder = StatusDecoder::default();
            for byte in bytes {
                let _ = decoder.push(byte);
            }
            prop_assert!(decoder.line.len() <= 16 && decoder.states.len() <= 8);
        }
    }
}
