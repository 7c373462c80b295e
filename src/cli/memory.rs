//! How the allocator treats pictures.

/// From this size on memory goes back to the system as soon as it is free: pictures of 1920 × 1080 do, smaller ones are used again.
#[cfg(target_env = "gnu")]
const LARGE: libc::c_int = 4 << 20;
/// So much may lie unused at the end of a heap.
#[cfg(target_env = "gnu")]
const UNUSED: libc::c_int = 16 << 20;

/// Lets large pictures go at once. The C library learns from the first freed picture to keep memory of that size for later, in every
/// thread that held one: thirty megabytes that nobody uses, with pictures of 1920 × 1080. Giving back costs, so small ones are kept.
pub fn give_large_pictures_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: sets numbers of the allocator, before any other thread runs; it refuses those that cannot be.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_TRIM_THRESHOLD, UNUSED);
    }
}
