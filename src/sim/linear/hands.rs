//! Terms that couple points with a place on a rigid body.

use super::bodies::Arm;
use super::couplings::Part;
use super::lanes::{Block3, Lane4, Rigid};
use super::sorted::sort_by_place;
use glam::DMat3;

/// A place on a rigid body.
#[derive(Clone, Copy, Debug)]
struct Hand {
    body: u32,
    weight: f32,
    turn: Block3,
}

/// One term: `B` between a place and the next `count` of [`Hands::ends`].
#[derive(Clone, Copy, Debug)]
struct Term {
    hand: Hand,
    count: u8,
    block: Block3,
}

/// A node of a term.
#[derive(Clone, Copy, Debug)]
struct End {
    node: u32,
    weight: f32,
    term: u32,
}

/// All terms of a tangent, and where each node's and each body's are.
#[derive(Clone, Debug, Default)]
pub(super) struct Hands {
    terms: Vec<Term>,
    /// Nodes of all terms, one term after the other.
    ends: Vec<End>,
    /// Node `i` has `start[i]..start[i + 1]` of `ends_of`.
    start: Vec<u32>,
    ends_of: Vec<u32>,
    /// Terms sorted by body: body `i` has `of_body[body_start[i]..body_start[i + 1]]`.
    body_start: Vec<u32>,
    of_body: Vec<u32>,
    /// What each term does at a point of weight one, and at its place, in the product that was prepared.
    pulls: Vec<[Lane4; 2]>,
}

impl Hands {
    pub(super) fn clear(&mut self) {
        self.terms.clear();
        self.ends.clear();
    }

    /// Adds a term of those of `parts` that are on another side than the place, `side`.
    pub(super) fn push(&mut self, parts: &[Part], (arm, side): (Arm, u8), block: &DMat3) {
        let before = self.ends.len();
        let others = parts.iter().filter(|part| part.side != side);
        let term = self.terms.len() as u32;
        self.ends.extend(others.map(|part| End {
            node: part.node,
            weight: part.weight as f32,
            term,
        }));
        let hand = Hand { body: arm.body, weight: arm.weight as f32, turn: Block3::new(&arm.turn) };
        let count = (self.ends.len() - before) as u8;
        self.terms.push(Term { hand, count, block: Block3::new(block) });
    }

    /// Sorts the terms by the nodes that they move, `size` in all, and by the rigid bodies, `bodies` in all.
    pub(super) fn close(&mut self, size: usize, bodies: usize) {
        let Self { terms, ends, start, ends_of, body_start, of_body, .. } = self;
        sort_by_place(bodies, terms.iter().map(|term| term.hand.body), body_start, of_body);
        if !terms.is_empty() {
            sort_by_place(size, ends.iter().map(|end| end.node), start, ends_of);
        }
    }

    /// Evaluates all terms at `x`, the unknowns of points and then, two a body, those of rigid bodies from
    /// `first` on.
    pub(super) fn prepare(&mut self, x: &[Lane4], first: usize) {
        self.pulls.clear();
        let mut rest = &self.ends[..];
        for Term { hand, count, block } in &self.terms {
            let (own, behind) = rest.split_at(usize::from(*count));
            rest = behind;
            let mut points = Lane4::ZERO;
            for end in own {
                points += x[end.node as usize] * end.weight;
            }
            let body = first + 2 * hand.body as usize;
            let place = x[body] * hand.weight + hand.turn.times(x[body + 1]);
            self.pulls.push([block.times(place), block.times(points)]);
        }
    }

    /// Bytes that one product moves of it.
    pub(super) fn bytes(&self) -> u64 {
        let terms = size_of_val(&self.terms[..]) + size_of_val(&self.ends[..]);
        let rows = size_of_val(&self.start[..]) + size_of_val(&self.ends_of[..]);
        (terms + rows + 2 * size_of_val(&self.pulls[..])) as u64
    }

    /// What the terms add to row `i` of the product that was prepared.
    #[inline(always)]
    pub(super) fn at(&self, i: usize) -> Lane4 {
        let mut sum = Lane4::ZERO;
        if self.terms.is_empty() {
            return sum;
        }
        for &end in &self.ends_of[self.start[i] as usize..self.start[i + 1] as usize] {
            let End { weight, term, .. } = self.ends[end as usize];
            sum += self.pulls[term as usize][0] * weight;
        }
        sum
    }

    /// What the terms add to the rows of rigid body `i` of the product that was prepared.
    #[inline(always)]
    pub(super) fn on_body(&self, i: usize) -> Rigid {
        let mut sum = Rigid::ZERO;
        for &term in &self.of_body[self.body_start[i] as usize..self.body_start[i + 1] as usize] {
            let hand = &self.terms[term as usize].hand;
            let pull = self.pulls[term as usize][1];
            sum += Rigid { shift: pull * hand.weight, turn: hand.turn.transpose().times(pull) };
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    /// Two terms on one of two bodies: what the points do to the body and the body to the points.
    #[test]
    fn terms_act_on_points_and_on_their_body() {
        let turn = DMat3::from_cols(
            DVec3::new(0.0, 0.2, 0.1),
            DVec3::new(-0.2, 0.0, 0.3),
            DVec3::new(-0.1, -0.3, 0.0),
        );
        let block = DMat3::from_diagonal(DVec3::new(2.0, 3.0, 5.0));
        let part = |node, weight, side| Part { node, weight, side };
        let terms = [
            (vec![part(0, 0.25, 0), part(2, 0.75, 0)], 1),
            (vec![part(2, -0.5, 1), part(3, -0.5, 2)], 0),
        ];
        let mut hands = Hands::default();
        for (parts, side) in &terms {
            hands.push(parts, (Arm { body: 1, weight: -1.0, turn }, *side), &block);
        }
        hands.close(4, 2);
        let x: Vec<DVec3> =
            (0..8).map(|i| DVec3::new(1.0 + i as f64, 2.0 - i as f64, 0.5 * i as f64)).collect();
        let lanes: Vec<Lane4> = x.iter().map(|x| Lane4::new(*x)).collect();
        hands.prepare(&lanes, 4);
        let place = turn * x[7] - x[6];
        let points: DVec3 =
            terms.iter().flat_map(|(parts, _)| parts).map(|p| x[p.node as usize] * p.weight).sum();
        for i in 0..4 {
            let own = terms.iter().flat_map(|(parts, _)| parts).filter(|p| p.node == i);
            let expected = block * place * own.map(|p| p.weight).sum::<f64>();
            assert!(hands.at(i as usize).to_f64().distance(expected) < 1e-5, "node {i}");
        }
        let on_body = hands.on_body(1);
        assert!(on_body.shift.to_f64().distance(-(block * points)) < 1e-5);
        assert!(on_body.turn.to_f64().distance(turn.transpose() * (block * points)) < 1e-5);
        assert_eq!(hands.on_body(0), Rigid::ZERO);
    }
}
