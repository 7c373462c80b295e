//! Any text is a ruleset or an error; a line appended to an extension too.
#![no_main]

use goband::rules::Ruleset;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = Ruleset::from_toml(text, "fuzz.toml");
    let _ = Ruleset::from_toml(&format!("id = \"x\"\nextends = \"team-relay\"\n{text}"), "fuzz.toml");
});
