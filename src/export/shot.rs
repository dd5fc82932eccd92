//! What is exported: a scene, its frames, and which of them.

use crate::diagnostics::{Diagnostic, Place};
use crate::frames::{BodyState, Frame, FrameSource, Sample, write_whole};
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
    /// (glTF, point caches) take every frame from the first of them to the last, and the samples between.
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

/// What files with an animation hold a sample of: a frame, or what lies between two.
pub(super) struct Moment {
    /// Its place, counted in frames; whole at a frame.
    pub(super) at: f64,
    /// Script time [s].
    pub(super) time: f64,
    /// In the order of `Scene::bodies`.
    pub(super) bodies: Vec<BodyState>,
}

impl Moment {
    /// World positions of body `body`, as stored.
    pub(super) fn world_positions(&self, scene: &Scene, body: usize) -> Vec<[f32; 3]> {
        self.bodies[body].world_positions(&scene.mesh_of(body).positions)
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

    /// Where the moments of animated formats are, counted in frames: those of [`Shot::moments`] for every frame of
    /// [`Shot::whole_range`].
    pub(super) fn places(&self) -> Vec<f64> {
        let of = self.scene.output.subframes;
        self.parts().into_iter().map(|(number, part)| place(number, part, of)).collect()
    }

    /// Script times of these moments [s].
    pub(super) fn script_times(&self) -> Vec<f64> {
        let (timing, of) = (&self.scene.timing, self.scene.output.subframes);
        let time = |(n, part)| timing.script_time_between(n - 1, part, of);
        self.parts().into_iter().map(time).collect()
    }

    /// Of these moments the frame that they end with, and which part of the way to it is behind them.
    fn parts(&self) -> Vec<(i32, u32)> {
        let numbers = self.whole_range();
        let (first, of) = (numbers.first().copied(), self.scene.output.subframes);
        let parts = |n: i32| {
            let from = if Some(n) == first { of } else { 1 };
            (from..=of).map(move |part| (n, part))
        };
        numbers.iter().copied().flat_map(parts).collect()
    }

    /// The moments of animated formats that end with frame `number`: the samples since the frame before, unless it is
    /// the `first` frame that is written, and the frame.
    pub(super) fn moments(&self, number: i32, first: i32) -> Result<Vec<Moment>, Diagnostic> {
        let Frame { samples, bodies, .. } = self.frame(number)?;
        let of = self.scene.output.subframes;
        let mut moments = Vec::new();
        if number != first {
            if samples.len() + 1 != of as usize {
                let (found, wanted) = (samples.len() + 1, of);
                let message = format!("frame {number} holds {found} samples a frame, not {wanted}");
                return Err(Diagnostic::error(message).hint("run the shot again with `--fresh`"));
            }
            for (part, Sample { time, bodies }) in (1..).zip(samples) {
                moments.push(Moment { at: place(number, part, of), time, bodies });
            }
        }
        let time = self.scene.timing.script_time(number);
        moments.push(Moment { at: f64::from(number), time, bodies });
        Ok(moments)
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

    /// Time in animated formats [s] of the place `at`, counted in frames.
    pub(super) fn seconds(&self, at: f64) -> f64 {
        let (numerator, denominator) = self.scene.timing.fps;
        at * f64::from(denominator) / f64::from(numerator)
    }

    /// As [`Shot::seconds`] for formats that keep times as f32, in the order of the places; an error where two of
    /// them would be one.
    pub(super) fn short_seconds(&self, places: &[f64]) -> Result<Vec<f32>, Diagnostic> {
        let times: Vec<f32> = places.iter().map(|at| self.seconds(*at) as f32).collect();
        if let Some(at) = times.windows(2).position(|pair| pair[1] <= pair[0]) {
            let message = format!(
                "the samples at frames {:.3} and {:.3} are too near for the numbers that the file has for seconds",
                places[at],
                places[at + 1]
            );
            let hint = "take fewer `subframes`, a lower `start_frame`, or USD or Alembic";
            return Err(Diagnostic::error(message).hint(hint));
        }
        Ok(times)
    }
}

/// The place of part `part` of `of` on the way to frame `number`, counted in frames.
fn place(number: i32, part: u32, of: u32) -> f64 {
    if part == of {
        return f64::from(number);
    }
    f64::from(number - 1) + f64::from(part) / f64::from(of)
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
