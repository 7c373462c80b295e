//! Checksums of the lines. Pure.

/// CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF, not reflected, no final XOR. The check value of `123456789` is 0x29B1.
pub fn crc16_ccitt(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xffff, |mut crc, &byte| {
        crc ^= u16::from(byte) << 8;
        for _ in 0..8 {
            crc = if crc & 0x8000 == 0 { crc << 1 } else { crc << 1 ^ 0x1021 };
        }
        crc
    })
}

/// CRC-16/Modbus: polynomial 0xA001 (reflected), start 0xFFFF. The check value of `123456789` is 0x4B37.
pub fn crc16_modbus(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xffff, |mut crc, &byte| {
        crc ^= u16::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 0 { crc >> 1 } else { crc >> 1 ^ 0xa001 };
        }
        crc
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_values_of_the_catalogue() {
        assert_eq!(crc16_modbus(b"123456789"), 0x4b37);
        assert_eq!(crc16_ccitt(b"123456789"), 0x29b1);
        assert_eq!(crc16_ccitt(b""), 0xffff);
    }
}
