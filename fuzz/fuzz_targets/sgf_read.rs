//! Any bytes are a collection of games or an error; what was read writes and reads back, and replays without a panic.
#![no_main]

use goband::game::sgf;
use goband::rules::Color;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(games) = sgf::read_bytes(data) else { return };
    for game in &games {
        if let Ok(replay) = game.replay(Color::Black) {
            assert_eq!(replay.classes.len(), replay.history.moves().len());
        }
    }
    assert_eq!(sgf::read(&sgf::write_trees(&games)).expect("what was written reads"), games);
});
