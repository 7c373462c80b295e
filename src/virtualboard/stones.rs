//! Lens-shaped stones: how one is lit, drawn and casts its shadow.

use crate::rules::Color;

use super::camera::Camera;
use super::look::{Look, StoneMaterial};
use super::space::{V3, hash64, mix, noise, smoothstep, v3};

/// A stone that lies somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stone {
    /// Its own number: twist, shell lines and size hang on it.
    pub id: u32,
    pub color: Color,
    /// Where its middle touches the ground, world mm.
    pub place: V3,
}

/// A stone's own measures.
#[derive(Clone, Copy, Debug)]
pub struct StoneShape {
    pub radius: f32,
    pub half_height: f32,
    pub twist: f32,
}

impl Stone {
    pub fn shape(&self, look: &Look) -> StoneShape {
        let h = hash64(look.seed ^ (u64::from(self.id) << 20) ^ 0x57_0e);
        let unit = |k: u32| ((h >> (k * 16)) & 0xffff) as f32 / 65535.0;
        StoneShape {
            radius: look.stones.diameter_mm * 0.5 * (1.0 + 0.016 * (unit(0) - 0.5)),
            half_height: look.stones.height_mm * 0.5 * (1.0 + 0.07 * (unit(1) - 0.5)),
            twist: unit(2) * std::f32::consts::TAU,
        }
    }
}

/// Light that comes off a stone's surface. `normal` and `view` (towards the camera) are unit vectors; `at` is the place on the
/// unit disc; `openness` 0 to 1 is how much of the surroundings the place sees.
pub fn stone_light(
    look: &Look,
    stone: &Stone,
    shape: &StoneShape,
    normal: V3,
    view: V3,
    at: [f32; 2],
    openness: f32,
) -> V3 {
    let s = &look.stones;
    let white = stone.color == Color::White;
    let mut albedo = if white { s.white } else { s.black };
    if s.material == StoneMaterial::SlateAndShell {
        let (sin, cos) = shape.twist.sin_cos();
        let (u, v) = (at[0] * cos - at[1] * sin, at[0] * sin + at[1] * cos);
        if white {
            // growth lines: bent, uneven, faint
            let bend = u + 0.16 * v * v;
            let line = noise(bend * 15.0 + stone.id as f32 * 3.0, v * 0.7, stone.id);
            let tone = noise(stone.id as f32 * 1.7, 0.3, 77) - 0.5;
            albedo = albedo * (1.0 - 0.075 * smoothstep(0.45, 0.95, line) + 0.03 * tone);
            albedo.z *= 1.0 - 0.04 * (noise(stone.id as f32 * 2.3, 0.7, 78) - 0.3);
        } else {
            albedo = albedo * (0.9 + 0.25 * noise(u * 4.0, v * 4.0, stone.id));
        }
    }
    // the sky above, the board's warm bounce below
    let up = normal.z * 0.5 + 0.5;
    let bounce = v3(0.34, 0.26, 0.16);
    let mut light = look.ambient.times(V3::ONE * up + bounce * (1.0 - up)) * openness;
    let mut shine = V3::ZERO;
    let facing = normal.dot(view).max(0.0);
    let fresnel = 0.04 + 0.5 * (1.0 - facing).powi(5);
    let mirror = normal * (2.0 * normal.dot(view)) - view;
    for lamp in &look.lamps {
        let n_l = normal.dot(lamp.towards);
        // shell lets a little light through
        let wrap = if white { 0.22 } else { 0.05 };
        light += lamp.light * (((n_l + wrap) / (1.0 + wrap)).max(0.0) * mix(openness, 1.0, 0.4));
        if n_l > 0.0 {
            let off = (1.0 - mirror.dot(lamp.towards)).max(0.0);
            // a lamp's own mirrored disc, and the bloom of a surface that is not quite smooth
            let disc = lamp.spread * lamp.spread * 0.5;
            let core = smoothstep(disc * 2.6 + 0.004, disc * 0.5, off);
            let bloom = (-off * 26.0).exp() * 0.30 + (-off * 6.0).exp() * 0.07;
            let strength = if white { 0.35 } else { 0.62 };
            shine += lamp.light * ((core * s.gloss * 0.75 + bloom * (0.35 + 0.65 * s.gloss)) * strength);
        }
    }
    let room = smoothstep(-0.1, 0.9, mirror.z);
    shine += look.ambient * (room * fresnel * (0.4 + s.gloss));
    albedo.times(light) + shine
}

/// A patch of the picture in linear light, being painted.
pub struct Patch<'a> {
    pub x0: i32,
    pub y0: i32,
    pub x1: i32,
    pub y1: i32,
    pub pixels: &'a mut [V3],
    /// Where the line of sight of each pixel of the patch meets the board's surface (world mm).
    pub ground: &'a [[f32; 2]],
}

impl Patch<'_> {
    fn index(&self, x: i32, y: i32) -> usize {
        ((y - self.y0) * (self.x1 - self.x0) + x - self.x0) as usize
    }
}

/// Pixels [x0, y0, x1, y1] (x1, y1 excluded) that a stone itself covers; may lie outside of the picture.
pub fn stone_box(camera: &Camera, look: &Look, stone: &Stone) -> [i32; 4] {
    let shape = stone.shape(look);
    let middle = stone.place + v3(0.0, 0.0, shape.half_height);
    let p = [f64::from(middle.x), f64::from(middle.y), f64::from(middle.z)];
    let depth = camera.depth(p).max(10.0);
    let Some(at) = camera.project(p) else { return [0, 0, 0, 0] };
    let r = f64::from(shape.radius) * camera.focal_px / depth * 1.15 + 2.0;
    [
        (at[0] - r).floor() as i32,
        (at[1] - r).floor() as i32,
        (at[0] + r).ceil() as i32 + 1,
        (at[1] + r).ceil() as i32 + 1,
    ]
}

/// How far a stone's shadow reaches from its middle, mm.
fn shadow_reach(look: &Look, shape: &StoneShape) -> f32 {
    let lean = look.lamps.iter().map(|l| l.towards.flat().length() / l.towards.z.max(0.2)).fold(0.0, f32::max);
    shape.radius * 1.7 + shape.half_height * 2.0 * (lean + 0.6)
}

/// Pixels that a stone and its shadow may change.
pub fn influence_box(camera: &Camera, look: &Look, stone: &Stone) -> [i32; 4] {
    let mut b = stone_box(camera, look, stone);
    let reach = f64::from(shadow_reach(look, &stone.shape(look)));
    for (sx, sy) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
        let p =
            [f64::from(stone.place.x) + sx * reach, f64::from(stone.place.y) + sy * reach, f64::from(stone.place.z)];
        if let Some(at) = camera.project(p) {
            b[0] = b[0].min(at[0].floor() as i32 - 1);
            b[1] = b[1].min(at[1].floor() as i32 - 1);
            b[2] = b[2].max(at[0].ceil() as i32 + 2);
            b[3] = b[3].max(at[1].ceil() as i32 + 2);
        }
    }
    b
}

/// Darkens the ground around a stone: where its body hides the lamps, and where it stands close.
pub fn cast_shadow(patch: &mut Patch<'_>, camera: &Camera, look: &Look, stone: &Stone) {
    let shape = stone.shape(look);
    let b = influence_box(camera, look, stone);
    let (x0, y0) = (b[0].max(patch.x0), b[1].max(patch.y0));
    let (x1, y1) = (b[2].min(patch.x1), b[3].min(patch.y1));
    if x0 >= x1 || y0 >= y1 {
        return;
    }
    struct Cast {
        centre: [f32; 2],
        axis: [f32; 2],
        long: f32,
        soft: f32,
        light: V3,
    }
    let casts: Vec<Cast> = look
        .lamps
        .iter()
        .map(|lamp| {
            let flat = lamp.towards.flat();
            let lean = flat.length() / lamp.towards.z.max(0.2);
            let axis = flat.unit();
            let h = shape.half_height;
            Cast {
                centre: [stone.place.x - axis.x * lean * h, stone.place.y - axis.y * lean * h],
                axis: [axis.x, axis.y],
                long: shape.radius.hypot(h * lean) / shape.radius,
                soft: (0.10 + 1.6 * lamp.spread * h / shape.radius * 2.0).min(0.9),
                light: lamp.light * lamp.towards.z,
            }
        })
        .collect();
    let total = casts.iter().fold(look.ambient, |sum, c| sum + c.light);
    let inverse = v3(1.0 / total.x, 1.0 / total.y, 1.0 / total.z);
    let r = shape.radius;
    // for things that lie on the table the ground is lower than the board; what is drawn there moves with the line of sight
    for y in y0..y1 {
        for x in x0..x1 {
            let i = patch.index(x, y);
            let g = patch.ground[i];
            let (dx, dy) = (g[0] - stone.place.x, g[1] - stone.place.y);
            let d = (dx * dx + dy * dy).sqrt() / r;
            // ambient light: hidden most where the lens's flank overhangs the ground
            let close = 0.62 * (1.0 - smoothstep(0.62, 1.55, d));
            let mut left = look.ambient * (1.0 - close);
            for c in &casts {
                let (ex, ey) = (g[0] - c.centre[0], g[1] - c.centre[1]);
                let a = (ex * c.axis[0] + ey * c.axis[1]) / c.long;
                let o = ex * c.axis[1] - ey * c.axis[0];
                let q = (a * a + o * o).sqrt() / r;
                let shade = 1.0 - smoothstep(0.97 - c.soft, 0.97 + c.soft, q);
                left += c.light * (1.0 - 0.93 * shade);
            }
            patch.pixels[i] = patch.pixels[i].times(left.times(inverse));
        }
    }
}

/// What a line of sight finds of a stone.
pub struct StoneHit {
    /// Distance along `d`.
    pub t: f32,
    /// 0 to 1: how much of the pixel it fills.
    pub coverage: f32,
    pub normal: V3,
    /// Place on the unit disc.
    pub at: [f32; 2],
    /// −1 at the bottom, 1 at the top.
    pub level: f32,
}

/// Meets the line of sight `o + t d` with a lens whose middle is `centre`; `pixel_mm` is the width of a pixel there.
#[inline]
pub fn meet_stone(o: V3, d: V3, centre: V3, shape: &StoneShape, pixel_mm: f32) -> Option<StoneHit> {
    let (ir, ih) = (1.0 / shape.radius, 1.0 / shape.half_height);
    let scale = v3(ir, ir, ih);
    let p = (o - centre).times(scale);
    let e = d.times(scale);
    let (a, b) = (e.dot(e), p.dot(e));
    let nearest = p + e * (-b / a);
    let gap2 = nearest.dot(nearest);
    // a pixel's width in the stretched space, across the silhouette there
    let lean = (nearest.x * nearest.x + nearest.y * nearest.y) * ir * ir + nearest.z * nearest.z * ih * ih;
    let width = pixel_mm * (lean / gap2.max(1e-6)).sqrt();
    let gap = gap2.sqrt();
    let coverage = ((1.0 - gap) / width + 0.5).clamp(0.0, 1.0);
    if coverage <= 0.0 {
        return None;
    }
    let root = (b * b - a * (p.dot(p) - 1.0)).max(0.0).sqrt();
    let t = (-b - root) / a;
    if t <= 0.0 {
        return None;
    }
    let mut hit = p + e * t;
    if root == 0.0 {
        hit = nearest * (1.0 / gap);
    }
    Some(StoneHit { t, coverage, normal: hit.times(scale).unit(), at: [hit.x, hit.y], level: hit.z })
}

/// Draws a stone over what is there.
pub fn draw_stone(patch: &mut Patch<'_>, camera: &Camera, look: &Look, stone: &Stone) {
    let shape = stone.shape(look);
    let centre = stone.place + v3(0.0, 0.0, shape.half_height);
    let b = stone_box(camera, look, stone);
    let (x0, y0) = (b[0].max(patch.x0), b[1].max(patch.y0));
    let (x1, y1) = (b[2].min(patch.x1), b[3].min(patch.y1));
    let o = camera.position();
    let pixel_mm = (centre - o).dot(camera.axes()[2]) / camera.focal_px as f32;
    for y in y0..y1 {
        for x in x0..x1 {
            let d = camera.sight(x as f32, y as f32);
            if let Some(hit) = meet_stone(o, d, centre, &shape, pixel_mm) {
                let openness = 0.45 + 0.55 * smoothstep(-0.75, 0.35, hit.level);
                let light = stone_light(look, stone, &shape, hit.normal, -d.unit(), hit.at, openness);
                let i = patch.index(x, y);
                patch.pixels[i] = patch.pixels[i].mix(light, hit.coverage);
            }
        }
    }
}
