//! The still life: table, board, bowls and clock, without stones on the board and without hands. Drawn once for each pose of
//! camera and board, by following each line of sight.

use crate::rules::Color;

use super::camera::Camera;
use super::furniture::{Clock, Furniture};
use super::geometry::BoardPose;
use super::look::Look;
use super::space::{Dice, V3, fractal, mix, smoothstep, srgb, v3};
use super::stones::{Stone, stone_light};
use super::texture::{Texture, board_wood, table_top};

/// What does not change while camera and board lie still.
pub struct Still {
    /// Linear light.
    pub light: Vec<V3>,
    /// Depth before the camera, mm.
    pub depth: Vec<f32>,
    /// Where each line of sight meets the height of the board's surface (world mm).
    pub ground: Vec<[f32; 2]>,
}

/// A stone in a bowl: any tilt.
struct HeapedStone {
    centre: V3,
    axis: V3,
    stone: Stone,
}

struct Bowl {
    /// Middle of its ground.
    foot: V3,
    radius: f32,
    height: f32,
    mouth: f32,
    color: Color,
    heap: Vec<HeapedStone>,
}

/// The things that stand there, with their surfaces.
pub struct Set {
    wood: Texture,
    table: Texture,
    bowls: Vec<Bowl>,
    lids: Vec<V3>,
    lid_radius: f32,
    clock: Option<Clock>,
    table_z: f32,
}

#[derive(Clone, Copy)]
struct Surface {
    t: f32,
    normal: V3,
    albedo: V3,
    gloss: f32,
    openness: f32,
}

impl Set {
    /// Grows the surfaces; `texel_mm` about the width of a pixel on the board.
    pub fn new(look: &Look, furniture: &Furniture, texel_mm: f32) -> Set {
        let g = &look.geometry;
        let seed = (look.seed as u32).wrapping_mul(2_654_435_761) >> 8;
        let texel = texel_mm.clamp(0.4, 2.0);
        let size = [g.half_x_mm() * 2.0 + 4.0, g.half_y_mm() * 2.0 + 4.0];
        let wood = board_wood(look.wood, look.wood_tint, size, texel, seed);
        let table = table_top(look.table, [900.0, 760.0], texel * 1.5, seed ^ 0x55);
        let mut bowls = Vec::new();
        let mut lids = Vec::new();
        if let Some(b) = look.bowls {
            for (k, color) in [Color::Black, Color::White].into_iter().enumerate() {
                let foot = furniture.bowls[k];
                let mouth = b.radius_mm * 0.8;
                let mut dice = Dice::new(look.seed, 0xb0 + k as u64);
                let mut heap = Vec::new();
                for i in 0..64 {
                    let (r, a) = (mouth * 0.88 * dice.unit().sqrt(), dice.unit() * std::f32::consts::TAU);
                    let dome = 10.0 * (1.0 - (r / mouth).powi(2));
                    let layer = if i < 40 { 0.0 } else { 5.0 };
                    let z = b.height_mm - 25.0 + dome + layer + dice.between(-2.0, 2.0);
                    let axis = v3(dice.between(-0.45, 0.45), dice.between(-0.45, 0.45), 1.0).unit();
                    heap.push(HeapedStone {
                        centre: foot + v3(r * a.cos(), r * a.sin(), z),
                        axis,
                        stone: Stone { id: 5000 + i + 100 * k as u32, color, place: V3::ZERO },
                    });
                }
                bowls.push(Bowl { foot, radius: b.radius_mm, height: b.height_mm, mouth, color, heap });
                lids.push(furniture.lids[k]);
            }
        }
        Set {
            wood,
            table,
            bowls,
            lids,
            lid_radius: furniture.lid_radius_mm,
            clock: furniture.clock,
            table_z: furniture.table_z,
        }
    }

    /// Draws the still life. `samples` × `samples` lines of sight a pixel.
    pub fn draw(&self, look: &Look, camera: &Camera, pose: &BoardPose, samples: u32, threads: usize) -> Still {
        let (w, h) = (camera.width as usize, camera.height as usize);
        let mut light = vec![V3::ZERO; w * h];
        let mut depth = vec![0f32; w * h];
        let mut ground = vec![[0f32; 2]; w * h];
        let rows = h.div_ceil(threads.max(1));
        std::thread::scope(|scope| {
            let parts = light.chunks_mut(rows * w).zip(depth.chunks_mut(rows * w)).zip(ground.chunks_mut(rows * w));
            for (part, ((light, depth), ground)) in parts.enumerate() {
                scope.spawn(move || {
                    let o = camera.position();
                    let forward = camera.axes()[2];
                    for i in 0..light.len() {
                        let (x, y) = ((i % w) as f32, (part * rows + i / w) as f32);
                        let mut sum = V3::ZERO;
                        let mut nearest = f32::MAX;
                        for k in 0..samples * samples {
                            let part_of = |j: u32| (j as f32 + 0.5) / samples as f32 - 0.5;
                            let d = camera.sight(x + part_of(k % samples), y + part_of(k / samples));
                            let (seen, t) = self.look_along(look, camera, pose, o, d, samples);
                            sum += seen;
                            nearest = nearest.min(t * d.dot(forward));
                        }
                        light[i] = sum * (1.0 / (samples * samples) as f32);
                        depth[i] = nearest;
                        let d = camera.sight(x, y);
                        let t = if d.z < -1e-4 { -o.z / d.z } else { 1e5 };
                        ground[i] = [o.x + t * d.x, o.y + t * d.y];
                    }
                });
            }
        });
        Still { light, depth, ground }
    }

    /// Light and distance of what a line of sight meets.
    fn look_along(&self, look: &Look, camera: &Camera, pose: &BoardPose, o: V3, d: V3, samples: u32) -> (V3, f32) {
        let mut found: Option<Surface> = None;
        let mut take = |s: Option<Surface>| {
            if let Some(s) = s
                && s.t > 0.0
                && found.is_none_or(|f| s.t < f.t)
            {
                found = Some(s);
            }
        };
        take(self.meet_board(look, camera, pose, o, d, samples));
        for bowl in &self.bowls {
            // heaped stones bring their own light
            if let Some((s, own)) = self.meet_bowl(look, bowl, o, d) {
                if let Some(own) = own {
                    if found.is_none_or(|f| s.t < f.t) {
                        return (own, s.t);
                    }
                } else if found.is_none_or(|f| s.t < f.t) {
                    found = Some(s);
                }
            }
        }
        for lid in &self.lids {
            if let Some(s) = self.meet_lid(look, *lid, o, d)
                && found.is_none_or(|f| s.t < f.t)
            {
                found = Some(s);
            }
        }
        if let Some(s) = self.clock.and_then(|c| meet_clock(&c, o, d))
            && found.is_none_or(|f| s.t < f.t)
        {
            found = Some(s);
        }
        if found.is_none() && d.z < -1e-4 {
            let t = (self.table_z - o.z) / d.z;
            let p = o + d * t;
            let far = p.flat().length();
            let albedo = self.table.at(p.x, p.y) * smoothstep(2600.0, 1500.0, far).max(0.25);
            let openness = self.table_openness(look, pose, p);
            let gloss = match look.table {
                super::look::TableTop::GreenCloth | super::look::TableTop::BlueCloth => 0.0,
                _ => 0.12,
            };
            found = Some(Surface { t, normal: v3(0.0, 0.0, 1.0), albedo, gloss, openness });
        }
        let Some(s) = found else { return (look.ambient * 0.25, 1e5) };
        let p = o + d * s.t;
        (self.shade(look, pose, p, &s, -d.unit()), s.t)
    }

    fn shade(&self, look: &Look, pose: &BoardPose, p: V3, s: &Surface, view: V3) -> V3 {
        let up = 0.5 + 0.5 * s.normal.z;
        let mut light = look.ambient * (s.openness * mix(0.55, 1.0, up));
        let mut shine = V3::ZERO;
        let mirror = s.normal * (2.0 * s.normal.dot(view)) - view;
        for lamp in &look.lamps {
            let n_l = s.normal.dot(lamp.towards);
            if n_l <= 0.0 {
                continue;
            }
            let seen = self.lamp_seen(look, pose, p, s.normal, lamp.towards, lamp.spread);
            light += lamp.light * (n_l * seen);
            if s.gloss > 0.0 {
                let off = (1.0 - mirror.dot(lamp.towards)).max(0.0);
                let lobe = (-off * (14.0 + 60.0 * s.gloss)).exp();
                shine += lamp.light * (lobe * s.gloss * 0.5 * seen);
            }
        }
        let facing = s.normal.dot(view).max(0.0);
        let fresnel = s.gloss * (0.03 + 0.35 * (1.0 - facing).powi(5));
        shine += look.ambient * (fresnel * smoothstep(-0.2, 0.8, mirror.z) * s.openness);
        s.albedo.times(light) + shine
    }

    fn meet_board(
        &self,
        look: &Look,
        camera: &Camera,
        pose: &BoardPose,
        o: V3,
        d: V3,
        samples: u32,
    ) -> Option<Surface> {
        let g = &look.geometry;
        let (o, d) = (pose.to_board(o), pose.direction_to_board(d));
        let half = v3(g.half_x_mm(), g.half_y_mm(), 0.0);
        // the slab from table to surface
        let span = |o: f32, d: f32, low: f32, high: f32| {
            let (a, b) = ((low - o) / d, (high - o) / d);
            if a < b { (a, b) } else { (b, a) }
        };
        let (x0, x1) = span(o.x, d.x, -half.x, half.x);
        let (y0, y1) = span(o.y, d.y, -half.y, half.y);
        let (z0, z1) = span(o.z, d.z, self.table_z, 0.0);
        let enter = x0.max(y0).max(z0);
        if enter >= x1.min(y1).min(z1) || enter <= 0.0 {
            return None;
        }
        let p = o + d * enter;
        if enter == z0 {
            let mut albedo = self.wood.at(p.x, p.y);
            // the edge is worn round: darker in its last millimetre
            let edge = (half.x - p.x.abs()).min(half.y - p.y.abs());
            albedo = albedo * mix(0.80, 1.0, smoothstep(0.0, 1.6, edge));
            let pixel = enter / camera.focal_px as f32 / samples as f32;
            let ink = grid_ink(look, p, d, pixel);
            albedo = albedo.mix(v3(0.018, 0.014, 0.011), 0.88 * ink);
            return Some(Surface { t: enter, normal: v3(0.0, 0.0, 1.0), albedo, gloss: 0.1, openness: 1.0 });
        }
        let (normal, u) =
            if enter == x0 { (v3(-d.x.signum(), 0.0, 0.0), p.y) } else { (v3(0.0, -d.y.signum(), 0.0), p.x) };
        // a side shows the grain run down (long sides) or cut across (ends)
        let albedo = if enter == x0 {
            self.wood.at(half.x * 0.9 + p.z * 0.8, u).times(v3(0.99, 0.92, 0.86))
        } else {
            let rings = fractal(u * 0.16 + p.z * 0.02, p.z * 0.25, 3, 9) - 0.5;
            self.wood.at(u, half.y * 0.9 + p.z * 0.15).times(v3(1.0, 0.93, 0.87)) * (0.88 + 0.3 * rings)
        };
        let s = pose.turn_rad;
        let normal = v3(normal.x * s.cos() - normal.y * s.sin(), normal.x * s.sin() + normal.y * s.cos(), 0.0);
        let deep = -p.z / g.thickness_mm;
        Some(Surface { t: enter, normal, albedo, gloss: 0.06, openness: 1.0 - 0.45 * deep * deep })
    }

    fn meet_bowl(&self, look: &Look, bowl: &Bowl, o: V3, d: V3) -> Option<(Surface, Option<V3>)> {
        let b = look.bowls?;
        let middle = bowl.foot + v3(0.0, 0.0, bowl.height * 0.5);
        // a cheap miss first
        let to = middle - o;
        let along = to.dot(d) / d.dot(d);
        let off = to - d * along;
        if off.dot(off) > (bowl.radius * bowl.radius + bowl.height * bowl.height * 0.3) {
            return None;
        }
        let top_z = bowl.foot.z + bowl.height;
        let lip = 5.0;
        let mut best: Option<(Surface, Option<V3>)> = None;
        // the mouth
        let t = (top_z - o.z) / d.z;
        let p = o + d * t;
        let r = (p - bowl.foot).flat().length();
        if d.z < 0.0 && r < bowl.mouth {
            if r > bowl.mouth - lip {
                let across = (r - bowl.mouth + lip * 0.5) / (lip * 0.5);
                let out = (p - bowl.foot).flat().unit();
                let normal = (v3(0.0, 0.0, 1.0) + out * (across * 0.8)).unit();
                return Some((Surface { t, normal, albedo: b.colour, gloss: b.gloss, openness: 1.0 }, None));
            }
            return Some(self.look_into(look, bowl, b.colour, o, d, t));
        }
        // the outer wall: an ellipsoid cut off above and below
        let az = bowl.height * 0.5 / (1.0 - (bowl.mouth / bowl.radius).powi(2)).sqrt();
        let scale = v3(1.0 / bowl.radius, 1.0 / bowl.radius, 1.0 / az);
        let (q, e) = ((o - middle).times(scale), d.times(scale));
        let (a, hb, c) = (e.dot(e), q.dot(e), q.dot(q) - 1.0);
        let disc = hb * hb - a * c;
        if disc > 0.0 {
            let t = (-hb - disc.sqrt()) / a;
            let p = o + d * t;
            if t > 0.0 && p.z <= top_z && p.z >= bowl.foot.z {
                let normal = (p - middle).times(scale).times(scale).unit();
                let level = (p.z - bowl.foot.z) / bowl.height;
                let turned = fractal((p.z - bowl.foot.z) * 0.12, normal.x * 1.5, 3, 5) - 0.5;
                let albedo = b.colour * (1.0 + 0.3 * turned);
                let s =
                    Surface { t, normal, albedo, gloss: b.gloss, openness: 0.45 + 0.55 * smoothstep(0.0, 0.6, level) };
                best = Some((s, None));
            }
        }
        best
    }

    /// Through a bowl's mouth at distance `t`: stones, or the dark between them, or the wall.
    fn look_into(&self, look: &Look, bowl: &Bowl, colour: V3, o: V3, d: V3, t: f32) -> (Surface, Option<V3>) {
        let view = -d.unit();
        let entry = o + d * t;
        let (radius, half) = (look.stones.diameter_mm * 0.5, look.stones.height_mm * 0.5);
        let mut near: Option<(f32, V3, &HeapedStone, V3)> = None;
        for heaped in &bowl.heap {
            // stretched along its axis the lens is a sphere
            let stretch = radius / half - 1.0;
            let q = entry - heaped.centre;
            let q = q + heaped.axis * (q.dot(heaped.axis) * stretch);
            let e = d + heaped.axis * (d.dot(heaped.axis) * stretch);
            let (a, hb, c) = (e.dot(e), q.dot(e), q.dot(q) - radius * radius);
            let disc = hb * hb - a * c;
            if disc > 0.0 {
                let u = (-hb - disc.sqrt()) / a;
                if near.is_none_or(|n| u < n.0) {
                    let s = q + e * u;
                    let n = (s + heaped.axis * (s.dot(heaped.axis) * stretch)).unit();
                    near = Some((u, n, heaped, s * (1.0 / radius)));
                }
            }
        }
        let top_z = bowl.foot.z + bowl.height;
        if let Some((u, n, heaped, s)) = near {
            let p = entry + d * u;
            let inside = (p - bowl.foot).flat().length() < bowl.mouth * 1.02;
            if inside {
                let deep = ((top_z - p.z) / 30.0).clamp(0.0, 1.0);
                let shape = heaped.stone.shape(look);
                let openness = 0.9 - 0.55 * deep;
                let light = stone_light(look, &heaped.stone, &shape, n, view, [s.x, s.y], openness);
                // lamps reach the depth less
                let dim = 1.0 - 0.5 * deep;
                let surface = Surface { t: t + u, normal: n, albedo: V3::ZERO, gloss: 0.0, openness };
                return (surface, Some(light * dim));
            }
        }
        // the inner wall, or the dark floor between stones
        let floor = (top_z - 27.0 - entry.z) / d.z;
        let f = entry + d * floor;
        if (f - bowl.foot).flat().length() < bowl.mouth {
            let dark = if bowl.color == Color::White { v3(0.10, 0.09, 0.08) } else { v3(0.006, 0.006, 0.006) };
            let s = Surface { t: t + floor, normal: v3(0.0, 0.0, 1.0), albedo: V3::ZERO, gloss: 0.0, openness: 0.3 };
            return (s, Some(dark));
        }
        // where the line of sight leaves the cylinder of the mouth
        let q = (entry - bowl.foot).flat();
        let e = d.flat();
        let (a, hb, c) = (e.dot(e).max(1e-9), q.dot(e), q.dot(q) - bowl.mouth * bowl.mouth);
        let u = (-hb + (hb * hb - a * c).max(0.0).sqrt()) / a;
        let p = entry + d * u;
        let normal = -(p - bowl.foot).flat().unit();
        let deep = ((top_z - p.z) / 30.0).clamp(0.0, 1.0);
        (Surface { t: t + u, normal, albedo: colour * 0.8, gloss: 0.2, openness: 0.7 - 0.5 * deep }, None)
    }

    fn meet_lid(&self, look: &Look, lid: V3, o: V3, d: V3) -> Option<Surface> {
        let b = look.bowls?;
        let (height, rim) = (12.0, 4.0);
        let (outer, inner) = (self.lid_radius, self.lid_radius - rim);
        let t = (lid.z + height - o.z) / d.z;
        let p = o + d * t;
        let r = (p - lid).flat().length();
        if d.z < 0.0 && r < outer {
            if r > inner {
                let out = (p - lid).flat().unit();
                let normal = (v3(0.0, 0.0, 1.0) + out * ((r - inner) / rim - 0.5)).unit();
                return Some(Surface { t, normal, albedo: b.colour, gloss: b.gloss, openness: 1.0 });
            }
            // a shallow dish inside
            let t = (lid.z + LID_FLOOR_MM - o.z) / d.z;
            let p = o + d * t;
            let r = (p - lid).flat().length();
            let out = (p - lid).flat().unit();
            if r < inner {
                let close = 1.0 - 0.5 * smoothstep(inner - 12.0, inner, r);
                let rings = 1.0 + 0.06 * (r * 0.9).sin();
                return Some(Surface {
                    t,
                    normal: v3(0.0, 0.0, 1.0),
                    albedo: b.colour * rings,
                    gloss: b.gloss * 0.6,
                    openness: close,
                });
            }
            return Some(Surface { t, normal: -out, albedo: b.colour * 0.9, gloss: 0.1, openness: 0.6 });
        }
        let q = (o - lid).flat();
        let e = d.flat();
        let (a, hb, c) = (e.dot(e).max(1e-9), q.dot(e), q.dot(q) - outer * outer);
        let disc = hb * hb - a * c;
        if disc <= 0.0 {
            return None;
        }
        let t = (-hb - disc.sqrt()) / a;
        let p = o + d * t;
        (t > 0.0 && p.z > lid.z && p.z < lid.z + height).then(|| Surface {
            t,
            normal: (p - lid).flat().unit(),
            albedo: b.colour,
            gloss: b.gloss,
            openness: 0.5 + 0.5 * (p.z - lid.z) / height,
        })
    }

    /// How much of the room a place on the table sees past board and bowls.
    fn table_openness(&self, look: &Look, pose: &BoardPose, p: V3) -> f32 {
        let g = &look.geometry;
        let q = pose.to_board(p);
        let gap = |half: V3, q: V3| {
            let (x, y) = ((q.x.abs() - half.x).max(0.0), (q.y.abs() - half.y).max(0.0));
            (x * x + y * y).sqrt()
        };
        let d = gap(v3(g.half_x_mm(), g.half_y_mm(), 0.0), q);
        let mut open = 1.0 - 0.42 * (-d / (g.thickness_mm * 0.5)).exp();
        for bowl in &self.bowls {
            let d = (p - bowl.foot).flat().length() - bowl.radius * 0.8;
            open *= 1.0 - 0.5 * (-d.max(0.0) / 22.0).exp();
        }
        for lid in &self.lids {
            let d = (p - *lid).flat().length() - self.lid_radius;
            open *= 1.0 - 0.4 * (-d.max(0.0) / 5.0).exp();
        }
        if let Some(c) = &self.clock {
            let q = clock_local(c, p - c.centre);
            open *= 1.0 - 0.45 * (-gap(c.half, q) / 14.0).exp();
        }
        open
    }

    /// 0 to 1: how much of a lamp is seen from a place.
    fn lamp_seen(&self, look: &Look, pose: &BoardPose, p: V3, normal: V3, towards: V3, spread: f32) -> f32 {
        let mut seen = 1.0f32;
        let p = p + normal * 0.3;
        if p.z < -0.5 {
            let g = &look.geometry;
            let half = v3(g.half_x_mm(), g.half_y_mm(), 0.0);
            seen *= 1.0 - box_shadow(pose.to_board(p), pose.direction_to_board(towards), half, 0.0, spread);
        }
        for bowl in &self.bowls {
            let middle = bowl.foot + v3(0.0, 0.0, bowl.height * 0.46);
            let q = middle - p;
            if normal.z < 0.99 && q.flat().length() < bowl.radius * 1.2 {
                continue;
            }
            let along = q.dot(towards);
            if along <= 0.0 {
                continue;
            }
            let squash = v3(1.0, 1.0, bowl.radius / (bowl.height * 0.52));
            let off = (q - towards * along).times(squash);
            let soft = 3.0 + along * spread;
            seen *= smoothstep(bowl.radius - soft, bowl.radius + soft, off.length());
        }
        for lid in &self.lids {
            let q = *lid + v3(0.0, 0.0, 8.0) - p;
            let along = q.z / towards.z;
            if along > 0.0 {
                let off = (q - towards * along).flat().length();
                let soft = 1.5 + along * spread;
                seen *= smoothstep(self.lid_radius - soft, self.lid_radius + soft, off);
            }
        }
        if let Some(c) = &self.clock {
            let q = clock_local(c, p - c.centre);
            let inside = q.x.abs() < c.half.x + 1.0 && q.y.abs() < c.half.y + 1.0;
            if !inside && q.z < c.half.z {
                seen *= 1.0 - box_shadow(q, clock_local(c, towards), c.half, c.half.z, spread);
            }
        }
        seen
    }
}

/// Height of a lid's inner floor above the table: where prisoners lie.
pub const LID_FLOOR_MM: f32 = 5.0;

/// How dark a box (half sizes, top at `top`) makes a place below its top; soft with distance.
fn box_shadow(p: V3, towards: V3, half: V3, top: f32, spread: f32) -> f32 {
    let rise = top - p.z;
    if rise <= 0.0 || towards.z <= 0.05 {
        return 0.0;
    }
    let mut dark = 0f32;
    for k in 0..6 {
        let up = rise * (k as f32 + 0.5) / 6.0;
        let q = p + towards * (up / towards.z);
        let outside = (q.x.abs() - half.x).max(q.y.abs() - half.y);
        let soft = 0.8 + up * spread / towards.z;
        dark = dark.max(smoothstep(soft, -soft, outside));
    }
    dark
}

fn clock_local(c: &Clock, p: V3) -> V3 {
    v3(p.x * c.along.x + p.y * c.along.y, p.y * c.along.x - p.x * c.along.y, p.z)
}

fn meet_clock(c: &Clock, o: V3, d: V3) -> Option<Surface> {
    let (o, e) = (clock_local(c, o - c.centre), clock_local(c, d));
    let mut enter = (f32::MIN, 0);
    let mut leave = f32::MAX;
    for (k, (o, d, half)) in [(o.x, e.x, c.half.x), (o.y, e.y, c.half.y), (o.z, e.z, c.half.z)].into_iter().enumerate()
    {
        let (a, b) = ((-half - o) / d, (half - o) / d);
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if a > enter.0 {
            enter = (a, k);
        }
        leave = leave.min(b);
    }
    if enter.0 >= leave || enter.0 <= 0.0 {
        return None;
    }
    let p = o + e * enter.0;
    let body = srgb(48, 50, 54);
    let (local, albedo, gloss) = match enter.1 {
        0 => (v3(-e.x.signum(), 0.0, 0.0), body, 0.25),
        1 => (v3(0.0, -e.y.signum(), 0.0), body, 0.25),
        _ => {
            // two displays and two big buttons on top
            let mut albedo = body;
            let mut gloss = 0.25;
            for s in [-1.0f32, 1.0] {
                let q = v3(p.x - s * 36.0, p.y - 6.0, 0.0);
                if q.x.abs() < 27.0 && q.y.abs() < 14.0 {
                    albedo = if seven_segments(q.x, q.y, if s < 0.0 { 2754 } else { 2836 }) {
                        v3(0.02, 0.025, 0.02)
                    } else {
                        srgb(142, 156, 132)
                    };
                    gloss = 0.5;
                }
                let b = v3(p.x - s * 62.0, p.y + 20.0, 0.0).length();
                if b < 8.0 {
                    albedo = srgb(176, 40, 36) * (0.7 + 0.3 * smoothstep(8.0, 5.0, b));
                    gloss = 0.6;
                }
            }
            (v3(0.0, 0.0, 1.0), albedo, gloss)
        }
    };
    let normal = v3(local.x * c.along.x - local.y * c.along.y, local.x * c.along.y + local.y * c.along.x, local.z);
    Some(Surface { t: enter.0, normal, albedo, gloss, openness: 0.6 + 0.4 * ((p.z + c.half.z) / (2.0 * c.half.z)) })
}

/// Whether a place of a clock's display (mm from its middle) is dark: `digits` as MMSS.
fn seven_segments(x: f32, y: f32, digits: u32) -> bool {
    const SEGMENTS: [u8; 10] =
        [0b1110111, 0b0100100, 0b1011101, 0b1101101, 0b0101110, 0b1101011, 0b1111011, 0b0100101, 0b1111111, 0b1101111];
    if x.abs() < 1.0 && (y.abs() - 4.0).abs() < 1.0 {
        return true;
    }
    for k in 0..4u32 {
        let centre = [-19.0, -8.0, 8.0, 19.0][k as usize];
        let (u, v) = (x - centre, y);
        if u.abs() > 4.6 || v.abs() > 8.6 {
            continue;
        }
        let digit = digits / 10u32.pow(3 - k) % 10;
        let lit = SEGMENTS[digit as usize];
        let bar = |on: u8, hit: bool| lit & (1 << on) != 0 && hit;
        let wide = u.abs() < 3.0;
        return bar(0, wide && (v + 7.5).abs() < 1.0)
            || bar(1, (u + 4.0).abs() < 0.9 && (-7.0..-0.6).contains(&v))
            || bar(2, (u - 4.0).abs() < 0.9 && (-7.0..-0.6).contains(&v))
            || bar(3, wide && v.abs() < 1.0)
            || bar(4, (u + 4.0).abs() < 0.9 && (0.6..7.0).contains(&v))
            || bar(5, (u - 4.0).abs() < 0.9 && (0.6..7.0).contains(&v))
            || bar(6, wide && (v - 7.5).abs() < 1.0);
    }
    false
}

/// How much ink of lines and stars a pixel holds, 0 to 1: the exact share of its footprint.
fn grid_ink(look: &Look, p: V3, d: V3, pixel_mm: f32) -> f32 {
    let g = &look.geometry;
    let [row, col] = g.row_col(p);
    let last = f32::from(g.size - 1);
    // a pixel's footprint: stretched along the line of sight
    let flat = d.flat();
    let slope = (d.dot(d)).sqrt() / d.z.abs().max(0.05);
    let (ux, uy) = (flat.x / flat.length().max(1e-6), flat.y / flat.length().max(1e-6));
    let wide = |u: f32| pixel_mm * (1.0 + (slope - 1.0) * u * u);
    let (fx, fy) = (wide(ux), wide(uy));
    let share = |off: f32, width: f32, foot: f32| {
        let (low, high) = ((off - foot * 0.5).max(-width * 0.5), (off + foot * 0.5).min(width * 0.5));
        ((high - low) / foot).clamp(0.0, 1.0)
    };
    let half = g.line_mm * 0.5;
    let inside = |at: f32, pitch: f32| at > -half / pitch && at < last + half / pitch;
    let mut ink = 0f32;
    if inside(row, g.pitch_mm[1]) {
        let off = (col - col.round().clamp(0.0, last)) * g.pitch_mm[0];
        ink = ink.max(share(off, g.line_mm, fx));
    }
    if inside(col, g.pitch_mm[0]) {
        let off = (row - row.round().clamp(0.0, last)) * g.pitch_mm[1];
        ink = ink.max(share(off, g.line_mm, fy));
    }
    for &(r, c) in g.stars() {
        let q = g.place(f32::from(r), f32::from(c)) - p;
        if q.x.abs() < 6.0 && q.y.abs() < 6.0 {
            let gap = q.flat().length() - g.star_mm * 0.5;
            ink = ink.max((0.5 - gap / fx.max(fy)).clamp(0.0, 1.0));
        }
    }
    ink
}
