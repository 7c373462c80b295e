//! Eyes, and what is shut in.

use super::scene::{At, CORNERS, Cell, Grid, Points, SIDES, Scene};
use Cell::{Edge, Empty, Foe, Own};

/// Corners of an eye that may be missing: one in the middle, none at the edge.
fn spare_corners(grid: &Grid, eye: At) -> usize {
    usize::from(SIDES.iter().all(|&s| grid.on_board(eye.plus(s))))
}

/// Whether `eye` is an empty point surrounded by `side`.
fn is_walled(grid: &Grid, eye: At, side: Cell) -> bool {
    grid.get(eye) == Empty && SIDES.iter().all(|&s| matches!(grid.get(eye.plus(s)), c if c == side || c == Edge))
}

/// Whether `eye` is one that cannot be made false.
fn is_eye(grid: &Grid, eye: At, side: Cell) -> bool {
    let missing = CORNERS.iter().filter(|&&c| !matches!(grid.get(eye.plus(c)), x if x == side || x == Edge)).count();
    is_walled(grid, eye, side) && missing <= spare_corners(grid, eye)
}

fn around(p: At) -> impl Iterator<Item = At> {
    SIDES.into_iter().chain(CORNERS).map(move |s| p.plus(s))
}

/// Completes an eye where the opponent is near.
pub(super) fn makes_eye(scene: &Scene) -> bool {
    scene.near(scene.p, 1, Foe)
        && around(scene.p).any(|eye| is_eye(&scene.after, eye, Own) && !is_eye(&scene.before, eye, Own))
}

/// Makes an eye of the opponent's false: it now needs a stone at the eye itself.
pub(super) fn breaks_eye(scene: &Scene) -> bool {
    let taken = |grid: &Grid, eye: At| CORNERS.iter().filter(|&&c| grid.get(eye.plus(c)) == Own).count();
    CORNERS.iter().map(|&c| scene.p.plus(c)).any(|eye| {
        let spare = spare_corners(&scene.before, eye);
        is_walled(&scene.before, eye, Foe)
            && taken(&scene.before, eye) == spare
            && taken(&scene.after, eye) == spare + 1
            && {
                let mut walls = scene.before.neighbors(eye);
                let first = walls.next();
                walls.any(|w| first.is_some_and(|f| scene.different(f, w)))
            }
    })
}

/// Empty points joined to `p`, if there are at most `most` of them and only `wall` and the edge around them.
fn room(grid: &Grid, p: At, wall: Cell, most: usize) -> Option<usize> {
    let mut seen = Points::new();
    let mut found = vec![p];
    seen.insert(p);
    let mut next = 0;
    while next < found.len() {
        for n in grid.neighbors(found[next]) {
            match grid.get(n) {
                Empty if seen.insert(n) => found.push(n),
                Empty => {}
                c if c != wall => return None,
                _ => {}
            }
        }
        if found.len() > most {
            return None;
        }
        next += 1;
    }
    Some(found.len())
}

/// Inside the opponent's eye space of three to six points.
pub(super) fn placement(scene: &Scene) -> bool {
    scene.own.is_empty() && room(&scene.before, scene.p, Foe, 6).is_some_and(|n| n >= 3)
}

/// Points that the opponent cannot step on without being stopped: between two own stones that are diagonal, or a one-space jump or
/// small knight's move apart.
fn gates(grid: &Grid) -> Points {
    let mut gates = Points::new();
    // half of the directions: the other half are the same pairs
    type Step = (i8, i8);
    const LINKS: [(Step, &[Step]); 8] = [
        ((1, 1), &[(0, 1), (1, 0)]),
        ((1, -1), &[(0, -1), (1, 0)]),
        ((0, 2), &[(0, 1)]),
        ((2, 0), &[(1, 0)]),
        ((1, 2), &[(0, 1), (1, 1)]),
        ((2, 1), &[(1, 0), (1, 1)]),
        ((1, -2), &[(0, -1), (1, -1)]),
        ((2, -1), &[(1, 0), (1, -1)]),
    ];
    for p in grid.points() {
        if grid.get(p) != Own {
            continue;
        }
        for (to, between) in LINKS {
            if grid.get(p.plus(At::new(to.0, to.1))) == Own
                && between.iter().all(|b| grid.get(p.plus(At::new(b.0, b.1))) == Empty)
            {
                for b in between {
                    gates.insert(p.plus(At::new(b.0, b.1)));
                }
            }
        }
    }
    // a stone on the second or third line closes what is below it
    for p in grid.points() {
        if grid.get(p) != Own {
            continue;
        }
        for s in SIDES {
            for reach in 1..=2 {
                if grid.get(p.plus(s.times(reach + 1))) == Edge
                    && (1..=reach).all(|i| grid.get(p.plus(s.times(i))) == Empty)
                {
                    (1..=reach).for_each(|i| {
                        gates.insert(p.plus(s.times(i)));
                    });
                }
            }
        }
    }
    gates
}

/// Points that the opponent's chain at `from` can reach past such gates, itself included; counting ends at `most`.
fn reach(grid: &Grid, gates: &Points, from: At, most: usize) -> usize {
    let mut seen = Points::new();
    let mut found = Vec::with_capacity(most + 4);
    found.push(from);
    seen.insert(from);
    let mut next = 0;
    while next < found.len() && found.len() < most {
        for n in grid.neighbors(found[next]) {
            let cell = grid.get(n);
            if (cell == Foe || (cell == Empty && !gates.has(n))) && seen.insert(n) {
                found.push(n);
            }
        }
        next += 1;
    }
    found.len()
}

/// Shuts a group of the opponent's in that had the open board before it, and leaves it little room.
pub(super) fn seals_in(scene: &Scene) -> bool {
    // what is shut off is the centre: on the lower lines it is something else
    let lowest = if scene.size() < 13 { 3 } else { 4 };
    if !scene.is_alone() || scene.lowest_line(scene.p) < lowest || !scene.near(scene.p, 3, Own) {
        return false;
    }
    let points = (scene.size() as usize).pow(2);
    let (little, open) = (points / 12, points / 3);
    let (mut before, mut after) = (None, None);
    let mut seen = Points::new();
    for row in -3..=3i8 {
        for col in -3..=3i8 {
            let at = scene.p.plus(At::new(row, col));
            if scene.before.get(at) != Foe || seen.has(at) {
                continue;
            }
            scene.before.gather(at, &mut |(stone, liberty)| {
                if !liberty {
                    seen.insert(stone);
                }
            });
            let after = after.get_or_insert_with(|| gates(&scene.after));
            if reach(&scene.after, after, at, little + 1) <= little
                && reach(&scene.before, before.get_or_insert_with(|| gates(&scene.before)), at, open) >= open
            {
                return true;
            }
        }
    }
    false
}
