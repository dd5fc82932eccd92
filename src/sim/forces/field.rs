//! Fields of force about a place: a pull towards it, and a swirl about an axis through it.

use glam::DVec3;

/// Distance within which a field fades to nothing, so that it has no jump at its place [m].
const CORE: f64 = 0.05;

/// Acceleration at the offset `r` from the place [m/s2]: `strength` along `direction * r`, divided by
/// the distance to the power `falloff`. `turn` makes the direction of the push from the unit offset.
fn push(r: DVec3, strength: f64, falloff: f64, turn: impl Fn(DVec3) -> DVec3) -> DVec3 {
    let distance = (r.length_squared() + CORE * CORE).sqrt();
    turn(r / distance) * (strength / libm::pow(distance, falloff))
}

/// Pull of a point at `center` on something at `p` [m/s2].
pub(super) fn attract(p: DVec3, center: DVec3, strength: f64, falloff: f64) -> DVec3 {
    push(p - center, strength, falloff, |r| -r)
}

/// Swirl about the unit `axis` through `center` [m/s2], right-handed.
pub(super) fn swirl(p: DVec3, axis: DVec3, center: DVec3, strength: f64, falloff: f64) -> DVec3 {
    let r = p - center;
    push(r - axis * axis.dot(r), strength, falloff, |r| axis.cross(r))
}
