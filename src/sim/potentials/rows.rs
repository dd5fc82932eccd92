//! Where terms add their gradient and their tangent, by chunks of nodes.

use crate::sim::linear::chunks::chunk;
use glam::{DMat3, DVec3};

/// Rows of a gradient and of the blocks of a tangent, for some nodes in a row.
pub(crate) struct Rows<'a> {
    /// Their first node.
    pub(crate) first: usize,
    pub(crate) gradient: &'a mut [DVec3],
    /// First slot of `blocks`.
    pub(crate) first_slot: usize,
    pub(crate) blocks: Option<&'a mut [DMat3]>,
}

impl<'a> Rows<'a> {
    /// Those of `gradient` and `blocks`, of a tangent with the pattern rows that begin at `start`, by chunks of nodes.
    pub(crate) fn of_chunks(
        start: &[u32],
        gradient: &'a mut [DVec3],
        mut blocks: Option<&'a mut [DMat3]>,
    ) -> Vec<Self> {
        let share = chunk(gradient.len());
        let chunks = gradient.chunks_mut(share).zip((0..).step_by(share));
        let part = |(gradient, first): (&'a mut [DVec3], usize)| {
            let first_slot = start[first] as usize;
            let slots = start[first + gradient.len()] as usize - first_slot;
            let blocks = blocks.as_mut().map(|rest| {
                let (own, others) = std::mem::take(rest).split_at_mut(slots);
                *rest = others;
                own
            });
            Self { first, gradient, first_slot, blocks }
        };
        chunks.map(part).collect()
    }

    /// Adds what belongs to these rows of `gradient` at the nodes `nodes` and of `blocks` at the slots
    /// `slots`, both ascending.
    pub(crate) fn add(
        &mut self,
        nodes: &[u32],
        gradient: &[DVec3],
        slots: &[u32],
        blocks: &[DMat3],
    ) {
        let own = |all: &[u32], first: usize, count: usize| {
            let before = |end: usize| all.partition_point(|i| (*i as usize) < end);
            before(first)..before(first + count)
        };
        let range = own(nodes, self.first, self.gradient.len());
        for (i, more) in nodes[range.clone()].iter().zip(&gradient[range]) {
            self.gradient[*i as usize - self.first] += *more;
        }
        if let Some(own_blocks) = &mut self.blocks {
            let range = own(slots, self.first_slot, own_blocks.len());
            for (slot, more) in slots[range.clone()].iter().zip(&blocks[range]) {
                own_blocks[*slot as usize - self.first_slot] += *more;
            }
        }
    }

    /// Whether a node is one of these.
    pub(crate) fn has(&self, node: u32) -> bool {
        (node as usize).wrapping_sub(self.first) < self.gradient.len()
    }
}
