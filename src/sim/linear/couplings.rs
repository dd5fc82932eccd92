//! Terms that couple unknowns which the pattern does not: what a contact or a stitch does across its two sides.
//!
//! A term is `B` on the difference `sum w_i x_i` of points, and of a place on a rigid body where one side is
//! one. The blocks within one side belong to the matrix; the rest is `w_i B (sum over the other sides)`. What couples
//! points becomes rows of blocks, which products and sweeps see like those of the matrix.

use super::bodies::Arm;
use super::chunks::for_each_of;
use super::hands::Hands;
use super::lanes::{Block3, Lane4, Rigid};
use super::order::{Done, Order, Place};
use super::sorted::sort_by_place;
use glam::DMat3;
use std::ops::Range;

/// Most nodes of a term: each of the four nodes of a contact may be carried by four.
pub(crate) const TERM: usize = 16;

/// A node of a term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) node: u32,
    pub(crate) weight: f64,
    /// Which side it is on: 0 or 1, or a side of its own where the pattern does not know what it is on.
    pub(crate) side: u8,
}

/// A node of a term in single precision.
#[derive(Clone, Copy, Debug)]
struct End {
    place: Place,
    weight: f32,
    term: u32,
    side: u8,
}

/// A term that couples points; its nodes are [`Couplings::ends`] from `first` to that of the next.
#[derive(Clone, Copy, Debug)]
struct Term {
    first: u32,
    block: Block3,
}

/// Blocks of the rows of a chunk, one row after the other.
#[derive(Clone, Debug, Default)]
struct Rows {
    /// Where the entries of each row begin, and of them those that sweeps go over later than the row.
    start: Vec<[u32; 2]>,
    entries: Vec<(Place, Block3)>,
    /// What the terms of each row hold it with where the other sides move against it: `|w| B`.
    held: Vec<Block3>,
}

impl Rows {
    fn clear(&mut self) {
        self.start.clear();
        self.entries.clear();
        self.held.clear();
    }

    /// Entries of row `k` that sweeps go over before it, and those later.
    #[inline(always)]
    fn row(&self, k: usize) -> [&[(Place, Block3)]; 2] {
        let ([first, later], [end, _]) = (self.start[k], self.start[k + 1]);
        let (first, later, end) = (first as usize, later as usize, end as usize);
        [&self.entries[first..later], &self.entries[later..end]]
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.start[..]) + size_of_val(&self.entries[..])
    }
}

/// All terms of a tangent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Couplings {
    order: Order,
    terms: Vec<Term>,
    /// Nodes of all terms, one term after the other.
    ends: Vec<End>,
    /// Node `i` has `start[i]..start[i + 1]` of `ends_of`.
    start: Vec<u32>,
    ends_of: Vec<u32>,
    /// Rows of each chunk; none where no points are coupled.
    rows: Vec<Rows>,
    hands: Hands,
}

impl Couplings {
    /// Forgets all terms, and takes over `size` nodes.
    pub(crate) fn clear(&mut self, size: usize) {
        self.order.clear(size);
        self.terms.clear();
        self.ends.clear();
        self.hands.clear();
    }

    /// Adds a term of points, at most [`TERM`], and of a place on a rigid body with its side (0 or 1).
    pub(crate) fn push(&mut self, parts: &[Part], arm: Option<(Arm, u8)>, block: &DMat3) {
        if let Some(arm) = arm {
            self.hands.push(parts, arm, block);
        }
        if parts.iter().all(|part| part.side == parts[0].side) {
            return;
        }
        let (first, term) = (self.ends.len(), self.terms.len() as u32);
        for &Part { node, weight, side } in parts {
            let end = End { place: self.order.place(node), weight: weight as f32, term, side };
            for other in self.ends[first..].iter().filter(|other| other.side != side) {
                self.order.couple(end.place.chunk, other.place.chunk);
            }
            self.ends.push(end);
        }
        self.terms.push(Term { first: first as u32, block: Block3::new(block) });
    }

    /// Makes the rows of `size` nodes, and sorts what holds one of the rigid bodies, `bodies` in all.
    pub(crate) fn close(&mut self, size: usize, bodies: usize) {
        self.order.close();
        self.hands.close(size, bodies);
        let mut rows = std::mem::take(&mut self.rows);
        if self.terms.is_empty() {
            return;
        }
        let nodes = self.ends.iter().map(|end| end.place.node);
        sort_by_place(size, nodes, &mut self.start, &mut self.ends_of);
        let chunk = self.order.chunk_size();
        rows.resize_with(size.div_ceil(chunk), Rows::default);
        let mut parts: Vec<_> = (0..).step_by(chunk).zip(&mut rows).collect();
        for_each_of(size, &mut parts, |(first, rows)| {
            self.fill(*first..size.min(*first + chunk), rows);
        });
        self.rows = rows;
    }

    /// Nodes of a term.
    fn nodes(&self, term: u32) -> &[End] {
        let next = self.terms.get(term as usize + 1);
        let behind = next.map_or(self.ends.len(), |next| next.first as usize);
        &self.ends[self.terms[term as usize].first as usize..behind]
    }

    /// Makes the rows of a chunk, each with one block for each node that it is coupled with.
    fn fill(&self, nodes: Range<usize>, rows: &mut Rows) {
        rows.clear();
        let own_chunk = self.order.chunk_of(nodes.start);
        let (mut columns, mut blocks) = (Vec::new(), Vec::new());
        let mut row: Vec<(Place, Block3)> = Vec::new();
        for i in nodes {
            columns.clear();
            blocks.clear();
            row.clear();
            let mut held = Block3::ZERO;
            for &own in &self.ends_of[self.start[i] as usize..self.start[i + 1] as usize] {
                let own = &self.ends[own as usize];
                let block = &self.terms[own.term as usize].block;
                held += block.scaled(own.weight.abs());
                for other in self.nodes(own.term).iter().filter(|end| end.side != own.side) {
                    columns.push((other.place.node, blocks.len() as u32, other.place.chunk));
                    blocks.push(block.scaled(own.weight * other.weight));
                }
            }
            columns.sort_unstable();
            for &(node, at, chunk) in &columns {
                match row.last_mut() {
                    Some((place, block)) if place.node == node => *block += blocks[at as usize],
                    _ => row.push((Place { node, chunk }, blocks[at as usize])),
                }
            }
            let is_earlier = |(place, _): &&(Place, Block3)| match place.chunk as usize {
                chunk if chunk == own_chunk => (place.node as usize) < i,
                chunk => self.order.is_before(chunk, own_chunk),
            };
            let first = rows.entries.len() as u32;
            rows.entries.extend(row.iter().filter(is_earlier));
            rows.start.push([first, rows.entries.len() as u32]);
            rows.entries.extend(row.iter().filter(|entry| !is_earlier(entry)));
            rows.held.push(held);
        }
        rows.start.push([rows.entries.len() as u32; 2]);
    }

    /// The order in which sweeps go over the chunks.
    pub(super) fn order(&self) -> &Order {
        &self.order
    }

    /// Whether points are coupled.
    pub(crate) fn couple_points(&self) -> bool {
        !self.rows.is_empty()
    }

    /// The rows of node `i`'s chunk, and which of them is its own; none where no points are coupled.
    #[inline(always)]
    fn rows_at(&self, i: usize) -> Option<(&Rows, usize)> {
        let chunk = self.order.chunk_of(i);
        self.rows.get(chunk).map(|rows| (rows, i - chunk * self.order.chunk_size()))
    }

    /// What holds node `i` where the other sides of its terms move against it, beside what the matrix has on its
    /// diagonal: with it on the diagonal, no motion finds the matrix softer than with what couples it.
    pub(super) fn held(&self, i: usize) -> Option<Block3> {
        self.rows_at(i).map(|(rows, k)| rows.held[k])
    }

    /// What sweeps of the chunk that starts at node `first` see.
    pub(super) fn chunk(&self, first: usize) -> Seen<'_> {
        let number = self.order.chunk_of(first);
        Seen { rows: self.rows.get(number), first, number: number as u32 }
    }

    /// Readies a product with `x`, the unknowns of points and then, two a body, those of rigid bodies from `first` on.
    pub(super) fn prepare(&mut self, x: &[Lane4], first: usize) {
        self.hands.prepare(x, first);
    }

    /// Bytes that one product moves of it.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes_of_rows() + self.hands.bytes()
    }

    /// Bytes of what couples points.
    pub(super) fn bytes_of_rows(&self) -> u64 {
        self.rows.iter().map(Rows::bytes).sum::<usize>() as u64
    }

    /// What the terms add to row `i` of the product with `x` that was prepared.
    #[inline(always)]
    pub(super) fn at(&self, i: usize, x: &[Lane4]) -> Lane4 {
        let mut sum = self.hands.at(i);
        if let Some((rows, k)) = self.rows_at(i) {
            for (place, block) in rows.row(k).into_iter().flatten() {
                sum += block.times(x[place.node as usize]);
            }
        }
        sum
    }

    /// What the terms add to the rows of rigid body `i` of the product that was prepared.
    #[inline(always)]
    pub(super) fn on_body(&self, i: usize) -> Rigid {
        self.hands.on_body(i)
    }
}

/// Rows of a chunk as sweeps over it see them.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    rows: Option<&'a Rows>,
    first: usize,
    number: u32,
}

impl Seen<'_> {
    /// Row `i` times what a sweep there has gone over before it, of this chunk `z` and all of the `done`.
    #[inline(always)]
    pub(super) fn there(&self, i: usize, z: &[Lane4], done: &Done<'_, Lane4>) -> Lane4 {
        let Some(rows) = self.rows else { return Lane4::ZERO };
        let [earlier, _] = rows.row(i - self.first);
        self.sum(earlier, z, done)
    }

    /// Row `i` times what a sweep there goes over later, of all of `z`.
    #[inline(always)]
    pub(super) fn later(&self, i: usize, z: &[Lane4]) -> Lane4 {
        let Some(rows) = self.rows else { return Lane4::ZERO };
        let [_, later] = rows.row(i - self.first);
        sum(later, z)
    }

    /// Row `i` times what a sweep back has gone over before it, of this chunk `z` and all of the `done`, and the iterate
    /// `old` before the sweep where it has not. Of `z` the row itself, with which it is coupled if it is on both sides
    /// of a term, has not changed.
    #[inline(always)]
    pub(super) fn back(
        &self,
        i: usize,
        z: &[Lane4],
        done: &Done<'_, Lane4>,
        old: &[Lane4],
    ) -> Lane4 {
        let Some(rows) = self.rows else { return Lane4::ZERO };
        let [earlier, later] = rows.row(i - self.first);
        self.sum(later, z, done) + sum(earlier, old)
    }

    #[inline(always)]
    fn sum(&self, entries: &[(Place, Block3)], z: &[Lane4], done: &Done<'_, Lane4>) -> Lane4 {
        let mut sum = Lane4::ZERO;
        for (place, block) in entries {
            let x = if place.chunk == self.number {
                z[place.node as usize - self.first]
            } else {
                done.at(*place).expect("the turn of its chunk has been")
            };
            sum += block.times(x);
        }
        sum
    }
}

/// Sum of entries times `x`.
#[inline(always)]
fn sum(entries: &[(Place, Block3)], x: &[Lane4]) -> Lane4 {
    let mut sum = Lane4::ZERO;
    for (place, block) in entries {
        sum += block.times(x[place.node as usize]);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::linear::chunks::LEAST;
    use crate::sim::linear::order::{Way, in_turns};
    use glam::DVec3;

    /// Four chunks.
    const SIZE: usize = 4 * LEAST - 100;

    fn part(node: u32, weight: f64, side: u8) -> Part {
        Part { node, weight, side }
    }

    fn block() -> DMat3 {
        DMat3::from_cols(
            DVec3::new(3.0, 1.0, 0.5),
            DVec3::new(1.0, 2.0, 0.2),
            DVec3::new(0.5, 0.2, 4.0),
        )
    }

    /// Terms within a chunk, between chunks, with a node on both sides, and with sides of their own; and one of one side.
    fn terms() -> Vec<(Vec<Part>, DMat3)> {
        let chunk = LEAST as u32;
        let block = block();
        vec![
            (vec![part(3, 1.0, 0), part(90, -0.5, 1), part(70, -0.5, 1)], block),
            (vec![part(90, 0.4, 0), part(8, 0.6, 0), part(3, -1.0, 1)], block * 2.0),
            (vec![part(5, 1.0, 0), part(2 * chunk + 7, -1.0, 1)], block),
            (vec![part(chunk + 5, 0.3, 0), part(9, 0.7, 0), part(3 * chunk, -1.0, 1)], block),
            (vec![part(40, 1.0, 0), part(40, -0.2, 1), part(41, -0.8, 1)], block * 3.0),
            (vec![part(chunk, 0.5, 2), part(7, 0.5, 3), part(2 * chunk, -1.0, 1)], block),
            (vec![part(11, 0.5, 0), part(12, 0.5, 0)], block),
        ]
    }

    fn couplings() -> Couplings {
        let mut couplings = Couplings::default();
        couplings.clear(SIZE);
        for (parts, block) in &terms() {
            couplings.push(parts, None, block);
        }
        couplings.close(SIZE, 0);
        couplings
    }

    fn values() -> Vec<Lane4> {
        let value = |i: usize| DVec3::new((i % 7) as f64, (i % 5) as f64, (i % 3) as f64 - 1.0);
        (0..SIZE).map(|i| Lane4::new(value(i))).collect()
    }

    fn is_close(a: DVec3, b: DVec3) -> bool {
        // Sums of some ten numbers below a hundred in single precision.
        a.distance(b) < 1e-4
    }

    #[test]
    fn rows_are_the_sums_over_the_other_sides() {
        let (couplings, x) = (couplings(), values());
        let mut expected = vec![DVec3::ZERO; SIZE];
        for (parts, block) in terms() {
            for a in &parts {
                for b in parts.iter().filter(|b| b.side != a.side) {
                    let pull = block * x[b.node as usize].to_f64();
                    expected[a.node as usize] += pull * (a.weight * b.weight);
                }
            }
        }
        assert_eq!(expected.iter().filter(|v| **v != DVec3::ZERO).count(), 14);
        for (i, expected) in expected.iter().enumerate() {
            assert!(is_close(couplings.at(i, &x).to_f64(), *expected), "row {i}");
        }
    }

    /// On the way there a row sees what is earlier, and leaves what is later; on the way back it sees all.
    #[test]
    fn sweeps_see_each_entry_once() {
        let (couplings, x) = (couplings(), values());
        let whole: Vec<DVec3> = (0..SIZE).map(|i| couplings.at(i, &x).to_f64()).collect();
        let elsewhere = vec![Lane4::new(DVec3::splat(f64::NAN)); SIZE];
        let mut z = elsewhere.clone();
        in_turns(
            couplings.order(),
            Way::There,
            &mut z,
            std::iter::repeat(()),
            |first, z, (), done| {
                let seen = couplings.chunk(first);
                for k in 0..z.len() {
                    let i = first + k;
                    let sum = seen.there(i, z, done) + seen.later(i, &x);
                    assert!(is_close(sum.to_f64(), whole[i]), "row {i} there");
                    z[k] = x[i];
                }
                0.0
            },
        );
        // What it has gone over is the iterate doubled.
        let mut z = elsewhere;
        in_turns(
            couplings.order(),
            Way::Back,
            &mut z,
            std::iter::repeat(()),
            |first, z, (), done| {
                let seen = couplings.chunk(first);
                for k in (0..z.len()).rev() {
                    let i = first + k;
                    z[k] = x[i];
                    let sum = seen.back(i, z, done, &x).to_f64();
                    let later = seen.later(i, &x).to_f64();
                    // Node 40 is on both sides of a term.
                    let itself =
                        block() * x[i].to_f64() * if i == 40 { 3.0 * 2.0 * -0.2 } else { 0.0 };
                    assert!(is_close(sum, whole[i] + later - itself), "row {i} back");
                    z[k] = x[i] * 2.0;
                }
                0.0
            },
        );
    }

    /// No motion finds what is held softer than the terms: of a term in which one side is one node and the other
    /// two, what they do to both is at most as much again as each side by itself.
    #[test]
    fn what_holds_nodes_bounds_what_couples_them() {
        let (couplings, x) = (couplings(), values());
        let (mut coupled, mut held) = (0.0, 0.0);
        for (i, x_i) in x.iter().enumerate() {
            coupled += x_i.dot(couplings.at(i, &x));
            let own = couplings.held(i).expect("points are coupled");
            held += x_i.dot(own.times(*x_i));
        }
        assert!(coupled.abs() <= held, "{coupled} of {held}");
        let with_one_side = couplings.held(11).expect("points are coupled");
        assert_eq!(with_one_side.times(x[11]), Lane4::ZERO);
    }
}
