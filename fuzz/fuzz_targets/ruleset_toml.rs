//! Any bytes are a ruleset or an error; a line appended to an extension too.
#![no_main]

use goband::rules::Ruleset;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = Ruleset::from_bytes(bytes, "fuzz.toml");
    let extension = [b"id = \"x\"\nextends = \"team-relay\"\n", bytes].concat();
    let _ = Ruleset::from_bytes(&extension, "fuzz.toml");
});
