//! The explicit midpoint rule (Carvalho 2012, equation 4.10): half a step of forward Euler, and the
//! whole step with the slopes found there. Order 2.

use super::{Dynamics, Step, along};

pub(super) fn step(dynamics: &mut Dynamics, step: &mut Step) {
    let (x, v, h) = (step.x, step.v, step.h);
    let a = dynamics.accelerations(x, v, step.time);
    let (x_mid, v_mid) = (along(x, 0.5 * h, v), along(v, 0.5 * h, &a));
    let a_mid = dynamics.accelerations(&x_mid, &v_mid, step.time + 0.5 * h);
    step.fill(|i| v_mid[i] * h, |i| a_mid[i] * h);
}
