//! Tangents along a picture's `u` for each corner of a mesh: what a picture of normals is relative to.
//!
//! As Mikkelsen 2008 ("Simulation of Wrinkled Surfaces Revisited") has them, so that pictures baked
//! elsewhere fit: corners share one where they share the normal, the texture coordinates and the
//! picture's handedness; a triangle counts by its angle there.

use super::smoothing::Smoothing;
use crate::geometry::TriMesh;
use glam::{DVec2, Vec2, Vec3A};

/// Which corners share a tangent.
pub(super) struct Tangents {
    /// For each triangle the shared tangent of its corners.
    corners: Vec<[u32; 3]>,
    /// Texture coordinates of each triangle's corners.
    uvs: Vec<[Vec2; 3]>,
    /// Number of shared tangents.
    count: usize,
}

impl Tangents {
    /// Of a mesh with texture coordinates and its shared normals.
    pub(super) fn of(mesh: &TriMesh, smoothing: &Smoothing) -> Self {
        let uvs: Vec<[Vec2; 3]> = (0..mesh.triangles.len())
            .map(|t| mesh.corner_uvs(t).unwrap_or_default().map(DVec2::as_vec2))
            .collect();
        let key = |corner: u32| {
            let (t, k) = (corner as usize / 3, corner as usize % 3);
            let uv = uvs[t][k].to_array().map(|x| (x + 0.0).to_bits());
            (smoothing.corners(t)[k], uv, handedness(&uvs[t]) < 0.0)
        };
        let mut order: Vec<u32> = (0..mesh.triangles.len() as u32 * 3).collect();
        order.sort_by_cached_key(|corner| (key(*corner), *corner));
        let mut corners = vec![[0; 3]; mesh.triangles.len()];
        let mut count = 0;
        for group in order.chunk_by(|a, b| key(*a) == key(*b)) {
            for &corner in group {
                corners[corner as usize / 3][corner as usize % 3] = count as u32;
            }
            count += 1;
        }
        Self { corners, uvs, count }
    }

    /// The shared tangents for `positions`, at right angles to the corners' `normals`; zero where the
    /// picture has no extent.
    pub(super) fn tangents(
        &self,
        mesh: &TriMesh,
        positions: &[[f32; 3]],
        normals: impl Fn(usize) -> [Vec3A; 3],
    ) -> Vec<Vec3A> {
        let mut sums = vec![Vec3A::ZERO; self.count];
        for (t, names) in self.corners.iter().enumerate() {
            let p = mesh.triangles[t].map(|v| Vec3A::from_array(positions[v as usize]));
            let [a, b, c] = self.uvs[t];
            let along = (p[1] - p[0]) * (c.y - a.y) - (p[2] - p[0]) * (b.y - a.y);
            let along = along * handedness(&self.uvs[t]);
            let normals = normals(t);
            for k in 0..3 {
                let flat = |d: Vec3A| (d - normals[k] * normals[k].dot(d)).normalize_or_zero();
                let to = flat(p[(k + 1) % 3] - p[k]);
                let from = flat(p[(k + 2) % 3] - p[k]);
                let angle = libm::acosf(to.dot(from).clamp(-1.0, 1.0));
                sums[names[k] as usize] += flat(along) * angle;
            }
        }
        sums.into_iter().map(Vec3A::normalize_or_zero).collect()
    }

    /// The shared tangents of triangle `t`'s corners.
    pub(super) fn corners(&self, t: usize) -> [u32; 3] {
        self.corners[t]
    }

    /// Whether the picture of triangle `t` is seen from behind: `v` then turns the other way about
    /// the normal.
    pub(super) fn is_mirrored(&self, t: usize) -> bool {
        handedness(&self.uvs[t]) < 0.0
    }
}

/// 1 where a triangle turns in the picture as it does on the surface, -1 where it is mirrored, 0 where it
/// has no area there.
fn handedness([a, b, c]: &[Vec2; 3]) -> f32 {
    let area = (*b - *a).perp_dot(*c - *a);
    if area == 0.0 { 0.0 } else { area.signum() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::primitives::{Grid, Sphere};

    fn tangents(mesh: &TriMesh) -> (Tangents, Smoothing, Vec<Vec3A>) {
        let smoothing = Smoothing::of(mesh, false);
        let places: Vec<[f32; 3]> = mesh.positions.iter().map(|p| p.as_vec3().to_array()).collect();
        let normals = smoothing.normals(mesh, &places);
        let own = Tangents::of(mesh, &smoothing);
        let along =
            own.tangents(mesh, &places, |t| smoothing.corners(t).map(|n| normals[n as usize]));
        (own, smoothing, along)
    }

    #[test]
    fn a_sheet_has_one_tangent_along_its_rows() {
        let mesh = Grid { size: [2.0, 1.0], vertices: Some([5, 4]), ..Grid::default() };
        let (_, _, along) = tangents(&mesh.build().unwrap());
        assert!(along.iter().all(|t| t.abs_diff_eq(Vec3A::X, 1e-6)));
    }

    /// On a ball `u` runs along the circles of latitude, across the seam as well.
    #[test]
    fn a_ball_has_tangents_along_its_latitudes() {
        let mesh = Sphere { subdivisions: Some(4), ..Sphere::default() }.build().unwrap();
        let (own, _, along) = tangents(&mesh);
        for t in 0..mesh.triangles.len() {
            assert!(!own.is_mirrored(t));
            for (k, vertex) in mesh.triangles[t].into_iter().enumerate() {
                let p = mesh.positions[vertex as usize].as_vec3a();
                if p.y.abs() < 0.8 {
                    let east = Vec3A::new(p.z, 0.0, -p.x).normalize();
                    let found = along[own.corners(t)[k] as usize];
                    assert!(found.dot(east) > 0.995, "{p}: {found} in place of {east}");
                }
            }
        }
    }
}
