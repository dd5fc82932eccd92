//! Which output files were written and from what, so that a resumed run does nothing twice.

use super::json::sorted_text;
use crate::frames::{Moment, write_whole};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The output files of a run.
#[derive(Debug)]
pub(super) struct Ledger {
    folder: PathBuf,
    entries: Mutex<BTreeMap<String, Entry>>,
    /// Whether other processes note files as well.
    is_shared: bool,
}

/// An output file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Which part of the work writes it ("gltf", "images", "sheet").
    pub(super) kind: String,
    /// Hash of all that it was made from.
    pub(super) key: String,
    /// Size.
    pub(super) bytes: u64,
    /// Hash of the file.
    pub blake3: String,
}

impl Ledger {
    /// The ledger of the run in `folder`; empty where there is none or it is damaged.
    pub(super) fn read(folder: &Path) -> Self {
        let entries = Mutex::new(stored(folder));
        Self { folder: folder.to_path_buf(), entries, is_shared: false }
    }

    /// The ledger of the run in `folder`, into which other processes may write as well.
    pub(super) fn read_shared(folder: &Path) -> Self {
        Self { is_shared: true, ..Self::read(folder) }
    }

    /// The right to change the ledger, and what others have made of it before.
    fn moment(&self, entries: &mut BTreeMap<String, Entry>) -> io::Result<Option<Moment>> {
        if !self.is_shared {
            return Ok(None);
        }
        let moment = Moment::take(&self.folder.join("frames"))?;
        *entries = stored(&self.folder);
        Ok(Some(moment))
    }

    /// Whether file `name` was made from `key` and still is as it was written.
    pub(super) fn holds(&self, name: &str, key: &str) -> bool {
        let entries = self.lock();
        entries.get(name).is_some_and(|e| e.key == key && is_as_written(&self.folder, name, e))
    }

    /// Whether there are files of `kind`, and all were made from `key` and still are as written.
    pub(super) fn holds_all(&self, kind: &str, key: &str) -> bool {
        let entries = self.lock();
        let mut of_kind = entries.iter().filter(|(_, e)| e.kind == kind).peekable();
        of_kind.peek().is_some()
            && of_kind.all(|(name, e)| e.key == key && is_as_written(&self.folder, name, e))
    }

    /// What is not right with file `name`, for people; none where it is as it was written.
    pub(super) fn fault(&self, name: &str) -> Option<String> {
        let entries = self.lock();
        let Some(entry) = entries.get(name) else {
            return Some(format!("{name} is not written yet"));
        };
        match hash_file(&self.folder.join(name)) {
            Err(_) => Some(format!("{name} is not there")),
            Ok((b, h)) if b != entry.bytes || h != entry.blake3 => {
                Some(format!("{name} is not as it was written"))
            }
            Ok(_) => None,
        }
    }

    /// Notes a file that was written.
    pub(super) fn wrote(&self, name: &str, kind: &str, key: &str) -> io::Result<()> {
        self.wrote_all(kind, key, &[name.to_owned()])
    }

    /// Notes files that were written together.
    pub(super) fn wrote_all(&self, kind: &str, key: &str, names: &[String]) -> io::Result<()> {
        let mut entries = self.lock();
        let _moment = self.moment(&mut entries)?;
        for name in names {
            let (bytes, blake3) = hash_file(&self.folder.join(name))?;
            let entry = Entry { kind: kind.to_owned(), key: key.to_owned(), bytes, blake3 };
            entries.insert(name.clone(), entry);
        }
        self.save(&entries)
    }

    /// Deletes the files of `kind` for which `keep` is false: they belong to an earlier version of
    /// the shot.
    pub(super) fn prune(&self, kind: &str, keep: impl Fn(&str, &Entry) -> bool) -> io::Result<()> {
        let mut entries = self.lock();
        let _moment = self.moment(&mut entries)?;
        let gone: Vec<String> = entries
            .iter()
            .filter(|(name, e)| e.kind == kind && !keep(name, e))
            .map(|(name, _)| name.clone())
            .collect();
        for name in &gone {
            match fs::remove_file(self.folder.join(name)) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => entries.remove(name),
            };
        }
        if gone.is_empty() { Ok(()) } else { self.save(&entries) }
    }

    /// All files, by name.
    pub(super) fn entries(&self) -> BTreeMap<String, Entry> {
        self.lock().clone()
    }

    /// Calls `work`, which changes other files of the run, while no other process changes any; the ledger then
    /// is as it lies on the disk.
    pub(super) fn alone(&self, work: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let moment = self.moment(&mut self.lock())?;
        let done = work();
        drop(moment);
        done
    }

    fn save(&self, entries: &BTreeMap<String, Entry>) -> io::Result<()> {
        let value = serde_json::to_value(entries)?;
        write_whole(&path(&self.folder), sorted_text(&value).as_bytes())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stored(folder: &Path) -> BTreeMap<String, Entry> {
    fs::read(path(folder))
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}

fn path(folder: &Path) -> PathBuf {
    folder.join("frames/outputs.json")
}

fn is_as_written(folder: &Path, name: &str, entry: &Entry) -> bool {
    hash_file(&folder.join(name)).is_ok_and(|(b, h)| b == entry.bytes && h == entry.blake3)
}

/// Size and hash of a file.
pub(super) fn hash_file(path: &Path) -> io::Result<(u64, String)> {
    let mut hash = blake3::Hasher::new();
    let bytes = io::copy(&mut fs::File::open(path)?, &mut hash)?;
    Ok((bytes, hash.finalize().to_hex().to_string()))
}
