//! Inexact Newton on the incremental potential with frozen contact rows: primal-dual in their normal forces and in
//! the stresses of membranes, which a step foresees better than the places that it ends at tell.

use super::bench::{Quality, Workbench};
use super::potential::Potential;
use super::stride::Stride;
use crate::sim::collision::contact::Row;
use crate::sim::linear::chunks;
use crate::sim::linear::conjugate_gradients::Goal;
use crate::sim::model::Model;
use crate::sim::rigid::settle;
use glam::DVec3;

/// Most Newton iterations of one round, and of one of rigid bodies alone: what they press with must be found
/// to the last micrometre, and a round that ends before costs another search for contacts.
const MOST_ITERATIONS: u32 = 6;
const MOST_RIGID_ITERATIONS: u32 = 10;

/// Fewest Newton iterations of a substep that looks back: what one alone leaves undone comes back in BDF2 and
/// keeps a sheet in motion that drag should bring to rest.
const FEWEST_ITERATIONS: u32 = 2;

/// Relative error of a linear solve in the norm of the preconditioner: of the first of a substep, and
/// against that of the others. With a tenth, sheets hang three per cent short of their length under
/// load: that norm hardly sees the slow modes that carry the weight.
const LINEAR_TOLERANCE: f64 = 0.01;

/// The same where there are rigid bodies alone, whose solves cost less than what is around them.
const RIGID_TOLERANCE: f64 = 0.001;

/// The iterate may be off by this part of the substep's first correction, both measured by their energy.
/// What it is off by comes back in every substep, so that it counts against what forces do in one, not
/// against how fast anything moves.
const OFF_BY: f64 = 0.05;

/// A rigid body's move counts this many times: what it presses with changes by the whole in the few
/// micrometres that it is pressed in at rest, where a vertex of cloth gives way.
const RIGID_WEIGHT: f64 = 100.0;

/// Part of its own way that a rigid body may be off by, times that weight: one that lies in a heap does not creep
/// because another one falls on it.
const RIGID_PART: f64 = 0.1;

/// What speeds an iterate may be off by [m/s].
pub(super) struct Settled {
    /// The root mean square over the mass.
    pub(super) all: f64,
    /// A single node.
    pub(super) one: f64,
    /// The `accuracy` that the shot asks for.
    accuracy: f64,
}

impl Settled {
    /// For motion as fast as `fastest` [m/s]: a part of it, or the `accuracy` that the shot asks for
    /// [m/s]. A single node may be off by more than all, while things move: a fold that is about to snap
    /// to either side moves for many iterations without a share in the energy.
    pub(super) fn new(accuracy: f64, fastest: f64) -> Self {
        // A preconditioned gradient may be too short by a factor of three.
        Self {
            all: (accuracy / 3.0).max(0.01 * fastest),
            one: (accuracy / 3.0).max(0.05 * fastest),
            accuracy,
        }
    }

    /// Of a rigid body that moves at the speed `own` [m/s].
    fn rigid(&self, own: f64) -> f64 {
        self.accuracy.max(RIGID_PART * own) / RIGID_WEIGHT
    }
}

/// Newton iterations on the potential with the present rows, until the speed that is left to find is at
/// most that of `settled`, and its energy small against that of the first correction.
pub(super) fn minimise(
    model: &Model,
    bench: &mut Workbench,
    settled: &Settled,
    quality: &mut Quality,
) {
    let n = model.free_count;
    let Workbench {
        rows, potential, strides, tangent, z, gradient, right_side, step, trial, ..
    } = bench;
    let mass: f64 = (0..n).filter(|i| !potential.given[*i]).map(|i| model.mass[i]).sum();
    let h = potential.h;
    let rigid_off: Vec<f64> = (model.point_count..n)
        .map(|i| settled.rigid(z[i].distance(potential.start[i]) / h))
        .collect();
    let speed = |energy: f64, step: &[DVec3]| {
        let (points, rigid) = step.split_at(model.point_count);
        let one = points.iter().fold(0.0f64, |m, s| m.max(s.length_squared())).sqrt();
        let rigid =
            rigid.iter().zip(&rigid_off).fold(0.0f64, |m, (s, off)| m.max(s.length() / off));
        let even = if mass > 0.0 { (energy.max(0.0) / mass).sqrt() } else { 0.0 };
        even.max(settled.all / h * rigid.max(one / settled.one))
    };
    // Rigid bodies press and rub as the last micrometre says, and the first correction of a rope is all
    // stretch: what is left is not measured by it.
    let (exact, part) = if !model.rigids.is_empty() {
        (RIGID_WEIGHT, 0.0)
    } else if model.segments.is_empty() {
        (1.0, 1.0)
    } else {
        (1.0, 0.0)
    };
    let off = |i: usize| {
        let off = i.checked_sub(model.point_count).map(|k| rigid_off[k]);
        off.unwrap_or(settled.accuracy / exact)
    };
    let least: f64 = (0..n)
        .filter(|i| !potential.given[*i])
        .map(|i| model.mass[i] * (0.1 * off(i)).powi(2))
        .sum();
    let (most, tolerance) = if model.point_count == 0 {
        (MOST_RIGID_ITERATIONS, RIGID_TOLERANCE)
    } else {
        (MOST_ITERATIONS, LINEAR_TOLERANCE)
    };
    let fewest = if strides.iter().any(Stride::looks_back) { FEWEST_ITERATIONS } else { 1 };
    for _ in 0..most {
        potential.evaluate(model, rows, z, gradient, Some(&mut *tangent));
        right_side.resize(n, DVec3::ZERO);
        chunks::update(gradient, right_side, |g, r| *r = -*g);
        step.resize(n, DVec3::ZERO);
        let given = &potential.given;
        let enough = (part * tolerance * tolerance * quality.first_energy).max(0.1 * least);
        let goal = Goal { tolerance, enough, most: 400 };
        let solved = tangent.solve(model, given, right_side, step, goal);
        if quality.first_energy == 0.0 {
            quality.first_energy = solved.energy;
        }
        quality.iterations += 1;
        quality.linear_iterations += solved.iterations;
        let slope = dot(gradient, step);
        // What of a step is cut off is left to find.
        let energy = -slope;
        quality.change = speed(energy, step);
        let scale = line_search(model, potential, rows, z, step, slope, trial, gradient);
        let before = &mut potential.before;
        before.clear();
        before.extend_from_slice(&z[..n]);
        chunks::update(step, z, |s, z| *z += *s * scale);
        settle(model, z);
        chunks::each(rows, |_, rows| {
            for row in rows {
                row.foresee(z);
            }
            0.0
        });
        let off_by = (part * OFF_BY * OFF_BY * quality.first_energy).max(least);
        if quality.iterations < fewest {
            continue;
        }
        if quality.change <= settled.all && energy <= off_by {
            break;
        }
        if scale < 1.0 {
            continue;
        }
        // How far the next step would go, asked of the gradient that the line search ended with; then of that
        // with rows that are straight about what they carry now.
        let mut next = |gradient: &[DVec3]| {
            let energy = tangent.estimate(model, gradient, step);
            let speed = speed(energy, step);
            (speed <= settled.all && energy <= off_by).then_some(speed)
        };
        if next(gradient).is_none() {
            continue;
        }
        potential.gradient(model, rows, z, gradient);
        if let Some(speed) = next(gradient) {
            quality.change = speed;
            break;
        }
    }
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    chunks::sum(a.len(), |own| a[own.clone()].iter().zip(&b[own]).map(|(a, b)| a.dot(*b)).sum())
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
        chunks::update(step, trial, |s, t| *t += *s * scale);
        settle(model, trial);
        potential.gradient(model, rows, trial, gradient);
        let there = dot(gradient, step);
        if there <= 0.5 * slope.abs() {
            return scale;
        }
        scale *= (slope / (slope - there)).clamp(0.1, 0.7);
    }
    scale
}
