//! What the devices are to show, as a fold over events: one named state, the open alarms, the last move. Pure.
//!
//! Devices are not sent a queue of messages; each is brought to the newest [`Outlook`]. So nothing can pile up before a
//! device that is slow or away, the newest state wins, and an alarm is there until it is acknowledged or over.

use serde::Serialize;

use super::clock::ClockOutlook;
use super::show::Cue;
use crate::game::{Event, EventKind, Spot, Text};
use crate::rules::{Color, Point, Ruleset, Sanction};

/// The named states, the least urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// All is well.
    Idle,
    /// Somebody should look when there is time.
    Attention,
    /// goband cannot do its work: no pictures.
    Fault,
    /// The referee is needed now.
    Infraction,
}

/// How much an alarm weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// No offence; amber.
    Notice,
    Infraction,
}

/// How an alarm ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Closing {
    /// The board is right again.
    Repaired,
    /// The referee or operator decided.
    Decided,
    /// What came later makes it void: a position was adopted, the game ended, the play went on after a notice.
    Superseded,
}

/// Something the referee must know.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alarm {
    /// `seq` of its event.
    pub number: u64,
    pub weight: Weight,
    pub kind: EventKind,
    pub color: Option<Color>,
    pub points: Vec<Spot>,
    pub article: Option<String>,
    pub text: Option<Text>,
    /// How heavy the verdict is that the ruleset proposes.
    pub sanction: Sanction,
    /// The referee has seen it.
    pub acknowledged: bool,
    pub closed: Option<Closing>,
    /// It was there before this program started: no new sound.
    pub old: bool,
}

impl Alarm {
    /// The referee need not be reminded of it any more.
    pub fn is_over(&self) -> bool {
        match self.closed {
            None => false,
            // the board is right, but nobody has said that he knows of the offence
            Some(Closing::Repaired) => self.acknowledged || self.weight == Weight::Notice,
            Some(_) => true,
        }
    }
}

/// The last move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MoveNote {
    pub number: u32,
    pub color: Color,
    /// None: a pass.
    pub point: Option<Point>,
    pub captured: u32,
}

/// All that devices show.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outlook {
    pub state: State,
    /// Why, in one word of the protocol: `ok`, `alarm`, `repaired`, `seen`, `notice`, `unexplained`, `board-lost`, `source-lost`.
    pub reason: &'static str,
    /// Alarms that are not over, and the last of those that are, the oldest first.
    pub alarms: Vec<Alarm>,
    pub last_move: Option<MoveNote>,
    /// Every state that holds; `state` is the most urgent of them.
    #[serde(skip)]
    pub active: Vec<Cue>,
    /// The heaviest proposed verdict among the infractions that nobody has acknowledged.
    pub heaviest: Option<Sanction>,
    pub clock: ClockOutlook,
}

/// Alarms that are over are kept for devices that were away: so many.
const KEPT_OVER: usize = 32;
/// More alarms than anybody could look at; the oldest are then superseded.
const MOST_ALARMS: usize = 256;

/// The fold.
#[derive(Clone, Debug)]
pub struct Model {
    alarms: Vec<Alarm>,
    last_move: Option<MoveNote>,
    unexplained: bool,
    board_lost: bool,
    source_lost: bool,
    /// Some device lets the referee acknowledge. Without one, a repaired alarm is over.
    can_acknowledge: bool,
    /// Verdicts that the ruleset proposes.
    sanctions: Vec<(EventKind, Sanction)>,
}

impl Model {
    /// Before the first event.
    pub fn new(can_acknowledge: bool) -> Model {
        Model {
            alarms: Vec::new(),
            last_move: None,
            unexplained: false,
            board_lost: false,
            source_lost: false,
            can_acknowledge,
            sanctions: Vec::new(),
        }
    }

    /// With the weights that a ruleset gives to infractions.
    pub fn weighed(mut self, ruleset: &Ruleset) -> Model {
        let weigh = |kind| Some((kind, ruleset.infraction(kind)?.penalty.sanction));
        self.sanctions = EventKind::ALL.into_iter().filter_map(weigh).collect();
        self
    }

    /// Takes an event. `old`: from the journal of an earlier run.
    pub fn apply(&mut self, event: &Event, old: bool) {
        use EventKind as K;
        match event.kind {
            kind if kind.is_infraction() => self.raise(event, old),
            K::Move | K::Pass => {
                self.note_move(event);
                self.unexplained = false;
                self.board_lost = false;
                self.close(Closing::Superseded, |a| a.weight == Weight::Notice);
            }
            K::CapturesCleared | K::Corrected => self.unexplained = false,
            K::PositionAdopted => {
                self.unexplained = false;
                self.board_lost = false;
                self.close(Closing::Superseded, |_| true);
            }
            K::Unexplained => self.unexplained = true,
            K::Repaired => {
                self.unexplained = false;
                self.close(Closing::Repaired, |a| event.of.is_none_or(|of| of == a.number));
            }
            K::Decision => {
                self.unexplained &= event.of.is_some_and(|of| self.alarms.iter().any(|a| a.number == of));
                self.close(Closing::Decided, |a| event.of == Some(a.number));
            }
            K::BoardFound => self.board_lost = false,
            K::BoardLost => self.board_lost = true,
            K::SourceLost => self.source_lost = true,
            K::SourceBack => self.source_lost = false,
            K::BoardCleared | K::Result => {
                self.unexplained = false;
                self.close(Closing::Superseded, |_| true);
            }
            _ => {}
        }
        self.forget_the_oldest();
    }

    /// The referee has seen an alarm (none: the newest that he has not). True if that changes anything.
    pub fn acknowledge(&mut self, number: Option<u64>) -> bool {
        let alarm = match number {
            Some(number) => self.alarms.iter_mut().find(|a| a.number == number),
            None => self.alarms.iter_mut().rev().find(|a| !a.is_over() && !a.acknowledged),
        };
        alarm.is_some_and(|a| !std::mem::replace(&mut a.acknowledged, true))
    }

    /// The alarm of this number is over (or was forgotten).
    pub fn is_over(&self, number: u64) -> bool {
        self.alarms.iter().find(|a| a.number == number).is_none_or(Alarm::is_over)
    }

    /// What devices show now.
    pub fn outlook(&self) -> Outlook {
        let live = || self.alarms.iter().filter(|a| !a.is_over());
        let serious = |a: &&Alarm| a.weight == Weight::Infraction;
        let candidates = [
            (live().filter(serious).any(|a| !a.acknowledged && a.closed.is_none()), State::Infraction, "alarm"),
            (self.source_lost, State::Fault, "source-lost"),
            (live().filter(serious).any(|a| !a.acknowledged), State::Attention, "repaired"),
            (live().any(|a| serious(&a)), State::Attention, "seen"),
            (self.unexplained, State::Attention, "unexplained"),
            (self.board_lost, State::Attention, "board-lost"),
            (live().any(|a| !a.acknowledged), State::Attention, "notice"),
        ];
        let (state, reason) = candidates
            .into_iter()
            .find_map(|(holds, state, reason)| holds.then_some((state, reason)))
            .unwrap_or((State::Idle, "ok"));
        let cue = |(holds, state, reason): (bool, State, &str)| {
            holds.then_some(match state {
                State::Infraction => Cue::Infraction,
                State::Fault => Cue::Fault,
                State::Attention if reason == "notice" => Cue::Notice,
                State::Attention | State::Idle => Cue::Attention,
            })
        };
        let mut active: Vec<Cue> = candidates.into_iter().filter_map(cue).collect();
        active.push(Cue::Idle);
        let open = live().filter(serious).filter(|a| !a.acknowledged && a.closed.is_none());
        Outlook {
            state,
            reason,
            alarms: self.alarms.clone(),
            last_move: self.last_move,
            active,
            heaviest: open.map(|a| a.sanction).max(),
            clock: ClockOutlook::default(),
        }
    }

    fn raise(&mut self, event: &Event, old: bool) {
        if self.alarms.iter().any(|a| a.number == event.seq) {
            return;
        }
        let mut points = event.points.clone();
        if points.is_empty() {
            points.extend(event.point.map(Spot::from));
        }
        self.alarms.push(Alarm {
            number: event.seq,
            weight: if event.kind == EventKind::StoneOffPoint { Weight::Notice } else { Weight::Infraction },
            kind: event.kind,
            color: event.color,
            points,
            article: event.article.clone(),
            text: event.text.clone(),
            sanction: self.sanctions.iter().find(|(k, _)| *k == event.kind).map_or(Sanction::None, |(_, s)| *s),
            acknowledged: false,
            closed: None,
            old,
        });
    }

    fn close(&mut self, how: Closing, is_meant: impl Fn(&Alarm) -> bool) {
        for alarm in self.alarms.iter_mut().filter(|a| !a.is_over() && is_meant(a)) {
            alarm.closed = Some(how);
            alarm.acknowledged |= !self.can_acknowledge;
        }
    }

    fn note_move(&mut self, event: &Event) {
        let (Some(number), Some(color)) = (event.move_number, event.color) else { return };
        let captured = event.captured.as_ref().map_or(0, |c| u32::try_from(c.len()).unwrap_or(u32::MAX));
        self.last_move = Some(MoveNote { number, color, point: event.point, captured });
    }

    fn forget_the_oldest(&mut self) {
        let over = self.alarms.iter().filter(|a| a.is_over()).count();
        for _ in KEPT_OVER..over {
            if let Some(n) = self.alarms.iter().position(Alarm::is_over) {
                self.alarms.remove(n);
            }
        }
        while self.alarms.len() > MOST_ALARMS {
            let lost = self.alarms.remove(0);
            tracing::error!(alarm = lost.number, "more than {MOST_ALARMS} open alarms; the oldest is given up");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Interval;

    fn event(seq: u64, kind: EventKind) -> Event {
        let mut e = Event::new(kind, Interval::default(), 0, 1.0);
        e.seq = seq;
        e
    }

    fn about(seq: u64, kind: EventKind, of: u64) -> Event {
        Event { of: Some(of), ..event(seq, kind) }
    }

    fn shown(model: &Model) -> (State, &'static str) {
        let outlook = model.outlook();
        (outlook.state, outlook.reason)
    }

    #[test]
    fn an_infraction_is_red_until_seen_and_amber_until_over() {
        let mut model = Model::new(true);
        assert_eq!(shown(&model), (State::Idle, "ok"));
        model.apply(&event(3, EventKind::DoubleMove), false);
        assert_eq!(shown(&model), (State::Infraction, "alarm"));
        assert!(model.acknowledge(None) && !model.acknowledge(Some(3)));
        assert_eq!(shown(&model), (State::Attention, "seen"));
        model.apply(&about(4, EventKind::Repaired, 3), false);
        assert_eq!(shown(&model), (State::Idle, "ok"));
    }

    #[test]
    fn a_repair_does_not_hide_what_nobody_has_seen() {
        let mut model = Model::new(true);
        model.apply(&event(3, EventKind::DisplacedStone), false);
        model.apply(&about(4, EventKind::Repaired, 3), false);
        assert_eq!(shown(&model), (State::Attention, "repaired"));
        assert!(model.acknowledge(None));
        assert_eq!(shown(&model), (State::Idle, "ok"));
        // where nobody can say so, it is over
        let mut model = Model::new(false);
        model.apply(&event(3, EventKind::DisplacedStone), false);
        model.apply(&about(4, EventKind::Repaired, 3), false);
        assert_eq!(shown(&model), (State::Idle, "ok"));
    }

    #[test]
    fn a_decision_ends_its_alarm_only() {
        let mut model = Model::new(true);
        model.apply(&event(3, EventKind::Takeback), false);
        model.apply(&event(4, EventKind::DoubleMove), false);
        model.apply(&about(5, EventKind::Decision, 3), false);
        assert_eq!(shown(&model), (State::Infraction, "alarm"));
        model.apply(&about(6, EventKind::Decision, 4), false);
        assert_eq!(shown(&model), (State::Idle, "ok"));
    }

    #[test]
    fn a_notice_is_amber_and_ends_with_the_next_move() {
        let mut model = Model::new(true);
        model.apply(&event(3, EventKind::StoneOffPoint), false);
        assert_eq!(shown(&model), (State::Attention, "notice"));
        let mut next = event(4, EventKind::Move);
        (next.move_number, next.color, next.point) = (Some(7), Some(Color::White), Some(Point { row: 2, col: 3 }));
        model.apply(&next, false);
        assert_eq!(shown(&model), (State::Idle, "ok"));
        assert_eq!(model.outlook().last_move.map(|m| m.number), Some(7));
    }

    #[test]
    fn without_pictures_it_is_a_fault_and_back() {
        let mut model = Model::new(true);
        model.apply(&event(1, EventKind::SourceLost), false);
        assert_eq!(shown(&model), (State::Fault, "source-lost"));
        model.apply(&event(2, EventKind::SourceBack), false);
        model.apply(&event(3, EventKind::Unexplained), false);
        assert_eq!(shown(&model), (State::Attention, "unexplained"));
        model.apply(&event(4, EventKind::PositionAdopted), false);
        assert_eq!(shown(&model), (State::Idle, "ok"));
    }

    #[test]
    fn it_stays_bounded() {
        let mut model = Model::new(true);
        for seq in 0..2000 {
            model.apply(&event(seq, EventKind::Takeback), false);
            if seq % 2 == 0 {
                model.apply(&about(seq, EventKind::Decision, seq), false);
            }
        }
        let alarms = model.outlook().alarms;
        assert!(alarms.len() <= MOST_ALARMS, "{}", alarms.len());
        assert_eq!(alarms.last().map(|a| a.number), Some(1999));
    }
}
