//! Moves from an own stone at a little distance, without contact.

use super::scene::{At, Cell, Frame, Scene};
use Cell::{Edge, Foe, Own};

pub(super) fn alone(scene: &Scene, _: &Frame) -> bool {
    scene.is_alone()
}

/// At the head of the opponent's one-space jump: a stone between would part it.
pub(super) fn peeps(scene: &Scene, frame: &Frame) -> bool {
    let joint = scene.at(frame, -1, -2) == Foe && scene.at(frame, 1, -2) == Foe;
    scene.is_alone()
        && scene.at(frame, 0, -2) != Edge
        && !joint
        && scene.different(scene.spot(frame, -1, -1), scene.spot(frame, 1, -1))
}

/// A one-space jump whose middle the opponent does not hold from both sides.
pub(super) fn jumps(scene: &Scene, frame: &Frame) -> bool {
    scene.is_alone() && !(scene.at(frame, -1, 1) == Foe && scene.at(frame, -1, -1) == Foe)
}

/// The same towards the open centre, with nobody near.
pub(super) fn jumps_out(scene: &Scene, frame: &Frame) -> bool {
    let from = scene.spot(frame, -2, 0);
    jumps(scene, frame)
        && scene.lowest_line(scene.p) > scene.lowest_line(from)
        && !scene.near(scene.p, 2, Foe)
        && !scene.near(from, 1, Foe)
}

/// No stone of either side around the point.
pub(super) fn free(scene: &Scene, _: &Frame) -> bool {
    !scene.near(scene.p, 1, Foe) && !scene.near(scene.p, 1, Own)
}

/// The same, and no own stone closer than the one it goes out from.
pub(super) fn wide(scene: &Scene, _: &Frame) -> bool {
    !scene.near(scene.p, 1, Foe) && !scene.near(scene.p, 2, Own)
}

/// A two-space jump up from one of the lower lines.
pub(super) fn jumps_wide(scene: &Scene, frame: &Frame) -> bool {
    let from = scene.lowest_line(scene.spot(frame, -3, 0));
    wide(scene, frame) && from <= 5 && scene.lowest_line(scene.p) == from + 3
}

/// Alone on a wide stretch.
pub(super) fn far(scene: &Scene, _: &Frame) -> bool {
    !scene.near(scene.p, 2, Foe) && !scene.near(scene.p, 3, Own)
}

/// Straight ahead of an own stone diagonally behind, with the opponent's stone in front.
pub(super) fn kicks(scene: &Scene, frame: &Frame) -> bool {
    let front: At = scene.spot(frame, 0, 1);
    scene.own.is_empty() && scene.foe.stones == 1 && scene.before.chain(front).stones <= 2
}
