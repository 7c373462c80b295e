//! The name of a source as a person writes it, and opening it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use super::camera::CameraSource;
use super::file::FileSource;
use super::folder::FolderSource;
use super::stream::StreamSource;
use super::{Grab, Source, device};

/// What kind of source a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// `0`, `1`, …: `/dev/videoN`.
    CameraNumber(u32),
    /// A path below `/dev`, also a stable link such as `/dev/v4l/by-id/…`.
    CameraPath(PathBuf),
    /// `rtsp://`, `rtsps://`, `http://`, `https://`.
    Stream(String),
    /// A file, a folder, or (when there is no such path) the name of a camera; looked up on opening.
    Named(String),
    /// `virtual` or `virtual:SCRIPT`: the rendered board. Opened by whoever owns one, see [`super::RgbSource`].
    Virtual(Option<String>),
}

/// A source as it was written in a configuration or on a command line.
///
/// ```
/// use goband::capture::{SourceKind, SourceSpec};
/// let spec: SourceSpec = "rtsp://10.0.0.7/stream1".parse().unwrap();
/// assert!(spec.is_live());
/// assert_eq!("2".parse::<SourceSpec>().unwrap().kind(), &SourceKind::CameraNumber(2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceSpec {
    text: String,
    kind: SourceKind,
}

impl SourceSpec {
    pub fn kind(&self) -> &SourceKind {
        &self.kind
    }

    /// True when frames come in their own time. A [`SourceKind::Named`] is live unless the path exists.
    pub fn is_live(&self) -> bool {
        match &self.kind {
            SourceKind::CameraNumber(_) | SourceKind::CameraPath(_) | SourceKind::Stream(_) => true,
            SourceKind::Named(name) => !Path::new(name).exists(),
            SourceKind::Virtual(_) => true,
        }
    }
}

impl FromStr for SourceSpec {
    type Err = anyhow::Error;

    /// # Errors
    /// An empty text, or an address whose scheme is not one that can be read.
    fn from_str(text: &str) -> anyhow::Result<SourceSpec> {
        let t = text.trim();
        if t.is_empty() {
            bail!(
                "no source given: a camera number, /dev/videoN, a camera's name, rtsp://…, http://…, a video file, a folder of pictures, or virtual"
            );
        }
        let kind = if t.bytes().all(|b| b.is_ascii_digit()) {
            SourceKind::CameraNumber(t.parse().with_context(|| format!("camera number {t} is too large"))?)
        } else if t.starts_with("/dev/") {
            SourceKind::CameraPath(PathBuf::from(t))
        } else if t == "virtual" {
            SourceKind::Virtual(None)
        } else if let Some(script) = t.strip_prefix("virtual:") {
            SourceKind::Virtual((!script.is_empty()).then(|| script.to_string()))
        } else if let Some((scheme, rest)) = t.split_once("://") {
            match scheme.to_ascii_lowercase().as_str() {
                "rtsp" | "rtsps" | "http" | "https" if !rest.is_empty() => SourceKind::Stream(t.to_string()),
                "file" => SourceKind::Named(rest.to_string()),
                "rtsp" | "rtsps" | "http" | "https" => bail!("{t}: the address has no host"),
                _ => bail!("{t}: cannot read {scheme}://; use rtsp://, http://, https:// or a path"),
            }
        } else {
            SourceKind::Named(t.to_string())
        };
        Ok(SourceSpec { text: t.to_string(), kind })
    }
}

impl fmt::Display for SourceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_password(&self.text))
    }
}

/// `rtsp://user:secret@host/x` without the secret: addresses end up in logs and on pages.
pub(super) fn without_password(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_string() };
    let (authority, path) = match rest.find('/') {
        Some(i) => rest.split_at(i),
        None => (rest, ""),
    };
    match authority.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split(':').next().unwrap_or("");
            format!("{scheme}://{user}:***@{host}{path}")
        }
        None => address.to_string(),
    }
}

/// How a source is opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OpenOptions {
    /// Width and height in pixels that a camera is asked for.
    pub size: Option<(u32, u32)>,
    /// Camera: frames per second asked for. Folder: pictures a second (default 1). File: replaces the rate the file states.
    pub fps: Option<f64>,
    /// Ask a camera for MJPEG: USB 2 has no room for raw pictures of a useful size.
    pub mjpeg: bool,
    /// Once it has settled, hold the exposure of a camera: automatic exposure breathes with every sleeve.
    pub lock_exposure: bool,
    /// The same for the white balance.
    pub lock_white_balance: bool,
    /// How long opening a stream may take.
    pub open_timeout_ms: u32,
    /// How long one read of a stream may take before it counts as lost.
    pub read_timeout_ms: u32,
}

impl Default for OpenOptions {
    fn default() -> OpenOptions {
        OpenOptions {
            size: None,
            fps: None,
            mjpeg: true,
            lock_exposure: false,
            lock_white_balance: false,
            open_timeout_ms: 5000,
            read_timeout_ms: 5000,
        }
    }
}

/// Opens a source.
///
/// # Errors
/// Says what is missing and what there is instead. [`SourceKind::Virtual`] is not opened here.
pub fn open(spec: &SourceSpec, options: &OpenOptions) -> anyhow::Result<Box<dyn Source>> {
    if let Some(fps) = options.fps
        && !(fps.is_finite() && fps > 0.0 && fps <= 1000.0)
    {
        bail!("{fps} frames per second: give a number above 0");
    }
    Ok(match &spec.kind {
        SourceKind::CameraNumber(n) => {
            Box::new(CameraSource::open(PathBuf::from(format!("/dev/video{n}")), spec.text.clone(), options)?)
        }
        SourceKind::CameraPath(path) => Box::new(CameraSource::open(path.clone(), spec.text.clone(), options)?),
        SourceKind::Stream(address) => Box::new(StreamSource::open(address, options)?),
        SourceKind::Named(name) => {
            let path = Path::new(name);
            if path.is_dir() {
                Box::new(FolderSource::open(path, options)?)
            } else if path.exists() {
                Box::new(FileSource::open(path, options)?)
            } else {
                let camera = device::find_by_name(&device::cameras(), name)
                    .with_context(|| format!("{name}: no such file or folder, and no camera of that name"))?;
                Box::new(CameraSource::open(camera.path, name.clone(), options)?)
            }
        }
        SourceKind::Virtual(_) => {
            bail!("the virtual board is not a camera; `goband demo` and a table configured with it run it")
        }
    })
}

/// A source that is opened by its first [`Source::reopen`]: the daemon may start before its camera is plugged in.
pub fn open_later(spec: &SourceSpec, options: &OpenOptions) -> Box<dyn Source> {
    Box::new(Deferred { spec: spec.clone(), options: options.clone(), inner: None })
}

struct Deferred {
    spec: SourceSpec,
    options: OpenOptions,
    inner: Option<Box<dyn Source>>,
}

impl Source for Deferred {
    fn name(&self) -> String {
        self.spec.to_string()
    }

    fn is_live(&self) -> bool {
        true
    }

    fn grab(&mut self) -> Grab {
        match &mut self.inner {
            Some(source) => source.grab(),
            None => Grab::Lost(format!("{} is not open yet", self.spec)),
        }
    }

    fn reopen(&mut self) -> anyhow::Result<()> {
        match &mut self.inner {
            Some(source) => source.reopen(),
            None => {
                self.inner = Some(open(&self.spec, &self.options)?);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> SourceKind {
        text.parse::<SourceSpec>().unwrap().kind
    }

    #[test]
    fn what_people_write() {
        assert_eq!(kind("0"), SourceKind::CameraNumber(0));
        assert_eq!(kind(" 12 "), SourceKind::CameraNumber(12));
        assert_eq!(kind("/dev/video3"), SourceKind::CameraPath("/dev/video3".into()));
        assert_eq!(kind("/dev/v4l/by-id/usb-x"), SourceKind::CameraPath("/dev/v4l/by-id/usb-x".into()));
        assert_eq!(kind("RTSP://cam/1"), SourceKind::Stream("RTSP://cam/1".into()));
        assert_eq!(kind("http://cam/mjpg?x=1"), SourceKind::Stream("http://cam/mjpg?x=1".into()));
        assert_eq!(kind("game.mp4"), SourceKind::Named("game.mp4".into()));
        assert_eq!(kind("file:///srv/game.mp4"), SourceKind::Named("/srv/game.mp4".into()));
        assert_eq!(kind("./0"), SourceKind::Named("./0".into()));
        assert_eq!(kind("virtual"), SourceKind::Virtual(None));
        assert_eq!(kind("virtual:ko.toml"), SourceKind::Virtual(Some("ko.toml".into())));
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for bad in ["", "   ", "ftp://x/y", "rtsp://", "99999999999999"] {
            assert!(bad.parse::<SourceSpec>().is_err(), "{bad:?}");
        }
        let error = open(&"no such thing".parse().unwrap(), &OpenOptions::default()).err().unwrap();
        assert!(format!("{error:#}").contains("no such file or folder"), "{error:#}");
        let options = OpenOptions { fps: Some(-2.0), ..OpenOptions::default() };
        assert!(open(&".".parse().unwrap(), &options).is_err());
    }

    #[test]
    fn secrets_stay_out_of_messages() {
        let spec: SourceSpec = "rtsp://admin:p@ss@10.1.1.1:554/live/1".parse().unwrap();
        assert_eq!(spec.to_string(), "rtsp://admin:***@10.1.1.1:554/live/1");
        assert_eq!(without_password("http://10.1.1.1/x@y"), "http://10.1.1.1/x@y");
    }
}
