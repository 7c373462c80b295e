//! Ready-made scripts: the demo's game, and random ones for tests and training.

use crate::rules::{Color, Point};

use super::camera::CameraPose;
use super::look::{BoardWood, Lights, LookChoice, StoneMaterial, TableTop};
use super::script::{Happening, Pace, Script, What};

/// A point by its name (`E5`), as people and Go programs write it.
pub fn point_named(name: &str, size: u8) -> Option<Point> {
    let mut chars = name.chars();
    let letter = chars.next()?.to_ascii_uppercase();
    if !letter.is_ascii_uppercase() || letter == 'I' {
        return None;
    }
    let col = letter as u8 - b'A' - u8::from(letter > 'I');
    let row: u8 = chars.as_str().parse().ok()?;
    (col < size && (1..=size).contains(&row)).then(|| Point::new(size - row, col))
}

impl Script {
    /// The demo: a short fight on 9×9 with two captures, a double move, a dragged stone and a missed capture; about 70 s.
    pub fn demo() -> Script {
        let size = 9;
        let at = |name: &str| point_named(name, size).expect("a point of the demo");
        // a crosscut in the middle; Black takes D5, then B5
        let names = "E5 E6 D6 D5 F6 E7 D4 D7 C5 C6 D5 B5 B6 C7 B4 B7 A5 A6 B5 F7 G6 G7 H7 H8";
        let colors = [Color::Black, Color::White];
        let moves = names.split(' ').enumerate().map(|(i, name)| (colors[i % 2], at(name))).collect();
        let mut script = Script::new("demo", size, moves);
        script.pace = Pace { seconds_per_move: 2.0, hand_speed: 1.0, lead_s: 2.0, tail_s: 3.0 };
        script.look = LookChoice {
            seed: 12,
            board: Some(BoardWood::Kaya),
            table: Some(TableTop::Walnut),
            lights: Some(Lights::Ceiling),
            stones: Some(StoneMaterial::SlateAndShell),
            skin: Some([0.22, 0.62]),
            clock: Some(true),
            ..LookChoice::default()
        };
        script.happenings = vec![
            Happening { at_move: 4, what: What::DoubleMove { point: at("F4"), for_s: 3.5 } },
            Happening { at_move: 13, what: What::Drag { from: at("F6"), to: at("G6"), for_s: 3.5 } },
            Happening { at_move: 17, what: What::MissedCapture { for_s: 5.0 } },
        ];
        script
    }

    /// The camera of the demo for a picture size: from the near side, the whole board in view.
    pub fn demo_camera(&self, width: u32, height: u32) -> CameraPose {
        let look = super::Look::chosen(self.size, &self.look);
        CameraPose { elevation_deg: 54.0, azimuth_deg: -4.0, focal_widths: 1.05, ..CameraPose::default() }.fitted(
            &look.geometry,
            width,
            height,
            0.80,
        )
    }
}
