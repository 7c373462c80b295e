//! Happenings after a move: what goes wrong, and how it is put right.

use crate::game::{EventKind, Spot};
use crate::rules::{Color, History, Point};

use super::{Director, list};
use crate::virtualboard::camera::CameraPose;
use crate::virtualboard::furniture::side;
use crate::virtualboard::geometry::BoardPose;
use crate::virtualboard::script::{Happening, What};
use crate::virtualboard::space::{V3, v3};
use crate::virtualboard::timeline::{Dimming, Place, TimedEvent, Timeline};

impl Director<'_> {
    fn event(
        &mut self,
        kind: EventKind,
        color: Option<Color>,
        points: Vec<Spot>,
        description: String,
        times: [f64; 2],
        repaired_s: Option<f64>,
    ) {
        self.line.events.push(TimedEvent {
            kind,
            color,
            points,
            description,
            start_s: times[0],
            state_s: times[1],
            repaired_s,
            seen_at_once: false,
        });
    }

    /// The hand that is there goes before anything else happens; `wait` more.
    fn settle(&mut self, wait: f64) {
        self.now = self.now.max(self.soonest + wait);
    }

    pub(super) fn happen(&mut self, h: &Happening, history: &History) {
        let next = history.turn();
        let last = next.opponent();
        self.settle(0.25);
        let start = self.now;
        match &h.what {
            What::DoubleMove { point, for_s } => {
                let (state, repaired) = self.void_stone(last, *point, &[], *for_s);
                let text = format!("{last} plays a second stone in a row at {point}; taken off later");
                self.event(
                    EventKind::DoubleMove,
                    Some(last),
                    vec![(*point).into()],
                    text,
                    [start, state],
                    Some(repaired),
                );
            }
            What::Suicide { point, for_s } => {
                let (state, repaired) = self.void_stone(next, *point, &[], *for_s);
                let text =
                    format!("{next} lays a stone without liberties that captures nothing at {point}; taken off later");
                self.event(EventKind::Suicide, Some(next), vec![(*point).into()], text, [start, state], Some(repaired));
            }
            What::WrongFirstColour { point, for_s } => {
                let (state, repaired) = self.void_stone(last, *point, &[], *for_s);
                let text = format!("{last} lays the first stone of the game at {point}; taken off later");
                self.event(
                    EventKind::WrongFirstColour,
                    Some(last),
                    vec![(*point).into()],
                    text,
                    [start, state],
                    Some(repaired),
                );
            }
            What::KoViolation { point, for_s } => {
                let captured = history.classify(next, Some(*point)).captured;
                let (state, repaired) = self.void_stone(next, *point, &captured, *for_s);
                let mut points: Vec<Spot> = vec![(*point).into()];
                points.extend(captured.iter().map(|p| Spot::from(*p)));
                let text =
                    format!("{next} retakes the ko at {point} (lifting {}) at once; undone later", list(&captured));
                self.event(EventKind::KoViolation, Some(next), points, text, [start, state], Some(repaired));
            }
            What::Drag { from, to, for_s } => {
                let (a, b) = (self.cell(*from), self.cell(*to));
                let Some(stone) = self.cells[a].take() else { return };
                let color = self.line.stones[stone].color;
                let home = self.lies_at(stone).unwrap_or_default();
                let away = self.resting_place(*to, None);
                let mut r = self.set_out(last);
                let state = self.push_stone(&mut r, stone, away);
                self.cells[b] = Some(stone);
                self.leave(r);
                self.then_wait(*for_s);
                let mut r = self.set_out(last);
                let repaired = self.push_stone(&mut r, stone, home);
                self.cells[b] = None;
                self.cells[a] = Some(stone);
                self.leave(r);
                let text = format!("hand of {last} drags {color} stone: {from} -> {to}; put back later");
                let points = vec![(*from).into(), (*to).into()];
                self.event(EventKind::DisplacedStone, Some(color), points, text, [start, state], Some(repaired));
                self.then_wait(0.3);
            }
            What::WrongRemoval { points, for_s } => {
                let mut r = self.set_out(last);
                self.approach(&mut r, points);
                let mut taken = Vec::new();
                let mut state = 0.0;
                for (i, p) in points.iter().enumerate() {
                    let cell = self.cell(*p);
                    let Some(stone) = self.cells[cell].take() else { continue };
                    let home = self.lies_at(stone).unwrap_or_default();
                    state = self.lift(&mut r, stone, 0.2);
                    if i + 1 < points.len() {
                        self.palm(&r, stone);
                    }
                    taken.push((cell, stone, home));
                }
                self.leave(r);
                for (_, stone, _) in &taken {
                    self.put(*stone, self.soonest, Place::Away);
                }
                self.then_wait(*for_s);
                let mut r = self.set_out(last);
                let mut repaired = 0.0;
                for (i, (cell, stone, home)) in taken.iter().enumerate() {
                    self.put(*stone, r.now(), Place::Held(r.index));
                    repaired = self.set_down(&mut r, *stone, *home, if i == 0 { 0.5 } else { 0.2 });
                    self.cells[*cell] = Some(*stone);
                }
                self.leave(r);
                let text = format!("{last} takes {} off although not captured; put back later", list(points));
                let points = points.iter().map(|p| (*p).into()).collect();
                self.event(EventKind::WrongRemoval, Some(last), points, text, [start, state], Some(repaired));
                self.then_wait(0.3);
            }
            What::Scatter { from, to } => self.scatter(last, *from, *to),
            What::CameraBump { shift_mm, roll_deg } => {
                let base = self.camera;
                let with = |k: f64| CameraPose {
                    target_mm: [base.target_mm[0] + shift_mm[0] * k, base.target_mm[1] + shift_mm[1] * k],
                    roll_deg: base.roll_deg + roll_deg * k,
                    ..base
                };
                for (dt, k) in [(0.0, 0.8), (0.1, 1.5), (0.2, 0.8), (0.3, 1.0)] {
                    self.line.cameras.push((start + dt, with(k)));
                }
                self.camera = with(1.0);
                let text = "the camera is bumped and stays a little displaced".to_string();
                self.event(EventKind::CameraMoved, None, Vec::new(), text, [start, start], None);
                self.seen_at_once();
                self.now = start + 1.2;
            }
            What::BoardNudge { by, turn_deg } => {
                let seat = self.furniture.seats[side(last)];
                let edge = seat.towards() * (Timeline::reach(self.look, self.furniture, last) - 2.0);
                let base = self.pose;
                let g = &self.look.geometry;
                let shift = v3(by[1] as f32 * g.pitch_mm[0], by[0] as f32 * g.pitch_mm[1], 0.0);
                let with = |k: f32| BoardPose {
                    shift_mm: [base.shift_mm[0] + shift.x * k, base.shift_mm[1] + shift.y * k],
                    turn_rad: base.turn_rad + (*turn_deg as f32).to_radians() * k,
                };
                let mut r = self.set_out(last);
                self.go(&mut r, 0.4, base.to_world(edge) + v3(0.0, 0.0, 2.0), 0.9, 20.0);
                let push = r.now();
                self.go(&mut r, 0.24, with(1.0).to_world(edge) + v3(0.0, 0.0, 2.0), 0.9, 0.0);
                for (k, part) in [0.3f32, 0.7, 1.0].into_iter().enumerate() {
                    self.line.boards.push((push + 0.1 * k as f64, with(part)));
                }
                self.pose = with(1.0);
                self.leave(r);
                let text =
                    format!("{last} nudges the board by [{:.2}, {:.2}] pitch and {turn_deg:.1} degrees", by[0], by[1]);
                self.event(EventKind::BoardMoved, Some(last), Vec::new(), text, [start, push], None);
                self.seen_at_once();
                self.then_wait(0.6);
            }
            What::LightsOff { level, for_s } => {
                self.line.dimmings.push(Dimming {
                    from_s: start,
                    until_s: start + for_s,
                    level: *level as f32,
                    covers: false,
                });
                let text = format!("the light falls to {level:.2} of its strength and comes back");
                self.event(EventKind::LightChanged, None, Vec::new(), text, [start, start + 0.12], Some(start + for_s));
                self.seen_at_once();
                self.now = start + for_s + 0.5;
            }
            What::CameraCovered { for_s } => {
                self.line.dimmings.push(Dimming { from_s: start, until_s: start + for_s, level: 0.0, covers: true });
                let text = "the camera is covered".to_string();
                self.event(EventKind::Obstructed, None, Vec::new(), text, [start, start + 0.12], Some(start + for_s));
                self.seen_at_once();
                self.now = start + for_s + 0.5;
            }
            What::HandRests { at, for_s } => {
                let mut r = self.set_out(next);
                let place = self.look.geometry.place(at[0] as f32, at[1] as f32);
                let over = self.tip_at(place, 22.0);
                self.go(&mut r, 0.6, over, 0.2, 20.0);
                // a hand that rests is never quite still
                let until = r.now() + for_s;
                while r.now() < until - 0.6 {
                    let sway =
                        v3(self.dice.between(-4.0, 4.0), self.dice.between(-4.0, 4.0), self.dice.between(-2.0, 2.0));
                    self.go(&mut r, 0.6, over + sway, 0.2, 0.0);
                }
                self.leave(r);
                self.then_wait(0.3);
            }
            What::Pause { for_s } => self.now = start + for_s,
            What::EndAgreed => {
                for color in [Color::Black, Color::White] {
                    let start = self.now;
                    let other = color.opponent();
                    let seat = self.furniture.seats[side(color)];
                    let (s, right) = (seat.towards(), seat.right_hand());
                    let g = &self.look.geometry;
                    let half = g.place(f32::from(self.size - 1), f32::from(self.size - 1));
                    let reach = |d: V3| (d.x * half.x).abs() + (d.y * half.y).abs();
                    let pitch = g.pitch_mm[1];
                    let spot = s * (reach(s) + pitch * 0.52) + right * (reach(right) - pitch * 0.55);
                    let mut r = self.set_out(color);
                    // a prisoner lies at hand; else one is taken from the other's bowl, out of sight
                    let stone = self.new_stone(other);
                    self.put(stone, r.now(), Place::Held(r.index));
                    r.keys.last_mut().expect("a visit begins with a key").grip = 1.0;
                    let state = self.set_down(&mut r, stone, spot, 0.6);
                    self.loose.push(stone);
                    self.leave(r);
                    let [row, col] = self.look.geometry.row_col(spot);
                    let text = format!(
                        "{color} lays a stone of {other} outside the lines at the right of his side: the game is over"
                    );
                    let points = vec![Spot { row: f64::from(row), col: f64::from(col) }];
                    self.event(EventKind::EndAgreedSignal, Some(color), points, text, [start, state], None);
                    self.then_wait(0.6);
                }
            }
            What::ClearBoard => self.clear_board(),
            // they change how a move is made: `play` sees to them
            What::OffPoint { .. } | What::MissedCapture { .. } | What::Takeback { .. } | What::Drop { .. } => {}
        }
    }

    fn seen_at_once(&mut self) {
        if let Some(e) = self.line.events.last_mut() {
            e.seen_at_once = true;
        }
    }

    /// A stone that does not count, what it takes with it, and its undoing. Returns when it lay and when all was right again.
    fn void_stone(&mut self, color: Color, point: Point, captured: &[Point], for_s: f64) -> (f64, f64) {
        let mut r = self.set_out(color);
        let stone = self.fetch(&mut r, color);
        let place = self.resting_place(point, None);
        let state = self.set_down(&mut r, stone, place, 0.5);
        let cell = self.cell(point);
        self.cells[cell] = Some(stone);
        let mut taken = Vec::new();
        for p in captured {
            let at = self.cell(*p);
            if let Some(s) = self.cells[at].take() {
                let home = self.lies_at(s).unwrap_or_default();
                self.lift(&mut r, s, 0.2);
                self.palm(&r, s);
                taken.push((at, s, home));
            }
        }
        self.leave(r);
        self.then_wait(for_s);
        let mut r = self.set_out(color);
        let mut repaired = self.lift(&mut r, stone, 0.5);
        self.cells[cell] = None;
        if !taken.is_empty() {
            self.palm(&r, stone);
        }
        for (at, s, home) in taken {
            self.put(s, r.now(), Place::Held(r.index));
            repaired = self.set_down(&mut r, s, home, 0.25);
            self.cells[at] = Some(s);
        }
        if captured.is_empty() {
            self.back_into_bowl(&mut r, &[stone], color);
        }
        self.leave(r);
        self.put(stone, self.soonest, Place::Away);
        self.then_wait(0.3);
        (state, repaired)
    }

    /// The arm sweeps stones along.
    fn scatter(&mut self, color: Color, from: [f64; 2], to: [f64; 2]) {
        let start = self.now;
        let g = self.look.geometry;
        let (a, b) = (g.place(from[0] as f32, from[1] as f32), g.place(to[0] as f32, to[1] as f32));
        let way = b - a;
        let along = way.unit();
        let mut r = self.set_out(color);
        let (begin_at, end_at) = (self.tip_at(a, 4.0), self.tip_at(b, 4.0));
        self.go(&mut r, 0.5, begin_at, 0.3, 25.0);
        let begin = r.now();
        let end = self.go(&mut r, 0.35, end_at, 0.3, 0.0);
        let lying: Vec<usize> = self.cells.iter().flatten().chain(&self.loose).copied().collect();
        let mut moved: Vec<(usize, V3, V3, f32)> = Vec::new();
        let mut still: Vec<V3> = Vec::new();
        for s in lying {
            let Some(p) = self.lies_at(s) else { continue };
            let q = p - a;
            let u = q.dot(along);
            let off = (q - along * u).length();
            if u > -15.0 && u < way.length() + 15.0 && off < 52.0 {
                let push = self.dice.between(18.0, 75.0) * (1.0 - off / 75.0);
                let aside = v3(along.y, -along.x, 0.0) * (self.dice.normal() * 9.0);
                moved.push((s, p, p + along * push + aside, (u / way.length().max(1.0)).clamp(0.0, 1.0)));
            } else {
                still.push(p);
            }
        }
        // no two stones in one place, none over the edge
        let d = self.look.stones.diameter_mm * 1.01;
        let limit = v3(g.half_x_mm() - d * 0.5, g.half_y_mm() - d * 0.5, 0.0);
        for _ in 0..60 {
            for i in 0..moved.len() {
                for j in 0..moved.len() {
                    let gap = moved[i].2 - moved[j].2;
                    if i != j && gap.length() < d {
                        let out = if gap.length() > 0.01 { gap.unit() } else { v3(1.0, 0.0, 0.0) };
                        moved[i].2 += out * ((d - gap.length()) * 0.5);
                        moved[j].2 += -out * ((d - gap.length()) * 0.5);
                    }
                }
                for q in &still {
                    let gap = moved[i].2 - *q;
                    if gap.length() < d {
                        moved[i].2 += gap.unit() * (d - gap.length());
                    }
                }
                moved[i].2.x = moved[i].2.x.clamp(-limit.x, limit.x);
                moved[i].2.y = moved[i].2.y.clamp(-limit.y, limit.y);
            }
        }
        let mut points = Vec::new();
        for &(s, p, q, when) in &moved {
            let t = begin + (end - begin) * f64::from(when * 0.7);
            let until_s = t + 0.25;
            self.put(s, t, Place::Sliding { from: p, to: q, until_s });
            self.put(s, until_s, Place::OnBoard(q));
            let [row, col] = g.row_col(q);
            points.push(Spot { row: f64::from(row), col: f64::from(col) });
        }
        let ids: Vec<usize> = moved.iter().map(|m| m.0).collect();
        for cell in &mut self.cells {
            if cell.is_some_and(|s| ids.contains(&s)) {
                *cell = None;
            }
        }
        self.loose.retain(|s| !ids.contains(s));
        self.loose.extend(ids);
        self.leave(r);
        let text = format!("arm of {color} sweeps over the board, {} stones shoved about", points.len());
        // an arm that met no stone did nothing, and one or two stones make no scattered board
        match moved.len() {
            0 => {}
            1 | 2 => {
                let whence = moved.iter().map(|m| {
                    let [row, col] = g.row_col(m.1);
                    Spot { row: f64::from(row).round(), col: f64::from(col).round() }
                });
                let points = whence.chain(points).collect();
                self.event(EventKind::DisplacedStone, Some(color), points, text, [start, end], None);
            }
            _ => self.event(EventKind::Scattered, Some(color), points, text, [start, end], None),
        }
        self.then_wait(0.5);
    }

    fn clear_board(&mut self) {
        let start = self.now;
        let mut first = None;
        for color in [Color::Black, Color::White] {
            let mut mine: Vec<usize> = self
                .cells
                .iter()
                .flatten()
                .chain(&self.loose)
                .copied()
                .filter(|s| self.line.stones[*s].color == color)
                .collect();
            // always the nearest next: a hand gathers, it does not jump
            let mut order = Vec::new();
            let mut at = V3::ZERO;
            while !mine.is_empty() {
                let k = (0..mine.len())
                    .min_by(|i, j| {
                        let far = |i: &usize| self.lies_at(mine[*i]).map_or(0.0, |p| (p - at).length());
                        far(i).total_cmp(&far(j))
                    })
                    .unwrap_or(0);
                at = self.lies_at(mine[k]).unwrap_or_default();
                order.push(mine.swap_remove(k));
            }
            for handful in order.chunks(12) {
                let mut r = self.set_out(color);
                for (i, s) in handful.iter().enumerate() {
                    let place = self.lies_at(*s).unwrap_or_default();
                    let over = self.tip_at(place, 2.0);
                    let t = self.go(&mut r, if i == 0 { 0.5 } else { 0.13 }, over, 0.6, 4.0);
                    self.put(*s, t, Place::Away);
                    first = first.or(Some(t));
                }
                self.back_into_bowl(&mut r, &[], color);
                self.leave(r);
                self.then_wait(0.05);
            }
        }
        self.cells.fill(None);
        self.loose.clear();
        let state = first.unwrap_or(start);
        let text = "the players take all stones off the board".to_string();
        self.event(EventKind::BoardCleared, None, Vec::new(), text, [start, state], None);
    }
}
