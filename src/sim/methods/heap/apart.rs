//! How far two convex solids are apart, and along which direction (Gilbert, Johnson and Keerthi 1988, with the closest
//! point of the simplex by its regions, Ericson 2005, 9.5). The same search as in `geometry::convex`, without
//! allocation and with the places.

use crate::geometry::{Gap, closest_on_triangle, gap};
use glam::DVec3;

/// Most looks; each comes nearer, so that only rounding could go on for so long.
const LOOKS: usize = 64;

/// Part of the distance by which it may be farther than the gap that is sure.
const GAIN: f64 = 1e-10;

/// Sine below which the fourth corner of a simplex counts as in the plane of the others.
const FLAT: f64 = 1e-12;

/// Two solids that are apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Apart {
    /// Unit vector from the second to the first.
    pub(super) normal: DVec3,
    /// How far they are apart along it at least [m]: no corner of either comes into a gap so wide.
    pub(super) distance: f64,
    /// The places that are nearest to each other [m].
    pub(super) places: [DVec3; 2],
    /// A corner of each that is nearest.
    pub(super) corners: [u32; 2],
}

#[derive(Clone, Copy, Default)]
struct Corner {
    difference: DVec3,
    own: [u32; 2],
}

/// The gap of two solids with these corners, begun along `guess`; none where they touch or overlap. What is farther
/// apart than `near` is not told exactly.
pub(super) fn apart(a: &[DVec3], b: &[DVec3], guess: DVec3, near: f64) -> Option<Apart> {
    sought(a, b, guess, near).or_else(|| slowly(a, b))
}

/// The same for what rounding keeps the quick way from: how far they are apart is exact, the places are corners.
fn slowly(a: &[DVec3], b: &[DVec3]) -> Option<Apart> {
    let Gap::Apart { distance, normal } = gap(a, b) else { return None };
    let corners = [farthest(a, -normal), farthest(b, normal)];
    let places = [a[corners[0] as usize], b[corners[1] as usize]];
    Some(Apart { normal, distance, places, corners })
}

fn sought(a: &[DVec3], b: &[DVec3], guess: DVec3, near: f64) -> Option<Apart> {
    let support = |direction: DVec3| {
        let own = [farthest(a, -direction), farthest(b, direction)];
        Corner { difference: a[own[0] as usize] - b[own[1] as usize], own }
    };
    let mut simplex = [support(guess), Corner::default(), Corner::default(), Corner::default()];
    let mut weights = [1.0, 0.0, 0.0, 0.0];
    let mut count = 1;
    let mut nearest = simplex[0].difference;
    let mut best: Option<(f64, DVec3)> = None;
    for _ in 0..LOOKS {
        let length = nearest.length();
        if length == 0.0 {
            break;
        }
        let along = nearest / length;
        let farther = support(along);
        let gap = along.dot(farther.difference);
        if best.is_none_or(|(most, _)| gap > most) {
            best = Some((gap, along));
        }
        let known = simplex[..count].iter().any(|corner| corner.own == farther.own);
        if gap > near || known || length - gap <= GAIN * length {
            break;
        }
        simplex[count] = farther;
        count += 1;
        let Some((closer, kept)) = reduce(&mut simplex, &mut weights, count) else { break };
        count = kept;
        if closer.length_squared() >= nearest.length_squared() {
            break;
        }
        nearest = closer;
    }
    let (distance, normal) = best.filter(|(gap, _)| *gap > 0.0)?;
    let mut places = [DVec3::ZERO; 2];
    for (corner, weight) in simplex[..count].iter().zip(weights) {
        places[0] += a[corner.own[0] as usize] * weight;
        places[1] += b[corner.own[1] as usize] * weight;
    }
    Some(Apart { normal, distance, places, corners: simplex[0].own })
}

/// The corner that is farthest along `direction`; of several the one of the lowest number.
fn farthest(corners: &[DVec3], direction: DVec3) -> u32 {
    let (mut best, mut most) = (0, f64::NEG_INFINITY);
    for (i, corner) in corners.iter().enumerate() {
        let along = corner.dot(direction);
        if along > most {
            (best, most) = (i, along);
        }
    }
    best as u32
}

/// Leaves of a simplex of `count` corners those whose hull has the place nearest to the origin, with their weights: that
/// place, and how many are left; none where the origin is inside of four.
fn reduce(
    simplex: &mut [Corner; 4],
    weights: &mut [f64; 4],
    count: usize,
) -> Option<(DVec3, usize)> {
    let at = |k: usize| simplex[k].difference;
    let mut found = [0.0; 4];
    match count {
        2 => {
            let along = at(1) - at(0);
            let part = (-at(0).dot(along) / along.length_squared()).clamp(0.0, 1.0);
            (found[0], found[1]) = (1.0 - part, part);
        }
        3 => found[..3].copy_from_slice(&closest_on_triangle(DVec3::ZERO, at(0), at(1), at(2))),
        _ => {
            let mut best = f64::INFINITY;
            let mut inside = true;
            for (face, other) in [([0, 1, 2], 3), ([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)] {
                let [a, b, c] = face.map(at);
                let normal = (b - a).cross(c - a);
                let (own, there) = (normal.dot(-a), normal.dot(at(other) - a));
                // A flat one has no inside.
                let flat = there.abs() <= FLAT * normal.length() * (at(other) - a).length();
                if !flat && own * there > 0.0 {
                    continue;
                }
                inside &= !flat && own == 0.0;
                let w = closest_on_triangle(DVec3::ZERO, a, b, c);
                let squared = (a * w[0] + b * w[1] + c * w[2]).length_squared();
                if squared < best {
                    best = squared;
                    found = [0.0; 4];
                    for (k, w) in face.into_iter().zip(w) {
                        found[k] = w;
                    }
                }
            }
            if inside {
                return None;
            }
        }
    }
    let mut kept = 0;
    let mut place = DVec3::ZERO;
    for k in 0..count {
        if found[k] > 0.0 {
            simplex[kept] = simplex[k];
            weights[kept] = found[k];
            place += simplex[kept].difference * found[k];
            kept += 1;
        }
    }
    Some((place, kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random;
    use crate::math::rotation;

    /// The same as the other way to it, which knows overlap as well.
    #[test]
    fn boxes_are_as_far_apart_as_they_are() {
        let mut random = random::centred(7);
        let mut apart_count = 0;
        for _ in 0..2000 {
            let mut solid = |shift: f64| -> Vec<DVec3> {
                let axis = DVec3::new(random(), random(), random()).normalize();
                let turn = rotation::from_axis_angle(axis, 6.0 * random());
                let at = DVec3::new(random(), random(), random()) * shift;
                let corner = |k: u32| {
                    DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) - 0.5
                };
                (0..8).map(|k| at + turn * (corner(k) * DVec3::new(0.2, 0.3, 0.1))).collect()
            };
            let (a, b) = (solid(0.6), solid(0.6));
            let guess = DVec3::new(random(), random(), random());
            let found = apart(&a, &b, guess, f64::INFINITY);
            match gap(&a, &b) {
                Gap::Apart { distance, normal } => {
                    let found = found.expect("they are apart");
                    assert!((found.distance - distance).abs() < 1e-9, "{found:?}, {distance}");
                    assert!(found.normal.distance(normal) < 1e-3);
                    let between = found.places[0].distance(found.places[1]);
                    assert!((between - distance).abs() < 1e-6);
                    apart_count += 1;
                }
                Gap::Overlap { depth, .. } => assert!(found.is_none() || depth < 1e-9),
            }
        }
        assert!(apart_count > 500);
    }

    /// Faces that lie flush, down to a gap that is thinner than any contact distance. Places are off by a rounding or
    /// four, 4e-16 m, so that the normal is by as much over the gap, and a far corner by half a metre times that.
    #[test]
    fn flush_faces_are_apart_by_their_gap() {
        let corner =
            |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) * 0.5;
        let turn = rotation::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.7);
        let lower: Vec<DVec3> = (0..8).map(|k| turn * corner(k)).collect();
        for thin in [1e-2, 1e-4, 1e-6] {
            let off = DVec3::new(0.013, 0.5 + thin, -0.021);
            let upper: Vec<DVec3> = (0..8).map(|k| turn * (corner(k) + off)).collect();
            let found = apart(&upper, &lower, DVec3::ONE, f64::INFINITY).expect("they are apart");
            let rounding = GAIN * thin + 0.5 * 4e-16 / thin;
            assert!((found.distance - thin).abs() < rounding + 1e-15, "{thin}: {found:?}");
            assert!(found.normal.distance(turn * DVec3::Y) < 1e-6, "{thin}: {found:?}");
        }
    }
}
