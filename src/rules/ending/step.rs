//! One step on the way to the end.

use super::{EndEffect, EndError, EndEvent, Ending, Marking, Outcome, Phase, Ruling, Won};
use crate::rules::{Amount, Board, Color};

type Step = Result<(Phase, Vec<EndEffect>), EndError>;

impl Ending {
    /// What becomes of the game. `board`: as it lies now; looked at when play ends. An error changes nothing.
    pub fn step(&self, event: &EndEvent, board: &Board) -> Result<(Ending, Vec<EndEffect>), EndError> {
        let mut next = self.clone();
        let (phase, effects) = self.phase_after(event, board)?;
        if let (Phase::Restoring { .. }, Phase::Playing { .. }) = (&self.phase, &phase) {
            next.playing_off = true;
        }
        next.phase = phase;
        Ok((next, effects))
    }

    fn phase_after(&self, event: &EndEvent, board: &Board) -> Step {
        if let Phase::Over { .. } = self.phase {
            return Err(EndError::Over);
        }
        match event {
            EndEvent::Resign { by } => {
                return Ok(over(Outcome::Won { winner: by.opponent(), by: Won::Resignation }));
            }
            EndEvent::Rule { ruling } => return Ok(over(ruled(*ruling))),
            _ => {}
        }
        match &self.phase {
            Phase::Playing { turn, passed } => playing(*turn, *passed, event, board),
            Phase::Offered { by } => offered(*by, event, board),
            Phase::Marking { marking } => in_marking(marking.clone(), event),
            Phase::Disputed { marking, .. } => disputed(marking, event),
            Phase::Counting { dead, contested } => match *event {
                EndEvent::Counted { margin, moves } => Ok((
                    Phase::Counted {
                        dead: dead.clone(),
                        contested: contested.clone(),
                        margin,
                        moves,
                        confirmed: [false; 2],
                    },
                    Vec::new(),
                )),
                _ => Err(after_the_end(event)),
            },
            Phase::Counted { dead, contested, margin, moves, confirmed } => match *event {
                EndEvent::Recount { .. } => Ok(count(dead.clone(), contested.clone())),
                EndEvent::ConfirmResult { by } => Ok(match confirm(*confirmed, by)? {
                    [true, true] => self.counted(*margin, *moves),
                    confirmed => (
                        Phase::Counted {
                            dead: dead.clone(),
                            contested: contested.clone(),
                            margin: *margin,
                            moves: *moves,
                            confirmed,
                        },
                        Vec::new(),
                    ),
                }),
                _ => Err(after_the_end(event)),
            },
            Phase::Restoring { after_move, confirmed } => match *event {
                EndEvent::ConfirmPosition { by } => Ok(match confirm(*confirmed, by)? {
                    [true, true] => self.play_off(*after_move),
                    confirmed => (Phase::Restoring { after_move: *after_move, confirmed }, Vec::new()),
                }),
                _ => Err(after_the_end(event)),
            },
            Phase::Over { .. } => Err(EndError::Over),
        }
    }

    /// Both sides confirmed the count.
    fn counted(&self, margin: Amount, moves: usize) -> (Phase, Vec<EndEffect>) {
        let winner = match margin.in_quarters() {
            0 => self.terms.draw_goes_to,
            1.. => Some(Color::Black),
            _ => Some(Color::White),
        };
        if let Some(winner) = winner {
            return over(Outcome::Won { winner, by: Won::Count(margin.abs()) });
        }
        match &self.terms.play_off {
            Some(rule) if self.playing_off => {
                over(Outcome::Won { winner: rule.drawn_again.into(), by: Won::DrawnAgain })
            }
            Some(rule) if self.terms.needs_winner => {
                let after_move = rule.restore_after_move;
                if moves < usize::from(after_move) {
                    let (phase, mut effects) = over(Outcome::Drawn);
                    effects.push(EndEffect::CannotRestore { after_move, moves });
                    return (phase, effects);
                }
                let phase = Phase::Restoring { after_move, confirmed: [false; 2] };
                (phase, vec![EndEffect::RestorePosition { after_move }])
            }
            _ => over(Outcome::Drawn),
        }
    }

    fn play_off(&self, after_move: u16) -> (Phase, Vec<EndEffect>) {
        let first = if after_move.is_multiple_of(2) { self.terms.first } else { self.terms.first.opponent() };
        let effects = self.terms.play_off.iter().map(|rule| EndEffect::PlayOff {
            first,
            preparation_s: rule.preparation_s,
            substitutions: rule.substitutions,
            time_outs: rule.time_outs,
        });
        (Phase::Playing { turn: first, passed: false }, effects.collect())
    }
}

fn playing(turn: Color, passed: bool, event: &EndEvent, board: &Board) -> Step {
    let in_turn = |by: Color| if by == turn { Ok(()) } else { Err(EndError::NotTheirTurn { by }) };
    match *event {
        // whether it was that side's turn is judged elsewhere; what stands in the record moves the turn
        EndEvent::Stone { by } => Ok((Phase::Playing { turn: by.opponent(), passed: false }, Vec::new())),
        EndEvent::Pass { by } => {
            in_turn(by)?;
            if passed {
                return Ok(mark(board, true));
            }
            Ok((Phase::Playing { turn: by.opponent(), passed: true }, Vec::new()))
        }
        EndEvent::OfferEnd { by } => {
            in_turn(by)?;
            Ok((Phase::Offered { by }, vec![EndEffect::AskToEnd { of: by.opponent() }]))
        }
        EndEvent::AgreeEnd { .. } | EndEvent::DeclineEnd { .. } => Err(EndError::NoOffer),
        _ => Err(while_playing(event)),
    }
}

fn offered(by: Color, event: &EndEvent, board: &Board) -> Step {
    let other = by.opponent();
    let answers = |who: Color| if who == other { Ok(()) } else { Err(EndError::AnswerAwaited { from: other }) };
    match *event {
        EndEvent::AgreeEnd { by: who } => {
            answers(who)?;
            Ok(mark(board, false))
        }
        EndEvent::Pass { by: who } => {
            answers(who)?;
            Ok(mark(board, true))
        }
        EndEvent::DeclineEnd { by: who } => {
            answers(who)?;
            let effect = EndEffect::OfferDeclined { may_play: other, restored: by };
            Ok((Phase::Playing { turn: other, passed: false }, vec![effect]))
        }
        // playing on says no
        EndEvent::Stone { by: who } => {
            answers(who)?;
            let effect = EndEffect::OfferDeclined { may_play: other, restored: by };
            Ok((Phase::Playing { turn: by, passed: false }, vec![effect]))
        }
        EndEvent::OfferEnd { .. } => Err(EndError::AnswerAwaited { from: other }),
        _ => Err(while_playing(event)),
    }
}

fn in_marking(mut marking: Marking, event: &EndEvent) -> Step {
    match event {
        EndEvent::Mark { by, at, dead } => marking.mark(*by, *at, *dead)?,
        EndEvent::MarkAll { by, dead } => marking.mark_all(*by, dead)?,
        EndEvent::Contest { at, contested } => marking.contest(*at, *contested)?,
        EndEvent::Confirm { by } => {
            marking.confirmed = confirm(marking.confirmed, *by)?;
            if marking.confirmed == [true, true] {
                return Ok(compare(marking));
            }
        }
        EndEvent::Resume { .. } => return Err(EndError::NoDispute),
        _ => return Err(after_the_end(event)),
    }
    Ok((Phase::Marking { marking }, Vec::new()))
}

/// Both sides confirmed their markings.
fn compare(marking: Marking) -> (Phase, Vec<EndEffect>) {
    let claims = marking.claims();
    if claims.is_empty() {
        // a contested point in what was taken off as dead is settled with it
        return count(marking.dead[0].iter().copied().collect(), marking.contested.iter().copied().collect());
    }
    (Phase::Disputed { marking, claims: claims.clone() }, vec![EndEffect::Dispute { claims }])
}

fn disputed(marking: &Marking, event: &EndEvent) -> Step {
    match event {
        // a side gives in, or they look again
        EndEvent::Mark { .. } | EndEvent::MarkAll { .. } | EndEvent::Contest { .. } => {
            in_marking(marking.clone(), event)
        }
        EndEvent::Resume { first } => {
            let claims = marking.claims();
            let claims_dead = |color| claims.iter().any(|c| c.claimant == color);
            let first = match (claims_dead(Color::Black), claims_dead(Color::White), first) {
                (true, true, Some(first)) => *first,
                (true, true, None) => return Err(EndError::WhoPlaysFirst),
                (black, _, first) => {
                    let claimant = if black { Color::Black } else { Color::White };
                    if first.is_some_and(|f| f != claimant) {
                        return Err(EndError::ClaimantPlaysFirst { claimant });
                    }
                    claimant
                }
            };
            Ok((Phase::Playing { turn: first, passed: false }, vec![EndEffect::Resumed { first }]))
        }
        EndEvent::Confirm { by } => Err(EndError::AlreadyConfirmed { by: *by }),
        _ => Err(after_the_end(event)),
    }
}

fn mark(board: &Board, two_passes: bool) -> (Phase, Vec<EndEffect>) {
    (Phase::Marking { marking: Marking::new(board) }, vec![EndEffect::MarkDead { two_passes }])
}

fn count(dead: Vec<crate::rules::Point>, contested: Vec<crate::rules::Point>) -> (Phase, Vec<EndEffect>) {
    let effect = EndEffect::Count { dead: dead.clone(), contested: contested.clone() };
    (Phase::Counting { dead, contested }, vec![effect])
}

fn over(outcome: Outcome) -> (Phase, Vec<EndEffect>) {
    (Phase::Over { outcome }, vec![EndEffect::Result { outcome }])
}

fn ruled(ruling: Ruling) -> Outcome {
    match ruling {
        Ruling::BlackWins => Outcome::Won { winner: Color::Black, by: Won::Ruling },
        Ruling::WhiteWins => Outcome::Won { winner: Color::White, by: Won::Ruling },
        Ruling::Draw => Outcome::Drawn,
        Ruling::BothLose => Outcome::BothLose,
        Ruling::Replay => Outcome::Replay,
    }
}

fn confirm(mut confirmed: [bool; 2], by: Color) -> Result<[bool; 2], EndError> {
    if std::mem::replace(&mut confirmed[by as usize], true) {
        return Err(EndError::AlreadyConfirmed { by });
    }
    Ok(confirmed)
}

/// Why an event of the end is not possible while stones are played.
fn while_playing(event: &EndEvent) -> EndError {
    match event {
        EndEvent::Resume { .. } => EndError::NoDispute,
        EndEvent::ConfirmPosition { .. } => EndError::NotRestoring,
        _ => EndError::StillPlaying,
    }
}

/// Why an event is not possible once both sides have confirmed the end.
fn after_the_end(event: &EndEvent) -> EndError {
    match event {
        EndEvent::Stone { .. } | EndEvent::Pass { .. } | EndEvent::OfferEnd { .. } => EndError::EndConfirmed,
        EndEvent::AgreeEnd { .. } | EndEvent::DeclineEnd { .. } => EndError::NoOffer,
        EndEvent::Mark { .. } | EndEvent::MarkAll { .. } | EndEvent::Contest { .. } | EndEvent::Confirm { .. } => {
            EndError::NotMarking
        }
        EndEvent::Resume { .. } => EndError::NoDispute,
        EndEvent::Counted { .. } | EndEvent::Recount { .. } => EndError::NothingToCount,
        EndEvent::ConfirmResult { .. } => EndError::NothingToConfirm,
        EndEvent::ConfirmPosition { .. } => EndError::NotRestoring,
        EndEvent::Resign { .. } | EndEvent::Rule { .. } => EndError::Over,
    }
}
