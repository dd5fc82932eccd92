//! Bending of sheets that have angles at rest: the hinge energy of Grinspun et al. 2003.
//!
//! `E = B l^2 / (2 (A0 + A1)) (theta - theta_rest)^2` [J] with edge length l [m] and dihedral angle
//! theta, zero where flat, in (-pi, pi).

use crate::math::outer;
use glam::{DMat3, DVec3};

/// Two triangles that share an edge and meet at an angle at rest.
#[derive(Clone, Debug)]
pub(crate) struct Hinge {
    /// Ends of the edge, then the opposite corners.
    pub(crate) nodes: [u32; 4],
    /// `B l^2 / (A0 + A1)` [N m].
    pub(crate) stiffness: f64,
    /// Angle at rest [rad].
    pub(crate) rest: f64,
    /// Damping time [s].
    pub(crate) damping: f64,
    /// Where the blocks of nodes (i, j) lie in the matrix, row by row.
    pub(crate) slots: [u32; 16],
}

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

impl Hinge {
    fn corners(&self, x: &[DVec3]) -> [DVec3; 4] {
        self.nodes.map(|i| x[i as usize])
    }

    /// Angle at `x` [rad]; the rest angle where a triangle has no area.
    pub(crate) fn angle_at(&self, x: &[DVec3]) -> f64 {
        angle(self.corners(x)).map_or(self.rest, |(theta, _)| theta)
    }

    /// Elastic energy [J].
    pub(crate) fn elastic_energy(&self, x: &[DVec3]) -> f64 {
        let bend = wrapped(self.angle_at(x) - self.rest);
        0.5 * self.stiffness * bend * bend
    }

    /// Energy whose gradient [`Hinge::add`] adds [J].
    #[cfg(test)]
    pub(crate) fn energy(&self, x: &[DVec3], start: f64, h: f64) -> f64 {
        let rate = wrapped(self.angle_at(x) - start);
        self.elastic_energy(x) + 0.5 * self.stiffness * self.damping / h * rate * rate
    }

    /// Adds the gradient [N] and the Gauss-Newton part of the Hessian [N/m].
    pub(crate) fn add(
        &self,
        x: &[DVec3],
        start: f64,
        h: f64,
        gradient: &mut [DVec3],
        blocks: Option<&mut [DMat3]>,
    ) {
        let Some((theta, slope)) = angle(self.corners(x)) else { return };
        let tau = self.damping / h;
        let moment = self.stiffness * (wrapped(theta - self.rest) + tau * wrapped(theta - start));
        for k in 0..4 {
            gradient[self.nodes[k] as usize] += slope[k] * moment;
        }
        let Some(blocks) = blocks else { return };
        let stiffness = self.stiffness * (1.0 + tau);
        for i in 0..4 {
            let a = slope[i] * stiffness;
            for j in 0..4 {
                let b = slope[j];
                blocks[self.slots[4 * i + j] as usize] += outer(a, b);
            }
        }
    }
}
