//! `retake verify`: does a run keep what was promised?

use super::certificate::{check_frame, left_out};
use super::fate::Made;
use super::ledger::hash_file;
use super::progress::{Listener, Message};
use super::standing::said;
use super::summary::uncertified;
use crate::diagnostics::Diagnostic;
use crate::frames::{Record, Store};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// What was found in a run.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Frames that were looked at.
    pub frames: usize,
    /// Samples between frames that were looked at.
    pub samples: usize,
    /// Output files that were looked at.
    pub files: usize,
    /// What is wrong.
    pub findings: Vec<String>,
    /// Pairs of bodies that the promise leaves out, and why.
    pub left_out: Vec<String>,
    /// Whether the person stopped it.
    pub interrupted: bool,
}

/// Findings of one frame that are told one by one.
const TOLD: usize = 5;

/// Looks at every frame and file of the run in `folder`. An error means that it is no run.
pub fn verify(
    folder: &Path,
    listener: &dyn Listener,
    interrupted: &AtomicBool,
) -> Result<Verdict, Diagnostic> {
    let (store, shot) = said(folder)?;
    let scene = store.scene()?;
    let mut verdict = Verdict::default();
    if let Some(why) = uncertified(&scene) {
        verdict.findings.push(format!("uncertified: {why}"));
    }
    for pair in left_out(&scene) {
        verdict.left_out.push(format!("{} and {}: {}", pair.a, pair.b, pair.why.text()));
    }
    let status = shot["status"].as_str().unwrap_or("unknown");
    if !matches!(status, "done" | "checks failed") {
        verdict.findings.push(format!("the run is not complete: {status}"));
    }
    let first = scene.timing.start_frame;
    let last = shot["frame_range"]["made_to"].as_i64().map_or(first, |n| n as i32);
    // A run that was killed has more frames than it could tell of.
    let mut numbers = store.numbers();
    numbers.retain(|n| (first..=scene.timing.last_frame()).contains(n));
    numbers.extend(first..=last);
    let of = numbers.len();
    for n in numbers {
        if interrupted.load(Ordering::SeqCst) {
            verdict.interrupted = true;
            return Ok(verdict);
        }
        match store.record(n) {
            Err(problem) => verdict.findings.push(problem.message),
            Ok(record) => {
                verdict.findings.extend(kept_wrongly(&store, &record));
                let found = check_frame(&scene, &record.frame);
                verdict.samples += record.frame.samples.len();
                let told = found.iter().take(TOLD).map(ToString::to_string);
                verdict.findings.extend(told);
                if found.len() > TOLD {
                    let more = found.len() - TOLD;
                    verdict.findings.push(format!("frame {n}: and {more} more"));
                }
            }
        }
        verdict.frames += 1;
        listener.hear(Message::Working { what: "verifying", done: verdict.frames, of });
    }
    if let Err(problem) = Made::read(&store) {
        verdict.findings.push(format!("store.json: {}", problem.message));
    }
    for file in shot["files"].as_array().into_iter().flatten() {
        let name = file["path"].as_str().unwrap_or_default();
        let wanted = (file["bytes"].as_u64(), file["blake3"].as_str());
        match hash_file(&folder.join(name)) {
            Err(e) => verdict.findings.push(format!("{name}: {e}")),
            Ok((bytes, hash)) if (Some(bytes), Some(hash.as_str())) != wanted => {
                verdict.findings.push(format!("{name} is not as it was written"));
            }
            Ok(_) => {}
        }
        verdict.files += 1;
    }
    Ok(verdict)
}

/// What is wrong with what is kept beside a frame to go on from it: its exact state, and what its regions came to.
fn kept_wrongly(store: &Store, record: &Record) -> Vec<String> {
    let n = record.frame.number;
    let mut wrong = Vec::new();
    if store.state_path(n).exists() {
        match store.state(n) {
            Err(problem) => wrong.push(problem.message),
            Ok(state) if *blake3::hash(&state).as_bytes() != record.frame.state_hash => {
                wrong.push(format!("{n:04}.state is not the state of frame {n}"));
            }
            Ok(_) => {}
        }
    }
    wrong.extend(store.regions(n).err().map(|problem| problem.message));
    wrong
}
