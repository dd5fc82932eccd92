//! `retake verify`.

use crate::cli::args::Talk;
use crate::cli::exit::{Exit, refused};
use crate::cli::progress::Teller;
use crate::cli::{interruption, terminal};
use crate::production::verify as look;
use std::path::Path;

/// Checks every frame and file of a run.
pub(in crate::cli) fn verify(folder: &Path, talk: &Talk) -> Exit {
    let teller = Teller::new(talk, None);
    let verdict = look(folder, &teller, &interruption(talk));
    teller.finish();
    let verdict = match verdict {
        Ok(verdict) => verdict,
        Err(problem) => return refused(&[problem], None),
    };
    for line in &verdict.findings {
        terminal::out(&format!("{line}\n"));
    }
    if !talk.quiet {
        for line in &verdict.left_out {
            terminal::out(&format!("not looked at: {line}\n"));
        }
        let (frames, files) = (verdict.frames, verdict.files);
        let found = match verdict.findings.len() {
            0 => "nothing crosses, nothing is missing".to_owned(),
            n => format!("{n} findings"),
        };
        let between = match verdict.samples {
            0 => String::new(),
            n => format!(", {n} samples between them"),
        };
        terminal::out(&format!("{frames} frames{between} and {files} files: {found}\n"));
    }
    if verdict.interrupted {
        Exit::Interrupted
    } else if verdict.findings.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    }
}
