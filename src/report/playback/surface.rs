//! A body's triangles as the page draws them: only what is on the surface, with the renderer's sharp edges.

use crate::render::Smoothing;
use crate::scene::{BodyKind, Scene};
use std::collections::BTreeMap;

/// Vertices and triangles of a body.
pub(super) struct Surface {
    /// Vertices of the mesh that triangles have, rising: a solid's inner ones are left out.
    pub(super) vertices: Vec<u32>,
    /// Number of normals.
    pub(super) normals: usize,
    /// Each different corner: its place in `vertices`, and the number of its normal.
    pub(super) corners: Vec<[u32; 2]>,
    /// Places in `corners`.
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// Of body `index` of the scene as it is shown.
    pub(super) fn of(scene: &Scene, index: usize) -> Self {
        let mesh = scene.mesh_of(index);
        let mut vertices: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let smoothing = Smoothing::of(mesh, is_sheet(scene, index));
        let mut numbers = BTreeMap::new();
        let mut corners = Vec::new();
        let triangles = mesh.triangles.iter().enumerate().map(|(t, triangle)| {
            let mut number = |vertex: u32, normal: u32| {
                *numbers.entry((vertex, normal)).or_insert_with(|| {
                    // It is one of the vertices that triangles have.
                    let place = vertices.partition_point(|v| *v < vertex);
                    corners.push([place as u32, normal]);
                    corners.len() as u32 - 1
                })
            };
            let normals = smoothing.corners(t);
            [0, 1, 2].map(|k| number(triangle[k], normals[k]))
        });
        let triangles = triangles.collect();
        Self { vertices, normals: smoothing.count(), corners, triangles }
    }

    /// Bytes of its corners and triangles, and of its places where it keeps its shape.
    pub(super) fn bytes(&self, keeps_shape: bool) -> usize {
        let places = if keeps_shape { 12 * self.vertices.len() } else { 0 };
        8 * self.corners.len() + 12 * self.triangles.len() + places
    }
}

/// Whether body `index` is smoothed as a sheet.
pub(super) fn is_sheet(scene: &Scene, index: usize) -> bool {
    matches!(scene.bodies[index].kind, BodyKind::Cloth(_))
}
