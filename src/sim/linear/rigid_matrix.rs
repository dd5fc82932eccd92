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

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct RigidMatrix {
    pub(crate) graph: Pattern,
    /// First rows of the parts, and behind them how many rows there are.
    parts: Vec<u32>,
    /// Of each row, where its entries left of the diagonal begin, and where those of its own part among them do;
    /// where its entries right of the diagonal begin, and where those of its own part among them end.
    rows: Vec<[u32; 4]>,
    left: Vec<Block6>,
    own: Vec<Block6>,
    right: Vec<Block6>,
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
    rows: &'a [[u32; 4]],
    left: &'a mut [Block6],
    own: &'a mut [Block6],
    right: &'a mut [Block6],
    inverse: &'a mut [Block6],
    beyond: &'a mut [Rigid],
}

impl RowsMut<'_> {
    /// Numbers of the rows.
    pub(crate) fn range(&self) -> Range<usize> {
        self.first..self.first + self.own.len()
    }

    /// Sets row `i` to `blocks`; `inverted` inverts what its unknowns are held by.
    pub(crate) fn set(
        &mut self,
        i: usize,
        blocks: &[Block6],
        inverted: impl FnOnce(&Block6) -> Block6,
    ) {
        let k = i - self.first;
        let [zero, row, next] = [self.rows[0], self.rows[k], self.rows[k + 1]];
        let [left, right] = [row[0]..next[0], row[2]..next[2]].map(|range| {
            let count = (range.end - range.start) as usize;
            (range.start as usize, count)
        });
        let (before, rest) = blocks.split_at(left.1);
        let (own, after) = rest.split_first().expect("every row has its diagonal");
        let first = left.0 - zero[0] as usize;
        self.left[first..first + left.1].copy_from_slice(before);
        self.own[k] = *own;
        let first = right.0 - zero[2] as usize;
        self.right[first..first + right.1].copy_from_slice(after);
        let outside =
            before[..(row[1] - row[0]) as usize].iter().chain(&after[(row[3] - row[2]) as usize..]);
        let mut beyond = Rigid::ZERO;
        for block in outside {
            beyond += block.row_sums();
        }
        beyond = beyond.scaled(0.5);
        self.beyond[k] = beyond;
        let mut held = *own;
        held.add_diagonal(beyond);
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
        (self.graph, self.parts) = (graph, parts);
        let (mut left, mut right) = (0, 0);
        self.rows.clear();
        for part in self.parts.windows(2) {
            for i in part[0]..part[1] {
                let own = &self.graph.columns[self.graph.range(i as usize)];
                let below = |limit: u32| own.partition_point(|j| *j < limit) as u32;
                let (low, diagonal, high) = (below(part[0]), below(i), below(part[1]));
                self.rows.push([left, left + low, right, right + high - diagonal - 1]);
                left += diagonal;
                right += own.len() as u32 - diagonal - 1;
            }
        }
        self.rows.push([left, left, right, right]);
        let zero = Block6::default();
        self.left.resize(left as usize, zero);
        self.right.resize(right as usize, zero);
        let count = self.rows.len() - 1;
        self.own.resize(count, zero);
        self.inverse.resize(count, zero);
        self.beyond.resize(count, Rigid::ZERO);
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.own.len()
    }

    /// Runs of [`SHARED`] rows, to be set.
    pub(crate) fn rows_mut(&mut self) -> Vec<RowsMut<'_>> {
        let Self { rows, left, own, right, inverse, beyond, .. } = self;
        let (mut left, mut right) = (left.as_mut_slice(), right.as_mut_slice());
        let own = own.chunks_mut(SHARED).zip(inverse.chunks_mut(SHARED));
        let mut runs = Vec::new();
        for ((k, (own, inverse)), beyond) in own.enumerate().zip(beyond.chunks_mut(SHARED)) {
            let first = k * SHARED;
            let rows = &rows[first..=first + own.len()];
            let (from, to) = (rows[0], rows[own.len()]);
            let (run_left, others) = left.split_at_mut((to[0] - from[0]) as usize);
            left = others;
            let (run_right, others) = right.split_at_mut((to[2] - from[2]) as usize);
            right = others;
            runs.push(RowsMut {
                first,
                rows,
                left: run_left,
                own,
                right: run_right,
                inverse,
                beyond,
            });
        }
        runs
    }

    /// Bytes that one product reads.
    pub(crate) fn bytes(&self) -> u64 {
        let blocks = self.left.len() + self.own.len() + self.right.len();
        (blocks * size_of::<Block6>()) as u64 + self.graph.bytes()
    }

    /// Bytes that sweeps read beside the entries.
    pub(crate) fn bytes_of_smoother(&self) -> u64 {
        (size_of_val(&self.inverse[..]) + size_of_val(&self.beyond[..])) as u64
    }

    /// Blocks of row `i` in ascending columns.
    pub(crate) fn row_blocks(&self, i: usize) -> impl Iterator<Item = &Block6> {
        let (row, next) = (self.rows[i], self.rows[i + 1]);
        let left = &self.left[row[0] as usize..next[0] as usize];
        let right = &self.right[row[2] as usize..next[2] as usize];
        left.iter().chain(std::iter::once(&self.own[i])).chain(right)
    }

    /// The block of row `i` and column `j`, if there is one.
    pub(crate) fn block(&self, i: usize, j: usize) -> Option<&Block6> {
        let at = self.graph.columns[self.graph.range(i)].binary_search(&(j as u32)).ok()?;
        self.row_blocks(i).nth(at)
    }

    /// Sum of the entries `range` left of the diagonal of row `i` times `x`, whose first entry is row `first`.
    #[inline(always)]
    fn sum_left<const DOWN: bool>(
        &self,
        i: usize,
        range: Range<u32>,
        x: &[Rigid],
        first: usize,
    ) -> Rigid {
        let columns = self.graph.start[i] - self.rows[i][0];
        sum::<DOWN>(&self.left, &self.graph.columns, range, columns, x, first)
    }

    /// The same right of the diagonal.
    #[inline(always)]
    fn sum_right<const DOWN: bool>(
        &self,
        i: usize,
        range: Range<u32>,
        x: &[Rigid],
        first: usize,
    ) -> Rigid {
        let columns = self.graph.start[i + 1] - self.rows[i + 1][2];
        sum::<DOWN>(&self.right, &self.graph.columns, range, columns, x, first)
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
                let inside = self.rows[i][1]..self.rows[i + 1][0];
                let mut rest = force[i];
                rest -= self.sum_left::<false>(i, inside, motion, first);
                motion[k] = self.inverse[i].times(rest);
            }
        });
    }

    /// Row `i` of what [`RigidMatrix::sweep_forward`] left of its force.
    pub(crate) fn left_by_forward(&self, i: usize, motion: &[Rigid]) -> Rigid {
        let (row, next) = (self.rows[i], self.rows[i + 1]);
        let mut rest = self.beyond[i].times(motion[i]);
        if row[1] > row[0] {
            rest -= self.sum_left::<false>(i, row[0]..row[1], motion, 0);
        }
        rest -= self.sum_right::<false>(i, row[2]..next[2], motion, 0);
        rest
    }

    /// One backward sweep from `motion`.
    pub(crate) fn sweep_backward(&mut self, force: &[Rigid], motion: &mut [Rigid]) {
        let mut old = std::mem::take(&mut self.old);
        old.clear();
        old.extend_from_slice(motion);
        self.for_parts(motion, |first, motion| {
            for k in (0..motion.len()).rev() {
                let i = first + k;
                let mut rest = force[i];
                rest += self.beyond[i].times(old[i]);
                self.take_off(i, &old, motion, first, &mut rest);
                motion[k] = self.inverse[i].times(rest);
            }
        });
        self.old = old;
    }

    /// Takes off `rest` what all others do to row `i`: those of its part by `motion`, whose first row is `first`, and those
    /// beyond by `old`. What walks down more rows than a cache holds reads them from the last entry on, all in one
    /// direction, which memory is fast at.
    #[inline(always)]
    fn take_off(&self, i: usize, old: &[Rigid], motion: &[Rigid], first: usize, rest: &mut Rigid) {
        let (row, next) = (self.rows[i], self.rows[i + 1]);
        if self.len() > MOST {
            *rest -= self.sum_right::<true>(i, row[3]..next[2], old, 0);
            *rest -= self.sum_right::<true>(i, row[2]..row[3], motion, first);
            *rest -= self.sum_left::<true>(i, row[1]..next[0], motion, first);
            *rest -= self.sum_left::<true>(i, row[0]..row[1], old, 0);
        } else {
            *rest -= self.sum_left::<false>(i, row[1]..next[0], motion, first);
            *rest -= self.sum_right::<false>(i, row[2]..row[3], motion, first);
        }
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

/// Sum of `blocks[range]` times `x`, whose first entry is row `first`; their columns lie `shift` behind them.
#[inline(always)]
fn sum<const DOWN: bool>(
    blocks: &[Block6],
    columns: &[u32],
    range: Range<u32>,
    shift: u32,
    x: &[Rigid],
    first: usize,
) -> Rigid {
    let columns = &columns[(range.start + shift) as usize..(range.end + shift) as usize];
    let mut sum = Rigid::ZERO;
    let blocks = blocks[range.start as usize..range.end as usize].iter().zip(columns);
    let mut add = |(block, j): (&Block6, &u32)| sum += block.times(x[*j as usize - first]);
    if DOWN {
        blocks.rev().for_each(&mut add);
    } else {
        blocks.for_each(&mut add);
    }
    sum
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
    use crate::sim::linear::dense::{LEAST_PIVOT, inverse_of_six};
    use crate::sim::linear::lanes::Lane4;

    fn random(seed: &mut u64) -> f32 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 33) as f32 / (1u64 << 31) as f32 - 0.5
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
