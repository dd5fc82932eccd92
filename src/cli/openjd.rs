//! Lines that workers of Open Job Description read on standard output (specification 2023-09, "How Jobs Are
//! Run", messages of actions): `openjd_progress: 12.5`, `openjd_status: text`, `openjd_fail: text`.

use super::terminal;
use crate::diagnostics::{Diagnostic, Severity};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a worker listens: problems are printed where no option is at hand.
static LISTENS: AtomicBool = AtomicBool::new(false);

/// A worker listens from now on.
pub(super) fn listen() {
    LISTENS.store(true, Ordering::SeqCst);
}

/// Why the work fails, if it is an error and a worker listens.
pub(super) fn fail(problem: &Diagnostic) {
    if LISTENS.load(Ordering::SeqCst) && problem.severity == Severity::Error {
        terminal::out(&format!("openjd_fail: {}\n", one_line(&problem.to_string())));
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How far some work is, told whenever it comes further by a whole percent.
#[derive(Debug, Default)]
pub(super) struct Progress {
    told: Option<u32>,
    status: String,
}

impl Progress {
    /// A part of 0 .. 1 is done. What is told never goes back: `status` says which part of the work it is.
    pub(super) fn reach(&mut self, part: f64) {
        let percent = (100.0 * part.clamp(0.0, 1.0)).floor() as u32;
        if self.told.is_none_or(|told| percent > told) {
            self.told = Some(percent);
            terminal::out(&format!("openjd_progress: {percent}\n"));
        }
    }

    /// Whether all of it is done.
    pub(super) fn is_full(&self) -> bool {
        self.told == Some(100)
    }

    /// What is being done; told when it changes.
    pub(super) fn status(&mut self, text: &str) {
        if self.status != text {
            text.clone_into(&mut self.status);
            terminal::out(&format!("openjd_status: {}\n", one_line(text)));
        }
    }
}
