//! Inexact Newton on the incremental potential with frozen contact rows.

use super::bench::{Quality, Workbench};
use super::potential::Potential;
use crate::sim::collision::contact::Row;
use crate::sim::model::Model;
use glam::DVec3;

/// Most Newton iterations of one round.
const MOST_ITERATIONS: u32 = 4;

/// Relative residual of a linear solve. With a tenth, sheets hang three per cent short of their length
/// under load: the preconditioner's norm hardly sees the slow modes that carry the weight.
const LINEAR_TOLERANCE: f64 = 0.01;

/// The estimate of a next step may be too short by this factor.
const ESTIMATE_MARGIN: f64 = 3.0;

/// Newton iterations on the potential with the present rows.
pub(super) fn minimise(
    model: &Model,
    bench: &mut Workbench,
    h: f64,
    eps: f64,
    quality: &mut Quality,
) {
    let n = model.free_count;
    let Workbench { rows, potential, tangent, z, gradient, right_side, step, trial, .. } = bench;
    for _ in 0..MOST_ITERATIONS {
        potential.evaluate(model, rows, z, gradient, Some(&mut *tangent));
        right_side.clear();
        right_side.extend(gradient.iter().map(|g| -*g));
        step.resize(n, DVec3::ZERO);
        let solved =
            tangent.solve(model, &potential.given, right_side, step, LINEAR_TOLERANCE, 400);
        quality.iterations += 1;
        quality.linear_iterations += solved.iterations;
        let slope: f64 = gradient.iter().zip(step.iter()).map(|(g, s)| g.dot(*s)).sum();
        let scale = line_search(model, potential, rows, z, step, slope, trial, gradient);
        let mut most: f64 = 0.0;
        for i in 0..n {
            let move_by = step[i] * scale;
            most = most.max(move_by.length_squared());
            z[i] += move_by;
        }
        quality.change = most.sqrt() / h;
        if quality.change <= eps {
            break;
        }
        if scale == 1.0 {
            // How far the next step would go, asked of the gradient that the line search ended with.
            tangent.estimate(gradient, step);
            let next = step.iter().fold(0.0f64, |m, s| m.max(s.length_squared())).sqrt();
            if next * ESTIMATE_MARGIN <= eps * h {
                quality.change = next * ESTIMATE_MARGIN / h;
                break;
            }
        }
    }
}

/// A fraction of `step` along which the potential falls, judged by its directional derivative, which
/// stays exact where differences of energies drown in rounding.
fn line_search(
    model: &Model,
    potential: &Potential,
    rows: &[Row],
    z: &[DVec3],
    step: &[DVec3],
    slope: f64,
    trial: &mut Vec<DVec3>,
    gradient: &mut Vec<DVec3>,
) -> f64 {
    let mut scale = 1.0;
    for _ in 0..6 {
        trial.clear();
        trial.extend_from_slice(z);
        for (t, s) in trial.iter_mut().zip(step) {
            *t += *s * scale;
        }
        potential.gradient(model, rows, trial, gradient);
        let there: f64 = gradient.iter().zip(step).map(|(g, s)| g.dot(*s)).sum();
        if there <= 0.5 * slope.abs() {
            return scale;
        }
        scale *= (slope / (slope - there)).clamp(0.1, 0.7);
    }
    scale
}
