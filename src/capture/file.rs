//! A video file: every frame, at the file's own time.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use opencv::core::{Mat, Vector};
use opencv::prelude::*;
use opencv::videoio::{self, VideoCapture};

use super::decoders::with_few_threads;
use super::picture::{footage_time_ms, to_bgr8};
use super::{Frame, Grab, OpenOptions, Source};

pub(super) struct FileSource {
    path: PathBuf,
    fps: f64,
    /// As the file states it; an estimate for some containers.
    frames_stated: f64,
    capture: VideoCapture,
    next: u64,
    ended: bool,
}

impl FileSource {
    pub(super) fn open(path: &Path, options: &OpenOptions) -> anyhow::Result<FileSource> {
        let text = path.to_str().with_context(|| format!("{}: the path is not UTF-8", path.display()))?;
        // A file that cannot be read at all should say so itself, not look like a bad video.
        std::fs::File::open(path).with_context(|| format!("cannot open {text}"))?;
        let none = Vector::<i32>::new();
        let capture = with_few_threads(|| VideoCapture::from_file_with_params(text, videoio::CAP_FFMPEG, &none))?;
        if !capture.is_opened()? {
            bail!("{text} is not a video that FFmpeg can read, or it is damaged");
        }
        let stated = capture.get(videoio::CAP_PROP_FPS)?;
        let fps = match options.fps {
            Some(fps) => fps,
            None if stated.is_finite() && stated > 0.1 && stated <= 1000.0 => stated,
            None => {
                tracing::warn!(
                    file = text,
                    stated,
                    "the file states no sensible frame rate: taking 25 per second; --fps sets it"
                );
                25.0
            }
        };
        let frames_stated = capture.get(videoio::CAP_PROP_FRAME_COUNT)?;
        Ok(FileSource { path: path.to_path_buf(), fps, frames_stated, capture, next: 0, ended: false })
    }
}

impl Source for FileSource {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn is_live(&self) -> bool {
        false
    }

    fn interval_ms(&self) -> Option<u64> {
        Some(footage_time_ms(1, self.fps))
    }

    fn grab(&mut self) -> Grab {
        if self.ended {
            return Grab::End;
        }
        let mut image = Mat::default();
        let picture = match self.capture.read(&mut image) {
            Ok(true) => to_bgr8(image),
            Ok(false) => Err(anyhow::anyhow!("no further frame")),
            Err(e) => Err(e.into()),
        };
        match picture {
            Ok(image) => {
                let frame = Frame { index: self.next, time_ms: footage_time_ms(self.next, self.fps), image };
                self.next += 1;
                Grab::Frame(frame)
            }
            Err(why) => {
                self.ended = true;
                // Stated counts are off by a few in healthy files.
                if self.frames_stated > 0.0 && (self.next as f64) < self.frames_stated * 0.95 - 5.0 {
                    tracing::warn!(
                        file = %self.path.display(), read = self.next, stated = self.frames_stated, %why,
                        "the file ends early: it is cut short or damaged"
                    );
                }
                Grab::End
            }
        }
    }

    fn reopen(&mut self) -> anyhow::Result<()> {
        bail!("{} is a file and has ended", self.path.display())
    }
}
