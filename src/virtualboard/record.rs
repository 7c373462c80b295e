//! Writes footage: numbered pictures and their truth.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use image::ExtendedColorType;
use image::ImageEncoder;
use image::codecs::jpeg::JpegEncoder;

use super::VirtualBoard;

/// Why footage could not be written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("cannot write {path}: {source}; is there room, and may this user write there?")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("cannot encode {path}: {source}")]
    Encode { path: PathBuf, source: image::ImageError },
    #[error("stopped after {frames} frames")]
    Stopped { frames: u64 },
}

/// Quality of the pictures: as good as a camera's own.
const JPEG_QUALITY: u8 = 92;

/// Plays the board from its first frame to its last into `dir/frames/000000.jpg`… and `dir/truth.json`. `progress` gets the frames
/// written and their total after each; `false` stops.
///
/// # Errors
/// The first file that cannot be written, or [`RecordError::Stopped`]. What is written so far stays.
pub fn record(
    dir: &Path,
    board: &mut VirtualBoard,
    mut progress: impl FnMut(u64, u64) -> bool,
) -> Result<(), RecordError> {
    let frames_dir = dir.join("frames");
    fs::create_dir_all(&frames_dir).map_err(|source| RecordError::Io { path: frames_dir.clone(), source })?;
    let truth = dir.join("truth.json");
    let text = serde_json::to_string(board.truth()).expect("a truth has only plain values");
    fs::write(&truth, text + "\n").map_err(|source| RecordError::Io { path: truth, source })?;
    let total = board.frames();
    for index in 0..total {
        let frame = board.frame(index);
        let path = frames_dir.join(format!("{index:06}.jpg"));
        let io = |source| RecordError::Io { path: path.clone(), source };
        let mut file = BufWriter::new(File::create(&path).map_err(io)?);
        JpegEncoder::new_with_quality(&mut file, JPEG_QUALITY)
            .write_image(&frame.data, frame.width, frame.height, ExtendedColorType::Rgb8)
            .map_err(|source| RecordError::Encode { path: path.clone(), source })?;
        file.flush().map_err(io)?;
        if !progress(index + 1, total) {
            return Err(RecordError::Stopped { frames: index + 1 });
        }
    }
    Ok(())
}
