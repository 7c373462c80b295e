//! How many threads FFmpeg decodes with.
//!
//! OpenCV asks the C library's `sysconf` how many processors there are, gives every decoder as many threads, and (up to 4.6) lets nobody
//! say otherwise. Each thread of an H.264 decoder holds pictures of its own: six megabytes at 1920 × 1080, a hundred on sixteen
//! processors, though two threads decode faster than anything is watched. So the question is answered here while a video is opened.

use std::cell::Cell;

thread_local! {
    static OPENING: Cell<bool> = const { Cell::new(false) };
}

/// Opens a video whose decoder has few threads.
pub(super) fn with_few_threads<T>(open: impl FnOnce() -> T) -> T {
    OPENING.set(true);
    let opened = open();
    OPENING.set(false);
    opened
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod answer {
    use std::sync::OnceLock;

    use libc::{c_int, c_long};

    const MOST_THREADS: c_long = 2;

    type Sysconf = unsafe extern "C" fn(c_int) -> c_long;

    /// In place of the C library's for the libraries of this program; all but that one question goes on to it.
    #[unsafe(no_mangle)]
    extern "C" fn sysconf(name: c_int) -> c_long {
        static NEXT: OnceLock<Option<Sysconf>> = OnceLock::new();
        let next = NEXT.get_or_init(|| {
            // SAFETY: the C library's function of that name, if it is found, has that type.
            unsafe {
                let found = libc::dlsym(libc::RTLD_NEXT, c"sysconf".as_ptr());
                std::mem::transmute::<*mut libc::c_void, Option<Sysconf>>(found)
            }
        });
        // SAFETY: any number may be asked for.
        let said = next.map_or(-1, |next| unsafe { next(name) });
        if name == libc::_SC_NPROCESSORS_ONLN && super::OPENING.get() { said.min(MOST_THREADS) } else { said }
    }
}
