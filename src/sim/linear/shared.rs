//! Motions that the points of a body make together at little cost, as those of a body that is held to a shape:
//! what is taken off a stiffness on every point again, and how it is preconditioned.
//!
//! With mass m and stiffness k the points alone would have `(s + k) M`, s being their inertia over the
//! mass. Of motions in the span of some functions of the points' places at rest the part `give` is free of
//! k, and of those that move the body as one all. In coordinates of functions that are orthonormal
//! over the mass all this is diagonal, so that the preconditioner for points alone becomes exact with two
//! more products (Sherman, Morrison and Woodbury).

use super::lanes::Lane4;
use glam::DVec3;
use std::sync::Arc;

/// Functions on the points of a body, orthonormal over their masses.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    /// Its first node.
    pub(crate) first: usize,
    /// Mass of each point [kg].
    pub(crate) mass: Vec<f64>,
    /// Values of each function at the points [kg^-1/2]; the first is constant.
    pub(crate) functions: Vec<Vec<f64>>,
}

impl Space {
    /// Orthonormal functions with the span of `given` (values at the points), the first of which must not
    /// vanish; those that hardly differ from the ones before are left out.
    pub(crate) fn new(first: usize, mass: Vec<f64>, given: Vec<Vec<f64>>) -> Self {
        let mut space = Self { first, mass, functions: Vec::new() };
        for mut f in given {
            let before = space.product(&f, &f).sqrt();
            // Twice is enough (Kahan).
            for _ in 0..2 {
                for g in &space.functions {
                    let part = space.product(&f, g);
                    f.iter_mut().zip(g).for_each(|(f, g)| *f -= part * g);
                }
            }
            let size = space.product(&f, &f).sqrt();
            if size > 1e-6 * before {
                for f in &mut f {
                    *f /= size;
                }
                space.functions.push(f);
            }
        }
        space
    }

    fn product(&self, f: &[f64], g: &[f64]) -> f64 {
        self.mass.iter().zip(f).zip(g).map(|((m, f), g)| m * f * g).sum()
    }

    /// `sum m f x` for each function, of values at the points.
    pub(crate) fn coefficients(&self, x: impl Fn(usize) -> DVec3) -> Vec<DVec3> {
        self.sums(|i| x(i) * self.mass[i])
    }

    /// `sum f r` for each function.
    fn sums(&self, r: impl Fn(usize) -> DVec3) -> Vec<DVec3> {
        let mut sums = vec![DVec3::ZERO; self.functions.len()];
        for i in 0..self.mass.len() {
            let r = r(i);
            for (sum, f) in sums.iter_mut().zip(&self.functions) {
                *sum += r * f[i];
            }
        }
        sums
    }

    /// The field with the given coefficients at point `i`.
    pub(crate) fn at(&self, coefficients: &[DVec3], i: usize) -> DVec3 {
        coefficients.iter().zip(&self.functions).map(|(c, f)| *c * f[i]).sum()
    }
}

/// What is shared by the points of a body at an iterate.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) space: Arc<Space>,
    /// Motions of the body as one, orthonormal, as coefficients.
    pub(crate) turns: Vec<Vec<DVec3>>,
    /// Stiffness on each point over its mass [1/s2], which the matrix has.
    pub(crate) stiffness: f64,
    /// Part of it that other motions in the space are free of.
    pub(crate) give: f64,
    /// Inertia of the points over their mass [1/s2].
    pub(crate) inertia: f64,
    /// Points that do not move.
    pub(crate) given: Vec<bool>,
}

impl Shared {
    fn only_free(&self, i: usize, v: DVec3) -> DVec3 {
        if self.given[i] { DVec3::ZERO } else { v }
    }

    /// `part c + whole (the part of c that moves the body as one)`.
    fn mixed(&self, c: &[DVec3], part: f64, whole: f64) -> Vec<DVec3> {
        let mut mixed: Vec<DVec3> = c.iter().map(|c| *c * part).collect();
        for turn in &self.turns {
            let along: f64 = turn.iter().zip(c).map(|(t, c)| t.dot(*c)).sum();
            for (mixed, t) in mixed.iter_mut().zip(turn) {
                *mixed += *t * (along * whole);
            }
        }
        mixed
    }

    /// What is to be taken off a product with the values that `p` reads: calls `each` with node and amount.
    /// Returns what that takes off `p A p`.
    pub(crate) fn taken_off(
        &self,
        p: impl Fn(usize) -> DVec3,
        mut each: impl FnMut(usize, DVec3),
    ) -> f64 {
        let space = &self.space;
        let c = space.coefficients(|i| self.only_free(i, p(space.first + i)));
        let k = self.stiffness;
        let d = self.mixed(&c, k * self.give, k * (1.0 - self.give));
        for i in 0..space.mass.len() {
            each(space.first + i, self.only_free(i, space.at(&d, i) * space.mass[i]));
        }
        c.iter().zip(&d).map(|(c, d)| c.dot(*d)).sum()
    }

    /// What is to be added to the preconditioned residual: as [`Shared::taken_off`].
    fn added(&self, r: impl Fn(usize) -> DVec3, mut each: impl FnMut(usize, DVec3)) -> f64 {
        let space = &self.space;
        let c = space.sums(|i| self.only_free(i, r(space.first + i)));
        let (s, k) = (self.inertia, self.stiffness);
        let kept = 1.0 / (s + k * (1.0 - self.give));
        let e = self.mixed(&c, kept - 1.0 / (s + k), 1.0 / s - kept);
        for i in 0..space.mass.len() {
            each(space.first + i, self.only_free(i, space.at(&e, i)));
        }
        c.iter().zip(&e).map(|(c, e)| c.dot(*e)).sum()
    }
}

/// Takes what is shared off the product `y` with `p`; returns what that adds to `p . y`.
pub(crate) fn take_off(shared: &[Shared], p: &[Lane4], y: &mut [Lane4]) -> f64 {
    let own =
        |s: &Shared| s.taken_off(|i| p[i].to_f64(), |i, v| y[i] = Lane4::new(y[i].to_f64() - v));
    -shared.iter().map(own).fold(0.0, |sum, v| sum + v)
}

/// Adds what is shared to the preconditioned residual `z` of `r`; returns what that adds to `r . z`.
pub(crate) fn correct(shared: &[Shared], r: &[Lane4], z: &mut [Lane4]) -> f64 {
    let own = |s: &Shared| s.added(|i| r[i].to_f64(), |i, v| z[i] = Lane4::new(z[i].to_f64() + v));
    shared.iter().map(own).fold(0.0, |sum, v| sum + v)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On points alone, the correction makes the inverse of the points exact.
    #[test]
    fn corrected_inverse_and_product_are_inverse() {
        let x: Vec<DVec3> = (0..9)
            .map(|i| DVec3::new(f64::from(i % 3), f64::from(i / 3), f64::from(i * i % 5)))
            .collect();
        let mass: Vec<f64> = (0..9).map(|i| 1.0 + 0.1 * f64::from(i)).collect();
        let given = vec![
            vec![1.0; 9],
            x.iter().map(|p| p.x).collect(),
            x.iter().map(|p| p.y).collect(),
            x.iter().map(|p| p.x + p.y).collect(),
            x.iter().map(|p| p.z).collect(),
        ];
        let space = Arc::new(Space::new(0, mass.clone(), given));
        assert_eq!(space.functions.len(), 4, "one of them is the sum of two");
        for (a, f) in space.functions.iter().enumerate() {
            for (b, g) in space.functions.iter().enumerate() {
                let expected = if a == b { 1.0 } else { 0.0 };
                assert!((space.product(f, g) - expected).abs() < 1e-12);
            }
        }
        let mut turns: Vec<Vec<DVec3>> = Vec::new();
        for axis in DVec3::AXES {
            turns.push(vec![axis, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO]);
        }
        let (stiffness, give, inertia) = (50.0, 0.3, 4.0);
        let given = vec![false; 9];
        let shared = Shared { space, turns, stiffness, give, inertia, given };
        let r: Vec<DVec3> = x.iter().map(|p| DVec3::new(p.y, -p.z, p.x * p.y)).collect();
        let mut z: Vec<DVec3> =
            r.iter().zip(&mass).map(|(r, m)| *r / (m * (inertia + stiffness))).collect();
        shared.added(|i| r[i], |i, v| z[i] += v);
        let mut back: Vec<DVec3> =
            z.iter().zip(&mass).map(|(z, m)| *z * (m * (inertia + stiffness))).collect();
        shared.taken_off(|i| z[i], |i, v| back[i] -= v);
        for (back, r) in back.iter().zip(&r) {
            assert!(back.distance(*r) < 1e-10, "{back} {r}");
        }
    }
}
