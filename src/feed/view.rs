//! What the feed shows: plain data, so that the feed needs to know nothing of how a game is kept.

use serde::Serialize;

use crate::game::{ClockTimes, Event, EventKind, GameState, Text};
use crate::rules::{Color, Point, SideStanding, Term, Window};

/// A move as it stands in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MoveView {
    pub n: u32,
    pub color: Color,
    /// None: a pass.
    pub point: Option<Point>,
}

/// Stones taken by each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Prisoners {
    #[serde(rename = "B")]
    pub black: u32,
    #[serde(rename = "W")]
    pub white: u32,
}

/// What one side has been charged with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SideView {
    #[serde(flatten)]
    pub standing: SideStanding,
    /// In a few words; none: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Text>,
}

impl From<SideStanding> for SideView {
    fn from(standing: SideStanding) -> SideView {
        SideView { text: standing.words(), standing }
    }
}

/// What both sides have been charged with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Penalties {
    #[serde(rename = "B")]
    pub black: SideView,
    #[serde(rename = "W")]
    pub white: SideView,
}

/// The state of the game after an event, as the page and `/api/state` show it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StateView {
    pub size: u8,
    /// `size` rows of `size` characters: `.` empty, `B`, `W`, `?` unsure. What stands in the record.
    pub board: Vec<String>,
    pub moves: Vec<MoveView>,
    /// What the last move is called; goes out with `last_move`.
    #[serde(skip)]
    pub last_name: Option<Term>,
    pub turn: Option<Color>,
    pub prisoners: Prisoners,
    /// Infractions that are neither repaired nor decided, oldest first.
    pub open_infractions: Vec<Event>,
    /// Numbers of those that nobody can raise any more.
    pub lapsed: Vec<u64>,
    /// Cautions, warnings, cards and stones by the referee's decisions; none where it is not known under which rules.
    pub penalties: Option<Penalties>,
    /// How the game ended, if it has.
    pub result: Option<Text>,
}

impl Default for StateView {
    /// An empty 19×19 board, Black to move.
    fn default() -> StateView {
        StateView::empty(19)
    }
}

impl StateView {
    /// An empty board.
    pub fn empty(size: u8) -> StateView {
        StateView {
            size,
            board: vec![".".repeat(usize::from(size)); usize::from(size)],
            moves: Vec::new(),
            last_name: None,
            turn: Some(Color::Black),
            prisoners: Prisoners::default(),
            open_infractions: Vec::new(),
            lapsed: Vec::new(),
            penalties: None,
            result: None,
        }
    }
}

impl From<&GameState> for StateView {
    fn from(game: &GameState) -> StateView {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let moves =
            game.moves().iter().map(|m| MoveView { n: count(m.number), color: m.color, point: m.point }).collect();
        let prisoners = game.prisoners();
        StateView {
            size: game.board().size(),
            board: game.board().rows(),
            moves,
            last_name: game.last_move().and_then(|m| m.name),
            turn: Some(game.turn()),
            prisoners: Prisoners { black: count(prisoners.black), white: count(prisoners.white) },
            open_infractions: game.open_infractions().cloned().collect(),
            lapsed: game
                .open_infractions()
                .map(|e| e.seq)
                .filter(|&seq| game.window(seq) == Some(Window::Lapsed))
                .collect(),
            penalties: game.standing().map(|s| Penalties { black: s.black.into(), white: s.white.into() }),
            // a signal that looks like an end is for the referee to confirm: only the result ends the game here
            result: game.ended().filter(|e| e.how == EventKind::Result).map(|e| result_text(e.winner, e.text.clone())),
        }
    }
}

fn result_text(winner: Option<Color>, said: Option<Text>) -> Text {
    let (en, zh) = match winner {
        Some(Color::Black) => ("Black wins.", "黑胜。"),
        Some(Color::White) => ("White wins.", "白胜。"),
        None => ("The game has ended.", "对局结束。"),
    };
    said.unwrap_or_else(|| Text { en: en.into(), zh: zh.into() })
}

/// The clock, as the page and `/api/clock` show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ClockView {
    #[serde(flatten)]
    pub times: ClockTimes,
    /// Whose time runs; none: both stand.
    pub running: Option<Color>,
    /// Whose turn it is, where the clock tells.
    pub turn: Option<Color>,
    /// goband has stopped it.
    pub stopped: bool,
    /// goband keeps the time itself.
    pub software: bool,
    /// How old the times are: so much of the running side's has gone since.
    pub age_ms: u64,
}

/// How a part of goband is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    Well,
    /// Works, but somebody should look.
    Degraded,
    /// Does not work.
    Lost,
}

/// One part of goband: the source, the board, a sink.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// `source`, `board`, `record`, `signal`, …: a stable name for programs.
    pub name: String,
    pub condition: Condition,
    /// What is wrong and what to do, or what is right ("1280×720, 25 frames a second").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Text>,
}

/// The health of the whole, as the service sees it. Reported at least every few seconds: silence is itself a fault.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Health {
    pub parts: Vec<Part>,
}

impl Health {
    pub fn with(mut self, name: &str, condition: Condition, text: Option<Text>) -> Health {
        self.parts.push(Part { name: name.to_string(), condition, text });
        self
    }

    pub fn is_well(&self) -> bool {
        self.parts.iter().all(|p| p.condition == Condition::Well)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Interval;

    #[test]
    fn follows_the_game() {
        let mut game = GameState::default();
        let mut event = |seq, kind, color, at: Option<(u8, u8)>| {
            let mut e = Event::new(kind, Interval::default(), seq, 1.0);
            (e.seq, e.color, e.point) = (seq, color, at.map(|(r, c)| Point::new(r, c)));
            game.apply(&e);
            StateView::from(&game)
        };
        event(1, EventKind::Move, Some(Color::Black), Some((3, 15)));
        let view = event(2, EventKind::DoubleMove, Some(Color::Black), Some((15, 3)));
        assert_eq!(view.moves, [MoveView { n: 1, color: Color::Black, point: Some(Point::new(3, 15)) }]);
        assert_eq!(view.last_name.map(|t| t.id), Some("star_point"));
        assert_eq!(view.board[3], "...............B...");
        assert_eq!((view.turn, view.open_infractions.len()), (Some(Color::White), 1));
        let view = event(3, EventKind::Result, Some(Color::White), None);
        assert!(view.result.is_some());
    }

    #[test]
    fn shows_what_the_referee_charged() {
        let rules = std::sync::Arc::new(crate::rules::Ruleset::builtin("team-relay").unwrap());
        let mut game = GameState::default().under(rules);
        let mut e = Event::new(EventKind::DoubleMove, Interval::default(), 1, 1.0);
        (e.seq, e.color, e.point) = (1, Some(Color::Black), Some(Point::new(3, 3)));
        game.apply(&e);
        let mut ruled = Event::new(EventKind::Decision, Interval::default(), 2, 1.0);
        (ruled.seq, ruled.of, ruled.ruling) = (2, Some(1), Some(crate::rules::Ruling::Accepted));
        game.apply(&ruled);
        let json = serde_json::to_value(StateView::from(&game)).unwrap();
        let black = &json["penalties"]["B"];
        assert_eq!((&black["yellow"], &black["stones"]), (&1.into(), &"1".into()));
        assert_eq!(black["text"]["en"], "1 yellow card, 1 stone off the count");
        assert_eq!(black["text"]["zh"], "黄牌1次，共罚1子");
        assert_eq!(json["penalties"]["W"]["text"], serde_json::Value::Null);
    }
}
