//! The still life with the stones that lie on it, kept up to date: only what changed is drawn again.

use super::camera::Camera;
use super::geometry::BoardPose;
use super::look::Look;
use super::sensor::Tone;
use super::space::V3;
use super::still::{Set, Still};
use super::stones::{Patch, Stone, cast_shadow, draw_stone, influence_box, stone_box};

/// A rectangle of pixels, ends excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    pub x0: i32,
    pub y0: i32,
    pub x1: i32,
    pub y1: i32,
}

impl Area {
    pub fn of(b: [i32; 4]) -> Area {
        Area { x0: b[0], y0: b[1], x1: b[2], y1: b[3] }
    }

    pub fn clipped(self, width: u32, height: u32) -> Area {
        Area { x0: self.x0.max(0), y0: self.y0.max(0), x1: self.x1.min(width as i32), y1: self.y1.min(height as i32) }
    }

    pub fn is_empty(self) -> bool {
        self.x0 >= self.x1 || self.y0 >= self.y1
    }

    pub fn grown(self, by: i32) -> Area {
        Area { x0: self.x0 - by, y0: self.y0 - by, x1: self.x1 + by, y1: self.y1 + by }
    }

    pub fn meets(self, o: Area) -> bool {
        self.x0 < o.x1 && o.x0 < self.x1 && self.y0 < o.y1 && o.y0 < self.y1
    }

    pub fn joined(self, o: Area) -> Area {
        Area { x0: self.x0.min(o.x0), y0: self.y0.min(o.y0), x1: self.x1.max(o.x1), y1: self.y1.max(o.y1) }
    }

    pub fn pixels(self) -> i64 {
        if self.is_empty() { 0 } else { i64::from(self.x1 - self.x0) * i64::from(self.y1 - self.y0) }
    }
}

/// Everything that lies still, as bytes.
pub struct Scene {
    pub camera: Camera,
    pub still: Still,
    pub tone: Tone,
    stones: Vec<Stone>,
    /// Before the lens's blur.
    sharp: Vec<u8>,
    /// RGB, ready for hands and noise.
    pub settled: Vec<u8>,
    defocus: f32,
}

impl Scene {
    pub fn new(look: &Look, set: &Set, camera: Camera, pose: BoardPose, samples: u32, threads: usize) -> Scene {
        let still = set.draw(look, &camera, &pose, samples, threads);
        let tone = Tone::new(&look.sensor, &camera);
        let bytes = camera.width as usize * camera.height as usize * 3;
        let mut scene = Scene {
            camera,
            still,
            tone,
            stones: Vec::new(),
            sharp: vec![0; bytes],
            settled: vec![0; bytes],
            defocus: look.sensor.defocus,
        };
        scene.redraw(look, scene.whole(), threads);
        scene
    }

    fn whole(&self) -> Area {
        Area { x0: 0, y0: 0, x1: self.camera.width as i32, y1: self.camera.height as i32 }
    }

    /// Lays exactly these stones and draws again where that changes something.
    pub fn lay(&mut self, look: &Look, stones: &[Stone], threads: usize) {
        let gone = self.stones.iter().filter(|s| !stones.contains(s));
        let come = stones.iter().filter(|s| !self.stones.contains(s));
        let mut areas: Vec<Area> = Vec::new();
        let changed: Vec<Stone> = gone.chain(come).copied().collect();
        if changed.is_empty() {
            return;
        }
        for stone in &changed {
            let mut area =
                Area::of(influence_box(&self.camera, look, stone)).clipped(self.camera.width, self.camera.height);
            if area.is_empty() {
                continue;
            }
            // join what overlaps, so that nothing is drawn twice
            while let Some(i) = areas.iter().position(|a| a.meets(area)) {
                area = area.joined(areas.swap_remove(i));
            }
            areas.push(area);
        }
        self.stones = stones.to_vec();
        // far ones first: nearer ones hide them
        let from = self.camera.position();
        self.stones.sort_by(|a, b| {
            let far = |s: &Stone| (s.place - from).flat().length() - s.place.z * 4.0;
            far(b).total_cmp(&far(a)).then(a.id.cmp(&b.id))
        });
        for area in areas {
            self.redraw(look, area, threads);
        }
    }

    fn redraw(&mut self, look: &Look, area: Area, threads: usize) {
        let width = self.camera.width as usize;
        let threads = if area.pixels() < 20_000 { 1 } else { threads.max(1) };
        let rows = ((area.y1 - area.y0 + threads as i32 - 1) / threads as i32).max(1);
        let row_bytes = width * 3;
        let start = area.y0 as usize * row_bytes;
        let end = area.y1 as usize * row_bytes;
        let (camera, still, tone, stones) = (&self.camera, &self.still, &self.tone, &self.stones);
        std::thread::scope(|scope| {
            for (part, out) in self.sharp[start..end].chunks_mut(rows as usize * row_bytes).enumerate() {
                let y0 = area.y0 + part as i32 * rows;
                let strip = Area { y0, y1: (y0 + rows).min(area.y1), ..area };
                let mut draw = move || draw_strip(look, camera, still, tone, stones, strip, out);
                if threads == 1 {
                    draw();
                } else {
                    scope.spawn(draw);
                }
            }
        });
        self.blur(area.grown(1).clipped(self.camera.width, self.camera.height));
    }

    /// The lens's blur: three by three, from sharp to settled.
    fn blur(&mut self, area: Area) {
        let (w, h) = (self.camera.width as usize, self.camera.height as usize);
        let side = (self.defocus * 128.0) as u32;
        let middle = 256 - 2 * side;
        let (x0, x1) = (area.x0 as usize, area.x1 as usize);
        let mut columns = vec![0u32; (x1 - x0 + 2) * 3];
        for y in area.y0 as usize..area.y1 as usize {
            let rows = [y.saturating_sub(1), y, (y + 1).min(h - 1)].map(|r| &self.sharp[r * w * 3..(r + 1) * w * 3]);
            for (i, sum) in columns.chunks_exact_mut(3).enumerate() {
                let x = (x0 + i).saturating_sub(1).min(w - 1) * 3;
                for (c, sum) in sum.iter_mut().enumerate() {
                    *sum = u32::from(rows[0][x + c]) * side
                        + u32::from(rows[1][x + c]) * middle
                        + u32::from(rows[2][x + c]) * side;
                }
            }
            let out = &mut self.settled[(y * w + x0) * 3..(y * w + x1) * 3];
            for (i, out) in out.iter_mut().enumerate() {
                let sum = columns[i] * side + columns[i + 3] * middle + columns[i + 6] * side;
                *out = ((sum + (1 << 15)) >> 16) as u8;
            }
        }
    }
}

fn draw_strip(look: &Look, camera: &Camera, still: &Still, tone: &Tone, stones: &[Stone], area: Area, out: &mut [u8]) {
    let width = camera.width as usize;
    let wide = (area.x1 - area.x0) as usize;
    let mut pixels: Vec<V3> = Vec::with_capacity(wide * (area.y1 - area.y0) as usize);
    let mut ground = Vec::with_capacity(pixels.capacity());
    for y in area.y0 as usize..area.y1 as usize {
        let row = y * width + area.x0 as usize;
        pixels.extend_from_slice(&still.light[row..row + wide]);
        ground.extend_from_slice(&still.ground[row..row + wide]);
    }
    let mut patch = Patch { x0: area.x0, y0: area.y0, x1: area.x1, y1: area.y1, pixels: &mut pixels, ground: &ground };
    for stone in stones {
        cast_shadow(&mut patch, camera, look, stone);
    }
    for stone in stones {
        if area.meets(Area::of(stone_box(camera, look, stone))) {
            draw_stone(&mut patch, camera, look, stone);
        }
    }
    for (row, line) in pixels.chunks_exact(wide).enumerate() {
        let y = area.y0 + row as i32;
        let start = row * width * 3 + area.x0 as usize * 3;
        for (i, light) in line.iter().enumerate() {
            out[start + i * 3..start + i * 3 + 3].copy_from_slice(&tone.encode(*light, area.x0 + i as i32, y));
        }
    }
}
