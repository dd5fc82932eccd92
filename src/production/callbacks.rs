//! The script's callbacks and measures as the simulation calls them.

use crate::diagnostics::Diagnostic;
use crate::scene::Scene;
use crate::scene::world::{Command, WorldView};

/// The script's functions, if it has any.
#[derive(Default)]
pub(super) struct Callbacks {}

/// What the callbacks did at a frame.
#[derive(Debug, Default)]
pub(super) struct AtFrame {
    pub(super) measures: Vec<f64>,
    pub(super) commands: Vec<Command>,
    /// Message and, where the script names one, the body.
    pub(super) events: Vec<(String, Option<String>)>,
    pub(super) printed: Vec<String>,
    pub(super) stop: Option<String>,
    /// `world.memory` as JSON text.
    pub(super) memory: String,
    pub(super) called: bool,
    /// What went wrong, if anything did; all else is as far as it got.
    pub(super) failed: Option<Diagnostic>,
}

impl Callbacks {
    /// Whether callbacks are called at frame `number`: at every one but the shot's last.
    pub(super) fn are_called_at(scene: &Scene, number: i32) -> bool {
        scene.callbacks > 0 && number < scene.timing.last_frame()
    }

    /// Goes back to what `world.memory` was.
    pub(super) fn set_memory(&mut self, _memory: &str) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// Takes the measures of a frame and calls the callbacks where they are due.
    pub(super) fn at_frame(&mut self, _scene: &Scene, _view: &WorldView) -> AtFrame {
        AtFrame::default()
    }
}
