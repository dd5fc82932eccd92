//! Stitches between bodies of all kinds that are free, and what rides on a rope: they close or keep their distance, and
//! both keep their momentum.

use crate::scripted::{frame, run, scene, start};
use glam::DVec3;
use retake::production::certificate::check_frame;
use retake::sim::{BodyPose, Simulation};

/// Thickness of the bodies, but for a rope [m].
const THICKNESS: f64 = 0.002;

/// Two free bodies of this mass together [kg], of which the vertices nearest to these places are sewn together and come
/// to the contact `distance` [m].
fn sewn(bodies: &str, seams: &[[[f64; 3]; 2]], mass: f64, distance: f64) {
    let stitch = |[[x, y, z], [u, v, w]]: &[[f64; 3]; 2]| {
        format!(
            "shot:stitch{{ a = one:nearest{{ {x}, {y}, {z} }}, b = other:nearest{{ {u}, {v}, {w} }}, gap = 'close' }}\n"
        )
    };
    let stitches: String = seams.iter().map(stitch).collect();
    joined(&format!("{bodies}{stitches}"), seams, mass, distance);
}

/// Runs a scene of two free bodies of this mass together [kg], of which the vertices nearest to these places end up at
/// this `distance` [m]; the momentum is kept as well as the solver's tolerance lets it, and nothing crosses.
fn joined(text: &str, pairs: &[[[f64; 3]; 2]], mass: f64, distance: f64) {
    let text = format!(
        "local shot = retake.shot{{ name = 'joined', duration = 2, gravity = {{ 0, 0, 0 }} }}
        shot:collisions{{ thickness = {THICKNESS} }}
        {}",
        text.replace("FLIES", "velocity = { 0.3, 0.2, 0 }")
    );
    let scene = scene(&text);
    let mut simulation = start(&scene);
    let places = |simulation: &Simulation, body: usize| -> Vec<DVec3> {
        match simulation.body(body) {
            BodyPose::Deformed(places) => places.to_vec(),
            BodyPose::Posed(shift, turn) => {
                scene.mesh_of(body).positions.iter().map(|p| turn * *p + shift).collect()
            }
        }
    };
    let nearest = |body: usize, place: [f64; 3]| {
        let far = |p: &DVec3| p.distance(place.into());
        let own = places(&simulation, body);
        let of = |i: usize| far(&own[i]);
        (0..own.len()).min_by(|i, j| of(*i).total_cmp(&of(*j))).unwrap()
    };
    let pairs: Vec<[usize; 2]> =
        pairs.iter().map(|[a, b]| [nearest(0, *a), nearest(1, *b)]).collect();
    for _ in 0..6 {
        run(&mut simulation, 6);
        assert_eq!(check_frame(&scene, &frame(&scene, &simulation)), []);
    }
    let (one, other) = (places(&simulation, 0), places(&simulation, 1));
    for [a, b] in pairs {
        let apart = one[a].distance(other[b]);
        assert!((apart - distance).abs() < 0.5 * THICKNESS, "{a}, {b}: {apart} m apart");
    }
    let momentum = DVec3::from(simulation.report().momentum);
    let expected = DVec3::new(0.3, 0.2, 0.0) * mass;
    assert!((momentum - expected).length() < 0.03 * expected.length(), "{momentum} {expected}");
}

const PLATE: &str = "local one = shot:rigid{ name = 'plate', mesh = retake.mesh.box{ size = { 0.4, 0.02, 0.4 } }, mass = 0.5, FLIES }\n";

/// A cube of 0.8 kg.
const BLOCK: &str = "local one = shot:soft{ name = 'block', mesh = retake.mesh.tet_box{ size = 0.2, cells = 1 }, \
    material = retake.material.soft{ young = 4e4, density = 100 }, FLIES }\n";

/// A square of 0.08 kg, 1 cm over the plate and the block.
fn cloth(y: f64) -> String {
    format!(
        "local other = shot:cloth{{ name = 'cloth', mesh = retake.mesh.grid{{ size = 0.4, vertices = 9, normal = {{ 0, 1, 0 }} }}, \
         translate = {{ 0, {y}, 0 }}, material = retake.material.membrane{{ young = 400, density = 0.5, bend = 1e-4 }}, FLIES }}\n"
    )
}

#[test]
fn a_cloth_is_sewn_to_a_rigid_body() {
    let seams = [[-0.2, -0.2], [-0.2, 0.2], [0.2, -0.2], [0.2, 0.2]]
        .map(|[x, z]| [[x, 0.01, z], [x, 0.02, z]]);
    sewn(&format!("{PLATE}{}", cloth(0.02)), &seams, 0.58, THICKNESS);
}

#[test]
fn a_cloth_is_sewn_to_a_soft_body() {
    let seams = [[-0.1, -0.1], [-0.1, 0.1], [0.1, -0.1], [0.1, 0.1]]
        .map(|[x, z]| [[x, 0.1, z], [x, 0.11, z]]);
    sewn(&format!("{BLOCK}{}", cloth(0.11)), &seams, 0.88, THICKNESS);
}

#[test]
fn soft_bodies_are_sewn_together() {
    let other = "local other = shot:soft{ name = 'other', mesh = retake.mesh.tet_box{ size = 0.2, cells = 1 }, \
        material = retake.material.soft{ young = 4e4, density = 50 }, translate = { 0, 0.21, 0 }, FLIES }";
    let seams = [[-0.1, -0.1], [-0.1, 0.1], [0.1, -0.1], [0.1, 0.1]]
        .map(|[x, z]| [[x, 0.1, z], [x, 0.11, z]]);
    sewn(&format!("{BLOCK}{other}\n"), &seams, 1.2, THICKNESS);
}

#[test]
fn rigid_bodies_are_sewn_together() {
    let other = "local other = shot:rigid{ name = 'other', mesh = retake.mesh.box{ size = 0.1 }, mass = 0.25, translate = { 0.26, 0.05, 0 }, FLIES }";
    sewn(&format!("{PLATE}{other}\n"), &[[[0.2, 0.01, 0.2], [0.21, 0.0, 0.05]]], 0.75, THICKNESS);
}

#[test]
fn a_rope_is_sewn_to_a_rigid_body() {
    let other = "local other = shot:rope{ name = 'line', mesh = retake.mesh.rope{ from = { 0.2, 0.03, 0.2 }, to = { 0.2, 0.43, 0.2 }, segments = 10 }, \
        radius = 0.004, density = 1000, FLIES }";
    let mass = 1000.0 * std::f64::consts::PI * 16e-6 * 0.4;
    sewn(
        &format!("{PLATE}{other}"),
        &[[[0.2, 0.01, 0.2], [0.2, 0.03, 0.2]]],
        0.5 + mass,
        0.5 * THICKNESS + 0.004,
    );
}

/// A rope of 0.2 kg and 0.6 m with a vertex every 5 cm, which turns.
const ROPE: &str = "local one = shot:rope{ name = 'line', mesh = retake.mesh.rope{ from = { -0.3, 0, 0 }, to = { 0.3, 0, 0 }, segments = 12 }, \
     radius = 0.0103, density = 1000, FLIES, spin = { 0, 20, 40 } }\n";

#[test]
fn a_rigid_body_rides_on_a_rope() {
    let other = "local other = shot:rigid{ name = 'bead', mesh = retake.mesh.box{ size = 0.04 }, mass = 0.05, translate = { 0.07, 0.035, 0.02 }, FLIES }
        shot:attach{ points = other:nearest{ 0.05, 0.015, 0 } + other:nearest{ 0.09, 0.015, 0 }, to = one }";
    let at = [0.05, 0.015, 0.0];
    joined(&format!("{ROPE}{other}"), &[[[0.05, 0.0, 0.0], at]], 0.25, 0.015);
}

#[test]
fn the_edge_of_a_cloth_rides_on_a_rope() {
    let other = "local other = shot:cloth{ name = 'flag', mesh = retake.mesh.grid{ size = 0.4, vertices = 9, normal = { 0, 0, 1 } }, translate = { 0, 0.215, 0 }, \
        material = retake.material.membrane{ young = 400, density = 0.5, bend = 1e-4 }, FLIES }
        shot:attach{ points = other:edge 'bottom', to = one }";
    let pairs: Vec<[[f64; 3]; 2]> = (0..9)
        .map(|k| 0.05 * f64::from(k) - 0.2)
        .map(|x| [[x, 0.0, 0.0], [x, 0.015, 0.0]])
        .collect();
    joined(&format!("{ROPE}{other}"), &pairs, 0.28, 0.015);
}

#[test]
fn the_end_of_a_rope_rides_on_a_rope() {
    let other = "local other = shot:rope{ name = 'tail', mesh = retake.mesh.rope{ from = { 0.05, 0.018, 0 }, to = { 0.05, 0.4, 0 }, segments = 10 }, \
        radius = 0.004, density = 1000, FLIES }
        shot:attach{ points = other:vertices{ 0 }, to = one }";
    let mass = 0.2 + 1000.0 * std::f64::consts::PI * 16e-6 * 0.382;
    joined(&format!("{ROPE}{other}"), &[[[0.05, 0.0, 0.0], [0.05, 0.018, 0.0]]], mass, 0.018);
}
