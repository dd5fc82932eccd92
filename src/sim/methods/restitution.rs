//! Bounces: before a substep, what is about to hit gets the velocity with which it parts again
//! (Guendelman, Bridson and Fedkiw 2003: collisions first, on the velocities at the start of the
//! step, contacts after). Slower hits than [`slowest`] are left to the contacts, or nothing came to rest.

use super::bench::Workbench;
use crate::sim::collision::candidates::{Candidate, Kind};
use crate::sim::collision::contact_distance::contact_distance;
use crate::sim::collision::distance::{Closest, edge_edge, vertex_triangle};
use crate::sim::collision::place::is_row;
use crate::sim::model::{Model, Spread};
use crate::sim::state::State;
use glam::DVec3;

/// Passes over all hits, in which those of several places of one body find together.
const PASSES: u32 = 30;

/// Hits of a body are at once where they are apart by less than this part of the substep.
const AT_ONCE: f64 = 0.02;

/// Most looks at a pair that comes nearer.
const LOOKS: u32 = 12;

/// A place that is about to be hit.
struct Hit {
    spread: Spread,
    nodes: [u32; 4],
    weights: [f64; 4],
    normal: DVec3,
    /// When it is, from the start of the substep [s].
    time: f64,
    /// Speed along the normal after the bounce [m/s].
    wanted: f64,
    /// Speed along the normal that a unit impulse makes [1/kg].
    inverse: f64,
    /// What the place comes less far in the substep than with the wanted speed from its start [m].
    way: f64,
}

/// Speed of approach below which nothing bounces [m/s]: what gravity makes in two of the longest substeps.
fn slowest(model: &Model, time: f64) -> f64 {
    2.0 * model.scene.gravity.at(time).length() * model.contact_step
}

/// Gives bodies that are about to hit within `h` seconds their velocities after it. Needs the
/// candidates of the substep, and the positions to which it leads by itself. Notes in `bench.shifts` by
/// how much each rigid body comes less far than its new velocity says, as it has to get there first, and in
/// `bench.bounces` what bounced.
pub(super) fn bounce(model: &Model, state: &mut State, bench: &mut Workbench, h: f64) {
    let Workbench { candidates, potential, z, inverse_mass, shifts, bounces, .. } = bench;
    shifts.clear();
    shifts.resize(model.rigids.len(), DVec3::ZERO);
    let mut velocities: Vec<DVec3> =
        potential.inertial.iter().zip(&state.positions).map(|(y, x)| (*y - *x) / h).collect();
    let given: Vec<DVec3> = (model.carried_end..state.positions.len())
        .map(|i| (z[i] - state.positions[i]) / h)
        .collect();
    let least = slowest(model, state.time);
    let velocity = |i: usize| match i.checked_sub(model.carried_end) {
        Some(place) => given[place],
        None => model.velocity(&velocities, i),
    };
    let way: Vec<f64> =
        (0..state.positions.len()).map(|i| velocity(i).length() * h + model.reach[i]).collect();
    let reach = |pair: &Candidate| {
        let most = |nodes: &[u32]| nodes.iter().fold(0.0, |m: f64, &i| m.max(way[i as usize]));
        let (first, second) = pair.nodes.split_at(pair.split());
        (most(first) + most(second)).powi(2)
    };
    candidates.measure(&state.positions, &way);
    let mut hits = Vec::new();
    for (pair, distance) in candidates.pairs.iter().zip(&candidates.distances) {
        let body = |k: usize| model.surface.body_of_node[pair.nodes[k] as usize] as usize;
        let of = |b: usize| model.scene.bodies[b].rigid().map_or(0.0, |r| r.restitution);
        let restitution =
            model.pair_restitution(body(0), body(3), of(body(0)).max(of(body(3))), state.time);
        if restitution <= 0.0 || distance.squared() > reach(pair) {
            continue;
        }
        let found = approach(model, pair, &state.positions, &velocity, h);
        let Some((close, time)) = found else { continue };
        let mut hit = Hit {
            spread: model.spread(&pair.nodes, &close.weights, pair.split()),
            nodes: pair.nodes,
            weights: close.weights,
            normal: close.offset.normalize(),
            time,
            wanted: 0.0,
            inverse: 0.0,
            way: 0.0,
        };
        let speed = hit.speed(model, &velocities, &given);
        if speed > -least {
            continue;
        }
        hit.wanted = -restitution * speed;
        hit.way = (1.0 + restitution) * -speed * time;
        hit.inverse = hit.unit_speed(model, &state.positions, inverse_mass);
        if hit.inverse > 0.0 {
            hits.push(hit);
        }
    }
    keep_first(model, &mut hits, h);
    let before = velocities.clone();
    let mut impulses = vec![0.0; hits.len()];
    for _ in 0..PASSES {
        for (hit, impulse) in hits.iter().zip(&mut impulses) {
            let lacking = hit.wanted - hit.speed(model, &velocities, &given);
            let whole = f64::max(*impulse + lacking / hit.inverse, 0.0);
            hit.push(model, &state.positions, inverse_mass, whole - *impulse, &mut velocities);
            *impulse = whole;
        }
    }
    for (hit, impulse) in hits.iter().zip(&impulses).filter(|(_, impulse)| **impulse > 0.0) {
        let of = |k: usize| model.surface.body_of_node[hit.nodes[k] as usize];
        bounces.push((of(0).min(of(3)), of(0).max(of(3)), *impulse));
    }
    for hit in &hits {
        for (rigid, sign) in hit.rigids(model).into_iter().zip([1.0, -1.0]) {
            let Some(rigid) = rigid else { continue };
            let shift = hit.normal * (-sign * hit.way);
            let known = shifts[rigid].length();
            if known == 0.0 || hit.way < known {
                shifts[rigid] = shift;
            }
        }
    }
    for ((own, new), old) in state.velocities.iter_mut().zip(&velocities).zip(&before) {
        *own += *new - *old;
    }
}

/// Closest points and time at which a pair that moves evenly comes to its contact distance within `h`
/// seconds, by going as far as the speed along the normal allows again and again; none where it does not.
pub(super) fn approach(
    model: &Model,
    pair: &Candidate,
    x: &[DVec3],
    velocity: &impl Fn(usize) -> DVec3,
    h: f64,
) -> Option<(Closest, f64)> {
    let (start, speeds) =
        (pair.nodes.map(|i| x[i as usize]), pair.nodes.map(|i| velocity(i as usize)));
    let mut time = 0.0;
    for _ in 0..LOOKS {
        let corners = std::array::from_fn(|k| start[k] + speeds[k] * time);
        let close = match pair.kind {
            Kind::VertexTriangle => vertex_triangle(corners),
            Kind::EdgeEdge => edge_edge(corners),
        };
        let d = close.offset.length();
        let distance = contact_distance(model, pair, &close, d);
        let speed: f64 =
            (0..4).map(|k| close.offset.dot(speeds[k]) * close.weights[k]).sum::<f64>() / d;
        if d <= 0.0 || speed >= 0.0 {
            return None;
        }
        if d - distance <= 0.05 * distance {
            return is_row(model, pair, &close).then_some((close, time));
        }
        time -= (d - distance) / speed;
        if time > h {
            return None;
        }
    }
    None
}

/// Leaves out what a body would hit later than something else: it will have turned back by then.
fn keep_first(model: &Model, hits: &mut Vec<Hit>, h: f64) {
    let mut first = vec![f64::INFINITY; model.rigids.len()];
    for hit in hits.iter() {
        for rigid in hit.rigids(model).into_iter().flatten() {
            first[rigid] = first[rigid].min(hit.time);
        }
    }
    hits.retain(|hit| {
        let earliest = |rigid: usize| hit.time <= first[rigid] + AT_ONCE * h;
        hit.rigids(model).into_iter().flatten().all(earliest)
    });
}

impl Hit {
    /// Speed at which the two sides part [m/s].
    fn speed(&self, model: &Model, velocities: &[DVec3], given: &[DVec3]) -> f64 {
        let moved: DVec3 = self.spread.parts().map(|(i, w)| velocities[i] * w).sum();
        let carried: DVec3 = (0..4)
            .filter(|k| self.nodes[*k] as usize >= model.carried_end)
            .map(|k| given[self.nodes[k] as usize - model.carried_end] * self.weights[k])
            .sum();
        self.normal.dot(moved + carried)
    }

    /// Changes `velocities` by what an impulse along the normal does [N s].
    fn push(
        &self,
        model: &Model,
        x: &[DVec3],
        inverse_mass: &[f64],
        impulse: f64,
        velocities: &mut [DVec3],
    ) {
        for (i, w) in self.spread.parts() {
            velocities[i] += self.normal * (impulse * w * inverse_mass[i]);
        }
        for rigid in self.rigids(model).into_iter().flatten() {
            model.rigids[rigid].keep_rigid(x, velocities);
        }
    }

    /// The rigid bodies of its two sides.
    fn rigids(&self, model: &Model) -> [Option<usize>; 2] {
        [self.nodes[0], self.nodes[3]]
            .map(|i| model.bodies[model.surface.body_of_node[i as usize] as usize].rigid)
    }

    /// Speed along the normal that a unit impulse makes from rest [1/kg].
    fn unit_speed(&self, model: &Model, x: &[DVec3], inverse_mass: &[f64]) -> f64 {
        let mut velocities = vec![DVec3::ZERO; model.free_count];
        self.push(model, x, inverse_mass, 1.0, &mut velocities);
        self.spread.parts().map(|(i, w)| self.normal.dot(velocities[i]) * w).sum()
    }
}
