//! Terms that couple unknowns which the pattern does not: what a contact or a stitch does across its two sides.
//!
//! A term is `B` on the difference `sum w_i x_i` of points, and of a place on a rigid body where one side is
//! one. The blocks within one side belong to the matrix; the rest is `w_i B (sum over the other sides)`.

use super::bodies::Arm;
use super::lanes::{Block3, Lane4, Rigid};
use glam::DMat3;

/// Most nodes of a term: each of the four nodes of a contact may be carried by four.
pub(crate) const TERM: usize = 16;

/// A place on a rigid body, and the side that it is.
#[derive(Clone, Copy, Debug)]
struct Hand {
    body: u32,
    weight: f32,
    turn: Block3,
    side: u8,
}

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
    hand: Option<Hand>,
    pub(crate) block: Block3,
}

impl Term {
    /// Whether there are only sides 0 and 1.
    fn is_of_two(&self) -> bool {
        self.side[..self.count].iter().all(|side| *side < 2)
    }

    /// Number of its pulls: one for each side where there are two, else one for each place.
    fn pulls(&self) -> usize {
        if self.is_of_two() { 2 } else { self.count + usize::from(self.hand.is_some()) }
    }

    /// Which of its pulls acts on the rigid body.
    fn pull_on(&self, hand: &Hand) -> usize {
        if self.is_of_two() { usize::from(hand.side) } else { self.count }
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
    /// Pulls on rigid bodies with the places that they act on, sorted by body: `hands_start` as `start`.
    hands_start: Vec<u32>,
    hands: Vec<(u32, Hand)>,
    /// `B (sum over the other sides)` of each side or place of all terms.
    pulls: Vec<Lane4>,
}

impl Couplings {
    /// Forgets all terms.
    pub(crate) fn clear(&mut self) {
        self.terms.clear();
    }

    /// Adds a term of points, and of a place on a rigid body with its side (0 or 1).
    pub(crate) fn push(
        &mut self,
        nodes: [u32; TERM],
        weights: [f64; TERM],
        side: [u8; TERM],
        arm: Option<(Arm, u8)>,
        block: &DMat3,
    ) {
        let weights = weights.map(|w| w as f32);
        let count = weights.iter().rposition(|w| *w != 0.0).map_or(0, |last| last + 1);
        let hand = arm.map(|(arm, side)| Hand {
            body: arm.body,
            weight: arm.weight as f32,
            turn: Block3::new(&arm.turn),
            side,
        });
        self.terms.push(Term { nodes, weights, side, count, hand, block: Block3::new(block) });
    }

    /// Sorts the terms by the nodes that they move, `size` in all, and by the rigid bodies, `bodies` in all.
    pub(crate) fn close(&mut self, size: usize, bodies: usize) {
        self.close_hands(bodies);
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
                let own = if t.is_of_two() { t.side[k] as usize } else { k };
                self.entries[*end as usize] = ((pull + own) as u32, t.weights[k]);
            }
        }
        let total = self.entries.len() as u32;
        self.start.rotate_left(1);
        self.start[size] = total;
    }

    fn close_hands(&mut self, bodies: usize) {
        self.hands.clear();
        let mut pull = 0;
        for t in &self.terms {
            if let Some(hand) = t.hand {
                self.hands.push((pull + t.pull_on(&hand) as u32, hand));
            }
            pull += t.pulls() as u32;
        }
        self.hands.sort_by_key(|(_, hand)| hand.body);
        let end = |body: usize| self.hands.partition_point(|(_, hand)| (hand.body as usize) < body);
        self.hands_start = (0..=bodies).map(|body| end(body) as u32).collect();
    }

    /// Evaluates all terms at `x`, the unknowns of points and then, two a body, those of rigid bodies from
    /// `first` on.
    pub(crate) fn prepare(&mut self, x: &[Lane4], first: usize) {
        self.pulls.clear();
        for t in &self.terms {
            let parts = t.nodes[..t.count].iter().zip(t.weights).map(|(i, w)| x[*i as usize] * w);
            let held = t.hand.map_or(Lane4::ZERO, |hand| {
                let own = first + 2 * hand.body as usize;
                x[own] * hand.weight + hand.turn.times(x[own + 1])
            });
            if t.is_of_two() {
                let mut sums = [Lane4::ZERO; 2];
                if let Some(hand) = t.hand {
                    sums[usize::from(hand.side)] = held;
                }
                for (part, side) in parts.zip(t.side) {
                    sums[usize::from(side == 1)] += part;
                }
                self.pulls.extend([t.block.times(sums[1]), t.block.times(sums[0])]);
            } else {
                let mut sums = [Lane4::ZERO; 2 + TERM];
                let mut whole = held;
                for (part, side) in parts.zip(t.side) {
                    sums[side as usize] += part;
                    whole += part;
                }
                let own = |k: usize| t.block.times(whole - sums[t.side[k] as usize]);
                self.pulls.extend((0..t.count).map(own));
                self.pulls.extend(t.hand.map(|_| t.block.times(whole - held)));
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

    /// What the terms add to the rows of rigid body `i` of the product that was prepared.
    #[inline(always)]
    pub(crate) fn on_body(&self, i: usize) -> Rigid {
        let mut sum = Rigid::ZERO;
        for (pull, hand) in
            &self.hands[self.hands_start[i] as usize..self.hands_start[i + 1] as usize]
        {
            let pull = self.pulls[*pull as usize];
            sum += Rigid { shift: pull * hand.weight, turn: hand.turn.transpose().times(pull) };
        }
        sum
    }
}

/// Places of a term whose nodes move.
fn moved(weights: [f32; TERM]) -> impl DoubleEndedIterator<Item = u8> {
    (0..TERM as u8).filter(move |k| weights[*k as usize] != 0.0)
}
