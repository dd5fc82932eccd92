//! Whether two triangles cross: exact answers for f32 coordinates.
//!
//! Every answer is a combination of signs of determinants, which `robust` computes without error
//! (Shewchuk 1997); f32 coordinates stay so far from the limits of f64 that nothing overflows or
//! vanishes on the way. Triangles are closed sets: touching counts as crossing, also in a point,
//! also in one plane, also of triangles without area. What a mesh joins is allowed to touch there:
//! neighbours may share a vertex or an edge, and cross if they meet anywhere else (a sheet folded
//! flat onto itself along an edge does).

use glam::{DVec3, Vec3};
use robust::{Coord, Coord3D, orient2d, orient3d};

/// A corner of a triangle as stored in a frame.
pub type Point = [f32; 3];

/// Whether two triangles of one mesh cross, given their vertex numbers.
pub fn neighbours_cross(positions: &[Point], a: [u32; 3], b: [u32; 3]) -> bool {
    let p = |i: u32| positions[i as usize];
    if a[1] == a[2] && b[1] == b[2] {
        return segments_cross(p, [a[0], a[1]], [b[0], b[1]]);
    }
    let shared: Vec<usize> = (0..3).filter(|&i| b.contains(&a[i])).collect();
    match shared[..] {
        [] => triangles_cross(a.map(p), b.map(p)),
        [i] => {
            let j = (0..3).find(|&j| b[j] == a[i]).unwrap_or(0);
            let rest = |t: [u32; 3], i: usize| [p(t[(i + 1) % 3]), p(t[(i + 2) % 3])];
            corner_neighbours_cross(p(a[i]), rest(a, i), rest(b, j))
        }
        [i, j] => {
            let other = b.iter().find(|v| **v != a[i] && **v != a[j]).copied().unwrap_or(a[i]);
            edge_neighbours_cross([p(a[i]), p(a[j])], p(a[3 - i - j]), p(other))
        }
        _ => true,
    }
}

/// Whether two segments of one line meet anywhere but in a vertex of both.
fn segments_cross(p: impl Fn(u32) -> Point, a: [u32; 2], b: [u32; 2]) -> bool {
    let Some(i) = (0..2).find(|&i| b.contains(&a[i])) else {
        let [s, t] = [a, b].map(|s| [p(s[0]), p(s[1]), p(s[1])]);
        return triangles_cross(s, t);
    };
    let other = if b[0] == a[i] { b[1] } else { b[0] };
    point_on_segment(p(other), a.map(&p)) || point_on_segment(p(a[1 - i]), b.map(&p))
}

/// Whether two triangles without a common vertex meet.
pub fn triangles_cross(a: [Point; 3], b: [Point; 3]) -> bool {
    if clearly_apart(a, b) {
        return false;
    }
    let edges = |t: [Point; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    edges(a).iter().any(|e| segment_meets_triangle(*e, b))
        || edges(b).iter().any(|e| segment_meets_triangle(*e, a))
}

/// Whether the triangles `v a0 a1` and `v b0 b1` meet anywhere but in `v`. If they do, their
/// common part reaches from `v` to where it leaves one of them: through the edge opposite to `v`.
pub fn corner_neighbours_cross(v: Point, a: [Point; 2], b: [Point; 2]) -> bool {
    if clearly_only_corner(v, a, b) {
        return false;
    }
    segment_meets_triangle(a, [v, b[0], b[1]]) || segment_meets_triangle(b, [v, a[0], a[1]])
}

/// Whether the triangles over the edge `e` with the apexes `a` and `b` meet anywhere but in `e`:
/// only if they lie in one plane and on the same side of the edge, or an apex lies on it.
pub fn edge_neighbours_cross(e: [Point; 2], a: Point, b: Point) -> bool {
    let mut same_side = false;
    for axis in 0..3 {
        let side = |p: Point| turn(axis, e[0], e[1], p);
        let (of_a, of_b) = (side(a), side(b));
        if of_a * of_b < 0 {
            return false;
        }
        same_side |= of_a * of_b > 0;
    }
    if orientation(e[0], e[1], a, b) != 0 {
        return false;
    }
    same_side || point_on_segment(a, e) || point_on_segment(b, e)
}

/// Whether a closed segment meets a closed triangle.
pub fn segment_meets_triangle(s: [Point; 2], t: [Point; 3]) -> bool {
    let sides = s.map(|p| orientation(t[0], t[1], t[2], p));
    if sides[0] * sides[1] > 0 {
        return false;
    }
    if sides == [0, 0] {
        return flat_segment_meets_triangle(s, t);
    }
    // The line crosses the plane once, on the segment; inside, all edges turn the same way round.
    let turns = [0, 1, 2].map(|i| orientation(s[0], s[1], t[i], t[(i + 1) % 3]));
    !(turns.contains(&1) && turns.contains(&-1))
}

/// The same where segment and triangle lie in one plane, or the triangle has no area.
fn flat_segment_meets_triangle(s: [Point; 2], t: [Point; 3]) -> bool {
    if (0..3).any(|i| segments_meet(s, [t[i], t[(i + 1) % 3]])) {
        return true;
    }
    // Not through an edge: then inside as a whole or not at all. Any projection in which the
    // triangle has area tells.
    let Some(axis) = (0..3).find(|&axis| turn(axis, t[0], t[1], t[2]) != 0) else { return false };
    let turns = [0, 1, 2].map(|i| turn(axis, t[i], t[(i + 1) % 3], s[0]));
    !(turns.contains(&1) && turns.contains(&-1))
}

/// Whether two closed segments meet. In one plane they do if they do in all three projections:
/// one of these is one-to-one, and it alone would tell.
fn segments_meet(a: [Point; 2], b: [Point; 2]) -> bool {
    orientation(a[0], a[1], b[0], b[1]) == 0
        && (0..3).all(|axis| {
            let across = |s: [Point; 2], o: [Point; 2]| {
                turn(axis, s[0], s[1], o[0]) * turn(axis, s[0], s[1], o[1]) <= 0
            };
            across(a, b) && across(b, a) && boxes_meet(axis, a, b)
        })
}

/// Whether the boxes around two segments meet in the plane across `axis`: decides for segments on
/// one line.
fn boxes_meet(axis: usize, a: [Point; 2], b: [Point; 2]) -> bool {
    [(axis + 1) % 3, (axis + 2) % 3].into_iter().all(|k| {
        a[0][k].min(a[1][k]) <= b[0][k].max(b[1][k]) && b[0][k].min(b[1][k]) <= a[0][k].max(a[1][k])
    })
}

fn point_on_segment(p: Point, s: [Point; 2]) -> bool {
    segments_meet([p, p], s)
}

/// On which side of the plane through `a b c` the point `d` lies: -1, 0, 1.
fn orientation(a: Point, b: Point, c: Point, d: Point) -> i32 {
    let at = |p: Point| Coord3D { x: p[0], y: p[1], z: p[2] };
    sign(orient3d(at(a), at(b), at(c), at(d)))
}

/// On which side of the line `a b` the point `c` lies, seen along `axis`: -1, 0, 1.
fn turn(axis: usize, a: Point, b: Point, c: Point) -> i32 {
    let at = |p: Point| Coord { x: p[(axis + 1) % 3], y: p[(axis + 2) % 3] };
    sign(orient2d(at(a), at(b), at(c)))
}

fn sign(x: f64) -> i32 {
    i32::from(x > 0.0) - i32::from(x < 0.0)
}

/// A quick proof that two triangles do not meet, or nothing: a direction along which all of one
/// lies before all of the other by more than rounding can explain. It spares the exact tests,
/// which are slow for the many neighbours that lie in nearly one plane.
fn clearly_apart(a: [Point; 3], b: [Point; 3]) -> bool {
    let origin = vector(a[0]);
    let [a, b] = [a, b].map(|t| t.map(|p| vector(p) - origin));
    let normal = |t: [DVec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]);
    let middle = |t: [DVec3; 3]| (t[0] + t[1] + t[2]) / 3.0;
    let (na, between) = (normal(a), middle(b) - middle(a));
    let along = between - if na == DVec3::ZERO { na } else { between.project_onto(na) };
    [na, normal(b), between, along].into_iter().any(|n| splits(n, &a, &b) || splits(-n, &a, &b))
}

/// The same for two triangles that share the corner `v`.
fn clearly_only_corner(v: Point, a: [Point; 2], b: [Point; 2]) -> bool {
    let v = vector(v);
    let [a, b] = [a, b].map(|s| s.map(|p| vector(p) - v));
    let n = (b[0] + b[1]).normalize_or_zero() - (a[0] + a[1]).normalize_or_zero();
    let zero = [DVec3::ZERO];
    splits(n, &a, &zero) && splits(n, &zero, &b)
}

/// Whether all of `a` surely lies before all of `b` along `n`.
fn splits(n: DVec3, a: &[DVec3], b: &[DVec3]) -> bool {
    let weight = |p: &DVec3| n.abs().dot(p.abs());
    let most = a.iter().chain(b).map(weight).fold(0.0, f64::max);
    let high = a.iter().map(|p| n.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
    let low = b.iter().map(|p| n.dot(*p)).fold(f64::INFINITY, f64::min);
    // Each product sum is off by less than 4 roundings of `most`, each difference by one more.
    low - high > 32.0 * f64::EPSILON * most
}

fn vector(p: Point) -> DVec3 {
    Vec3::from_array(p).as_dvec3()
}

/// A place where two crossing triangles meet [m], up to rounding; for reports, not for decisions.
pub fn crossing_place(a: [Point; 3], b: [Point; 3]) -> DVec3 {
    let (mut sum, mut count) = (DVec3::ZERO, 0.0);
    for (of, through) in [(a, b), (b, a)] {
        let t = through.map(vector);
        let n = (t[1] - t[0]).cross(t[2] - t[0]);
        for i in 0..3 {
            let edge = [of[i], of[(i + 1) % 3]];
            if !segment_meets_triangle(edge, through) {
                continue;
            }
            let [p, q] = edge.map(vector);
            let (from, to) = ((p - t[0]).dot(n), (q - t[0]).dot(n));
            let u = if from == to { 0.5 } else { (from / (from - to)).clamp(0.0, 1.0) };
            sum += p.lerp(q, u);
            count += 1.0;
        }
    }
    if count > 0.0 {
        return sum / count;
    }
    a.iter().chain(&b).map(|p| vector(*p)).fold(DVec3::ZERO, |s, p| s + p) / 6.0
}
