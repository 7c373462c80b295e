//! Events as the law sees them: an infraction's event as a case, the referee's event as a decision.

use super::{Event, EventKind, RestoreTo};
use crate::rules::{Case, Color, Decision, Facts, Infraction, Point, Removed};

/// The case that an infraction's event reports; `None` for other events and where the event lacks what the kind needs.
pub fn case(event: &Event) -> Option<Case> {
    let facts = facts(event)?;
    Some(Case {
        id: event.seq,
        facts,
        by: offender(event),
        player: event.player.clone(),
        moves: event.move_number.unwrap_or(0),
        circumstance: event.circumstance,
    })
}

/// The side that did it. Where stones lie wrong and nobody saw the hand, `color` is that of the stones.
fn offender(event: &Event) -> Option<Color> {
    use EventKind::{DisplacedStone, Scattered, StoneOffPoint};
    event.color.filter(|_| !matches!(event.kind, DisplacedStone | Scattered | StoneOffPoint))
}

/// The decision that a `decision` event tells, if it tells it in a way that can be reckoned with.
pub fn decision(event: &Event) -> Option<Decision> {
    let ruling = event.ruling.filter(|_| event.kind == EventKind::Decision)?;
    Some(Decision {
        id: event.seq,
        of: event.of?,
        ruling,
        by: event.color,
        player: event.player.clone(),
        circumstance: event.circumstance,
        penalty: event.penalty,
        outcome: event.outcome,
    })
}

fn facts(event: &Event) -> Option<Facts> {
    let kind = Infraction::from_name(event.kind.as_str())?;
    let points: Vec<Point> = event.points.iter().filter_map(|s| s.point()).collect();
    let at = event.point.or(points.first().copied());
    // what a fault put on the board must go, what it took away must come back
    let restore = |full: bool| {
        event.restore.iter().filter(move |r| (r.be != RestoreTo::Empty) == full).map(|r| r.at).collect::<Vec<Point>>()
    };
    let but = |points: Vec<Point>, at: Point| points.into_iter().filter(|&p| p != at).collect::<Vec<Point>>();
    Some(match kind {
        Infraction::DoubleMove => Facts::DoubleMove { first: None, second: at? },
        Infraction::Takeback => {
            Facts::Takeback { from: points.first().copied().or(event.point)?, to: points.get(1).copied() }
        }
        Infraction::DroppedStone => Facts::DroppedStone { near: near(event) },
        Infraction::DisplacedStone => Facts::DisplacedStone { from: restore(true), to: restore(false) },
        Infraction::StoneOffPoint => Facts::StoneOffPoint { at: at.map_or_else(|| near(event), |p| vec![p]) },
        Infraction::MissedCapture => Facts::MissedCapture { stones: points },
        Infraction::WrongRemoval => Facts::WrongRemoval {
            stones: event
                .restore
                .iter()
                .filter_map(|r| {
                    let color = match r.be {
                        RestoreTo::Black => Color::Black,
                        RestoreTo::White => Color::White,
                        RestoreTo::Empty => return None,
                    };
                    Some(Removed { at: r.at, color, liberties: None })
                })
                .collect(),
        },
        Infraction::KoViolation => Facts::KoViolation { at: at?, taken: but(restore(true), at?) },
        Infraction::Superko => Facts::Superko { at: at?, taken: but(restore(true), at?), repeats: None },
        Infraction::Suicide => Facts::Suicide { at: at?, own: but(restore(true), at?) },
        Infraction::WrongFirstColour => Facts::WrongFirstColour { at },
        Infraction::Scattered => Facts::Scattered { points: event.restore.iter().map(|r| r.at).collect() },
        Infraction::SeatOrder => Facts::SeatOrder { at, seat: None, expected: None },
        Infraction::SectionOverrun => Facts::SectionOverrun { at, over: 1 },
        Infraction::PressBeforeMove => Facts::PressBeforeMove,
        Infraction::PressBeforeCapturesCleared => Facts::PressBeforeCapturesCleared { stones: points },
        Infraction::WrongClockPressed => Facts::WrongClockPressed,
        Infraction::TimeOverrun => Facts::TimeOverrun,
    })
}

/// The crossings nearest to the event's places.
fn near(event: &Event) -> Vec<Point> {
    let whole = |x: f64| x.round().clamp(0.0, 24.0) as u8;
    let mut points: Vec<Point> = event.points.iter().map(|s| Point::new(whole(s.row), whole(s.col))).collect();
    points.extend(event.point);
    points.sort();
    points.dedup();
    points
}
