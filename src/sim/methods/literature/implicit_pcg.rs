//! Linearised implicit Euler by conjugate gradients (Baraff and Witkin 1998, section 5.2; asked for as
//! further work by Carvalho 2012, chapter 6). The derivatives that would make the system unsymmetric or
//! indefinite are left out, so that no step is too long to be solved. Order 1.

use super::system::System;
use super::{Dynamics, Step};
use glam::DVec3;

/// Most iterations where a script says nothing.
const ITERATIONS: u32 = 1000;

pub(super) fn step(dynamics: &mut Dynamics, step: &mut Step) {
    let system = System::implicit_euler(dynamics, step, true);
    let most = step.settings.iterations.unwrap_or(ITERATIONS);
    let mut y = vec![DVec3::ZERO; step.x.len()];
    let iterations = system.conjugate_gradients(&mut y, step.tolerance(), most);
    system.finish(step, &y, iterations);
}
