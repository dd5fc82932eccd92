//! Rest: a rigid body that has got nowhere for a while, as all that touches it has, is left as it is: at no cost where
//! nothing moves, and as a fixed one for what moves beside it. It wakes when something that moves touches it, when
//! what it carries changes, and when something acts on it.
//!
//! Only rigid bodies that lie on fixed ones, or on others that do, rest, and only under what does not change with
//! time. Where a body at rest turns out to have been touched, the frame is done again with it awake
//! ([`disturbed`]); what lies around it wakes in turn where that moves it. So of a heap that something falls on only that
//! wakes which feels it.

use super::groups::moves;
use super::model::{Model, ModelBody};
use super::part::{Outcome, Part};
use super::pose::Pose;
use super::report::{FrameReport, StepRegion};
use super::state::State;
use super::swept::{Swept, meeting};
use crate::math::Sets;
use crate::scene::Method;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How long a body must have got nowhere [s].
const WHILE: f64 = 0.25;

/// How much farther than it flies a body is expected to get.
pub(crate) const HASTE: f64 = 1.5;

/// How much of what a body at rest carries, or of its weight, may change while it rests.
const CHANGE: f64 = 0.1;

/// Since when, and from where, a rigid body has got nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Anchor {
    /// Script time [s].
    since: f64,
    pose: Pose,
    /// When it was disturbed last while it was at rest [s]: what is being shaken would fall asleep and wake by turns.
    woken: f64,
}

/// A body at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Resting {
    pub(crate) body: usize,
    /// What touched it in its last frame, by the other body.
    touches: Vec<Touch>,
}

/// A body that touches one at rest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Touch {
    other: usize,
    /// Touching places.
    count: u32,
    /// Normal force, its mean over the frame [N].
    force: f64,
    /// Deepest contact as a part of its contact distance, and smallest distance [m].
    pressed_in: f64,
    closest: f64,
}

impl Resting {
    /// That of `body`, if it is at rest.
    fn of(state: &State, body: usize) -> Option<&Self> {
        let at = state.resting.binary_search_by_key(&body, |resting| resting.body).ok()?;
        Some(&state.resting[at])
    }

    /// How `other` touched it when it came to rest, if it did.
    fn touch_of(&self, other: usize) -> Option<&Touch> {
        let at = self.touches.binary_search_by_key(&other, |touch| touch.other).ok()?;
        Some(&self.touches[at])
    }
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
    let own = |body: &ModelBody| body.free && body.rigid.is_some();
    let mut calm: Vec<bool> = model.bodies.iter().map(|body| unchanging && own(body)).collect();
    for body in scene.constraints.iter().flat_map(crate::scene::Constraint::bodies) {
        calm[body] = false;
    }
    calm
}

/// Of each body whether it is at rest.
pub(crate) fn at_rest(model: &Model, state: &State) -> Vec<bool> {
    let mut at_rest = vec![false; model.bodies.len()];
    state.resting.iter().for_each(|resting| at_rest[resting.body] = true);
    at_rest
}

/// Wakes the bodies at rest beside which something has moved or gone, those that given motions may come to, and those
/// that what moves is about to hit: `ahead` says where bodies may be until script time `end`. What is missed here is
/// found late ([`disturbed`]).
pub(crate) fn wake_changed(
    model: &Model,
    state: &mut State,
    there: &[bool],
    ahead: &[Swept],
    end: f64,
) {
    if state.resting.is_empty() {
        return;
    }
    let at_rest = at_rest(model, state);
    let is_still = |body: usize| {
        at_rest[body] || model.bodies[body].rigid.is_some_and(|rigid| is_still(state, rigid))
    };
    let mut wakes: Vec<bool> = there.iter().map(|there| !there).collect();
    for Resting { body, touches } in &state.resting {
        let stays = |other| there[other] && (!moves(model, other) || is_still(other));
        wakes[*body] |= touches.iter().any(|touch| !stays(touch.other));
    }
    let sides = |a: usize, b: usize| if at_rest[a] { (a, b) } else { (b, a) };
    let may_be_hit = |a: u32, b: u32| {
        let (body, other) = sides(a as usize, b as usize);
        let stands = at_rest[body] && !wakes[body];
        stands && there[other] && moves(model, other) && !is_still(other)
    };
    for [a, b] in meeting(ahead, may_be_hit) {
        let (body, other) = sides(a as usize, b as usize);
        if !wakes[body] && model.pair_collides(body, other) {
            wakes[body] = model.bodies[other].moved || comes_to(model, state, other, body, end);
        }
    }
    for body in (0..wakes.len()).filter(|body| at_rest[*body] && wakes[*body]) {
        wake(model, state, body);
    }
}

/// Whether `body` is to be expected where `other` stands by script time `end`: as boxes along the axes of either.
fn comes_to(model: &Model, state: &State, body: usize, other: usize, end: f64) -> bool {
    let nodes = |body: usize| model.bodies[body].nodes.clone();
    let meet_along = |axis: DVec3| {
        let mut ranges = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
        let mut add = |side: usize, place: DVec3, reach: f64| {
            let [low, high] = &mut ranges[side];
            (*low, *high) = (low.min(axis.dot(place) - reach), high.max(axis.dot(place) + reach));
        };
        for i in nodes(body) {
            let way = model.velocity(&state.velocities, i) * (HASTE * (end - state.time));
            add(0, state.positions[i], model.reach[i]);
            add(0, state.positions[i] + way, model.reach[i]);
        }
        nodes(other).for_each(|i| add(1, state.positions[i], model.reach[i]));
        let [own, others] = ranges;
        own[0] <= others[1] && others[0] <= own[1]
    };
    let along = |pose: &Pose| DVec3::AXES.iter().all(|axis| meet_along(pose.rotation * *axis));
    let own = model.bodies[body].rigid.is_none_or(|_| along(&state.poses[body]));
    own && along(&state.poses[other])
}

/// Wakes `body`, which is at rest, as it is disturbed.
pub(crate) fn wake(model: &Model, state: &mut State, body: usize) {
    state.resting.retain(|resting| resting.body != body);
    if let Some(rigid) = model.bodies[body].rigid {
        state.anchors[rigid].woken = state.time;
    }
}

/// Wakes `body` and forgets how long it has been where it is: something acts on it.
pub(crate) fn stir(model: &Model, state: &mut State, body: usize) {
    state.resting.retain(|resting| resting.body != body);
    if let Some(rigid) = model.bodies[body].rigid {
        state.anchors[rigid].since = state.time;
    }
}

/// Bodies at rest that cannot be left so until script time `end`, each after one that moves beside it: that one gets
/// somewhere while it touches it or carries it, or presses on it with another force than it did; or it is a given one
/// that has come near, which nothing keeps from going through what stands. `ahead` says where what rests is.
pub(crate) fn disturbed(
    model: &Model,
    state: &State,
    ready: &[(Part, Outcome)],
    ahead: &[Swept],
    end: f64,
) -> Vec<(usize, usize)> {
    let pull = model.scene.gravity.at(state.time).length();
    let mut found = Vec::new();
    for (part, outcome) in ready.iter().filter(|(part, _)| !part.standing.is_empty()) {
        let mut forces: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for &(a, b, _, impulse) in outcome.report.touches.iter().filter(|touch| touch.3 > 0.0) {
            let force = impulse / (end - state.time);
            forces.extend([((a, b), force), ((b, a), force)]);
        }
        let away: Vec<usize> =
            part.free().filter(|body| gets_away(model, state, outcome, *body, end)).collect();
        let own: BTreeSet<usize> = part.free().collect();
        let moved = |body: &usize| model.bodies[*body].moved;
        let given: Vec<usize> = part.bodies.iter().copied().filter(moved).collect();
        for &body in &part.standing {
            let resting = Resting::of(state, body).expect("what stands is at rest");
            let carried: f64 = resting.touches.iter().map(|touch| touch.force).sum();
            let mass = model.bodies[body].rigid.map_or(0.0, |rigid| model.rigids[rigid].mass);
            let most = CHANGE * carried.max(mass * pull);
            let before = resting.touches.iter().map(|touch| touch.other);
            let now = forces.range((body, 0)..(body + 1, 0)).map(|((_, other), _)| *other);
            let beside: BTreeSet<usize> = before.chain(now).filter(|b| own.contains(b)).collect();
            let disturbs = |other: &usize| {
                let force = forces.get(&(body, *other)).copied().unwrap_or(0.0);
                let before = resting.touch_of(*other).map_or(0.0, |touch| touch.force);
                away.binary_search(other).is_ok() || (force - before).abs() > most
            };
            let comes = |given: &usize| {
                part.swept(*given).meets(&ahead[body]) && model.pair_collides(*given, body)
            };
            let by = beside.into_iter().find(disturbs).or(given.iter().copied().find(comes));
            found.extend(by.map(|other| (other, body)));
        }
    }
    found.sort_unstable_by_key(|&(other, body)| (body, other));
    found.dedup_by_key(|pair| pair.1);
    found
}

/// Whether a free body has got somewhere lately by script time `end`, when a region came to `outcome`.
fn gets_away(model: &Model, state: &State, outcome: &Outcome, body: usize, end: f64) -> bool {
    let Some(number) = model.bodies[body].rigid else { return true };
    let anchor = &state.anchors[number];
    end - anchor.since < WHILE || has_left(model, number, anchor, &outcome.state.poses[body])
}

/// Whether a rigid body that is at `there` has got away from its anchor.
fn has_left(model: &Model, number: usize, anchor: &Anchor, there: &Pose) -> bool {
    let rigid = &model.rigids[number];
    let (from, to) = (rigid.corners(&anchor.pose), rigid.corners(there));
    from.iter().zip(&to).any(|(a, b)| a.distance(*b) > least(model))
}

/// How far a body may have moved in the while and has still got nowhere [m]: no farther than with half of a speed
/// that counts as none. What turns back with an acceleration of 0.02 m/s2 goes as far, at the usual accuracy.
pub(crate) fn least(model: &Model) -> f64 {
    0.5 * model.scene.solver.accuracy * WHILE
}

/// Whether a rigid body has got nowhere for a while.
pub(crate) fn is_still(state: &State, rigid: usize) -> bool {
    state.time - state.anchors[rigid].since >= WHILE
}

/// Where all rigid bodies begin.
pub(crate) fn anchors(model: &Model, state: &State) -> Vec<Anchor> {
    let anchor = |body: usize| Anchor {
        since: state.time,
        pose: state.poses[body],
        woken: f64::NEG_INFINITY,
    };
    model.rigids.iter().map(|rigid| anchor(rigid.body)).collect()
}

/// Looks how far rigid bodies have got, and lets those rest that have got nowhere, as all that touches them, and are
/// held up. `report` tells all that touched in the frame, which took `span` seconds.
pub(crate) fn settle_down(model: &Model, state: &mut State, report: &FrameReport, span: f64) {
    for (number, rigid) in model.rigids.iter().enumerate() {
        let there = state.poses[rigid.body];
        // What is not there yet has not been still.
        let is_there = model.scene.bodies[rigid.body].is_there(state.time);
        if !is_there || has_left(model, number, &state.anchors[number], &there) {
            let anchor = &mut state.anchors[number];
            (anchor.since, anchor.pose) = (state.time, there);
        }
    }
    let (calm, at_rest) = (calm(model), at_rest(model, state));
    let still = |body: usize| match model.bodies[body].rigid {
        Some(rigid) => at_rest[body] || is_still(state, rigid),
        None => !moves(model, body),
    };
    let still: Vec<bool> = (0..at_rest.len()).map(still).collect();
    let beside = beside(model, report, span);
    let held_up = held_up(model, &still, &beside);
    for (body, touches) in beside.into_iter().enumerate() {
        let calm = calm[body]
            && model.bodies[body]
                .rigid
                .is_some_and(|rigid| state.time - state.anchors[rigid].woken >= WHILE);
        let rests = calm && still[body] && held_up[body] && !at_rest[body];
        if rests && touches.iter().all(|touch| still[touch.other]) && is_slow(model, state, body) {
            state.velocities[model.bodies[body].movers.clone()].fill(DVec3::ZERO);
            state.resting.push(Resting { body, touches });
        }
    }
    state.resting.sort_by_key(|resting| resting.body);
}

/// Whether no node of a body is faster than a speed that counts as none: what has just begun to fall has not got
/// anywhere either. Impulses leave what their passes did not find as speed, in what gets nowhere as well.
fn is_slow(model: &Model, state: &State, body: usize) -> bool {
    let settings = &model.scene.solver;
    let speed = |i: usize| model.velocity(&state.velocities, i).length();
    settings.method == Method::Impulses
        || model.bodies[body].nodes.clone().all(|i| speed(i) <= settings.accuracy)
}

/// What presses on each body, by the other.
fn beside(model: &Model, report: &FrameReport, span: f64) -> Vec<Vec<Touch>> {
    let mut beside: Vec<Vec<Touch>> = vec![Vec::new(); model.bodies.len()];
    for &(a, b, count, impulse) in report.touches.iter().filter(|t| t.0 != t.1 && t.3 > 0.0) {
        let depth = report.depths.binary_search_by(|d| (d.0, d.1).cmp(&(a, b)));
        let (pressed_in, closest) =
            depth.map_or((0.0, f64::INFINITY), |at| (report.depths[at].2, report.depths[at].3));
        let touch = |other| Touch { other, count, force: impulse / span, pressed_in, closest };
        beside[a].push(touch(b));
        beside[b].push(touch(a));
    }
    for touches in &mut beside {
        touches.sort_by_key(|touch| touch.other);
    }
    beside
}

/// Of each body whether it lies on a fixed one, or on others that are `still` and do: what only floats by is slow,
/// but not at rest.
fn held_up(model: &Model, still: &[bool], beside: &[Vec<Touch>]) -> Vec<bool> {
    let mut held: Vec<bool> = (0..still.len()).map(|body| !moves(model, body)).collect();
    let mut todo: Vec<usize> = (0..held.len()).filter(|body| held[*body]).collect();
    while let Some(next) = todo.pop() {
        for touch in beside[next].iter().filter(|touch| still[touch.other]) {
            if !std::mem::replace(&mut held[touch.other], true) {
                todo.push(touch.other);
            }
        }
    }
    held
}

/// Adds what rested through a frame of `span` seconds to what is told of it: as one region what touches, and what
/// its bodies press with.
pub(crate) fn report(model: &Model, state: &State, report: &mut FrameReport, span: f64) {
    let at_rest = at_rest(model, state);
    let mut sets = Sets::new(at_rest.len());
    let knows = |body: usize, other: usize| {
        Resting::of(state, body).is_some_and(|resting| resting.touch_of(other).is_some())
    };
    for Resting { body, touches } in &state.resting {
        for touch in touches {
            let both = at_rest[touch.other];
            if both {
                sets.join(*body, touch.other);
            }
            // Each tells of what touched it when it came to rest: of two, the lower, or the one that knows of it.
            let tells = *body < touch.other || !knows(touch.other, *body);
            if !moves(model, touch.other) || both && tells {
                let (a, b) = (*body.min(&touch.other), *body.max(&touch.other));
                report.touch(a, b, touch.count, touch.force * span);
                report.pressed_in = report.pressed_in.max(touch.pressed_in);
                report.closest_approach = report.closest_approach.min(touch.closest);
            }
        }
    }
    let mut regions: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for Resting { body, .. } in &state.resting {
        regions.entry(sets.first_of(*body)).or_default().push(*body);
    }
    let region = |bodies| StepRegion { bodies, steps: 0, retakes: 0, fastest: 0.0 };
    report.regions.extend(regions.into_values().map(region));
    report.regions.sort_by(|a, b| a.bodies.cmp(&b.bodies));
}
