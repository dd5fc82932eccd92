//! Files that grow with the frames of a shot, and are there whole or not at all.

use crate::diagnostics::{Diagnostic, Place};
use crate::frames::write_whole_with;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

/// Why a file was not written.
pub(super) enum Stopped {
    /// A frame or a picture could not be had, or something does not fit into the format.
    Trouble(Diagnostic),
    /// The person wanted it.
    Interrupted,
    /// The file could not be written.
    Io(io::Error),
}

impl From<Diagnostic> for Stopped {
    fn from(problem: Diagnostic) -> Self {
        Self::Trouble(problem)
    }
}

impl From<io::Error> for Stopped {
    fn from(problem: io::Error) -> Self {
        Self::Io(problem)
    }
}

/// Writes the file `path` with `encode`; false if the person stopped it.
pub(super) fn write(
    path: &Path,
    encode: impl FnOnce(&mut BufWriter<File>) -> Result<(), Stopped>,
) -> Result<bool, Diagnostic> {
    let mut stopped = None;
    let written = write_whole_with(path, |out| {
        match encode(out) {
            Ok(()) => return Ok(()),
            Err(Stopped::Io(problem)) => return Err(problem),
            Err(other) => stopped = Some(other),
        }
        // The file is taken away as one that could not be written.
        Err(io::Error::other("stopped"))
    });
    match (written, stopped) {
        (Ok(()), _) => Ok(true),
        (Err(_), Some(Stopped::Trouble(problem))) => Err(problem),
        (Err(_), Some(Stopped::Interrupted)) => Ok(false),
        (Err(problem), _) => {
            Err(Diagnostic::error(format!("the file cannot be written: {problem}"))
                .at(Place::new(path.display().to_string(), 0)))
        }
    }
}
