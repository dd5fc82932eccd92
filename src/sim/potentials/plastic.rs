//! Plastic flow of solids: strain beyond a yield point stays, up to a limit.
//!
//! The deformation is split into `F = Fe Fp` (Irving, Teran and Fedkiw 2004), of which only Fe strains. Of
//! the deviatoric part e of its logarithmic strain, with size `sqrt(2/3 e : e)` (that of a pull which keeps
//! the volume is the logarithm of its stretch), what is above `yield` flows into Fp: it falls by
//! `exp(-creep h)` in h seconds, whatever the steps. Fp keeps the volume, and its own strain stays
//! below `max`.

use super::svd::Svd;
use crate::scene::Plastic;
use glam::{DMat3, DVec3};

/// Singular values below it count as this: cells that are flat or inside out.
const LEAST: f64 = 0.05;

impl Plastic {
    /// Fp after `h` seconds at the deformation `f`.
    pub(crate) fn flow(&self, f: &DMat3, plastic: &DMat3, h: f64) -> DMat3 {
        let elastic = Svd::of(&(*f * plastic.inverse()));
        let strain = deviatoric(elastic.sigma);
        let size = size(strain);
        if size <= self.yield_strain {
            return *plastic;
        }
        let flows = (size - self.yield_strain) / size * (1.0 - libm::exp(-self.creep * h));
        let stretch = DMat3::from_diagonal(exp(strain * flows));
        let more = elastic.v * stretch * elastic.v.transpose() * *plastic;
        let whole = Svd::of(&more);
        let strain = deviatoric(whole.sigma);
        let kept = strain * (self.max / self::size(strain)).min(1.0);
        whole.u * DMat3::from_diagonal(exp(kept)) * whole.v.transpose()
    }
}

/// Logarithms of stretches without their mean.
fn deviatoric(stretches: DVec3) -> DVec3 {
    let logs = stretches.max(DVec3::splat(LEAST)).to_array().map(libm::log);
    let mean = (logs[0] + logs[1] + logs[2]) / 3.0;
    DVec3::from_array(logs) - mean
}

fn size(strain: DVec3) -> f64 {
    (2.0 / 3.0 * strain.length_squared()).sqrt()
}

fn exp(v: DVec3) -> DVec3 {
    DVec3::from_array(v.to_array().map(libm::exp))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation;

    /// A pull by the factor s that keeps the volume.
    fn pull(s: f64) -> DMat3 {
        let turn =
            DMat3::from_quat(rotation::from_axis_angle(DVec3::new(1.0, 2.0, 2.0) / 3.0, 1.1));
        let across = 1.0 / s.sqrt();
        turn * DMat3::from_diagonal(DVec3::new(s, across, across))
    }

    fn stays(plastic: &DMat3) -> f64 {
        size(deviatoric(Svd::of(plastic).sigma))
    }

    #[test]
    fn what_is_above_the_yield_strain_flows_at_its_rate_and_up_to_the_limit() {
        let clay = Plastic { yield_strain: 0.05, creep: 2.0, max: 0.3 };
        let none = DMat3::IDENTITY;
        assert_eq!(clay.flow(&pull(libm::exp(0.049)), &none, 1.0), none);
        let f = pull(libm::exp(0.25));
        let once = clay.flow(&f, &none, 0.4);
        let expected = 0.2 * (1.0 - libm::exp(-0.8));
        assert!((stays(&once) - expected).abs() < 1e-12, "{} {expected}", stays(&once));
        assert!((once.determinant() - 1.0).abs() < 1e-12);
        let mut often = none;
        for _ in 0..100 {
            often = clay.flow(&f, &often, 0.004);
        }
        assert!((stays(&often) - expected).abs() < 1e-12, "the same in any steps");
        let far = pull(libm::exp(0.8));
        let kept = (0..100).fold(none, |plastic, _| clay.flow(&far, &plastic, 0.1));
        assert!((stays(&kept) - 0.3).abs() < 1e-9, "{}", stays(&kept));
        // Swelling alone is not shape.
        assert_eq!(clay.flow(&DMat3::from_diagonal(DVec3::splat(1.7)), &none, 1.0), none);
        let inverted = DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0));
        assert!(clay.flow(&inverted, &none, 1.0).is_finite());
    }
}
