//! How steep a sheet is across the side between two of its triangles, told from the vertices around.
//!
//! Halfway along the side the slope across it is taken to be
//!
//! `f = (A1 s0 + A0 s1) / (A0 + A1) + sum g_j c_j`,
//!
//! with the areas A and the slopes s of the two flat triangles, and the curvature vectors c of the hinge in the side and of
//! the four around it. The parts g make f exact for paraboloids, as far as that can be had with small ones: they are the
//! least squares of what is left, with a weight on their own. Between the triangles of a parallelogram they are zero.

use crate::math::outer;
use glam::{DMat3, DVec2, DVec3};

/// Weight of the parts against what is left of paraboloids. On strips whose vertices are moved by up to 0.3 cells any from
/// 1e-4 to 1e-1 gives the same deflection within 0.02 per cent; the less, the larger the parts.
const WEIGHT: f64 = 1e-2;

/// Parts below this, of one over the root of the area of both triangles, are left out: they change curvatures by less than
/// a thousandth, and each couples more vertices.
const LEAST: f64 = 1e-3;

/// A hinge laid flat: the places of its nodes (ends of the edge, then the opposite corners) [m], and the weights of its
/// curvature vector.
#[derive(Clone, Copy)]
pub(crate) struct FlatHinge {
    pub(crate) places: [DVec2; 4],
    pub(crate) weights: [f64; 4],
}

impl FlatHinge {
    /// The curvature vector where heights are `w`.
    fn curvature(&self, w: impl Fn(DVec2) -> f64) -> f64 {
        self.places.iter().zip(self.weights).map(|(place, weight)| weight * w(*place)).sum()
    }
}

/// Parts [1/m] that the curvature vectors of `hinges` have in the slope across the first of them, from its third node's
/// triangle into its fourth's; none where the slopes of the two triangles are enough.
pub(crate) fn parts(hinges: &[FlatHinge]) -> Option<Vec<f64>> {
    let [a, b, c, d] = hinges[0].places;
    let middle = 0.5 * (a + b);
    let along = (b - a).normalize();
    let [above, below] = [c, d].map(|p| along.perp_dot(p - a));
    let size = (0.5 * a.distance(b) * (above.abs() + below.abs())).sqrt();
    let share = above.abs() / (above.abs() + below.abs());
    // Heights of three paraboloids whose curvatures are of one size and stand square on each other.
    let bowls = |p: DVec2| {
        let p = (p - middle) / size;
        DVec3::new(0.5 * p.x * p.x, 0.5 * p.y * p.y, std::f64::consts::FRAC_1_SQRT_2 * p.x * p.y)
    };
    let on_edge = |p: DVec2| {
        let part = along.dot(p - a) / a.distance(b);
        bowls(a) + (bowls(b) - bowls(a)) * part
    };
    // All of them are level in the middle of the side. Slopes run against the direction of `above`.
    let slope = |p: DVec2, height: f64| (on_edge(p) - bowls(p)) * (size / height);
    let [first, second] = [slope(c, above), slope(d, below)];
    let off = -(first + (second - first) * share);
    let columns: Vec<DVec3> = hinges
        .iter()
        .map(|hinge| DVec3::from_array([0, 1, 2].map(|k| -hinge.curvature(|p| bowls(p)[k]))))
        .collect();
    let normal = columns.iter().map(|c| outer(*c, *c)).sum::<DMat3>() + DMat3::IDENTITY * WEIGHT;
    let pull = normal.inverse() * off;
    let parts: Vec<f64> = columns.iter().map(|c| c.dot(pull)).collect();
    let matters = parts.iter().any(|part| part.abs() > LEAST);
    matters.then(|| parts.into_iter().map(|part| part / size).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::potentials::hinge::weights;

    fn hinge(places: [[f64; 2]; 4]) -> FlatHinge {
        let places = places.map(DVec2::from_array);
        let (weights, _) = weights(places.map(|p| p.extend(0.0))).unwrap();
        FlatHinge { places, weights }
    }

    /// Two triangles with four around them, far from even: the slope of a paraboloid halfway along the side comes out
    /// within what the weight on the parts may leave.
    #[test]
    fn paraboloids_have_their_slopes() {
        let (a, b, c, d) = ([0.0, 0.0], [1.0, 0.0], [0.2, 0.8], [0.7, -1.1]);
        let hinges = [
            hinge([a, b, c, d]),
            hinge([a, c, b, [-0.7, 0.4]]),
            hinge([b, c, a, [1.1, 0.9]]),
            hinge([a, d, b, [-0.3, -0.8]]),
            hinge([b, d, a, [1.6, -0.7]]),
        ];
        let parts = parts(&hinges).unwrap();
        let areas = [0.4, 0.55];
        for k in [DVec3::X, DVec3::Y, DVec3::Z] {
            let w = |p: DVec2| {
                0.5 * k.x * p.x * p.x + 0.5 * k.y * p.y * p.y + k.z * p.x * p.y + 0.3 * p.y
            };
            // Against y: the slope at (1/2, 0) is that of y and of the twist.
            let exact = -(0.3 + 0.5 * k.z);
            let on_edge = |x: f64| w(DVec2::new(1.0, 0.0)) * x;
            let first = (on_edge(c[0]) - w(DVec2::from_array(c))) / c[1];
            let second = (on_edge(d[0]) - w(DVec2::from_array(d))) / d[1];
            let even = (areas[1] * first + areas[0] * second) / (areas[0] + areas[1]);
            let amended = even
                - hinges
                    .iter()
                    .zip(&parts)
                    .map(|(hinge, part)| part * hinge.curvature(w))
                    .sum::<f64>();
            let (before, after) = ((even - exact).abs(), (amended - exact).abs());
            assert!(after < 0.02 * before.max(0.1), "{k}: {before} {after}");
        }
    }

    #[test]
    fn parallelograms_need_no_parts() {
        let (a, b, c, d) = ([0.0, 0.0], [1.0, 0.0], [0.3, 0.8], [0.7, -0.8]);
        let beyond =
            |p: [f64; 2], q: [f64; 2], r: [f64; 2]| [p[0] + q[0] - r[0], p[1] + q[1] - r[1]];
        let hinges = [
            hinge([a, b, c, d]),
            hinge([a, c, b, beyond(a, c, b)]),
            hinge([b, c, a, beyond(b, c, a)]),
            hinge([a, d, b, beyond(a, d, b)]),
            hinge([b, d, a, beyond(b, d, a)]),
        ];
        assert!(parts(&hinges).is_none());
    }
}
