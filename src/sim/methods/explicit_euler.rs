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
        sheet.add_forces(&state.positions, model.shrink(body, now), forces);
    }
    measure_reactions(model, bench, &mut quality);

    bench.wish.clear();
    bench.wish.extend((0..n).map(|i| state.velocities[i] * h));
    for sheet in &model.sheets {
        for i in sheet.nodes.clone() {
            if bench.targets.place[i].is_none() {
                let v = state.velocities[i];
                let force = sheet.after_friction(bench.gradient[i], v);
                state.velocities[i] = v + force * (h / model.mass[i]);
            }
        }
    }
    for i in 0..n {
        if let Some(place) = bench.targets.place[i] {
            state.velocities[i] = (place - state.positions[i]) / h;
            state.positions[i] = place;
        } else {
            state.positions[i] += bench.wish[i];
        }
        quality.fastest = quality.fastest.max(state.velocities[i].length());
        // Frames are stored as f32.
        quality.finite &= state.positions[i].as_vec3().is_finite();
    }
    for (index, body) in model.bodies.iter().enumerate() {
        if body.moved {
            given::place(model, index, &wanted[index], &mut state.positions);
        }
    }
    state.poses.copy_from_slice(&wanted);
    state.time = end;
    quality
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
