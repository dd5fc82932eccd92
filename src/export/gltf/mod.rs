//! glTF 2.0 in one binary file: the whole shot with its motion, or a body a frame.
//!
//! In the animated file deforming bodies are morph targets, one a frame or sample, whose weights run from 0
//! over 1 to 0; moving bodies are moving nodes, groups are parent nodes. Keys lie at frame / fps
//! seconds, so that they fall on whole frames in Blender; since glTF knows no negative times, a
//! shot that starts before frame 0 starts at 0 s, and `asset.extras` says by how many frames.

mod animated;
mod buffer;
mod look;
mod mesh;
mod stage;
mod tree;

use super::sequence;
use super::shot::{Moves, Shot, Written, save};
use super::surface::Surface;
use crate::diagnostics::Diagnostic;
use crate::frames::{BodyState, Frame};
use crate::scene::Scene;
use buffer::File;
use gltf::json::Node;
use std::collections::BTreeSet;
use std::path::Path;

/// Writes `gltf/<shot>.glb`.
pub(super) fn write_animated(shot: &Shot<'_>, folder: &Path) -> Result<Written, Diagnostic> {
    let Some((bytes, notes)) = animated::encode(shot)? else {
        return Ok(Written::stopped(Vec::new()));
    };
    let path = folder.join("gltf").join(format!("{}.glb", shot.scene.name));
    save(&path, &bytes)?;
    Ok(Written { notes, ..Written::all(vec![path]) })
}

/// Writes `gltf/<body>.0001.glb`.
pub(super) fn write_sequence(shot: &Shot<'_>, folder: &Path) -> Result<Written, Diagnostic> {
    sequence::write(shot, &folder.join("gltf"), "glb", |frame, body| one(shot, frame, body))
}

/// One body in one frame.
fn one(shot: &Shot<'_>, frame: &Frame, body: usize) -> Result<Vec<u8>, Diagnostic> {
    let mut file = File::default();
    let scene = shot.scene;
    let material = look::material(&mut file, scene, body)?;
    let (surface, mut node) = body_in(shot, &frame.bodies[body], body);
    let mesh = mesh::add(&surface, &mut file, &shot.body(body).name, Some(material));
    node.mesh = Some(mesh);
    let node = file.root.push(node);
    Ok(file.finish(&scene.name, vec![node]))
}

/// All bodies of `scene` at the places of their meshes, in one file at `path`: binary, or text that holds its
/// data itself. Gives what could not be written.
pub(super) fn write_still(
    scene: &Scene,
    path: &Path,
    as_text: bool,
) -> Result<Vec<String>, Diagnostic> {
    let (mut file, mut nodes, mut left) = (File::default(), Vec::new(), BTreeSet::new());
    for (number, body) in scene.bodies.iter().enumerate() {
        let of = scene.mesh_of(number);
        let is_painted = body.look.color_given;
        let material = is_painted.then(|| look::material(&mut file, scene, number)).transpose()?;
        let places: Vec<[f32; 3]> = of.positions.iter().map(|p| p.as_vec3().to_array()).collect();
        let surface = Surface::creased(of, &places);
        let mesh = mesh::add(&surface, &mut file, &body.name, material);
        left.extend(mesh::add_maps(&surface, of, &mut file, mesh));
        let name = Some(body.name.clone());
        nodes.push(file.root.push(Node { name, mesh: Some(mesh), ..Node::default() }));
    }
    let bytes = if as_text {
        file.finish_text(&scene.name, nodes)
    } else {
        file.finish(&scene.name, nodes)
    };
    save(path, &bytes)?;
    Ok(left.into_iter().map(str::to_owned).collect())
}

/// The surface of a body in its node's own space, and the node that places it.
fn body_in(shot: &Shot<'_>, state: &BodyState, body: usize) -> (Surface, Node) {
    let mesh = shot.scene.mesh_of(body);
    let name = shot.body(body).name.clone();
    let mut node = Node { extras: buffer::extras(&[("retake_body", &name)]), ..Node::default() };
    node.name = Some(name);
    let surface = match state {
        BodyState::Posed { translate, rotate } if shot.moves(body) != Moves::Deforming => {
            let turn = glam::DQuat::from_array(rotate.map(f64::from)).normalize();
            node.translation = Some(*translate);
            node.rotation = Some(gltf::json::scene::UnitQuaternion(turn.as_quat().to_array()));
            let places: Vec<[f32; 3]> =
                mesh.positions.iter().map(|p| p.as_vec3().to_array()).collect();
            Surface::creased(mesh, &places)
        }
        state => Surface::smooth(mesh, state.world_positions(&mesh.positions)),
    };
    (surface, node)
}
