//! Surfaces as meshes of a glTF file.

use super::buffer::File;
use crate::export::surface::Surface;
use crate::geometry::TriMesh;
use gltf::json::buffer::Target;
use gltf::json::mesh::{Mesh, Mode, Primitive, Semantic};
use gltf::json::validation::Checked;
use gltf::json::{Accessor, Index, Material};
use std::collections::{BTreeMap, BTreeSet};

/// Maps that are the colours of vertices, as PLY files call them.
pub(in crate::export) const COLORS: [&str; 3] = ["red", "green", "blue"];

/// A surface as a mesh of the file.
pub(super) fn add(
    surface: &Surface,
    file: &mut File,
    name: &str,
    material: Option<Index<Material>>,
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
            material,
            mode: Checked::Valid(Mode::Triangles),
            targets: None,
        }],
        weights: None,
    })
}

/// Adds the maps of `of` to its surface in the file: those of colours as `COLOR_0`, every other as `_NAME`.
/// Gives the names of those that cannot be called so.
pub(super) fn add_maps<'a>(
    surface: &Surface,
    of: &'a TriMesh,
    file: &mut File,
    mesh: Index<Mesh>,
) -> Vec<&'a str> {
    let mut attributes: Vec<(Semantic, Index<Accessor>)> = Vec::new();
    let colors: Option<Vec<&Vec<f64>>> = COLORS.iter().map(|name| of.maps.get(*name)).collect();
    if let Some(colors) = &colors {
        // Colours of vertices are written for the screen in other formats, and linear in this one.
        let channel = |map: &Vec<f64>, i: u32| linear(map[i as usize] as f32);
        let color = |i: &u32| std::array::from_fn(|k| channel(colors[k], *i));
        let colors: Vec<[f32; 3]> = surface.of_mesh().iter().map(color).collect();
        let accessor = file.vectors(&colors, Some(Target::ArrayBuffer));
        attributes.push((Semantic::Colors(0), accessor));
    }
    let mut left = Vec::new();
    let mut taken = BTreeSet::new();
    for (name, map) in &of.maps {
        if colors.is_some() && COLORS.contains(&name.as_str()) {
            continue;
        }
        let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        // Such names are in capitals, so that two may become one.
        if name.is_empty() || !is_plain || !taken.insert(name.to_uppercase()) {
            left.push(name.as_str());
            continue;
        }
        let values: Vec<f32> = surface.of_mesh().iter().map(|i| map[*i as usize] as f32).collect();
        let accessor = file.scalars(&values);
        attributes.push((Semantic::Extras(name.to_uppercase()), accessor));
    }
    let attributes = attributes.into_iter().map(|(name, index)| (Checked::Valid(name), index));
    file.root.meshes[mesh.value()].primitives[0].attributes.extend(attributes);
    left
}

/// The linear value of a channel of sRGB.
fn linear(c: f32) -> f32 {
    let c = c.clamp(0.0, 1.0);
    if c <= 0.04045 { c / 12.92 } else { libm::powf((c + 0.055) / 1.055, 2.4) }
}
