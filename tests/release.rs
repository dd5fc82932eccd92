//! Points that are let go while others of their constraint are held on.
#![allow(missing_docs)]

#[path = "support/scripted.rs"]
mod scripted;

use glam::DVec3;
use retake::sim::{BodyPose, Simulation, StepEventKind};
use std::sync::atomic::AtomicBool;

/// Runs a script with its callbacks for so many frames; gives the simulation and the releases that were told.
fn directed(text: &str, frames: u32) -> (Simulation, usize) {
    let built = scripted::build(text).unwrap_or_else(|p| panic!("{p}"));
    let (scene, mut director) = (built.scene, built.director);
    let mut simulation = scripted::start(&scene);
    let mut told = 0;
    for _ in 0..frames {
        let asked = director.on_frame(&simulation.view()).unwrap_or_else(|p| panic!("{p}"));
        simulation.advance(&asked.commands, &AtomicBool::new(false)).expect("the shot goes on");
        let is_release = |kind: &StepEventKind| matches!(kind, StepEventKind::Released { .. });
        told += simulation.report().events.iter().filter(|e| is_release(&e.kind)).count();
    }
    (simulation, told)
}

fn places(simulation: &Simulation, body: usize) -> Vec<DVec3> {
    match simulation.body(body) {
        BodyPose::Deformed(places) => places.to_vec(),
        BodyPose::Posed(..) => panic!("it deforms"),
    }
}

/// A sheet of 5 x 5 vertices and 0.4 m; vertices 0 to 4 are its upper edge.
const SHEET: &str = "local shot = retake.shot { name = \"letting_go\", duration = 1 }\n\
    local mesh = retake.mesh.grid { size = { 0.4, 0.4 }, vertices = { 5, 5 } }\n\
    local sheet = shot:cloth { name = \"sheet\", mesh = mesh }\n";

fn at_frame(frame: u32, what: &str) -> String {
    format!("\nshot:on_frame(function(frame) if frame == {frame} then {what} end end)")
}

/// After half a second a sheet that hangs by one corner has swung well down.
const FALLEN: f64 = 0.1;

#[test]
fn some_points_of_a_pin_fall_and_the_others_stay() {
    let pin = "local rail = shot:pin { points = sheet:edge \"top\" }";
    let let_go = "rail:release { points = sheet:vertices { 1, 2, 3, 4 } }";
    let text = format!("{SHEET}{pin}{}", at_frame(2, let_go));
    let (simulation, told) = directed(&text, 13);
    let found = places(&simulation, 0);
    assert!((found[0].y - 0.2).abs() < 1e-9, "it is held: {}", found[0]);
    assert!(found[4].y < 0.2 - FALLEN, "{}", found[4]);
    assert_eq!(told, 1);

    // All that are left: the same as without points.
    let all = "rail:release { points = sheet:all() }";
    let text = format!("{SHEET}{pin}{}", at_frame(2, all));
    let text_without = format!("{SHEET}{pin}{}", at_frame(2, "rail:release {}"));
    let [a, b] = [text, text_without].map(|text| directed(&text, 6).0.state_hash());
    assert_eq!(a, b);
}

#[test]
fn an_attachment_lets_some_points_go() {
    let text = format!(
        "{SHEET}local bar = shot:collider {{ name = \"bar\", mesh = retake.mesh.box {{ size = {{ 0.6, 0.05, 0.05 }} }}, \
         translate = {{ 0, 0.26, 0 }} }}\n\
         local tie = shot:attach {{ points = sheet:edge \"top\", to = bar }}{}",
        at_frame(
            1,
            "tie:release { points = sheet:corner \"top-left\" + sheet:vertices { 1, 2, 3 } }"
        )
    );
    let found = places(&directed(&text, 12).0, 0);
    assert!(found[0].y < 0.2 - FALLEN, "{}", found[0]);
    assert!((found[4].y - 0.2).abs() < 1e-6, "{}", found[4]);
}

const SEAM: &str = "shot:pin { points = sheet:edge \"top\" }\n\
    local lower = shot:cloth { name = \"lower\", mesh = mesh, translate = { 0, -0.41, 0 } }\n\
    local seam = shot:stitch { a = sheet:edge \"bottom\", b = lower:edge \"top\" }\n";

/// How far the pairs of the seam are apart.
fn gaps(simulation: &Simulation) -> Vec<f64> {
    let (upper, lower) = (places(simulation, 0), places(simulation, 1));
    (0..5).map(|i| upper[20 + i].distance(lower[i])).collect()
}

#[test]
fn a_seam_opens_where_it_is_let_go() {
    let let_go = "seam:release { points = lower:vertices { 1, 2, 3, 4 } }";
    let in_callback = format!("{SHEET}{SEAM}{}", at_frame(1, let_go));
    let at_once =
        format!("{SHEET}{SEAM}seam:release {{ at = 0, points = lower:vertices {{ 1, 2, 3, 4 }} }}");
    for text in [in_callback, at_once] {
        let gaps = gaps(&directed(&text, 12).0);
        assert!((gaps[0] - 0.01).abs() < 2e-3, "{gaps:?}");
        assert!(gaps[4] > FALLEN, "{gaps:?}");
    }
    let wrong = format!("{SHEET}{SEAM}seam:release {{ at = 0, points = sheet:edge \"top\" }}");
    assert!(scripted::problem(&wrong).contains("holds none of these points"));
}

#[test]
fn a_frozen_point_that_is_let_go_stays_free() {
    let text = format!(
        "{SHEET}local ice = shot:freeze {{ points = sheet:all(), inside = {{ {{ -1, -1, -1 }}, {{ 1, 1, 1 }} }} }}{}",
        at_frame(3, "ice:release { points = sheet:row(3) + sheet:row(4) }")
    );
    // It lies level, so that what is let go sags.
    let text = text.replace("mesh = mesh }", "mesh = mesh, rotate = { -90, 0, 0 } }");
    let (simulation, told) = directed(&text, 15);
    let (found, start) = (places(&simulation, 0), places(&directed(&text, 3).0, 0));
    assert_eq!(found[..15], start[..15], "what is frozen does not move");
    assert!(found[20].y < start[20].y - 0.02, "{} {}", found[20], start[20]);
    assert_eq!(told, 1);
}

#[test]
fn a_run_that_is_resumed_after_a_release_is_the_same_run() {
    let pin = "local rail = shot:pin { points = sheet:edge \"top\" }";
    let let_go = "rail:release { points = sheet:vertices { 0, 1, 2 } }";
    let text = format!("{SHEET}{pin}{}", at_frame(2, let_go));
    let (mut whole, _) = directed(&text, 6);
    let mut resumed = scripted::start(&scripted::scene(&text));
    resumed.restore(&whole.save()).unwrap();
    for simulation in [&mut whole, &mut resumed] {
        scripted::run(simulation, 6);
    }
    assert_eq!(whole.state_hash(), resumed.state_hash());
}
