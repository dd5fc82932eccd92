//! How fast the engine's own method comes nearer with shorter steps, and how much of a swing it keeps.

use crate::scripted::measured;
use crate::{positions, run, scene, scenes, start};
use glam::DVec3;
use retake::geometry::TriMesh;
use retake::scene::{BodyKind, ClothMaterial, RestShape, Scene, VertexMap};
use std::f64::consts::TAU;

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
            m.damping = VertexMap::Uniform(0.01);
        }
    }
    scenes::pin(&mut scene, body, (0..9).collect());
    let mut simulation = start(&scene);
    run(&mut simulation, 12);
    positions(&simulation, body)
}

/// Free motion is of second order: half the step leaves a quarter of the error. The differences between runs of 2, 4, 8
/// and 16 steps a frame fall as the errors do; single steps of a frame do not resolve the sheet's waves, and what a
/// step's solution may be off by, a two hundredth of its motion, comes through from 32 on.
#[test]
fn half_the_step_leaves_a_quarter_of_the_error() {
    let runs = [2, 4, 8, 16, 32].map(swung);
    let apart = |a: &[DVec3], b: &[DVec3]| {
        let sum: f64 = a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum();
        (sum / a.len() as f64).sqrt()
    };
    let halves: Vec<f64> = runs.windows(2).map(|w| apart(&w[0], &w[1])).collect();
    let order = (halves[0] / halves[2]).log2() / 2.0;
    measured("order of a swinging sheet", order, 2.0);
    assert!(order > 1.9, "{order}: {halves:?}");
    // The lower edge moves by a quarter of a metre.
    assert!(halves[2..].iter().all(|off| *off < 0.01 * 0.25), "{halves:?}");
}

/// Angle that the pendulums of [`kept`] are let go at [rad]: their period is longer by its square over 16, 0.02 %.
const LET_GO: f64 = 0.05;

/// Part of its amplitude that a pendulum of 1 m keeps in `2 pi sqrt(l / g)`, whose weight is vertex `tip` of the
/// only body and moves in the plane of `x` and `y`.
///
/// What swings by a linear method of two values is `Re(c z^k)` frame by frame, so that
/// `a(k + 1) = 2 Re(z) a(k) - |z|^2 a(k - 1)`: both by least squares over the frames of the second to sixth period,
/// where the first step, which has nothing to look back at, has died away.
fn kept(scene: &Scene, tip: usize) -> f64 {
    let mut simulation = start(scene);
    let mut angles = Vec::new();
    for _ in 0..288 {
        run(&mut simulation, 1);
        let p = positions(&simulation, 0)[tip];
        angles.push(libm::atan2(p.x, -p.y));
    }
    let (mut aa, mut ab, mut bb, mut ac, mut bc) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for w in angles[48..].windows(3) {
        let (before, now, next) = (w[0], w[1], w[2]);
        aa += now * now;
        ab += now * before;
        bb += before * before;
        ac += now * next;
        bc += before * next;
    }
    let squared = (ab * ac - aa * bc) / (aa * bb - ab * ab);
    libm::pow(squared, 0.5 * 24.0 * TAU / 9.81f64.sqrt())
}

/// A cloth of one triangle, which turns about the side that it is held by: its third vertex is a weight on a massless
/// rod. It stretches by `rho g / 6 young` of its height, 3e-6.
fn triangle(steps: f64) -> Scene {
    let mut scene = scenes::empty("pendulum", 20.0);
    scene.collisions.self_contact = false;
    scene.solver.fixed_step = Some(1.0 / 24.0 / steps);
    scene.solver.accuracy = 1e-6;
    let tip = DVec3::new(libm::sin(LET_GO), -libm::cos(LET_GO), 0.0);
    let mesh = TriMesh {
        positions: vec![DVec3::Z * -0.05, DVec3::Z * 0.05, tip],
        triangles: vec![[0, 1, 2]],
        ..TriMesh::default()
    };
    let body = scenes::add(&mut scene, "triangle", mesh, scenes::cotton());
    if let BodyKind::Cloth(cloth) = &mut scene.bodies[body].kind
        && let ClothMaterial::Membrane(m) = &mut cloth.material
    {
        let uniform = VertexMap::Uniform;
        (m.young, m.young_weft, m.shear) = (uniform(1e5), uniform(1e5), uniform(4e4));
        m.damping = uniform(0.0);
    }
    scenes::pin(&mut scene, body, vec![0, 1]);
    scene
}

/// A rope of one segment that resists twist: half of it is a weight at its end. Of 0.08 kg and 1e4 N it stretches by 4e-5.
fn segment(steps: f64) -> Scene {
    scene(&format!(
        "local shot = retake.shot{{ name = 'pendulum', duration = 20 }}
        local line = shot:rope{{ radius = 0.005, density = 1000, stretch = 1e4, bend = 0, twist = 1e-6, collides = false,
          mesh = retake.mesh.rope{{ from = {{ 0, 0, 0 }}, to = {{ {}, {}, 0 }}, segments = 1 }} }}
        shot:pin{{ points = line:vertices{{ 0 }} }}
        shot:solver{{ fixed_step = 1 / {}, accuracy = 1e-6 }}",
        libm::sin(LET_GO),
        -libm::cos(LET_GO),
        24.0 * steps,
    ))
}

/// Part of an amplitude that is left of `x'' = -w^2 x` after a period, in steps of `h` seconds: `|z|^(T / h)` where z
/// solves the method for the eigenvalue `i w`. Backward Euler has `1 / (1 - i w h)`, BDF2 the larger root of
/// `3 z^2 - 4 z + 1 = 2 i w h z^2`.
fn left_in_a_period(h: f64, looks_back: bool) -> f64 {
    let wh = 9.81f64.sqrt() * h;
    let squared = if looks_back {
        // z = (2 + sqrt(1 + 2 i w h)) / (3 - 2 i w h)
        let modulus = libm::hypot(1.0, 2.0 * wh);
        let (re, im) = ((0.5 * (modulus + 1.0)).sqrt(), (0.5 * (modulus - 1.0)).sqrt());
        ((2.0 + re).powi(2) + im * im) / (9.0 + 4.0 * wh * wh)
    } else {
        1.0 / (1.0 + wh * wh)
    };
    libm::pow(squared, 0.5 * TAU / wh)
}

/// What is free takes steps of second order, what has a rope that resists twist those of backward Euler, and each loses by them
/// what its formula says and nothing else: at 24 frames a second and 1, 4 and 8 steps a frame, 0.9967, 0.9999 and 1.0
/// or 0.666, 0.903 and 0.950 of the amplitude are left after a period. The formulas hold for small angles: 2 % of what is
/// lost allows for the square of 0.05 and what the solver leaves undone, and 1e-5 of the whole.
#[test]
fn a_pendulum_keeps_of_its_swing_what_its_method_keeps() {
    let table = [(true, [0.9967, 0.9999, 1.0]), (false, [0.666, 0.903, 0.950])];
    for (looks_back, listed) in table {
        for (steps, listed) in [1.0, 4.0, 8.0].into_iter().zip(listed) {
            let expected = left_in_a_period(1.0 / 24.0 / steps, looks_back);
            assert!((expected - listed).abs() < 5e-4, "{expected} is not {listed}");
            let found =
                if looks_back { kept(&triangle(steps), 2) } else { kept(&segment(steps), 1) };
            let method = if looks_back { "BDF2" } else { "backward Euler" };
            measured(&format!("{method}, {steps} steps a frame, kept a period"), found, expected);
            let off = (found - expected).abs();
            assert!(off < 0.02 * (1.0 - expected) + 1e-5, "{method} {steps}: {found} {expected}");
        }
    }
}
