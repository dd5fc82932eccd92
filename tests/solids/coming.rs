//! Bodies that are there for a part of the shot only.

use crate::pose;
use crate::scripted::{after, near, problem, resumed, run, scene, start};
use std::sync::atomic::AtomicBool;

const SHOT: &str = "local shot = retake.shot{ name = 'coming', duration = 4 }\n";

/// A ball rests on a plate until that is gone, and falls from then on; another falls through the place of a
/// plate that has not come yet.
#[test]
fn what_is_not_there_holds_nothing_up() {
    let scene = scene(&format!(
        "{SHOT}local ball = retake.mesh.sphere{{ radius = 0.1, subdivisions = 2 }}
        local plate = retake.mesh.box{{ size = {{ 1, 0.1, 1 }} }}
        shot:collider{{ mesh = plate, translate = {{ 0, 0, 0 }}, disappears = 1 }}
        shot:rigid{{ mesh = ball, translate = {{ 0, 0.1503, 0 }} }}
        shot:collider{{ mesh = plate, translate = {{ 3, 0, 0 }}, appears = 1 }}
        shot:rigid{{ mesh = ball, translate = {{ 3, 0.1503, 0 }} }}"
    ));
    let mut simulation = resumed(&scene, 10, 14);
    near("rests", pose(&simulation, 1).0.y, 0.15, 0.01);
    assert!(pose(&simulation, 3).0.y < -4.0, "{}", pose(&simulation, 3).0);
    run(&mut simulation, 12);
    let t = 0.5;
    near("falls", 0.1502 - pose(&simulation, 1).0.y, 0.5 * 9.81 * t * t, 2e-4);
}

/// A body that appears starts then, with the velocity that it was given; one that disappears stays where it was.
#[test]
fn a_body_starts_when_it_appears() {
    let simulation = after(
        "local shot = retake.shot{ name = 'coming', duration = 4, gravity = { 0, 0, 0 } }
        local mesh = retake.mesh.box{ size = 0.1 }
        shot:rigid{ mesh = mesh, velocity = { 1, 0, 0 }, appears = 0.5 }
        shot:rigid{ mesh = mesh, translate = { 0, 1, 0 }, velocity = { 1, 0, 0 }, disappears = 0.5 }
        shot:cloth{ mesh = retake.mesh.grid{ vertices = { 4, 4 } }, translate = { 0, 3, 0 } }",
        24,
    );
    near("comes", pose(&simulation, 0).0.x, 0.5, 1e-6);
    near("goes", pose(&simulation, 1).0.x, 0.5, 1e-6);
}

#[test]
fn nothing_appears_in_another_body() {
    let scene = scene(&format!(
        "{SHOT}local mesh = retake.mesh.box{{ size = 0.2 }}
        shot:ground{{}}
        shot:rigid{{ name = 'here', mesh = mesh, translate = {{ 0, 0.1002, 0 }} }}
        shot:rigid{{ name = 'late', mesh = mesh, translate = {{ 0.05, 0.15, 0 }}, rotate = {{ 20, 0, 0 }}, appears = 0.25 }}"
    ));
    let mut simulation = start(&scene);
    run(&mut simulation, 6);
    let failure = simulation.advance(&[], &AtomicBool::new(false)).unwrap_err();
    let text = format!("{failure:?}");
    assert!(text.contains("`late` appears at 0.250 s where `here` is"), "{text}");
    let order = problem(&format!(
        "{SHOT}shot:rigid{{ mesh = retake.mesh.box{{}}, appears = 2, disappears = 1 }}"
    ));
    assert!(order.contains("must appear before it disappears"), "{order}");
}
