//! Closest points of a vertex and a triangle, and of two edges.

use glam::DVec3;

/// Which parts of two primitives are closest. Numbers are local: 0..3 within the triangle or edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    /// Inside the triangle, or inside both edges.
    Interior,
    /// Vertex-triangle: on edge `k` (from corner `k` to `k + 1`) of the triangle.
    FaceEdge(u8),
    /// Vertex-triangle: at corner `k` of the triangle.
    FaceCorner(u8),
    /// Edge-edge: at end `k` of the first edge, inside the second.
    EndOfFirst(u8),
    /// Edge-edge: at end `k` of the second edge, inside the first.
    EndOfSecond(u8),
    /// Edge-edge: at end `.0` of the first and end `.1` of the second.
    EndOfBoth(u8, u8),
}

/// Closest points of two primitives with four vertices together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closest {
    /// Signed weights: the closest points differ by `sum weights[i] * x[i]`. The weights of the first
    /// primitive sum to 1, those of the second to -1.
    pub(crate) weights: [f64; 4],
    /// From the second primitive's closest point to the first's.
    pub(crate) offset: DVec3,
    /// Which parts are closest.
    pub(crate) feature: Feature,
}

/// Squared sine below which a triangle counts as a line: the regions of its plane drown in rounding.
const SLIVER: f64 = 1e-20;

/// Closest points of vertex `x[0]` and the three edges of a triangle that is a line or a point.
fn vertex_border(x: [DVec3; 4]) -> Closest {
    let [p, a, b, c] = x;
    let mut best: Option<Closest> = None;
    for (k, (from, to)) in [(a, b), (b, c), (c, a)].into_iter().enumerate() {
        let along = to - from;
        let length = along.length_squared();
        let t = if length > 0.0 { ((p - from).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
        let offset = p - (from + along * t);
        if best.as_ref().is_none_or(|b| offset.length_squared() < b.offset.length_squared()) {
            let (first, second) = (k, (k + 1) % 3);
            let mut weights = [1.0, 0.0, 0.0, 0.0];
            weights[1 + first] = t - 1.0;
            weights[1 + second] -= t;
            let feature = if t <= 0.0 {
                Feature::FaceCorner(first as u8)
            } else if t >= 1.0 {
                Feature::FaceCorner(second as u8)
            } else {
                Feature::FaceEdge(first as u8)
            };
            best = Some(Closest { weights, offset, feature });
        }
    }
    best.expect("a triangle has three edges")
}

/// Closest points of vertex `x[0]` and triangle `x[1], x[2], x[3]` (Ericson 2005, 5.1.5).
pub(crate) fn vertex_triangle(x: [DVec3; 4]) -> Closest {
    let [p, a, b, c] = x;
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let area = ab.cross(ac).length_squared();
    if area <= SLIVER * ab.length_squared().max(ac.length_squared()).powi(2) {
        return vertex_border(x);
    }
    let result = |u: f64, v: f64, w: f64, feature| Closest {
        weights: [1.0, -u, -v, -w],
        offset: p - (a * u + b * v + c * w),
        feature,
    };
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return result(1.0, 0.0, 0.0, Feature::FaceCorner(0));
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return result(0.0, 1.0, 0.0, Feature::FaceCorner(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 - d3 > 0.0 {
        let v = d1 / (d1 - d3);
        return result(1.0 - v, v, 0.0, Feature::FaceEdge(0));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return result(0.0, 0.0, 1.0, Feature::FaceCorner(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 - d6 > 0.0 {
        let w = d2 / (d2 - d6);
        return result(1.0 - w, 0.0, w, Feature::FaceEdge(2));
    }
    let va = d3 * d6 - d5 * d4;
    let (e, f) = (d4 - d3, d5 - d6);
    if va <= 0.0 && e >= 0.0 && f >= 0.0 && e + f > 0.0 {
        let w = e / (e + f);
        return result(0.0, 1.0 - w, w, Feature::FaceEdge(1));
    }
    let sum = va + vb + vc;
    if sum <= 0.0 {
        // A triangle without area whose edges were not told apart by rounding: its first corner.
        return result(1.0, 0.0, 0.0, Feature::FaceCorner(0));
    }
    let (v, w) = (vb / sum, vc / sum);
    let mut closest = result(1.0 - v - w, v, w, Feature::Interior);
    // Along the face normal the offset is exact where the difference of two near points is not.
    let n = ab.cross(ac);
    let nn = n.length_squared();
    if nn > 0.0 {
        closest.offset = n * (n.dot(ap) / nn);
    }
    closest
}

/// Closest points of the edges `x[0] x[1]` and `x[2] x[3]` (Ericson 2005, 5.1.9, with the ends
/// compared where the edges are nearly parallel, so that the offset is always a shortest one).
pub(crate) fn edge_edge(x: [DVec3; 4]) -> Closest {
    let (d1, d2, r) = (x[1] - x[0], x[3] - x[2], x[0] - x[2]);
    let (a, e, f) = (d1.length_squared(), d2.length_squared(), d2.dot(r));
    let (b, c) = (d1.dot(d2), d1.dot(r));
    let denominator = a * e - b * b;
    if denominator > 1e-10 * a * e {
        let s = (b * f - c * e) / denominator;
        let t = (a * f - b * c) / denominator;
        if s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 {
            let mut offset = r + d1 * s - d2 * t;
            let n = d1.cross(d2);
            let nn = n.length_squared();
            if nn > 0.0 {
                offset = n * (n.dot(r) / nn);
            }
            return Closest {
                weights: [1.0 - s, s, t - 1.0, -t],
                offset,
                feature: Feature::Interior,
            };
        }
    }
    // The minimum lies at an end of one edge: the nearest of four end-edge distances, in a fixed order.
    let on =
        |value: f64, length: f64| if length > 0.0 { (value / length).clamp(0.0, 1.0) } else { 0.0 };
    let ends = [(0.0, on(f, e)), (1.0, on(f + b, e)), (on(-c, a), 0.0), (on(b - c, a), 1.0)];
    let mut best: Option<(f64, f64, f64, DVec3)> = None;
    for (s, t) in ends {
        let offset = r + d1 * s - d2 * t;
        let d = offset.length_squared();
        if best.is_none_or(|(least, ..)| d < least) {
            best = Some((d, s, t, offset));
        }
    }
    let (_, s, t, offset) = best.expect("there are four ends");
    let end = |v: f64| {
        if v <= 0.0 {
            Some(0)
        } else if v >= 1.0 {
            Some(1)
        } else {
            None
        }
    };
    let feature = match (end(s), end(t)) {
        (Some(i), Some(j)) => Feature::EndOfBoth(i, j),
        (Some(i), None) => Feature::EndOfFirst(i),
        (None, Some(j)) => Feature::EndOfSecond(j),
        (None, None) => Feature::Interior,
    };
    Closest { weights: [1.0 - s, s, t - 1.0, -t], offset, feature }
}

/// A vector no longer than the distance of vertex `x[0]` and a triangle: what lies between two planes
/// across the line from vertex to centre. None where the planes have nothing between them.
#[inline]
pub(crate) fn apart_vertex_triangle([p, a, b, c]: [DVec3; 4]) -> Option<DVec3> {
    let center = (a + b + c) * (1.0 / 3.0);
    let line = p - center;
    let reach = (a - center).dot(line).max((b - center).dot(line)).max((c - center).dot(line));
    between(line, reach)
}

/// As [`apart_vertex_triangle`] for two edges, across the line between their centres.
#[inline]
pub(crate) fn apart_edge_edge([a, b, c, d]: [DVec3; 4]) -> Option<DVec3> {
    let line = ((a + b) - (c + d)) * 0.5;
    let reach = 0.5 * ((b - a).dot(line).abs() + (d - c).dot(line).abs());
    between(line, reach)
}

#[inline]
fn between(line: DVec3, reach: f64) -> Option<DVec3> {
    let whole = line.length_squared();
    (whole > reach).then(|| line * ((whole - reach) / whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator for test positions: xorshift64* (Vigna 2016).
    fn random(seed: &mut u64) -> f64 {
        *seed ^= *seed >> 12;
        *seed ^= *seed << 25;
        *seed ^= *seed >> 27;
        (seed.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn points(seed: &mut u64, flat: bool) -> [DVec3; 4] {
        std::array::from_fn(|_| {
            let p = DVec3::new(random(seed), random(seed), random(seed));
            if flat { DVec3::new(p.x, (p.y * 3.0).floor() / 3.0, 0.0) } else { p }
        })
    }

    fn check(x: [DVec3; 4], closest: &Closest, sampled: f64) {
        let by_weights: DVec3 = (0..4).map(|i| x[i] * closest.weights[i]).sum();
        assert!((by_weights - closest.offset).length() < 1e-9);
        let d = closest.offset.length();
        assert!(d <= sampled + 1e-12, "{d} above a sampled {sampled}");
    }

    #[test]
    fn no_sampled_pair_of_points_is_closer() {
        let mut seed = 7;
        for round in 0..3000 {
            let x = points(&mut seed, round % 3 == 0);
            let (vt, ee) = (vertex_triangle(x), edge_edge(x));
            let (mut best_vt, mut best_ee) = (f64::MAX, f64::MAX);
            for i in 0..=20 {
                for j in 0..=20 {
                    let (s, t) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                    best_ee =
                        best_ee.min((x[0] + (x[1] - x[0]) * s).distance(x[2] + (x[3] - x[2]) * t));
                    if s + t <= 1.0 {
                        best_vt = best_vt
                            .min(x[0].distance(x[1] + (x[2] - x[1]) * s + (x[3] - x[1]) * t));
                    }
                }
            }
            check(x, &vt, best_vt);
            check(x, &ee, best_ee);
            let least = |apart: Option<DVec3>| apart.map_or(0.0, DVec3::length);
            assert!(least(apart_vertex_triangle(x)) <= vt.offset.length() + 1e-12);
            assert!(least(apart_edge_edge(x)) <= ee.offset.length() + 1e-12);
        }
    }

    #[test]
    fn degenerate_primitives_give_finite_answers() {
        let p = DVec3::new(0.3, 0.2, 0.1);
        for x in [
            [p; 4],
            [p, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO],
            [p, DVec3::ZERO, DVec3::X, DVec3::X * 2.0],
        ] {
            assert!(vertex_triangle(x).offset.is_finite() && edge_edge(x).offset.is_finite());
        }
    }
}
