//! One line of the journal as text: `CRC CHAIN JSON`. Pure; `docs/journal.md` describes the format for other programs.
//!
//! The CRC finds accidents (a torn or rotten line by itself), the chain finds edits: each link is a hash over the link
//! before it and the line's JSON, so a line that was changed, removed or inserted later breaks every link after it.

use sha2::{Digest, Sha256};

/// The link that every journal starts from, before its header line.
pub const GENESIS: Chain = Chain(*b"0000000000000000");

const CRC_CHARS: usize = 8;
const CHAIN_CHARS: usize = 16;

/// A link of the hash chain: the first 64 bits of SHA-256, as 16 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain([u8; CHAIN_CHARS]);

impl Chain {
    /// The link after `self` for a line that holds `json`.
    pub fn next(self, json: &[u8]) -> Chain {
        let digest = Sha256::new().chain_update(self.0).chain_update(json).finalize();
        let mut text = [0u8; CHAIN_CHARS];
        for (pair, byte) in text.chunks_exact_mut(2).zip(digest.iter()) {
            pair[0] = hex(byte >> 4);
            pair[1] = hex(byte & 15);
        }
        Chain(text)
    }

    /// The 16 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

fn hex(nibble: u8) -> u8 {
    b"0123456789abcdef"[usize::from(nibble & 15)]
}

/// Why a line cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    #[error("it is not a line of a journal")]
    Shape,
    #[error("its checksum does not match")]
    Crc,
}

/// The line for `json` after `previous`, with its line feed, and its link. `json` holds no line feed.
pub fn encode(previous: Chain, json: &str) -> (Vec<u8>, Chain) {
    debug_assert!(!json.contains('\n'));
    let chain = previous.next(json.as_bytes());
    let body = format!("{} {json}", chain.as_str());
    (format!("{:08x} {body}\n", crc32fast::hash(body.as_bytes())).into_bytes(), chain)
}

/// The link and the JSON of a line (without its line feed) whose checksum matches. The caller compares the link.
///
/// # Errors
/// [`LineError`] for any other bytes.
pub fn decode(line: &[u8]) -> Result<(Chain, &str), LineError> {
    let (crc, body) = line.split_at_checked(CRC_CHARS + 1).ok_or(LineError::Shape)?;
    let lower_hex = |b: &u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    if crc[CRC_CHARS] != b' ' || !crc[..CRC_CHARS].iter().all(lower_hex) {
        return Err(LineError::Shape);
    }
    let wanted = std::str::from_utf8(&crc[..CRC_CHARS]).ok().and_then(|s| u32::from_str_radix(s, 16).ok());
    if wanted != Some(crc32fast::hash(body)) {
        return Err(LineError::Crc);
    }
    let (chain, json) = body.split_at_checked(CHAIN_CHARS + 1).ok_or(LineError::Shape)?;
    let (link, space) = chain.split_first_chunk::<CHAIN_CHARS>().ok_or(LineError::Shape)?;
    if space != b" " || !link.iter().all(lower_hex) {
        return Err(LineError::Shape);
    }
    Ok((Chain(*link), std::str::from_utf8(json).map_err(|_| LineError::Shape)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn round_trip(json in "[^\n]{0,200}") {
            let (line, chain) = encode(GENESIS, &json);
            prop_assert_eq!(line.last(), Some(&b'\n'));
            prop_assert_eq!(decode(&line[..line.len() - 1]), Ok((chain, json.as_str())));
            prop_assert_eq!(GENESIS.next(json.as_bytes()), chain);
        }

        #[test]
        fn any_single_changed_byte_is_found(json in "[ -~]{1,80}", at in 0usize..200, flip in 1u8..=255) {
            let (mut line, _) = encode(GENESIS, &json);
            line.pop();
            let at = at % line.len();
            line[at] ^= flip;
            prop_assert!(decode(&line).is_err());
        }

        #[test]
        fn any_bytes_are_safe(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = decode(&bytes);
        }
    }

    #[test]
    fn the_chain_depends_on_the_past() {
        let (_, a) = encode(GENESIS, "{}");
        let (_, b) = encode(a, "{}");
        assert_ne!(a, b);
    }
}
