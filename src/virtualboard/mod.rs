//! A rendered board that plays a script: the embedded camera of the demo, of training and of tests.
//!
//! Enters: a script (a game and timed happenings). Leaves: pictures (RGB bytes) and the truth of each. It may never know of vision.

mod camera;
mod furniture;
mod geometry;
mod hand;
mod hand_paint;
mod look;
mod scene;
mod sensor;
mod space;
mod still;
mod stones;
mod texture;

pub use camera::{Camera, CameraPose};
pub use furniture::Seat;
pub use geometry::BoardGeometry;
pub use look::{BoardWood, Lights, Look, LookChoice, StoneMaterial, TableTop};

#[cfg(test)]
mod peek {
    use super::*;
    use crate::rules::Color;
    #[test]
    #[ignore]
    fn peek() {
        for seed in 0..6u64 {
            let size = [19, 9, 13, 19, 9, 19][seed as usize];
            let look = Look::seeded(size, seed);
            let furniture = furniture::Furniture::new(&look, Seat::Near);
            let (w, h) = (1280, 720);
            let pose = CameraPose { elevation_deg: 45.0 + 8.0 * seed as f64, azimuth_deg: -12.0 + 6.0 * seed as f64, ..Default::default() }.fitted(&look.geometry, w, h, 0.86);
            let camera = Camera::new(&pose, w, h);
            let t = std::time::Instant::now();
            let set = still::Set::new(&look, &furniture, 0.5);
            eprintln!("set {:?}", t.elapsed());
            let t = std::time::Instant::now();
            let mut scene = scene::Scene::new(&look, &set, camera, geometry::BoardPose::default(), 2, 2);
            eprintln!("scene {:?}", t.elapsed());
            let mut dice = space::Dice::new(seed, 3);
            let mut stones = Vec::new();
            for i in 0..(size as u32 * size as u32 * 2 / 5) {
                let (r, c) = (dice.below(size as usize), dice.below(size as usize));
                let mut place = look.geometry.place(r as f32 + 0.04 * dice.normal(), c as f32 + 0.04 * dice.normal());
                if stones.iter().any(|s: &stones::Stone| (s.place - place).length() < 20.0) { continue }
                place.z = 0.0;
                stones.push(stones::Stone { id: i, color: if i % 2 == 0 { Color::Black } else { Color::White }, place });
            }
            let t = std::time::Instant::now();
            scene.lay(&look, &stones, 2);
            eprintln!("lay {:?}", t.elapsed());
            let grain = sensor::Grain::new(&look.sensor, seed);
            let person = look.people[0];
            let reach = look.geometry.half_y_mm();
            let sh = hand::shoulder(Seat::Near, reach);
            let tip = look.geometry.place(size as f32 * 0.5, size as f32 * 0.6) + space::v3(0.0,0.0,5.0);
            let hv = hand_paint::HandView { bones: hand::bones(&person, &hand::HandPose{tip, grip: 1.0 - (seed % 2) as f32}, sh), person, stones: vec![stones::Stone{id: 999, color: Color::White, place: tip - space::v3(0.0,0.0,4.0)}], sweep_px: [0.0,0.0] };
            let mut with = scene.settled.clone();
            let t = std::time::Instant::now();
            hand_paint::paint_hand(&mut with, &scene, &look, &hv, 2);
            eprintln!("hand {:?}", t.elapsed());
            let mut out = vec![0; scene.settled.len()];
            let t = std::time::Instant::now();
            grain.expose(&with, &mut out, w as usize, 5, &sensor::Exposure::ORDINARY, 1);
            eprintln!("expose {:?}", t.elapsed());
            image::save_buffer(format!("/tmp/vb/p{seed}.png"), &out, w, h, image::ColorType::Rgb8).unwrap();
        }
    }
}
