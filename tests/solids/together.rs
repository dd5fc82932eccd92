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
    let hashes = [1, 2, 3, 8, 64].map(|threads| on_threads(threads, hash));
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

/// Two heaps of all kinds of bodies, twelve metres apart, are two worlds: what falls into one changes no byte of
/// the other.
#[test]
fn a_push_on_one_heap_changes_no_byte_of_the_other() {
    let text = "local shot = retake.shot{ name = 'heaps', duration = 2 }
        shot:ground{}
        shot:collisions{ thickness = 0.003 }
        for heap = 0, 1 do
          local x = 12 * heap
          local box = shot:rigid{ mesh = retake.mesh.box{ size = 0.1 }, density = 300, translate = { x, 0.06, 0 } }
          shot:soft{ mesh = retake.mesh.tet_box{ size = 0.1, cells = 2 }, translate = { x + 0.02, 0.18, 0 } }
          local line = shot:rope{ mesh = retake.mesh.rope{ from = { x - 0.1, 0.3, 0 }, to = { x + 0.1, 0.3, 0.02 }, segments = 16 }, twist = 1e-3 }
          shot:pin{ points = line:vertices{ 0 } }
          shot:attach{ points = line:vertices{ 16 }, to = box }
          shot:cloth{ mesh = retake.mesh.grid{ size = { 0.3, 0.3 }, vertices = { 7, 7 }, normal = { 0, 1, 0 } }, translate = { x, 0.36, 0 } }
        end";
    let near = scene(text);
    let mut disturbed = near.clone();
    let last = disturbed.bodies.len() - 1;
    disturbed.bodies[last].velocity = glam::DVec3::new(0.5, -2.0, 0.3);
    let half = near.bodies.len() / 2;
    let [calm, stirred] = [near, disturbed].map(|scene| {
        let mut simulation = start(&scene);
        run(&mut simulation, 12);
        simulation
    });
    for body in 0..=half {
        assert_eq!(calm.body(body), stirred.body(body), "body {body}");
    }
    assert_ne!(calm.body(last), stirred.body(last));
}
