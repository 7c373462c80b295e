//! The two networks: where they come from and how they are run.

use std::path::{Path, PathBuf};

use opencv::core::{Mat, Scalar, Size, Vector};
use opencv::prelude::*;
use opencv::{core, dnn};

use super::error::{Result, VisionError};
use super::heat::Heat;

static LOCATE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/models/locate.onnx"));
static READ: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/models/read.onnx"));

/// Where the networks come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Models {
    /// Those built into the program.
    #[default]
    Builtin,
    /// `locate.onnx` and `read.onnx` in a folder.
    Folder(PathBuf),
}

impl Models {
    /// The folder that the environment variable `GOBAND_MODELS` names, else the built-in ones.
    pub fn from_env() -> Models {
        match std::env::var_os("GOBAND_MODELS") {
            Some(dir) if !dir.is_empty() => Models::Folder(PathBuf::from(dir)),
            _ => Models::Builtin,
        }
    }

    fn load(&self, name: &'static str, builtin: &[u8]) -> Result<dnn::Net> {
        let path: Option<PathBuf> = match self {
            Models::Builtin => None,
            Models::Folder(dir) => Some(Path::new(dir).join(name)),
        };
        let bytes = match &path {
            None => builtin.to_vec(),
            Some(path) => std::fs::read(path).map_err(|cause| VisionError::Io { path: path.clone(), cause })?,
        };
        let failed = |reason: String| VisionError::Model {
            name,
            place: path.as_deref().map_or("the program".to_owned(), |p| p.display().to_string()),
            reason,
        };
        if bytes.is_empty() {
            return Err(failed("the file is empty".into()));
        }
        let mut net = dnn::read_net_from_onnx_buffer(&Vector::from_slice(&bytes)).map_err(|e| failed(e.message))?;
        net.set_preferable_backend(dnn::DNN_BACKEND_OPENCV)?;
        net.set_preferable_target(dnn::DNN_TARGET_CPU)?;
        Ok(net)
    }

    pub(super) fn locate(&self) -> Result<LocateNet> {
        Ok(LocateNet { net: self.load("locate.onnx", LOCATE)? })
    }

    pub(super) fn read(&self) -> Result<ReadNet> {
        Ok(ReadNet { net: self.load("read.onnx", READ)? })
    }
}

/// Finds crossings, corners and the board's area as heat maps.
pub(super) struct LocateNet {
    net: dnn::Net,
}

/// Reads every crossing of a rectified board.
pub(super) struct ReadNet {
    net: dnn::Net,
}

fn run(net: &mut dnn::Net, image: &Mat) -> Result<Mat> {
    let blob = dnn::blob_from_image(image, 1.0 / 255.0, Size::default(), Scalar::default(), true, false, core::CV_32F)?;
    net.set_input_def(&blob)?;
    Ok(net.forward_single_def()?)
}

impl LocateNet {
    /// Heat maps of a BGR picture whose sides are multiples of 16.
    pub(super) fn heat(&mut self, image: &Mat) -> Result<Heat> {
        let out = run(&mut self.net, image)?;
        let (w, h) = (image.cols() as usize / 2, image.rows() as usize / 2);
        let values: &[f32] = out.data_typed()?;
        if values.len() != Heat::CHANNELS * w * h {
            return Err(VisionError::Picture(format!("locate.onnx gave {} values, not 5×{h}×{w}", values.len())));
        }
        Ok(Heat::new(w, h, values.to_vec()))
    }
}

impl ReadNet {
    /// Six values (planes) for each of `(n + 2)²` cells of a rectified board of `16 (n + 2)` pixels.
    pub(super) fn points(&mut self, board: &Mat) -> Result<Vec<f32>> {
        let out = run(&mut self.net, board)?;
        let values: &[f32] = out.data_typed()?;
        let cells = (board.cols() / 16 * (board.rows() / 16)) as usize;
        if values.len() != 6 * cells {
            return Err(VisionError::Picture(format!("read.onnx gave {} values, not 6×{cells}", values.len())));
        }
        Ok(values.to_vec())
    }
}
