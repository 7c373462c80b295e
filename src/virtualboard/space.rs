//! Vectors, colours and dice: the small change of the renderer.
//!
//! World coordinates in millimetres: x along the columns (right), y along the rows (towards the near side), z up from the
//! board's surface. The frame is left-handed; nothing here uses a cross product.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// A vector of three, for places (mm), directions and linear RGB light alike.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct V3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

pub const fn v3(x: f32, y: f32, z: f32) -> V3 {
    V3 { x, y, z }
}

impl V3 {
    pub const ZERO: V3 = v3(0.0, 0.0, 0.0);
    pub const ONE: V3 = v3(1.0, 1.0, 1.0);

    #[inline]
    pub fn dot(self, o: V3) -> f32 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    #[inline]
    pub fn length(self) -> f32 {
        self.dot(self).sqrt()
    }

    /// Unit vector; the zero vector stays zero.
    #[inline]
    pub fn unit(self) -> V3 {
        let l = self.length();
        if l > 0.0 { self * (1.0 / l) } else { self }
    }

    /// Component by component.
    #[inline]
    pub fn times(self, o: V3) -> V3 {
        v3(self.x * o.x, self.y * o.y, self.z * o.z)
    }

    #[inline]
    pub fn mix(self, o: V3, t: f32) -> V3 {
        self + (o - self) * t
    }

    /// Without its height.
    #[inline]
    pub fn flat(self) -> V3 {
        v3(self.x, self.y, 0.0)
    }
}

impl Add for V3 {
    type Output = V3;
    #[inline]
    fn add(self, o: V3) -> V3 {
        v3(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl AddAssign for V3 {
    #[inline]
    fn add_assign(&mut self, o: V3) {
        *self = *self + o;
    }
}

impl Sub for V3 {
    type Output = V3;
    #[inline]
    fn sub(self, o: V3) -> V3 {
        v3(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl Mul<f32> for V3 {
    type Output = V3;
    #[inline]
    fn mul(self, s: f32) -> V3 {
        v3(self.x * s, self.y * s, self.z * s)
    }
}

impl Neg for V3 {
    type Output = V3;
    #[inline]
    fn neg(self) -> V3 {
        v3(-self.x, -self.y, -self.z)
    }
}

#[inline]
pub fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// 0 below `a`, 1 above `b`, smooth between; `a` may be above `b`.
#[inline]
pub fn smoothstep(a: f32, b: f32, x: f32) -> f32 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A colour as people write it (sRGB, 0 to 255) as linear light.
pub fn srgb(r: u8, g: u8, b: u8) -> V3 {
    let lin = |c: u8| (f32::from(c) / 255.0).powf(2.2);
    v3(lin(r), lin(g), lin(b))
}

/// Mixes the bits of `x`: the ground of all dice, the same on every machine.
#[inline]
pub fn hash64(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Seeded dice (SplitMix64).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice for one matter: `stream` keeps the throws for one matter apart from those for another.
    pub fn new(seed: u64, stream: u64) -> Dice {
        Dice(hash64(seed ^ hash64(stream)))
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        hash64(self.0)
    }

    /// 0 to 1, 1 excluded.
    pub fn unit(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1u64 << 24) as f32
    }

    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// 0 to `n` − 1.
    pub fn below(&mut self, n: usize) -> usize {
        (((self.next_u64() >> 32) * n.max(1) as u64) >> 32) as usize
    }

    pub fn chance(&mut self, probability: f32) -> bool {
        self.unit() < probability
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Normal with mean 0 and deviation 1 (sum of twelve throws: bounded by 6, exact on every machine).
    pub fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() - 6.0
    }
}

#[inline]
fn lattice(ix: i32, iy: i32, seed: u32) -> f32 {
    let mut h =
        (ix as u32).wrapping_mul(0x85eb_ca6b) ^ (iy as u32).wrapping_mul(0xc2b2_ae35) ^ seed.wrapping_mul(0x27d4_eb2f);
    h ^= h >> 15;
    h = h.wrapping_mul(0x2c1b_3c6d);
    h ^= h >> 12;
    h = h.wrapping_mul(0x297a_2d39);
    h ^= h >> 15;
    (h >> 8) as f32 / (1u32 << 24) as f32
}

/// Smooth noise, 0 to 1, features of about 1 unit.
#[inline]
pub fn noise(x: f32, y: f32, seed: u32) -> f32 {
    let (fx, fy) = (x.floor(), y.floor());
    let (ix, iy) = (fx as i32, fy as i32);
    let (u, v) = (x - fx, y - fy);
    let (u, v) = (u * u * (3.0 - 2.0 * u), v * v * (3.0 - 2.0 * v));
    let top = mix(lattice(ix, iy, seed), lattice(ix.wrapping_add(1), iy, seed), u);
    let bottom = mix(lattice(ix, iy.wrapping_add(1), seed), lattice(ix.wrapping_add(1), iy.wrapping_add(1), seed), u);
    mix(top, bottom, v)
}

/// Noise of several octaves, about 0 to 1.
pub fn fractal(x: f32, y: f32, octaves: u32, seed: u32) -> f32 {
    let (mut sum, mut gain, mut total, mut scale) = (0.0, 0.5, 0.0, 1.0);
    for k in 0..octaves {
        sum += gain * noise(x * scale, y * scale, seed.wrapping_add(k * 101));
        total += gain;
        gain *= 0.5;
        scale *= 2.03;
    }
    sum / total
}
