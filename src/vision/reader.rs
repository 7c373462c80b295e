//! Reads what lies on every crossing of a board whose place is known.

use opencv::core::{self, Mat, Rect, Scalar};
use opencv::prelude::*;

use super::brightness::settle_by_brightness;
use super::error::Result;
use super::lattice::Lattice;
use super::nets::{Models, ReadNet};
use super::picture::check_picture;
use super::rectify::{Rectifier, Warp};
use super::sighting::PointReading;

/// Pixels per pitch that the reading network was trained on.
pub const READ_PITCH_PX: f64 = 16.0;
/// Pitches from the outermost crossings to the edge of the picture that it reads.
pub const READ_MARGIN: f64 = 1.5;
/// Height above the board of the plane that it reads, pitches: there the middles of the stones lie, and so a stone is seen on its own
/// point from wherever the camera looks.
pub(super) const READ_HEIGHT: f64 = 0.15;

/// How far the network looks around a point, cells.
const CONTEXT: usize = 3;
/// Sides of the parts of a board that are read alone, cells: the whole of a 9×9 board and of a 13×13 board, which it knows.
const PARTS: [usize; 2] = [11, 15];

/// Holds the network; one for each thread.
pub struct Reader {
    net: ReadNet,
    /// For parts of a board: a network that is given another size must be set up anew.
    part_nets: [ReadNet; PARTS.len()],
}

impl Reader {
    /// # Errors
    /// If the network cannot be loaded.
    pub fn new(models: &Models) -> Result<Reader> {
        Ok(Reader { net: models.read()?, part_nets: [models.read()?, models.read()?] })
    }

    /// The warp that the network reads; keep it while the lattice stays.
    ///
    /// # Errors
    /// If OpenCV has no memory for it.
    pub fn rectifier(lattice: &Lattice, image_size: [i32; 2]) -> Result<Rectifier> {
        Rectifier::new(&lattice.raised(READ_HEIGHT), image_size, READ_PITCH_PX, READ_MARGIN)
    }

    /// `size`² readings, row by row, of a single photo: seen as it is and mirrored, and averaged, since there is no second frame
    /// to correct the first; shifted a little as well where one is unsure of a point. Points out of the picture are hidden.
    ///
    /// # Errors
    /// If the picture is unusable.
    pub fn read(&mut self, image: &Mat, lattice: &Lattice) -> Result<Vec<PointReading>> {
        check_picture(image)?;
        let image_size = [image.cols(), image.rows()];
        let rectifier = Self::rectifier(lattice, image_size)?;
        let board = rectifier.apply(image)?;
        let turns = rectifier.whole().near_turn();
        let n = lattice.size as usize;
        let mut sums = vec![[0f32; 6]; n * n];
        let mut looks = 0.0;
        for (shift_px, mirrored) in [(0, false), (0, true), (1, false), (-1, true)] {
            if looks == 2.0 && sums.iter().all(|v| sure(mean(*v, looks))) {
                break;
            }
            looks += 1.0;
            let pose = Pose { shift_px, turns, mirrored };
            let values = self.net.points(&pose.show(&board)?)?;
            for (i, sum) in sums.iter_mut().enumerate() {
                let seen = pose.value(&values, n + 2, i / n + 1, i % n + 1);
                sum.iter_mut().zip(seen).for_each(|(s, v)| *s += v);
            }
        }
        let mut readings: Vec<PointReading> = sums.into_iter().map(|v| reading(mean(v, looks))).collect();
        let mut stones: Vec<_> =
            readings.iter_mut().enumerate().map(|(i, r)| (cell_px(i / n + 1, i % n + 1), r)).collect();
        settle_by_brightness(&board, READ_PITCH_PX, &mut stones)?;
        for (i, reading) in readings.iter_mut().enumerate() {
            let at = [(i / n) as f64, (i % n) as f64];
            let p = lattice.to_image(at);
            // most of what lies on a point just beyond the picture's edge is still to be seen
            let [a, b] = lattice.pitch_px(at);
            let slack = 0.15 * a.min(b);
            let outside = (0..2).any(|k| p[k] < -slack || p[k] > f64::from(image_size[k] - 1) + slack);
            if outside {
                *reading = PointReading::HIDDEN;
            }
        }
        Ok(readings)
    }

    /// Reads at least the `wanted` points, which must not be empty, of a board that `warp` shows: those near each other from a part
    /// of it, at a part of the cost. Which points were read, and how.
    pub(super) fn read_points(
        &mut self,
        image: &Mat,
        warp: Warp,
        size: u8,
        wanted: &[usize],
    ) -> Result<Vec<(usize, PointReading)>> {
        let n = size as usize;
        let pose = Pose { shift_px: 0, turns: warp.near_turn(), mirrored: false };
        let Some((index, origin)) = part_around(wanted, n) else {
            let board = warp.apply(image)?;
            let values = self.net.points(&pose.show(&board)?)?;
            let read = |i: usize| (i, reading(pose.value(&values, n + 2, i / n + 1, i % n + 1)));
            let mut read: Vec<_> = (0..n * n).map(read).collect();
            let mut stones: Vec<_> = read.iter_mut().map(|(i, r)| (cell_px(*i / n + 1, *i % n + 1), r)).collect();
            settle_by_brightness(&board, READ_PITCH_PX, &mut stones)?;
            return Ok(read);
        };
        let side = PARTS[index];
        let px = READ_PITCH_PX as usize;
        let rect = Rect::new((origin[1] * px) as i32, (origin[0] * px) as i32, (side * px) as i32, (side * px) as i32);
        let board = warp.apply_part(image, rect)?;
        let values = self.part_nets[index].points(&pose.show(&board)?)?;
        let mut read = Vec::with_capacity(side * side);
        // cells whose surroundings are all in the part
        let whole = |at: usize, first: usize| {
            (at >= first + CONTEXT || first == 0) && (at + CONTEXT < first + side || first + side == n + 2)
        };
        for (row, col) in (0..side * side).map(|k| (origin[0] + k / side, origin[1] + k % side)) {
            let on_board = (1..=n).contains(&row) && (1..=n).contains(&col);
            if on_board && whole(row, origin[0]) && whole(col, origin[1]) {
                let v = pose.value(&values, side, row - origin[0], col - origin[1]);
                read.push(((row - 1) * n + col - 1, reading(v)));
            }
        }
        let cell = |i: usize| cell_px(i / n + 1 - origin[0], i % n + 1 - origin[1]);
        let mut stones: Vec<_> = read.iter_mut().map(|(i, r)| (cell(*i), r)).collect();
        settle_by_brightness(&board, READ_PITCH_PX, &mut stones)?;
        Ok(read)
    }
}

/// Pixel `[x, y]` of a cell's middle, which is its crossing.
fn cell_px(row: usize, col: usize) -> [f64; 2] {
    [col, row].map(|i| (i as f64 + 0.5) * READ_PITCH_PX - 0.5)
}

/// How a board is shown to the network, which is used to seeing it from its last row: stones stand up, and so all lean away from the
/// camera.
#[derive(Clone, Copy, Debug)]
struct Pose {
    /// The board is moved so far to the right and down, pixels.
    shift_px: i32,
    /// Clockwise quarter turns after that.
    turns: u8,
    /// Left and right changed after that.
    mirrored: bool,
}

impl Pose {
    fn show(self, board: &Mat) -> Result<Mat> {
        let code = match self.turns {
            0 => None,
            1 => Some(core::ROTATE_90_CLOCKWISE),
            2 => Some(core::ROTATE_180),
            _ => Some(core::ROTATE_90_COUNTERCLOCKWISE),
        };
        let moved = self.moved(board)?;
        let mut shown = Mat::default();
        match code {
            Some(code) => core::rotate(&moved, &mut shown, code)?,
            None => shown = moved,
        }
        if self.mirrored {
            let mut mirrored = Mat::default();
            core::flip(&shown, &mut mirrored, 1)?;
            shown = mirrored;
        }
        Ok(shown)
    }

    /// The board moved by [`Pose::shift_px`]; its edge is drawn out.
    fn moved(self, board: &Mat) -> Result<Mat> {
        let by = self.shift_px;
        if by == 0 {
            return Ok(board.clone());
        }
        let (before, after) = (by.max(0), (-by).max(0));
        let mut wide = Mat::default();
        let replicate = core::BORDER_REPLICATE;
        core::copy_make_border(board, &mut wide, before, after, before, after, replicate, Scalar::default())?;
        let part = Mat::roi(&wide, Rect::new(after, after, board.cols(), board.rows()))?;
        Ok(part.try_clone()?)
    }

    /// What the network says of a cell of the board: four logits, and the offset to the board's right and down. `values`: planes of
    /// `side`² cells.
    fn value(self, values: &[f32], side: usize, row: usize, col: usize) -> [f32; 6] {
        let (mut r, mut c) = (row, col);
        for _ in 0..self.turns {
            (r, c) = (c, side - 1 - r);
        }
        if self.mirrored {
            c = side - 1 - c;
        }
        let mut v = [0, 1, 2, 3, 4, 5].map(|k| values[k * side * side + r * side + c]);
        if self.mirrored {
            v[4] = -v[4];
        }
        // turning clockwise makes right down and down left
        for _ in 0..self.turns {
            (v[4], v[5]) = (v[5], -v[4]);
        }
        let shift = self.shift_px as f32 / READ_PITCH_PX as f32;
        v[4] -= shift;
        v[5] -= shift;
        v
    }
}

/// The smallest part that shows all `wanted` points of an `n`×`n` board with their surroundings: which of [`PARTS`], and its first
/// cell `[row, col]`. `None` if only the whole board does.
fn part_around(wanted: &[usize], n: usize) -> Option<(usize, [usize; 2])> {
    let cells = n + 2;
    let span = |of: fn(usize, usize) -> usize| {
        let (first, last) = wanted.iter().map(|i| of(*i, n) + 1).fold((cells, 0), |(a, b), v| (a.min(v), b.max(v)));
        (first.saturating_sub(CONTEXT), (last + CONTEXT + 1).min(cells))
    };
    let (rows, cols) = (span(|i, n| i / n), span(|i, n| i % n));
    let index = PARTS.iter().position(|s| *s < cells && rows.1 - rows.0 <= *s && cols.1 - cols.0 <= *s)?;
    let side = PARTS[index];
    // in the middle, as far as the board allows
    let origin = |(first, last): (usize, usize)| ((first + last).saturating_sub(side) / 2).min(cells - side);
    Some((index, [origin(rows), origin(cols)]))
}

/// From this probability on a point is read for certain.
const SURE: f32 = 0.99;

fn mean(sums: [f32; 6], turns: f32) -> [f32; 6] {
    sums.map(|v| v / turns)
}

fn sure(v: [f32; 6]) -> bool {
    let r = reading(v);
    r.empty.max(r.black).max(r.white).max(r.hidden) >= SURE
}

fn reading(v: [f32; 6]) -> PointReading {
    let top = v[..4].iter().copied().fold(f32::MIN, f32::max);
    let exp = [v[0], v[1], v[2], v[3]].map(|v| (v - top).exp());
    let sum: f32 = exp.iter().sum();
    let [empty, black, white, hidden] = exp.map(|v| v / sum);
    let stone = black + white > 0.5;
    let offset = if stone { [v[4].clamp(-1.0, 1.0), v[5].clamp(-1.0, 1.0)] } else { [0.0, 0.0] };
    PointReading { empty, black, white, hidden, offset }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shifted_board_is_moved_and_its_stones_are_said_to_lie_where_they_lay() {
        let mut board = Mat::new_rows_cols_with_default(8, 8, core::CV_8UC3, Scalar::all(9.0)).unwrap();
        *board.at_2d_mut::<core::Vec3b>(3, 5).unwrap() = core::Vec3b::from([200, 0, 0]);
        for (shift_px, at) in [(1, (4, 6)), (-1, (2, 4))] {
            let pose = Pose { shift_px, turns: 0, mirrored: false };
            let shown = pose.show(&board).unwrap();
            assert_eq!((shown.rows(), shown.cols()), (8, 8));
            assert_eq!(shown.at_2d::<core::Vec3b>(at.0, at.1).unwrap()[0], 200);
            // one cell: four logits and the offset of a stone that is seen a pixel from its point
            let seen = shift_px as f32 / READ_PITCH_PX as f32;
            let v = pose.value(&[0.0, 1.0, 2.0, 3.0, seen, seen], 1, 0, 0);
            assert_eq!(v, [0.0, 1.0, 2.0, 3.0, 0.0, 0.0]);
        }
    }

    #[test]
    fn parts_hold_what_is_wanted_with_its_surroundings() {
        let n = 19;
        for wanted in [vec![0], vec![360], vec![9 * 19 + 9], vec![3 * 19 + 4, 7 * 19 + 8], vec![18, 9 * 19 + 14]] {
            let (index, origin) = part_around(&wanted, n).unwrap();
            let side = PARTS[index];
            for i in &wanted {
                for (at, first) in [(i / n + 1, origin[0]), (i % n + 1, origin[1])] {
                    assert!(at >= first + CONTEXT || first == 0, "{wanted:?}: {origin:?}");
                    assert!(at + CONTEXT < first + side || first + side == n + 2, "{wanted:?}: {origin:?}");
                    assert!(first + side <= n + 2);
                }
            }
        }
        assert_eq!(part_around(&[0], n).unwrap(), (0, [0, 0]));
        assert_eq!(part_around(&[0, 360], n), None);
        assert_eq!(part_around(&[0], 9), None, "a part of a small board costs as much as the whole");
    }
}
