//! Forward Euler as FLEX3D steps (Nedel 1993, sections 4.4 and 5.6): all forces from the state at t,
//! `x(t+h) = x(t) + h v(t)`, `v(t+h) = v(t) + h F(t) / m`; new values are kept apart from the old
//! ones until every point has its own. It knows no contact distance and asks for no step again.

use super::bench::{Quality, Workbench};
use super::given;
use crate::sim::model::Model;
use crate::sim::pose::Pose;
use crate::sim::state::State;
use glam::DVec3;

/// Number of even steps of at most `step` seconds in a span [s]; a whole number of steps up to
/// rounding is that number.
pub(crate) fn steps_in(span: f64, step: f64) -> u32 {
    ((span / step) * (1.0 - 1e-9)).ceil().clamp(1.0, f64::from(u32::MAX)) as u32
}

/// Advances `state` by `h` to script time `end`.
pub(crate) fn step(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    h: f64,
    end: f64,
) -> Quality {
    let mut quality = Quality { closest: f64::INFINITY, finite: true, ..Quality::default() };
    let n = model.free_count;
    let mut wanted = state.poses.clone();
    for (index, body) in model.bodies.iter().enumerate() {
        if body.moved {
            wanted[index] = Pose::given(&model.scene, index, end);
        }
    }
    let now = state.time;
    bench.external.evaluate(model, state, now, h);
    bench.targets.find(model, state, end, &wanted);
    let forces = &mut bench.gradient;
    forces.clear();
    forces.extend((0..n).map(|i| {
        (bench.external.acceleration[i] - state.velocities[i] * bench.external.drag[i])
            * model.mass[i]
    }));
    for &(node, place, stiffness, _) in &bench.targets.springs {
        forces[node as usize] += (place - state.positions[node as usize]) * stiffness;
    }
    for sheet in &model.sheets {
        let body = model.surface.body_of_node[sheet.nodes.start] as usize;
        let shrink = model.shrink(body, sheet.nodes.start as u32, now);
        sheet.add_forces(&state.positions, shrink, forces);
    }
    measure_reactions(model, bench, &mut quality);

    for sheet in &model.sheets {
        for i in sheet.nodes.clone() {
            bench.gradient[i] = sheet.after_friction(bench.gradient[i], state.velocities[i]);
        }
    }
    bench.wish.clear();
    bench.wish.extend((0..n).map(|i| match bench.targets.place[i] {
        Some(place) => place - state.positions[i],
        None => state.velocities[i] * h,
    }));
    // Where given motions go.
    bench.trial.clear();
    bench.trial.extend_from_slice(&state.positions);
    for (index, body) in model.bodies.iter().enumerate() {
        if body.moved {
            given::place(model, index, &wanted[index], &mut bench.trial);
        }
    }
    hit(model, state, bench, h, &mut quality);
    for i in 0..n {
        state.velocities[i] = match bench.targets.place[i] {
            Some(_) => bench.wish[i] / h,
            None => state.velocities[i] + bench.gradient[i] * (h / model.mass[i]),
        };
        state.positions[i] = bench.targets.place[i].unwrap_or(state.positions[i] + bench.wish[i]);
        quality.fastest = quality.fastest.max(state.velocities[i].length());
        // Frames are stored as f32.
        quality.finite &= state.positions[i].as_vec3().is_finite();
    }
    state.positions[n..].copy_from_slice(&bench.trial[n..]);
    state.poses.copy_from_slice(&wanted);
    state.time = end;
    quality
}

/// Lets points that meet something bounce.
fn hit(model: &Model, state: &mut State, bench: &mut Workbench, h: f64, quality: &mut Quality) {
    let Workbench { elastic_hits, finder, wish, trial, targets, .. } = bench;
    let State { positions, velocities, .. } = state;
    let positions = &*positions;
    let given_velocity = |i: usize| (trial[i] - positions[i]) / h;
    let held = |i: usize| targets.place[i].is_some();
    let contacts = &mut quality.contacts;
    let report = |a, b, impulse| match contacts.binary_search_by(|c| (c.0, c.1).cmp(&(a, b))) {
        Ok(at) => {
            contacts[at].2 += 1;
            contacts[at].3 += impulse;
        }
        Err(at) => contacts.insert(at, (a, b, 1, impulse)),
    };
    elastic_hits.apply(model, finder, positions, wish, velocities, given_velocity, held, h, report);
}

/// Forces with which constraints hold their points against all others.
fn measure_reactions(model: &Model, bench: &Workbench, quality: &mut Quality) {
    if model.scene.constraints.is_empty() {
        return;
    }
    let mut sums = vec![DVec3::ZERO; model.scene.constraints.len()];
    for (by, force) in bench.targets.by.iter().zip(&bench.gradient) {
        if let Some(constraint) = by {
            sums[*constraint as usize] -= *force;
        }
    }
    quality.reactions = sums.into_iter().enumerate().collect();
}
