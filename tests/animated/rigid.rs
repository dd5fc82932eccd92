//! Rigid bodies held by colliders that deform: what is held goes along with the triangle under it.

use crate::files::{HALF, arm, build, cube};
use crate::scripted::{on_threads, resumed, run, start};
use glam::{DQuat, DVec3};
use retake::math::rotation;
use retake::sim::{BodyPose, Simulation};
use tempfile::TempDir;

/// The arm, which is bent by 90 degrees after `1 / speed` seconds and stays so.
fn bending(speed: f64) -> String {
    format!(
        "local hero = shot:collider {{ name = 'arm', from = set, object = 'Arm', clip = 'Bend', clip_speed = {speed} }}\n"
    )
}

/// Where what the elbow alone carries goes from `p` as the arm bends by so many degrees.
fn bent(p: DVec3, degrees: f64) -> DVec3 {
    rotation::from_rotation_z(degrees.to_radians()) * (p - DVec3::X) + DVec3::X
}

fn pose(simulation: &Simulation, body: usize) -> (DVec3, DQuat) {
    match simulation.body(body) {
        BodyPose::Posed(place, turn) => (place, turn),
        BodyPose::Deformed(_) => panic!("it keeps its shape"),
    }
}

/// The turn about z [degrees]; about the other axes there is none.
#[track_caller]
fn about_z(simulation: &Simulation, body: usize) -> f64 {
    let x = pose(simulation, body).1 * DVec3::X;
    assert!(x.z.abs() < 1e-3, "it leans to {x}");
    libm::atan2(x.y, x.x).to_degrees()
}

const LANTERN: &str = "local lantern = shot:rigid { name = 'lantern', mass = 2, \
       mesh = retake.mesh.box { size = { 0.1, 0.2, 0.1 } }, translate = { 1.95, -0.35, 0 } }\n\
     shot:joint { kind = 'ball', a = lantern, b = hero, about = { 1.95, -0.05, 0 } }";

/// The joint is a point of the hand's underside, wherever the arm has it. A joint's places are 1 mm apart at
/// most.
#[test]
fn a_lantern_hangs_from_the_hand() {
    let folder = TempDir::new().unwrap();
    arm(folder.path());
    let scene = build(&folder, "arm.gltf", "", &format!("{}{LANTERN}", bending(1.0)));
    let mut simulation = start(&scene);
    let hook = DVec3::new(1.95, -HALF, 0.0);
    for frame in 1..=24 {
        run(&mut simulation, 1);
        let (place, turn) = pose(&simulation, 1);
        let held = place + turn * DVec3::new(0.0, 0.3, 0.0);
        // Keys are turns that go evenly.
        let expected = bent(hook, 90.0 * f64::from(frame) / 24.0);
        assert!(held.distance(expected) < 1e-3, "{held} in place of {expected}");
        let view = &simulation.view().constraints[0];
        assert!(view.apart < 1e-3 && view.reaction > 0.0, "{view:?}");
    }
}

/// After a stop in between, and for any number of threads.
#[test]
fn a_lantern_has_the_same_bytes_after_a_restart() {
    let folder = TempDir::new().unwrap();
    arm(folder.path());
    let scene = build(&folder, "arm.gltf", "", &format!("{}{LANTERN}", bending(2.0)));
    let one = on_threads(1, || resumed(&scene, 5, 4).state_hash());
    let three = on_threads(3, || {
        let mut simulation = start(&scene);
        run(&mut simulation, 9);
        simulation.state_hash()
    });
    assert_eq!(one, three);
}

/// Held at its end by the forearm, a box of 3 kg turns with it, and weighs on it by m g with the lever of its
/// centre, 0.2 m above the joint at the start and as far to the left once it is bent.
#[test]
fn a_fixed_joint_turns_with_the_skin() {
    let folder = TempDir::new().unwrap();
    arm(folder.path());
    let text = "local box = shot:rigid { name = 'box', mass = 3, \
                  mesh = retake.mesh.box { size = { 0.1, 0.2, 0.1 } }, translate = { 1.5, 0.25, 0 } }\n\
                shot:joint { kind = 'fixed', a = box, b = hero, about = { 1.5, 0.05, 0 } }";
    let scene = build(&folder, "arm.gltf", "", &format!("{}{text}", bending(4.0)));
    let mut simulation = start(&scene);
    run(&mut simulation, 24);
    let expected = bent(DVec3::new(1.5, 0.25, 0.0), 90.0);
    let place = pose(&simulation, 1).0;
    assert!(place.distance(expected) < 1e-3, "{place} in place of {expected}");
    let turn = about_z(&simulation, 1);
    assert!((turn - 90.0).abs() < 0.1, "turned by {turn} degrees");
    let (view, weight) = (simulation.view().constraints[0], 3.0 * 9.81);
    assert!((view.reaction / weight - 1.0).abs() < 0.01, "{view:?}");
    assert!((view.torque / (0.2 * weight) - 1.0).abs() < 0.01, "{view:?}");
}

/// Left alone, the box would hang down, 90 degrees behind the arm: its limit holds it at 10.
#[test]
fn a_hinge_on_a_skin_keeps_its_limits() {
    let folder = TempDir::new().unwrap();
    arm(folder.path());
    let text = "local box = shot:rigid { name = 'box', mass = 1, \
                  mesh = retake.mesh.box { size = { 0.1, 0.2, 0.1 } }, translate = { 1.9, -0.25, 0 } }\n\
                shot:joint { kind = 'hinge', a = box, b = hero, about = { 1.9, -0.05, 0 }, \
                  axis = { 0, 0, 1 }, limits = { -10, 10 }, damping = 0.1 }";
    let scene = build(&folder, "arm.gltf", "", &format!("{}{text}", bending(2.0)));
    let mut simulation = start(&scene);
    run(&mut simulation, 24);
    let (turn, travel) = (about_z(&simulation, 1), simulation.view().constraints[0].travel);
    assert!((turn - 80.0).abs() < 0.1, "turned by {turn} degrees");
    assert!((travel + 10.0).abs() < 0.1, "gone by {travel} degrees");
}

#[test]
fn motors_drive_against_a_skin() {
    let folder = TempDir::new().unwrap();
    arm(folder.path());
    let text = "local vane = shot:rigid { name = 'vane', mass = 1, \
                  mesh = retake.mesh.box { size = { 0.1, 0.2, 0.1 } }, translate = { 1.9, 0.25, 0 } }\n\
                shot:joint { kind = 'hinge', a = vane, b = hero, about = { 1.9, 0.05, 0 }, \
                  axis = { 0, 0, 1 }, motor = { angle = 30 } }\n\
                local sledge = shot:rigid { name = 'sledge', mass = 1, \
                  mesh = retake.mesh.box { size = 0.1 }, translate = { 1.4, 0.2, 0 } }\n\
                shot:joint { kind = 'slider', a = sledge, b = hero, about = { 1.4, 0.05, 0 }, \
                  axis = { 1, 0, 0 }, motor = { position = 0.2 } }\n\
                local compass = shot:rigid { name = 'compass', mass = 1, \
                  mesh = retake.mesh.box { size = 0.1 }, translate = { 3, 1, 1 } }\n\
                shot:joint { kind = 'angular', a = compass, b = hero, about = { 1.6, 0.05, 0 } }";
    let scene =
        build(&folder, "arm.gltf", ", gravity = { 0, 0, 0 }", &format!("{}{text}", bending(2.0)));
    let mut simulation = start(&scene);
    run(&mut simulation, 20);
    let turn = about_z(&simulation, 1);
    assert!((turn - 120.0).abs() < 0.1, "the hinge turned by {turn} degrees");
    let travel = simulation.view().constraints[0].travel;
    assert!((travel - 30.0).abs() < 0.1, "gone by {travel} degrees");
    let (place, expected) = (pose(&simulation, 2).0, bent(DVec3::new(1.6, 0.2, 0.0), 90.0));
    assert!(place.distance(expected) < 1e-3, "{place} in place of {expected}");
    let turn = about_z(&simulation, 3);
    assert!((turn - 90.0).abs() < 0.1, "the angular joint turned by {turn} degrees");
}

/// The top of the cube stays flat as it rises by 0.3 m.
#[test]
fn a_box_rides_on_a_morph() {
    let folder = TempDir::new().unwrap();
    cube(folder.path());
    let text = "local hero = shot:collider { name = 'cube', from = set, object = 'Cube', clip = 'Rise', clip_speed = 2 }\n\
                local box = shot:rigid { name = 'box', mesh = retake.mesh.box { size = 0.1 }, translate = { 0.01, 1.2, 0.02 } }\n\
                shot:attach { points = box:all(), to = hero }";
    let scene = build(&folder, "cube.gltf", "", text);
    let mut simulation = start(&scene);
    for frame in 1..=20 {
        run(&mut simulation, 1);
        let t = f64::from(frame) / 12.0;
        let expected = DVec3::new(0.01, 1.2 + 0.3 * (1.0 - (t - 1.0).abs()), 0.02);
        let (place, turn) = pose(&simulation, 1);
        assert!(place.distance(expected) < 1e-3, "{place} in place of {expected}");
        assert!(turn.dot(DQuat::IDENTITY).abs() > 1.0 - 1e-6, "{turn}");
    }
}

/// A box over the elbow, half of whose points ride on the upper arm, and half on the forearm, cannot follow
/// both: it turns by half, where the squares of what its points are off are least, and nothing grows.
#[test]
fn what_cannot_follow_every_point_goes_between() {
    let folder = TempDir::new().unwrap();
    arm(folder.path());
    let text = "local box = shot:rigid { name = 'box', mass = 1, collides = false, \
                  mesh = retake.mesh.box { size = { 0.6, 0.1, 0.1 } }, translate = { 1, 0.15, 0 } }\n\
                shot:attach { points = box:all(), to = hero }";
    let scene = build(&folder, "arm.gltf", "", &format!("{}{text}", bending(4.0)));
    let mut simulation = start(&scene);
    run(&mut simulation, 16);
    let early = about_z(&simulation, 1);
    run(&mut simulation, 8);
    let late = about_z(&simulation, 1);
    assert!((late - 45.0).abs() < 0.5, "turned by {late} degrees");
    assert!((late - early).abs() < 0.01, "by {early} and then {late} degrees");
}

/// Taken hold of when the arm is bent, a box that hovers beside it turns with the whole of it from there.
#[test]
fn a_box_is_taken_hold_of_on_the_way() {
    let folder = TempDir::new().unwrap();
    arm(folder.path());
    let text = "local hero = shot:collider { name = 'arm', from = set, object = 'Arm', clip = 'Bend', clip_speed = 4, \
                  rotate = retake.keys { { 0.6, { 0, 0, 0 } }, { 0.85, { 0, 0, 60 } } } }\n\
                local box = shot:rigid { name = 'box', mass = 1, collides = false, \
                  mesh = retake.mesh.box { size = { 0.2, 0.1, 0.1 } }, translate = { 1.5, 0.15, 0 } }\n\
                shot:attach { points = box:all(), to = hero, starts = 0.4 }";
    let scene = build(&folder, "arm.gltf", ", gravity = { 0, 0, 0 }", text);
    let mut simulation = start(&scene);
    run(&mut simulation, 12);
    let before = pose(&simulation, 1).0;
    assert!(before.distance(DVec3::new(1.5, 0.15, 0.0)) < 1e-6, "nothing moves it yet: {before}");
    run(&mut simulation, 12);
    let (place, turn) = (pose(&simulation, 1).0, about_z(&simulation, 1));
    let expected = rotation::from_rotation_z(60f64.to_radians()) * before;
    assert!(place.distance(expected) < 1e-3, "{place} in place of {expected}");
    assert!((turn - 60.0).abs() < 0.1, "turned by {turn} degrees");
}
