//! Jobs for a farm: the steps of shots, what each needs, and the tasks that each falls into.

mod openjd;
mod slurm;

pub use openjd::openjd_template;
pub use slurm::{quoted, slurm_script};

use super::frame_list::FrameList;
use crate::diagnostics::{Diagnostic, Place};
use std::path::{Path, PathBuf};

/// Most tasks of a step: an Open Job Description allows 1024, and Slurm 1001 as it comes.
pub const MOST_TASKS: usize = 1000;

/// Work for a farm.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FarmJob {
    /// What people call it.
    pub name: String,
    /// The program as the farm finds it.
    pub program: String,
    /// Threads of a task; none: all that there are.
    pub threads: Option<usize>,
    /// Folders and files that the work reads or writes.
    pub paths: Vec<FarmPath>,
    /// Its steps, each after those that it waits for.
    pub steps: Vec<FarmStep>,
}

/// A folder, or a single file, that the work reads or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FarmPath {
    /// One word, letters and digits, for the job's parameter.
    pub label: String,
    /// What it is, in words.
    pub about: String,
    /// Where it is: absolute, without links.
    pub path: PathBuf,
    /// Whether it is a file.
    pub is_file: bool,
    /// Whether the work writes into it.
    pub is_written: bool,
}

/// A step: one call of the program, or one a chunk of frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FarmStep {
    /// Unique name.
    pub name: String,
    /// Arguments of the program.
    pub words: Vec<Word>,
    /// Frames of each task, as `--frames` takes them, appended as such; empty: the step is one task.
    pub chunks: Vec<String>,
    /// Indices of the steps that have to succeed before it.
    pub after: Vec<usize>,
}

/// An argument of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// As it is.
    Plain(String),
    /// A path below a folder of the job.
    Path {
        /// What stands before it ("--out=").
        before: String,
        /// Index of the folder, or of the file itself.
        folder: usize,
        /// The path below it, with `/`; empty: the folder itself.
        rest: String,
    },
}

impl From<&str> for Word {
    fn from(word: &str) -> Self {
        Self::Plain(word.to_owned())
    }
}

impl FarmJob {
    /// `before` with the absolute `path`, below a folder of the job; as one of its own paths, called after
    /// `label`, where it lies in none.
    pub fn path(
        &mut self,
        before: &str,
        path: &Path,
        label: &str,
        about: &str,
    ) -> Result<Word, Diagnostic> {
        let below = |known: &FarmPath| {
            let rest = path.strip_prefix(&known.path).ok()?;
            (!known.is_file || rest.as_os_str().is_empty()).then(|| rest.to_path_buf())
        };
        let known = self.paths.iter().enumerate().filter_map(|(i, f)| Some((i, below(f)?)));
        // The nearest of them.
        let known = known.min_by_key(|(_, rest)| rest.components().count());
        let (folder, rest) =
            known.unwrap_or_else(|| (self.folder(path, label, about), PathBuf::new()));
        let parts: Option<Vec<&str>> = rest.iter().map(|part| part.to_str()).collect();
        let place = || Place::new(path.display().to_string(), 0);
        let rest = parts.ok_or_else(|| Diagnostic::error("the name is no text").at(place()))?;
        Ok(Word::Path { before: before.to_owned(), folder, rest: rest.join("/") })
    }

    /// The index of the folder or file `path`, which is added where it is not there yet.
    pub fn folder(&mut self, path: &Path, label: &str, about: &str) -> usize {
        if let Some(known) = self.paths.iter().position(|f| f.path == path) {
            return known;
        }
        let same = |n: usize| if n == 1 { label.to_owned() } else { format!("{label}{n}") };
        let is_free = |name: &String| self.paths.iter().all(|f| f.label != *name);
        let label = (1..=self.paths.len() + 1).map(same).find(is_free).unwrap_or_default();
        let is_file = path.is_file();
        let (about, path) = (about.to_owned(), path.to_path_buf());
        self.paths.push(FarmPath { label, about, path, is_file, is_written: false });
        self.paths.len() - 1
    }
}

/// `frames`, rising, in chunks of `chunk`, or more where there would be too many of them; as `--frames` takes
/// them.
pub fn chunks(frames: &[i32], chunk: usize) -> Vec<String> {
    let size = chunk.max(frames.len().div_ceil(MOST_TASKS)).max(1);
    frames.chunks(size).map(FrameList::text_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_lists_and_never_too_many() {
        let frames: Vec<i32> = (1..=9).collect();
        assert_eq!(chunks(&frames, 4), ["1-4", "5-8", "9"]);
        assert_eq!(chunks(&[1, 5, 9, 13, 17], 3), ["1-9x4", "13-17x4"]);
        let many: Vec<i32> = (0..2500).collect();
        let made = chunks(&many, 1);
        assert_eq!((made.len(), made[0].as_str()), (834, "0-2"));
        assert!(chunks(&[], 4).is_empty());
    }

    #[test]
    fn paths_lie_below_the_folders_of_a_job() {
        let mut job = FarmJob::default();
        let project = job.folder(Path::new("/film"), "Project", "");
        let word = job.path("--out=", Path::new("/film/renders/a"), "Renders", "").unwrap();
        let expected =
            Word::Path { before: "--out=".into(), folder: project, rest: "renders/a".into() };
        assert_eq!(word, expected);
        job.path("", Path::new("/elsewhere/a"), "Renders", "").unwrap();
        job.path("", Path::new("/elsewhere/b"), "Renders", "").unwrap();
        let labels: Vec<&str> = job.paths.iter().map(|f| f.label.as_str()).collect();
        assert_eq!(labels, ["Project", "Renders", "Renders2"]);
    }
}
