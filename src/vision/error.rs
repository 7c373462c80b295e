//! What can go wrong between a picture and a reading.

use std::path::PathBuf;

use super::lattice::LatticeError;

/// Why a picture gave no reading.
#[derive(Debug, thiserror::Error)]
pub enum VisionError {
    /// The picture is fine, but there is no board on it that one could trust.
    #[error("no board: {0}")]
    NoBoard(String),
    #[error(transparent)]
    Lattice(#[from] LatticeError),
    /// The picture itself is unusable.
    #[error("{0}")]
    Picture(String),
    #[error("cannot load the network '{name}' from {place}: {reason}")]
    Model { name: &'static str, place: String, reason: String },
    #[error("cannot read {path}: {cause}", path = path.display())]
    Io { path: PathBuf, cause: std::io::Error },
    #[error("picture operation failed: {0}")]
    OpenCv(#[from] opencv::Error),
}

pub type Result<T, E = VisionError> = std::result::Result<T, E>;
