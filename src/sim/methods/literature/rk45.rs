//! Runge-Kutta of Dormand and Prince 1980 (RK5(4)7M): order 5, with a second result of order 4 from the
//! same slopes. Their difference is the error that the step is judged by: the farthest that a velocity
//! is off, or a place a step's length of time [m/s]. The step is taken again with half its length where
//! that is more than `solver_tolerance`, and a longer one is tried where it is less than a 64th of it,
//! twice what the factor 2^5 of a doubled step asks for. With `fixed_step` nothing is judged.

use super::{Dynamics, Step};
use glam::DVec3;

/// Where slopes are looked at, as parts of the step.
const NODES: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];

/// Weights of earlier slopes in the state at which each slope is looked at.
const STAGES: [&[f64]; 7] = [
    &[],
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

/// Weights of the result of order 5 less those of order 4.
const ERROR: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// Part of the tolerance below which a step may double.
const CALM: f64 = 1.0 / 64.0;

/// Velocities and accelerations of all points somewhere in the step.
type Slope = (Vec<DVec3>, Vec<DVec3>);

pub(super) fn step(dynamics: &mut Dynamics, step: &mut Step) {
    let (x, v, h) = (step.x, step.v, step.h);
    let mut slopes: Vec<Slope> = Vec::with_capacity(7);
    for (node, weights) in NODES.iter().zip(STAGES) {
        let mut places = x.to_vec();
        let mut velocities = v.to_vec();
        for (weight, (dx, dv)) in weights.iter().zip(&slopes) {
            for i in 0..x.len() {
                places[i] += dx[i] * (h * weight);
                velocities[i] += dv[i] * (h * weight);
            }
        }
        let a = dynamics.accelerations(&places, &velocities, step.time + node * h);
        slopes.push((velocities, a));
    }
    let sum = |weights: &[f64], of: fn(&Slope, usize) -> DVec3, i: usize| -> DVec3 {
        weights.iter().zip(&slopes).map(|(w, slope)| of(slope, i) * *w).sum()
    };
    let by_x: fn(&Slope, usize) -> DVec3 = |slope, i| slope.0[i];
    let by_v: fn(&Slope, usize) -> DVec3 = |slope, i| slope.1[i];
    // The last stage stands where the result of order 5 is.
    step.fill(|i| sum(STAGES[6], by_x, i) * h, |i| sum(STAGES[6], by_v, i) * h);
    let error = (0..x.len())
        .map(|i| sum(&ERROR, by_x, i).length().max((sum(&ERROR, by_v, i) * h).length()))
        .fold(0.0, f64::max);
    let tolerance = step.tolerance();
    step.quality.error = error / tolerance;
    step.quality.may_grow = error < CALM * tolerance;
}
