//! How fast the engine's own method comes nearer with shorter steps.

use crate::scripted::measured;
use crate::{positions, run, scenes, start};
use glam::DVec3;
use retake::scene::{BodyKind, ClothMaterial, RestShape};

/// A sheet held by its upper edge, let go at 17 degrees, after half a second.
fn swung(steps: u32) -> Vec<DVec3> {
    let mut scene = scenes::empty("swing", 3.0);
    scene.collisions.self_contact = false;
    scene.solver.fixed_step = Some(1.0 / 24.0 / f64::from(steps));
    // What is left undone in a step is far below what the step itself leaves out.
    scene.solver.accuracy = 1e-6;
    let mut mesh = scenes::hanging(9, 0.5);
    for p in &mut mesh.positions {
        let down = 0.25 - p.y;
        *p = DVec3::new(p.x, 0.25 - down * libm::cos(0.3), down * libm::sin(0.3));
    }
    let body = scenes::add(&mut scene, "sheet", mesh, scenes::cotton());
    if let BodyKind::Cloth(cloth) = &mut scene.bodies[body].kind {
        cloth.rest = RestShape::Flat;
        if let ClothMaterial::Membrane(m) = &mut cloth.material {
            m.damping = 0.01;
        }
    }
    scenes::pin(&mut scene, body, (0..9).collect());
    let mut simulation = start(&scene);
    run(&mut simulation, 12);
    positions(&simulation, body)
}

/// Backward Euler is of first order: half the step, half the error. The differences between runs of 4, 8, 16, 32, 64
/// and 128 steps a frame halve as the errors do. A single halving may be off by a quarter, because the sheet's
/// waves, which long steps do not resolve, are in it; over four of them the order is 1 within a tenth.
#[test]
fn half_the_step_leaves_half_the_error() {
    let runs = [4, 8, 16, 32, 64, 128].map(swung);
    let apart = |a: &[DVec3], b: &[DVec3]| {
        let sum: f64 = a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum();
        (sum / a.len() as f64).sqrt()
    };
    let halves: Vec<f64> = runs.windows(2).map(|w| apart(&w[0], &w[1])).collect();
    let order = (halves[0] / halves[4]).log2() / 4.0;
    measured("order of a swinging sheet", order, 1.0);
    assert!((order - 1.0).abs() < 0.1, "{order}: {halves:?}");
    for pair in halves.windows(2) {
        let slope = (pair[0] / pair[1]).log2();
        assert!((slope - 1.0).abs() < 0.3, "{slope}: {halves:?}");
    }
}
