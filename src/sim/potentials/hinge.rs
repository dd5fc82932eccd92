//! The angle between two triangles that share an edge.

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
