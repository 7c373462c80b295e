//! Follows the board and the table from frame to frame by small features that are recognised again.
//!
//! Features are taken once, from a picture whose lattice is known, and every later picture is compared with that one: nothing
//! drifts. Features on the board say where the lattice is now; features on the table say whether the camera moved or only the
//! board. A hand hides some of them, and stones come and go: the fit is robust against both.

use opencv::core::{Mat, Point, Point2f, Rect, Scalar, Size, TermCriteria, TermCriteria_Type, ToInputArray, Vector};
use opencv::prelude::*;
use opencv::{calib3d, core, imgproc, video};

use super::error::Result;
use super::lattice::{Lattice, Match};

/// Long side of the pictures that features are followed in.
const WORK_SIDE: i32 = 960;
/// Side of the surroundings that brightness is measured against, pixels of the work picture.
const NEAR_PX: i32 = 41;
/// Correlation of a feature's patch with what was found, to be the same.
const LEAST_CORRELATION: f32 = 0.5;
/// Half the side of such a patch.
const PATCH_PX: i32 = 6;
const BOARD_FEATURES: i32 = 320;
const TABLE_FEATURES: i32 = 120;
/// Forward and backward flow must meet again within this, pixels of the work picture.
const ROUND_TRIP_PX: f32 = 0.8;
/// A feature this near its prediction has not moved.
const STILL_PX: f64 = 0.6;
/// Below this median displacement the lattice stays as it is, to the bit.
const NO_MOTION_PX: f64 = 0.22;
/// Share of the board's features that must agree on where the board is.
pub(super) const LEAST_SEEN: f64 = 0.22;

/// Side of the patches that flow compares, and how often they are halved.
const FLOW_PX: i32 = 17;
const FLOW_LEVELS: i32 = 3;
/// Features of a quick look.
const QUICK_FEATURES: usize = 80;

/// Features of one picture, to be recognised in later ones.
pub(super) struct Tracker {
    scale: f64,
    reference: Mat,
    /// The reference with its smaller copies and slopes, as flow wants it.
    pyramid: Vector<Mat>,
    lattice: Lattice,
    board: Vec<Point2f>,
    board_at: Vec<[f64; 2]>,
    table: Vec<Point2f>,
}

/// What became of the features.
pub(super) struct Followed {
    /// Where the board is now, if enough of it was recognised.
    pub lattice: Option<Lattice>,
    /// Share of the board's features that agree with `lattice`.
    pub seen: f64,
    pub table: Table,
}

/// What the table did, seen against the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Still,
    /// It moved as the board did: the camera moved.
    MovedAlong,
    /// Too little of a table is seen.
    Unknown,
}

/// A grey picture of the size that features are followed in, and its scale. Brightness is that relative to the surroundings:
/// shadows and lamps change it little.
pub(super) fn work_picture(image: &Mat) -> Result<(Mat, f64)> {
    let mut grey = Mat::default();
    imgproc::cvt_color_def(image, &mut grey, imgproc::COLOR_BGR2GRAY)?;
    let (grey, scale) = shrunk(grey)?;
    Ok((relative(&grey)?, scale))
}

/// Brightness relative to the surroundings.
fn relative(grey: &(impl MatTraitConst + ToInputArray)) -> Result<Mat> {
    let mut around = Mat::default();
    imgproc::box_filter_def(grey, &mut around, -1, Size::new(NEAR_PX, NEAR_PX))?;
    // a dark picture has noise and no brightness: dividing would make features of it
    let mut floor = Mat::default();
    core::max(&around, &Scalar::all(24.0), &mut floor)?;
    let mut relative = Mat::default();
    core::divide2(grey, &floor, &mut relative, 128.0, -1)?;
    Ok(relative)
}

fn shrunk(grey: Mat) -> Result<(Mat, f64)> {
    let long = grey.cols().max(grey.rows());
    if long <= WORK_SIDE {
        return Ok((grey, 1.0));
    }
    let scale = f64::from(WORK_SIDE) / f64::from(long);
    let size = Size::new(
        (f64::from(grey.cols()) * scale).round().max(1.0) as i32,
        (f64::from(grey.rows()) * scale).round().max(1.0) as i32,
    );
    let scale = f64::from(size.width) / f64::from(grey.cols());
    // averaging areas costs much where they are no whole pixels, and below half the size it is needed
    let how = if scale > 0.5 { imgproc::INTER_LINEAR } else { imgproc::INTER_AREA };
    let mut small = Mat::default();
    imgproc::resize(&grey, &mut small, size, 0.0, 0.0, how)?;
    Ok((small, scale))
}

fn to_work(p: [f64; 2], scale: f64) -> Point2f {
    Point2f::new(((p[0] + 0.5) * scale - 0.5) as f32, ((p[1] + 0.5) * scale - 0.5) as f32)
}

fn from_work(p: Point2f, scale: f64) -> [f64; 2] {
    [(f64::from(p.x) + 0.5) / scale - 0.5, (f64::from(p.y) + 0.5) / scale - 0.5]
}

fn distance(a: Point2f, b: Point2f) -> f64 {
    f64::from(a.x - b.x).hypot(f64::from(a.y - b.y))
}

impl Tracker {
    /// Takes features from a picture (as [`work_picture`] makes it) on which `lattice` is right.
    pub(super) fn new(work: &Mat, scale: f64, lattice: &Lattice) -> Result<Tracker> {
        let n = f64::from(lattice.size - 1);
        let hull = |by: f64| -> Vector<Vector<Point>> {
            // along the sides too: a lens bends them
            let mut ring = Vec::new();
            let (lo, hi) = (-by, n + by);
            for i in 0..8 {
                let t = lo + (hi - lo) * f64::from(i) / 8.0;
                ring.push([lo, t]);
            }
            for i in 0..8 {
                ring.push([lo + (hi - lo) * f64::from(i) / 8.0, hi]);
            }
            for i in 0..8 {
                ring.push([hi, hi - (hi - lo) * f64::from(i) / 8.0]);
            }
            for i in 0..8 {
                ring.push([hi - (hi - lo) * f64::from(i) / 8.0, lo]);
            }
            let ring = ring
                .into_iter()
                .map(|b| {
                    let p = to_work(lattice.to_image(b), scale);
                    Point::new(p.x.clamp(-2e4, 2e4).round() as i32, p.y.clamp(-2e4, 2e4).round() as i32)
                })
                .collect();
            Vector::from_iter([ring])
        };
        let mut on_board = Mat::zeros_size(work.size()?, core::CV_8UC1)?.to_mat()?;
        imgproc::fill_poly_def(&mut on_board, &hull(0.3), Scalar::all(255.0))?;
        let mut on_table = Mat::new_size_with_default(work.size()?, core::CV_8UC1, Scalar::all(255.0))?;
        // the board's own rim and sides move with it
        imgproc::fill_poly_def(&mut on_table, &hull((0.12 * n).max(2.2)), Scalar::all(0.0))?;
        let pitch = lattice.mean_pitch_px() * scale;
        let board = features(work, &on_board, BOARD_FEATURES, (0.6 * pitch).max(5.0))?;
        let table = features(work, &on_table, TABLE_FEATURES, f64::from(work.cols()) * 0.025)?;
        let board_at = board.iter().map(|p| lattice.to_board(from_work(*p, scale))).collect();
        let pyramid = pyramid(work, FLOW_LEVELS)?;
        Ok(Tracker { scale, reference: work.clone(), pyramid, lattice: lattice.clone(), board, board_at, table })
    }

    /// As [`work_picture`], but only what [`Tracker::holds`] looks at: the board and a little around it; the rest is black.
    pub(super) fn board_picture(&self, image: &Mat) -> Result<Mat> {
        let mut grey = Mat::default();
        imgproc::cvt_color_def(image, &mut grey, imgproc::COLOR_BGR2GRAY)?;
        let (grey, _) = shrunk(grey)?;
        let (mut low, mut high) = (Point2f::new(f32::MAX, f32::MAX), Point2f::new(f32::MIN, f32::MIN));
        for p in &self.board {
            low = Point2f::new(low.x.min(p.x), low.y.min(p.y));
            high = Point2f::new(high.x.max(p.x), high.y.max(p.y));
        }
        // as far as flow reaches, and what that is measured against
        let reach = (FLOW_PX + NEAR_PX) as f32;
        let low = [low.x, low.y].map(|v| (v - reach).max(0.0) as i32);
        let high = [(high.x, grey.cols()), (high.y, grey.rows())].map(|(v, most)| ((v + reach) as i32).min(most));
        let rect = Rect::new(low[0], low[1], high[0] - low[0], high[1] - low[1]);
        if self.board.is_empty() || rect.width <= 0 || rect.height <= 0 {
            return relative(&grey);
        }
        let mut out = Mat::zeros_size(grey.size()?, core::CV_8UC1)?.to_mat()?;
        relative(&Mat::roi(&grey, rect)?)?.copy_to(&mut Mat::roi_mut(&mut out, rect)?)?;
        Ok(out)
    }

    /// Looks whether the board still lies at `guess`: at few features, each only where it should be. The share of them that are
    /// recognised there; `None` when it is not certain, and [`Tracker::follow`] must look.
    pub(super) fn holds(&self, work: &Mat, guess: &Lattice) -> Result<Option<f64>> {
        if work.size()? != self.reference.size()? || self.board.len() < 12 {
            return Ok(None);
        }
        let every = self.board.len().div_ceil(QUICK_FEATURES);
        let some: Vec<usize> = (0..self.board.len()).step_by(every).collect();
        let from: Vec<Point2f> = some.iter().map(|i| self.board[*i]).collect();
        let expected: Vec<Point2f> =
            some.iter().map(|i| to_work(guess.to_image(self.board_at[*i]), self.scale)).collect();
        let (there, ok) = flow(&self.pyramid, &pyramid(work, 0)?, &from, &expected, 0)?;
        let (mut found, mut off) = (0, Vec::new());
        for i in 0..from.len() {
            let p = there.get(i)?;
            if ok.get(i)? == 0 || correlation(&self.reference, from[i], work, p)? <= LEAST_CORRELATION {
                continue;
            }
            found += 1;
            off.extend(Some(distance(p, expected[i])).filter(|d| *d < STILL_PX));
        }
        off.sort_by(f64::total_cmp);
        let still = off.len();
        let tight = still > 0 && off[still / 2] < NO_MOTION_PX;
        let certain = tight && still * 10 >= some.len() * 4 && still * 10 >= found * 8;
        Ok(certain.then(|| still as f64 / some.len() as f64))
    }

    /// Recognises the features in `work`; `guess` is where the lattice was last.
    pub(super) fn follow(&self, work: &Mat, guess: &Lattice) -> Result<Followed> {
        let lost = Followed { lattice: None, seen: 0.0, table: Table::Unknown };
        if work.size()? != self.reference.size()? || self.board.len() < 12 {
            return Ok(lost);
        }
        let expected: Vec<Point2f> = self.board_at.iter().map(|b| to_work(guess.to_image(*b), self.scale)).collect();
        let levels = pyramid(work, FLOW_LEVELS)?;
        let found = self.flow(work, &levels, &self.board, &expected)?;
        let total = self.board.len() as f64;
        // Nothing moved? The usual case, and the most certain to tell.
        let mut off: Vec<f64> = found.iter().map(|&(i, p)| distance(p, expected[i])).collect();
        off.retain(|d| *d < STILL_PX);
        off.sort_by(f64::total_cmp);
        let still = off.len();
        let tight = still > 0 && off[still / 2] < NO_MOTION_PX;
        let enough = (LEAST_SEEN * total).max(10.0);
        let (mut lattice, mut seen) = (None, still as f64 / total);
        if tight && still as f64 >= enough && still * 10 >= found.len() * 6 {
            lattice = Some(guess.clone());
        } else {
            match self.fit(&found)? {
                // Stones that go take features with them and leave chance agreements: a movement must explain clearly more
                // than standing still does.
                Some((fitted, agreeing)) if agreeing as f64 >= enough && agreeing as f64 > 1.4 * still as f64 + 4.0 => {
                    lattice = Some(fitted);
                    seen = agreeing as f64 / total;
                }
                _ if still as f64 >= 0.4 * enough && still >= 8 => lattice = Some(guess.clone()),
                _ => {}
            }
        }
        let table = match &lattice {
            Some(now) => self.table(work, &levels, now)?,
            None => Table::Unknown,
        };
        Ok(Followed { lattice, seen, table })
    }

    /// The reference's lattice moved so that the features fit, and how many agree.
    fn fit(&self, found: &[(usize, Point2f)]) -> Result<Option<(Lattice, usize)>> {
        if found.len() < 12 {
            return Ok(None);
        }
        let from: Vector<Point2f> = found.iter().map(|&(i, _)| self.board[i]).collect();
        let to: Vector<Point2f> = found.iter().map(|&(_, p)| p).collect();
        let mut inliers = Mat::default();
        let h = calib3d::find_homography(&from, &to, &mut inliers, calib3d::RANSAC, 1.5)?;
        if h.empty() || inliers.empty() {
            return Ok(None);
        }
        let flags: &[u8] = inliers.data_typed()?;
        let matches: Vec<Match> = found
            .iter()
            .zip(flags)
            .filter(|(_, ok)| **ok != 0)
            .map(|(&(i, p), _)| Match { board: self.board_at[i], image: from_work(p, self.scale), weight: 1.0 })
            .collect();
        if matches.len() < 12 || !spread(&matches, self.lattice.size) {
            return Ok(None);
        }
        let Ok(lattice) = self.lattice.refit(&matches, false) else { return Ok(None) };
        // a board does not become twice as large from one frame to the next: that is a chance agreement
        let growth = lattice.mean_pitch_px() / self.lattice.mean_pitch_px();
        let agreeing = matches
            .iter()
            .filter(|m| {
                let p = lattice.to_image(m.board);
                (p[0] - m.image[0]).hypot(p[1] - m.image[1]) * self.scale < 1.5
            })
            .count();
        Ok(((0.7..1.4).contains(&growth)).then_some((lattice, agreeing)))
    }

    /// What the table did, if the board is now at `now`, wherever that is in the picture.
    pub(super) fn table_beside(&self, work: &Mat, now: &Lattice) -> Result<Table> {
        if work.size()? != self.reference.size()? {
            return Ok(Table::Unknown);
        }
        self.table(work, &pyramid(work, FLOW_LEVELS)?, now)
    }

    fn table(&self, work: &Mat, levels: &Vector<Mat>, now: &Lattice) -> Result<Table> {
        if self.table.len() < 5 {
            return Ok(Table::Unknown);
        }
        // Two hypotheses for every feature: it stayed, or it went along with the board's plane.
        let along: Vec<Point2f> = self
            .table
            .iter()
            .map(|p| to_work(now.to_image(self.lattice.to_board(from_work(*p, self.scale))), self.scale))
            .collect();
        let shift = self.table.iter().zip(&along).map(|(a, b)| distance(*a, *b)).fold(0.0, f64::max);
        if shift < 0.8 {
            return Ok(Table::Unknown);
        }
        let (mut stayed, mut went) = (0, 0);
        let at_rest = self.flow(work, levels, &self.table, &self.table)?;
        let moved = self.flow(work, levels, &self.table, &along)?;
        for (i, p) in &at_rest {
            let expected = distance(self.table[*i], along[*i]);
            if expected > 0.8 && distance(*p, self.table[*i]) < 0.35 * expected {
                stayed += 1;
            }
        }
        for (i, p) in &moved {
            let expected = distance(self.table[*i], along[*i]);
            if expected > 0.8
                && distance(*p, along[*i]) < 0.35 * expected + 0.5
                && distance(*p, self.table[*i]) > 0.5 * expected
            {
                went += 1;
            }
        }
        Ok(match (stayed, went) {
            _ if stayed + went < 4 => Table::Unknown,
            _ if stayed > went => Table::Still,
            _ => Table::MovedAlong,
        })
    }

    /// Where `from` (in the reference) are in `work`: index and place of those that are found there and back again.
    fn flow(
        &self,
        work: &Mat,
        levels: &Vector<Mat>,
        from: &[Point2f],
        expected: &[Point2f],
    ) -> Result<Vec<(usize, Point2f)>> {
        if from.is_empty() {
            return Ok(Vec::new());
        }
        let (there, ok_there) = flow(&self.pyramid, levels, from, expected, FLOW_LEVELS)?;
        // The way back starts as far off as the way there ended: a start at the answer would prove nothing.
        let start: Vec<Point2f> = from
            .iter()
            .zip(expected)
            .zip(&there)
            .map(|((home, aim), p)| Point2f::new(home.x + p.x - aim.x, home.y + p.y - aim.y))
            .collect();
        let (back, ok_back) = flow(levels, &self.pyramid, &there.to_vec(), &start, FLOW_LEVELS)?;
        let mut found = Vec::with_capacity(from.len());
        for (i, origin) in from.iter().enumerate() {
            let (home, p) = (back.get(i)?, there.get(i)?);
            let returns = distance(home, *origin) < f64::from(ROUND_TRIP_PX);
            // Where nothing is seen any more, flow stays where it started and returns: what was found must look alike.
            let alike =
                || Ok::<bool, opencv::Error>(correlation(&self.reference, *origin, work, p)? > LEAST_CORRELATION);
            if ok_there.get(i)? != 0 && ok_back.get(i)? != 0 && returns && alike()? {
                found.push((i, p));
            }
        }
        Ok(found)
    }
}

/// A picture with its smaller copies and their slopes.
fn pyramid(work: &Mat, levels: i32) -> Result<Vector<Mat>> {
    let mut pyramid = Vector::<Mat>::new();
    let (border, slope_border) = (core::BORDER_REFLECT_101, core::BORDER_CONSTANT);
    let win = Size::new(FLOW_PX, FLOW_PX);
    // one level is the picture that is looked at, of which no slopes are wanted
    let slopes = levels > 0;
    video::build_optical_flow_pyramid(work, &mut pyramid, win, levels, slopes, border, slope_border, true)?;
    Ok(pyramid)
}

/// Where what is at `from` in one picture is in another, looked for from `start` on; and whether it was found.
fn flow(
    one: &Vector<Mat>,
    other: &Vector<Mat>,
    from: &[Point2f],
    start: &[Point2f],
    levels: i32,
) -> Result<(Vector<Point2f>, Vector<u8>)> {
    let criteria = TermCriteria::new(TermCriteria_Type::COUNT as i32 + TermCriteria_Type::EPS as i32, 20, 0.02)?;
    let from: Vector<Point2f> = from.iter().copied().collect();
    let mut there: Vector<Point2f> = start.iter().copied().collect();
    let (mut ok, mut error) = (Vector::<u8>::new(), Vector::<f32>::new());
    let (win, guess) = (Size::new(FLOW_PX, FLOW_PX), video::OPTFLOW_USE_INITIAL_FLOW);
    video::calc_optical_flow_pyr_lk(
        one, other, &from, &mut there, &mut ok, &mut error, win, levels, criteria, guess, 1e-4,
    )?;
    Ok((there, ok))
}

/// Normalised correlation of the patches around `p` in `a` and `q` in `b`, at whole pixels; 0 at the edge or where one is flat.
fn correlation(a: &Mat, p: Point2f, b: &Mat, q: Point2f) -> opencv::Result<f32> {
    let (px, py, qx, qy) = (p.x.round() as i32, p.y.round() as i32, q.x.round() as i32, q.y.round() as i32);
    let inside = |x: i32, y: i32| x >= PATCH_PX && y >= PATCH_PX && x + PATCH_PX < a.cols() && y + PATCH_PX < a.rows();
    if !inside(px, py) || !inside(qx, qy) {
        return Ok(0.0);
    }
    let (mut sa, mut sb, mut saa, mut sbb, mut sab) = (0.0f32, 0.0f32, 0.0f32, 0.0f32, 0.0f32);
    for dy in -PATCH_PX..=PATCH_PX {
        let (row_a, row_b) = (a.at_row::<u8>(py + dy)?, b.at_row::<u8>(qy + dy)?);
        for dx in -PATCH_PX..=PATCH_PX {
            let (u, v) = (f32::from(row_a[(px + dx) as usize]), f32::from(row_b[(qx + dx) as usize]));
            sa += u;
            sb += v;
            saa += u * u;
            sbb += v * v;
            sab += u * v;
        }
    }
    let n = ((2 * PATCH_PX + 1) * (2 * PATCH_PX + 1)) as f32;
    let (va, vb) = (saa - sa * sa / n, sbb - sb * sb / n);
    if va < n || vb < n {
        return Ok(0.0);
    }
    Ok((sab - sa * sb / n) / (va * vb).sqrt())
}

/// A homography from features in one corner says nothing about the other corners.
fn spread(matches: &[Match], size: u8) -> bool {
    let n = f64::from(size - 1);
    (0..2).all(|axis| {
        let mut v: Vec<f64> = matches.iter().map(|m| m.board[axis]).collect();
        v.sort_by(f64::total_cmp);
        v[v.len() * 9 / 10] - v[v.len() / 10] > 0.3 * n
    })
}

fn features(work: &Mat, mask: &Mat, most: i32, apart: f64) -> Result<Vec<Point2f>> {
    let mut corners = Vector::<Point2f>::new();
    imgproc::good_features_to_track(work, &mut corners, most, 0.01, apart, mask, 5, false, 0.04)?;
    Ok(corners.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drawn board with stones on a table with some things, seen with its corners at `corners`; the table moved by `table_px`.
    fn scene(corners: [[f64; 2]; 4], table_px: f64, dark: bool) -> (Mat, Lattice) {
        let size = Size::new(800, 600);
        let mut image = Mat::new_size_with_default(size, core::CV_8UC3, Scalar::new(60.0, 90.0, 70.0, 0.0)).unwrap();
        let lattice = Lattice::from_corners(9, corners, [800, 600]).unwrap();
        let at = |b: [f64; 2]| {
            let p = lattice.to_image(b);
            Point::new((p[0] * 16.0).round() as i32, (p[1] * 16.0).round() as i32)
        };
        for k in 0..12 {
            let p = Point::new(((30.0 + 65.0 * f64::from(k) + table_px) * 16.0) as i32, 16 * (20 + (k % 3) * 13));
            imgproc::circle(&mut image, p, 16 * (4 + k % 4), Scalar::all(20.0 * f64::from(k)), -1, imgproc::LINE_AA, 4)
                .unwrap();
        }
        let rim: Vector<Point> = [[-0.7, -0.7], [-0.7, 8.7], [8.7, 8.7], [8.7, -0.7]].map(at).into_iter().collect();
        let wood = Scalar::new(110.0, 170.0, 205.0, 0.0);
        imgproc::fill_convex_poly(&mut image, &rim, wood, imgproc::LINE_AA, 4).unwrap();
        for i in 0..9 {
            let i = f64::from(i);
            for (a, b) in [([i, 0.0], [i, 8.0]), ([0.0, i], [8.0, i])] {
                imgproc::line(&mut image, at(a), at(b), Scalar::all(30.0), 1, imgproc::LINE_AA, 4).unwrap();
            }
        }
        for (k, b) in [[2.0, 3.0], [4.0, 4.0], [6.0, 1.0], [5.0, 7.0], [1.0, 6.0]].into_iter().enumerate() {
            let color = Scalar::all(if k % 2 == 0 { 30.0 } else { 240.0 });
            imgproc::circle(&mut image, at(b), 16 * 20, color, -1, imgproc::LINE_AA, 4).unwrap();
        }
        if dark {
            let mut half = Mat::default();
            image.convert_to(&mut half, -1, 0.45, 0.0).unwrap();
            image = half;
        }
        (image, lattice)
    }

    const PLACE: [[f64; 2]; 4] = [[230.0, 130.0], [590.0, 135.0], [640.0, 520.0], [190.0, 515.0]];

    fn moved(dx: f64, dy: f64) -> [[f64; 2]; 4] {
        PLACE.map(|[x, y]| [x + dx, y + dy])
    }

    fn follow(corners: [[f64; 2]; 4], table_px: f64, dark: bool) -> (Followed, Lattice) {
        let (before, lattice) = scene(PLACE, 0.0, false);
        let (work, scale) = work_picture(&before).unwrap();
        let tracker = Tracker::new(&work, scale, &lattice).unwrap();
        let (after, truth) = scene(corners, table_px, dark);
        (tracker.follow(&work_picture(&after).unwrap().0, &lattice).unwrap(), truth)
    }

    fn error(followed: &Followed, truth: &Lattice) -> f64 {
        let found = followed.lattice.as_ref().expect("recognised");
        found.corners().iter().zip(truth.corners()).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(0.0, f64::max)
    }

    #[test]
    fn what_stands_still_stays_to_the_bit() {
        for dark in [false, true] {
            let (followed, truth) = follow(PLACE, 0.0, dark);
            assert_eq!(followed.lattice.unwrap(), truth, "dark: {dark}");
        }
    }

    #[test]
    fn a_nudged_board_moves_on_a_table_that_stays() {
        let (followed, truth) = follow(moved(9.0, -5.0), 0.0, false);
        assert!(error(&followed, &truth) < 0.8, "{}", error(&followed, &truth));
        assert_eq!(followed.table, Table::Still);
    }

    #[test]
    fn a_bumped_camera_moves_everything() {
        let (followed, truth) = follow(moved(9.0, 0.0), 9.0, false);
        assert!(error(&followed, &truth) < 0.8, "{}", error(&followed, &truth));
        assert_eq!(followed.table, Table::MovedAlong);
    }

    #[test]
    fn a_cover_is_not_a_board_that_stays() {
        let (before, lattice) = scene(PLACE, 0.0, false);
        let (work, scale) = work_picture(&before).unwrap();
        let tracker = Tracker::new(&work, scale, &lattice).unwrap();
        for level in [0.0, 120.0, 255.0] {
            let cover = Mat::new_size_with_default(Size::new(800, 600), core::CV_8UC3, Scalar::all(level)).unwrap();
            assert!(tracker.follow(&work_picture(&cover).unwrap().0, &lattice).unwrap().lattice.is_none(), "{level}");
        }
    }
}
