//! Attachments to free bodies that deform: what rides goes along with the place of the surface that is nearest to
//! it at the start.
//!
//! On a soft body a place is a weighted sum of the corners of the cell under it, also beyond its surface: forces on
//! such a sum keep momentum and angular momentum. On a cloth it is one of the triangle's corners, and a gap turns
//! with the triangle. A rope has no sides: what rides on it keeps its distance to the place on the segment.

use super::{Rider, seat};
use crate::geometry::{TriMesh, weights_in};
use crate::scene::{Scene, StitchGap};
use crate::sim::constraints::tie::{Directions, Target, Tie};
use crate::sim::model::{Model, SKIN, Spread, Stitch};
use crate::sim::whereabouts::Frame;
use glam::DVec3;

/// Largest weight of a corner of a cell by which a place beyond its surface is told.
const FARTHEST: f64 = 3.0;

/// Adds what holds `riders` to `to`; `at_once` where they take hold at the start.
pub(super) fn add(
    model: &mut Model,
    scene: &Scene,
    constraint: usize,
    riders: Vec<Rider>,
    to: usize,
    at_once: bool,
    positions: &[DVec3],
) {
    let mesh = scene.mesh_of(to);
    if mesh.triangles.is_empty() {
        let first = model.bodies[to].nodes.start as u32;
        for rider in riders {
            let place = on_segments(mesh, &positions[model.bodies[to].nodes.clone()], rider.start);
            model.stitches.push(on_rope(constraint, &rider, first, place));
        }
        return;
    }
    let seats: Vec<_> =
        riders.iter().map(|rider| seat(model, scene, to, rider.start, positions)).collect();
    let cells = scene.cage_of(to).or_else(|| (!mesh.tets.is_empty()).then_some(mesh));
    let under: Vec<DVec3> = seats
        .iter()
        .map(|seat| {
            let at = |k: usize| mesh.positions[seat.corners[k] as usize] * seat.weights[k];
            at(0) + at(1) + at(2)
        })
        .collect();
    let found = cells.map(|cells| cells.embed(&under));
    let movers = model.bodies[to].movers.start as u32;
    for (k, (rider, seat)) in riders.into_iter().zip(seats).enumerate() {
        let mut spread: Spread = rider.spread(model);
        if let (Some(cells), Some(found)) = (cells, &found) {
            let corners = cells.tets[found[k].tet].map(|i| movers + i);
            let beyond = at_once.then(|| weights_near(corners, positions, rider.start)).flatten();
            for (node, w) in corners.into_iter().zip(beyond.unwrap_or(found[k].weights)) {
                spread.add(node, -w, 1);
            }
        } else {
            let first = model.bodies[to].nodes.start as u32;
            for (node, w) in seat.corners.into_iter().zip(seat.weights) {
                if w != 0.0 {
                    spread.add(first + node, -w, 1);
                }
            }
        }
        model.ties.push(Tie {
            constraint,
            bodies: [rider.body, to],
            vertex: rider.vertex(),
            spread,
            target: Target::Rides(Frame::Seat(to, seat)),
            directions: Directions::All,
            share: rider.share,
            carries: 0.0,
        });
    }
}

/// Weights of `p` in the cell with these corners; none where it is flat or `p` far from it.
fn weights_near(corners: [u32; 4], positions: &[DVec3], p: DVec3) -> Option<[f64; 4]> {
    let weights = weights_in(corners.map(|i| positions[i as usize]), p);
    // Of a flat cell they are no numbers, which are not below anything.
    weights.iter().all(|w| w.abs() <= FARTHEST).then_some(weights)
}

/// The place of a rope that is nearest to `p`: vertices of a segment and their weights.
fn on_segments(mesh: &TriMesh, places: &[DVec3], p: DVec3) -> [(u32, f64); 2] {
    let mut nearest = (f64::INFINITY, [(0, 1.0), (0, 0.0)]);
    for &[i, j] in &mesh.lines {
        let (a, b) = (places[i as usize], places[j as usize]);
        let along = (p - a).dot(b - a) / a.distance_squared(b).max(f64::MIN_POSITIVE);
        let along = along.clamp(0.0, 1.0);
        let distance = a.lerp(b, along).distance_squared(p);
        if distance < nearest.0 {
            nearest = (distance, [(i, 1.0 - along), (j, along)]);
        }
    }
    nearest.1
}

fn on_rope(constraint: usize, rider: &Rider, first: u32, place: [(u32, f64); 2]) -> Stitch {
    let [(i, u), (j, v)] = place.map(|(k, w)| (first + k, -w));
    let [a, b, c, d] = rider.parts;
    Stitch {
        constraint,
        nodes: [a.0, b.0, c.0, d.0, i, j, i, i],
        weights: [a.1, b.1, c.1, d.1, u, v, 0.0, 0.0],
        world: DVec3::ZERO,
        gap: StitchGap::Keep,
        damping: 0.0,
        share: rider.share,
        contact_distance: SKIN,
        most_pull: f64::INFINITY,
    }
}
