//! What a run writes beside its frames: exports, numbered pictures, the contact sheet.

use super::exports;
use super::ledger::Ledger;
use super::pictures::{self, Quality};
use super::progress::{Listener, Message};
use super::sheet;
use super::timings::Timings;
use super::writer::Stored;
use crate::diagnostics::{Diagnostic, fits, nearest};
use crate::export::Format;
use crate::frames::Store;
use crate::scene::{Body, Images, Scene};
use std::collections::BTreeSet;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Scope;

/// What a person wants of the outputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wishes {
    /// No pictures at all.
    pub no_images: bool,
    /// No exports.
    pub no_export: bool,
    /// Patterns of the bodies that are exported; none: all that the script exports.
    pub bodies: Option<String>,
    /// How well pictures are drawn; none: as the script says.
    pub quality: Option<Quality>,
}

/// What will be written.
#[derive(Clone, Debug)]
pub(super) struct Outputs {
    /// The scene as exporters see it.
    pub(super) exported: Scene,
    /// The scene as the renderer sees it.
    pub(super) drawn: Scene,
    pub(super) formats: Vec<Format>,
    pub(super) images: Option<Images>,
    pub(super) draws_sheet: bool,
    quality: Option<Quality>,
}

/// What the outputs are made from and where they go.
pub(super) struct Stage<'a> {
    pub(super) store: &'a Store,
    pub(super) folder: &'a Path,
    pub(super) ledger: &'a Ledger,
    pub(super) timings: &'a Timings,
    pub(super) listener: &'a dyn Listener,
    pub(super) interrupted: &'a AtomicBool,
    /// Frames that are exported and drawn.
    pub(super) frames: &'a BTreeSet<i32>,
    /// The last frame that there is.
    pub(super) last: i32,
    /// Whether pictures of other frames stay.
    pub(super) keeps_others: bool,
}

impl Outputs {
    /// Decides what is written for `scene`; files of the scene lie below `root`.
    pub(super) fn plan(
        scene: &Scene,
        wishes: &Wishes,
        root: &Path,
    ) -> Result<Self, Vec<Diagnostic>> {
        let images = scene.output.images.clone().filter(|_| !wishes.no_images);
        if let Some(images) = &images {
            pictures::check_cameras(scene, &images.cameras).map_err(|d| vec![d])?;
        }
        let drawn = pictures::with_paths(scene, root).map_err(|d| vec![d])?;
        let exported = match &wishes.bodies {
            Some(patterns) => only(&drawn, patterns).map_err(|d| vec![d])?,
            None => drawn.clone(),
        };
        Ok(Self {
            exported,
            drawn,
            formats: if wishes.no_export { Vec::new() } else { Format::of_output(&scene.output) },
            images,
            draws_sheet: !wishes.no_images && sheet::is_wanted(scene),
            quality: wishes.quality,
        })
    }

    /// Writes everything that is not there yet; false if the person stopped it.
    pub(super) fn write(&self, stage: &Stage<'_>) -> Result<bool, Diagnostic> {
        for (i, format) in self.formats.iter().enumerate() {
            if !exports::write(&self.exported, stage, *format)? {
                return Ok(false);
            }
            let (done, of) = (i + 1, self.formats.len());
            stage.listener.hear(Message::Working { what: "exporting", done, of });
        }
        self.draw(stage).map_err(|e| {
            Diagnostic::error(format!("a picture could not be made: {e}"))
                .hint("the frames are kept; run again to go on")
        })
    }

    /// Starts writing and drawing what is not there yet while the frames are still being made. What goes
    /// wrong here, or does not come to its end, is done and told of by [`Outputs::write`].
    pub(super) fn follow<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        stage: &'s Stage<'s>,
        stored: &'s Stored,
    ) {
        scope.spawn(move || exports::follow(&self.exported, stage, &self.formats, stored));
        if let Some(images) = &self.images {
            let threads = rayon::current_num_threads();
            // Apart from those of the simulation, which must not wait for a picture.
            let pool = rayon::ThreadPoolBuilder::new().num_threads((threads / 4).max(1)).build();
            let Some(pool) = pool.ok().filter(|_| threads > 1) else { return };
            scope.spawn(move || {
                let _ = pool
                    .install(|| pictures::follow(&self.drawn, stage, images, self.quality, stored));
            });
        }
    }

    fn draw(&self, stage: &Stage<'_>) -> io::Result<bool> {
        if self.draws_sheet {
            sheet::write(&self.drawn, stage, self.quality)?;
        }
        if let Some(images) = &self.images {
            pictures::numbered(&self.drawn, stage, images, self.quality)?;
        }
        Ok(!stage.interrupted.load(Ordering::SeqCst))
    }

    /// Draws a first picture while the simulation goes on, if there is to be any.
    pub(super) fn preview(&self, store: &Store, folder: &Path) -> io::Result<()> {
        if self.draws_sheet { sheet::preview(&self.drawn, store, folder) } else { Ok(()) }
    }
}

/// The scene with only the bodies exported that `patterns` (`cape,set/glasses,glass_*`) name, themselves or
/// by a group that they are in.
pub(super) fn only(scene: &Scene, patterns: &str) -> Result<Scene, Diagnostic> {
    let patterns: Vec<&str> = patterns.split(',').map(str::trim).collect();
    let is_meant = |body: &Body, pattern: &str| {
        fits(pattern, &body.name) || body.groups().any(|group| fits(pattern, group))
    };
    if let Some(lost) = patterns.iter().find(|p| !scene.bodies.iter().any(|b| is_meant(b, p))) {
        let names = scene.bodies.iter().flat_map(|b| b.groups().chain([b.name.as_str()]));
        let message = format!("`--bodies`: no body or group is called `{lost}`");
        let mut problem = Diagnostic::error(message);
        problem.hint = nearest(lost, names).map(|n| format!("did you mean `{n}`?"));
        return Err(problem);
    }
    let mut scene = scene.clone();
    for body in &mut scene.bodies {
        body.exports &= patterns.iter().any(|p| is_meant(body, p));
    }
    Ok(scene)
}

/// `name` as a path that stays below a folder.
pub(super) fn below(name: &str) -> PathBuf {
    Path::new(name).components().filter(|c| matches!(c, Component::Normal(_))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_below_a_folder() {
        assert_eq!(below("../../etc/./x"), Path::new("etc/x"));
    }
}
