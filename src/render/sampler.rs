//! Well-spread random numbers: Sobol points with Owen scrambling by hashes.
//!
//! Burley, "Practical Hash-based Owen Scrambling", JCGT 9(4), 2020, with the mixing constants of
//! Vegdahl ("Owen Scrambling Based Blue-Noise Dithered Sampling", 2021). Every pair of dimensions
//! is its own scrambled and shuffled two-dimensional Sobol sequence. A point depends on pixel,
//! frame, sample and dimension alone, so threads cannot change it.

use glam::Vec2;

/// The second Sobol dimension's direction numbers (the first one is bit reversal).
const SOBOL_1: [u32; 32] = sobol_1();

const fn sobol_1() -> [u32; 32] {
    let mut v = [0; 32];
    v[0] = 1 << 31;
    let mut i = 1;
    while i < 32 {
        v[i] = v[i - 1] ^ (v[i - 1] >> 1);
        i += 1;
    }
    v
}

/// The numbers of one path.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    index: u32,
    seed: u32,
    dimension: u32,
}

impl Sampler {
    /// The numbers of sample `index` of pixel (`x`, `y`) of frame `frame`.
    pub(super) fn new(x: u32, y: u32, frame: i32, index: u32) -> Self {
        let seed = mix(mix(x ^ 0x9e37_79b9).wrapping_add(mix(y ^ 0x85eb_ca6b).rotate_left(11)))
            ^ mix(frame as u32 ^ 0xc2b2_ae35);
        Self { index, seed, dimension: 0 }
    }

    /// The next two numbers, each in 0..1.
    pub(super) fn next_2d(&mut self) -> Vec2 {
        self.dimension += 1;
        let seed = mix(self.seed ^ self.dimension.wrapping_mul(0x9e37_79b9));
        let index = owen_scramble(self.index, seed);
        let x = index.reverse_bits();
        let mut y = 0;
        let mut rest = index;
        while rest != 0 {
            y ^= SOBOL_1[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        Vec2::new(
            to_unit(owen_scramble(x, mix(seed ^ 0x68bc_21eb))),
            to_unit(owen_scramble(y, mix(seed ^ 0x02e5_be93))),
        )
    }

    /// The next number in 0..1.
    pub(super) fn next_1d(&mut self) -> f32 {
        self.next_2d().x
    }
}

/// Nested uniform scrambling of all bits, the highest first.
fn owen_scramble(x: u32, seed: u32) -> u32 {
    let mut x = x.reverse_bits();
    x ^= x.wrapping_mul(0x3d20_adea);
    x = x.wrapping_add(seed);
    x = x.wrapping_mul((seed >> 16) | 1);
    x ^= x.wrapping_mul(0x0552_6c56);
    x ^= x.wrapping_mul(0x53a2_2864);
    x.reverse_bits()
}

/// A well mixed 32 bit hash (Wellons' lowbias32).
fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// The upper 24 bits as a number in 0..1, never 1.
fn to_unit(x: u32) -> f32 {
    (x >> 8) as f32 * (1.0 / 16_777_216.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A (0, 2)-sequence in base 2: 16 points lie one in each cell of 16x1, 8x2, 4x4, 2x8, 1x16.
    #[test]
    fn sixteen_points_are_stratified_in_every_elementary_interval() {
        for pixel in 0..20 {
            let points: Vec<Vec2> =
                (0..16).map(|i| Sampler::new(pixel, 7, 3, i).next_2d()).collect();
            for (nx, ny) in [(16, 1), (8, 2), (4, 4), (2, 8), (1, 16)] {
                let mut seen = [false; 16];
                for p in &points {
                    let cell = (p.x * nx as f32) as usize + nx * (p.y * ny as f32) as usize;
                    assert!(!seen[cell], "pixel {pixel}: two points in cell {cell} of {nx}x{ny}");
                    seen[cell] = true;
                }
            }
        }
    }

    #[test]
    fn different_dimensions_are_uncorrelated() {
        let n = 4096;
        let sum: f32 = (0..n)
            .map(|i| {
                let mut s = Sampler::new(1, 2, 3, i);
                let (a, b) = (s.next_2d(), s.next_2d());
                (a.x - 0.5) * (b.x - 0.5)
            })
            .sum();
        // Independent: standard deviation of the mean of products is (1/12)/sqrt(n) = 0.0013.
        assert!((sum / n as f32).abs() < 4.0 * 0.0013);
    }
}
