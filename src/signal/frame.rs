//! A line of goband's serial protocol as bytes: `$SEQ,FIELD,FIELD…*CRC` CR LF. Pure; `docs/serial-protocol.md` specifies it.

use super::crc::crc16_ccitt;

/// The longest line, from `$` to LF.
pub const MAX_LINE: usize = 512;
/// `$` before, `*`, four digits, CR, LF after.
const OVERHEAD: usize = 8;

/// A line's content: sequence number (0: wants no acknowledgement) and decoded fields, the first one is the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub seq: u16,
    pub fields: Vec<String>,
}

/// Bytes that are no valid line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// Cut by the next `$`, too long, or with bytes that do not belong in a line.
    Garbled,
    /// Complete, but its checksum does not match.
    Crc,
    /// Complete and undamaged, but not of the form `SEQ,TYPE…`: a mistake of the sender.
    Shape,
}

/// Appends a field to a payload: bytes outside printable ASCII, and those with a meaning, as `%XX` (of UTF-8).
fn push_escaped(out: &mut Vec<u8>, field: &str) {
    for &byte in field.as_bytes() {
        if (0x20..0x7f).contains(&byte) && !b"$*,%".contains(&byte) {
            out.push(byte);
        } else {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
}

fn unescape(field: &[u8]) -> Option<String> {
    let mut out = Vec::with_capacity(field.len());
    let mut rest = field.iter();
    while let Some(&byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || char::from(*rest.next()?).to_digit(16);
            out.push((digit()? << 4 | digit()?) as u8);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

impl Frame {
    /// The bytes of the line. A last field that makes the line too long is shortened, at a character, with `…` at its end.
    pub fn encode(&self) -> Vec<u8> {
        let mut line = vec![b'$'];
        line.extend_from_slice(self.seq.to_string().as_bytes());
        for (n, field) in self.fields.iter().enumerate() {
            line.push(b',');
            let start = line.len();
            push_escaped(&mut line, field);
            let room = MAX_LINE - OVERHEAD + 1;
            if line.len() > room && n + 1 == self.fields.len() {
                let mut text: Vec<char> = field.chars().collect();
                while line.len() > room && text.pop().is_some() {
                    line.truncate(start);
                    push_escaped(&mut line, &text.iter().collect::<String>());
                    push_escaped(&mut line, "…");
                }
            }
        }
        let crc = crc16_ccitt(&line[1..]);
        line.extend_from_slice(format!("*{crc:04X}\r\n").as_bytes());
        line
    }

    /// Decodes what stands between `$` and the line's end.
    ///
    /// # Errors
    /// [`Rejected::Crc`] or [`Rejected::Shape`].
    fn decode(line: &[u8]) -> Result<Frame, Rejected> {
        let (payload, crc) = line.split_at_checked(line.len().wrapping_sub(5)).ok_or(Rejected::Garbled)?;
        let digits = crc.strip_prefix(b"*").and_then(|d| std::str::from_utf8(d).ok()).ok_or(Rejected::Garbled)?;
        if !digits.bytes().all(|d| d.is_ascii_hexdigit()) {
            return Err(Rejected::Garbled);
        }
        if u16::from_str_radix(digits, 16) != Ok(crc16_ccitt(payload)) {
            return Err(Rejected::Crc);
        }
        let mut fields = payload.split(|&b| b == b',');
        let seq = fields.next().unwrap_or_default();
        let is_number = !seq.is_empty() && seq.len() <= 5 && seq.iter().all(u8::is_ascii_digit);
        let seq = std::str::from_utf8(seq).ok().filter(|_| is_number).and_then(|s| s.parse().ok());
        let fields: Option<Vec<String>> = fields.map(unescape).collect();
        match (seq, fields) {
            (Some(seq), Some(fields)) if !fields.is_empty() => Ok(Frame { seq, fields }),
            _ => Err(Rejected::Shape),
        }
    }
}

/// Finds the lines in a stream of bytes that may begin anywhere and hold noise.
#[derive(Clone, Debug, Default)]
pub struct FrameDecoder {
    /// Bytes since the last `$`.
    line: Vec<u8>,
    in_line: bool,
}

impl FrameDecoder {
    /// Takes the next byte; gives a line when it is the last of one.
    pub fn push(&mut self, byte: u8) -> Option<Result<Frame, Rejected>> {
        match byte {
            // whatever came before: a line begins here
            b'$' => {
                let cut = self.in_line && !self.line.is_empty();
                self.line.clear();
                self.in_line = true;
                cut.then_some(Err(Rejected::Garbled))
            }
            _ if !self.in_line => None,
            b'\n' => {
                self.in_line = false;
                let line = std::mem::take(&mut self.line);
                Some(Frame::decode(line.strip_suffix(b"\r").unwrap_or(&line)))
            }
            b'\r' | 0x20..0x7f if self.line.len() < MAX_LINE => {
                self.line.push(byte);
                None
            }
            _ => {
                self.in_line = false;
                self.line.clear();
                Some(Err(Rejected::Garbled))
            }
        }
    }

    /// Forgets a half line.
    pub fn reset(&mut self) {
        *self = FrameDecoder::default();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode_all(bytes: &[u8]) -> Vec<Result<Frame, Rejected>> {
        let mut decoder = FrameDecoder::default();
        bytes.iter().filter_map(|&b| decoder.push(b)).collect()
    }

    fn any_frame() -> impl Strategy<Value = Frame> {
        (any::<u16>(), proptest::collection::vec("[\\PC$*,%\n]{0,12}", 1..6))
            .prop_map(|(seq, fields)| Frame { seq, fields })
    }

    proptest! {
        #[test]
        fn round_trip(frame in any_frame()) {
            let line = frame.encode();
            prop_assert!(line.is_ascii() && line.len() <= MAX_LINE);
            prop_assert_eq!(decode_all(&line), vec![Ok(frame)]);
        }

        #[test]
        fn any_bytes_are_safe_and_the_next_line_is_found(noise in proptest::collection::vec(any::<u8>(), 0..2000), frame in any_frame()) {
            let mut bytes = noise;
            bytes.extend(frame.encode());
            prop_assert_eq!(decode_all(&bytes).pop(), Some(Ok(frame)));
        }

        #[test]
        fn one_changed_byte_never_gives_another_line(frame in any_frame(), at in any::<prop::sample::Index>(), flip in 1u8..=255) {
            let mut line = frame.encode();
            let at = at.index(line.len());
            line[at] ^= flip;
            for found in decode_all(&line).into_iter().flatten() {
                // the CR alone is not needed
                prop_assert_eq!(&found, &frame);
            }
        }
    }

    #[test]
    fn long_texts_are_shortened_at_a_character() {
        let text = "黑方连下两手".repeat(40);
        let line = Frame { seq: 7, fields: vec!["ALARM".into(), text.clone()] }.encode();
        assert!(line.len() <= MAX_LINE && line.len() > MAX_LINE - 12, "{}", line.len());
        let Some(Ok(frame)) = decode_all(&line).pop() else { panic!() };
        assert!(frame.fields[1].ends_with('…') && text.starts_with(frame.fields[1].trim_end_matches('…')));
    }

    #[test]
    fn a_line_feed_alone_ends_a_line_too() {
        let line = Frame { seq: 1, fields: vec!["BEAT".into()] }.encode();
        let without_cr: Vec<u8> = line.iter().copied().filter(|&b| b != b'\r').collect();
        assert_eq!(decode_all(&without_cr), decode_all(&line));
    }
}
