//! Takes measures of stored frames again, of what was kept of each: nothing is simulated for it.

use super::callbacks::Callbacks;
use super::stale::measures_hash;
use crate::diagnostics::Diagnostic;
use crate::frames::{Measured, Store};
use crate::scene::Scene;
use std::sync::atomic::{AtomicBool, Ordering};

/// How far it came.
#[derive(Debug)]
pub(super) enum Again {
    /// All of them.
    Done,
    /// The person stopped it; the next run goes on.
    Interrupted,
    /// A frame could not be read, measured or written.
    Failed(Diagnostic),
}

/// Takes the measures of `scene` of the frames `numbers` (rising), all of which `store` has.
pub(super) fn measure_again(
    scene: &Scene,
    store: &Store,
    callbacks: &mut Callbacks,
    numbers: &[i32],
    interrupted: &AtomicBool,
) -> Again {
    let by = measures_hash(scene);
    // `world.memory` is as the callbacks of the frame before left it.
    let mut left: Option<(i32, String)> = None;
    for &n in numbers {
        if interrupted.load(Ordering::SeqCst) {
            return Again::Interrupted;
        }
        let before = left.take();
        let one = || -> Result<(i32, String), Diagnostic> {
            let memory = match before {
                Some((number, memory)) if number == n - 1 => memory,
                _ if n == scene.timing.start_frame => String::new(),
                _ => store.record(n - 1)?.memory,
            };
            let mut record = store.record(n)?;
            callbacks.set_memory(&memory)?;
            let printed;
            (record.frame.figures.measures, printed) = callbacks.measure(&record.view)?;
            record.measured = Measured { by: by.clone(), printed };
            store.write_record(&record).map_err(|e| {
                let path = store.frame_path(n);
                Diagnostic::error(format!("{} could not be written: {e}", path.display()))
            })?;
            Ok((n, record.memory))
        };
        match one() {
            Ok(done) => left = Some(done),
            Err(problem) => return Again::Failed(problem),
        }
    }
    match callbacks.set_memory("") {
        Ok(()) => Again::Done,
        Err(problem) => Again::Failed(problem),
    }
}
