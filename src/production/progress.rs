//! What a run tells while it works.

use crate::diagnostics::Diagnostic;
use crate::frames::{Figures, RetakeReason};
use std::path::PathBuf;

/// Something that a run tells.
#[derive(Clone, Debug)]
pub enum Message {
    /// Something the person should know; the work goes on.
    Warning(Diagnostic),
    /// What the run does about what it found ("goes on after frame 12").
    Note(String),
    /// A line that the script printed.
    Printed(String),
    /// Simulating begins.
    Simulating {
        /// The shot's name.
        shot: String,
        /// First frame that is made now.
        from: i32,
        /// Last frame that is made.
        last: i32,
    },
    /// A frame was made.
    Frame {
        /// Its number.
        frame: i32,
        /// The last frame that will be made.
        last: i32,
        /// Its script time [s].
        time: f64,
        /// Script time since the frame before [s].
        seconds: f64,
        /// The last frame up to which all lie on the disk.
        written: Option<i32>,
        /// Its figures.
        figures: Box<Figures>,
    },
    /// A frame that takes long is still being made; of several regions the one that told last.
    Within {
        /// Its number.
        frame: i32,
        /// The last frame that will be made.
        last: i32,
        /// Script time that was reached [s].
        time: f64,
        /// The part of the way from the frame before that is done, 0 .. 1.
        part: f64,
        /// Length of the next substep [s].
        step: f64,
        /// Retakes since the frame before.
        retakes: usize,
        /// Why the last of them was made, and between what.
        retake: Option<(RetakeReason, [String; 2])>,
    },
    /// A part of the work beside simulating goes on ("exporting", "drawing").
    Working {
        /// What is done.
        what: &'static str,
        /// How many of `of` are done.
        done: usize,
        /// How many there are.
        of: usize,
    },
    /// A file was written.
    Wrote(PathBuf),
}

/// Who hears it. Several threads may tell at once.
pub trait Listener: Sync {
    /// Takes a message; must not wait for long.
    fn hear(&self, message: Message);
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Listener for Silent {
    fn hear(&self, _message: Message) {}
}
