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
    /// N strings of `.`, `B`, `W`, `?`. Only what is surely covered is `?`: there is no second photo that could settle a doubt,
    /// so a point that is partly seen gets its likeliest reading, and `points` says how sure that is.
    pub fn rows(&self) -> Vec<String> {
        self.points.chunks(self.lattice.size as usize).map(|row| row.iter().map(letter).collect()).collect()
    }
}

/// From this probability on, a point of a photo counts as covered.
const COVERED: f32 = 0.85;

fn letter(p: &PointReading) -> char {
    if p.hidden >= COVERED {
        '?'
    } else if p.empty >= p.black.max(p.white) {
        '.'
    } else if p.black >= p.white {
        'B'
    } else {
        'W'
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

    /// Reads a board whose place is known, but perhaps not to a tenth of a pitch: the lattice is settled on the stones.
    ///
    /// # Errors
    /// If the picture is unusable.
    pub fn read_at(&mut self, image: &Mat, lattice: Lattice) -> Result<PhotoReading> {
        let start = Instant::now();
        let (lattice, mut points) = self.reader.read_settled(image, lattice)?;
        settle_lone_doubts(&mut points, lattice.size);
        Ok(PhotoReading { lattice, points, locate_ms: 0.0, read_ms: start.elapsed().as_secs_f64() * 1000.0 })
    }

    pub fn locator(&mut self) -> &mut Locator {
        &mut self.locator
    }

    pub fn reader(&mut self) -> &mut Reader {
        &mut self.reader
    }
}

/// What covers points (a hand, a sleeve, a bowl) covers several; a lone "hidden" point among seen ones is a glare or a worn
/// crossing, and the likeliest of the other readings holds. Points out of the picture stay hidden.
pub(super) fn settle_lone_doubts(points: &mut [PointReading], size: u8) {
    let n = size as usize;
    let hidden: Vec<f32> = points.iter().map(|p| p.hidden).collect();
    for (i, point) in points.iter_mut().enumerate() {
        if point.hidden < 0.3 || point.hidden > 0.98 {
            continue;
        }
        let (row, col) = (i / n, i % n);
        let near = |v: usize| v.saturating_sub(1)..=(v + 1).min(n - 1);
        let alone = near(row).all(|r| near(col).all(|c| (r, c) == (row, col) || hidden[r * n + c] < 0.3));
        if alone {
            let rest = 1.0 - point.hidden;
            // a tenth of the doubt stays
            let kept = 0.1 * point.hidden;
            let scale = (1.0 - kept) / rest;
            point.empty *= scale;
            point.black *= scale;
            point.white *= scale;
            point.hidden = kept;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_photo_gives_the_likeliest_reading_of_what_is_partly_seen() {
        let p = |empty, black, white, hidden| PointReading { empty, black, white, hidden, offset: [0.0; 2] };
        assert_eq!(letter(&p(0.1, 0.37, 0.49, 0.04)), 'W');
        assert_eq!(letter(&p(0.44, 0.48, 0.04, 0.04)), 'B');
        assert_eq!(letter(&p(0.36, 0.02, 0.04, 0.58)), '.');
        assert_eq!(letter(&p(0.1, 0.02, 0.03, 0.85)), '?');
        assert_eq!(letter(&PointReading::HIDDEN), '?');
    }

    #[test]
    fn lone_doubts_are_settled_and_covered_regions_are_not() {
        let doubt = PointReading { empty: 0.3, black: 0.05, white: 0.05, hidden: 0.6, offset: [0.0; 2] };
        let mut points = vec![PointReading::sure(None); 81];
        points[40] = doubt;
        (points[0], points[1]) = (doubt, doubt);
        points[80] = PointReading::HIDDEN;
        settle_lone_doubts(&mut points, 9);
        assert_eq!(points[40].letter(), '.');
        assert!((points[40].empty + points[40].black + points[40].white + points[40].hidden - 1.0).abs() < 1e-5);
        assert_eq!((points[0].letter(), points[1].letter(), points[80].letter()), ('?', '?', '?'));
    }
}
