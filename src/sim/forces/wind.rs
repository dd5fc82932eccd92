//! Moving air on triangles of cloth: pressure along the normal and lift across the flow.
//!
//! With the air's velocity relative to the triangle `v`, its normal `n`, area A and air density rho:
//! drag `rho/2 C_d A |v . n| (v . n) n`, lift `rho/2 C_l A (v . n) w` with `w` the part of `n` across
//! the flow scaled by the speed (a flat plate at a small angle, Anderson 2011, 1.5).

use super::turbulence::Turbulence;
use crate::math::Curve;
use crate::sim::model::Model;
use glam::DVec3;

/// Density of air at 15 degrees and sea level [kg/m3].
const AIR_DENSITY: f64 = 1.225;

/// The air of one wind.
pub(super) struct Air {
    /// Mean velocity [m/s].
    pub(super) mean: DVec3,
    /// What is added to it; none: nothing.
    pub(super) eddies: Option<Turbulence>,
    pub(super) drag: f64,
    pub(super) lift: f64,
}

impl Air {
    /// Velocity of the air at `p` [m/s].
    pub(super) fn at(&self, p: DVec3) -> DVec3 {
        self.mean + self.eddies.as_ref().map_or(DVec3::ZERO, |eddies| eddies.at(p))
    }
}

/// How far a wind has come from script time 0 to `time` [m]: midpoints of 48 a second.
pub(super) fn carried(velocity: &Curve<DVec3>, time: f64) -> DVec3 {
    if let Curve::Constant(velocity) = velocity {
        return *velocity * time;
    }
    let parts = (time.abs() * 48.0).ceil().max(1.0) as u32;
    let part = time / f64::from(parts);
    (0..parts).map(|i| velocity.at((f64::from(i) + 0.5) * part) * part).sum()
}

/// Adds the air's push on `body`. Each triangle's force is the mean of what it comes to while the triangle takes
/// on the air's speed, for the longest of its nodes' `h` seconds (exponential Euler; Hochbruck and Ostermann 2010,
/// 2.1), so that light cloth never overshoots it.
pub(super) fn push(
    air: &Air,
    model: &Model,
    (places, velocities): (&[DVec3], &[DVec3]),
    body: usize,
    h: impl Fn(usize) -> f64,
    acceleration: &mut [DVec3],
) {
    let solid = model.scene.bodies[body].cloth().is_none();
    // A sheet's triangle has air on both sides, that of a solid on one.
    let sides = if solid { 0.5 } else { 1.0 };
    let range = model.surface.body_triangles[body].clone();
    for t in &model.surface.triangles[range.start as usize..range.end as usize] {
        let i = t.map(|i| i as usize);
        let x = i.map(|i| places[i]);
        let cross = (x[1] - x[0]).cross(x[2] - x[0]);
        let double_area = cross.length();
        let spread = model.spread(t, &[1.0 / 3.0; 3], 3);
        let mass = if solid {
            1.0 / spread.parts().map(|(i, w)| w * w / model.mass[i]).sum::<f64>()
        } else {
            i.iter().map(|&i| model.mass[i]).sum()
        };
        if double_area == 0.0 || mass == 0.0 {
            continue;
        }
        let n = cross / double_area;
        let own: DVec3 = spread.parts().map(|(i, w)| velocities[i] * w).sum();
        let v = air.at((x[0] + x[1] + x[2]) / 3.0) - own;
        let (speed, through) = (v.length(), v.dot(n));
        if speed == 0.0 {
            continue;
        }
        let pressure = sides * 0.25 * AIR_DENSITY * double_area;
        let across = n * speed - v * (through / speed);
        let force = n * (pressure * air.drag * through.abs() * through)
            + across * (pressure * air.lift * through);
        let stiffness = pressure * (2.0 * air.drag * through.abs() + air.lift * speed) / mass;
        let h = spread.parts().map(|(i, _)| h(i)).fold(0.0, f64::max);
        let slowed = h * stiffness;
        let push = if slowed > 0.0 { force * (-libm::expm1(-slowed) / slowed) } else { force };
        for (i, w) in spread.parts() {
            if model.mass[i] > 0.0 {
                acceleration[i] += push * (w / model.mass[i]);
            }
        }
    }
}
