//! Fabric that shears between fibres that keep their lengths: a picture frame, and a strip cut on the bias.

use crate::scripted::measured;
use crate::{near, positions, run, scenes, start};
use glam::{DVec2, DVec3};
use retake::geometry::TriMesh;
use retake::math::rotation;
use retake::math::{Curve, Ease};
use retake::scene::{BodyKind, ClothMaterial, ConstraintKind, Motion, Move, Scene, VertexMap};
use retake::sim::Simulation;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, SQRT_2};

/// Shear modulus of the fabric [N/m].
const SHEAR: f64 = 20.0;

/// How the cells of a strip are cut.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cut {
    /// Every cell along a fibre, so that fibres of both kinds lie on edges.
    Alternating,
    /// All cells the same way: only fibres of one kind lie on edges.
    OneWay,
}

/// A strip of `across` by `along` cells of `side` [m], warp and weft at 45 degrees to it.
fn strip(cut: Cut, across: u32, along: u32, side: f64) -> TriMesh {
    let mut mesh = TriMesh::default();
    for j in 0..=along {
        for i in 0..=across {
            let p = DVec2::new(f64::from(i) - 0.5 * f64::from(across), f64::from(j));
            mesh.positions.push((p * side).extend(0.0));
            mesh.uvs.push(DVec2::new(p.x + p.y, p.y - p.x));
        }
    }
    let row = across + 1;
    for j in 0..along {
        for i in 0..across {
            let a = j * row + i;
            let (b, c, d) = (a + 1, a + row, a + row + 1);
            let right = cut == Cut::OneWay || (i + j) % 2 == 0;
            let both = if right { [[a, b, d], [a, d, c]] } else { [[a, b, c], [b, d, c]] };
            mesh.triangles.extend(both);
        }
    }
    mesh
}

/// A weightless scene with a strip of a fabric whose fibres are `ratio` times as stiff as its shear.
fn sheared(mesh: TriMesh, ratio: f64) -> Scene {
    let mut scene = scenes::empty("shear", 20.0);
    scene.gravity = Curve::Constant(DVec3::ZERO);
    scene.collisions.self_contact = false;
    let body = scenes::add(&mut scene, "strip", mesh, scenes::cotton());
    if let BodyKind::Cloth(cloth) = &mut scene.bodies[body].kind
        && let ClothMaterial::Membrane(m) = &mut cloth.material
    {
        let uniform = VertexMap::Uniform;
        (m.young, m.young_weft) = (uniform(ratio * SHEAR), uniform(ratio * SHEAR));
        (m.shear, m.poisson, m.damping) = (uniform(SHEAR), uniform(0.0), uniform(0.02));
    }
    scenes::linear_drag(&mut scene, 20.0);
    scene
}

fn moved(scene: &mut Scene, constraint: usize, moves: Vec<Move>) {
    if let ConstraintKind::Pin { motion, .. } = &mut scene.constraints[constraint].kind {
        *motion = Motion { moves, ..Motion::default() };
    }
}

/// Shear angle between the fibres about vertex (i, j), over `by` cells to each side [rad].
fn angle(x: &[DVec3], row: u32, [i, j]: [u32; 2], by: u32) -> f64 {
    let at = |i: u32, j: u32| x[(j * row + i) as usize];
    let across = at(i + by, j) - at(i - by, j);
    let along = at(i, j + by) - at(i, j - by);
    FRAC_PI_2 - rotation::angle_between(along + across, along - across)
}

/// A square whose sides keep their lengths is drawn out along its diagonal until its fibres have turned by 40
/// degrees: `gamma = pi/2 - 2 acos((D + d) / (sqrt 2 D))` everywhere. The fibres' strain is next to nothing, so
/// that only what the solver leaves undone is off.
#[test]
fn a_picture_frame_shears_all_of_its_cloth() {
    let n = 12;
    // The frame's corners are the middles of a square's sides: all that lies outside is held, too.
    let mesh = strip(Cut::Alternating, n, n, 0.2 / f64::from(n));
    let outside = |p: &DVec3| p.x.abs() + (p.y - 0.1).abs() > 0.1 - 1e-9;
    let held = (0..mesh.positions.len()).filter(|i| outside(&mesh.positions[*i]));
    let held = held.map(|i| i as u32).collect();
    let mut scene = sheared(mesh, 1000.0);
    scenes::pin(&mut scene, 0, held);
    let gamma = 40f64.to_radians();
    let (long, short) = (libm::cos(FRAC_PI_4 - 0.5 * gamma), libm::sin(FRAC_PI_4 - 0.5 * gamma));
    let by = DVec3::new(short * SQRT_2, long * SQRT_2, 1.0);
    let about = DVec3::new(0.0, 0.1, 0.0);
    moved(
        &mut scene,
        0,
        vec![Move::Scale { starts: 0.0, ends: 1.0, by, about, ease: Ease::Linear }],
    );
    let mut simulation = start(&scene);
    run(&mut simulation, 48);
    let found = angle(&positions(&simulation, 0), n + 1, [n / 2, n / 2], 2);
    near("shear of a picture frame at 40 degrees", found.to_degrees(), 40.0, 0.002);
}

/// A strip three times as long as wide, its ends clamped, after one of them has been drawn out by `d`.
fn drawn_out(cut: Cut, across: u32, ratio: f64, d: f64) -> Simulation {
    let along = 3 * across;
    let mut scene = sheared(strip(cut, across, along, 0.1 / f64::from(across)), ratio);
    let row = across + 1;
    scenes::pin(&mut scene, 0, (0..row).collect());
    scenes::pin(&mut scene, 0, (along * row..(along + 1) * row).collect());
    let by = DVec3::Y * d;
    moved(&mut scene, 1, vec![Move::Translate { starts: 0.0, ends: 0.75, by, ease: Ease::Linear }]);
    let mut simulation = start(&scene);
    run(&mut simulation, 60);
    assert!(simulation.report().fastest < 1e-4, "{}", simulation.report().fastest);
    simulation
}

/// How far each fibre of a net has turned [rad], from the end of one clamp's triangle to that of the other, and
/// the energy of the strip over `SHEAR / 2` times half its width squared.
///
/// Fibres that keep their lengths in a plane make the net `x = A(u) + B(v)`: all of a fibre of one kind turns
/// alike (the Chebyshev net), by `a(u)` and `a(v)`. Fibres that a clamp holds do not turn. With the strip's width
/// over sqrt 2 as the unit, u and v of the free ones are in 1/2..5/2, each meets those with `|u - v| < 1`, and
///
/// `E = SHEAR / 2 sum sin^2(a(u) + a(v))` is least where the sum of `2 cos(pi/4 - a)` is `D + d`.
///
/// The fibres next to a clamp's triangle meet held ones over half of their way, where turning costs less: they turn
/// by more and the ones in the middle by less than the mean, which `pi/2 - 2 acos((D + d) / (sqrt 2 D))` tells.
/// Where all angles are small, `a / mean = (cos(s/2) - sin(s/2)) / (4 sin(1/4))` with s from -1/2 at the triangle
/// to 1/2 in the middle: 0.729 there.
fn net(pull: f64) -> (Vec<f64>, f64) {
    const N: usize = 80;
    let du = 2.0 / N as f64;
    // Weight of the cell of fibres i and j; the ends of the window are half in.
    let meets = |i: usize, j: usize| match (40usize).cmp(&i.abs_diff(j)) {
        std::cmp::Ordering::Greater => du,
        std::cmp::Ordering::Equal => 0.5 * du,
        std::cmp::Ordering::Less => 0.0,
    };
    let length = |a: &[f64]| a.iter().map(|a| SQRT_2 * libm::cos(FRAC_PI_4 - a) * du / 2.0).sum();
    let relaxed = |force: f64| {
        let mut a = vec![0.1; N];
        for _ in 0..200 {
            for i in 0..N {
                let (mut slope, mut curve) =
                    (-force * libm::sin(FRAC_PI_4 - a[i]), force * libm::cos(FRAC_PI_4 - a[i]));
                let mut free = 0.0;
                for (j, other) in a.iter().enumerate() {
                    slope += meets(i, j) * libm::sin(2.0 * (a[i] + other));
                    curve += meets(i, j) * 2.0 * libm::cos(2.0 * (a[i] + other));
                    free += meets(i, j);
                }
                slope += (2.0 - free) * libm::sin(2.0 * a[i]);
                curve += (2.0 - free) * 2.0 * libm::cos(2.0 * a[i]);
                a[i] -= slope / curve;
            }
        }
        a
    };
    let (mut low, mut high) = (0.0, 8.0);
    for _ in 0..40 {
        let force = 0.5 * (low + high);
        let found: f64 = length(&relaxed(force));
        if found < pull { low = force } else { high = force }
    }
    (relaxed(low), low)
}

/// The turn of the middle is that of the net above: fibres ten thousand times as stiff as shear give way by a
/// thousandth. What is left is the cells: sixteen across, which can turn only by whole rows; 3 % allowed.
#[test]
fn a_strip_on_the_bias_shears_as_its_net() {
    // Where all angles are small the sums have a closed form.
    let (small, _) = net(1.0 + 1e-4);
    let mean = small.iter().sum::<f64>() / 80.0;
    // The middle of the fibres' last cell before the middle.
    let s: f64 = 0.5 - 0.0125;
    let form = (libm::cos(0.5 * s) - libm::sin(0.5 * s)) / (4.0 * libm::sin(0.25));
    near("turn of a net's middle over the mean", small[39] / mean, form, 0.001);

    let n = 16;
    let long = 0.2; // D: the strip's length less its width
    for degrees in [10.0, 20.0, 40.0f64] {
        let pull = SQRT_2 * libm::cos(FRAC_PI_4 - 0.5 * degrees.to_radians());
        let simulation = drawn_out(Cut::Alternating, n, 1e4, long * (pull - 1.0));
        let found = angle(&positions(&simulation, 0), n + 1, [n / 2, 3 * n / 2], n / 4);
        // Over a quarter of the width to each side, u goes from -1/4 to 1/4 about the middle.
        let fibres = net(pull).0;
        let expected = 2.0 * fibres[30..50].iter().sum::<f64>() / 20.0;
        measured(
            &format!("bias strip, {degrees} degrees were it even"),
            found.to_degrees(),
            degrees,
        );
        near(
            &format!("bias strip, degrees in the middle for {degrees} on the whole"),
            found.to_degrees(),
            expected.to_degrees(),
            0.03,
        );
    }
}

/// The force on a strip of cotton's stiffness, 68 to 1, by which way its cells are cut. Triangles whose fibres do
/// not lie on their edges cannot shear unevenly without stretching them: cut one way, sixteen cells across
/// are stiffer than those that follow the fibres, and come nearer with their number.
#[test]
fn cells_across_the_fibres_are_stiffer_on_the_bias() {
    let force = |cut: Cut, n: u32| drawn_out(cut, n, 68.0, 0.0175).view().constraints[1].reaction;
    let along = force(Cut::Alternating, 16);
    let (coarse, fine) = (force(Cut::OneWay, 8) / along, force(Cut::OneWay, 16) / along);
    measured("bias strip, force of cells cut one way, 8 across", coarse, 1.0);
    measured("bias strip, force of cells cut one way, 16 across", fine, 1.0);
    assert!(fine >= 1.0 - 0.02 && fine < coarse, "{coarse} {fine}");
}
