//! Which exports and pictures a run would make again, and why.

use super::exports;
use super::outputs::{Outputs, Stage};
use super::pictures;
use super::scene_changes::Change;
use super::sheet::{self, SHEET_FILE};
use crate::diagnostics::Diagnostic;
use crate::export::Format;
use std::collections::BTreeSet;
use std::io;

/// An output that a run would make again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleOutput {
    /// What it is: a format as `retake export` calls it, `sheet.png`, or `pictures`.
    pub what: String,
    /// Of numbered pictures their frames; empty for all else.
    pub frames: Vec<i32>,
    /// Why.
    pub why: String,
    /// Whether it is sure to be made.
    pub sureness: Sureness,
}

/// Whether an output is sure to be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sureness {
    /// It is made.
    Sure,
    /// It is made where the frames that are to be made come out otherwise than those that it was made from.
    ByFrames,
}

/// What is to happen to the frames of a run, as its outputs see it.
pub(super) struct Fresh<'a> {
    /// Every output is taken away before the run begins.
    pub(super) forgets_outputs: bool,
    /// Frames that are to be made.
    pub(super) missing: &'a BTreeSet<i32>,
    /// What of the scene the outputs show otherwise.
    pub(super) looks: &'a [Change],
    /// What of the settings of pictures has changed.
    pub(super) settings: &'a [Change],
}

const BY_FRAMES: &str = "frames that it shows are made again";

/// The outputs of `outputs` that a run would make again.
pub(super) fn stale_outputs(
    outputs: &Outputs,
    stage: &Stage<'_>,
    fresh: &Fresh<'_>,
) -> Result<Vec<StaleOutput>, Diagnostic> {
    let mut found = Vec::new();
    for format in &outputs.formats {
        if let Some(why) = export(outputs, stage, fresh, *format)? {
            let (what, sureness) = (format.name().to_owned(), Sureness::Sure);
            found.push(StaleOutput { what, frames: Vec::new(), why, sureness });
        }
    }
    let drawn = if outputs.draws_sheet { sheet_png(outputs, stage, fresh) } else { Ok(None) };
    let not_read = |e: io::Error| Diagnostic::error(format!("a frame cannot be read: {e}"));
    found.extend(drawn.map_err(not_read)?);
    found.extend(numbered(outputs, stage, fresh).map_err(not_read)?);
    Ok(found)
}

fn export(
    outputs: &Outputs,
    stage: &Stage<'_>,
    fresh: &Fresh<'_>,
    format: Format,
) -> Result<Option<String>, Diagnostic> {
    let (Some(&first), Some(&last)) = (stage.frames.first(), stage.frames.last()) else {
        return Ok(None);
    };
    // They are written along with the frames, whatever is there already.
    if fresh.forgets_outputs || !fresh.missing.is_empty() {
        return Ok(Some("frames are made".into()));
    }
    let key = exports::key(&outputs.exported, stage, first, last)?;
    if stage.ledger.holds_all(format.name(), &key) {
        return Ok(None);
    }
    let entries = stage.ledger.entries();
    let mut of_kind = entries.iter().filter(|(_, e)| e.kind == format.name()).peekable();
    if of_kind.peek().is_none() {
        return Ok(Some("it is not written yet".into()));
    }
    if of_kind.clone().any(|(_, e)| e.key == exports::UNFINISHED) {
        return Ok(Some("it was stopped before its end".into()));
    }
    let fault = of_kind.find_map(|(name, _)| stage.ledger.fault(name));
    Ok(Some(fault.unwrap_or_else(|| otherwise(fresh.looks))))
}

fn sheet_png(
    outputs: &Outputs,
    stage: &Stage<'_>,
    fresh: &Fresh<'_>,
) -> io::Result<Option<StaleOutput>> {
    let one = |why: String, sureness| {
        Some(StaleOutput { what: SHEET_FILE.into(), frames: Vec::new(), why, sureness })
    };
    let shown = sheet::numbers(&outputs.drawn, stage);
    if shown.is_empty() {
        return Ok(None);
    }
    if fresh.forgets_outputs {
        return Ok(one("frames are made".into(), Sureness::Sure));
    }
    if let Some(fault) = stage.ledger.fault(SHEET_FILE) {
        return Ok(one(fault, Sureness::Sure));
    }
    if !fresh.looks.is_empty() || !fresh.settings.is_empty() {
        let all = [fresh.looks, fresh.settings].concat();
        let key = if fresh.missing.is_empty() {
            sheet::key(&outputs.drawn, stage)?
        } else {
            String::new()
        };
        // Of the settings only some count for the sheet, which its key knows.
        if !fresh.looks.is_empty()
            || (fresh.missing.is_empty() && !stage.ledger.holds(SHEET_FILE, &key))
        {
            return Ok(one(otherwise(&all), Sureness::Sure));
        }
    }
    if !fresh.missing.is_empty() {
        let there = stage.store.numbers();
        let is_new = shown.iter().any(|n| !there.contains(n));
        let sureness = if is_new { Sureness::Sure } else { Sureness::ByFrames };
        return Ok(one(BY_FRAMES.into(), sureness));
    }
    if stage.ledger.holds(SHEET_FILE, &sheet::key(&outputs.drawn, stage)?) {
        return Ok(None);
    }
    Ok(one(otherwise(&[]), Sureness::Sure))
}

fn numbered(
    outputs: &Outputs,
    stage: &Stage<'_>,
    fresh: &Fresh<'_>,
) -> io::Result<Vec<StaleOutput>> {
    let Some(images) = &outputs.images else { return Ok(Vec::new()) };
    let mut found: Vec<StaleOutput> = Vec::new();
    let mut add = |frame: i32, why: String, sureness: Sureness| {
        let same = |s: &&mut StaleOutput| s.why == why && s.sureness == sureness;
        match found.iter_mut().find(same) {
            Some(stale) if stale.frames.last() == Some(&frame) => {}
            Some(stale) => stale.frames.push(frame),
            None => {
                let what = "pictures".to_owned();
                found.push(StaleOutput { what, frames: vec![frame], why, sureness });
            }
        }
    };
    let is_kept = |n: i32| !fresh.missing.contains(&n);
    let there = stage.store.numbers();
    for wanted in pictures::wanted(&outputs.drawn, stage, images, is_kept)? {
        let n = wanted.frame;
        let fault = wanted.names.iter().find_map(|name| stage.ledger.fault(name));
        if fresh.forgets_outputs || !there.contains(&n) {
            add(n, "their frames are made".into(), Sureness::Sure);
        } else if let Some(fault) = fault {
            add(n, fault, Sureness::Sure);
        } else if !fresh.looks.is_empty() || !fresh.settings.is_empty() {
            let holds = |key: &String| wanted.names.iter().all(|m| stage.ledger.holds(m, key));
            if !wanted.key.as_ref().is_some_and(holds) {
                let all = [fresh.looks, fresh.settings].concat();
                add(n, otherwise(&all), Sureness::Sure);
            }
        } else if let Some(key) = wanted.key {
            if !wanted.names.iter().all(|name| stage.ledger.holds(name, &key)) {
                add(n, otherwise(&[]), Sureness::Sure);
            }
        } else {
            let why = if is_kept(n) {
                "what they are seen by or stand on is chosen from all frames"
            } else {
                "their frames are made again"
            };
            add(n, why.into(), Sureness::ByFrames);
        }
    }
    Ok(found)
}

/// Why an output whose files are sound has been made from something else.
fn otherwise(changes: &[Change]) -> String {
    const MOST: usize = 3;
    if changes.is_empty() {
        return "it was made from other frames, from an earlier version of the shot, or with other settings".into();
    }
    let told: Vec<String> = changes.iter().take(MOST).map(ToString::to_string).collect();
    let more = match changes.len().saturating_sub(MOST) {
        0 => String::new(),
        n => format!("; and {n} more"),
    };
    format!("{}{more}", told.join("; "))
}
