//! Takes the result of an attempt into the state and measures it.

use super::bench::{Quality, Reaction, Workbench};
use crate::scene::ConstraintKind;
use crate::sim::collision::contact::{contact_distance, remember};
use crate::sim::model::{Model, Spread};
use crate::sim::pose::Pose;
use crate::sim::state::State;
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
    let before = state.velocities.clone();
    for i in 0..model.point_count {
        state.velocities[i] = (bench.base[i] - state.positions[i]) / h;
    }
    for (i, flight) in (model.point_count..n).zip(&bench.flight) {
        state.velocities[i] = *flight + (bench.base[i] - bench.potential.inertial[i]) / h;
    }
    for rigid in &model.rigids {
        rigid.keep_rigid(&bench.base, &mut state.velocities);
    }
    for (i, before) in before.into_iter().enumerate() {
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
    bench.candidates.measure(&state.positions, &model.reach);
    for (pair, close) in bench.candidates.pairs.iter().zip(&bench.candidates.closest) {
        let squared = close.offset.length_squared();
        let near = pair.sum_of_longest(&model.reach);
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
        quality.pressed_in = quality.pressed_in.max(pressed);
        if pressed > model.scene.solver.tolerance {
            let at_start: f64 = (0..4)
                .map(|k| bench.potential.start[pair.nodes[k] as usize] * close.weights[k])
                .sum::<DVec3>()
                .dot(close.offset / d);
            let deepened = (at_start.min(distance) - d) / distance;
            if deepened > quality.deepened {
                (quality.deepened, quality.deepened_bodies) = (deepened, bodies);
            }
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
    }
    for tie in &bench.potential.ties {
        tie.keep(&state.positions, &mut state.ties[tie.index]);
    }
    for gauge in &bench.potential.gauges {
        gauge.keep(&state.positions, &mut state.gauges[gauge.index]);
    }
    for twisted in &bench.potential.twisted {
        twisted.keep(model, state);
    }
    measure_reactions(model, state, bench, quality);
    quality.finite = state.positions.iter().all(|p| p.is_finite());
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
        own.force += pull.load(x);
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
