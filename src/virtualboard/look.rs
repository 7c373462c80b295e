//! How everything looks: woods, cloths, stones, lights, people. Chosen by a seed or by name.

use serde::{Deserialize, Serialize};

use super::BoardGeometry;
use super::space::{Dice, V3, srgb, v3};

/// What the board is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoardWood {
    /// Golden, straight and fine grain.
    Kaya,
    /// Pale.
    Spruce,
    /// Strips with nodes.
    Bamboo,
    /// Reddish brown.
    Agathis,
    /// Printed, even, yellow.
    Veneer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableTop {
    Walnut,
    Oak,
    GreenCloth,
    BlueCloth,
    /// Plain light laminate.
    White,
    /// Plain dark laminate.
    Graphite,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lights {
    /// Two broad ceiling lamps.
    Ceiling,
    /// A window at the left, low and cool.
    Window,
    /// Two hard, warm spots.
    Spots,
    /// Even light from everywhere.
    Overcast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoneMaterial {
    SlateAndShell,
    Glass,
    /// Dull, even, light.
    Plastic,
}

/// Which look, as a script says it: what is not named, the seed chooses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LookChoice {
    pub seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<BoardWood>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<TableTop>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lights: Option<Lights>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stones: Option<StoneMaterial>,
    /// Skin of Black's and White's hand, 0 (very light) to 1 (very dark).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skin: Option<[f32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bowls: Option<bool>,
    /// JPEG quality (1 to 100) that every frame is put through; off when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jpeg_quality: Option<u8>,
    /// 1: an ordinary webcam; 0: no noise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<f32>,
}

/// A far area lamp.
#[derive(Clone, Copy, Debug)]
pub struct Lamp {
    /// Unit vector towards it.
    pub towards: V3,
    pub light: V3,
    /// Half of its angle as seen from the board, as a tangent.
    pub spread: f32,
}

#[derive(Clone, Copy, Debug)]
pub struct StoneLook {
    pub material: StoneMaterial,
    pub diameter_mm: f32,
    pub height_mm: f32,
    pub black: V3,
    pub white: V3,
    pub gloss: f32,
    /// Deviation of a stone's place from its point, in pitches.
    pub offset_pitches: f32,
}

#[derive(Clone, Copy, Debug)]
pub struct BowlLook {
    pub colour: V3,
    pub gloss: f32,
    pub radius_mm: f32,
    pub height_mm: f32,
}

/// What the sensor and the room do to a frame.
#[derive(Clone, Copy, Debug)]
pub struct SensorLook {
    /// Deviation of the noise at middle grey, in 8-bit steps.
    pub noise: f32,
    /// Loss of light in the corners, 0 to 1.
    pub vignetting: f32,
    /// Gains of red, green, blue.
    pub white_balance: V3,
    /// Size of the slow changes of the light, 0 to 1.
    pub drift: f32,
    /// Blur by focus and lens: part of a pixel's light that its neighbours get, 0 to 0.5.
    pub defocus: f32,
    pub jpeg_quality: Option<u8>,
}

#[derive(Clone, Copy, Debug)]
pub struct Person {
    pub skin: V3,
    pub sleeve: V3,
    /// 0.9 small hand, 1.1 large.
    pub hand_scale: f32,
    pub seed: u32,
}

/// Everything that is chosen before the first frame.
#[derive(Clone, Debug)]
pub struct Look {
    pub geometry: BoardGeometry,
    pub wood: BoardWood,
    pub wood_tint: V3,
    pub table: TableTop,
    pub lamps: Vec<Lamp>,
    pub ambient: V3,
    pub stones: StoneLook,
    pub bowls: Option<BowlLook>,
    pub clock: bool,
    /// Black, White.
    pub people: [Person; 2],
    pub sensor: SensorLook,
    /// Of grain, of where furniture stands, of every stone's own character.
    pub seed: u64,
}

impl Look {
    /// Any look, by the seed alone.
    pub fn seeded(size: u8, seed: u64) -> Look {
        Look::chosen(size, &LookChoice { seed, ..LookChoice::default() })
    }

    /// What is named in `choice`, the rest by its seed.
    pub fn chosen(size: u8, choice: &LookChoice) -> Look {
        use BoardWood::*;
        let seed = choice.seed;
        let mut dice = Dice::new(seed, 0x100c);
        let wood = choice.board.unwrap_or(*dice.pick(&[Kaya, Kaya, Spruce, Bamboo, Agathis, Veneer]));
        let table = {
            use TableTop::*;
            choice.table.unwrap_or(*dice.pick(&[Walnut, Walnut, Oak, GreenCloth, BlueCloth, White, Graphite]))
        };
        let material = {
            use StoneMaterial::*;
            choice.stones.unwrap_or(*dice.pick(&[SlateAndShell, SlateAndShell, Glass, Plastic]))
        };
        let kind = {
            use Lights::*;
            choice.lights.unwrap_or(*dice.pick(&[Ceiling, Ceiling, Window, Spots, Overcast]))
        };
        let across = dice.between(22.0, 23.0);
        let along = dice.between(23.7, 24.0).max(across);
        let geometry = BoardGeometry {
            size,
            pitch_mm: [across, along],
            margin_mm: dice.between(12.5, 16.0),
            thickness_mm: *dice.pick(&[18.0, 20.0, 28.0, 36.0, 45.0]),
            line_mm: dice.between(0.8, 1.1),
            star_mm: dice.between(3.8, 4.6),
        };
        let (lamps, ambient) = lighting(kind, &mut dice);
        let stones = StoneLook {
            material,
            diameter_mm: across - dice.between(0.1, 0.6),
            height_mm: dice.between(7.5, 9.5),
            black: match material {
                StoneMaterial::SlateAndShell => v3(0.022, 0.023, 0.026),
                StoneMaterial::Glass => v3(0.010, 0.010, 0.012),
                StoneMaterial::Plastic => v3(0.030, 0.030, 0.031),
            },
            white: match material {
                StoneMaterial::SlateAndShell => v3(0.80, 0.775, 0.715),
                StoneMaterial::Glass => v3(0.80, 0.81, 0.80),
                StoneMaterial::Plastic => v3(0.77, 0.77, 0.74),
            },
            gloss: match material {
                StoneMaterial::SlateAndShell => 0.55,
                StoneMaterial::Glass => 1.0,
                StoneMaterial::Plastic => 0.4,
            },
            offset_pitches: dice.between(0.03, 0.06),
        };
        let bowl = BowlLook {
            colour: *dice.pick(&[
                srgb(92, 44, 24),
                srgb(128, 74, 40),
                srgb(30, 27, 26),
                srgb(186, 142, 84),
                srgb(70, 38, 26),
            ]),
            gloss: dice.between(0.3, 0.9),
            radius_mm: dice.between(64.0, 72.0),
            height_mm: dice.between(78.0, 92.0),
        };
        let has_bowls = choice.bowls.unwrap_or(true);
        let clock = choice.clock.unwrap_or(dice.chance(0.75));
        let tones = choice.skin.unwrap_or([dice.unit() * 0.9, dice.unit() * 0.9]);
        let sleeves = [
            srgb(44, 62, 98),
            srgb(96, 98, 104),
            srgb(120, 38, 40),
            srgb(36, 76, 60),
            srgb(216, 214, 206),
            srgb(40, 40, 46),
            srgb(150, 124, 84),
        ];
        let mut person = |tone: f32| Person {
            skin: skin(tone),
            sleeve: *dice.pick(&sleeves),
            hand_scale: dice.between(0.93, 1.05),
            seed: dice.next_u64() as u32,
        };
        let people = [person(tones[0]), person(tones[1])];
        let noise = choice.noise.unwrap_or(1.0);
        let sensor = SensorLook {
            noise: dice.between(1.2, 2.2) * noise,
            vignetting: dice.between(0.1, 0.3),
            white_balance: v3(dice.between(0.95, 1.06), 1.0, dice.between(0.93, 1.06)),
            drift: dice.between(0.004, 0.015) * noise.min(1.0),
            defocus: dice.between(0.16, 0.3),
            jpeg_quality: choice.jpeg_quality,
        };
        let tint = dice.between(0.92, 1.06);
        Look {
            geometry,
            wood,
            wood_tint: v3(tint, tint * dice.between(0.98, 1.02), tint * dice.between(0.94, 1.04)),
            table,
            lamps,
            ambient,
            stones,
            bowls: has_bowls.then_some(bowl),
            clock,
            people,
            sensor,
            seed,
        }
    }
}

impl Look {
    /// For people.
    pub fn describe(&self, width: u32, height: u32) -> String {
        let name = |v: serde_json::Result<String>| v.unwrap_or_default().trim_matches('"').replace('_', " ");
        format!(
            "{} board, {} stones, {} table, {} lamp(s), {width}x{height}",
            name(serde_json::to_string(&self.wood)),
            name(serde_json::to_string(&self.stones.material)),
            name(serde_json::to_string(&self.table)),
            self.lamps.len(),
        )
    }
}

/// Skin from very light (0) to very dark (1), in linear light.
pub fn skin(tone: f32) -> V3 {
    let steps = [srgb(240, 202, 178), srgb(226, 178, 146), srgb(198, 144, 108), srgb(148, 98, 68), srgb(92, 58, 42)];
    let at = tone.clamp(0.0, 1.0) * (steps.len() - 1) as f32;
    let i = (at as usize).min(steps.len() - 2);
    steps[i].mix(steps[i + 1], at - i as f32)
}

/// Lamps and ambient light such that a white sheet on the table gets about 1 in each colour.
fn lighting(kind: Lights, dice: &mut Dice) -> (Vec<Lamp>, V3) {
    let towards = |azimuth_deg: f32, elevation_deg: f32| {
        let (a, e) = (azimuth_deg.to_radians(), elevation_deg.to_radians());
        v3(a.sin() * e.cos(), a.cos() * e.cos(), e.sin())
    };
    let turn = dice.between(-25.0, 25.0);
    let (mut lamps, mut ambient) = match kind {
        Lights::Ceiling => (
            vec![
                Lamp { towards: towards(-140.0 + turn, 62.0), light: v3(1.0, 0.97, 0.92) * 0.62, spread: 0.16 },
                Lamp { towards: towards(60.0 + turn, 66.0), light: v3(1.0, 0.96, 0.90) * 0.34, spread: 0.2 },
            ],
            v3(0.36, 0.36, 0.36),
        ),
        Lights::Window => (
            vec![Lamp { towards: towards(-100.0 + turn, 40.0), light: v3(0.98, 1.0, 1.04), spread: 0.22 }],
            v3(0.34, 0.335, 0.33),
        ),
        Lights::Spots => (
            vec![
                Lamp { towards: towards(-150.0 + turn, 58.0), light: v3(1.0, 0.94, 0.84) * 0.7, spread: 0.05 },
                Lamp { towards: towards(110.0 + turn, 50.0), light: v3(1.0, 0.93, 0.83) * 0.5, spread: 0.05 },
            ],
            v3(0.20, 0.195, 0.185),
        ),
        Lights::Overcast => (
            vec![Lamp { towards: towards(-120.0 + turn, 70.0), light: v3(0.97, 1.0, 1.03) * 0.35, spread: 0.45 }],
            v3(0.62, 0.63, 0.645),
        ),
    };
    let level = dice.between(0.82, 0.98);
    let total: f32 = ambient.y + lamps.iter().map(|l| l.light.y * l.towards.z).sum::<f32>();
    let scale = level / total;
    ambient = ambient * scale;
    for lamp in &mut lamps {
        lamp.light = lamp.light * scale;
    }
    (lamps, ambient)
}
