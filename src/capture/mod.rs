//! Where pictures come from: cameras, streams, files, folders, the virtual board.
//!
//! Enters: the name of a source. Leaves: [`Frame`]s, each stamped with its time. It may never know what is on the pictures.

mod frame;

pub use frame::{Frame, Grab, Source};
