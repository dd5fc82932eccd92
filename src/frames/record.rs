//! What the store keeps of a frame: the frame, and what the script's callbacks did at it.

use super::Frame;
use crate::diagnostics::Diagnostic;
use crate::scene::world::{Command, WorldView};
use serde::{Deserialize, Serialize};

/// A frame and what the script's callbacks did at it, so that a run can go on from here without
/// calling them again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The frame.
    pub frame: Frame,
    /// What the engine warned of while it made the frame.
    pub warnings: Vec<Diagnostic>,
    /// `world.memory` after the callbacks of this frame, as JSON text.
    pub memory: String,
    /// What the callbacks asked for; it acts from this frame on.
    pub commands: Vec<Command>,
    /// What the callbacks printed.
    pub printed: Vec<String>,
    /// Why they ended the shot here, if they did.
    pub stop: Option<String>,
    /// Whether the callbacks were called: they are for every frame but the shot's last.
    pub called: bool,
    /// What callbacks and measures see of the frame.
    pub view: WorldView,
    /// How [`Figures::measures`](super::Figures::measures) came about.
    pub measured: Measured,
}

impl Record {
    /// Forgets measures that others took than the functions `by`: a run was stopped before it took them again.
    pub fn keep_measures_by(&mut self, by: &str) {
        if self.measured.by != by {
            self.measured = Measured::default();
            self.frame.figures.measures.clear();
        }
    }
}

/// How the measures of a frame came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Which functions took them, as one number; empty where none did, or one failed.
    pub by: String,
    /// What they printed.
    pub printed: Vec<String>,
}
