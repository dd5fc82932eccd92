//! Jobs for a farm: what the library of Open Job Description says of a template, and what comes of running it.

use crate::bounded::run;
use crate::environments::Environment;
use crate::shots::retake;
use crate::{CHECK_LIMIT, Verdict};
use std::fs;
use std::path::Path;

/// A shot with a picture of every second frame, in a folder with a blank in its name.
const SCRIPT: &str = "local retake = require \"retake\"\nlocal drop = retake.param(\"drop\", 1.0)\n\
    local shot = retake.shot { name = \"sheet\", fps = 24, frames = 8 }\n\
    shot:cloth { name = \"cloth\", mesh = retake.mesh.grid { size = { 1, 1 }, vertices = { 5, 5 } }, \
    translate = { 0, drop, 0 } }\n\
    shot:output { images = { width = 32, height = 18, samples = 1, every = 2 }, sheet = 2 }\nreturn shot\n";

/// The template that `retake submit` writes is valid, and `openjd run` makes the shot of it.
pub(crate) fn check(openjd: &Result<Environment, String>, folder: &Path) -> Verdict {
    let openjd = match openjd {
        Ok(openjd) => openjd,
        Err(why) => return Verdict::Skipped(why.clone()),
    };
    match made(openjd, &folder.join("runs/a farm")) {
        Ok(()) => Verdict::Passed,
        Err(what) => Verdict::Failed(what),
    }
}

fn made(openjd: &Environment, folder: &Path) -> Result<(), String> {
    let told = |e: std::io::Error| e.to_string();
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(told)?;
    }
    fs::create_dir_all(folder.join("scripts")).map_err(told)?;
    fs::write(folder.join("retake.toml"), "").map_err(told)?;
    fs::write(folder.join("scripts/sheet.lua"), SCRIPT).map_err(told)?;
    let program = env!("CARGO_BIN_EXE_retake");
    let arguments = ["submit", "scripts/sheet.lua", "--to", "openjd", "--set", "drop=1.5"];
    let more = ["--chunk", "2", "--program", program];
    let words: Vec<&dyn AsRef<std::ffi::OsStr>> =
        arguments.iter().chain(&more).map(|word| word as _).collect();
    retake(folder, &words)?;
    for words in [&["check", "sheet.openjd.json"][..], &["run", "sheet.openjd.json"]] {
        let mut command = openjd.command();
        command.current_dir(folder).args(["-m", "openjd"]).args(words);
        let ended = run(&mut command, CHECK_LIMIT);
        if !ended.success {
            return Err(ended.said);
        }
    }
    for file in ["sheet.png", "images/sheet.0001.png", "images/sheet.0009.png"] {
        if !folder.join("renders/sheet").join(file).is_file() {
            return Err(format!("{file} was not made"));
        }
    }
    retake(folder, &[&"verify", &"renders/sheet"])
}
