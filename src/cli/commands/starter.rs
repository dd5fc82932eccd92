//! `retake new`.

use crate::cli::exit::{Exit, wrong};
use crate::cli::terminal;
use crate::production::is_file_safe;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;

const STARTER: &str = include_str!("starter.lua");

/// Writes a commented starter script.
pub(in crate::cli) fn new(name: &str) -> Exit {
    let mut path = Path::new(name).to_path_buf();
    if path.extension().is_none_or(|e| e != "lua") {
        path.as_mut_os_string().push(".lua");
    }
    let shot = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if !is_file_safe(&shot) || shot.contains(['@', '\\', '"']) {
        return wrong(&format!("`{name}` cannot be the name of a shot"));
    }
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let made = folder.map_or(Ok(()), std::fs::create_dir_all);
    // A script is work: one that is there is never written over.
    let file = made.and_then(|()| File::create_new(&path));
    match file.and_then(|mut f| f.write_all(STARTER.replace("NAME", &shot).as_bytes())) {
        Ok(()) => {
            let path = path.display();
            terminal::out(&format!("{path}\nrun it: retake run {path}\n"));
            Exit::Done
        }
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {
            wrong(&format!("{} is there already", path.display()))
        }
        Err(e) => wrong(&format!("{} could not be written: {e}", path.display())),
    }
}
