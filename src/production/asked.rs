//! What a run was asked to build, kept with its frames so that it can be built again.

use super::json::sorted_text;
use super::load::{Loaded, Source};
use super::project::Project;
use super::run::Job;
use crate::diagnostics::{Diagnostic, Place};
use crate::frames::{Store, write_whole};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a run was asked to build. Paths are relative to the project's root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Asked {
    /// The script or scene file.
    script: String,
    /// Values of the parameters that were set; the others had the script's own.
    set: BTreeMap<String, Value>,
    /// Folders of read-only files, those that lie below the root.
    assets: Vec<String>,
}

impl Asked {
    /// What `job` asks for.
    pub(super) fn of(job: &Job, loaded: &Loaded) -> Self {
        let Source { script, parameters, assets } = &job.source;
        let root = &loaded.project.root;
        let values = &loaded.scene.source.parameters;
        // As the script read them, so that `--set wind=3` and `--params` with 3 are the same.
        let value = |(name, given): (&String, &Value)| {
            (name.clone(), values.get(name).unwrap_or(given).clone())
        };
        Self {
            script: below(root, script).unwrap_or_default(),
            set: parameters.iter().map(value).collect(),
            assets: assets.iter().filter_map(|folder| below(root, folder)).collect(),
        }
    }

    /// Keeps it with the frames of a run.
    pub(super) fn write(&self, store: &Store) -> io::Result<()> {
        let text = sorted_text(&serde_json::to_value(self)?);
        write_whole(&path(store), text.as_bytes())
    }

    /// Of the run in `folder`, with its frames in `store`: what it was built from, as it lies on the disk now.
    /// The project is the one around the folder, or around the current one.
    pub(super) fn source(folder: &Path, store: &Store) -> Result<Source, Diagnostic> {
        let place = || Place::new(folder.display().to_string(), 0);
        let asked: Self = fs::read(path(store))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .ok_or_else(|| {
                Diagnostic::error("the run does not tell what it was made from")
                    .at(place())
                    .hint("an older version of the program made it; run its script again")
            })?;
        let lost = || {
            Diagnostic::error(format!("the run's script `{}` is not there", asked.script))
                .at(place())
                .hint("run this in the script's project")
        };
        let near = [std::path::absolute(folder).ok(), std::env::current_dir().ok()];
        let root = near
            .iter()
            .flatten()
            .flat_map(|path| path.ancestors())
            .find(|root| is_root_of(root, &asked.script))
            .ok_or_else(lost)?;
        Ok(Source {
            script: root.join(&asked.script),
            parameters: asked.set,
            assets: asked.assets.iter().map(|folder| root.join(folder)).collect(),
        })
    }
}

/// Whether `root` is the root of the project that has the file `script`.
fn is_root_of(root: &Path, script: &str) -> bool {
    let file = root.join(script);
    !script.is_empty() && file.is_file() && Project::of(&file).is_ok_and(|p| p.root == root)
}

fn path(store: &Store) -> PathBuf {
    store.folder().join("asked.json")
}

/// `file` relative to `root`, with `/`; none where it lies elsewhere.
fn below(root: &Path, file: &Path) -> Option<String> {
    let real = |path: &Path| path.canonicalize().ok();
    let file = real(file)?;
    let relative = file.strip_prefix(real(root)?).ok()?;
    let parts: Vec<_> = relative.components().map(|c| c.as_os_str().to_string_lossy()).collect();
    Some(parts.join("/"))
}
