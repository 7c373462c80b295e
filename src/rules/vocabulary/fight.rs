//! Contact: capture, atari, connection, cut, and what depends on the opponent's last stone.

use super::scene::{At, CORNERS, Cell, Chain, FRAMES, Frame, Scene};
use Cell::{Edge, Empty, Foe, Own};

/// Takes a stone with one that could be taken back at once but for the rule.
pub(super) fn takes_ko(scene: &Scene) -> bool {
    let own = scene.after.chain(scene.p);
    scene.captured == 1 && own.stones == 1 && own.liberties == 1
}

/// The point at which the opponent could have taken a ko.
pub(super) fn fills_ko(scene: &Scene) -> bool {
    let mut taken = scene.before.clone();
    if scene.own.is_empty() || taken.play(scene.p, Foe) != Some(1) {
        return false;
    }
    let taker = taken.chain(scene.p);
    taker.stones == 1 && taker.liberties == 1
}

/// The stone thrown in, if this is one: alone, with a single liberty, where the opponent can take it.
fn thrown_in(scene: &Scene) -> Option<Chain> {
    let own = scene.after.chain(scene.p);
    (scene.captured == 0 && scene.own.is_empty() && own.liberties == 1 && scene.foe.stones >= 2).then_some(own)
}

pub(super) fn throw_in(scene: &Scene) -> bool {
    thrown_in(scene).is_some()
}

/// Whoever takes the stone thrown in is taken with two stones or more.
pub(super) fn snapback(scene: &Scene) -> bool {
    let Some(own) = thrown_in(scene) else { return false };
    let mut taken = scene.after.clone();
    if taken.play(own.first[0], Foe) != Some(1) {
        return false;
    }
    let taker = taken.chain(own.first[0]);
    taker.liberties == 1 && taker.stones >= 2
}

/// The opponent's chains that now have one liberty and had more, each with one of its stones.
pub(super) fn ataris(scene: &Scene) -> impl Iterator<Item = (At, Chain)> {
    scene.foe.iter().filter(|(_, before)| before.liberties >= 2).filter_map(|&(at, _)| {
        let after = (scene.after.get(at) == Foe).then(|| scene.after.chain(at))?;
        (after.liberties == 1).then_some((at, after))
    })
}

pub(super) fn atari(scene: &Scene) -> bool {
    ataris(scene).next().is_some()
}

pub(super) fn double_atari(scene: &Scene) -> bool {
    ataris(scene).count() >= 2
}

/// Joins own chains where the opponent could have come between.
pub(super) fn connects(scene: &Scene) -> bool {
    scene.own.len() >= 2 && scene.near(scene.p, 1, Foe) && scene.before.clone().play(scene.p, Foe).is_some()
}

/// Joins stones on both sides under the opponent's.
pub(super) fn bridges_under(scene: &Scene) -> bool {
    FRAMES.iter().any(|frame| {
        let link = |x: i8| match (scene.at(frame, x, 0), scene.at(frame, x, 1)) {
            (Own, _) => Some(scene.spot(frame, x, 0)),
            (Empty, Own) => Some(scene.spot(frame, x, 1)),
            _ => None,
        };
        scene.line(frame) <= 2
            && scene.side_line(frame, scene.p) > scene.line(frame)
            && scene.at(frame, 0, 1) == Foe
            && matches!(scene.at(frame, 0, -1), Empty | Edge)
            && matches!((link(-1), link(1)), (Some(a), Some(b)) if scene.different(a, b))
    })
}

/// The pair of stones to the left and the pair that the move completes were not one chain, and somebody may cut.
pub(super) fn bamboo_joint(scene: &Scene, frame: &Frame) -> bool {
    scene.different(scene.spot(frame, -2, 0), scene.spot(frame, 0, -1))
        && (scene.near(scene.spot(frame, -1, 0), 1, Foe) || scene.near(scene.spot(frame, -1, -1), 1, Foe))
}

/// The two stones that the mouth holds together were not connected otherwise.
pub(super) fn tiger(scene: &Scene, frame: &Frame) -> bool {
    scene.different(scene.spot(frame, 1, 1), scene.spot(frame, 2, 0))
}

/// The opponent's stones above and to the right are of two chains.
pub(super) fn parts_above_and_right(scene: &Scene, frame: &Frame) -> bool {
    scene.different(scene.spot(frame, 0, 1), scene.spot(frame, 1, 0))
}

/// The opponent's stones left and right are of two chains.
pub(super) fn parts_sides(scene: &Scene, frame: &Frame) -> bool {
    scene.different(scene.spot(frame, -1, 0), scene.spot(frame, 1, 0))
}

/// The opponent's stones left and right above, a knight's move apart, are of two chains.
pub(super) fn parts_knight(scene: &Scene, frame: &Frame) -> bool {
    scene.different(scene.spot(frame, -1, 0), scene.spot(frame, 1, 1))
}

/// Into the opponent's knight's move with help from beyond it or from near, not from an own stone beside; from an own stone
/// diagonally on this side it is a hane.
pub(super) fn crosses_knight(scene: &Scene, frame: &Frame) -> bool {
    scene.own.is_empty()
        && parts_knight(scene, frame)
        && (scene.at(frame, -1, 1) == Own || (scene.near(scene.p, 2, Own) && !scene.near(scene.p, 1, Own)))
}

/// No own stone beside the point, and one of the opponent's.
pub(super) fn bends_round(scene: &Scene, _: &Frame) -> bool {
    scene.own.is_empty() && scene.foe.stones == 1
}

/// The own stone that this move goes on from was a hane too, and the opponent answered it with one.
pub(super) fn second_hane(scene: &Scene, frame: &Frame) -> bool {
    let (first, answer) = (scene.spot(frame, -1, 1), scene.spot(frame, -1, 0));
    bends_round(scene, frame)
        && scene.last == Some(answer)
        && scene.before.chain(first).stones == 1
        && CORNERS.iter().any(|&c| {
            // an own stone behind the first hane, and between them the opponent's stone that it bent round
            let behind = first.plus(c);
            let round = [At::new(first.row, behind.col), At::new(behind.row, first.col)];
            behind != scene.p
                && scene.before.get(behind) == Own
                && round.iter().any(|&e| e != answer && scene.before.get(e) == Foe && e.distance(answer) == 1)
        })
}

/// A single stone of the opponent's held between the move and an own stone.
pub(super) fn clamps(scene: &Scene, frame: &Frame) -> bool {
    let stone = scene.before.chain(scene.spot(frame, 0, 1));
    scene.own.is_empty() && scene.foe.stones == 1 && stone.stones == 1 && !scene.near(scene.p, 1, Own)
}

/// The opponent's only stone beside the point is not yet in a fight.
fn touches_lightly(scene: &Scene) -> bool {
    scene.own.is_empty()
        && scene.foe.stones == 1
        && !scene.near(scene.p, 1, Own)
        && scene.foe.iter().all(|(_, c)| c.stones <= 2 && c.liberties >= c.stones + 2)
}

pub(super) fn attaches_under(scene: &Scene, frame: &Frame) -> bool {
    (2..=3).contains(&scene.line(frame))
        && scene.side_line(frame, scene.p) >= scene.line(frame)
        && touches_lightly(scene)
}

pub(super) fn attaches_with_help(scene: &Scene) -> bool {
    touches_lightly(scene) && scene.near(scene.p, 3, Own)
}

pub(super) fn attaches_alone(scene: &Scene) -> bool {
    touches_lightly(scene) && !scene.near(scene.p, 5, Own)
}

/// Along the edge, the opponent comes from the left: own stones ahead are what is being guarded.
pub(super) fn guards_along_the_edge(scene: &Scene, frame: &Frame) -> bool {
    let comes = [(-2, 0), (-2, 1), (-1, 1)].iter().any(|&(x, y)| scene.at(frame, x, y) == Foe);
    let guarded = (1..=2).any(|x| (0..=2).any(|y| scene.at(frame, x, y) == Own)) || scene.at(frame, 0, 1) == Own;
    scene.line(frame) <= 2 && scene.side_line(frame, scene.p) > 2 && comes && guarded
}

/// Beside the opponent's stone on the third or fourth line, coming down from an own stone.
pub(super) fn comes_down_beside(scene: &Scene, frame: &Frame) -> bool {
    (3..=4).contains(&scene.line(frame)) && scene.side_line(frame, scene.p) > scene.line(frame) && scene.own.stones == 1
}

/// Towards the edge: to the first or second line, or in contact with the opponent to the third.
pub(super) fn descends(scene: &Scene, frame: &Frame) -> bool {
    let above = scene.spot(frame, 0, 1);
    scene.line(frame) <= 3
        && scene.side_line(frame, scene.p) >= scene.line(frame)
        && scene.own.stones == 1
        && (scene.line(frame) <= 2
            || scene.near(scene.p, 1, Foe)
            || scene.before.neighbors(above).any(|n| scene.before.get(n) == Foe))
}

/// Under pressure along the first or second line.
pub(super) fn crawls(scene: &Scene, frame: &Frame) -> bool {
    scene.line(frame) <= 2 && scene.side_line(frame, scene.p) > scene.line(frame) && scene.own.stones == 1
}

/// From above, on stones of the second to fourth line.
pub(super) fn presses(scene: &Scene, frame: &Frame) -> bool {
    (3..=5).contains(&scene.line(frame)) && scene.side_line(frame, scene.p) > scene.line(frame) && scene.own.stones == 1
}

/// Goes on from a stone that is in contact or in danger.
pub(super) fn extends(scene: &Scene, frame: &Frame) -> bool {
    let behind = scene.spot(frame, 0, -1);
    // towards the edge it is another matter
    let down = scene.lowest_line(scene.p) < scene.lowest_line(behind) && scene.lowest_line(scene.p) <= 3;
    !down
        && scene.own.stones == 1
        && scene.after.chain(scene.p).liberties >= 2
        && (!scene.foe.is_empty() || scene.before.neighbors(behind).any(|n| scene.before.get(n) == Foe))
}

/// Straight back along the same line from a hane: a last stone that touches no other own stone, and no atari.
pub(super) fn draws_back(scene: &Scene, frame: &Frame) -> bool {
    let from = scene.spot(frame, -1, 0);
    let answers_hane = scene
        .last
        .is_some_and(|l| scene.before.neighbors(l).filter(|&n| matches!(scene.before.get(n), Own | Foe)).count() == 1);
    answers_hane
        && scene.own.stones == 1
        && scene.before.chain(from).liberties >= 2
        && scene.lowest_line(scene.p) == scene.lowest_line(from)
}

/// Beside a single own stone, along the side or in the centre, with no contact.
pub(super) fn stands_beside(scene: &Scene, frame: &Frame) -> bool {
    let other = scene.spot(frame, 0, -1);
    let along = {
        let p = scene.p;
        let side = |x: i8| (x + 1).min(scene.size() - x);
        let (across, lengthwise) =
            if frame.up.row != 0 { (side(p.row), side(p.col)) } else { (side(p.col), side(p.row)) };
        lengthwise < across || lengthwise >= 5
    };
    along
        && scene.own.stones == 1
        && scene.foe.is_empty()
        && scene.before.chain(other).stones == 1
        && scene.before.neighbors(other).all(|n| scene.before.get(n) == Empty)
}
