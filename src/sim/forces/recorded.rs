//! Forces that a script writes as a function of a point.
//!
//! In its place a field acts explicitly: with the velocity taken on before the way (symplectic Euler)
//! that neither feeds nor damps an orbit, and is stable while the period of what it swings is above three
//! substeps. Where it is stiffer, it acts as at the end of the substep (backward Euler). In its velocity
//! it acts by halves: what turns the velocity acts at the middle of the substep and keeps the speed
//! to rounding, what brakes acts at its end and never turns the motion round, what speeds up acts as at
//! its start.

use crate::math::outer;
use crate::scene::FieldAt;
use crate::sim::potentials::svd::eigen;
use glam::{DMat3, DVec3};

/// Acceleration over a substep of `h` seconds that a field gives something with velocity `v`; the field
/// `at` its start is counted a kilogram [m/s2, 1/s2, 1/s].
pub(super) fn push(at: &FieldAt, v: DVec3, h: f64) -> DVec3 {
    if h == 0.0 {
        return at.value;
    }
    let turned = at.by_velocity.transpose();
    let (even, odd) = ((at.by_velocity + turned) * 0.5, (at.by_velocity - turned) * 0.5);
    let mut matrix = DMat3::IDENTITY - odd * (0.5 * h) - falling(&even).0 * h;
    let mut value = at.value;
    let (stiffness, stiffest) = falling(&((at.by_place + at.by_place.transpose()) * 0.5));
    if stiffest * h * h > STIFF {
        matrix -= stiffness * (h * h);
        value += stiffness * v * h;
    }
    matrix.inverse() * value
}

/// Stiffness per mass in substeps squared from which a field is no more explicit; at 4 it would be unstable.
const STIFF: f64 = 1.0;

/// The part of a symmetric matrix with negative eigenvalues, and how large the largest of them is.
fn falling(a: &DMat3) -> (DMat3, f64) {
    let (values, vectors) = eigen(a);
    let mut part = DMat3::ZERO;
    for k in 0..3 {
        part += outer(vectors.col(k), vectors.col(k)) * values[k].min(0.0);
    }
    (part, -values.min_element().min(0.0))
}
