//! The backward differentiation formula of order 2 (Curtiss and Hirschfelder 1952; for cloth Choi and
//! Ko 2002): `3 x' = 4 x - x_before + 2 h v'`, `3 v' = 4 v - v_before + 2 h a(x', v', t + h)`, solved
//! for v' by Newton's method, each system of it by conjugate gradients. The first step, and one of
//! another length than the one before, is implicit Euler's. It ends when no velocity is corrected by
//! more than `solver_tolerance`, or after `iterations` corrections.

use super::system::System;
use super::{Dynamics, Step, along};
use crate::sim::state::Past;
use glam::DVec3;

/// Most corrections where a script says nothing.
const CORRECTIONS: u32 = 20;

/// Most iterations of conjugate gradients a correction.
const ITERATIONS: u32 = 1000;

pub(super) fn step(dynamics: &mut Dynamics, step: &mut Step) {
    let (x, v, h) = (step.x, step.v, step.h);
    let end = step.time + h;
    let goes_on = step.goes_on();
    // x' = base_x + s v', v' = base_v + s a'.
    let s = if goes_on { 2.0 * h / 3.0 } else { h };
    let base = |now: &[DVec3], before: &[DVec3]| -> Vec<DVec3> {
        if goes_on {
            now.iter().zip(before).map(|(now, before)| (*now * 4.0 - *before) / 3.0).collect()
        } else {
            now.to_vec()
        }
    };
    let (base_x, base_v) = (base(x, &step.past.places), base(v, &step.past.velocities));
    let tolerance = step.tolerance();
    let mut next = v.to_vec();
    for _ in 0..step.settings.iterations.unwrap_or(CORRECTIONS) {
        let places = along(&base_x, s, &next);
        let forces = dynamics.forces(&places, &next, end);
        let mass = &dynamics.model.mass;
        let left = (0..x.len()).map(|i| forces[i] * s - (next[i] - base_v[i]) * mass[i]).collect();
        let jacobian = dynamics.jacobian(&places, &next, end, true);
        let system = System::new(dynamics, &jacobian, s, left);
        let mut y = vec![DVec3::ZERO; x.len()];
        step.quality.linear_iterations +=
            system.conjugate_gradients(&mut y, 0.01 * tolerance, ITERATIONS);
        step.quality.iterations += 1;
        let mut largest = 0.0f64;
        for (next, y) in next.iter_mut().zip(&y) {
            *next += *y;
            largest = largest.max(y.length());
        }
        step.quality.residual = largest;
        if largest <= tolerance {
            break;
        }
    }
    let places = along(&base_x, s, &next);
    let holds: Vec<bool> = (0..x.len()).map(|i| dynamics.holds(i)).collect();
    step.fill(|i| if holds[i] { v[i] * h } else { places[i] - x[i] }, |i| next[i] - v[i]);
    let steps = vec![h; x.len()];
    *step.past = Past { steps, places: x.to_vec(), velocities: v.to_vec(), ..Past::default() };
}
