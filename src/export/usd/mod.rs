//! USD: the whole shot in one crate file, `usd/<shot>.usdc`.
//!
//! Time code f is frame f; samples between frames lie between. Below `/root` groups are `Xform`s and bodies meshes with the vertices and
//! triangles that every format has: deforming ones with points, normals and bounds a frame, those that
//! move as one with a matrix a frame. What comes or goes is invisible while it is away. Cameras,
//! lights and materials (`UsdPreviewSurface`) go along; pictures are copied beside the file.
//!
//! Frames are read once, and what they hold goes to the file at once.

mod bodies;
mod coding;
mod crate_file;
mod crate_tables;
mod layer;
mod look;
mod stage;

use super::branch::Branch;
use super::pictures::Names;
use super::shot::{Moment, Shot, Written};
use super::streamed::{self, Stopped};
use crate::diagnostics::Diagnostic;
use crate::frames::Frame;
use bodies::Mesh;
use crate_file::CrateFile;
use layer::{Layer, Prim, Store, Value, named};
use look::Looks;
use stage::{Lamp, Lens};
use std::collections::BTreeSet;
use std::io::{self, Seek, Write};
use std::path::Path;

/// The prim that all others hang on.
const ROOT: &str = "root";
/// The prim that materials hang on, below the root.
const LOOKS: &str = "Looks";

/// Writes `usd/<shot>.usdc` and the pictures that its materials name.
pub(super) fn write(shot: &Shot<'_>, folder: &Path) -> Result<Written, Diagnostic> {
    write_at(shot, &folder.join("usd").join(format!("{}.usdc", shot.scene.name)))
}

/// Writes the shot as the file `path`, and the pictures that its materials name beside it.
pub(super) fn write_at(shot: &Shot<'_>, path: &Path) -> Result<Written, Diagnostic> {
    if shot.is_interrupted() {
        return Ok(Written::stopped(Vec::new()));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let names = Names::of(shot.scene);
    if !streamed::write(path, |out| encode(shot, &names, out))? {
        return Ok(Written::stopped(Vec::new()));
    }
    let mut files = names.copy(shot, &shot.bodies, folder)?;
    files.push(path.to_path_buf());
    Ok(Written::all(files))
}

fn encode(shot: &Shot<'_>, names: &Names, out: impl Write + Seek) -> Result<(), Stopped> {
    let numbers = shot.whole_range();
    let Some(&first) = numbers.first() else {
        return Err(Diagnostic::error("there are no frames to export").into());
    };
    let mut file = CrateFile::new(out)?;
    let mut parts = Parts::new(&mut file, shot, &shot.frame(first)?)?;
    for &number in &numbers {
        if shot.is_interrupted() {
            return Err(Stopped::Interrupted);
        }
        for moment in shot.moments(number, first)? {
            parts.key(&mut file, shot, &moment)?;
        }
    }
    let root = parts.tree(&mut file, shot, names)?;
    let layer = layer(&mut file, shot, root)?;
    Ok(file.finish(&layer)?)
}

fn layer(store: &mut dyn Store, shot: &Shot<'_>, root: Prim) -> io::Result<Layer> {
    let times = shot.places();
    let (numerator, denominator) = shot.scene.timing.fps;
    let rate = f64::from(numerator) / f64::from(denominator);
    let (first, last) = (times.first().copied(), times.last().copied());
    let fields = [
        ("defaultPrim", Value::Token(ROOT)),
        ("endTimeCode", Value::Double(last.unwrap_or_default())),
        ("framesPerSecond", Value::Double(rate)),
        ("metersPerUnit", Value::Double(1.0)),
        ("startTimeCode", Value::Double(first.unwrap_or_default())),
        ("timeCodesPerSecond", Value::Double(rate)),
        ("upAxis", Value::Token("Y")),
    ];
    let fields = fields.into_iter().map(|(name, value)| Ok((name, store.keep(value)?)));
    Ok(Layer { fields: fields.collect::<io::Result<_>>()?, times, prims: vec![root] })
}

/// What becomes prims, growing frame by frame.
struct Parts {
    meshes: Vec<Mesh>,
    lenses: Vec<Lens>,
    lamps: Vec<Lamp>,
}

impl Parts {
    fn new(store: &mut dyn Store, shot: &Shot<'_>, first: &Frame) -> Result<Self, Stopped> {
        let meshes = shot.bodies.iter().map(|body| Mesh::new(store, shot, first, *body));
        Ok(Self {
            meshes: meshes.collect::<io::Result<_>>()?,
            lenses: (0..shot.scene.cameras.len()).map(Lens::new).collect(),
            lamps: (0..shot.scene.lights.len()).map(Lamp::new).collect(),
        })
    }

    fn key(
        &mut self,
        store: &mut dyn Store,
        shot: &Shot<'_>,
        moment: &Moment,
    ) -> Result<(), Stopped> {
        for mesh in &mut self.meshes {
            mesh.key(store, shot, moment)?;
        }
        for lens in &mut self.lenses {
            lens.key(store, shot.scene, moment.time)?;
        }
        for lamp in &mut self.lamps {
            lamp.key(store, shot.scene, moment.time)?;
        }
        Ok(())
    }

    /// All prims.
    fn tree(self, store: &mut dyn Store, shot: &Shot<'_>, names: &Names) -> Result<Prim, Stopped> {
        let mut root = Branch::new(Prim::new(ROOT, "Xform"));
        root.reserve(LOOKS);
        let mut looks = Looks::new(&format!("/{ROOT}/{LOOKS}"));
        for mesh in self.meshes {
            let body = shot.body(mesh.body());
            let material = looks.of(shot.scene, mesh.body());
            let above = root
                .below(body.group.as_deref().unwrap_or_default(), &mut |part, taken| {
                    titled(store, Prim::new("", "Xform"), part, taken)
                })?;
            let prim = mesh.prim(store, material)?;
            above.add(|taken| titled(store, prim, &body.name, taken))?;
        }
        for lens in self.lenses {
            let name = &shot.scene.cameras[lens.camera()].name;
            let prim = lens.prim(store, shot.scene)?;
            root.add(|taken| titled(store, prim, name, taken))?;
        }
        for lamp in self.lamps {
            let light = &shot.scene.lights[lamp.light()];
            if let Some(prim) = lamp.prim(store, light)? {
                root.add(|taken| titled(store, prim, &light.name, taken))?;
            }
        }
        let mut root = root.done();
        root.children.push(looks.prim(store, names, LOOKS)?);
        Ok(root)
    }
}

/// Names a prim as the shot does, as far as USD allows that; else it is shown by that name.
fn titled(
    store: &mut dyn Store,
    mut prim: Prim,
    name: &str,
    taken: &mut BTreeSet<String>,
) -> io::Result<Prim> {
    prim.name = named(name, taken);
    if prim.name != name {
        prim.fields.push(("displayName", store.keep(Value::Text(name))?));
    }
    Ok(prim)
}
