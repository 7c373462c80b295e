//! Photos and footage with truth that are not part of the repository.

use std::path::{Path, PathBuf};

/// The folder that `GOBAND_DATA` names, or `../shared` beside the repository. `None`, and said so, where `part` (`photos`, `clips`) is
/// not in it.
pub fn folder(part: &str) -> Option<PathBuf> {
    let dir = std::env::var_os("GOBAND_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let found = dir.join(part).is_dir();
    if !found {
        println!("skipped: no {part} in {}", dir.display());
    }
    found.then_some(dir)
}
