//! Improved Verlet (Jiang and Wang 2010; Carvalho 2012, equations 4.16 to 4.20). The first step is
//! Taylor's, `x' = x + h v + h^2 a / 2`; after it `x' = 2 x - x_before + h^2 a` with the velocity
//! `v' = (x' - x) / h`, which is that of half a step earlier. Points whose force has changed by more
//! than `force_change` since the step before go by Beeman's method,
//! `x' = x + h v + h^2 (4 a - a_before) / 6`, `v' = v + h (2 a' + 5 a - a_before) / 6`, for which the
//! forces at the new places are asked for. Order 2 in the places.

use super::{Dynamics, Step, along};
use crate::sim::state::Past;
use glam::DVec3;

/// Change of force from which on Beeman's method is used where a script says nothing [N].
const FORCE_CHANGE: f64 = 1e-3;

pub(super) fn step(dynamics: &mut Dynamics, step: &mut Step) {
    let (x, v, h) = (step.x, step.v, step.h);
    let a = dynamics.accelerations(x, v, step.time);
    if step.goes_on() {
        go_on(dynamics, step, &a);
    } else {
        step.fill(|i| v[i] * h + a[i] * (0.5 * h * h), |i| a[i] * (0.5 * h));
    }
    let steps = vec![h; x.len()];
    *step.past = Past { steps, places: x.to_vec(), accelerations: a, ..Past::default() };
}

fn go_on(dynamics: &mut Dynamics, step: &mut Step, a: &[DVec3]) {
    let (x, v, h) = (step.x, step.v, step.h);
    let before = std::mem::take(&mut step.past.accelerations);
    let places = std::mem::take(&mut step.past.places);
    let limit = step.settings.force_change.unwrap_or(FORCE_CHANGE);
    let mass = &dynamics.model.mass;
    let jumps: Vec<bool> = (0..x.len())
        .map(|i| !dynamics.holds(i) && (a[i] - before[i]).length() * mass[i] > limit)
        .collect();
    let way = |i: usize| {
        if jumps[i] {
            v[i] * h + (a[i] * 4.0 - before[i]) * (h * h / 6.0)
        } else if dynamics.holds(i) {
            v[i] * h
        } else {
            (x[i] - places[i]) + a[i] * (h * h)
        }
    };
    let ways: Vec<DVec3> = (0..x.len()).map(way).collect();
    let switched = jumps.iter().filter(|jumps| **jumps).count();
    step.quality.switched += switched as u32;
    let next = if switched > 0 {
        // Velocities at the new places are not known yet: forces that depend on them take those that
        // led there.
        let speeds: Vec<DVec3> = ways.iter().map(|way| *way / h).collect();
        dynamics.accelerations(&along(x, 1.0, &ways), &speeds, step.time + h)
    } else {
        Vec::new()
    };
    step.fill(
        |i| ways[i],
        |i| {
            if jumps[i] {
                (next[i] * 2.0 + a[i] * 5.0 - before[i]) * (h / 6.0)
            } else {
                ways[i] / h - v[i]
            }
        },
    );
}
