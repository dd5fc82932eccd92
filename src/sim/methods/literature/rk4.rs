//! The classical Runge-Kutta method (Carvalho 2012, equations 4.11 to 4.15, where the second midpoint's
//! values are lost in print): slopes at the begin, twice in the middle, at the end, weighted 1 2 2 1.
//! Order 4; an undamped spring of angular frequency w is stable up to `h w = 2.83`.

use super::{Dynamics, Step, along};

pub(super) fn step(dynamics: &mut Dynamics, step: &mut Step) {
    let (x, v, h, t) = (step.x, step.v, step.h, step.time);
    let a1 = dynamics.accelerations(x, v, t);
    let (x2, v2) = (along(x, 0.5 * h, v), along(v, 0.5 * h, &a1));
    let a2 = dynamics.accelerations(&x2, &v2, t + 0.5 * h);
    let (x3, v3) = (along(x, 0.5 * h, &v2), along(v, 0.5 * h, &a2));
    let a3 = dynamics.accelerations(&x3, &v3, t + 0.5 * h);
    let (x4, v4) = (along(x, h, &v3), along(v, h, &a3));
    let a4 = dynamics.accelerations(&x4, &v4, t + h);
    let sixth = h / 6.0;
    step.fill(
        |i| (v[i] + (v2[i] + v3[i]) * 2.0 + v4[i]) * sixth,
        |i| (a1[i] + (a2[i] + a3[i]) * 2.0 + a4[i]) * sixth,
    );
}
