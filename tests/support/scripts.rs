//! The program as a process, on scripts of the repository.

use std::path::Path;
use std::process::{Command, Output};

/// What the program does with these arguments at the root of the repository.
pub(crate) fn retake(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_retake"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// Names of the scripts right in a folder of the repository, sorted, without their endings.
pub(crate) fn names(folder: &str) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
            .expect("the folder is there")
            .map(|entry| entry.expect("readable").path())
            .filter(|path| path.extension().is_some_and(|e| e == "lua"))
            .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
            .collect();
    names.sort();
    names
}
