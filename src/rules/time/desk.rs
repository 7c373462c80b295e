//! What the referee's desk does to a clock: lateness, disputes, suspension, times set, clocks replaced.

use super::clock::{Phase, Step};
use super::reading::{errs_too_much, shared_pro_rata};
use super::{Item, Reading, Readings, Stop, TimeError, TimeNotice};
use crate::rules::{Color, Late};

impl Step {
    pub(super) fn leave(&mut self, side: Color) -> Result<(), TimeError> {
        self.needs_running()?;
        let c = &mut self.clock;
        let in_own_time = c.turn == side;
        let totals = c.totals(side);
        let too_often = c.settings.rule.leaves.is_some_and(|most| totals.leaves >= most);
        if in_own_time || too_often {
            let already = totals.leaves;
            self.tell(Some(Item::Leave), TimeNotice::LeaveRefused { side, in_own_time, already });
        } else {
            let nth = totals.leaves.saturating_add(1);
            c.totals_mut(side).leaves = nth;
            self.tell(Some(Item::Leave), TimeNotice::LeaveGranted { side, nth });
        }
        Ok(())
    }

    pub(super) fn late(&mut self, black_ms: u64, white_ms: u64) -> Result<(), TimeError> {
        match self.clock.phase {
            Phase::NotStarted => {}
            Phase::Over { .. } => return Err(TimeError::Over),
            _ => return Err(TimeError::Started),
        }
        let settings = &self.clock.settings;
        // without a limit everybody is within it
        let limit_ms = settings.rule.late_limit.map_or(u64::MAX, |t| t.ms());
        let ruled = settings.lateness.as_ref().map(|rule| rule.rule([black_ms, white_ms], limit_ms));
        let article = ruled.as_ref().and_then(|(_, provision)| provision.article.clone());
        let lost = match ruled {
            Some((Late::BothLose, _)) => [true, true],
            Some((Late::Loses { color }, _)) => [color == Color::Black, color == Color::White],
            Some((Late::Deducted { .. }, _)) | None => [false; 2],
        };
        if lost != [false; 2] {
            let [black, white] = lost;
            self.clock.phase = Phase::Over { black_lost: black, white_lost: white };
            self.tell_with(article, TimeNotice::Default { black, white });
            return Ok(());
        }
        for (side, late_ms) in [(Color::Black, black_ms), (Color::White, white_ms)] {
            if late_ms == 0 {
                continue;
            }
            let c = &mut self.clock;
            let used_ms = c.readings.of(side).used_ms(&c.settings).checked_add(late_ms);
            let reading = used_ms.and_then(|used| Reading::from_used(used, &c.settings));
            let mut reading = reading.ok_or(TimeError::NoTimeLeft { side })?;
            // a period that lateness has begun is begun anew by the first move
            reading.period_used_ms = 0;
            *c.readings.of_mut(side) = reading;
            self.tell_with(article.clone(), TimeNotice::LateTakenOff { side, late_ms, reading });
        }
        Ok(())
    }

    pub(super) fn dispute(&mut self) -> Result<(), TimeError> {
        match self.clock.phase {
            Phase::Running => self.stop(Stop::Dispute, Some(Item::Dispute)),
            // a verdict on time may itself be disputed
            Phase::Stopped { .. } | Phase::Over { .. } => self.clock.phase = Phase::Stopped { reason: Stop::Dispute },
            Phase::NotStarted => return Err(TimeError::NotStarted),
            Phase::Suspended { .. } => return Err(TimeError::NotRunning),
        }
        let c = &mut self.clock;
        let side = c.turn;
        let face = c.readings.of(side);
        let (from, to) = (c.readings, c.turn_start);
        if c.settings.put_back && (face.in_byoyomi() || face.is_empty()) && from != to {
            c.readings = to;
            self.tell(Some(Item::Dispute), TimeNotice::PutBack { side, from, to });
        }
        Ok(())
    }

    pub(super) fn resume(&mut self, turn: Option<Color>) -> Result<(), TimeError> {
        let c = &mut self.clock;
        let unconfirmed = match c.phase {
            Phase::Stopped { .. } => None,
            Phase::Suspended { black, white } => (!(black && white)).then_some((black, white)),
            Phase::Running => return Err(TimeError::Running),
            // a drawn game is played on with the time that was left (000 12)
            Phase::Over { black_lost: false, white_lost: false } => None,
            Phase::NotStarted => return Err(TimeError::NotStarted),
            Phase::Over { .. } => return Err(TimeError::Over),
        };
        let side = turn.unwrap_or(c.turn);
        if c.readings.of(side).is_empty() {
            return Err(TimeError::NoTimeLeft { side });
        }
        if side != c.turn {
            c.readings.of_mut(c.turn).period_used_ms = 0;
            c.begin_turn(side);
        }
        c.phase = Phase::Running;
        c.overruns_in_a_row = 0;
        if let Some((black, white)) = unconfirmed {
            self.tell(Some(Item::Suspension), TimeNotice::ResumedUnconfirmed { black, white });
        }
        self.tell(None, TimeNotice::Resumed { turn: side });
        Ok(())
    }

    pub(super) fn suspend(&mut self) {
        self.clock.phase = Phase::Suspended { black: false, white: false };
        let (readings, turn) = (self.clock.readings, self.clock.turn);
        self.tell(Some(Item::Suspension), TimeNotice::Suspended { readings, turn });
    }

    pub(super) fn set(&mut self, mut to: Readings, chief_referee: bool) -> Result<(), TimeError> {
        let c = &mut self.clock;
        // only the side to move can be within a period
        to.of_mut(c.turn.opponent()).period_used_ms = 0;
        for side in [Color::Black, Color::White] {
            if !to.of(side).is_possible(&c.settings) {
                return Err(TimeError::Impossible { what: "this clock face" });
            }
            if to.of(side).is_empty() {
                return Err(TimeError::NoTimeLeft { side });
            }
        }
        let from = c.readings;
        if (from.black != to.black) != (from.white != to.white) && !chief_referee {
            return Err(TimeError::NeedsChiefReferee);
        }
        c.readings = to;
        c.turn_start = to;
        // a loss on time that the referee has taken back
        if let Phase::Over { .. } = c.phase {
            c.phase = Phase::Stopped { reason: Stop::Overrun };
        }
        self.tell(Some(Item::ClockError), TimeNotice::Set { from, to });
        Ok(())
    }

    pub(super) fn replace(&mut self, shown_ms: [u64; 2], true_ms: u64) -> Result<(), TimeError> {
        match self.clock.phase {
            Phase::Running => self.stop(Stop::Fault, Some(Item::ClockError)),
            Phase::Stopped { .. } | Phase::Suspended { .. } => {}
            Phase::NotStarted => return Err(TimeError::NotStarted),
            Phase::Over { .. } => return Err(TimeError::Over),
        }
        let Some(total_ms) = shown_ms[0].checked_add(shown_ms[1]) else {
            return Err(TimeError::Impossible { what: "so much time on a clock" });
        };
        let scaled = errs_too_much(total_ms, true_ms, self.clock.settings.rule.clock_error_per_hour.ms());
        let (from, to) = if scaled {
            let Some(used) = shared_pro_rata(shown_ms, true_ms) else {
                return Err(TimeError::Impossible { what: "scaling times of which the clock showed none used" });
            };
            self.faces_from_used(used)?
        } else {
            (self.clock.readings, self.clock.readings)
        };
        self.tell(Some(Item::ClockError), TimeNotice::Replaced { scaled, shown_ms: total_ms, true_ms, from, to });
        Ok(())
    }

    /// Sets both faces from what each side has used; the old and the new ones.
    pub(super) fn faces_from_used(&mut self, used_ms: [u64; 2]) -> Result<(Readings, Readings), TimeError> {
        let c = &mut self.clock;
        let face =
            |side: Color, used_ms| Reading::from_used(used_ms, &c.settings).ok_or(TimeError::NoTimeLeft { side });
        let mut to = Readings { black: face(Color::Black, used_ms[0])?, white: face(Color::White, used_ms[1])? };
        // only the side to move can be within a period
        to.of_mut(c.turn.opponent()).period_used_ms = 0;
        let from = c.readings;
        c.readings = to;
        c.turn_start = to;
        Ok((from, to))
    }
}
