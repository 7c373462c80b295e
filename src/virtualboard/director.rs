//! Turns a script into a timeline: who reaches where and when, and what that leaves on the board.

mod incidents;

use crate::game::{EventKind, Spot};
use crate::rules::{Board, Color, History, Point};

use super::camera::CameraPose;
use super::furniture::{Furniture, side};
use super::geometry::BoardPose;
use super::hand;
use super::look::Look;
use super::script::{Pace, Script, What};
use super::space::{Dice, V3, v3};
use super::still::LID_FLOOR_MM;
use super::timeline::{Key, Place, StoneLife, TimedEvent, TimedMove, Timeline, Visit};
use super::witness::OFF_POINT_PITCHES;

/// Plays the (checked) script.
pub fn direct(script: &Script, look: &Look, furniture: &Furniture, camera: CameraPose, seed: u64) -> Timeline {
    let mut d = Director {
        look,
        furniture,
        pace: script.pace,
        dice: Dice::new(seed, 0xd1),
        now: script.pace.lead_s,
        soonest: 0.0,
        cells: vec![None; script.size as usize * script.size as usize],
        loose: Vec::new(),
        size: script.size,
        pose: BoardPose::default(),
        camera,
        in_lid: [0, 0],
        line: Timeline {
            cameras: vec![(0.0, camera)],
            boards: vec![(0.0, BoardPose::default())],
            ..Timeline::default()
        },
    };
    d.set_up(&script.start);
    let mut history = History::new(script.start.clone(), script.first());
    let after = |n: u32| {
        script.happenings.iter().filter(move |h| h.at_move == n && !h.what.befalls_the_move()).collect::<Vec<_>>()
    };
    for h in after(0) {
        d.happen(h, &history);
    }
    for (i, &(color, point)) in script.moves.iter().enumerate() {
        let n = i as u32 + 1;
        let befalls = script.happenings.iter().find(|h| h.at_move == n && h.what.befalls_the_move());
        let captured = history.classify(color, Some(point)).captured;
        d.play(color, point, &captured, befalls.map(|h| &h.what));
        history.play(color, Some(point));
        for h in after(n) {
            d.happen(h, &history);
        }
    }
    let busy = d.line.visits.iter().map(Visit::end_s).fold(d.now, f64::max);
    d.line.end_s = busy + script.pace.tail_s;
    d.line
}

struct Director<'a> {
    look: &'a Look,
    furniture: &'a Furniture,
    pace: Pace,
    dice: Dice,
    /// When the next visit may set out.
    now: f64,
    /// When the grid is surely free again.
    soonest: f64,
    /// Index of the life of the stone on each point.
    cells: Vec<Option<usize>>,
    /// Lives of stones that lie elsewhere on the board.
    loose: Vec<usize>,
    size: u8,
    pose: BoardPose,
    camera: CameraPose,
    /// Prisoners in Black's and White's lid.
    in_lid: [usize; 2],
    line: Timeline,
}

/// A visit being written.
struct Reach {
    color: Color,
    keys: Vec<Key>,
    /// Its index among the visits once it is written.
    index: usize,
}

impl Reach {
    fn now(&self) -> f64 {
        self.keys.last().map_or(0.0, |k| k.at_s)
    }
}

impl Director<'_> {
    fn cell(&self, p: Point) -> usize {
        p.row as usize * self.size as usize + p.col as usize
    }

    fn new_stone(&mut self, color: Color) -> usize {
        let id = self.line.stones.len() as u32 + 1;
        self.line.stones.push(StoneLife { id, color, stays: Vec::new() });
        self.line.stones.len() - 1
    }

    fn put(&mut self, stone: usize, at_s: f64, place: Place) {
        self.line.stones[stone].stays.push((at_s, place));
    }

    fn set_up(&mut self, start: &Board) {
        for p in start.points() {
            if let Some(color) = start.get(p) {
                let stone = self.new_stone(color);
                let place = self.resting_place(p, None);
                self.put(stone, 0.0, Place::OnBoard(place));
                let cell = self.cell(p);
                self.cells[cell] = Some(stone);
            }
        }
    }

    /// Where a stone for a point comes to lie: never quite on it, never through a neighbour.
    fn resting_place(&mut self, p: Point, wish: Option<[f32; 2]>) -> V3 {
        let g = &self.look.geometry;
        let spread = self.look.stones.offset_pitches;
        let off = wish.unwrap_or_else(|| {
            let mut one = || (self.dice.normal() * spread).clamp(-2.2 * spread, 2.2 * spread);
            [one(), one()]
        });
        let mut place = g.place(f32::from(p.row) + off[0], f32::from(p.col) + off[1]);
        let own = self.cell(p);
        let near: Vec<V3> = self
            .cells
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != own)
            .filter_map(|(_, s)| self.lies_at((*s)?))
            .chain(self.loose.iter().filter_map(|s| self.lies_at(*s)))
            .filter(|q| (*q - place).length() < self.look.stones.diameter_mm * 1.3)
            .collect();
        for _ in 0..4 {
            for q in &near {
                let gap = (place - *q).flat();
                let over = self.look.stones.diameter_mm * 1.004 - gap.length();
                if over > 0.0 {
                    place += gap.unit() * over;
                }
            }
        }
        // a crowd may push only so far
        let centre = g.place(f32::from(p.row), f32::from(p.col));
        let off = place - centre;
        let limit = if wish.is_some() { 0.7 } else { 0.2 } * g.pitch_mm[0];
        if off.length() > limit { centre + off.unit() * limit } else { place }
    }

    fn lies_at(&self, stone: usize) -> Option<V3> {
        match self.line.stones[stone].stays.last()?.1 {
            Place::OnBoard(p) => Some(p),
            Place::Sliding { to, .. } | Place::Falling { to, .. } => Some(to),
            _ => None,
        }
    }

    // --- the ways of a hand ---

    fn quick(&self, seconds: f64) -> f64 {
        seconds / self.pace.hand_speed
    }

    fn set_out(&mut self, color: Color) -> Reach {
        let start = self.now;
        let tip = hand::rest(self.furniture.seats[side(color)], Timeline::reach(self.look, self.furniture, color));
        let keys = vec![Key { at_s: start, tip, grip: 0.4, arch: 0.0 }];
        Reach { color, keys, index: self.line.visits.len() }
    }

    fn go(&mut self, r: &mut Reach, seconds: f64, tip: V3, grip: f32, arch: f32) -> f64 {
        let uneven = f64::from(self.dice.between(0.92, 1.1));
        let at_s = r.now() + self.quick(seconds) * uneven;
        r.keys.push(Key { at_s, tip, grip, arch });
        at_s
    }

    fn stay(&mut self, r: &mut Reach, seconds: f64, grip: f32) -> f64 {
        let tip = r.keys.last().map_or(V3::ZERO, |k| k.tip);
        let at_s = r.now() + seconds;
        r.keys.push(Key { at_s, tip, grip, arch: 0.0 });
        at_s
    }

    /// Back to the lap; the visit is written down.
    fn leave(&mut self, mut r: Reach) -> (f64, f64) {
        let begin = r.now();
        let seat = self.furniture.seats[side(r.color)];
        let tip = hand::rest(seat, Timeline::reach(self.look, self.furniture, r.color));
        let end = self.go(&mut r, 0.5, tip, 0.3, 25.0);
        self.line.visits.push(Visit { color: r.color, keys: r.keys });
        self.soonest = end;
        (begin, end)
    }

    /// The next visit sets out `wait` seconds after this one was done, at the earliest when the grid is free.
    fn then_wait(&mut self, wait: f64) {
        self.now = self.soonest + wait;
    }

    fn tip_at(&self, on_board: V3, up: f32) -> V3 {
        self.pose.to_world(on_board) + v3(0.0, 0.0, self.look.stones.height_mm * 0.5 + up)
    }

    /// Takes a fresh stone out of the bowl (or brings one along when there are no bowls).
    fn fetch(&mut self, r: &mut Reach, color_of_stone: Color) -> usize {
        let stone = self.new_stone(color_of_stone);
        if let Some(b) = self.look.bowls {
            let bowl = self.furniture.bowls[side(color_of_stone)];
            let over = bowl + v3(0.0, 0.0, b.height_mm + 4.0);
            self.go(r, 0.36, over, 0.3, 30.0);
            let t = self.stay(r, self.quick(0.16), 1.0);
            self.put(stone, t - self.quick(0.05), Place::Held(r.index));
        } else {
            self.put(stone, r.now(), Place::Held(r.index));
            r.keys.last_mut().expect("a visit begins with a key").grip = 1.0;
        }
        stone
    }

    /// Sets a held stone down at a place of the board. Returns when it lies.
    fn set_down(&mut self, r: &mut Reach, stone: usize, place: V3, how_far: f64) -> f64 {
        let (above, on) = (self.tip_at(place, 26.0), self.tip_at(place, 0.0));
        self.go(r, how_far, above, 1.0, 40.0);
        let t = self.go(r, 0.15, on, 1.0, 0.0);
        self.put(stone, t, Place::OnBoard(place));
        // fingers open, then rise
        self.stay(r, self.quick(0.1), 0.75);
        let up = self.tip_at(place, 22.0);
        self.go(r, 0.12, up, 0.4, 0.0);
        t
    }

    /// Lifts a stone from the board into the hand. Returns when it leaves the board.
    fn lift(&mut self, r: &mut Reach, stone: usize, how_far: f64) -> f64 {
        let place = self.lies_at(stone).unwrap_or_default();
        let (above, on) = (self.tip_at(place, 18.0), self.tip_at(place, 0.5));
        self.go(r, how_far, above, 0.3, 14.0);
        self.go(r, 0.1, on, 0.9, 0.0);
        let t = self.stay(r, self.quick(0.06), 1.0);
        self.put(stone, t, Place::Held(r.index));
        let up = self.tip_at(place, 20.0);
        self.go(r, 0.1, up, 1.0, 0.0);
        t
    }

    /// The stone goes from the fingers into the palm.
    fn palm(&mut self, r: &Reach, stone: usize) {
        self.put(stone, r.now(), Place::Away);
    }

    /// Lays stones back into a bowl.
    fn back_into_bowl(&mut self, r: &mut Reach, stones: &[usize], whose: Color) {
        if let Some(b) = self.look.bowls {
            let over = self.furniture.bowls[side(whose)] + v3(0.0, 0.0, b.height_mm + 6.0);
            self.go(r, 0.42, over, 1.0, 35.0);
            self.stay(r, self.quick(0.08), 0.3);
            for s in stones {
                self.put(*s, r.now(), Place::Away);
            }
        }
        // without a bowl they leave with the hand
    }

    /// Lays prisoners into the taker's lid.
    fn lay_in_lid(&mut self, r: &mut Reach, stones: &[usize]) {
        if self.look.bowls.is_none() {
            return;
        }
        let k = side(r.color);
        let lid = self.furniture.lids[k];
        let over = lid + v3(0.0, 0.0, 34.0);
        self.go(r, 0.42, over, 1.0, 35.0);
        self.stay(r, self.quick(0.08), 0.3);
        for s in stones {
            let n = self.in_lid[k];
            self.in_lid[k] += 1;
            // spirals outwards, then a second layer; a lid holds no more to see than that
            if n >= 22 {
                self.put(*s, r.now(), Place::Away);
                continue;
            }
            let (layer, n) = (n / 14, n % 14);
            let a = n as f32 * 2.4 + layer as f32;
            let radius = (n as f32 / 14.0).sqrt() * (self.furniture.lid_radius_mm - 17.0);
            let z = LID_FLOOR_MM + layer as f32 * self.look.stones.height_mm * 0.8;
            self.put(*s, r.now(), Place::OnTable(lid + v3(radius * a.cos(), radius * a.sin(), z)));
        }
    }

    /// Takes captured stones off and away, a handful at a time. Returns when the last has left the board.
    fn clear_captured(&mut self, r: &mut Reach, points: &[Point]) -> f64 {
        let mut cleared = r.now();
        let stones: Vec<usize> = points
            .iter()
            .filter_map(|p| {
                let cell = self.cell(*p);
                self.cells[cell].take()
            })
            .collect();
        for handful in stones.chunks(6) {
            for (i, &s) in handful.iter().enumerate() {
                cleared = self.lift(r, s, if i == 0 { 0.22 } else { 0.17 });
                if i + 1 < handful.len() {
                    self.palm(r, s);
                }
            }
            self.lay_in_lid(r, handful);
        }
        cleared
    }

    // --- moves ---

    fn play(&mut self, color: Color, point: Point, captured: &[Point], befalls: Option<&What>) {
        let start = self.now;
        let mut r = self.set_out(color);
        let cell = self.cell(point);
        match befalls {
            Some(What::Takeback { first, for_s }) => {
                let stone = self.fetch(&mut r, color);
                let place = self.resting_place(*first, None);
                let state = self.set_down(&mut r, stone, place, 0.5);
                self.leave(r);
                self.then_wait((for_s - 0.5).max(0.1));
                let mut r = self.set_out(color);
                self.lift(&mut r, stone, 0.55);
                let place = self.resting_place(point, None);
                let placed = self.set_down(&mut r, stone, place, 0.4);
                self.cells[cell] = Some(stone);
                self.line.events.push(TimedEvent {
                    kind: EventKind::Takeback,
                    color: Some(color),
                    points: vec![(*first).into(), point.into()],
                    description: format!("{color} plays {first}, takes it back and plays {point}"),
                    start_s: start,
                    state_s: state,
                    repaired_s: Some(placed),
                    seen_at_once: false,
                });
                self.finish_move(r, color, point, placed, captured, start);
            }
            Some(What::Drop { at, for_s }) => {
                let stone = self.fetch(&mut r, color);
                let g = &self.look.geometry;
                let spot = self.free_spot(
                    g.place(at[0] as f32, at[1] as f32),
                    g.place(f32::from(point.row), f32::from(point.col)),
                );
                let above = self.tip_at(spot, 40.0);
                let slip = self.go(&mut r, 0.45, above, 0.8, 40.0);
                let fallen = slip + 0.09;
                let from = self.pose.to_board(above) - v3(0.0, 0.0, self.look.stones.height_mm * 0.5);
                self.put(stone, slip, Place::Falling { from, to: spot, until_s: fallen });
                self.put(stone, fallen, Place::OnBoard(spot));
                self.loose.push(stone);
                self.stay(&mut r, self.quick(0.25), 0.2);
                self.leave(r);
                self.then_wait(*for_s);
                let mut r = self.set_out(color);
                let picked = self.lift(&mut r, stone, 0.55);
                self.loose.retain(|s| *s != stone);
                let place = self.resting_place(point, None);
                let placed = self.set_down(&mut r, stone, place, 0.4);
                self.cells[cell] = Some(stone);
                let [row, col] = self.look.geometry.row_col(spot);
                self.line.events.push(TimedEvent {
                    kind: EventKind::DroppedStone,
                    color: Some(color),
                    points: vec![Spot { row: f64::from(row), col: f64::from(col) }],
                    description: format!("{color} drops the stone meant for {point}, picks it up later and plays it"),
                    start_s: start,
                    state_s: fallen,
                    repaired_s: Some(picked),
                    seen_at_once: false,
                });
                self.finish_move(r, color, point, placed, captured, start);
            }
            Some(What::OffPoint { by, for_s }) => {
                let stone = self.fetch(&mut r, color);
                let place = self.resting_place(point, Some([by[0] as f32, by[1] as f32]));
                let placed = self.set_down(&mut r, stone, place, 0.5);
                self.cells[cell] = Some(stone);
                self.finish_move(r, color, point, placed, captured, start);
                self.then_wait(*for_s);
                let mut r = self.set_out(color);
                let target = self.resting_place(point, None);
                let straight = self.push_stone(&mut r, stone, target);
                self.leave(r);
                let [row, col] = self.look.geometry.row_col(place);
                let off = (row - f32::from(point.row)).hypot(col - f32::from(point.col));
                // its neighbours may not leave it room to be as far off as the script wants
                if f64::from(off) > OFF_POINT_PITCHES {
                    self.line.events.push(TimedEvent {
                        kind: EventKind::StoneOffPoint,
                        color: Some(color),
                        points: vec![point.into()],
                        description: format!(
                            "{color} lays a stone {off:.2} pitch off its point {point}, straightened later"
                        ),
                        start_s: start,
                        state_s: placed,
                        repaired_s: Some(straight),
                        seen_at_once: false,
                    });
                }
                self.then_wait(0.3);
            }
            Some(What::MissedCapture { for_s }) => {
                let stone = self.fetch(&mut r, color);
                let place = self.resting_place(point, None);
                let placed = self.set_down(&mut r, stone, place, 0.5);
                self.cells[cell] = Some(stone);
                self.finish_move(r, color, point, placed, &[], start);
                self.then_wait(*for_s);
                let mut r = self.set_out(color);
                self.approach(&mut r, captured);
                let cleared = self.clear_captured(&mut r, captured);
                self.leave(r);
                if let Some(m) = self.line.moves.last_mut() {
                    m.captured = captured.to_vec();
                    m.cleared_s = Some(cleared);
                }
                self.line.events.push(TimedEvent {
                    kind: EventKind::MissedCapture,
                    color: Some(color),
                    points: captured.iter().map(|p| (*p).into()).collect(),
                    description: format!("{color} captures {} but leaves the stones lying", list(captured)),
                    start_s: start,
                    state_s: placed,
                    repaired_s: Some(cleared),
                    seen_at_once: false,
                });
                self.then_wait(0.3);
            }
            _ => {
                let stone = self.fetch(&mut r, color);
                let place = self.resting_place(point, None);
                let placed = self.set_down(&mut r, stone, place, 0.5);
                self.cells[cell] = Some(stone);
                self.finish_move(r, color, point, placed, captured, start);
            }
        }
    }

    /// A hand that comes only to take something: to above the first of the points.
    fn approach(&mut self, r: &mut Reach, points: &[Point]) {
        if let Some(p) = points.first() {
            let place = self.look.geometry.place(f32::from(p.row), f32::from(p.col));
            let above = self.tip_at(place, 24.0);
            self.go(r, 0.45, above, 0.3, 30.0);
        }
    }

    fn finish_move(&mut self, mut r: Reach, color: Color, point: Point, placed_s: f64, captured: &[Point], start: f64) {
        let cleared_s = (!captured.is_empty()).then(|| self.clear_captured(&mut r, captured));
        self.line.moves.push(TimedMove { color, point, placed_s, captured: captured.to_vec(), cleared_s });
        let (begin, _) = self.leave(r);
        // the other player reaches for the bowl while this hand draws back
        let bowls = self.look.bowls.is_some();
        self.now = (start + self.pace.seconds_per_move).max(begin + if bowls { 0.12 } else { 0.65 });
    }

    /// Pushes a lying stone to another place with the fingertips. Returns when it is there.
    fn push_stone(&mut self, r: &mut Reach, stone: usize, to: V3) -> f64 {
        let from = self.lies_at(stone).unwrap_or_default();
        let (above, on) = (self.tip_at(from, 18.0), self.tip_at(from, 1.5));
        self.go(r, 0.5, above, 0.6, 25.0);
        self.go(r, 0.12, on, 0.9, 0.0);
        let begin = r.now();
        let there = self.tip_at(to, 1.5);
        let end = self.go(r, 0.22, there, 0.9, 0.0);
        self.put(stone, begin, Place::Sliding { from, to, until_s: end });
        self.put(stone, end, Place::OnBoard(to));
        let up = self.tip_at(to, 22.0);
        self.go(r, 0.12, up, 0.5, 0.0);
        end
    }

    /// The place nearest to a wish where a stone does not lie on another.
    fn free_spot(&self, wish: V3, avoid: V3) -> V3 {
        let taken: Vec<V3> =
            self.cells.iter().flatten().chain(&self.loose).filter_map(|s| self.lies_at(*s)).chain([avoid]).collect();
        let d = self.look.stones.diameter_mm * 1.03;
        let (limit_x, limit_y) = (self.look.geometry.half_x_mm() - d * 0.5, self.look.geometry.half_y_mm() - d * 0.5);
        let mut best = wish;
        for k in 0..400 {
            let (a, radius) = (k as f32 * 2.4, (k as f32).sqrt() * 4.0);
            let p = wish + v3(radius * a.cos(), radius * a.sin(), 0.0);
            if p.x.abs() < limit_x && p.y.abs() < limit_y && taken.iter().all(|q| (*q - p).length() > d) {
                best = p;
                break;
            }
        }
        best
    }
}

fn list(points: &[Point]) -> String {
    points.iter().map(Point::to_string).collect::<Vec<_>>().join(", ")
}
