//! What starts crossing is pulled apart where the script asks for it.
#![allow(missing_docs)]

#[path = "support/scripted.rs"]
mod scripted;

use retake::diagnostics::Diagnostic;
use retake::production::certificate::check_frame;
use retake::scene::Scene;
use retake::sim::{BodyPose, Simulation};
use scripted::frame;

const HEAD: &str = "local shot = retake.shot { name = \"tangled\", frames = 4 }\n";
const ASKED: &str = "\nshot:collisions { separate = true }";

fn scene(text: &str) -> Scene {
    scripted::scene(&format!("{HEAD}{text}{ASKED}"))
}

/// Starts a shot that crosses: it is refused without being asked for, free of crossings with it, and goes on.
/// Gives the simulation at its start, and what was told.
fn parted(text: &str) -> (Simulation, Scene, String) {
    let refused = Simulation::start(&scripted::scene(&format!("{HEAD}{text}")));
    let told = shown(&refused.err().expect("it crosses"));
    assert!(told.contains("separate = true"), "{told}");
    let scene = scene(text);
    let started = Simulation::start(&scene).unwrap_or_else(|p| panic!("{}", shown(&p)));
    assert_eq!(check_frame(&scene, &frame(&scene, &started.simulation)), []);
    let mut goes_on = scripted::start(&scene);
    scripted::run(&mut goes_on, 4);
    assert_eq!(check_frame(&scene, &frame(&scene, &goes_on)), []);
    (started.simulation, scene, shown(&started.warnings))
}

fn shown(problems: &[Diagnostic]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn heights(simulation: &Simulation, body: usize) -> Vec<f64> {
    match simulation.body(body) {
        BodyPose::Deformed(places) => places.iter().map(|p| p.y).collect(),
        BodyPose::Posed(..) => panic!("not a cloth"),
    }
}

const SHEET: &str =
    "retake.mesh.grid { size = { 1, 1 }, vertices = { 21, 21 }, normal = { 0, 1, 0 } }";

#[test]
fn a_cloth_that_lies_in_a_ball_is_lifted_onto_it() {
    let text = format!(
        "shot:collider {{ name = \"ball\", mesh = retake.mesh.sphere {{ radius = 0.3 }} }}\n\
         shot:cloth {{ name = \"sheet\", mesh = {SHEET}, translate = {{ 0, 0.22, 0 }} }}"
    );
    let (simulation, _, told) = parted(&text);
    // What was outside stays where it was; the middle lies on the ball's top.
    let heights = heights(&simulation, 1);
    let highest = heights.iter().fold(0.0, |most: f64, h| most.max(*h));
    assert!((0.3..0.31).contains(&highest), "{highest}");
    assert_eq!(heights.iter().filter(|h| **h == 0.22).count(), heights.len() - lifted(&heights));
    assert!(told.contains("`sheet` starts crossing and was moved by up to 8"), "{told}");
}

/// Vertices that are not at the height of 0.22 m any more.
fn lifted(heights: &[f64]) -> usize {
    let count = heights.iter().filter(|h| **h != 0.22).count();
    // The ball is cut in a disc of radius 0.2 m.
    assert!((20..110).contains(&count), "{count} vertices were lifted");
    count
}

#[test]
fn two_cloths_that_cut_each_other_slightly_are_drawn_apart() {
    let text = format!(
        "shot:cloth {{ name = \"lower\", mesh = {SHEET} }}\n\
         shot:cloth {{ name = \"upper\", mesh = {SHEET}, translate = {{ 0.11, 0.13, 0.03 }}, \
         rotate = {{ 0, 20, 18 }} }}"
    );
    let (_, _, told) = parted(&text);
    assert!(told.contains("starts crossing"), "{told}");
}

#[test]
fn a_corner_that_pokes_through_a_coarse_cloth_goes_back_under_it() {
    let text = "shot:collider { name = \"block\", mesh = retake.mesh.box { size = 0.2 }, \
         rotate = { 40, 0, 35 }, translate = { 0.03, -0.15, 0.02 } }\n\
         shot:cloth { name = \"sheet\", mesh = retake.mesh.grid { size = { 1, 1 }, \
         vertices = { 6, 6 }, normal = { 0, 1, 0 } } }";
    let (simulation, _, _) = parted(text);
    assert!(heights(&simulation, 1).iter().all(|h| *h >= 0.0), "nothing goes down");
}

#[test]
fn a_box_sunk_into_the_ground_stands_on_it() {
    // More than half of it: down would be shorter.
    let text = "shot:ground {}\nshot:rigid { name = \"crate\", mesh = retake.mesh.box { size = 0.4 }, \
                translate = { 0.3, -0.05, 0 } }";
    let (simulation, _, told) = parted(text);
    let BodyPose::Posed(place, _) = simulation.body(1) else { panic!("rigid") };
    assert!(place.x == 0.3 && place.z == 0.0 && (place.y - 0.2).abs() < 1e-3, "{place}");
    assert!(told.contains("`crate` starts crossing and was moved by up to 250"), "{told}");
}

#[test]
fn boxes_in_each_other_share_the_way_by_their_masses() {
    let text = "shot:rigid { name = \"light\", mesh = retake.mesh.box { size = 0.4 }, mass = 1 }\n\
         shot:rigid { name = \"heavy\", mesh = retake.mesh.box { size = 0.4 }, mass = 3, \
         translate = { 0.36, 0.02, 0.01 } }";
    let (simulation, _, _) = parted(text);
    let [a, b] = [0, 1].map(|i| match simulation.body(i) {
        BodyPose::Posed(place, _) => place.x,
        BodyPose::Deformed(_) => panic!("rigid"),
    });
    // 4 cm and a little, three quarters of it the light one.
    assert!((b - a - 0.4).abs() < 1e-3 && (a + 0.03).abs() < 1e-3, "{a} {b}");
}

#[test]
fn a_ball_in_a_block_leaves_it_by_the_nearest_side() {
    let text = "shot:collider { name = \"block\", mesh = retake.mesh.box { size = { 2, 2, 2 } } }\n\
         shot:soft { name = \"ball\", mesh = retake.mesh.tet_ball { radius = 0.2 }, \
         translate = { 0.1, 0.2, 0.93 } }";
    let (simulation, _, _) = parted(text);
    let BodyPose::Deformed(places) = simulation.body(1) else { panic!("soft") };
    let middle = places.iter().sum::<glam::DVec3>() / places.len() as f64;
    assert!((middle.x - 0.1).abs() < 0.01 && (middle.z - 1.2).abs() < 0.01, "{middle}");
}

#[test]
fn what_has_no_way_out_is_refused_by_name() {
    let pole = "shot:collider { name = \"pole\", mesh = retake.mesh.cylinder { radius = 0.1, height = 2 } }\n";
    let sheet = format!("local sheet = shot:cloth {{ name = \"sheet\", mesh = {SHEET} }}\n");
    let ball = "shot:collider { name = \"pole\", mesh = retake.mesh.sphere { radius = 0.2 }, \
                translate = { 0, -0.1, 0 } }\n";
    let held = "shot:pin { points = sheet:all() }";
    for text in [format!("{pole}{sheet}"), format!("{ball}{sheet}{held}")] {
        let told = shown(&Simulation::start(&scene(&text)).err().expect("no way out"));
        assert!(told.contains("`pole` and `sheet` cross at the start, and no way"), "{told}");
        assert!(!told.contains("separate"), "{told}");
    }
    let twisted = format!(
        "shot:cloth {{ name = \"sheet\", mesh = ({SHEET}):displaced(function(p) \
         return p.x > 0 and -0.9 * p.x or p.x, p.x > 0 and 0.6 * p.x - 0.05 or -0.2 * p.x, p.z end) }}"
    );
    let told = shown(&Simulation::start(&scene(&twisted)).err().expect("it crosses itself"));
    assert!(told.contains("`sheet` crosses itself at the start"), "{told}");
}
