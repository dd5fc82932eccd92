//! The engine's own method: backward Euler by inexact Newton on the incremental potential, contact by
//! augmented Lagrangian rows, every motion cut short by the guard.
//!
//! A round takes contact rows at a feasible base, moves the iterate `z` towards the minimum, and
//! brings the base after it as far as the guard allows. When nothing is held back any more, base
//! and iterate are one and the substep is done.

use super::bench::{Quality, Workbench};
use super::newton::minimise;
use super::outcome::finish;
use crate::scene::Guard;
use crate::sim::collision::contact::{collect_rows, remember};
use crate::sim::collision::guard::measure;
use crate::sim::constraints::stitch;
use crate::sim::model::Model;
use crate::sim::state::State;
use glam::DVec3;

/// Most rounds of one attempt.
const MOST_ROUNDS: u32 = 8;

/// Tries to advance `state` by `h`. The result is in `state`; it is a legal state whatever its quality,
/// unless numbers are not finite.
pub(crate) fn attempt(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    h: f64,
    end: f64,
) -> Quality {
    let mut quality = Quality { closest: f64::INFINITY, finite: true, ..Quality::default() };
    let guard = model.scene.solver.guard;
    let mut wanted = wanted_times(model, state, end);
    prepare(model, state, bench, h, end, &wanted);
    let eps = settled_speed(model, state, bench, h);
    find_candidates(model, state, bench);
    bench.memory.clear();
    bench.memory.extend_from_slice(&state.memory);
    let mut deepest_before = f64::INFINITY;
    while quality.rounds < MOST_ROUNDS {
        quality.rounds += 1;
        measure(&bench.candidates.pairs, &bench.base, &mut bench.closest);
        let Workbench { candidates, closest, z, inverse_mass, memory, rows, .. } = bench;
        collect_rows(model, &candidates.pairs, closest, z, inverse_mass, h, end, memory, rows);
        minimise(model, bench, h, eps, &mut quality);
        let deepest = update_multipliers(bench);
        bench.wish.clear();
        bench.wish.extend(bench.z.iter().zip(&bench.base).map(|(z, b)| *z - *b));
        if guard == Guard::Enforce {
            advance_base(model, state, bench, &wanted, &mut quality);
            if bench.allowed.left_box {
                refresh_candidates(model, bench);
            }
        } else {
            bench.base.copy_from_slice(&bench.z);
            state.own_time.copy_from_slice(&wanted);
            quality.held_back = 0.0;
        }
        if !bench.base.iter().all(|p| p.is_finite()) {
            quality.finite = false;
            return quality;
        }
        if quality.rounds >= ROUNDS_BEFORE_LAG {
            // What is still in the way will not give: the given motion waits, and says so.
            for body in quality.lagging.clone() {
                wanted[body] = state.own_time[body];
                place_given(model, body, wanted[body], &mut bench.z);
                quality.waits(body);
            }
            hold_pins_back(model, bench, eps * h, &mut quality);
        }
        if quality.held_back <= eps * h
            && quality.change <= eps
            && (deepest <= DEEP || deepest > 0.9 * deepest_before)
        {
            break;
        }
        if quality.rounds >= ROUNDS_BEFORE_LAG + 2 && !quality.waiting.is_empty() {
            break;
        }
        deepest_before = deepest;
    }
    finish(model, state, bench, h, end, &mut quality);
    quality
}

/// Held nodes that something is in the way of stay where they have got to in this substep.
fn hold_pins_back(model: &Model, bench: &mut Workbench, tolerance: f64, quality: &mut Quality) {
    for i in 0..model.free_count {
        if bench.potential.given[i] && bench.z[i].distance(bench.base[i]) > tolerance {
            bench.z[i] = bench.base[i];
            quality.waits(model.surface.body_of_node[i] as usize);
        }
    }
}

/// Rounds after which a given motion that something is in the way of lags behind its keys.
const ROUNDS_BEFORE_LAG: u32 = 4;

/// A given motion stops where it presses a contact in by this part of the shot's tolerance.
const LAG_BEYOND: f64 = 0.8;

/// Part of the contact distance that a row may be pressed in before it is solved again with the
/// force that it has found, as long as that helps.
const DEEP: f64 = 0.15;

/// A last change of the iterate below this speed means converged [m/s]: the accuracy that the shot
/// asks for, or half a per cent of the fastest motion.
fn settled_speed(model: &Model, state: &State, bench: &Workbench, h: f64) -> f64 {
    let fastest = (0..model.free_count)
        .fold(0.0f64, |m, i| m.max(bench.z[i].distance_squared(state.positions[i])));
    model.scene.solver.accuracy.max(0.005 * fastest.sqrt() / h)
}

/// Moves all multipliers to the forces found, remembers them, and tells how deep the deepest row is
/// pressed in as a part of its contact distance.
fn update_multipliers(bench: &mut Workbench) -> f64 {
    let Workbench { rows, potential, z, memory, .. } = bench;
    let mut deepest: f64 = 0.0;
    for row in rows.iter_mut() {
        deepest = deepest.max(-row.gap(z) / row.distance);
        row.update_multipliers(z, &potential.start);
    }
    for pull in &mut potential.pulls {
        pull.update_multiplier(z);
    }
    remember(rows, memory);
    deepest
}

/// Sets up the potential, the inertial positions, and where given nodes are to be.
fn prepare(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    h: f64,
    end: f64,
    wanted: &[f64],
) {
    let n = model.free_count;
    bench.targets.find(model, state, end, wanted);
    bench.external.evaluate(model, state, end, h);
    let potential = &mut bench.potential;
    potential.h = h;
    potential.end = end;
    potential.start.clear();
    potential.start.extend_from_slice(&state.positions);
    potential.inertial.clear();
    potential.inertial.extend((0..n).map(|i| {
        let v = (state.velocities[i] + bench.external.acceleration[i] * h)
            / (1.0 + h * bench.external.drag[i]);
        state.positions[i] + v * h
    }));
    potential.inertia.clear();
    potential
        .inertia
        .extend((0..n).map(|i| model.mass[i] * (1.0 + h * bench.external.drag[i]) / (h * h)));
    potential.start_strain.clear();
    potential.start_strain.resize(model.membranes.len(), [0.0; 3]);
    let strains = &mut potential.start_strain;
    model.for_membranes(state.time, |m, membrane, shrink| {
        strains[m] = membrane.strain(&state.positions, shrink);
    });
    potential.start_angle.clear();
    potential.start_angle.extend(model.hinges.iter().map(|hinge| hinge.angle_at(&state.positions)));
    potential.springs.clone_from(&bench.targets.springs);
    potential.given.clear();
    potential.given.extend(bench.targets.place.iter().map(Option::is_some));
    bench.inverse_mass.clear();
    bench.inverse_mass.resize(state.positions.len(), 0.0);
    for i in 0..n {
        if !potential.given[i] {
            bench.inverse_mass[i] = 1.0 / model.mass[i];
        }
    }
    stitch::active(model, state, end, h, &bench.inverse_mass, &mut potential.pulls);
    bench.base.clear();
    bench.base.extend_from_slice(&state.positions);
    bench.z.clear();
    bench.z.extend_from_slice(&state.positions);
    for i in 0..n {
        // Where a node was held up last, it is sought where it would be without falling (Chen et al.
        // 2024, adaptive initialisation).
        let held_up = 1.0 - state.falling[i];
        let guess = potential.inertial[i] - bench.external.acceleration[i] * (h * h * held_up);
        bench.z[i] = bench.targets.place[i].unwrap_or(guess);
    }
    for (index, body) in model.bodies.iter().enumerate() {
        if body.moved {
            place_given(model, index, wanted[index], &mut bench.z);
        }
    }
}

/// Script times to which given motions are to go.
fn wanted_times(model: &Model, state: &State, end: f64) -> Vec<f64> {
    (0..model.bodies.len())
        .map(|b| if model.bodies[b].moved { end } else { state.own_time[b] })
        .collect()
}

/// Puts the nodes of a given motion to where it is at `time`.
fn place_given(model: &Model, body: usize, time: f64, x: &mut [DVec3]) {
    let (translation, rotation) = crate::sim::build::pose(&model.scene, body, time);
    for i in model.bodies[body].nodes.clone() {
        x[i] = rotation * model.rest[i] + translation;
    }
}

/// Motion that a node may have beside its predicted one before candidates are sought again [m].
fn slack(model: &Model, node: usize, predicted: f64) -> f64 {
    if node < model.free_count || predicted > 0.0 {
        0.2 * (model.half_thickness[node] + crate::sim::model::SKIN) + 0.25 * predicted
    } else {
        0.0
    }
}

fn find_candidates(model: &Model, state: &State, bench: &mut Workbench) {
    let Workbench { finder, candidates, z, .. } = bench;
    let still_hold = bench.candidates_hold
        && (0..z.len()).all(|i| {
            candidates.holds(i, state.positions[i])
                && candidates.holds(i, state.positions[i] + (z[i] - state.positions[i]) * 1.1)
        });
    if still_hold {
        return;
    }
    let ahead: Vec<DVec3> =
        state.positions.iter().zip(z.iter()).map(|(x, z)| *x + (*z - *x) * REUSE).collect();
    candidates.set_boxes(&state.positions, &ahead, |i| {
        slack(model, i, z[i].distance(state.positions[i]))
    });
    finder.find(model, candidates);
    candidates.keep_near(model, &state.positions);
    bench.candidates_hold = true;
}

/// Substeps of even motion for which candidates are meant to last.
const REUSE: f64 = 1.0;

fn refresh_candidates(model: &Model, bench: &mut Workbench) {
    let Workbench { finder, candidates, z, base, .. } = bench;
    candidates.set_boxes(base, z, |i| slack(model, i, z[i].distance(base[i])));
    finder.find(model, candidates);
    candidates.keep_near(model, base);
}

/// Brings the base towards the iterate as far as the guard allows.
fn advance_base(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    wanted: &[f64],
    quality: &mut Quality,
) {
    let Workbench { allowed, candidates, closest, base, wish, z, rows, .. } = bench;
    allowed.find(model, candidates, closest, base, wish, model.floor);
    quality.held_back = 0.0;
    for i in 0..model.free_count {
        let lost = wish[i].length() * (1.0 - allowed.fraction[i]);
        if lost > quality.held_back {
            quality.held_back = lost;
            quality.held_body = model.surface.body_of_node[i] as usize;
        }
        base[i] =
            if allowed.fraction[i] >= 1.0 { z[i] } else { base[i] + wish[i] * allowed.fraction[i] };
    }
    quality.lagging.clear();
    for (index, body) in model.bodies.iter().enumerate() {
        if !body.moved {
            continue;
        }
        let nodes = body.nodes.clone();
        let (from, to) = (state.own_time[index], wanted[index]);
        let at = |time: f64| crate::sim::build::pose(&model.scene, index, time);
        let crush = LAG_BEYOND * model.scene.solver.tolerance;
        let keeps = |time: f64| {
            let (translation, rotation) = at(time);
            let place = |i: usize| rotation * model.rest[i] + translation;
            allowed.given_may_go(nodes.start, nodes.end, base, place)
                && rows.iter().filter(|row| row.bodies.contains(&(index as u32))).all(|row| {
                    let here = |i: usize| if nodes.contains(&i) { place(i) } else { z[i] };
                    row.gap_with(here) >= -crush * row.distance
                })
        };
        let concerned = allowed.limits_given(nodes.start, nodes.end)
            || rows.iter().any(|row| row.bodies.contains(&(index as u32)));
        let time = if !concerned || keeps(to) {
            to
        } else {
            let (mut good, mut bad) = (from, to);
            for _ in 0..10 {
                let middle = 0.5 * (good + bad);
                if keeps(middle) { good = middle } else { bad = middle }
            }
            quality.lagging.push(index);
            good
        };
        state.own_time[index] = time;
        place_given(model, index, time, base);
        let lost = nodes.map(|i| z[i].distance(base[i])).fold(0.0, f64::max);
        if lost > quality.held_back {
            quality.held_back = lost;
            quality.held_body = index;
        }
    }
}
