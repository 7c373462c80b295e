//! Any bytes are a journal, a damaged one with a valid beginning, or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(reading) = goband::record::read(data) {
        let _ = goband::game::GameState::fold(&reading.events);
    }
});
