//! Exports of the frames of a run.

use super::following::Following;
use super::outputs::Stage;
use super::progress::Message;
use super::stale::look_hash;
use super::writer::Stored;
use crate::diagnostics::Diagnostic;
use crate::export::{self, Format, Shot, Written};
use crate::frames::{Chosen, FrameSource};
use crate::scene::Scene;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Stands in place of a key where an export was stopped.
pub(super) const UNFINISHED: &str = "unfinished";

/// Writes one format, if it is not there yet; false if the person stopped it.
pub(super) fn write(scene: &Scene, stage: &Stage<'_>, format: Format) -> Result<bool, Diagnostic> {
    let (Some(&first), Some(&last)) = (stage.frames.first(), stage.frames.last()) else {
        return Ok(true);
    };
    if stage.ledger.holds_all(format.name(), &key(scene, stage, first, last)?) {
        return Ok(true);
    }
    let began = Instant::now();
    let frames = Chosen::new(stage.store, first..=last);
    let shot = shot(scene, stage, &frames, stage.interrupted);
    let written = export::write(format, &shot, stage.folder)?;
    let complete = note(scene, stage, format, written)?;
    stage.timings.part(&format!("export {}", format.name()), began.elapsed());
    Ok(complete)
}

/// Writes all `formats` at once while the frames come. Each has a thread of its own: those of the
/// simulation must not wait for frames, and one alone takes the frames in their order.
pub(super) fn follow(
    scene: &Scene,
    stage: &Stage<'_>,
    formats: &[Format],
    stored: &Stored,
) -> Result<(), Diagnostic> {
    let (Some(&first), Some(&last)) = (stage.frames.first(), stage.frames.last()) else {
        return Ok(());
    };
    let one = |format: Format| -> Option<Written> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().ok()?;
        let frames = Following::new(stage.store, stored, (first..=last).collect());
        let shot = shot(scene, stage, &frames, frames.ended());
        pool.install(|| export::write_files(format, &shot, stage.folder)).ok()
    };
    let all: Vec<Option<Written>> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            formats.iter().map(|format| scope.spawn(move || one(*format))).collect();
        threads.into_iter().map(|thread| thread.join().ok().flatten()).collect()
    });
    // In the order in which they are written at the end, so that what they share is the last one's.
    for (format, written) in formats.iter().zip(all) {
        let Some(mut written) = written else { continue };
        let frames = Chosen::new(stage.store, first..=last);
        let shot = shot(scene, stage, &frames, stage.interrupted);
        export::add_script(*format, &shot, stage.folder, &mut written)?;
        note(scene, stage, *format, written)?;
    }
    Ok(())
}

fn shot<'a>(
    scene: &'a Scene,
    stage: &Stage<'_>,
    frames: &'a dyn FrameSource,
    stop: &'a AtomicBool,
) -> Shot<'a> {
    let numbers = stage.frames.iter().copied().collect();
    Shot { numbers, interrupted: stop, ..Shot::new(scene, frames) }
}

/// Takes what was written into the ledger; false if it was stopped before its end.
fn note(
    scene: &Scene,
    stage: &Stage<'_>,
    format: Format,
    written: Written,
) -> Result<bool, Diagnostic> {
    let (Some(&first), Some(&last)) = (stage.frames.first(), stage.frames.last()) else {
        return Ok(true);
    };
    let kind = format.name();
    let not_written = |e| Diagnostic::error(format!("{kind} cannot be written: {e}"));
    let names: Vec<String> = written.files.iter().map(|f| name(stage.folder, f)).collect();
    if !written.complete {
        // They are listed, so that another version of the shot does not leave them lying.
        stage.ledger.wrote_all(kind, UNFINISHED, &names).map_err(not_written)?;
        return Ok(false);
    }
    let key = key(scene, stage, first, last)?;
    stage
        .ledger
        .wrote_all(kind, &key, &names)
        .and_then(|()| stage.ledger.prune(kind, |name, _| names.iter().any(|n| n == name)))
        .map_err(not_written)?;
    for note in written.notes {
        stage.listener.hear(Message::Warning(note));
    }
    for file in written.files {
        stage.listener.hear(Message::Wrote(file));
    }
    Ok(true)
}

/// Hash of all that an export of frames `first ..= last` is made from.
pub(super) fn key(
    scene: &Scene,
    stage: &Stage<'_>,
    first: i32,
    last: i32,
) -> Result<String, Diagnostic> {
    let mut hash = blake3::Hasher::new();
    hash.update(env!("CARGO_PKG_VERSION").as_bytes()).update(look_hash(scene).as_bytes());
    for n in stage.frames {
        hash.update(&n.to_le_bytes());
    }
    for n in first..=last {
        hash.update(&stage.store.record(n)?.frame.state_hash);
    }
    Ok(hash.finalize().to_hex().to_string())
}

/// A file's name below the run's folder, with `/`.
fn name(folder: &Path, file: &Path) -> String {
    let below = file.strip_prefix(folder).unwrap_or(file);
    let parts: Vec<_> = below.components().map(|c| c.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}
