//! The place of a surface that is nearest to a point.

use super::TriMesh;
use glam::DVec3;

/// The place of a mesh that is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The place [m].
    pub position: DVec3,
    /// Distance to it [m].
    pub distance: f64,
    /// Number of the triangle it lies on; of several the lowest.
    pub triangle: usize,
    /// Weights of the triangle's vertices; they sum to one.
    pub weights: [f64; 3],
}

impl TriMesh {
    /// The place of the surface that is nearest to `point`; none for a mesh without triangles.
    pub fn closest(&self, point: DVec3) -> Option<Closest> {
        let mut best: Option<Closest> = None;
        for (triangle, t) in self.pieces().into_iter().enumerate() {
            let [a, b, c] = t.map(|i| self.positions[i as usize]);
            let weights = closest_on_triangle(point, a, b, c);
            let position = a * weights[0] + b * weights[1] + c * weights[2];
            let distance = position.distance(point);
            if best.is_none_or(|b| distance < b.distance) {
                best = Some(Closest { position, distance, triangle, weights });
            }
        }
        best
    }
}

/// Weights of the place of the triangle `a b c` that is nearest to `p`, by the seven regions of
/// its corners, edges and inside (Ericson, Real-Time Collision Detection, 5.1.5).
pub fn closest_on_triangle(p: DVec3, a: DVec3, b: DVec3, c: DVec3) -> [f64; 3] {
    let (ab, ac) = (b - a, c - a);
    let (ap, bp, cp) = (p - a, p - b, p - c);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 != d3 {
        let v = d1 / (d1 - d3);
        return [1.0 - v, v, 0.0];
    }
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 != d6 {
        let w = d2 / (d2 - d6);
        return [1.0 - w, 0.0, w];
    }
    let va = d3 * d6 - d5 * d4;
    let (along, back) = (d4 - d3, d5 - d6);
    if va <= 0.0 && along >= 0.0 && back >= 0.0 && along + back > 0.0 {
        let w = along / (along + back);
        return [0.0, 1.0 - w, w];
    }
    let sum = va + vb + vc;
    if sum == 0.0 {
        return [1.0, 0.0, 0.0]; // a triangle without area whose corners coincide
    }
    let (v, w) = (vb / sum, vc / sum);
    [1.0 - v - w, v, w]
}
