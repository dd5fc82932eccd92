//! Edges between the triangles of a cloth: how they are bent, and what they do to the curvature of triangles around.

use crate::geometry::{HalfEdge, TriMesh};
use crate::sim::potentials::hinge;
use crate::sim::potentials::plate::{Bent, Side};
use crate::sim::potentials::slope::{self, FlatHinge};
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;

/// Angle of an edge at rest from which on it counts as bent [rad]; below it is rounding.
const BENT: f64 = 1e-3;

/// Two triangles that share an edge, at rest.
pub(super) struct Edge {
    /// Ends of the edge, then the opposite corners: vertices of the mesh.
    pub(super) nodes: [u32; 4],
    /// Weights of the hinge's curvature vector, and the area of both triangles [m2].
    pub(super) weights: [f64; 4],
    pub(super) areas: f64,
    /// Length [m] and angle [rad].
    pub(super) length: f64,
    pub(super) theta: f64,
}

/// All of a mesh that have two triangles with an area at rest.
pub(super) struct Edges {
    pub(super) all: Vec<Edge>,
    /// By their ends, the lower one first.
    number: BTreeMap<[u32; 2], usize>,
    /// Edges whose curvature vectors are in the slope across each, and their parts [1/m].
    amends: Vec<Vec<(usize, f64)>>,
}

impl Edges {
    /// Of `mesh` with its vertices at `rest` [m].
    pub(super) fn new(mesh: &TriMesh, rest: &[DVec3]) -> Self {
        let all = inner_edges(mesh, rest);
        let number = all.iter().enumerate().map(|(k, e)| ([e.nodes[0], e.nodes[1]], k)).collect();
        let mut own = Self { all, number, amends: Vec::new() };
        own.amends = (0..own.all.len()).map(|k| own.amends(k, rest)).collect();
        own
    }

    /// Whether any is bent.
    pub(super) fn is_bent(&self) -> bool {
        self.all.iter().any(|edge| edge.theta.abs() > BENT)
    }

    fn find(&self, a: u32, b: u32) -> Option<usize> {
        self.number.get(&[a.min(b), a.max(b)]).copied()
    }

    /// The sides of a triangle of `area` [m2] opposite to its corners, whose shape functions have these gradients.
    pub(super) fn sides(&self, t: &[u32; 3], gradient: [[f64; 2]; 3], area: f64) -> [Side; 3] {
        std::array::from_fn(|k| {
            let bent = self.find(t[(k + 1) % 3], t[(k + 2) % 3]).map(|number| {
                let edge = &self.all[number];
                let out = if edge.nodes[2] == t[k] { edge.length } else { -edge.length };
                let amends = self.amends[number].iter();
                let amends = amends.map(|(j, part)| Bent { edge: *j, part: out / area * part });
                std::iter::once(Bent { edge: number, part: 1.0 / edge.areas })
                    .chain(amends)
                    .collect()
            });
            Side { normal: DVec2::from_array(gradient[k]).normalize_or_zero(), bent }
        })
    }

    /// Angles have the sign that the way gives them in which the triangles of an edge are taken to face: 1 where that of edge
    /// `number`, of triangle `t` or of the one beyond its `side`, is the way of `t`, -1 where it is the other one.
    pub(super) fn turned_of(&self, t: &[u32; 3], side: usize, number: usize) -> f64 {
        let (side, edge) = (&self.all[side], &self.all[number]);
        let beyond = || {
            let [.., c, d] = side.nodes;
            let other = side.facing(if t.contains(&c) { d } else { c })?;
            Some(side.turned(t)? * edge.turned(&other)?)
        };
        edge.turned(t).or_else(beyond).unwrap_or(1.0)
    }

    /// Edges whose curvature vectors amend the slope across edge `k`, and their parts in it [1/m].
    fn amends(&self, k: usize, rest: &[DVec3]) -> Vec<(usize, f64)> {
        let edges = &self.all;
        let at = |i: u32| rest[i as usize];
        let [a, b, c, d] = edges[k].nodes;
        let (start, end) = (DVec2::ZERO, DVec2::new(edges[k].length, 0.0));
        let up = beyond([start, end], [a, b, c].map(at), DVec2::NEG_Y);
        let down = beyond([start, end], [a, b, d].map(at), DVec2::Y);
        let known = [(a, start), (b, end), (c, up), (d, down)];
        let place = |i: u32| known.iter().find(|(node, _)| *node == i).map(|(_, place)| *place);
        let mut own = vec![k];
        let mut hinges =
            vec![FlatHinge { places: [start, end, up, down], weights: edges[k].weights }];
        for (p, q, inner) in [(a, c, b), (b, c, a), (a, d, b), (b, d, a)] {
            let Some(number) = self.find(p, q) else { continue };
            let Edge { nodes: [from, to, left, right], weights, .. } = edges[number];
            let (Some(x), Some(y), Some(z)) = (place(from), place(to), place(inner)) else {
                continue;
            };
            let other = if left == inner { right } else { left };
            let far = beyond([x, y], [from, to, other].map(at), z);
            let (left, right) = if left == inner { (z, far) } else { (far, z) };
            own.push(number);
            hinges.push(FlatHinge { places: [x, y, left, right], weights });
        }
        let parts = slope::parts(&hinges).unwrap_or_default();
        own.into_iter().zip(parts).collect()
    }
}

impl Edge {
    /// The triangle that has this corner, as it lies while its angle is zero and the other one faces the same way.
    fn facing(&self, corner: u32) -> Option<[u32; 3]> {
        let [a, b, c, d] = self.nodes;
        if corner == c { Some([a, b, c]) } else { (corner == d).then_some([a, d, b]) }
    }

    /// 1 where the triangle `t` of this edge runs as [`Edge::facing`] has it, -1 where it runs the other way; none where the
    /// edge is not one of its sides.
    fn turned(&self, t: &[u32; 3]) -> Option<f64> {
        let [a, b, ..] = self.nodes;
        let mut others = t.iter().filter(|i| **i != a && **i != b);
        let (Some(corner), None) = (others.next(), others.next()) else { return None };
        let own = self.facing(*corner)?;
        let at = t.iter().position(|i| *i == own[0])?;
        Some(if t[(at + 1) % 3] == own[1] { 1.0 } else { -1.0 })
    }
}

/// Where the third of three points comes to lie when the first two are laid at `places`, on the other side of them than
/// `inner`.
fn beyond(places: [DVec2; 2], [a, b, c]: [DVec3; 3], inner: DVec2) -> DVec2 {
    let along = (places[1] - places[0]).normalize();
    let edge = (b - a).normalize();
    let way = edge.dot(c - a);
    let height = edge.cross(c - a).length();
    let side = along.perp_dot(inner - places[0]).signum();
    places[0] + along * way - along.perp() * (height * side)
}

/// Edges with exactly two triangles that have an area at rest.
fn inner_edges(mesh: &TriMesh, rest: &[DVec3]) -> Vec<Edge> {
    let edge = |sides: &[HalfEdge]| {
        let [one, other] = sides else { return None };
        let nodes = [one.edge[0], one.edge[1], one.across, other.across];
        let x = nodes.map(|i| rest[i as usize]);
        let (weights, areas) = hinge::weights(x)?;
        let (theta, _) = hinge::angle(x)?;
        Some(Edge { nodes, weights, areas, length: x[0].distance(x[1]), theta })
    };
    mesh.half_edges().chunk_by(|a, b| a.edge == b.edge).filter_map(edge).collect()
}
