//! A fabric that hardens: beyond a limit of its principal strains a triangle resists forty times as
//! much as its stiffer direction does.
//!
//! `E = A K / 2 sum max(0, e_i - e_limit)^2` [J] over both principal Green strains e_i, with
//! `e_limit = ((1 + s)^2 - 1) / 2` for the stretch s and `K = 40 max(C11, C22)` [N/m]. It is a convex
//! function of the strain, so that its Hessian is positive semi-definite as it is. A pull of twice
//! the force that the fabric has at its limit exceeds the limit by one part in forty of it.

use super::membrane::{Membrane, positive_part};
use crate::math::outer;
use glam::{DMat3, DVec3};

/// Stiffness beyond the limit in units of what it is before.
pub(crate) const HARDER: f64 = 40.0;

/// A triangle whose stretch is limited.
#[derive(Clone, Debug)]
pub(crate) struct StrainLimit {
    /// Its membrane, within the model's.
    pub(crate) membrane: usize,
    /// Green strain at the limit.
    limit: f64,
    /// K [N/m].
    stiffness: f64,
}

impl StrainLimit {
    /// Limits the stretch of `membrane`, number `index`, to `stretch`.
    pub(crate) fn new(index: usize, membrane: &Membrane, stretch: f64) -> Self {
        Self {
            membrane: index,
            limit: 0.5 * ((1.0 + stretch) * (1.0 + stretch) - 1.0),
            stiffness: HARDER * membrane.stiffness[0].max(membrane.stiffness[2]),
        }
    }

    /// What both principal strains exceed the limit by, as a symmetric matrix (00, 11, 01).
    fn excess(&self, e: [f64; 3]) -> [f64; 3] {
        positive_part([e[0] - self.limit, e[1] - self.limit, 0.5 * e[2]])
    }

    /// Elastic energy [J].
    pub(crate) fn energy(&self, membrane: &Membrane, x: &[DVec3], shrink: f64) -> f64 {
        let [a, b, c] = self.excess(membrane.strain(x, shrink));
        0.5 * membrane.area * shrink * shrink * self.stiffness * (a * a + b * b + 2.0 * c * c)
    }

    /// Adds the gradient at `x` [N] and, where `blocks` are given, the Hessian [N/m].
    pub(crate) fn add(
        &self,
        membrane: &Membrane,
        x: &[DVec3],
        shrink: f64,
        gradient: &mut [DVec3],
        blocks: Option<&mut [DMat3]>,
    ) {
        let e = membrane.strain(x, shrink);
        let excess = self.excess(e);
        if excess == [0.0; 3] {
            return;
        }
        let scale = membrane.area * shrink * shrink * self.stiffness;
        let w = membrane.gradient.map(|g| [g[0] / shrink, g[1] / shrink]);
        let (mut fu, mut fv) = (DVec3::ZERO, DVec3::ZERO);
        for (i, w) in membrane.nodes.iter().zip(&w) {
            fu += x[*i as usize] * w[0];
            fv += x[*i as usize] * w[1];
        }
        // Derivatives of the strains (warp, weft, shear) by each node.
        let slopes = w.map(|[u, v]| [fu * u, fv * v, fu * v + fv * u]);
        for (i, d) in membrane.nodes.iter().zip(&slopes) {
            let push: DVec3 = (0..3).map(|k| d[k] * excess[k]).sum();
            gradient[*i as usize] += push * scale;
        }
        let Some(blocks) = blocks else { return };
        let law = self.law(e);
        for i in 0..3 {
            for j in 0..3 {
                let ([iu, iv], [ju, jv]) = (w[i], w[j]);
                let geometric =
                    excess[0] * iu * ju + excess[2] * (iu * jv + iv * ju) + excess[1] * iv * jv;
                let mut block = DMat3::from_diagonal(DVec3::splat(geometric));
                for a in 0..3 {
                    let right: DVec3 = (0..3).map(|b| slopes[j][b] * law[a][b]).sum();
                    let left = slopes[i][a];
                    block += outer(left, right);
                }
                blocks[membrane.slots[3 * i + j] as usize] += block * scale;
            }
        }
    }

    /// Second derivative of `sum max(0, e_i - e_limit)^2 / 2` by the strains (warp, weft, shear).
    fn law(&self, e: [f64; 3]) -> [[f64; 3]; 3] {
        let (half, off) = (0.5 * (e[0] - e[1]), 0.5 * e[2]);
        let radius = half.hypot(off);
        let mean = 0.5 * (e[0] + e[1]) - self.limit;
        let (high, low) = (mean + radius, mean - radius);
        // cos and sin squared of the first principal direction's angle, and their product.
        let (double_cos, double_sin) =
            if radius > 0.0 { (half / radius, off / radius) } else { (1.0, 0.0) };
        let (c, s, cs) = (0.5 * (1.0 + double_cos), 0.5 * (1.0 - double_cos), 0.5 * double_sin);
        let first = [c, s, cs];
        let second = [s, c, -cs];
        let between = [-cs, cs, 0.5 * double_cos];
        let active = |v: f64| f64::from(u8::from(v > 0.0));
        let turning = if radius > 0.0 {
            (high.max(0.0) - low.max(0.0)) / (2.0 * radius)
        } else {
            active(high)
        };
        std::array::from_fn(|a| {
            std::array::from_fn(|b| {
                active(high) * first[a] * first[b]
                    + active(low) * second[a] * second[b]
                    + 2.0 * turning * between[a] * between[b]
            })
        })
    }
}
