//! Runs a Lua script and gives the scene that it describes.
//!
//! A script is a function from parameters to a shot. It runs once in a sandbox where nothing
//! depends on clocks, addresses or the platform; what it leaves behind is a plain [`Scene`]. Its
//! callbacks stay in the [`Director`], which only ever sees and gives plain data.

#![allow(
    clippy::single_match_else,
    reason = "what was given and what was not stand side by side in the errors of this room"
)]

mod access;
mod api;
mod callbacks;
mod chance;
mod context;
mod cuts;
mod documents;
mod engine;
mod files;
mod fingerprint;
mod flex3d_par;
mod invocation;
mod library;
mod limits;
mod locals;
mod lua_math;
mod lua_strings;
mod mapped;
mod memory;
mod object;
mod options;
mod pattern;
mod place;
mod reads;
mod sampling;
mod sandbox;
mod schema;
mod select;
mod shot;
mod values;

pub use callbacks::{Director, FrameCalls};
pub use documents::{editor_definitions, reference};
pub use flex3d_par::{BuiltPar, build_par, convert_par, parameters_par};
pub use limits::Limits;
pub use reads::{Reads, Stamp, stamp};

use crate::diagnostics::{Diagnostic, Place, Severity, nearest};
use crate::scene::Scene;
use context::Context;
use fingerprint::Pristine;
use object::Object;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What is to be built.
pub struct Request<'a> {
    /// The script.
    pub script: &'a Path,
    /// The project's root.
    pub root: &'a Path,
    /// Further folders that files may be read from.
    pub assets: &'a [PathBuf],
    /// Values that take the place of the script's defaults; strings are read by the type of the
    /// parameter.
    pub parameters: &'a BTreeMap<String, serde_json::Value>,
    /// What the project sets for scripts that say nothing.
    pub defaults: Defaults,
}

/// Settings of a project for scripts that say nothing themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Defaults {
    /// Frames a second as numerator and denominator.
    pub fps: Option<(u32, u32)>,
    /// Number of the first frame.
    pub start_frame: Option<i32>,
    /// Width of pictures [pixels].
    pub width: Option<u32>,
    /// Height of pictures [pixels].
    pub height: Option<u32>,
}

/// A value that a script may be run with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The script's own value: a number, a boolean or a string.
    pub default: serde_json::Value,
    /// The value of this build.
    pub value: serde_json::Value,
    /// Allowed values, where only some are.
    pub choices: Option<Vec<serde_json::Value>>,
    /// Smallest allowed number.
    pub min: Option<f64>,
    /// Largest allowed number.
    pub max: Option<f64>,
    /// Whole numbers only.
    pub integer: bool,
    /// Unit as the script names it; may be empty.
    pub unit: String,
    /// What it is for; may be empty.
    pub help: String,
}

/// A Lua source that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Path relative to the project's root.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// What a script made.
pub struct Built {
    /// The shot.
    pub scene: Scene,
    /// What the person should know.
    pub warnings: Vec<Diagnostic>,
    /// The script's parameters, in the order of the script.
    pub parameters: Vec<Parameter>,
    /// Lines that the script printed.
    pub printed: Vec<String>,
    /// The script and every module that it required.
    pub sources: Vec<SourceFile>,
    /// Its callbacks and measures.
    pub director: Director,
}

/// Runs the script and gives its scene, or what is wrong with it.
pub fn build(request: &Request) -> Result<Built, Vec<Diagnostic>> {
    build_within(request, Limits::default())
}

/// [`build`] with limits of your own.
pub fn build_within(request: &Request, limits: Limits) -> Result<Built, Vec<Diagnostic>> {
    let ran = run(request, limits).map_err(|d| vec![d])?;
    let Ran { lua, cx, pristine, returned, script } = ran;
    let made = matches!(Object::from_value(&returned), Some(Object::Shot));
    let no_shot = cx.shot.borrow().is_none();
    if !made {
        let message = if no_shot {
            "the script makes no shot"
        } else {
            "the script does not return its shot"
        };
        let problem = Diagnostic::error(message)
            .at(Place::new(script.as_str(), 0))
            .hint("end it with `return shot`, where `local shot = retake.shot{ ... }`");
        return Err(vec![problem]);
    }
    let aspect = picture_aspect(&cx);
    let finished = cx.shot.borrow_mut().as_mut().map(|shot| shot.finish(aspect));
    let Some((mut scene, parts)) = finished else { unreachable!("checked above") };

    let sources = cx.files.sources();
    scene.source.script = script;
    scene.source.script_hash = hash_of(&sources);
    scene.source.parameters =
        cx.parameters.borrow().iter().map(|p| (p.name.clone(), p.value.clone())).collect();

    let (errors, warnings): (Vec<_>, Vec<_>) =
        scene.validate().into_iter().partition(|d| d.severity == Severity::Error);
    if !errors.is_empty() {
        return Err(errors);
    }
    cx.warnings.borrow_mut().extend(warnings);
    let director = Director::new(lua, cx.clone(), &scene, parts);
    director.tell_functions(&pristine, &mut scene);
    let built = Built {
        warnings: cx.warnings.take(),
        parameters: cx.parameters.take(),
        printed: cx.printed.take(),
        sources,
        director,
        scene,
    };
    Ok(built)
}

/// Runs the script and gives its parameters.
pub fn parameters(request: &Request) -> Result<Vec<Parameter>, Vec<Diagnostic>> {
    let ran = run(request, Limits::default()).map_err(|d| vec![d])?;
    Ok(ran.cx.parameters.take())
}

struct Ran {
    lua: mlua::Lua,
    cx: Rc<Context>,
    pristine: Pristine,
    returned: mlua::Value,
    script: String,
}

fn run(request: &Request, limits: Limits) -> Result<Ran, Diagnostic> {
    let files = files::Files::new(request.script, request.root, request.assets)?;
    let source = files.read_source(request.script)?;
    let cx = Rc::new(Context::new(files, request.parameters.clone(), request.defaults, limits));
    let started = engine::new_state(&cx).and_then(|lua| Ok((Pristine::of(&lua)?, lua)));
    let (pristine, lua) =
        started.map_err(|e| Diagnostic::error(format!("Lua could not be started: {e}")))?;
    let returned = engine::compile(&lua, &source)
        .and_then(|chunk| chunk.call::<mlua::Value>(()))
        .map_err(|error| engine::diagnostic_of(&lua, &error))?;
    let known = cx.parameters.borrow();
    for name in request.parameters.keys() {
        if !known.iter().any(|p| p.name == *name) {
            let hint = match nearest(name, known.iter().map(|p| p.name.as_str())) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => "the script has none".to_owned(),
                None => {
                    let all: Vec<String> = known.iter().map(|p| format!("`{}`", p.name)).collect();
                    format!("it has {}", all.join(", "))
                }
            };
            return Err(Diagnostic::error(format!("the script has no parameter `{name}`"))
                .at(Place::new(source.path, 0))
                .hint(hint));
        }
    }
    drop(known);
    Ok(Ran { lua, cx, pristine, returned, script: source.path })
}

/// Width over height of the pictures.
fn picture_aspect(cx: &Context) -> f64 {
    let shot = cx.shot.borrow();
    let images = shot.as_ref().and_then(|s| s.scene.output.images.as_ref());
    let (width, height) = images.map_or_else(
        || (cx.defaults.width.unwrap_or(960), cx.defaults.height.unwrap_or(540)),
        |images| (images.width, images.height),
    );
    f64::from(width) / f64::from(height.max(1))
}

/// blake3 of the sources, whatever the order they were read in.
fn hash_of(sources: &[SourceFile]) -> String {
    let mut sorted: Vec<&SourceFile> = sources.iter().collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    let mut hasher = blake3::Hasher::new();
    for source in sorted {
        for part in [&source.path, &source.text] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
    }
    hasher.finalize().to_hex().to_string()
}
