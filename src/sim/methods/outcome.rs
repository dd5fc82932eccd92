//! Takes the result of an attempt into the state and measures it.

use super::bench::{Flight, Going, Quality, Reaction, Workbench};
use crate::scene::ConstraintKind;
use crate::sim::collision::candidates::{Candidate, Distance};
use crate::sim::collision::contact::{Row, remember};
use crate::sim::collision::contact_distance::{contact_distance, is_far_at_rest};
use crate::sim::constraints::strife;
use crate::sim::linear::chunks;
use crate::sim::model::{Model, Spread};
use crate::sim::pose::Pose;
use crate::sim::state::{Past, State};
use glam::DVec3;

/// Writes the result into the state and measures it.
pub(super) fn finish(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    h: f64,
    end: f64,
    quality: &mut Quality,
) {
    let n = model.free_count;
    quality.step = h;
    let mut past = std::mem::take(&mut state.past);
    let mut before = std::mem::take(&mut past.velocities);
    chunks::copy(&state.velocities, &mut before);
    let touched = touched(model, &bench.rows);
    let (positions, points) = (&state.positions, &mut state.velocities[..model.point_count]);
    chunks::each(points, |first, own| {
        for (i, velocity) in (first..).zip(own) {
            // What a contact has stopped does not go on as its past says.
            *velocity = if bench.potential.given[i] || touched[i] {
                (bench.base[i] - positions[i]) / h
            } else {
                bench.strides[i].velocity_at(bench.base[i])
            };
        }
        0.0
    });
    let driven = bench.potential.gauges.iter().any(|gauge| gauge.load(&bench.base) != DVec3::ZERO);
    let stopped = model.rigids.iter().zip(&bench.goings).map(|(rigid, going)| {
        touched[rigid.nodes()].contains(&true) || driven && *going == Going::Held
    });
    let stopped: Vec<bool> = stopped.collect();
    for (rigid, stopped) in model.rigids.iter().zip(&stopped) {
        let off = |i: usize| bench.base[i] - bench.potential.inertial[i];
        // What forces give behind the step, they do not give into what has stopped the body.
        let out = rigid.nodes().map(off).sum::<DVec3>().normalize_or_zero();
        for i in rigid.nodes() {
            let (stride, Flight { velocity, kick }) =
                (&bench.strides[i], bench.flight[i - model.point_count]);
            state.velocities[i] = if *stopped && stride.looks_back() {
                (bench.base[i] - state.positions[i]) / h
            } else {
                let lost = if *stopped { out * kick.dot(out).min(0.0) } else { DVec3::ZERO };
                velocity + off(i) / stride.time + kick - lost
            };
        }
        rigid.keep_rigid(&bench.base, &mut state.velocities);
    }
    note_speeds(state, quality, &before, &bench.external.acceleration, h);
    if model.looks_back() {
        let smooth = !driven && is_smooth(model, state, bench, &before, &touched, h);
        let goes_on = |i: usize| match i.checked_sub(model.point_count).map(|k| k / 4) {
            None => smooth && !bench.potential.given[i],
            Some(k) if bench.goings[k] == Going::Held => smooth,
            Some(k) => !stopped[k],
        };
        chunks::fill(n, &mut past.steps, |i| if goes_on(i) { h } else { 0.0 });
        chunks::copy(&state.positions[..n], &mut past.places);
        state.past = Past { velocities: before, accelerations: Vec::new(), ..past };
    }
    std::mem::swap(&mut state.positions, &mut bench.base);
    state.time = end;
    remember(model, &bench.rows, h, &mut state.memory);
    bench.candidates.measure(&state.positions, &model.reach);
    let distances = &bench.candidates.distances;
    let nears = chunks::filter_map(&bench.candidates.pairs, |i, pair| {
        Some((i, near(model, state, bench, pair, distances[i])?))
    });
    for (i, Near { apart, pressed, deepened }) in nears {
        let pair = &bench.candidates.pairs[i];
        let of = |i: u32| model.surface.body_of_node[i as usize] as usize;
        let [a, b] = [of(pair.nodes[0]), of(pair.nodes[3])];
        let bodies = [a.min(b), a.max(b)];
        if apart < quality.closest {
            (quality.closest, quality.closest_bodies) = (apart, bodies);
        }
        quality.pressed_in = quality.pressed_in.max(pressed);
        if bodies.iter().any(|body| model.bodies[*body].rigid.is_some()) {
            quality.note_depth(bodies, pressed, apart);
        }
        if deepened > quality.deepened {
            (quality.deepened, quality.deepened_bodies) = (deepened, bodies);
        }
    }
    for row in bench.rows.iter().filter(|row| row.lambda > 0.0) {
        let [a, b] = row.bodies;
        quality.touch(a, b, row.lambda * h);
    }
    for &(a, b, impulse) in &bench.bounces {
        quality.touch(a, b, impulse);
    }
    for pull in &bench.potential.pulls {
        state.stitches[pull.index].lambda = pull.taken_over(&state.positions);
    }
    let pulls = &bench.potential.pulls;
    quality.open = strife::note(model, state, pulls, &bench.rows, &bench.inverse_mass);
    for pull in &mut bench.potential.pulls {
        pull.step_back();
        quality.tensions.push((pull.index, pull.tension(&state.positions)));
    }
    for tie in &mut bench.potential.ties {
        tie.keep(&state.positions, &mut state.ties[tie.index]);
        tie.step_back();
    }
    for gauge in &bench.potential.gauges {
        gauge.keep(&state.positions, &mut state.gauges[gauge.index]);
    }
    for twisted in &bench.potential.twisted {
        twisted.keep(model, state);
    }
    if bench.asks_for_reactions {
        measure_reactions(model, state, bench, quality);
    }
    quality.finite = state.positions.iter().all(|p| p.is_finite());
}

/// How much of the `pull` [m/s2] is followed by what goes `now` [m/s] and went `before` a substep of `h` seconds; none where
/// there is no pull.
fn followed(before: DVec3, now: DVec3, pull: DVec3, h: f64) -> Option<f64> {
    let strength = pull.length_squared();
    let gained = (now - before).dot(pull);
    (strength > 0.0).then(|| (gained / (h * strength)).clamp(0.0, 1.0))
}

/// Notes how fast free node `i` is after a substep of `h` seconds, and how much of the `pull` [m/s2] it followed since it
/// went `before` [m/s].
pub(super) fn note_speed(
    state: &mut State,
    quality: &mut Quality,
    i: usize,
    before: DVec3,
    pull: DVec3,
    h: f64,
) {
    let now = state.velocities[i];
    state.falling[i] = followed(before, now, pull, h).unwrap_or(state.falling[i]);
    quality.fastest = quality.fastest.max(now.length());
}

/// [`note_speed`] of all free nodes.
pub(super) fn note_speeds(
    state: &mut State,
    quality: &mut Quality,
    before: &[DVec3],
    pulls: &[DVec3],
    h: f64,
) {
    let State { velocities, falling, .. } = state;
    chunks::each(&mut falling[..before.len()], |first, own| {
        for (i, falling) in (first..).zip(own) {
            *falling = followed(before[i], velocities[i], pulls[i], h).unwrap_or(*falling);
        }
        0.0
    });
    let fastest = chunks::most(before.len(), |i| velocities[i].length());
    quality.fastest = quality.fastest.max(fastest);
}

/// Most that the velocity of a held rigid body changes in a substep by more than gravity has it, as a part of it, where
/// its past tells how it goes on: a light link that shakes between heavy ones is calmed by backward Euler, and driven by
/// what looks back.
const SUDDEN: f64 = 0.5;

/// Whether points and what is held went on in the substep of `h` seconds as they had begun: what a contact stops has no
/// smooth past, nor has what is held together with it.
fn is_smooth(
    model: &Model,
    state: &State,
    bench: &Workbench,
    before: &[DVec3],
    touched: &[bool],
    h: f64,
) -> bool {
    let sudden = |i: usize| {
        let (now, then) = (state.velocities[i], before[i]);
        let pull = bench.external.acceleration[i].length() * h;
        let part = SUDDEN * now.length().max(then.length());
        now.distance(then) > part + 2.0 * pull
    };
    let held = |i: &usize| bench.goings[(i - model.point_count) / 4] == Going::Held;
    !touched.contains(&true) && !(model.point_count..model.free_count).filter(held).any(sudden)
}

/// Of each free node, whether something presses on it.
fn touched(model: &Model, rows: &[Row]) -> Vec<bool> {
    let mut touched = vec![false; model.free_count];
    for row in rows.iter().filter(|row| row.lambda > 0.0) {
        for (i, _) in row.spread(model).parts() {
            touched[i] = true;
        }
    }
    touched
}

/// What a pair that is near comes to.
#[derive(Default)]
struct Near {
    /// How far apart it is [m].
    apart: f64,
    /// How far it is pressed in, as a part of its contact distance.
    pressed: f64,
    /// The same less how far it was at the start of the substep, where it is pressed in by more than it may.
    deepened: f64,
}

/// What `pair` comes to, `distance` apart at the end of the substep; none where it is not near.
fn near(
    model: &Model,
    state: &State,
    bench: &Workbench,
    pair: &Candidate,
    distance: Distance,
) -> Option<Near> {
    let squared = distance.squared();
    let reach = pair.sum_of_longest(&model.reach);
    if squared > reach * reach {
        return None;
    }
    let mut near = Near { apart: squared.sqrt(), ..Near::default() };
    // Whether such pairs are known depends on how things move.
    if is_far_at_rest(model, pair, near.apart, 0.0) {
        return None;
    }
    // Two given motions that press on each other are nobody's to mend.
    if pair.nodes.iter().all(|&i| bench.inverse_mass[i as usize] == 0.0) {
        return Some(near);
    }
    let close = &pair.closest(&state.positions);
    let distance = contact_distance(model, pair, close, near.apart);
    near.pressed = (distance - near.apart) / distance;
    if near.pressed > model.scene.solver.tolerance {
        let at_start: f64 = (0..4)
            .map(|k| bench.potential.start[pair.nodes[k] as usize] * close.weights[k])
            .sum::<DVec3>()
            .dot(close.offset / near.apart);
        near.deepened = (at_start.min(distance) - near.apart) / distance;
    }
    Some(near)
}

/// Forces with which constraints hold: what the potential's gradient is at held nodes.
fn measure_reactions(model: &Model, state: &State, bench: &mut Workbench, quality: &mut Quality) {
    if model.scene.constraints.is_empty() {
        return;
    }
    let mut all = vec![Reaction::default(); model.scene.constraints.len()];
    let given = std::mem::replace(&mut bench.potential.given, vec![false; model.free_count]);
    bench.potential.gradient(model, &bench.rows, &state.positions, &mut bench.gradient);
    bench.potential.given = given;
    for (i, by) in bench.targets.by.iter().enumerate() {
        if let Some(constraint) = by {
            all[*constraint as usize].force += bench.gradient[i];
        }
    }
    let x = &state.positions;
    for &(node, place, stiffness, constraint) in &bench.potential.springs {
        all[constraint].force += (place - x[node as usize]) * stiffness;
    }
    for pull in &bench.potential.pulls {
        let own = &mut all[model.stitches[pull.index].constraint];
        own.force += pull.force(x).0;
        own.apart = own.apart.max(pull.error(x));
    }
    for tie in &bench.potential.ties {
        let constraint = model.ties[tie.index].constraint;
        all[constraint].apart = all[constraint].apart.max(tie.error(x));
        add_sides(model, state, constraint, &tie.spread, tie.load(x), &mut all);
    }
    for gauge in &bench.potential.gauges {
        let constraint = model.gauges[gauge.index].constraint;
        add_sides(model, state, constraint, &gauge.spread, gauge.load(x), &mut all);
    }
    quality.reactions = all;
}

/// Adds what `force` on the difference `spread` is to a constraint: of a joint what acts on `a`, and its
/// moment about where the joint has gone with it.
fn add_sides(
    model: &Model,
    state: &State,
    constraint: usize,
    spread: &Spread,
    force: DVec3,
    all: &mut [Reaction],
) {
    let own = &mut all[constraint];
    let ConstraintKind::Joint(joint) = &model.scene.constraints[constraint].kind else {
        own.force += force;
        return;
    };
    let start = Pose::at_start(&model.scene, joint.a);
    let about = state.poses[joint.a].place(start.local(joint.about));
    for ((i, w), side) in spread.parts().zip(spread.side) {
        if side == 0 {
            own.force += force * w;
            own.moment += (state.positions[i] - about).cross(force * w);
        }
    }
}
