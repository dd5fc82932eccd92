//! Curves, sets and deterministic numbers: the same bits for the same input on every machine.

mod curve;
pub(crate) mod random;
pub mod rotation;
mod sets;

pub use curve::{Curve, CurveValue, Ease, Key};
pub(crate) use sets::Sets;

use glam::{DMat3, DQuat, DVec3};

/// The matrix `a b^T`.
#[inline]
pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// The rotation that turns about x, then y, then z by `degrees`.
pub fn rotation_from_degrees(degrees: DVec3) -> DQuat {
    let [x, y, z] = degrees.to_array().map(f64::to_radians);
    rotation::from_rotation_z(z) * rotation::from_rotation_y(y) * rotation::from_rotation_x(x)
}

/// The degrees about x, then y, then z of a rotation: the inverse of [`rotation_from_degrees`].
pub fn degrees_from_rotation(rotation: DQuat) -> DVec3 {
    let m = glam::DMat3::from_quat(rotation.normalize());
    // m = Rz * Ry * Rx
    let sin_y = (-m.x_axis.z).clamp(-1.0, 1.0);
    let y = libm::asin(sin_y);
    let (x, z) = if sin_y.abs() < 1.0 - 1e-12 {
        (libm::atan2(m.y_axis.z, m.z_axis.z), libm::atan2(m.x_axis.y, m.x_axis.x))
    } else {
        (0.0, libm::atan2(-m.y_axis.x, m.y_axis.y))
    };
    DVec3::new(x.to_degrees(), y.to_degrees(), z.to_degrees())
}
