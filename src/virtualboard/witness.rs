//! Looks at a timeline through the camera and writes down what is true of it.

use crate::game::Spot;
use crate::rules::{Board, Color, Point};

use super::camera::{Camera, CameraPose};
use super::furniture::{Furniture, side};
use super::geometry::{BoardGeometry, BoardPose};
use super::hand::{self, Bone, SeenBone};
use super::look::Look;
use super::space::{V3, v3};
use super::timeline::{Timeline, Visit};
use super::truth::{Corners, FrameTruth, OffPointStone, TrueEvent, TrueMove, Truth};

/// More than this far off its crossing a stone is off its point.
pub(super) const OFF_POINT_PITCHES: f64 = 0.35;

/// The stage as the camera sees it.
pub struct Witness<'a> {
    pub look: &'a Look,
    pub furniture: &'a Furniture,
    pub timeline: &'a Timeline,
    pub width: u32,
    pub height: u32,
    pub fps: f64,
}

impl Witness<'_> {
    pub fn frames(&self) -> u64 {
        (self.timeline.end_s * self.fps).ceil() as u64
    }

    pub fn time_s(&self, frame: u64) -> f64 {
        frame as f64 / self.fps
    }

    /// First frame at or after a moment.
    fn frame_of(&self, at_s: f64) -> u64 {
        (at_s * self.fps - 1e-6).ceil().max(0.0) as u64
    }

    pub fn bones(&self, visit: &Visit, at_s: f64) -> Vec<Bone> {
        let k = side(visit.color);
        let reach = Timeline::reach(self.look, self.furniture, visit.color);
        hand::bones(&self.look.people[k], &visit.pose(at_s), hand::shoulder(self.furniture.seats[k], reach))
    }

    /// What lies on the points, and what lies off them.
    fn lies(&self, at_s: f64) -> (Board, Vec<OffPointStone>) {
        let g = &self.look.geometry;
        let mut board = Board::new(g.size);
        let mut off = Vec::new();
        for stone in &self.timeline.stones {
            let Some(p) = stone.on_board(at_s) else { continue };
            let [row, col] = g.row_col(p).map(f64::from);
            let (r, c) = (row.round(), col.round());
            let last = f64::from(g.size - 1);
            let on_grid = (0.0..=last).contains(&r) && (0.0..=last).contains(&c);
            let thousandth = |v: f64| (v * 1000.0).round() / 1000.0;
            if !on_grid || (row - r).hypot(col - c) > OFF_POINT_PITCHES {
                off.push((stone.color, thousandth(row), thousandth(col)));
            }
            if on_grid {
                let point = Point::new(r as u8, c as u8);
                if board.get(point).is_none() {
                    board.set(point, Some(stone.color));
                }
            }
        }
        (board, off)
    }

    /// The truth of one frame; `eye` must be for its camera and board.
    pub fn frame(&self, frame: u64, eye: &Eye) -> FrameTruth {
        let at_s = self.time_s(frame);
        let (board, off_point) = self.lies(at_s);
        let seen = self.seen_bones(at_s, &eye.camera);
        let hidden = board.points().filter(|p| eye.hides(&seen, *p, board.get(*p), self.look)).collect();
        FrameTruth {
            frame,
            time_ms: (at_s * 1000.0).round() as u64,
            hidden,
            occluded: eye.covered(&seen),
            corners: eye.corners,
            off_point,
            moves: self.timeline.moves.iter().filter(|m| m.placed_s <= at_s).count(),
            board,
        }
    }

    /// Everything before the camera that can hide a point: bones and carried stones.
    fn seen_bones(&self, at_s: f64, camera: &Camera) -> Vec<SeenBone> {
        let mut seen = Vec::new();
        for (k, visit) in self.timeline.hands(at_s) {
            seen.extend(self.bones(visit, at_s).iter().filter_map(|b| SeenBone::of(b, camera)));
            for s in self.timeline.carried(k, at_s, self.look) {
                let shape = s.shape(self.look);
                let p = s.place + v3(0.0, 0.0, shape.half_height);
                let disc =
                    Bone { a: p, ra: shape.radius * 0.8, b: p, rb: shape.radius * 0.8, skin: hand::Skin::Finger };
                seen.extend(SeenBone::of(&disc, camera));
            }
        }
        seen
    }

    /// The truth of all frames.
    pub fn testify(&self, name: &str, look_text: &str) -> Truth {
        let frames = self.frames();
        let mut camera: Vec<(u64, u64, Corners)> = Vec::new();
        let mut positions: Vec<(u64, Board)> = Vec::new();
        let mut off_point_stones: Vec<(u64, Vec<OffPointStone>)> = Vec::new();
        let mut occluded: Vec<(u64, u64)> = Vec::new();
        let mut hidden_at: Vec<Option<Vec<SeenBone>>> = Vec::with_capacity(frames as usize);
        let mut covered: Vec<bool> = Vec::with_capacity(frames as usize);
        let mut eyes: Vec<(u64, Eye)> = Vec::new();
        for frame in 0..frames {
            let at_s = self.time_s(frame);
            let (pose, board_pose) = (self.timeline.camera(at_s), self.timeline.board(at_s));
            if eyes.last().is_none_or(|(_, e)| !e.is_for(&pose, &board_pose)) {
                eyes.push((frame, Eye::new(&self.look.geometry, pose, board_pose, self.width, self.height)));
            }
            let eye = &eyes.last().expect("just put there").1;
            let rounded = eye.corners.map(|c| c.map(|v| (v * 100.0).round() / 100.0));
            match camera.last_mut() {
                Some(last) if last.2 == rounded => last.1 = frame,
                _ => camera.push((frame, frame, rounded)),
            }
            let (board, off) = self.lies(at_s);
            if positions.last().is_none_or(|(_, b)| *b != board) {
                positions.push((frame, board));
            }
            if off_point_stones.last().map_or(!off.is_empty(), |(_, o)| *o != off) {
                off_point_stones.push((frame, off));
            }
            let seen = self.timeline.hands(at_s).next().map(|_| self.seen_bones(at_s, &eye.camera));
            let over = seen.as_ref().is_some_and(|s| eye.covered(s));
            if over {
                match occluded.last_mut() {
                    Some(last) if last.1 + 1 == frame => last.1 = frame,
                    _ => occluded.push((frame, frame)),
                }
            }
            covered.push(over);
            hidden_at.push(seen);
        }
        let clear_from = |frame: u64| (frame..frames).find(|f| !covered[*f as usize]);
        let point_seen = |point: Point, frame: u64| {
            (frame..frames).find(|f| {
                let eye = &eyes[eyes.partition_point(|e| e.0 <= *f) - 1].1;
                hidden_at[*f as usize]
                    .as_ref()
                    .is_none_or(|seen| !eye.hides(seen, point, Some(Color::Black), self.look))
            })
        };
        let moves = self
            .timeline
            .moves
            .iter()
            .enumerate()
            .map(|(i, m)| {
                let placed = self.frame_of(m.placed_s);
                TrueMove {
                    n: i as u32 + 1,
                    color: m.color,
                    point: m.point,
                    frame_placed: placed,
                    captured: m.captured.clone(),
                    frame_captures_cleared: m.cleared_s.map(|s| self.frame_of(s)),
                    frame_clear: clear_from(placed),
                    frame_point_seen: point_seen(m.point, placed),
                }
            })
            .collect();
        let mut events: Vec<TrueEvent> = self
            .timeline
            .events
            .iter()
            .map(|e| {
                let state = self.frame_of(e.state_s);
                let repaired = e.repaired_s.map(|s| self.frame_of(s));
                let at = e.points.last().and_then(|s| s.point());
                TrueEvent {
                    kind: e.kind,
                    frame_start: self.frame_of(e.start_s),
                    color: e.color,
                    points: e.points.iter().map(|s| rounded(*s)).collect(),
                    description: e.description.clone(),
                    repaired_frame: repaired,
                    frame_state: state,
                    frame_visible: if e.seen_at_once { Some(state) } else { clear_from(state) },
                    frame_point_seen: at.and_then(|p| point_seen(p, state)),
                    repaired_visible: repaired.and_then(|f| if e.seen_at_once { Some(f) } else { clear_from(f) }),
                }
            })
            .collect();
        events.sort_by_key(|e| (e.frame_start, e.frame_state));
        Truth {
            name: name.to_string(),
            size: self.look.geometry.size,
            look: look_text.to_string(),
            fps: self.fps,
            frames,
            width: self.width,
            height: self.height,
            camera,
            start_position: positions.first().map_or_else(|| Board::new(self.look.geometry.size), |p| p.1.clone()),
            moves,
            events,
            positions,
            off_point_stones,
            occluded,
        }
    }
}

/// Two decimals, as events are written.
fn rounded(s: Spot) -> Spot {
    let two = |v: f64| (v * 100.0).round() / 100.0;
    Spot { row: two(s.row), col: two(s.col) }
}

/// One pose of camera and board, with the places that are asked for again and again.
pub struct Eye {
    pose: CameraPose,
    board: BoardPose,
    size: u8,
    pub camera: Camera,
    pub corners: Corners,
    /// Pixels of every crossing at the board's surface and at the middle height of a stone.
    crossings: Vec<[[f32; 2]; 2]>,
    /// Pixels of a lattice of half pitches over the grid and half a pitch around it.
    lattice: Vec<[f32; 2]>,
}

impl Eye {
    pub fn new(g: &BoardGeometry, pose: CameraPose, board: BoardPose, width: u32, height: u32) -> Eye {
        let camera = Camera::new(&pose, width, height);
        let at = |row: f32, col: f32, z: f32| {
            let p: V3 = board.to_world(g.place(row, col)) + v3(0.0, 0.0, z);
            camera.project([f64::from(p.x), f64::from(p.y), f64::from(p.z)]).unwrap_or([-1e4, -1e4])
        };
        let narrow = |p: [f64; 2]| [p[0] as f32, p[1] as f32];
        let last = f32::from(g.size - 1);
        let corners = [at(0.0, 0.0, 0.0), at(0.0, last, 0.0), at(last, last, 0.0), at(last, 0.0, 0.0)];
        let n = g.size;
        let crossings = (0..n)
            .flat_map(|r| (0..n).map(move |c| (f32::from(r), f32::from(c))))
            .map(|(r, c)| [narrow(at(r, c, 0.0)), narrow(at(r, c, 4.5))])
            .collect();
        let half_steps = |k: u8| f32::from(k) * 0.5 - 0.5;
        let lattice = (0..2 * n + 1)
            .flat_map(|r| (0..2 * n + 1).map(move |c| (half_steps(r), half_steps(c))))
            .map(|(r, c)| narrow(at(r, c, 0.0)))
            .collect();
        Eye { pose, board, size: n, camera, corners, crossings, lattice }
    }

    pub fn is_for(&self, pose: &CameraPose, board: &BoardPose) -> bool {
        self.pose == *pose && self.board == *board
    }

    fn hides(&self, seen: &[SeenBone], p: Point, stone: Option<Color>, _look: &Look) -> bool {
        let at = self.crossings[p.row as usize * self.size as usize + p.col as usize][usize::from(stone.is_some())];
        seen.iter().any(|b| {
            let [x0, y0, x1, y1] = b.bounds();
            at[0] >= x0 && at[0] <= x1 && at[1] >= y0 && at[1] <= y1 && b.covers(at[0], at[1])
        })
    }

    fn covered(&self, seen: &[SeenBone]) -> bool {
        seen.iter().any(|b| {
            let [x0, y0, x1, y1] = b.bounds();
            self.lattice.iter().any(|p| p[0] >= x0 && p[0] <= x1 && p[1] >= y0 && p[1] <= y1 && b.covers(p[0], p[1]))
        })
    }
}
