//! The programs that check, fetched into the target folder once. Every reason why one cannot be
//! had is told as text: no network, no Python, no Node are no faults of Retake.

use crate::bounded::{Ended, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The last Blender that comes for Python 3.11. Versions are fixed, so that a check that fails has
/// found something in our files, not in a release of yesterday.
const BLENDER: [&str; 2] = ["bpy==5.0.1", "numpy<3"];
const OPENEXR: [&str; 2] = ["OpenEXR==3.4.4", "numpy<3"];
const USD: [&str; 2] = ["usd-core==26.11", "numpy<3"];
const OPENJD: [&str; 3] = ["openjd-cli==0.8.0", "openjd-model==0.13.0", "openjd-sessions==0.13.0"];
const GLTF_VALIDATOR: &str = "gltf-validator@2.0.0-dev.3.10";

/// Blender is 400 MB to fetch.
const FETCH_LIMIT: Duration = Duration::from_mins(6);
const QUICK_LIMIT: Duration = Duration::from_mins(1);
/// Written last: an environment without it was not finished.
const MARKER: &str = "made.txt";

/// A program with what it needs to find its packages.
pub(crate) struct Environment {
    program: PathBuf,
    variables: Vec<(&'static str, PathBuf)>,
}

impl Environment {
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        // Byte code would be written beside the sources of this project.
        command.env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONNOUSERSITE", "1");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// Python with Blender as a module.
pub(crate) fn blender(folder: &Path) -> Result<Environment, String> {
    let python = find(&["python3.11", "python3", "python"], |said| said.contains("Python 3.11."))
        .ok_or("no Python 3.11 was found, which Blender's module needs")?;
    python_with(&python, &folder.join("blender"), &BLENDER, "import bpy, numpy")
}

/// Python with OpenEXR.
pub(crate) fn openexr(folder: &Path) -> Result<Environment, String> {
    let python = find(&["python3", "python"], |said| said.starts_with("Python 3."))
        .ok_or("no Python 3 was found")?;
    python_with(&python, &folder.join("openexr"), &OPENEXR, "import OpenEXR, numpy")
}

/// Python with Pixar's library for USD.
pub(crate) fn usd(folder: &Path) -> Result<Environment, String> {
    let python = find(&["python3.11", "python3", "python"], |said| said.starts_with("Python 3."))
        .ok_or("no Python 3 was found")?;
    python_with(&python, &folder.join("usd"), &USD, "import numpy; from pxr import Usd")
}

/// Python with the library and the program of Open Job Description.
pub(crate) fn openjd(folder: &Path) -> Result<Environment, String> {
    let python = find(&["python3.11", "python3", "python"], |said| said.starts_with("Python 3."))
        .ok_or("no Python 3 was found")?;
    python_with(&python, &folder.join("openjd"), &OPENJD, "import openjd.cli, openjd.model")
}

/// Node alone.
pub(crate) fn node() -> Result<Environment, String> {
    let node = find(&["node", "nodejs"], |_| true).ok_or("no Node was found")?;
    Ok(Environment { program: node, variables: Vec::new() })
}

/// Node with the Khronos glTF validator.
pub(crate) fn gltf_validator(folder: &Path) -> Result<Environment, String> {
    let program = node()?.program;
    let npm = find(&["npm", "npm.cmd"], |_| true).ok_or("no npm was found")?;
    let folder = folder.join("gltf-validator");
    make(&folder, GLTF_VALIDATOR, || {
        let mut command = Command::new(npm);
        command.arg("install").arg("--prefix").arg(&folder).arg(GLTF_VALIDATOR);
        command.args(["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]);
        command.args(["--fetch-retries=1", "--fetch-timeout=20000"]);
        done("npm install", &mut command, FETCH_LIMIT)
    })?;
    let modules = folder.join("node_modules");
    Ok(Environment { program, variables: vec![("NODE_PATH", modules)] })
}

/// The first of `programs` that answers `--version` as it should.
fn find(programs: &[&str], fits: impl Fn(&str) -> bool) -> Option<PathBuf> {
    let answers = |program: &&&str| {
        let ended = run(Command::new(program).arg("--version"), QUICK_LIMIT);
        ended.success && fits(&ended.said)
    };
    programs.iter().find(answers).map(PathBuf::from)
}

fn python_with(
    python: &Path,
    folder: &Path,
    packages: &[&str],
    probe: &str,
) -> Result<Environment, String> {
    let inside = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let environment = Environment { program: folder.join(inside), variables: Vec::new() };
    make(folder, &packages.join(" "), || {
        done("python -m venv", Command::new(python).args(["-m", "venv"]).arg(folder), FETCH_LIMIT)?;
        let mut command = environment.command();
        command.args(["-m", "pip", "install", "--no-input", "--disable-pip-version-check"]);
        command.args(["--only-binary", ":all:", "--no-compile", "--quiet"]);
        command.args(["--retries", "1", "--timeout", "20"]).args(packages);
        done("pip install", &mut command, FETCH_LIMIT)
    })?;
    // Packages may want libraries of the system that are not there.
    done(probe, environment.command().args(["-c", probe]), QUICK_LIMIT)?;
    Ok(environment)
}

/// Makes an environment in `folder`, unless a finished one of the same `packages` is there.
fn make(
    folder: &Path,
    packages: &str,
    fetch: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let marker = folder.join(MARKER);
    if fs::read_to_string(&marker).is_ok_and(|made| made == packages) {
        return Ok(());
    }
    let told = |e: std::io::Error| format!("{}: {e}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(told)?;
    }
    fs::create_dir_all(folder).map_err(told)?;
    fetch()?;
    fs::write(marker, packages).map_err(told)
}

/// Runs a command that must succeed; else the last of its lines about an error, where pip and
/// Python sum up.
fn done(what: &str, command: &mut Command, limit: Duration) -> Result<(), String> {
    let Ended { success, said } = run(command, limit);
    if success {
        return Ok(());
    }
    let is_error = |l: &&str| l.to_lowercase().contains("error") && !l.contains("complete log");
    let line =
        said.lines().rfind(is_error).or_else(|| said.lines().rfind(|l| !l.trim().is_empty()));
    Err(format!("{what} failed: {}", line.unwrap_or("it said nothing").trim()))
}
