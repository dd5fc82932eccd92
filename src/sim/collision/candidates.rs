//! Pairs of primitives that may come near each other within a motion budget.

use super::distance::{
    Closest, Feature, apart_edge_edge, apart_vertex_triangle, edge_edge, vertex_triangle,
};
use crate::sim::linear::chunks;
use glam::DVec3;

/// What kind of pair it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// `nodes[0]` against the triangle `nodes[1..4]`; ids are the node and the triangle.
    VertexTriangle,
    /// The edge `nodes[0..2]` against the edge `nodes[2..4]`; ids are the edges.
    EdgeEdge,
}

impl Kind {
    /// Closest points of two primitives with these corners.
    #[inline]
    pub(crate) fn closest(self, corners: [DVec3; 4]) -> Closest {
        match self {
            Self::VertexTriangle => vertex_triangle(corners),
            Self::EdgeEdge => edge_edge(corners),
        }
    }
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

    /// Whether any of its nodes is one of these.
    #[inline]
    pub(crate) fn has(&self, nodes: &[bool]) -> bool {
        self.nodes.iter().any(|i| nodes[*i as usize])
    }

    /// Its closest points at `x`.
    #[inline]
    pub(crate) fn closest(&self, x: &[DVec3]) -> Closest {
        self.kind.closest(self.nodes.map(|i| x[i as usize]))
    }

    /// A vector that the two are at least as far apart as it is long, where one is easily found.
    #[inline]
    pub(crate) fn apart(&self, x: &[DVec3]) -> Option<DVec3> {
        let corners = self.nodes.map(|i| x[i as usize]);
        match self.kind {
            Kind::VertexTriangle => apart_vertex_triangle(corners),
            Kind::EdgeEdge => apart_edge_edge(corners),
        }
    }

    /// As [`Candidate::closest`], but a pair that is easily seen to be farther apart than `near` is only told to
    /// be far.
    #[inline]
    pub(crate) fn closest_near(&self, x: &[DVec3], near: f64) -> Closest {
        match self.apart(x).filter(|apart| apart.length_squared() > near * near) {
            Some(offset) => Closest { weights: [0.0; 4], offset, feature: Feature::Far },
            None => self.closest(x),
        }
    }

    /// The largest of its first primitive's nodes' values and that of its second's, together.
    #[inline]
    pub(crate) fn sum_of_longest(&self, value: &[f64]) -> f64 {
        let [a, b, c, d] = self.nodes.map(|i| value[i as usize]);
        match self.kind {
            Kind::VertexTriangle => a + b.max(c).max(d),
            Kind::EdgeEdge => a.max(b) + c.max(d),
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
    /// Closest points of each pair where its nodes are in `at`; far and zero apart where nothing is known.
    pub(crate) closest: Vec<Closest>,
    at: Vec<DVec3>,
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

    /// Gives node `i` the box around `from` and `to`, widened by `slack`.
    pub(crate) fn set_box(&mut self, i: usize, from: DVec3, to: DVec3, slack: f64) {
        self.low[i] = from.min(to) - DVec3::splat(slack);
        self.high[i] = from.max(to) + DVec3::splat(slack);
    }

    /// Forgets all pairs. Those to come are measured with their nodes at `x`.
    pub(crate) fn clear(&mut self, x: &[DVec3]) {
        self.pairs.clear();
        self.closest.clear();
        self.at.clear();
        self.at.extend_from_slice(x);
    }

    /// Forgets the pairs that have one of these nodes. Those to come are measured with their nodes at `x`.
    pub(crate) fn forget(&mut self, nodes: &[bool], x: &[DVec3]) {
        let moved = self.moved_to(x);
        for (pair, close) in self.pairs.iter().zip(&mut self.closest) {
            if pair.has(&moved) {
                *close = Closest::default();
            }
        }
        self.retain(|pair| !pair.has(nodes));
    }

    /// Keeps the pairs that `keep` says.
    pub(crate) fn retain(&mut self, keep: impl Fn(&Candidate) -> bool) {
        let Self { pairs, closest, .. } = self;
        let mut kept = pairs.iter().map(&keep);
        closest.retain(|_| kept.next().is_some_and(|kept| kept));
        pairs.retain(keep);
    }

    /// Finds closest points with all nodes at `x`. Pairs that are farther apart than `reach` of their primitives'
    /// farthest-reaching nodes are only told to be far. Only what has moved is measured again.
    pub(crate) fn measure(&mut self, x: &[DVec3], reach: &[f64]) {
        let moved = self.moved_to(x);
        chunks::update(&self.pairs, &mut self.closest, |pair, close| {
            let near = pair.sum_of_longest(reach);
            let is_far = close.feature == Feature::Far;
            let near_by = is_far && close.offset.length_squared() <= near * near;
            if near_by || pair.has(&moved) {
                *close = pair.closest_near(x, near);
            }
        });
    }

    /// As [`Candidates::measure`], with exact closest points of all pairs.
    pub(crate) fn measure_all(&mut self, x: &[DVec3]) {
        self.measure(x, &vec![f64::INFINITY; x.len()]);
    }

    /// Notes that all nodes are at `x`. Returns which of them have moved.
    fn moved_to(&mut self, x: &[DVec3]) -> Vec<bool> {
        self.at.resize(x.len(), DVec3::NAN);
        let moved = self.at.iter().zip(x).map(|(at, x)| at != x).collect();
        self.at.copy_from_slice(x);
        moved
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
