//! Pairs of primitives that may come near each other within a motion budget.

use super::distance::{
    Closest, apart_edge_edge, apart_vertex_triangle, edge_edge, vertex_triangle,
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

    /// The shortest distance between a corner of the first primitive and one of the second's at `x`.
    #[inline]
    pub(crate) fn nearest_corners(&self, x: &[DVec3]) -> f64 {
        let [a, b, c, d] = self.nodes.map(|i| x[i as usize]);
        let squared = match self.kind {
            Kind::VertexTriangle => {
                let of = |other: DVec3| a.distance_squared(other);
                of(b).min(of(c)).min(of(d))
            }
            Kind::EdgeEdge => {
                let of = |other: DVec3| a.distance_squared(other).min(b.distance_squared(other));
                of(c).min(of(d))
            }
        };
        squared.sqrt()
    }

    /// How far apart the two are at `x`; a bound where they are easily seen to be farther apart than `near`.
    #[inline]
    pub(crate) fn distance_near(&self, x: &[DVec3], near: f64) -> Distance {
        match self.apart(x).map(DVec3::length_squared).filter(|squared| *squared > near * near) {
            Some(squared) => Distance::at_least(squared),
            None => self.distance(x),
        }
    }

    /// How far apart the two are at `x`.
    #[inline]
    pub(crate) fn distance(&self, x: &[DVec3]) -> Distance {
        Distance::of(self.closest(x).offset)
    }

    /// The longest difference between a vector of a node of its first primitive and one of its second's.
    #[inline]
    pub(crate) fn longest_difference(&self, vectors: &[DVec3]) -> f64 {
        longest_difference(self.kind, self.nodes.map(|i| vectors[i as usize]))
    }

    /// By how much the two come nearer to each other at most, while all nodes go the whole of `way` or the same part
    /// of it, where planes across `offset`, which goes from the second to the first, have them apart by its length: what
    /// turns as one comes no nearer.
    #[inline]
    pub(crate) fn nearer_along(&self, offset: DVec3, way: &[DVec3]) -> f64 {
        let length = offset.length();
        if length == 0.0 {
            return self.longest_difference(way);
        }
        let [a, b, c, d] = self.nodes.map(|i| way[i as usize].dot(offset));
        let nearer = match self.kind {
            Kind::VertexTriangle => b.max(c).max(d) - a,
            Kind::EdgeEdge => c.max(d) - a.min(b),
        };
        nearer.max(0.0) / length
    }

    /// The smallest of its first primitive's nodes' values and that of its second's, together.
    #[inline]
    pub(crate) fn sum_of_least(&self, value: &[f64]) -> f64 {
        self.sum_of(value, f64::min)
    }

    /// The largest of its first primitive's nodes' values and that of its second's, together.
    #[inline]
    pub(crate) fn sum_of_longest(&self, value: &[f64]) -> f64 {
        self.sum_of(value, f64::max)
    }

    /// The value that `choose` leaves of its first primitive's nodes and that of its second's, together.
    #[inline(always)]
    fn sum_of(&self, value: &[f64], choose: impl Fn(f64, f64) -> f64) -> f64 {
        let [a, b, c, d] = self.nodes.map(|i| value[i as usize]);
        match self.kind {
            Kind::VertexTriangle => a + choose(choose(b, c), d),
            Kind::EdgeEdge => choose(a, b) + choose(c, d),
        }
    }
}

/// The longest difference between a vector of a corner of the first primitive and one of the second's.
#[inline]
pub(crate) fn longest_difference(kind: Kind, [a, b, c, d]: [DVec3; 4]) -> f64 {
    let squared = match kind {
        Kind::VertexTriangle => {
            let of = |other: DVec3| a.distance_squared(other);
            of(b).max(of(c)).max(of(d))
        }
        Kind::EdgeEdge => {
            let of = |other: DVec3| a.distance_squared(other).max(b.distance_squared(other));
            of(c).max(of(d))
        }
    };
    squared.sqrt()
}

/// How far apart the two of a pair are, or at least are. Closest points are found again where they are asked for: few
/// of all pairs are that near, and a pair takes a third of the memory without them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distance {
    /// Its square [m2]; a bound has a negative sign.
    signed: f64,
}

impl Distance {
    /// Nothing is known.
    pub(crate) const UNKNOWN: Self = Self { signed: -0.0 };

    /// That of closest points with this between them.
    pub(crate) fn of(offset: DVec3) -> Self {
        // What is no number may have any sign.
        Self { signed: offset.length_squared().abs() }
    }

    fn at_least(squared: f64) -> Self {
        Self { signed: -squared.abs() }
    }

    /// Its square [m2], or that of the bound.
    #[inline]
    pub(crate) fn squared(self) -> f64 {
        self.signed.abs()
    }

    /// The same [m].
    #[inline]
    pub(crate) fn length(self) -> f64 {
        self.squared().sqrt()
    }

    /// Whether the two may be farther apart than it says.
    #[inline]
    pub(crate) fn is_bound(self) -> bool {
        self.signed.is_sign_negative()
    }
}

/// The candidates that hold while every node stays in its box. Boxes may move: as long as none has been
/// told to stand, they hold while all nodes go from the starts of their boxes to the ends in the same time.
/// Neighbours that move alike need not be told apart then.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    /// In an order that depends on the bodies' topology alone.
    pub(crate) pairs: Vec<Candidate>,
    /// Lowest corner of the box in which each node may move before a pair could be missing, where its box
    /// ends [m].
    pub(crate) low: Vec<DVec3>,
    /// Highest corner.
    pub(crate) high: Vec<DVec3>,
    /// From the start of each node's box to its end [m].
    pub(crate) way: Vec<DVec3>,
    /// How far apart each pair is where its nodes are in `at`.
    pub(crate) distances: Vec<Distance>,
    at: Vec<DVec3>,
}

/// Pairs that are sifted in one go.
const SIFTED: usize = 4096;

impl Candidates {
    /// Gives each node the box around `from` and `to`, widened by `slack(node)`.
    pub(crate) fn set_boxes(&mut self, from: &[DVec3], to: &[DVec3], slack: impl Fn(usize) -> f64) {
        self.make_room(from.len());
        for (i, (a, b)) in from.iter().zip(to).enumerate() {
            self.set_box(i, *a, *b, slack(i));
        }
    }

    /// Boxes for so many nodes.
    pub(crate) fn make_room(&mut self, nodes: usize) {
        self.low.resize(nodes, DVec3::ZERO);
        self.high.resize(nodes, DVec3::ZERO);
        self.way.resize(nodes, DVec3::ZERO);
    }

    /// There are none, wherever the nodes that are at `x` go.
    pub(crate) fn hold_everywhere(&mut self, x: &[DVec3]) {
        self.clear(x);
        self.make_room(x.len());
        self.low.fill(DVec3::NEG_INFINITY);
        self.high.fill(DVec3::INFINITY);
        self.stand();
    }

    /// Gives node `i` the box around `from` and `to`, widened by `slack`.
    pub(crate) fn set_box(&mut self, i: usize, from: DVec3, to: DVec3, slack: f64) {
        self.low[i] = from.min(to) - DVec3::splat(slack);
        self.high[i] = from.max(to) + DVec3::splat(slack);
        self.way[i] = DVec3::ZERO;
    }

    /// Gives node `i` a box of `slack` around it that goes along from `from` to `to`.
    pub(crate) fn set_moving_box(&mut self, i: usize, from: DVec3, to: DVec3, slack: f64) {
        self.set_box(i, to, to, slack);
        self.way[i] = to - from;
    }

    /// Lets all boxes stand where they end, for good.
    pub(crate) fn stand(&mut self) {
        self.way.fill(DVec3::ZERO);
    }

    /// Whether the box of node `i` moves.
    pub(crate) fn moves(&self, i: usize) -> bool {
        self.way[i] != DVec3::ZERO
    }

    /// Whether any box moves.
    pub(crate) fn any_moves(&self) -> bool {
        self.way.iter().any(|way| *way != DVec3::ZERO)
    }

    /// Whether node `i` at `p` is in its box where that starts.
    pub(crate) fn starts(&self, i: usize, p: DVec3) -> bool {
        self.holds(i, p + self.way[i])
    }

    /// Forgets all pairs. Those to come are measured with their nodes at `x`.
    pub(crate) fn clear(&mut self, x: &[DVec3]) {
        // Where there are many, memory for those before and those to come is not needed at once.
        (self.pairs, self.distances) = Default::default();
        chunks::copy(x, &mut self.at);
    }

    /// Forgets the pairs that have one of these nodes. Those to come are measured with their nodes at `x`.
    pub(crate) fn forget(&mut self, nodes: &[bool], x: &[DVec3]) {
        let moved = self.moved_to(x);
        self.sift(|pair, distance| {
            if pair.has(&moved) {
                *distance = Distance::UNKNOWN;
            }
            !pair.has(nodes)
        });
    }

    /// Keeps the pairs that `keep` says.
    pub(crate) fn retain(&mut self, keep: impl Fn(&Candidate) -> bool + Sync + Send) {
        self.sift(|pair, _| keep(pair));
    }

    /// Keeps the pairs that `keep` says, in their order; it may change what is known of them.
    fn sift(&mut self, keep: impl Fn(&Candidate, &mut Distance) -> bool + Sync + Send) {
        let Self { pairs, distances, .. } = self;
        // Each part is closed up by itself, then the parts are.
        let mut parts: Vec<_> = pairs
            .chunks_mut(SIFTED)
            .zip(distances.chunks_mut(SIFTED))
            .map(|(pairs, distances)| (pairs, distances, 0))
            .collect();
        chunks::for_each(&mut parts, |(pairs, distances, kept)| {
            for i in 0..pairs.len() {
                if keep(&pairs[i], &mut distances[i]) {
                    (pairs[*kept], distances[*kept]) = (pairs[i], distances[i]);
                    *kept += 1;
                }
            }
        });
        let counts: Vec<usize> = parts.into_iter().map(|(_, _, kept)| kept).collect();
        let mut end = 0;
        for (first, kept) in (0..).step_by(SIFTED).zip(counts) {
            if first > end {
                pairs.copy_within(first..first + kept, end);
                distances.copy_within(first..first + kept, end);
            }
            end += kept;
        }
        pairs.truncate(end);
        distances.truncate(end);
    }

    /// Finds how far apart all pairs are with all nodes at `x`; bounds will do for those that are farther apart than
    /// `reach` of their primitives' farthest-reaching nodes. Only what has moved is measured again.
    pub(crate) fn measure(&mut self, x: &[DVec3], reach: &[f64]) {
        self.measure_near(x, |pair| pair.sum_of_longest(reach));
    }

    /// As [`Candidates::measure`], where bounds will do for pairs that are farther apart than `near` says.
    pub(crate) fn measure_near(
        &mut self,
        x: &[DVec3],
        near: impl Fn(&Candidate) -> f64 + Sync + Send,
    ) {
        let moved = self.moved_to(x);
        chunks::update(&self.pairs, &mut self.distances, |pair, distance| {
            let moved = pair.has(&moved);
            if !distance.is_bound() && !moved {
                return;
            }
            let near = near(pair);
            if moved || distance.squared() <= near * near {
                *distance = pair.distance_near(x, near);
            }
        });
    }

    /// As [`Candidates::measure`], with the exact distances of all pairs.
    pub(crate) fn measure_all(&mut self, x: &[DVec3]) {
        self.measure(x, &vec![f64::INFINITY; x.len()]);
    }

    /// Notes that all nodes are at `x`. Returns which of them have moved.
    fn moved_to(&mut self, x: &[DVec3]) -> Vec<bool> {
        self.at.resize(x.len(), DVec3::NAN);
        let at = &self.at;
        let moved = chunks::list(x.len(), |i| at[i] != x[i]);
        chunks::copy(x, &mut self.at);
        moved
    }

    /// Whether node `i` at `p` is in its box where that ends.
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
