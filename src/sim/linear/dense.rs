//! Small dense symmetric systems.

use super::lanes::Block6;

/// A pivot below this part of its diagonal entry may be rounding alone: the entries come from sums in
/// single precision (6e-8) of some ten to a hundred terms.
pub(super) const LEAST_PIVOT: f64 = 1e-5;

/// The factors `L D L^T` of a symmetric positive semi-definite matrix. An unknown whose pivot vanishes
/// is left at zero by a solve, as if it were fixed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factors {
    size: usize,
    /// Strictly lower triangle, column by column.
    lower: Vec<f64>,
    inverse_pivot: Vec<f64>,
}

impl Factors {
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
            let inverse = if pivot > LEAST_PIVOT * own { 1.0 / pivot } else { 0.0 };
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
}

/// The inverse of a symmetric positive semi-definite matrix of six rows (only `i >= j` are asked for). An unknown
/// whose pivot is below the part `least_pivot` of its diagonal entry is left at zero, as by [`Factors`].
pub(crate) fn inverse_of_six(least_pivot: f64, entry: impl Fn(usize, usize) -> f64) -> Block6 {
    // Columns of L below its diagonal, then rows of its inverse.
    let mut lower: [[f64; 6]; 6] =
        std::array::from_fn(|j| std::array::from_fn(|i| if i < j { 0.0 } else { entry(i, j) }));
    let mut inverse_pivot = [0.0; 6];
    for j in 0..6 {
        let pivot = lower[j][j];
        let inverse = if pivot > least_pivot * entry(j, j) { 1.0 / pivot } else { 0.0 };
        inverse_pivot[j] = inverse;
        let column = lower[j];
        for k in j + 1..6 {
            let factor = column[k] * inverse;
            for i in k..6 {
                lower[k][i] -= column[i] * factor;
            }
        }
        lower[j] = column.map(|c| c * inverse);
    }
    let mut rows = [[0.0; 6]; 6];
    for j in 0..6 {
        rows[j][j] = 1.0;
        for i in j + 1..6 {
            let sum: f64 = (j..i).map(|k| lower[k][i] * rows[k][j]).sum();
            rows[i][j] = -sum;
        }
    }
    Block6::from_entries(|i, j| {
        let from = i.max(j);
        (from..6).map(|k| rows[k][i] * inverse_pivot[k] * rows[k][j]).sum::<f64>() as f32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_of_six_rows_leaves_what_it_does_not_see_at_zero() {
        // B^T B with column 3 of B zero.
        let b = |k: usize, i: usize| {
            if i == 3 {
                0.0
            } else {
                libm::sin((3 * k + 5 * i) as f64) + if i == k { 2.0 } else { 0.0 }
            }
        };
        let entry = |i: usize, j: usize| (0..6).map(|k| b(k, i) * b(k, j)).sum::<f64>();
        let inverse = inverse_of_six(LEAST_PIVOT, entry);
        for i in 0..6 {
            for j in 0..6 {
                let product: f64 = (0..6).map(|k| inverse.entry(i, k) as f64 * entry(k, j)).sum();
                let expected = if i == j && i != 3 { 1.0 } else { 0.0 };
                assert!((product - expected).abs() < 1e-4, "{i} {j}: {product}");
            }
        }
    }

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
