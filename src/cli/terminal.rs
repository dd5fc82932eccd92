//! The one place that writes to the terminal. A reader that went away is no failure.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is the cli's own writer")]

use std::io::Write;

/// Writes text to standard output. Errors are left alone: with `retake params x | head` the reader
/// has what it wanted, and a full disk behind a `>` must not end a run.
pub(super) fn out(text: &str) {
    let mut stream = anstream::stdout().lock();
    let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
}

/// Writes text to standard error.
pub(super) fn err(text: &str) {
    let mut stream = anstream::stderr().lock();
    let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
}

/// Columns of the terminal behind standard error, or of a page.
pub(super) fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).unwrap_or(100)
}
