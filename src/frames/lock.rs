//! One writer at a time.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

/// The right to write into a run's folder, held until it is dropped; the system gives it back when
/// the process ends, however that happens.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// Why there is no lock.
#[derive(Debug)]
pub enum Held {
    /// Another run has it; what it says about itself.
    By(String),
    /// The file cannot be made or read.
    Failed(io::Error),
}

impl Lock {
    /// Takes the lock of `folder` (made where it is missing) and leaves `who` for others to read.
    pub fn take(folder: &Path, who: &str) -> Result<Self, Held> {
        fs::create_dir_all(folder).map_err(Held::Failed)?;
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(folder.join(LOCK_FILE))
            .map_err(Held::Failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut who = String::new();
                // The other run may be between taking the lock and writing its name.
                let _ = file.read_to_string(&mut who);
                return Err(Held::By(if who.is_empty() { "another run".into() } else { who }));
            }
            Err(TryLockError::Error(e)) => return Err(Held::Failed(e)),
        }
        file.set_len(0).map_err(Held::Failed)?;
        file.write_all(who.as_bytes()).map_err(Held::Failed)?;
        Ok(Self { file })
    }
}

/// Name of the lock's file; it stays, empty, so that two runs can never lock different files.
pub const LOCK_FILE: &str = ".lock";

impl Drop for Lock {
    fn drop(&mut self) {
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
        drop(first);
        assert!(Lock::take(folder.path(), "process 3").is_ok());
    }
}
