//! A matrix of 6x6 blocks, one row a rigid piece, and symmetric Gauss-Seidel sweeps over it: exact within fixed
//! parts, Jacobi between them, with half of the sum of what a part does not see added to the diagonal, so that the
//! sweeps converge (Baker, Falgout, Kolev and Yang 2011).
//!
//! What lies left of the diagonal and right of it lie apart: a sweep reads one of them, and then in one direction.

use super::block_matrix::Pattern;
use super::chunks::for_each;
use super::lanes::{Block6, Rigid};
use std::ops::Range;

/// Most rows of a part, so that large matrices have parts for several threads.
const MOST: usize = 1024;

/// Rows that are worth sharing.
pub(crate) const SHARED: usize = 64;

/// The entries on one side of the diagonal, row after row.
#[derive(Clone, Debug, Default)]
struct Half {
    /// Of each row, where its entries begin, and where those of its own part among them do (left of the diagonal) or
    /// end (right of it).
    rows: Vec<[u32; 2]>,
    columns: Vec<u32>,
    blocks: Vec<Block6>,
}

impl Half {
    /// Takes all rows away.
    fn clear(&mut self) {
        self.rows.clear();
        self.columns.clear();
    }

    fn push_row(&mut self, columns: &[u32], before_split: usize) {
        let first = self.columns.len();
        self.rows.push([first, first + before_split].map(|at| at as u32));
        self.columns.extend_from_slice(columns);
    }

    fn close(&mut self) {
        let end = self.columns.len();
        self.rows.push([end as u32; 2]);
        self.blocks.resize(end, Block6::default());
    }

    /// Entries of row `i`.
    #[inline(always)]
    fn row(&self, i: usize) -> Range<usize> {
        self.rows[i][0] as usize..self.rows[i + 1][0] as usize
    }

    /// Where its own part begins or ends among them.
    #[inline(always)]
    fn split(&self, i: usize) -> usize {
        self.rows[i][1] as usize
    }

    /// Sum of the entries `range` times `x`, whose first entry is row `first`. With `DOWN` from the last on: what walks
    /// down the rows reads them all in one direction, which memory is fast at.
    #[inline(always)]
    fn sum<const DOWN: bool>(&self, range: Range<usize>, x: &[Rigid], first: usize) -> Rigid {
        let mut sum = Rigid::ZERO;
        let entries = self.blocks[range.clone()].iter().zip(&self.columns[range]);
        let mut add = |(block, j): (&Block6, &u32)| sum += block.times(x[*j as usize - first]);
        if DOWN {
            entries.rev().for_each(&mut add);
        } else {
            entries.for_each(&mut add);
        }
        sum
    }

    fn bytes(&self) -> u64 {
        let sizes = [size_of_val(&self.rows[..]), size_of_val(&self.columns[..])];
        sizes.iter().sum::<usize>() as u64 + size_of_val(&self.blocks[..]) as u64
    }

    /// Runs of [`SHARED`] rows.
    fn runs(&mut self) -> impl Iterator<Item = HalfMut<'_>> {
        let (rows, mut rest) = (&self.rows[..], self.blocks.as_mut_slice());
        (0..rows.len() - 1).step_by(SHARED).map(move |first| {
            let rows = &rows[first..rows.len().min(first + SHARED + 1)];
            let count = rows[rows.len() - 1][0] - rows[0][0];
            let blocks = rest.split_off_mut(..count as usize).expect("rows have their entries");
            HalfMut { rows, blocks }
        })
    }
}

/// Values on one side of the diagonal of consecutive rows, and where the next one begins.
struct HalfMut<'a> {
    rows: &'a [[u32; 2]],
    blocks: &'a mut [Block6],
}

impl HalfMut<'_> {
    /// How many entries row `k` of these has.
    fn len(&self, k: usize) -> usize {
        (self.rows[k + 1][0] - self.rows[k][0]) as usize
    }

    /// Sets row `k` of these, and returns how many of `blocks` lie before the split.
    fn set(&mut self, k: usize, blocks: &[Block6]) -> usize {
        let [first, split] = self.rows[k];
        let at = (first - self.rows[0][0]) as usize;
        self.blocks[at..at + blocks.len()].copy_from_slice(blocks);
        (split - first) as usize
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct RigidMatrix {
    pub(crate) graph: Pattern,
    /// First rows of the parts, and behind them how many rows there are.
    parts: Vec<u32>,
    left: Half,
    own: Vec<Block6>,
    right: Half,
    /// Inverse of each diagonal block with `beyond` added.
    inverse: Vec<Block6>,
    /// Half of the sum of what couples each row to other parts.
    beyond: Vec<Rigid>,
    /// Scratch: the motions before a backward sweep.
    old: Vec<Rigid>,
}

/// Values of consecutive rows.
pub(crate) struct RowsMut<'a> {
    first: usize,
    left: HalfMut<'a>,
    own: &'a mut [Block6],
    right: HalfMut<'a>,
    inverse: &'a mut [Block6],
    beyond: &'a mut [Rigid],
}

impl RowsMut<'_> {
    /// Numbers of the rows.
    pub(crate) fn range(&self) -> Range<usize> {
        self.first..self.first + self.own.len()
    }

    /// How many entries row `i` has.
    pub(crate) fn entries(&self, i: usize) -> usize {
        self.left.len(i - self.first) + 1 + self.right.len(i - self.first)
    }

    /// Which entry of row `i` is its diagonal.
    pub(crate) fn diagonal(&self, i: usize) -> usize {
        self.left.len(i - self.first)
    }

    /// Sets row `i` to `blocks`; `inverted` inverts what its unknowns are held by.
    pub(crate) fn set(
        &mut self,
        i: usize,
        blocks: &[Block6],
        inverted: impl FnOnce(&Block6) -> Block6,
    ) {
        let k = i - self.first;
        let (left, rest) = blocks.split_at(self.diagonal(i));
        let (own, right) = rest.split_first().expect("every row has its diagonal");
        let (before, inside) = (self.left.set(k, left), self.right.set(k, right));
        self.own[k] = *own;
        let mut beyond = Rigid::ZERO;
        for block in left[..before].iter().chain(&right[inside..]) {
            beyond += block.row_sums();
        }
        self.beyond[k] = beyond.scaled(0.5);
        let mut held = *own;
        held.add_diagonal(self.beyond[k]);
        self.inverse[k] = inverted(&held);
    }
}

impl RigidMatrix {
    /// A matrix with entries in `graph`, in parts that may be shared.
    pub(crate) fn new(graph: Pattern) -> Self {
        let mut matrix = Self::default();
        let parts = parts(&graph);
        matrix.lay_out(graph, parts);
        matrix
    }

    /// Takes over entries in `graph`, in one part.
    pub(crate) fn renew(&mut self, graph: Pattern) {
        let count = graph.start.len() as u32 - 1;
        self.lay_out(graph, vec![0, count]);
    }

    fn lay_out(&mut self, graph: Pattern, parts: Vec<u32>) {
        let Self { left, right, .. } = self;
        left.clear();
        right.clear();
        for part in parts.windows(2) {
            for i in part[0]..part[1] {
                let own = &graph.columns[graph.range(i as usize)];
                let below = |limit: u32| own.partition_point(|j| *j < limit);
                let diagonal = below(i);
                left.push_row(&own[..diagonal], below(part[0]));
                right.push_row(&own[diagonal + 1..], below(part[1]) - diagonal - 1);
            }
        }
        left.close();
        right.close();
        let count = graph.start.len() - 1;
        self.own.resize(count, Block6::default());
        self.inverse.resize(count, Block6::default());
        self.beyond.resize(count, Rigid::ZERO);
        (self.graph, self.parts) = (graph, parts);
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.own.len()
    }

    /// Runs of [`SHARED`] rows, to be set.
    pub(crate) fn rows_mut(&mut self) -> Vec<RowsMut<'_>> {
        let halves = self.left.runs().zip(self.right.runs());
        let own = self.own.chunks_mut(SHARED).zip(self.inverse.chunks_mut(SHARED));
        let runs = halves.zip(own).zip(self.beyond.chunks_mut(SHARED));
        (0..)
            .step_by(SHARED)
            .zip(runs)
            .map(|(first, (((left, right), (own, inverse)), beyond))| RowsMut {
                first,
                left,
                own,
                right,
                inverse,
                beyond,
            })
            .collect()
    }

    /// Bytes that one product reads.
    pub(crate) fn bytes(&self) -> u64 {
        self.left.bytes() + size_of_val(&self.own[..]) as u64 + self.right.bytes()
    }

    /// Bytes that sweeps read beside the entries.
    pub(crate) fn bytes_of_smoother(&self) -> u64 {
        (size_of_val(&self.inverse[..]) + size_of_val(&self.beyond[..])) as u64
    }

    /// Blocks of row `i` in ascending columns.
    pub(crate) fn row_blocks(&self, i: usize) -> impl Iterator<Item = &Block6> {
        let [left, right] = [&self.left, &self.right].map(|half| &half.blocks[half.row(i)]);
        left.iter().chain(std::iter::once(&self.own[i])).chain(right)
    }

    /// The block of row `i` and column `j`, if there is one.
    pub(crate) fn block(&self, i: usize, j: usize) -> Option<&Block6> {
        let slot = self.graph.find(i as u32, j as u32)?;
        self.row_blocks(i).nth((slot - self.graph.start[i]) as usize)
    }

    /// Row `i` of the product with `x`.
    #[inline(always)]
    pub(crate) fn row(&self, i: usize, x: &[Rigid]) -> Rigid {
        let mut sum = Rigid::ZERO;
        for (block, j) in self.row_blocks(i).zip(&self.graph.columns[self.graph.range(i)]) {
            sum += block.times(x[*j as usize]);
        }
        sum
    }

    /// `motion` is one forward sweep from zero on `force`.
    pub(crate) fn sweep_forward(&self, force: &[Rigid], motion: &mut [Rigid]) {
        self.for_parts(motion, |first, motion| {
            for k in 0..motion.len() {
                let i = first + k;
                let inside = self.left.split(i)..self.left.row(i).end;
                let mut rest = force[i];
                rest -= self.left.sum::<false>(inside, motion, first);
                motion[k] = self.inverse[i].times(rest);
            }
        });
    }

    /// Row `i` of what [`RigidMatrix::sweep_forward`] left of its force.
    pub(crate) fn left_by_forward(&self, i: usize, motion: &[Rigid]) -> Rigid {
        let before = self.left.row(i).start..self.left.split(i);
        let mut rest = self.beyond[i].times(motion[i]);
        rest -= self.left.sum::<false>(before, motion, 0);
        rest -= self.right.sum::<false>(self.right.row(i), motion, 0);
        rest
    }

    /// One backward sweep from `motion`.
    pub(crate) fn sweep_backward(&mut self, force: &[Rigid], motion: &mut [Rigid]) {
        let mut old = std::mem::take(&mut self.old);
        if self.is_long() {
            old.clear();
            old.extend_from_slice(motion);
        }
        self.for_parts(motion, |first, motion| {
            for k in (0..motion.len()).rev() {
                let i = first + k;
                let rest = self.left_of(force[i], i, &old, motion, first);
                motion[k] = self.inverse[i].times(rest);
            }
        });
        self.old = old;
    }

    /// Whether some parts may be coupled, and no cache holds it.
    fn is_long(&self) -> bool {
        self.len() > MOST
    }

    /// What all others leave of the force `rest` on row `i`: those of its part by `motion`, whose first row is `first`, and
    /// those beyond by `old`.
    #[inline(always)]
    fn left_of(
        &self,
        mut rest: Rigid,
        i: usize,
        old: &[Rigid],
        motion: &[Rigid],
        first: usize,
    ) -> Rigid {
        let (left, right) = (self.left.row(i), self.right.row(i));
        if self.is_long() {
            let (begin, end) = (self.left.split(i), self.right.split(i));
            rest += self.beyond[i].times(old[i]);
            rest -= self.right.sum::<true>(end..right.end, old, 0);
            rest -= self.right.sum::<true>(right.start..end, motion, first);
            rest -= self.left.sum::<true>(begin..left.end, motion, first);
            rest -= self.left.sum::<true>(left.start..begin, old, 0);
        } else {
            rest -= self.left.sum::<false>(left, motion, first);
            rest -= self.right.sum::<false>(right, motion, first);
        }
        rest
    }

    /// Calls `work` with each part's first row and its motions.
    fn for_parts(&self, motion: &mut [Rigid], work: impl Fn(usize, &mut [Rigid]) + Sync) {
        let (mut parts, mut rest) = (Vec::new(), motion);
        for part in self.parts.windows(2) {
            let (own, others) = rest.split_at_mut((part[1] - part[0]) as usize);
            rest = others;
            parts.push((part[0] as usize, own));
        }
        for_each(&mut parts, |(first, own)| work(*first, own));
    }
}

/// First rows of parts of `graph`, and behind them how many rows there are: a part ends where at least [`SHARED`] rows
/// are coupled to none behind them, and what is longer than [`MOST`] is cut evenly.
fn parts(graph: &Pattern) -> Vec<u32> {
    let size = graph.start.len() - 1;
    let (mut runs, mut reached) = (vec![0], 0);
    for i in 0..size {
        let first = runs.last().copied().unwrap_or(0);
        if i > reached && i - first >= SHARED {
            runs.push(i);
        }
        let last = graph.columns[graph.range(i)].last();
        reached = reached.max(last.map_or(i, |j| *j as usize));
    }
    runs.push(size);
    let mut parts = vec![0];
    for run in runs.windows(2) {
        let length = run[1] - run[0];
        let count = length.div_ceil(MOST).max(1);
        parts.extend((1..=count).map(|k| (run[0] + length * k / count) as u32));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::next_centred;
    use crate::sim::linear::dense::{LEAST_PIVOT, inverse_of_six};
    use crate::sim::linear::lanes::Lane4;

    fn random(seed: &mut u64) -> f32 {
        next_centred(seed) as f32
    }

    fn motion(seed: &mut u64) -> Rigid {
        let mut three = || Lane4::from_three(random(seed), random(seed), random(seed));
        Rigid { shift: three(), turn: three() }
    }

    fn dot(a: &[Rigid], b: &[Rigid]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a.shift.dot(b.shift) + a.turn.dot(b.turn)).sum()
    }

    /// Rows of a band of two strips with nothing between them, coupled to the next and to one further on, by blocks that
    /// are small against those on the diagonal.
    fn matrix(len: usize) -> RigidMatrix {
        let linked = |i: usize, j: usize| {
            let apart = i.abs_diff(j);
            apart == 0 || (apart == 1 || apart == 30) && (i < len / 4) == (j < len / 4)
        };
        let mut graph = Pattern { start: vec![0], columns: Vec::new() };
        for i in 0..len {
            let near = (i.saturating_sub(30)..len.min(i + 31)).filter(|j| linked(i, *j));
            graph.columns.extend(near.map(|j| j as u32));
            graph.start.push(graph.columns.len() as u32);
        }
        let mut matrix = RigidMatrix::new(graph.clone());
        for mut rows in matrix.rows_mut() {
            for i in rows.range() {
                let block = |j: &u32| {
                    let (low, high) = (i.min(*j as usize), i.max(*j as usize));
                    let mut seed = (low * len + high) as u64;
                    let part: [[f32; 6]; 6] =
                        std::array::from_fn(|_| std::array::from_fn(|_| random(&mut seed)));
                    let entry = |a: usize, b: usize| match low == high {
                        true => part[a][b] + part[b][a] + if a == b { 12.0 } else { 0.0 },
                        false if i == low => part[a][b],
                        false => part[b][a],
                    };
                    Block6::from_entries(entry)
                };
                let row: Vec<Block6> = graph.columns[graph.range(i)].iter().map(block).collect();
                rows.set(i, &row, |held| {
                    inverse_of_six(LEAST_PIVOT, |a, b| f64::from(held.entry(a, b)))
                });
            }
        }
        matrix
    }

    #[test]
    fn sweeps_over_several_parts_are_symmetric_and_tell_what_they_leave() {
        let len = 3000;
        let mut matrix = matrix(len);
        assert_eq!(matrix.parts, [0, 750, 1500, 2250, 3000]);
        let mut seed = 7;
        let mut force = || -> Vec<Rigid> { (0..len).map(|_| motion(&mut seed)).collect() };
        let (a, b) = (force(), force());
        let mut swept = |force: &[Rigid]| {
            let mut motion = vec![Rigid::ZERO; len];
            matrix.sweep_forward(force, &mut motion);
            for i in 0..len {
                let mut off = force[i];
                off -= matrix.row(i, &motion);
                off -= matrix.left_by_forward(i, &motion);
                // Sums of some thirty numbers of the size of one in single precision.
                assert!(off.shift.dot(off.shift) + off.turn.dot(off.turn) < 1e-10, "row {i}");
            }
            matrix.sweep_backward(force, &mut motion);
            motion
        };
        let (on_a, on_b) = (swept(&a), swept(&b));
        let size = (dot(&a, &on_a) * dot(&b, &on_b)).sqrt();
        assert!((dot(&a, &on_b) - dot(&b, &on_a)).abs() < 1e-5 * size);
        // What sweeps are for in conjugate gradients: 0 < M A < 2.
        let product: Vec<Rigid> = (0..len).map(|i| matrix.row(i, &on_a)).collect();
        assert!(dot(&on_a, &product) < dot(&a, &on_a) * 2.0);
    }
}
