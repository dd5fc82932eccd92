//! Linearised implicit Euler whose system is not solved but swept once by Jacobi (Kang and Cho 2002;
//! Carvalho 2012, equations 4.26 to 4.31, where dt is counted twice and a sum has p_i for p_j): from
//! the solution of each point by itself, each point is solved anew with the others as they were.
//! `iterations` sweeps it more often; many converge to the solution where the step is short enough
//! for the diagonal to dominate. Order 1.

use super::system::System;
use super::{Dynamics, Step};
use glam::DVec3;

pub(super) fn step(dynamics: &mut Dynamics, step: &mut Step) {
    let system = System::implicit_euler(dynamics, step, false);
    let sweeps = step.settings.iterations.unwrap_or(1);
    let mut y = system.first_guess();
    for _ in 0..sweeps {
        let next: Vec<DVec3> = (0..y.len()).map(|i| system.solved_for(i, &y)).collect();
        y = next;
    }
    system.finish(step, &y, sweeps);
}
