//! What lies inside a closed surface, exactly, and where a line leaves it.

use crate::geometry::TriMesh;
use glam::DVec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Halvings with which a way out is found where rounding hides the triangle it goes through.
const HALVINGS: u32 = 40;

/// A closed surface, its triangles sorted into columns along x.
pub(super) struct Inside<'a> {
    mesh: &'a TriMesh,
    /// 1 where the triangles face outwards, else -1.
    sense: i32,
    low: DVec3,
    size: f64,
    columns: [usize; 2],
    /// Triangles of each column.
    triangles: Vec<Vec<u32>>,
}

/// A triangle that a line along x goes through, and which way round it lies there.
pub(super) type Hit = (u32, i32);

impl<'a> Inside<'a> {
    /// A surface whose triangles are sorted into columns of `size`.
    pub(super) fn new(mesh: &'a TriMesh, size: f64) -> Self {
        let (low, high) = mesh.bounds();
        let count = |extent: f64| (extent / size).floor() as usize + 1;
        let columns = [count(high.y - low.y), count(high.z - low.z)];
        let sense = if mesh.volume() < 0.0 { -1 } else { 1 };
        let triangles = vec![Vec::new(); columns[0] * columns[1]];
        let mut inside = Self { mesh, sense, low, size, columns, triangles };
        for (number, t) in (0..).zip(&mesh.triangles) {
            let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
            for column in inside.over(a.min(b).min(c), a.max(b).max(c)) {
                inside.triangles[column].push(number);
            }
        }
        inside
    }

    /// Columns that a box reaches into.
    fn over(&self, low: DVec3, high: DVec3) -> Vec<usize> {
        let part = |at: f64, from: f64, count: usize| {
            (((at - from) / self.size).floor().max(0.0) as usize).min(count - 1)
        };
        let [ny, nz] = self.columns;
        let y = part(low.y, self.low.y, ny)..=part(high.y, self.low.y, ny);
        let z = part(low.z, self.low.z, nz)..=part(high.z, self.low.z, nz);
        z.flat_map(|z| y.clone().map(move |y| z * ny + y)).collect()
    }

    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.mesh.triangles[triangle as usize].map(|i| self.mesh.positions[i as usize])
    }

    /// Triangles that the line along x through `p` goes through. A line through an edge or a corner goes
    /// through exactly one of the triangles on either side of it, as if it ran beside it.
    pub(super) fn hits(&self, p: DVec3) -> Vec<Hit> {
        let mut hits = Vec::new();
        for column in self.over(p, p) {
            for &triangle in &self.triangles[column] {
                let corners = self.corners(triangle);
                let mut winding = 0;
                for k in 0..3 {
                    winding += passes(corners[k], corners[(k + 1) % 3], p);
                }
                if winding != 0 {
                    hits.push((triangle, winding));
                }
            }
        }
        hits
    }

    /// Whether `p` is inside, given the triangles that the line along x through it goes through: those
    /// that lie ahead of it turn round it.
    pub(super) fn holds(&self, p: DVec3, hits: &[Hit]) -> bool {
        let at = |v: DVec3| Coord3D { x: v.x, y: v.y, z: v.z };
        let around: i32 = hits
            .iter()
            .filter(|(triangle, winding)| {
                let [a, b, c] = self.corners(*triangle);
                let side = orient3d(at(a), at(b), at(c), at(p));
                // Seen along x the triangle turns by `winding`, so p lies before it on one side.
                f64::from(*winding) * side > 0.0
            })
            .map(|(_, winding)| *winding)
            .sum();
        around * self.sense > 0
    }

    /// The part of the way from `from`, inside, to `to`, outside, at which it leaves for the first time.
    pub(super) fn leaves(&self, from: DVec3, to: DVec3) -> f64 {
        let way = to - from;
        let mut first: Option<f64> = None;
        for column in self.over(from.min(to), from.max(to)) {
            for &triangle in &self.triangles[column] {
                let [a, b, c] = self.corners(triangle);
                if let Some(part) = crossing(from, way, [a, b, c])
                    && first.is_none_or(|f| part < f)
                {
                    first = Some(part);
                }
            }
        }
        first.unwrap_or_else(|| {
            let (mut inside, mut outside) = (0.0, 1.0);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (inside + outside);
                let p = from + way * middle;
                if self.holds(p, &self.hits(p)) { inside = middle } else { outside = middle }
            }
            inside
        })
    }
}

/// Whether the ray from `p` along y passes the edge from `a` to `b` in the plane of y and z: 1 upwards, -1
/// downwards, else 0. Edges own their lower ends, and points on an edge count as beyond it, whichever way
/// round it is asked.
fn passes(a: DVec3, b: DVec3, p: DVec3) -> i32 {
    let at = |v: DVec3| Coord { x: v.y, y: v.z };
    match (a.z > p.z, b.z > p.z) {
        (false, true) if orient2d(at(a), at(b), at(p)) > 0.0 => 1,
        (true, false) if orient2d(at(b), at(a), at(p)) > 0.0 => -1,
        _ => 0,
    }
}

/// Where `from + part * way` meets a triangle, for a part from 0 to 1; a little beyond its edges counts.
fn crossing(from: DVec3, way: DVec3, [a, b, c]: [DVec3; 3]) -> Option<f64> {
    let (e, f) = (b - a, c - a);
    let normal = e.cross(f);
    let along = normal.dot(way);
    let part = normal.dot(a - from) / along;
    if !(-1e-9..=1.0 + 1e-9).contains(&part) {
        return None;
    }
    let area = normal.length_squared();
    let at = from + way * part - a;
    let (u, v) = (at.cross(f).dot(normal) / area, e.cross(at).dot(normal) / area);
    (u >= -1e-9 && v >= -1e-9 && u + v <= 1.0 + 1e-9).then(|| part.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::primitives::{Box, Sphere};

    #[test]
    fn points_on_lines_through_corners_and_edges_have_a_side() {
        let cube = Box { size: DVec3::splat(2.0), ..Box::default() }.build().unwrap();
        let mut inverted = cube.clone();
        inverted.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        for mesh in [&cube, &inverted] {
            let inside = Inside::new(mesh, 0.7);
            for x in [-1.5, -0.999, 0.0, 0.999, 1.5] {
                for y in [-1.5, -0.5, 0.0, 0.5, 1.5] {
                    for z in [-1.5, -0.5, 0.0, 0.5, 1.5] {
                        let p = DVec3::new(x, y, z);
                        let expected = p.abs().max_element() < 1.0;
                        assert_eq!(inside.holds(p, &inside.hits(p)), expected, "{p}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_way_out_of_a_ball_is_as_long_as_its_radius() {
        let ball = Sphere { radius: 1.0, subdivisions: Some(4), ..Sphere::default() };
        let mesh = ball.build().unwrap();
        let inside = Inside::new(&mesh, 0.2);
        for to in [DVec3::X, DVec3::new(1.0, 1.0, 1.0), DVec3::new(0.0, -1.0, 0.3)] {
            let part = inside.leaves(DVec3::ZERO, to.normalize() * 2.0);
            assert!((part - 0.5).abs() < 0.002, "{part}");
        }
    }
}
