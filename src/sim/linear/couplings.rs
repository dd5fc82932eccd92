//! Terms that couple nodes which the pattern does not: what a contact or a stitch does across its two sides.
//!
//! A term is `B` on the difference `sum w_i x_i`. The blocks of the nodes within one side belong to the
//! matrix; the rest is `w_i B (sum over the other sides)`.

use super::lanes::{Block3, Lane4};
use glam::DMat3;

/// Most nodes of a term: each of the four nodes of a contact may be carried by four.
pub(crate) const TERM: usize = 16;

/// One term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    pub(crate) nodes: [u32; TERM],
    /// Zero for nodes that do not move.
    pub(crate) weights: [f32; TERM],
    /// Which side each node is on.
    pub(crate) side: [u8; TERM],
    /// Nodes that it has; the rest of the arrays is not used.
    pub(crate) count: usize,
    pub(crate) block: Block3,
}

impl Term {
    /// Number of its pulls: one for each side where there are only sides 0 and 1, else one for each place.
    fn pulls(&self) -> usize {
        if self.side[..self.count].iter().all(|side| *side < 2) { 2 } else { self.count.max(3) }
    }
}

/// All terms of a tangent, and where each node's are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Couplings {
    terms: Vec<Term>,
    /// Node `i` has the places `start[i]..start[i + 1]` of `entries`.
    start: Vec<u32>,
    /// Pull, and the node's weight.
    entries: Vec<(u32, f32)>,
    /// `B (sum over the other sides)` of each side or place of all terms.
    pulls: Vec<Lane4>,
}

impl Couplings {
    /// Forgets all terms.
    pub(crate) fn clear(&mut self) {
        self.terms.clear();
    }

    /// Adds a term.
    pub(crate) fn push(
        &mut self,
        nodes: [u32; TERM],
        weights: [f64; TERM],
        side: [u8; TERM],
        block: &DMat3,
    ) {
        let weights = weights.map(|w| w as f32);
        let count = weights.iter().rposition(|w| *w != 0.0).map_or(0, |last| last + 1);
        self.terms.push(Term { nodes, weights, side, count, block: Block3::new(block) });
    }

    /// Sorts the terms by the nodes that they move, `size` in all.
    pub(crate) fn close(&mut self, size: usize) {
        self.start.clear();
        self.entries.clear();
        if self.terms.is_empty() {
            return;
        }
        self.start.resize(size + 1, 0);
        for t in &self.terms {
            for k in moved(t.weights) {
                self.start[t.nodes[k as usize] as usize + 1] += 1;
            }
        }
        for i in 0..size {
            self.start[i + 1] += self.start[i];
        }
        self.entries.resize(self.start[size] as usize, (0, 0.0));
        // Filled from behind, so that each start ends where its node's entries begin.
        let mut pull: usize = self.terms.iter().map(Term::pulls).sum();
        for t in self.terms.iter().rev() {
            pull -= t.pulls();
            for k in moved(t.weights).rev() {
                let k = k as usize;
                let end = &mut self.start[t.nodes[k] as usize + 1];
                *end -= 1;
                let own = if t.pulls() == 2 { t.side[k] as usize } else { k };
                self.entries[*end as usize] = ((pull + own) as u32, t.weights[k]);
            }
        }
        let total = self.entries.len() as u32;
        self.start.rotate_left(1);
        self.start[size] = total;
    }

    /// Evaluates all terms at `x`.
    pub(crate) fn prepare(&mut self, x: &[Lane4]) {
        self.pulls.clear();
        for t in &self.terms {
            let parts = t.nodes[..t.count].iter().zip(t.weights).map(|(i, w)| x[*i as usize] * w);
            if t.pulls() == 2 {
                let mut sums = [Lane4::ZERO; 2];
                for (part, side) in parts.zip(t.side) {
                    sums[usize::from(side == 1)] += part;
                }
                self.pulls.extend([t.block.times(sums[1]), t.block.times(sums[0])]);
            } else {
                let mut sums = [Lane4::ZERO; 2 + TERM];
                let mut whole = Lane4::ZERO;
                for (part, side) in parts.zip(t.side) {
                    sums[side as usize] += part;
                    whole += part;
                }
                let own = |k: usize| t.block.times(whole - sums[t.side[k] as usize]);
                self.pulls.extend((0..t.pulls()).map(own));
            }
        }
    }

    /// What the terms add to row `i` of the product that was prepared.
    #[inline(always)]
    pub(crate) fn at(&self, i: usize) -> Lane4 {
        if self.terms.is_empty() {
            return Lane4::ZERO;
        }
        let mut sum = Lane4::ZERO;
        for &(pull, weight) in &self.entries[self.start[i] as usize..self.start[i + 1] as usize] {
            sum += self.pulls[pull as usize] * weight;
        }
        sum
    }
}

/// Places of a term whose nodes move.
fn moved(weights: [f32; TERM]) -> impl DoubleEndedIterator<Item = u8> {
    (0..TERM as u8).filter(move |k| weights[*k as usize] != 0.0)
}
