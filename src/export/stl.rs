//! STL: triangles and nothing else.

use super::obj::Short;
use super::shot::save;
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use crate::scene::Scene;
use glam::{DVec3, Vec3};
use std::fmt::Write;
use std::path::Path;

/// All bodies of `scene` at the places of their meshes: one as a binary file, several as text, which alone
/// keeps them apart (a `solid` each).
pub(super) fn write_still(scene: &Scene, path: &Path) -> Result<(), Diagnostic> {
    if scene.bodies.len() == 1 {
        return save(path, &binary(scene.mesh_of(0)));
    }
    let mut text = String::new();
    for (number, body) in scene.bodies.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "solid {}", body.name);
        for (normal, corners) in triangles(scene.mesh_of(number)) {
            let [x, y, z] = normal.to_array().map(Short);
            let _ = writeln!(text, "facet normal {x} {y} {z}\nouter loop");
            for corner in corners {
                let [x, y, z] = corner.to_array().map(Short);
                let _ = writeln!(text, "vertex {x} {y} {z}");
            }
            text.push_str("endloop\nendfacet\n");
        }
        let _ = writeln!(text, "endsolid {}", body.name);
    }
    save(path, text.as_bytes())
}

/// 80 bytes of remarks, the number of triangles, and 50 bytes of each.
fn binary(mesh: &TriMesh) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes[..6].copy_from_slice(b"Retake");
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for (normal, corners) in triangles(mesh) {
        for vector in std::iter::once(normal).chain(corners) {
            bytes.extend(vector.to_array().iter().flat_map(|x| x.to_le_bytes()));
        }
        bytes.extend([0, 0]);
    }
    bytes
}

/// Normal and corners of every triangle.
fn triangles(mesh: &TriMesh) -> impl Iterator<Item = (Vec3, [Vec3; 3])> {
    mesh.triangles.iter().map(|t| {
        let [a, b, c]: [DVec3; 3] = t.map(|i| mesh.positions[i as usize]);
        ((b - a).cross(c - a).normalize_or_zero().as_vec3(), [a, b, c].map(DVec3::as_vec3))
    })
}
