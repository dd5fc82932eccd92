//! Frames of a run that is still simulated, for those who write and draw beside it.

use super::writer::Stored;
use crate::diagnostics::Diagnostic;
use crate::frames::{Frame, FrameSource, Store};
use std::sync::atomic::{AtomicBool, Ordering};

/// Frames that are waited for and read as soon as they are stored, so that memory holds no more of
/// them than are being worked on.
pub(super) struct Following<'a> {
    store: &'a Store,
    stored: &'a Stored,
    numbers: Vec<i32>,
    ended: AtomicBool,
}

impl<'a> Following<'a> {
    /// Frames `numbers` (rising), some of which are still to come.
    pub(super) fn new(store: &'a Store, stored: &'a Stored, numbers: Vec<i32>) -> Self {
        Self { store, stored, numbers, ended: AtomicBool::new(false) }
    }

    /// Set once a frame was asked for that will not come.
    pub(super) fn ended(&self) -> &AtomicBool {
        &self.ended
    }
}

impl FrameSource for Following<'_> {
    fn numbers(&self) -> Vec<i32> {
        self.numbers.clone()
    }

    fn frame(&self, number: i32) -> Result<Frame, Diagnostic> {
        if self.stored.wait_for(number) {
            return Ok(self.store.record(number)?.frame);
        }
        self.ended.store(true, Ordering::SeqCst);
        Err(Diagnostic::error(format!("frame {number} was not made")))
    }
}
