//! What `retake batch` and `retake sweep` share: shots as processes of this program.

use crate::cli::args::{Progress, Quality, ShotArgs, Talk};
use crate::cli::exit::Exit;
use crate::cli::{openjd, terminal};
use crate::production::{Ending, News, Task, run_all};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Plain lines of one shot come no more often.
const PLAIN_PAUSE: Duration = Duration::from_secs(5);

/// The arguments of `retake run` for one shot.
pub(super) fn arguments(
    script: &Path,
    set: impl IntoIterator<Item = (String, Value)>,
    shot: &ShotArgs,
    jobs: usize,
) -> Vec<OsString> {
    let mut list: Vec<OsString> = vec!["run".into(), script.into()];
    let mut add = |name: &str, value: String| {
        list.push(format!("{name}={value}").into());
    };
    for (name, value) in set {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        add("--set", format!("{name}={text}"));
    }
    add("--progress", "json".into());
    add("--color", "never".into());
    add("--threads", threads(shot.threads, jobs).to_string());
    list.extend(words(shot).into_iter().map(OsString::from));
    list
}

/// The options of `shot` as `retake run` takes them, but for the threads.
pub(super) fn words(shot: &ShotArgs) -> Vec<String> {
    let options = [
        ("--until", shot.until.map(|n| n.to_string())),
        ("--frames", shot.frames.clone()),
        ("--bodies", shot.bodies.clone()),
        ("--quality", shot.quality.map(|q| quality_name(q).to_owned())),
    ];
    let flags =
        [("--fresh", shot.fresh), ("--no-images", shot.no_images), ("--no-export", shot.no_export)];
    let options = options.into_iter().filter_map(|(name, v)| v.map(|v| format!("{name}={v}")));
    let flags = flags.into_iter().filter(|(_, set)| *set).map(|(name, _)| name.to_owned());
    options.chain(flags).collect()
}

pub(super) fn quality_name(quality: Quality) -> &'static str {
    match quality {
        Quality::Draft => "draft",
        Quality::Final => "final",
    }
}

/// Threads of one shot: the cores are shared out over those that run at a time.
fn threads(given: Option<usize>, jobs: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    given.unwrap_or_else(|| (cores / jobs.max(1)).max(1))
}

/// Runs the shots and tells how they get on.
pub(super) fn run_tasks(
    tasks: &[Task],
    jobs: usize,
    talk: &Talk,
    interrupted: &AtomicBool,
) -> Vec<Ending> {
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("retake"));
    let tells_frames =
        !talk.quiet && !matches!(talk.progress, Progress::None | Progress::Json | Progress::Openjd);
    let mut told: BTreeMap<usize, Instant> = BTreeMap::new();
    let mut ended = 0;
    let mut farm = (talk.progress == Progress::Openjd).then(|| Parts::new(tasks.len()));
    run_all(&program, tasks, jobs, interrupted, |index, news| {
        let name = &tasks[index].name;
        if let Some(farm) = &mut farm {
            farm.hear(index, name, &news);
        }
        match news {
            News::Began if !talk.quiet => terminal::err(&format!("[{name}] begins\n")),
            News::Said(line) if !talk.quiet => terminal::err(&format!("[{name}] {line}\n")),
            News::Frame(frame, last)
                if tells_frames
                    && (frame == last
                        || told.get(&index).is_none_or(|t| t.elapsed() > PLAIN_PAUSE)) =>
            {
                told.insert(index, Instant::now());
                terminal::err(&format!("[{name}] frame {frame}/{last}\n"));
            }
            News::Ended(ending) => {
                ended += 1;
                if !talk.quiet {
                    let (how, of) = (status(&ending), tasks.len());
                    terminal::err(&format!("[{name}] {how} ({ended} of {of})\n"));
                }
            }
            _ => {}
        }
    })
}

/// How far several shots are, as one number.
struct Parts {
    /// Of each the first frame that it told of, and the part of it that is done.
    shots: Vec<(Option<i64>, f64)>,
    progress: openjd::Progress,
}

impl Parts {
    fn new(shots: usize) -> Self {
        Self { shots: vec![(None, 0.0); shots], progress: openjd::Progress::default() }
    }

    fn hear(&mut self, index: usize, name: &str, news: &News) {
        let (first, part) = &mut self.shots[index];
        match news {
            News::Began => self.progress.status(&format!("{name} begins")),
            News::Frame(frame, last) => {
                let from = *first.get_or_insert(*frame);
                *part = (frame - from + 1) as f64 / (last - from + 2).max(1) as f64;
            }
            News::Ended(ending) => {
                *part = 1.0;
                self.progress.status(&format!("{name}: {}", status(ending)));
            }
            News::Said(_) => return,
        }
        let done: f64 = self.shots.iter().map(|(_, part)| part).sum();
        self.progress.reach(done / self.shots.len().max(1) as f64);
    }
}

/// How a shot ended, in a word or two.
pub(super) fn status(ending: &Ending) -> String {
    match ending.code {
        Some(0) => "done".into(),
        Some(1) => "failed".into(),
        Some(2) => "wrong".into(),
        Some(3) => "interrupted".into(),
        Some(4) => "checks failed".into(),
        Some(code) => format!("ended with code {code}"),
        None if ending.reason.is_empty() => "killed".into(),
        None => ending.reason.clone(),
    }
}

/// How the whole ended.
pub(super) fn exit(endings: &[Ending], interrupted: &AtomicBool) -> Exit {
    let any = |wanted: &dyn Fn(Option<i32>) -> bool| endings.iter().any(|e| wanted(e.code));
    if interrupted.load(Ordering::SeqCst) || any(&|code| code == Some(3)) {
        Exit::Interrupted
    } else if any(&|code| !matches!(code, Some(0 | 4))) {
        Exit::Failed
    } else if any(&|code| code == Some(4)) {
        Exit::CheckFailed
    } else {
        Exit::Done
    }
}
