//! Pressure from inside: `p A n / 3` on each corner of a triangle of area A and normal n [N].
//!
//! A sealed gas has `p = (p0 + p_out) V0 / V - p_out` [Pa] with the volume V [m3], V0 at the start,
//! and p_out outside. It is the gradient of `-(p0 + p_out) V0 ln V + p_out V`; of its Hessian the term
//! `(p0 + p_out) V0 / V^2 grad V grad V^T` is kept, which is positive semi-definite and of rank one.

use super::rank_one::RankOne;
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

    /// Adds the gradient at `z` [N] for `pressure` over that outside [Pa]; gives what a sealed gas
    /// adds to the tangent.
    pub(crate) fn add(
        &self,
        pressure: f64,
        outside: f64,
        z: &[DVec3],
        gradient: &mut [DVec3],
    ) -> Option<RankOne> {
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
        let slopes = || (first as u32..).zip(slopes).collect();
        gas.map(|stiffness| RankOne { stiffness, slopes: slopes() })
    }
}
