//! The script's callbacks and measures as the simulation calls them.

use crate::diagnostics::Diagnostic;
use crate::director::Director;
use crate::scene::Scene;
use crate::scene::world::{Command, WorldView};

/// The script's functions, if it has any.
#[derive(Default)]
pub(super) struct Callbacks {
    director: Option<Director>,
}

/// What the script's functions did at a frame.
#[derive(Debug, Default)]
pub(super) struct AtFrame {
    pub(super) measures: Vec<f64>,
    pub(super) commands: Vec<Command>,
    /// What happened, and the body that it happened to (may be empty).
    pub(super) events: Vec<(String, String)>,
    pub(super) printed: Vec<String>,
    pub(super) stop: Option<String>,
    /// `world.memory` as JSON text.
    pub(super) memory: String,
    pub(super) called: bool,
    /// What went wrong, if anything did; all else is as far as it got.
    pub(super) failed: Option<Diagnostic>,
}

impl Callbacks {
    /// Those of a script that was built.
    pub(super) fn new(director: Director) -> Self {
        Self { director: Some(director) }
    }

    /// Whether callbacks are called at frame `number`: at every one but the shot's last.
    pub(super) fn are_called_at(scene: &Scene, number: i32) -> bool {
        scene.callbacks > 0 && number < scene.timing.last_frame()
    }

    /// Goes back to what `world.memory` was.
    pub(super) fn set_memory(&mut self, memory: &str) -> Result<(), Diagnostic> {
        if let Some(director) = &mut self.director
            && !memory.is_empty()
        {
            let memory = serde_json::from_str(memory).map_err(|e| {
                Diagnostic::error(format!("`world.memory` of a stored frame is damaged: {e}"))
            })?;
            director.set_memory(memory);
        }
        Ok(())
    }

    /// Takes the measures of a frame and calls the callbacks where they are due.
    pub(super) fn at_frame(&mut self, scene: &Scene, view: &WorldView) -> AtFrame {
        let mut at = AtFrame::default();
        let Some(director) = &mut self.director else { return at };
        let here = |mut problem: Diagnostic| {
            problem.message = format!("{} (at frame {})", problem.message, view.frame);
            Some(problem)
        };
        match director.measure(view) {
            Ok(measures) => at.measures = measures,
            Err(problem) => {
                at.failed = here(problem);
                return at;
            }
        }
        if Self::are_called_at(scene, view.frame) {
            match director.on_frame(view) {
                Ok(calls) => {
                    at.commands = calls.commands;
                    at.events = calls.events;
                    at.printed = calls.printed;
                    at.stop = calls.stop;
                    at.called = true;
                }
                Err(problem) => at.failed = here(problem),
            }
        }
        at.memory = director.memory().to_string();
        at
    }
}
