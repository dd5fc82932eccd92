//! Pairs of primitives that may come near each other within a motion budget.

use super::distance::{edge_edge, vertex_triangle};
use super::surface::Surface;
use super::tree::{Aabb, Tree};
use crate::sim::linear::chunks;
use crate::sim::model::Model;
use glam::DVec3;

/// What kind of pair it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// `nodes[0]` against the triangle `nodes[1..4]`; ids are the node and the triangle.
    VertexTriangle,
    /// The edge `nodes[0..2]` against the edge `nodes[2..4]`; ids are the edges.
    EdgeEdge,
}

/// A vertex and a triangle, or two edges, that share no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) kind: Kind,
    pub(crate) nodes: [u32; 4],
    pub(crate) ids: [u32; 2],
}

impl Candidate {
    /// Number of nodes of the first primitive.
    pub(crate) fn split(&self) -> usize {
        match self.kind {
            Kind::VertexTriangle => 1,
            Kind::EdgeEdge => 2,
        }
    }
}

/// The candidates that hold while every node stays in its box.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    /// In an order that depends on the bodies' topology alone.
    pub(crate) pairs: Vec<Candidate>,
    /// Lowest corner of the box in which each node may move before a pair could be missing [m].
    pub(crate) low: Vec<DVec3>,
    /// Highest corner.
    pub(crate) high: Vec<DVec3>,
    motion: Vec<f64>,
    near: Vec<bool>,
}

impl Candidates {
    /// Gives each node the box around `from` and `to`, widened by `slack(node)` where it moves at all.
    pub(crate) fn set_boxes(&mut self, from: &[DVec3], to: &[DVec3], slack: impl Fn(usize) -> f64) {
        self.low.clear();
        self.high.clear();
        for (i, (a, b)) in from.iter().zip(to).enumerate() {
            let slack = DVec3::splat(slack(i));
            self.low.push(a.min(*b) - slack);
            self.high.push(a.max(*b) + slack);
        }
    }

    /// Whether node `i` at `p` is in its box.
    pub(crate) fn holds(&self, i: usize, p: DVec3) -> bool {
        p.cmpge(self.low[i]).all() && p.cmple(self.high[i]).all()
    }

    /// The largest fraction of `wish` that node `i` may go from `p` without leaving its box.
    pub(crate) fn fraction_inside(&self, i: usize, p: DVec3, wish: DVec3) -> f64 {
        let mut fraction: f64 = 1.0;
        for k in 0..3 {
            let room = if wish[k] > 0.0 { self.high[i][k] - p[k] } else { p[k] - self.low[i][k] };
            if wish[k].abs() > room {
                fraction = fraction.min((room / wish[k].abs()).max(0.0));
            }
        }
        fraction
    }
}

impl Candidates {
    /// Drops pairs that are too far apart at `positions` to come within their contact distance while
    /// all nodes stay in their boxes: boxes of slanted triangles are much larger than the triangles.
    pub(crate) fn keep_near(&mut self, model: &Model, positions: &[DVec3]) {
        self.motion.clear();
        self.motion.extend(
            positions
                .iter()
                .enumerate()
                .map(|(i, p)| (self.high[i] - *p).max(*p - self.low[i]).length() + model.reach[i]),
        );
        let motion = &self.motion;
        chunks::map(&self.pairs, &mut self.near, |pair| {
            let corners = pair.nodes.map(|i| positions[i as usize]);
            let offset = match pair.kind {
                Kind::VertexTriangle => vertex_triangle(corners).offset,
                Kind::EdgeEdge => edge_edge(corners).offset,
            };
            let most =
                |nodes: &[u32]| nodes.iter().fold(0.0, |m: f64, &i| m.max(motion[i as usize]));
            let (first, second) = pair.nodes.split_at(pair.split());
            let near = most(first) + most(second);
            offset.length_squared() <= near * near
        });
        let mut near = self.near.iter();
        self.pairs.retain(|_| near.next() == Some(&true));
    }
}

/// Trees of all bodies and their scratch boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finder {
    trees: Vec<Tree>,
    triangle_boxes: Vec<Aabb>,
    vertex_boxes: Vec<Aabb>,
    edge_boxes: Vec<Aabb>,
}

impl Finder {
    /// Trees for all bodies at `positions`.
    pub(crate) fn new(surface: &Surface, positions: &[DVec3]) -> Self {
        let trees = (0..surface.body_triangles.len())
            .map(|body| Tree::build(&surface.centers(body, positions)))
            .collect();
        Self { trees, ..Self::default() }
    }

    /// All pairs that may come within their contact distance while each node stays in the box that
    /// `out` gives it.
    pub(crate) fn find(&mut self, model: &Model, out: &mut Candidates) {
        self.fit_boxes(model, &out.low, &out.high);
        out.pairs.clear();
        let surface = &model.surface;
        let pairs = &mut out.pairs;
        self.each_pair(model, &mut |i, j| self.emit(surface, i, j, pairs));
    }

    /// Calls `found` with all pairs of triangles at `positions` that are within their contact distance
    /// by their boxes, of bodies that collide.
    pub(crate) fn triangle_pairs(
        &mut self,
        model: &Model,
        positions: &[DVec3],
        found: &mut impl FnMut(u32, u32),
    ) {
        self.fit_boxes(model, positions, positions);
        self.each_pair(model, found);
    }

    /// Calls `found` with all pairs of triangles whose boxes meet, of bodies that collide.
    fn each_pair(&self, model: &Model, found: &mut impl FnMut(u32, u32)) {
        let triangles = &model.surface.body_triangles;
        for a in 0..self.trees.len() {
            let first = triangles[a].start;
            if model.pair_collides(a, a) {
                self.trees[a].pairs_within(&mut |i, j| found(first + i, first + j));
            }
            for b in a + 1..self.trees.len() {
                let (Some(box_a), Some(box_b)) = (self.trees[a].bounds(), self.trees[b].bounds())
                else {
                    continue;
                };
                if model.pair_collides(a, b) && box_a.meets(&box_b) {
                    let other = triangles[b].start;
                    self.trees[a]
                        .pairs_with(&self.trees[b], &mut |i, j| found(first + i, other + j));
                }
            }
        }
    }

    fn fit_boxes(&mut self, model: &Model, low: &[DVec3], high: &[DVec3]) {
        let surface = &model.surface;
        let around = |nodes: &[u32]| {
            let mut box_low = DVec3::INFINITY;
            let mut box_high = DVec3::NEG_INFINITY;
            for &i in nodes {
                let reach = DVec3::splat(model.reach[i as usize]);
                box_low = box_low.min(low[i as usize] - reach);
                box_high = box_high.max(high[i as usize] + reach);
            }
            Aabb::new(box_low, box_high)
        };
        self.triangle_boxes.clear();
        self.triangle_boxes.extend(surface.triangles.iter().map(|t| around(t)));
        self.edge_boxes.clear();
        self.edge_boxes.extend(surface.edges.iter().map(|e| around(e)));
        self.vertex_boxes.clear();
        self.vertex_boxes.extend((0..low.len() as u32).map(|i| around(&[i])));
        for (body, tree) in self.trees.iter_mut().enumerate() {
            let first = surface.body_triangles[body].start;
            let boxes = &self.triangle_boxes;
            tree.refit(|i| boxes[(first + i) as usize]);
        }
    }

    /// The owned vertices and edges of two triangles against each other.
    #[inline]
    fn emit(&self, surface: &Surface, i: u32, j: u32, pairs: &mut Vec<Candidate>) {
        let (ti, tj) = (surface.triangles[i as usize], surface.triangles[j as usize]);
        self.emit_vertices(surface, i, ti, j, tj, pairs);
        self.emit_vertices(surface, j, tj, i, ti, pairs);
        let (own_i, own_j) = (surface.owned[i as usize], surface.owned[j as usize]);
        for p in 0..3 {
            if own_i & (8 << p) == 0 {
                continue;
            }
            let e = surface.triangle_edges[i as usize][p];
            let box_e = &self.edge_boxes[e as usize];
            for q in 0..3 {
                if own_j & (8 << q) == 0 {
                    continue;
                }
                let f = surface.triangle_edges[j as usize][q];
                let (a, b) = (surface.edges[e as usize], surface.edges[f as usize]);
                if a[0] != b[0]
                    && a[0] != b[1]
                    && a[1] != b[0]
                    && a[1] != b[1]
                    && box_e.meets(&self.edge_boxes[f as usize])
                {
                    let (e, f, a, b) = if e < f { (e, f, a, b) } else { (f, e, b, a) };
                    pairs.push(Candidate {
                        kind: Kind::EdgeEdge,
                        nodes: [a[0], a[1], b[0], b[1]],
                        ids: [e, f],
                    });
                }
            }
        }
    }

    #[inline]
    fn emit_vertices(
        &self,
        surface: &Surface,
        i: u32,
        ti: [u32; 3],
        j: u32,
        tj: [u32; 3],
        pairs: &mut Vec<Candidate>,
    ) {
        let own = surface.owned[i as usize];
        for p in 0..3 {
            let v = ti[p];
            if own & (1 << p) != 0
                && !tj.contains(&v)
                && self.vertex_boxes[v as usize].meets(&self.triangle_boxes[j as usize])
            {
                pairs.push(Candidate {
                    kind: Kind::VertexTriangle,
                    nodes: [v, tj[0], tj[1], tj[2]],
                    ids: [v, j],
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes;
    use crate::sim::Simulation;
    use std::collections::BTreeSet;

    /// Every pair that shares no node and whose bodies collide, from all pairs there are.
    fn brute_force(model: &Model) -> Vec<Candidate> {
        let surface = &model.surface;
        let body = |node: u32| surface.body_of_node[node as usize] as usize;
        let mut all = Vec::new();
        for v in 0..surface.body_of_node.len() as u32 {
            for (t, corners) in surface.triangles.iter().enumerate() {
                if !corners.contains(&v) && model.pair_collides(body(v), body(corners[0])) {
                    let nodes = [v, corners[0], corners[1], corners[2]];
                    all.push(Candidate { kind: Kind::VertexTriangle, nodes, ids: [v, t as u32] });
                }
            }
        }
        for (e, a) in surface.edges.iter().enumerate() {
            for (f, b) in surface.edges.iter().enumerate().skip(e + 1) {
                let apart = a.iter().all(|i| !b.contains(i));
                if apart && model.pair_collides(body(a[0]), body(b[0])) {
                    let nodes = [a[0], a[1], b[0], b[1]];
                    all.push(Candidate { kind: Kind::EdgeEdge, nodes, ids: [e as u32, f as u32] });
                }
            }
        }
        all
    }

    #[test]
    fn no_pair_is_missed_while_nodes_stay_in_their_boxes() {
        let scene = scenes::sheet_on_ball(9);
        let simulation =
            Simulation::start(&scene).map_err(|p| format!("{p:?}")).unwrap().simulation;
        let (model, mut x) = (simulation.model, simulation.state.positions);
        let mut finder = Finder::new(&model.surface, &x);
        let all = brute_force(&model);
        let mut seed: u64 = 17;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
        };
        let mut near = 0;
        for round in 0..6 {
            // The sheet crumples more from round to round.
            let size = 0.05 * f64::from(round);
            for p in &mut x[..model.free_count] {
                *p += DVec3::new(random(), random(), random()) * size;
            }
            let to: Vec<DVec3> =
                x.iter().map(|p| *p + DVec3::new(random(), random(), random()) * 0.06).collect();
            let mut candidates = Candidates::default();
            candidates.set_boxes(&x, &to, |_| 0.004);
            finder.find(&model, &mut candidates);
            candidates.keep_near(&model, &x);
            let found: BTreeSet<_> = candidates.pairs.iter().map(|c| (c.kind, c.ids)).collect();
            assert_eq!(found.len(), candidates.pairs.len(), "a pair came twice");
            // Anywhere in the boxes: what comes within reach of each other must have been found.
            for _ in 0..4 {
                let somewhere: Vec<DVec3> = (0..x.len())
                    .map(|i| {
                        let u = DVec3::new(random(), random(), random()) + 0.5;
                        candidates.low[i] + u * (candidates.high[i] - candidates.low[i])
                    })
                    .collect();
                for pair in &all {
                    let corners = pair.nodes.map(|i| somewhere[i as usize]);
                    let offset = match pair.kind {
                        Kind::VertexTriangle => vertex_triangle(corners).offset,
                        Kind::EdgeEdge => edge_edge(corners).offset,
                    };
                    let reach =
                        model.reach[pair.nodes[0] as usize] + model.reach[pair.nodes[3] as usize];
                    if offset.length() <= reach {
                        near += 1;
                        assert!(found.contains(&(pair.kind, pair.ids)), "missed {pair:?}");
                    }
                }
            }
        }
        assert!(near > 20, "the test sees {near} near pairs only");
    }
}
