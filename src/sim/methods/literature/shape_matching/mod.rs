//! Elastic solids by shape matching (Mueller, Heidelberger, Teschner and Gross 2005) with contact between
//! their cells (Sotomayor 2008, chapters 4 and 5).
//!
//! A step: goals g are the shape at rest where it fits the points best, by the polar factor of `sum m p q^T`;
//! `v += alpha (g - x) / h + h f / m`, `x += h v` (algorithm 13; equations 5.7 and 5.8); vertices in cells of
//! others are found, with their depth and the way out; what overlaps is deformed until it does no longer.
//! The thesis' loop (algorithm 1) begins with the search and ends with the places: this is the same loop, but
//! that a frame is taken after the separation, so that nothing overlaps in it.
//!
//! alpha is the material's `stiffness`, of a step as printed: half the step is twice as stiff, 4 as a spring
//! constant. 1 brings every point to its goal in one step, 0 leaves them free. As printed nothing damps: a mode of
//! deformation swings with `cos(w h) = 1 - alpha / 2` for ever, and what falls on others boils until its cells
//! are inside out. So a step takes the part `LOSS alpha` of what velocities differ by from those of a rigid
//! body, which keeps both momenta. Order 1.
//!
//! What still overlaps after the last round is left to the next step.
//!
//! Colliders touch at their contact distance, by projection.
//!
//! All this lets surfaces cross; where the shot's guard is enforced, `guarded` keeps them from it.

mod apart;
mod depth;
mod detection;
mod guarded;
mod press;
mod solids;
#[cfg(test)]
mod tests;

use super::super::bench::{Quality, Reaction, Workbench};
use super::touches::{self, Touch, Way};
use crate::math::outer;
use crate::scene::Guard;
use crate::sim::cage;
use crate::sim::model::Model;
use crate::sim::state::State;
use apart::{World, round};
use detection::Counts;
use glam::{DMat3, DVec3};
use press::{Contact, press};
use solids::{Solid, solids};
use std::time::Instant;

/// Passes over what touches colliders.
const PASSES: u32 = 10;

/// Most rounds of separation; the first leaves little, and the next ones what it pushed into others. Those
/// beyond `SEARCHED` deform nothing but move bodies as wholes: edges that crumpled surfaces hold tell little of
/// a depth.
const ROUNDS: u32 = 30;
const SEARCHED: u32 = 6;

/// Part of the velocity of deformation that a step takes from a body of alpha 1.
const LOSS: f64 = 0.3;

/// The parts of a step whose time is taken (table 6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Which bodies may overlap, and the grid.
    Potential,
    /// Vertices in cells.
    Exact,
    /// Depth, and separation.
    Depth,
    /// Goals.
    Matching,
}

/// Seconds on the clock for each [`Stage`], in their order; no result depends on them.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::sim::methods) struct Stages(pub(in crate::sim::methods) [f64; 4]);

impl Stages {
    fn time<T>(&mut self, stage: Stage, of: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let result = of();
        self.0[stage as usize] += began.elapsed().as_secs_f64();
        result
    }
}

/// What the method keeps between steps; nothing in it is part of a result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solids {
    all: Vec<Solid>,
    pub(in crate::sim::methods) stages: Stages,
}

impl Solids {
    /// The solids of a model.
    pub(crate) fn new(model: &Model) -> Self {
        Self { all: solids(model), stages: Stages::default() }
    }
}

/// Advances `state` by `h` to script time `end`.
pub(super) fn attempt(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    h: f64,
    end: f64,
) -> Quality {
    let mut quality =
        Quality { step: h, closest: f64::INFINITY, finite: true, ..Quality::default() };
    let mut known = std::mem::take(&mut bench.solids);
    let enforce = model.scene.solver.guard == Guard::Enforce;
    let wanted = if enforce {
        super::super::given::wanted(model, state, end)
    } else {
        super::wanted(model, state, end)
    };
    bench.targets.find(model, state, end, &wanted);
    accelerate(model, state, bench, &mut known, h);
    let free = state.velocities.clone();
    let mut z = state.positions.clone();
    for i in 0..model.free_count {
        if let Some(place) = bench.targets.place[i] {
            state.velocities[i] = (place - state.positions[i]) / h;
            z[i] = place;
        } else {
            z[i] += state.velocities[i] * h;
        }
    }
    for (index, body) in model.bodies.iter().enumerate() {
        if body.moved {
            wanted.place(model, index, &mut z);
        }
    }
    cage::follow(model, &mut z);
    let masses = bench.inverse_mass.clone();
    let way = Way { start: &state.positions, end: &z, h, time: state.time };
    let mut touching = touches::find(model, bench, &way);
    touching.retain(|touch| touch.bodies.iter().any(|b| !model.bodies[*b as usize].free));
    push_out(model, &mut touching, state, &mut z, &masses, h);
    let contacts = part(model, state, &mut known, &mut touching, &mut z, &masses, &mut quality);
    for contact in contacts.iter().filter(|contact| contact.along > 0.0) {
        let [a, b] = contact.bodies.map(|b| b as u32);
        quality.touch(a.min(b), a.max(b), contact.along);
    }
    touches::note(&touching, &z, h, &mut quality);
    if enforce {
        guarded::keep_apart(model, state, bench, &mut z, &wanted, h, &mut quality);
    } else {
        state.poses.copy_from_slice(&wanted.poses);
    }
    measure(model, state, bench, &free, h, &mut quality);
    bench.solids = known;
    for v in &state.velocities {
        quality.fastest = quality.fastest.max(v.length());
    }
    // Frames are stored as f32.
    quality.finite = z.iter().all(|p| p.as_vec3().is_finite());
    state.positions = z;
    state.time = end;
    quality
}

/// Velocities by forces and by the pull of the goals (equation 5.7). Fills in the inverse masses.
fn accelerate(model: &Model, state: &mut State, bench: &mut Workbench, known: &mut Solids, h: f64) {
    let State { positions: x, velocities: v, plastic_shapes, time, .. } = state;
    bench.external.evaluate(model, x, v, *time, |_| 0.0);
    bench.inverse_mass.clear();
    bench.inverse_mass.resize(model.free_count, 0.0);
    for i in 0..model.free_count {
        let (pull, drag) = (bench.external.acceleration[i], bench.external.drag[i]);
        v[i] = (v[i] + pull * h) / (1.0 + drag * h);
        if bench.targets.place[i].is_none() {
            bench.inverse_mass[i] = 1.0 / model.mass[i];
        }
    }
    for &(node, place, stiffness, _) in &bench.targets.springs {
        let i = node as usize;
        v[i] += (place - x[i]) * (stiffness * h * bench.inverse_mass[i]);
    }
    let Solids { all, stages } = known;
    stages.time(Stage::Matching, || {
        for ((matching, plastic), solid) in model.matchings.iter().zip(&*plastic_shapes).zip(all) {
            for (i, goal) in matching.goals(x, plastic) {
                v[i] += (goal - x[i]) * (solid.stiffness / h);
            }
            calm(model, solid, x, v);
        }
    });
}

/// Takes a part of what velocities differ by from those of a rigid body with the same momenta.
fn calm(model: &Model, solid: &Solid, x: &[DVec3], v: &mut [DVec3]) {
    let own = || solid.nodes.clone();
    let total: f64 = own().map(|i| model.mass[i]).sum();
    let center = own().map(|i| x[i] * model.mass[i]).sum::<DVec3>() / total;
    let velocity = own().map(|i| v[i] * model.mass[i]).sum::<DVec3>() / total;
    let (mut inertia, mut spin) = (DMat3::ZERO, DVec3::ZERO);
    for i in own() {
        let (arm, mass) = (x[i] - center, model.mass[i]);
        inertia += DMat3::from_diagonal(DVec3::splat(mass * arm.length_squared()));
        inertia -= outer(arm, arm * mass);
        spin += arm.cross(v[i] - velocity) * mass;
    }
    let size = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    if inertia.determinant() <= 1e-12 * size * size * size {
        return;
    }
    let spin = inertia.inverse() * spin;
    for i in own() {
        let rigid = velocity + spin.cross(x[i] - center);
        v[i] = v[i].lerp(rigid, LOSS * solid.stiffness);
    }
}

/// Brings what colliders touch to its contact distance, and velocities with it.
fn push_out(
    model: &Model,
    touching: &mut [Touch],
    state: &mut State,
    z: &mut [DVec3],
    inverse_mass: &[f64],
    h: f64,
) {
    if touching.is_empty() {
        return;
    }
    let before = state.velocities.clone();
    let start = z[..model.free_count].to_vec();
    for _ in 0..PASSES {
        for touch in &mut *touching {
            touch.relax(z, inverse_mass);
        }
    }
    for (i, start) in start.into_iter().enumerate() {
        state.velocities[i] += (z[i] - start) / h;
    }
    for touch in &*touching {
        touch.bounce(&before, &mut state.velocities, inverse_mass);
    }
}

/// Moves solids apart that overlap, round by round, and takes the speed with which they approach.
fn part(
    model: &Model,
    state: &mut State,
    known: &mut Solids,
    touching: &mut [Touch],
    z: &mut [DVec3],
    inverse_mass: &[f64],
    quality: &mut Quality,
) -> Vec<Contact> {
    let Solids { all, stages } = known;
    let mut carried: Vec<usize> = touching
        .iter()
        .filter(|touch| touch.impulse(1.0) > 0.0)
        .flat_map(|touch| touch.bodies.map(|b| b as usize))
        .collect();
    carried.sort_unstable();
    carried.dedup();
    let world = World { model, solids: all, inverse_mass, carried: &carried, time: state.time };
    let mut contacts = Vec::new();
    let rounds = if model.scene.solver.guard == Guard::Enforce { guarded::ROUNDS } else { ROUNDS };
    for number in 0..rounds {
        let (bodies, counts) = round(&world, z, &mut contacts, number < SEARCHED, stages);
        if number == 0 {
            let Counts { potential, vertices, cells } = counts;
            let faces = contacts.len() as u64;
            quality.overlaps = [potential, faces, cells, vertices];
        }
        if bodies.is_empty() {
            break;
        }
        quality.rounds = number + 1;
        // Not into the ground for that.
        for _ in 0..PASSES {
            for touch in &mut *touching {
                if touch.bodies.iter().any(|b| bodies.binary_search(&(*b as usize)).is_ok()) {
                    touch.relax(z, inverse_mass);
                }
            }
        }
        cage::follow(model, z);
    }
    cage::follow(model, z);
    press(&mut contacts, &mut state.velocities, inverse_mass);
    contacts
}

/// Takes down what constraints hold with: what they changed of velocities.
fn measure(
    model: &Model,
    state: &State,
    bench: &Workbench,
    free: &[DVec3],
    h: f64,
    quality: &mut Quality,
) {
    let mut reactions = vec![Reaction::default(); model.scene.constraints.len()];
    for (i, by) in bench.targets.by.iter().enumerate() {
        if let Some(constraint) = by {
            let gained = state.velocities[i] - free[i];
            reactions[*constraint as usize].force += gained * (model.mass[i] / h);
        }
    }
    for &(node, place, stiffness, constraint) in &bench.targets.springs {
        let off = place - state.positions[node as usize];
        reactions[constraint].force += off * stiffness;
    }
    quality.reactions = reactions;
}
