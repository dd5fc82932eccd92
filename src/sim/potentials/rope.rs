//! Ropes: segments that stretch, and bends between them.
//!
//! A segment of rest length l has `E = EA (|e| - l)^2 / (2 l)` [J]. A bend between two segments of mean
//! length l has `E = EI |kb|^2 / (2 l)` with the curvature binormal `kb = 2 s x t / (1 + s . t)` of the
//! unit directions s and t (Bergou et al. 2008, eq. 1 and 5); a rope is straight at rest. Tangents are
//! Gauss and Newton's, the segment's with the pull across it: positive semi-definite as they are.

use crate::math::outer;
use glam::{DMat3, DVec3};

/// A piece of a rope between two nodes.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// Its ends.
    pub(crate) nodes: [u32; 2],
    /// Length at rest [m].
    pub(crate) length: f64,
    /// EA [N].
    pub(crate) stiffness: f64,
    /// Where its blocks lie in the matrix.
    pub(crate) slots: [u32; 4],
}

impl Segment {
    /// Elastic energy [J].
    pub(crate) fn energy(&self, x: &[DVec3]) -> f64 {
        let [a, b] = self.nodes.map(|i| x[i as usize]);
        let longer = a.distance(b) - self.length;
        0.5 * self.stiffness / self.length * longer * longer
    }

    /// Adds the gradient at `x` [N] and, where `blocks` are given, the tangent [N/m].
    pub(crate) fn add(&self, x: &[DVec3], gradient: &mut [DVec3], blocks: Option<&mut [DMat3]>) {
        let [a, b] = self.nodes.map(|i| x[i as usize]);
        let now = a.distance(b);
        let along = (b - a) / now.max(f64::MIN_POSITIVE);
        let spring = self.stiffness / self.length;
        let pull = along * (spring * (now - self.length));
        gradient[self.nodes[0] as usize] -= pull;
        gradient[self.nodes[1] as usize] += pull;
        let Some(blocks) = blocks else { return };
        let own = outer(along, along);
        // A pull holds what lies across it; a push would only let go, and is left out.
        let across = (1.0 - self.length / now.max(f64::MIN_POSITIVE)).max(0.0);
        let block = (own + (DMat3::IDENTITY - own) * across) * spring;
        for (k, slot) in self.slots.iter().enumerate() {
            blocks[*slot as usize] += if k % 3 == 0 { block } else { -block };
        }
    }
}

/// Where two segments of a rope meet.
#[derive(Clone, Debug)]
pub(crate) struct Bend {
    /// The node before, the one between, the one after.
    pub(crate) nodes: [u32; 3],
    /// EI over the mean length of both segments [N m].
    pub(crate) stiffness: f64,
    /// Where its blocks lie in the matrix.
    pub(crate) slots: [u32; 9],
}

/// Least of `1 + s . t`: two segments folded back onto each other bend no more.
const FOLDED: f64 = 1e-3;

impl Bend {
    /// Elastic energy [J].
    pub(crate) fn energy(&self, x: &[DVec3]) -> f64 {
        0.5 * self.stiffness * self.curvature(x).0.length_squared()
    }

    /// The curvature binormal, and the unit directions and lengths of both segments.
    fn curvature(&self, x: &[DVec3]) -> (DVec3, [DVec3; 2], [f64; 2]) {
        let [a, b, c] = self.nodes.map(|i| x[i as usize]);
        let lengths = [a.distance(b), b.distance(c)].map(|l| l.max(f64::MIN_POSITIVE));
        let (s, t) = ((b - a) / lengths[0], (c - b) / lengths[1]);
        (s.cross(t) * (2.0 / (1.0 + s.dot(t)).max(FOLDED)), [s, t], lengths)
    }

    /// Adds the gradient at `x` [N] and, where `blocks` are given, the tangent [N/m].
    pub(crate) fn add(&self, x: &[DVec3], gradient: &mut [DVec3], blocks: Option<&mut [DMat3]>) {
        let (kb, [s, t], [ls, lt]) = self.curvature(x);
        let below = (1.0 + s.dot(t)).max(FOLDED);
        // Derivatives of kb by both directions, then by both segments, then by the nodes.
        let by_s = (cross_matrix(t) * -2.0 - outer(kb, t)) * (1.0 / below);
        let by_t = (cross_matrix(s) * 2.0 - outer(kb, s)) * (1.0 / below);
        let by_first = by_s * (DMat3::IDENTITY - outer(s, s)) * (1.0 / ls);
        let by_second = by_t * (DMat3::IDENTITY - outer(t, t)) * (1.0 / lt);
        let slopes = [-by_first, by_first - by_second, by_second];
        for (i, slope) in self.nodes.iter().zip(&slopes) {
            gradient[*i as usize] += slope.transpose() * kb * self.stiffness;
        }
        let Some(blocks) = blocks else { return };
        for (k, slot) in self.slots.iter().enumerate() {
            let (i, j) = (k / 3, k % 3);
            blocks[*slot as usize] += slopes[i].transpose() * slopes[j] * self.stiffness;
        }
    }
}

/// The matrix M with `M v = a x v`.
fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, a.z, -a.y),
        DVec3::new(-a.z, 0.0, a.x),
        DVec3::new(a.y, -a.x, 0.0),
    )
}
