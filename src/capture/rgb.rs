//! Pictures that are drawn, not filmed: whoever can give RGB bytes can be a source.

use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use opencv::core::Mat;
use opencv::imgproc;
use opencv::prelude::*;

use super::{Frame, Grab, Source};

/// One drawn picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RgbPicture {
    pub width: u32,
    pub height: u32,
    /// Time of the picture, milliseconds since the start; must not fall.
    pub time_ms: u64,
    /// `width * height * 3` bytes, rows from the top, red first.
    pub rgb: Vec<u8>,
}

/// When a drawn picture is handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// At once: a replay, every picture counts.
    AsFastAsItGoes,
    /// At its own time: it behaves like a camera.
    RealTime,
}

/// A source of drawn pictures. The drawing side knows nothing of OpenCV: it is a closure that gives the next picture, or `None` at the end.
pub struct RgbSource<F> {
    name: String,
    pace: Pace,
    next_picture: F,
    next: u64,
    started: Option<Instant>,
}

impl<F: FnMut() -> Option<RgbPicture> + Send> RgbSource<F> {
    pub fn new(name: impl Into<String>, pace: Pace, next_picture: F) -> RgbSource<F> {
        RgbSource { name: name.into(), pace, next_picture, next: 0, started: None }
    }
}

impl<F: FnMut() -> Option<RgbPicture> + Send> Source for RgbSource<F> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn is_live(&self) -> bool {
        self.pace == Pace::RealTime
    }

    /// Unlike a camera, a drawn source may end in real time too.
    fn grab(&mut self) -> Grab {
        let Some(picture) = (self.next_picture)() else { return Grab::End };
        if self.pace == Pace::RealTime {
            let time = Duration::from_millis(picture.time_ms);
            // The first picture starts the clock at its own time, whatever drawing it cost.
            let started =
                *self.started.get_or_insert_with(|| Instant::now().checked_sub(time).unwrap_or_else(Instant::now));
            std::thread::sleep(time.saturating_sub(started.elapsed()));
        }
        match to_mat(&picture) {
            Ok(image) => {
                let index = self.next;
                self.next += 1;
                Grab::Frame(Frame { index, time_ms: picture.time_ms, image })
            }
            Err(why) => {
                tracing::error!(source = self.name, why = %format!("{why:#}"), "a drawn picture is malformed");
                Grab::End
            }
        }
    }

    fn reopen(&mut self) -> anyhow::Result<()> {
        bail!("{} has ended", self.name)
    }
}

fn to_mat(picture: &RgbPicture) -> anyhow::Result<Mat> {
    let RgbPicture { width, height, rgb, .. } = picture;
    let bytes = u64::from(*width) * u64::from(*height) * 3;
    ensure!(bytes > 0 && rgb.len() as u64 == bytes, "{width}×{height} RGB needs {bytes} bytes, {} came", rgb.len());
    let flat = Mat::from_slice(rgb)?;
    let rgb = flat.reshape(3, i32::try_from(*height)?)?;
    let mut bgr = Mat::default();
    imgproc::cvt_color_def(&rgb, &mut bgr, imgproc::COLOR_RGB2BGR)?;
    Ok(bgr)
}

#[cfg(test)]
mod tests {
    use opencv::core::Vec3b;

    use super::*;

    #[test]
    fn rgb_bytes_become_a_frame() {
        let mut left = 2;
        let mut source = RgbSource::new("drawn", Pace::AsFastAsItGoes, move || {
            left -= 1;
            (left >= 0).then(|| RgbPicture { width: 2, height: 1, time_ms: 40, rgb: vec![1, 2, 3, 4, 5, 6] })
        });
        assert!(!source.is_live());
        let Grab::Frame(frame) = source.grab() else { panic!() };
        assert_eq!((frame.index, frame.time_ms, frame.image.rows(), frame.image.cols()), (0, 40, 1, 2));
        assert_eq!(*frame.image.at_2d::<Vec3b>(0, 1).unwrap(), Vec3b::from([6, 5, 4]));
        assert!(matches!(source.grab(), Grab::Frame(Frame { index: 1, .. })));
        assert!(matches!(source.grab(), Grab::End));
    }

    #[test]
    fn a_malformed_picture_ends_the_source() {
        let mut source = RgbSource::new("drawn", Pace::AsFastAsItGoes, || {
            Some(RgbPicture { width: 9, height: 9, time_ms: 0, rgb: vec![0; 3] })
        });
        assert!(matches!(source.grab(), Grab::End));
    }

    #[test]
    fn real_time_keeps_the_pace() {
        let mut n = 0;
        let mut source = RgbSource::new("drawn", Pace::RealTime, move || {
            n += 1;
            Some(RgbPicture { width: 1, height: 1, time_ms: 1000 + n * 30, rgb: vec![0; 3] })
        });
        let start = Instant::now();
        for _ in 0..4 {
            assert!(matches!(source.grab(), Grab::Frame(_)));
        }
        let took = start.elapsed().as_millis();
        assert!((85..600).contains(&took), "{took} ms for 90 ms of pictures");
    }
}
