//! What may go wrong on a line, on request and reproducibly.

/// Faults of an emulated device and its line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// Probability that a line is lost, in each direction.
    pub drop: f64,
    /// Probability that a byte is changed, in each direction.
    pub noise: f64,
    /// Answers come so much later.
    pub delay_ms: u64,
    /// Takes everything, answers nothing.
    pub silent: bool,
    /// Probability that what comes in is answered wrongly: refused, "busy", or another state than the true one.
    pub wrong: f64,
    /// Does not even take what is sent: the line fills up.
    pub stuck: bool,
    pub seed: u64,
}

/// A small generator of chance (xorshift64*): the same seed gives the same faults.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// Seeds it.
    pub fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// True with this probability.
    pub fn happens(&mut self, probability: f64) -> bool {
        probability > 0.0 && (self.next() >> 11) as f64 / (1u64 << 53) as f64 <= probability
    }

    /// A byte.
    pub fn byte(&mut self) -> u8 {
        (self.next() >> 56) as u8
    }
}

/// One direction of a bad line.
#[derive(Clone, Debug)]
pub struct BadLine {
    chance: Chance,
    drop: f64,
    noise: f64,
    dropping: bool,
    at_start: bool,
}

impl BadLine {
    /// A direction with its own chance.
    pub fn new(faults: &Faults, direction: u64) -> BadLine {
        let chance = Chance::new(faults.seed.wrapping_mul(2).wrapping_add(direction + 1));
        BadLine { chance, drop: faults.drop, noise: faults.noise, dropping: false, at_start: true }
    }

    /// What arrives of `bytes`. Lines end with a line feed; where there are none (`whole`), the bytes are one line.
    pub fn pass(&mut self, bytes: &[u8], whole: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        self.at_start |= whole;
        for &byte in bytes {
            if std::mem::take(&mut self.at_start) {
                self.dropping = self.chance.happens(self.drop);
            }
            self.at_start = !whole && byte == b'\n';
            if !self.dropping {
                let changed = self.chance.happens(self.noise);
                out.push(if changed { self.chance.byte() } else { byte });
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_come_as_often_as_asked() {
        let faults = Faults { drop: 0.1, noise: 0.01, seed: 3, ..Faults::default() };
        let mut line = BadLine::new(&faults, 0);
        let sent = b"abcdefghi\n".repeat(10_000);
        let got = line.pass(&sent, false);
        let lost = 1.0 - got.len() as f64 / sent.len() as f64;
        assert!((0.09..0.11).contains(&lost), "{lost}");
        let foreign = got.iter().filter(|b| !b"abcdefghi\n".contains(b)).count() as f64 / got.len() as f64;
        assert!((0.008..0.012).contains(&foreign), "{foreign}");
        assert_eq!(BadLine::new(&Faults::default(), 0).pass(&sent, true), sent);
    }
}
