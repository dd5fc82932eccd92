//! Texture coordinates as formats have them that number them apart from vertices.

use crate::geometry::TriMesh;
use glam::DVec2;
use std::collections::BTreeMap;

/// Texture coordinates of a mesh, and those of every corner of a triangle by their numbers.
pub(super) struct Texture {
    /// One a vertex, then those that corners at seams have in their place; empty where the mesh has none.
    pub(super) uvs: Vec<DVec2>,
    /// One entry a triangle.
    pub(super) corners: Vec<[u32; 3]>,
}

impl Texture {
    pub(super) fn of(mesh: &TriMesh) -> Self {
        let mut uvs: Vec<DVec2> = mesh.uvs.clone();
        let mut corners = mesh.triangles.clone();
        let mut beyond: BTreeMap<(u32, [u64; 2]), u32> = BTreeMap::new();
        for (t, own) in &mesh.seams {
            let vertices = mesh.triangles[*t as usize];
            corners[*t as usize] = std::array::from_fn(|k| {
                let (vertex, uv) = (vertices[k], own[k]);
                if mesh.uvs[vertex as usize] == uv {
                    return vertex;
                }
                *beyond.entry((vertex, uv.to_array().map(f64::to_bits))).or_insert_with(|| {
                    uvs.push(uv);
                    uvs.len() as u32 - 1
                })
            });
        }
        Self { uvs, corners }
    }
}
