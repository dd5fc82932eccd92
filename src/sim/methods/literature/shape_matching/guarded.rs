//! The product's guard beside the method: with `guard = "enforce"` a step's response is followed by contact
//! at the contact distance, as of colliders, and then all goes only as far from the start of the step, in
//! which nothing crosses, as its way is free. So nothing crosses at its end either.
//!
//! The response of the thesis sees vertices in cells and edges through them where they are at the end of the
//! step; the contact that is added sees what comes near on the way, edges that meet edges too. What is near in
//! the end loses the speed of its approach by equal and opposite impulses, so that momentum is kept; what a given
//! body holds back, the speed that it was held back with.

use super::super::super::advance::{advance, find_candidates, measure};
use super::super::super::bench::{Quality, Workbench};
use super::super::touches::{self, Way};
use super::PASSES;
use crate::sim::model::{Model, SKIN};
use crate::sim::state::State;
use crate::sim::whereabouts::Whereabouts;
use glam::DVec3;

/// Rounds of separation: one, as in the thesis. What later rounds would do about what the first pushed into others
/// the guard holds back in part, which would tear bodies out of shape step by step.
pub(super) const ROUNDS: u32 = 1;

/// Most times that what was held back tries to go on, as what was in its way has moved.
const MOST_ROUNDS: u32 = 4;

/// Held back by less than this is as good as not [m].
const ENOUGH: f64 = 0.01 * SKIN;

/// Brings all nodes from `state.positions` as far towards `z` as nothing crosses, and puts where that is in
/// `z` and, of given motions, in `state.poses`. Velocities change with what touches, and by what is held back.
pub(super) fn keep_apart(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    z: &mut Vec<DVec3>,
    wanted: &Whereabouts,
    h: f64,
    quality: &mut Quality,
) {
    let way = Way { start: &state.positions, end: z, h, time: state.time };
    let mut touching = touches::find(model, bench, &way);
    touching.retain(|touch| touch.bodies.iter().all(|b| model.bodies[*b as usize].free));
    let masses = bench.inverse_mass.clone();
    for _ in 0..PASSES {
        for touch in &mut touching {
            touch.relax(z, &masses);
        }
    }
    crate::sim::cage::follow(model, z);
    touches::note(&touching, z, h, quality);
    touching.retain(|touch| touch.impulse(h) > 0.0);
    touches::stop(&touching, &mut state.velocities, &masses);
    follow(model, state, bench, z, wanted, quality);
    for i in 0..model.free_count {
        let lost = z[i] - bench.base[i];
        let far = lost.length();
        if far > 0.0 && !model.bodies[bench.allowed.by[i] as usize].free {
            let toward = lost / far;
            let speed = toward.dot(state.velocities[i]).clamp(0.0, far / h);
            state.velocities[i] -= toward * speed;
        }
    }
    let base = std::mem::take(&mut bench.base);
    let still = Way { start: &base, end: &base, h, time: state.time };
    let mut touching = touches::find(model, bench, &still);
    touching.retain(|touch| touch.bodies.iter().all(|b| model.bodies[*b as usize].free));
    touches::stop(&touching, &mut state.velocities, &masses);
    bench.base = base;
    std::mem::swap(z, &mut bench.base);
    bench.candidates.measure(z, &model.reach);
    let near = bench.candidates.pairs.iter().zip(&bench.candidates.distances);
    for (pair, distance) in near {
        let d = distance.length();
        if d < quality.closest {
            let body = |k: usize| model.surface.body_of_node[pair.nodes[k] as usize] as usize;
            (quality.closest, quality.closest_bodies) = (d, [body(0), body(3)]);
        }
    }
}

/// Brings the base from the start of the step after `z`.
fn follow(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    z: &[DVec3],
    wanted: &Whereabouts,
    quality: &mut Quality,
) {
    bench.base.clear();
    bench.base.extend_from_slice(&state.positions);
    bench.z.clear();
    bench.z.extend_from_slice(z);
    bench.potential.start.clone_from(&state.positions);
    bench.candidates_hold = false;
    find_candidates(model, state, bench);
    for _ in 0..MOST_ROUNDS {
        measure(model, bench);
        // Contact has no rows here that could be missing: nothing is near enough to ask for them.
        advance(model, state, bench, &wanted.poses, false, f64::NEG_INFINITY, quality);
        if quality.held_back <= ENOUGH {
            break;
        }
    }
    for body in std::mem::take(&mut quality.lagging) {
        quality.waits(body);
    }
}
