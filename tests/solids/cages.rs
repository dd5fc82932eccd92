//! Soft bodies whose surface is carried by coarser tetrahedra.

use crate::positions;
use crate::scripted::{near, on_threads, problem, resumed, run, scene, start};
use glam::DVec3;

/// Of a bar of one cell a side, the surface does what the cells do: it hangs longer by `rho g L^2 / 2 E`,
/// here 1 %, and only it is there for the rest of the program. A surface a little outside is carried as well.
#[test]
fn a_surface_goes_with_its_cage() {
    let text = "local shot = retake.shot{ name = 'bar', duration = 4 }
        local bar = shot:soft{ mesh = retake.mesh.tet_box{ size = { 0.1, 1, 0.1 }, cells = { 2, 20, 2 } },
          surface = retake.mesh.box{ size = { 0.11, 1, 0.11 }, cells = { 3, 33, 3 } },
          material = retake.material.soft{ young = 4.905e5, poisson = 0.3, damping = 0.05 } }
        shot:pin{ points = bar:where(function(p) return p.y > 0.499 end) }";
    let scene = scene(text);
    let mut simulation = start(&scene);
    run(&mut simulation, 96);
    let x = positions(&simulation, 0);
    assert_eq!(x.len(), scene.mesh_of(0).positions.len());
    let low = x.iter().fold(f64::INFINITY, |m, p| m.min(p.y));
    // The pin holds the cells under the points, which are a twentieth of the length.
    near("longer", -0.5 - low, 0.01, 0.12);
    for (p, rest) in x.iter().zip(&scene.mesh_of(0).positions) {
        if rest.y > 0.499 {
            assert!(p.distance(*rest) < 1e-9, "a pinned point has left its place: {p} {rest}");
        }
    }
}

const HEAP: &str = "local shot = retake.shot{ name = 'heap', duration = 2 }
    shot:ground{}
    local ring = retake.mesh.torus{ radius = 0.12, tube = 0.05, segments = 24, rings = 12 }
    local ball = retake.mesh.sphere{ radius = 0.1, subdivisions = 2 }
    local foam = retake.material.soft{ young = 3e4, damping = 0.02 }
    shot:soft{ name = 'ring', mesh = ring:tetrahedralized{ spacing = 0.06 }, surface = ring, material = foam, translate = { 0, 0.06, 0 }, thickness = 0.002 }
    shot:soft{ name = 'ball', mesh = ball:tetrahedralized{ spacing = 0.09 }, surface = ball, material = foam, translate = { 0.02, 0.24, 0 }, thickness = 0.002 }
    shot:rigid{ name = 'box', mesh = retake.mesh.box{ size = 0.08 }, density = 500, translate = { 0, 0.42, 0 }, rotate = { 10, 20, 30 } }";

/// Surfaces meet surfaces, and the bytes are the same however they are computed.
#[test]
fn a_heap_is_the_same_for_any_threads_and_from_a_saved_state() {
    let scene = scene(HEAP);
    let [whole, other] = [1, 3].map(|threads| on_threads(threads, || resumed(&scene, 4, 4)));
    assert_eq!(whole.state_hash(), other.state_hash());
    let highest = positions(&whole, 2).iter().fold(0.0, |m: f64, p| m.max(p.y));
    assert!(highest < 0.36, "the ball has fallen: {highest}");
}

#[test]
fn a_ball_sewn_to_a_ring_hangs_from_it() {
    let text = HEAP
        .replace("shot:ground{}", "")
        .replace("shot:soft{ name = 'ring'", "local r = shot:soft{ name = 'ring'")
        .replace("shot:soft{ name = 'ball'", "local b = shot:soft{ name = 'ball'")
        .replace("translate = { 0.02, 0.24, 0 }", "translate = { 0.12, -0.1, 0 }")
        + "
        shot:pin{ points = r:all() }
        shot:stitch{ a = b:where(function(p) return p.y > -0.02 end), b = r:all(), gap = 'keep' }";
    let scene = scene(&text);
    let mut simulation = start(&scene);
    run(&mut simulation, 36);
    let x = positions(&simulation, 1);
    let center = x.iter().sum::<DVec3>() / x.len() as f64;
    assert!(center.distance(DVec3::new(0.12, -0.1, 0.0)) < 0.04, "{center}");
}

#[test]
fn what_does_not_fit_is_said() {
    let told = problem(
        "local shot = retake.shot{ name = 'one', duration = 1 }
        local ball = retake.mesh.sphere{ radius = 0.1 }
        shot:soft{ mesh = ball }",
    );
    assert!(told.contains("`mesh = toy:tetrahedralized{ spacing = 0.05 }`"), "{told}");
    let told = problem(
        "local shot = retake.shot{ name = 'one', duration = 1 }
        local ball = retake.mesh.sphere{ radius = 0.1 }
        shot:soft{ name = 'ball', mesh = ball:tetrahedralized{ spacing = 0.05 }, surface = ball:moved{ translate = { 1, 0, 0 } } }",
    );
    assert!(told.contains("reaches 1.000 m") && told.contains("out of its `mesh`"), "{told}");
    let told = problem(
        "local shot = retake.shot{ name = 'one', duration = 1 }
        local sheet = retake.mesh.grid{ size = { 1, 1 } }
        shot:soft{ mesh = sheet:tetrahedralized{ spacing = 0.05 } }",
    );
    assert!(told.contains("not closed: it has an open edge at ("), "{told}");
}
