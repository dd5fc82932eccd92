//! Which files scripts ask for: what a change of could change the shot.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// How a file was when it was asked for: when it was written, and its size [bytes]; none where it was not there.
pub type Stamp = Option<(SystemTime, u64)>;

/// The files that scripts asked for, and how they were at the first time. Clones share one list.
#[derive(Clone, Debug, Default)]
pub struct Reads(Arc<Mutex<BTreeMap<PathBuf, Stamp>>>);

thread_local! {
    /// Who wants to know of the files that are asked for on this thread.
    static WANTED: RefCell<Option<Reads>> = const { RefCell::new(None) };
}

impl Reads {
    /// Calls `work` and notes the files that scripts ask for in it, on this thread.
    pub fn noting<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = WANTED.replace(Some(self.clone()));
        let done = work();
        WANTED.set(before);
        done
    }

    /// Notes a file.
    pub fn note(&self, path: &Path) {
        let mut noted = self.lock();
        if !noted.contains_key(path) {
            noted.insert(path.to_path_buf(), stamp(path));
        }
    }

    /// The files so far.
    pub fn noted(&self) -> BTreeMap<PathBuf, Stamp> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Stamp>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How the file at `path` is now.
pub fn stamp(path: &Path) -> Stamp {
    let known = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some((known.modified().ok()?, known.len()))
}

/// A script asks for the file at `path`, which may be missing.
pub(super) fn note(path: &Path) {
    WANTED.with_borrow(|wanted| {
        if let Some(reads) = wanted {
            reads.note(path);
        }
    });
}
