//! Pairs of primitives that may come near each other within a motion budget.

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

    /// Whether any of its nodes is one of these.
    #[inline]
    pub(crate) fn has(&self, nodes: &[bool]) -> bool {
        self.nodes.iter().any(|i| nodes[*i as usize])
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
