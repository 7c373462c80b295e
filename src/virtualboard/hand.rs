//! A hand on its arm: where its bones are for a place of the fingertips, and what it hides.

use super::camera::Camera;
use super::furniture::Seat;
use super::look::Person;
use super::space::{V3, mix, v3};

/// What a bone is covered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skin {
    /// The last bone of a finger: it has a nail near its first end.
    Fingertip,
    Finger,
    Back,
    Sleeve,
}

/// A round cone between two balls, world mm.
#[derive(Clone, Copy, Debug)]
pub struct Bone {
    pub a: V3,
    pub ra: f32,
    pub b: V3,
    pub rb: f32,
    pub skin: Skin,
}

/// How a hand is held at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandPose {
    /// Middle of the stone that the fingers hold or would hold, world mm.
    pub tip: V3,
    /// 0: open and relaxed; 1: closed about a stone.
    pub grip: f32,
}

/// Where an arm comes from: the elbow's far end lies out of the picture at this place.
pub fn shoulder(seat: Seat, reach_mm: f32) -> V3 {
    let (s, r) = (seat.towards(), seat.right_hand());
    s * (reach_mm + 430.0) + r * 135.0 + v3(0.0, 0.0, 175.0)
}

/// Where the fingertips wait between moves, out of the picture as a rule.
pub fn rest(seat: Seat, reach_mm: f32) -> V3 {
    let (s, r) = (seat.towards(), seat.right_hand());
    s * (reach_mm + 330.0) + r * 120.0 + v3(0.0, 0.0, 30.0)
}

/// Joints as (back, right, up) mm from the held stone's middle, closed and open, with radii.
struct Finger {
    closed: [[f32; 3]; 4],
    open: [[f32; 3]; 4],
    radii: [f32; 4],
}

const FINGERS: [Finger; 4] = [
    Finger {
        closed: [[4.0, -6.5, 7.0], [20.0, -9.0, 19.0], [43.0, -13.0, 34.0], [84.0, -19.0, 41.0]],
        open: [[0.0, -13.0, 9.0], [18.0, -15.0, 18.0], [42.0, -17.0, 31.0], [84.0, -20.0, 40.0]],
        radii: [6.6, 7.4, 8.3, 10.2],
    },
    Finger {
        closed: [[2.0, 5.5, 8.5], [18.0, 5.0, 21.0], [43.0, 4.0, 39.0], [86.0, 2.0, 45.0]],
        open: [[-7.0, 7.0, 10.0], [14.0, 7.0, 21.0], [41.0, 5.0, 37.0], [86.0, 2.0, 44.0]],
        radii: [6.9, 7.6, 8.6, 10.6],
    },
    Finger {
        closed: [[27.0, 20.0, 11.0], [36.0, 21.0, 25.0], [53.0, 21.0, 40.0], [92.0, 21.0, 43.0]],
        open: [[4.0, 27.0, 12.0], [24.0, 26.0, 22.0], [48.0, 24.0, 36.0], [92.0, 21.0, 42.0]],
        radii: [6.4, 7.1, 8.0, 10.0],
    },
    Finger {
        closed: [[46.0, 34.0, 12.0], [54.0, 36.0, 23.0], [68.0, 37.0, 34.0], [99.0, 37.0, 37.0]],
        open: [[25.0, 46.0, 12.0], [41.0, 44.0, 20.0], [60.0, 41.0, 31.0], [99.0, 37.0, 36.0]],
        radii: [5.5, 6.1, 6.8, 9.0],
    },
];

const THUMB: Finger = Finger {
    closed: [[22.0, -23.0, 5.0], [46.0, -37.0, 16.0], [78.0, -42.0, 24.0], [122.0, -25.0, 34.0]],
    open: [[18.0, -44.0, 6.0], [44.0, -49.0, 15.0], [78.0, -46.0, 24.0], [122.0, -25.0, 34.0]],
    radii: [7.8, 8.8, 10.6, 15.0],
};

/// Ends of the hand's back at the wrist, one for each finger.
const WRIST: [[f32; 3]; 4] = [[152.0, -9.0, 40.0], [156.0, -1.0, 42.0], [156.0, 7.0, 42.0], [152.0, 14.0, 40.0]];

/// The bones of a hand and arm, hand first.
pub fn bones(person: &Person, pose: &HandPose, shoulder: V3) -> Vec<Bone> {
    let k = person.hand_scale;
    let back = (shoulder - pose.tip).flat().unit();
    // an arm has its length: drawn back, the elbow goes behind the body
    let short = 430.0 - (shoulder - pose.tip).flat().length();
    let shoulder = if short > 0.0 { shoulder + back * short } else { shoulder };
    let right = v3(back.y, -back.x, 0.0);
    let at = |p: [f32; 3]| pose.tip + back * (p[0] * k) + right * (p[1] * k) + v3(0.0, 0.0, p[2] * k);
    let grip = pose.grip.clamp(0.0, 1.0);
    let joint = |f: &Finger, i: usize| {
        let (c, o) = (f.closed[i], f.open[i]);
        at([mix(o[0], c[0], grip), mix(o[1], c[1], grip), mix(o[2], c[2], grip)])
    };
    let mut bones = Vec::with_capacity(24);
    for (f, wrist) in FINGERS.iter().zip(WRIST) {
        for i in 0..3 {
            bones.push(Bone {
                a: joint(f, i),
                ra: f.radii[i] * k,
                b: joint(f, i + 1),
                rb: f.radii[i + 1] * k,
                skin: if i == 0 { Skin::Fingertip } else { Skin::Finger },
            });
        }
        bones.push(Bone { a: joint(f, 3), ra: f.radii[3] * k, b: at(wrist), rb: 17.5 * k, skin: Skin::Back });
    }
    // between the bones of the back there is flesh too
    for k3 in 0..3 {
        let (a, b) = (joint(&FINGERS[k3], 3), joint(&FINGERS[k3 + 1], 3));
        let (wa, wb) = (at(WRIST[k3]), at(WRIST[k3 + 1]));
        bones.push(Bone {
            a: a.mix(b, 0.5) + back * (9.0 * k) - v3(0.0, 0.0, 1.5 * k),
            ra: 10.5 * k,
            b: wa.mix(wb, 0.5),
            rb: 17.5 * k,
            skin: Skin::Back,
        });
    }
    for i in 0..3 {
        bones.push(Bone {
            a: joint(&THUMB, i),
            ra: THUMB.radii[i] * k,
            b: joint(&THUMB, i + 1),
            rb: THUMB.radii[i + 1] * k,
            skin: [Skin::Fingertip, Skin::Finger, Skin::Back][i],
        });
    }
    // the web between thumb and first finger
    bones.push(Bone { a: joint(&THUMB, 2), ra: 9.0 * k, b: joint(&FINGERS[0], 3), rb: 9.0 * k, skin: Skin::Back });
    bones.push(Bone {
        a: at([100.0, -14.0, 34.0]),
        ra: 13.0 * k,
        b: at([128.0, 14.0, 36.0]),
        rb: 18.0 * k,
        skin: Skin::Back,
    });
    // the forearm: broad rather than round, so two bones side by side
    let wrist = at([146.0, 2.0, 40.0]);
    let along = (shoulder - wrist).unit();
    let (cuff, far) = (wrist + along * (104.0 * k), shoulder + along * 60.0);
    for side in [-1.0f32, 1.0] {
        let off = right * (side * 6.5 * k);
        // flesh ends where cloth begins: what is foreshortened must not look through it
        bones.push(Bone {
            a: wrist + off,
            ra: 17.5 * k,
            b: cuff - along * (14.0 * k) + off * 1.3,
            rb: 24.0 * k,
            skin: Skin::Back,
        });
    }
    for side in [-1.0f32, 1.0] {
        let off = right * (side * 6.5 * k);
        bones.push(Bone {
            a: cuff - along * (22.0 * k) + off * 1.4,
            ra: 31.0 * k,
            b: far + off * 2.0,
            rb: 52.0 * k,
            skin: Skin::Sleeve,
        });
    }
    bones
}

/// A bone as it is seen: two discs in the picture.
#[derive(Clone, Copy, Debug)]
pub struct SeenBone {
    pub a: [f32; 2],
    pub ra: f32,
    pub za: f32,
    pub b: [f32; 2],
    pub rb: f32,
    pub zb: f32,
    pub skin: Skin,
}

/// Nearer to the camera than this nothing is drawn.
const NEAR_MM: f32 = 90.0;

impl SeenBone {
    /// `None`: wholly behind or at the camera. What reaches behind it is cut off.
    pub fn of(bone: &Bone, camera: &Camera) -> Option<SeenBone> {
        let forward = camera.axes()[2];
        let o = camera.position();
        let depth = |p: V3| (p - o).dot(forward);
        let (mut a, mut ra, mut b, mut rb) = (bone.a, bone.ra, bone.b, bone.rb);
        let (da, db) = (depth(a), depth(b));
        if da < NEAR_MM && db < NEAR_MM {
            return None;
        }
        if da < NEAR_MM {
            let t = (NEAR_MM - da) / (db - da);
            (a, ra) = (a.mix(b, t), mix(ra, rb, t));
        } else if db < NEAR_MM {
            let t = (NEAR_MM - da) / (db - da);
            (b, rb) = (a.mix(b, t), mix(ra, rb, t));
        }
        let (da, db) = (depth(a), depth(b));
        let seen = |p: V3| {
            let at = camera.project([f64::from(p.x), f64::from(p.y), f64::from(p.z)])?;
            Some([at[0] as f32, at[1] as f32])
        };
        let f = camera.focal_px as f32;
        Some(SeenBone { a: seen(a)?, ra: ra * f / da, za: da, b: seen(b)?, rb: rb * f / db, zb: db, skin: bone.skin })
    }

    /// [x0, y0, x1, y1] of what it covers.
    pub fn bounds(&self) -> [f32; 4] {
        [
            (self.a[0] - self.ra).min(self.b[0] - self.rb),
            (self.a[1] - self.ra).min(self.b[1] - self.rb),
            (self.a[0] + self.ra).max(self.b[0] + self.rb),
            (self.a[1] + self.ra).max(self.b[1] + self.rb),
        ]
    }

    /// Parameter along the bone, offset from its axis [x, y] and radius at the pixel's nearest place.
    #[inline]
    pub fn nearest(&self, x: f32, y: f32) -> (f32, [f32; 2], f32) {
        let (ax, ay) = (self.b[0] - self.a[0], self.b[1] - self.a[1]);
        let (px, py) = (x - self.a[0], y - self.a[1]);
        let l2 = (ax * ax + ay * ay).max(1e-6);
        let t = ((px * ax + py * ay) / l2).clamp(0.0, 1.0);
        (t, [px - ax * t, py - ay * t], mix(self.ra, self.rb, t))
    }

    /// Whether it covers a pixel.
    pub fn covers(&self, x: f32, y: f32) -> bool {
        let (_, off, r) = self.nearest(x, y);
        off[0] * off[0] + off[1] * off[1] <= r * r
    }
}
