//! From sightings to events: what was played, what went wrong, how sure.
//!
//! Enters: [`Sighting`](crate::vision::Sighting)s, clock presses, decisions. Leaves: [`Event`](crate::game::Event)s.
//! It may never read a clock, touch a pixel or open a file: the same footage gives the same events.
//!
//! | file | decides |
//! | --- | --- |
//! | `evidence`, `diff` | what the readings of many frames say about each point |
//! | `ledger` | what is held to be true: the game, open faults, captured stones that still lie; a fold over events |
//! | `explain` | which stories lead from there to what is seen, and how likely they are (pure search) |
//! | `picture` | what that search looks at, and what it costs to take a move back or to believe in an unseen one |
//! | `decide`, `faults` | when a move, or something that went wrong, is sure enough to be told |
//! | `revise` | when the last moves are told otherwise: takebacks, a record that was wrong |
//! | `follow` | what becomes of it: repairs, captures taken off, grace times, stones off their point |
//! | `breaks` | what changed while play stood still by the operator's word |
//! | `presses` | the clock: pressed before the stone, before the captures are off, the wrong one; passing by press |
//! | `seat_order` | team games: order of the seats, sections that go on too long |
//! | `start`, `next_game` | the first position and handicap stones; clearing the board, and the next game |
//! | `pictures`, `first_pictures` | pictures far apart, each judged with the next; which position the first ones show |
//! | `loose`, `seats` | stones on no crossing, and who sits where |
//! | `word` | what is said about the game: passes, resignation, the result, a wrong record |
//! | `report` | the event with article, verdict and sentence |

mod breaks;
mod decide;
mod diff;
mod evidence;
mod explain;
mod faults;
mod first_pictures;
mod follow;
mod ledger;
mod loose;
mod next_game;
mod picture;
mod pictures;
mod presses;
mod report;
mod revise;
mod seat_order;
mod seats;
mod start;
mod word;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use evidence::Evidence;
use ledger::Ledger;
pub use ledger::Phase;
use loose::LooseStones;
use seats::Seats;
pub use seats::Side;
pub use word::Refused;

use crate::game::{Event, EventKind, Interval, Text};
use crate::rules::{Board, Color, History, Point, Ruleset};
use crate::vision::{Scene, Sighting};

/// How the referee is to work.
#[derive(Clone)]
pub struct RefereeOptions {
    /// Who plays first, and what article and verdict belong to an infraction.
    pub ruleset: Arc<Ruleset>,
    /// Captured stones may lie so long before `missed_capture` is told, milliseconds.
    pub capture_grace_ms: u64,
    /// So many black stones are laid before the first move (0: an even game, 1: the first move without komi); they are a
    /// position and no moves, and White begins.
    pub handicap: u32,
    /// The position and history already reached; `None`: what lies on the board at the start is adopted.
    pub start: Option<History>,
}

impl RefereeOptions {
    /// With the usual grace time and no given start.
    pub fn new(ruleset: Arc<Ruleset>) -> RefereeOptions {
        RefereeOptions { ruleset, capture_grace_ms: 3000, handicap: 0, start: None }
    }

    /// Who has the first move on `board`, where that does not have to be seen: it is empty, or holds the handicap stones.
    fn first(&self, board: &Board) -> Option<Color> {
        match (self.handicap, board.stones(Color::Black), board.stones(Color::White)) {
            (0, 0, 0) => Some(self.ruleset.first),
            // the handicap stones are black, and so is the first move without komi
            (_, 0, 0) => Some(Color::Black),
            (n, black, 0) if n >= 2 && black == n as usize => Some(Color::White),
            _ => None,
        }
    }
}

/// A press of the game clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Press {
    /// When, in the time of the frames.
    pub ms: u64,
    /// Whose button it was.
    pub side: Color,
    /// It may have been so much earlier or later: about a second over a chess board's serial line, a few milliseconds
    /// where a contact is read directly.
    #[serde(default)]
    pub uncertainty_ms: u64,
}

impl Press {
    /// Presses as a file has them, one object a line; empty lines are skipped.
    ///
    /// # Errors
    /// The number of the line that is none, and why.
    pub fn read_lines(text: &str) -> Result<Vec<Press>, (usize, serde_json::Error)> {
        let lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty());
        lines.map(|(n, line)| serde_json::from_str(line).map_err(|e| (n + 1, e))).collect()
    }

    /// A press at exactly that time.
    pub fn exact(ms: u64, side: Color) -> Press {
        Press { ms, side, uncertainty_ms: 0 }
    }
}

/// Watches one table.
pub struct Referee {
    options: RefereeOptions,
    ledger: Ledger,
    evidence: Option<Evidence>,
    /// The size of the board that was seen last.
    sighted_size: u8,
    loose: LooseStones,
    seats: Seats,
    pictures: pictures::Pictures,
    now: u64,
    /// The time of the frame that is being looked at: earlier than `now` where it waited for the next.
    looked_ms: u64,
    /// The footage ends here: what is pending is decided on what there is.
    flushing: bool,
    out: Vec<Event>,
    start: start::StartWatch,
    /// When a scene event of each kind was last told.
    scene_told: BTreeMap<EventKind, u64>,
    /// The offset at which each stone was accepted, pitches.
    accepted_offset: BTreeMap<Point, [f64; 2]>,
    /// What was seen of the last moves when they were told.
    remembered: BTreeMap<u64, evidence::Diff>,
    /// The point of each open `stone_off_point`.
    off_points: BTreeMap<u64, Point>,
    /// Where the stone of each takeback lay first.
    taken_back_from: BTreeMap<u64, Point>,
    /// A press whose stone has not been seen, and the number of moves before it.
    press: Option<(Press, usize)>,
    clock: presses::ClockWatch,
    /// When captured stones were last taken off.
    cleared_ms: u64,
    /// From when on the present differences have had no explanation.
    baffled_since: Option<u64>,
    /// How many stories the last frame was weighed between.
    weighed: usize,
    /// When the board was last told to be scattered, and by which event.
    swept: Option<(u64, u64)>,
    /// From when on stones have been disappearing in masses.
    clearing_since: Option<u64>,
    /// Since when the stones of a cleared board have been lying there again.
    uncleared_since: Option<u64>,
    seat_order: seat_order::SeatOrder,
    /// The break before, until it is known what changed in it.
    over: Option<breaks::Over>,
    /// Stones of the record that were put so far off their points that they may have been dropped.
    half_way_points: BTreeSet<Point>,
    /// Stones reported as dropped that lie nearest to a point.
    half_way: BTreeSet<u64>,
}

impl Referee {
    pub fn new(options: RefereeOptions) -> Referee {
        let mut ledger = Ledger { law: options.ruleset.law(), ..Ledger::default() };
        if let Some(game) = &options.start {
            ledger.begin(game.clone(), false);
        }
        Referee {
            options,
            ledger,
            evidence: None,
            sighted_size: 19,
            loose: LooseStones::default(),
            seats: Seats::default(),
            pictures: pictures::Pictures::default(),
            now: 0,
            looked_ms: 0,
            flushing: false,
            out: Vec::new(),
            start: start::StartWatch::default(),
            scene_told: BTreeMap::new(),
            accepted_offset: BTreeMap::new(),
            remembered: BTreeMap::new(),
            off_points: BTreeMap::new(),
            taken_back_from: BTreeMap::new(),
            press: None,
            clock: presses::ClockWatch::default(),
            cleared_ms: 0,
            baffled_since: None,
            weighed: 0,
            swept: None,
            clearing_since: None,
            uncleared_since: None,
            seat_order: seat_order::SeatOrder::default(),
            over: None,
            half_way_points: BTreeSet::new(),
            half_way: BTreeSet::new(),
        }
    }

    /// Goes on after a restart with what the journal holds. What happened meanwhile is explained by what is seen next.
    pub fn resume(options: RefereeOptions, events: &[Event]) -> Referee {
        let mut referee = Referee::new(options);
        for e in events {
            referee.ledger.apply(e);
        }
        let ledger = &mut referee.ledger;
        let last = ledger.game.as_ref().and_then(|g| g.moves().last()).cloned();
        if let (Some(last), Some(m)) = (last, ledger.moves.last())
            && !events.iter().any(|e| e.kind == EventKind::CapturesCleared && e.of == Some(m.seq))
        {
            ledger.maybe_lying = last.captured.iter().map(|&p| (p, last.color.opponent())).collect();
        }
        referee
    }

    /// The game as the referee holds it; `None` before the start position is known.
    pub fn history(&self) -> Option<&History> {
        self.ledger.game.as_ref()
    }

    pub fn phase(&self) -> Phase {
        self.ledger.phase
    }

    /// Between how many explanations the last frame was weighed: none while everything lies as it should, twelve at most.
    pub fn explanations(&self) -> usize {
        self.weighed
    }

    /// What should lie on the table now, known faults and captured stones that still lie included.
    pub fn table(&self) -> Option<Board> {
        let game = self.ledger.game.as_ref()?;
        let mut board = Board::new(game.size());
        for p in board.points() {
            board.set(p, self.ledger.expected(p));
        }
        Some(board)
    }

    /// Takes one frame's sighting in and says what is now known to have happened.
    pub fn sight(&mut self, s: &Sighting) -> Vec<Event> {
        self.weighed = 0;
        let waits = self.turn_over(s);
        if s.size != 0 {
            self.sighted_size = s.size;
        }
        self.scene(s);
        if !waits {
            self.look(s);
        }
        self.drain()
    }

    /// Takes a frame's readings in and decides.
    fn look(&mut self, s: &Sighting) {
        self.looked_ms = self.now;
        if !self.is_of_the_game(s) {
            return;
        }
        if let Some(e) = &mut self.evidence {
            e.see(s);
        }
        self.seats.see(s);
        let gone = self.loose.see(s);
        self.step(gone);
    }

    /// Whether the frame shows the board of the game; evidence is ready for it then.
    fn is_of_the_game(&mut self, s: &Sighting) -> bool {
        if s.size == 0 || s.points.len() != s.size as usize * s.size as usize || !(2..=25).contains(&s.size) {
            if let Some(e) = &mut self.evidence {
                e.blind(self.now);
            }
            return false;
        }
        if let Some(game) = &self.ledger.game
            && game.size() != s.size
        {
            // another board than that of the game: nothing on it concerns the game
            return false;
        }
        if self.evidence.as_ref().is_none_or(|e| e.size() != s.size) {
            self.evidence = Some(Evidence::new(s.size, self.looked_ms));
        }
        self.sync();
        true
    }

    /// Takes a press of the clock in.
    pub fn press(&mut self, press: Press) -> Vec<Event> {
        self.now = self.now.max(press.ms);
        self.pressed(press);
        self.drain()
    }

    /// The source gives no pictures any more.
    pub fn source_lost(&mut self, ms: u64, reason: &str) -> Vec<Event> {
        self.now = self.now.max(ms);
        let mut e = self.event(EventKind::SourceLost, Interval { first: ms, last: ms }, 1.0);
        e.text = Some(Text {
            en: format!("The camera gives no pictures: {reason}. Nothing is watched until it is back."),
            zh: format!("摄像头没有画面：{reason}。恢复之前无法监看。"),
        });
        self.emit(e);
        self.drain()
    }

    /// The source gives pictures again.
    pub fn source_back(&mut self, ms: u64) -> Vec<Event> {
        self.now = self.now.max(ms);
        if let Some(e) = &mut self.evidence {
            e.blind(ms);
        }
        let e = self.event(EventKind::SourceBack, Interval { first: ms, last: ms }, 1.0);
        self.emit(e);
        self.drain()
    }

    /// The footage is over: what is pending is decided on what there is.
    pub fn finish(&mut self, ms: u64) -> Vec<Event> {
        self.now = self.now.max(ms);
        self.flushing = true;
        self.judge_last_picture();
        if self.evidence.is_some() {
            self.step(Vec::new());
            self.take_replaced_for_moves();
        }
        self.flushing = false;
        self.drain()
    }

    fn drain(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.out)
    }

    /// The evidence is always against what should lie there.
    fn sync(&mut self) {
        if let Some(e) = &mut self.evidence
            && self.ledger.game.is_some()
        {
            let ledger = &self.ledger;
            e.expect(|p| ledger.expected(p), self.looked_ms);
        }
    }

    fn step(&mut self, gone: Vec<u64>) {
        match self.ledger.phase {
            Phase::Waiting => self.watch_start(),
            Phase::Cleared => self.watch_next_game(),
            Phase::Playing | Phase::Ended => {
                self.repaired(gone);
                // each decision changes what is expected, so the rest is looked at afresh
                for _ in 0..8 {
                    self.sync();
                    if !(self.follow_repairs() || self.follow_break() || self.explain_and_tell()) {
                        break;
                    }
                }
                self.sync();
                if self.ledger.resting.is_some() {
                    return;
                }
                self.follow_captures();
                self.follow_offsets();
                self.follow_loose();
                self.follow_presses();
                self.follow_passes();
            }
        }
    }

    fn scene(&mut self, s: &Sighting) {
        for change in &s.scene {
            let (kind, confidence) = match *change {
                Scene::BoardFound { confidence } => (EventKind::BoardFound, f64::from(confidence)),
                Scene::BoardLost => (EventKind::BoardLost, 0.95),
                Scene::CameraMoved { .. } => (EventKind::CameraMoved, 0.95),
                Scene::BoardMoved { .. } => (EventKind::BoardMoved, 0.95),
                Scene::LightChanged => (EventKind::LightChanged, 0.9),
                Scene::Obstructed => (EventKind::Obstructed, 0.9),
            };
            let moved = matches!(kind, EventKind::CameraMoved | EventKind::BoardMoved);
            if moved && let Some(e) = &mut self.evidence {
                e.blind(self.now);
            }
            // one bump is one event, however many frames it lasts
            let quiet = if matches!(kind, EventKind::BoardFound | EventKind::BoardLost) { 0 } else { 2000 };
            let last = self.scene_told.insert(kind, self.now);
            if last.is_some_and(|t| self.now < t + quiet) {
                continue;
            }
            let confidence = if confidence.is_finite() { confidence } else { 0.5 };
            let e = self.event(kind, Interval { first: s.time_ms, last: s.time_ms }, confidence);
            self.emit(e);
        }
    }
}
