//! What rides on bodies that deform: it keeps its gap, and both keep their momentum.

use crate::positions;
use crate::scripted::{after, frame, problem, resumed, run, scene, start};
use glam::DVec3;
use retake::production::certificate::check_frame;
use retake::scene::Scene;
use retake::sim::{BodyPose, Simulation};

const FLOATING: &str =
    "local shot = retake.shot{ name = 'a', duration = 2, gravity = { 0, 0, 0 } }\n";

/// A soft block of 8 kg, 0.4 m wide, 0.2 m high; it flies and turns.
const SOFT: &str = "local soft = shot:soft{ name = 'soft', mesh = retake.mesh.tet_box{ size = { 0.4, 0.2, 0.4 }, \
    cells = { 4, 2, 4 } }, material = retake.material.soft{ young = 4e4, density = 250 }, \
    velocity = { 0.3, 0.2, 0 }, spin = { 20, 40, 30 } }\n";

fn cloth(name: &str, at: &str) -> String {
    format!(
        "local {name} = shot:cloth{{ name = '{name}', mesh = retake.mesh.grid{{ size = 0.4, vertices = 9, normal = {{ 0, 1, 0 }} }}, \
         translate = {at}, material = retake.material.membrane{{ young = 400, density = 0.5, bend = 1e-4 }} }}\n"
    )
}

fn places(simulation: &Simulation, scene: &Scene, body: usize) -> Vec<DVec3> {
    match simulation.body(body) {
        BodyPose::Deformed(places) => places.to_vec(),
        BodyPose::Posed(shift, turn) => {
            scene.mesh_of(body).positions.iter().map(|p| turn * *p + shift).collect()
        }
    }
}

/// How far each of the `points` of `rider` is from the surface of `to` [m].
fn gaps(
    simulation: &Simulation,
    scene: &Scene,
    rider: usize,
    points: &[usize],
    to: usize,
) -> Vec<f64> {
    let mut surface = scene.mesh_of(to).clone();
    surface.positions = places(simulation, scene, to);
    let own = places(simulation, scene, rider);
    points.iter().map(|i| surface.closest(own[*i]).unwrap().distance).collect()
}

/// Runs a scene in which body 1 rides on body 0 by the vertices that are nearer to it than 2 cm, `count` of them,
/// both free, with these masses [kg]: the gaps stay within half a millimetre, the centre of mass goes straight on as
/// well as the solver's tolerance lets what is joined and turns, and nothing crosses.
fn rides(text: &str, count: usize, masses: [f64; 2]) {
    let scene = scene(&format!("{FLOATING}{text}"));
    let mut simulation = start(&scene);
    let all: Vec<usize> = (0..scene.mesh_of(1).positions.len()).collect();
    let near = gaps(&simulation, &scene, 1, &all, 0);
    let points: Vec<usize> = all.into_iter().filter(|i| near[*i] < 0.02 && count > 0).collect();
    assert_eq!(points.len(), count);
    let before = gaps(&simulation, &scene, 1, &points, 0);
    let middle = |simulation: &Simulation| -> DVec3 {
        let view = simulation.view();
        let of = |i: usize| view.bodies[i].position * masses[i];
        (of(0) + of(1)) / (masses[0] + masses[1])
    };
    let from = middle(&simulation);
    let velocity = DVec3::new(0.3, 0.2, 0.0) * masses[0] / (masses[0] + masses[1]);
    for _ in 0..4 {
        run(&mut simulation, 6);
        for (before, now) in before.iter().zip(gaps(&simulation, &scene, 1, &points, 0)) {
            assert!((now - before).abs() < 5e-4, "{before} {now}");
        }
        assert_eq!(check_frame(&scene, &frame(&scene, &simulation)), []);
    }
    let off = middle(&simulation) - from - velocity * simulation.time();
    assert!(off.length() < 0.03 * velocity.length() * simulation.time(), "{off}");
    let moved = middle(&simulation).distance(from);
    assert!(moved > 0.2, "{moved}");
}

#[test]
fn a_cloth_rides_on_a_soft_body() {
    let text = format!(
        "{SOFT}{}shot:attach{{ points = sheet:all(), to = soft }}",
        cloth("sheet", "{ 0, 0.108, 0 }")
    );
    rides(&text, 81, [8.0, 0.08]);
}

/// One edge rides, the rest flaps behind.
#[test]
fn the_edge_of_a_cloth_rides_on_a_soft_body() {
    let text = format!(
        "{SOFT}{}shot:attach{{ points = sheet:edge 'left', to = soft }}",
        cloth("sheet", "{ 0.4, 0.105, 0 }")
    );
    rides(&text, 9, [8.0, 0.08]);
}

const FLYING_CLOTH: &str = "local sheet = shot:cloth{ name = 'sheet', mesh = retake.mesh.grid{ size = 0.4, vertices = 9, normal = { 0, 1, 0 } }, \
     material = retake.material.membrane{ young = 400, density = 2, bend = 1e-3 }, velocity = { 0.3, 0.2, 0 }, spin = { 0, 30, 20 } }\n";

#[test]
fn the_end_of_a_rope_rides_on_a_cloth() {
    let text = format!(
        "{FLYING_CLOTH}local line = shot:rope{{ name = 'line', mesh = retake.mesh.rope{{ from = {{ 0.06, 0.012, 0.03 }}, to = {{ 0.06, 0.4, 0.03 }}, segments = 10 }}, \
         radius = 0.004, density = 1000 }}
         shot:attach{{ points = line:vertices{{ 0 }}, to = sheet }}"
    );
    rides(&text, 1, [0.32, 1000.0 * std::f64::consts::PI * 16e-6 * 0.388]);
}

#[test]
fn a_rigid_body_rides_on_a_cloth() {
    let text = format!(
        "{FLYING_CLOTH}local badge = shot:rigid{{ name = 'badge', mesh = retake.mesh.box{{ size = {{ 0.06, 0.01, 0.06 }} }}, mass = 0.05, \
         translate = {{ 0.02, 0.009, 0.01 }} }}
         shot:attach{{ points = badge:where(function(p) return p.y < 0.006 end), to = sheet }}"
    );
    rides(&text, 8, [0.32, 0.05]);
}

/// A place that is no vertex rides as well.
#[test]
fn a_place_of_a_rigid_body_rides_on_a_soft_one() {
    let text = format!(
        "{SOFT}local box = shot:rigid{{ name = 'box', mesh = retake.mesh.box{{ size = 0.1 }}, mass = 1, translate = {{ 0.05, 0.155, 0.02 }} }}
         shot:attach{{ points = box:point{{ 0.06, 0.105, 0.03 }}, to = soft }}"
    );
    rides(&text, 0, [8.0, 1.0]);
    let scene = scene(&format!("{FLOATING}{text}"));
    let mut simulation = start(&scene);
    let place = |simulation: &Simulation| {
        let BodyPose::Posed(shift, turn) = simulation.body(1) else { panic!("rigid") };
        turn * DVec3::new(0.01, -0.05, 0.01) + shift
    };
    run(&mut simulation, 24);
    let mut surface = scene.mesh_of(0).clone();
    surface.positions = positions(&simulation, 0);
    let gap = surface.closest(place(&simulation)).unwrap().distance;
    assert!((gap - 0.005).abs() < 5e-4, "{gap}");
}

#[test]
fn a_soft_body_rides_on_a_rigid_one() {
    let text = "local plate = shot:rigid{ name = 'plate', mesh = retake.mesh.box{ size = { 0.5, 0.05, 0.5 } }, mass = 4, velocity = { 0.3, 0.2, 0 }, spin = { 20, 40, 30 } }
         local soft = shot:soft{ name = 'soft', mesh = retake.mesh.tet_box{ size = 0.2, cells = 2 }, \
         material = retake.material.soft{ young = 4e4, density = 250 }, translate = { 0, 0.13, 0 } }
         shot:attach{ points = soft:where(function(p) return p.y < 0.04 end), to = plate }";
    rides(text, 9, [4.0, 2.0]);
}

#[test]
fn a_patch_rides_on_a_cloth() {
    let text = format!(
        "{FLYING_CLOTH}local patch = shot:cloth{{ name = 'patch', mesh = retake.mesh.grid{{ size = 0.1, vertices = 3, normal = {{ 0, 1, 0 }} }}, \
         translate = {{ 0.03, 0.008, 0.02 }}, material = retake.material.membrane{{ young = 400, density = 0.5, bend = 1e-4 }} }}
         shot:attach{{ points = patch:all(), to = sheet }}"
    );
    rides(&text, 9, [0.32, 0.005]);
}

#[test]
fn a_soft_body_rides_on_a_soft_one() {
    let text = format!(
        "{SOFT}local top = shot:soft{{ name = 'top', mesh = retake.mesh.tet_box{{ size = 0.2, cells = 2 }}, translate = {{ 0, 0.208, 0 }}, \
         material = retake.material.soft{{ young = 4e4, density = 100 }} }}
         shot:attach{{ points = top:where(function(p) return p.y < 0.12 end), to = soft }}"
    );
    rides(&text, 9, [8.0, 0.8]);
}

#[test]
fn a_soft_body_rides_on_a_cloth() {
    let text = format!(
        "{FLYING_CLOTH}local gem = shot:soft{{ name = 'gem', mesh = retake.mesh.tet_box{{ size = 0.06, cells = 1 }}, translate = {{ 0.02, 0.038, 0.01 }}, \
         material = retake.material.soft{{ young = 4e4, density = 200 }} }}
         shot:attach{{ points = gem:where(function(p) return p.y < 0.02 end), to = sheet }}"
    );
    rides(&text, 4, [0.32, 200.0 * 0.06 * 0.06 * 0.06]);
}

#[test]
fn a_rigid_body_rides_on_a_rigid_one() {
    let text = "local plate = shot:rigid{ name = 'plate', mesh = retake.mesh.box{ size = { 0.5, 0.05, 0.5 } }, mass = 4, velocity = { 0.3, 0.2, 0 }, spin = { 20, 40, 30 } }
         local box = shot:rigid{ name = 'box', mesh = retake.mesh.box{ size = 0.1 }, mass = 1, translate = { 0.1, 0.083, 0 } }
         shot:attach{ points = box:where(function(p) return p.y < 0.04 end), to = plate }";
    rides(text, 4, [4.0, 1.0]);
}

#[test]
fn the_end_of_a_rope_rides_on_a_soft_body() {
    let text = format!(
        "{SOFT}local tail = shot:rope{{ name = 'tail', mesh = retake.mesh.rope{{ from = {{ 0.07, 0.11, 0 }}, to = {{ 0.07, 0.5, 0 }}, segments = 10 }}, \
         radius = 0.004, density = 1000 }}
         shot:attach{{ points = tail:vertices{{ 0 }}, to = soft }}"
    );
    rides(&text, 1, [8.0, 1000.0 * std::f64::consts::PI * 16e-6 * 0.39]);
}

const HANGING: &str = "local shot = retake.shot{ name = 'a', duration = 4 }
    local sheet = shot:cloth{ name = 'sheet', mesh = retake.mesh.grid{ size = 0.4, vertices = 9, normal = { 0, 1, 0 } } }
    shot:pin{ points = sheet:edge 'left' + sheet:edge 'right' }
    local line = shot:rope{ name = 'line', mesh = retake.mesh.rope{ from = { 0, -0.012, 0 }, to = { 0, -0.4, 0 }, segments = 10 }, radius = 0.004, density = 1000 }
    shot:drag{ linear = 3 }\n";

/// Half a newton or so hangs on it: it holds that, and breaks, ends and yields as other constraints do.
#[test]
fn what_rides_on_a_cloth_can_break_and_end() {
    let weight = 9.81 * 1000.0 * std::f64::consts::PI * 16e-6 * 0.388;
    let hung = |more: &str| {
        let text =
            format!("{HANGING}shot:attach{{ points = line:vertices{{ 0 }}, to = sheet{more} }}");
        let simulation = after(&text, 72);
        let view = simulation.view();
        (view.constraints[1].reaction, view.constraints[1].broken, positions(&simulation, 1)[0].y)
    };
    let (held, broken, y) = hung("");
    assert!((held / weight - 1.0).abs() < 0.02 && !broken, "{held} {weight}");
    let y_held = y;
    assert!(y > -0.2);
    let (_, broken, y) = hung(&format!(", breaks_at = {}", 0.5 * weight));
    assert!(broken && y < -1.0, "{y}");
    let (_, broken, y) = hung(", ends = 1");
    assert!(!broken && y < -1.0, "{y}");
    let (held, _, soft) = hung(", stiffness = 5");
    assert!((held / weight - 1.0).abs() < 0.02, "{held} {weight}");
    assert!((y_held - soft - 0.2 * weight).abs() < 4e-3, "{y_held} {soft}");
}

/// Without a turn, what a cloth that shrinks does to the block that carries it leaves the momentum of both as it is.
#[test]
fn inner_forces_leave_the_momentum() {
    let text = format!(
        "{FLOATING}{}{}shot:attach{{ points = sheet:all(), to = soft }}",
        SOFT.replace("spin = { 20, 40, 30 }", "spin = { 0, 0, 0 }"),
        cloth("sheet", "{ 0, 0.108, 0 }")
            .replace("bend = 1e-4 }", "bend = 1e-4 }, shrink = 0.97, velocity = { 0.3, 0.2, 0 }")
    );
    let mut simulation = start(&scene(&text));
    run(&mut simulation, 24);
    let momentum = DVec3::from(simulation.report().momentum);
    let expected = DVec3::new(0.3, 0.2, 0.0) * 8.08;
    assert!((momentum - expected).length() < 5e-4 * expected.length(), "{momentum} {expected}");
}

/// It takes hold where it is by then, and a run that is taken up goes on as it would have.
#[test]
fn what_rides_takes_hold_late_and_is_resumed() {
    let text = format!(
        "{FLOATING}{SOFT}{}shot:attach{{ points = sheet:edge 'left', to = soft, starts = 0.25 }}",
        cloth("sheet", "{ 0.4, 0.105, 0 }")
    );
    resumed(&scene(&text), 9, 6);
}

#[test]
fn nothing_rides_on_itself() {
    let text =
        format!("{FLOATING}{SOFT}shot:attach{{ points = soft:point{{ 0, 0, 0 }}, to = soft }}");
    assert!(problem(&text).contains("cannot ride on `soft` itself"));
}
