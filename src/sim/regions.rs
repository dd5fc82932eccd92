//! Which bodies can influence each other until the next frame. Regions that cannot meet are solved
//! apart, each with its own substeps; where two turn out to meet, they are joined and both done again
//! from the frame (timewarp, Mirtich 2000, within a frame).

use super::groups::{connect, divide, moves};
use super::linear::chunks;
use super::linear::team::together;
use super::model::Model;
use super::part::{Begun, Outcome, Part, clear_gathered, sort_gathered};
use super::pose::Pose;
use super::recall::Recall;
use super::report::{FrameReport, StepRegion, StepRetake, StepRetakeReason};
use super::rest;
use super::separate;
use super::solved::Solved;
use super::state::State;
use super::step::advance_to;
use super::swept::{Swept, meeting};
use super::whereabouts::{Whereabouts, shape};
use super::{Attention, Failure, Simulation};
use rayon::prelude::*;

/// Places within a frame at which a given motion is looked at to bound it.
const LOOKS: u32 = 16;

/// Acceleration that bodies are expected to reach beyond their flight [m/s2]: twice the earth's.
const PULL: f64 = 20.0;

/// Advances the whole world to script time `end`, region by region.
pub(super) fn advance(
    simulation: &mut Simulation,
    end: f64,
    attention: Attention<'_>,
) -> Result<(), Failure> {
    separate::enforce_rules(simulation, end).map_err(Failure::Shot)?;
    let Simulation { model, state, report, scratch, parts, recall, .. } = simulation;
    let span = end - state.time;
    let ahead = predicted(model, state, end);
    let there: Vec<bool> = model.scene.bodies.iter().map(|b| b.is_there(state.time)).collect();
    let all = there.iter().all(|there| *there);
    rest::wake_changed(model, state, &there, &ahead, end);
    let mut at_rest = rest::at_rest(model, state);
    let mut late: Vec<(usize, usize)> = Vec::new();
    let mut groups = divided(model, &ahead, &there, &at_rest, &late);
    if groups.len() < 2 && all && state.resting.is_empty() {
        parts.clear();
        let helpers = chunks::helpers(state.positions.len());
        together(helpers, || advance_to(model, state, report, scratch, end, attention))?;
        let bodies: Vec<usize> = (0..there.len()).filter(|b| model.bodies[*b].free).collect();
        if !bodies.is_empty() {
            let (steps, retakes) = (report.steps, report.retakes.len() as u32);
            report.regions = vec![StepRegion { bodies, steps, retakes, fastest: 0.0 }];
        }
        rest::settle_down(model, state, report, span);
        return Ok(());
    }
    let mut ready: Vec<(Part, Outcome)> = Vec::new();
    let mut met: Vec<StepRetake> = Vec::new();
    loop {
        let mut todo: Vec<Part> = Vec::new();
        for group in &groups {
            if !ready.iter().any(|(part, _)| part.is_of(group, &at_rest)) {
                let kept = parts.iter().position(|part| part.is_of(group, &at_rest));
                todo.push(if let Some(at) = kept {
                    parts.swap_remove(at)
                } else {
                    let concern = recall.as_mut().map(|r| r.concern(model, group));
                    Part::new(model, group.clone(), &at_rest, &state.heaped, concern)
                });
            }
        }
        let begin = |part: Part| {
            let begun = part.begin(model, state, end);
            (part, begun)
        };
        let begun: Vec<(Part, Begun)> = todo.into_par_iter().map(begin).collect();
        let begun = take_over(recall.as_mut(), begun, &mut ready);
        for (part, outcome, solved) in solve(begun, end, attention)? {
            if let (Some(recall), Some(solved)) = (recall.as_mut(), solved) {
                recall.note(solved);
            }
            ready.push((part, outcome));
        }
        ready.sort_by(|a, b| a.0.bodies.cmp(&b.0.bodies));
        let joined = meetings(model, &ready, &ahead, &there, &at_rest);
        let disturbed = rest::disturbed(model, state, &ready, &ahead, end);
        if joined.is_empty() && disturbed.is_empty() {
            break;
        }
        met.extend(joined.iter().chain(&disturbed).map(|&(a, b)| retake(state, end, &ready, a, b)));
        for &(_, body) in &disturbed {
            rest::wake(model, state, body);
        }
        late.extend(joined);
        at_rest = rest::at_rest(model, state);
        groups = divided(model, &ahead, &there, &at_rest, &late);
        let (stay, go): (Vec<_>, Vec<_>) = ready
            .into_iter()
            .partition(|(part, _)| groups.iter().any(|group| part.is_of(group, &at_rest)));
        ready = stay;
        parts.extend(go.into_iter().map(|(part, _)| part));
    }
    clear_gathered(model, |body| there[body] && (at_rest[body] || !moves(model, body)), state);
    for (part, outcome) in &ready {
        part.scatter(model, outcome, state);
    }
    sort_gathered(state);
    place_the_rest(model, state, &groups, end);
    state.time = end;
    add_reports(report, met, &ready);
    rest::report(model, state, report, span);
    rest::settle_down(model, state, report, span);
    *parts = ready.into_iter().map(|(part, _)| part).collect();
    Ok(())
}

/// The groups that are solved apart, those of the pairs that have met `late` together.
fn divided(
    model: &Model,
    ahead: &[Swept],
    there: &[bool],
    at_rest: &[bool],
    late: &[(usize, usize)],
) -> Vec<Vec<usize>> {
    if !model.scene.solver.regions {
        let all = there.iter().all(|there| *there);
        let present = || (0..there.len()).filter(|b| there[*b]).collect();
        return if all { Vec::new() } else { vec![present()] };
    }
    let moving: Vec<bool> =
        (0..there.len()).map(|b| there[b] && !at_rest[b] && moves(model, b)).collect();
    let mut groups = divide(model, ahead, there, &moving);
    for &(a, b) in late {
        connect(&moving, &mut groups, a, b);
    }
    groups
}

/// Takes over the outcomes of those parts for which they are known; returns the others.
fn take_over(
    recall: Option<&mut Recall>,
    begun: Vec<(Part, Begun)>,
    ready: &mut Vec<(Part, Outcome)>,
) -> Vec<(Part, Begun)> {
    let Some(recall) = recall else { return begun };
    let known: Vec<_> = begun.par_iter().map(|(part, begun)| recall.outcome(part, begun)).collect();
    let mut others = Vec::new();
    for ((mut part, begun), known) in begun.into_iter().zip(known) {
        let Some((outcome, swept)) = known else {
            others.push((part, begun));
            continue;
        };
        part.set_swept(&swept);
        recall.took_over(&part, &begun);
        ready.push((part, outcome));
    }
    others
}

/// A part, what it came to, and what is to be kept of that.
type Done = (Part, Outcome, Option<Solved>);

/// Solves parts to script time `end`.
fn solve(
    begun: Vec<(Part, Begun)>,
    end: f64,
    attention: Attention<'_>,
) -> Result<Vec<Done>, Failure> {
    let one = |(mut part, begun): (Part, Begun)| {
        let (outcome, solved) = part.solve(&begun, end, attention)?;
        Ok((part, outcome, solved))
    };
    let all: usize = begun.iter().map(|(part, _)| part.size()).sum();
    // What is larger than all others together is done with the help of all threads.
    let (alone, beside): (Vec<_>, Vec<_>) =
        begun.into_iter().partition(|(part, _)| 2 * part.size() > all);
    let mut done: Vec<Done> = Vec::new();
    for pair in alone {
        done.push(together(chunks::helpers(pair.0.size()), || one(pair))?);
    }
    let others: Vec<Result<Done, Failure>> = beside.into_par_iter().map(one).collect();
    others.into_iter().try_for_each(|one| one.map(|one| done.push(one)))?;
    Ok(done)
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
                    // Where that is too little, the regions are joined late.
                    let v = model.velocity(&state.velocities, i);
                    swept.add(p + v * (rest::HASTE * dt), model.reach[i] + PULL * dt * dt);
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

/// Pairs of bodies of different regions that came near each other, and bodies of a region with given
/// ones, or such at rest, that it has not.
fn meetings(
    model: &Model,
    ready: &[(Part, Outcome)],
    ahead: &[Swept],
    there: &[bool],
    at_rest: &[bool],
) -> Vec<(usize, usize)> {
    // Bodies with the region that they were solved in, if any.
    let mut own: Vec<(Option<usize>, usize)> = Vec::new();
    let mut elsewhere = vec![false; model.bodies.len()];
    for (region, (part, _)) in ready.iter().enumerate() {
        for &body in part.bodies.iter().filter(|b| moves(model, **b) && !at_rest[**b]) {
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
    let strangers = |i: u32, j: u32| {
        let ((one, a), (other, b)) = (own[i as usize], own[j as usize]);
        let has = |region: Option<usize>, body: usize| {
            region.is_some_and(|r| ready[r].0.bodies.binary_search(&body).is_ok())
        };
        let apart = (one.is_some() || other.is_some()) && !has(one, b) && !has(other, a);
        apart && model.pair_collides(a, b)
    };
    let met = meeting(&boxes, strangers).into_iter();
    let bodies = |pair: [u32; 2]| pair.map(|i| own[i as usize].1);
    let mut met: Vec<_> = met.map(bodies).map(|[a, b]| (a.min(b), a.max(b))).collect();
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

/// What is noted of two regions that are joined and done again, or of one whose body disturbs another at rest.
fn retake(state: &State, end: f64, ready: &[(Part, Outcome)], a: usize, b: usize) -> StepRetake {
    let concerned = || ready.iter().filter(|(p, _)| p.bodies.contains(&a) || p.bodies.contains(&b));
    let mut region: Vec<usize> = concerned().flat_map(|(part, _)| part.free()).collect();
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
fn add_reports(report: &mut FrameReport, met: Vec<StepRetake>, ready: &[(Part, Outcome)]) {
    let region = |(part, outcome): &(Part, Outcome)| {
        let has = |retake: &&StepRetake| retake.between.iter().all(|b| part.bodies.contains(b));
        let joined = met.iter().filter(has).count();
        StepRegion {
            bodies: part.free().collect(),
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
        report.depths.extend(&own.depths);
        for &(a, b, count, impulse) in &own.touches {
            report.touch(a, b, count, impulse);
        }
    }
    report.retakes.sort_by(|a, b| a.time.total_cmp(&b.time));
    report.events.sort_by(|a, b| a.time.total_cmp(&b.time));
    report.depths.sort_by_key(|depth| (depth.0, depth.1));
}
