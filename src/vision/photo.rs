//! One photo, read whole: locate, then read.

use std::time::Instant;

use opencv::core::Mat;

use super::error::Result;
use super::lattice::Lattice;
use super::locate::{LocateOptions, Locator};
use super::nets::Models;
use super::reader::Reader;
use super::sighting::PointReading;

/// What lies on the board of a photo.
#[derive(Clone, Debug)]
pub struct PhotoReading {
    pub lattice: Lattice,
    /// `size`² readings, row by row.
    pub points: Vec<PointReading>,
    pub locate_ms: f64,
    pub read_ms: f64,
}

impl PhotoReading {
    /// N strings of `.`, `B`, `W`, `?`.
    pub fn rows(&self) -> Vec<String> {
        self.points
            .chunks(self.lattice.size as usize)
            .map(|row| row.iter().map(PointReading::letter).collect())
            .collect()
    }
}

/// Reads photos; holds both networks, one for each thread.
pub struct PhotoReader {
    locator: Locator,
    reader: Reader,
}

impl PhotoReader {
    /// # Errors
    /// If a network cannot be loaded.
    pub fn new(models: &Models) -> Result<PhotoReader> {
        Ok(PhotoReader { locator: Locator::new(models)?, reader: Reader::new(models)? })
    }

    /// Finds the board and reads it.
    ///
    /// # Errors
    /// [`super::VisionError::NoBoard`] if there is none to be trusted; others if the picture is unusable.
    pub fn read(&mut self, image: &Mat, options: &LocateOptions) -> Result<PhotoReading> {
        let start = Instant::now();
        let lattice = self.locator.locate(image, options)?;
        let locate_ms = start.elapsed().as_secs_f64() * 1000.0;
        let mut reading = self.read_at(image, lattice)?;
        reading.locate_ms = locate_ms;
        Ok(reading)
    }

    /// Reads a board whose place is known.
    ///
    /// # Errors
    /// If the picture is unusable.
    pub fn read_at(&mut self, image: &Mat, lattice: Lattice) -> Result<PhotoReading> {
        let start = Instant::now();
        let points = self.reader.read(image, &lattice)?;
        Ok(PhotoReading { lattice, points, locate_ms: 0.0, read_ms: start.elapsed().as_secs_f64() * 1000.0 })
    }

    pub fn locator(&mut self) -> &mut Locator {
        &mut self.locator
    }

    pub fn reader(&mut self) -> &mut Reader {
        &mut self.reader
    }
}
