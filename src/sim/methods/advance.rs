//! The base goes after the iterate: as far as the guard allows, with the candidates that this needs.

use super::bench::{Quality, Workbench};
use super::{dents, given};
use crate::sim::cage;
use crate::sim::collision::candidates::Candidates;
use crate::sim::collision::contact::{Pairs, is_missing_rows};
use crate::sim::model::Model;
use crate::sim::pose::Pose;
use crate::sim::state::State;
use glam::DVec3;

/// Closest points of all pairs at the base; pairs that do not come near on the way to the iterate are only
/// told to be far.
pub(super) fn measure(model: &Model, bench: &mut Workbench) {
    let Workbench { candidates, base, z, .. } = bench;
    let way = z.iter().zip(&*base).zip(&model.reach);
    let reach: Vec<f64> = way.map(|((z, b), reach)| z.distance(*b) + reach).collect();
    candidates.measure(base, &reach);
}

/// Legs in which the base goes after the iterate in one round.
const MOST_LEGS: u32 = 4;

/// Brings the base to the iterate as far as the guard allows. Nodes that come to the end of the box in which
/// their candidates hold go on with others. False where the base comes within `enough` of the
/// iterate [m] and such others press there that have no row.
pub(super) fn advance(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    wanted: &[Pose],
    enough: f64,
    quality: &mut Quality,
) -> bool {
    for leg in 1..=MOST_LEGS {
        bench.wish.clear();
        bench.wish.extend(bench.z.iter().zip(&bench.base).map(|(z, b)| *z - *b));
        advance_base(model, state, bench, wanted, quality);
        let on = bench.allowed.left_box;
        if on {
            refresh_candidates(model, bench);
        }
        if on || leg > 1 {
            measure(model, bench);
        }
        if !on && leg > 1 && quality.held_back <= enough {
            let Workbench { candidates, base, potential, inverse_mass, rows, .. } = bench;
            let start = &potential.start;
            let pairs = Pairs { candidates, base, start };
            return !is_missing_rows(model, &pairs, base, inverse_mass, potential.end, rows);
        }
        if !on {
            break;
        }
    }
    true
}

/// Motion that a node may have beside its predicted one before candidates are sought again [m].
fn slack(model: &Model, node: usize, predicted: f64) -> f64 {
    if node < model.carried_end || predicted > 0.0 {
        0.2 * (model.half_thickness[node] + crate::sim::model::SKIN) + 0.25 * predicted
    } else {
        0.0
    }
}

/// Makes the candidates hold for the way from the start of the substep to where the solution is sought,
/// and a little beyond.
pub(super) fn find_candidates(model: &Model, state: &State, bench: &mut Workbench) {
    let x = &state.positions;
    let holds = |candidates: &Candidates, z: &[DVec3], i: usize| {
        candidates.holds(i, x[i]) && candidates.holds(i, x[i] + (z[i] - x[i]) * 1.1)
    };
    let all = !bench.candidates_hold;
    bench.candidates_hold = true;
    seek(model, bench, x, all, holds);
}

/// Makes the candidates hold for the way from the base to the iterate.
fn refresh_candidates(model: &Model, bench: &mut Workbench) {
    let base = std::mem::take(&mut bench.base);
    seek(model, bench, &base, false, |candidates, z, i| candidates.holds(i, z[i]));
    bench.base = base;
}

/// Seeks the candidates of nodes whose boxes do not hold; those of all nodes where these are many.
fn seek(
    model: &Model,
    bench: &mut Workbench,
    from: &[DVec3],
    all: bool,
    holds: impl Fn(&Candidates, &[DVec3], usize) -> bool,
) {
    let Workbench { finder, candidates, z, .. } = bench;
    let anew: Vec<bool> = (0..z.len()).map(|i| all || !holds(candidates, z, i)).collect();
    let count = anew.iter().filter(|anew| **anew).count();
    if count == 0 {
        return;
    }
    let slack = |i: usize| slack(model, i, z[i].distance(from[i]));
    if all || 2 * count > model.free_count {
        candidates.set_boxes(from, z, slack);
        finder.find_near(model, from, None, candidates);
    } else {
        for i in (0..z.len()).filter(|i| anew[*i]) {
            candidates.set_box(i, from[i], z[i], slack(i));
        }
        finder.find_near(model, from, Some(&anew), candidates);
    }
}

/// How far each node may be from the base while all bodies go parts of their ways: points on straight ways,
/// bodies that keep their shape from `poses` to `targets`, cages with each node a part of its own.
fn find_ways(model: &Model, poses: &[Pose], targets: &[Pose], bench: &mut Workbench) {
    let Workbench { wish, ways, .. } = bench;
    ways.clear();
    ways.extend(wish.iter().map(|w| w.length()));
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
    wanted: &[Pose],
    quality: &mut Quality,
) {
    let mut targets = wanted.to_vec();
    for rigid in &model.rigids {
        targets[rigid.body] = rigid.fit(&bench.z);
    }
    find_ways(model, &state.poses, &targets, bench);
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
    use crate::scene::{BodyKind, Mass, Rigid};
    use crate::scenes;
    use crate::sim::Simulation;
    use crate::sim::separate::crossing_bodies;
    use glam::DQuat;

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
        let mut seed: u64 = 5;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
        };
        let mut anywhere = |turn: f64, way: f64, from: &Pose, center: DVec3| {
            let axis = DVec3::new(random(), random(), random()).normalize();
            let rotation = DQuat::from_axis_angle(axis, turn * random()) * from.rotation;
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
                bench.wish.clear();
                bench.wish.extend(bench.z.iter().zip(&bench.base).map(|(z, b)| *z - *b));
                let wanted = state.poses.clone();
                advance_base(&model, &mut state, &mut bench, &wanted, &mut quality);
                refresh_candidates(&model, &mut bench);
                state.positions.copy_from_slice(&bench.base);
                let crossing = crossing_bodies(&model, &state, &mut bench.finder);
                assert!(crossing.is_empty(), "trial {trial}: {crossing:?}");
            }
            stopped += u32::from(quality.held_back > 0.0);
        }
        assert!(stopped > 100, "only {stopped} were stopped");
    }
}
