//! Clock messages of a DGT-compatible board: what the clock is told (0x2b), its times and its acknowledgements (0x8d). Pure.
//!
//! Times to the clock are plain binary, times from it are binary coded decimal. The frames tell no byo-yomi periods, and
//! their values may rise at any time: at a press (Fischer, byo-yomi), at a period's end.

use super::board::{BoardFrame, id};

/// First byte of a clock message to the board.
const CLOCK_MESSAGE: u8 = 0x2b;
const START: u8 = 0x03;
const END: u8 = 0x00;

/// The longest clock message, with its first two bytes.
const MAX_MESSAGE: usize = 17;

/// Hours, minutes, seconds of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hms {
    /// 0 to 9.
    pub hours: u8,
    /// 0 to 59.
    pub minutes: u8,
    /// 0 to 59.
    pub seconds: u8,
}

impl Hms {
    /// Whole seconds, at most 9:59:59.
    pub fn from_seconds(seconds: u64) -> Hms {
        let s = seconds.min(9 * 3600 + 59 * 60 + 59);
        Hms { hours: (s / 3600) as u8, minutes: (s / 60 % 60) as u8, seconds: (s % 60) as u8 }
    }

    /// In seconds.
    pub fn seconds(self) -> u64 {
        u64::from(self.hours) * 3600 + u64::from(self.minutes) * 60 + u64::from(self.seconds)
    }

    fn is_possible(self) -> bool {
        self.hours <= 9 && self.minutes <= 59 && self.seconds <= 59
    }
}

/// `mode` of set-and-run.
pub mod mode {
    pub const LEFT_RUNS: u8 = 0x01;
    pub const RIGHT_RUNS: u8 = 0x02;
    pub const PAUSE: u8 = 0x04;
    /// The running side changes with the lever.
    pub const LEVER_TOGGLES: u8 = 0x08;
}

/// What the clock is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClockCommand {
    /// Seven segments in the order C B A F E D, icon bits, beep (3: yes, otherwise 1 or 0).
    Segments {
        segments: [u8; 6],
        icons: u8,
        beep: u8,
    },
    /// Left and right icons, left and right periods and flag, a special byte.
    Icons {
        icons: [u8; 4],
        special: u8,
    },
    /// Back to the times.
    EndDisplay,
    ButtonQuery,
    VersionQuery,
    /// The only way to stop the clock: its present times with [`mode::PAUSE`].
    SetAndRun {
        left: Hms,
        right: Hms,
        mode: u8,
    },
    /// So many times 64 ms.
    Beep {
        units: u8,
    },
    /// Eight characters; beep 0 to 15.
    Ascii {
        text: [u8; 8],
        beep: u8,
    },
    /// Eleven characters (some boards with a display of their own); beep.
    LongAscii {
        text: [u8; 11],
        beep: u8,
    },
}

/// Identifiers of the commands; an acknowledgement repeats them.
pub mod command_id {
    pub const SEGMENTS: u8 = 0x01;
    pub const ICONS: u8 = 0x02;
    pub const END_DISPLAY: u8 = 0x03;
    pub const BUTTON_QUERY: u8 = 0x08;
    pub const VERSION_QUERY: u8 = 0x09;
    pub const SET_AND_RUN: u8 = 0x0a;
    pub const BEEP: u8 = 0x0b;
    pub const ASCII: u8 = 0x0c;
    pub const LONG_ASCII: u8 = 0x0d;
}

impl ClockCommand {
    /// A text of at most eight characters; what is not ASCII becomes a space.
    pub fn ascii(text: &str, beep: u8) -> ClockCommand {
        let mut bytes = [b' '; 8];
        for (byte, c) in bytes.iter_mut().zip(text.chars()) {
            *byte = if c.is_ascii_graphic() { c as u8 } else { b' ' };
        }
        ClockCommand::Ascii { text: bytes, beep: beep.min(15) }
    }

    /// A text of at most six characters in seven segments.
    pub fn seven_segments(text: &str, beep: bool) -> ClockCommand {
        let segments = super::segments::display_order(text);
        ClockCommand::Segments { segments, icons: 0, beep: if beep { 3 } else { 1 } }
    }

    /// The identifier that an acknowledgement repeats.
    pub fn id(&self) -> u8 {
        match self {
            ClockCommand::Segments { .. } => command_id::SEGMENTS,
            ClockCommand::Icons { .. } => command_id::ICONS,
            ClockCommand::EndDisplay => command_id::END_DISPLAY,
            ClockCommand::ButtonQuery => command_id::BUTTON_QUERY,
            ClockCommand::VersionQuery => command_id::VERSION_QUERY,
            ClockCommand::SetAndRun { .. } => command_id::SET_AND_RUN,
            ClockCommand::Beep { .. } => command_id::BEEP,
            ClockCommand::Ascii { .. } => command_id::ASCII,
            ClockCommand::LongAscii { .. } => command_id::LONG_ASCII,
        }
    }

    /// The bytes for the board.
    pub fn encode(&self) -> Vec<u8> {
        let mut content = Vec::with_capacity(12);
        match self {
            ClockCommand::Segments { segments, icons, beep } => {
                content.extend_from_slice(segments);
                content.extend_from_slice(&[*icons, *beep]);
            }
            ClockCommand::Icons { icons, special } => {
                content.extend_from_slice(icons);
                content.extend_from_slice(&[*special, 0, 0, 0]);
            }
            ClockCommand::EndDisplay | ClockCommand::ButtonQuery | ClockCommand::VersionQuery => {}
            ClockCommand::SetAndRun { left: l, right: r, mode } => {
                content.extend_from_slice(&[l.hours, l.minutes, l.seconds, r.hours, r.minutes, r.seconds, *mode]);
            }
            ClockCommand::Beep { units } => content.push(*units),
            ClockCommand::Ascii { text, beep } => {
                content.extend_from_slice(text);
                content.push(*beep);
            }
            ClockCommand::LongAscii { text, beep } => {
                content.extend_from_slice(text);
                content.push(*beep);
            }
        }
        let mut bytes = vec![CLOCK_MESSAGE, (content.len() + 3) as u8, START, self.id()];
        bytes.extend(content);
        bytes.push(END);
        bytes
    }

    /// The command of exactly these bytes.
    pub fn decode(bytes: &[u8]) -> Option<ClockCommand> {
        let [CLOCK_MESSAGE, size, START, command, content @ .., END] = bytes else { return None };
        if usize::from(*size) != content.len() + 3 {
            return None;
        }
        Some(match (*command, content) {
            (command_id::SEGMENTS, [a, b, c, d, e, f, icons, beep]) => {
                ClockCommand::Segments { segments: [*a, *b, *c, *d, *e, *f], icons: *icons, beep: *beep }
            }
            (command_id::ICONS, [a, b, c, d, special, 0, 0, 0]) => {
                ClockCommand::Icons { icons: [*a, *b, *c, *d], special: *special }
            }
            (command_id::END_DISPLAY, []) => ClockCommand::EndDisplay,
            (command_id::BUTTON_QUERY, []) => ClockCommand::ButtonQuery,
            (command_id::VERSION_QUERY, []) => ClockCommand::VersionQuery,
            (command_id::SET_AND_RUN, [lh, lm, ls, rh, rm, rs, mode]) => ClockCommand::SetAndRun {
                left: Hms { hours: *lh, minutes: *lm, seconds: *ls },
                right: Hms { hours: *rh, minutes: *rm, seconds: *rs },
                mode: *mode,
            },
            (command_id::BEEP, [units]) => ClockCommand::Beep { units: *units },
            (command_id::ASCII, [text @ .., beep]) => {
                ClockCommand::Ascii { text: <[u8; 8]>::try_from(text).ok()?, beep: *beep }
            }
            (command_id::LONG_ASCII, [text @ .., beep]) => {
                ClockCommand::LongAscii { text: <[u8; 11]>::try_from(text).ok()?, beep: *beep }
            }
            _ => return None,
        })
    }
}

/// What a board can receive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToBoard {
    Command(super::board::BoardCommand),
    Clock(ClockCommand),
}

/// The board's side: finds commands and clock messages in a stream of bytes.
#[derive(Clone, Debug, Default)]
pub struct ToBoardDecoder {
    bytes: Vec<u8>,
}

impl ToBoardDecoder {
    /// Takes the next byte; gives what it completes.
    pub fn push(&mut self, byte: u8) -> Option<ToBoard> {
        if self.bytes.is_empty() && byte != CLOCK_MESSAGE {
            return super::board::BoardCommand::of(byte).map(ToBoard::Command);
        }
        self.bytes.push(byte);
        match *self.bytes.as_slice() {
            [_, size, ..] if !(3..=MAX_MESSAGE as u8 - 2).contains(&size) => self.bytes.clear(),
            [_, _, start, ..] if start != START => self.bytes.clear(),
            [_, size, ..] if self.bytes.len() == usize::from(size) + 2 => {
                let bytes = std::mem::take(&mut self.bytes);
                return ClockCommand::decode(&bytes).map(ToBoard::Clock);
            }
            _ => {}
        }
        None
    }
}

/// One side of a time message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockSide {
    pub time: Hms,
    /// Stopped at zero.
    pub flag_final: bool,
    /// Marked as time per move (Fischer and the like).
    pub per_move: bool,
    /// A flag is shown, the clock may run on.
    pub flag_shown: bool,
}

/// A time message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BwTime {
    pub left: ClockSide,
    pub right: ClockSide,
    pub running: bool,
    /// The lever: the right side is high, so the right player has the move. After the left player's press.
    pub right_high: bool,
    pub battery_low: bool,
    /// As measured on captures of a real clock: with this bit only the left time falls.
    pub left_to_move: bool,
    pub right_to_move: bool,
    /// The board has no clock: the rest means nothing.
    pub no_clock: bool,
}

/// Who has the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeverSide {
    Left,
    Right,
}

/// An acknowledgement, or something that the clock says unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// 0x10 good, 0x40 (seen: 0x20) refused.
    pub ack0: u8,
    /// Below 0x80: the command; from there on: said unasked.
    pub ack1: u8,
    pub ack2: u8,
    pub ack3: u8,
}

/// A button of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockButton {
    Back,
    Minus,
    RunPause,
    Plus,
    Ok,
}

impl ClockButton {
    /// All with the last two bytes of their message.
    pub const ALL: [(ClockButton, [u8; 2]); 5] = [
        (ClockButton::Back, [0x05, 0x31]),
        (ClockButton::Minus, [0x21, 0x34]),
        (ClockButton::RunPause, [0x11, 0x33]),
        (ClockButton::Plus, [0x09, 0x32]),
        (ClockButton::Ok, [0x41, 0x35]),
    ];
}

/// Said unasked: the clock is ready, a button, its mode, it is not in its PC mode.
pub mod unasked {
    pub const READY: u8 = 0x81;
    pub const BUTTON: u8 = 0x88;
    pub const MODE: u8 = 0x8a;
    pub const NOT_IN_PC_MODE: u8 = 0x90;
}

impl Ack {
    /// "Good" for a command.
    pub fn good(command: u8) -> Ack {
        Ack { ack0: 0x10, ack1: command, ack2: 0, ack3: 0 }
    }

    /// The clock has refused a command.
    pub fn refused(command: u8) -> Ack {
        Ack { ack0: 0x40, ..Ack::good(command) }
    }

    /// A button was pressed.
    pub fn button_pressed(button: ClockButton) -> Ack {
        let [ack2, ack3] =
            ClockButton::ALL.iter().find(|(b, _)| *b == button).map(|(_, codes)| *codes).unwrap_or_default();
        Ack { ack2, ack3, ..Ack::good(unasked::BUTTON) }
    }

    /// True for "good".
    pub fn is_good(self) -> bool {
        self.ack0 == 0x10
    }

    /// The command it answers; none if said unasked.
    pub fn command(self) -> Option<u8> {
        (self.ack1 < 0x80).then_some(self.ack1)
    }

    /// The button. With several held `ack2` is the union of their bits, `ack3` the last one.
    pub fn button(self) -> Option<ClockButton> {
        (self.ack1 == unasked::BUTTON)
            .then(|| ClockButton::ALL.iter().find(|(_, [_, code])| *code == self.ack3).map(|(b, _)| *b))
            .flatten()
    }

    /// With the answer to the version query: main and sub version of the clock.
    pub fn version(self) -> Option<(u8, u8)> {
        (self.is_good() && self.ack1 == command_id::VERSION_QUERY).then_some((self.ack2 >> 4, self.ack2 & 0x0f))
    }
}

/// What a frame 0x8d says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockMessage {
    Time(BwTime),
    Ack(Ack),
}

fn to_bcd(value: u8) -> u8 {
    (value / 10 % 10) * 16 + value % 10
}

fn from_bcd(byte: u8) -> Option<u8> {
    (byte & 0x0f <= 9 && byte >> 4 <= 9).then_some((byte >> 4) * 10 + (byte & 0x0f))
}

impl ClockSide {
    fn encode(self) -> [u8; 3] {
        let flags = u8::from(self.flag_final) << 4 | u8::from(self.per_move) << 5 | u8::from(self.flag_shown) << 6;
        [flags | self.time.hours.min(9), to_bcd(self.time.minutes), to_bcd(self.time.seconds)]
    }

    fn decode([first, minutes, seconds]: [u8; 3]) -> Option<ClockSide> {
        let time = Hms { hours: first & 0x0f, minutes: from_bcd(minutes)?, seconds: from_bcd(seconds)? };
        time.is_possible().then_some(ClockSide {
            time,
            flag_final: first & 0x10 != 0,
            per_move: first & 0x20 != 0,
            flag_shown: first & 0x40 != 0,
        })
    }
}

impl BwTime {
    /// Who has the move, by the lever and the turn bits; none where they contradict each other (noise) or there is no clock.
    pub fn turn(self) -> Option<LeverSide> {
        match (self.no_clock, self.right_high, self.left_to_move, self.right_to_move) {
            (true, ..) => None,
            (_, false, true, false) | (_, false, false, false) => Some(LeverSide::Left),
            (_, true, false, true) | (_, true, false, false) => Some(LeverSide::Right),
            _ => None,
        }
    }

    /// All zero: comes after a command and means nothing.
    pub fn is_null(self) -> bool {
        self == BwTime::default()
    }

    fn status(self) -> u8 {
        let bits =
            [self.running, self.right_high, self.battery_low, self.left_to_move, self.right_to_move, self.no_clock];
        bits.iter().enumerate().map(|(n, &bit)| u8::from(bit) << n).sum()
    }
}

impl ClockMessage {
    /// The frame.
    pub fn frame(self) -> BoardFrame {
        let payload = match self {
            ClockMessage::Time(time) => {
                let ([a, b, c], [d, e, f]) = (time.right.encode(), time.left.encode());
                vec![a, b, c, d, e, f, time.status()]
            }
            ClockMessage::Ack(Ack { ack0, ack1, ack2, ack3 }) => {
                // bit 7 of each travels in the first bytes of the sides, crosswise
                let first = |bit4: u8, bit5: u8| 0x0a | bit4 >> 7 << 4 | bit5 >> 7 << 5;
                let payload = [first(ack2, ack3), ack0, ack1, first(ack0, ack1), ack2, ack3, 0];
                payload.map(|b| b & 0x7f).to_vec()
            }
        };
        BoardFrame { id: id::TIME, payload }
    }

    /// What a frame says; none if it is no clock message, or holds what no clock says.
    pub fn of(frame: &BoardFrame) -> Option<ClockMessage> {
        if frame.id != id::TIME {
            return None;
        }
        let [a, b, c, d, e, f, status] = *frame.payload.as_slice() else { return None };
        if a & 0x0f == 0x0a || d & 0x0f == 0x0a {
            let bit7 = |byte: u8, bit: u8| (byte >> bit & 1) << 7;
            return Some(ClockMessage::Ack(Ack {
                ack0: b & 0x7f | bit7(d, 4),
                ack1: c & 0x7f | bit7(d, 5),
                ack2: e & 0x7f | bit7(a, 4),
                ack3: f & 0x7f | bit7(a, 5),
            }));
        }
        let bit = |n: u8| status >> n & 1 == 1;
        Some(ClockMessage::Time(BwTime {
            right: ClockSide::decode([a, b, c])?,
            left: ClockSide::decode([d, e, f])?,
            running: bit(0),
            right_high: bit(1),
            battery_low: bit(2),
            left_to_move: bit(3),
            right_to_move: bit(4),
            no_clock: bit(5),
        }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::board::{BoardCommand, BoardDecoder};
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        hex.split_whitespace().map(|h| u8::from_str_radix(h, 16).unwrap()).collect()
    }

    fn message(hex: &str) -> ClockMessage {
        let mut decoder = BoardDecoder::default();
        let frames: Vec<_> = bytes(hex).into_iter().filter_map(|b| decoder.push(b)).collect();
        let found = ClockMessage::of(&frames[0]).unwrap();
        assert_eq!(frames.len(), 1);
        found
    }

    fn time(hex: &str) -> BwTime {
        let ClockMessage::Time(time) = message(hex) else { panic!("{hex}: no time") };
        assert_eq!(ClockMessage::Time(time).frame().encode(), bytes(hex), "written as it was read");
        time
    }

    fn seconds(t: BwTime) -> (u64, u64) {
        (t.left.time.seconds(), t.right.time.seconds())
    }

    /// What a real clock sent in a Fischer game of three minutes and two seconds a move.
    const CAPTURED: [&str; 8] = [
        "8d 00 0a 20 03 02 20 03 02 08",
        "8d 00 0a 20 03 02 20 03 02 09",
        "8d 00 0a 20 03 02 20 03 01 09",
        "8d 00 0a 20 03 02 20 02 59 09",
        "8d 00 0a 20 03 02 20 03 01 13",
        "8d 00 0a 20 03 03 20 03 01 09",
        "8d 00 0a 20 01 46 20 01 49 12",
        "8d 00 0a 30 00 00 20 00 16 12",
    ];

    #[test]
    fn captured_times_are_read_and_written_to_the_byte() {
        let read = CAPTURED.map(time);
        assert_eq!(
            read.map(seconds),
            [(182, 182), (182, 182), (181, 182), (179, 182), (181, 182), (181, 183), (109, 106), (16, 0)]
        );
        assert!(read.iter().all(|t| t.left.per_move && t.right.per_move && !t.no_clock && !t.battery_low));
        assert_eq!(read.map(|t| t.running), [false, true, true, true, true, true, false, false]);
        assert!(read[7].right.flag_final && !read[7].left.flag_final, "the right flag has fallen");
        use LeverSide::{Left, Right};
        assert_eq!(read.map(BwTime::turn).map(Option::unwrap), [Left, Left, Left, Left, Right, Left, Right, Right]);
    }

    #[test]
    fn first_fact_bit_three_says_left_to_move() {
        // status 09: only the left time falls, in 763 of 763 pairs of the captures
        let pair = [CAPTURED[1], CAPTURED[2]].map(time);
        assert!(pair.iter().all(|t| t.left_to_move && !t.right_to_move && t.running));
        assert!(seconds(pair[1]).0 < seconds(pair[0]).0 && seconds(pair[1]).1 == seconds(pair[0]).1);
    }

    #[test]
    fn second_fact_bit_four_says_right_to_move() {
        // status 13: only the right time falls, in 786 of 786 pairs
        let before = time("8d 00 0a 20 03 02 20 03 01 13");
        let after = time("8d 00 0a 20 03 01 20 03 01 13");
        assert!([before, after].iter().all(|t| t.right_to_move && !t.left_to_move && t.running));
        assert!(seconds(after).1 < seconds(before).1 && seconds(after).0 == seconds(before).0);
    }

    #[test]
    fn third_fact_the_right_side_is_high_when_right_is_to_move() {
        for hex in CAPTURED {
            let t = time(hex);
            assert_eq!(t.right_high, t.right_to_move, "{hex}");
            assert_ne!(t.right_high, t.left_to_move, "{hex}");
        }
    }

    #[test]
    fn values_may_rise() {
        // the left player pressed and got two seconds: nothing is dropped
        let pair = [CAPTURED[3], CAPTURED[4]].map(time);
        assert_eq!(seconds(pair[1]).0, seconds(pair[0]).0 + 2);
    }

    #[test]
    fn no_clock_and_null_times() {
        let gone = time("8d 00 0a 00 00 00 00 00 00 20");
        assert!(gone.no_clock && gone.turn().is_none() && !gone.is_null());
        assert!(time("8d 00 0a 00 00 00 00 00 00 00").is_null());
        // what no clock says is noise
        let frame = |payload: [u8; 7]| ClockMessage::of(&BoardFrame { id: id::TIME, payload: payload.to_vec() });
        assert_eq!(frame([0x20, 0x61, 0x00, 0x20, 0x00, 0x00, 0x09]), None, "61 minutes");
        assert_eq!(frame([0x20, 0x0b, 0x00, 0x20, 0x00, 0x00, 0x09]), None, "no decimal digit");
        assert_eq!(frame([0x0c, 0x00, 0x00, 0x20, 0x00, 0x00, 0x09]), None, "12 hours");
    }

    #[test]
    fn acknowledgements() {
        let ack = |hex: &str| {
            let ClockMessage::Ack(ack) = message(hex) else { panic!("{hex}: no acknowledgement") };
            ack
        };
        let exact = |hex: &str, expected: Ack| {
            assert_eq!(ack(hex), expected, "{hex}");
            assert_eq!(ClockMessage::Ack(expected).frame().encode(), bytes(hex));
        };
        exact("8d 00 0a 0a 10 09 0a 22 00 00", Ack { ack2: 0x22, ..Ack::good(command_id::VERSION_QUERY) });
        assert_eq!(ack("8d 00 0a 0a 10 09 0a 22 00 00").version(), Some((2, 2)));
        exact("8d 00 0a 0a 10 0a 0a 00 00 00", Ack::good(command_id::SET_AND_RUN));
        exact("8d 00 0a 0a 40 0a 0a 00 00 00", Ack::refused(command_id::SET_AND_RUN));
        exact("8d 00 0a 0a 10 01 0a 00 00 00", Ack::good(command_id::SEGMENTS));
        exact("8d 00 0a 0a 10 03 0a 00 00 00", Ack::good(command_id::END_DISPLAY));
        exact("8d 00 0a 0a 10 0b 0a 00 00 00", Ack::good(command_id::BEEP));
        exact("8d 00 0a 0a 10 0c 0a 00 00 00", Ack::good(command_id::ASCII));
        exact("8d 00 0a 0a 10 01 2a 00 00 00", Ack::good(unasked::READY));
        assert_eq!(ack("8d 00 0a 0a 10 01 2a 00 00 00").command(), None);
        for (hex, button) in [
            ("8d 00 0a 0a 10 08 2a 11 33 00", ClockButton::RunPause),
            ("8d 00 0a 0a 10 08 2a 05 31 00", ClockButton::Back),
            ("8d 00 0a 0a 10 08 2a 09 32 00", ClockButton::Plus),
            ("8d 00 0a 0a 10 08 2a 21 34 00", ClockButton::Minus),
            ("8d 00 0a 0a 10 08 2a 41 35 00", ClockButton::Ok),
        ] {
            exact(hex, Ack::button_pressed(button));
            assert_eq!(ack(hex).button(), Some(button), "{hex}");
        }
        // the mark may be on either side alone
        assert_eq!(ack("8d 00 0a 00 10 0a 0a 00 00 00"), Ack::good(command_id::SET_AND_RUN));
        assert_eq!(ack("8d 00 0a 0a 10 0a 00 00 00 00"), Ack::good(command_id::SET_AND_RUN));
    }

    #[test]
    fn commands_are_those_of_the_board() {
        let hms = |hours, minutes, seconds| Hms { hours, minutes, seconds };
        let set = |left, right, mode| ClockCommand::SetAndRun { left, right, mode };
        let five = hms(0, 5, 0);
        for (hex, command) in [
            ("2b 03 03 09 00", ClockCommand::VersionQuery),
            ("2b 03 03 03 00", ClockCommand::EndDisplay),
            ("2b 03 03 08 00", ClockCommand::ButtonQuery),
            ("2b 04 03 0b 10 00", ClockCommand::Beep { units: 16 }),
            ("2b 0a 03 0a 00 05 00 00 05 00 04 00", set(five, five, mode::PAUSE)),
            ("2b 0a 03 0a 00 05 00 00 05 00 01 00", set(five, five, mode::LEFT_RUNS)),
            ("2b 0a 03 0a 01 1e 05 00 3b 3b 02 00", set(hms(1, 30, 5), hms(0, 59, 59), mode::RIGHT_RUNS)),
            ("2b 0a 03 0a 00 05 00 00 05 00 09 00", set(five, five, mode::LEFT_RUNS | mode::LEVER_TOGGLES)),
            ("2b 0b 03 01 3e 5f 73 00 7b 6d 00 03 00", ClockCommand::seven_segments("pause ", true)),
            ("2b 0c 03 0c 50 41 55 53 45 20 20 20 01 00", ClockCommand::ascii("PAUSE", 1)),
        ] {
            assert_eq!(command.encode(), bytes(hex), "{hex}");
            assert_eq!(ClockCommand::decode(&bytes(hex)), Some(command), "{hex}");
        }
    }

    fn any_hms() -> impl Strategy<Value = Hms> {
        (0u8..10, 0u8..60, 0u8..60).prop_map(|(hours, minutes, seconds)| Hms { hours, minutes, seconds })
    }

    fn any_side() -> impl Strategy<Value = ClockSide> {
        (any_hms(), any::<[bool; 3]>()).prop_map(|(time, [flag_final, per_move, flag_shown])| ClockSide {
            time,
            flag_final,
            per_move,
            flag_shown,
        })
    }

    fn any_message() -> impl Strategy<Value = ClockMessage> {
        prop_oneof![
            (any_side(), any_side(), any::<[bool; 6]>()).prop_map(|(left, right, b)| {
                ClockMessage::Time(BwTime {
                    left,
                    right,
                    running: b[0],
                    right_high: b[1],
                    battery_low: b[2],
                    left_to_move: b[3],
                    right_to_move: b[4],
                    no_clock: b[5],
                })
            }),
            any::<[u8; 4]>().prop_map(|[ack0, ack1, ack2, ack3]| ClockMessage::Ack(Ack { ack0, ack1, ack2, ack3 })),
        ]
    }

    fn any_command() -> impl Strategy<Value = ClockCommand> {
        prop_oneof![
            (any::<[u8; 6]>(), any::<u8>(), any::<u8>()).prop_map(|(segments, icons, beep)| ClockCommand::Segments {
                segments,
                icons,
                beep
            }),
            (any::<[u8; 4]>(), any::<u8>()).prop_map(|(icons, special)| ClockCommand::Icons { icons, special }),
            Just(ClockCommand::EndDisplay),
            Just(ClockCommand::ButtonQuery),
            Just(ClockCommand::VersionQuery),
            (any_hms(), any_hms(), any::<u8>()).prop_map(|(left, right, mode)| ClockCommand::SetAndRun {
                left,
                right,
                mode
            }),
            any::<u8>().prop_map(|units| ClockCommand::Beep { units }),
            (any::<[u8; 8]>(), any::<u8>()).prop_map(|(text, beep)| ClockCommand::Ascii { text, beep }),
            (any::<[u8; 11]>(), any::<u8>()).prop_map(|(text, beep)| ClockCommand::LongAscii { text, beep }),
        ]
    }

    proptest! {
        #[test]
        fn messages_round_trip(message in any_message()) {
            prop_assert_eq!(ClockMessage::of(&message.frame()), Some(message));
        }

        #[test]
        fn commands_round_trip_as_a_stream(commands in proptest::collection::vec(any_command(), 1..6)) {
            let mut decoder = ToBoardDecoder::default();
            let mut sent = Vec::new();
            let mut stream = Vec::new();
            for command in commands {
                stream.push(BoardCommand::SerialNumber.byte());
                stream.extend(command.encode());
                sent.extend([ToBoard::Command(BoardCommand::SerialNumber), ToBoard::Clock(command)]);
            }
            let found: Vec<_> = stream.into_iter().filter_map(|b| decoder.push(b)).collect();
            prop_assert_eq!(found, sent);
        }

        #[test]
        fn a_board_finds_its_way_after_noise(noise in proptest::collection::vec(any::<u8>(), 0..200), command in any_command()) {
            let mut decoder = ToBoardDecoder::default();
            for byte in noise {
                let _ = decoder.push(byte);
                prop_assert!(decoder.bytes.len() <= MAX_MESSAGE);
            }
            // a message that noise began swallows at most its own length: commands that mean nothing come out of it
            for _ in 0..MAX_MESSAGE {
                let _ = decoder.push(0x00);
            }
            let found: Vec<_> = command.encode().into_iter().filter_map(|b| decoder.push(b)).collect();
            prop_assert_eq!(found.last(), Some(&ToBoard::Clock(command)));
        }

        #[test]
        fn any_payload_is_safe(payload in proptest::collection::vec(any::<u8>(), 0..12)) {
            let _ = ClockMessage::of(&BoardFrame { id: id::TIME, payload: payload.clone() });
            let _ = ClockCommand::decode(&payload);
        }
    }
}
