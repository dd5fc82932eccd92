//! From a script or a scene file to a scene that can be run.

use super::callbacks::Callbacks;
use super::project::Project;
use super::scene_file;
use crate::diagnostics::{Diagnostic, Place};
use crate::scene::Scene;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is to be built, and with which values.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// A `.lua` script or a scene `.json`.
    pub script: PathBuf,
    /// Values of the script's parameters.
    pub parameters: BTreeMap<String, Value>,
    /// Folders of read-only files.
    pub assets: Vec<PathBuf>,
}

/// A shot that can be run.
pub struct Loaded {
    /// Where it belongs.
    pub project: Project,
    /// The scene.
    pub scene: Scene,
    /// What building it warned of.
    pub warnings: Vec<Diagnostic>,
    /// What the script printed.
    pub printed: Vec<String>,
    /// Lua files that were read: their names relative to the root, and their text.
    pub sources: Vec<(String, Vec<u8>)>,
    pub(super) callbacks: Callbacks,
}

/// Builds the scene of `source`.
pub fn load(source: &Source) -> Result<Loaded, Vec<Diagnostic>> {
    let project = Project::of(&source.script).map_err(|d| vec![d])?;
    match source.script.extension().and_then(|e| e.to_str()) {
        Some("lua") => Err(vec![Diagnostic::error("scripts are not built yet")]),
        Some("json") => load_scene(source, project),
        Some("par") => Err(vec![not_built("FLEX3D scripts (.par)")]),
        _ => Err(vec![unknown_kind(&source.script)]),
    }
}

/// A scene file; what it holds of functions it takes from the script that it names.
fn load_scene(source: &Source, project: Project) -> Result<Loaded, Vec<Diagnostic>> {
    if let Some(name) = source.parameters.keys().next() {
        return Err(vec![
            Diagnostic::error(format!("a scene file has no parameter `{name}`"))
                .hint("its values are built in; set parameters where the script is run"),
        ]);
    }
    let scene = scene_file::read(&source.script)?;
    Ok(Loaded {
        project,
        scene,
        warnings: Vec::new(),
        printed: Vec::new(),
        sources: Vec::new(),
        callbacks: Callbacks::default(),
    })
}

fn unknown_kind(path: &Path) -> Diagnostic {
    Diagnostic::error("neither a script (.lua) nor a scene (.json)")
        .at(Place::new(path.display().to_string(), 0))
}

/// Something of the contract that this version has not got.
pub fn not_built(what: &str) -> Diagnostic {
    Diagnostic::error(format!("{what} is not built yet"))
}
