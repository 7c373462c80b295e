//! Any text is a configuration, a script of the virtual board, or an error.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = goband::service::Config::parse(text, "goband.toml");
    if let Ok(script) = goband::virtualboard::Script::from_toml(text, Path::new(".")) {
        let _ = script.check();
    }
});
