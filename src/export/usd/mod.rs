//! USD: the whole shot in one crate file, `usd/<shot>.usdc`.
//!
//! Time code f is frame f. Below `/root` groups are `Xform`s and bodies meshes with the vertices and
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

use super::pictures::Names;
use super::shot::{Shot, Written};
use crate::diagnostics::{Diagnostic, Place};
use crate::frames::{Frame, write_whole_with};
use bodies::Mesh;
use crate_file::CrateFile;
use layer::{Layer, Prim, Store, Value, named};
use look::Looks;
use stage::{Lamp, Lens};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Seek, Write};
use std::path::Path;

/// The prim that all others hang on.
const ROOT: &str = "root";
/// The prim that materials hang on, below the root.
const LOOKS: &str = "Looks";

/// Why a file was not written.
enum Stopped {
    /// A frame or a picture could not be had.
    Trouble(Diagnostic),
    /// The person wanted it.
    Interrupted,
    /// The file could not be written.
    Io(io::Error),
}

impl From<Diagnostic> for Stopped {
    fn from(problem: Diagnostic) -> Self {
        Self::Trouble(problem)
    }
}

impl From<io::Error> for Stopped {
    fn from(problem: io::Error) -> Self {
        Self::Io(problem)
    }
}

/// Writes `usd/<shot>.usdc` and the pictures that its materials name.
pub(super) fn write(shot: &Shot<'_>, folder: &Path) -> Result<Written, Diagnostic> {
    if shot.is_interrupted() {
        return Ok(Written::stopped(Vec::new()));
    }
    let folder = folder.join("usd");
    let path = folder.join(format!("{}.usdc", shot.scene.name));
    let names = Names::of(shot.scene);
    let mut stopped = None;
    let written = write_whole_with(&path, |out| {
        match encode(shot, &names, out) {
            Ok(()) => return Ok(()),
            Err(Stopped::Io(problem)) => return Err(problem),
            Err(other) => stopped = Some(other),
        }
        // The file is taken away as one that could not be written.
        Err(io::Error::other("stopped"))
    });
    match (written, stopped) {
        (Ok(()), _) => {
            let mut files = names.copy(shot, &shot.bodies, &folder)?;
            files.push(path);
            Ok(Written::all(files))
        }
        (Err(_), Some(Stopped::Trouble(problem))) => Err(problem),
        (Err(_), Some(Stopped::Interrupted)) => Ok(Written::stopped(Vec::new())),
        (Err(problem), _) => {
            Err(Diagnostic::error(format!("the file cannot be written: {problem}"))
                .at(Place::new(path.display().to_string(), 0)))
        }
    }
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
        parts.key(&mut file, shot, &shot.frame(number)?)?;
    }
    let root = parts.tree(&mut file, shot, names)?;
    let layer = layer(&mut file, shot, &numbers, root)?;
    Ok(file.finish(&layer)?)
}

fn layer(store: &mut dyn Store, shot: &Shot<'_>, numbers: &[i32], root: Prim) -> io::Result<Layer> {
    let times: Vec<f64> = numbers.iter().map(|n| f64::from(*n)).collect();
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
        frame: &Frame,
    ) -> Result<(), Stopped> {
        let time = shot.scene.timing.script_time(frame.number);
        for mesh in &mut self.meshes {
            mesh.key(store, shot, frame, time)?;
        }
        for lens in &mut self.lenses {
            lens.key(store, shot.scene, time)?;
        }
        for lamp in &mut self.lamps {
            lamp.key(store, shot.scene, time)?;
        }
        Ok(())
    }

    /// All prims.
    fn tree(self, store: &mut dyn Store, shot: &Shot<'_>, names: &Names) -> Result<Prim, Stopped> {
        let mut root = Branch::new(Prim::new(ROOT, "Xform"));
        root.taken.insert(LOOKS.to_owned());
        let mut looks = Looks::new(&format!("/{ROOT}/{LOOKS}"));
        for mesh in self.meshes {
            let body = shot.body(mesh.body());
            let material = looks.of(shot.scene, mesh.body());
            let above = root.below(store, body.group.as_deref().unwrap_or_default())?;
            let prim = mesh.prim(store, material)?;
            above.add(store, &body.name, prim)?;
        }
        for lens in self.lenses {
            let name = &shot.scene.cameras[lens.camera()].name;
            let prim = lens.prim(store, shot.scene)?;
            root.add(store, name, prim)?;
        }
        for lamp in self.lamps {
            let light = &shot.scene.lights[lamp.light()];
            if let Some(prim) = lamp.prim(store, light)? {
                root.add(store, &light.name, prim)?;
            }
        }
        let mut root = root.done();
        root.children.push(looks.prim(store, names, LOOKS)?);
        Ok(root)
    }
}

/// A prim that others are still hung on.
struct Branch {
    prim: Prim,
    /// Names of those that hang on it.
    taken: BTreeSet<String>,
    /// Groups below it.
    groups: BTreeMap<String, Branch>,
}

impl Branch {
    fn new(prim: Prim) -> Self {
        Self { prim, taken: BTreeSet::new(), groups: BTreeMap::new() }
    }

    /// The branch of the group with the path `group` ("set/glasses").
    fn below(&mut self, store: &mut dyn Store, group: &str) -> io::Result<&mut Self> {
        let mut at = self;
        for part in group.split('/').filter(|part| !part.is_empty()) {
            at = match at.groups.entry(part.to_owned()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => {
                    let mut prim = Prim::new("", "Xform");
                    title(store, &mut prim, part, &mut at.taken)?;
                    free.insert(Self::new(prim))
                }
            };
        }
        Ok(at)
    }

    /// Hangs a prim on it that shows what the shot calls `name`.
    fn add(&mut self, store: &mut dyn Store, name: &str, mut prim: Prim) -> io::Result<()> {
        title(store, &mut prim, name, &mut self.taken)?;
        self.prim.children.push(prim);
        Ok(())
    }

    /// The prim with all that hangs on it.
    fn done(self) -> Prim {
        let mut prim = self.prim;
        let groups = self.groups.into_values().map(Self::done);
        prim.children = groups.chain(std::mem::take(&mut prim.children)).collect();
        prim
    }
}

/// Names a prim as the shot does, as far as USD allows that; else it is shown by that name.
fn title(
    store: &mut dyn Store,
    prim: &mut Prim,
    name: &str,
    taken: &mut BTreeSet<String>,
) -> io::Result<()> {
    prim.name = named(name, taken);
    if prim.name != name {
        prim.fields.push(("displayName", store.keep(Value::Text(name))?));
    }
    Ok(())
}
