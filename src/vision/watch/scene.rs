//! What happens to the whole scene: another light, something before the board.

use super::blocks::Belongs;
use crate::vision::sighting::{PointReading, Scene};

/// Relative change of a colour's brightness that is told, when it lasts and no hand is in view.
const LIGHT_CHANGE: f32 = 0.18;
const LIGHT_LASTS_MS: u64 = 300;
/// A failing lamp is told no more often than this.
const LIGHT_TOLD_EVERY_MS: u64 = 5000;
/// A board hidden for the most part for this long is told.
const OBSTRUCTED_MS: u64 = 5000;

/// The light, beside that in which the board was settled.
#[derive(Default)]
pub(super) struct Light {
    /// Since when it has been another.
    since: Option<u64>,
    told_ms: Option<u64>,
}

impl Light {
    /// True once the light has changed for good: the board as it now looks is the settled one. `belongs` of the blocks that are
    /// known, `gain` since then. Tells it.
    pub(super) fn changed(
        &mut self,
        belongs: impl Iterator<Item = Belongs>,
        gain: [f32; 3],
        quiet: bool,
        time: u64,
        scene: &mut Vec<Scene>,
    ) -> bool {
        let (mut known, mut other) = (0, 0);
        for b in belongs {
            known += 1;
            other += usize::from(b != Belongs::Board);
        }
        let brightness = gain.iter().map(|g| (g - 1.0).abs()).fold(0.0, f32::max);
        if known < 100 || (brightness < LIGHT_CHANGE && other * 2 < known) {
            self.since = None;
            return false;
        }
        let since = *self.since.get_or_insert(time);
        // a sleeve that makes the camera darken the picture changes no light
        if !quiet || time.saturating_sub(since) < LIGHT_LASTS_MS {
            return false;
        }
        self.since = None;
        if self.told_ms.is_none_or(|t| time.saturating_sub(t) >= LIGHT_TOLD_EVERY_MS) {
            self.told_ms = Some(time);
            scene.push(Scene::LightChanged);
        }
        true
    }

    /// It is another, and that has not been told yet.
    pub(super) fn is_doubtful(&self) -> bool {
        self.since.is_some()
    }
}

/// Something before the board.
#[derive(Default)]
pub(super) struct Obstruction {
    since: Option<u64>,
    told: bool,
}

impl Obstruction {
    /// Tells it when most points have been hidden for long.
    pub(super) fn watch(&mut self, readings: &[PointReading], time: u64, scene: &mut Vec<Scene>) {
        let hidden = readings.iter().filter(|r| r.hidden > 0.5).count();
        if hidden * 10 < readings.len() * 4 {
            *self = Obstruction::default();
            return;
        }
        let since = *self.since.get_or_insert(time);
        if !self.told && time.saturating_sub(since) >= OBSTRUCTED_MS {
            self.told = true;
            scene.push(Scene::Obstructed);
        }
    }
}
