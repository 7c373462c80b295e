//! The last pictures of the table, within a bound of time and bytes: every picture of the last seconds, then only as many
//! as are needed to show how the board was before.

use std::collections::VecDeque;
use std::sync::Arc;

/// A compressed picture (JPEG) with the time of its frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub time_ms: u64,
    pub jpeg: Arc<[u8]>,
}

/// How much the ring keeps.
#[derive(Clone, Copy, Debug)]
pub struct RingLimits {
    /// Every picture younger than this is kept.
    pub dense_ms: u64,
    /// Of older ones, one in this many milliseconds…
    pub sparse_every_ms: u64,
    /// …up to this age.
    pub sparse_ms: u64,
    /// Whatever the times say, never more bytes than these: old pictures lie further apart then, but reach as far back.
    pub bytes: usize,
}

impl Default for RingLimits {
    fn default() -> RingLimits {
        RingLimits { dense_ms: 8_000, sparse_every_ms: 500, sparse_ms: 60_000, bytes: 20 << 20 }
    }
}

/// The ring. Times rise; a picture that goes back in time is not taken.
#[derive(Debug)]
pub struct PictureRing {
    limits: RingLimits,
    pictures: VecDeque<Picture>,
    /// How many of `pictures` (from the front, the oldest) are thinned out already.
    sparse: usize,
    bytes: usize,
}

impl PictureRing {
    /// An empty ring.
    pub fn new(limits: RingLimits) -> PictureRing {
        PictureRing { limits, pictures: VecDeque::new(), sparse: 0, bytes: 0 }
    }

    /// Adds the newest picture and lets go of what the limits do not allow.
    pub fn push(&mut self, picture: Picture) {
        let now = picture.time_ms;
        if self.pictures.back().is_some_and(|last| last.time_ms >= now) {
            return;
        }
        self.bytes += picture.jpeg.len();
        self.pictures.push_back(picture);
        while let Some(next) = self.pictures.get(self.sparse) {
            if now.saturating_sub(next.time_ms) <= self.limits.dense_ms {
                break;
            }
            let near =
                self.sparse > 0 && next.time_ms - self.pictures[self.sparse - 1].time_ms < self.limits.sparse_every_ms;
            if near {
                self.remove(self.sparse);
            } else {
                self.sparse += 1;
            }
        }
        while let Some(first) = self.pictures.front()
            && self.pictures.len() > 1
            && now.saturating_sub(first.time_ms) > self.limits.sparse_ms
        {
            self.remove(0);
        }
        while self.bytes > self.limits.bytes && self.pictures.len() > 1 {
            self.remove(self.least_missed());
        }
    }

    /// The old picture whose neighbours are nearest each other; the oldest where none is between others.
    fn least_missed(&self) -> usize {
        let between = 1..self.sparse.min(self.pictures.len() - 1);
        between.min_by_key(|&i| self.pictures[i + 1].time_ms - self.pictures[i - 1].time_ms).unwrap_or(0)
    }

    fn remove(&mut self, i: usize) {
        if let Some(gone) = self.pictures.remove(i) {
            self.bytes -= gone.jpeg.len();
        }
        if i < self.sparse {
            self.sparse -= 1;
        }
    }

    /// The picture nearest `time_ms`.
    pub fn nearest(&self, time_ms: u64) -> Option<&Picture> {
        let after = self.pictures.partition_point(|p| p.time_ms < time_ms);
        let candidates = [after.checked_sub(1), Some(after)];
        candidates
            .into_iter()
            .flatten()
            .filter_map(|i| self.pictures.get(i))
            .min_by_key(|p| p.time_ms.abs_diff(time_ms))
    }

    /// The pictures from `first_ms` to `last_ms`, at most `most` of them, evenly chosen.
    pub fn between(&self, first_ms: u64, last_ms: u64, most: usize) -> Vec<&Picture> {
        let from = self.pictures.partition_point(|p| p.time_ms < first_ms);
        let to = self.pictures.partition_point(|p| p.time_ms <= last_ms);
        let count = to.saturating_sub(from);
        let take = count.min(most);
        (0..take).filter_map(|i| self.pictures.get(from + i * count / take)).collect()
    }

    /// Bytes of all pictures.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many pictures there are.
    pub fn len(&self) -> usize {
        self.pictures.len()
    }

    /// True before the first picture.
    pub fn is_empty(&self) -> bool {
        self.pictures.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn picture(time_ms: u64, bytes: usize) -> Picture {
        Picture { time_ms, jpeg: vec![0; bytes].into() }
    }

    #[test]
    fn recent_pictures_are_dense_and_old_ones_sparse() {
        let mut ring = PictureRing::new(RingLimits::default());
        for t in (0..100_000).step_by(50) {
            ring.push(picture(t, 10));
        }
        assert_eq!(ring.between(92_000, 100_000, 1000).len(), 160);
        let old = ring.between(40_000, 90_000, 1000);
        assert!((95..=101).contains(&old.len()), "{}", old.len());
        assert_eq!(ring.nearest(0).map(|p| p.time_ms), Some(40_000));
        assert_eq!(ring.nearest(97_020).map(|p| p.time_ms), Some(97_000));
        assert_eq!(ring.nearest(1 << 60).map(|p| p.time_ms), Some(99_950));
        assert_eq!(ring.between(98_000, 99_950, 4).len(), 4);
    }

    #[test]
    fn with_little_room_old_pictures_lie_further_apart_and_reach_as_far_back() {
        let limits = RingLimits { bytes: 60 * 10, ..RingLimits::default() };
        let mut ring = PictureRing::new(limits);
        for t in (0..100_000).step_by(200) {
            ring.push(picture(t, 10));
        }
        assert_eq!(ring.len(), 60);
        assert_eq!(ring.between(92_000, 100_000, 1000).len(), 40, "the last seconds are whole");
        for t in (42_000..92_000).step_by(500) {
            let nearest = ring.nearest(t).map_or(0, |p| p.time_ms);
            assert!(nearest.abs_diff(t) <= 3000, "{t}: {nearest}");
        }
    }

    proptest! {
        #[test]
        fn bounds_hold_and_times_rise(steps in proptest::collection::vec((0u64..2000, 0usize..5000), 1..400)) {
            let limits = RingLimits { dense_ms: 3000, sparse_every_ms: 400, sparse_ms: 20_000, bytes: 50_000 };
            let mut ring = PictureRing::new(limits);
            let mut now = 0;
            for (step, bytes) in steps {
                now += step;
                ring.push(picture(now, bytes));
                prop_assert!(ring.bytes() <= limits.bytes || ring.len() == 1);
                prop_assert_eq!(ring.bytes(), ring.pictures.iter().map(|p| p.jpeg.len()).sum::<usize>());
                prop_assert!(ring.pictures.iter().zip(ring.pictures.iter().skip(1)).all(|(a, b)| a.time_ms < b.time_ms));
                prop_assert!(ring.pictures.iter().all(|p| now - p.time_ms <= limits.sparse_ms));
            }
        }
    }
}
