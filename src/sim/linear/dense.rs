//! Small dense symmetric systems.

use super::lanes::Block6;

/// A pivot below this part of its diagonal entry may be rounding alone: the entries come from sums in
/// single precision (6e-8) of some ten to a hundred terms.
const LEAST_PIVOT: f64 = 1e-5;

/// The factors `L D L^T` of a symmetric positive semi-definite matrix. An unknown whose pivot vanishes
/// is left at zero by a solve, as if it were fixed.
#[derive(Clone, Debug)]
pub(crate) struct Factors {
    size: usize,
    /// Part of its diagonal entry below which a pivot counts as none.
    least_pivot: f64,
    /// Strictly lower triangle, column by column.
    lower: Vec<f64>,
    inverse_pivot: Vec<f64>,
}

impl Default for Factors {
    fn default() -> Self {
        Self::down_to(LEAST_PIVOT)
    }
}

impl Factors {
    /// Factors that take pivots below the part `least_pivot` of their diagonal entries for rounding.
    pub(crate) fn down_to(least_pivot: f64) -> Self {
        Self { size: 0, least_pivot, lower: Vec::new(), inverse_pivot: Vec::new() }
    }

    /// Factorises the matrix of `size` rows with these entries (only `i >= j` are asked for).
    pub(crate) fn refresh(&mut self, size: usize, entry: impl Fn(usize, usize) -> f64) {
        self.size = size;
        self.lower.clear();
        self.lower.resize(size * size, 0.0);
        self.inverse_pivot.clear();
        for j in 0..size {
            for i in j..size {
                self.lower[j * size + i] = entry(i, j);
            }
        }
        for j in 0..size {
            let own = entry(j, j);
            let pivot = self.lower[j * size + j];
            let inverse = if pivot > self.least_pivot * own { 1.0 / pivot } else { 0.0 };
            self.inverse_pivot.push(inverse);
            // The columns behind lose their share of this one before it is scaled.
            let (head, tail) = self.lower.split_at_mut((j + 1) * size);
            let column = &mut head[j * size..];
            for (k, later) in (j + 1..size).zip(tail.chunks_exact_mut(size)) {
                let factor = column[k] * inverse;
                if factor != 0.0 {
                    for (l, c) in later[k..].iter_mut().zip(&column[k..]) {
                        *l -= c * factor;
                    }
                }
            }
            for c in &mut column[j + 1..] {
                *c *= inverse;
            }
        }
    }

    /// Solves in place.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let n = self.size;
        for j in 0..n {
            let own = x[j];
            for (x, l) in x[j + 1..n].iter_mut().zip(&self.lower[j * n + j + 1..(j + 1) * n]) {
                *x -= l * own;
            }
        }
        for (x, inverse) in x.iter_mut().zip(&self.inverse_pivot) {
            *x *= inverse;
        }
        for j in (0..n).rev() {
            let sum: f64 = x[j + 1..n]
                .iter()
                .zip(&self.lower[j * n + j + 1..(j + 1) * n])
                .map(|(x, l)| x * l)
                .sum();
            x[j] -= sum;
        }
    }

    /// The inverse of a matrix of six rows.
    pub(crate) fn inverse_of_six(&self) -> Block6 {
        let mut columns = [[0.0f64; 6]; 6];
        for (j, column) in columns.iter_mut().enumerate() {
            column[j] = 1.0;
            self.solve(column);
        }
        Block6::from_entries(|i, j| (0.5 * (columns[i][j] + columns[j][i])) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_and_leaves_what_it_does_not_see_at_zero() {
        // B^T B with a column of B zero: row and column 2 are void.
        let b = [[2.0, 1.0, 0.0, 0.5], [0.0, 3.0, 0.0, -1.0], [1.0, 0.0, 0.0, 4.0]];
        let entry = |i: usize, j: usize| (0..3).map(|k| b[k][i] * b[k][j]).sum::<f64>();
        let mut factors = Factors::default();
        factors.refresh(4, entry);
        let expected = [1.0, -2.0, 0.0, 3.0];
        let mut x: Vec<f64> =
            (0..4).map(|i| (0..4).map(|j| entry(i, j) * expected[j]).sum()).collect();
        factors.solve(&mut x);
        for (x, e) in x.iter().zip(expected) {
            assert!((x - e).abs() < 1e-12, "{x} instead of {e}");
        }
    }
}
