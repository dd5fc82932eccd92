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
            m.damping = retake::scene::VertexMap::Uniform(0.01);
        }
    }
    scenes::pin(&mut scene, body, (0..9).collect());
    let mut simulation = start(&scene);
    run(&mut simulation, 12);
    positions(&simulation, body)
}

/// Free motion is of second order: half the step leaves a quarter of the error. The differences between runs of 1, 2
/// and 4 steps a frame, the longest that there are, fall as the errors do, but for the sheet's waves, which such
/// steps do not resolve: by more than a method of first order could. Shorter steps than those differ by what a step's
/// solution may be off by, a hundredth of its motion.
#[test]
fn half_the_step_leaves_a_quarter_of_the_error() {
    let runs = [1, 2, 4, 8, 16, 32].map(swung);
    let apart = |a: &[DVec3], b: &[DVec3]| {
        let sum: f64 = a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum();
        (sum / a.len() as f64).sqrt()
    };
    let halves: Vec<f64> = runs.windows(2).map(|w| apart(&w[0], &w[1])).collect();
    let order = (halves[0] / halves[2]).log2() / 2.0;
    measured("order of a swinging sheet", order, 2.0);
    assert!(order > 1.7, "{order}: {halves:?}");
    // The lower edge moves by a quarter of a metre.
    assert!(halves[3..].iter().all(|off| *off < 0.01 * 0.25), "{halves:?}");
}
