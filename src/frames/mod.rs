//! Frames: what a run has computed, as plain data, and the store that keeps it on disk.

mod container;
mod difference;
mod drawn;
mod frame;
mod lock;
mod record;
mod source;
mod store;
mod write;

pub use difference::first_change;
pub use drawn::{Drawn, DrawnFrames};
pub use frame::{
    BodyState, Event, EventKind, Figures, Frame, Region, Retake, RetakeReason, Sample,
};
pub use lock::{Held, LOCK_FILE, Lock, Moment};
pub use record::{Measured, Record};
pub use source::FrameSource;
pub use store::{Chosen, STATE_EVERY, Store};
pub use write::{write_whole, write_whole_with};
