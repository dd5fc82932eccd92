//! What a run writes beside its frames: exports and pictures.

use super::ledger::Ledger;
use super::progress::Listener;
use super::project::Project;
use super::timings::Timings;
use crate::diagnostics::Diagnostic;
use crate::frames::Store;
use crate::scene::Scene;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What a person wants of the outputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wishes {
    /// No pictures at all.
    pub no_images: bool,
    /// No exports.
    pub no_export: bool,
    /// Patterns of the bodies that are exported; none: all that the script exports.
    pub bodies: Option<String>,
}

/// What will be written.
#[derive(Clone, Debug)]
pub(super) struct Outputs {}

/// What the outputs are made from and where they go.
pub(super) struct Stage<'a> {
    pub(super) scene: &'a Scene,
    pub(super) store: &'a Store,
    pub(super) folder: &'a Path,
    pub(super) ledger: &'a Ledger,
    pub(super) timings: &'a Timings,
    pub(super) listener: &'a dyn Listener,
    pub(super) interrupted: &'a AtomicBool,
    /// Frames that are exported and drawn.
    pub(super) frames: &'a BTreeSet<i32>,
}

impl Outputs {
    /// Decides what is written for `scene`.
    pub(super) fn plan(_: &Scene, _: &Wishes, _: &Project) -> Result<Self, Vec<Diagnostic>> {
        Ok(Self {})
    }

    /// Writes everything that is not there yet.
    pub(super) fn write(&self, _stage: &Stage<'_>) -> Result<(), Diagnostic> {
        Ok(())
    }
}

/// `name` as a path that stays below a folder.
pub(super) fn below(name: &str) -> PathBuf {
    Path::new(name).components().filter(|c| matches!(c, Component::Normal(_))).collect()
}
