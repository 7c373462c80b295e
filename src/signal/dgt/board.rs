//! The frames of a DGT-compatible chess board. Pure.
//!
//! To the board: single command bytes, or a clock message ([`super::clock`]). From the board: identifier with bit 7 set, length
//! in two bytes of seven bits (header included), payload of bytes below 0x80. There is no checksum: any byte with bit 7
//! set begins a new frame.

/// What the board is asked for, one byte each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardCommand {
    /// To idle mode; no answer.
    Reset = 0x40,
    /// One time message.
    SendClock = 0x41,
    /// All fields.
    SendBoard = 0x42,
    /// Field updates, and a time message at least every second.
    Update = 0x43,
    /// Field updates only.
    UpdateBoard = 0x44,
    SerialNumber = 0x45,
    BusAddress = 0x46,
    Trademark = 0x47,
    StoredMoves = 0x49,
    ToBusMode = 0x4a,
    /// Field updates, and a time message when the time has changed.
    UpdateNice = 0x4b,
    Battery = 0x4c,
    Version = 0x4d,
    LongSerialNumber = 0x55,
}

impl BoardCommand {
    /// All that may be sent.
    pub const ALL: [BoardCommand; 14] = [
        BoardCommand::Reset,
        BoardCommand::SendClock,
        BoardCommand::SendBoard,
        BoardCommand::Update,
        BoardCommand::UpdateBoard,
        BoardCommand::SerialNumber,
        BoardCommand::BusAddress,
        BoardCommand::Trademark,
        BoardCommand::StoredMoves,
        BoardCommand::ToBusMode,
        BoardCommand::UpdateNice,
        BoardCommand::Battery,
        BoardCommand::Version,
        BoardCommand::LongSerialNumber,
    ];

    /// The byte.
    pub fn byte(self) -> u8 {
        self as u8
    }

    /// The command of a byte.
    pub fn of(byte: u8) -> Option<BoardCommand> {
        BoardCommand::ALL.into_iter().find(|c| c.byte() == byte)
    }
}

/// Identifiers of the board's frames.
pub mod id {
    pub const BOARD_DUMP: u8 = 0x86;
    pub const TIME: u8 = 0x8d;
    pub const FIELD_UPDATE: u8 = 0x8e;
    pub const STORED_MOVES: u8 = 0x8f;
    pub const BUS_ADDRESS: u8 = 0x90;
    pub const SERIAL_NUMBER: u8 = 0x91;
    pub const TRADEMARK: u8 = 0x92;
    pub const VERSION: u8 = 0x93;
    pub const BATTERY: u8 = 0xa0;
    pub const LONG_SERIAL_NUMBER: u8 = 0xa2;
}

/// The longest frame: the stored moves, 8 KiB, and the header.
const MAX_FRAME: usize = 8192 + 3;

/// A frame from the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardFrame {
    /// 0x80 to 0xff.
    pub id: u8,
    /// Bytes below 0x80.
    pub payload: Vec<u8>,
}

impl BoardFrame {
    /// The bytes. Payload bytes lose their bit 7.
    pub fn encode(&self) -> Vec<u8> {
        let payload = &self.payload[..self.payload.len().min(MAX_FRAME - 3)];
        let length = payload.len() + 3;
        let mut bytes = vec![self.id | 0x80, (length >> 7) as u8 & 0x7f, length as u8 & 0x7f];
        bytes.extend(payload.iter().map(|b| b & 0x7f));
        bytes
    }

    /// A piece was put on a field or left it: `(field 0 to 63, piece)`.
    pub fn field_update(&self) -> Option<(u8, u8)> {
        match (self.id, self.payload.as_slice()) {
            (id::FIELD_UPDATE, [field @ 0..64, piece]) => Some((*field, *piece)),
            _ => None,
        }
    }

    /// Version of the board's program, main and sub.
    pub fn version(&self) -> Option<(u8, u8)> {
        match (self.id, self.payload.as_slice()) {
            (id::VERSION, [main, sub]) => Some((*main, *sub)),
            _ => None,
        }
    }

    /// Serial number, or another text of the board; what is no printable character is left out.
    pub fn text(&self) -> String {
        self.payload.iter().filter(|b| (0x20..0x7f).contains(*b)).map(|&b| char::from(b)).collect()
    }
}

/// Finds frames in a stream of bytes that may begin anywhere and hold noise.
#[derive(Clone, Debug, Default)]
pub struct BoardDecoder {
    bytes: Vec<u8>,
    /// Bytes that belong to no frame, since the start.
    pub skipped: u64,
}

impl BoardDecoder {
    /// Takes the next byte; gives a frame when it is the last of one.
    pub fn push(&mut self, byte: u8) -> Option<BoardFrame> {
        if byte & 0x80 != 0 {
            self.skipped += self.bytes.len() as u64;
            self.bytes.clear();
        } else if self.bytes.is_empty() {
            self.skipped += 1;
            return None;
        }
        self.bytes.push(byte);
        let [id, high, low, ..] = *self.bytes.as_slice() else { return None };
        let length = usize::from(high) << 7 | usize::from(low);
        if !(3..=MAX_FRAME).contains(&length) || !is_possible(id, length) {
            self.skipped += self.bytes.len() as u64;
            self.bytes.clear();
            return None;
        }
        (self.bytes.len() == length).then(|| {
            let payload = self.bytes.split_off(3);
            self.bytes.clear();
            BoardFrame { id, payload }
        })
    }

    /// Forgets half a frame.
    pub fn reset(&mut self) {
        self.bytes.clear();
    }
}

/// Frames of a known length have that: a damaged length must not swallow what follows.
fn is_possible(frame: u8, length: usize) -> bool {
    match frame {
        id::BOARD_DUMP => length == 67,
        id::TIME => length == 10,
        id::FIELD_UPDATE | id::VERSION | id::BUS_ADDRESS => length == 5,
        id::SERIAL_NUMBER => length == 8,
        id::LONG_SERIAL_NUMBER => length == 13,
        id::STORED_MOVES => true,
        // a text, a battery's state, or what a later board may say
        _ => length <= 256,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode_all(bytes: &[u8]) -> Vec<BoardFrame> {
        let mut decoder = BoardDecoder::default();
        bytes.iter().filter_map(|&b| decoder.push(b)).collect()
    }

    #[test]
    fn field_updates_of_a_real_board() {
        // a king's pawn, two squares: it left 52 and stands on 36
        let frames = decode_all(&[0x8e, 0x00, 0x05, 0x34, 0x00, 0x8e, 0x00, 0x05, 0x24, 0x01]);
        let updates: Vec<_> = frames.iter().filter_map(BoardFrame::field_update).collect();
        assert_eq!(updates, [(52, 0), (36, 1)]);
        // the kings' places tell a result
        let kings = decode_all(&[0x8e, 0x00, 0x05, 0x1b, 0x0b, 0x8e, 0x00, 0x05, 0x24, 0x05]);
        assert_eq!(kings.iter().filter_map(BoardFrame::field_update).collect::<Vec<_>>(), [(27, 11), (36, 5)]);
        assert_eq!(kings[0].encode(), [0x8e, 0x00, 0x05, 0x1b, 0x0b]);
    }

    #[test]
    fn a_broken_off_frame_gives_way_to_the_next() {
        let frames = decode_all(&[0x8d, 0x00, 0x0a, 0x20, 0x03, 0x93, 0x00, 0x05, 0x01, 0x08, 0x00, 0x00]);
        assert_eq!(frames, [BoardFrame { id: id::VERSION, payload: vec![1, 8] }]);
        assert_eq!(frames[0].version(), Some((1, 8)));
    }

    fn any_frame() -> impl Strategy<Value = BoardFrame> {
        let of = |id: u8, length: std::ops::RangeInclusive<usize>| {
            proptest::collection::vec(0u8..0x80, length).prop_map(move |payload| BoardFrame { id, payload })
        };
        prop_oneof![
            of(id::TIME, 7..=7),
            of(id::FIELD_UPDATE, 2..=2),
            of(id::SERIAL_NUMBER, 5..=5),
            of(id::TRADEMARK, 0..=200),
            of(id::STORED_MOVES, 0..=700),
            of(id::BOARD_DUMP, 64..=64),
        ]
    }

    proptest! {
        #[test]
        fn round_trip_after_any_noise(noise in proptest::collection::vec(any::<u8>(), 0..300), frames in proptest::collection::vec(any_frame(), 1..6)) {
            let mut decoder = BoardDecoder::default();
            for byte in noise {
                let _ = decoder.push(byte);
            }
            let found: Vec<_> = frames.iter().flat_map(BoardFrame::encode).filter_map(|b| decoder.push(b)).collect();
            prop_assert_eq!(found, frames);
            prop_assert!(decoder.bytes.is_empty());
        }

        #[test]
        fn any_bytes_are_safe_and_stay_few(bytes in proptest::collection::vec(any::<u8>(), 0..4000)) {
            let mut decoder = BoardDecoder::default();
            for byte in bytes {
                if let Some(frame) = decoder.push(byte) {
                    let _ = (frame.text(), frame.version(), frame.field_update());
                }
                prop_assert!(decoder.bytes.len() <= MAX_FRAME);
            }
        }
    }
}
