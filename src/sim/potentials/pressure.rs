//! Pressure from inside: `p A n / 3` on each corner of a triangle of area A and normal n [N].
//!
//! A sealed gas has `p = (p0 + p_out) V0 / V - p_out` [Pa] with the volume V [m3], V0 at the start,
//! and p_out outside. It is the gradient of `-(p0 + p_out) V0 ln V + p_out V`; of its Hessian the term
//! `(p0 + p_out) V0 / V^2 grad V grad V^T` is kept, which is positive semi-definite and of rank one.

use crate::geometry::TriMesh;
use crate::sim::cage::Carried;
use glam::DVec3;
use std::ops::Range;

/// Part of the volume at the start below which a gas is pressed no further.
const SMALLEST: f64 = 0.01;

/// The triangles around an inside.
#[derive(Clone, Debug)]
pub(crate) struct Bag {
    /// Index of the body.
    pub(crate) body: usize,
    sealed: bool,
    triangles: Vec<[u32; 3]>,
    first: u32,
    nodes: usize,
    /// What carries each of its vertices, and the nodes that do; empty where they move by themselves.
    carried: Vec<Carried>,
    movers: Range<usize>,
    /// Volume at the start [m3].
    volume: f64,
}

impl Bag {
    /// The inside of a body whose nodes begin at `first`.
    pub(crate) fn new(body: usize, sealed: bool, mesh: &TriMesh, first: u32) -> Self {
        Self {
            body,
            sealed,
            triangles: mesh.triangles.iter().map(|t| t.map(|i| i + first)).collect(),
            first,
            nodes: mesh.positions.len(),
            carried: Vec::new(),
            movers: 0..0,
            volume: mesh.volume(),
        }
    }

    /// The inside of a surface that the nodes `movers` carry; of one that moves by itself without any.
    pub(crate) fn carried(self, carried: Vec<Carried>, movers: Range<usize>) -> Self {
        Self { carried, movers, ..self }
    }

    /// Adds the gradient at `z` [N] for `pressure` over that outside [Pa]; gives the gas where it is
    /// sealed.
    pub(crate) fn add(
        &self,
        pressure: f64,
        outside: f64,
        z: &[DVec3],
        gradient: &mut [DVec3],
    ) -> Option<Gas> {
        let mut first = self.first as usize;
        let origin = z[first];
        let mut slopes = vec![DVec3::ZERO; self.nodes];
        let mut volume = 0.0;
        for t in &self.triangles {
            let [a, b, c] = t.map(|i| z[i as usize] - origin);
            let push = (b - a).cross(c - a) / 6.0;
            for i in t {
                slopes[*i as usize - first] += push;
            }
            volume += a.dot(b.cross(c)) / 6.0;
        }
        if !self.carried.is_empty() {
            let mut own = vec![DVec3::ZERO; self.movers.len()];
            first = self.movers.start;
            for (slope, carried) in slopes.iter().zip(&self.carried) {
                for (node, weight) in carried.nodes.into_iter().zip(carried.weights) {
                    own[node as usize - first] += *slope * weight;
                }
            }
            slopes = own;
        }
        let mut now = pressure;
        let mut gas = None;
        if self.sealed {
            let volume = volume.max(SMALLEST * self.volume);
            let amount = (pressure + outside) * self.volume;
            now = amount / volume - outside;
            gas = Some(amount.max(0.0) / (volume * volume));
        }
        for (g, slope) in gradient[first..].iter_mut().zip(&slopes) {
            *g -= *slope * now;
        }
        gas.map(|stiffness| Gas { stiffness, first, slopes })
    }
}

/// What a sealed gas adds to a tangent: `stiffness * slopes slopes^T`.
#[derive(Clone, Debug)]
pub(crate) struct Gas {
    /// Slope of the pressure over the volume [Pa/m3].
    pub(crate) stiffness: f64,
    first: usize,
    /// Gradient of the volume by each of the body's nodes [m2].
    slopes: Vec<DVec3>,
}

impl Gas {
    /// Gradient of the volume by all free nodes [m2], zero where `given` says that a node is held.
    pub(crate) fn slopes_where_free(&self, given: &[bool]) -> Vec<DVec3> {
        let mut whole = vec![DVec3::ZERO; given.len()];
        whole[self.first..self.first + self.slopes.len()].copy_from_slice(&self.slopes);
        for (slope, given) in whole.iter_mut().zip(given) {
            if *given {
                *slope = DVec3::ZERO;
            }
        }
        whole
    }
}

/// A gas and the answer of everything else to it: what turns a solution without it into one with it.
pub(crate) struct Inflation {
    slopes: Vec<DVec3>,
    /// `A^-1 slopes`.
    answer: Vec<DVec3>,
    /// `k / (1 + k slopes . answer)`.
    factor: f64,
}

impl Inflation {
    /// The gas of `stiffness` and `slopes` to which the rest answers with `answer`.
    pub(crate) fn new(stiffness: f64, slopes: Vec<DVec3>, answer: Vec<DVec3>) -> Self {
        let yields: f64 = slopes.iter().zip(&answer).map(|(s, a)| s.dot(*a)).sum();
        let factor = stiffness / (1.0 + stiffness * yields.max(0.0));
        Self { slopes, answer, factor }
    }

    /// Takes the gas into a solution `x` without it.
    pub(crate) fn correct(&self, x: &mut [DVec3]) {
        let grows: f64 = self.slopes.iter().zip(&*x).map(|(s, x)| s.dot(*x)).sum();
        for (x, answer) in x.iter_mut().zip(&self.answer) {
            *x -= *answer * (grows * self.factor);
        }
    }
}
