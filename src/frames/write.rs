//! Files that are there whole or not at all.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Writes `bytes` as file `path`, whole or not at all: a reader, and a run after a crash, sees the
/// old file or the new one. Folders above it are made.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_whole_with(path, |out| out.write_all(bytes))
}

/// As [`write_whole`], for what is better written piece by piece.
pub fn write_whole_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    // A file without a folder in its name lies in the current one.
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let part = part_of(path);
    let written = (|| {
        let mut out = BufWriter::with_capacity(1 << 16, File::create(&part)?);
        write(&mut out)?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&part, path)?;
        sync_folder(folder)
    })();
    if written.is_err() {
        // The reason of the failure is worth more than that of the cleaning up.
        let _ = fs::remove_file(&part);
    }
    written
}

/// As [`write_whole`], but whoever reads it after the machine itself has stopped may find anything: for what is
/// checked when it is read, and can be made again.
pub(super) fn write_lightly(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let part = part_of(path);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

/// The unfinished file beside `path`: in the same folder, since only there a rename is atomic. Processes that write the
/// same file, on whichever machines, have one each; the last one's stays.
fn part_of(path: &Path) -> PathBuf {
    static OWN: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(std::process::id()));
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{:016x}.part", *OWN));
    path.with_file_name(name)
}

/// Brings a rename to the disk. Only Unix can open a folder for that.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_part() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b.txt");
        write_whole(&path, b"old").unwrap();
        let failed = write_whole_with(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no room"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}
