//! What can go wrong at a board: every infraction with the facts that it needs.
//!
//! Enters: what was seen or reported, as plain values. Leaves: what makes the board right again, who may raise it and
//! whether it still can be raised. What a ruleset makes of it is in [`super::verdict`], what became of it in
//! [`super::ledger`].

use serde::{Deserialize, Serialize};

use super::{Appeal, Appellant, Board, Color, InfractionRule, Point, Text};

/// Everything the referee is told of. The names are those of the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Infraction {
    DoubleMove,
    Takeback,
    DroppedStone,
    DisplacedStone,
    StoneOffPoint,
    MissedCapture,
    WrongRemoval,
    KoViolation,
    Superko,
    Suicide,
    WrongFirstColour,
    Scattered,
    SeatOrder,
    SectionOverrun,
    PressBeforeMove,
    PressBeforeCapturesCleared,
    WrongClockPressed,
    TimeOverrun,
}

impl Infraction {
    pub const ALL: [Infraction; 18] = [
        Infraction::DoubleMove,
        Infraction::Takeback,
        Infraction::DroppedStone,
        Infraction::DisplacedStone,
        Infraction::StoneOffPoint,
        Infraction::MissedCapture,
        Infraction::WrongRemoval,
        Infraction::KoViolation,
        Infraction::Superko,
        Infraction::Suicide,
        Infraction::WrongFirstColour,
        Infraction::Scattered,
        Infraction::SeatOrder,
        Infraction::SectionOverrun,
        Infraction::PressBeforeMove,
        Infraction::PressBeforeCapturesCleared,
        Infraction::WrongClockPressed,
        Infraction::TimeOverrun,
    ];

    /// The snake-case name, as in events and ruleset files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Infraction::DoubleMove => "double_move",
            Infraction::Takeback => "takeback",
            Infraction::DroppedStone => "dropped_stone",
            Infraction::DisplacedStone => "displaced_stone",
            Infraction::StoneOffPoint => "stone_off_point",
            Infraction::MissedCapture => "missed_capture",
            Infraction::WrongRemoval => "wrong_removal",
            Infraction::KoViolation => "ko_violation",
            Infraction::Superko => "superko",
            Infraction::Suicide => "suicide",
            Infraction::WrongFirstColour => "wrong_first_colour",
            Infraction::Scattered => "scattered",
            Infraction::SeatOrder => "seat_order",
            Infraction::SectionOverrun => "section_overrun",
            Infraction::PressBeforeMove => "press_before_move",
            Infraction::PressBeforeCapturesCleared => "press_before_captures_cleared",
            Infraction::WrongClockPressed => "wrong_clock_pressed",
            Infraction::TimeOverrun => "time_overrun",
        }
    }

    pub fn from_name(name: &str) -> Option<Infraction> {
        Infraction::ALL.into_iter().find(|i| i.as_str() == name)
    }

    /// What referees call it.
    pub fn name(self) -> Text {
        let (en, zh) = match self {
            Infraction::DoubleMove => ("two moves in a row", "连下两着"),
            Infraction::Takeback => ("a released stone taken back", "悔棋"),
            Infraction::DroppedStone => ("a dropped stone", "棋子掉落"),
            Infraction::DisplacedStone => ("a displaced stone", "棋子移动"),
            Infraction::StoneOffPoint => ("a stone beside its point", "棋子未放正"),
            Infraction::MissedCapture => ("captured stones left on the board", "未提或漏提"),
            Infraction::WrongRemoval => ("stones with liberties taken off", "误提"),
            Infraction::KoViolation => ("a ko retaken at once", "劫争马上回提"),
            Infraction::Superko => ("whole-board repetition", "全局同形再现"),
            Infraction::Suicide => ("a stone on a forbidden point", "下在禁着点"),
            Infraction::WrongFirstColour => ("the wrong colours", "拿错黑白棋"),
            Infraction::Scattered => ("a scattered board", "棋局散乱"),
            Infraction::SeatOrder => ("a move from the wrong seat", "行棋次序错误"),
            Infraction::SectionOverrun => ("a move over the section's limit", "超过本节规定手数"),
            Infraction::PressBeforeMove => ("clock pressed before or with the move", "着子之前或同时按钟"),
            Infraction::PressBeforeCapturesCleared => ("clock pressed before captures are cleared", "未提清即按钟"),
            Infraction::WrongClockPressed => ("the wrong clock pressed", "按错计时钟"),
            Infraction::TimeOverrun => ("the last byo-yomi period overrun", "最后一次读秒超时"),
        };
        Text::new(en, zh)
    }
}

impl AsRef<str> for Infraction {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

/// A stone that was wrongly taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removed {
    pub at: Point,
    pub color: Color,
    /// What its chain had when it was taken; `None` where that is not known.
    pub liberties: Option<u16>,
}

/// What was seen, of each kind of infraction what a referee needs to judge it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Facts {
    /// `first` stands in the record, `second` does not.
    DoubleMove {
        first: Option<Point>,
        second: Point,
    },
    /// A released stone lifted from `from` and put on `to`, or kept in the hand.
    Takeback {
        from: Point,
        to: Option<Point>,
    },
    /// Where it fell: the nearest points.
    DroppedStone {
        near: Vec<Point>,
    },
    /// `from`: points whose stone is no longer there. `to`: points that hold a stone which no move put there.
    DisplacedStone {
        from: Vec<Point>,
        to: Vec<Point>,
    },
    StoneOffPoint {
        at: Vec<Point>,
    },
    /// Stones without liberties that still lie.
    MissedCapture {
        stones: Vec<Point>,
    },
    WrongRemoval {
        stones: Vec<Removed>,
    },
    /// The ko stone, and what it took.
    KoViolation {
        at: Point,
        taken: Vec<Point>,
    },
    /// `repeats`: the number of the move that had led to the same position, 0 for the start.
    Superko {
        at: Point,
        taken: Vec<Point>,
        repeats: Option<u32>,
    },
    /// The stone, and the own stones that have no liberty with it.
    Suicide {
        at: Point,
        own: Vec<Point>,
    },
    /// The colour that opened the game and should not have.
    WrongFirstColour {
        at: Option<Point>,
    },
    /// Every point that differs from the record.
    Scattered {
        points: Vec<Point>,
    },
    /// Seats are numbered clockwise from 1.
    SeatOrder {
        at: Option<Point>,
        seat: Option<u8>,
        expected: Option<u8>,
    },
    /// So many moves over the section's limit; a report tells of one move, a protocol may tell of several.
    SectionOverrun {
        at: Option<Point>,
        over: u16,
    },
    PressBeforeMove,
    /// Stones that were still to be lifted.
    PressBeforeCapturesCleared {
        stones: Vec<Point>,
    },
    WrongClockPressed,
    TimeOverrun,
}

impl Facts {
    /// Stones wrongly taken, with the liberties that they had on `before`; stones that were not there are left out.
    pub fn wrong_removal(before: &Board, points: &[Point]) -> Facts {
        let stones = points.iter().copied().filter(|&p| before.contains(p)).filter_map(|at| {
            let color = before.get(at)?;
            let mut liberties: Vec<Point> = before
                .chain(at)
                .0
                .iter()
                .flat_map(|&s| before.neighbors(s))
                .filter(|&n| before.get(n).is_none())
                .collect();
            liberties.sort();
            liberties.dedup();
            Some(Removed { at, color, liberties: Some(liberties.len() as u16) })
        });
        Facts::WrongRemoval { stones: stones.collect() }
    }

    pub fn kind(&self) -> Infraction {
        match self {
            Facts::DoubleMove { .. } => Infraction::DoubleMove,
            Facts::Takeback { .. } => Infraction::Takeback,
            Facts::DroppedStone { .. } => Infraction::DroppedStone,
            Facts::DisplacedStone { .. } => Infraction::DisplacedStone,
            Facts::StoneOffPoint { .. } => Infraction::StoneOffPoint,
            Facts::MissedCapture { .. } => Infraction::MissedCapture,
            Facts::WrongRemoval { .. } => Infraction::WrongRemoval,
            Facts::KoViolation { .. } => Infraction::KoViolation,
            Facts::Superko { .. } => Infraction::Superko,
            Facts::Suicide { .. } => Infraction::Suicide,
            Facts::WrongFirstColour { .. } => Infraction::WrongFirstColour,
            Facts::Scattered { .. } => Infraction::Scattered,
            Facts::SeatOrder { .. } => Infraction::SeatOrder,
            Facts::SectionOverrun { .. } => Infraction::SectionOverrun,
            Facts::PressBeforeMove => Infraction::PressBeforeMove,
            Facts::PressBeforeCapturesCleared { .. } => Infraction::PressBeforeCapturesCleared,
            Facts::WrongClockPressed => Infraction::WrongClockPressed,
            Facts::TimeOverrun => Infraction::TimeOverrun,
        }
    }

    /// Points whose stones are wrong while the infraction stands: void stones, and what they took or moved.
    /// A move that stands (seat order, a section overrun) makes nothing wrong.
    pub fn wrong_points(&self) -> Vec<Point> {
        let mut points: Vec<Point> = match self {
            Facts::DoubleMove { second, .. } => vec![*second],
            Facts::Takeback { from, to } => [Some(*from), *to].into_iter().flatten().collect(),
            Facts::DisplacedStone { from, to } => from.iter().chain(to).copied().collect(),
            Facts::MissedCapture { stones } | Facts::PressBeforeCapturesCleared { stones } => stones.clone(),
            Facts::WrongRemoval { stones } => stones.iter().map(|s| s.at).collect(),
            Facts::KoViolation { at, taken } | Facts::Superko { at, taken, .. } => {
                taken.iter().copied().chain([*at]).collect()
            }
            Facts::Suicide { at, own } => own.iter().copied().chain([*at]).collect(),
            Facts::Scattered { points } => points.clone(),
            Facts::DroppedStone { .. }
            | Facts::StoneOffPoint { .. }
            | Facts::WrongFirstColour { .. }
            | Facts::SeatOrder { .. }
            | Facts::SectionOverrun { .. }
            | Facts::PressBeforeMove
            | Facts::WrongClockPressed
            | Facts::TimeOverrun => Vec::new(),
        };
        points.sort();
        points.dedup();
        points
    }

    /// How often the penalty in stones is due: once, but for every move over a section's limit (000 17.8).
    pub fn times(&self) -> u16 {
        match self {
            Facts::SectionOverrun { over, .. } => (*over).max(1),
            _ => 1,
        }
    }
}

/// What makes an infraction another one in the eyes of the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Circumstance {
    /// There is evidence that it was done on purpose (000 17.5; 001 part 2, 8.3 and 8.4).
    Deliberate,
    /// A player scattered the board without intent and it cannot be rebuilt (000 17.6; 001 part 2, 8.4).
    CannotRebuild,
    /// The board was changed while play was suspended (000 10.2).
    DuringBreak,
}

impl Circumstance {
    pub const ALL: [Circumstance; 3] =
        [Circumstance::Deliberate, Circumstance::CannotRebuild, Circumstance::DuringBreak];

    /// The key in ruleset files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Circumstance::Deliberate => "deliberate",
            Circumstance::CannotRebuild => "cannot_rebuild",
            Circumstance::DuringBreak => "during_break",
        }
    }
}

/// One infraction at one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Tells cases apart and orders them in time: the `seq` of the event.
    pub id: u64,
    pub facts: Facts,
    /// The side that did it; `None` where nobody saw.
    pub by: Option<Color>,
    /// The player, where it is known which of a team.
    pub player: Option<String>,
    /// How many moves stood in the record just after it, its own included where it stands.
    pub moves: u32,
    pub circumstance: Option<Circumstance>,
}

/// The state of the game when somebody asks whether an infraction can still be raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Moves that stand in the record, passes included.
    pub moves: u32,
    /// Who is to move.
    pub turn: Color,
    /// Both sides and the referee have confirmed the result: nobody may change it (000 16.4).
    pub confirmed: bool,
}

/// Whether an infraction can be raised now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Window {
    Open,
    /// The appellant has to wait for the own turn.
    Later,
    /// Too late.
    Lapsed,
}

impl Case {
    /// A case of which no more is known than its facts.
    pub fn new(id: u64, facts: Facts, by: Option<Color>, moves: u32) -> Case {
        Case { id, facts, by, player: None, moves, circumstance: None }
    }

    pub fn kind(&self) -> Infraction {
        self.facts.kind()
    }

    /// What must be on each point to make the board right again, by the position that stands in the record.
    pub fn restore(&self, record: &Board) -> Vec<(Point, Option<Color>)> {
        let points = self.facts.wrong_points().into_iter().filter(|&p| record.contains(p));
        points.map(|p| (p, record.get(p))).collect()
    }

    /// Who may raise it: the other side, or with `None` either side (or the referee alone).
    pub fn appellant(&self, rule: &InfractionRule) -> Option<Color> {
        match rule.appellant {
            Appellant::Opponent => self.by.map(Color::opponent),
            Appellant::Either | Appellant::Referee => None,
        }
    }

    /// Whether it can still be raised.
    pub fn window(&self, rule: &InfractionRule, now: &Moment) -> Window {
        if now.confirmed {
            return Window::Lapsed;
        }
        let later_moves = now.moves.saturating_sub(self.moves);
        let lapsed = |lapsed: bool| if lapsed { Window::Lapsed } else { Window::Open };
        match rule.appeal {
            Appeal::AnyTime => Window::Open,
            Appeal::AtOnce => lapsed(later_moves > 0),
            Appeal::BeforeNextMove => lapsed(match (later_moves, self.by) {
                (0, _) => false,
                // one move since: the opponent's, unless the opponent is still to move
                (1, Some(by)) => now.turn != by.opponent(),
                _ => true,
            }),
            Appeal::OwnTime => match self.appellant(rule) {
                Some(appellant) if appellant != now.turn => Window::Later,
                _ => Window::Open,
            },
            Appeal::UntilMove(last) => lapsed(now.moves > u32::from(last)),
        }
    }
}
