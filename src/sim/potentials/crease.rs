//! Folds that stay: an edge whose bend goes beyond a limit takes what is beyond into its rest angle.
//!
//! Perfect plasticity of a hinge: where `|theta - theta_rest| > y`, the rest angle follows to within y
//! after each accepted substep. The limit is given as a curvature; the curvature of an edge of length
//! l between triangles of areas A0 and A1 is `l theta / (A0 + A1)`, so that a fold of a given
//! radius stays or does not whatever the mesh.

use super::hinge::{Hinge, wrapped};
use glam::DVec3;

/// An edge that can crease.
#[derive(Clone, Debug)]
pub(crate) struct Crease {
    /// Its bending; the rest angle is that of the start.
    pub(crate) hinge: Hinge,
    /// Angle from its rest angle beyond which it yields [rad].
    pub(crate) yields: f64,
}

impl Crease {
    /// Its bending with the rest angle that it has by now.
    pub(crate) fn with_rest(&self, rest: f64) -> Hinge {
        Hinge { rest, ..self.hinge.clone() }
    }

    /// The rest angle after it has been bent to `x` [rad].
    pub(crate) fn rest_after(&self, rest: f64, x: &[DVec3]) -> f64 {
        let bend = wrapped(self.with_rest(rest).angle_at(x) - rest);
        wrapped(rest + bend.signum() * (bend.abs() - self.yields).max(0.0))
    }
}
