//! Impulses for rigid bodies (Guendelman, Bridson and Fedkiw 2003; Galante 2009, section 2.4): rows G-05 and
//! G-16 to G-23.
#![allow(missing_docs)]

#[path = "../support/scripted.rs"]
mod scripted;

use glam::{DQuat, DVec3};
use retake::math::rotation;
use retake::sim::{BodyPose, Simulation};
use scripted::{after, build, near, on_threads, resumed, run, scene, start};

fn pose(simulation: &Simulation, body: usize) -> (DVec3, DQuat) {
    match simulation.body(body) {
        BodyPose::Posed(translation, rotation) => (translation, rotation),
        BodyPose::Deformed(_) => panic!("not a rigid body"),
    }
}

fn lean(simulation: &Simulation, body: usize) -> f64 {
    rotation::angle_between(pose(simulation, body).1 * DVec3::Y, DVec3::Y).to_degrees()
}

fn shot(bodies: &str, solver: &str) -> String {
    format!(
        "local shot = retake.shot{{ name = 'i', fps = 60, duration = 20 }}
        shot:ground{{}}
        {bodies}
        shot:solver{{ method = 'impulses', guard = 'report', {solver} }}"
    )
}

/// G-19: a ball of restitution 0.5 reaches a quarter of the height that it fell from, within the way of a step
/// at the speed of the hit on both sides.
#[test]
fn a_ball_comes_back_to_a_quarter_of_its_height() {
    let ball = "shot:rigid{ mesh = retake.mesh.sphere{ radius = 0.1, subdivisions = 3 }, translate = { 0, 1.1, 0 }, restitution = 0.5 }";
    let mut simulation = start(&scene(&shot(ball, "fixed_step = 1 / 960")));
    let (mut hit, mut apex) = (false, 0.0f64);
    for _ in 0..66 {
        run(&mut simulation, 1);
        let height = pose(&simulation, 1).0.y - 0.1;
        hit |= height < 0.1;
        if hit {
            apex = apex.max(height);
        }
    }
    let way = (2.0 * 9.81f64).sqrt() / 960.0;
    assert!((apex - 0.25).abs() < 2.0 * way, "{apex}");
}

/// G-19: a block with restitution that lies on the ground stays there, within half of its contact distance.
#[test]
fn a_resting_block_does_not_jitter() {
    let block = "shot:rigid{ mesh = retake.mesh.box{ size = 0.2 }, translate = { 0, 0.1002, 0 }, restitution = 0.5 }";
    let mut simulation = start(&scene(&shot(block, "fixed_step = 1 / 240")));
    for frame in 1..=60 {
        run(&mut simulation, 1);
        let at = pose(&simulation, 1).0;
        assert!(at.distance(DVec3::new(0.0, 0.1002, 0.0)) < 1e-4, "frame {frame}: {at}");
        // Where it is a hair above its distance, it falls for a step.
        let fastest = simulation.report().fastest;
        assert!(fastest < 1.01 * 9.81 / 240.0, "frame {frame}: {fastest}");
    }
}

/// G-22 and G-55: twenty boxes stand for ten seconds, at a step of 0.030 s as well.
#[test]
fn a_tower_of_twenty_stands() {
    for step in ["1 / 60", "0.03"] {
        let text = format!(
            "local shot = retake.shot{{ name = 'tower', fps = {}, duration = 10 }}
            shot:ground{{}}
            for i = 1, 20 do
              shot:rigid{{ mesh = retake.mesh.box{{ size = 0.2 }}, translate = {{ 0, 0.2002 * i - 0.1, 0 }}, density = 700 }}
            end
            shot:solver{{ method = 'impulses', guard = 'report', fixed_step = {step}, rollback = false }}",
            if step == "0.03" { "{ 100, 3 }" } else { "60" }
        );
        let mut simulation = start(&scene(&text));
        let begin: Vec<DVec3> = (1..=20).map(|i| pose(&simulation, i).0).collect();
        run(&mut simulation, if step == "0.03" { 333 } else { 600 });
        let moved = (1..=20).map(|i| pose(&simulation, i).0.distance(begin[i - 1]));
        let moved = moved.fold(0.0, f64::max);
        let leans = (1..=20).map(|i| lean(&simulation, i)).fold(0.0, f64::max);
        println!("{step}: moved {moved}, leans {leans}, {}", simulation.report().fastest);
        assert!(
            moved < 1e-5 && leans < 1e-3,
            "{step}: moved by {moved} m, leans by {leans} degrees"
        );
    }
}

/// G-55 to G-57: at 0.030 s and without shock propagation a tower of twenty falls where no step is taken back, and stands
/// where steps are. The first bad result comes with the first step: it is taken again with 0.015 s.
#[test]
fn without_shock_propagation_a_tower_stands_by_steps_back() {
    let tower = |rollback: bool| {
        let text = format!(
            "local shot = retake.shot{{ name = 'tower', fps = {{ 100, 3 }}, duration = 10 }}
            shot:ground{{}}
            for i = 1, 20 do
              shot:rigid{{ mesh = retake.mesh.box{{ size = 0.2 }}, translate = {{ 0, 0.2002 * i - 0.1, 0 }}, density = 700 }}
            end
            shot:solver{{ method = 'impulses', guard = 'report', fixed_step = 0.03, shock = false, rollback = {rollback} }}"
        );
        let mut simulation = start(&scene(&text));
        run(&mut simulation, 1);
        let first = simulation.report().retakes.first().cloned();
        run(&mut simulation, 99);
        (
            pose(&simulation, 20).0.y,
            (1..=20).map(|i| lean(&simulation, i)).fold(0.0, f64::max),
            first,
        )
    };
    let (height, _, first) = tower(false);
    assert!(first.is_none() && height < 2.0, "{height}");
    let (height, leans, first) = tower(true);
    assert!((height - 3.904).abs() < 2e-3 && leans < 0.01, "{height} m, {leans} degrees");
    let first = first.expect("the first step is bad");
    near("the step before", first.step_before, 0.03, 1e-9);
    near("the step after", first.step_after, 0.015, 1e-9);
}

/// On a slope of 20 degrees a box stays where friction is more than tan 20 = 0.364, and slides with
/// `g (sin - mu cos)` where it is less.
#[test]
fn a_box_on_a_slope_stays_or_slides() {
    let turn = 20f64.to_radians();
    let (sin, cos) = libm::sincos(turn);
    let way = |friction: f64, frames: u32| {
        let text = format!(
            "local shot = retake.shot{{ name = 's', fps = 60, duration = 5, gravity = {{ {}, {}, 0 }} }}
            shot:collisions{{ friction = {friction} }}
            shot:ground{{}}
            shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.4, 0.2, 0.4 }} }}, translate = {{ 0, 0.1002, 0 }} }}
            shot:solver{{ method = 'impulses', guard = 'report', fixed_step = 1 / 240 }}",
            9.81 * sin,
            -9.81 * cos
        );
        pose(&after(&text, frames), 1).0.x
    };
    // Half a millimetre a second is crept, as every step finds its friction anew.
    assert!(way(0.45, 60).abs() < 5e-4, "crept by {}", way(0.45, 60));
    near("slides", way(0.3, 120) - 2.0 * way(0.3, 60), 9.81 * (sin - 0.3 * cos), 0.01);
}

/// G-05 and G-17: a bullet does not pass a thin plate. Its way in a step is fifty times the plate's thickness.
#[test]
fn a_bullet_is_stopped_by_a_plate() {
    let text = "local shot = retake.shot{ name = 'b', fps = 60, frames = 10, gravity = { 0, 0, 0 } }
        shot:collider{ name = 'plate', mesh = retake.mesh.box{ size = { 0.01, 1, 1 } } }
        shot:rigid{ name = 'bullet', mesh = retake.mesh.box{ size = 0.02 }, translate = { -1, 0, 0 }, velocity = { 120, 0, 0 } }
        shot:solver{ method = 'impulses', guard = 'report', fixed_step = 1 / 240 }";
    let mut simulation = start(&scene(text));
    for frame in 1..=10 {
        run(&mut simulation, 1);
        assert!(pose(&simulation, 1).0.x < -0.0149, "frame {frame}: {}", pose(&simulation, 1).0);
    }
}

/// G-16: beams that lie across each other on their edges hold; no vertex is near the other.
#[test]
fn crossed_beams_hold() {
    let text = "local shot = retake.shot{ name = 'x', fps = 60, frames = 60 }
        shot:collisions{ friction = 1 }
        local beam = retake.mesh.box{ size = { 2, 0.1, 0.1 } }
        shot:collider{ name = 'low', mesh = beam, rotate = { 45, 0, 0 } }
        shot:rigid{ name = 'high', mesh = beam, rotate = { 0, 90, 0 }, translate = { 0, 0.1209, 0 } }
        shot:solver{ method = 'impulses', guard = 'report', fixed_step = 1 / 240 }";
    let mut simulation = start(&scene(text));
    for frame in 1..=20 {
        run(&mut simulation, 1);
        let at = pose(&simulation, 1).0;
        assert!((at.y - 0.1209).abs() < 1e-3, "frame {frame}: {at}");
    }
}

/// G-02: a heavy body drives a light one before it, and momentum is kept; equal ones exchange their speeds.
#[test]
fn bodies_push_each_other_by_their_masses() {
    let hit = |mass: f64, restitution: f64| {
        let text = format!(
            "local shot = retake.shot{{ name = 'p', fps = 60, frames = 30, gravity = {{ 0, 0, 0 }} }}
            for i = 0, 1 do
              shot:rigid{{ mesh = retake.mesh.box{{ size = 0.2 }}, translate = {{ 0.5 * i, 0, 0 }}, velocity = {{ 2 * (1 - i), 0, 0 }},
                mass = i == 0 and {mass} or 1, restitution = {restitution} }}
            end
            shot:solver{{ method = 'impulses', guard = 'report', fixed_step = 1 / 240 }}"
        );
        let simulation = after(&text, 30);
        [0, 1].map(|i| simulation.view().bodies[i].velocity.x)
    };
    let equal = hit(1.0, 1.0);
    assert!(equal[0].abs() < 1e-9 && (equal[1] - 2.0).abs() < 1e-9, "{equal:?}");
    let heavy = hit(9.0, 0.0);
    // 9 x 2 = 10 v.
    assert!(heavy.iter().all(|v| (v - 1.8).abs() < 1e-6), "{heavy:?}");
}

/// G-20 and G-23: a heap comes to rest, and in no step is anything as deep as its contact distance of 0.2 mm:
/// nothing overlaps.
#[test]
fn a_heap_comes_to_rest() {
    let heap = "for i = 0, 11 do
          shot:rigid{ mesh = retake.mesh.box{ size = { 0.3, 0.2, 0.15 } }, translate = { 0.04 * (i % 3), 0.3 + 0.35 * i, 0.03 * (i % 2) },
            rotate = { 20 * i, 35 * i, 50 * i } }
        end";
    let mut simulation = start(&scene(&shot(heap, "fixed_step = 1 / 240")));
    let mut deepest = 0.0f64;
    for _ in 0..300 {
        run(&mut simulation, 1);
        deepest = deepest.max(simulation.report().pressed_in);
    }
    println!("deepest {deepest}, fastest {}", simulation.report().fastest);
    assert!(deepest < 1.0, "{deepest}");
    assert!(simulation.report().fastest < 0.05, "{}", simulation.report().fastest);
}

/// G-18: a spin without torque keeps its energy within 1 % over ten seconds.
#[test]
fn a_free_spin_keeps_its_energy() {
    let text =
        "local shot = retake.shot{ name = 'spin', fps = 24, duration = 10, gravity = { 0, 0, 0 } }
        shot:rigid{ mesh = retake.mesh.box{ size = { 0.4, 0.2, 0.1 } }, spin = { 2, 700, 1 } }
        shot:solver{ method = 'impulses', guard = 'report', fixed_step = 1 / 240 }";
    let mut simulation = start(&scene(text));
    let first = simulation.report().kinetic;
    for _ in 0..240 {
        run(&mut simulation, 1);
        near("energy", simulation.report().kinetic, first, 0.01);
    }
}

#[test]
fn saved_states_and_threads_change_nothing() {
    let boxes = "for i = 0, 5 do
          shot:rigid{ mesh = retake.mesh.box{ size = 0.2 }, translate = { 0.5 * (i % 2) + 0.02 * i, 0.12 + 0.3 * i, 0 }, rotate = { 0, 10 * i, 0 } }
        end";
    let scene = scene(&shot(boxes, "fixed_step = 1 / 120"));
    let hash = |threads: usize| on_threads(threads, || resumed(&scene, 10, 20).state_hash());
    assert_eq!(hash(1), hash(3));
}

#[test]
fn wrong_bodies_are_refused_with_the_way_out() {
    let refused = |bodies: &str| match build(&shot(bodies, "")) {
        Err(problems) => problems,
        Ok(built) => {
            let found = built.scene.validate();
            assert!(!found.is_empty(), "accepted: {bodies}");
            found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        }
    };
    let said = refused(
        "shot:rigid{ name = 'ring', mesh = retake.mesh.torus{ radius = 0.2, tube = 0.05 } }",
    );
    assert!(said.contains("moves convex bodies, and `ring` is none"), "{said}");
    assert!(said.contains("collision = \"hull\""), "{said}");
    let said = refused("shot:cloth{ name = 'flag', mesh = retake.mesh.grid{} }");
    assert!(said.contains("the method \"impulses\" does not move `flag`, a membrane"), "{said}");
    assert!(said.contains("\"impulses\" moves rigid bodies"), "{said}");
    let said = refused(
        "local a = shot:rigid{ name = 'a', mesh = retake.mesh.box{ size = 0.2 }, translate = { 0, 1, 0 } }
        shot:joint{ kind = 'ball', a = a, about = { 0, 1, 0 } }",
    );
    assert!(said.contains("the method \"impulses\" has no constraints"), "{said}");
}
