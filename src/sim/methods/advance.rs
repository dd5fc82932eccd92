//! The base goes after the iterate: as far as the guard allows, with the candidates that this needs.

use super::bench::{Quality, Workbench};
use super::{dents, given};
use crate::scene::Guard;
use crate::sim::cage;
use crate::sim::collision::candidates::Candidates;
use crate::sim::collision::contact::{Pairs, is_missing_rows};
use crate::sim::linear::chunks;
use crate::sim::model::Model;
use crate::sim::pose::Pose;
use crate::sim::state::State;
use glam::DVec3;

/// Closest points of all pairs at the base; pairs that do not come near on the way to the iterate are only
/// told to be far.
pub(super) fn measure(model: &Model, bench: &mut Workbench) {
    let Workbench { candidates, base, z, .. } = bench;
    let way = chunks::list(z.len(), |i| z[i] - base[i]);
    candidates.measure_near(base, |pair| {
        pair.sum_of_longest(&model.reach) + pair.longest_difference(&way)
    });
}

/// Legs in which the base goes after the iterate in one round.
const MOST_LEGS: u32 = 4;

/// Brings the base to the iterate as far as the guard allows. Nodes that come to the end of the box in which
/// their candidates hold go on with others. False where the base comes within `enough` of the
/// iterate [m] and such others press there that have no row.
///
/// The `first` time in a substep candidates are sought anew where they do not hold for the way there, which is known
/// only now. Where the first solution did not know what is on it and runs into something, nothing goes: what stays behind
/// while all else goes is torn off, sweeps over much, and costs more to guard than another solution that knows.
pub(super) fn advance(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    wanted: &[Pose],
    first: bool,
    enough: f64,
    quality: &mut Quality,
) -> bool {
    let mut targets = wanted.to_vec();
    for rigid in &model.rigids {
        targets[rigid.body] = rigid.fit(&bench.z);
    }
    if first || bench.candidates.any_moves() {
        refresh_candidates(model, bench, true);
        measure(model, bench);
    }
    if first && !looks_ahead(model) && !may_all_go(model, state, bench, &targets) {
        return false;
    }
    for leg in 1..=MOST_LEGS {
        let whole = go_together(model, state, bench, &targets, quality);
        if !whole {
            find_wishes(model, &state.poses, &targets, bench);
            advance_base(model, state, bench, &targets, quality);
        }
        let on = bench.allowed.left_box;
        if on {
            refresh_candidates(model, bench, false);
        }
        let looks = first || whole || leg > 1;
        if on || looks {
            measure(model, bench);
        }
        if !on && looks && quality.held_back <= enough {
            let Workbench { candidates, base, potential, inverse_mass, rows, .. } = bench;
            let start = &potential.start;
            let pairs = Pairs { candidates, base, start };
            return !is_missing_rows(model, &pairs, base, inverse_mass, rows);
        }
        if !on {
            break;
        }
    }
    true
}

/// Part of its predicted way by which a node may end elsewhere before candidates are sought again: less where
/// its box goes along, since neighbours that move alike would all be candidates otherwise.
const SLACK_ON_THE_WAY: f64 = 0.25;
const SLACK_BESIDE_IT: f64 = 0.005;

/// The same as a part of its half thickness: more, and neighbours in fine cloth are candidates though they lie flat;
/// less, and nodes leave their boxes.
const SLACK_OF_THICKNESS: f64 = 0.05;

/// Most of it, where boxes go along, as a part of the shortest edge at a node of what may touch itself: pairs that are
/// no farther apart at rest than this would be candidates always.
const SLACK_OF_SPACING: f64 = 0.02;

/// Motion that a node may have beside its predicted one, of which `part` counts, before candidates are sought
/// again [m].
fn slack(model: &Model, node: usize, predicted: f64, part: f64) -> f64 {
    // What lies on the axis about which its body turns stays, but for rounding.
    let may_move = || model.bodies[model.surface.body_of_node[node] as usize].moved;
    if node < model.carried_end || predicted > 0.0 || may_move() {
        SLACK_OF_THICKNESS * (model.half_thickness[node] + crate::sim::model::SKIN)
            + part * predicted
    } else {
        0.0
    }
}

/// Whether the first solution of a substep knows what is on the way that is foreseen. Otherwise it makes do with the
/// candidates of the substep before: those on its own way are sought when it is known, and what it runs into is a row of
/// the next round. Solids roll from face to face, and would slip on those that are missing; without the guard there may
/// be no other round.
pub(super) fn looks_ahead(model: &Model) -> bool {
    let guarded = model.scene.solver.guard == Guard::Enforce;
    !model.rigids.is_empty() || !model.tets.is_empty() || !guarded
}

/// Makes the candidates hold for the way from the start of the substep to where the solution is sought,
/// and a little beyond.
pub(super) fn find_candidates(model: &Model, state: &State, bench: &mut Workbench) {
    let x = &state.positions;
    let holds = |candidates: &Candidates, z: &[DVec3], i: usize| {
        let beyond = if candidates.moves(i) { 1.0 } else { 1.1 };
        candidates.starts(i, x[i]) && candidates.holds(i, x[i] + (z[i] - x[i]) * beyond)
    };
    let all = !bench.candidates_hold;
    bench.candidates_hold = true;
    seek(model, bench, x, all, true, holds);
}

/// Makes the candidates hold for the way from the base to the iterate, on which boxes go along where they are `moving`.
fn refresh_candidates(model: &Model, bench: &mut Workbench, moving: bool) {
    let base = std::mem::take(&mut bench.base);
    let holds = |candidates: &Candidates, z: &[DVec3], i: usize| {
        candidates.starts(i, base[i]) && candidates.holds(i, z[i])
    };
    seek(model, bench, &base, false, moving, holds);
    bench.base = base;
}

/// Makes the candidates hold where the base has come to without a guard.
pub(super) fn follow_candidates(model: &Model, bench: &mut Workbench) {
    bench.candidates.stand();
    refresh_candidates(model, bench, false);
}

/// Seeks the candidates of nodes whose boxes do not hold; those of all nodes where these are many. The new
/// boxes go along where `moving` says so.
fn seek(
    model: &Model,
    bench: &mut Workbench,
    from: &[DVec3],
    all: bool,
    moving: bool,
    holds: impl Fn(&Candidates, &[DVec3], usize) -> bool + Sync + Send,
) {
    let Workbench { finder, candidates, z, .. } = bench;
    if all && model.nothing_touches() {
        candidates.hold_everywhere(from);
        return;
    }
    let (known, to) = (&*candidates, &*z);
    let mut anew = chunks::list(z.len(), |i| all || !holds(known, to, i));
    let count = anew.iter().filter(|anew| **anew).count();
    if count == 0 {
        return;
    }
    let all = all || 2 * count > model.free_count;
    if all {
        anew.fill(true);
        candidates.make_room(z.len());
    }
    for i in (0..z.len()).filter(|i| anew[*i]) {
        let way = z[i].distance(from[i]);
        let deforms = model.bodies[model.surface.body_of_node[i] as usize].deforms;
        if moving && !deforms {
            let slack = slack(model, i, way, SLACK_BESIDE_IT);
            let most = SLACK_OF_SPACING * model.spacing[i];
            candidates.set_moving_box(i, from[i], z[i], slack.min(most));
        } else {
            candidates.set_box(i, from[i], z[i], slack(model, i, way, SLACK_ON_THE_WAY));
        }
    }
    finder.find_near(model, from, (!all).then_some(&anew), candidates);
}

/// Gives nodes that do not go with the others, though their candidates are found for that, such as hold while they
/// stay; whether there are any.
fn let_stay(model: &Model, bench: &mut Workbench) -> bool {
    let Workbench { together, finder, candidates, base, z, .. } = bench;
    let stays = |i: usize| !together.goes[i] && candidates.moves(i);
    let anew: Vec<bool> = (0..base.len()).map(stays).collect();
    if !anew.contains(&true) {
        return false;
    }
    for i in (0..base.len()).filter(|i| anew[*i]) {
        let slack = slack(model, i, z[i].distance(base[i]), SLACK_ON_THE_WAY);
        candidates.set_box(i, base[i], z[i], slack);
    }
    finder.find_near(model, base, Some(&anew), candidates);
    measure(model, bench);
    true
}

/// Whether all could go from the base to the iterate at once, bodies that deform as well.
fn may_all_go(model: &Model, state: &State, bench: &mut Workbench, targets: &[Pose]) -> bool {
    find_wishes(model, &state.poses, targets, bench);
    let Workbench { together, candidates, base, z, ways, .. } = bench;
    together.all_go(candidates, base, z, ways, model.floor)
}

/// Brings what may go the whole way at once from the base to the iterate there; whether that is all.
fn go_together(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    targets: &[Pose],
    quality: &mut Quality,
) -> bool {
    find_wishes(model, &state.poses, targets, bench);
    // Given motions that press something in too deep are left to the guard, which notes that they lag.
    let presses = |index: usize| match &model.bodies[index] {
        body if body.deforms => dents::presses_too_deep(model, bench, index),
        body => body.moved && given::crushes(model, bench, index, &targets[index]).is_some(),
    };
    let presses: Vec<bool> = (0..model.bodies.len()).map(presses).collect();
    loop {
        let Workbench { together, candidates, base, z, ways, .. } = bench;
        let bodies = &model.surface.body_of_node;
        let stays = |body: usize| model.bodies[body].deforms || presses[body];
        let may = |i: usize| ways[i] == 0.0 || !stays(bodies[i] as usize);
        together.find(candidates, base, z, ways, model.floor, may);
        if !let_stay(model, bench) {
            break;
        }
    }
    let Workbench { together, candidates, base, z, ways, .. } = bench;
    candidates.stand();
    let goes = &together.goes;
    for i in (0..model.point_count).filter(|i| goes[*i]) {
        base[i] = z[i];
    }
    cage::follow(model, base);
    for (index, body) in model.bodies.iter().enumerate() {
        if !goes[body.nodes.start] {
            continue;
        }
        if body.moved && !body.deforms {
            given::place(model, index, &targets[index], base);
        } else if let Some(rigid) = body.rigid {
            model.rigids[rigid].place(model, &targets[index], base);
        } else {
            continue;
        }
        state.poses[index] = targets[index];
    }
    let whole = together.all_arrive(ways) && !presses.contains(&true);
    if whole {
        state.poses.copy_from_slice(targets);
        bench.allowed.left_box = false;
        quality.held_back = 0.0;
        quality.lagging.clear();
    } else {
        measure(model, bench);
    }
    whole
}

/// What each node has before it from the base to the iterate, and how far it may be from the base while all
/// bodies go parts of their ways: points on straight ways, bodies that keep their shape from `poses` to
/// `targets`, cages with each node a part of its own.
fn find_wishes(model: &Model, poses: &[Pose], targets: &[Pose], bench: &mut Workbench) {
    let Workbench { base, z, wish, ways, .. } = bench;
    chunks::fill(z.len(), wish, |i| z[i] - base[i]);
    chunks::map(wish, ways, |_, w| w.length());
    cage::add_ways(model, wish, ways);
    for (index, body) in model.bodies.iter().enumerate() {
        let (from, to) = (&poses[index], &targets[index]);
        if from != to && !body.deforms {
            for i in body.nodes.clone() {
                ways[i] = from.way(to, body.pivot, model.rest[i]);
            }
        }
    }
}

/// Brings the base towards the iterate as far as the guard allows.
fn advance_base(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    targets: &[Pose],
    quality: &mut Quality,
) {
    let Workbench { allowed, candidates, base, wish, ways, z, .. } = bench;
    allowed.find(model, candidates, base, wish, ways, model.floor);
    allowed.sort_limits();
    cage::cut_short(model, allowed, candidates, base, wish);
    quality.held_back = 0.0;
    for i in 0..model.point_count {
        let lost = wish[i].length() * (1.0 - allowed.fraction[i]);
        if lost > quality.held_back {
            quality.held_back = lost;
            quality.held_bodies =
                [model.surface.body_of_node[i], allowed.by[i]].map(|b| b as usize);
        }
        base[i] =
            if allowed.fraction[i] >= 1.0 { z[i] } else { base[i] + wish[i] * allowed.fraction[i] };
    }
    cage::follow(model, base);
    quality.lagging.clear();
    for (index, body) in model.bodies.iter().enumerate() {
        let from = state.poses[index];
        let (pose, other) = if body.deforms {
            if dents::advance_shape(model, bench, index) {
                quality.lagging.push(index);
            }
            (targets[index], None)
        } else if body.moved {
            let (pose, other) = given::advance(model, bench, index, &from, &targets[index]);
            if other.is_some() {
                quality.lagging.push(index);
            }
            given::place(model, index, &pose, &mut bench.base);
            (pose, other)
        } else if let Some(rigid) = body.rigid {
            let rigid = &model.rigids[rigid];
            let (pose, other) = given::carry(model, bench, index, &from, &targets[index]);
            rigid.place(model, &pose, &mut bench.base);
            (pose, other)
        } else {
            continue;
        };
        state.poses[index] = pose;
        let lost = |i: usize| bench.z[i].distance(bench.base[i]);
        let most = body.nodes.clone().map(lost).fold(0.0, f64::max);
        if most > quality.held_back {
            quality.held_back = most;
            quality.held_bodies = [index, other.unwrap_or(index)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{TriMesh, primitives};
    use crate::math::random;
    use crate::math::rotation;
    use crate::scene::{BodyKind, Mass, Rigid};
    use crate::scenes;
    use crate::sim::Simulation;
    use crate::sim::separate::crossing_bodies;
    use glam::DQuat;

    /// What knew nothing of the ball on its way goes nowhere, and what knows of it as far as it may.
    #[test]
    fn a_first_solution_that_runs_into_something_unknown_tears_nothing_off() {
        let scene = scenes::sheet_on_ball(9);
        let started = Simulation::start(&scene).map_err(|p| format!("{p:?}")).unwrap();
        let Simulation { model, mut state, .. } = started.simulation;
        let finder = crate::sim::collision::finder::Finder::new(&model.surface, &state.positions);
        let mut bench = Workbench::new(&model, finder);
        bench.base = state.positions.clone();
        bench.z = state.positions.clone();
        find_candidates(&model, &state, &mut bench);
        bench.potential.start = state.positions.clone();
        for place in &mut bench.z[..model.point_count] {
            place.y -= 0.2;
        }
        let poses = state.poses.clone();
        let mut quality = Quality::default();
        let mut gone = |first: bool| {
            let known = advance(&model, &mut state, &mut bench, &poses, first, 1e-6, &mut quality);
            let has_gone = |i: &usize| bench.base[*i] != state.positions[*i];
            (known, (0..model.point_count).filter(has_gone).count())
        };
        assert_eq!(gone(true), (false, 0));
        let (_, moved) = gone(false);
        state.positions.copy_from_slice(&bench.base);
        assert!(moved > 0 && crossing_bodies(&model, &state, &mut bench.finder).is_empty());
    }

    /// Boxes that did not hold a pole that rounding moves kept all of a turning body where it was.
    #[test]
    fn a_body_may_turn_about_its_own_vertices_by_any_part() {
        let mut scene = scenes::empty("poles", 1.0);
        let capsule = primitives::Capsule { radius: 0.09, height: 0.7, ..Default::default() };
        let capsule = capsule.build().expect("a good capsule");
        scenes::add(&mut scene, "capsule", capsule, BodyKind::Collider);
        let started = Simulation::start(&scene).map_err(|p| format!("{p:?}")).unwrap();
        let Simulation { mut model, state, .. } = started.simulation;
        model.bodies[0].moved = true;
        let finder = crate::sim::collision::finder::Finder::new(&model.surface, &state.positions);
        let mut bench = Workbench::new(&model, finder);
        let turned = |angle: f64| Pose {
            translation: DVec3::new(0.0, 0.35, 0.0),
            rotation: rotation::from_axis_angle(DVec3::Y, angle),
        };
        for step in 0..50 {
            let [from, to] = [step, step + 1].map(|k| turned(0.05 * f64::from(k)));
            let at = |pose: &Pose| model.rest.iter().map(|p| pose.place(*p)).collect::<Vec<_>>();
            (bench.base, bench.z) = (at(&from), at(&to));
            bench.candidates.set_boxes(&bench.base, &bench.base, |_| 0.0);
            refresh_candidates(&model, &mut bench, false);
            for part in [0.125, 0.25, 0.5, 0.75] {
                let there = at(&from.toward(&to, part, model.bodies[0].pivot));
                let inside = (0..there.len()).all(|i| bench.candidates.holds(i, there[i]));
                assert!(inside, "step {step}, part {part}");
            }
        }
    }

    /// Bars of a comb, and a stick that lies well away from its mesh's origin.
    fn stick_in_a_comb() -> Simulation {
        let mut scene = scenes::empty("comb", 1.0);
        let slab = |size: DVec3, center: DVec3| -> TriMesh {
            primitives::Box { size, center, ..Default::default() }.build().expect("a good box")
        };
        for k in 0..4 {
            let bar = slab(DVec3::new(0.02, 0.6, 0.02), DVec3::new(0.11 * f64::from(k), 0.0, 0.0));
            scenes::add(&mut scene, &format!("bar{k}"), bar, BodyKind::Collider);
        }
        let stick = slab(DVec3::new(0.05, 0.3, 0.04), DVec3::new(0.5, 0.2, 1.0));
        let settings = Rigid { mass: Mass::Total(1.0), restitution: 0.0, hull: Vec::new() };
        scenes::add(&mut scene, "stick", stick, BodyKind::Rigid(settings));
        Simulation::start(&scene).map_err(|p| format!("{p:?}")).unwrap().simulation
    }

    /// Whatever stops a body while it turns, it comes through nothing, neither at once nor in several goes.
    #[test]
    fn what_is_stopped_while_it_turns_crosses_nothing() {
        let simulation = stick_in_a_comb();
        let (model, mut state) = (simulation.model, simulation.state);
        let finder = crate::sim::collision::finder::Finder::new(&model.surface, &state.positions);
        let mut bench = Workbench::new(&model, finder);
        let (index, rigid) = (model.rigids[0].body, model.rigids[0].clone());
        let mut random = random::centred(5);
        let mut anywhere = |turn: f64, way: f64, from: &Pose, center: DVec3| {
            let axis = DVec3::new(random(), random(), random()).normalize();
            let rotation = rotation::from_axis_angle(axis, turn * random()) * from.rotation;
            let shift = DVec3::new(random(), random(), random()) * way;
            Pose { translation: center + shift - rotation * rigid.center, rotation }
        };
        let still = Pose { translation: DVec3::ZERO, rotation: DQuat::IDENTITY };
        let mut stopped = 0;
        for trial in 0..3000 {
            let start = anywhere(6.0, 0.4, &still, DVec3::new(0.16, 0.0, 0.0));
            let end = anywhere(2.0, 0.3, &start, start.place(rigid.center));
            state.poses[index] = start;
            bench.base = state.positions.clone();
            rigid.place(&model, &start, &mut bench.base);
            state.positions.copy_from_slice(&bench.base);
            if !crossing_bodies(&model, &state, &mut bench.finder).is_empty() {
                continue;
            }
            bench.z = state.positions.clone();
            rigid.place(&model, &end, &mut bench.z);
            bench.candidates_hold = false;
            find_candidates(&model, &state, &mut bench);
            let mut quality = Quality::default();
            for _ in 0..3 {
                measure(&model, &mut bench);
                let mut targets = state.poses.clone();
                targets[index] = rigid.fit(&bench.z);
                if !go_together(&model, &mut state, &mut bench, &targets, &mut quality) {
                    find_wishes(&model, &state.poses, &targets, &mut bench);
                    advance_base(&model, &mut state, &mut bench, &targets, &mut quality);
                }
                refresh_candidates(&model, &mut bench, false);
                state.positions.copy_from_slice(&bench.base);
                let crossing = crossing_bodies(&model, &state, &mut bench.finder);
                assert!(crossing.is_empty(), "trial {trial}: {crossing:?}");
            }
            stopped += u32::from(quality.held_back > 0.0);
        }
        assert!(stopped > 100, "only {stopped} were stopped");
    }

    /// Three bricks, a skin apart one on the other.
    fn stack() -> Simulation {
        let mut scene = scenes::empty("stack", 1.0);
        for k in 0..3 {
            let (size, center) =
                (DVec3::new(0.3, 0.1, 0.2), DVec3::new(0.0, 0.1002 * f64::from(k), 0.0));
            let brick = primitives::Box { size, center, ..Default::default() };
            let settings = Rigid { mass: Mass::Total(1.0), restitution: 0.0, hull: Vec::new() };
            let brick = brick.build().expect("a good box");
            scenes::add(&mut scene, &format!("brick{k}"), brick, BodyKind::Rigid(settings));
        }
        Simulation::start(&scene).map_err(|p| format!("{p:?}")).unwrap().simulation
    }

    /// Sends the bricks of a stack to the poses that `to` says, in one go together; whether all got there,
    /// and what crosses then.
    fn sent_together(to: impl Fn(usize) -> Pose) -> (bool, Vec<(usize, usize)>) {
        let Simulation { model, mut state, .. } = stack();
        let finder = crate::sim::collision::finder::Finder::new(&model.surface, &state.positions);
        let mut bench = Workbench::new(&model, finder);
        bench.base = state.positions.clone();
        bench.z = state.positions.clone();
        let targets: Vec<Pose> = (0..3).map(to).collect();
        for rigid in &model.rigids {
            rigid.place(&model, &targets[rigid.body], &mut bench.z);
        }
        find_candidates(&model, &state, &mut bench);
        measure(&model, &mut bench);
        let mut quality = Quality::default();
        let whole = go_together(&model, &mut state, &mut bench, &targets, &mut quality);
        state.positions.copy_from_slice(&bench.base);
        (whole, crossing_bodies(&model, &state, &mut bench.finder))
    }

    fn turned(by: f64, shift: DVec3) -> Pose {
        Pose { translation: shift, rotation: rotation::from_rotation_z(by) }
    }

    /// Of bricks that turn as one each would be in the way of the next one after a tenth of a millimetre.
    #[test]
    fn what_turns_as_one_goes_the_whole_way_at_once() {
        let as_one = |_| turned(0.1, DVec3::new(0.02, -0.3, 0.01));
        assert_eq!(sent_together(as_one), (true, Vec::new()));
    }

    #[test]
    fn what_would_change_places_or_cross_on_the_way_stays() {
        let places = |k: usize| turned(0.0, DVec3::Y * [0.1002, -0.1002, 0.0][k]);
        assert_eq!(sent_together(places), (false, Vec::new()));
        let deeper = |k: usize| turned(if k == 1 { 0.1 } else { 0.0 }, DVec3::ZERO);
        assert_eq!(sent_together(deeper), (false, Vec::new()));
        // The uppermost may go although the others may not.
        let up = |k: usize| turned(0.0, DVec3::Y * [0.05, -0.05, 0.2][k]);
        let (whole, crossing) = sent_together(up);
        assert!(!whole && crossing.is_empty());
    }
}
