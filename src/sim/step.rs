//! From one frame to the next: attempts, verdicts, retakes.

use super::collision::candidates::Candidates;
use super::collision::finder::Finder;
use super::methods::bench::{Quality, Workbench};
use super::methods::heap::Heap;
use super::methods::{heap, implicit, impulses, literature};
use super::model::Model;
use super::recall::Recall;
use super::report::{Effort, FrameReport, StepEvent, StepEventKind, StepRetake};
use super::returns::{Fault, Knot, Returns};
use super::state::{Changed, JointChange, Push, State};
use super::substep_clock::SubstepClock;
use super::swept::Swept;
use super::verify::{Verdict, judge};
use super::{Attention, Failure, Reached, Simulation, constraints, legs, regions};
use crate::scene::world::Command;
use crate::scene::{ConstraintKind, Guard, JointKind, Method};
use glam::DVec3;
use std::sync::Arc;

/// Scratch of the whole simulation; nothing in it is part of a result.
pub(crate) struct Scratch {
    pub(crate) bench: Workbench,
    /// Where each body has been since the span began.
    pub(crate) swept: Vec<Swept>,
}

impl Scratch {
    /// Scratch for a model; trees are built for the nodes at `positions`.
    pub(crate) fn new(model: &Model, positions: &[DVec3]) -> Self {
        let mut own = Self::without_trees(model, false);
        own.bench.finder = Finder::new(&model.surface, positions);
        own
    }

    /// The same where nothing is asked but how the model goes on: heaps do not look into trees. `heaped` says whether all
    /// that moves was part of a heap when it moved last.
    pub(crate) fn of_part(model: &Model, positions: &[DVec3], heaped: bool) -> Self {
        let mut own = Self::without_trees(model, heaped);
        if own.bench.heap.is_none() {
            own.bench.finder = Finder::new(&model.surface, positions);
        }
        own
    }

    fn without_trees(model: &Model, heaped: bool) -> Self {
        let swept = vec![Swept::default(); model.bodies.len()];
        let mut bench = Workbench::new(model, Finder::default());
        bench.heap = Heap::new(model, heaped).map(Arc::new);
        Self { bench, swept }
    }

    /// Takes in where the bodies are.
    fn sweep(&mut self, model: &Model, state: &State) {
        for (swept, body) in self.swept.iter_mut().zip(&model.bodies) {
            for i in body.nodes.clone() {
                swept.add(state.positions[i], model.reach[i]);
            }
        }
    }
}

/// Simulates the seconds before the first frame.
pub(super) fn preroll(
    simulation: &mut Simulation,
    attention: Attention<'_>,
) -> Result<(), Failure> {
    let preroll = simulation.model.scene.timing.preroll;
    let frames = (preroll / simulation.model.scene.timing.frame_dt()).ceil() as u32;
    let parts = frames * legs::count(&simulation.model);
    let before = simulation.state.clone();
    simulation.recall.iter_mut().for_each(Recall::begin);
    for part in 1..=parts {
        let end = preroll * (f64::from(part) / f64::from(parts) - 1.0);
        // What touched is told, and measured, by the frame.
        simulation.report.touches.clear();
        simulation.report.depths.clear();
        if let Err(failure) = regions::advance(simulation, end, attention) {
            simulation.state = before;
            return Err(failure);
        }
    }
    simulation.refresh_figures();
    simulation.report.retakes.clear();
    simulation.report.regions.clear();
    Ok(())
}

/// Simulates from the present frame to the next.
pub(super) fn advance(
    simulation: &mut Simulation,
    commands: &[Command],
    attention: Attention<'_>,
) -> Result<(), Failure> {
    let before = simulation.state.clone();
    simulation.report = FrameReport::default();
    simulation.recall.iter_mut().for_each(Recall::begin);
    for command in commands {
        apply(command, simulation);
    }
    if let Err(failure) = legs::advance(simulation, attention) {
        simulation.state = before;
        return Err(failure);
    }
    simulation.state.pushes.clear();
    simulation.state.frame += 1;
    simulation.refresh_figures();
    Ok(())
}

/// Notes the bodies that cross in the present state, where the guard lets them.
pub(super) fn list_crossings(simulation: &mut Simulation) {
    let Simulation { model, state, report, scratch, .. } = simulation;
    if model.scene.solver.guard != Guard::Report {
        return;
    }
    for (a, b) in super::separate::crossing_bodies(model, state, &mut scratch.bench.finder) {
        report.events.push(StepEvent { time: state.time, kind: StepEventKind::Crossed { a, b } });
    }
}

fn apply(command: &Command, simulation: &mut Simulation) {
    match command {
        Command::Release { constraint } => {
            let state = &mut simulation.state.constraints[*constraint];
            if !state.released {
                state.released = true;
                let kind = StepEventKind::Released { constraint: *constraint };
                simulation.report.events.push(StepEvent { time: simulation.state.time, kind });
            }
        }
        Command::ReleasePoints { constraint, points } => {
            let Simulation { model, state, report, .. } = simulation;
            let mut nodes: Vec<u32> = Vec::new();
            for group in points {
                let first = model.bodies[group.body].nodes.start as u32;
                nodes.extend(group.vertices.iter().map(|v| first + v));
            }
            nodes.sort_unstable();
            constraints::hold::release(model, state, *constraint, &nodes);
            let kind = StepEventKind::Released { constraint: *constraint };
            report.events.push(StepEvent { time: state.time, kind });
        }
        Command::Push { body, points, impulse } => {
            super::rest::stir(&simulation.model, &mut simulation.state, *body);
            push(&simulation.model, &mut simulation.state, *body, points, *impulse);
        }
        Command::Force { body, points, force } => {
            super::rest::stir(&simulation.model, &mut simulation.state, *body);
            let push = Push { body: *body as u32, points: points.clone(), force: *force };
            simulation.state.pushes.push(push);
        }
        Command::Drive { constraint, motor } => {
            change(&mut simulation.state, *constraint).motor = Changed::To(motor.clone());
        }
        Command::Limit { constraint, limits } => {
            change(&mut simulation.state, *constraint).limits = Changed::To(*limits);
        }
    }
}

/// What commands have made of the joint that is a constraint.
fn change(state: &mut State, constraint: usize) -> &mut JointChange {
    let constraint = constraint as u32;
    let at = state.joints.partition_point(|joint| joint.constraint < constraint);
    if state.joints.get(at).is_none_or(|joint| joint.constraint != constraint) {
        state
            .joints
            .insert(at, JointChange { constraint, motor: Changed::No, limits: Changed::No });
    }
    &mut state.joints[at]
}

/// Changes velocities by an impulse [N s] that the vertices `points` of a body share, or all of it by mass.
fn push(model: &Model, state: &mut State, body: usize, points: &[u32], impulse: DVec3) {
    let entry = &model.bodies[body];
    model.share_push(body, points, impulse, |i, part| state.velocities[i] += part);
    if let Some(rigid) = entry.rigid {
        model.rigids[rigid].keep_rigid(&state.positions, &mut state.velocities);
    }
    // Methods that go by what it did before start anew.
    if !state.past.steps.is_empty() {
        state.past.steps[entry.movers.clone()].fill(0.0);
    }
}

/// Advances the state to script time `end`. A substep becomes part of the state only after `judge`
/// accepts it, or where neither halving nor going back mends what is wrong with it.
pub(super) fn advance_to(
    model: &Model,
    state: &mut State,
    report: &mut FrameReport,
    scratch: &mut Scratch,
    end: f64,
    attention: Attention<'_>,
) -> Result<(), Failure> {
    scratch.bench.external.pushes.clone_from(&state.pushes);
    match model.scene.solver.method {
        Method::Auto | Method::Impulses => {}
        // Its error sets its steps, as verdicts set those of the engine's own method.
        Method::Rk45 if model.scene.solver.fixed_step.is_none() => {}
        _ => return march(model, state, report, scratch, end, attention),
    }
    scratch.bench.elastic_hits.forget();
    let (begin, settings) = (state.time, &model.scene.solver);
    let frame = legs::frame(model, end - begin);
    let heaped = scratch.bench.heap.is_some();
    let mut clock = start_clock(model, state, end - begin, heaped);
    scratch.swept.fill(Swept::default());
    scratch.sweep(model, state);
    // What was found in another frame must not decide anything in this one.
    scratch.bench.candidates_hold = false;
    let may_break = model.scene.constraints.iter().any(|c| c.breaks_at.is_some());
    let mut returns = Returns::default();
    while let Some(h) = clock.next_substep() {
        if attention.stops() {
            return Err(Failure::Interrupted);
        }
        let ends_after = clock.interval().1;
        let substep_end = begin + ends_after;
        let mut next = state.clone();
        let bench = &mut scratch.bench;
        bench.asks_for_reactions = may_break || ends_after >= end - begin;
        let quality = match model.scene.solver.method {
            Method::Auto => match bench.heap.clone() {
                Some(own) => heap::attempt(model, &own, &mut next, bench, h, substep_end),
                None => implicit::attempt(model, &mut next, bench, h, substep_end),
            },
            Method::Impulses => impulses::attempt(model, &mut next, bench, h, substep_end),
            _ => literature::attempt(model, &mut next, bench, h, substep_end),
        };
        account(report, &quality, &scratch.bench.candidates);
        let verdict = judge(model, &quality, h);
        if let (Verdict::Reject(reason, between), true) = (verdict, settings.rollback) {
            let (time, steps) = (state.time, report.steps);
            let knot = match settings.method {
                // What is wrong with a step is what is wrong with this one, whatever the steps before.
                Method::Rk45 => None,
                _ => returns.go_back(Fault::new(reason, between), &mut clock),
            };
            if knot.is_some() || clock.halve() {
                scratch.bench.candidates_hold = false;
                if let Some(knot) = knot {
                    *state = knot.state;
                    scratch.swept = knot.swept;
                    report.go_back(knot.report);
                    returns.threw_away(steps - report.steps);
                }
                report.retakes.push(StepRetake {
                    time,
                    region: (0..model.bodies.len()).filter(|b| model.bodies[*b].free).collect(),
                    reason,
                    between,
                    step_before: h,
                    step_after: clock.next_substep().unwrap_or(h),
                    steps_back: steps - report.steps,
                    seconds: h + (time - state.time),
                });
                attention.tell(|| reached(state, report, clock.next_substep().unwrap_or(h)));
                continue;
            }
        }
        if matches!(verdict, Verdict::Reject(super::StepRetakeReason::NotFinite, _)) {
            return Err(not_finite(state.time));
        }
        let before = Knot {
            clock: clock.clone(),
            state: std::mem::replace(state, next),
            report: report.without_retakes(),
            swept: scratch.swept.clone(),
        };
        commit(model, state, report, &quality);
        if let (Verdict::Reject(reason, between), true) = (verdict, settings.rollback) {
            report.note(state.time, StepEventKind::Unresolved { reason, between });
        }
        scratch.sweep(model, state);
        let may_grow = matches!(verdict, Verdict::Accept { may_grow: true });
        clock.accept(may_grow, longest_step(model, frame, heaped, Some(&quality)));
        attention.tell(|| reached(state, report, clock.next_substep().unwrap_or(h)));
        returns.keep(before, &clock);
    }
    let carried = clock.carry();
    let own = |body: &usize| model.bodies[*body].free;
    for body in (0..model.bodies.len()).filter(own) {
        state.steps[body] = carried;
        state.heaped[body] = heaped;
    }
    state.time = end;
    Ok(())
}

/// Advances the state to script time `end` by even steps of a method of the literature,
/// each of which is taken as it comes.
fn march(
    model: &Model,
    state: &mut State,
    report: &mut FrameReport,
    scratch: &mut Scratch,
    end: f64,
    attention: Attention<'_>,
) -> Result<(), Failure> {
    let (begin, settings) = (state.time, &model.scene.solver);
    // What was found in another frame must not decide anything in this one.
    scratch.bench.elastic_hits.forget();
    let span = end - begin;
    let steps = literature::steps_in(span, settings.fixed_step.or(settings.step).unwrap_or(span));
    let h = span / f64::from(steps);
    scratch.swept.fill(Swept::default());
    scratch.sweep(model, state);
    for k in 1..=steps {
        if attention.stops() {
            return Err(Failure::Interrupted);
        }
        let time = if k == steps { end } else { begin + span * (f64::from(k) / f64::from(steps)) };
        let quality = literature::attempt(model, state, &mut scratch.bench, h, time);
        account(report, &quality, &scratch.bench.candidates);
        if !quality.finite {
            let message = format!("numbers ran out of range at {time:.4} s");
            let hint = format!(
                "a step of {h:.3e} s is too long for these springs: try a shorter `fixed_step`"
            );
            return Err(Failure::Shot(crate::diagnostics::Diagnostic::error(message).hint(hint)));
        }
        commit(model, state, report, &quality);
        attention.tell(|| reached(state, report, h));
        scratch.sweep(model, state);
    }
    Ok(())
}

fn reached(state: &State, report: &FrameReport, step: f64) -> Reached {
    let last_retake = report.retakes.last().map(|retake| (retake.reason, retake.between));
    Reached { time: state.time, step, retakes: report.retakes.len(), last_retake }
}

/// Adds the work of an attempt, which looked at `candidates`.
fn account(report: &mut FrameReport, quality: &Quality, candidates: &Candidates) {
    let pairs = &candidates.pairs[..];
    report.effort.add(&Effort {
        iterations: quality.iterations,
        linear_iterations: quality.linear_iterations,
        candidates: pairs.len() as u64,
        bytes: quality.bytes + size_of_val(pairs) as u64,
        evaluations: u64::from(quality.evaluations),
        overlaps: quality.overlaps,
        switched: u64::from(quality.switched),
        residual: quality.residual,
    });
}

/// The shortest substeps, as parts of the frame, and those of what has gone back.
const SHORTEST: f64 = 512.0;
const SHORTEST_AGAIN: f64 = 2048.0;

fn start_clock(model: &Model, state: &State, span: f64, heaped: bool) -> SubstepClock {
    let settings = &model.scene.solver;
    let frame = legs::frame(model, span);
    let longest = longest_step(model, frame, heaped, None);
    // A region takes up the shortest step of its bodies.
    let own = model.bodies.iter().zip(&state.steps).filter(|(body, _)| body.free);
    let (level, calm) = own.fold((0, u32::MAX), |(level, calm), (_, &(own_level, own_calm))| {
        (level.max(own_level), calm.min(own_calm))
    });
    let level = if settings.fixed_step.is_some() { 0 } else { level };
    let least = |parts: f64| match settings.method {
        Method::Auto | Method::Impulses => settings.min_step.max(frame / parts),
        _ => settings.min_step,
    };
    SubstepClock::new(span, level, calm, longest, [least(SHORTEST), least(SHORTEST_AGAIN)])
}

/// Longest substep of a frame of `span` seconds [s] after one that went as `quality` says: an eighth of the frame; a
/// quarter for heaps, which have small steps of their own, for what deforms and moves while nothing touches, where the
/// error is of second order (of rigid bodies a substep costs little), and for cloth and soft bodies of cells alone that move. There a substep costs most, and
/// what it leaves out is stretching to and fro. What is nearly at rest is watched more closely: what a solution is off
/// by would let it creep on.
fn longest_step(model: &Model, span: f64, heaped: bool, quality: Option<&Quality>) -> f64 {
    let settings = &model.scene.solver;
    let gives = model.rigids.is_empty() && model.matchings.is_empty() && model.segments.is_empty();
    let smooth = model.looks_back() && model.rigids.is_empty();
    let moves = |q: &Quality| {
        let well = if q.contacts.is_empty() { smooth } else { gives };
        well && q.fastest > 100.0 * settings.accuracy
    };
    let begins = || gives || smooth;
    let long = settings.method == Method::Auto && quality.map_or_else(begins, moves);
    let parts = if long || heaped { 4.0 } else { 8.0 };
    settings.fixed_step.unwrap_or(settings.step.unwrap_or(span).min(span / parts))
}

fn not_finite(time: f64) -> Failure {
    let message = format!("numbers ran out of range at {time:.4} s, even at the shortest step");
    Failure::Shot(
        crate::diagnostics::Diagnostic::error(message)
            .hint("look for a very stiff or very light material, or a curve that jumps"),
    )
}

/// Takes an accepted substep into the report, and lets constraints break and freeze.
fn commit(model: &Model, state: &mut State, report: &mut FrameReport, quality: &Quality) {
    report.steps += 1;
    report.rounds.push(quality.rounds);
    let mut events = Vec::new();
    for &(a, b, count, impulse) in &quality.contacts {
        report.touch(a as usize, b as usize, count, impulse);
        if let Err(at) = state.touched.binary_search(&(a, b)) {
            state.touched.insert(at, (a, b));
            events.push(StepEventKind::FirstTouch { a: a as usize, b: b as usize });
        }
    }
    report.depths.clone_from(&quality.depths);
    for &body in &quality.waiting {
        events.push(StepEventKind::Pinched { body });
    }
    for &constraint in &quality.open {
        events.push(StepEventKind::HeldOpen { constraint });
    }
    note_dents(state, report, quality);
    for (own, found) in state.constraints.iter_mut().zip(&quality.reactions) {
        (own.reaction, own.torque) = (found.force.length(), found.moment.length());
        own.apart = found.apart;
    }
    break_constraints(model, state, &quality.tensions, &mut events);
    model.shell.yield_creases(&state.positions, &mut state.creases);
    flow(model, state, quality.step);
    constraints::hold::freeze(model, state, &mut events);
    let time = state.time;
    for kind in events {
        report.note(time, kind);
    }
    report.pressed_in = report.pressed_in.max(quality.pressed_in);
    report.closest_approach = report.closest_approach.min(quality.closest);
}

/// Takes the dents of colliders into the report, of each pair of bodies the deepest of the frame.
fn note_dents(state: &State, report: &mut FrameReport, quality: &Quality) {
    for dent in &quality.dents {
        let (body, other, by) = (dent.body, dent.other, dent.by);
        let kind = StepEventKind::GaveWay { body, other, at: state.positions[dent.node], by };
        let event = StepEvent { time: state.time, kind };
        let known = report.events.iter_mut().find_map(|known| match known.kind {
            StepEventKind::GaveWay { body: b, other: o, by, .. } if (b, o) == (body, other) => {
                Some((by, known))
            }
            _ => None,
        });
        match known {
            Some((before, known)) if before < by => *known = event,
            Some(_) => {}
            None => report.events.push(event),
        }
    }
}

/// Lets solids yield to what they have been deformed to for `h` seconds.
fn flow(model: &Model, state: &mut State, h: f64) {
    for (t, plastic) in model.plastic_cells().zip(&mut state.plastic_cells) {
        let tet = &model.tets[t];
        if let Some(material) = &tet.plastic {
            *plastic = material.flow(&tet.deformation(&state.positions), plastic, h);
        }
    }
    for (matching, plastic) in model.matchings.iter().zip(&mut state.plastic_shapes) {
        *plastic = matching.flow(&state.positions, plastic, h);
    }
}

/// Breaks what bore more than it may; `tensions` of stitches are by their numbers [N], and what is not there bore its
/// multiplier.
fn break_constraints(
    model: &Model,
    state: &mut State,
    tensions: &[(usize, f64)],
    events: &mut Vec<StepEventKind>,
) {
    for (number, (stitch, own)) in model.stitches.iter().zip(&mut state.stitches).enumerate() {
        let known = tensions.binary_search_by_key(&number, |(number, _)| *number);
        let tension = known.map_or(own.lambda, |at| tensions[at].1);
        let constraint = &model.scene.constraints[stitch.constraint];
        let by_pairs = constraint.breaks_by_pairs();
        let limit = constraint.breaks_at.filter(|_| by_pairs);
        if !own.broken && own.length.is_some() && limit.is_some_and(|limit| tension > limit) {
            own.broken = true;
            own.lambda = 0.0;
            state.constraints[stitch.constraint].broken = true;
            events.push(StepEventKind::Broke { constraint: stitch.constraint });
        }
    }
    for (index, constraint) in model.scene.constraints.iter().enumerate() {
        let own = &mut state.constraints[index];
        let load = match &constraint.kind {
            ConstraintKind::Stitch { .. } | ConstraintKind::Tether { .. } => continue,
            ConstraintKind::Joint(joint) if joint.kind == JointKind::Angular => own.torque,
            _ => own.reaction,
        };
        if !own.released && constraint.breaks_at.is_some_and(|limit| load > limit) {
            (own.released, own.broken) = (true, true);
            events.push(StepEventKind::Broke { constraint: index });
        }
    }
}
