//! Bending of sheets that are flat at rest: the quadratic isometric energy of Bergou et al. 2006.
//!
//! `E = B/2 |sum K_i x_i|^2 / (A0 + A1)` [J] a hinge with bending stiffness B [N m]. For small angles
//! theta on an edge of length l it is `B l^2 theta^2 / (2 (A0 + A1))`: the factor that reproduces a
//! cylinder's energy on right-angled and equilateral meshes. Its Hessian is constant.

use glam::DVec3;

/// Two triangles that share an edge.
#[derive(Clone, Debug)]
pub(crate) struct Bending {
    /// Ends of the edge, then the opposite corners.
    pub(crate) nodes: [u32; 4],
    /// Weights K [dimensionless].
    pub(crate) weights: [f64; 4],
    /// `B / (A0 + A1)` [N/m].
    pub(crate) stiffness: f64,
    /// Damping time [s].
    pub(crate) damping: f64,
}

/// Weights K of a hinge whose rest positions are `x`: edge ends `x[0], x[1]`, opposite corners
/// `x[2], x[3]`; and both areas. None where a triangle has no area.
pub(crate) fn hinge_weights(x: [DVec3; 4]) -> Option<([f64; 4], f64)> {
    let cotangent = |at: DVec3, a: DVec3, b: DVec3| {
        let (u, v) = (a - at, b - at);
        u.dot(v) / u.cross(v).length()
    };
    let area = |a: DVec3, b: DVec3, c: DVec3| 0.5 * (b - a).cross(c - a).length();
    let areas = area(x[0], x[1], x[2]) + area(x[0], x[1], x[3]);
    let (at0, at1) = (
        cotangent(x[0], x[1], x[2]) + cotangent(x[0], x[1], x[3]),
        cotangent(x[1], x[0], x[2]) + cotangent(x[1], x[0], x[3]),
    );
    let first = cotangent(x[0], x[1], x[2]) + cotangent(x[1], x[0], x[2]);
    let second = cotangent(x[0], x[1], x[3]) + cotangent(x[1], x[0], x[3]);
    let weights = [at1, at0, -first, -second];
    weights.iter().all(|w| w.is_finite()).then_some((weights, areas))
}

impl Bending {
    /// The vector `sum K_i x_i` [m].
    #[cfg(test)]
    fn curvature(&self, x: &[DVec3]) -> DVec3 {
        (0..4).map(|k| x[self.nodes[k] as usize] * self.weights[k]).sum()
    }

    /// Elastic energy [J].
    #[cfg(test)]
    pub(crate) fn energy(&self, x: &[DVec3]) -> f64 {
        0.5 * self.stiffness * self.curvature(x).length_squared()
    }

    /// Entry of the Hessian's scalar for local nodes `i` and `j` [N/m].
    pub(crate) fn entry(&self, i: usize, j: usize) -> f64 {
        self.stiffness * self.weights[i] * self.weights[j]
    }
}
