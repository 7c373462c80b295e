//! Seven-segment letters for clocks that show no text. Pure.
//!
//! Bits: 01 top, 02 right above, 04 right below, 08 bottom, 10 left below, 20 left above, 40 middle.

/// The segments of a character as well as seven can show it; what cannot be shown is dark.
pub fn segments(character: char) -> u8 {
    match character.to_ascii_lowercase() {
        '0' => 0x3f,
        '1' => 0x06,
        '2' | 'z' => 0x5b,
        '3' => 0x4f,
        '4' => 0x66,
        '5' => 0x6d,
        '6' => 0x7d,
        '7' => 0x07,
        '8' => 0x7f,
        '9' => 0x6f,
        'a' => 0x5f,
        'b' => 0x7c,
        'c' => 0x58,
        'd' => 0x5e,
        'e' => 0x7b,
        'f' => 0x71,
        'g' => 0x3d,
        'h' => 0x74,
        'i' => 0x10,
        'j' => 0x1e,
        'k' => 0x75,
        'l' => 0x38,
        'm' => 0x55,
        'n' => 0x54,
        'o' => 0x5c,
        'p' => 0x73,
        'q' => 0x67,
        'r' => 0x50,
        's' => 0x6d,
        't' => 0x78,
        'u' => 0x3e,
        'v' => 0x2a,
        'w' => 0x7e,
        'x' => 0x64,
        'y' => 0x6e,
        '-' => 0x40,
        '_' => 0x08,
        _ => 0x00,
    }
}

/// The segments of six characters in the order of the display message: positions C B A F E D.
pub fn display_order(text: &str) -> [u8; 6] {
    let mut places = [0; 6];
    for (place, character) in places.iter_mut().zip(text.chars()) {
        *place = segments(character);
    }
    let [a, b, c, d, e, f] = places;
    [c, b, a, f, e, d]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_looks_like_one() {
        assert_eq!(display_order("pause "), [0x3e, 0x5f, 0x73, 0x00, 0x7b, 0x6d]);
        assert_eq!(display_order("ß"), [0; 6]);
    }
}
