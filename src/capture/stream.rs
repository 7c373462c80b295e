//! A network camera: RTSP or MJPEG over HTTP, through FFmpeg.

use std::time::Instant;

use anyhow::bail;
use opencv::core::{Mat, Vector};
use opencv::prelude::*;
use opencv::videoio::{self, VideoCapture};

use super::decoders::with_few_threads;
use super::picture::to_bgr8;
use super::spec::without_password;
use super::{Frame, Grab, OpenOptions, Source};

pub(super) struct StreamSource {
    address: String,
    options: OpenOptions,
    capture: Option<VideoCapture>,
    started: Instant,
    next: u64,
}

impl StreamSource {
    pub(super) fn open(address: &str, options: &OpenOptions) -> anyhow::Result<StreamSource> {
        let mut source = StreamSource {
            address: address.to_string(),
            options: options.clone(),
            capture: None,
            started: Instant::now(),
            next: 0,
        };
        source.reopen()?;
        Ok(source)
    }
}

impl Source for StreamSource {
    fn name(&self) -> String {
        without_password(&self.address)
    }

    fn is_live(&self) -> bool {
        true
    }

    fn grab(&mut self) -> Grab {
        let Some(capture) = &mut self.capture else {
            return Grab::Lost(format!("{} is closed", self.name()));
        };
        let asked = Instant::now();
        let mut image = Mat::default();
        let picture = match capture.read(&mut image) {
            Ok(true) => to_bgr8(image),
            // A read that fails is either cut off (at once) or timed out.
            Ok(false) if asked.elapsed().as_millis() + 200 >= u128::from(self.options.read_timeout_ms) => {
                Err(anyhow::anyhow!("no picture for {} ms", self.options.read_timeout_ms))
            }
            Ok(false) => Err(anyhow::anyhow!("the connection was cut")),
            Err(e) => Err(e.into()),
        };
        match picture {
            Ok(image) => {
                let frame = Frame { index: self.next, time_ms: self.started.elapsed().as_millis() as u64, image };
                self.next += 1;
                Grab::Frame(frame)
            }
            Err(why) => {
                // A dead capture stays dead: it has to be opened anew.
                self.capture = None;
                Grab::Lost(format!("{}: {why:#}", self.name()))
            }
        }
    }

    fn reopen(&mut self) -> anyhow::Result<()> {
        self.capture = None;
        // FFmpeg is named: left to choose, OpenCV goes on to other backends and ignores the time-outs.
        let params = [
            videoio::CAP_PROP_OPEN_TIMEOUT_MSEC,
            self.options.open_timeout_ms as i32,
            videoio::CAP_PROP_READ_TIMEOUT_MSEC,
            self.options.read_timeout_ms as i32,
        ];
        let asked = Instant::now();
        let params = Vector::<i32>::from_slice(&params);
        let capture =
            with_few_threads(|| VideoCapture::from_file_with_params(&self.address, videoio::CAP_FFMPEG, &params))?;
        if !capture.is_opened()? {
            let name = self.name();
            if asked.elapsed().as_millis() + 200 >= u128::from(self.options.open_timeout_ms) {
                bail!(
                    "{name}: no answer for {} ms; is the camera on, and the address right?",
                    self.options.open_timeout_ms
                );
            }
            bail!("{name}: refused, or what comes is no video; check address, user and password");
        }
        self.capture = Some(capture);
        Ok(())
    }
}
