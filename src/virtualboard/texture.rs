//! Wood, cloth and laminate, grown from noise once and then looked up.

use super::look::{BoardWood, TableTop};
use super::space::{V3, fractal, noise, smoothstep, srgb, v3};

/// A picture of a flat surface: reflectances, looked up by millimetres.
pub struct Texture {
    width: usize,
    height: usize,
    texels_per_mm: f32,
    origin_mm: [f32; 2],
    /// Square roots of the reflectances, 0 to 255: eight bits are enough where the eye's curve is followed.
    texels: Vec<[u8; 4]>,
}

impl Texture {
    /// Grows a texture over `size_mm` around `centre`, one texel every `texel_mm`. `grow` gets millimetres.
    fn grown(size_mm: [f32; 2], texel_mm: f32, grow: impl Fn(f32, f32) -> V3 + Sync) -> Texture {
        let width = (size_mm[0] / texel_mm).ceil() as usize + 2;
        let height = (size_mm[1] / texel_mm).ceil() as usize + 2;
        let mut texels = vec![[0u8; 4]; width * height];
        let origin = [-size_mm[0] / 2.0, -size_mm[1] / 2.0];
        let half = height.div_ceil(2);
        std::thread::scope(|scope| {
            for (part, rows) in texels.chunks_mut(half * width).enumerate() {
                let grow = &grow;
                scope.spawn(move || {
                    for (i, texel) in rows.iter_mut().enumerate() {
                        let (x, y) = (i % width, part * half + i / width);
                        let c = grow(origin[0] + x as f32 * texel_mm, origin[1] + y as f32 * texel_mm);
                        let root = |v: f32| (v.clamp(0.0, 1.0).sqrt() * 255.0 + 0.5) as u8;
                        *texel = [root(c.x), root(c.y), root(c.z), 0];
                    }
                });
            }
        });
        Texture { width, height, texels_per_mm: 1.0 / texel_mm, origin_mm: origin, texels }
    }

    /// The reflectance at a place; beyond the border the texture goes on mirrored.
    #[inline]
    pub fn at(&self, x_mm: f32, y_mm: f32) -> V3 {
        let mirrored = |v: f32, n: usize| {
            let last = (n - 2) as f32;
            let turn = v.rem_euclid(2.0 * last);
            if turn > last { 2.0 * last - turn } else { turn }
        };
        let u = mirrored((x_mm - self.origin_mm[0]) * self.texels_per_mm, self.width);
        let v = mirrored((y_mm - self.origin_mm[1]) * self.texels_per_mm, self.height);
        let (iu, iv) = (u as usize, v as usize);
        let (fu, fv) = (u - iu as f32, v - iv as f32);
        let i = iv * self.width + iu;
        let (a, b) = (self.texels[i], self.texels[i + 1]);
        let (c, d) = (self.texels[i + self.width], self.texels[i + self.width + 1]);
        let channel = |k: usize| {
            let top = f32::from(a[k]) * (1.0 - fu) + f32::from(b[k]) * fu;
            let bottom = f32::from(c[k]) * (1.0 - fu) + f32::from(d[k]) * fu;
            let root = (top * (1.0 - fv) + bottom * fv) * (1.0 / 255.0);
            root * root
        };
        v3(channel(0), channel(1), channel(2))
    }
}

/// Grain along y. `pale` and `dark` are early and late wood.
fn straight_grain(x: f32, y: f32, pale: V3, dark: V3, ring_mm: f32, sharpness: f32, seed: u32) -> V3 {
    let warp =
        9.0 * (fractal(x * 0.010, y * 0.0016, 3, seed) - 0.5) + 1.1 * (fractal(x * 0.05, y * 0.006, 2, seed + 7) - 0.5);
    let t = x / ring_mm + warp;
    let phase = t - t.floor();
    // slow rise through the early wood, quick fall after the late wood
    let ring = smoothstep(0.05, 0.85, phase) * smoothstep(1.0, 0.86, phase);
    let strength = 0.35 + 0.65 * noise(t.floor() * 3.7, y * 0.002, seed + 31);
    let fibre = fractal(x * 1.4, y * 0.035, 2, seed + 57) - 0.5;
    let cloud = fractal(x * 0.012, y * 0.006, 3, seed + 83) - 0.5;
    let pores = smoothstep(0.76, 0.9, noise(x * 1.9, y * 0.09, seed + 91));
    let mixed = pale.mix(dark, (ring.powf(sharpness) * strength).clamp(0.0, 1.0));
    mixed * (1.0 + 0.16 * fibre + 0.22 * cloud - 0.06 * pores)
}

/// The board's wood over `size_mm`.
pub fn board_wood(wood: BoardWood, tint: V3, size_mm: [f32; 2], texel_mm: f32, seed: u32) -> Texture {
    Texture::grown(size_mm, texel_mm, |x, y| {
        let c = match wood {
            BoardWood::Kaya => straight_grain(x, y, srgb(229, 184, 112), srgb(208, 155, 84), 5.4, 1.6, seed),
            BoardWood::Spruce => straight_grain(x, y, srgb(236, 205, 152), srgb(216, 178, 120), 4.2, 1.8, seed),
            BoardWood::Agathis => straight_grain(x, y, srgb(206, 148, 92), srgb(178, 118, 68), 9.0, 1.2, seed),
            BoardWood::Veneer => {
                let c = straight_grain(x, y, srgb(226, 178, 96), srgb(214, 162, 82), 6.0, 1.5, seed);
                c.mix(srgb(224, 175, 94), 0.5)
            }
            BoardWood::Bamboo => {
                let strip = (x / 19.0).floor();
                let tone = noise(strip * 5.3, 0.0, seed);
                let node_at = noise(strip * 9.1, 3.0, seed + 3) * 260.0;
                let node = ((y + node_at).rem_euclid(260.0) - 130.0).abs();
                let seam = smoothstep(0.55, 0.1, (x / 19.0 - strip - 0.5).abs().mul_add(-19.0, 9.5));
                let fibre = fractal(x * 1.6, y * 0.02, 2, seed + 11) - 0.5;
                let c = srgb(232, 194, 128).mix(srgb(214, 168, 98), tone);
                c * (1.0 + 0.14 * fibre - 0.14 * smoothstep(2.5, 0.5, node) - 0.16 * seam)
            }
        };
        c.times(tint)
    })
}

/// The table's top over `size_mm`, mirrored beyond.
pub fn table_top(table: TableTop, size_mm: [f32; 2], texel_mm: f32, seed: u32) -> Texture {
    Texture::grown(size_mm, texel_mm, |x, y| match table {
        TableTop::Walnut | TableTop::Oak => {
            let (pale, dark) = if table == TableTop::Walnut {
                (srgb(116, 80, 56), srgb(78, 50, 35))
            } else {
                (srgb(200, 164, 118), srgb(168, 128, 84))
            };
            // grain along x, in planks
            let plank = (y / 118.0).floor();
            let shift = noise(plank * 7.7, 1.0, seed) * 900.0;
            let c = straight_grain(y + plank * 37.0, x + shift, pale, dark, 8.5, 1.3, seed + 5);
            let tone = 0.88 + 0.24 * noise(plank * 3.1, 9.0, seed + 1);
            let seam = smoothstep(0.9, 0.2, (y / 118.0 - plank - 0.5).abs().mul_add(-118.0, 59.0));
            c * (tone * (1.0 - 0.45 * seam))
        }
        TableTop::GreenCloth | TableTop::BlueCloth => {
            let base = if table == TableTop::GreenCloth { srgb(26, 92, 58) } else { srgb(38, 62, 104) };
            let weave = 0.5 * (noise(x * 1.1, y * 0.4, seed) + noise(x * 0.4, y * 1.1, seed + 1)) - 0.5;
            let cloud = fractal(x * 0.006, y * 0.006, 3, seed + 2) - 0.5;
            base * (1.0 + 0.5 * weave + 0.25 * cloud)
        }
        TableTop::White | TableTop::Graphite => {
            let base = if table == TableTop::White { srgb(214, 211, 204) } else { srgb(62, 63, 66) };
            let cloud = fractal(x * 0.004, y * 0.004, 3, seed) - 0.5;
            let speck = noise(x * 0.8, y * 0.8, seed + 1) - 0.5;
            base * (1.0 + 0.08 * cloud + 0.05 * speck)
        }
    })
}
