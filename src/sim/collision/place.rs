//! Places of contact: how they are named, and which of them have a row.

use super::candidates::{Candidate, Kind};
use super::distance::{Closest, Feature};
use super::surface::{FLAT, Surface};
use crate::sim::model::Model;
use glam::DVec3;
use std::slice::from_ref;

/// What touches, the same name for the same place however it was found: kind and two numbers.
/// Kind 0: vertex-face, 1: edge-edge, 2: vertex-edge, 3: vertex-vertex.
pub(crate) type Key = (u8, u32, u32);

/// The nodes of the two primitives that a place is named by.
pub(crate) fn nodes_of<'a>(surface: &'a Surface, key: &'a Key) -> [&'a [u32]; 2] {
    let (kind, a, b) = key;
    let edge = |e: u32| &surface.edges[e as usize][..];
    let first = if *kind == 1 { edge(*a) } else { from_ref(a) };
    let second = match kind {
        0 => &surface.triangles[*b as usize][..],
        1 | 2 => edge(*b),
        _ => from_ref(b),
    };
    [first, second]
}

/// Whether the pair has a row of its own where it touches like this; others stand for the rest.
pub(crate) fn is_row(model: &Model, pair: &Candidate, close: &Closest) -> bool {
    key(model, pair, close.feature).is_some()
}

/// The name of the place; none for places that others stand for.
pub(super) fn key(model: &Model, pair: &Candidate, feature: Feature) -> Option<Key> {
    let surface = &model.surface;
    let [n0, n1, n2, n3] = pair.nodes;
    let key = match (pair.kind, feature) {
        (Kind::VertexTriangle, Feature::Interior) => (0, pair.ids[0], pair.ids[1]),
        (Kind::VertexTriangle, Feature::FaceEdge(k)) => (2, n0, surface.edge_of(pair.ids[1], k)),
        (Kind::VertexTriangle, Feature::FaceCorner(k)) => vertices(n0, [n1, n2, n3][k as usize]),
        (Kind::EdgeEdge, Feature::Interior) => (1, pair.ids[0], pair.ids[1]),
        (Kind::EdgeEdge, Feature::EndOfFirst(k)) => (2, [n0, n1][k as usize], pair.ids[1]),
        (Kind::EdgeEdge, Feature::EndOfSecond(k)) => (2, [n2, n3][k as usize], pair.ids[0]),
        (Kind::EdgeEdge, Feature::EndOfBoth(i, j)) => {
            vertices([n0, n1][i as usize], [n2, n3][j as usize])
        }
        (Kind::VertexTriangle | Kind::EdgeEdge, _) => {
            unreachable!("each kind has its own features")
        }
    };
    let flat = match key.0 {
        1 => [key.1, key.2].iter().any(|edge| surface.flat_edge[*edge as usize].is_some()),
        _ => false,
    };
    // On a flat inner edge the vertex-face rows beside it, or the same vertex on the face, stand for it;
    // a vertex exactly on the edge is found as such for both faces and must stay.
    if flat { None } else { Some(key) }
}

/// Whether a pair touches a plane patch of a body that keeps its shape askew to the patch, with all nodes at
/// `x`: only its normal can be that of a contact there. What touches the patch nearby stands for it.
pub(super) fn is_askew(model: &Model, pair: &Candidate, close: &Closest, x: &[DVec3]) -> bool {
    let surface = &model.surface;
    let along = close.offset.normalize_or_zero();
    let askew = |beside: Option<u32>| {
        beside.is_some_and(|triangle| {
            let [a, b, c] = surface.triangles[triangle as usize].map(|i| x[i as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            along.dot(normal).abs() < 1.0 - FLAT
        })
    };
    let node = |k: usize| surface.flat_node[pair.nodes[k] as usize];
    let edge = |edge: u32| surface.flat_edge[edge as usize];
    match (pair.kind, close.feature) {
        (Kind::VertexTriangle, feature) => {
            let other = match feature {
                Feature::FaceEdge(k) => edge(surface.edge_of(pair.ids[1], k)),
                Feature::FaceCorner(k) => node(1 + k as usize),
                _ => None,
            };
            askew(node(0)) || askew(other)
        }
        (Kind::EdgeEdge, Feature::EndOfFirst(k)) => {
            askew(node(k as usize)) || askew(edge(pair.ids[1]))
        }
        (Kind::EdgeEdge, Feature::EndOfSecond(k)) => {
            askew(node(2 + k as usize)) || askew(edge(pair.ids[0]))
        }
        (Kind::EdgeEdge, Feature::EndOfBoth(i, j)) => {
            askew(node(i as usize)) || askew(node(2 + j as usize))
        }
        (Kind::EdgeEdge, _) => false,
    }
}

fn vertices(a: u32, b: u32) -> Key {
    (3, a.min(b), a.max(b))
}
