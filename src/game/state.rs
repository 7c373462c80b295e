//! The state of a game as a fold over its events.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Event, EventKind, Interval, Text, case, decision};
use crate::rules::{
    Amount, Board, Class, Classification, Color, History, Ledger, Moment, Played, Point, Ruleset, Standing, Term,
    Window, name_move,
};

/// One move that stands in the record.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveRecord {
    /// Counted from 1.
    pub number: usize,
    /// The event that last said so; `None` for a move that was given with the start.
    pub seq: Option<u64>,
    pub color: Color,
    /// `None`: a pass.
    pub point: Option<Point>,
    pub captured: Vec<Point>,
    /// What the rules say of it.
    pub classes: Vec<Class>,
    /// What it is called on the board that it was played on.
    pub name: Option<Term>,
    pub at_ms: Interval,
    pub confidence: f64,
}

/// An infraction and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InfractionRecord {
    pub event: Event,
    /// `seq` of the event that says the board is right again.
    pub repaired: Option<u64>,
    /// `seq` of the referee's decision.
    pub decision: Option<u64>,
    /// The referee's decision in words.
    pub decided: Option<Text>,
    /// What every decision about it said.
    #[serde(skip)]
    said: Vec<(u64, Option<Text>)>,
    /// Steps of the main line before it, for the record.
    #[serde(skip)]
    pub(super) after_steps: usize,
}

impl InfractionRecord {
    pub fn is_open(&self) -> bool {
        self.repaired.is_none() && self.decision.is_none()
    }
}

/// How the camera stands to the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SceneState {
    pub board_visible: bool,
    pub source_lost: bool,
    /// Since the last `obstructed`, nothing on the board has been understood again.
    pub obstructed: bool,
    /// The last scene event and when it was reported.
    pub last: Option<(EventKind, u64)>,
}

/// How a game ended, or seems to have ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ended {
    /// `result` is final; the others are proposals, and a move after them takes them back.
    pub how: EventKind,
    pub winner: Option<Color>,
    /// The loser had signalled resignation.
    pub resigned: bool,
    /// By how much, in points, where it was counted.
    pub margin_points: Option<Amount>,
    pub text: Option<Text>,
    pub seq: u64,
}

/// Stones taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prisoners {
    /// Taken by Black.
    #[serde(rename = "B")]
    pub black: usize,
    /// Taken by White.
    #[serde(rename = "W")]
    pub white: usize,
}

/// One step of a line of play.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LineStep {
    Move {
        color: Color,
        point: Option<Point>,
        forced: bool,
    },
    /// `turn` where it does not follow from the moves.
    Setup {
        board: Board,
        turn: Option<Color>,
    },
}

/// What the record is built from. A correction changes an entry and the state is built again from all of them.
#[derive(Clone, Debug)]
struct Entry {
    /// The event that made it, and those that corrected it.
    seqs: Vec<u64>,
    at_ms: Interval,
    confidence: f64,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Move {
        color: Color,
        point: Option<Point>,
        /// What the event said was taken, where that differs from the rules.
        captured: Option<Vec<Point>>,
    },
    Setup {
        board: Board,
        turn: Option<Color>,
    },
    Turn(Color),
}

/// A game, folded from events. Any sequence of events folds; what makes no sense is kept in [`GameState::unusable`].
#[derive(Clone, Debug)]
pub struct GameState {
    /// What was given before the first event.
    base: History,
    history: History,
    entries: Vec<Entry>,
    moves: Vec<MoveRecord>,
    /// Lines that stood in the record until a correction, oldest first.
    superseded: Vec<Vec<LineStep>>,
    infractions: Vec<InfractionRecord>,
    /// Under which rules cautions, cards and stones are reckoned.
    rules: Option<Arc<Ruleset>>,
    ledger: Ledger,
    scene: SceneState,
    ended: Option<Ended>,
    agreed: [bool; 2],
    /// The event that began the break that is on.
    on_break: Option<u64>,
    /// Games played on this board before this one, in the same sequence of events.
    games_before: usize,
    /// The event that said that the stones were taken off: a position after it begins the next game.
    cleared: Option<u64>,
    /// What was cleared was no game: stones of the last one, laid out again to look at it.
    looked_at: bool,
    last_seq: u64,
    last_ms: u64,
    unusable: Vec<u64>,
}

impl Default for GameState {
    /// An empty board of 19, Black to move, until `position_adopted` says otherwise.
    fn default() -> GameState {
        GameState::starting(History::new(Board::new(19), Color::Black))
    }
}

impl GameState {
    /// A game that goes on from `history`.
    pub fn starting(history: History) -> GameState {
        let mut state = GameState {
            base: history.clone(),
            history,
            entries: Vec::new(),
            moves: Vec::new(),
            superseded: Vec::new(),
            infractions: Vec::new(),
            rules: None,
            ledger: Ledger::default(),
            scene: SceneState::default(),
            ended: None,
            agreed: [false; 2],
            on_break: None,
            games_before: 0,
            cleared: None,
            looked_at: false,
            last_seq: 0,
            last_ms: 0,
            unusable: Vec::new(),
        };
        state.rebuild();
        state
    }

    /// The same game under these rules.
    pub fn under(mut self, rules: Arc<Ruleset>) -> GameState {
        self.rules = Some(rules);
        self
    }

    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> GameState {
        let mut state = GameState::default();
        for event in events {
            state.apply(event);
        }
        state
    }

    pub fn board(&self) -> &Board {
        self.history.board()
    }

    pub fn history(&self) -> &History {
        &self.history
    }

    /// What stands in the record, in order; the moves given with the start included.
    pub fn moves(&self) -> &[MoveRecord] {
        &self.moves
    }

    pub fn last_move(&self) -> Option<&MoveRecord> {
        self.moves.last()
    }

    pub fn turn(&self) -> Color {
        self.history.turn()
    }

    pub fn prisoners(&self) -> Prisoners {
        Prisoners { black: self.history.prisoners(Color::Black), white: self.history.prisoners(Color::White) }
    }

    /// Every infraction reported, in order.
    pub fn infractions(&self) -> &[InfractionRecord] {
        &self.infractions
    }

    /// Infractions neither repaired nor decided, oldest first.
    pub fn open_infractions(&self) -> impl Iterator<Item = &Event> {
        self.infractions.iter().filter(|i| i.is_open()).map(|i| &i.event)
    }

    /// Every infraction with what was decided about it.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Where both sides stand: cautions, warnings, cards, stones. `None` where it is not known under which rules.
    pub fn standing(&self) -> Option<Standing> {
        self.rules.as_deref().map(|rules| self.ledger.standing(rules))
    }

    /// The state of the game by which appeals are in time or too late.
    pub fn moment(&self) -> Moment {
        Moment {
            moves: u32::try_from(self.moves.len()).unwrap_or(u32::MAX),
            turn: self.turn(),
            confirmed: self.ended.as_ref().is_some_and(|e| e.how == EventKind::Result),
        }
    }

    /// Whether the infraction of that number can still be raised. `None`: no such infraction, or no rules to ask.
    pub fn window(&self, seq: u64) -> Option<Window> {
        let case = self.ledger.case(seq)?;
        Some(case.window(self.rules.as_deref()?.rule(case.kind()), &self.moment()))
    }

    pub fn scene(&self) -> SceneState {
        self.scene
    }

    /// Which game of the sequence of events this is, from 1: after the board was cleared the next one begins.
    pub fn game_number(&self) -> usize {
        self.games_before + 1
    }

    pub fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }

    /// `seq` of the event that began the break that is on.
    pub fn on_break(&self) -> Option<u64> {
        self.on_break
    }

    /// `seq` of the last event; 0 before the first.
    pub fn last_seq(&self) -> u64 {
        self.last_seq
    }

    /// When the last event was reported.
    pub fn last_ms(&self) -> u64 {
        self.last_ms
    }

    /// `seq` of every event that could not be carried out: a point beyond the board, a reference to nothing.
    pub fn unusable(&self) -> &[u64] {
        &self.unusable
    }

    /// Takes one event in. Never panics, whatever the event says.
    pub fn apply(&mut self, event: &Event) {
        use EventKind::*;
        self.last_seq = event.seq;
        self.last_ms = event.reported_ms;
        let usable = match event.kind {
            PositionAdopted => self.adopt(event),
            Move => event.point.is_some() && self.play(event),
            Pass => event.point.is_none() && self.play(event),
            Corrected => self.correct(event),
            Repaired | Decision => self.settle(event),
            kind if kind.is_infraction() => {
                if let Some(mut case) = case(event) {
                    // windows run from what stood when it was told
                    case.moves = self.moment().moves;
                    self.ledger.report(case);
                }
                self.infractions.push(InfractionRecord {
                    event: event.clone(),
                    repaired: None,
                    decision: None,
                    decided: None,
                    said: Vec::new(),
                    after_steps: self.entries.len(),
                });
                true
            }
            BoardFound | BoardLost | CameraMoved | BoardMoved | LightChanged | Obstructed | SourceLost | SourceBack => {
                self.see(event);
                true
            }
            EndAgreedSignal | ResignSignal | TwoPasses | BoardCleared | Result => {
                self.end(event);
                true
            }
            BreakBegun => {
                self.on_break = Some(event.seq);
                true
            }
            PlayResumed => self.on_break.take().is_some(),
            _ => true,
        };
        if !usable {
            self.unusable.push(event.seq);
        }
        let decides_turn = matches!(event.kind, Move | Pass | Corrected | Repaired | Decision);
        if let Some(turn) = event.turn.filter(|&t| decides_turn && t != self.turn()) {
            self.push(event, What::Turn(turn));
        }
    }

    fn push(&mut self, event: &Event, what: What) {
        let entry = Entry { seqs: vec![event.seq], at_ms: event.at_ms, confidence: event.confidence, what };
        self.carry_out(&entry);
        self.entries.push(entry);
    }

    fn adopt(&mut self, event: &Event) -> bool {
        let Some(board) = event.board.as_deref().and_then(|rows| self.read_board(rows)) else { return false };
        self.scene.board_visible = true;
        self.scene.obstructed = false;
        if self.cleared.take().is_some() {
            self.games_before += usize::from(!std::mem::take(&mut self.looked_at));
            self.moves.clear();
            self.infractions.clear();
            self.ledger = Ledger::default();
        }
        // what lay wrong is right by this, and play goes on
        self.infractions.iter_mut().filter(|i| i.is_open()).for_each(|i| i.repaired = Some(event.seq));
        self.ended = None;
        self.agreed = [false; 2];
        if self.moves.is_empty() || board.size() != self.history.size() {
            // nothing was played before this, or not on this board: the game starts here
            self.base = History::new(board, event.turn.unwrap_or(Color::Black));
            self.entries.clear();
            self.superseded.clear();
            self.infractions.iter_mut().for_each(|i| i.after_steps = 0);
            self.rebuild();
        } else if board != *self.board() || event.turn.is_some_and(|t| t != self.turn()) {
            self.push(event, What::Setup { board, turn: event.turn });
        }
        true
    }

    /// Rows as events write them; `?` stands for what lay there before.
    fn read_board(&self, rows: &[String]) -> Option<Board> {
        let same_size = rows.len() == usize::from(self.history.size());
        let known: Vec<String> = rows
            .iter()
            .enumerate()
            .map(|(row, text)| {
                let cell = |(col, c): (usize, char)| match c {
                    '?' if same_size && col < rows.len() => {
                        self.board().get(Point::new(row as u8, col as u8)).map_or('.', Color::letter)
                    }
                    '?' => '.',
                    c => c,
                };
                text.chars().enumerate().map(cell).collect()
            })
            .collect();
        Board::from_rows(&known).ok()
    }

    fn play(&mut self, event: &Event) -> bool {
        if event.point.is_some_and(|p| !self.board().contains(p)) {
            return false;
        }
        let color = event.color.unwrap_or_else(|| self.turn());
        let captured = event.captured.clone();
        self.push(event, What::Move { color, point: event.point, captured });
        self.scene.board_visible = true;
        self.scene.obstructed = false;
        if self.ended.as_ref().is_some_and(|e| e.how != EventKind::Result) {
            self.ended = None;
        }
        self.agreed = [false; 2];
        true
    }

    /// An earlier event turns out otherwise: `of` names the move (or adopted position), the event says what it was.
    /// Without `point` the move never was. `board`, where given, is what now lies on the board.
    fn correct(&mut self, event: &Event) -> bool {
        if event.point.is_some_and(|p| !self.board().contains(p)) {
            return false;
        }
        let board = event.board.as_deref().and_then(|rows| self.read_board(rows));
        if board.as_ref().is_some_and(|b| b.size() != self.history.size()) {
            return false;
        }
        // the end did not stand
        if event.of.is_some() && self.ended.as_ref().map(|e| e.seq) == event.of && event.of != self.cleared {
            self.ended = None;
            self.agreed = [false; 2];
            if let Some(turn) = event.turn {
                self.history.set_turn(turn);
            }
            return true;
        }
        // the stones were not taken off for good
        if event.of.is_some() && event.of == self.cleared {
            (self.cleared, self.looked_at) = (None, false);
            self.ended = self.ended.take().filter(|e| Some(e.seq) != event.of);
        }
        let target = event.of.and_then(|of| self.entries.iter().position(|e| e.seqs.contains(&of)));
        match target {
            Some(i) => {
                let old = self.line();
                let entry = &mut self.entries[i];
                let replaced = match (&entry.what, event.point, &board) {
                    (What::Move { color, .. }, Some(point), _) => Some(What::Move {
                        color: event.color.unwrap_or(*color),
                        point: Some(point),
                        captured: event.captured.clone(),
                    }),
                    (What::Setup { turn, .. }, _, Some(board)) => {
                        Some(What::Setup { board: board.clone(), turn: event.turn.or(*turn) })
                    }
                    _ => None,
                };
                match replaced {
                    Some(what) => {
                        entry.what = what;
                        entry.seqs.push(event.seq);
                    }
                    None => {
                        self.entries.remove(i);
                        for infraction in self.infractions.iter_mut().filter(|r| r.after_steps > i) {
                            infraction.after_steps -= 1;
                        }
                    }
                }
                self.rebuild();
                if self.line() != old {
                    self.superseded.push(old);
                }
            }
            None if board.is_none() => return false,
            None => {}
        }
        if let Some(board) = board.filter(|b| b != self.board()) {
            self.push(event, What::Setup { board, turn: None });
        }
        true
    }

    fn settle(&mut self, event: &Event) -> bool {
        let Some(of) = event.of else { return event.kind == EventKind::Decision };
        let Some(infraction) = self.infractions.iter_mut().find(|i| i.event.seq == of) else {
            // a decision may be on anything, also on a move
            return event.kind == EventKind::Decision;
        };
        if event.kind == EventKind::Repaired {
            infraction.repaired.get_or_insert(event.seq);
            return true;
        }
        infraction.said.push((event.seq, event.text.clone().or_else(|| event.verdict.clone())));
        infraction.decision = match decision(event) {
            Some(decision) => {
                self.ledger.decide(decision);
                // one that was taken back leaves what was decided before, or an open matter
                self.ledger.decision(of).map(|d| d.id)
            }
            None => Some(event.seq),
        };
        infraction.decided = infraction
            .said
            .iter()
            .find(|(seq, _)| Some(*seq) == infraction.decision)
            .and_then(|(_, text)| text.clone());
        true
    }

    fn see(&mut self, event: &Event) {
        let scene = &mut self.scene;
        scene.last = Some((event.kind, event.reported_ms));
        match event.kind {
            EventKind::BoardFound => {
                scene.board_visible = true;
                scene.obstructed = false;
            }
            EventKind::BoardLost => scene.board_visible = false,
            EventKind::Obstructed => scene.obstructed = true,
            EventKind::SourceLost => scene.source_lost = true,
            EventKind::SourceBack => scene.source_lost = false,
            _ => {}
        }
    }

    fn end(&mut self, event: &Event) {
        if matches!(event.kind, EventKind::BoardCleared | EventKind::Result) {
            self.on_break = None;
        }
        if event.kind == EventKind::BoardCleared {
            self.cleared = Some(event.seq);
            self.looked_at = event.of.is_some() && self.games_before > 0;
        }
        if self.ended.as_ref().is_some_and(|e| e.how == EventKind::Result) && event.kind != EventKind::Result {
            return;
        }
        let winner = match event.kind {
            EventKind::ResignSignal => event.color.map(Color::opponent),
            EventKind::Result => event.color,
            EventKind::EndAgreedSignal => {
                // each side lays its own sign
                match event.color {
                    Some(color) => self.agreed[color as usize] = true,
                    None => self.agreed = [true; 2],
                }
                if self.agreed != [true; 2] {
                    return;
                }
                None
            }
            EventKind::BoardCleared if self.ended.is_some() => return,
            _ => None,
        };
        // a result confirms the resignation before it
        let resigned = event.kind == EventKind::ResignSignal
            || (event.kind == EventKind::Result
                && self.ended.as_ref().is_some_and(|e| e.resigned && e.winner == winner));
        self.ended = Some(Ended {
            resigned,
            how: event.kind,
            winner,
            margin_points: event.margin_points,
            text: event.text.clone(),
            seq: event.seq,
        });
    }

    /// Builds everything that follows from `base` and `entries` anew.
    fn rebuild(&mut self) {
        self.history = self.base.clone();
        self.moves.clear();
        let mut given = self.given();
        for (i, played) in self.base.moves().iter().enumerate() {
            let c = given.classify(played.color, played.point);
            let name = played.point.and_then(|p| name_move(&given, played.color, p));
            given.push(played.clone(), self.base.position(i + 1).unwrap_or(&c.after).clone());
            self.moves.push(MoveRecord {
                number: i + 1,
                seq: None,
                color: played.color,
                point: played.point,
                captured: played.captured.clone(),
                classes: c.classes,
                name,
                at_ms: Interval::default(),
                confidence: 1.0,
            });
        }
        let entries = std::mem::take(&mut self.entries);
        for entry in &entries {
            self.carry_out(entry);
        }
        self.entries = entries;
    }

    fn carry_out(&mut self, entry: &Entry) {
        match &entry.what {
            What::Turn(color) => self.history.set_turn(*color),
            What::Setup { board, turn } => {
                self.history.rearrange(board.clone());
                if let Some(turn) = turn {
                    self.history.set_turn(*turn);
                }
            }
            What::Move { color, point, captured } => {
                let mut c = self.history.classify(*color, *point);
                if let Some((after, taken)) = as_said(self.board(), &c, *color, *point, captured.as_deref()) {
                    c.after = after;
                    c.captured = taken;
                }
                let name = point.and_then(|p| name_move(&self.history, *color, p));
                let played = Played { color: *color, point: *point, captured: c.captured.clone() };
                self.history.push(played, c.after);
                self.moves.push(MoveRecord {
                    number: self.moves.len() + 1,
                    seq: entry.seqs.last().copied(),
                    color: *color,
                    point: *point,
                    captured: c.captured,
                    classes: c.classes,
                    name,
                    at_ms: entry.at_ms,
                    confidence: entry.confidence,
                });
            }
        }
    }

    /// The start's game before its first move.
    fn given(&self) -> History {
        let start = self.base.position(0).unwrap_or(self.base.start());
        History::new(start.clone(), self.base.first())
    }

    /// The line that stands, as SGF can show it: the start's moves, then the entries; where the stones then lie
    /// otherwise than a program that plays the line would think, a setup follows. Also how many steps there are
    /// before every entry.
    pub(super) fn steps(&self) -> (Vec<LineStep>, Vec<usize>) {
        let mut line = Line { board: self.start().0.clone(), steps: Vec::new() };
        for (i, m) in self.moves[..self.base.moves().len()].iter().enumerate() {
            line.play(m, self.base.position(i + 1));
        }
        let mut records = self.moves[self.base.moves().len()..].iter();
        let mut before = Vec::with_capacity(self.entries.len() + 1);
        for entry in &self.entries {
            before.push(line.steps.len());
            match &entry.what {
                What::Move { .. } => {
                    let Some(m) = records.next() else { continue };
                    let ruled = m.point.map(|p| line.board.clone().place(p, m.color).captured).unwrap_or_default();
                    let mut after = None;
                    if let Some(p) = m.point.filter(|_| ruled != m.captured) {
                        let mut board = line.board.clone();
                        board.set(p, Some(m.color));
                        m.captured.iter().for_each(|&q| board.set(q, None));
                        after = Some(board);
                    }
                    line.play(m, after.as_ref());
                }
                What::Setup { board, turn } => line.set_up(board, *turn),
                What::Turn(_) => {}
            }
        }
        before.push(line.steps.len());
        (line.steps, before)
    }

    fn line(&self) -> Vec<LineStep> {
        self.steps().0
    }

    pub(super) fn superseded(&self) -> &[Vec<LineStep>] {
        &self.superseded
    }

    /// The position before the first move and who had it.
    pub(super) fn start(&self) -> (&Board, Color) {
        (self.base.position(0).unwrap_or(self.base.start()), self.base.first())
    }
}

/// Board and captures after a move whose event knows better than the rules what came off; `None` if it does not.
fn as_said(
    before: &Board,
    ruled: &Classification,
    color: Color,
    point: Option<Point>,
    said: Option<&[Point]>,
) -> Option<(Board, Vec<Point>)> {
    let p = point?;
    let mut taken: Vec<Point> = said?
        .iter()
        .copied()
        .filter(|&q| q != p && before.contains(q) && before.get(q) == Some(color.opponent()))
        .collect();
    taken.sort();
    taken.dedup();
    if taken == ruled.captured {
        return None;
    }
    let mut after = before.clone();
    after.set(p, Some(color));
    taken.iter().for_each(|&q| after.set(q, None));
    Some((after, taken))
}

/// A line of play with the position that a program shows after it.
struct Line {
    board: Board,
    steps: Vec<LineStep>,
}

impl Line {
    /// A move; `after` is what lay there then, if it is known to differ from what the move does.
    fn play(&mut self, m: &MoveRecord, after: Option<&Board>) {
        let plain = [Class::Legal, Class::Capture, Class::Pass, Class::WrongTurn];
        let forced = m.classes.iter().any(|c| !plain.contains(c));
        self.steps.push(LineStep::Move { color: m.color, point: m.point, forced });
        if let Some(p) = m.point {
            self.board.place(p, m.color);
        }
        if let Some(after) = after.filter(|&a| *a != self.board) {
            self.set_up(after, None);
        }
    }

    fn set_up(&mut self, board: &Board, turn: Option<Color>) {
        self.board = board.clone();
        self.steps.push(LineStep::Setup { board: board.clone(), turn });
    }
}
