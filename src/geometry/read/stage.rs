//! The nodes of a glTF or USD file as named places: what a script picks its set from.

use super::gltf::{local, parse, roots};
use super::gltf_accessor::split;
use super::{MeshFormat, Neighbour, Source, usd};
use crate::diagnostics::Diagnostic;
use glam::{DMat4, DQuat, DVec3};

/// What hangs on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A mesh.
    Mesh,
    /// A camera.
    Camera,
    /// A light.
    Light,
    /// Nothing: a place.
    Empty,
}

/// A node with its place in the whole file.
#[derive(Clone, Debug, PartialEq)]
pub struct StageNode {
    /// Its name; of a mesh without one that of its mesh. A prim whose name others have too is called by those of
    /// what it hangs on as well (`Mug_Handle`).
    pub name: String,
    /// What hangs on it.
    pub kind: NodeKind,
    /// Its number in the file.
    pub node: usize,
    /// Where its origin is [m].
    pub translate: DVec3,
    /// Its turn.
    pub rotate: DQuat,
    /// Its factors along its own axes; what shears it is left out.
    pub scale: DVec3,
}

/// The nodes of a glTF file that have names, or the prims of a USD file, parents before their children. `neighbour`
/// reads the files that a USD file refers to.
pub fn stage_nodes(
    bytes: &[u8],
    name: &str,
    neighbour: &Neighbour<'_>,
) -> Result<Vec<StageNode>, Diagnostic> {
    let source = Source { name };
    match MeshFormat::of(name)? {
        MeshFormat::Gltf | MeshFormat::Glb => {}
        MeshFormat::Usd => return usd::nodes(bytes, source, neighbour),
        _ => {
            let message = format!("a stage is a glTF or USD file, and `{name}` is not");
            return Err(
                Diagnostic::error(message).hint("take a mesh of it with `retake.mesh.load`")
            );
        }
    }
    let (json, _) = split(bytes, source)?;
    let root = parse(json, source)?;
    let mut found = Vec::new();
    let mut seen = vec![false; root.nodes.len()];
    let mut stack: Vec<_> = roots(&root).into_iter().rev().map(|n| (n, DMat4::IDENTITY)).collect();
    while let Some((index, parent)) = stack.pop() {
        let missing = || source.error(0, format!("there is no node {}", index.value()));
        let node = root.get(index).ok_or_else(missing)?;
        if std::mem::replace(&mut seen[index.value()], true) {
            return Err(source.error(0, format!("node {} hangs on two nodes", index.value())));
        }
        let place = parent * local(node);
        let mesh = node.mesh.and_then(|m| root.get(m));
        let own = node.name.clone().or_else(|| mesh.and_then(|m| m.name.clone()));
        let has_light = node.extensions.as_ref().is_some_and(|e| e.khr_lights_punctual.is_some());
        let kind = match (mesh.is_some(), node.camera.is_some(), has_light) {
            (true, _, _) => NodeKind::Mesh,
            (_, true, _) => NodeKind::Camera,
            (_, _, true) => NodeKind::Light,
            _ => NodeKind::Empty,
        };
        if let Some(name) = own.filter(|name| !name.is_empty()) {
            let (scale, rotate, translate) = place.to_scale_rotation_translation();
            if !(scale.is_finite() && rotate.is_finite() && translate.is_finite()) {
                return Err(source.error(0, format!("node `{name}` is at no place")));
            }
            let node = index.value();
            found.push(StageNode { name, kind, node, translate, rotate, scale });
        }
        let children = node.children.iter().flatten();
        stack.extend(children.rev().map(|c| (*c, place)));
    }
    Ok(found)
}
