//! Surfaces as meshes of a glTF file.

use super::buffer::File;
use crate::export::surface::Surface;
use gltf::json::buffer::Target;
use gltf::json::mesh::{Mesh, Mode, Primitive, Semantic};
use gltf::json::validation::Checked;
use gltf::json::{Index, Material};
use std::collections::BTreeMap;

/// A surface as a mesh of the file.
pub(super) fn add(
    surface: &Surface,
    file: &mut File,
    name: &str,
    material: Index<Material>,
) -> Index<Mesh> {
    let mut attributes = BTreeMap::new();
    attributes.insert(Checked::Valid(Semantic::Positions), file.positions(&surface.positions));
    let normals = file.vectors(&surface.normals, Some(Target::ArrayBuffer));
    attributes.insert(Checked::Valid(Semantic::Normals), normals);
    if !surface.uvs.is_empty() {
        let uvs = file.vectors(&surface.uvs, Some(Target::ArrayBuffer));
        attributes.insert(Checked::Valid(Semantic::TexCoords(0)), uvs);
    }
    let indices = file.triangles(&surface.triangles);
    file.root.push(Mesh {
        extensions: None,
        extras: None,
        name: Some(name.to_owned()),
        primitives: vec![Primitive {
            attributes,
            extensions: None,
            extras: None,
            indices: Some(indices),
            material: Some(material),
            mode: Checked::Valid(Mode::Triangles),
            targets: None,
        }],
        weights: None,
    })
}
