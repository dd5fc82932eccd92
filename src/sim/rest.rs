//! Rest: a region in which nothing has got anywhere for a while is left as it is, at no cost, until
//! something comes near it or acts on it.
//!
//! Only regions of rigid bodies that lie on fixed ones rest, and only under what does not change with time, so
//! that nothing but a visitor or a command can move them again.

use super::collision::contact::Key;
use super::model::{Model, ModelBody};
use super::part;
use super::pose::Pose;
use super::report::{FrameReport, StepRegion};
use super::state::State;
use crate::scene::Method;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// How long a region must have got nowhere [s].
const WHILE: f64 = 0.5;

/// Since when, and from where, a rigid body has got nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Anchor {
    /// Script time [s].
    since: f64,
    pose: Pose,
}

/// A region at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Resting {
    /// Its bodies, sorted.
    pub(crate) bodies: Vec<usize>,
    /// What touched in its last frame: bodies, contacts, impulse [N s].
    touches: Vec<(usize, usize, u32, f64)>,
    /// Deepest contact, and closest approach [m].
    pressed_in: f64,
    closest: f64,
}

/// Bodies that may rest, as far as they alone are concerned.
fn calm(model: &Model) -> Vec<bool> {
    let scene = &model.scene;
    let engine = matches!(scene.solver.method, Method::Auto | Method::Impulses);
    let always = |rule: &crate::scene::ContactPair| rule.starts.is_none() && rule.ends.is_none();
    let unchanging = engine
        && scene.solver.regions
        && scene.gravity.is_constant()
        && scene.forces.is_empty()
        && scene.contact_pairs.iter().all(always);
    let own = |body: &ModelBody| if body.free { body.rigid.is_some() } else { !body.moved };
    let mut calm: Vec<bool> = model.bodies.iter().map(|body| unchanging && own(body)).collect();
    for body in scene.constraints.iter().flat_map(crate::scene::Constraint::bodies) {
        calm[body] = calm[body] && !model.bodies[body].free;
    }
    calm
}

/// Wakes every region at rest that is no longer one of `groups`: something has come to it, or has gone.
pub(crate) fn wake_changed(state: &mut State, groups: &[Vec<usize>]) {
    state.resting.retain(|resting| groups.contains(&resting.bodies));
}

/// Wakes the region of `body`; its bodies, if it was at rest.
pub(crate) fn wake(state: &mut State, body: usize) -> Option<Vec<usize>> {
    let at = state.resting.iter().position(|r| r.bodies.binary_search(&body).is_ok())?;
    Some(state.resting.remove(at).bodies)
}

/// Forgets how long `body` has been where it is: something acts on it.
pub(crate) fn stir(model: &Model, state: &mut State, body: usize) {
    wake(state, body);
    if let Some(rigid) = model.bodies[body].rigid {
        state.anchors[rigid].since = state.time;
    }
}

/// How far a body may have moved in the while and has still got nowhere: no farther than with a speed that
/// counts as none [m].
pub(crate) fn least(model: &Model) -> f64 {
    model.scene.solver.accuracy * WHILE
}

/// Whether a rigid body has got nowhere for a while.
pub(crate) fn is_still(state: &State, rigid: usize) -> bool {
    state.time - state.anchors[rigid].since >= WHILE
}

/// Where all rigid bodies begin.
pub(crate) fn anchors(model: &Model, state: &State) -> Vec<Anchor> {
    let anchor = |body: usize| Anchor { since: state.time, pose: state.poses[body] };
    model.rigids.iter().map(|rigid| anchor(rigid.body)).collect()
}

/// Looks how far rigid bodies have got, and lets those of `regions`, which have been solved until now, rest
/// that have got nowhere.
pub(crate) fn settle_down<'a>(
    model: &Model,
    state: &mut State,
    regions: impl Iterator<Item = (&'a [usize], &'a FrameReport)>,
) {
    let least = least(model);
    for (number, rigid) in model.rigids.iter().enumerate() {
        let (from, to) = (&state.anchors[number].pose, &state.poses[rigid.body]);
        let (before, there) = (rigid.corners(from), rigid.corners(to));
        if before.iter().zip(&there).any(|(a, b)| a.distance(*b) > least) {
            state.anchors[number] = Anchor { since: state.time, pose: *to };
        }
    }
    let calm = calm(model);
    for (bodies, report) in regions {
        let rests = |body: &usize| {
            calm[*body] && model.bodies[*body].rigid.is_none_or(|r| is_still(state, r))
        };
        if !bodies.iter().all(rests) || !is_held_up(model, bodies, &report.touches) {
            continue;
        }
        for &body in bodies {
            state.velocities[model.bodies[body].movers.clone()].fill(DVec3::ZERO);
        }
        state.resting.push(Resting {
            bodies: bodies.to_vec(),
            touches: report.touches.clone(),
            pressed_in: report.pressed_in,
            closest: report.closest_approach,
        });
    }
    state.resting.sort_by(|a, b| a.bodies.cmp(&b.bodies));
}

/// Whether all `bodies` (sorted) lie on fixed ones, or on others of them that do, as `touches` says: what only
/// floats by is slow, but not at rest.
fn is_held_up(model: &Model, bodies: &[usize], touches: &[(usize, usize, u32, f64)]) -> bool {
    let place = |body: usize| bodies.binary_search(&body).ok();
    let mut beside: Vec<Vec<usize>> = vec![Vec::new(); bodies.len()];
    for &(a, b, _, impulse) in touches.iter().filter(|t| t.0 != t.1) {
        if let (Some(a), Some(b), true) = (place(a), place(b), impulse > 0.0) {
            beside[a].push(b);
            beside[b].push(a);
        }
    }
    let mut held: Vec<bool> = bodies.iter().map(|body| !model.bodies[*body].free).collect();
    let mut todo: Vec<usize> = (0..bodies.len()).filter(|k| held[*k]).collect();
    while let Some(next) = todo.pop() {
        for &other in &beside[next] {
            if !std::mem::replace(&mut held[other], true) {
                todo.push(other);
            }
        }
    }
    held.into_iter().all(|held| held)
}

/// Whether the place `key` is between bodies at rest.
pub(crate) fn is_between(model: &Model, resting: &[Resting], key: Key) -> bool {
    let bodies = part::bodies_of(model, key);
    resting.iter().any(|r| bodies.iter().all(|body| r.bodies.binary_search(body).is_ok()))
}

/// Adds the regions at rest, and what their bodies press with, to what is told of a frame.
pub(crate) fn report(model: &Model, state: &State, report: &mut FrameReport) {
    for resting in &state.resting {
        let bodies = resting.bodies.iter().copied().filter(|b| model.bodies[*b].free).collect();
        report.regions.push(StepRegion { bodies, steps: 0, retakes: 0, fastest: 0.0 });
        for &(a, b, count, impulse) in &resting.touches {
            report.touch(a, b, count, impulse);
        }
        report.pressed_in = report.pressed_in.max(resting.pressed_in);
        report.closest_approach = report.closest_approach.min(resting.closest);
    }
    report.regions.sort_by(|a, b| a.bodies.cmp(&b.bodies));
}
