//! Files for other programs: one file a format, each a function of a [`Shot`] and a folder.
//!
//! Files are written whole or not at all, and depend on the scene and its frames alone: no times,
//! no names of machines, so that equal runs are equal files. Lengths are metres, Y is up, frame f
//! lies at time f / fps. Where a shot has several samples a frame, files with an animation hold them all.

mod alembic;
mod blender;
mod branch;
mod flex3d_obt;
mod gltf;
mod materials;
mod model;
mod obj;
mod pictures;
mod ply;
mod point_cache;
mod sequence;
mod shot;
mod stage;
mod stl;
mod streamed;
mod surface;
mod texture;
mod usd;

pub use model::{ModelFormat, ModelObject, write_model};
pub use shot::{Shot, Written};

use crate::diagnostics::{Diagnostic, nearest};
use crate::frames::{Drawn, DrawnFrames};
use crate::scene::{Caches, GltfMode, ObjMode, Output};
use point_cache::Layout;
use std::path::Path;

/// A format that a shot can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// `gltf/<shot>.glb`, one animated file.
    Gltf,
    /// `gltf/<body>.0001.glb`, a file a body a frame.
    GltfSequence,
    /// `obj/<body>.0001.obj`, a file a body a frame.
    Obj,
    /// `obj/<shot>.0001.obj`, a file a frame.
    ObjShot,
    /// `cache/<body>.pc2` with `cache/<body>.obj` as the rest shape.
    Pc2,
    /// `cache/<body>.mdd` with `cache/<body>.obj` as the rest shape.
    Mdd,
    /// `usd/<shot>.usdc`, one animated file.
    Usd,
    /// `abc/<shot>.abc`, one animated file.
    Abc,
    /// `ply/<body>.0001.ply`, a file a body a frame.
    Ply,
    /// `obt/<body>_1.OBT`, a FLEX3D object a body a frame.
    Obt,
}

impl Format {
    /// All formats and their names on the command line.
    pub const NAMES: [(&str, Self); 10] = [
        ("gltf", Self::Gltf),
        ("gltf-sequence", Self::GltfSequence),
        ("obj", Self::Obj),
        ("obj-shot", Self::ObjShot),
        ("pc2", Self::Pc2),
        ("mdd", Self::Mdd),
        ("usd", Self::Usd),
        ("abc", Self::Abc),
        ("ply", Self::Ply),
        ("obt", Self::Obt),
    ];

    /// The format called `name` on the command line.
    pub fn from_name(name: &str) -> Result<Self, Diagnostic> {
        if let Some((_, format)) = Self::NAMES.iter().find(|(n, _)| *n == name) {
            return Ok(*format);
        }
        let names = Self::NAMES.map(|(n, _)| n);
        let problem = Diagnostic::error(format!("there is no format `{name}`"));
        Err(match nearest(name, names) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem.hint(format!("there are {}", names.join(", "))),
        })
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, f)| *f == self).map_or("", |(n, _)| n)
    }

    /// Whether its files hold an animation, and with it the samples between frames.
    pub fn holds_samples(self) -> bool {
        match self {
            Self::Gltf | Self::Pc2 | Self::Mdd | Self::Usd | Self::Abc => true,
            Self::GltfSequence | Self::Obj | Self::ObjShot | Self::Ply | Self::Obt => false,
        }
    }

    /// What a scene asks for.
    pub fn of_output(output: &Output) -> Vec<Self> {
        let gltf = match output.gltf {
            GltfMode::Off => None,
            GltfMode::Single => Some(Self::Gltf),
            GltfMode::Sequence => Some(Self::GltfSequence),
        };
        let caches = match output.caches {
            Caches::Off => None,
            Caches::Pc2 => Some(Self::Pc2),
            Caches::Mdd => Some(Self::Mdd),
        };
        let obj = match output.obj {
            ObjMode::Off => None,
            ObjMode::Bodies => Some(Self::Obj),
            ObjMode::Shot => Some(Self::ObjShot),
        };
        let usd = output.usd.then_some(Self::Usd);
        let alembic = output.alembic.then_some(Self::Abc);
        let obt = output.obt.then_some(Self::Obt);
        [gltf, caches, obj, usd, alembic, obt].into_iter().flatten().collect()
    }
}

/// Writes `shot` in one format below `folder`, which is the run's own. With the formats that
/// Blender brings in goes `import_<shot>.py`.
pub fn write(format: Format, shot: &Shot<'_>, folder: &Path) -> Result<Written, Diagnostic> {
    let mut written = write_files(format, shot, folder)?;
    add_script(format, shot, folder, &mut written)?;
    Ok(written)
}

/// As [`write`], but for the script, which formats share: several formats may be written at once.
pub fn write_files(format: Format, shot: &Shot<'_>, folder: &Path) -> Result<Written, Diagnostic> {
    if shot.numbers.is_empty() {
        return Err(Diagnostic::error("there are no frames to export"));
    }
    let drawn = Drawn::new(shot.scene);
    let frames = DrawnFrames { drawn: &drawn, frames: shot.frames };
    let shot = &shot.of(drawn.scene(), &frames);
    match format {
        Format::Gltf => gltf::write_animated(shot, folder),
        Format::GltfSequence => gltf::write_sequence(shot, folder),
        Format::Obj => obj::write_bodies(shot, folder),
        Format::ObjShot => obj::write_shot(shot, folder),
        Format::Pc2 => point_cache::write(Layout::Pc2, shot, folder),
        Format::Mdd => point_cache::write(Layout::Mdd, shot, folder),
        Format::Usd => usd::write(shot, folder),
        Format::Abc => alembic::write(shot, folder),
        Format::Ply => ply::write(shot, folder),
        Format::Obt => flex3d_obt::write(shot, folder),
    }
}

/// Adds the script to files that are complete, if they are of a format that it goes with.
pub fn add_script(
    format: Format,
    shot: &Shot<'_>,
    folder: &Path,
    written: &mut Written,
) -> Result<(), Diagnostic> {
    if matches!(format, Format::Gltf | Format::Pc2 | Format::Mdd) && written.complete {
        let drawn = Drawn::new(shot.scene);
        let frames = DrawnFrames { drawn: &drawn, frames: shot.frames };
        let script = blender::write_import_script(&shot.of(drawn.scene(), &frames), folder)?;
        written.add(script);
    }
    Ok(())
}
