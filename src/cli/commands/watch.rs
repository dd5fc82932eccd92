//! `retake watch`.

use super::run::{once, refusal};
use crate::cli::args::{RunArgs, Talk};
use crate::cli::exit::Exit;
use crate::cli::{interruption, terminal, use_threads};
use crate::director::{Reads, Stamp, stamp};
use crate::production::{PROJECT_FILE, Project};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often files are looked at. Asking for their times finds what editors replace by renaming, and what
/// lies on drives of other machines.
const PAUSE: Duration = Duration::from_millis(100);
/// So often files must look the same before a save counts as done: editors write in several goes.
const STEADY: u32 = 3;

/// What ends a wait.
enum Woken {
    /// The run is at its end.
    Ended,
    /// The person stops it all.
    Stopped,
    /// These files were saved.
    Saved(Vec<PathBuf>),
}

/// Runs a shot again whenever a file is saved that it was made from.
pub(in crate::cli) fn watch(args: &RunArgs, talk: &Talk) -> Exit {
    if let Some(exit) = refusal(args) {
        return exit;
    }
    if let Err(exit) = use_threads(args.shot.threads) {
        return exit;
    }
    let stop = interruption(talk);
    let mut args = args.clone();
    loop {
        let reads = Reads::default();
        note_command(&args, &reads);
        let end = AtomicBool::new(false);
        let woken = std::thread::scope(|scope| {
            let work = || reads.noting(|| once(&args, talk, &end, false));
            let run = scope.spawn(work);
            let woken = wait(&reads, &stop, || run.is_finished());
            if !matches!(woken, Woken::Ended) {
                end.store(true, Ordering::SeqCst);
            }
            (woken, run.join())
        });
        let exit = match woken.1 {
            Ok(exit) => exit,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        // Frames of the runs before are taken up from now on, if there was one.
        args.shot.fresh &= exit == Exit::Wrong;
        let woken = match woken.0 {
            Woken::Ended => {
                tell(talk, &format!("watching {}", files(reads.noted().len())));
                wait(&reads, &stop, || false)
            }
            other => other,
        };
        match woken {
            Woken::Saved(changed) => {
                let name = |path: &PathBuf| {
                    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
                };
                let names: Vec<String> = changed.iter().map(name).collect();
                tell(talk, &format!("{} saved", names.join(", ")));
            }
            // Nothing is cut short where the last run was at its end.
            Woken::Ended | Woken::Stopped if exit == Exit::Interrupted => return exit,
            Woken::Ended | Woken::Stopped => return Exit::Done,
        }
    }
}

fn tell(talk: &Talk, text: &str) {
    if !talk.quiet {
        terminal::err(&format!("{text}\n"));
    }
}

fn files(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}

/// Notes the files that the command itself names.
fn note_command(args: &RunArgs, reads: &Reads) {
    reads.note(&args.build.script);
    if let Some(params) = &args.build.values.params {
        reads.note(params);
    }
    if let Ok(project) = Project::of(&args.build.script) {
        reads.note(&project.root.join(PROJECT_FILE));
    }
}

/// Waits for the end of a run, the person, or a save.
fn wait(reads: &Reads, stop: &AtomicBool, is_finished: impl Fn() -> bool) -> Woken {
    let mut last: BTreeMap<PathBuf, Stamp> = BTreeMap::new();
    let mut steady = 0;
    loop {
        if stop.load(Ordering::SeqCst) {
            return Woken::Stopped;
        }
        if is_finished() {
            return Woken::Ended;
        }
        let changed: BTreeMap<PathBuf, Stamp> = reads
            .noted()
            .into_iter()
            .filter_map(|(path, was)| {
                let now = stamp(&path);
                (now != was).then_some((path, now))
            })
            .collect();
        steady = if changed.is_empty() || changed != last { 0 } else { steady + 1 };
        // A file that is away is being replaced, most often; it gets longer.
        let is_away = changed.values().any(Option::is_none);
        if steady >= if is_away { 5 * STEADY } else { STEADY } {
            return Woken::Saved(changed.into_keys().collect());
        }
        last = changed;
        std::thread::sleep(PAUSE);
    }
}
