//! Preconditioned conjugate gradients with fixed unknowns held at zero.

use glam::DVec3;

/// Vectors that one solve needs, kept between solves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    residual: Vec<DVec3>,
    preconditioned: Vec<DVec3>,
    direction: Vec<DVec3>,
    product: Vec<DVec3>,
}

/// What a solve did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Solved {
    /// Iterations used.
    pub(crate) iterations: u32,
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// Solves `A x = b` to a relative residual of `tolerance` in the preconditioner's norm, from `x = 0`.
/// `multiply(p, y)` sets `y = A p`; `precondition(r, z)` sets `z = P r`; both leave fixed unknowns at zero.
pub(crate) fn solve(
    workspace: &mut Workspace,
    b: &[DVec3],
    x: &mut [DVec3],
    tolerance: f64,
    most: u32,
    mut multiply: impl FnMut(&[DVec3], &mut [DVec3]),
    mut precondition: impl FnMut(&[DVec3], &mut [DVec3]),
) -> Solved {
    let n = b.len();
    for v in [
        &mut workspace.residual,
        &mut workspace.preconditioned,
        &mut workspace.direction,
        &mut workspace.product,
    ] {
        v.clear();
        v.resize(n, DVec3::ZERO);
    }
    let Workspace { residual, preconditioned, direction, product } = workspace;
    x.fill(DVec3::ZERO);
    residual.copy_from_slice(b);
    precondition(residual, preconditioned);
    direction.copy_from_slice(preconditioned);
    let mut rz = dot(residual, preconditioned);
    let enough = rz * tolerance * tolerance;
    let mut iterations = 0;
    while iterations < most && rz > enough {
        iterations += 1;
        multiply(direction, product);
        let curvature = dot(direction, product);
        if curvature <= 0.0 {
            break;
        }
        let alpha = rz / curvature;
        for i in 0..n {
            x[i] += direction[i] * alpha;
            residual[i] -= product[i] * alpha;
        }
        precondition(residual, preconditioned);
        let next = dot(residual, preconditioned);
        let beta = next / rz;
        rz = next;
        for i in 0..n {
            direction[i] = preconditioned[i] + direction[i] * beta;
        }
    }
    Solved { iterations }
}
