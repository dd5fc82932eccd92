//! Curves and deterministic numbers: the same bits for the same input on every machine.

mod curve;

pub use curve::{Curve, CurveValue, Ease, Key};

use glam::{DQuat, DVec3};

/// The rotation that turns about x, then y, then z by `degrees`.
pub fn rotation_from_degrees(degrees: DVec3) -> DQuat {
    let [x, y, z] = degrees.to_array().map(f64::to_radians);
    DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x)
}
