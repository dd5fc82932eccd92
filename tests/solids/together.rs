//! Cloth, soft and rigid bodies, ropes and joints in one world: the same bytes however they are computed.

use crate::scripted::{on_threads, resumed, run, scene, start};
use retake::scene::Scene;

fn heap() -> Scene {
    scene(
        "local shot = retake.shot{ name = 'heap', duration = 2 }
        shot:ground{}
        local sheet = shot:cloth{ mesh = retake.mesh.grid{ size = { 0.8, 0.8 }, vertices = { 11, 11 }, normal = { 0, 1, 0 } }, translate = { 0, 0.5, 0 } }
        shot:pin{ points = sheet:edge 'top' + sheet:edge 'bottom' }
        shot:soft{ mesh = retake.mesh.tet_box{ size = 0.12, cells = 2 }, translate = { 0.1, 0.6, 0 } }
        local a = shot:rigid{ mesh = retake.mesh.box{ size = 0.1 }, density = 200, translate = { -0.1, 0.58, 0 }, restitution = 0.3 }
        local b = shot:rigid{ mesh = retake.mesh.sphere{ radius = 0.05, subdivisions = 1 }, density = 200, translate = { -0.1, 0.75, 0.05 } }
        shot:joint{ kind = 'ball', a = a, b = b, about = { -0.1, 0.68, 0 } }
        local line = shot:rope{ mesh = retake.mesh.rope{ from = { -0.1, 0.58, 0.1 }, to = { 0.2, 0.58, 0.3 }, segments = 20 } }
        shot:attach{ points = line:vertices{ 0 }, to = a }
        shot:rigid{ mesh = retake.mesh.box{ size = 0.2 }, translate = { 4, 0.12, 0 }, rotate = { 0, 20, 0 } }",
    )
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let scene = heap();
    let hash = || {
        let mut simulation = start(&scene);
        run(&mut simulation, 10);
        simulation.state_hash()
    };
    let hashes = [1, 2, 3, 8].map(|threads| on_threads(threads, hash));
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
}

#[test]
fn a_saved_state_goes_on_with_the_same_bytes() {
    resumed(&heap(), 5, 5);
}

/// What falls beside it changes no byte of a heap.
#[test]
fn a_far_body_changes_nothing() {
    let near = heap();
    let mut disturbed = near.clone();
    let last = disturbed.bodies.len() - 1;
    disturbed.bodies[last].velocity.y = -1.0;
    let poses = [near, disturbed].map(|scene| {
        let mut simulation = start(&scene);
        run(&mut simulation, 10);
        [3, 4].map(|body| crate::pose(&simulation, body))
    });
    assert_eq!(poses[0], poses[1]);
}
