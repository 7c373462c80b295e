//! Any text is a file of clock presses or an error, and whatever times it holds, the referee takes them without a panic.
#![no_main]

use goband::referee::{Press, Referee, RefereeOptions};
use goband::rules::Ruleset;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(presses) = Press::read_lines(text) else { return };
    let mut referee = Referee::new(RefereeOptions::new(Ruleset::builtin("team-relay").expect("built in").into()));
    for press in presses {
        let _ = referee.press(press);
    }
    let _ = referee.finish(1000);
});
