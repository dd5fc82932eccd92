//! Who may go the whole way at once.
//!
//! The guard's planes stand still, so that of two boxes that turn as one each would soon be in the other's
//! way. Here planes go along: while all nodes of a pair go straight, in the same time, and its closest points are
//! apart along `n` before and along `m` after, the plane with the normal `(1 - t) n + t m` parts it at time t as
//! long as `((1 - t) n + t m) . (a(t) - b(t))` stays positive for every node a of its first primitive and b of
//! its second: a quadratic in t with the Bernstein coefficients `n . r`, `(n . s + m . r) / 2` and `m . s`, where r
//! and s are what they are apart before and after. What is never met on such a way is crossed neither
//! on it nor at its end, whatever way is thought of in its stead.

use super::candidates::{Candidate, Candidates};
use crate::sim::linear::chunks;
use crate::sim::model::Model;
use glam::DVec3;

/// Part of the geometric mean of a quadratic's ends that its middle coefficient may be below zero: with all
/// of it the quadratic would touch zero.
const DIP: f64 = 0.9;

/// What goes as a whole or stays as a whole, and which do go.
#[derive(Clone, Debug, Default)]
pub(crate) struct Together {
    /// Of each node the first node of what goes with it.
    whole: Vec<u32>,
    /// Whether each node goes the whole way.
    pub(crate) goes: Vec<bool>,
}

impl Together {
    /// The wholes of a model: bodies that keep their shape, cages with what they carry, single nodes.
    pub(crate) fn new(model: &Model) -> Self {
        let mut whole: Vec<u32> = (0..model.rest.len() as u32).collect();
        for (index, body) in model.bodies.iter().enumerate() {
            if body.rigid.is_some() || body.moved && !body.deforms || model.is_caged(index) {
                let first = body.nodes.start as u32;
                whole[body.nodes.clone()].fill(first);
                whole[body.movers.clone()].fill(first);
            }
        }
        Self { whole, goes: Vec::new() }
    }

    /// Whether all go that have any of their `ways` [m] before them.
    pub(crate) fn all_arrive(&self, ways: &[f64]) -> bool {
        self.goes.iter().zip(ways).all(|(goes, way)| *goes || *way == 0.0)
    }

    /// Whether all can go from `base`, where the candidates are measured, to `z` in the same time, as
    /// [`Together::find`] would find.
    pub(crate) fn all_go(
        &self,
        candidates: &Candidates,
        base: &[DVec3],
        z: &[DVec3],
        ways: &[f64],
        floor: f64,
    ) -> bool {
        let goes = |i: usize| ways[i] > 0.0;
        let mut stays = vec![false; base.len()];
        for i in (0..base.len()).filter(|i| !candidates.holds(*i, z[*i])) {
            stays[self.whole[i] as usize] = true;
        }
        if (0..base.len()).any(|i| goes(i) && stays[self.whole[i] as usize]) {
            return false;
        }
        let wish = chunks::list(base.len(), |i| z[i] - base[i]);
        !chunks::any(candidates.pairs.len(), |p| {
            let pair = &candidates.pairs[p];
            let goes = pair.nodes.map(|i| goes(i as usize));
            let reach = pair.longest_difference(&wish) + floor;
            goes != [false; 4]
                && candidates.distances[p].squared() <= reach * reach
                && !stays_apart(pair, pair.closest(base).offset, goes, base, z, floor)
        })
    }

    /// Finds which nodes, among those that `may` go, can all go from `base`, where the candidates are
    /// measured, to `z` in the same time while the others stay. No pair comes nearer than `floor` [m], or
    /// than it is if that is nearer. No node goes farther from the base than its `ways` [m].
    pub(crate) fn find(
        &mut self,
        candidates: &Candidates,
        base: &[DVec3],
        z: &[DVec3],
        ways: &[f64],
        floor: f64,
        may: impl Fn(usize) -> bool,
    ) {
        let Self { whole, goes } = self;
        goes.clear();
        goes.resize(base.len(), true);
        for (i, whole) in whole.iter().enumerate() {
            if !may(i) || !candidates.holds(i, z[i]) {
                goes[*whole as usize] = false;
            }
        }
        let mut changed = vec![true; base.len()];
        loop {
            for i in 0..base.len() {
                changed[i] &= ways[i] > 0.0;
                goes[i] = goes[whole[i] as usize];
            }
            let wish: Vec<DVec3> = (0..base.len())
                .map(|i| if goes[i] { z[i] - base[i] } else { DVec3::ZERO })
                .collect();
            let mut meets = Vec::new();
            chunks::map(&candidates.pairs, &mut meets, |p, pair| {
                let goes = pair.nodes.map(|i| goes[i as usize] && ways[i as usize] > 0.0);
                if !pair.has(&changed) || goes == [false; 4] {
                    return false;
                }
                let reach = pair.longest_difference(&wish) + floor;
                if candidates.distances[p].squared() > reach * reach {
                    return false;
                }
                !stays_apart(pair, pair.closest(base).offset, goes, base, z, floor)
            });
            changed.fill(false);
            let mut any = false;
            for (pair, _) in candidates.pairs.iter().zip(&meets).filter(|(_, meets)| **meets) {
                for i in pair.nodes {
                    let first = whole[i as usize] as usize;
                    any |= goes[first];
                    goes[first] = false;
                    changed[first] = true;
                }
            }
            if !any {
                return;
            }
            for i in 0..base.len() {
                changed[i] = changed[whole[i] as usize];
            }
        }
    }
}

/// Whether a pair that is apart by `offset` at the base surely stays apart while those of its nodes that go do so.
fn stays_apart(
    pair: &Candidate,
    offset: DVec3,
    goes: [bool; 4],
    base: &[DVec3],
    z: &[DVec3],
    floor: f64,
) -> bool {
    let before = pair.nodes.map(|i| base[i as usize]);
    let after: [DVec3; 4] =
        std::array::from_fn(|k| if goes[k] { z[pair.nodes[k] as usize] } else { before[k] });
    let end = pair.kind.closest(after).offset;
    let (near, there) = (offset.length(), end.length());
    if near == 0.0 || there < floor.min(near) {
        return false;
    }
    let (n, m) = (offset / near, end / there);
    let split = pair.split();
    (0..split).all(|a| {
        (split..4).all(|b| {
            let (r, s) = (before[a] - before[b], after[a] - after[b]);
            let (first, last) = (n.dot(r), m.dot(s));
            let middle = 0.5 * (n.dot(s) + m.dot(r));
            // Closest points of convex sets: all else is at least as far apart along their difference.
            first > 0.5 * near
                && last > 0.5 * there
                && (middle >= 0.0 || middle * middle < DIP * DIP * first * last)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::candidates::{Distance, Kind};
    use super::*;

    /// A whole of which one end does not move stays as a whole where its other end would go through something, though
    /// what it meets names the end that does not move first.
    #[test]
    fn a_whole_that_turns_about_one_of_its_nodes_stays_as_a_whole() {
        let base = [DVec3::ZERO, DVec3::X, DVec3::new(0.5, 0.1, -1.0), DVec3::new(0.5, 0.1, 1.0)];
        let mut z = base;
        z[1] = DVec3::new(0.9, 0.4, 0.0);
        let ways: Vec<f64> = base.iter().zip(&z).map(|(b, z)| b.distance(*z)).collect();
        let mut candidates = Candidates::default();
        candidates.set_boxes(&base, &z, |_| 1.0);
        candidates.clear(&base);
        candidates.pairs.push(Candidate { kind: Kind::EdgeEdge, nodes: [0, 1, 2, 3], ids: [0, 1] });
        candidates.distances.push(Distance::UNKNOWN);
        candidates.measure_all(&base);
        let mut together = Together { whole: vec![0, 0, 2, 3], goes: Vec::new() };
        together.find(&candidates, &base, &z, &ways, 1e-6, |_| true);
        assert_eq!(together.goes[..2], [false; 2]);
        assert!(!together.all_go(&candidates, &base, &z, &ways, 1e-6));
        z[1] = DVec3::new(0.9, -0.4, 0.0);
        together.find(&candidates, &base, &z, &ways, 1e-6, |_| true);
        assert_eq!(together.goes[..2], [true; 2]);
        assert!(together.all_go(&candidates, &base, &z, &ways, 1e-6));
    }
}
