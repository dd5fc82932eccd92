//! Forces that are functions of place, velocity and time.

use crate::scripted::{near, resumed, run, scene, start};
use crate::{pose, positions};
use glam::DVec3;

const SHOT: &str =
    "local shot = retake.shot{ name = 'fields', duration = 8, gravity = { 0, 0, 0 } }\n";

/// Longest substep of a frame of 24 a second [s].
const STEP: f64 = 1.0 / 192.0;

fn ball(at: &str, velocity: &str, field: &str) -> String {
    format!(
        "{SHOT}shot:rigid{{ mesh = retake.mesh.sphere{{ radius = 0.05 }}, translate = {{ {at} }}, velocity = {{ {velocity} }} }}
        shot:force{{ per = 'mass', field = function(p) return {field} end }}"
    )
}

/// A force across the velocity turns it and keeps the speed: the circle is that of v / w, gone round in
/// 2 pi / w. By halves the angle of a substep is `2 atan(w h / 2)`, short by (w h)^2 / 12.
#[test]
fn a_magnetic_field_turns_and_keeps_the_speed() {
    let turn = 3.0;
    let mut simulation = start(&scene(&ball("0, 0, 0", "2, 0, 0", "3 * p.vz, 0, -3 * p.vx")));
    let mut way = DVec3::ZERO;
    for _ in 0..144 {
        run(&mut simulation, 1);
        let velocity = simulation.view().bodies[0].velocity;
        near("speed", velocity.length(), 2.0, 1e-7);
        way = way.max(pose(&simulation, 0).0.abs());
    }
    near("width of the circle", way.z, 4.0 / turn, 0.01);
    let angle = turn * 6.0 * (1.0 - (turn * STEP).powi(2) / 12.0);
    let velocity = simulation.view().bodies[0].velocity / 2.0;
    let expected = DVec3::new(libm::cos(angle), 0.0, -libm::sin(angle));
    assert!(velocity.distance(expected) < 1e-3, "{velocity} in place of {expected}");
}

/// A pull towards the middle swings in 2 pi / w, and after many swings as far as at first.
#[test]
fn a_pull_to_the_middle_swings_without_end() {
    let mut simulation =
        start(&scene(&ball("0.5, 0, 0", "0, 0, 0", "-25 * p.x, -25 * p.y, -25 * p.z")));
    let mut most = 0.0f64;
    for frame in 1..=144 {
        run(&mut simulation, 1);
        if frame > 108 {
            most = most.max(pose(&simulation, 0).0.x.abs());
        }
    }
    near("swing", most, 0.5, 0.01);
    // Symplectic Euler: w h = 2 sin(w' h / 2), and the places are half a substep ahead.
    let phase = 5.0 * 6.0 * (1.0 + (5.0 * STEP).powi(2) / 24.0);
    let x = pose(&simulation, 0).0.x;
    assert!((x - 0.5 * libm::cos(phase)).abs() < 0.5 * (0.5 * 5.0 * STEP + 0.002), "{x}");
}

/// What brakes does so as backward Euler has it, however strong it is; a field that is too stiff for
/// explicit steps brings things to rest in its middle.
#[test]
fn strong_fields_are_stable() {
    let mut simulation =
        start(&scene(&ball("0, 0, 0", "1, 0, 0", "-2 * p.vx, -2 * p.vy, -2 * p.vz")));
    run(&mut simulation, 24);
    let slow = simulation.view().bodies[0].velocity.x;
    near("slower", slow, libm::exp(-2.0), 1.1 * 2.0 * STEP);
    // Against a strong brake a spring draws in as exp(-k t / c).
    let mut creeps = start(&scene(&ball("0.1, 0, 0", "1, 0, 0", "-1e7 * p.vx - 1e7 * p.x, 0, 0")));
    run(&mut creeps, 24);
    near("creeps", pose(&creeps, 0).0.x, 0.1 * libm::exp(-1.0), 0.01);
    for field in ["-1e5 * p.vx, 0, 0", "-1e6 * p.x, 0, 0"] {
        let mut simulation = start(&scene(&ball("0.1, 0, 0", "1, 0, 0", field)));
        run(&mut simulation, 24);
        let (place, velocity) = (pose(&simulation, 0).0, simulation.view().bodies[0].velocity);
        assert!(place.length() < 0.2 && velocity.length() < 0.02, "{field}: {place} {velocity}");
    }
}

/// Curves of time and space: a push that follows `sin t`, and one that ends at a place.
#[test]
fn functions_of_time_and_place_act_as_they_say() {
    let mut simulation = start(&scene(&ball(
        "0, 0, 0",
        "0, 0, 0",
        "2 * retake.cos(2 * p.t), retake.select(0.5 - p.y, 3, 0), retake.max(p.t, 1) ^ 2 - 1",
    )));
    run(&mut simulation, 48);
    let velocity = simulation.view().bodies[0].velocity;
    // Backward Euler takes each force from the end of its substep.
    assert!((velocity.x - libm::sin(4.0)).abs() < 2.0 * STEP, "{velocity}");
    // Up to 0.5 m at 3 m/s^2: sqrt(3) m/s.
    near("up", velocity.y, 3f64.sqrt(), 3.0 * STEP);
    near("late", velocity.z, 4.0 / 3.0, 0.01);
}

/// Newtons on points, bodies and kilograms; cloth, soft bodies and ropes follow fields as well.
#[test]
fn a_field_moves_what_deforms() {
    let text = format!(
        "{SHOT}shot:cloth{{ name = 'cloth', mesh = retake.mesh.grid{{ size = 1, vertices = {{ 5, 5 }} }} }}
        shot:soft{{ name = 'soft', mesh = retake.mesh.tet_box{{ size = 0.5, cells = 2 }}, translate = {{ 3, 0, 0 }} }}
        shot:rope{{ name = 'rope', mesh = retake.mesh.rope{{ from = {{ 5, 0, 0 }}, to = {{ 6, 0, 0 }}, segments = 6 }}, radius = 0.02 }}
        shot:force{{ bodies = {{ 'cloth', 'soft' }}, per = 'mass', field = function(p) return 0, 2 + 0 * p.x, 0 end }}
        shot:force{{ bodies = 'rope', per = 'body', field = function(p) return {{ 0, 0, 4 }} end }}"
    );
    let simulation = resumed(&scene(&text), 5, 19);
    for body in 0..2 {
        for p in positions(&simulation, body) {
            assert!(p.y.is_finite());
        }
        near("speed", simulation.view().bodies[body].velocity.y, 2.0, 1e-4);
    }
    let mass = 1100.0 * std::f64::consts::PI * 4e-4;
    near("rope", simulation.view().bodies[2].velocity.z, 4.0 / mass, 0.01);
}

/// What turns and what draws acts on every kind of body: a small one far from the place of the field gains its
/// acceleration times the time, up to the hundredth at which linear solves stop and another where the field's core of
/// 5 cm and its way are felt.
#[test]
fn what_turns_and_draws_acts_on_every_kind_of_body() {
    let t = 2.0 / 24.0;
    for body in [
        "shot:rigid{ mesh = retake.mesh.box{ size = 0.02 }, translate = { 3, 1, 0 } }",
        "shot:soft{ mesh = retake.mesh.tet_box{ size = 0.02, cells = 1 }, translate = { 3, 1, 0 } }",
        "shot:soft{ mesh = retake.mesh.tet_box{ size = 0.02, cells = 1 }, translate = { 3, 1, 0 }, material = retake.material.shape_matching{} }",
        "shot:rope{ mesh = retake.mesh.rope{ from = { 3, 1, -0.01 }, to = { 3, 1, 0.01 }, segments = 2 } }",
    ] {
        for (field, expected) in [
            ("attractor{ center = { 1, 1, 0 }, strength = 3 }", DVec3::new(-3.0, 0.0, 0.0)),
            (
                "vortex{ axis = { 0, 2, 0 }, strength = 2, center = { 1, 5, 0 } }",
                DVec3::new(0.0, 0.0, -2.0),
            ),
        ] {
            let mut simulation = start(&scene(&format!("{SHOT}{body}\nshot:{field}")));
            run(&mut simulation, 2);
            let off = simulation.view().bodies[0].velocity.distance(expected * t);
            assert!(off < 0.02 * expected.length() * t, "{body} {field}: off by {off}");
        }
    }
}
