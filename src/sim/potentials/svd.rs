//! Singular values and eigenvalues of 3x3 matrices, by Jacobi sweeps.

use glam::{DMat3, DQuat, DVec3};

/// `A = U diag(sigma) V^T` with rotations U and V; the last singular value takes the sign of det A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Svd {
    pub(crate) u: DMat3,
    pub(crate) sigma: DVec3,
    pub(crate) v: DMat3,
}

impl Svd {
    /// Of any finite matrix, singular ones included.
    pub(crate) fn of(a: &DMat3) -> Self {
        let (squares, mut v) = eigen(&(a.transpose() * *a));
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| squares[j].total_cmp(&squares[i]));
        v = DMat3::from_cols(v.col(order[0]), v.col(order[1]), v.col(order[2]));
        if v.determinant() < 0.0 {
            v.z_axis = -v.z_axis;
        }
        let moved = *a * v;
        let first = moved.x_axis.try_normalize().unwrap_or(DVec3::X);
        let second = moved.y_axis - first * first.dot(moved.y_axis);
        let second = second.try_normalize().unwrap_or_else(|| first.any_orthonormal_vector());
        let third = first.cross(second);
        let sigma =
            DVec3::new(first.dot(moved.x_axis), second.dot(moved.y_axis), third.dot(moved.z_axis));
        Self { u: DMat3::from_cols(first, second, third), sigma, v }
    }
}

/// Eigenvalues and unit eigenvectors (columns) of a symmetric matrix: cyclic Jacobi (Golub and Van
/// Loan, algorithm 8.4.3), to rounding.
pub(crate) fn eigen(a: &DMat3) -> (DVec3, DMat3) {
    let mut a = [a.x_axis.to_array(), a.y_axis.to_array(), a.z_axis.to_array()];
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..12 {
        let off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
        let diagonal = a[0][0] * a[0][0] + a[1][1] * a[1][1] + a[2][2] * a[2][2];
        if off <= 1e-32 * diagonal || off == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for k in 0..3 {
                let (kp, kq) = (a[k][p], a[k][q]);
                (a[k][p], a[k][q]) = (c * kp - s * kq, s * kp + c * kq);
            }
            for k in 0..3 {
                let (pk, qk) = (a[p][k], a[q][k]);
                (a[p][k], a[q][k]) = (c * pk - s * qk, s * pk + c * qk);
            }
            for row in &mut v {
                let (kp, kq) = (row[p], row[q]);
                (row[p], row[q]) = (c * kp - s * kq, s * kp + c * kq);
            }
        }
    }
    let column = |k: usize| DVec3::new(v[0][k], v[1][k], v[2][k]);
    let values = DVec3::new(a[0][0], a[1][1], a[2][2]);
    (values, DMat3::from_cols(column(0), column(1), column(2)))
}

/// The rotation nearest to `a` by least squares (the orthogonal factor of its polar decomposition).
pub(crate) fn nearest_rotation(a: &DMat3) -> DMat3 {
    let svd = Svd::of(a);
    svd.u * svd.v.transpose()
}

/// As [`nearest_rotation`] of what is nearly `guess` times a symmetric positive matrix: Newton's method on
/// `tr(R^T a)`, whose gradient is the axial vector of `R^T a` and whose Hessian is that of its symmetric
/// part, `Y - tr(Y)`. None where that does not settle in a few steps.
pub(crate) fn nearest_rotation_from(a: &DMat3, guess: DMat3) -> Option<DMat3> {
    const MOST_STEPS: u32 = 6;
    let mut turn = DQuat::from_mat3(&guess).normalize();
    for _ in 0..MOST_STEPS {
        let y = DMat3::from_quat(turn).transpose() * *a;
        let axial =
            DVec3::new(y.y_axis.z - y.z_axis.y, y.z_axis.x - y.x_axis.z, y.x_axis.y - y.y_axis.x);
        let trace = y.x_axis.x + y.y_axis.y + y.z_axis.z;
        let curved = DMat3::from_diagonal(DVec3::splat(trace)) - (y + y.transpose()) * 0.5;
        let by = curved.inverse() * axial;
        // What is farther off than half a radian may run to another stationary point.
        if !by.is_finite() || by.length_squared() > 0.25 {
            return None;
        }
        let half = by * 0.5;
        turn = (turn * DQuat::from_xyzw(half.x, half.y, half.z, 1.0)).normalize();
        // Steps are exact to third order.
        if by.length_squared() < 1e-11 {
            return Some(DMat3::from_quat(turn));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation;

    fn far(a: &DMat3, b: &DMat3) -> f64 {
        let d = *a - *b;
        d.x_axis.length() + d.y_axis.length() + d.z_axis.length()
    }

    #[test]
    fn regular_flat_collinear_zero_and_mirrored_matrices_come_apart() {
        let some = DMat3::from_cols_array(&[1.0, 0.2, -0.3, 0.5, 2.0, 0.1, -0.7, 0.4, 0.9]);
        let flat = some * DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0));
        let line = some * DMat3::from_diagonal(DVec3::new(0.0, 3.0, 0.0));
        let mirrored = some * DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0));
        for a in [some, flat, line, DMat3::ZERO, mirrored, DMat3::IDENTITY] {
            let Svd { u, sigma, v } = Svd::of(&a);
            assert!(far(&(u * DMat3::from_diagonal(sigma) * v.transpose()), &a) < 1e-7, "{a}");
            for r in [u, v] {
                assert!(far(&(r.transpose() * r), &DMat3::IDENTITY) < 1e-12);
                assert!((r.determinant() - 1.0).abs() < 1e-12);
            }
            assert!(sigma.x >= sigma.y - 1e-12 && sigma.y >= sigma.z.abs() - 1e-7, "{sigma}");
        }
    }

    #[test]
    fn newton_finds_the_same_rotation_where_it_settles() {
        let turn = DMat3::from_quat(rotation::from_axis_angle(
            DVec3::new(-2.0, 1.0, 0.5).normalize(),
            1.2,
        ));
        let skewed = DMat3::from_cols_array(&[3.0, 0.2, -0.3, 0.5, 2.0, 0.1, -0.2, 0.4, 1.5]);
        let a = turn * skewed;
        let found = nearest_rotation_from(&a, turn).unwrap();
        assert!(far(&found, &nearest_rotation(&a)) < 1e-10, "{found}");
        // A rod: about its axis little is left to go by.
        let rod = turn * DMat3::from_diagonal(DVec3::new(1e-3, 1e-3, 1.0));
        let near = turn * DMat3::from_quat(rotation::from_rotation_y(1e-3));
        assert!(far(&nearest_rotation_from(&rod, near).unwrap(), &turn) < 1e-10);
        assert!(
            nearest_rotation_from(&a, turn * DMat3::from_quat(rotation::from_rotation_x(3.0)))
                .is_none()
        );
    }

    #[test]
    fn a_rotation_is_its_own_nearest_rotation() {
        let turn =
            DMat3::from_quat(rotation::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 2.5));
        let stretched = turn * DMat3::from_diagonal(DVec3::new(1e-4, 1.0, 30.0));
        assert!(far(&nearest_rotation(&turn), &turn) < 1e-12);
        assert!(far(&nearest_rotation(&stretched), &turn) < 1e-8);
    }
}
