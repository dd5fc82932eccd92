//! Heaps: many rigid bodies of convex solids, whose contacts are swept over instead of solved.
//!
//! A substep: forces change velocities; places where solids touch, or soon will, are found where the bodies are; sweeps
//! find the impulses there ([`sweeps`]), begun with those of the substep before; bodies go where their velocities lead
//! them as far as a plane stays between any two of them ([`passage`]). What sweeps leave undone is mended there: two
//! solids that would come too near are moved apart, and where that does not help their bodies go a part of their way, or
//! stay. So nothing crosses, however far the sweeps are from their end.

mod apart;
mod colours;
mod course;
mod moving;
mod passage;
mod places;
mod solids;
mod sweeps;
mod touch;
mod walk;

use super::bench::{Quality, Workbench};
use super::outcome::note_speed;
use crate::scene::{Constraint, Force, Guard, Method};
use crate::sim::forces::External;
use crate::sim::model::{Model, SKIN};
use crate::sim::state::{Past, State};
use course::Course;
use places::{Corners, Met};
use solids::Solids;
use walk::{Walk, Walker};

/// Fewest rigid bodies that make a heap, unless they come from one: of fewer the exact solution costs little.
const MANY: usize = 64;

/// Parts of a substep, and how often it is gone through, with parts half as long or with contacts that were not looked
/// for, where solids stay in each other's way.
const PARTS: u32 = 16;
const TAKES: u32 = 3;

/// What never changes of a heap.
#[derive(Debug)]
pub(crate) struct Heap {
    solids: Solids,
    /// Body and number of each solid.
    pieces: Vec<[u32; 2]>,
    /// Half of the contact distance of each body [m].
    half: Vec<f64>,
    friction: Vec<f64>,
}

impl Heap {
    /// The heap that a model is; none where it is something else: where bodies are few, not convex, not rigid, held, given
    /// their motion, bounce, or have thickness or friction that changes from place to place, or where forces depend on
    /// places or speeds. Bodies that were part of a heap when they moved last (`heaped`) are one however few they are: what
    /// rests beside them does so as heaps let it.
    pub(crate) fn new(model: &Model, heaped: bool) -> Option<Self> {
        let settings = &model.scene.solver;
        let tied = !model.ties.is_empty() || !model.gauges.is_empty() || !model.stitches.is_empty();
        let scene = &model.scene;
        let mut held = scene.constraints.iter().flat_map(Constraint::bodies);
        let held = held.any(|body| !model.bodies[body].nodes.is_empty());
        let pushed = !scene.forces.iter().all(Force::is_even);
        let given = model.has_given_motion();
        let fewest = if heaped { 1 } else { MANY };
        let many = model.point_count == 0 && model.rigids.len() >= fewest;
        let own = settings.method == Method::Auto && settings.guard == Guard::Enforce;
        if !many || !own || tied || held || pushed || given || model.bounces() {
            return None;
        }
        let same = |values: &[f64]| values.iter().all(|value| *value == values[0]);
        let (mut half, mut friction) = (Vec::new(), Vec::new());
        for body in &model.bodies {
            let nodes = body.nodes.clone();
            if nodes.is_empty() {
                half.push(0.0);
                friction.push(0.0);
                continue;
            }
            let (thick, rough) = (&model.half_thickness[nodes.clone()], &model.friction[nodes]);
            if !same(thick) || !same(rough) {
                return None;
            }
            half.push(thick[0] + 0.5 * SKIN);
            friction.push(rough[0]);
        }
        let solids = Solids::new(model)?;
        let count = |body: usize| solids.of_body[body].len() as u32;
        let pieces = (0..model.bodies.len())
            .flat_map(|body| (0..count(body)).map(move |k| [body as u32, k]))
            .collect();
        Some(Self { solids, pieces, half, friction })
    }
}

/// What a substep begins with.
struct Setting<'a> {
    model: &'a Model,
    heap: &'a Heap,
    state: &'a State,
    external: &'a External,
    /// Length of the substep [s].
    h: f64,
    /// One over the mass of all bodies [1/kg].
    inverse_mass: f64,
}

/// Advances `state` by `h` to script time `end`.
pub(crate) fn attempt(
    model: &Model,
    heap: &Heap,
    state: &mut State,
    bench: &mut Workbench,
    h: f64,
    end: f64,
) -> Quality {
    bench.external.evaluate(model, &state.positions, &state.velocities, end - 0.5 * h, |_| h);
    let mass: f64 = model.rigids.iter().map(|rigid| rigid.mass).sum();
    let (external, inverse_mass) = (&bench.external, 1.0 / mass);
    let setting = Setting { model, heap, state, external, h, inverse_mass };
    let mut quality =
        Quality { step: h, iterations: 1, closest: f64::INFINITY, ..Quality::default() };
    let mut course = Course::new(&setting);
    let corners = Corners::new(heap, state);
    let mut met = Met::find(&setting, &course, &corners, &[]);
    let (mut parts, mut wide) = (PARTS, Vec::new());
    let (walkers, parts) = loop {
        quality.rounds += 1;
        course.run(&setting, &mut met, parts);
        let mut walk = Walk::new(&setting, &course, &corners, &met);
        if walk.push_apart() || quality.rounds == TAKES {
            walk.hold_back();
            walk.measure(&mut quality);
            break (walk.walkers, parts);
        }
        let before = wide.len();
        wide.extend(walk.blocked());
        wide.sort_unstable();
        wide.dedup();
        if wide.len() > before {
            met = Met::find(&setting, &course, &corners, &wide);
        } else {
            parts *= 2;
        }
    };
    quality.linear_iterations = course.sweeps;
    quality.change = course.change;
    met.for_pressing(|[a, b], impulse| quality.touch(a.min(b), a.max(b), impulse));
    let memory = met.memory(h / f64::from(parts));
    arrive(model, state, bench, &walkers, h, &mut quality);
    state.memory = memory;
    state.past = Past::default();
    state.time = end;
    bench.candidates_hold = false;
    quality
}

/// Puts all bodies to where they have gone.
fn arrive(
    model: &Model,
    state: &mut State,
    bench: &Workbench,
    walkers: &[Walker],
    h: f64,
    quality: &mut Quality,
) {
    quality.finite = true;
    for (index, walker) in walkers.iter().enumerate() {
        let Some(number) = model.bodies[index].rigid else { continue };
        let rigid = &model.rigids[number];
        state.poses[index] = walker.to;
        rigid.place(model, &walker.to, &mut state.positions);
        let [velocity, spin] = walker.motion.map(|motion| motion * walker.part);
        let center = walker.to.place(rigid.center);
        for i in rigid.nodes() {
            let before = state.velocities[i];
            state.velocities[i] = velocity + spin.cross(state.positions[i] - center);
            note_speed(state, quality, i, before, bench.external.acceleration[i], h);
            quality.finite &= state.positions[i].is_finite() && state.velocities[i].is_finite();
        }
    }
}
