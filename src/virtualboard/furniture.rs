//! Who sits where, and what stands beside the board: bowls, lids, the clock.

use serde::{Deserialize, Serialize};

use crate::rules::Color;

use super::Look;
use super::space::{Dice, V3, v3};

/// The side of the picture a player sits at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seat {
    #[default]
    Near,
    Far,
    Left,
    Right,
}

impl Seat {
    pub fn opposite(self) -> Seat {
        match self {
            Seat::Near => Seat::Far,
            Seat::Far => Seat::Near,
            Seat::Left => Seat::Right,
            Seat::Right => Seat::Left,
        }
    }

    /// Unit vector from the board's centre towards the player.
    pub fn towards(self) -> V3 {
        match self {
            Seat::Near => v3(0.0, 1.0, 0.0),
            Seat::Far => v3(0.0, -1.0, 0.0),
            Seat::Left => v3(-1.0, 0.0, 0.0),
            Seat::Right => v3(1.0, 0.0, 0.0),
        }
    }

    /// Unit vector towards the player's right hand.
    pub fn right_hand(self) -> V3 {
        let s = self.towards();
        v3(s.y, -s.x, 0.0)
    }
}

/// Index of a colour in pairs: Black first.
pub fn side(color: Color) -> usize {
    match color {
        Color::Black => 0,
        Color::White => 1,
    }
}

/// A box: the clock.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    pub centre: V3,
    /// Half sizes along its own width, depth and height.
    pub half: V3,
    /// Unit vector of its width on the table; the depth is a quarter turn on.
    pub along: V3,
}

/// Everything around the board, in world millimetres; the table is at `table_z`.
#[derive(Clone, Debug)]
pub struct Furniture {
    /// Black, White.
    pub seats: [Seat; 2],
    pub table_z: f32,
    /// Middle of each player's bowl on the table.
    pub bowls: [V3; 2],
    pub lids: [V3; 2],
    pub lid_radius_mm: f32,
    pub clock: Option<Clock>,
}

impl Furniture {
    pub fn new(look: &Look, black: Seat) -> Furniture {
        let mut dice = Dice::new(look.seed, 0xf0);
        let seats = [black, black.opposite()];
        let half = v3(look.geometry.half_x_mm(), look.geometry.half_y_mm(), 0.0);
        let reach = |d: V3| (d.x * half.x).abs() + (d.y * half.y).abs();
        let table_z = -look.geometry.thickness_mm;
        let radius = look.bowls.map_or(68.0, |b| b.radius_mm);
        let lid_radius = radius * 0.86;
        let mut spots = |seat: Seat| {
            let (s, r) = (seat.towards(), seat.right_hand());
            let bowl = r * (reach(r) + radius + dice.between(18.0, 42.0))
                + s * (reach(s) * dice.between(0.25, 0.5))
                + v3(0.0, 0.0, table_z);
            let lid = bowl + s * (radius + lid_radius + dice.between(4.0, 14.0)) + r * dice.between(-12.0, 16.0);
            (bowl, lid)
        };
        let (black_spots, white_spots) = (spots(seats[0]), spots(seats[1]));
        let clock = look.clock.then(|| {
            // at the side of White's right hand, opposite Black's bowl
            let (s, r) = (seats[1].towards(), seats[1].right_hand());
            let bowl = white_spots.0.dot(s);
            let place =
                r * (reach(r) + dice.between(50.0, 66.0)) + s * (bowl - radius - 82.0 - dice.between(8.0, 24.0));
            let turn = dice.between(-0.1, 0.1);
            let along = s * turn.cos() + r * turn.sin();
            Clock { centre: place + v3(0.0, 0.0, table_z + 24.0), half: v3(82.0, 30.0, 24.0), along }
        });
        Furniture {
            seats,
            table_z,
            bowls: [black_spots.0, white_spots.0],
            lids: [black_spots.1, white_spots.1],
            lid_radius_mm: lid_radius,
            clock,
        }
    }
}
