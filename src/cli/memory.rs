//! How the allocator treats pictures.

use std::time::{Duration, Instant};

/// From this size on memory goes back to the system as soon as it is free: pictures of 1920 × 1080 do, smaller ones are used again.
#[cfg(target_env = "gnu")]
const LARGE: libc::c_int = 4 << 20;
/// So much may lie unused at the end of the heap.
#[cfg(target_env = "gnu")]
const UNUSED: libc::c_int = 8 << 20;
/// What lies unused between other things is given back no more often than this, since it will be wanted again.
const TRIM_EVERY: Duration = Duration::from_secs(1);

/// Lets large pictures go at once. The C library learns from the first freed picture to keep memory of that size for later, in every
/// thread that held one: thirty megabytes that nobody uses, with pictures of 1920 × 1080. Giving back costs, so small ones are kept;
/// in one heap for all threads, so that they use each other's.
pub fn give_large_pictures_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: sets numbers of the allocator, before any other thread runs; it refuses those that cannot be.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_TRIM_THRESHOLD, UNUSED);
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Gives back what lies unused in the heap now and then: the search for a board, the networks and a scattered board leave gaps.
#[derive(Default)]
pub struct Trim {
    last: Option<Instant>,
}

impl Trim {
    /// To be called at quiet moments, such as after an event was told: it takes a millisecond or two.
    pub fn now_and_then(&mut self) {
        if self.last.is_some_and(|last| last.elapsed() < TRIM_EVERY) {
            return;
        }
        self.last = Some(Instant::now());
        #[cfg(target_env = "gnu")]
        // SAFETY: may be called at any time; it only gives back pages that hold nothing.
        unsafe {
            libc::malloc_trim(0);
        }
    }
}
