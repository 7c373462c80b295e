//! Moves: sections by number, seats by turn (000 10.3, 17.7, 17.8).

use super::relay::{Stage, Step, WrongSeat, shown};
use super::{ConductError, ConductNotice, Seat, TeamItem};
use crate::rules::Color;
use crate::rules::time::Stop;

impl Step {
    pub fn play(&mut self, number: u32, color: Color, seat: Option<Seat>) -> Result<(), ConductError> {
        match self.relay.stage {
            Stage::Playing | Stage::Full => {}
            // nothing counts before the section begins; the referee says what becomes of the stone
            Stage::Break { .. } => {
                if let Some(during) = self.relay.standstill() {
                    self.tell_section(ConductNotice::BoardTouched { during });
                }
                return Ok(());
            }
            Stage::Before => return Err(ConductError::NotPlaying),
            Stage::Over => return Err(ConductError::Over),
        }
        let expected = self.relay.number.saturating_add(1);
        if number != expected {
            return Err(ConductError::NotNext { number, expected });
        }
        if let Some(during) = self.relay.standstill() {
            self.tell_section(ConductNotice::BoardTouched { during });
        }
        // raised in time it waits for the referee; else it has lapsed
        if self.relay.wrong_seat.as_ref().is_some_and(|w| !w.raised) {
            self.lapse();
        }
        let seat = self.sat(number, color, seat);
        let r = &mut self.relay;
        r.number = number;
        r.turn = color.opponent();
        r.last_seat = seat;
        r.chooses = false;
        self.count_move(number, color, seat);
        Ok(())
    }

    fn lapse(&mut self) {
        let Some(wrong) = self.relay.wrong_seat.take() else { return };
        let article = self.relay.rule.seat_order.article.clone();
        self.tell_with(article, ConductNotice::SeatOrderLapsed { number: wrong.number });
    }

    /// The seat that a move came from, as far as it can be known; a wrong one is told.
    fn sat(&mut self, number: u32, color: Color, seat: Option<Seat>) -> Option<Seat> {
        let expected = self.relay.seats();
        let own_turn = color == self.relay.turn;
        let players = self.relay.rule.players;
        // after an unseen hand either player may be next: who is due depends on whose hand it was
        let seat = seat?;
        if seat.color != color || !(1..=players).contains(&seat.number) {
            self.tell(TeamItem::Seats, ConductNotice::SeatUnclear { number, color, seat });
            return None;
        }
        // a stone out of turn is a double move, whatever the seat
        if own_turn && !expected.contains(&seat) && self.relay.wrong_seat.is_none() {
            let player = self.relay.team(color).player(seat.number).cloned().unwrap_or_else(|| seat.to_string());
            self.relay.wrong_seat = Some(WrongSeat { number, seat, player: player.clone(), raised: false });
            let article = self.relay.rule.seat_order.article.clone();
            self.tell_with(article, ConductNotice::SeatOrder { number, seat, player, expected });
        }
        Some(seat)
    }

    fn count_move(&mut self, number: u32, color: Color, seat: Option<Seat>) {
        let r = &mut self.relay;
        let Some(last) = r.rule.sections.moves(r.section).1 else { return };
        let section = shown(r.section);
        if number == last {
            r.stage = Stage::Full;
            self.tell_section(ConductNotice::SectionComplete { section });
            self.stop_clock(Stop::Break);
        } else if number > last {
            r.stage = Stage::Full;
            let (article, stones) = (r.rule.section_overrun.article.clone(), r.rule.section_overrun.stones);
            let team = r.team_mut(color);
            team.overruns = team.overruns.saturating_add(1);
            let nth = team.overruns;
            let player = seat.and_then(|s| team.player(s.number).cloned());
            self.tell_with(
                article,
                ConductNotice::SectionOverrun { section, number, team: color, player, stones, nth },
            );
        }
    }

    /// The record says otherwise; what was found wrong with the last seat is void with it.
    pub fn corrected(&mut self, number: u32, turn: Color, last_seat: Option<Seat>) -> Result<(), ConductError> {
        let r = &mut self.relay;
        if !matches!(r.stage, Stage::Playing | Stage::Full) {
            return Err(ConductError::NotPlaying);
        }
        let players = r.rule.players;
        if let Some(seat) = last_seat.filter(|s| !(1..=players).contains(&s.number)) {
            return Err(ConductError::NoSeat { seat: seat.number, count: players });
        }
        r.number = number;
        r.turn = turn;
        r.last_seat = last_seat;
        r.chooses = false;
        r.wrong_seat = None;
        let full = r.rule.sections.moves(r.section).1.is_some_and(|last| number >= last);
        if full && r.stage == Stage::Playing {
            let section = shown(r.section);
            r.stage = Stage::Full;
            self.tell_section(ConductNotice::SectionComplete { section });
            self.stop_clock(Stop::Break);
        } else if !full {
            r.stage = Stage::Playing;
        }
        Ok(())
    }

    pub fn raise_seat_order(&mut self, by: Color) -> Result<(), ConductError> {
        let Some(wrong) = &mut self.relay.wrong_seat else { return Err(ConductError::NothingToRaise) };
        if wrong.raised {
            return Err(ConductError::AlreadyRaised);
        }
        if wrong.seat.color == by {
            return Err(ConductError::NotOpponent);
        }
        wrong.raised = true;
        let number = wrong.number;
        let article = self.relay.rule.seat_order.article.clone();
        self.tell_with(article, ConductNotice::SeatOrderRaised { by, number });
        self.stop_clock(Stop::Dispute);
        Ok(())
    }

    pub fn rule_seat_order(&mut self, accepted: bool) -> Result<(), ConductError> {
        let Some(wrong) = self.relay.wrong_seat.clone() else { return Err(ConductError::NothingToRaise) };
        if !wrong.raised {
            return Err(ConductError::NotRaised);
        }
        self.relay.wrong_seat = None;
        let article = self.relay.rule.seat_order.article.clone();
        let WrongSeat { number, seat, player, .. } = wrong;
        if !accepted {
            self.tell_with(article, ConductNotice::SeatOrderRejected { number });
            self.start_clock();
            return Ok(());
        }
        let order = self.relay.rule.seat_order.clone();
        let side = self.relay.team_mut(seat.color);
        side.seat_errors = side.seat_errors.saturating_add(1);
        let nth_team = side.seat_errors;
        let times = side.player_errors.entry(player.clone()).or_default();
        *times = times.saturating_add(1);
        let nth_player = *times;
        let stones = order.stones(nth_team);
        let penalty = ConductNotice::SeatOrderPenalty {
            number,
            team: seat.color,
            seat,
            player: player.clone(),
            nth_team,
            nth_player,
            stones,
        };
        self.tell_with(article.clone(), penalty);
        let loses = order.team_loses_at.is_some_and(|n| nth_team >= n);
        let red = order.player_red_at.is_some_and(|n| nth_player >= n);
        if red {
            self.tell_with(article.clone(), ConductNotice::RedCardDue { team: seat.color, seat, player });
        }
        if loses {
            self.tell_with(article, ConductNotice::TeamLoses { team: seat.color });
            return Ok(());
        }
        let players = self.relay.rule.players;
        if self.relay.number == number {
            self.relay.chooses = true;
            let chooser = seat.next(players);
            self.tell_with(article, ConductNotice::ChooseSeat { team: chooser.color, chooser });
        }
        // with a red card to show, the clock waits for whoever comes in
        if !red {
            self.start_clock();
        }
        Ok(())
    }
}
