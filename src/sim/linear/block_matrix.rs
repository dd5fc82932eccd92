//! A sparse matrix of 3x3 blocks with a fixed pattern, and one of scalars times the identity.

use super::chunks::each;
use glam::{DMat3, DVec3};

/// Rows of 3x3 blocks: `blocks[start[i]..start[i + 1]]` in columns `columns[..]`, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    pub(crate) start: Vec<u32>,
    pub(crate) columns: Vec<u32>,
}

impl Pattern {
    /// The pattern in which all nodes of each group are coupled, and every node with itself.
    pub(crate) fn new<'a>(size: usize, groups: impl Iterator<Item = &'a [u32]>) -> Self {
        let mut rows: Vec<Vec<u32>> = (0..size as u32).map(|i| vec![i]).collect();
        for group in groups {
            for &i in group {
                rows[i as usize].extend(group.iter().filter(|&&j| j != i));
            }
        }
        let mut pattern = Self { start: vec![0], columns: Vec::new() };
        for row in &mut rows {
            row.sort_unstable();
            row.dedup();
            pattern.columns.extend_from_slice(row);
            pattern.start.push(pattern.columns.len() as u32);
        }
        pattern
    }

    /// Slots of row `i`.
    #[inline(always)]
    pub(crate) fn range(&self, i: usize) -> std::ops::Range<usize> {
        self.start[i] as usize..self.start[i + 1] as usize
    }

    /// Bytes that one pass over it reads.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(&self.start[..]) + size_of_val(&self.columns[..])) as u64
    }

    /// Row `i` of the product with the vector `x`, of scalars that stand for multiples of the 3x3 identity.
    #[inline(always)]
    pub(crate) fn row_product(
        &self,
        values: &[f64],
        i: usize,
        x: impl Fn(usize) -> DVec3,
    ) -> DVec3 {
        let range = self.range(i);
        let mut sum = DVec3::ZERO;
        for (&j, &v) in self.columns[range.clone()].iter().zip(&values[range]) {
            sum += x(j as usize) * v;
        }
        sum
    }

    /// The same of two at once, which read the pattern once: each of `values` with its one of the two that `x` gives.
    #[inline(always)]
    pub(crate) fn row_products(
        &self,
        values: [&[f64]; 2],
        i: usize,
        x: impl Fn(usize) -> [DVec3; 2],
    ) -> [DVec3; 2] {
        let range = self.range(i);
        let mut sums = [DVec3::ZERO; 2];
        let both = values[0][range.clone()].iter().zip(&values[1][range.clone()]);
        for (&j, (&v, &w)) in self.columns[range].iter().zip(both) {
            let [x, y] = x(j as usize);
            sums[0] += x * v;
            sums[1] += y * w;
        }
        sums
    }

    /// Where the entry of row `i` and column `j` lies, if there is one.
    pub(crate) fn find(&self, i: u32, j: u32) -> Option<u32> {
        let range = self.range(i as usize);
        let k = self.columns[range.clone()].binary_search(&j).ok()?;
        Some((range.start + k) as u32)
    }

    /// Where the entry of row `i` and column `j` lies.
    pub(crate) fn slot(&self, i: u32, j: u32) -> u32 {
        self.find(i, j).expect("the pattern has this entry")
    }
}

/// `y += values * x` with scalars that stand for multiples of the 3x3 identity.
pub(crate) fn add_scalar_product(pattern: &Pattern, values: &[f64], x: &[DVec3], y: &mut [DVec3]) {
    each(y, |first, chunk| {
        for (out, i) in chunk.iter_mut().zip(first..) {
            *out += pattern.row_product(values, i, |j| x[j]);
        }
        0.0
    });
}

/// `y = blocks * x`.
pub(crate) fn block_product(pattern: &Pattern, blocks: &[DMat3], x: &[DVec3], y: &mut [DVec3]) {
    each(y, |first, chunk| {
        for (out, i) in chunk.iter_mut().zip(first..) {
            let range = pattern.range(i);
            let mut sum = DVec3::ZERO;
            for (&j, block) in pattern.columns[range.clone()].iter().zip(&blocks[range]) {
                sum += *block * x[j as usize];
            }
            *out = sum;
        }
        0.0
    });
}
