//! From pictures to sightings: find the board, follow it, read every point.
//!
//! Enters: frames (pixels). Leaves: [`Sighting`]s. It may never know of rules, games or whose turn it is.

mod brightness;
mod calibration;
mod error;
mod heat;
mod lattice;
mod linear;
mod locate;
mod nets;
mod overlay;
mod photo;
mod picture;
mod reader;
mod rectify;
mod settle;
mod sighting;
mod track;
mod watch;

pub use calibration::{BoardGeometry, BoardName, Calibration, CalibrationError};
pub use error::{Result, VisionError};
pub use lattice::{Lattice, LatticeError, Lens, Match};
pub use locate::{LEAST_CONFIDENCE, LocateOptions, Locator, SIZES, Support};
pub use nets::Models;
pub use overlay::draw_overlay;
pub use photo::{PhotoReader, PhotoReading};
pub use picture::{decode_photo, encode_jpeg, load_photo, picture_size, save_picture};
pub use reader::{READ_MARGIN, READ_PITCH_PX, Reader};
pub use rectify::Rectifier;
pub use sighting::{LooseStone, PointReading, Scene, Sighting};
pub use watch::{Watcher, WatcherOptions};
