//! Semi-implicit Euler: `v' = v + h a(x, v, t)`, `x' = x + h v'`. Order 1; the energy of an undamped
//! spring of angular frequency w stays bounded while `h w < 2` (Hairer, Lubich and Wanner 2006, I.1).

use super::{Dynamics, Step};

pub(super) fn step(dynamics: &mut Dynamics, step: &mut Step) {
    let (v, h) = (step.v, step.h);
    let a = dynamics.accelerations(step.x, v, step.time);
    step.fill(|i| (v[i] + a[i] * h) * h, |i| a[i] * h);
}
