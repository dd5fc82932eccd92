//! Exports of the frames of a run.

use super::outputs::Stage;
use super::progress::Message;
use super::stale::look_hash;
use crate::diagnostics::Diagnostic;
use crate::export::{self, Format, Shot};
use crate::frames::Chosen;
use crate::scene::Scene;
use std::path::Path;
use std::time::Instant;

/// Writes one format, if it is not there yet; false if the person stopped it.
pub(super) fn write(scene: &Scene, stage: &Stage<'_>, format: Format) -> Result<bool, Diagnostic> {
    let (Some(&first), Some(&last)) = (stage.frames.first(), stage.frames.last()) else {
        return Ok(true);
    };
    let began = Instant::now();
    let key = key(scene, stage, first, last)?;
    let kind = format.name();
    if stage.ledger.holds_all(kind, &key) {
        return Ok(true);
    }
    let frames = Chosen::new(stage.store, first..=last);
    let mut shot = Shot::new(scene, &frames);
    shot.numbers = stage.frames.iter().copied().collect();
    shot.interrupted = stage.interrupted;
    let written = export::write(format, &shot, stage.folder)?;
    if !written.complete {
        return Ok(false);
    }
    let names: Vec<String> = written.files.iter().map(|f| name(stage.folder, f)).collect();
    let noted = stage
        .ledger
        .wrote_all(kind, &key, &names)
        .and_then(|()| stage.ledger.prune(kind, |name, _| names.iter().any(|n| n == name)));
    noted.map_err(|e| Diagnostic::error(format!("{kind} cannot be written: {e}")))?;
    for note in written.notes {
        stage.listener.hear(Message::Warning(note));
    }
    for file in written.files {
        stage.listener.hear(Message::Wrote(file));
    }
    stage.timings.part(&format!("export {kind}"), began.elapsed());
    Ok(true)
}

/// Hash of all that an export is made from.
fn key(scene: &Scene, stage: &Stage<'_>, first: i32, last: i32) -> Result<String, Diagnostic> {
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
