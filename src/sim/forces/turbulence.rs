//! Turbulent air: a sum of waves, each of which blows across its own direction, so that the flow
//! nowhere comes out of nothing (Kraichnan 1970, Fung et al. 1992, kinematic simulation).
//!
//! `u(x, t) = u_rms sum a_m d_m cos(k_m . (x - X(t)) + w_m t + f_m)` with `d_m` across `k_m`: the
//! divergence is zero exactly. Wave numbers grow by a constant factor from one over the gust's size to
//! eight times that, with Kolmogorov's spectrum (a_m^2 goes with k^(-2/3)), and their sum gives u_rms
//! as the root of the mean square of the vector. `X(t)` is the way that the mean wind has come, which
//! carries the eddies along (Taylor 1938); the eddies themselves turn over at `w = u_rms k / 2`.

use glam::DVec3;

/// Waves; enough that no period is seen.
const WAVES: u32 = 40;

/// One over the golden ratio.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

struct Wave {
    number: DVec3,
    direction: DVec3,
    amplitude: f64,
    phase: f64,
}

/// A turbulent flow at one moment.
pub(super) struct Turbulence {
    waves: Vec<Wave>,
}

/// Evenly spread numbers in 0..1 from a seed (splitmix64, Steele et al. 2014).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut h = self.0;
        h = (h ^ (h >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        h = (h ^ (h >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((h ^ (h >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

impl Turbulence {
    /// The flow at `time` [s], when the mean wind has come `carried` [m] far: `rms` [m/s], `size` of a
    /// gust [m].
    pub(super) fn new(rms: f64, size: f64, carried: DVec3, time: f64, seed: u64) -> Self {
        let turn = 2.0 * std::f64::consts::PI;
        let mut numbers = Numbers(seed);
        let offset = numbers.next();
        let mut waves = Vec::with_capacity(WAVES as usize);
        let mut total = 0.0;
        for m in 0..WAVES {
            let part = f64::from(m) / f64::from(WAVES - 1);
            let k = turn / size * libm::exp2(3.0 * part);
            // Directions lie evenly on the sphere, in an order that mixes them over the wave numbers.
            let height = 1.0 - 2.0 * ((f64::from(m) * GOLDEN + offset) % 1.0);
            let angle = turn * numbers.next();
            let ring = (1.0 - height * height).max(0.0).sqrt();
            let along = DVec3::new(ring * libm::cos(angle), height, ring * libm::sin(angle));
            let (a, b) = along.any_orthonormal_pair();
            let tilt = turn * numbers.next();
            let direction = a * libm::cos(tilt) + b * libm::sin(tilt);
            let number = along * k;
            let phase = turn * numbers.next() + 0.5 * rms * k * time - number.dot(carried);
            let square = libm::exp2(-2.0 * part);
            total += 0.5 * square;
            waves.push(Wave { number, direction, amplitude: square.sqrt(), phase });
        }
        let scale = rms / total.sqrt();
        for wave in &mut waves {
            wave.amplitude *= scale;
        }
        Self { waves }
    }

    /// Velocity at `p` beside the mean [m/s].
    pub(super) fn at(&self, p: DVec3) -> DVec3 {
        let blow = |w: &Wave| w.direction * (w.amplitude * libm::cos(w.number.dot(p) + w.phase));
        self.waves.iter().map(blow).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(time: f64) -> Turbulence {
        Turbulence::new(2.0, 1.5, DVec3::new(3.0, 0.0, 1.0) * time, time, 7)
    }

    /// Central differences of step s miss the divergence by the order of `u k^3 s^2 / 6`; the largest
    /// wave number here is 33, so that 1e-4 m leaves less than 1e-3 of a gradient of about 30.
    #[test]
    fn nothing_comes_out_of_nothing() {
        let (air, step) = (flow(0.7), 1e-4);
        for i in 0..200 {
            let p = DVec3::new(f64::from(i) * 0.37, f64::from(i % 7) * 0.61, f64::from(i % 11));
            let slope =
                |axis: DVec3| (air.at(p + axis * step) - air.at(p - axis * step)) / (2.0 * step);
            let parts = [slope(DVec3::X).x, slope(DVec3::Y).y, slope(DVec3::Z).z];
            assert!(parts.iter().sum::<f64>().abs() < 1e-3, "{parts:?} at {p}");
            assert!(parts.iter().any(|p| p.abs() > 0.01));
        }
    }

    /// The mean square over many places that lie gusts apart; 40 waves with random phases in 4000
    /// places scatter by about `1 / sqrt(4000)` each way.
    #[test]
    fn it_is_as_strong_as_asked_and_the_same_every_time() {
        let air = flow(2.0);
        let place = |i: u32| {
            DVec3::new(
                f64::from(i % 20) * 3.1,
                f64::from(i / 20 % 20) * 2.7,
                f64::from(i / 400) * 3.7,
            )
        };
        let mean = (0..4000).map(|i| air.at(place(i)).length_squared()).sum::<f64>() / 4000.0;
        assert!((mean.sqrt() / 2.0 - 1.0).abs() < 0.05, "rms {}", mean.sqrt());
        assert_eq!(air.at(place(77)), flow(2.0).at(place(77)));
    }

    /// Eddies ride with the mean wind: over a time in which they hardly turn over, what was here is
    /// found where the wind has carried it.
    #[test]
    fn the_wind_carries_its_eddies() {
        let (dt, p) = (1e-4, DVec3::new(0.3, 1.0, -2.0));
        let (before, after) =
            (flow(1.0).at(p), flow(1.0 + dt).at(p + DVec3::new(3.0, 0.0, 1.0) * dt));
        // The turning over alone: 40 waves of up to 0.5 * 2 * 33 radians a second.
        assert!(before.distance(after) < 2.0 * 33.0 * dt * 2.0, "{before} {after}");
    }
}
