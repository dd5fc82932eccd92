//! What touches under impulses: convex pieces, where they meet, and at which places.

use crate::geometry::{Gap, gap};
use crate::sim::build;
use crate::sim::model::Model;
use crate::sim::pose::Pose;
use glam::{DVec2, DVec3};

/// Part of the smaller piece's extent within which vertices count as one face, edge or corner that touches.
const FLAT: f64 = 5e-3;

/// Steepest way out of a triangle of an open surface, by its cosine with the triangle's normal: steeper ones
/// are those of the edges that it shares with its neighbours.
const STEEPEST: f64 = 0.5;

/// A convex part of a body.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// Its corners in the mesh's frame [m].
    corners: Vec<DVec3>,
    /// Outer normal of a triangle of a surface that is not made of convex pieces.
    face: Option<DVec3>,
}

/// The pieces of every body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shapes {
    pieces: Vec<Vec<Piece>>,
    /// Of each body the least extent of a piece along the axes of its mesh [m].
    pub(super) thinnest: Vec<f64>,
}

/// Where two pieces meet, or are about to.
pub(super) struct Meeting {
    /// From the second to the first.
    pub(super) normal: DVec3,
    /// How far they are nearer than their contact distance [m].
    pub(super) depth: f64,
    /// Places [m], and how far each is nearer than the contact distance [m]: less than `depth`, and below 0
    /// where faces are not parallel.
    pub(super) places: Vec<(DVec3, f64)>,
}

impl Shapes {
    /// The pieces of all bodies of a model. Triangles of colliders that are not made of convex pieces
    /// are solids as thick as the largest body that moves.
    pub(crate) fn new(model: &Model) -> Self {
        let largest = model.rigids.iter().map(|r| 4.0 * r.largest_radius()).fold(0.0, f64::max);
        let of = |index: usize| {
            if model.bodies[index].nodes.is_empty() {
                return Vec::new();
            }
            let mesh = build::touching(&model.scene, index);
            let at = |i: &u32| mesh.positions[*i as usize];
            if let Some(pieces) = mesh.convex_pieces() {
                let piece =
                    |own: Vec<u32>| Piece { corners: own.iter().map(at).collect(), face: None };
                return pieces.into_iter().map(piece).collect();
            }
            let slab = |t: &[u32; 3]| {
                let [a, b, c] = [at(&t[0]), at(&t[1]), at(&t[2])];
                let normal = (b - a).cross(c - a).try_normalize()?;
                let below = normal * -largest;
                Some(Piece {
                    corners: vec![a, b, c, a + below, b + below, c + below],
                    face: Some(normal),
                })
            };
            mesh.triangles.iter().filter_map(slab).collect()
        };
        let pieces: Vec<Vec<Piece>> = (0..model.bodies.len()).map(of).collect();
        let thin = |own: &Vec<Piece>| {
            let extent = |piece: &Piece| {
                let (low, high) = bounds(&piece.corners);
                (high - low).min_element()
            };
            own.iter().filter(|piece| piece.face.is_none()).map(extent).fold(largest, f64::min)
        };
        Self { thinnest: pieces.iter().map(thin).collect(), pieces }
    }

    /// Where bodies `a` at `pose_a` and `b` at `pose_b` are nearer than `distance`.
    pub(super) fn meetings(
        &self,
        [a, b]: [usize; 2],
        [pose_a, pose_b]: [&Pose; 2],
        distance: f64,
    ) -> Vec<Meeting> {
        let mut found = Vec::new();
        for second in &self.pieces[b] {
            let there = second.at(pose_b);
            let bounds = bounds(&there);
            for first in &self.pieces[a] {
                let here = first.at(pose_a);
                let own = self::bounds(&here);
                let apart = (own.0 - bounds.1).max(bounds.0 - own.1).max_element();
                if apart > distance {
                    continue;
                }
                let (normal, depth) = match gap(&here, &there) {
                    Gap::Apart { distance: apart, normal } => (normal, distance - apart),
                    Gap::Overlap { depth, normal } => (normal, distance + depth),
                };
                let outer = second.face.map(|face| pose_b.rotation * face);
                let inner = first.face.map(|face| pose_a.rotation * -face);
                let is_way =
                    |face: Option<DVec3>| face.is_none_or(|face| face.dot(normal) > STEEPEST);
                if depth >= 0.0 && is_way(outer) && is_way(inner) {
                    let places = patch(&here, &there, normal, depth);
                    found.push(Meeting { normal, depth, places });
                }
            }
        }
        found
    }

    /// Smallest and largest corner of a body at `pose`.
    pub(super) fn bounds(&self, body: usize, pose: &Pose) -> (DVec3, DVec3) {
        let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        self.pieces[body]
            .iter()
            .map(|piece| bounds(&piece.at(pose)))
            .fold(none, |all, own| (all.0.min(own.0), all.1.max(own.1)))
    }
}

impl Piece {
    fn at(&self, pose: &Pose) -> Vec<DVec3> {
        self.corners.iter().map(|p| pose.place(*p)).collect()
    }
}

fn bounds(points: &[DVec3]) -> (DVec3, DVec3) {
    points
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)))
}

impl Meeting {
    /// The middle of the area that its places enclose. Where rims coincide, rounding adds places along them,
    /// which must not draw it aside.
    pub(super) fn middle(&self) -> DVec3 {
        let first = self.places[0].0;
        let (mut area, mut moment) = (0.0, DVec3::ZERO);
        for pair in self.places.windows(2) {
            let (a, b) = (pair[0].0 - first, pair[1].0 - first);
            let part = self.normal.dot(a.cross(b));
            area += part;
            moment += (a + b) * (part / 3.0);
        }
        let reach = self.places.iter().map(|p| p.0.distance_squared(first)).fold(0.0, f64::max);
        if area.abs() > 1e-9 * reach {
            return first + moment / area;
        }
        self.places.iter().map(|place| place.0).sum::<DVec3>() / self.places.len() as f64
    }
}

/// Places where the undermost corners of `a` along `normal` and the uppermost of `b` meet, which are `depth`
/// nearer than their contact distance: the corners of what the faces, edges or corners that they make have
/// in common.
fn patch(a: &[DVec3], b: &[DVec3], normal: DVec3, depth: f64) -> Vec<(DVec3, f64)> {
    let low = a.iter().map(|p| normal.dot(*p)).fold(f64::INFINITY, f64::min);
    let high = b.iter().map(|p| normal.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
    let extent = |points: &[DVec3]| {
        let (low, high) = bounds(points);
        low.distance(high)
    };
    let near = FLAT * extent(a).min(extent(b));
    let (u, w) = normal.any_orthonormal_pair();
    let feature = |points: &[DVec3], is_part: &dyn Fn(f64) -> bool| -> Vec<(DVec2, f64)> {
        let own = points.iter().map(|p| (DVec2::new(u.dot(*p), w.dot(*p)), normal.dot(*p)));
        own.filter(|p| is_part(p.1)).collect()
    };
    let face_a = feature(a, &|along| along <= low + near);
    let face_b = feature(b, &|along| along >= high - near);
    let [first, second] =
        [&face_a, &face_b].map(|face| outline(face.iter().map(|p| p.0).collect()));
    let common = if second.len() > 2 {
        clip(&first, &second)
    } else if first.len() > 2 {
        clip(&second, &first)
    } else {
        vec![crossing(&first, &second)]
    };
    let middle = |points: &[DVec2]| points.iter().sum::<DVec2>() / points.len() as f64;
    let common = if common.is_empty() {
        // They meet beside each other's rim: in the middle of the smaller.
        vec![middle(if first.len() < second.len() { &first } else { &second })]
    } else {
        common
    };
    let (height_a, height_b) = (height(&face_a), height(&face_b));
    let place = |p: DVec2| {
        let (upper, lower) = (height_a(p), height_b(p));
        let gap = (upper - low).max(0.0) + (high - lower).max(0.0);
        (u * p.x + w * p.y + normal * (0.5 * (upper + lower)), depth - gap)
    };
    common.into_iter().map(place).collect()
}

/// The plane through points with heights, by least squares: its height over a place. Where they lie on a line,
/// it is level across it.
fn height(points: &[(DVec2, f64)]) -> impl Fn(DVec2) -> f64 {
    let count = points.len() as f64;
    let center = points.iter().map(|p| p.0).sum::<DVec2>() / count;
    let mean = points.iter().map(|p| p.1).sum::<f64>() / count;
    let (mut xx, mut xy, mut yy, mut by) = (0.0, 0.0, 0.0, DVec2::ZERO);
    for (p, z) in points {
        let d = *p - center;
        (xx, xy, yy, by) = (xx + d.x * d.x, xy + d.x * d.y, yy + d.y * d.y, by + d * (z - mean));
    }
    let least = 1e-9 * (xx + yy) + f64::MIN_POSITIVE;
    let (xx, yy) = (xx + least, yy + least);
    let slope = DVec2::new(yy * by.x - xy * by.y, xx * by.y - xy * by.x) / (xx * yy - xy * xy);
    let slope = if slope.is_finite() { slope } else { DVec2::ZERO };
    move |p| mean + slope.dot(p - center)
}

/// Corners of the convex outline of points, counter-clockwise (Andrew 1979).
fn outline(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let mut all: Vec<DVec2> = Vec::new();
    for pass in 0..2 {
        let first = all.len();
        for p in &points {
            while all.len() >= first + 2 {
                let [q, r] = [all[all.len() - 2], all[all.len() - 1]];
                if (r - q).perp_dot(*p - q) > 0.0 {
                    break;
                }
                all.pop();
            }
            all.push(*p);
        }
        all.pop();
        if pass == 0 {
            points.reverse();
        }
    }
    all
}

/// The part of a point, line or polygon that is inside of a convex polygon (Sutherland and Hodgman 1974).
fn clip(subject: &[DVec2], polygon: &[DVec2]) -> Vec<DVec2> {
    let mut kept = subject.to_vec();
    for (k, from) in polygon.iter().enumerate() {
        let along = polygon[(k + 1) % polygon.len()] - *from;
        let inside = |p: DVec2| along.perp_dot(p - *from);
        let before = std::mem::take(&mut kept);
        for (i, p) in before.iter().enumerate() {
            let q = before[(i + 1) % before.len()];
            let (own, next) = (inside(*p), inside(q));
            if own >= 0.0 {
                kept.push(*p);
            }
            if own * next < 0.0 && (i + 1 < before.len() || before.len() > 2) {
                kept.push(*p + (q - *p) * (own / (own - next)));
            }
        }
    }
    kept
}

/// Where two lines, or a line and a point, meet, or the middle of where they nearly do.
fn crossing(first: &[DVec2], second: &[DVec2]) -> DVec2 {
    let (a, b) = (first[0], second[0]);
    let (u, v) = (first[first.len() - 1] - a, second[second.len() - 1] - b);
    let cross = u.perp_dot(v);
    let part = |x: f64| if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.5 };
    if cross.abs() > 1e-6 * u.length() * v.length() && cross != 0.0 {
        let (s, t) = (part((b - a).perp_dot(v) / cross), part((b - a).perp_dot(u) / cross));
        return 0.5 * (a + u * s + b + v * t);
    }
    if first.len() == 1 {
        return a;
    }
    if second.len() == 1 {
        return b;
    }
    // Side by side: the middle of what they share.
    let at = |p: DVec2| ((p - a).dot(u) / u.length_squared()).clamp(0.0, 1.0);
    a + u * (0.5 * (at(b) + at(b + v)))
}
