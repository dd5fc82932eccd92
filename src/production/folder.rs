//! The folder of a run: what of an earlier run is kept, replaced or moved aside.

use super::fate::{Fate, Made};
use super::ledger::Ledger;
use super::progress::{Listener, Message};
use super::timings::TIMINGS_FILE;
use crate::diagnostics::{Diagnostic, Place};
use crate::frames::{Held, LOCK_FILE, Lock, Store, write_whole};
use crate::scene::Scene;
use crate::sim::Renaming;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The frames of the run in the folder `path`. An error means that it is none, and says what it is as far as that helps.
pub(super) fn store_of(path: &Path) -> Result<Store, Diagnostic> {
    let is_run = |path: &Path| path.join("frames").is_dir();
    if is_run(path) {
        return Ok(Store::new(path.join("frames")));
    }
    let why = match fs::metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => ": there is no such file or folder",
        Ok(found) if found.is_file() => ": it is a file",
        _ => "",
    };
    let place = Place::new(path.display().to_string(), 0);
    let problem = Diagnostic::error(format!("this is not the folder of a run{why}")).at(place);
    let entries = fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
    let mut runs: Vec<PathBuf> = entries.map(|e| e.path()).filter(|p| is_run(p)).collect();
    runs.sort();
    Err(match runs.first() {
        Some(one) => problem.hint(format!(
            "runs lie in it, each in a folder of its own: name one, as `{}`",
            one.display()
        )),
        None => problem,
    })
}

/// The folder of a run that nobody else writes into.
pub(super) struct RunFolder {
    /// Where it lies.
    pub(super) path: PathBuf,
    /// Its frames.
    pub(super) store: Store,
    _lock: Lock,
}

impl RunFolder {
    /// Takes the folder for writing; it is made where it is missing.
    pub(super) fn open(path: &Path) -> Result<Self, Diagnostic> {
        let who = format!("process {}", std::process::id());
        let lock = Lock::take(path, &who).map_err(|held| told(path, held))?;
        remove_parts(path)
            .map_err(|e| Diagnostic::error(format!("{} cannot be written: {e}", path.display())))?;
        Ok(Self { path: path.to_path_buf(), store: Store::new(path.join("frames")), _lock: lock })
    }

    /// Takes the folder of a run for drawing its frames, beside others that do: on a farm each draws its own.
    pub(super) fn open_beside(path: &Path) -> Result<Self, Diagnostic> {
        let lock = Lock::share(path).map_err(|held| told(path, held))?;
        Ok(Self { path: path.to_path_buf(), store: Store::new(path.join("frames")), _lock: lock })
    }

    /// What becomes of the frames of an earlier run.
    pub(super) fn fate(&self, scene: &Scene, fresh: bool) -> Fate {
        Fate::of(&self.store, scene, fresh)
    }

    /// Makes the folder ready for frames of `scene`: keeps those of an earlier run that still hold,
    /// forgets or moves aside the others.
    pub(super) fn prepare(
        &self,
        scene: &Scene,
        fresh: bool,
        listener: &dyn Listener,
    ) -> io::Result<()> {
        let note = |text: String| listener.hear(Message::Note(text));
        match self.fate(scene, fresh) {
            Fate::Absent if fresh => self.store.tidy_earlier(|_| true, true)?,
            Fate::Absent | Fate::Kept => {}
            Fate::Another { why, same, same_script } => {
                let previous = self.move_aside()?;
                note(format!("{why}; they are moved to {}", previous.display()));
                let from = Store::new(previous.join("frames"));
                if let Some(n) = same {
                    self.copy_until(&from, n)?;
                    note(format!("frames to {n} are the same with both, and are taken over"));
                }
                if same_script {
                    self.store.keep_earlier(&from, same)?;
                }
                self.rename_regions(scene)?;
            }
            Fate::Ignored => {
                self.forget_outputs()?;
                fs::remove_dir_all(self.store.folder())?;
            }
            Fate::Edited { same } => {
                self.store.keep_earlier(&self.store, same)?;
                if let Err(problem) = Made::read(&self.store) {
                    listener.hear(Message::Warning(problem.hint("all frames are made again")));
                    self.forget_outputs()?;
                    self.store.remove_all()?;
                } else if let Some(n) = same {
                    note(format!("the shot has changed: frames after {n} are made again"));
                    self.forget_after(n)?;
                    self.rename_regions(scene)?;
                } else {
                    note("the shot has changed: all frames are made again".into());
                    self.forget_outputs()?;
                    self.store.remove_all()?;
                }
            }
        }
        self.store.write_scene(scene)?;
        Made::of(scene).write(&self.store)
    }

    /// Moves everything to `<folder>.previous`, in whose place an older one is given up. The
    /// frames go last: what is stopped in between still has them.
    pub(super) fn move_aside(&self) -> io::Result<PathBuf> {
        let mut name = self.path.file_name().unwrap_or_default().to_os_string();
        name.push(".previous");
        let previous = self.path.with_file_name(name);
        if previous.exists() {
            fs::remove_dir_all(&previous)?;
        }
        fs::create_dir_all(&previous)?;
        let mut names: Vec<_> = fs::read_dir(&self.path)?
            .map(|entry| entry.map(|e| e.file_name()))
            .collect::<io::Result<_>>()?;
        names.retain(|n| n != LOCK_FILE);
        names.sort_by_key(|n| (n == "frames", n.clone()));
        for name in names {
            fs::rename(self.path.join(&name), previous.join(&name))?;
        }
        Ok(previous)
    }

    /// Forgets every output that was made from the frames.
    fn forget_outputs(&self) -> io::Result<()> {
        let ledger = Ledger::read(&self.path);
        for name in ledger.entries().keys().map(String::as_str).chain([TIMINGS_FILE]) {
            match fs::remove_file(self.path.join(name)) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes over the frames of the store `from` up to `last`, with their exact states and what their regions came
    /// to.
    fn copy_until(&self, from: &Store, last: i32) -> io::Result<()> {
        for n in from.numbers().range(..=last) {
            if from.regions_path(*n).exists() {
                write_whole(&self.store.regions_path(*n), &fs::read(from.regions_path(*n))?)?;
            }
            write_whole(&self.store.frame_path(*n), &fs::read(from.frame_path(*n))?)?;
        }
        for n in from.states().range(..=last) {
            write_whole(&self.store.state_path(*n), &fs::read(from.state_path(*n))?)?;
        }
        Ok(())
    }

    /// Forgets the frames after frame `last`. Outputs that were made from them are made again,
    /// because they name the frames that they were made from.
    fn forget_after(&self, last: i32) -> io::Result<()> {
        let numbers = self.store.numbers();
        // From the end: what is stopped in between has no gaps.
        for n in numbers.range(last + 1..).rev() {
            self.store.remove_frame(*n)?;
        }
        Ok(())
    }

    /// Lets what regions of the kept frames came to have the names that it has in a run of `scene`.
    fn rename_regions(&self, scene: &Scene) -> io::Result<()> {
        let mut renaming = Renaming::new(scene);
        for n in self.store.numbers() {
            // What cannot be read is solved again where it is asked for.
            let old = self.store.regions(n).ok().flatten();
            if let Some(new) = old.and_then(|old| renaming.outcomes(&old)) {
                self.store.write_regions(n, &new)?;
            }
        }
        Ok(())
    }
}

/// Why the folder `path` could not be taken.
fn told(path: &Path, held: Held) -> Diagnostic {
    match held {
        Held::By(who) => Diagnostic::error(format!("{} is being written by {who}", path.display()))
            .hint("wait for it, or give this run a folder of its own with `--take NAME`"),
        Held::Failed(e) => Diagnostic::error(format!("{} cannot be written: {e}", path.display())),
    }
}

/// Removes the unfinished files that a killed run left.
fn remove_parts(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            remove_parts(&path)?;
        } else if kind.is_file() && path.extension().is_some_and(|e| e == "part") {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
