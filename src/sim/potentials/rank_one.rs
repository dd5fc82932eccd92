//! Terms `k s s^T` of a tangent that reach over a whole body: a sealed gas, the twist of a rope. They are kept
//! out of the matrix and taken into its solutions, one after the other (Sherman and Morrison 1950).

use glam::DVec3;

/// What such a term adds to a tangent: `stiffness * slopes slopes^T`.
#[derive(Clone, Debug)]
pub(crate) struct RankOne {
    /// Second derivative of its energy by what it measures.
    pub(crate) stiffness: f64,
    /// Nodes, and the gradient of what it measures by them.
    pub(crate) slopes: Vec<(u32, DVec3)>,
}

impl RankOne {
    /// The gradient by all free nodes, zero where `given` says that a node is held.
    pub(crate) fn slopes_where_free(&self, given: &[bool]) -> Vec<DVec3> {
        let mut whole = vec![DVec3::ZERO; given.len()];
        for &(node, slope) in self.slopes.iter().filter(|(node, _)| !given[*node as usize]) {
            whole[node as usize] += slope;
        }
        whole
    }
}

/// A term and the answer of everything else to it: what turns a solution without it into one with it.
pub(crate) struct Correction {
    slopes: Vec<DVec3>,
    /// `A^-1 slopes`.
    answer: Vec<DVec3>,
    /// `k / (1 + k slopes . answer)`.
    factor: f64,
}

impl Correction {
    /// The term of `stiffness` and `slopes` to which the rest answers with `answer`.
    pub(crate) fn new(stiffness: f64, slopes: Vec<DVec3>, answer: Vec<DVec3>) -> Self {
        let yields: f64 = slopes.iter().zip(&answer).map(|(s, a)| s.dot(*a)).sum();
        let factor = stiffness / (1.0 + stiffness * yields.max(0.0));
        Self { slopes, answer, factor }
    }

    /// Takes the term into a solution `x` without it.
    pub(crate) fn correct(&self, x: &mut [DVec3]) {
        let grows: f64 = self.slopes.iter().zip(&*x).map(|(s, x)| s.dot(*x)).sum();
        for (x, answer) in x.iter_mut().zip(&self.answer) {
            *x -= *answer * (grows * self.factor);
        }
    }
}
