//! Draws hands over the settled picture: skin, nails, sleeve, the stones between the fingers, their soft shadow, their blur.

use super::camera::Camera;
use super::hand::{Bone, SeenBone, Skin};
use super::look::{Look, Person};
use super::scene::{Area, Scene};
use super::space::{V3, mix, noise, smoothstep, v3};
use super::stones::{Stone, meet_stone, stone_light};

/// A hand as it is to be drawn.
pub struct HandView {
    pub bones: Vec<Bone>,
    pub person: Person,
    /// Stones that it holds or that hang in the air; `place` is their underside.
    pub stones: Vec<Stone>,
    /// Way of the fingertips in the picture while the shutter is open, pixels.
    pub sweep_px: [f32; 2],
}

/// Draws a hand and its shadow into `out` (a copy of the settled picture). Returns the pixels that it may have changed.
pub fn paint_hand(out: &mut [u8], scene: &Scene, look: &Look, hand: &HandView, threads: usize) -> Area {
    let camera = &scene.camera;
    let shaded = ShadowMap::of(hand, look).paint(out, scene, threads);
    let seen: Vec<SeenBone> = hand.bones.iter().filter_map(|b| SeenBone::of(b, camera)).collect();
    let mut area: Option<Area> = None;
    let mut add = |b: [f32; 4]| {
        let a = Area::of([
            b[0].floor() as i32 - 1,
            b[1].floor() as i32 - 1,
            b[2].ceil() as i32 + 2,
            b[3].ceil() as i32 + 2,
        ]);
        area = Some(area.map_or(a, |x| x.joined(a)));
    };
    for s in &seen {
        add(s.bounds());
    }
    for s in &hand.stones {
        let b = super::stones::stone_box(camera, look, s);
        add([b[0] as f32, b[1] as f32, b[2] as f32, b[3] as f32]);
    }
    let Some(area) = area else { return shaded };
    let reach = hand.sweep_px[0].hypot(hand.sweep_px[1]).ceil() as i32 + 1;
    let area = area.grown(reach).clipped(camera.width, camera.height);
    if area.is_empty() {
        return shaded;
    }
    let layer = draw_layer(scene, look, hand, &seen, area, threads);
    blend(out, camera, &layer, area, hand.sweep_px, threads);
    if shaded.is_empty() { area } else { area.joined(shaded) }
}

/// Colour (0 to 255, times alpha) and alpha (0 to 255) of each pixel of the area.
type Rgba = [u8; 4];

fn draw_layer(scene: &Scene, look: &Look, hand: &HandView, seen: &[SeenBone], area: Area, threads: usize) -> Vec<Rgba> {
    let wide = (area.x1 - area.x0) as usize;
    let tall = (area.y1 - area.y0) as usize;
    let mut layer = vec![[0u8; 4]; wide * tall];
    let rows = tall.div_ceil(threads.max(1)).max(1);
    std::thread::scope(|scope| {
        for (part, out) in layer.chunks_mut(rows * wide).enumerate() {
            let y0 = area.y0 + (part * rows) as i32;
            let strip = Area { y0, y1: y0 + (out.len() / wide) as i32, ..area };
            scope.spawn(move || draw_strip(scene, look, hand, seen, strip, out));
        }
    });
    layer
}

#[derive(Clone, Copy)]
struct Cell {
    depth: f32,
    normal: V3,
    cover: f32,
    /// Along the bone and across it (−1 to 1).
    along: f32,
    across: f32,
    bone: u8,
    skin: Skin,
}

const NOTHING: Cell =
    Cell { depth: f32::MAX, normal: V3::ZERO, cover: 0.0, along: 0.0, across: 0.0, bone: 0, skin: Skin::Back };

fn draw_strip(scene: &Scene, look: &Look, hand: &HandView, seen: &[SeenBone], area: Area, out: &mut [Rgba]) {
    let wide = (area.x1 - area.x0) as usize;
    // a few rows at a time stay in the processor's cache
    let mut cells = Vec::new();
    for (k, out) in out.chunks_mut(BAND_ROWS * wide).enumerate() {
        let y0 = area.y0 + (k * BAND_ROWS) as i32;
        let band = Area { y0, y1: y0 + (out.len() / wide) as i32, ..area };
        cells.clear();
        cells.resize(out.len(), NOTHING);
        draw_band(scene, look, hand, seen, band, &mut cells, out);
    }
}

const BAND_ROWS: usize = 16;

fn draw_band(
    scene: &Scene,
    look: &Look,
    hand: &HandView,
    seen: &[SeenBone],
    area: Area,
    cells: &mut [Cell],
    out: &mut [Rgba],
) {
    let camera = &scene.camera;
    let wide = (area.x1 - area.x0) as usize;
    let [right, down, forward] = camera.axes();
    let focal = camera.focal_px as f32;
    for (k, s) in seen.iter().enumerate() {
        let b = s.bounds();
        let (x0, x1) = ((b[0] - 1.0).max(area.x0 as f32) as i32, (b[2] + 2.0).min(area.x1 as f32) as i32);
        let (y0, y1) = ((b[1] - 1.0).max(area.y0 as f32) as i32, (b[3] + 2.0).min(area.y1 as f32) as i32);
        let (ax, ay) = (s.b[0] - s.a[0], s.b[1] - s.a[1]);
        let length = ax.hypot(ay).max(1e-3);
        let axis = (right * ax + down * ay) * (1.0 / length);
        // a bone that leads away from the camera shows its side, not its back
        let slope = ((s.zb - s.za) / (length * (s.za + s.zb) * 0.5 / focal)).clamp(-1.4, 1.4);
        // a slanting bone fills little of its rectangle: in each row only the stretch near its axis is looked at
        let widest = s.ra.max(s.rb) + 1.0;
        let reach = if ay.abs() > 1e-3 { widest * length / ay.abs() } else { f32::MAX };
        for y in y0..y1 {
            let (x0, x1) = if reach < 1e4 {
                let middle = s.a[0] + (y as f32 - s.a[1]) * ax / ay;
                (x0.max((middle - reach) as i32), x1.min((middle + reach) as i32 + 2))
            } else {
                (x0, x1)
            };
            for x in x0..x1 {
                let (t, off, r) = s.nearest(x as f32, y as f32);
                let d2 = off[0] * off[0] + off[1] * off[1];
                if d2 > (r + 0.5) * (r + 0.5) {
                    continue;
                }
                let d = d2.sqrt();
                let cover = (r - d + 0.5).clamp(0.0, 1.0);
                let ir = 1.0 / r;
                let rise = (1.0 - d2 * ir * ir).max(0.0).sqrt();
                let z = mix(s.za, s.zb, t);
                // beyond the bone's ends there is a ball
                let ahead = ((x as f32 - s.a[0]) * ax + (y as f32 - s.a[1]) * ay) / (length * length);
                let past = ((ahead - t).abs() * length * ir).min(1.0);
                let tilt = slope * (1.0 - past);
                let steep = (1.0 + tilt * tilt).sqrt();
                let depth = z - rise * r * steep * z / focal;
                let (nx, ny) = (off[0] * ir, off[1] * ir);
                let cell = &mut cells[(y - area.y0) as usize * wide + (x - area.x0) as usize];
                let normal = right * nx + down * ny + (axis * tilt - forward) * (rise / steep);
                let across = (off[0] * ay - off[1] * ax) / length * ir;
                if cell.cover == 0.0 {
                    *cell = Cell { depth, normal, cover, along: t, across, bone: k as u8, skin: s.skin };
                    continue;
                }
                // how far flesh runs together with flesh and cloth with cloth, mm; never one with the other
                let soft = match (s.skin, cell.skin) {
                    (Skin::Sleeve, Skin::Sleeve) => 22.0,
                    (Skin::Sleeve, _) | (_, Skin::Sleeve) => 0.5,
                    (Skin::Back, Skin::Back) => 16.0,
                    _ => 10.0,
                };
                let gap = depth - cell.depth;
                let near = gap < 0.0;
                let both = (soft - gap.abs()).max(0.0) / soft;
                let share = if near { 1.0 - both * 0.5 } else { both * 0.5 };
                cell.normal = cell.normal.mix(normal, share);
                cell.depth = depth.min(cell.depth) - both * both * soft * 0.25;
                if near {
                    cell.along = t;
                    cell.across = across;
                    cell.bone = k as u8;
                    cell.skin = s.skin;
                }
                cell.cover = cell.cover.max(cover);
            }
        }
    }
    for (i, cell) in cells.iter().enumerate() {
        if cell.cover <= 0.0 {
            continue;
        }
        let (x, y) = (area.x0 + (i % wide) as i32, area.y0 + (i / wide) as i32);
        // behind a bowl's wall, or in it
        let ground = scene.still.depth[y as usize * camera.width as usize + x as usize];
        let cover = cell.cover * smoothstep(6.0, 0.0, cell.depth - ground);
        if cover <= 0.0 {
            continue;
        }
        let d = camera.sight(x as f32, y as f32);
        let light = flesh(look, &hand.person, cell, -d.unit());
        let c = scene.tone.encode(light, x, y);
        let a = cover * 255.0;
        out[i] = [
            (f32::from(c[0]) * cover) as u8,
            (f32::from(c[1]) * cover) as u8,
            (f32::from(c[2]) * cover) as u8,
            a as u8,
        ];
    }
    let o = camera.position();
    for stone in &hand.stones {
        let shape = stone.shape(look);
        let centre = stone.place + v3(0.0, 0.0, shape.half_height);
        let b = Area::of(super::stones::stone_box(camera, look, stone));
        let (x0, x1) = (b.x0.max(area.x0), b.x1.min(area.x1));
        let (y0, y1) = (b.y0.max(area.y0), b.y1.min(area.y1));
        let pixel_mm = (centre - o).dot(forward) / focal;
        for y in y0..y1 {
            for x in x0..x1 {
                let i = (y - area.y0) as usize * wide + (x - area.x0) as usize;
                let d = camera.sight(x as f32, y as f32);
                let Some(hit) = meet_stone(o, d, centre, &shape, pixel_mm) else { continue };
                let behind = cells[i].cover > 0.0 && cells[i].depth < hit.t;
                let hidden = scene.still.depth[y as usize * camera.width as usize + x as usize] < hit.t;
                if hidden {
                    continue;
                }
                let light = stone_light(look, stone, &shape, hit.normal, -d.unit(), hit.at, 0.8);
                let c = scene.tone.encode(light, x, y);
                // under the fingers only what they leave open is seen
                let share = hit.coverage * if behind { 1.0 - f32::from(out[i][3]) / 255.0 } else { 1.0 };
                let keep = if behind { 1.0 } else { 1.0 - hit.coverage };
                for k in 0..3 {
                    out[i][k] = (f32::from(out[i][k]) * keep + f32::from(c[k]) * share).min(255.0) as u8;
                }
                out[i][3] = (f32::from(out[i][3]) * keep + 255.0 * share).min(255.0) as u8;
            }
        }
    }
}

/// Light that comes off skin or cloth.
fn flesh(look: &Look, person: &Person, cell: &Cell, view: V3) -> V3 {
    let n = cell.normal.unit();
    let seed = person.seed ^ (u32::from(cell.bone) * 77);
    let (u, v) = (cell.along, cell.across);
    let (mut albedo, mut gloss, mut wrap) = (person.skin, 0.30, 0.22);
    match cell.skin {
        Skin::Sleeve => {
            albedo = person.sleeve;
            gloss = 0.0;
            wrap = 0.12;
            // folds across the arm, close at the cuff; weave
            let fold = noise(u * 26.0 + v * 1.2, v * 1.4, person.seed) - 0.5;
            let weave = noise(u * 900.0, v * 60.0, person.seed ^ 9) - 0.5;
            albedo = albedo * (1.0 + 0.28 * fold + 0.12 * weave);
            if u < 0.022 {
                albedo = albedo * 0.72;
            }
        }
        _ => {
            let mottle = noise(u * 5.0 + f32::from(cell.bone), v * 2.5, seed) - 0.5;
            albedo = albedo * (1.0 + 0.09 * mottle);
            // redder at the knuckles and tips
            let (joint, tip) = match cell.skin {
                Skin::Fingertip => (smoothstep(0.6, 1.0, u), smoothstep(0.5, 0.0, u)),
                Skin::Finger => (smoothstep(0.5, 0.0, u).max(smoothstep(0.6, 1.0, u)), 0.0),
                _ => (smoothstep(0.4, 0.0, u) * 0.8, 0.0),
            };
            let red = (joint * 0.5 + tip * 0.35).min(1.0);
            albedo = albedo.times(v3(1.0, 1.0 - 0.06 * red, 1.0 - 0.07 * red));
            // creases over the joints
            if cell.skin == Skin::Finger || cell.skin == Skin::Fingertip {
                let end = if cell.skin == Skin::Fingertip {
                    (u - 0.93).abs()
                } else {
                    (u - 0.03).abs().min((u - 0.12).abs())
                };
                albedo = albedo * (1.0 - 0.11 * smoothstep(0.05, 0.0, end) * smoothstep(0.9, 0.5, v.abs()));
            }
            if cell.skin == Skin::Fingertip {
                // the nail: on the upper side, from near the tip to the middle of the bone
                let e = ((u - 0.22) / 0.30).powi(2) + (v / 0.62).powi(2);
                let nail = smoothstep(1.15, 0.9, e) * smoothstep(0.1, 0.4, n.z);
                let pale = albedo.mix(v3(0.80, 0.58, 0.52), 0.45) * 1.06;
                albedo = albedo.mix(pale, nail);
                gloss = mix(gloss, 0.9, nail);
                let fold = smoothstep(0.35, 0.0, (e - 1.12).abs()) * smoothstep(0.1, 0.4, n.z);
                albedo = albedo * (1.0 - 0.14 * fold);
            }
        }
    }
    let up = n.z * 0.5 + 0.5;
    let bounce = v3(0.42, 0.32, 0.22);
    let mut light = look.ambient.times(V3::ONE * up + bounce * (1.0 - up)) * 0.80;
    let mut shine = V3::ZERO;
    let mirror = n * (2.0 * n.dot(view)) - view;
    for lamp in &look.lamps {
        let n_l = n.dot(lamp.towards);
        let lit = ((n_l + wrap) / (1.0 + wrap)).max(0.0);
        // light that went through flesh comes out red at the edge of the shadow
        let red = if cell.skin == Skin::Sleeve { 0.0 } else { smoothstep(0.5, 0.0, n_l) * lit * 0.35 };
        light += lamp.light.times(v3(lit + red * 0.5, lit - red * 0.15, lit - red * 0.25));
        if n_l > 0.0 {
            let off = (1.0 - mirror.dot(lamp.towards)).max(0.0);
            shine += lamp.light * (fall(off * 9.0) * 0.17 * gloss + fall(off * 45.0) * 0.25 * gloss * gloss);
        }
    }
    let rim = (1.0 - n.dot(view).max(0.0)).powi(3);
    albedo.times(light) * (1.0 - 0.45 * rim) + shine
}

/// About e to the power of −x, without the cost.
#[inline]
fn fall(x: f32) -> f32 {
    let q = 1.0 / (1.0 + x * 0.125);
    let q = q * q;
    let q = q * q;
    q * q
}

/// Lays the layer over the picture, smeared along the sweep.
fn blend(out: &mut [u8], camera: &Camera, layer: &[Rgba], area: Area, sweep: [f32; 2], threads: usize) {
    let width = camera.width as usize;
    let wide = (area.x1 - area.x0) as usize;
    let tall = (area.y1 - area.y0) as usize;
    let length = sweep[0].hypot(sweep[1]);
    let taps = ((length / 2.5).ceil() as i32).clamp(1, 11);
    let steps: Vec<(i32, i32)> = (0..taps)
        .map(|k| {
            let t = if taps == 1 { 0.0 } else { k as f32 / (taps - 1) as f32 - 0.5 };
            ((sweep[0] * t).round() as i32, (sweep[1] * t).round() as i32)
        })
        .collect();
    let scale = 65536 / taps as u32;
    let rows = tall.div_ceil(threads.max(1)).max(1);
    let start = area.y0 as usize * width * 3;
    let end = area.y1 as usize * width * 3;
    std::thread::scope(|scope| {
        for (part, out) in out[start..end].chunks_mut(rows * width * 3).enumerate() {
            let steps = &steps;
            scope.spawn(move || {
                for (j, line) in out.chunks_exact_mut(width * 3).enumerate() {
                    let y = part * rows + j;
                    for x in 0..wide {
                        let mut sum = [0u32; 4];
                        if taps == 1 {
                            let p = layer[y * wide + x];
                            if p[3] == 0 {
                                continue;
                            }
                            sum = p.map(u32::from);
                        } else {
                            for &(dx, dy) in steps {
                                let (u, v) = (x as i32 + dx, y as i32 + dy);
                                if u >= 0 && v >= 0 && (u as usize) < wide && (v as usize) < tall {
                                    let p = layer[v as usize * wide + u as usize];
                                    for k in 0..4 {
                                        sum[k] += u32::from(p[k]);
                                    }
                                }
                            }
                            if sum[3] == 0 {
                                continue;
                            }
                            sum = sum.map(|s| (s * scale) >> 16);
                        }
                        let at = (area.x0 as usize + x) * 3;
                        let left = 255 - sum[3].min(255);
                        for k in 0..3 {
                            let under = u32::from(line[at + k]) * left;
                            line[at + k] = (sum[k] + (under + 128) / 255).min(255) as u8;
                        }
                    }
                }
            });
        }
    });
}

/// How much light of the room the hand leaves to the ground, on a grid of the board's plane.
struct ShadowMap {
    x0: f32,
    y0: f32,
    wide: usize,
    tall: usize,
    /// Factor in gamma space, 256 is full light.
    factor: Vec<u16>,
    step: f32,
}

const SHADOW_STEP_MM: f32 = 4.0;
/// Nothing farther from the board's middle is shaded.
const SHADOW_REACH_MM: f32 = 620.0;

impl ShadowMap {
    fn of(hand: &HandView, look: &Look) -> ShadowMap {
        struct Throw {
            shift: [f32; 2],
            spread: f32,
            weight: f32,
            strength: f32,
        }
        let mut throws: Vec<Throw> = look
            .lamps
            .iter()
            .map(|l| Throw {
                shift: [-l.towards.x / l.towards.z, -l.towards.y / l.towards.z],
                spread: l.spread / l.towards.z,
                weight: l.light.y * l.towards.z,
                strength: 0.92,
            })
            .collect();
        throws.push(Throw { shift: [0.0, 0.0], spread: 0.9, weight: look.ambient.y, strength: 0.75 });
        let total: f32 = throws.iter().map(|t| t.weight).sum();
        let mut bones: Vec<(V3, f32, V3, f32)> = hand.bones.iter().map(|b| (b.a, b.ra, b.b, b.rb)).collect();
        for s in &hand.stones {
            let shape = s.shape(look);
            let p = s.place + v3(0.0, 0.0, shape.half_height);
            bones.push((p, shape.radius * 0.95, p, shape.radius * 0.95));
        }
        // the area that any throw may reach
        let (mut low, mut high) = ([f32::MAX; 2], [f32::MIN; 2]);
        for t in &throws {
            for b in &bones {
                for (p, r) in [(b.0, b.1), (b.2, b.3)] {
                    let h = p.z.max(0.0);
                    let m = r + h * t.spread + 4.0;
                    for k in 0..2 {
                        let c = [p.x, p.y][k] + t.shift[k] * h;
                        low[k] = low[k].min(c - m);
                        high[k] = high[k].max(c + m);
                    }
                }
            }
        }
        let clip = |v: f32| v.clamp(-SHADOW_REACH_MM, SHADOW_REACH_MM);
        let (x0, y0) = (clip(low[0]), clip(low[1]));
        let step = SHADOW_STEP_MM;
        let wide = ((clip(high[0]) - x0) / step).ceil() as usize + 2;
        let tall = ((clip(high[1]) - y0) / step).ceil() as usize + 2;
        let mut light = vec![total; wide * tall];
        let mut dark = vec![0f32; wide * tall];
        for t in &throws {
            dark.fill(0.0);
            for &(a, ra, b, rb) in &bones {
                let ground = |p: V3| {
                    let h = p.z.max(0.0);
                    ([p.x + t.shift[0] * h, p.y + t.shift[1] * h], h)
                };
                let ((pa, ha), (pb, hb)) = (ground(a), ground(b));
                let (sa, sb) = (1.2 + ha * t.spread, 1.2 + hb * t.spread);
                let cell = |v: f32, origin: f32, n: usize| (((v - origin) / step).max(0.0) as usize).min(n);
                let i0 = cell((pa[0] - ra - sa).min(pb[0] - rb - sb), x0, wide);
                let i1 = cell((pa[0] + ra + sa).max(pb[0] + rb + sb) + step, x0, wide);
                let j0 = cell((pa[1] - ra - sa).min(pb[1] - rb - sb), y0, tall);
                let j1 = cell((pa[1] + ra + sa).max(pb[1] + rb + sb) + step, y0, tall);
                let (ax, ay) = (pb[0] - pa[0], pb[1] - pa[1]);
                let l2 = (ax * ax + ay * ay).max(1e-6);
                for j in j0..j1 {
                    for i in i0..i1 {
                        let (px, py) = (x0 + i as f32 * step - pa[0], y0 + j as f32 * step - pa[1]);
                        let u = ((px * ax + py * ay) / l2).clamp(0.0, 1.0);
                        let (dx, dy) = (px - ax * u, py - ay * u);
                        let (r, s) = (mix(ra, rb, u), mix(sa, sb, u));
                        let d = (dx * dx + dy * dy).sqrt();
                        if d < r + s {
                            // where the penumbra is wider than the limb, no full shadow is left
                            let deep = (r * 1.6 / s).min(1.0);
                            let shade = smoothstep(r + s, r - s, d) * deep;
                            let cell = &mut dark[j * wide + i];
                            *cell = cell.max(shade);
                        }
                    }
                }
            }
            for (l, d) in light.iter_mut().zip(&dark) {
                *l -= t.weight * t.strength * d;
            }
        }
        let factor = light.iter().map(|l| ((l / total).max(0.02).powf(1.0 / 2.2) * 256.0) as u16).collect();
        ShadowMap { x0, y0, wide, tall, factor, step }
    }

    fn paint(&self, out: &mut [u8], scene: &Scene, threads: usize) -> Area {
        let camera = &scene.camera;
        let width = camera.width as usize;
        // the map's border in the picture
        let mut area: Option<Area> = None;
        let n = 8;
        for k in 0..=n {
            let t = k as f32 / n as f32;
            let (x1, y1) = (self.x0 + self.wide as f32 * self.step, self.y0 + self.tall as f32 * self.step);
            for p in [
                [mix(self.x0, x1, t), self.y0],
                [mix(self.x0, x1, t), y1],
                [self.x0, mix(self.y0, y1, t)],
                [x1, mix(self.y0, y1, t)],
            ] {
                let Some(at) = camera.project([f64::from(p[0]), f64::from(p[1]), 0.0]) else { continue };
                let (x, y) = (at[0].clamp(-1e5, 1e5) as i32, at[1].clamp(-1e5, 1e5) as i32);
                let a = Area { x0: x - 2, y0: y - 2, x1: x + 3, y1: y + 3 };
                area = Some(area.map_or(a, |b| b.joined(a)));
            }
        }
        let Some(area) = area.map(|a| a.clipped(camera.width, camera.height)) else {
            return Area { x0: 0, y0: 0, x1: 0, y1: 0 };
        };
        if area.is_empty() {
            return area;
        }
        let rows = ((area.y1 - area.y0) as usize).div_ceil(threads.max(1)).max(1);
        let inverse = 1.0 / self.step;
        let (limit_x, limit_y) = ((self.wide - 1) as f32, (self.tall - 1) as f32);
        std::thread::scope(|scope| {
            let lines = &mut out[area.y0 as usize * width * 3..area.y1 as usize * width * 3];
            for (part, lines) in lines.chunks_mut(rows * width * 3).enumerate() {
                scope.spawn(move || {
                    for (j, line) in lines.chunks_exact_mut(width * 3).enumerate() {
                        let y = area.y0 as usize + part * rows + j;
                        let ground = &scene.still.ground[y * width..(y + 1) * width];
                        for x in area.x0 as usize..area.x1 as usize {
                            let g = ground[x];
                            let (u, v) = ((g[0] - self.x0) * inverse, (g[1] - self.y0) * inverse);
                            if u < 0.0 || v < 0.0 || u >= limit_x || v >= limit_y {
                                continue;
                            }
                            let (iu, iv) = (u as usize, v as usize);
                            let i = iv * self.wide + iu;
                            let q = [
                                self.factor[i],
                                self.factor[i + 1],
                                self.factor[i + self.wide],
                                self.factor[i + self.wide + 1],
                            ];
                            if q == [256; 4] {
                                continue;
                            }
                            let (fu, fv) = (u - iu as f32, v - iv as f32);
                            let top = mix(f32::from(q[0]), f32::from(q[1]), fu);
                            let bottom = mix(f32::from(q[2]), f32::from(q[3]), fu);
                            let f = mix(top, bottom, fv) as u32;
                            for c in &mut line[x * 3..x * 3 + 3] {
                                *c = ((u32::from(*c) * f) >> 8) as u8;
                            }
                        }
                    }
                });
            }
        });
        area
    }
}
