//! Where points lie in a mesh of tetrahedra.

use super::tet_faces::faces;
use super::{TriMesh, closest_on_triangle};
use glam::{DMat3, DVec3};

/// A point as a weighted sum of the corners of a tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Embedded {
    /// Number of the tetrahedron: the one that holds the point, or the nearest; of several the lowest.
    pub tet: usize,
    /// Weights of its corners; they sum to one. Below zero for points outside.
    pub weights: [f64; 4],
    /// How far the point is from the tetrahedron [m]; 0 inside.
    pub outside: f64,
}

/// Cells of a grid over the tetrahedra, with those that reach into each.
struct Cells {
    low: DVec3,
    size: f64,
    count: [i64; 3],
    tets: Vec<Vec<u32>>,
}

impl Cells {
    fn new(mesh: &TriMesh) -> Self {
        let (low, high) = mesh.bounds();
        let extent = high - low;
        // About one tetrahedron a cell.
        let longest = extent.max_element().max(f64::MIN_POSITIVE);
        let part = longest / libm::cbrt(mesh.tets.len() as f64);
        let count = extent.to_array().map(|e| ((e / part) as i64 + 1).min(256));
        let size = (0..3).map(|k| extent[k] / count[k] as f64).fold(part, f64::max);
        let mut cells = Self {
            low,
            size,
            count,
            tets: vec![Vec::new(); count.iter().product::<i64>() as usize],
        };
        for (number, tet) in (0..).zip(&mesh.tets) {
            let corners = tet.map(|i| mesh.positions[i as usize]);
            let first = corners.into_iter().fold(DVec3::INFINITY, DVec3::min);
            let last = corners.into_iter().fold(DVec3::NEG_INFINITY, DVec3::max);
            let (first, last) = (cells.of(first), cells.of(last));
            cells.each(first, last, |own| own.push(number));
        }
        cells
    }

    fn of(&self, p: DVec3) -> [i64; 3] {
        let at = (p - self.low) / self.size;
        std::array::from_fn(|k| (at[k].floor() as i64).clamp(0, self.count[k] - 1))
    }

    fn each(&mut self, first: [i64; 3], last: [i64; 3], mut act: impl FnMut(&mut Vec<u32>)) {
        for z in first[2]..=last[2] {
            for y in first[1]..=last[1] {
                for x in first[0]..=last[0] {
                    let at = (z * self.count[1] + y) * self.count[0] + x;
                    act(&mut self.tets[at as usize]);
                }
            }
        }
    }

    /// The tetrahedra within `ring` cells of `p`, sorted, each once.
    fn near(&self, p: DVec3, ring: i64) -> Vec<u32> {
        let middle = self.of(p);
        let range =
            |k: usize| (middle[k] - ring).max(0)..=(middle[k] + ring).min(self.count[k] - 1);
        let mut found = Vec::new();
        for z in range(2) {
            for y in range(1) {
                for x in range(0) {
                    found
                        .extend(&self.tets[((z * self.count[1] + y) * self.count[0] + x) as usize]);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl TriMesh {
    /// Where each of `points` lies in the tetrahedra of the mesh, which must have some and none that is
    /// flat.
    pub fn embed(&self, points: &[DVec3]) -> Vec<Embedded> {
        let cells = Cells::new(self);
        points.iter().map(|p| self.embed_one(&cells, *p)).collect()
    }

    fn embed_one(&self, cells: &Cells, p: DVec3) -> Embedded {
        let most = cells.count.iter().copied().max().unwrap_or(1);
        let mut best: Option<Embedded> = None;
        for ring in 0..=most {
            for tet in cells.near(p, ring) {
                let found = self.place_in(tet as usize, p);
                if best.is_none_or(|b| found.outside < b.outside) {
                    best = Some(found);
                }
            }
            // What lies beyond the ring is farther than it is wide, and than the way to the grid.
            if let Some(found) = best
                && (found.outside == 0.0 || found.outside <= ring as f64 * cells.size)
            {
                return found;
            }
        }
        best.expect("the last ring has every tetrahedron")
    }

    fn place_in(&self, tet: usize, p: DVec3) -> Embedded {
        let [a, b, c, d] = self.tets[tet].map(|i| self.positions[i as usize]);
        let weights = weights_in([a, b, c, d], p);
        let outside = if weights.iter().all(|w| *w >= 0.0) {
            0.0
        } else {
            let distance = |face: [u32; 3]| {
                let [a, b, c] = face.map(|i| self.positions[i as usize]);
                let w = closest_on_triangle(p, a, b, c);
                (a * w[0] + b * w[1] + c * w[2]).distance(p)
            };
            faces(self.tets[tet]).map(distance).into_iter().fold(f64::INFINITY, f64::min)
        };
        Embedded { tet, weights, outside }
    }
}

/// Weights of the corners of a tetrahedron that make the point `p`; no numbers where it is flat.
pub(crate) fn weights_in([a, b, c, d]: [DVec3; 4], p: DVec3) -> [f64; 4] {
    let along = DMat3::from_cols(b - a, c - a, d - a).inverse() * (p - a);
    [1.0 - along.x - along.y - along.z, along.x, along.y, along.z]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::primitives::{TetBall, TetBox};

    #[test]
    fn points_inside_and_outside_find_the_nearest_cell() {
        let block =
            TetBox { size: DVec3::new(1.0, 2.0, 0.5), cells: Some([3, 5, 2]), ..TetBox::default() };
        let ball = TetBall { cells: Some(6), ..TetBall::default() };
        for mesh in [block.build().unwrap(), ball.build().unwrap()] {
            let mut points = Vec::new();
            for k in 0..200u32 {
                let at = |m: u32| f64::from((k * m) % 101) / 50.0 - 1.0;
                points.push(DVec3::new(at(37), at(53), at(71)) * 1.3);
            }
            for (p, found) in points.iter().zip(mesh.embed(&points)) {
                let best = (0..mesh.tets.len()).map(|t| mesh.place_in(t, *p).outside);
                let best = best.fold(f64::INFINITY, f64::min);
                assert!(found.outside == best, "{p}: {} and not {best}", found.outside);
                let corners = mesh.tets[found.tet].map(|i| mesh.positions[i as usize]);
                let back: DVec3 = corners.iter().zip(found.weights).map(|(c, w)| *c * w).sum();
                assert!(back.distance(*p) < 1e-9, "{back} {p}");
            }
        }
    }
}
