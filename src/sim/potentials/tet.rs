//! Stable neo-Hookean tetrahedra (Smith, De Goes and Kim 2018, in the form without logarithm of Kim
//! and Eberle 2022) with strain-rate damping.
//!
//! `E = V (mu/2 (|F|^2 - 3) - mu (J - 1) + lambda/2 (J - 1)^2)` [J] with the deformation gradient F,
//! `J = det F`, rest volume V [m3]; mu is the shear modulus and lambda the first Lame constant plus mu
//! [Pa], so that small strains follow Hooke's law. It stays finite where a cell is flat or inside out.

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
#[cfg(test)]
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
    #[cfg(test)]
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

    /// Elastic energy and that of the damping for the strain since `start` in `h` seconds, that of Hooke's
    /// law times tau/h [J].
    #[cfg(test)]
    pub(crate) fn energy(&self, x: &[DVec3], start: &Strain, h: f64) -> f64 {
        let e = self.strain(x);
        let d: Strain = std::array::from_fn(|k| e[k] - start[k]);
        let sum = d[0] + d[1] + d[2];
        let squares: f64 = (0..6).map(|k| d[k] * d[k] * if k < 3 { 1.0 } else { 2.0 }).sum();
        let density = self.mu * squares + 0.5 * (self.lambda - self.mu) * sum * sum;
        self.elastic_energy(x) + self.volume * (self.damping / h) * density
    }
}

#[cfg(test)]
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
