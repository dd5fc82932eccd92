//! Several meshes as one.

use super::TriMesh;
use glam::DVec2;

/// Puts meshes into one, in their order; vertices are not merged. A map or texture coordinate that
/// only some of them have is 0 on the others. A single mesh stays what it is, a grid included.
pub fn join(meshes: &[TriMesh]) -> TriMesh {
    if let [one] = meshes {
        return one.clone();
    }
    let mut all = TriMesh::default();
    let has_uvs = meshes.iter().any(|m| !m.uvs.is_empty());
    for mesh in meshes {
        let (first, triangle) = (all.positions.len(), all.triangles.len() as u32);
        all.seams.extend(mesh.seams.iter().map(|(t, uvs)| (t + triangle, *uvs)));
        all.positions.extend(&mesh.positions);
        all.triangles.extend(mesh.triangles.iter().map(|t| t.map(|i| i + first as u32)));
        all.tets.extend(mesh.tets.iter().map(|t| t.map(|i| i + first as u32)));
        all.lines.extend(mesh.lines.iter().map(|t| t.map(|i| i + first as u32)));
        if has_uvs {
            all.uvs.extend(&mesh.uvs);
            all.uvs.resize(all.positions.len(), DVec2::ZERO);
        }
        for (name, values) in &mesh.maps {
            let map = all.maps.entry(name.clone()).or_default();
            map.resize(first, 0.0);
            map.extend(values);
        }
    }
    for map in all.maps.values_mut() {
        map.resize(all.positions.len(), 0.0);
    }
    all
}
