//! Two triangles that share an edge: the angle between them, and their curvature vector.

use glam::DVec3;

/// Dihedral angle at `x` [rad] and its gradient [rad/m] (Bridson et al. 2003): edge ends `x[0], x[1]`,
/// opposite corners `x[2], x[3]`. None where a triangle has no area.
pub(crate) fn angle(x: [DVec3; 4]) -> Option<(f64, [DVec3; 4])> {
    let at = At::new(x)?;
    let theta = libm::atan2(at.n0.cross(at.n1).dot(at.direction), at.n0.dot(at.n1));
    Some((theta, at.slopes(x)))
}

/// Its gradient alone.
pub(super) fn slopes(x: [DVec3; 4]) -> Option<[DVec3; 4]> {
    Some(At::new(x)?.slopes(x))
}

/// An edge, and the normals beside it, twice as long as the triangles are large.
struct At {
    direction: DVec3,
    length: f64,
    n0: DVec3,
    n1: DVec3,
}

impl At {
    fn new(x: [DVec3; 4]) -> Option<Self> {
        let edge = x[1] - x[0];
        let length = edge.length();
        let n0 = edge.cross(x[2] - x[0]);
        let n1 = (x[3] - x[0]).cross(edge);
        let flat = length == 0.0 || n0.length_squared() == 0.0 || n1.length_squared() == 0.0;
        (!flat).then(|| Self { direction: edge / length, length, n0, n1 })
    }

    fn slopes(&self, x: [DVec3; 4]) -> [DVec3; 4] {
        let Self { direction, length, n0, n1 } = *self;
        let (u0, u1) = (n0 / n0.length_squared(), n1 / n1.length_squared());
        let along = |p: DVec3| (p - x[0]).dot(direction) / length;
        let (s0, s1) = (along(x[2]), along(x[3]));
        let (g2, g3) = (u0 * -length, u1 * -length);
        let g1 = -(g2 * s0 + g3 * s1);
        let g0 = -(g2 * (1.0 - s0) + g3 * (1.0 - s1));
        [g0, g1, g2, g3]
    }
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
