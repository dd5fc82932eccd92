//! Directions around a normal, and mappings from the unit square.

use glam::{Vec2, Vec3A};
use std::f32::consts::{PI, TAU};

/// Two unit vectors that make a right-handed frame with the unit vector `n`
/// (Duff et al., "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017).
pub(super) fn basis(n: Vec3A) -> (Vec3A, Vec3A) {
    let sign = if n.z >= 0.0 { 1.0 } else { -1.0 };
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    (
        Vec3A::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x),
        Vec3A::new(b, sign + n.y * n.y * a, -n.y),
    )
}

/// A point of the unit disc (Shirley and Chiu 1997: keeps neighbours together).
pub(super) fn disc(u: Vec2) -> Vec2 {
    let p = u * 2.0 - Vec2::ONE;
    if p == Vec2::ZERO {
        return Vec2::ZERO;
    }
    let (r, angle) = if p.x.abs() > p.y.abs() {
        (p.x, PI / 4.0 * (p.y / p.x))
    } else {
        (p.y, PI / 2.0 - PI / 4.0 * (p.x / p.y))
    };
    let (sin, cos) = libm::sincosf(angle);
    Vec2::new(r * cos, r * sin)
}

/// A direction of the upper hemisphere (z up), denser with the cosine: density `z / pi`.
pub(super) fn cosine_direction(u: Vec2) -> Vec3A {
    let p = disc(u);
    Vec3A::new(p.x, p.y, (1.0 - p.length_squared()).max(0.0).sqrt())
}

/// A direction within the cone about +z whose `1 - cos(half angle)` is `height`, evenly spread.
pub(super) fn cone_direction(u: Vec2, height: f32) -> Vec3A {
    let drop = u.x * height;
    let radius = (drop * (2.0 - drop)).max(0.0).sqrt();
    let (sin, cos) = libm::sincosf(TAU * u.y);
    Vec3A::new(radius * cos, radius * sin, 1.0 - drop)
}

/// Rec.709 luminance.
pub(super) fn luminance(c: Vec3A) -> f32 {
    c.dot(Vec3A::new(0.2126, 0.7152, 0.0722))
}
