//! Which bodies can influence each other until the next frame. Regions that cannot meet are solved
//! apart, each with its own substeps; where two turn out to meet, they are joined and both done again
//! from the frame (timewarp, Mirtich 2000, within a frame).

use super::linear::chunks;
use super::linear::team::together;
use super::model::Model;
use super::part::{Outcome, Part, clear_gathered, sort_gathered};
use super::pose::Pose;
use super::report::{FrameReport, StepRegion, StepRetake, StepRetakeReason};
use super::rest;
use super::state::State;
use super::step::{Swept, advance_to};
use super::whereabouts::{Whereabouts, shape};
use super::{Failure, Simulation};
use rayon::prelude::*;
use std::sync::atomic::AtomicBool;

/// Places within a frame at which a given motion is looked at to bound it.
const LOOKS: u32 = 16;

/// Acceleration that bodies are expected to reach beyond their flight [m/s2]: twice the earth's.
const PULL: f64 = 20.0;

/// Advances the whole world to script time `end`, region by region.
pub(super) fn advance(
    simulation: &mut Simulation,
    end: f64,
    interrupted: &AtomicBool,
) -> Result<(), Failure> {
    let Simulation { model, state, report, scratch, parts } = simulation;
    let ahead = predicted(model, state, end);
    let there: Vec<bool> = model.scene.bodies.iter().map(|b| b.is_there(state.time)).collect();
    let all = there.iter().all(|there| *there);
    let mut groups = match (model.scene.solver.regions, all) {
        (true, _) => divide(model, &ahead, &there),
        (false, true) => Vec::new(),
        (false, false) => vec![(0..there.len()).filter(|b| there[*b]).collect()],
    };
    rest::wake_changed(state, &groups);
    if groups.len() < 2 && all && state.resting.is_empty() {
        parts.clear();
        let helpers = chunks::helpers(state.positions.len());
        together(helpers, || advance_to(model, state, report, scratch, end, interrupted))?;
        let bodies: Vec<usize> = (0..there.len()).filter(|b| model.bodies[*b].free).collect();
        if !bodies.is_empty() {
            let (steps, retakes) = (report.steps, report.retakes.len() as u32);
            report.regions = vec![StepRegion { bodies, steps, retakes, fastest: 0.0 }];
        }
        let everything = groups.iter().map(|group| (&group[..], &*report));
        rest::settle_down(model, state, everything);
        return Ok(());
    }
    groups.retain(|group| state.resting.iter().all(|resting| resting.bodies != *group));
    let mut ready: Vec<(Part, Outcome)> = Vec::new();
    let mut met: Vec<StepRetake> = Vec::new();
    loop {
        let mut todo: Vec<Part> = Vec::new();
        for group in &groups {
            if ready.iter().all(|(part, _)| part.bodies != *group) {
                let kept = parts.iter().position(|part| part.bodies == *group);
                todo.push(match kept {
                    Some(at) => parts.swap_remove(at),
                    None => Part::new(model, group.clone()),
                });
            }
        }
        let solve = |part: &mut Part| part.solve(model, state, end, interrupted);
        let all: usize = todo.iter().map(Part::size).sum();
        // What is larger than all others together is done with the help of all threads.
        let (alone, mut beside): (Vec<Part>, Vec<Part>) =
            todo.into_iter().partition(|part| 2 * part.size() > all);
        for mut part in alone {
            let outcome = together(chunks::helpers(part.size()), || solve(&mut part))?;
            ready.push((part, outcome));
        }
        let solved: Vec<Result<Outcome, Failure>> = beside.par_iter_mut().map(solve).collect();
        for (part, outcome) in beside.into_iter().zip(solved) {
            ready.push((part, outcome?));
        }
        ready.sort_by(|a, b| a.0.bodies.cmp(&b.0.bodies));
        let joined = meetings(model, &ready, &ahead, &there);
        if joined.is_empty() {
            break;
        }
        for (a, b) in joined {
            met.push(retake(model, state, end, &ready, a, b));
            groups.extend([a, b].into_iter().filter_map(|body| rest::wake(state, body)));
            connect(model, &mut groups, a, b);
        }
        let (stay, go): (Vec<_>, Vec<_>) =
            ready.into_iter().partition(|(part, _)| groups.contains(&part.bodies));
        ready = stay;
        parts.extend(go.into_iter().map(|(part, _)| part));
    }
    clear_gathered(model, state);
    for (part, outcome) in &ready {
        part.scatter(model, outcome, state);
    }
    sort_gathered(state);
    place_the_rest(model, state, &groups, end);
    state.time = end;
    add_reports(model, report, met, &ready);
    rest::report(model, state, report);
    let solved = ready.iter().map(|(part, outcome)| (&part.bodies[..], &outcome.report));
    rest::settle_down(model, state, solved);
    *parts = ready.into_iter().map(|(part, _)| part).collect();
    Ok(())
}

/// Boxes that bodies are expected to stay in until script time `end`, with room for half of their
/// contact distances.
fn predicted(model: &Model, state: &State, end: f64) -> Vec<Swept> {
    let dt = end - state.time;
    (0..model.bodies.len())
        .map(|b| {
            let body = &model.bodies[b];
            let mut swept = Swept::default();
            for i in body.nodes.clone() {
                let p = state.positions[i];
                swept.add(p, model.reach[i]);
                let still = body.rigid.is_some_and(|rigid| rest::is_still(state, rigid));
                if still {
                    swept.add(p, model.reach[i] + rest::least(model));
                } else if body.free {
                    // Half as far again as it flies. Where that is too little, the regions are joined late.
                    let v = model.velocity(&state.velocities, i);
                    swept.add(p + v * (1.5 * dt), model.reach[i] + PULL * dt * dt);
                }
            }
            if body.moved {
                bound_given(model, state, b, end, &mut swept);
            }
            swept
        })
        .collect()
}

/// Widens `swept` to where the curves of body `b` bring it until `end`; between two looks it goes no
/// farther out than from one to the next.
fn bound_given(model: &Model, state: &State, b: usize, end: f64, swept: &mut Swept) {
    let time_of =
        |look: u32| state.time + (end - state.time) * (f64::from(look) / f64::from(LOOKS));
    let nodes = model.bodies[b].nodes.clone();
    if model.bodies[b].deforms {
        let mut before = state.positions[nodes.clone()].to_vec();
        for look in 1..=LOOKS {
            let places = shape(&model.scene, b, time_of(look));
            for ((i, from), to) in nodes.clone().zip(&before).zip(&places) {
                swept.add(*to, model.reach[i] + from.distance(*to));
            }
            before = places;
        }
        return;
    }
    let mut before = state.poses[b];
    for look in 1..=LOOKS {
        let time = time_of(look);
        let pose = Pose::given(&model.scene, b, time);
        for i in nodes.clone() {
            let (from, to) = (before.place(model.rest[i]), pose.place(model.rest[i]));
            swept.add(to, model.reach[i] + from.distance(to));
        }
        before = pose;
    }
}

/// The groups of bodies that may influence each other, each sorted, in order. Given bodies that nothing
/// comes near are in none; fixed ones may be in several. Those that are not `there` are in none.
fn divide(model: &Model, ahead: &[Swept], there: &[bool]) -> Vec<Vec<usize>> {
    let count = model.bodies.len();
    let mut sets = Sets::new(count);
    // Moving bodies with fixed ones that belong to their groups.
    let mut beside: Vec<(usize, usize)> = Vec::new();
    for constraint in &model.scene.constraints {
        let present = constraint.bodies().into_iter().filter(|b| there[*b]);
        let (moving, fixed): (Vec<usize>, Vec<usize>) = present.partition(|&b| moves(model, b));
        for pair in moving.windows(2) {
            sets.join(pair[0], pair[1]);
        }
        if let Some(&first) = moving.first() {
            beside.extend(fixed.into_iter().map(|b| (first, b)));
        }
    }
    each_meeting(ahead, |a, b| {
        if !(there[a] && there[b] && model.pair_collides(a, b)) {
            return;
        }
        match (moves(model, a), moves(model, b)) {
            (true, true) => sets.join(a, b),
            (true, false) => beside.push((a, b)),
            (false, true) => beside.push((b, a)),
            (false, false) => {}
        }
    });
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); count];
    for body in (0..count).filter(|b| there[*b] && moves(model, *b)) {
        groups[sets.first_of(body)].push(body);
    }
    groups.iter_mut().filter(|g| g.iter().all(|b| !model.bodies[*b].free)).for_each(Vec::clear);
    for (body, fixed) in beside {
        let group = &mut groups[sets.first_of(body)];
        if !group.is_empty() {
            group.push(fixed);
        }
    }
    groups.retain(|group| !group.is_empty());
    for group in &mut groups {
        group.sort_unstable();
        group.dedup();
    }
    groups.sort();
    groups
}

/// Disjoint sets of bodies.
struct Sets {
    /// A lower body of the same set, or the body itself where it is the lowest.
    lower: Vec<usize>,
}

impl Sets {
    fn new(count: usize) -> Self {
        Self { lower: (0..count).collect() }
    }

    /// The lowest body of the set of `body`.
    fn first_of(&mut self, mut body: usize) -> usize {
        while self.lower[body] != body {
            self.lower[body] = self.lower[self.lower[body]];
            body = self.lower[body];
        }
        body
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first_of(a), self.first_of(b));
        self.lower[a.max(b)] = a.min(b);
    }
}

/// Calls `each` with all pairs of boxes that meet: they are swept along x.
fn each_meeting(boxes: &[Swept], mut each: impl FnMut(usize, usize)) {
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|&a, &b| boxes[a].lowest().total_cmp(&boxes[b].lowest()).then(a.cmp(&b)));
    for (k, &a) in order.iter().enumerate() {
        let reached = order[k + 1..].iter().take_while(|b| !boxes[**b].is_beyond(&boxes[a]));
        for &b in reached.filter(|b| boxes[**b].meets(&boxes[a])) {
            each(a, b);
        }
    }
}

/// Whether a body changes its place: what does not ties nothing together.
fn moves(model: &Model, body: usize) -> bool {
    model.bodies[body].free || model.bodies[body].moved
}

/// Puts the groups of bodies `a` and `b` together; a fixed body is added to the other's group.
fn connect(model: &Model, groups: &mut Vec<Vec<usize>>, a: usize, b: usize) {
    if moves(model, a) && moves(model, b) {
        return join(groups, a, b);
    }
    let (fixed, other) = if moves(model, a) { (b, a) } else { (a, b) };
    for group in groups.iter_mut().filter(|group| group.contains(&other)) {
        if let Err(at) = group.binary_search(&fixed) {
            group.insert(at, fixed);
        }
    }
}

/// Puts the groups of two bodies that move together.
fn join(groups: &mut Vec<Vec<usize>>, a: usize, b: usize) {
    let mut bodies = vec![a, b];
    groups.retain(|group| {
        let touched = group.contains(&a) || group.contains(&b);
        if touched {
            bodies.extend(group);
        }
        !touched
    });
    bodies.sort_unstable();
    bodies.dedup();
    groups.push(bodies);
    groups.sort();
}

/// Pairs of bodies of different regions that came near each other, and bodies of a region with given
/// ones, or such at rest, that it has not.
fn meetings(
    model: &Model,
    ready: &[(Part, Outcome)],
    ahead: &[Swept],
    there: &[bool],
) -> Vec<(usize, usize)> {
    // Bodies with the region that they were solved in, if any.
    let mut own: Vec<(Option<usize>, usize)> = Vec::new();
    let mut elsewhere = vec![false; model.bodies.len()];
    for (region, (part, _)) in ready.iter().enumerate() {
        for &body in part.bodies.iter().filter(|body| moves(model, **body)) {
            own.push((Some(region), body));
            elsewhere[body] = true;
        }
    }
    own.extend((0..elsewhere.len()).filter(|b| there[*b] && !elsewhere[*b]).map(|b| (None, b)));
    let swept = |&(region, body): &(Option<usize>, usize)| match region {
        Some(region) => ready[region].0.swept(body),
        None => ahead[body],
    };
    let boxes: Vec<Swept> = own.iter().map(swept).collect();
    let mut met = Vec::new();
    each_meeting(&boxes, |i, j| {
        let ((one, a), (other, b)) = (own[i], own[j]);
        let has = |region: Option<usize>, body: usize| {
            region.is_some_and(|r| ready[r].0.bodies.binary_search(&body).is_ok())
        };
        let apart = (one.is_some() || other.is_some()) && !has(one, b) && !has(other, a);
        if apart && model.pair_collides(a, b) {
            met.push((a.min(b), a.max(b)));
        }
    });
    met.sort_unstable();
    met
}

/// Puts given motions that no region has to where their curves bring them.
fn place_the_rest(model: &Model, state: &mut State, groups: &[Vec<usize>], end: f64) {
    let mut there: Option<Whereabouts> = None;
    for (index, body) in model.bodies.iter().enumerate() {
        if body.moved && groups.iter().all(|group| !group.contains(&index)) {
            let there = there.get_or_insert_with(|| Whereabouts::present(model, state));
            there.give(model, index, end);
            there.place(model, index, &mut state.positions);
            state.poses[index] = there.poses[index];
            state.obstacles[index].clear();
            state.pressed[index].clear();
        }
    }
}

/// What is noted of two regions that are joined and done again.
fn retake(
    model: &Model,
    state: &State,
    end: f64,
    ready: &[(Part, Outcome)],
    a: usize,
    b: usize,
) -> StepRetake {
    let concerned = || ready.iter().filter(|(p, _)| p.bodies.contains(&a) || p.bodies.contains(&b));
    let mut region: Vec<usize> = concerned()
        .flat_map(|(part, _)| part.bodies.iter().copied())
        .filter(|&body| model.bodies[body].free)
        .collect();
    region.sort_unstable();
    region.dedup();
    let steps = concerned().map(|(_, outcome)| outcome.report.steps).max().unwrap_or(0);
    let step = (end - state.time) / f64::from(steps.max(1));
    StepRetake {
        time: state.time,
        region,
        reason: StepRetakeReason::Met,
        between: [a.min(b), a.max(b)],
        step_before: step,
        step_after: step,
        steps_back: steps,
        seconds: end - state.time,
    }
}

/// Adds what happened in the regions, in order of time.
fn add_reports(
    model: &Model,
    report: &mut FrameReport,
    met: Vec<StepRetake>,
    ready: &[(Part, Outcome)],
) {
    let region = |(part, outcome): &(Part, Outcome)| {
        let joined = met.iter().filter(|r| part.bodies.contains(&r.between[0])).count();
        StepRegion {
            bodies: part.bodies.iter().copied().filter(|b| model.bodies[*b].free).collect(),
            steps: outcome.report.steps,
            retakes: (outcome.report.retakes.len() + joined) as u32,
            fastest: 0.0,
        }
    };
    report.regions = ready.iter().map(region).collect();
    report.retakes.extend(met);
    for (_, outcome) in ready {
        let own = &outcome.report;
        report.steps = report.steps.max(own.steps);
        report.retakes.extend(own.retakes.iter().cloned());
        report.events.extend(own.events.iter().cloned());
        report.closest_approach = report.closest_approach.min(own.closest_approach);
        report.pressed_in = report.pressed_in.max(own.pressed_in);
        report.rounds.extend(&own.rounds);
        report.effort.add(&own.effort);
        for &(a, b, count, impulse) in &own.touches {
            report.touch(a, b, count, impulse);
        }
    }
    report.retakes.sort_by(|a, b| a.time.total_cmp(&b.time));
    report.events.sort_by(|a, b| a.time.total_cmp(&b.time));
}
