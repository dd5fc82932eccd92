//! Forward Euler (Nedel 1993, sections 4.4 and 5.6; Carvalho 2012, equation 4.9): all from the state
//! at t, `x' = x + h v`, `v' = v + h a(x, v, t)`. Order 1; an undamped spring grows without bound.

use super::{Dynamics, Step};

pub(super) fn step(dynamics: &mut Dynamics, step: &mut Step) {
    let (v, h) = (step.v, step.h);
    let a = dynamics.accelerations(step.x, v, step.time);
    step.fill(|i| v[i] * h, |i| a[i] * h);
}
