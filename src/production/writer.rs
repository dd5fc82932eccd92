//! The thread that brings frames to the disk while the simulation runs ahead.

use super::queue::Receiver;
use super::timings::Timings;
use crate::diagnostics::Diagnostic;
use crate::frames::{BodyState, Record, STATE_EVERY, Store};
use std::collections::BTreeSet;
use std::io;
use std::sync::{Condvar, Mutex, PoisonError};

/// What goes to the disk.
pub(super) enum Entry {
    /// A frame, with the engine's exact state where it is kept, and what its regions came to (may be empty).
    Frame(Box<Record>, Option<Vec<u8>>, Vec<u8>),
    /// The exact state of a frame that is already written.
    State(i32, Vec<u8>),
}

impl Entry {
    /// The memory that it takes, up to small things [bytes].
    pub(super) fn bytes(&self) -> usize {
        let body = |body: &BodyState| match body {
            BodyState::Deformed { positions } => size_of_val(positions.as_slice()),
            BodyState::Posed { .. } => size_of::<BodyState>(),
        };
        match self {
            Self::Frame(record, state, regions) => {
                let samples = record.frame.samples.iter().flat_map(|sample| &sample.bodies);
                record.frame.bodies.iter().chain(samples).map(body).sum::<usize>()
                    + regions.len()
                    + state.as_ref().map_or(0, Vec::len)
            }
            Self::State(_, state) => state.len(),
        }
    }
}

/// Whether the state of frame `number` is kept for good.
pub(super) fn state_is_kept(first: i32, number: i32) -> bool {
    (number - first) % STATE_EVERY == 0
}

/// Writes what comes until the senders are gone or the disk fails.
pub(super) fn write_all(
    store: &Store,
    first: i32,
    entries: &Receiver<Entry>,
    stored: &Stored,
    timings: &Timings,
) -> Result<(), Diagnostic> {
    let result = (|| {
        // The newest state that is kept only until the next one is on the disk.
        let mut passing: Option<i32> = None;
        while let Some(entry) = entries.next() {
            let (number, state) = match entry {
                Entry::Frame(record, state, regions) => {
                    // First, so that a frame that is there has them.
                    if !regions.is_empty() {
                        store.write_regions(record.frame.number, &regions)?;
                    }
                    store.write_record(&record)?;
                    timings.written(record.frame.number);
                    stored.add(record.frame.number);
                    (record.frame.number, state)
                }
                Entry::State(number, state) => (number, Some(state)),
            };
            if let Some(state) = state {
                store.write_state(number, &state)?;
                if let Some(old) = passing.take().filter(|old| *old != number) {
                    store.remove_state(old)?;
                }
                if !state_is_kept(first, number) {
                    passing = Some(number);
                }
            }
        }
        Ok(())
    })();
    stored.close();
    result.map_err(|e: io::Error| {
        Diagnostic::error(format!(
            "a frame could not be written to {}: {e}",
            store.folder().display()
        ))
        .hint("nothing that was written before is lost; run again to go on")
    })
}

/// Forgets the states that were kept only to go on from, so that equal runs leave equal files.
pub(super) fn tidy_states(store: &Store, first: i32, last: i32) -> io::Result<()> {
    let loose = |n: &i32| *n != last && (*n < first || !state_is_kept(first, *n));
    store.states().into_iter().filter(loose).try_for_each(|n| store.remove_state(n))
}

/// Which frames lie in the store, for those who wait for them.
#[derive(Debug, Default)]
pub(super) struct Stored {
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    numbers: BTreeSet<i32>,
    closed: bool,
}

impl Stored {
    /// With the frames of an earlier run.
    pub(super) fn with(numbers: impl IntoIterator<Item = i32>) -> Self {
        let inner = Inner { numbers: numbers.into_iter().collect(), closed: false };
        Self { inner: Mutex::new(inner), changed: Condvar::new() }
    }

    fn add(&self, number: i32) {
        self.lock().numbers.insert(number);
        self.changed.notify_all();
    }

    /// No more frames will come.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Whether no more frames will come.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// The last frame before the first that is missing from `first` on; none where that one is missing.
    pub(super) fn reached(&self, first: i32) -> Option<i32> {
        let inner = self.lock();
        inner.numbers.range(first..).zip(first..).take_while(|(n, m)| **n == *m).last().map(|p| p.1)
    }

    /// Waits until frame `number` is stored; false if it never will be.
    pub(super) fn wait_for(&self, number: i32) -> bool {
        let mut inner = self.lock();
        loop {
            if inner.numbers.contains(&number) {
                return true;
            }
            if inner.closed {
                return false;
            }
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
