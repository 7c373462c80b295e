//! Team games: four seats that play clockwise, and sections that end with a given move.

use super::Referee;
use super::seats::Side;
use crate::game::{EventKind, Interval, Text};
use crate::rules::{Color, Point};

/// So many moves in a row must have come round the table before their order is known.
const LEARNT_MOVES: u32 = 8;
/// A pause this long between two moves is a break between sections, milliseconds.
const BREAK_MS: u64 = 60_000;

/// Where the hands come from, move by move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SeatOrder {
    last: Option<Side>,
    /// Moves in a row that came from the seat next to the one before.
    in_order: u32,
    /// Four seats play in order; an offence does not change that.
    learnt: bool,
    /// Moves that go beyond the end of a section count from the one after it.
    overrun: bool,
}

impl Referee {
    /// A move was told: was it that seat's turn, and has the section its end behind it?
    pub(super) fn follow_team_order(
        &mut self,
        color: Color,
        point: Point,
        number: u32,
        edge: Option<Side>,
        at: Interval,
    ) {
        if self.options.ruleset.players >= 2 {
            self.follow_seats(color, point, number, edge, at);
        }
        self.follow_sections(color, point, number, at);
    }

    fn follow_seats(&mut self, color: Color, point: Point, number: u32, edge: Option<Side>, at: Interval) {
        let order = &mut self.seat_order;
        let Some(edge) = edge else {
            // not seen from where: the next one is not judged either
            order.last = order.last.filter(|_| order.learnt).map(Side::clockwise);
            return;
        };
        let Some(last) = order.last.replace(edge) else { return };
        if edge == last.clockwise() {
            order.in_order += 1;
            order.learnt |= order.in_order >= LEARNT_MOVES;
            return;
        }
        order.in_order = 0;
        if !order.learnt {
            return;
        }
        let mut e = self.fault(EventKind::SeatOrder, at, 0.8, Some(color), vec![point.into()], &[]);
        e.move_number = Some(number);
        self.tell_without_points(e);
        // the order goes on from the seat whose turn it was; if it goes on from the other, that is not told again
        self.seat_order.last = None;
    }

    fn follow_sections(&mut self, color: Color, point: Point, number: u32, at: Interval) {
        let Some(sections) = &self.options.ruleset.sections else { return };
        let ends = sections.ends.clone();
        let before = (number as usize).checked_sub(2).and_then(|k| self.ledger.moves.get(k));
        let Some(before) = before.filter(|m| m.seq != 0) else { return };
        // a break between two sections is seen as one: nobody plays
        if at.first.saturating_sub(before.seen_ms) >= BREAK_MS {
            self.seat_order.overrun = false;
            self.seat_order.last = None;
            return;
        }
        self.seat_order.overrun |= ends.contains(&(number.saturating_sub(1)));
        if !self.seat_order.overrun {
            return;
        }
        let end = ends.iter().rev().find(|&&n| n < number).copied().unwrap_or(0);
        let mut e = self.fault(EventKind::SectionOverrun, at, 0.8, Some(color), vec![point.into()], &[]);
        e.move_number = Some(number);
        e.text = Some(Text {
            en: format!("Move {number} was played beyond the end of the section (move {end}) without a break."),
            zh: format!("第{number}手超出本节手数（至第{end}手），未经休息。"),
        });
        self.tell_without_points(e);
    }
}
