//! Exports of the frames of a run.

use super::outputs::Stage;
use crate::diagnostics::Diagnostic;
use crate::scene::{Caches, GltfMode, ObjMode, Scene};

/// A format that frames can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One glTF file with animation.
    Gltf,
    /// A glTF file a body a frame.
    GltfSequence,
    /// Point caches.
    Pc2,
    /// OBJ files, one a body a frame.
    Obj,
    /// OBJ files, one a frame.
    ObjShot,
}

impl Format {
    /// All of them, in the order in which they are written.
    pub const ALL: [Self; 5] =
        [Self::Gltf, Self::GltfSequence, Self::Pc2, Self::Obj, Self::ObjShot];

    /// The name in ledgers and clocks.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gltf => "gltf",
            Self::GltfSequence => "gltf sequence",
            Self::Pc2 => "pc2",
            Self::Obj => "obj",
            Self::ObjShot => "obj shot",
        }
    }
}

/// The formats that a scene asks for.
pub(super) fn formats(scene: &Scene) -> Vec<Format> {
    let output = &scene.output;
    let gltf = match output.gltf {
        GltfMode::Off => None,
        GltfMode::Single => Some(Format::Gltf),
        GltfMode::Sequence => Some(Format::GltfSequence),
    };
    let caches = match output.caches {
        Caches::Off => None,
        Caches::Pc2 => Some(Format::Pc2),
    };
    let obj = match output.obj {
        ObjMode::Off => None,
        ObjMode::Bodies => Some(Format::Obj),
        ObjMode::Shot => Some(Format::ObjShot),
    };
    gltf.into_iter().chain(caches).chain(obj).collect()
}

/// Writes one format, if it is not there yet.
pub(super) fn write(_: &Scene, _: &Stage<'_>, _: Format) -> Result<(), Diagnostic> {
    Ok(())
}
