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

/// A node of a term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) node: u32,
    pub(crate) weight: f64,
    /// Which side it is on: 0 or 1, or a side of its own where the pattern does not know what it is on.
    pub(crate) side: u8,
}

/// One term; its nodes are the next `count` of [`Couplings::parts`].
#[derive(Clone, Copy, Debug)]
struct Term {
    count: u8,
    /// Whether there are only sides 0 and 1.
    of_two: bool,
    /// Whether the next of [`Couplings::held`] belongs to it.
    holds: bool,
    block: Block3,
}

impl Term {
    /// Number of its pulls: one for each side where there are two, else one for each place.
    fn pulls(&self) -> usize {
        if self.of_two { 2 } else { usize::from(self.count) + usize::from(self.holds) }
    }

    /// Which of its pulls acts on the rigid body.
    fn pull_on(&self, hand: &Hand) -> usize {
        if self.of_two { usize::from(hand.side) } else { usize::from(self.count) }
    }
}

/// A node of a term in single precision.
#[derive(Clone, Copy, Debug)]
struct End {
    node: u32,
    weight: f32,
    side: u8,
}

/// All terms of a tangent, and where each node's are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Couplings {
    terms: Vec<Term>,
    /// Nodes that move of all terms, one term after the other.
    parts: Vec<End>,
    /// Places on rigid bodies of the terms that hold one.
    held: Vec<Hand>,
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
        self.parts.clear();
        self.held.clear();
    }

    /// Adds a term of points, at most [`TERM`], and of a place on a rigid body with its side (0 or 1).
    pub(crate) fn push(&mut self, parts: &[Part], arm: Option<(Arm, u8)>, block: &DMat3) {
        let ends =
            parts.iter().map(|p| End { node: p.node, weight: p.weight as f32, side: p.side });
        self.parts.extend(ends);
        self.held.extend(arm.map(|(arm, side)| Hand {
            body: arm.body,
            weight: arm.weight as f32,
            turn: Block3::new(&arm.turn),
            side,
        }));
        self.terms.push(Term {
            count: parts.len() as u8,
            of_two: parts.iter().all(|part| part.side < 2),
            holds: arm.is_some(),
            block: Block3::new(block),
        });
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
        for part in &self.parts {
            self.start[part.node as usize + 1] += 1;
        }
        for i in 0..size {
            self.start[i + 1] += self.start[i];
        }
        self.entries.resize(self.start[size] as usize, (0, 0.0));
        // Filled from behind, so that each start ends where its node's entries begin.
        let mut pull: usize = self.terms.iter().map(Term::pulls).sum();
        let mut rest = &self.parts[..];
        for t in self.terms.iter().rev() {
            pull -= t.pulls();
            let (before, own) = rest.split_at(rest.len() - usize::from(t.count));
            rest = before;
            for (k, part) in own.iter().enumerate().rev() {
                let end = &mut self.start[part.node as usize + 1];
                *end -= 1;
                let own = if t.of_two { usize::from(part.side) } else { k };
                self.entries[*end as usize] = ((pull + own) as u32, part.weight);
            }
        }
        let total = self.entries.len() as u32;
        self.start.rotate_left(1);
        self.start[size] = total;
    }

    fn close_hands(&mut self, bodies: usize) {
        self.hands.clear();
        let (mut pull, mut held) = (0, self.held.iter());
        for t in &self.terms {
            let hand = if t.holds { held.next() } else { None };
            if let Some(hand) = hand {
                self.hands.push((pull + t.pull_on(hand) as u32, *hand));
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
        let (mut rest, mut held) = (&self.parts[..], self.held.iter());
        for t in &self.terms {
            let (own, behind) = rest.split_at(usize::from(t.count));
            rest = behind;
            let parts = own.iter().map(|part| (x[part.node as usize] * part.weight, part.side));
            let hand = if t.holds { held.next() } else { None };
            let on_body = hand.map_or(Lane4::ZERO, |hand| {
                let own = first + 2 * hand.body as usize;
                x[own] * hand.weight + hand.turn.times(x[own + 1])
            });
            if t.of_two {
                let mut sums = [Lane4::ZERO; 2];
                if let Some(hand) = hand {
                    sums[usize::from(hand.side)] = on_body;
                }
                for (part, side) in parts {
                    sums[usize::from(side == 1)] += part;
                }
                self.pulls.extend([t.block.times(sums[1]), t.block.times(sums[0])]);
            } else {
                let mut sums = [Lane4::ZERO; 2 + TERM];
                let mut whole = on_body;
                for (part, side) in parts {
                    sums[usize::from(side)] += part;
                    whole += part;
                }
                let pull = |part: &End| t.block.times(whole - sums[usize::from(part.side)]);
                self.pulls.extend(own.iter().map(pull));
                self.pulls.extend(hand.map(|_| t.block.times(whole - on_body)));
            }
        }
    }

    /// Bytes that one product moves of it.
    pub(crate) fn bytes(&self) -> u64 {
        let terms = size_of_val(&self.terms[..]) + size_of_val(&self.parts[..]);
        let rows = size_of_val(&self.start[..]) + size_of_val(&self.entries[..]);
        (terms + rows + 2 * size_of_val(&self.pulls[..])) as u64
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
