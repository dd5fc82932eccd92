//! How the multipliers of exact ties take over what their penalties hold.
//!
//! Multipliers that go on from substep to substep are an integral control of the differences d. Take a mode
//! of the ties in which unit forces move d by `a`, the penalty `rho`, and a multiplier that takes over the
//! part p of `rho d` in every substep. Backward Euler then has the characteristic equation
//! `w^3 + g (1 - p) w + p g = 0` with `g = a rho h^2` and `w = 1 - 1/z`. For g < 1 it is stable only where
//! p < g: with p = 1, what a tonne on a chain of two-kilogramme links swings by along the chain grows by
//! an eighth in every substep. With `p = g / (2 + g)` all modes are stable; stiff ones are taken over at once,
//! soft ones in as many substeps as they can bear.
//!
//! With S the matrix of what unit forces move (`J M^-1 J^T`, rigid bodies moving as such) and
//! `G = rho h^2 S` that is `(2 + G)^-1 G rho d`, found by conjugate gradients.

use super::tie::ActiveTie;
use crate::sim::linear::barred::Barred;
use crate::sim::model::Model;
use glam::DVec3;

/// Relative error of the solution, in the norm of the residual.
const TOLERANCE: f64 = 1e-8;

/// Most iterations; the matrix has no eigenvalue below 2 and hardly any above a few hundred.
const MOST_ITERATIONS: u32 = 300;

/// Moves the multipliers of all exact `ties` at the iterate `z` of a substep of `h` seconds.
/// `inverse_mass` is that of all nodes [1/kg].
pub(crate) fn update(
    model: &Model,
    ties: &mut [ActiveTie],
    inverse_mass: &[f64],
    z: &[DVec3],
    h: f64,
) {
    let own: Vec<usize> = (0..ties.len()).filter(|t| ties[*t].is_exact()).collect();
    if own.is_empty() {
        return;
    }
    let system = System::new(model, ties, &own, inverse_mass, z, h);
    let held: Vec<DVec3> =
        own.iter().map(|t| ties[*t].difference(z) * ties[*t].rho().sqrt()).collect();
    let mut right = vec![DVec3::ZERO; own.len()];
    let mut forces = vec![DVec3::ZERO; system.inverse_mass.len()];
    system.apply(&held, &mut forces, &mut right);
    let taken = system.solve(&right, &mut forces);
    for (t, taken) in own.iter().zip(taken) {
        let tie = &mut ties[*t];
        let change = taken * tie.rho().sqrt();
        tie.take_over(z, change);
    }
}

/// `2 + G` in units in which all penalties are 1.
struct System<'a> {
    ties: &'a [ActiveTie],
    own: &'a [usize],
    /// Nodes of each tie as places in the list of all that have one, with their weights.
    parts: Vec<Vec<(usize, f64)>>,
    inverse_mass: Vec<f64>,
    barred: Vec<Barred>,
    h: f64,
}

impl<'a> System<'a> {
    fn new(
        model: &Model,
        ties: &'a [ActiveTie],
        own: &'a [usize],
        inverse_mass: &[f64],
        z: &[DVec3],
        h: f64,
    ) -> Self {
        let in_ties = own.iter().flat_map(|t| ties[*t].spread.parts().map(|(i, _)| i));
        let mut nodes: Vec<usize> = in_ties.collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut barred = Vec::new();
        for rigid in &model.rigids {
            let first = nodes.partition_point(|i| *i < rigid.first);
            let last = nodes.partition_point(|i| *i < rigid.first + 4);
            if first < last {
                nodes.splice(first..last, rigid.nodes());
                barred.push(Barred::new(first, &rigid.strains(z)));
            }
        }
        let place = |i: usize| nodes.binary_search(&i).unwrap_or_default();
        let parts = own
            .iter()
            .map(|t| ties[*t].spread.parts().map(|(i, w)| (place(i), w)).collect())
            .collect();
        let inverse_mass = nodes.iter().map(|i| inverse_mass[*i]).collect();
        Self { ties, own, parts, inverse_mass, barred, h }
    }

    /// `G p`; `forces` is scratch.
    fn apply(&self, p: &[DVec3], forces: &mut [DVec3], out: &mut [DVec3]) {
        forces.fill(DVec3::ZERO);
        let root = |t: &usize| self.ties[*t].rho().sqrt() * self.h;
        for ((t, parts), p) in self.own.iter().zip(&self.parts).zip(p) {
            let force = self.ties[*t].along(*p) * root(t);
            for (i, weight) in parts {
                forces[*i] += force * *weight;
            }
        }
        for body in &self.barred {
            body.take_out(forces);
        }
        for (force, inverse) in forces.iter_mut().zip(&self.inverse_mass) {
            *force *= *inverse;
        }
        for ((t, parts), out) in self.own.iter().zip(&self.parts).zip(out) {
            let moved: DVec3 = parts.iter().map(|(i, weight)| forces[*i] * *weight).sum();
            *out = self.ties[*t].along(moved) * root(t);
        }
    }

    /// The solution of `(2 + G) y = right`.
    fn solve(&self, right: &[DVec3], forces: &mut [DVec3]) -> Vec<DVec3> {
        let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
        let mut y = vec![DVec3::ZERO; right.len()];
        let (mut residual, mut direction) = (right.to_vec(), right.to_vec());
        let mut product = vec![DVec3::ZERO; right.len()];
        let mut size = dot(&residual, &residual);
        let enough = size * TOLERANCE * TOLERANCE;
        for _ in 0..MOST_ITERATIONS {
            if size <= enough || size == 0.0 {
                break;
            }
            self.apply(&direction, forces, &mut product);
            for (product, direction) in product.iter_mut().zip(&direction) {
                *product += *direction * 2.0;
            }
            let step = size / dot(&direction, &product);
            for (y, direction) in y.iter_mut().zip(&direction) {
                *y += *direction * step;
            }
            for (residual, product) in residual.iter_mut().zip(&product) {
                *residual -= *product * step;
            }
            let before = size;
            size = dot(&residual, &residual);
            for (direction, residual) in direction.iter_mut().zip(&residual) {
                *direction = *residual + *direction * (size / before);
            }
        }
        y
    }
}
