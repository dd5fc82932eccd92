//! Five small shots come out as the committed hashes say, on any number of threads.
//!
//! A change of the solver changes them: look at what moved, then run this test with `RETAKE_UPDATE=1`.
#![allow(missing_docs)]

#[path = "support/scripted.rs"]
mod scripted;

use retake::sim::{BodyPose, Simulation};
use scripted::{on_threads, run, scene, start};
use std::fmt::Write;

/// Name and script of each shot.
const SHOTS: [(&str, &str); 5] = [
    (
        "cloth drop",
        "local shot = retake.shot{ name = 'cloth', duration = 2 }
        shot:collider{ mesh = retake.mesh.sphere{ radius = 0.3, subdivisions = 3 } }
        shot:cloth{ mesh = retake.mesh.grid{ size = 1, vertices = { 16, 16 }, normal = { 0, 1, 0 }, center = { 0.02, 0.34, 0.01 } } }",
    ),
    (
        "stacked boxes",
        "local shot = retake.shot{ name = 'boxes', duration = 2 }
        shot:ground{}
        for i = 0, 5 do
          shot:rigid{ mesh = retake.mesh.box{ size = 0.2 }, translate = { 0.03 * i, 0.105 + 0.21 * i, 0.01 * i }, rotate = { 0, 7 * i, 0 } }
        end",
    ),
    (
        "soft ball",
        "local shot = retake.shot{ name = 'ball', duration = 2 }
        shot:ground{}
        shot:soft{ mesh = retake.mesh.tet_ball{ radius = 0.2, cells = 4 }, translate = { 0, 0.5, 0 }, velocity = { 0.5, 0, 0 },
          material = retake.material.soft{ young = 2e4, damping = 0.01 } }",
    ),
    (
        "rope",
        "local shot = retake.shot{ name = 'rope', duration = 2 }
        shot:collider{ mesh = retake.mesh.cylinder{ radius = 0.1, height = 0.6 }, rotate = { 90, 0, 0 }, translate = { 0.1, -0.3, 0 } }
        local line = shot:rope{ mesh = retake.mesh.rope{ from = { -0.8, 0, 0.02 }, to = { 0.8, 0, 0 }, segments = 40 }, radius = 0.01 }
        shot:pin{ points = line:vertices{ 0 } }",
    ),
    (
        "joint chain",
        "local shot = retake.shot{ name = 'chain', duration = 2 }
        local last
        for i = 1, 6 do
          local link = shot:rigid{ mesh = retake.mesh.box{ size = { 0.2, 0.05, 0.05 } }, translate = { 0.2 * i - 0.1, 0, 0 } }
          shot:joint{ kind = i % 2 == 0 and 'hinge' or 'ball', a = link, b = last, about = { 0.2 * (i - 1), 0, 0 }, axis = i % 2 == 0 and { 0, 0, 1 } or nil }
          last = link
        end",
    ),
];

/// Adds the bits of every number of the present frame.
fn add(simulation: &Simulation, bodies: usize, hash: &mut blake3::Hasher) {
    let mut number = |value: f64| {
        hash.update(&value.to_bits().to_le_bytes());
    };
    for body in 0..bodies {
        match simulation.body(body) {
            BodyPose::Deformed(positions) => {
                positions.iter().flat_map(glam::DVec3::to_array).for_each(&mut number);
            }
            BodyPose::Posed(place, turn) => {
                place.to_array().into_iter().chain(turn.to_array()).for_each(&mut number);
            }
        }
    }
}

/// Hash of all positions of a second of film.
fn hash(text: &str) -> String {
    let scene = scene(text);
    let mut simulation = start(&scene);
    let mut hash = blake3::Hasher::new();
    for _ in 0..24 {
        run(&mut simulation, 1);
        add(&simulation, scene.bodies.len(), &mut hash);
    }
    hash.finalize().to_hex().to_string()
}

#[test]
fn shots_come_out_as_the_committed_hashes_say_on_any_number_of_threads() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hashes.txt");
    let mut found = String::new();
    for (name, text) in SHOTS {
        let hashes = [1, 2, 3, 8].map(|threads| on_threads(threads, || hash(text)));
        assert!(hashes.iter().all(|h| *h == hashes[0]), "{name}: threads matter: {hashes:?}");
        let _ = writeln!(found, "{} {name}", hashes[0]);
    }
    if std::env::var_os("RETAKE_UPDATE").is_some() {
        std::fs::write(path, &found).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(
        committed, found,
        "tests/hashes.txt is not what comes out: where that was meant, run this test with RETAKE_UPDATE=1"
    );
}
