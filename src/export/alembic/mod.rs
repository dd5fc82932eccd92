//! Alembic: the whole shot in one Ogawa file, in metres, Y up, frame f at f / fps.
//!
//! Groups are places (`Xform`), and bodies places with a mesh below, called `<body>Shape`, with the
//! vertices and triangles that every format has: deforming ones with points, normals and bounds a frame,
//! those that move as one with a matrix a frame. What comes or goes is invisible while it is away. All
//! faces of a body are the face set of its material, whose name bodies share that look the same. Cameras
//! go along. Alembic has no lights, and no materials beside such names.
//!
//! Frames are read once, and what they hold goes to the file at once; equal samples lie there once.

mod archive;
mod bodies;
mod ogawa;
mod property;
mod stage;

use super::branch::{Branch, free_name};
use super::materials::Materials;
use super::shot::{Moment, Shot, Written};
use super::streamed::{self, Stopped};
use crate::diagnostics::Diagnostic;
use archive::{Archive, Times};
use bodies::Mesh;
use ogawa::Store;
use property::Object;
use stage::{Lens, Placing};
use std::io::{self, Seek, Write};
use std::path::Path;

/// Writes `abc/<shot>.abc`.
pub(super) fn write(shot: &Shot<'_>, folder: &Path) -> Result<Written, Diagnostic> {
    if shot.is_interrupted() {
        return Ok(Written::stopped(Vec::new()));
    }
    let path = folder.join("abc").join(format!("{}.abc", shot.scene.name));
    if streamed::write(&path, |out| encode(shot, out))? {
        Ok(Written::all(vec![path]))
    } else {
        Ok(Written::stopped(Vec::new()))
    }
}

fn encode(shot: &Shot<'_>, out: impl Write + Seek) -> Result<(), Stopped> {
    let numbers = shot.whole_range();
    let mut archive = Archive::new(out)?;
    let mut parts: Option<Parts> = None;
    for &number in &numbers {
        if shot.is_interrupted() {
            return Err(Stopped::Interrupted);
        }
        for moment in shot.moments(number, numbers[0])? {
            let mut grown = match parts.take() {
                Some(parts) => parts,
                None => Parts::new(&mut archive, shot, &moment)?,
            };
            grown.key(&mut archive, shot, &moment)?;
            parts = Some(grown);
        }
    }
    let Some(parts) = parts else {
        return Err(Diagnostic::error("there are no frames to export").into());
    };
    let objects = parts.objects(&mut archive, shot)?;
    let (numerator, denominator) = shot.scene.timing.fps;
    let rate = f64::from(numerator) / f64::from(denominator);
    let about = format!("FramesPerTimeUnit={rate:.6};_ai_Application=Retake");
    Ok(archive.finish(objects, &about, &times(shot, &numbers))?)
}

/// When the frames and the samples between them are.
fn times(shot: &Shot<'_>, numbers: &[i32]) -> Times {
    if numbers.windows(2).all(|pair| pair[1] == pair[0] + 1) {
        let start = numbers.first().map_or(0.0, |first| shot.seconds(f64::from(*first)));
        Times::Even { start, step: shot.seconds(1.0 / f64::from(shot.scene.output.subframes)) }
    } else {
        Times::Listed(shot.places().iter().map(|at| shot.seconds(*at)).collect())
    }
}

/// What becomes objects, growing frame by frame.
struct Parts {
    meshes: Vec<Mesh>,
    lenses: Vec<Lens>,
}

impl Parts {
    fn new(store: &mut dyn Store, shot: &Shot<'_>, first: &Moment) -> Result<Self, Stopped> {
        let meshes = shot.bodies.iter().map(|body| Mesh::new(store, shot, first, *body));
        Ok(Self {
            meshes: meshes.collect::<Result<_, _>>()?,
            lenses: (0..shot.scene.cameras.len()).map(Lens::new).collect(),
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
        Ok(())
    }

    /// All objects.
    fn objects(self, store: &mut dyn Store, shot: &Shot<'_>) -> io::Result<Vec<Object>> {
        let top =
            Object { name: String::new(), meta: "", properties: Vec::new(), children: Vec::new() };
        let mut top = Branch::new(top);
        let mut materials = Materials::default();
        for mesh in self.meshes {
            let body = shot.body(mesh.body());
            let number = materials.number(shot.scene, mesh.body());
            let material = format!("{}_look", shot.body(materials.all()[number].body).name);
            let group = body.group.as_deref().unwrap_or_default();
            let above = top.below(group, &mut |part, taken| {
                Placing::at_origin(store)?.object(store, free_name(part, taken), None, Vec::new())
            })?;
            above.add(|taken| mesh.object(store, free_name(&body.name, taken), material))?;
        }
        for lens in self.lenses {
            let name = &shot.scene.cameras[lens.camera()].name;
            top.add(|taken| lens.object(store, free_name(name, taken)))?;
        }
        Ok(top.done().children)
    }
}
