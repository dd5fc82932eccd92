//! Preconditioned conjugate gradients for one Newton direction.
//!
//! The iteration runs in single precision, like the preconditioner; its residual is taken again in
//! double precision when it has done, and what is then left is solved for as well.

use super::bodies::Narrow;
use super::chunks::{chunk, copy, each, sum, update};
use super::couplings::Couplings;
use super::lanes::Lane4;
use super::matrix::Matrix;
use super::multigrid::Multigrid;
use super::order::{Done, Way, in_turns};
use super::shared::{Shared, correct, take_off};
use glam::DVec3;
use std::iter::repeat;

/// Vectors that one solve needs, kept between solves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    x: Vec<Lane4>,
    residual: Vec<Lane4>,
    preconditioned: Vec<Lane4>,
    old: Vec<Lane4>,
    direction: Vec<Lane4>,
    product: Vec<Lane4>,
    left: Vec<DVec3>,
}

/// What a solve did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Solved {
    /// Iterations used.
    pub(crate) iterations: u32,
    /// Energy of what there was to solve for, in the norm of the preconditioner.
    pub(crate) energy: f64,
    /// Bytes that the iterations moved at least: each array once a pass.
    pub(crate) bytes: u64,
}

/// A system in single precision: the unknowns of points, and behind them two for each rigid body.
pub(crate) struct System<'a> {
    pub(crate) matrix: &'a Matrix,
    pub(crate) couplings: &'a mut Couplings,
    pub(crate) multigrid: &'a mut Multigrid,
    pub(crate) bodies: &'a mut Narrow,
    /// What points of a body share, off the matrix.
    pub(crate) shared: &'a [Shared],
}

impl System<'_> {
    /// Unknowns of points.
    fn points(&self) -> usize {
        self.matrix.len()
    }

    /// Sets `y` to the product with `x`, and returns their scalar product.
    fn multiply(&mut self, x: &[Lane4], y: &mut [Lane4]) -> f64 {
        let first = self.points();
        let (points, bodies) = y.split_at_mut(first);
        self.couplings.prepare(x, first);
        let couplings = &*self.couplings;
        self.matrix.multiply(x, points, |i| couplings.at(i, x))
            + take_off(self.shared, x, points)
            + self.bodies.multiply(&x[first..], bodies, |i| couplings.on_body(i))
    }

    /// Bytes that one iteration moves: the product, which reads one vector and writes another, the step along the
    /// direction, the preconditioner, and the next direction.
    fn bytes_per_iteration(&self) -> u64 {
        self.matrix.bytes()
            + self.couplings.bytes()
            + bytes_of_vectors(self.matrix, 2 + 6 + 3)
            + bytes_per_cycle(self.matrix, self.couplings, self.multigrid)
    }

    /// Makes `z`, the forward sweep of `r` on points, the preconditioned residual of all; returns `r . z`.
    fn finish_cycle(&mut self, r: &[Lane4], z: &mut [Lane4], old: &mut [Lane4]) -> f64 {
        let first = self.points();
        let ((r, r_bodies), (z, z_bodies)) = (r.split_at(first), z.split_at_mut(first));
        finish_cycle(self.matrix, self.couplings, self.multigrid, r, z, &mut old[..first])
            + correct(self.shared, r, z)
            + self.bodies.sweep(r_bodies, z_bodies)
    }
}

/// Bytes of `count` vectors of the points of `matrix`.
fn bytes_of_vectors(matrix: &Matrix, count: usize) -> u64 {
    (count * matrix.len() * size_of::<Lane4>()) as u64
}

/// Bytes that the preconditioner moves: a sweep and what it leaves are one pass over the matrix, the sweep back
/// another; they read the residual and the iterate before, and the iterate is swept, corrected and swept back.
pub(crate) fn bytes_per_cycle(
    matrix: &Matrix,
    couplings: &Couplings,
    multigrid: &Multigrid,
) -> u64 {
    2 * (matrix.bytes() + matrix.bytes_of_smoother() + couplings.bytes_of_rows())
        + multigrid.bytes_per_cycle()
        + bytes_of_vectors(matrix, 10)
}

/// When a solve is done: when the square of what is left in the norm of the preconditioner (the energy of
/// the error) is at most `enough` or `tolerance^2` of what it was, or after `most` iterations.
#[derive(Clone, Copy)]
pub(crate) struct Goal {
    pub(crate) tolerance: f64,
    pub(crate) enough: f64,
    pub(crate) most: u32,
}

/// Solutions are refined at most so often.
const MOST_ROUNDS: u32 = 3;

/// Solves `A x = b` from `x = 0` as far as `goal` says. `multiply(p, y)` sets `y = A p` in double precision.
///
/// A matrix so badly scaled that single precision makes it indefinite on the coarse levels is solved
/// without them.
pub(crate) fn solve(
    workspace: &mut Workspace,
    mut system: System<'_>,
    b: &[DVec3],
    x: &mut [DVec3],
    goal: Goal,
    mut multiply: impl FnMut(&[DVec3], &mut [DVec3]),
) -> Solved {
    let mut solved = Solved::default();
    if !refine(workspace, &mut system, b, x, goal, &mut solved, &mut multiply) {
        system.multigrid.leave_out();
        let good = refine(workspace, &mut system, b, x, goal, &mut solved, &mut multiply);
        if !good && !x.iter().all(|x| x.is_finite()) {
            x.fill(DVec3::ZERO);
        }
    }
    let iterations = u64::from(solved.iterations) * system.bytes_per_iteration();
    solved.bytes = bytes_per_cycle(system.matrix, system.couplings, system.multigrid) + iterations;
    solved
}

/// One application of the preconditioner: an estimate of the solution of `A x = b`. Returns its energy.
pub(crate) fn estimate(
    workspace: &mut Workspace,
    mut system: System<'_>,
    b: &[DVec3],
    x: &mut [DVec3],
) -> f64 {
    workspace.start(b);
    let Workspace { residual, preconditioned, old, .. } = workspace;
    sweep_forward(system.matrix, system.couplings, residual, preconditioned);
    let energy = system.finish_cycle(residual, preconditioned, old);
    update(preconditioned, x, |z, x| *x = z.to_f64());
    energy
}

impl Workspace {
    fn start(&mut self, b: &[DVec3]) {
        self.residual.resize(b.len(), Lane4::ZERO);
        update(b, &mut self.residual, |b, r| *r = Lane4::new(*b));
        for v in [&mut self.x, &mut self.preconditioned, &mut self.old, &mut self.product] {
            v.resize(b.len(), Lane4::ZERO);
        }
    }
}

/// Conjugate gradients, and again on what double precision finds left. False where they broke down.
fn refine(
    workspace: &mut Workspace,
    system: &mut System<'_>,
    b: &[DVec3],
    x: &mut [DVec3],
    goal: Goal,
    solved: &mut Solved,
    multiply: &mut impl FnMut(&[DVec3], &mut [DVec3]),
) -> bool {
    x.fill(DVec3::ZERO);
    workspace.start(b);
    let mut enough = None;
    for round in 0..MOST_ROUNDS {
        let before = solved.iterations;
        if !iterate(workspace, system, goal, &mut enough, solved) {
            return false;
        }
        if solved.iterations == before {
            break;
        }
        update(&workspace.x, x, |step, x| *x += step.to_f64());
        if round + 1 == MOST_ROUNDS || solved.iterations >= goal.most {
            break;
        }
        workspace.left.resize(b.len(), DVec3::ZERO);
        multiply(x, &mut workspace.left);
        let Workspace { left, residual, .. } = workspace;
        let drift = each(left, |first, left| {
            (first..).zip(left).fold(0.0, |sum, (i, left)| {
                *left = b[i] - *left;
                sum + (*left - residual[i].to_f64()).length_squared()
            })
        });
        update(left, residual, |left, r| *r = Lane4::new(*left));
        let size = sum(b.len(), |own| b[own].iter().map(|b| b.length_squared()).sum());
        if drift <= 0.25 * goal.tolerance * goal.tolerance * size {
            break;
        }
    }
    true
}

/// Sets `workspace.x` to a solution for `workspace.residual`, until `r P r` is at most `enough`; the
/// first call sets `enough`. False where matrix or preconditioner turn out not to be positive.
fn iterate(
    workspace: &mut Workspace,
    system: &mut System<'_>,
    goal: Goal,
    enough: &mut Option<f64>,
    solved: &mut Solved,
) -> bool {
    let Workspace { x, residual, preconditioned, old, direction, product, .. } = workspace;
    x.fill(Lane4::ZERO);
    let (matrix, points) = (system.matrix, system.points());
    sweep_forward(matrix, system.couplings, residual, preconditioned);
    let mut rz = system.finish_cycle(residual, preconditioned, old);
    copy(preconditioned, direction);
    let enough = *enough.get_or_insert_with(|| {
        solved.energy = rz;
        (rz * goal.tolerance * goal.tolerance).max(goal.enough)
    });
    // A number that is no number must end in the check below, not here.
    while solved.iterations < goal.most && (rz > enough || rz.is_nan()) {
        solved.iterations += 1;
        let curvature = system.multiply(direction, product);
        if !(rz > 0.0 && rz.is_finite() && curvature > 0.0 && curvature.is_finite()) {
            return false;
        }
        let alpha = (rz / curvature) as f32;
        let (d, y) = (&*direction, &*product);
        let go = |first: usize, x: &mut [Lane4], r: &mut [Lane4]| {
            for (k, i) in (first..first + x.len()).enumerate() {
                x[k] += d[i] * alpha;
                r[k] -= y[i] * alpha;
            }
        };
        let ((x, x_bodies), (r, r_bodies)) =
            (x.split_at_mut(points), residual.split_at_mut(points));
        let own = x.chunks_mut(chunk(points)).zip(r.chunks_mut(chunk(points)));
        let couplings = &*system.couplings;
        let points_of_z = &mut preconditioned[..points];
        in_turns(couplings.order(), Way::There, points_of_z, own, |first, z, (x, r), done| {
            go(first, x, r);
            sweep_chunk_forward(matrix, couplings, first, r, z, done);
            0.0
        });
        go(points, x_bodies, r_bodies);
        let next = system.finish_cycle(residual, preconditioned, old);
        let beta = (next / rz) as f32;
        rz = next;
        let z = &*preconditioned;
        each(direction, |first, chunk| {
            for (d, i) in chunk.iter_mut().zip(first..) {
                *d = z[i] + *d * beta;
            }
            0.0
        });
    }
    rz.is_finite()
}

/// Makes `z` one forward sweep from zero on `r`, of points.
fn sweep_forward(matrix: &Matrix, couplings: &Couplings, r: &[Lane4], z: &mut [Lane4]) {
    let z = &mut z[..matrix.len()];
    in_turns(couplings.order(), Way::There, z, repeat(()), |first, z, (), done| {
        sweep_chunk_forward(matrix, couplings, first, &r[first..first + z.len()], z, done);
        0.0
    });
}

/// Does so for the chunk `z` that starts at node `first`, after the `done` chunks.
fn sweep_chunk_forward(
    matrix: &Matrix,
    couplings: &Couplings,
    first: usize,
    r: &[Lane4],
    z: &mut [Lane4],
    done: &Done<'_, Lane4>,
) {
    let seen = couplings.chunk(first);
    matrix.sweep_forward(first, r, z, done.beside(first), |i, z| seen.there(i, z, done));
}

/// From the forward sweep `z` of `r` to the whole cycle; returns `r . z`.
fn finish_cycle(
    matrix: &Matrix,
    couplings: &Couplings,
    multigrid: &mut Multigrid,
    r: &[Lane4],
    z: &mut [Lane4],
    old: &mut [Lane4],
) -> f64 {
    multigrid.correct(matrix, couplings, z, old);
    let old = &*old;
    in_turns(couplings.order(), Way::Back, z, repeat(()), |first, z, (), done| {
        let seen = couplings.chunk(first);
        let beside = done.beside(first);
        matrix.sweep_backward(first, r, old, z, beside, |i, z| seen.back(i, z, done, old))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::next_centred as random;
    use crate::sim::linear::block_matrix::{Pattern, block_product};
    use crate::sim::linear::couplings::Part;
    use glam::DMat3;

    /// A sheet of springs in its edges and diagonals, crumpled a little, on weak springs to its place; one corner is
    /// fixed, and two far corners are coupled.
    struct Sheet {
        pattern: Pattern,
        blocks: Vec<DMat3>,
        fixed: Vec<bool>,
        x: Vec<DVec3>,
    }

    /// Nodes of four chunks.
    const SMALL: [u32; 2] = [60, 40];
    /// Nodes of more than 4096 pieces.
    const LARGE: [u32; 2] = [220, 180];

    fn sheet([wide, high]: [u32; 2]) -> Sheet {
        let mut seed = 5;
        let node = |i: u32, j: u32| j * wide + i;
        let mut edges = Vec::new();
        for j in 0..high {
            for i in 0..wide {
                for (di, dj) in [(1, 0), (0, 1), (1, 1)] {
                    if i + di < wide && j + dj < high {
                        edges.push([node(i, j), node(i + di, j + dj)]);
                    }
                }
            }
        }
        let size = (wide * high) as usize;
        let pattern = Pattern::new(size, edges.iter().map(|e| &e[..]));
        let x: Vec<DVec3> = (0..size as u32)
            .map(|n| {
                DVec3::new((n % wide) as f64, (n / wide) as f64, 0.6 * random(&mut seed)) * 0.02
            })
            .collect();
        let mut blocks = vec![DMat3::ZERO; pattern.columns.len()];
        for i in 0..size as u32 {
            blocks[pattern.slot(i, i) as usize] = DMat3::from_diagonal(DVec3::splat(3.0));
        }
        for &[a, b] in &edges {
            let d = (x[a as usize] - x[b as usize]).normalize();
            let block = DMat3::from_cols(d * d.x, d * d.y, d * d.z) * 1000.0;
            for (i, j, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                blocks[pattern.slot(i, j) as usize] += block * sign;
            }
        }
        let mut fixed = vec![false; size];
        fixed[0] = true;
        Sheet { pattern, blocks, fixed, x }
    }

    struct Parts {
        matrix: Matrix,
        couplings: Couplings,
        multigrid: Multigrid,
    }

    /// Nodes of a contact, and what it presses with.
    type Contact = (Vec<Part>, DMat3);

    /// Lays the sheet's second half on its first: contacts of some stiffness of nodes of one and corners of
    /// the other, which are in other chunks or in the same one.
    fn fold(sheet: &mut Sheet, wide: u32, stiffness: f64) -> Vec<Contact> {
        let size = sheet.x.len() as u32;
        let n = DVec3::new(0.1, 0.2, 1.0).normalize();
        let block = DMat3::from_cols(n * n.x, n * n.y, n * n.z) * stiffness;
        let has_corners = |i: u32| !i.is_multiple_of(wide) && i > wide;
        let nodes = (1..size / 2).filter(|i| !i.is_multiple_of(3) && has_corners(size - 1 - i));
        let contact = |node: u32| {
            let other = size - 1 - node;
            let part = |node, weight, side| Part { node, weight, side };
            let corners = [(other, -0.5), (other - 1, -0.25), (other - 1 - wide, -0.25)];
            let [a, b, c] = corners.map(|(node, weight)| part(node, weight, 1));
            vec![part(node, 1.0, 0), a, b, c]
        };
        let contacts: Vec<Contact> = nodes.map(|node| (contact(node), block)).collect();
        for (parts, block) in &contacts {
            for a in parts {
                for b in parts.iter().filter(|b| b.side == a.side) {
                    let slot = sheet.pattern.slot(a.node, b.node);
                    sheet.blocks[slot as usize] += *block * (a.weight * b.weight);
                }
            }
        }
        contacts
    }

    fn parts(sheet: &Sheet, contacts: &[Contact]) -> Parts {
        let nothing = Pattern { start: vec![0; sheet.x.len() + 1], columns: Vec::new() };
        let mut matrix = Matrix::new(&sheet.pattern, &nothing);
        matrix.refresh(&sheet.blocks, &[], &sheet.fixed);
        let mut multigrid = Multigrid::new(&matrix, &sheet.pattern, &sheet.x);
        let mut couplings = Couplings::default();
        couplings.clear(sheet.x.len());
        for (parts, block) in contacts {
            couplings.push(parts, None, block);
        }
        couplings.close(sheet.x.len(), 0);
        multigrid.refresh(&matrix, &couplings, &sheet.x, |_| 3.0);
        Parts { matrix, couplings, multigrid }
    }

    fn load(size: usize, seed: &mut u64) -> Vec<DVec3> {
        let mut b: Vec<DVec3> =
            (0..size).map(|_| DVec3::new(random(seed), random(seed), random(seed))).collect();
        b[0] = DVec3::ZERO;
        b
    }

    /// Conjugate gradients need a preconditioner that is symmetric and positive; that of a cycle that converges by itself
    /// is at most twice the inverse of the matrix.
    #[test]
    fn the_cycle_is_symmetric_and_positive() {
        for (size, is_large, is_folded) in
            [(SMALL, false, false), (LARGE, true, false), (SMALL, false, true), (LARGE, true, true)]
        {
            let mut sheet = sheet(size);
            let contacts = if is_folded { fold(&mut sheet, size[0], 1e5) } else { Vec::new() };
            let parts = parts(&sheet, &contacts);
            assert_eq!(parts.multigrid.is_large(), is_large);
            is_symmetric_and_positive(&sheet, parts);
        }
    }

    fn is_symmetric_and_positive(sheet: &Sheet, parts: Parts) {
        let Parts { matrix, couplings, mut multigrid } = parts;
        let mut seed = 11;
        let mut cycle = |r: &[DVec3]| -> Vec<DVec3> {
            let r: Vec<Lane4> = r.iter().map(|r| Lane4::new(*r)).collect();
            let mut z = vec![Lane4::ZERO; r.len()];
            let mut old = z.clone();
            sweep_forward(&matrix, &couplings, &r, &mut z);
            finish_cycle(&matrix, &couplings, &mut multigrid, &r, &mut z, &mut old);
            z.iter().map(|z| z.to_f64()).collect()
        };
        let energy = |z: &[DVec3]| {
            let z: Vec<Lane4> = z.iter().map(|z| Lane4::new(*z)).collect();
            matrix.multiply(&z, &mut z.clone(), |i| couplings.at(i, &z))
        };
        let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
        for _ in 0..4 {
            let (a, b) = (load(sheet.x.len(), &mut seed), load(sheet.x.len(), &mut seed));
            let (za, zb) = (cycle(&a), cycle(&b));
            assert_eq!(za[0], DVec3::ZERO, "a fixed node moves");
            let size = (dot(&a, &za) * dot(&b, &zb)).sqrt();
            assert!(dot(&a, &za) > 0.0);
            // Single precision leaves 1e-7 times a condition number of some thousands.
            assert!((dot(&a, &zb) - dot(&b, &za)).abs() < 1e-4 * size);
            assert!(energy(&za) < 2.0 * dot(&a, &za));
        }
    }

    /// `y = A x` of a sheet with contacts between its nodes, of which each side is in its blocks.
    fn multiply(sheet: &Sheet, contacts: &[Contact], x: &[DVec3], y: &mut [DVec3]) {
        block_product(&sheet.pattern, &sheet.blocks, x, y);
        for (parts, block) in contacts {
            for a in parts {
                for b in parts.iter().filter(|b| b.side != a.side) {
                    y[a.node as usize] += *block * x[b.node as usize] * (a.weight * b.weight);
                }
            }
        }
        y[0] = DVec3::ZERO;
    }

    /// A load, what it moves the sheet by, and the iterations that took.
    fn solved(sheet: &Sheet, contacts: &[Contact]) -> (Vec<DVec3>, Vec<DVec3>, u32) {
        let Parts { matrix, mut couplings, mut multigrid } = parts(sheet, contacts);
        let b = load(sheet.x.len(), &mut 23);
        let mut x = vec![DVec3::ZERO; sheet.x.len()];
        let system = System {
            matrix: &matrix,
            couplings: &mut couplings,
            multigrid: &mut multigrid,
            bodies: &mut Narrow::default(),
            shared: &[],
        };
        let goal = Goal { tolerance: 1e-3, enough: 0.0, most: 400 };
        let product = |p: &[DVec3], y: &mut [DVec3]| multiply(sheet, contacts, p, y);
        let solved = solve(&mut Workspace::default(), system, &b, &mut x, goal, product);
        (b, x, solved.iterations)
    }

    /// Contacts that are as stiff as the sheet cost few iterations more, since sweeps see them: 33 for 26, and 74 where
    /// they do not.
    #[test]
    fn contacts_cost_few_iterations() {
        let iterations = |stiffness: f64| {
            let mut sheet = sheet(SMALL);
            let contacts = fold(&mut sheet, SMALL[0], stiffness);
            solved(&sheet, &contacts).2
        };
        let [flat, folded] = [0.0, 1000.0].map(iterations);
        assert!(2 * folded <= 3 * flat, "{folded} iterations, {flat} without contact");
    }

    #[test]
    fn solves_in_few_iterations_to_double_precision_residuals() {
        let mut sheet = sheet(SMALL);
        let size = sheet.x.len();
        let (first, last) = (1, size as u32 - 1);
        let block = DMat3::from_diagonal(DVec3::new(50.0, 20.0, 0.0));
        for end in [first, last] {
            sheet.blocks[sheet.pattern.slot(end, end) as usize] += block;
        }
        let ends = vec![
            Part { node: first, weight: 1.0, side: 0 },
            Part { node: last, weight: -1.0, side: 1 },
        ];
        let contacts = [(ends, block)];
        let (b, x, iterations) = solved(&sheet, &contacts);
        assert!(iterations <= 30, "{iterations} iterations");
        let mut left = vec![DVec3::ZERO; size];
        multiply(&sheet, &contacts, &x, &mut left);
        let norm = |v: &[DVec3]| v.iter().map(|v| v.length_squared()).sum::<f64>().sqrt();
        let rest: Vec<DVec3> = b.iter().zip(&left).map(|(b, l)| *b - *l).collect();
        assert!(norm(&rest) < 1e-2 * norm(&b), "{} of {}", norm(&rest), norm(&b));
    }
}
