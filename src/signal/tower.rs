//! The bytes of one-byte USB tower lamps (9600 8N1). Pure.
//!
//! One byte a command: the low half names the lamp, the high half what it does. The tower answers nothing and checks nothing.

use super::lights::Lamp;

/// What a lamp of the tower does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    On = 0x10,
    Off = 0x20,
    Blink = 0x40,
}

/// One command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TowerCommand {
    /// Red, amber, green or the buzzer.
    pub lamp: Lamp,
    pub action: Action,
}

/// The lamps that a tower has, with their bits.
pub const LAMPS: [(Lamp, u8); 4] = [(Lamp::Red, 0x01), (Lamp::Amber, 0x02), (Lamp::Green, 0x04), (Lamp::Buzzer, 0x08)];

impl TowerCommand {
    /// The byte; none for a lamp that towers do not have.
    pub fn encode(self) -> Option<u8> {
        LAMPS.iter().find(|(lamp, _)| *lamp == self.lamp).map(|(_, bit)| self.action as u8 | bit)
    }

    /// The command of a byte; none if it is none. (A byte with several lamps is not: not every tower knows them.)
    pub fn decode(byte: u8) -> Option<TowerCommand> {
        let action = [Action::On, Action::Off, Action::Blink].into_iter().find(|a| *a as u8 == byte & 0xf0)?;
        let (lamp, _) = LAMPS.into_iter().find(|(_, bit)| *bit == byte & 0x0f)?;
        Some(TowerCommand { lamp, action })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_towers() {
        let bytes = |action| LAMPS.map(|(lamp, _)| TowerCommand { lamp, action }.encode().unwrap());
        assert_eq!(bytes(Action::On), [0x11, 0x12, 0x14, 0x18]);
        assert_eq!(bytes(Action::Off), [0x21, 0x22, 0x24, 0x28]);
        assert_eq!(bytes(Action::Blink), [0x41, 0x42, 0x44, 0x48]);
    }

    #[test]
    fn every_byte_is_a_command_or_none() {
        let commands: Vec<(u8, TowerCommand)> = (0..=255).filter_map(|b| Some((b, TowerCommand::decode(b)?))).collect();
        assert_eq!(commands.len(), 12);
        assert!(commands.iter().all(|(byte, command)| command.encode() == Some(*byte)));
        assert_eq!(TowerCommand { lamp: Lamp::Blue, action: Action::On }.encode(), None);
    }
}
