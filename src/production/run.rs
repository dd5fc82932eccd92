//! One shot from script to outputs.

use super::asked::Asked;
use super::digest::names;
use super::folder::RunFolder;
use super::frame_list::FrameList;
use super::ledger::Ledger;
use super::load::{Loaded, Source, load};
use super::measure_again::{Again, measure_again};
use super::outputs::{self, Outputs, Stage};
use super::pictures;
use super::progress::{Listener, Message};
use super::queue::queue;
use super::sheet;
use super::simulate::{Ended, Known, Simulating};
use super::summary::{Facts, Summary};
use super::timings::Timings;
use super::why::frames_in_words;
use super::writer::{self, Stored};
use crate::diagnostics::Diagnostic;
use crate::frames::write_whole;
use crate::scene::Scene;
use crate::sim::Simulation;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// What a run is asked for.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// What is run.
    pub source: Source,
    /// The folder that takes the place of `renders/<shot>/`.
    pub out: Option<PathBuf>,
    /// Writes to `renders/<shot>@NAME/`.
    pub take: Option<String>,
    /// Simulates no further than this frame.
    pub until: Option<i32>,
    /// What is drawn and exported; simulating goes to the last of them.
    pub frames: Option<FrameList>,
    /// Ignores earlier frames.
    pub fresh: bool,
    /// What is left out of the outputs, and how pictures are drawn.
    pub outputs: outputs::Wishes,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// All is there.
    Done,
    /// All is there, but a measure left its limits.
    ChecksFailed(Vec<Diagnostic>),
    /// The person stopped it; it can go on.
    Interrupted,
    /// The shot could not go on.
    Failed(Vec<Diagnostic>),
    /// The command, script or scene is wrong; nothing was simulated.
    Refused(Vec<Diagnostic>),
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// Its folder, once it is known.
    pub folder: Option<PathBuf>,
}

/// Runs a shot. Whatever happens, what was computed before stays.
pub fn run(job: &Job, listener: &dyn Listener, interrupted: &AtomicBool) -> Outcome {
    let mut loaded = match load(&job.source) {
        Ok(loaded) => loaded,
        Err(problems) => return Outcome { end: End::Refused(problems), folder: None },
    };
    for line in &loaded.printed {
        listener.hear(Message::Printed(line.clone()));
    }
    for warning in &loaded.warnings {
        listener.hear(Message::Warning(warning.clone()));
    }
    let path = folder_of(job, &loaded);
    let end = into_folder(job, &mut loaded, &path, listener, interrupted)
        .unwrap_or_else(|e| End::Failed(vec![not_written(&path, &e)]));
    Outcome { end, folder: Some(path) }
}

/// The folder that a job writes to.
pub fn folder_of(job: &Job, loaded: &Loaded) -> PathBuf {
    let name = match &job.take {
        Some(take) => format!("{}@{take}", loaded.scene.name),
        None => loaded.scene.name.clone(),
    };
    job.out.clone().unwrap_or_else(|| loaded.project.renders().join(name))
}

fn into_folder(
    job: &Job,
    loaded: &mut Loaded,
    path: &Path,
    listener: &dyn Listener,
    interrupted: &AtomicBool,
) -> io::Result<End> {
    let last = match last_frame(job, &loaded.scene) {
        Ok(last) => last,
        Err(problem) => return Ok(End::Refused(vec![problem])),
    };
    let outputs = match Outputs::plan(&loaded.scene, &job.outputs, &loaded.project.root) {
        Ok(outputs) => outputs,
        Err(problems) => return Ok(End::Refused(problems)),
    };
    let folder = match RunFolder::open(path) {
        Ok(folder) => folder,
        Err(problem) => return Ok(End::Refused(vec![problem])),
    };
    if folder.fate(&loaded.scene, job.fresh).loses_frames()
        && let Err(problems) = Simulation::start(&loaded.scene)
    {
        // A scene that cannot start must not take the place of frames that are there.
        return Ok(End::Refused(problems));
    }
    folder.prepare(&loaded.scene, job.fresh, listener)?;
    write_script(&folder.path, loaded)?;
    Asked::of(job, loaded).write(&folder.store)?;
    let timings = Timings::read(path);
    let ledger = Ledger::read(path);
    let sitting = Sitting {
        job,
        outputs: &outputs,
        folder: &folder,
        ledger: &ledger,
        timings: &timings,
        listener,
        interrupted,
        last,
    };
    let result = sitting.work(loaded);
    // Clocks are worth keeping however it ended; the result matters more than they do.
    let _ = timings.write(path);
    result
}

/// The last frame that a job wants.
fn last_frame(job: &Job, scene: &Scene) -> Result<i32, Diagnostic> {
    let (first, mut last) = (scene.timing.start_frame, scene.timing.last_frame());
    let outside = |what: String| {
        Diagnostic::error(what).hint(format!("the shot has frames {first} to {last}"))
    };
    if let Some(until) = job.until.filter(|n| *n < first) {
        return Err(outside(format!("frame {until} lies before the shot")));
    }
    if let Some(list) = &job.frames {
        let chosen = list.within(first, last);
        let Some(n) = chosen.last() else {
            return Err(outside(format!("none of the frames {list} lies in the shot")));
        };
        last = *n;
    }
    Ok(job.until.map_or(last, |until| last.min(until)))
}

/// The frames of a shot up to `last` that a job exports and draws.
fn chosen(job: &Job, scene: &Scene, last: i32) -> BTreeSet<i32> {
    let first = scene.timing.start_frame;
    match &job.frames {
        Some(list) => list.within(first, last),
        None => (first..=last).collect(),
    }
}

/// What a job draws.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Frames of which there is a numbered picture, rising.
    pub numbers: Vec<i32>,
    /// Whether there is a contact sheet.
    pub has_sheet: bool,
}

/// What `job` draws of `scene` when its frames are there.
pub fn drawn(job: &Job, scene: &Scene) -> Result<Drawn, Diagnostic> {
    let last = last_frame(job, scene)?;
    if job.outputs.no_images {
        return Ok(Drawn::default());
    }
    let frames = chosen(job, scene, last);
    let numbers = scene.output.images.as_ref().map(|i| pictures::numbers(scene, i, &frames));
    Ok(Drawn { numbers: numbers.unwrap_or_default(), has_sheet: sheet::is_wanted(scene) })
}

/// The Lua files, parameters and pictures that the shot was made from.
fn write_script(path: &Path, loaded: &Loaded) -> io::Result<()> {
    let folder = path.join("script");
    for source in &loaded.sources {
        write_whole(&folder.join(outputs::below(&source.path)), source.text.as_bytes())?;
    }
    pictures::keep(&loaded.scene, &loaded.project.root, path)?;
    let parameters = serde_json::to_value(&loaded.scene.source.parameters)?;
    write_whole(&folder.join("params.json"), super::json::sorted_text(&parameters).as_bytes())
}

fn not_written(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::error(format!("{} could not be written: {error}", path.display()))
        .hint("nothing that was written before is lost; run again to go on")
}

/// One run from start to stop.
struct Sitting<'a> {
    job: &'a Job,
    outputs: &'a Outputs,
    folder: &'a RunFolder,
    ledger: &'a Ledger,
    timings: &'a Timings,
    listener: &'a dyn Listener,
    interrupted: &'a AtomicBool,
    last: i32,
}

impl Sitting<'_> {
    fn work(&self, loaded: &mut Loaded) -> io::Result<End> {
        let mut known = self.take_stock(&loaded.scene);
        self.summarise(loaded, &known, "running", &[])?;
        let mut ended = match self.measure_again(loaded, &known) {
            Again::Done => self.simulate_and_draw(loaded, &mut known),
            Again::Interrupted => Ended::Interrupted,
            Again::Failed(problem) => Ended::Failed(problem),
        };
        if let Ended::Different(n) = ended {
            let previous = self.folder.move_aside()?;
            self.listener.hear(Message::Note(format!(
                "frame {n} does not come out as it was stored, so another version of the program \
                 made it; the old frames are moved to {}",
                previous.display()
            )));
            self.folder.prepare(&loaded.scene, true, self.listener)?;
            write_script(&self.folder.path, loaded)?;
            Asked::of(self.job, loaded).write(&self.folder.store)?;
            known = Known::default();
            ended = self.simulate_and_draw(loaded, &mut known);
        }
        let (status, end) = match ended {
            Ended::Complete => match self.export(&loaded.scene, &known) {
                Ok(true) => ("done", End::Done),
                Ok(false) => ("interrupted", End::Interrupted),
                Err(problem) => ("failed", End::Failed(vec![problem])),
            },
            Ended::Interrupted => ("interrupted", End::Interrupted),
            Ended::Failed(problem) => ("failed", End::Failed(vec![problem])),
            Ended::Refused(problems) => ("failed", End::Refused(problems)),
            Ended::Different(n) => (
                "failed",
                End::Failed(vec![Diagnostic::error(format!(
                    "frame {n} came out differently when it was made again; this is a bug"
                ))]),
            ),
            Ended::NotWritten => {
                let path = self.folder.store.folder().display();
                let problem = Diagnostic::error(format!("{path} cannot be written"));
                ("failed", End::Failed(vec![problem]))
            }
        };
        self.finish(loaded, &known, status, end)
    }

    /// Finds out which frames are there; damaged ones are named and count as missing.
    fn take_stock(&self, scene: &Scene) -> Known {
        let known = Known::read(&self.folder.store, scene);
        for problem in &known.damaged {
            let mut warning = problem.clone().hint("the frame is made again");
            warning.severity = crate::diagnostics::Severity::Warning;
            self.listener.hear(Message::Warning(warning));
        }
        let missing = known.missing(scene.timing.start_frame, self.last);
        match (missing.first(), known.numbers().next()) {
            (Some(n), Some(_)) if *n > scene.timing.start_frame => {
                let text = format!("goes on after frame {}", n - 1);
                self.listener.hear(Message::Note(text));
            }
            (None, _) => {
                let text = format!("all frames to {} are there", known.end(self.last));
                self.listener.hear(Message::Note(text));
            }
            _ => {}
        }
        known
    }

    /// Takes the measures of the frames that have others.
    fn measure_again(&self, loaded: &mut Loaded, known: &Known) -> Again {
        let numbers = known.to_measure();
        if numbers.is_empty() {
            return Again::Done;
        }
        let Loaded { scene, callbacks, .. } = loaded;
        let store = &self.folder.store;
        let again = measure_again(scene, store, callbacks, &numbers, self.interrupted);
        if matches!(again, Again::Done) {
            let text = format!("measures taken again: frames {}", frames_in_words(&numbers));
            self.listener.hear(Message::Note(text));
        }
        again
    }

    /// Simulates the missing frames while they are written and drawn.
    fn simulate_and_draw(&self, loaded: &mut Loaded, known: &mut Known) -> Ended {
        let Loaded { scene, callbacks, .. } = loaded;
        let first = scene.timing.start_frame;
        let stored = Stored::with(known.numbers());
        let store = &self.folder.store;
        let chosen = chosen(self.job, scene, self.last);
        let stage = self.stage(&chosen, self.last);
        let works = !known.missing(first, self.last).is_empty();
        let (sender, entries) = queue();
        let (timings, stored) = (self.timings, &stored);
        let began = Instant::now();
        let (ended, written) = std::thread::scope(|scope| {
            let writing =
                scope.spawn(move || writer::write_all(store, first, &entries, stored, timings));
            // A picture that cannot be drawn now is told of when all are drawn.
            scope.spawn(|| stored.wait_for(first) && self.preview().is_ok());
            if works {
                self.outputs.follow(scope, &stage, stored);
            }
            let ended = {
                let mut simulating = Simulating {
                    scene,
                    store,
                    callbacks,
                    known,
                    last: self.last,
                    interrupted: self.interrupted,
                    listener: self.listener,
                    timings,
                    stored,
                    writer: sender,
                };
                simulating.run()
            };
            let written = writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (ended, written)
        });
        self.timings.part("simulate", began.elapsed());
        if works {
            self.tell_taken_over(scene);
        }
        if let Err(problem) = written {
            return Ended::Failed(problem);
        }
        ended
    }

    /// Tells which regions were taken over rather than solved.
    fn tell_taken_over(&self, scene: &Scene) {
        const MOST: usize = 8;
        let spans = self.timings.spans_taken_over();
        for (bodies, from, to) in spans.iter().take(MOST) {
            let text = format!("taken over: {}, frames {from} to {to}", names(scene, bodies));
            self.listener.hear(Message::Note(text));
        }
        if let Some(more) = spans.len().checked_sub(MOST).filter(|more| *more > 0) {
            let text = format!("and {more} more, see `retake inspect`");
            self.listener.hear(Message::Note(text));
        }
    }

    /// Draws a first picture for whoever waits.
    fn preview(&self) -> io::Result<()> {
        self.outputs.preview(&self.folder.store, &self.folder.path)
    }

    /// Writes the exports; false if the person stopped it.
    fn export(&self, scene: &Scene, known: &Known) -> Result<bool, Diagnostic> {
        let last = known.end(self.last);
        let chosen = chosen(self.job, scene, last);
        self.outputs.write(&self.stage(&chosen, last))
    }

    fn stage<'s>(&'s self, frames: &'s BTreeSet<i32>, last: i32) -> Stage<'s> {
        Stage {
            store: &self.folder.store,
            folder: &self.folder.path,
            ledger: self.ledger,
            timings: self.timings,
            listener: self.listener,
            interrupted: self.interrupted,
            frames,
            last,
            keeps_others: self.job.frames.is_some(),
        }
    }

    fn finish(&self, loaded: &Loaded, known: &Known, status: &str, end: End) -> io::Result<End> {
        let first = loaded.scene.timing.start_frame;
        // A run that did not come to its end keeps the newest state to go on from.
        let newest = known.numbers().last();
        if let Some(newest) = newest {
            writer::tidy_states(&self.folder.store, first, newest)?;
        }
        let complete = known.missing(first, loaded.scene.timing.last_frame()).is_empty();
        self.folder.store.tidy_earlier(|n| known.has(n), complete)?;
        let problems = match &end {
            End::Failed(problems) | End::Refused(problems) => problems.clone(),
            _ => Vec::new(),
        };
        let (failed, amiss) = self.summarise(loaded, known, status, &problems)?;
        for warning in amiss {
            self.listener.hear(Message::Warning(warning));
        }
        if end == End::Done && !failed.is_empty() {
            return Ok(End::ChecksFailed(failed));
        }
        Ok(end)
    }

    /// Writes the summary; returns the checks that failed, and warnings of what went otherwise than asked for.
    fn summarise(
        &self,
        loaded: &Loaded,
        known: &Known,
        status: &str,
        problems: &[Diagnostic],
    ) -> io::Result<(Vec<Diagnostic>, Vec<Diagnostic>)> {
        let scene = &loaded.scene;
        let last = known.end(self.last);
        let summary = Summary::gather(scene, &self.folder.store, last);
        let (failed, amiss) = (summary.failed_checks(), summary.amiss());
        let (status, problems) = match status {
            "done" if !failed.is_empty() => ("checks failed", failed.as_slice()),
            _ => (status, problems),
        };
        let facts =
            Facts { scene, status, problems, warnings: &loaded.warnings, printed: &loaded.printed };
        summary.write(&self.folder.path, &facts, self.ledger)?;
        Ok((failed, amiss))
    }
}
