//! Terms that couple nodes which the pattern does not: what a contact or a stitch does across its two sides.
//!
//! A term is `B` on the difference `sum w_i x_i`. The blocks of the nodes within one side belong to the
//! matrix; the rest is `w_i B (sum over the other sides)`.

use super::lanes::{Block3, Lane4};
use glam::DMat3;

/// One term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    pub(crate) nodes: [u32; 6],
    /// Zero for nodes that do not move.
    pub(crate) weights: [f32; 6],
    /// Which side each node is on.
    pub(crate) side: [u8; 6],
    pub(crate) block: Block3,
}

/// All terms of a tangent, and where each node's are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Couplings {
    terms: Vec<Term>,
    /// Node `i` has the places `start[i]..start[i + 1]` of `entries`.
    start: Vec<u32>,
    /// Term and its node.
    entries: Vec<(u32, u8)>,
    /// `B (sum over the other sides)` for each place of a term.
    pulls: Vec<[Lane4; 6]>,
}

impl Couplings {
    /// Forgets all terms.
    pub(crate) fn clear(&mut self) {
        self.terms.clear();
    }

    /// Adds a term.
    pub(crate) fn push(
        &mut self,
        nodes: [u32; 6],
        weights: [f64; 6],
        side: [u8; 6],
        block: &DMat3,
    ) {
        let weights = weights.map(|w| w as f32);
        self.terms.push(Term { nodes, weights, side, block: Block3::new(block) });
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
        self.entries.resize(self.start[size] as usize, (0, 0));
        // Filled from behind, so that each start ends where its node's entries begin.
        for (number, t) in self.terms.iter().enumerate().rev() {
            for k in moved(t.weights).rev() {
                let end = &mut self.start[t.nodes[k as usize] as usize + 1];
                *end -= 1;
                self.entries[*end as usize] = (number as u32, k);
            }
        }
        let total = self.entries.len() as u32;
        self.start.rotate_left(1);
        self.start[size] = total;
    }

    /// Evaluates all terms at `x`.
    pub(crate) fn prepare(&mut self, x: &[Lane4]) {
        self.pulls.clear();
        self.pulls.extend(self.terms.iter().map(|t| {
            let mut sums = [Lane4::ZERO; 8];
            let mut whole = Lane4::ZERO;
            for k in 0..6 {
                if t.weights[k] != 0.0 {
                    let own = x[t.nodes[k] as usize] * t.weights[k];
                    sums[t.side[k] as usize] += own;
                    whole += own;
                }
            }
            std::array::from_fn(|k| t.block.times(whole - sums[t.side[k] as usize]))
        }));
    }

    /// What the terms add to row `i` of the product that was prepared.
    #[inline(always)]
    pub(crate) fn at(&self, i: usize) -> Lane4 {
        if self.terms.is_empty() {
            return Lane4::ZERO;
        }
        let mut sum = Lane4::ZERO;
        for &(term, k) in &self.entries[self.start[i] as usize..self.start[i + 1] as usize] {
            sum += self.pulls[term as usize][k as usize]
                * self.terms[term as usize].weights[k as usize];
        }
        sum
    }
}

/// Places of a term whose nodes move.
fn moved(weights: [f32; 6]) -> impl DoubleEndedIterator<Item = u8> {
    (0..6u8).filter(move |k| weights[*k as usize] != 0.0)
}
