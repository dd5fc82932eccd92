//! FLEX3D scripts (`.par`, Nedel 1993): the same scenes as Lua scripts make, without Lua.

mod build;
mod choices;
mod lua;
mod script;
mod surface;
mod words;

use super::files::Files;
use super::{Parameter, Request, SourceFile, hash_of};
use crate::diagnostics::{Diagnostic, Severity};
use crate::geometry::read::{self, LoadOptions, MeshFormat, flex3d_text};
use crate::scene::Scene;
use build::Object;
use choices::Choices;
use script::Script;
use std::path::{Path, PathBuf};

/// What a FLEX3D script made.
#[derive(Debug)]
pub struct BuiltPar {
    /// The shot.
    pub scene: Scene,
    /// What the person should know.
    pub warnings: Vec<Diagnostic>,
    /// What the language leaves open.
    pub parameters: Vec<Parameter>,
    /// The script, as text.
    pub sources: Vec<SourceFile>,
}

/// Largest script [bytes].
const LARGEST_SCRIPT: u64 = 16 << 20;

/// Reads a FLEX3D script and gives its scene, or what is wrong with it.
pub fn build_par(request: &Request) -> Result<BuiltPar, Vec<Diagnostic>> {
    let one = |problem: Diagnostic| vec![problem];
    let Opened { files, source, script, choices, parameters } = Opened::of(request).map_err(one)?;
    let objects = objects(&script, &files)?.into_iter().map(|(object, _)| object).collect();
    let stem = request.script.file_stem().unwrap_or_default().to_string_lossy();
    let name = build::free_name(&stem, &[]);
    let (mut scene, mut warnings) = build::build(&script, &choices, objects, &name)?;
    let sources = vec![source];
    scene.source.script.clone_from(&sources[0].path);
    scene.source.script_hash = hash_of(&sources);
    scene.source.parameters =
        parameters.iter().map(|p| (p.name.clone(), p.value.clone())).collect();
    let (errors, found): (Vec<_>, Vec<_>) =
        scene.validate().into_iter().partition(|d| d.severity == Severity::Error);
    if !errors.is_empty() {
        return Err(errors);
    }
    warnings.extend(found);
    Ok(BuiltPar { scene, warnings, parameters, sources })
}

/// The parameters of a FLEX3D script.
pub fn parameters_par(request: &Request) -> Result<Vec<Parameter>, Vec<Diagnostic>> {
    Opened::of(request).map(|opened| opened.parameters).map_err(|problem| vec![problem])
}

/// Writes a FLEX3D script as a Lua script that gives the same shot; `bases` are the folders that the
/// Lua script's paths are relative to, its own first. Also gives what the person should know.
pub fn convert_par(
    request: &Request,
    bases: &[PathBuf],
) -> Result<(String, Vec<Diagnostic>), Vec<Diagnostic>> {
    // What cannot be built is not written either.
    let BuiltPar { scene, warnings, .. } = build_par(request)?;
    let Opened { files, source, script, choices, .. } =
        Opened::of(request).map_err(|problem| vec![problem])?;
    let names = build::surface_names(&script).map_err(|problem| vec![problem])?;
    let mut named = Vec::new();
    for (object, path) in objects(&script, &files)? {
        let Some(below) = bases.iter().find_map(|base| path.strip_prefix(base).ok()) else {
            let message = format!("`{}` lies outside of the new script's project", path.display());
            let hint = "write the script beside the old one";
            return Err(vec![Diagnostic::error(message).at(object.place).hint(hint)]);
        };
        let parts: Vec<_> = below.components().map(|c| c.as_os_str().to_string_lossy()).collect();
        named.push((object, parts.join("/")));
    }
    let text = lua::write(&lua::Shot {
        script: &script,
        choices: &choices,
        name: &scene.name,
        source: &source.path,
        names: &names,
        objects: &named,
    });
    Ok((text, warnings))
}

/// A script that has been read, and what was chosen.
struct Opened {
    files: Files,
    source: SourceFile,
    script: Script,
    choices: Choices,
    parameters: Vec<Parameter>,
}

impl Opened {
    fn of(request: &Request) -> Result<Self, Diagnostic> {
        let files = Files::new(request.script, request.root, request.assets)?;
        let source = text_of(request.script, &files)?;
        let script = script::read(&source.text, &source.path)?;
        let (choices, parameters) = choices::choose(&script, request.parameters)?;
        Ok(Self { files, source, script, choices, parameters })
    }
}

fn text_of(path: &Path, files: &Files) -> Result<SourceFile, Diagnostic> {
    let real = path
        .canonicalize()
        .map_err(|e| Diagnostic::error(format!("cannot read `{}`: {e}", path.display())))?;
    let name = files.name_of(&real);
    let cannot =
        |why: &dyn std::fmt::Display| Diagnostic::error(format!("cannot read `{name}`: {why}"));
    let length = std::fs::metadata(&real).map_err(|e| cannot(&e))?.len();
    if length > LARGEST_SCRIPT {
        return Err(cannot(&"a script may have 16 MB at most"));
    }
    let text = flex3d_text::decode(&std::fs::read(&real).map_err(|e| cannot(&e))?);
    Ok(SourceFile { path: name, text })
}

/// The outside objects and their files. The original machines knew no small letters in file names:
/// a name that is not there is sought in small and in capital letters.
fn objects(script: &Script, files: &Files) -> Result<Vec<(Object, PathBuf)>, Vec<Diagnostic>> {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for at in &script.objects {
        match object(&at.value, files) {
            Ok((mesh, color, path)) => {
                let name = Path::new(&at.value).file_stem().unwrap_or_default();
                let name = name.to_string_lossy().into_owned();
                found.push((Object { name, place: at.place.clone(), mesh, color }, path));
            }
            Err(mut problem) => {
                // The script's line comes first; the place in the object stays in the sentence.
                if let Some(place) = problem.place.take() {
                    problem.message = format!("{place}: {}", problem.message);
                }
                errors.push(problem.at(at.place.clone()));
            }
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}

type Read = (crate::geometry::TriMesh, Option<[f64; 3]>, PathBuf);

fn object(name: &str, files: &Files) -> Result<Read, Diagnostic> {
    let path = files.asset(name).or_else(|problem| {
        let others = [name.to_lowercase(), name.to_uppercase()];
        others.iter().find_map(|other| files.asset(other).ok()).ok_or(problem)
    })?;
    let shown = files.name_of(&path);
    let bytes = std::fs::read(&path)
        .map_err(|e| Diagnostic::error(format!("cannot read `{shown}`: {e}")))?;
    let neighbour = |_: &str| Err(std::io::Error::other("an object stands alone"));
    let options = LoadOptions::default();
    let mesh = read::from_bytes(MeshFormat::Obt, &bytes, &shown, &options, &neighbour)?;
    Ok((mesh, read::obt_color(&bytes, &shown)?, path))
}
