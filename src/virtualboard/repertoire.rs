//! Ready-made scripts: the demo's game, and random ones for tests and training.

use crate::rules::{Class, Color, History, Point};

use super::camera::CameraPose;
use super::furniture::Seat;
use super::look::{BoardWood, Lights, LookChoice, StoneMaterial, TableTop};
use super::script::{Happening, Pace, Script, What};
use super::space::Dice;

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

    /// A plausible game of 20 to 40 moves in which things go wrong: the same for the same seed, legal where it should be.
    pub fn random(seed: u64, size: u8) -> Script {
        let mut dice = Dice::new(seed, 0x5c71);
        let count = 20 + dice.below(21);
        let mut history = History::new(crate::rules::Board::new(size), Color::Black);
        let mut captures = Vec::new();
        let mut happenings = Vec::new();
        for n in 1..=count {
            let color = history.turn();
            let Some(point) = plausible_move(&history, &mut dice) else { break };
            let captured = history.play(color, Some(point)).captured;
            if !captured.is_empty() {
                captures.push(n as u32);
            }
            // a ko or a suicide is shown where the game offers one
            if dice.chance(0.5)
                && let Some(what) = forbidden_move(&history, &mut dice)
            {
                happenings.push(Happening { at_move: n as u32, what });
            }
        }
        let moves: Vec<(Color, Point)> = history.moves().iter().filter_map(|m| Some((m.color, m.point?))).collect();
        let mut script = Script::new(format!("random-{seed}"), size, moves);
        script.black_seat = *dice.pick(&[Seat::Near, Seat::Near, Seat::Left, Seat::Far, Seat::Right]);
        script.pace = Pace {
            seconds_per_move: f64::from(dice.between(1.8, 3.5)),
            hand_speed: f64::from(dice.between(0.85, 1.25)),
            lead_s: f64::from(dice.between(1.0, 3.0)),
            tail_s: 3.0,
        };
        script.look.seed = dice.next_u64() >> 1;
        if let Some(n) = captures.first()
            && dice.chance(0.6)
        {
            happenings.push(Happening {
                at_move: *n,
                what: What::MissedCapture { for_s: f64::from(dice.between(3.6, 6.0)) },
            });
        }
        for _ in 0..3 + dice.below(4) {
            let n = dice.below(script.moves.len() + 1) as u32;
            if let Some(what) = incident(&history, n as usize, &mut dice) {
                happenings.push(Happening { at_move: n, what });
            }
        }
        let end = script.moves.len() as u32;
        match dice.below(5) {
            0 => happenings.push(Happening {
                at_move: end,
                what: What::Scatter {
                    from: [f64::from(size) * 0.3, f64::from(size) * 0.3],
                    to: [f64::from(size) * 0.6, f64::from(size) * 0.7],
                },
            }),
            1 => {
                happenings.push(Happening { at_move: end, what: What::EndAgreed });
                happenings.push(Happening { at_move: end, what: What::ClearBoard });
            }
            _ => {}
        }
        script.add_what_fits(happenings);
        script
    }

    /// A game that is given, in which up to `most` things go wrong: the same for the same seed.
    pub fn with_incidents(mut self, seed: u64, most: usize) -> Script {
        let mut dice = Dice::new(seed, 0x7ab1);
        let mut history = History::new(self.start.clone(), self.first());
        let mut happenings = Vec::new();
        for (i, &(color, point)) in self.moves.iter().enumerate() {
            let n = i as u32 + 1;
            let captures = !history.play(color, Some(point)).captured.is_empty();
            if captures && dice.chance(0.3) {
                let for_s = f64::from(dice.between(3.6, 6.0));
                happenings.push(Happening { at_move: n, what: What::MissedCapture { for_s } });
            }
            if dice.chance(0.3)
                && let Some(what) = forbidden_move(&history, &mut dice)
            {
                happenings.push(Happening { at_move: n, what });
            }
        }
        while happenings.len() > most {
            happenings.remove(dice.below(happenings.len()));
        }
        for _ in happenings.len()..most {
            let n = dice.below(self.moves.len() + 1) as u32;
            let mut what = incident(&history, n as usize, &mut dice);
            if let Some(What::Drop { at, .. }) = &mut what {
                // near a point a dropped stone looks like one that was played there
                *at = at.map(|x| x.floor().min(f64::from(self.size) - 2.0) + 0.5);
            }
            // the last stone, moved or taken by the hand that played it, is a takeback
            let last = n.checked_sub(1).and_then(|k| self.moves.get(k as usize)).map(|m| m.1);
            let of_the_last = match &what {
                Some(What::Drag { from, .. }) => Some(*from) == last,
                Some(What::WrongRemoval { points, .. }) => points.iter().any(|p| Some(*p) == last),
                _ => false,
            };
            happenings.extend(what.filter(|_| !of_the_last).map(|what| Happening { at_move: n, what }));
        }
        let (end, size) = (self.moves.len() as u32, f64::from(self.size));
        match dice.below(6) {
            0 => {
                let (from, to) = ([size * 0.3, size * 0.3], [size * 0.6, size * 0.7]);
                happenings.push(Happening { at_move: end, what: What::Scatter { from, to } });
            }
            1 => happenings.extend([What::EndAgreed, What::ClearBoard].map(|what| Happening { at_move: end, what })),
            _ => {}
        }
        self.add_what_fits(happenings);
        self
    }

    /// What the board does not allow together is left out.
    fn add_what_fits(&mut self, mut happenings: Vec<Happening>) {
        happenings.sort_by_key(|h| h.at_move);
        for h in happenings {
            self.happenings.push(h);
            if self.check().is_err() {
                self.happenings.pop();
            }
        }
    }
}

/// A legal move as people might play it: near the last stones, seldom on the edge, a capture when there is one.
fn plausible_move(history: &History, dice: &mut Dice) -> Option<Point> {
    let board = history.board();
    let size = board.size();
    let color = history.turn();
    let last: Vec<Point> = history.moves().iter().rev().take(3).filter_map(|m| m.point).collect();
    let mut best: Option<(f32, Point)> = None;
    for p in board.points().filter(|p| board.get(*p).is_none()) {
        let c = history.classify(color, Some(p));
        if !c.is_legal() {
            continue;
        }
        let edge = p.row.min(size - 1 - p.row).min(p.col).min(size - 1 - p.col);
        let mut worth = [-2.0, -0.4, 0.7, 0.8][usize::from(edge.min(3))] + dice.unit() * 2.2;
        for q in &last {
            let gap = p.row.abs_diff(q.row) + p.col.abs_diff(q.col);
            worth += [0.0, 1.0, 0.9, 0.5, 0.2][usize::from(gap.min(4))] * 0.9;
        }
        worth += 2.0 * (c.captured.len() as f32).min(3.0);
        if c.after.chain(p).1 == 1 {
            worth -= 2.5;
        }
        let own = board.neighbors(p).filter(|n| board.get(*n) == Some(color)).count();
        if own == board.neighbors(p).count() {
            worth -= 4.0;
        }
        if best.is_none_or(|b| worth > b.0) {
            best = Some((worth, p));
        }
    }
    best.map(|b| b.1)
}

/// A ko that may not be retaken, or a suicide, if the position offers one.
fn forbidden_move(history: &History, dice: &mut Dice) -> Option<What> {
    let board = history.board();
    let turn = history.turn();
    let for_s = f64::from(dice.between(2.5, 5.0));
    board.points().filter(|p| board.get(*p).is_none()).find_map(|point| {
        let c = history.classify(turn, Some(point));
        if c.is(Class::Suicide) {
            Some(What::Suicide { point, for_s })
        } else if c.is(Class::Ko) {
            Some(What::KoViolation { point, for_s })
        } else {
            None
        }
    })
}

/// Something that goes wrong at or after move `n`.
fn incident(history: &History, n: usize, dice: &mut Dice) -> Option<What> {
    let board = history.position(n)?;
    let size = board.size();
    let for_s = f64::from(dice.between(2.5, 5.0));
    let empty: Vec<Point> = board.points().filter(|p| board.get(*p).is_none()).collect();
    let stones: Vec<Point> = board.points().filter(|p| board.get(*p).is_some()).collect();
    let point = *dice.pick(&empty);
    let middle = |dice: &mut Dice| f64::from(dice.between(0.0, f32::from(size - 1)));
    Some(match dice.below(13) {
        0 | 1 => What::DoubleMove { point, for_s },
        2 | 3 => {
            if stones.is_empty() {
                return None;
            }
            let from = *dice.pick(&stones);
            let to = board.neighbors(from).find(|q| board.get(*q).is_none())?;
            What::Drag { from, to, for_s }
        }
        4 => {
            let turn = dice.between(0.0, std::f32::consts::TAU);
            let off = dice.between(0.4, 0.48);
            What::OffPoint { by: [f64::from(off * turn.sin()), f64::from(off * turn.cos())], for_s }
        }
        5 => What::Takeback { first: point, for_s },
        6 => {
            // by the hand that played last, which takes none of its own
            let last = history.moves().get(n.checked_sub(1)?)?.color;
            let theirs: Vec<Point> = stones.into_iter().filter(|p| board.get(*p) != Some(last)).collect();
            if theirs.is_empty() {
                return None;
            }
            What::WrongRemoval { points: vec![*dice.pick(&theirs)], for_s }
        }
        7 => What::Drop { at: [middle(dice), middle(dice)], for_s },
        8 => What::CameraBump {
            shift_mm: [f64::from(dice.between(-18.0, 18.0)), f64::from(dice.between(-14.0, 14.0))],
            roll_deg: f64::from(dice.between(-1.2, 1.2)),
        },
        9 => What::BoardNudge {
            by: [f64::from(dice.between(-0.4, 0.4)), f64::from(dice.between(-0.4, 0.4))],
            turn_deg: f64::from(dice.between(-1.0, 1.0)),
        },
        10 => What::LightsOff { level: f64::from(dice.between(0.08, 0.5)), for_s: 2.0 },
        11 => What::HandRests { at: [middle(dice), middle(dice)], for_s: 2.0 },
        _ => match n {
            0 => What::WrongFirstColour { point, for_s },
            _ => What::CameraCovered { for_s: 1.5 },
        },
    })
}
