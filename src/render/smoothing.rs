//! Smooth normals: which corners of a mesh share one, decided on the mesh's own shape, and their
//! directions for a frame's positions.
//!
//! Deciding on the shape at rest keeps a sheet smooth however sharply a frame folds it, and keeps
//! a box a box.

use crate::geometry::TriMesh;
use glam::{DVec3, Vec3A};

/// Edges of solid bodies sharper than this stay sharp [degrees].
const CREASE_SOLID: f64 = 40.0;
/// Edges of sheets sharper than this stay sharp [degrees].
const CREASE_SHEET: f64 = 75.0;

/// Which corners share a normal.
#[derive(Clone, Debug)]
pub struct Smoothing {
    /// For each triangle the shared normal of its corners.
    corners: Vec<[u32; 3]>,
    /// Number of shared normals.
    count: usize,
}

impl Smoothing {
    /// Corners share a normal where triangles meet at a vertex (or at vertices in the same place, as
    /// at the seam of a texture) and can be walked to without crossing a crease.
    pub fn of(mesh: &TriMesh, is_sheet: bool) -> Self {
        let crease = if is_sheet { CREASE_SHEET } else { CREASE_SOLID };
        let least_cosine = libm::cos(crease.to_radians());
        let position = |v: u32| mesh.positions.get(v as usize).copied().unwrap_or_default();
        let face_normals: Vec<DVec3> = mesh
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(position);
                (b - a).cross(c - a).normalize_or_zero()
            })
            .collect();

        // All corners, those in the same place next to each other.
        let key = |v: u32| position(v).to_array().map(|x| (x + 0.0).to_bits());
        let mut order: Vec<u32> = (0..mesh.triangles.len() as u32 * 3).collect();
        let vertex = |corner: u32| mesh.triangles[corner as usize / 3][corner as usize % 3];
        order.sort_by_cached_key(|&corner| (key(vertex(corner)), corner));

        let mut corners = vec![[0; 3]; mesh.triangles.len()];
        let mut count = 0;
        for group in order.chunk_by(|&a, &b| key(vertex(a)) == key(vertex(b))) {
            // Flood from each corner that has no normal yet over the triangles it blends with.
            let mut name = vec![u32::MAX; group.len()];
            for start in 0..group.len() {
                if name[start] != u32::MAX {
                    continue;
                }
                name[start] = count;
                let mut open = vec![start];
                while let Some(i) = open.pop() {
                    let here = face_normals[group[i] as usize / 3];
                    for j in 0..group.len() {
                        let there = face_normals[group[j] as usize / 3];
                        if name[j] == u32::MAX && here.dot(there) >= least_cosine {
                            name[j] = count;
                            open.push(j);
                        }
                    }
                }
                count += 1;
            }
            for (&corner, &name) in group.iter().zip(&name) {
                corners[corner as usize / 3][corner as usize % 3] = name;
            }
        }
        Self { corners, count: count as usize }
    }

    /// The shared normals for `positions`, by the angle of each corner (Thürmer and Wüthrich 1998,
    /// "Computing vertex normals from polygonal facets"); zero where the surface has no area.
    pub(super) fn normals(&self, mesh: &TriMesh, positions: &[[f32; 3]]) -> Vec<Vec3A> {
        let mut normals = vec![Vec3A::ZERO; self.count];
        for (t, names) in mesh.triangles.iter().zip(&self.corners) {
            let p = t.map(|v| Vec3A::from_array(positions[v as usize]));
            let face = (p[1] - p[0]).cross(p[2] - p[0]).normalize_or_zero();
            for i in 0..3 {
                let to = (p[(i + 1) % 3] - p[i]).normalize_or_zero();
                let from = (p[(i + 2) % 3] - p[i]).normalize_or_zero();
                let angle = libm::acosf(to.dot(from).clamp(-1.0, 1.0));
                normals[names[i] as usize] += face * angle;
            }
        }
        normals.into_iter().map(Vec3A::normalize_or_zero).collect()
    }

    /// Number of shared normals.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The shared normals of triangle `t`'s corners: numbers below [`Self::count`].
    pub fn corners(&self, t: usize) -> [u32; 3] {
        self.corners[t]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit cube with eight shared vertices.
    fn cube() -> TriMesh {
        let positions = (0..8u32)
            .map(|i| DVec3::new((i & 1) as f64, ((i >> 1) & 1) as f64, ((i >> 2) & 1) as f64))
            .collect();
        let triangles = vec![
            [0, 2, 1],
            [1, 2, 3],
            [4, 5, 6],
            [5, 7, 6],
            [0, 1, 4],
            [1, 5, 4],
            [2, 6, 3],
            [3, 6, 7],
            [0, 4, 2],
            [2, 4, 6],
            [1, 3, 5],
            [3, 7, 5],
        ];
        TriMesh { positions, triangles, ..TriMesh::default() }
    }

    fn as_f32(mesh: &TriMesh) -> Vec<[f32; 3]> {
        mesh.positions.iter().map(|p| p.as_vec3().to_array()).collect()
    }

    #[test]
    fn a_box_keeps_its_edges() {
        let mesh = cube();
        let smoothing = Smoothing::of(&mesh, false);
        assert_eq!(smoothing.count, 24);
        for n in smoothing.normals(&mesh, &as_f32(&mesh)) {
            assert!((n.abs().max_element() - 1.0).abs() < 1e-6, "{n} is not along an axis");
        }
    }

    #[test]
    fn a_sheet_stays_smooth_when_it_is_folded() {
        let mut mesh = TriMesh {
            positions: vec![
                DVec3::ZERO,
                DVec3::X,
                DVec3::X + DVec3::Z,
                DVec3::Z,
                DVec3::X * 2.0,
                DVec3::X * 2.0 + DVec3::Z,
            ],
            triangles: vec![[0, 2, 1], [0, 3, 2], [1, 5, 4], [1, 2, 5]],
            ..TriMesh::default()
        };
        let smoothing = Smoothing::of(&mesh, true);
        assert_eq!(smoothing.count, 6);
        // Folded to a right angle along the middle.
        mesh.positions[4] = DVec3::X + DVec3::Y;
        mesh.positions[5] = DVec3::X + DVec3::Y + DVec3::Z;
        let normals = smoothing.normals(&mesh, &as_f32(&mesh));
        let middle = normals[smoothing.corners(0)[2] as usize];
        let half = 0.5f32.sqrt();
        assert!((middle - Vec3A::new(-half, half, 0.0)).length() < 1e-5, "{middle}");
    }
}
