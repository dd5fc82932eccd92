//! How far two convex shapes are apart, or how deep they are in each other.
//!
//! A shape is the hull of its points. The distance is that of the origin from the Minkowski difference of
//! both (Gilbert, Johnson and Keerthi 1988, with the closest point of the simplex by its regions, Ericson
//! 2005, 9.5), the depth the shortest way of the origin out of it (expanding polytope, Van den Bergen 2001). The
//! polytope grows by exact predicates, so that it stays closed and convex whatever the points; it ends
//! where no point of the difference lies farther out, after as many rounds as the difference has corners at
//! most. Shapes that touch overlap by 0; points, lines and flat shapes are shapes.

use super::closest_on_triangle;
use glam::DVec3;
use robust::{Coord3D, orient3d};
use std::collections::BTreeSet;

/// What is between two convex shapes `a` and `b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gap {
    /// They are apart.
    Apart {
        /// Shortest distance [m].
        distance: f64,
        /// Unit vector from the nearest place of `b` to that of `a`.
        normal: DVec3,
    },
    /// They touch or overlap.
    Overlap {
        /// Shortest way apart [m].
        depth: f64,
        /// Unit direction of the way for `a`; `b` would go the other way.
        normal: DVec3,
    },
}

/// Most rounds of the distance; each comes nearer, so that only rounding could go on for so long.
const ROUNDS: usize = 128;

/// Part of the shapes' extent that counts as rounding.
const ROUNDING: f64 = 1e-14;

/// Sine below which the fourth corner of a simplex counts as in the plane of the others.
const FLAT: f64 = 1e-12;

/// The gap between the hulls of the points `a` and `b`; both must have at least one.
pub fn gap(a: &[DVec3], b: &[DVec3]) -> Gap {
    let difference = Difference { a, b };
    let mut simplex = vec![difference.support(a[0] - b[0])];
    let mut nearest = simplex[0];
    for _ in 0..ROUNDS {
        let size = simplex.iter().fold(0.0f64, |most, p| most.max(p.length()));
        if nearest.length() <= ROUNDING * size {
            return difference.depth(simplex);
        }
        let farther = difference.support(-nearest);
        let gained = nearest.length_squared() - nearest.dot(farther);
        if gained <= ROUNDING * nearest.length_squared() || simplex.contains(&farther) {
            break;
        }
        simplex.push(farther);
        let Some((kept, closer)) = reduced(&simplex) else { return difference.depth(simplex) };
        if closer.length_squared() >= nearest.length_squared() {
            break;
        }
        (simplex, nearest) = (kept, closer);
    }
    let distance = nearest.length();
    Gap::Apart { distance, normal: nearest / distance }
}

/// All differences of a point of `a` and one of `b`.
struct Difference<'a> {
    a: &'a [DVec3],
    b: &'a [DVec3],
}

impl Difference<'_> {
    /// The point that is farthest along `direction`; of several the one of the lowest numbers.
    fn support(&self, direction: DVec3) -> DVec3 {
        farthest(self.a, direction) - farthest(self.b, -direction)
    }

    /// The shortest way of the origin out of the hull, which has it, from points of the hull.
    fn depth(&self, simplex: Vec<DVec3>) -> Gap {
        let mut points = simplex;
        let Some(mut faces) = self.tetrahedron(&mut points) else {
            return Gap::Overlap { depth: 0.0, normal: flat_normal(&points) };
        };
        loop {
            let (normal, depth) = faces.iter().map(|f| plane(&points, *f)).fold(
                (DVec3::Y, f64::INFINITY),
                |best, plane| if plane.1 < best.1 { plane } else { best },
            );
            let farther = self.support(normal);
            let size = farther.length().max(1e-3 * depth.abs());
            let new = points.len() as u32;
            let beyond = farther.dot(normal) - depth;
            points.push(farther);
            let sees = |face: &[u32; 3]| is_outside(&points, *face, new);
            if beyond <= ROUNDING * size || !faces.iter().any(sees) {
                // The way out leads against the face that is nearest.
                return Gap::Overlap { depth: depth.max(0.0), normal: -normal };
            }
            let (seen, mut kept): (Vec<_>, Vec<_>) = faces.iter().partition(|face| sees(face));
            let edges = |f: &[u32; 3]| [[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]];
            let inner: BTreeSet<[u32; 2]> = seen.iter().flat_map(edges).collect();
            let rim = inner.iter().filter(|[a, b]| !inner.contains(&[*b, *a]));
            kept.extend(rim.map(|[a, b]| [*a, *b, new]));
            faces = kept;
        }
    }

    /// Grows `points` to a tetrahedron of some volume; none where the whole difference is flat.
    fn tetrahedron(&self, points: &mut Vec<DVec3>) -> Option<Vec<[u32; 3]>> {
        for axis in DVec3::AXES {
            for direction in [axis, -axis] {
                points.push(self.support(direction));
            }
        }
        if flatness(points) == 0.0 {
            let normal = flat_normal(points);
            for direction in [normal, -normal] {
                points.push(self.support(direction));
            }
        }
        super::hull(points)
    }
}

fn farthest(points: &[DVec3], direction: DVec3) -> DVec3 {
    points.iter().fold(
        points[0],
        |best, p| {
            if p.dot(direction) > best.dot(direction) { *p } else { best }
        },
    )
}

/// Largest triple product of differences of the points.
fn flatness(points: &[DVec3]) -> f64 {
    let normal = flat_normal(points);
    points.iter().map(|p| normal.dot(*p - points[0]).abs()).fold(0.0, f64::max)
}

/// A unit vector across points of a plane, a line or a place.
fn flat_normal(points: &[DVec3]) -> DVec3 {
    let far = |of: &dyn Fn(DVec3) -> f64| {
        points.iter().fold(points[0], |best, p| if of(*p) > of(best) { *p } else { best })
    };
    let along = far(&|p| p.distance_squared(points[0])) - points[0];
    let aside = far(&|p| along.cross(p - points[0]).length_squared()) - points[0];
    let normal = along.cross(aside).normalize_or_zero();
    if normal == DVec3::ZERO {
        along.try_normalize().map_or(DVec3::Y, DVec3::any_orthonormal_vector)
    } else {
        normal
    }
}

/// Outer normal of a face, and how far its plane is from the origin along it; infinite without an area.
fn plane(points: &[DVec3], [a, b, c]: [u32; 3]) -> (DVec3, f64) {
    let [a, b, c] = [a, b, c].map(|i| points[i as usize]);
    match (b - a).cross(c - a).try_normalize() {
        Some(normal) => (normal, normal.dot((a + b + c) / 3.0)),
        None => (DVec3::ZERO, f64::INFINITY),
    }
}

/// Whether point `p` lies on the outer side of a face.
fn is_outside(points: &[DVec3], [a, b, c]: [u32; 3], p: u32) -> bool {
    let at = |i: u32| {
        let p = points[i as usize];
        Coord3D { x: p.x, y: p.y, z: p.z }
    };
    orient3d(at(a), at(b), at(c), at(p)) < 0.0
}

/// The points of a simplex whose hull has the place that is nearest to the origin, and that place; none
/// where the origin is inside of four.
fn reduced(simplex: &[DVec3]) -> Option<(Vec<DVec3>, DVec3)> {
    let of = |corners: &[usize]| {
        let [a, b, c] = [0, 1, 2].map(|k| simplex[corners[k.min(corners.len() - 1)]]);
        let weights = closest_on_triangle(DVec3::ZERO, a, b, c);
        let place = a * weights[0] + b * weights[1] + c * weights[2];
        let kept = (0..corners.len()).filter(|k| weights[*k] > 0.0);
        (kept.map(|k| simplex[corners[k]]).collect::<Vec<_>>(), place)
    };
    if simplex.len() < 4 {
        return Some(match *simplex {
            [a, b] => on_line(a, b),
            _ => of(&[0, 1, 2]),
        });
    }
    let mut best: Option<(Vec<DVec3>, DVec3)> = None;
    let mut inside = true;
    for (face, other) in [([0, 1, 2], 3), ([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)] {
        let [a, b, c] = face.map(|k| simplex[k]);
        let normal = (b - a).cross(c - a);
        let (own, there) = (normal.dot(-a), normal.dot(simplex[other] - a));
        // A flat one has no inside.
        let flat = there.abs() <= FLAT * normal.length() * (simplex[other] - a).length();
        if !flat && own * there > 0.0 {
            continue;
        }
        inside &= !flat && own == 0.0;
        let found = of(&face);
        if best.as_ref().is_none_or(|b| found.1.length_squared() < b.1.length_squared()) {
            best = Some(found);
        }
    }
    if inside { None } else { best }
}

/// The place of the line from a to b that is nearest to the origin.
fn on_line(a: DVec3, b: DVec3) -> (Vec<DVec3>, DVec3) {
    let along = b - a;
    let part = -a.dot(along) / along.length_squared();
    match part {
        _ if part >= 1.0 => (vec![b], b),
        _ if part > 0.0 => (vec![a, b], a + along * part),
        _ => (vec![a], a),
    }
}
