//! The engine's own method: backward Euler by inexact Newton on the incremental potential, contact by
//! augmented Lagrangian rows, every motion cut short by the guard.
//!
//! A round takes contact rows at a feasible base, moves the iterate `z` towards the minimum, and
//! brings the base after it as far as the guard allows. When nothing is held back any more, base
//! and iterate are one and the substep is done.

use super::potential::{Potential, Tangent};
use crate::scene::Guard;
use crate::sim::collision::candidates::{Candidates, Finder};
use crate::sim::collision::contact::{Memory, Row, collect_rows, contact_distance, remember};
use crate::sim::collision::distance::Closest;
use crate::sim::collision::guard::{Allowed, measure};
use crate::sim::constraints::{hold::Targets, stitch};
use crate::sim::forces::External;
use crate::sim::linear::conjugate_gradients::{Workspace, solve};
use crate::sim::model::Model;
use crate::sim::state::State;
use glam::DVec3;

/// Most rounds of one attempt.
const MOST_ROUNDS: u32 = 8;

/// Most Newton iterations of one round.
const MOST_ITERATIONS: u32 = 4;

/// Relative residual of a linear solve. With a tenth, sheets hang three per cent short of their length
/// under load: the preconditioner's norm hardly sees the slow modes that carry the weight.
const LINEAR_TOLERANCE: f64 = 0.01;

/// Scratch of a substep, kept between substeps; nothing in it is part of the result.
#[derive(Default)]
pub(crate) struct Workbench {
    pub(crate) finder: Finder,
    pub(crate) candidates: Candidates,
    /// Whether `candidates` may be used by the next substep.
    pub(crate) candidates_hold: bool,
    pub(crate) closest: Vec<Closest>,
    rows: Vec<Row>,
    memory: Vec<Memory>,
    targets: Targets,
    external: External,
    potential: Potential,
    tangent: Tangent,
    workspace: Workspace,
    allowed: Allowed,
    inverse_mass: Vec<f64>,
    z: Vec<DVec3>,
    base: Vec<DVec3>,
    wish: Vec<DVec3>,
    gradient: Vec<DVec3>,
    right_side: Vec<DVec3>,
    step: Vec<DVec3>,
    trial: Vec<DVec3>,
}

impl Workbench {
    /// A bench with trees for its bodies.
    pub(crate) fn new(finder: Finder) -> Self {
        Self { finder, ..Self::default() }
    }
}

/// How good an attempt was.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quality {
    /// Rounds of contact detection.
    pub(crate) rounds: u32,
    /// Newton iterations.
    pub(crate) iterations: u32,
    /// Conjugate gradient iterations.
    pub(crate) linear_iterations: u32,
    /// Last change of the iterate [m/s].
    pub(crate) change: f64,
    /// Farthest that a node was held back from where the solution wanted it [m], and its bodies.
    pub(crate) held_back: f64,
    pub(crate) held_body: usize,
    /// Deepest contact as a part of its contact distance, and the bodies that met there.
    pub(crate) pressed_in: f64,
    pub(crate) pressed_bodies: [usize; 2],
    /// Smallest distance of a pair [m], and its bodies.
    pub(crate) closest: f64,
    pub(crate) closest_bodies: [usize; 2],
    /// Touching places: lower body, higher body, count, impulse [N s].
    pub(crate) contacts: Vec<(u32, u32, u32, f64)>,
    /// Constraint, force [N].
    pub(crate) reactions: Vec<(usize, DVec3)>,
    /// Bodies whose given motion could not go all the way in the last round.
    pub(crate) lagging: Vec<usize>,
    /// Bodies whose given motion, or whose held points, were told to wait.
    pub(crate) waiting: Vec<usize>,
    /// Largest motion of a node relative to the size of the cloth's edges is bounded by this speed [m/s].
    pub(crate) fastest: f64,
    pub(crate) finite: bool,
    /// Farthest that a pull's distance is from what it should be [m].
    pub(crate) stitch_error: f64,
}

impl Quality {
    fn waits(&mut self, body: usize) {
        if !self.waiting.contains(&body) {
            self.waiting.push(body);
        }
    }
}

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
    prepare(model, state, bench, h, end);
    let mut wanted = wanted_times(model, state, end);
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
fn prepare(model: &Model, state: &mut State, bench: &mut Workbench, h: f64, end: f64) {
    let n = model.free_count;
    let wanted = wanted_times(model, state, end);
    bench.targets.find(model, state, end, &wanted);
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

/// Newton iterations on the potential with the present rows.
fn minimise(model: &Model, bench: &mut Workbench, h: f64, eps: f64, quality: &mut Quality) {
    let n = model.free_count;
    let Workbench {
        rows, potential, tangent, workspace, z, gradient, right_side, step, trial, ..
    } = bench;
    for _ in 0..MOST_ITERATIONS {
        potential.evaluate(model, rows, z, gradient, Some(&mut *tangent));
        right_side.clear();
        right_side.extend(gradient.iter().map(|g| -*g));
        step.resize(n, DVec3::ZERO);
        let solved = solve(
            workspace,
            right_side,
            step,
            LINEAR_TOLERANCE,
            400,
            |p, y| tangent.multiply(model, &potential.given, p, y),
            |r, z| tangent.precondition(r, z),
        );
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

/// Writes the result into the state and measures it.
fn finish(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    h: f64,
    end: f64,
    quality: &mut Quality,
) {
    let n = model.free_count;
    for i in 0..n {
        let before = state.velocities[i];
        state.velocities[i] = (bench.base[i] - state.positions[i]) / h;
        let pull = bench.external.acceleration[i];
        let strength = pull.length_squared();
        if strength > 0.0 {
            state.falling[i] =
                ((state.velocities[i] - before).dot(pull) / (h * strength)).clamp(0.0, 1.0);
        }
        quality.fastest = quality.fastest.max(state.velocities[i].length());
    }
    std::mem::swap(&mut state.positions, &mut bench.base);
    state.time = end;
    remember(&bench.rows, &mut state.memory);
    measure(&bench.candidates.pairs, &state.positions, &mut bench.closest);
    for (pair, close) in bench.candidates.pairs.iter().zip(&bench.closest) {
        let squared = close.offset.length_squared();
        let near: f64 =
            pair.nodes.iter().map(|&i| model.reach[i as usize]).fold(0.0, f64::max) * 2.0;
        if squared > near * near {
            continue;
        }
        let d = squared.sqrt();
        let mut bodies =
            [pair.nodes[0], pair.nodes[3]].map(|i| model.surface.body_of_node[i as usize] as usize);
        bodies.sort_unstable();
        if d < quality.closest {
            (quality.closest, quality.closest_bodies) = (d, bodies);
        }
        // Two given motions that press on each other are nobody's to mend.
        if pair.nodes.iter().all(|&i| bench.inverse_mass[i as usize] == 0.0) {
            continue;
        }
        let distance = contact_distance(model, pair, close, d);
        let pressed = (distance - d) / distance;
        if pressed > quality.pressed_in {
            (quality.pressed_in, quality.pressed_bodies) = (pressed, bodies);
        }
    }
    for row in &bench.rows {
        if row.lambda <= 0.0 {
            continue;
        }
        let [a, b] = row.bodies;
        match quality.contacts.binary_search_by(|c| (c.0, c.1).cmp(&(a, b))) {
            Ok(at) => {
                quality.contacts[at].2 += 1;
                quality.contacts[at].3 += row.lambda * h;
            }
            Err(at) => quality.contacts.insert(at, (a, b, 1, row.lambda * h)),
        }
    }
    for pull in &bench.potential.pulls {
        state.stitches[pull.index].lambda = pull.tension(&state.positions);
        quality.stitch_error = quality.stitch_error.max(pull.error(&state.positions));
    }
    measure_reactions(model, state, bench, quality);
    quality.finite = state.positions.iter().all(|p| p.is_finite());
}

/// Forces with which constraints hold: what the potential's gradient is at held nodes.
fn measure_reactions(model: &Model, state: &State, bench: &mut Workbench, quality: &mut Quality) {
    if model.scene.constraints.is_empty() {
        return;
    }
    let mut sums = vec![DVec3::ZERO; model.scene.constraints.len()];
    let given = std::mem::replace(&mut bench.potential.given, vec![false; model.free_count]);
    bench.potential.gradient(model, &bench.rows, &state.positions, &mut bench.gradient);
    bench.potential.given = given;
    for (i, by) in bench.targets.by.iter().enumerate() {
        if let Some(constraint) = by {
            sums[*constraint as usize] += bench.gradient[i];
        }
    }
    for &(node, place, stiffness, constraint) in &bench.potential.springs {
        sums[constraint] += (place - state.positions[node as usize]) * stiffness;
    }
    quality.reactions = sums.into_iter().enumerate().collect();
}
