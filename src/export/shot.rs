//! What is exported: a scene, its frames, and which of them.

use crate::diagnostics::{Diagnostic, Place};
use crate::frames::{Frame, FrameSource, write_whole};
use crate::scene::{Body, BodyKind, Scene};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// What is exported.
pub struct Shot<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// Where its frames are.
    pub frames: &'a dyn FrameSource,
    /// Numbers of the frames that are written, rising. Formats that hold a whole animation
    /// (glTF, point caches) take every frame from the first of them to the last.
    pub numbers: Vec<i32>,
    /// Indices of the bodies that are written, rising.
    pub bodies: Vec<usize>,
    /// Set by whoever wants the work to stop.
    pub interrupted: &'a AtomicBool,
    /// Most bytes of morph targets in one glTF file; deforming bodies beyond it are left out of
    /// it, largest first, and come in through their point caches.
    pub most_morph_bytes: usize,
}

/// Usual limit of morph targets in one glTF file.
const MOST_MORPH_BYTES: usize = 256_000_000;

/// What was written.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The files, in the order of their names.
    pub files: Vec<PathBuf>,
    /// What the person should know.
    pub notes: Vec<Diagnostic>,
    /// Whether all was written; false if the person stopped it.
    pub complete: bool,
}

impl Written {
    pub(super) fn all(mut files: Vec<PathBuf>) -> Self {
        files.sort();
        Self { files, notes: Vec::new(), complete: true }
    }

    /// The person stopped it after these files.
    pub(super) fn stopped(files: Vec<PathBuf>) -> Self {
        Self { complete: false, ..Self::all(files) }
    }

    pub(super) fn add(&mut self, file: PathBuf) {
        self.files.push(file);
        self.files.sort();
    }
}

/// How a body moves through a shot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moves {
    /// It stands still.
    Not,
    /// As one piece.
    AsOne,
    /// Each vertex on its own.
    Deforming,
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl<'a> Shot<'a> {
    /// All frames of `frames` and all bodies of `scene` that are to be exported.
    pub fn new(scene: &'a Scene, frames: &'a dyn FrameSource) -> Self {
        let bodies = (0..scene.bodies.len()).filter(|i| scene.bodies[*i].exports).collect();
        Self {
            scene,
            frames,
            numbers: frames.numbers(),
            bodies,
            interrupted: &NEVER,
            most_morph_bytes: MOST_MORPH_BYTES,
        }
    }

    /// The same choice of bodies and frames, from another scene with the same bodies.
    pub(super) fn of<'b>(&self, scene: &'b Scene, frames: &'b dyn FrameSource) -> Shot<'b>
    where
        'a: 'b,
    {
        Shot {
            scene,
            frames,
            numbers: self.numbers.clone(),
            bodies: self.bodies.clone(),
            interrupted: self.interrupted,
            most_morph_bytes: self.most_morph_bytes,
        }
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Every frame from the first to the last that is written.
    pub(super) fn whole_range(&self) -> Vec<i32> {
        let (Some(first), Some(last)) = (self.numbers.first(), self.numbers.last()) else {
            return Vec::new();
        };
        self.frames.numbers().into_iter().filter(|n| (first..=last).contains(&n)).collect()
    }

    /// A frame that fits the scene.
    pub(super) fn frame(&self, number: i32) -> Result<Frame, Diagnostic> {
        let frame = self.frames.frame(number)?;
        if frame.is_of(self.scene) {
            Ok(frame)
        } else {
            Err(Diagnostic::error(format!("frame {number} is not of this scene")))
        }
    }

    pub(super) fn body(&self, index: usize) -> &'a Body {
        &self.scene.bodies[index]
    }

    pub(super) fn moves(&self, index: usize) -> Moves {
        let body = self.body(index);
        match body.kind {
            BodyKind::Cloth(_) | BodyKind::Soft(_) | BodyKind::Rope(_) => Moves::Deforming,
            BodyKind::Rigid(_) => Moves::AsOne,
            BodyKind::Collider if body.deforming().is_some() => Moves::Deforming,
            BodyKind::Collider if body.is_moved() || body.comes_or_goes() => Moves::AsOne,
            BodyKind::Collider => Moves::Not,
        }
    }

    /// Whether body `index` is at the same place in every frame.
    pub(super) fn stands_still(&self, index: usize) -> bool {
        self.moves(index) == Moves::Not
    }

    /// Time of a frame in animated formats [s].
    pub(super) fn seconds(&self, frame: i32) -> f64 {
        let (numerator, denominator) = self.scene.timing.fps;
        f64::from(frame) * f64::from(denominator) / f64::from(numerator)
    }
}

/// `<name>.0012.<ending>`, `<name>.-0012.<ending>`: four digits, as Blender numbers frames.
pub(super) fn numbered(name: &str, frame: i32, ending: &str) -> String {
    let sign = if frame < 0 { "-" } else { "" };
    format!("{name}.{sign}{:04}.{ending}", frame.unsigned_abs())
}

/// Writes a file whole or not at all; the error names it.
pub(super) fn save(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    write_whole(path, bytes).map_err(|e| {
        Diagnostic::error(format!("the file cannot be written: {e}"))
            .at(Place::new(path.display().to_string(), 0))
    })
}
