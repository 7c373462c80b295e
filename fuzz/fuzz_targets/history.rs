//! Any sequence of stones, passes, rearrangements and undos leaves a sound game: the chains kept from move to move agree with
//! a search of the board, undo is exact, and only what repeats is named.
#![no_main]

use goband::rules::{Board, Class, Color, History, Point};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [size, deeds @ ..] = data else { return };
    let size = 2 + size % 6;
    let mut h = History::new(Board::new(size), Color::Black);
    let mut earlier = Vec::new();
    for &deed in deeds.iter().take(300) {
        let at = Point::new(deed % size, (deed / size) % size);
        match deed {
            250.. if !earlier.is_empty() => {
                h.undo();
                let before: History = earlier.pop().expect("not empty");
                assert_eq!((h.board(), h.turn(), h.moves()), (before.board(), before.turn(), before.moves()));
                assert_eq!(h.classify(Color::White, Some(at)), before.classify(Color::White, Some(at)));
            }
            245.. => {
                let mut board = h.board().clone();
                board.set(at, if board.get(at).is_some() { None } else { Some(Color::White) });
                h.rearrange(board);
            }
            _ => {
                let color = if deed % 31 == 0 { h.turn().opponent() } else { h.turn() };
                let point = (deed % 29 != 0).then_some(at);
                let mut searched = h.board().clone();
                let placed = point.map(|p| searched.place(p, color)).unwrap_or_default();
                earlier.push(h.clone());
                let c = h.play(color, point);
                assert_eq!((&c.after, &c.captured), (&searched, &placed.captured));
                assert_eq!(c.is(Class::Suicide), !placed.suicide.is_empty());
                assert_eq!(c.repetition.is_some(), c.is(Class::Ko) || c.is(Class::Superko));
            }
        }
    }
});
