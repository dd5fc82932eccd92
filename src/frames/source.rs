//! Where exporters, pictures and checks get frames from, wherever they lie.

use super::Frame;
use crate::diagnostics::Diagnostic;

/// Frames that can be read by number: a store on disk, or a few in memory.
pub trait FrameSource: Sync {
    /// Numbers of the frames that there are, rising.
    fn numbers(&self) -> Vec<i32>;

    /// Frame `number`; an error names the file that is missing or damaged.
    fn frame(&self, number: i32) -> Result<Frame, Diagnostic>;
}

/// Frames in memory, in rising order of their numbers.
impl FrameSource for [Frame] {
    fn numbers(&self) -> Vec<i32> {
        self.iter().map(|f| f.number).collect()
    }

    fn frame(&self, number: i32) -> Result<Frame, Diagnostic> {
        self.iter()
            .find(|f| f.number == number)
            .cloned()
            .ok_or_else(|| Diagnostic::error(format!("there is no frame {number}")))
    }
}

/// As the slice.
impl FrameSource for Vec<Frame> {
    fn numbers(&self) -> Vec<i32> {
        self.as_slice().numbers()
    }

    fn frame(&self, number: i32) -> Result<Frame, Diagnostic> {
        self.as_slice().frame(number)
    }
}
