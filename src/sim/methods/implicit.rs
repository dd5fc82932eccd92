//! The engine's own method: backward Euler, or BDF2 while nothing touches or drives ([`super::stride`]), by inexact
//! Newton on the incremental potential, contact by augmented Lagrangian rows, every motion cut short by the guard.
//!
//! A round takes contact rows at a feasible base, moves the iterate `z` towards the minimum, and
//! brings the base after it as far as the guard allows. When nothing is held back any more, base
//! and iterate are one and the substep is done.

use super::advance::{advance, find_candidates, follow_candidates, looks_ahead, measure};
use super::bench::{Flight, Going, Quality, Workbench};
use super::dents;
use super::given::Plan;
use super::newton::minimise;
use super::outcome::finish;
use super::restitution;
use super::settled::Settled;
use super::stride::Stride;
use crate::scene::{Force, Guard};
use crate::sim::cage;
use crate::sim::collision::contact::{Pairs, backed, collect_rows, remember};
use crate::sim::collision::load::find_loads;
use crate::sim::constraints::{Ease, gauge, is_active, multipliers, stitch, tie, turns};
use crate::sim::linear::chunks;
use crate::sim::model::Model;
use crate::sim::rigid::settle;
use crate::sim::state::State;
use crate::sim::whereabouts::Whereabouts;
use glam::DVec3;

/// Most rounds of one attempt.
const MOST_ROUNDS: u32 = 8;

/// Tries to advance `state` by `h`. The result is in `state`; it is a legal state whatever its quality,
/// unless numbers are not finite.
///
/// Where something is in the way of a given motion, the substep is solved again from its start with
/// less of that motion, so that what is pinched finds its rest as if nothing else had been tried.
pub(crate) fn attempt(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    h: f64,
    end: f64,
) -> Quality {
    let mut quality = Quality::default();
    let mut plan = Plan::new(model, state, end);
    bench.shifts.clear();
    bench.bounces.clear();
    if model.bounces() {
        prepare(model, state, bench, h, end, &plan.wanted);
        find_candidates(model, state, bench);
        restitution::bounce(model, state, bench, h);
    }
    loop {
        quality.begin();
        prepare(model, state, bench, h, end, &plan.wanted);
        solve(model, state, bench, &plan, &mut quality);
        if !quality.finite || !plan.lessen(model, state, bench, &quality.lagging) {
            break;
        }
        // What was found on the way of the last solution tells little about the start.
        bench.candidates_hold = false;
    }
    quality.waiting.extend(plan.close(model, state, bench));
    quality.dents = plan.yields.dents(model, bench, end);
    if quality.finite {
        finish(model, state, bench, h, end, &mut quality);
    }
    quality
}

/// Rounds from the prepared start of a substep until the iterate and the base are one, or no more
/// rounds are left. Leaves in `quality.lagging` the given motions that could not go all the way.
fn solve(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    plan: &Plan,
    quality: &mut Quality,
) {
    let (h, end) = (bench.potential.h, bench.potential.end);
    let settled = settled(model, state, bench, h);
    if !bench.candidates_hold || looks_ahead(model) {
        find_candidates(model, state, bench);
    }
    let sewn = bench.potential.pulls.iter().flat_map(stitch::Pull::pulled);
    let waiting = (0..model.bodies.len()).filter(|body| !state.obstacles[*body].is_empty());
    find_loads(model, &state.memory, sewn, waiting, &mut bench.loads);
    bench.memory.clear();
    bench.memory.extend_from_slice(&state.memory);
    for round in 1..=MOST_ROUNDS {
        quality.rounds += 1;
        measure(model, bench);
        let Workbench {
            candidates,
            base,
            z,
            potential,
            inverse_mass,
            backing,
            loads,
            memory,
            rows,
            ..
        } = bench;
        let start = &potential.start;
        let pairs = Pairs { candidates, base, start };
        collect_rows(model, &pairs, z, inverse_mass, backing, loads, h, end, memory, rows);
        potential.take_rows(model, rows);
        minimise(model, bench, &settled, quality);
        bench.potential.forget_forces();
        if let Some(node) = bench.z.iter().position(|p| !p.is_finite()) {
            quality.finite = false;
            quality.off = Some(model.surface.body_of_node[node] as usize);
            return;
        }
        update_multipliers(model, bench);
        if round > 1
            && let Some((body, by)) = gone_astray(model, bench)
        {
            quality.held_back = by;
            quality.held_bodies = [body; 2];
            return;
        }
        let mut known = true;
        if model.scene.solver.guard == Guard::Enforce {
            let enough = 0.5 * settled.all * h;
            known = advance(model, state, bench, &plan.wanted.poses, round == 1, enough, quality);
        } else {
            bench.base.copy_from_slice(&bench.z);
            follow_candidates(model, bench);
            state.poses.copy_from_slice(&plan.wanted.poses);
            for rigid in &model.rigids {
                state.poses[rigid.body] = rigid.fit(&bench.base);
            }
            quality.held_back = 0.0;
        }
        if round >= ROUNDS_BEFORE_LAG {
            if plan.may_lessen(model, &quality.lagging) {
                return;
            }
            hold_pins_back(model, bench, settled.all * h, quality);
        }
        let tied = held_together(model, bench);
        if known
            && tied
            && quality.held_back <= 0.5 * settled.all * h
            && quality.change <= settled.all
        {
            return;
        }
    }
}

/// How many times as far from where inertia brings it as can be, by mass and the square of the way, an iterate has gone
/// astray.
const ASTRAY: f64 = 4.0;

/// How many times as far as anything goes by itself, or is taken, a node goes that has been thrown.
const THROWN: f64 = 4.0;

/// Part of the size of a region that is far: what is in the way there is then most of the region.
const FAR: f64 = 0.1;

/// The body that has gone farthest, and how far [m], where an iterate cannot be right. Rows that were taken from far away
/// throw bodies across the scene at times; what is in the way there costs much to find, and a shorter step all the same.
fn gone_astray(model: &Model, bench: &mut Workbench) -> Option<(usize, f64)> {
    let settings = &model.scene.solver;
    if !settings.rollback || settings.guard != Guard::Enforce {
        return None;
    }
    if model.point_count == 0 {
        astray_by_energy(model, bench)
    } else if model.membranes.is_empty() && model.lattices.is_empty() {
        thrown(model, bench)
    } else {
        None
    }
}

/// Of rigid bodies: the minimum lies no higher than the start, so that where nothing is elastic or driven it is no
/// farther from the inertial positions than the start is.
fn astray_by_energy(model: &Model, bench: &Workbench) -> Option<(usize, f64)> {
    let Workbench { potential, z, .. } = bench;
    let tied = !(potential.ties.is_empty() && potential.pulls.is_empty());
    let driven = !potential.gauges.is_empty();
    if tied || driven || model.has_given_motion() {
        return None;
    }
    let far = |x: &[DVec3]| -> f64 {
        let nodes = x.iter().zip(&potential.inertial).zip(&potential.inertia);
        nodes.map(|((x, y), inertia)| inertia * x.distance_squared(*y)).sum()
    };
    if far(&z[..model.free_count]) <= ASTRAY * far(&potential.start[..model.free_count]) {
        return None;
    }
    let way = |i: usize| z[i].distance(potential.start[i]);
    let ways = model.rigids.iter().map(|r| (r.body, r.nodes().map(way).fold(0.0, f64::max)));
    ways.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Where soft bodies and ropes are: what is hit goes no faster than about twice what hits it, and what is let go no farther
/// than its forces at the start would take it.
fn thrown(model: &Model, bench: &mut Workbench) -> Option<(usize, f64)> {
    let Workbench { potential, z, rows, .. } = bench;
    let n = model.free_count;
    let far = |x: &[DVec3], i: usize| x[i].distance(potential.start[i]);
    let (node, way) = (0..n).map(|i| (i, far(z, i))).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let goes = |i: usize| far(if potential.given[i] { z } else { &potential.inertial }, i);
    let taken = (0..n).map(goes).fold(0.0, f64::max);
    let taken = (model.carried_end..z.len()).map(|i| far(z, i)).fold(taken, f64::max);
    let corners = potential.start[..n].iter();
    let low = corners.clone().copied().reduce(DVec3::min)?;
    let size = corners.copied().reduce(DVec3::max)?.distance(low);
    if way <= (THROWN * taken).max(FAR * size) {
        return None;
    }
    let mut pull = Vec::new();
    potential.take_rows(model, &[]);
    let start = potential.start.clone();
    potential.gradient(model, &[], &start, &mut pull);
    potential.take_rows(model, rows);
    let let_go = (0..n).map(|i| {
        let inertia = potential.inertia[i];
        let force = pull[i] - (start[i] - potential.inertial[i]) * inertia;
        if inertia > 0.0 { force.length() / inertia } else { 0.0 }
    });
    let let_go = let_go.fold(0.0, f64::max);
    (way > THROWN * (taken + let_go)).then(|| (model.surface.body_of_node[node] as usize, way))
}

/// Whether what looks back is held together as exactly as it asks for: with backward Euler what a tie is off by is
/// found in the substeps behind, and dies away; what looks back it would drive.
fn held_together(model: &Model, bench: &Workbench) -> bool {
    let off = model.scene.solver.accuracy * bench.potential.h;
    !bench.strides[model.point_count..].iter().any(Stride::looks_back)
        || bench.potential.ties.iter().all(|tie| tie.error(&bench.z) <= off)
}

/// Held nodes, and those of colliders that deform, that something is in the way of stay where they have got to in this substep.
fn hold_pins_back(model: &Model, bench: &mut Workbench, tolerance: f64, quality: &mut Quality) {
    let held = (0..model.point_count).filter(|i| bench.potential.given[*i]);
    for i in held.chain(dents::deforming(model)) {
        if bench.z[i].distance(bench.base[i]) > tolerance {
            bench.z[i] = bench.base[i];
            quality.waits(model.surface.body_of_node[i] as usize);
        }
    }
}

/// Rounds after which a given motion that something is in the way of lags behind its keys.
const ROUNDS_BEFORE_LAG: u32 = 4;

/// What the iterate may be off by, told by how fast things are expected to move.
fn settled(model: &Model, state: &State, bench: &Workbench, h: f64) -> Settled {
    let way = |i: usize| bench.z[i].distance_squared(state.positions[i]);
    let fastest = chunks::most(model.free_count, way);
    let looks_back = bench.strides[..model.point_count].iter().any(Stride::looks_back);
    Settled::new(model, fastest.sqrt() / h, looks_back)
}

/// Moves all multipliers to the forces found, and remembers them.
fn update_multipliers(model: &Model, bench: &mut Workbench) {
    let Workbench { rows, potential, z, memory, inverse_mass, .. } = bench;
    chunks::each(rows, |_, rows| {
        for row in rows {
            row.update_multipliers(z);
        }
        0.0
    });
    for pull in &mut potential.pulls {
        pull.update_multiplier(z);
    }
    multipliers::update(model, &mut potential.ties, inverse_mass, z, potential.h);
    for gauge in &mut potential.gauges {
        gauge.update_multiplier(z);
    }
    remember(model, rows, potential.h, memory);
}

/// Sets up the potential, the inertial positions, and where given nodes are to be.
pub(super) fn prepare(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    h: f64,
    end: f64,
    wanted: &Whereabouts,
) {
    let n = model.free_count;
    bench.targets.find(model, state, end, wanted);
    bench.tangent.begin();
    let strides = &mut bench.strides;
    bench.goings = goings(model, state, end);
    let goings = &bench.goings;
    let now = &*state;
    chunks::fill(n, strides, |i| match i.checked_sub(model.point_count) {
        Some(k) if goings[k / 4] != Going::Held => Stride::alone(now, i, h),
        _ => Stride::new(now, i, h),
    });
    let strides = &*strides;
    let velocities = chunks::list(n, |i| strides[i].velocity);
    let time = |i: usize| strides[i].time;
    bench.external.evaluate(model, &state.positions, &velocities, end, time);
    let potential = &mut bench.potential;
    potential.h = h;
    potential.end = end;
    chunks::copy(&state.positions, &mut potential.start);
    potential.before.clear();
    let external = &bench.external;
    chunks::map(strides, &mut potential.inertial, |i, stride| {
        let s = stride.time;
        let v = (stride.velocity + external.acceleration[i] * s) / (1.0 + s * external.drag[i]);
        stride.place + v * s
    });
    fly(model, state, bench, h);
    let (potential, external) = (&mut bench.potential, &bench.external);
    chunks::map(&bench.strides, &mut potential.inertia, |i, stride| {
        let s = stride.time;
        model.mass[i] * (1.0 + s * external.drag[i]) / (s * s)
    });
    let x = &state.positions;
    model.shrinks(state.time, &mut potential.shrink);
    let shrinks = &potential.shrink;
    chunks::map(&model.membranes, &mut potential.start_strain, |m, membrane| {
        shrinks[m].map_or([0.0; 3], |shrink| membrane.strain(x, shrink))
    });
    model.shrinks(end, &mut potential.shrink);
    for (t, plastic) in model.plastic_cells().zip(&state.plastic_cells) {
        potential.cells.set_shape(t, &model.tets[t].yielded(plastic));
    }
    potential.cells.begin(&state.positions);
    potential.shapes.clone_from(&state.plastic_shapes);
    model.shell.start(&state.positions, &state.creases, &mut potential.angles);
    potential.springs.clone_from(&bench.targets.springs);
    chunks::map(&bench.targets.place, &mut potential.given, |_, place| place.is_some());
    let given = &potential.given;
    let moves = |i: usize| i < n && !given[i];
    let count = state.positions.len();
    chunks::fill(
        count,
        &mut bench.inverse_mass,
        |i| if moves(i) { 1.0 / model.mass[i] } else { 0.0 },
    );
    chunks::fill(count, &mut bench.compliance, |i| {
        if moves(i) { 1.0 / (model.mass[i] / (h * h) + model.held[i]) } else { 0.0 }
    });
    chunks::map(&bench.inverse_mass, &mut bench.backing, |i, inverse| {
        let held = model.held_by_cells.get(i);
        held.map_or(*inverse, |held| backed(*inverse, *held, model.contact_step))
    });
    cage::add_inverse_masses(model, &mut bench.inverse_mass);
    cage::add_inverse_masses(model, &mut bench.compliance);
    cage::add_inverse_masses(model, &mut bench.backing);
    let ease = Ease { h, inverse_mass: &bench.inverse_mass, compliance: &bench.compliance };
    stitch::active(model, state, end, &ease, &mut potential.pulls);
    tie::active(model, state, end, wanted, &ease, &mut potential.ties);
    gauge::active(model, state, end, wanted, &ease, &mut potential.gauges);
    turns::active(model, state, end, wanted, &mut potential.twisted);
    chunks::copy(&state.positions, &mut bench.base);
    let Workbench { strides, external, targets, potential, z, .. } = &mut *bench;
    let falling = &state.falling;
    chunks::map(&state.positions, z, |i, place| {
        if i >= n {
            return *place;
        }
        // Where a node was held up last, it is sought where it would be without falling (Chen et al.
        // 2024, adaptive initialisation).
        let held_up = 1.0 - falling[i];
        let s = strides[i].time;
        let guess = potential.inertial[i] - external.acceleration[i] * (s * s * held_up);
        targets.place[i].unwrap_or(guess)
    });
    for (index, body) in model.bodies.iter().enumerate() {
        if body.moved {
            wanted.place(model, index, &mut bench.z);
        }
    }
    settle(model, &mut bench.z);
}

/// How each rigid body goes in a substep until `end`.
fn goings(model: &Model, state: &State, end: f64) -> Vec<Going> {
    if model.rigids.is_empty() {
        return Vec::new();
    }
    if !model.scene.forces.iter().all(Force::is_even) {
        return vec![Going::Plain; model.rigids.len()];
    }
    let mut held = vec![false; model.bodies.len()];
    for (index, constraint) in model.scene.constraints.iter().enumerate() {
        if is_active(model, state, index, end) {
            constraint.bodies().into_iter().for_each(|body| held[body] = true);
        }
    }
    let going = |held| if held { Going::Held } else { Going::Free };
    model.rigids.iter().map(|rigid| going(held[rigid.body])).collect()
}

/// Inertial positions of rigid bodies, and how fast they are there: where they fly, but for those that look back
/// and are held, whose nodes go as points do.
///
/// What flies free and was not touched in the substep before goes with its mean velocity of the substep, so that it falls
/// in a parabola; what something holds up goes with the last one, which brings it to rest there.
fn fly(model: &Model, state: &State, bench: &mut Workbench, h: f64) {
    let Workbench { goings, flight, strides, shifts, potential, .. } = bench;
    flight.clear();
    if model.rigids.is_empty() {
        return;
    }
    let mut velocities = vec![DVec3::ZERO; model.free_count];
    for (number, rigid) in model.rigids.iter().enumerate() {
        if strides[rigid.first].looks_back() {
            for i in rigid.nodes() {
                let velocity = strides[i].velocity_at(potential.inertial[i]);
                flight.push(Flight { velocity, kick: DVec3::ZERO });
            }
            continue;
        }
        let falls = goings[number] == Going::Free
            && state.past.steps.get(rigid.first).is_some_and(|s| *s > 0.0);
        let part = if falls { 0.5 } else { 1.0 };
        let mut kicks = [DVec3::ZERO; 4];
        for (i, kick) in rigid.nodes().zip(&mut kicks) {
            let gained = (potential.inertial[i] - state.positions[i]) / h - state.velocities[i];
            velocities[i] = state.velocities[i] + gained * part;
            *kick = gained * (1.0 - part);
        }
        let there = rigid.fly(&state.positions, &velocities, h);
        let shift = shifts.get(number).copied().unwrap_or_default();
        for ((i, (place, velocity)), kick) in rigid.nodes().zip(there).zip(kicks) {
            potential.inertial[i] = place + shift;
            flight.push(Flight { velocity, kick });
        }
    }
}
