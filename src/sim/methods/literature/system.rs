//! The linear system of an implicit step (Baraff and Witkin 1998; Carvalho 2012, equations 4.21 to
//! 4.25): `(M - s^2 df/dx - s df/dv) dv = s f + s^2 df/dx v` with s the step, or the part of it that a
//! method weighs the new slopes with.

use super::{Dynamics, Step};
use crate::sim::forces::lattice::Jacobian;
use crate::sim::linear::block_matrix::{Pattern, block_product};
use glam::{DMat3, DVec3};

/// `A y = b`; held points have no unknown: their y is 0.
pub(super) struct System<'a> {
    pattern: &'a Pattern,
    blocks: Vec<DMat3>,
    /// Inverse of each diagonal block; zero for held points.
    inverse: Vec<DMat3>,
    pub(super) right: Vec<DVec3>,
    held: Vec<bool>,
}

impl<'a> System<'a> {
    /// The system of linearised implicit Euler. A `positive` one is symmetric and positive definite.
    pub(super) fn implicit_euler(dynamics: &mut Dynamics<'a>, step: &Step, positive: bool) -> Self {
        let (x, v, h) = (step.x, step.v, step.h);
        let end = step.time + h;
        let forces = dynamics.forces(x, v, end);
        let jacobian = dynamics.jacobian(x, v, end, positive);
        let mut pulled = vec![DVec3::ZERO; x.len()];
        block_product(jacobian.pattern, &jacobian.by_x, v, &mut pulled);
        let right = forces.iter().zip(&pulled).map(|(f, p)| *f * h + *p * (h * h)).collect();
        Self::new(dynamics, &jacobian, h, right)
    }

    /// `M - s^2 df/dx - s df/dv` with the right side `right`.
    pub(super) fn new(
        dynamics: &Dynamics<'a>,
        jacobian: &Jacobian<'a>,
        s: f64,
        mut right: Vec<DVec3>,
    ) -> Self {
        let pattern = jacobian.pattern;
        let n = right.len();
        let held: Vec<bool> = (0..n).map(|i| dynamics.holds(i)).collect();
        let mut blocks: Vec<DMat3> = jacobian
            .by_x
            .iter()
            .zip(&jacobian.by_v)
            .map(|(by_x, by_v)| *by_x * (-s * s) - *by_v * s)
            .collect();
        let mut inverse = vec![DMat3::ZERO; n];
        for i in 0..n {
            let own = pattern.slot(i as u32, i as u32) as usize;
            if held[i] {
                right[i] = DVec3::ZERO;
                continue;
            }
            blocks[own] += DMat3::from_diagonal(DVec3::splat(dynamics.model.mass[i]));
            inverse[i] = blocks[own].inverse();
        }
        Self { pattern, blocks, inverse, right, held }
    }

    /// The solution if nothing were coupled: what sweeps start from.
    pub(super) fn first_guess(&self) -> Vec<DVec3> {
        self.inverse.iter().zip(&self.right).map(|(inverse, b)| *inverse * *b).collect()
    }

    /// What y of point i would be with the other points' as they are.
    pub(super) fn solved_for(&self, i: usize, y: &[DVec3]) -> DVec3 {
        let range = self.pattern.range(i);
        let mut rest = self.right[i];
        for (&j, block) in self.pattern.columns[range.clone()].iter().zip(&self.blocks[range]) {
            if j as usize != i {
                rest -= *block * y[j as usize];
            }
        }
        self.inverse[i] * rest
    }

    /// `b - A y`, preconditioned by the diagonal blocks: about how far each velocity is off [m/s].
    pub(super) fn distance(&self, y: &[DVec3]) -> f64 {
        let off = |i: usize| (self.solved_for(i, y) - y[i]).length();
        (0..y.len()).map(off).fold(0.0, f64::max)
    }

    /// `out = A y` for the points that are not held.
    fn multiply(&self, y: &[DVec3], out: &mut [DVec3]) {
        block_product(self.pattern, &self.blocks, y, out);
        for (out, _) in out.iter_mut().zip(&self.held).filter(|(_, held)| **held) {
            *out = DVec3::ZERO;
        }
    }

    /// Solves a positive system by conjugate gradients, preconditioned by the diagonal blocks, until no
    /// velocity is off by more than `tolerance` [m/s] or `most` iterations are done; how many were.
    pub(super) fn conjugate_gradients(&self, y: &mut [DVec3], tolerance: f64, most: u32) -> u32 {
        let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
        let conditioned = |r: &[DVec3]| -> Vec<DVec3> {
            self.inverse.iter().zip(r).map(|(inverse, r)| *inverse * *r).collect()
        };
        let mut product = vec![DVec3::ZERO; y.len()];
        self.multiply(y, &mut product);
        let mut r: Vec<DVec3> = self.right.iter().zip(&product).map(|(b, p)| *b - *p).collect();
        let mut z = conditioned(&r);
        let mut direction = z.clone();
        let mut size = dot(&r, &z);
        for iteration in 0..most {
            if z.iter().all(|z| z.length() <= tolerance) {
                return iteration;
            }
            self.multiply(&direction, &mut product);
            let along = size / dot(&direction, &product);
            for i in 0..y.len() {
                y[i] += direction[i] * along;
                r[i] -= product[i] * along;
            }
            z = conditioned(&r);
            let next = dot(&r, &z);
            for (direction, z) in direction.iter_mut().zip(&z) {
                *direction = *z + *direction * (next / size);
            }
            size = next;
        }
        most
    }

    /// Ends a step of implicit Euler: `v' = v + y`, `x' = x + h v'`.
    pub(super) fn finish(&self, step: &mut Step, y: &[DVec3], iterations: u32) {
        let (v, h) = (step.v, step.h);
        step.quality.linear_iterations += iterations;
        step.quality.residual = self.distance(y);
        step.fill(|i| (v[i] + y[i]) * h, |i| y[i]);
    }
}
