//! Frames: what a run has computed, as plain data, and the store that keeps it on disk.

mod frame;
mod source;
mod write;

pub use frame::{BodyState, Event, EventKind, Figures, Frame, Retake, RetakeReason};
pub use source::FrameSource;
pub use write::{write_whole, write_whole_with};
