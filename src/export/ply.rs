//! Stanford PLY, binary: a file a body a frame, with texture coordinates and maps.

use super::sequence;
use super::shot::{Shot, Written};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use std::path::Path;

/// Writes `ply/<body>.0001.ply`.
pub(super) fn write(shot: &Shot<'_>, folder: &Path) -> Result<Written, Diagnostic> {
    sequence::write(shot, &folder.join("ply"), "ply", |frame, body| {
        Ok(encode(shot.scene.mesh_of(body), &frame.world_positions(shot.scene, body)))
    })
}

/// A mesh whose vertices are at `positions`.
pub(super) fn encode(mesh: &TriMesh, positions: &[[f32; 3]]) -> Vec<u8> {
    let textured = !mesh.uvs.is_empty();
    // A property's name is one word.
    let maps: Vec<_> = mesh.maps.iter().filter(|(name, _)| is_word(name)).collect();
    let mut names = vec!["x", "y", "z"];
    if textured {
        names.extend(["s", "t"]);
    }
    names.extend(maps.iter().map(|(name, _)| name.as_str()));
    let properties: Vec<String> = names.iter().map(|n| format!("property float {n}\n")).collect();
    let header = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\n{}element face {}\n\
         property list uchar uint vertex_indices\nend_header\n",
        positions.len(),
        properties.concat(),
        mesh.triangles.len(),
    );
    let mut bytes = header.into_bytes();
    for (i, p) in positions.iter().enumerate() {
        bytes.extend(p.iter().flat_map(|x| x.to_le_bytes()));
        if textured {
            bytes.extend(mesh.uvs[i].as_vec2().to_array().iter().flat_map(|x| x.to_le_bytes()));
        }
        bytes.extend(maps.iter().flat_map(|(_, values)| (values[i] as f32).to_le_bytes()));
    }
    for t in &mesh.triangles {
        bytes.push(3);
        bytes.extend(t.iter().flat_map(|i| i.to_le_bytes()));
    }
    bytes
}

/// Whether a map can be a property.
pub(super) fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
