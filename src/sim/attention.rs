//! What a caller hears of a frame that is being made, and how it stops it. No result depends on it.

use super::report::StepRetakeReason;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// How far the making of a frame has come in one of its regions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// Script time of the last accepted substep [s].
    pub time: f64,
    /// Length of the next substep [s]; of the last at the end of the span.
    pub step: f64,
    /// Retakes of the region since the frame before.
    pub retakes: usize,
    /// Why the last of them was made, and the bodies concerned.
    pub last_retake: Option<(StepRetakeReason, [usize; 2])>,
}

type Hears<'a> = &'a (dyn Fn(Reached) + Sync);

/// Who waits for a frame: asked before each substep whether to stop, told after it how far it came. Regions that are
/// solved at the same time tell from several threads.
#[derive(Clone, Copy)]
pub struct Attention<'a> {
    interrupted: &'a AtomicBool,
    hears: Option<Hears<'a>>,
}

impl<'a> Attention<'a> {
    /// Stops once `interrupted` is set; `hears` must not take long.
    pub fn new(interrupted: &'a AtomicBool, hears: Hears<'a>) -> Self {
        Self { interrupted, hears: Some(hears) }
    }

    /// Whether to stop.
    pub(super) fn stops(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Tells how far a region came.
    pub(super) fn tell(&self, reached: impl FnOnce() -> Reached) {
        if let Some(hears) = self.hears {
            hears(reached());
        }
    }
}

impl<'a> From<&'a AtomicBool> for Attention<'a> {
    fn from(interrupted: &'a AtomicBool) -> Self {
        Self { interrupted, hears: None }
    }
}

impl fmt::Debug for Attention<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attention").field("stops", &self.stops()).finish_non_exhaustive()
    }
}
