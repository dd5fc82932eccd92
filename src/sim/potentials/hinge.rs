//! Two triangles that share an edge: the angle between them, and their curvature vector.

use glam::DVec3;

/// Dihedral angle at `x` [rad] and its gradient [rad/m] (Bridson et al. 2003): edge ends `x[0], x[1]`,
/// opposite corners `x[2], x[3]`. None where a triangle has no area.
pub(crate) fn angle(x: [DVec3; 4]) -> Option<(f64, [DVec3; 4])> {
    let edge = x[1] - x[0];
    let length = edge.length();
    let n0 = edge.cross(x[2] - x[0]);
    let n1 = (x[3] - x[0]).cross(edge);
    let (a0, a1) = (n0.length_squared(), n1.length_squared());
    if length == 0.0 || a0 == 0.0 || a1 == 0.0 {
        return None;
    }
    let direction = edge / length;
    let theta = libm::atan2(n0.cross(n1).dot(direction), n0.dot(n1));
    let (u0, u1) = (n0 / a0, n1 / a1);
    let along = |p: DVec3| (p - x[0]).dot(direction) / length;
    let (s0, s1) = (along(x[2]), along(x[3]));
    let (g2, g3) = (u0 * -length, u1 * -length);
    let g1 = -(g2 * s0 + g3 * s1);
    let g0 = -(g2 * (1.0 - s0) + g3 * (1.0 - s1));
    Some((theta, [g0, g1, g2, g3]))
}

/// `a` brought into (-pi, pi].
pub(super) fn wrapped(a: f64) -> f64 {
    let turn = 2.0 * std::f64::consts::PI;
    a - turn * (a / turn).round()
}

/// Weights K of the curvature vector `sum K_i x_i` of a hinge (Bergou et al. 2006), as long as its edge times its angle where
/// that is small, whose rest positions are `x`: edge ends `x[0], x[1]`, opposite corners
/// `x[2], x[3]`; and both areas. None where a triangle has no area.
pub(crate) fn weights(x: [DVec3; 4]) -> Option<([f64; 4], f64)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Folded by a small angle the curvature vector is `l theta` long, to the square of the angle.
    #[test]
    fn a_curvature_vector_is_as_long_as_its_edge_times_its_angle() {
        let rest =
            [DVec3::ZERO, DVec3::X * 0.2, DVec3::new(0.0, 0.2, 0.0), DVec3::new(0.2, -0.2, 0.0)];
        let (weights, areas) = weights(rest).unwrap();
        assert!((areas - 0.04).abs() < 1e-12);
        let curvature = |x: [DVec3; 4]| x.iter().zip(weights).map(|(x, k)| *x * k).sum::<DVec3>();
        assert!(curvature(rest).length() < 1e-12);
        let bend = 0.01f64;
        let mut folded = rest;
        folded[2] = DVec3::new(0.0, 0.2 * libm::cos(bend), 0.2 * libm::sin(bend));
        let (theta, _) = angle(folded).unwrap();
        assert!((theta.abs() - bend).abs() < 1e-12);
        assert!((curvature(folded).length() / (0.2 * bend) - 1.0).abs() < 1e-4);
    }
}
