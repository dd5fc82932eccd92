//! Limits, motors and damping of joints.

use crate::pose;
use crate::scripted::{after, near, problem, resumed, run, scene, start};
use glam::DVec3;
use retake::sim::Simulation;

const SHOT: &str =
    "local shot = retake.shot{ name = 'motors', duration = 6, gravity = { 0, 0, 0 } }\n";
const HEAVY: &str = "local shot = retake.shot{ name = 'motors', duration = 6 }\n";

/// Longest substep of a frame of 24 a second [s].
const STEP: f64 = 1.0 / 192.0;

/// Penalty of limits over what moves: a stop gives by one part in as many of a substep's way.
const RHO: f64 = 200.0;

fn travel(simulation: &Simulation) -> f64 {
    simulation.view().constraints[0].travel
}

/// A door that turns at w comes to its limit within one substep, and what a penalty of 200 I / h^2 gives
/// on the way is w h / 200; the stop throws it back with no more than a two hundredth of its speed.
#[test]
fn a_door_stops_at_its_limit() {
    let speed = 2.0f64;
    let text = format!(
        "{SHOT}local door = shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.9, 2, 0.04 }} }}, translate = {{ 0.45, 1, 0 }},
          spin = {{ 0, {}, 0 }}, velocity = {{ 0, 0, {} }} }}
        shot:joint{{ kind = 'hinge', a = door, about = {{ 0, 1, 0 }}, limits = {{ -10, 30 }} }}",
        speed.to_degrees(),
        -0.45 * speed
    );
    let mut simulation = start(&scene(&text));
    let gives = (speed * STEP / RHO).to_degrees();
    let mut most = 0.0f64;
    for _ in 0..48 {
        run(&mut simulation, 1);
        most = most.max(travel(&simulation));
    }
    assert!(most > 30.0 - 0.1 && most < 30.0 + 1.01 * gives, "{most}, gives {gives}");
    let spin = simulation.view().bodies[0].spin.y.to_radians();
    assert!(spin.abs() < 2.0 * speed / RHO, "it still turns at {spin} rad/s");
}

/// An arm of mass m whose centre is l from its hinge is lifted from the level where the motor gives
/// more than m g l, and sinks where it gives less.
#[test]
fn a_motor_lifts_what_its_torque_suffices_for() {
    // A box of 0.8 x 0.1 x 0.1 m and 4 kg, held at its end: l = 0.4 m.
    let needs = 4.0 * 9.81 * 0.4;
    for (part, rises) in [(0.98, false), (1.02, true)] {
        let text = format!(
            "{HEAVY}local arm = shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.8, 0.1, 0.1 }} }}, mass = 4, translate = {{ 0.4, 0, 0 }} }}
            shot:joint{{ kind = 'hinge', a = arm, about = {{ 0, 0, 0 }}, axis = {{ 0, 0, 1 }}, motor = {{ speed = 20, max_torque = {} }} }}",
            part * needs
        );
        let simulation = after(&text, 12);
        let gone = travel(&simulation);
        // Half a second at 2 % of m g l / I = 18.3 rad/s^2 is 2.6 degrees; the slope takes off or adds.
        assert!(if rises { gone > 2.5 } else { gone < -2.5 }, "{part}: {gone}");
    }
}

/// A strong motor keeps its speed from the first substeps on, gives m g l cos(turn), and its work is what
/// the arm gains: backward Euler loses half of m v dv in a substep, here that of the start.
#[test]
fn a_motor_keeps_its_speed_and_its_work_is_gained() {
    let text = format!(
        "{HEAVY}local arm = shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.8, 0.1, 0.1 }} }}, mass = 4, translate = {{ 0.4, 0, 0 }} }}
        shot:joint{{ kind = 'hinge', a = arm, about = {{ 0, 0, 0 }}, axis = {{ 0, 0, 1 }}, motor = {{ speed = 60, max_torque = 60 }} }}"
    );
    let mut simulation = start(&scene(&text));
    run(&mut simulation, 4);
    let (mut before, mut work) = (travel(&simulation), 0.0);
    let height = pose(&simulation, 0).0.y;
    let mut last = simulation.view().constraints[0].drive;
    for _ in 0..24 {
        run(&mut simulation, 1);
        let view = simulation.view().constraints[0];
        near("turn of a frame", view.travel - before, 2.5, 2e-3);
        let expected = 4.0 * 9.81 * 0.4 * libm::cos(view.travel.to_radians());
        assert!(
            (view.drive - expected).abs() < 0.01 * 4.0 * 9.81 * 0.4,
            "{} {expected}",
            view.drive
        );
        work += 0.5 * (view.drive + last) * (view.travel - before).to_radians();
        (before, last) = (view.travel, view.drive);
    }
    near("work", work, 4.0 * 9.81 * (pose(&simulation, 0).0.y - height), 2e-3);
}

/// A damped hinge slows as `exp(-c t / I)`; backward Euler as `(1 + c h / I)^(-t / h)`, slower by
/// `(c / I)^2 t h / 2`.
#[test]
fn a_damped_hinge_slows_as_it_should() {
    // About its middle, so that nothing else than the damping acts: I = m (a^2 + c^2) / 12.
    let (inertia, damping) = (3.0 * (1.0 + 0.01) / 12.0, 0.2);
    let text = format!(
        "{SHOT}local bar = shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 1, 0.1, 0.1 }} }}, mass = 3, spin = {{ 0, 90, 0 }} }}
        shot:joint{{ kind = 'hinge', a = bar, damping = {damping} }}",
    );
    let simulation = after(&text, 24);
    let spin = simulation.view().bodies[0].spin.y / 90.0;
    let rate = damping / inertia;
    near("speed", spin, libm::exp(-rate), 1.2 * 0.5 * rate * rate * STEP);
    near("speed of backward Euler", spin, libm::pow(1.0 + rate * STEP, -1.0 / STEP), 2e-4);
}

/// What slides down stops at the end of its way and stands there with its weight.
#[test]
fn a_slider_stops_at_its_end() {
    let text = format!(
        "{HEAVY}local bead = shot:rigid{{ mesh = retake.mesh.box{{ size = 0.1 }}, mass = 2, translate = {{ 0, 2, 0 }} }}
        shot:joint{{ kind = 'slider', a = bead, limits = {{ -0.5, 0 }} }}"
    );
    let mut simulation = start(&scene(&text));
    let fall = (2.0 * 9.81 * 0.5f64).sqrt();
    let mut lowest = 0.0f64;
    for _ in 0..48 {
        run(&mut simulation, 1);
        lowest = lowest.min(travel(&simulation));
    }
    assert!(lowest > -0.5 - 1.01 * fall * STEP / RHO, "{lowest}");
    let view = simulation.view();
    assert!((view.constraints[0].travel + 0.5).abs() < 1e-5, "{}", view.constraints[0].travel);
    near("load", view.constraints[0].reaction, 2.0 * 9.81, 1e-3);
}

/// A motor that lifts on a slider pushes with the weight.
#[test]
fn a_lift_goes_up_as_fast_as_it_is_told() {
    let text = format!(
        "{HEAVY}local lift = shot:rigid{{ mesh = retake.mesh.box{{ size = 0.5 }}, mass = 50 }}
        shot:joint{{ kind = 'slider', a = lift, motor = retake.keys{{ {{ 0, 0 }}, {{ 1, 0.4, ease = 'linear' }}, {{ 2, 0.4 }} }} }}"
    );
    let simulation = after(&text, 48);
    let view = simulation.view();
    // A ramp to 0.4 m/s in a second, and a second of it; backward Euler sums speeds of ends: h / 2 more.
    near("way", view.constraints[0].travel, 0.6 + 0.2 * STEP, 1e-3);
    near("force", view.constraints[0].drive, 50.0 * 9.81, 1e-3);
}

/// A spring that draws to the level holds an arm where its moment is that of the weight:
/// `k turn = m g l cos(turn)`.
#[test]
fn a_sprung_motor_sags_under_the_weight() {
    let text = format!(
        "{HEAVY}local arm = shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.8, 0.1, 0.1 }} }}, mass = 4, translate = {{ 0.4, 0, 0 }} }}
        shot:joint{{ kind = 'hinge', a = arm, about = {{ 0, 0, 0 }}, axis = {{ 0, 0, 1 }}, motor = {{ angle = 0, stiffness = 40, damping = 12 }} }}"
    );
    let simulation = after(&text, 96);
    let turn = travel(&simulation).to_radians();
    near("moment", -40.0 * turn, 4.0 * 9.81 * 0.4 * libm::cos(turn), 2e-3);
}

/// Two bodies that a motor turns against each other turn as their inertia says, and together not at all.
#[test]
fn a_motor_between_two_free_bodies_keeps_angular_momentum() {
    let text = format!(
        "{SHOT}local a = shot:rigid{{ mesh = retake.mesh.cylinder{{ radius = 0.2, height = 0.1 }}, mass = 1, translate = {{ 0, 0.2, 0 }} }}
        local b = shot:rigid{{ mesh = retake.mesh.cylinder{{ radius = 0.2, height = 0.1 }}, mass = 3 }}
        shot:joint{{ kind = 'hinge', a = a, b = b, motor = {{ speed = 720, max_torque = 0.5 }} }}"
    );
    let mut simulation = start(&scene(&text));
    run(&mut simulation, 48);
    let view = simulation.view();
    let spin = [view.bodies[0].spin.y, view.bodies[1].spin.y];
    near("speed", spin[0] - spin[1], 720.0, 1e-4);
    near("share", spin[0], 540.0, 1e-4);
    // Rigid bodies are settled to a hundredth of the accuracy, 1e-5 m/s, here 0.004 degrees a second, in each
    // of the substeps in which the motor changes its mind.
    assert!((spin[0] + 3.0 * spin[1]).abs() < 0.04, "{spin:?}");
    // 0.5 N m bring 0.02 and 0.06 kg m^2 to 720 degrees a second in 0.377 s: whole turns are counted.
    let reduced = 1.0 / (1.0 / 0.02 + 1.0 / 0.06);
    let speeding = 720f64.to_radians() * reduced / 0.5;
    near("turns", view.constraints[0].travel, 720.0 * (2.0 - 0.5 * speeding), 0.01);
}

/// The axis of a ball leans as far as its cone lets it, whichever way.
#[test]
fn a_ball_stays_in_its_cone() {
    for push in ["4, 0, 0", "0, 0, -4", "3, 0, 3"] {
        let text = format!(
            "{HEAVY}local rod = shot:rigid{{ mesh = retake.mesh.cylinder{{ radius = 0.03, height = 0.6 }}, translate = {{ 0, -0.3, 0 }}, velocity = {{ {push} }} }}
            shot:joint{{ kind = 'ball', a = rod, about = {{ 0, 0, 0 }}, limits = 40, damping = 0.02 }}"
        );
        let mut simulation = start(&scene(&text));
        let mut most = 0.0f64;
        for _ in 0..48 {
            run(&mut simulation, 1);
            most = most.max(travel(&simulation));
        }
        // The end goes at 4.3 m/s, 7 rad/s.
        let gives = (7.5 * STEP / RHO).to_degrees();
        assert!(most > 35.0 && most < 40.0 + gives, "{push}: {most}");
        let (place, turn) = pose(&simulation, 0);
        let held = turn * DVec3::new(0.0, 0.3, 0.0) + place;
        assert!(held.length() < 1e-3, "{push}: the joint is at {held}");
    }
}

/// What a ball is damped by slows a turn about any axis alike.
#[test]
fn a_damped_ball_slows_every_turn() {
    for axis in ["90, 0, 0", "0, 90, 0", "0, 0, 90"] {
        let text = format!(
            "{SHOT}local bob = shot:rigid{{ mesh = retake.mesh.sphere{{ radius = 0.2, subdivisions = 4 }}, mass = 5, spin = {{ {axis} }} }}
            shot:joint{{ kind = 'ball', a = bob, damping = 0.1 }}"
        );
        let spin = after(&text, 24).view().bodies[0].spin.length() / 90.0;
        // 0.4 m r^2, less half a per cent for a sphere of 5120 faces.
        let rate = 0.1 / (0.4 * 5.0 * 0.04);
        near("speed", spin, libm::exp(-rate), 0.5 * rate * rate * STEP + 0.006 * rate);
    }
}

/// A tether between a least and a most is slack in between and carries the weight at its end.
#[test]
fn a_distance_is_kept_between_its_limits() {
    let text = format!(
        "{HEAVY}local hook = shot:collider{{ mesh = retake.mesh.box{{ size = 0.02 }} }}
        local bob = shot:rigid{{ mesh = retake.mesh.sphere{{ radius = 0.05 }}, mass = 2, translate = {{ 0, -0.3, 0 }} }}
        shot:joint{{ kind = 'distance', a = bob:point{{ 0, -0.25, 0 }}, b = hook:point{{ 0, -0.01, 0 }}, limits = {{ max = 0.74 }}, damping = 2 }}"
    );
    let mut simulation = start(&scene(&text));
    run(&mut simulation, 4);
    let fallen = -0.3 - pose(&simulation, 1).0.y;
    assert!(fallen > 0.12, "it does not fall freely: {fallen}");
    run(&mut simulation, 68);
    near("length", -pose(&simulation, 1).0.y - 0.05 - 0.01, 0.74, 2e-4);
    near("load", simulation.view().constraints[0].reaction, 2.0 * 9.81, 2e-3);
}

/// An angular joint leaves a turn between limits, and breaks by its moment.
#[test]
fn an_angular_joint_turns_within_limits_and_breaks_by_moment() {
    let text = |breaks: f64| {
        format!(
            "{SHOT}local a = shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.4, 0.1, 0.2 }} }}, mass = 2, velocity = {{ 1, 0, 0 }}, spin = {{ 0, 60, 0 }} }}
            shot:joint{{ kind = 'angular', a = a, axis = {{ 0, 1, 0 }}, limits = {{ -20, 20 }}, breaks_at = {breaks} }}"
        )
    };
    // It stops 1.05 rad/s of 0.033 kg m^2 in a substep: about 7 N m.
    let held = after(&text(20.0), 36);
    let view = held.view();
    // Thrown back for 1.2 s with up to two parts in `RHO` of 60 degrees a second, of an inertia that a substep that
    // looks back weighs by (3/2)^2.
    let back = 1.2 * 2.0 * 60.0 * 2.25 / RHO;
    let gone = view.constraints[0].travel;
    assert!(gone < 20.01 && gone > 20.0 - back, "{gone}");
    near("way", pose(&held, 0).0.x, 1.5, 1e-6);
    // At least half of that in one of the two substeps that share the stop.
    assert!(!view.constraints[0].broken && after(&text(3.0), 36).view().constraints[0].broken);
}

#[test]
fn a_driven_mechanism_goes_on_from_a_saved_state() {
    let scene = scene(&format!(
        "{HEAVY}shot:ground{{ height = -1 }}
        local a = shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.8, 0.1, 0.1 }} }}, translate = {{ 0.4, 0, 0 }} }}
        local b = shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.4, 0.1, 0.1 }} }}, translate = {{ 1, 0, 0 }} }}
        local far = shot:rigid{{ mesh = retake.mesh.box{{ size = 0.1 }}, translate = {{ 5, 0, 0 }} }}
        shot:joint{{ kind = 'hinge', a = far, limits = {{ -5, 5 }} }}
        shot:joint{{ kind = 'hinge', a = a, about = {{ 0, 0, 0 }}, axis = {{ 0, 0, 1 }}, limits = {{ -30, 90 }}, motor = {{ speed = 90, max_torque = 80 }} }}
        shot:joint{{ kind = 'ball', a = b, b = a, about = {{ 0.8, 0, 0 }}, axis = {{ 1, 0, 0 }}, limits = 35, damping = 0.1 }}"
    ));
    resumed(&scene, 7, 9);
}

#[test]
fn limits_and_motors_that_cannot_be_are_refused_with_the_way_out() {
    let with = |joint: &str| {
        problem(&format!(
            "{SHOT}local box = shot:rigid{{ mesh = retake.mesh.box{{}} }}\nshot:joint{{ a = box, {joint} }}"
        ))
    };
    let start = with("kind = 'hinge', limits = { 10, 30 }");
    assert!(start.contains("must hold 0") && start.contains("stand then"), "{start}");
    let order = with("kind = 'slider', limits = { 1, -1 }");
    assert!(order.contains("in order"), "{order}");
    let cone = with("kind = 'ball', limits = { -30, 30 }");
    assert!(cone.contains("at most 170 degrees"), "{cone}");
    let ball = with("kind = 'ball', motor = 30");
    assert!(ball.contains("has no `motor`"), "{ball}");
    let force = with("kind = 'hinge', motor = { speed = 3, max_force = 3 }");
    assert!(force.contains("has no `max_force`") && force.contains("`max_torque`"), "{force}");
    let both = with("kind = 'hinge', motor = { speed = 3, angle = 3 }");
    assert!(both.contains("either `speed` or `angle`"), "{both}");
    let spring = with("kind = 'slider', motor = { speed = 3, stiffness = 3 }");
    assert!(spring.contains("go with `position`"), "{spring}");
    let word = with("kind = 'hinge', motor = { spede = 3 }");
    assert!(word.contains("did you mean `speed`"), "{word}");
    let curve = with("kind = 'hinge', motor = 'fast'");
    assert!(curve.contains("`motor` in joint must be a number"), "{curve}");
    let fixed = with("kind = 'fixed', damping = 3");
    assert!(fixed.contains("has no `damping`"), "{fixed}");
    let axis = with("kind = 'angular', axis = { 1, 0, 0 }");
    assert!(axis.contains("without `limits`"), "{axis}");
}
