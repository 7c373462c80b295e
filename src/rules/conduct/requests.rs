//! Substitutions, time-outs and red cards (000 10.5, 24.3, 24.4).

use super::relay::{Pause, Stage, Step};
use super::{ConductError, ConductNotice, Request, Seat, TeamItem};
use crate::rules::time::Stop;
use crate::rules::{Bench, Color, SentOff};

impl Step {
    pub fn ask(&mut self, team: Color, request: &Request) -> Result<(), ConductError> {
        let r = &self.relay;
        if r.stage != Stage::Playing {
            return Err(ConductError::NotPlaying);
        }
        if r.pause.is_some() {
            return Err(ConductError::Busy);
        }
        let side = r.team(team);
        match request {
            Request::TimeOut if side.time_outs_left() == 0 => return Err(ConductError::NoTimeOutLeft { team }),
            Request::TimeOut => {}
            Request::Substitution { seat, player } => {
                if side.substitutions_left() == 0 {
                    return Err(ConductError::NoSubstitutionLeft { team });
                }
                self.may_come_in(team, *seat, player, side.any_left > 0)?;
            }
        }
        self.relay.pause = Some(Pause::Asked { team, request: request.clone() });
        self.stop_clock(Stop::Request);
        let state = self.relay.state_of_play();
        self.tell(TeamItem::Request, ConductNotice::StateOfPlay { to: team, request: request.clone(), state });
        Ok(())
    }

    fn may_come_in(&self, team: Color, seat: u8, player: &str, again: bool) -> Result<(), ConductError> {
        let side = self.relay.team(team);
        if player.trim().is_empty() {
            return Err(ConductError::Name(player.to_owned()));
        }
        if side.player(seat).is_none() {
            return Err(ConductError::NoSeat { seat, count: self.relay.rule.players });
        }
        match side.refuses(player, again) {
            Some(why) => Err(ConductError::NotEligible { player: player.to_owned(), why }),
            None => Ok(()),
        }
    }

    pub fn confirm(&mut self) -> Result<(), ConductError> {
        let Some(Pause::Asked { team, request }) = self.relay.pause.clone() else {
            return Err(ConductError::NothingAsked);
        };
        match request {
            Request::TimeOut => {
                let until_ms =
                    self.relay.rule.team.time_out_length.map(|length| self.relay.now_ms.saturating_add(length.ms()));
                let side = self.relay.team_mut(team);
                side.time_outs_used = side.time_outs_used.saturating_add(1);
                let left = side.time_outs_left();
                self.relay.pause = Some(Pause::TimeOut { team, until_ms, overdue: false });
                self.tell(TeamItem::TimeOut, ConductNotice::TimeOutBegan { team, left, until_ms });
                Ok(())
            }
            Request::Substitution { seat, player } => {
                // one who has played before comes in only by the chance that a red card gave
                let again = self.relay.team(team).refuses(&player, false).is_some();
                if !self.relay.team_mut(team).use_substitution(again) {
                    return Err(ConductError::NoSubstitutionLeft { team });
                }
                self.send_in(team, seat, &player, false)
            }
        }
    }

    fn send_in(&mut self, team: Color, seat: u8, player: &str, by_red_card: bool) -> Result<(), ConductError> {
        let until_ms = self.relay.now_ms.saturating_add(self.relay.rule.team.seating.ms());
        let count = self.relay.rule.players;
        let side = self.relay.team_mut(team);
        let (out, had_played) = side.replace(seat, player).ok_or(ConductError::NoSeat { seat, count })?;
        let left = side.substitutions_left();
        let player = player.to_owned();
        self.relay.pause = Some(Pause::Seating {
            team,
            seat,
            out: out.clone(),
            player: player.clone(),
            had_played,
            by_red_card,
            until_ms,
            overdue: false,
        });
        let began = ConductNotice::SubstitutionBegan { team, seat, out, player, by_red_card, left, until_ms };
        self.tell(if by_red_card { TeamItem::RedCard } else { TeamItem::Substitution }, began);
        Ok(())
    }

    pub fn cancel(&mut self) -> Result<(), ConductError> {
        let Some(Pause::Asked { team, .. }) = self.relay.pause else { return Err(ConductError::NothingAsked) };
        self.relay.pause = None;
        self.tell(TeamItem::Request, ConductNotice::Cancelled { team });
        self.start_clock();
        Ok(())
    }

    pub fn seated(&mut self) -> Result<(), ConductError> {
        let (item, what, overdue) = match &self.relay.pause {
            Some(Pause::Seating { team, player, overdue, .. }) => {
                (TeamItem::Substitution, ConductNotice::Seated { team: *team, player: player.clone() }, *overdue)
            }
            Some(Pause::TimeOut { team, overdue, .. }) => {
                (TeamItem::TimeOut, ConductNotice::TimeOutOver { team: *team }, *overdue)
            }
            _ => return Err(ConductError::NobodyAwaited),
        };
        self.relay.pause = None;
        self.tell(item, what);
        // overdue, the clock is running already
        if !overdue {
            self.start_clock();
        }
        Ok(())
    }

    pub fn void_substitution(&mut self) -> Result<(), ConductError> {
        let Some(Pause::Seating { team, seat, out, player, had_played, by_red_card: false, overdue, .. }) =
            self.relay.pause.clone()
        else {
            return Err(ConductError::NoSubstitution);
        };
        self.relay.pause = None;
        let side = self.relay.team_mut(team);
        side.put_back(seat, &player, &out, had_played);
        let left = side.substitutions_left();
        self.tell(TeamItem::Substitution, ConductNotice::SubstitutionVoid { team, seat, player, stays: out, left });
        if !overdue {
            self.start_clock();
        }
        Ok(())
    }

    pub fn red_card(&mut self, team: Color, seat: u8, replacement: Option<&str>) -> Result<(), ConductError> {
        if !matches!(self.relay.stage, Stage::Playing | Stage::Full) {
            return Err(ConductError::NotPlaying);
        }
        if self.relay.pause.is_some() {
            return Err(ConductError::Busy);
        }
        let count = self.relay.rule.players;
        let side = self.relay.team(team);
        let Some(carded) = side.player(seat).cloned() else { return Err(ConductError::NoSeat { seat, count }) };
        if let (None, Some(player)) = (replacement, side.spare()) {
            return Err(ConductError::ReplacementExpected { team, player: player.clone() });
        }
        let again = side.any_left > 0;
        if let Some(player) = replacement {
            self.may_come_in(team, seat, player, again)?;
        }
        let bench = Bench {
            substitutions: u8::try_from(side.substitutions_left()).unwrap_or(u8::MAX),
            players: u8::from(replacement.is_some()),
        };
        let follows = self.relay.rule.cards.as_ref().map_or(SentOff::Substituted, |cards| cards.sent_off(bench).0);
        self.stop_clock(Stop::Other);
        let Some(player) = replacement else {
            let stays = ConductNotice::PlayerStays { team, seat: Seat::new(team, seat), player: carded };
            self.tell(TeamItem::NoneLeft, stays);
            self.start_clock();
            return Ok(());
        };
        let side = self.relay.team_mut(team);
        let again = side.refuses(player, false).is_some();
        side.show_red(&carded);
        if !side.use_substitution(again) && follows == SentOff::OpponentGains {
            let other = self.relay.team_mut(team.opponent());
            other.any_left = other.any_left.saturating_add(1);
            let left = other.substitutions_left();
            self.tell(TeamItem::NoneLeft, ConductNotice::OpponentGains { team: team.opponent(), left });
        }
        self.send_in(team, seat, player, true)
    }
}
