//! Models: objects that stand still, in one file, without a shot around them.

use super::shot::{Shot, save};
use super::{gltf, obj, ply, stl, usd};
use crate::diagnostics::{Diagnostic, Place, nearest};
use crate::frames::{BodyState, Figures, Frame};
use crate::geometry::TriMesh;
use crate::math::Curve;
use crate::scene::{Body, BodyKind, Look, Scene, Timing};
use glam::{DVec2, DVec3};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A format that a model can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelFormat {
    /// Wavefront OBJ, materials in a file beside it.
    Obj,
    /// Stanford PLY, binary; one object.
    Ply,
    /// glTF 2.0 in one binary file.
    Glb,
    /// glTF 2.0 as text that holds its data itself.
    Gltf,
    /// STL: binary, or text where there are several objects.
    Stl,
    /// USD as a crate file.
    Usd,
}

impl ModelFormat {
    /// Endings of files and their formats.
    pub const ENDINGS: [(&str, Self); 7] = [
        ("obj", Self::Obj),
        ("ply", Self::Ply),
        ("glb", Self::Glb),
        ("gltf", Self::Gltf),
        ("stl", Self::Stl),
        ("usdc", Self::Usd),
        ("usd", Self::Usd),
    ];

    /// The format that a file's ending names.
    pub fn of(path: &Path) -> Result<Self, Diagnostic> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if let Some((_, format)) = Self::ENDINGS.iter().find(|(e, _)| *e == ending) {
            return Ok(*format);
        }
        let endings = Self::ENDINGS.map(|(ending, _)| ending);
        let all = endings.map(|ending| format!(".{ending}")).join(", ");
        let near = nearest(&ending, endings).map(|n| format!("did you mean .{n}? "));
        let message = format!("`{}` is no mesh file that can be written", path.display());
        let hint = format!("{}the name must end in {all}", near.unwrap_or_default());
        Err(Diagnostic::error(message).hint(hint))
    }

    /// The files that a model at `path` may become.
    pub fn files(self, path: &Path) -> Vec<PathBuf> {
        let mut files = vec![path.to_path_buf()];
        if self == Self::Obj {
            files.push(obj::material_file(path));
        }
        files
    }
}

/// An object of a model.
#[derive(Clone, Debug)]
pub struct ModelObject {
    /// Its name; may be empty.
    pub name: String,
    /// Its surface.
    pub mesh: TriMesh,
    /// How it looks; it has a material where `color_given`.
    pub look: Look,
}

/// Writes `objects`, of which there is at least one, as the file `path`, whole or not at all. Gives what the
/// format has no place for, in words.
pub fn write_model(
    format: ModelFormat,
    objects: Vec<ModelObject>,
    path: &Path,
) -> Result<Vec<String>, Diagnostic> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let scene = scene(&stem, objects, format);
    let mut left = Vec::new();
    let mut maps: BTreeSet<String> = BTreeSet::new();
    let all_maps = || scene.meshes.iter().flat_map(|m| m.maps.keys().cloned());
    let has_materials = scene.bodies.iter().any(|b| b.look.color_given);
    match format {
        ModelFormat::Obj => {
            maps.extend(all_maps());
            obj::write_still(&scene, path)?;
        }
        ModelFormat::Ply => {
            let (mesh, split) = joined(&scene);
            maps.extend(all_maps().filter(|name| !ply::is_word(name)));
            if scene.bodies.len() > 1 {
                left.push(format!("which of {} objects a face belongs to", scene.bodies.len()));
            }
            if split > 0 {
                left.push(format!("texture coordinates at {split} seams"));
            }
            if has_materials {
                left.push("materials".into());
            }
            let places: Vec<_> = mesh.positions.iter().map(|p| p.as_vec3().to_array()).collect();
            save(path, &ply::encode(&mesh, &places))?;
        }
        ModelFormat::Glb | ModelFormat::Gltf => {
            maps.extend(gltf::write_still(&scene, path, format == ModelFormat::Gltf)?);
        }
        ModelFormat::Stl => {
            maps.extend(all_maps());
            if scene.meshes.iter().any(|m| !m.uvs.is_empty()) {
                left.push("texture coordinates".into());
            }
            if has_materials {
                left.push("materials".into());
            }
            stl::write_still(&scene, path)?;
        }
        ModelFormat::Usd => {
            maps.extend(all_maps());
            let frames = vec![still(&scene)];
            usd::write_at(&Shot::new(&scene, &frames), path)?;
        }
    }
    if !maps.is_empty() {
        left.push(format!("maps ({})", maps.into_iter().collect::<Vec<_>>().join(", ")));
    }
    Ok(left)
}

/// All meshes as one, and at how many triangles it loses texture coordinates.
fn joined(scene: &Scene) -> (TriMesh, usize) {
    let mut all = TriMesh::default();
    let mut split = 0;
    let textured = scene.meshes.iter().any(|m| !m.uvs.is_empty());
    for mesh in &scene.meshes {
        let first = all.positions.len();
        all.positions.extend(&mesh.positions);
        let end = all.positions.len();
        all.triangles.extend(mesh.triangles.iter().map(|t| t.map(|i| i + first as u32)));
        if textured {
            all.uvs.extend(&mesh.uvs);
            all.uvs.resize(end, DVec2::ZERO);
        }
        for (name, map) in &mesh.maps {
            let own = all.maps.entry(name.clone()).or_default();
            own.resize(first, 0.0);
            own.extend(map);
        }
        all.maps.values_mut().for_each(|map| map.resize(end, 0.0));
        split += mesh.seams.len();
    }
    (all, split)
}

/// A scene in which every object stands where it is.
fn scene(name: &str, objects: Vec<ModelObject>, format: ModelFormat) -> Scene {
    let mut taken = BTreeSet::new();
    let mut scene = Scene::new(name.to_owned(), Timing::plain(0), Curve::Constant(DVec3::ZERO), 0);
    for (number, mut object) in objects.into_iter().enumerate() {
        // A mesh of USD has a colour in any case.
        object.look.color_given |= format == ModelFormat::Usd;
        let wanted = if object.name.trim().is_empty() { name } else { &object.name };
        let name = unique(wanted, format, &mut taken);
        let body = Body::new(name, Place::default(), number, BodyKind::Collider);
        scene.bodies.push(Body { look: object.look, ..body });
        scene.meshes.push(object.mesh);
    }
    scene
}

/// A name that no other object has, on one line; OBJ wants it in one word.
fn unique(wanted: &str, format: ModelFormat, taken: &mut BTreeSet<String>) -> String {
    let blank =
        |c: char| c.is_control() || (format == ModelFormat::Obj && (c.is_whitespace() || c == '#'));
    let clean = wanted.trim().replace(blank, "_");
    let mut name = clean.clone();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{clean}_{number}");
        number += 1;
    }
    name
}

/// The one frame of a scene in which nothing moves.
fn still(scene: &Scene) -> Frame {
    let posed = BodyState::Posed { translate: [0.0; 3], rotate: [0.0, 0.0, 0.0, 1.0] };
    Frame {
        number: scene.timing.start_frame,
        time: 0.0,
        bodies: vec![posed; scene.bodies.len()],
        figures: Figures::default(),
        regions: Vec::new(),
        retakes: Vec::new(),
        events: Vec::new(),
        state_hash: [0; 32],
        samples: Vec::new(),
    }
}
