//! Which lamp is lit when: states by priority, moments, shortest times, silence, reminders. The same for every device with
//! lamps. Pure.

use super::config::LampChannels;
use super::model::{Outlook, Weight};
pub use super::show::{Cue, How, Lamp, Light, ShowMap};

/// Half a period of blinking.
pub const BLINK_MS: u64 = 500;

/// The lamps that are wired, the most urgent first, with their channels.
pub fn wired(channels: LampChannels) -> Vec<(Lamp, u8)> {
    let mut all: Vec<(Lamp, u8)> = channels.wired().collect();
    all.sort_by_key(|(lamp, _)| *lamp);
    all
}

/// How lamps behave, from `[alarms]` and the device's section.
#[derive(Clone, Debug, PartialEq)]
pub struct LightRules {
    pub show: ShowMap,
    /// The states among which one is shown, the most urgent first.
    pub priority: Vec<Cue>,
    /// A lamp other than green stays lit at least so long.
    pub min_on_ms: u64,
    /// No sound for an alarm about one side while the other has the move in byo-yomi: it comes after that.
    pub silent_in_byoyomi: bool,
    /// An infraction that nobody acknowledges sounds again so often; 0: never.
    pub remind_ms: u64,
}

impl LightRules {
    /// The usual ones, the buzzer for `buzzer_ms`.
    pub fn usual(buzzer_ms: u64) -> LightRules {
        LightRules {
            show: ShowMap::usual(buzzer_ms),
            priority: Cue::PRIORITY.to_vec(),
            min_on_ms: 0,
            silent_in_byoyomi: false,
            remind_ms: 0,
        }
    }
}

/// A lamp's state.
#[derive(Clone, Copy, Debug, Default)]
struct Bulb {
    /// What the shown state wants of it, and since when.
    wanted: Option<(How, u64)>,
    pulse_until_ms: u64,
    /// Lit for [`LightRules::min_on_ms`] at least until then.
    hold_until_ms: u64,
}

/// What is to be lit.
#[derive(Clone, Debug)]
pub struct Lights {
    rules: LightRules,
    bulbs: [Bulb; Lamp::ALL.len()],
    shown: Option<Cue>,
    /// Alarms up to this one have sounded.
    sounded: u64,
    /// A sound that waits for the end of somebody's byo-yomi.
    waiting: bool,
    remind_due_ms: Option<u64>,
    /// Moments that were shown: last move, presses, last call.
    moments: Option<(Option<u32>, u64, u64)>,
    all_off: bool,
}

impl Lights {
    /// All dark.
    pub fn new(rules: LightRules) -> Lights {
        Lights {
            rules,
            bulbs: Default::default(),
            shown: None,
            sounded: 0,
            waiting: false,
            remind_due_ms: None,
            moments: None,
            all_off: false,
        }
    }

    /// Takes the newest outlook.
    pub fn show(&mut self, outlook: &Outlook, now_ms: u64) {
        let cue = self.cue(outlook);
        let changed = self.shown.replace(cue) != Some(cue);
        let entry = self.rules.show.get(cue).unwrap_or_default().to_vec();
        if changed {
            for (lamp, bulb) in Lamp::ALL.into_iter().zip(&mut self.bulbs) {
                let light = entry.iter().find(|l| l.lamp == lamp && !matches!(l.how, How::Pulse(_)));
                if bulb.wanted.is_some() && light.is_none() && lamp != Lamp::Green {
                    let since = bulb.wanted.map_or(0, |(_, since)| since);
                    bulb.hold_until_ms = since + self.rules.min_on_ms;
                }
                bulb.wanted =
                    light.map(|l| (l.how, bulb.wanted.filter(|(how, _)| *how == l.how).map_or(now_ms, |(_, s)| s)));
            }
            if let Some(beat) = self.rules.show.get(Cue::Heartbeat) {
                for light in beat {
                    let bulb = &mut self.bulbs[light.lamp as usize];
                    bulb.wanted = bulb.wanted.or(Some((light.how, now_ms)));
                }
            }
        }
        let is_alarm = matches!(cue, Cue::Infraction | Cue::Weighed(_));
        self.sound(outlook, is_alarm, changed, &entry, now_ms);
        self.moments(outlook, now_ms);
    }

    /// The state that is shown: the most urgent of those that hold and have an entry.
    fn cue(&self, outlook: &Outlook) -> Cue {
        let show = &self.rules.show;
        let weighed = outlook.heaviest.map(Cue::Weighed).filter(|c| show.get(*c).is_some());
        let holds = |cue: &&Cue| match cue {
            Cue::ClockStop => outlook.clock.stopped && show.get(Cue::ClockStop).is_some(),
            // without an entry of its own a notice is what attention is
            Cue::Notice => outlook.active.contains(&Cue::Notice) && show.get(Cue::Notice).is_some(),
            Cue::Attention => {
                outlook.active.contains(&Cue::Attention)
                    || outlook.active.contains(&Cue::Notice) && show.get(Cue::Notice).is_none()
            }
            cue => outlook.active.contains(cue),
        };
        match self.rules.priority.iter().find(holds) {
            Some(Cue::Infraction) => weighed.unwrap_or(Cue::Infraction),
            Some(cue) => *cue,
            None => Cue::Idle,
        }
    }

    /// Pulses: of a new infraction each time, of another state when it begins.
    fn sound(&mut self, outlook: &Outlook, is_alarm: bool, changed: bool, entry: &[Light], now_ms: u64) {
        let new = |number: u64| number > self.sounded;
        let fresh: Vec<_> = outlook
            .alarms
            .iter()
            .filter(|a| {
                new(a.number) && a.weight == Weight::Infraction && !a.old && !a.acknowledged && a.closed.is_none()
            })
            .collect();
        // an alarm about the player in byo-yomi himself may sound: he has stopped thinking
        let disturbs = self.rules.silent_in_byoyomi
            && outlook.clock.in_byoyomi.is_some_and(|c| fresh.iter().all(|a| a.color != Some(c)));
        self.sounded = outlook.alarms.iter().map(|a| a.number).max().unwrap_or(0).max(self.sounded);
        if !is_alarm {
            self.waiting = false;
            self.remind_due_ms = None;
            if changed {
                self.bulbs[Lamp::Buzzer as usize].pulse_until_ms = 0;
                self.pulse(entry, now_ms);
            }
            return;
        }
        if (!fresh.is_empty() || self.waiting) && self.rules.remind_ms > 0 {
            self.remind_due_ms = Some(now_ms + self.rules.remind_ms);
        }
        if !fresh.is_empty() && disturbs {
            self.waiting = true;
            self.pulse(&entry.iter().copied().filter(|l| l.lamp != Lamp::Buzzer).collect::<Vec<_>>(), now_ms);
        } else if !fresh.is_empty() || self.waiting && outlook.clock.in_byoyomi.is_none() {
            self.waiting = false;
            self.pulse(entry, now_ms);
        }
    }

    fn moments(&mut self, outlook: &Outlook, now_ms: u64) {
        let now = (
            outlook.last_move.map(|m| m.number),
            outlook.clock.presses,
            outlook.clock.say.as_ref().map_or(0, |s| s.number),
        );
        // what was before the start is no moment
        let Some(before) = self.moments.replace(now) else { return };
        let passed = [(before.0 != now.0, Cue::Move), (before.1 != now.1, Cue::Press), (before.2 != now.2, Cue::Call)];
        for (_, cue) in passed.into_iter().filter(|(passed, _)| *passed) {
            let entry = self.rules.show.get(cue).unwrap_or_default().to_vec();
            self.pulse(&entry, now_ms);
        }
    }

    fn pulse(&mut self, entry: &[Light], now_ms: u64) {
        for light in entry {
            if let How::Pulse(ms) = light.how {
                let bulb = &mut self.bulbs[light.lamp as usize];
                bulb.pulse_until_ms = bulb.pulse_until_ms.max(now_ms + ms);
            }
        }
    }

    /// Does what the time brings: reminders. Call before [`Lights::is_lit`].
    pub fn tick(&mut self, now_ms: u64) {
        if self.remind_due_ms.is_some_and(|due| now_ms >= due) {
            self.remind_due_ms = Some(now_ms + self.rules.remind_ms.max(1000));
            let entry = self.shown.and_then(|cue| self.rules.show.get(cue)).unwrap_or_default().to_vec();
            if !self.waiting {
                self.pulse(&entry, now_ms);
            }
        }
    }

    /// Everything dark from now on.
    pub fn all_off(&mut self) {
        self.all_off = true;
    }

    /// A lamp's state.
    pub fn is_lit(&self, lamp: Lamp, now_ms: u64) -> bool {
        let bulb = &self.bulbs[lamp as usize];
        let wanted = match bulb.wanted {
            Some((How::Blink, since)) => (now_ms.saturating_sub(since) / BLINK_MS).is_multiple_of(2),
            Some(_) => true,
            None => now_ms < bulb.hold_until_ms,
        };
        !self.all_off && self.shown.is_some() && (wanted || now_ms < bulb.pulse_until_ms)
    }

    /// What a lamp is to do, for devices that blink by themselves.
    pub fn is_blinking(&self, lamp: Lamp) -> bool {
        !self.all_off && matches!(self.bulbs[lamp as usize].wanted, Some((How::Blink, _)))
    }

    /// When a lamp changes by itself.
    pub fn next_change_ms(&self, now_ms: u64) -> Option<u64> {
        let bulbs = self.bulbs.iter().flat_map(|bulb| {
            let blink = match bulb.wanted {
                Some((How::Blink, since)) => Some(since + (now_ms.saturating_sub(since) / BLINK_MS + 1) * BLINK_MS),
                _ => None,
            };
            [blink, Some(bulb.pulse_until_ms), Some(bulb.hold_until_ms)]
        });
        bulbs.flatten().chain(self.remind_due_ms).filter(|&ms| ms > now_ms).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Event, EventKind, Interval};
    use crate::rules::Color;
    use crate::signal::model::Model;

    fn event(seq: u64, kind: EventKind) -> Event {
        Event { seq, ..Event::new(kind, Interval::default(), 0, 1.0) }
    }

    fn lit(lights: &mut Lights, now_ms: u64) -> Vec<&'static str> {
        lights.tick(now_ms);
        Lamp::ALL.into_iter().filter(|l| lights.is_lit(*l, now_ms)).map(Lamp::name).collect()
    }

    fn rules(show: &str) -> LightRules {
        let mut rules = LightRules::usual(1000);
        rules.show = rules.show.with(&toml::from_str(show).unwrap());
        rules
    }

    #[test]
    fn blinking_heartbeat_and_moments() {
        let show = "infraction = [\"red blink\", \"buzzer 300\"]\nheartbeat = [\"blue blink\"]\nmove = [\"white 200\"]";
        let mut lights = Lights::new(rules(show));
        let mut model = Model::new(true);
        lights.show(&model.outlook(), 0);
        assert_eq!(lit(&mut lights, 10), ["blue", "green"]);
        assert_eq!(lit(&mut lights, 510), ["green"], "the heart beats");
        let mut played = event(1, EventKind::Move);
        (played.move_number, played.color) = (Some(1), Some(Color::Black));
        model.apply(&played, false);
        lights.show(&model.outlook(), 1000);
        assert_eq!(lit(&mut lights, 1001), ["blue", "white", "green"]);
        assert_eq!(lights.next_change_ms(1001), Some(1200));
        assert_eq!(lit(&mut lights, 1200), ["blue", "green"]);
        model.apply(&event(2, EventKind::DoubleMove), false);
        lights.show(&model.outlook(), 2000);
        assert_eq!(lit(&mut lights, 2001), ["red", "buzzer", "blue"]);
        assert!(lights.is_blinking(Lamp::Red));
        assert_eq!(lit(&mut lights, 2501), [""; 0]);
        assert_eq!(lit(&mut lights, 3001), ["red", "blue"]);
    }

    #[test]
    fn priorities_are_configurable_and_weights_have_entries() {
        let ruleset = crate::rules::Ruleset::builtin("team-relay").unwrap();
        let mut model = Model::new(true).weighed(&ruleset);
        let mut rules = rules("infraction_caution = [\"amber blink\"]");
        let mut lights = Lights::new(rules.clone());
        model.apply(&event(1, EventKind::PressBeforeMove), false);
        lights.show(&model.outlook(), 0);
        assert_eq!(lit(&mut lights, 1), ["amber"], "a caution");
        model.apply(&event(2, EventKind::DoubleMove), false);
        lights.show(&model.outlook(), 10);
        assert_eq!(lit(&mut lights, 11), ["red", "buzzer"], "the heavier decides");
        model.apply(&event(3, EventKind::SourceLost), false);
        rules.priority = vec![Cue::Fault, Cue::Infraction, Cue::Attention, Cue::Idle];
        let mut lights = Lights::new(rules);
        lights.show(&model.outlook(), 20);
        assert_eq!(lit(&mut lights, 2000), ["red", "amber"], "the fault first");
    }

    #[test]
    fn a_lamp_stays_lit_for_its_shortest_time() {
        let mut lights = Lights::new(LightRules { min_on_ms: 800, ..LightRules::usual(0) });
        let mut model = Model::new(false);
        lights.show(&model.outlook(), 0);
        model.apply(&event(1, EventKind::DoubleMove), false);
        lights.show(&model.outlook(), 1000);
        model.apply(&Event { of: Some(1), ..event(2, EventKind::Repaired) }, false);
        lights.show(&model.outlook(), 1100);
        assert_eq!(lit(&mut lights, 1700), ["red", "green"], "nobody overlooks it");
        assert_eq!(lights.next_change_ms(1700), Some(1800));
        assert_eq!(lit(&mut lights, 1800), ["green"]);
    }

    #[test]
    fn no_sound_in_the_others_byoyomi_but_light_at_once() {
        let mut lights = Lights::new(LightRules { silent_in_byoyomi: true, ..LightRules::usual(1000) });
        let mut model = Model::new(true);
        let mut outlook = model.outlook();
        outlook.clock.in_byoyomi = Some(Color::White);
        lights.show(&outlook, 0);
        model.apply(&Event { color: Some(Color::Black), ..event(1, EventKind::MissedCapture) }, false);
        let mut outlook = model.outlook();
        outlook.clock.in_byoyomi = Some(Color::White);
        lights.show(&outlook, 100);
        assert_eq!(lit(&mut lights, 110), ["red"]);
        outlook.clock.in_byoyomi = None;
        lights.show(&outlook, 5000);
        assert_eq!(lit(&mut lights, 5010), ["red", "buzzer"], "it comes when he has played");
        lights.show(&outlook, 9000);
        assert_eq!(lit(&mut lights, 9010), ["red"]);
        // about the player in byo-yomi himself: at once
        model.apply(&Event { color: Some(Color::White), ..event(2, EventKind::DoubleMove) }, false);
        let mut outlook = model.outlook();
        outlook.clock.in_byoyomi = Some(Color::White);
        lights.show(&outlook, 10_000);
        assert_eq!(lit(&mut lights, 10_010), ["red", "buzzer"]);
    }

    #[test]
    fn an_alarm_that_nobody_acknowledges_sounds_again() {
        let mut lights = Lights::new(LightRules { remind_ms: 10_000, ..LightRules::usual(500) });
        let mut model = Model::new(true);
        lights.show(&model.outlook(), 0);
        model.apply(&event(1, EventKind::DoubleMove), false);
        lights.show(&model.outlook(), 100);
        assert_eq!(lit(&mut lights, 700), ["red"]);
        assert_eq!(lights.next_change_ms(700), Some(10_100));
        assert_eq!(lit(&mut lights, 10_100), ["red", "buzzer"]);
        assert_eq!(lit(&mut lights, 20_100), ["red", "buzzer"]);
        model.acknowledge(Some(1));
        lights.show(&model.outlook(), 20_200);
        assert_eq!(lit(&mut lights, 20_300), ["amber"], "silent at once");
        assert_eq!(lit(&mut lights, 40_000), ["amber"]);
        // armed again: the next one sounds
        model.apply(&event(2, EventKind::Takeback), false);
        lights.show(&model.outlook(), 50_000);
        assert_eq!(lit(&mut lights, 50_001), ["red", "buzzer"]);
    }
}
