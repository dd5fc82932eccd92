//! In which order sweeps go over chunks: in turns. Chunks of one turn are gone over at once, and see what has become of
//! all chunks of the turns before.
//!
//! No two chunks of a turn lie beside each other or are coupled otherwise. So a sweep is Gauss-Seidel over all that is
//! coupled so, and its reverse is the same sweep from the last turn to the first.

use super::chunks::{MOST, chunk, for_each_of};

/// A chunk is a bit of these.
type Chunks = u32;
const _: () = assert!(MOST <= Chunks::BITS as usize);

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    /// Nodes of a chunk.
    size: usize,
    /// Turn of each chunk.
    turn_of: Vec<u8>,
    /// Chunks of each turn, ascending.
    turns: Vec<Vec<usize>>,
    /// Scratch: chunks that each chunk is coupled with.
    coupled: Vec<Chunks>,
}

/// A node and its chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Place {
    pub(crate) node: u32,
    pub(crate) chunk: u32,
}

impl Order {
    /// Takes over `len` nodes, of which nothing but what lies beside each other is coupled.
    pub(crate) fn clear(&mut self, len: usize) {
        self.size = chunk(len);
        let count = len.div_ceil(self.size);
        self.coupled.clear();
        let bit = |c: usize| if c < count { 1 << c } else { 0 };
        self.coupled.extend((0..count).map(|c| c.checked_sub(1).map_or(0, bit) | bit(c + 1)));
    }

    /// Notes that two chunks are coupled.
    #[inline(always)]
    pub(crate) fn couple(&mut self, a: u32, b: u32) {
        if a != b {
            self.coupled[a as usize] |= 1 << b;
            self.coupled[b as usize] |= 1 << a;
        }
    }

    /// Gives each chunk the first turn that no chunk before it has that it is coupled with.
    pub(crate) fn close(&mut self) {
        self.turn_of.clear();
        self.turns.iter_mut().for_each(Vec::clear);
        for (c, coupled) in self.coupled.iter().enumerate() {
            let is_taken = |turn: usize| {
                self.turns.get(turn).is_some_and(|own| own.iter().any(|o| coupled >> o & 1 == 1))
            };
            let turn = (0..c).find(|turn| !is_taken(*turn)).unwrap_or(c);
            if turn == self.turns.len() {
                self.turns.push(Vec::new());
            }
            self.turns[turn].push(c);
            self.turn_of.push(turn as u8);
        }
    }

    /// Nodes of a chunk.
    pub(crate) fn chunk_size(&self) -> usize {
        self.size
    }

    /// The chunk of a node.
    #[inline(always)]
    pub(crate) fn chunk_of(&self, node: usize) -> usize {
        node / self.size
    }

    /// The place of a node.
    pub(crate) fn place(&self, node: u32) -> Place {
        Place { node, chunk: self.chunk_of(node as usize) as u32 }
    }

    /// Whether the turn of chunk `a` is before that of chunk `b`; false where there is no chunk `a`.
    pub(crate) fn is_before(&self, a: usize, b: usize) -> bool {
        self.turn_of.get(a).is_some_and(|turn| *turn < self.turn_of[b])
    }

    /// Whether the turns of the chunks before and behind the one that starts at node `first` are before its own.
    pub(crate) fn saw_beside(&self, first: usize) -> [bool; 2] {
        let own = self.chunk_of(first);
        beside(own).map(|other| other.is_some_and(|other| self.is_before(other, own)))
    }
}

/// Numbers of the chunks before and behind a chunk; behind the last there is none with that number.
fn beside(chunk: usize) -> [Option<usize>; 2] {
    [chunk.checked_sub(1), Some(chunk + 1)]
}

/// From the first turn to the last, or from the last to the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    There,
    Back,
}

/// What has become of the chunks whose turn has been.
pub(crate) struct Done<'a, T> {
    size: usize,
    chunks: Vec<Option<&'a [T]>>,
}

impl<'a, T: Copy> Done<'a, T> {
    /// A chunk, if its turn has been.
    #[inline(always)]
    fn chunk(&self, number: usize) -> Option<&'a [T]> {
        self.chunks.get(number).copied().flatten()
    }

    /// The chunks before and behind the one that starts at node `first`, if there are such and their turns have been.
    pub(crate) fn beside(&self, first: usize) -> [Option<&'a [T]>; 2] {
        beside(first / self.size).map(|other| self.chunk(other?))
    }

    /// The value at a place, if its turn has been.
    #[inline(always)]
    pub(crate) fn at(&self, place: Place) -> Option<T> {
        let chunk = place.chunk as usize;
        self.chunk(chunk).map(|own| own[place.node as usize - chunk * self.size])
    }
}

/// A chunk whose turn it is, what goes with it, and what came of it.
struct Part<'a, T, S> {
    number: usize,
    chunk: &'a mut [T],
    with: S,
    result: f64,
}

/// Calls `work(first, chunk, item, done)` for each chunk of `out`, with an item of `with` for each, turn by turn; returns
/// the sum of the results in the order of the chunks.
pub(crate) fn in_turns<T: Copy + Send + Sync, S: Send>(
    order: &Order,
    way: Way,
    out: &mut [T],
    with: impl Iterator<Item = S>,
    work: impl Fn(usize, &mut [T], &mut S, &Done<'_, T>) -> f64 + Sync,
) -> f64 {
    let (len, size) = (out.len(), order.size);
    let mut waiting: Vec<Option<(&mut [T], S)>> =
        out.chunks_mut(size).zip(with).map(Some).collect();
    let mut results = vec![0.0; waiting.len()];
    let mut done = Done { size, chunks: vec![None; waiting.len()] };
    for turn in 0..order.turns.len() {
        let turn = if way == Way::There { turn } else { order.turns.len() - 1 - turn };
        let own = order.turns[turn].iter().map(|&number| {
            let (chunk, with) = waiting[number].take().expect("each chunk has one turn");
            Part { number, chunk, with, result: 0.0 }
        });
        let mut now: Vec<Part<'_, T, S>> = own.collect();
        for_each_of(len, &mut now, |part| {
            part.result = work(part.number * size, part.chunk, &mut part.with, &done);
        });
        for Part { number, chunk, result, .. } in now {
            results[number] = result;
            done.chunks[number] = Some(chunk);
        }
    }
    results.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::linear::chunks::LEAST;

    fn order(count: usize, coupled: &[(u32, u32)]) -> Order {
        let mut order = Order::default();
        order.clear(count * LEAST - 7);
        for &(a, b) in coupled {
            order.couple(a, b);
        }
        order.close();
        order
    }

    #[test]
    fn chunks_alternate_and_those_that_are_coupled_never_share_a_turn() {
        assert_eq!(order(5, &[]).turn_of, [0, 1, 0, 1, 0]);
        let coupled = [(0, 2), (3, 1), (4, 4), (0, 4)];
        let order = order(5, &coupled);
        assert_eq!(order.turn_of, [0, 1, 2, 0, 1]);
        assert_eq!(order.turns, [vec![0, 3], vec![1, 4], vec![2]]);
    }

    /// On both ways each chunk sees those whose turn has been, and only those.
    #[test]
    fn every_chunk_sees_what_became_of_those_before_it() {
        for (count, coupled) in [(1, vec![]), (2, vec![]), (5, vec![]), (5, vec![(0, 2), (0, 4)])] {
            let order = order(count, &coupled);
            for way in [Way::There, Way::Back] {
                let mut numbers = vec![0; count * LEAST - 7];
                let sum = in_turns(&order, way, &mut numbers, 10.., |first, chunk, with, done| {
                    let number = first / LEAST;
                    assert_eq!(*with, 10 + number);
                    let has_been = |other: usize| match way {
                        Way::There => order.is_before(other, number),
                        Way::Back => other < count && order.is_before(number, other),
                    };
                    for other in 0..count {
                        let place = order.place((other * LEAST + 3) as u32);
                        assert_eq!(done.at(place), has_been(other).then_some(other + 1));
                    }
                    for (found, other) in done.beside(first).iter().zip(beside(number)) {
                        assert_eq!(found.is_some(), other.is_some_and(has_been));
                    }
                    chunk.fill(number + 1);
                    chunk.len() as f64
                });
                assert_eq!(sum, numbers.len() as f64);
                assert!(numbers.iter().zip(0..).all(|(n, i)| *n == i / LEAST + 1));
            }
        }
    }
}
