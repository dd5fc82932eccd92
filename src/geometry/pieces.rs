//! Whether a surface is made of convex pieces.

use super::TriMesh;
use crate::math::Sets;
use std::collections::{BTreeMap, BTreeSet};

/// Part of a piece's extent by which a vertex may stick out of a face.
const ROUNDING: f64 = 1e-9;

impl TriMesh {
    /// The vertices of each piece of the surface that hangs together, where every piece is closed and
    /// convex; none for other surfaces.
    pub fn convex_pieces(&self) -> Option<Vec<Vec<u32>>> {
        let mut sets = Sets::new(self.positions.len());
        for [a, b, c] in &self.triangles {
            for other in [b, c] {
                sets.join(*a as usize, *other as usize);
            }
        }
        let mut pieces: BTreeMap<usize, Vec<[u32; 3]>> = BTreeMap::new();
        for t in &self.triangles {
            pieces.entry(sets.first_of(t[0] as usize)).or_default().push(*t);
        }
        let all = pieces.into_values().map(|triangles| self.convex_piece(&triangles));
        all.collect::<Option<Vec<_>>>().filter(|pieces| !pieces.is_empty())
    }

    fn convex_piece(&self, triangles: &[[u32; 3]]) -> Option<Vec<u32>> {
        let edges: BTreeSet<[u32; 2]> =
            triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]).collect();
        if edges.iter().any(|[a, b]| !edges.contains(&[*b, *a])) {
            return None;
        }
        let vertices: BTreeSet<u32> = triangles.iter().flatten().copied().collect();
        let at = |i: &u32| self.positions[*i as usize];
        let first = at(vertices.first()?);
        let size = vertices.iter().map(|i| at(i).distance(first)).fold(0.0, f64::max);
        for [a, b, c] in triangles {
            let Some(normal) = (at(b) - at(a)).cross(at(c) - at(a)).try_normalize() else {
                continue;
            };
            if vertices.iter().any(|i| normal.dot(at(i) - at(a)) > ROUNDING * size) {
                return None;
            }
        }
        Some(vertices.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::geometry::{TriMesh, join, primitives};
    use glam::DVec3;

    /// M-19: which meshes are convex.
    #[test]
    fn meshes_are_told_to_be_convex_or_not() {
        let cube = primitives::Box::default().build().unwrap();
        let ball = primitives::Sphere::default().build().unwrap();
        let count = |mesh: &TriMesh| mesh.convex_pieces().map(|pieces| pieces.len());
        assert_eq!([count(&cube), count(&ball)], [Some(1); 2]);
        let aside = ball.positions.iter().map(|p| *p + DVec3::X * 9.0).collect::<Vec<_>>();
        let two = join(&[cube.clone(), TriMesh { positions: aside, ..ball.clone() }]);
        assert_eq!(count(&two), Some(2));
        let torus = primitives::Torus { radius: 0.5, tube: 0.2, ..Default::default() };
        assert_eq!(count(&torus.build().unwrap()), None);
        let open = TriMesh { triangles: cube.triangles[1..].to_vec(), ..cube.clone() };
        assert_eq!(count(&open), None);
        let mut dented = ball;
        dented.positions[0] *= 0.8;
        assert_eq!(count(&dented), None);
    }
}
