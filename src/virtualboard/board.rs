//! The virtual board: frames and their truth.

use super::camera::{Camera, CameraPose};
use super::director::direct;
use super::furniture::{Furniture, side};
use super::geometry::BoardPose;
use super::hand_paint::{HandView, paint_hand};
use super::look::Look;
use super::scene::Scene;
use super::script::{Script, ScriptError};
use super::sensor::Grain;
use super::space::V3;
use super::still::Set;
use super::timeline::{Timeline, Visit};
use super::truth::{FrameTruth, Truth};
use super::witness::{Eye, Witness};

/// A picture: `width * height * 3` bytes, rows from the top, red first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RgbFrame {
    pub width: u32,
    pub height: u32,
    pub data: Vec<u8>,
}

/// How long the shutter is open.
const SHUTTER_S: f64 = 0.018;

/// A script being played before a camera. The same script, look, camera, size, rate and seed give the same bytes, in any order of
/// frames and with any number of threads.
pub struct VirtualBoard {
    name: String,
    look: Look,
    furniture: Furniture,
    timeline: Timeline,
    set: Set,
    scene: Option<(CameraPose, BoardPose, Scene)>,
    grain: Grain,
    truth: Truth,
    width: u32,
    height: u32,
    fps: f64,
    threads: usize,
    next: u64,
    shown: Option<u64>,
    work: Vec<u8>,
    frame: RgbFrame,
}

impl VirtualBoard {
    /// Gets a script ready to be played. `fps` 1 to 120, pictures from 160 × 120 to 4096 × 4096.
    ///
    /// # Errors
    /// What [`Script::check`] finds, a camera that cannot be, a look for another size, or an impossible picture size or rate.
    pub fn new(
        script: &Script,
        look: Look,
        camera: CameraPose,
        width: u32,
        height: u32,
        fps: f64,
        seed: u64,
    ) -> Result<VirtualBoard, ScriptError> {
        script.check()?;
        camera.check().map_err(|problem| ScriptError::value("camera", problem))?;
        if look.geometry.size != script.size {
            let problem = format!("the look is for a board of {}, the script for {}", look.geometry.size, script.size);
            return Err(ScriptError::value("look", problem));
        }
        if !(160..=4096).contains(&width) || !(120..=4096).contains(&height) {
            return Err(ScriptError::value(
                "size",
                format!("{width} × {height} pixels: from 160 × 120 to 4096 × 4096"),
            ));
        }
        if !(1.0..=120.0).contains(&fps) {
            return Err(ScriptError::value("fps", format!("{fps}: must be from 1 to 120")));
        }
        let furniture = Furniture::new(&look, script.black_seat);
        let timeline = direct(script, &look, &furniture, camera, seed);
        let eye = Camera::new(&camera, width, height);
        let texel_mm = (eye.position() - V3::ZERO).length() / eye.focal_px as f32 * 0.7;
        let set = Set::new(&look, &furniture, texel_mm);
        let witness = Witness { look: &look, furniture: &furniture, timeline: &timeline, width, height, fps };
        let truth = witness.testify(&script.name, &look.describe(width, height));
        let grain = Grain::new(&look.sensor, seed);
        Ok(VirtualBoard {
            name: script.name.clone(),
            look,
            furniture,
            timeline,
            set,
            scene: None,
            grain,
            truth,
            width,
            height,
            fps,
            threads: std::thread::available_parallelism().map_or(2, |n| n.get()).min(4),
            next: 0,
            shown: None,
            work: Vec::new(),
            frame: RgbFrame { width, height, data: vec![0; width as usize * height as usize * 3] },
        })
    }

    /// The look and camera that the script names, or that its look's seed chooses.
    pub fn from_script(
        script: &Script,
        width: u32,
        height: u32,
        fps: f64,
        seed: u64,
    ) -> Result<VirtualBoard, ScriptError> {
        // the look is grown for the size: an impossible one must be refused before
        script.check()?;
        let look = Look::chosen(script.size, &script.look);
        let camera = script.camera.unwrap_or_else(|| {
            CameraPose { elevation_deg: 56.0, ..CameraPose::default() }.fitted(&look.geometry, width, height, 0.84)
        });
        VirtualBoard::new(script, look, camera, width, height, fps, seed)
    }

    /// At most so many threads for a frame; the bytes do not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.clamp(1, 64);
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    pub fn fps(&self) -> f64 {
        self.fps
    }

    /// Number of frames.
    pub fn frames(&self) -> u64 {
        self.truth.frames
    }

    pub fn duration(&self) -> std::time::Duration {
        std::time::Duration::from_secs_f64(self.frames() as f64 / self.fps)
    }

    /// Time of a frame since the start.
    pub fn time_ms(&self, index: u64) -> u64 {
        (index as f64 / self.fps * 1000.0).round() as u64
    }

    /// The truth of the whole script.
    pub fn truth(&self) -> &Truth {
        &self.truth
    }

    /// What is true up to the last frame that was drawn.
    pub fn truth_so_far(&self) -> Truth {
        self.truth.until(self.shown.unwrap_or(0))
    }

    /// The truth of one frame.
    pub fn truth_at(&self, index: u64) -> FrameTruth {
        let witness = self.witness();
        let at_s = witness.time_s(index);
        let (camera, board) = (self.timeline.camera(at_s), self.timeline.board(at_s));
        witness.frame(index, &Eye::new(&self.look.geometry, camera, board, self.width, self.height))
    }

    /// Where a place of the board is in the picture of a frame (rows and columns may be fractions; `height_mm` above the surface).
    pub fn pixel_of(&self, index: u64, row: f64, col: f64, height_mm: f64) -> Option<[f64; 2]> {
        let at_s = index as f64 / self.fps;
        let camera = Camera::new(&self.timeline.camera(at_s), self.width, self.height);
        let p = self.timeline.board(at_s).to_world(self.look.geometry.place(row as f32, col as f32));
        camera.project([f64::from(p.x), f64::from(p.y), height_mm])
    }

    /// The next frame, and its number; `None` at the end.
    pub fn next_frame(&mut self) -> Option<(u64, &RgbFrame)> {
        let index = self.next;
        if index >= self.frames() {
            return None;
        }
        self.next += 1;
        Some((index, self.frame(index)))
    }

    /// Any frame. After the last one the last state goes on.
    pub fn frame(&mut self, index: u64) -> &RgbFrame {
        self.draw(index, true);
        &self.frame
    }

    /// The frame as it would be with nobody at the table: for tests and for teaching what a hand hides.
    pub fn frame_without_hands(&mut self, index: u64) -> &RgbFrame {
        self.draw(index, false);
        &self.frame
    }

    fn witness(&self) -> Witness<'_> {
        Witness {
            look: &self.look,
            furniture: &self.furniture,
            timeline: &self.timeline,
            width: self.width,
            height: self.height,
            fps: self.fps,
        }
    }

    fn draw(&mut self, index: u64, with_hands: bool) {
        let at_s = index as f64 / self.fps;
        self.shown = Some(self.shown.map_or(index, |s| s.max(index)));
        let (camera, board) = (self.timeline.camera(at_s), self.timeline.board(at_s));
        if !self.scene.as_ref().is_some_and(|(c, b, _)| *c == camera && *b == board) {
            // while the picture jumps nobody sees fine edges
            let samples = if self.passes_soon(at_s) { 1 } else { 2 };
            let eye = Camera::new(&camera, self.width, self.height);
            let scene = Scene::new(&self.look, &self.set, eye, board, samples, self.threads);
            self.scene = Some((camera, board, scene));
        }
        let lying = self.timeline.lying(at_s);
        let hands: Vec<HandView> = if with_hands {
            self.timeline.hands(at_s).map(|(k, visit)| self.view(k, visit, at_s)).collect()
        } else {
            Vec::new()
        };
        let (_, _, scene) = self.scene.as_mut().expect("just made");
        scene.lay(&self.look, &lying, self.threads);
        let clean = if hands.is_empty() {
            &scene.settled
        } else {
            self.work.clear();
            self.work.extend_from_slice(&scene.settled);
            for hand in &hands {
                paint_hand(&mut self.work, scene, &self.look, hand, self.threads);
            }
            &self.work
        };
        let exposure = self.timeline.exposure(&self.look, at_s);
        self.grain.expose(clean, &mut self.frame.data, self.width as usize, index, &exposure, self.threads);
        if let Some(quality) = self.look.sensor.jpeg_quality {
            through_jpeg(&mut self.frame, quality);
        }
    }

    /// Whether camera or board stay as they are at a moment for an instant only.
    fn passes_soon(&self, at_s: f64) -> bool {
        let brief = |times: &mut dyn Iterator<Item = f64>| {
            let (mut since, mut until) = (f64::MIN, f64::MAX);
            for t in times {
                if t <= at_s {
                    since = since.max(t);
                } else {
                    until = until.min(t);
                }
            }
            until - since < 0.2
        };
        brief(&mut self.timeline.cameras.iter().map(|c| c.0)) || brief(&mut self.timeline.boards.iter().map(|b| b.0))
    }

    fn view(&self, index: usize, visit: &Visit, at_s: f64) -> HandView {
        let camera = Camera::new(&self.timeline.camera(at_s), self.width, self.height);
        let seen = |t: f64| {
            let p = visit.pose(t).tip;
            camera.project([f64::from(p.x), f64::from(p.y), f64::from(p.z)])
        };
        let sweep_px = match (seen(at_s - SHUTTER_S / 2.0), seen(at_s + SHUTTER_S / 2.0)) {
            (Some(a), Some(b)) => {
                let limit = f64::from(self.width) * 0.06;
                [0, 1].map(|k| (b[k] - a[k]).clamp(-limit, limit) as f32)
            }
            _ => [0.0, 0.0],
        };
        HandView {
            bones: self.witness().bones(visit, at_s),
            person: self.look.people[side(visit.color)],
            stones: self.timeline.carried(index, at_s, &self.look),
            sweep_px,
        }
    }
}

/// What a JPEG camera does to a picture: there and back.
fn through_jpeg(frame: &mut RgbFrame, quality: u8) {
    let mut bytes = Vec::new();
    let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, quality.clamp(1, 100));
    let encoded = image::ImageEncoder::write_image(
        encoder,
        &frame.data,
        frame.width,
        frame.height,
        image::ExtendedColorType::Rgb8,
    );
    // neither way can fail for a whole RGB picture; a picture without artefacts is better than none
    if encoded.is_ok()
        && let Ok(decoded) = image::load_from_memory_with_format(&bytes, image::ImageFormat::Jpeg)
    {
        frame.data = decoded.into_rgb8().into_raw();
    }
}
