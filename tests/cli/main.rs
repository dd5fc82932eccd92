//! The program as a person runs it.

mod commands;
mod compare;
mod convert;
mod edits;
mod openjd;
mod page;
mod regions;
mod resume;
mod scripts;
mod submit;
#[path = "../support/mod.rs"]
mod support;
mod watch;
mod why;

use assert_cmd::Command;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

/// The program in a folder.
pub(crate) fn retake(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("retake").unwrap();
    command.current_dir(folder).env("NO_COLOR", "1").timeout(std::time::Duration::from_mins(2));
    command
}

/// Starts the program and kills it once it has told of `frames` frames.
pub(crate) fn kill_after(
    folder: &Path,
    arguments: &[&str],
    frames: usize,
    signal: &str,
) -> Option<i32> {
    let mut child = start(folder, arguments);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in lines.map_while(Result::ok).take(frames) {}
    send(&child, signal);
    child.wait().unwrap().code()
}

pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Child {
    start_with(folder, arguments, "json")
}

/// Starts the program; `progress` is how it tells of it.
pub(crate) fn start_with(folder: &Path, arguments: &[&str], progress: &str) -> Child {
    std::process::Command::new(assert_cmd::cargo::cargo_bin("retake"))
        .current_dir(folder)
        .args(arguments)
        .args(["--progress", progress])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

pub(crate) fn send(child: &Child, signal: &str) {
    let status =
        std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(status.unwrap().success());
}

pub(crate) fn shot(folder: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(folder.join("shot.json")).unwrap()).unwrap()
}
