//! The camera: pose, lens, and the way between the table and the picture.

use serde::{Deserialize, Serialize};

use super::BoardGeometry;
use super::space::{V3, v3};

/// Where the camera is and what lens it has. Independent of the picture's size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CameraPose {
    /// Height of the line of sight above the table: 25 (flat) to 90 (straight down) degrees.
    pub elevation_deg: f64,
    /// −45 to 45; 0 looks from the near side, positive from the near right. Row 0 stays the far side.
    pub azimuth_deg: f64,
    /// From the camera to the point looked at.
    pub distance_mm: f64,
    /// Focal length in picture widths (0.8: a webcam, 1.5: a portrait lens).
    pub focal_widths: f64,
    /// Rotation about the line of sight, degrees.
    pub roll_deg: f64,
    /// The point looked at, from the board's centre [right, towards the near side].
    pub target_mm: [f64; 2],
    /// Radial distortion (k1, k2 of the Brown model, as OpenCV counts them); negative k1: barrel.
    pub distortion: [f64; 2],
}

impl Default for CameraPose {
    fn default() -> CameraPose {
        CameraPose {
            elevation_deg: 55.0,
            azimuth_deg: 0.0,
            distance_mm: 900.0,
            focal_widths: 1.0,
            roll_deg: 0.0,
            target_mm: [0.0, 0.0],
            distortion: [-0.06, 0.01],
        }
    }
}

impl CameraPose {
    /// The same view from such a distance that the board's edge fills `fill` (0 to 1) of the picture's height or width,
    /// whichever is tighter.
    pub fn fitted(mut self, geometry: &BoardGeometry, width: u32, height: u32, fill: f64) -> CameraPose {
        let (half_x, half_y) = (f64::from(geometry.half_x_mm()), f64::from(geometry.half_y_mm()));
        for _ in 0..12 {
            let camera = Camera::new(&self, width, height);
            let (mut low, mut high) = ([f64::MAX; 2], [f64::MIN; 2]);
            for (sx, sy) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                for z in [0.0, -f64::from(geometry.thickness_mm)] {
                    let at = camera.project([sx * half_x, sy * half_y, z]).unwrap_or([-1e4, -1e4]);
                    for k in 0..2 {
                        low[k] = low[k].min(at[k]);
                        high[k] = high[k].max(at[k]);
                    }
                }
            }
            let used = ((high[0] - low[0]) / f64::from(width)).max((high[1] - low[1]) / f64::from(height));
            self.distance_mm *= (used / fill).clamp(0.5, 2.0);
            // the picture's middle onto the middle of the board as it is seen: perspective draws it off
            let middle = [(low[0] + high[0]) / 2.0, (low[1] + high[1]) / 2.0];
            if let (Some(seen), Some(aim)) = (
                camera.unproject(middle, 0.0),
                camera.unproject([f64::from(width) / 2.0, f64::from(height) / 2.0], 0.0),
            ) {
                self.target_mm[0] += (seen[0] - aim[0]) * 0.8;
                self.target_mm[1] += (seen[1] - aim[1]) * 0.8;
            }
        }
        self
    }

    /// # Errors
    /// Names the value that no camera could have, or that the truth's rows and columns do not allow.
    pub fn check(&self) -> Result<(), String> {
        let within = |name: &str, value: f64, low: f64, high: f64| {
            if value.is_finite() && (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(format!("camera.{name} = {value}: must be from {low} to {high}"))
            }
        };
        within("elevation_deg", self.elevation_deg, 25.0, 90.0)?;
        within("azimuth_deg", self.azimuth_deg, -45.0, 45.0)?;
        within("distance_mm", self.distance_mm, 250.0, 5000.0)?;
        within("focal_widths", self.focal_widths, 0.3, 5.0)?;
        within("roll_deg", self.roll_deg, -30.0, 30.0)?;
        within("target_mm[0]", self.target_mm[0], -300.0, 300.0)?;
        within("target_mm[1]", self.target_mm[1], -300.0, 300.0)?;
        within("distortion[0]", self.distortion[0], -0.4, 0.4)?;
        within("distortion[1]", self.distortion[1], -0.1, 0.1)
    }
}

/// A pose at a picture size: projects and unprojects.
#[derive(Clone, Debug)]
pub struct Camera {
    pub width: u32,
    pub height: u32,
    /// Focal length in pixels.
    pub focal_px: f64,
    position: [f64; 3],
    right: [f64; 3],
    down: [f64; 3],
    forward: [f64; 3],
    k: [f64; 2],
    /// Undistorted over distorted radius, by distorted radius: a lens that is round needs no more.
    undistort: Vec<f32>,
    undistort_step: f32,
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn narrow(a: [f64; 3]) -> V3 {
    v3(a[0] as f32, a[1] as f32, a[2] as f32)
}

impl Camera {
    pub fn new(pose: &CameraPose, width: u32, height: u32) -> Camera {
        let (el, az, roll) =
            (pose.elevation_deg.to_radians(), pose.azimuth_deg.to_radians(), pose.roll_deg.to_radians());
        let forward = [-az.sin() * el.cos(), -az.cos() * el.cos(), -el.sin()];
        let right = [az.cos(), -az.sin(), 0.0];
        let down = [az.sin() * el.sin(), az.cos() * el.sin(), -el.cos()];
        let (c, s) = (roll.cos(), roll.sin());
        let turned = |a: [f64; 3], b: [f64; 3], ca: f64, cb: f64| {
            [a[0] * ca + b[0] * cb, a[1] * ca + b[1] * cb, a[2] * ca + b[2] * cb]
        };
        let position = [
            pose.target_mm[0] - forward[0] * pose.distance_mm,
            pose.target_mm[1] - forward[1] * pose.distance_mm,
            -forward[2] * pose.distance_mm,
        ];
        let focal_px = pose.focal_widths * f64::from(width);
        let k = pose.distortion;
        let reach = f64::from(width).hypot(f64::from(height)) / focal_px * 0.5 * 1.3;
        let steps = 1024;
        let step = reach / f64::from(steps);
        let undistort = (0..=steps + 1)
            .map(|i| {
                let rd = f64::from(i) * step;
                if i == 0 { 1.0 } else { (undistorted_radius(rd, k) / rd) as f32 }
            })
            .collect();
        Camera {
            width,
            height,
            focal_px,
            position,
            right: turned(right, down, c, s),
            down: turned(down, right, c, -s),
            forward,
            k,
            undistort,
            undistort_step: (1.0 / step) as f32,
        }
    }

    pub fn position(&self) -> V3 {
        narrow(self.position)
    }

    /// Axes of the picture in the world: right, down, forward.
    pub fn axes(&self) -> [V3; 3] {
        [narrow(self.right), narrow(self.down), narrow(self.forward)]
    }

    /// How far before the camera, mm.
    pub fn depth(&self, p: [f64; 3]) -> f64 {
        let d = [p[0] - self.position[0], p[1] - self.position[1], p[2] - self.position[2]];
        dot(d, self.forward)
    }

    /// Where a place (mm) is in the picture (pixels; the centre of the first pixel is 0.0, as OpenCV counts), with distortion.
    /// `None`: behind the camera.
    pub fn project(&self, p: [f64; 3]) -> Option<[f64; 2]> {
        let d = [p[0] - self.position[0], p[1] - self.position[1], p[2] - self.position[2]];
        let depth = dot(d, self.forward);
        if depth < 1.0 {
            return None;
        }
        let (x, y) = (dot(d, self.right) / depth, dot(d, self.down) / depth);
        // Beyond the radius where the polynomial turns back there is no picture; hold it there so that far-off things stay far off.
        let r2 = x * x + y * y;
        let scale = 1.0 + r2.min(4.0) * (self.k[0] + r2.min(4.0) * self.k[1]);
        let scale = scale.max(0.3);
        Some([
            x * scale * self.focal_px + (f64::from(self.width) - 1.0) / 2.0,
            y * scale * self.focal_px + (f64::from(self.height) - 1.0) / 2.0,
        ])
    }

    /// The place at height `z_mm` that is seen at a pixel; `None` where the line of sight does not meet it.
    pub fn unproject(&self, pixel: [f64; 2], z_mm: f64) -> Option<[f64; 2]> {
        let xd = (pixel[0] - (f64::from(self.width) - 1.0) / 2.0) / self.focal_px;
        let yd = (pixel[1] - (f64::from(self.height) - 1.0) / 2.0) / self.focal_px;
        let rd = xd.hypot(yd);
        let scale = if rd > 0.0 { undistorted_radius(rd, self.k) / rd } else { 1.0 };
        let (x, y) = (xd * scale, yd * scale);
        let d: Vec<f64> = (0..3).map(|i| self.right[i] * x + self.down[i] * y + self.forward[i]).collect();
        if d[2] >= -1e-9 {
            return None;
        }
        let t = (z_mm - self.position[2]) / d[2];
        (t > 0.0).then(|| [self.position[0] + t * d[0], self.position[1] + t * d[1]])
    }

    /// Direction of the line of sight through a pixel, not of unit length: one unit is one millimetre of depth.
    #[inline]
    pub fn sight(&self, px: f32, py: f32) -> V3 {
        let inverse = 1.0 / self.focal_px as f32;
        let xd = (px - (self.width as f32 - 1.0) * 0.5) * inverse;
        let yd = (py - (self.height as f32 - 1.0) * 0.5) * inverse;
        let at = (xd * xd + yd * yd).sqrt() * self.undistort_step;
        let i = (at as usize).min(self.undistort.len() - 2);
        let part = at - i as f32;
        let scale = self.undistort[i] + (self.undistort[i + 1] - self.undistort[i]) * part;
        let (x, y) = (xd * scale, yd * scale);
        let [r, d, f] = self.axes();
        r * x + d * y + f
    }
}

/// Newton's way back from the distorted to the true radius.
fn undistorted_radius(rd: f64, k: [f64; 2]) -> f64 {
    let mut r = rd;
    for _ in 0..8 {
        let r2 = r * r;
        let value = r * (1.0 + r2 * (k[0] + r2 * k[1])) - rd;
        let slope = 1.0 + r2 * (3.0 * k[0] + 5.0 * r2 * k[1]);
        // past the turning point the lens shows nothing: hold there
        if slope < 0.1 {
            break;
        }
        r -= value / slope;
    }
    r.clamp(0.0, 4.0)
}
