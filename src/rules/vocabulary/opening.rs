//! Corners, sides and the centre: moves without contact, named by their place.

use super::scene::{At, Cell, Corner, Frame, Scene};

type Place = (i8, i8);

fn swap((x, y): Place) -> Place {
    (y, x)
}

/// The corner, if the board is large enough for its customary names.
fn corner(scene: &Scene, smallest_board: i8) -> Option<&Corner> {
    scene.corner.as_ref().filter(|_| scene.size() >= smallest_board)
}

/// Into an empty corner, at this place or its mirror image.
pub(super) fn empty_corner(scene: &Scene, place: Place, smallest_board: i8) -> bool {
    // on small boards the middle is near
    let alone = scene.size() >= 13 || !(scene.near(scene.p, 2, Cell::Own) || scene.near(scene.p, 2, Cell::Foe));
    alone
        && corner(scene, smallest_board)
            .is_some_and(|c| c.own + c.foe == 0 && ((c.x, c.y) == place || (c.x, c.y) == swap(place)))
}

/// With the corner's only stone, an own one, the move makes one of these pairs.
pub(super) fn enclosure(scene: &Scene, pairs: &[(Place, Place)]) -> bool {
    let Some(c) = corner(scene, 13).filter(|c| (c.own, c.foe) == (1, 0)) else { return false };
    let (stone, play) = (c.stones[0].0, (c.x, c.y));
    pairs.iter().any(|&(a, b)| {
        let is = |s: Place, p: Place| (s, p) == (a, b) || (s, p) == (b, a);
        is(stone, play) || is(swap(stone), swap(play))
    })
}

/// Against the corner's only stone, the opponent's: pairs of stone and move.
pub(super) fn approach(scene: &Scene, pairs: &[(Place, Place)]) -> bool {
    let Some(c) = corner(scene, 13).filter(|c| (c.own, c.foe) == (0, 1)) else { return false };
    let (stone, play) = (c.stones[0].0, (c.x, c.y));
    pairs.iter().any(|&pair| pair == (stone, play) || pair == (swap(stone), swap(play)))
}

/// The star stone is approached by a small knight's move from its other side too.
pub(super) fn double_approach(scene: &Scene) -> bool {
    let Some(c) = corner(scene, 13).filter(|c| (c.own, c.foe) == (1, 1)) else { return false };
    let stone = |side| c.stones[..2].iter().find(|(_, cell)| *cell == side).map(|(place, _)| *place);
    let pair = (stone(Cell::Foe), stone(Cell::Own), (c.x, c.y));
    pair == (Some((4, 4)), Some((3, 6)), (6, 3)) || pair == (Some((4, 4)), Some((6, 3)), (3, 6))
}

pub(super) fn three_three_invasion(scene: &Scene) -> bool {
    let Some(c) = corner(scene, 13) else { return false };
    (c.x, c.y) == (3, 3)
        && c.own == 0
        && c.foe <= 4
        && scene.is_alone()
        && c.stones.contains(&((4, 4), Cell::Foe))
        && !c.stones.iter().any(|&((x, y), cell)| cell == Cell::Foe && x <= 3 && y <= 3)
}

pub(super) fn centre(scene: &Scene) -> bool {
    let size = scene.size();
    let middle = size / 2;
    size % 2 == 1
        && size >= 9
        && (scene.p.row, scene.p.col) == (middle, middle)
        && !scene.near(scene.p, 1, Cell::Own)
        && !scene.near(scene.p, 1, Cell::Foe)
}

/// What stands on one line across the side, on its five lowest lines.
#[derive(Clone, Copy, Debug, Default)]
struct Column {
    own: Option<i8>,
    foe: Option<i8>,
}

impl Column {
    fn is_empty(&self) -> bool {
        self.own.is_none() && self.foe.is_none()
    }
}

/// Column `x` to the right of the move; lines are counted from the edge below, the highest stone is kept. `None` beyond the board.
fn column(scene: &Scene, frame: &Frame, x: i8) -> Option<Column> {
    let line = scene.line(frame);
    if scene.at(frame, x, 0) == Cell::Edge {
        return None;
    }
    let mut column = Column::default();
    for l in 1..=5 {
        match scene.at(frame, x, l - line) {
            Cell::Own => column.own = Some(l),
            Cell::Foe => column.foe = Some(l),
            _ => {}
        }
    }
    Some(column)
}

/// The first column with a stone to the right (`way` 1) or left (-1), at most so far away.
fn first_column(scene: &Scene, frame: &Frame, way: i8, from: i8, to: i8) -> Option<(i8, Column)> {
    for x in from..=to {
        let column = column(scene, frame, way * x)?;
        if !column.is_empty() {
            return Some((x, column));
        }
    }
    None
}

/// On the third or fourth line of a side, clear of the corners, with no stone around.
fn on_side(scene: &Scene, frame: &Frame) -> bool {
    scene.size() >= 13
        && (3..=4).contains(&scene.line(frame))
        && scene.side_line(frame, scene.p) > 4
        && !scene.near(scene.p, 1, Cell::Own)
        && !scene.near(scene.p, 1, Cell::Foe)
}

const fn is_side_line(line: Option<i8>) -> bool {
    matches!(line, Some(3 | 4))
}

/// 拆: along the side from an own stone on the same line, `gap` points between them.
pub(super) fn extension(scene: &Scene, gap: i8) -> bool {
    super::scene::FRAMES.iter().any(|frame| {
        on_side(scene, frame)
            && first_column(scene, frame, 1, 1, gap + 1).is_some_and(|(x, c)| {
                // from a corner stone or out of a fight the shortest step is no extension
                let from = scene.spot(frame, x, 0);
                x == gap + 1
                    && c.foe.is_none()
                    && scene.before.get(from) == Cell::Own
                    && (gap > 1 || (scene.side_line(frame, from) > 4 && !scene.near(from, 1, Cell::Foe)))
            })
    })
}

/// The stone that a pincer of this frame attacks: its distance. Alone, on the third or fourth line, with an own stone behind it.
fn pincered(scene: &Scene, frame: &Frame) -> Option<i8> {
    if !on_side(scene, frame) {
        return None;
    }
    let (x, c) = first_column(scene, frame, 1, 2, 4)?;
    if !is_side_line(c.foe) || c.own.is_some() || column(scene, frame, 1).is_none_or(|c| !c.is_empty()) {
        return None;
    }
    let line = scene.line(frame);
    let stone = scene.spot(frame, x, c.foe? - line);
    if scene.before.get(stone) != Cell::Foe || scene.near(stone, 2, Cell::Foe) {
        return None;
    }
    let (_, behind) = first_column(scene, frame, 1, x + 1, x + 4)?;
    let held = !scene.near(stone, 1, Cell::Own) && behind.own.is_some_and(|l| l >= 3) && behind.foe.is_none();
    // with the opponent at the pincer's own back it is something else
    let free = first_column(scene, frame, -1, 1, 3).is_none_or(|(_, c)| c.foe.is_none());
    (held && free).then_some(x)
}

/// 夹: with `gap` points between, on this line.
pub(super) fn pincer(scene: &Scene, gap: i8, line: i8) -> bool {
    super::scene::FRAMES.iter().any(|frame| scene.line(frame) == line && pincered(scene, frame) == Some(gap + 1))
}

/// 反夹: the own stone on the other side of the stone attacked is itself between it and another of the opponent's.
pub(super) fn counter_pincer(scene: &Scene) -> bool {
    super::scene::FRAMES.iter().any(|frame| {
        let Some(x) = pincered(scene, frame) else { return false };
        let line = scene.line(frame);
        // along the same side, or round the corner
        (x + 1..=x + 4).any(|own| {
            (2 - line..=6 - line).any(|y| {
                scene.at(frame, own, y) == Cell::Own
                    && is_pincered_from(scene, scene.spot(frame, own, y), [frame.right, frame.up])
            })
        })
    })
}

/// Whether going on from an own stone one of these ways the first stone within four lines is the opponent's, at two or more.
fn is_pincered_from(scene: &Scene, stone: At, ways: [At; 2]) -> bool {
    let [a, b] = ways;
    [(a, b), (b, a)].into_iter().any(|(way, across)| {
        let strip = |x: i8| {
            (-1..=1)
                .map(move |y| scene.before.get(stone.plus(way.times(x)).plus(across.times(y))))
                .filter(|c| c.is_stone())
        };
        strip(1).next().is_none() && (2..=4).find_map(|x| strip(x).next()).is_some_and(|c| c == Cell::Foe)
    })
}

/// 逼: up to the opponent's stones along the side, from one's own at the back.
pub(super) fn checking_extension(scene: &Scene) -> bool {
    super::scene::FRAMES.iter().any(|frame| {
        on_side(scene, frame)
            && column(scene, frame, 1).is_some_and(|c| c.is_empty())
            && first_column(scene, frame, 1, 2, 3).is_some_and(|(_, c)| is_side_line(c.foe) && c.own.is_none())
            && first_column(scene, frame, -1, 1, 8).is_some_and(|(x, _)| x >= 3)
            && first_column(scene, frame, -1, 3, 8).is_some_and(|(_, c)| is_side_line(c.own) && c.foe.is_none())
    })
}

/// 镇: where the opponent's stone on the side would jump to.
pub(super) fn cap(scene: &Scene, frame: &Frame) -> bool {
    let stone = scene.spot(frame, 0, -2);
    let line = scene.line_of(frame, stone);
    (3..=4).contains(&line)
        && scene.side_line(frame, stone) >= line + 3
        && scene.is_clear(frame, -2..=2, -1..=2)
        && scene.before.chain(stone).stones <= 2
        && !scene.near(stone, 1, Cell::Own)
}

/// The same above a stone that has jumped up itself.
pub(super) fn cap_above(scene: &Scene, frame: &Frame) -> bool {
    let stone = scene.spot(frame, 0, -2);
    let line = scene.line_of(frame, stone);
    (5..=6).contains(&line)
        && scene.side_line(frame, stone) > line
        && scene.is_clear(frame, -2..=2, -1..=2)
        && scene.is_clear(frame, -1..=1, -3..=-3)
        && !scene.near(stone, 1, Cell::Own)
}

/// 肩冲: diagonally above a stone on the side, from outside, with no help near.
pub(super) fn shoulder_hit(scene: &Scene, frame: &Frame) -> bool {
    let line = scene.line(frame);
    (4..=5).contains(&line)
        && scene.side_line(frame, scene.p) >= line
        && !scene.near(scene.p, 2, Cell::Own)
        && scene.is_clear(frame, -2..=2, 0..=2)
        && scene.is_clear(frame, 0..=2, -1..=-1)
        && scene.before.chain(scene.spot(frame, -1, -1)).stones == 1
}
