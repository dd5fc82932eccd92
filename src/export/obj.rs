//! Wavefront OBJ: a file a body a frame, or a file a frame, with materials beside them.

use super::pictures::Names;
use super::sequence;
use super::shot::{Shot, Written, numbered, save};
use super::texture::Texture;
use crate::diagnostics::Diagnostic;
use crate::frames::Frame;
use crate::scene::{PictureFile, Scene};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Writes `obj/<body>.0001.obj` and `obj/<body>.mtl`.
pub(super) fn write_bodies(shot: &Shot<'_>, folder: &Path) -> Result<Written, Diagnostic> {
    let folder = folder.join("obj");
    let mut written = sequence::write(shot, &folder, "obj", |frame, body| {
        Ok(of_body(shot.scene, body, &frame.world_positions(shot.scene, body)))
    })?;
    if written.complete {
        let names = Names::of(shot.scene);
        for picture in names.copy(shot, &shot.bodies, &folder)? {
            written.add(picture);
        }
        for &body in &shot.bodies {
            let path = folder.join(format!("{}.mtl", shot.body(body).name));
            save(&path, material(shot.scene, body, &names).as_bytes())?;
            written.add(path);
        }
    }
    Ok(written)
}

/// Writes `obj/<shot>.0001.obj` and `obj/<shot>.mtl`.
pub(super) fn write_shot(shot: &Shot<'_>, folder: &Path) -> Result<Written, Diagnostic> {
    let (folder, name) = (folder.join("obj"), &shot.scene.name);
    let mut written = sequence::each_frame(shot, |(_, number)| {
        if shot.is_interrupted() {
            return Ok(Vec::new());
        }
        let path = folder.join(numbered(name, *number, "obj"));
        save(&path, whole_frame(shot, &shot.frame(*number)?).as_bytes())?;
        Ok(vec![path])
    })?;
    if written.complete {
        let path = folder.join(format!("{name}.mtl"));
        let names = Names::of(shot.scene);
        for picture in names.copy(shot, &shot.bodies, &folder)? {
            written.add(picture);
        }
        let materials = shot.bodies.iter().map(|i| material(shot.scene, *i, &names));
        let materials: String = materials.collect();
        save(&path, materials.as_bytes())?;
        written.add(path);
    }
    Ok(written)
}

/// One body at the given places, with `<body>.mtl` as its material file.
pub(super) fn of_body(scene: &Scene, body: usize, positions: &[[f32; 3]]) -> Vec<u8> {
    let mut text = format!("mtllib {}.mtl\n", scene.bodies[body].name);
    append(&mut text, scene, body, positions, &mut Count::default(), true);
    text.into_bytes()
}

fn whole_frame(shot: &Shot<'_>, frame: &Frame) -> String {
    let mut text = format!("mtllib {}.mtl\n", shot.scene.name);
    let mut before = Count::default();
    for &body in shot.bodies.iter().filter(|i| shot.body(**i).is_there(frame.time)) {
        let positions = frame.world_positions(shot.scene, body);
        append(&mut text, shot.scene, body, &positions, &mut before, true);
    }
    text
}

/// All bodies of `scene` at the places of their meshes, in one file at `path`, with a material file beside
/// it for those whose colour is given.
pub(super) fn write_still(scene: &Scene, path: &Path) -> Result<(), Diagnostic> {
    let is_painted = |body: usize| scene.bodies[body].look.color_given;
    let painted: Vec<usize> = (0..scene.bodies.len()).filter(|b| is_painted(*b)).collect();
    let mut text = String::new();
    if !painted.is_empty() {
        let library = material_file(path);
        let _ = writeln!(text, "mtllib {}", library.file_name().unwrap_or_default().display());
        let names = Names::of(scene);
        let materials: String = painted.iter().map(|b| material(scene, *b, &names)).collect();
        save(&library, materials.as_bytes())?;
    }
    let mut before = Count::default();
    for body in 0..scene.bodies.len() {
        let places = scene.mesh_of(body).positions.iter().map(|p| p.as_vec3().to_array());
        let places: Vec<_> = places.collect();
        append(&mut text, scene, body, &places, &mut before, is_painted(body));
    }
    save(path, text.as_bytes())
}

/// The material file beside an OBJ file; not every program reads names with blanks.
pub(super) fn material_file(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{}.mtl", stem.replace(char::is_whitespace, "_")))
}

/// Vertices and texture coordinates already in a file: OBJ numbers them through.
#[derive(Default)]
struct Count {
    positions: u32,
    uvs: u32,
}

fn append(
    text: &mut String,
    scene: &Scene,
    body: usize,
    places: &[[f32; 3]],
    before: &mut Count,
    has_material: bool,
) {
    let (mesh, name) = (scene.mesh_of(body), &scene.bodies[body].name);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "o {name}");
    for [x, y, z] in places {
        let _ = writeln!(text, "v {} {} {}", Short(*x), Short(*y), Short(*z));
    }
    let Texture { uvs, corners } = Texture::of(mesh);
    for uv in &uvs {
        let _ = writeln!(text, "vt {} {}", Short(uv.x as f32), Short(uv.y as f32));
    }
    if has_material {
        let _ = writeln!(text, "usemtl {name}");
    }
    text.push_str("s 1\n");
    let textured = !mesh.uvs.is_empty();
    for (t, own) in mesh.triangles.iter().zip(&corners) {
        text.push('f');
        for (i, uv) in t.iter().zip(own) {
            let _ = write!(text, " {}", before.positions + i + 1);
            if textured {
                let _ = write!(text, "/{}", before.uvs + uv + 1);
            }
        }
        text.push('\n');
    }
    before.positions += places.len() as u32;
    before.uvs += uvs.len() as u32;
}

/// A material that Blender and others read: `Pr`, `Pm` and `norm` are the usual additions for roughness,
/// metal and normals. Pictures lie beside it and are called as `names` says.
pub(super) fn material(scene: &Scene, body: usize, names: &Names) -> String {
    let look = &scene.bodies[body].look;
    let [r, g, b] = scene.color_of(body).0.map(|c| Short(c as f32));
    let picture = |word: &str, file: &Option<PictureFile>| {
        let line = |file| format!("{word} {}\n", names.name(file));
        file.as_ref().map_or_else(String::new, line)
    };
    format!(
        "newmtl {}\nKd {r} {g} {b}\nd {}\nNi {}\nPr {}\nPm {}\nillum 2\n{}{}\n",
        scene.bodies[body].name,
        Short(look.opacity as f32),
        Short(look.ior as f32),
        Short(look.roughness as f32),
        Short(look.metallic as f32),
        picture("map_Kd", &look.color_map),
        picture("norm", &look.normal_map),
    )
}

/// A number in the fewest digits that read back as the same f32.
pub(super) struct Short(pub(super) f32);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let size = self.0.abs();
        if size != 0.0 && !(1e-5..1e9).contains(&size) {
            write!(f, "{:e}", self.0)
        } else {
            write!(f, "{}", self.0)
        }
    }
}
