//! Which infractions stop the clock, by configuration. Pure.

use serde::Deserialize;

use crate::game::EventKind;
use crate::rules::{Ruleset, Sanction};

/// `[clock] stop`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StopFor {
    /// As the ruleset says: on a dispute (000 art. 23.11), or never.
    #[default]
    Ruleset,
    Never,
    /// Every infraction; not a notice.
    Infractions,
    /// These weights of the proposed verdict, and these kinds.
    Listed {
        sanctions: Vec<Sanction>,
        kinds: Vec<EventKind>,
    },
}

/// The weights that a dispute has in the sense of 000 art. 23.11: more than a caution.
const DISPUTE: [Sanction; 6] =
    [Sanction::Referee, Sanction::Warning, Sanction::Yellow, Sanction::Red, Sanction::Stones, Sanction::Loss];

/// `[clock] breaks`: what a break of the operator does to the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InBreaks {
    /// The clock that goband keeps stands; another one where the ruleset has sections, between which it stands (000 art. 10.2).
    #[default]
    Ruleset,
    Stop,
    Run,
}

/// Answers "does this stop the clock?".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StopPolicy {
    stop: Vec<EventKind>,
    in_breaks: InBreaks,
    has_sections: bool,
    /// In byo-yomi the clock is put back to what it showed after the opponent's move.
    pub restore_period: bool,
}

impl StopPolicy {
    /// The policy of a configuration under a ruleset.
    pub fn new(stop: &StopFor, in_breaks: InBreaks, ruleset: &Ruleset) -> StopPolicy {
        let sanction = |kind: EventKind| ruleset.infraction(kind).map_or(Sanction::None, |rule| rule.penalty.sanction);
        let is_offence = |kind: EventKind| kind.is_infraction() && kind != EventKind::StoneOffPoint;
        let stops = |kind: EventKind| match stop {
            StopFor::Never => false,
            StopFor::Ruleset => {
                ruleset.disputes.as_ref().is_some_and(|d| d.stop_clock)
                    && is_offence(kind)
                    && DISPUTE.contains(&sanction(kind))
            }
            StopFor::Infractions => is_offence(kind),
            StopFor::Listed { sanctions, kinds } => {
                kinds.contains(&kind) || is_offence(kind) && sanctions.contains(&sanction(kind))
            }
        };
        let restore_period = ruleset.disputes.as_ref().is_none_or(|d| d.restore_period);
        let stop = EventKind::ALL.into_iter().filter(|k| stops(*k)).collect();
        StopPolicy { stop, in_breaks, has_sections: ruleset.sections.is_some(), restore_period }
    }

    /// True if a break stops the clock. `is_ours`: goband keeps the time itself.
    pub fn stops_in_breaks(&self, is_ours: bool) -> bool {
        match self.in_breaks {
            InBreaks::Ruleset => is_ours || self.has_sections,
            InBreaks::Stop => true,
            InBreaks::Run => false,
        }
    }

    /// True for an event that stops the clock.
    pub fn stops(&self, kind: EventKind) -> bool {
        self.stop.contains(&kind)
    }

    /// The kinds that do.
    pub fn kinds(&self) -> &[EventKind] {
        &self.stop
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn team_relay_stops_on_disputes_and_the_others_do_not() {
        use EventKind as K;
        let relay = Ruleset::builtin("team-relay").unwrap();
        let policy = StopPolicy::new(&StopFor::Ruleset, InBreaks::Ruleset, &relay);
        assert!(policy.restore_period);
        assert!([K::DoubleMove, K::Takeback, K::DisplacedStone, K::Scattered].into_iter().all(|k| policy.stops(k)));
        // a caution, a notice, and what is no offence
        assert!([K::PressBeforeMove, K::StoneOffPoint, K::Move, K::Unexplained].into_iter().all(|k| !policy.stops(k)));
        assert!(StopPolicy::new(&StopFor::Never, InBreaks::Ruleset, &relay).kinds().is_empty());
        let japan = Ruleset::builtin("japan-korea").unwrap();
        assert!(StopPolicy::new(&StopFor::Ruleset, InBreaks::Ruleset, &japan).kinds().is_empty());
        assert!(StopPolicy::new(&StopFor::Infractions, InBreaks::Ruleset, &japan).stops(K::PressBeforeMove));
        let listed = StopFor::Listed { sanctions: vec![Sanction::Loss], kinds: vec![K::StoneOffPoint] };
        let policy = StopPolicy::new(&listed, InBreaks::Ruleset, &japan);
        assert!(policy.stops(K::StoneOffPoint) && !policy.stops(K::PressBeforeMove));
    }

    #[test]
    fn a_break_stops_our_own_clock_and_others_where_there_are_sections() {
        let stops = |name: &str, in_breaks| {
            let policy = StopPolicy::new(&StopFor::Ruleset, in_breaks, &Ruleset::builtin(name).unwrap());
            (policy.stops_in_breaks(true), policy.stops_in_breaks(false))
        };
        assert_eq!(stops("team-relay", InBreaks::Ruleset), (true, true));
        assert_eq!(stops("cwa", InBreaks::Ruleset), (true, false));
        assert_eq!(stops("cwa", InBreaks::Stop), (true, true));
        assert_eq!(stops("team-relay", InBreaks::Run), (false, false));
    }
}
