//! From light to bytes, and what a cheap camera does on the way: tone, vignetting, noise, drifting light.

use super::camera::Camera;
use super::look::SensorLook;
use super::space::{Dice, V3, hash64};

/// From linear light to 8 bits: vignetting, a soft shoulder for highlights, white balance, gamma.
pub struct Tone {
    white_balance: V3,
    vignetting: f32,
    centre: [f32; 2],
    inverse_corner2: f32,
    /// By the square root of the light: even steps for the eye.
    curve: Vec<u8>,
}

const CURVE_STEPS: usize = 2048;

impl Tone {
    pub fn new(sensor: &SensorLook, camera: &Camera) -> Tone {
        let centre = [(camera.width as f32 - 1.0) * 0.5, (camera.height as f32 - 1.0) * 0.5];
        // up to 2.25 times white, then clipped
        let curve = (0..=CURVE_STEPS)
            .map(|i| {
                let root = i as f32 / CURVE_STEPS as f32 * 1.5;
                let light = root * root;
                let knee = 0.72;
                let held = if light < knee {
                    light
                } else {
                    knee + (1.0 - knee) * (1.0 - (-(light - knee) / (1.0 - knee)).exp())
                };
                (held.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0 + 0.5) as u8
            })
            .collect();
        Tone {
            white_balance: sensor.white_balance,
            vignetting: sensor.vignetting,
            centre,
            inverse_corner2: 1.0 / (centre[0] * centre[0] + centre[1] * centre[1]),
            curve,
        }
    }

    #[inline]
    pub fn encode(&self, light: V3, x: i32, y: i32) -> [u8; 3] {
        let (dx, dy) = (x as f32 - self.centre[0], y as f32 - self.centre[1]);
        let r2 = (dx * dx + dy * dy) * self.inverse_corner2;
        let gain = 1.0 - self.vignetting * r2 * (0.6 + 0.4 * r2);
        let light = light.times(self.white_balance) * gain;
        let at = |v: f32| self.curve[((v.max(0.0).sqrt() * (CURVE_STEPS as f32 / 1.5)) as usize).min(CURVE_STEPS)];
        [at(light.x), at(light.y), at(light.z)]
    }
}

/// The state of the light and the lens in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exposure {
    /// Gain of the linear light, red, green, blue; 1 is ordinary.
    pub gain: [f32; 3],
    /// Noise relative to ordinary light.
    pub noise: f32,
    /// A hand or cap over the lens: 1 is all dark.
    pub covered: f32,
}

impl Exposure {
    pub const ORDINARY: Exposure = Exposure { gain: [1.0; 3], noise: 1.0, covered: 0.0 };
}

const TILE: usize = 1 << 16;

/// Adds the noise of one frame. The noise comes from a tile with another offset in every row of every frame.
pub struct Grain {
    tile: Vec<i8>,
    deviation: f32,
    seed: u64,
}

impl Grain {
    pub fn new(sensor: &SensorLook, seed: u64) -> Grain {
        let mut dice = Dice::new(seed, 0x6ea1);
        // a third of the noise is common to neighbours: cameras smooth and compress
        let white: Vec<f32> = (0..TILE + 3).map(|_| dice.normal()).collect();
        let tile = (0..TILE)
            .map(|i| {
                ((white[i] * 0.9 + (white[(i + 3) % TILE] + white[(i + TILE - 3) % TILE]) * 0.3) * 32.0)
                    .clamp(-127.0, 127.0) as i8
            })
            .collect();
        Grain { tile, deviation: sensor.noise, seed }
    }

    /// `clean` to `out` (RGB): light's gain, then shot noise (more where it is bright, as seen through the gamma: less) and read noise.
    pub fn expose(&self, clean: &[u8], out: &mut [u8], width: usize, frame: u64, exposure: &Exposure, threads: usize) {
        let mut level = [[0i32; 256]; 3];
        let mut strength = [0i32; 256];
        for v in 0..256usize {
            for c in 0..3 {
                let light = (v as f32 / 255.0).powf(2.2) * exposure.gain[c] * (1.0 - exposure.covered)
                    + exposure.covered * [0.0045, 0.0016, 0.0012][c];
                level[c][v] = (light.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0 * 256.0) as i32;
            }
            let light = (v as f32 / 255.0).powf(2.2) * exposure.gain[1] * (1.0 - exposure.covered);
            // deviation in linear light: shot² ∝ light, read² constant; then through the slope of the gamma
            let linear = (0.012 * light + 0.00022).sqrt() * 0.093;
            let slope = (1.0 / 2.2) * (light + 0.01).powf(1.0 / 2.2 - 1.0);
            let deviation = linear * slope * 255.0 * self.deviation * exposure.noise;
            strength[v] = (deviation.min(40.0) * 8.0) as i32;
        }
        let rows = (clean.len() / (width * 3)).div_ceil(threads.max(1));
        let chunk = rows * width * 3;
        let base = hash64(self.seed ^ hash64(frame ^ 0x0f0f));
        std::thread::scope(|scope| {
            for (part, (clean, out)) in clean.chunks(chunk).zip(out.chunks_mut(chunk)).enumerate() {
                let (level, strength) = (&level, &strength);
                scope.spawn(move || {
                    for (y, (from, to)) in
                        clean.chunks_exact(width * 3).zip(out.chunks_exact_mut(width * 3)).enumerate()
                    {
                        let offset = hash64(base ^ (part * rows + y) as u64) as usize % (TILE - width * 3);
                        let noise = &self.tile[offset..offset + width * 3];
                        for ((f, t), n) in from.chunks_exact(3).zip(to.chunks_exact_mut(3)).zip(noise.chunks_exact(3)) {
                            for c in 0..3 {
                                let v = f[c] as usize;
                                let sum = level[c][v] + i32::from(n[c]) * strength[v] + 128;
                                t[c] = (sum >> 8).clamp(0, 255) as u8;
                            }
                        }
                    }
                });
            }
        });
    }
}
