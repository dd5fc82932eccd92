//! Clocks of a run: the one place where they are kept.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::frames::write_whole;

/// Name of the file; comparisons leave it out.
pub(super) const TIMINGS_FILE: &str = "timings.json";

/// Clocks of a run, over all of its sittings.
#[derive(Debug, Default)]
pub(super) struct Timings {
    inner: Mutex<Clocks>,
}

/// Seconds on the clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Clocks {
    /// Of whole parts of the work ("export gltf", "draw"), summed over all sittings.
    pub(super) parts: BTreeMap<String, f64>,
    /// Of simulating each frame.
    pub(super) simulate: BTreeMap<i32, f64>,
}

impl Timings {
    /// Those of earlier sittings in `folder`, if there are any.
    pub(super) fn read(folder: &Path) -> Self {
        let clocks = fs::read(folder.join(TIMINGS_FILE))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        Self { inner: Mutex::new(clocks) }
    }

    /// A frame was simulated.
    pub(super) fn frame(&self, number: i32, took: Duration) {
        self.change(|c| c.simulate.insert(number, took.as_secs_f64()));
    }

    /// A part of the work was done.
    pub(super) fn part(&self, name: &str, took: Duration) {
        self.change(|c| *c.parts.entry(name.to_owned()).or_default() += took.as_secs_f64());
    }

    /// Keeps them in `folder`.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let clocks = self.change(|c| c.clone());
        let mut text = serde_json::to_vec_pretty(&clocks)?;
        text.push(b'\n');
        write_whole(&folder.join(TIMINGS_FILE), &text)
    }

    fn change<T>(&self, f: impl FnOnce(&mut Clocks) -> T) -> T {
        f(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
