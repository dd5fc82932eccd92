//! The tangent in single precision, one row a node, as conjugate gradients and their preconditioner
//! use it: 3x3 blocks, and multiples of the identity where only bending couples two nodes.
//!
//! Its smoother is symmetric Gauss-Seidel within fixed chunks of nodes and Jacobi between them; half of
//! the sum of what a chunk does not see is added to the diagonal, so that the smoother converges
//! (Baker, Falgout, Kolev and Yang 2011).

use super::block_matrix::Pattern;
use super::chunks::{chunk, each, for_each};
use super::lanes::{Block3, Lane4, PACKED};
use glam::{DMat3, DVec3};

/// Marks a block to which no bending scalar belongs.
const NONE: u32 = u32::MAX;

/// One kind of entries of all rows: row `i` owns `start[i][0]..start[i + 1][0]`, in ascending columns;
/// those between `start[i][1]` and `start[i][2]` lie in its own chunk before it, up to
/// `start[i][3]` in its own chunk from it on.
#[derive(Clone, Debug, Default)]
struct Rows {
    start: Vec<[u32; 4]>,
    columns: Vec<u32>,
}

impl Rows {
    /// `size` is that of a chunk.
    fn push_row(&mut self, size: usize, row: usize, columns: impl Iterator<Item = u32>) {
        let first = self.columns.len();
        self.columns.extend(columns);
        let own = &self.columns[first..];
        let (low, high) = (row / size * size, (row / size + 1) * size);
        let before = |limit: usize| (first + own.partition_point(|c| (*c as usize) < limit)) as u32;
        self.start.push([first as u32, before(low), before(row), before(high)]);
    }

    fn close(&mut self) {
        self.start.push([self.columns.len() as u32; 4]);
    }

    fn bytes(&self) -> u64 {
        (size_of_val(&self.start[..]) + size_of_val(&self.columns[..])) as u64
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matrix {
    full: Rows,
    thin: Rows,
    /// Bending scalar that belongs to each block, if any, and to each thin entry.
    full_bend: Vec<u32>,
    thin_bend: Vec<u32>,
    /// Blocks without gaps, and behind them what loads of whole lanes read.
    blocks: Vec<f32>,
    scalars: Vec<f32>,
    /// Inverse of each diagonal block with `beyond` added; zero for fixed nodes.
    inverse: Vec<Block3>,
    /// Half of the sum of what couples each node to other chunks.
    beyond: Vec<Lane4>,
}

impl Matrix {
    /// The matrix of blocks in `pattern` and scalars in `bend`; its values come with [`Matrix::refresh`].
    pub(crate) fn new(pattern: &Pattern, bend: &Pattern) -> Self {
        let mut matrix = Self::default();
        let len = pattern.start.len().saturating_sub(1);
        let size = chunk(len);
        for i in 0..len {
            let own = &pattern.columns[pattern.range(i)];
            matrix.full.push_row(size, i, own.iter().copied());
            let range = bend.range(i);
            let first = matrix.full_bend.len();
            matrix.full_bend.resize(first + own.len(), NONE);
            let mut thin = Vec::new();
            for (slot, &j) in range.clone().zip(&bend.columns[range]) {
                if let Ok(at) = own.binary_search(&j) {
                    matrix.full_bend[first + at] = slot as u32;
                } else {
                    thin.push(j);
                    matrix.thin_bend.push(slot as u32);
                }
            }
            matrix.thin.push_row(size, i, thin.into_iter());
        }
        matrix.full.close();
        matrix.thin.close();
        matrix
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.full.start.len().saturating_sub(1)
    }

    /// Bytes that one product reads of it.
    pub(crate) fn bytes(&self) -> u64 {
        let values = size_of_val(&self.blocks[..]) + size_of_val(&self.scalars[..]);
        self.full.bytes() + self.thin.bytes() + values as u64
    }

    /// Bytes that one sweep of the smoother reads beside the entries.
    pub(crate) fn bytes_of_smoother(&self) -> u64 {
        (size_of_val(&self.inverse[..]) + size_of_val(&self.beyond[..])) as u64
    }

    /// Bytes that [`Matrix::refresh`] moves.
    pub(crate) fn bytes_of_refresh(&self) -> u64 {
        let sources =
            self.full.columns.len() * size_of::<DMat3>() + self.scalars.len() * size_of::<f64>();
        let slots = size_of_val(&self.full_bend[..]) + size_of_val(&self.thin_bend[..]);
        self.bytes() + self.bytes_of_smoother() + (sources + slots) as u64
    }

    /// Takes over values: blocks and bending scalars in their patterns' order. Fixed nodes are cut off.
    pub(crate) fn refresh(&mut self, blocks: &[DMat3], bend: &[f64], fixed: &[bool]) {
        let Self { full, thin, full_bend, thin_bend, blocks: values, scalars, inverse, beyond } =
            self;
        let (full, thin) = (&*full, &*thin);
        let (full_bend, thin_bend) = (full_bend.as_slice(), thin_bend.as_slice());
        values.resize(PACKED * full.columns.len() + 1, 0.0);
        scalars.resize(thin.columns.len(), 0.0);
        inverse.resize(fixed.len(), Block3::ZERO);
        beyond.resize(fixed.len(), Lane4::ZERO);
        let mut parts = Vec::new();
        let (mut rest, mut thin_rest) = (values.as_mut_slice(), scalars.as_mut_slice());
        let size = chunk(fixed.len());
        let rows = inverse.chunks_mut(size).zip(beyond.chunks_mut(size)).zip((0..).step_by(size));
        for ((inverse, beyond), first) in rows {
            let end = first + inverse.len();
            let count = (full.start[end][0] - full.start[first][0]) as usize;
            let thin_count = (thin.start[end][0] - thin.start[first][0]) as usize;
            let (own, others) = rest.split_at_mut(PACKED * count);
            let (own_thin, other_thin) = thin_rest.split_at_mut(thin_count);
            (rest, thin_rest) = (others, other_thin);
            parts.push((first, own.chunks_exact_mut(PACKED), own_thin.iter_mut(), inverse, beyond));
        }
        for_each(&mut parts, |(first, values, scalars, inverse, beyond)| {
            for (i, (inverse, out)) in (*first..).zip(inverse.iter_mut().zip(beyond.iter_mut())) {
                let mut beyond = DVec3::ZERO;
                let mut own = DMat3::ZERO;
                let [start, low, _, high] = full.start[i].map(|s| s as usize);
                for (slot, value) in (start..full.start[i + 1][0] as usize).zip(values.by_ref()) {
                    let j = full.columns[slot] as usize;
                    let mut block = blocks[slot];
                    if full_bend[slot] != NONE {
                        let bend = bend[full_bend[slot] as usize];
                        block += DMat3::from_diagonal(DVec3::splat(bend));
                    }
                    if fixed[i] || fixed[j] {
                        block = DMat3::ZERO;
                    } else if !(low..high).contains(&slot) {
                        beyond += block.x_axis.abs() + block.y_axis.abs() + block.z_axis.abs();
                    }
                    if i == j {
                        own = block;
                    }
                    let (packed, _) = value.as_chunks_mut();
                    packed[0] = Block3::new(&block).packed();
                }
                let [start, low, _, high] = thin.start[i].map(|s| s as usize);
                for (slot, scalar) in (start..thin.start[i + 1][0] as usize).zip(scalars.by_ref()) {
                    let free = !fixed[i] && !fixed[thin.columns[slot] as usize];
                    let value = if free { bend[thin_bend[slot] as usize] } else { 0.0 };
                    if !(low..high).contains(&slot) {
                        beyond += DVec3::splat(value.abs());
                    }
                    *scalar = value as f32;
                }
                let beyond = beyond * 0.5;
                *out = Lane4::new(beyond);
                *inverse = if fixed[i] {
                    Block3::ZERO
                } else {
                    Block3::new(&(own + DMat3::from_diagonal(beyond)).inverse())
                };
            }
        });
    }

    /// Sum of the entries `full` and `thin` of one row times `x`, whose first entry is node `first`.
    #[inline(always)]
    fn sum(&self, full: [u32; 2], thin: [u32; 2], x: &[Lane4], first: usize) -> Lane4 {
        let mut sums = [Lane4::ZERO; 3];
        for slot in full[0] as usize..full[1] as usize {
            self.add_block(slot, x, first, &mut sums);
        }
        add_scalars(self.scalars_in(thin), x, first, &mut sums);
        (sums[0] + sums[1] + sums[2]).only_three()
    }

    /// As [`Matrix::sum`] from the last entry to the first: what walks down the rows reads all of the matrix in one
    /// direction, which memory is fast at.
    #[inline(always)]
    fn sum_down(&self, full: [u32; 2], thin: [u32; 2], x: &[Lane4], first: usize) -> Lane4 {
        let mut sums = [Lane4::ZERO; 3];
        add_scalars(self.scalars_in(thin).rev(), x, first, &mut sums);
        for slot in (full[0] as usize..full[1] as usize).rev() {
            self.add_block(slot, x, first, &mut sums);
        }
        (sums[0] + sums[1] + sums[2]).only_three()
    }

    /// Adds the block in a slot times `x`, whose first entry is node `first`; the fourth lanes are of no use.
    #[inline(always)]
    fn add_block(&self, slot: usize, x: &[Lane4], first: usize, sums: &mut [Lane4; 3]) {
        let x = x[self.full.columns[slot] as usize - first];
        let block = Block3::beside_others(&self.blocks[PACKED * slot..]);
        for (sum, part) in sums.iter_mut().zip(block.parts(x)) {
            *sum += part;
        }
    }

    /// Scalars in these slots with their columns.
    #[inline(always)]
    fn scalars_in(&self, slots: [u32; 2]) -> impl DoubleEndedIterator<Item = (&f32, &u32)> {
        let range = slots[0] as usize..slots[1] as usize;
        self.scalars[range.clone()].iter().zip(&self.thin.columns[range])
    }

    /// `y = A x + more(i)`, and the scalar product of `x` and `y`.
    pub(crate) fn multiply(
        &self,
        x: &[Lane4],
        y: &mut [Lane4],
        more: impl Fn(usize) -> Lane4 + Sync,
    ) -> f64 {
        each(y, |first, chunk| {
            let mut dot = 0.0;
            for (y, i) in chunk.iter_mut().zip(first..) {
                let (f, t) = (&self.full.start, &self.thin.start);
                let sum = self.sum([f[i][0], f[i + 1][0]], [t[i][0], t[i + 1][0]], x, 0);
                *y = sum + more(i);
                dot += y.dot(x[i]);
            }
            dot
        })
    }

    /// One forward sweep of the smoother from zero over the chunk that starts at node `first`.
    pub(crate) fn sweep_forward(&self, first: usize, r: &[Lane4], z: &mut [Lane4]) {
        for k in 0..z.len() {
            let i = first + k;
            let (f, t) = (&self.full.start[i], &self.thin.start[i]);
            let sum = self.sum([f[1], f[2]], [t[1], t[2]], z, first);
            z[k] = self.inverse[i].times(r[k] - sum);
        }
    }

    /// Row `i` of `r - A z` where `z` is what [`Matrix::sweep_forward`] made of `r`.
    #[inline]
    pub(crate) fn left_by_forward(&self, i: usize, z: &[Lane4]) -> Lane4 {
        let (f, t) = (&self.full.start, &self.thin.start);
        // The diagonal block is the first from the node on.
        let before = self.sum([f[i][0], f[i][1]], [t[i][0], t[i][1]], z, 0);
        let after = self.sum([f[i][2] + 1, f[i + 1][0]], [t[i][2], t[i + 1][0]], z, 0);
        self.beyond[i] * z[i] - before - after
    }

    /// One backward sweep over the chunk `z` that starts at node `first`, from the iterate `old` before it. Returns the
    /// scalar product of the chunks of `r` and `z`.
    pub(crate) fn sweep_backward(
        &self,
        first: usize,
        r: &[Lane4],
        old: &[Lane4],
        z: &mut [Lane4],
    ) -> f64 {
        let mut dot = 0.0;
        for k in (0..z.len()).rev() {
            let i = first + k;
            let (f, t) = (&self.full.start, &self.thin.start);
            let after = self.sum_down([f[i][3], f[i + 1][0]], [t[i][3], t[i + 1][0]], old, 0);
            let inside = self.sum_down([f[i][2] + 1, f[i][3]], [t[i][2], t[i][3]], z, first)
                + self.sum_down([f[i][1], f[i][2]], [t[i][1], t[i][2]], old, 0);
            let before = self.sum_down([f[i][0], f[i][1]], [t[i][0], t[i][1]], old, 0);
            let rest = r[i] + self.beyond[i] * old[i] - before - inside - after;
            z[k] = self.inverse[i].times(rest);
            dot += z[k].dot(r[i]);
        }
        dot
    }

    /// Slot, column and value of the blocks of row `i`.
    pub(crate) fn full_row(&self, i: usize) -> impl Iterator<Item = (usize, usize, Block3)> {
        let range = self.full.start[i][0] as usize..self.full.start[i + 1][0] as usize;
        let block = |slot: usize| Block3::beside_others(&self.blocks[PACKED * slot..]).only_three();
        range.map(move |slot| (slot, self.full.columns[slot] as usize, block(slot)))
    }

    /// Slot, column and value of the scalars of row `i`.
    pub(crate) fn thin_row(&self, i: usize) -> impl Iterator<Item = (usize, usize, f32)> {
        let range = self.thin.start[i][0] as usize..self.thin.start[i + 1][0] as usize;
        range.map(|slot| (slot, self.thin.columns[slot] as usize, self.scalars[slot]))
    }

    /// Columns of the blocks of row `i`, and of its scalars.
    pub(crate) fn columns(&self, i: usize) -> (&[u32], &[u32]) {
        let own = |rows: &'_ Rows| rows.start[i][0] as usize..rows.start[i + 1][0] as usize;
        (&self.full.columns[own(&self.full)], &self.thin.columns[own(&self.thin)])
    }
}

/// Adds scalars times `x`, whose first entry is node `first`.
#[inline(always)]
fn add_scalars<'a>(
    scalars: impl Iterator<Item = (&'a f32, &'a u32)>,
    x: &[Lane4],
    first: usize,
    sums: &mut [Lane4; 3],
) {
    for (value, j) in scalars {
        sums[0] += x[*j as usize - first] * *value;
    }
}
