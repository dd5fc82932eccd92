//! Cloth on colliders that deform.

use crate::files::{arm, build, cube};
use crate::scripted::{on_threads, resumed, run, start};
use glam::DVec3;
use retake::frames::{BodyState, Frame};
use retake::math::rotation;
use retake::production::certificate::check_frame;
use retake::scene::Scene;
use retake::sim::{BodyPose, Simulation, StepEventKind};
use tempfile::TempDir;

fn positions(simulation: &Simulation, body: usize) -> Vec<DVec3> {
    match simulation.body(body) {
        BodyPose::Deformed(positions) => positions.to_vec(),
        BodyPose::Posed(..) => panic!("it deforms"),
    }
}

/// The present frame as it is stored.
fn frame(scene: &Scene, simulation: &Simulation) -> Frame {
    let body = |i: usize| match simulation.body(i) {
        BodyPose::Deformed(positions) => BodyState::Deformed {
            positions: positions.iter().map(|p| p.as_vec3().to_array()).collect(),
        },
        BodyPose::Posed(t, r) => BodyState::Posed {
            translate: t.as_vec3().to_array(),
            rotate: r.to_array().map(|v| v as f32),
        },
    };
    Frame {
        number: simulation.frame(),
        time: simulation.time(),
        bodies: (0..scene.bodies.len()).map(body).collect(),
        figures: retake::frames::Figures::default(),
        regions: Vec::new(),
        retakes: Vec::new(),
        events: Vec::new(),
        state_hash: [0; 32],
        samples: Vec::new(),
    }
}

/// Runs for so many frames, none of which may have a crossing; to what, where and how far body 0 gave way.
fn certified(scene: &Scene, simulation: &mut Simulation, frames: u32) -> Vec<(usize, DVec3, f64)> {
    let mut pinched = Vec::new();
    for _ in 0..frames {
        run(simulation, 1);
        assert_eq!(check_frame(scene, &frame(scene, simulation)), []);
        let events = &simulation.report().events;
        for event in events {
            if let StepEventKind::GaveWay { body, other, at, by } = event.kind {
                assert_eq!(body, 0);
                pinched.push((other, at, by));
            }
        }
    }
    pinched
}

/// The deepest that a vertex is away from where its clip has it [m].
fn off_clip(scene: &Scene, simulation: &Simulation, body: usize) -> f64 {
    let given = scene.bodies[body].places_at(scene.mesh_of(body), simulation.time());
    let off = positions(simulation, body).into_iter().zip(given).map(|(a, b)| a.distance(b));
    off.fold(0.0, f64::max)
}

/// A sheet of 2 mm that rises with the top of the cube rests half its thickness and the skin above it.
#[test]
fn a_sheet_is_lifted_by_a_shape_that_grows() {
    let folder = TempDir::new().unwrap();
    cube(folder.path());
    let text = "shot:collider { name = 'cube', from = set, object = 'Cube', clip = 'Rise', clip_speed = 0.5 }\n\
                shot:cloth { name = 'sheet', mesh = retake.mesh.grid { size = 0.3, vertices = 9, \
                  center = { 0, 1.103, 0 }, normal = { 0, 1, 0 } } }";
    let scene = build(&folder, "cube.gltf", "", text);
    let mut simulation = start(&scene);
    certified(&scene, &mut simulation, 20);
    assert_eq!(off_clip(&scene, &simulation, 0), 0.0, "a light sheet holds nothing up");
    let top = 1.1 + 0.3 * 0.5 * simulation.time();
    let middle = positions(&simulation, 1)[40].y;
    // Pressed in by less than a fifth of the distance.
    let above = middle - top;
    assert!((0.0008..0.0016).contains(&above), "{above} m above the top at {top} m");
}

const SHEET: &str = "shot:collider { name = 'arm', from = set, object = 'Arm', clip = 'Wave', clip_speed = 2 }\n\
     local sheet = shot:cloth { name = 'sheet', mesh = retake.mesh.grid { size = { 0.3, 1.2 }, \
       vertices = { 7, 25 }, center = { 0.962, 1.5, 0 }, normal = { 1, 0, 0 } } }\n\
     shot:pin { points = sheet:edge 'top' }\n";

/// Struck by the arm, then with a stop in between: the same bytes, and for any number of threads.
#[test]
fn the_same_bytes_after_a_restart_and_on_any_threads() {
    let folder = TempDir::new().unwrap();
    arm(folder.path());
    let scene = build(&folder, "arm.gltf", "", SHEET);
    let one = on_threads(1, || resumed(&scene, 9, 4).state_hash());
    let three = on_threads(3, || {
        let mut simulation = start(&scene);
        let mut contacts = 0;
        for _ in 0..13 {
            run(&mut simulation, 1);
            contacts += simulation.report().contacts;
        }
        assert!(contacts > 0, "the arm strikes the sheet");
        simulation.state_hash()
    });
    assert_eq!(one, three);
}

/// The arm presses the sheet against a wall and leaves it a millimetre, less than it is thick: it gives way,
/// says so, and is where its clip has it again afterwards.
#[test]
fn what_is_pinched_makes_the_skin_give_way() {
    let folder = TempDir::new().unwrap();
    arm(folder.path());
    let wall = "shot:collider { name = 'wall', mesh = retake.mesh.box { size = { 0.2, 2, 1 } }, translate = { 0.849, 1.5, 0 } }";
    let scene = build(&folder, "arm.gltf", "", &format!("{SHEET}{wall}"));
    let mut simulation = start(&scene);
    let pinched = certified(&scene, &mut simulation, 12);
    assert!(!pinched.is_empty(), "it says that it is pinched");
    for (other, at, by) in pinched {
        assert_eq!(other, 1);
        assert!((1e-4..0.004).contains(&by), "by {by} m");
        // Where the forearm stands upright, at its side towards the wall.
        assert!(at.distance(DVec3::new(0.95, at.y, 0.0)) < 0.06 && at.y > 0.8, "at {at}");
    }
    let off = off_clip(&scene, &simulation, 0);
    assert!((0.0005..0.004).contains(&off), "the arm gives way by {off} m");
    certified(&scene, &mut simulation, 12);
    assert_eq!(off_clip(&scene, &simulation, 0), 0.0);
}

/// The same with two sheets: the arm has to leave room for both, though it touches one only.
#[test]
fn two_layers_are_pinched() {
    let folder = TempDir::new().unwrap();
    arm(folder.path());
    let more = "local lining = shot:cloth { name = 'lining', mesh = retake.mesh.grid { size = { 0.28, 1.2 }, \
                  vertices = { 7, 25 }, center = { 0.97, 1.5, 0 }, normal = { 1, 0, 0 } } }\n\
                shot:pin { points = lining:edge 'top' }\n\
                shot:collider { name = 'wall', mesh = retake.mesh.box { size = { 0.2, 2, 1 } }, translate = { 0.849, 1.5, 0 } }";
    let scene = build(&folder, "arm.gltf", "", &format!("{SHEET}{more}"));
    let mut simulation = start(&scene);
    let pinched = certified(&scene, &mut simulation, 12);
    assert!(pinched.iter().any(|(other, ..)| *other == 2), "{pinched:?}");
    // A millimetre is left to two sheets of 2 mm and three skins of 0.2 mm; each may be pressed in by a quarter.
    let off = off_clip(&scene, &simulation, 0);
    assert!(off > 0.75 * 0.0046 - 0.001, "the arm gives way by {off} m");
    certified(&scene, &mut simulation, 12);
    assert_eq!(off_clip(&scene, &simulation, 0), 0.0);
}

/// Points that ride on the forearm, where the elbow alone carries it, turn with it about the elbow.
#[test]
fn points_ride_on_a_skin() {
    let folder = TempDir::new().unwrap();
    arm(folder.path());
    let text = "local hero = shot:collider { name = 'arm', from = set, object = 'Arm', clip = 'Bend', clip_speed = 2 }\n\
                local flap = shot:cloth { name = 'flap', mesh = retake.mesh.grid { size = { 0.4, 0.3 }, \
                  vertices = { 9, 7 }, center = { 1.55, 0.06, 0.15 }, normal = { 0, 1, 0 } } }\n\
                shot:attach { points = flap:where(function(p) return p.z < 0.01 end), to = hero }";
    let scene = build(&folder, "arm.gltf", "", text);
    let mut simulation = start(&scene);
    let before = positions(&simulation, 1);
    certified(&scene, &mut simulation, 14);
    let turn = rotation::from_rotation_z(90f64.to_radians());
    let after = positions(&simulation, 1);
    let held: Vec<usize> = (0..before.len()).filter(|i| before[*i].z < 0.01).collect();
    assert_eq!(held.len(), 9);
    for i in held {
        let expected = turn * (before[i] - DVec3::X) + DVec3::X;
        assert!(after[i].distance(expected) < 1e-5, "{} in place of {expected}", after[i]);
    }
}
