//! The watcher on footage whose truth is known: finding, following, reading, hands, stones off the lattice.
//!
//! Needs the data folder (`GOBAND_DATA`, or `../shared` beside the repository); skipped without it.

use std::path::PathBuf;

use goband::capture::{Frame, Grab, OpenOptions, open};
use goband::rules::Color;
use goband::vision::{PointReading, Scene, Sighting, Watcher, WatcherOptions};
use opencv::core::{CV_8UC3, Mat, Scalar};
use opencv::prelude::*;
use serde_json::Value;

/// The clip and its truth, or `None` where there is no data.
fn clip(name: &str) -> Option<(PathBuf, Value)> {
    let root = std::env::var_os("GOBAND_DATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let folder = root.join("clips").join(name);
    let Ok(text) = std::fs::read_to_string(folder.join("truth.json")) else {
        println!("skipped: no {}", folder.display());
        return None;
    };
    Some((folder.join("clip.mp4"), serde_json::from_str(&text).unwrap()))
}

/// The frames `from..=to`; their times are those of the whole clip.
fn frames(video: &std::path::Path, from: u64, to: u64) -> impl Iterator<Item = Frame> {
    let mut source = open(&video.to_str().unwrap().parse().unwrap(), &OpenOptions::default()).unwrap();
    std::iter::from_fn(move || match source.grab() {
        Grab::Frame(f) if f.index <= to => Some(f),
        _ => None,
    })
    .filter(move |f| f.index >= from)
}

fn number(v: &Value) -> u64 {
    v.as_u64().unwrap()
}

fn watcher() -> Watcher {
    Watcher::new(WatcherOptions::default()).unwrap()
}

fn is_position(truth: &Value, frame: u64, row: usize, col: usize) -> u8 {
    let list = truth["positions"].as_array().unwrap();
    let position = list.iter().rev().find(|p| number(&p[0]) <= frame).unwrap();
    position[1][row].as_str().unwrap().as_bytes()[col]
}

/// A position that changed within the last frames may be seen a little late.
fn fresh(truth: &Value, frame: u64) -> bool {
    truth["positions"].as_array().unwrap().iter().map(|p| number(&p[0])).any(|p| p > 0 && p <= frame && frame < p + 4)
}

/// Points that are said with more than 0.9 and are otherwise.
fn wrong(sighting: &Sighting, truth: &Value) -> Vec<String> {
    let n = sighting.size as usize;
    let mut wrong = Vec::new();
    for (i, p) in sighting.points.iter().enumerate() {
        let Some(said) = p.state(0.9) else { continue };
        let said = said.map_or(b'.', |c| c.letter() as u8);
        let is = is_position(truth, sighting.frame, i / n, i % n);
        if said != is && !(said == b'.' && fresh(truth, sighting.frame)) {
            wrong.push(format!(
                "frame {} [{},{}] is {} said {}",
                sighting.frame,
                i / n,
                i % n,
                is as char,
                said as char
            ));
        }
    }
    wrong
}

/// Largest distance of a corner from the truth, in pitches.
fn corner_error(watcher: &Watcher, truth: &Value, frame: u64) -> f64 {
    let lattice = watcher.lattice().expect("the board is known");
    let camera = truth["camera"].as_array().unwrap();
    let is = camera.iter().find(|c| number(&c[0]) <= frame && frame <= number(&c[1])).unwrap();
    lattice
        .corners()
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let at = |k: usize| is[2][i][k].as_f64().unwrap();
            (p[0] - at(0)).hypot(p[1] - at(1)) / lattice.mean_pitch_px()
        })
        .fold(0.0, f64::max)
}

#[test]
fn a_game_is_read_move_by_move_and_hands_make_no_stones() {
    let Some((video, truth)) = clip("dev-9x9-rules") else { return };
    let mut watcher = watcher();
    let mut twin = self::watcher();
    let to = 430;
    let mut found = None;
    let mut seen = vec![None; truth["moves"].as_array().unwrap().len()];
    let mut hands = 0;
    for frame in frames(&video, 0, to) {
        let s = watcher.see(&frame);
        if frame.index < 130 {
            assert_eq!(twin.see(&frame), s, "the same footage gives the same sightings");
        }
        if s.scene.iter().any(|e| matches!(e, Scene::BoardFound { .. })) {
            found.get_or_insert(frame.index);
        }
        assert!(s.scene.iter().all(|e| matches!(e, Scene::BoardFound { .. })), "frame {}: {:?}", frame.index, s.scene);
        let errors = wrong(&s, &truth);
        assert!(errors.is_empty(), "{errors:?}");
        hands += u64::from(s.hand);
        for (seen, m) in seen.iter_mut().zip(truth["moves"].as_array().unwrap()) {
            let (row, col) = (number(&m["point"][0]) as usize, number(&m["point"][1]) as usize);
            let letter = m["color"].as_str().unwrap().chars().next().unwrap();
            if s.points.get(row * 9 + col).is_some_and(|p| p.letter() == letter && p.state(0.8).is_some()) {
                seen.get_or_insert(frame.index);
            }
        }
    }
    assert!(found.is_some_and(|f| f <= 10), "found at {found:?}");
    assert!(corner_error(&watcher, &truth, to) < 0.1);
    let occluded: u64 = truth["occluded"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| (number(&o[0]), number(&o[1])))
        .filter(|o| o.1 < to)
        .map(|o| o.1 - o.0 + 1)
        .sum();
    assert!(hands >= occluded * 9 / 10 && hands <= occluded + 60, "hands in {hands} frames, {occluded} occluded");
    for (k, m) in truth["moves"].as_array().unwrap().iter().enumerate() {
        let clear = number(&m["frame_clear"]);
        if clear + 6 < to {
            let late = seen[k].map(|t| t as i64 - clear as i64);
            assert!(late.is_some_and(|l| l <= 5), "move {}: {late:?} frames after the hand", k + 1);
        }
    }
}

#[test]
fn a_bump_of_the_camera_and_a_nudge_of_the_board_are_told_apart_and_followed() {
    let Some((video, truth)) = clip("dev-19x19-incidents") else { return };
    let mut watcher = watcher();
    let mut scenes = Vec::new();
    for frame in frames(&video, 1660, 1900) {
        let s = watcher.see(&frame);
        scenes.extend(s.scene.iter().map(|e| (frame.index, *e)));
        let errors = wrong(&s, &truth);
        assert!(errors.is_empty(), "{errors:?}");
        // a second after each movement the lattice is right again
        if [1690, 1710, 1850, 1875, 1900].contains(&frame.index) {
            let error = corner_error(&watcher, &truth, frame.index);
            assert!(error < 0.1, "frame {}: corners off by {error:.2} pitch", frame.index);
            assert_eq!(s.points.len(), 361, "frame {}", frame.index);
        }
    }
    let kinds: Vec<&str> = scenes
        .iter()
        .map(|(_, e)| match e {
            Scene::BoardFound { .. } => "found",
            Scene::CameraMoved { .. } => "camera",
            Scene::BoardMoved { .. } => "board",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["found", "camera", "board"], "{scenes:?}");
    assert!((1696..1710).contains(&scenes[1].0) && (1860..1875).contains(&scenes[2].0), "{scenes:?}");
    let Scene::BoardMoved { shift_pitches } = scenes[2].1 else { unreachable!() };
    assert!((0.3..0.7).contains(&shift_pitches), "{shift_pitches}");
}

fn near(s: &Sighting, row: f32, col: f32, color: Color) -> bool {
    s.loose.iter().any(|l| l.color == color && (l.row - row).hypot(l.col - col) < 0.3)
}

#[test]
fn a_dropped_stone_lies_between_points_until_it_is_picked_up() {
    let Some((video, truth)) = clip("dev-19x19-incidents") else { return };
    let mut watcher = watcher();
    let mut lay = 0;
    for frame in frames(&video, 1945, 2035) {
        let s = watcher.see(&frame);
        let errors = wrong(&s, &truth);
        // the truth counts it to its nearest point
        assert!(errors.iter().all(|e| e.contains("[10,9]")), "{errors:?}");
        let there = near(&s, 10.44, 9.36, Color::White);
        lay += u64::from(there);
        match frame.index {
            1980..=2000 => assert!(there, "frame {}: {:?}", frame.index, s.loose),
            ..=1969 | 2025.. => assert!(s.loose.is_empty(), "frame {}: {:?}", frame.index, s.loose),
            _ => {}
        }
    }
    assert!(lay >= 25, "{lay} frames");
}

#[test]
fn a_stone_far_off_its_point_is_on_it_and_its_offset_is_seen() {
    let Some((video, _)) = clip("dev-19x19-incidents") else { return };
    let mut watcher = watcher();
    let mut last: Option<PointReading> = None;
    for frame in frames(&video, 215, 322) {
        let s = watcher.see(&frame);
        let Some(p) = s.points.get(19 + 16) else { continue };
        match frame.index {
            270..=295 => {
                assert_eq!(p.state(0.8), Some(Some(Color::White)), "frame {}: {p:?}", frame.index);
                // it stands at [0.76, 16.34]
                let [right, down] = p.offset;
                assert!((right - 0.34).hypot(down + 0.24) < 0.15, "frame {}: {p:?}", frame.index);
            }
            312..=322 => last = Some(*p),
            _ => {}
        }
    }
    let last = last.unwrap();
    assert_eq!(last.state(0.8), Some(Some(Color::White)));
    assert!(last.offset[0].hypot(last.offset[1]) < 0.25, "pushed straight: {last:?}");
}

#[test]
fn stones_laid_beside_the_grid_are_seen() {
    let Some((video, _)) = clip("dev-9x9-rules") else { return };
    let mut watcher = watcher();
    let mut last = None;
    for frame in frames(&video, 1525, 1620) {
        let s = watcher.see(&frame);
        if (1570..1590).contains(&frame.index) {
            assert!(near(&s, -0.48, 0.62, Color::Black), "frame {}: {:?}", frame.index, s.loose);
            assert_eq!(s.loose.len(), 1);
        }
        last = Some(s);
    }
    let last = last.unwrap();
    assert!(near(&last, -0.48, 0.62, Color::Black) && near(&last, 8.48, 7.52, Color::White), "{:?}", last.loose);
    assert_eq!(last.loose.len(), 2);
}

#[test]
fn another_light_is_told_and_makes_no_stones() {
    let Some((video, truth)) = clip("dev-13x13-dense") else { return };
    let mut watcher = watcher();
    let mut told = Vec::new();
    for mut frame in frames(&video, 0, 68) {
        if frame.index >= 45 {
            let mut dim = Mat::default();
            frame.image.convert_to(&mut dim, -1, 0.65, 0.0).unwrap();
            frame.image = dim;
        }
        let s = watcher.see(&frame);
        let errors = wrong(&s, &truth);
        assert!(errors.is_empty(), "{errors:?}");
        told.extend(s.scene.iter().map(|e| (frame.index, *e)));
    }
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(matches!(told[1], (45..=52, Scene::LightChanged)), "{told:?}");
}

#[test]
fn a_covered_board_is_lost_and_found_again() {
    let Some((video, truth)) = clip("dev-9x9-rules") else { return };
    let mut watcher = watcher();
    let mut told = Vec::new();
    let still = frames(&video, 15, 15).next().unwrap();
    for k in 0..60u64 {
        let mut frame = Frame { index: k, time_ms: 100 * k, image: still.image.clone() };
        if (10..35).contains(&k) {
            frame.image =
                Mat::new_rows_cols_with_default(720, 960, CV_8UC3, Scalar::new(40.0, 60.0, 50.0, 0.0)).unwrap();
        }
        let s = watcher.see(&frame);
        assert!(s.points.is_empty() || !(10..35).contains(&k), "nothing is known of a covered board (frame {k})");
        assert!(s.points.iter().all(|p| p.state(0.5).flatten().is_none()), "the board is empty");
        told.extend(s.scene.iter().map(|e| (k, *e)));
    }
    let _ = truth;
    assert!(
        matches!(
            told[..],
            [(_, Scene::BoardFound { .. }), (28..=34, Scene::BoardLost), (35..=45, Scene::BoardFound { .. })]
        ),
        "{told:?}"
    );
}

#[test]
fn frames_that_show_nothing_are_survived() {
    let mut watcher = watcher();
    let image = |w: i32, h: i32, v: f64| Mat::new_rows_cols_with_default(h, w, CV_8UC3, Scalar::all(v)).unwrap();
    let pictures =
        [image(640, 480, 0.0), image(640, 480, 255.0), Mat::default(), image(1, 1, 3.0), image(4000, 20, 9.0)];
    for (k, image) in pictures.into_iter().enumerate() {
        let s = watcher.see(&Frame { index: k as u64, time_ms: 400 * k as u64, image });
        assert_eq!((s.frame, s.size, s.points.len()), (k as u64, 0, 0));
    }
    assert!(watcher.lattice().is_none());
}
