//! Where pictures come from: cameras, streams, files, folders, the virtual board.
//!
//! Enters: the name of a source. Leaves: [`Frame`]s, each stamped with its time. It may never know what is on the pictures.
//!
//! [`SourceSpec`] reads what a person wrote, [`open`] opens it, [`CaptureThread`] runs it on a thread of its own: a live source
//! gives its newest frame and comes back by itself when it was lost, a replay gives every frame.

mod camera;
mod decoders;
mod device;
mod file;
mod folder;
mod frame;
mod picture;
mod rgb;
mod spec;
mod stream;
mod thread;

pub use device::{CameraInfo, cameras};
pub use frame::{Frame, Grab, Source};
pub use rgb::{Pace, RgbPicture, RgbSource};
pub use spec::{OpenOptions, SourceKind, SourceSpec, open, open_later};
pub use thread::{CaptureThread, Captured, ThreadOptions};
