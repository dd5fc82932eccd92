//! Stable neo-Hookean tetrahedra (Smith, De Goes and Kim 2018, in the form without logarithm of Kim
//! and Eberle 2022) with strain-rate damping.
//!
//! `E = V (mu/2 (|F|^2 - 3) - mu (J - 1) + lambda/2 (J - 1)^2)` [J] with the deformation gradient F,
//! `J = det F`, rest volume V [m3]; mu is the shear modulus and lambda the first Lame constant plus mu
//! [Pa], so that small strains follow Hooke's law. It stays finite where a cell is flat or inside out.

use super::svd::Svd;
use crate::math::outer;
use crate::scene::Plastic;
use glam::{DMat3, DVec3};

/// A cell of a soft body.
#[derive(Clone, Debug)]
pub(crate) struct Tet {
    /// Nodes.
    pub(crate) nodes: [u32; 4],
    /// Gradients of the shape functions at rest [1/m].
    pub(crate) gradient: [DVec3; 4],
    /// Rest volume [m3].
    pub(crate) volume: f64,
    /// Shear modulus and lambda [Pa].
    pub(crate) mu: f64,
    pub(crate) lambda: f64,
    /// Damping time [s].
    pub(crate) damping: f64,
    /// What of its deformation stays; none: nothing.
    pub(crate) plastic: Option<Plastic>,
    /// Where the blocks of nodes (i, j) lie in the matrix, row by row.
    pub(crate) slots: [u32; 16],
}

/// mu and lambda of the energy [Pa] for Young's modulus and Poisson ratio.
pub(crate) fn moduli(young: f64, poisson: f64) -> (f64, f64) {
    let shear = young / (2.0 * (1.0 + poisson));
    let first = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    (shear, first + shear)
}

/// Gradients of the shape functions [1/m] and the volume [m3] of the corners `x`; none where flat.
pub(crate) fn shape(x: [DVec3; 4]) -> Option<([DVec3; 4], f64)> {
    let edges = DMat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]);
    let volume = edges.determinant() / 6.0;
    if volume <= 0.0 {
        return None;
    }
    let rows = edges.inverse().transpose();
    let (b, c, d) = (rows.x_axis, rows.y_axis, rows.z_axis);
    Some(([-(b + c + d), b, c, d], volume))
}

/// Green strain: xx, yy, zz, xy, yz, zx, as components of the tensor.
pub(crate) type Strain = [f64; 6];

impl Tet {
    /// The cell with the plastic part `plastic` as its shape at rest, which has the same volume: `Fe =
    /// F Fp^-1`.
    pub(crate) fn yielded(&self, plastic: &DMat3) -> Self {
        let back = plastic.inverse().transpose();
        Self { gradient: self.gradient.map(|g| back * g), ..self.clone() }
    }

    /// Deformation gradient at `x`.
    pub(crate) fn deformation(&self, x: &[DVec3]) -> DMat3 {
        let mut f = DMat3::ZERO;
        for (i, g) in self.nodes.iter().zip(&self.gradient) {
            f += outer(x[*i as usize], *g);
        }
        f
    }

    /// Green strain at `x`.
    pub(crate) fn strain(&self, x: &[DVec3]) -> Strain {
        strain_of(&self.deformation(x))
    }

    /// Elastic energy [J].
    pub(crate) fn elastic_energy(&self, x: &[DVec3]) -> f64 {
        let f = self.deformation(x);
        let squared: f64 = (0..3).map(|k| f.col(k).length_squared()).sum();
        let swell = f.determinant() - 1.0;
        self.volume
            * (0.5 * self.mu * (squared - 3.0) - self.mu * swell
                + 0.5 * self.lambda * swell * swell)
    }

    /// Stress of the damping [Pa]: that of Hooke's law for the strain since the start, times tau/h.
    fn damping_stress(&self, e: &Strain, start: &Strain, h: f64) -> DMat3 {
        let tau = self.damping / h;
        let d: Strain = std::array::from_fn(|k| e[k] - start[k]);
        let hydro = (self.lambda - self.mu) * (d[0] + d[1] + d[2]);
        let [xx, yy, zz, xy, yz, zx] = d.map(|v| 2.0 * self.mu * v);
        DMat3::from_cols(
            DVec3::new(xx + hydro, xy, zx),
            DVec3::new(xy, yy + hydro, yz),
            DVec3::new(zx, yz, zz + hydro),
        ) * tau
    }

    /// Energy whose gradient [`Tet::add`] adds [J].
    #[cfg(test)]
    pub(crate) fn energy(&self, x: &[DVec3], start: &Strain, h: f64) -> f64 {
        let e = self.strain(x);
        let s = self.damping_stress(&e, start, h);
        let d: Strain = std::array::from_fn(|k| e[k] - start[k]);
        let work = s.x_axis.x * d[0]
            + s.y_axis.y * d[1]
            + s.z_axis.z * d[2]
            + 2.0 * (s.x_axis.y * d[3] + s.y_axis.z * d[4] + s.x_axis.z * d[5]);
        self.elastic_energy(x) + 0.5 * self.volume * work
    }

    /// Adds the gradient at `x` [N] and, where `blocks` are given, the Hessian with its negative
    /// eigenvalues set to zero [N/m].
    pub(crate) fn add(
        &self,
        x: &[DVec3],
        start: &Strain,
        h: f64,
        gradient: &mut [DVec3],
        blocks: Option<&mut [DMat3]>,
    ) {
        let f = self.deformation(x);
        let cofactor = DMat3::from_cols(
            f.y_axis.cross(f.z_axis),
            f.z_axis.cross(f.x_axis),
            f.x_axis.cross(f.y_axis),
        );
        let slope = self.lambda * (f.determinant() - 1.0) - self.mu;
        let mut stress = f * self.mu + cofactor * slope;
        if self.damping > 0.0 {
            stress += f * self.damping_stress(&strain_of(&f), start, h);
        }
        for (i, g) in self.nodes.iter().zip(&self.gradient) {
            gradient[*i as usize] += stress * *g * self.volume;
        }
        let Some(blocks) = blocks else { return };
        let curvature = Curvature::new(self, &f, slope);
        let turned = self.gradient.map(|g| curvature.svd.v.transpose() * g);
        let tau = self.damping / h;
        let (spread, pushed) = (f * f.transpose(), self.gradient.map(|g| f * g));
        for i in 0..4 {
            for j in i..4 {
                let mut block = curvature.block(turned[i], turned[j]);
                if tau > 0.0 {
                    let shear = spread * self.gradient[i].dot(self.gradient[j])
                        + outer(pushed[j], pushed[i]);
                    let swell = outer(pushed[i], pushed[j]);
                    block += (shear * self.mu + swell * (self.lambda - self.mu)) * tau;
                }
                block *= self.volume;
                blocks[self.slots[4 * i + j] as usize] += block;
                if i != j {
                    blocks[self.slots[4 * j + i] as usize] += block.transpose();
                }
            }
        }
    }
}

fn strain_of(f: &DMat3) -> Strain {
    let (u, v, w) = (f.x_axis, f.y_axis, f.z_axis);
    let half = |a: DVec3, b: DVec3, at_rest: f64| 0.5 * (a.dot(b) - at_rest);
    [
        half(u, u, 1.0),
        half(v, v, 1.0),
        half(w, w, 1.0),
        half(u, v, 0.0),
        half(v, w, 0.0),
        half(w, u, 0.0),
    ]
}

/// Second derivative of the energy density by F, in the frame of its singular vectors, where it falls
/// apart into three stretches and three pairs of shears (Kim and Eberle 2022, section 7).
struct Curvature {
    svd: Svd,
    /// Of the stretches, without negative eigenvalues.
    stretch: DMat3,
    /// Half of the sum, and of the difference, of the eigenvalues of flip and twist across each axis.
    same: DVec3,
    swapped: DVec3,
}

impl Curvature {
    /// `slope` is the derivative of the energy density by J without that of |F|.
    fn new(tet: &Tet, f: &DMat3, slope: f64) -> Self {
        let svd = Svd::of(f);
        let s = svd.sigma;
        let twist = (s * slope + tet.mu).max(DVec3::ZERO);
        let flip = (s * -slope + tet.mu).max(DVec3::ZERO);
        let sides = DVec3::new(s.y * s.z, s.z * s.x, s.x * s.y);
        let across = DMat3::from_cols(
            DVec3::new(0.0, s.z, s.y),
            DVec3::new(s.z, 0.0, s.x),
            DVec3::new(s.y, s.x, 0.0),
        );
        let stretch = DMat3::from_diagonal(DVec3::splat(tet.mu))
            + outer(sides, sides) * tet.lambda
            + across * slope;
        Self {
            stretch: super::svd::positive_part(&stretch),
            same: (flip + twist) * 0.5,
            swapped: (flip - twist) * 0.5,
            svd,
        }
    }

    /// The block of two nodes with shape gradients `a` and `b` in the turned frame [Pa/m2].
    fn block(&self, a: DVec3, b: DVec3) -> DMat3 {
        let mut turned = DMat3::ZERO;
        for s in 0..3 {
            for r in 0..3 {
                let value = if r == s {
                    let (k, l) = ((r + 1) % 3, (r + 2) % 3);
                    self.stretch.col(r)[r] * a[r] * b[r]
                        + self.same[l] * a[k] * b[k]
                        + self.same[k] * a[l] * b[l]
                } else {
                    let across = 3 - r - s;
                    self.stretch.col(s)[r] * a[r] * b[s] + self.swapped[across] * a[s] * b[r]
                };
                turned.col_mut(s)[r] = value;
            }
        }
        self.svd.u * turned * self.svd.u.transpose()
    }
}
