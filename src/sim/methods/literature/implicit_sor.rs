//! Linearised implicit Euler by successive over-relaxation (Zhou 2005; Carvalho 2012, equation 4.32,
//! which has a dt^2 too many): points in their order are solved with the newest values of the others,
//! `y_i += w (solved_i - y_i)` with w = `relaxation`, until no velocity changes by more than
//! `solver_tolerance` in a sweep or `iterations` sweeps are done. It starts as Kang and Cho do: at the
//! solution of each point by itself. Order 1.

use super::system::System;
use super::{Dynamics, Step};

/// Most sweeps where a script says nothing (Carvalho 2012, section 5.2).
const SWEEPS: u32 = 100;

pub(super) fn step(dynamics: &mut Dynamics, step: &mut Step) {
    let system = System::implicit_euler(dynamics, step, false);
    let (tolerance, relaxation) = (step.tolerance(), step.settings.relaxation.unwrap_or(1.0));
    let most = step.settings.iterations.unwrap_or(SWEEPS);
    let mut y = system.first_guess();
    let mut sweeps = 0;
    while sweeps < most {
        let mut largest = 0.0f64;
        for i in 0..y.len() {
            let change = (system.solved_for(i, &y) - y[i]) * relaxation;
            y[i] += change;
            largest = largest.max(change.length());
        }
        sweeps += 1;
        if largest <= tolerance {
            break;
        }
    }
    system.finish(step, &y, sweeps);
}
