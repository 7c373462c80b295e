//! A script: a game and what goes wrong in it.

use crate::rules::{Board, Class, Color, History, Point};

use super::camera::CameraPose;
use super::furniture::Seat;
use super::look::LookChoice;

/// What is to be played, by whom, how fast, and what goes wrong. Read from TOML by [`Script::from_toml`].
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    pub name: String,
    pub size: u8,
    /// Where Black sits; White sits opposite.
    pub black_seat: Seat,
    pub pace: Pace,
    pub look: LookChoice,
    /// `None`: a camera from the near side that has the whole board in the picture.
    pub camera: Option<CameraPose>,
    /// What lies there before the first move.
    pub start: Board,
    /// In the order they are to stand in the record.
    pub moves: Vec<(Color, Point)>,
    pub happenings: Vec<Happening>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// From one stone to the next, when nothing is wrong.
    pub seconds_per_move: f64,
    /// 1: a calm player; 2: twice as quick.
    pub hand_speed: f64,
    /// Before the first move and after the last happening.
    pub lead_s: f64,
    pub tail_s: f64,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { seconds_per_move: 2.5, hand_speed: 1.0, lead_s: 1.5, tail_s: 2.5 }
    }
}

/// Something out of the ordinary.
#[derive(Clone, Debug, PartialEq)]
pub struct Happening {
    /// Number of the move that it befalls ([`What::befalls_the_move`]) or after which it comes (0: before the first).
    pub at_move: u32,
    pub what: What,
}

/// What can happen. Places are in rows and columns; fractions lie beside the points. `for_s`: how long the wrong thing lasts.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// Who has just moved plays another stone; it is taken off later.
    DoubleMove {
        point: Point,
        for_s: f64,
    },
    /// Who has just moved drags a stone along; it is put back later.
    Drag {
        from: Point,
        to: Point,
        for_s: f64,
    },
    /// The move's stone is laid so far off [rows, columns]; it is straightened later.
    OffPoint {
        by: [f64; 2],
        for_s: f64,
    },
    /// The move captures, but the stones are left lying.
    MissedCapture {
        for_s: f64,
    },
    /// The move's stone is first played elsewhere, taken back, and played where it stands in the record.
    Takeback {
        first: Point,
        for_s: f64,
    },
    /// Who has just moved takes stones that are not captured; they are put back later.
    WrongRemoval {
        points: Vec<Point>,
        for_s: f64,
    },
    /// The move's stone slips from the fingers; it is picked up and played later.
    Drop {
        at: [f64; 2],
        for_s: f64,
    },
    /// Who is to move retakes a ko that may not be retaken; undone later.
    KoViolation {
        point: Point,
        for_s: f64,
    },
    /// Who is to move lays a stone without liberties; taken off later.
    Suicide {
        point: Point,
        for_s: f64,
    },
    /// Before the first move the wrong player begins; taken off later.
    WrongFirstColour {
        point: Point,
        for_s: f64,
    },
    /// An arm sweeps over the board from one place to another. Nothing can be played after it.
    Scatter {
        from: [f64; 2],
        to: [f64; 2],
    },
    /// The camera is knocked and stays so: millimetres of its aim on the table, degrees of roll.
    CameraBump {
        shift_mm: [f64; 2],
        roll_deg: f64,
    },
    /// A hand pushes the board: pitches [rows, columns] and degrees.
    BoardNudge {
        by: [f64; 2],
        turn_deg: f64,
    },
    /// The lights go down to a part of their strength and come back.
    LightsOff {
        level: f64,
        for_s: f64,
    },
    /// Who is to move holds a hand over the board and does not play.
    HandRests {
        at: [f64; 2],
        for_s: f64,
    },
    Pause {
        for_s: f64,
    },
    /// Something is before the lens.
    CameraCovered {
        for_s: f64,
    },
    /// Each player lays a stone of the other's colour outside the lines, at the right of his own side: agreed end.
    EndAgreed,
    /// The players take all stones off.
    ClearBoard,
}

impl What {
    /// True for what changes how the move itself is made; false for what comes after it.
    pub fn befalls_the_move(&self) -> bool {
        matches!(self, What::OffPoint { .. } | What::MissedCapture { .. } | What::Takeback { .. } | What::Drop { .. })
    }

    /// The name in scripts.
    pub fn name(&self) -> &'static str {
        match self {
            What::DoubleMove { .. } => "double_move",
            What::Drag { .. } => "drag",
            What::OffPoint { .. } => "off_point",
            What::MissedCapture { .. } => "missed_capture",
            What::Takeback { .. } => "takeback",
            What::WrongRemoval { .. } => "wrong_removal",
            What::Drop { .. } => "drop",
            What::KoViolation { .. } => "ko_violation",
            What::Suicide { .. } => "suicide",
            What::WrongFirstColour { .. } => "wrong_first_colour",
            What::Scatter { .. } => "scatter",
            What::CameraBump { .. } => "camera_bump",
            What::BoardNudge { .. } => "board_nudge",
            What::LightsOff { .. } => "lights_off",
            What::HandRests { .. } => "hand_rests",
            What::Pause { .. } => "pause",
            What::CameraCovered { .. } => "camera_covered",
            What::EndAgreed => "end_agreed",
            What::ClearBoard => "clear_board",
        }
    }

    pub(super) fn lasts(&self) -> Option<f64> {
        match self {
            What::DoubleMove { for_s, .. }
            | What::Drag { for_s, .. }
            | What::OffPoint { for_s, .. }
            | What::MissedCapture { for_s }
            | What::Takeback { for_s, .. }
            | What::WrongRemoval { for_s, .. }
            | What::Drop { for_s, .. }
            | What::KoViolation { for_s, .. }
            | What::Suicide { for_s, .. }
            | What::WrongFirstColour { for_s, .. }
            | What::LightsOff { for_s, .. }
            | What::HandRests { for_s, .. }
            | What::Pause { for_s }
            | What::CameraCovered { for_s } => Some(*for_s),
            _ => None,
        }
    }
}

/// Why a script cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    #[error("{0}")]
    Syntax(String),
    #[error("{key}: {problem}")]
    Value { key: String, problem: String },
    #[error("line {line}: {key}: {problem}")]
    Line { line: usize, key: String, problem: String },
}

impl ScriptError {
    pub(super) fn value(key: impl Into<String>, problem: impl Into<String>) -> ScriptError {
        ScriptError::Value { key: key.into(), problem: problem.into() }
    }
}

impl Script {
    /// A plain game without incidents.
    pub fn new(name: impl Into<String>, size: u8, moves: Vec<(Color, Point)>) -> Script {
        Script {
            name: name.into(),
            size,
            black_seat: Seat::Near,
            pace: Pace::default(),
            look: LookChoice::default(),
            camera: None,
            start: Board::new(size.clamp(2, 25)),
            moves,
            happenings: Vec::new(),
        }
    }

    /// Whose turn it is at first.
    pub fn first(&self) -> Color {
        self.moves.first().map_or(Color::Black, |m| m.0)
    }

    /// Plays the script through on paper.
    ///
    /// # Errors
    /// Names the first thing that the rules or the board do not allow, by its key: `moves[n]` (from 1) or `happening[k]` (from 1).
    pub fn check(&self) -> Result<(), ScriptError> {
        fn bad(key: impl Into<String>, problem: impl Into<String>) -> ScriptError {
            ScriptError::value(key, problem)
        }
        if ![9, 13, 19].contains(&self.size) {
            return Err(bad("size", format!("{} is not a board's size here: 9, 13 or 19", self.size)));
        }
        if self.start.size() != self.size {
            return Err(bad("start", format!("has {} rows, the board {}", self.start.size(), self.size)));
        }
        for p in self.start.points() {
            if self.start.get(p).is_some() && !self.start.has_liberty(p) {
                return Err(bad("start", format!("the stone at {} has no liberty", p.name(self.size))));
            }
        }
        let p = &self.pace;
        for (key, value, low, high) in [
            ("pace.seconds_per_move", p.seconds_per_move, 0.5, 600.0),
            ("pace.hand_speed", p.hand_speed, 0.25, 4.0),
            ("pace.lead_s", p.lead_s, 0.0, 600.0),
            ("pace.tail_s", p.tail_s, 0.0, 600.0),
        ] {
            if !(low..=high).contains(&value) {
                return Err(bad(key, format!("{value}: must be from {low} to {high}")));
            }
        }
        if let Some(camera) = &self.camera {
            camera.check().map_err(|problem| bad("camera", problem))?;
        }
        for (k, h) in self.happenings.iter().enumerate() {
            if h.at_move as usize > self.moves.len() {
                let problem = format!("there are only {} moves, not {}", self.moves.len(), h.at_move);
                return Err(bad(happening_key(k, "at_move"), problem));
            }
            if h.what.befalls_the_move() && h.at_move == 0 {
                return Err(bad(happening_key(k, "at_move"), "a move has a number from 1".to_string()));
            }
            if let Some(s) = h.what.lasts()
                && !(0.3..=3600.0).contains(&s)
            {
                return Err(bad(happening_key(k, "for_s"), format!("{s}: must be from 0.3 to 3600")));
            }
        }
        let mut history = History::new(self.start.clone(), self.first());
        self.check_after(0, &history)?;
        for (i, &(color, point)) in self.moves.iter().enumerate() {
            let n = i as u32 + 1;
            let key = format!("moves[{n}]");
            if !history.board().contains(point) {
                return Err(bad(key, format!("{point} is not on a board of {}", self.size)));
            }
            let c = history.classify(color, Some(point));
            if !c.is_legal_but_turn() {
                let classes: Vec<String> = c.classes.iter().map(|c| format!("{c:?}").to_lowercase()).collect();
                return Err(bad(key, format!("{color} {} is {}", point.name(self.size), classes.join(", "))));
            }
            self.check_move(n, point, &c.captured, history.board())?;
            history.play(color, Some(point));
            self.check_after(n, &history)?;
        }
        Ok(())
    }

    /// Happenings that befall move `n`, before it is on the board.
    fn check_move(&self, n: u32, point: Point, captured: &[Point], board: &Board) -> Result<(), ScriptError> {
        let mut found = None;
        for (k, h) in self.happenings.iter().enumerate().filter(|(_, h)| h.at_move == n && h.what.befalls_the_move()) {
            if let Some(first) = found {
                let problem = format!("move {n} already has happening[{first}]; only one can befall a move");
                return Err(ScriptError::value(happening_key(k, "kind"), problem));
            }
            found = Some(k + 1);
            match &h.what {
                What::MissedCapture { .. } if captured.is_empty() => {
                    return Err(ScriptError::value(happening_key(k, "at_move"), format!("move {n} captures nothing")));
                }
                What::Takeback { first, .. } => {
                    if *first == point {
                        let problem = "is where the move is played in the end".to_string();
                        return Err(ScriptError::value(happening_key(k, "first"), problem));
                    }
                    self.must_be_empty(k, "first", board, *first)?;
                }
                What::OffPoint { by, .. } if by[0].hypot(by[1]) > 0.7 => {
                    let problem = "more than 0.7 pitch: the stone would lie nearer to another point".to_string();
                    return Err(ScriptError::value(happening_key(k, "by"), problem));
                }
                What::Drop { at, .. } => self.must_be_on_board(k, "at", *at)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Happenings after move `n`.
    fn check_after(&self, n: u32, history: &History) -> Result<(), ScriptError> {
        let board = history.board();
        let turn = history.turn();
        for (k, h) in self.happenings.iter().enumerate().filter(|(_, h)| h.at_move == n && !h.what.befalls_the_move()) {
            let last = n as usize == self.moves.len();
            let before_the_game = n == 0;
            match &h.what {
                What::DoubleMove { .. } | What::Drag { .. } | What::WrongRemoval { .. } if before_the_game => {
                    return Err(ScriptError::value(happening_key(k, "at_move"), "comes after a move".to_string()));
                }
                What::DoubleMove { point, .. } => {
                    self.must_be_empty(k, "point", board, *point)?;
                    let mut after = board.clone();
                    let taken = after.place(*point, turn.opponent());
                    if !taken.captured.is_empty() || !taken.suicide.is_empty() {
                        let problem = "would capture; a double move here is a plain stone".to_string();
                        return Err(ScriptError::value(happening_key(k, "point"), problem));
                    }
                }
                What::Drag { from, to, .. } => {
                    self.must_be_stone(k, "from", board, *from)?;
                    self.must_be_empty(k, "to", board, *to)?;
                }
                What::WrongRemoval { points, .. } => {
                    if points.is_empty() {
                        return Err(ScriptError::value(happening_key(k, "points"), "names no stone".to_string()));
                    }
                    for (i, p) in points.iter().enumerate() {
                        self.must_be_stone(k, "points", board, *p)?;
                        if points[..i].contains(p) {
                            let problem = format!("names {} twice", p.name(self.size));
                            return Err(ScriptError::value(happening_key(k, "points"), problem));
                        }
                    }
                }
                What::KoViolation { point, .. } => {
                    self.must_be_empty(k, "point", board, *point)?;
                    let c = history.classify(turn, Some(*point));
                    if !(c.is(Class::Ko) || c.is(Class::Superko)) {
                        let problem = format!("{turn} at {} retakes no ko", point.name(self.size));
                        return Err(ScriptError::value(happening_key(k, "point"), problem));
                    }
                }
                What::Suicide { point, .. } => {
                    self.must_be_empty(k, "point", board, *point)?;
                    if !history.classify(turn, Some(*point)).is(Class::Suicide) {
                        let problem = format!("{turn} at {} keeps a liberty", point.name(self.size));
                        return Err(ScriptError::value(happening_key(k, "point"), problem));
                    }
                }
                What::WrongFirstColour { point, .. } => {
                    if !before_the_game {
                        let problem = "comes before the first move: 0".to_string();
                        return Err(ScriptError::value(happening_key(k, "at_move"), problem));
                    }
                    self.must_be_empty(k, "point", board, *point)?;
                }
                What::Scatter { .. } | What::ClearBoard | What::EndAgreed if !last => {
                    let problem = format!("ends the game, but {} moves follow", self.moves.len() - n as usize);
                    return Err(ScriptError::value(happening_key(k, "at_move"), problem));
                }
                What::Scatter { from, to } => {
                    self.must_be_on_board(k, "from", *from)?;
                    self.must_be_on_board(k, "to", *to)?;
                    if let Some(later) = self.happenings[k + 1..].iter().find(|l| {
                        l.at_move == n
                            && !matches!(l.what, What::ClearBoard | What::Pause { .. } | What::CameraBump { .. })
                    }) {
                        let problem = format!("a {} cannot follow it", later.what.name());
                        return Err(ScriptError::value(happening_key(k, "kind"), problem));
                    }
                }
                What::ClearBoard => {
                    if let Some(later) = self.happenings[k + 1..]
                        .iter()
                        .find(|l| l.at_move == n && !matches!(l.what, What::Pause { .. } | What::CameraBump { .. }))
                    {
                        let problem = format!("a {} cannot follow it", later.what.name());
                        return Err(ScriptError::value(happening_key(k, "kind"), problem));
                    }
                }
                What::HandRests { at, .. } => self.must_be_on_board(k, "at", *at)?,
                What::BoardNudge { by, turn_deg } if by[0].hypot(by[1]) > 3.0 || turn_deg.abs() > 10.0 => {
                    let problem = "more than 3 pitches or 10 degrees is no nudge".to_string();
                    return Err(ScriptError::value(happening_key(k, "by"), problem));
                }
                What::CameraBump { shift_mm, roll_deg }
                    if shift_mm[0].hypot(shift_mm[1]) > 150.0 || roll_deg.abs() > 8.0 =>
                {
                    let problem = "more than 150 mm or 8 degrees is no bump".to_string();
                    return Err(ScriptError::value(happening_key(k, "shift_mm"), problem));
                }
                What::LightsOff { level, .. } if !(0.0..=2.0).contains(level) => {
                    return Err(ScriptError::value(happening_key(k, "level"), format!("{level}: must be from 0 to 2")));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn must_be_empty(&self, k: usize, key: &str, board: &Board, p: Point) -> Result<(), ScriptError> {
        if !board.contains(p) {
            return Err(ScriptError::value(happening_key(k, key), format!("{p} is not on a board of {}", self.size)));
        }
        match board.get(p) {
            None => Ok(()),
            Some(c) => {
                let problem = format!("a {c} stone lies at {} already", p.name(self.size));
                Err(ScriptError::value(happening_key(k, key), problem))
            }
        }
    }

    fn must_be_stone(&self, k: usize, key: &str, board: &Board, p: Point) -> Result<(), ScriptError> {
        if board.contains(p) && board.get(p).is_some() {
            return Ok(());
        }
        Err(ScriptError::value(happening_key(k, key), format!("no stone lies at {} then", p.name(self.size))))
    }

    fn must_be_on_board(&self, k: usize, key: &str, at: [f64; 2]) -> Result<(), ScriptError> {
        let last = f64::from(self.size - 1);
        if at.iter().all(|v| (-0.5..=last + 0.5).contains(v)) {
            return Ok(());
        }
        let problem = format!("[{}, {}] is not on a board of {}", at[0], at[1], self.size);
        Err(ScriptError::value(happening_key(k, key), problem))
    }
}

fn happening_key(k: usize, key: &str) -> String {
    format!("happening[{}].{key}", k + 1)
}
