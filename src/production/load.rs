//! From a script or a scene file to a scene that can be run.

use super::callbacks::Callbacks;
use super::project::{Fps, Project};
use super::scene_file;
use crate::diagnostics::{Diagnostic, Place};
use crate::director::{self, Built, BuiltPar, Defaults, Parameter, SourceFile};
use crate::scene::Scene;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is to be built, and with which values.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// A `.lua` script, a FLEX3D script `.par`, or a scene `.json`.
    pub script: PathBuf,
    /// Values of the script's parameters; text is read by the parameter's type.
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
    /// Lua files that were read.
    pub sources: Vec<SourceFile>,
    pub(super) callbacks: Callbacks,
}

/// Whether `path` names a FLEX3D script.
pub fn is_flex3d(path: &Path) -> bool {
    matches!(kind(path), Ok(Kind::Flex3d))
}

/// Builds the scene of `source`.
pub fn load(source: &Source) -> Result<Loaded, Vec<Diagnostic>> {
    let project = Project::of(&source.script).map_err(|d| vec![d])?;
    match kind(&source.script)? {
        Kind::Script => {
            let built = build(&source.script, &source.parameters, &source.assets, &project)?;
            let Built { scene, warnings, printed, sources, director, .. } = built;
            let callbacks = Callbacks::new(director);
            Ok(Loaded { project, scene, warnings, printed, sources, callbacks })
        }
        Kind::Flex3d => {
            let assets = project.assets(&source.assets);
            let request = request(&source.script, &source.parameters, &assets, &project);
            let BuiltPar { scene, warnings, sources, .. } = director::build_par(&request)?;
            let (printed, callbacks) = (Vec::new(), Callbacks::default());
            Ok(Loaded { project, scene, warnings, printed, sources, callbacks })
        }
        Kind::Scene => load_scene(source, project),
    }
}

/// Writes the FLEX3D script of `source` as the Lua script `out` would hold it.
pub fn convert_script(
    source: &Source,
    out: &Path,
) -> Result<(String, Vec<Diagnostic>), Vec<Diagnostic>> {
    let project = Project::of(&source.script).map_err(|d| vec![d])?;
    let new_root = Project::of(out).map_err(|d| vec![d])?.root;
    let folder = out.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let real = |path: &Path| path.canonicalize().ok();
    let bases: Vec<PathBuf> = [folder, &new_root].into_iter().filter_map(real).collect();
    let assets = project.assets(&source.assets);
    director::convert_par(&request(&source.script, &source.parameters, &assets, &project), &bases)
}

/// The parameters of a script.
pub fn parameters(source: &Source) -> Result<Vec<Parameter>, Vec<Diagnostic>> {
    let project = Project::of(&source.script).map_err(|d| vec![d])?;
    match kind(&source.script)? {
        Kind::Scene => Ok(Vec::new()),
        Kind::Script => {
            let assets = project.assets(&source.assets);
            director::parameters(&request(&source.script, &source.parameters, &assets, &project))
        }
        Kind::Flex3d => {
            let assets = project.assets(&source.assets);
            let request = request(&source.script, &source.parameters, &assets, &project);
            director::parameters_par(&request)
        }
    }
}

enum Kind {
    Script,
    Flex3d,
    Scene,
}

fn kind(path: &Path) -> Result<Kind, Vec<Diagnostic>> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("lua") => Ok(Kind::Script),
        Some("json") => Ok(Kind::Scene),
        Some(ending) if ending.eq_ignore_ascii_case("par") => Ok(Kind::Flex3d),
        _ => Err(vec![
            Diagnostic::error("neither a script (.lua, .par) nor a scene (.json)")
                .at(Place::new(path.display().to_string(), 0)),
        ]),
    }
}

fn build(
    script: &Path,
    parameters: &BTreeMap<String, Value>,
    assets: &[PathBuf],
    project: &Project,
) -> Result<Built, Vec<Diagnostic>> {
    let assets = project.assets(assets);
    director::build(&request(script, parameters, &assets, project))
}

fn request<'a>(
    script: &'a Path,
    parameters: &'a BTreeMap<String, Value>,
    assets: &'a [PathBuf],
    project: &'a Project,
) -> director::Request<'a> {
    let settings = &project.settings;
    let defaults = Defaults {
        fps: settings.fps.map(Fps::ratio),
        start_frame: settings.start_frame,
        width: settings.width,
        height: settings.height,
    };
    director::Request { script, root: &project.root, assets, parameters, defaults }
}

/// A scene file; what it holds of functions it takes from the script that it names.
fn load_scene(source: &Source, project: Project) -> Result<Loaded, Vec<Diagnostic>> {
    if let Some(name) = source.parameters.keys().next() {
        return Err(vec![
            Diagnostic::error(format!("a scene file has no parameter `{name}`"))
                .hint("its values are built in; set parameters where the script is run"),
        ]);
    }
    let (scene, mut warnings) = scene_file::read(&source.script)?;
    let (mut sources, mut callbacks) = (Vec::new(), Callbacks::default());
    if scene.callbacks > 0 || !scene.measures.is_empty() {
        let built = functions_of(&scene, source, &project)?;
        sources = built.sources;
        warnings = built.warnings;
        callbacks = Callbacks::new(built.director);
    }
    Ok(Loaded { project, scene, warnings, printed: Vec::new(), sources, callbacks })
}

/// Builds the script of a scene file again, for its callbacks and measures.
fn functions_of(
    scene: &Scene,
    source: &Source,
    project: &Project,
) -> Result<Built, Vec<Diagnostic>> {
    let script = project.root.join(&scene.source.script);
    let told = source.script.display().to_string();
    let needs = |what: String| {
        vec![Diagnostic::error(what).at(Place::new(told.clone(), 0)).hint(
            "its callbacks and measures are in the script; write the scene again with \
                 `retake scene`",
        )]
    };
    if scene.source.script.is_empty() || !script.is_file() {
        return Err(needs(format!("the scene needs its script {}", scene.source.script)));
    }
    let built = build(&script, &scene.source.parameters, &source.assets, project)?;
    if built.scene.source.script_hash != scene.source.script_hash {
        let script = &scene.source.script;
        return Err(needs(format!("{script} is no longer the script that made the scene")));
    }
    Ok(built)
}
