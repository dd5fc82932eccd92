//! Frames: what a run has computed, as plain data, and the store that keeps it on disk.

mod frame;

pub use frame::{BodyState, Event, EventKind, Figures, Frame, Retake, RetakeReason};
