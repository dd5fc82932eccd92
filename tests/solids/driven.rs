//! Bodies that curves carry for a while, and that go free with the velocity they have.

use crate::scripted::{after, near, problem, resumed, run, scene, start};
use crate::{pose, positions};
use glam::DVec3;
use retake::math::rotation;

/// Longest substep of a frame of 24 a second [s].
const STEP: f64 = 1.0 / 192.0;

/// How high something is after `t` seconds that starts with the velocity `v` upwards.
fn flight(v: f64, t: f64) -> f64 {
    v * t - 0.5 * 9.81 * t * t
}

const SHOT: &str = "local shot = retake.shot{ name = 'driven', duration = 4 }\n";

/// A box that is carried along and up, and turned, flies on as it is let go: the velocity is that of
/// the curve, of second order in the substep.
#[test]
fn a_rigid_body_is_thrown() {
    let text = format!(
        "{SHOT}shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.2, 0.1, 0.3 }} }}, driven_until = 0.5,
          translate = function(t) return 2 * t, 1 + 4 * t * t, 0 end, rotate = function(t) return 0, 180 * t, 0 end }}"
    );
    let mut simulation = start(&scene(&text));
    run(&mut simulation, 11);
    let (place, turn) = pose(&simulation, 0);
    let t = 11.0 / 24.0f64;
    assert!(place.distance(DVec3::new(2.0 * t, 1.0 + 4.0 * t * t, 0.0)) < 1e-4, "{place}");
    let there =
        DVec3::new(libm::cos(180f64.to_radians() * t), 0.0, -libm::sin(180f64.to_radians() * t));
    assert!((turn * DVec3::X).distance(there) < 1e-3, "{}", turn * DVec3::X);
    let view = simulation.view().bodies[0].clone();
    near("along", view.velocity.x, 2.0, 1e-3);
    near("up", view.velocity.y, 8.0 * t, 0.01);
    near("spin", view.spin.y, 180.0, 1e-3);
    run(&mut simulation, 13);
    let place = pose(&simulation, 0).0;
    near("along", place.x, 2.0, 1e-3);
    // The substep that ends at half a second is the first of the flight.
    let t = 0.5 - STEP;
    let height = 1.0 + 4.0 * t * t + flight(8.0 * t, 1.0 - t);
    near("up", place.y, height, 1e-3);
    near("spin", simulation.view().bodies[0].spin.y, 180.0, 1e-3);
}

/// Cloth, soft bodies and ropes are carried as they are, and fall from there.
#[test]
fn what_deforms_is_carried_and_dropped() {
    let text = format!(
        "{SHOT}local way = retake.keys{{ {{ 0, {{ 0, 1, 0 }} }}, {{ 0.5, {{ 0, 2, 0 }}, ease = 'linear' }} }}
        shot:cloth{{ mesh = retake.mesh.grid{{ size = 0.5, vertices = {{ 6, 6 }} }}, translate = way, driven_until = 0.5 }}
        local far = retake.keys{{ {{ 0, {{ 2, 1, 0 }} }}, {{ 0.5, {{ 2, 2, 0 }}, ease = 'linear' }} }}
        shot:soft{{ mesh = retake.mesh.tet_box{{ size = 0.2, cells = 2 }}, translate = far, driven_until = 0.5 }}
        shot:rope{{ mesh = retake.mesh.rope{{ from = {{ 4, 0, 0 }}, to = {{ 5, 0, 0 }}, segments = 8 }}, radius = 0.01, translate = way, driven_until = 0.5 }}"
    );
    let scene = scene(&text);
    let mut simulation = resumed(&scene, 5, 6);
    for body in 0..3 {
        let rest = &scene.mesh_of(body).positions;
        let to = DVec3::new(if body == 1 { 2.0 } else { 0.0 }, 1.0 + 11.0 / 12.0, 0.0);
        for (p, rest) in positions(&simulation, body).iter().zip(rest) {
            assert!(p.distance(*rest + to) < 1e-9, "body {body}: {p}");
        }
    }
    run(&mut simulation, 7);
    for body in 0..3 {
        let rise = positions(&simulation, body)[0].y - scene.mesh_of(body).positions[0].y - 2.0;
        // It is let go a substep, of a quarter of a frame, before the end, falls `g h^2 / 2` too far in that one,
        // and half as much again after it.
        let (h, t) = (2.0 * STEP, 0.25 + 2.0 * STEP);
        let flown = 2.0 * (t - h) - 9.81 * (0.5 * t * t + 0.75 * h * h);
        near("rise", rise, flown, 1e-3);
    }
}

/// Without curves it is held where it stands, and falls when it is let go.
#[test]
fn a_body_waits_to_be_dropped() {
    let text = format!(
        "{SHOT}shot:rigid{{ mesh = retake.mesh.box{{ size = 0.2 }}, translate = {{ 0, 1, 0 }}, driven_until = 1 }}"
    );
    let mut simulation = start(&scene(&text));
    run(&mut simulation, 23);
    assert!(pose(&simulation, 0).0.distance(DVec3::Y) < 1e-6, "{}", pose(&simulation, 0).0);
    run(&mut simulation, 13);
    near("fall", pose(&simulation, 0).0.y - 1.0, flight(0.0, 0.5 + STEP), 1e-4);
}

#[test]
fn curves_of_a_free_body_need_an_end() {
    let text = format!(
        "{SHOT}shot:rigid{{ mesh = retake.mesh.box{{}}, rotate = function(t) return 0, t, 0 end }}"
    );
    let open = problem(&text);
    assert!(open.contains("a rigid whose `rotate`") && open.contains("`driven_until`"), "{open}");
}

/// A belt that goes on carries a box along by friction until it goes as fast; a table that goes on turning is where
/// its spin has it.
#[test]
fn a_collider_goes_on_at_its_speed() {
    let text = "local shot = retake.shot{ name = 'a', duration = 2 }
        shot:collider{ name = 'belt', mesh = retake.mesh.box{ size = { 6, 0.1, 1 } }, translate = { 0, -0.05, 0 }, velocity = { 0.5, 0, 0 } }
        shot:collider{ name = 'table', mesh = retake.mesh.box{ size = { 1, 0.1, 1 } }, translate = { 0, 2, 0 }, rotate = { 0, 10, 0 }, spin = { 0, 45, 0 } }
        shot:rigid{ name = 'box', mesh = retake.mesh.box{ size = 0.2 }, translate = { 0, 0.101, 0 }, friction = 0.5 }";
    let simulation = after(text, 48);
    let (belt, _) = pose(&simulation, 0);
    assert!((belt - DVec3::new(1.0, -0.05, 0.0)).length() < 1e-9, "{belt}");
    let (table, turn) = pose(&simulation, 1);
    assert!((table - DVec3::Y * 2.0).length() < 1e-9, "{table}");
    let expected = rotation::from_rotation_y(100.0f64.to_radians());
    assert!(rotation::angle_from(turn, expected) < 1e-6, "{turn}");
    let carried = simulation.view().bodies[2].velocity;
    assert!((carried - DVec3::X * 0.5).length() < 0.01, "{carried}");
}

#[test]
fn a_collider_has_a_speed_or_curves() {
    for (given, expected) in [
        (
            "velocity = { 1, 0, 0 }, translate = function(t) return t, 0, 0 end",
            "`velocity` and a `translate` that changes over time exclude each other",
        ),
        (
            "spin = { 1, 0, 0 }, rotate = retake.keys{ { 0, { 0, 0, 0 } }, { 1, { 0, 90, 0 } } }",
            "`spin` and a `rotate` that changes over time exclude each other",
        ),
    ] {
        let found = problem(&format!(
            "local shot = retake.shot{{ name = 'a', duration = 1 }}
            shot:collider{{ mesh = retake.mesh.box{{ size = 1 }}, {given} }}"
        ));
        assert!(found.contains(expected), "{found}");
    }
}

/// Two bodies rest half the sum of their thicknesses and the skin apart, the ground as well.
#[test]
fn the_ground_has_a_thickness() {
    let text = "local shot = retake.shot{ name = 'a', duration = 2 }
        shot:ground{ thickness = 0.02 }
        shot:rigid{ mesh = retake.mesh.box{ size = 0.2 }, translate = { 0, 0.2, 0 } }";
    let (place, _) = pose(&after(text, 36), 1);
    assert!((place.y - 0.1102).abs() < 3e-4, "{place}");
}
