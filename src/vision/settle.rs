//! A lattice settled on the stones of its board.
//!
//! On a nearly full board seen from a low camera hardly a crossing is to be seen, and what is measured is drawn away from the camera,
//! to where the stones' tops lie. Players lay stones as far to one side of their points as to the other: where the reader sees all of
//! them off to one side, it is the lattice that is off.

use opencv::core::Mat;

use super::error::Result;
use super::lattice::{Lattice, Match};
use super::reader::{READ_HEIGHT, Reader};
use super::sighting::PointReading;

/// Points read with this probability count.
const SURE: f32 = 0.9;
/// So many stones are needed; and so many where they are believed against the lines.
const LEAST_STONES: usize = 8;
const MANY_STONES: usize = 40;
/// Where fewer points than this are empty, or the crossings lie so far from where the lattice has them, pitches (root mean square), the
/// lines are not believed: 20 rendered boards leaned by 0.1 pitches or more, and these two told which of them were measured wrongly.
const LEAST_EMPTY: f64 = 0.5;
const WELL_SEEN: f64 = 0.05;
/// Median offset of all stones from which on they show that the lattice is off, pitches.
const LEANING: f64 = 0.05;
/// Weight of each of nine points that are kept where they are, so that a side without stones does not fly away.
const KEPT: f64 = 0.3;
/// A lattice of which no corner moves as far as this is left as it is, pitches.
const LEAST_MOVE: f64 = 0.08;
/// The board is read again from the new lattice so many times at most.
const ROUNDS: usize = 2;

impl Reader {
    /// Like [`Reader::read`], and where the stones show that the lattice is a little off, from one that is settled on them; that
    /// lattice as well.
    ///
    /// # Errors
    /// If the picture is unusable.
    pub fn read_settled(&mut self, image: &Mat, lattice: Lattice) -> Result<(Lattice, Vec<PointReading>)> {
        let mut lattice = lattice;
        let mut points = self.read(image, &lattice)?;
        for _ in 0..ROUNDS {
            let Some(settled) = settled(&lattice, &points) else { break };
            lattice = settled;
            points = self.read(image, &lattice)?;
        }
        Ok((lattice, points))
    }
}

/// The lattice that the stones tell of, if it is another.
fn settled(lattice: &Lattice, points: &[PointReading]) -> Option<Lattice> {
    let n = lattice.size as usize;
    let raised = lattice.raised(READ_HEIGHT);
    let (mut matches, mut offsets) = (Vec::new(), Vec::new());
    let at = |i: usize| [(i / n) as f64, (i % n) as f64];
    for (i, p) in points.iter().enumerate().filter(|(_, p)| p.black.max(p.white) >= SURE) {
        let offset = [f64::from(p.offset[1]), f64::from(p.offset[0])];
        let seen = raised.to_image([at(i)[0] + offset[0], at(i)[1] + offset[1]]);
        matches.push(Match { board: at(i), image: lattice.to_image(raised.to_board(seen)), weight: 1.0 });
        offsets.push(offset);
    }
    if matches.len() < LEAST_STONES {
        return None;
    }
    let empty = || points.iter().enumerate().filter(|(_, p)| p.empty >= SURE);
    let well_seen = lattice.residual_px < WELL_SEEN * lattice.mean_pitch_px();
    let lines = well_seen && empty().count() as f64 >= LEAST_EMPTY * points.len() as f64;
    let lean = median(offsets.iter().map(|o| o[0])).hypot(median(offsets.iter().map(|o| o[1])));
    let lines = lines || matches.len() < MANY_STONES || lean < LEANING;
    let stays = |board: [f64; 2], weight: f64| Match { board, image: lattice.to_image(board), weight };
    if lines {
        matches.extend(empty().map(|(i, _)| stays(at(i), 1.0)));
    }
    let half = |k: usize| (k * (n - 1)) as f64 / 2.0;
    matches.extend((0..9).map(|k| stays([half(k / 3), half(k % 3)], KEPT)));
    let mut settled = lattice.refit(&matches, lines).ok()?;
    // of crossings, not of stones, which never lie right on their points
    settled.residual_px = lattice.residual_px;
    let moved = |k: usize| {
        let [row, col] = lattice.to_board(settled.corners()[k]);
        let last = (n - 1) as f64;
        let [r, c] = [[0.0, 0.0], [0.0, last], [last, last], [last, 0.0]][k];
        (row - r).hypot(col - c)
    };
    ((0..4).map(moved).fold(0.0, f64::max) >= LEAST_MOVE).then_some(settled)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [[f64; 2]; 4] = [[420.0, 300.0], [1490.0, 310.0], [1750.0, 820.0], [180.0, 800.0]];

    fn truth() -> Lattice {
        Lattice::from_corners(19, CORNERS, [1920, 1080]).unwrap()
    }

    /// What is read from `lattice` where stones lie on every `each`th point, all of them `lean` pitches down.
    fn read(lattice: &Lattice, each: usize, lean: f32) -> Vec<PointReading> {
        let (raised, truth) = (lattice.raised(READ_HEIGHT), truth().raised(READ_HEIGHT));
        let one = |i: usize| {
            if !i.is_multiple_of(each) {
                return PointReading::sure(None);
            }
            let at = [(i / 19) as f64, (i % 19) as f64];
            let seen = raised.to_board(truth.to_image(at));
            // players lay stones a little off, to all sides
            let off = |k: usize| 0.12 * (((i * (7 + k)) % 11) as f32 / 5.0 - 1.0);
            let offset = [(seen[1] - at[1]) as f32 + off(0), (seen[0] - at[0]) as f32 + off(5) + lean];
            PointReading { empty: 0.0, black: 0.99, white: 0.01, hidden: 0.0, offset }
        };
        (0..361).map(one).collect()
    }

    fn off_by(a: &Lattice) -> f64 {
        let truth = truth();
        let d = |(p, at): ([f64; 2], [f64; 2])| {
            let b = truth.to_board(p);
            (b[0] - at[0]).hypot(b[1] - at[1])
        };
        a.corners().into_iter().zip([[0.0, 0.0], [0.0, 18.0], [18.0, 18.0], [18.0, 0.0]]).map(d).fold(0.0, f64::max)
    }

    /// Measured too far up by these parts of a pitch at the four corners.
    fn drawn_away(by: [f64; 4]) -> Lattice {
        let truth = truth();
        let at = [[0.0, 0.0], [0.0, 18.0], [18.0, 18.0], [18.0, 0.0]];
        let corners = [0, 1, 2, 3].map(|k| truth.to_image([at[k][0] - by[k], at[k][1]]));
        Lattice::from_corners(19, corners, [1920, 1080]).unwrap()
    }

    #[test]
    fn a_lattice_drawn_away_from_a_low_camera_comes_back_to_the_stones() {
        let wrong = drawn_away([0.5, 0.2, 0.1, 0.3]);
        assert!(off_by(&wrong) > 0.45);
        let settled = settled(&wrong, &read(&wrong, 1, 0.0)).unwrap();
        assert!(off_by(&settled) < 0.1, "{}", off_by(&settled));
    }

    #[test]
    fn lines_that_are_well_seen_are_believed_against_thick_stones() {
        let mut good = drawn_away([0.0; 4]);
        good.residual_px = 0.02 * good.mean_pitch_px();
        // 121 stones tell of another lattice, but lie among twice as many clear crossings
        let points = read(&good, 3, 0.12);
        assert!(settled(&good, &points).is_none_or(|l| off_by(&l) < 0.1));
    }

    #[test]
    fn few_stones_settle_nothing() {
        let wrong = drawn_away([0.3; 4]);
        assert_eq!(settled(&wrong, &read(&wrong, 60, 0.0)), None);
    }
}
