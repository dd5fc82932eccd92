//! Orthotropic St. Venant-Kirchhoff membrane with strain-rate damping.
//!
//! `E = A/2 e^T C e + A tau/(2h) (e - e_start)^T C (e - e_start)` [J] with the Green strain
//! `e = ((|f_u|^2 - 1)/2, (|f_v|^2 - 1)/2, f_u . f_v)`, rest area A [m2], stiffness C [N/m] in warp
//! and weft, damping time tau [s] and substep h [s]. The damping term sees strain rates only, so
//! that rigid motion is not damped.

use super::rows::Rows;
use crate::math::outer;
#[cfg(test)]
use glam::DMat3;
use glam::DVec3;

/// A triangle of cloth.
#[derive(Clone, Debug)]
pub(crate) struct Membrane {
    /// Nodes.
    pub(crate) nodes: [u32; 3],
    /// Gradients of the shape functions in warp and weft [1/m]: `f_u = sum gradient[i].0 * x_i`.
    pub(crate) gradient: [[f64; 2]; 3],
    /// Rest area [m2].
    pub(crate) area: f64,
    /// C11, C12, C22, C33 [N/m]; positive definite.
    pub(crate) stiffness: [f64; 4],
    /// Damping time [s].
    pub(crate) damping: f64,
    /// Where the blocks of nodes (i, j) lie in the matrix, row by row.
    pub(crate) slots: [u32; 9],
}

/// The stiffness `[C11, C12, C22, C33]` of a fabric [N/m]: `young` along warp and weft, Poisson
/// ratio (the geometric mean of both), shear modulus.
pub(crate) fn stiffness(young: f64, young_weft: f64, poisson: f64, shear: f64) -> [f64; 4] {
    let factor = 1.0 / (1.0 - poisson * poisson);
    [young * factor, poisson * (young * young_weft).sqrt() * factor, young_weft * factor, shear]
}

impl Membrane {
    /// The same by the numbers of its corners, 0 to 2, and by those of their blocks, 0 to 8.
    pub(crate) fn by_its_corners(&self) -> Self {
        Self { nodes: [0, 1, 2], slots: std::array::from_fn(|k| k as u32), ..self.clone() }
    }

    /// Gradients of the shape functions where rest lengths are `shrink` times as long [1/m].
    fn gradients(&self, shrink: f64) -> [[f64; 2]; 3] {
        let longer = 1.0 / shrink;
        self.gradient.map(|g| [g[0] * longer, g[1] * longer])
    }

    /// `f_u` and `f_v` at `x`, with those `gradients`.
    fn tangents(&self, x: &[DVec3], gradients: &[[f64; 2]; 3]) -> (DVec3, DVec3) {
        let mut f = [DVec3::ZERO; 2];
        for (i, g) in self.nodes.iter().zip(gradients) {
            f[0] += x[*i as usize] * g[0];
            f[1] += x[*i as usize] * g[1];
        }
        (f[0], f[1])
    }

    /// Green strain at `x`: warp, weft, engineering shear.
    pub(crate) fn strain(&self, x: &[DVec3], shrink: f64) -> [f64; 3] {
        let (fu, fv) = self.tangents(x, &self.gradients(shrink));
        [0.5 * (fu.length_squared() - 1.0), 0.5 * (fv.length_squared() - 1.0), fu.dot(fv)]
    }

    fn stress_of(&self, e: [f64; 3]) -> [f64; 3] {
        let [c11, c12, c22, c33] = self.stiffness;
        [c11 * e[0] + c12 * e[1], c12 * e[0] + c22 * e[1], c33 * e[2]]
    }

    /// Elastic energy alone [J].
    pub(crate) fn elastic_energy(&self, x: &[DVec3], shrink: f64) -> f64 {
        let e = self.strain(x, shrink);
        let s = self.stress_of(e);
        0.5 * self.area * shrink * shrink * (0..3).map(|k| e[k] * s[k]).sum::<f64>()
    }

    /// Energy whose gradient [`Membrane::add`] adds [J].
    #[cfg(test)]
    pub(crate) fn energy(&self, x: &[DVec3], start: [f64; 3], h: f64, shrink: f64) -> f64 {
        let e = self.strain(x, shrink);
        let rate: [f64; 3] = std::array::from_fn(|k| e[k] - start[k]);
        let s = self.stress_of(rate);
        self.elastic_energy(x, shrink)
            + 0.5
                * self.area
                * shrink
                * shrink
                * (self.damping / h)
                * (0..3).map(|k| rate[k] * s[k]).sum::<f64>()
    }

    /// Adds the gradient at `x` [N] and, where there are blocks, the Hessian with the compressive part of
    /// the geometric term removed, so that it is positive semi-definite [N/m].
    ///
    /// The geometric term goes by the stress that the step from `before` to `x` foresaw, or by that at the start
    /// where there is none: what turning strains a triangle by is not a stress that it will carry, and would hold
    /// it where it is (a mixed method's tangent, Trusty, Kaufman and Levin 2022).
    #[cfg(test)]
    pub(crate) fn add(
        &self,
        x: &[DVec3],
        start: [f64; 3],
        h: f64,
        shrink: f64,
        gradient: &mut [DVec3],
        blocks: Option<&mut [DMat3]>,
    ) {
        let mut rows = Rows { first: 0, gradient, first_slot: 0, blocks };
        self.add_to_rows(x, Some(x), start, h, shrink, &mut rows);
    }

    /// As [`Membrane::add`], for the nodes that are in `rows`.
    pub(crate) fn add_to_rows(
        &self,
        x: &[DVec3],
        before: Option<&[DVec3]>,
        start: [f64; 3],
        h: f64,
        shrink: f64,
        rows: &mut Rows<'_>,
    ) {
        let w = self.gradients(shrink);
        let (fu, fv) = self.tangents(x, &w);
        let e = [0.5 * (fu.length_squared() - 1.0), 0.5 * (fv.length_squared() - 1.0), fu.dot(fv)];
        let tau = self.damping / h;
        let stress =
            |e: [f64; 3]| self.stress_of(std::array::from_fn(|k| e[k] + tau * (e[k] - start[k])));
        let s = stress(e);
        let area = self.area * shrink * shrink;
        let own = self.nodes.map(|i| rows.has(i));
        // What all three corners add up to is zero, of forces as of rows of blocks.
        let force =
            |[u, v]: [f64; 2]| (fu * (s[0] * u + s[2] * v) + fv * (s[2] * u + s[1] * v)) * area;
        let [second, third] = [force(w[1]), force(w[2])];
        for (k, force) in [-(second + third), second, third].into_iter().enumerate() {
            if own[k] {
                rows.gradient[self.nodes[k] as usize - rows.first] += force;
            }
        }
        let Some(blocks) = &mut rows.blocks else { return };
        let [c11, c12, c22, c33] = self.stiffness.map(|c| c * (1.0 + tau) * area);
        let foreseen = before.map_or(start, |before| {
            let (bu, bv) = self.tangents(before, &w);
            let (du, dv) = (fu - bu, fv - bv);
            let second = [0.5 * du.length_squared(), 0.5 * dv.length_squared(), du.dot(dv)];
            std::array::from_fn(|k| e[k] - second[k])
        });
        let plus = positive_part(stress(foreseen));
        let block = |i: usize, j: usize| {
            let ([iu, iv], [ju, jv]) = (w[i], w[j]);
            let geometric =
                area * (plus[0] * iu * ju + plus[2] * (iu * jv + iv * ju) + plus[1] * iv * jv);
            // The block is fu a^T + fv b^T and a multiple of the identity.
            let a = fu * (c11 * iu * ju + c33 * iv * jv) + fv * (c12 * iu * jv + c33 * iv * ju);
            let b = fu * (c12 * iv * ju + c33 * iu * jv) + fv * (c22 * iv * jv + c33 * iu * ju);
            let mut block = outer(fu, a) + outer(fv, b);
            block.x_axis.x += geometric;
            block.y_axis.y += geometric;
            block.z_axis.z += geometric;
            block
        };
        let [b11, b12, b22] = [block(1, 1), block(1, 2), block(2, 2)];
        let b21 = b12.transpose();
        let [b01, b02] = [-(b11 + b21), -(b12 + b22)];
        let [b10, b20] = [b01, b02].map(|b| b.transpose());
        let all = [[-(b01 + b02), b01, b02], [b10, b11, b12], [b20, b21, b22]];
        for (i, row) in all.iter().enumerate().filter(|(i, _)| own[*i]) {
            for (j, block) in row.iter().enumerate() {
                blocks[self.slots[3 * i + j] as usize - rows.first_slot] += *block;
            }
        }
    }
}

/// The part of the symmetric 2x2 matrix (s0, s2; s2, s1) with eigenvalues above zero.
pub(super) fn positive_part(s: [f64; 3]) -> [f64; 3] {
    let mean = 0.5 * (s[0] + s[1]);
    let half = 0.5 * (s[0] - s[1]);
    let radius = (half * half + s[2] * s[2]).sqrt();
    let (high, low) = (mean + radius, mean - radius);
    if low >= 0.0 {
        return s;
    }
    if high <= 0.0 {
        return [0.0; 3];
    }
    // high * d d^T with d the unit eigenvector of `high`; 2 radius d d^T = S - low I.
    let factor = high / (high - low);
    [factor * (s[0] - low), factor * (s[1] - low), factor * s[2]]
}
