//! Rotations from angles and back, the same to the bit on every machine: those of glam ask the C library for sines.

use glam::{DQuat, DVec3};

/// The rotation by `angle` [rad] about `axis`, of length 1.
pub fn from_axis_angle(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(angle * 0.5);
    let v = axis * sin;
    DQuat::from_xyzw(v.x, v.y, v.z, cos)
}

/// The rotation about `turn` by its length [rad].
pub fn from_scaled_axis(turn: DVec3) -> DQuat {
    let angle = turn.length();
    if angle == 0.0 { DQuat::IDENTITY } else { from_axis_angle(turn / angle, angle) }
}

/// The rotation by `angle` [rad] about x.
pub fn from_rotation_x(angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(angle * 0.5);
    DQuat::from_xyzw(sin, 0.0, 0.0, cos)
}

/// The rotation by `angle` [rad] about y.
pub fn from_rotation_y(angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(angle * 0.5);
    DQuat::from_xyzw(0.0, sin, 0.0, cos)
}

/// The rotation by `angle` [rad] about z.
pub fn from_rotation_z(angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(angle * 0.5);
    DQuat::from_xyzw(0.0, 0.0, sin, cos)
}

/// The shortest rotation from one direction to another, both of length 1.
pub fn from_rotation_arc(from: DVec3, to: DVec3) -> DQuat {
    const NEARLY_ONE: f64 = 1.0 - 2.0 * f64::EPSILON;
    let dot = from.dot(to);
    if dot > NEARLY_ONE {
        DQuat::IDENTITY
    } else if dot < -NEARLY_ONE {
        from_axis_angle(from.any_orthonormal_vector(), std::f64::consts::PI)
    } else {
        let c = from.cross(to);
        DQuat::from_xyzw(c.x, c.y, c.z, 1.0 + dot).normalize()
    }
}

/// The axis of a rotation, as long as its angle [rad], which is 0 to 2 pi: the inverse of [`from_scaled_axis`].
pub fn to_scaled_axis(rotation: DQuat) -> DVec3 {
    // Below, the axis is rounding.
    const LEAST: f64 = 1e-8;
    let v = rotation.xyz();
    let length = v.length();
    if length < LEAST {
        return DVec3::ZERO;
    }
    v / length * (2.0 * libm::atan2(length, rotation.w))
}

/// What lies at the part `at` of the shorter way from `a` to `b`.
pub fn between(a: DQuat, b: DQuat, at: f64) -> DQuat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let turn = to_scaled_axis((a.inverse() * b).normalize());
    (a * from_scaled_axis(turn * at)).normalize()
}

/// The angle between two vectors [rad].
pub fn angle_between(a: DVec3, b: DVec3) -> f64 {
    libm::atan2(a.cross(b).length(), a.dot(b))
}

/// The angle of the rotation from `a` to `b` [rad].
pub fn angle_from(a: DQuat, b: DQuat) -> f64 {
    let apart = a.inverse() * b;
    2.0 * libm::atan2(apart.xyz().length(), apart.w.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, PI};

    #[test]
    fn turns_and_rotations_undo_each_other() {
        for turn in [DVec3::ZERO, DVec3::new(0.3, -2.0, 1.0), DVec3::X * PI, DVec3::Z * 5.0] {
            let rotation = from_scaled_axis(turn);
            assert!(rotation.is_normalized());
            assert!(to_scaled_axis(rotation).distance(turn) < 1e-14, "{turn}");
        }
        let quarter = from_rotation_z(FRAC_PI_2);
        assert!((quarter * DVec3::X).distance(DVec3::Y) < 1e-14);
        assert!((from_rotation_x(FRAC_PI_2) * DVec3::Y).distance(DVec3::Z) < 1e-14);
        assert!((from_rotation_y(FRAC_PI_2) * DVec3::Z).distance(DVec3::X) < 1e-14);
        assert!(
            (angle_from(quarter, from_rotation_z(FRAC_PI_3)) - (FRAC_PI_2 - FRAC_PI_3)).abs()
                < 1e-14
        );
    }

    #[test]
    fn the_shortest_rotation_brings_one_direction_to_the_other() {
        let from = DVec3::new(1.0, 2.0, -2.0) / 3.0;
        for to in [from, -from, DVec3::X, from.any_orthonormal_vector()] {
            let there = from_rotation_arc(from, to) * from;
            assert!(there.distance(to) < 1e-14, "{to}: {there}");
            let half = between(DQuat::IDENTITY, from_rotation_arc(from, to), 0.5);
            let angle = angle_between(from, to);
            assert!((angle_between(from, half * from) - 0.5 * angle).abs() < 1e-7, "{to}");
        }
    }
}
