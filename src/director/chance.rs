//! Random streams and noise: the same numbers on every machine.

use glam::DVec3;

/// A stream of random numbers (xoshiro256++, seeded by SplitMix64 from a name and a seed).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stream {
    state: [u64; 4],
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Stream {
    pub(crate) fn new(name: &str, seed: u64) -> Self {
        // FNV-1a: streams of different names are unrelated.
        let hash = name.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        let mut state = hash ^ seed.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        Self { state: std::array::from_fn(|_| split_mix(&mut state)) }
    }

    pub(crate) fn next(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// In 0 ..= 1, 1 left out.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    pub(crate) fn between(&mut self, min: f64, max: f64) -> f64 {
        min + (max - min) * self.unit()
    }

    /// In `min ..= max`, each equally likely.
    pub(crate) fn integer(&mut self, min: i64, max: i64) -> i64 {
        let span = (max as u64).wrapping_sub(min as u64).wrapping_add(1);
        if span == 0 {
            return self.next() as i64;
        }
        let limit = u64::MAX - u64::MAX % span;
        loop {
            let drawn = self.next();
            if drawn < limit {
                return min.wrapping_add((drawn % span) as i64);
            }
        }
    }

    /// A unit vector, each direction equally likely.
    pub(crate) fn direction(&mut self) -> DVec3 {
        let y = self.between(-1.0, 1.0);
        let turn = self.between(0.0, std::f64::consts::TAU);
        let r = (1.0 - y * y).max(0.0).sqrt();
        DVec3::new(r * libm::cos(turn), y, r * libm::sin(turn))
    }

    /// A rotation as degrees about x, then y, then z, each equally likely (Shoemake 1992).
    pub(crate) fn rotation(&mut self) -> DVec3 {
        let (u, v, w) = (self.unit(), self.unit(), self.unit());
        let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
        let (v, w) = (v * std::f64::consts::TAU, w * std::f64::consts::TAU);
        let turn = glam::DQuat::from_xyzw(
            a * libm::sin(v),
            a * libm::cos(v),
            b * libm::sin(w),
            b * libm::cos(w),
        );
        crate::math::degrees_from_rotation(turn)
    }
}

/// Gradient noise of one octave in about -1..1 (Perlin 2002 with hashed gradients).
fn gradient_noise(p: DVec3, seed: u64) -> f64 {
    let cell = p.floor();
    let f = p - cell;
    let fade = |t: f64| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let (u, v, w) = (fade(f.x), fade(f.y), fade(f.z));
    let corner = |dx: f64, dy: f64, dz: f64| {
        let c = cell + DVec3::new(dx, dy, dz);
        let mut h = seed
            ^ (c.x as i64 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ (c.y as i64 as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
            ^ (c.z as i64 as u64).wrapping_mul(0x1656_67B1_9E37_79F9);
        let hash = split_mix(&mut h);
        let d = f - DVec3::new(dx, dy, dz);
        // The twelve edge directions of a cube, four of them twice.
        let (a, b) = match (hash >> 4) % 3 {
            0 => (d.x, d.y),
            1 => (d.x, d.z),
            _ => (d.y, d.z),
        };
        (if hash & 1 == 0 { a } else { -a }) + (if hash & 2 == 0 { b } else { -b })
    };
    let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
    let plane = |dz: f64| {
        mix(
            mix(corner(0.0, 0.0, dz), corner(1.0, 0.0, dz), u),
            mix(corner(0.0, 1.0, dz), corner(1.0, 1.0, dz), u),
            v,
        )
    };
    mix(plane(0.0), plane(1.0), w)
}

/// Noise in -1..1: each octave has half the size and half the height of the one before.
pub(crate) fn noise(at: DVec3, octaves: u32, seed: u64) -> f64 {
    let (mut sum, mut height, mut total, mut p) = (0.0, 1.0, 0.0, at);
    for octave in 0..octaves {
        sum += height * gradient_noise(p, seed.wrapping_add(u64::from(octave)));
        total += height;
        height *= 0.5;
        p *= 2.0;
    }
    (sum / total).clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_repeat_and_differ_by_name() {
        let draw = |name, seed| {
            let mut s = Stream::new(name, seed);
            [s.next(), s.next()]
        };
        assert_eq!(draw("a", 1), draw("a", 1));
        assert_ne!(draw("a", 1), draw("b", 1));
        assert_ne!(draw("a", 1), draw("a", 2));
    }

    #[test]
    fn integers_reach_both_ends() {
        let mut s = Stream::new("dice", 1);
        let mut seen = [0; 6];
        for _ in 0..600 {
            seen[(s.integer(1, 6) - 1) as usize] += 1;
        }
        assert!(seen.iter().all(|n| *n > 50), "{seen:?}");
        assert_eq!(s.integer(3, 3), 3);
        let _ = s.integer(i64::MIN, i64::MAX);
    }

    #[test]
    fn noise_is_smooth_and_within_bounds() {
        let mut last = noise(DVec3::ZERO, 3, 1);
        for i in 1..2000 {
            let here = noise(DVec3::new(f64::from(i) * 0.01, 0.3, -0.7), 3, 1);
            assert!(here.abs() <= 1.0);
            assert!((here - last).abs() < 0.5 || i == 1);
            last = here;
        }
    }

    #[test]
    fn rotations_round_trip() {
        let mut s = Stream::new("turn", 4);
        for _ in 0..50 {
            let degrees = s.rotation();
            let q = crate::math::rotation_from_degrees(degrees);
            let back = crate::math::degrees_from_rotation(q);
            let same = crate::math::rotation_from_degrees(back);
            assert!(q.dot(same).abs() > 1.0 - 1e-9);
        }
    }
}
