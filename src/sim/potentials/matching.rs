//! Shape matching (Mueller, Heidelberger, Teschner and Gross 2005) as a potential: points are drawn to goals,
//! which are the shape at rest moved to fit them best.
//!
//! `E = k/2 sum m_i ((1 - give) |x_i - r_i|^2 + give |x_i - p_i|^2)` with the best rigid fit r and the best
//! linear or quadratic fit p, both by least squares over the mass. Since each fit makes its own sum as
//! small as can be, the gradient is `k m_i (x_i - (1 - give) r_i - give p_i)`: the goals of the paper. No
//! motion of the body as one changes E, so momentum and angular momentum stay what they are.

use super::svd::{eigen, nearest_rotation};
use crate::math::outer;
use crate::scene::{MatchingMode, Plastic, ShapeMatching};
use crate::sim::linear::shared::{Shared, Space};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Time within which a body makes up the part `stiffness` of its deviation [s].
const WITHIN: f64 = 1.0 / 60.0;

/// Largest stiffness: more is as good as rigid.
const STIFFEST: f64 = 0.999;

/// A body that is held to its shape.
#[derive(Clone, Debug)]
pub(crate) struct Matching {
    /// Index of the body.
    pub(crate) body: usize,
    space: Arc<Space>,
    /// Places of the points at rest about their centre of mass [m].
    rest: Vec<DVec3>,
    /// `sum m f q` of each function of the space.
    moments: Vec<DVec3>,
    /// k [1/s2].
    stiffness: f64,
    give: f64,
    plastic: Option<Plastic>,
}

/// How the points lie.
pub(crate) struct Fit {
    /// Centre of mass [m].
    center: DVec3,
    /// The rotation that fits best, after the plastic part.
    turn: DMat3,
    /// Coefficients of the best fit in the space.
    coefficients: Vec<DVec3>,
}

impl Matching {
    /// A body whose points from node `first` on have masses, and lie at `rest` without strain.
    pub(crate) fn new(
        body: usize,
        first: usize,
        mass: Vec<f64>,
        rest: &[DVec3],
        settings: &ShapeMatching,
    ) -> Self {
        let total: f64 = mass.iter().sum();
        let center = rest.iter().zip(&mass).map(|(q, m)| *q * *m).sum::<DVec3>() / total;
        let rest: Vec<DVec3> = rest.iter().map(|q| *q - center).collect();
        let size = rest.iter().fold(0.0, |s: f64, q| s.max(q.length())).max(f64::MIN_POSITIVE);
        let mut functions: Vec<fn(DVec3) -> f64> = vec![|_| 1.0, |q| q.x, |q| q.y, |q| q.z];
        if settings.mode == MatchingMode::Quadratic {
            functions.extend([
                (|q| q.x * q.x) as fn(DVec3) -> f64,
                |q| q.y * q.y,
                |q| q.z * q.z,
                |q| q.x * q.y,
                |q| q.y * q.z,
                |q| q.z * q.x,
            ]);
        }
        let values = functions.iter().map(|f| rest.iter().map(|q| f(*q / size)).collect());
        let space = Space::new(first, mass, values.collect());
        let part = settings.stiffness.min(STIFFEST);
        Self {
            body,
            moments: space.coefficients(|i| rest[i]),
            space: Arc::new(space),
            rest,
            stiffness: part / (1.0 - part) / (WITHIN * WITHIN),
            give: if settings.mode == MatchingMode::Rigid { 0.0 } else { settings.give },
            plastic: settings.plastic,
        }
    }

    /// `sum m (x - c) q^T` and its counterpart at rest.
    fn moments_of(&self, x: &[DVec3], center: DVec3) -> (DMat3, DMat3) {
        let own = &x[self.space.first..];
        let (mut there, mut at_rest) = (DMat3::ZERO, DMat3::ZERO);
        for ((q, m), x) in self.rest.iter().zip(&self.space.mass).zip(own) {
            there += outer(*x - center, *q * *m);
            at_rest += outer(*q, *q * *m);
        }
        (there, at_rest)
    }

    /// The best fits to the points in `x`.
    pub(crate) fn fit(&self, x: &[DVec3], plastic: &DMat3) -> Fit {
        let first = self.space.first;
        let coefficients = self.space.coefficients(|i| x[first + i]);
        let center = coefficients[0] * self.space.functions[0][0];
        let (there, _) = self.moments_of(x, center);
        let turn = nearest_rotation(&(there * plastic.transpose()));
        Fit { center, turn, coefficients }
    }

    fn goal(&self, fit: &Fit, plastic: &DMat3, i: usize) -> DVec3 {
        let rigid = fit.center + fit.turn * (*plastic * self.rest[i]);
        if self.give == 0.0 {
            return rigid;
        }
        rigid.lerp(self.space.at(&fit.coefficients, i), self.give)
    }

    /// Its nodes with their goals at `x`.
    pub(crate) fn goals(
        &self,
        x: &[DVec3],
        plastic: &DMat3,
    ) -> impl Iterator<Item = (usize, DVec3)> {
        let (fit, first, plastic) = (self.fit(x, plastic), self.space.first, *plastic);
        (0..self.rest.len()).map(move |i| (first + i, self.goal(&fit, &plastic, i)))
    }

    /// The linear map of the shape at rest that fits best; where the points say nothing, since they lie
    /// in a plane or on a line, it turns.
    fn deformation(&self, x: &[DVec3]) -> DMat3 {
        let fit = self.fit(x, &DMat3::IDENTITY);
        let (there, at_rest) = self.moments_of(x, fit.center);
        let (values, vectors) = eigen(&at_rest);
        let least = 1e-9 * values.max_element();
        let inverse =
            DVec3::from_array(values.to_array().map(|v| if v > least { 1.0 / v } else { 0.0 }));
        let silent =
            DVec3::from_array(values.to_array().map(|v| if v > least { 0.0 } else { 1.0 }));
        let in_frame = |d: DVec3| vectors * DMat3::from_diagonal(d) * vectors.transpose();
        there * in_frame(inverse) + fit.turn * in_frame(silent)
    }

    /// Plastic part after `h` seconds at `x`.
    pub(crate) fn flow(&self, x: &[DVec3], plastic: &DMat3, h: f64) -> DMat3 {
        match &self.plastic {
            None => *plastic,
            Some(material) => material.flow(&self.deformation(x), plastic, h),
        }
    }

    /// Energy at `x` [J].
    pub(crate) fn elastic_energy(&self, x: &[DVec3], plastic: &DMat3) -> f64 {
        let fit = self.fit(x, plastic);
        let own = &x[self.space.first..];
        let one = |i: usize| {
            let rigid = own[i] - (fit.center + fit.turn * (*plastic * self.rest[i]));
            let free = own[i] - self.space.at(&fit.coefficients, i);
            let sum =
                (1.0 - self.give) * rigid.length_squared() + self.give * free.length_squared();
            0.5 * self.stiffness * self.space.mass[i] * sum
        };
        (0..self.rest.len()).map(one).sum()
    }

    /// Adds the gradient at `x` [N].
    pub(crate) fn add(&self, x: &[DVec3], plastic: &DMat3, gradient: &mut [DVec3]) {
        let fit = self.fit(x, plastic);
        let first = self.space.first;
        for (i, m) in self.space.mass.iter().enumerate() {
            let off = x[first + i] - self.goal(&fit, plastic, i);
            gradient[first + i] += off * (self.stiffness * m);
        }
    }

    /// Its nodes with the stiffness that each has by itself [N/m].
    pub(crate) fn stiffnesses(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        (self.space.first as u32..).zip(self.space.mass.iter().map(|m| m * self.stiffness))
    }

    /// What its points share at `x`, with `inertia` [N/m] of all nodes and whether they are given: the second
    /// derivative as Gauss and Newton have it.
    pub(crate) fn shared(
        &self,
        x: &[DVec3],
        plastic: &DMat3,
        inertia: &[f64],
        given: &[bool],
    ) -> Shared {
        let turn = self.fit(x, plastic).turn * *plastic;
        let count = self.space.functions.len();
        let mut turns: Vec<Vec<DVec3>> = Vec::new();
        for axis in DVec3::AXES {
            let mut shift = vec![DVec3::ZERO; count];
            shift[0] = axis;
            turns.push(shift);
        }
        for axis in DVec3::AXES {
            let mut about: Vec<DVec3> =
                self.moments.iter().map(|moment| axis.cross(turn * *moment)).collect();
            let size = |v: &[DVec3]| v.iter().map(|v| v.length_squared()).sum::<f64>().sqrt();
            let before = size(&about);
            for _ in 0..2 {
                for other in &turns {
                    let along: f64 = other.iter().zip(&about).map(|(o, a)| o.dot(*a)).sum();
                    about.iter_mut().zip(other).for_each(|(a, o)| *a -= *o * along);
                }
            }
            let left = size(&about);
            if left > 1e-6 * before {
                for a in &mut about {
                    *a /= left;
                }
                turns.push(about);
            }
        }
        let own = self.space.first..self.space.first + self.rest.len();
        let total: f64 = self.space.mass.iter().sum();
        Shared {
            space: Arc::clone(&self.space),
            turns,
            stiffness: self.stiffness,
            give: self.give,
            inertia: inertia[own.clone()].iter().sum::<f64>() / total,
            given: given[own].to_vec(),
        }
    }
}

#[cfg(test)]
mod tests;
