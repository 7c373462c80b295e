//! A camera of this machine, through V4L2.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use opencv::core::{Mat, Vector};
use opencv::prelude::*;
use opencv::videoio::{self, VideoCapture, VideoWriter};

use super::picture::to_bgr8;
use super::{Frame, Grab, OpenOptions, Source, device};

/// Automatic exposure and white balance need this long to settle before they are held.
const SETTLE: Duration = Duration::from_secs(2);
/// V4L2's numbers for the menu control "auto exposure".
const EXPOSURE_MANUAL: f64 = 1.0;

pub(super) struct CameraSource {
    path: PathBuf,
    written: String,
    options: OpenOptions,
    capture: Option<VideoCapture>,
    started: Instant,
    opened: Instant,
    locked: bool,
    next: u64,
}

impl CameraSource {
    pub(super) fn open(path: PathBuf, written: String, options: &OpenOptions) -> anyhow::Result<CameraSource> {
        let now = Instant::now();
        let mut source = CameraSource {
            path,
            written,
            options: options.clone(),
            capture: None,
            started: now,
            opened: now,
            locked: false,
            next: 0,
        };
        source.reopen()?;
        Ok(source)
    }

    fn connect(&self) -> anyhow::Result<VideoCapture> {
        let here = || device::list(&device::cameras());
        if !self.path.exists() {
            bail!("camera {}: no such device; cameras here: {}", self.written, here());
        }
        std::fs::File::open(&self.path).with_context(|| {
            format!(
                "camera {}: cannot open {}; is it in use, or may this user read it (group video)?",
                self.written,
                self.path.display()
            )
        })?;
        // OpenCV takes V4L2 devices by number; a stable link leads to it.
        let real = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        let number = number_of(&real).with_context(|| {
            format!("camera {}: {} is no video device; cameras here: {}", self.written, real.display(), here())
        })?;
        let mut capture = VideoCapture::new_with_params(number, videoio::CAP_V4L2, &Vector::<i32>::new())?;
        if !capture.is_opened()? {
            bail!(
                "camera {}: {} gives no pictures (in use by another program, or a metadata node); cameras here: {}",
                self.written,
                real.display(),
                here()
            );
        }
        self.configure(&mut capture)?;
        Ok(capture)
    }

    /// Asks for format, size and rate, in the order that V4L2 needs, and says what the camera did not grant.
    fn configure(&self, capture: &mut VideoCapture) -> opencv::Result<()> {
        // Old pictures are worthless: keep the driver's queue short.
        self.ask(capture, "buffer length", videoio::CAP_PROP_BUFFERSIZE, 2.0)?;
        if self.options.mjpeg {
            let fourcc = VideoWriter::fourcc('M', 'J', 'P', 'G')?;
            self.ask(capture, "MJPEG", videoio::CAP_PROP_FOURCC, f64::from(fourcc))?;
        }
        if let Some((width, height)) = self.options.size {
            self.ask(capture, "width", videoio::CAP_PROP_FRAME_WIDTH, f64::from(width))?;
            self.ask(capture, "height", videoio::CAP_PROP_FRAME_HEIGHT, f64::from(height))?;
        }
        if let Some(fps) = self.options.fps {
            self.ask(capture, "frames per second", videoio::CAP_PROP_FPS, fps)?;
        }
        Ok(())
    }

    fn ask(&self, capture: &mut VideoCapture, what: &str, property: i32, value: f64) -> opencv::Result<bool> {
        let granted = capture.set(property, value)?;
        let is = capture.get(property)?;
        let fits = granted && (is - value).abs() <= value.abs() * 0.01 + 0.01;
        if !fits {
            tracing::warn!(camera = self.written, what, asked = value, is, "the camera did not grant it");
        }
        Ok(fits)
    }

    /// Switches the automatics off at the values they have found.
    fn lock(&self, capture: &mut VideoCapture) -> opencv::Result<()> {
        if self.options.lock_exposure {
            let exposure = capture.get(videoio::CAP_PROP_EXPOSURE)?;
            if self.ask(capture, "manual exposure", videoio::CAP_PROP_AUTO_EXPOSURE, EXPOSURE_MANUAL)? && exposure > 0.0
            {
                self.ask(capture, "exposure", videoio::CAP_PROP_EXPOSURE, exposure)?;
            }
        }
        if self.options.lock_white_balance {
            let kelvin = capture.get(videoio::CAP_PROP_WB_TEMPERATURE)?;
            if self.ask(capture, "manual white balance", videoio::CAP_PROP_AUTO_WB, 0.0)? && kelvin > 0.0 {
                self.ask(capture, "white balance", videoio::CAP_PROP_WB_TEMPERATURE, kelvin)?;
            }
        }
        Ok(())
    }
}

fn number_of(path: &Path) -> Option<i32> {
    path.to_str()?.strip_prefix("/dev/video")?.parse().ok()
}

impl Source for CameraSource {
    fn name(&self) -> String {
        if Path::new(&self.written) == self.path {
            self.written.clone()
        } else {
            format!("{} ({})", self.written, self.path.display())
        }
    }

    fn is_live(&self) -> bool {
        true
    }

    fn grab(&mut self) -> Grab {
        let Some(mut capture) = self.capture.take() else {
            return Grab::Lost(format!("camera {} is closed", self.written));
        };
        if !self.locked && self.opened.elapsed() >= SETTLE {
            self.locked = true;
            if let Err(why) = self.lock(&mut capture) {
                tracing::warn!(camera = self.written, %why, "exposure or white balance could not be held");
            }
        }
        let mut image = Mat::default();
        let picture = match capture.read(&mut image) {
            Ok(true) => to_bgr8(image),
            Ok(false) if !self.path.exists() => Err(anyhow::anyhow!("unplugged ({} is gone)", self.path.display())),
            Ok(false) => Err(anyhow::anyhow!("the camera gives no pictures any more")),
            Err(e) => Err(e.into()),
        };
        match picture {
            Ok(image) => {
                let frame = Frame { index: self.next, time_ms: self.started.elapsed().as_millis() as u64, image };
                self.next += 1;
                self.capture = Some(capture);
                Grab::Frame(frame)
            }
            // the capture is dropped: a dead one stays dead
            Err(why) => Grab::Lost(format!("camera {}: {why:#}", self.written)),
        }
    }

    fn reopen(&mut self) -> anyhow::Result<()> {
        self.capture = None;
        self.capture = Some(self.connect()?);
        self.opened = Instant::now();
        self.locked = !(self.options.lock_exposure || self.options.lock_white_balance);
        Ok(())
    }
}
