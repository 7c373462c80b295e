//! Team games: four seats that play clockwise, and sections that end with a given move.

use super::Referee;
use super::seats::{Side, Whence};
use crate::game::{EventKind, Interval, Text};
use crate::rules::{Color, Point};

/// So many moves in a row must have come round the table before their order is known.
const LEARNT_MOVES: u32 = 8;

/// Where the hands come from, move by move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SeatOrder {
    last: Option<Side>,
    /// Moves in a row that came from the seat next to the one before.
    in_order: u32,
    /// Four seats play in order; an offence does not change that.
    learnt: bool,
    /// One of the two seats of Black and of White; the other is opposite.
    seat: [Option<Side>; 2],
    /// Whence each side last moved, where that is certain: the partner is due. That a side moves at all is for its turn to say,
    /// so of the four seats only two come into question.
    moved: [Option<Side>; 2],
}

impl SeatOrder {
    /// Whoever moves next is not judged; where everybody sits stays known.
    pub fn forget(&mut self) {
        (self.last, self.moved) = (None, [None; 2]);
    }

    /// It is not certain whose turn the side's last one was.
    pub fn unsure(&mut self, color: Option<Color>) {
        match color {
            Some(c) => self.moved[c as usize] = None,
            None => self.moved = [None; 2],
        }
    }
}

impl Referee {
    /// A move was told: was it that seat's turn, and has the section its end behind it?
    pub(super) fn follow_team_order(&mut self, color: Color, point: Point, number: u32, whence: Whence, at: Interval) {
        if self.options.ruleset.players >= 2 {
            self.follow_seats(color, point, number, whence, at);
        }
        self.follow_sections(color, point, number, at);
    }

    fn follow_seats(&mut self, color: Color, point: Point, number: u32, whence: Whence, at: Interval) {
        let order = &mut self.seat_order;
        let side = color as usize;
        if !order.learnt {
            let next = order.last.map(Side::clockwise);
            order.in_order = if whence.edge.is_some() && whence.edge == next { order.in_order + 1 } else { 0 };
            order.learnt = order.in_order >= LEARNT_MOVES;
            (order.last, order.moved[side], order.seat[side]) = (whence.edge, whence.edge, whence.edge);
            return;
        }
        // an arm that seems to come from the other side's seat leans over, and says nothing
        let own = |s: &Side| order.seat[side].is_some_and(|seat| *s == seat || *s == seat.opposite());
        let edge = whence.edge.filter(own);
        let before = std::mem::replace(&mut order.moved[side], edge);
        let (Some(edge), Some(before)) = (edge, before) else { return };
        if edge != before {
            return;
        }
        if whence.over(before.opposite()) {
            order.moved[side] = None;
            return;
        }
        // the order goes on from the seat whose turn it was, or from the other; neither is told again
        order.moved = [None; 2];
        let mut e = self.fault(EventKind::SeatOrder, at, 0.8, Some(color), vec![point.into()], &[]);
        e.move_number = Some(number);
        self.tell_without_points(e);
    }

    fn follow_sections(&mut self, color: Color, point: Point, number: u32, at: Interval) {
        let Some(sections) = &self.options.ruleset.sections else { return };
        let from = self.ledger.section_from;
        let passed = |end: &&u32| from < **end as usize && **end < number;
        let Some(&end) = sections.ends.iter().rev().find(passed) else { return };
        let mut e = self.fault(EventKind::SectionOverrun, at, 0.8, Some(color), vec![point.into()], &[]);
        e.move_number = Some(number);
        e.text = Some(Text {
            en: format!("Move {number} was played beyond the end of the section (move {end}) without a break."),
            zh: format!("第{number}手超出本节手数（至第{end}手），未经休息。"),
        });
        self.tell_without_points(e);
    }
}
