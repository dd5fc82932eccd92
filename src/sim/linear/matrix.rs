//! The tangent in single precision, one row a node, as conjugate gradients and their preconditioner
//! use it: 3x3 blocks, and multiples of the identity where only bending couples two nodes.
//!
//! Its smoother is symmetric Gauss-Seidel over fixed chunks of nodes, which come in turns: a chunk sees the two beside
//! it if their turns were before. Between chunks farther apart it is Jacobi; half of the sum of what a chunk does not
//! see is added to the diagonal, so that the smoother converges (Baker, Falgout, Kolev and Yang 2011).

use super::block_matrix::Pattern;
use super::chunks::{chunk, each, for_each};
use super::fetch::fetch;
use super::lanes::{Block3, Lane4, PACKED};
use glam::{DMat3, DVec3};
use std::ops::Range;

/// Marks a block to which no bending scalar belongs.
const NONE: u32 = u32::MAX;

/// Where something begins or ends among the entries of a row, which lie in ascending columns.
#[derive(Clone, Copy)]
enum Mark {
    /// The first.
    Start,
    /// The chunk before the row's own.
    Before,
    /// Its own chunk.
    Own,
    /// What lies in its own chunk from the row on.
    Diagonal,
    /// The same without the diagonal.
    After,
    /// The chunk behind its own.
    Behind,
    /// What lies farther behind.
    Far,
    /// The end of the row.
    End,
}
use Mark::{After, Before, Behind, Diagonal, End, Far, Own, Start};

/// How many rows ahead memory is asked for their blocks. It is slower to see by itself which are next, as a row is read
/// from a dozen places: without, a substep of a hanging sheet of 300 x 300 takes 1.1 times as long.
const AHEAD: usize = 8;

/// One kind of entries of all rows, one row after the other.
#[derive(Clone, Debug, Default)]
struct Rows {
    /// Of each row its [`Mark`]s, but for what is behind the diagonal and the end, where the next row begins.
    start: Vec<[u32; 6]>,
    columns: Vec<u32>,
    /// 1 where each row has an entry on the diagonal.
    on_diagonal: u32,
}

impl Rows {
    /// `size` is that of a chunk.
    fn push_row(&mut self, size: usize, row: usize, columns: impl Iterator<Item = u32>) {
        let first = self.columns.len();
        self.columns.extend(columns);
        let own = &self.columns[first..];
        let chunk = row / size;
        let (low, high) = (chunk * size, (chunk + 1) * size);
        let limits = [0, low.saturating_sub(size), low, row, high, high + size];
        let begins = |limit: usize| own.partition_point(|c| (*c as usize) < limit);
        self.start.push(limits.map(|limit| (first + begins(limit)) as u32));
    }

    fn close(&mut self) {
        self.start.push([self.columns.len() as u32; 6]);
    }

    #[inline(always)]
    fn at(&self, i: usize, mark: Mark) -> usize {
        let own = &self.start[i];
        let at = match mark {
            Start => own[0],
            Before => own[1],
            Own => own[2],
            Diagonal => own[3],
            After => own[3] + self.on_diagonal,
            Behind => own[4],
            Far => own[5],
            End => self.start[i + 1][0],
        };
        at as usize
    }

    #[inline(always)]
    fn range(&self, i: usize, from: Mark, to: Mark) -> Range<usize> {
        self.at(i, from)..self.at(i, to)
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
        matrix.full.on_diagonal = 1;
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
            let count = full.at(end, Start) - full.at(first, Start);
            let thin_count = thin.at(end, Start) - thin.at(first, Start);
            let (own, others) = rest.split_at_mut(PACKED * count);
            let (own_thin, other_thin) = thin_rest.split_at_mut(thin_count);
            (rest, thin_rest) = (others, other_thin);
            parts.push((first, own.chunks_exact_mut(PACKED), own_thin.iter_mut(), inverse, beyond));
        }
        for_each(&mut parts, |(first, values, scalars, inverse, beyond)| {
            for (i, (inverse, out)) in (*first..).zip(inverse.iter_mut().zip(beyond.iter_mut())) {
                let mut beyond = DVec3::ZERO;
                let mut own = DMat3::ZERO;
                let seen = full.range(i, Before, Far);
                for (slot, value) in full.range(i, Start, End).zip(values.by_ref()) {
                    let j = full.columns[slot] as usize;
                    let mut block = blocks[slot];
                    if full_bend[slot] != NONE {
                        let bend = bend[full_bend[slot] as usize];
                        block += DMat3::from_diagonal(DVec3::splat(bend));
                    }
                    if fixed[i] || fixed[j] {
                        block = DMat3::ZERO;
                    } else if !seen.contains(&slot) {
                        beyond += block.x_axis.abs() + block.y_axis.abs() + block.z_axis.abs();
                    }
                    if i == j {
                        own = block;
                    }
                    let (packed, _) = value.as_chunks_mut();
                    packed[0] = Block3::new(&block).packed();
                }
                let seen = thin.range(i, Before, Far);
                for (slot, scalar) in thin.range(i, Start, End).zip(scalars.by_ref()) {
                    let free = !fixed[i] && !fixed[thin.columns[slot] as usize];
                    let value = if free { bend[thin_bend[slot] as usize] } else { 0.0 };
                    if !seen.contains(&slot) {
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

    /// Adds the entries of row `i` from one mark to another times `x`, whose first entry is node `first`, to three sums.
    #[inline(always)]
    fn add(&self, i: usize, span: [Mark; 2], x: &[Lane4], first: usize, sums: &mut [Lane4; 3]) {
        let [from, to] = span;
        for slot in self.full.range(i, from, to) {
            self.add_block(slot, x, first, sums);
        }
        add_scalars(self.scalars_in(self.thin.range(i, from, to)), x, first, sums);
    }

    /// As [`Matrix::add`] from the last entry to the first: what walks down the rows reads all of the matrix in one
    /// direction, which memory is fast at.
    #[inline(always)]
    fn add_down(
        &self,
        i: usize,
        span: [Mark; 2],
        x: &[Lane4],
        first: usize,
        sums: &mut [Lane4; 3],
    ) {
        let [from, to] = span;
        add_scalars(self.scalars_in(self.thin.range(i, from, to)).rev(), x, first, sums);
        for slot in self.full.range(i, from, to).rev() {
            self.add_block(slot, x, first, sums);
        }
    }

    /// Asks memory for the blocks of row `i`, if there is one.
    #[inline(always)]
    fn fetch(&self, i: usize) {
        if let Some(row) = self.full.start.get(i) {
            fetch(&self.blocks, PACKED * row[0] as usize);
        }
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
    fn scalars_in(&self, slots: Range<usize>) -> impl DoubleEndedIterator<Item = (&f32, &u32)> {
        self.scalars[slots.clone()].iter().zip(&self.thin.columns[slots])
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
                self.fetch(i + AHEAD);
                let mut sums = [Lane4::ZERO; 3];
                self.add(i, [Start, End], x, 0, &mut sums);
                *y = whole(sums) + more(i);
                dot += y.dot(x[i]);
            }
            dot
        })
    }

    /// One forward sweep of the smoother from zero over the chunk `z` that starts at node `first`, between the chunks
    /// `beside`, where those were swept before. `more(i, z)` is what other matrices do to row `i`.
    pub(crate) fn sweep_forward(
        &self,
        first: usize,
        r: &[Lane4],
        z: &mut [Lane4],
        [before, behind]: [Option<&[Lane4]>; 2],
        more: impl Fn(usize, &[Lane4]) -> Lane4,
    ) {
        for k in 0..z.len() {
            let i = first + k;
            self.fetch(i + AHEAD);
            let mut sums = [Lane4::ZERO; 3];
            self.add(i, [Own, Diagonal], z, first, &mut sums);
            if let Some(before) = before {
                self.add(i, [Before, Own], before, first - before.len(), &mut sums);
            }
            if let Some(behind) = behind {
                self.add(i, [Behind, Far], behind, first + z.len(), &mut sums);
            }
            z[k] = self.inverse[i].times(r[k] - whole(sums) - more(i, z));
        }
    }

    /// Sets the chunk `left` that starts at node `first` to its rows of `r - A z - more(i)` where `z` is what
    /// [`Matrix::sweep_forward`] made of `r`; `saw` tells whether the chunks before and behind it were swept before.
    pub(crate) fn left_by_forward(
        &self,
        first: usize,
        z: &[Lane4],
        left: &mut [Lane4],
        [saw_before, saw_behind]: [bool; 2],
        more: impl Fn(usize) -> Lane4,
    ) {
        for (left, i) in left.iter_mut().zip(first..) {
            self.fetch(i + AHEAD);
            let mut sums = [Lane4::ZERO; 3];
            self.add(i, [Start, if saw_before { Before } else { Own }], z, 0, &mut sums);
            if saw_behind {
                self.add(i, [After, Behind], z, 0, &mut sums);
                self.add(i, [Far, End], z, 0, &mut sums);
            } else {
                self.add(i, [After, End], z, 0, &mut sums);
            }
            *left = self.beyond[i] * z[i] - whole(sums) - more(i);
        }
    }

    /// One backward sweep over the chunk `z` that starts at node `first`, from the iterate `old` before it, between the
    /// chunks `beside`, where those were swept before. `more(i, z)` is what other matrices do to row `i`, with the
    /// iterate before as its own. Returns the scalar product of the chunks of `r` and `z`.
    pub(crate) fn sweep_backward(
        &self,
        first: usize,
        r: &[Lane4],
        old: &[Lane4],
        z: &mut [Lane4],
        [before, behind]: [Option<&[Lane4]>; 2],
        more: impl Fn(usize, &[Lane4]) -> Lane4,
    ) -> f64 {
        let mut dot = 0.0;
        for k in (0..z.len()).rev() {
            let i = first + k;
            self.fetch(i.wrapping_sub(AHEAD));
            let mut sums = [Lane4::ZERO; 3];
            if let Some(behind) = behind {
                self.add_down(i, [Far, End], old, 0, &mut sums);
                self.add_down(i, [Behind, Far], behind, first + z.len(), &mut sums);
            } else {
                self.add_down(i, [Behind, End], old, 0, &mut sums);
            }
            self.add_down(i, [After, Behind], z, first, &mut sums);
            if let Some(before) = before {
                self.add_down(i, [Own, Diagonal], old, 0, &mut sums);
                self.add_down(i, [Before, Own], before, first - before.len(), &mut sums);
                self.add_down(i, [Start, Before], old, 0, &mut sums);
            } else {
                self.add_down(i, [Start, Diagonal], old, 0, &mut sums);
            }
            z[k] = old[i];
            let rest = r[i] + self.beyond[i] * old[i] - whole(sums) - more(i, z);
            z[k] = self.inverse[i].times(rest);
            dot += z[k].dot(r[i]);
        }
        dot
    }

    /// Slot, column and value of the blocks of row `i`.
    pub(crate) fn full_row(&self, i: usize) -> impl Iterator<Item = (usize, usize, Block3)> {
        let range = self.full.range(i, Start, End);
        let block = |slot: usize| Block3::beside_others(&self.blocks[PACKED * slot..]).only_three();
        range.map(move |slot| (slot, self.full.columns[slot] as usize, block(slot)))
    }

    /// Slot, column and value of the scalars of row `i`.
    pub(crate) fn thin_row(&self, i: usize) -> impl Iterator<Item = (usize, usize, f32)> {
        let range = self.thin.range(i, Start, End);
        range.map(|slot| (slot, self.thin.columns[slot] as usize, self.scalars[slot]))
    }

    /// Columns of the blocks of row `i`, and of its scalars.
    pub(crate) fn columns(&self, i: usize) -> (&[u32], &[u32]) {
        let own = |rows: &'_ Rows| rows.range(i, Start, End);
        (&self.full.columns[own(&self.full)], &self.thin.columns[own(&self.thin)])
    }
}

/// What three sums come to; their fourth lanes are of no use.
#[inline(always)]
fn whole(sums: [Lane4; 3]) -> Lane4 {
    (sums[0] + sums[1] + sums[2]).only_three()
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
