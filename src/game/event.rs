//! Everything that can happen at a table. Events are the truth: journal, record, pages and lamps are views of them.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::clock::{ClockCall, ClockTimes};
use crate::rules::{Amount, Circumstance, Color, Outcome, Penalty, Point, Repetition, Ruling, Term, Text};

/// What happened. The names are those of `docs/events.md`, in snake case in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    // play
    PositionAdopted,
    Move,
    CapturesCleared,
    Pass,
    Corrected,
    Unexplained,
    /// Play stands still by the operator's word; no change of the board is a move.
    BreakBegun,
    PlayResumed,
    // infractions
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
    // after an infraction
    Repaired,
    Decision,
    // the clock
    ClockCall,
    ClockStopped,
    ClockResumed,
    ClockSet,
    // the scene
    BoardFound,
    BoardLost,
    CameraMoved,
    BoardMoved,
    LightChanged,
    Obstructed,
    SourceLost,
    SourceBack,
    // the end
    EndAgreedSignal,
    ResignSignal,
    TwoPasses,
    BoardCleared,
    Result,
    // the house itself
    /// A sink (disk, port, page) is in trouble or well again; `text` says which and what to do.
    SinkDegraded,
    SinkRestored,
}

impl EventKind {
    /// Every kind, in the order of `docs/events.md`.
    pub const ALL: [EventKind; 47] = [
        EventKind::PositionAdopted,
        EventKind::Move,
        EventKind::CapturesCleared,
        EventKind::Pass,
        EventKind::Corrected,
        EventKind::Unexplained,
        EventKind::BreakBegun,
        EventKind::PlayResumed,
        EventKind::DoubleMove,
        EventKind::Takeback,
        EventKind::DroppedStone,
        EventKind::DisplacedStone,
        EventKind::StoneOffPoint,
        EventKind::MissedCapture,
        EventKind::WrongRemoval,
        EventKind::KoViolation,
        EventKind::Superko,
        EventKind::Suicide,
        EventKind::WrongFirstColour,
        EventKind::Scattered,
        EventKind::SeatOrder,
        EventKind::SectionOverrun,
        EventKind::PressBeforeMove,
        EventKind::PressBeforeCapturesCleared,
        EventKind::WrongClockPressed,
        EventKind::TimeOverrun,
        EventKind::Repaired,
        EventKind::Decision,
        EventKind::ClockCall,
        EventKind::ClockStopped,
        EventKind::ClockResumed,
        EventKind::ClockSet,
        EventKind::BoardFound,
        EventKind::BoardLost,
        EventKind::CameraMoved,
        EventKind::BoardMoved,
        EventKind::LightChanged,
        EventKind::Obstructed,
        EventKind::SourceLost,
        EventKind::SourceBack,
        EventKind::EndAgreedSignal,
        EventKind::ResignSignal,
        EventKind::TwoPasses,
        EventKind::BoardCleared,
        EventKind::Result,
        EventKind::SinkDegraded,
        EventKind::SinkRestored,
    ];

    /// The snake-case name.
    pub const fn as_str(self) -> &'static str {
        match self {
            EventKind::PositionAdopted => "position_adopted",
            EventKind::Move => "move",
            EventKind::CapturesCleared => "captures_cleared",
            EventKind::Pass => "pass",
            EventKind::Corrected => "corrected",
            EventKind::Unexplained => "unexplained",
            EventKind::BreakBegun => "break_begun",
            EventKind::PlayResumed => "play_resumed",
            EventKind::DoubleMove => "double_move",
            EventKind::Takeback => "takeback",
            EventKind::DroppedStone => "dropped_stone",
            EventKind::DisplacedStone => "displaced_stone",
            EventKind::StoneOffPoint => "stone_off_point",
            EventKind::MissedCapture => "missed_capture",
            EventKind::WrongRemoval => "wrong_removal",
            EventKind::KoViolation => "ko_violation",
            EventKind::Superko => "superko",
            EventKind::Suicide => "suicide",
            EventKind::WrongFirstColour => "wrong_first_colour",
            EventKind::Scattered => "scattered",
            EventKind::SeatOrder => "seat_order",
            EventKind::SectionOverrun => "section_overrun",
            EventKind::PressBeforeMove => "press_before_move",
            EventKind::PressBeforeCapturesCleared => "press_before_captures_cleared",
            EventKind::WrongClockPressed => "wrong_clock_pressed",
            EventKind::TimeOverrun => "time_overrun",
            EventKind::Repaired => "repaired",
            EventKind::Decision => "decision",
            EventKind::ClockCall => "clock_call",
            EventKind::ClockStopped => "clock_stopped",
            EventKind::ClockResumed => "clock_resumed",
            EventKind::ClockSet => "clock_set",
            EventKind::BoardFound => "board_found",
            EventKind::BoardLost => "board_lost",
            EventKind::CameraMoved => "camera_moved",
            EventKind::BoardMoved => "board_moved",
            EventKind::LightChanged => "light_changed",
            EventKind::Obstructed => "obstructed",
            EventKind::SourceLost => "source_lost",
            EventKind::SourceBack => "source_back",
            EventKind::EndAgreedSignal => "end_agreed_signal",
            EventKind::ResignSignal => "resign_signal",
            EventKind::TwoPasses => "two_passes",
            EventKind::BoardCleared => "board_cleared",
            EventKind::Result => "result",
            EventKind::SinkDegraded => "sink_degraded",
            EventKind::SinkRestored => "sink_restored",
        }
    }

    /// The snake-case name.
    pub fn name(self) -> String {
        self.as_str().to_owned()
    }

    pub fn from_name(name: &str) -> Option<EventKind> {
        EventKind::ALL.into_iter().find(|k| k.as_str() == name)
    }

    /// An offence or notice that the referee is told of.
    pub fn is_infraction(self) -> bool {
        use EventKind::*;
        matches!(
            self,
            DoubleMove
                | Takeback
                | DroppedStone
                | DisplacedStone
                | StoneOffPoint
                | MissedCapture
                | WrongRemoval
                | KoViolation
                | Superko
                | Suicide
                | WrongFirstColour
                | Scattered
                | SeatOrder
                | SectionOverrun
                | PressBeforeMove
                | PressBeforeCapturesCleared
                | WrongClockPressed
                | TimeOverrun
        )
    }
}

/// So that a ruleset can be asked: `ruleset.infraction(event.kind)`.
impl AsRef<str> for EventKind {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

/// When something happened, in milliseconds of the source's time; the frames prove no more than the interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    pub first: u64,
    pub last: u64,
}

/// A place on the board in pitches: whole numbers are crossings, fractions lie between or beside them. `[row, col]` in JSON.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    pub row: f64,
    pub col: f64,
}

impl Spot {
    /// The crossing, if this is one.
    pub fn point(self) -> Option<Point> {
        let whole = |x: f64| (x.fract() == 0.0 && (0.0..25.0).contains(&x)).then_some(x as u8);
        Some(Point { row: whole(self.row)?, col: whole(self.col)? })
    }
}

impl From<Point> for Spot {
    fn from(p: Point) -> Spot {
        Spot { row: f64::from(p.row), col: f64::from(p.col) }
    }
}

impl Serialize for Spot {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.point() {
            Some(p) => p.serialize(s),
            // two decimals: a hundredth of a pitch is a quarter of a millimetre
            None => [(self.row * 100.0).round() / 100.0, (self.col * 100.0).round() / 100.0].serialize(s),
        }
    }
}

impl<'de> Deserialize<'de> for Spot {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Spot, D::Error> {
        let [row, col] = <[f64; 2]>::deserialize(d)?;
        Ok(Spot { row, col })
    }
}

/// What a point must become.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RestoreTo {
    #[serde(rename = ".")]
    Empty,
    #[serde(rename = "B")]
    Black,
    #[serde(rename = "W")]
    White,
}

impl From<Option<Color>> for RestoreTo {
    fn from(c: Option<Color>) -> RestoreTo {
        match c {
            None => RestoreTo::Empty,
            Some(Color::Black) => RestoreTo::Black,
            Some(Color::White) => RestoreTo::White,
        }
    }
}

/// One step that makes the board right again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restore {
    pub at: Point,
    pub be: RestoreTo,
}

/// What a move is called (see [`crate::rules::vocabulary`]). Kept as said: a later vocabulary may have other words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MoveName {
    pub en: String,
    pub zh: String,
    /// For programs.
    pub id: String,
}

impl From<Term> for MoveName {
    fn from(t: Term) -> MoveName {
        MoveName { en: t.en.to_owned(), zh: t.zh.to_owned(), id: t.id.to_owned() }
    }
}

/// Something that happened at the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// 1, 2, … in the order they were decided.
    pub seq: u64,
    pub kind: EventKind,
    pub at_ms: Interval,
    /// Time of the frame that decided it.
    pub reported_ms: u64,
    /// 0 to 1.
    pub confidence: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<Color>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<Point>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<Spot>,
    /// With `move`: the stones it takes. Present (maybe empty) for every move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captured: Option<Vec<Point>>,
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    pub move_number: Option<u32>,
    /// With `move`: what the move is called, where a name fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<MoveName>,
    /// `seq` of the event it refers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    /// With `superko` and `ko_violation`: which kind of repetition, and the move that had led to the same position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetition: Option<Repetition>,
    /// With `position_adopted`, `corrected`, `unexplained` and `break_begun`: the rows of the position (`?` where unsure).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<Vec<String>>,
    /// Whose turn it is after the event, where the event decides it (`position_adopted`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Color>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Text>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restore: Vec<Restore>,
    /// Path of the evidence, relative to the record's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Text>,
    /// The player, where it is known which of a team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// With `decision`: what the referee made of the proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<Ruling>,
    /// With `decision`: what takes the place of the proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalty: Option<Penalty>,
    /// With `decision`: what was chosen where the text leaves a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// What makes it another infraction in the eyes of the law (done on purpose, during a break).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circumstance: Option<Circumstance>,
    /// With a counted `result`: by how much, in points as SGF writes it; nothing in a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin_points: Option<Amount>,
    /// With `clock_call`: what is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<ClockCall>,
    /// With `clock_stopped`, `clock_resumed`, `clock_set`: what the clock shows, to about a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<ClockTimes>,
}

impl Event {
    /// An event without particulars; `seq` is given by whoever owns the order.
    pub fn new(kind: EventKind, at_ms: Interval, reported_ms: u64, confidence: f64) -> Event {
        Event {
            seq: 0,
            kind,
            at_ms,
            reported_ms,
            // three decimals keep the same footage the same to the byte on every machine
            confidence: (confidence.clamp(0.0, 1.0) * 1000.0).round() / 1000.0,
            color: None,
            point: None,
            points: Vec::new(),
            captured: None,
            move_number: None,
            name: None,
            of: None,
            repetition: None,
            board: None,
            turn: None,
            article: None,
            verdict: None,
            restore: Vec::new(),
            evidence: None,
            text: None,
            player: None,
            ruling: None,
            penalty: None,
            outcome: None,
            circumstance: None,
            margin_points: None,
            call: None,
            times: None,
        }
    }
}
