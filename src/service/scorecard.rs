//! What was detected against what is known to have happened: for the demo, for footage with truth, for tests.

use std::fmt;

use serde::Deserialize;

use crate::game::{Event, EventKind, GameState, Spot};
use crate::rules::{Color, Point};

/// The part of a footage's `truth.json` that can be checked (`docs/virtualboard.md` describes the file).
#[derive(Clone, Debug, Deserialize)]
pub struct Truth {
    pub fps: f64,
    pub frames: u64,
    pub moves: Vec<TrueMove>,
    pub events: Vec<TrueEvent>,
}

/// A move that the finished record must hold.
#[derive(Clone, Debug, Deserialize)]
pub struct TrueMove {
    pub color: Color,
    /// `None`: a pass.
    pub point: Option<Point>,
    /// First frame without a hand or sleeve over the grid.
    pub frame_clear: Option<u64>,
}

/// Something that happened besides the moves.
#[derive(Clone, Debug, Deserialize)]
pub struct TrueEvent {
    pub kind: EventKind,
    #[serde(default)]
    pub points: Vec<Spot>,
    /// First frame that a camera could know it from.
    pub frame_visible: Option<u64>,
    #[serde(default)]
    pub frame_start: u64,
}

/// The comparison.
#[derive(Clone, Debug, Default)]
pub struct Scorecard {
    pub moves_expected: usize,
    /// Moves of the record that are right up to the first that is not.
    pub moves_right: usize,
    /// The first move that differs, for people.
    pub first_difference: Option<String>,
    pub found: Vec<String>,
    pub missed: Vec<String>,
    /// Alarms and scene changes that did not happen.
    pub false_alarms: Vec<String>,
    /// Milliseconds from the clear view to the report, a value a move.
    pub move_delays_ms: Vec<i64>,
    /// Milliseconds from when a camera could know it to the report, a value an incident.
    pub incident_delays_ms: Vec<i64>,
}

/// The kinds that are scored: infractions, and the changes of the scene that a script makes on purpose.
fn is_scored(kind: EventKind) -> bool {
    use EventKind::*;
    kind.is_infraction() || matches!(kind, CameraMoved | BoardMoved | EndAgreedSignal | BoardCleared)
}

/// As many places, each with one of its own less than so many pitches away.
fn same_places(expected: &[Spot], told: &[Spot]) -> bool {
    const PITCHES: f64 = 0.6;
    let mut left = told.to_vec();
    let matched = expected.iter().all(|e| {
        let near = left.iter().position(|d| (d.row - e.row).hypot(d.col - e.col) < PITCHES);
        near.map(|k| left.remove(k)).is_some()
    });
    matched && left.is_empty()
}

/// An event matches when the crossings agree; places between crossings (a dropped stone) agree within a pitch.
fn same_points(kind: EventKind, expected: &[Spot], event: &Event) -> bool {
    use EventKind::*;
    let mut detected: Vec<Point> = event.points.iter().filter_map(|s| s.point()).collect();
    if detected.is_empty() {
        detected.extend(event.point);
    }
    match kind {
        Scattered | CameraMoved | BoardMoved | BoardCleared => true,
        DroppedStone | EndAgreedSignal => {
            event.points.is_empty()
                || expected
                    .iter()
                    .any(|e| event.points.iter().any(|d| (d.row - e.row).abs() <= 1.0 && (d.col - e.col).abs() <= 1.0))
        }
        // the truth lists the retaking stone and the lifted one; the first is what matters
        KoViolation | Superko => expected.first().and_then(|s| s.point()).is_some_and(|p| detected.contains(&p)),
        // where a stone was shoved to is a place, and told as the point that it is nearest to or as one between them
        DisplacedStone if same_places(expected, &event.points) => true,
        _ => {
            let mut expected: Vec<Point> = expected.iter().filter_map(|s| s.point()).collect();
            detected.sort();
            expected.sort();
            detected == expected
        }
    }
}

impl Scorecard {
    /// Compares events with truth, as far as the footage was played (`until_ms`). What could be seen only in the last
    /// `margin_ms` is not asked for.
    pub fn compare(truth: &Truth, events: &[Event], until_ms: u64, margin_ms: u64) -> Scorecard {
        let time_ms = |frame: u64| (frame as f64 * 1000.0 / truth.fps).round() as i64;
        let asked_until = until_ms as i64 - margin_ms as i64;
        let mut card = Scorecard::default();
        card.compare_moves(truth, events, |frame| time_ms(frame) <= asked_until);

        for (i, m) in truth.moves.iter().enumerate() {
            let Some(clear) = m.frame_clear else { continue };
            // a move that was corrected is reported by the event that made it right
            let report = events.iter().find(|e| {
                matches!(e.kind, EventKind::Move | EventKind::Corrected)
                    && e.move_number == Some(i as u32 + 1)
                    && (e.point, e.color) == (m.point, Some(m.color))
            });
            card.move_delays_ms.extend(report.map(|e| e.reported_ms as i64 - time_ms(clear)));
        }

        let mut used = vec![false; events.len()];
        for t in truth.events.iter().filter(|t| is_scored(t.kind)) {
            let visible = time_ms(t.frame_visible.unwrap_or(t.frame_start));
            let found = events.iter().enumerate().find(|(i, e)| {
                !used[*i]
                    && e.kind == t.kind
                    && same_points(t.kind, &t.points, e)
                    && (visible - 2000..=visible + 15_000).contains(&(e.reported_ms as i64))
            });
            let at = format!("{} at {:.1} s", t.kind.name(), visible as f64 / 1000.0);
            match found {
                Some((i, e)) => {
                    used[i] = true;
                    card.incident_delays_ms.push(e.reported_ms as i64 - visible);
                    card.found.push(at);
                }
                None if visible > asked_until => {}
                None => card.missed.push(at),
            }
        }
        for (e, _) in events.iter().zip(&used).filter(|(e, used)| is_scored(e.kind) && !**used) {
            let points: Vec<String> = e.points.iter().map(|s| format!("[{}, {}]", s.row, s.col)).collect();
            let at = e.reported_ms as f64 / 1000.0;
            card.false_alarms.push(format!("{} at {at:.1} s {}", e.kind.name(), points.join(" ")));
        }
        card
    }

    fn compare_moves(&mut self, truth: &Truth, events: &[Event], asked: impl Fn(u64) -> bool) {
        let state = GameState::fold(events);
        let size = state.board().size();
        let name = |c: Color, p: Option<Point>| format!("{c} {}", p.map_or("pass".into(), |p| p.name(size)));
        let record: Vec<_> = state.moves().iter().map(|m| (m.color, m.point)).collect();
        for (i, m) in truth.moves.iter().enumerate() {
            let got = record.get(i);
            if got.is_none() && !m.frame_clear.is_none_or(&asked) {
                break;
            }
            self.moves_expected += 1;
            if self.first_difference.is_some() {
                continue;
            }
            if got == Some(&(m.color, m.point)) {
                self.moves_right += 1;
            } else {
                let got = got.map_or("nothing".into(), |(c, p)| name(*c, *p));
                let wanted = name(m.color, m.point);
                self.first_difference = Some(format!("move {}: {wanted} expected, {got} recorded", i + 1));
            }
        }
        if let Some((c, p)) = record.get(truth.moves.len())
            && self.first_difference.is_none()
        {
            let n = truth.moves.len() + 1;
            self.first_difference = Some(format!("move {n}: nothing expected, {} recorded", name(*c, *p)));
        }
    }

    /// Every move right, everything found, nothing invented.
    pub fn is_perfect(&self) -> bool {
        self.first_difference.is_none() && self.missed.is_empty() && self.false_alarms.is_empty()
    }
}

/// Median and greatest of some delays.
fn spread(delays: &[i64]) -> String {
    let mut d = delays.to_vec();
    d.sort();
    match d.as_slice() {
        [] => "none".into(),
        d => format!("median {} ms, greatest {} ms", d[d.len() / 2], d[d.len() - 1]),
    }
}

impl fmt::Display for Scorecard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "moves        {} of {} right", self.moves_right, self.moves_expected)?;
        if let Some(d) = &self.first_difference {
            writeln!(f, "             {d}")?;
        }
        writeln!(f, "             reported after the hand left: {}", spread(&self.move_delays_ms))?;
        writeln!(f, "incidents    {} of {} found", self.found.len(), self.found.len() + self.missed.len())?;
        for x in &self.found {
            writeln!(f, "             found   {x}")?;
        }
        for x in &self.missed {
            writeln!(f, "             MISSED  {x}")?;
        }
        writeln!(f, "             reported after they could be known: {}", spread(&self.incident_delays_ms))?;
        writeln!(f, "false alarms {}", self.false_alarms.len())?;
        for x in &self.false_alarms {
            writeln!(f, "             FALSE   {x}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shoved_stone_may_be_told_on_the_point_that_it_came_to_lie_near() {
        let spots = |list: &[(f64, f64)]| -> Vec<Spot> { list.iter().map(|&(row, col)| Spot { row, col }).collect() };
        let truth = spots(&[(7.0, 9.0), (2.0, 5.0), (8.28, 9.81), (2.8, 5.5)]);
        assert!(same_places(&truth, &spots(&[(7.0, 9.0), (8.0, 10.0), (2.0, 5.0), (2.82, 5.47)])));
        // one too few, one too many, one elsewhere
        assert!(!same_places(&truth, &spots(&[(7.0, 9.0), (8.0, 10.0), (2.0, 5.0)])));
        assert!(!same_places(&truth[..2], &spots(&[(7.0, 9.0), (2.0, 5.0), (3.0, 5.0)])));
        assert!(!same_places(&truth, &spots(&[(7.0, 9.0), (8.0, 11.0), (2.0, 5.0), (2.82, 5.47)])));
    }
}
