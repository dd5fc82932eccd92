//! Merging vertices that lie at the same place.

use crate::geometry::TriMesh;
use std::collections::BTreeMap;

/// Merges vertices whose positions are equal in every bit, from vertex `first_vertex` and triangle
/// `first_triangle` on; the first of them keeps its texture coordinates and maps,
/// corners keep theirs.
pub(super) fn weld(mesh: &mut TriMesh, first_vertex: usize, first_triangle: usize) {
    weld_alike(mesh, first_vertex, first_triangle, |_| ());
}

/// As [`weld`], of vertices for which `tell` says the same.
pub(super) fn weld_alike<K: Ord>(
    mesh: &mut TriMesh,
    first_vertex: usize,
    first_triangle: usize,
    tell: impl Fn(usize) -> K,
) {
    let mut first_at: BTreeMap<([u64; 3], K), u32> = BTreeMap::new();
    let mut same: Vec<u32> = Vec::with_capacity(mesh.positions.len() - first_vertex);
    for (i, p) in mesh.positions.iter().enumerate().skip(first_vertex) {
        // Adding 0 makes the two zeros one.
        let key = p.to_array().map(|x| (x + 0.0).to_bits());
        same.push(*first_at.entry((key, tell(i))).or_insert(i as u32));
    }
    for t in first_triangle..mesh.triangles.len() {
        let uvs = mesh.corner_uvs(t);
        mesh.triangles[t] = mesh.triangles[t].map(|i| same[i as usize - first_vertex]);
        if let Some(uvs) = uvs {
            mesh.set_corner_uvs(t, uvs);
        }
    }
}
