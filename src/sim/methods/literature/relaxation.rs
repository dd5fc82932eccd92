//! Relaxation (Jakobsen 2001, after the Verlet of molecular dynamics; Matos 2025): what is known of a
//! point is where it is and where it was. A step goes on from the one to the other, `y = x + (x - x_before) +
//! h^2 a`, and then goes over all links `iterations` times, which bring their points to their lengths one
//! after the other; `relaxation` is the part of its way that each goes. The velocity is `(x' - x) / h`, so
//! that the step is symplectic Euler's where no link acts, and nears implicit Euler's with more passes where
//! links are stiff. Order 1.
//!
//! Every second pass goes backwards, so that what comes first has no advantage.

use super::super::bench::{Quality, Reaction, Workbench};
use super::links::{self, Ahead, Link};
use super::touches::{self, Touch, Way};
use crate::sim::cage;
use crate::sim::forces::lattice::Lattice;
use crate::sim::model::Model;
use crate::sim::state::State;
use glam::DVec3;

/// Passes where a script says nothing.
const PASSES: u32 = 20;

/// Advances `state` by `h` to script time `end`.
pub(super) fn attempt(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    h: f64,
    end: f64,
) -> Quality {
    let settings = &model.scene.solver;
    let (passes, share) =
        (settings.iterations.unwrap_or(PASSES), settings.relaxation.unwrap_or(1.0));
    let mut quality =
        Quality { step: h, closest: f64::INFINITY, finite: true, ..Quality::default() };
    let wanted = super::wanted(model, state, end);
    bench.targets.find(model, state, end, &wanted);
    let mut z = predict(model, state, bench, h);
    for (index, body) in model.bodies.iter().enumerate() {
        if body.moved {
            wanted.place(model, index, &mut z);
        }
    }
    let (mut links, masses) = (std::mem::take(&mut bench.links), bench.inverse_mass.clone());
    let ahead = Ahead { inverse_mass: &masses, wanted: &wanted, places: &z, h, end };
    links.prime(model, &state.positions, &ahead);
    let mut own = links::of_constraints(model, state, &bench.targets.springs, &ahead);
    let all = &mut links.all;
    let mut touching: Vec<Touch> = Vec::new();
    for pass in 0..passes {
        if pass % 2 == 0 {
            all.iter_mut().chain(&mut own).for_each(|link| link.relax(&mut z, &masses, share));
        } else {
            let back = all.iter_mut().rev().chain(own.iter_mut().rev());
            back.for_each(|link| link.relax(&mut z, &masses, share));
        }
        if pass == 0 {
            cage::follow(model, &mut z);
            let way = Way { start: &state.positions, end: &z, h, time: state.time };
            touching = touches::find(model, bench, &way);
        }
        for touch in &mut touching {
            touch.relax(&mut z, &masses);
        }
    }
    cage::follow(model, &mut z);
    quality.iterations = passes;
    let errors = all.iter().chain(&own).map(|link| link.error(&z));
    let errors = errors.chain(touching.iter().map(|touch| touch.error(&z)));
    quality.residual = errors.fold(0.0, f64::max) / h;
    measure(model, state, bench, all, &own, &z, h, &mut quality);
    let before = std::mem::take(&mut state.velocities);
    state.velocities.extend((0..model.free_count).map(|i| (z[i] - state.positions[i]) / h));
    for touch in &touching {
        touch.bounce(&before, &mut state.velocities, &masses);
    }
    touches::note(&touching, &z, h, &mut quality);
    bench.links = links;
    for v in &state.velocities {
        quality.fastest = quality.fastest.max(v.length());
    }
    // Frames are stored as f32.
    quality.finite = z.iter().all(|p| p.as_vec3().is_finite());
    state.positions = z;
    state.poses.copy_from_slice(&wanted.poses);
    state.time = end;
    quality
}

/// Where everything comes that nothing holds; held points are where they are to be. Fills in the inverse
/// masses.
fn predict(model: &Model, state: &State, bench: &mut Workbench, h: f64) -> Vec<DVec3> {
    let (x, v) = (&state.positions, &state.velocities);
    bench.external.evaluate(model, x, v, state.time, |_| 0.0);
    for sheet in &model.lattices {
        if let Lattice::Springs(net) = sheet {
            for (i, drag) in net.drags().filter(|(i, _)| model.mass[*i] > 0.0) {
                bench.external.drag[i] += drag / model.mass[i];
            }
        }
    }
    bench.inverse_mass.clear();
    bench.inverse_mass.resize(model.free_count, 0.0);
    let mut z = x.clone();
    for i in 0..model.free_count {
        if let Some(place) = bench.targets.place[i] {
            z[i] = place;
            continue;
        }
        bench.inverse_mass[i] = 1.0 / model.mass[i];
        let (pull, drag) = (bench.external.acceleration[i], bench.external.drag[i]);
        z[i] += (v[i] + pull * h) / (1.0 + drag * h) * h;
    }
    cage::follow(model, &mut z);
    z
}

/// Takes down what constraints hold with.
fn measure(
    model: &Model,
    state: &mut State,
    bench: &Workbench,
    all: &[Link],
    own: &[Link],
    z: &[DVec3],
    h: f64,
    quality: &mut Quality,
) {
    if model.scene.constraints.is_empty() {
        return;
    }
    let mut reactions = vec![Reaction::default(); model.scene.constraints.len()];
    let outer = bench.external.acceleration.iter().zip(&model.mass);
    let mut forces: Vec<DVec3> = outer.map(|(pull, mass)| *pull * *mass).collect();
    all.iter().chain(own).for_each(|link| link.add_forces(z, h, &mut forces));
    for (by, force) in bench.targets.by.iter().zip(&forces) {
        if let Some(constraint) = by {
            reactions[*constraint as usize].force -= *force;
        }
    }
    for link in own {
        let Some(constraint) = link.constraint else { continue };
        reactions[constraint].force += link.load(z, h);
        reactions[constraint].apart = reactions[constraint].apart.max(link.apart(z));
        if let Some(stitch) = link.stitch {
            state.stitches[stitch].lambda = link.tension(h);
        }
    }
    quality.reactions = reactions;
}
