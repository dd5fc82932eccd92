//! The integration methods of the literature, for cloths of points in rows and columns.
//!
//! A method is one file with one function `step`: it knows where the points are, may ask for
//! accelerations (and, implicit ones, for the Jacobians of forces) wherever it likes, and fills in how
//! far each point goes and how much its velocity gains. What all share is here: held points, given
//! motions, bounces, reactions. They know no contact distance and keep nothing from crossing.
//!
//! Relaxation and shape matching go their own ways: the one moves points until they are where links and
//! contacts let them be, the other draws those of solids to goals.

mod bdf2;
mod dynamics;
mod explicit_euler;
mod implicit_jacobi;
mod implicit_pcg;
mod implicit_sor;
pub(super) mod links;
mod midpoint;
mod relaxation;
mod rk4;
mod rk45;
pub(super) mod shape_matching;
mod symplectic_euler;
mod system;
mod touches;
mod verlet;

use super::bench::{Quality, Workbench};
use crate::scene::{Method, SolverSettings};
use crate::sim::collision::elastic_hits::Motion;
use crate::sim::forces::lattice::Lattice;
use crate::sim::model::Model;
use crate::sim::state::{Past, State};
use crate::sim::whereabouts::Whereabouts;
use dynamics::Dynamics;
use glam::DVec3;

/// One step: what is known of it, and what a method fills in.
struct Step<'a> {
    settings: &'a SolverSettings,
    /// Places of the free points at the begin [m].
    x: &'a [DVec3],
    /// Their velocities [m/s]; held points have the one that brings them to their place.
    v: &'a [DVec3],
    /// Script time at the begin [s].
    time: f64,
    /// Length [s].
    h: f64,
    /// Of the step before; the method keeps in it what it will ask for.
    past: &'a mut Past,
    /// How far each point goes [m].
    way: Vec<DVec3>,
    /// What its velocity gains [m/s].
    gain: Vec<DVec3>,
    quality: &'a mut Quality,
}

impl Step<'_> {
    /// Fills in the way and the gain of each point.
    fn fill(&mut self, way: impl Fn(usize) -> DVec3, gain: impl Fn(usize) -> DVec3) {
        self.way.extend((0..self.x.len()).map(way));
        self.gain.extend((0..self.x.len()).map(gain));
    }

    /// Whether there was a step before, of the same length.
    fn goes_on(&self) -> bool {
        let as_long = |step: &f64| (self.h - step).abs() <= 1e-9 * self.h;
        !self.past.places.is_empty() && self.past.steps.iter().all(as_long)
    }

    /// How far a velocity may be off at the end of the step [m/s]: where a script says nothing, so far
    /// that the steps of a second add up to `accuracy`.
    fn tolerance(&self) -> f64 {
        self.settings.solver_tolerance.unwrap_or(self.settings.accuracy * self.h)
    }
}

/// `base[i] + factor * slope[i]`.
fn along(base: &[DVec3], factor: f64, slope: &[DVec3]) -> Vec<DVec3> {
    base.iter().zip(slope).map(|(b, s)| *b + *s * factor).collect()
}

/// Number of even steps of at most `step` seconds in a span [s]; a whole number of steps up to
/// rounding is that number.
pub(crate) fn steps_in(span: f64, step: f64) -> u32 {
    ((span / step) * (1.0 - 1e-9)).ceil().clamp(1.0, f64::from(u32::MAX)) as u32
}

/// Advances `state` by `h` to script time `end`.
pub(crate) fn attempt(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    h: f64,
    end: f64,
) -> Quality {
    match model.scene.solver.method {
        Method::Relaxation => return relaxation::attempt(model, state, bench, h, end),
        Method::ShapeMatching => return shape_matching::attempt(model, state, bench, h, end),
        _ => {}
    }
    let mut quality = Quality { closest: f64::INFINITY, finite: true, ..Quality::default() };
    let n = model.free_count;
    let wanted = wanted(model, state, end);
    bench.targets.find(model, state, end, &wanted);
    for i in 0..n {
        if let Some(place) = bench.targets.place[i] {
            state.velocities[i] = (place - state.positions[i]) / h;
        }
    }
    let mut dynamics = Dynamics::new(model, &mut bench.external, &bench.targets);
    let mut step = Step {
        settings: &model.scene.solver,
        x: &state.positions[..n],
        v: &state.velocities,
        time: state.time,
        h,
        past: &mut state.past,
        way: Vec::with_capacity(n),
        gain: Vec::with_capacity(n),
        quality: &mut quality,
    };
    take(model.scene.solver.method, &mut dynamics, &mut step);
    let Step { mut way, mut gain, .. } = step;
    dynamics.finish(&mut quality);
    limit_strain(model, state, bench, (&mut way, &mut gain), h, end);
    bench.wish = way;
    // Where given motions go.
    bench.trial.clear();
    bench.trial.extend_from_slice(&state.positions);
    for (index, body) in model.bodies.iter().enumerate() {
        if body.moved {
            wanted.place(model, index, &mut bench.trial);
        }
    }
    // FLEX3D turns round the velocity at the begin of the step, the others the one at its end
    // (Carvalho 2012, equation 5.1).
    for lattice in model.lattices.iter().filter(|lattice| !lattice.reverses()) {
        for i in lattice.nodes().filter(|i| bench.targets.place[*i].is_none()) {
            state.velocities[i] += std::mem::take(&mut gain[i]);
        }
    }
    let bounced = hit(model, state, bench, h, &mut quality);
    for i in 0..n {
        if let Some(place) = bench.targets.place[i] {
            state.positions[i] = place;
        } else {
            state.velocities[i] += gain[i];
            state.positions[i] += bench.wish[i];
        }
        quality.fastest = quality.fastest.max(state.velocities[i].length());
        // Frames are stored as f32.
        quality.finite &= state.positions[i].as_vec3().is_finite();
    }
    // What bounced has no past before it.
    for i in bounced {
        if let Some(place) = state.past.places.get_mut(i) {
            *place = state.positions[i] - state.velocities[i] * h;
        }
        if let Some(velocity) = state.past.velocities.get_mut(i) {
            *velocity = state.velocities[i];
        }
    }
    state.positions[n..].copy_from_slice(&bench.trial[n..]);
    state.poses.copy_from_slice(&wanted.poses);
    state.time = end;
    quality
}

/// Where the bodies of the scene are at script time `end`: given motions where their curves bring them.
fn wanted(model: &Model, state: &State, end: f64) -> Whereabouts {
    let mut wanted = Whereabouts::present(model, state);
    for (index, body) in model.bodies.iter().enumerate() {
        if body.moved {
            wanted.give(model, index, end);
        }
    }
    wanted
}

/// Keeps springs within their limits: ways change, and velocities by what that is in the step.
fn limit_strain(
    model: &Model,
    state: &State,
    bench: &Workbench,
    (way, gain): (&mut [DVec3], &mut [DVec3]),
    h: f64,
    end: f64,
) {
    for lattice in &model.lattices {
        let Lattice::Springs(net) = lattice else { continue };
        let before = way[net.nodes.clone()].to_vec();
        let free = |i: usize| bench.targets.place[i].is_none();
        let inverse_mass = |i: usize| if free(i) { 1.0 / model.mass[i] } else { 0.0 };
        net.limit_strain(&state.positions, way, inverse_mass, lattice.shrink(model, end));
        for (i, before) in net.nodes.clone().zip(before) {
            gain[i] += (way[i] - before) / h;
        }
    }
}

fn take(method: Method, dynamics: &mut Dynamics, step: &mut Step) {
    match method {
        Method::Auto
        | Method::Relaxation
        | Method::ShapeMatching
        | Method::Impulses
        | Method::ExplicitEuler => {
            explicit_euler::step(dynamics, step);
        }
        Method::SymplecticEuler => symplectic_euler::step(dynamics, step),
        Method::Midpoint => midpoint::step(dynamics, step),
        Method::Rk4 => rk4::step(dynamics, step),
        Method::Rk45 => rk45::step(dynamics, step),
        Method::Verlet => verlet::step(dynamics, step),
        Method::ImplicitJacobi => implicit_jacobi::step(dynamics, step),
        Method::ImplicitSor => implicit_sor::step(dynamics, step),
        Method::ImplicitPcg => implicit_pcg::step(dynamics, step),
        Method::Bdf2 => bdf2::step(dynamics, step),
    }
}

/// Lets points that meet something bounce, and tells which did.
fn hit(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    h: f64,
    quality: &mut Quality,
) -> Vec<usize> {
    let bodies = model.bodies.len();
    if !(0..bodies).any(|a| (a..bodies).any(|b| model.pair_collides(a, b))) {
        return Vec::new();
    }
    let Workbench { elastic_hits, finder, wish, trial, targets, .. } = bench;
    let State { positions, velocities, time, .. } = state;
    let positions = &*positions;
    let given_velocity = |i: usize| (trial[i] - positions[i]) / h;
    let held = |i: usize| targets.place[i].is_some();
    let report = |a, b, impulse| quality.touch(a, b, impulse);
    let motion = Motion { x: positions, time: *time, h };
    elastic_hits.apply(model, finder, &motion, wish, velocities, given_velocity, held, report)
}
