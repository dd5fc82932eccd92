//! The curvature vector of two triangles that share an edge (Bergou et al. 2006): `sum K_i x_i`, of the length of the edge
//! times the angle where that is small.

use glam::DVec3;

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
