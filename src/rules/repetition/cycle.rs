//! The kind of a repetition from the moves between the two equal positions.

use super::RepetitionKind;
use crate::rules::{Color, Point};

/// One stone of the cycle and what it took, in board order. Passes are left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stone<'a> {
    pub color: Color,
    pub point: Point,
    pub captured: &'a [Point],
}

/// Names the cycle. The stones must lead back to the position before the first of them, each put on an empty point and
/// none of them a suicide.
pub(crate) fn name(cycle: &[Stone]) -> RepetitionKind {
    if let Some(kos) = kos(cycle) {
        return match kos {
            1 => RepetitionKind::SingleKo,
            2 => RepetitionKind::DoubleKo,
            3 => RepetitionKind::TripleKo,
            4 => RepetitionKind::QuadrupleKo,
            _ => RepetitionKind::Other,
        };
    }
    match cycle.len() {
        3 if turned(cycle).any(|c| is_sending_two([&c[0], &c[1], &c[2]])) => RepetitionKind::SendingTwoReturningOne,
        4 if turned(cycle).any(|c| is_eternal_life(&c)) => RepetitionKind::EternalLife,
        6 if is_double_capture(cycle) => RepetitionKind::DoubleCaptureOfTwo,
        _ => RepetitionKind::Other,
    }
}

/// The cycle begun at each of its stones.
fn turned<'a>(cycle: &'a [Stone<'a>]) -> impl Iterator<Item = Vec<Stone<'a>>> {
    (0..cycle.len()).map(|first| cycle[first..].iter().chain(&cycle[..first]).copied().collect())
}

/// How many kos the cycle goes through, if every stone of it takes or retakes one: two neighbouring points, one for each
/// colour, taken in turn, and no point in two of them.
fn kos(cycle: &[Stone]) -> Option<usize> {
    struct Ko {
        /// The point on which `color` takes, and the other side's.
        points: [Point; 2],
        color: Color,
        last: Color,
        stones: usize,
    }
    let mut kos: Vec<Ko> = Vec::with_capacity(4);
    for stone in cycle {
        let &[taken] = stone.captured else { return None };
        let put = stone.point;
        match kos.iter_mut().find(|ko| ko.points.contains(&put) || ko.points.contains(&taken)) {
            Some(ko) => {
                let as_before = if stone.color == ko.color { [put, taken] } else { [taken, put] };
                if ko.points != as_before || ko.last == stone.color {
                    return None;
                }
                ko.last = stone.color;
                ko.stones += 1;
            }
            None => kos.push(Ko { points: [put, taken], color: stone.color, last: stone.color, stones: 1 }),
        }
    }
    let whole = !kos.is_empty() && kos.iter().all(|ko| ko.stones % 2 == 0);
    whole.then_some(kos.len())
}

/// The two points are `a` and `b`, in any order.
fn are(points: &[Point], a: Point, b: Point) -> bool {
    matches!(points, &[x, y] if (x, y) == (a, b) || (y, x) == (a, b))
}

/// One puts a second stone beside its own; two are taken by one stone; that one is taken on the point of the first.
fn is_sending_two([sent, taker, back]: [&Stone; 3]) -> bool {
    sent.color == back.color
        && taker.color != sent.color
        && sent.captured.is_empty()
        && are(taker.captured, sent.point, back.point)
        && back.captured == [taker.point]
}

/// One sends two; the other takes them; the first takes two on one of the points they lay on, the taker among them; the
/// other puts the second of these back.
fn is_eternal_life(cycle: &[Stone]) -> bool {
    let [sent, taker, back, restored] = cycle else { return false };
    sent.color == back.color
        && taker.color == restored.color
        && sent.color != taker.color
        && sent.captured.is_empty()
        && restored.captured.is_empty()
        && are(taker.captured, sent.point, back.point)
        && are(back.captured, taker.point, restored.point)
}

/// Each side sends two, and has one to return, once.
fn is_double_capture(cycle: &[Stone]) -> bool {
    [Color::Black, Color::White].into_iter().all(|sender| {
        turned(cycle).any(|c| {
            let taken_of = |color, n| c.iter().position(|s: &Stone| s.color == color && s.captured.len() == n);
            let (Some(taker), Some(back)) = (taken_of(sender.opponent(), 2), taken_of(sender, 1)) else { return false };
            taker < back
                && c.iter().filter(|s| s.color == sender).count() == 3
                && is_sending_two([&c[0], &c[taker], &c[back]])
                && c[0].color == sender
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    fn p(col: u8) -> Point {
        Point::new(0, col)
    }

    fn named(moves: &[(Color, u8, &[u8])]) -> RepetitionKind {
        let taken: Vec<Vec<Point>> = moves.iter().map(|m| m.2.iter().map(|&c| p(c)).collect()).collect();
        let cycle: Vec<Stone> = moves
            .iter()
            .zip(&taken)
            .map(|(&(color, at, _), captured)| Stone { color, point: p(at), captured })
            .collect();
        name(&cycle)
    }

    #[test]
    fn what_only_looks_like_a_kind_is_not_named() {
        // two kos that share a point
        assert_eq!(
            named(&[(Black, 0, &[1]), (White, 1, &[0]), (Black, 2, &[1]), (White, 1, &[2])]),
            RepetitionKind::Other
        );
        // one side takes twice in the same ko
        assert_eq!(named(&[(Black, 0, &[1]), (Black, 0, &[1])]), RepetitionKind::Other);
        // sending two, but another stone is returned
        assert_eq!(named(&[(Black, 0, &[]), (White, 2, &[0, 1]), (Black, 1, &[7])]), RepetitionKind::Other);
        assert_eq!(named(&[]), RepetitionKind::Other);
        let five: Vec<(Color, u8, [u8; 1])> =
            (0..5).flat_map(|k| [(Black, 2 * k, [2 * k + 1]), (White, 2 * k + 1, [2 * k])]).collect();
        let five: Vec<(Color, u8, &[u8])> = five.iter().map(|(c, at, t)| (*c, *at, t.as_slice())).collect();
        assert_eq!(named(&five), RepetitionKind::Other);
        assert_eq!(named(&five[..8]), RepetitionKind::QuadrupleKo);
    }

    #[test]
    fn a_cycle_is_the_same_wherever_it_begins() {
        let sending: [(Color, u8, &[u8]); 3] = [(Black, 0, &[]), (White, 2, &[0, 1]), (Black, 1, &[2])];
        let eternal: [(Color, u8, &[u8]); 4] =
            [(Black, 0, &[]), (White, 2, &[0, 1]), (Black, 1, &[2, 3]), (White, 3, &[])];
        for first in 0..4 {
            let mut turned = sending;
            turned.rotate_left(first % 3);
            assert_eq!(named(&turned), RepetitionKind::SendingTwoReturningOne);
            let mut turned = eternal;
            turned.rotate_left(first);
            assert_eq!(named(&turned), RepetitionKind::EternalLife);
        }
        let double: [(Color, u8, &[u8]); 6] = [
            (Black, 0, &[]),
            (White, 10, &[]),
            (Black, 12, &[10, 11]),
            (White, 2, &[0, 1]),
            (Black, 1, &[2]),
            (White, 11, &[12]),
        ];
        for first in 0..6 {
            let mut turned = double;
            turned.rotate_left(first);
            assert_eq!(named(&turned), RepetitionKind::DoubleCaptureOfTwo);
        }
    }
}
