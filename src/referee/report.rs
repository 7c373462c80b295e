//! The event with its article, verdict and sentence.

use super::Referee;
use crate::game::{Event, EventKind, FinalCount, Interval, Restore, Spot, case, describe};
use crate::rules::{Color, History, Point, Text};

impl Referee {
    pub(super) fn event(&self, kind: EventKind, at_ms: Interval, confidence: f64) -> Event {
        Event::new(kind, at_ms, self.now, confidence)
    }

    /// Takes in an event that somebody else decides (a sink in trouble, the referee's ruling): numbers it in the one order
    /// of the table and keeps it, as a restart from the journal would.
    pub fn admit(&mut self, mut event: Event) -> Event {
        event.seq = self.ledger.last_seq + 1;
        self.ledger.apply(&event);
        event
    }

    /// Numbers it, adds what the rules say, takes it into the ledger and gives it out. Returns its number.
    pub(super) fn emit(&mut self, mut e: Event) -> u64 {
        let fault = e.kind.is_infraction() || e.kind == EventKind::Unexplained;
        if fault && (self.ledger.looked_at || self.looks_at_last_game(Some(&e))) {
            return self.ledger.last_seq;
        }
        e.seq = self.ledger.last_seq + 1;
        if e.at_ms.first > e.at_ms.last {
            e.at_ms.first = e.at_ms.last;
        }
        if let Some(case) = case(&e) {
            // after what was decided before: a second time may weigh more than the first
            let proposal = self.ledger.conduct.propose(&self.options.ruleset, &case);
            e.article = proposal.article;
            e.verdict = Some(proposal.verdict);
        } else if let Some(rule) = self.options.ruleset.infraction(e.kind) {
            e.article = rule.cited().map(str::to_owned);
            e.verdict = Some(rule.verdict.clone());
        }
        if e.text.is_none() {
            let seen = self.sighted_size;
            let size = self.ledger.game.as_ref().map_or(seen, |g| g.size());
            e.text = Some(describe(&e, size));
        }
        self.ledger.apply(&e);
        // what the seats were due to depends on what was really played
        if matches!(e.kind, EventKind::Pass) || (e.kind == EventKind::Corrected && e.point.is_none()) {
            self.seat_order.unsure(e.color);
        }
        let seq = e.seq;
        self.out.push(e);
        seq
    }

    /// The sentence of the event that ends play, with what the game comes to if both sides confirm it.
    pub(super) fn with_final_count(&self, e: &Event) -> Option<Text> {
        let game = self.ledger.game.as_ref()?;
        let reckoned = self.final_count(game).text();
        let said = describe(e, game.size());
        Some(Text::new(format!("{} {}", said.en, reckoned.en), format!("{}{}", said.zh, reckoned.zh)))
    }

    /// What the game comes to as it lies, with what looks dead taken off and the penalties that were decided.
    pub(super) fn final_count(&self, game: &History) -> FinalCount {
        let rules = &self.options.ruleset;
        let decided = self.ledger.conduct.standing(rules).penalty(rules.komi.unit);
        FinalCount::of(game, rules, self.options.handicap, decided)
    }

    /// What makes `points` right again.
    pub(super) fn restore(&self, points: &[Point]) -> Vec<Restore> {
        let Some(board) = self.ledger.board() else { return Vec::new() };
        let mut points: Vec<Point> = points.iter().copied().filter(|p| board.contains(*p)).collect();
        points.sort();
        points.dedup();
        points.into_iter().map(|at| Restore { at, be: board.get(at).into() }).collect()
    }

    /// An infraction with the particulars that all of them have.
    pub(super) fn fault(
        &self,
        kind: EventKind,
        at_ms: Interval,
        confidence: f64,
        color: Option<Color>,
        points: Vec<Spot>,
        wrong: &[Point],
    ) -> Event {
        let mut e = self.event(kind, at_ms, confidence);
        e.color = color;
        e.point = match points.as_slice() {
            [one] => one.point(),
            _ => None,
        };
        e.points = points;
        e.move_number = Some(self.ledger.moves.len() as u32);
        e.restore = self.restore(wrong);
        e
    }
}
