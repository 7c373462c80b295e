//! Black and white stones told from each other by comparing those of one board.
//!
//! The reading network judges a stone mostly by what is around it. Where a lamp is mirrored in the wood, white stones are darker than
//! the board, and now and then it takes some of them for black. But black and white stones of one board hardly ever overlap in
//! brightness: a highlight covers a part of a black stone only, and so its darker part stays dark.

use opencv::core::{Mat, Vec3b};
use opencv::prelude::*;

use super::error::Result;
use super::sighting::PointReading;

/// Radius of what is looked at of a stone, pitches: its border may show the board, or the next stone's shadow.
const RADIUS: f64 = 0.3;
/// A stone is as bright as this part of its pixels is at most.
const DARKER_PART: f64 = 0.3;
/// From this probability on a stone serves as an example of its colour.
const EXAMPLE: f32 = 0.9;
/// As many examples of each colour are needed.
const LEAST_EXAMPLES: usize = 5;
/// Black and white stones must differ by so much in the median, levels of 255.
const LEAST_CONTRAST: f64 = 50.0;
/// White stones brighter than this in the median may be cut off by the picture's range, and so may a black one in glare. They are then
/// hardly darker than the wood.
const MOST_WHITE: f64 = 235.0;
/// A stone that is brighter than this is white, 0 being as bright as black stones in the median, 1 as white ones. On 250 photos
/// ("Stone Detection") no black stone exceeded 0.42, and all white stones that had been read as black but one had 0.79 and more.
const SURELY_WHITE: f64 = 0.7;

/// Calls those stones white that were read as black but are as bright as the white stones of the same picture.
///
/// `board`: 8-bit BGR, seen from straight above at `pitch_px`; `stones`: the pixel `[x, y]` of each point, and how it was read.
/// White stones that look dark are left alone: they lie in a shadow.
pub(super) fn settle_by_brightness(
    board: &Mat,
    pitch_px: f64,
    stones: &mut [([f64; 2], &mut PointReading)],
) -> Result<()> {
    let mut seen = Vec::new();
    for (k, (at, reading)) in stones.iter().enumerate() {
        if reading.black + reading.white > 0.5 {
            let place = [0, 1].map(|i| at[i] + f64::from(reading.offset[i]) * pitch_px);
            if let Some(brightness) = darker_part(board, place, RADIUS * pitch_px)? {
                seen.push((k, brightness));
            }
        }
    }
    let examples = |probability: fn(&PointReading) -> f32| {
        let of = |(k, brightness): &(usize, f64)| (probability(stones[*k].1) >= EXAMPLE).then_some(*brightness);
        let mut of: Vec<f64> = seen.iter().filter_map(of).collect();
        let middle = of.len() / 2;
        (of.len() >= LEAST_EXAMPLES).then(|| *of.select_nth_unstable_by(middle, f64::total_cmp).1)
    };
    let (Some(black), Some(white)) = (examples(|r| r.black), examples(|r| r.white)) else { return Ok(()) };
    if white - black < LEAST_CONTRAST || white > MOST_WHITE {
        return Ok(());
    }
    for (k, brightness) in seen {
        let reading = &mut *stones[k].1;
        if reading.black > reading.white && (brightness - black) / (white - black) > SURELY_WHITE {
            std::mem::swap(&mut reading.black, &mut reading.white);
        }
    }
    Ok(())
}

/// The brightness that [`DARKER_PART`] of a disc does not exceed: the largest channel, since coloured lamps leave the others dark.
/// `None` where most of it is out of the picture.
fn darker_part(board: &Mat, at: [f64; 2], radius: f64) -> Result<Option<f64>> {
    let (rows, cols) = (i64::from(board.rows()), i64::from(board.cols()));
    let range = |v: f64, end: i64| ((v - radius).ceil() as i64).max(0)..=((v + radius).floor() as i64).min(end - 1);
    let mut levels = Vec::new();
    for y in range(at[1], rows) {
        let row = board.at_row::<Vec3b>(y as i32)?;
        for x in range(at[0], cols) {
            if (x as f64 - at[0]).hypot(y as f64 - at[1]) <= radius {
                levels.push(row[x as usize].iter().copied().max().unwrap_or(0));
            }
        }
    }
    if (levels.len() as f64) < 0.5 * std::f64::consts::PI * radius * radius {
        return Ok(None);
    }
    let k = ((levels.len() as f64 * DARKER_PART) as usize).min(levels.len() - 1);
    Ok(Some(f64::from(*levels.select_nth_unstable(k).1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use opencv::core::{Point, Scalar};
    use opencv::imgproc;

    fn stone(black: f32) -> PointReading {
        PointReading { empty: 0.0, black, white: 1.0 - black, hidden: 0.0, offset: [0.0; 2] }
    }

    /// A row of stones of these brightnesses, each with how it was read; what is read then.
    fn settled(stones: &[(f64, f32)], highlight: bool) -> String {
        let mut board =
            Mat::new_rows_cols_with_default(16, 16 * stones.len() as i32, opencv::core::CV_8UC3, Scalar::all(250.0))
                .unwrap();
        let mut readings: Vec<PointReading> = stones.iter().map(|s| stone(s.1)).collect();
        for (k, (level, _)) in stones.iter().enumerate() {
            let at = Point::new(16 * k as i32 + 8, 8);
            imgproc::circle(&mut board, at, 7, Scalar::all(*level), -1, imgproc::LINE_8, 0).unwrap();
            if highlight {
                imgproc::circle(&mut board, at, 3, Scalar::all(255.0), -1, imgproc::LINE_8, 0).unwrap();
            }
        }
        let mut given: Vec<_> =
            readings.iter_mut().enumerate().map(|(k, r)| ([16.0 * k as f64 + 8.0, 8.0], r)).collect();
        settle_by_brightness(&board, 16.0, &mut given).unwrap();
        readings.iter().map(|r| if r.black > r.white { 'B' } else { 'W' }).collect()
    }

    const EXAMPLES: [(f64, f32); 10] = [
        (30.0, 1.0),
        (35.0, 1.0),
        (30.0, 0.99),
        (40.0, 1.0),
        (50.0, 0.95),
        (150.0, 0.0),
        (160.0, 0.0),
        (155.0, 0.05),
        (150.0, 0.01),
        (140.0, 0.0),
    ];

    fn with(more: &[(f64, f32)]) -> Vec<(f64, f32)> {
        EXAMPLES.iter().chain(more).copied().collect()
    }

    #[test]
    fn white_stones_darker_than_the_wood_in_glare_are_not_black() {
        assert_eq!(settled(&with(&[(150.0, 0.9), (165.0, 1.0), (45.0, 1.0)]), false), "BBBBBWWWWWWWB");
    }

    #[test]
    fn highlights_on_black_stones_and_shadows_on_white_ones_change_nothing() {
        assert_eq!(settled(&with(&[(60.0, 1.0), (90.0, 0.9)]), true), "BBBBBWWWWWBB");
        assert_eq!(settled(&with(&[(60.0, 0.0)]), false), "BBBBBWWWWWW");
    }

    #[test]
    fn few_stones_and_stones_alike_settle_nothing() {
        assert_eq!(settled(&[(30.0, 1.0), (150.0, 0.0), (150.0, 1.0)], false), "BWB");
        let alike: Vec<_> = with(&[(75.0, 1.0)]).into_iter().map(|(level, p)| (level.min(75.0), p)).collect();
        assert_eq!(settled(&alike, false), "BBBBBWWWWWB");
    }

    #[test]
    fn black_stones_blown_out_like_the_white_ones_stay_black() {
        let lit: Vec<_> = with(&[(150.0, 1.0)])
            .into_iter()
            .map(|(level, p)| (if level > 100.0 { 254.0 } else { level }, p))
            .collect();
        assert_eq!(settled(&lit, false), "BBBBBWWWWWB");
    }
}
