//! Shapes as text, around the move `*`, in all eight directions.
//!
//! `O` own stone, `X` the opponent's, `L` the opponent's last stone, `.` empty, `?` anything; and by exclusion `-` not the opponent's,
//! `+` not own, `s` no stone (empty or beyond the edge).

use super::scene::{Cell, FRAMES, Frame, Scene};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    Own,
    Foe,
    Last,
    Empty,
    NotFoe,
    NotOwn,
    NoStone,
}

/// A shape that has been read.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    wants: Vec<(i8, i8, Want)>,
}

impl Pattern {
    /// Reads rows of equal length, the upper one first. The shapes of the table are the only ones there are: a mistake in
    /// them is found by the first test.
    pub fn read(text: &str) -> Pattern {
        let rows: Vec<&str> = text.split_whitespace().collect();
        let (mut row, mut col) = (0, 0);
        for (r, text) in rows.iter().enumerate() {
            if let Some(c) = text.find('*') {
                (row, col) = (r as i8, c as i8);
            }
        }
        let mut wants = Vec::new();
        for (r, text) in rows.iter().enumerate() {
            for (c, letter) in text.chars().enumerate() {
                let want = match letter {
                    'O' => Want::Own,
                    'X' => Want::Foe,
                    'L' => Want::Last,
                    '.' => Want::Empty,
                    '-' => Want::NotFoe,
                    '+' => Want::NotOwn,
                    's' => Want::NoStone,
                    _ => continue,
                };
                wants.push((c as i8 - col, row - r as i8, want));
            }
        }
        // stones first: they are rare, and most looks end with them
        wants.sort_by_key(|&(x, y, want)| (!matches!(want, Want::Own | Want::Foe | Want::Last), x.abs() + y.abs()));
        Pattern { wants }
    }

    fn fits_in(&self, scene: &Scene, frame: &Frame) -> bool {
        self.wants.iter().all(|&(x, y, want)| {
            let cell = scene.at(frame, x, y);
            match want {
                Want::Own => cell == Cell::Own,
                Want::Foe => cell == Cell::Foe,
                Want::Last => cell == Cell::Foe && scene.last == Some(scene.spot(frame, x, y)),
                Want::Empty => cell == Cell::Empty,
                Want::NotFoe => cell != Cell::Foe,
                Want::NotOwn => cell != Cell::Own,
                Want::NoStone => !cell.is_stone(),
            }
        })
    }

    /// Whether the shape is there in a direction in which `also` holds too.
    pub fn fits(&self, scene: &Scene, also: fn(&Scene, &Frame) -> bool) -> bool {
        FRAMES.iter().any(|frame| self.fits_in(scene, frame) && also(scene, frame))
    }
}
