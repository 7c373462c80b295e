//! What is out of the ordinary at the table just now and no infraction: no picture, no board, an obstructed view, a doubt, a break.
//!
//! Each notice stays until the event that ends it.

use crate::game::{Event, EventKind};

/// The notices that hold, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    notices: Vec<Event>,
}

impl Scene {
    pub fn notices(&self) -> &[Event] {
        &self.notices
    }

    pub fn apply(&mut self, event: &Event) {
        use EventKind::*;
        match event.kind {
            SourceLost | BoardLost | Obstructed | Unexplained | SinkDegraded | BreakBegun => {
                // one of a kind is enough, but each sink has its own trouble
                if event.kind != SinkDegraded {
                    self.end(event.kind);
                }
                self.notices.push(event.clone());
            }
            SourceBack => self.end(SourceLost),
            PlayResumed | BoardCleared | Result => self.end(BreakBegun),
            BoardFound => {
                self.end(BoardLost);
                self.end(Obstructed);
            }
            // The board was read again, so it is in view; and an operator who adopts or corrects has settled the doubt.
            PositionAdopted | Corrected => {
                self.end(BoardLost);
                self.end(Obstructed);
                self.end(Unexplained);
            }
            // `of` names the doubt that is settled; a move cannot be read through an obstruction
            Repaired | Decision => self.notices.retain(|n| n.kind != Unexplained || event.of != Some(n.seq)),
            Move | CapturesCleared => {
                self.end(BoardLost);
                self.end(Obstructed);
            }
            SinkRestored => match event.of {
                Some(of) => self.notices.retain(|n| n.seq != of),
                None => self.end(SinkDegraded),
            },
            _ => {}
        }
    }

    fn end(&mut self, kind: EventKind) {
        self.notices.retain(|n| n.kind != kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Interval;

    fn play(events: &[(u64, EventKind, Option<u64>)]) -> Vec<EventKind> {
        let mut scene = Scene::default();
        for (seq, kind, of) in events {
            let mut event = Event::new(*kind, Interval::default(), 0, 1.0);
            (event.seq, event.of) = (*seq, *of);
            scene.apply(&event);
        }
        scene.notices().iter().map(|n| n.kind).collect()
    }

    #[test]
    fn a_notice_lasts_until_the_event_that_ends_it() {
        use EventKind::*;
        assert_eq!(play(&[(1, SourceLost, None), (2, Move, None)]), [SourceLost]);
        assert_eq!(play(&[(1, SourceLost, None), (2, SourceBack, None)]), []);
        assert_eq!(play(&[(1, Obstructed, None), (2, Obstructed, None)]), [Obstructed]);
        assert_eq!(play(&[(1, Obstructed, None), (2, BoardLost, None), (3, Move, None)]), []);
        assert_eq!(play(&[(1, Unexplained, None), (2, Move, None)]), [Unexplained]);
        assert_eq!(play(&[(1, BreakBegun, None), (2, BoardFound, None)]), [BreakBegun]);
        assert_eq!(play(&[(1, BreakBegun, None), (2, PlayResumed, Some(1))]), []);
        assert_eq!(play(&[(1, Unexplained, None), (2, Repaired, Some(9))]), [Unexplained]);
        assert_eq!(play(&[(1, Unexplained, None), (2, Decision, Some(1))]), []);
        assert_eq!(
            play(&[(1, SinkDegraded, None), (2, SinkDegraded, None), (3, SinkRestored, Some(1))]),
            [SinkDegraded]
        );
    }
}
