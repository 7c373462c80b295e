//! A team match: a state, an event with its time, a new state and what follows.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::team::Team;
use super::{
    ConductEffect, ConductError, ConductEvent, ConductNotice, ConductRule, Rotation, Seat, Standstill, StateOfPlay,
    TeamItem,
};
use crate::rules::Color;
use crate::rules::time::Stop;

/// Where the match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The section has not begun: before the first one, or before playing on after a draw.
    Before,
    Playing,
    /// The section's last move was played, the break has not been called.
    Full,
    Break {
        until_ms: u64,
        /// Its end was told.
        told: bool,
    },
    Over,
}

/// Why a section in play stands still.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Pause {
    /// Waits for the requester to confirm.
    Asked {
        team: Color,
        request: super::Request,
    },
    /// A new player is on the way.
    Seating {
        team: Color,
        seat: u8,
        out: String,
        player: String,
        /// Whether the new one had played before, which a void substitution has to know.
        had_played: bool,
        by_red_card: bool,
        until_ms: u64,
        overdue: bool,
    },
    TimeOut {
        team: Color,
        until_ms: Option<u64>,
        overdue: bool,
    },
}

/// A move from the wrong seat that has not lapsed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WrongSeat {
    pub number: u32,
    pub seat: Seat,
    pub player: String,
    pub raised: bool,
}

/// A team match in one game. Serialise it to go on later; every event gives a new one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Relay {
    pub(super) rule: ConductRule,
    pub(super) stage: Stage,
    pub(super) now_ms: u64,
    /// From 0.
    pub(super) section: usize,
    /// Moves played.
    pub(super) number: u32,
    pub(super) turn: Color,
    /// Who played last, if known.
    pub(super) last_seat: Option<Seat>,
    /// After a confirmed wrong seat the side to move chooses who goes on.
    pub(super) chooses: bool,
    pub(super) wrong_seat: Option<WrongSeat>,
    pub(super) pause: Option<Pause>,
    pub(super) black: Team,
    pub(super) white: Team,
    pub(super) planned_ms: Option<u64>,
    /// Missing rosters of the coming section were told.
    pub(super) roster_told: bool,
    /// Playing on after a draw.
    pub(super) played_on: bool,
    pub(super) ready_until_ms: Option<u64>,
}

impl Relay {
    /// A match before its first section; `first` moves first.
    pub fn new(rule: ConductRule, first: Color, at_ms: u64) -> Relay {
        let team = Team::new(&rule);
        Relay {
            rule,
            stage: Stage::Before,
            now_ms: at_ms,
            section: 0,
            number: 0,
            turn: first,
            last_seat: None,
            chooses: false,
            wrong_seat: None,
            pause: None,
            black: team.clone(),
            white: team,
            planned_ms: None,
            roster_told: false,
            played_on: false,
            ready_until_ms: None,
        }
    }

    pub fn rule(&self) -> &ConductRule {
        &self.rule
    }

    pub fn stage(&self) -> Stage {
        self.stage
    }

    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    pub fn team(&self, side: Color) -> &Team {
        match side {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    pub(super) fn team_mut(&mut self, side: Color) -> &mut Team {
        match side {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }

    /// Nobody may touch the board now, for this reason.
    pub fn standstill(&self) -> Option<Standstill> {
        match (self.stage, &self.pause) {
            (Stage::Break { .. }, _) => Some(Standstill::Break),
            (_, Some(Pause::TimeOut { overdue: false, .. })) => Some(Standstill::TimeOut),
            (_, Some(Pause::Asked { .. } | Pause::Seating { overdue: false, .. })) => Some(Standstill::Request),
            _ => self.wrong_seat.as_ref().filter(|w| w.raised).map(|_| Standstill::Dispute),
        }
    }

    /// Who may play the next move: one seat, or all of the side to move where the order does not say.
    pub fn seats(&self) -> Vec<Seat> {
        let players = self.rule.players;
        match self.last_seat.map(|s| s.next(players)).filter(|s| !self.chooses && s.color == self.turn) {
            Some(seat) => vec![seat],
            None => (1..=players).map(|n| Seat::new(self.turn, n)).collect(),
        }
    }

    /// Where things stand.
    pub fn state_of_play(&self) -> StateOfPlay {
        StateOfPlay {
            section: shown(self.section),
            number: self.number,
            turn: self.turn,
            seats: self.seats(),
            substitutions_left: [self.black.substitutions_left(), self.white.substitutions_left()],
            time_outs_left: [self.black.time_outs_left(), self.white.time_outs_left()],
        }
    }

    /// The match after `event` at `at_ms`, and what follows, in order of time. An error leaves this match valid.
    pub fn apply(&self, event: &ConductEvent, at_ms: u64) -> Result<(Relay, Vec<ConductEffect>), ConductError> {
        if at_ms < self.now_ms {
            return Err(ConductError::Backwards { now_ms: self.now_ms, at_ms });
        }
        let mut step = Step { relay: self.clone(), effects: Vec::new() };
        step.advance(at_ms);
        step.take(event)?;
        Ok((step.relay, step.effects))
    }

    fn sound(&self) -> Result<(), String> {
        self.rule.check().map_err(|e| e.to_string())?;
        if self.section >= self.rule.sections.count() {
            return Err("the stored match is in a section that it does not have".to_owned());
        }
        for team in [&self.black, &self.white] {
            team.sound(&self.rule)?;
        }
        Ok(())
    }

    /// When the rosters of the coming section are due.
    pub(super) fn roster_due_ms(&self) -> Option<u64> {
        let before_ms = self.rule.sections.roster_before.ms();
        match self.stage {
            Stage::Before => self.planned_ms.map(|at| at.saturating_sub(before_ms)),
            Stage::Break { until_ms, .. } => Some(until_ms.saturating_sub(before_ms)),
            _ => None,
        }
    }

    /// The section that a roster is awaited for, from 0.
    pub(super) fn coming_section(&self) -> usize {
        match self.stage {
            Stage::Before => self.section,
            _ => self.section + 1,
        }
    }
}

impl Serialize for Relay {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        Relay::serialize(self, s)
    }
}

/// A stored match is checked, as a stored clock is.
impl<'de> Deserialize<'de> for Relay {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Relay, D::Error> {
        let relay = Relay::deserialize(d)?;
        relay.sound().map_err(D::Error::custom)?;
        Ok(relay)
    }
}

/// A section as people count it.
pub(super) fn shown(section: usize) -> u8 {
    u8::try_from(section + 1).unwrap_or(u8::MAX)
}

/// One event on its way through the match.
pub(super) struct Step {
    pub relay: Relay,
    pub effects: Vec<ConductEffect>,
}

/// What comes due by time alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Roster,
    BreakOver,
    Seating,
    TimeOut,
    Ready,
}

impl Step {
    pub fn tell_with(&mut self, article: Option<String>, what: ConductNotice) {
        self.effects.push(ConductEffect { at_ms: self.relay.now_ms, article, what });
    }

    pub fn tell(&mut self, item: TeamItem, what: ConductNotice) {
        let article = self.relay.rule.team.article(item).map(str::to_owned);
        self.tell_with(article, what);
    }

    pub fn tell_section(&mut self, what: ConductNotice) {
        let article = Some(self.relay.rule.sections.article.clone());
        self.tell_with(article, what);
    }

    pub fn stop_clock(&mut self, reason: Stop) {
        self.tell_with(None, ConductNotice::StopClock { reason });
    }

    /// Only while a section is played: a full one waits for its break.
    pub fn start_clock(&mut self) {
        let turn = self.relay.turn;
        if self.relay.stage != Stage::Playing {
            return;
        }
        self.tell_with(None, ConductNotice::StartClock { turn });
    }

    fn advance(&mut self, to_ms: u64) {
        while let Some((at_ms, due)) = self.next_due().filter(|(at_ms, _)| *at_ms <= to_ms) {
            self.relay.now_ms = self.relay.now_ms.max(at_ms);
            self.fire(due);
        }
        self.relay.now_ms = to_ms;
    }

    /// Each is due once: [`Step::fire`] takes it off this list.
    fn next_due(&self) -> Option<(u64, Due)> {
        let r = &self.relay;
        let roster = r.roster_due_ms().filter(|_| !r.roster_told).map(|at| (at, Due::Roster));
        let over = match r.stage {
            Stage::Break { until_ms, told: false } => Some((until_ms, Due::BreakOver)),
            _ => None,
        };
        let pause = match r.pause {
            Some(Pause::Seating { until_ms, overdue: false, .. }) => Some((until_ms, Due::Seating)),
            Some(Pause::TimeOut { until_ms: Some(until_ms), overdue: false, .. }) => Some((until_ms, Due::TimeOut)),
            _ => None,
        };
        let ready = r.ready_until_ms.map(|at| (at, Due::Ready));
        [roster, over, pause, ready].into_iter().flatten().min()
    }

    fn fire(&mut self, due: Due) {
        match due {
            Due::Roster => {
                self.relay.roster_told = true;
                let section = self.relay.coming_section();
                let missing = |team: &Team| team.roster(section).is_none();
                let (black, white) = (missing(&self.relay.black), missing(&self.relay.white));
                if black || white {
                    self.tell(TeamItem::Roster, ConductNotice::RosterDue { section: shown(section), black, white });
                }
            }
            Due::BreakOver => {
                if let Stage::Break { told, .. } = &mut self.relay.stage {
                    *told = true;
                }
                let next = shown(self.relay.coming_section());
                self.tell_section(ConductNotice::BreakOver { next });
            }
            Due::Seating => {
                let Some(Pause::Seating { team, player, overdue, .. }) = &mut self.relay.pause else { return };
                *overdue = true;
                let (team, player) = (*team, player.clone());
                self.tell(TeamItem::Substitution, ConductNotice::SeatingOverdue { team, player });
                self.start_clock();
            }
            Due::TimeOut => {
                let Some(Pause::TimeOut { team, overdue, .. }) = &mut self.relay.pause else { return };
                *overdue = true;
                let team = *team;
                self.tell(TeamItem::TimeOut, ConductNotice::TimeOutOverdue { team });
                self.start_clock();
            }
            Due::Ready => {
                self.relay.ready_until_ms = None;
                let article = self.relay.rule.play_off.as_ref().map(|p| p.article.clone());
                self.tell_with(article, ConductNotice::ReadyOver);
            }
        }
    }

    fn take(&mut self, event: &ConductEvent) -> Result<(), ConductError> {
        if self.relay.stage == Stage::Over && !matches!(event, ConductEvent::Tick | ConductEvent::PlayOff { .. }) {
            return Err(ConductError::Over);
        }
        match event {
            ConductEvent::Tick => Ok(()),
            ConductEvent::Plan { start_ms } => {
                if self.relay.stage != Stage::Before {
                    return Err(ConductError::SectionBegun { section: shown(self.relay.section) });
                }
                self.relay.planned_ms = Some(*start_ms);
                self.relay.roster_told = false;
                // what is due already is told now
                let now_ms = self.relay.now_ms;
                self.advance(now_ms);
                Ok(())
            }
            ConductEvent::Squad { team, players } => self.squad(*team, players),
            ConductEvent::Roster { team, section, players } => self.roster(*team, *section, players),
            ConductEvent::BeginSection => self.begin_section(),
            ConductEvent::Move { number, color, seat } => self.play(*number, *color, *seat),
            ConductEvent::Corrected { number, turn, last_seat } => self.corrected(*number, *turn, *last_seat),
            ConductEvent::RaiseSeatOrder { by } => self.raise_seat_order(*by),
            ConductEvent::RuleSeatOrder { accepted } => self.rule_seat_order(*accepted),
            ConductEvent::BreakBegins => self.begin_break(),
            ConductEvent::BoardChanged => {
                if let Some(during) = self.relay.standstill() {
                    self.tell_section(ConductNotice::BoardTouched { during });
                }
                Ok(())
            }
            ConductEvent::Ask { team, request } => self.ask(*team, request),
            ConductEvent::Confirm => self.confirm(),
            ConductEvent::Cancel => self.cancel(),
            ConductEvent::Seated => self.seated(),
            ConductEvent::VoidSubstitution => self.void_substitution(),
            ConductEvent::RedCard { team, seat, replacement } => self.red_card(*team, *seat, replacement.as_deref()),
            ConductEvent::WrongColours => {
                let (number, until_move) = (self.relay.number, self.relay.rule.colours_until);
                let article = self.relay.rule.colours.article.clone();
                let what = match number <= until_move {
                    true => ConductNotice::ColoursMayBeCorrected { until_move },
                    false => ConductNotice::ColoursStand { number },
                };
                self.tell_with(article, what);
                Ok(())
            }
            ConductEvent::CorrectColours => {
                let r = &mut self.relay;
                let until_move = r.rule.colours_until;
                if r.number > until_move {
                    return Err(ConductError::ColoursStand { until_move });
                }
                if r.pause.is_some() {
                    return Err(ConductError::Busy);
                }
                std::mem::swap(&mut r.black, &mut r.white);
                // the seats have other colours now, and the order begins anew
                r.last_seat = None;
                r.wrong_seat = None;
                let (number, article) = (r.number, r.rule.colours.article.clone());
                self.tell_with(article, ConductNotice::ColoursCorrected { number });
                Ok(())
            }
            ConductEvent::PlayOff { turn } => self.play_off(*turn),
            ConductEvent::End => {
                self.relay.stage = Stage::Over;
                self.relay.pause = None;
                self.relay.wrong_seat = None;
                self.relay.ready_until_ms = None;
                self.stop_clock(Stop::End);
                self.tell_with(None, ConductNotice::Ended);
                Ok(())
            }
        }
    }

    fn begin_section(&mut self) -> Result<(), ConductError> {
        let r = &mut self.relay;
        match r.stage {
            Stage::Before => {}
            Stage::Full | Stage::Break { .. } => r.section = (r.section + 1).min(r.rule.sections.count() - 1),
            Stage::Playing => return Err(ConductError::Playing),
            Stage::Over => return Err(ConductError::Over),
        }
        if r.rule.sections.rotation == Rotation::Free {
            r.last_seat = None;
        }
        // moves beyond the last section's end may have reached into this one, or through it
        r.stage = match r.rule.sections.moves(r.section).1 {
            Some(last) if r.number >= last => Stage::Full,
            _ => Stage::Playing,
        };
        r.pause = None;
        r.ready_until_ms = None;
        let section = r.section;
        for side in [Color::Black, Color::White] {
            let rule = self.relay.rule.clone();
            let team = self.relay.team_mut(side);
            let refused = team.enter(section, side, &rule);
            let missing = team.roster(section).is_none();
            if missing {
                self.tell(TeamItem::Roster, ConductNotice::RosterMissing { team: side, section: shown(section) });
            }
            for (player, why) in refused {
                self.tell(TeamItem::Eligible, ConductNotice::NotEligible { team: side, player, why });
            }
        }
        let (first, last) = self.relay.rule.sections.moves(section);
        let seats = self.relay.seats();
        self.tell_section(ConductNotice::SectionBegan { section: shown(section), first, last, seats });
        self.start_clock();
        Ok(())
    }

    fn begin_break(&mut self) -> Result<(), ConductError> {
        let r = &mut self.relay;
        if r.stage != Stage::Full || r.pause.is_some() {
            return Err(if r.pause.is_some() { ConductError::Busy } else { ConductError::NotPlaying });
        }
        let until_ms = r.now_ms.saturating_add(r.rule.sections.break_length.ms());
        r.stage = Stage::Break { until_ms, told: false };
        r.roster_told = false;
        let next = shown(r.coming_section());
        self.tell_section(ConductNotice::BreakBegan { next, until_ms });
        let now_ms = self.relay.now_ms;
        self.advance(now_ms);
        Ok(())
    }

    fn play_off(&mut self, turn: Color) -> Result<(), ConductError> {
        let r = &mut self.relay;
        let Some(play_off) = r.rule.play_off.clone() else { return Err(ConductError::NoPlayOff) };
        if r.played_on {
            return Err(ConductError::PlayedOn);
        }
        if r.stage != Stage::Over {
            return Err(ConductError::NotOver);
        }
        let number = u32::from(play_off.restore_after_move);
        let from_move = number + 1;
        let section = r.rule.sections.of_move(from_move);
        let until_ms = r.now_ms.saturating_add(u64::from(play_off.preparation_s) * 1000);
        r.stage = Stage::Before;
        r.section = section;
        r.number = number;
        r.turn = turn;
        r.last_seat = None;
        r.chooses = false;
        r.wrong_seat = None;
        r.pause = None;
        r.planned_ms = None;
        r.played_on = true;
        r.ready_until_ms = Some(until_ms);
        for side in [Color::Black, Color::White] {
            r.team_mut(side).play_on(section, &play_off);
        }
        self.tell_with(Some(play_off.article), ConductNotice::PlayOffBegan { from_move, turn, until_ms });
        Ok(())
    }
}
