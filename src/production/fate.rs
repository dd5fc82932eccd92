//! What becomes of the frames of an earlier run when a scene is run in their folder.

use super::json::sorted_text;
use super::stale::{last_common_frame, motion_hash};
use crate::diagnostics::{Diagnostic, Place};
use crate::frames::{Store, write_whole};
use crate::scene::Scene;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::PathBuf;

/// Of what the stored frames are made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Made {
    /// Hash of all that the motion depends on.
    motion: String,
    /// The program's version.
    pub(super) retake: String,
}

impl Made {
    /// What frames of `scene` are made of now.
    pub(super) fn of(scene: &Scene) -> Self {
        Self { motion: motion_hash(scene), retake: env!("CARGO_PKG_VERSION").into() }
    }

    /// What those of `store` were made of. What cannot be read is a warning, which names the file.
    pub(super) fn read(store: &Store) -> Result<Self, Diagnostic> {
        let path = path(store);
        let read = fs::read(&path).map_err(|e| e.to_string());
        read.and_then(|bytes| serde_json::from_slice(&bytes).map_err(|e| e.to_string())).map_err(
            |why| {
                let message = format!("what the frames were made of cannot be read: {why}");
                Diagnostic::warning(message).at(Place::new(path.display().to_string(), 0))
            },
        )
    }

    /// Keeps it with the frames.
    pub(super) fn write(&self, store: &Store) -> io::Result<()> {
        let text = sorted_text(&serde_json::to_value(self)?);
        write_whole(&path(store), text.as_bytes())
    }
}

fn path(store: &Store) -> PathBuf {
    store.folder().join("store.json")
}

/// What becomes of the frames of an earlier run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// There are none.
    Absent,
    /// All hold.
    Kept,
    /// They are taken away, because the run begins afresh.
    Ignored,
    /// The shot has changed.
    Edited {
        /// The last frame that the edit does not touch.
        same: Option<i32>,
    },
    /// They belong to another shot and are moved aside.
    Another {
        /// Which, for people.
        why: String,
        /// The last frame that is the same in both, and is taken over.
        same: Option<i32>,
        /// Whether the same script made them, so that what its regions came to can be of use.
        same_script: bool,
    },
}

impl Fate {
    /// Of the frames in `store`, when `scene` is run there; `fresh`: without them.
    pub(super) fn of(store: &Store, scene: &Scene, fresh: bool) -> Self {
        if store.numbers().is_empty() {
            return Self::Absent;
        }
        if let Some(why) = belongs_to_another(store, scene) {
            let same_script = is_of_the_same_script(store, scene) && !fresh;
            let same = if same_script { same_until(store, scene) } else { None };
            return Self::Another { why, same, same_script };
        }
        if fresh {
            Self::Ignored
        } else if Made::read(store).is_ok_and(|made| made == Made::of(scene)) {
            Self::Kept
        } else {
            Self::Edited { same: same_until(store, scene) }
        }
    }

    /// Whether frames are taken away.
    pub(super) fn loses_frames(&self) -> bool {
        !matches!(self, Self::Absent | Self::Kept)
    }
}

/// The last stored frame that an edit did not touch.
fn same_until(store: &Store, scene: &Scene) -> Option<i32> {
    // Frames of another version of the program are not taken apart.
    let made = Made::read(store).ok().filter(|m| m.retake == env!("CARGO_PKG_VERSION"))?;
    let old = store.scene().ok().filter(|old| motion_hash(old) == made.motion)?;
    last_common_frame(&old, scene)
}

/// Whether the stored frames were made by the script of `scene`, with whatever parameters.
fn is_of_the_same_script(store: &Store, scene: &Scene) -> bool {
    store.scene().is_ok_and(|old| old.source.script == scene.source.script)
}

/// Why the stored frames belong to another shot, if they do.
fn belongs_to_another(store: &Store, scene: &Scene) -> Option<String> {
    let old = store.scene().ok()?.source;
    let new = &scene.source;
    if old.script != new.script {
        Some(format!("the folder holds frames of {}", named(&old.script)))
    } else if old.parameters != new.parameters {
        let differs = old
            .parameters
            .keys()
            .chain(new.parameters.keys())
            .find(|name| old.parameters.get(*name) != new.parameters.get(*name));
        let which = differs.map_or_else(String::new, |name| {
            let told = |v: Option<&serde_json::Value>| {
                v.map_or_else(|| "not set".to_owned(), ToString::to_string)
            };
            format!(
                " ({name} was {}, is {})",
                told(old.parameters.get(name)),
                told(new.parameters.get(name))
            )
        });
        Some(format!("the folder holds frames made with other parameters{which}"))
    } else {
        None
    }
}

fn named(script: &str) -> &str {
    if script.is_empty() { "another scene" } else { script }
}
