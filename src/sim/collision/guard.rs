//! The guard: cuts every motion short of a plane between the two primitives of a pair, so that no
//! accepted state has a crossing (planar divide and truncate, Chen et al. 2026, arXiv 2604.15513).
//!
//! Each primitive's vertices stay on their side of a plane along straight paths, hence so do the
//! convex primitives. Pairs that are not candidates cannot meet while their nodes stay in their boxes. What
//! cannot be told apart does not move: the guard fails closed.

use super::candidates::{Candidate, Candidates};
use super::distance::Closest;
use crate::sim::linear::chunks;
use crate::sim::model::Model;
use glam::DVec3;

/// A bound on one node's motion: it may go at most `room` along `toward` [m].
#[derive(Clone, Copy, Debug)]
struct Limit {
    node: u32,
    toward: DVec3,
    room: f64,
    /// Body on the other side.
    other: u32,
}

/// How far each node may go along its wish.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allowed {
    /// Fraction of the wished motion of each free node, in [0, 1].
    pub(crate) fraction: Vec<f64>,
    /// Body that each free node is cut short by; its own where it is by its box.
    pub(crate) by: Vec<u32>,
    /// Whether the box of a node cut its motion short.
    pub(crate) left_box: bool,
    limits: Vec<Limit>,
}

/// Part of the room up to its plane that a node may use in one go.
const USE_OF_ROOM: f64 = 0.9;

impl Allowed {
    /// Finds how far each node may go along `wish` from the feasible `base`, where the candidates are measured. Nodes from `point_count` on
    /// move as their bodies do, by any way that takes none farther than its `ways` [m] from the base: their
    /// limits are kept for [`Allowed::in_the_way`].
    pub(crate) fn find(
        &mut self,
        model: &Model,
        candidates: &Candidates,
        base: &[DVec3],
        wish: &[DVec3],
        ways: &[f64],
        floor: f64,
    ) {
        self.limits.clear();
        self.left_box = false;
        self.fraction.clear();
        self.fraction.resize(base.len(), 1.0);
        self.by.clear();
        self.by.extend_from_slice(&model.surface.body_of_node);
        for i in 0..model.point_count {
            self.fraction[i] = candidates.fraction_inside(i, base[i], wish[i]);
            self.left_box |= self.fraction[i] < 1.0;
        }
        let Candidates { pairs, distances, .. } = candidates;
        let mut in_reach = Vec::new();
        chunks::map(pairs, &mut in_reach, |i, pair| {
            let reach = pair.sum_of_longest(ways) + floor;
            distances[i].squared() <= reach * reach
        });
        for (pair, _) in pairs.iter().zip(&in_reach).filter(|(_, near)| **near) {
            let (close, reach) = (pair.closest(base), pair.sum_of_longest(ways) + floor);
            let d = close.offset.length();
            if d <= reach {
                self.divide(model, pair, &close, d, base, wish, ways, floor);
            }
        }
    }

    fn divide(
        &mut self,
        model: &Model,
        pair: &Candidate,
        close: &Closest,
        d: f64,
        base: &[DVec3],
        wish: &[DVec3],
        ways: &[f64],
        floor: f64,
    ) {
        let split = pair.split();
        let n = if d > 0.0 { close.offset / d } else { DVec3::ZERO };
        let side = |k: usize| if k < split { -1.0 } else { 1.0 };
        let mut approach = [0.0f64; 2];
        for k in 0..4 {
            let i = pair.nodes[k] as usize;
            let toward = side(k) * n.dot(wish[i]);
            let primitive = usize::from(k >= split);
            approach[primitive] = approach[primitive].max(toward);
        }
        let margin = (0.5 * floor / d).clamp(0.05, 0.5);
        let sum = approach[0] + approach[1];
        let share = if sum > 0.0 { (approach[1] / sum).clamp(margin, 1.0 - margin) } else { 0.5 };
        let second_point: DVec3 =
            -(split..4).map(|k| base[pair.nodes[k] as usize] * close.weights[k]).sum::<DVec3>();
        let plane = second_point + n * (share * d);
        for k in 0..4 {
            let i = pair.nodes[k] as usize;
            let toward = n * side(k);
            let goes = toward.dot(wish[i]);
            let certain = d > 0.0;
            let straight = i < model.point_count;
            if ways[i] == 0.0 || straight && certain && goes <= 0.0 {
                continue;
            }
            // Less than none: not even where it is.
            let room = if certain {
                USE_OF_ROOM * (toward.dot(plane - base[i]) - 0.5 * floor).max(0.0)
            } else {
                -1.0
            };
            let across = pair.nodes[if k < split { 3 } else { 0 }];
            let other = model.surface.body_of_node[across as usize];
            if straight {
                let fraction = if !certain {
                    0.0
                } else if goes > room {
                    room / goes
                } else {
                    1.0
                };
                if fraction < self.fraction[i] {
                    (self.fraction[i], self.by[i]) = (fraction, other);
                }
            } else {
                self.limits.push(Limit { node: i as u32, toward, room, other });
            }
        }
    }

    /// The body whose limit the given motion that brings the nodes `first..end` from `base` to `place`
    /// does not keep; none where it keeps all.
    pub(crate) fn in_the_way(
        &self,
        first: usize,
        end: usize,
        base: &[DVec3],
        place: impl Fn(usize) -> DVec3,
    ) -> Option<usize> {
        let broken = |limit: &&Limit| {
            let i = limit.node as usize;
            limit.toward.dot(place(i) - base[i]) > limit.room
        };
        self.limits_on(first, end).iter().find(broken).map(|limit| limit.other as usize)
    }

    /// Calls `each` with every node of `first..end` that a limit cuts short on its way along `wish`: the part
    /// of it that it may go, and the body on the other side.
    pub(crate) fn for_limits(
        &self,
        first: usize,
        end: usize,
        wish: &[DVec3],
        mut each: impl FnMut(usize, f64, u32),
    ) {
        for limit in self.limits_on(first, end) {
            let goes = limit.toward.dot(wish[limit.node as usize]);
            if goes > limit.room {
                each(limit.node as usize, (limit.room / goes).max(0.0), limit.other);
            }
        }
    }

    /// Puts the limits in the order of their nodes, for [`Allowed::in_the_way`].
    pub(crate) fn sort_limits(&mut self) {
        self.limits.sort_by_key(|limit| limit.node);
    }

    fn limits_on(&self, first: usize, end: usize) -> &[Limit] {
        let from = self.limits.partition_point(|limit| (limit.node as usize) < first);
        let to = self.limits.partition_point(|limit| (limit.node as usize) < end);
        &self.limits[from..to]
    }
}
