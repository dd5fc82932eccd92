//! A file a body a frame: the frame of the formats that know no animation.

use super::shot::{Moves, Shot, Written, numbered, save};
use crate::diagnostics::Diagnostic;
use crate::frames::Frame;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Writes `encode(frame, body)` as `<folder>/<body>.0001.<ending>` for every frame, and once as
/// `<folder>/<body>.<ending>` for a body that never moves. A body that is not there in a frame has no
/// file of it.
pub(super) fn write(
    shot: &Shot<'_>,
    folder: &Path,
    ending: &str,
    encode: impl Fn(&Frame, usize) -> Result<Vec<u8>, Diagnostic> + Sync + Send,
) -> Result<Written, Diagnostic> {
    let of_frame = |(i, number): (usize, &i32)| -> Result<Vec<PathBuf>, Diagnostic> {
        if shot.is_interrupted() {
            return Ok(Vec::new());
        }
        let frame = shot.frame(*number)?;
        let mut files = Vec::new();
        for &body in shot.bodies.iter().filter(|i| shot.body(**i).is_there(frame.time)) {
            let name = &shot.body(body).name;
            let file = match shot.moves(body) {
                Moves::Not if i > 0 => continue,
                Moves::Not => format!("{name}.{ending}"),
                _ => numbered(name, *number, ending),
            };
            let path = folder.join(file);
            save(&path, &encode(&frame, body)?)?;
            files.push(path);
        }
        Ok(files)
    };
    each_frame(shot, of_frame)
}

/// Calls `of_frame` for all frames at once; files and errors come in the order of frames.
pub(super) fn each_frame(
    shot: &Shot<'_>,
    of_frame: impl Fn((usize, &i32)) -> Result<Vec<PathBuf>, Diagnostic> + Sync + Send,
) -> Result<Written, Diagnostic> {
    let results: Vec<_> = shot.numbers.par_iter().enumerate().map(of_frame).collect();
    if shot.is_interrupted() {
        return Ok(Written::stopped(results.into_iter().flatten().flatten().collect()));
    }
    let files: Vec<Vec<PathBuf>> = results.into_iter().collect::<Result<_, _>>()?;
    Ok(Written::all(files.concat()))
}
