//! Groups that live in seki (双活), whose own points count for nothing by territory.

use super::regions::{Group, Regions};
use crate::rules::life::PassAlive;
use crate::rules::{Board, Color, Point};

/// Which groups live in seki, where territory is counted: Japanese practice gives no territory in seki.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Seki {
    /// As goband sees it; see [`find`].
    #[default]
    Recognised,
    /// None.
    Nowhere,
    /// The groups of these stones, and no others.
    Of(Vec<Point>),
}

/// The smallest own area in which two eyes are sure; of four points all shapes but the square will do.
const ROOM_FOR_TWO_EYES: usize = 5;

/// Groups that seem to live in seki: two groups of opposite colours, neither with two eyes of its own, share an empty
/// area that neither has filled. Dead stones are off the board. A proposal: eyes are judged by number and shape only.
pub(super) fn find(board: &Board, regions: &Regions) -> Vec<Group> {
    let mut weak: Vec<(Group, Vec<usize>)> = Vec::new();
    for color in [Color::Black, Color::White] {
        let alive = PassAlive::of(board, color);
        for group in regions.groups(board, color) {
            if !has_two_eyes(board, regions, &group, &alive) {
                let shared = shared_areas(board, regions, &group);
                weak.push((group, shared));
            }
        }
    }
    let in_seki = |group: &Group, shared: &[usize]| {
        weak.iter().any(|(other, areas)| other.color != group.color && areas.iter().any(|a| shared.contains(a)))
    };
    weak.iter().filter(|(group, shared)| in_seki(group, shared)).map(|(group, _)| group.clone()).collect()
}

fn has_two_eyes(board: &Board, regions: &Regions, group: &Group, alive: &PassAlive) -> bool {
    let sizes = group.areas.iter().map(|&id| regions.all[id].points.len());
    group.stones.iter().any(|&p| alive.is_alive(board, p))
        || group.areas.iter().any(|&id| room_for_two(&regions.all[id].points))
        // two eyes of one point each that are no Benson eyes are false ones
        || group.areas.len() >= 2 && sizes.sum::<usize>() > 2
}

fn room_for_two(points: &[Point]) -> bool {
    let square = || {
        let (rows, cols) = (points.iter().map(|p| p.row), points.iter().map(|p| p.col));
        let span = |min: Option<u8>, max: Option<u8>| max.unwrap_or(0) - min.unwrap_or(0);
        span(rows.clone().min(), rows.max()) == 1 && span(cols.clone().min(), cols.max()) == 1
    };
    points.len() >= ROOM_FOR_TWO_EYES || points.len() == ROOM_FOR_TWO_EYES - 1 && !square()
}

fn shared_areas(board: &Board, regions: &Regions, group: &Group) -> Vec<usize> {
    let mut areas: Vec<usize> = group
        .stones
        .iter()
        .flat_map(|&p| board.neighbors(p))
        .filter_map(|n| regions.area_of(board, n))
        .filter(|&id| regions.all[id].touches == [true, true])
        .collect();
    areas.sort();
    areas.dedup();
    areas
}
