//! A rendered board that plays a script: the embedded camera of the demo, of training and of tests.
//!
//! Enters: a script (a game and timed happenings). Leaves: pictures (RGB bytes) and the truth of each. It may never know of vision.

mod board;
mod camera;
mod director;
mod furniture;
mod geometry;
mod hand;
mod hand_paint;
mod look;
mod record;
mod repertoire;
mod scene;
mod script;
mod script_toml;
mod sensor;
mod space;
mod still;
mod stones;
mod texture;
mod timeline;
mod truth;
mod witness;

pub use board::{RgbFrame, VirtualBoard};
pub use camera::{Camera, CameraPose};
pub use furniture::Seat;
pub use geometry::BoardGeometry;
pub use look::{BoardWood, Lights, Look, LookChoice, StoneMaterial, TableTop};
pub use record::{RecordError, record};
pub use repertoire::point_named;
pub use script::{Happening, Pace, Script, ScriptError, What};
pub use truth::{Corners, FrameTruth, OffPointStone, TrueEvent, TrueMove, Truth};
