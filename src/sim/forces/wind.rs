//! Moving air on triangles of cloth: pressure along the normal and lift across the flow.
//!
//! With the air's velocity relative to the triangle `v`, its normal `n`, area A and air density rho:
//! drag `rho/2 C_d A |v . n| (v . n) n`, lift `rho/2 C_l A (v . n) w` with `w` the part of `n` across
//! the flow scaled by the speed (a flat plate at a small angle, Anderson 2011, 1.5).

use crate::sim::model::Model;
use crate::sim::state::State;
use glam::DVec3;

/// Density of air at 15 degrees and sea level [kg/m3].
const AIR_DENSITY: f64 = 1.225;

/// The air of one wind.
pub(super) struct Air {
    pub(super) mean: DVec3,
    pub(super) turbulence: f64,
    pub(super) gust_size: f64,
    pub(super) drag: f64,
    pub(super) lift: f64,
    pub(super) time: f64,
    pub(super) seed: u64,
}

impl Air {
    /// Velocity of the air at `p` [m/s]: the mean, and eddies of three sizes that it carries along.
    fn at(&self, p: DVec3) -> DVec3 {
        let speed = self.mean.length();
        if self.turbulence == 0.0 || speed == 0.0 {
            return self.mean;
        }
        let carried = p - self.mean * self.time;
        let mut eddy = DVec3::ZERO;
        let (mut size, mut strength) = (self.gust_size, 1.0);
        for octave in 0..3 {
            let q = carried / size + DVec3::splat(self.time * 0.5 * speed / size * 0.3);
            for axis in 0..3 {
                eddy[axis] +=
                    strength * noise(q, self.seed.wrapping_add(97 * octave + axis as u64));
            }
            size *= 0.5;
            strength *= 0.5;
        }
        self.mean + eddy * (self.turbulence * speed * 1.4)
    }
}

/// Smooth noise in about -1..1: a lattice of hashed values with quintic blending.
fn noise(p: DVec3, seed: u64) -> f64 {
    let cell = p.floor();
    let u = p - cell;
    let fade = |t: f64| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let (fx, fy, fz) = (fade(u.x), fade(u.y), fade(u.z));
    let corner = |i: i64, j: i64, k: i64| {
        let mut h = seed ^ 0x9E37_79B9_7F4A_7C15;
        for c in [cell.x as i64 + i, cell.y as i64 + j, cell.z as i64 + k] {
            h = (h ^ c as u64).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            h ^= h >> 29;
        }
        h = h.wrapping_mul(0x94D0_49BB_1331_11EB);
        (h >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
    let plane = |k| {
        mix(
            mix(corner(0, 0, k), corner(1, 0, k), fx),
            mix(corner(0, 1, k), corner(1, 1, k), fx),
            fy,
        )
    };
    mix(plane(0), plane(1), fz)
}

/// Adds the air's push on the cloth `body`. Each triangle's force is reduced as an implicit step of
/// `h` would, so that light cloth takes on the air's speed and never overshoots it.
pub(super) fn push(
    air: &Air,
    model: &Model,
    state: &State,
    body: usize,
    h: f64,
    acceleration: &mut [DVec3],
) {
    let range = model.surface.body_triangles[body].clone();
    for t in &model.surface.triangles[range.start as usize..range.end as usize] {
        let i = t.map(|i| i as usize);
        let x = i.map(|i| state.positions[i]);
        let cross = (x[1] - x[0]).cross(x[2] - x[0]);
        let double_area = cross.length();
        let mass: f64 = i.iter().map(|&i| model.mass[i]).sum();
        if double_area == 0.0 || mass == 0.0 {
            continue;
        }
        let n = cross / double_area;
        let cloth =
            (state.velocities[i[0]] + state.velocities[i[1]] + state.velocities[i[2]]) / 3.0;
        let v = air.at((x[0] + x[1] + x[2]) / 3.0) - cloth;
        let (speed, through) = (v.length(), v.dot(n));
        if speed == 0.0 {
            continue;
        }
        let pressure = 0.25 * AIR_DENSITY * double_area;
        let across = n * speed - v * (through / speed);
        let force = n * (pressure * air.drag * through.abs() * through)
            + across * (pressure * air.lift * through);
        let stiffness = pressure * (2.0 * air.drag * through.abs() + air.lift * speed) / mass;
        let push = force / (3.0 * (1.0 + h * stiffness));
        for i in i {
            if model.mass[i] > 0.0 {
                acceleration[i] += push / model.mass[i];
            }
        }
    }
}
