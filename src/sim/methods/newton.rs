//! Inexact Newton on the incremental potential with frozen contact rows: primal-dual in their normal forces and in
//! the stresses of membranes, which a step foresees better than the places that it ends at tell.

use super::bench::{Quality, Workbench};
use super::patches::{Asked, may_have_patches};
use super::potential::Potential;
use super::settled::{Measure, Settled};
use super::stride::Stride;
use super::tangent::Tangent;
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

/// Most fractions of a step that are tried.
const MOST_TRIALS: u32 = 6;

/// Most times that patches are relaxed behind an iteration.
const MOST_PASSES: u32 = 3;

/// Fewest Newton iterations of a substep that looks back: what one alone leaves undone comes back in BDF2 and
/// keeps a sheet in motion that drag should bring to rest.
const FEWEST_ITERATIONS: u32 = 2;

/// Relative error of a linear solve in the norm of the preconditioner: of the first of a substep, and
/// against that of the others. With a tenth, sheets hang three per cent short of their length under
/// load: that norm hardly sees the slow modes that carry the weight.
const LINEAR_TOLERANCE: f64 = 0.01;

/// The same of the first solve of a substep that looks back, on a large sheet that nothing touches: another follows in any
/// case, and what is not linear leaves it a twentieth to an eighth of the first correction (hanging sheets of 200 x 200
/// and 400 x 400). Where things touch, what a first solve leaves costs an iteration more.
const FIRST_TOLERANCE: f64 = 0.05;

/// The same where there are rigid bodies alone, whose solves cost less than what is around them.
const RIGID_TOLERANCE: f64 = 0.001;

/// Newton iterations on the potential with the present rows, until the speed that is left to find is at
/// most that of `settled`, and its energy small against that of the first correction.
pub(super) fn minimise(
    model: &Model,
    bench: &mut Workbench,
    settled: &Settled,
    quality: &mut Quality,
) {
    let measure = Measure::new(model, &bench.potential, settled, &bench.z, &bench.strides);
    let (most, tolerance) = if model.point_count == 0 {
        (MOST_RIGID_ITERATIONS, RIGID_TOLERANCE)
    } else {
        (MOST_ITERATIONS, LINEAR_TOLERANCE)
    };
    let looks_back = bench.strides.iter().any(Stride::looks_back);
    let fewest = if looks_back { FEWEST_ITERATIONS } else { 1 };
    let patchy = may_have_patches(model);
    if patchy {
        bench.patches.begin(model, &bench.potential, &bench.rows);
    }
    let (mut scale, mut ready) = (0.0, false);
    for k in 0..=most {
        let look = match k {
            _ if quality.iterations < fewest => Look::Off,
            // A round behind the first finds nearly everything where it should be. What presses on a rigid body is
            // found to the last micrometre, which an estimate does not tell.
            0 if model.rigids.is_empty() && quality.rounds > 1 => Look::Maybe,
            0 => Look::Off,
            _ if scale < 1.0 && !patchy => Look::Off,
            _ => look(model, bench, &measure, quality, patchy),
        };
        let speed = match look {
            Look::Off => None,
            Look::Maybe => finish(model, bench, &measure, quality, patchy),
            Look::Done(speed) => Some(speed),
        };
        if let Some(speed) = speed {
            quality.change = speed;
            return;
        }
        if k == most {
            quality.off = farthest(model, &bench.step);
            return;
        }
        let is_first = looks_back && quality.iterations == 0 && bench.rows.is_empty();
        let rough = is_first && bench.tangent.is_large();
        let own = if rough { FIRST_TOLERANCE } else { tolerance };
        let ahead = Ahead { ready, follows: quality.iterations + 1 < fewest };
        let gone = iterate(model, bench, &measure, quality, own, ahead);
        if gone.done {
            return;
        }
        (scale, ready) = (gone.scale, gone.ready);
    }
}

/// The body that the longest of `step` belongs to.
fn farthest(model: &Model, step: &[DVec3]) -> Option<usize> {
    let ways = step.iter().map(|s| s.length_squared());
    let node = ways.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?.0;
    Some(model.surface.body_of_node[node] as usize)
}

/// What an iterate looks like.
enum Look {
    /// More than patches is off.
    Off,
    /// Perhaps no more than patches.
    Maybe,
    /// Nothing is: the speed that is left to find [m/s].
    Done(f64),
}

/// What the gradient that the line search ended with says of an iterate. It is that of the iterate itself where no rows
/// are straightened about what they carry since.
fn look(
    model: &Model,
    bench: &mut Workbench,
    measure: &Measure<'_>,
    quality: &mut Quality,
    patchy: bool,
) -> Look {
    let Workbench { rows, tangent, patches, gradient, step, .. } = bench;
    quality.bytes += tangent.bytes_of_estimate();
    match measure.done(model, tangent, gradient, step, quality.first_energy) {
        Some(speed) if rows.is_empty() && !patchy => Look::Done(speed),
        Some(_) => Look::Maybe,
        None if patchy && patches.mark(step, measure.off()) => Look::Maybe,
        None => Look::Off,
    }
}

/// Relaxes patches until nothing is off: the speed that is left to find then [m/s], asked of rows that are straight
/// about what they carry now.
fn finish(
    model: &Model,
    bench: &mut Workbench,
    measure: &Measure<'_>,
    quality: &mut Quality,
    patchy: bool,
) -> Option<f64> {
    let Workbench { rows, potential, tangent, patches, z, gradient, step, .. } = bench;
    let off = measure.off();
    quality.bytes += potential.bytes(model) + tangent.bytes_of_estimate();
    potential.gradient(model, rows, z, gradient);
    let mut found = measure.done(model, tangent, gradient, step, quality.first_energy);
    for _ in 0..MOST_PASSES {
        if found.is_some() || !patchy || !patches.mark(step, off) {
            break;
        }
        patches.relax(Asked { model, potential, tangent, gradient, off }, rows, z);
        let slope = patches.slope(gradient);
        potential.gradient(model, rows, z, gradient);
        if patches.slope(gradient) > 0.5 * slope.abs() {
            patches.take_back(z);
            break;
        }
        found = measure.done(model, tangent, gradient, step, quality.first_energy);
    }
    found
}

/// What is known before an iteration.
#[derive(Clone, Copy)]
struct Ahead {
    /// Gradient and tangent are those of the iterate.
    ready: bool,
    /// Another iteration follows, whatever this one finds.
    follows: bool,
}

/// What an iteration on all did.
struct Gone {
    /// Nothing is left to find.
    done: bool,
    /// The part of the step that was gone.
    scale: f64,
    /// Gradient and tangent are those of the new iterate.
    ready: bool,
}

/// One iteration on all.
fn iterate(
    model: &Model,
    bench: &mut Workbench,
    measure: &Measure<'_>,
    quality: &mut Quality,
    tolerance: f64,
    ahead: Ahead,
) -> Gone {
    let n = model.free_count;
    let Workbench { rows, potential, tangent, z, gradient, right_side, step, trial, .. } = bench;
    if !ahead.ready {
        potential.evaluate(model, rows, z, gradient, Some(&mut *tangent));
        quality.bytes += potential.bytes(model) + tangent.bytes_of_assembly();
    }
    chunks::map(gradient, right_side, |_, g| -*g);
    step.resize(n, DVec3::ZERO);
    let enough = measure.enough(tolerance, quality.first_energy);
    let goal = Goal { tolerance, enough, most: 400 };
    let solved = tangent.solve(model, &potential.given, right_side, step, goal);
    if quality.first_energy == 0.0 {
        quality.first_energy = solved.energy;
    }
    quality.iterations += 1;
    quality.linear_iterations += solved.iterations;
    quality.bytes += solved.bytes;
    let slope = dot(gradient, step);
    // What of a step is cut off is left to find.
    let energy = -slope;
    quality.change = measure.speed(energy, step);
    let may_end = !ahead.follows || solved.iterations == 0;
    let done = may_end && measure.is_done(quality.change, energy, quality.first_energy);
    chunks::copy(&z[..n], &mut potential.before);
    // A tangent of rows would have to follow what they carry.
    let goes_ahead = ahead.follows && rows.is_empty();
    if goes_ahead {
        quality.bytes += tangent.bytes_of_assembly();
    }
    let along = (&step[..], slope);
    let next = goes_ahead.then_some(tangent);
    let (scale, trials) = line_search(model, potential, rows, z, along, trial, gradient, next);
    let copies = 2 * size_of_val(&trial[..]) as u64;
    quality.bytes += u64::from(trials) * (potential.bytes(model) + copies);
    chunks::update(step, z, |s, z| *z += *s * scale);
    settle(model, z);
    chunks::each(rows, |_, rows| {
        for row in rows {
            row.foresee(z);
        }
        0.0
    });
    Gone { done, scale, ready: goes_ahead && trials == 1 }
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    chunks::sum(a.len(), |own| a[own.clone()].iter().zip(&b[own]).map(|(a, b)| a.dot(*b)).sum())
}

/// A fraction of a step of some slope from `z` on along which the potential falls, judged by its directional derivative,
/// which stays exact where differences of energies drown in rounding; and how many were tried. `gradient` becomes that of
/// the last of them, and `tangent`, if there is one, that of the first.
fn line_search(
    model: &Model,
    potential: &mut Potential,
    rows: &[Row],
    z: &[DVec3],
    (step, slope): (&[DVec3], f64),
    trial: &mut Vec<DVec3>,
    gradient: &mut Vec<DVec3>,
    mut tangent: Option<&mut Tangent>,
) -> (f64, u32) {
    let mut scale = 1.0;
    for trials in 1..=MOST_TRIALS {
        let moved = |i: usize, z: &DVec3| step.get(i).map_or(*z, |step| *z + *step * scale);
        chunks::map(z, trial, moved);
        settle(model, trial);
        potential.evaluate(model, rows, trial, gradient, tangent.take());
        let there = dot(gradient, step);
        if there <= 0.5 * slope.abs() {
            return (scale, trials);
        }
        scale *= (slope / (slope - there)).clamp(0.1, 0.7);
    }
    (scale, MOST_TRIALS)
}
