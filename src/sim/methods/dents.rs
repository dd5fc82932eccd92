//! Dents: a collider that its clip deforms gives way where it pinches something, vertex by vertex, as flesh
//! does. From there a vertex goes on as its clip says, and comes back to it when nothing presses any more.

use super::bench::{Dent, Workbench};
use super::given::crush;
use crate::sim::collision::contact::Row;
use crate::sim::model::Model;
use crate::sim::state::State;
use crate::sim::whereabouts::shape;
use glam::DVec3;
use std::collections::BTreeMap;

/// A vertex that gives way is brought back to where a contact is pressed in by this part of what it gives
/// way at.
const YIELD_TO: f64 = 0.6;

/// Times that a substep is solved again to let vertices give way, and the most that one gives way at a time,
/// in contact distances: farther, a shorter substep has to show what becomes of it.
const MOST_YIELDS: u32 = 4;
const FARTHEST_YIELD: f64 = 6.0;

/// Dents that are shallower are not told [m]: half the skin.
const LEAST_DENT: f64 = 0.5 * crate::sim::model::SKIN;

/// A vertex that gave way and is free again comes back within this time [s], at least at this speed [m/s].
const COMES_BACK_IN: f64 = 0.1;
const COMES_BACK_AT: f64 = 0.02;

/// What gives way in one substep.
#[derive(Default)]
pub(super) struct Yields {
    /// How often vertices gave way.
    pub(super) count: u32,
    /// Which ones, to which bodies: body, other body, node.
    places: Vec<(usize, usize, usize)>,
}

impl Yields {
    /// Whether vertices may give way once more.
    pub(super) fn are_left(&self) -> bool {
        self.count < MOST_YIELDS
    }

    /// Moves vertices of `body`, which are to be at `shape`, back from what they press too hard on at the
    /// iterate; false where none does, or where one would have to go too far.
    pub(super) fn give_way(
        &mut self,
        model: &Model,
        bench: &Workbench,
        body: usize,
        shape: &mut [DVec3],
    ) -> bool {
        let first = model.bodies[body].nodes.start;
        let mut moved = vec![DVec3::ZERO; shape.len()];
        let mut any = false;
        let mut yielding = Vec::new();
        for (row, excess) in too_deep(model, bench, body) {
            let [a, b] = row.bodies.map(|other| other as usize);
            let other = if a == body { b } else { a };
            if excess > FARTHEST_YIELD * row.layer.distance {
                return false;
            }
            // The smallest motion of the corners that opens the gap so far.
            let side = || side_of(model, row, body);
            let squares: f64 = side().map(|k| row.weights[k] * row.weights[k]).sum();
            for k in side() {
                let away = row.normal * row.weights[k].signum();
                let length = excess * row.weights[k].abs() / squares;
                let own = &mut moved[row.nodes[k] as usize - first];
                *own += away * (length - own.dot(away)).max(0.0);
                any |= length > 0.0;
                yielding.push((body, other, row.nodes[k] as usize));
            }
        }
        for (place, by) in shape.iter_mut().zip(moved) {
            *place += by;
        }
        self.places.extend(yielding);
        any
    }

    /// The deepest dent that each collider got from each body it pinches in this substep, with the nodes at
    /// the base, at script time `end`; none where it is too shallow to matter.
    pub(super) fn dents(&self, model: &Model, bench: &Workbench, end: f64) -> Vec<Dent> {
        let mut dents: Vec<Dent> = Vec::new();
        let mut given: Vec<(usize, Vec<DVec3>)> = Vec::new();
        for &(body, other, node) in &self.places {
            let known = given.iter().position(|(known, _)| *known == body).unwrap_or_else(|| {
                given.push((body, shape(&model.scene, body, end)));
                given.len() - 1
            });
            let place = given[known].1[node - model.bodies[body].nodes.start];
            let by = bench.base[node].distance(place);
            match dents.iter_mut().find(|d| (d.body, d.other) == (body, other)) {
                Some(dent) if dent.by < by => (dent.node, dent.by) = (node, by),
                Some(_) => {}
                None => dents.push(Dent { body, other, node, by }),
            }
        }
        dents.retain(|dent| dent.by > LEAST_DENT);
        dents.sort_by_key(|dent| (dent.body, dent.other));
        dents
    }
}

/// Vertices that are not where the clip of `body` has them stay as far from it where something presses hard
/// on them, and come back where nothing does. `places` is where the clip has them at `end`.
pub(super) fn keep_dents(
    model: &Model,
    state: &State,
    body: usize,
    end: f64,
    places: &mut [DVec3],
) {
    let own = &state.positions[model.bodies[body].nodes.clone()];
    let due = shape(&model.scene, body, state.time);
    let h = end - state.time;
    for (vertex, place) in places.iter_mut().enumerate() {
        let off = own[vertex] - due[vertex];
        let far = off.length();
        if far == 0.0 {
            continue;
        }
        let back = if state.pressed[body].binary_search(&(vertex as u32)).is_ok() {
            0.0
        } else {
            (far * (h / COMES_BACK_IN)).max(COMES_BACK_AT * h)
        };
        if back < far {
            *place += off * (1.0 - back / far);
        }
    }
}

/// The nodes of colliders that their clips deform.
pub(super) fn deforming(model: &Model) -> impl Iterator<Item = usize> + '_ {
    model.bodies.iter().filter(|body| body.deforms).flat_map(|body| body.nodes.clone())
}

/// Takes down which vertices are pressed hard, for the next substep.
pub(super) fn note_pressed(model: &Model, state: &mut State, bench: &Workbench) {
    for (body, pressed) in state.pressed.iter_mut().enumerate() {
        pressed.clear();
        if !model.bodies[body].deforms {
            continue;
        }
        let hard = 0.5 * YIELD_TO * crush(model);
        let first = model.bodies[body].nodes.start as u32;
        for row in &bench.rows {
            if has(row, body) && row.gap(&bench.z) < -hard * row.layer.distance {
                pressed.extend(side_of(model, row, body).map(|k| row.nodes[k] - first));
            }
        }
        pressed.sort_unstable();
        pressed.dedup();
    }
}

fn has(row: &Row, body: usize) -> bool {
    row.bodies.contains(&(body as u32))
}

/// The contacts that `body` has to give way in, and how far they are to open [m]: those that it presses in too
/// deep at the iterate, and those under what is pressed in too deep itself: of several layers between
/// two parts of a body, those inside are the softest.
fn too_deep<'a>(model: &Model, bench: &'a Workbench, body: usize) -> Vec<(&'a Row, f64)> {
    let crush = crush(model);
    let excess = |row: &Row| {
        let depth = -row.gap(&bench.z);
        if depth > crush * row.layer.distance {
            depth - YIELD_TO * crush * row.layer.distance
        } else {
            0.0
        }
    };
    let mut above: BTreeMap<u32, f64> = BTreeMap::new();
    for row in bench.rows.iter().filter(|row| !has(row, body)) {
        let excess = excess(row);
        if excess > 0.0 {
            for k in (0..4).filter(|k| row.weights[*k] != 0.0) {
                let own = above.entry(row.nodes[k]).or_insert(excess);
                *own = own.max(excess);
            }
        }
    }
    let of_body = |row: &Row| {
        if !has(row, body) || row.gap(&bench.z) >= 0.0 {
            return 0.0;
        }
        let passed = row.nodes.iter().filter_map(|node| above.get(node));
        excess(row) + passed.fold(0.0, |most: f64, own| most.max(*own))
    };
    bench.rows.iter().map(|row| (row, of_body(row))).filter(|(_, excess)| *excess > 0.0).collect()
}

/// Corners of a contact that are of `body` and have a part in it.
fn side_of<'a>(model: &'a Model, row: &'a Row, body: usize) -> impl Iterator<Item = usize> + 'a {
    let nodes = &model.bodies[body].nodes;
    (0..4).filter(|k| row.weights[*k] != 0.0 && nodes.contains(&(row.nodes[*k] as usize)))
}

/// Brings the nodes of collider `index`, which its clip deforms, towards the iterate as far as the guard
/// allows; whether it presses anything in too deep.
pub(super) fn advance_shape(model: &Model, bench: &mut Workbench, index: usize) -> bool {
    let nodes = model.bodies[index].nodes.clone();
    let Workbench { allowed, base, wish, z, .. } = bench;
    let mut fraction = vec![1.0f64; nodes.len()];
    allowed.for_limits(nodes.start, nodes.end, wish, |i, part, _| {
        let own = &mut fraction[i - nodes.start];
        *own = own.min(part);
    });
    for (i, part) in nodes.clone().zip(fraction) {
        base[i] = if part >= 1.0 { z[i] } else { base[i] + wish[i] * part };
    }
    presses_too_deep(model, bench, index)
}

/// Whether collider `index`, which its clip deforms, presses anything in too deep at the iterate.
pub(super) fn presses_too_deep(model: &Model, bench: &Workbench, index: usize) -> bool {
    !too_deep(model, bench, index).is_empty()
}
