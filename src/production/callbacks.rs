//! The script's callbacks and measures as the simulation calls them.

use super::stale::measures_hash;
use crate::diagnostics::Diagnostic;
use crate::director::Director;
use crate::frames::Measured;
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
    /// What the measures printed, and what they are.
    pub(super) measured: Measured,
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

    /// Goes back to what `world.memory` was; what it is as a shot starts is empty.
    pub(super) fn set_memory(&mut self, memory: &str) -> Result<(), Diagnostic> {
        if let Some(director) = &mut self.director {
            let memory = if memory.is_empty() { "{}" } else { memory };
            let memory = serde_json::from_str(memory).map_err(|e| {
                Diagnostic::error(format!("`world.memory` of a stored frame is damaged: {e}"))
            })?;
            director.set_memory(memory);
        }
        Ok(())
    }

    /// The measures of a frame, and what they printed.
    pub(super) fn measure(
        &mut self,
        view: &WorldView,
    ) -> Result<(Vec<f64>, Vec<String>), Diagnostic> {
        self.director.as_mut().map_or_else(|| Ok(Default::default()), |d| measure(d, view))
    }

    /// Takes the measures of a frame and calls the callbacks where they are due.
    pub(super) fn at_frame(&mut self, scene: &Scene, view: &WorldView) -> AtFrame {
        let mut at = AtFrame::default();
        let Some(director) = &mut self.director else { return at };
        match measure(director, view) {
            Ok((measures, printed)) => {
                at.measures = measures;
                at.measured = Measured { by: measures_hash(scene), printed };
            }
            Err(problem) => {
                at.failed = Some(problem);
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
                Err(problem) => at.failed = Some(at_frame(problem, view)),
            }
        }
        at.memory = director.memory().to_string();
        at
    }
}

fn measure(
    director: &mut Director,
    view: &WorldView,
) -> Result<(Vec<f64>, Vec<String>), Diagnostic> {
    let measures = director.measure(view).map_err(|problem| at_frame(problem, view))?;
    Ok((measures, director.printed()))
}

/// Where a function failed.
fn at_frame(mut problem: Diagnostic, view: &WorldView) -> Diagnostic {
    problem.message = format!("{} (at frame {})", problem.message, view.frame);
    problem
}
