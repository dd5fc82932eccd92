//! One writer at a time.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

/// The right to write into a run's folder, held until it is dropped; the system gives it back when
/// the process ends, however that happens.
#[derive(Debug)]
pub struct Lock {
    file: File,
    is_shared: bool,
}

/// Why there is no lock.
#[derive(Debug)]
pub enum Held {
    /// Another run has it; what it says about itself.
    By(String),
    /// The file cannot be made or read.
    Failed(io::Error),
}

impl Held {
    fn by(file: &mut File) -> Self {
        let mut who = String::new();
        // The other run may be between taking the lock and writing its name.
        let _ = file.read_to_string(&mut who);
        Self::By(if who.is_empty() { "another run".into() } else { who })
    }
}

/// The right to change what several processes change in a folder, held for a moment.
#[derive(Debug)]
pub struct Moment {
    _file: File,
}

impl Moment {
    /// Waits for the right over `folder`, which is there.
    pub fn take(folder: &Path) -> io::Result<Self> {
        let file = opened(folder)?;
        file.lock()?;
        Ok(Self { _file: file })
    }
}

/// The lock's file in `folder`.
fn opened(folder: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false).open(folder.join(LOCK_FILE))
}

impl Lock {
    /// Takes the lock of `folder`, which is there, for work that goes well beside others of its kind, and not
    /// beside one that has the lock alone.
    pub fn share(folder: &Path) -> Result<Self, Held> {
        let mut file = opened(folder).map_err(Held::Failed)?;
        match file.try_lock_shared() {
            Ok(()) => {
                // Nobody has it alone: a name in it is that of a process that was killed.
                file.set_len(0).map_err(Held::Failed)?;
                Ok(Self { file, is_shared: true })
            }
            Err(TryLockError::WouldBlock) => Err(Held::by(&mut file)),
            Err(TryLockError::Error(e)) => Err(Held::Failed(e)),
        }
    }

    /// Whether nobody has the lock of `folder` alone. Nothing is changed.
    pub fn is_free(folder: &Path) -> bool {
        File::open(folder.join(LOCK_FILE)).is_ok_and(|file| file.try_lock_shared().is_ok())
    }

    /// Takes the lock of `folder` (made where it is missing) and leaves `who` for others to read.
    pub fn take(folder: &Path, who: &str) -> Result<Self, Held> {
        fs::create_dir_all(folder).map_err(Held::Failed)?;
        let mut file = opened(folder).map_err(Held::Failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Held::by(&mut file)),
            Err(TryLockError::Error(e)) => return Err(Held::Failed(e)),
        }
        file.set_len(0).map_err(Held::Failed)?;
        file.write_all(who.as_bytes()).map_err(Held::Failed)?;
        Ok(Self { file, is_shared: false })
    }
}

/// Name of the lock's file; it stays, empty, so that two runs can never lock different files.
pub const LOCK_FILE: &str = ".lock";

impl Drop for Lock {
    fn drop(&mut self) {
        if self.is_shared {
            return;
        }
        // An old name in a file that nobody holds does no harm.
        let _ = self.file.set_len(0).and_then(|()| self.file.rewind());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let first = Lock::take(folder.path(), "process 1").unwrap();
        match Lock::take(folder.path(), "process 2") {
            Err(Held::By(who)) => assert_eq!(who, "process 1"),
            other => panic!("{other:?}"),
        }
        assert!(Lock::share(folder.path()).is_err());
        assert!(!Lock::is_free(folder.path()));
        drop(first);
        assert!(Lock::is_free(folder.path()));
        assert!(Lock::take(folder.path(), "process 3").is_ok());
    }

    #[test]
    fn or_several_of_those_that_share() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(LOCK_FILE), "process 9, which was killed").unwrap();
        let (first, second) = (Lock::share(folder.path()), Lock::share(folder.path()));
        assert!(first.is_ok() && second.is_ok());
        drop(first);
        match Lock::take(folder.path(), "alone") {
            Err(Held::By(who)) => assert_eq!(who, "another run"),
            other => panic!("{other:?}"),
        }
        drop(second);
        assert!(Lock::take(folder.path(), "alone").is_ok());
    }
}
