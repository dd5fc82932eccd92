//! Every energy against central differences of itself: gradient against energy, Hessian against
//! gradient where no part of it is left out.

use super::cells::Cells;
use super::hinge;
use super::membrane::{Membrane, stiffness};
use super::plate::{Bent, Plate, Side, law};
use super::pressure::Bag;
use super::rank_one::Correction;
use super::rope::{Bend, Segment};
use super::rows::Rows;
use super::shell::{Angles, Hinge, Part, Shell};
use super::strain_limit::StrainLimit;
use super::tet::{Tet, moduli, shape};
use crate::sim::build::shape_gradients;
use crate::sim::collision::contact::Row;
use crate::sim::collision::layer::{Layer, Line};
use crate::sim::linear::block_matrix::Pattern;
use glam::{DMat3, DVec2, DVec3};

/// Small generator for test positions (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    fn point(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }
}

/// Largest difference between `gradient` and central differences of `energy`, relative to the largest
/// component. The truncation error of the differences is of the order `step^2`, the rounding error
/// of the order `1e-16 / step`: both stay below 1e-8 with a step of 1e-5.
fn gradient_error(x: &[DVec3], gradient: &[DVec3], energy: impl Fn(&[DVec3]) -> f64) -> f64 {
    gradient_error_by(1e-5, x, gradient, energy)
}

fn gradient_error_by(
    step: f64,
    x: &[DVec3],
    gradient: &[DVec3],
    energy: impl Fn(&[DVec3]) -> f64,
) -> f64 {
    let scale = gradient.iter().fold(1e-12f64, |m, g| m.max(g.abs().max_element()));
    let mut worst: f64 = 0.0;
    for i in 0..x.len() {
        for k in 0..3 {
            let mut moved = x.to_vec();
            moved[i][k] += step;
            let above = energy(&moved);
            moved[i][k] -= 2.0 * step;
            let difference = (above - energy(&moved)) / (2.0 * step);
            worst = worst.max((difference - gradient[i][k]).abs() / scale);
        }
    }
    worst
}

/// As [`gradient_error`], for the Hessian blocks against differences of the gradient.
fn hessian_error(
    x: &[DVec3],
    block: impl Fn(usize, usize) -> DMat3,
    gradient: impl Fn(&[DVec3]) -> Vec<DVec3>,
) -> f64 {
    let step = 1e-6;
    let (mut worst, mut scale) = (0.0f64, 1e-12f64);
    for j in 0..x.len() {
        for k in 0..3 {
            let mut moved = x.to_vec();
            moved[j][k] += step;
            let above = gradient(&moved);
            moved[j][k] -= 2.0 * step;
            let below = gradient(&moved);
            for i in 0..x.len() {
                let difference = (above[i] - below[i]) / (2.0 * step);
                let column = block(i, j).col(k);
                worst = worst.max((difference - column).abs().max_element());
                scale = scale.max(column.abs().max_element());
            }
        }
    }
    worst / scale
}

fn membrane(random: &mut Random) -> (Membrane, Vec<DVec3>) {
    let rest = [DVec3::ZERO, DVec3::new(1.0, 0.1, 0.0), DVec3::new(0.2, 0.9, 0.0)];
    let (gradient, area) = shape_gradients(rest, None).unwrap();
    let membrane = Membrane {
        nodes: [0, 1, 2],
        gradient,
        area,
        stiffness: stiffness(1000.0, 700.0, 0.25, 200.0),
        damping: 0.01,
        slots: std::array::from_fn(|k| k as u32),
    };
    // Stretched by about a tenth, so that all of the geometric term counts.
    let x = rest.iter().map(|p| DVec3::new(p.y, p.x, 0.0) * 1.3 + random.point() * 0.1).collect();
    (membrane, x)
}

#[test]
fn membrane_gradient_and_hessian() {
    let mut random = Random(5);
    for _ in 0..20 {
        let (membrane, x) = membrane(&mut random);
        let start = membrane
            .strain(&x.iter().map(|p| *p + random.point() * 0.01).collect::<Vec<_>>(), 0.98);
        let (h, shrink) = (0.005, 0.98);
        let gradient = |x: &[DVec3]| {
            let mut g = vec![DVec3::ZERO; 3];
            membrane.add(x, start, h, shrink, &mut g, None);
            g
        };
        let mut blocks = vec![DMat3::ZERO; 9];
        membrane.add(&x, start, h, shrink, &mut [DVec3::ZERO; 3], Some(&mut blocks));
        let error = gradient_error(&x, &gradient(&x), |x| membrane.energy(x, start, h, shrink));
        assert!(error < 1e-6, "gradient {error}");
        // The damping of this state may press while the elastic part pulls: then a part of the
        // geometric term is left out on purpose, and only the undamped Hessian is whole.
        let calm = Membrane { damping: 0.0, ..membrane.clone() };
        let mut blocks_calm = vec![DMat3::ZERO; 9];
        calm.add(&x, start, h, shrink, &mut [DVec3::ZERO; 3], Some(&mut blocks_calm));
        let error = hessian_error(
            &x,
            |i, j| blocks_calm[3 * i + j],
            |x| {
                let mut g = vec![DVec3::ZERO; 3];
                calm.add(x, start, h, shrink, &mut g, None);
                g
            },
        );
        assert!(error < 1e-6, "Hessian {error}");
        let weights: Vec<DVec3> = (0..3).map(|_| random.point()).collect();
        let curvature: f64 = (0..9).map(|k| weights[k / 3].dot(blocks[k] * weights[k % 3])).sum();
        assert!(curvature >= -1e-9, "not positive: {curvature}");
    }
}

#[test]
fn a_squeezed_membrane_has_a_positive_hessian() {
    let mut random = Random(11);
    for _ in 0..50 {
        let (membrane, x) = membrane(&mut random);
        let squeezed: Vec<DVec3> =
            x.iter().map(|p| DVec3::new(p.x * 0.5, p.y * 0.9, p.z)).collect();
        let mut blocks = vec![DMat3::ZERO; 9];
        membrane.add(&squeezed, [0.0; 3], 0.005, 1.0, &mut [DVec3::ZERO; 3], Some(&mut blocks));
        for _ in 0..20 {
            let w: Vec<DVec3> = (0..3).map(|_| random.point()).collect();
            let curvature: f64 = (0..9).map(|k| w[k / 3].dot(blocks[k] * w[k % 3])).sum();
            assert!(curvature >= -1e-9);
        }
    }
}

#[test]
fn strain_limit_gradient_and_hessian() {
    let mut random = Random(17);
    let (mut one, mut both) = (0, 0);
    for _ in 0..60 {
        let (membrane, x) = membrane(&mut random);
        // Stretched by up to a third: some triangles exceed the limit in one direction, some in both.
        let limit = StrainLimit::new(0, &membrane, 0.25);
        let gradient = |x: &[DVec3]| {
            let mut g = vec![DVec3::ZERO; 3];
            limit.add(&membrane, x, 0.98, &mut g, None);
            g
        };
        let at = gradient(&x);
        if at.iter().all(|g| *g == DVec3::ZERO) {
            continue;
        }
        let error = gradient_error(&x, &at, |x| limit.energy(&membrane, x, 0.98));
        assert!(error < 1e-6, "gradient {error}");
        let mut blocks = vec![DMat3::ZERO; 9];
        limit.add(&membrane, &x, 0.98, &mut [DVec3::ZERO; 3], Some(&mut blocks));
        let error = hessian_error(&x, |i, j| blocks[3 * i + j], gradient);
        assert!(error < 1e-6, "Hessian {error}");
        let strain = membrane.strain(&x, 0.98);
        if strain[0].min(strain[1]) > 0.3 { both += 1 } else { one += 1 }
    }
    assert!(one > 5 && both > 5, "{one} and {both}");
}

#[test]
fn enclosed_gas_pushes_along_its_energy() {
    let mut random = Random(23);
    let sphere =
        crate::geometry::primitives::Sphere { subdivisions: Some(1), ..Default::default() };
    let mesh = sphere.build().unwrap();
    let bag = Bag::new(0, true, &mesh, 0);
    let x: Vec<DVec3> = mesh.positions.iter().map(|p| *p * 1.1 + random.point() * 0.1).collect();
    let mut gradient = vec![DVec3::ZERO; x.len()];
    let gas = bag.add(300.0, 1000.0, &x, &mut gradient).unwrap();
    let energy = |x: &[DVec3]| {
        let volume = crate::geometry::TriMesh { positions: x.to_vec(), ..mesh.clone() }.volume();
        1000.0 * volume - 1300.0 * mesh.volume() * libm::log(volume)
    };
    assert!(gradient_error(&x, &gradient, energy) < 1e-6);
    // Along the gradient of the volume, the kept part of the Hessian is what the slope of p says.
    let (dv, step) = (&gradient, 1e-9);
    let slopes = gas.slopes_where_free(&vec![false; x.len()]);
    let grows: f64 = slopes.iter().zip(dv).map(|(s, d)| s.dot(*d)).sum();
    let product: Vec<DVec3> = slopes.iter().map(|s| *s * (grows * gas.stiffness)).collect();
    // Where nothing but a mass of one holds the rest, the solution with the gas is exact.
    let mut solution = dv.clone();
    Correction::new(gas.stiffness, slopes.clone(), slopes.clone()).correct(&mut solution);
    let grown: f64 = slopes.iter().zip(&solution).map(|(s, d)| s.dot(*d)).sum();
    for ((solution, slope), b) in solution.iter().zip(&slopes).zip(dv) {
        let left = *solution + *slope * (gas.stiffness * grown) - *b;
        assert!(left.length() < 1e-9 * b.length(), "{left}");
    }
    let moved: Vec<DVec3> = x.iter().zip(dv).map(|(x, d)| *x + *d * step).collect();
    let volume =
        |x: &[DVec3]| crate::geometry::TriMesh { positions: x.to_vec(), ..mesh.clone() }.volume();
    let pressure = |x: &[DVec3]| 1300.0 * mesh.volume() / volume(x) - 1000.0;
    let expected = (pressure(&moved) - pressure(&x)) / step / -pressure(&x);
    for (p, g) in product.iter().zip(&gradient) {
        assert!((*p + *g * expected).length() < 1e-3 * p.length() + 1e-9, "{p} {g} {expected}");
    }
}

/// A triangle in the middle of four: its corners and those beyond its sides.
const PLATE: [[f64; 2]; 6] =
    [[0.0, 0.0], [1.0, 0.1], [0.3, 0.9], [1.2, 1.0], [-0.6, 0.7], [0.4, -0.8]];

/// Points of [`PLATE`], moved about.
fn plate_points(random: &mut Random, by: f64) -> Vec<DVec3> {
    PLATE.iter().map(|p| DVec3::new(p[0], p[1], 0.0) + random.point() * by).collect()
}

/// A triangle with three around it that have angles at rest, one of whose hinges yields: gradient and energy, and the
/// Hessian where they rest, where nothing of it is left out.
#[test]
fn shell_gradient_and_hessian() {
    let mut random = Random(9);
    let weights = [[1.0, 0.2, 0.4], [0.3, 1.5, -0.5], [0.7, 0.1, 0.9]];
    for _ in 0..20 {
        let x = plate_points(&mut random, 0.3);
        let mut shell = Shell::default();
        for k in 0..3u32 {
            let nodes = [(k + 1) % 3, (k + 2) % 3, k, 3 + k];
            let yields = (k == 1).then_some(0.1);
            shell.hinges.push(Hinge { nodes, rest: 0.2 - 0.1 * f64::from(k), yields });
        }
        let parts = (0..).zip(weights).chain([(1, [0.1; 3])]);
        let parts: Vec<Part> = parts.map(|(hinge, weights)| Part { hinge, weights }).collect();
        let law = [[3.0, 0.5, 0.0], [0.5, 2.0, 0.1], [0.0, 0.1, 1.0]];
        shell.push(&parts, &parts, law, 0.002);
        let pattern = Pattern::new(6, shell.groups());
        shell.place(&pattern);
        let before: Vec<DVec3> = x.iter().map(|p| *p + random.point() * 0.02).collect();
        let h = 0.005;
        let starting = |x: &[DVec3]| {
            let mut angles = Angles::default();
            shell.start(x, &[0.3], &mut angles);
            angles
        };
        let angles = starting(&before);
        let add = |angles: &Angles, x: &[DVec3], blocks: Option<&mut [DMat3]>| {
            let (mut gradient, mut angles) = (vec![DVec3::ZERO; 6], angles.clone());
            shell.begin(x, h, &mut angles);
            let gradient_of = &mut gradient;
            let mut rows = Rows { first: 0, gradient: gradient_of, first_slot: 0, blocks };
            shell.add_to_rows(0, &angles, h, &mut rows);
            gradient
        };
        // Its damping is a law of its own whose rest angles are those of the start.
        let energy = |x: &[DVec3]| {
            let now = starting(x);
            let mut rate = now.clone();
            rate.rest.clone_from(&angles.start);
            shell.energy(&now) + shell.energy(&rate) * 0.002 / h
        };
        let gradient = add(&angles, &x, None);
        let error = gradient_error(&x, &gradient, energy);
        assert!(error < 1e-6, "{error}");
        let sum: DVec3 = gradient.iter().sum();
        assert!(sum.length() < 1e-9, "a shell pushes the whole by {sum}");
        let mut at_rest = starting(&x);
        at_rest.rest = at_rest.start.clone();
        let mut blocks = vec![DMat3::ZERO; pattern.columns.len()];
        add(&at_rest, &x, Some(&mut blocks));
        let error = hessian_error(
            &x,
            |i, j| blocks[pattern.slot(i as u32, j as u32) as usize],
            |x| add(&at_rest, x, None),
        );
        assert!(error < 1e-6, "{error}");
    }
}

/// The hinge at side `k` of the triangle in the middle of `x`.
fn plate_hinge(x: &[DVec3], k: usize) -> ([u32; 4], [f64; 4], f64) {
    let own = [(k + 1) % 3, (k + 2) % 3, k, 3 + k];
    let (weights, areas) = hinge::weights(own.map(|i| x[i])).unwrap();
    (own.map(|i| i as u32), weights, areas)
}

/// Sides of the triangle in the middle of `x`, some of which are free, and its area. Each inner one is bent by a part of
/// the next one too.
fn plate_sides(x: &[DVec3], inner: [bool; 3]) -> ([Side; 3], f64) {
    let sides = std::array::from_fn(|k| {
        let along = (x[(k + 2) % 3] - x[(k + 1) % 3]).normalize();
        let bent = inner[k].then(|| {
            let own = Bent { edge: k, part: 1.0 / plate_hinge(x, k).2 };
            let next = (k + 1) % 3;
            let next = inner[next].then_some(Bent { edge: next, part: 0.3 });
            std::iter::once(own).chain(next).collect()
        });
        Side { normal: DVec2::new(-along.y, along.x), bent }
    });
    (sides, 0.5 * (x[1] - x[0]).cross(x[2] - x[0]).length())
}

/// Least of the quadratic form `law` at `k + sum q g` over all q, one for each g of `free`.
fn least(law: &dyn Fn([f64; 3]) -> f64, k: [f64; 3], free: &[[f64; 3]]) -> f64 {
    let Some((g, others)) = free.split_first() else { return law(k) };
    let at = |q: f64| least(law, std::array::from_fn(|a| k[a] + q * g[a]), others);
    let (before, here, after) = (at(-1.0), at(0.0), at(1.0));
    let (slope, curve) = (0.5 * (after - before), after - 2.0 * here + before);
    here - 0.5 * slope * slope / curve
}

/// `A/2 (B1 |k_uu|^2 + B2 |k_vv|^2 + 2 H |k_uv|^2)`, least over the angles at free sides, from the positions. Along a
/// line three values of a quadratic form tell its minimum.
fn plate_energy(
    x: &[DVec3],
    flat: &[DVec3],
    (sides, area): &([Side; 3], f64),
    [warp, weft, bias]: [f64; 3],
) -> f64 {
    let mixed = 2.0 * bias - 0.5 * (warp + weft);
    let law = |k: [f64; 3]| warp * k[0] * k[0] + weft * k[1] * k[1] + 2.0 * mixed * k[2] * k[2];
    let free: Vec<[f64; 3]> = sides.iter().filter(|s| s.bent.is_none()).map(Side::tensor).collect();
    let mut k = [DVec3::ZERO; 3];
    for side in sides {
        for Bent { edge, part } in side.bent.iter().flatten() {
            let (nodes, weights, _) = plate_hinge(flat, *edge);
            let bent: DVec3 = nodes.iter().zip(weights).map(|(i, w)| x[*i as usize] * w).sum();
            for (k, n) in k.iter_mut().zip(side.tensor()) {
                *k += bent * (n * part);
            }
        }
    }
    let component = |d: usize| least(&law, k.map(|k| k[d]), &free);
    0.5 * area * (component(0) + component(1) + component(2))
}

/// The scalars that a plate gives are those of its energy: of the gradient by central differences, exact for what is
/// quadratic but for rounding.
#[test]
fn plate_gradient() {
    let mut random = Random(33);
    let bend = [3.0, 1.0, 2.5];
    for free in 0..8 {
        let inner: [bool; 3] = std::array::from_fn(|k| free >> k & 1 == 0);
        let flat: Vec<DVec3> =
            plate_points(&mut random, 0.2).into_iter().map(|p| p.with_z(0.0)).collect();
        let sides = plate_sides(&flat, inner);
        let plate = Plate::new([0, 1, 2], &sides.0, law(sides.1, &sides.0, bend), 0.0, |k| {
            let (nodes, weights, _) = plate_hinge(&flat, k);
            (nodes, weights)
        });
        let x: Vec<DVec3> = flat.iter().map(|p| *p + random.point() * 0.4).collect();
        let mut gradient = vec![DVec3::ZERO; 6];
        for (i, a) in plate.nodes().iter().enumerate() {
            for (j, b) in plate.nodes().iter().enumerate() {
                gradient[*a as usize] += x[*b as usize] * plate.entry(i, j);
            }
        }
        let energy = |x: &[DVec3]| plate_energy(x, &flat, &sides, bend);
        if free < 7 {
            assert!(energy(&x) > 1e-3, "nothing is bent");
            let error = gradient_error(&x, &gradient, energy);
            assert!(error < 1e-6, "{inner:?}: {error}");
        } else {
            assert!(gradient.iter().all(|g| g.length() < 1e-12), "a triangle alone bends");
        }
        let sum: DVec3 = gradient.iter().sum();
        assert!(sum.length() < 1e-12, "a plate pushes the whole by {sum}");
    }
}

/// The first of four points moved by `shift`.
fn shifted(x: &[DVec3], shift: DVec3) -> Vec<DVec3> {
    let mut moved = x.to_vec();
    moved[0] += shift;
    moved
}

#[test]
fn contact_force_is_the_gradient_of_its_energy() {
    let mut random = Random(21);
    for round in 0..60 {
        let start: Vec<DVec3> = (0..4).map(|_| random.point()).collect();
        let z: Vec<DVec3> = start.iter().map(|p| *p + random.point() * 0.02).collect();
        let normal = random.point().normalize();
        let (u, v) = (random.number() + 0.5, 0.3);
        let mut row = Row {
            split: 1,
            key: (0, 0, 1),
            nodes: [0, 1, 2, 3],
            weights: [1.0, -u, -v, u + v - 1.0],
            normal,
            layer: Layer {
                distance: 0.1,
                stiffness: 50.0,
                damper: 40.0,
                hard_damper: round % 2 == 0,
                start_depth: 0.03,
            },
            line: Line::default(),
            friction: 0.3,
            rho: 40.0,
            lambda: 2.0,
            lambda_t: DVec3::ZERO,
            at_start: DVec3::ZERO,
            bodies: [0, 1],
            waits: false,
            footing: None,
        };
        let t = random.point();
        row.lambda_t = t - normal * normal.dot(t);
        // The second primitive is placed so that some rows are open, some press, and some press hard.
        let distance = row.layer.distance;
        let depth = distance * (1.3 * (random.number() + 0.5) - 0.15);
        let shift = normal * (-depth - row.gap(&z));
        let (start, z) = (shifted(&start, shift), shifted(&z, shift));
        row.at_start = (0..4).map(|k| start[k] * row.weights[k]).sum();
        let energy = |z: &[DVec3]| {
            let depth = -row.gap(z);
            let pressing = 0.9 * distance;
            // Integral of `g`.
            let layer = |x: f64| {
                let u = x.clamp(0.0, pressing) / distance;
                let beyond = (x - pressing).max(0.0);
                let squared = distance * distance / 3.0;
                squared * (0.5 * ((1.0 - u).powi(-2) - 1.0) - u)
                    + beyond * distance * 333.0
                    + 5e3 * beyond * beyond
            };
            let from = row.layer.start_depth;
            let approach = if row.layer.hard_damper {
                let at_start = distance / 3.0 * ((1.0 - from / distance).powi(-3) - 1.0);
                let to = depth.max(from);
                layer(to) - layer(from) - at_start * (to - from)
            } else {
                0.5 * (depth - from).max(0.0).powi(2)
            };
            let normal_energy = row.layer.stiffness * layer(depth) + row.layer.damper * approach;
            let relative = |x: &[DVec3]| -> DVec3 { (0..4).map(|k| x[k] * row.weights[k]).sum() };
            let slip = relative(z) - relative(&start);
            let q = row.lambda_t - (slip - normal * normal.dot(slip)) * row.rho;
            let radius = row.friction * row.lambda;
            let envelope = if q.length() <= radius {
                0.5 * q.length_squared()
            } else {
                radius * (q.length() - 0.5 * radius)
            };
            normal_energy + envelope / row.rho
        };
        let line = row.layer.line(row.layer.force(-row.gap(&z)).0);
        let pressed = Row { line, ..row.clone() };
        let at = pressed.force(&z).unwrap();
        let gradient: Vec<DVec3> = (0..4).map(|k| at.force * -row.weights[k]).collect();
        // A layer a tenth as thick as other things here bends a hundred times as much in a step.
        let error = gradient_error_by(1e-6, &z, &gradient, energy);
        assert!(error < 1e-6, "round {round}: {error}");
        let w = random.point();
        assert!(w.dot(at.block * w) >= -1e-12);
    }
}

fn tet(random: &mut Random) -> (Tet, Vec<DVec3>) {
    let rest = [DVec3::ZERO, DVec3::X, DVec3::new(0.1, 0.9, 0.2), DVec3::new(0.3, 0.2, 1.1)];
    let (gradient, volume) = shape(rest).unwrap();
    let (mu, lambda) = moduli(2000.0, 0.4);
    let tet =
        Tet { nodes: [0, 1, 2, 3], gradient, volume, mu, lambda, damping: 0.02, plastic: None };
    // Swollen by a tenth, where nothing is pressed together and no part of the Hessian is left out.
    let x = rest.iter().map(|p| *p * 1.0323 + random.point() * 0.02).collect();
    (tet, x)
}

#[test]
fn tetrahedron_gradient_and_hessian() {
    let mut random = Random(23);
    for round in 0..20 {
        let (tet, mut x) = tet(&mut random);
        let before: Vec<DVec3> = x.iter().map(|p| *p + random.point() * 0.01).collect();
        let start = tet.strain(&before);
        let mut calm = Tet { damping: 0.0, ..tet.clone() };
        let pattern = Pattern::new(4, std::iter::once(&tet.nodes[..]));
        let evaluate = |tet: &Tet, x: &[DVec3]| {
            let (mut gradient, mut blocks) = (vec![DVec3::ZERO; 4], vec![DMat3::ZERO; 16]);
            let mut cells = Cells::new(std::slice::from_ref(tet), &pattern);
            cells.begin(&before);
            let mut rows = Rows::of_chunks(&pattern.start, &mut gradient, Some(&mut blocks));
            cells.add(x, 0.005, &mut rows);
            (gradient, blocks)
        };
        let gradient = |tet: &Tet, x: &[DVec3]| evaluate(tet, x).0;
        let blocks = |tet: &Tet, x: &[DVec3]| evaluate(tet, x).1;
        let error = gradient_error(&x, &gradient(&tet, &x), |x| tet.energy(x, &start, 0.005));
        assert!(error < 1e-6, "gradient {error}");
        let whole = blocks(&calm, &x);
        let error = hessian_error(&x, |i, j| whole[4 * i + j], |x| gradient(&calm, x));
        // Some sixty operations in single precision, each right to 6e-8 of its result.
        assert!(error < 1e-5, "Hessian {error}");
        // Squeezed flat and inside out: finite, and nowhere negative.
        let flat = f64::from(round) / 10.0 - 1.0;
        for p in &mut x {
            p.z *= flat;
        }
        calm.damping = 0.0;
        let squeezed = blocks(&calm, &x);
        let weights: Vec<DVec3> = (0..4).map(|_| random.point()).collect();
        let bent: f64 = (0..16).map(|k| weights[k / 4].dot(squeezed[k] * weights[k % 4])).sum();
        assert!(bent.is_finite() && bent > -1e-9, "round {round}: {bent}");
    }
}

#[test]
fn rope_gradients_and_their_tangents() {
    let mut random = Random(91);
    for _ in 0..20 {
        let ends = vec![random.point(), random.point() + DVec3::X];
        let slots = [0, 1, 2, 3];
        let segment = Segment { nodes: [0, 1], length: 0.6, stiffness: 7.0, slots };
        let of = |x: &[DVec3]| {
            let mut gradient = vec![DVec3::ZERO; x.len()];
            segment.add(x, &mut gradient, None);
            gradient
        };
        assert!(gradient_error(&ends, &of(&ends), |x| segment.energy(x)) < 1e-8);
        let mut blocks = vec![DMat3::ZERO; 4];
        segment.add(&ends, &mut [DVec3::ZERO; 2], Some(&mut blocks));
        if ends[0].distance(ends[1]) > 0.6 {
            assert!(hessian_error(&ends, |i, j| blocks[2 * i + j], of) < 1e-7);
        }

        let bent = vec![
            random.point() * 0.3,
            DVec3::X + random.point() * 0.3,
            DVec3::new(1.5, 0.8, 0.0) + random.point(),
        ];
        let bend = |x: &[DVec3], stiffness: f64| {
            let bend =
                Bend { nodes: [0, 1, 2], stiffness, slots: std::array::from_fn(|k| k as u32) };
            let (mut gradient, mut blocks) = (vec![DVec3::ZERO; 3], vec![DMat3::ZERO; 9]);
            bend.add(x, &mut gradient, Some(&mut blocks));
            (bend.energy(x), gradient, blocks)
        };
        let (_, gradient, _) = bend(&bent, 3.0);
        assert!(gradient_error(&bent, &gradient, |x| bend(x, 3.0).0) < 1e-7);
        // At rest nothing is left out of the tangent.
        let straight: Vec<DVec3> = [0.0, 0.7, 1.9].iter().map(|s| bent[0] + bent[1] * *s).collect();
        let (_, _, blocks) = bend(&straight, 3.0);
        assert!(hessian_error(&straight, |i, j| blocks[3 * i + j], |x| bend(x, 3.0).1) < 1e-7);
    }
}
